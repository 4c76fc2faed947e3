"""The outputs of noise on the counts, listed over all likely noise with their probabilities."""

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from dpbi.mechanisms.distance_table import LISTABLE, NEGLIGIBLE, DistanceTable, rows_to_keep, table_of
from dpbi.mechanisms.noise.law import IntegerNoise, cut_log_pmf
from dpbi.mechanisms.noise.steps import StepsNoise
from dpbi.posterior import chunks
from dpbi.problem.problem import Problem

_WINDOW = 2_000_000  # every value of one count is in work at once
_CATEGORIES = 8  # of steps noise; beyond, partial noise would be listed that no balanced noise completes

Outputs = Iterator[tuple[NDArray[np.int64], NDArray[np.float64]]]  # (rows, k) with their probabilities, in blocks


def noisy_counts_table(
    problem: Problem, noise: IntegerNoise, noised: int, consistent: bool
) -> DistanceTable | None:
    """The outputs of integer noise on the first ``noised`` counts, weighted by their probability.

    Each noised count is cut to [0, n], or to what the earlier ones left where ``consistent``; a last category without
    noise takes the remainder. None where the windows of likely noise hold more than LISTABLE outputs, or one of them
    more than _WINDOW counts.
    """
    reach = int(min(problem.n, np.ceil(NEGLIGIBLE / noise.decay)))
    counts = problem.counts[:noised]
    sizes = [min(problem.n, c + reach) - max(0, c - reach) + 1 for c in counts]
    if max(sizes) > _WINDOW or math.prod(sizes) > LISTABLE:
        return None
    windows = [max(0, c - reach) + np.arange(size) for c, size in zip(counts, sizes, strict=True)]
    moved = int(2 * sum(max(c - w[0], w[-1] - c) for c, w in zip(counts, windows, strict=True)))
    return table_of(problem, _noisy_counts(problem, noise, windows, consistent), moved,
                    rows_to_keep(math.prod(sizes), line=noised == 1))


def _noisy_counts(problem: Problem, noise: IntegerNoise, windows: list[NDArray], consistent: bool) -> Outputs:
    def extended(released: NDArray, probability: NDArray) -> tuple[NDArray, NDArray]:
        """Every partial release with every value of the next count, those of no probability dropped."""
        count, window = problem.counts[released.shape[1]], windows[released.shape[1]]
        if consistent:
            # Where what is left lies below the whole window, the count is cut there for certain.
            left = (problem.n - released.sum(axis=1))[:, None]
            below = left < window[0]
            value = np.where(below & (np.arange(window.size) == 0), left, window)
            law = np.where(below & (value == left), 1.0, np.exp(cut_log_pmf(noise, count, value, left)))
        else:
            value, law = window[None, :], np.exp(cut_log_pmf(noise, count, window, problem.n))
        likely = probability[:, None] * law
        row, at = np.nonzero(likely > np.exp(-1.5 * NEGLIGIBLE))
        return np.column_stack([released[row], np.broadcast_to(value, likely.shape)[row, at]]), likely[row, at]

    partial = np.zeros((1, 0), dtype=np.int64), np.ones(1)
    for _ in windows[:-1]:
        partial = extended(*partial)
    for part in chunks(len(partial[0]), windows[-1].size):
        released, probability = extended(*(column[part] for column in partial))
        if len(windows) < problem.k:
            released = np.column_stack([released, np.maximum(problem.n - released.sum(axis=1), 0)])
        yield released, probability


def steps_noise_table(problem: Problem, noise: StepsNoise) -> DistanceTable | None:
    """The outputs max(c + D, 0), weighted by the probability of D, for all D of up to ``noise.reach`` steps.

    None where there are more than LISTABLE such D, more than _WINDOW values of one count, or too many categories.
    """
    reach = noise.reach if problem.n else 0
    if problem.k > _CATEGORIES or 2 * reach >= _WINDOW or (reach and noise.listed > LISTABLE):
        return None
    keep = rows_to_keep(noise.listed if reach else 1, line=problem.k == 2)
    return table_of(problem, _stepped(problem, noise, reach), 2 * reach, keep)


def _stepped(problem: Problem, noise: StepsNoise, reach: int) -> Outputs:
    window = np.arange(-reach, reach + 1)

    def extended(drawn: NDArray) -> NDArray:
        """Every partial D with every noise of the next count, as far as rises and falls stay within reach each."""
        spent = np.add.outer(np.abs(drawn).sum(axis=1), np.abs(window))
        row, at = np.nonzero(spent + np.abs(np.add.outer(drawn.sum(axis=1), window)) <= 2 * reach)
        return np.column_stack([drawn[row], window[at]])

    partial = np.zeros((1, 0), dtype=np.int64)
    for _ in range(problem.k - 2):
        partial = extended(partial)
    for part in chunks(len(partial), window.size):
        block = extended(partial[part])
        drawn = np.column_stack([block, -block.sum(axis=1)])
        law = np.exp(-noise.epsilon / 2 * np.abs(drawn).sum(axis=1) - noise.log_partition) if reach else np.ones(1)
        yield np.maximum(drawn + problem.counts, 0), law
