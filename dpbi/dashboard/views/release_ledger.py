"""The ledger of releases: what the people named on the page have been promised away, and a ledger brought here.

Whose answers are released, to what question and from which version of their table the person says; that counts differ
from those released before as the same table is noticed in this session's memory alone, and said on the screen.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd
import streamlit as st

from dpbi import ApproximateDP, Mechanism, NotPrivate, Problem, Release, read_release_table, tables as data_tables
from dpbi.dashboard.scenario import Scenario
from dpbi.dashboard.session import address, leaving, options, stewards
from dpbi.dashboard.shown import charts, downloads, tables
from dpbi.dashboard.sidebar import entries as typed_entries, menu
from dpbi.dashboard.words import guard, release as release_words, words
from dpbi.privacy.composition import RELEASES_LARGEST
from dpbi.releases.kept_ledger import Account, KeptRelease, of_all
from dpbi.releases.ledger import NAME_LONGEST, Ledger, LedgerEntry, ReadTogether, folded, together_table
from dpbi.releases.plan import Plan, can_be_planned, new_plan
from dpbi.releases.table_statement import table_rows, table_statement_html, table_statement_markdown

_KNOWN, _EVERYBODY, _PEOPLE, _WHO, _QUESTIONS, _COUNTS, _WAITING, _REFUSED, _ROUND = (
    f"ledger of releases: {part}" for part in (
        "known", "everybody", "people", "who", "questions", "counts", "waiting", "refused", "round"))
_NUMBER, _DELTA, _PLAN_REFUSED = (f"release: {part} of the plan" for part in ("number", "delta", "refusal"))
CATEGORIES_DRAWN = 20

Data = tuple[tuple[str, ...], tuple[int, ...]]


@dataclass(frozen=True)
class Subject:
    """What the person says is released. version: the table's token, None for another table; missing: what was not said
    yet; entries: what was read from each entry of the page, by its key; who: releases; remark: of theirs; corrects: the
    token of the table that it takes the place of, empty for none.
    """

    people: str
    question: str
    version: str | None
    missing: str
    entries: Mapping[str, str]
    who: str = ""
    remark: str = ""
    corrects: str = ""


def drawn(mechanism: Mechanism, chosen: Data, prior: tuple[float, ...], subject: Subject) -> None:
    """The draw, and its place in the ledger. ValueError where refused, whatever the page had said."""
    labels, counts = chosen
    if refused := stewards.refusal():
        raise ValueError(refused)
    _, entry = options.ledger().release(subject.people, mechanism, Problem(prior, counts), labels,
                                        question=subject.question, version=subject.version,
                                        corrects=subject.corrects, who=subject.who, remark=subject.remark)
    st.session_state.setdefault(_COUNTS, {})[entry.version] = chosen


def account() -> Account:
    """What the ledger holds of the people named on the page; read again once it has changed."""
    name: str = st.session_state.get(_PEOPLE, "")
    if not name or not stewards.may_look():
        return Account()
    asked = options.ledger().changes, name  # before it is read: the answer may be newer, never older
    known, found = st.session_state.get(_KNOWN, (None, Account()))
    if known != asked:
        found = options.ledger().account(name)
        st.session_state[_KNOWN] = asked, found
    return found


def named_elsewhere(people: str) -> None:
    """Those whose total is shown, where nobody is named beside the button of a single release."""
    if people and not st.session_state.get("release: people"):
        st.session_state[_PEOPLE] = people


def everybody() -> tuple[Account, ...]:
    """What the ledger holds of all people; read again once it has changed, as a large one takes seconds."""
    asked = options.ledger().changes  # before it is read, as above
    known, found = st.session_state.get(_EVERYBODY, (None, ()))
    if known != asked:
        found = options.ledger().accounts
        st.session_state[_EVERYBODY] = asked, found
    return tuple(found)


def shown() -> list[LedgerEntry]:
    """The releases about the people named on the page that can be shown."""
    here = account()
    return [entry for line, entry in zip(here.lines, here.whole.entries, strict=True) if line.can_be_shown]


def data_of(chosen: Scenario) -> Data:
    return chosen.labels, chosen.problem.counts


def say_notice() -> None:
    """What must be known of the ledger before people are named in it, and who sees it."""
    if notice := options.ledger().notice:
        st.info(words.escape(notice, words.SENTENCE_LENGTH))
    if stewards.login_is_configured():
        st.caption(release_words.LOG_IN_TO_SEE)


def ask(chosen: Scenario) -> Subject:
    """Whose answers these are, what was asked, and, where that was released before, whether of the same table."""
    say_notice()
    with st.container(horizontal=True):
        people = st.text_input("Whose answers these are", st.session_state.get(_PEOPLE, ""), NAME_LONGEST,
                               key="release: people", width=360, help=release_words.PEOPLE_HELP,
                               placeholder=release_words.PEOPLE_EXAMPLE).strip()  # fmt: skip
        data, questions = data_of(chosen), st.session_state.setdefault(_QUESTIONS, {})  # by data
        place = list(questions).index(data) if data in questions else len(questions)
        question = st.text_input("What was asked", questions.get(data, ""), NAME_LONGEST,
                                 key=f"release: question {place}", width=360, help=release_words.QUESTION_HELP,
                                 placeholder=release_words.QUESTION_EXAMPLE).strip()  # fmt: skip
        who = ask_who("release: who")
        remark = st.text_input("Remark", max_chars=NAME_LONGEST, key="release: remark", width=360,
                               help=release_words.REMARK_HELP).strip()  # fmt: skip
    st.session_state[_PEOPLE], questions[data] = people, question
    if stewards.may_look() and (names := options.ledger().names):
        st.caption(release_words.names_in_it(names))
    entries = {"release: people": people, f"release: question {place}": question, "release: remark": remark}
    if not stewards.name():
        entries["release: who"] = who
    if not people or not question:
        return Subject(people, question, None, release_words.NAME_FIRST, entries)
    said = _ask_for_the_version(chosen, people, question, entries)
    if options.ledger().asks_who and not who and not said.missing:
        said = replace(said, missing=release_words.WHO_FIRST)
    return replace(said, who=who, remark=remark)


def ask_who(key: str) -> str:
    """Who makes an entry: as the login has it, else as typed."""
    if here := stewards.name():
        st.text_input("Who you are", here, disabled=True, key=f"{key}, by the login", width=240)
        return here
    typed: str = st.text_input("Who you are", st.session_state.get(_WHO, ""), NAME_LONGEST, key=key, width=240,
                               help=release_words.WHO_HELP).strip()  # fmt: skip
    st.session_state[_WHO] = typed
    return typed


def plan(mechanism: Mechanism, chosen: Scenario, subject: Subject) -> None:
    """What was planned for the people, or a plan to be set, with what it would cost beside the plain sum."""
    here = account()
    plans = here.people.plans if here.people else ()
    if here.begun:
        on, _ = here.ledger.drawn()
        for one in plans:
            st.caption(words.escape(release_words.planned(one, on.get(one, 0)), words.SENTENCE_LENGTH))
        if not here.plan_for(mechanism, chosen.problem.k, chosen.problem.n):
            st.info(release_words.OFF_THE_PLAN)
        return
    if not can_be_planned(mechanism, chosen.problem.k, chosen.problem.n):
        return
    with st.expander("Plan several releases, which cost less together", expanded=bool(plans)):
        st.markdown(release_words.PLAN)
        for one in plans:
            st.info(words.escape(f"Planned: {one.words}. It has no release yet.", words.SENTENCE_LENGTH))
        with st.container(horizontal=True):
            number = st.text_input("How many releases", "20", key=_NUMBER, width=160)
            delta = st.text_input("delta of the plan", "1e-6", key=_DELTA, width=160, help=release_words.DELTA_HELP)
        with guard.part():
            made = _plan(mechanism, chosen, number, delta, subject.who)
            st.markdown(release_words.plan_costs(made))
            if warning := release_words.large_delta(made):
                st.warning(warning)
            refused = stewards.refusal() or subject.missing
            st.button("Set this plan", disabled=bool(refused), on_click=_set_plan, args=(subject.people, made))
            if plans:
                st.button("Take the plan away", disabled=bool(refused), on_click=_set_plan,
                          args=(subject.people, None))  # fmt: skip
        if said := st.session_state.pop(_PLAN_REFUSED, ""):
            st.error(said)


def _plan(mechanism: Mechanism, chosen: Scenario, number: str, delta: str, who: str) -> Plan:
    how_many = typed_entries.whole("The number of releases", number, 1, RELEASES_LARGEST)
    typed = typed_entries.number
    return new_plan(mechanism, chosen.problem.k, chosen.problem.n, how_many, typed("delta", delta), who)


def _set_plan(people: str, made: Plan | None) -> None:
    """A button's callback."""
    refused: dict[str, list[str]] = {}
    with guard.refusal(refused, ""):
        if said := stewards.refusal():
            raise ValueError(said)
        options.ledger().plan(people, made)
    for sentence in refused:
        st.session_state[_PLAN_REFUSED] = sentence


