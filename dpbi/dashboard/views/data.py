"""The page Data: what a person brought as cells, the form that says what it is, and beside it what comes out."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

import streamlit as st

from dpbi import limits
from dpbi.dashboard.session import address, settings
from dpbi.dashboard.sidebar import data_source, menu
from dpbi.dashboard.words import data as data_words, words
from dpbi.data.files import Counts, CountsError, Doubt
from dpbi.data.files.form import COLUMNS, COUNTS, RAW, WIDE, Form, Understanding
from dpbi.data.files.reading import Opened, Understood, opened, understood
from dpbi.data.files.table import Table
from dpbi.data.files.tally import single_answers

BROUGHT = "data: brought"
# How many rows and columns of the cells are shown; how many rows at each end, and values of a column, can be chosen.
FIRST, LAST, BESIDE, OFFERED = 12, 4, 12, 150
_COLUMNS_OF = {
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
    """

    name: str
    data: bytes
    said: dict[tuple[Any, ...], Any] = field(default_factory=dict)
    now: dict[str, Any] = field(default_factory=dict)
    out: dict[int, str] = field(default_factory=dict)
    file: Opened | None = None
    noisy: bool = False

    def say(self, entry: str, value: Any) -> None:
        """What an entry is said of is said with it, which else would still be guessed."""
        if (of := _OF[entry]) and _place(of, self.now) not in self.said:
            self.say(of, self.now.get(of))
        self.said[_place(entry, self.now)] = value

    def read(self) -> Understood:
        """What it comes to under what was said."""
        said: dict[str, Any] = {}
        for entry in _OF:
            fits = entry not in COLUMNS or entry in _COLUMNS_OF.get(said["layout"], COLUMNS)
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


def draw() -> None:
    brought = in_session()
    used = settings.get("uploaded") if settings.get("source") == data_source.FILE else None
    if brought is None:
        _bring(used)
    else:
        reading = brought.read()
        form, outcome = st.columns([3, 2], gap="medium")
        with form.container(key="form"):
            _form(brought, reading)
        with outcome.container(key="outcome"):
            _outcome(brought, reading, used)


# --- what is brought ---


def _bring(used: dict[str, Any] | None) -> None:
    if settings.get("source") == data_source.FILE:
        st.info(f"{data_words.used(used)} {data_words.BRING_AGAIN}")
    st.file_uploader("A table of counts, or one row per person", key="data: file", on_change=_take,
                     args=("data: file",), help="CSV, TSV, Excel, OpenDocument or Parquet. It is read in memory and "
                     "kept in this session alone, until you discard it.")  # fmt: skip
    say_if_files_are_refused()
    st.text_area("Or paste cells, as a spreadsheet copies them", key="data: cells", height=120, on_change=_take,
                 args=("data: cells",))  # fmt: skip


def say_if_files_are_refused() -> None:
    """Before a file is chosen in vain."""
    # The server answers a file with 403 where the browser has kept back its cookie, as it does in a frame of another
    # site and where a proxy drops it, and nothing of that reaches this code.
    if (st.get_option("server.enableXsrfProtection") and "_streamlit_xsrf" not in st.context.cookies
            and "User-Agent" in st.context.headers):  # fmt: skip
        st.warning(data_words.UPLOAD_REFUSED)


def _take(key: str) -> None:
    given = st.session_state[key]
    st.session_state[BROUGHT] = (Brought("pasted.txt", given.encode()) if isinstance(given, str) else
                                  Brought(given.name, given.getvalue()))  # fmt: skip


# --- the form ---


def _form(brought: Brought, reading: Understood) -> None:
    st.markdown(f"**{words.escape(brought.name)}**")
    if brought.file:
        _cells(brought, brought.file, reading.table)
    with st.container(horizontal=True):
        for entry, choices in _asked(brought, reading).items():
            _entry(brought, reading, entry, choices)


