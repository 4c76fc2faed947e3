"""Draws per second of the exponential family: from lists the peers can handle, and where no list fits in memory."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpbi import MECHANISMS, Problem, partition
from dpbi.mechanisms import EHD, EHDL, EHDS, Mechanism

from . import enumeration, peers
from .measurement import Cost, Task, costs
from .table import Row, speed, within

Selection = EHD | EHDL | EHDS  # of the exponential family: these have a rate

NUMPY = "NumPy's cumsum, searchsorted"
MOST = 12  # times Python's loop


def spread_counts(n: int, k: int, moved: int = 0) -> tuple[int, ...]:
    """Counts in proportion to 1, 2, ..., k. ``moved`` records from the last to the first make other data of the kind,
    as many kinds as the last holds records."""
    counts = [n * (i + 1) * 2 // (k * (k + 1)) for i in range(k)]
    counts[-1] += n - sum(counts)
    moved %= max(counts[-1], 1)
    counts[0] += moved
    counts[-1] -= moved
    return tuple(counts)


def listed(n: int = 9_999, draws: int = 10_000, peer_draws: int = 50, repetitions: int = 7) -> Iterator[Row]:
    """k = 2: n + 1 candidates. OpenDP's draws are exact in their last bit, the others are floating-point draws."""
    mechanism, rng = EHDS(1.0), np.random.default_rng(1)
    problem = Problem((1, 1), spread_counts(n, 2))
    distance = _plain_distances(problem)
    rate = mechanism.rate(problem)
    drawers = {name: selector(rate, distance) for name, selector in peers.selectors().items()}
    tasks: dict[str, Task] = {"dpbi": lambda _: mechanism.sample(problem, rng, draws),
                              NUMPY: _inverse_distributions(rate, distance, rng, draws)}
    tasks |= {name: _repeat(draw, peer_draws) for name, draw in drawers.items()}
    measured = costs(tasks, repetitions)
    again = _per_draw(measured, draws, peer_draws)
    yield from speed(f"(a) {n + 1:,} listed candidates, scores known", measured["dpbi"], draws, again)
    fresh = costs(_from_scratch(mechanism, rate, n, draws, rng), repetitions)
    once = {name: taken for name, taken in fresh.items() if name in again}
    # The peers' list is scored and set up once, then each draw costs what it did above.
    many = {name: taken.plus(again[name].times(draws - 1)).times(1 / draws) for name, taken in once.items()}
    yield from speed(f"(a) the same, {draws:,} draws with scoring and set-up", fresh["dpbi, many"], draws, many)
    yield from speed("(a) the same, one draw with scoring and set-up", fresh["dpbi, one"], 1, once)


def _from_scratch(
    mechanism: Selection, rate: float, n: int, draws: int, rng: np.random.Generator
) -> dict[str, Task]:
    """From counts not seen before to one draw (dpbi: to many draws, too). The peers are given the rate."""
    tasks = {"dpbi, many": _new_problems(mechanism, 1.0, n, 2, draws, rng),
             "dpbi, one": _new_problems(mechanism, 1.0, n, 2, 1, rng, unlike=1_000)}
    selectors = peers.selectors() | {NUMPY: lambda rate, distance: _inverse_distribution(rate, distance, rng)}
    return tasks | {name: _one_draw(selector, rate, n) for name, selector in selectors.items()}


def _one_draw(selector: peers.Selector, rate: float, n: int) -> Task:
    return lambda i: selector(rate, _plain_distances(Problem((1, 1), spread_counts(n, 2, i))))()


def _plain_distances(problem: Problem) -> NDArray[np.float64]:
    """The scores a peer would be given: the textbook formula over all n + 1 candidates at k = 2."""
    first = np.arange(problem.n + 1)
    candidates = np.stack([first, problem.n - first], axis=1)
    return enumeration.distances(np.array(problem.prior), np.array(problem.counts), candidates)


