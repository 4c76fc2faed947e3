"""The exponential mechanism over the whole range of priors, 1e-9 to 1e12, equal or mixed: right or refused.

Settings are drawn with fixed seeds; frequencies are compared with a false-alarm rate of 1e-6 each (goodness_of_fit).
"""

import math
from collections.abc import Iterator

import numpy as np
import pytest

from dpbi import Problem, partition
from dpbi.mechanisms import EHD
from dpbi.partition import draws, power_sums
from dpbi.partition.convolved_sums import ConvolvedSums
from dpbi.posterior.hellinger import distances_to
from dpbi.problem.candidates import list_candidates, log_number_of_candidates
from tests import large_oracles
from tests.goodness_of_fit import assert_follows


def priors(rng: np.random.Generator, k: int) -> tuple[float, ...]:
    """Equal, mixed over 21 orders of magnitude, of the two extremes, all tiny, or ordinary."""
    kinds = (
        lambda: (10 ** rng.uniform(-9, 12),) * k,
        lambda: tuple(10 ** rng.uniform(-9, 12, k)),
        lambda: tuple(10 ** rng.choice([-9.0, 9.0], k)),
        lambda: tuple(10 ** rng.uniform(-9, -3, k)),
        lambda: tuple(10 ** rng.uniform(-2, 2, k)),
    )
    return tuple(map(float, kinds[rng.integers(len(kinds))]()))


def settings(seed: int, number: int, most: float) -> Iterator[tuple[Problem, float]]:
    """Problems of at most that many candidates, k to 8, zeros common; rates from 1e-3 to 1e8."""
    rng = np.random.default_rng(seed)
    while number:
        k, n = int(rng.integers(2, 9)), int(10 ** rng.uniform(0, 3))
        if math.comb(n + k - 1, k - 1) <= most:
            counts = rng.multinomial(n, rng.dirichlet([10 ** rng.uniform(-2, 1)] * k))
            yield Problem(priors(rng, k), tuple(map(int, counts))), float(10 ** rng.uniform(-3, 8))
            number -= 1


def by_enumeration(problem: Problem, rate: float) -> tuple[float, float]:
    """log Z and the mean in long doubles; Z - 1 first, as the truth is the one candidate at H = 0."""
    losses, _ = large_oracles.all_losses(problem.prior, problem.counts)
    h = large_oracles.distance(losses)
    weight = np.exp(-np.longdouble(rate) * h)
    mean = (weight @ h) / weight.sum()
    return float(np.log1p(weight[h > 0].sum())), float(mean)


def assert_enumerated(problem: Problem, rate: float) -> None:
    log_z, mean = by_enumeration(problem, rate)
    where = f"{problem} at rate {rate}"
    assert partition.log_partition(problem, rate) == pytest.approx(log_z, rel=1e-13, abs=1e-11), where
    assert partition.mean_distance(problem, rate) == pytest.approx(mean, abs=1e-9), where


def test_log_partition_and_mean_are_enumeration() -> None:
    for problem, rate in settings(seed=1, number=80, most=10_000):
        assert_enumerated(problem, rate)


