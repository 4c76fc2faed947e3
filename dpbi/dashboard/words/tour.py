"""The notes for the speaker: beside a scene, and of all scenes as a page to be printed."""

import html
from collections.abc import Sequence

from dpbi import Mechanism, name_of, printed_bound
from dpbi.dashboard.words import words
from dpbi.tour import SCENES, SEED, Scene, growth, with_her_no

_STYLE = (
    "body { font: 12pt/1.45 Georgia, serif; max-width: 42rem; margin: 2rem auto; padding: 0 1rem; } "
    "h1, h2, .minutes { font-family: system-ui, sans-serif; } h2 { margin: 0; font-size: 1.15rem; } "
    ".minutes { color: #555; margin: 0.2rem 0; } p { margin: 0.5rem 0; } "
    "section { border-top: 1px solid #999; padding: 0.9rem 0; break-inside: avoid; } "
    "@media print { body { margin: 0; max-width: none; font-size: 11pt; } }"
)


def shown(scene: Scene, mechanisms: Sequence[Mechanism]) -> str:
    """What is on the screen, in small: the people, the prior, the mechanisms and their epsilon, the seed; the keys of a
    slider."""
    parts = [f"{scene.problem.n:,} people", f"prior {words.prior_words(scene.problem.prior)}"]
    if scene.compute is with_her_no:
        return f"{'; '.join(parts)}. {words.RELATION_NOTICE} {words.WORDS_EXPLAINED}"
    names = ", ".join(name_of(one) for one in mechanisms)
    parts += [names, f"ε = {printed_bound(mechanisms[0].epsilon)}", f"seed {SEED}"]
    keys = " ↑ ↓ move the slider." if scene.kind == "clouds" or scene.compute is growth else ""
    return f"{'; '.join(parts)}.{keys}"


def notes(scene: Scene) -> str:
    """What to say and to ask, and how long it takes, of all."""
    return f"**{_minutes(scene)}.**\n\n**Say:** {scene.notes.say}\n\n**Ask:** {scene.notes.ask}"


def notes_page(heading: str) -> str:
    """The notes of every scene as HTML that asks no host for anything."""
    scenes = "\n".join(map(_section, SCENES))
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{html.escape(heading)}: notes for '
        f'the speaker</title>\n<meta name="viewport" content="width=device-width">\n<style>{_STYLE}</style>\n</head>\n'
        f"<body>\n<h1>{html.escape(heading)}: notes for the speaker</h1>\n<p>{len(SCENES)} scenes, "
        f"{_before(len(SCENES))} minutes in all.</p>\n{scenes}\n</body>\n</html>\n"
    )


def _section(scene: Scene) -> str:
    parts = [("", scene.question), ("Say", scene.notes.say), ("Ask", scene.notes.ask),
             (scene.reveal, scene.sentence(scene.result()))]  # fmt: skip
    said = "".join(f"<p>{f'<b>{html.escape(what)}:</b> ' if what else ''}{html.escape(text)}</p>\n"
                   for what, text in parts if text)  # fmt: skip
    place = SCENES.index(scene) + 1
    return (f'<section>\n<h2>{place}. {html.escape(scene.heading)}</h2>\n<p class="minutes">{_minutes(scene)}</p>\n'
            f"{said}</section>")


def _minutes(scene: Scene) -> str:
    begins = _before(SCENES.index(scene))
    return f"Minutes {begins} to {begins + scene.notes.minutes} of {_before(len(SCENES))}"


def _before(place: int) -> int:
    return sum(one.notes.minutes for one in SCENES[:place])
