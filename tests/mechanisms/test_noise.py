"""Integer noise against its definition: cells of the Laplace density, powers of p, tails summed term by term."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpbi.mechanisms.noise.law import FlooredLaplace, IntegerNoise, TwoSidedGeometric, cut_log_pmf
from tests import oracles
from tests.goodness_of_fit import assert_frequencies
from tests.oracles import mp
from tests.strategies import epsilons


def both(decay: float) -> list[IntegerNoise]:
    """The two noises whose tails fall by e^-decay a step."""
    return [FlooredLaplace(1 / decay), TwoSidedGeometric(decay)]


decays = epsilons()


def floored_laplace(d: int, scale: float) -> float:
    """log P(d <= Y < d + 1) from the distribution function, with the digits that a far cell needs."""
    with mp.workdps(60 + int(abs(d) / scale)):
        return float(mp.log(oracles.laplace_cdf(d + 1, scale) - oracles.laplace_cdf(d, scale)))


@given(st.floats(0.05, 1000), st.integers(-400, 400))
def test_floored_laplace_is_a_cell_of_the_density(scale: float, d: int) -> None:
    assert FlooredLaplace(scale).log_pmf(d) == pytest.approx(floored_laplace(d, scale), rel=1e-12)


@given(decays, st.integers(-400, 400))
def test_two_sided_geometric_is_its_definition(decay: float, d: int) -> None:
    p = mp.exp(-mp.mpf(decay))
    expected = float(mp.log((1 - p) / (1 + p) * p ** abs(d)))
    assert TwoSidedGeometric(decay).log_pmf(d) == pytest.approx(expected, rel=1e-12)


@given(decays, st.integers(-30, 30), st.integers(0, 1))
def test_tails_are_sums_of_the_law(decay: float, d: int, which: int) -> None:
    """Both tails, by adding terms out to where e^-45 is left; a tail near 1 by its complement."""
    noise = both(decay)[which]
    reach = abs(d) + int(45 / decay) + 2
    law = np.exp(noise.log_pmf(np.arange(-reach, reach + 1)))
    assert math.fsum(law) == pytest.approx(1, rel=1e-13)
    up, down = math.fsum(law[d + reach :]), math.fsum(law[: d + reach + 1])
    assert math.exp(float(noise.log_at_least(d))) == pytest.approx(up, rel=1e-12)
    assert math.exp(float(noise.log_at_most(d))) == pytest.approx(down, rel=1e-12)


@pytest.mark.parametrize("decay", [1e-6, 0.3, 20.0])
def test_far_tails_do_not_underflow_in_the_logarithm(decay: float) -> None:
    """P(D >= d + 1) = e^-decay P(D >= d) at any d > 0, where the probability itself is long zero."""
    for noise in both(decay):
        far = np.array([10**6, 10**9])
        step = noise.log_at_least(far + 1) - noise.log_at_least(far)
        assert step == pytest.approx(-decay, rel=1e-6)
        assert np.isfinite(noise.log_pmf(-far)).all()


@given(decays, st.integers(0, 1), st.integers(0, 25), st.integers(0, 25))
def test_cut_noise_is_the_oracles_law(decay: float, which: int, count: int, more: int) -> None:
    ceiling = count + more
    if which == 0:
        expected = [*oracles.clamped_laplace(count, ceiling, 1 / mp.mpf(decay))]
    else:
        expected = oracles.clamped_geometric(count, ceiling, mp.exp(-mp.mpf(decay)))
    found = cut_log_pmf(both(decay)[which], count, np.arange(-2, ceiling + 3), ceiling)
    logs = [float(mp.log(p)) for p in expected]
    assert found.tolist() == pytest.approx([-np.inf] * 2 + logs + [-np.inf] * 2, rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("decay", [0.05, 1.0, 6.0])
def test_samples_follow_the_law(decay: float) -> None:
    """100,000 draws, two tails and the numbers between as cells; rate as in goodness_of_fit."""
    for seed, noise in enumerate(both(decay)):
        drawn = noise.sample(np.random.default_rng([1, seed]), (1000, 100))
        assert drawn.shape == (1000, 100) and drawn.dtype == np.int64
        edge = int(4 / decay) + 1
        middle = np.arange(-edge + 1, edge)
        observed = [
            (drawn <= -edge).sum(),
            *(np.bincount(drawn[np.abs(drawn) < edge] + edge - 1, minlength=middle.size)),
            (drawn >= edge).sum(),
        ]
        log_law = [noise.log_at_most(-edge), *noise.log_pmf(middle), noise.log_at_least(edge)]
        assert_frequencies(observed, np.exp(log_law))


@pytest.mark.parametrize("decay", [1e-6, 1e-2, 1.0, 50.0, 709.0, 10_000.0])
def test_no_epsilon_makes_a_nan(decay: float) -> None:
    """Warnings are errors here, so an overflow on the way would show too."""
    for noise in both(decay):
        d = np.array([-(10**9), -1, 0, 1, 10**9])
        for values in (noise.log_pmf(d), noise.log_at_least(d), noise.log_at_most(d)):
            assert not np.isnan(values).any() and (values <= 0).all()
        assert noise.sample(np.random.default_rng(0), (3,)).shape == (3,)
