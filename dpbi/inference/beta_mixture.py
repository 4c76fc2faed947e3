"""Shares that are mixtures of Beta distributions: their intervals, densities and distribution functions.

theta_i given the counts is Beta(alpha_i + c_i, A - alpha_i + n - c_i), so that given a law of the counts it is a
mixture. Where that has very many parts, those at few counts stand for all: a function of the count that polynomials
follow has the same mean under the law and under Lagrange's weights at Chebyshev's points.
"""

from abc import abstractmethod
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from dpbi import limits
from dpbi.frozen_result import FrozenResult
from dpbi.posterior import chunks, dirichlet

Floats = NDArray[np.float64]

_STEPS = 3_000  # Brent's rule takes at most the square of bisection's 57
_LOG_ODDS = 700.0  # theta or 1 - theta = e^-700 is the least end of an interval
_FEW = 4_000  # parts that are summed one by one
_POINTS = 12  # Chebyshev's points to begin with; twice as many until nothing changes
_SAME = 1e-12  # of a probability


class Betas(NamedTuple):
    """Shares and both parameters of the parts of a mixture; a share may be negative where few parts stand for all."""

    share: Floats
    a: Floats
    b: Floats

    def cumulative(self, theta: Floats) -> Floats:
        """P(mixture <= theta), each theta's own sum."""
        return self._sum(lambda x, a, b: dirichlet.incomplete_beta(a, b, x), theta)

    def density(self, theta: Floats) -> Floats:
        return self._sum(dirichlet.beta_density, theta)

    def _sum(self, law: Callable[..., Floats], theta: Floats) -> Floats:
        total = np.zeros(theta.size)
        for rows in chunks(theta.size, self.share.size):
            total[rows] = (law(theta[rows, None], self.a, self.b) * self.share).sum(axis=1)
        return total

    def interval(self, mass: float) -> tuple[float, float]:
        """The equal-tailed interval, rounded outwards."""
        tail, (share, a, b) = (1 - mass) / 2, self
        # Near 0 an upper end has digits that 1 - x has not.
        if float(dirichlet.incomplete_beta(a, b, 0.5) @ share) > 1 - tail:
            return end(share, a, b, tail, 0.0), end(share, a, b, tail, 1.0)
        return end(share, a, b, tail, 0.0), float(dirichlet.one_less(end(share, b, a, tail, 0.0), 1.0))


class BetaMixture(FrozenResult):
    """What a posterior of shares can say whose every theta_i is a mixture of Betas.

    prior: alpha, (k,).
    """

    prior: tuple[float, ...]

    @abstractmethod
    def betas(self, category: int) -> Betas:
        """The parts that theta_i is a mixture of, the negligible ones left out."""

    def interval(self, mass: float = 0.95, category: int = 0) -> tuple[float, float]:
        """The equal-tailed interval of theta_i under the mixture of Betas.

        mass in (0, 1), the probability inside; category: an index 0..k - 1. Returns (low, high), rounded outwards: the
        probability inside is never below mass, and where the doubles are fine enough at most 1e-9 above it (1e-7 where
        both parameters of a Beta exceed 1e8).
        Raises ValueError for another mass or category. Source: ours; the quantile by Brent's rule in the log-odds.
        """
        mass = limits.inside("mass", mass)
        return self.betas(limits.check_category(category, len(self.prior))).interval(mass)

    def density(self, theta: ArrayLike, category: int = 0) -> Floats:
        """The density of theta_i, a mixture of Beta densities: theta (...), in [0, 1] -> (...).

        At 0 and 1 it is finite or infinite, as the limit is. Raises ValueError for another category.
        """
        betas = self.betas(limits.check_category(category, len(self.prior)))
        at = limits.shares("theta", theta)
        return betas.density(at.reshape(-1)).reshape(at.shape)

    def cumulative(self, theta: ArrayLike, category: int = 0) -> Floats:
        """P(theta_i <= theta | r): theta (...), in [0, 1] -> (...). Raises ValueError for another category."""
        betas = self.betas(limits.check_category(category, len(self.prior)))
        at = limits.shares("theta", theta)
        return betas.cumulative(at.reshape(-1)).reshape(at.shape)


def end(share: Floats, a: Floats, b: Floats, tail: float, side: float) -> float:
    """The x with probability ``tail`` or just less beyond it, towards 0 or 1; as near as doubles can be to them."""
    beyond = dirichlet.surely_beyond(a, b, tail)
    wanted = beyond if side == 0 else 1 - beyond

    def excess(x: NDArray, some: NDArray) -> NDArray:
        return (1 - 2 * side) * (dirichlet.incomplete_beta(a, b, x[:, None]) @ share - wanted)

    return float(dirichlet.outwards(np.array([_quantile(share, a, b, wanted)]), side, excess, np.arange(1))[0])


def _quantile(share: Floats, a: Floats, b: Floats, probability: float) -> float:
    """The x with P(mixture <= x) = probability, by the log-odds of x, within e^-700 of neither 0 nor 1."""
    from scipy.optimize import brentq

    def excess(log_odds: float) -> float:
        return float(dirichlet.incomplete_beta(a, b, special.expit(log_odds)) @ share) - probability

    if excess(-_LOG_ODDS) >= 0:
        return float(special.expit(-_LOG_ODDS))
    if excess(_LOG_ODDS) <= 0:
        return 1.0
    return float(special.expit(brentq(excess, -_LOG_ODDS, _LOG_ODDS, xtol=1e-14, rtol=1e-14, maxiter=_STEPS)))


# Few parts for many ---------------------------------------------------------------------------------


class Axis(NamedTuple):
    """Values of a count and Lagrange's polynomials at them: ``polynomials`` (points, values) of the ``points``."""

    points: Floats
    polynomials: Floats


def axis(values: NDArray[np.int64], number: int) -> Axis:
    """``number`` Chebyshev points over the values, or the values themselves where they are no more.

    Source: Berrut and Trefethen 2004, the barycentric form.
    """
    if number >= values.size:
        return Axis(values.astype(np.float64), np.eye(values.size))
    j = np.arange(number)
    points = (values[0] + values[-1]) / 2 - (values[-1] - values[0]) / 2 * np.cos(np.pi * j / (number - 1))
    weight = (-1.0) ** j
    weight[[0, -1]] /= 2
    gap = values - points[:, None]
    term = weight[:, None] / np.where(gap == 0, 1.0, gap)
    polynomials = term / term.sum(axis=0)
    hit = (gap == 0).any(axis=0)
    polynomials[:, hit] = gap[:, hit] == 0
    return Axis(points, polynomials)


def few(
    first: NDArray[np.int64], second: NDArray[np.int64], shares: Callable[[Floats, Floats], Floats],
    alpha: float, beta: float, tests: Floats,
) -> Betas:
    """A mixture of Beta(alpha + x, beta + y) over values x and y with few parts.

    first, second: the values of x and y; shares(f, g): sum over x, y of P(x, y) f_q(x) g_j(y), (points, values) each ->
    (q, j). Chebyshev's points are doubled until the distribution function at ``tests`` stays the same, at the latest
    at all values.
    """
    number, before = _POINTS, None
    while True:
        x, y = axis(first, number), axis(second, number)
        share = shares(x.polynomials, y.polynomials)
        found = Betas(share.reshape(-1), np.repeat(alpha + x.points, y.points.size),
                      np.tile(beta + y.points, x.points.size))
        if number >= max(first.size, second.size):
            return found
        law = found.cumulative(tests)
        if before is not None and np.abs(law - before).max() <= _SAME:
            return found
        number, before = 2 * number, law
