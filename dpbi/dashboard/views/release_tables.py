"""A table at once, on the page Release: the file that was brought on Data, its groups and questions, one charge.

As with a single release the draw is made where the button is pressed and nowhere else; what was drawn is read back from
the ledger's document.
"""

import dataclasses
import logging
from collections.abc import Collection, Mapping, Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple, get_args

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpbi import (
    MECHANISMS,
    CountTable,
    Guarantee,
    Mechanism,
    TableRelease,
    TablesTogether,
    guarantee_of_tables,
    limits,
    name_of,
    printed_bound,
    read_release_table,
    tables as data_tables,
    tables_together,
)
from dpbi.dashboard.answers import library
from dpbi.dashboard.scenario import Scenario
from dpbi.dashboard.session import address, leaving, options, settings, stewards
from dpbi.dashboard.shown import downloads, tables
from dpbi.dashboard.sidebar import data_source, entries, menu, privacy
from dpbi.dashboard.views import release_ledger, table_form
from dpbi.dashboard.views.brought import in_session
from dpbi.dashboard.words import (
    guard,
    release as release_words,
    release_tables as said,
    table_form as form_words,
    words,
)
from dpbi.inference.budget_split import BudgetSplit, equal_shares
from dpbi.releases.kept_ledger import Account, KeptRelease
from dpbi.releases.ledger import NAME_LONGEST, Ledger, LedgerEntry
from dpbi.releases.plan import Plan
from dpbi.releases.release import stamp_of
from dpbi.releases.statement import Row
from dpbi.releases.table_release import (
    Membership,
    assumed_words,
    called_in_ledger,
    one_draw,
    protected_words,
    split_arguments,
    table_entry,
)
from dpbi.releases.table_statement import table_rows, table_statement_html, table_statement_markdown
from dpbi.releases.usefulness import useless

_log = logging.getLogger(__name__)
_PEOPLE, _DRAWN, _FAILED, _READ = (f"tables: {part}" for part in ("people named", "drawn", "failed", "read"))
_SAID = "entries of tables"  # as they were when last seen
_SIZES = 20  # of groups whose errors are computed
_NO_ENTRY = (_PEOPLE, _DRAWN, _FAILED, _READ, "tables: agreed", "tables: draw")


def comes_first() -> bool:
    """Whether a table is what this session is about: one was put into use, or a file is there that no other page has.
    """
    if table_form.in_use() is not None:
        return True
    brought = in_session()
    return brought is not None and (brought.tables.get("holds") == form_words.SEVERAL
                                    or settings.get("source") != data_source.FILE)  # fmt: skip


def draw(chosen: Scenario, *, warns: bool) -> None:
    """The table that is in use, or of the file that is in the session; and those about these people that were released.
    warns: that choosing leaks, where nothing above it has said so.
    """
    st.header(said.HEADING)
    if warns:
        st.warning(words.CHOICE_WARNING)
    with guard.part():
        if (table := _table()) is not None:
            _choose(table, chosen)
    with guard.part():
        _show()


def _table() -> CountTable | None:
    """What is to be released: as it was put into use on Data, else as it is said here of the file brought there."""
    if (used := table_form.in_use()) is not None:
        st.markdown(f"{words.escape(used.name)}: {form_words.comes_to(used.table)}.")
        with st.container(horizontal=True):
            st.page_link(menu.page("Data").path, label=said.ANOTHER, query_params=address.elsewhere(on_tour=False))
            st.button("Put the table away", on_click=table_form.use, args=(None,))
        with st.expander(said.COUNTS):
            table_form.show(used.table)
            table_form.remarks(used.table)
        return used.table
    if (brought := in_session()) is None:
        st.markdown(said.BRING)
        st.page_link(menu.page("Data").path, label="Bring a file", query_params=address.elsewhere(on_tour=False))
        return None
    reading = brought.read()
    if reading.table is None:
        st.error(words.escape(str(reading.refusal), words.SENTENCE_LENGTH))
        return None
    tabled = table_form.read(brought, reading)
    table_form.form(brought, reading, tabled)
    for doubt in table_form.others(tabled):
        st.caption(f"**Guessed.** {words.escape(doubt.reason, words.SENTENCE_LENGTH)}")
    if tabled.table is None:
        st.error(words.escape(str(tabled.refusal), words.SENTENCE_LENGTH))
        return None
    table_form.show(tabled.table)
    table_form.remarks(tabled.table, tabled)
    return tabled.table


