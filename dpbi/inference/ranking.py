"""Who is first, second, ...: the ranks of the categories by their shares, from draws of a posterior, and beside them
who is first among the counted."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpbi import limits
from dpbi.frozen_result import FrozenResult, frozen
from dpbi.posterior import dirichlet

DRAWS = 4_000
MATRIX_LARGEST = 12  # categories, of whose every rank the probability is kept
_AT_ONCE = 2_000_000  # numbers


@dataclass(frozen=True, eq=False)
class Ranking(FrozenResult):
    """first: P(theta_i is the largest), (k,); counted_first: P(c_i is larger than all others), (k,); low, middle, high:
    the equal-tailed interval and the median of the rank of theta_i, 1 being the largest, (k,); matrix: P(its rank is
    j + 1), (k, k), None of many categories; draws: their number."""

    first: NDArray[np.float64]
    counted_first: NDArray[np.float64]
    low: NDArray[np.int64]
    middle: NDArray[np.int64]
    high: NDArray[np.int64]
    matrix: NDArray[np.float64] | None
    draws: int
    mass: float

    @property
    def leaders(self) -> tuple[int, ...]:
        """The one that is first most often, and those that the draws do not tell from it: within two standard errors of
        the difference of their probabilities."""
        best = int(self.first.argmax())
        gap = self.first[best] - self.first
        alike = gap**2 <= 4 * (self.first[best] + self.first - gap**2) / self.draws
        return (best, *(int(i) for i in np.flatnonzero(alike & (self.first > 0)) if i != best))

    @property
    def error(self) -> float:
        """Two standard errors of a probability near 1/2, the largest of any."""
        return 1 / float(np.sqrt(self.draws))

    @property
    def least(self) -> float:
        """A power of ten: what was in no draw is less probable with 95 % confidence, as e^-3 = 0.05 is of 3 / draws."""
        return float(10.0 ** np.ceil(np.log10(3 / self.draws)))


def ranking(posterior: Any, rng: np.random.Generator, draws: int = DRAWS, mass: float = 0.95) -> Ranking:
    """The ranks of theta_1, ..., theta_k under a posterior.

    posterior: whatever has ``prior`` (k,) and ``sample_counts(rng, size)`` of c, given which theta is Dir(prior + c);
    draws: how many; mass: of the intervals,
    inside (0, 1). Returns a Ranking. Raises ValueError for other arguments.
    Source: ours; Monte Carlo, each probability within ``Ranking.error`` with 95 % confidence.
    """
    k, tail = len(posterior.prior), (1 - limits.inside("mass", mass)) / 2
    draws = limits.check_size(draws, k)
    ranks, counted = np.empty((draws, k), dtype=np.int16), np.zeros(k)
    block = max(1, _AT_ONCE // k)
    for start in range(0, draws, block):
        counts = posterior.sample_counts(rng, min(block, draws - start))
        largest = counts == counts.max(axis=1, keepdims=True)
        counted += largest[largest.sum(axis=1) == 1].sum(axis=0)
        theta = dirichlet.one_draw_each(np.array(posterior.prior) + counts, rng)
        order = np.argsort(-theta, axis=1, kind="stable")
        np.put_along_axis(ranks[start : start + len(theta)], order, np.arange(1, k + 1, dtype=np.int16)[None], axis=1)
    low, middle, high = np.quantile(ranks, (tail, 0.5, 1 - tail), axis=0, method="inverted_cdf").astype(np.int64)
    matrix = None
    if k <= MATRIX_LARGEST:
        matrix = frozen(np.stack([(ranks == place).mean(axis=0) for place in range(1, k + 1)], axis=1))
    return Ranking((ranks == 1).mean(axis=0), counted / draws, low, middle, high, matrix, draws, mass)
