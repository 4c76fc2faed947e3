"""Bounds of the limit of privacy for three categories and more, by linear programmes over P(r | c).

Permutations of categories that share a prior parameter leave the programme as it is, and an optimal mechanism can be
averaged over them, so that it is taken on orbits: whole where it is small, else by columns. What the solver returns is
not believed: a lower bound is computed from its dual made feasible, an upper one from its mechanism made exactly
epsilon-DP.

By columns: P(r | .) is a sum of vectors x >= 0 with x_c <= e^epsilon x_c' for neighbours, and which r each is given to
costs least can be seen at once. A first programme finds the best weights of e^(-epsilon steps(c, t)), t with sum n and
entries that may be somewhat negative (K-norm noise, remapped: at most 1.3 % above the limit in trials); its dual is a
price y_c of a unit of P(. | c). For every r another one looks for the x that costs least below its price, which
joins the rest; its dual makes y feasible, and so bounds the limit from below.
"""

import itertools
import math
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpbi.mechanisms.audit import neighbour_rows
from dpbi.mechanisms.selection.audit import distance_matrix
from dpbi.posterior import dirichlet
from dpbi.problem.candidates import are_few, list_candidates, number_of_candidates

DATASETS = 700  # beyond, no limit is looked for
_PAIRS = 8_500  # orbits of (c, r): interior points take 4 seconds for so many
_SIMPLEX = 4_500  # as above: up to here both interior points and, where they fail, the simplex method are tried
_PRICED = 400_000  # pairs of neighbours times orbits of r, of all rounds of columns together: 4 seconds
_PERMUTATIONS = 5_040
_COLUMNS = 2_000  # t of the first programme
_REACH = 3.0  # t_i >= -_REACH / epsilon
_CLOSE = 1e-3  # of the value: bounds that are close enough
_FRESH = 0.5  # the share of fresh prices beside those of the best bound so far: alone they swing
_NOTHING = 1e-12  # a difference of bounds that is no difference
_ROUNDING = 1e-13  # of the sum of all terms: what adding up to 900 of them can be wrong by
_TOLERANCE, _WIDER = 1e-10, 1e-8  # of the solver: interior points sometimes miss the first, never in trials the second
_ROUNDS = 12  # of columns at most
_ITERATIONS = 20  # of a solver, per variable: more than it took in any trial

Bounds = tuple[float | None, float | None, str]


