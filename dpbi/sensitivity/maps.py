"""The sensitivities over whole ranges of datasets and settings: scans, maps and paths for charts."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpbi import limits
from dpbi.frozen_result import FrozenResult
from dpbi.posterior.hellinger import distances_to
from dpbi.problem import Problem, check_problem, list_candidates
from dpbi.sensitivity.closed_form import (
    PAPER_GLOBAL_SENSITIVITY,
    corners,
    datasets,
    global_sensitivity,
    local_sensitivities,
    local_sensitivity,
    smooth_sensitivities,
    smooth_sensitivity,
    worst_neighbour,
)

Floats = NDArray[np.float64]
_ROUNDING = 1e-12  # relative: nearer to each other, rates are equal
_POINTS_LEAST, _POINTS_LARGEST, _LARGEST_LIMIT = 8, 100_000, 1_000_000
Measure = Literal["local", "reciprocal", "exponential"]
MEASURES: tuple[Measure, ...] = ("local", "reciprocal", "exponential")


class Sensitivities(NamedTuple):
    """Of one problem: at the data, the two smooth bounds, the worst over all datasets, and the papers' for that."""

    local: float
    reciprocal: float
    exponential: float
    exact: float
    paper: float


@dataclass(frozen=True, eq=False)
class SensitivityScan(FrozenResult):
    """Sensitivities along a line of datasets of n records.

    gamma, beta: smoothness per step of the two smooth kinds; counts: int64 (M, k), the datasets;
    position: (M,), the coordinate along the line (the count u, or the number of records moved);
    local, reciprocal, exponential: (M,); global_exact, global_paper: constants.
    """

    prior: tuple[float, ...]
    gamma: float
    beta: float
    counts: NDArray[np.int64]
    position: NDArray[np.int64]
    local: Floats
    reciprocal: Floats
    exponential: Floats
    global_exact: float
    global_paper: float

    @property
    def n(self) -> int:
        return int(self.counts[0].sum())


@dataclass(frozen=True, eq=False)
class SimplexMap(FrozenResult):
    """One sensitivity over datasets of three categories, thinned to a triangular grid.

    counts: int64 (M, 3); value: (M,), the measure there; gamma: smoothness per step (the exponential kind's
    beta).
    """

    prior: tuple[float, ...]
    measure: Measure
    gamma: float
    counts: NDArray[np.int64]
    value: Floats


@dataclass(frozen=True, eq=False)
class GammaScan(FrozenResult):
    """(1 + gamma) S_gamma(c), to which the rate of smooth selection is inversely proportional.

    gamma, value: (M,), increasing in gamma; best_gamma, best_value: the minimum over all gamma >= 0, at which the
    rate is highest and the release at this dataset most accurate.
    """

    problem: Problem
    gamma: Floats
    value: Floats
    best_gamma: float
    best_value: float


@dataclass(frozen=True, eq=False)
class ScoreChange(FrozenResult):
    """|H(BI(c), r) - H(BI(c'), r)| over candidates r, for the neighbour c' that attains LS(c).

    neighbour: c'; released: int64 (M, k), candidates on the line through c and c'; moved: (M,), their records
    moved from c (negative: away from c'); change: (M,); local_sensitivity: its maximum, at r = c.
    """

    problem: Problem
    neighbour: tuple[int, ...]
    released: NDArray[np.int64]
    moved: NDArray[np.int64]
    change: Floats
    local_sensitivity: float


def sensitivities(problem: Problem, gamma: float, beta: float) -> Sensitivities:
    """Every sensitivity at a problem; gamma, beta: smoothness of the two smooth kinds, per step.

    Raises ValueError where there are no records. Source: as ``local_sensitivity`` and its neighbours.
    """
    gamma, beta = limits.check_gamma(gamma), limits.check_gamma(beta, "beta")
    return Sensitivities(
        local_sensitivity(problem),
        smooth_sensitivity(problem, gamma),
        smooth_sensitivity(problem, beta, "exponential"),
        global_sensitivity(problem.prior, problem.n),
        PAPER_GLOBAL_SENSITIVITY,
    )


def along_count(
    prior: ArrayLike, n: int, gamma: float, beta: float, points: int = 201, include: Iterable[int] = ()
) -> SensitivityScan:
    """Every sensitivity against the first count u = 0, ..., n of two categories.

    prior: (2,); n >= 1; gamma, beta >= 0; points: at most about so many counts, always with 0, 1, n - 1, n
    and those to ``include``; denser near the ends, where the sensitivities bend.
    Raises ValueError unless there are two categories and n >= 1. Source: [P17] section 7.1, [D20] section 1.
    """
    alpha = limits.check_prior(prior)
    if len(alpha) != 2:
        raise ValueError(f"A scan along one count needs two categories: got {len(alpha)}.")
    n = limits.check_total(n)
    kept = [limits.whole_number("include", u, 0, limits.TOTAL_LARGEST)
            for u in limits.sequence("include", include, "of counts")]
    u = _thinned(n, points, (0, 1, n - 1, n, *kept))
    return _scan(alpha, np.stack([u, n - u], axis=1), u, gamma, beta)


