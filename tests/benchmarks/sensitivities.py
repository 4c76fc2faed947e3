"""Sensitivities beside plain enumeration."""

import math
from collections.abc import Iterator

import numpy as np

import dpbi

from . import enumeration
from .draws import spread_counts
from .measurement import Task, costs
from .table import Row, quicker

ENUMERATION = "enumeration"


def enumerated(n: int = 100, k: int = 3, gamma: float = 0.1, repetitions: int = 5) -> Iterator[Row]:
    """LS, GS and smooth sensitivity beside NumPy over all datasets; the two must agree.

    Each time under another prior: what was asked before is kept.
    """
    c, datasets = np.array(spread_counts(n, k)), enumeration.compositions(n, k)
    problems = [dpbi.Problem((1 + i / 100,) * k, tuple(c.tolist())) for i in range(repetitions + 1)]
    alpha = [np.array(problem.prior) for problem in problems]
    pairs: dict[str, tuple[Task, Task]] = {
        "local": (lambda i: dpbi.local_sensitivity(problems[i]),
                  lambda i: enumeration.local_sensitivity(alpha[i], c, datasets)),
        "global": (lambda i: dpbi.global_sensitivity(problems[i].prior, n),
                   lambda i: enumeration.global_sensitivity(alpha[i], datasets)),
        f"smooth (gamma {gamma:g})": (lambda i: dpbi.smooth_sensitivity(problems[i], gamma),
                                     lambda i: enumeration.smooth_sensitivity(alpha[i], c, datasets, gamma))}
    for name, (closed, listing) in pairs.items():
        agree(name, closed(0), listing(0))
        taken = costs({"dpbi": closed, ENUMERATION: listing}, repetitions)
        yield quicker(f"(b) {name} sensitivity, k = {k}, n = {n:,}: {len(datasets):,} datasets", taken["dpbi"],
                      ENUMERATION, taken[ENUMERATION])


def agree(what: str, ours: object, theirs: object, tolerance: float = 1e-9) -> None:
    """RuntimeError unless both computed the same number: times of different numbers are not compared."""
    if not math.isclose(float(ours), float(theirs), rel_tol=tolerance):  # type: ignore[arg-type]
        raise RuntimeError(f"{what}: dpbi computes {ours}, the other way {theirs}.")
