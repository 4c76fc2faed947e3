"""Shares that are mixtures of Beta distributions: their intervals, densities and distribution functions.

theta_i given the counts is Beta(alpha_i + c_i, A - alpha_i + n - c_i), so that given a law of the counts it is a
mixture. Where that has very many parts, those at few counts stand for all: a function of the count that polynomials
follow has the same mean under the law and under the weights of Lagrange's polynomials at Gauss' points.
"""

import operator
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from dpbi import limits
from dpbi.frozen_result import FrozenResult
from dpbi.posterior import chunks, dirichlet

Floats = NDArray[np.float64]

_STEPS = 3_000  # Brent's rule takes at most the square of bisection's 57
_LOG_ODDS = 700.0  # theta or 1 - theta = e^-700 is the least end of an interval
_WITHIN = 3.0  # standard deviations of the mean: where an end is looked for first
_POINTS, _AT_ONCE = 6, 24  # of an axis: points to begin with, doubled until nothing changes; moments at a time
_SAME = 1e-10  # of a probability
_RARE = 1e-18  # a value this improbable moves no end of an interval
_ALL = 60  # parts, that few would not be much fewer than
_BLOCK, _EACH = 2.0, 10  # standard deviations of a count given theta; Gauss points of so wide a block
_PARTS, _NUMBERS = 60_000, 4_000_000  # of a mixture, and in polynomials at all values, at most


@dataclass(frozen=True, eq=False)
class Betas(FrozenResult):
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
        tail, share, a, b = (1 - mass) / 2, self.share, self.a, self.b
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
    def _betas(self, category: int) -> Betas:
        """The parts that theta_i is a mixture of, the negligible ones left out."""

    def _few_betas(self, category: int) -> Betas:
        """The same but for 1e-10 of any probability, by few parts."""
        return self._betas(category)

    def interval(self, mass: float = 0.95, category: int = 0) -> tuple[float, float]:
        """The equal-tailed interval of theta_i under the mixture of Betas.

        mass in (0, 1), the probability inside; category: an index 0..k - 1. Returns (low, high), rounded outwards: the
        probability inside is never below mass, and where the doubles are fine enough at most 1e-9 above it (1e-7 where
        both parameters of a Beta exceed 1e8).
        Raises ValueError for another mass or category. Source: ours; the quantile by Brent's rule in the log-odds.
        """
        mass = limits.inside("mass", mass)
        return self._betas(limits.check_category(category, len(self.prior))).interval(mass)

    def density(self, theta: ArrayLike, category: int = 0) -> Floats:
        """The density of theta_i, a mixture of Beta densities: theta (...), in [0, 1] -> (...).

        At 0 and 1 it is finite or infinite, as the limit is. Raises ValueError for another category.
        """
        betas = self._betas(limits.check_category(category, len(self.prior)))
        at = limits.shares("theta", theta)
        return betas.density(at.reshape(-1)).reshape(at.shape)

    def cumulative(self, theta: ArrayLike, category: int = 0) -> Floats:
        """P(theta_i <= theta | r): theta (...), in [0, 1] -> (...). Raises ValueError for another category."""
        betas = self._betas(limits.check_category(category, len(self.prior)))
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

    mean, variance = mixture_moments(share, a, b)
    rest = float(share @ (b / (a + b)))
    middle = float(np.clip(np.log(mean) - np.log(rest), -_LOG_ODDS, _LOG_ODDS))
    step = _WITHIN * np.sqrt(variance) / mean / rest
    low, high = max(middle - step, -_LOG_ODDS), min(middle + step, _LOG_ODDS)
    while low > -_LOG_ODDS and excess(low) >= 0:
        step, low, high = 4 * step, max(low - step, -_LOG_ODDS), low
    while high < _LOG_ODDS and excess(high) <= 0:
        step, low, high = 4 * step, high, min(high + step, _LOG_ODDS)
    if low == -_LOG_ODDS and excess(low) >= 0:
        return float(special.expit(-_LOG_ODDS))
    if high == _LOG_ODDS and excess(high) <= 0:
        return 1.0
    return float(special.expit(brentq(excess, low, high, xtol=1e-14, rtol=1e-14, maxiter=_STEPS)))


