"""The exponential mechanism on posteriors at any size: log Z, E[H] and exact samples without a list.

exp(-rate H) = exp(-rate sqrt(1 - BC)) = sum_m a_m BC^m (``mixture``), hence
Z(rate) = sum_r exp(-rate H(r)) = sum_m a_m Z_m = 1 + sum_m a_m (Z_m - 1), Z_m = sum_r BC^m (``power_sums``).
The Z_m belong to the prior and counts alone: another rate costs only its a_m.
"""

from functools import lru_cache

import numpy as np

from dpbi import limits
from dpbi.partition.draws import listed_log_partition
from dpbi.partition.power_sum_curve import RATE_ZERO, excess_curve
from dpbi.partition.power_sums import uncertain
from dpbi.problem import Problem, check_problem, log_number_of_candidates


def log_partition(problem: Problem, rate: float) -> float:
    """log Z(rate), Z = sum over candidates r of exp(-rate H(c, r)).

    problem: prior and counts; rate >= 0, per unit of H. Returns log Z in [0, log C(n + k - 1, k - 1)], absolute error
    below 1e-11 or 1e-13 of it. Raises ValueError for a negative or infinite rate, and where that is not certain.
    Source: ours (README, "Exact laws"); equal to enumeration, see tests.
    """
    return _sums(check_problem(problem), limits.check_rate(rate))[0]


def quickest_log_partition(problem: Problem, rate: float) -> float:
    """``log_partition`` from the list of candidates where that is short: tables for all rates cost more than one."""
    listed = listed_log_partition(check_problem(problem), limits.check_rate(rate))
    return log_partition(problem, rate) if listed is None else listed


def mean_distance(problem: Problem, rate: float) -> float:
    """E[H] = -d log Z / d rate = (1/Z) sum_m b_m (Z_m - 1), b_m = -d a_m / d rate.

    From K_{v-1} / K_v the derivative of the weights is b_m = (rate / 2m) a_{m-1} - a_m / rate, b_0 = a_0; sum b_m = 0
    because H = 0 at the truth. Arguments and errors as ``log_partition``. Returns E[H] in [0, 1).
    """
    return _sums(check_problem(problem), limits.check_rate(rate))[1]


def probability_of_ignoring(problem: Problem, rate: float) -> float:
    """a_0 Z_0 / Z: the probability that the mechanism ignores the data and releases a uniformly chosen candidate.

    exp(-rate H) is a mixture over m whose first part, m = 0, does not look at the counts; it takes over as the number
    of candidates Z_0 = C(n + k - 1, k - 1) grows. Arguments and errors as ``log_partition``.
    """
    rate = limits.check_rate(rate)
    log_z = quickest_log_partition(problem, rate)
    return float(np.exp(min(log_number_of_candidates(problem.n, problem.k) - rate - log_z, 0.0)))


_SLACK = 1e-12  # of the bounds on log Z: rounding
_ROUNDING = 2e-13  # of a term of E[H], relative
_MEAN_ERROR = 1e-9


@lru_cache(maxsize=256)
def _sums(problem: Problem, rate: float) -> tuple[float, float]:
    """log Z and E[H], certified."""
    rate = max(rate, RATE_ZERO)
    if problem.n == 0:
        return 0.0, 0.0
    parts = list(excess_curve(problem).parts(rate))
    log_z = float(np.logaddexp.reduce([0.0] + [part.log_total() for part in parts]))
    most = log_number_of_candidates(problem.n, problem.k)
    slack = _SLACK * max(most, 1.0)
    if not max(most - rate, 0.0) - slack <= log_z <= most + slack:
        raise uncertain(f"log Z at rate {rate:g} must lie between {max(most - rate, 0.0):.6g} and {most:.6g}, "
                        f"and {log_z:.6g} came out")
    mean = sum(part.expectation(part.slope, log_z) for part in parts)
    rounding = _ROUNDING * sum(part.expectation(np.abs(part.slope), log_z) for part in parts)
    if not (rounding <= _MEAN_ERROR and -_MEAN_ERROR <= mean <= 1 + _MEAN_ERROR):
        raise uncertain(f"at rate {rate:g} the mean of H came out as {mean:.3g}, with a rounding error of up to "
                        f"{rounding:.1g}")
    return log_z, min(max(mean, 0.0), 1.0)
