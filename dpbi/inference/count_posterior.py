"""P(c | r): what is believed about the private counts after a release, from the prior predictive and the likelihood.

P(c | r) is proportional to P(c) P(r | c), P(c) Dirichlet-multinomial: independent negative binomials given that they
sum to n. Where the likelihood is a product over categories as well, c is a vector of independent variables given its
sum, so that its marginals and exact draws take k one-dimensional convolutions and no list of datasets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from dpbi import limits
from dpbi.frozen_result import FrozenResult
from dpbi.inference import count_tree
from dpbi.inference.count_tree import NUMBERS, CountTree, Leaf, MeasuredSum, TooWide
from dpbi.inference.total import Known, Total
from dpbi.mechanisms.likelihood import CountwiseLikelihood, Likelihood, ListedLikelihood, log_likelihood
from dpbi.posterior import dirichlet

Floats = NDArray[np.float64]

CERTAIN = 1e-9  # the largest error of a probability that is given out
# e^-80 = 2e-35 of a variable's mass is left outside its window; where what was published contradicts itself that may be
# all there is, and less is
_TAIL, _LONG_TAIL = 80.0, 600.0
_LOG_OUTSIDE = 4.0  # e^4 e^-80 = 1e-33 bounds the mass of all values outside
_NEAR = 0.5  # standard deviations between n and the mean of the untied sum, at most
_WIDTHS = 20.0  # of the noise, as far as the guess of the total goes, in a window
_STEPS, _TILT_WITHIN = 200, 1e-2  # of the tilt's search, and of the inverse of the sum's standard deviation
_SAMPLED = 1024  # values per variable that suffice to find the tilt
_HOPELESS = 20  # times too many numbers in the windows without a tilt: no tilt makes them few
_DIRECT_AT_MOST = 5_000_000_000  # products of all convolutions, where all have to be summed term by term
# Of Chernoff's bound, in units of 1 / (the sum's standard deviation)
_TILTS = np.array([8.0, 6, 11, 4.5, 15, 3, 20, 30, 50, 100, 300, 1000, 2.5, 2, 1.9, 1.7, 1.5, 1.35, 1.2, 1])
_SLIGHT_TILTS = np.array([0.0, 4, -4, -30, -100, -300, 30, 2, -2, 8, -8, 12, -12, -1000, 1, -1, 0.5, -0.5, 3, -3, 6, -6,
                          2.5, 2.2, 1.8, 1.5, 1.2])
_SURELY = 1e-14  # what lies outside is then not bounded any better
_LOG_LARGEST = 700.0  # of a weight of a total that is held
_NEAR_EDGE, _FAR = 20_000, 2_000  # totals beyond the window that are all, and that are, looked at


@dataclass(frozen=True, eq=False)
class Marginal(FrozenResult):
    """P(c_i = first + j | r), j = 0, 1, ...; elsewhere 0."""

    first: int
    probability: NDArray[np.float64]

    @property
    def counts(self) -> NDArray[np.int64]:
        return self.first + np.arange(self.probability.size)

    @property
    def mean(self) -> float:
        return float(self.first + np.arange(self.probability.size) @ self.probability)

    def interval(self, mass: float = 0.95) -> tuple[int, int]:
        """The equal-tailed interval: at least ``mass`` lies in it."""
        tail = (1 - limits.inside("mass", mass)) / 2
        below, above = np.cumsum(self.probability), np.cumsum(self.probability[::-1])[::-1]
        return (int(self.first + np.searchsorted(below, tail, side="right")),
                int(self.first + np.flatnonzero(above > tail)[-1]))  # fmt: skip

    def trimmed(self, least: float) -> Marginal:
        """Without the ends whose probabilities are below ``least``, rescaled to sum to 1."""
        kept = np.flatnonzero(self.probability >= least)
        inside = self.probability[kept[0]:kept[-1] + 1]
        return Marginal(self.first + int(kept[0]), inside / inside.sum())


def count_posterior(prior: tuple[float, ...], n: int, likelihood: Likelihood) -> CountPosterior:
    """P(c | r) for a possible release; ValueError where its windows are too wide to hold."""
    if isinstance(likelihood, ListedLikelihood):
        return _Listed(prior, likelihood)
    return TiedCounts(prior, Known(n), likelihood)


def blocks_of(
    prior: tuple[float, ...], n: int, likelihood: Likelihood, blocks: Sequence[frozenset[int]]
) -> tuple[TreeCounts, ...]:
    """P(c, n_b | r) of disjoint sets of cells, from one tree in which each of their sums is a node of its own."""
    if isinstance(likelihood, ListedLikelihood):
        raise ValueError("The law of this release is no product over categories: no block of them can be read alone.")
    sums = [MeasuredSum.unpublished(cells) for cells in blocks if len(cells) < len(prior)]
    whole = TiedCounts(prior, Known(n), likelihood, sums)
    return tuple(found for cells in blocks if (found := whole.block(cells)) is not None)


def dataset_probabilities(
    prior: tuple[float, ...], datasets: NDArray[np.int64], likelihood: Likelihood
) -> NDArray[np.float64]:
    """P(c | r) of every dataset, (N, k) -> (N,): all of them, in the order of a listed likelihood."""
    log_weight = dirichlet.log_predictive(np.array(prior), datasets) + log_likelihood(datasets, likelihood)
    weight = np.exp(log_weight - log_weight.max())
    return np.asarray(weight / weight.sum())


class _Listed(FrozenResult):
    """All datasets with their probabilities."""

    def __init__(self, prior: tuple[float, ...], likelihood: ListedLikelihood) -> None:
        self.datasets = likelihood.datasets
        self.probability = dataset_probabilities(prior, self.datasets, likelihood)
        self._freeze()

    @cached_property
    def marginals(self) -> tuple[Marginal, ...]:
        size = int(self.datasets.max()) + 1
        return tuple(Marginal(0, np.bincount(column, self.probability, size).astype(np.float64))
                     for column in self.datasets.T)

    def sample(self, rng: np.random.Generator, size: int) -> NDArray[np.int64]:
        return self.datasets[rng.choice(self.probability.size, size=size, p=self.probability)]


class TreeCounts(FrozenResult):
    """P(c, n | r) of the cells of a tree, whose sum n has the weights ``row`` beside the tree's own law.

    error: a bound on the error of any probability.
    """

    tree: CountTree
    row: Floats
    error: float

    @property
    def cells(self) -> tuple[int, ...]:
        return tuple(sorted(self.tree.root.cells))

    @cached_property
    def total(self) -> Marginal:
        """P(n | r)."""
        joint = self.tree.root.weight * self.row
        return Marginal(self.tree.root.low, joint / joint.sum())

    @cached_property
    def marginals(self) -> tuple[Marginal, ...]:
        """P(c_i = u | r) of the cells in their order."""
        found = {}
        for i, leaf, (message,) in self.tree.messages(self.row[None]):
            joint = np.maximum(leaf.weight * message, 0.0)
            found[i] = Marginal(leaf.low, joint / joint.sum())
        return tuple(found[i] for i in sorted(found))

    def sample(self, rng: np.random.Generator, size: int) -> NDArray[np.int64]:
        """Independent draws of c, (size, k)."""
        found = dict(self.tree.draws(self.row, rng, size))
        return np.stack([found[i] for i in sorted(found)], axis=1)

    def block(self, cells: frozenset[int]) -> BlockCounts | None:
        """Of these cells alone; None unless their sum is one of the tree's."""
        found = self.tree.outside(cells, self.row)
        return None if found is None else BlockCounts(CountTree(found[0], self.tree.direct), found[1], self.error)


