"""Integer noise laws of the Laplace family, exact in their tails."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpbi.mechanisms.fair_bits import Bits, floored_laplace, two_sided_geometric


@dataclass(frozen=True)
class FlooredLaplace:
    """D = floor(Y), Y ~ Lap(b) with density e^{-|y|/b} / 2b; symmetric about -1/2.

    With p = e^{-1/b}: P(D = d) = (p^d - p^{d+1})/2 for d >= 0 and (p^{-d-1} - p^{-d})/2 for d < 0.
    scale: b > 0, in counts. Source: the integral of the density over [d, d + 1); [P17] section 6.1.2 prints it
    shifted by one.
    """

    scale: float

    published_as: ClassVar[str] = "FlooredLaplace"
    formula: ClassVar[str] = "P(D = d) = (exp(-max(d, -d - 1) / scale) - exp(-max(d + 1, -d) / scale)) / 2"
    mean_size_formula: ClassVar[str] = "coth({1}) / 2"  # of the decay, and of half of it

    @property
    def decay(self) -> float:
        return 1 / self.scale

    @property
    def mean_size(self) -> float:
        """E|D|: G = D for D >= 0 and -D - 1 below is geometric, |D| is G or G + 1: p / (1 - p) + 1/2."""
        return 0.5 / math.tanh(self.decay / 2)

    def log_pmf(self, d: ArrayLike) -> NDArray[np.float64]:
        d = np.asarray(d, dtype=np.float64)
        return -self.decay * np.where(d >= 0, d, -d - 1) + np.log(-np.expm1(-self.decay) / 2)

    def log_at_least(self, d: ArrayLike) -> NDArray[np.float64]:
        d = np.asarray(d, dtype=np.float64)
        return _log_tail(np.log(0.5) - self.decay * np.abs(d), d >= 0)

    def log_at_most(self, d: ArrayLike) -> NDArray[np.float64]:
        return self.log_at_least(-np.asarray(d, dtype=np.float64) - 1)

    def sharpened(self, multiplier: float) -> FlooredLaplace:
        return FlooredLaplace(self.scale / multiplier)

    def sample(self, rng: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.int64]:
        return np.floor(rng.laplace(scale=self.scale, size=shape)).astype(np.int64)

    def draw_exactly(self, decay: Fraction, bits: Bits) -> int:
        return floored_laplace(decay, bits)


@dataclass(frozen=True)
class GeometricNoise:
    """P(D = d) = (1 - p) / (1 + p) p^|d|, p = e^{-decay}; symmetric about 0.

    decay: epsilon over the sensitivity of the counts, per count. Source: Ghosh, Roughgarden and Sundararajan 2009;
    the difference of two geometric variables.
    """

    decay: float

    published_as: ClassVar[str] = "TwoSidedGeometric"
    formula: ClassVar[str] = "P(D = d) = tanh(1 / (2 * scale)) * exp(-abs(d) / scale)"
    mean_size_formula: ClassVar[str] = "1 / sinh({0})"

    @property
    def mean_size(self) -> float:
        """E|D| = 2 p / (1 - p^2)."""
        return 2 * math.exp(-self.decay) / -math.expm1(-2 * self.decay)

    def log_pmf(self, d: ArrayLike) -> NDArray[np.float64]:
        # (1 - p) / (1 + p) = tanh(decay / 2)
        return np.log(np.tanh(self.decay / 2)) - self.decay * np.abs(np.asarray(d, dtype=np.float64))

    def log_at_least(self, d: ArrayLike) -> NDArray[np.float64]:
        # P(D >= d) = p^d / (1 + p) for d >= 1, and 1 - p^{1-d} / (1 + p) for d <= 0
        d = np.asarray(d, dtype=np.float64)
        beyond = np.where(d >= 1, d, 1 - d)
        return _log_tail(-self.decay * beyond - np.log1p(np.exp(-self.decay)), d >= 1)

    def log_at_most(self, d: ArrayLike) -> NDArray[np.float64]:
        return self.log_at_least(-np.asarray(d, dtype=np.float64))

    def sharpened(self, multiplier: float) -> GeometricNoise:
        return GeometricNoise(self.decay * multiplier)

    def sample(self, rng: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.int64]:
        stop = -np.expm1(-self.decay)
        return rng.geometric(stop, size=shape) - rng.geometric(stop, size=shape)

    def draw_exactly(self, decay: Fraction, bits: Bits) -> int:
        return two_sided_geometric(decay, bits)


# Noise on the integers whose tails are exactly geometric: P(D >= d) ~ e^{-decay d}.
IntegerNoise = FlooredLaplace | GeometricNoise


def cut_log_pmf(
    noise: IntegerNoise, count: NDArray | int, released: NDArray, ceiling: NDArray | int
) -> NDArray[np.float64]:
    """log P(min(max(c + D, 0), ceiling) = r): point masses inside, whole tails at the two ends.

    The tails are functions of c and the ceiling alone: of many r, one is computed once.
    """
    r, c, ceiling = np.asarray(released, dtype=np.int64), np.asarray(count), np.asarray(ceiling)
    ends = noise.log_at_most(-c), noise.log_at_least(ceiling - c)
    law = np.where(r <= 0, ends[0], np.where(r >= ceiling, ends[1], noise.log_pmf(r - c)))
    law = np.where(ceiling == 0, 0.0, law)
    return np.where((r >= 0) & (r <= ceiling), law, -np.inf)


def ceilings(n: int, released: NDArray[np.int64], consistent: bool) -> NDArray[np.int64]:
    """What each released count, (..., k), was cut to: n, or (consistent) what the earlier ones left."""
    return n - (np.cumsum(released, axis=-1) - released if consistent else np.zeros_like(released))


def released_log_pmf(
    noise: IntegerNoise, n: int, counts: NDArray[np.int64], released: NDArray[np.int64], noised: int, consistent: bool
) -> NDArray[np.float64]:
    """log P(r | c): noise on the first ``noised`` counts, cut to [0, n] or to what is left (consistent).

    n: the total of all counts c; c and r: (..., k), broadcast. A category without noise must hold the remainder, else
    -inf.
    """
    left = ceilings(n, released, consistent)
    law = sum(cut_log_pmf(noise, counts[..., i], released[..., i], left[..., i] if consistent else n)
              for i in range(noised))
    return np.where(holds_remainder(n, released, noised), law, -np.inf)


def holds_remainder(n: int, released: NDArray[np.int64], noised: int) -> NDArray[np.bool_]:
    """Whether a last category without noise holds what the others left of n."""
    k = released.shape[-1]
    return (noised == k) | (released[..., -1] == np.maximum(n - released[..., :-1].sum(axis=-1), 0))


def _log_tail(log_beyond: NDArray, upper: NDArray) -> NDArray:
    """log P(beyond) where that is the tail asked for, log(1 - P(beyond)) where it is the complement."""
    return np.where(upper, log_beyond, np.log1p(-np.exp(np.minimum(log_beyond, 0.0))))
