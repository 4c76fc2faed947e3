"""What a fresh process pays: importing, the first exact law, the exact privacy loss and the limit of privacy.

And after a first law, in this process, the next epsilon.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

import dpbi
from dpbi.mechanisms import EHD, EHDL, EHDNRS, EHDS, Mechanism
from dpbi.problem.candidates import number_of_candidates

from .draws import spread_counts
from .measurement import cost, cost_in_fresh_process
from .table import Row, peak, within

Sizes = Sequence[tuple[int, int]]  # k, n
# Times Python's loop, but importing: times numpy and scipy.special, which are a part of it.
IMPORT, FIRST_LAW, NEXT_LAW, LOSS, LIMIT = 2.2, 190, 0.7, 250, 1_250
LAW_PEAK, LOSS_PEAK = 5, 8  # times what is held before


def importing(repetitions: int = 5) -> Iterator[Row]:
    """`import dpbi` beside numpy and scipy.special."""
    below = "numpy, scipy.special"
    ours, unit = (cost_in_fresh_process("", f"import {names}", repetitions) for names in ("dpbi", below))
    yield within("import dpbi", replace(ours, yardstick=below, unit=unit.processor), IMPORT)


def laws(sizes: Sizes = ((4, 600), (3, 3_000), (2, 10**6)), repetitions: int = 3) -> Iterator[Row]:
    """The first law of a problem: every candidate visited."""
    for k, n in sizes:
        setup = f"import dpbi\nproblem = dpbi.Problem((1,) * {k}, {spread_counts(n, k)})"
        taken = cost_in_fresh_process(setup, "dpbi.distance_law(dpbi.mechanisms.EHD(1.0), problem)", repetitions)
        letter = "(c) " if (k, n) == (4, 600) else ""
        what = f"{letter}exact law, k = {k}, n = {n:,}: {number_of_candidates(n, k):,} candidates"
        yield from (within(what, taken, FIRST_LAW), peak(taken, LAW_PEAK))


def next_epsilon(
    n: int = 600, k: int = 4, steps: int = 40, least: float = 0.01, largest: float = 20.0
) -> Iterator[Row]:
    """After one call at epsilon 1, the same call at others over the slider's range, none of them seen before."""
    problem = dpbi.Problem((1,) * k, spread_counts(n, k))
    epsilons = [1.0, *np.random.default_rng(5).permutation(np.geomspace(least, largest, steps)).tolist()]
    for kind in (EHD, EHDL, EHDS, EHDNRS):
        def law(i: int, kind: type[Mechanism] = kind) -> object:
            return dpbi.distance_law(kind(epsilons[i]), problem)

        what = f"(e) next epsilon, law, k = {k}, n = {n:,}: {kind.label}, median of {steps}"
        yield within(what, cost(law, steps), NEXT_LAW)


def losses(
    mechanisms: Sequence[type[Mechanism]] = dpbi.MECHANISMS, every: tuple[int, int] = (2, 2_000),
    others: Sizes = ((3, 60), (4, 20)), repetitions: int = 3,
) -> Iterator[Row]:
    """The exact loss: of every mechanism at one size, of one that visits every pair at others."""
    for kind, (k, n) in [(kind, every) for kind in mechanisms] + [(EHDS, size) for size in others]:
        setup = f"import dpbi\nmechanism = dpbi.mechanisms.{kind.__name__}(1.0)"
        taken = cost_in_fresh_process(setup, f"dpbi.privacy_loss(mechanism, (1,) * {k}, {n})", repetitions)
        what = f"exact privacy loss, k = {k}, n = {n:,}: {kind.label}"
        yield from (within(what, taken, LOSS), peak(taken, LOSS_PEAK))


def limits(
    sizes: Sizes = ((2, 100), (2, 1_000), (2, 10_000), (2, 10**6), (3, 6), (3, 9), (3, 12)), repetitions: int = 1
) -> Iterator[Row]:
    """The limit at the uniform prior and epsilon 1, as n grows."""
    for k, n in sizes:
        taken = cost_in_fresh_process("import dpbi", f"dpbi.limit_of_privacy((1,) * {k}, {n}, 1.0)", repetitions)
        yield within(f"limit of privacy, k = {k}, n = {n:,}", taken, LIMIT)
