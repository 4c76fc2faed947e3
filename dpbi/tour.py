"""The tour: seven prepared scenes, each a question, a problem, what is computed of it and the sentence it gives."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from dpbi.accuracy.axes import axis
from dpbi.accuracy.curves import AccuracyCurve, accuracy_curve
from dpbi.accuracy.distance_law import DistanceLaw, distance_law
from dpbi.accuracy.optimum import PrivacyLimit, limit_of_privacy
from dpbi.frozen_result import FrozenResult
from dpbi.inference.prior_average import Reading, expected_distance
from dpbi.mechanisms import EHD, EHDS, Geometric, KNorm, LSDim, LSHist, LSZhang, Mechanism, name_of
from dpbi.mechanisms.printed_bound import printed_bound
from dpbi.posterior.hellinger import distances_to, hellinger
from dpbi.privacy.curves import CalibrationGain, calibration_gain
from dpbi.problem.problem import Problem
from dpbi.sensitivity import worst_neighbour

Floats = NDArray[np.float64]

_UNIFORM = (1.0, 1.0)
_EPSILON = 1.0
_MOVES = 400
_TIMES_EPSILON = (0.5, 1.0, 1.5, 2.0, 3.0)


@dataclass(frozen=True)
class Leak:
    """The posteriors of two datasets that differ in one record; distance: H between them."""

    problem: Problem
    neighbour: Problem
    distance: float


@dataclass(frozen=True, eq=False)
class Moves(FrozenResult):
    """H between each problem's posterior and that after ``moved`` records changed category; distance: (problems, m).

    receiver: the category that they changed to, 0 or 1.
    """

    problems: tuple[Problem, ...]
    moved: NDArray[np.int64]
    distance: Floats
    receiver: int


@dataclass(frozen=True)
class Growth:
    """E[H] of each mechanism as the data grow; n: of the problem itself, which lies on the curves.

    ignoring: P(the data are ignored) of the first mechanism, with the fewest records and with n.
    """

    curves: tuple[AccuracyCurve, ...]
    n: int
    ignoring: tuple[float, float]


@dataclass(frozen=True, eq=False)
class AgainstLimit(FrozenResult):
    """The limit of privacy at several epsilons, and E[H] under the prior of each mechanism there.

    mechanisms: at the scene's epsilon; limits: one per epsilon; mean, nearest: as released and read nearest,
    (mechanisms, epsilons).
    """

    mechanisms: tuple[Mechanism, ...]
    limits: tuple[PrivacyLimit, ...]
    mean: Floats
    nearest: Floats

    @property
    def times(self) -> Floats:
        """Both readings over the limit, (2, mechanisms, epsilons); NaN where the limit is not known."""
        known = np.array([np.nan if one.value is None else one.value for one in self.limits])
        return np.stack([self.mean, self.nearest]) / known


@dataclass(frozen=True)
class Scene:
    """One scene. page: the title of the page that shows the same scenario in full; sentence: of ``result``."""

    key: str
    heading: str
    text: str
    problem: Problem
    mechanisms: tuple[Mechanism, ...]
    page: str
    compute: Callable[["Scene"], Any]
    sentence: Callable[[Any], str]

    def result(self) -> Any:
        """What the scene's chart shows and its sentence is about, computed once per process."""
        return _computed(self)


@cache
def _computed(scene: Scene) -> Any:
    return scene.compute(scene)


# --- what is computed ---


def leak(problem: Problem) -> Leak:
    """The problem beside the neighbour whose posterior is farthest from its own."""
    neighbour = problem.with_counts(worst_neighbour(problem))
    return Leak(problem, neighbour, float(hellinger(problem.posterior, neighbour.posterior)))


def laws(scene: Scene) -> tuple[DistanceLaw, ...]:
    return tuple(distance_law(mechanism, scene.problem) for mechanism in scene.mechanisms)


