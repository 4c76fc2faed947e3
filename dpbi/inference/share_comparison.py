"""Which of two groups has the larger share: the difference, odds ratio and risk ratio of two posteriors.

The groups are different people, so that given what was released their shares are independent, each a mixture of Betas.
A contrast rises with theta_1 and falls with theta_2: it exceeds x where theta_1 > u(theta_2), or theta_2 < v(theta_1).
So P(contrast > x) = E[1 - F_1(u(theta_2))] = E F_2(v(theta_1)), of which that integral is taken whose share is known
better, over its log odds.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from dpbi import limits
from dpbi.frozen_result import FrozenResult, frozen
from dpbi.inference.beta_mixture import BetaMixture, Betas, mixture_moments
from dpbi.posterior import chunks, dirichlet
from dpbi.posterior.hellinger import sums_of_others

Floats = NDArray[np.float64]

_LOG_ODDS = 700.0  # beyond, theta or 1 - theta is no double
_SDS = 9.0  # standard deviations of a log odds, beyond which its tail is exponential or falls faster
_NOTHING = -37.0  # log of what is left out
_TOGETHER = 1e-10  # P(both shares are no double): then they cannot be told apart
_POINTS = 100_000  # at which a contrast is asked for
_PANELS = (-6.0, -3.0, -1.0, 1.0, 3.0, 6.0)  # of the quick rule, in standard deviations
_RARELY = 1e-10  # of a weight of it
_CORRECTIONS, _CLOSE = 6, 1e-11  # of an end; of its probability


@dataclass(frozen=True, eq=False)
class Contrast(FrozenResult):
    """The law of a contrast of two shares: ``cumulative``, ``density``, ``interval``. Made by ``compare``.

    u(theta_2, x), v(theta_1, x): the shares at which it is x, ``slope_u``, ``slope_v``: how they move with x, in size.
    """

    first: Betas
    second: Betas

    ratio: ClassVar[bool]

    @staticmethod
    @abstractmethod
    def u(theta: Floats, x: float) -> Floats: ...

    @staticmethod
    @abstractmethod
    def v(theta: Floats, x: float) -> Floats: ...

    @staticmethod
    @abstractmethod
    def slope_u(theta: Floats, x: float) -> Floats: ...

    @staticmethod
    @abstractmethod
    def slope_v(theta: Floats, x: float) -> Floats: ...

    @staticmethod
    @abstractmethod
    def kinks(x: float) -> tuple[float, ...]:
        """Shares at which u or v is 0 or 1."""

    def cumulative(self, x: ArrayLike) -> Floats:
        """P(contrast <= x | both releases): x (...) -> (...), absolute error below 1e-9."""
        return np.minimum(self._at(x, lambda x: 1 - self._above(x)), 1.0)

    def density(self, x: ArrayLike) -> Floats:
        """The density at x (...) -> (...)."""
        return self._at(x, self._density)

    def interval(self, mass: float = 0.95) -> tuple[float, float]:
        """The equal-tailed interval, its probability within 1e-8 of ``mass``, in (0, 1)."""
        tail = (1 - limits.inside("mass", mass)) / 2
        return self._end(1 - tail), self._end(tail)

    def _at(self, x: ArrayLike, function: Callable[[float], float]) -> Floats:
        at = limits.number_array("x", x)
        limits.check_numbers("x", at.size, _POINTS)
        return np.array([0.0 if self.ratio and one <= 0 else max(function(one), 0.0)
                         for one in at.reshape(-1).tolist()]).reshape(at.shape)

    @cached_property
    def _over_first(self) -> bool:
        return _log_odds_moments(self.first)[1] < _log_odds_moments(self.second)[1]

    def _above(self, x: float) -> float:
        if self._over_first:
            return self._mean(self.first, lambda theta: _law(self.second, self.v(theta, x)), x)
        return 1 - self._mean(self.second, lambda theta: _law(self.first, self.u(theta, x)), x)

    def _density(self, x: float) -> float:
        if self._over_first:
            return self._mean(self.first, lambda theta: (
                _density(self.second, self.v(theta, x)) * self.slope_v(theta, x)), x)
        return self._mean(self.second, lambda theta: (
            _density(self.first, self.u(theta, x)) * self.slope_u(theta, x)), x)

    def _mean(self, of: Betas, function: Callable[[Floats], Floats], x: float) -> float:
        """E function(theta), piece by piece between kinks."""
        from scipy.integrate import tanhsinh

        low, high = _log_odds_range(of)
        inner = [float(special.logit(kink)) for kink in self.kinks(x) if 0 < kink < 1]
        mean, sd = _log_odds_moments(of)
        edges = np.unique(np.clip([low, *inner, mean - 5 * sd, mean, mean + 5 * sd, high], low, high))

        def integrand(y: Floats) -> Floats:
            flat = y.reshape(-1)
            return (function(special.expit(flat)) * _log_odds_density(of, flat)).reshape(y.shape)

        found = tanhsinh(integrand, edges[:-1], edges[1:], atol=1e-12, rtol=1e-10, minlevel=3).integral.sum()
        # What lies below the least double is 0
        below = float(of.cumulative(special.expit(np.array([low])))[0]) if low == -_LOG_ODDS else 0.0
        return float(found + below * function(special.expit(np.array([low])))[0]) if below else float(found)

    def _end(self, above: float) -> float:
        """The x with this probability above it: that of a quick rule, and steps with its slope, which is nearly right;
        where these do not get there, between ends that hold it."""
        found = self._rough_end(above)
        for _ in range(_CORRECTIONS):
            gap, slope = self._above(self._at_scale(found)) - above, self._rough_slope(found)
            if abs(gap) <= _CLOSE:
                return self._at_scale(found)
            if not slope > 0:
                break
            found += gap / slope
        return self._at_scale(self._between(lambda t: self._above(self._at_scale(t)) - above, 1e-12))

    def _between(self, excess: Callable[[float], float], near: float) -> float:
        """Where a falling function is 0, of x or of a ratio's log: near the mean first, then ever farther."""
        from scipy.optimize import brentq

        middle, step = self._centre
        least, most = (-_LOG_ODDS, _LOG_ODDS) if self.ratio else (-1.0, 1.0)
        low, high = max(middle - 3 * step, least), min(middle + 3 * step, most)
        while low > least and excess(low) < 0:
            step, low, high = 4 * step, max(low - 4 * step, least), low
        while high < most and excess(high) > 0:
            step, low, high = 4 * step, high, min(high + 4 * step, most)
        if excess(low) <= 0 or excess(high) >= 0:
            return low if excess(low) <= 0 else high
        return float(brentq(excess, low, high, xtol=near, rtol=1e-12))

    def _at_scale(self, t: float) -> float:
        """The contrast at t, a ratio's log."""
        return math.exp(min(max(t, -_LOG_ODDS), _LOG_ODDS)) if self.ratio else t

    # One rule for all x, within a thousandth or so

    @cached_property
    def _rule(self) -> tuple[Floats, Floats]:
        """Shares on the side that is known better, with their weights: Gauss' points on panels of its log odds."""
        of = self.first if self._over_first else self.second
        low, high = _log_odds_range(of)
        mean, sd = _log_odds_moments(of)
        edges = np.unique(np.clip([low, *(mean + sd * np.array(_PANELS)), high], low, high))
        points, weights = _gauss()
        half = np.diff(edges) / 2
        y = (edges[:-1] + half + np.multiply.outer(points, half)).reshape(-1)
        weight = np.multiply.outer(weights, half).reshape(-1) * _log_odds_density(of, y)
        held = weight > _RARELY
        return frozen(special.expit(y[held])), frozen(weight[held] / weight[held].sum())

    def _roughly_above(self, x: float) -> float:
        theta, weight = self._rule
        if self._over_first:
            return float(weight @ _law(self.second, self.v(theta, x)))
        return 1 - float(weight @ _law(self.first, self.u(theta, x)))

    def _rough_slope(self, t: float) -> float:
        """Minus the slope of that, of a ratio by its log."""
        (theta, weight), x = self._rule, self._at_scale(t)
        slope = (_density(self.second, self.v(theta, x)) * self.slope_v(theta, x) if self._over_first else
                 _density(self.first, self.u(theta, x)) * self.slope_u(theta, x))  # fmt: skip
        return float(weight @ slope) * (x if self.ratio else 1.0)

    def _rough_end(self, above: float) -> float:
        return self._between(lambda t: self._roughly_above(self._at_scale(t)) - above, 1e-4 * self._centre[1])

    @property
    @abstractmethod
    def _centre(self) -> tuple[float, float]:
        """About the mean and standard deviation, of a ratio's log."""


