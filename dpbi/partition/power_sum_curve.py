"""log(Z_m - 1) as a curve in m, and the sum over m of a_m (Z_m - 1) cut into parts that can be added up.

The curve belongs to the prior and counts; a rate brings only the weights a_m. See ``partition`` for what the sum means.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Protocol

import numpy as np
from numpy.polynomial import chebyshev
from numpy.polynomial.legendre import leggauss
from numpy.typing import NDArray

from dpbi.partition.mixture import log_step, log_weight, log_weights
from dpbi.partition.power_sums import power_sums, uncertain
from dpbi.problem.problem import Problem

_SINGLY = 16  # Z_0 ... Z_15 are computed one by one, beyond them log(Z_m - 1) is interpolated in log m
_SUMMED = 4096  # up to here the sum over m is a sum, beyond it an integral in log m
_INTERVALS, _DOUBLINGS = 13, 3  # between the Chebyshev nodes of a doubling of m: 13, 26 or 52
_FALL, _GONE = 7.0, -42.0  # of log(Z_m - 1) over a piece; below the second it no longer matters
_NEAR_ONE = -6.0  # log(Z_m - 1): above, log Z_m is interpolated
_INTERPOLATED = 2e-13  # last coefficients over the size of the values; the error is smaller, as they die out
_ABSOLUTE = 8e-12  # likewise, of Z; a doubling of m has less than a third of the weight
_GAUSS = 40  # quadrature nodes per doubling
RATE_ZERO = 1e-15  # stands for the limit rate -> 0, from which the weights differ by the order of the rate
_NEGLIGIBLE = 40.0  # contributions below e^-40 of the total are left out


@dataclass(frozen=True, eq=False)
class Part:
    """Terms a_m (Z_m - 1) of the sum over m, or nodes of its integral, with their quadrature weights.

    slope: b_m / a_m.
    """

    m: NDArray[np.float64]
    weight: NDArray[np.float64]
    log_a: NDArray[np.float64]
    slope: NDArray[np.float64]
    log_excess: NDArray[np.float64]

    def log_total(self) -> float:
        log_term = self.log_a + self.log_excess
        top = log_term.max()
        return float(top + np.log(np.exp(log_term - top) @ self.weight)) if np.isfinite(top) else -np.inf

    def expectation(self, factor: NDArray, log_z: float) -> float:
        return float((np.exp(self.log_a + self.log_excess - log_z) * factor) @ self.weight)


def _part(rate: float, m: NDArray, weight: NDArray, log_a: NDArray, step: NDArray, log_excess: NDArray) -> Part:
    """A part from log a_m and step = log a_m - log a_{m-1} (for m = 0, a_{-1} = 0)."""
    before = np.exp(-step)  # a_{m-1} / a_m
    slope = np.where(m > 0, rate / (2 * np.maximum(m, 1)) * before - 1 / rate, 1.0)
    return Part(m, weight, log_a, slope, log_excess)


@dataclass(frozen=True, eq=False)
class Piece:
    """A Chebyshev interpolation over x in [-1, 1] of log(Z_m - 1); of log Z_m, the smoother, where Z_m is not near 1.

    Towards Z_m = 1 the singularities of log(Z_m - 1), where Z_m = 1 at a complex m, come near.
    """

    coefficients: NDArray[np.float64]
    of_sum: bool

    @classmethod
    def through(cls, log_excess: NDArray[np.float64]) -> Piece:
        of_sum = bool(log_excess.min() > _NEAR_ONE)
        values = np.logaddexp(0.0, log_excess) if of_sum else log_excess
        return cls(_to_coefficients(values.size - 1) @ values, of_sum)

    def converged(self, log_excess: NDArray[np.float64]) -> bool:
        """Whether the last coefficients are rounding.

        An error of log(Z_m - 1) is one of Z by the factor (Z_m - 1) / Z, at most Z_m - 1.
        """
        highest = min(max(float(log_excess.max()), -700.0), 0.0)
        allowed = max(_INTERPOLATED * np.abs(log_excess).max(), _ABSOLUTE * np.exp(-highest))
        return bool(np.abs(self.coefficients[-2:]).max() < allowed)

    def at(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        values = chebyshev.chebval(x, self.coefficients)
        return np.asarray(values + np.log(-np.expm1(-values)) if self.of_sum else values, dtype=np.float64)


class Sums(Protocol):
    """What is summed: Z_m - 1 of the candidates, or its like."""

    @property
    def last(self) -> float:
        """From this m on, exp(log_excess(m)) no longer matters."""

    def log_excess(self, m: float) -> float:
        """log(Z_m - 1) at real m >= 0."""


class Excess:
    """log(Z_m - 1) as a function of m: exact for the first m, then interpolated in log m, one doubling at a time."""

    def __init__(self, sums: Sums) -> None:
        self.sums = sums
        self.panels = max(int(np.ceil(np.log2(self.sums.last / _SINGLY))), 1)
        self.single = np.array([self.sums.log_excess(m) for m in range(_SINGLY)])
        _check_falling(np.arange(_SINGLY, dtype=float), self.single)
        self.at_end, self.panel = cache(sums.log_excess), cache(self._panel)  # remembered for every rate

    def _panel(self, j: int) -> list[Piece]:
        """log(Z_m - 1) over log m in [log 16 2^j, log 16 2^{j+1}], in pieces of equal width.

        Rounding of Z_m grows by 1 / (Z_m - 1) in log(Z_m - 1), and what it does to the low end of a piece reaches its
        high end: so a piece spans a limited fall.
        """
        high, low = np.clip([self.at_end(_SINGLY * 2.0**i) for i in (j, j + 1)], _GONE, 0)
        pieces = max(int(np.ceil((high - low) / _FALL)), 1)
        return [self._piece(j + i / pieces, 1 / pieces) for i in range(pieces)]

    def _piece(self, low: float, width: float) -> Piece:
        """The interpolation over log2(m / 16) in [low, low + width].

        The nodes are doubled, those at hand kept, until the last coefficients have died out. Raises ValueError where
        that does not happen, or where the values do not fall and bend with m as a sum of BC^m must.
        """
        m = _SINGLY * 2.0 ** (low + width * (_lobatto(_INTERVALS) + 1) / 2)
        inner = [self.sums.log_excess(x) for x in m[1:-1]]
        values = np.array([self.at_end(m[0]), *inner, self.at_end(m[-1])])
        for intervals in _INTERVALS * 2 ** np.arange(_DOUBLINGS):
            _check_falling(m, values)
            piece = Piece.through(values)
            if piece.converged(values):
                return piece
            m = _SINGLY * 2.0 ** (low + width * (_lobatto(2 * intervals) + 1) / 2)
            between = [self.sums.log_excess(x) for x in m[1::2]]
            values = np.insert(values, np.arange(1, values.size), between)
        raise uncertain(f"sums of powers near {m[0]:g} vary too fast to be interpolated")

    def at(self, m: NDArray) -> NDArray:
        """log(Z_m - 1) at whole m >= 0, or real m >= 16; -inf where Z_m - 1 < 2^-60."""
        values = np.full(m.shape, -np.inf)
        early = m < _SINGLY
        values[early] = self.single[m[early].astype(int)]
        position = np.log2(np.maximum(m, _SINGLY) / _SINGLY)
        index = position.astype(int)
        for j in np.unique(index[~early]):
            if j < self.panels:
                here = ~early & (index == j)
                values[here] = _at(self.panel(j), position[here] - j)
        return values

    def parts(self, rate: float) -> Iterator[Part]:
        """The sum up to _SUMMED, then doublings of m until what remains cannot matter.

        Both ends of the doublings follow from bounds: before its peak a_m grows with m, and Z_m - 1 falls.
        """
        m = np.arange(_SUMMED + 2.0)
        log_a = log_weights(rate, _SUMMED + 1)
        # Euler-Maclaurin at the midpoint: sum_{m > M} F = int_{M + 1/2}^inf F + F'(M + 1/2) / 24, F' a difference.
        weight = np.ones(m.size)
        weight[-2:] = 1 - 1 / 24, 1 / 24
        step = np.diff(log_a, prepend=-np.inf)
        head = _part(rate, m, weight, log_a, step, self._early(rate, m, log_a))
        yield head
        log_z = np.logaddexp(0.0, head.log_total())
        negligible = self._negligible(rate)
        low = _SUMMED + 0.5
        for j in range(int(np.log2(_SUMMED / _SINGLY)), self.panels):
            high = _SINGLY * 2.0 ** (j + 1)
            log_mass = float(log_weight(rate, high) + np.log(high)) if high < rate * rate / 6 else 0.0
            if log_mass + self.at_end(low) >= log_z - negligible:
                part = self._panel_part(rate, j, low, high)
                log_z = np.logaddexp(log_z, part.log_total())
                yield part
            elif log_mass == 0.0:
                return
            low = high

    def relevant(self, rate: float) -> tuple[int, int]:
        """A range low <= m < high outside which all terms together are below e^-35 of Z; empty if Z - 1 is."""
        parts = list(self.parts(rate))
        least = np.logaddexp.reduce([0.0] + [part.log_total() for part in parts]) - _NEGLIGIBLE
        m = np.concatenate([part.m[part.log_a + part.log_excess + np.log(np.abs(part.weight)) > least]
                            for part in parts])
        return (int(m.min()), int(np.ceil(m.max() * 1.05)) + 1) if m.size else (0, 0)

    @staticmethod
    def _negligible(rate: float) -> float:
        """How far below log Z a term no longer matters; its part in E[H] is larger by 1 / rate."""
        return _NEGLIGIBLE + max(0.0, -float(np.log(rate)))

    def _early(self, rate: float, m: NDArray, log_a: NDArray) -> NDArray:
        """log(Z_m - 1) for the summed m, leaving out the doublings whose terms cannot matter."""
        values = np.full(m.size, -np.inf)
        values[:_SINGLY] = self.single
        for j in range(int(np.log2(_SUMMED / _SINGLY)) + 1):
            here = slice(_SINGLY << j, min(_SINGLY << (j + 1), m.size))
            most = log_a[here].max() + np.log(_SINGLY << j)
            if most + self.at_end(float(_SINGLY << j)) > -self._negligible(rate):
                values[here] = self.at(m[here])
        return values

    def _panel_part(self, rate: float, j: int, low: float, high: float) -> Part:
        width = np.log(high / low)
        m = low * np.exp(width * _GAUSS_NODES)
        return _part(rate, m, width * _GAUSS_WEIGHTS * m, log_weight(rate, m), log_step(rate, m), self.at(m))


@lru_cache(maxsize=16)
def excess_curve(problem: Problem) -> Excess:
    return Excess(power_sums(problem))


def _at(pieces: list[Piece], share: NDArray[np.float64]) -> NDArray[np.float64]:
    """The pieces of a panel at a share of its width."""
    inside = share * len(pieces)
    which = np.minimum(inside.astype(int), len(pieces) - 1)
    values = np.empty(share.size)
    for i, piece in enumerate(pieces):
        values[which == i] = piece.at(2 * (inside[which == i] - i) - 1)
    return values


def _check_falling(m: NDArray[np.float64], log_excess: NDArray[np.float64]) -> None:
    """Refuse values that no sum of BC^m over candidates can have: log(Z_m - 1) falls with m and is convex in it."""
    slope = np.diff(log_excess) / np.diff(m)
    slack = (_INTERPOLATED * 100 * np.maximum(np.abs(log_excess[1:]), 1.0)
             + _ABSOLUTE * np.exp(-np.maximum(log_excess[1:], -700.0))) / np.diff(m)
    if not ((slope <= slack).all() and (np.diff(slope) >= -slack[1:] - slack[:-1]).all()):
        raise uncertain("sums of powers that must fall with the power do not")


@cache
def _lobatto(intervals: int) -> NDArray[np.float64]:
    return np.asarray(-np.cos(np.pi * np.arange(intervals + 1) / intervals), dtype=np.float64)


@cache
def _to_coefficients(intervals: int) -> NDArray[np.float64]:
    return np.asarray(np.linalg.inv(chebyshev.chebvander(_lobatto(intervals), intervals)), dtype=np.float64)


_GAUSS_NODES, _GAUSS_WEIGHTS = (leggauss(_GAUSS)[0] + 1) / 2, leggauss(_GAUSS)[1] / 2
