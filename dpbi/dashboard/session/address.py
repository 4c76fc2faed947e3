"""What the address of a page says of the stage: which scene of the tour is on, and whether talk mode is.

A reload, the browser's history and a copied address keep what stands there: the address decides, and the settings
follow it. Streamlit clears the address when the page changes, so every way to another page names it anew.
"""

import streamlit as st

from dpbi.dashboard.session import settings
from dpbi.tour import SCENES, Scene

SCENE, TALK = "scene", "talk"
DEFAULTS = {SCENE: SCENES[0].key, TALK: False}
_ON = "true"
_FROM = "tour: left for the lab"
# What older links call a scene, by the scene that now shows it.
FORMER = {"distance": "reach", "drowning": "choice", "smooth": "reach", "budget": "guess"}
_BY_KEY = {scene.key: scene for scene in SCENES}


def read_talk() -> bool:
    """Whether talk mode is on."""
    on = st.query_params.get(TALK, "").lower() == _ON
    settings.keep(TALK, on)
    return on


def write_talk() -> None:
    """The address as the setting is, after the switch or a file of settings has changed it."""
    if settings.get(TALK):
        st.query_params[TALK] = _ON
    elif TALK in st.query_params:
        del st.query_params[TALK]


def scene() -> Scene:
    """The tour's scene: the first where the address names none."""
    named = st.query_params.get(SCENE, "")
    found = _BY_KEY.get(FORMER.get(named, named), SCENES[0])
    settings.keep(SCENE, found.key)
    st.session_state.pop(_FROM, None)
    return found


def show_scene(key: str) -> None:
    """Goes to a scene, as a step of the browser's history."""
    st.query_params[SCENE] = key


def leave_for_the_lab(there: Scene) -> None:
    """From now on the session's pages lead back to this scene."""
    st.session_state[_FROM] = there


def left_scene() -> Scene | None:
    """The scene from which the lab was entered, until the tour is on again."""
    found: Scene | None = st.session_state.get(_FROM)
    return found


def elsewhere(*, on_tour: bool) -> dict[str, str]:
    """The parameters that go along to another page; on_tour: to the tour, or away from it, which keeps its scene."""
    talk = {TALK: _ON} if settings.get(TALK) else {}
    return talk | ({SCENE: settings.get(SCENE)} if on_tour else {})