def moves(problem: Problem) -> Moves:
    """Records that change to the rarer of two categories, at these data and where that one is empty.

    The first where both are as frequent. At most ``_MOVES`` numbers of records, 0 and 1 among them.
    """
    n, receiver = problem.n, int(problem.counts[1] < problem.counts[0])
    step = (1, -1) if receiver == 0 else (-1, 1)
    empty = problem.with_counts((0, n) if receiver == 0 else (n, 0))
    problems = tuple(dict.fromkeys((problem, empty)))
    most = (n + 1) // 2
    moved = np.unique([0, 1, *np.linspace(0, most, min(most + 1, _MOVES)).astype(np.int64)])
    released = [np.array(one.counts) + moved[:, None] * step for one in problems]
    distance = np.stack([distances_to(one, rows) for one, rows in zip(problems, released, strict=True)])
    return Moves(problems, moved, distance, receiver)


def growth(scene: Scene) -> Growth:
    """Along the axis of the lab, so that it shows the same."""
    along, problem, mechanisms = axis("n"), scene.problem, scene.mechanisms
    sizes = along.values(problem, mechanisms)
    curves = tuple(accuracy_curve(along, one, problem, "hellinger", sizes) for one in mechanisms)
    few, many = (mechanisms[0].probability_of_ignoring(along.at(mechanisms[0], problem, size)[1])
                 for size in (sizes[0], problem.n))
    return Growth(curves, problem.n, (few, many))


def against_limit(scene: Scene) -> AgainstLimit:
    prior, n = scene.problem.prior, scene.problem.n
    epsilons = [scene.mechanisms[0].epsilon * times for times in _TIMES_EPSILON]
    found = tuple(limit_of_privacy(prior, n, epsilon) for epsilon in epsilons)
    there = [[replace(one, epsilon=epsilon) for epsilon in epsilons] for one in scene.mechanisms]
    mean, nearest = ([[expected_distance(one, prior, n, reading).mean for one in row] for row in there]
                     for reading in get_args(Reading))
    return AgainstLimit(scene.mechanisms, found, np.array(mean), np.array(nearest))


def gains(scene: Scene) -> tuple[CalibrationGain, ...]:
    return tuple(calibration_gain(mechanism, scene.problem) for mechanism in scene.mechanisms)


# --- what is said ---


