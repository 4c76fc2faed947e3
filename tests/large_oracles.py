"""The second, independent route where brute force cannot go: sums of positive terms, exact ratios, no log-gammas.

Nothing here is imported from dpbi. Words as in oracles.py; a loss is -log of the affinity, so that
BC = e^{-sum of the categories' losses} for a candidate r, whose total is n as that of c.
"""

from collections.abc import Iterable, Sequence
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from tests.oracles import Real, mp

Floats = NDArray[np.floating]


def category_losses(alpha: float, count: int, low: int, high: int) -> Floats:
    """l(alpha + count, alpha + r) for r = low ... high, low <= count <= high, as long doubles.

    l(a, b) = [log Gamma(a) + log Gamma(b)]/2 - log Gamma((a+b)/2) is 0 at b = a. Raising b by 2 changes it by
    log(b (b+1) / x^2) / 2, x = (a+b)/2; lowering by 2, by log((b-1)(b-2) / y^2) / 2 with its sign turned, y = x - 1.
    So even and odd steps away from the count are running sums of small logarithms, started at 0 and at one 50-digit
    value.
    """
    a = np.longdouble(alpha) + count
    losses = np.zeros(high - low + 1, dtype=np.longdouble)
    for parity in (0, 1):
        d = np.arange(parity, high - count - 1, 2).astype(np.longdouble)  # from r = count + d to count + d + 2
        x, b = a + d / 2, a + d
        rises = np.log1p((d / 2 * (b + x) + b) / (x * x)) / 2
        target = losses[count - low + parity :: 2]
        target[:] = _start(alpha, count, parity) + np.concatenate([[0], np.cumsum(rises)])[: target.size]

        d = np.arange(parity, count - low - 1, 2).astype(np.longdouble)  # from r = count - d to count - d - 2
        y, b = a - d / 2 - 1, a - d
        rises = -np.log1p((-(d + 1) / 2 * (b - 1.5 + y) - 0.25) / (y * y)) / 2
        target = losses[: count - low + 1 - parity][::-2]
        target[:] = _start(alpha, count, -parity) + np.concatenate([[0], np.cumsum(rises)])[: target.size]
    return losses


def _start(alpha: float, count: int, step: int) -> np.longdouble:
    """l(alpha + count, alpha + count + step) in 50 digits; 0 where no such count exists."""
    a, b = mp.mpf(alpha) + count, mp.mpf(alpha) + count + step
    if step == 0 or count + step < 0:
        return np.longdouble(0)
    return np.longdouble(mp.nstr((mp.loggamma(a) + mp.loggamma(b)) / 2 - mp.loggamma((a + b) / 2), 25))


def line_losses(prior: Sequence[float], counts: Sequence[int], reach: int) -> tuple[NDArray[np.int64], Floats]:
    """k = 2: offsets d, |d| <= reach as far as counts allow, and the losses of (c_1 + d, c_2 - d)."""
    down, up = min(reach, counts[0]), min(reach, counts[1])
    first = category_losses(prior[0], counts[0], counts[0] - down, counts[0] + up)
    second = category_losses(prior[1], counts[1], counts[1] - up, counts[1] + down)
    return np.arange(-down, up + 1), first + second[::-1]


def all_losses(prior: Sequence[float], counts: Sequence[int]) -> tuple[Floats, NDArray[np.int64]]:
    """The losses of all candidates, any k, and their L1 distances from the counts, both flat and in the same order."""
    n = sum(counts)
    parts = [
        [(losses[r : r + 1], np.array([abs(r - count)])) for r in range(n + 1)]
        for losses, count in ((category_losses(a, c, 0, n), c) for a, c in zip(prior, counts, strict=True))
    ]

    def joined(first: list, second: list, total: int) -> tuple:
        """Each way to hold t in the first group with each way to hold total - t in the second."""
        pairs = [(first[t], second[total - t]) for t in range(total + 1)]
        return tuple(np.concatenate([np.add.outer(a[i], b[i]).ravel() for a, b in pairs]) for i in (0, 1))

    *others, last = parts
    rest = reduce(lambda first, second: [joined(first, second, s) for s in range(n + 1)], others)
    return joined(rest, last, n)


def distance(losses: Floats) -> Floats:
    """H = sqrt(1 - BC)."""
    return np.sqrt(-np.expm1(-losses))


def power_sums(prior: Sequence[float], counts: Sequence[int], powers: Iterable[float]) -> list[float]:
    """Z_m = sum over candidates of BC^m for each power m: plain convolutions of the categories' g_i^m = e^{-m l_i}."""
    n = sum(counts)
    losses = [category_losses(a, c, 0, n).astype(float) for a, c in zip(prior, counts, strict=True)]

    def convolved(m: float) -> float:
        weights = (np.exp(-m * loss) for loss in losses)
        return float(reduce(lambda total, weight: np.convolve(total, weight)[: n + 1], weights)[n])

    return [convolved(m) for m in powers]


def mixture_weights(rate: float, largest: int) -> list[Real]:
    """a_0 ... a_largest of exp(-rate sqrt(1 - y)) = sum a_m y^m, by their recurrence in 50 digits."""
    x = mp.mpf(rate)
    weights = [mp.exp(-x), x / 2 * mp.exp(-x)]
    for m in range(largest - 1):
        middle = (m + 1) * (m + mp.mpf(1) / 2) * weights[m + 1]
        weights.append((middle + x * x / 4 * weights[m]) / ((m + 2) * (m + 1)))
    return weights


def log_partition(rate: Real, sums: Sequence[float]) -> Real:
    """log(1 + sum_m a_m (Z_m - 1)), given Z_m for all m at which it is not yet 1."""
    weights = mixture_weights(rate, len(sums) - 1)
    return mp.log1p(mp.fsum(a * (mp.mpf(z) - 1) for a, z in zip(weights, sums, strict=True)))
