"""The session's ledger of releases: what the data shown now have cost, and an earlier session's ledger brought here.

Which token stands for which data is known to the session's memory alone, and to no file.
"""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dpbi.dashboard.scenario import Scenario
from dpbi.dashboard.shown import downloads, tables
from dpbi.dashboard.words import guard, words
from dpbi.dashboard.words import release as release_words
from dpbi.mechanisms.guarantee import ApproximateDP, NotPrivate
from dpbi.releases.ledger import Ledger, LedgerEntry, entry_of, new_token
from dpbi.releases.release import Release

_LEDGER, _TOKENS = "ledger of releases", "ledger of releases: tokens"
_WAITING, _REFUSED, _ROUND = (f"ledger of releases: {part}" for part in ("waiting", "refused", "round"))

Data = tuple[tuple[str, ...], tuple[int, ...]]


def enter(release: Release, labels: tuple[str, ...], counts: tuple[int, ...]) -> LedgerEntry:
    """Puts down a release of these labels and counts, which get a random token at their first."""
    tokens = _tokens().setdefault((labels, counts), [])
    if not tokens:
        tokens.append(new_token())
    entry = entry_of(release, tokens[0])
    st.session_state[_LEDGER] = _ledger().with_entries([entry])
    return entry


def of_data(chosen: Scenario) -> Ledger:
    """The releases of the data shown now."""
    return _ledger().of(_tokens().get((chosen.labels, chosen.problem.counts), ()))


def beside(entry: LedgerEntry) -> Ledger:
    """All releases of the data of this one."""
    tokens = next((found for found in _tokens().values() if entry.data in found), [entry.data])
    return _ledger().of(tokens)


def say_if_empty() -> None:
    """That a ledger without entries has begun anew: nobody can tell from it what an earlier session released."""
    if not _ledger().entries:
        st.info(release_words.EMPTY)


def draw(chosen: Scenario) -> None:
    """The total, every entry, the file; and the place to bring one."""
    whole, here = _ledger(), of_data(chosen)
    if not whole.entries:
        st.markdown(release_words.NO_RELEASE)
    else:
        others = Ledger(tuple(entry for entry in whole.entries if entry not in here.entries))
        st.markdown(release_words.total(here, others))
        with downloads.collected(downloads.Shown({}, "")):
            alt = "One row per release: what it promised"
            tables.show(_table(whole, here), "ledger-of-releases", tables.LEDGER_OF_RELEASES, alt)
        downloads.offer("Ledger (JSON)", lambda: whole.to_json().encode(), "dpbi-ledger.json", "application/json")
        st.caption(release_words.ENDS)
    with st.expander("Bring an exported ledger", expanded=_WAITING in st.session_state or _REFUSED in st.session_state):
        _bring(chosen)


def _ledger() -> Ledger:
    found: Ledger = st.session_state.setdefault(_LEDGER, Ledger())
    return found


def _tokens() -> dict[Data, list[str]]:
    found: dict[Data, list[str]] = st.session_state.setdefault(_TOKENS, {})
    return found


def _table(whole: Ledger, here: Ledger) -> pd.DataFrame:
    guarantees = [entry.guarantee for entry in whole.entries]
    return pd.DataFrame(
        {
            "Data": ["shown now" if entry in here.entries else entry.data[:8] for entry in whole.entries],
            "Time (UTC)": [entry.time for entry in whole.entries],
            "Mechanism": [words.plain(entry.mechanism) for entry in whole.entries],
            "n": [entry.n for entry in whole.entries],
            "Guarantee": [words.guarantee(guarantee) for guarantee in guarantees],
            "epsilon": [None if isinstance(one, NotPrivate) else one.epsilon for one in guarantees],
            "delta": [one.delta if isinstance(one, ApproximateDP) else None for one in guarantees],
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
        data = (chosen.labels, chosen.problem.counts)
        st.button("Add to the ledger", type="primary", on_click=_add, args=(waiting, data))
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

