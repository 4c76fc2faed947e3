"""Ranks from draws, against Dirichlet distributions whose ranks are known."""

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from dpbi.inference.ranking import DRAWS, MATRIX_LARGEST, ranking
from dpbi.posterior import dirichlet


@dataclass
class Given:
    """A posterior whose counts are 0, so that the shares have a Dirichlet distribution, or drawn of some rows."""

    prior: tuple[float, ...]
    rows: tuple[tuple[int, ...], ...] = ()

    def sample_counts(self, rng: np.random.Generator, size: int) -> NDArray[np.int64]:
        rows = np.array(self.rows or ((0,) * len(self.prior),))
        return rows[np.arange(size) % len(rows)]


def test_of_two_the_first_is_the_one_above_one_half() -> None:
    """Each within four standard errors: a false alarm in 16,000 seeds."""
    for a, b in ((5, 3), (0.5, 0.5), (30, 1)):
        found = ranking(Given((a, b)), np.random.default_rng(1))
        p = float(stats.beta.sf(0.5, a, b))
        assert abs(found.first[0] - p) <= 4 * np.sqrt(p * (1 - p) / DRAWS) + 1e-12
        assert found.first.sum() == 1
        assert found.matrix is not None and found.matrix[0, 0] == found.matrix[1, 1] == found.first[0]
        assert found.low.tolist() == [1, 1 if p < 0.975 else 2] and found.high[1] == 2


@pytest.mark.parametrize("k", [3, MATRIX_LARGEST, MATRIX_LARGEST + 1, 300])
def test_ranks_are_permutations_and_intervals_hold_their_mass(k: int) -> None:
    alpha = tuple(np.linspace(1, 30, k))
    found = ranking(Given(alpha), np.random.default_rng(2), draws=400, mass=0.8)
    # The same draws: they come in one block
    theta = dirichlet.one_draw_each(np.tile(alpha, (400, 1)), np.random.default_rng(2))
    ranks = k - theta.argsort(axis=1).argsort(axis=1)
    assert (found.first == (ranks == 1).mean(axis=0)).all()
    inside = ((ranks >= found.low) & (ranks <= found.high)).mean(axis=0)
    assert (inside >= 0.8 - 1 / 400).all() and (found.low <= found.middle).all() and (found.middle <= found.high).all()
    assert (found.matrix is None) == (k > MATRIX_LARGEST)
    if found.matrix is not None:
        assert np.allclose(found.matrix.sum(axis=0), 1) and np.allclose(found.matrix.sum(axis=1), 1)
        assert (found.matrix == [[(ranks[:, i] == j + 1).mean() for j in range(k)] for i in range(k)]).all()


def test_who_is_first_of_shares_and_among_the_counted_are_two_things() -> None:
    """Exact counts are known; whose share is largest is not."""
    found = ranking(Given((1, 1, 1), ((298, 340, 42),)), np.random.default_rng(3))
    assert found.counted_first.tolist() == [0, 1, 0]
    assert abs(found.first[1] - stats.beta.sf(0.5, 341, 299)) <= 4 * np.sqrt(0.05 / DRAWS)  # a third is out of reach
    found = ranking(Given((1, 1), ((3, 5), (4, 4), (9, 2), (1, 8))), np.random.default_rng(3))
    assert found.counted_first.tolist() == [0.25, 0.5]  # a tie has no first


def test_what_was_in_no_draw_is_below_a_bound_that_is_a_power_of_ten() -> None:
    for draws, least in ((DRAWS, 0.001), (3_000, 0.001), (300, 0.01), (10, 1.0)):
        found = ranking(Given((1, 1)), np.random.default_rng(1), draws)
        assert found.least == pytest.approx(least) and (1 - found.least) ** draws <= 0.05


def test_what_is_no_mass_or_too_many_draws_is_refused() -> None:
    with pytest.raises(ValueError, match="mass"):
        ranking(Given((1, 1)), np.random.default_rng(1), mass=1)
    with pytest.raises(ValueError, match="size"):
        ranking(Given((1, 1)), np.random.default_rng(1), draws=10**12)
