"""The page Data: what a person brought as cells, the form that says what it is, and beside it what comes out."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

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
from dpbi.data.files.reading import Opened, Understood, opened, understood
from dpbi.data.files.tally import single_answers

_BROUGHT, _ROUND = "data: brought", "data: round"
_TOKEN = "_streamlit_xsrf"  # the name of the cookie
FIRST, LAST, COLUMNS, CATEGORIES = 12, 4, 12, 50  # of the cells and of what comes out: how much is shown
OFFERED = 150  # rows at each end of the file, and values of a column, to choose from
_MARKS = ".,' \u00a0\u202f"  # that thousands may be marked by
_FOLDED = ("encoding", "only", "kept", "categories")  # what few files need
_COLUMNS = {
    RAW: ("column",),
    COUNTS: ("category_column", "count_column", "group_column"),
    WIDE: ("count_column", "group_column"),
}
_OF_A_LAYOUT = {*_COLUMNS[RAW], *_COLUMNS[COUNTS], "group", "thousands", "confirm_percentages", "missing", "chosen"}


@dataclass
class Brought:
    """A file or pasted cells, kept in the session until put away, with all that was ever said of it by what it was said
    of (the file, a sheet, a layout or column of it), so that a change of mind and back finds what was said before.

    opening: the entries that it was opened with; now: each entry as it stands; fallen: sentences about what was said
    and does not fit the rest of the form.
    """

    place: int
    name: str
    data: bytes
    said: dict[tuple[Any, ...], Any] = field(default_factory=dict)
    versions: dict[str, int] = field(default_factory=dict)
    file: Opened | None = None
    opening: Form | None = None
    now: dict[str, Any] = field(default_factory=dict)
    fallen: list[str] = field(default_factory=list)

    @property
    def sheet(self) -> str | None:
        return self.file.sheet if self.file else None

    def of(self, *scope: Any) -> dict[str, Any]:
        return {entry: value for (*of, entry), value in self.said.items() if of == [*scope]}

    def say(self, entry: str, value: Any) -> None:
        """An entry of a layout, and values of a column, are said with that, which else would still be guessed."""
        of_sheet: tuple[Any, ...] = (self.sheet,)
        within = "layout" if entry in _OF_A_LAYOUT else "only" if entry == "kept" else ""
        if within:
            self.said[*of_sheet, within] = self.now.get(within)
            of_sheet = (self.sheet, within, self.now.get(within))
        self.said[*(() if entry in ("sheet", "encoding") else of_sheet), entry] = value
        self.fallen = []

    def read(self) -> Understood:
        """What it comes to under what was said; what does not fit the rest falls back to the guess."""
        said = self.of()
        sheet = said.get("sheet", self.sheet)
        said |= self.of(sheet)
        said |= self.of(sheet, "layout", said.get("layout"))
        column = said.get("only")
        kept = self.of(sheet, "only", column).get("kept")
        said |= {"only": {column: kept} if kept else {}} if "only" in said else {}
        said["unlisted"] = said.get("categories") and said.get("unlisted")
        found = self._read(Form.checked(said))
        while (refusal := found.refusal) and refusal.entry and said.get(refusal.entry):
            self.fallen.append(f"{words.opened(refusal)} {data_words.FALLEN_BACK}")
            said[refusal.entry] = None
            found = self._read(Form.checked(said))
        self.now = found.suggested | {entry: value for entry, value in said.items() if value is not None}
        only, kept = next(iter(found.suggested.get("only", {}).items()), (column, ()))
        self.now |= {"only": only, "kept": tuple(_listed(kept))}
        return found

    def _read(self, said: Form) -> Understood:
        opening = Form(sheet=said.sheet, encoding=said.encoding)
        try:
            if self.file is None or self.opening != opening:
                self.file = None  # one at a time
                self.file, self.opening = opened(self.data, self.name, said), opening
        except CountsError as refusal:
            return Understood(Understanding(said), refusal=refusal.with_traceback(None))
        found = understood(self.file, said)
        total = sum(found.counts.counts) if found.counts else 0
        if total > limits.TOTAL_LARGEST:
            found = replace(found, counts=None, refusal=CountsError(data_words.too_large(total)))
        return found

    def out(self, reading: Understood) -> dict[int, str]:
        """The rows that are left out, each with the reason."""
        return dict.fromkeys(_listed(self.now.get("leave_out")), "as said") | reading.form.left_out


def draw() -> None:
    brought: Brought | None = st.session_state.get(_BROUGHT)
    used = settings.get("uploaded") if settings.get("source") == data_source.FILE else None
    st.session_state[data_source.WAITING] = brought.name if brought else ""
    if brought is None:
        if settings.get("source") == data_source.FILE:
            st.info(f"{data_words.used(used)} {data_words.FILE_IS_GONE}" if used else data_words.BRING_AGAIN)
        _bring()
        return
    reading = brought.read()
    form, outcome = st.columns([3, 2], gap="medium")
    with form.container(key="form"):
        _cells(brought, reading)
        asked = {doubt.entry for doubt in reading.open} | {entry for entry in _FOLDED[1:] if brought.now.get(entry)}
        entries, more = st.container(horizontal=True), brought.file is None or not asked.isdisjoint(_FOLDED)
        fold = st.expander(data_words.MORE, expanded=more, type="compact")
        folded = fold.container(horizontal=True)
        for entry, choices in _asked(brought, reading).items():
            with folded if entry in _FOLDED else entries:
                _entry(brought, reading, entry, choices)
        key = f"data: list {brought.place}"
        fold.file_uploader("Or a file with one column", key=key, on_change=_take_list, args=(brought, key))
        with st.expander("Bring another file, or paste other cells", type="compact"):
            _bring()
    with outcome.container(key="outcome"):
        _outcome(brought, reading, used)


# --- what is brought ---


def _bring() -> None:
    place = st.session_state.setdefault(_ROUND, 0)
    file, cells = st.columns(2)
    file.file_uploader("A table of counts, or one row per person", key=f"data: file {place}", on_change=_take,
                       args=(f"data: file {place}",), help=data_words.FORMATS)  # fmt: skip
    if _will_be_refused():
        file.warning(data_words.UPLOAD_REFUSED)
    cells.text_area(data_words.PASTE, key=f"data: cells {place}", height=120, on_change=_take,
                    args=(f"data: cells {place}",))  # fmt: skip


def _will_be_refused() -> bool:
    """Whether the browser has kept back the cookie that the server wants with a file, as it does in a frame of another
    site and where a proxy drops it. The server answers such a file with 403, and nothing of that reaches this code."""
    of_browser = "Cookie" in st.context.headers or "User-Agent" in st.context.headers
    return of_browser and st.get_option("server.enableXsrfProtection") and _TOKEN not in st.context.cookies


def _take(key: str) -> None:
    """Another file, or cells: what was said of the one before does not carry over. Uploader and field begin anew."""
    given = st.session_state[key]
    file = (given.name, given.getvalue()) if isinstance(given, UploadedFile) else (data_words.PASTED, given.encode())
    st.session_state[_ROUND] += 1
    st.session_state[_BROUGHT] = Brought(st.session_state[_ROUND], *file)


def _take_list(brought: Brought, key: str) -> None:
    file = st.session_state[key]
    if isinstance(file, UploadedFile):  # none, or the mark of a deleted one
        try:
            brought.say("categories", read_categories(file.getvalue(), file.name))
        except CountsError as refusal:
            brought.fallen = [words.opened(refusal)]


def _cells(brought: Brought, reading: Understood) -> None:
    """The first and last rows as they stand in the file, with the names that its format has for the columns."""
    st.markdown(f"**{words.escape(brought.name)}**")
    if brought.file is None:
        return
    rows, cells, many = brought.file.content.rows, _first_cells(brought.file), len(brought.file.content.columns)
    at, header = _ends(len(rows), FIRST, LAST), _listed(brought.now.get("header_row"))
    taken = dict.fromkeys(brought.out(reading), "left out") | dict.fromkeys(header, "names")
    shown = {"Row": [f"{rows[i]:,}" for i in at], "Taken for": [taken.get(rows[i], "") for i in at]}
    shown |= {title: [words.escape(column[i], 30) for i in at] for title, column in cells.items()}
    st.table(pd.DataFrame(shown), hide_index=True, border="horizontal",
             alt="The first and last rows as they stand in the file")  # fmt: skip
    st.caption(f"{len(at):,} of {len(rows):,} filled rows, {len(cells):,} of {many:,} columns.")


def _first_cells(file: Opened) -> dict[str, list[str]]:
    """The cells of the first columns by their letters, with the names of a format that has such."""
    content = file.content
    if isinstance(content, CellGrid):
        return {words.column_letter(j): cells for j, cells in enumerate(content.columns[:COLUMNS])}
    return {f"{words.column_letter(j)}: {words.escape(column.title, 30)}": column.cells
            for j, column in enumerate(content.columns[:COLUMNS])}  # fmt: skip


def _ends(many: int, first: int, last: int) -> list[int]:
    return [*range(min(first, many)), *range(max(first, many - last), many)]


# --- the form ---


def _asked(brought: Brought, reading: Understood) -> dict[str, Mapping[Any, str]]:
    """The entries that matter to the file as it is understood now, in their order, each with what can be chosen."""
    file, table, roles, now = brought.file, reading.table, reading.roles, brought.now
    choices, layout = data_words.CHOICES, now.get("layout", "")
    if file is None:
        return {"encoding": choices["encoding"]}
    numbers, cells = file.content.rows, _first_cells(file).values()
    rows = {row: f"{row:,}" for row in brought.out(reading)} | {
        numbers[i]: f"{numbers[i]:,}: {', '.join(filter(None, (column[i].strip() for column in cells)))}"
        for i in _ends(len(numbers), OFFERED, OFFERED)
    }
    rows = dict(sorted(rows.items()))
    columns = dict(zip(table.keys, (column.title for column in table.columns), strict=True)) if table else {}
    groups = dict.fromkeys(filter(None, roles.keys if roles else ()))
    counts = [cell.strip() for column in (roles.counts if roles else ()) for cell in column.sample]
    answered = roles.categories if roles and layout == RAW else ()
    single = single_answers(set(answered[0].sample)) if len(answered) == 1 else []
    values = map(str.strip, table.found(now["only"], "only").cells if table and now["only"] in columns else ())
    matter: dict[str, Mapping[Any, str]] = {
        "sheet": dict(zip(file.sheets, file.sheets, strict=True)) if len(file.sheets) > 1 else {},
        "header_row": rows if isinstance(file.content, CellGrid) else {},
        "leave_out": rows,
        "layout": choices["layout"] if columns else {},
        **dict.fromkeys(_COLUMNS.get(layout, ())[: len(columns)], columns),
        "group": choices["group"] | dict(zip(groups, groups, strict=True)) if len(groups) > 1 else {},
        "thousands": choices["thousands"] if any(mark in cell for cell in counts for mark in _MARKS) else {},
        "confirm_percentages": choices["confirm_percentages"] if "confirm_percentages" in now else {},
        "missing": choices["missing"] if any(not cell.strip() for one in answered for cell in one.cells) else {},
        "chosen": choices["chosen"] | {one: f"only {one}, as yes or no" for one in single} if single else {},
        "unlisted": choices["unlisted"] if "unlisted" in now else {},
        "only": choices["only"] | columns,
        "kept": {value: value for value in [*[*dict.fromkeys(filter(None, values))][:OFFERED], *now["kept"]]},
        "encoding": {**choices["encoding"], file.encoding: choices["encoding"].get(file.encoding, file.encoding)}
        if file.encoding else {},
        "categories": choices["categories"],
    }
    return {entry: offered for entry, offered in matter.items() if offered}


def _entry(brought: Brought, reading: Understood, entry: str, choices: Mapping[Any, str]) -> None:
    """One entry as it stands, with the reason of a guess that is in doubt, else a line of help."""
    wide = entry == "count_column" and brought.now["layout"] == WIDE
    label, help, none = data_words.ENTRIES["columns" if wide else entry]
    now = brought.now.get(entry)
    stands = [one for one in _listed(now) if one in choices]
    one = stands[0] if stands else None
    index = [*choices].index(one) if one in choices else None
    written = {choice: words.plain(said, 40) for choice, said in choices.items()}.__getitem__
    with st.container():
        if entry == "categories":
            text = "\n".join(now or ())
            st.text_area(label, text, height=120, **_tied(brought, entry, text, choices))
        elif none:
            st.multiselect(label, choices, stands, written, placeholder=none, **_tied(brought, entry, stands, choices))
        elif entry == "layout":
            st.radio(label, choices, index, written, horizontal=True, **_tied(brought, entry, one, choices))
        else:
            st.selectbox(label, choices, index, written, **_tied(brought, entry, one, choices))
        reasons = " ".join(doubt.reason for doubt in reading.open if doubt.entry == entry)
        said = f"**Guessed.** {words.escape(reasons, words.SENTENCE_LENGTH)}" if reasons else help
        st.caption(said)


def _tied(brought: Brought, entry: str, now: Any, choices: Mapping[Any, str]) -> dict[str, Any]:
    """The arguments that tie a widget to an entry of this very file. One that has come to stand otherwise than its
    widget shows gets a new widget, as in ``settings.entry``; and so does one of other choices: a browser keeps their
    names."""
    key = f"data: {brought.place} {entry} {brought.versions.setdefault(entry, 0)} {hash(tuple(choices.items()))}"
    if st.session_state.get(key, now) != now:
        brought.versions[entry] += 1
        return _tied(brought, entry, now, choices)

    def take() -> None:
        value = st.session_state[key]
        if entry == "categories":
            value = [line.strip() for line in value.splitlines() if line.strip()] or None
        brought.say(entry, tuple(value) if isinstance(value, list) else value)

    return {"key": key, "on_change": take}


def _listed(value: Any) -> list[Any]:
    """The columns or rows of an entry, of which one stands alone."""
    return list(value) if isinstance(value, tuple) else [] if value is None else [value]


# --- what comes out ---


def _outcome(brought: Brought, reading: Understood, used: dict[str, Any] | None) -> None:
    counts, refusal = reading.counts, reading.refusal
    if counts is not None:
        st.subheader(data_words.comes_to(counts.labels, counts.counts))
    elif refusal is not None:
        st.error(words.opened(refusal))
    _use_or_discard(brought, counts, used)
    for sentence in dict.fromkeys(brought.fallen):
        st.warning(sentence)
    guessed = dict.fromkeys(data_words.ENTRIES[doubt.entry][0] for doubt in reading.open)
    if guessed:
        st.caption(f"**Guessed, with the reason beside it:** {', '.join(guessed)}.")
    if counts is not None:
        names = [words.escape(label) for label in counts.labels[:CATEGORIES]]
        numbers = [f"{count:,}" for count in counts.counts[:CATEGORIES]]
        st.table(pd.DataFrame({"Category": names, "Count": numbers}), hide_index=True, border="horizontal",
                 alt="The categories and counts that come out")  # fmt: skip
        if len(counts.labels) > CATEGORIES:
            st.caption(f"The first {CATEGORIES} of {len(counts.labels):,} categories.")
        if "categories" in brought.now or counts.layout != RAW:  # of people's answers a remark says so
            st.caption(words.LIST_GIVEN if "categories" in brought.now else words.LIST_FROM_DATA)
        with st.expander("The same in Python", type="compact"):
            st.code(_used(brought, counts)["reading"], language="python", wrap_lines=True)
    for remark in data_words.left_out(brought.out(reading)) + reading.form.remarks:
        st.caption(words.escape(remark, words.SENTENCE_LENGTH))


def _use_or_discard(brought: Brought, counts: Counts | None, used: dict[str, Any] | None) -> None:
    in_use = counts is not None and used is not None and used | _used(brought, counts) == used
    with st.container(horizontal=True):
        st.button("Use these counts", type="primary", disabled=counts is None or in_use, on_click=_use,
                  args=(brought, counts))  # fmt: skip
        st.button("Discard the file", on_click=st.session_state.pop, args=(_BROUGHT,))
    if in_use:
        st.session_state[data_source.WAITING] = ""
        st.success(data_words.IN_USE)
        st.page_link(menu.page("Home").path, label=data_words.ON, query_params=address.elsewhere(on_tour=False))
    elif used:
        st.warning(f"{data_words.used(used)} {data_words.KEPT}")


def _used(brought: Brought, counts: Counts) -> dict[str, Any]:
    """The setting that puts the counts into use, with the call that reads the file again in the same way."""
    said = "".join(f", {entry}={value!r}" for entry, value in counts.form)
    call = f"dpbi.read_counts(open({brought.name!r}, 'rb').read(), {brought.name!r}{said})"
    return {"name": brought.name, "labels": [*counts.labels], "counts": [*counts.counts], "reading": call}


def _use(brought: Brought, counts: Counts) -> None:
    settings.keep("source", data_source.FILE)
    settings.keep("uploaded", _used(brought, counts))
