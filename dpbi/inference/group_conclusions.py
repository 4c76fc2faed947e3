"""What readers of two groups' releases would conclude: draws of both, each with the difference that it leads to."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import special

from dpbi import limits
from dpbi.inference.beta_mixture import Betas
from dpbi.inference.noise_aware import posterior_given
from dpbi.inference.share_comparison import _law, _log_odds_density, _log_odds_moments, _log_odds_range, _moments
from dpbi.mechanisms.mechanism import Mechanism, check_mechanism
from dpbi.problem.problem import Problem

_NODES, _PANELS = 32, (-6.0, -3.0, -1.0, 1.0, 3.0, 6.0)  # a panel of log odds; its ends, in standard deviations
_NEVER = 1e-12  # of a weight
_NEAR = 1e-6  # of the difference's standard deviation: where an end is found


@dataclass(frozen=True)
class Conclusion:
    """One reader's: both releases, P(theta_1 > theta_2 | both), and the difference's 95 % interval.

    By one rule of Gauss for all ends, within 0.2 % of the width: for pictures, where ``compare`` takes ten times as
    long for its 1e-9.
    """

    released: tuple[tuple[int, ...], tuple[int, ...]]
    probability_greater: float
    low: float
    high: float


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
    limits.check_category(category, first.k)
    released = [tuple(mechanism.sample(problem, rng, 1)[0].tolist()) for problem in (first, second)]
    one, two = (posterior_given(mechanism, problem.prior, problem.n, r)._few_betas(category)
                for problem, r in zip((first, second), released, strict=True))  # fmt: skip
    above, low, high = _difference(one, two, 0.95)
    return Conclusion((released[0], released[1]), above, low, high)


def _difference(one: Betas, two: Betas, mass: float) -> tuple[float, float, float]:
    """P(theta_1 > theta_2) and the equal-tailed interval: over the share that is known better, as ``compare`` does."""
    if _log_odds_moments(one)[1] < _log_odds_moments(two)[1]:
        above, low, high = _over(one, two, mass)
        return 1 - above, -high, -low
    return _over(two, one, mass)


def _over(of: Betas, other: Betas, mass: float) -> tuple[float, float, float]:
    """The same of ``other`` minus ``of``: P(D <= x) = E F_other(theta + x)."""
    low, high = _log_odds_range(of)
    mean, sd = _log_odds_moments(of)
    edges = np.unique(np.clip([low, *(mean + sd * np.array(_PANELS)), high], low, high))
    points, weights = np.polynomial.legendre.leggauss(_NODES)
    half = np.diff(edges) / 2
    y = (edges[:-1] + half + np.multiply.outer(points, half)).reshape(-1)
    weight = np.multiply.outer(weights, half).reshape(-1) * _log_odds_density(of, y)
    weight, theta = weight / weight.sum(), special.expit(y)
    kept = weight > _NEVER
    weight, theta = weight[kept], theta[kept]

    def law(x: float) -> float:
        return float(weight @ _law(other, theta + x))

    (m, v), (m_other, v_other) = _moments(of), _moments(other)
    sd, tail = math.sqrt(v + v_other), (1 - mass) / 2
    ends = [_root(lambda x: law(x) - p, m_other - m, sd) for p in (tail, 1 - tail)]
    return 1 - law(0.0), ends[0], ends[1]


def _root(excess: Callable[[float], float], middle: float, sd: float) -> float:
    from scipy.optimize import brentq

    low, high = max(middle - 4 * sd, -1.0), min(middle + 4 * sd, 1.0)
    while low > -1 and excess(low) > 0:
        low = max(2 * low - high, -1.0)
    while high < 1 and excess(high) < 0:
        high = min(2 * high - low, 1.0)
    if excess(low) >= 0 or excess(high) <= 0:
        return low if excess(low) >= 0 else high
    return float(brentq(excess, low, high, xtol=_NEAR * sd))
