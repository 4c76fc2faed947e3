"""Numbers with their errors, and when one is surely the smaller: ties are ties, and are named together as listed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

SURE = 4.0  # standard errors between means of draws that count as different
ROUNDING, LEFT_OUT = 1e-9, 1e-15  # what exact means err by: of the mean, and what a law may leave out
_SAID = 2.0  # standard errors that are said: 95 %

T = TypeVar("T")


@dataclass(frozen=True)
class Measured:
    """A number and how far off it may be; exact, rounding apart, where both errors are 0.

    value; error: the standard error of draws, or an estimate of the error that stands for one: four of it are sure, two
    are said; half_width: of a bracket that surely holds the true value: |value - true| is no more.
    """

    value: float
    error: float = 0.0
    half_width: float = 0.0

    @property
    def exact(self) -> bool:
        return bool(self.error == self.half_width == 0)

    @property
    def margin(self) -> float:
        """What is said after a plus or minus: two standard errors, and the half width."""
        return _SAID * self.error + self.half_width

    def over(self, other: Measured) -> Measured:
        """The quotient by what is surely above 0: a standard error to first order, a half width that holds the ends.

        Source: standard, the propagation of independent errors.
        """
        ratio = self.value / other.value
        error = math.hypot(self.error, ratio * other.error) / other.value
        return Measured(ratio, error, (self.half_width + ratio * other.half_width) / (other.value - other.half_width))


def lead(less: Measured, more: Measured) -> float:
    """By how much one number is surely below another; at most 0 where that is not sure.

    Exact numbers differ beyond 1e-9 of the larger and 1e-15; brackets do where they lie apart besides, and what was
    drawn by four standard errors of the difference besides. Source: ours.
    """
    gap = (more.value - more.half_width) - (less.value + less.half_width)
    return gap - (SURE * math.hypot(less.error, more.error) + ROUNDING * abs(more.value) + LEFT_OUT)


def tied(one: Measured, other: Measured) -> bool:
    """Whether neither is surely the smaller."""
    return one == other or max(lead(one, other), lead(other, one)) <= 0


def foremost(listed: Iterable[T], number: Callable[[T], Measured]) -> list[T]:
    """Those, in order, whose number no other is surely below: the smallest and all that tie with it."""
    found = [(one, number(one)) for one in listed]
    return [one for one, its in found if not any(lead(other, its) > 0 for _, other in found)]


def rising(listed: Iterable[T], number: Callable[[T], Measured]) -> list[T]:
    """From the smallest value on, whatever its error; those that are equal up to rounding keep the order given."""
    found = [(place, Measured(number(one).value), one) for place, one in enumerate(listed)]
    left, order = sorted(found, key=lambda one: one[1].value), []
    while left:
        alike = [one for one in left if tied(left[0][1], one[1])]
        order += sorted(alike, key=lambda one: one[0])
        left = left[len(alike):]
    return [one for _, _, one in order]
