"""The Hellinger distance between Dirichlet distributions, to the last digit at any size."""

import math
from collections.abc import Callable, Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpbi import limits
from dpbi.frozen_result import frozen
from dpbi.problem.problem import Problem

# From here on the Stirling remainder, cut after its fifth term, is right to 2e-14, and its second differences to less.
STIRLING_FROM = 10.0
_STEPS = np.arange(STIRLING_FROM)[:, None]
_RECURRENCE_ROWS = 1024
_REMEMBERED = 128  # numbers: losses of so few are kept, at most 32 MB of them
_TABULATED = 100_000  # from so many counts on, losses are looked up by value
_SQUARE = 256  # counts below which losses of many datasets are looked up, and kept by value
_APART = 16  # numbers of a table per release: beyond, looking up costs more than computing
STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188)
_CANCELLED = 1e-3  # a difference below this share of its terms has lost too many digits
_CHUNK = 1 << 18  # parameters in work at a time
_NEARLY_EQUAL = 2e-3  # of |b - a| / (b + a): the series' fourth term is below 1e-17 of the first
_DOMINATED = 0.5  # one category holds all but at most so much of the parameters
# Multipliers that scatter whole numbers over 64 bits (Steele, Lea and Flood 2014; Weyl's for the golden ratio)
_ODD = tuple(map(np.uint64, (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 0xD6E8FEB86659FD93)))
_BERNOULLI = (1, -1 / 2, 1 / 6, 0, -1 / 30, 0, 1 / 42, 0, -1 / 30, 0, 5 / 66, 0, -691 / 2730)
# c_n of log Gamma(z + t) - log Gamma(z) = t log z + sum_n c_n(t) z^-n, lowest power first
_GAMMA_RATIO = [
    np.polynomial.Polynomial([0.0] + [(-1) ** (n + 1) * math.comb(n + 1, n + 1 - p) * _BERNOULLI[n + 1 - p]
                                      / (n * (n + 1)) for p in range(1, n + 2)])
    for n in range(1, 13)
]


def hellinger(alpha: ArrayLike, other: ArrayLike) -> NDArray[np.float64]:
    """H = sqrt(1 - BC) with BC = B((a + b)/2) / sqrt(B(a) B(b)), B the multivariate beta function.

    The affinity separates: -log BC = sum_i l(a_i, b_i) - l(sum a, sum b) with
    l(a, b) = [log Gamma(a) + log Gamma(b)] / 2 - log Gamma((a + b)/2) >= 0, and H = sqrt(-expm1(log BC)).

    alpha, other: Dirichlet parameters (..., k), positive, broadcast against each other. Returns (...), in [0, 1], with
    a relative error below 1e-11, however near the two are (tests: 50 digits and more, over all of the range).
    Raises ValueError for a parameter that is not positive or lies outside [1e-30, 1e18], where nothing was tested.
    Source: [D20] section 1 for the distance; the separated form and its rearrangements are ours (``affinity_loss``,
    ``_cancelled_loss``): differences of log-gammas of large numbers would lose all digits.
    """
    a, b = limits.broadcast_pair(
        "alpha and other", limits.dirichlet_parameters("alpha", alpha), limits.dirichlet_parameters("other", other))
    return _distances(a, b, (b - a) / 2)


def _distances(a: NDArray, b: NDArray, half_gap: NDArray) -> NDArray[np.float64]:
    """H between Dir(a) and Dir(b), (..., k) -> (...); half_gap: (b - a)/2."""
    shape, k = a.shape[:-1], a.shape[-1]
    a, b, h = (value.reshape(-1, k) for value in (a, b, half_gap))
    loss = np.empty(a.shape[0])
    for rows in chunks(*a.shape, _CHUNK):
        loss[rows] = _loss(a[rows], b[rows], h[rows])
    return distance_of_loss(loss.reshape(shape))


