"""What importing costs."""

from collections.abc import Iterator
from dataclasses import replace

from .measurement import cost_in_fresh_process
from .table import Row, within

MOST = 2.2


def importing(repetitions: int = 5) -> Iterator[Row]:
    """`import dpbi` in a fresh process beside numpy and scipy.special, which are a part of it."""
    below = "numpy, scipy.special"
    ours, unit = (cost_in_fresh_process("", f"import {names}", repetitions) for names in ("dpbi", below))
    yield within("import dpbi", replace(ours, yardstick=below, unit=unit.processor), MOST)
