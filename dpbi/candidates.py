"""The candidate posteriors Dir(alpha + r), r >= 0 with sum n: how many there are, and their list."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dpbi import limits


def number_of_candidates(n: int, k: int) -> int:
    """C(n + k - 1, k - 1), exactly.

    n: total count; k: categories. Source: stars and bars; [P17] section 4.2 prints C(n + 1, k - 1), right at k = 2.
    """
    return math.comb(limits.check_total(n) + k - 1, k - 1)


def log_number_of_candidates(n: int, k: int) -> float:
    """log C(n + k - 1, k - 1) = sum_{i=1}^{min(n, k-1)} log1p(max(n, k-1) / i), without subtracting log-gammas.

    n: total count; k: categories. Source: the product form of the binomial coefficient.
    """
    few, many = sorted((limits.check_total(n), k - 1))
    return float(np.log1p(many / np.arange(1, few + 1)).sum())


def list_candidates(n: int, k: int) -> NDArray[np.int64]:
    """All r in N^k with sum n, int64 (C(n + k - 1, k - 1), k), in lexicographic order.

    n: total count; k >= 1 categories. Built from the last category forwards: a prefix r_1 leaves n - r_1 to the rest.
    """
    if k == 1:
        return np.array([[n]], dtype=np.int64)
    if k == 2:
        first = np.arange(n + 1, dtype=np.int64)
        return np.stack([first, n - first], axis=1)
    tails = [list_candidates(left, k - 1) for left in range(n, -1, -1)]
    sizes = [len(tail) for tail in tails]
    prefix = np.repeat(np.arange(n + 1, dtype=np.int64), sizes)
    return np.concatenate([prefix[:, None], np.concatenate(tails)], axis=1)
