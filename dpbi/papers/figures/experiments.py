"""The papers' experiments, each with its exact answer: laws, errors against n, boxes, the score's change."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dpbi.accuracy.distance_law import distance_law
from dpbi.accuracy.error import expected_error
from dpbi.accuracy.order import lead
from dpbi.data.synthesis import balanced_counts
from dpbi.inference.private_posteriors import sample_posteriors
from dpbi.posterior.hellinger import distances_to
from dpbi.problem.neighbours import neighbours, steps
from dpbi.problem.problem import Problem
from dpbi.sensitivity.maps import ScoreChange, score_change

from .settings import Begin, Contender, DistanceProbabilities, ErrorBoxes, ErrorsAgainstSize, Floats, Measure, Race

_EVERY = 100  # up to here a race is looked at for every multiple of k


def balanced(n: int, k: int) -> tuple[int, ...]:
    """n records in k categories, as evenly as can be, the larger counts last: [P17] section 7.2.1."""
    return balanced_counts(k, n)[::-1]


def largest_changes(problem: Problem) -> ScoreChange:
    """max over neighbours c' of |H(BI(c), r) - H(BI(c'), r)|, for every candidate r of two categories.

    problem: k = 2, n >= 1. Source: [P17] section 7.1, [N] section 4.1.
    """
    found = score_change(problem, limit=problem.n + 1)
    own = distances_to(problem, found.released)
    others = [distances_to(problem.with_counts(other), found.released) for other in neighbours(problem.counts).tolist()]
    return replace(found, change=np.abs(own - np.array(others)).max(axis=0))


def distance_probabilities(
    contenders: Sequence[Contender], problem: Problem, runs: int, seed: int, begin: Begin
) -> DistanceProbabilities:
    """Exact laws of the distance and simulated releases. Source: [P17] section 7.2.1, [N] section 4.4."""
    rng = np.random.default_rng(seed)
    laws, draws = [], []
    for one in contenders:
        begin(len(contenders))
        laws.append(distance_law(one.mechanism, problem))
        draws.append(sample_posteriors(one.mechanism, problem, rng, runs))
    return DistanceProbabilities(tuple(contenders), tuple(laws), tuple(draws))


def errors_against_size(
    contenders: Sequence[Contender],
    prior: Sequence[float],
    sizes: Sequence[int],
    racing: tuple[int, int],
    step: float,
    runs: int,
    seed: int,
    begin: Begin,
) -> ErrorsAgainstSize:
    """Mean distances at balanced data, exact and simulated, and the ``Race`` of two contenders.

    racing: their places; step: of the race. Source: [P17] section 7.2.2.
    """
    problems = [Problem(tuple(prior), balanced(n, len(prior))) for n in sizes]
    looked = _looked_at(len(prior), sizes[-1], step)
    parts = len(sizes) * len(contenders) + len(looked)
    errors, exact = _errors(contenders, problems, "hellinger", runs, seed, lambda _: begin(parts))
    race = _race(contenders, racing, problems[0].prior, looked, step, lambda _: begin(parts))
    return ErrorsAgainstSize(
        tuple(contenders), problems[0].prior, tuple(sizes), runs, seed, exact,
        errors.mean(axis=-1), errors.std(axis=-1) / np.sqrt(runs), race,
    )  # fmt: skip


def _looked_at(k: int, largest: int, step: float) -> list[int]:
    """The multiples of k: all up to ``_EVERY``, then by steps, and the last one up to the largest."""
    last = largest - largest % k
    looked = [*range(k, min(_EVERY, last) + 1, k)]
    while looked[-1] < last:
        looked.append(min(last, -(int(-step * looked[-1]) // k) * k))
    return looked


def _race(
    contenders: Sequence[Contender], racing: tuple[int, int], prior: tuple[float, ...], looked: Sequence[int],
    step: float, begin: Begin,
) -> Race:
    """Between two sizes looked at with different orders, every multiple of k is looked at too: no turn is bisected for,
    since the order turns more than once.
    """
    k = len(prior)
    first, second = (contenders[place].mechanism for place in racing)

    def nearer(n: int) -> bool:
        problem = Problem(prior, balanced(n, k))
        mean, other = (expected_error(one, problem, "hellinger").upper for one in (first, second))
        return lead(mean, other) > 0

    ahead: dict[int, bool] = {}
    for before, n in zip((0, *looked), looked, strict=False):
        begin(len(looked))
        ahead[n] = nearer(n)
        if before and ahead[before] != ahead[n]:
            ahead.update({between: nearer(between) for between in range(before + k, n, k)})
    sizes = sorted(ahead)
    return Race(*racing, k, min(_EVERY, sizes[-1]), step, tuple(sizes), np.array([ahead[n] for n in sizes]))


def error_boxes(
    contenders: Sequence[Contender],
    problems: Sequence[Problem],
    labels: Sequence[str],
    measure: Measure,
    runs: int,
    seed: int,
    begin: Begin,
) -> ErrorBoxes:
    """Simulated errors and exact means. Source: [P17] section 7.2.2, [N] sections 4.2 and 4.3."""
    errors, exact = _errors(contenders, problems, measure, runs, seed, begin)
    return ErrorBoxes(tuple(contenders), tuple(problems), tuple(labels), measure, runs, seed, errors, exact)


def _errors(
    contenders: Sequence[Contender], problems: Sequence[Problem], measure: Measure, runs: int, seed: int, begin: Begin
) -> tuple[Floats, Floats]:
    """Simulated errors, (problems, contenders, runs), and exact means, (problems, contenders)."""
    rng = np.random.default_rng(seed)
    errors, exact = np.empty((len(problems), len(contenders), runs)), np.empty((len(problems), len(contenders)))
    for row, problem in enumerate(problems):
        for place, one in enumerate(contenders):
            begin(exact.size)
            drawn = sample_posteriors(one.mechanism, problem, rng, runs)
            errors[row, place] = drawn.distance if measure == "hellinger" else 2 * steps(problem.counts, drawn.released)
            known = expected_error(one.mechanism, problem, measure)
            exact[row, place] = known.high if known.exact else np.nan  # only draws could tell
    return errors, exact
