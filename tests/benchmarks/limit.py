"""K-norm noise beside the nearest of the other mechanisms, and what the limit of privacy costs as n grows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import dpbi
from dpbi.mechanisms import KNorm
from dpbi.mechanisms.added_noise import AddedNoise

from .measurement import cost_in_fresh_process
from .table import Row, rounded, within

MOST = 1_250  # times Python's loop


def nearer(sizes: Sequence[tuple[int, int]] = ((3, 90), (5, 150), (10, 300), (50, 1_500))) -> Iterator[Row]:
    """Mean H over the uniform prior's data, epsilon 1: how many times farther the nearest other noise lies.

    Choosing among candidates lies farther than noise at all these sizes, and its means take minutes at k = 50.
    """
    others = [kind for kind in dpbi.MECHANISMS if issubclass(kind, AddedNoise) and kind is not KNorm]
    for k, n in sizes:
        ours = dpbi.expected_distance(KNorm(1.0), (1,) * k, n).mean
        means = {kind.label: dpbi.expected_distance(kind(1.0), (1,) * k, n).mean for kind in others}
        best = min(means, key=means.__getitem__)
        yield Row(f"mean H under the uniform prior, k = {k}, n = {n:,}: KNorm", rounded(ours),
                  f"{best} {rounded(means[best])}", means[best] / ours)


def growth(sizes: Sequence[tuple[int, int]] = ((2, 100), (2, 1_000), (2, 10_000), (2, 10**6), (3, 6), (3, 9), (3, 12)),
           repetitions: int = 1) -> Iterator[Row]:
    """The limit at the uniform prior and epsilon 1, in a fresh process."""
    for k, n in sizes:
        taken = cost_in_fresh_process("import dpbi", f"dpbi.limit_of_privacy((1,) * {k}, {n}, 1.0)", repetitions)
        yield within(f"limit of privacy, k = {k}, n = {n:,}", taken, MOST)