def _cells(brought: Brought, file: Opened, table: Table | None) -> None:
    """The first and last rows as they stand in the file, by the names that its format has for the columns."""
    rows, columns = file.content.rows, file.columns[:BESIDE]
    at = [i for i in range(len(rows)) if i < FIRST or i >= len(rows) - LAST]
    taken = dict.fromkeys(brought.out, "left out") | dict.fromkeys(brought.now["header_row"], "names")
    shown = {"Row": [f"{rows[i]:,}" for i in at], "Taken for": [taken.get(rows[i], "") for i in at]}
    for j, cells in enumerate(columns):
        name = f": {words.escape(table.columns[j].title, 30)}" if table and file.file_format == "parquet" else ""
        shown[words.column_letter(j) + name] = [words.escape(cells[i], 30) for i in at]
    st.table(shown, hide_index=True, border="horizontal", alt="The first and last rows as they stand in the file")
    st.caption(f"{len(at):,} of {len(rows):,} filled rows, {len(columns):,} of {len(file.columns):,} columns.")


def _asked(brought: Brought, reading: Understood) -> dict[str, Mapping[Any, str]]:
    """The entries that matter to the file as it is understood now, in their order, each with what can be chosen."""
    if (file := brought.file) is None:
        return {"encoding": data_words.CHOICES["encoding"]}
    table, roles, now, choices = reading.table, reading.roles, brought.now, data_words.CHOICES
    rows = {row: f"{row:,}: {', '.join(filter(None, (cells[i].strip() for cells in file.columns[:BESIDE])))}"
            for i, row in enumerate(file.content.rows)
            if i < OFFERED or i >= len(file.content.rows) - OFFERED or row in brought.out}  # fmt: skip
    by_key = {table.keys[column]: column for column in table.columns} if table else {}
    columns = {key: column.title for key, column in by_key.items()}
    values = [(key, value) for key, column in by_key.items() if column.distinct < len(column.sample)
              for value in [*dict.fromkeys(map(str.strip, column.cells))][:OFFERED] if value]  # fmt: skip
    groups = {name: name for name in (roles.keys if roles else ()) if name}
    answers = roles.categories if roles and roles.layout == RAW else ()
    single = single_answers(set(answers[0].sample)) if len(answers) == 1 else []
    matter: dict[str, Mapping[Any, str]] = {
        "sheet": {sheet: sheet for sheet in file.sheets if len(file.sheets) > 1},
        "header_row": {} if file.file_format == "parquet" else rows,
        "leave_out": rows,
        "layout": choices["layout"] if columns else {},
        **dict.fromkeys(_COLUMNS_OF.get(now.get("layout", ""), ())[: len(columns)], columns),
        "group": choices["group"] | groups if len(groups) > 1 else {},
        "missing": choices["missing"] if any(not cell.strip() for one in answers for cell in one.cells) else {},
        "chosen": {one: f"only {one}, as yes or no" for one in (*single, now.get("chosen")) if one},
        **{entry: choices[entry] for entry in ("thousands", "confirm_percentages", "unlisted") if entry in now},
        "only": {(key, value): f"{columns.get(key, key)}: {value}" for key, value in [*values, *now["only"]]},
        "encoding": {now["encoding"]: now["encoding"]} | choices["encoding"] if "encoding" in now else {},
        "categories": {now["categories"]: ""},
    }
    return {entry: offered for entry, offered in matter.items() if offered}