def _choose(table: CountTable, chosen: Scenario) -> None:
    membership: Membership = "public"
    if len(table.groups) > 1:
        membership = st.radio("Who is in which group is", get_args(Membership), key=_kept("tables: membership", None),
                              format_func=said.MEMBERSHIP.__getitem__)  # fmt: skip
        st.caption(assumed_words(membership, answered_only=table.answered_only))
    st.caption(protected_words(membership, answered_only=table.answered_only))
    if (ways := _ways(table, chosen, membership)) is None:
        st.markdown(release_words.CHOOSE)
        return
    guarantee = guarantee_of_tables(ways.mechanisms, table, ways.priors, membership=membership)
    st.markdown(words.escape(f"Promised is {guarantee.words}. {guarantee.reason}", words.SENTENCE_LENGTH))
    _press(Asked(*ways, table, membership, guarantee))


def _kept(key: str, first: Any, choices: Collection[Any] | None = None) -> str:
    """The key of an entry that stands as it was said, though another page was open, where Streamlit forgets it.
    first: before anything was said, and where what was said is none of the choices any more.
    """
    said_before: dict[str, Any] = st.session_state.setdefault(_SAID, {})
    if key in st.session_state:
        said_before[key] = st.session_state[key]
    else:
        before = said_before.get(key, first)
        before = before if choices is None or before in choices else first
        if before is not None:
            st.session_state[key] = before
    return key


# --- how each question is released ---


class Ways(NamedTuple):
    """For each question its mechanism, with its share of epsilon, and its prior."""

    mechanisms: tuple[Mechanism, ...]
    priors: tuple[tuple[float, ...], ...]


class Asked(NamedTuple):
    """What a press of the button would draw."""

    mechanisms: tuple[Mechanism, ...]
    priors: tuple[tuple[float, ...], ...]
    table: CountTable
    membership: Membership
    guarantee: Guarantee


def _ways(table: CountTable, chosen: Scenario, membership: Membership) -> Ways | None:
    """One mechanism and prior for all questions, and another of a question where that is said; None until one is
    chosen.
    """
    named = {name_of(one): one for one in _offered(chosen)}
    with st.container(horizontal=True, key="tables-answer"):
        only = name_of(chosen.mechanisms[0]) if len(chosen.mechanisms) == 1 else None
        label = st.selectbox("Mechanism of all questions", named, index=None, placeholder="Choose one", width=360,
                             key=_kept("tables: mechanism", only, named))  # fmt: skip
        strength = st.text_input("Prior of all questions, each category", key=_kept("tables: prior", "1"), width=240,
                                 help=said.PRIOR_HELP)  # fmt: skip
    several = len(table.questions) > 1
    st.caption(said.epsilon(chosen.epsilon, several=several))
    folded = several and not settings.get(address.TALK)  # talk mode has no folds
    with st.expander(said.EACH) if folded else nullcontext():
        rows = [st.container(horizontal=True) for _ in table.questions]
        labels = [_own_mechanism(row, q, question, named, label) if several else label
                  for q, (row, question) in enumerate(zip(rows, table.questions, strict=True))]  # fmt: skip
        priors = tuple(_own_prior(row, q, question, strength, len(table.labels(question)), several=several)
                       for q, (row, question) in enumerate(zip(rows, table.questions, strict=True)))  # fmt: skip
        if None in labels:
            return None
        mechanisms = tuple(named[one] for one in labels if one)
        found = _split(mechanisms, table, priors, membership)
        shares = [
            row.number_input(f"epsilon of {words.plain(question, 40)}", min_value=1e-6, format="%.4g", width=200,
                             key=_kept(f"tables: epsilon {q} {share} {question}", share))
            for q, (row, question, share) in enumerate(zip(rows, table.questions, found.epsilons, strict=True))
        ]  # fmt: skip
    (st.warning if found.is_at_its_maximum else st.caption)(said.split(found))
    ways = Ways(tuple(dataclasses.replace(one, epsilon=float(share)) for one, share in zip(
        mechanisms, shares, strict=True)), priors)
    if several:
        _say(table, ways)
    with guard.part():
        _expect(table, ways, membership)
    return ways


def _offered(chosen: Scenario) -> list[Mechanism]:
    """Those of the sidebar, then all others, what is not private last: another than those may be the best of a table.
    """
    numbers = {"epsilon": chosen.epsilon, "gamma": chosen.gamma}
    ticked = {type(one) for one in chosen.mechanisms}
    others = [privacy.make(kind, numbers) for kind in MECHANISMS if kind not in ticked]
    promised = library.release_guarantee
    return [*chosen.mechanisms, *sorted(others, key=lambda one: not promised(one, (1.0, 1.0), 9).is_private)]


