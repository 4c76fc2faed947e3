"""Sampled private posteriors: what would be published, set against the posterior that is not."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpbi import limits
from dpbi.frozen_result import FrozenResult
from dpbi.mechanisms.mechanism import Mechanism, check_mechanism
from dpbi.posterior import dirichlet, distances_to
from dpbi.problem.problem import Problem, check_problem

Floats = NDArray[np.float64]
Categories = Sequence[int] | NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class PrivatePosteriors(FrozenResult):
    """N independent releases r of one mechanism for one problem, each a whole posterior Dir(alpha + r).

    released: int64 (N, k); distance: (N,), H between the true posterior and each released one.
    """

    mechanism: Mechanism
    problem: Problem
    released: NDArray[np.int64]
    distance: Floats

    @property
    def parameters(self) -> Floats:
        """alpha + r, (N, k)."""
        return np.array(self.problem.prior) + self.released

    @property
    def means(self) -> Floats:
        """The released posteriors' means, (N, k)."""
        return dirichlet.mean(self.parameters)

    def coverage(self, categories: Categories | None = None) -> Floats:
        """The share of releases whose equal-tailed 95 % interval covers the true posterior mean.

        categories: those asked for, or None for all k; every interval costs microseconds, so few of many are asked for.
        Returns one share per category; NaN without releases. Source: ours.
        """
        asked = np.arange(self.problem.k) if categories is None else np.asarray(categories)
        if not len(self.released):
            return np.full(asked.size, np.nan)
        low, high = dirichlet.interval(self.parameters, category=asked)
        truth = dirichlet.mean(self.problem.posterior)[asked]
        return ((low <= truth) & (truth <= high)).mean(axis=0)

    def densities(self, grid: ArrayLike) -> Floats:
        """The released marginal densities of theta_1 on a grid in (0, 1): (N, M) for M points.

        theta_1 has law Beta(alpha_1 + r_1, the other parameters' sum). Source: standard.
        """
        parameters = self.parameters
        return dirichlet.beta_density(np.asarray(grid), parameters[:, :1], parameters[:, 1:].sum(axis=1, keepdims=True))

    def bands(self, grid: ArrayLike, masses: Sequence[float]) -> tuple[tuple[Floats, Floats], ...]:
        """Pointwise bands of the released densities: at each grid point, quantiles over the releases.

        Returns one (low, high) pair of (M,) arrays per mass, quantiles (1 - mass)/2 and (1 + mass)/2. A band
        says where the curves pass, point by point; it is no density itself. Source: ours.
        """
        density = self.densities(grid)
        tails = [(1 - limits.inside("mass", mass)) / 2 for mass in masses]
        ends = np.quantile(density, [*tails, *(1 - tail for tail in tails)], axis=0)
        return tuple(zip(ends[: len(tails)], ends[len(tails) :], strict=True))

    def mean_quantiles(self, probabilities: Sequence[float], categories: Categories | None = None) -> Floats:
        """Quantiles over the releases of the released means, (number of probabilities, number of categories).

        categories: those asked for, or None for all k.
        """
        means = self.means if categories is None else self.means[:, np.asarray(categories)]
        return np.quantile(means, probabilities, axis=0)


def sample_posteriors(
    mechanism: Mechanism, problem: Problem, rng: np.random.Generator, size: int
) -> PrivatePosteriors:
    """Draws ``size`` releases of the mechanism and measures each against the true posterior.

    mechanism, problem: as everywhere; rng: the only source of randomness; size: number of draws N >= 0.
    Raises ValueError for a size that is no whole number >= 0. Source: ours.
    """
    released = check_mechanism(mechanism).sample(check_problem(problem), rng, size)
    return PrivatePosteriors(mechanism, problem, released, distances_to(problem, released))


def density_grid(problem: Problem, released: ArrayLike, points: int) -> Floats:
    """Where to evaluate densities of theta_1: increasing points in (0, 1), placed where the mass is.

    A third are quantiles of the true posterior, a third quantiles of released posteriors from all over their
    range, a third even over the window that holds nearly all of both: an even grid alone would step over a
    posterior of 1e9 records. released: (N, k); points: number wanted, at least 12.
    Returns at most ``points`` values. Source: ours.
    """
    drawn = np.array(problem.prior) + np.asarray(released)
    truth = np.array([problem.posterior])
    low, high = density_window(np.concatenate([truth, drawn]))
    third = points // 3
    placed = [np.linspace(low, high, points - 2 * third), _quantile_points(truth, third)]
    if len(drawn):
        placed.append(_quantile_points(_spread_out(drawn, third // 4), third))
    grid = np.unique(np.concatenate(placed))
    return grid[(grid > 0) & (grid < 1)]


def density_window(parameters: ArrayLike, mass: float = 0.999) -> tuple[float, float]:
    """An interval that holds this mass, or more, of theta_1 under each of these posteriors, (M, k)."""
    low, high = dirichlet.interval(parameters, mass, category=0)
    return float(np.min(low)), float(np.max(high))


def _spread_out(parameters: Floats, number: int) -> Floats:
    """At most ``number`` posteriors, evenly taken in the order of their means."""
    order = np.argsort(dirichlet.mean(parameters)[:, 0], kind="stable")
    return parameters[order[np.unique(np.linspace(0, len(order) - 1, number).astype(int))]]


def _quantile_points(parameters: Floats, number: int) -> Floats:
    """At most ``number`` quantiles, as many of each posterior: the ends of nested equal-tailed intervals."""
    pairs = max(1, number // (2 * len(parameters)))
    masses = (np.arange(pairs) + 0.5) / pairs
    return np.concatenate([np.ravel(dirichlet.interval(parameters, mass, category=0)) for mass in masses])
