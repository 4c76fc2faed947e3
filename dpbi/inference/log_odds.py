"""The law of a share's log odds, y = log(theta / (1 - theta)), theta a mixture of Betas, as polynomials on panels.

Log odds have digits at both ends: theta = e^-1000 and 1 - theta = e^-1000 are as far from 0 as 1000 is. They are
measured from an origin, log(a / b) of the law's weightiest part, so that those of Beta(1e18, 1e16), which vary by 1e-8,
have digits too. On each panel the density is its Legendre series, halved until what is left out is nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy import special

from dpbi.frozen_result import FrozenResult, frozen
from dpbi.inference.beta_mixture import Betas
from dpbi.posterior import chunks, dirichlet

Floats = NDArray[np.float64]

_TERMS, _LAST = 20, 4  # of a Legendre series; of them, those that show whether it goes far enough
_LEFT_OUT = 1e-13  # of a probability, by one panel
_NOTHING = -32.0  # log of the probability beyond either end
_SDS = 9.0  # standard deviations of a log odds, beyond which its tail is exponential or falls faster
_PLACES = np.array([-9.0, -4, -1, 1, 4, 9])  # of a part, in standard deviations: where panels begin
_HALVINGS, _PANELS, _STARTS = 150, 20_000, 4_000  # from 1e31 to 1e-9; panels at most, and at first
_LARGEST = 700.0  # e^700 is a double
_TOTAL = 1e-10  # by which the whole probability may miss 1


@dataclass(frozen=True, eq=False)
class LogOdds(FrozenResult):
    """Log odds of a mixture of Betas, in distances from ``origin`` = log(a / b). Made by ``log_odds_law``.

    of: the mixture; a, b: the origin's; mean and sd; edges (N + 1,) of the panels; series (N, terms) of the density,
    below (N,) the probability below each panel.
    """

    of: Betas
    a: float
    b: float
    mean: float
    sd: float
    edges: Floats
    series: Floats
    below: Floats
    _sums: Floats = field(repr=False)

    @property
    def origin(self) -> float:
        return float(np.log(self.a) - np.log(self.b))

    def ahead_of(self, other: LogOdds) -> float:
        """This origin less the other's, with all its digits where they are near."""
        return float(_log_ratio(self.a, other.a) - _log_ratio(self.b, other.b))

    def density_times(self, at: Floats, log_factor: Floats) -> Floats:
        """The density times e^log_factor, from all parts: where it is small it still has digits."""
        return _density(self.of, self.a, self.b, at, log_factor)

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
    heaviest = int(np.argmax(of.share))
    a, b = float(of.a[heaviest]), float(of.b[heaviest])
    mean, variance = _moments(of, a, b)
    edges, series = panels(lambda at: _density(of, a, b, at), _starts(of, a, b))
    sums = frozen(np.polynomial.legendre.legint(series, lbnd=-1, axis=1))
    mass = np.diff(edges) * series[:, 0]
    total = float(mass.sum())
    if abs(total - 1) > _TOTAL:
        raise ValueError("The law of a share is too uneven to be computed: its parts add to "
                         f"{total!r}, not 1. A larger prior, more records or less noise is needed.")
    middle = float(of.share @ mean)
    sd = np.sqrt(max(float(of.share @ (variance + (mean - middle) ** 2)), 0.0))
    return LogOdds(of, a, b, middle, float(sd), edges, series, np.cumsum(mass) - mass, sums)


def _density(of: Betas, a: float, b: float, at: Floats, log_factor: Floats | None = None) -> Floats:
    found, peak, centre = np.zeros(at.size), dirichlet.log_odds_peak(of.a, of.b), _centre(of, a, b)
    for rows in chunks(at.size, of.share.size):
        log_density = peak - dirichlet.log_odds_deviance(of.a, of.b, at[rows, None] - centre)
        if log_factor is not None:
            log_density += log_factor[rows, None]
        found[rows] = np.exp(np.minimum(log_density, _LARGEST)) @ of.share
    return found


def _centre(of: Betas, a: float, b: float) -> Floats:
    """log(a_j / b_j) from the origin."""
    return _log_ratio(of.a, a) - _log_ratio(of.b, b)


def _moments(of: Betas, a: float, b: float) -> tuple[Floats, Floats]:
    """Mean, from the origin, and variance of each part's log odds."""
    mean = _centre(of, a, b) + (special.digamma(of.a) - np.log(of.a)) - (special.digamma(of.b) - np.log(of.b))
    return mean, special.polygamma(1, of.a) + special.polygamma(1, of.b)


def panels(function: Callable[[Floats], Floats], edges: Floats) -> tuple[Floats, Floats]:
    """Edges, (N + 1,), and Legendre series, (N, terms), of a function: panels are halved until it is followed."""
    points, project = _legendre()
    low, high = edges[:-1], edges[1:]
    done: list[tuple[Floats, Floats]] = []
    whole = 0.0
    for _ in range(_HALVINGS):
        half = (high - low) / 2
        at = low[:, None] + half[:, None] * (1 + points)
        series = function(at.reshape(-1)).reshape(at.shape) @ project
        middle = low + half
        whole = max(whole, float(np.abs(series[:, 0]) @ half))
        followed = ((np.abs(series[:, -_LAST:]).max(axis=1) * half <= _LEFT_OUT * max(whole, 1.0))
                    | (middle <= low) | (middle >= high) | (half <= 1e-14 * np.abs(middle)))
        done.append((low[followed], series[followed]))
        if followed.all():
            break
        low, middle, high = (place[~followed] for place in (low, middle, high))
        low, high = np.concatenate([low, middle]), np.concatenate([middle, high])
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


def _starts(of: Betas, a: float, b: float) -> Floats:
    """Edges around every part, those of like parts once.

    Its log odds lie in them but for e^-32: the tails of each fall like e^{a y} and e^{-b y}, or faster.
    """
    mean, variance = _moments(of, a, b)
    sd, centre = np.sqrt(variance), _centre(of, a, b)
    reach = np.log(np.maximum(np.abs(of.share), 1e-300)) - _NOTHING
    held = reach > 0
    mean, sd, reach, centre, a_j, b_j = (one[held] for one in (mean, sd, reach, centre, of.a, of.b))
    low, high = (mean - _SDS * sd - reach / a_j).min(), (mean + _SDS * sd + reach / b_j).max()
    octave = np.exp2(np.round(np.log2(sd)))
    _, kinds = np.unique(np.stack([octave, np.round(mean / octave)]), axis=1, return_index=True)
    kinds = kinds[:: 1 + kinds.size // _STARTS]
    # A parameter below 1 leaves the log odds flat up to where e^y is about 1 / the other, in steps of 1
    corner = (centre + np.log(np.maximum(a_j, 1) / a_j) - np.log(np.maximum(b_j, 1) / b_j))[kinds]
    edges = np.concatenate([(mean[kinds] + np.multiply.outer(_PLACES, sd[kinds])).reshape(-1),
                            np.add.outer(_PLACES * 4, corner[np.minimum(a_j, b_j)[kinds] < 1]).reshape(-1)])
    return np.unique(np.clip(np.concatenate([edges, [low, high]]), low, high))


def _log_ratio(x: Floats | float, y: float) -> Floats:
    """log(x / y), by their difference where they are near."""
    x = np.asarray(x)
    near = np.abs(x - y) < y / 2
    return np.where(near, np.log1p(np.where(near, x - y, 0.0) / y), np.log(x) - np.log(y))
