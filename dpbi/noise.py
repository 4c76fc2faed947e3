"""Laws of noise that somebody added to counts before publishing them, to be read; none of them is added here.

A published value is v = c + D, c the true count and D the noise of a law. With ``floor`` = 0 it was cut, max(v, 0);
with ``below`` = t it was withheld where it was below t, which is said by the value None. Of c a value says one of two
things (``CellLikelihood``): D = v - c, or, where it was cut or withheld, D <= bound - c.

The mathematics of a law is a pair of functions of (d, parameter), arrays that broadcast: log P(D = d), or the log
density at d, and log P(D <= d). Both are exact to rounding in either tail, for every parameter within the limits.

Where people have something else than the parameter: ``scale_of_epsilon``, ``scale_of_sd``, ``scale_of_accuracy``,
``sd_of_accuracy``, ``sd_of_rho``.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import erfcx, log_ndtr, ndtri_exp, zeta

from dpbi.limits import (
    NOISE_LARGEST,
    NOISE_LEAST,
    SIZE_LARGEST,
    VALUE_LARGEST,
    between,
    check_epsilon,
    check_generator,
    check_numbers,
    finite_number,
    inside,
    number_array,
    one_of,
    sequence,
    shown,
    whole_array,
    whole_number,
)

Floats = NDArray[np.float64]
Formula = Callable[[Floats, Floats], Floats]  # of d and the parameter

_COUNT_LARGEST = 2**53
_HALF_LOG_TWO_PI = 0.5 * math.log(2 * math.pi)


def _pieces(here: NDArray[np.bool_], there: Formula, elsewhere: Formula, d: Floats, parameter: Floats) -> Floats:
    """One formula where ``here`` holds, the other elsewhere, each evaluated where it is wanted only."""
    if here.all():
        return there(d, parameter)
    if not here.any():
        return elsewhere(d, parameter)
    here, d, parameter = np.broadcast_arrays(here, d, parameter)
    found = np.empty(d.shape)
    found[here] = there(d[here], parameter[here])
    found[~here] = elsewhere(d[~here], parameter[~here])
    return found


def _log_complement(log_probability: Floats) -> Floats:
    """log(1 - p) from log p: by expm1 where p is near 1, by log1p where it is small."""
    with np.errstate(divide="ignore"):
        return np.where(log_probability > -math.log(2), np.log(-np.expm1(log_probability)),
                        np.log1p(-np.exp(log_probability)))


# --- two-sided geometric and Laplace: e^{-|d|/s} ---


def _geometric(d: Floats, scale: Floats) -> Floats:
    """tanh(1/(2s)) = (1 - q) / (1 + q), q = e^{-1/s}."""
    decay = 1 / scale
    return _log_complement(-decay) - np.log1p(np.exp(-decay)) - decay * np.abs(d)


def _geometric_at_most(d: Floats, scale: Floats) -> Floats:
    """q^{-d} / (1 + q) for d < 0, else the complement of P(D >= d + 1): neither tail exceeds 1/2."""
    lower = d < 0
    log_tail = -np.where(lower, -d, d + 1) / scale - np.log1p(np.exp(-1 / scale))
    return np.where(lower, log_tail, np.log1p(-np.exp(log_tail)))


def _laplace(d: Floats, scale: Floats) -> Floats:
    return -np.abs(d) / scale - np.log(2 * scale)


def _laplace_at_most(d: Floats, scale: Floats) -> Floats:
    log_tail = -np.abs(d) / scale - math.log(2)
    return np.where(d <= 0, log_tail, np.log1p(-np.exp(log_tail)))


def _rounded_laplace(d: Floats, scale: Floats) -> Floats:
    """e^{-|d|/s} sinh(1/(2s)), the density's integral over d +- 1/2; at 0: 1 - e^{-1/(2s)}."""
    log_sinh = _log_complement(-1 / scale) - math.log(2)  # of e^{-1/(2s)} sinh(1/(2s))
    return np.where(d == 0, _log_complement(-0.5 / scale), log_sinh - (np.abs(d) - 0.5) / scale)


def _rounded_laplace_at_most(d: Floats, scale: Floats) -> Floats:
    return _laplace_at_most(d + 0.5, scale)


# --- Gaussian ---

# Gauss-Legendre on [-1, 1], the positive nodes of ten
_NODES, _WEIGHTS = (tuple(half[5:]) for half in np.polynomial.legendre.leggauss(10))


