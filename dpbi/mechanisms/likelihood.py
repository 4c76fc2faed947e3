"""What a released vector says about the private counts: log P(r | c) as a function of c, for one public r.

A mechanism answers with one of two kinds. Countwise: the likelihood is a product over categories, as where the noise
falls on each count alone, of any n and k; ``log_terms`` are the terms of categories at counts, broadcast, each below
inf, and between its ``kinks``, (kinks, k), every term is linear or concave. Listed: every dataset has its own
value. Neither has seen the true counts. Counts that somebody else published are countwise too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dpbi.frozen_result import FrozenResult, frozen
from dpbi.mechanisms.noise.law import IntegerNoise, ceilings, cut_log_pmf
from dpbi.noise import Formula, NoiseLaw


@dataclass(frozen=True, eq=False)
class CutNoiseLikelihood(FrozenResult):
    """log P(r | c) = sum over noised i of log P(cut(c_i + D) = r_i): one term a category.

    noise: law of D; n: public total; released: r, (k,); noised: how many of the first categories carry noise;
    consistent: each count is cut to what the earlier ones left instead of to n. What is left is a function of r, so
    even then a term looks at its own c_i only. The category without noise adds nothing: it is a function of the
    other r.
    """

    noise: IntegerNoise
    n: int
    released: tuple[int, ...]
    noised: int
    consistent: bool

    @property
    def kinks(self) -> NDArray[np.int64]:
        return np.array([self.released])

    def log_terms(self, counts: NDArray[np.int64], category: NDArray[np.int64]) -> NDArray[np.float64]:
        released, ceiling = np.array(self.released)[category], self._ceilings[category]
        return np.where(category < self.noised, cut_log_pmf(self.noise, counts, released, ceiling), 0.0)

    @cached_property
    def _ceilings(self) -> NDArray[np.int64]:
        return frozen(ceilings(self.n, np.array(self.released), self.consistent))


@dataclass(frozen=True, eq=False)
class StepsLikelihood:
    """-epsilon / 2 sum_i |r_i - c_i|, up to a constant the log law of ``steps_noise`` cut at zero.

    epsilon: of the noise; released: r, (k,). A zero of r needs no special case: there |r_i - c_i| = c_i.
    """

    epsilon: float
    released: tuple[int, ...]

    @property
    def kinks(self) -> NDArray[np.int64]:
        return np.array([self.released])

    def log_terms(self, counts: NDArray[np.int64], category: NDArray[np.int64]) -> NDArray[np.float64]:
        return -self.epsilon / 2 * np.abs(counts - np.array(self.released)[category])


@dataclass(frozen=True, eq=False)
class MeasuredLikelihood(FrozenResult):
    """log P(v | c) = sum over m measurements j of log P(v_ji | c_i): one term a category.

    values: v, (m, k), nan where withheld, each one that its law can publish (``NoiseLaw.check_value``).
    laws: m rows of k laws. Cells are evaluated together where what they say is one formula, whatever its parameter.
    """

    values: NDArray[np.float64]
    laws: tuple[tuple[NoiseLaw, ...], ...]

    @property
    def kinks(self) -> NDArray[np.int64]:
        """Where a count would lie if it had no noise: each term is concave, and may have a corner there."""
        return np.maximum(np.rint(self._cells.number), 0).astype(np.int64)

    def log_terms(self, counts: NDArray[np.int64], category: NDArray[np.int64]) -> NDArray[np.float64]:
        total = np.zeros(np.broadcast_shapes(np.shape(counts), np.shape(category)))
        cells = self._cells
        for said, number, parameter in zip(cells.said, cells.number, cells.parameter, strict=True):
            for place, formula in enumerate(cells.formulas):
                _add_where(said[category] == place, total, formula, number[category], counts, parameter[category])
        return total

    @cached_property
    def _cells(self) -> _Cells:
        readings = [law.cell_likelihood(None if np.isnan(value) else float(value))
                    for values, laws in zip(self.values, self.laws, strict=True)
                    for value, law in zip(values, laws, strict=True)]
        formulas = tuple(dict.fromkeys(one.formula for one in readings if one.formula))
        columns = (
            [-1 if one.formula is None else formulas.index(one.formula) for one in readings],
            [one.number for one in readings],
            [one.parameter for one in readings],
        )
        said, number, parameter = (np.array(column).reshape(self.values.shape) for column in columns)
        return _Cells(formulas, said, number, parameter)


@dataclass(frozen=True, eq=False)
class _Cells(FrozenResult):
    """What the cells of a table say, (m, k): the term formulas[said](number - c, parameter), none where said is -1."""

    formulas: tuple[Formula, ...]
    said: NDArray[np.int64]
    number: NDArray[np.float64]
    parameter: NDArray[np.float64]


def _add_where(
    here: NDArray[np.bool_], total: NDArray[np.float64], formula: Formula, number: NDArray[np.float64],
    counts: NDArray[np.int64], parameter: NDArray[np.float64],
) -> None:
    """total += formula(number - counts, parameter) where ``here``: of rows, whole ones, so parameters are not spread.

    here, number and parameter have one shape, which broadcasts to that of ``total``.
    """
    if here.all():
        total += formula(number - counts, parameter)
    elif here.any():
        shape = (1,) * (total.ndim - here.ndim) + here.shape
        leading = next(axis for axis in range(len(shape), -1, -1) if axis == 0 or shape[axis - 1] > 1)
        spread = total.shape[:leading] + shape[leading:]
        taken = np.broadcast_to(here.reshape(shape), spread).reshape(spread[:leading])
        number, parameter = (np.broadcast_to(one.reshape(shape), spread)[taken] for one in (number, parameter))
        total[taken] += formula(number - np.broadcast_to(counts, total.shape)[taken], parameter)


@dataclass(frozen=True, eq=False)
class ProductLikelihood:
    """The likelihood of several independent releases of the same data, each countwise: terms add up."""

    parts: tuple[CountwiseLikelihood, ...]

    @property
    def kinks(self) -> NDArray[np.int64]:
        return np.concatenate([part.kinks for part in self.parts])

    def log_terms(self, counts: NDArray[np.int64], category: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.asarray(sum(part.log_terms(counts, category) for part in self.parts))


@dataclass(frozen=True, eq=False)
class ListedLikelihood(FrozenResult):
    """log P(r | c) of every dataset: datasets (N, k), log_likelihood (N,)."""

    datasets: NDArray[np.int64]
    log_likelihood: NDArray[np.float64]


CountwiseLikelihood = CutNoiseLikelihood | StepsLikelihood | MeasuredLikelihood | ProductLikelihood
Likelihood = CountwiseLikelihood | ListedLikelihood


def log_likelihood(datasets: NDArray[np.int64], likelihood: Likelihood) -> NDArray[np.float64]:
    """log P(r | c) of every dataset (N, k), up to a constant; a listed likelihood has them in this order."""
    if isinstance(likelihood, ListedLikelihood):
        return likelihood.log_likelihood
    return likelihood.log_terms(datasets, np.arange(datasets.shape[1])).sum(axis=1)


def joint_likelihood(likelihoods: Sequence[Likelihood]) -> Likelihood:
    """Of independent releases of the same data: countwise if all are, else listed where the first listed one is."""
    countwise = [one for one in likelihoods if not isinstance(one, ListedLikelihood)]
    if len(countwise) == len(likelihoods):
        return ProductLikelihood(tuple(countwise))
    datasets = next(one.datasets for one in likelihoods if isinstance(one, ListedLikelihood))
    return ListedLikelihood(datasets, np.asarray(sum(log_likelihood(datasets, one) for one in likelihoods)))
