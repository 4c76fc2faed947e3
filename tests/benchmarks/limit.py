"""What the limit of privacy costs as n grows."""

from collections.abc import Iterator, Sequence

from .measurement import cost_in_fresh_process
from .table import Row, within

MOST = 1_250  # times Python's loop


def growth(sizes: Sequence[tuple[int, int]] = ((2, 100), (2, 1_000), (2, 10_000), (2, 10**6), (3, 6), (3, 9), (3, 12)),
           repetitions: int = 1) -> Iterator[Row]:
    """The limit at the uniform prior and epsilon 1, in a fresh process."""
    for k, n in sizes:
        taken = cost_in_fresh_process("import dpbi", f"dpbi.limit_of_privacy((1,) * {k}, {n}, 1.0)", repetitions)
        yield within(f"limit of privacy, k = {k}, n = {n:,}", taken, MOST)
