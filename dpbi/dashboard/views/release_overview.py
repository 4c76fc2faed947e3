"""The page Ledger: all people, what was asked and released, what is spent and left; and corrections of it."""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from dpbi.dashboard.session import address, options, settings, stewards
from dpbi.dashboard.shown import downloads, tables
from dpbi.dashboard.sidebar import menu
from dpbi.dashboard.views import release_ledger
from dpbi.dashboard.words import guard, release as release_words, words
from dpbi.mechanisms.printed_bound import added
from dpbi.releases.kept_ledger import Account, charges_of, of_all
from dpbi.releases.ledger import NAME_LONGEST, LedgerEntry, Merged, folded

_FOR_A_ROOM = frozenset({"People", "Spent", "Left", "Budget", "Releases", "Question", "Release", "epsilon", "Version",
                         "Last (UTC)", "Time (UTC)"})  # fmt: skip
_CORRECTED, _REFUSED = (f"ledger: {part}" for part in ("corrected", "refused"))


def draw() -> None:
    """What there is, found by words of it; its files; the corrections."""
    if not stewards.may_look():
        st.info(release_words.LOG_IN_TO_SEE)
        stewards.offer_login()
        return
    if said := stewards.known_as():
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(words.escape(said, words.SENTENCE_LENGTH))
            st.button("Log out", on_click=st.logout)
    release_ledger.say_notice()
    accounts = release_ledger.everybody()
    if not accounts:
        st.markdown(release_words.EMPTY)
        st.page_link(menu.page("Release").path, label="To the page Release",
                     query_params=address.elsewhere(on_tour=False))  # fmt: skip
        return
    wanted = st.text_input("Search", key="ledger: search", placeholder=release_words.SEARCH,
                           max_chars=NAME_LONGEST).casefold().split()  # fmt: skip
    kept = [_found(one, wanted) for one in accounts]
    some = [one for one, lines in zip(accounts, kept, strict=True) if any(lines) or _holds(wanted, *_of_people(one))]
    which = [line for lines in kept for line in lines]
    whole, lines = charges_of(accounts), [line for one in accounts for line in one.lines]
    st.markdown(release_words.found((sum(which), len(which)), (len(some), len(accounts))))
    with downloads.collected(downloads.Shown({}, "")):
        st.header("People")
        if some:
            _show(_people(some), "ledger-people", tables.PEOPLE_OF_LEDGER, "One row for each people")
        if any(which):
            st.header("Questions")
            _show(_questions(accounts, kept), "ledger-questions", {}, "One row for each question of people")
            st.caption(release_words.QUESTIONS)
            st.header("Releases")
            _show(_not_empty(release_ledger.table(whole, lines)[which]), "ledger-all-releases",
                  tables.LEDGER_OF_RELEASES, "One row for each release")  # fmt: skip
    downloads.offer("Whole ledger (JSON)", lambda: of_all(accounts).to_json().encode(), "dpbi-ledger-whole.json",
                    "application/json")  # fmt: skip
    release_ledger.say_what_is_not_in_it(lines, "below")
    with guard.part():
        _tables(accounts, kept)
    st.header("Correct what was said")
    st.markdown(release_words.CORRECT)
    with guard.part():
        _correct(accounts)


def _show(table: pd.DataFrame, name: str, columns: dict[str, Any], alt: str) -> None:
    """In a room the columns that fit on a line: no sentences, nor what is for the keeper alone."""
    some = table[[title for title in table if title in _FOR_A_ROOM]] if settings.get(address.TALK) else table
    tables.show(some, name, columns, alt, lambda: table)


def _name(account: Account) -> str:
    return account.people.name if account.people else ""


def _found(account: Account, wanted: Sequence[str]) -> list[bool]:
    """Which of the lines hold every word, in what is said of them, what was before, or of their people."""
    states = release_ledger.states(account.ledger, account.lines)
    return [_holds(wanted, *_of_people(account), *_said(line.entry), state)
            for line, state in zip(account.lines, states, strict=True)]


def _of_people(account: Account) -> tuple[str, ...]:
    people = account.people
    return (people.name, *people.broken, *(f"{was.before} {was.who}" for was in people.renamed)) if people else ()


def _said(entry: LedgerEntry) -> tuple[str, ...]:
    before = (f"{was.before} {was.who}" for was in entry.corrected)
    return entry.question, entry.part, entry.mechanism, entry.time, entry.who, entry.remark, *before


def _holds(wanted: Sequence[str], *texts: str) -> bool:
    text = " ".join(texts).casefold()
    return all(word in text for word in wanted)


