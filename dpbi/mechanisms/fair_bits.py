"""Random whole numbers drawn exactly, from fair bits and integers alone: no floating-point number is on the path.

A source of bits is a function ``bits(count)`` that returns a whole number uniform on [0, 2^count), as
``secrets.randbits`` does. Given fair bits each law below holds exactly, not up to rounding. How many bits a draw takes
depends on the number drawn, never on any data: the noise is drawn before it meets a count. What it takes in time and
memory is not hidden. Every loop ends: a source by which one takes longer than a fair source makes it with probability
2^-200, or 300 bits in a row are equal, is refused. That keeps a broken one from hanging a draw; it tests no source.
Source: Canonne, Kamath and Steinke 2020, Algorithms 1 and 2; uniform numbers by rejection, candidates by their bars.
"""

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpbi import limits

Bits = Callable[[int], int]

WEIGHT_ERROR = 2.0**-50  # splitting off the exponent, the exponential and its rounding: each below 2^-52
_MANTISSA = 53  # bits
_EQUAL = 300  # bits in a row
_TRIES = 200  # of which each ends a loop with probability 1/2 at least: a fair source fails in all with 2^-200 at most


def checked(bits: Any) -> Bits:
    """The source itself, with every number looked at: ValueError for one not from 0 to 2^count - 1, and for a constant.

    A fair source has 300 equal bits in a row somewhere among 2^64 with probability below 2^-200.
    """
    limits.check_function("bits", bits)
    last: int | None = None
    run = 0

    def drawn(count: int) -> int:
        nonlocal last, run
        number = bits(count)
        if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < 1 << count:
            raise ValueError(f"bits must return whole numbers from 0 to 2^count - 1, as secrets.randbits does: asked "
                             f"for {count:,} bits, got {limits.shown(number)}.")
        bit = {0: 0, count: 1}.get(number.bit_count())  # that all are, None where they differ
        run = 0 if bit is None else run + count if bit == last else count
        last = bit
        if run > _EQUAL:
            raise ValueError(f"bits cannot be a fair source: more than {_EQUAL} bits in a row are equal.")
        return number

    return drawn


def most_tries(accepted: float) -> int:
    """N such that (1 - accepted)^N <= e^{-accepted N} <= 2^-200."""
    return math.ceil(_TRIES * math.log(2) / accepted)


def unfair(tries: int) -> ValueError:
    return ValueError(f"bits cannot be a fair source: {tries:,} tries in a row failed, and those of a fair one all do "
                      "with probability 2^-200 at most.")


def uniform_below(bound: int, bits: Bits) -> int:
    """Uniform on 0..bound - 1, bound >= 1: as many bits as bound - 1 has, until the number is below bound."""
    count = (bound - 1).bit_length()
    for _ in range(_TRIES):
        drawn = bits(count) if count else 0
        if drawn < bound:
            return drawn
    raise unfair(_TRIES)


def bernoulli_exp(numerator: int, denominator: int, bits: Bits) -> bool:
    """True with probability exp(-x), x = numerator / denominator in [0, 1].

    Trials of probability x / 1, x / 2, x / 3, ... until one fails; the failing trial is an odd one with probability
    1 - x + x^2/2! - x^3/3! + ... = exp(-x).
    """
    for trial in range(1, _TRIES + 1):
        if uniform_below(trial * denominator, bits) >= numerator:
            return trial % 2 == 1
    raise unfair(_TRIES)


def bernoulli_exp_of_any(numerator: int, denominator: int, bits: Bits) -> bool:
    """True with probability exp(-x), x = numerator / denominator >= 0: a trial for each whole 1, one for the rest."""
    whole, rest = divmod(numerator, denominator)
    for _ in range(whole):
        if not bernoulli_exp(1, 1, bits):
            return False
    return bernoulli_exp(rest, denominator, bits)


def uniform_composition(n: int, k: int, bits: Bits) -> tuple[int, ...]:
    """All r in N^k with sum n equally likely: the gaps between k - 1 bars among n + k - 1 places.

    The bars are a uniform subset of the places by Floyd's algorithm: for j = N - (k - 1), ..., N - 1 a uniform number
    on 0..j joins, or j itself where that number has joined already.
    Source: stars and bars; Bentley and Floyd 1987.
    """
    places = n + k - 1
    bars: set[int] = set()
    for j in range(n, places):
        drawn = uniform_below(j + 1, bits)
        bars.add(j if drawn in bars else drawn)
    edges = [-1, *sorted(bars), places]
    return tuple(edges[i + 1] - edges[i] - 1 for i in range(k))