def mixture_moments(share: Floats, a: Floats, b: Floats) -> tuple[float, float]:
    """Mean and variance of the mixture."""
    mean = a / (a + b)
    middle = float(share @ mean)
    return middle, float(share @ (mean * (b / (a + b)) / (a + b + 1) + (mean - middle) ** 2))


# Few parts for many ---------------------------------------------------------------------------------


class CountLaw:
    """A law on whole numbers and Gauss' points of it.

    Orthonormal polynomials p_m by Stieltjes' procedure; the points are the eigenvalues of their recurrence, and
    Lagrange's polynomial of a point x with weight w is w sum_m p_m(x) p_m. Source: Golub and Welsch 1969.
    size: the number of values that are not negligible; at all others polynomials, which may be huge there, are 0.
    """

    def __init__(self, values: NDArray[np.int64], law: Floats) -> None:
        law = law / law.sum()
        self._kept = np.flatnonzero(law >= _RARE)
        self.values, self.law, self._all = values[self._kept], law[self._kept], values.size
        self.size = self.values.size
        self.mean = float(self.law @ self.values)
        self.unit = max(float(np.sqrt(self.law @ (self.values - self.mean) ** 2)), _RARE)
        self._polynomials, self._off = np.ones((1, self.size)), [0.0]
        self._diagonal: list[float] = []

    def basis(self, number: int) -> Floats:
        """p_0 .. p_{number - 1} at all values; where no more are possible than that, 1 at each of them."""
        found = np.zeros((min(number, self.size), self._all))
        found[:, self._kept] = np.eye(self.size) if number >= self.size else self._recurrence(number)
        return found

    def _recurrence(self, number: int) -> Floats:
        z, start = (self.values - self.mean) / self.unit, len(self._polynomials)
        if number > start:
            self._polynomials = np.concatenate([self._polynomials, np.empty((number - start, self.size))])
        for m in range(start, number):
            earlier, last = self._polynomials[:m], self._polynomials[m - 1]
            self._diagonal.append(float(self.law @ (z * last * last)))
            further = (z - self._diagonal[-1]) * last
            if m > 1:
                further -= self._off[-1] * self._polynomials[m - 2]
            # Where few values have nearly all of the law, rounding grows: what of it shows is taken off again
            further -= (earlier @ (self.law * further)) @ earlier
            self._off.append(max(float(np.sqrt(self.law @ further**2)), np.finfo(float).tiny))
            self._polynomials[m] = further / self._off[-1]
        return self._polynomials[:number]

    def points(self, number: int) -> tuple[Floats, Floats]:
        """The points, and Lagrange's polynomials of them in terms of the basis, (number, points)."""
        from scipy.linalg import eigh_tridiagonal

        if number >= self.size:
            return self.values.astype(np.float64), np.eye(self.size)
        last = self._recurrence(number)[-1]
        diagonal = [*self._diagonal[:number - 1], float(self.law @ ((self.values - self.mean) / self.unit * last**2))]
        points, vectors = eigh_tridiagonal(diagonal, self._off[1:number])
        return self.mean + self.unit * points, vectors[0] * vectors


