"""A file of counts: read, shown as it was understood, and used only when the person says so.

The session keeps the labels and counts that were read, never the file: the uploader is emptied once they are used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from dpbi.counts_io import Counts, CountsError, CountsQuestion, read_counts
from dpbi.dashboard import settings, words

DEFAULTS: dict[str, Any] = {"uploaded": None}
ROWS_SHOWN = 8
_ROUND = "upload: round"  # a new uploader each time: an emptied one can be had in no other way
_ANSWERS = "upload: answers"
_READ = "upload: read"
_ANSWER_WORDS = {
    "": "nothing",
    " ": "a space",
    "counts": "one row per category",
    "wide": "one row of counts",
    "raw": "one row per person",
}
_ASKED = {
    "layout": "The file has",
    "column": "Column to count",
    "category_column": "Column of categories",
    "count_column": "Column of counts",
    "sheet": "Sheet",
    "header_row": "Row with the names (0 for none)",
    "total_row": "The total row",
    "thousands": "Digits are grouped by",
    "confirm_percentages": "Read them as counts",
}


def choose() -> dict[str, Any] | None:
    """Draws the uploader. Returns the counts in use; None while a file is waiting or none was ever used."""
    used = settings.get("uploaded")
    file = st.file_uploader(
        "A table of counts, or one row per person",
        key=f"upload: file {st.session_state.setdefault(_ROUND, 0)}",
        help="CSV, TSV, Excel or Parquet. It is read in memory; only the counts are kept, in this session.",
    )
    if file is None and used:
        st.caption(f"In use: {words.escape(used['name'])}")
    return used if file is None else None


def panel() -> None:
    """What was understood of the waiting file, or what must be answered first, in the page's main part."""
    file: UploadedFile | None = st.session_state.get(f"upload: file {st.session_state.get(_ROUND, 0)}")
    if file is None:
        st.info("Choose a file in the sidebar, or take the counts from elsewhere.")
        return
    with st.container(border=True):
        st.subheader(words.escape(file.name))
        outcome = _read(file)
        if isinstance(outcome, Counts):
            _preview(file, outcome)
        elif isinstance(outcome, CountsQuestion):
            _ask(file, outcome)
        else:
            st.error(words.opened(outcome))
            _buttons(file)


def _answers(file: UploadedFile) -> dict[str, Any]:
    """What was answered about this very file."""
    file_id, answers = st.session_state.get(_ANSWERS, ("", {}))
    return answers if file_id == file.file_id else {}


def _read(file: UploadedFile) -> Counts | CountsError:
    """What the file comes to under the answers so far, read once for each set of answers and not on every run."""
    asked = (file.file_id, _answers(file))
    known = st.session_state.get(_READ)
    if known is None or known[0] != asked:
        outcome: Counts | CountsError
        try:
            outcome = read_counts(file.getvalue(), file.name, **asked[1])
        except CountsError as refusal:
            outcome = refusal.with_traceback(None)  # a traceback keeps every cell of the file alive
        known = st.session_state[_READ] = (asked, outcome)
    return known[1]


def _ask(file: UploadedFile, question: CountsQuestion) -> None:
    st.markdown(words.opened(question))
    answers = _answers(file)
    given = {
        name: answers[name] if name in answers else _answer(name, suggested, question.options.get(name))
        for name, suggested in question.suggested.items()
    }
    _buttons(file, "Continue", _take_answers, file.file_id, given, ready=None not in given.values())


def _answer(name: str, suggested: Any, options: tuple[Any, ...] | None) -> Any:
    """One answer, at first the suggested one; None while there is none."""
    label, key = _ASKED.get(name, name), f"upload: answer {name} {st.session_state[_ROUND]}"
    if options is not None:
        index = options.index(suggested) if suggested in options else None
        return st.selectbox(label, options, index, format_func=_answer_words, key=key)
    text = st.text_input(label, "" if suggested is None else str(suggested), key=key)
    if name == "header_row" and text.strip().isdecimal():
        return int(text)
    return text or None


def _answer_words(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return words.plain(_ANSWER_WORDS.get(value, str(value)))


def _preview(file: UploadedFile, counts: Counts) -> None:
    total = sum(counts.counts)
    st.markdown(f"**{len(counts.labels):,} categories, n = {total:,}.** So it was understood; nothing is used yet.")
    table = pd.DataFrame({"Category": counts.labels, "Count": counts.counts})
    st.dataframe(table.head(ROWS_SHOWN), hide_index=True, key="upload: preview", alt="The first categories and counts")
    if len(table) > ROWS_SHOWN:
        st.caption(f"The first {ROWS_SHOWN} of {len(table):,} categories.")
    for warning in counts.warnings:
        st.warning(words.escape(warning, words.SENTENCE_LENGTH))
    st.caption(
        "The list of categories is taken to be public. Where it comes from the data, as here, it tells which "
        "categories occur at all."
    )
    _buttons(file, "Use these counts", _use, file.name, counts)


def _buttons(
    file: UploadedFile, label: str = "", action: Callable[..., None] | None = None, *args: Any, ready: bool = True
) -> None:
    """The next step, if there is one, beside the way back to the questions, if any was answered, and the way out."""
    with st.container(horizontal=True):
        if action is not None:
            st.button(label, type="primary", disabled=not ready, on_click=action, args=args)
        if _answers(file):
            st.button("Answer again", on_click=_forget_answers)
        st.button("Put the file away", on_click=_put_away)


def _take_answers(file_id: str, given: dict[str, Any]) -> None:
    st.session_state[_ANSWERS] = (file_id, given)


def _use(name: str, counts: Counts) -> None:
    settings.keep("uploaded", {"name": name, "labels": list(counts.labels), "counts": list(counts.counts)})
    _put_away()


def _put_away() -> None:
    """Lets go of the file, its cells and the answers about it."""
    st.session_state[_ROUND] = st.session_state.get(_ROUND, 0) + 1
    _forget_answers()


def _forget_answers() -> None:
    for name in (_ANSWERS, _READ):
        st.session_state.pop(name, None)
