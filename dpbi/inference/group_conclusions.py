"""What readers of two groups' releases would conclude: draws of both, each with the difference that it leads to."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from dpbi import limits
from dpbi.inference.beta_mixture import Betas
from dpbi.inference.noise_aware import posterior_given
from dpbi.inference.share_comparison import (
    _betas_of,
    _law,
    _log_odds_density,
    _log_odds_moments,
    _log_odds_range,
    _moments,
)
from dpbi.mechanisms.mechanism import Mechanism, check_mechanism
from dpbi.problem.problem import Problem

_NODES, _PANELS = 32, (-6.0, -3.0, -1.0, 1.0, 3.0, 6.0)  # a panel of log odds; its ends, in standard deviations
_NEVER = 1e-10  # of a weight
_NEAR = 1e-4  # of the difference's standard deviation: where an end is found


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


def conclude(
    mechanism: Mechanism, first: Problem, second: Problem, rng: np.random.Generator, category: int = 0
) -> Conclusion:
    """One draw of both releases, each of its group by itself, and what their noise-aware posteriors say together.

    mechanism: of both; first, second: of one number of categories; category: whose share is compared. Returns the
    Conclusion. Raises ValueError for unequal numbers of categories and where a posterior is refused. Source: ours.
    """
    check_mechanism(mechanism)
    limits.check_generator(rng)
    for name, problem in (("first", first), ("second", second)):
        limits.instance(name, problem, Problem, "a Problem")
    if first.k != second.k:
        raise ValueError(f"Both groups must have the same categories: got {first.k} and {second.k} of them.")
    one, two = (tuple(mechanism.sample(problem, rng, 1)[0].tolist()) for problem in (first, second))
    read = [posterior_given(mechanism, problem.prior, problem.n, r) for problem, r in ((first, one), (second, two))]
    return Conclusion((one, two), rough_difference(read[0], read[1], category))


def rough_difference(first: Any, second: Any, category: int = 0) -> RoughDifference:
    """As ``compare(...).difference``, in a tenth of its time: ends within 0.5 % of the width, probabilities 1e-4.

    By one rule of Gauss over the log odds of the share that is known better, the same for all ends.
    first, second, category: as for ``compare``. Source: ours.
    """
    one, two = (_betas_of(name, of, category) for name, of in (("first", first), ("second", second)))
    mean = _moments(one)[0] - _moments(two)[0]
    if _log_odds_moments(one)[1] < _log_odds_moments(two)[1]:
        above, low, high = _gap(two, one)
        return RoughDifference(1 - above, mean, -high, -low)
    above, low, high = _gap(one, two)
    return RoughDifference(above, mean, low, high)


def _gap(of: Betas, known: Betas) -> tuple[float, float, float]:
    """P(D > 0) and the 95 % interval of D = theta of ``of`` less that of ``known``: P(D <= x) = E F_of(theta + x)."""
    low, high = _log_odds_range(known)
    mean, sd = _log_odds_moments(known)
    edges = np.unique(np.clip([low, *(mean + sd * np.array(_PANELS)), high], low, high))
    points, weights = np.polynomial.legendre.leggauss(_NODES)
    half = np.diff(edges) / 2
    y = (edges[:-1] + half + np.multiply.outer(points, half)).reshape(-1)
    weight = np.multiply.outer(weights, half).reshape(-1) * _log_odds_density(known, y)
    kept = weight > _NEVER
    weight, theta = weight[kept] / weight[kept].sum(), special.expit(y[kept])

    def law(x: float) -> float:
        return float(weight @ _law(of, theta + x))

    (m, v), (m_known, v_known) = _moments(of), _moments(known)
    sd = math.sqrt(v + v_known)
    return 1 - law(0.0), _end(law, 0.025, m - m_known, sd), _end(law, 0.975, m - m_known, sd)


def _end(law: Callable[[float], float], probability: float, middle: float, sd: float) -> float:
    from scipy.optimize import brentq

    low, high = max(middle - 3 * sd, -1.0), min(middle + 3 * sd, 1.0)
    while low > -1 and law(low) > probability:
        low = max(low - 3 * sd, -1.0)
    while high < 1 and law(high) < probability:
        high = min(high + 3 * sd, 1.0)
    return float(brentq(lambda x: law(x) - probability, low, high, xtol=_NEAR * sd))
