"""The Hellinger distance between Dirichlet distributions, to the last digit at any size."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpbi.problem import Problem

# From here on the Stirling remainder, cut after its fifth term, is exact to 1e-16.
_STIRLING_FROM = 10.0
_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188)


def hellinger(alpha: ArrayLike, other: ArrayLike) -> NDArray[np.float64]:
    """H = sqrt(1 - BC) with BC = B((a + b)/2) / sqrt(B(a) B(b)), B the multivariate beta function.

    The affinity separates: -log BC = sum_i l(a_i, b_i) - l(sum a, sum b) with
    l(a, b) = [log Gamma(a) + log Gamma(b)] / 2 - log Gamma((a + b)/2) >= 0, and H = sqrt(-expm1(log BC)).

    alpha, other: Dirichlet parameters (..., k), positive, broadcast against each other. Returns (...), in [0, 1].
    Raises ValueError for a parameter that is not positive and finite.
    Source: [D20] section 1 for the distance; the separated form and its rearrangement are ours
    (``affinity_loss``): differences of log-gammas of large numbers would lose all digits.
    """
    a, b = np.broadcast_arrays(_positive("alpha", alpha), _positive("other", other))
    half_gap = (b - a) / 2
    # The totals' gap is the sum of the gaps: summing first would round it away next to large parameters.
    loss = affinity_loss(a, half_gap).sum(axis=-1) - affinity_loss(a.sum(axis=-1), half_gap.sum(axis=-1))
    return distance_of_loss(loss)


def distances_to(problem: Problem, released: ArrayLike) -> NDArray[np.float64]:
    """H between the true posterior Dir(alpha + c) and each released posterior Dir(alpha + r).

    released: counts r >= 0, (..., k) -> (...). The half gaps (r - c)/2 are exact, so that no digit is lost where
    alpha + c and alpha + r are rounded. Source: as ``hellinger``.
    """
    half_gap = (np.asarray(released, dtype=np.int64) - np.array(problem.counts)) / 2
    posterior = np.array(problem.posterior)
    loss = affinity_loss(posterior, half_gap).sum(axis=-1)
    return distance_of_loss(loss - affinity_loss(posterior.sum(), half_gap.sum(axis=-1)))


def distance_of_loss(loss: ArrayLike) -> NDArray[np.float64]:
    """H = sqrt(1 - e^-loss) for a loss -log BC >= 0 (rounding below zero counts as zero)."""
    return np.sqrt(-np.expm1(-np.maximum(loss, 0.0)))


def affinity_loss(a: ArrayLike, half_gap: ArrayLike) -> NDArray[np.float64]:
    """l(a, b) = [log Gamma(a) + log Gamma(b)] / 2 - log Gamma((a + b)/2), where b = a + 2 half_gap.

    a: positive, any shape; half_gap: h = (b - a)/2, given apart because it is often known exactly
    (half a count) where a and b are rounded. Returns the broadcast shape, >= 0, relative error ~1e-14.

    Derivation, with x = (a + b)/2 and u = |h|/x. Gamma(z + 1) = z Gamma(z), applied N times to all three, gives
    l(a, b) = l(a + N, b + N) - sum_{j<N} log((a+j)(b+j)/(x+j)^2)/2, where (a+j)(b+j)/(x+j)^2 = 1 - (h/(x+j))^2:
    every term is positive, nothing cancels. Above N the Stirling series leaves
    l = [(x - 1/2) log(1 - u^2) + 2 |h| atanh(u)]/2 + [s(a) + s(b)]/2 - s(x), s(z) = 1/(12 z) - 1/(360 z^3) + ...,
    in which the second difference of z^-p is x^-p {[(1-u)^-p + (1+u)^-p]/2 - 1}.
    Source: ours (DESIGN section 2 states the two branches for large arguments).
    """
    a, h = np.broadcast_arrays(np.asarray(a, dtype=np.float64), np.asarray(half_gap, dtype=np.float64))
    b = a + 2 * h
    low, high = np.minimum(a, b), np.maximum(a, b)
    h = np.abs(h)
    loss = np.zeros(low.shape)
    small = low < _STIRLING_FROM
    if np.any(small):
        loss[small] = _recurrence(low[small], high[small], h[small])
        low, high = low + small * _STIRLING_FROM, high + small * _STIRLING_FROM
    return loss + _stirling(low, high, h)


def _recurrence(low: NDArray, high: NDArray, h: NDArray) -> NDArray:
    """-sum_{j<N} log((low+j)(high+j)/(x+j)^2)/2."""
    total = np.zeros(low.shape)
    x = low + h
    for j in range(int(_STIRLING_FROM)):
        u = h / (x + j)
        far = u > 0.5  # near u = 1 the product form keeps the digits of a tiny a, elsewhere 1 - u^2 those of a tiny h
        ratio = ((low + j) / (x + j)) * ((high + j) / (x + j))
        total -= np.where(far, np.log(ratio), np.log1p(-np.where(far, 0.0, u * u))) / 2
    return total


def _stirling(low: NDArray, high: NDArray, h: NDArray) -> NDArray:
    x = low + h
    u = h / x
    near = u < 0.5  # where low and high differ little, their logs come from u, elsewhere from the exact quotients
    v = np.where(near, u, 0.0)
    log_below = np.where(near, np.log1p(-v), np.log(low / x))
    log_above = np.where(near, np.log1p(v), np.log(high / x))
    centre = (x - 0.5) * np.where(near, np.log1p(-v * v), log_below + log_above)
    slope = h * np.where(near, 2 * np.arctanh(v), log_above - log_below)
    return (centre + slope) / 2 + _remainder_difference(x, log_below, log_above)


def _remainder_difference(x: NDArray, log_below: NDArray, log_above: NDArray) -> NDArray:
    """[s(a) + s(b)]/2 - s(x), s the Stirling remainder, given log(a/x) and log(b/x)."""
    return sum(coefficient * x**-p * (np.expm1(-p * log_below) + np.expm1(-p * log_above)) / 2
               for coefficient, p in zip(_STIRLING, (1, 3, 5, 7, 9), strict=True))


def _positive(name: str, values: ArrayLike) -> NDArray[np.float64]:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim == 0 or array.shape[-1] < 2:
        raise ValueError(f"{name} must have at least two categories in its last axis: got shape {array.shape}.")
    wrong = ~(np.isfinite(array) & (array > 0))
    if wrong.any():
        raise ValueError(f"{name} must be finite and greater than 0: got {array[wrong][0]!r}.")
    return array
