"""A file of counts: read, shown as it was understood, and used only when the person says so.

A waiting file is kept in the session, for the uploader loses it with the page; once its counts are used or it is put
away, the session holds no more of it than the labels and counts that were used.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from dpbi import limits
from dpbi.dashboard.session import settings
from dpbi.dashboard.sidebar import public_list, questions
from dpbi.dashboard.words import words
from dpbi.data.files import Counts, CountsError, CountsQuestion, Preview, read_counts
from dpbi.data.files.outcome import DATA, LEFT_OUT, NAMES

DEFAULTS: dict[str, Any] = {"uploaded": None}
ROWS_IN_SIGHT = 8
_ROW_HEIGHT = 36
_TOKEN = "_streamlit_xsrf"  # the name of the cookie
_TAKEN_FOR = {NAMES: "header", LEFT_OUT: "left out", DATA: ""}
_ROUND = "upload: round"  # a new uploader each time: an emptied one can be had in no other way
_WAITING = "upload: waiting file"
_ANSWERS = "upload: answers"
_READ = "upload: read"


def choose() -> dict[str, Any] | None:
    """Draws the uploader. Returns the counts in use; None while a file is waiting or none was ever used."""
    used, waiting = settings.get("uploaded"), _waiting()
    st.file_uploader(
        "A table of counts, or one row per person",
        key=_uploader(),
        help="CSV, TSV, Excel or Parquet. It is read in memory; only its labels and counts are kept, in this session.",
        on_change=_take_file,
    )
    if _will_be_refused():
        st.warning(words.UPLOAD_REFUSED)
    if waiting is not None:
        st.caption(f"On the page, and not in use yet: {words.escape(waiting.name)}")
        return None
    if used:
        st.caption(f"In use: {words.escape(used['name'])}")
    return used


def _will_be_refused() -> bool:
    """Whether the browser has kept back the cookie that the server wants with a file, as it does in a frame of another
    site and where a proxy drops it. The server answers such a file with 403, and nothing of that reaches this code."""
    of_browser = "Cookie" in st.context.headers or "User-Agent" in st.context.headers
    return of_browser and st.get_option("server.enableXsrfProtection") and _TOKEN not in st.context.cookies


def panel() -> None:
    """What was understood of the waiting file, or what must be answered first, in the page's main part."""
    file = _waiting()
    if file is None:
        st.info("Choose a file in the sidebar, or another source of counts there.")
        return
    with st.container(border=True):
        st.subheader(words.escape(file.name))
        outcome = _read(file)
        if outcome.preview is not None and not isinstance(outcome, Counts):
            _rows_of_file(outcome.preview)
        if isinstance(outcome, Counts):
            _preview(file, outcome)
        elif isinstance(outcome, CountsQuestion):
            _ask(file, outcome)
        else:
            st.error(words.opened(outcome))
            _buttons(file)
        if outcome.preview is not None and not outcome.preview.of:
            questions.set_rows(_answers(file), file.file_id, outcome.preview, _add_answers)
        public_list.entry(file.file_id, bool(_answers(file).get("categories")), _add_answers)


def _rows_of_file(preview: Preview) -> None:
    """The rows as they stand in the file, the header and what is left out marked."""
    table = pd.DataFrame(
        {
            "Row": preview.rows,
            "Taken for": [_TAKEN_FOR[taken] for taken in preview.taken_for],
            **{words.column_letter(j): [cells[j] for cells in preview.cells] for j in range(len(preview.cells[0]))},
        }
    )
    st.dataframe(
        table,
        hide_index=True,
        row_height=_ROW_HEIGHT,
        height=(min(len(table), ROWS_IN_SIGHT) + 1) * _ROW_HEIGHT + 3,
        column_config={"Row": st.column_config.NumberColumn(pinned=True), "Taken for": {"pinned": True}},
        key="upload: rows",
        alt="The first and last rows of the file as they stand in it",
    )
    shown = len(preview.cells[0])
    if preview.of:
        st.caption(words.escape(f"The first rows of {preview.of}."))
        return
    st.caption(
        f"The file as it stands: {len(preview.rows):,} of {preview.filled:,} filled rows"
        + (f", {shown} of {preview.columns:,} columns." if shown < preview.columns else ".")
    )


def _uploader() -> str:
    return f"upload: file {st.session_state.setdefault(_ROUND, 0)}"


def _waiting() -> UploadedFile | None:
    file: UploadedFile | None = st.session_state.get(_WAITING)
    return file


def _take_file() -> None:
    """Another file, or none: the answers about the one before do not carry over."""
    file = st.session_state[_uploader()]
    st.session_state[_WAITING] = file if isinstance(file, UploadedFile) else None  # or the mark of a deleted one
    _forget_answers()


