"""A third way to read a release: the candidate posterior that lies nearest, as far as the reader can know."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpbi import limits
from dpbi.accuracy.importance_sampling import mean_of_draws
from dpbi.accuracy.order import Measured
from dpbi.data.synthesis import proportional_counts
from dpbi.inference.count_posterior import dataset_probabilities
from dpbi.inference.noise_aware import NoiseAwarePosterior, noise_aware_posterior
from dpbi.inference.private_posteriors import PrivatePosteriors
from dpbi.mechanisms.audit import DATASETS
from dpbi.mechanisms.mechanism import Mechanism, check_released
from dpbi.mechanisms.selection.audit import distance_matrix
from dpbi.posterior.hellinger import count_loss, distance_of_loss, distances_to
from dpbi.problem import Problem, are_few, list_candidates

_LINE = 1_000  # likely counts of two categories that are all compared with each other
_NEGLIGIBLE = 1e-16
_DRAWS = 400  # of P(c | r), by which candidates are compared; the first half are candidates themselves
_JUDGED = 1_000  # fresh draws for the winner's mean distance
_EQUAL = 1e-12


@dataclass(frozen=True)
class NearestPosterior:
    """Dir(alpha + counts), the candidate with the least E[H(c, counts) | r].

    mechanism, prior, n, released: what it was computed from; counts: r*, whole numbers with sum n; measured:
    E[H(c, r*) | r], in [0, 1], with its standard error; ``expected_distance`` and ``error`` are its parts; kind:
    "exact", or "sampled" where r* is the best of several hundred candidates by draws of P(c | r).
    """

    mechanism: Mechanism
    prior: tuple[float, ...]
    n: int
    released: tuple[int, ...]
    counts: tuple[int, ...]
    measured: Measured
    kind: Literal["exact", "sampled"]

    @property
    def expected_distance(self) -> float:
        return self.measured.value

    @property
    def error(self) -> float:
        return self.measured.error

    @property
    def posterior(self) -> tuple[float, ...]:
        """alpha + r*, its Dirichlet parameters."""
        return tuple(alpha + r for alpha, r in zip(self.prior, self.counts, strict=True))


def nearest_posterior(mechanism: Mechanism, prior: ArrayLike, n: int, released: ArrayLike) -> NearestPosterior:
    """Dir(alpha + r*), r* = argmin over candidates of sum_c P(c | r) H(Dir(alpha + c), Dir(alpha + r*)).

    Bayes' rule with what is public, so that no privacy is spent: best on average where the prior is right, poor where
    it is wrong. Exact where all datasets can be listed, and for k = 2 where few counts are likely; elsewhere the best,
    by mean H to draws of P(c | r) from a fixed stream, among half of those draws, the rounded mean and r itself.
    mechanism, prior (k,), n: public; released: r, (k,). Returns a ``NearestPosterior``.
    Raises ValueError as ``noise_aware_posterior``. Source: ours (README, "Reading a release").
    """
    alpha, n = limits.check_prior(prior), limits.check_total(n)
    r = check_released(mechanism, len(alpha), n, released)
    if are_few(n, len(alpha), DATASETS):
        counts = list_candidates(n, len(alpha))
        believed = dataset_probabilities(alpha, counts, mechanism.likelihood(alpha, n, r))
        cost = believed @ distance_matrix(alpha, n)
    else:
        aware = noise_aware_posterior(mechanism, alpha, n, r)
        line = aware.marginals[0].trimmed(_NEGLIGIBLE) if len(alpha) == 2 else None
        if line is None or line.probability.size > _LINE:
            return _best_of_draws(aware)
        counts = np.stack([line.counts, n - line.counts], axis=1)
        cost = line.probability @ _distances(alpha, counts, counts)
    at, distance = least_cost(cost)
    return NearestPosterior(mechanism, alpha, n, r, tuple(counts[at].tolist()), Measured(distance), "exact")


def read_nearest(mechanism: Mechanism, problem: Problem, released: ArrayLike) -> PrivatePosteriors:
    """Several releases r, (N, k), each read as the ``nearest_posterior``, against the true posterior.

    Raises ValueError as ``nearest_posterior``. Source: ours.
    """
    drawn = np.asarray(released)
    read = {tuple(r): nearest_posterior(mechanism, problem.prior, problem.n, r).counts
            for r in np.unique(drawn, axis=0).tolist()}
    counts = np.array([read[tuple(r)] for r in drawn.tolist()])
    return PrivatePosteriors(mechanism, problem, counts, distances_to(problem, counts))


def least_cost(cost: NDArray[np.float64]) -> tuple[int, float]:
    """The first of the least entries, rounding apart, and its value."""
    at = int(np.flatnonzero(cost <= cost.min() + _EQUAL)[0])
    return at, min(max(float(cost[at]), 0.0), 1.0)


def _best_of_draws(aware: NoiseAwarePosterior) -> NearestPosterior:
    rng = np.random.default_rng(0)
    drawn = aware.sample_counts(rng, _DRAWS)
    others = [r for r in (proportional_counts(aware.mean_counts, aware.n), aware.released) if sum(r) == aware.n]
    candidates = np.unique(np.concatenate([drawn[:_DRAWS // 2], np.array(others)]), axis=0)
    best = candidates[least_cost(_distances(aware.prior, drawn, candidates).mean(axis=0))[0]]
    judged = _distances(aware.prior, aware.sample_counts(rng, _JUDGED), best[None])
    return NearestPosterior(aware.mechanism, aware.prior, aware.n, aware.released, tuple(best.tolist()),
                            mean_of_draws(judged), "sampled")


def _distances(
    prior: tuple[float, ...], counts: NDArray[np.int64], other: NDArray[np.int64]
) -> NDArray[np.float64]:
    """H between candidates, (rows, k) and (columns, k) of one total, each category's values computed once."""
    loss = np.zeros((len(counts), len(other)))
    for alpha, left, right in zip(prior, counts.T, other.T, strict=True):
        (a, i), (b, j) = (np.unique(column, return_inverse=True) for column in (left, right))
        loss += count_loss(alpha, a[:, None], b[None])[i.reshape(-1)][:, j.reshape(-1)]
    return distance_of_loss(loss)
