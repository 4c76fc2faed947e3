"""All candidate posteriors by their distance from the truth: listed by pairs, along a line, or the nearest only."""

from collections.abc import Callable, Iterator
from functools import lru_cache

import numpy as np
from numpy.polynomial.legendre import leggauss
from numpy.typing import NDArray

from dpbi.mechanisms.distance_table import (
    BLOCK,
    LISTABLE,
    MOMENTS,
    SATURATED,
    DistanceBins,
    DistanceTable,
    Rows,
    loss_of_distance,
    rows_to_keep,
)
from dpbi.posterior.hellinger import affinity_loss, chunks, count_loss, distance_of_loss, identities, identity
from dpbi.problem import Problem, number_of_candidates
from dpbi.sensitivity import local_sensitivity

Columns = tuple[NDArray, ...]  # loss, L1 distance and identity of a sum of categories

_NEAREST = 20_000  # where the outputs cannot be listed, at most this many of the nearest are
_LISTED_LINE = 2_000_000  # k = 2: beyond this n, bins of H are counted instead of listed
_LINE_NEAR = 50_000  # offsets on either side that stay exact there
_LINE_BINS = 4096
_LINE_MOMENTS = 5
_NODES, _WEIGHTS = (leggauss(8)[0] + 1) / 2, leggauss(8)[1] / 2


def candidates_table(problem: Problem) -> DistanceTable | None:
    """All candidates of this problem with weight 1; None where there are more than LISTABLE of them."""
    total = number_of_candidates(problem.n, problem.k)
    if problem.k == 2 and total > _LISTED_LINE:
        return _line_table(problem)
    return _listed_table(problem) if total <= LISTABLE else None


@lru_cache(maxsize=2)  # of up to 64 MB each, where k = 2
def _listed_table(problem: Problem) -> DistanceTable:
    mark = local_sensitivity(problem) if problem.n else 0.0
    keep = rows_to_keep(number_of_candidates(problem.n, problem.k), line=problem.k == 2)
    rows = Rows(_largest_loss(problem), mark, problem.n + 1, keep, MOMENTS)
    for loss, moved, alike in _paired_blocks(problem):
        rows.add(loss, moved >> 1, alike)
    return rows.table(step=1.0)


def _largest_loss(problem: Problem) -> float:
    """What no loss exceeds: that of all categories at their largest at once."""
    r = np.arange(problem.n + 1)
    return float(sum(_category_loss(problem, i, r).max() for i in range(problem.k)))


@lru_cache(maxsize=4)
def _line_table(problem: Problem) -> DistanceTable:
    """k = 2 at any n. On either side of the truth H grows with the offset |d|, so a bin of H holds a range of d, found
    by bisection; over the range moments are integrated."""
    sides = [_Side(problem, sign) for sign in (-1, 1)]
    cut = min(side.reached for side in sides)
    rows = Rows(np.inf, 0.0, problem.n + 1, keep=2 * _LINE_NEAR + 2, orders=2)
    rows.add(*(np.concatenate(column) for column in zip(*(side.nearest(cut) for side in sides), strict=True)))
    near = rows.table(step=1.0)
    largest = float(distance_of_loss(max(side.loss(np.array([side.limit]))[0] for side in sides))) * (1 + 1e-12)
    edges = _line_edges(cut, largest)
    centre = np.minimum(np.sqrt(edges[1:] * edges[:-1]), 1.0)
    binned = [side.binned(edges, centre) for side in sides]
    moments, steps = (np.stack(column, axis=-1) for column in zip(*binned, strict=True))
    if largest > (saturated := float(distance_of_loss(SATURATED))):
        edges[-2:] = 1.0 if cut < saturated else cut
    kept = moments[0].ravel() > 0
    near_moments = np.zeros((_LINE_MOMENTS, near.distance.size))
    near_moments[:2] = near.moments
    return DistanceTable(
        np.concatenate([near.distance, np.repeat(centre, 2)[kept]]),
        np.concatenate([near.steps, steps.ravel()[kept]]),
        np.concatenate([near_moments, moments.reshape(_LINE_MOMENTS, -1)[:, kept]], axis=1),
        near.level, DistanceBins(edges, centre, moments.sum(axis=2)))


