"""Answers that depend on a mechanism, the prior and n alone, asked for the ticked mechanisms; and the calibration."""

import dataclasses
from collections.abc import Sequence
from functools import lru_cache
from typing import TypeVar

import streamlit as st

from dpbi import Mechanism, Verdict
from dpbi.dashboard.answers import library
from dpbi.dashboard.answers.cache import Kept, unsaid
from dpbi.dashboard.answers.work import whole
from dpbi.dashboard.scenario import Scenario
from dpbi.dashboard.session import settings
from dpbi.dashboard.words import guard, home
from dpbi.privacy.curves import CalibrationGain
from dpbi.problem.candidates import number_of_candidates

_UNUSED_SAID = 0.001  # of epsilon
_DATASETS_AT_ONCE = 200  # whose audit takes a few milliseconds: more would hold up every change of epsilon

Public = tuple[tuple[float, ...], int]  # prior and n

Result = TypeVar("Result")


def for_each(function: Kept[..., Result], scenario: Scenario, *rest: object) -> list[Result]:
    """As ``library.for_each``, for what depends on prior and n alone; where one cannot be audited, nothing is wrong."""
    public = scenario.problem.prior, scenario.problem.n
    return library.answered(function, {one: (one, *public, *rest) for one in scenario.mechanisms}, st.info)


def why_not_audited(kind: type[Mechanism], public: Public | None) -> str:
    """The sentence that refuses the exhaustive check for this prior and n; nothing where it can be made."""
    return _refused(kind(1.0), *public) if public else ""


@lru_cache(maxsize=256)  # each fold and the hint below the table ask, at every run
def _refused(mechanism: Mechanism, prior: tuple[float, ...], n: int) -> str:
    try:
        mechanism.audit(prior, n)
    except ValueError as refusal:
        return str(refusal)
    return ""


def only(scenario: Scenario, verdicts: Sequence[Verdict]) -> Scenario:
    """The scenario with those mechanisms alone that could be audited."""
    return dataclasses.replace(scenario, mechanisms=tuple(one.loss.mechanism for one in verdicts))


def uncalibrated(scenario: Scenario) -> Scenario:
    """The scenario with every mechanism as it is: one calibrated for this n says nothing of another."""
    plain = dict.fromkeys(dataclasses.replace(one, calibration=None) for one in scenario.mechanisms)
    return dataclasses.replace(scenario, mechanisms=tuple(plain))


def say_what_calibration_could_do(scenario: Scenario) -> None:
    """One line about the ticked mechanisms that spend less than their epsilon here, could be calibrated and are not."""
    prior, n = scenario.problem.prior, scenario.problem.n
    calibrated = {type(one) for one in scenario.mechanisms if one.calibration}
    plain = [one for one in scenario.mechanisms if type(one) not in calibrated]
    audited = [one for one in plain if not why_not_audited(type(one), (prior, n))]
    few = number_of_candidates(n, len(prior)) <= _DATASETS_AT_ONCE
    at_once = [one for one in audited if few or one.audit(prior, n).found == "closed form"]
    with unsaid():
        found = [library.verdict(one, prior, n) for one in at_once]
    spent = {one.loss.mechanism.label: one.loss.epsilon for one in found if one.unused > _UNUSED_SAID}
    if n and spent:
        st.caption(home.calibration_hint(spent, scenario.epsilon))


def calibrate(scenario: Scenario) -> list[CalibrationGain]:
    """The button; once pressed, what calibration buys each ticked mechanism, for as long as prior and n stay."""
    public = [list(scenario.problem.prior), scenario.problem.n]
    if settings.get("calibrated for") is True:  # a scenario that was taken over asks for it
        settings.keep("calibrated for", public)
    if settings.get("calibrated for") != public:
        st.button("Calibrate", type="primary", on_click=settings.keep, args=("calibrated for", public))
        return []
    mechanisms = uncalibrated(scenario).mechanisms
    gains = []
    with whole("calibration", (scenario.problem, mechanisms), len(mechanisms), "mechanisms") as current:
        for mechanism in mechanisms:
            with guard.part(mechanism.label):
                current.ask(library.calibrated, mechanism, scenario.problem.prior, scenario.problem.n)
                gains.append(library.calibration_gain(scenario.problem, mechanism))
    return gains
