"""Every output of a mechanism, weighted and sorted by its Hellinger distance and steps from the true posterior.

Small output spaces are held exactly, one row per (distance level, step). In large ones the nearest outputs still are;
the others fall into narrow bins of H that keep the moments of H about the bin's centre, so that any weight
exp(-rate H) can be applied afterwards, without visiting the outputs again. They are binned twice: with their steps, and
without them far more finely, for the distribution function of H.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from math import factorial

import numpy as np
from numpy.typing import NDArray

from dpbi.frozen_result import FrozenResult
from dpbi.posterior.hellinger import distance_of_loss, identities, loss_to, tabulated_loss
from dpbi.problem.problem import Problem
from dpbi.sensitivity import local_sensitivity

LISTABLE = 40_000_000  # outputs visited at most: 36 million (k = 4, n = 600) take about a second
_LEVELS = 300_000  # up to here every output is its own row
_LINE = 2_000_000  # as _LEVELS where k = 2: one row per output is cheap
_NEAR = 100_000  # in a larger space, this many nearest outputs at least stay exact
_CELLS = 700_000  # bins times steps
_SHARE = 5e-4  # fine bins are joined up to this share of all that lies nearer
BLOCK = 1 << 20
MOMENTS = 5  # of H in a bin: the tilt by exp(-rate H) then errs by (rate width / 2)^5 / 5!
NEGLIGIBLE = 42.0  # e^-42 = 6e-19 of a law may be left out
FINE = 1 << 17  # bins of a scale
_LEAST = 1e-5  # of the largest distance: below it the scale grows evenly, above it with the logarithm too
SATURATED = 27.5  # 1 - sqrt(1 - e^-27.5) = 0.6e-12: from this loss on, all distances are the level 1

# Distances this close are one level, unless they crowd: equal ones differ in their last digits.
_SLACK_ABSOLUTE, _SLACK_RELATIVE = 1e-12, 1e-10


def slack(distance: NDArray | float) -> NDArray | float:
    """How far two distances may lie apart and still be the same level."""
    return _SLACK_ABSOLUTE + _SLACK_RELATIVE * distance


def loss_of_distance(distance: NDArray | float) -> NDArray[np.float64]:
    """-log BC = -log(1 - H^2), at most SATURATED."""
    h = np.minimum(distance, 1.0)
    with np.errstate(divide="ignore"):
        return np.minimum(-np.log1p(-h * h), SATURATED)


@dataclass(frozen=True)
class DistanceScale:
    """u(H) = F [H/h + log(1 + H/e)/log(1 + h/e) + L/l] / 3 + c, rising; bin j holds floor(u) = j, 0 <= j <= F.

    L = -log(1 - H^2) is the loss and l its largest value; h: the largest distance there can be; F = FINE; e = h / 1e5.
    The first term keeps bins narrow for the moments, the second resolves outputs crowded near 0, the third those near
    1. c in [0, 1) puts an edge at ``mark``, so that P(H <= mark) is a sum of whole bins.
    largest_loss: l, where SATURATED (the most) stands for it and all that follows: bin F is the level H = 1 then.
    """

    largest_loss: float
    mark: float

    @cached_property
    def largest(self) -> float:
        return float(distance_of_loss(self.largest_loss))

    @cached_property
    def shift(self) -> float:
        if self.mark >= self.largest:
            return 0.0
        return float(-self._even(np.array(self.mark), loss_of_distance(self.mark)) % 1)

    def _even(self, distance: NDArray, loss: NDArray) -> NDArray[np.float64]:
        third, least = FINE / 3, _LEAST * self.largest
        u = np.log1p(distance * (1 / least))
        u *= third / np.log1p(1 / _LEAST)
        u += distance * (third / self.largest)
        u += loss * (third / self.largest_loss)
        return u

    def bins_of(self, distance: NDArray, loss: NDArray) -> NDArray[np.int32]:
        """The bin of each output, given both its distance and its loss."""
        u = self._even(distance, loss)
        u += self.shift
        return np.minimum(u, float(FINE)).astype(np.int32)

    def distance_at(self, u: NDArray) -> NDArray[np.float64]:
        """The inverse of u(H), by bisection in s = sqrt(L), which keeps the digits of H and of 1 - H."""
        wanted = np.asarray(u, dtype=np.float64) - self.shift
        low = np.zeros(wanted.shape)
        high = np.full(wanted.shape, np.sqrt(self.largest_loss))
        for _ in range(60):
            middle = (low + high) / 2
            below = self._even(distance_of_loss(middle**2), middle**2) < wanted
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        return distance_of_loss(high**2)

    def edges(self, bins: NDArray) -> NDArray[np.float64]:
        """The lower edges of these bins; that of bin F + 1 is the upper end of all."""
        edges = self.distance_at(np.asarray(bins, dtype=np.float64))
        if self.mark < self.largest:
            edges[bins == self.bin_of_mark] = self.mark
        if self.largest_loss == SATURATED:
            edges[bins >= FINE] = 1.0
        return edges

    @property
    def bin_of_mark(self) -> int:
        """The bin whose lower edge is the mark."""
        return round(float(self._even(np.array(self.mark), loss_of_distance(self.mark))) + self.shift)


@dataclass(frozen=True, eq=False)
class DistanceBins(FrozenResult):
    """Bins of H beyond the exact levels, whatever the steps.

    edges: (bins + 1,); a last bin of no width is a level; centre: (bins,), what the moments are about;
    moments: (orders, bins), as a table's.
    """

    edges: NDArray[np.float64]
    centre: NDArray[np.float64]
    moments: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class DistanceTable(FrozenResult):
    """Rows of outputs: exact levels first, then bins; sorted by distance, then steps.

    distance: (rows,) the level's H, or the bin's centre; steps: (rows,) ||r - c||_1 / 2;
    moments: (orders, rows), sum over the row's outputs of weight (H - distance)^q, q = 0, 1, ... (levels: up to 1);
    level: of the leading rows, which are exact, the number of their level, 0, 1, ...; bins: the other outputs once
    more, in finer bins without their steps, None where there are none.
    """

    distance: NDArray[np.float64]
    steps: NDArray[np.float64]
    moments: NDArray[np.float64]
    level: NDArray[np.int64]
    bins: DistanceBins | None

    @property
    def levels(self) -> int:
        """How many leading rows are exact."""
        return self.level.size

    def tilted(self, rate: float, log_scale: float = 0.0) -> DistanceTable:
        """The table with every weight times exp(-rate H - log_scale), holding the moments of order 0 and 1."""
        near = np.exp(-rate * self.distance[: self.levels] - log_scale) * self.moments[:2, : self.levels]
        near[0] -= rate * near[1]
        far = _tilted(self.distance[self.levels:], self.moments[:, self.levels:], rate, log_scale)
        bins = self.bins and replace(
            self.bins, moments=_tilted(self.bins.centre, self.bins.moments, rate, log_scale))
        return replace(self, moments=np.concatenate([near, far], axis=1), bins=bins)


def _tilted(centre: NDArray, moments: NDArray, rate: float, log_scale: float) -> NDArray[np.float64]:
    """Moments of order 0 and 1 with every weight times exp(-rate H - log_scale).

    With H = d + x inside a bin, exp(-rate H) = e^{-rate d} sum_p (-rate x)^p / p!, cut where the moments end.
    """
    # (-rate)^p / p! can overflow only where e^{-rate d} is zero: the bins lie away from distance 0.
    with np.errstate(over="ignore", invalid="ignore"):
        terms = [(-rate) ** p / factorial(p) for p in range(len(moments))]
        scale = np.exp(-rate * centre - log_scale)
        mass = scale * sum(term * moments[p] for p, term in enumerate(terms))
        first = scale * sum(term * moments[p + 1] for p, term in enumerate(terms[:-1]))
    return np.where(scale > 0, np.stack([np.maximum(mass, 0.0), first]), 0.0)


def rows_to_keep(total: int, line: bool) -> int:
    """How many of ``total`` outputs are held exactly; a line is an output space of one dimension."""
    return total if total <= (_LINE if line else _LEVELS) else _NEAR


Columns = tuple[NDArray, NDArray, NDArray, NDArray | None]  # loss, moved, identity, weight (None: 1 each)


class Rows:
    """Collects outputs; when more than twice ``keep`` are held exactly, the farther half goes to bins.

    largest_loss: what no loss exceeds, or infinity; mark: a distance to put an edge at; steps: one more than the most
    that can be moved; orders: of the moments that the table needs.
    """

    def __init__(self, largest_loss: float, mark: float, steps: int, keep: int, orders: int) -> None:
        largest_loss = min(max(largest_loss, np.finfo(float).tiny), SATURATED)
        self.scale = DistanceScale(largest_loss, float(mark + slack(mark)))
        self.steps, self.keep, self.orders = steps, keep, orders
        # Weights that are to be tilted need narrow bins; others could do with the fine ones.
        wanted = min(max(_CELLS // steps, 256 if orders == MOMENTS else 16), 2048)
        self.shift = FINE.bit_length() - wanted.bit_length()  # fine bin >> shift = bin
        self.cut = FINE + 1  # outputs in lower fine bins are exact
        self.near: list[Columns] = []
        self.waiting: list[Columns] = []
        self.binned = False

    def add(self, loss: NDArray, moved: NDArray, identity: NDArray, weight: NDArray | None = None) -> None:
        """Outputs by their loss -log BC, what was moved and the ``identity`` of the loss, with weight 1 if None.

        The arrays must not change later.
        """
        if self.binned:
            saturated = loss > SATURATED  # in a large space, most outputs: they need not wait
            if saturated.any():
                self._bin_farthest(*_selected(saturated, moved, weight))
                loss, moved, identity, weight = _selected(~saturated, loss, moved, identity, weight)
        if sum(each[0].size for each in self.waiting) + loss.size > BLOCK:
            self._sort()
        self.waiting.append((loss, moved, identity, weight))

    def _sort(self) -> None:
        """What was added since the last time: near, or to its bin; a whole block at once, as the cells cost more."""
        if not self.waiting:
            return
        loss, moved, identity, weight = _joined(self.waiting)
        self.waiting = []
        if self.binned:
            distance = distance_of_loss(loss)
            fine = self.scale.bins_of(distance, loss)
            near = fine < self.cut
            self._bin(*_selected(~near, distance, fine, moved, weight))
            loss, moved, identity, weight = _selected(near, loss, moved, identity, weight)
        self.near.append((loss, moved, identity, weight))
        if sum(each[0].size for each in self.near) > 2 * self.keep:
            self._shrink()

    def _shrink(self) -> None:
        if not self.binned:
            self._start_bins()
        loss, moved, identity, weight = _joined(self.near)
        distance = distance_of_loss(loss)
        fine = self.scale.bins_of(distance, loss)
        # The cut is an edge of the fine bins, so that none is half exact.
        self.cut = int(np.clip(np.partition(fine, self.keep)[self.keep], 1, FINE))
        near = fine < self.cut
        self.near = [_selected(near, loss, moved, identity, weight)]
        self._bin(*_selected(~near, distance, fine, moved, weight))

    def _start_bins(self) -> None:
        self.binned = True
        bins = (FINE >> self.shift) + 1
        self.centres = self.scale.distance_at((np.arange(bins) + 0.5) * (1 << self.shift))
        self.cells = np.zeros((self.orders, bins * self.steps))
        self.fine = np.zeros((2, FINE + 1))

    def _bin_farthest(self, moved: NDArray, weight: NDArray | None) -> None:
        """Outputs at H = 1, in the last bin."""
        counts = np.bincount(moved, weights=weight, minlength=self.steps)
        offset = 1.0 - self.centres[-1]
        for order in range(self.orders):
            self.cells[order, -self.steps:] += counts * offset**order
        self.fine[:, -1] += counts.sum() * np.array([1.0, offset])

    def _bin(self, distance: NDArray, fine: NDArray, moved: NDArray, weight: NDArray | None) -> None:
        index = fine >> self.shift
        cell = index.astype(np.intp)
        cell *= self.steps
        cell += moved
        offset = distance - self.centres[index]
        power = weight
        for order in range(self.orders):
            self.cells[order] += np.bincount(cell, power, self.cells.shape[1])
            if order < 2:
                self.fine[order] += np.bincount(fine, power, FINE + 1)
            power = _times(offset, power)

    def table(self, step: float) -> DistanceTable:
        """The collected rows; ``step`` converts the unit of ``moved`` to steps."""
        self._sort()
        level, distance, moved, level_moments = self._levels()
        if not self.binned:
            return DistanceTable(distance, moved * step, level_moments, level, None)
        cell = np.flatnonzero(self.cells[0])
        moments = np.zeros((self.orders, distance.size + cell.size))
        moments[:2, :distance.size] = level_moments
        moments[:, distance.size:] = self.cells[:, cell]
        return DistanceTable(np.concatenate([distance, self.centres[cell // self.steps]]),
                             np.concatenate([moved, cell % self.steps]) * step,
                             moments, level, self._bins(float(level_moments[0].sum())))

    def _bins(self, nearer: float) -> DistanceBins:
        """The fine bins, joined within a bin as long as they hold little beside all that lies nearer.

        A weight that falls with H can only make that share smaller: it bounds the mass of a joined bin at any rate.
        """
        fine = np.arange(self.cut, FINE + 1)
        mass, first = self.fine[:, self.cut:]
        reached = nearer + np.cumsum(mass)
        share = np.floor(np.log(reached) / _SHARE + 0.5)  # 1, the mass of all outputs of noise, is no edge
        own = (fine == FINE) | (fine == self.scale.bin_of_mark) | (fine == self.cut)
        own[1:] |= (np.diff(share) > 0) | (np.diff(fine >> self.shift) > 0)
        start = np.flatnonzero(own)
        mean = np.divide(first, mass, out=np.zeros_like(first), where=mass > 0)
        moments = np.stack([np.add.reduceat(mass * mean**order, start) for order in range(self.orders)])
        edges = self.scale.edges(np.append(fine[start], FINE + 1))
        return DistanceBins(edges, self.centres[fine[start] >> self.shift], moments)

    def _levels(self) -> tuple[NDArray, NDArray, NDArray, NDArray]:
        """Levels, their distances, what was moved and the moments of order 0 and 1 of the exact outputs' rows.

        A level stands at the largest of its distances, and is no wider than the slack of the least: where the slack is
        added to t, all levels that hold an H <= t are counted, and none that holds an H > t + slack.
        """
        loss, moved, identity, weight = _joined(self.near)
        order = np.argsort(loss)  # near H = 1 the losses have digits that the distances have lost
        loss, moved, identity, weight = _selected(order, loss, moved.astype(np.int64), identity, weight)
        distance = np.maximum.accumulate(distance_of_loss(loss))
        first = first_of_level(distance, identity)
        key, inverse = np.unique(first * self.steps + moved, return_inverse=True)
        largest = np.zeros(distance.size)
        np.maximum.at(largest, first, distance)
        beyond = _times(distance - largest[first], weight)
        moments = np.stack([np.bincount(inverse, weights=weight), np.bincount(inverse, weights=beyond)])
        started = key // self.steps
        level = np.cumsum(np.diff(started, prepend=0) > 0)
        return level, np.maximum.accumulate(largest[started]), key % self.steps, moments


def table_of(
    problem: Problem, blocks: Iterable[tuple[NDArray[np.int64], NDArray[np.float64]]], moved: int, keep: int
) -> DistanceTable:
    """The table of outputs (rows, k) with their probabilities (rows,), block by block.

    moved: the largest ||r - c||_1 there is; keep: see ``rows_to_keep``.
    """
    rows = Rows(np.inf, local_sensitivity(problem) if problem.n else 0.0, moved + 1, keep, orders=2)
    for released, probability in blocks:
        kinds = zip(problem.prior, problem.counts, released.T, strict=True)
        loss = np.sum([tabulated_loss(alpha, count, r) for alpha, count, r in kinds], axis=0)
        rows.add(loss_to(problem, released, loss), np.abs(released - problem.counts).sum(axis=1),
                 identities(problem, released), probability)
    return rows.table(step=0.5)


def _joined(parts: list[Columns]) -> Columns:
    if len(parts) == 1:
        return parts[0]
    *columns, weight = zip(*parts, strict=True)
    loss, moved, identity = (np.concatenate(column) for column in columns)
    return loss, moved, identity, None if weight[0] is None else np.concatenate(weight)


def _selected(rows: NDArray, *columns: NDArray | None) -> tuple:
    return tuple(None if column is None else column[rows] for column in columns)


def _times(values: NDArray, weight: NDArray | None) -> NDArray:
    return values if weight is None else values * weight


def first_of_level(distance: NDArray, identity: NDArray) -> NDArray[np.int64]:
    """Of each of these sorted distances, the place where its level begins: after a gap, or in a crowd its identity's.

    A crowd is a chain of small gaps that outgrows the slack, as there are near H = 1. Cut into levels as wide as the
    slack, it would part distances within the slack all the same, and blur P(H <= t) by what a level holds. So each
    identity is a level: what is equal there is told by whole numbers, where a gap would be decided by a last bit. What
    lies within half the slack of 1, where even the doubles run out, is one level.
    """
    identity = np.where(distance < 1 - slack(1.0) / 2, identity, 0)
    start = np.flatnonzero(np.diff(distance, prepend=-1.0) > slack(distance))
    size = np.diff(start, append=distance.size)
    first = np.repeat(start, size)
    crowded = np.flatnonzero(np.repeat(distance[start + size - 1] - distance[start] > slack(distance[start]), size))
    _, begins, alike = np.unique(identity[crowded], return_index=True, return_inverse=True)
    first[crowded] = crowded[begins[alike]]
    return first
