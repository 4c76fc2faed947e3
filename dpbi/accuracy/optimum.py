"""The limit of privacy: the least mean distance that any epsilon-DP mechanism can have on average under the prior.

L(prior, n, epsilon) = min over all epsilon-DP mechanisms that release a candidate Dir(alpha + r), sum r = n, of
sum_c P(c) E[H(c, r)], P the Dirichlet-multinomial prior predictive. It uses no private count.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpbi import limits
from dpbi.accuracy.optimum_interpolated import interpolated_optimum
from dpbi.accuracy.optimum_programme import bounds_by_programme
from dpbi.accuracy.order import Measured
from dpbi.frozen_result import FrozenResult, frozen
from dpbi.posterior import affinity_loss, dirichlet, distance_of_loss

_WORK = 160_000_000  # distances that are computed, else the sum is interpolated
_BLOCK = 512  # noisy counts at a time, at least
_COLUMNS = 2 * _BLOCK  # released counts at a time
_ROUNDING = 1e-9  # of the value: it is a sum of products, none of them negative, and H is computed to 1e-11
_WIDEST = 0.02  # of the value: where its bounds lie farther apart, they are given as bounds alone

Kind = Literal["theorem", "linear programme", "none"]


@dataclass(frozen=True, eq=False)
class PrivacyLimit(FrozenResult):
    """The least sum_c P(c) E[H(c, r)] of any epsilon-DP mechanism that releases a candidate, as far as it is known.

    prior, n, epsilon: what was asked; measured: the limit, None where kind is "none": with the half width of a bracket,
    but as an estimate of the error where k = 2 and the sum over t was interpolated, and so are then the bounds;
    ``value`` and ``error`` are its parts; lower, upper: bounds of the
    limit, None where there are none, the upper attained by a mechanism; kind: how it was found; remap: k = 2, for
    t = 0..n the count r_1 to release where truncated geometric noise gives t, which attains the limit (None elsewhere);
    reason: why there is no value.
    """

    prior: tuple[float, ...]
    n: int
    epsilon: float
    measured: Measured | None
    lower: float | None
    upper: float | None
    kind: Kind
    remap: NDArray[np.int64] | None = None
    reason: str = ""

    @property
    def value(self) -> float | None:
        return self.measured.value if self.measured else None

    @property
    def error(self) -> float:
        """|value - limit| at most."""
        return self.measured.error + self.measured.half_width if self.measured else 0.0


def limit_of_privacy(prior: ArrayLike, n: int, epsilon: float) -> PrivacyLimit:
    """L = min sum_c P(c) E[H(c, r)] over all epsilon-DP mechanisms that release a candidate Dir(alpha + r).

    k = 2, a theorem: truncated geometric noise t of c_1 with a deterministic remap is optimal for every loss with
    single crossing, which H has. With a = e^-epsilon, L = sum_t lam_t min_r sum_i P(i) H(i, r) a^|i-t|, lam_t =
    (1 - a) / (1 + a), and 1 / (1 + a) at t = 0 and n. k >= 3: a linear programme over P(r | c), whole or by
    columns, up to a size that is the same on every machine; ``lower`` by its dual made feasible, ``upper`` by a
    mechanism made exactly epsilon-DP. Bounds that lie more than 2 % apart are given as bounds alone.
    prior: (k,); n >= 1; epsilon > 0. Returns a ``PrivacyLimit``. Raises ValueError for bad arguments.
    Source: Ghosh, Roughgarden and Sundararajan 2009 for losses that rise with |i - r|; for single crossing, ours.
    """
    alpha, epsilon = limits.check_prior(prior), limits.check_epsilon(epsilon)
    n = limits.whole_number("n", n, 1, limits.TOTAL_LARGEST)
    if len(alpha) == 2:
        return _by_theorem(alpha, n, epsilon)
    lower, upper, reason = bounds_by_programme(alpha, n, epsilon)
    if lower is None or upper is None or upper - lower > _WIDEST * upper:
        return PrivacyLimit(alpha, n, epsilon, None, lower, upper, "none", reason=reason)
    middle = Measured((lower + upper) / 2, half_width=(upper - lower) / 2)
    return PrivacyLimit(alpha, n, epsilon, middle, lower, upper, "linear programme")


def _by_theorem(prior: tuple[float, ...], n: int, epsilon: float) -> PrivacyLimit:
    found = _least_costs(prior, n, epsilon) if (n + 1) * _BLOCK <= _WORK else None
    if found is None:
        value, error = interpolated_optimum(prior, n, epsilon)
        return PrivacyLimit(prior, n, epsilon, Measured(value, error), value - error, value + error, "theorem")
    cost, remap = found
    value = float(_weights(n, epsilon) @ cost)
    rounded = Measured(value, half_width=_ROUNDING * value)
    return PrivacyLimit(prior, n, epsilon, rounded, value, value, "theorem", remap)


def _weights(n: int, epsilon: float) -> NDArray[np.float64]:
    """lam_t, t = 0..n."""
    weight = np.full(n + 1, math.tanh(epsilon / 2))
    weight[[0, n]] = 1 / (1 + math.exp(-epsilon))
    return weight


def _least_costs(
    prior: tuple[float, ...], n: int, epsilon: float
) -> tuple[NDArray[np.float64], NDArray[np.int64]] | None:
    """min_r sum_i P(i) H(i, r) a^|i-t| and the r that attains it, t = 0..n; None where it is too much work.

    For a block of t the sum is taken over a window of i, which holds the block, and which no other i adds more to than
    _ROUNDING / 10 of the limit together. H(i, r) rises as r leaves the window, so that r within it suffices.
    """
    count = np.arange(n + 1)
    predictive, curvature = _of_data(prior, n)
    windows = _windows(predictive, curvature, epsilon)
    if _work(windows) > _WORK:
        return None
    least, remap = np.full(n + 1, np.inf), np.zeros(n + 1, dtype=np.int64)
    for first, last, low, high in windows:
        i, t = count[low:high + 1], count[first:last + 1]
        for start in range(low, high + 1, _COLUMNS):
            released = count[start:min(start + _COLUMNS, high + 1)]
            weighted = _distances(curvature, i, released) * predictive[i, None]
            cost = _both_sides(weighted, math.exp(-epsilon))[first - low:last - low + 1]
            best = cost.argmin(axis=1)
            found = cost[np.arange(t.size), best]
            better = found < least[t]
            least[t[better]], remap[t[better]] = found[better], released[best[better]]
    return least, np.maximum.accumulate(remap)  # where no count is likely every r is as good


@lru_cache(maxsize=4)
def _of_data(prior: tuple[float, ...], n: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """P(i) and ``_curvature``, the same for every epsilon."""
    count = np.arange(n + 1)
    predictive = np.exp(dirichlet.log_evidence(prior, np.stack([count, n - count], axis=1)))
    return frozen(predictive), frozen(_curvature(prior, n))


def _windows(
    predictive: NDArray[np.float64], curvature: NDArray[np.float64], epsilon: float
) -> list[tuple[int, int, int, int]]:
    """Blocks of t, first and last, and the window of i of each, low and high: of two ways the one with less work.

    What lies below ``low`` weighs a^(t - low + 1) U(low - 1) at t, U(s) = sum_{i <= s} P(i) a^(s - i), most at the
    block's first t; log U(s) + epsilon s never falls with s. Above ``high`` it is the mirror image.
    """
    size = predictive.size
    negligible = _ROUNDING / 10 * _least_limit(predictive, curvature, epsilon) / _weights(size - 1, epsilon).sum() / 2
    log_negligible = math.log(max(negligible, np.finfo(float).tiny))
    below, above = (_reached(weights, epsilon) for weights in (predictive, predictive[::-1]))
    reach = math.ceil(min(-log_negligible / epsilon, size))

    def in_blocks(block: int) -> list[tuple[int, int, int, int]]:
        first = np.arange(0, size, block)
        last = np.minimum(first + block, size) - 1
        low, mirrored = (np.minimum(np.searchsorted(reached, log_negligible + epsilon * t, side="right"), t)
                         for reached, t in ((below, first), (above, size - 1 - last)))
        return list(zip(first.tolist(), last.tolist(), low.tolist(), (size - 1 - mirrored).tolist(), strict=True))

    return min((in_blocks(block) for block in (max(_BLOCK, 2 * reach), size)), key=_work)


def _work(windows: list[tuple[int, int, int, int]]) -> int:
    return sum((high - low + 1) ** 2 for _, _, low, high in windows)


def _reached(predictive: NDArray[np.float64], epsilon: float) -> NDArray[np.float64]:
    """log U(s) + epsilon s = log sum_{i <= s} P(i) e^(epsilon i), s = 0..n."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.logaddexp.accumulate(np.log(predictive) + epsilon * np.arange(predictive.size)))


