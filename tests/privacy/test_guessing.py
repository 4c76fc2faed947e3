"""Risk in cases of a hundred, and the best attacker's curve, against every pair of neighbours listed."""

from fractions import Fraction
from functools import cache
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest

from dpbi import (
    ApproximateDP,
    NotPrivate,
    Problem,
    PureDP,
    best_guess,
    calibrate,
    mechanisms,
    privacy_loss,
    privacy_profile,
)
from dpbi.privacy import guessing
from dpbi.privacy.guessing import GuessingRisk, guessing_risk, of_hundred, risk_of, trade_off
from tests import oracles
from tests.every_mechanism import Kind, enumerated, every_class

SETTINGS = [((0.3, 2.0), 4), ((1.0, 0.5, 2.0), 2)]
EPSILON = 2.4
EVERY_SETTING = pytest.mark.parametrize(("prior", "n"), SETTINGS, ids=str)

Floats = np.ndarray[Any, Any]


@cache
def pairs(name: str, prior: tuple[float, ...], n: int) -> list[tuple[Floats, Floats]]:
    """The two output laws of every ordered pair of neighbours, from the oracles."""
    laws = oracles.laws_of_all_datasets(name, prior, n, epsilon=EPSILON)
    found = []
    for c, other in permutations(laws, 2):
        if oracles.steps(c, other) == 1:
            outputs = sorted({*laws[c], *laws[other]})
            here, there = (np.array([float(laws[x].get(r, 0)) for r in outputs]) for x in (c, other))
            found.append((here, there))
    return found


@every_class
@EVERY_SETTING
def test_the_best_guess_is_right_as_often_as_is_said(
    kind: Kind, prior: tuple[float, ...], n: int
) -> None:
    """The likelier of two equally likely datasets, over all outputs, and after the most telling one."""
    listed, epsilon = pairs(kind.__name__, prior, n), EPSILON
    average = max(np.maximum(p, q).sum() / 2 for p, q in listed)
    worst = max((p[p + q > 0] / (p + q)[p + q > 0]).max() for p, q in listed)
    found = guessing_risk(kind(epsilon), prior, n)
    assert found.exact
    assert average <= found.average <= average + 1e-6
    assert worst * (1 - 1e-12) <= found.worst <= worst + 1e-6
    assert found.average <= found.worst
    promised = risk_of(kind(epsilon).guarantee(prior, n))
    if kind(epsilon).guarantee(prior, n).is_private:
        assert found.average <= promised.average + 1e-6 and found.worst <= promised.worst + 1e-6
    assert 100 * average <= found.average_of_hundred + 1e-6 and 100 * worst <= found.worst_of_hundred + 1e-6


