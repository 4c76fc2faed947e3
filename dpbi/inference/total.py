"""What is known of the number n of records before any count is read: a law of n on lowest, lowest + 1, ..., highest."""

import math
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from dpbi import limits
from dpbi.posterior import dirichlet

Floats = NDArray[np.float64]

_CHECK = "Check the scale of the noise, the threshold and the prior."  # where nothing agrees
_ADVICE = "Give the number of records, or a measured total."  # where a posterior cannot be computed


@dataclass(frozen=True)
class Known:
    """The total is ``n``."""

    n: int
    decay: ClassVar[float] = np.inf
    advice: ClassVar[str] = "Less noise (a larger epsilon), fewer categories or a larger prior would do."
    check: ClassVar[str] = "Check the number of records, the scale of the noise and the prior."

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", limits.check_total(self.n))

    @property
    def lowest(self) -> int:
        return self.n

    @property
    def highest(self) -> int:
        return self.n

    def log_probability(self, n: NDArray[np.int64]) -> Floats:
        return np.where(n == self.n, 0.0, -np.inf)


@dataclass(frozen=True)
class _UpTo:
    """largest: of n; None leaves it open, which only counts that noise bounds allow (``noisy_counts_posterior``)."""

    largest: int | None = None
    advice: ClassVar[str] = _ADVICE
    check: ClassVar[str] = _CHECK

    def __post_init__(self) -> None:
        if self.largest is not None:
            object.__setattr__(self, "largest", limits.whole_number("largest", self.largest, 1, limits.TOTAL_LARGEST))

    @property
    def highest(self) -> int:
        return limits.TOTAL_LARGEST if self.largest is None else self.largest


    def up_to(self, largest: int) -> Self:
        """The same law, at most ``largest``."""
        return replace(self, largest=min(largest, self.highest))


@dataclass(frozen=True)
class Flat(_UpTo):
    """Every total from 0 to ``largest`` is as probable."""

    lowest: ClassVar[int] = 0

    @property
    def decay(self) -> float:
        """The power of 1/n at which p(n) falls; infinite where it ends."""
        return 0.0 if self.largest is None else np.inf

    def log_probability(self, n: NDArray[np.int64]) -> Floats:
        return np.where((n >= 0) & (n <= self.highest), 0.0, -np.inf)


@dataclass(frozen=True)
class LogUniform(_UpTo):
    """p(n) proportional to 1/n from 1 to ``largest``: every order of magnitude is as probable."""

    lowest: ClassVar[int] = 1

    @property
    def decay(self) -> float:
        return 1.0 if self.largest is None else np.inf

    def log_probability(self, n: NDArray[np.int64]) -> Floats:
        return np.where((n >= 1) & (n <= self.highest), -np.log(np.maximum(n, 1)), -np.inf)


@dataclass(frozen=True)
class Poisson:
    """n ~ Poisson(``mean``)."""

    mean: float
    decay: ClassVar[float] = np.inf
    advice: ClassVar[str] = _ADVICE
    check: ClassVar[str] = _CHECK
    lowest: ClassVar[int] = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "mean", limits.between("mean", self.mean, 1e-9, 1e15))

    @property
    def highest(self) -> int:
        """Beyond lies e^-700, by P(n >= mean + x) <= e^{-x^2 / (2 (mean + x/3))}."""
        return min(math.ceil(self.mean + 40 * math.sqrt(self.mean) + 800), limits.TOTAL_LARGEST)

    def log_probability(self, n: NDArray[np.int64]) -> Floats:
        return np.where(n >= 0, dirichlet.log_poisson(self.mean, np.maximum(n, 0).astype(np.float64)), -np.inf)


Total = Known | Flat | LogUniform | Poisson


def check_total_law(total: Total | int) -> Total:
    """The law of n; a whole number is a known total. ValueError for anything else."""
    if isinstance(total, Known | Flat | LogUniform | Poisson):
        return total
    try:
        return Known(total)
    except ValueError as refusal:
        raise ValueError(f"total must be the number of records, or Flat(), LogUniform() or Poisson(mean). "
                         f"{refusal}") from None
