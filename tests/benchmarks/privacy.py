"""The exact privacy loss: seconds and memory at the largest sizes, and the same numbers by dp-accounting."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

import dpbi
from dpbi import Problem
from dpbi.mechanisms import EHDS, Geometric, Mechanism

from . import enumeration, peers
from .measurement import cost_in_fresh_process, costs
from .sensitivities import agree
from .table import Row, quicker, within

GRID = 1e-4  # dp-accounting rounds losses up to multiples of this


def loss(sizes: Sequence[tuple[int, int]] = ((2, 2_000), (3, 60), (4, 20)), repetitions: int = 1) -> Iterator[Row]:
    """Every mechanism's exact loss in a fresh process."""
    for (k, n), kind in itertools.product(sizes, dpbi.MECHANISMS):
        setup = f"import dpbi\nmechanism = dpbi.mechanisms.{kind.__name__}(1.0)"
        taken = cost_in_fresh_process(setup, f"dpbi.privacy_loss(mechanism, (1,) * {k}, {n})", repetitions)
        yield within(f"exact privacy loss, k = {k}, n = {n:,}: {kind.label}", taken, seconds=2.0, megabytes=500)


def accountant(
    cases: Sequence[tuple[Mechanism, int]] = ((EHDS(1.0), 200), (Geometric(1.0), 200)), repetitions: int = 3
) -> Iterator[Row]:
    """Loss and delta(loss / 2) at k = 2, the worst of all neighbouring pairs handed to dp-accounting as two pmfs."""
    if not peers.installed(peers.ACCOUNTANT):
        return
    for mechanism, n in cases:
        prior = (1.0, 1.0)
        exact = dpbi.privacy_loss(mechanism, prior, n).epsilon
        half = exact / 2
        theirs = _worst_by_accountant(mechanism, prior, n, half)
        if not exact - 1e-9 <= theirs[0] <= exact + 2 * GRID:
            raise RuntimeError(f"{mechanism}, n = {n}: loss {exact} by dpbi, {theirs[0]} by dp-accounting.")
        delta = float(dpbi.privacy_profile(mechanism, prior, n, [half])[0])
        agree(f"{mechanism}, n = {n}, delta({half})", delta, theirs[1], tolerance=5 * GRID / half)
        taken = costs({
            "dpbi": lambda _, m=mechanism, n=n, e=half: (dpbi.privacy_loss(m, (1, 1), n),
                                                         dpbi.privacy_profile(m, (1, 1), n, [e])),
            "dp-accounting": lambda _, m=mechanism, n=n, e=half: _worst_by_accountant(m, (1.0, 1.0), n, e)},
            repetitions)
        yield quicker(f"loss {exact:.6f} (dp-accounting {theirs[0]:.4f}), delta {delta:.3g} ({theirs[1]:.3g}), "
                      f"{mechanism.label} n = {n}", taken["dpbi"], "dp-accounting", taken["dp-accounting"])


def _worst_by_accountant(
    mechanism: Mechanism, prior: tuple[float, float], n: int, epsilon: float
) -> tuple[float, float]:
    outputs = enumeration.compositions(n, 2)
    laws = [np.exp(mechanism.log_pmf(Problem(prior, tuple(counts)), outputs)) for counts in outputs.tolist()]
    pairs = [(a, b) for before, after in itertools.pairwise(laws) for a, b in ((before, after), (after, before))]
    found = [peers.losses_and_deltas(law, other, epsilon) for law, other in pairs]
    return max(loss for loss, _ in found), max(delta for _, delta in found)
