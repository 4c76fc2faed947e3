"""The posterior that knows about the noise: p(theta | r) = sum_c P(c | r) Dir(theta; alpha + c).

The private posterior Dir(alpha + r) takes the noisy counts r for the true ones and is too sure of itself. The
mechanism, the prior and n are public, so Bayes' rule can be applied to the noise as well; this is post-processing of r
and costs no privacy. The true counts are no argument of anything here.
"""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpbi import limits
from dpbi.frozen_result import frozen
from dpbi.inference.beta_mixture import BetaMixture, Betas, betas_of_known_total, end
from dpbi.inference.count_posterior import CountPosterior, Marginal, blocks_of, count_posterior
from dpbi.inference.tree_posterior import TreePosterior
from dpbi.mechanisms.likelihood import Likelihood, joint_likelihood
from dpbi.mechanisms.mechanism import Mechanism, check_mechanism, check_released
from dpbi.posterior import chunks, dirichlet

_NEGLIGIBLE = 1e-18  # a count this improbable moves no end of an interval in double precision
_DENSE = 20_000_000  # numbers in the dense table of weights
_PAIRS = 4_000_000  # (c, r) that the coverage visits: n = 1,999, or n = 157 with noise on both counts
_LEFT_OUT = 1e-12
_COVERAGE_ERROR = 1e-6  # of the noise-aware intervals, whose coverage is their mass
_TOLERANCE = 1e-12  # of a quantile's probability


@dataclass(frozen=True, eq=False)
class CountMixture(BetaMixture):
    """A mixture of Dirichlet distributions over what the private counts may have been.

    prior, n: public; counts: P(c | what was released).
    """

    prior: tuple[float, ...]
    n: int
    counts: CountPosterior = field(repr=False)

    @property
    def marginals(self) -> tuple[Marginal, ...]:
        """P(c_i = u | r) per category, over the counts u where it is not negligible."""
        return self.counts.marginals

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """P(c_i = u | r) for u = 0..n, (k, n + 1): theta_i is a mixture of Beta(alpha_i + u, A + n - alpha_i - u).

        ValueError where this table has more than 20 million numbers; ``marginals`` has those that are not negligible.
        """
        if (self.n + 1) * len(self.prior) > _DENSE:
            raise ValueError(f"The table of all weights has more than {_DENSE:,} numbers at n = {self.n:,} and "
                             f"k = {len(self.prior)}: use marginals, which leaves out the negligible ones.")
        table = np.zeros((len(self.prior), self.n + 1))
        for row, marginal in zip(table, self.marginals, strict=True):
            row[marginal.counts] = marginal.probability
        return frozen(table)

    @cached_property
    def mean_counts(self) -> NDArray[np.float64]:
        """E[c_i | r], (k,); they sum to n."""
        return frozen(np.array([marginal.mean for marginal in self.marginals]))

    @cached_property
    def mean(self) -> NDArray[np.float64]:
        """E[theta_i | r] = (alpha_i + E[c_i | r]) / (A + n), (k,)."""
        return frozen((np.array(self.prior) + self.mean_counts) / (sum(self.prior) + self.n))

    def sample_counts(self, rng: np.random.Generator, size: int) -> NDArray[np.int64]:
        """Independent draws of c from P(c | r), int64 (size, k)."""
        return self.counts.sample(limits.check_generator(rng), limits.check_size(size, len(self.prior)))

    def sample(self, rng: np.random.Generator, size: int) -> NDArray[np.float64]:
        """Independent draws of theta, (size, k): c from P(c | r), then theta from Dir(alpha + c)."""
        return dirichlet.one_draw_each(np.array(self.prior) + self.sample_counts(rng, size), rng)

    def block(self, categories: Sequence[int]) -> TreePosterior:
        """``blocks`` of one."""
        return self.blocks([categories])[0]

    def blocks(self, categories: Sequence[Sequence[int]]) -> tuple[TreePosterior, ...]:
        """The posteriors of the shares within some categories, theta_i / sum of theta over them, their counts and sum:
        where a table has groups, one node of the tree each, however many people that group may have.

        categories: disjoint sets of places in ``prior``, two at least each. Returns one each, of those in increasing
        order. Raises ValueError for others, and where the mechanism's law is no product over categories.
        """
        wanted = limits.each("categories", categories, "of blocks of places", lambda one: limits.places(
            "categories", one, len(self.prior)), limits.CATEGORIES_LARGEST)  # fmt: skip
        for one in wanted:
            if len(one) < 2:
                raise ValueError(f"categories must be at least 2 for a block: got {len(one)}.")
        if sum(map(len, wanted)) > len(frozenset().union(*wanted)):
            raise ValueError("categories: two blocks share one, and must be disjoint.")
        counts = blocks_of(self.prior, self.n, self._likelihood, wanted)
        return tuple(TreePosterior(tuple(self.prior[i] for i in sorted(one)), of)
                     for one, of in zip(wanted, counts, strict=True))

    @property
    @abstractmethod
    def _likelihood(self) -> Likelihood:
        """P(what was released | c)."""

    def _betas(self, category: int) -> Betas:
        marginal, alpha, rest = self._of(category)
        counts = marginal.counts.astype(np.float64)
        return Betas(marginal.probability, alpha + counts, rest + (self.n - counts))

    def _few_betas(self, category: int) -> Betas:
        marginal, alpha, rest = self._of(category)
        return betas_of_known_total(marginal.counts, marginal.probability, self.n, alpha, rest)

    def _of(self, category: int) -> tuple[Marginal, float, float]:
        """P(c_i | r) without what is negligible, alpha_i, and the sum of the others."""
        rest = sum(alpha for j, alpha in enumerate(self.prior) if j != category)
        return self.marginals[category].trimmed(_NEGLIGIBLE), self.prior[category], rest


