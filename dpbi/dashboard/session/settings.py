"""The settings of a session: one plain dict under one key of the session, and how widgets show and change it.

A widget's own value dies when its page is left, so no widget owns a setting. Each begins with the dict's value
(``entry``), and its callback writes a change back before the page runs again. The dict holds what was entered,
as entered: a refused entry stays on screen, with the sentence that refuses it, on every page.
"""

import copy
import itertools
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar, cast

import streamlit as st

_SETTINGS, _VERSIONS = "settings", "settings: versions"
_ABSENT = object()

Option = TypeVar("Option")


def begin(defaults: Mapping[str, Any]) -> None:
    """Gives every setting that has no value yet its default."""
    kept = st.session_state.setdefault(_SETTINGS, {})
    for name, value in defaults.items():
        kept.setdefault(name, copy.deepcopy(value))
    st.session_state.setdefault(_VERSIONS, {})


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


def shown() -> dict[str, Any]:
    """Every setting as its widget shows it now: in a callback, also what the callback of another has yet to take."""
    return {name: st.session_state.get(_key(name), value) for name, value in everything().items()}


def restore(defaults: Mapping[str, Any], changes: Mapping[str, Any]) -> None:
    """Every setting back to its default, then these changes."""
    for name, value in {**defaults, **changes}.items():
        keep(name, copy.deepcopy(value))


def entry(name: str, then: Callable[[], None] | None = None) -> dict[str, Any]:
    """The arguments that tie a widget to a setting; then: what else its change does.

    A setting that was changed from elsewhere gets a new widget, which begins with its value. The old one could be told
    the value, but what is told is lost where another run starts at once, and a widget that has not heard reports what
    it shows as a person's change: a slider moved fast and the field beside it would end apart.
    """
    return {"value": get(name), **_tied(name, then)}


def choice(label: str, name: str, options: Iterable[Any], **more: Any) -> Any:
    """A list to choose a setting from, as ``entry``; nothing is chosen where the setting is none of the options."""
    options = list(options)
    index = options.index(get(name)) if get(name) in options else None
    return st.selectbox(label, options, index, **_tied(name, None), **more)


def segments(label: str, name: str, options: Iterable[Option], **more: Any) -> Option:
    """A row of buttons, one of which is pressed, as ``entry``."""
    pressed = {"default": get(name), "required": True, "wrap": True}
    return cast(Option, st.segmented_control(label, list(options), **pressed, **_tied(name, None), **more))


def several(
    label: str, name: str, options: Iterable[Option], then: Callable[[], None], **more: Any
) -> None:
    """A group of buttons, any of which may be pressed, as ``entry``."""
    st.pills(label, list(options), selection_mode="multi", default=get(name), wrap=True, **_tied(name, then), **more)


def _tied(name: str, then: Callable[[], None] | None) -> dict[str, Any]:
    if st.session_state.get(_key(name), _ABSENT) not in (_ABSENT, get(name)):
        # Streamlit keeps a record of every key it has seen: those that neither server nor browser holds come again.
        st.session_state[_VERSIONS][name] = next(
            version for version in itertools.count() if _key_of(name, version) not in st.session_state
        )
    return {"key": _key(name), "on_change": _take, "args": (name, _key(name), then)}


def _key(name: str) -> str:
    return _key_of(name, st.session_state[_VERSIONS].get(name, 0))


def _key_of(name: str, version: int) -> str:
    return f"entry: {name}" + (f", {version}" if version else "")


def _take(name: str, widget: str, then: Callable[[], None] | None) -> None:
    """The setting as its widget shows it now; one that another has replaced may still report what it last showed."""
    if widget != _key(name):
        return
    keep(name, st.session_state[widget])
    if then is not None:
        then()
