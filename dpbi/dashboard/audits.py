"""Answers that depend on a mechanism, the prior and n alone, asked for the ticked mechanisms; and the calibration."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

import numpy as np
import streamlit as st

from dpbi import limits
from dpbi.candidates import number_of_candidates
from dpbi.dashboard import cached, guard, privacy, settings, words
from dpbi.dashboard.kept import Kept
from dpbi.dashboard.work import whole
from dpbi.loss_curves import CalibrationGain
from dpbi.mechanisms import Mechanism, name_of
from dpbi.noise_audit import NoiseAudit
from dpbi.verdict import Verdict

if TYPE_CHECKING:
    from dpbi.dashboard.scenario import Scenario

EPSILONS = 25  # at which delta is computed
_UNUSED_SAID = 0.001  # of epsilon
_DATASETS_AT_ONCE = 200  # whose audit takes a few milliseconds: more would hold up every change of epsilon

Rest = ParamSpec("Rest")
Result = TypeVar("Result")


def for_each(
    function: Kept[Concatenate[Mechanism, tuple[float, ...], int, Rest], Result],
    scenario: Scenario,
    *rest: Rest.args,
    **named: Rest.kwargs,
) -> list[Result]:
    """The function's result for every ticked mechanism; a sentence that refuses several is said once."""
    results = []
    refused: dict[str, list[str]] = {}
    prior, n, mechanisms = scenario.problem.prior, scenario.problem.n, scenario.mechanisms
    with whole(function.__name__, (prior, n, mechanisms, rest, named), len(mechanisms), "mechanisms") as current:
        for mechanism in mechanisms:
            with guard.refusal(refused, name_of(mechanism)):
                results.append(current.ask(function, mechanism, prior, n, *rest, **named))
    for sentence, names in refused.items():
        st.info(f"**{words.listed(names)}:** {sentence}")
    return results


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
    audited = [one for one in plain if not privacy.why_not_audited(type(one), (prior, n))]
    few = number_of_candidates(n, len(prior)) <= _DATASETS_AT_ONCE
    quick = [one for one in audited if few or isinstance(one.audit(prior, n), NoiseAudit)]
    found = [cached.verdict(one, prior, n) for one in quick]
    spent = {one.loss.mechanism.label: one.loss.epsilon for one in found if one.unused > _UNUSED_SAID}
    unknown = [one.label for one in audited if one not in quick]
    if n and (spent or unknown):
        st.caption(words.calibration_hint(spent, unknown, scenario.epsilon))


def epsilons(verdicts: Sequence[Verdict]) -> tuple[float, ...]:
    """From 0 to somewhat beyond every loss, with the stated epsilon."""
    marks = [value for one in verdicts for value in (one.stated, one.loss.epsilon)]
    end = min(1.1 * max(marks), limits.EPSILON_LARGEST)
    return tuple(np.unique([*np.linspace(0, end, EPSILONS), verdicts[0].stated]).tolist())


def calibrate(scenario: Scenario) -> list[CalibrationGain]:
    """The button; once pressed, what calibration buys each ticked mechanism, for as long as prior and n stay."""
    public = [list(scenario.problem.prior), scenario.problem.n]
    if settings.setdefault("calibrated for", None) is True:  # a scenario that was taken over asks for it
        settings.keep("calibrated for", public)
    if settings.get("calibrated for") != public:
        st.button("Calibrate", type="primary", on_click=settings.keep, args=("calibrated for", public))
        return []
    mechanisms = uncalibrated(scenario).mechanisms
    gains = []
    with whole("calibration", (scenario.problem, mechanisms), len(mechanisms), "mechanisms") as current:
        for mechanism in mechanisms:
            with guard.part(mechanism.label):
                current.ask(cached.calibrated, mechanism, scenario.problem.prior, scenario.problem.n)
                gains.append(cached.calibration_gain(scenario.problem, mechanism))
    return gains
