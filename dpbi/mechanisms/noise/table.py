"""The outputs of the Laplace family, listed over the window of likely noise with their probabilities."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpbi.mechanisms.distance_table import LISTABLE, NEGLIGIBLE, DistanceTable, Rows, chunks, rows_to_keep
from dpbi.posterior.hellinger import count_loss, identities, loss_to, tabulated_loss
from dpbi.problem.problem import Problem
from dpbi.sensitivity import local_sensitivity

from .law import IntegerNoise, cut_log_pmf

_WINDOW = 2_000_000  # every value of one count is in work at once


def noisy_counts_table(
    problem: Problem, noise: IntegerNoise, noised: int, consistent: bool
) -> DistanceTable | None:
    """The outputs of integer noise on the first ``noised`` counts, weighted by their probability.

    Each noised count is cut to [0, n], or to what the earlier ones left where ``consistent``; a last category without
    noise takes the remainder. None where the windows of likely noise hold more than LISTABLE outputs, or one of them
    more than _WINDOW counts.
    """
    reach = int(min(problem.n, np.ceil(NEGLIGIBLE / noise.decay)))
    ends = [(max(0, c - reach), min(problem.n, c + reach) + 1) for c in problem.counts[:noised]]
    sizes = [end - start for start, end in ends]
    if max(sizes) > _WINDOW or math.prod(sizes) > LISTABLE:
        return None
    windows = [np.arange(start, end) for start, end in ends]
    partial = _NoisyRows.start(problem.n)
    for i in range(noised - 1):
        partial = partial.extended(problem, noise, i, windows[i], consistent)
    total = partial.probability.size * windows[-1].size
    farthest = int(2 * sum(max(c - w[0], w[-1] - c) for c, w in zip(problem.counts, windows, strict=False)))
    mark = local_sensitivity(problem) if problem.n else 0.0
    rows = Rows(np.inf, mark, farthest + 1, keep=rows_to_keep(total, line=noised == 1), orders=2)
    for part in chunks(partial.probability.size, windows[-1].size):
        block = partial.rows(part).extended(problem, noise, noised - 1, windows[-1], consistent)
        if noised < problem.k:
            block = block.remainder(problem)
        rows.add(loss_to(problem, block.released, block.loss), block.moved, identities(problem, block.released),
                 block.probability)
    return rows.table(step=0.5)


@dataclass(frozen=True, eq=False)
class _NoisyRows:
    """Partial outputs of the Laplace family: what the counts so far contribute."""

    n: int
    loss: NDArray  # sum of the categories' losses
    moved: NDArray
    released: NDArray  # (rows, counts so far)
    probability: NDArray

    @classmethod
    def start(cls, n: int) -> _NoisyRows:
        return cls(n, np.zeros(1), np.zeros(1, dtype=np.int64), np.zeros((1, 0), dtype=np.int64), np.ones(1))

    def rows(self, part: slice) -> _NoisyRows:
        return _NoisyRows(self.n, self.loss[part], self.moved[part], self.released[part], self.probability[part])

    def extended(
        self, problem: Problem, noise: IntegerNoise, i: int, window: NDArray, consistent: bool
    ) -> _NoisyRows:
        """Every row with every value of count i, rows of no probability dropped."""
        count = problem.counts[i]
        loss = count_loss(problem.prior[i], count, window)
        moved = np.abs(window - count)
        if not consistent:
            probability = np.exp(cut_log_pmf(noise, count, window, self.n))
            return self._joined(np.add.outer(self.loss, loss), np.add.outer(self.moved, moved),
                                window, np.multiply.outer(self.probability, probability))
        left = (self.n - self.released.sum(axis=1))[:, None]
        # Where what is left lies below the whole window, the count is cut there for certain.
        value = np.where((left < window[0]) & (np.arange(window.size) == 0), left, window)
        probability = np.exp(cut_log_pmf(noise, count, value, left))
        probability = np.where((value == left) & (left < window[0]), 1.0, probability)
        below = count_loss(problem.prior[i], count, np.minimum(left, window[0]))
        return self._joined(self.loss[:, None] + np.where(value == window, loss, below),
                            self.moved[:, None] + np.abs(value - count), value, self.probability[:, None] * probability)

    def _joined(self, loss: NDArray, moved: NDArray, value: NDArray, probability: NDArray) -> _NoisyRows:
        """The (rows, values) with one more count released."""
        kept = probability > np.exp(-1.5 * NEGLIGIBLE)
        added = np.broadcast_to(value, kept.shape)[kept]
        released = np.column_stack([self.released[np.nonzero(kept)[0]], added])
        return _NoisyRows(self.n, loss[kept], moved[kept], released, probability[kept])

    def remainder(self, problem: Problem) -> _NoisyRows:
        """The last category takes max(0, n - what was released)."""
        last = np.maximum(self.n - self.released.sum(axis=1), 0)
        loss = tabulated_loss(problem.prior[-1], problem.counts[-1], last)
        return _NoisyRows(self.n, self.loss + loss, self.moved + np.abs(last - problem.counts[-1]),
                          np.column_stack([self.released, last]), self.probability)
