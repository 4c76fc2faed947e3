"""Which of two groups has the larger share: the difference, odds ratio and risk ratio of two posteriors.

The groups are different people, so that given what was released their shares are independent, each a mixture of Betas.
With t the contrast (of a ratio, its log), swapping the groups turns t into -t: let t >= 0. Where it is t, the log odds
are y_1 = u(y_2), y_2 = v(y_1). For any point (p_1, p_2) with p_1 = u(p_2) on that curve, by parts,

    P(contrast > t) = int_{y_2 < p_2} P(y_1 > u(y_2)) dF_2 + int_{y_1 > p_1} F_2(v(y_1)) dF_1 - P(y_1 > p_1) F_2(p_2)

so that each end of the curve is followed by the log odds that move there, and neither end of a share loses digits.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from dpbi import limits
from dpbi.frozen_result import FrozenResult
from dpbi.inference.beta_mixture import BetaMixture, Betas, mixture_moments
from dpbi.inference.log_odds import LogOdds, log_odds_law, panels
from dpbi.posterior.hellinger import sums_of_others

Floats = NDArray[np.float64]
Curve = Callable[[Floats], Floats]

_LOG_RATIO = 700.0  # e^700 is a double: the least and the largest ratio that an interval ends at
_POINTS = 100_000  # at which a contrast is asked for
_ENOUGH = 1e-11  # of a probability, at an end of an interval
_STEPS = 3_000  # Brent's rule takes at most the square of bisection's 57
_TINY = float(np.finfo(float).tiny)
_SMALL = 1e-3  # of the range: nearer 0 than that its log is looked for
_LESS_THAN_ONE = 1 - np.finfo(float).epsneg
_BENDS = np.array([-40.0, -12, -5, -2, 0, 2, 5, 12, 40])  # from a place where a curve bends like log(1 + e^y)


@dataclass(frozen=True, eq=False)
class Contrast(FrozenResult):
    """The law of a contrast of two shares: ``cumulative``, ``density``, ``interval``. Made by ``compare``."""

    first: Betas
    second: Betas
    laws: tuple[LogOdds, LogOdds]

    ratio: ClassVar[bool]

    # The curve at t >= 0

    @staticmethod
    @abstractmethod
    def split(t: float) -> tuple[float, float]:
        """p_1 and p_2."""

    @staticmethod
    @abstractmethod
    def ends(t: float) -> tuple[float, float]:
        """The least y_1 and the largest y_2 on the curve."""

    @staticmethod
    @abstractmethod
    def u(y: Floats, t: float) -> Floats: ...

    @staticmethod
    @abstractmethod
    def v(y: Floats, t: float) -> Floats: ...

    @staticmethod
    @abstractmethod
    def up(y: Floats, t: float) -> Floats:
        """u(y) - y, with all digits where it is small."""

    @staticmethod
    @abstractmethod
    def down(y: Floats, t: float) -> Floats:
        """y - v(y), with all digits where it is small."""

    @staticmethod
    @abstractmethod
    def bends(t: float) -> tuple[float, ...]:
        """About where v bends, of y_1; u bends at the same of -y_2."""

    @staticmethod
    @abstractmethod
    def log_slope(y: Floats) -> Floats:
        """log of what u(y_2) = y, or v(y_1) = y, moves by with t."""

    def cumulative(self, x: ArrayLike) -> Floats:
        """P(contrast <= x | both releases): x (...) -> (...).

        Absolute error below 1e-9, and below 1e-15 / s where that is more, s the least standard deviation of the log
        odds given the counts: by so much the rounding of x, and of a share at x, moves it.
        """
        return self._at(x, lambda t: 1 - self._above(t), 1.0)

    def density(self, x: ArrayLike) -> Floats:
        """The density at x (...) -> (...)."""
        return self._at(x, lambda t: self._density(t) / (math.exp(t) if self.ratio else 1.0), 0.0)

    def interval(self, mass: float = 0.95) -> tuple[float, float]:
        """The equal-tailed interval, its probability within 1e-8 of ``mass``, in (0, 1), or as near as doubles are.

        An end of a ratio below e^-700 or above e^700 is given as that.
        """
        tail = (1 - limits.inside("mass", mass)) / 2
        return self._end(1 - tail), self._end(tail)

    def _at(self, x: ArrayLike, function: Callable[[float], float], beyond: float) -> Floats:
        at = limits.number_array("x", x)
        limits.check_numbers("x", at.size, _POINTS)
        least, most = (0.0, math.inf) if self.ratio else (-1.0, 1.0)

        def value(one: float) -> float:
            if least < one < most:
                return max(function(math.log(one) if self.ratio else one), 0.0)
            return beyond if one >= most else 0.0

        return np.array([value(one) for one in at.reshape(-1).tolist()]).reshape(at.shape)

    def _above(self, t: float) -> float:
        """P(contrast > t), in [0, 1]."""
        one, two = self.laws if t >= 0 else self.laws[::-1]
        greater = min(max(self._greater(one, two, abs(t)), 0.0), 1.0)
        return greater if t >= 0 else 1 - greater

    def _greater(self, one: LogOdds, two: LogOdds, t: float) -> float:
        lower, upper = self._both_parts(one, two, t, lambda at: 1 - one.cumulative(at), two.cumulative)
        p_1, p_2 = self.split(t)
        corner = np.array([p_1 - one.origin]), np.array([p_2 - two.origin])
        return lower + upper - float((1 - one.cumulative(corner[0]))[0] * two.cumulative(corner[1])[0])

    def _density(self, t: float) -> float:
        one, two = self.laws if t >= 0 else self.laws[::-1]

        def along(law: LogOdds) -> Curve:
            return lambda at: law.parts.density_times(at, self.log_slope(law.origin + at))

        return sum(self._both_parts(one, two, abs(t), along(one), along(two)))

    def _both_parts(self, one: LogOdds, two: LogOdds, t: float, of_one: Curve, of_two: Curve) -> tuple[float, float]:
        """int_{y_2 < p_2} of_one(u(y_2)) dF_2 and int_{y_1 > p_1} of_two(v(y_1)) dF_1, all y from their origins."""
        (p_1, p_2), (least, most), ahead = self.split(t), self.ends(t), one.ahead_of(two)
        y_1, y_2 = one.origin + one.edges, two.origin + two.edges
        y_1, y_2 = y_1[y_1 > least], y_2[y_2 < most]

        def u(at: Floats) -> Floats:
            up = self.up(two.origin + at, t)
            return np.where(up < 1, at - ahead + up, self.u(two.origin + at, t) - one.origin)

        def v(at: Floats) -> Floats:
            down = self.down(one.origin + at, t)
            return np.where(down < 1, at + ahead - down, self.v(one.origin + at, t) - two.origin)

        lower = _mean(two, lambda at: of_one(u(at)), (-math.inf, p_2),
                      [self.v(y_1, t), *(_BENDS - bend for bend in self.bends(t))])
        upper = _mean(one, lambda at: of_two(v(at)), (p_1, math.inf),
                      [self.u(y_2, t), *(_BENDS + bend for bend in self.bends(t))])
        return lower, upper

    # Ends of an interval

    def _end(self, above: float, enough: float = _ENOUGH) -> float:
        """The x with this probability above it but for ``enough``, between ends that hold it: near the mean first, then
        ever farther."""
        def excess(t: float) -> float:
            gap = self._above(t) - above
            return gap if abs(gap) > enough else 0.0

        most = _LOG_RATIO if self.ratio else 1.0
        middle, step = self._centre
        middle, step = min(max(middle, -most), most), max(3 * step, _TINY)
        low, high = max(middle - step, -most), min(middle + step, most)
        while low > -most and excess(low) < 0:
            step, low, high = 4 * step, max(low - 4 * step, -most), low
        while high < most and excess(high) > 0:
            step, low, high = 4 * step, high, min(high + 4 * step, most)
        found = low if excess(low) <= 0 else high if excess(high) >= 0 else _root(excess, low, high)
        return math.exp(found) if self.ratio else found

    @property
    @abstractmethod
    def _centre(self) -> tuple[float, float]:
        """About the mean and standard deviation of t."""

    @property
    def _shares(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Means and variances of both shares."""
        one, two = (mixture_moments(of.share, of.a, of.b) for of in (self.first, self.second))
        return one, two


