"""What a released vector says about the private counts: log P(r | c) as a function of c, for one public r.

A mechanism answers with one of two kinds. Where the noise falls on each count alone the likelihood is a product over
categories, of any n and k; elsewhere every dataset is listed with its own value. Neither has seen the true counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dpbi.noise import IntegerNoise, cut_log_pmf


@dataclass(frozen=True, eq=False)
class CountwiseLikelihood:
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

    @cached_property
    def ceilings(self) -> NDArray[np.int64]:
        """What each released count was cut to."""
        taken = np.cumsum([0, *self.released[:-1]]) if self.consistent else np.zeros(len(self.released), dtype=int)
        return (self.n - taken).astype(np.int64)

    @property
    def possible(self) -> bool:
        """Whether some counts could have led to this release."""
        r, noised = np.array(self.released), self.noised
        if (r < 0).any() or (r[:noised] > self.ceilings[:noised]).any():
            return False
        remainder = max(self.n - int(r[:-1].sum()), 0)
        return noised == r.size or int(r[-1]) == remainder

    def log_terms(self, counts: NDArray[np.int64], category: NDArray[np.int64]) -> NDArray[np.float64]:
        """The terms of the given categories at the given counts, broadcast; each in [-inf, 0]."""
        released, ceilings = np.array(self.released)[category], self.ceilings[category]
        return np.where(category < self.noised, cut_log_pmf(self.noise, counts, released, ceilings), 0.0)


@dataclass(frozen=True, eq=False)
class ListedLikelihood:
    """log P(r | c) of every dataset: datasets (N, k), log_likelihood (N,)."""

    datasets: NDArray[np.int64]
    log_likelihood: NDArray[np.float64]

    @property
    def possible(self) -> bool:
        return bool(np.isfinite(self.log_likelihood).any())


Likelihood = CountwiseLikelihood | ListedLikelihood