def _gaussian(d: Floats, sd: Floats) -> Floats:
    return -0.5 * (d / sd) ** 2 - np.log(sd) - _HALF_LOG_TWO_PI


def _gaussian_at_most(d: Floats, sd: Floats) -> Floats:
    return np.asarray(log_ndtr(d / sd))


def _rounded_gaussian(d: Floats, sd: Floats) -> Floats:
    """log of Phi((d + 1/2)/sd) - Phi((d - 1/2)/sd).

    Where the density changes by less than a factor e^{1/2} on either side of d, the difference would cancel; it is
    f(d) times the integral of e^{-(2du + u^2)/(2 sd^2)} over |u| <= 1/2, by quadrature exact to rounding.
    """
    d = np.abs(d)
    return _pieces((sd >= 1) & (d <= sd**2), _flat_gaussian, _steep_gaussian, d, sd)


def _flat_gaussian(d: Floats, sd: Floats) -> Floats:
    total = sum(weight * np.exp(-0.125 * (node / sd) ** 2) * np.cosh(0.5 * node * d / sd**2)
                for node, weight in zip(_NODES, _WEIGHTS, strict=True))
    return _gaussian(d, sd) + np.log(total)


def _steep_gaussian(d: Floats, sd: Floats) -> Floats:
    """P(D >= d - 1/2) times what it loses to P(D >= d + 1/2), whose ratio is e^{-d/sd^2} times one of erfcx.

    At 0 the complement of both tails.
    """
    away = np.maximum(d, 1.0)
    near, far = (erfcx((away + half) / (math.sqrt(2) * sd)) for half in (-0.5, 0.5))
    return np.where(d == 0, _log_complement(math.log(2) + log_ndtr(-0.5 / sd)),
                    log_ndtr((0.5 - d) / sd) + _log_complement(np.log(far / near) - away / sd**2))


def _rounded_gaussian_at_most(d: Floats, sd: Floats) -> Floats:
    return np.asarray(log_ndtr((d + 0.5) / sd))


# --- discrete Gaussian ---

# Euler and Maclaurin at the midpoint: sum over x <= d of f = integral up to y + sum_k a_k f^(2k-1)(y), y = d + 1/2,
# a_k the coefficient of x^{2k} in (x/2) / sinh(x/2) = -(1 - 2^{1-2k}) B_2k / (2k)! = 2 (-1)^k eta(2k) / (2 pi)^{2k}
_MIDPOINT = tuple(
    float(2 * (-1) ** k * (1 - 2.0 ** (1 - 2 * k)) * zeta(2 * k)) / (2 * math.pi) ** (2 * k) for k in range(1, 11)
)
_NEGLIGIBLE = 40.0  # e^-40 of a sum does not show
_SMALL_VARIANCE = 16.0  # below, a tail has at most 36 terms


def _discrete_gaussian(d: Floats, variance: Floats) -> Floats:
    return -0.5 * d**2 / variance - _log_normaliser(variance)


def _log_normaliser(variance: Floats) -> Floats:
    """log sum_d e^{-d^2/(2 variance)}: term by term, or by Poisson's sum where that has one term beside the integral.

    From variance 1 on the second term is 2 e^{-2 pi^2 variance}, the third below e^-78.
    """
    terms = 2 * sum(np.exp(-0.5 * j**2 / np.minimum(variance, 1.0)) for j in range(1, 10))
    wide = np.maximum(variance, 1.0)
    integral = 0.5 * np.log(wide) + _HALF_LOG_TWO_PI + np.log1p(2 * np.exp(-2 * math.pi**2 * wide))
    return np.where(variance < 1, np.log1p(terms), integral)


def _discrete_gaussian_at_most(d: Floats, variance: Floats) -> Floats:
    return _pieces(d < 0, _discrete_gaussian_below, _discrete_gaussian_above, d, variance)


def _discrete_gaussian_below(d: Floats, variance: Floats) -> Floats:
    return _log_tail(-d, variance)


def _discrete_gaussian_above(d: Floats, variance: Floats) -> Floats:
    return np.log1p(-np.exp(_log_tail(d + 1, variance)))