def bounds_by_programme(prior: tuple[float, ...], n: int, epsilon: float) -> Bounds:
    """Lower and upper bound of the limit, None where there is none, and why they are missing or far apart."""
    if not are_few(n, len(prior), DATASETS):
        return None, None, (f"With k = {len(prior):,} categories the limit is a linear programme over all pairs of "
                            f"datasets, for {DATASETS:,} datasets at most: there are more at n = {n:,}.")
    programme = _Programme(prior, n, epsilon)
    lower, upper = programme.bounds() if programme.is_small else (None, None)
    if _are_close(lower, upper):
        return lower, upper, "The bounds that the linear programme gives are too far apart."
    priced = programme.neighbours[0].size * programme.first.size
    if priced > _PRICED:
        return lower, upper, (f"The linear programmes of the limit have {priced:,} constraints here, and {_PRICED:,} "
                              "at most are taken on.")
    rounds = min(_PRICED // priced, _ROUNDS)
    found = programme.bounds_by_columns(rounds)
    lower, upper = _best(max, lower, found[0]), _best(min, upper, found[1])
    if lower is None or upper is None:
        return lower, upper, "The solver of linear programmes found no solution here."
    return lower, upper, (f"The bounds that linear programmes give in {rounds:,} "
                          f"{'round' if rounds == 1 else 'rounds'} are too far apart.")


def _are_close(lower: float | None, upper: float | None) -> bool:
    return lower is not None and upper is not None and upper - lower <= max(_CLOSE * upper, _NOTHING)


def _solved(cost: NDArray[np.float64], method: str = "highs", tolerance: float = _TOLERANCE, **constraints: Any) -> Any:
    """What the solver of linear programmes found, x >= 0 of least cost; None where it failed."""
    from scipy.optimize import linprog

    options = {"maxiter": _ITERATIONS * cost.size, "primal_feasibility_tolerance": tolerance,
               "dual_feasibility_tolerance": tolerance}
    found = linprog(cost, method=method, options=options, **constraints)
    return None if found.status else found


def _cone(decay: float, left: NDArray[np.int64], right: NDArray[np.int64], size: int) -> Any:
    """The sparse matrix of e^-epsilon x_left - x_right, a row for each pair: (pairs, size)."""
    from scipy import sparse

    rows = np.arange(left.size)
    entries = np.repeat([decay, -1.0], left.size), (np.tile(rows, 2), np.concatenate([left, right]))
    return sparse.csr_matrix(entries, shape=(left.size, size))


def _best(better: Callable[..., float], *bounds: float | None) -> float | None:
    return better((one for one in bounds if one is not None), default=None)


class _Programme:
    """min sum_c P(c) sum_r x_cr H(c, r), x_cr <= e^epsilon x_c'r for neighbours, sum_r x_cr = 1, x >= 0."""

    def __init__(self, prior: tuple[float, ...], n: int, epsilon: float) -> None:
        self.prior, self.n, self.epsilon, self.k = prior, n, epsilon, len(prior)
        self.datasets = list_candidates(n, self.k)
        self.size = len(self.datasets)
        self.neighbours = neighbour_rows(self.datasets)
        self.alike = [[i for i in range(self.k) if prior[i] == alpha] for alpha in sorted(set(prior))]
        self.decay = math.exp(-epsilon)

    @property
    def is_small(self) -> bool:
        """Whether it can be solved as a whole; there are at least N^2 / permutations orbits of pairs."""
        return self.size**2 <= _PAIRS * len(self.images) and self.pairs <= _PAIRS

    @cached_property
    def pairs(self) -> int:
        return int(self.orbit.max()) + 1

    @cached_property
    def orbit(self) -> NDArray[np.int64]:
        """The number of the orbit of each pair (c, r), (N, N)."""
        least = np.arange(self.size**2).reshape(self.size, self.size)
        for image in self.images:
            least = np.minimum(least, np.add.outer(image * self.size, image))
        return np.unique(least, return_inverse=True)[1].reshape(least.shape).astype(np.int64)

    @cached_property
    def images(self) -> list[NDArray[np.int64]]:
        """Where each permutation of equal categories takes the datasets."""
        if math.prod(math.factorial(len(group)) for group in self.alike) > _PERMUTATIONS:
            return [np.arange(self.size)]
        place = np.argsort(np.concatenate(self.alike))
        permuted = (self.datasets[:, np.concatenate(parts)[place]]
                    for parts in itertools.product(*map(itertools.permutations, self.alike)))
        return [np.argsort(np.lexsort(datasets.T[::-1])) for datasets in permuted]  # the list is in lexicographic order

    @cached_property
    def orbit_of_dataset(self) -> NDArray[np.int64]:
        """The number of the orbit of each dataset, (N,)."""
        return np.unique(np.min(self.images, axis=0), return_inverse=True)[1].astype(np.int64)

    @cached_property
    def first(self) -> NDArray[np.int64]:
        """One dataset of each orbit of datasets."""
        return np.unique(self.orbit_of_dataset, return_index=True)[1]

    @cached_property
    def predictive(self) -> NDArray[np.float64]:
        return np.exp(dirichlet.log_evidence(self.prior, self.datasets))

    @cached_property
    def cost(self) -> NDArray[np.float64]:
        """P(c) H(c, r), (N, N)."""
        return np.asarray(self.predictive[:, None] * distance_matrix(self.prior, self.n))

    def bounds(self) -> tuple[float | None, float | None]:
        """Of the whole programme, by interior points and, where those leave them apart, by the simplex method."""
        lower, upper = None, None
        without_data = float(self.cost.sum(axis=0).min())  # of one release for all datasets
        both = ("highs-ipm", _TOLERANCE), ("highs-ds", _TOLERANCE)
        for method, tolerance in both if self.pairs <= _SIMPLEX else (("highs-ipm", _WIDER),):
            if (solution := self._whole(method, tolerance, upper or without_data)) is not None:
                mechanism, dual = solution
                lower, upper = _best(max, lower, self._lower(dual)), _best(min, upper, self._upper(mechanism))
            if _are_close(lower, upper):
                break
        return lower, upper

    def _whole(
        self, method: str, tolerance: float, unit: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """x (N, N), and the dual variables u >= 0 of x_cr - e^epsilon x_c'r <= 0, (pairs of neighbours, N).

        unit: of the mean distance, so that the tolerance is relative.
        """
        from scipy import sparse

        here, there = self.neighbours
        left, right = self.orbit[here], self.orbit[there]  # (pairs of neighbours, N)
        both, back = np.unique(left.ravel() * self.pairs + right.ravel(), return_inverse=True)
        rows = np.repeat(np.arange(self.first.size), self.size)
        sums = sparse.csr_matrix((np.ones(rows.size), (rows, self.orbit[self.first].ravel())),
                                 shape=(self.first.size, self.pairs))
        cost = np.bincount(self.orbit.ravel(), self.cost.ravel(), self.pairs)
        private = _cone(self.decay, *np.divmod(both, self.pairs), self.pairs)
        found = _solved(cost / unit, method, tolerance, A_ub=private, b_ub=np.zeros(both.size), A_eq=sums,
                        b_eq=np.ones(self.first.size))
        if found is None:
            return None
        times = np.bincount(back.ravel(), minlength=both.size)
        dual = unit * np.maximum(-found.ineqlin.marginals, 0.0) / times
        return found.x[self.orbit], dual[back].reshape(left.shape)

    def _lower(self, dual: NDArray[np.float64]) -> float:
        """sum_c min_r [cost_cr + e^-epsilon u_(c,c'),r - u_(c',c),r], summed over neighbours c'; for any u >= 0.

        Any mechanism has sum cost x >= sum (cost + e^-epsilon u_(c,c') - u_(c',c)) x, as the added terms are
        u (e^-epsilon x_c - x_c') <= 0.
        """
        here, there = self.neighbours
        reduced = self.cost.copy()
        np.add.at(reduced, here, self.decay * dual)
        np.subtract.at(reduced, there, dual)
        return self._rounded_down(reduced.min(axis=1), float(dual.sum()))

    def _rounded_down(self, least: NDArray[np.float64], dual: float) -> float:
        """The sum over datasets of what ``_lower`` found for each, less what it can be wrong by; dual: sum of all u."""
        return max(float(least.sum()) - _ROUNDING * (float(self.cost.sum()) + 2 * dual), 0.0)

    def _upper(self, mechanism: NDArray[np.float64]) -> float:
        """The mean distance of (1 - share) x plus what is lacking in each row, spread over all outputs: epsilon-DP.

        With x_c <= e^epsilon x_c' + v and row sums within e of 1, the lacking masses lie within share -+ e, and
        v + (share + e) / N <= e^epsilon (share - e) / N is enough; twice that share covers the rounding.
        """
        x = np.maximum(mechanism, 0.0)
        here, there = self.neighbours
        violation = max(float((self.decay * x[here] - x[there]).max()), 0.0)
        uneven = float(np.abs(x.sum(axis=1) - 1).max())
        rate = -math.expm1(-self.epsilon)
        share = min(1.0, 2 * (self.size * violation + uneven * (2 - rate) + 1e-15) / rate)
        kept = x * (1 - share)
        private = kept + (1 - kept.sum(axis=1, keepdims=True)) / self.size
        return float((self.cost * private).sum())

    # By columns -----------------------------------------------------------------------------------------

    def bounds_by_columns(self, rounds: int) -> tuple[float | None, float | None]:
        """Both bounds by so many rounds of prices and columns, fewer where they are close sooner."""
        columns = self._first_columns()
        lower, upper, best, fresh = None, None, None, _FRESH
        for done in range(rounds + 1):
            if (mixed := self._mixed(columns)) is None:
                break
            weights, prices = mixed
            used = columns[:, weights > 0]
            upper = _best(min, upper, self._upper(self._mechanism(used * weights[weights > 0])))
            if done == rounds or _are_close(lower, upper):
                break
            tried = prices if best is None else best + fresh * (prices - best)
            found, new = self._priced(tried)
            if lower is None or found > lower:
                lower, best, fresh = found, tried, min(2 * fresh, _FRESH)
            else:
                fresh /= 2
            columns = np.concatenate([columns, new], axis=1)
        return lower, upper

    def _first_columns(self) -> NDArray[np.float64]:
        """1, so that there is a solution, and e^(-epsilon steps(c, t)) for one t of each orbit, (N, all).

        Up to a factor an entry of t beyond [0, n] is as good as 0 or n.
        """
        reach = min(math.ceil(_REACH / self.epsilon), self.n)
        while reach and number_of_candidates(self.n + self.k * reach, self.k) > _COLUMNS * len(self.images):
            reach //= 2
        places = np.clip(list_candidates(self.n + self.k * reach, self.k) - reach, 0, self.n)
        for group in self.alike if len(self.images) > 1 else ():
            places[:, group] = np.sort(places[:, group], axis=1)
        places = np.unique(places, axis=0)
        steps = sum(np.abs(np.subtract.outer(c, t)) for c, t in zip(self.datasets.T, places.T, strict=True)) / 2
        return np.column_stack([np.ones(self.size), np.exp(-self.epsilon * steps)])

    def _mixed(self, columns: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """Weights of the columns, each given to its best r, with least cost and averaged rows that sum to 1; prices.

        None where the solver found none.
        """
        size = np.bincount(self.orbit_of_dataset)
        rows = np.zeros((size.size, columns.shape[1]))
        np.add.at(rows, self.orbit_of_dataset, columns)
        rows /= size[:, None]
        found = _solved((columns.T @ self.cost).min(axis=1), A_eq=rows, b_eq=np.ones(size.size))
        return None if found is None else (found.x, (found.eqlin.marginals / size)[self.orbit_of_dataset])

    def _mechanism(self, columns: NDArray[np.float64]) -> NDArray[np.float64]:
        """x (N, N): each column given to its best r, averaged over the permutations."""
        x = np.zeros((self.size, self.size))
        np.add.at(x.T, (columns.T @ self.cost).argmin(axis=1), columns.T)
        return np.asarray(sum(x[np.ix_(image, image)] for image in self.images)) / len(self.images)

    def _priced(self, prices: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """A lower bound, and the columns that cost less than their price.

        For each r, min (cost_r - y) x over x in the cone with P x = 1; its dual is u of ``_lower``, where columns of r
        and of its images are the same up to the permutation. Where the solver fails u = 0, which bounds too.
        """
        here, there = self.neighbours
        cone = _cone(self.decay, here, there, self.size)
        least, dual, new = np.full(self.size, np.inf), 0.0, [np.empty((self.size, 0))]
        for r in self.first:
            found = _solved(self.cost[:, r] - prices, A_ub=cone, b_ub=np.zeros(here.size), A_eq=self.predictive[None],
                            b_eq=[1.0])
            u = np.zeros(here.size) if found is None else np.maximum(-found.ineqlin.marginals, 0.0)
            least = np.minimum(least, self.cost[:, r] + cone.T @ u)
            dual += float(u.sum()) * len(self.images)
            if found is not None and found.fun < 0:
                new.append(found.x[:, None])
        return self._rounded_down(np.min([least[image] for image in self.images], axis=0), dual), np.hstack(new)
