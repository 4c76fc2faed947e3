"""The outputs of K-norm noise cut at zero, listed over all likely noise with their probabilities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpbi.mechanisms.distance_table import LISTABLE, DistanceTable, Rows, chunks, rows_to_keep
from dpbi.mechanisms.noise.steps import StepsNoise
from dpbi.posterior.hellinger import identities, loss_to, tabulated_loss
from dpbi.problem.problem import Problem
from dpbi.sensitivity import local_sensitivity

_WINDOW = 2_000_000  # every value of one count is in work at once
_CATEGORIES = 8  # beyond, partial noise would be listed that no balanced noise completes


def steps_noise_table(problem: Problem, noise: StepsNoise) -> DistanceTable | None:
    """The outputs max(c + D, 0), weighted by the probability of D, for all D of up to ``noise.reach`` steps.

    None where there are more than LISTABLE such D, more than _WINDOW values of one count, or too many categories.
    """
    reach = noise.reach if problem.n else 0
    if problem.k > _CATEGORIES or 2 * reach >= _WINDOW or (reach and noise.listed > LISTABLE):
        return None
    window = np.arange(-reach, reach + 1)
    partial = _Drawn.start(reach)
    for i in range(problem.k - 2):
        partial = partial.extended(problem, i, window)
    mark = local_sensitivity(problem) if problem.n else 0.0
    total = noise.listed if reach else 1
    rows = Rows(np.inf, mark, 2 * reach + 1, keep=rows_to_keep(total, line=problem.k == 2), orders=2)
    for part in chunks(partial.net.size, window.size):
        block = partial.rows(part).extended(problem, problem.k - 2, window).balanced(problem)
        log_law = -noise.epsilon / 2 * block.spent - noise.log_partition if reach else np.zeros(block.spent.shape)
        rows.add(loss_to(problem, block.released, block.loss), block.moved, identities(problem, block.released),
                 np.exp(log_law))
    return rows.table(step=0.5)


@dataclass(frozen=True, eq=False)
class _Drawn:
    """Partial noise: what the counts so far contribute."""

    reach: int
    loss: NDArray  # sum of the categories' losses
    spent: NDArray  # sum of |D_i|
    net: NDArray  # sum of D_i
    moved: NDArray  # sum of |r_i - c_i|
    released: NDArray  # (rows, counts so far)

    @classmethod
    def start(cls, reach: int) -> _Drawn:
        nothing = np.zeros(1, dtype=np.int64)
        return cls(reach, np.zeros(1), nothing, nothing, nothing, np.zeros((1, 0), dtype=np.int64))

    def rows(self, part: slice) -> _Drawn:
        return _Drawn(self.reach, *(column[part] for column in self._columns()))

    def _columns(self) -> tuple[NDArray, ...]:
        return self.loss, self.spent, self.net, self.moved, self.released

    def extended(self, problem: Problem, i: int, window: NDArray) -> _Drawn:
        """Every row with every noise of count i, as far as what rises and what falls stay within reach."""
        spent, net = np.add.outer(self.spent, np.abs(window)), np.add.outer(self.net, window)
        row, at = np.nonzero(spent + np.abs(net) <= 2 * self.reach)
        return self._joined(problem, i, row, spent[row, at], net[row, at], window[at])

    def balanced(self, problem: Problem) -> _Drawn:
        """The last count takes what makes the noise sum to 0."""
        spent = self.spent + np.abs(self.net)
        return self._joined(problem, problem.k - 1, np.arange(spent.size), spent, np.zeros_like(self.net), -self.net)

    def _joined(
        self, problem: Problem, i: int, row: NDArray, spent: NDArray, net: NDArray, noise: NDArray
    ) -> _Drawn:
        count = problem.counts[i]
        value = np.maximum(count + noise, 0)
        return _Drawn(self.reach, self.loss[row] + tabulated_loss(problem.prior[i], count, value), spent, net,
                      self.moved[row] + np.abs(value - count), np.column_stack([self.released[row], value]))
