"""The page Data: what a person brought as cells, the form that says what it is, and beside it what comes out."""

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

import streamlit as st

from dpbi import CountTable, limits
from dpbi.dashboard.session import address, settings
from dpbi.dashboard.sidebar import data_source, menu
from dpbi.dashboard.views import table_form
from dpbi.dashboard.views.brought import BROUGHT, COLUMNS_OF, Brought, in_session
from dpbi.dashboard.views.table_form import TableReading
from dpbi.dashboard.words import data as data_words, table_form as table_form_words, words
from dpbi.data.files import Counts, Doubt
from dpbi.data.files.form import RAW, WIDE
from dpbi.data.files.reading import Opened, Understood
from dpbi.data.files.table import Table
from dpbi.data.files.tally import single_answers
from dpbi.releases.table_release import stacked_labels

_OF_A_TABLE = ("sheet", "header_row", "leave_out", "layout", "thousands", "confirm_percentages", "only", "encoding")
# How many rows and columns of the cells are shown; how many rows at each end, and values of a column, can be chosen.
FIRST, LAST, BESIDE, OFFERED = 12, 4, 12, 150
def draw() -> None:
    brought = in_session()
    used = settings.get("uploaded") if settings.get("source") == data_source.FILE else None
    if brought is None:
        _bring(used)
        return
    reading = brought.read()
    brought.noisy = reading.noisy
    form, outcome = st.columns([3, 2], gap="medium")
    with form.container(key="form"):
        tabled = _form(brought, reading)
    with outcome.container(key="outcome"):
        if tabled:
            _lead_to_noisy_counts(reading)
            _table_outcome(brought, tabled, used)
        else:
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


def _form(brought: Brought, reading: Understood) -> TableReading | None:
    """What the file is; where it is said to hold several groups or questions, what it comes to as a table."""
    st.markdown(f"**{words.escape(brought.name)}**")
    tabled = table_form.read(brought, reading) if _holds_several(brought, reading) else None
    if tabled:
        brought.out = _left_out(tabled)
        brought.now |= {"leave_out": [*brought.out], "only": brought.now["only"] if reading.form.said.only else []}
    if brought.file:
        _cells(brought, brought.file, reading.table)
    with st.container(horizontal=True):
        doubts = table_form.others(tabled) if tabled else reading.form.open
        for entry, choices in _asked(brought, reading).items():
            if not tabled or entry in _OF_A_TABLE or (entry == "column" and tabled.entries.get("question_column")):
                _entry(brought, doubts, entry, choices)
    if tabled:
        table_form.form(brought, reading, tabled)
    return tabled


def _holds_several(brought: Brought, reading: Understood) -> bool:
    """What a file of several columns may be said to hold."""
    if not reading.table or len(reading.table.columns) < 2:
        return False
    key = f"data: holds {id(brought)}"
    st.session_state.setdefault(key, brought.tables.get("holds", table_form_words.ONE))
    said = st.segmented_control("It holds", table_form_words.HOLDS, key=key, required=True,
                                help=table_form_words.HOLDS_HELP)  # fmt: skip
    brought.tables["holds"] = said
    return bool(said == table_form_words.SEVERAL)


def _left_out(tabled: TableReading) -> dict[int, str]:
    """The rows that no question has, each with the reason."""
    said = dict.fromkeys(tabled.entries.get("leave_out", ()), "as said or guessed")
    return said | {row: why for of in (tabled.table.counts if tabled.table else ()) for row, why in of[0].left_out}


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
        **dict.fromkeys(COLUMNS_OF.get(now.get("layout", ""), ())[: len(columns)], columns),
        "group": choices["group"] | groups if len(groups) > 1 else {},
        "missing": choices["missing"] if any(not cell.strip() for one in answers for cell in one.cells) else {},
        "chosen": {one: f"only {one}, as yes or no" for one in (*single, now.get("chosen")) if one},
        **{entry: choices[entry] for entry in ("thousands", "confirm_percentages", "unlisted") if entry in now},
        "only": {(key, value): f"{columns.get(key, key)}: {value}" for key, value in [*values, *now["only"]]},
        "encoding": {now["encoding"]: now["encoding"]} | choices["encoding"] if "encoding" in now else {},
        "categories": {now["categories"]: ""},
    }
    return {entry: offered for entry, offered in matter.items() if offered}


def _entry(brought: Brought, doubts: Sequence[Doubt], entry: str, choices: Mapping[Any, str]) -> None:
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
        reasons = " ".join(doubt.reason for doubt in doubts if doubt.entry == entry)
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
    _lead_to_noisy_counts(reading)
    with st.container(horizontal=True):
        st.button("Use these counts", type="secondary" if reading.noisy else "primary",
                  disabled=not counts or in_use, on_click=settings.restore,
                  args=({}, {"source": data_source.FILE, "uploaded": offered}))  # fmt: skip
        _discard()
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


