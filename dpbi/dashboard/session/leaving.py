"""What would be lost with the session: releases that were drawn and not saved."""

from __future__ import annotations

import streamlit as st

_UNSAVED = "releases: unsaved"


def unsaved(token: str) -> None:
    """Puts down a release that lives in this session alone."""
    _tokens().add(token)


def saved(token: str) -> None:
    _tokens().discard(token)


def loses_something() -> bool:
    """Whether the browser must ask before the page is left or loaded anew."""
    return bool(_tokens())


def _tokens() -> set[str]:
    found: set[str] = st.session_state.setdefault(_UNSAVED, set())
    return found
