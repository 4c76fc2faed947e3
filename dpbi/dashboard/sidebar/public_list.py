"""The entry for the public list of categories, typed or taken from a file of one column."""

from collections.abc import Callable
from typing import Any

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from dpbi.dashboard.words import sidebar, words
from dpbi.data.files import CountsError, read_categories

Answer = Callable[[str, dict[str, Any]], None]


def entry(file_id: str, in_use: bool, answer: Answer) -> None:
    """Draws the entry, folded away; what is typed becomes an answer about the file when its button is pressed."""
    typed, offered = f"list: typed {file_id}", f"list: file {file_id}"
    with st.expander("The public list of categories" + (" (in use)" if in_use else "")):
        st.caption(sidebar.PUBLIC_LIST)
        st.text_area("One category per line", key=typed, height=150)
        st.file_uploader(
            "Or a file with one column",
            key=offered,
            on_change=_take_list,
            args=(typed, offered),
            help="Its names are written into the field above: delete a heading there.",
        )
        if refusal := st.session_state.pop(f"{offered}: refusal", ""):
            st.error(refusal)
        with st.container(horizontal=True):
            st.button("Use this list", on_click=_use, args=(typed, file_id, answer))
            if in_use:
                st.button("Use no list", on_click=answer, args=(file_id, {"categories": None, "unlisted": None}))


def _take_list(typed: str, offered: str) -> None:
    file = st.session_state[offered]
    if not isinstance(file, UploadedFile):  # none, or the mark of a deleted one
        return
    try:
        st.session_state[typed] = "\n".join(read_categories(file.getvalue(), file.name))
    except CountsError as refusal:
        st.session_state[f"{offered}: refusal"] = words.opened(refusal)


def _use(typed: str, file_id: str, answer: Answer) -> None:
    names = tuple(line.strip() for line in st.session_state[typed].splitlines() if line.strip())
    answer(file_id, {"categories": names or None, "unlisted": None})
