"""The page Data: what a person brought as cells, the form that says what it is, and beside it what comes out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from dpbi import limits
from dpbi.dashboard.session import address, settings
from dpbi.dashboard.sidebar import data_source, menu
from dpbi.dashboard.words import data as data_words, words
from dpbi.data.files import Counts, CountsError, read_categories
from dpbi.data.files.delimited import CellGrid
from dpbi.data.files.form import COUNTS, RAW, WIDE, Form, Understanding
from dpbi.data.files.reading import Opened, Reading, opened, understood
from dpbi.data.files.tally import single_answers

_BROUGHT, _ROUND = "data: brought", "data: round"
_TOKEN = "_streamlit_xsrf"  # the name of the cookie
FIRST, LAST, COLUMNS, CATEGORIES = 12, 4, 12, 50  # of the cells and of what comes out: how much is in sight
_OFFERED = 150  # rows at each end of the file, and values of a column, to choose from
_ANY_MARK = ".,' \u00a0\u202f"
_OPENING = ("sheet", "encoding")
_NEEDED = ("column", "category_column", "count_column")  # without which nothing is read

Scope = tuple[str | None, ...]  # what an entry is said of: the file (), a sheet, a layout of it or a column


class Found(NamedTuple):
    """What was brought under what was said: opened if it can be, what it comes to, the entries that were taken as said,
    and the sentences about those that do not fit the others."""

    file: Opened | None
    reading: Reading
    said: dict[str, Any]
    fallen: list[str]


@dataclass
class Brought:
    """What a person brought, kept in the session until it is put away, with all that was ever said of it: a change of
    mind and back finds what was said before."""

    place: int
    name: str
    data: bytes
    said: dict[tuple[Scope, str], Any] = field(default_factory=dict)
    versions: dict[str, int] = field(default_factory=dict)
    opened: tuple[Form, Opened] | None = None
    found: Found | None = None

    def of(self, scope: Scope) -> dict[str, Any]:
        return {entry: value for (of, entry), value in self.said.items() if of == scope}

    def say(self, scope: Scope, entry: str, value: Any) -> None:
        self.said[scope, entry] = value
        self.found = None

    def open(self, form: Form) -> Opened:
        if self.opened is None or self.opened[0] != form:
            self.opened = None  # one at a time
            self.opened = (form, opened(self.data, self.name, form))
        return self.opened[1]


def draw() -> None:
    brought: Brought | None = st.session_state.get(_BROUGHT)
    used = settings.get("uploaded") if settings.get("source") == data_source.FILE else None
    if brought is None:
        st.session_state.pop(data_source.WAITING, None)
        if settings.get("source") == data_source.FILE:
            st.info(f"{data_words.used(used)} {data_words.FILE_IS_GONE}" if used else data_words.BRING_AGAIN)
        _bring()
        return
    if brought.found is None:
        brought.found = _found(brought)
    form, outcome = st.columns([3, 2], gap="medium")
    with form:
        _Form(brought, brought.found).draw()
        with st.expander("Bring another file, or paste other cells", type="compact"):
            _bring()
    with outcome:
        _outcome(brought, brought.found, used)


# --- what is brought ---


def _bring() -> None:
    place = st.session_state.setdefault(_ROUND, 0)
    file, cells = st.columns(2)
    with file:
        key = f"data: file {place}"
        st.file_uploader("A table of counts, or one row per person", key=key, on_change=_take_file, args=(key,))
        st.caption(data_words.FORMATS)
        if _will_be_refused():
            st.warning(data_words.UPLOAD_REFUSED)
    with cells:
        key = f"data: cells {place}"
        st.text_area(data_words.PASTE, key=key, height=120, on_change=_take_cells, args=(key,))


def _will_be_refused() -> bool:
    """Whether the browser has kept back the cookie that the server wants with a file, as it does in a frame of another
    site and where a proxy drops it. The server answers such a file with 403, and nothing of that reaches this code."""
    of_browser = "Cookie" in st.context.headers or "User-Agent" in st.context.headers
    return of_browser and st.get_option("server.enableXsrfProtection") and _TOKEN not in st.context.cookies


def _take_file(key: str) -> None:
    file = st.session_state[key]
    if isinstance(file, UploadedFile):  # none, or the mark of a deleted one
        _take(file.name, file.getvalue())


def _take_cells(key: str) -> None:
    if st.session_state[key].strip():
        _take(data_words.PASTED_NAME, st.session_state[key].encode())


def _take(name: str, data: bytes) -> None:
    """Another file: what was said of the one before does not carry over. The uploader and the field begin anew."""
    st.session_state[_ROUND] += 1
    st.session_state[_BROUGHT] = Brought(st.session_state[_ROUND], name, data)


def _put_away() -> None:
    """Lets go of the file, its cells and what was said of it; the counts in use stay."""
    st.session_state.pop(_BROUGHT, None)


def _found(brought: Brought) -> Found:
    fallen: list[str] = []

    def fits(said: dict[str, Any], refusal: CountsError | None) -> bool:
        """Whether all that was said has something in the file to be said of; what has not is taken back."""
        if refusal is None or refusal.entry not in said:
            return True
        fallen.append(f"{words.opened(refusal)} {data_words.FALLEN_BACK}")
        del said[refusal.entry]
        return False

    said = brought.of(())
    while True:
        try:
            file = brought.open(Form.checked(said))
            break
        except CountsError as refusal:
            if fits(said, refusal):
                refused = Reading(Understanding(Form()), refusal=refusal.with_traceback(None))
                return Found(None, refused, said, fallen)
    said |= brought.of((file.sheet,))
    said |= brought.of((file.sheet, said.get("layout")))
    kept = brought.of((file.sheet, "only", said.pop("only", None))).get("kept")
    if kept:
        said["only"] = kept
    if "categories" not in said:
        said.pop("unlisted", None)
    open_ended = {entry: said.pop(entry) for entry in _NEEDED if said.get(entry) == ()}
    reading = understood(file, Form.checked(said))
    while not fits(said, reading.refusal):
        reading = understood(file, Form.checked(said))
    total = sum(reading.counts.counts) if reading.counts else 0
    if open_ended:
        reading = replace(reading, counts=None, refusal=CountsError(data_words.SAY_A_COLUMN))
    elif total > limits.TOTAL_LARGEST:
        most = f"they may add to at most {limits.TOTAL_LARGEST:,}, got {total:,}."
        reading = replace(reading, counts=None, refusal=CountsError(f"the counts are too large: {most}"))
    return Found(file, reading, said | open_ended, fallen)


# --- the form ---


class _Form:
    """The cells and the entries, each as it stands: said, or guessed with the reason where that is in doubt."""

    def __init__(self, brought: Brought, found: Found) -> None:
        self.brought, self.found = brought, found
        self.file, self.reading = found.file, found.reading
        self.now = self.reading.suggested | found.said
        self.layout = self.now.get("layout")
        self.sheet: Scope = (self.file.sheet,) if self.file else ()
        self.doubts: dict[str, list[str]] = {}
        for doubt in self.reading.open:
            self.doubts.setdefault(doubt.entry, []).append(doubt.reason)
        self.columns: dict[Any, str] = {}
        if self.reading.table is not None:
            titles = [column.title for column in self.reading.table.columns]
            self.columns = dict(zip(self.reading.table.keys, titles, strict=True))

    def draw(self) -> None:
        if self.file is not None:
            self._cells(self.file)
            self._rows(self.file)
        if self.columns:
            self._roles()
            self._filter()
            self._public_list()
        if self.file is None or self.file.file_format == "text":
            self._letters()

    def _cells(self, file: Opened) -> None:
        content = file.content
        numbers = content.rows
        at = range(len(numbers))
        shown = [*at[:FIRST], *at[max(FIRST, len(at) - LAST) :]]
        columns = [cells[:] if len(at) < 1 else [cells[i] for i in shown] for cells in file.columns[:COLUMNS]]
        rows = [[f"{numbers[i]:,}", self._taken_for(numbers[i])] for i in shown]
        rows = [[*row, *(words.escape(cells[j], 30) for cells in columns)] for j, row in enumerate(rows)]
        if not isinstance(content, CellGrid):
            names = [words.escape(column.title, 30) for column in content.columns[:COLUMNS]]
            rows.insert(0, ["", "names", *names])
        letters = [words.column_letter(j) for j in range(len(columns))]
        table = pd.DataFrame(rows, columns=["Row", "Taken for", *letters])
        st.markdown(f"**{words.escape(self.brought.name)}**")
        st.table(table, hide_index=True, height=190, width="stretch", border="horizontal",
                 alt="The first and last rows as they stand in the file")  # fmt: skip
        if len(shown) < len(at) or len(columns) < len(file.columns):
            st.caption(f"{len(shown):,} of {len(at):,} filled rows, {len(columns):,} of {len(file.columns):,} columns.")

    def _taken_for(self, row: int) -> str:
        if row in _listed(self.now.get("header_row")):
            return "names"
        left_out = row in self.reading.form.left_out or row in _listed(self.now.get("leave_out"))
        return "left out" if left_out else ""

    def _rows(self, file: Opened) -> None:
        places = self._places()
        if len(file.sheets) > 1:
            self._one(next(places), "sheet", {name: name for name in file.sheets}, ())
        grid = isinstance(file.content, CellGrid)
        numbers = file.content.rows
        offered = [*range(len(numbers))[:_OFFERED], *range(len(numbers))[max(_OFFERED, len(numbers) - _OFFERED) :]]
        rows = {numbers[i]: self._row(file, i) for i in offered}
        rows |= {row: f"{row:,}" for row in _listed(self.now.get("leave_out")) if row not in rows}
        if grid:
            self._several(next(places), "header_row", rows, self.sheet, data_words.NO_HEADER)
        self._several(next(places), "leave_out", rows, self.sheet, "None")

    def _row(self, file: Opened, i: int) -> str:
        cells = (column[i].strip() for column in file.columns[:COLUMNS])
        return f"{file.content.rows[i]:,}: {words.plain(', '.join(filter(None, cells)), 40)}"

    def _roles(self) -> None:
        place = st.container()
        with place:
            layouts = data_words.CHOICES["layout"]
            label, _ = data_words.ENTRIES["layout"]
            index = [*layouts].index(self.layout) if self.layout else None
            st.radio(label, layouts, index, format_func=layouts.get, horizontal=True,
                     **self._tied("layout", self.layout, self.sheet))  # fmt: skip
            self._beside("layout", "")
        if self.layout is None:
            return
        places, of = self._places(), (*self.sheet, self.layout)
        if self.layout == RAW:
            self._several(next(places), "column", self.columns, of)
            self._of_people(places, of)
            return
        if self.layout == COUNTS:
            self._several(next(places), "category_column", self.columns, of)
        self._several(next(places), "count_column", self.columns, of)
        if self.layout == WIDE or len(self.columns) > 2:
            self._several(next(places), "group_column", self.columns, of, "None")
        roles = self.reading.roles
        groups = [key for key in dict.fromkeys(roles.keys if roles else ()) if key]
        if len(groups) > 1:
            self._one(next(places), "group", data_words.CHOICES["group"] | {key: key for key in groups}, of)
        counts = [cell for column in roles.counts for cell in column.sample] if roles else []
        if "thousands" in self.now or any(mark in cell.strip() for cell in counts for mark in _ANY_MARK):
            self._one(next(places), "thousands", data_words.CHOICES["thousands"], of)
        if "confirm_percentages" in self.now:
            self._one(next(places), "confirm_percentages", data_words.CHOICES["confirm_percentages"], of)

    def _of_people(self, places: Iterator[Any], of: Scope) -> None:
        read = self.reading.roles.categories if self.reading.roles else ()
        if "missing" in self.found.said or any(not cell.strip() for column in read for cell in column.cells):
            self._one(next(places), "missing", data_words.CHOICES["missing"], of)
        answers = single_answers(set(read[0].sample)) if len(read) == 1 else []
        if answers or "chosen" in self.now:
            answers = sorted({*answers, *_listed(self.now.get("chosen"))})
            named: dict[Any, str] = {None: "each combination is a category"}
            named |= {one: f"only {words.plain(one)}: yes or no" for one in answers}
            self._one(next(places), "chosen", named, of)

    def _filter(self) -> None:
        only = self.brought.of(self.sheet).get("only")
        with st.expander("Only some of the rows" + (" (in use)" if "only" in self.found.said else ""), type="compact"):
            places = self._places()
            self._one(next(places), "only", {None: "All rows"} | self.columns, self.sheet, only)
            if only is None or self.file is None:
                return
            position = next((c.position for c in self.reading.table.columns if self.columns
                             and self.reading.table.key(c) == only), 0)  # fmt: skip
            cells = self.file.columns[position - 1] if position else []
            out = {*_listed(self.now.get("header_row")), *self.reading.form.left_out}
            values = dict.fromkeys(cell for cell, row in zip(cells, self.file.content.rows, strict=False)
                                   if row not in out and cell.strip())  # fmt: skip
            of = (*self.sheet, "only", only)
            kept = [value for _, said in (self.brought.of(of).get("kept") or ()) for value in said]
            offered = {value: words.plain(value) for value in [*kept, *values][: _OFFERED + len(kept)]}
            self._several(next(places), "kept", offered, of, "All rows", kept, lambda said: ((only, tuple(said)),))

    def _public_list(self) -> None:
        now = self.now.get("categories")
        with st.expander("The public list of categories" + (" (in use)" if now else ""), type="compact"):
            st.caption(words.LIST_GIVEN if now else words.LIST_FROM_DATA)
            label, help = data_words.ENTRIES["categories"]
            text = "\n".join(now or ())
            st.text_area(label, text, height=120, **self._tied("categories", text, self.sheet, _lines))
            self._beside("categories", help)
            key = f"data: list {self.brought.place}"
            st.file_uploader("Or a file with one column", key=key, on_change=self._take_list, args=(key,))
            if refusal := st.session_state.pop(f"{key}: refusal", ""):
                st.error(refusal)
        if "unlisted" in self.now:
            self._one(st.container(), "unlisted", data_words.CHOICES["unlisted"], self.sheet)

    def _take_list(self, key: str) -> None:
        file = st.session_state[key]
        if not isinstance(file, UploadedFile):
            return
        try:
            self.brought.say(self.sheet, "categories", read_categories(file.getvalue(), file.name))
        except CountsError as refusal:
            st.session_state[f"{key}: refusal"] = words.opened(refusal)

    def _letters(self) -> None:
        now = self.now.get("encoding")
        names = data_words.ENCODINGS | ({now: now} if now and now not in data_words.ENCODINGS else {})
        with st.expander("Letters that look wrong", expanded=self.file is None, type="compact"):
            self._one(st.container(), "encoding", names, ())

    # --- one entry ---

    def _places(self) -> Iterator[Any]:
        """Where the entries go, two in a row."""
        while True:
            yield from st.columns(2)

    def _one(self, place: Any, entry: str, choices: dict[Any, str], scope: Scope, now: Any = None) -> None:
        now = self.now.get(entry) if now is None else now
        label, help = data_words.ENTRIES[entry]
        with place:
            index = [*choices].index(now) if now in choices else None
            st.selectbox(label, choices, index, format_func=lambda choice: words.plain(choices[choice]),
                         placeholder="As guessed", **self._tied(entry, now, scope))  # fmt: skip
            self._beside(entry, help)

    def _several(
        self, place: Any, entry: str, choices: dict[Any, str], scope: Scope, none: str = "Choose",
        now: list[Any] | None = None, read: Callable[[Any], Any] = tuple,
    ) -> None:  # fmt: skip
        now = _listed(self.now.get(entry)) if now is None else now
        if entry == "header_row":
            now = [row for row in now if row]
        now = [one for one in now if one in choices]
        label, help = data_words.ENTRIES[entry]
        if entry == "count_column" and self.layout == WIDE:
            label, help = data_words.COUNTS_OF_GROUPS
        with place:
            st.multiselect(label, choices, now, lambda choice: words.plain(choices[choice]), placeholder=none,
                           **self._tied(entry, now, scope, read))  # fmt: skip
            self._beside(entry, help)

    def _beside(self, entry: str, help: str) -> None:
        """The reason of a guess that is in doubt, else a line of help."""
        reasons = " ".join(self.doubts.get(entry, ()))
        if reasons:
            st.markdown(f":small[**Guessed.** {words.escape(reasons, words.SENTENCE_LENGTH)}]")
        elif help:
            st.caption(help)

    def _tied(
        self, entry: str, now: Any, scope: Scope, read: Callable[[Any], Any] = lambda value: value
    ) -> dict[str, Any]:
        """The arguments that tie a widget to an entry of this very file. One that has come to stand otherwise than its
        widget shows gets a new widget, as in ``settings.entry``."""
        versions = self.brought.versions
        key = f"data: {self.brought.place} {entry} {versions.setdefault(entry, 0)}"
        if st.session_state.get(key, now) != now:
            versions[entry] += 1
            key = f"data: {self.brought.place} {entry} {versions[entry]}"

        def take() -> None:
            if self.layout and len(scope) == 2:  # an entry of this layout is said of no other
                self.brought.say(self.sheet, "layout", self.layout)
            self.brought.say(scope, entry, read(st.session_state[key]))

        return {"key": key, "on_change": take}


def _lines(text: str) -> tuple[str, ...] | None:
    return tuple(line.strip() for line in text.splitlines() if line.strip()) or None


def _listed(value: Any) -> list[Any]:
    """The columns or rows of an entry, of which one stands alone."""
    return list(value) if isinstance(value, tuple) else [] if value is None else [value]


# --- what comes out ---


def _outcome(brought: Brought, found: Found, used: dict[str, Any] | None) -> None:
    counts, refusal = found.reading.counts, found.reading.refusal
    if counts is not None:
        st.subheader(data_words.comes_to(len(counts.labels), sum(counts.counts)))
    elif refusal is not None:
        st.error(words.opened(refusal))
    in_use = counts is not None and used is not None and _same(used, counts)
    st.session_state[data_source.WAITING] = "" if in_use else brought.name
    with st.container(horizontal=True):
        st.button("Use these counts", type="primary", disabled=counts is None or in_use, on_click=_use,
                  args=(brought, counts))  # fmt: skip
        st.button("Discard the file", on_click=_put_away)
    if in_use:
        st.success(data_words.IN_USE)
        with st.container(horizontal=True):
            for title in ("Home", "Release"):
                st.page_link(menu.page(title).path, label=title, query_params=address.elsewhere(on_tour=False))
    elif used:
        st.warning(data_words.still_used(used))
    for sentence in found.fallen:
        st.warning(sentence)
    if counts is not None:
        _table(counts)
    for row, why in _left_out(found.reading):
        st.caption(f"Left out: {row}: {why}.")
    for remark in found.reading.form.remarks:
        st.warning(words.escape(remark, words.SENTENCE_LENGTH))
    if counts is not None:
        with st.expander("The same in Python", type="compact"):
            st.code(_call(brought.name, found.reading.suggested), language="python", wrap_lines=True)


def _table(counts: Counts) -> None:
    k = len(counts.labels)
    names = [words.escape(label) for label in counts.labels[:CATEGORIES]]
    table = pd.DataFrame({"Category": names, "Count": [f"{count:,}" for count in counts.counts[:CATEGORIES]]})
    st.table(table, hide_index=True, border="horizontal", height=min(40 * len(table) + 42, 300),
             alt="The categories and counts that come out")  # fmt: skip
    if k > CATEGORIES:
        st.caption(f"The first {CATEGORIES} of {k:,} categories.")


def _left_out(reading: Reading) -> list[tuple[str, str]]:
    """The rows that are left out by the reason."""
    by_reason: dict[str, list[int]] = {}
    for row, why in sorted(reading.form.left_out.items()):
        by_reason.setdefault(why, []).append(row)
    return [(f"row{'s' if len(rows) > 1 else ''} {words.listed(f'{row:,}' for row in rows[:8])}"
             + (f" and {len(rows) - 8:,} more" if len(rows) > 8 else ""), why) for why, rows in by_reason.items()]  # fmt: skip


def _same(used: dict[str, Any], counts: Counts) -> bool:
    return used["labels"] == list(counts.labels) and used["counts"] == list(counts.counts)


def _use(brought: Brought, counts: Counts) -> None:
    settings.keep("source", data_source.FILE)
    settings.keep("uploaded", {"name": brought.name, "labels": list(counts.labels), "counts": list(counts.counts),
                               "reading": _call(brought.name, dict(counts.form))})  # fmt: skip


def _call(name: str, suggested: dict[str, Any]) -> str:
    """The call that reads the file again in the same way."""
    said = "".join(f", {entry}={value!r}" for entry, value in suggested.items())
    return f"dpbi.read_counts(open({name!r}, 'rb').read(), {name!r}{said})"