def _log_tail(c: Floats, variance: Floats) -> Floats:
    """log P(D <= -c), c >= 1.

    Midpoint sums converge like (c / (2 pi variance))^2k, and terms fall like e^{-c/variance}: each where it is quick.
    """
    return _pieces((variance < _SMALL_VARIANCE) | (c > variance), _tail_by_terms, _tail_by_midpoints, c, variance)


def _tail_by_terms(c: Floats, variance: Floats) -> Floats:
    """f(c) sum_j e^{-(2cj + j^2)/(2 variance)}, as far as a term reaches e^-40."""
    reach = 2 * _NEGLIGIBLE * variance / (c + np.sqrt(c**2 + 2 * _NEGLIGIBLE * variance))
    later = sum(np.exp(-(0.5 * j / variance) * (2 * c + j)) for j in range(1, math.ceil(reach.max(initial=0.0)) + 1))
    return _discrete_gaussian(c, variance) + np.log1p(later)


def _tail_by_midpoints(c: Floats, variance: Floats) -> Floats:
    """Derivatives of f at y = 1/2 - c by f^(m) = (-1)^m h_m f with Hermite's h_{m+1} = (y h_m - m h_{m-1}) / variance.

    f over its integral is 1 / (sd sqrt(pi/2) erfcx(-y / sqrt(2) sd)), in any tail.
    """
    y, sd = 0.5 - c, np.sqrt(variance)
    before, hermite, correction = np.ones_like(y), y / variance, np.zeros_like(y)
    for k, coefficient in enumerate(_MIDPOINT):
        correction = correction - coefficient * hermite
        for m in (2 * k + 1, 2 * k + 2):
            before, hermite = hermite, (y * hermite - m * before) / variance
    z = -y / (math.sqrt(2) * sd)
    return np.asarray(log_ndtr(y / sd) + np.log1p(correction / (sd * math.sqrt(math.pi / 2) * erfcx(z))))


# --- no noise ---


def _exact(d: Floats, parameter: Floats) -> Floats:
    return np.where(d == 0, 0.0, -np.inf)


def _exact_at_most(d: Floats, parameter: Floats) -> Floats:
    return np.where(d >= 0, 0.0, -np.inf)


# --- the laws ---


class Formulas(NamedTuple):
    """log P(D = d), or the log density, and log P(D <= d), of (d, parameter)."""

    log_probability: Formula
    log_at_most: Formula


class CellLikelihood(NamedTuple):
    """What a published or withheld value says of the count c: its log likelihood is formula(number - c, parameter).

    formula: None where it says nothing, so that the likelihood is 1.
    """

    formula: Formula | None
    parameter: float
    number: float