class Difference(Contrast):
    """theta_1 - theta_2: the curve is its own mirror, (y_1, y_2) -> (-y_2, -y_1), and p_1 = -p_2."""

    ratio = False

    @staticmethod
    def split(t: float) -> tuple[float, float]:
        return 2 * math.atanh(t) if t < 1 else math.inf, -2 * math.atanh(t) if t < 1 else -math.inf

    @staticmethod
    def ends(t: float) -> tuple[float, float]:
        least = float(special.logit(t))
        return least, -least

    @staticmethod
    def u(y: Floats, t: float) -> Floats:
        if t == 0:
            return y
        rest = special.expit(-y) - t if t <= 0.5 else (1 - t) - special.expit(y)
        return np.logaddexp(math.log(t), -np.logaddexp(0, -y)) - np.log(np.maximum(rest, _TINY))

    @staticmethod
    def v(y: Floats, t: float) -> Floats:
        return -Difference.u(-y, t)

    @staticmethod
    def up(y: Floats, t: float) -> Floats:
        """log(1 + t / theta) - log(1 - t / (1 - theta))."""
        towards_one = np.logaddexp(0, (math.log(t) if t else -math.inf) + np.logaddexp(0, -y))
        if t <= 0.5:
            return towards_one - np.log1p(-np.minimum(t * (1 + np.exp(np.minimum(y, _LOG_RATIO))), _LESS_THAN_ONE))
        theta = special.expit(y)
        return towards_one - np.log(np.maximum((1 - t) - theta, _TINY)) + np.log1p(-theta)

    @staticmethod
    def down(y: Floats, t: float) -> Floats:
        return Difference.up(-y, t)

    @staticmethod
    def bends(t: float) -> tuple[float, ...]:
        return Difference.ends(t)[0], 0.0

    @staticmethod
    def log_slope(y: Floats) -> Floats:
        """-log(theta (1 - theta))."""
        return np.logaddexp(0, y) + np.logaddexp(0, -y)

    @property
    def _centre(self) -> tuple[float, float]:
        (one, own), (two, others) = self._shares
        return one - two, math.sqrt(own + others)


