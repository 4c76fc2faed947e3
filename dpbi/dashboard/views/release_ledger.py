"""The ledger of releases: what the data shown now have cost, and an earlier session's ledger brought here.

It is the session's own, where the app was started without a ledger: which token stands for which data is then known to
the session's memory alone, and to no file. Else it is the file that all share, and data are known by a name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd
import streamlit as st

import dpbi
from dpbi.dashboard.scenario import Scenario
from dpbi.dashboard.session import leaving, options
from dpbi.dashboard.shown import charts, downloads, tables
from dpbi.dashboard.words import guard, words
from dpbi.dashboard.words import release as release_words
from dpbi.mechanisms import Mechanism
from dpbi.mechanisms.guarantee import ApproximateDP, Guarantee, NotPrivate
from dpbi.problem.problem import Problem
from dpbi.releases.ledger import Ledger, LedgerEntry, ReadTogether, entry_of, new_token, together_table
from dpbi.releases.ledger_file import NAME_LONGEST, KeptRelease
from dpbi.releases.release import Release

_LEDGER, _TOKENS, _MADE = "ledger of releases", "ledger of releases: tokens", "releases: made"
_LINES = "ledger of releases: lines"
_NAMES, _READ_TOGETHER = "ledger of releases: names", "ledger of releases: read together"
CATEGORIES_DRAWN = 20
_WAITING, _REFUSED, _ROUND = (f"ledger of releases: {part}" for part in ("waiting", "refused", "round"))

Data = tuple[tuple[str, ...], tuple[int, ...]]


@dataclass(frozen=True)
class Line:
    """One release as the page shows it. release: what was drawn, or how to read it again; None: a charge alone."""

    entry: LedgerEntry
    read: Callable[[], tuple[Release, tuple[str, ...]]] | None
    state: str


def drawn(mechanism: Mechanism, chosen: Data, prior: tuple[float, ...], name: str) -> None:
    """The draw, and its place in the ledger: charged first where the ledger is a file. ValueError where refused."""
    labels, counts = chosen
    if file := options.ledger_file():
        file.release(name, mechanism, Problem(prior, counts), labels)
        return
    release = dpbi.release(mechanism, Problem(prior, counts))
    tokens = _tokens().setdefault(chosen, [])
    if not tokens:
        tokens.append(new_token())
    entry = entry_of(release, tokens[0])
    st.session_state[_LEDGER] = _ledger().with_entries([entry])
    made = Line(entry, lambda: (release, labels), "kept")
    leaving.unsaved(entry.release)
    st.session_state[_MADE] = [*st.session_state.get(_MADE, []), made]


def shown(chosen: Scenario) -> list[Line]:
    """The releases that can be shown: all of the session, or all of the data's name."""
    if options.ledger_file():
        return [line for line in _lines(chosen) if line.read]
    return list(st.session_state.get(_MADE, []))


def of_data(chosen: Scenario) -> Ledger:
    """The releases of the data shown now."""
    if options.ledger_file():
        return Ledger(tuple(line.entry for line in _lines(chosen)))
    return _ledger().of(_tokens().get(data_of(chosen), ()))


def beside(entry: LedgerEntry, chosen: Scenario) -> Ledger:
    """All releases of the data of this one, each with what was released where it is known."""
    if options.ledger_file():
        return _whole(chosen)
    tokens = next((found for found in _tokens().values() if entry.data in found), [entry.data])
    return _ledger().of(tokens)


def together(whole: Ledger, prior: tuple[float, ...], n: int) -> ReadTogether | None:
    """The releases read as one, None where there is but one; computed once in a session."""
    if len(whole.entries) < 2:
        return None
    known: dict[object, tuple[Ledger, ReadTogether]] = st.session_state.setdefault(_READ_TOGETHER, {})
    if known.get((prior, n), (None,))[0] != whole:
        with st.spinner("Reading all releases together"):
            known[prior, n] = whole, whole.read_together(prior, n)
    return known[prior, n][1]


def data_of(chosen: Scenario) -> Data:
    return chosen.labels, chosen.problem.counts


def ask_for_a_name(chosen: Scenario) -> tuple[str, str]:
    """The name of the data in a shared ledger, and the key of its entry; both empty where there is none."""
    file = options.ledger_file()
    if file is None:
        if not _ledger().entries:  # nobody can tell from it what an earlier session released
            st.info(release_words.EMPTY)
        return "", ""
    st.info(release_words.SHARED)
    names, data = _names(), data_of(chosen)
    key = f"name of the data {list(names).index(data) if data in names else len(names)}"
    named = st.text_input(
        "Name of these data", names.get(data, ""), NAME_LONGEST, key=key, width=480, help=release_words.NAME_HELP
    )
    names[data] = named.strip()
    if file.names:
        st.caption(release_words.names_in_it(file.names))
    return names[data], key


def refusal(chosen: Scenario, guarantee: Guarantee) -> str:
    """Why the ledger allows no release of this guarantee; empty where it does."""
    file = options.ledger_file()
    if file is None:
        return ""
    name = _names().get(data_of(chosen), "")
    return file.refusal(name, guarantee) if name else release_words.NAME_FIRST


