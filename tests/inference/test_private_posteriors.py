"""Sampled private posteriors: what they hold against brute force, and grids that follow the mass."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from dpbi import MECHANISMS, Problem, dirichlet, hellinger
from dpbi.inference.private_posteriors import PrivatePosteriors, density_grid, density_window, sample_posteriors
from tests import oracles
from tests.every_mechanism import every_class
from tests.strategies import Drawn, epsilons, problems

SIZES = {"n = 0": 0, "n = 1": 1, "n = 90": 90, "n = 1e9": 10**9}


def drawn_by(kind: Any, problem: Problem, size: int = 30, epsilon: float = 1.0) -> PrivatePosteriors:
    return sample_posteriors(kind(epsilon), problem, np.random.default_rng(1), size)


@every_class
@given(drawn=problems(), epsilon=epsilons(), seed=st.integers(0, 100))
def test_a_sample_holds_what_its_mechanism_drew(kind: Any, drawn: Drawn, epsilon: float, seed: int) -> None:
    problem, mechanism = Problem(*drawn), kind(epsilon)
    found = sample_posteriors(mechanism, problem, np.random.default_rng(seed), 5)
    assert (found.mechanism, found.problem) == (mechanism, problem)
    assert found.released.tolist() == mechanism.sample(problem, np.random.default_rng(seed), 5).tolist()
    np.testing.assert_allclose(found.parameters, np.array(drawn.prior) + found.released, rtol=1e-15)
    np.testing.assert_allclose(found.distance, hellinger(problem.posterior, found.parameters), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.means.sum(axis=1), 1, rtol=1e-12)


@given(problems())
def test_coverage_counts_the_intervals_that_hold_the_true_mean(drawn: Drawn) -> None:
    found = drawn_by(MECHANISMS[0], Problem(*drawn))
    truth = [float(m) for m in oracles.posterior_mean(drawn.prior, drawn.counts)]
    for category, share in enumerate(found.coverage()):
        inside = 0
        for a in found.parameters:
            law = stats.beta(a[category], np.delete(a, category).sum())
            below = law.cdf(truth[category])
            # An interval's end that falls on the true mean itself, to rounding, may count either way.
            if min(abs(below - 0.025), abs(below - 0.975)) < 1e-9:
                return
            inside += 0.025 < below < 0.975
        assert share == inside / len(found.released)


@pytest.mark.parametrize("category", [2, [3, 0], range(2)])
def test_few_categories_have_what_they_have_among_all(category: Any) -> None:
    found = drawn_by(MECHANISMS[0], Problem((0.5, 1, 2, 1e9), (1, 0, 7, 5)))
    for every, some in zip(dirichlet.interval(found.parameters), dirichlet.interval(found.parameters, 0.95, category),
                           strict=True):  # fmt: skip
        np.testing.assert_array_equal(some, every[:, category])
    if not isinstance(category, int):
        np.testing.assert_array_equal(found.coverage(categories=category), found.coverage()[category])
        some = found.mean_quantiles((0.1, 0.5), category)
        np.testing.assert_array_equal(some, found.mean_quantiles((0.1, 0.5))[:, category])


def test_coverage_without_releases_is_not_a_number() -> None:
    empty = drawn_by(MECHANISMS[0], Problem((1, 1), (3, 5)), size=0)
    assert np.isnan(empty.coverage()).all()
    assert empty.released.shape == (0, 2) and empty.distance.shape == (0,)


@given(problems(largest_k=4))
def test_densities_are_the_marginal_beta_laws(drawn: Drawn) -> None:
    found, grid = drawn_by(MECHANISMS[0], Problem(*drawn), size=4), np.array([0.05, 0.3, 0.99])
    density = found.densities(grid)
    for a, row in zip(found.parameters, density, strict=True):
        expected = [float(oracles.beta_pdf(x, a[0], a[1:].sum())) for x in grid]
        np.testing.assert_allclose(row, expected, rtol=1e-9)


@every_class
def test_bands_are_nested_pointwise_quantiles(kind: Any) -> None:
    found, grid = drawn_by(kind, Problem((1, 1), (48, 42)), size=200), np.linspace(0.2, 0.8, 7)
    density = found.densities(grid)
    bands = found.bands(grid, (0.5, 0.95))
    for (low, high), mass in zip(bands, (0.5, 0.95), strict=True):
        np.testing.assert_allclose(low, np.quantile(density, (1 - mass) / 2, axis=0))
        np.testing.assert_allclose(high, np.quantile(density, (1 + mass) / 2, axis=0))
    assert (bands[1][0] <= bands[0][0]).all() and (bands[0][1] <= bands[1][1]).all()


@pytest.mark.parametrize("kind", MECHANISMS[::3], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("n", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize("alpha", [0.5, 1.0])
def test_a_grid_follows_the_true_and_the_released_mass(kind: Any, n: int, alpha: float) -> None:
    """Between neighbouring points lies at most a twelfth of the true posterior, however narrow it is."""
    problem = Problem((alpha, alpha), (2 * n // 3, n - 2 * n // 3))
    found = drawn_by(kind, problem)
    grid = density_grid(problem, found.released, 120)
    assert 40 <= grid.size <= 120
    assert (np.diff(grid) > 0).all() and 0 < grid[0] and grid[-1] < 1
    reached = stats.beta(*problem.posterior).cdf(grid)
    assert np.diff(reached, prepend=0, append=1).max() < 1 / 12
    low, high = density_window(np.concatenate([[problem.posterior], found.parameters]))
    assert low <= grid[0] and grid[-1] <= high
    assert np.isfinite(found.densities(grid)).all()


def test_a_window_holds_the_mass_of_every_posterior() -> None:
    parameters = np.array([[3.0, 5.0], [300.0, 5.0], [1.0, 1e6]])
    low, high = density_window(parameters, mass=0.99)
    for a in parameters:
        law = stats.beta(*a)
        assert law.cdf(high) - law.cdf(low) >= 0.99 * (1 - 1e-9)
    assert low == dirichlet.interval(parameters[2], 0.99, category=0)[0]