class BlockCounts(TreeCounts):
    """Of some cells: what all others say of their sum is in ``row``."""

    def __init__(self, tree: CountTree, row: Floats, error: float) -> None:
        self.tree, self.row = tree, np.maximum(row / float(tree.root.weight @ row), 0.0)
        self.error = error + tree.error(self.row)
        self._freeze()


class TiedCounts(TreeCounts):
    """Independent c_i with weights W_i(c) = NB(c; alpha_i, w) L_i(c) e^{theta c}, and h(n) of their sum n.

    P(c, n | r) is proportional to p(n) g(n) prod_i u_i(c_i) L_i(c_i), u_i(c) = Gamma(alpha_i + c) / (c! Gamma(alpha_i))
    and g(n) = n! Gamma(A) / Gamma(A + n). Up to constants NB(c; alpha_i, w) is u_i(c) w^c, and NB(n; A, w) is
    w^n / g(n), so that h(n) = p(n) e^{-theta n} / NB(n; A, w) takes back what was put in: neither w nor theta changes
    anything but the numbers' sizes. theta is such that the untied sum has its mean where the posterior of n is: then
    neither the mass outside the windows nor the rounding of a transform, each relative to the whole, shows in what is
    conditioned on the sum. ``error`` bounds what does show; above CERTAIN all is summed term by term, or refused.

    prior: alpha; total: p(n); likelihood: L; measured: sums of cells with factors of their own.
    """

    def __init__(
        self, prior: tuple[float, ...], total: Total, likelihood: CountwiseLikelihood,
        measured: Sequence[MeasuredSum] = (),
    ) -> None:
        self.k, self.sum_of_prior, self.total_law = len(prior), float(np.sum(prior)), total
        all_cells = frozenset(range(self.k))
        self.of_total = tuple(one for one in measured if one.cells == all_cells)
        variables = _Variables(prior, total, likelihood)
        self.guess = variables.guess
        if not isinstance(total, Known) and variables.width() > _HOPELESS * NUMBERS:
            raise self._too_wide()
        self.theta = variables.tilt_to(total.n) if isinstance(total, Known) else variables.tilt_along(self._slope)
        parts = tuple(one for one in measured if one.cells != all_cells)
        products = 0.0
        # Without a tilt the last: a posterior of n that is wide, and has its mode at 0, needs none
        tilt = self.theta
        for theta, tail, direct in ((tilt, _TAIL, False), (tilt, _TAIL, True), (tilt, _LONG_TAIL, True),
                                    (0.0, _LONG_TAIL, True)):
            if direct and products > _DIRECT_AT_MOST:
                break
            variables.tail, self.theta = tail, theta
            leaves = self._leaves(variables)
            products = count_tree.products(leaves)
            try:
                self.tree = count_tree.count_tree(leaves, total.lowest, total.highest, parts, direct)
            except TooWide:
                raise self._too_wide() from None
            log_row = self._log_weight(self.tree.root.values)
            shift, self.row = _scaled(log_row, self.tree.root.weight)
            self.error = self.tree.error(self.row) + self._outside(variables, leaves, shift)
            if self.error <= CERTAIN:
                break
        if not self.error <= CERTAIN:
            raise self._uncertain(self.error)
        self._freeze()

    def _leaves(self, variables: _Variables) -> list[Leaf]:
        low, high = variables.windows_of_total(self.theta, self.total_law)
        if not (low <= high).all():
            raise self._uncertain(np.inf)
        if float((high - low + 1.0).sum()) > NUMBERS:
            raise self._too_wide()
        return [variables.leaf(i, int(low[i]), int(high[i]), self.theta) for i in range(self.k)]

    def _uncertain(self, error: float) -> ValueError:
        if not np.isfinite(error):
            return ValueError("What was published, the noise, the prior and the total contradict one another: no "
                              f"counts are in reach of all of them. {self.total_law.check}")
        return ValueError(
            f"The noise-aware posterior is not certain: its error may be as large as {min(error, 1.0):.1g}, and at "
            f"most {CERTAIN:g} is given out. The prior, the noise and the total hardly agree. {self.total_law.advice}")

    def _too_wide(self) -> ValueError:
        return ValueError(f"The noise is too wide for a noise-aware posterior of k = {self.k:,} categories: the laws "
                          f"of sums would hold more than {NUMBERS:,} numbers. {self.total_law.advice}")

    # The total

    def _log_h(self, n: NDArray[np.int64]) -> Floats:
        """log h(n) but for the tilt."""
        found = self.total_law.log_probability(n) + sum(one.log_factor(n) for one in self.of_total)
        return np.asarray(found - dirichlet.log_negative_binomial(
            np.array(self.sum_of_prior), n.astype(np.float64), self.guess, self.sum_of_prior))

    def _log_weight(self, n: NDArray[np.int64]) -> Floats:
        return self._log_h(n) - self.theta * (n - self.guess)

    def _slope(self, mean: float) -> float:
        """The derivative of log h at the mean, from differences; at an end of p(n) from one side."""
        step = max(1, round(1e-4 * mean))
        n = np.array([max(round(mean) - step, self.total_law.lowest), round(mean), round(mean) + step])
        if n[1] > self.total_law.highest:
            return -np.inf
        if n[1] <= self.total_law.lowest:
            n = self.total_law.lowest + np.array([0, 0, 1])
        n[2] = min(n[2], self.total_law.highest)
        possible = np.isfinite(log_h := self._log_h(n))
        if not possible[1]:  # a sum was measured that rules this total out
            return np.inf if possible[2] else -np.inf
        n, log_h = n[possible], log_h[possible]
        return float((log_h[-1] - log_h[0]) / (n[-1] - n[0])) if n[-1] > n[0] else -np.inf

    def _outside(self, variables: _Variables, leaves: Sequence[Leaf], shift: float) -> float:
        """What lies beyond the root's window, of all: sum over such n of h(n) min_t e^{K(t) - t n}, K the cells' log
        moment generating function, by the cells' windows and then with some cell outside its own. Factors of measured
        sums are at most 1: without them the bound is larger."""
        root = self.tree.root
        if not (here := float(root.weight @ self.row)) > 0:
            return np.inf
        total = float(np.log(here)) + root.log_scale
        start, sd = float(sum(leaf.low for leaf in leaves)), np.sqrt(sum(_variance(leaf) for leaf in leaves) + 1.0)

        def beyond(side: int, end: int, tilts: Floats, log_moment: Callable[[float], float]) -> float:
            edge = root.low - 1 if side < 0 else root.high + 1
            if side * (end - edge) < 0:
                return 0.0
            n = _far_values(edge, end)
            log_h, bound, found = self._log_weight(n) - shift, np.full(n.size, np.inf), np.inf
            for size in side * tilts / sd:
                bound = np.minimum(bound, log_moment(size) - size * (n - start))
                term = np.exp(np.minimum(log_h + bound - total, 300.0))
                found = float(term[0] + (np.maximum(term[1:], term[:-1]) * np.abs(np.diff(n))).sum())
                if found < _SURELY:
                    break
            return found

        lowest, highest = self.total_law.lowest, self.total_law.highest
        inside = max(lowest, sum(leaf.low for leaf in leaves)), min(highest, sum(leaf.high for leaf in leaves))
        return (sum(beyond(side, end, _TILTS, lambda t: sum(_log_moment(leaf, t) for leaf in leaves))
                    for side, end in zip((-1, 1), inside, strict=True))
                + self._outside_windows(variables, leaves, shift + total, start, sd))

    def _outside_windows(
        self, variables: _Variables, leaves: Sequence[Leaf], shift: float, start: float, sd: float
    ) -> float:
        """What has some cell outside its window, of all: the same bound of every n."""
        root, lowest, highest = self.tree.root, self.total_law.lowest, self.total_law.highest
        none = np.empty(0, dtype=np.int64)
        n = np.concatenate([_far_values(root.low - 1, lowest)[::-1] if root.low > lowest else none, root.values,
                            _far_values(root.high + 1, highest) if root.high < highest else none])
        log_h, bound, found = self._log_weight(n) - shift, np.full(n.size, np.inf), np.inf
        for t in _SLIGHT_TILTS / sd:
            bound = np.minimum(bound, variables.log_moment_outside(leaves, self.theta, t) - t * (n - start))
            term = np.exp(np.minimum(log_h + bound, 300.0))
            found = float(term[0] + term[-1] + (np.maximum(term[1:], term[:-1]) * np.diff(n)).sum())
            if found < _SURELY:
                break
        return found


