"""The law of the Hellinger distance between the true posterior and what a mechanism releases."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dpbi import limits
from dpbi.accuracy.order import Measured
from dpbi.frozen_result import FrozenResult, frozen
from dpbi.mechanisms.distance_table import DistanceTable, first_of_level, slack
from dpbi.mechanisms.mechanism import Mechanism, check_mechanism
from dpbi.posterior import chunks, distances_to, identities
from dpbi.problem import Problem, steps_between

DRAWS = 10_000  # of a sampled law
_TABLE = 4_000_000  # numbers, 32 MB
CONFIDENCE = 0.95  # of its band


@dataclass(frozen=True, eq=False)
class DistanceLaw(FrozenResult):
    """P(H = h, d = s) for H(Dir(alpha + c), Dir(alpha + r)) and steps d(c, r), r ~ mechanism.

    mechanism, problem: what the law belongs to; kind: "levels" (every output in its row), "bins" (the nearest outputs
    are rows, the others lie in bins of exact mass and exact mean) or "sampled" (the nearest outputs are exact rows, the
    rest are draws that share what probability is left);
    distance, probability, steps: aligned rows, sorted by distance (of a bin: the mean of H in it); level: of the rows
    that are not bins, the number of their level, 0, 1, ...; measured: E[H]
    with its standard error, 0 where it is exact (to 1e-9), as it often is of a sampled law too;
    edges, bin_distance, bin_probability: the outputs of the bins once more, in finer bins without their steps: edges
    (bins + 1,), mean of H and probability (bins,); a last bin of no width is a level;
    band: half width of the simultaneous 95 % Dvoretzky-Kiefer-Wolfowitz band of a sampled law, else 0.
    """

    mechanism: Mechanism
    problem: Problem
    kind: Literal["levels", "bins", "sampled"]
    distance: NDArray[np.float64]
    probability: NDArray[np.float64]
    steps: NDArray[np.float64]
    level: NDArray[np.int64]
    measured: Measured
    edges: NDArray[np.float64] | None = None
    bin_distance: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    bin_probability: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    band: float = 0.0

    @property
    def mean(self) -> float:
        return self.measured.value

    @property
    def mean_error(self) -> float:
        return self.measured.error

    @property
    def exact(self) -> bool:
        return self.kind != "sampled"

    @property
    def cdf_error(self) -> float:
        """What |cdf(t) - P(H <= t)| cannot exceed: the largest probability of a bin that t can fall inside.

        0 where every output has its row; of a sampled law its band, which holds with 95 %. Bins are exact at their
        edges, one of which lies at LS(c), and those above the exact levels: at H <= LS(c) the error is 0.
        """
        if self.edges is None:
            return self.band
        return float(self.bin_probability[np.diff(self.edges) > 0].max(initial=0.0))

    @cached_property
    def curve(self) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Points t, P(H < t) and P(H <= t): at each exact level or draw, and at each edge of the bins.

        Straight lines run from (t, P(H <= t)) to the next (t, P(H < t)): flat between levels, rising inside a bin.
        """
        distance, probability = self._exact_levels()
        reached = np.cumsum(probability)
        if self.edges is not None:
            at_edges = reached[-1] + np.concatenate([[0.0], np.cumsum(self.bin_probability)])
            distance, reached = np.concatenate([distance, self.edges]), np.concatenate([reached, at_edges])
        reached = np.minimum(reached, 1.0)
        reached[-1] = 1.0
        before = np.concatenate([[0.0], reached[:-1]])
        if self.edges is not None:
            before[-self.edges.size:] = reached[-self.edges.size:]
            if self.edges[-1] == self.edges[-2]:
                reached[-2] = 1.0
                distance, before, reached = distance[:-1], before[:-1], reached[:-1]
        return frozen(distance), frozen(before), frozen(reached)

    def cdf(self, t: float) -> float:
        """P(H <= t), with the slack that makes equal distances equal; inside a bin, linear between its edges."""
        t = limits.finite_number("t", t)
        distance, before, reached = self.curve
        t += float(slack(max(t, 0.0)))
        i = int(np.searchsorted(distance, t, side="right")) - 1
        if i < 0 or i + 1 == distance.size:
            return float(reached[i]) if i >= 0 else 0.0
        share = (t - distance[i]) / (distance[i + 1] - distance[i])
        return float(reached[i] + share * (before[i + 1] - reached[i]))

    def quantile(self, q: float) -> float:
        """The smallest h with P(H <= h) >= q (to 1e-13), for 0 < q <= 1: a level, or a point inside a bin."""
        if not 0 < limits.finite_number("q", q) <= 1:
            raise ValueError(f"q must lie in (0, 1], above 0 and at most 1: got {q!r}.")
        distance, before, reached = self.curve
        wanted = q * (1 - 1e-13)
        i = int(np.searchsorted(reached, wanted))
        if before[i] < wanted:
            return float(distance[i])
        share = (wanted - reached[i - 1]) / (before[i] - reached[i - 1])
        return float(distance[i - 1] + share * (distance[i] - distance[i - 1]))

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
        """Distinct distances and their probabilities; of a bin, the mean of H in it."""
        distance, probability = self._exact_levels()
        held = self.bin_probability > 0
        return (np.concatenate([distance, self.bin_distance[held]]),
                np.concatenate([probability, self.bin_probability[held]]).astype(np.float64))

    def _exact_levels(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        last = np.flatnonzero(np.diff(self.level, append=-1))  # the largest distance of the level
        return self.distance[last], np.bincount(self.level, self.probability[: self.level.size]).astype(np.float64)

    def by_step(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Distinct steps and their probabilities."""
        step, index = np.unique(self.steps, return_inverse=True)
        return step, np.bincount(index, weights=self.probability).astype(float)


def distance_law(mechanism: Mechanism, problem: Problem, rng: np.random.Generator | None = None) -> DistanceLaw:
    """The exact law of H where the mechanism's outputs can be listed, else a sampled one that says so.

    mechanism, problem: as everywhere; rng: used by a sampled law only; without it a fixed stream, so that the same
    call gives the same law. Source: [P17] section 7.2.1 plots it by enumeration; the listing by pairs is ours.
    """
    table = check_mechanism(mechanism).distances(problem)
    rng = np.random.default_rng(0) if rng is None else limits.check_generator(rng)
    return _sampled_law(mechanism, problem, rng) if table is None else _exact_law(mechanism, problem, table)


def _exact_law(mechanism: Mechanism, problem: Problem, table: DistanceTable) -> DistanceLaw:
    mass, first = table.moments
    total = mass.sum()
    mean = Measured(float(((mass * table.distance).sum() + first.sum()) / total))
    if table.bins is None:
        return DistanceLaw(mechanism, problem, "levels", table.distance, mass / total, table.steps,
                           table.level, mean)
    bins, beyond = table.bins, mass[table.levels:].sum() / total
    held = bins.moments[0] > 0
    offset = np.divide(bins.moments[1], bins.moments[0], out=np.zeros(held.size), where=held)
    inside = np.clip(bins.centre + offset, bins.edges[:-1], bins.edges[1:])
    probability = bins.moments[0] * (beyond / max(bins.moments[0].sum(), np.finfo(float).tiny))
    return DistanceLaw(mechanism, problem, "bins", _bin_means(table, bins.edges[0]), mass / total, table.steps,
                       table.level, mean, bins.edges, inside, probability)


def _bin_means(table: DistanceTable, cut: float) -> NDArray[np.float64]:
    """The rows' distances, each bin's centre replaced by the mean of H in it.

    Whatever is rounded, levels lie below the cut and bins beyond: by that ``DistanceLaw`` tells them apart.
    """
    mass, first = table.moments[:, table.levels:]
    centre, index = np.unique(table.distance[table.levels:], return_inverse=True)
    weight = np.bincount(index, weights=mass)
    offset = np.divide(np.bincount(index, weights=first), weight, out=np.zeros(centre.size), where=weight > 0)
    exact = np.minimum(table.distance[: table.levels], np.nextafter(cut, 0.0))
    return np.concatenate([exact, np.maximum(centre + offset, cut)[index]])


def _sampled_law(mechanism: Mechanism, problem: Problem, rng: np.random.Generator) -> DistanceLaw:
    """The nearest outputs exactly, draws for the rest: each draw that fell beyond them carries a share of the rest."""
    near = mechanism.nearest(problem)
    if near.moments[0].sum() > 1 - 1e-13:
        return _exact_law(mechanism, problem, near)
    distance, step, identity = _drawn(mechanism, problem, rng)
    beyond = distance > near.distance[-1] + slack(near.distance[-1])
    rest = max(0.0, 1.0 - float(near.moments[0].sum()))
    if beyond.any():
        # P(sup |F_N - F| > e) <= 2 exp(-2 N e^2), for the N draws that follow the law beyond the near outputs
        band = rest * float(np.sqrt(np.log(2 / (1 - CONFIDENCE)) / (2 * beyond.sum())))
        order = np.flatnonzero(beyond)[np.argsort(distance[beyond], kind="stable")]
        first = first_of_level(distance[order], identity[order])
        level = np.unique(first, return_inverse=True)[1]
        order, level = order[np.argsort(level, kind="stable")], np.sort(level)
        distance, step = np.maximum.accumulate(distance[order]), step[order]
    else:  # so rare that no draw met it: it stays at the farthest near distance, within the band
        distance, step, level, band = near.distance[-1:], near.steps.max(keepdims=True) + 1, np.zeros(1, np.int64), rest
    probability = np.concatenate([near.moments[0], np.full(distance.size, rest / distance.size)])
    rows, moved = np.concatenate([near.distance, distance]), np.concatenate([near.steps, step])
    level = np.concatenate([near.level, near.level[-1] + 1 + level])
    known = mechanism.mean_distance(problem)
    # Draws that all agree leave an error of the order of one draw in all of them.
    error = max(float(distance.std()) / np.sqrt(distance.size), 1 / distance.size)
    measured = Measured(min(float((probability * rows).sum()), 1.0), rest * error) if known is None else Measured(known)
    return DistanceLaw(mechanism, problem, "sampled", rows, probability, moved, level, measured, band=band)


def _drawn(mechanism: Mechanism, problem: Problem, rng: np.random.Generator) -> tuple[NDArray, NDArray, NDArray]:
    """Distances, steps and identities of DRAWS draws, so many at a time that no table of counts is larger than _TABLE
    numbers."""
    distance, step, identity = np.empty(DRAWS), np.empty(DRAWS), np.empty(DRAWS, dtype=np.uint64)
    for here in chunks(DRAWS, problem.k, _TABLE):
        released = mechanism.sample(problem, rng, distance[here].size)
        distance[here], step[here] = distances_to(problem, released), steps_between(np.array(problem.counts), released)
        identity[here] = identities(problem, released)
    return distance, step, identity
