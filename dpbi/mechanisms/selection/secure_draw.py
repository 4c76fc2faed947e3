"""One candidate with probability proportional to exp(-rate H) from fair bits: listed, or by exact rejection.

Where the candidates can be listed, exact inversion of whole-number weights over the list. Elsewhere a candidate r is
proposed with a probability q(r) that is an exact ratio of whole numbers, and accepted by an exact trial of probability
exp(-x), x a fixed-point fraction within eta of rate H(r) + log q(r) + constant >= 0; else another is proposed.
An output's probability is A(r) / sum_s A(s), A(r) = q(r) e^{-x(r)}. As each A is right to e^{+-eta}, so is their sum,
a probability to e^{+-2 eta}, and the ratio of the probabilities of one output under two datasets to e^{+-4 eta}: that
is what rounding adds to epsilon at most. The float arithmetic ends with x; the proposal and the trial are of integers.

Two proposals. Any k: all candidates equally likely, x = rate H; each trial ends the draw with probability
Z(rate) / Z_0 >= e^{-rate}, so the expected number of trials is at most e^rate, and at most Z_0 as Z(rate) >= 1.
k = 2: a staircase above exp(-rate H), whose expected number of trials is below 4 at any rate (``_Staircase``).
A draw is refused by the largest rate of all datasets with this prior and n, which is public, never by the data's own.
Not protected: the number of trials, which shows in the time of a draw. Its law, geometric, depends on the data through
Z(rate); given the data it says nothing about which candidate was accepted.
Source: ours; rejection as in von Neumann 1951, the trials of an exponential as in ``fair_bits``.
"""

import math
from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate

import numpy as np

from dpbi.mechanisms.fair_bits import (
    WEIGHT_ERROR,
    Bits,
    WholeWeights,
    bernoulli_exp_of_any,
    most_tries,
    unfair,
    uniform_below,
    uniform_composition,
)
from dpbi.posterior.hellinger import distances_to
from dpbi.problem import LISTED_CATEGORIES, Problem, are_few, list_candidates, log_number_of_candidates

_LISTED = 2_000_000  # candidates of a secure draw from a list, which takes a second then
_LARGEST_RATE = 1e8  # weights are split into powers of two, exactly up to here; the staircase's margin covers it
_LARGEST_WORK = 2_000_000  # expected trials times categories, at most: some twenty seconds
_LOG_WEIGHT_ERROR = 1e-11  # of rate H, relative: measured below 1e-13 against 50 digits (tests), taken a hundredfold
_POINT = 50  # binary digits after the point of x
_FIXED_POINT_ERROR = 2.0**-46  # half a unit, 2^-51, and what t log 2 <= 37 loses by three roundings, 3 * 37 * 2^-53
_MARGIN = 2.0**-6  # added to the staircase's x: seven times what rounding can be at the largest rate, both ways
_BATCH = 512  # proposals at a time, at most: their distances are computed together

# A proposed candidate and its level t: q is proportional to 2^-t.
_Proposal = tuple[tuple[int, ...], int]
_Propose = Callable[[Bits], _Proposal]


def rounding_of_secure_draw(n: int, k: int, largest_rate: float) -> float:
    """What rounding adds to epsilon at most, if the rates of all datasets of size n stay below ``largest_rate``.

    4 eta, eta the error of a log weight: that of rate H, and that of making it a whole number or a fixed-point one (see
    the head of this module; a whole-number weight is right to e^{+-eta} like A). No weight is rounded to 0.
    Raises ValueError, which tells the public arguments only, where a rate is too large for a draw.
    """
    if largest_rate > _LARGEST_RATE:
        raise ValueError(f"A secure draw supports rates up to {_LARGEST_RATE:g}: this epsilon and n can lead to "
                         f"{largest_rate:.3g}. Choose a smaller epsilon.")
    if are_few(n, k, _LISTED):
        return 4 * (largest_rate * _LOG_WEIGHT_ERROR + WEIGHT_ERROR)
    if k > 2 and min(largest_rate, log_number_of_candidates(n, k)) > math.log(_LARGEST_WORK / k):
        raise ValueError(
            f"A secure draw among more than {_LISTED:,} candidates or {LISTED_CATEGORIES} categories tries up to "
            f"e^rate of them, so with k = {k} the rate epsilon / (2 sensitivity) may be "
            f"{math.log(_LARGEST_WORK / k):.3g} at most: this epsilon and n = {n:,} can lead to {largest_rate:.3g}. "
            f"Choose a smaller epsilon, or a mechanism that adds noise to counts."
        )
    return 4 * (largest_rate * _LOG_WEIGHT_ERROR + _FIXED_POINT_ERROR)