class RiskRatio(Contrast):
    """theta_1 / theta_2: theta_1 = 1 is one end of the curve, which the first follows; it bends at no other."""

    ratio = True

    @staticmethod
    def split(t: float) -> tuple[float, float]:
        return -math.inf, -math.inf

    @staticmethod
    def ends(t: float) -> tuple[float, float]:
        return -math.inf, -(t + math.log(-math.expm1(-t))) if t else math.inf

    @staticmethod
    def u(y: Floats, t: float) -> Floats:
        return y + RiskRatio.up(y, t)

    @staticmethod
    def v(y: Floats, t: float) -> Floats:
        """-t - log(e^-y + 1 - e^-t)."""
        return -t - np.logaddexp(math.log(-math.expm1(-t)) if t else -math.inf, -y)

    @staticmethod
    def up(y: Floats, t: float) -> Floats:
        """t - log((1 - theta e^t) / (1 - theta))."""
        grown = np.exp(np.minimum(y + (t + math.log(-math.expm1(-t))), 0.0)) if t else np.zeros_like(y)
        return t - np.log1p(-np.minimum(grown, _LESS_THAN_ONE))

    @staticmethod
    def down(y: Floats, t: float) -> Floats:
        """t + log((1 - theta e^-t) / (1 - theta))."""
        return t + np.logaddexp(0, (math.log(-math.expm1(-t)) if t else -math.inf) + y)

    @staticmethod
    def bends(t: float) -> tuple[float, ...]:
        return (-math.log(-math.expm1(-t)), 0.0) if t else ()

    @staticmethod
    def log_slope(y: Floats) -> Floats:
        """-log(1 - theta)."""
        return np.logaddexp(0, y)

    @property
    def _centre(self) -> tuple[float, float]:
        (one, own), (two, others) = self._shares
        return math.log(one / two), math.hypot(math.sqrt(own) / one, math.sqrt(others) / two)


