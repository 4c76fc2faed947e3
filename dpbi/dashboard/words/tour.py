"""The notes for the speaker."""

from dpbi.tour import SCENES, Scene


def notes(scene: Scene) -> str:
    """What to say and to ask, and how long it takes, of all."""
    place = SCENES.index(scene)
    begins = sum(one.notes.minutes for one in SCENES[:place])
    whole = sum(one.notes.minutes for one in SCENES)
    return (
        f"**Minutes {begins} to {begins + scene.notes.minutes} of {whole}.**\n\n**Say:** {scene.notes.say}\n\n"
        f"**Ask:** {scene.notes.ask}"
    )