def _scaled(log_row: Floats, weight: Floats) -> tuple[float, Floats]:
    """log_row less a shift by which the product with ``weight`` is at most 1, exponentiated; 0 where weight is, and
    where that would be larger than any double."""
    with np.errstate(divide="ignore"):
        joint = log_row + np.log(weight)
    shift = float(joint.max())
    row = np.zeros(weight.size)
    held = (weight > 0) & (log_row - shift < _LOG_LARGEST)
    row[held] = np.exp(log_row[held] - shift)
    return shift, row


def _far_values(edge: int, end: int) -> NDArray[np.int64]:
    """Values from ``edge`` to ``end``, all near the edge, then ever fewer."""
    span = abs(end - edge)
    steps = np.arange(min(span, _NEAR_EDGE) + 1)
    if span > _NEAR_EDGE:
        steps = np.concatenate([steps, np.unique(np.geomspace(_NEAR_EDGE + 1, span, _FAR).astype(np.int64))])
    return edge + (1 if end >= edge else -1) * steps


def _variance(leaf: Leaf) -> float:
    at = np.arange(leaf.weight.size)
    return float(leaf.weight @ (at - leaf.weight @ at) ** 2)


def _log_moment(leaf: Leaf, t: float) -> float:
    """log E[e^{t (c - low)}]."""
    reach = t * (leaf.weight.size - 1)
    return max(reach, 0.0) + float(np.log(leaf.weight @ np.exp(t * np.arange(leaf.weight.size) - max(reach, 0.0))))


