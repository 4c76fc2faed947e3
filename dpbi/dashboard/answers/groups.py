"""What is asked of two groups, kept between runs. Labels are never an argument, as in ``library``."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dpbi import Problem, compare, dirichlet, noise_aware_posterior
from dpbi.dashboard.answers.cache import kept
from dpbi.inference import group_conclusions as conclusions, group_planning as planning
from dpbi.inference.group_conclusions import Conclusion, RoughDifference
from dpbi.inference.group_planning import NoiseCost, OrderChance, Pair


class Contrasts(NamedTuple):
    """P(theta_1 > theta_2); both mean shares; the 95 % intervals of difference, odds ratio and risk ratio."""

    probability_greater: float
    means: tuple[float, float]
    intervals: tuple[tuple[float, float], tuple[float, float], tuple[float, float]]

    @property
    def at_means(self) -> tuple[float, float, float]:
        """The three contrasts of the mean shares."""
        one, two = self.means
        return one - two, one * (1 - two) / (two * (1 - one)), one / two


@kept(256, said="Comparing the true counts.")
def truth(first: Problem, second: Problem, category: int) -> Contrasts:
    means = [float(dirichlet.mean(problem.posterior)[category]) for problem in (first, second)]
    return _contrasts(first.posterior, second.posterior, means, category)


@kept(256, said="Comparing what was released.")
def read(mechanism: Pair, first: Problem, second: Problem, released: tuple[tuple[int, ...], tuple[int, ...]],
         category: int) -> Contrasts:  # fmt: skip
    """The problems give prior and n alone."""
    one, two = (noise_aware_posterior(own, problem.prior, problem.n, r)
                for own, problem, r in zip(mechanism, (first, second), released, strict=True))  # fmt: skip
    return _contrasts(one, two, [float(posterior.mean[category]) for posterior in (one, two)], category)


def _contrasts(first: object, second: object, means: Sequence[float], category: int) -> Contrasts:
    found = compare(first, second, category)
    intervals = found.difference.interval(), found.odds_ratio.interval(), found.risk_ratio.interval()
    return Contrasts(found.probability_greater, (means[0], means[1]), intervals)


@kept(2048)
def rough_truth(first: Problem, second: Problem, category: int) -> RoughDifference:
    return conclusions.rough_difference(first.posterior, second.posterior, category)


@kept(4096)
def conclusion(mechanism: Pair, first: Problem, second: Problem, category: int, seed: int, number: int
               ) -> Conclusion:  # fmt: skip
    """The draw of this number; each depends on the seed and on its number alone."""
    return conclusions.conclusion(mechanism, first, second, np.random.default_rng([seed, number]), category)


@kept(256)
def exact_share(mechanism: Pair, first: Problem, second: Problem, category: int) -> tuple[float, float] | None:
    counts, sizes = (first.counts[category], second.counts[category]), (first.n, second.n)
    return planning.chance_at_counts(mechanism, first.prior, counts, sizes, category=category)


@kept(256, said="What the noise costs.")
def cost(mechanism: Pair, prior: tuple[float, ...], sizes: tuple[int, int], category: int) -> NoiseCost:
    return planning.cost_of_noise(mechanism, prior, sizes, np.random.default_rng(1), category)


@kept(4096, said="Planning.")
def chance(mechanism: Pair | None, prior: tuple[float, ...], sizes: tuple[int, int], shares: tuple[float, float],
           category: int) -> OrderChance:  # fmt: skip
    return planning.chance_of_order(mechanism, prior, sizes, shares, category=category)


@kept(512, said="Looking for the size.")
def people(mechanism: Pair | None, prior: tuple[float, ...], shares: tuple[float, float], wanted: float,
           category: int, proportion: tuple[float, float]) -> OrderChance | None:  # fmt: skip
    return planning.people_needed(mechanism, prior, shares, wanted, category=category, proportion=proportion)


@kept(512, said="Looking for epsilon.")
def epsilon(mechanism: Pair, prior: tuple[float, ...], sizes: tuple[int, int], shares: tuple[float, float],
            wanted: float, category: int) -> tuple[float, OrderChance] | None:  # fmt: skip
    return planning.epsilon_needed(mechanism, prior, sizes, shares, wanted, category=category)