def _expect(table: CountTable, ways: Ways, membership: Membership) -> None:
    """How far off the shares of each group will be, from sizes, which are public, and data that are made up."""
    priors, sizes = split_arguments(ways.priors, table.answered, membership)
    asked = {(mechanism, prior, n) for mechanism, prior, row in zip(ways.mechanisms, priors, sizes, strict=True)
             for n in _looked_at(row)}  # fmt: skip
    errors = {one: library.release_errors(*one) for one in sorted(asked, key=repr) if one[2]}
    names = list(table.groups) if membership == "public" else [said.ALL_GROUPS]
    st.markdown(f"**{said.EXPECTED}**")
    columns: dict[str, list[str]] = {"Group": [words.escape(name or said.EVERYBODY) for name in names]}
    for question, mechanism, prior, row in zip(table.questions, ways.mechanisms, priors, sizes, strict=True):
        found = [errors.get((mechanism, prior, n)) for n in row]
        columns[words.escape(question, 40)] = [said.off(n, one) for n, one in zip(row, found, strict=True)]
    st.table(columns, hide_index=True, border="horizontal", alt="How far off shares will be, in percentage points")
    st.caption(said.MADE_UP if membership == "public" or len(table.groups) < 2 else said.MADE_UP_PRIVATE)
    poor = [(n, question, name) for question, mechanism, prior, row in zip(
        table.questions, ways.mechanisms, priors, sizes, strict=True) for n, name in zip(row, names, strict=True)
        if (one := errors.get((mechanism, prior, n))) and useless(one)]  # fmt: skip
    if poor:
        st.warning(words.escape(said.useless(sorted(poor), len(names) * len(table.questions)), words.SENTENCE_LENGTH))


def _looked_at(sizes: Sequence[int]) -> list[int]:
    """All sizes of groups, or of many the smallest ones and the largest: each takes a tenth of a second."""
    different = sorted(set(sizes))
    return different if len(different) <= _SIZES else [*different[: _SIZES - 1], different[-1]]


def _own_mechanism(
    row: DeltaGenerator, q: int, question: str, named: Mapping[str, Mechanism], of_all: str | None
) -> str | None:
    found: str | None = row.selectbox(
        f"Mechanism of {words.plain(question, 40)}", [said.AS_ALL, *named], width=240,
        key=_kept(f"tables: mechanism {q} {question}", said.AS_ALL, named))  # fmt: skip
    return of_all if found in (said.AS_ALL, None) else found


def _own_prior(row: DeltaGenerator, q: int, question: str, of_all: str, k: int, *, several: bool) -> tuple[float, ...]:
    """One number for every category, or one each."""
    own = row.text_input(
        f"Prior of {words.plain(question, 40)}", key=_kept(f"tables: prior {q} {question}", ""), width=240,
        placeholder=said.AS_ALL, help=said.PRIOR_HELP) if several else ""  # fmt: skip
    name = f"The prior of {words.plain(question, 40)}" if own.strip() else "The prior"
    numbers = entries.numbers(name, own.strip() or of_all)
    return limits.check_prior(numbers * k if len(numbers) == 1 else entries.one_each(name, numbers, k))


def _split(
    mechanisms: tuple[Mechanism, ...], table: CountTable, priors: tuple[tuple[float, ...], ...], membership: Membership
) -> BudgetSplit:
    """The sidebar's epsilon over the questions, as proposed."""
    shares = mechanisms[0] if len(set(mechanisms)) == 1 else tuple(
        dataclasses.replace(one, epsilon=share) for one, share in zip(
            mechanisms, equal_shares(mechanisms[0].epsilon, len(mechanisms)), strict=True))
    return library.budget_split(shares, *split_arguments(priors, table.answered, membership))


def _say(table: CountTable, ways: Ways) -> None:
    """How every question is released, in a few columns."""
    st.table({
        "Question": [words.escape(question) for question in table.questions],
        "Mechanism": [words.escape(name_of(one)) for one in ways.mechanisms],
        "Prior": list(map(words.prior_words, ways.priors)),
        "epsilon": [printed_bound(one.epsilon) for one in ways.mechanisms],
    }, hide_index=True, border="horizontal", alt="How each question is released")  # fmt: skip


