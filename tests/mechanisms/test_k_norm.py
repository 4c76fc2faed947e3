"""K-norm noise against all whole vectors in a window, 50-digit arithmetic, and what the other mechanisms say."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from dpbi import Problem, distance_law, hellinger
from dpbi.mechanisms import KNorm
from dpbi.mechanisms.noise.steps import StepsNoise
from tests import oracles
from tests.goodness_of_fit import assert_mean
from tests.mechanisms.test_fair_bits import assert_accounted_for
from tests.oracles import mp
from tests.strategies import Drawn, problems

EPSILONS = [1e-9, 1e-4, 0.3, 1.0, 3.0, 40.0, 800.0, 1e6]


def balanced(k: int, reach: int) -> np.ndarray:
    """All D with sum 0 and entries within reach, (N, k)."""
    head = np.array(list(itertools.product(range(-reach, reach + 1), repeat=k - 1)))
    return np.column_stack([head, -head.sum(axis=1)])


# The noise ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [2, 3, 5, 40])
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_log_partition_is_that_of_a_legendre_polynomial(k: int, epsilon: float) -> None:
    x = mp.coth(mp.mpf(epsilon) / 2)
    terms = [mp.legendre(m, x) for m in (k - 1, k - 2)]
    noise = StepsNoise(epsilon, k)
    small = terms[0] - 1 if epsilon > 100 else mp.log(terms[0])  # log1p, where 50 digits would hold a 1
    if epsilon < 100:
        assert noise.log_partition == pytest.approx(float(small), rel=1e-13)
        delta = float(terms[1] / terms[0])
        assert noise.profile(np.zeros(1)) == pytest.approx([delta], rel=1e-12)
    else:
        assert noise.log_partition == pytest.approx(math.exp(-epsilon) * k * (k - 1), rel=1e-12)
        assert noise.profile(np.zeros(1)) == pytest.approx([1.0])


@pytest.mark.parametrize(("k", "epsilon", "reach"), [(2, 0.7, 70), (3, 1.0, 60), (4, 2.0, 24)])
def test_sums_over_all_noise(k: int, epsilon: float, reach: int) -> None:
    """Z, the mean, a marginal, the number listed and the profile at two neighbours, by visiting every D."""
    drawn, noise = balanced(k, reach), StepsNoise(epsilon, k)
    moved = np.abs(drawn).sum(axis=1) / 2
    weight = np.exp(-epsilon * moved)
    assert noise.log_partition == pytest.approx(math.log(weight.sum()), abs=1e-12)
    law = weight / weight.sum()
    assert noise.mean_steps == pytest.approx(law @ moved, rel=1e-10)
    marginal = np.bincount(drawn[:, 0] + reach, law)
    assert noise.marginal(reach) == pytest.approx(marginal, abs=1e-12)
    assert law[moved > noise.reach].sum() < 1e-16
    short = StepsNoise(20.0, k)
    assert short.listed == (moved <= short.reach).sum()
    shift = np.zeros(k, dtype=int)
    shift[:2] = -1, 1
    there = np.exp(-epsilon * np.abs(drawn - shift).sum(axis=1) / 2) / weight.sum()
    for spent in (0.0, 0.3 * epsilon, 0.9 * epsilon, epsilon):
        delta = np.maximum(law - math.exp(spent) * there, 0).sum()
        assert noise.profile(np.array([spent]))[0] == pytest.approx(delta, abs=1e-11)


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 5.0])
@pytest.mark.parametrize("k", [2, 3, 30])
def test_draws_have_the_mean_and_the_share_of_the_truth(k: int, epsilon: float) -> None:
    """40,000 draws, fixed seed; false-alarm rate 1e-6 a comparison: goodness_of_fit."""
    noise = StepsNoise(epsilon, k)
    drawn = noise.sample(np.random.default_rng(k), 40_000)
    assert not drawn.sum(axis=1).any()
    moved = np.abs(drawn).sum(axis=1).astype(np.float64) / 2
    assert_mean(moved, noise.mean_steps, moved.std())
    truth = math.exp(-noise.log_partition)
    assert_mean((moved == 0).astype(float), truth, math.sqrt(truth * (1 - truth)))
    for category in (0, k - 1):  # the last one is not drawn as the others are
        assert_mean(drawn[:, category].astype(np.float64) ** 2, variance(noise), (drawn[:, category] ** 2.0).std())


def variance(noise: StepsNoise) -> float:
    reach = math.ceil(100 / noise.epsilon)
    return float(noise.marginal(reach) @ np.arange(-reach, reach + 1) ** 2.0)


def test_wide_and_narrow_noise() -> None:
    rng = np.random.default_rng(0)
    wide = np.abs(StepsNoise(1e-9, 10).sample(rng, 2_000)).sum(axis=1) / 2
    assert wide.mean() == pytest.approx(9e9, rel=0.05)
    assert not StepsNoise(1e6, 10).sample(rng, 2_000).any()
    assert StepsNoise(1.0, 1_000).sample(rng, 100).shape == (100, 1_000)


# The law of a release ---------------------------------------------------------------------------------


@settings(max_examples=25)
@given(problems(largest_k=4), st.floats(-2, 2).map(lambda x: 10.0**x), st.integers(0, 10**6))
def test_log_pmf_is_the_sum_over_all_that_is_cut_to_it(drawn: Drawn, epsilon: float, seed: int) -> None:
    problem = Problem(*drawn)
    law = oracles.KNormLaw(drawn.counts, epsilon)
    rng = np.random.default_rng(seed)
    for _ in range(6):
        released = rng.integers(0, 4, problem.k)
        released[rng.integers(problem.k)] = 0
        released[rng.integers(problem.k)] += rng.integers(0, 12)
        r = tuple(released.tolist())
        found = float(KNorm(epsilon).log_pmf(problem, released))
        assert found == (pytest.approx(float(mp.log(law[r])), rel=1e-12, abs=1e-12) if r in law else -np.inf)


def test_log_pmf_far_out_keeps_its_digits() -> None:
    """C(s + z - 1, z - 1) of 50 zeros and an excess of 10^12, against whole numbers."""
    problem = Problem((1,) * 51, (*(0,) * 50, 3))
    s = 10**12
    expected = mp.log(mp.mpf(math.comb(s + 49, 49))) - mp.mpf("1e-3") * s - mp.log(
        mp.legendre(50, mp.coth(mp.mpf("1e-3") / 2)))
    found = float(KNorm(1e-3).log_pmf(problem, (*(0,) * 50, 3 + s)))
    assert found == pytest.approx(float(expected), rel=1e-14)


def test_many_records_as_few() -> None:
    """Far from every edge the listed law and the mean without a list agree, and with draws: at k = 3, 5 and 30."""
    for prior, counts in (((1.0,) * 3, (200, 300, 90)), ((0.5, 1.0, 2.0, 1.0), (150, 90, 200, 120))):
        problem, mechanism = Problem(prior, counts), KNorm(1.0)
        law = distance_law(mechanism, problem)
        assert law.exact and mechanism.mean_distance(problem) == pytest.approx(law.mean, abs=2e-9)
        assert law.probability_of_truth == pytest.approx(math.exp(-StepsNoise(1.0, len(prior)).log_partition))
    problem, mechanism = Problem((1.0,) * 30, tuple(range(100, 130))), KNorm(2.0)
    drawn = mechanism.sample(problem, np.random.default_rng(3), 20_000)
    distance = hellinger(np.array(problem.posterior), np.array(problem.prior) + drawn)
    assert_mean(distance, mechanism.mean_distance(problem) or math.nan, distance.std())


def test_the_mean_is_not_told_where_totals_exceed_n() -> None:
    assert KNorm(1.0).mean_distance(Problem((1, 1, 1), (0, 3, 4))) is None
    assert KNorm(1.0).mean_distance(Problem((1, 1, 1), (0, 0, 0))) == 0


# The secure draw --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("k", "decay", "depth"), [(2, Fraction(1), 15), (3, Fraction(4), 17)])
def test_every_bit_of_the_secure_draw_is_accounted_for(k: int, decay: Fraction, depth: int) -> None:
    noise = StepsNoise(float(2 * decay), k)
    partition = mp.legendre(k - 1, mp.coth(mp.mpf(decay.numerator) / decay.denominator))
    assert_accounted_for(lambda bits: noise.draw_exactly(decay, bits), depth, Fraction(3, 5),
                         lambda drawn: mp.exp(-int(decay) * mp.mpf(sum(map(abs, drawn)))) / partition)