def _said(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def leak_said(found: Leak) -> str:
    here, there = (", ".join(f"{a:g}" for a in one.posterior) for one in (found.problem, found.neighbour))
    return (
        f"One changed record turns Beta({here}) into Beta({there}), H = {_said(found.distance)} away. Published "
        f"without noise, the posterior hands the last record to anyone who knows the other {found.problem.n - 1}."
    )


def laws_said(found: tuple[DistanceLaw, ...]) -> str:
    means = ", ".join(f"{name_of(law.mechanism)} {_said(law.mean)}" for law in found)
    return (
        f"Mean distance from the true posterior of {found[0].problem.n} records, every one "
        f"{printed_bound(found[0].mechanism.epsilon)}-DP: {means}. "
        f"The last stays {_said(found[0].mean / found[-1].mean)} times nearer than the first at the same promise."
    )


def moves_said(found: Moves) -> str:
    even, edge = found.distance[:, 1]
    shown = [f"({', '.join(map(str, one.counts))})" for one in found.problems]
    return (
        f"One record moved changes the posterior by H = {_said(even)} at {shown[0]} and by H = {_said(edge)} at "
        f"{shown[1]}, {_said(edge / even)} times as much. An error in records says little about the error in what is "
        "concluded from them; the distance between the posteriors does."
    )


def _mean_at(curve: AccuracyCurve, n: int) -> float:
    """At a place of the curve, so that words and chart speak of the same."""
    return curve.errors[curve.values.index(n)].high


def drowning_said(found: Growth) -> str:
    curve, (few, many) = found.curves[0], found.ignoring
    return (
        f"With n = {curve.values[0]:,} records {name_of(curve.mechanism)} ignores the data with probability "
        f"{_said(few)}, with n = {found.n:,} with {_said(many)}: its rate is set by the worst dataset, while the "
        f"candidates grow in number. Its mean distance from the truth rises from {_said(curve.errors[0].high)} to "
        f"{_said(_mean_at(curve, found.n))}."
    )


def growth_said(found: Growth) -> str:
    (worldwide, wide), (smooth, near), (noise, added) = (
        (name_of(one.mechanism), _mean_at(one, found.n)) for one in found.curves)
    return (
        f"At n = {found.n:,} the mean distance of {worldwide} is {_said(wide)}, that of {smooth} "
        f"{_said(near)}, {_said(wide / near)} times nearer and still private, as the smooth bound changes little from "
        f"one dataset to its neighbour; that of {noise} is {_said(added)}."
    )


def gains_said(found: tuple[CalibrationGain, ...]) -> str:
    best = max(found, key=lambda gain: gain.mean_before / gain.mean_after)
    before, after = best.before, printed_bound(best.after.epsilon)
    return (
        f"{name_of(before.mechanism)} promises epsilon = {printed_bound(before.mechanism.epsilon)} and really loses "
        f"{printed_bound(before.epsilon)}. Its rate raised until the exact loss is {after}, its mean "
        f"distance falls from {_said(best.mean_before)} to {_said(best.mean_after)}: "
        f"{_said(best.mean_before / best.mean_after)} times nearer at the same epsilon, checked for this prior and "
        f"n = {before.n}."
    )


def against_limit_said(found: AgainstLimit) -> str:
    at = _TIMES_EPSILON.index(1.0)
    limit, times = found.limits[at], found.times[:, :, at]
    each = ", ".join(f"{name_of(one)} {_said(ratio)}" for one, ratio in zip(found.mechanisms, times[0], strict=True))
    return (
        f"On average over {limit.n} records in {len(limit.prior)} categories, no {printed_bound(limit.epsilon)}-DP "
        "release of a candidate posterior lies nearer than "
        f"{_said(limit.value or 0.0)}. Times that: {each}; read nearest, {name_of(found.mechanisms[-1])} "
        f"{_said(times[1, -1])}."
    )


SCENES: tuple[Scene, ...] = (
    Scene(
        "leak",
        "A posterior leaks",
        "Ten people answered a question. The posterior looks like a summary, yet every record has moved it.",
        Problem(_UNIFORM, (5, 5)), (EHDS(_EPSILON),), "Sensitivity", lambda scene: leak(scene.problem), leak_said,
    ),
    Scene(
        "noise",
        "Noise on the counts",
        "Noise hides the single record. How much is needed depends on how well the sensitivity of a table of counts is "
        "understood: from noise on every count to whole-number noise on all but one.",
        Problem(_UNIFORM, (48, 42)),
        (LSZhang(_EPSILON), LSDim(_EPSILON), LSHist(_EPSILON), Geometric(_EPSILON)),
        "Distance curves", laws, laws_said,
    ),
    Scene(
        "distance",
        "Why measure in Hellinger distance",
        "The release is a posterior, so its error is a distance between posteriors. The same number of records weighs "
        "differently where data are rare.",
        Problem(_UNIFORM, (50, 50)), (EHD(_EPSILON),), "Sensitivity", lambda scene: moves(scene.problem), moves_said,
    ),
    Scene(
        "drowning",
        "A fair choice drowns",
        "The exponential mechanism picks a posterior, a near one more likely. Scaled to the worst dataset there is, it "
        "stops listening as the data grow.",
        Problem(_UNIFORM, (5000, 5000)), (EHD(_EPSILON),), "Accuracy", growth, drowning_said,
    ),
    Scene(
        "smooth",
        "Local and smooth sensitivity rescue it",
        "Here, at these data, one record moves the posterior far less than at the worst. A smooth bound on that local "
        "sensitivity may set the rate without giving the data away.",
        Problem(_UNIFORM, (500, 500)), (EHD(_EPSILON), EHDS(_EPSILON), Geometric(_EPSILON)), "Accuracy",
        growth, growth_said,
    ),
    Scene(
        "budget",
        "Some of the budget is unused",
        "A theorem bounds the privacy loss; here it is computed. What a mechanism does not spend can be spent: raise "
        "its rate until the exact loss is epsilon.",
        Problem(_UNIFORM, (48, 42)), (EHD(_EPSILON), EHDS(_EPSILON), LSDim(_EPSILON)), "Privacy loss",
        gains, gains_said,
    ),
    Scene(
        "limit",
        "The limit of privacy",
        "How near could anyone come? The best private choice of a candidate posterior tells, from prior, n and epsilon "
        "alone.",
        Problem((1.0, 1.0, 1.0), (3, 3, 3)), (LSHist(_EPSILON), Geometric(_EPSILON), KNorm(_EPSILON)), "Accuracy",
        against_limit, against_limit_said,
    ),
)  # fmt: skip
