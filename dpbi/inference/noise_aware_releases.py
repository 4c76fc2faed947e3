"""The noise-aware posteriors of several releases: what each reader would believe who knows about the noise."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpbi.frozen_result import FrozenResult
from dpbi.inference.noise_aware import posterior_given
from dpbi.inference.private_posteriors import Categories
from dpbi.mechanisms.mechanism import Mechanism
from dpbi.posterior import dirichlet
from dpbi.problem.problem import Problem

Floats = NDArray[np.float64]

RELEASES = 20  # at most: each asks for convolutions or for all datasets
_CATEGORIES_TOGETHER = 400  # of all releases
_RELEASES_LEAST = 3
_CATEGORIES = 20  # the first and the largest, whose intervals are computed
_POINTS = 61
_NEARLY_ALL = 0.9998


@dataclass(frozen=True, eq=False)
class NoiseAwareReleases(FrozenResult):
    """p(theta | r) for D distinct releases r of one mechanism.

    released: int64 (D, k); times: how often each was drawn, (D,); means: (D, k); low, high: ends of the 95 %
    intervals, (D, k), NaN but for the first and the largest 20 categories; grids, densities: of theta_1 over nearly
    all of its mass, (D, 61), for k = 2 only, else (D, 0).
    """

    mechanism: Mechanism
    problem: Problem
    released: NDArray[np.int64]
    times: NDArray[np.int64]
    means: Floats
    low: Floats
    high: Floats
    grids: Floats
    densities: Floats

    def coverage(self, categories: Categories | None = None) -> Floats:
        """The share of draws whose interval covers the true posterior mean; NaN where none was computed.

        categories: those asked for, or None for all k. Returns one share per category. Source: ours.
        """
        truth = dirichlet.mean(self.problem.posterior)
        covered = np.where(np.isnan(self.low), np.nan, (self.low <= truth) & (truth <= self.high))
        shares = np.average(covered, axis=0, weights=self.times)
        return shares if categories is None else shares[np.asarray(categories)]

    def widening(self) -> float:
        """Mean width of these intervals over that of the naive ones; NaN where those have no width."""
        low, high = dirichlet.interval(np.array(self.problem.prior) + self.released)
        known = ~np.isnan(self.low)
        naive = float(((high - low) * self.times[:, None])[known].sum())
        aware = float(((self.high - self.low) * self.times[:, None])[known].sum())
        return aware / naive if dirichlet.has_width(low, high)[known].any() else float("nan")


def number_of_releases(k: int, size: int) -> int:
    """How many of ``size`` draws are looked at: 20, fewer beyond 20 categories, 3 at least."""
    return min(size, max(_RELEASES_LEAST, min(RELEASES, _CATEGORIES_TOGETHER // k)))


def noise_aware_releases(mechanism: Mechanism, problem: Problem, released: ArrayLike) -> NoiseAwareReleases:
    """The noise-aware posterior of each distinct release among the first draws (``number_of_releases``).

    The true counts are used for nothing but ``coverage``. mechanism, problem: as everywhere; released: (N, k), N >= 1,
    in the order drawn. Source: ours.
    Raises ValueError where ``noise_aware_posterior`` finds the windows or the list of datasets too large.
    """
    every = np.asarray(released)
    if not len(every):
        raise ValueError("At least one release is needed: got none.")
    distinct, times = np.unique(every[: number_of_releases(problem.k, len(every))], axis=0, return_counts=True)
    found = [posterior_given(mechanism, problem.prior, problem.n, tuple(r)) for r in distinct.tolist()]
    low, high = np.full((2, *distinct.shape), np.nan)
    for i in _categories(problem):
        low[:, i], high[:, i] = np.transpose([posterior.interval(0.95, i) for posterior in found])
    grids = np.empty((len(found), 0))
    if problem.k == 2:
        ends = np.array([posterior.interval(_NEARLY_ALL) for posterior in found])
        grids = np.linspace(ends[:, 0], ends[:, 1], _POINTS, axis=-1)
    densities = [posterior.density(grid) for posterior, grid in zip(found, grids, strict=True)]
    means = np.array([posterior.mean for posterior in found])
    return NoiseAwareReleases(
        mechanism, problem, distinct, times, means, low, high, grids, np.array(densities).reshape(grids.shape)
    )


def _categories(problem: Problem) -> list[int]:
    largest = np.argsort(-np.array(problem.posterior), kind="stable")[:_CATEGORIES]
    return sorted({*range(min(problem.k, _CATEGORIES)), *largest.tolist()})
