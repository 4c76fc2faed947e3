"""The table of claims on its page: every finding in a table, and one claim looked at closely, at the person's data."""

from collections import Counter
from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st
from streamlit.column_config import NumberColumn, TextColumn

from dpbi.dashboard.answers.cache import kept
from dpbi.dashboard.answers.work import whole
from dpbi.dashboard.scenario import Scenario
from dpbi.dashboard.session import settings
from dpbi.dashboard.shown import folds, stylesheet, tables
from dpbi.dashboard.take_away import scenario_file, script, take_away
from dpbi.dashboard.words import bridge, guard, handover, sources, words
from dpbi.papers.bibliography import MARKS
from dpbi.papers.claims import CLAIMS, KINDS, Case, Claim, Finding, Reading, Setting, shown
from dpbi.problem.problem import Problem

_CHOSEN, _SOUGHT, _WORDS = "claim", "claims: to bring into sight", "What the grid shows"
_EVERY, _FINDINGS = "all", ("holds", "holds if", "fails")
_SAID = 2000  # characters of a sentence at most
_BY_NAME = {claim.name: claim for claim in CLAIMS}

PURPOSE = (
    "Every theorem, lemma, corollary and numbered definition or equation that numbers can decide, and steps, formulas "
    f"and conclusions between them, of {sources.MARKS} ([what they are](#the-papers)), in our words. Each is computed "
    "over a stated grid, exactly, or where only draws tell beyond what they err by, and what holds there was searched "
    "for a counter-example beyond it. A counter-example refutes a claim as it is worded here; a grid and a search "
    "without one prove nothing more."
)


def draw(scenario: Scenario) -> None:
    """The claims' table, and below it the chosen one: what it says, where it was looked at, how it does here."""
    st.markdown(PURPOSE)
    with folds.fold("The papers' names and ours") as opened:
        if opened:
            st.markdown(bridge.table())
    found = _findings()
    st.markdown(_summary(found))
    found = _filtered(found)
    if not found:
        st.info("No claim is of that paper, finding and kind.")
        return
    whole = _table(found)
    short = whole.drop(columns=_WORDS)  # which the claim below says, and the CSV
    tables.show(short, "claims", _COLUMNS, "One row per claim: its verdict and its source", lambda: whole, lines=3)
    if settings.get(_CHOSEN) not in found:
        settings.keep(_CHOSEN, next(iter(found)))
    _one(_BY_NAME[settings.choice("Claim", _CHOSEN, found, width=620)], scenario)
    linked = st.query_params.get(_CHOSEN) == scenario_file.name_of_option(settings.get(_CHOSEN))  # else the notice says
    if linked and st.session_state.setdefault(_SOUGHT, True):
        st.session_state[_SOUGHT] = False
        stylesheet.call("intoSight", _CHOSEN, "p")


def _filtered(found: dict[str, Finding]) -> dict[str, Finding]:
    """Those of the chosen paper, finding and kind."""
    chosen = {}
    with st.container(horizontal=True):
        for label, options in (("Paper", MARKS), ("Finding", _FINDINGS), ("Kind", KINDS)):
            name = f"claims by {label.lower()}"
            settings.setdefault(name, _EVERY)
            chosen[label] = settings.choice(label, name, [_EVERY, *options], width=200)
    paper, finding, kind = chosen.values()
    return {name: one for name, one in found.items()
            if paper in (_EVERY, *_BY_NAME[name].papers) and finding in (_EVERY, one.kind)
            and kind in (_EVERY, _BY_NAME[name].kind)}


