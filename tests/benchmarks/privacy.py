"""The exact privacy loss: seconds and memory at the largest sizes, and the same numbers by dp-accounting."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

import dpbi
from dpbi import Problem
from dpbi.mechanisms import EHDS, Geometric, Mechanism

from . import enumeration, peers
from .measurement import Task, cost_in_fresh_process, costs
from .table import Row, peak, quicker, within

Pair = tuple[NDArray[np.float64], NDArray[np.float64]]

PRIOR = (1.0, 1.0)
MOST, PEAK = 250, 8  # times Python's loop, and what is held before
GRID = 1e-4  # dp-accounting rounds losses up to multiples of this


def loss(
    mechanisms: Sequence[type[Mechanism]] = dpbi.MECHANISMS, every: tuple[int, int] = (2, 2_000),
    others: Sequence[tuple[int, int]] = ((3, 60), (4, 20)), repetitions: int = 3,
) -> Iterator[Row]:
    """The exact loss in a fresh process: of every mechanism at one size, of one that visits every pair at others."""
    for kind, (k, n) in [(kind, every) for kind in mechanisms] + [(EHDS, size) for size in others]:
        setup = f"import dpbi\nmechanism = dpbi.mechanisms.{kind.__name__}(1.0)"
        taken = cost_in_fresh_process(setup, f"dpbi.privacy_loss(mechanism, (1,) * {k}, {n})", repetitions)
        yield within(f"exact privacy loss, k = {k}, n = {n:,}: {kind.label}", taken, MOST)
        yield peak(taken, PEAK)


def accountant(
    cases: Sequence[tuple[Mechanism, int]] = ((EHDS(1.0), 50), (Geometric(1.0), 50)), repetitions: int = 3
) -> Iterator[Row]:
    """Loss and delta(loss / 2) at k = 2, the worst of all neighbouring pairs handed to dp-accounting as two pmfs."""
    for mechanism, n in cases:
        pairs = _neighbouring_laws(mechanism, n)
        exact = dpbi.privacy_loss(mechanism, PRIOR, n).epsilon
        delta = _delta(mechanism, n, exact / 2)
        theirs = _worst(pairs, exact / 2)
        _agree_up_to_grid(f"{mechanism}, n = {n}, loss", exact, theirs[0], exact + GRID)
        # (1 - e^(epsilon - loss))_+ of a loss rounded up is at most that of the loss itself at a smaller epsilon
        _agree_up_to_grid(f"{mechanism}, n = {n}, delta", delta, theirs[1], _delta(mechanism, n, exact / 2 - GRID))
        taken = costs(_tasks(mechanism, n, exact / 2, pairs), repetitions)
        yield quicker(f"{mechanism.label}, k = 2, n = {n}: loss {exact:.6f}, delta(loss/2) {delta:.6f}", taken["dpbi"],
                      f"dp-accounting {theirs[0]:.4f}, {theirs[1]:.6f}:", taken["dp-accounting"])


def _agree_up_to_grid(what: str, exact: float, theirs: float, largest: float) -> None:
    """RuntimeError unless dp-accounting's number lies between the exact one and what a grid step can add to it."""
    if not exact * (1 - 1e-9) <= theirs <= largest * (1 + 1e-9):
        raise RuntimeError(f"{what}: dpbi computes {exact}, dp-accounting {theirs}, more than its grid explains.")


def _tasks(mechanism: Mechanism, n: int, epsilon: float, pairs: list[Pair]) -> dict[str, Task]:
    """dpbi computes the laws, the loss, the pair that attains it and the profile; dp-accounting is given the laws."""
    return {"dpbi": lambda _: (dpbi.privacy_loss(mechanism, PRIOR, n), _delta(mechanism, n, epsilon)),
            "dp-accounting": lambda _: _worst(pairs, epsilon)}


def _delta(mechanism: Mechanism, n: int, epsilon: float) -> float:
    return float(dpbi.privacy_profile(mechanism, PRIOR, n, [epsilon])[0])


def _neighbouring_laws(mechanism: Mechanism, n: int) -> list[Pair]:
    """The output laws of every ordered pair of neighbouring datasets at k = 2."""
    outputs = enumeration.compositions(n, 2)
    laws = [np.exp(mechanism.log_pmf(Problem(PRIOR, tuple(counts)), outputs)) for counts in outputs.tolist()]
    return [pair for before, after in itertools.pairwise(laws) for pair in ((before, after), (after, before))]


def _worst(pairs: list[Pair], epsilon: float) -> tuple[float, float]:
    found = [peers.losses_and_deltas(law, other, epsilon) for law, other in pairs]
    return max(loss for loss, _ in found), max(delta for _, delta in found)