def along_emptying(problem: Problem, gamma: float, beta: float, points: int = 121) -> SensitivityScan:
    """Every sensitivity along the path that empties the two rarest categories, record by record.

    Each step moves one record of the larger of the two into the commonest category; the position is the
    number of records moved. It starts at the problem's dataset and ends where both are empty, a step beyond
    the dataset at which the global sensitivity lies (one record left in the two; equal prior). If both are
    empty from the start, that is all of it. problem: k >= 3 and n >= 1. Source: ours.
    """
    if check_problem(problem).k < 3:
        raise ValueError(f"Emptying two categories needs at least three: got {problem.k}.")
    order = np.argsort(problem.counts, kind="stable")
    rare, commonest = order[:2], order[-1]
    small, large = (problem.counts[i] for i in rare)
    moved = _thinned(small + large, points, (0, 1, large - small, max(small + large - 1, 0), small + large))
    limits.check_rows("points", moved.size, problem.k)
    # First the larger falls to the smaller, then they fall in turn, the larger first.
    from_large = np.where(moved <= large - small, moved, (large - small) + (moved - (large - small) + 1) // 2)
    counts = np.tile(np.array(problem.counts, dtype=np.int64), (moved.size, 1))
    counts[:, rare[1]] -= from_large
    counts[:, rare[0]] -= moved - from_large
    counts[:, commonest] += moved
    return _scan(problem.prior, counts, moved, gamma, beta)


def on_simplex(prior: ArrayLike, n: int, measure: Measure, gamma: float, steps_a_side: int = 60) -> SimplexMap:
    """One sensitivity over all datasets of three categories, or over a triangular grid of them.

    prior: (3,); n >= 1; measure: one of ``MEASURES``; gamma: smoothness per step (beta of the exponential
    kind; unused by "local"); steps_a_side: at most 60 intervals along an edge, each point rounded to a
    dataset.
    Raises ValueError unless there are three categories and n >= 1. Source: [P17] section 7.1.
    """
    alpha = limits.check_prior(prior)
    limits.one_of("measure", measure, MEASURES)
    gamma = limits.check_gamma(gamma)
    if len(alpha) != 3:
        raise ValueError(f"A map on the simplex needs three categories: got {len(alpha)}.")
    n = limits.check_total(n)
    steps = min(n, limits.whole_number("steps_a_side", steps_a_side, 1, 60))
    lattice = list_candidates(steps, 3)
    first = lattice[:, 0] * n // max(steps, 1)
    second = (lattice[:, 0] + lattice[:, 1]) * n // max(steps, 1) - first
    counts = np.stack([first, second, n - first - second], axis=1)
    value = (
        local_sensitivities(alpha, counts)
        if measure == "local"
        else smooth_sensitivities(alpha, counts, gamma, measure)
    )
    return SimplexMap(alpha, measure, gamma, counts, value)


def gamma_scan(problem: Problem, gammas: ArrayLike | None = None) -> GammaScan:
    """(1 + gamma) S_gamma(c) against gamma, and its minimum: the gamma of the most accurate smooth selection.

    1/S_gamma = min over datasets c' of 1/LS(c') + gamma d(c, c') is the lower envelope of lines in gamma. On one line
    (1 + gamma) S is monotone, so the minimum is at gamma = 0 or where the envelope passes from a line to the next.
    gammas: values >= 0; by default 0 and 120 values even in the logarithm from 1e-6 to 1e3.
    The minimum depends on the private counts: choosing gamma by it leaks. Raises ValueError if n = 0.
    Source: ours; the rate epsilon / (2 (1 + gamma) S_gamma) is [D20] Algorithm 6's.
    """
    slope, level = _envelope(problem)
    listed = np.concatenate([[0.0], np.geomspace(1e-6, 1e3, 120)]) if gammas is None else np.unique(
        [limits.check_gamma(gamma, "gammas") for gamma in limits.number_array("gammas", gammas).flat])
    limits.check_numbers("gammas", listed.size * slope.size)
    bends = np.append(0.0, np.diff(level) / -np.diff(slope))
    reached = _inverse_rate(slope, level, bends)
    best = int((reached <= reached.min() * (1 + _ROUNDING)).argmax())  # the least gamma of equals
    return GammaScan(problem, listed, _inverse_rate(slope, level, listed), float(bends[best]), float(reached[best]))


def _envelope(problem: Problem) -> tuple[Floats, Floats]:
    """Slopes d and levels 1/LS of the lines on the lower envelope: slopes increase, levels fall, convexly."""
    alpha, c = datasets(check_problem(problem).prior, problem.counts)
    sensitivity, distance = _highest(*np.concatenate(
        [_highest(*part) for part in corners(alpha, c[None])], axis=1))
    hull: list[tuple[float, float]] = []
    for line in zip(distance.tolist(), (1 / sensitivity).tolist(), strict=True):
        while len(hull) > 1 and _above(hull[-2], hull[-1], line):
            hull.pop()
        hull.append(line)
    slope, level = np.array(hull).T
    return slope, level


def _highest(sensitivity: Floats, distance: Floats) -> tuple[Floats, Floats]:
    """Those more sensitive than all that are no farther, by distance."""
    sensitivity, distance = sensitivity.ravel(), distance.ravel()
    order = np.lexsort((-sensitivity, distance))
    best = np.maximum.accumulate(sensitivity[order])
    better = np.append(best[0] > 0, best[1:] > best[:-1])
    return best[better], distance[order][better]


def _above(first: tuple[float, float], middle: tuple[float, float], last: tuple[float, float]) -> bool:
    """Whether the middle line of three, by slope, is nowhere below both others."""
    return (middle[1] - first[1]) * (last[0] - first[0]) >= (last[1] - first[1]) * (middle[0] - first[0])


def _inverse_rate(slope: Floats, level: Floats, gamma: Floats) -> Floats:
    return (1 + gamma) / (level + gamma[:, None] * slope).min(axis=1)


def score_change(problem: Problem, limit: int = 121) -> ScoreChange:
    """How far the score of each candidate r moves when the data move to their worst neighbour; most at r = c.

    |H(BI(c), r) - H(BI(c'), r)| <= H(BI(c), BI(c')) = LS(c) by the triangle inequality, with equality at r = c:
    the papers' efficiency lemma. problem: n >= 1; limit: at most about so many candidates on the line through c and
    c' (k = 2: all candidates are on it); where there are more, those far out whose change is below LS(c) / 1000 are
    left out and the others thinned. Raises ValueError if n = 0.
    Source: [D20] section 1, [P17] section 7.1.
    """
    limit = limits.whole_number("limit", limit, 3, _LARGEST_LIMIT)
    neighbour = worst_neighbour(problem)
    c, move = np.array(problem.counts), np.subtract(neighbour, problem.counts)
    away, towards = problem.counts[int(move.argmax())], problem.counts[int(move.argmin())]
    limits.check_rows("limit", min(limit, away + towards + 1), problem.k)

    # All r agree with c and c' but in the two categories of the move, and so do the totals: the others add no distance.
    two = np.flatnonzero(move)
    alpha = tuple(problem.prior[i] for i in two)
    here, there = (Problem(alpha, tuple(counts[i] for i in two)) for counts in (problem.counts, neighbour))

    def change(moved: NDArray[np.int64]) -> Floats:
        released = c[two] + moved[:, None] * move[two]
        return np.abs(distances_to(here, released) - distances_to(there, released))

    moved = np.arange(-away, towards + 1)[: limit + 1] if away + towards < limit else np.empty(0, dtype=np.int64)
    if not moved.size:
        sides = []
        for sign, reach in ((-1, away), (1, towards)):
            out = np.unique(np.rint(np.geomspace(1, max(reach, 1), 200)).astype(np.int64)).clip(0, reach)
            seen = out[change(sign * out) >= local_sensitivity(problem) / 1000]
            end = int(out[min(seen.size, out.size - 1)])
            sides.append(sign * np.rint(np.linspace(0, end, limit // 2 + 1)).astype(np.int64))
        moved = np.unique(np.concatenate([*sides, np.array([-1, 0, 1]).clip(-away, towards)]))
    return ScoreChange(problem, neighbour, c + moved[:, None] * move, moved, change(moved), local_sensitivity(problem))


def _scan(
    prior: tuple[float, ...],
    counts: NDArray[np.int64],
    position: NDArray[np.int64],
    gamma: float,
    beta: float,
) -> SensitivityScan:
    gamma, beta = limits.check_gamma(gamma), limits.check_gamma(beta, "beta")
    return SensitivityScan(
        prior,
        gamma,
        beta,
        counts,
        position,
        local_sensitivities(prior, counts),
        smooth_sensitivities(prior, counts, gamma),
        smooth_sensitivities(prior, counts, beta, "exponential"),
        global_sensitivity(prior, int(counts[0].sum())),
        PAPER_GLOBAL_SENSITIVITY,
    )


def _thinned(largest: int, points: int, keep: Iterable[int]) -> NDArray[np.int64]:
    """Whole numbers from 0 to ``largest``: all, or about ``points``, half of them denser towards the ends."""
    points = limits.whole_number("points", points, _POINTS_LEAST, _POINTS_LARGEST)
    if largest < points:
        return np.arange(largest + 1, dtype=np.int64)
    half = points // 4
    ends = np.rint(np.geomspace(1, max(largest / 2, 1), half)).astype(np.int64)
    even = np.rint(np.linspace(0, largest, points - 2 * half)).astype(np.int64)
    kept = np.array([value for value in keep if 0 <= value <= largest], dtype=np.int64)
    return np.unique(np.concatenate([ends, largest - ends, even, kept]))
