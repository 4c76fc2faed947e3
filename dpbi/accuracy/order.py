"""When one mean is surely the smaller: ties are ties, and are named together in the order in which they are listed."""

from __future__ import annotations

import math
from collections.abc import Sequence

SURE = 4.0  # standard errors between means of draws that count as different
ROUNDING, LEFT_OUT = 1e-9, 1e-15  # what exact means err by: of the mean, and what a law may leave out


def lead(less: float, more: float, *errors: float) -> float:
    """By how much one mean is surely below another; at most 0 where that is not sure.

    errors: the standard errors of both, 0 where exact. Exact means differ beyond 1e-9 of the mean and 1e-15, means of
    draws by four standard errors of their difference besides. Source: ours.
    """
    return more - (less + SURE * math.hypot(*errors) + ROUNDING * abs(more) + LEFT_OUT)


def foremost(values: Sequence[float], errors: Sequence[float] | None = None) -> list[int]:
    """The places, in order, of the values that no other is surely below: the smallest and all that tie with it.

    errors: standard errors, one per value.
    """
    found = list(zip(values, errors or [0.0] * len(values), strict=True))
    return [place for place, (value, error) in enumerate(found)
            if not any(lead(other, value, its, error) > 0 for other, its in found)]


def rising(values: Sequence[float]) -> list[int]:
    """The places of the values from the smallest on; those that are equal up to rounding keep the order given."""
    left, order = sorted(range(len(values)), key=values.__getitem__), []
    while left:
        tied = [place for place in left if lead(values[left[0]], values[place]) <= 0]
        order += sorted(tied)
        left = left[len(tied):]
    return order
