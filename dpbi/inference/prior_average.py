"""A mechanism's mean distance, averaged over the data that the public prior expects: no private count enters."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpbi import limits
from dpbi.accuracy.distance_law import distance_law
from dpbi.accuracy.importance_sampling import mean_of_draws, weighted_draws, weights_of_each, widened
from dpbi.accuracy.order import Measured
from dpbi.frozen_result import frozen
from dpbi.inference.nearest import nearest_posterior
from dpbi.mechanisms.audit import DATASETS
from dpbi.mechanisms.mechanism import Mechanism, check_mechanism
from dpbi.mechanisms.selection.audit import distance_matrix
from dpbi.partition.power_sums import power_sums
from dpbi.posterior import chunks, dirichlet, distances_between, distances_to
from dpbi.problem import Problem, are_few, list_candidates

Counts = NDArray[np.int64]
Reading = Literal["naive", "nearest"]

_PAIRS = 1_100_000  # of datasets and releases that are visited: n = 1,000 at k = 2
_PRODUCTS = 6e9  # of the sums that find the nearest candidate of every release
_LINE, _LINE_LISTED = 200_000, 20_000  # n up to which two categories are interpolated: noise, a choice among candidates
_KINKS = 1e-5  # of the mean: what a kink between datasets can make of it where leaving some out shows nothing
_APART, _ENDS = 0.25, 16  # of the datasets between which they are, in logit; as many at either end are all kept
_NOISED, _EACH = 600, 12  # datasets where not all are visited, and releases of each: noise takes microseconds to draw
_NOISED_LEAST, _NOISED_COUNTS = 60, 1_500_000  # fewer, with more counts than that: of many categories H varies less
_CHOSEN = 60  # datasets where a release is chosen: the mean is known in milliseconds, draws take more
_CHOSEN_OF_MANY = 20  # datasets where the candidates are too many to list: the mean takes tenths of a second
_CHOSEN_LEAST, _CHOSEN_NUMBERS = 4, 2_000_000  # fewer, with larger tables than that: a mean takes microseconds a number
_READ, _READ_LEAST, _READ_CATEGORIES = 40, 10, 6_000  # releases read nearest; of many categories fewer, or none


@dataclass(frozen=True)
class ExpectedDistance:
    """E[H] over c from the prior predictive and r from the mechanism, the release read naively or nearest.

    measured: in [0, 1], of which ``mean`` and ``error`` are the parts; error: 0 where exact; a standard error where
    datasets or releases are drawn, twice of which holds what N draws would miss with 5 % (``standard_error``; of data
    that none of them shows, H no larger than of those that they do); where datasets are interpolated, what leaving out
    every other one would have changed, 1e-5 of the mean at least.
    """

    mechanism: Mechanism
    prior: tuple[float, ...]
    n: int
    reading: Reading
    measured: Measured

    @property
    def mean(self) -> float:
        return self.measured.value

    @property
    def error(self) -> float:
        return self.measured.error


def expected_distance(
    mechanism: Mechanism, prior: ArrayLike, n: int, reading: Reading = "naive"
) -> ExpectedDistance:
    """sum_c P(c) E[H(Dir(alpha + c), reading of r) | c], P the Dirichlet-multinomial prior predictive.

    A function of public things alone: it may be used to choose a mechanism. Exact where all datasets and releases can
    be visited; with two categories interpolated between exact means of the distance where those take milliseconds; else
    over datasets from a fixed stream, all of them where they are few, with the standard error.
    mechanism; prior (k,); n; reading: "naive" takes r as it is, "nearest" as ``nearest_posterior``.
    Raises ValueError for another reading, and where the nearest posterior needs what cannot be listed.
    Source: ours (README, "Reading a release").
    """
    check_mechanism(mechanism)
    alpha, n = limits.check_prior(prior), limits.check_total(n)
    limits.one_of("reading", reading, get_args(Reading))
    found = _visited(mechanism, alpha, n, reading)
    if found is None and reading == "naive":
        found = _interpolated(mechanism, alpha, n)
    return ExpectedDistance(mechanism, alpha, n, reading, found or _sampled(mechanism, alpha, n, reading))


def _visited(mechanism: Mechanism, prior: tuple[float, ...], n: int, reading: Reading) -> Measured | None:
    listed = mechanism.listing(prior, n, _PAIRS) if are_few(n, len(prior), DATASETS) else None
    if listed is None:
        return None
    datasets, released, law = listed.datasets, listed.released, listed.law
    if reading == "nearest" and len(released) * float(len(datasets)) ** 2 > _PRODUCTS:
        return None
    law *= _predictive(prior, n)[:, None]
    if reading == "nearest":
        return Measured(float((law.T @ distance_matrix(prior, n)).min(axis=1).sum()))
    if listed.of_candidates:
        return Measured(float((law * distance_matrix(prior, n)).sum()))
    return Measured(sum(float((law[rows] * distances_between(prior, datasets[rows, None], released)).sum())
                        for rows in chunks(*law.shape)))


def _interpolated(mechanism: Mechanism, prior: tuple[float, ...], n: int) -> Measured | None:
    """sum_u P(u) E[H | u] over all counts u of the first of two categories, E[H | u] a cubic spline in logit u."""
    middle = Problem(prior, (n // 2, n - n // 2)) if len(prior) == 2 else None
    largest = _LINE if mechanism.draws_quickly else _LINE_LISTED
    if middle is None or n > largest or mechanism.mean_distance(middle) is None:
        return None
    from scipy.interpolate import CubicSpline

    u = np.arange(n + 1)
    logit = np.log((u + 0.5) / (n - u + 0.5))
    visited = np.unique([*np.searchsorted(logit, np.arange(logit[0], logit[-1], _APART)), n])
    laws = [distance_law(mechanism, Problem(prior, (i, n - i))) for i in visited.tolist()]
    if not all(law.exact for law in laws):
        return None
    predictive = np.exp(dirichlet.log_evidence(prior, np.stack([u, n - u], axis=1)))
    means = np.array([law.mean for law in laws])
    fewer = (np.arange(visited.size) % 2 == 0) | (np.minimum(visited, n - visited) < _ENDS)
    fine, coarse = (float(predictive @ np.clip(CubicSpline(logit[visited[kept]], means[kept])(logit), 0, 1))
                    for kept in (np.full(visited.size, True), fewer))
    return Measured(fine, max(abs(fine - coarse), _KINKS * fine))


def _sampled(mechanism: Mechanism, prior: tuple[float, ...], n: int, reading: Reading) -> Measured:
    rng = np.random.default_rng(1)
    if reading == "nearest":
        read = [nearest_posterior(mechanism, prior, n, mechanism.sample(problem, rng, 1)[0])
                for problem in _problems(prior, n, _number_read(len(prior)))]
        found = mean_of_draws(np.array([one.expected_distance for one in read]))
        # Each value is unbiased with its own error, which the spread of the values holds already
        return Measured(found.value, max(found.error, max(one.error for one in read) / math.sqrt(len(read))))
    if not mechanism.draws_quickly:
        problems = _problems(prior, n, _CHOSEN if are_few(n, len(prior), _PAIRS) else _CHOSEN_OF_MANY)
        return mean_of_draws(np.array([_mean_distance(mechanism, problem)
                                       for problem in problems[: _number_chosen(problems)]]))
    if are_few(n, len(prior), _NOISED):
        return _every_dataset(mechanism, prior, n, rng)
    return _drawn(mechanism, prior, n, rng)


def rough_expected_distance(mechanism: Mechanism, prior: tuple[float, ...], n: int) -> float:
    """E[H] of ``expected_distance`` within a hundredth or so, in milliseconds where a mechanism draws quickly: from 600
    datasets and releases of them, even where all could be visited. Source: ours."""
    if n == 0 or not mechanism.draws_quickly:
        return expected_distance(mechanism, prior, n).mean
    return _drawn(mechanism, prior, n, np.random.default_rng(1)).value


def _drawn(mechanism: Mechanism, prior: tuple[float, ...], n: int, rng: np.random.Generator) -> Measured:
    datasets = min(_NOISED, max(_NOISED_LEAST, _NOISED_COUNTS // (_EACH * len(prior))))
    problems = _problems(prior, n, datasets)
    wider = widened(mechanism, problems)
    released = wider.sample_each(problems, rng, _EACH)
    counts = _counts(prior, n, datasets)
    weight = weights_of_each(mechanism, wider, prior, counts, released)
    return mean_of_draws((weight * distances_between(prior, counts[:, None], released)).mean(axis=1))


def _number_read(k: int) -> int:
    """How many releases are read nearest: the work of one grows with the categories."""
    number = min(_READ, _READ_CATEGORIES // k)
    if number < _READ_LEAST:
        raise ValueError(f"The mean distance of the nearest posterior is not computed for so many categories: at most "
                         f'{_READ_CATEGORIES // _READ_LEAST:,}, got {k:,}. Take reading="naive", or merge categories.')
    return number


def _number_chosen(problems: Sequence[Problem]) -> int:
    """How many of the datasets are visited: the work of one grows with the table that its law is computed from."""
    one = problems[0]
    if are_few(one.n, one.k, _PAIRS) or power_sums(one).can_be_convolved:
        return len(problems)
    numbers = power_sums(one).bulk(1.0).offsets.size
    if numbers * _CHOSEN_LEAST > _CHOSEN_NUMBERS:
        raise ValueError(f"The mean distance is not averaged over data of k = {one.k:,} categories and n = {one.n:,} "
                         f"records: each dataset takes tables of {numbers:,} numbers, at most "
                         f"{_CHOSEN_NUMBERS // _CHOSEN_LEAST:,} are computed. Take fewer records or categories, or a "
                         "mechanism that adds noise.")
    return min(len(problems), _CHOSEN_NUMBERS // numbers)


def _every_dataset(
    mechanism: Mechanism, prior: tuple[float, ...], n: int, rng: np.random.Generator
) -> Measured:
    """sum_c P(c) of means of draws, more for likelier c: only what is released is left to chance."""
    datasets = list_candidates(n, len(prior))
    predictive = _predictive(prior, n)
    draws = _EACH + np.floor(_EACH * _NOISED * predictive).astype(np.int64)
    problems = [Problem(prior, tuple(counts)) for counts in datasets.tolist()]
    wider, found = widened(mechanism, problems), []
    for problem, size in zip(problems, draws.tolist(), strict=True):
        released, weight = weighted_draws(mechanism, wider, problem, rng, size)
        found.append(mean_of_draws(weight * distances_to(problem, released)))
    means, errors = np.array([[one.value, one.error] for one in found]).T
    return Measured(float(predictive @ means), math.sqrt(float(predictive**2 @ errors**2)))


@lru_cache(maxsize=16)
def _predictive(prior: tuple[float, ...], n: int) -> NDArray[np.float64]:
    """P(c) of all datasets, where they are few."""
    return frozen(np.exp(dirichlet.log_evidence(prior, list_candidates(n, len(prior)))))


def _mean_distance(mechanism: Mechanism, problem: Problem) -> float:
    known = mechanism.mean_distance(problem)
    return distance_law(mechanism, problem).mean if known is None else known


@lru_cache(maxsize=16)
def _problems(prior: tuple[float, ...], n: int, number: int) -> tuple[Problem, ...]:
    """Datasets from the prior predictive: theta from the prior, then counts. The same for every mechanism."""
    rng = np.random.default_rng(0)
    drawn = rng.multinomial(n, dirichlet.one_draw_each(np.tile(prior, (number, 1)), rng))
    return tuple(Problem(prior, tuple(counts)) for counts in drawn.tolist())


@lru_cache(maxsize=16)
def _counts(prior: tuple[float, ...], n: int, number: int) -> NDArray[np.int64]:
    """Those of ``_problems``: (number, k)."""
    return frozen(np.array([problem.counts for problem in _problems(prior, n, number)]))
