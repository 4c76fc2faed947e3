"""The shares of some cells of a tree of counts whose sum may be open: all cells of a table, or a block of it.

theta_i = the share of cell i among these cells is Beta(alpha_i + c_i, A - alpha_i + n - c_i) given their counts c and
sum n, so that under P(c, n | what was published) it is a mixture over both.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dpbi import limits
from dpbi.frozen_result import FrozenResult, frozen
from dpbi.inference.beta_mixture import BetaMixture, Betas, CountLaw, betas_of_known_total, few, places_to_test
from dpbi.inference.count_posterior import Marginal, TreeCounts
from dpbi.inference.count_tree import correlated
from dpbi.posterior import dirichlet
from dpbi.posterior.hellinger import sums_of_others

Floats = NDArray[np.float64]

_LISTED = 200_000  # parts of a mixture over one count, that are summed one by one
_NEGLIGIBLE = 1e-18  # a count or total this improbable moves no end of an interval in double precision
_TABLE = 20_000_000  # numbers in the joint law of a count and the total


@dataclass(frozen=True, eq=False)
class _Summary(FrozenResult):
    mean: Floats
    sd: Floats
    marginals: tuple[Marginal, ...]


@dataclass(frozen=True, eq=False)
class TreePosterior(BetaMixture):
    """p(theta, c, n | what was published) of the cells of a tree, n their sum.

    prior: (k,) of these cells; counts: P(c, n | what was published).
    """

    prior: tuple[float, ...]
    counts: TreeCounts = field(repr=False)

    @property
    def error(self) -> float:
        """A bound on the error of any probability: 1e-9 at most, else the posterior is refused."""
        return self.counts.error

    @property
    def total(self) -> Marginal:
        """P(n | v), n the sum of these cells."""
        return self.counts.total

    @property
    def marginals(self) -> tuple[Marginal, ...]:
        """P(c_i = u | v) per category, over the counts u where it is not negligible."""
        return self._summary.marginals

    @property
    def mean(self) -> Floats:
        """E[theta_i | v], (k,)."""
        return self._summary.mean

    @property
    def sd(self) -> Floats:
        """The standard deviation of theta_i given v, (k,)."""
        return self._summary.sd

    @cached_property
    def mean_counts(self) -> Floats:
        """E[c_i | v], (k,)."""
        return frozen(np.array([marginal.mean for marginal in self.marginals]))

    @cached_property
    def _summary(self) -> _Summary:
        """One pass over the tree.

        With N = A + n, Var theta_i = E[((a - m N)^2 + (1 - 2 m)(a - m N) + m (1 - m) N) / (N (N + 1))], a = alpha_i +
        c_i and m = E[a / N]: nothing large is subtracted. With N = B + nu all of it, and h and h / N too, follow from
        the rows h nu^j / (N (N + 1)), j = 0, 1, 2.
        """
        tree, row = self.counts.tree, np.array(self.counts.row)
        empty = 0.0
        if tree.root.low == 0 and row.size > 1:
            # n = 0, where N may be next to nothing: theta has its prior, and is added at the end
            empty, row[0] = float(self.total.probability[0]), 0.0
        centre = round(self.total.mean)
        base, nu = float(np.sum(self.prior)) + centre, (tree.root.values - centre).astype(np.float64)
        unit = max(float(np.abs(nu).max()), 1.0)
        nu = nu / unit
        rows = row / ((base + unit * nu) * (base + unit * nu + 1))
        # Of a known total nu is 0
        rows = rows[None] if nu.size == 1 else np.stack([rows, rows * nu, rows * nu**2])
        found: dict[int, tuple[float, float, Marginal]] = {}
        alphas, others = (dict(zip(self.counts.cells, of, strict=True)) for of in (self.prior, self._others.tolist()))
        for i, leaf, messages in tree.messages(rows):
            joint = leaf.weight * messages
            r = np.concatenate([joint, np.zeros((3 - len(joint), leaf.weight.size))])
            plain = base * (base + 1) * r[0] + (2 * base + 1) * unit * r[1] + unit**2 * r[2]
            marginal = np.maximum(plain, 0.0)
            middle = leaf.low + int(plain.argmax())
            delta = (leaf.low - middle + np.arange(leaf.weight.size)).astype(np.float64)
            m, variance = _moments(r, base, unit, alphas[i] + middle + delta, 0.0)
            if m > 0.5:  # 1 - theta_i has digits that theta_i has not
                variance = _moments(r, base, unit, others[i] + (centre - middle) - delta, 1.0)[1]
            marginal = marginal * ((1 - empty) / max(marginal.sum(), np.finfo(float).tiny))
            if empty:
                marginal[0] += empty
                own = alphas[i] / (alphas[i] + others[i])
                mixed = (1 - empty) * m + empty * own
                m, variance = mixed, ((1 - empty) * (variance + (m - mixed) ** 2) + empty * (
                    own * (1 - own) / (alphas[i] + others[i] + 1) + (own - mixed) ** 2))
            found[i] = m, float(np.sqrt(max(variance, 0.0))), Marginal(leaf.low, marginal)
        means, sds, marginals = zip(*(found[i] for i in sorted(found)), strict=True)
        return _Summary(np.array(means), np.array(sds), marginals)

    def sample_counts(self, rng: np.random.Generator, size: int) -> NDArray[np.int64]:
        """Independent draws of c from P(c | v), int64 (size, k)."""
        return self.counts.sample(limits.check_generator(rng), limits.check_size(size, len(self.prior)))

    def sample(self, rng: np.random.Generator, size: int) -> Floats:
        """Independent draws of theta, (size, k): c from P(c | v), then theta from Dir(alpha + c)."""
        return dirichlet.one_draw_each(np.array(self.prior) + self.sample_counts(rng, size), rng)

    @cached_property
    def _others(self) -> Floats:
        """The sum of the prior's parameters of all other categories, (k,)."""
        return frozen(sums_of_others(np.array(self.prior)))

    # Shares

    @cached_property
    def _known(self) -> dict[int, Betas]:
        return {}

    def _betas(self, category: int) -> Betas:
        if category not in self._known:
            self._known[category] = self._mixture(category)
        return self._known[category]

    def _few_betas(self, category: int) -> Betas:
        if self.total.probability.size > 1:
            return self._betas(category)
        marginal, alpha, rest = self._of(category)
        return betas_of_known_total(marginal.counts, marginal.probability, self.total.first, alpha, rest)

    def _of(self, category: int) -> tuple[Marginal, float, float]:
        """P(c_i | v) without what is negligible, alpha_i, and the sum of the others."""
        return self.marginals[category].trimmed(_NEGLIGIBLE), self.prior[category], float(self._others[category])

    def _mixture(self, category: int) -> Betas:
        marginal, alpha, rest = self._of(category)
        if self.total.probability.size == 1:
            if marginal.counts.size > _LISTED:
                return self._few_betas(category)
            c = marginal.counts.astype(np.float64)
            return Betas(marginal.probability, alpha + c, rest + (self.total.first - c))
        cell, tests = self.counts.cells[category], places_to_test(self.mean[category], self.sd[category])
        total = self.total.trimmed(_NEGLIGIBLE)
        if self.counts.tree.is_measured_above(cell):
            return self._of_measured(cell, marginal, total, alpha, rest, tests)
        return self._of_rest(cell, marginal, total, alpha, rest, tests)

    def _of_rest(
        self, cell: int, marginal: Marginal, total: Marginal, alpha: float, rest: float, tests: Floats
    ) -> Betas:
        """By the count c and the sum r of all others: P(c, r) is proportional to W(c) S(r) h(c + r)."""
        tree, row, c = self.counts.tree, self.counts.row, marginal.counts
        r = np.arange(max(int(total.counts[0] - c[-1]), 0), total.counts[-1] - c[0] + 1)
        weight, others = tree.against(cell, c, r)
        n = c[0] + r[0] + np.arange(c.size + r.size - 1) - tree.root.low
        h = np.where((n >= 0) & (n < row.size), row[np.clip(n, 0, row.size - 1)], 0.0)
        of_rest = others * correlated(weight[None], h, r.size)[0]
        return few((CountLaw(c, marginal.probability), CountLaw(r, of_rest)),
                   lambda f, g: correlated(f * weight, h, r.size) @ (g * others).T,
                   lambda c, r: (alpha + c, rest + r), tests)

    def _of_measured(
        self, cell: int, marginal: Marginal, total: Marginal, alpha: float, rest: float, tests: Floats
    ) -> Betas:
        """By the count c and the total n, where c may be at most n; else by c and n - c from their whole table."""
        tree, row, c, n = self.counts.tree, self.counts.row, marginal.counts, total.counts
        inside = slice(int(n[0]) - tree.root.low, int(n[-1]) - tree.root.low + 1)

        def messages(weights: Floats) -> Floats:
            rows = np.zeros((len(weights), row.size))
            rows[:, inside] = row[inside] * weights
            ((_, leaf, found),) = tree.messages(rows, frozenset([cell]))
            return (leaf.weight * found)[:, c[0] - leaf.low:c[-1] - leaf.low + 1]

        of_count = CountLaw(c, marginal.probability)
        if n[0] >= c[-1]:
            return few((of_count, CountLaw(n, total.probability)), lambda f, g: f @ messages(g).T,
                       lambda c, n: (alpha + c, rest + (n - c)), tests)
        limits.check_numbers("The joint law of a count and the total", c.size * n.size, _TABLE)
        table = np.zeros((c.size, n.size + c.size))
        table[np.arange(c.size)[:, None], np.arange(n.size) + np.arange(c.size)[::-1, None]] = messages(
            np.eye(n.size)).T
        r = n[0] - c[-1] + np.arange(table.shape[1])
        table, r = np.maximum(table[:, r >= 0], 0.0), r[r >= 0]
        return few((of_count, CountLaw(r, table.sum(axis=0))), lambda f, g: f @ table @ g.T,
                   lambda c, r: (alpha + c, rest + r), tests)


def _moments(r: Floats, base: float, unit: float, a: Floats, of_nu: float) -> tuple[float, float]:
    """Mean and variance of (a + of_nu nu) / N, N = base + nu: theta_i with of_nu = 0, 1 - theta_i with 1; r: rows of
    weights, of 1, nu / unit and its square, over N (N + 1)."""
    norm = base * (base + 1) * r[0].sum() + (2 * base + 1) * unit * r[1].sum() + unit**2 * r[2].sum()
    m = float((((base + 1) * r[0] + unit * r[1]) @ a
               + of_nu * ((base + 1) * unit * r[1] + unit**2 * r[2]).sum()) / norm)
    e, f = a - m * base, of_nu - m
    return m, float(((e**2 + (1 - 2 * m) * e + m * (1 - m) * base) @ r[0]
                     + unit * (2 * e * f + (1 - 2 * m) * f + m * (1 - m)) @ r[1] + (f * unit) ** 2 * r[2].sum()) / norm)
