"""The tour on its page: which scene is on, what it reveals, the way to the next, and from a scene into the lab."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpbi import Mechanism
from dpbi.dashboard.answers.cache import kept
from dpbi.dashboard.session import address, settings
from dpbi.dashboard.shown import charts, folds, stylesheet
from dpbi.dashboard.sidebar import controls, data_source, menu, privacy
from dpbi.dashboard.take_away import scenario_file, take_away
from dpbi.dashboard.views import one_answer
from dpbi.dashboard.words import handover, tour as said, words
from dpbi.tour import ANSWERS, SCENES, SEED, Scene

_SENTENCES = 1000
_REVEALED = "tour: revealed"  # the key of the scene whose answer is on the screen
# What shows in the lab what a scene is about: the chart's name by the scene's.
CHARTS = {
    "leak": "clouds", "clouds": "clouds", "guess": "curve", "noise": "posteriors", "choice": "posteriors",
    "reach": "sensitivity", "reader": "posteriors", "limit": "accuracy",
}  # fmt: skip


def draw(scene: Scene, defaults: Mapping[str, Any]) -> None:
    """The scene: its question, its picture, and what is computed from it."""
    act = _steps(scene, defaults)
    stylesheet.call("sceneIs", scene.key)
    st.header(scene.heading)
    st.caption(said.shown(scene, _by(scene)))
    if scene.kind == "picture":
        _picture(scene, act)
    else:
        _two_tables(scene)
    with folds.fold("Notes for the speaker") as opened:
        if opened:
            st.markdown(said.notes(scene))
    stylesheet.to_the_top("Scene", scene.key)
    if not settings.get(address.TALK):
        _offer_report(scene)


def _steps(scene: Scene, defaults: Mapping[str, Any]) -> DeltaGenerator:
    """Returns the place beside them for what the scene asks for."""
    place = SCENES.index(scene)
    with st.container(horizontal=True, vertical_alignment="center", key="tour steps"):
        _step("Back", place - 1, "Left")
        st.markdown(f"Scene {place + 1} of {len(SCENES)}", width="content")
        _step("Next", place + 1, "Right")
        with st.container(key="tour ends"):  # out of sight: for their keys
            _step("First", 0 if place else -1, "Home")
            _step("Last", len(SCENES) - 1 if place + 1 < len(SCENES) else len(SCENES), "End")
        if st.button("Open this in the lab", key="tour: lab"):
            take_away.take_over("scene", lambda: lab_document(scene), defaults)
            charts.seek(CHARTS[scene.key])
            address.leave_for_the_lab(scene)
            st.switch_page(menu.page(scene.page).path, query_params=address.elsewhere(on_tour=True))
        return st.container(width="content")  # last: what comes and goes moves no other button under the pointer


def _picture(scene: Scene, act: DeltaGenerator) -> None:
    from dpbi.figures import tour

    result, sentence = _computed(scene)
    revealed = not scene.reveal or st.session_state.get(_REVEALED) == scene.key
    if not (scene.reveal and revealed):
        _say(scene.question)
    if revealed and sentence:
        _say(sentence)
    elif not revealed:
        with act, st.container(key="act"):
            st.button(scene.reveal, key="tour: reveal", shortcut="Space", type="primary", on_click=_reveal,
                      args=(scene,))  # fmt: skip
    charts.draw(tour.draw(result, revealed), f"tour-{scene.key}")


def _reveal(scene: Scene) -> None:
    st.session_state[_REVEALED] = scene.key


def _two_tables(scene: Scene) -> None:
    _say(scene.question)
    pair = _pair(scene)
    if scene.kind == "clouds":
        one_answer.clouds(pair, _at_epsilon(scene), SEED, by_keys=True)
    else:
        one_answer.guess(pair, _at_epsilon(scene), SEED)


def _pair(scene: Scene) -> one_answer.Pair:
    assert scene.neighbour is not None
    return one_answer.Pair(scene.problem, scene.neighbour, ANSWERS, "with her {}")


def _by(scene: Scene) -> tuple[Mechanism, ...]:
    """The mechanisms that the scene shows, at their epsilon."""
    return scene.mechanisms if scene.kind == "picture" else (_at_epsilon(scene),)


def _at_epsilon(scene: Scene) -> Mechanism:
    """Its mechanism at the app's epsilon, which the clouds' slider sets; at its own where that is refused."""
    return replace(scene.mechanisms[0], **scenario_file.accepted("epsilon", settings.everything()))


def _say(text: str) -> None:
    st.markdown(f"**{words.escape(text, _SENTENCES)}**")


def _step(label: str, place: int, shortcut: str) -> None:
    there = 0 <= place < len(SCENES)
    key = SCENES[place].key if there else ""
    st.button(
        label,
        key=f"tour: {label}",
        shortcut=shortcut,
        disabled=not there,
        type="primary" if label == "Next" else "secondary",
        on_click=_go,
        args=(key,),
    )


def _go(key: str) -> None:
    """To a scene as it begins, its answer covered."""
    st.session_state.pop(_REVEALED, None)
    address.show_scene(key)


def lab_document(scene: Scene) -> scenario_file.Document:
    """The scene as a scenario: its counts are an example's or made up, so that nobody's own are replaced."""
    mechanisms = _by(scene) or _by(SCENES[1])
    numbers = {name: getattr(one, name) for one in mechanisms for name in privacy.every_number() if hasattr(one, name)}
    shares = [count / scene.problem.n for count in scene.problem.counts]
    return {
        **numbers,
        "mechanisms": [type(mechanism).__name__ for mechanism in mechanisms],
        "calibrated": [],
        "view": scenario_file.name_of_option(controls.CUMULATIVE),
        "reading": scenario_file.name_of_option(controls.AWARE if scene.key == "reader" else controls.NAIVE),
        "answer": 1,
        "other_answer": 2,
        "accuracy_axis": "epsilon",
        "accuracy_over": "prior",
        "accuracy_metric": "hellinger",
        "source": scenario_file.name_of_option(data_source.MADE_UP),
        "shape": scenario_file.name_of_option(data_source.GIVEN),
        "proportions": shares,
        "k": scene.problem.k,
        "n": scene.problem.n,
    }


@kept(len(SCENES), said="Computing the scene")
def _computed(scene: Scene) -> tuple[Any, str]:
    """The scene's result and its sentence."""
    result = scene.result()
    return result, scene.sentence(result)


# --- the report ---


def _offer_report(scene: Scene) -> None:
    page, names = menu.page(menu.TOUR), {one.key: f"{place}-{one.key}" for place, one in enumerate(SCENES, 1)}
    by = {one.key: _by(one) for one in SCENES}
    document = {"scene": scene.key, "epsilon": by[SCENES[1].key][0].epsilon, "seed": SEED}
    about = handover.scenes({names[key]: one[0].epsilon for key, one in by.items() if one}, SEED)

    def made() -> tuple[dict[str, Any], str]:
        return {names[one.key]: _revealed(one, by[one.key]) for one in SCENES}, said.notes_page(page.heading)

    with st.sidebar:
        take_away.offer_scenes(page, document, about, made)


def _revealed(scene: Scene, by: tuple[Mechanism, ...]) -> Any:
    from dpbi.figures import tour

    if scene.kind == "picture":
        return tour.draw(scene.result(), True)
    return one_answer.figure(_pair(scene), by[0], SEED, clouds=scene.kind == "clouds")
