"""Expected error against brute force, the axes, crossovers against a scan, and the epsilon for a wanted distance."""

import itertools
import math
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import stats

from dpbi import MECHANISMS, Problem, calibrate, distance_law, hellinger, limits
from dpbi.accuracy import METRICS, ExpectedError, Metric, error as accuracy, expected_error
from dpbi.accuracy.axes import AXES, Axis, axis, scaled_counts
from dpbi.accuracy.curves import (
    AccuracyCurve,
    _narrowed,
    accuracy_curve,
    closer,
    coarse_to_fine,
    crossovers,
    required_epsilon,
)
from dpbi.accuracy.importance_sampling import standard_error
from dpbi.accuracy.order import Measured
from dpbi.mechanisms import KNorm, Mechanism
from dpbi.posterior.total_variation import beta_variation, variation_bounds
from tests import oracles
from tests.every_mechanism import Kind, enumerated, every_class
from tests.strategies import Drawn, epsilons, problems

TWO, THREE = Problem((1, 1), (5, 3)), Problem((0.5, 1, 2), (3, 0, 1))
every_metric = pytest.mark.parametrize("metric", METRICS)
every_axis = pytest.mark.parametrize("along", AXES, ids=lambda one: one.name)

parameters = st.tuples(*[st.floats(0.4, 300)] * 2)


# --- total variation ---


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((13.0, 15.0), (13.0, 55.0)),  # one parameter moves
        ((13.0, 15.0), (20.0, 8.0)),  # the same total
        ((1.0, 1.0), (1.0, 2.0)),
        ((0.5, 0.5), (7.5, 4.5)),  # two crossings
        ((280.0, 20.0), (300.0, 25.0)),
        ((2.5, 90.0), (4.5, 70.0)),  # one crossing, another total
        ((0.4, 30.0), (30.4, 0.4)),  # nothing in common
        ((3.0, 4.0), (3.0, 4.0)),
    ],
)
def test_the_variation_of_betas_is_the_integral(a: tuple[float, float], b: tuple[float, float]) -> None:
    """The quadrature is good to a few 1e-6."""
    assert float(beta_variation(a, b)) == pytest.approx(oracles.beta_variation(a, b), abs=1e-5)
    assert float(beta_variation(b, a)) == pytest.approx(float(beta_variation(a, b)), abs=1e-12)


@given(a=parameters, b=parameters)
def test_le_cams_bounds_hold_the_variation(a: tuple[float, float], b: tuple[float, float]) -> None:
    from dpbi import hellinger

    low, high = variation_bounds(hellinger(a, b))
    assert low - 1e-12 <= beta_variation(a, b) <= high + 1e-12


def test_what_the_variation_cannot_do_is_refused() -> None:
    with pytest.raises(ValueError, match="two categories: got 3"):
        beta_variation((1, 1, 1), (1, 1, 1))
    with pytest.raises(ValueError, match="at most 1e\\+08"):
        beta_variation((1e9, 1), (1, 1))


# --- expected error ---


@every_class
@settings(max_examples=8)
@given(drawn=problems(largest_k=3), epsilon=epsilons())
def test_means_are_enumerated_ones(kind: Kind, drawn: Drawn, epsilon: float) -> None:
    epsilon = enumerated(kind, epsilon, len(drawn.prior))
    problem, mechanism = Problem(*drawn), kind(epsilon)
    law = oracles.LAWS[kind.__name__](drawn.prior, drawn.counts, epsilon=epsilon)

    def h(released: tuple[int, ...]) -> Any:
        return oracles.posterior_distance(drawn.prior, drawn.counts, released)

    found = {metric: expected_error(mechanism, problem, metric) for metric in METRICS}
    assert all(one.exact for one in found.values())
    mean = float(oracles.expected(law, h))
    assert found["hellinger"].low == found["hellinger"].high == pytest.approx(mean, rel=1e-8, abs=2e-9)
    moved = float(oracles.expected(law, lambda r: 2 * oracles.steps(drawn.counts, r)))
    assert found["l1"].low == found["l1"].high == pytest.approx(moved, rel=1e-8, abs=1e-11)
    if problem.k > 2:
        low = float(oracles.expected(law, lambda r: h(r) ** 2))
        high = float(oracles.expected(law, lambda r: h(r) * oracles.mp.sqrt(2 - h(r) ** 2)))
        assert (found["variation"].low, found["variation"].high) == pytest.approx((low, high), rel=1e-8, abs=1e-11)


