"""Parts of a page that are folded away, and made when they are opened."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

import streamlit as st


@contextmanager
def fold(label: str, of: str = "", *, small: bool = False) -> Iterator[bool]:
    """A part that opens at a click; gives whether it is open, and what is not is not to be drawn.

    of: what it is the fold of, where two may bear one label; small: as in the sidebar.
    A fold's label must not change: Streamlit would take it for another, and shut it under the hand.
    Streamlit would send a folded part too, and the browser fetch what it is drawn with: 1.6 MB for a line of code,
    while the first table and chart of a fresh page wait.
    """
    kind: Literal["compact", "default"] = "compact" if small else "default"
    place = st.expander(label, key=key(of or label), on_change="rerun", type=kind)
    with place:
        yield bool(place.open)


def key(label: str) -> str:
    """The key under which the session keeps whether the part is open."""
    return f"fold: {label}"