def _people(accounts: Sequence[Account]) -> pd.DataFrame:
    rows = []
    for one in accounts:
        people, ledger = one.people, one.ledger
        rows.append({
            "People": words.plain(people.name) if people else "",
            "Spent": ledger.total().words,
            "Left": release_words.left(options.ledger().left(one), beyond=one.beyond),
            "Budget": people.budget if people else None,
            "Releases": len(ledger.entries),
            "Last (UTC)": max((entry.time for entry in ledger.entries), default=""),
            "Changed": words.plain(" ".join((*people.broken, *(was.words for was in people.renamed))),
                                   words.SENTENCE_LENGTH) if people else "",
            "Planned": words.plain(" ".join(map(release_words.set_by, people.plans)),
                                   words.SENTENCE_LENGTH) if people else "",
        })  # fmt: skip
    found = pd.DataFrame(rows)
    return _not_empty(found.assign(Budget=pd.to_numeric(found["Budget"])))


def _questions(accounts: Sequence[Account], kept: Sequence[Sequence[bool]]) -> pd.DataFrame:
    """A row for each question of people, with what the releases of it cost by the plain sum."""
    rows: dict[tuple[str, str], list[tuple[float | None, str]]] = {}
    titles: dict[tuple[str, str], tuple[str, str]] = {}
    for account, which in zip(accounts, kept, strict=True):
        for line, shown in zip(account.lines, which, strict=True):
            for question, epsilon in line.asked if shown else ():
                key = _name(account), folded("the question", question) if question else ""
                titles.setdefault(key, (_name(account), question))
                rows.setdefault(key, []).append((epsilon, line.entry.time))
    return pd.DataFrame({
        "Question": [words.plain(titles[key][1]) for key in rows],
        "epsilon": pd.to_numeric(pd.Series([_sum(epsilon for epsilon, _ in of) for of in rows.values()])),
        "People": [words.plain(titles[key][0]) for key in rows],
        "Releases": [len(of) for of in rows.values()],
        "Last (UTC)": [max(time for _, time in of) for of in rows.values()],
    })


def _sum(epsilons: Iterable[float | None]) -> float | None:
    """None where one of them is no bound."""
    listed = list(epsilons)
    return None if None in listed else added(epsilon for epsilon in listed if epsilon is not None)


def _tables(accounts: Sequence[Account], kept: Sequence[Sequence[bool]]) -> None:
    """Those that were released at once, of whomever: one of them, with what it is and its files."""
    found = [(account, line) for account, which in zip(accounts, kept, strict=True)
             for line, shown in zip(account.lines, which, strict=True) if shown and line.is_table]  # fmt: skip
    if not found:
        return
    st.header(release_words.TABLES)
    place = st.selectbox(
        "Which table", range(len(found) - 1, -1, -1), index=None if len(found) > 1 else 0, width=640,
        placeholder="Choose one", key=f"ledger: table of {[line.entry.release for _, line in found]}",
        format_func=lambda i: release_words.called_of(_name(found[i][0]), found[i][1].entry),
    )  # fmt: skip
    if place is not None:
        release_ledger.show_table(*found[place])


def _not_empty(table: pd.DataFrame) -> pd.DataFrame:
    """Without the columns in which nothing stands."""
    return table[[title for title, values in table.items() if not all(pd.isna(one) or one == "" for one in values)]]


# --- corrections ---


def _correct(accounts: Sequence[Account]) -> None:
    if said := st.session_state.pop(_REFUSED, ""):
        st.error(said)
    if said := st.session_state.pop(_CORRECTED, ""):
        st.success(said)
    refused = stewards.refusal()
    if refused:
        st.info(words.escape(refused, words.SENTENCE_LENGTH))
    names = [one.people.name for one in accounts if one.people]
    place = st.selectbox("Of whom", range(len(names)), format_func=lambda i: words.plain(names[i]), width=360,
                         key=f"ledger: people of {names}")  # fmt: skip
    account, who = accounts[place], release_ledger.ask_who("ledger: who")
    if options.ledger().asks_who and not who:
        refused = release_words.WHO_FIRST
        st.caption(refused)
    st.subheader("The name of the people")
    now = st.text_input("Their name", names[place], NAME_LONGEST, key=f"ledger: name of {names[place]}", width=360)
    empty: list[str] = []
    agreed = True
    with guard.beside(empty):
        others = options.ledger().account(now)
        if others.people and others.people.token != (account.people and account.people.token):
            st.warning(words.escape(release_words.same_people(others.people.name), words.SENTENCE_LENGTH))
            before = {*account.people.merged, *others.people.merged} if account.people else {*others.people.merged}
            agreed = _merge(account.renamed(now, others, who), before, f"ledger: {names[place]} are {now}")
    st.button("Correct the name", disabled=bool(refused or empty) or not agreed or now.strip() == names[place],
              on_click=_make,
              args=(lambda: options.ledger().rename(names[place], now, who), who))  # fmt: skip
    if account.lines:
        st.subheader("A release of theirs")
        _correct_a_release(account, names[place], who, bool(refused))


