"""Datasets seen through their counts, and which of them are neighbours."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpbi import limits

NEIGHBOURS_LARGEST = 50_000_000  # numbers in the list, 400 MB: about 370 categories, none of them empty
RELATION = "one record replaced; n and the prior are public"


def neighbours(counts: ArrayLike) -> NDArray[np.int64]:
    """All neighbours c' = c - e_j + e_i with c_j >= 1 and i != j.

    counts: (k,) whole numbers. Returns int64 (number of neighbours, k), donors j in order and
    receivers i in order within a donor; (0, k) where n = 0. Raises ValueError where the list would hold more than
    NEIGHBOURS_LARGEST numbers. Source: [P17] section 3, adjacency.
    """
    c = np.array(limits.check_counts(counts), dtype=np.int64)
    length = int((c >= 1).sum()) * (c.size - 1)
    if length * c.size > NEIGHBOURS_LARGEST:
        raise ValueError(f"counts have too many neighbours to list: at most {NEIGHBOURS_LARGEST:,} numbers are, "
                         f"got {length:,} neighbours of {c.size:,} categories.")
    donor, receiver = np.nonzero((c[:, None] >= 1) & ~np.eye(c.size, dtype=bool))
    moved = np.tile(c, (donor.size, 1))
    rows = np.arange(donor.size)
    moved[rows, donor] -= 1
    moved[rows, receiver] += 1
    return moved


def steps(counts: ArrayLike, other: ArrayLike) -> NDArray[np.float64]:
    """d(c, c') = ||c - c'||_1 / 2, the number of records replaced between two datasets.

    counts, other: (..., k), broadcast. Returns (...). A half step is possible where the totals differ
    (a released table of the Laplace family need not sum to n). Raises ValueError for what is no count, and for
    different numbers of categories. Source: [P17] section 3.
    """
    c, other = limits.broadcast_pair(
        "counts and other", *(limits.count_array(name, values, largest=limits.RELEASED_LARGEST)
                              for name, values in (("counts", counts), ("other", other))))
    return steps_between(c, other)


def steps_between(c: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.float64]:
    """``steps`` of arrays of counts that broadcast."""
    return np.abs(c - other).sum(axis=-1) / 2