@dataclass(frozen=True, repr=False)
class _Law(ABC):
    """below: what was below it was withheld; None where nothing was.

    Each law also has ``sd``, the standard deviation of D before anything was rounded, cut or withheld.
    """

    below: float | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if self.below is not None:
            self._set("below", (whole_number if self.whole else between)(
                "below", self.below, -VALUE_LARGEST, VALUE_LARGEST))

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        """As one would write it: what was left as it is by itself is left out, and ``floor`` and ``below`` are last."""
        changed = [one for one in fields(self) if getattr(self, one.name) != one.default]
        said = (f"{one.name}={getattr(self, one.name)!r}" for one in sorted(changed, key=lambda one: bool(one.kw_only)))
        return f"{type(self).__name__}({', '.join(said)})"

    @property
    @abstractmethod
    def called(self) -> str:
        """The noise in plain words, with its size."""

    @property
    def words(self) -> str:
        """``called``, and what became of the values."""
        return self.called + (f", withheld below {self.below:,}" if self.below is not None else "")

    @property
    @abstractmethod
    def formulas(self) -> Formulas:
        """The mathematics, as functions of arrays (d, parameter)."""

    @property
    @abstractmethod
    def parameter(self) -> float:
        """The second argument of the formulas."""

    @property
    @abstractmethod
    def whole(self) -> bool:
        """Whether D, and so every value, is a whole number."""

    @abstractmethod
    def _draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> NDArray[Any]: ...

    def log_probability(self, d: ArrayLike) -> Floats:
        """log P(D = d), or of a law that is not of whole numbers the log density at d; any shape."""
        d = _check_distance(d)
        found = self.formulas.log_probability(d, np.array(self.parameter))
        return np.where(d == np.floor(d), found, -np.inf) if self.whole else found

    def log_at_most(self, d: ArrayLike) -> Floats:
        """log P(D <= d), any shape."""
        d = _check_distance(d)
        return self.formulas.log_at_most(np.floor(d) if self.whole else d, np.array(self.parameter))

    def check_value(self, name: str, value: Any) -> float | None:
        """The value as a float, or None where it was withheld; ValueError for what this law cannot publish."""
        if value is None:
            return None
        number = finite_number(name, value)
        if abs(number) > VALUE_LARGEST:
            raise ValueError(f"{name} is too large: at most {VALUE_LARGEST:,} in size is supported, got "
                             f"{shown(value)}.")
        if self.whole and number != math.floor(number):
            raise ValueError(f"{name} must be a whole number, as what is added to it is: got {shown(value)}. Noise "
                             "that was not rounded is Laplace or Gaussian with rounded=False.")
        if self.below is not None and number < self.below:
            raise ValueError(f"{name} must be at least {self.below:,}, since what is below that was withheld (None): "
                             f"got {shown(value)}.")
        return number

    def cell_likelihood(self, value: float | None) -> CellLikelihood:
        """What a value says of its count; value: one that ``check_value`` returned."""
        if value is not None:
            return CellLikelihood(self.formulas.log_probability, self.parameter, value)
        if self.below is None:
            return CellLikelihood(None, self.parameter, 0.0)
        # P(v < t) is P(v <= t - 1) of whole numbers, and P(v <= t) where t itself has no probability
        return CellLikelihood(self.formulas.log_at_most, self.parameter, self.below - 1 if self.whole else self.below)

    def log_likelihood(self, value: float | None, counts: ArrayLike) -> Floats:
        """log P(value | c), or its density, at counts of any shape; value None: withheld.

        ValueError for a value that this law cannot publish.
        """
        formula, parameter, number = self.cell_likelihood(self.check_value("value", value))
        d = np.asarray(number - _check_counts(counts), dtype=np.float64)
        return np.zeros_like(d) if formula is None else formula(d, np.array(parameter))

    def sample(self, rng: np.random.Generator, shape: tuple[int, ...] = ()) -> NDArray[Any]:
        """Draws of D, int64 or float64."""
        shape = tuple(whole_number("shape", size, 0, SIZE_LARGEST) for size in sequence("shape", shape, "of sizes"))
        check_numbers("shape", math.prod(shape))
        return self._draw(check_generator(rng), shape)

    def publish(self, counts: ArrayLike, rng: np.random.Generator) -> Floats:
        """The values of these counts as this law publishes them, nan where withheld."""
        counts = _check_counts(counts)
        return self._hide(np.asarray(counts + self.sample(rng, counts.shape), dtype=np.float64))

    def _hide(self, values: Floats) -> Floats:
        return values if self.below is None else np.where(values < self.below, np.nan, values)


@dataclass(frozen=True, repr=False)
class _Noise(_Law):
    """floor: 0 where values below 0 were published as 0, else None."""

    floor: int | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.floor is not None:
            self._set("floor", whole_number("floor", self.floor, 0, 0))
            if self.below is not None and self.below <= 0:
                raise ValueError(f"below must be greater than 0 where floor is 0, else nothing is withheld: got "
                                 f"{self.below:,}.")

    @property
    def words(self) -> str:
        return super().words + (", below 0 published as 0" if self.floor is not None else "")

    def check_value(self, name: str, value: Any) -> float | None:
        number = super().check_value(name, value)
        if number is not None and self.floor is not None and number < 0:
            raise ValueError(f"{name} must be at least 0, since lower values were cut to 0: got {shown(value)}.")
        return number

    def cell_likelihood(self, value: float | None) -> CellLikelihood:
        if value == 0 and self.floor is not None:
            return CellLikelihood(self.formulas.log_at_most, self.parameter, 0.0)
        return super().cell_likelihood(value)

    def _hide(self, values: Floats) -> Floats:
        return super()._hide(values if self.floor is None else np.maximum(values, 0.0))