class _Variables:
    """The log weights of independent c_i, log NB(c; alpha_i) + log L_i(c), and where they matter under a tilt.

    tail: beyond a window the weight is below e^-tail of the largest.
    """

    def __init__(self, prior: tuple[float, ...], total: Total, likelihood: CountwiseLikelihood) -> None:
        self.alpha, self.likelihood, self.ceiling = np.array(prior), likelihood, total.highest
        self.category = np.arange(self.alpha.size)
        self.total = float(self.alpha.sum())
        self.kinks = np.sort(np.clip(likelihood.kinks, 0, self.ceiling), axis=0)
        self.centre = self.kinks[0]
        self.guess = min(max(int(self.centre.sum()), total.lowest, 1), total.highest)
        self.tail = _TAIL
        while self.guess < total.highest:  # h grows like e^{A n / guess}, noise falls like e^{-80 n / width}
            low, high = self.windows(0.0)
            wider = min(int((high - low).max() / _WIDTHS), total.highest)
            if wider <= 1.1 * self.guess or total.highest == total.lowest:
                break
            self.guess = wider

    def width(self) -> float:
        """Numbers in all windows, without a tilt."""
        low, high = self.windows(0.0)
        return float((high - low + 1.0).sum())

    def log_weight(self, counts: NDArray[np.int64], category: NDArray[np.int64], theta: float) -> NDArray[np.float64]:
        """log W_i(c) up to a constant of the variable, for counts and categories that broadcast."""
        law = dirichlet.log_negative_binomial(self.alpha[category], counts.astype(np.float64), self.guess, self.total)
        terms = self.likelihood.log_terms(counts, category)
        return law + terms + theta * (counts - self.centre[category])

    def leaf(self, i: int, low: int, high: int, theta: float) -> Leaf:
        """The weights of one variable in a window, scaled to sum 1."""
        log_weight = self.log_weight(np.arange(low, high + 1), np.array(i), theta)
        weight = np.exp(log_weight - log_weight.max())
        return Leaf(low, weight / weight.sum())

    def log_moment_outside(self, leaves: Sequence[Leaf], theta: float, t: float) -> float:
        """A bound on log E[e^{t sum (c_i - low_i)}; some c_i outside its window], in units of the leaves' mass.

        Leaves may hold less than the windows do. Beyond the window that theta + t makes there is e^-tail of all.
        """
        low, high = np.array([(leaf.low, leaf.high) for leaf in leaves]).T
        peak = np.array([leaf.low + int(leaf.weight.argmax()) for leaf in leaves])
        unit = self.log_weight(peak, self.category, theta) - np.log([leaf.weight.max() for leaf in leaves])

        def between(first: NDArray[np.int64], last: NDArray[np.int64]) -> Floats:
            """A bound on the log mass from ``first`` to ``last``."""
            last_at_least = np.maximum(first, last)
            edges = [first, *np.clip(self.kinks, first, last_at_least), last_at_least]
            def at(counts: NDArray[np.int64]) -> Floats:
                return self.log_weight(counts, self.category, theta) - unit + t * (counts - low)
            most = np.max([at(self._peak(left, right, at)) for left, right in pairwise(edges)], axis=0)
            return np.where(first <= last, most + np.log(np.maximum(last - first + 1.0, 1.0)), -np.inf)

        plain, tilted = self.windows(theta), self.windows(theta + t)
        held = np.logaddexp(np.array([_log_moment(leaf, t) for leaf in leaves]),
                            np.logaddexp(between(plain[0], low - 1), between(high + 1, plain[1])))
        outside = np.logaddexp(between(tilted[0], plain[0] - 1), between(plain[1] + 1, tilted[1]))
        outside = np.logaddexp(outside, np.logaddexp(held, outside) + _LOG_OUTSIDE - self.tail)
        every = np.logaddexp(held, outside)
        return float(every.sum() + np.logaddexp.reduce(outside - every))

    def tilt_to(self, n: int) -> float:
        """theta at which the sum's mean is within a few standard deviations of n; it rises with theta.

        Newton steps; where one leaves the bracket, or there is none yet, the bracket is halved, or its step doubled.
        """
        theta, low, high, step = 0.0, -np.inf, np.inf, 0.0
        for _ in range(200):
            mean, variance, possible = self._moments(theta, n)
            gap = n - mean
            if (possible and abs(gap) <= _NEAR * np.sqrt(variance) + 0.5) or high - low <= 1e-15 * abs(theta):
                break
            low, high = (theta, high) if gap > 0 else (low, theta)
            if np.isfinite(high - low):
                newton = theta + gap / max(variance, 1e-300)
                theta = newton if low < newton < high else (low + high) / 2
            else:
                step = 2 * step or 1 / np.sqrt(max(variance, 1.0))
                theta += np.copysign(step, gap)
        return theta

    def tilt_along(self, slope: Callable[[float], float]) -> float:
        """The theta nearest 0 at which (log h)'(mean of the sum) = theta: there log h(n) + log S(n) is stationary.

        From 0 in the direction of the difference's sign until that changes, then between.
        """
        def excess(theta: float) -> tuple[float, float]:
            mean, variance, _ = self._moments(theta, 0)
            # A cell of next to no spread jumps where its tilt overcomes the noise: no step may pass over that
            return slope(mean) - theta, 1 / np.sqrt(max(variance, 1.0))

        theta, (found, width) = 0.0, excess(0.0)
        step = np.copysign(width / 4, found)
        for _ in range(_STEPS):
            further = theta + step
            beyond, width = excess(further)
            if found * beyond <= 0:
                break
            theta, found, step = further, beyond, 2 * step
        else:
            raise ValueError("No total fits the values, the noise and the prior. Check the scale of the noise, or give "
                             "the number of records.")
        for _ in range(_STEPS):
            if abs(further - theta) <= _TILT_WITHIN * width:
                break
            middle = (theta + further) / 2
            between, width = excess(middle)
            theta, found, further = (middle, between, further) if found * between > 0 else (theta, found, middle)
        return (theta + further) / 2

    def _moments(self, theta: float, n: int) -> tuple[float, float, bool]:
        """Mean and variance of the sum, and whether the windows allow that it is n.

        Each variable is summed over evenly spaced values where its window is wide.
        """
        low, high = self.windows(theta)
        stride = (high - low) // _SAMPLED + 1
        counts = np.minimum(low + np.arange(min(_SAMPLED, int((high - low).max()) + 1))[:, None] * stride, high)
        log_weight = self.log_weight(counts, self.category, theta)
        repeated = np.concatenate([np.zeros((1, low.size), dtype=bool), np.diff(counts, axis=0) == 0])
        weight = np.where(repeated, 0.0, np.exp(log_weight - log_weight.max(axis=0)))
        weight[1:] *= stride  # the first value stands for itself: it may be an edge or a peak at 0
        weight /= weight.sum(axis=0)
        mean = (weight * counts).sum(axis=0)
        possible = bool(low.sum() <= n <= high.sum())
        return float(mean.sum()), float((weight * (counts - mean) ** 2).sum()), possible

    def windows(self, theta: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Per variable the least and largest count whose weight exceeds e^-tail of the largest.

        Between two kinks of the likelihood the log weight is concave (alpha >= 1) or the sum of a convex part and a
        concave one, so that each piece has its largest value at an end or where differences change sign, and few
        changes of direction: the window begins in the first piece that reaches the level, between its left end and its
        peak.
        """
        def at(counts: NDArray[np.int64]) -> NDArray[np.float64]:
            return self.log_weight(counts, self.category, theta)

        edges = [np.zeros_like(self.centre), *self.kinks, self._far_end(at)]
        peaks = np.array([self._peak(low, high, at) for low, high in pairwise(edges)])
        heights = np.array([at(peak) for peak in peaks])
        if not np.isfinite(heights.max(axis=0)).all():
            i = int(np.isinf(heights.max(axis=0)).argmax())
            raise ValueError(f"No count of category {i + 1} agrees with what was published of it and with the total.")
        level = heights.max(axis=0) - self.tail
        reaches = heights >= level
        first, last = reaches.argmax(axis=0), len(peaks) - 1 - reaches[::-1].argmax(axis=0)
        left, right = np.array(edges)[first, self.category], np.array(edges)[last + 1, self.category]
        low = _first_true(left, peaks[first, self.category], lambda c: at(c) >= level)
        high = self.ceiling - _first_true(self.ceiling - right, self.ceiling - peaks[last, self.category],
                                          lambda c: at(self.ceiling - c) >= level)
        return np.where(at(left) >= level, left, low), np.where(at(right) >= level, right, high)

    def _far_end(self, at: Callable[[NDArray[np.int64]], NDArray[np.float64]]) -> NDArray[np.int64]:
        """Beyond the last kink, where the weight is below e^-tail of what it is there: the window ends before."""
        last = self.kinks[-1]
        level, distance, end = at(last) - self.tail, 16, last
        while ((end < self.ceiling) & (at(end) >= level)).any():
            end, distance = np.minimum(last + distance, self.ceiling), 4 * distance
        return end

    @staticmethod
    def _peak(
        low: NDArray[np.int64], high: NDArray[np.int64], at: Callable[[NDArray[np.int64]], NDArray[np.float64]]
    ) -> NDArray[np.int64]:
        """Where the log weight is largest between two kinks, per variable."""
        inner = _first_true(low, high, lambda c: (c >= high) | (at(np.minimum(c + 1, high)) <= at(c)))
        places = np.stack([low, inner, high])
        return np.take_along_axis(places, np.stack([at(c) for c in places]).argmax(axis=0)[None], 0)[0]

    def windows_of_total(self, theta: float, total: Total) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The windows, cut to what the other variables leave of the total."""
        low, high = self.windows(theta)
        rest_low, rest_high = low.sum() - low, high.sum() - high
        return np.maximum(low, total.lowest - rest_high), np.minimum(high, total.highest - rest_low)


CountPosterior = _Listed | TiedCounts


def _first_true(
    low: NDArray[np.int64], high: NDArray[np.int64], holds: Callable[[NDArray[np.int64]], NDArray[np.bool_]]
) -> NDArray[np.int64]:
    """Per element the least whole number in [low, high] from which on ``holds`` is true; it is, at high."""
    while (low < high).any():
        middle = low + (high - low) // 2
        true = holds(middle)
        low, high = np.where(true | (low >= high), low, middle + 1), np.where(true, np.minimum(middle, high), high)
    return low
