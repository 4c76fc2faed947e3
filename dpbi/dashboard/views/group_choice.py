"""What both ways of comparing groups share: which groups, and the sentences to be taken along."""

from collections.abc import Sequence

import streamlit as st

from dpbi.dashboard.session import settings
from dpbi.dashboard.words import words

OF = "groups: "  # what the settings of the page begin with
PAIRS_OF = 10  # groups of which all pairs are shown


class Sentences(list[str]):
    """Those of the page, shown as they come, to be taken along."""

    def say(self, text: str) -> None:
        self.append(text)
        st.markdown(text)

    def note(self, text: str) -> None:
        self.append(text)
        st.caption(text)


def place(label: str, name: str, options: Sequence[str], default: int, without: int | None = None) -> int:
    """Which of them, from 0 on, kept from 1 on: one that is not there, or taken, gives way."""
    left = [place for place in range(1, len(options) + 1) if place - 1 != without]
    if settings.get(OF + name) not in left:
        settings.keep(OF + name, default + 1 if default + 1 in left else left[0])
    shown = [words.plain(option, 30) for option in options]
    return int(settings.choice(label, OF + name, left, format_func=lambda place: shown[place - 1], width=210)) - 1