def draw_securely(problem: Problem, rate: float, bits: Bits) -> tuple[int, ...]:
    """One candidate r, P(r) proportional to exp(-rate H), exact but for ``rounding_of_secure_draw``.

    What is made on the way is not kept, as it is a function of the private counts.
    """
    if are_few(problem.n, problem.k, _LISTED):
        candidates = list_candidates(problem.n, problem.k)  # made anew
        chosen = WholeWeights(-rate * distances_to(problem, candidates)).draw(bits)
        return tuple(candidates[chosen].tolist())
    if problem.k == 2:
        return _by_rejection(problem, rate, _Staircase(problem, rate).propose, _MARGIN, most_tries(1 / 4), bits)
    most = most_tries(math.exp(-min(rate, log_number_of_candidates(problem.n, problem.k))))
    return _by_rejection(problem, rate, _uniform(problem.n, problem.k), 0.0, most, bits)


# Rejection --------------------------------------------------------------------------------------------


def _by_rejection(
    problem: Problem, rate: float, propose: _Propose, margin: float, most: int, bits: Bits
) -> tuple[int, ...]:
    """The first accepted proposal; most: how many a fair source makes at most but for probability 2^-200.

    Batches of 1, 2, 4, ...: what a batch proposed beyond the accepted one is dropped.
    """
    size, tried = 1, 0
    while tried < most:
        proposed = [propose(bits) for _ in range(size)]
        for (r, _), x in zip(proposed, _fixed_points(problem, rate, proposed, margin), strict=True):
            if bernoulli_exp_of_any(x, 1 << _POINT, bits):
                return r
        tried, size = tried + size, min(2 * size, _BATCH)
    raise unfair(tried)


def _fixed_points(problem: Problem, rate: float, proposed: list[_Proposal], margin: float) -> list[int]:
    """2^_POINT x, x = rate H(r) - t log 2 + margin, to the nearest whole number; a power of two scales exactly.

    By the margin no x is negative; were rounding larger than stated, x cut at 0 would be wrong by the excess alone.
    """
    r, levels = np.array([r for r, _ in proposed], dtype=np.int64), np.array([level for _, level in proposed])
    x = rate * distances_to(problem, r) - (levels * math.log(2) - margin)
    return [round(max(value, 0.0) * 2.0**_POINT) for value in x.tolist()]


def _uniform(n: int, k: int) -> _Propose:
    """All candidates equally likely: level 0."""
    return lambda bits: (uniform_composition(n, k, bits), 0)


class _Staircase:
    """k = 2: r with probability proportional to 2^-t, a step's t log 2 being at most rate H(r) + margin.

    H grows with |r_1 - c_1| on either side of the truth, as both losses do. A step begins at the first r_1 whose
    computed rate H reaches t log 2, t = 0, ..., T; H beyond is no smaller, so what is computed there falls below
    t log 2 by no more than rounding, 2 rate 1e-11 <= 0.002 < margin. Steps below T rise by log 2, so that half of what
    they propose is accepted but for the margin. The step T holds all the rest, at most n + 1 <= 2^T candidates: at
    height 2^-T its mass is at most 1 <= Z(rate). So the expected trials are at most e^margin (2 e^0.002 + 1) < 4.
    The bisections take as many evaluations whatever the counts are.
    """

    def __init__(self, problem: Problem, rate: float) -> None:
        self.n = problem.n
        last = (self.n + 1).bit_length()
        first = problem.counts[0]
        self.steps: list[tuple[int, int, int]] = []  # first r_1, width, t
        for side, begin, length in ((1, 0, self.n - first), (-1, 1, first)):
            starts = [begin, *self._starts(problem, rate, side, length, last), length + 1]
            for level in range(last + 1):
                low, high = starts[level], starts[level + 1]
                if high > low:
                    self.steps.append((first + low if side > 0 else first - high + 1, high - low, level))
        self.cumulative = list(accumulate(width << (last - level) for _, width, level in self.steps))

    @staticmethod
    def _starts(problem: Problem, rate: float, side: int, length: int, last: int) -> list[int]:
        """For t = 1..last the first distance from c_1, among 1..length + 1, whose computed rate H reaches t log 2."""
        levels = np.arange(1, last + 1) * math.log(2)
        below = np.zeros(last, dtype=np.int64)
        reached = np.full(last, length + 1, dtype=np.int64)
        for _ in range(last):
            middle = (below + reached) // 2
            beside = np.array(problem.counts) + (side * middle)[:, None] * np.array([1, -1])
            enough = rate * distances_to(problem, beside) >= levels
            moves = middle > below
            reached = np.where(moves & enough, middle, reached)
            below = np.where(moves & ~enough, middle, below)
        return [int(start) for start in reached]

    def propose(self, bits: Bits) -> _Proposal:
        start, width, level = self.steps[bisect_right(self.cumulative, uniform_below(self.cumulative[-1], bits))]
        first = start + uniform_below(width, bits)
        return (first, self.n - first), level
