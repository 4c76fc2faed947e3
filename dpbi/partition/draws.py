"""Exact draws of a candidate with probability proportional to exp(-rate H): from a list, or through the mixture.

Where the candidates can be listed, an inverse distribution function. Elsewhere the mixture sum_m a_m BC^m is cut into
groups m_g <= m < m_{g+1}: draw a group with probability proportional to (sum of its a_m) Z_{m_g}, m in it
proportional to a_m, r proportional to BC^{m_g}, and accept with probability BC(r)^{m - m_g}; what is accepted has
weight sum_m a_m BC(r)^m = exp(-rate H(r)). A last group holds the m whose Z_m - 1 no longer counts: the truth.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.polynomial.legendre import leggauss
from numpy.typing import NDArray

from dpbi import limits
from dpbi.partition.mixture import log_weight, log_weights
from dpbi.partition.power_sum_curve import Excess, excess_curve
from dpbi.partition.power_sums import Uncertain, power_sums
from dpbi.posterior.hellinger import count_loss, distances_to
from dpbi.problem import Problem, are_few, check_problem, list_candidates

_LISTED = 200_000  # candidates; a list of this length is faster than the mixture
_SHORT = 1_000  # candidates
_LISTED_LINE = 2_000_000  # as _LISTED where k = 2: the list is the numbers 0..n
_SMALLEST_STEP = 0.002  # between the ends of a group of m, relative
_TABLE = 4096  # a_m up to here are summed and tabulated
_PIECES = 2048  # pieces of a wide group, on each of which a_m hardly varies
_KEPT_KINDS = 32  # a sampler has up to 45 kB per kind of category: 64 samplers of more kinds are not kept
_MARGIN = 1e-9  # of rounding, in a piece's height
_RISE = 0.3  # by which a log weight may change over half a piece
_NO_MATTER = 60.0  # a piece whose log weight is lower than the highest by this is not drawn in any number of draws
_MOST_PIECES = 1 << 16  # before they are halved where they must be
_STEEPEST = 1.5  # fall of log Z_m over a group: e^-1.5 of its draws are accepted at least
_LEAST_ACCEPTED = 1e-3


def sample(problem: Problem, rate: float, rng: np.random.Generator, size: int) -> NDArray[np.int64]:
    """Independent released counts r, P(r) = exp(-rate H(c, r)) / Z(rate), int64 (size, k).

    problem: prior and counts; rate >= 0; rng: the only source of randomness; size >= 0.
    Raises ValueError for a negative or infinite rate and for what is no Generator.
    Source: ours (README, "Exact laws").
    """
    k, rate, rng = check_problem(problem).k, limits.check_rate(rate), limits.check_generator(rng)
    size = limits.check_size(size, k)
    if are_few(problem.n, k, _LISTED_LINE if k == 2 else _LISTED):
        return _from_list(problem, rate, rng, size)
    return _from_mixture(problem, rate, rng, size)


def _from_list(problem: Problem, rate: float, rng: np.random.Generator, size: int) -> NDArray[np.int64]:
    candidates, distance = _listed(problem)
    cumulative = np.cumsum(np.exp(-rate * distance))
    chosen = np.searchsorted(cumulative, rng.random(size) * cumulative[-1], side="right")
    return candidates[np.minimum(chosen, cumulative.size - 1)]


def listed_log_partition(problem: Problem, rate: float) -> float | None:
    """log Z(rate) from the list, None where it would be long: for a small space quicker than the mixture."""
    if not are_few(problem.n, problem.k, _LISTED):
        return None
    return float(np.log(np.exp(-rate * _listed(problem)[1]).sum()))


def _listed(problem: Problem) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    return (_kept_short if are_few(problem.n, problem.k, _SHORT) else _kept_long)(problem)


def _list(problem: Problem) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    candidates = list_candidates(problem.n, problem.k)
    return candidates, distances_to(problem, candidates)


# Of up to 130 kB and 48 MB each
_kept_short, _kept_long = lru_cache(maxsize=256)(_list), lru_cache(maxsize=2)(_list)


def _from_mixture(problem: Problem, rate: float, rng: np.random.Generator, size: int) -> NDArray[np.int64]:
    if rate == 0 or problem.n == 0:
        return _uniform_compositions(problem, rng, size)
    groups = _Groups(problem, rate)
    released = np.empty((size, problem.k), dtype=np.int64)
    waiting = np.arange(size)
    while waiting.size:
        drawn = rng.choice(groups.probability.size, size=waiting.size, p=groups.probability)
        accepted = np.zeros(waiting.size, dtype=bool)
        for g in np.unique(drawn):
            here = np.flatnonzero(drawn == g)
            released[waiting[here]], accepted[here] = groups.draw(int(g), rng, here.size)
        waiting = waiting[~accepted]
    return released


def _uniform_compositions(problem: Problem, rng: np.random.Generator, size: int) -> NDArray[np.int64]:
    """All candidates equally likely: multinomial counts under a flat Dirichlet are uniform over compositions."""
    share = rng.dirichlet(np.ones(problem.k), size=size)
    return rng.multinomial(problem.n, share / share.sum(axis=1, keepdims=True)).astype(np.int64)


class _Groups:
    """The groups of m that matter at one rate: their probabilities, and draws (r, accepted) from each."""

    def __init__(self, problem: Problem, rate: float) -> None:
        self.problem, self.rate = problem, rate
        curve = excess_curve(problem)
        low, high = curve.relevant(rate)
        self.starts = _group_starts(low, high, problem.k, curve)
        self.log_a = log_weights(rate, _TABLE)
        log_z = np.logaddexp(0.0, curve.at(self.starts[:-1].astype(float)))
        # Outside the range Z_m - 1 no longer counts, so that BC^m is the truth alone.
        log_outside = np.log(max(1.0 - np.exp(self._log_masses()).sum(), 0.0) + np.finfo(float).tiny)
        log_mass = np.append(self._log_masses() + log_z, log_outside)
        weight = np.exp(log_mass - log_mass.max())
        self.probability = weight / weight.sum()

    def _log_masses(self) -> NDArray[np.float64]:
        """log of the sum of a_m over each group."""
        low, high = self.starts[:-1], self.starts[1:]
        summed = high <= _TABLE
        masses = np.empty(low.size)
        if summed.any():
            masses[summed] = np.logaddexp.reduceat(self.log_a[: high[summed][-1]], low[summed])
        # sum_{m=low}^{high-1} = int_{low-1/2}^{high-1/2}, relative error of the order (1/m)^2 / 24
        left, right = np.log(low[~summed, None] - 0.5), np.log(high[~summed, None] - 0.5)
        m = np.exp(left + (right - left) * _NODES)
        masses[~summed] = np.logaddexp.reduce(log_weight(self.rate, m) + np.log(m * _WEIGHTS * (right - left)), axis=1)
        return masses

    def draw(self, g: int, rng: np.random.Generator, size: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        if g == self.starts.size - 1:
            return np.tile(np.array(self.problem.counts), (size, 1)), np.ones(size, dtype=bool)
        low, high = int(self.starts[g]), int(self.starts[g + 1])
        if low == 0:
            return _uniform_compositions(self.problem, rng, size), np.ones(size, dtype=bool)
        m = self._draw_m(low, high, rng, size)
        few = power_sums(self.problem).multiplicity.size <= _KEPT_KINDS
        r = (_kept_sampler if few else _power_sampler)(self.problem, low).draw(rng, size)
        loss = count_loss(np.array(self.problem.prior), np.array(self.problem.counts), r).sum(axis=1)
        return r, rng.random(size) < np.exp(-(m - low) * loss)

    def _draw_m(self, low: int, high: int, rng: np.random.Generator, size: int) -> NDArray[np.int64]:
        if high <= _TABLE:
            weight = np.exp(self.log_a[low:high] - self.log_a[low:high].max())
            return low + rng.choice(high - low, size=size, p=weight / weight.sum())
        edges = np.unique(np.linspace(low, high, _PIECES + 1).astype(np.int64))
        return _Pieces(edges, lambda m: log_weight(self.rate, m.astype(float))).draw(rng, size)


def _group_starts(low: int, high: int, k: int, curve: Excess) -> NDArray[np.int64]:
    """Whole numbers from low to high, growing by a ratio that keeps BC(r)^{m - m_g} near 1.

    m (-log BC) is about (k - 1)/2 on average, so the ratio 1 + 1/k costs a quarter of the draws at most. Where it is
    more, as under tiny priors, the fall of log Z_m over a group says so: what is accepted at m is Z_m / Z_{m_g}.
    """
    ratio = 1 + max(_SMALLEST_STEP, 1.0 / k)
    starts = [low]
    while starts[-1] < high:
        starts.append(max(starts[-1] + 1, int(starts[-1] * ratio)))
    edges = np.array(starts, dtype=np.int64)
    while True:
        log_z = np.logaddexp(0.0, curve.at(edges.astype(float)))
        steep = (log_z[:-1] - log_z[1:] > _STEEPEST) & (np.diff(edges) > 1) & (edges[:-1] > 0)
        if not steep.any():
            return edges
        edges = np.sort(np.concatenate([edges, (edges[:-1] + edges[1:])[steep] // 2]))


class _Pieces:
    """Whole numbers with a log weight, by rejection from a staircase above it.

    edges: increasing whole numbers; piece i holds edges[i] <= x < edges[i+1]. Pieces of one number need no rejection;
    wider ones are halved until the weight is nearly constant on each, or too small to matter. Where the log weight is
    concave on a piece it stays below its value at the middle continued by the steeper of both half chords; where it is
    convex or monotone, below its ends.
    """

    def __init__(self, edges: NDArray[np.int64], log_weight_of: Callable[[NDArray], NDArray[np.float64]]) -> None:
        self.log_weight_of = log_weight_of
        while True:
            width = np.diff(edges)
            middle = edges[:-1] + (width - 1) // 2
            first, half, final = (log_weight_of(x) for x in (edges[:-1], middle, edges[1:] - 1))
            highest = np.maximum(np.maximum(first, final), half)
            rise = np.maximum(np.abs(half - first), np.abs(final - half))
            uneven = (width > 1) & (rise > _RISE) & (highest + np.log(width) > highest.max() - _NO_MATTER)
            if not uneven.any():
                break
            edges = np.sort(np.concatenate([edges, middle[uneven] + 1]))
        self.edges = edges
        self.single = bool((width == 1).all())
        self.height = highest + np.where(width > 1, rise + _MARGIN, 0.0)
        self.top = self.height.max()
        self.cumulative = np.cumsum(np.exp(self.height - self.top) * width)

    def draw(self, rng: np.random.Generator, size: int) -> NDArray[np.int64]:
        drawn = np.empty(size, dtype=np.int64)
        waiting = np.arange(size)
        while waiting.size:
            piece = np.searchsorted(self.cumulative, rng.random(waiting.size) * self.cumulative[-1], side="right")
            piece = np.minimum(piece, self.cumulative.size - 1)
            x = self.edges[piece] if self.single else rng.integers(self.edges[piece], self.edges[piece + 1])
            drawn[waiting] = x
            if self.single:
                break
            refused = rng.random(waiting.size) >= np.exp(self.log_weight_of(x) - self.height[piece])
            waiting = waiting[refused]
        return drawn


def _power_sampler(problem: Problem, m: int) -> _Sampler:
    """Independent draws and a remainder where enough of them are accepted, else category by category.

    Raises ValueError, before anything is drawn, where neither can be done.
    """
    sums = power_sums(problem)
    try:
        sampler = _PowerSampler(problem, m)
        # What is accepted: all candidates' weights over all proposals' at the last's peak
        if sums.log_sum(m) - sampler.log_proposed > np.log(_LEAST_ACCEPTED):
            return sampler
    except Uncertain:
        if not sums.can_be_convolved:
            raise
    if sums.can_be_convolved:
        return _ChainSampler(problem, m)
    raise ValueError("Draws of the exponential mechanism would be accepted too rarely at this prior and these counts. "
                     "Prior parameters of more alike size, or fewer records, can be drawn.")


_kept_sampler = lru_cache(maxsize=64)(_power_sampler)


class _ChainSampler:
    """r category by category: each given the records left, by the sums of all that can follow.

    P(r_j | s records left) = g_j(r_j)^m S_{j+1}(s - r_j) / S_j(s), S_j(s) = sum over r_j + ... + r_k = s of the
    product of g^m: convolutions of positive numbers, right at any prior.
    """

    def __init__(self, problem: Problem, m: int) -> None:
        self.n = problem.n
        released = np.arange(self.n + 1)
        self.weights = [np.exp(-m * count_loss(alpha, count, released))
                        for alpha, count in zip(problem.prior, problem.counts, strict=True)]
        self.following = [self.weights[-1]]
        for weight in self.weights[-2:0:-1]:
            self.following.append(np.convolve(weight, self.following[-1])[: self.n + 1])
        self.following.reverse()

    def draw(self, rng: np.random.Generator, size: int) -> NDArray[np.int64]:
        released = np.empty((size, len(self.weights)), dtype=np.int64)
        left = np.full(size, self.n)
        for j, (weight, following) in enumerate(zip(self.weights[:-1], self.following, strict=True)):
            uniform = rng.random(size)
            for s in np.unique(left):
                here = np.flatnonzero(left == s)
                cumulative = np.cumsum(weight[: s + 1] * following[s::-1])
                chosen = np.searchsorted(cumulative, uniform[here] * cumulative[-1], side="right")
                released[here, j] = np.minimum(chosen, s)
            left = left - released[:, j]
        released[:, -1] = left
        return released


class _PowerSampler:
    """r with probability proportional to BC(r)^m over all candidates.

    All categories but the most variable are drawn independently from their tilted weights, the last is what remains;
    it is accepted with its own weight over that weight's maximum. The acceptance is about sd_last / sd_total.
    """

    def __init__(self, problem: Problem, m: int) -> None:
        self.problem, self.m = problem, m
        sums = power_sums(problem)
        bulk, self.kinds = sums.bulk(m), sums.positions()
        self.theta = bulk.tilt
        _, log_totals = bulk.shares(bulk.tilt)
        rows = bulk.rows()
        self.pieces = [self._pieces(int(kind[0]), *row) for kind, row in zip(self.kinds, rows, strict=True)]
        widest = int(np.argmax([spread for *_, spread in rows]))
        self.last = int(self.kinds[widest][-1])
        self.peak = float(self.pieces[widest].top)
        self.log_proposed = float(sums.multiplicity @ log_totals - log_totals[widest]) + self.peak

    def _log_weight(self, position: int, offset: NDArray) -> NDArray[np.float64]:
        count = self.problem.counts[position]
        loss = count_loss(self.problem.prior[position], count, count + offset)
        return self.theta * offset - self.m * loss

    def _pieces(self, position: int, low: int, high: int, spread: float) -> _Pieces:
        # A Gaussian piece of a 64th deviation varies by at most a sixth at 10 deviations.
        width = max(1, int(spread / 64), (high - low) // _MOST_PIECES)
        edges = np.unique(np.concatenate([np.arange(low, high + 1, width), [0, high + 1]]))
        return _Pieces(edges, lambda d: self._log_weight(position, d))

    def draw(self, rng: np.random.Generator, size: int) -> NDArray[np.int64]:
        counts = np.array(self.problem.counts, dtype=np.int64)
        accepted: list[NDArray] = []
        missing, rate = size, 1.0
        while missing > 0:
            tried = min(int(missing / rate * 1.1) + 64, max(4_000_000 // self.problem.k, 64))
            offsets = self._propose(rng, tried)
            offsets[:, self.last] = -offsets.sum(axis=1)
            fits = np.flatnonzero(counts[self.last] + offsets[:, self.last] >= 0)
            log_accept = self._log_weight(self.last, offsets[fits, self.last]) - self.peak
            kept = fits[rng.random(fits.size) < np.exp(log_accept)]
            accepted.append(counts + offsets[kept])
            missing -= kept.size
            rate = max((kept.size + 1) / (tried + 1), 1e-4)
        return np.concatenate(accepted)[:size]

    def _propose(self, rng: np.random.Generator, size: int) -> NDArray[np.int64]:
        """Offsets of all but the last."""
        offsets = np.zeros((size, self.problem.k), dtype=np.int64)
        for positions, pieces in zip(self.kinds, self.pieces, strict=True):
            wanted = positions[positions != self.last]
            offsets[:, wanted] = pieces.draw(rng, size * wanted.size).reshape(size, wanted.size)
        return offsets


_Sampler = _ChainSampler | _PowerSampler

_NODES, _WEIGHTS = (leggauss(20)[0] + 1) / 2, leggauss(20)[1] / 2