def _answers(file: UploadedFile) -> dict[str, Any]:
    """What was answered about this very file."""
    file_id, answers = st.session_state.get(_ANSWERS, ("", {}))
    return answers if file_id == file.file_id else {}


def _read(file: UploadedFile) -> Counts | CountsError:
    """What the file comes to under the answers so far, read once for each set of answers and not on every run."""
    asked = (file.file_id, _answers(file))
    known = st.session_state.get(_READ)
    if known is None or known[0] != asked:
        known = st.session_state[_READ] = (asked, _outcome(file, asked[1]))
    return known[1]


def _outcome(file: UploadedFile, answers: dict[str, Any]) -> Counts | CountsError:
    try:
        counts = read_counts(file.getvalue(), file.name, **answers)
    except CountsError as refusal:
        return refusal.with_traceback(None)  # a traceback keeps every cell of the file alive
    n = sum(counts.counts)
    if n > limits.TOTAL_LARGEST:
        return CountsError(f"the counts are too large: they may add to at most {limits.TOTAL_LARGEST:,}, got {n:,}.")
    return counts


def _ask(file: UploadedFile, question: CountsQuestion) -> None:
    st.markdown(words.escape(limits.opened(question.question), words.SENTENCE_LENGTH))
    questions.ask(question, _answers(file), file.file_id)
    ready = None not in questions.answered(question, _answers(file), file.file_id).values()
    _buttons(file, "Continue", _take_answers, file, question, ready=ready)


def _preview(file: UploadedFile, counts: Counts) -> None:
    total, k = sum(counts.counts), len(counts.labels)
    st.markdown(f"**{k:,} categories, n = {total:,}.** It was read like this; nothing is used yet.")
    st.caption(words.read_as(counts))
    st.dataframe(
        pd.DataFrame({"Category": counts.labels, "Count": counts.counts}),
        hide_index=True,
        row_height=_ROW_HEIGHT,
        height=(min(k, ROWS_IN_SIGHT) + 1) * _ROW_HEIGHT + 3,
        key="upload: preview",
        alt="The categories and counts as they were read",
    )
    for warning in counts.warnings:
        st.warning(words.escape(warning, words.SENTENCE_LENGTH))
    answers = _answers(file)
    if counts.single_answers:
        questions.one_answer(answers, file.file_id, counts.single_answers, _add_answers)
    if counts.layout == "raw":
        questions.keep_missing(answers, file.file_id, _add_answers)
    st.caption(words.LIST_GIVEN if answers.get("categories") else words.LIST_FROM_DATA)
    _buttons(file, "Use these counts", _use, file.name, counts, answers)
    if counts.preview is not None:
        with st.expander("The rows of the file"):
            _rows_of_file(counts.preview)
    with st.expander("The same in Python"):
        st.code(reading(file.name, answers), language="python")


def _buttons(
    file: UploadedFile, label: str = "", action: Callable[..., None] | None = None, *args: Any, ready: bool = True
) -> None:
    """The next step, if there is one, beside the way back to the questions, if any was answered, and the way out."""
    with st.container(horizontal=True):
        if action is not None:
            st.button(label, type="primary", disabled=not ready, on_click=action, args=args)
        if _answers(file):
            st.button("Change the answers", on_click=_forget_answers)
        st.button("Discard the file", on_click=_put_away)


def _take_answers(file: UploadedFile, question: CountsQuestion) -> None:
    _add_answers(file.file_id, questions.answered(question, _answers(file), file.file_id))


def _add_answers(file_id: str, given: dict[str, Any]) -> None:
    """Answers beside the earlier ones about the same file; None takes one back."""
    known_id, known = st.session_state.get(_ANSWERS, ("", {}))
    answers = {**(known if known_id == file_id else {}), **given}
    st.session_state[_ANSWERS] = (file_id, {name: value for name, value in answers.items() if value is not None})


def reading(name: str, answers: dict[str, Any]) -> str:
    """The call that reads the file again with the same answers."""
    given = "".join(f", {answer}={value!r}" for answer, value in answers.items())
    return f"dpbi.read_counts(open({name!r}, 'rb').read(), {name!r}{given})"


def _use(name: str, counts: Counts, answers: dict[str, Any]) -> None:
    used = {"name": name, "labels": list(counts.labels), "counts": list(counts.counts)}
    settings.keep("uploaded", {**used, "reading": reading(name, answers)})
    _put_away()


def _put_away() -> None:
    """Lets go of the file, its cells and the answers about it."""
    st.session_state[_ROUND] = st.session_state.get(_ROUND, 0) + 1
    st.session_state.pop(_WAITING, None)
    _forget_answers()


def _forget_answers() -> None:
    for name in (_ANSWERS, _READ):
        st.session_state.pop(name, None)