@dataclass(frozen=True, repr=False)
class TwoSidedGeometric(_Noise):
    """P(D = d) = tanh(1/(2s)) e^{-|d|/s} on the whole numbers; also called geometric or discrete Laplace noise.

    scale: s, from 1e-3 to 1e9. It is OpenDP's ``scale`` of ``make_laplace`` (once ``make_geometric``) on whole
    numbers, and 1 / epsilon where one person changes one count by 1 (``scale_of_epsilon``).
    Source: Ghosh, Roughgarden and Sundararajan 2009.
    """

    scale: float

    def __post_init__(self) -> None:
        self._set("scale", _check_noise("scale", self.scale))
        super().__post_init__()

    @property
    def called(self) -> str:
        return f"two-sided geometric noise of scale {self.scale:.10g}"

    @property
    def formulas(self) -> Formulas:
        return _GEOMETRIC

    @property
    def parameter(self) -> float:
        return self.scale

    @property
    def sd(self) -> float:
        """Variance 2 q / (1 - q)^2 = 1 / (2 sinh^2(1/(2s)))."""
        return 1 / (math.sqrt(2) * math.sinh(0.5 / self.scale))

    @property
    def whole(self) -> bool:
        return True

    def _draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> NDArray[Any]:
        stop = -math.expm1(-1 / self.scale)
        return np.asarray(rng.geometric(stop, shape) - rng.geometric(stop, shape))


@dataclass(frozen=True, repr=False)
class DiscreteGaussian(_Noise):
    """P(D = d) proportional to e^{-d^2/(2 variance)} on the whole numbers.

    variance: sigma^2, sigma from 1e-3 to 1e9; as in the Census's columns of variances. Its root sigma is OpenDP's
    ``scale`` of ``make_gaussian`` on whole numbers, and ``sd_of_rho``; below 1 it is not the standard deviation of D.
    Source: Canonne, Kamath and Steinke 2020.
    """

    variance: float

    def __post_init__(self) -> None:
        self._set("variance", between("variance", self.variance, NOISE_LEAST**2, NOISE_LARGEST**2))
        super().__post_init__()

    @property
    def called(self) -> str:
        return f"discrete Gaussian noise of variance {self.variance:.10g}"

    @property
    def formulas(self) -> Formulas:
        return _DISCRETE_GAUSSIAN

    @property
    def parameter(self) -> float:
        return self.variance

    @property
    def sd(self) -> float:
        """2 variance^2 times the derivative of ``_log_normaliser``."""
        v = self.variance
        if v < 1:
            d = np.arange(1, 11)
            return math.sqrt(2 * float(d**2 @ np.exp(self.log_probability(d))))
        second = 2 * math.exp(-2 * math.pi**2 * v)
        return math.sqrt(v - (2 * math.pi * v) ** 2 * second / (1 + second))

    @property
    def whole(self) -> bool:
        return True

    def _draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> NDArray[Any]:
        """Rejection from two-sided geometric draws of scale t near sigma, so that over a third are taken.

        Source: Canonne, Kamath and Steinke 2020, algorithm 3.
        """
        wanted, t = math.prod(shape), math.floor(math.sqrt(self.variance)) + 1.0
        proposal, drawn = TwoSidedGeometric(min(t, NOISE_LARGEST)), [np.empty(0, dtype=np.int64)]
        while (missing := wanted - sum(map(len, drawn))) > 0:
            d = proposal._draw(rng, (3 * missing + 10,))
            excess = np.abs(d) - self.variance / proposal.scale
            drawn.append(d[rng.random(d.size) < np.exp(-0.5 * excess**2 / self.variance)][:missing])
        return np.concatenate(drawn).reshape(shape)


@dataclass(frozen=True, repr=False)
class Laplace(_Noise):
    """Density e^{-|d|/s} / (2s), by ``rounded`` taken to the nearest whole number: P(D = d) = e^{-|d|/s} sinh(1/(2s)),
    P(D = 0) = 1 - e^{-1/(2s)}.

    scale: s, from 1e-3 to 1e9; sensitivity / epsilon (``scale_of_epsilon``), OpenDP's ``scale`` of ``make_laplace`` on
    floats. rounded: whether values were published as whole numbers.
    """

    scale: float
    rounded: bool = True

    def __post_init__(self) -> None:
        self._set("scale", _check_noise("scale", self.scale))
        self._set("rounded", _check_flag("rounded", self.rounded))
        super().__post_init__()

    @property
    def called(self) -> str:
        return f"Laplace noise of scale {self.scale:.10g}, {'' if self.rounded else 'not '}rounded"

    @property
    def formulas(self) -> Formulas:
        return _ROUNDED_LAPLACE if self.rounded else _LAPLACE

    @property
    def parameter(self) -> float:
        return self.scale

    @property
    def sd(self) -> float:
        return math.sqrt(2) * self.scale

    @property
    def whole(self) -> bool:
        return self.rounded

    def _draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> NDArray[Any]:
        return _rounded(rng.laplace(scale=self.scale, size=shape), self.rounded)