def hull(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """The lower convex hull, from left to right: Andrew's monotone chain."""
    kept: list[tuple[float, float]] = []
    lowest: dict[float, float] = {}
    for x, y in points:
        lowest[round(x, 13)] = min(y, lowest.get(round(x, 13), 1.0))
    for x, y in sorted(lowest.items()):
        while len(kept) > 1 and (kept[-1][1] - kept[-2][1]) * (x - kept[-2][0]) >= (y - kept[-2][1]) * (
            kept[-1][0] - kept[-2][0]
        ):
            kept.pop()
        kept.append((x, y))
    return kept


@every_class
@EVERY_SETTING
def test_the_best_attackers_curve_is_that_of_neyman_and_pearson(
    kind: Kind, prior: tuple[float, ...], n: int
) -> None:
    """Every likelihood-ratio test of every pair, listed: their lower hull is the curve, and no test is below it."""
    points = []
    for p, q in pairs(kind.__name__, prior, n):
        order = np.argsort(np.where(p > 0, q / np.where(p > 0, p, 1), np.inf))[::-1]
        alarms, caught = np.cumsum(p[order]), np.cumsum(q[order])
        points += [(0.0, 1.0), *zip(alarms.tolist(), (1 - caught).tolist(), strict=True)]
    corners = np.array(hull(points))
    slopes = np.diff(corners[:, 1]) / np.diff(corners[:, 0])
    epsilons = np.unique(np.abs(np.log(-slopes[slopes < -1e-12])))
    epsilons = np.unique([0.0, *epsilons, privacy_loss(kind(EPSILON), prior, n).epsilon])
    deltas = privacy_profile(kind(EPSILON), prior, n, epsilons)
    at = np.linspace(0, 1, 57)
    found = trade_off(epsilons, deltas, at)
    assert found == pytest.approx(np.interp(at, *corners.T), abs=1e-9)
    coarse = trade_off(epsilons[:: max(1, len(epsilons) // 3)], deltas[:: max(1, len(epsilons) // 3)], at)
    assert np.all(coarse <= found + 1e-12), "fewer epsilons never promise more"


def test_guarantees_alone_bound_it() -> None:
    """The extreme mechanisms: randomised response for a pure one, with a record given away for delta."""
    e = np.exp(1.0)
    assert risk_of(PureDP(1.0, "theorem", "r")) == GuessingRisk(e / (1 + e), e / (1 + e), exact=False)
    delta = 0.1
    p = np.array([delta, 0, (1 - delta) * e / (1 + e), (1 - delta) / (1 + e)])
    q = p[[1, 0, 3, 2]]
    loose = risk_of(ApproximateDP(1.0, delta, "theorem", "r"))
    assert loose.average == pytest.approx(np.maximum(p, q).sum() / 2) and loose.worst == 1
    assert risk_of(NotPrivate("r")).average == 1
    assert "perhaps in all 100" in loose.words


def test_cases_are_rounded_up_and_never_below_the_true() -> None:
    assert [of_hundred(x) for x in (0.5, 0.5 + 1e-12, 0.500001, 0.73, 0.7300001, 0.999999, 1.0)] == [
        50, 50, 51, 73, 74, 100, 100]  # fmt: skip
    for tens, hundreds in product(range(5, 10), range(10)):
        assert of_hundred(float(Fraction(10 * tens + hundreds, 100))) == 10 * tens + hundreds


@every_class
def test_without_records_nothing_can_be_guessed(kind: Kind) -> None:
    found = guessing_risk(kind(1.0), (1, 1), 0)
    assert (found.average_of_hundred, found.worst_of_hundred) == (50, 50)


@pytest.mark.parametrize("epsilon", [1e-9, 20.0, 1e4, 1e6])
@every_class
def test_it_holds_at_any_epsilon_and_size(kind: Kind, epsilon: float) -> None:
    for prior, n in (((1, 1), 90), ((0.5,) * 6, 10**6)):
        found = guessing_risk(kind(epsilon), prior, n)
        assert 50 <= found.average_of_hundred <= found.worst_of_hundred <= 100
    at = trade_off([0.0, epsilon], [0.1, 0.0], [0.0, 0.5, 1.0])
    assert np.isfinite(at).all() and at[0] == 1 and at[2] == 0


def test_other_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="mechanism"):
        guessing_risk("Geometric", (1, 1), 5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="prior"):
        guessing_risk(mechanisms.Geometric(1.0), (1,), 5)


# --- one pair ---

PAIRS = [((0.1, 50.0), (3, 1), (2, 2)), ((2.0, 0.5, 7.0), (1, 0, 2), (1, 1, 1))]
EVERY_PAIR = pytest.mark.parametrize(("prior", "counts", "other"), PAIRS, ids=str)


@pytest.mark.parametrize("epsilon", [1e-3, 0.7, 30.0])
@every_class
@EVERY_PAIR
def test_the_best_guess_between_two_tables_is_that_of_all_releases_listed(
    kind: Kind, epsilon: float, prior: tuple[float, ...], counts: tuple[int, ...], other: tuple[int, ...]
) -> None:
    """In 50 digits; rounded up, never down."""
    epsilon = enumerated(kind, epsilon, len(prior))
    here, there = (oracles.LAWS[kind.__name__](prior, one, epsilon=epsilon) for one in (counts, other))
    releases = {*here, *there}
    right = sum(max(here.get(r, 0), there.get(r, 0)) for r in releases) / 2
    problem = Problem(prior, counts)
    for one, two in ((problem, problem.with_counts(other)), (problem.with_counts(other), problem)):
        found = best_guess(kind(epsilon), one, two)
        assert found.exact and (found.problem, found.neighbour) == (one, two)
        assert min(right, 1 - 1e-12) <= found.share <= right + 1e-8
        assert found.of_hundred == of_hundred(found.share)


@pytest.mark.parametrize("calibrated", [False, True])
@every_class
@EVERY_SETTING
def test_of_the_worst_pair_it_is_the_risk_of_the_profile(
    kind: Kind, calibrated: bool, prior: tuple[float, ...], n: int
) -> None:
    mechanism = calibrate(kind(EPSILON), prior, n) if calibrated else kind(EPSILON)
    tables = [Problem(prior, counts) for counts in oracles.compositions(n, len(prior))]
    shares = [best_guess(mechanism, c, d).share for c, d in permutations(tables, 2)
              if oracles.steps(c.counts, d.counts) == 1]
    delta = privacy_profile(mechanism, prior, n, [0.0])[0]
    assert max(shares) == pytest.approx((1 + delta) / 2, abs=1e-8)
    if mechanism.guarantee(prior, n).is_private:
        assert max(shares) <= risk_of(mechanism.guarantee(prior, n)).average + 1e-8


@every_class
def test_too_many_to_list_give_a_bound_that_is_no_lower(kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = Problem((0.5, 3.0), (9, 4))
    for epsilon in (0.01, 1.0, 25.0):
        arguments = kind(epsilon), problem, problem.with_counts((10, 3))
        exact = best_guess(*arguments)
        with monkeypatch.context() as few:
            few.setattr(guessing, "_PAIRS", 10)
            bound = best_guess(*arguments)
        assert exact.exact and not bound.exact
        assert exact.share <= bound.share + 1e-8 and bound.share <= 1


def test_two_that_are_no_pair_are_refused() -> None:
    mechanism, problem = mechanisms.Geometric(1.0), Problem((1, 1), (3, 2))
    for other, why in (((3, 2), "differ by one replaced"), ((5, 0), "one replaced"), ((4, 2), "one replaced"),
                       ((3, 1), "one replaced")):  # fmt: skip
        with pytest.raises(ValueError, match=why):
            best_guess(mechanism, problem, problem.with_counts(other))
    with pytest.raises(ValueError, match="one prior"):
        best_guess(mechanism, problem, Problem((1, 2), (2, 3)))
    with pytest.raises(ValueError, match="one prior"):
        best_guess(mechanism, problem, Problem((1, 1, 1), (2, 3, 0)))
    with pytest.raises(ValueError, match="calibrated for"):
        best_guess(calibrate(mechanism, (1, 1), 9), problem, problem.with_counts((2, 3)))
