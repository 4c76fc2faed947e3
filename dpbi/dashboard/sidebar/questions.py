"""The questions about an uploaded file as controls: keyed by the file, so that no answer carries over to another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from dpbi.dashboard.words import words
from dpbi.data.files import CountsQuestion
from dpbi.data.files.public_list import MISSING, OTHER

_ASKED = {
    "layout": "The file has",
    "column": "Column to count",
    "category_column": "Column of categories",
    "count_column": "Column of counts",
    "sheet": "Sheet",
    "header_row": "Row with the names of the columns",
    "total_row": "The count that equals the sum of all others",
    "thousands": "Digits are grouped by",
    "confirm_percentages": "These numbers are",
    "unlisted": "A category that is not on the list",
}
_ANSWER_WORDS: dict[tuple[str, Any], str] = {
    **{("layout", layout): said for layout, said in words.LAYOUTS.items()},
    ("total_row", "drop"): "is a total: leave it out",
    ("total_row", "keep"): "is a category: keep it",
    ("thousands", "."): "dots, as in 1.234",
    ("thousands", ","): "commas, as in 1,234",
    ("thousands", " "): "spaces, as in 1 234",
    ("thousands", "'"): "apostrophes, as in 1'234",
    ("thousands", ""): "nothing: it marks decimals",
    ("confirm_percentages", True): "numbers of people",
    ("confirm_percentages", False): "percentages",
    ("header_row", 0): "none: the first row is data",
    ("unlisted", "other"): f"is counted as {OTHER}",
    ("unlisted", "refuse"): "is refused: the list will be completed",
}


def ask(question: CountsQuestion, known: Mapping[str, Any], file_id: str) -> None:
    """Draws a control for each answer that is asked for."""
    for name, suggested in question.suggested.items():
        if name not in known:
            _ask(name, suggested, question.options[name], _key(name, file_id))


def answered(question: CountsQuestion, known: Mapping[str, Any], file_id: str) -> dict[str, Any]:
    """All answers as the controls have them now, None for those still open.

    To be called by the button's callback, not before: what is chosen just before the press would be missed.
    """
    read = {name: st.session_state.get(_key(name, file_id)) for name in question.suggested if name not in known}
    return {**known, **read}


def _key(name: str, file_id: str) -> str:
    return f"upload: answer {name} {file_id}"


def _ask(name: str, suggested: Any, options: tuple[Any, ...], key: str) -> None:
    """One control, at first with the suggested answer."""
    index = options.index(suggested) if suggested in options else None

    def said(value: Any) -> str:
        return words.plain(_ANSWER_WORDS.get((name, value), str(value)))

    st.selectbox(_ASKED[name], options, index, format_func=said, key=key)


def keep_missing(known: Mapping[str, Any], file_id: str, answer: Callable[[str, dict[str, Any]], None]) -> None:
    """Whether empty cells are a category. Offered whatever the file holds: the offer itself must tell nothing."""
    key = f"upload: missing {file_id}"
    st.session_state[key] = known.get("missing") == "keep"

    def take() -> None:
        answer(file_id, {"missing": "keep" if st.session_state[key] else None})

    st.checkbox(f"Count empty cells as a category of their own, {words.escape(MISSING)}", key=key, on_change=take)
