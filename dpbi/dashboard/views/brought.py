"""What a person brought as cells, kept in the session with all that was said of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import streamlit as st

from dpbi import limits
from dpbi.data.files import CountsError, Doubt
from dpbi.data.files.form import COLUMNS, COUNTS, RAW, WIDE, Form, Understanding
from dpbi.data.files.reading import Opened, Understood, opened, understood

BROUGHT = "data: brought"
COLUMNS_OF = {
    RAW: ("column",),
    COUNTS: ("category_column", "count_column", "group_column"),
    WIDE: ("count_column", "group_column"),
}
_OF = {  # each entry, and which other it is said of: a column of one layout is none of another
    **dict.fromkeys(("sheet", "encoding", "categories"), ""),
    **dict.fromkeys(("header_row", "leave_out", "layout", "only"), "sheet"),
    **dict.fromkeys(("group", "thousands", "confirm_percentages", "missing", "chosen"), "layout"),
    **dict.fromkeys(COLUMNS, "layout"),
    "unlisted": "categories",
}


@dataclass
class Brought:
    """A file or pasted cells, kept in the session until put away, with all that was ever said of it.

    said: by the entry and what it was said of, so that a change of mind and back finds what was said before. now: each
    entry as it stands; out: the rows that are left out, each with the reason; noisy: whether they may be noisy counts.
    tables: what was said of its groups and questions, by the entry (``table_form``); tabled: under which the table was
    read, and what came out.
    """

    name: str
    data: bytes
    said: dict[tuple[Any, ...], Any] = field(default_factory=dict)
    now: dict[str, Any] = field(default_factory=dict)
    out: dict[int, str] = field(default_factory=dict)
    file: Opened | None = None
    noisy: bool = False
    tables: dict[str, Any] = field(default_factory=dict)
    tabled: tuple[Any, Any] | None = None

    def say(self, entry: str, value: Any) -> None:
        """What an entry is said of is said with it, which else would still be guessed."""
        if (of := _OF[entry]) and _place(of, self.now) not in self.said:
            self.say(of, self.now.get(of))
        self.said[_place(entry, self.now)] = value

    def read(self) -> Understood:
        """What it comes to under what was said."""
        said: dict[str, Any] = {}
        for entry in _OF:
            fits = entry not in COLUMNS or entry in COLUMNS_OF.get(said["layout"], COLUMNS)
            said[entry] = self.said.get(_place(entry, said)) if fits else None
        only, listed = said["only"], said["categories"] or ""
        said["only"] = only and {column: [value for of, value in only if of == column] for column, _ in only}
        said["categories"] = [*filter(None, map(str.strip, listed.splitlines()))] or None
        form = (found := self._fitting(said)).form
        self.out = dict.fromkeys(form.said.leave_out or (), "as said") | form.left_out
        self.now = {
            **dict.fromkeys(("header_row", *COLUMNS), ()),
            **form.entries,
            **{entry: value for entry, value in vars(form.said).items() if value is not None},
        }
        only = [(column, value) for column, values in self.now.get("only") or () for value in values]
        self.now |= {"leave_out": form.suggested["leave_out"], "only": only, "categories": listed}
        return found

    def _fitting(self, said: dict[str, Any]) -> Understood:
        """What does not fit the rest falls back to the guess, in doubt for that reason."""
        found = self._read(Form.checked(said))
        if (refusal := found.refusal) and refusal.entry and said.get(refusal.entry):
            found = self._fitting(said | {refusal.entry: None})
            found.form.doubts.insert(0, Doubt(refusal.entry, None, limits.opened(str(refusal))))
        return found

    def _read(self, said: Form) -> Understood:
        try:
            opening = Form(sheet=said.sheet, encoding=said.encoding)
            if self.file is None or self.file.form.said != opening:
                self.file = None  # one at a time
                self.file = opened(self.data, self.name, opening)
        except CountsError as refusal:
            return Understood(Understanding(said), refusal=refusal.with_traceback(None))
        found = understood(self.file, said)
        if found.counts and (total := sum(found.counts.counts)) > limits.TOTAL_LARGEST:
            return replace(found, counts=None, refusal=CountsError(
                f"the counts may add to at most {limits.TOTAL_LARGEST:,}, got {total:,}."))  # fmt: skip
        return found


def _place(entry: str, now: Mapping[str, Any]) -> tuple[Any, ...]:
    """The entry and all that it is said of, as that stands."""
    return (entry, now.get(_OF[entry]), *_place(_OF[entry], now)) if _OF[entry] else (entry,)


def in_session() -> Brought | None:
    """What was brought and not discarded."""
    found: Brought | None = st.session_state.get(BROUGHT)
    return found