def _table_outcome(brought: Brought, tabled: TableReading, used: dict[str, Any] | None) -> None:
    table, call = tabled.table, table_form.call(brought, tabled)
    ready = table_form.TableInUse(brought.name, table, call) if table else None
    in_use, kept = bool(ready) and table_form.in_use() == ready, table_form.in_use()
    here = used is not None and str(used.get("reading", "")).startswith(call)
    st.session_state[data_source.WAITING] = "" if in_use or here else brought.name
    if table:
        st.subheader(table_form_words.comes_to(table))
    else:
        st.error(words.escape(limits.opened(str(tabled.refusal)), words.SENTENCE_LENGTH))
    with st.container(horizontal=True):
        st.button("Use this table", type="primary", disabled=not ready or in_use, on_click=table_form.use,
                  args=(ready,))  # fmt: skip
        _discard()
    if in_use:
        st.success(table_form_words.IN_USE)
        st.page_link(menu.page("Release").path, label=table_form_words.TO_RELEASE,
                     query_params=address.elsewhere(on_tour=False))  # fmt: skip
    elif kept:
        st.warning(f"In use on Release: {words.escape(kept.name)}, {table_form_words.comes_to(kept.table)}. "
                   f"{table_form_words.KEPT}")  # fmt: skip
    if doubts := [doubt for doubt in tabled.doubts if doubt.entry in data_words.ENTRIES or doubt.entry in (
            table_form_words.OWN)]:  # fmt: skip
        names = dict.fromkeys(table_form_words.name_of(doubt.entry) or data_words.ENTRIES[doubt.entry][0]
                              for doubt in doubts)  # fmt: skip
        st.caption(f"**Guessed, with the reason beside it:** {', '.join(names)}.")
    if table:
        table_form.show(table)
        _use_a_part(brought, table, call, used)
        for remark in data_words.left_out(brought.out):
            st.caption(words.escape(remark, words.SENTENCE_LENGTH))
        table_form.remarks(table, tabled)


def _use_a_part(brought: Brought, table: CountTable, call: str, used: dict[str, Any] | None) -> None:
    """One group's answers to one question as the table of all other pages; or all groups of it, each apart."""
    with st.expander(table_form_words.ONE_PART):
        with st.container(horizontal=True):
            question = st.selectbox("Question", table.questions, key="table: question of the part",
                                    format_func=lambda title: words.plain(title, 60))  # fmt: skip
            place = 0
            if len(table.groups) > 1:
                names = [*(words.plain(name, 60) for name in table.groups), table_form_words.ALL_GROUPS]
                place = st.selectbox("Group", range(len(names)), key="table: group of the part",
                                     format_func=names.__getitem__)  # fmt: skip
            group = table.groups[place] if place < len(table.groups) else None
        offered = _part(brought.name, table, call, question, group)
        in_use = used is not None and used | offered == used
        st.button("Use this part", disabled=in_use, on_click=settings.restore,
                  args=({}, {"source": data_source.FILE, "uploaded": offered}))  # fmt: skip
        if in_use:
            st.success(data_words.IN_USE)


def _part(name: str, table: CountTable, call: str, question: str, group: str | None) -> dict[str, Any]:
    """The setting that puts a part into use."""
    labels, row = table.labels(question), table.counts[table.questions.index(question)]
    if group is None:
        return {"name": name, "labels": [*stacked_labels(table.groups, labels)],
                "counts": [count for one in row for count in one.counts]}  # fmt: skip
    return {"name": name, "labels": [*labels], "counts": [*table.cell(question, group).counts],
            "reading": f"{call}.cell({question!r}, {group!r})"}  # fmt: skip


def _lead_to_noisy_counts(reading: Understood) -> None:
    if reading.noisy:  # it finds the table there
        st.page_link(menu.page("Read noisy counts").path, label="**Noise in it? Read noisy counts**",
                     icon=":material/arrow_forward:", query_params=address.elsewhere(on_tour=False))  # fmt: skip


def _discard() -> None:
    st.button("Discard the file", on_click=st.session_state.update,
              args=({BROUGHT: None, data_source.WAITING: ""},))  # fmt: skip


def _offered(brought: Brought, counts: Counts) -> dict[str, Any]:
    """The setting that puts the counts into use, with the call that reads the file again in the same way."""
    said = ", ".join([repr(brought.name), *(f"{entry}={value!r}" for entry, value in counts.form)])
    call = f"dpbi.read_counts(open({brought.name!r}, 'rb').read(), {said})"
    return {"name": brought.name, "labels": [*counts.labels], "counts": [*counts.counts], "reading": call}