def test_tiny_priors_of_two_categories_are_enumeration() -> None:
    """Equal priors of 1e-3 to 1e-9: the range in which sums that had not been centred came out wrong."""
    for exponent in range(3, 10):
        for n in (3, 77, 231, 419):
            for first in {0, 1, n // 2}:
                assert_enumerated(Problem((10.0**-exponent,) * 2, (n - first, first)), 2.0)


def test_seven_categories_of_prior_1e9ths() -> None:
    """1e13 candidates: log Z by one term of the mixture, as all but the truth lie at H = 1 to nine digits."""
    problem = Problem((1.0167123559906e-09,) * 7, (0, 0, 442, 0, 0, 0, 0))
    mechanism = EHD(0.35382022758497045)
    assert partition.log_partition(problem, 1.0) == pytest.approx(29.015888, abs=1e-6)
    assert partition.mean_distance(problem, 1.0) == pytest.approx(1.0, abs=1e-9)
    assert mechanism.probability_of_ignoring(problem) >= math.exp(-mechanism.rate(problem))
    drawn = mechanism.sample(problem, np.random.default_rng(1), 1000)
    assert (drawn.sum(axis=1) == problem.n).all() and distances_to(problem, drawn).min() > 0.999


def test_larger_problems_keep_the_bounds_and_the_slope() -> None:
    """Beyond any list: N e^{-rate} <= Z <= N, and the mean is minus the slope of log Z, to 1 % over a narrow range."""
    rng = np.random.default_rng(3)
    for _ in range(4):
        k, n = int(rng.choice([5, 20, 60])), int(10 ** rng.uniform(2, 4))
        counts = rng.multinomial(n, rng.dirichlet([10 ** rng.uniform(-1, 1)] * k))
        problem, rate = Problem(priors(rng, k), tuple(map(int, counts))), float(10 ** rng.uniform(-1, 4))
        most = log_number_of_candidates(n, k)
        below, above = (partition.log_partition(problem, x) for x in (rate * 0.9995, rate * 1.0005))
        assert most - rate * 0.9995 - 1e-9 <= below <= most + 1e-9
        assert most - rate * 1.0005 - 1e-9 <= above <= most + 1e-9
        slope = (below - above) / (rate * 1e-3)
        assert partition.mean_distance(problem, rate) == pytest.approx(slope, rel=1e-2, abs=1e-9 + 1e-8 * most / rate)


# The two routes to Z_m ------------------------------------------------------------------------------


def test_transforms_and_convolutions_agree() -> None:
    """Two routes that share the affinities alone: a tilted transform with a bound of its rounding, and plain sums."""
    rng = np.random.default_rng(5)
    for _ in range(25):
        k, n = int(rng.choice([3, 5, 8, 30])), int(10 ** rng.uniform(1.5, 3))
        counts = rng.multinomial(n, rng.dirichlet([10 ** rng.uniform(-1, 1)] * k))
        sums = power_sums.PowerSums(Problem(priors(rng, k), tuple(map(int, counts))))
        for m in (1.0, 17.3, float(10 ** rng.uniform(0, 4))):
            log_z, error = power_sums._log_sum(sums.bulk(m))
            expected = np.logaddexp(0.0, sums._convolved.log_excess(m))
            assert abs(log_z - expected) <= error + 1e-12 + 1e-14 * expected
            if error <= 1e-11:
                assert log_z == pytest.approx(expected, rel=1e-13, abs=1e-11)


@pytest.mark.parametrize("copies", [1, 2, 7])
def test_convolved_sums_are_enumeration(copies: int) -> None:
    """Equal kinds raised to a power, beside others, at whole and broken m; the excess keeps its digits when tiny."""
    prior, count = np.array([1e-6, 2.0]), np.array([1, 2])
    sums = ConvolvedSums(prior, count, np.array([copies, 1]))
    problem = Problem((1e-6,) * copies + (2.0,), (1,) * copies + (2,))
    losses, moved = large_oracles.all_losses(problem.prior, problem.counts)
    for m in (1.0, 3.7, 40.0):
        assert sums.log_excess(m) == pytest.approx(float(np.log(np.exp(-m * losses[moved > 0]).sum())), abs=1e-13 * m)


def test_a_tilt_that_cannot_be_centred_is_refused() -> None:
    """Two weights far apart in one variable, none in between: no tilt gives them a mean of 0."""
    offsets, weight = np.array([[-1, 0, 10**9]]), np.array([[1.0, 0.0, 0.0]])
    bulk = power_sums.Bulk(offsets, weight, np.ones(1, int), np.ones(1, int), 1, offsets[:, [0, 2]],
                           np.zeros((1, 2), bool))
    with pytest.raises(ValueError, match=r"cannot be certified .* tilt"):
        _ = bulk.tilt


# Draws ----------------------------------------------------------------------------------------------


def test_draws_through_the_mixture_follow_the_list() -> None:
    for number, (problem, _) in enumerate(settings(seed=7, number=10, most=400)):
        distance = distances_to(problem, candidates := list_candidates(problem.n, problem.k))
        rate = math.log(len(candidates)) * (1 + number % 2) + 0.5  # where following and ignoring the data both happen
        weight = np.exp(-rate * distance)
        law = dict(zip(map(tuple, candidates.tolist()), weight / weight.sum(), strict=True))
        assert_follows(draws._from_mixture(problem, rate, np.random.default_rng(number), 10_000), law)


def test_category_by_category_is_the_same_law() -> None:
    """The route taken where independent draws would be accepted too rarely."""
    problem, m = Problem((1e-6, 3.0, 1e-9, 50.0), (4, 1, 0, 3)), 2
    candidates = list_candidates(problem.n, problem.k)
    weight = (1 - distances_to(problem, candidates) ** 2) ** m
    law = dict(zip(map(tuple, candidates.tolist()), weight / weight.sum(), strict=True))
    assert_follows(draws._ChainSampler(problem, m).draw(np.random.default_rng(2), 10_000), law)


def test_pieces_follow_a_weight_that_jumps() -> None:
    """An atom beside a wide plateau a thousand times lower: pieces are halved until none holds both."""

    def log_weight(x: np.ndarray) -> np.ndarray:
        return np.where(x == 0, 0.0, -7.0 - x / 5000)

    edges = np.array([0, 4096, 8192])
    drawn = draws._Pieces(edges, log_weight).draw(np.random.default_rng(4), 20_000)
    weight = np.exp(log_weight(np.arange(8192)))
    cells = np.concatenate([[0], np.arange(1, 8193, 256)])
    mass = np.add.reduceat(weight, cells) / weight.sum()
    law: dict[tuple[int, ...], float] = {(i,): float(p) for i, p in enumerate(mass)}
    assert_follows(np.searchsorted(cells, drawn, side="right")[:, None] - 1, law)
