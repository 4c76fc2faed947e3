"""A mechanism's mean distance, averaged over the data that the public prior expects: no private count enters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpbi import limits
from dpbi.accuracy.error import expected_error
from dpbi.inference.nearest import distance_matrix, nearest_posterior
from dpbi.mechanisms.mechanism import Mechanism, check_mechanism
from dpbi.mechanisms.outputs import output_laws
from dpbi.mechanisms.selection.audit import DATASETS
from dpbi.posterior import dirichlet
from dpbi.posterior.hellinger import distances_to
from dpbi.problem.candidates import are_few
from dpbi.problem.problem import Problem

Reading = Literal["naive", "nearest"]

_PAIRS = 4_500_000  # of datasets and releases that are visited
_PRODUCTS = 6e9  # of the sums that find the nearest candidate of every release
_SAMPLED = 100  # datasets, or releases, where not all are visited


@dataclass(frozen=True)
class ExpectedDistance:
    """E[H] over c from the prior predictive and r from the mechanism, the release read naively or nearest.

    mean: in [0, 1]; error: standard error, 0 where exact.
    """

    mechanism: Mechanism
    prior: tuple[float, ...]
    n: int
    reading: Reading
    mean: float
    error: float


def expected_distance(
    mechanism: Mechanism, prior: ArrayLike, n: int, reading: Reading = "naive"
) -> ExpectedDistance:
    """sum_c P(c) E[H(Dir(alpha + c), reading of r) | c], P the Dirichlet-multinomial prior predictive.

    A function of public things alone: it may be used to choose a mechanism. Exact where all datasets and releases can
    be visited; else over a hundred datasets from a fixed stream, with the standard error.
    mechanism; prior (k,); n; reading: "naive" takes r as it is, "nearest" as ``nearest_posterior``.
    Raises ValueError for another reading, and where the nearest posterior needs what cannot be listed.
    Source: ours (DESIGN section 6).
    """
    check_mechanism(mechanism)
    alpha, n = limits.check_prior(prior), limits.check_total(n)
    limits.one_of("reading", reading, get_args(Reading))
    exact = _visited(mechanism, alpha, n, reading)
    mean, error = (exact, 0.0) if exact is not None else _sampled(mechanism, alpha, n, reading)
    return ExpectedDistance(mechanism, alpha, n, reading, mean, error)


def _visited(mechanism: Mechanism, prior: tuple[float, ...], n: int, reading: Reading) -> float | None:
    listed = output_laws(mechanism, prior, n, _PAIRS) if are_few(n, len(prior), DATASETS) else None
    if listed is None:
        return None
    datasets, released, law = listed
    if reading == "nearest" and len(released) * float(len(datasets)) ** 2 > _PRODUCTS:
        return None
    law *= np.exp(dirichlet.log_evidence(prior, datasets))[:, None]
    if reading == "nearest":
        return float((law.T @ distance_matrix(prior, n)).min(axis=1).sum())
    return sum(float(row @ distances_to(Problem(prior, tuple(counts)), released))
               for counts, row in zip(datasets.tolist(), law, strict=True))


def _sampled(mechanism: Mechanism, prior: tuple[float, ...], n: int, reading: Reading) -> tuple[float, float]:
    rng = np.random.default_rng(0)
    problems = [Problem(prior, tuple(c)) for c in _predicted(prior, n, rng).tolist()]
    if reading == "naive":
        found = [expected_error(mechanism, problem, "hellinger") for problem in problems]
        values, errors = np.array([one.low for one in found]), np.array([one.low_error for one in found])
    else:
        read = [nearest_posterior(mechanism, prior, n, mechanism.sample(problem, rng, 1)[0]) for problem in problems]
        values, errors = np.array([one.expected_distance for one in read]), np.array([one.error for one in read])
    # Each value is unbiased with its own error, which the spread of the values holds already; draws that all agree
    # leave an error of the order of one draw
    spread = float(values.std() / np.sqrt(values.size))
    return float(values.mean()), max(spread, float(errors.max()), 1 / values.size**2)


def _predicted(prior: tuple[float, ...], n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Datasets from the prior predictive: theta from the prior, in logs as it may be tiny, then counts."""
    alpha = np.array(prior)
    size = (_SAMPLED, alpha.size)
    log_gamma = np.log(rng.standard_gamma(alpha + 1, size)) - rng.standard_exponential(size) / alpha
    theta = np.exp(log_gamma - log_gamma.max(axis=1, keepdims=True))
    return np.asarray(rng.multinomial(n, theta / theta.sum(axis=1, keepdims=True)))