def _ask_for_the_version(chosen: Scenario, people: str, question: str, entries: Mapping[str, str]) -> Subject:
    of = account().whole
    asked = of.asked(question)
    if not asked:
        return Subject(people, question, None, "", entries)
    key = f"release: version after {len(of.entries)} of {folded('the question', question)}"
    last = asked[-1]
    said = st.radio(release_words.asked_before(last), release_words.VERSIONS, index=None, key=key)
    if said is None:
        return Subject(people, question, None, release_words.VERSION_FIRST, entries)
    entries = {**entries, key: said}
    if said != release_words.SAME:
        return Subject(people, question, None, "", entries,
                       corrects=last.version if said == release_words.CORRECTED else "")
    labels, counts = data_of(chosen)
    if last.n != sum(counts) or (last.categories and last.categories != labels):
        return Subject(people, question, None, release_words.NOT_THE_SAME, entries)
    if st.session_state.get(_COUNTS, {}).get(last.version) not in (None, (labels, counts)):
        st.warning(release_words.COUNTS_DIFFER)
    return Subject(people, question, last.version, "", entries)


def draw() -> None:
    """The total, every entry, the file; and the place to bring one."""
    if not stewards.may_look():
        st.info(release_words.LOG_IN_TO_SEE)
        return
    here = account()
    accounts = options.ledger().beside(here)
    whole = of_all(accounts)
    if whole.entries:
        st.markdown(release_words.total(here.ledger, len(whole.entries) - len(here.lines)))
        with downloads.collected(downloads.Shown({}, "")):
            alt = "One row per release: what it promised"
            lines = [line for one in accounts for line in one.lines]
            tables.show(table(whole, lines), "ledger-of-releases", tables.LEDGER_OF_RELEASES, alt)
            if any(line.broken_off for line in lines):
                st.warning(release_words.SAY_BROKEN_OFF)
            for said in (one.words for entry in whole.entries for one in entry.corrected if one.what == "cost"):
                st.warning(words.escape(said, words.SENTENCE_LENGTH))
        downloads.offer("Ledger (JSON)", lambda: whole.to_json().encode(), "dpbi-ledger.json", "application/json")
        say_what_is_not_in_it(lines, "on the page Ledger")
    else:
        st.markdown(release_words.NOTHING)
    if kept := options.ledger().kept(here.people):
        st.caption(words.escape(kept, words.SENTENCE_LENGTH))
    st.page_link(menu.page("Ledger").path, label=release_words.ALL_OF_IT,
                 query_params=address.elsewhere(on_tour=False))  # fmt: skip
    with st.expander("Bring an exported ledger", expanded=_WAITING in st.session_state or _REFUSED in st.session_state):
        _bring(st.session_state.get(_PEOPLE, ""))