def draw(chosen: Scenario) -> None:
    """The total, every entry, the file; and the place to bring one."""
    file, here = options.ledger_file(), of_data(chosen)
    whole = here if file else _ledger()
    if len(here.entries) > 1:
        with guard.part():
            _together(chosen)
    if not whole.entries:
        st.markdown(release_words.NO_RELEASE if file is None else release_words.NO_RELEASE_OF_THE_NAME)
    else:
        others = Ledger(tuple(entry for entry in whole.entries if entry not in here.entries))
        st.markdown(release_words.total(here, others))
        with downloads.collected(downloads.Shown({}, "")):
            alt = "One row per release: what it promised"
            tables.show(_table(whole, here, chosen), "ledger-of-releases", tables.LEDGER_OF_RELEASES, alt)
        exported = _whole(chosen) if file else whole
        downloads.offer("Ledger (JSON)", lambda: exported.to_json().encode(), "dpbi-ledger.json", "application/json")
    if file is not None:
        if any(line.state == release_words.BROKEN_OFF for line in _lines(chosen)):
            st.warning(release_words.SAY_BROKEN_OFF)
        st.caption(release_words.lasts(file))
    elif whole.entries:
        st.caption(release_words.ENDS)
    if file is None or _names().get(data_of(chosen)):
        opened = _WAITING in st.session_state or _REFUSED in st.session_state
        with st.expander("Bring an exported ledger", expanded=opened):
            _bring(chosen)


def _whole(chosen: Scenario) -> Ledger:
    """The releases of the data shown now, each with what was released where it is known."""
    file, here = options.ledger_file(), of_data(chosen)
    return file.whole(_names()[data_of(chosen)]) if file and here.entries else here


def _together(chosen: Scenario) -> None:
    """One posterior from all releases of the data, its intervals beside those of each."""
    from dpbi.figures.release import together as drawn_together

    found = together(_whole(chosen), chosen.problem.prior, chosen.problem.n)
    if found is None:
        return
    st.subheader("All releases read together")
    st.markdown(release_words.together(found, chosen.problem.prior))
    if rows := together_table(found, chosen.labels[:CATEGORIES_DRAWN]):
        with downloads.collected(downloads.Shown({}, "")):
            charts.draw(drawn_together(found, rows, chosen.labels), "read-together")


def _lines(chosen: Scenario) -> list[Line]:
    """Of the data's name in the file, which is read again once it has changed."""
    file, name = options.ledger_file(), _names().get(data_of(chosen), "")
    if file is None or not name:
        return []
    asked = file.changes, name  # before the lines: those may be newer, never older
    known = st.session_state.get(_LINES)
    if known is None or known[0] != asked:
        lines = [Line(one.entry, one.read if one.document else None, _state(one)) for one in file.of(name)]
        known = st.session_state[_LINES] = asked, lines
    return list(known[1])


def _state(one: KeptRelease) -> str:
    return release_words.BROKEN_OFF if one.broken_off else "brought" if one.brought else "kept"


def _names() -> dict[Data, str]:
    found: dict[Data, str] = st.session_state.setdefault(_NAMES, {})
    return found


def _ledger() -> Ledger:
    found: Ledger = st.session_state.setdefault(_LEDGER, Ledger())
    return found


def _tokens() -> dict[Data, list[str]]:
    found: dict[Data, list[str]] = st.session_state.setdefault(_TOKENS, {})
    return found


def _table(whole: Ledger, here: Ledger, chosen: Scenario) -> pd.DataFrame:
    guarantees = [entry.guarantee for entry in whole.entries]
    states = {"Release": [line.state for line in _lines(chosen)]} if options.ledger_file() else {}
    return pd.DataFrame(
        {
            "Data": ["shown now" if entry in here.entries else entry.data[:8] for entry in whole.entries],
            "Time (UTC)": [entry.time for entry in whole.entries],
            "Mechanism": [words.plain(entry.mechanism) for entry in whole.entries],
            "n": [entry.n for entry in whole.entries],
            "Guarantee": [words.guarantee(guarantee) for guarantee in guarantees],
            "epsilon": [None if isinstance(one, NotPrivate) else one.epsilon for one in guarantees],
            "delta": [one.delta if isinstance(one, ApproximateDP) else None for one in guarantees],
            **states,
        }
    )


# --- bringing ---


def _bring(chosen: Scenario) -> None:
    st.file_uploader(release_words.BRING, key=_uploader(), max_upload_size=16, on_change=_take_file)
    if _REFUSED in st.session_state:
        st.error(st.session_state[_REFUSED])
    waiting: Ledger | None = st.session_state.get(_WAITING)
    if waiting is None:
        return
    parts = {token: waiting.of([token]) for token in waiting.tokens}
    fitting = [token for token, part in parts.items() if part.entries[0].n == chosen.problem.n]
    st.multiselect(
        release_words.WHICH,
        list(parts),
        default=fitting,
        format_func=lambda token: words.plain(release_words.of_token(parts[token]), 120),
        help=release_words.WHICH_HELP,
        key=_which(),
    )
    with st.container(horizontal=True):
        st.button("Add to the ledger", type="primary", on_click=_add, args=(waiting, data_of(chosen)))
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


def _add(waiting: Ledger, data: Data) -> None:
    if file := options.ledger_file():
        chosen = waiting.of(st.session_state.get(_which(), []))
        _put_away()
        refused: dict[str, list[str]] = {}
        with guard.refusal(refused, ""):
            file.bring(_names()[data], chosen.entries)
        for sentence in refused:
            st.session_state[_REFUSED] = sentence
        return
    known = _tokens().setdefault(data, [])
    known += [token for token in st.session_state.get(_which(), []) if token not in known]
    if not known:
        del _tokens()[data]
    st.session_state[_LEDGER] = _ledger().with_entries(waiting.entries)
    _put_away()


def _put_away() -> None:
    st.session_state[_ROUND] += 1
    for name in (_WAITING, _REFUSED):
        st.session_state.pop(name, None)

