"""Dirichlet distributions by their parameters: moments, intervals, densities, evidence, draws.

Two functions carry the accuracy at any size. With tau(a) = log Gamma(a) - a log a + a, which stays small,
log B(a) = sum_i a_i log m_i + sum_i tau(a_i) - tau(A), where A = sum a and m = a / A is the mean. And what
remains of an exponent once its large terms are matched is a sum of deviances x log(x / y) - x + y >= 0 or of
phi(u) = u - log(1 + u) >= 0, by their series where u is small: nothing cancels.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from dpbi import limits
from dpbi.posterior.hellinger import STIRLING, STIRLING_FROM, chunks, sums_of_others

Floats = NDArray[np.float64]

_SERIES_BELOW = 0.02  # where log1p(u) - u would lose two digits; ten terms of its series then reach 1e-17
_POWERS = np.arange(11, 1, -1)
# From here on scipy's quantiles of Beta(a, b) get worse (by 1e-5 of the spread at a = b = 1e11, by a tenth at
# 1e15), and so does its distribution function (by 4e-4 at 1e12), while the normal expansions are right to 1e-8 of the
# spread and better.
_NORMAL_FROM = 1e8
_CLOSE = 1e-4  # standard deviations: so near the mean the expansion's correction is what it is there
_QUANTILE_ERROR = 1e-11  # of the probability beyond a quantile, relative, by scipy's inverse
SPARE = 1e-10  # share of a tail that an end leaves: more than rounding takes (tests: 30 digits)
_LARGE = 1e4  # from here on scipy's lower tail of whole parameters loses digits, 1e-8 at 1e9, its upper tail does not
_NOTHING = 1e-300  # no end of an interval with digits lies below
_LOG_LEAST = -750.0  # e^-750 is no double
_LISTED_COUNTS = 100_000
_ENDS_LARGEST = 2_000_000  # of intervals: one takes microseconds


def mean(alpha: ArrayLike) -> Floats:
    """E[theta_i] = alpha_i / A, A = sum alpha. alpha: (..., k) -> (..., k). Source: standard."""
    a = limits.dirichlet_parameters("alpha", alpha)
    return a / a.sum(axis=-1, keepdims=True)


def variance(alpha: ArrayLike) -> Floats:
    """Var[theta_i] = alpha_i (A - alpha_i) / (A^2 (A + 1)). alpha: (..., k) -> (..., k). Source: standard.

    Deviation: A - alpha_i is summed from the other parameters; subtracted, it would be 0 beside a large one.
    """
    a = limits.dirichlet_parameters("alpha", alpha)
    total = a.sum(axis=-1, keepdims=True)
    return a / total * (sums_of_others(a) / total) / (total + 1)


def interval(
    alpha: ArrayLike, mass: float = 0.95, category: int | Sequence[int] | NDArray[np.int64] | None = None
) -> tuple[Floats, Floats]:
    """The equal-tailed interval of each theta_i, whose law is Beta(alpha_i, A - alpha_i).

    alpha: (..., k); mass in (0, 1), the probability inside; category: one index, several, or None for all.
    Returns (low, high), each (..., k), (...) for one category or (..., number of them) for several, with
    0 <= low < high <= 1, rounded outwards: the probability inside is never below mass, and where the doubles are fine
    enough at most 1e-9 above it. Raises ValueError for a mass outside (0, 1).
    Source: inverse of the incomplete beta function; above 1e8 ours, see ``_large_quantiles``.
    """
    a = limits.dirichlet_parameters("alpha", alpha)
    tail = (1 - limits.inside("mass", mass)) / 2
    first, second = a, sums_of_others(a)
    if category is not None:
        i = limits.check_categories(category, a.shape[-1])
        first, second = first[..., i], second[..., i]
    limits.check_numbers("alpha", first.size, _ENDS_LARGEST)
    return _end(_LOWER, first, second, tail), _end(_UPPER, first, second, tail)


def has_width(low: ArrayLike, high: ArrayLike) -> NDArray[np.bool_]:
    """Whether an ``interval`` says more than that theta is 0, or 1, as far as doubles go."""
    return (np.asarray(high) > _NOTHING) & (np.asarray(low) < 1 - np.finfo(float).epsneg)


@dataclass(frozen=True)
class _Tail:
    """One of the tails of Beta(a, b): its inverse and its probability by scipy, and where outwards is."""

    inverse: np.ufunc
    probability: np.ufunc
    outwards: float


_LOWER = _Tail(special.betaincinv, special.betainc, 0.0)
_UPPER = _Tail(special.betainccinv, special.betaincc, 1.0)


def _end(tail: _Tail, a: Floats, b: Floats, mass: float) -> Floats:
    """The end with probability ``mass`` beyond it: below 1/2 by itself, else 1 less the mirrored law's other end.

    So digits are kept near 0, and the one rounding near 1 is known exactly.
    """
    at_half = incomplete_beta(a, b, 0.5)
    near = at_half >= mass if tail is _LOWER else at_half >= 1 - mass
    end = np.empty(near.shape)
    end[near] = _end_near_zero(tail, a[near], b[near], mass)
    other = _end_near_zero(_UPPER if tail is _LOWER else _LOWER, b[~near], a[~near], mass)
    end[~near] = one_less(other, tail.outwards)
    return end


def one_less(x: ArrayLike, towards: float) -> Floats:
    """1 - x for x in [0, 1/2], rounded towards 0 or 1: the rounded difference is compared with the true one exactly."""
    x = np.asarray(x, dtype=np.float64)
    rounded = 1 - x
    beyond = 1 - rounded < x if towards == 0 else 1 - rounded > x
    return np.where(beyond, np.nextafter(rounded, towards), rounded)


def _end_near_zero(tail: _Tail, a: Floats, b: Floats, mass: float) -> Floats:
    end, beyond = np.empty(a.shape), np.minimum(a, b) > _NORMAL_FROM
    end[beyond] = _large_quantiles(a[beyond], b[beyond], mass)[int(tail.outwards)]
    end[~beyond] = _near_quantile(tail, a[~beyond], b[~beyond], mass * (1 - SPARE))
    return end


def _near_quantile(tail: _Tail, a: Floats, b: Floats, mass: float) -> Floats:
    """The x with at most ``mass`` beyond it, next to where it is ``mass``: scipy's inverse where that proves right.

    It does not everywhere: of Beta(1000, 1e12) it gives 1.5e-8 for every probability, sixteen times the mean. Such an x
    is found by bisection of log x instead.
    """
    def excess(x: Floats, some: NDArray) -> Floats:
        return np.asarray(tail.probability(a[some], b[some], x) - mass)

    found = np.asarray(tail.inverse(a, b, mass))
    gap = excess(found, np.arange(a.size))
    off = np.flatnonzero(~(np.abs(gap) <= _QUANTILE_ERROR * mass) & (found > np.finfo(float).tiny))
    # Two doubles side by side may lie far apart in probability.
    spacing = np.abs(excess(np.nextafter(found[off], 1.0), off) - excess(np.nextafter(found[off], 0.0), off))
    wrong = off[~(np.abs(gap[off]) <= _QUANTILE_ERROR * mass + spacing)]
    low, high = np.full(wrong.size, _LOG_LEAST), np.zeros(wrong.size)
    for _ in range(64 if wrong.size else 0):  # 750 / 2^64: below the spacing of the doubles
        middle = (low + high) / 2
        below = (excess(np.exp(middle), wrong) < 0) == (tail is _LOWER)
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    found[wrong] = np.exp(low if tail is _LOWER else high)
    gap[wrong] = excess(found[wrong], wrong)
    # What underflows is 0 for a lower end; no double below the least is above 0.
    found = np.where(found > np.finfo(float).tiny, found, tail.outwards * np.finfo(float).tiny)
    return outwards(found, tail.outwards, excess, np.flatnonzero(gap > 0))


def surely_beyond(a: Floats, b: Floats, mass: float) -> float:
    """What ``incomplete_beta`` may find beyond an end so that no more than ``mass`` is there, whatever it errs by."""
    smaller = np.minimum(a, b)
    return max(mass * (1 - SPARE) - float((1 / smaller[smaller > _NORMAL_FROM]).max(initial=0.0)), 0.0)


def outwards(
    x: Floats, towards: float, excess: Callable[[Floats, NDArray[np.int64]], Floats], short: NDArray[np.int64]
) -> Floats:
    """x, those at the indices ``short`` moved towards 0 or 1 until ``excess(x, indices) <= 0`` there: by one spacing of
    the doubles, two, four, ..."""
    x, step = np.array(x), np.finfo(float).epsneg
    while (short := short[x[short] != towards]).size and (short := short[excess(x[short], short) > 0]).size:
        x[short] = np.clip(x[short] * (1 + (2 * towards - 1) * step), 0.0, 1.0)
        step *= 2
    return x


def beta_cdf(a: ArrayLike, b: ArrayLike, x: ArrayLike) -> Floats:
    """P(Beta(a, b) <= x) = I_x(a, b): a, b > 0, real x, broadcast.

    Above 1e8 both, Phi(z) + phi(z) (1/z - 1/u) with u = (x - m) / sqrt(m (1 - m) / (a + b)), m = a / (a + b), and
    z^2 / 2 = -a log(x / m) - b log((1 - x) / (1 - m)), z of the sign of u. Error below 1 / min(a, b).
    Raises ValueError for other values.
    Source: scipy's incomplete beta function; beyond it Temme's uniform expansion (DLMF 8.18.9), first term.
    """
    x = limits.shares("x", np.clip(limits.number_array("x", x), 0.0, 1.0))  # NaN is refused, beyond the ends is not
    a, b = limits.broadcast_pair("a and b", *(limits.positive_numbers(name, value)[..., None]
                                              for name, value in (("a", a), ("b", b))))
    a, x = limits.broadcast_pair("x, a and b", a, x[..., None])
    return incomplete_beta(a[..., 0], b[..., 0], x[..., 0])


def incomplete_beta(a: Floats, b: Floats, x: ArrayLike) -> Floats:
    """``beta_cdf`` of arrays, x in [0, 1]."""
    a, b, x = np.broadcast_arrays(a, b, x)
    beyond = np.minimum(a, b) > _NORMAL_FROM
    law = np.asarray(special.betainc(np.where(beyond, 1.0, a), np.where(beyond, 1.0, b), x))
    upper = (law > 0.5) & (np.maximum(a, b) > _LARGE) & ~beyond
    if upper.any():
        law[upper] = 1 - special.betaincc(a[upper], b[upper], x[upper])
    if beyond.any():
        law[beyond] = _large_cdf(a[beyond], b[beyond], x[beyond])
    return law


def _large_cdf(a: Floats, b: Floats, x: Floats) -> Floats:
    total = a + b
    m = a / total
    inside = np.clip(x, np.finfo(float).tiny, 1 - np.finfo(float).epsneg)
    gap = inside - m
    u = gap * np.sqrt(total / m / (b / total))
    exponent = (a * _phi(gap / m, np.log(inside) - np.log(m))
                + b * _phi(-gap / (b / total), np.log1p(-inside) - np.log(b / total)))
    z = np.copysign(np.sqrt(2 * exponent), u)
    close = np.abs(u) < _CLOSE
    # log x is concave: at the mean 1/z - 1/u tends to a third of the skewness' share
    at_mean = (1 - 2 * m) / (3 * np.sqrt(m * (b / total) * total))
    correction = np.where(close, at_mean, 1 / np.where(close, 1.0, z) - 1 / np.where(close, 1.0, u))
    law = special.ndtr(z) + np.exp(-exponent) / np.sqrt(2 * np.pi) * correction
    return np.where(x <= 0, 0.0, np.where(x >= 1, 1.0, np.clip(law, 0.0, 1.0)))


def _large_quantiles(a: Floats, b: Floats, mass: float) -> tuple[Floats, Floats]:
    """Ends of Beta(a, b), both huge: normal quantiles z, corrected for skewness and kurtosis (Cornish and Fisher 1937).

    What is left out is below (1 + z^4) / min(a, b)^1.5 of the standard deviation, and the rounding below two spacings
    of the doubles: by so much they are moved outwards.
    """
    total = a + b
    z = float(special.ndtri(mass))
    spread = np.sqrt(a / total * (b / total) / (total + 1))
    skewness = 2 * ((b - a) / total) / np.sqrt(a / total) / np.sqrt(b)
    kurtosis = 6 * (((b - a) / total) ** 2 / (a / total) / b - 1 / total)
    even = skewness * (z * z - 1) / 6
    odd = z + kurtosis * (z**3 - 3 * z) / 24 - skewness**2 * (2 * z**3 - 5 * z) / 36
    left_out = (1 + z**4) * np.minimum(a, b) ** -1.5
    low, high = (a / total + spread * (even + side * (odd - left_out)) for side in (1, -1))
    return np.clip(low - 2 * np.spacing(low), 0.0, 1.0), np.clip(high + 2 * np.spacing(high), 0.0, 1.0)


def beta_density(x: ArrayLike, a: ArrayLike, b: ArrayLike) -> Floats:
    """x^(a-1) (1-x)^(b-1) / B(a, b): x in [0, 1], a, b > 0, broadcast. Source: standard; see ``log_density``.

    At the ends it is 0, finite or infinite, as its limit is.
    """
    x, a, b = limits.shares("x", x), limits.positive_numbers("a", a), limits.positive_numbers("b", b)
    pair = np.concatenate(limits.broadcast_pair("a and b", a[..., None], b[..., None]), axis=-1)
    limits.broadcast_pair("x, a and b", x[..., None], pair[..., :1])
    return np.exp(log_density(pair, np.stack([x, 1 - x], axis=-1)))


def log_density(alpha: ArrayLike, theta: ArrayLike) -> Floats:
    """log of prod_i theta_i^(alpha_i - 1) / B(alpha), a density over the first k - 1 coordinates.

    With m = alpha / A it is tau(A) - sum_i [alpha_i phi(theta_i / m_i - 1) + log theta_i + tau(alpha_i)]: the
    linear terms of phi sum to zero, so that Beta(5e8, 5e8) keeps its digits.
    alpha, theta: (..., k), broadcast; theta on the simplex. Returns (...): -inf or +inf on an edge where the
    density is 0 or unbounded; NaN where edges of both kinds meet, as the limit depends on the way there.
    Source: standard; the arrangement is ours.
    """
    a, theta = limits.dirichlet_parameters("alpha", alpha), limits.shares("theta", theta)
    limits.broadcast_pair("alpha and theta", a, theta)
    total = a.sum(axis=-1, keepdims=True)
    centre = a / total
    inside = theta > 0
    safe = np.where(inside, theta, centre)
    term = -a * _phi((safe - centre) / centre, np.log(safe) - np.log(centre)) - np.log(safe)
    with np.errstate(invalid="ignore"):  # +inf - inf where edges of both kinds meet
        term = np.where(inside, term, special.xlogy(a - 1, theta) - a * np.log(centre) + a)
        return (term - _tau(a)).sum(axis=-1) + _tau(total[..., 0])


def log_odds_peak(a: Floats, b: Floats) -> Floats:
    """log of m^a (1 - m)^b / B(a, b), m = a / (a + b): the largest density of the log odds of Beta(a, b)."""
    return _tau(a + b) - _tau(a) - _tau(b)


def log_odds_deviance(a: Floats, b: Floats, gap: Floats) -> Floats:
    """By how much the log density of the log odds of Beta(a, b) lies below its peak, at log(a / b) + gap.

    -a log(theta / m) - b log((1 - theta) / (1 - m)) = a phi(theta / m - 1) + b phi((1 - theta) / (1 - m) - 1). Of theta
    and 1 - theta one shrinks, to e^-|gap| / d of itself, and the other grows, to 1 / d, d = 1 - (1 - e^-|gap|) p where
    p is the mean of the first: both have all their digits, at either end. a, b, gap broadcast. Source: ours.
    """
    right = gap > 0
    shrinks, grows = np.where(right, b, a), np.where(right, a, b)
    p, q = shrinks / (a + b), grows / (a + b)
    size = np.abs(gap)
    less = np.expm1(-size)
    d = np.where(less < -0.5, q + p * np.exp(-size), 1 + p * less)
    log_d = np.where(less < -0.5, np.log(d), np.log1p(p * np.maximum(less, -0.5)))
    return shrinks * _phi(less * q / d, -size - log_d) + grows * _phi(-less * p / d, -log_d)


def log_evidence(prior: ArrayLike, counts: ArrayLike, ordered: bool = False) -> Floats:
    """log P(counts) = log [n! / prod c_i! B(alpha + c) / B(alpha)]; ordered: of the records in a given order.

    The first is a product of negative binomials given their total, prod_i NB(c_i; alpha_i, w) / NB(n; A, w), for any
    w: see ``log_negative_binomial``. Without the factorials, sum_i c_i log(c_i / n) takes the place of their v.
    prior: (k,); counts: (..., k) whole numbers >= 0. Returns (...), <= 0.
    Source: the Dirichlet-multinomial law; the arrangement is ours, as differences of log-gammas are all noise
    at n = 1e9.
    """
    alpha = _one("prior", prior)
    limits.instance("ordered", ordered, bool, "True or False")
    c = limits.count_array("counts", counts, alpha.shape[-1])
    flat = c.reshape(-1, alpha.size)
    found = [log_predictive(alpha, flat[rows], ordered) for rows in chunks(*flat.shape)]
    return np.concatenate([np.empty(0), *found]).reshape(c.shape[:-1])


def log_predictive(alpha: Floats, counts: NDArray[np.int64], ordered: bool = False) -> Floats:
    """``log_evidence`` of arrays, the prior predictive law of the counts."""
    c = counts.astype(np.float64)
    n, total = c.sum(axis=-1, keepdims=True), alpha.sum()
    joint = _log_negative_binomial_but_factorial(alpha, c, n, total)
    whole = (_tau(total + n) - _tau(total))[..., 0]
    if ordered:
        return (joint + _entropy_terms(c, n)).sum(axis=-1) - whole
    return (joint - _tau_factorial(c)).sum(axis=-1) - whole + _tau_factorial(n)[..., 0]


def log_negative_binomial(alpha: Floats, counts: Floats, n: float, total: float) -> Floats:
    """log NB(c; alpha, w) = log [Gamma(alpha + c) / (c! Gamma(alpha)) w^c (1 - w)^alpha], w = n / (total + n).

    Independent counts of these laws, total = sum alpha, have mean n alpha / total, and given that they sum to n they
    are Dirichlet-multinomial. With t = alpha + c and v(c) = log c! - c log c + c it is
    -D + tau(t) - tau(alpha) - v(c), D = c log(c / (t w)) + alpha log(alpha / (t (1 - w))) >= 0.
    alpha > 0, counts >= 0, broadcast. Returns the broadcast shape, <= 0. Source: standard; the arrangement is ours.
    """
    return _log_negative_binomial_but_factorial(alpha, counts, n, total) - _tau_factorial(counts)


def log_poisson(mean: float, counts: Floats) -> Floats:
    """log P(c) of a Poisson law, -(c log(c / mean) - c + mean) - (log c! - c log c + c): counts >= 0, any shape."""
    return -_deviance(counts, np.full_like(counts, mean), counts - mean) - _tau_factorial(counts)


def _log_negative_binomial_but_factorial(alpha: Floats, c: Floats, n: ArrayLike, total: ArrayLike) -> Floats:
    n, total = np.asarray(n, dtype=np.float64), np.asarray(total, dtype=np.float64)
    t = alpha + c
    gap = (c * total - alpha * n) / (total + n)
    deviance = _deviance(c, t * (n / (total + n)), gap) + _deviance(alpha, t * (total / (total + n)), -gap)
    return _tau(t) - _tau(alpha) - deviance


def _deviance(x: Floats, y: Floats, gap: Floats) -> Floats:
    """x log(x / y) - x + y, gap = x - y: for small u = gap / y it is y sum_{p >= 2} (-u)^p / (p (p - 1))."""
    positive = np.where(y > 0, y, 1.0)  # n = 0 makes x and y 0
    u = gap / positive
    near = np.abs(u) < _SERIES_BELOW
    v = np.where(near, u, 0.0)
    series = v * v * np.polyval(1 / (_POWERS * (_POWERS - 1)), -v)
    return np.where(near, y * series, special.xlogy(x, x / positive) - gap)


def _entropy_terms(c: Floats, n: Floats) -> Floats:
    """c_i log(c_i / n), from the other counts where c_i is most of n."""
    others = c.sum(axis=-1, keepdims=True) - c
    safe = np.maximum(n, 1)
    return np.where(2 * c > n, special.xlog1py(c, -np.minimum(others, c) / safe), special.xlogy(c, c / safe))


def prior_predictive_interval(
    alpha: ArrayLike, n: int, mass: float = 0.95, category: int = 0
) -> tuple[int, int]:
    """The equal-tailed interval of one category's count among n records under the prior: a beta-binomial law.

    alpha: (k,); n >= 0; mass in (0, 1). Returns (low, high): the smallest counts at which the distribution
    function reaches (1 - mass)/2 and (1 + mass)/2. Source: standard.
    Deviation: above n = 100,000 the Beta law of equal mean and variance, A' = A (n - 1) / (A + n), stands in.
    """
    a = _one("alpha", alpha)
    n = limits.check_total(n)
    tail = (1 - limits.inside("mass", mass)) / 2
    category = limits.check_category(category, a.size)
    pair = np.array([a[category], sums_of_others(a)[category]])
    if n > _LISTED_COUNTS:
        low, high = interval(pair * ((n - 1) / (pair.sum() + n)), mass, category=0)
        return math.floor(n * low), math.ceil(n * high)
    count = np.arange(n + 1)
    cumulative = np.cumsum(np.exp(log_predictive(pair, np.stack([count, n - count], axis=-1))))
    # Equality is meant: a rounding error must not push the end by one count.
    low, high = np.searchsorted(cumulative, np.array([tail, 1 - tail]) - 1e-12)
    return int(low), int(min(high, n))


def sample(alpha: ArrayLike, rng: np.random.Generator, size: int) -> Floats:
    """Independent draws of theta, (size, k). alpha: (k,). Source: numpy's generator, safe for tiny alpha."""
    a = _one("alpha", alpha)
    return limits.check_generator(rng).dirichlet(a, limits.check_size(size, a.size))


