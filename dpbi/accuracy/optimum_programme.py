"""Bounds of the limit of privacy for three categories and more, by linear programmes over P(r | c).

The programme is taken on orbits: permutations of categories that share a prior parameter leave it as it is, and an
optimal mechanism can be averaged over them. What the solver returns is not believed: a lower bound is computed from its
dual made feasible, an upper one from its mechanism made exactly epsilon-DP.
"""

from __future__ import annotations

import itertools
import math
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpbi.posterior import dirichlet
from dpbi.posterior.hellinger import count_loss, distance_of_loss
from dpbi.problem.candidates import are_few, list_candidates, number_of_candidates

SECONDS = 10.0
_DATASETS = 300
_PAIRS = 9_000  # orbits of (c, r): what the solver takes some seconds for
_PERMUTATIONS = 5_040

Bounds = tuple[float | None, float | None, str]


def bounds_by_programme(prior: tuple[float, ...], n: int, epsilon: float) -> Bounds:
    """Lower and upper bound of the limit, None where there is none, and why they are missing or far apart."""
    if not are_few(n, len(prior), _DATASETS):
        return None, None, (f"With k = {len(prior)} categories the limit is a linear programme over all pairs of "
                            f"datasets, here {number_of_candidates(n, len(prior)):,} of them: at most {_DATASETS:,}.")
    programme = _Programme(prior, n, epsilon)
    if programme.pairs > _PAIRS:
        return None, None, (f"The linear programme of the limit has {programme.pairs:,} unknowns here, more than can "
                            f"be solved in {SECONDS:.0f} seconds: at most {_PAIRS:,}.")
    return programme.bounds()