def distances_to(problem: Problem, released: ArrayLike) -> NDArray[np.float64]:
    """H between the true posterior Dir(alpha + c) and each released posterior Dir(alpha + r).

    released: counts r >= 0, (..., k) -> (...), checked by whoever took them in. Source: as ``hellinger``.
    """
    r = np.asarray(released, dtype=np.int64, order="C")
    prior, counts = np.array(problem.prior), np.array(problem.counts)
    if r.size < _TABULATED:
        losses = count_loss(prior, counts, r)
    else:
        losses = np.empty(r.shape)
        for kind in kinds_of_categories(problem):
            losses[..., kind] = tabulated_loss(prior[kind[0]], counts[kind[0]], r[..., kind])
    return distance_of_loss(loss_to(problem, r, losses.sum(axis=-1)))


def distances_between(
    prior: ArrayLike, counts: NDArray[np.int64], released: NDArray[np.int64]
) -> NDArray[np.float64]:
    """H between Dir(alpha + c) and Dir(alpha + r): as ``distances_to``, of many datasets.

    prior alpha: (k,); counts c, released r >= 0: (..., k), broadcast against each other, checked by whoever took them
    in. Returns (...).
    """
    alpha, (c, r) = np.array(prior, dtype=np.float64), np.broadcast_arrays(counts, released)
    shape, (c, r) = c.shape[:-1], (one.reshape(-1, alpha.size) for one in (c, r))
    largest = max(int(c.max(initial=0)), int(r.max(initial=0)))
    side = 1 << largest.bit_length()  # of few lengths, so that one is found again
    looked_up = side <= _SQUARE and side**2 <= c.size
    loss = np.empty(len(c))
    for rows in chunks(*c.shape, _CHUNK):
        loss[rows] = _loss_between(alpha, c[rows], r[rows], side if looked_up else 0)
    return distance_of_loss(loss.reshape(shape))


def _loss_between(prior: NDArray, c: NDArray, r: NDArray, side: int) -> NDArray[np.float64]:
    """As ``_loss``, of counts and releases (rows, k); side: below which all counts are that are looked up, or 0."""
    summed = np.zeros(len(c))
    for alpha, here, there in zip(prior.tolist(), c.T, r.T, strict=True):
        summed += _square(alpha, side)[here, there] if side else count_loss(alpha, here, there)
    n, m = c.sum(axis=1), r.sum(axis=1)
    off = np.flatnonzero(n != m)
    loss = summed.copy()
    loss[off] -= count_loss(prior.sum(), n[off], m[off])
    cancelled = off[loss[off] < _CANCELLED * summed[off]]
    if cancelled.size:
        c, r = c[cancelled], r[cancelled]
        loss[cancelled] = _cancelled_loss(prior + c, prior + r, (r - c) / 2)
    return loss


@lru_cache(maxsize=32)
def _square(alpha: float, side: int) -> NDArray[np.float64]:
    """``count_loss`` of all counts below ``side``: (side, side), half a megabyte at most."""
    counts = np.arange(side)
    return frozen(count_loss(alpha, counts[:, None], counts))


def kinds_of_categories(problem: Problem) -> list[list[int]]:
    """The positions of the categories that agree in prior parameter and count, a list for each such pair."""
    kinds: dict[tuple[float, int], list[int]] = {}
    for i, pair in enumerate(zip(problem.prior, problem.counts, strict=True)):
        kinds.setdefault(pair, []).append(i)
    return list(kinds.values())