@dataclass(frozen=True, repr=False)
class Gaussian(_Noise):
    """The normal law of mean 0, by ``rounded`` taken to the nearest whole number.

    sd: before rounding, from 1e-3 to 1e9; the square root of a variance, OpenDP's ``scale`` of ``make_gaussian`` on
    floats, ``sd_of_rho``.
    rounded: whether values were published as whole numbers.
    """

    sd: float
    rounded: bool = True

    def __post_init__(self) -> None:
        self._set("sd", _check_noise("sd", self.sd))
        self._set("rounded", _check_flag("rounded", self.rounded))
        super().__post_init__()

    @property
    def called(self) -> str:
        return f"Gaussian noise of standard deviation {self.sd:.10g}, {'' if self.rounded else 'not '}rounded"

    @property
    def formulas(self) -> Formulas:
        return _ROUNDED_GAUSSIAN if self.rounded else _GAUSSIAN

    @property
    def parameter(self) -> float:
        return self.sd

    @property
    def whole(self) -> bool:
        return self.rounded

    def _draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> NDArray[Any]:
        return _rounded(rng.normal(scale=self.sd, size=shape), self.rounded)


@dataclass(frozen=True, repr=False)
class Exact(_Law):
    """D = 0: the count itself; below: counts below it were suppressed."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.below is not None and self.below < 1:
            raise ValueError(f"below must be at least 1 where counts are exact, else nothing is withheld: got "
                             f"{self.below:,}.")

    @property
    def called(self) -> str:
        return "no noise"

    @property
    def formulas(self) -> Formulas:
        return _EXACT

    @property
    def parameter(self) -> float:
        return 0.0

    @property
    def sd(self) -> float:
        return 0.0

    @property
    def whole(self) -> bool:
        return True

    def check_value(self, name: str, value: Any) -> float | None:
        number = super().check_value(name, value)
        if number is not None and number < 0:
            raise ValueError(f"{name} must be at least 0, since it is a count without noise: got {shown(value)}.")
        return number

    def _draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> NDArray[Any]:
        return np.zeros(shape, dtype=np.int64)


NoiseLaw = TwoSidedGeometric | DiscreteGaussian | Laplace | Gaussian | Exact

_GEOMETRIC = Formulas(_geometric, _geometric_at_most)
_LAPLACE = Formulas(_laplace, _laplace_at_most)
_ROUNDED_LAPLACE = Formulas(_rounded_laplace, _rounded_laplace_at_most)
_GAUSSIAN = Formulas(_gaussian, _gaussian_at_most)
_ROUNDED_GAUSSIAN = Formulas(_rounded_gaussian, _rounded_gaussian_at_most)
_DISCRETE_GAUSSIAN = Formulas(_discrete_gaussian, _discrete_gaussian_at_most)
_EXACT = Formulas(_exact, _exact_at_most)


def _check_noise(name: str, value: Any) -> float:
    return between(name, value, NOISE_LEAST, NOISE_LARGEST)


def _check_distance(values: Any) -> Floats:
    d = number_array("d", values)
    if not (np.abs(d) <= 2 * _COUNT_LARGEST).all():
        raise ValueError(f"d must lie within {-2 * _COUNT_LARGEST:,} and {2 * _COUNT_LARGEST:,}: got {shown(values)}.")
    return d


def _check_counts(values: Any) -> NDArray[np.int64]:
    """Counts of any shape, as far as their distance to a value is known to the last digit."""
    counts = whole_array("counts", values)
    if counts.min(initial=0) < 0 or counts.max(initial=0) > _COUNT_LARGEST:
        raise ValueError(f"counts must lie within 0 and {_COUNT_LARGEST:,}: got {shown(values)}.")
    return counts


def _check_flag(name: str, value: Any) -> bool:
    return bool(one_of(name, value, (True, False)))


def _rounded(d: Floats, rounded: bool) -> NDArray[Any]:
    return np.rint(d).astype(np.int64) if rounded else np.asarray(d)


# --- from what people have to the parameter ---


def scale_of_epsilon(epsilon: float, sensitivity: float = 1.0) -> float:
    """sensitivity / epsilon, the scale s of ``TwoSidedGeometric`` and of ``Laplace``.

    epsilon: of this one table or column, not of all that its publisher spent. sensitivity: the most that the counts of
    the table together change by when one person does (L1): 1 where each person is counted once and comes or goes, 2
    where a person moves from one count to another; the largest number of contributions where people are counted often.
    ValueError for values that are not above 0.
    Source: Dwork, McSherry, Nissim and Smith 2006.
    """
    return _check_sensitivity(sensitivity) / check_epsilon(epsilon)


def scale_of_sd(sd: float, discrete: bool = True) -> float:
    """The scale s of noise of this standard deviation, the square root of its variance.

    discrete: of ``TwoSidedGeometric``, whose variance is 1 / (2 sinh^2(1/(2s))); else of ``Laplace``, 2 s^2.
    ValueError for an sd outside 1e-3 to 1e9. Source: the laws' second moments; ours.
    """
    sd = _check_noise("sd", sd)
    return 0.5 / math.asinh(1 / (math.sqrt(2) * sd)) if _check_flag("discrete", discrete) else sd / math.sqrt(2)


def scale_of_accuracy(accuracy: float, alpha: float = 0.05, discrete: bool = True) -> float:
    """The scale s at which P(|D| >= accuracy) = alpha.

    Laplace: accuracy / log(1/alpha). Discrete, two-sided geometric: 2 q^accuracy / (1 + q) = alpha, q = e^{-1/s}, which
    is s (log(2/alpha) - log(1 + q)) = accuracy; its left side increases in s, and log(1 + q) lies in [0, log 2].
    accuracy: as OpenDP states it, within which a value lies of its count with probability 1 - alpha.
    ValueError for an accuracy outside 1e-3 to 1e10, or alpha outside (0, 1).
    Source: OpenDP 0.14, ``accuracy_to_laplacian_scale`` and ``accuracy_to_discrete_laplacian_scale``.
    """
    accuracy, alpha = _check_accuracy(accuracy), inside("alpha", alpha)
    if not _check_flag("discrete", discrete):
        return -accuracy / math.log(alpha)
    log_two_tails = math.log(2) - math.log(alpha)
    low, high = accuracy / log_two_tails, -accuracy / math.log(alpha)
    return _crossing(low, high, lambda s: s * (log_two_tails - math.log1p(math.exp(-1 / s))) >= accuracy)


def sd_of_accuracy(accuracy: float, alpha: float = 0.05) -> float:
    """The standard deviation at which P(|D| >= accuracy) = alpha for ``Gaussian`` noise: accuracy / z, Phi(z) =
    1 - alpha/2.

    accuracy, alpha: as in ``scale_of_accuracy``. Not for discrete Gaussian noise: the accuracy that OpenDP states there
    is rounded up to a whole number, which many sd share.
    ValueError as there. Source: OpenDP 0.14, ``accuracy_to_gaussian_scale``.
    """
    return _check_accuracy(accuracy) / -float(ndtri_exp(math.log(inside("alpha", alpha)) - math.log(2)))


def sd_of_rho(rho: float, sensitivity: float = 1.0) -> float:
    """sensitivity / sqrt(2 rho), the sd of ``Gaussian`` and sigma of ``DiscreteGaussian`` noise that is rho-zCDP.

    rho: of this one table. sensitivity: the largest Euclidean length (L2) of the change of all its counts when one
    person does: 1 where each person is counted once and comes or goes, sqrt 2 where a person moves.
    ValueError for values that are not above 0.
    Source: Bun and Steinke 2016, proposition 1.6; Canonne, Kamath and Steinke 2020, theorem 4.
    """
    return _check_sensitivity(sensitivity) / math.sqrt(2 * check_epsilon(rho, "rho"))


def _check_sensitivity(value: Any) -> float:
    return between("sensitivity", value, NOISE_LEAST, NOISE_LARGEST)


def _check_accuracy(value: Any) -> float:
    return between("accuracy", value, NOISE_LEAST, 10 * NOISE_LARGEST)


def _crossing(low: float, high: float, beyond: Callable[[float], bool]) -> float:
    """The least float of [low, high] from which on ``beyond`` is true."""
    while low < (middle := (low + high) / 2) < high:
        low, high = (low, middle) if beyond(middle) else (middle, high)
    return high
