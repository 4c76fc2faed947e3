"""delta(epsilon) of [N]'s mechanism in the limit of a heavy prior, where the Hellinger distance is Euclidean.

Prior (A, …, A, A B), first B and then A to infinity, d light categories. For x = all records in the last category,
sqrt(8 A) H(x, r) -> |r|, the Euclidean length of the light counts; for x' = one record in the first light category,
|r - e_1|. In that unit LS(x) = 1, and LS(x') = sqrt 2 since that record may go to another light category. A finite B
gives less: at d = 299, epsilon = 8.6 from x to x' 0.891, with B = 100 about 0.87 (sampled).
"""

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray

_SPREAD = 9.0  # standard deviations of |r|^2 that are summed over
_NEGLIGIBLE = 45.0  # e^-45 of a law is left out
_NOISE = 1e-15  # of a transform of a law, below which its values mean nothing
_MULTIPLIED = 4_000  # coefficients
_ROUNDS = 200  # of the fixed point for the peak


def heavy_prior_delta(light: int, epsilon: float, beta: float) -> float:
    """The larger of sum_r (P_x(r) - e^epsilon P_x'(r))_+ and the same with x and x' exchanged, to about 1e-6, for
    P_x(r) ∝ exp(-epsilon |r| / (2 S)), S = max(1, sqrt 2 e^-beta), and P_x'(r) ∝ exp(-epsilon |r - e_1| / (2 sqrt 2)),
    r any light counts.

    light: d >= 2; n must be so large that the sum of r seldom reaches it. Source: ours.
    """
    rates = epsilon / (2 * max(1.0, math.sqrt(2) * math.exp(-beta))), epsilon / (2 * math.sqrt(2))
    return max(_exceeding(light, epsilon, rates, here) for here in (0, 1))


def _exceeding(light: int, epsilon: float, rates: tuple[float, float], here: int) -> float:
    """sum_r (P(r) - e^epsilon P'(r))_+, P the law of x (here = 0) or of x' (1)."""
    first, rest, log_points = _points(light, rates[here])
    log_law = [log_points - rate * np.sqrt((first - moved) ** 2 + rest) - _log_total(light, rate, moved)
               for moved, rate in enumerate(rates)]  # fmt: skip
    return float(np.exp(log_law[here]) @ -np.expm1(np.minimum(epsilon + log_law[1 - here] - log_law[here], 0.0)))


@cache
def _log_total(light: int, rate: float, moved: int) -> float:
    """log sum_r exp(-rate |r - moved e_1|)."""
    first, rest, log_points = _points(light, rate)
    exponent = log_points - rate * np.sqrt((first - moved) ** 2 + rest)
    return float(exponent.max() + math.log(np.exp(exponent - exponent.max()).sum()))


@cache
def _points(light: int, rate: float) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """r_1, the sum of the other squares and the log number of such r, around the peak of exp(-rate |r|).

    The number of r in N^(d-1) with squares of sum s is the coefficient of z^s in (sum_j z^{j^2})^(d-1); tilted by
    e^{-t s}, t = rate / (2 |r|) at the peak, it is the law of a sum, whose transform is a power.
    """
    squares = np.arange(64.0) ** 2
    size = float(light)
    for _ in range(_ROUNDS):
        tilt = rate / (2 * math.sqrt(max(size, 1.0)))
        weight = np.exp(-tilt * squares)
        mean = float(weight @ squares / weight.sum())
        size = light * mean
    variance = light * (float(weight @ squares**2 / weight.sum()) - mean**2)
    # Above tilt / 2, the root flattens the peak: its variance is at most twice the tilted one.
    low = max(0, int(size - _SPREAD * math.sqrt(2 * variance)))
    high = int(max(size + _SPREAD * math.sqrt(2 * variance), (_NEGLIGIBLE / rate) ** 2))
    power = _power(weight / weight.sum(), light - 1, high)[low:]
    sums = np.arange(low, high)[power > 0]
    log_points = np.log(power[power > 0]) + (light - 1) * math.log(weight.sum()) + tilt * sums
    # Beside r_1 = 0 a j weighs e^{-rate (sqrt(s + j^2) - sqrt s)}, most at the largest s; 1 more, as x' is a step off.
    reach = (math.sqrt(2 * math.sqrt(high) * _NEGLIGIBLE / rate + (_NEGLIGIBLE / rate) ** 2) + 1) ** 2
    first = np.sqrt(squares[squares < min(high, reach)])
    grid = np.meshgrid(first, sums.astype(float), indexing="ij")
    return grid[0].ravel(), grid[1].ravel(), np.broadcast_to(log_points, grid[0].shape).ravel()


def _power(weight: NDArray[np.float64], exponent: int, most: int) -> NDArray[np.float64]:
    """The first coefficients of (sum_j weight_j z^{j^2})^exponent: multiplied out, where they are many by transform."""
    length = most if most <= _MULTIPLIED else 1 << math.ceil(math.log2(2 * most + 1))
    law = np.zeros(length)
    roots = np.arange(math.isqrt(length - 1) + 1)[: weight.size]
    law[roots**2] = weight[: roots.size]
    if most > _MULTIPLIED:
        found = np.fft.irfft(np.fft.rfft(law) ** exponent, length)[:most]
        return np.where(found > _NOISE, found, 0.0)
    found = np.zeros(most)
    found[0] = 1.0
    for bit in f"{exponent:b}":  # positive terms only: no digit is lost
        found = np.convolve(found, found)[:most]
        found = np.convolve(found, law)[:most] if bit == "1" else found
    return found
