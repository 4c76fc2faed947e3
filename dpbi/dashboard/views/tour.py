"""The tour on its page: which scene is on, the way to the next, and from a scene into the lab."""

from collections.abc import Mapping
from typing import Any

import streamlit as st

from dpbi.dashboard.answers.cache import kept
from dpbi.dashboard.session import address
from dpbi.dashboard.shown import charts, stylesheet
from dpbi.dashboard.sidebar import controls, data_source, menu
from dpbi.dashboard.take_away import scenario_file, take_away
from dpbi.dashboard.words import accuracy as accuracy_words, sidebar, words
from dpbi.tour import SCENES, Scene

_SENTENCES = 1000
_WITHOUT_MECHANISM = {"leak", "distance"}  # what these show is a sensitivity: no epsilon is in it
# What shows in the lab what a scene is about: the chart's name by the scene's.
CHARTS = {
    "leak": "neighbour", "noise": "distances", "distance": "moves", "drowning": "accuracy", "smooth": "accuracy",
    "budget": "calibration", "limit": "accuracy",
}  # fmt: skip


def draw(scene: Scene, defaults: Mapping[str, Any]) -> None:
    """The scene: its question, its chart and the sentence computed from it."""
    from dpbi.figures import tour

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
            st.switch_page(menu.page(scene.page).path, query_params=address.elsewhere(on_tour=True))
    st.header(scene.heading)
    with st.container(key="scene text"):
        st.markdown(scene.text)
        if scene.key not in _WITHOUT_MECHANISM:
            st.caption(sidebar.in_cases(scene.mechanisms[0].epsilon))
    result, sentence = _computed(scene)
    st.markdown(f"**{words.escape(sentence, _SENTENCES)}**")
    charts.draw(tour.draw(result), f"tour-{scene.key}")
    stylesheet.to_the_top("Scene", scene.key)


def _step(label: str, place: int, shortcut: str) -> None:
    there = 0 <= place < len(SCENES)
    key = SCENES[place].key if there else ""
    st.button(
        label,
        key=f"tour: {label}",
        shortcut=shortcut,
        disabled=not there,
        type="primary" if label == "Next" else "secondary",
        on_click=address.show_scene,
        args=(key,),
    )


def lab_document(scene: Scene) -> scenario_file.Document:
    """The scene as a scenario: its counts are an example's or balanced ones, so that nobody's own are replaced."""
    found: scenario_file.Document = {
        "epsilon": scene.mechanisms[0].epsilon,
        "mechanisms": [type(mechanism).__name__ for mechanism in scene.mechanisms],
        "calibrated": [],
        "calibrate": scene.page == "Privacy loss",
        "view": scenario_file.name_of_option(controls.CUMULATIVE),
        "accuracy_axis": "epsilon" if scene.key == "limit" else "n",  # what varies, where it can be chosen
        "accuracy_over": "prior" if scene.key == "limit" else accuracy_words.AT_THE_DATA,
        "accuracy_metric": "hellinger",
    }
    for example in data_source.BY_KEY.values():
        if example.counts == scene.problem.counts:
            return found | {"source": scenario_file.name_of_option(data_source.EXAMPLE), "example": example.key}
    return found | {
        "source": scenario_file.name_of_option(data_source.MADE_UP),
        "shape": scenario_file.name_of_option(data_source.BALANCED),
        "k": scene.problem.k,
        "n": scene.problem.n,
    }


@kept(len(SCENES), said="Computing the scene")
def _computed(scene: Scene) -> tuple[Any, str]:
    """The scene's result and its sentence."""
    result = scene.result()
    return result, scene.sentence(result)
