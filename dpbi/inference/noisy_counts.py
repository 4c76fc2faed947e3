"""Noisy counts that somebody else published, read with their noise: the posterior of shares, counts and total.

Values v_i are true counts c_i plus independent noise of a stated law; some may be negative, cut at 0 or withheld. With
n = sum c known, measured too, or under a law of its own, p(theta, c, n | v) is exact: ``TiedCounts``. Nothing private
is read, and nothing here costs privacy.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpbi import limits, noise as noise_laws
from dpbi.frozen_result import FrozenResult, frozen
from dpbi.inference.beta_mixture import BetaMixture, Betas, CountLaw, betas_of_known_total, few, places_to_test
from dpbi.inference.count_posterior import Marginal, TiedCounts, TreeCounts
from dpbi.inference.count_tree import MeasuredSum, correlated
from dpbi.inference.total import Flat, Known, LogUniform, Total, check_total_law
from dpbi.mechanisms.likelihood import MeasuredLikelihood
from dpbi.noise import NoiseLaw
from dpbi.posterior import dirichlet

Floats = NDArray[np.float64]
Values = tuple[tuple[float | None, ...], ...]

_LISTED = 200_000  # parts of a mixture over one count, that are summed one by one
_NEGLIGIBLE = 1e-18  # a count or total this improbable moves no end of an interval in double precision
_TABLE = 20_000_000  # numbers in the joint law of a count and the total
_LOG_FAR, _EDGE = 1000.0, 1e-15  # of a measured total's likelihood; of the probability of the largest total
_LEAST_SD = 1e-150  # of noise that never shows: its square is a double
_MEASUREMENTS = 100  # of a cell, and of sums


@dataclass(frozen=True, eq=False)
class _Summary(FrozenResult):
    mean: Floats
    sd: Floats
    marginals: tuple[Marginal, ...]


@dataclass(frozen=True, eq=False)
class NoisyCountsPosterior(BetaMixture):
    """p(theta, c, n | v) of noisy counts v, or of some of their cells. Made by ``noisy_counts_posterior``.

    prior: (k,); values (m, k), noise (m, k), total_law, sums: what it was computed from; counts: P(c, n | v), with the
    places of its cells in a row of values; whole: for a block, what it is a part of.
    """

    prior: tuple[float, ...]
    values: Values
    noise: tuple[tuple[NoiseLaw, ...], ...]
    total_law: Total
    sums: tuple[MeasuredSum, ...]
    counts: TreeCounts = field(repr=False)
    whole: "NoisyCountsPosterior | None" = field(default=None, repr=False)

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
        alphas, others = dict(zip(self.counts.cells, self.prior, strict=True)), self._others
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

    @property
    def _others(self) -> dict[int, float]:
        """By cell, the sum of the prior's parameters of all others."""
        return {cell: float(np.sum([alpha for j, alpha in enumerate(self.prior) if j != i]))
                for i, cell in enumerate(self.counts.cells)}

    @cached_property
    def misfit(self) -> float:
        """How far the values are from what is believed of the counts, in standard deviations of the noise.

        The largest of |v_i - E[c_i | v]| over the published values that were not cut, of |sum_i (v_i - E[c_i | v])| of
        a row of them, and of the same for measured sums. Above 5 or so the values are not what this noise makes of
        counts that sum to n. 0 where nothing can be compared.
        """
        mean = np.full(len(self.noise[0]), np.nan)
        mean[list(self.counts.cells)] = self.mean_counts
        compared = [[(value - mean[i], law.sd) for i, (value, law) in enumerate(zip(row, laws, strict=True))
                     if value is not None and _is_comparable(value, law)]
                    for row, laws in zip(self.values, self.noise, strict=True)]
        compared += [[(one.value - mean[list(one.cells)].sum(), one.law.sd)] for one in self.sums
                     if one.value is not None and _is_comparable(one.value, one.law)]
        found = [0.0]
        for row in compared:
            gaps, sds = np.array([pair for pair in row if not np.isnan(pair[0])]).reshape(-1, 2).T
            sds = np.maximum(sds, _LEAST_SD)
            if gaps.size:
                found += [float((np.abs(gaps) / sds).max()), abs(float(gaps.sum())) / float(np.linalg.norm(sds))]
        return max(found)

    def block(self, categories: Sequence[int]) -> "NoisyCountsPosterior":
        """The posterior of the shares within some categories: theta_i / sum of theta over them, their counts and sum.

        categories: places in ``prior``, two at least. Returns what this is, of those in increasing order.
        Raises ValueError for other categories, and for ones that a measured sum holds in part.
        """
        places = _places("categories", categories, len(self.prior))
        if len(places) < 2:
            raise ValueError(f"categories must be at least 2 for a block: got {len(places)}.")
        wanted = frozenset(self.counts.cells[i] for i in places)
        counts = self.counts.block(wanted) or self._whole._grown(wanted)
        prior = tuple(self.prior[i] for i in sorted(places))
        return NoisyCountsPosterior(prior, self.values, self.noise, self.total_law, self.sums, counts, self._whole)

    @property
    def _whole(self) -> "NoisyCountsPosterior":
        return self if self.whole is None else self.whole

    def _grown(self, cells: frozenset[int]) -> TreeCounts:
        """The counts of these cells, from a tree that has their sum."""
        _check_nested(cells, self.sums)
        nested = (*self.sums, MeasuredSum(cells, None, noise_laws.Exact()))  # of which nothing was published
        found = _tied(self.prior, self.values, self.noise, self.total_law, nested).block(cells)
        assert found is not None  # the sum was put into the tree
        return found

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
        marginal = self.marginals[category].trimmed(_NEGLIGIBLE)
        rest = float(np.sum([other for i, other in enumerate(self.prior) if i != category]))
        return betas_of_known_total(marginal.counts, marginal.probability, self.total.first, self.prior[category], rest)

    def _mixture(self, category: int) -> Betas:
        marginal = self.marginals[category].trimmed(_NEGLIGIBLE)
        alpha = self.prior[category]
        rest = float(np.sum([other for i, other in enumerate(self.prior) if i != category]))
        if self.total.probability.size == 1 and marginal.counts.size <= _LISTED:
            c = marginal.counts.astype(np.float64)
            return Betas(marginal.probability, alpha + c, rest + (self.total.first - c))
        if self.total.probability.size == 1:
            return betas_of_known_total(marginal.counts, marginal.probability, self.total.first, alpha, rest)
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