# --- the draw ---


def _press(asked: Asked) -> None:
    guarantee = asked.guarantee
    with st.container(horizontal=True):
        people = st.text_input("Whose answers the table holds", max_chars=NAME_LONGEST, width=360,
                               key=_kept("tables: people", ""), help=release_words.PEOPLE_HELP).strip()  # fmt: skip
        who = release_ledger.ask_who("tables: who")
    st.session_state[_PEOPLE] = people
    release_ledger.named_elsewhere(people)
    drawn, ledger = st.session_state.get(_DRAWN, 0), options.ledger()
    account = ledger.account(people) if people else Account()
    version, missing = _version(asked, account) if people else ({}, said.NAME_FIRST)
    if ledger.asks_who and not who:
        missing = missing or said.WHO_FIRST
    plan = _plan(asked, account)
    _say_spent(asked, account, plan)
    refused = stewards.refusal() or (ledger.refusal(account, guarantee, plan) if people else "")
    keys: list[str] = []
    agreed = False
    if stamp := stamp_of(guarantee):
        st.error(words.escape(stamp, words.SENTENCE_LENGTH))
    if not refused and not missing:
        if raised := ledger.raises(account, guarantee, plan):
            st.warning(release_words.raises(*raised))
        after = account.ledger.total(guarantee, plan=plan)
        first = not account.ledger.entries
        costs = (release_words.acknowledge_first if first else release_words.acknowledge_another)(after)
        sentences = [*([release_words.acknowledge(guarantee)] if stamp else []), costs]
        keys = [f"tables: agreed {drawn} {people} {asked.membership} {version}: {one}" for one in sentences]
        ticked = [st.checkbox(one, key=key) for one, key in zip(sentences, keys, strict=True)]
        agreed = all(ticked)
    st.button(
        f"Release the table once, epsilon = {printed_bound(getattr(guarantee, 'epsilon', 0.0))}", type="primary",
        key=f"tables: draw {drawn}", disabled=bool(refused or missing) or not agreed, on_click=_draw,
        args=(asked, people, who, version, drawn, keys, account.ledger, _said()),
    )  # fmt: skip
    if refused or missing:
        (st.error if refused else st.info)(words.escape(refused or missing, words.SENTENCE_LENGTH))
    if failed := st.session_state.pop(_FAILED, ""):
        st.error(failed)
    st.caption(release_words.draw(ledger.of_a_draw))


def _version(asked: Asked, account: Account) -> tuple[dict[str, str], str]:
    """The version of the table, or that which it corrects, neither for another table, and what must be said first,
    where it was released before.
    """
    before = account.ledger.asked(*called_in_ledger(asked.table, asked.membership))
    if not before:
        return {}, ""
    key = f"tables: version after {len(account.lines)} {before[-1].release}"
    answer = st.radio(release_words.asked_before(before[-1]), release_words.VERSIONS, index=None, key=key)
    if answer is None:
        return {}, release_words.VERSION_FIRST
    if answer != release_words.SAME:
        return {"corrects": before[-1].version} if answer == release_words.CORRECTED else {}, ""
    last = next(line for line in account.lines if line.entry.release == before[-1].release)
    if not (last.is_table and _made(last).is_of(asked.table, asked.membership)):
        return {}, said.NOT_THE_SAME
    return {"version": before[-1].version}, ""


def _plan(asked: Asked, account: Account) -> Plan | None:
    """The plan that the draw would be on; where the people have one that it is not, that is said."""
    alone = one_draw(asked.mechanisms, asked.table, asked.membership)
    found = account.plan_for(*alone) if alone else None
    if found is None and account.people and account.people.plans:
        st.info(said.OFF_THE_PLAN if alone is None else release_words.OFF_THE_PLAN)
    return found


def _draw(
    asked: Asked, people: str, who: str, version: dict[str, str], drawn: int, agreed: Sequence[str], before: Ledger,
    read: dict[str, Any],
) -> None:
    """The one place where a table is drawn: the button's callback, for what was on the screen when it was read."""
    if st.session_state.get(_DRAWN, 0) != drawn or not all(map(st.session_state.get, agreed)):
        return
    ledger = options.ledger()
    try:
        if refused := stewards.refusal():
            raise ValueError(refused)
        if _said() != read or ledger.account(people).ledger != before:
            st.session_state[_FAILED] = said.CHANGED
            st.session_state.update(dict.fromkeys(agreed, False))
            return
        ledger.release_table(people, asked.mechanisms, asked.table, asked.priors, membership=asked.membership,
                             **version, who=who)  # fmt: skip
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


