"""Integer noise far out and at any decay; near its centre it is what the mechanisms' laws are tested by."""

import numpy as np
import pytest

from dpbi.accuracy.distance_law import distance_law
from dpbi.mechanisms import Geometric, LSDim, LSHist
from dpbi.mechanisms.noise import mean
from dpbi.mechanisms.noise.law import FlooredLaplace, GeometricNoise, IntegerNoise
from dpbi.problem.problem import Problem


def both(decay: float) -> list[IntegerNoise]:
    """The two noises whose tails fall by e^-decay a step."""
    return [FlooredLaplace(1 / decay), GeometricNoise(decay)]


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


@pytest.mark.parametrize("consistent", [False, True])
@pytest.mark.parametrize("prior, counts", [
    ((1.0, 1.0, 1.0, 1.0), (4, 6, 5, 5)), ((1e-3, 30.0, 0.4), (0, 9, 3)), ((2.0, 0.6, 2.0), (6, 0, 6)),
    ((0.1, 0.2, 1e-6), (5, 8, 0)), ((0.5, 7.0), (1, 12)), ((1.0, 2.0, 1.0, 3.0), (3, 7, 3, 0)),
])  # fmt: skip
def test_three_routes_find_the_same_mean(
    prior: tuple[float, ...], counts: tuple[int, ...], consistent: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Summed, by transforms and from the list of all releases; each but the last may decline."""
    problem, found = Problem(prior, counts), 0
    for mechanism in (kind(epsilon, consistent=consistent) for kind in (LSHist, Geometric, LSDim)
                      for epsilon in (0.1, 0.7, 6.0)):  # fmt: skip
        listed = distance_law(mechanism, problem).mean
        for summed in (1e9, -1):
            monkeypatch.setattr(mean, "_SUMMED_SOONER", summed)
            monkeypatch.setattr(mean, "_SUMMED", summed)
            if (of_route := mechanism.mean_distance(problem)) is not None:
                assert of_route == pytest.approx(listed, abs=2e-9)
                found += 1
                if summed > 0 and len(prior) > 2 and mechanism.epsilon < 1:
                    assert of_route == pytest.approx(listed, rel=1e-11)
    small_last = not consistent and prior[-1] + counts[-1] / 2 < 0.5
    assert found or small_last, "beside a small last category only the list is sure"
