"""Parts of a page that are folded away, and made when they are opened."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st


@contextmanager
def fold(label: str) -> Iterator[bool]:
    """A part that opens at a click; gives whether it is open, and what is not is not to be drawn.

    Streamlit would send a folded part too, and the browser fetch what it is drawn with: 1.6 MB for a line of code,
    while the first table and chart of a fresh page wait.
    """
    place = st.expander(label, key=key(label), on_change="rerun")
    with place:
        yield bool(place.open)


def key(label: str) -> str:
    """The key under which the session keeps whether the part is open."""
    return f"fold: {label}"
