"""The Poisson-Levy weights a_m of exp(-rate sqrt(1 - y)) = sum_m a_m y^m, for every rate and every m.

a_m > 0, sum a_m = 1: the law of M ~ Poisson(T), T ~ Levy with P(T > t) = erf(rate / (2 sqrt t)). In Bessel form
a_m = (rate / sqrt pi) (rate / 2)^{m - 1/2} K_{m - 1/2}(rate) / m!. Since y = BC is a product over categories, these
weights turn a sum over candidates of exp(-rate H) into sums of products: see ``partition``.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

# Up to here a_m comes from the recurrence, beyond from Debye's expansion of K, whose fifth term is below 1e-14 there.
RECURRENCE = 256


def log_weights(rate: float, largest: int) -> NDArray[np.float64]:
    """log a_m for m = 0..largest.

    rate: > 0. The recurrence (m + 2)(m + 1) a_{m+2} = (m + 1)(m + 1/2) a_{m+1} + (rate^2 / 4) a_m is run on the ratios
    q_m = a_{m+1} / a_m, which neither under- nor overflow; all terms are positive.
    Source: ours (README, "Exact laws"); the recurrence is that of K_{m - 1/2}, dominant hence stable upwards.
    """
    few = min(largest, RECURRENCE)
    log_a, ratio = np.empty(few + 1), rate / 2
    log_a[0] = -rate
    for m in range(few):
        log_a[m + 1] = log_a[m] + np.log(ratio)
        ratio = (m + 0.5 + rate * rate / (4 * (m + 1) * ratio)) / (m + 2)
    if largest <= few:
        return log_a
    return np.concatenate([log_a, log_weight(rate, np.arange(few + 1, largest + 1))])


def log_weight(rate: float, m: ArrayLike) -> NDArray[np.float64]:
    """log a_m at real m >= RECURRENCE, by Debye's uniform expansion.

    With v = m - 1/2, w = sqrt(v^2 + rate^2) and D = w - v = rate^2 / (w + v), the expansion of K_v(rate) and Stirling's
    of m! combine, their large parts cancelling on paper:
    log a_m = log rate - log(4 pi)/2 - log(w)/2 - log m - D + 1/2 + v log1p((D - 1) / (2 m)) - s(m)
    + log sum_k (-1)^k u_k(v/w) / v^k.
    Source: DLMF 10.41.4 and 10.41.10; for rate -> 0 the known tail rate / (2 sqrt pi) m^{-3/2} e^{-rate^2 / 4m}.
    """
    m = np.asarray(m, dtype=np.float64)
    v = m - 0.5
    w = np.hypot(v, rate)
    excess = rate / (w + v) * rate
    stirling = (1 / 12 - (1 / 360 - 1 / (1260 * m * m)) / (m * m)) / m
    return (np.log(rate) - np.log(4 * np.pi) / 2 - np.log(w) / 2 - np.log(m) - excess + 0.5
            + v * np.log1p((excess - 1) / (2 * m)) - stirling + np.log1p(_debye(v / w, v)))


def _debye(p: NDArray, v: NDArray) -> NDArray:
    """sum_{k>=1} (-1)^k u_k(p) / v^k, cut after k = 4 (DLMF 10.41.10)."""
    s, x = p * p, p / v
    u1 = (3 - 5 * s) / 24
    u2 = (81 + s * (-462 + 385 * s)) / 1152
    u3 = (30375 + s * (-369603 + s * (765765 - 425425 * s))) / 414720
    u4 = (4465125 + s * (-94121676 + s * (349922430 + s * (-446185740 + 185910725 * s)))) / 39813120
    return x * (-u1 + x * (u2 + x * (-u3 + x * u4)))


def log_step(rate: float, m: ArrayLike) -> NDArray[np.float64]:
    """log a_m - log a_{m-1} at real m >> 1, without subtracting: d log a / dm at m - 1/2, plus its curvature / 24.

    With dw/dm = v/w and dD/dm = -D/w the terms of ``log_weight`` differentiate to expressions of the size of the
    result; the expansions s and u contribute less than 1e-4 of it and are differenced.
    """
    x = np.asarray(m, dtype=np.float64) - 0.5
    v = x - 0.5
    w = np.hypot(v, rate)
    excess = rate / (w + v) * rate
    ratio = (excess - 1) / (2 * x)
    leading = (-v / (2 * w * w) - 1 / x + excess / w + np.log1p(ratio)
               - v * (excess / w + 2 * ratio) / (2 * x) / (1 + ratio) + 1 / (12 * x * x))
    width = 1e-3 * v
    correction = (_debye((v + width) / np.hypot(v + width, rate), v + width)
                  - _debye((v - width) / np.hypot(v - width, rate), v - width)) / (2 * width)
    return leading + correction + (-3 / x**3 + 1.5 * (rate / x**2) ** 2) / 24
