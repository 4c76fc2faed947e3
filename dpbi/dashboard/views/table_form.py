"""The form that says which groups and questions a file holds, on the pages Data and Release, and what comes out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import streamlit as st

from dpbi import CountsError, CountsQuestion, CountTable, read_tables
from dpbi.dashboard.views.brought import Brought
from dpbi.dashboard.words import data as data_words, table_form as said, words
from dpbi.data.files import Doubt
from dpbi.data.files.form import ADDED, COUNTS, RAW, WIDE
from dpbi.data.files.public_list import MISSING, OTHER
from dpbi.data.files.reading import Understood

_IN_USE = "data: table"
_OPENING = ("sheet", "encoding", "header_row", "leave_out", "only", "thousands", "confirm_percentages")
_SHOWN, _SUGGESTED = 4, 12  # questions whose counts are shown at once; lines of a list as found


@dataclass(frozen=True)
class TableReading:
    """What the file comes to as a table. entries: as they stand, guesses among them; found: the table without the
    public lists, as far as there is one.
    """

    entries: Mapping[str, Any]
    table: CountTable | None = None
    doubts: tuple[Doubt, ...] = ()
    refusal: CountsError | None = None
    found: CountTable | None = None


@dataclass(frozen=True)
class TableInUse:
    """A table that was put into use. name: of its file; call: the Python that reads it again."""

    name: str
    table: CountTable
    call: str


def in_use() -> TableInUse | None:
    """The table that Release is to release, kept until another is put in its place, or until it is put away."""
    found: TableInUse | None = st.session_state.get(_IN_USE)
    return found


def use(table: TableInUse | None) -> None:
    st.session_state[_IN_USE] = table


def call(brought: Brought, tabled: TableReading) -> str:
    """The Python that reads the table again in the same way."""
    entries = ", ".join([repr(brought.name), *(f"{name}={value!r}" for name, value in tabled.entries.items())])
    return f"dpbi.read_tables(open({brought.name!r}, 'rb').read(), {entries})"


# --- what it comes to ---


def read(brought: Brought, reading: Understood) -> TableReading:
    """What it comes to under what was said; read again only where that has changed."""
    entries = _said(brought, reading)
    asked = repr(entries), repr(brought.tables)
    if brought.tabled is None or brought.tabled[0] != asked:
        plain = _read(brought, entries)
        titles = plain.table.questions if plain.table else entries.get("questions") or ()
        lists = _lists(brought, titles, grouped=bool(entries.get("by") or plain.entries.get("by")))
        found = _read(brought, {**entries, **lists}) if lists else plain
        layout = [doubt for doubt in reading.form.open if doubt.entry == "layout"]
        tabled = TableReading(found.entries, found.table, (*layout, *found.doubts), found.refusal, plain.table)
        brought.tabled = asked, tabled
    kept: TableReading = brought.tabled[1]
    return kept


def _read(brought: Brought, entries: Mapping[str, Any]) -> TableReading:
    doubts: tuple[Doubt, ...] = ()
    try:
        try:
            return TableReading(entries, read_tables(brought.data, brought.name, **entries))
        except CountsQuestion as question:
            doubts, entries = question.open, question.suggested
        return TableReading(entries, read_tables(brought.data, brought.name, **entries), doubts)
    except CountsError as refusal:
        return TableReading(entries, None, doubts, refusal.with_traceback(None))


def _said(brought: Brought, reading: Understood) -> dict[str, Any]:
    """What was said of the file on Data, and of its groups and questions, as far as there are such columns now."""
    of, titles, layout = brought.tables, _titles(reading), brought.now.get("layout")
    form = reading.form.suggested
    entries: dict[str, Any] = {name: form[name] for name in _OPENING if getattr(reading.form.said, name) is not None}
    entries["layout"] = layout
    by = [key for key in of.get("by", ()) if key in titles]
    if by:
        entries["by"] = by
        entries |= {"group": ADDED} if of.get("add up") else {}
    if (column := of.get("question_column")) in titles:
        entries["question_column"] = column
        if layout == RAW and reading.form.said.column:
            entries["column"] = form["column"]
    elif layout == WIDE:
        entries |= {"questions": named} if (named := dict(_wide_questions(of, titles))) else {}
    elif asked := [key for key in of.get(f"questions, {layout}", ()) if key in titles and key not in by]:
        entries["questions"] = asked
    if layout == RAW:
        entries["missing"] = "keep" if of.get("missing", True) else "drop"
    return entries


def _wide_questions(of: Mapping[str, Any], titles: Mapping[Any, str]) -> Iterator[tuple[str, list[Any]]]:
    for i in count():
        if not (columns := [key for key in of.get(f"columns {i}", ()) if key in titles]):
            return
        yield of.get(f"title {i}", "").strip() or f"Question {i + 1}", columns


def _lists(brought: Brought, titles: Sequence[str], *, grouped: bool) -> dict[str, Any]:
    """The public lists as they are given."""
    of = brought.tables
    groups = _lines(of.get("groups", "")) if grouped else []
    categories = {title: names for title in titles if (names := _lines(of.get(f"categories of {title}", "")))}
    found: dict[str, Any] = {"groups": groups} if groups else {}
    if categories:
        found["categories"] = categories
        found |= {"unlisted": of["unlisted"]} if of.get("unlisted") else {}
    return found


def _lines(text: str) -> list[str]:
    return [*filter(None, map(str.strip, text.splitlines()))]


def _titles(reading: Understood) -> dict[Any, str]:
    return {key: column.title for column, key in reading.table.keys.items()} if reading.table else {}


# --- the form ---


def form(brought: Brought, reading: Understood, tabled: TableReading) -> None:
    """The entries that matter to the file as it is understood now."""
    titles, layout, now = _titles(reading), brought.now.get("layout"), tabled.entries
    of_guess = {doubt.entry for doubt in tabled.doubts}
    by = [key for key in _several(now.get("by")) if key in titles]
    free = {key: title for key, title in titles.items() if key not in by}
    with st.container(horizontal=True):
        _choose(brought, tabled, "by", titles, by)
        if brought.tables.get("add up") or "by" in of_guess:
            with st.container():
                st.checkbox(said.ADD_UP, **_tied(brought, "add up", brought.tables.get("add up", False)))
                st.caption(said.ADD_UP_HELP)
        one_a_row = now.get("question_column") if now.get("question_column") in titles else None
        if len(free) > 1:
            _choose(brought, tabled, "question_column", {None: said.NONE} | free, one_a_row)
        if layout in (RAW, COUNTS) and one_a_row is None:
            asked = [key for key in _several(now.get("questions")) if key in free]
            _choose(brought, tabled, f"questions, {layout}", free, asked)
        if layout == WIDE and one_a_row is None:
            _ask_for_columns(brought, free)
        if layout == RAW:
            with st.container():
                st.checkbox(said.MISSING, **_tied(brought, "missing", brought.tables.get("missing", True)))
                st.caption(said.MISSING_HELP)
        if "unlisted" in now or "unlisted" in of_guess:
            _choose(brought, tabled, "unlisted", data_words.CHOICES["unlisted"], now.get("unlisted"))
    _ask_for_lists(brought, tabled)


def others(tabled: TableReading) -> list[Doubt]:
    """The guesses that other entries than these would settle."""
    return [doubt for doubt in tabled.doubts if doubt.entry not in said.OWN]


def _choose(
    brought: Brought, tabled: TableReading, entry: str, choices: Mapping[Any, str], now: Any
) -> None:
    """One entry as it stands, with the reason of a guess that is in doubt, else a line of help."""
    label, help, none = said.ENTRIES[entry]
    written = {choice: words.plain(title, 40) for choice, title in choices.items()}.__getitem__
    tied = _tied(brought, entry, now, tuple(choices.items()))
    with st.container():
        if isinstance(now, list):
            st.multiselect(label, choices, None, written, placeholder=none, select_all=False, **tied)
        else:
            st.selectbox(label, choices, None, written, placeholder=none, **tied)
        own = entry.partition(",")[0]
        reasons = " ".join(doubt.reason for doubt in tabled.doubts if doubt.entry == own)
        st.caption(f"**Guessed.** {words.escape(reasons, words.SENTENCE_LENGTH)}" if reasons else help)


def _ask_for_columns(brought: Brought, free: Mapping[Any, str]) -> None:
    """A title and the columns of each question, and a place for one more."""
    asked = len(dict(_wide_questions(brought.tables, free)))
    written = {key: words.plain(title, 40) for key, title in free.items()}.__getitem__
    for i in range(asked + 1):
        columns = [key for key in brought.tables.get(f"columns {i}", ()) if key in free]
        with st.container():
            st.multiselect(f"Columns of question {i + 1}", free, None, written, select_all=False,
                           placeholder=said.ALL_COLUMNS if not asked else said.ONE_MORE,
                           **_tied(brought, f"columns {i}", columns, tuple(free.items())))  # fmt: skip
            if columns:
                st.text_input(f"Title of question {i + 1}", placeholder=f"Question {i + 1}",
                              **_tied(brought, f"title {i}", brought.tables.get(f"title {i}", "")))  # fmt: skip
            elif not asked:
                st.caption(said.COLUMNS_HELP)


def _ask_for_lists(brought: Brought, tabled: TableReading) -> None:
    """A text for the groups and for each question, with what was found in grey."""
    found = tabled.found or tabled.table
    titles = found.questions if found else [title for title in _several(tabled.entries.get("questions"))
                                            if isinstance(title, str)]  # fmt: skip
    with st.expander(said.LISTS):
        st.caption(said.LISTS_HELP)
        with st.container(horizontal=True):
            if tabled.entries.get("by"):
                _list(brought, "groups", said.GROUPS, found.groups if found else ())
            for title in titles:
                names = found.labels(title) if found else ()
                _list(brought, f"categories of {title}", said.of_question(title), names)


def _list(brought: Brought, entry: str, label: str, found: Sequence[str]) -> None:
    names = [words.plain(name, 40) for name in found if name not in (MISSING, OTHER)]
    some = "\n".join(names[:_SUGGESTED]) + ("\n…" if len(names) > _SUGGESTED else "")
    st.text_area(label, placeholder=some, height=120, width=240,
                 **_tied(brought, entry, brought.tables.get(entry, "")))  # fmt: skip


def _several(value: Any) -> list[Any]:
    if isinstance(value, Mapping):
        return []
    return [] if value is None else [value] if isinstance(value, str | int) else [*value]


def _tied(brought: Brought, entry: str, now: Any, choices: Any = "") -> dict[str, Any]:
    """The arguments that tie a widget to what was said of an entry. One that has come to stand otherwise than its
    widget shows, and one of other choices, gets a new widget, as on Data.
    """
    keys = (f"tables: {entry} {hash(choices)} {version}" for version in count())
    key = next(key for key in keys if st.session_state.setdefault(key, now) == now)
    return {"key": key, "on_change": lambda: brought.tables.update({entry: st.session_state[key]})}


# --- what comes out ---


def show(table: CountTable) -> None:
    """The counts of each group and question with their n, and what must be known of them."""
    questions: Sequence[str] = table.questions
    if len(questions) > _SHOWN:
        questions = [st.selectbox("Counts of", questions, format_func=lambda title: words.plain(title, 60),
                                  key="table: shown")]  # fmt: skip
    for question in questions:
        if len(table.questions) > 1:
            st.markdown(f"**{words.escape(question, 120)}**")
        _show(table, question)


def _show(table: CountTable, question: str) -> None:
    """A line a group and a column a category, or the other way round, so that the longer list goes down."""
    q = table.questions.index(question)
    row, silent = table.counts[q], table.silent[q] if table.silent else ()
    heads = [*table.labels(question), said.ANSWERED, *([said.SILENT] if any(silent) else [])]
    lines = [[*one.counts, n, *(silent[g : g + 1] if any(silent) else ())]
             for g, (one, n) in enumerate(zip(row, table.answered[q], strict=True))]  # fmt: skip
    names: Sequence[str] = [group or said.COUNT for group in table.groups]
    corner = said.GROUP
    if len(heads) > len(names):
        names, heads, lines, corner = heads, [*names], [*map(list, zip(*lines, strict=True))], said.CATEGORY
    shown = {corner: [words.escape(name) for name in names]}
    for head, column in zip(heads, zip(*lines, strict=True), strict=True):
        name = words.escape(head)
        while name in shown:  # a group may be called as a category is
            name += " "
        shown[name] = [f"{number:,}" for number in column]
    st.table(shown, hide_index=True, border="horizontal", alt=f"The counts of {words.plain(question, 60)} by group")


def remarks(table: CountTable, tabled: TableReading | None = None) -> None:
    """What the file tells beside the counts, which lists are public, and how privacy composes."""
    on_lists = said.of_lists(table, tabled.entries.get("categories") or ()) if tabled else ()
    for sentence in (*table.warnings, *on_lists, *table.privacy):
        st.caption(words.escape(sentence, words.SENTENCE_LENGTH))