def few(
    axes: tuple[CountLaw, CountLaw], moments: Callable[[Floats, Floats], Floats],
    parameters: Callable[[Floats, Floats], tuple[Floats, Floats]], tests: Floats,
) -> Betas:
    """A mixture of Beta(a(x, y), b(x, y)) over whole numbers x and y, by few of both.

    axes: their laws; moments(f, g): sum over x, y of P(x, y) f_i(x) g_j(y), of (i, values of x) and (j, values of y);
    parameters: a and b. Points are doubled on one axis and on the other as long as that changes the distribution
    function at ``tests``, at the latest up to all values.
    """
    most = tuple(axis.size for axis in axes)

    @cache
    def table(p: int, q: int) -> Floats:
        return moments(axes[0].basis(p), axes[1].basis(q))

    def parts(numbers: tuple[int, ...]) -> Betas:
        _check_parts(numbers, most)
        (x, from_x), (y, from_y) = (axis.points(number) for axis, number in zip(axes, numbers, strict=True))
        held = (size if number == size else min(max(number, min(_AT_ONCE, _NUMBERS // size)), size - 1)
                for number, size in zip(numbers, most, strict=True))
        share = from_x.T @ table(*held)[:numbers[0], :numbers[1]] @ from_y
        a, b = parameters(x[:, None], y[None, :])
        a, b = np.broadcast_to(a, share.shape), np.broadcast_to(b, share.shape)
        return Betas((share / share.sum()).reshape(-1), a.reshape(-1), b.reshape(-1))

    listed = most[0] * most[1] <= _ALL and max(most) ** 2 <= _NUMBERS
    numbers = most if listed else tuple(min(_POINTS, size) for size in most)
    found = parts(numbers)
    law = found.cumulative(tests)
    settled = [number == size for number, size in zip(numbers, most, strict=True)]
    while not all(settled):
        side = settled.index(False)
        tried = tuple(min(2 * number, size) if i == side else number
                      for i, (number, size) in enumerate(zip(numbers, most, strict=True)))
        finer = parts(tried)
        finer_law = finer.cumulative(tests)
        if np.abs(finer_law - law).max() > _SAME:
            numbers, found, law = tried, finer, finer_law
            settled = [number == size for number, size in zip(numbers, most, strict=True)]
        else:
            settled[side] = True
    return found


def _check_parts(numbers: tuple[int, ...], most: tuple[int, ...]) -> None:
    if numbers[0] * numbers[1] > _PARTS or max(map(operator.mul, numbers, most)) > _NUMBERS:
        raise ValueError("The noise is so much wider than the counts' own spread that the law of a share cannot be "
                         "computed, only its mean and standard deviation. Give the number of records.")


def betas_of_known_total(
    counts: NDArray[np.int64], probability: Floats, n: int, alpha: float, rest: float
) -> Betas:
    """The mixture of Beta(alpha + c, rest + n - c) over counts of these probabilities, by few parts.

    A count varies by s(c) = sqrt(a b / (a + b)) given theta, and as a function of c P(theta <= x | c) is as smooth as a
    normal law of that width. So the counts are cut into blocks two s(c) wide (their integral, 2 sqrt(a + b)
    arctan(sqrt(a / b)), stabilises the variance), and ten Gauss points of each block's own law stand for it: the
    error, (1/2)^20 2 / sqrt(20!) of the block's probability, is below 1e-14.
    """
    a, b = alpha + counts, rest + (n - counts)
    width = 2 * np.sqrt(alpha + rest + n) * np.arctan2(np.sqrt(a), np.sqrt(b)) / _BLOCK
    starts = np.flatnonzero(np.diff(np.floor(width), prepend=-1.0))
    found = [_few_of_block(counts[start:stop], probability[start:stop])
             for start, stop in zip(starts, [*starts[1:], counts.size], strict=True)]
    few_counts, share = (np.concatenate(one) for one in zip(*found, strict=True))
    return Betas(share, alpha + few_counts, rest + (n - few_counts))


def _few_of_block(counts: NDArray[np.int64], probability: Floats) -> tuple[Floats, Floats]:
    total = float(probability.sum())
    if counts.size <= _EACH or total == 0 or (law := CountLaw(counts - counts[0], probability)).size <= _EACH:
        return counts.astype(np.float64), probability
    points, basis = law.points(_EACH)
    return counts[0] + points, total * basis[0]


def places_to_test(mean: float, sd: float) -> Floats:
    """Where distribution functions of two mixtures of this mean are compared."""
    return np.clip(mean + sd * np.array([-4.0, -2, -1, 0, 1, 2, 4]), mean / 1e3, 1 - (1 - mean) / 1e3)
