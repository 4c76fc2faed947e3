"""Refused entries: the sentence stands beside the control, and the page knows that it may draw nothing."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from dpbi.dashboard.words import words


class Refusals:
    """The sentences that refused an entry in this run, as Markdown, in the order of the sidebar."""

    def __init__(self) -> None:
        self.sentences: list[str] = []

    @contextmanager
    def beside(self) -> Iterator[None]:
        """Runs its body; a ValueError is shown where the page stands, below the control, and kept."""
        try:
            yield
        except ValueError as refusal:
            said = words.sentence(refusal)
            st.error(said)
            self.sentences.append(said)