class OddsRatio(Contrast):
    """theta_1 / (1 - theta_1) over theta_2 / (1 - theta_2): the curve is a line."""

    ratio = True

    @staticmethod
    def split(t: float) -> tuple[float, float]:
        return t / 2, -t / 2

    @staticmethod
    def ends(t: float) -> tuple[float, float]:
        return -math.inf, math.inf

    @staticmethod
    def u(y: Floats, t: float) -> Floats:
        return y + t

    @staticmethod
    def v(y: Floats, t: float) -> Floats:
        return y - t

    @staticmethod
    def up(y: Floats, t: float) -> Floats:
        return np.full_like(y, t)

    down = up

    @staticmethod
    def bends(t: float) -> tuple[float, ...]:
        return ()

    @staticmethod
    def log_slope(y: Floats) -> Floats:
        return np.zeros_like(y)

    @property
    def _centre(self) -> tuple[float, float]:
        one, two = self.laws
        return one.parts.mean - two.parts.mean + one.ahead_of(two), math.hypot(one.parts.sd, two.parts.sd)


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
        return self.odds_ratio._above(0.0)


def compare(first: Any, second: Any, category: int = 0) -> ShareComparison:
    """The posterior of theta_1 against that of theta_2, the share of one category in two groups of different people.

    first, second: each a posterior (``noise_aware_posterior``, ``joint_posterior``, ``noisy_counts_posterior``), or the
    parameters of a Dirichlet distribution, (k,). category: its place in both. Returns the ShareComparison.
    Raises ValueError for anything else. Source: ours; Bayes' rule, and Gauss' quadrature.
    """
    one, two = (_betas_of(name, of, category) for name, of in (("first", first), ("second", second)))
    laws = log_odds_law(one), log_odds_law(two)
    return ShareComparison(Difference(one, two, laws), OddsRatio(one, two, laws), RiskRatio(one, two, laws))


def _betas_of(name: str, posterior: Any, category: int) -> Betas:
    if isinstance(posterior, BetaMixture):
        return posterior._few_betas(limits.check_category(category, len(posterior.prior)))
    alpha = limits.dirichlet_parameters(name, posterior)
    if alpha.ndim != 1 or alpha.size < limits.CATEGORIES_LEAST:
        raise ValueError(f"{name} must be a posterior, or the parameters of one Dirichlet distribution, (k,): got "
                         f"shape {alpha.shape}.")
    i = limits.check_category(category, alpha.size)
    return Betas(np.ones(1), alpha[i:i + 1], sums_of_others(alpha)[i:i + 1])


def _root(falling: Callable[[float], float], low: float, high: float) -> float:
    """Where it is 0 between low and high, at which it has different signs; near 0 by its log."""
    from scipy.optimize import brentq

    if low < 0 < high:
        at_zero = falling(0.0)
        if at_zero == 0:
            return 0.0
        low, high = (0.0, high) if at_zero > 0 else (low, 0.0)
    sign, far = (1.0, high) if high > 0 else (-1.0, -low)
    near = max(sign * (low if high > 0 else high), _TINY)
    if near < _SMALL * far and sign * falling(sign * _SMALL * far) <= 0:
        if sign * falling(sign * _TINY) <= 0:
            return 0.0
        at = brentq(lambda s: falling(sign * math.exp(s)), math.log(_TINY), math.log(_SMALL * far), maxiter=_STEPS)
        return float(sign * math.exp(at))
    return float(brentq(falling, low, high, xtol=_TINY, maxiter=_STEPS))


def _mean(law: LogOdds, function: Curve, part: tuple[float, float], edges: list[Floats]) -> float:
    """E function(y) over log odds in ``part``, y from the law's origin; edges: between them it is smooth."""
    low, high = (float(np.clip(end - law.origin, law.edges[0], law.edges[-1])) for end in part)
    if not low < high:
        return 0.0
    every = np.concatenate([[low, high], law.edges, *(edge - law.origin for edge in edges)])
    found, series = panels(lambda at: function(at) * law.density(at),
                           np.unique(np.clip(every[np.isfinite(every)], low, high)))
    return float(np.diff(found) @ series[:, 0])
