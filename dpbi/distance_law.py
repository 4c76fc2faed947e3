"""The law of the Hellinger distance between the true posterior and what a mechanism releases."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dpbi import limits
from dpbi.distance_table import DistanceTable, slack
from dpbi.hellinger import distances_to
from dpbi.mechanisms.mechanism import Mechanism
from dpbi.neighbours import steps
from dpbi.problem import Problem

DRAWS = 10_000  # of a sampled law
CONFIDENCE = 0.95  # of its band


@dataclass(frozen=True, eq=False)
class DistanceLaw:
    """P(H = h, d = s) for H(Dir(alpha + c), Dir(alpha + r)) and steps d(c, r), r ~ mechanism.

    mechanism, problem: what the law belongs to; kind: "levels" (every output in its row), "bins" (the nearest outputs
    are rows, the others lie in bins of exact mass and exact mean) or "sampled" (the nearest outputs are exact rows, the
    rest are draws that share what probability is left);
    distance, probability, steps: aligned rows, sorted by distance; edges: of the bins; mean: E[H];
    band: half width of the simultaneous 95 % Dvoretzky-Kiefer-Wolfowitz band of a sampled law, else 0;
    mean_error: standard error of a sampled law's mean, 0 where the mean is exact (to 1e-9), as it often is there too.
    """

    mechanism: Mechanism
    problem: Problem
    kind: Literal["levels", "bins", "sampled"]
    distance: NDArray[np.float64]
    probability: NDArray[np.float64]
    steps: NDArray[np.float64]
    mean: float
    edges: NDArray[np.float64] | None = None
    band: float = 0.0
    mean_error: float = 0.0

    @property
    def exact(self) -> bool:
        return self.kind != "sampled"

    @cached_property
    def _cumulative(self) -> NDArray[np.float64]:
        return np.cumsum(self.probability)

    def cdf(self, t: float) -> float:
        """P(H <= t), with the slack that makes equal distances equal; inside a bin, linear between its edges."""
        t = limits.finite_number("t", t)
        if self.edges is not None and t > self.edges[0]:
            return self._binned_cdf(t)
        count = int(np.searchsorted(self.distance, t + slack(max(t, 0.0)), side="right"))
        return min(float(self._cumulative[count - 1]), 1.0) if count else 0.0

    def _binned_cdf(self, t: float) -> float:
        assert self.edges is not None
        if t + slack(t) >= self.edges[-1]:
            return 1.0
        below = self.probability[self.distance < self.edges[0]].sum()
        index = np.searchsorted(self.edges, self.distance, side="right") - 1
        far = index >= 0
        mass = np.bincount(np.minimum(index[far], self.edges.size - 2), weights=self.probability[far],
                           minlength=self.edges.size - 1)
        return min(float(below + np.interp(t, self.edges, np.concatenate([[0.0], np.cumsum(mass)]))), 1.0)

    def quantile(self, q: float) -> float:
        """The smallest level h with P(H <= h) >= q, for 0 < q <= 1."""
        if not 0 < limits.finite_number("q", q) <= 1:
            raise ValueError(f"q must lie in (0, 1], above 0 and at most 1: got {q!r}.")
        row = np.searchsorted(self._cumulative, q * self._cumulative[-1] * (1 - 1e-13), side="left")
        return float(self.distance[min(int(row), self.distance.size - 1)])

    @property
    def median(self) -> float:
        return self.quantile(0.5)

    @property
    def probability_of_truth(self) -> float:
        """P(r = c)."""
        return float(self.probability[(self.steps == 0)].sum())

    @property
    def mean_steps(self) -> float:
        """E[d(c, r)], half the mean L1 error of the counts."""
        return float((self.probability * self.steps).sum())

    def levels(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Distinct distances and their probabilities."""
        distance, level = np.unique(self.distance, return_inverse=True)
        return distance, np.bincount(level, weights=self.probability).astype(float)

    def by_step(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Distinct steps and their probabilities."""
        step, index = np.unique(self.steps, return_inverse=True)
        return step, np.bincount(index, weights=self.probability).astype(float)


def distance_law(mechanism: Mechanism, problem: Problem, rng: np.random.Generator | None = None) -> DistanceLaw:
    """The exact law of H where the mechanism's outputs can be listed, else a sampled one that says so.

    mechanism, problem: as everywhere; rng: used by a sampled law only; without it a fixed stream, so that the same
    call gives the same law. Source: [P17] section 7.2.1 plots it by enumeration; the listing by pairs is ours.
    """
    table = mechanism.distances(problem)
    if table is not None:
        return _exact_law(mechanism, problem, table)
    return _sampled_law(mechanism, problem, np.random.default_rng(0) if rng is None else rng)


def _exact_law(mechanism: Mechanism, problem: Problem, table: DistanceTable) -> DistanceLaw:
    mass, first = table.moments
    total = mass.sum()
    mean = float(((mass * table.distance).sum() + first.sum()) / total)
    distance = table.distance
    if table.edges is not None:
        distance = _bin_means(table)
    return DistanceLaw(mechanism, problem, "levels" if table.edges is None else "bins", distance, mass / total,
                       table.steps, mean, table.edges)


def _bin_means(table: DistanceTable) -> NDArray[np.float64]:
    """The rows' distances, each bin's centre replaced by the mean of H in it."""
    mass, first = table.moments[:, table.levels:]
    centre, index = np.unique(table.distance[table.levels:], return_inverse=True)
    with np.errstate(invalid="ignore"):
        mean = centre + np.nan_to_num(np.bincount(index, weights=first) / np.bincount(index, weights=mass))
    return np.concatenate([table.distance[: table.levels], mean[index]])


def _sampled_law(mechanism: Mechanism, problem: Problem, rng: np.random.Generator) -> DistanceLaw:
    """The nearest outputs exactly, draws for the rest: each draw that fell beyond them carries a share of the rest."""
    near = mechanism.nearest(problem)
    if near.moments[0].sum() > 1 - 1e-13:
        return _exact_law(mechanism, problem, near)
    released = mechanism.sample(problem, rng, DRAWS)
    distance, step = distances_to(problem, released), steps(problem.counts, released)
    beyond = distance > near.distance[-1] + slack(near.distance[-1])
    rest = max(0.0, 1.0 - float(near.moments[0].sum()))
    if not beyond.any():  # so rare that no draw met it: it stays with the farthest near output, within the band
        return _law_of_rows(mechanism, problem, near, np.empty(0), np.empty(0), rest, rest)
    # P(sup |F_N - F| > e) <= 2 exp(-2 N e^2), for the N draws that follow the law beyond the near outputs
    band = rest * float(np.sqrt(np.log(2 / (1 - CONFIDENCE)) / (2 * beyond.sum())))
    order = np.argsort(distance[beyond], kind="stable")
    return _law_of_rows(mechanism, problem, near, distance[beyond][order], step[beyond][order], rest, band)


def _law_of_rows(
    mechanism: Mechanism,
    problem: Problem,
    near: DistanceTable,
    distance: NDArray,
    step: NDArray,
    rest: float,
    band: float,
) -> DistanceLaw:
    probability = np.concatenate([near.moments[0], np.full(distance.size, rest / max(distance.size, 1))])
    if not distance.size:
        probability[-1] += rest
    rows, moved = np.concatenate([near.distance, distance]), np.concatenate([near.steps, step])
    known = mechanism.mean_distance(problem)
    if known is not None:
        return DistanceLaw(mechanism, problem, "sampled", rows, probability, moved, known, None, band)
    size = max(distance.size, 1)
    # Draws that all agree leave an error of the order of one draw in all of them.
    error = float(max(distance.std() / np.sqrt(size) if distance.size else 0.0, 1 / size))
    mean = min(float((probability * rows).sum()), 1.0)
    return DistanceLaw(mechanism, problem, "sampled", rows, probability, moved, mean, None, band, rest * error)
