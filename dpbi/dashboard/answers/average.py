"""Answers averaged over the data that the public prior expects, and held against the limit of privacy.

No private count enters, so that they may be used to choose a mechanism: every function takes the prior and n alone.
"""

import contextlib
from typing import get_args

from dpbi import MECHANISMS, LimitComparison, Mechanism, PrivacyLimit, limit_of_privacy, name_of
from dpbi.accuracy.optimum_programme import DATASETS
from dpbi.accuracy.order import Measured
from dpbi.dashboard.answers.cache import kept
from dpbi.dashboard.answers.work import Cancelled, work
from dpbi.dashboard.scenario import Scenario
from dpbi.dashboard.words import guard
from dpbi.inference.noise_aware_distance import ERROR, noise_aware_distance
from dpbi.inference.prior_average import ExpectedDistance, Reading, expected_distance
from dpbi.problem.candidates import are_few

_QUICK = 400  # n of two categories up to which limit and means together take less than 0.2 seconds
_QUICK_CATEGORIES = 6  # as above, where no limit is looked for
CHOICE_LARGEST = 20_000  # n up to which choosing among candidates is averaged on a page


@kept(256, said="Finding the limit of privacy")
def limit(prior: tuple[float, ...], n: int, epsilon: float) -> PrivacyLimit:
    return limit_of_privacy(prior, n, epsilon)


@kept(1024)
def expected(mechanism: Mechanism, prior: tuple[float, ...], n: int, reading: Reading = "naive") -> ExpectedDistance:
    return expected_distance(mechanism, prior, n, reading)


@kept(512)
def aware_distance(mechanism: Mechanism, prior: tuple[float, ...], n: int) -> float | None:
    """Of the noise-aware posterior, on average; None where that is not computed."""
    try:
        return noise_aware_distance(mechanism, prior, n)
    except ValueError:
        return None


def readings(scenario: Scenario) -> dict[Mechanism, tuple[Measured, Measured, Measured]]:
    """The mean distance under the prior of the three readings, naive, nearest and noise-aware, where k = 2."""
    prior, n = scenario.problem.prior, scenario.problem.n
    found: dict[Mechanism, tuple[Measured, Measured, Measured]] = {}
    if len(prior) > 2 or not n:
        return found
    asked = (prior, n, scenario.mechanisms)
    with work("readings", asked, len(scenario.mechanisms), "mechanisms") as current, contextlib.suppress(Cancelled):
        for mechanism in scenario.mechanisms:
            aware = current.ask(aware_distance, mechanism, prior, n)
            if aware is not None:
                naive, nearest = (expected(mechanism, prior, n, reading).measured for reading in get_args(Reading))
                found[mechanism] = naive, nearest, Measured(aware, half_width=ERROR)
    return found


def is_quick(mechanism: Mechanism, n: int) -> bool:
    """Whether its mean takes seconds at most: noise at any size, a choice among candidates while those are not many."""
    return mechanism.draws_quickly or n <= CHOICE_LARGEST


def are_quick(scenario: Scenario) -> bool:
    """Whether ``compute`` takes some tenths of a second at most, which a table may wait for."""
    n, k = scenario.problem.n, scenario.problem.k
    return n <= _QUICK if k == 2 else k <= _QUICK_CATEGORIES and not are_few(n, k, DATASETS)


def compared(scenario: Scenario) -> tuple[Mechanism, ...]:
    """Those of the ticked mechanisms that the limit, once found, is known for; for three categories and more all noise.

    The limit is known where data are few, and means of a choice among candidates are quick there.
    """
    prior, n = scenario.problem.prior, scenario.problem.n
    known = limit.holds(prior, n, scenario.epsilon) and limit(prior, n, scenario.epsilon).value is not None
    every = (*scenario.mechanisms, *(unticked(scenario) if len(prior) > 2 else ()))
    noise = [one for one in every if one.draws_quickly and (known or len(prior) > 2)]
    return (*noise, *[one for one in scenario.mechanisms if known and not one.draws_quickly and is_quick(one, n)])


def unticked(scenario: Scenario) -> tuple[Mechanism, ...]:
    """Every other mechanism, as it is by default."""
    there = {type(one) for one in scenario.mechanisms}
    return tuple(kind(scenario.epsilon) for kind in MECHANISMS if kind not in there)


def at_hand(scenario: Scenario) -> LimitComparison | None:
    """What ``compute`` found, None where there is anything left to compute or no record."""
    prior, n = scenario.problem.prior, scenario.problem.n
    if not n or not limit.holds(prior, n, scenario.epsilon):
        return None
    mechanisms = compared(scenario)
    if not all(expected.holds(one, prior, n) for one in mechanisms):
        return None
    means = tuple(expected(one, prior, n) for one in sorted(mechanisms, key=_place))
    return LimitComparison(limit(prior, n, scenario.epsilon), means)


def compute(scenario: Scenario) -> bool:
    """Finds what ``at_hand`` gives, with a bar; whether anything was new and all is there now."""
    prior, n = scenario.problem.prior, scenario.problem.n
    if not n:
        return False
    before = at_hand(scenario)
    asked = (prior, n, scenario.epsilon, scenario.mechanisms)
    total, quick = 1 + len(scenario.mechanisms), are_quick(scenario)
    with work("limit", asked, total, "averages", quick=quick) as current, contextlib.suppress(Cancelled):
        current.ask(limit, prior, n, scenario.epsilon)
        for mechanism in compared(scenario):
            with guard.part(name_of(mechanism)):
                current.ask(expected, mechanism, prior, n)
    return before is None and at_hand(scenario) is not None


def of_private(scenario: Scenario) -> tuple[ExpectedDistance, ...]:
    """The means of the ticked mechanisms and of noise that is not ticked, as far as private, with a bar.

    What was cancelled or has too many records for its mean is left out.
    """
    prior, n = scenario.problem.prior, scenario.problem.n
    noise = [one for one in unticked(scenario) if one.draws_quickly]
    asked = [one for one in (*scenario.mechanisms, *noise) if one.guarantee(prior, n).is_private and is_quick(one, n)]
    means: list[ExpectedDistance] = []
    with work("ranking", (prior, n, asked), len(asked), "averages") as current:
        for mechanism in sorted(asked, key=lambda one: not one.draws_quickly):  # what takes longer comes last
            with guard.part(name_of(mechanism)), contextlib.suppress(Cancelled):
                means.append(current.ask(expected, mechanism, prior, n))
    return tuple(sorted(means, key=lambda one: _place(one.mechanism)))


def _place(mechanism: Mechanism) -> tuple[int, bool]:
    """In the order of the screen, by which ties are named."""
    return MECHANISMS.index(type(mechanism)), mechanism.calibration is not None
