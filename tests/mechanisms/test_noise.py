"""Integer noise far out and at any decay; near its centre it is what the mechanisms' laws are tested by."""

import numpy as np
import pytest

from dpbi.mechanisms.noise.law import FlooredLaplace, IntegerNoise, TwoSidedGeometric


def both(decay: float) -> list[IntegerNoise]:
    """The two noises whose tails fall by e^-decay a step."""
    return [FlooredLaplace(1 / decay), TwoSidedGeometric(decay)]


@pytest.mark.parametrize("decay", [1e-6, 0.3, 20.0])
def test_far_tails_do_not_underflow_in_the_logarithm(decay: float) -> None:
    """P(D >= d + 1) = e^-decay P(D >= d) at any d > 0, where the probability itself is long zero."""
    for noise in both(decay):
        far = np.array([10**6, 10**9])
        step = noise.log_at_least(far + 1) - noise.log_at_least(far)
        assert step == pytest.approx(-decay, rel=1e-6)
        assert np.isfinite(noise.log_pmf(-far)).all()


@pytest.mark.parametrize("decay", [1e-6, 1e-2, 1.0, 50.0, 709.0, 10_000.0])
def test_no_epsilon_makes_a_nan(decay: float) -> None:
    """Warnings are errors here, so an overflow on the way would show too."""
    for noise in both(decay):
        d = np.array([-(10**9), -1, 0, 1, 10**9])
        for values in (noise.log_pmf(d), noise.log_at_least(d), noise.log_at_most(d)):
            assert not np.isnan(values).any() and (values <= 0).all()
        assert noise.sample(np.random.default_rng(0), (3,)).shape == (3,)
