"""The settings of a session: one plain dict under one key of the session, and how widgets show and change it.

A widget's own value dies when its page is left, so no widget owns a setting. Each shows the dict's value
(``entry``), and its callback writes a change back before the page runs again. The dict holds what was entered,
as entered: a refused entry stays on screen, with the sentence that refuses it, on every page.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import streamlit as st

_SETTINGS, _PAGE, _SHOWN_ON, _RUNNING = "settings", "settings: page", "settings: shown on", "settings: running"
_ABSENT = object()


def begin(page: str, defaults: Mapping[str, Any]) -> None:
    """Names the page that is being drawn and gives every setting that has no value yet its default."""
    kept = st.session_state.setdefault(_SETTINGS, {})
    for name, value in defaults.items():
        kept.setdefault(name, copy.deepcopy(value))
    st.session_state.setdefault(_SHOWN_ON, {})
    st.session_state[_PAGE] = page
    # The screen may never have drawn the widgets of a run that was cut short: they are told their values again.
    if st.session_state.get(_RUNNING):
        st.session_state[_SHOWN_ON].clear()
    st.session_state[_RUNNING] = True


def end() -> None:
    """The run came to its end: what it told the widgets has arrived."""
    st.session_state[_RUNNING] = False


def get(name: str) -> Any:
    return st.session_state[_SETTINGS][name]


def keep(name: str, value: Any) -> None:
    st.session_state[_SETTINGS][name] = value


def setdefault(name: str, value: Any) -> Any:
    """For a setting whose name depends on the data, such as a prior's number for each category."""
    return st.session_state[_SETTINGS].setdefault(name, value)


def everything() -> dict[str, Any]:
    """Every setting by its name, as it is now."""
    return dict(st.session_state[_SETTINGS])


def restore(defaults: Mapping[str, Any], changes: Mapping[str, Any]) -> None:
    """Every setting back to its default, then these changes."""
    for name, value in {**defaults, **changes}.items():
        keep(name, copy.deepcopy(value))


def entry(name: str) -> dict[str, Any]:
    """The arguments that tie a widget to a setting: key, on_change and args.

    The widget is told its value only where it could show another: on a page it was not drawn on last, or when
    the setting was changed from elsewhere. Told on every run, it would overwrite what is being typed.
    """
    widget, page = key(name), st.session_state[_PAGE]
    shown_on, value = st.session_state[_SHOWN_ON], get(name)
    if shown_on.get(name) != page or st.session_state.get(widget, _ABSENT) != value:
        st.session_state[widget] = value
        shown_on[name] = page
    return {"key": widget, "on_change": take, "args": (name,)}


def key(name: str) -> str:
    """The key of the widget that shows a setting."""
    return f"entry: {name}"


def take(name: str) -> None:
    """The setting as its widget shows it now."""
    keep(name, st.session_state[key(name)])