def show_together(found: ReadTogether, release: Release, labels: tuple[str, ...]) -> None:
    """One posterior from all releases of a table, its intervals beside those of each."""
    from dpbi.figures.release import together as drawn_together

    st.subheader("All releases of this table read together")
    if found.contradiction:
        st.warning(words.escape(found.contradiction, words.SENTENCE_LENGTH))
    st.markdown(release_words.together(found, release.prior))
    if rows := together_table(found, labels[:CATEGORIES_DRAWN]):
        stamp = {"Stamp": found.stamp} if found.stamp else {}
        with downloads.collected(downloads.Shown(stamp, found.stamp)):  # of several, not of the one that is shown
            charts.draw(drawn_together(found, rows, labels), "read-together")


def table(whole: Ledger, lines: Sequence[KeptRelease]) -> pd.DataFrame:
    """A row for each release. whole: their ledger, in the same order."""
    places = whole.places()
    guarantees = [entry.guarantee for entry in whole.entries]
    return pd.DataFrame(
        {
            "People": [words.plain(whole.name_of(entry.people)) for entry in whole.entries],
            "Question": [words.plain(entry.question) for entry in whole.entries],
            "Release": states(whole, lines),
            "epsilon": [None if isinstance(one, NotPrivate) else one.epsilon for one in guarantees],
            "Version": [place and place[0] for place in places],
            "Mechanism": [words.plain(entry.mechanism) for entry in whole.entries],
            "Time (UTC)": [entry.time for entry in whole.entries],
            "n": [entry.n for entry in whole.entries],
            "Guarantee": [words.guarantee(guarantee) for guarantee in guarantees],
            "delta": [one.delta if isinstance(one, ApproximateDP) else None for one in guarantees],
            "Part": [words.plain(entry.part) for entry in whole.entries],
            "Plan": ["planned" if entry.plan else "" for entry in whole.entries],
            "Who": [words.plain(entry.who) for entry in whole.entries],
            "Remark": [words.plain(entry.remark, NAME_LONGEST) for entry in whole.entries],
            "Corrected": [words.plain(" ".join(one.words for one in entry.corrected), words.SENTENCE_LENGTH)
                          for entry in whole.entries],
        }
    )


