"""Draws that meet what is rare: a mechanism's releases at a smaller epsilon, weighted; and the error of their mean."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dpbi.accuracy.order import Measured
from dpbi.mechanisms.mechanism import Mechanism
from dpbi.problem.problem import Problem

_SELDOM, _OFTEN = 0.25, 0.75  # P(r = c) that leaves enough draws on either side
_HALVINGS = 60
_LOOKED_AT = 8
_UNSEEN = 3.3  # e^-3 = 5 %: 3 where none is seen, and as much more as Poisson's law asks for where one to five are


def weighted_draws(
    mechanism: Mechanism, wider: Mechanism, problem: Problem, rng: np.random.Generator, size: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Releases r_j (size, k) of ``widened`` with their ``weights``."""
    released = wider.sample(problem, rng, size)
    return released, weights(mechanism, wider, problem, released)


def weights(
    mechanism: Mechanism, wider: Mechanism, problem: Problem, released: NDArray[np.int64]
) -> NDArray[np.float64]:
    """w_j with E[w_j f(r_j)] = E[f(r)] for every f with f(c) = 0, of releases r_j (size, k) of ``wider``.

    w_j = P(r_j | c) / P'(r_j | c), all 1 where the mechanism itself is drawn from.
    """
    return weights_of_each(mechanism, wider, problem.prior, np.array([problem.counts]), released[None])[0]


def weights_of_each(
    mechanism: Mechanism, wider: Mechanism, prior: tuple[float, ...], counts: NDArray[np.int64],
    released: NDArray[np.int64],
) -> NDArray[np.float64]:
    """As ``weights``, of datasets (N, k) with releases (N, size, k) of each: (N, size)."""
    if wider is mechanism:
        return np.ones(released.shape[:-1])
    return np.exp(mechanism.log_laws(prior, counts, released) - wider.log_laws(prior, counts, released))


def widened(mechanism: Mechanism, problems: Sequence[Problem]) -> Mechanism:
    """Where the truth is released nearly always, the same mechanism at the epsilon' where that is half the time, about.

    Of many problems a few are looked at, and the surest of them decides: weights are right for any epsilon'.
    """
    looked_at = problems[:: -(-len(problems) // _LOOKED_AT)]
    counts = np.array([one.counts for one in looked_at])
    log_of_truth = mechanism.log_laws(looked_at[0].prior, counts, counts[:, None])[:, 0]
    problem = looked_at[int(log_of_truth.argmax())]
    if math.exp(log_of_truth.max()) <= _OFTEN:
        return mechanism
    wider, low, high = mechanism, 0.0, mechanism.epsilon
    for _ in range(_HALVINGS):
        wider = replace(mechanism, epsilon=(low + high) / 2)
        if (truth := _probability_of_truth(wider, problem)) > _OFTEN:
            high = wider.epsilon
        elif truth < _SELDOM:
            low = wider.epsilon
        else:
            break
    return wider


def _probability_of_truth(mechanism: Mechanism, problem: Problem) -> float:
    return math.exp(float(mechanism.log_pmf(problem, problem.counts)))


def mean_of_draws(values: NDArray[np.float64]) -> Measured:
    return Measured(float(values.mean()), standard_error(values))


def standard_error(values: NDArray[np.float64]) -> float:
    """Of the mean of N values of at least 0, no less than half of what they may well have missed.

    Twice the error is what is said of a mean. With 95 % confidence what none of N draws shows has probability 3 / N at
    most, and what few show no more than twice the error above their share; each counts as the value farthest from the
    mean, or where all agree as the largest, or 1 where all are 0.
    """
    farthest = float(np.abs(values - values.mean()).max()) or float(values.max()) or 1.0
    missed = _UNSEEN * farthest / values.size
    return math.hypot(float(values.std()) / math.sqrt(values.size), missed / 2)