class _Programme:
    """min sum_c P(c) sum_r x_cr H(c, r), x_cr <= e^epsilon x_c'r for neighbours, sum_r x_cr = 1, x >= 0."""

    def __init__(self, prior: tuple[float, ...], n: int, epsilon: float) -> None:
        self.prior, self.n, self.epsilon, self.k = prior, n, epsilon, len(prior)
        self.datasets = list_candidates(n, self.k)
        self.size = len(self.datasets)
        self.row = {tuple(c): at for at, c in enumerate(self.datasets.tolist())}
        self.pairs = int(self.orbit.max()) + 1

    @cached_property
    def orbit(self) -> NDArray[np.int64]:
        """The number of the orbit of each pair (c, r), (N, N)."""
        least = np.arange(self.size**2).reshape(self.size, self.size)
        for image in self._images():
            least = np.minimum(least, np.add.outer(image * self.size, image))
        return np.unique(least, return_inverse=True)[1].reshape(least.shape).astype(np.int64)

    def _images(self) -> list[NDArray[np.int64]]:
        """Where each permutation of equal categories takes the datasets."""
        alike = [[i for i in range(self.k) if self.prior[i] == alpha] for alpha in sorted(set(self.prior))]
        if math.prod(math.factorial(len(group)) for group in alike) > _PERMUTATIONS:
            return []
        images = []
        for parts in itertools.product(*(itertools.permutations(group) for group in alike)):
            order = np.empty(self.k, dtype=np.int64)
            for group, part in zip(alike, parts, strict=True):
                order[group] = part
            images.append(np.array([self.row[tuple(c)] for c in self.datasets[:, order].tolist()]))
        return images

    @cached_property
    def cost(self) -> NDArray[np.float64]:
        """P(c) H(c, r), (N, N)."""
        loss = sum(count_loss(alpha, *np.meshgrid(column, column, indexing="ij"))
                   for alpha, column in zip(self.prior, self.datasets.T, strict=True))
        predictive = np.exp(dirichlet.log_evidence(self.prior, self.datasets))
        return np.asarray(predictive[:, None] * distance_of_loss(loss))

    @cached_property
    def neighbours(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Rows of all ordered pairs of neighbouring datasets."""
        here, there = [], []
        for i, j in itertools.permutations(range(self.k), 2):
            giving = np.flatnonzero(self.datasets[:, j] > 0)
            moved = self.datasets[giving]
            moved[:, j] -= 1
            moved[:, i] += 1
            here.append(giving)
            there.append(np.array([self.row[tuple(c)] for c in moved.tolist()], dtype=np.int64))
        return np.concatenate(here), np.concatenate(there)

    def bounds(self) -> Bounds:
        solution = self._solved()
        if solution is None:
            return None, None, f"The linear programme of the limit was not solved within {SECONDS:.0f} seconds."
        mechanism, dual = solution
        lower, upper = self._lower(dual), self._upper(mechanism)
        return lower, upper, (f"The bounds that the linear programme gives are too far apart: {lower:.6g} to "
                              f"{upper:.6g}.")

    def _solved(self) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """x (N, N), and the dual variables u >= 0 of x_cr - e^epsilon x_c'r <= 0, (pairs of neighbours, N)."""
        from scipy import sparse
        from scipy.optimize import linprog

        here, there = self.neighbours
        left, right = self.orbit[here], self.orbit[there]  # (pairs of neighbours, N)
        both, back = np.unique(left.ravel() * self.pairs + right.ravel(), return_inverse=True)
        rows = np.arange(both.size)
        privacy = sparse.csr_matrix(
            (np.concatenate([np.full(both.size, math.exp(-self.epsilon)), np.full(both.size, -1.0)]),
             (np.concatenate([rows, rows]), np.concatenate([both // self.pairs, both % self.pairs]))),
            shape=(both.size, self.pairs))
        first = self._first_of_orbits()
        sums = sparse.csr_matrix(
            (np.ones(first.size * self.size), (np.repeat(np.arange(first.size), self.size), self.orbit[first].ravel())),
            shape=(first.size, self.pairs))
        cost = np.bincount(self.orbit.ravel(), self.cost.ravel(), self.pairs)
        found: Any = linprog(cost, privacy, np.zeros(both.size), sums, np.ones(first.size), method="highs",
                             options={"time_limit": SECONDS, "primal_feasibility_tolerance": 1e-10,
                                      "dual_feasibility_tolerance": 1e-10})
        if found.status != 0:
            return None
        times = np.bincount(back.ravel(), minlength=both.size)
        dual = np.maximum(-found.ineqlin.marginals, 0.0) / times
        return found.x[self.orbit], dual[back].reshape(left.shape)

    def _first_of_orbits(self) -> NDArray[np.int64]:
        """One dataset of each orbit of datasets."""
        return np.unique(np.diagonal(self.orbit), return_index=True)[1]

    def _lower(self, dual: NDArray[np.float64]) -> float:
        """sum_c min_r [cost_cr + e^-epsilon u_(c,c'),r - u_(c',c),r], summed over neighbours c'; for any u >= 0.

        Any mechanism has sum cost x >= sum (cost + e^-epsilon u_(c,c') - u_(c',c)) x, as the added terms are
        u (e^-epsilon x_c - x_c') <= 0.
        """
        here, there = self.neighbours
        reduced = self.cost.copy()
        np.add.at(reduced, here, math.exp(-self.epsilon) * dual)
        np.subtract.at(reduced, there, dual)
        return float(reduced.min(axis=1).sum())

    def _upper(self, mechanism: NDArray[np.float64]) -> float:
        """The mean distance of (1 - share) x plus what is lacking in each row, spread over all outputs: epsilon-DP.

        With x_c <= e^epsilon x_c' + v and row sums within e of 1, the lacking masses lie within share -+ e, and
        v + (share + e) / N <= e^epsilon (share - e) / N is enough; twice that share covers the rounding.
        """
        x = np.maximum(mechanism, 0.0)
        here, there = self.neighbours
        violation = max(float((math.exp(-self.epsilon) * x[here] - x[there]).max()), 0.0)
        uneven = float(np.abs(x.sum(axis=1) - 1).max())
        rate = -math.expm1(-self.epsilon)
        share = min(1.0, 2 * (self.size * violation + uneven * (2 - rate) + 1e-15) / rate)
        kept = x * (1 - share)
        private = kept + (1 - kept.sum(axis=1, keepdims=True)) / self.size
        return float((self.cost * private).sum())
