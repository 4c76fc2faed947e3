"""A table at once, on the page Release: the file that was brought on Data, its groups and questions, one charge.

As with a single release the draw is made where the button is pressed and nowhere else; what was drawn is read back from
the ledger's document.
"""

import dataclasses
import logging
from collections.abc import Sequence
from typing import Any, get_args

import streamlit as st

from dpbi import (
    CountsError,
    CountsQuestion,
    CountTable,
    Guarantee,
    Mechanism,
    TableRelease,
    guarantee_of_tables,
    name_of,
    printed_bound,
    read_release_table,
    read_tables,
    tables as data_tables,
)
from dpbi.dashboard.answers import library
from dpbi.dashboard.scenario import Scenario
from dpbi.dashboard.session import address, leaving, options, settings, stewards
from dpbi.dashboard.shown import downloads, tables
from dpbi.dashboard.sidebar import menu
from dpbi.dashboard.views import data, release_ledger
from dpbi.dashboard.words import guard, release as release_words, release_tables as said, words
from dpbi.data.files.form import RAW
from dpbi.releases.kept_ledger import KeptRelease
from dpbi.releases.ledger import NAME_LONGEST, Ledger
from dpbi.releases.table_release import ASSUMED, PROTECTED, Membership, split_arguments
from dpbi.releases.table_statement import table_rows, table_statement_html, table_statement_markdown

_log = logging.getLogger(__name__)
_PEOPLE, _DRAWN, _FAILED, _READ = (f"tables: {part}" for part in ("people named", "drawn", "failed", "read"))
_NO_ENTRY = (_PEOPLE, _DRAWN, _FAILED, _READ, "tables: agreed", "tables: draw")
_OPENING = ("sheet", "encoding", "header_row", "leave_out", "only", "thousands", "confirm_percentages")


def draw(chosen: Scenario) -> None:
    """The table of the file that is in the session; and the tables about these people that were released."""
    st.header(said.HEADING)
    if (brought := data.in_session()) is None:
        st.markdown(said.BRING)
        st.page_link(menu.page("Data").path, label="Bring a file", query_params=address.elsewhere(on_tour=False))
    else:
        with guard.part():
            _choose(brought, chosen)
    with guard.part():
        _show()


def _choose(brought: data.Brought, chosen: Scenario) -> None:
    table = _table(brought)
    if table is None:
        return
    _counts(table)
    membership: Membership = "public"
    if len(table.groups) > 1:
        membership = st.radio("Who is in which group is", get_args(Membership), key="tables: membership",
                              format_func=said.MEMBERSHIP.__getitem__)  # fmt: skip
        st.caption(ASSUMED[membership])
    st.caption(PROTECTED[membership])
    named = {name_of(one): one for one in chosen.mechanisms}
    label = st.selectbox("Mechanism of all questions", named, index=0 if len(named) == 1 else None,
                         placeholder="Choose one", key="tables: mechanism", width=360)  # fmt: skip
    if label is None:
        st.markdown(release_words.CHOOSE)
        return
    mechanisms = _split(named[label], table, membership)
    guarantee = guarantee_of_tables(mechanisms, table, membership=membership)
    st.markdown(words.escape(f"Promised is {guarantee.words}. {guarantee.reason}", words.SENTENCE_LENGTH))
    _press(mechanisms, table, membership, guarantee)


# --- the table ---


