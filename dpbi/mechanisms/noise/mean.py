"""The exact mean distance of noise on the counts, without the list of its outputs and their order.

H = sqrt(1 - y) = sum_m b_m y^m with b_0 = 1 and b_m = -kappa_m, kappa the Taylor coefficients of 1 - sqrt(1 - y): the
weights b_m of ``mixture`` as the rate tends to 0. Since y = BC is a product over categories and the noise is
independent, E[y^m] is a convolution over the noised counts, weighted by what the remainder contributes; where noise on
all counts is independent but for its sum, which is 0, the convolution is read at that sum. Where releases are few,
or noise is so wide that totals beyond n matter, H is summed over all of them, from tabulated losses.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import Counter
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dpbi.mechanisms.noise.law import GeometricNoise, IntegerNoise, cut_log_pmf
from dpbi.mechanisms.noise.steps import StepsNoise
from dpbi.partition.power_sum_curve import RATE_ZERO, Excess
from dpbi.partition.power_sums import Uncertain
from dpbi.posterior.hellinger import chunks, count_loss, distance_of_loss
from dpbi.problem.problem import Problem

_TAIL = 42.0
_LARGEST = 1 << 22  # length of all transforms together: beyond, a mean would take seconds and much memory
_BLOCK = 1 << 16  # losses computed at once
_ACCEPTED = 1e-9  # probability that may be left out of the mean
_SUMMED_SOONER, _SUMMED = 2_000_000, 40_000_000  # releases whose distances are summed: quicker, or a second
_RARE = 1e-18  # probability left out of such a sum: nothing beside the smallest mean that is drawn
_NOTHING = 1e-15  # of probability: rounding
_FLOOR = 1e-17


def mean_distance(
    problem: Problem, noise: IntegerNoise, noised: int, consistent: bool
) -> float | None:
    """E[H] with an error below 1e-9; None where that is not certain.

    problem: prior and counts; noise on the first ``noised`` = k - 1 counts, the last takes the remainder. A release
    whose total exceeds n can have a factor e^{m T} that outgrows rounding, and with ``consistent`` it is cut
    differently: such outputs are left out, and their probability bounds the error. Where they are few, or that is too
    much, all are summed (``_summed``).

    In what is kept, -log y = sum_i l_i - T may cancel where the total exceeds n by e. Then the last category, of
    z = alpha + c/2 say, is empty, and merging all others shows -log y >= D, D ~ (c + e z/X)^2 / (8 z), against
    T ~ e^2 / (8 X), X ~ A + n. So H errs by at most 1e-16 T / sqrt(D) < 1e-16 e / sqrt(z), below 1e-10: e is less than
    ``_LARGEST`` and z >= 1/2.
    """
    if noised == problem.k or _too_long(problem, noise, noised):
        return None
    sums = _RemainderSums(problem, noise, consistent)
    found = _summed(sums, _SUMMED_SOONER)
    if found is None:
        found = _mean(sums)
    return _summed(sums, _SUMMED) if found is None else found


def mean_distance_of_steps_noise(problem: Problem, noise: StepsNoise) -> float | None:
    """E[H] of r = max(c + D, 0), D of ``steps_noise``, with an error below 1e-9; None where that is not certain.

    D is a vector of k two-sided geometric variables given that their sum is 0. Releases whose total exceeds n have a
    part below zero: they are left out, and their probability bounds the error.
    """
    single = GeometricNoise(noise.epsilon / 2)
    if problem.n == 0 or _too_long(problem, single, problem.k):
        return 0.0 if problem.n == 0 else None
    return _mean(_BalancedSums(problem, single, noise))


def _mean(sums: _NoisySums) -> float | None:
    if sums.left_out > _ACCEPTED:
        return None
    try:
        mean = sum(part.expectation(part.slope, 0.0) for part in Excess(sums).parts(RATE_ZERO))
    except Uncertain:
        return None
    return min(max(float(mean), 0.0), 1.0)


def _summed(sums: _RemainderSums, most: int) -> float | None:
    """sum over the noised counts r of P(r) H(r), -log y from sum_i l_i(r_i) and what the remainder adds.

    All counts but the last are joined, the rarest dropped while they weigh ``_RARE`` together. None where there are
    more than ``most``, and where a loss could cancel further (z < 1/2 above) or a window of those cut in turn stops
    short of 0.
    """
    problem, in_turn = sums.problem, sums.consistent
    by_kind = dict(zip(sums.kinds, sums.windows, strict=True))
    windows = [by_kind[kind] for kind in zip(problem.prior[:-1], problem.counts[:-1], strict=True)]
    short = any(count + own[0] for count, (own, *_) in zip(problem.counts, windows, strict=False))
    cancels = problem.prior[-1] + problem.counts[-1] / 2 < 0.5
    sizes = [own.size for own, *_ in windows]
    laws = (problem.n + 1) * max(sizes) if in_turn else 0  # numbers of the largest of the laws cut in turn
    if (short if in_turn else cancels) or max(math.prod(sizes), laws) > most:
        return None

    def law(position: int) -> NDArray[np.float64]:
        """P(r) of a count, (window,), or where cut in turn with 0, ..., n left, (n + 1, window)."""
        own, probability, _ = windows[position]
        if not in_turn:
            return probability
        count, left = problem.counts[position], np.arange(problem.n + 1)[:, None]
        return np.exp(cut_log_pmf(sums.noise, count, count + own, left))

    offset, probability, log_affinity = np.zeros(1, dtype=np.int64), np.ones(1), np.zeros(1)
    left = problem.n - np.cumsum((0, *problem.counts))  # where all before are released as they are
    last = len(windows) - 1
    for i, (own, _, its_log_affinity) in enumerate(windows[:-1]):
        likely = probability[:, None] * (law(i)[left[i] - offset] if in_turn else law(i))
        kept = likely > _RARE / (last * likely.size)
        offset, log_affinity = (np.add.outer(*both)[kept] for both in ((offset, own), (log_affinity, its_log_affinity)))
        probability = likely[kept]
    own, _, its_log_affinity = windows[last]
    last_law, least = law(last), int(offset.min() + own[0])
    remainder, mean = sums.log_factors(np.arange(least, int(offset.max() + own[-1]) + 1)), 0.0
    for rows in chunks(offset.size, own.size, _BLOCK):
        log_y = np.add.outer(log_affinity[rows], its_log_affinity)
        log_y += remainder[np.add.outer(offset[rows] - least, own)]
        likely = last_law[left[last] - offset[rows]] if in_turn else last_law
        mean += float(probability[rows] @ (distance_of_loss(-log_y) * likely).sum(axis=1))
    return min(mean, 1.0)


def _too_long(problem: Problem, noise: IntegerNoise, noised: int) -> bool:
    return _length(noise, noised) * len(_kinds(problem, noised)) > _LARGEST


def _kinds(problem: Problem, noised: int) -> dict[tuple[float, int], int]:
    """The noised categories by prior parameter and count, and how often each kind stands."""
    return dict(Counter(zip(problem.prior[:noised], problem.counts[:noised], strict=True)))


def _length(noise: IntegerNoise, noised: int) -> int:
    """A power of two beyond which the sum of the noises does not reach, so that the transform has no alias."""
    reach, spread = _TAIL / noise.decay, np.sqrt(2.0 * noised) / noise.decay
    return 1 << int(np.ceil(np.log2(2 * (1.2 * reach + 10 * spread) + 16)))


class _NoisySums(ABC):
    """log(E[y^m] - P(r = c)) for real m >= 0, by one Fourier transform per kind of noised category.

    left_out: the probability of the releases that are not kept; truth: P(r = c).
    """

    left_out: float
    truth: float

    def __init__(self, problem: Problem, noise: IntegerNoise, noised: int) -> None:
        self.problem, self.noise = problem, noise
        self.kinds = _kinds(problem, noised)
        self.length = _length(noise, noised)
        self.reach = int(min(np.ceil(_TAIL / noise.decay) + 1, problem.n))
        self.windows = [self._window(*pair) for pair in self.kinds]
        self.nothing_from = np.inf

    def _window(self, alpha: float, count: int) -> tuple[NDArray, NDArray, NDArray]:
        """Offsets, probabilities and -l of one noised category."""
        r = np.arange(max(0, count - self.reach), min(self.problem.n, count + self.reach) + 1)
        return r - count, self._probability(count, r), -count_loss(alpha, count, r)

    @abstractmethod
    def _probability(self, count: int, released: NDArray) -> NDArray[np.float64]:
        """Of one noised count."""

    @abstractmethod
    def _moment(self, m: float) -> float:
        """E[y^m; the release is kept]."""

    def _law(self, m: float) -> NDArray[np.float64]:
        """E[prod over noised i of g_i^m; the noised counts sum to 0, 1, ..., -2, -1 too much]."""
        transform = np.ones(self.length // 2 + 1, dtype=complex)
        for times, (offset, probability, log_affinity) in zip(self.kinds.values(), self.windows, strict=True):
            weight = np.bincount(offset % self.length, probability * np.exp(m * log_affinity), self.length)
            transform *= np.fft.rfft(weight) ** times
        return np.maximum(np.fft.irfft(transform, self.length), 0.0)

    @cached_property
    def last(self) -> float:
        """The first power of two, from 16 on, at which what is left is rounding."""
        m = 16.0
        while self.log_excess(m) > np.log(_NOTHING):
            m *= 2
        return m

    def log_excess(self, m: float) -> float:
        if m >= self.nothing_from:  # it falls with m: once it is rounding, it stays so
            return float(np.log(_FLOOR))
        excess = self._moment(m) - self.truth
        if excess < _NOTHING:
            self.nothing_from = m
        return float(np.log(max(excess, _FLOOR)))


class _RemainderSums(_NoisySums):
    """Independent noise on all counts but the last, cut; the last takes what remains of n."""

    def __init__(self, problem: Problem, noise: IntegerNoise, consistent: bool) -> None:
        super().__init__(problem, noise, problem.k - 1)
        self.consistent = consistent

    @cached_property
    def log_factor(self) -> NDArray[np.float64]:
        return self.log_factors(self._shift)

    @cached_property
    def _shift(self) -> NDArray[np.int64]:
        return np.fft.fftfreq(self.length, 1 / self.length).astype(np.int64)

    @cached_property
    def kept(self) -> NDArray[np.bool_]:
        return (self.log_factor <= 0) & (not self.consistent or self._shift <= self.problem.counts[-1])

    @cached_property
    def left_out(self) -> float:  # type: ignore[override]
        return float(self._law(0.0)[~self.kept].sum())

    @cached_property
    def truth(self) -> float:  # type: ignore[override]
        return float(np.exp(sum(times * np.log(float(window[1][window[0] == 0][0]))
                                for times, window in zip(self.kinds.values(), self.windows, strict=True))))

    def _probability(self, count: int, released: NDArray) -> NDArray[np.float64]:
        return np.exp(cut_log_pmf(self.noise, count, released, self.problem.n))

    def log_factors(self, shift: NDArray[np.int64]) -> NDArray[np.float64]:
        """-l of the last category plus the term of the total, when the noised counts sum to ``shift`` too much."""
        alpha, count, n = self.problem.prior[-1], self.problem.counts[-1], self.problem.n
        factor = np.empty(shift.size)
        for part in chunks(shift.size, 1, _BLOCK):  # a loss holds a dozen arrays of the length it is given
            last, excess = np.clip(count - shift[part], 0, n), np.maximum(shift[part] - count, 0)
            total = count_loss(sum(self.problem.prior), n, n + excess)
            factor[part] = total - count_loss(alpha, count, last)
        return factor

    def _moment(self, m: float) -> float:
        return float(self._law(m)[self.kept] @ np.exp(m * self.log_factor[self.kept]))


class _BalancedSums(_NoisySums):
    """Two-sided geometric noise on all counts given that it sums to 0; what lies below zero is left out."""

    def __init__(self, problem: Problem, single: GeometricNoise, noise: StepsNoise) -> None:
        super().__init__(problem, single, problem.k)
        self.truth = float(np.exp(-noise.log_partition))
        # P(sum = 0) of the free noise, times P(truth) = P(no noise at all)
        self.balanced = float(np.exp(problem.k * single.log_pmf(0))) / self.truth
        self.left_out = max(0.0, 1.0 - self._moment(0.0))

    def _probability(self, count: int, released: NDArray) -> NDArray[np.float64]:
        return np.exp(self.noise.log_pmf(released - count))

    def _moment(self, m: float) -> float:
        return float(self._law(m)[0]) / self.balanced