@every_class
def test_the_mean_variation_of_two_categories_is_enumerated(kind: Kind) -> None:
    for problem in (TWO, Problem((0.5, 3), (0, 4))):
        law = oracles.LAWS[kind.__name__](problem.prior, problem.counts, epsilon=0.7)

        def variation(released: tuple[int, ...], problem: Problem = problem) -> float:
            there = [alpha + r for alpha, r in zip(problem.prior, released, strict=True)]
            return oracles.beta_variation(problem.posterior, there, 2001)

        found = expected_error(kind(0.7), problem, "variation")
        assert found.exact and not found.bounded
        assert found.high == pytest.approx(float(oracles.expected(law, variation)), abs=2e-4)


@every_class
@pytest.mark.parametrize(("metric", "problem"), [  # of H it is the law's own mean, tested with the law
    ("l1", Problem((1, 1), (12, 18))), ("variation", Problem((1, 1, 1), (6, 9, 3))), ("variation", TWO)])
def test_draws_come_near_what_is_exact(
    kind: Kind, metric: Metric, problem: Problem, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Within 5 standard errors: 32 comparisons of a fixed stream, false alarm below 2e-5 had it been random."""
    mechanism = kind(1.0)
    exact = expected_error(mechanism, problem, metric)
    law = distance_law(mechanism, problem)
    drawn = replace(law, kind="sampled")
    monkeypatch.setattr(accuracy, "distance_law", lambda *_: drawn)
    monkeypatch.setattr(accuracy, "_LISTED", 0)
    found = expected_error(mechanism, problem, metric)
    assert not found.exact and exact.exact
    assert abs(found.low - exact.low) <= 5 * found.low_error
    assert abs(found.high - exact.high) <= 5 * found.high_error


@every_metric
def test_draws_meet_what_is_hardly_ever_released(metric: Metric) -> None:
    """One record moved, by each of k (k - 1) ways; two have a ten thousandth of that probability."""
    k, epsilon = 100, 20.0
    found = expected_error(KNorm(epsilon), Problem((1,) * k, (3,) * k), metric)
    moved = k * (k - 1) * math.exp(-epsilon)
    h = float(hellinger((4,) * k, (5, 3, *(4,) * (k - 2))))
    low, high = {"l1": (2, 2), "hellinger": (h, h), "variation": (h**2, h * math.sqrt(2 - h**2))}[metric]
    assert 0 < found.low_error < 0.05 * found.low or metric == "hellinger"
    assert abs(found.low - moved * low) < 5 * found.low_error + 1e-3 * found.low
    assert abs(found.high - moved * high) < 5 * found.high_error + 1e-3 * found.high


def test_an_error_covers_what_draws_can_miss() -> None:
    """By Poisson's law: e^-3 = 5 % for none of N, and two errors above where few are seen."""
    size = 1_000
    for seen in range(30):
        values = np.zeros(size)
        values[:seen] = 0.5
        missed = stats.gamma.ppf(0.95, seen + 1)  # the expected number that shows no more than these with 5 %
        upper = missed * (0.5 if seen else 1) / size
        assert values.mean() + 2 * standard_error(values) >= upper
    dense = np.random.default_rng(1).random(size)
    assert standard_error(dense) == pytest.approx(dense.std() / math.sqrt(size), rel=0.05)


def test_beyond_what_is_exact_the_variation_is_bounded() -> None:
    found = expected_error(MECHANISMS[2](1.0), Problem((1, 1), (10**9, 10**9)), "variation")
    assert found.bounded
    assert found.low < found.high < 1e-3


def test_without_records_nothing_is_lost() -> None:
    for kind, metric in itertools.product(MECHANISMS, METRICS):
        found = expected_error(kind(1.0), Problem((1, 2), (0, 0)), metric)
        assert found.exact and found.low == pytest.approx(0, abs=1e-12) == found.high


# --- axes ---


@given(counts=st.lists(st.integers(0, 10**6), min_size=2, max_size=8), n=st.integers(0, 10**7))
def test_scaled_counts_keep_proportions(counts: list[int], n: int) -> None:
    found = scaled_counts(counts, n)
    total = sum(counts)
    assert sum(found) == n and min(found) >= 0
    quotas = [n * c / total if total else n / len(counts) for c in counts]
    assert all(abs(whole - quota) < 1 for whole, quota in zip(found, quotas, strict=True))
    if total:
        assert scaled_counts(counts, total) == tuple(counts)


@every_axis
@pytest.mark.parametrize("problem", [TWO, THREE, Problem((1, 1, 1), (20, 20, 20)), Problem((1, 1), (1, 0))])
def test_every_value_makes_a_problem_and_the_own_one_is_there(along: Axis, problem: Problem) -> None:
    mechanisms = [kind(1.3) for kind in MECHANISMS]
    values, own = along.values(problem, mechanisms), along.own(problem, mechanisms)
    assert list(values) == sorted(set(values))
    for value in values:
        for mechanism in mechanisms:
            there, at = along.at(mechanism, problem, value)
            assert type(there) is type(mechanism)
            if along.name == "k":
                assert at.k == value and at.n == problem.n and max(at.counts) - min(at.counts) <= 1
            else:
                assert at.k == problem.k
            if along.name == "imbalance":
                assert max(at.counts) == value and at.n == problem.n and at.prior == problem.prior
            if value == own:
                assert (there, at) == (mechanism, problem)
    assert own is None or own in values
    assert (own is not None) or along.name in ("k", "imbalance")


def test_each_axis_moves_what_it_names() -> None:
    mechanism = next(kind for kind in MECHANISMS if "gamma" in kind.__dataclass_fields__)(1.0)
    there = {one.name: one.at(mechanism, THREE, 40)[1] for one in AXES[:1]}
    assert there["n"].counts == (30, 0, 10) and there["n"].prior == THREE.prior
    assert axis("epsilon").at(mechanism, THREE, 40)[0].epsilon == 40
    strong = axis("strength").at(mechanism, THREE, 7)[1]
    assert strong.prior == pytest.approx((1, 2, 4)) and strong.counts == THREE.counts
    assert axis("k").at(mechanism, THREE, 2)[1] == Problem((3.5 / 3,) * 2, (2, 2))
    assert axis("imbalance").at(mechanism, THREE, 2)[1].counts == (2, 1, 1)
    assert axis("gamma").at(mechanism, THREE, 40)[0] == replace(mechanism, **cast(Any, {"gamma": 40.0}))
    with pytest.raises(ValueError, match="axis must be one of"):
        axis("time")


@every_axis
def test_a_calibration_is_kept_only_where_it_holds(along: Axis) -> None:
    mechanism = calibrate(MECHANISMS[4](1.0), TWO.prior, TWO.n)
    assert mechanism.calibration
    for value in along.values(TWO, [mechanism]):
        there, at = along.at(mechanism, TWO, value)
        if along.keeps_calibration:
            assert there == mechanism and (at.prior, at.n) == (TWO.prior, TWO.n)
        else:
            assert there.calibration is None


# --- curves and crossovers ---


@given(st.integers(0, 40))
def test_coarse_to_fine_begins_with_the_ends(count: int) -> None:
    order = coarse_to_fine(range(count))
    assert sorted(order) == list(range(count))
    assert set(order[:2]) == ({0, count - 1} if count else set())


def listed(mechanism: Mechanism, problem: Problem, metric: Metric) -> ExpectedError:
    """The mean from the listed law."""
    mean = distance_law(mechanism, problem).mean
    return ExpectedError(mechanism, problem, metric, Measured(mean), Measured(mean))


def test_a_crossing_is_where_a_scan_finds_it() -> None:
    """Every n from 10 to 40 by listing: where the order of a pair changes once, it is the n that is named."""
    along, problem = axis("n"), Problem((1, 1), (48, 42))
    mechanisms = [kind(1.0) for kind in MECHANISMS]
    scanned = range(10, 41)
    means = {m: [listed(*along.at(m, problem, n), "hellinger") for n in scanned] for m in mechanisms}
    curves = [accuracy_curve(along, m, problem, "hellinger", (10, 25, 40)) for m in mechanisms]
    found = {frozenset((one.ahead, one.behind)): one for one in crossovers(curves, problem)}
    changed = 0
    for pair in itertools.combinations(mechanisms, 2):
        orders = [closer(one, other) for one, other in zip(means[pair[0]], means[pair[1]], strict=True)]
        steps = zip(scanned[1:], orders[:-1], orders[1:], strict=True)
        changes = [n for n, before, after in steps if before * after < 0]
        if len(changes) == 1 and 0 not in orders:
            one = found.pop(frozenset(pair))
            changed += 1
            assert one.exact and (one.before, one.value) == (changes[0] - 1, changes[0])
            assert one.ahead == (pair[0] if orders[-1] < 0 else pair[1])
        elif not changes:
            assert frozenset(pair) not in found
    assert changed >= 4


def test_a_crossing_of_a_continuous_axis_is_narrowed() -> None:
    along, problem = axis("epsilon"), Problem((1, 1), (12, 18))
    mechanisms = [kind(1.0) for kind in MECHANISMS]
    curves = [accuracy_curve(along, m, problem, "l1", (0.05, 0.5, 5.0)) for m in mechanisms]
    found = crossovers(curves, problem)
    assert found
    for one in found:
        assert one.exact and one.before < one.value <= one.before * (1 + 2e-5)
        for value, expected in ((one.before * (1 - 1e-3), 1), (one.value * (1 + 1e-3), -1)):
            ahead, behind = (expected_error(*along.at(m, problem, value), "l1") for m in (one.ahead, one.behind))
            assert closer(ahead, behind) == expected


def trembling(mechanism: Mechanism, problem: Problem, metric: Metric) -> ExpectedError:
    """One mechanism at a constant 40; the other falls below it at n = 37, is back above at 39 and stays from 41."""
    error = 40.0
    if mechanism.epsilon == 2.0:
        error = 50.0 if problem.n < 37 or problem.n in (39, 40) else 30.0
    return ExpectedError(mechanism, problem, metric, Measured(error), Measured(error))


def test_a_trembling_order_is_named_where_it_settles() -> None:
    steady, other = MECHANISMS[0](1.0), MECHANISMS[0](2.0)
    curves = [accuracy_curve(axis("n"), m, TWO, "l1", (10, 50, 100), trembling) for m in (steady, other)]
    (one,) = crossovers(curves, TWO, trembling)
    assert (one.ahead, one.before, one.value, one.exact) == (other, 40, 41, True)


def _curve(mechanism: Mechanism, errors: list[tuple[float, float, float]]) -> AccuracyCurve:
    made = [ExpectedError(mechanism, TWO, "variation", Measured(low, error), Measured(high, error))
            for low, high, error in errors]
    return AccuracyCurve(axis("n"), mechanism, "variation", (10, 20, 50), tuple(made))


@pytest.mark.parametrize(
    ("one", "other", "between"),
    [
        ([(1, 1, 0), (2, 2, 0), (3, 3, 0)], [(2, 2, 0), (2, 2, 0), (2, 2, 0)], None),  # exact: narrowed
        ([(1, 1, 0.1), (2, 2, 0), (3, 3, 0)], [(2, 2, 0), (2.1, 2.1, 0.1), (2, 2, 0)], (10, 50)),
        ([(1, 1, 0.1), (2, 2, 0), (3, 3, 0.5)], [(2, 2, 0), (2, 2, 0), (2, 2, 0.0)], ()),
        ([(1, 2, 0), (2, 3, 0), (5, 6, 0)], [(3, 4, 0), (3, 4, 0), (3, 4, 0)], (10, 50)),
        ([(1, 2, 0), (2, 5, 0), (3, 6, 0)], [(3, 4, 0), (3, 4, 0), (3, 4, 0)], ()),
    ],
)
def test_draws_and_bounds_are_compared_where_they_are_apart(
    one: list[tuple[float, float, float]], other: list[tuple[float, float, float]], between: tuple[int, ...] | None
) -> None:
    first, second = MECHANISMS[0](1.0), MECHANISMS[1](1.0)
    curves = [_curve(first, one), _curve(second, other)]
    known = {(curve.mechanism, n): error for curve in curves
             for n, error in zip(curve.values, curve.errors, strict=True)}

    def evaluate(mechanism: Mechanism, problem: Problem, metric: Metric) -> ExpectedError:
        if (mechanism, problem.n) in known:
            return known[mechanism, problem.n]
        error = 2.0 if mechanism == second else 1.0 + (problem.n > 33) * 2
        return ExpectedError(mechanism, problem, metric, Measured(error), Measured(error))

    found = crossovers(curves, TWO, evaluate)
    if between is None:
        assert [(c.ahead, c.before, c.value, c.exact) for c in found] == [(second, 33, 34, True)]
    else:
        assert [(c.before, c.value) for c in found] == ([between] if between else [])
        assert not any(c.exact for c in found)


# --- the epsilon for a wanted distance ---


@every_class
def test_the_smallest_epsilon_is_the_smallest_of_a_scan(kind: Kind) -> None:
    problem, wanted = Problem((1, 1), (12, 18)), 0.3
    found = required_epsilon(kind(7.0), problem, wanted)
    assert found.mean.exact and found.mean.mechanism == replace(kind(1.0), epsilon=found.epsilon)
    assert listed(found.mechanism, problem, "hellinger").high == pytest.approx(wanted, rel=1e-4)
    assert found.mean.high <= wanted
    for epsilon in np.geomspace(1e-2, found.epsilon * (1 - 1e-4), 40):
        assert listed(kind(float(epsilon)), problem, "hellinger").high > wanted


def test_a_crossing_takes_far_fewer_points_than_bisection() -> None:
    """The order of two power laws changes at n = 123,457; halving what lies around it takes 17 steps of two points."""
    asked: set[tuple[Mechanism, Problem]] = set()

    def power(mechanism: Mechanism, problem: Problem, metric: Metric) -> ExpectedError:
        asked.add((mechanism, problem))
        error = 1e3 / problem.n if mechanism.epsilon == 2.0 else (1e3 / 123_456.5) * (123_456.5 / problem.n) ** 0.5
        return ExpectedError(mechanism, problem, metric, Measured(error), Measured(error))

    curves = [accuracy_curve(axis("n"), MECHANISMS[0](e), TWO, "l1", (100_000, 200_000), power) for e in (1.0, 2.0)]
    asked.clear()
    (one,) = crossovers(curves, TWO, power)
    assert (one.ahead.epsilon, one.before, one.value, one.exact) == (2.0, 123_456, 123_457, True)
    assert len(asked) <= 2 * (10 + 7), "and the seven values beyond"


@given(share=st.floats(0.001, 0.999), steep=st.floats(0.2, 5), ends=st.sampled_from(
    [(1, 1000), (0.01, 1000.0), (1, limits.TOTAL_LARGEST), (1e-9, limits.EPSILON_LARGEST)]))
def test_narrowing_ends_around_the_change_whatever_the_slope(
    share: float, steep: float, ends: tuple[float, float]
) -> None:
    """On axes of whole and other values, the largest that are taken among them."""
    (low, high), looked = ends, list[float]()
    whole, place = isinstance(low, int), low * (high / low) ** share

    def lead(value: float) -> float:
        looked.append(value)
        return math.copysign(abs(math.log(value / place)) ** steep, value - place)

    before, after = _narrowed(lead, low, high, whole)
    assert before <= place <= after
    assert after - before == 1 if whole else after <= before * (1 + 1.1e-5)
    bisection = math.ceil(math.log2(high - low if whole else math.log(high / low) / 1e-5))
    assert len(looked) <= 2 + bisection + 2


def test_an_error_that_rises_again_is_told() -> None:
    def bent(mechanism: Mechanism, problem: Problem, metric: Metric) -> ExpectedError:
        error = 0.9 if mechanism.epsilon < 1 else 0.1 if mechanism.epsilon < 50 else 0.3
        return ExpectedError(mechanism, problem, metric, Measured(error), Measured(error))

    found = required_epsilon(MECHANISMS[0](1.0), TWO, 0.2, bent)
    assert found.epsilon == pytest.approx(1, rel=2e-5)
    assert not found.monotone
    assert required_epsilon(MECHANISMS[4](1.0), TWO, 0.2).monotone


def test_epsilons_out_of_range_are_refused_in_words() -> None:
    floored = next(kind for kind in MECHANISMS if expected_error(kind(1e3), TWO, "hellinger").high > 0.01)
    with pytest.raises(ValueError, match=r"No epsilon looked at .* down to 0\.01: the smallest found is 0\.\d+"):
        required_epsilon(floored(1.0), TWO, 0.01)
    with pytest.raises(ValueError, match=r"Even epsilon = 0\.01, .* is enough for a mean distance of 0\.9999"):
        required_epsilon(MECHANISMS[4](1.0), TWO, 0.9999)
    with pytest.raises(ValueError, match="no records"):
        required_epsilon(MECHANISMS[4](1.0), Problem((1, 1), (0, 0)), 0.1)
    for wanted in (0.0, 1.0, float("nan")):
        with pytest.raises(ValueError, match="the wanted mean distance must"):
            required_epsilon(MECHANISMS[4](1.0), TWO, wanted)


@every_class
def test_what_never_comes_near_says_why(kind: Kind) -> None:
    """At a hundred million epsilons an error remains for those, and those alone, that say what keeps it up."""
    largest = expected_error(kind(limits.EPSILON_LARGEST), TWO, "hellinger").high
    assert bool(kind.remaining_error) == (largest > 1e-3)
    if kind.remaining_error:
        with pytest.raises(ValueError, match=f"The reason: {kind.remaining_error}"):
            required_epsilon(kind(1.0), TWO, 1e-3)


def test_a_calibration_does_not_reach_the_answer() -> None:
    mechanism = calibrate(MECHANISMS[4](1.0), TWO.prior, TWO.n)
    assert required_epsilon(mechanism, TWO, 0.2) == required_epsilon(MECHANISMS[4](5.0), TWO, 0.2)