class Difference(Contrast):
    """theta_1 - theta_2."""

    ratio = False

    @staticmethod
    def u(theta: Floats, x: float) -> Floats:
        return theta + x

    @staticmethod
    def v(theta: Floats, x: float) -> Floats:
        return theta - x

    @staticmethod
    def slope_u(theta: Floats, x: float) -> Floats:
        return np.ones_like(theta)

    slope_v = slope_u

    @staticmethod
    def kinks(x: float) -> tuple[float, ...]:
        return abs(x), 1 - abs(x)

    @property
    def _centre(self) -> tuple[float, float]:
        (one, own), (two, others) = (mixture_moments(of.share, of.a, of.b) for of in (self.first, self.second))
        return one - two, math.sqrt(own + others)


class RiskRatio(Contrast):
    """theta_1 / theta_2."""

    ratio = True

    @staticmethod
    def u(theta: Floats, x: float) -> Floats:
        return theta * x

    @staticmethod
    def v(theta: Floats, x: float) -> Floats:
        return theta / x

    @staticmethod
    def slope_u(theta: Floats, x: float) -> Floats:
        return theta

    @staticmethod
    def slope_v(theta: Floats, x: float) -> Floats:
        return theta / x / x

    @staticmethod
    def kinks(x: float) -> tuple[float, ...]:
        return x, 1 / x

    @property
    def _centre(self) -> tuple[float, float]:
        (one, own), (two, others) = (mixture_moments(of.share, of.a, of.b) for of in (self.first, self.second))
        return math.log(one / two), math.sqrt(own / one**2 + others / two**2)


