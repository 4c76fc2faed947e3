"""Exact laws of the Hellinger distance: the first one of a problem, in a process of its own, and the next epsilon."""

from collections.abc import Iterator

import numpy as np

import dpbi
from dpbi import Problem
from dpbi.mechanisms import EHD, EHDL, EHDNRS, EHDS, Mechanism
from dpbi.problem.candidates import number_of_candidates

from .draws import spread_counts
from .measurement import cost, cost_in_fresh_process
from .table import Row, peak, within

Sizes = tuple[tuple[int, int], ...]
FIRST, NEXT = 190, 0.7  # times Python's loop
PEAK = 5  # times what is held before


def exact(sizes: Sizes = ((4, 600), (3, 3_000), (2, 10**6)), repetitions: int = 3) -> Iterator[Row]:
    """The first law of a problem in a fresh process: every candidate visited."""
    for k, n in sizes:
        setup = f"import dpbi\nproblem = dpbi.Problem((1,) * {k}, {spread_counts(n, k)})"
        taken = cost_in_fresh_process(setup, "dpbi.distance_law(dpbi.mechanisms.EHD(1.0), problem)", repetitions)
        letter = "(c) " if (k, n) == (4, 600) else ""
        yield within(f"{letter}exact law, k = {k}, n = {n:,}: {number_of_candidates(n, k):,} candidates", taken, FIRST)
        yield peak(taken, PEAK)


def next_epsilon(
    n: int = 600, k: int = 4, steps: int = 40, least: float = 0.01, largest: float = 20.0
) -> Iterator[Row]:
    """After one call at epsilon 1, the same call at others over the slider's range, none of them seen before."""
    problem = Problem((1,) * k, spread_counts(n, k))
    epsilons = [1.0, *np.random.default_rng(5).permutation(np.geomspace(least, largest, steps)).tolist()]
    for kind in (EHD, EHDL, EHDS, EHDNRS):
        def law(i: int, kind: type[Mechanism] = kind) -> object:
            return dpbi.distance_law(kind(epsilons[i]), problem)

        what = f"(e) next epsilon, law, k = {k}, n = {n:,}: {kind.label}, median of {steps}"
        yield within(what, cost(law, steps), NEXT)