def _table(brought: data.Brought) -> CountTable | None:
    """As it is said here, with what the form of Data was told of the file; guesses are said with their reasons."""
    reading = brought.read()
    if reading.table is None:
        st.error(words.escape(str(reading.refusal), words.SENTENCE_LENGTH))
        return None
    titles = {key: column.title for column, key in reading.table.keys.items()}
    layout = brought.now.get("layout")
    form = reading.form.suggested
    entries: dict[str, Any] = {name: form[name] for name in _OPENING if getattr(reading.form.said, name) is not None}
    with st.container(horizontal=True):
        by = st.selectbox("Groups", [None, *titles], format_func=lambda key: words.plain(titles.get(key, "none"), 40),
                          key=f"tables: by {hash(tuple(titles))}", help=said.GROUPS_HELP, width=240)  # fmt: skip
        if layout == RAW:
            entries["questions"] = st.multiselect(
                "Questions", titles, format_func=lambda key: words.plain(titles[key], 40), help=said.QUESTIONS_HELP,
                key=f"tables: questions {hash(tuple(titles))}") or None  # fmt: skip
        else:
            entries["question_column"] = st.selectbox(
                "Column of questions", [None, *titles], key=f"tables: question column {hash(tuple(titles))}", width=240,
                format_func=lambda key: words.plain(titles.get(key, "none"), 40), help=said.QUESTION_COLUMN_HELP,
            )  # fmt: skip
    if by is not None:
        listed = st.text_area("Public list of groups", key="tables: groups", height=90, help=said.LIST_HELP)
        entries["groups"] = [*filter(None, map(str.strip, listed.splitlines()))] or None
    if layout == RAW:
        entries["missing"] = "keep" if st.checkbox(said.MISSING, True, key="tables: missing") else "drop"
    try:
        return _read(brought, {"by": by, "layout": layout, **entries})
    except CountsError as refusal:
        st.error(words.escape(str(refusal), words.SENTENCE_LENGTH))
        return None


def _read(brought: data.Brought, entries: dict[str, Any]) -> CountTable:
    try:
        table = read_tables(brought.data, brought.name, **entries)
    except CountsQuestion as question:
        for doubt in question.open:
            st.caption(f"**Guessed.** {words.escape(doubt.reason, words.SENTENCE_LENGTH)}")
        table = read_tables(brought.data, brought.name, **question.suggested)
    for remark in (*table.warnings, *table.privacy):
        st.caption(words.escape(remark, words.SENTENCE_LENGTH))
    return table


def _counts(table: CountTable) -> None:
    """The true counts, as on Data: a column a group."""
    rows = [(question, label) for question in table.questions for label in table.labels(question)]
    shown = {"Question": [words.escape(question, 60) for question, _ in rows],
             "Category": [words.escape(label, 60) for _, label in rows]}  # fmt: skip
    for group in table.groups:
        shown[words.escape(group or "Count", 60)] = [
            f"{dict(zip(cell.labels, cell.counts, strict=True))[label]:,}"
            for question, label in rows for cell in [table.cell(question, group)]
        ]  # fmt: skip
    st.table(shown, hide_index=True, border="horizontal", alt="The counts of each group that come out")


def _split(mechanism: Mechanism, table: CountTable, membership: Membership) -> tuple[Mechanism, ...]:
    """The mechanism of each question, with the share of epsilon that is said, and proposed before that."""
    priors = tuple((1.0,) * len(table.labels(question)) for question in table.questions)
    found = library.budget_split(mechanism, *split_arguments(priors, table.answered, membership))
    st.caption(said.split(found))
    with st.container(horizontal=True):
        shares = [
            st.number_input(f"epsilon of {words.plain(question, 40)}", min_value=1e-6, value=share, format="%.4g",
                            key=f"tables: epsilon {q} {share} {question}", width=200)
            for q, (question, share) in enumerate(zip(table.questions, found.epsilons, strict=True))
        ]  # fmt: skip
    return tuple(dataclasses.replace(mechanism, epsilon=float(share)) for share in shares)


# --- the draw ---


def _press(
    mechanisms: tuple[Mechanism, ...], table: CountTable, membership: Membership, guarantee: Guarantee
) -> None:
    with st.container(horizontal=True):
        people = st.text_input("Whose answers the table holds", st.session_state.get(_PEOPLE, ""), NAME_LONGEST,
                               key="tables: people", width=360, help=release_words.PEOPLE_HELP).strip()  # fmt: skip
        who = release_ledger.ask_who("tables: who")
    st.session_state[_PEOPLE] = people
    drawn, ledger = st.session_state.get(_DRAWN, 0), options.ledger()
    missing = said.NAME_FIRST if not people else said.WHO_FIRST if ledger.asks_who and not who else ""
    account = ledger.account(people) if people else None
    refused = stewards.refusal() or (ledger.refusal(account, guarantee) if account else "")
    agreed, key = False, f"tables: agreed {drawn} {people} {guarantee.words} {membership}"
    if account and not refused and not missing:
        if raised := ledger.raises(account, guarantee):
            st.warning(release_words.raises(*raised))
        after = account.ledger.total(guarantee)
        first = not account.ledger.entries
        agreed = st.checkbox((release_words.acknowledge_first if first else release_words.acknowledge_another)(after),
                             key=key)  # fmt: skip
    st.button(
        f"Release the table once, epsilon = {printed_bound(getattr(guarantee, 'epsilon', 0.0))}", type="primary",
        key=f"tables: draw {drawn}", disabled=bool(refused or missing) or not agreed, on_click=_draw,
        args=(mechanisms, table, membership, people, who, drawn, key, account.ledger if account else Ledger(), _said()),
    )  # fmt: skip
    if refused or missing:
        (st.error if refused else st.info)(words.escape(refused or missing, words.SENTENCE_LENGTH))
    if failed := st.session_state.pop(_FAILED, ""):
        st.error(failed)
    st.caption(release_words.draw(ledger.of_a_draw))