class OddsRatio(Contrast):
    """theta_1 / (1 - theta_1) over theta_2 / (1 - theta_2)."""

    ratio = True

    @staticmethod
    def u(theta: Floats, x: float) -> Floats:
        return theta * x / (1 - theta + theta * x)

    @staticmethod
    def v(theta: Floats, x: float) -> Floats:
        return theta / (theta + x * (1 - theta))

    @staticmethod
    def slope_u(theta: Floats, x: float) -> Floats:
        return theta * (1 - theta) / (1 - theta + theta * x) ** 2

    @staticmethod
    def slope_v(theta: Floats, x: float) -> Floats:
        return theta * (1 - theta) / (theta + x * (1 - theta)) ** 2

    @staticmethod
    def kinks(x: float) -> tuple[float, ...]:
        return ()

    @property
    def _centre(self) -> tuple[float, float]:
        (one, own), (two, others) = (_log_odds_moments(of) for of in (self.first, self.second))
        return one - two, math.hypot(own, others)


@dataclass(frozen=True, eq=False)
class ShareComparison(FrozenResult):
    """Two shares against each other. Made by ``compare``.

    difference: theta_1 - theta_2; odds_ratio; risk_ratio: theta_1 / theta_2. Each has ``interval``, ``cumulative`` and
    ``density``.
    """

    difference: Difference
    odds_ratio: OddsRatio
    risk_ratio: RiskRatio

    @cached_property
    def probability_greater(self) -> float:
        """P(theta_1 > theta_2 | both releases), absolute error below 1e-9."""
        return min(max(self.odds_ratio._above(1.0), 0.0), 1.0)


