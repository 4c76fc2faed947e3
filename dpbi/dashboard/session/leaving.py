"""What would be lost with the session: releases that were drawn and not saved."""

import streamlit as st

from dpbi.dashboard.session import options

_SAVED = "releases: saved"


def saved(token: str) -> None:
    """Puts down that a release is in a file."""
    st.session_state.setdefault(_SAVED, set()).add(token)


def loses_something() -> bool:
    """Whether the browser must ask before the page is left or loaded anew."""
    return bool(options.ledger().lost(st.session_state.get(_SAVED, ())))
