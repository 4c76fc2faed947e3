"""Where the bins of the Hellinger distance end: narrow near 0, in between and near 1."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dpbi.posterior.hellinger import distance_of_loss

FINE = 1 << 17  # bins of a scale
_LEAST = 1e-5  # of the largest distance: below it the scale grows evenly, above it with the logarithm too

SATURATED = 27.5  # 1 - sqrt(1 - e^-27.5) = 0.6e-12: from this loss on, all distances are the level 1


def loss_of_distance(distance: NDArray | float) -> NDArray[np.float64]:
    """-log BC = -log(1 - H^2), at most SATURATED."""
    h = np.minimum(distance, 1.0)
    with np.errstate(divide="ignore"):
        return np.minimum(-np.log1p(-h * h), SATURATED)


@dataclass(frozen=True)
class DistanceScale:
    """u(H) = F [H/h + log(1 + H/e)/log(1 + h/e) + L/l] / 3 + c, rising; bin j holds floor(u) = j, 0 <= j <= F.

    L = -log(1 - H^2) is the loss and l its largest value; h: the largest distance there can be; F = FINE; e = h / 1e5.
    The first term keeps bins narrow for the moments, the second resolves outputs crowded near 0, the third those near
    1. c in [0, 1) puts an edge at ``mark``, so that P(H <= mark) is a sum of whole bins.
    largest_loss: l, where SATURATED (the most) stands for it and all that follows: bin F is the level H = 1 then.
    """

    largest_loss: float
    mark: float

    @cached_property
    def largest(self) -> float:
        return float(distance_of_loss(self.largest_loss))

    @cached_property
    def shift(self) -> float:
        if self.mark >= self.largest:
            return 0.0
        return float(-self._even(np.array(self.mark), loss_of_distance(self.mark)) % 1)

    @property
    def saturated(self) -> bool:
        return self.largest_loss == SATURATED

    def _even(self, distance: NDArray, loss: NDArray) -> NDArray[np.float64]:
        third, least = FINE / 3, _LEAST * self.largest
        u = np.log1p(distance * (1 / least))
        u *= third / np.log1p(1 / _LEAST)
        u += distance * (third / self.largest)
        u += loss * (third / self.largest_loss)
        return u

    def bins_of(self, distance: NDArray, loss: NDArray) -> NDArray[np.int32]:
        """The bin of each output, given both its distance and its loss."""
        u = self._even(distance, loss)
        u += self.shift
        return np.minimum(u, float(FINE)).astype(np.int32)

    def distance_at(self, u: NDArray) -> NDArray[np.float64]:
        """The inverse of u(H), by bisection in s = sqrt(L), which keeps the digits of H and of 1 - H."""
        wanted = np.asarray(u, dtype=np.float64) - self.shift
        low = np.zeros(wanted.shape)
        high = np.full(wanted.shape, np.sqrt(self.largest_loss))
        for _ in range(60):
            middle = (low + high) / 2
            below = self._even(distance_of_loss(middle**2), middle**2) < wanted
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        return distance_of_loss(high**2)

    def edges(self, bins: NDArray) -> NDArray[np.float64]:
        """The lower edges of these bins; that of bin F + 1 is the upper end of all."""
        edges = self.distance_at(np.asarray(bins, dtype=np.float64))
        if self.mark < self.largest:
            edges[bins == self.bin_of_mark] = self.mark
        if self.saturated:
            edges[bins >= FINE] = 1.0
        return edges

    @property
    def bin_of_mark(self) -> int:
        """The bin whose lower edge is the mark."""
        return round(float(self._even(np.array(self.mark), loss_of_distance(self.mark))) + self.shift)
