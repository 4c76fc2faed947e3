"""The ledger of releases: what the people named on the page have been promised away, and a ledger brought here.

It is the session's own, where the app was started without one; else it is the file that all share. Both answer alike.
Whose answers are released, to what question and from which version of their table the person says; that counts differ
from those released before as the same table is noticed in this session's memory alone, and said on the screen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import pandas as pd
import streamlit as st

from dpbi.dashboard.scenario import Scenario
from dpbi.dashboard.session import leaving, options
from dpbi.dashboard.shown import charts, downloads, tables
from dpbi.dashboard.words import guard, words
from dpbi.dashboard.words import release as release_words
from dpbi.mechanisms import Mechanism
from dpbi.mechanisms.guarantee import ApproximateDP, Guarantee, NotPrivate
from dpbi.problem.problem import Problem
from dpbi.releases.ledger import NAME_LONGEST, Ledger, LedgerEntry, ReadTogether, folded, together_table
from dpbi.releases.ledger_file import LedgerFile
from dpbi.releases.ledger_in_memory import LedgerInMemory
from dpbi.releases.release import Release

_LEDGER, _KNOWN, _PEOPLE, _QUESTIONS, _COUNTS, _READ_TOGETHER, _WAITING, _REFUSED, _ROUND = (
    f"ledger of releases{part}" for part in (
        "", ": known", ": people", ": questions", ": counts", ": read together", ": waiting", ": refused", ": round"))
CATEGORIES_DRAWN = 20

Data = tuple[tuple[str, ...], tuple[int, ...]]
_Read = TypeVar("_Read")


@dataclass(frozen=True)
class Line:
    """One release as the page shows it. read: how to read it again; None for a charge alone."""

    entry: LedgerEntry
    read: Callable[[], tuple[Release, tuple[str, ...]]] | None
    state: str


@dataclass(frozen=True)
class Subject:
    """What the person says is released. version: the table's token, None for another table; missing: what was not said
    yet; entries: what was read from each entry of the page, by its key.
    """

    people: str
    question: str
    version: str | None
    missing: str
    entries: Mapping[str, str]


def drawn(mechanism: Mechanism, chosen: Data, prior: tuple[float, ...], subject: Subject) -> None:
    """The draw, and its place in the ledger: charged first where the ledger is a file. ValueError where refused."""
    labels, counts = chosen
    _, entry = _ledger().release(subject.people, mechanism, Problem(prior, counts), labels,
                                 question=subject.question, version=subject.version)
    st.session_state.setdefault(_COUNTS, {})[entry.version] = chosen
    if not _ledger().lasts:
        leaving.unsaved(entry.release)


def shown() -> list[Line]:
    """The releases about the people named on the page that can be shown."""
    return [line for line in _lines() if line.read]


def of_people() -> Ledger:
    """The charges of the people named on the page."""
    return _as_it_stands("charges", _ledger().ledger, Ledger())


def beside() -> Ledger:
    """The same, each with what was released where it is known."""
    return _as_it_stands("whole", _ledger().whole, Ledger())


def together(whole: Ledger, entry: LedgerEntry) -> ReadTogether | None:
    """The releases of one table read as one, None where there is but one; computed once in a session."""
    known: dict[str, tuple[Ledger, ReadTogether | None]] = st.session_state.setdefault(_READ_TOGETHER, {})
    if entry.release not in known or known[entry.release][0] != whole:
        with st.spinner("Reading all releases together"):
            made = next(one for one in whole.entries if one.release == entry.release)
            known[entry.release] = whole, whole.read_together(made)
    return known[entry.release][1]


def data_of(chosen: Scenario) -> Data:
    return chosen.labels, chosen.problem.counts


def ask(chosen: Scenario) -> Subject:
    """Whose answers these are, what was asked, and, where that was released before, whether of the same table."""
    names = _ledger().names
    if _ledger().lasts:
        st.info(release_words.SHARED)
    elif not names:  # nobody can tell from it what an earlier session released
        st.info(release_words.EMPTY)
    with st.container(horizontal=True):
        people = st.text_input("Whose answers these are", st.session_state.get(_PEOPLE, ""), NAME_LONGEST,
                               key="release: people", width=360, help=release_words.PEOPLE_HELP,
                               placeholder=release_words.PEOPLE_EXAMPLE).strip()  # fmt: skip
        questions, data = _questions(), data_of(chosen)
        place = list(questions).index(data) if data in questions else len(questions)
        question = st.text_input("What was asked", questions.get(data, ""), NAME_LONGEST,
                                 key=f"release: question {place}", width=360, help=release_words.QUESTION_HELP,
                                 placeholder=release_words.QUESTION_EXAMPLE).strip()  # fmt: skip
    st.session_state[_PEOPLE], questions[data] = people, question
    if _ledger().lasts and names:
        st.caption(release_words.names_in_it(names))
    entries = {"release: people": people, f"release: question {place}": question}
    if not people or not question:
        return Subject(people, question, None, release_words.NAME_FIRST, entries)
    return _ask_for_the_version(chosen, people, question, entries)


def _ask_for_the_version(chosen: Scenario, people: str, question: str, entries: Mapping[str, str]) -> Subject:
    of = beside()
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
        return Subject(people, question, None, "", entries)
    labels, counts = data_of(chosen)
    if last.n != sum(counts) or (last.categories and last.categories != labels):
        return Subject(people, question, None, release_words.NOT_THE_SAME, entries)
    if st.session_state.get(_COUNTS, {}).get(last.version) not in (None, (labels, counts)):
        st.warning(release_words.COUNTS_DIFFER)
    return Subject(people, question, last.version, "", entries)


def refusal(subject: Subject, guarantee: Guarantee) -> str:
    """Why no release of this guarantee can be made; empty where one can."""
    return _ledger().refusal(subject.people, guarantee) if subject.people else ""


def raises(subject: Subject, guarantee: Guarantee) -> str:
    """What a release of this guarantee does to the budget; empty where it keeps it."""
    return _ledger().raises(subject.people, guarantee) if subject.people else ""


def draw(chosen: Scenario) -> None:
    """The total, every entry, the file; and the place to bring one."""
    name: str = st.session_state.get(_PEOPLE, "")
    kept, here = _ledger(), of_people()
    whole = kept.everything() if isinstance(kept, LedgerInMemory) else beside()
    if not whole.entries:
        nothing = release_words.NO_RELEASE_OF_THE_NAME if name else release_words.NOBODY_NAMED
        st.markdown(nothing if kept.lasts else release_words.NO_RELEASE)
    else:
        st.markdown(release_words.total(here, len(whole.entries) - len(here.entries)))
        with downloads.collected(downloads.Shown({}, "")):
            alt = "One row per release: what it promised"
            tables.show(_table(whole), "ledger-of-releases", tables.LEDGER_OF_RELEASES, alt)
        downloads.offer("Ledger (JSON)", lambda: whole.to_json().encode(), "dpbi-ledger.json", "application/json")
    if isinstance(kept, LedgerFile):
        if any(line.state == release_words.BROKEN_OFF for line in _lines()):
            st.warning(release_words.SAY_BROKEN_OFF)
        st.caption(release_words.lasts(kept, next(iter(here.people), None)))
    elif whole.entries:
        st.caption(release_words.ENDS)
    if name or not kept.lasts:
        opened = _WAITING in st.session_state or _REFUSED in st.session_state
        with st.expander("Bring an exported ledger", expanded=opened):
            _bring(chosen, name)


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


def _lines() -> list[Line]:
    """Of the people named on the page."""
    nobody: list[Line] = []
    return list(_as_it_stands("lines", _lines_of, nobody))


def _lines_of(name: str) -> list[Line]:
    return [Line(one.entry, one.read if one.document else None, _state(one.broken_off, one.brought))
            for one in _ledger().of(name)]


def _as_it_stands(what: str, read: Callable[[str], _Read], nobody: _Read) -> _Read:
    """What the ledger answers of the people named on the page; read again once it has changed."""
    name: str = st.session_state.get(_PEOPLE, "")
    if not name:
        return nobody
    asked = _ledger().changes, name  # before it is read: the answer may be newer, never older
    kept: dict[str, tuple[Any, _Read]] = st.session_state.setdefault(_KNOWN, {})
    if what not in kept or kept[what][0] != asked:
        kept[what] = asked, read(name)
    return kept[what][1]


def _state(broken_off: bool, brought: bool) -> str:
    return release_words.BROKEN_OFF if broken_off else "brought" if brought else "kept"


def _ledger() -> LedgerFile | LedgerInMemory:
    if file := options.ledger_file():
        return file
    found: LedgerInMemory = st.session_state.setdefault(_LEDGER, LedgerInMemory())
    return found


def _questions() -> dict[Data, str]:
    found: dict[Data, str] = st.session_state.setdefault(_QUESTIONS, {})
    return found


def _table(whole: Ledger) -> pd.DataFrame:
    guarantees = [entry.guarantee for entry in whole.entries]
    lines = _lines() if _ledger().lasts else [line for name in _ledger().names for line in _lines_of(name)]
    return pd.DataFrame(
        {
            "People": [words.plain(whole.name_of(entry.people)) for entry in whole.entries],
            "Question": [words.plain(entry.question) for entry in whole.entries],
            "Version": [whole.of([entry.people]).place(entry) for entry in whole.entries],
            "Time (UTC)": [entry.time for entry in whole.entries],
            "Mechanism": [words.plain(entry.mechanism) for entry in whole.entries],
            "n": [entry.n for entry in whole.entries],
            "Guarantee": [words.guarantee(guarantee) for guarantee in guarantees],
            "epsilon": [None if isinstance(one, NotPrivate) else one.epsilon for one in guarantees],
            "delta": [one.delta if isinstance(one, ApproximateDP) else None for one in guarantees],
            "Release": [line.state for line in lines],
        }
    )


# --- bringing ---


def _bring(chosen: Scenario, name: str) -> None:
    st.file_uploader(release_words.BRING, key=_uploader(), max_upload_size=16, on_change=_take_file)
    if _REFUSED in st.session_state:
        st.error(st.session_state[_REFUSED])
    waiting: Ledger | None = st.session_state.get(_WAITING)
    if waiting is None:
        return
    parts = {token: waiting.of([token]) for token in waiting.tokens}
    if not name:
        st.info(release_words.WHOSE_FIRST)
    else:
        called = {token: waiting.name_of(token) for token in parts}
        fitting = [token for token, part in parts.items() if (
            folded("a name", called[token]) == folded("a name", name) if called[token]
            else part.entries[0].n == chosen.problem.n)]  # fmt: skip
        st.multiselect(
            release_words.WHICH,
            list(parts),
            default=fitting,
            format_func=lambda token: words.plain(release_words.of_token(parts[token], called[token]), 120),
            help=release_words.WHICH_HELP,
            key=_which(),
        )
    with st.container(horizontal=True):
        st.button("Add to the ledger", type="primary", disabled=not name, on_click=_add, args=(waiting, name))
        st.button("Put it away", on_click=_put_away)


def _uploader() -> str:
    return f"ledger of releases: file {st.session_state.setdefault(_ROUND, 0)}"


def _which() -> str:
    return f"ledger of releases: which {st.session_state[_ROUND]}"


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
    """Those that were picked to the people of the name; in a session's own ledger the others under their own names."""
    picked: list[str] = st.session_state.get(_which(), [])
    _put_away()
    refused: dict[str, list[str]] = {}
    with guard.refusal(refused, ""):
        _ledger().bring(name, waiting.of(picked).entries)
        for token in () if _ledger().lasts else waiting.tokens:
            if token not in picked:
                _ledger().bring(waiting.name_of(token) or f"people {token[:8]}", waiting.of([token]).entries)
    for sentence in refused:
        st.session_state[_REFUSED] = sentence


def _put_away() -> None:
    st.session_state[_ROUND] += 1
    for name in (_WAITING, _REFUSED):
        st.session_state.pop(name, None)