def geometric(decay: Fraction, bits: Bits) -> int:
    """G >= 0 with P(G >= g) = e^{-decay g}, decay > 0.

    With decay = s / t, X = U + t V, where U on 0..t - 1 is kept with probability e^{-U/t} and V counts successes of
    probability 1/e, has P(X >= x) = e^{-x/t}, and G = floor(X / s).
    """
    s, t = decay.numerator, decay.denominator
    return (_low(t, bits) + t * _high(bits)) // s


def _low(t: int, bits: Bits) -> int:
    """U, kept with probability e^-1 at least: (1 - e^-1)^400 < 2^-200."""
    for _ in range(2 * _TRIES):
        drawn = uniform_below(t, bits)
        if bernoulli_exp(drawn, t, bits):
            return drawn
    raise unfair(2 * _TRIES)


def _high(bits: Bits) -> int:
    """V."""
    for successes in range(_TRIES):
        if not bernoulli_exp(1, 1, bits):
            return successes
    raise unfair(_TRIES)


def floored_laplace(decay: Fraction, bits: Bits) -> int:
    """floor(Y), Y ~ Lap(1 / decay): P(d) = (p^d - p^{d+1})/2 for d >= 0, and the same at -1 - d; p = e^{-decay}.

    So G or -1 - G with equal probability, G geometric.
    """
    upper = bits(1)
    drawn = geometric(decay, bits)
    return drawn if upper else -1 - drawn


def two_sided_geometric(decay: Fraction, bits: Bits) -> int:
    """P(d) proportional to e^{-decay |d|}: G or -G with equal probability, where -0 is drawn again."""
    for _ in range(_TRIES):
        upper = bits(1)
        drawn = geometric(decay, bits)
        if upper or drawn:
            return drawn if upper else -drawn
    raise unfair(_TRIES)


class WholeWeights:
    """i with probability proportional to a whole number w_i, |log w_i - log_weights_i - constant| <= WEIGHT_ERROR.

    e^{log_weight} is a mantissa of 53 bits times a power of two; w_i is the mantissa, shifted to a shared unit, so that
    nothing is rounded to zero. The weights are summed by exponent: one exact draw chooses the exponent, a second the
    index among those that share it. Every cumulative sum is made before a bit is drawn.
    log_weights: (N,) in [-1e8, 0], the largest 0. Source: ours.
    """

    def __init__(self, log_weights: NDArray[np.float64]) -> None:
        mantissa, exponent = _mantissas(log_weights)
        order = np.argsort(exponent, kind="stable")
        shared, starts = np.unique(exponent[order], return_index=True)
        self._members = [order[first:last] for first, last in zip(starts, [*starts[1:], order.size], strict=True)]
        self._sums = [list(accumulate(mantissa[members].tolist())) for members in self._members]
        shifts = (shared - shared[0]).tolist()
        self._totals = list(accumulate(sums[-1] << shift for sums, shift in zip(self._sums, shifts, strict=True)))

    def draw(self, bits: Bits) -> int:
        chosen = _inverse(self._totals, bits)
        return int(self._members[chosen][_inverse(self._sums[chosen], bits)])


def _mantissas(log_weights: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """mantissa in [2^52, 2^53] and exponent: e^{log_weight} = mantissa 2^{exponent - 52}, to 2^-50 relative.

    The weight's exponent q is split off before the exponential: log_weight - q log 2 in [0, log 2), where log 2 is
    taken in two parts so that q times the first is exact (Cody and Waite).
    """
    exponent = np.floor(log_weights / np.log(2))
    remainder = (log_weights - exponent * _LOG2_HIGH) - exponent * _LOG2_LOW
    mantissa = np.rint(np.exp(remainder) * 2.0 ** (_MANTISSA - 1))
    return mantissa.astype(np.int64), exponent.astype(np.int64)


def _inverse(cumulative: Sequence[int], bits: Bits) -> int:
    """The first index whose cumulative sum exceeds a uniform number below the last."""
    return bisect_right(cumulative, uniform_below(cumulative[-1], bits))


_LOG2_HIGH = float(np.float32(np.log(2)))  # 24 bits: exact times a whole number below 2^29
_LOG2_LOW = -1.904654299957768e-09  # log 2 - _LOG2_HIGH