def _least_limit(predictive: NDArray[np.float64], curvature: NDArray[np.float64], epsilon: float) -> float:
    """A lower bound of the limit: min_r (v H(t, r) + w H(t + 1, r)) >= min(v, w) H(t, t + 1), the triangle's."""
    pair = np.minimum(predictive[:-1], math.exp(-epsilon) * predictive[1:])
    return float(_weights(predictive.size - 1, epsilon)[:-1] @ (pair * distance_of_loss(curvature[1::2] / 2)))


def _curvature(prior: tuple[float, ...], n: int) -> NDArray[np.float64]:
    """G_{j-1} - 2 G_j + G_{j+1}, j = 0..2n, of G_j = log Gamma(alpha_1 + j/2) + log Gamma(alpha_2 + n - j/2)."""
    j = np.arange(1, 2 * n)
    second = np.zeros(2 * n + 1)
    for alpha, places in ((prior[0], j), (prior[1], 2 * n - j)):
        second[1:-1] += 2 * affinity_loss(alpha + (places - 1) / 2, alpha + (places + 1) / 2, 0.5)
    return second


def _distances(curvature: NDArray[np.float64], i: NDArray[np.int64], r: NDArray[np.int64]) -> NDArray[np.float64]:
    """H(i, r), (rows i, columns r): -log BC = (G_{2i} + G_{2r}) / 2 - G_{i+r}, G up to a tangent to keep it small."""
    first = 2 * int(i[0])
    slope = np.cumsum(curvature[first:2 * int(i[-1]) + 1])
    middle = slope.size // 2
    height = np.concatenate([[0.0], np.cumsum(slope - slope[middle])[:-1]])
    height -= height[middle]
    loss = np.add.outer(height[2 * i - first], height[2 * r - first]) / 2
    loss -= height[np.add.outer(i, r) - first]
    return distance_of_loss(loss)


def _both_sides(weighted: NDArray[np.float64], a: float) -> NDArray[np.float64]:
    """sum_i weighted_i a^|i-t| for every t, by rows."""
    up, down = weighted.copy(), weighted.copy()
    for t in range(1, len(weighted)):
        up[t] += a * up[t - 1]
    for t in range(len(weighted) - 2, -1, -1):
        down[t] += a * down[t + 1]
    up += down
    up -= weighted
    return up
