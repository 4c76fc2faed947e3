"""Sensitivities by plain enumeration, as one would write them with NumPy and SciPy's log-gamma. Nothing of dpbi.

Every dataset of n records is a row, every distance a difference of log-gammas. A single local sensitivity follows its
definition, the maximum over neighbours and all candidates; global and smooth sensitivities already use the shortcut
max over neighbours of H, without which they would take thousands of times as long. The datasets are listed once,
before the clock starts.
"""

from itertools import permutations

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

Floats = NDArray[np.float64]


def compositions(n: int, k: int) -> NDArray[np.int64]:
    """All rows of k whole numbers >= 0 with sum n."""
    grid = np.indices((n + 1,) * (k - 1)).reshape(k - 1, -1).T
    grid = grid[grid.sum(axis=1) <= n]
    return np.column_stack([grid, n - grid.sum(axis=1)])


def hellinger(a: NDArray, b: NDArray) -> Floats:
    """sqrt(1 - B((a + b)/2) / sqrt(B(a) B(b))), Dirichlet parameters in the last axis."""

    def log_beta(x: NDArray) -> Floats:
        return gammaln(x).sum(axis=-1) - gammaln(x.sum(axis=-1))

    affinity = np.exp(log_beta((a + b) / 2) - (log_beta(a) + log_beta(b)) / 2)
    return np.sqrt(np.maximum(1 - affinity, 0.0))


def distances(prior: NDArray, counts: NDArray, candidates: NDArray) -> Floats:
    """H from the posterior of counts to that of each candidate."""
    return hellinger(prior + counts, prior + candidates)


def _moves(k: int) -> NDArray[np.int64]:
    return np.array([np.eye(k, dtype=np.int64)[i] - np.eye(k, dtype=np.int64)[j] for i, j in permutations(range(k), 2)])


def local_sensitivity(prior: NDArray, counts: NDArray, datasets: NDArray) -> float:
    """max over neighbours c' and all candidates r of |H(c, r) - H(c', r)|."""
    here = distances(prior, counts, datasets)
    neighbours = [counts + move for move in _moves(counts.size) if (counts + move >= 0).all()]
    return max(float(np.abs(here - distances(prior, neighbour, datasets)).max()) for neighbour in neighbours)


def local_sensitivities(prior: NDArray, datasets: NDArray) -> Floats:
    """max over neighbours of H, for every dataset."""
    largest = np.zeros(len(datasets))
    for move in _moves(datasets.shape[1]):
        possible = (datasets + move >= 0).all(axis=1)
        here = prior + datasets[possible]
        largest[possible] = np.maximum(largest[possible], hellinger(here, here + move))
    return largest


def global_sensitivity(prior: NDArray, datasets: NDArray) -> float:
    return float(local_sensitivities(prior, datasets).max())


def smooth_sensitivity(prior: NDArray, counts: NDArray, datasets: NDArray, gamma: float) -> float:
    """max over all datasets c' of 1 / (1 / LS(c') + gamma d(c, c'))."""
    steps = np.abs(datasets - counts).sum(axis=1) / 2
    return float((1 / (1 / local_sensitivities(prior, datasets) + gamma * steps)).max())