def noisy_counts_posterior(
    prior: Any, values: Any, noise: Any, total: Any, sums: Iterable[Any] = ()
) -> NoisyCountsPosterior:
    """p(theta, c, n | v) proportional to p(n) P(c | n) prod_i P(v_i | c_i), P(c | n) Dirichlet-multinomial.

    Exact: one-dimensional convolutions over windows as wide as the noise, joined in a tree.
    prior: alpha, (k,). values: v, (k,), or (m, k) of several measurements: numbers, negative ones too, None where a
    cell was withheld. noise: one law of ``dpbi.noise`` for all, or one a cell, (k,) or (m, k). total: the number of
    records, or ``Flat()``, ``LogUniform()`` (each with ``largest`` or without) or ``Poisson(mean)``. sums: measured
    sums of cells, (places, value, law): of any two that share a cell one holds the other. A noisy total is one of all.
    Returns ``NoisyCountsPosterior``: mean, sd, interval, density, cumulative, sample, marginals, total, block, misfit.
    Raises ValueError for values that a law cannot publish, where cells and total together leave the posterior improper,
    where the windows take more than 500 MB, and where the error cannot be held below 1e-9.
    Source: ours (README, "Noisy counts"); independent cells given their sum as in Bernstein and Sheldon 2018, whose
    Gibbs sampler this replaces.
    """
    alpha = limits.check_prior(prior)
    table, laws = _checked_values(values, noise, len(alpha))
    law = check_total_law(total)
    law, measured = _without_exact_total(law, _checked_sums(sums, len(alpha)), len(alpha))
    _check_proper(alpha, table, laws, law, measured)
    return NoisyCountsPosterior(alpha, table, laws, law, measured, _tied(alpha, table, laws, law, measured))


def _without_exact_total(
    law: Total, sums: tuple[MeasuredSum, ...], k: int
) -> tuple[Total, tuple[MeasuredSum, ...]]:
    """A total published without noise is a known one."""
    for one in sums:
        if len(one.cells) == k and one.value is not None and isinstance(one.law, noise_laws.Exact):
            n = int(one.value)
            if not np.isfinite(law.log_probability(np.array([n]))).all():
                raise ValueError(f"The sum of all categories was published as {n:,}, which the total excludes: {law}.")
            return _without_exact_total(Known(n), tuple(other for other in sums if other is not one), k)
    return law, sums


def _tied(
    prior: tuple[float, ...], values: Values, noise: tuple[tuple[NoiseLaw, ...], ...], total: Total,
    sums: Sequence[MeasuredSum],
) -> TiedCounts:
    numbers = np.array([[np.nan if value is None else value for value in row] for row in values])
    likelihood = MeasuredLikelihood(numbers, noise)
    if (near := _near(total, sums, len(prior))) is not None:
        # A cell of which nothing is known is then as narrow as the total; unless that lies at the end after all
        with suppress(ValueError):
            found = TiedCounts(prior, near, likelihood, sums)
            if found.tree.root.high < near.highest or found.total.probability[-1] < _EDGE:
                return found
    return TiedCounts(prior, total, likelihood, sums)


def _near(total: Total, sums: Sequence[MeasuredSum], k: int) -> Total | None:
    """An open total up to where what was measured of it is e^-1000 as probable as where it is most; None where nothing
    was."""
    measured = [one for one in sums if len(one.cells) == k and one.value is not None]
    if not measured or not isinstance(total, Flat | LogUniform):
        return None
    ends = []
    for one in measured:
        peak = np.array([max(round(one.value or 0), 0)])
        distance = 1
        while (one.log_factor(peak + distance) > one.log_factor(peak) - _LOG_FAR).any():
            distance *= 2
        ends.append(int(peak[0]) + distance)
    return total.up_to(min(ends))