def _say_spent(asked: Asked, account: Account, plan: Plan | None) -> None:
    """What these people have, before and after; and that their groups' sizes are out already, where they are to be
    hidden.
    """
    ledger = options.ledger()
    if not account.people and stewards.may_look() and ledger.names:
        st.caption(release_words.names_in_it(ledger.names))
    entry = table_entry(asked.guarantee, asked.mechanisms, asked.table, "asked", membership=asked.membership,
                        time="2000-01-01T00:00:00Z")  # fmt: skip
    entry = dataclasses.replace(entry, plan=plan.token if plan else "")
    there = account.entered(said.EVERYBODY, ledger.epsilon)
    after = dataclasses.replace(there, lines=(*account.lines, KeptRelease(entry)))
    budget = there.people.budget if there.people else None
    st.caption(said.spent(budget, account.ledger.total(), ledger.left(account), ledger.left(after)))
    if asked.membership == "private" and (out := _sizes_are_out(asked.table, account)):
        st.warning(said.sizes_are_out(out))


def _sizes_are_out(table: CountTable, account: Account) -> str:
    """When sizes of these groups were published; empty where they were not."""
    times = [made.time for made in map(_made, (line for line in account.lines if line.is_table))
             if made.membership == "public" and len({*made.groups} & {*table.groups}) > 1]  # fmt: skip
    return times[-1] if times else ""


# --- after ---


def _show() -> None:
    """The newest table about the people who were named, its files, and what all releases of it say."""
    if not (people := st.session_state.get(_PEOPLE, "")):
        return
    account = options.ledger().account(people)
    every = account.lines
    lines = [line for line in every if line.is_table]
    if not lines:
        return
    newest = lines[-1].entry
    with downloads.collected(downloads.Shown({"People": people}, "")):
        _files(_made(lines[-1]), account, newest)
        same = [_made(line) for line in lines if newest.table and line.entry.table == newest.table]
        if len(same) > 1:
            with guard.part():
                _together(tables_together(same))
        if others := len(every) - len(same):
            st.caption(said.not_read(others))


def _together(found: TablesTogether) -> None:
    st.subheader(said.TOGETHER)
    for sentence in filter(None, (found.stamp, found.contradiction)):
        st.warning(words.escape(sentence, words.SENTENCE_LENGTH))
    st.markdown(said.together(len(found.releases)))
    _rows(table_rows(found.releases[-1], found), f"tables-together-{found.releases[-1].time.replace(':', '-')}")


def _made(line: KeptRelease) -> TableRelease:
    known: dict[str, TableRelease] = st.session_state.setdefault(_READ, {})
    if line.entry.release not in known:
        known[line.entry.release] = read_release_table(line.document or "")
    return known[line.entry.release]


def _files(made: TableRelease, account: Account, entry: LedgerEntry) -> None:
    st.subheader("The table that was released")
    token, standing, ledger = entry.release, account.standing(entry.release), options.ledger()
    for sentence in standing.words:
        st.markdown(words.escape(sentence, words.SENTENCE_LENGTH))
    budget = account.people.budget if account.people else None
    st.caption(said.spent(budget, account.ledger.total(), ledger.left(account)))
    if made.stamp:
        st.error(words.escape(made.stamp, words.SENTENCE_LENGTH))
    st.markdown(words.escape(f"{made.guarantee.words}. {made.composition}", words.SENTENCE_LENGTH))
    name = f"table-{made.time.replace(':', '-')}-{token[:4]}"
    with st.container(horizontal=True, gap="small"):
        downloads.offer("Table (JSON)", lambda: made.to_json().encode(), f"dpbi-{name}.json", "application/json",
                        then=lambda: leaving.saved(token))  # fmt: skip
        downloads.offer("Statement of the table (HTML)", lambda: table_statement_html(made, standing=standing).encode(),
                        f"dpbi-{name}.html", "text/html")  # fmt: skip
        downloads.offer("Statement of the table (Markdown)",
                        lambda: table_statement_markdown(made, standing=standing).encode(), f"dpbi-{name}.md",
                        "text/markdown")  # fmt: skip
    _rows(table_rows(made), name)


def _rows(rows: list[Row], name: str) -> None:
    there = [column for column in rows[0] if any(row[column] is not None for row in rows)]
    tables.draw(data_tables.every_column([{column: row[column] for column in there} for row in rows], name))
