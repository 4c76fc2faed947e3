"""What a released vector says about the private counts: log P(r | c) as a function of c, for one public r.

A mechanism answers with one of two kinds. Where the noise falls on each count alone the likelihood is a product over
categories, of any n and k; elsewhere every dataset is listed with its own value. Neither has seen the true counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dpbi.frozen_result import FrozenResult, frozen
from dpbi.mechanisms.noise.law import IntegerNoise, cut_log_pmf


def ceilings(n: int, released: tuple[int, ...], consistent: bool) -> NDArray[np.int64]:
    """What each released count was cut to: n, or (consistent) what the earlier ones left."""
    taken = np.cumsum([0, *released[:-1]]) if consistent else np.zeros(len(released), dtype=np.int64)
    return (n - taken).astype(np.int64)


def is_cut(n: int, released: tuple[int, ...], noised: int, consistent: bool) -> bool:
    """Whether noise on the first counts, cut, can give this vector, the last being the remainder if it has no noise."""
    r = np.array(released)
    if (r < 0).any() or (r > ceilings(n, released, consistent))[:noised].any():
        return False
    return noised == r.size or int(r[-1]) == max(n - int(r[:-1].sum()), 0)


@dataclass(frozen=True, eq=False)
class CountwiseLikelihood(FrozenResult):
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

    def log_terms(self, counts: NDArray[np.int64], category: NDArray[np.int64]) -> NDArray[np.float64]:
        """The terms of the given categories at the given counts, broadcast; each in [-inf, 0]."""
        released, ceiling = np.array(self.released)[category], self._ceilings[category]
        return np.where(category < self.noised, cut_log_pmf(self.noise, counts, released, ceiling), 0.0)

    @cached_property
    def _ceilings(self) -> NDArray[np.int64]:
        return frozen(ceilings(self.n, self.released, self.consistent))


@dataclass(frozen=True, eq=False)
class ListedLikelihood(FrozenResult):
    """log P(r | c) of every dataset: datasets (N, k), log_likelihood (N,)."""

    datasets: NDArray[np.int64]
    log_likelihood: NDArray[np.float64]


Likelihood = CountwiseLikelihood | ListedLikelihood