def states(whole: Ledger, lines: Sequence[KeptRelease]) -> list[str]:
    """What became of each release. whole: their ledger, in the same order."""
    return [release_words.state(line, superseded=entry.version in whole.superseded)
            for line, entry in zip(lines, whole.entries, strict=True)]


def show_table(account: Account, line: KeptRelease) -> None:
    """A table that was released at once, with whose answers it holds, to what, when and by whom, how it stands among
    all releases about them, and its files.
    """
    made, people = read_release_table(line.document or ""), account.people.name if account.people else ""
    standing = account.standing(line.entry.release)
    entry, name = line.entry, f"table-{made.time.replace(':', '-')}-{line.entry.release[:4]}"
    st.markdown(words.escape(release_words.of_a_table(people, made.questions, len(made.groups), entry),
                             words.SENTENCE_LENGTH))
    for sentence in standing.places:
        st.markdown(words.escape(sentence, words.SENTENCE_LENGTH))
    if made.stamp:
        st.error(words.escape(made.stamp, words.SENTENCE_LENGTH))
    st.markdown(words.escape(f"{made.guarantee.words}. {made.composition}", words.SENTENCE_LENGTH))
    about: dict[str, str | int | float] = {"People": people, "Time (UTC)": entry.time}
    with downloads.collected(downloads.Shown({**about, "Stamp": made.stamp} if made.stamp else about, made.stamp)):
        with st.container(horizontal=True, gap="small"):
            downloads.offer("This table (JSON)", lambda: made.to_json().encode(), f"dpbi-{name}.json",
                            "application/json", then=lambda: leaving.saved(entry.release))  # fmt: skip
            downloads.offer("Its statement (HTML)", lambda: table_statement_html(made, standing=standing).encode(),
                            f"dpbi-{name}.html", "text/html")  # fmt: skip
            downloads.offer("Its statement (Markdown)",
                            lambda: table_statement_markdown(made, standing=standing).encode(), f"dpbi-{name}.md",
                            "text/markdown")  # fmt: skip
        rows = table_rows(made)
        there = [column for column in rows[0] if any(row[column] is not None for row in rows)]
        tables.draw(data_tables.every_column([{column: row[column] for column in there} for row in rows], name))


def say_what_is_not_in_it(lines: Sequence[KeptRelease], where: str) -> None:
    """Beside a ledger's file: the counts of tables of several parts are in their own files alone. where: these are."""
    if tables_in := sum(line.is_table and line.whole.made is None for line in lines):
        st.caption(release_words.without_counts(tables_in, where))


# --- bringing ---


def _bring(name: str) -> None:
    st.file_uploader(release_words.BRING, key=_uploader(), max_upload_size=16, on_change=_take_file)
    if _REFUSED in st.session_state:
        st.error(st.session_state[_REFUSED])
    waiting: Ledger | None = st.session_state.get(_WAITING)
    if waiting is None:
        return
    for token in waiting.tokens:
        said = release_words.of_token(waiting.of([token]), waiting.name_of(token) or name)
        st.markdown(words.escape(said, words.SENTENCE_LENGTH))
    nameless = not all(map(waiting.name_of, waiting.tokens))
    if nameless:
        st.info(release_words.NAMELESS)
    with st.container(horizontal=True):
        st.button("Add to the ledger", type="primary", disabled=nameless and not name, on_click=_add,
                  args=(waiting, name))  # fmt: skip
        st.button("Put it away", on_click=_put_away)


def _uploader() -> str:
    return f"ledger of releases: file {st.session_state.setdefault(_ROUND, 0)}"


def _take_file() -> None:
    file = st.session_state.get(_uploader())
    _put_away()
    if file is None:
        return
    refused: dict[str, list[str]] = {}
    with guard.refusal(refused, ""):
        st.session_state[_WAITING] = Ledger.from_json(file.getvalue())
    for sentence in refused:
        st.session_state[_REFUSED] = sentence


def _add(waiting: Ledger, name: str) -> None:
    """To the people it names; what names nobody to those of the name."""
    _put_away()
    refused: dict[str, list[str]] = {}
    with guard.refusal(refused, ""):
        if said := stewards.refusal():
            raise ValueError(said)
        for token in waiting.tokens:
            of = waiting.of([token])
            plans = [plan for people in of.people for plan in people.plans]
            options.ledger().bring(waiting.name_of(token) or name, of.entries, plans)
    for sentence in refused:
        st.session_state[_REFUSED] = sentence


def _put_away() -> None:
    st.session_state[_ROUND] += 1
    for name in (_WAITING, _REFUSED):
        st.session_state.pop(name, None)
