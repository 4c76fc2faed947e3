"""What the theme cannot say (page.css, talk.css), what Streamlit leaves to the page (page.js), the strip of notices."""

import json
from collections.abc import Callable
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpbi.dashboard.session import address, leaving, settings
from dpbi.dashboard.shown import shell
from dpbi.dashboard.words import words

SIDEBAR_WIDTH = 352  # px: a mechanism and its "calibrated" in one row
_SCREEN, _MEASURED = "screen", "screen: measured"
_scripts: ContextVar[DeltaGenerator] = ContextVar("scripts")  # where those of the run lie
_SCRIPT = Path(__file__).with_name("page.js").read_text("utf-8")


def apply(page: str, talk: bool) -> None:
    """What a page is shown by beside its sheet (``shell``), at its top; page: its title; talk: for a projector."""
    from dpbi.figures import picture

    st.html(f"<style>{shell.TALK if talk else ''}</style>")
    with st.sidebar:  # one pixel high: before the sheet is read, which hides them, each would have a line's room
        _scripts.set(st.container(key="scripts", height=1, border=False))
    _run("page", picture.SCRIPT + _SCRIPT)
    call("pictures", picture.LOOK)
    call("talk", talk)
    if talk:
        _measure_the_screen()
    to_the_top("Page", page)
    call("askBeforeLeaving", leaving.loses_something())


def call(function: str, *arguments: Any, place: str = "") -> None:
    """Calls one of page.js; place: which of several calls of it on a page. A call as it was before does not come again.
    """
    said = json.dumps([function, *arguments]).replace("<", "\\u003c")
    _run(f"{function} {place}", f"(window.dpbi ??= []).push({said});")


def _run(name: str, script: str) -> None:
    with _scripts.get(), st.container(key=f"script {name}"):
        st.html(f"<script>{script}</script>", unsafe_allow_javascript=True)


def to_the_top(of: str, name: str) -> None:
    """Opens a page, or a part that takes the place of another, at its top; of: what it is, name: which."""
    call("toTheTop", of, name, place=of)


def _measure_the_screen() -> None:
    """What is told counts from the run on that comes with it, whatever had asked for that run."""
    told = st.session_state.get(_MEASURED)
    if told is not None and told.times:
        st.session_state[_SCREEN] = told.times
    with _scripts.get():
        component("screen")(key=_MEASURED, data=screen(), on_times_change=lambda: None)


def screen() -> float:
    """Times as large as on a small projector is all in talk mode on this screen."""
    return float(st.session_state.get(_SCREEN, 1.0))


@cache
def component(name: str) -> Any:
    """That of a script of this folder, made known to Streamlit once."""
    return st.components.v2.component(f"dpbi {name}", js=Path(__file__).with_name(f"{name}.js").read_text("utf-8"))


def in_the_hand() -> bool:
    """Whether the page is on a telephone, which calls itself mobile, or in a window as narrow in talk mode."""
    return "Mobi" in st.context.headers.get("User-Agent", "") or (bool(settings.get(address.TALK)) and screen() < 1)


def in_a_room() -> bool:
    """Whether charts are enlarged: in talk mode, save on a telephone, where the chart would be left without room."""
    return bool(settings.get(address.TALK)) and not in_the_hand()


def notices(raw: bool, way_back: Callable[[], None] | None = None, *, public: bool = False) -> DeltaGenerator:
    """The neighbour relation, in sight however far the page is scrolled.

    raw: whether a person's own counts are shown, which the strip then says too; public: whether the page shows what was
    published and nothing else, which it says instead; way_back: draws what leads to where a
    person came from. Returns the place in it for what is being shown.
    """
    with st.container(key="notices", gap=None):
        told = f"{words.PUBLISHED_NOTICE if public else words.RELATION_NOTICE} {words.WORDS_EXPLAINED}"
        st.markdown(f"**{words.RAW_NOTICE}** {told}" if raw and not public else told)
        shown = st.empty()
        if way_back:
            way_back()
        return shown
