"""The questions about an uploaded file as controls: keyed by the file, so that no answer carries over to another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from dpbi.dashboard.words import words
from dpbi.data.files import CountsQuestion, Preview
from dpbi.data.files.public_list import MISSING, OTHER

Answer = Callable[[str, dict[str, Any]], None]
_ASKED = {
    "layout": "The file has",
    "column": "Column to count",
    "category_column": "Column of categories",
    "count_column": "Column of counts",
    "sheet": "Sheet",
    "header_row": "Row with the names of the columns",
    "total_row": "Rows that are sums of others are",
    "thousands": "Digits are grouped by",
    "confirm_percentages": "These numbers are",
    "unlisted": "A category that is not on the list",
    "unit": "Each row is",
    "cells": "What is read",
    "row": "Row to read",
    "group": "Group to read",
    "hidden": "Hidden cells",
    "second_header": "The rows below the header",
    "skip_footer": "Rows to leave out at the end",
}
_BY_HAND = {
    "header_row": "Row with the names of the columns (0: none)",
    "skip_rows": "Rows of the file to leave out at its top",
    "skip_footer": "Filled rows to leave out at its end",
}
_ANSWER_WORDS: dict[tuple[str, Any], str] = {
    **{("layout", layout): said for layout, said in words.LAYOUTS.items()},
    ("total_row", "drop"): "totals: leave them out",
    ("total_row", "keep"): "categories: keep them",
    ("unit", "person"): "one person: count people",
    ("unit", "category"): "one category with its count",
    ("cells", "row"): "one row: its columns are the categories",
    ("cells", "column"): "one column: its rows are the categories",
    ("cells", "group"): "one group",
    ("cells", "all"): "everything: each combination is a category",
    ("cells", "row sums"): "the rows, added over the columns",
    ("cells", "column sums"): "the columns, added over the rows",
    ("cells", "group sums"): "the categories, added over the groups",
    ("hidden", "drop"): "leave them out",
    ("hidden", "keep"): "read them too",
    ("second_header", "drop"): "name the columns too: no data",
    ("second_header", "keep"): "are data",
    ("skip_footer", 0): "none",
    ("thousands", "."): "dots, as in 1.234",
    ("thousands", ","): "commas, as in 1,234",
    ("thousands", " "): "spaces, as in 1 234",
    ("thousands", "'"): "apostrophes, as in 1'234",
    ("thousands", "lakh"): "commas, as in 12,34,567",
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


def set_rows(known: Mapping[str, Any], file_id: str, preview: Preview, answer: Answer) -> None:
    """Where the table begins and ends, by hand, whatever was found."""
    header = preview.header_row if known.get("header_row") is None else known["header_row"]
    now = {"header_row": header, "skip_rows": known.get("skip_rows") or 0, "skip_footer": known.get("skip_footer") or 0}
    keys = {name: f"upload: by hand {name} {value} {file_id}" for name, value in now.items()}
    with st.expander("Set the rows by hand"):
        for name, said in _BY_HAND.items():
            st.number_input(said, min_value=0, value=now[name], key=keys[name])

        def take() -> None:
            given = {name: st.session_state[key] for name, key in keys.items()}
            if 0 < given["header_row"] <= given["skip_rows"]:
                given["header_row"] = None  # left out itself: the one below is looked for
            answer(file_id, given)

        st.button("Read these rows", on_click=take)


def one_answer(known: Mapping[str, Any], file_id: str, offered: tuple[str, ...], answer: Answer) -> None:
    """Where cells hold several answers: whether one of them is counted alone, as yes or no."""
    key = f"upload: chosen {file_id}"

    def take() -> None:
        answer(file_id, {"chosen": st.session_state[key]})

    chosen = known.get("chosen")
    st.selectbox(
        "Count one answer alone, as yes or no",
        offered,
        offered.index(chosen) if chosen in offered else None,
        format_func=words.plain,
        placeholder="No: each combination is a category",
        key=key,
        on_change=take,
    )


def keep_missing(known: Mapping[str, Any], file_id: str, answer: Answer) -> None:
    """Whether empty cells are a category. Offered whatever the file holds: the offer itself must tell nothing."""
    key = f"upload: missing {file_id}"
    st.session_state[key] = known.get("missing") == "keep"

    def take() -> None:
        answer(file_id, {"missing": "keep" if st.session_state[key] else None})

    st.checkbox(f"Count empty cells as a category of their own, {words.escape(MISSING)}", key=key, on_change=take)
