"""The candidate posteriors Dir(alpha + r), r >= 0 with sum n: how many there are, and their list."""

import math

import numpy as np
from numpy.typing import NDArray

from dpbi import limits

LISTED_CATEGORIES = 20


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


def are_few(n: int, k: int, most: int) -> bool:
    """Whether the candidates are at most ``most``, of at most 20 categories: a list grows category by category.

    n: total count; k: categories. Source: ours.
    """
    return k <= LISTED_CATEGORIES and number_of_candidates(n, k) <= most


def list_candidates(n: int, k: int) -> NDArray[np.int64]:
    """All r in N^k with sum n, int64 (C(n + k - 1, k - 1), k), in lexicographic order.

    n: total count; k >= 1 categories. Column by column: a beginning r_1 ... r_i that leaves m records goes on with
    r_{i+1} = 0 ... m, and each stands in as many rows as there are ways to end it.
    """
    # ways[j - 1][m] = C(m + j - 1, j - 1): one category takes 0 ... m of m records, j - 1 others the rest.
    ways = [np.ones(n + 1, dtype=np.int64)]
    while len(ways) < k:
        ways.append(np.cumsum(ways[-1]))
    listed = np.empty((int(ways[-1][n]), k), dtype=np.int64, order="F")  # written by columns
    left = np.array([n], dtype=np.int64)
    for i in range(k - 1):
        start = np.cumsum(left + 1) - (left + 1)
        value = np.arange(start[-1] + left[-1] + 1) - np.repeat(start, left + 1)
        left = np.repeat(left, left + 1) - value
        listed[:, i] = np.repeat(value, ways[k - 2 - i][left])
    listed[:, -1] = left
    return listed
