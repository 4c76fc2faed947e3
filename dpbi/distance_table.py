"""Every output of a mechanism, weighted and sorted by its Hellinger distance and steps from the true posterior.

Small output spaces are held exactly, one row per (distance level, step). In large ones the nearest outputs still are;
the others fall into narrow bins of H that keep the moments of H about the bin's centre, so that any weight
exp(-rate H) can be applied afterwards, without visiting the outputs again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import factorial

import numpy as np
from numpy.typing import NDArray

LISTABLE = 40_000_000  # outputs visited at most: 36 million (k = 4, n = 600) take about a second
_LEVELS = 300_000  # up to here every output is its own row
_LINE = 2_000_000  # as _LEVELS where k = 2: one row per output is cheap
_NEAR = 100_000  # in a larger space, this many nearest outputs at least stay exact
_CELLS = 700_000  # bins times steps
BLOCK = 1 << 20
MOMENTS = 4  # of H in a bin: the tilt by exp(-rate H) then errs by (rate width / 2)^4 / 4!
NEGLIGIBLE = 42.0  # e^-42 = 6e-19 of a law may be left out

# Distances this close are one level: symmetric outputs differ in their last digits only.
_SLACK_ABSOLUTE, _SLACK_RELATIVE = 1e-12, 1e-10


def slack(distance: NDArray | float) -> NDArray | float:
    """How far two distances may lie apart and still be the same level."""
    return _SLACK_ABSOLUTE + _SLACK_RELATIVE * distance


@dataclass(frozen=True, eq=False)
class DistanceTable:
    """Rows of outputs: exact levels first, then bins; sorted by distance, then steps.

    distance: (rows,) the level's H, or the bin's centre; steps: (rows,) ||r - c||_1 / 2;
    moments: (orders, rows), sum over the row's outputs of weight (H - distance)^q, q = 0, 1, ... (levels: up to 1);
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
        near = np.exp(-rate * self.distance[: self.levels] - log_scale) * self.moments[:2, : self.levels]
        near[0] -= rate * near[1]
        beyond = np.where(alive, np.stack([np.maximum(mass, 0.0), first]), 0.0)
        return replace(self, moments=np.concatenate([near, beyond], axis=1))


def rows_to_keep(total: int, line: bool) -> int:
    """How many of ``total`` outputs are held exactly; a line is an output space of one dimension."""
    return total if total <= (_LINE if line else _LEVELS) else _NEAR


def chunks(rows: int, columns: int) -> Iterator[slice]:
    """Slices of rows that make outer sums of at most a block."""
    height = max(1, BLOCK // columns)
    return (slice(start, start + height) for start in range(0, rows, height))


class Rows:
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

    @property
    def has_bins(self) -> bool:
        return self.cells is not None

    def add_farthest(self, distance: float, moved: NDArray) -> None:
        """Outputs of weight 1 that all lie at one distance in the last bin."""
        assert self.cells is not None
        count = np.bincount(moved, minlength=self.steps)
        offset = distance - self.largest * (1 - 0.5 / self.bins)
        for order in range(self.orders):
            self.cells[order, -self.steps:] += count * offset**order

    def _keep(self, distance: NDArray, moved: NDArray, weight: NDArray) -> None:
        self.near.append((distance, moved, weight))
        self.held += distance.size

    def _shrink(self) -> None:
        distance, moved, weight = (np.concatenate(column) for column in zip(*self.near, strict=True))
        width = self.largest / self.bins
        # The cut is an edge of the bins, so that no bin is half exact; slack keeps a level together.
        middle = np.partition(distance, self.keep)[self.keep]
        self.cut = float(np.clip(np.floor(middle / width), 1, self.bins - 1)) * width
        near = distance < self.cut
        self.near, self.held = [(distance[near], moved[near], weight[near])], int(near.sum())
        self._bin(distance[~near], moved[~near], weight[~near])

    def _bin(self, distance: NDArray, moved: NDArray, weight: NDArray | None) -> None:
        if self.cells is None:
            self.cells = np.zeros((self.orders, self.bins * self.steps))
        scaled = distance * (self.bins / self.largest)
        index = np.minimum(scaled.astype(np.int32), self.bins - 1)
        offset = (scaled - index - 0.5) * (self.largest / self.bins)
        cell = index.astype(np.intp) * self.steps + moved
        power = weight
        for order in range(self.orders):
            self.cells[order] += np.bincount(cell, weights=power, minlength=self.cells.shape[1])
            power = offset if power is None else power * offset

    def table(self, step: float) -> DistanceTable:
        """The collected rows; ``step`` converts the unit of ``moved`` to steps."""
        distance, moved, level_moments = self._levels()
        if self.cells is None:
            return DistanceTable(distance, moved * step, level_moments, distance.size, None)
        cell = np.flatnonzero(self.cells[0])
        centres = (cell // self.steps + 0.5) * (self.largest / self.bins)
        moments = np.zeros((self.orders, distance.size + cell.size))
        moments[:2, :distance.size] = level_moments
        moments[:, distance.size:] = self.cells[:, cell]
        edges = np.arange(round(self.cut * self.bins / self.largest), self.bins + 1.0) * (self.largest / self.bins)
        return DistanceTable(np.concatenate([distance, centres]), np.concatenate([moved, cell % self.steps]) * step,
                             moments, distance.size, edges)

    def _levels(self) -> tuple[NDArray, NDArray, NDArray]:
        """Distinct (level, moved) pairs of the exact outputs with their moments of order 0 and 1."""
        distance, moved, weight = (np.concatenate(column) for column in zip(*self.near, strict=True))
        order = np.argsort(distance)
        distance, moved, weight = distance[order], moved[order].astype(np.int64), weight[order]
        new = _level_starts(distance)
        level = np.cumsum(new) - 1
        key, inverse = np.unique(level * self.steps + moved, return_inverse=True)
        least = distance[new]
        moments = np.stack([np.bincount(inverse, weights=weight),
                            np.bincount(inverse, weights=weight * (distance - least[level]))])
        return least[key // self.steps], key % self.steps, moments


def _level_starts(distance: NDArray) -> NDArray[np.bool_]:
    """Where a new level begins in sorted distances: after a gap, or when a chain of small gaps outgrows the slack."""
    gap = np.diff(distance, prepend=-1.0) > slack(distance)
    chain = distance[np.flatnonzero(gap)][np.cumsum(gap) - 1]
    part = np.floor((distance - chain) / slack(distance))
    return gap | (np.diff(part, prepend=0.0) > 0)