def loss_to(problem: Problem, released: NDArray[np.int64], summed: NDArray[np.float64]) -> NDArray[np.float64]:
    """-log BC between Dir(alpha + c) and Dir(alpha + r), whose total need not be n, to the last digit.

    released: (..., k); summed: (...), the sum over categories of ``count_loss``, which is -log BC where the total
    is n. Elsewhere ``count_loss`` of the totals is taken from it, and where the two nearly cancel they are computed
    together (``_aligned_loss``, ``_dominated_loss``).
    """
    total = released.sum(axis=-1)
    off = np.flatnonzero(total != problem.n)
    if not off.size:
        return summed
    prior, counts = np.array(problem.prior), np.array(problem.counts)
    loss = np.array(summed, dtype=np.float64).reshape(-1)
    r, all_terms = released.reshape(-1, problem.k), loss[off]
    loss[off] -= tabulated_loss(prior.sum(), problem.n, total.reshape(-1)[off])
    cancelled = off[loss[off] < _CANCELLED * all_terms]
    for rows in chunks(cancelled.size, problem.k, _CHUNK):
        some = r[cancelled[rows]]
        a = np.broadcast_to(prior + counts, some.shape)
        loss[cancelled[rows]] = _cancelled_loss(a, prior + some, (some - counts) / 2)
    return loss.reshape(total.shape)


def _loss(a: NDArray, b: NDArray, h: NDArray) -> NDArray[np.float64]:
    """-log BC, (rows, k) -> (rows,): sum_i l(a_i, b_i) - l(sum a, sum b), or the two together where they cancel."""
    summed = affinity_loss(a, b, h).sum(axis=-1)
    loss = summed - affinity_loss(a.sum(axis=-1), b.sum(axis=-1), h.sum(axis=-1))
    cancelled = loss < _CANCELLED * summed
    if cancelled.any():
        loss[cancelled] = _cancelled_loss(a[cancelled], b[cancelled], h[cancelled])
    return loss