def _is_comparable(value: float, law: NoiseLaw) -> bool:
    """Whether a published value has noise, and was not cut."""
    return not isinstance(law, noise_laws.Exact) and not (value == 0 and law.floor is not None)


def _checked_values(values: Any, noise: Any, k: int) -> tuple[Values, tuple[tuple[NoiseLaw, ...], ...]]:
    rows = limits.sequence("values", values, "of one number per category, None where withheld", limits.ENTRIES_LARGEST)
    nested = bool(rows) and all(isinstance(row, list | tuple | np.ndarray) for row in rows)
    table = [limits.sequence("values", row, "of numbers") for row in (rows if nested else [rows])]
    if not 1 <= len(table) <= _MEASUREMENTS:
        raise ValueError(f"values may hold at most {_MEASUREMENTS} measurements of a cell: got {len(table)}.")
    for row in table:
        if len(row) != k:
            raise ValueError(f"values must have one entry for each of the {k} categories of the prior: got {len(row)}.")
    laws = _checked_laws(noise, len(table), k)
    return tuple(tuple(law.check_value(f"values[{j}][{i}]" if nested else f"values[{i}]", value)
                       for i, (value, law) in enumerate(zip(row, own, strict=True)))
                 for j, (row, own) in enumerate(zip(table, laws, strict=True))), laws


def _checked_laws(noise: Any, m: int, k: int) -> tuple[tuple[NoiseLaw, ...], ...]:
    if isinstance(noise, NoiseLaw):
        return ((noise,) * k,) * m
    rows = limits.sequence("noise", noise, "of laws of dpbi.noise, one a category", limits.ENTRIES_LARGEST)
    nested = bool(rows) and not any(isinstance(row, NoiseLaw) for row in rows)
    table = tuple(limits.sequence("noise", row, "of laws of dpbi.noise") for row in rows) if nested else (rows,) * m
    if len(table) != m or any(len(row) != k for row in table):
        raise ValueError(f"noise must be one law, or one for each of the {k} categories"
                         + (f" in each of the {m} rows of values." if m > 1 else f": got {len(table[0])}."))
    for row in table:
        for i, law in enumerate(row):
            limits.instance(f"noise[{i}]", law, NoiseLaw, "a law of dpbi.noise, such as TwoSidedGeometric(scale)")
    return table


def _checked_sums(sums: Iterable[Any], k: int) -> tuple[MeasuredSum, ...]:
    found: list[MeasuredSum] = []
    for j, one in enumerate(limits.sequence("sums", sums, "of (categories, value, noise)", limits.CATEGORIES_LARGEST)):
        try:
            places, value, law = one
        except (TypeError, ValueError):
            raise ValueError(f"sums[{j}] must be (categories, value, noise).") from None
        cells = _places(f"the categories of sums[{j}]", places, k)
        limits.instance(f"the noise of sums[{j}]", law, NoiseLaw, "a law of dpbi.noise")
        number = law.check_value(f"the value of sums[{j}]", value)
        if number is None and law.below is None:
            raise ValueError(f"sums[{j}] tells nothing: its value was withheld without a bound. Leave it out.")
        _check_nested(cells, found)
        found.append(MeasuredSum(cells, number, law))
    return tuple(found)


def _places(name: str, categories: Any, k: int) -> frozenset[int]:
    listed = limits.sequence(name, categories, "of places", limits.CATEGORIES_LARGEST)
    return frozenset(limits.whole_number(f"{name}[{j}]", place, 0, k - 1) for j, place in enumerate(listed))


def _check_nested(cells: frozenset[int], others: Iterable[MeasuredSum]) -> None:
    for other in (one.cells for one in others):
        if cells & other and not (cells <= other or other <= cells):
            raise ValueError(f"Two sums share category {min(cells & other) + 1} and neither holds the other: crossed "
                             "sums, such as those of rows and of columns, cannot be read together. Leave one out.")


def _check_proper(
    prior: tuple[float, ...], values: Values, noise: tuple[tuple[NoiseLaw, ...], ...], total: Total,
    sums: Sequence[MeasuredSum],
) -> None:
    """Where cells tell nothing p(n | v) falls like n^-(decay + A - alpha_M), which must have a sum."""
    informed = {i for row, laws in zip(values, noise, strict=True) for i, (value, law) in enumerate(
        zip(row, laws, strict=True)) if value is not None or law.below is not None}
    silent = set(range(len(prior))) - informed - {i for one in sums for i in one.cells}
    if not silent or np.isinf(total.decay):
        return
    known = float(np.sum([alpha for i, alpha in enumerate(prior) if i not in silent]))
    if total.decay + known <= 1:
        raise ValueError(
            f"The total is open and {len(silent)} of the cells tell nothing, so that ever larger totals remain as "
            "probable: the posterior is improper. Give the number of records, a largest total, or the threshold below "
            "which cells were withheld.")