def one_draw_each(alpha: Floats, rng: np.random.Generator) -> Floats:
    """A draw of theta from each Dir(alpha), (N, k) -> (N, k): Gamma(a) = Gamma(a + 1) U^{1/a}, in logs, as with a tiny
    prior all k could underflow otherwise."""
    log_gamma = np.log(rng.standard_gamma(alpha + 1)) - rng.standard_exponential(alpha.shape) / alpha
    theta = np.exp(log_gamma - log_gamma.max(axis=1, keepdims=True))
    return theta / theta.sum(axis=1, keepdims=True)


def _one(name: str, values: ArrayLike) -> Floats:
    """The parameters of one distribution, (k,)."""
    a = limits.dirichlet_parameters(name, values)
    if a.ndim != 1:
        raise ValueError(f"{name} must be the parameters of one distribution, (k,): got shape {a.shape}.")
    return a


def _phi(u: Floats, log_ratio: Floats) -> Floats:
    """u - log(1 + u) >= 0, log(1 + u) given apart because u rounds to -1 where the ratio 1 + u is tiny."""
    near = np.abs(u) < _SERIES_BELOW
    v = np.where(near, u, 0.0)
    series = v * v * np.polyval(1 / _POWERS, -v)
    return np.where(near, series, u - log_ratio)


def _tau(a: ArrayLike) -> Floats:
    """log Gamma(a) - a log a + a, by Stirling's series log(2 pi / a) / 2 + 1/(12 a) - ... above 10."""
    a = np.asarray(a, dtype=np.float64)
    large = np.maximum(a, STIRLING_FROM)
    small = np.minimum(a, STIRLING_FROM)
    exact = special.gammaln(small) - special.xlogy(small, small) + small
    return np.where(a < STIRLING_FROM, exact, np.log(2 * np.pi / large) / 2 + _stirling(large))


def _tau_factorial(c: Floats) -> Floats:
    """log c! - c log c + c = tau(c) + log c, 0 at c = 0."""
    positive = np.maximum(c, 1.0)
    return np.where(c > 0, _tau(positive) + np.log(positive), 0.0)


def _stirling(z: Floats) -> Floats:
    return (np.array(STIRLING) * z[..., None] ** -np.arange(1, 10, 2)).sum(axis=-1)
