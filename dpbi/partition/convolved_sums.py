"""Z_m - 1 = sum over candidates r != c of BC(c, r)^m, by convolutions of positive numbers: right at any prior.

With g_i(r)^m <= 1, the category's weight at its true count 1, and E_i the weights at all other counts, the product of
1 + E_i over the categories has the value Z_m where the offsets r_i - c_i add up to 0. The path r = c is the 1s' own:
(1 + E)(1 + F) = 1 + (E + F + E * F) keeps it apart, so that nothing is subtracted, and a sum of positive terms keeps
all its digits. No tilt, no window to centre: what it costs is the square of n, so it serves small and middling n.
"""

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dpbi.posterior.hellinger import count_loss
from dpbi.problem.candidates import log_number_of_candidates

_LOG_CANDIDATES = 500.0  # weights below e^-700 are lost; with at most e^500 candidates they are less than 1e-86 of Z_m
_LEFT_OUT = 200.0  # weights that together sum to e^-200 at most are left out
_EXPONENTIAL = 40.0  # multiplications that one exponential costs
_SQUARING = 2.0  # products that raising to a power takes, per doubling


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
        group, held = np.zeros(self.n + 1), 0
        *factors, (last, own) = self._factors(m)
        for factor, its in factors:
            group, held = _together(group, held, factor, its), held + its
        with np.errstate(divide="ignore"):
            return float(np.log(group @ last[::-1] + group[held] + last[own]))

    def _factors(self, m: float) -> Iterator[tuple[NDArray[np.float64], int]]:
        """E of the binary powers of all kinds, narrow kinds first, each with the records that it holds."""
        for kind in np.argsort(self.count * self.multiplicity, kind="stable"):
            copies, held = int(self.multiplicity[kind]), int(self.count[kind])
            power = np.zeros(self.n + 1)
            loss = m * self._losses[kind]
            matters = loss < self._log_candidates + _LEFT_OUT
            power[matters] = np.exp(-loss[matters])
            power[held] = 0.0
            while copies:
                if copies & 1:
                    yield power, held
                copies >>= 1
                if copies:
                    power, held = _together(power, held, power, held), 2 * held

    @cached_property
    def _losses(self) -> list[NDArray[np.float64]]:
        return [count_loss(float(alpha), int(count), np.arange(self.n + 1))
                for alpha, count in zip(self.prior, self.count, strict=True)]

    @cached_property
    def _log_candidates(self) -> float:
        return log_number_of_candidates(self.n, int(self.multiplicity.sum()))


def _together(
    a: NDArray[np.float64], held: int, b: NDArray[np.float64], other_held: int
) -> NDArray[np.float64]:
    """E + F + E * F of two groups at 0, 1, ..., n records released by both; held: what they hold of the true counts."""
    (first, last), (start, stop) = (_support(part) for part in (a, b))
    product = np.convolve(a[first:last], b[start:stop])[: max(a.size - first - start, 0)]
    total = np.zeros(a.size)
    total[first + start : first + start + product.size] = product
    total[other_held:] += a[: a.size - other_held]
    total[held:] += b[: b.size - held]
    return total


def _support(weight: NDArray[np.float64]) -> tuple[int, int]:
    """Where the weights that are not 0 begin and end; one 0 where all are."""
    where = np.flatnonzero(weight)
    return (int(where[0]), int(where[-1]) + 1) if where.size else (0, 1)