@dataclass(frozen=True, eq=False)
class NoiseAwarePosterior(CountMixture):
    """p(theta | r), a mixture over what the private counts may have been.

    mechanism, prior, n, released: what it was computed from. Made by ``noise_aware_posterior``.
    """

    mechanism: Mechanism
    released: tuple[int, ...]

    @property
    def _likelihood(self) -> Likelihood:
        return self.mechanism.likelihood(self.prior, self.n, self.released)


@dataclass(frozen=True, eq=False)
class JointPosterior(CountMixture):
    """p(theta | r_1, r_2, ...): as one release's, from several of the same data. Made by ``joint_posterior``."""

    releases: tuple[tuple[Mechanism, tuple[int, ...]], ...]

    @property
    def _likelihood(self) -> Likelihood:
        return joint_likelihood([mechanism.likelihood(self.prior, self.n, r) for mechanism, r in self.releases])


def noise_aware_posterior(mechanism: Mechanism, prior: ArrayLike, n: int, released: ArrayLike) -> NoiseAwarePosterior:
    """p(theta | r) = sum_c P(c | r) Dir(theta; alpha + c), P(c | r) proportional to P(c) P(r | c).

    P(c) is the Dirichlet-multinomial prior predictive, P(r | c) the mechanism's law. Where the noise falls on each
    count alone, any k: one-dimensional convolutions over windows as wide as the noise. Where P(r | c) needs a
    normalising sum for every c, the datasets are listed.
    mechanism, prior (k,) and n: public; released: r, (k,), as the mechanism released it.
    Returns the posterior: ``weights``, ``mean``, ``interval``, ``density``, ``cumulative``, ``sample``.
    Raises ValueError for a release that this mechanism cannot make, and where the windows or the list are too large.
    Source: ours; for the idea, Bernstein and Sheldon 2018, whose Gibbs sampler this replaces by exact sums.
    """
    prior, n = limits.check_prior(prior), limits.check_total(n)
    return posterior_given(mechanism, prior, n, check_released(mechanism, len(prior), n, released))


def posterior_given(
    mechanism: Mechanism, prior: tuple[float, ...], n: int, r: tuple[int, ...]
) -> NoiseAwarePosterior:
    """``noise_aware_posterior`` of what is checked or was drawn."""
    counts = count_posterior(prior, n, mechanism.likelihood(prior, n, r))
    return NoiseAwarePosterior(prior, n, counts, mechanism, r)


def joint_posterior(
    prior: ArrayLike, n: int, releases: Iterable[tuple[Mechanism, ArrayLike]]
) -> JointPosterior:
    """p(theta | r_1, r_2, ...) = sum_c P(c | r_1, r_2, ...) Dir(theta; alpha + c), from releases of the same data.

    The draws are independent given c, so P(c | r_1, ...) is proportional to P(c) prod_j P(r_j | c). Countwise
    likelihoods multiply countwise, at any n; with a listed one among them all datasets are listed. The privacy losses
    of the releases add up, whether they are read together or not.
    prior (k,) and n: public, those that every release was made under; releases: pairs (mechanism, released), one at
    least. Returns what ``noise_aware_posterior`` does.
    Raises ValueError as that does, naming the release, and where there is none.
    Source: ours; Bayes' rule.
    """
    prior, n = limits.check_prior(prior), limits.check_total(n)
    read: list[tuple[Mechanism, tuple[int, ...]]] = []
    likelihoods: list[Likelihood] = []
    for pair in limits.sequence("releases", releases, "of pairs (mechanism, released)"):
        mechanism, released = limits.pair("releases", pair, "(mechanism, released)")
        try:
            r = check_released(mechanism, len(prior), n, released)
            likelihoods.append(mechanism.likelihood(prior, n, r))
        except ValueError as refusal:
            raise ValueError(f"releases: number {len(read) + 1} is refused. {limits.opened(str(refusal))}") from None
        read.append((mechanism, r))
    if not read:
        raise ValueError("releases must hold at least one release: got none.")
    return JointPosterior(prior, n, count_posterior(prior, n, joint_likelihood(likelihoods)), tuple(read))


@dataclass(frozen=True)
class Coverage:
    """How often intervals for theta_1 hold it, and their mean width, over the prior predictive.

    naive: the interval of Dir(alpha + r); noise_aware: of p(theta | r).
    """

    naive: float
    noise_aware: float
    naive_width: float
    noise_aware_width: float


