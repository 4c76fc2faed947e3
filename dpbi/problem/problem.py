"""A Bayesian inference problem on counts: the public prior and the private counts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from dpbi import limits


@dataclass(frozen=True)
class Problem:
    """Prior Dir(alpha) and counts c; the posterior is Dir(alpha + c).

    prior: k positive numbers alpha, the pseudo-counts (k = 2: a Beta prior); public.
    counts: k whole numbers c >= 0, people per category; private. A mapping is read in its own order.

    Both are stored as plain tuples (floats and ints), so that equal problems are equal, hashable values.
    Attributes: ``n`` total count (public), ``k`` number of categories, ``posterior`` the tuple alpha + c.

    Raises ValueError naming the argument, the limit and the value received.
    Source: [D20] section 1, [P17] section 2. Labels of categories are left out: the mathematics has none.
    """

    prior: tuple[float, ...]
    counts: tuple[int, ...]

    def __post_init__(self) -> None:
        checked = limits.check_prior(self.prior), limits.check_counts(self.counts)
        if len(checked[0]) != len(checked[1]):
            raise ValueError(
                f"prior and counts must have the same length: got {len(checked[0])} prior values "
                f"for {len(checked[1])} categories."
            )
        object.__setattr__(self, "prior", checked[0])
        object.__setattr__(self, "counts", checked[1])

    @property
    def k(self) -> int:
        return len(self.counts)

    @cached_property
    def n(self) -> int:
        return sum(self.counts)

    @cached_property
    def posterior(self) -> tuple[float, ...]:
        return tuple(alpha + c for alpha, c in zip(self.prior, self.counts, strict=True))

    def with_counts(self, counts: Iterable[int]) -> Problem:
        """The same prior at another dataset, validated anew."""
        return Problem(self.prior, counts)  # type: ignore[arg-type]


def check_problem(value: Any, name: str = "problem") -> Problem:
    """The value itself, if it is a Problem: a dataset alone has no prior."""
    return limits.instance(name, value, Problem, "a dpbi.Problem(prior, counts)")
