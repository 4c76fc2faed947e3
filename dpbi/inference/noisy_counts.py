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
from dpbi.inference.count_posterior import TiedCounts, TreeCounts
from dpbi.inference.count_tree import MeasuredSum
from dpbi.inference.total import Flat, Known, LogUniform, Total, check_total_law
from dpbi.inference.tree_posterior import TreePosterior
from dpbi.mechanisms.likelihood import MeasuredLikelihood
from dpbi.noise import NoiseLaw

Floats = NDArray[np.float64]
Values = tuple[tuple[float | None, ...], ...]

_LOG_FAR, _EDGE = 1000.0, 1e-15  # of a measured total's likelihood; of the probability of the largest total
_LEAST_SD = 1e-150  # of noise that never shows: its square is a double
_MEASUREMENTS = 100  # of a cell, and of sums


@dataclass(frozen=True, eq=False)
class NoisyCountsPosterior(TreePosterior):
    """p(theta, c, n | v) of noisy counts v, or of some of their cells. Made by ``noisy_counts_posterior``.

    prior: (k,); counts: P(c, n | v), with the places of its cells in a row of values; values (m, k), noise (m, k),
    total_law, sums: what it was computed from; whole: for a block, what it is a part of.
    """

    values: Values
    noise: tuple[tuple[NoiseLaw, ...], ...]
    total_law: Total
    sums: tuple[MeasuredSum, ...]
    whole: "NoisyCountsPosterior | None" = field(default=None, repr=False)

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
        places = limits.places("categories", categories, len(self.prior))
        if len(places) < 2:
            raise ValueError(f"categories must be at least 2 for a block: got {len(places)}.")
        wanted = frozenset(self.counts.cells[i] for i in places)
        counts = self.counts.block(wanted) or self._whole._grown(wanted)
        prior = tuple(self.prior[i] for i in sorted(places))
        return NoisyCountsPosterior(prior, counts, self.values, self.noise, self.total_law, self.sums, self._whole)

    @property
    def _whole(self) -> "NoisyCountsPosterior":
        return self if self.whole is None else self.whole

    def _grown(self, cells: frozenset[int]) -> TreeCounts:
        """The counts of these cells, from a tree that has their sum."""
        _check_nested(cells, self.sums)
        nested = (*self.sums, MeasuredSum.unpublished(cells))
        found = _tied(self.prior, self.values, self.noise, self.total_law, nested).block(cells)
        assert found is not None  # the sum was put into the tree
        return found


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
    return NoisyCountsPosterior(alpha, _tied(alpha, table, laws, law, measured), table, laws, law, measured)


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
        cells = limits.places(f"the categories of sums[{j}]", places, k)
        limits.instance(f"the noise of sums[{j}]", law, NoiseLaw, "a law of dpbi.noise")
        number = law.check_value(f"the value of sums[{j}]", value)
        if number is None and law.below is None:
            raise ValueError(f"sums[{j}] tells nothing: its value was withheld without a bound. Leave it out.")
        _check_nested(cells, found)
        found.append(MeasuredSum(cells, number, law))
    return tuple(found)


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

