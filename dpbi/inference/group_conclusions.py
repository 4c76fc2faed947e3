"""What readers of two groups' releases would conclude: draws of both, each with the difference that it leads to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dpbi import limits
from dpbi.inference.beta_mixture import mixture_moments
from dpbi.inference.group_planning import Pair, check_pair
from dpbi.inference.noise_aware import posterior_given
from dpbi.inference.share_comparison import compare
from dpbi.mechanisms.mechanism import Mechanism
from dpbi.problem.problem import Problem

_ROUGHLY = 1e-5  # of a probability


@dataclass(frozen=True)
class RoughDifference:
    """theta_1 - theta_2 for a picture: P(theta_1 > theta_2), the mean, the 95 % interval. Made by ``rough_difference``.
    """

    probability_greater: float
    mean: float
    low: float
    high: float

    @property
    def sure(self) -> int:
        """1 where the interval says that theta_1 is larger, -1 where that theta_2 is, 0 where it holds 0."""
        return int(self.low > 0) - int(self.high < 0)


@dataclass(frozen=True)
class Conclusion:
    """One reader's: both releases, and the difference that follows."""

    released: tuple[tuple[int, ...], tuple[int, ...]]
    difference: RoughDifference


def conclusion(
    mechanism: Mechanism | Pair, first: Problem, second: Problem, rng: np.random.Generator, category: int = 0
) -> Conclusion:
    """One draw of both releases, each of its group by itself, and what their noise-aware posteriors say together.

    r_g ~ mechanism(c_g), and theta_1 - theta_2 given r_1, r_2, as ``compare`` with its rough rule: interval ends within
    0.5 % of the interval's width, probabilities within 1e-4.
    mechanism: of both, or of each its own (first, second); first, second: of one number of categories; rng: of the
    draw; category: 0..k - 1, whose share is compared. Returns the Conclusion.
    Raises ValueError for unequal numbers of categories and where a posterior is refused. Source: ours.
    """
    pair = check_pair(mechanism)
    limits.check_generator(rng)
    for name, problem in (("first", first), ("second", second)):
        limits.instance(name, problem, Problem, "a Problem")
    if first.k != second.k:
        raise ValueError(f"first and second must have the same categories: got {first.k} and {second.k} of them.")
    limits.check_category(category, first.k)
    groups = [*zip(pair, (first, second), strict=True)]
    one, two = (tuple(own.sample(problem, rng, 1)[0].tolist()) for own, problem in groups)
    read = [posterior_given(own, problem.prior, problem.n, r)
            for (own, problem), r in zip(groups, (one, two), strict=True)]  # fmt: skip
    return Conclusion((one, two), rough_difference(read[0], read[1], category))


def rough_difference(first: Any, second: Any, category: int = 0) -> RoughDifference:
    """As ``compare(...).difference``, in a part of its time: ends within 0.5 % of the width, probabilities 1e-4.

    first, second, category: as for it. Source: ours.
    """
    found = compare(first, second, category).difference
    one, two = (mixture_moments(of.share, of.a, of.b)[0] for of in (found.first, found.second))
    high, low = (found._end(tail, _ROUGHLY) for tail in (0.025, 0.975))
    return RoughDifference(found._above(0.0), one - two, low, high)