def _merge(both: Account, before: Collection[Merged], key: str) -> bool:
    """Says what would become of promises where two names become one; whether that is agreed to. before: what was put
    down of either already.
    """
    people, ledger = both.people, both.ledger
    new = [one for one in people.merged if one not in before] if people else []
    said = release_words.will_come_to(ledger.total(), people.budget if people else None, new)
    st.markdown(words.escape(said, words.SENTENCE_LENGTH))
    return not both.beyond or st.checkbox(release_words.BEYOND, key=f"{key}: {ledger.total().words}")


def _correct_a_release(account: Account, name: str, who: str, refused: bool) -> None:
    entries = account.whole.entries
    place = st.selectbox("Which release", range(len(entries) - 1, -1, -1), width=640,
                         format_func=lambda i: f"{i + 1}: {release_words.called(entries[i])}",
                         key=f"ledger: release of {name}, {len(entries)}")  # fmt: skip
    entry = entries[place]
    with st.container(horizontal=True):
        question = st.text_input("Its question", entry.question, NAME_LONGEST, width=360,
                                 key=f"ledger: question of {entry.release} {entry.question}").strip()  # fmt: skip
        remark = st.text_input("Its remark", entry.remark, NAME_LONGEST, width=360,
                               key=f"ledger: remark of {entry.release} {entry.remark}").strip()  # fmt: skip
    version = _ask_for_the_table(account, entry, question or entry.question)
    corrects = _ask_what_it_corrects(account, entry) if version is None and question == entry.question else None
    unchanged = (question or entry.question) == entry.question and remark == entry.remark and (
        version is None and corrects is None)

    def correct() -> None:
        options.ledger().correct(name, entry.release, question=question or None, version=version, corrects=corrects,
                                 remark=remark, who=who)  # fmt: skip

    st.button("Correct the release", disabled=refused or unchanged, on_click=_make, args=(correct, who))


def _ask_for_the_table(account: Account, entry: LedgerEntry, question: str) -> str | None:
    """Which table the release is of: the token of a version of the question, "" for one of its own, None as it is.

    Of a question that it was not of it is another table, unless that is said.
    """
    if not question:
        return None
    others = [one for one in account.whole.asked(question, entry.part) if one.release != entry.release]
    newest = {one.version: one for one in others}
    same = folded("the question", question) == folded("the question", entry.question) if entry.question else False
    tables: dict[str | None, str] = {None: release_words.AS_IT_IS if same else release_words.ANOTHER_OF_THAT}
    if entry.version in newest:
        tables[""] = release_words.ANOTHER_TABLE
    for version, last in newest.items():
        if version != entry.version or not same:
            tables[version] = release_words.same_table(account.whole.place(last) or 0, last)
    if len(tables) == 1:
        return None
    return st.selectbox("Its table is", list(tables), format_func=lambda version: tables[version], width=480,
                        key=f"ledger: table of {entry.release} {entry.version} for {question}")  # fmt: skip


def _ask_what_it_corrects(account: Account, entry: LedgerEntry) -> str | None:
    """The token of the version in whose place its table is to be used, "" for none, None as it is said."""
    newest = {one.version: one for one in account.ledger.asked(entry.question, entry.part)} if entry.table else {}
    if len(newest) < 2:
        return None
    said = {"": release_words.NOT_CORRECTING} | {
        version: release_words.version_of(place, last)
        for place, (version, last) in enumerate(newest.items(), 1) if version != entry.version}
    now = entry.replaces if entry.replaces in said else ""
    found: str = st.selectbox("It is a corrected one, in place of", list(said), format_func=lambda one: said[one],
                              index=list(said).index(now), width=640,
                              key=f"ledger: {entry.release} corrects, not {entry.replaces}")  # fmt: skip
    return None if found == now else found


def _make(change: Callable[[], None], who: str) -> None:
    """A button's callback: the change, by whoever may make it, whatever the page had said."""
    refused: dict[str, list[str]] = {}
    with guard.refusal(refused, ""):
        if said := stewards.refusal():
            raise ValueError(said)
        if options.ledger().asks_who and not who:
            raise ValueError(release_words.WHO_FIRST)
        change()
        st.session_state[_CORRECTED] = release_words.IS_CORRECTED
    for sentence in refused:
        st.session_state[_REFUSED] = sentence