def _inverse_distribution(rate: float, distance: NDArray, rng: np.random.Generator) -> peers.Draw:
    cumulative = np.cumsum(np.exp(-rate * distance))
    return lambda: int(np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right"))


def _inverse_distributions(rate: float, distance: NDArray, rng: np.random.Generator, size: int) -> Task:
    def drawn(_: int) -> NDArray[np.intp]:
        cumulative = np.cumsum(np.exp(-rate * distance))
        return np.searchsorted(cumulative, rng.random(size) * cumulative[-1], side="right")

    return drawn


def _repeat(draw: peers.Draw, times: int) -> Task:
    def repeated(_: int) -> None:
        for _ in range(times):
            draw()

    return repeated


def _per_draw(measured: dict[str, Cost], draws: int, peer_draws: int) -> dict[str, Cost]:
    """The others' cost of one draw."""
    return {name: taken.times(1 / (draws if name == NUMPY else peer_draws))
            for name, taken in measured.items() if name != "dpbi"}


@dataclass(frozen=True)
class Case:
    """A mechanism with a symmetric prior, the one that rate and law depend on."""

    mechanism: Selection
    strength: float

    def problem(self, n: int, k: int, moved: int = 0) -> Problem:
        return Problem((self.strength,) * k, spread_counts(n, k, moved))

    def __str__(self) -> str:
        return f"{self.mechanism.label} eps {self.mechanism.epsilon:g} prior {self.strength:g}"


# From a mechanism that all but ignores the data to ones that nearly always stay within a few records of it.
CASES = (Case(EHD(1.0), 1.0), Case(EHDS(1.0), 1.0), Case(EHDS(20.0), 1.0), Case(EHDL(20.0), 1.0),
         Case(EHDL(20.0), 0.5), Case(EHDL(20.0), 100.0), Case(EHDL(200.0), 1.0), Case(EHDS(20.0), 100.0))


def unlisted(
    n: int = 1_000, k: int = 10, draws: int = 10_000, cases: Sequence[Case] = CASES, listed_n: int = 9_999,
    peer_draws: int = 50, repetitions: int = 5,
) -> Iterator[Row]:
    """C(n + k - 1, k - 1) candidates, beside the fastest peer on a list of listed_n + 1: it has no answer here."""
    rng = np.random.default_rng(2)
    short = Problem((1, 1), spread_counts(listed_n, 2))
    drawers = {name: selector(EHDS(20.0).rate(short), _plain_distances(short))
               for name, selector in peers.selectors().items()}
    tasks = {name: _repeat(draw, peer_draws) for name, draw in drawers.items()}
    for case in cases:
        tasks[f"{case}, first"] = _new_problems(case.mechanism, case.strength, n, k, draws, rng)
        tasks[f"{case}, again"] = _same_problem(case.mechanism, case.problem(n, k), draws, rng)
    measured = costs(tasks, repetitions)
    theirs = {name: measured[name].times(1 / peer_draws) for name in drawers}
    fastest = dict(sorted(theirs.items(), key=lambda item: item[1].processor)[:1])
    yield Row(f"(d) k = {k}, n = {n:,}: {math.comb(n + k - 1, k - 1):.2g} candidates; peers draw from {listed_n + 1:,}",
              "")
    for case in cases:
        yield from speed(f"    {case}: {_closeness(case.mechanism, case.problem(n, k))}", measured[f"{case}, first"],
                         draws, fastest, least=20)
        yield from speed("        again, tables kept", measured[f"{case}, again"], draws, fastest)


def _closeness(mechanism: Selection, problem: Problem) -> str:
    """Whether the draws look at the data: an ignoring probability of nearly 1 says that they hardly do."""
    rate = mechanism.rate(problem)
    return (f"ignores data w.p. {partition.probability_of_ignoring(problem, rate):.2g}, "
            f"E[H] {partition.mean_distance(problem, rate):.2g}")


def _new_problems(
    mechanism: Mechanism, strength: float, n: int, k: int, draws: int, rng: np.random.Generator, unlike: int = 0
) -> Task:
    """Draws from other counts in each repetition; ``unlike`` keeps them from those of another task."""
    return lambda i: mechanism.sample(Problem((strength,) * k, spread_counts(n, k, unlike + i)), rng, draws)


def _same_problem(mechanism: Mechanism, problem: Problem, draws: int, rng: np.random.Generator) -> Task:
    return lambda _: mechanism.sample(problem, rng, draws)


def every_mechanism(n: int = 1_000, draws: int = 10_000, repetitions: int = 7) -> Iterator[Row]:
    """k = 2: the draws of every mechanism, from a problem not seen before."""
    rng = np.random.default_rng(4)
    tasks = {kind.label: _new_problems(kind(1.0), 1.0, n, 2, draws, rng) for kind in MECHANISMS}
    for label, taken in costs(tasks, repetitions).items():
        yield within(f"{draws:,} draws at k = 2, n = {n:,}: {label}", taken, MOST)
