"""Everything a mechanism can release for one prior and n, with its probability under every dataset."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from dpbi.mechanisms.added_noise import AddedNoise
from dpbi.mechanisms.mechanism import Mechanism
from dpbi.mechanisms.selection.audit import SelectionAudit
from dpbi.problem.candidates import list_candidates, number_of_candidates
from dpbi.problem.problem import Problem

_ALL = 1e-12  # of probability that a list of totals above n may lack
_LISTED = 2_000_000  # numbers in one list
_OFTEN = 1e-3  # probability of all releases but the truth, beside which _ALL is nothing
_LAST = 1e-6  # of a smaller one: what the last totals of the list may have, as the next have less by far

Outputs = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]


def output_laws(mechanism: Mechanism, prior: tuple[float, ...], n: int, most: int) -> Outputs | None:
    """Datasets (N, k), releases (R, k) and P(r | c), (N, R); None where there are more than ``most`` pairs (c, r).

    The releases are the candidates; or, where the mechanism cuts each count on its own, all of [0, n]^k, or of
    [0, n]^{k-1} with what remains of n; or, where a total can exceed n by anything, what has probability 1 - 1e-12 at
    least, whatever the counts.
    """
    k = len(prior)
    number = number_of_candidates(n, k)
    most = min(most, number * (_LISTED // k))
    if number * number > most:
        return None
    datasets = list_candidates(n, k)
    if not isinstance(mechanism, AddedNoise) and isinstance(audit := mechanism.audit(prior, n), SelectionAudit):
        return datasets, datasets, np.exp(audit.log_laws())
    problems = [Problem(prior, tuple(counts)) for counts in datasets.tolist()]
    if n and mechanism.can_release(n, (n + 1, *(0,) * (k - 1))):
        return _beyond(mechanism, datasets, problems, most)
    if n == 0 or not mechanism.can_release(n, (*(n,) * (k - 1), 0 if k > 2 else n)):
        released = datasets
    elif number * (n + 1) ** (free := k if mechanism.can_release(n, (n,) * k) else k - 1) > most:
        return None
    else:
        released = np.array(list(itertools.product(range(n + 1), repeat=free)))
        if free < k:
            released = np.column_stack([released, np.maximum(n - released.sum(axis=1), 0)])
    return datasets, released, _laws(mechanism, problems, released)


def _beyond(
    mechanism: Mechanism, datasets: NDArray[np.int64], problems: list[Problem], most: int
) -> Outputs | None:
    """Candidates, and vectors with a zero whose total is above n: with twice the excess until nothing is lacking.

    Where the truth is released nearly always the last totals listed must be rare even beside all else, so that small
    means keep their digits.
    """
    n, k = problems[0].n, problems[0].k
    released, law = [datasets], [_laws(mechanism, problems, datasets)]
    off = np.where(np.eye(len(problems), dtype=bool), 0.0, law[0]).sum(axis=1).min()
    excess, before = 1, 0
    while len(problems) * (len(datasets) + excess * k * number_of_candidates(n + excess, k - 1) // 2) <= most:
        released.append(_with_zeros(n, before, excess, k))
        law.append(_laws(mechanism, problems, released[-1]))
        total = sum(part.sum(axis=1) for part in law)
        if total.min() > 1 - _ALL and (off > _OFTEN or law[-1].sum(axis=1).max() <= _LAST * off):
            return datasets, np.concatenate(released), np.concatenate(law, axis=1)
        before, excess = excess, 2 * excess
    return None


def _with_zeros(n: int, above: int, excess: int, k: int) -> NDArray[np.int64]:
    """As ``_with_zero``, for all totals above n + ``above`` to n + excess: of two categories there can be a million."""
    if k > 2:
        return np.concatenate([_with_zero(n + s, k) for s in range(above + 1, excess + 1)])
    alone = np.zeros((excess - above, 2), dtype=np.int64)
    alone[:, 0] = n + np.arange(above + 1, excess + 1)
    return np.concatenate([alone, alone[:, ::-1]])


def _with_zero(total: int, k: int) -> NDArray[np.int64]:
    """All vectors of this total with a zero, each once."""
    listed = []
    for first in range(k):  # the first zero stands here
        rest = list_candidates(total, k - 1)
        rest = rest[(rest[:, :first] > 0).all(axis=1)]
        listed.append(np.insert(rest, first, 0, axis=1))
    return np.concatenate(listed)


def _laws(mechanism: Mechanism, problems: list[Problem], released: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.exp(np.array([mechanism.log_pmf(problem, released) for problem in problems]))