def _one(claim: Claim, scenario: Scenario) -> None:
    with st.container(border=True, key=_CHOSEN):
        st.markdown(f"**{_escaped(claim.statement)}**")
        st.caption(_escaped(f"Source: {claim.cited}. Grid: {claim.grid}."))
        st.markdown(f"**On the grid:** {_escaped(claim.finding.words)}")
        refused: dict[str, list[str]] = {}
        with guard.refusal(refused, claim.name):
            setting = _setting(scenario)
            reading = _reading(claim.name, setting.problem, setting.epsilon, setting.gamma, setting.delta)
            st.markdown(f"**At your data:** {_escaped(reading.sentence)}")
            if len(reading.cases) > 1:
                tables.show(_cases(reading.cases), "claim", {}, "One row per case of the chosen claim at your data")
                st.caption(_CASES)
        for sentence in refused:
            st.info(f"**At your data:** {sentence}")
        with folds.fold("Link to this claim, and its Python") as opened:
            if opened:
                take_away.link_to(claim=claim.name)
                st.caption(handover.SCRIPT_NOTICE)
                st.code(script.of_claim(claim.name, _setting(scenario)), language="python")


def _findings() -> dict[str, Finding]:
    """All findings: they are kept for as long as the app runs."""
    with whole("claims", "all", len(CLAIMS), "claims") as current:
        return {claim.name: current.ask(_finding, claim.name) for claim in CLAIMS}


@kept(len(CLAIMS))
def _finding(name: str) -> Finding:
    return _BY_NAME[name].finding


@kept(256, said="Checking the claim at your data")
def _reading(name: str, problem: Problem, epsilon: float, gamma: float, delta: float) -> Reading:
    return _BY_NAME[name].check(Setting(problem, epsilon, gamma, delta))


def _setting(scenario: Scenario) -> Setting:
    """With the sidebar's delta, which is there while a mechanism that has one is ticked."""
    delta = next((mechanism.delta for mechanism in scenario.mechanisms if hasattr(mechanism, "delta")), Setting.delta)
    return Setting(scenario.problem, scenario.epsilon, scenario.gamma, delta)


def _summary(found: dict[str, Finding]) -> str:
    """How many hold and fail; misprints, and what is a reading of ours, apart from what the papers say."""
    theirs, ours = Counter[str](), Counter[str]()
    misprints = 0
    for name, finding in found.items():
        claim = _BY_NAME[name]
        if claim.misprint:
            misprints += 1
        elif claim.ours:
            ours[finding.kind] += 1
        else:
            theirs["stated" if finding.kind == "holds if" and claim.stated else finding.kind] += 1
    apart = (f"Of {ours.total()} **readings of ours**, which need a number, a sign or a correction that the paper does "
             f"not print, {ours['holds']} hold, {ours['holds if']} hold under a condition, and {ours['fails']} fail. "
             if ours else "")
    slips = (f"{misprints} more are **misprints**: not so as printed, while the paper itself shows what is meant. "
             if misprints else "")
    return (f"Of {theirs.total()} claims **{theirs['holds']} hold** wherever looked at, **{theirs['stated']} hold "
            f"under the condition** that the paper states, **{theirs['holds if']} hold under a condition** that it "
            f"does not state, and **{theirs['fails']} fail**. {slips}{apart}A difference within "
            "rounding decides nothing.")


def _table(found: dict[str, Finding]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Claim": list(found),
            "Verdict": [finding.label for finding in found.values()],
            "Source": [_BY_NAME[name].cited for name in found],
            _WORDS: [finding.words for finding in found.values()],
            "Cases": [finding.visited for finding in found.values()],
            "Held": [finding.held for finding in found.values()],
            "Left out": [finding.undecided for finding in found.values()],
        }
    )


def _cases(cases: Sequence[Case]) -> pd.DataFrame:
    verdicts = {(True, True): "holds", (True, False): "fails"}
    return pd.DataFrame(
        {name: shown(value) if isinstance(value, tuple) else value for name, value in one.inputs + one.numbers}
        | {"Verdict": verdicts.get((one.decided, one.holds), "equal up to rounding")} for one in cases)


_CASES = "The columns are the numbers that the claim compares, by the names it has for them."
_escaped = partial(words.escape, length=_SAID)

_COLUMNS = {
    "Claim": TextColumn(width=270),
    "Verdict": TextColumn(width=230),
    "Source": TextColumn(width=215),
    "Cases": NumberColumn(width=70, format="localized"),
    "Held": NumberColumn(width=70, format="localized"),
    "Left out": NumberColumn(width=70, format="localized"),
}
