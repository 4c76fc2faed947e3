"""The law of a share's log odds, y = log(theta / (1 - theta)), theta a mixture of Betas, as polynomials on panels.

Log odds have digits at both ends: theta = e^-1000 and 1 - theta = e^-1000 are as far from 0 as 1000 is. They are
measured from an origin, log(a / b) of the law's weightiest part, so that those of Beta(1e18, 1e16), which vary by 1e-8,
have digits too. On each panel the density is its Legendre series, halved until what is left out is nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy import special

from dpbi.frozen_result import FrozenResult, frozen
from dpbi.inference.beta_mixture import Betas
from dpbi.posterior import chunks, dirichlet

Floats = NDArray[np.float64]

_TERMS, _LAST = 20, 4  # of a Legendre series; of them, those that show whether it goes far enough
_LEFT_OUT, _ROUNDING = 1e-13, 1e-4  # of a probability, by one panel; of its values, at most
_NOTHING = -38.0  # log of the probability beyond either end
_SDS = 9.0  # standard deviations of a log odds, beyond which its tail is exponential or falls faster
_STEPS = np.array([4.0, 16, 36])  # of one size, in which e^y, or e^{a y}, goes from 1 to nothing
_HALVINGS, _PANELS, _STARTS = 150, 20_000, 4_000  # from 1e31 to 1e-9; panels at most, and at first
_TINY = float(np.finfo(float).tiny)
_LARGEST = 700.0  # e^700 is a double
_TOTAL = 1e-10  # by which the whole probability may miss 1


class Parts(FrozenResult):
    """The parts of a mixture by their log odds, from the origin log(first / second).

    low, high: between them lie a part's log odds but for e^-38: its tails fall like e^{a y} and e^{-b y}, or faster.
    mean, sd: of all.
    """

    def __init__(self, of: Betas) -> None:
        heaviest = int(np.argmax(of.share))
        self.share, self.a, self.b = of.share, of.a, of.b
        self.first, self.second = float(of.a[heaviest]), float(of.b[heaviest])
        self.centre = _log_ratio(of.a, self.first) - _log_ratio(of.b, self.second)
        self.log_peak = dirichlet.log_odds_peak(of.a, of.b)
        self.means = (self.centre + (special.digamma(of.a) - np.log(of.a))
                      - (special.digamma(of.b) - np.log(of.b)))
        self.sds = np.sqrt(special.polygamma(1, of.a) + special.polygamma(1, of.b))
        reach = np.maximum(np.log(np.maximum(np.abs(of.share), _TINY)) - _NOTHING, 0.0)
        self.low, self.high = (self.means - _SDS * self.sds - reach / of.a, self.means + _SDS * self.sds + reach / of.b)
        self.mean = float(of.share @ self.means)
        self.sd = math.sqrt(max(float(of.share @ (self.sds**2 + (self.means - self.mean) ** 2)), 0.0))
        self._freeze()

    def density(self, at: Floats) -> Floats:
        """The density, but for parts that have next to nothing there: at (N,) -> (N,)."""
        found = np.zeros(at.size)
        for rows in chunks(at.size, self.share.size):
            near = (self.low <= at[rows].max()) & (self.high >= at[rows].min())
            found[rows] = np.exp(self._log_densities(at[rows], near)) @ self.share[near]
        return found

    def density_times(self, at: Floats, log_factor: Floats) -> Floats:
        """The density times e^log_factor, with digits where the density is small."""
        found, every = np.zeros(at.size), np.ones(self.share.size, dtype=bool)
        for rows in chunks(at.size, self.share.size):
            found[rows] = np.exp(np.minimum(
                self._log_densities(at[rows], every) + log_factor[rows, None], _LARGEST)) @ self.share
        return found

    def _log_densities(self, at: Floats, of: NDArray[np.bool_]) -> Floats:
        return self.log_peak[of] - dirichlet.log_odds_deviance(self.a[of], self.b[of], at[:, None] - self.centre[of])

    def starts(self) -> Floats:
        """Edges around every part, those of like parts shared: multiples of about four standard deviations."""
        held = self.high - self.low > 2 * _SDS * self.sds
        low, high = self.low[held].min(), self.high[held].max()
        unit = 4 * np.exp2(np.round(np.log2(self.sds[held])))
        edges = unit * (np.round(self.means[held] / unit) + np.arange(-3, 4)[:, None])
        # A parameter below 1 leaves the log odds all but flat, from where e^y is about 1 / the other on
        a, b = self.a[held], self.b[held]
        corner = self.centre[held] + np.log(np.maximum(a, 1) / a) - np.log(np.maximum(b, 1) / b)
        flat = np.minimum(a, b) < 1
        corners = [corner[flat] + _STEPS[:, None] * size[flat]
                   for size in (-1 / np.minimum(a, 1), -np.ones_like(a), np.ones_like(b), 1 / np.minimum(b, 1))]
        edges = np.unique(np.concatenate([edges.reshape(-1), *map(np.ravel, corners), [low, high]]))
        edges = edges[(edges >= low) & (edges <= high)]
        return np.unique(np.append(edges[:: 1 + edges.size // _STARTS], high))


@dataclass(frozen=True, eq=False)
class LogOdds(FrozenResult):
    """Log odds of a mixture of Betas, in distances from ``origin`` = log(a / b). Made by ``log_odds_law``.

    parts: of the mixture; edges (N + 1,) of the panels; series (N, terms) of the density, below (N,) the probability
    below each panel.
    """

    parts: Parts
    edges: Floats
    series: Floats
    below: Floats
    _sums: Floats = field(repr=False)

    @property
    def origin(self) -> float:
        return float(np.log(self.parts.first) - np.log(self.parts.second))

    def ahead_of(self, other: LogOdds) -> float:
        """This origin less the other's, log of (a b') / (b a'), from that fraction without rounding."""
        a, b, c, d = map(Fraction, (self.parts.first, self.parts.second, other.parts.first, other.parts.second))
        odds = a * d / (b * c)
        return math.log1p(odds - 1) if abs(odds - 1) < 1 / 2 else math.log(odds)

    def density(self, at: Floats) -> Floats:
        panel, x, _ = self._place(at)
        inside = (at > self.edges[0]) & (at < self.edges[-1])
        return np.where(inside, np.maximum(_sum(self.series, panel, x), 0.0), 0.0)

    def cumulative(self, at: Floats) -> Floats:
        """P(log odds <= origin + at), absolute error below 1e-11."""
        panel, x, half = self._place(at)
        return np.clip(self.below[panel] + half * _sum(self._sums, panel, x), 0.0, 1.0)

    def _place(self, at: Floats) -> tuple[NDArray[np.intp], Floats, Floats]:
        panel = np.clip(np.searchsorted(self.edges, at, side="right") - 1, 0, self.edges.size - 2)
        low, high = self.edges[panel], self.edges[panel + 1]
        return panel, np.clip(((at - low) - (high - at)) / (high - low), -1.0, 1.0), (high - low) / 2


def log_odds_law(of: Betas) -> LogOdds:
    """Raises ValueError where panels cannot follow the law."""
    parts = Parts(of)
    edges, series = panels(parts.density, parts.starts())
    sums = np.asarray(np.polynomial.legendre.legint(series, lbnd=-1, axis=1), dtype=np.float64)
    mass = np.diff(edges) * series[:, 0]
    total = float(mass.sum())
    if abs(total - 1) > _TOTAL:
        raise ValueError("The law of a share is too uneven to be computed: its parts add to "
                         f"{total!r}, not 1. A larger prior, more records or less noise is needed.")
    return LogOdds(parts, edges, series, np.cumsum(mass) - mass, sums)


def panels(function: Callable[[Floats], Floats], edges: Floats) -> tuple[Floats, Floats]:
    """Edges, (N + 1,), and Legendre series, (N, terms), of a function: panels are halved until it is followed.

    What does not shrink in either half is rounding.
    """
    points, project = _legendre()
    low, high = edges[:-1], edges[1:]
    done: list[tuple[Floats, Floats]] = []
    whole, before = 0.0, np.empty(0)
    for _ in range(_HALVINGS):
        half = (high - low) / 2
        at = low[:, None] + half[:, None] * (1 + points)
        series = function(at.reshape(-1)).reshape(at.shape) @ project
        size, last = np.abs(series).max(axis=1), np.abs(series[:, -_LAST:]).max(axis=1)
        middle = low + half
        whole = max(whole, float(np.abs(series[:, 0]) @ half))
        followed = ((last * half <= _LEFT_OUT * max(whole, 1.0))
                    | (middle <= low) | (middle >= high) | (half <= 1e-14 * np.abs(middle)))
        if before.size:
            rounding = last.reshape(2, -1).min(axis=0) > before / 4
            followed |= np.tile(rounding, 2) & (last <= _ROUNDING * size)
        done.append((low[followed], series[followed]))
        if followed.all():
            break
        low, middle, high, last = (place[~followed] for place in (low, middle, high, last))
        low, high, before = np.concatenate([low, middle]), np.concatenate([middle, high]), last
        if low.size > _PANELS:
            raise ValueError("The law of a share varies too much to be computed: a larger prior or less noise is "
                             "needed.")
    starts, found = np.concatenate([one for one, _ in done]), np.concatenate([one for _, one in done])
    order = np.argsort(starts)
    return np.append(starts[order], edges[-1]), found[order]


@cache
def _legendre() -> tuple[Floats, Floats]:
    """Gauss' points, and what makes Legendre coefficients of values there: (2 k + 1) / 2 w_i P_k(x_i)."""
    points, weights = np.polynomial.legendre.leggauss(_TERMS)
    each = np.polynomial.legendre.legvander(points, _TERMS - 1)
    return frozen(points), frozen(weights[:, None] * each * (np.arange(_TERMS) + 0.5))


def _sum(series: Floats, panel: NDArray[np.intp], x: Floats) -> Floats:
    """Each x's value of its panel's series, by the recurrence of Legendre's polynomials."""
    before, last = np.ones_like(x), x
    found = series[panel, 0] + series[panel, 1] * x
    for m in range(2, series.shape[1]):
        before, last = last, ((2 * m - 1) * x * last - (m - 1) * before) / m
        found += series[panel, m] * last
    return found


def _log_ratio(x: Floats, y: float) -> Floats:
    """log(x / y), by their difference where they are near."""
    near = np.abs(x - y) < y / 2
    return np.where(near, np.log1p(np.where(near, x - y, 0.0) / y), np.log(x) - np.log(y))
