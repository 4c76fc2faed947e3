"""The Hellinger distance between Dirichlet distributions, to the last digit at any size."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpbi.problem import Problem

# From here on the Stirling remainder, cut after its fifth term, is exact to 1e-16.
STIRLING_FROM = 10.0
_TABULATED = 100_000  # from so many counts on, losses are looked up by value
STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188)


def hellinger(alpha: ArrayLike, other: ArrayLike) -> NDArray[np.float64]:
    """H = sqrt(1 - BC) with BC = B((a + b)/2) / sqrt(B(a) B(b)), B the multivariate beta function.

    The affinity separates: -log BC = sum_i l(a_i, b_i) - l(sum a, sum b) with
    l(a, b) = [log Gamma(a) + log Gamma(b)] / 2 - log Gamma((a + b)/2) >= 0, and H = sqrt(-expm1(log BC)).

    alpha, other: Dirichlet parameters (..., k), positive, broadcast against each other. Returns (...), in [0, 1].
    Raises ValueError for a parameter that is not positive and finite.
    Source: [D20] section 1 for the distance; the separated form and its rearrangements are ours (``affinity_loss``,
    ``_aligned_loss``): differences of log-gammas of large numbers would lose all digits.
    """
    a, b = np.broadcast_arrays(positive_parameters("alpha", alpha), positive_parameters("other", other))
    half_gap = (b - a) / 2
    if not half_gap.sum(axis=-1).any():
        return distance_of_loss(affinity_loss(a, b, half_gap).sum(axis=-1))
    return distance_of_loss(_aligned_loss(a, b, half_gap))


def distances_to(problem: Problem, released: ArrayLike) -> NDArray[np.float64]:
    """H between the true posterior Dir(alpha + c) and each released posterior Dir(alpha + r).

    released: counts r >= 0, (..., k) -> (...). Source: as ``hellinger``.
    """
    r = np.asarray(released, dtype=np.int64)
    prior, counts = np.array(problem.prior), np.array(problem.counts)
    if r.size < _TABULATED:
        loss = count_loss(prior, counts, r).sum(axis=-1)
    else:
        loss = sum(_tabulated_loss(prior[i], counts[i], r[..., i]) for i in range(problem.k))
    return distance_of_loss(loss - count_loss(prior.sum(), problem.n, r.sum(axis=-1)))


def _tabulated_loss(alpha: float, count: int, released: NDArray[np.int64]) -> NDArray[np.float64]:
    """``count_loss`` of many releases of one category: once per value where they crowd a short range."""
    low, high = int(released.min()), int(released.max())
    if high - low >= released.size:
        return count_loss(alpha, count, released)
    return count_loss(alpha, count, np.arange(low, high + 1))[released - low]


def distance_of_loss(loss: ArrayLike) -> NDArray[np.float64]:
    """H = sqrt(1 - e^-loss) for a loss -log BC >= 0 (rounding below zero counts as zero)."""
    return np.sqrt(-np.expm1(-np.maximum(loss, 0.0)))


def count_loss(alpha: ArrayLike, count: ArrayLike, released: ArrayLike) -> NDArray[np.float64]:
    """l(alpha + c, alpha + r), one category's share of -log BC; of the totals with alpha = A, c = n, r = m.

    The half gap (r - c)/2 is exact, so that no digit is lost where alpha + c and alpha + r are rounded.
    """
    half_gap = (np.asarray(released, dtype=np.int64) - np.asarray(count, dtype=np.int64)) / 2
    return affinity_loss(np.add(alpha, count), np.add(alpha, released), half_gap)


def affinity_loss(a: ArrayLike, b: ArrayLike, half_gap: ArrayLike) -> NDArray[np.float64]:
    """l(a, b) = [log Gamma(a) + log Gamma(b)] / 2 - log Gamma((a + b)/2).

    a, b: positive, any shapes; half_gap: h = (b - a)/2, given apart because it is often known exactly (half a count)
    where a and b are rounded. Returns the broadcast shape, >= 0, relative error ~1e-14.

    Derivation, with x = (a + b)/2 and u = |h|/x. Gamma(z + 1) = z Gamma(z), applied N times to all three, gives
    l(a, b) = l(a + N, b + N) - sum_{j<N} log((a+j)(b+j)/(x+j)^2)/2, where (a+j)(b+j)/(x+j)^2 = 1 - (h/(x+j))^2:
    every term is positive, nothing cancels. Above N the Stirling series leaves
    l = [(x - 1/2) log(1 - u^2) + 2 |h| atanh(u)]/2 + [s(a) + s(b)]/2 - s(x), s(z) = 1/(12 z) - 1/(360 z^3) + ....
    Source: ours (DESIGN section 2 states the two branches for large arguments).
    """
    a, b, h = (np.asarray(value, dtype=np.float64) for value in np.broadcast_arrays(a, b, half_gap))
    low, high, h = np.minimum(a, b), np.maximum(a, b), np.abs(h)
    loss = np.zeros(low.shape)
    small = low < STIRLING_FROM
    if np.any(small):
        loss[small] = _recurrence(low[small], high[small], h[small])
        low, high = low + small * STIRLING_FROM, high + small * STIRLING_FROM
    return loss + _stirling(low, high, h)


def _aligned_loss(a: NDArray, b: NDArray, h: NDArray) -> NDArray[np.float64]:
    """-log BC where the totals differ, so that sum_i l(a_i, b_i) and l(A, B) may nearly cancel.

    The part of l that grows with its arguments is x phi(u), phi(u) = [(1+u) log(1+u) + (1-u) log(1-u)]/2, phi' = atanh.
    With X = sum x_i and U = sum h_i / X the linear terms drop out of sum_i x_i phi(u_i) - X phi(U), which leaves
    Bregman terms x_i {(1+U) psi[(u_i-U)/(1+U)] + (1-U) psi[(U-u_i)/(1-U)]}/2, psi(d) = (1+d) log(1+d) - d, all >= 0.
    """
    x = (a + b) / 2
    total_a, total_b, total_h, total_x = (value.sum(axis=-1, keepdims=True) for value in (a, b, h, x))
    up, down = total_b / total_x, total_a / total_x  # 1 + U and 1 - U
    # x_i (u_i - U) = (h_i X_-i - x_i h_-i) / X, sums over the others: beside one huge x_i, u_i - U rounds to noise.
    gap = (h * sums_of_others(x) - x * sums_of_others(h)) / total_x
    growing = x * (up * _psi(gap / x / up, b / x / up) + down * _psi(-gap / x / down, a / x / down)) / 2
    return growing.sum(axis=-1) + _rest(a, b, h).sum(axis=-1) - _rest(total_a, total_b, total_h)[..., 0]


def _rest(a: NDArray, b: NDArray, h: NDArray) -> NDArray:
    """l(a, b) - x phi(u), never by subtracting large numbers.

    With a small argument moved up by N as in ``affinity_loss``, it is the recurrence's sum, plus -log(1 - u^2)/4 and
    the Stirling remainders there, plus the change of x phi(u) by the move,
    sum over z = a, b of {z [log(1 + N/z) - log(1 + N/x)] + N log[(z + N)/(x + N)]}/2. Where a and b differ little, the
    first-order terms of that sum would cancel; both phi are of second order then and are subtracted as they are.
    """
    low, high, h = np.minimum(a, b), np.maximum(a, b), np.abs(h)
    x = low + h
    up = np.where(low < STIRLING_FROM, STIRLING_FROM, 0.0)
    near = np.where(h < x / 2, h, 0.0)
    change = sum(z * (np.log1p(up / z) - np.log1p(up / x)) + up * np.log((z + up) / (x + up)) for z in (low, high)) / 2
    moved = np.where(h < x / 2, (x + up) * _phi(near / (x + up)) - x * _phi(near / x), change)
    low_up, high_up, x_up = low + up, high + up, x + up
    u = h / x_up
    log_product = np.where(u < 0.5, np.log1p(-np.minimum(u, 0.5) ** 2), np.log(low_up / x_up) + np.log(high_up / x_up))
    recurrence = np.where(up > 0, _recurrence(low, high, h), 0.0)
    return recurrence + moved - log_product / 4 + _remainder_difference(low_up, high_up, x_up, h)


def _phi(u: NDArray) -> NDArray:
    """[(1+u) log(1+u) + (1-u) log(1-u)]/2 = [log(1 - u^2) + 2 u atanh(u)]/2, for |u| <= 1/2."""
    return (np.log1p(-u * u) + 2 * u * np.arctanh(u)) / 2


def _psi(d: NDArray, one_plus_d: NDArray) -> NDArray:
    """(1 + d) log(1 + d) - d; where d is small by its series sum_{p>=2} (-d)^p / (p (p - 1))."""
    near = np.where(np.abs(d) < 0.1, d, 0.0)
    series = near * near * sum((-near) ** p / ((p + 2) * (p + 1)) for p in range(16))
    return np.where(np.abs(d) < 0.1, series, one_plus_d * np.log(one_plus_d) - d)


def _recurrence(low: NDArray, high: NDArray, h: NDArray) -> NDArray:
    """-sum_{j<N} log((low+j)(high+j)/(x+j)^2)/2."""
    total = np.zeros(low.shape)
    x = low + h
    for j in range(int(STIRLING_FROM)):
        u = h / (x + j)
        far = u > 0.5  # near u = 1 the product form keeps the digits of a tiny a, elsewhere 1 - u^2 those of a tiny h
        ratio = ((low + j) / (x + j)) * ((high + j) / (x + j))
        total -= np.where(far, np.log(ratio), np.log1p(-np.where(far, 0.0, u * u))) / 2
    return total


def _stirling(low: NDArray, high: NDArray, h: NDArray) -> NDArray:
    x = low + h
    u = h / x
    far = u >= 0.5  # where the arguments differ much, logs of quotients keep the digits that 1 - u has lost
    v = np.where(far, 0.0, u) if far.any() else u
    loss = np.asarray(((x - 0.5) * np.log1p(-v * v) + h * (np.log1p(v) - np.log1p(-v))) / 2)
    if far.any():
        log_below, log_above = np.log(low[far] / x[far]), np.log(high[far] / x[far])
        loss[far] = ((x[far] - 0.5) * (log_below + log_above) + h[far] * (log_above - log_below)) / 2
    return loss + _remainder_difference(low, high, x, h)


def _remainder_difference(low: NDArray, high: NDArray, x: NDArray, h: NDArray) -> NDArray:
    """[s(a) + s(b)]/2 - s(x), s the Stirling remainder.

    Its digits count beside l >= h^2 / 2x: they do for h >= 1/4, a step of half a count; for a smaller h the second
    difference of each z^-p is taken as x^-p {[(1-u)^-p + (1+u)^-p]/2 - 1}.
    """
    difference = np.asarray((_remainder(low) + _remainder(high)) / 2 - _remainder(x))
    tiny = (h > 0) & (h < 0.25)
    if tiny.any():
        x, u = x[tiny], h[tiny] / x[tiny]
        difference[tiny] = sum(
            coefficient * x**-p * (np.expm1(-p * np.log1p(-u)) + np.expm1(-p * np.log1p(u))) / 2
            for coefficient, p in zip(STIRLING, (1, 3, 5, 7, 9), strict=True)
        )
    return difference


def _remainder(z: NDArray) -> NDArray:
    """s(z) = 1/(12 z) - 1/(360 z^3) + ..."""
    inverse = 1 / z
    square = inverse * inverse
    total = np.full(np.shape(z), STIRLING[-1])
    for coefficient in STIRLING[-2::-1]:
        total = total * square + coefficient
    return total * inverse


def sums_of_others(a: NDArray) -> NDArray:
    """sum_{j != i} a_j, without subtracting a_i from the total."""
    before = np.zeros_like(a)
    before[..., 1:] = np.cumsum(a[..., :-1], axis=-1)
    after = np.zeros_like(a)
    after[..., :-1] = np.cumsum(a[..., :0:-1], axis=-1)[..., ::-1]
    return before + after


def positive_parameters(name: str, values: ArrayLike) -> NDArray[np.float64]:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim == 0 or array.shape[-1] < 2:
        raise ValueError(f"{name} must have at least two categories in its last axis: got shape {array.shape}.")
    wrong = ~(np.isfinite(array) & (array > 0))
    if wrong.any():
        raise ValueError(f"{name} must be finite and greater than 0: got {array[wrong][0]!r}.")
    return array