def _line_edges(cut: float, largest: float) -> NDArray[np.float64]:
    """In proportion to H, so that exp(-rate H) is resolved at any rate, and beyond H = 1/2 even in the loss too; the
    last bin is the level 1, if reached."""
    loss = np.linspace(loss_of_distance(0.5), SATURATED, _LINE_BINS)
    saturated = float(distance_of_loss(SATURATED))
    edges = np.union1d(np.geomspace(cut, largest, _LINE_BINS), distance_of_loss(loss))
    inside = edges[(edges > cut) & (edges < saturated)]
    return np.concatenate([[cut], inside, [saturated] if largest > saturated > cut else [], [largest]])


class _Side:
    """The candidates (c_1 + sign d, c_2 - sign d), d >= 1, of one side; d = 0 belongs to the upper side."""

    def __init__(self, problem: Problem, sign: int) -> None:
        self.problem, self.sign = problem, sign
        self.limit = problem.counts[0] if sign < 0 else problem.counts[1]
        self.first = 0 if sign > 0 else 1
        self.last_near = min(self.limit, _LINE_NEAR)
        reached = float(distance_of_loss(self.loss(np.array([self.last_near])))[0])
        self.reached = reached if self.limit > _LINE_NEAR else np.inf

    def loss(self, d: NDArray) -> NDArray[np.float64]:
        moved = self.sign * np.asarray(d, dtype=np.float64)
        (a, b), (c, e) = self.problem.posterior, self.problem.prior
        first, second = self.problem.counts
        return (affinity_loss(a, c + (first + moved), moved / 2) + affinity_loss(b, e + (second - moved), -moved / 2))

    def nearest(self, cut: float) -> tuple[NDArray, NDArray, NDArray]:
        d = np.arange(self.first, self.last_near + 1)
        loss = self.loss(d)
        near = distance_of_loss(loss) < cut
        loss, d = loss[near], d[near]
        released = np.array(self.problem.counts) + self.sign * d[:, None] * np.array([1, -1])
        return loss, d, identities(self.problem, released)

    def binned(self, edges: NDArray, centre: NDArray) -> tuple[NDArray, NDArray]:
        """Moments of H about each bin's centre, (_LINE_MOMENTS, bins), and the mean |d| of the bin.

        The bins are so narrow that eight nodes along each do, as H is smooth there: a count near 0 lies so far from its
        own that H = 1. The numbers of candidates are exact.
        """
        start = self._first_beyond(edges)
        low, size = start[:-1], np.diff(start)
        d = low[:, None] - 0.5 + size[:, None] * _NODES
        d = np.clip(d, low[:, None], np.maximum(start[1:] - 1, low)[:, None]).clip(max=self.limit)  # some are empty
        offset = distance_of_loss(self.loss(d)) - centre[:, None]
        return (np.stack([size * ((offset**order) @ _WEIGHTS) for order in range(_LINE_MOMENTS)]),
                low + (size - 1) / 2)

    def _first_beyond(self, edges: NDArray) -> NDArray[np.int64]:
        """The least d with H(d) >= edge, or limit + 1."""
        low = np.full(edges.size, self.first, dtype=np.int64)
        high = np.full(edges.size, self.limit + 1, dtype=np.int64)
        while (low < high).any():
            middle = (low + high) // 2
            beyond = (middle > self.limit) | (distance_of_loss(self.loss(np.minimum(middle, self.limit))) >= edges)
            low, high = np.where(beyond, low, np.minimum(middle + 1, high)), np.where(beyond, middle, high)
        return low


def _paired_blocks(problem: Problem) -> Iterator[Columns]:
    """Loss, L1 distance and identity of every candidate, in blocks.

    The categories are split in two groups; for each sum s of the first, every composition of s is paired with every
    composition of n - s in the second: each of the three adds, so a block is an outer sum and no candidate is written
    out.
    """
    n, half = problem.n, problem.k // 2
    if problem.k == 2:
        r = np.arange(n + 1)
        yield tuple(a + b for a, b in zip(_columns(problem, 0, r), _columns(problem, 1, n - r), strict=True))
        return
    first, second = _compositions(problem, range(half)), _compositions(problem, range(half, problem.k))
    block, filled = tuple(column[:0] for column in first(0)), 0
    for s in range(n + 1):
        own, other = first(s), second(n - s)
        for rows in chunks(own[0].size, other[0].size):
            some = [column[rows] for column in own]
            size = some[0].size * other[0].size
            if filled + size > block[0].size:
                if filled:
                    yield tuple(column[:filled] for column in block)
                block, filled = tuple(np.empty(max(size, BLOCK), dtype=column.dtype) for column in some), 0
            for column, a, b in zip(block, some, other, strict=True):
                np.add.outer(a, b, out=column[filled:filled + size].reshape(a.size, b.size))
            filled += size
    yield tuple(column[:filled] for column in block)


