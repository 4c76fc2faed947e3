"""Z_m - 1 = sum over candidates r != c of BC(c, r)^m, by convolutions of positive numbers: right at any prior.

With g_i(r)^m <= 1, the category's weight at its true count 1, and E_i the weights at all other counts, the product of
1 + E_i over the categories has the value Z_m where the offsets r_i - c_i add up to 0. The path r = c is the 1s' own:
(1 + E)(1 + F) = 1 + (E + F + E * F) keeps it apart, so that nothing is subtracted, and a sum of positive terms keeps
all its digits. No tilt, no window to centre: what it costs is the square of n, so it serves small and middling n.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dpbi.posterior.hellinger import count_loss
from dpbi.problem.candidates import log_number_of_candidates

_LOG_CANDIDATES = 500.0  # weights below e^-700 are lost; with at most e^500 candidates they are less than 1e-86 of Z_m
_LEFT_OUT = 200.0  # weights that together sum to e^-200 at most are left out
_EXPONENTIAL = 40.0  # multiplications that one exponential costs
_SQUARING = 2.0  # products that raising to a power takes, per doubling


@dataclass(frozen=True, eq=False)
class Departures:
    """Weights E of a group of categories at each sum of their offsets; the 1 at offset 0 is kept apart.

    at: weights at offsets low, low + 1, …; multiplication cuts them to what the group can lose and gain.
    """

    low: int
    at: NDArray[np.float64]

    def times(self, other: Departures, least: int, largest: int) -> Departures:
        """The E of both groups together, at offsets within [least, largest]."""
        low = self.low + other.low
        total = np.convolve(self.at, other.at)
        for part in (self, other):
            total = _added(total, low, part)
            low = min(low, part.low)
        first, last = max(least, low), min(largest, low + total.size - 1)
        return Departures(first, total[first - low : last - low + 1])

    def at_zero_with(self, other: Departures) -> float:
        """E of both groups together at offset 0 alone."""
        alone = sum(float(part.at[-part.low]) for part in (self, other) if 0 <= -part.low < part.at.size)
        first = max(self.low, -(other.low + other.at.size - 1))
        last = min(self.low + self.at.size - 1, -other.low)
        if last < first:
            return alone
        mirrored = other.at[-last - other.low : -first - other.low + 1][::-1]
        return alone + float(self.at[first - self.low : last - self.low + 1] @ mirrored)


def _added(total: NDArray[np.float64], low: int, part: Departures) -> NDArray[np.float64]:
    """total, which begins at offset ``low``, plus part; grown where part reaches farther."""
    before, after = max(low - part.low, 0), max(part.low + part.at.size - low - total.size, 0)
    grown = np.pad(total, (before, after))
    start = part.low - min(low, part.low)
    grown[start : start + part.at.size] += part.at
    return grown


class ConvolvedSums:
    """log(Z_m - 1) of one problem, given as kinds of categories with their multiplicities, at any real m > 0."""

    def __init__(self, prior: NDArray[np.float64], count: NDArray[np.int64], multiplicity: NDArray[np.int64]) -> None:
        self.prior, self.count, self.multiplicity = prior, count, multiplicity
        self.n = int(multiplicity @ count)

    @cached_property
    def work(self) -> float:
        """Multiplications one m takes at most; infinite where weights could underflow that count together."""
        if self._log_candidates > _LOG_CANDIDATES:
            return np.inf
        steps = self.multiplicity.size - 2 + _SQUARING * np.log2(self.multiplicity).sum()
        return float((self.n + 1.0) ** 2 * max(steps, 0.0) + _EXPONENTIAL * self.n * self.multiplicity.size)

    def log_excess(self, m: float) -> float:
        """log(Z_m - 1), relative error of Z_m - 1 below about 1e-13 times the size of m l_i."""
        factors = list(self._factors(m))
        product, inside = factors[0]
        for factor, own in factors[1:-1]:
            inside += own
            product = product.times(factor, -inside, self.n - inside)
        total = product.at_zero_with(factors[-1][0]) if len(factors) > 1 else _at_zero(product)
        with np.errstate(divide="ignore"):
            return float(np.log(total))

    def _factors(self, m: float) -> Iterator[tuple[Departures, int]]:
        """The binary powers of all kinds, narrow kinds first, each with the records that it holds."""
        for kind in np.argsort(self.count * self.multiplicity, kind="stable"):
            copies, count = int(self.multiplicity[kind]), int(self.count[kind])
            power, held = self.weights(int(kind), m), count
            while copies:
                if copies & 1:
                    yield power, held
                copies >>= 1
                if copies:
                    held *= 2
                    power = power.times(power, -held, self.n - held)

    def weights(self, kind: int, m: float) -> Departures:
        """E of one category: g(r)^m where it matters, 0 at its own count."""
        count, loss = int(self.count[kind]), self._losses[kind]
        # The affinity falls on both sides of the true count, so what matters is one stretch.
        inside = m * loss < self._log_candidates + _LEFT_OUT
        low = int(inside.argmax())
        high = self.n - int(inside[::-1].argmax())
        weight = np.exp(-m * loss[low : high + 1])
        weight[count - low] = 0.0
        return Departures(low - count, weight)

    @cached_property
    def _losses(self) -> list[NDArray[np.float64]]:
        released = np.arange(self.n + 1)
        return [count_loss(float(alpha), int(count), released)
                for alpha, count in zip(self.prior, self.count, strict=True)]

    @cached_property
    def _log_candidates(self) -> float:
        return log_number_of_candidates(self.n, int(self.multiplicity.sum()))


def _at_zero(product: Departures) -> float:
    return float(product.at[-product.low]) if 0 <= -product.low < product.at.size else 0.0
