"""What stands between a failure and the person: dpbi's own sentence, or a plain apology, never a traceback."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType

import streamlit as st

from dpbi.dashboard.words import words

_log = logging.getLogger(__name__)


@contextmanager
def part(name: str = "") -> Iterator[None]:
    """Runs one part of a page; what refuses or fails in it is said in its place, and the page goes on.

    name: said before the sentence. A ValueError raised by dpbi's own code is a sentence for the person. Anything
    else is a defect: its message may hold counts or labels, so neither screen nor log gets more than its type.
    """
    try:
        yield
    except Exception as failure:  # noqa: BLE001 - the last stop before the person's screen
        said = words.APOLOGY
        if isinstance(failure, ValueError) and _raised_by_dpbi(failure.__traceback__):
            said = words.sentence(failure)
        else:
            _log.error("a part of the page failed: %s", type(failure).__name__)
        st.error(f"**{name}:** {said}" if name else said)


@contextmanager
def refusal(refused: dict[str, list[str]], name: str) -> Iterator[None]:
    """As ``part``, but a sentence of dpbi is kept, with the names it was said of, instead of being shown."""
    with part(name):
        try:
            yield
        except ValueError as failure:
            if not _raised_by_dpbi(failure.__traceback__):
                raise
            refused.setdefault(words.sentence(failure), []).append(name)


@contextmanager
def beside(refused: list[str]) -> Iterator[None]:
    """Runs what reads an entry; the sentence that refuses it is shown below the control, and put down as Markdown."""
    try:
        yield
    except ValueError as failure:
        refused.append(words.sentence(failure))
        st.error(refused[-1])
    else:
        st.empty()  # in the place of an earlier refusal, which else stays until the page is computed


def _raised_by_dpbi(trace: TracebackType | None) -> bool:
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and str(trace.tb_frame.f_globals.get("__name__", "")).startswith("dpbi.")