def compare(first: Any, second: Any, category: int = 0) -> ShareComparison:
    """The posterior of theta_1 against that of theta_2, the share of one category in two groups of different people.

    first, second: each a posterior (``noise_aware_posterior``, ``joint_posterior``, ``noisy_counts_posterior``), or the
    parameters of a Dirichlet distribution, (k,). category: its place in both. Returns the ShareComparison.
    Raises ValueError for anything else, and where both shares may be so near 0 or 1 that they cannot be told apart.
    Source: ours; Bayes' rule, and quadrature by the double exponential rule of Takahasi and Mori 1974.
    """
    one, two = (_betas_of(name, of, category) for name, of in (("first", first), ("second", second)))
    ends = [np.array([of.cumulative(special.expit(np.array([-_LOG_ODDS])))[0],
                      Betas(of.share, of.b, of.a).cumulative(np.array([1e-16]))[0]]) for of in (one, two)]
    if (ends[0] * ends[1] > _TOGETHER).any():
        raise ValueError("Both shares may be so near 0 or 1 that they cannot be told apart: a larger prior or more "
                         "records are needed.")
    return ShareComparison(Difference(one, two), OddsRatio(one, two), RiskRatio(one, two))


@cache
def _gauss() -> tuple[Floats, Floats]:
    points, weights = np.polynomial.legendre.leggauss(32)
    return frozen(points), frozen(weights)


def _betas_of(name: str, posterior: Any, category: int) -> Betas:
    if isinstance(posterior, BetaMixture):
        return posterior._few_betas(limits.check_category(category, len(posterior.prior)))
    alpha = limits.dirichlet_parameters(name, posterior)
    if alpha.ndim != 1 or alpha.size < limits.CATEGORIES_LEAST:
        raise ValueError(f"{name} must be a posterior, or the parameters of one Dirichlet distribution, (k,): got "
                         f"shape {alpha.shape}.")
    i = limits.check_category(category, alpha.size)
    return Betas(np.ones(1), alpha[i:i + 1], sums_of_others(alpha)[i:i + 1])


def _law(of: Betas, at: Floats) -> Floats:
    """P(theta <= at), at any number."""
    found = np.where(at >= 1, 1.0, 0.0)
    inside = (at > 0) & (at < 1)
    found[inside] = of.cumulative(at[inside])
    return found


def _density(of: Betas, at: Floats) -> Floats:
    found = np.zeros(at.size)
    inside = (at > 0) & (at < 1)
    found[inside] = of.density(at[inside])
    return found


def _log_odds_moments(of: Betas) -> tuple[float, float]:
    """Mean and standard deviation of the log odds."""
    mean = special.digamma(of.a) - special.digamma(of.b)
    variance = special.polygamma(1, of.a) + special.polygamma(1, of.b)
    middle = float(of.share @ mean)
    return middle, math.sqrt(max(float(of.share @ (variance + (mean - middle) ** 2)), 0.0))


def _log_odds_range(of: Betas) -> tuple[float, float]:
    """Where the log odds lie but for e^-37: the tails of each part fall like e^{a y} and e^{-b y}, or faster."""
    mean = special.digamma(of.a) - special.digamma(of.b)
    sd = np.sqrt(special.polygamma(1, of.a) + special.polygamma(1, of.b))
    reach = np.log(np.maximum(np.abs(of.share), 1e-300)) - _NOTHING
    held = reach > 0
    low = (mean - _SDS * sd - reach / of.a)[held].min()
    high = (mean + _SDS * sd + reach / of.b)[held].max()
    return float(max(low, -_LOG_ODDS)), float(min(high, _LOG_ODDS))


def _log_odds_density(of: Betas, y: Floats) -> Floats:
    """theta (1 - theta) times the density of theta, at log odds y."""
    total, pair = np.zeros(y.size), np.stack([of.a, of.b], axis=-1)
    theta, rest = special.expit(y), special.expit(-y)
    for rows in chunks(y.size, of.share.size):
        log_density = dirichlet.log_density(pair, np.stack([theta[rows], rest[rows]], axis=-1)[:, None, :])
        total[rows] = np.exp(log_density + (special.log_expit(y) + special.log_expit(-y))[rows, None]) @ of.share
    return total
