"""The limit of privacy for two categories and many records, its noisy count t sampled, with a standard error."""

from __future__ import annotations

import math

import numpy as np
from numpy.polynomial.legendre import leggauss
from numpy.typing import NDArray

from dpbi.mechanisms.noise.law import TwoSidedGeometric
from dpbi.posterior import dirichlet
from dpbi.posterior.hellinger import affinity_loss, distance_of_loss

_DRAWS = 400_000
_STRATA = 128
_TAIL = 25.0
_SUMMED = 300  # counts to either side of t that are summed one by one; beyond, by quadrature
_NODES = 8
_ALONE = 16
_GRID = 17  # values of r at a time
_FINE = 1_000  # of r, on the scale of the noise: the mean is flat about its least value

Floats = NDArray[np.float64]


def sampled_optimum(prior: tuple[float, ...], n: int, epsilon: float) -> tuple[float, float]:
    """E[min_r E[H(i, r) | T]], T = i plus truncated geometric noise, i ~ P: the value and its standard error.

    The sorted draws of T, from a fixed stream, are cut into strata, narrow at both ends, where the inner mean changes
    most, and one draw of each is visited. The error is that of _DRAWS draws and, from the differences of neighbouring
    strata, of the choice within them. Sums over wide windows become integrals (``_nodes``).
    """
    rng = np.random.default_rng(0)
    share = rng.beta(prior[0], prior[1], size=_DRAWS)
    drawn = rng.binomial(n, share) + TwoSidedGeometric(epsilon).sample(rng, (_DRAWS,))
    sorted_draws = np.sort(np.clip(drawn, 0, n))
    edges = np.rint(_DRAWS * np.sin(np.linspace(0, np.pi / 2, _STRATA + 1)) ** 2).astype(np.int64)
    mass = np.diff(edges) / _DRAWS
    visited = sorted_draws[rng.integers(edges[:-1], edges[1:])]
    least = np.array([_least(prior, n, epsilon, int(t)) for t in visited])
    value = float(mass @ least)
    change = np.diff(least, prepend=least[0], append=least[-1])
    within = float(mass**2 @ (np.abs(change[1:]) + np.abs(change[:-1])) ** 2) / 12
    error = math.sqrt(float(mass @ (least - value) ** 2) / _DRAWS + within)
    wide = math.ceil(_TAIL / epsilon) > _SUMMED
    return value, error + (epsilon**2 / 24 * value if wide else 0.0)


def _least(prior: tuple[float, ...], n: int, epsilon: float, t: int) -> float:
    """min_r E[H(i, r) | t]: the values of r on a grid over the likely i, then ever closer about the best."""
    reach = min(n, math.ceil(_TAIL / epsilon))
    first, last = low, high = max(0, t - reach), min(n, t + reach)
    while True:
        grid = np.unique(np.linspace(first, last, _GRID).round().astype(np.int64))
        cost = _means(prior, n, epsilon, t, grid, low, high)
        best = int(cost.argmin())
        if last - first < max(_GRID, (high - low) / _FINE):
            return float(cost[best])
        first, last = int(grid[max(best - 1, 0)]), int(grid[min(best + 1, grid.size - 1)])


def _means(
    prior: tuple[float, ...], n: int, epsilon: float, t: int, r: NDArray[np.int64], low: int, high: int
) -> Floats:
    """E[H(i, r) | t] for several r, over low <= i <= high."""
    if high - low <= 2 * _SUMMED:
        i, width = np.arange(low, high + 1.0)[None], np.ones((1, 1))
    else:
        i, width = _nodes(low, high, np.stack([np.full_like(r, t), r], axis=-1))
    log_weight = dirichlet.log_predictive(np.array(prior), np.stack([i, n - i], axis=-1)) - epsilon * np.abs(i - t)
    weight = np.exp(log_weight - log_weight.max(axis=-1, keepdims=True)) * width
    gap = (r[:, None] - i) / 2
    loss = (affinity_loss(prior[0] + i, prior[0] + r[:, None], gap)
            + affinity_loss(prior[1] + (n - i), prior[1] + (n - r[:, None]), -gap))
    return np.asarray((weight * distance_of_loss(loss)).sum(axis=-1) / weight.sum(axis=-1))


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
