"""The exact privacy loss: seconds and memory at the largest sizes."""

from collections.abc import Iterator, Sequence

import dpbi
from dpbi.mechanisms import EHDS, Mechanism

from .measurement import cost_in_fresh_process
from .table import Row, peak, within

MOST, PEAK = 250, 8  # times Python's loop, and what is held before


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
