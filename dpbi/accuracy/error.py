"""How far from the truth a release is on average: exactly where that can be, else from draws with their error."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from dpbi import limits
from dpbi.accuracy.distance_law import DRAWS, distance_law
from dpbi.accuracy.importance_sampling import mean_of_draws, weighted_draws, widened
from dpbi.accuracy.order import Measured
from dpbi.mechanisms.listing import least_sum
from dpbi.mechanisms.mechanism import Mechanism, check_mechanism
from dpbi.posterior.hellinger import distances_to
from dpbi.posterior.total_variation import PARAMETERS_LARGEST, beta_variation, variation_bounds
from dpbi.problem import Problem, check_problem, number_of_candidates, steps_between

Metric = Literal["hellinger", "l1", "variation"]
METRICS: tuple[Metric, ...] = get_args(Metric)

_LISTED = 300_000  # outputs of two categories whose probabilities are summed
_LISTED_SOONER = 20_000  # candidates whose list is quicker than the mean without one
_LISTED_LINE = 1_000_001  # as _LISTED_SOONER where k = 2: at n = 10^6 a third of a second, whatever the prior
_FIRST_REACH = 64  # records to either side of the truth
_LEFT_OUT = 1e-12  # of probability
_SATURATED = 1e-12  # TV >= H^2: from 1 - this on, TV is 1


@dataclass(frozen=True)
class ExpectedError:
    """E[metric] of a mechanism at a problem, or two bounds of it.

    mechanism, problem, metric: as asked for; lower, upper: the value twice, or lower and upper bound, each with the
    standard error of draws, 0 where none enters. ``low``, ``low_error``, ``high``, ``high_error``: their parts.
    """

    mechanism: Mechanism
    problem: Problem
    metric: Metric
    lower: Measured
    upper: Measured

    @property
    def low(self) -> float:
        return self.lower.value

    @property
    def high(self) -> float:
        return self.upper.value

    @property
    def low_error(self) -> float:
        return self.lower.error

    @property
    def high_error(self) -> float:
        return self.upper.error

    @property
    def exact(self) -> bool:
        return self.lower.exact and self.upper.exact

    @property
    def bounded(self) -> bool:
        """Whether only bounds are known."""
        return self.low < self.high


Evaluate = Callable[[Mechanism, Problem, Metric], ExpectedError]


def expected_error(mechanism: Mechanism, problem: Problem, metric: Metric) -> ExpectedError:
    """E of one metric between truth and release, r ~ mechanism.

    "hellinger": H(Dir(alpha + c), Dir(alpha + r)), in [0, 1]. "l1": ||r - c||_1, in records. "variation": the total
    variation of the two posteriors, in [0, 1]; for k > 2, or totals beyond ``PARAMETERS_LARGEST``, the bounds
    E[H^2] <= E[TV] <= E[H sqrt(2 - H^2)]. In bins of H these are taken at each bin's mean: H^2 is convex and
    H sqrt(2 - H^2) concave, so that they stay bounds (Jensen).
    Exact to 1e-9 where the outputs can be listed or the mean is known without a list; else from ``DRAWS`` draws of a
    fixed stream, with the standard error. Raises ValueError for an unknown metric.
    Source: ours; [P17] section 7 simulates the first.
    """
    limits.one_of("metric", metric, METRICS)
    rule = {"hellinger": _mean_distance, "l1": _mean_l1, "variation": _mean_variation}[metric]
    return ExpectedError(mechanism, problem, metric, *rule(check_mechanism(mechanism), check_problem(problem)))


Found = tuple[Measured, Measured]


def _mean_distance(mechanism: Mechanism, problem: Problem) -> Found:
    listed = number_of_candidates(problem.n, problem.k) <= (_LISTED_LINE if problem.k == 2 else _LISTED_SOONER)
    known = None if listed else mechanism.mean_distance(problem)
    if known is not None:
        return (Measured(known),) * 2
    return (distance_law(mechanism, problem).measured,) * 2


def _mean_l1(mechanism: Mechanism, problem: Problem) -> Found:
    law = distance_law(mechanism, problem)
    if law.exact:
        return (Measured(2 * law.mean_steps),) * 2
    released, weight = _draws(mechanism, problem)
    return (mean_of_draws(weight * 2 * steps_between(np.array(problem.counts), released)),) * 2


def _mean_variation(mechanism: Mechanism, problem: Problem) -> Found:
    if problem.k > 2 or sum(problem.posterior) + problem.n > PARAMETERS_LARGEST:
        return _bounds_of_variation(mechanism, problem)
    listed = _outputs_of_two(mechanism, problem)
    if listed is None:
        released, weight = _draws(mechanism, problem)
        return (mean_of_draws(weight * _variations(problem, released)),) * 2
    released, probability = listed
    return (Measured(float(probability @ _variations(problem, released) / probability.sum())),) * 2


def _bounds_of_variation(mechanism: Mechanism, problem: Problem) -> Found:
    law = distance_law(mechanism, problem)
    if law.exact:
        distance, probability = law.levels()
        low, high = (Measured(float(probability @ bound)) for bound in variation_bounds(distance))
    else:
        released, weight = _draws(mechanism, problem)
        low, high = (mean_of_draws(weight * bound) for bound in variation_bounds(distances_to(problem, released)))
    return low, high


def _variations(problem: Problem, released: NDArray[np.int64]) -> NDArray[np.float64]:
    """TV between the true posterior and each release (..., 2)."""
    found = np.ones(released.shape[0])
    apart = distances_to(problem, released) ** 2 >= 1 - _SATURATED
    found[~apart] = beta_variation(problem.posterior, np.array(problem.prior) + released[~apart])
    return found


def _outputs_of_two(mechanism: Mechanism, problem: Problem) -> tuple[NDArray[np.int64], NDArray[np.float64]] | None:
    """Releases of two categories with all but 1e-12 of the probability; None where they are too many.

    Looked for along the line of total n, then in the square of all pairs, ever farther from the truth; where a total
    can exceed n by anything, along that line and the two axes.
    """
    n = problem.n
    axes = n > 0 and mechanism.can_release(n, (n + 1, 0))
    for beyond, square in ((True, False),) if axes else ((False, False), (False, True)):
        reach, farthest = 0, _LISTED if axes else max(n, 1)
        while reach < farthest:
            reach = min(4 * reach or _FIRST_REACH, farthest)
            if (released := _outputs_near(problem, reach, beyond, square)) is None:
                break
            probability = np.exp(mechanism.log_pmf(problem, released))
            if least_sum(mechanism, probability.sum(keepdims=True)) > 1 - _LEFT_OUT:
                kept = probability > _LEFT_OUT / probability.size
                return released[kept], probability[kept]
    return None


def _outputs_near(problem: Problem, reach: int, beyond: bool, square: bool) -> NDArray[np.int64] | None:
    """The line, with what lies beyond its ends on the axes, or the square, within reach; None where that is long."""
    n = problem.n
    (low, high), (start, stop) = ((max(0, c - reach), min(n, c + reach) + 1) for c in problem.counts)
    if (high - low) * (stop - start if square else 1) + 2 * reach * beyond > _LISTED:
        return None
    first = np.arange(low, high)
    if square:
        return np.stack(np.meshgrid(first, np.arange(start, stop), indexing="ij"), axis=-1).reshape(-1, 2)
    line, more = np.stack([first, n - first], axis=-1), n + np.arange(1, reach + 1) * beyond
    return np.concatenate([line, np.outer(more, (1, 0)), np.outer(more, (0, 1))]) if beyond else line


def _draws(mechanism: Mechanism, problem: Problem) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    return weighted_draws(mechanism, widened(mechanism, [problem]), problem, np.random.default_rng(0), DRAWS)
