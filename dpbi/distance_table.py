"""Every output of a mechanism, weighted and sorted by its Hellinger distance and steps from the true posterior.

Small output spaces are held exactly, one row per (distance level, step). In large ones the nearest outputs still are;
the others fall into narrow bins of H that keep the moments of H about the bin's centre, so that any weight
exp(-rate H) can be applied afterwards, without visiting the outputs again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from math import factorial

import numpy as np
from numpy.typing import NDArray

from dpbi.candidates import number_of_candidates
from dpbi.hellinger import affinity_loss, distance_of_loss
from dpbi.noise import IntegerNoise, cut_log_pmf
from dpbi.problem import Problem

LISTABLE = 40_000_000  # outputs visited at most: 36 million (k = 4, n = 600) take about a second
_LEVELS = 300_000  # up to here every output is its own row
_LINE = 2_000_000  # as _LEVELS where k = 2: one row per output is cheap
_NEAR = 100_000  # in a larger space, this many nearest outputs at least stay exact
_NEAREST = 20_000  # where the outputs cannot be listed, at most this many of the nearest are
_CELLS = 700_000  # bins times steps
_BLOCK = 1 << 20
_MOMENTS = 5  # of H in a bin: the tilt by exp(-rate H) then errs by (rate width / 2)^5 / 5!
NEGLIGIBLE = 42.0  # e^-42 = 6e-19 is left out of a window of noise

# Distances this close are one level: symmetric outputs differ in their last digits only.
_SLACK_ABSOLUTE, _SLACK_RELATIVE = 1e-12, 1e-10


def slack(distance: NDArray | float) -> NDArray | float:
    """How far two distances may lie apart and still be the same level."""
    return _SLACK_ABSOLUTE + _SLACK_RELATIVE * distance


@dataclass(frozen=True, eq=False)
class DistanceTable:
    """Rows of outputs: exact levels first, then bins; sorted by distance, then steps.

    distance: (rows,) the level's H, or the bin's centre; steps: (rows,) ||r - c||_1 / 2;
    moments: (orders, rows), sum over the row's outputs of weight (H - distance)^q, q = 0, 1, ...;
    levels: number of leading rows that are exact; edges: of the bins, None where there are none.
    """

    distance: NDArray[np.float64]
    steps: NDArray[np.float64]
    moments: NDArray[np.float64]
    levels: int
    edges: NDArray[np.float64] | None

    def tilted(self, rate: float, log_scale: float = 0.0) -> DistanceTable:
        """The table with every weight times exp(-rate H - log_scale), holding the moments of order 0 and 1.

        With H = d + x inside a bin, exp(-rate H) = e^{-rate d} sum_p (-rate x)^p / p!, cut where the moments end.
        """
        order = len(self.moments)
        # (-rate)^p / p! can overflow only where e^{-rate d} is zero: the bins lie away from distance 0.
        with np.errstate(over="ignore", invalid="ignore"):
            terms = [(-rate) ** p / factorial(p) for p in range(order)]
            far = self.moments[:, self.levels:]
            scale = np.exp(-rate * self.distance[self.levels:] - log_scale)
            mass = scale * sum(term * far[p] for p, term in enumerate(terms))
            first = scale * sum(term * far[p + 1] for p, term in enumerate(terms[:-1]))
        alive = scale > 0
        near = np.exp(-rate * self.distance[: self.levels] - log_scale) * self.moments[0, : self.levels]
        moments = np.zeros((2, self.distance.size))
        moments[0] = np.concatenate([near, np.where(alive, np.maximum(mass, 0.0), 0.0)])
        moments[1, self.levels:] = np.where(alive, first, 0.0)
        return replace(self, moments=moments)


def candidates_table(problem: Problem) -> DistanceTable | None:
    """All candidates of this problem with weight 1; None where there are more than LISTABLE of them."""
    if number_of_candidates(problem.n, problem.k) > LISTABLE:
        return None
    return _candidates_table(problem)


@lru_cache(maxsize=4)
def _candidates_table(problem: Problem) -> DistanceTable:
    total = number_of_candidates(problem.n, problem.k)
    exact = _LINE if problem.k == 2 else _LEVELS
    rows = _Rows(_largest_distance(problem), problem.n + 1, keep=total if total <= exact else _NEAR, orders=_MOMENTS)
    for loss, moved in _paired_blocks(problem):
        rows.add(distance_of_loss(loss), moved >> 1, None)
    return rows.table(step=1.0)


def _largest_distance(problem: Problem) -> float:
    """H to the farthest corner n e_i, where the bins end (a rare output beyond joins the last bin)."""
    half_gaps = (problem.n * np.eye(problem.k) - np.array(problem.counts)) / 2
    return float(distance_of_loss(affinity_loss(np.array(problem.posterior), half_gaps).sum(axis=1)).max())


def _paired_blocks(problem: Problem) -> Iterator[tuple[NDArray, NDArray]]:
    """Loss and L1 distance of every candidate, in blocks.

    The categories are split in two groups; for each sum s of the first, every composition of s is paired with every
    composition of n - s in the second: the loss adds, so a block is an outer sum and no candidate is written out.
    """
    n, half = problem.n, problem.k // 2
    if problem.k == 2:
        yield _two_categories(problem)
        return
    first, second = _compositions(problem, range(half)), _compositions(problem, range(half, problem.k))
    loss, moved, filled = np.empty(0), np.empty(0, dtype=np.int32), 0
    for s in range(n + 1):
        (loss_a, moved_a), (loss_b, moved_b) = first[s], second[n - s]
        for rows in _chunks(loss_a.size, loss_b.size):
            size = loss_a[rows].size * loss_b.size
            if filled + size > loss.size:
                if filled:
                    yield loss[:filled], moved[:filled]
                loss, moved, filled = np.empty(max(size, _BLOCK)), np.empty(max(size, _BLOCK), dtype=np.int32), 0
            shape, end = (-1, loss_b.size), filled + size
            np.add.outer(loss_a[rows], loss_b, out=loss[filled:end].reshape(shape))
            np.add.outer(moved_a[rows], moved_b, out=moved[filled:end].reshape(shape))
            filled = end
    yield loss[:filled], moved[:filled]


def _two_categories(problem: Problem) -> tuple[NDArray, NDArray]:
    moved = np.arange(problem.n + 1) - problem.counts[0]
    loss = affinity_loss(problem.posterior[0], moved / 2) + affinity_loss(problem.posterior[1], -moved / 2)
    return loss, 2 * np.abs(moved)


def _chunks(rows: int, columns: int) -> Iterator[slice]:
    """Slices of rows that make outer sums of at most a block."""
    height = max(1, _BLOCK // columns)
    return (slice(start, start + height) for start in range(0, rows, height))


def _compositions(problem: Problem, group: range) -> list[tuple[NDArray, NDArray]]:
    """For s = 0..n: loss and L1 distance of every way the categories of the group can hold s records."""
    r = np.arange(problem.n + 1)
    i, rest = group[0], group[1:]
    half_gap = (r - problem.counts[i]) / 2
    loss = affinity_loss(problem.posterior[i], half_gap)
    moved = np.abs(r - problem.counts[i]).astype(np.int32)
    if not rest:
        return [(loss[s:s + 1], moved[s:s + 1]) for s in r]
    if len(rest) == 1:
        others, moves = (np.concatenate(column) for column in zip(*_compositions(problem, rest), strict=True))
        return [(loss[:s + 1] + others[s::-1], moved[:s + 1] + moves[s::-1]) for s in r]
    tails = _compositions(problem, rest)
    return [(np.concatenate([loss[t] + tails[s - t][0] for t in range(s + 1)]),
             np.concatenate([moved[t] + tails[s - t][1] for t in range(s + 1)])) for s in r]


@lru_cache(maxsize=16)
def nearest_table(problem: Problem, distance: float) -> DistanceTable:
    """All candidates with H up to the given distance, or up to less where there are too many of them, with weight 1."""
    # A level is kept whole: the cut lies beyond the slack of the last distance wanted.
    loss = -np.log1p(-min(distance * (1 + 1e-9) + 1e-11, 1 - 1e-15) ** 2)
    while (near := _within(problem, loss)) is None:
        loss /= 4
    rows = _Rows(1.0, problem.n + 1, keep=_NEAREST, orders=1)
    rows.add(distance_of_loss(near[0]), near[1] >> 1, None)
    return rows.table(step=1.0)


def _within(problem: Problem, largest: float) -> tuple[NDArray, NDArray] | None:
    """Loss and L1 distance of the candidates whose loss is at most ``largest``; None where there are too many.

    Categories are taken in turn, and a partial candidate is dropped when its loss, which only grows, is too large.
    The largest category comes last: it takes what remains, so that its own wide range is never listed.
    """
    loss: NDArray = np.zeros(1)
    moved: NDArray = np.zeros(1, dtype=np.int64)
    surplus: NDArray = np.zeros(1, dtype=np.int64)
    *others, last = np.argsort(problem.posterior, kind="stable")
    for i in others:
        offsets = _offsets_within(problem, i, largest)
        if offsets is None or loss.size * offsets.size > 20 * _NEAREST:
            return None
        own = affinity_loss(problem.posterior[i], offsets / 2)
        rows, columns = np.nonzero(loss[:, None] + own <= largest)
        loss, moved = loss[rows] + own[columns], moved[rows] + np.abs(offsets[columns])
        surplus = surplus[rows] + offsets[columns]
        if loss.size > _NEAREST:
            return None
    possible = surplus <= problem.counts[last]
    loss, moved, surplus = loss[possible], moved[possible], surplus[possible]
    loss = loss + affinity_loss(problem.posterior[last], -surplus / 2)
    kept = loss <= largest
    return loss[kept], (moved + np.abs(surplus))[kept]


def _offsets_within(problem: Problem, i: int, largest: float) -> NDArray[np.int64] | None:
    """All d = r_i - c_i >= -c_i whose own loss is at most ``largest``, an interval around 0; None if it is too long."""
    ends = []
    for side, limit in ((-1, problem.counts[i]), (1, problem.n)):
        reach = min(1, limit)
        while reach < limit and affinity_loss(problem.posterior[i], side * reach / 2) <= largest:
            reach = min(2 * reach, limit)
        if reach > 20 * _NEAREST:
            return None
        ends.append(reach)
    window = np.arange(-ends[0], ends[1] + 1)
    return window[affinity_loss(problem.posterior[i], window / 2) <= largest]


def noisy_counts_table(
    problem: Problem, noise: IntegerNoise, noised: int, consistent: bool
) -> DistanceTable | None:
    """The outputs of integer noise on the first ``noised`` counts, weighted by their probability.

    Each noised count is cut to [0, n], or to what the earlier ones left where ``consistent``; a last category without
    noise takes the remainder. None where the windows of likely noise hold more than LISTABLE outputs.
    """
    reach = int(min(problem.n, np.ceil(NEGLIGIBLE / noise.decay)))
    windows = [np.arange(max(0, c - reach), min(problem.n, c + reach) + 1) for c in problem.counts[:noised]]
    if sum(np.log(window.size) for window in windows) > np.log(LISTABLE):
        return None
    partial = _NoisyRows.start(problem.n)
    for i in range(noised - 1):
        partial = partial.extended(problem, noise, i, windows[i], consistent)
    total = partial.probability.size * windows[-1].size
    farthest = int(2 * sum(max(c - w[0], w[-1] - c) for c, w in zip(problem.counts, windows, strict=False)))
    exact = _LINE if noised == 1 else _LEVELS
    rows = _Rows(1.0, farthest + 1, keep=total if total <= exact else _NEAR, orders=2)
    for part in _chunks(partial.probability.size, windows[-1].size):
        block = partial.rows(part).extended(problem, noise, noised - 1, windows[-1], consistent)
        if noised < problem.k:
            block = block.remainder(problem)
        rows.add(block.distances(problem), block.moved, block.probability)
    return rows.table(step=0.5)


@dataclass(frozen=True, eq=False)
class _NoisyRows:
    """Partial outputs of the Laplace family: what the counts so far contribute."""

    n: int
    loss: NDArray
    moved: NDArray
    released: NDArray  # total released so far
    probability: NDArray

    @classmethod
    def start(cls, n: int) -> _NoisyRows:
        zero = np.zeros(1, dtype=np.int64)
        return cls(n, np.zeros(1), zero, zero, np.ones(1))

    def rows(self, part: slice) -> _NoisyRows:
        return _NoisyRows(self.n, self.loss[part], self.moved[part], self.released[part], self.probability[part])

    def extended(
        self, problem: Problem, noise: IntegerNoise, i: int, window: NDArray, consistent: bool
    ) -> _NoisyRows:
        """Every row with every value of count i, rows of no probability dropped."""
        count = problem.counts[i]
        loss = affinity_loss(problem.posterior[i], (window - count) / 2)
        moved = np.abs(window - count)
        if not consistent:
            probability = np.exp(cut_log_pmf(noise, count, window, self.n))
            return self._joined(np.add.outer(self.loss, loss), np.add.outer(self.moved, moved),
                                np.add.outer(self.released, window), np.multiply.outer(self.probability, probability))
        left = (self.n - self.released)[:, None]
        # Where what is left lies below the whole window, the count is cut there for certain.
        value = np.where((left < window[0]) & (np.arange(window.size) == 0), left, window)
        probability = np.exp(cut_log_pmf(noise, count, value, left))
        probability = np.where((value == left) & (left < window[0]), 1.0, probability)
        below = affinity_loss(problem.posterior[i], (np.minimum(left, window[0]) - count) / 2)
        return self._joined(self.loss[:, None] + np.where(value == window, loss, below),
                            self.moved[:, None] + np.abs(value - count),
                            self.released[:, None] + value, self.probability[:, None] * probability)

    def _joined(self, loss: NDArray, moved: NDArray, released: NDArray, probability: NDArray) -> _NoisyRows:
        kept = probability > np.exp(-1.5 * NEGLIGIBLE)
        return _NoisyRows(self.n, loss[kept], moved[kept], released[kept], probability[kept])

    def remainder(self, problem: Problem) -> _NoisyRows:
        """The last category takes max(0, n - what was released)."""
        last = np.maximum(self.n - self.released, 0)
        loss = _by_value(last, lambda r: affinity_loss(problem.posterior[-1], (r - problem.counts[-1]) / 2))
        return _NoisyRows(self.n, self.loss + loss, self.moved + np.abs(last - problem.counts[-1]),
                          self.released + last, self.probability)

    def distances(self, problem: Problem) -> NDArray:
        """H, with the term -l(A + n, A + m) of a released total m that need not be n."""
        total = sum(problem.posterior)
        return distance_of_loss(self.loss - _by_value(
            self.released, lambda m: affinity_loss(total, (m - self.n) / 2)))


def _by_value(values: NDArray, function: Callable[[NDArray], NDArray]) -> NDArray:
    """function(values), computed once per whole number in their range."""
    low = int(values.min())
    return function(np.arange(low, int(values.max()) + 1))[values - low]


class _Rows:
    """Collects outputs; when more than twice ``keep`` are held exactly, the farther half goes to bins."""

    def __init__(self, largest: float, steps: int, keep: int, orders: int) -> None:
        self.largest = max(largest, np.finfo(float).tiny)
        self.steps, self.keep, self.orders = steps, keep, orders
        self.bins = int(np.clip(_CELLS // steps, 256, 2048))
        self.cut = np.inf  # outputs nearer than this are exact
        self.near: list[tuple[NDArray, NDArray, NDArray]] = []
        self.held = 0
        self.cells: NDArray | None = None

    def add(self, distance: NDArray, moved: NDArray, weight: NDArray | None) -> None:
        if self.cut == np.inf:
            self._keep(distance.copy(), moved.copy(), np.ones(distance.size) if weight is None else weight)
        else:
            near = distance < self.cut
            if near.any():
                self._keep(distance[near], moved[near], np.ones(near.sum()) if weight is None else weight[near])
                far = ~near
                distance, moved, weight = distance[far], moved[far], None if weight is None else weight[far]
            self._bin(distance, moved, weight)
        if self.held > 2 * self.keep:
            self._shrink()

    def _keep(self, distance: NDArray, moved: NDArray, weight: NDArray) -> None:
        self.near.append((distance, moved, weight))
        self.held += distance.size

    def _shrink(self) -> None:
        distance, moved, weight = (np.concatenate(column) for column in zip(*self.near, strict=True))
        width = self.largest / self.bins
        # The cut is an edge of the bins, so that no bin is half exact; slack keeps a level together.
        middle = np.partition(distance, self.keep)[self.keep]
        self.cut = max(1, np.floor(middle / width)) * width
        near = distance < self.cut
        self.near, self.held = [(distance[near], moved[near], weight[near])], int(near.sum())
        self._bin(distance[~near], moved[~near], weight[~near])

    def _bin(self, distance: NDArray, moved: NDArray, weight: NDArray | None) -> None:
        if self.cells is None:
            self.cells = np.zeros((self.orders, self.bins * self.steps))
        scaled = distance * (self.bins / self.largest)
        index = np.minimum(scaled.astype(np.int32), self.bins - 1)
        offset = (scaled - index - 0.5) * (self.largest / self.bins)
        cell = index * self.steps + moved
        power = weight
        for order in range(self.orders):
            self.cells[order] += np.bincount(cell, weights=power, minlength=self.cells.shape[1])
            power = offset if power is None else power * offset

    def table(self, step: float) -> DistanceTable:
        """The collected rows; ``step`` converts the unit of ``moved`` to steps."""
        distance, moved, weight = self._levels()
        if self.cells is None:
            return DistanceTable(distance, moved * step, np.stack([weight, np.zeros_like(weight)]), distance.size, None)
        cell = np.flatnonzero(self.cells[0])
        centres = (cell // self.steps + 0.5) * (self.largest / self.bins)
        moments = np.zeros((self.orders, distance.size + cell.size))
        moments[0, :distance.size] = weight
        moments[:, distance.size:] = self.cells[:, cell]
        edges = np.arange(round(self.cut * self.bins / self.largest), self.bins + 1.0) * (self.largest / self.bins)
        return DistanceTable(np.concatenate([distance, centres]), np.concatenate([moved, cell % self.steps]) * step,
                             moments, distance.size, edges)

    def _levels(self) -> tuple[NDArray, NDArray, NDArray]:
        """Distinct (level, moved) pairs of the exact outputs with their summed weights."""
        distance, moved, weight = (np.concatenate(column) for column in zip(*self.near, strict=True))
        order = np.argsort(distance)
        distance, moved, weight = distance[order], moved[order].astype(np.int64), weight[order]
        new = np.diff(distance, prepend=-1.0) > slack(distance)
        level = np.cumsum(new) - 1
        key, inverse = np.unique(level * self.steps + moved, return_inverse=True)
        return distance[new][key // self.steps], key % self.steps, np.bincount(inverse, weights=weight)