def _columns(problem: Problem, i: int, released: NDArray) -> Columns:
    """What category i adds to loss, L1 distance and identity."""
    moved = np.abs(released - problem.counts[i]).astype(np.int32)
    return _category_loss(problem, i, released), moved, identity(problem.prior[i], problem.counts[i], released)


def _category_loss(problem: Problem, i: int, released: NDArray) -> NDArray[np.float64]:
    return count_loss(problem.prior[i], problem.counts[i], released)


def _compositions(problem: Problem, group: range) -> Callable[[int], Columns]:
    """Of s = 0..n: loss, L1 distance and identity of every way the categories of the group can hold s records.

    Those of two categories are made when asked for: of all s they would outgrow everything else where n is large.
    """
    r = np.arange(problem.n + 1)
    *before, last = (_columns(problem, i, r) for i in group)
    if not before:
        return lambda s: tuple(column[s:s + 1] for column in last)
    own = before.pop()

    def of_two(s: int) -> Columns:
        return tuple(a[:s + 1] + b[s::-1] for a, b in zip(own, last, strict=True))

    if not before:
        return of_two
    tails = [of_two(s) for s in r.tolist()]
    for more in reversed(before):
        tails = [tuple(np.concatenate([column[t] + tails[s - t][place] for t in range(s + 1)])
                       for place, column in enumerate(more)) for s in r]
    return tails.__getitem__


@lru_cache(maxsize=16)
def nearest_table(problem: Problem, distance: float) -> DistanceTable:
    """All candidates with H up to the given distance, or up to less where there are too many of them, with weight 1."""
    # A level is kept whole: the cut lies beyond the slack of the last distance wanted.
    loss = -np.log1p(-min(distance * (1 + 1e-9) + 1e-11, 1 - 1e-15) ** 2)
    while (near := _within(problem, loss)) is None:
        loss /= 4
    rows = Rows(np.inf, 0.0, problem.n + 1, keep=_NEAREST, orders=2)
    rows.add(near[0], near[1] >> 1, near[2])
    return rows.table(step=1.0)


def _within(problem: Problem, largest: float) -> Columns | None:
    """Loss, L1 distance and identity of the candidates of a loss up to ``largest``; None where there are too many.

    Categories are taken in turn, and a partial candidate is dropped when its loss, which only grows, is too large.
    The largest category comes last: it takes what remains, so that its own wide range is never listed.
    """
    loss: NDArray = np.zeros(1)
    moved: NDArray = np.zeros(1, dtype=np.int64)
    alike: NDArray = np.zeros(1, dtype=np.uint64)
    surplus: NDArray = np.zeros(1, dtype=np.int64)
    *others, last = np.argsort(problem.posterior, kind="stable")
    for i in others:
        offsets = _offsets_within(problem, i, largest)
        if offsets is None or loss.size * offsets.size > 20 * _NEAREST:
            return None
        own, steps, same = _columns(problem, i, problem.counts[i] + offsets)
        rows, columns = np.nonzero(loss[:, None] + own <= largest)
        loss, moved, alike = loss[rows] + own[columns], moved[rows] + steps[columns], alike[rows] + same[columns]
        surplus = surplus[rows] + offsets[columns]
        if loss.size > _NEAREST:
            return None
    possible = surplus <= problem.counts[last]
    own, steps, same = _columns(problem, last, problem.counts[last] - surplus[possible])
    loss, moved, alike = loss[possible] + own, moved[possible] + steps, alike[possible] + same
    kept = loss <= largest
    return loss[kept], moved[kept], alike[kept]


def _offsets_within(problem: Problem, i: int, largest: float) -> NDArray[np.int64] | None:
    """All d = r_i - c_i >= -c_i whose own loss is at most ``largest``, an interval around 0; None if it is too long."""
    ends = []
    for side, limit in ((-1, problem.counts[i]), (1, problem.n)):
        reach = min(1, limit)
        while reach < limit and _category_loss(problem, i, np.array(problem.counts[i] + side * reach)) <= largest:
            reach = min(2 * reach, limit)
        if reach > 20 * _NEAREST:
            return None
        ends.append(reach)
    window = np.arange(-ends[0], ends[1] + 1)
    return window[_category_loss(problem, i, problem.counts[i] + window) <= largest]
