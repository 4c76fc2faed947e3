"""The limit of privacy for two categories and many records: the theorem's sum, interpolated between some of its t."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.polynomial.legendre import leggauss
from numpy.typing import NDArray

from dpbi.posterior import affinity_loss, dirichlet, distance_of_loss

if TYPE_CHECKING:
    from scipy.interpolate import CubicSpline

# Of visited t, from either end and from where the prior expects the count, beyond _SPREADS: at log(1 / alpha) / epsilon
# the best r leaves the end within 1 / epsilon, which wide noise makes smooth.
_GROWTH, _GROWTH_OF_WIDE, _WIDE = (1.1, 1.2), (1.25, 1.35), 50.0
_SPREADS, _PER_SPREAD = 12, 4  # standard deviations to either side of that which are visited, and how finely
_PART = 0.15  # of the noise's width, 1 / epsilon
_SURE = 3  # times what leaving out every other t changes
_KINKS = 3e-4  # of the value: what the whole numbers that r has to be can make of it without showing in that
_LOST = 90.0  # e^-90 of the largest term is no term
_TAIL = 60.0
_SUMMED = 300  # counts to either side of t that are summed one by one; beyond, by quadrature
_NODES = 8
_ALONE = 16
_GRID = 17  # values of r at a time
_FINE = 1_000  # of r, on the scale of the noise: the mean is flat about its least value

Floats = NDArray[np.float64]


def interpolated_optimum(prior: tuple[float, ...], n: int, epsilon: float) -> tuple[float, float]:
    """sum_t lam_t min_r sum_i P(i) H(i, r) a^|i-t|: the value and what leaving out every other t would have changed.

    The logarithm of a term is interpolated in t by a cubic spline. The error is thrice that change, no less than 3e-4
    of the value; where the noise is wide a kink between visited t, where the best r jumps, adds up to a sixth of the
    square of their gap on the noise's scale. Sums over wide windows of i become integrals (``_nodes``).
    """
    from scipy.interpolate import CubicSpline

    t = _visited(prior, n, epsilon)
    log_term = np.array([_log_least(prior, n, epsilon, int(at)) for at in t])
    if log_term.max() == -math.inf:  # a itself is no double
        return 0.0, 0.0
    log_term = np.maximum(log_term, log_term.max() - _LOST) + math.log(math.tanh(epsilon / 2))
    ends = (t == 0) | (t == n)
    inner = np.flatnonzero(~ends)
    at_ends = float(np.exp(log_term[ends]).sum()) / -math.expm1(-epsilon)  # lam_0 is the others' / (1 - a)
    alone = (np.minimum(inner, t.size - 1 - inner) <= _ALONE) | (inner == inner[-1])
    fine, coarse = (at_ends + _sum_between(CubicSpline(t[kept], log_term[kept]), t[kept])
                    for kept in (inner, inner[alone | (inner % 2 == 0)]))
    wide = _PART / epsilon > 1 or math.ceil(_TAIL / epsilon) > _SUMMED
    unseen = _KINKS + (epsilon**2 / 24 + _PART**2 / 6 if wide else 0.0)
    return fine, _SURE * abs(fine - coarse) + unseen * fine


def _visited(prior: tuple[float, ...], n: int, epsilon: float) -> NDArray[np.int64]:
    """Whole t of 0..n: ever farther apart from the ends and from where the prior expects the count.

    Within a part of the noise's width a term hardly changes.
    """
    total = sum(prior)
    share = prior[0] / total
    spread = max(math.sqrt(n * share * (1 - share) * (total + n) / (total + 1)), 1.0)
    at_ends, around = _GROWTH_OF_WIDE if 1 / epsilon > _WIDE else _GROWTH
    steps = np.concatenate([np.arange(2 * _ALONE), 2 * _ALONE * at_ends ** np.arange(math.log(n + 1, at_ends))])
    near = spread * np.concatenate([np.arange(0, _SPREADS, 1 / _PER_SPREAD),
                                    _SPREADS * around ** np.arange(math.log(n + 1, around))])
    centre = n * share
    places = np.concatenate([steps, n - steps, centre + near, centre - near])
    if (closest := _PART / epsilon) > 1:
        places = np.concatenate([np.rint(places / closest) * closest, [0, 1, n - 1, n]])
    return np.unique(np.clip(np.rint(places), 0, n).astype(np.int64))


def _sum_between(log_term: CubicSpline, t: NDArray[np.int64]) -> float:
    """The sum over whole numbers from the first of t to the last: one by one, or by Euler and Maclaurin's formula."""
    term = np.exp(log_term(t))
    slope = term * log_term(t, 1)
    gap = np.diff(t)
    many = gap > _ALONE
    x, w = leggauss(_NODES)
    half, middle = gap[many, None] / 2, (t[1:] + t[:-1])[many, None] / 2
    integrals = float((np.exp(log_term(middle + half * x)) * half * w).sum())
    between = [np.arange(at + 1, at + by) for at, by in zip(t[:-1][~many], gap[~many], strict=True)]
    single = float(np.exp(log_term(np.concatenate(between))).sum()) if between else 0.0
    ends = (term[0] + term[-1] + float((term[1:] + term[:-1])[~many].sum())) / 2
    return ends + single + integrals + float(np.diff(slope)[many].sum()) / 12


