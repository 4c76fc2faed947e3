"""The best public rate: its bounds against a fine grid of all rates, feasible in 50 digits, and what stands beside."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as some

import dpbi
from dpbi import best_public_rate, calibrate, limit_of_privacy
from dpbi.privacy import public_rate
from tests import oracles
from tests.oracles import mp


def laws(prior: tuple[float, ...], rates: np.ndarray) -> dict[oracles.Counts, oracles.Law]:
    """P(r) proportional to exp(-rate H), in 50 digits, every dataset with its own rate."""
    datasets = list(oracles.compositions(len(rates) - 1, 2))
    found: dict[oracles.Counts, oracles.Law] = {}
    for counts, rate in zip(sorted(datasets), rates.tolist(), strict=True):
        weights = {r: mp.exp(-mp.mpf(rate) * oracles.posterior_distance(prior, counts, r)) for r in datasets}
        total = mp.fsum(weights.values())
        found[counts] = {r: weight / total for r, weight in weights.items()}
    return found


def mean(prior: tuple[float, ...], rates: np.ndarray) -> Any:
    return mp.fsum(
        mp.exp(oracles.log_evidence_counts(prior, counts)) * p * oracles.posterior_distance(prior, counts, r)
        for counts, law in laws(prior, rates).items() for r, p in law.items()
    )


def by_grid(prior: tuple[float, ...], n: int, epsilon: float, steps: int) -> float:
    """The least mean over all (n + 1)-tuples of a grid of rates from 0, each tuple looked at."""
    posterior = np.array([(prior[0] + i, prior[1] + n - i) for i in range(n + 1)])
    distance = dpbi.hellinger(posterior[:, None], posterior[None])
    grid = np.concatenate([[0.0], np.geomspace(1e-3, 1, steps) * 4 * epsilon / distance[distance > 0].min()])
    law = np.exp(-grid[:, None, None] * distance)
    law /= law.sum(axis=2, keepdims=True)
    means = (law * distance).sum(axis=2)  # (rate, dataset)
    weight = [float(mp.exp(oracles.log_evidence_counts(prior, (i, n - i)))) for i in range(n + 1)]
    close = [np.abs(np.log(law[:, None, i]) - np.log(law[None, :, i + 1])).max(axis=2) <= epsilon for i in range(n)]
    total, possible = np.zeros((1,) * (n + 1)), np.ones((1,) * (n + 1), dtype=bool)
    for i in range(n + 1):
        total = total + (weight[i] * means[:, i]).reshape([-1 if j == i else 1 for j in range(n + 1)])
    for i in range(n):
        possible = possible & close[i].reshape([grid.size if j in (i, i + 1) else 1 for j in range(n + 1)])
    return float(np.where(possible, total, np.inf).min())


@pytest.mark.parametrize(("prior", "n", "epsilon", "steps"), [
    ((1.0, 1.0), 1, 1.0, 700), ((0.01, 7.0), 1, 4.0, 700), ((100.0, 1000.0), 1, 1.0, 700),
    ((1.0, 1.0), 2, 1.0, 160), ((0.3, 2.0), 2, 0.3, 160), ((0.01, 7.0), 2, 4.0, 160),
    ((1.0, 1.0), 3, 1.0, 40), ((5.0, 0.2), 3, 2.0, 40),
], ids=str)  # fmt: skip
def test_all_rates_of_a_grid_lie_between(prior: tuple[float, ...], n: int, epsilon: float, steps: int) -> None:
    """A grid's best is feasible: no less than ``lower``, and nearer than what the search found by its own bound only.
    How fine it is says how near it comes.
    """
    found, tried = best_public_rate(prior, n, epsilon, ()), by_grid(prior, n, epsilon, steps)
    assert found.lower <= found.best.mean <= found.lower * 1.0025
    assert found.lower <= tried <= found.lower * {1: 1.03, 2: 1.06, 3: 1.2}[n]


@pytest.mark.parametrize(
    ("prior", "n", "epsilon"), [((1.0, 1.0), 6, 1.0), ((0.2, 9.0), 5, 0.01), ((4.0, 1.0), 7, 15.0)]
)
def test_what_was_found_is_feasible_and_as_far_off_as_it_says(
    prior: tuple[float, ...], n: int, epsilon: float
) -> None:
    found = best_public_rate(prior, n, epsilon, (0.0, 3.0))
    for rule in (found.best, *found.others):
        loss = oracles.privacy_loss(laws(prior, rule.rates), prior, n).epsilon
        assert loss <= epsilon * (1 + 1e-12) and float(loss) == pytest.approx(rule.loss, rel=1e-9, abs=1e-12)
        assert float(mean(prior, rule.rates)) == pytest.approx(rule.mean, rel=1e-9)
    assert found.best.loss >= epsilon * (1 - 1e-6)


def test_the_rates_beside_are_those_of_the_mechanism() -> None:
    prior, n, epsilon = (1.0, 2.0), 9, 0.7
    found = best_public_rate(prior, n, epsilon, (0.4,))
    mechanism = dpbi.mechanisms.EHDS(epsilon, gamma=0.4)
    assert [rule.name for rule in found.others] == ["smooth, gamma 0.4", "smooth, gamma 0.4 calibrated"]
    for rule, one in zip(found.others, (mechanism, calibrate(mechanism, prior, n)), strict=True):
        rates = [one.rate(dpbi.Problem(prior, (i, n - i))) for i in range(n + 1)]
        assert rule.rates == pytest.approx(rates, rel=1e-9) and rule.gamma == 0.4
        assert rule.mean == pytest.approx(dpbi.expected_distance(one, prior, n).mean, rel=1e-6)
    limit = limit_of_privacy(prior, n, epsilon).value
    assert limit and found.times_limit(found.best.mean) == found.best.mean / limit and found.between
    assert found.between[0] <= found.lower / limit <= found.best.mean / limit <= found.between[1]
    assert found.between[1] - found.between[0] <= (found.best.mean - found.lower) / limit + 0.002


@given(
    some.tuples(some.floats(0.01, 200), some.floats(0.01, 200)), some.integers(1, 14),
    some.floats(math.log(public_rate.EPSILON_LEAST), math.log(public_rate.EPSILON_LARGEST)), some.floats(0, 50),
)  # fmt: skip
@settings(max_examples=25)
def test_no_rate_lies_below_the_bound(prior: tuple[float, ...], n: int, log_epsilon: float, gamma: float) -> None:
    epsilon = min(max(math.exp(log_epsilon), public_rate.EPSILON_LEAST), public_rate.EPSILON_LARGEST)
    found = best_public_rate(prior, n, epsilon, (gamma,))
    assert found.limit.value is not None and found.limit.value * (1 - 1e-9) <= found.best.mean
    assert 0 < found.lower <= found.best.mean <= min(rule.mean for rule in found.others)
    assert found.best.mean <= 1.01 * found.lower
    for rule in (found.best, *found.others):
        audit = public_rate._Chain(prior, n, epsilon).audit(rule.rates)
        assert audit.worst()[0] == rule.loss <= epsilon * (1 + 1e-12)
    assert (found.best.rates <= 2 * epsilon / np.array([
        dpbi.local_sensitivity(dpbi.Problem(prior, (i, n - i))) for i in range(n + 1)]) * (1 + 1e-9)).all()


@pytest.mark.parametrize("prior", [(1.0, 1.0), (0.3, 2.0)], ids=str)
def test_the_audit_visits_both_halves(prior: tuple[float, ...]) -> None:
    """Rates that are unlike at permuted counts, where a symmetric prior alone would let half of them be left out."""
    for rates in (np.array([1.0, 1, 1, 1, 9]), np.array([9.0, 1, 1, 1, 1]), np.array([0.5, 3, 1, 2, 0.1])):
        found = public_rate._Chain(prior, 4, 1.0).audit(rates).worst()[0]
        assert found == pytest.approx(float(oracles.privacy_loss(laws(prior, rates), prior, 4).epsilon), rel=1e-9)


def test_the_cheapest_chain_is_the_cheapest_of_all() -> None:
    rng = np.random.default_rng(3)
    for _ in range(30):
        sizes = rng.integers(1, 5, size=4)
        costs = [rng.random(m) for m in sizes]
        allowed = [rng.random((m, other)) < 0.6 for m, other in itertools.pairwise(sizes)]
        every = {
            chain: sum(cost[i] for cost, i in zip(costs, chain, strict=True))
            for chain in itertools.product(*map(range, sizes))
            if all(pairs[i, j] for pairs, (i, j) in zip(allowed, itertools.pairwise(chain), strict=True))
        }
        found, chosen = public_rate.cheapest(costs, allowed)
        assert found == pytest.approx(min(every.values(), default=math.inf))
        assert not every or every[tuple(chosen)] == pytest.approx(found)


def test_a_convex_function_is_nowhere_below_its_bound() -> None:
    """-log P_c(r) between the ends of intervals, by a fine grid in each."""
    chain = public_rate._Chain((1.0, 3.0), 8, 1.0)
    for c in (0, 3, 8):
        edges = public_rate._EDGES * chain.largest[c]
        surprise, means = chain.law(c, edges)
        low = public_rate._between(surprise, chain.distance[c] - means[:, None], edges)
        for i, (left, right) in enumerate(itertools.pairwise(edges)):
            inside = chain.law(c, np.linspace(left, right, 60))[0]
            assert (low[i] <= inside.min(axis=0) + 1e-12).all()
            assert (inside.max(axis=0) <= np.maximum(surprise[i], surprise[i + 1]) + 1e-12).all()
            assert low[i] == pytest.approx(inside.min(axis=0), abs=0.05)


@pytest.mark.parametrize(("prior", "n", "epsilon", "words"), [
    ((1, 1, 1), 5, 1.0, "prior must have two parameters"),
    ((1, 1), public_rate.LARGEST_N + 1, 1.0, "n is too large: at most 200 .* got 201"),
    ((1, 1), 0, 1.0, "n must be"),
    ((1, 1), 5, 1e-4, "epsilon must be at least"),
    ((1, 1), 5, 21.0, "epsilon is too large"),
])  # fmt: skip
def test_what_is_too_large_is_refused(prior: tuple[float, ...], n: int, epsilon: float, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        best_public_rate(prior, n, epsilon)