def chunks(rows: int, columns: int, most: int = 1 << 20) -> Iterator[slice]:
    """Slices of rows that make tables of at most ``most`` numbers."""
    step = max(1, most // columns)
    return (slice(start, start + step) for start in range(0, rows, step))


def tabulated_loss(alpha: float, count: int, released: NDArray[np.int64]) -> NDArray[np.float64]:
    """``count_loss`` of many releases of one kind of category: once per value, unless the values lie far apart."""
    if not released.size:
        return np.zeros(released.shape)
    low, high = int(released.min()), int(released.max())
    if high - low >= _APART * released.size:
        return count_loss(alpha, count, released)
    offset = released - low
    there = np.zeros(high - low + 1, dtype=bool)
    there[offset] = True
    table = np.empty(there.size)
    table[there] = count_loss(alpha, count, low + np.flatnonzero(there))
    return table[offset]


def identity(alpha: float, count: int, released: NDArray[np.int64]) -> NDArray[np.uint64]:
    """A number that stands for the pair {alpha + c, alpha + r} in any order; 0 where r = c.

    l(a, b) = l(b, a) and l(a, a) = 0: releases of one total whose pairs agree, in whatever categories, are at the same
    distance, and so have the same sum of these numbers modulo 2^64. Two that differ have the same sum by chance alone,
    once in 2^64. alpha is its whole part and the rest: nothing is rounded.
    """
    whole, rest = divmod(alpha, 1.0)
    low, high = (int(whole) + end(count, released) for end in (np.minimum, np.maximum))
    with np.errstate(over="ignore"):  # modulo 2^64 is meant
        mixed = low.astype(np.uint64) * _ODD[0] + high.astype(np.uint64) * _ODD[1]
        mixed += np.float64(rest).view(np.uint64) * _ODD[2]
        for _ in range(2):
            mixed ^= mixed >> np.uint64(32)
            mixed *= _ODD[3]
        mixed ^= mixed >> np.uint64(32)
    return np.where(low == high, np.uint64(0), mixed)


def identities(problem: Problem, released: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Of each release (..., k), of any total, the sum of its categories' ``identity``: equal ones are equally far."""
    total = released.sum(axis=-1)
    alike = (total - problem.n).astype(np.uint64) * _ODD[0]
    for i, (alpha, count) in enumerate(zip(problem.prior, problem.counts, strict=True)):
        alike += identity(alpha, count, released[..., i])
    return alike


def distance_of_loss(loss: ArrayLike) -> NDArray[np.float64]:
    """H = sqrt(1 - e^-loss) for a loss -log BC >= 0 (rounding below zero counts as zero)."""
    return np.sqrt(-np.expm1(-np.maximum(loss, 0.0)))


def count_loss(alpha: ArrayLike, count: ArrayLike, released: ArrayLike) -> NDArray[np.float64]:
    """l(alpha + c, alpha + r), one category's share of -log BC; of the totals with alpha = A, c = n, r = m.

    The half gap (r - c)/2 is exact, so that no digit is lost where alpha + c and alpha + r are rounded.
    """
    half_gap = (np.asarray(released, dtype=np.int64) - np.asarray(count, dtype=np.int64)) / 2
    return affinity_loss(np.add(alpha, count), np.add(alpha, released), half_gap)


def loss_above_next(a: NDArray | float, b: NDArray, gap: NDArray | float) -> NDArray[np.float64]:
    """l(a, b) - l(a + 1, b + 1) = -log(a b / x^2) / 2 > 0, x = (a + b)/2: Gamma(z + 1) = z Gamma(z), thrice.

    gap: |b - a|, given apart as it is often known exactly. Steps of an own sign add up without loss, from large
    arguments downwards.
    """
    u = gap / (a + b)
    far = u > 0.5
    step = np.where(far, np.log(4 * (a / (a + b)) * (b / (a + b))), np.log1p(-np.where(far, 0.0, u * u)))
    return -step / 2


def affinity_loss(a: ArrayLike, b: ArrayLike, half_gap: ArrayLike) -> NDArray[np.float64]:
    """l(a, b) = [log Gamma(a) + log Gamma(b)] / 2 - log Gamma((a + b)/2).

    a, b: positive, any shapes; half_gap: h = (b - a)/2, given apart because it is often known exactly (half a count)
    where a and b are rounded. Returns the broadcast shape, >= 0, relative error ~1e-14.

    Derivation, with x = (a + b)/2 and u = |h|/x. Gamma(z + 1) = z Gamma(z), applied N times to all three, gives
    l(a, b) = l(a + N, b + N) - sum_{j<N} log((a+j)(b+j)/(x+j)^2)/2, where (a+j)(b+j)/(x+j)^2 = 1 - (h/(x+j))^2:
    every term is positive, nothing cancels. Above N the Stirling series leaves
    l = [(x - 1/2) log(1 - u^2) + 2 |h| atanh(u)]/2 + [s(a) + s(b)]/2 - s(x), s(z) = 1/(12 z) - 1/(360 z^3) + ....
    Source: ours (README, "Hellinger distance").
    """
    a, b, h = (np.asarray(value, dtype=np.float64) for value in (a, b, half_gap))
    if not a.shape == b.shape == h.shape:  # the test costs a tenth of what broadcasting does
        a, b, h = np.broadcast_arrays(a, b, h)
    if a.size > _REMEMBERED:
        return _computed_loss(a, b, h)
    return np.array(_remembered_loss(a.shape, a.tobytes(), b.tobytes(), h.tobytes()))


@lru_cache(maxsize=8192)
def _remembered_loss(shape: tuple[int, ...], *written: bytes) -> NDArray[np.float64]:
    """Of one problem the same few losses are asked for by every sensitivity and mechanism."""
    return _computed_loss(*(np.frombuffer(one).reshape(shape) for one in written))


def _computed_loss(a: NDArray, b: NDArray, h: NDArray) -> NDArray[np.float64]:
    low, high, h = np.minimum(a, b), np.maximum(a, b), np.abs(h)
    loss = np.zeros(low.shape)
    small = low < STIRLING_FROM
    if np.any(small):
        loss[small] = _recurrence(low[small], high[small], h[small])
        low, high = low + small * STIRLING_FROM, high + small * STIRLING_FROM
    return loss + _stirling(low, high, h)


def _cancelled_loss(a: NDArray, b: NDArray, h: NDArray) -> NDArray[np.float64]:
    """-log BC, (rows, k) -> (rows,), where sum_i l(a_i, b_i) and l(sum a, sum b) nearly cancel."""
    top = (a + b).argmax(axis=-1)[:, None]
    others = [np.take_along_axis(sums_of_others(value), top, axis=-1)[:, 0] for value in (a, b)]
    near = (2 * np.abs(h) < _NEARLY_EQUAL * (a + b)).all(axis=-1)
    dominated = ~near & (np.maximum(*others) <= _DOMINATED)
    loss = np.empty(dominated.shape)
    for rows, function in ((near, _near_loss), (dominated, _dominated_loss), (~near & ~dominated, _aligned_loss)):
        if rows.any():
            loss[rows] = function(a[rows], b[rows], h[rows])
    return loss


def _dominated_loss(a: NDArray, b: NDArray, h: NDArray) -> NDArray[np.float64]:
    """-log BC where one category holds nearly all: the losses of the others, less what they add to its own.

    A tiny prior beside a count that falls from 1e9 to 10 has a loss of the order of that prior; ``_aligned_loss``
    would find it as a difference of terms near 10. With t, t + 2 d the sums of the other parameters, it is
    sum_{i != top} l(a_i, b_i) - [l(a + t, b + t + 2 d) - l(a, b)], and for sums up to 1/2 what is subtracted is at
    most about half the rest or negative.
    """
    top = (a + b).argmax(axis=-1)[:, None]
    losses = affinity_loss(a, b, h)
    np.put_along_axis(losses, top, 0.0, axis=-1)
    own = (np.take_along_axis(value, top, axis=-1)[:, 0] for value in (a, b, h))
    added = (np.take_along_axis(sums_of_others(value), top, axis=-1)[:, 0] for value in (a, b, h))
    return losses.sum(axis=-1) - _loss_added(*own, *added)


def _loss_added(a: NDArray, b: NDArray, h: NDArray, t: NDArray, t_b: NDArray, d: NDArray) -> NDArray[np.float64]:
    """l(a + t, b + t_b) - l(a, b) for small t and t_b = t + 2 d, b = a + 2 h.

    With x = (a + b)/2 and m = t + d, raising all arguments by one changes it by log[(1 - U^2)/(1 - u^2)]/2,
    u = h/x, U = (h + d)/(x + m), U - u = (d x - h m)/(x (x + m)): ten steps up, the arguments are large enough for
    log Gamma(z + t) - log Gamma(z) = t log z + sum_n c_n(t) z^-n, (-1)^(n+1) n (n+1) c_n(t) = B_{n+1}(t) - B_{n+1}
    (Bernoulli polynomials). Its terms are second differences, taken as such: those of t log z are
    m log(1 - u^2)/2 + d atanh(u), those of c_n(t) z^-n a mean of c_n times a second difference of powers, and so on.
    """
    x, m = a + h, t + d
    total = np.zeros(a.shape)
    steps = np.where(np.minimum(a, b) < STIRLING_FROM, STIRLING_FROM, 0.0)
    for j in range(int(STIRLING_FROM)):
        u, shifted = h / (x + j), (h + d) / (x + m + j)
        # d x - h m, where h is nearly x or -x by h = x - a or b - x
        turned = np.where(u > 0.5, (a + j) * m - (x + j) * t,
                          np.where(u < -0.5, (x + j) * t_b - (b + j) * m, d * (x + j) - h * m))
        one_less = (a + t + j) / (x + m + j) * ((b + t_b + j) / (x + m + j))
        ratio = (a + j) / (x + j) * ((b + j) / (x + j)) / one_less
        change = turned / ((x + j) * (x + m + j)) * (u + shifted) / one_less
        large = np.abs(ratio - 1) > 0.25  # a tiny a or b beside t
        logs = np.where(large, np.log(ratio), np.log1p(np.where(large, 0.0, change)))
        total += np.where(steps > 0, logs / 2, 0.0)
    a, b, x = a + steps, b + steps, x + steps
    u = h / x
    near = np.where(np.abs(u) < 0.5, u, 0.0)
    log_a = np.where(near == u, np.log1p(-near), np.log(a / x))
    log_b = np.where(near == u, np.log1p(near), np.log(b / x))
    log_product = np.where(near == u, np.log1p(-near * near), log_a + log_b)
    total += m * log_product / 2 + d * (log_b - log_a) / 2
    for n, polynomial in enumerate(_GAMMA_RATIO, 1):
        at_a, at_b, middle = (polynomial(value) for value in (t, t_b, m))
        mean, slope = (at_a + at_b) / 2, np.exp(-n * log_b) - np.exp(-n * log_a)
        curved = mean * _curvature(n, log_product, log_b - log_a) + (at_b - at_a) * slope / 4 + (mean - middle)
        total += curved * x**-n
    return total


def _curvature(n: int, log_product: NDArray, log_ratio: NDArray) -> NDArray[np.float64]:
    """[(a/x)^-n + (b/x)^-n]/2 - 1 = e^{-n P/2} cosh w - 1, P = log(ab/x^2), w = n log(b/a)/2; cosh w - 1 = 2 sinh^2."""
    w = n * log_ratio / 2
    return np.expm1(-n * log_product / 2) * np.cosh(w) + 2 * np.sinh(w / 2) ** 2


def _aligned_loss(a: NDArray, b: NDArray, h: NDArray) -> NDArray[np.float64]:
    """-log BC where the totals differ, so that sum_i l(a_i, b_i) and l(A, B) may nearly cancel.

    The part of l that grows with its arguments is x phi(u), see ``_growing_loss``; what is left of it does not cancel.
    """
    totals = (value.sum(axis=-1, keepdims=True) for value in (a, b, h))
    return _growing_loss(a, b, h) + _rest(a, b, h).sum(axis=-1) - _rest(*totals)[..., 0]


def _growing_loss(a: NDArray, b: NDArray, h: NDArray) -> NDArray[np.float64]:
    """sum_i x_i phi(u_i) - X phi(U), phi(u) = [(1+u) log(1+u) + (1-u) log(1-u)]/2, phi' = atanh, (rows, k) -> (rows,).

    With X = sum x_i and U = sum h_i / X the linear terms drop out, which leaves
    Bregman terms x_i {(1+U) psi[(u_i-U)/(1+U)] + (1-U) psi[(U-u_i)/(1-U)]}/2, psi(d) = (1+d) log(1+d) - d, all >= 0.
    """
    x = (a + b) / 2
    total_a, total_b, total_x = (value.sum(axis=-1, keepdims=True) for value in (a, b, x))
    up, down = total_b / total_x, total_a / total_x  # 1 + U and 1 - U
    # x_i (u_i - U) = (h_i A_-i - a_i h_-i) / X, sums over the others: beside one huge x_i, u_i - U rounds to noise. It
    # is the same of b / 2 in the place of h, which is better where the totals lie far apart, and of either less any
    # multiple of a: what is left of nearly proportional changes is exact, as the product's rounding is given back.
    far = (up < 2 / 3) | (down < 2 / 3)  # nearer by, b - a is not rounded
    change = np.where(far, b / 2, h)
    ratio = change.sum(axis=-1, keepdims=True) / total_a
    left = change - ratio * a - _product_error(ratio, a)
    gap = (left * sums_of_others(a) - a * sums_of_others(left)) / total_x
    growing = x * (up * _psi(gap / x / up, b / x / up) + down * _psi(-gap / x / down, a / x / down)) / 2
    return growing.sum(axis=-1)


def _near_loss(a: NDArray, b: NDArray, h: NDArray) -> NDArray[np.float64]:
    """-log BC where no parameter changes by more than a share of 4e-3, by series in h.

    Beside ``_growing_loss`` there remain sum_i r(x_i, h_i) - r(X, sum h), r(x, h) = sum_m g_m(x) h^2m / (2m)!, where
    g_m(x) = psi^(n)(x) - (n - 1)! / x^n, n = 2m - 1, is of the order of x^-(n+1): three terms leave u^6 of it. From the
    largest category on, y and e the sums so far and x <= y and h the next, a term c [g(x) h^q + g(y) e^q
    - g(x + y) (h + e)^q] is taken as g(x) h^q - g(y) [(h + e)^q - e^q] + [g(y) - g(x + y)] (h + e)^q, so that a tiny x
    beside a huge y keeps its digits.
    """
    order = np.argsort(-(a + b), axis=-1, kind="stable")
    x, h_sorted = (np.take_along_axis(value, order, axis=-1) for value in ((a + b) / 2, h))
    y, e = np.cumsum(x, axis=-1)[:, :-1], np.cumsum(h_sorted, axis=-1)[:, :-1]
    x, moved = x[:, 1:], h_sorted[:, 1:]
    both = moved + e
    rest = np.zeros(x.shape)
    for m in (3, 2, 1):
        rise = moved * sum(math.comb(2 * m, p) * moved ** (p - 1) * e ** (2 * m - p) for p in range(1, 2 * m + 1))
        of_x, of_y = (_polygamma_rest(m, z, lambda z, p: z**-p) for z in (x, y))
        fall = _polygamma_rest(m, y, lambda z, p: -(z**-p) * np.expm1(-p * np.log1p(x / z)))
        rest += (of_x * moved ** (2 * m) - of_y * rise + fall * both ** (2 * m)) / math.factorial(2 * m)
    return _growing_loss(a, b, h) + rest.sum(axis=-1)


def _polygamma_rest(m: int, z: NDArray, power: Callable[[NDArray, int], NDArray]) -> NDArray[np.float64]:
    """g_m(z) of ``_near_loss``, any linear function ``power(z, p)`` of z^-p in the place of z^-p.

    psi^(n)(z) = psi^(n)(z + 1) + n! z^-(n+1), ten times where z is small; then
    g = n! z^-(n+1) / 2 + sum_k B_2k (2k + n - 1)! / (2k)! z^-(2k+n).
    """
    n, first = 2 * m - 1, math.factorial(2 * m - 2)
    up = np.where(z < STIRLING_FROM, STIRLING_FROM, 0.0)
    total = np.zeros(z.shape)
    for j in range(int(STIRLING_FROM)):
        step = n * power(z + j, n + 1) - (power(z + j, n) - power(z + j + 1, n))
        total += np.where(up > 0, first * step, 0.0)
    z = z + up
    total += first * n * power(z, n + 1) / 2
    for k in range(1, 7):
        total += _BERNOULLI[2 * k] * math.factorial(2 * k + n - 1) / math.factorial(2 * k) * power(z, 2 * k + n)
    return total


def _product_error(a: NDArray, b: NDArray) -> NDArray[np.float64]:
    """a b less its rounded value, exactly: by halves of 26 bits (Dekker 1971)."""
    halves = []
    for value in (a, b):
        shifted = value * (2.0**27 + 1)
        high = shifted - (shifted - value)
        halves.append((high, value - high))
    (a_high, a_low), (b_high, b_low) = halves
    return a_low * b_low - (((a * b - a_high * b_high) - a_low * b_high) - a_high * b_low)


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
    return recurrence + moved - log_product / 4 + _remainder_difference(low_up, high_up, x_up, h, (h > 0) & (u < 0.1))


def _phi(u: NDArray) -> NDArray:
    """[(1+u) log(1+u) + (1-u) log(1-u)]/2 = [log(1 - u^2) + 2 u atanh(u)]/2, for |u| <= 1/2."""
    return (np.log1p(-u * u) + 2 * u * np.arctanh(u)) / 2


def _psi(d: NDArray, one_plus_d: NDArray) -> NDArray:
    """(1 + d) log(1 + d) - d; where d is small by its series sum_{p>=2} (-d)^p / (p (p - 1))."""
    near = np.where(np.abs(d) < 0.1, d, 0.0)
    series = near * near * sum((-near) ** p / ((p + 2) * (p + 1)) for p in range(16))
    return np.where(np.abs(d) < 0.1, series, one_plus_d * np.log(one_plus_d) - d)


def _recurrence(low: NDArray, high: NDArray, h: NDArray) -> NDArray:
    """-sum_{j<N} log((low+j)(high+j)/(x+j)^2)/2, any shape: all j of some values at a time."""
    shape, total = low.shape, np.empty(low.size)
    low, high, h = low.ravel(), high.ravel(), h.ravel()
    for rows in chunks(low.size, 1, _RECURRENCE_ROWS):
        below, above = low[rows] + _STEPS, high[rows] + _STEPS
        x = below + h[rows]
        u = h[rows] / x
        far = u > 0.5  # near u = 1 the product form keeps the digits of a tiny a, elsewhere 1 - u^2 those of a tiny h
        log = np.log1p(-np.where(far, 0.0, u * u))
        log[far] = np.log(below[far] / x[far] * (above[far] / x[far]))
        total[rows] = -np.add.accumulate(log, axis=0)[-1] / 2  # in the order of j, however many rows there are
    return total.reshape(shape)


def _stirling(low: NDArray, high: NDArray, h: NDArray) -> NDArray:
    x = low + h
    u = h / x
    far = u >= 0.5  # where the arguments differ much, logs of quotients keep the digits that 1 - u has lost
    v = np.where(far, 0.0, u) if far.any() else u
    loss = np.asarray(((x - 0.5) * np.log1p(-v * v) + h * (np.log1p(v) - np.log1p(-v))) / 2)
    if far.any():
        log_below, log_above = np.log(low[far] / x[far]), np.log(high[far] / x[far])
        loss[far] = ((x[far] - 0.5) * (log_below + log_above) + h[far] * (log_above - log_below)) / 2
    return loss + _remainder_difference(low, high, x, h, (h > 0) & (h < 0.25))


def _remainder_difference(low: NDArray, high: NDArray, x: NDArray, h: NDArray, close: NDArray) -> NDArray:
    """[s(a) + s(b)]/2 - s(x), s the Stirling remainder.

    Its digits count beside l >= h^2 / 2x: they do for h >= 1/4, a step of half a count. For a smaller h, and where l
    itself cancels, the caller says ``close``: then the second difference of each z^-p is taken as ``_curvature``.
    """
    difference = np.asarray((_remainder(low) + _remainder(high)) / 2 - _remainder(x))
    if close.any():
        x, u = x[close], h[close] / x[close]
        log_product, log_ratio = np.log1p(-u * u), np.log1p(u) - np.log1p(-u)
        difference[close] = sum(
            coefficient * x**-p * _curvature(p, log_product, log_ratio)
            for coefficient, p in zip(STIRLING, (1, 3, 5, 7, 9), strict=True)
        )
    return difference


def _remainder(z: NDArray) -> NDArray:
    """s(z) = 1/(12 z) - 1/(360 z^3) + ..."""
    inverse = 1 / z
    square = inverse * inverse
    total = STIRLING[-1] * square
    for coefficient in STIRLING[-2:0:-1]:
        total += coefficient
        total *= square
    total += STIRLING[0]
    total *= inverse
    return total


def sums_of_others(a: NDArray) -> NDArray:
    """sum_{j != i} a_j, without subtracting a_i from the total."""
    none = np.zeros_like(a[..., :1])
    before, after = (np.cumsum(np.concatenate([none, some], axis=-1), axis=-1) for some in (a[..., :-1], a[..., :0:-1]))
    return before + after[..., ::-1]
