"""Ranks from draws, against Dirichlet distributions whose ranks are known."""

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from dpbi.inference.ranking import DRAWS, MATRIX_LARGEST, ranking


@dataclass
class Given:
    """A posterior that is a Dirichlet distribution."""

    prior: tuple[float, ...]

    def sample(self, rng: np.random.Generator, size: int) -> NDArray[np.float64]:
        return rng.dirichlet(self.prior, size)


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
    theta = np.random.default_rng(2).dirichlet(alpha, 400)  # the same draws: they come in one block
    ranks = k - theta.argsort(axis=1).argsort(axis=1)
    assert (found.first == (ranks == 1).mean(axis=0)).all()
    inside = ((ranks >= found.low) & (ranks <= found.high)).mean(axis=0)
    assert (inside >= 0.8 - 1 / 400).all() and (found.low <= found.middle).all() and (found.middle <= found.high).all()
    assert (found.matrix is None) == (k > MATRIX_LARGEST)
    if found.matrix is not None:
        assert np.allclose(found.matrix.sum(axis=0), 1) and np.allclose(found.matrix.sum(axis=1), 1)
        assert (found.matrix == [[(ranks[:, i] == j + 1).mean() for j in range(k)] for i in range(k)]).all()


def test_what_is_no_mass_or_too_many_draws_is_refused() -> None:
    with pytest.raises(ValueError, match="mass"):
        ranking(Given((1, 1)), np.random.default_rng(1), mass=1)
    with pytest.raises(ValueError, match="size"):
        ranking(Given((1, 1)), np.random.default_rng(1), draws=10**12)
