"""The law of a release of two categories, ordered by -log BC: near H = 1 equal doubles are not equal distances.

H = sqrt(1 - e^-loss) rounds to 1 from a loss of about 36 on, while the losses themselves keep all their digits; so do
the probabilities of a larger distance, which are sums from the far end.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dpbi.frozen_result import FrozenResult
from dpbi.mechanisms import Mechanism
from dpbi.posterior.hellinger import count_loss, distance_of_loss
from dpbi.problem.problem import Problem

_SAME, _APART = 1e-12, 1e-9  # relative: losses nearer than the first are equal, those between cannot be told
_LISTED = 2_000_000  # records
_SMALL = 1_100  # records, whose laws are remembered: up to 50 kB each


@dataclass(frozen=True, eq=False)
class LineLaw(FrozenResult):
    """The law of the distance for released counts (r, n - r), nearest first, the levels of equal distance joined.

    level: of each r = 0 … n, its place in the rest; distance, within, beyond, strictly: H of
    each level, P(H <= it), P(H > it) and P(H < it); clear: whether all losses could be told apart.
    """

    level: NDArray[np.int64]
    distance: NDArray[np.float64]
    within: NDArray[np.float64]
    beyond: NDArray[np.float64]
    strictly: NDArray[np.float64]
    clear: bool

    def error(self, probability: float) -> tuple[float, bool]:
        """The least level that is exceeded with at most that probability; whether rounding leaves no doubt of it."""
        found = [int(np.argmax(self.beyond <= probability * (1 + sign * _APART))) for sign in (1, 0, -1)]
        return float(self.distance[found[1]]), found[0] == found[2]


def outside(epsilon: float, k: int) -> float:
    """P(floor(Y) < -k or floor(Y) > k) = (e^{-k epsilon} + e^{-(k+1) epsilon}) / 2 for scale 1/epsilon."""
    return (math.exp(-k * epsilon) + math.exp(-(k + 1) * epsilon)) / 2


def same_levels(sorted_loss: NDArray[np.float64]) -> tuple[NDArray[np.bool_], bool]:
    """Where a new level starts among rising losses, and whether all could be told apart."""
    gap = np.diff(sorted_loss) / np.maximum(sorted_loss[1:], 1e-300)
    return np.append(True, gap > _SAME), not bool(((gap > _SAME) & (gap < _APART)).any())


def line_law(mechanism: Mechanism, problem: Problem) -> LineLaw:
    """The law under a mechanism that releases counts of sum n. Source: ours."""
    return (_remembered if problem.n <= _SMALL else _line_law)(mechanism, problem)


def level_of_sensitivity(law: LineLaw, problem: Problem) -> int:
    """The level of LS(x): the farther neighbour's."""
    first = problem.counts[0]
    return max(int(law.level[at]) for at in (first - 1, first + 1) if 0 <= at <= problem.n)


def _line_law(mechanism: Mechanism, problem: Problem) -> LineLaw:
    if problem.n > _LISTED:
        raise ValueError(f"This claim needs every output at its own distance, and there are too many here: got "
                         f"n = {problem.n:,}.")
    r = np.arange(problem.n + 1)
    released = np.stack([r, problem.n - r], axis=-1)
    loss = count_loss(np.array(problem.prior), np.array(problem.counts), released).sum(axis=-1)
    probability = np.exp(mechanism.log_pmf(problem, released))
    order = np.argsort(loss, kind="stable")
    new, clear = same_levels(loss[order])
    start = np.flatnonzero(new)
    level = np.empty(loss.size, dtype=np.int64)
    level[order] = np.cumsum(new) - 1
    each = np.add.reduceat(probability[order], start)
    below, above = np.cumsum(each), np.cumsum(each[::-1])[::-1]
    return LineLaw(level, distance_of_loss(loss[order][start]), below, np.append(above[1:], 0.0),
                   np.append(0.0, below[:-1]), clear)


_remembered = lru_cache(maxsize=512)(_line_law)
