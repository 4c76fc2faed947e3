"""Which distance should score the candidates? The exponential mechanism under several, at the same exact loss.

P(r | c) proportional to e^{-rate D(c, r)} with rate = epsilon / (2 Delta) is epsilon-DP, Delta the largest
|D(c, r) - D(c', r)| over neighbours and all r. Raised until the exact loss is epsilon, the mechanisms of different
scores differ by the shape of their scores alone, and may be held against the limit of privacy.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from dpbi import limits
from dpbi.accuracy.optimum import PrivacyLimit, limit_of_privacy
from dpbi.mechanisms.audit import check_size
from dpbi.mechanisms.selection.audit import SelectionAudit, distance_matrix
from dpbi.posterior import chunks, dirichlet
from dpbi.posterior.total_variation import beta_variation
from dpbi.privacy.loss import calibrated_multiplier
from dpbi.problem.candidates import list_candidates, number_of_candidates

Floats = NDArray[np.float64]

_COMPARISONS = 60_000_000  # of two neighbours at one output: each score's rate is raised in a dozen rounds of them
COUNTING = "steps"  # the one score that is no distance between distributions
_CALIBRATED = 2e-9  # of epsilon and 1, by which calibration may miss log E[H], which falls by at most about epsilon
LEAST_MEAN = 1e-300  # below, a mean has lost its digits, or is 0
PARAMETERS_LARGEST = 1e6  # the sum of the posterior's: beyond, digamma and logarithm would cancel


@dataclass(frozen=True)
class ScoredMechanism:
    """The exponential mechanism under one score D.

    score: its name; sensitivity: Delta, over all neighbours and r; at_truth: the same maximum over r in {c, c'} alone,
    which a metric attains; mean: E[H] over the prior predictive at rate epsilon / (2 Delta); loss: its exact privacy
    loss there; calibrated_mean: E[H] where the exact loss is epsilon; times_limit: that over the limit, None where the
    limit is not known, or below 1e-300.
    """

    score: str
    sensitivity: float
    at_truth: float
    mean: float
    loss: float
    calibrated_mean: float
    times_limit: float | None


@dataclass(frozen=True)
class ScoreStudy:
    """All scores at one prior, n and epsilon, and the limit of privacy there.

    unbounded: the scores of infinite sensitivity there, which no rate makes private, or of more than a float holds.
    """

    prior: tuple[float, ...]
    n: int
    epsilon: float
    rows: tuple[ScoredMechanism, ...]
    unbounded: tuple[str, ...]
    limit: PrivacyLimit

    def nearest(self, without: str = "") -> list[ScoredMechanism]:
        """Those of the smallest calibrated mean, without one of them; however small the means, relative to it."""
        rows = [row for row in self.rows if row.score != without]
        least = max(min(row.calibrated_mean for row in rows), LEAST_MEAN)
        return [row for row in rows if row.calibrated_mean <= least * (1 + _CALIBRATED * (1 + self.epsilon))]


def compare_scores(prior: ArrayLike, n: int, epsilon: float) -> ScoreStudy:
    """E[H] of the exponential mechanism scored by H, H^2, total variation (k = 2), KL and chi-square both ways, steps.

    Chi-square is infinite between some datasets once n >= min alpha, and so is then its sensitivity: no rate above 0 is
    private, and it is named in ``unbounded`` instead of compared.
    prior: (k,); n >= 1; epsilon > 0. Every pair of datasets and outputs is visited, 2,101 datasets at most.
    Returns a ``ScoreStudy``. Raises ValueError beyond that, and for parameters that sum to more than a million.
    Source: [P17] section 8, third direction, which proposes other distances and f-divergences; the answer is ours.
    """
    alpha, epsilon = limits.check_prior(prior), limits.check_epsilon(epsilon)
    n = limits.whole_number("n", n, 1, limits.TOTAL_LARGEST)
    k = len(alpha)
    check_size(n, k)
    if sum(alpha) + n > PARAMETERS_LARGEST:
        raise ValueError(f"prior is too large for this comparison: its sum plus n may be at most "
                         f"{PARAMETERS_LARGEST:,.0f}, got {sum(alpha) + n:,.6g}.")
    visited = len(SelectionAudit(alpha, n, lambda counts: np.ones(len(counts))).pairs[0]) * number_of_candidates(n, k)
    if visited > _COMPARISONS:
        raise ValueError(f"n is too large for this comparison: it compares neighbours at an output {_COMPARISONS:,} "
                         f"times at most for each score, and n = {n:,} with k = {k:,} categories needs {visited:,}. "
                         "Take fewer records or categories.")
    limit = limit_of_privacy(alpha, n, epsilon)
    rows, unbounded = [], []
    for name, score in _SCORES.items():
        if k > 2 and name == "total variation":
            continue
        table = score(alpha, n)
        if np.isfinite(table).all():
            rows.append(_scored(name, table, limit))
        else:  # from r = c, where D is 0, to an infinite one there is a step between neighbours that is infinite
            unbounded.append(name)
    return ScoreStudy(alpha, n, epsilon, tuple(rows), tuple(unbounded), limit)


def _scored(name: str, score: Floats, limit: PrivacyLimit) -> ScoredMechanism:
    audit = _ScoreAudit(limit.prior, limit.n, score)
    sensitivity, at_truth = audit.sensitivities()
    audit.rate = audit.rate * (limit.epsilon / (2 * sensitivity))
    calibrated = audit.mean(calibrated_multiplier(audit, limit.epsilon))
    return ScoredMechanism(name, sensitivity, at_truth, audit.mean(1.0), audit.worst()[0], calibrated,
                           calibrated / limit.value if limit.value and limit.value > LEAST_MEAN else None)


class _ScoreAudit(SelectionAudit):
    """As ``SelectionAudit``, with any score (N, N) in place of H and one rate for all datasets."""

    def __init__(self, prior: tuple[float, ...], n: int, score: Floats) -> None:
        super().__init__(prior, n, lambda counts: np.ones(len(counts)))
        self.score = score

    @cached_property
    def distance(self) -> Floats:
        return self.score

    def sensitivities(self) -> tuple[float, float]:
        """max |D(c, r) - D(c', r)| over neighbours and all r, and over r in {c, c'}."""
        here, there = self.pairs
        own = max(float(self.score[here, there].max()), float(self.score[there, here].max()))
        blocks = self.blocks(len(self.score))
        return max(float(np.abs(self.score[rows] - self.score[others]).max()) for rows, others in blocks), own

    def mean(self, multiplier: float) -> float:
        """E[H] over the prior predictive."""
        law = self.laws(multiplier).law
        predictive = np.exp(dirichlet.log_evidence(self.prior, self.datasets))
        return float(predictive @ (law * distance_matrix(self.prior, self.n)).sum(axis=1))


def _variation(prior: tuple[float, ...], n: int) -> Floats:
    posterior = np.array(prior) + list_candidates(n, 2)
    here, there = np.triu_indices(n + 1, 1)
    variation = np.zeros((n + 1, n + 1))
    for part in chunks(here.size, 1):
        variation[here[part], there[part]] = beta_variation(posterior[here[part]], posterior[there[part]])
    return variation + variation.T


def _divergence(prior: tuple[float, ...], n: int) -> Floats:
    """KL(Dir(a) || Dir(b)) = sum_i [log Gamma(b_i) - log Gamma(a_i) - (b_i - a_i) psi(a_i)], as the totals agree.

    Whole steps apart, log Gamma(b) - log Gamma(a) is a sum of logarithms.
    """
    datasets = list_candidates(n, len(prior))
    divergence = np.zeros((len(datasets), len(datasets)))
    count = np.arange(n + 1)
    for alpha, column in zip(prior, datasets.T, strict=True):
        rising = np.concatenate([[0.0], np.cumsum(np.log(alpha + count[:-1]))])
        gap = count[None] - count[:, None]
        table = rising[None] - rising[:, None] - gap * special.digamma(alpha + count)[:, None]
        divergence += table[column][:, column]
    return np.maximum(divergence, 0.0)


def _chi_square(prior: tuple[float, ...], n: int) -> Floats:
    """chi^2(Dir(a) || Dir(b)) = prod_i Gamma(2 a_i - b_i) Gamma(b_i) / Gamma(a_i)^2 - 1, as the totals agree.

    Infinite once some 2 a_i <= b_i. With d = |b_i - a_i| in whole steps, a factor is
    prod_{j < d} (a_i + j) / (a_i - 1 - j).
    """
    datasets = list_candidates(n, len(prior))
    log_factor = np.zeros((len(datasets), len(datasets)))
    count, step = np.arange(n + 1), np.arange(n)
    for alpha, column in zip(prior, datasets.T, strict=True):
        left = (alpha + count[:, None]) - 1 - step
        terms = np.where(left > 0, np.log1p((2 * step + 1) / np.where(left > 0, left, 1.0)), np.inf)
        table = np.concatenate([np.zeros((n + 1, 1)), np.cumsum(terms, axis=1)], axis=1)
        log_factor += table[column[:, None], np.abs(column[:, None] - column[None])]
    with np.errstate(over="ignore"):
        return np.expm1(log_factor)


def _steps(prior: tuple[float, ...], n: int) -> Floats:
    datasets = list_candidates(n, len(prior))
    moved = np.zeros((len(datasets), len(datasets)), dtype=np.int64)
    for column in datasets.T:
        moved += np.abs(column[:, None] - column[None])
    return moved / 2


_SCORES: dict[str, Callable[[tuple[float, ...], int], Floats]] = {
    "Hellinger": distance_matrix,
    "squared Hellinger": lambda prior, n: distance_matrix(prior, n) ** 2,
    "total variation": _variation,
    "KL(truth || released)": _divergence,
    "KL(released || truth)": lambda prior, n: _divergence(prior, n).T,
    "chi-square(truth || released)": _chi_square,
    "chi-square(released || truth)": lambda prior, n: _chi_square(prior, n).T,
    COUNTING: _steps,
}