def _draw(
    mechanisms: Sequence[Mechanism], table: CountTable, membership: Membership, people: str, who: str, drawn: int,
    agreed: str, before: Ledger, read: dict[str, Any],
) -> None:
    """The one place where a table is drawn: the button's callback, for what was on the screen when it was read."""
    if st.session_state.get(_DRAWN, 0) != drawn or not st.session_state.get(agreed):
        return
    ledger = options.ledger()
    try:
        if refused := stewards.refusal():
            raise ValueError(refused)
        if _said() != read or ledger.account(people).ledger != before:
            st.session_state[_FAILED], st.session_state[agreed] = said.CHANGED, False
            return
        ledger.release_table(people, mechanisms, table, membership=membership, who=who)
        st.session_state[_DRAWN] = drawn + 1
    except ValueError as refusal:
        st.session_state[_FAILED] = words.opened(refusal)
    except Exception as failure:  # noqa: BLE001 - a callback has no page around it that could apologise
        _log.error("a release of a table failed: %s", type(failure).__name__)
        st.session_state[_FAILED] = words.APOLOGY


def _said() -> dict[str, Any]:
    """All entries, here and in the sidebar: what is drawn must be what was on the screen."""
    own = {str(key): value for key, value in st.session_state.items()
           if str(key).startswith("tables: ") and not str(key).startswith(_NO_ENTRY)}  # fmt: skip
    return {**settings.everything(), **own}


# --- after ---


def _show() -> None:
    """The newest table about the people who were named, and its files."""
    if not (people := st.session_state.get(_PEOPLE, "")):
        return
    lines = [line for line in options.ledger().account(people).lines if line.is_table]
    if lines:
        with downloads.collected(downloads.Shown({"People": people}, "")):
            _files(_made(lines[-1]), people, lines[-1].entry.release)


def _made(line: KeptRelease) -> TableRelease:
    known: dict[str, TableRelease] = st.session_state.setdefault(_READ, {})
    if line.entry.release not in known:
        known[line.entry.release] = read_release_table(line.document or "")
    return known[line.entry.release]


def _files(made: TableRelease, people: str, token: str) -> None:
    st.subheader("The table that was released")
    if made.stamp:
        st.error(words.escape(made.stamp, words.SENTENCE_LENGTH))
    st.markdown(words.escape(f"{made.guarantee.words}. {made.composition}", words.SENTENCE_LENGTH))
    name = f"table-{made.time.replace(':', '-')}-{token[:4]}"
    with st.container(horizontal=True, gap="small"):
        downloads.offer("Table (JSON)", lambda: made.to_json().encode(), f"dpbi-{name}.json", "application/json",
                        then=lambda: leaving.saved(token))  # fmt: skip
        downloads.offer("Statement of the table (HTML)", lambda: table_statement_html(made, people).encode(),
                        f"dpbi-{name}.html", "text/html")  # fmt: skip
        downloads.offer("Statement of the table (Markdown)", lambda: table_statement_markdown(made, people).encode(),
                        f"dpbi-{name}.md", "text/markdown")  # fmt: skip
    rows = table_rows(made)
    there = [column for column in rows[0] if any(row[column] is not None for row in rows)]
    tables.draw(data_tables.every_column([{column: row[column] for column in there} for row in rows], name))
