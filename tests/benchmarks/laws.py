"""Exact laws of the Hellinger distance: the first one of a problem, in a process of its own, and the next epsilon."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

import dpbi
from dpbi import Problem, partition
from dpbi.mechanisms import EHD, EHDL, EHDNRS, EHDS, Mechanism
from dpbi.problem.candidates import number_of_candidates

from .draws import spread_counts
from .measurement import Cost, cost, cost_in_fresh_process
from .table import Row, peak, within

Sizes = tuple[tuple[int, int], ...]
FIRST, NEXT = 190, 0.7  # times Python's loop
PEAK = 5  # times what is held before


def exact(sizes: Sizes = ((4, 600), (3, 3_000), (2, 10**6)), repetitions: int = 3) -> Iterator[Row]:
    """The first law of a problem in a fresh process: every candidate visited."""
    for k, n in sizes:
        taken = _law_in_fresh_process("EHD(1.0)", k, n, repetitions)
        letter = "(c) " if (k, n) == (4, 600) else ""
        yield within(f"{letter}exact law, k = {k}, n = {n:,}: {number_of_candidates(n, k):,} candidates", taken, FIRST)
        yield peak(taken, PEAK)


def _law_in_fresh_process(mechanism: str, k: int, n: int, repetitions: int) -> Cost:
    setup = (f"import dpbi\nmechanism = dpbi.mechanisms.{mechanism}\n"
             f"problem = dpbi.Problem((1,) * {k}, {spread_counts(n, k)})")
    return cost_in_fresh_process(setup, "dpbi.distance_law(mechanism, problem)", repetitions)


def unlisted(
    mechanisms: Sequence[type[Mechanism]] = dpbi.MECHANISMS, k: int = 300, n: int = 10**6, repetitions: int = 1
) -> Iterator[Row]:
    """The first law of every mechanism where nothing can be listed, in a fresh process."""
    for kind in mechanisms:
        taken = _law_in_fresh_process(f"{kind.__name__}(1.0)", k, n, repetitions)
        yield within(f"law, k = {k}, n = {n:,}: {kind.label}, fresh process", taken)


def next_epsilon(
    n: int = 600, k: int = 4, steps: int = 40, least: float = 0.01, largest: float = 20.0
) -> Iterator[Row]:
    """After one call at epsilon 1, the same call at others over the slider's range, none of them seen before."""
    problem = Problem((1,) * k, spread_counts(n, k))
    calls: dict[str, Callable[[float], object]] = {
        f"law, k = {k}, n = {n:,}: {kind.label}": _law_of(kind, problem) for kind in (EHD, EHDL, EHDS, EHDNRS)}
    calls[f"log Z and mean, k = {k}, n = {n:,}: EHDS"] = (
        lambda epsilon: _log_partition_and_mean(problem, EHDS(epsilon).rate(problem)))
    epsilons = [1.0, *np.random.default_rng(5).permutation(np.geomspace(least, largest, steps))]
    for what, call in calls.items():
        taken = cost(lambda i, call=call: call(float(epsilons[i])), steps)  # type: ignore[misc]
        yield within(f"(e) next epsilon, {what}, median of {steps}", taken, NEXT)


def _law_of(kind: type[Mechanism], problem: Problem) -> Callable[[float], object]:
    return lambda epsilon: dpbi.distance_law(kind(epsilon), problem)


def _log_partition_and_mean(problem: Problem, rate: float) -> tuple[float, float]:
    return partition.log_partition(problem, rate), partition.mean_distance(problem, rate)