def coverage(mechanism: Mechanism, prior: ArrayLike, n: int, mass: float = 0.95) -> Coverage:
    """P(theta_1 in I(r)) for theta ~ prior, c ~ theta, r ~ mechanism, and E[width of I(r)], for k = 2.

    sum_r sum_c P(c) P(r | c) P(theta_1 in I(r) | c), theta_1 | c ~ Beta(alpha_1 + c_1, alpha_2 + c_2): exact but for
    releases of total probability below 1e-12, which are left out. No private count enters.
    mechanism; prior (2,); n; mass in (0, 1) of the equal-tailed intervals.
    Returns both coverages and widths. Raises ValueError unless k = 2, where pairs (c, r) are too many, and where theta
    lies so near 0 or 1 that its quantiles have no double: the noise-aware coverage, which is the mass, then is not.
    Source: ours.
    """
    prior, n = limits.check_prior(prior), limits.check_total(n)
    tail = (1 - limits.inside("mass", mass)) / 2
    if len(prior) != 2:
        raise ValueError(f"The coverage is computed for k = 2 categories: got k = {len(prior)}.")
    listed = check_mechanism(mechanism).listing(prior, n, _PAIRS)
    if listed is None:
        raise ValueError(f"The coverage visits all pairs of counts and releases, at most {_PAIRS:,}: n = {n:,} needs "
                         "more.")
    datasets, released = listed.datasets, listed.released
    joint = (np.exp(dirichlet.log_predictive(np.array(prior), datasets))[:, None] * listed.law).T
    kept = _but_rarest(joint.sum(axis=1))
    released, joint = released[kept], joint[kept]
    a, b = (np.array(prior) + datasets).T
    low, high = dirichlet.interval(np.array(prior) + released, mass, category=0)
    known = joint / joint.sum(axis=1, keepdims=True)
    aware_low, aware_high = _lower_ends(known, a, b, tail), dirichlet.one_less(_lower_ends(known, b, a, tail), 1.0)
    weight = joint.sum(axis=1)
    aware = float(_mixtures(joint, a, b, aware_high).sum() - _mixtures(joint, a, b, aware_low).sum())
    if not abs(aware / weight.sum() - mass) <= _COVERAGE_ERROR:
        raise ValueError(f"Under the prior {prior} with n = {n:,} records the share lies so near 0 or 1 that the ends "
                         f"of its intervals cannot be told from it: coverage cannot be computed for mass {mass:g}.")
    return Coverage(
        float(_mixtures(joint, a, b, high).sum() - _mixtures(joint, a, b, low).sum()),
        aware,
        float(weight @ (high - low)),
        float(weight @ (aware_high - aware_low)),
    )


def _but_rarest(probability: NDArray[np.float64]) -> NDArray[np.int64]:
    """The indices without the least probable ones, of total probability below 1e-12."""
    order = np.argsort(probability, kind="stable")
    return np.sort(order[np.cumsum(probability[order]) >= _LEFT_OUT])


def _mixtures(share: NDArray, a: NDArray, b: NDArray, x: NDArray) -> NDArray[np.float64]:
    """sum_c share[r, c] P(Beta(a_c, b_c) <= x_r), (R,)."""
    total = np.empty(x.size)
    for rows in chunks(x.size, a.size):
        total[rows] = (share[rows] * dirichlet.incomplete_beta(a, b, x[rows, None])).sum(axis=1)
    return total


def _lower_ends(share: NDArray, a: NDArray, b: NDArray, tail: float) -> NDArray[np.float64]:
    """Per row of shares the x with P(mixture <= x) = tail or just below: on a grid, then by the Illinois rule."""
    wanted = dirichlet.surely_beyond(a, b, tail)
    grid = np.sin(np.linspace(0, np.pi / 2, 513)) ** 2
    above = share @ dirichlet.incomplete_beta(a[:, None], b[:, None], grid) - wanted
    right = np.maximum((above < 0).sum(axis=1), 1)
    rows = np.arange(len(share))
    other, x = grid[right - 1], grid[right]
    y_other, y = above[rows, right - 1], above[rows, right]
    for _ in range(60):
        rough = np.flatnonzero(np.abs(y) > _TOLERANCE)
        if not rough.size:
            break
        new = x[rough] - y[rough] * (x[rough] - other[rough]) / (y[rough] - y_other[rough])
        y_new = _mixtures(share[rough], a, b, new) - wanted
        crossed = y_new * y[rough] < 0
        other[rough] = np.where(crossed, x[rough], other[rough])
        y_other[rough] = np.where(crossed, y[rough], y_other[rough] / 2)
        x[rough], y[rough] = new, y_new
    # Too steep for the rule: near 0 under a tiny prior. Near 1 no double may be nearer.
    for row in np.flatnonzero((np.abs(y) > _TOLERANCE) & (x <= grid[1])):
        x[row] = end(share[row], a, b, tail, 0.0)
    return dirichlet.outwards(x, 0.0, lambda x, some: _mixtures(share[some], a, b, x) - tail, rows)
