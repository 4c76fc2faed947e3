"""What importing costs."""

from __future__ import annotations

from collections.abc import Iterator

from .measurement import cost_in_fresh_process
from .table import Row, within


def importing(repetitions: int = 5) -> Iterator[Row]:
    """`import dpbi` in a fresh process, and how much of it is numpy and scipy.special."""
    yield within("import dpbi", cost_in_fresh_process("", "import dpbi", repetitions), seconds=0.5)
    below = cost_in_fresh_process("", "import numpy, scipy.special", repetitions)
    yield within("    of which numpy and scipy.special", below)