def _entry(brought: Brought, reading: Understood, entry: str, choices: Mapping[Any, str]) -> None:
    """One entry as it stands, with the reason of a guess that is in doubt, else a line of help.

    One that has come to stand otherwise than its widget shows gets a new widget, as in ``settings.entry``; and so does
    one of other choices: a browser keeps their names.
    """
    now: Any = brought.now.get(entry)
    wide = entry == "count_column" and brought.now["layout"] == WIDE
    label, help, none = data_words.ENTRIES["columns" if wide else entry]
    now = ([one for one in now if one in choices] if isinstance(now, tuple | list) else
           now if now in choices else None)  # fmt: skip
    keys = (f"data: {entry} {hash(tuple(choices.items()))} {version}" for version in count())
    key = next(key for key in keys if st.session_state.setdefault(key, now) == now)
    written = {choice: words.plain(said, 40) for choice, said in choices.items()}.__getitem__
    tied: dict[str, Any] = {"key": key, "on_change": lambda: brought.say(entry, st.session_state[key])}
    with st.container():
        if entry == "categories":
            st.text_area(label, height=120, **tied)
        elif entry == "layout":
            st.radio(label, choices, None, written, horizontal=True, **tied)
        elif isinstance(now, list):
            st.multiselect(label, choices, None, written, placeholder=none, select_all=False, **tied)
        else:
            st.selectbox(label, choices, None, written, placeholder=none, **tied)
        reasons = " ".join(doubt.reason for doubt in reading.form.open if doubt.entry == entry)
        st.caption(f"**Guessed.** {words.escape(reasons, words.SENTENCE_LENGTH)}" if reasons else help)


# --- what comes out ---


def _outcome(brought: Brought, reading: Understood, used: dict[str, Any] | None) -> None:
    counts = reading.counts
    offered = _offered(brought, counts) if counts else {}
    in_use = used is not None and bool(counts) and used | offered == used
    st.session_state[data_source.WAITING] = "" if in_use else brought.name
    if counts:
        st.subheader(data_words.comes_to(counts.labels, counts.counts))
    else:
        st.error(words.escape(limits.opened(str(reading.refusal)), words.SENTENCE_LENGTH))
    brought.noisy = reading.noisy
    if reading.noisy:  # it finds the table there
        st.page_link(menu.page("Read noisy counts").path, label="**Noise in it? Read noisy counts**",
                     icon=":material/arrow_forward:", query_params=address.elsewhere(on_tour=False))  # fmt: skip
    with st.container(horizontal=True):
        st.button("Use these counts", type="secondary" if reading.noisy else "primary",
                  disabled=not counts or in_use, on_click=settings.restore,
                  args=({}, {"source": data_source.FILE, "uploaded": offered}))  # fmt: skip
        st.button("Discard the file", on_click=st.session_state.update,
                  args=({BROUGHT: None, data_source.WAITING: ""},))  # fmt: skip
    if in_use:
        st.success(data_words.IN_USE)
        st.page_link(menu.page("Home").path, label="Compare the mechanisms on them",
                     query_params=address.elsewhere(on_tour=False))  # fmt: skip
    elif used:
        st.warning(f"{data_words.used(used)} {data_words.KEPT}")
    if guessed := dict.fromkeys(data_words.ENTRIES[doubt.entry][0] for doubt in reading.form.open):
        st.caption(f"**Guessed, with the reason beside it:** {', '.join(guessed)}.")
    if counts:
        st.table({"Category": [*map(words.escape, counts.labels)], "Count": [f"{n:,}" for n in counts.counts]},
                 hide_index=True, border="horizontal", alt="The categories and counts that come out")  # fmt: skip
        if brought.now["categories"] or counts.layout != RAW:  # of people's answers a remark says so
            st.caption(words.LIST_GIVEN if brought.now["categories"] else words.LIST_FROM_DATA)
    for remark in data_words.left_out(brought.out) + reading.form.remarks:
        st.caption(words.escape(remark, words.SENTENCE_LENGTH))


def _offered(brought: Brought, counts: Counts) -> dict[str, Any]:
    """The setting that puts the counts into use, with the call that reads the file again in the same way."""
    said = ", ".join([repr(brought.name), *(f"{entry}={value!r}" for entry, value in counts.form)])
    call = f"dpbi.read_counts(open({brought.name!r}, 'rb').read(), {said})"
    return {"name": brought.name, "labels": [*counts.labels], "counts": [*counts.counts], "reading": call}