def _log_least(prior: tuple[float, ...], n: int, epsilon: float, t: int) -> float:
    """log min_r sum_i P(i) H(i, r) a^|i-t|: r on a grid over the likely i, then ever closer about the best."""
    reach = min(n, math.ceil(_TAIL / epsilon))
    first, last = low, high = max(0, t - reach), min(n, t + reach)
    while True:
        grid = np.unique(np.linspace(first, last, _GRID).round().astype(np.int64))
        cost = _log_sums(prior, n, epsilon, t, grid, low, high)
        best = int(cost.argmin())
        if last - first < max(_GRID, (high - low) / _FINE):
            return float(cost[best])
        first, last = int(grid[max(best - 1, 0)]), int(grid[min(best + 1, grid.size - 1)])


def _log_sums(
    prior: tuple[float, ...], n: int, epsilon: float, t: int, r: NDArray[np.int64], low: int, high: int
) -> Floats:
    """log sum_i P(i) H(i, r) a^|i-t| for several r, over low <= i <= high."""
    if high - low <= 2 * _SUMMED:
        i, width = np.arange(low, high + 1.0)[None], np.ones((1, 1))
    else:
        i, width = _nodes(low, high, np.stack([np.full_like(r, t), r], axis=-1))
    log_weight = dirichlet.log_predictive(np.array(prior), np.stack([i, n - i], axis=-1)) - epsilon * np.abs(i - t)
    largest = log_weight.max(axis=-1)
    weight = np.exp(log_weight - largest[:, None]) * width
    gap = (r[:, None] - i) / 2
    loss = (affinity_loss(prior[0] + i, prior[0] + r[:, None], gap)
            + affinity_loss(prior[1] + (n - i), prior[1] + (n - r[:, None]), -gap))
    with np.errstate(divide="ignore"):
        return np.asarray(largest + np.log((weight * distance_of_loss(loss)).sum(axis=-1)))


def _nodes(low: int, high: int, kinks: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Places and weights, (rows, places), for sums over low..high of what is smooth but at the ends and two kinks.

    The sum over whole numbers between two half ones is the integral, up to a 24th of the change of slope, and
    Gauss-Legendre's; panels grow fourfold from either end, where powers of i begin, and from r, the second kink, where
    H can be narrower by far than the noise. The _ALONE outermost numbers at
    either end stand alone, and so do the kinks, as panels of width 1.
    """
    first, last = low + _ALONE - 0.5, high - _ALONE + 0.5
    growth = np.floor(_ALONE * 4.0 ** np.arange(math.log(high - low, 4)))
    inner = np.unique(np.clip([first, last, *(first + growth), *(last - growth)], first, last))
    t, r = kinks[:, :1], kinks[:, 1:]
    around = np.clip(np.concatenate([t - 0.5, t + 0.5, r - 0.5, r + 0.5, r - 0.5 - growth, r + 0.5 + growth], axis=-1),
                     first, last)
    edges = np.sort(np.concatenate([np.tile(inner, (len(kinks), 1)), around], axis=-1), axis=-1)
    half, middle = np.diff(edges)[..., None] / 2, (edges[:, 1:] + edges[:, :-1])[..., None] / 2
    x, w = leggauss(_NODES)
    places = (middle + np.where(half > 0.5, half, 0.0) * x).reshape(len(kinks), -1)
    ends = np.concatenate([low + np.arange(_ALONE), high - np.arange(_ALONE)])
    alone = np.tile(ends.astype(float), (len(kinks), 1))
    return (np.concatenate([places, alone], axis=-1),
            np.concatenate([(half * w).reshape(len(kinks), -1), np.ones_like(alone)], axis=-1))
