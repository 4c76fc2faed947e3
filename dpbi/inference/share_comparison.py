"""Which of two groups has the larger share: the difference, odds ratio and risk ratio of two posteriors.

The groups are different people, so that given what was released their shares are independent, each a mixture of Betas.
The characteristic function of a log odds is a sum of quotients of Gamma functions, and with phi of the difference of
two, P(Lambda > x) = 1/2 + sum_j Im[e^{-i w_j x} phi(w_j)] / (pi (j + 1/2)), w_j = (j + 1/2) h: the mean of a square
wave, wrong by at most P(|Lambda - x| > 2 pi / h). So of the log risk ratio. A difference is an integral over one share.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from dpbi import limits
from dpbi.frozen_result import FrozenResult
from dpbi.inference.beta_mixture import BetaMixture, Betas
from dpbi.posterior import chunks, dirichlet
from dpbi.posterior.hellinger import STIRLING, sums_of_others

Floats = NDArray[np.float64]
Complex = NDArray[np.complex128]

_NEGLIGIBLE = 1e-16  # of a probability
_REACH = 24.0  # standard deviations of a log ratio that one wave spans, at least
_TERMS, _WORK = 131_072, 40_000_000  # of a characteristic function; of all parts together
_STIRLING_FROM = 20.0
_SDS = 9.0  # standard deviations of a log odds, beyond which its tail is exponential or falls faster
_LOG_ODDS = 700.0


@dataclass(frozen=True, eq=False)
class Contrast(FrozenResult):
    """The law of a contrast of two shares: ``cumulative``, ``density``, ``interval``."""

    first: Betas
    second: Betas

    @abstractmethod
    def _above(self, x: Floats) -> Floats:
        """P(contrast > x), x in the contrast's own scale of work (``_scale``)."""

    @abstractmethod
    def _density(self, x: Floats) -> Floats: ...

    @abstractmethod
    def _scale(self, x: Floats) -> Floats: ...

    @abstractmethod
    def _value(self, x: float) -> float: ...

    @property
    @abstractmethod
    def _bracket(self) -> tuple[float, float]: ...

    def cumulative(self, x: ArrayLike) -> Floats:
        """P(contrast <= x | both releases): x (...) -> (...), absolute error below 1e-11."""
        at = limits.number_array("x", x)
        return np.clip(1 - self._above(self._scale(at.reshape(-1))), 0.0, 1.0).reshape(at.shape)

    def density(self, x: ArrayLike) -> Floats:
        """The density at x (...) -> (...)."""
        at = limits.number_array("x", x)
        return np.maximum(self._density(at.reshape(-1)), 0.0).reshape(at.shape)

    def interval(self, mass: float = 0.95) -> tuple[float, float]:
        """The equal-tailed interval, its probability within 1e-9 of ``mass``, in (0, 1)."""
        from scipy.optimize import brentq

        tail, (low, high) = (1 - limits.inside("mass", mass)) / 2, self._bracket

        def end(above: float) -> float:
            return self._value(float(brentq(lambda x: above - float(self._above(np.array([x]))[0]), low, high,
                                            xtol=1e-13, rtol=1e-13)))

        return end(1 - tail), end(tail)


@dataclass(frozen=True, eq=False)
class _LogRatio(Contrast):
    """Of two odds, or of two shares: by the difference of their logs."""

    @abstractmethod
    def _moments(self, of: Betas) -> tuple[Floats, Floats]:
        """Mean and variance of the log of each part."""

    @abstractmethod
    def _log_characteristic(self, of: Betas, w: Floats) -> Complex:
        """log E e^{i w (log - mean_log)} of each part (parts, w), where mean_log is log a / b or log a / (a + b)."""

    @abstractmethod
    def _log_mean(self, of: Betas) -> Floats: ...

    @abstractmethod
    def _rates(self, of: Betas) -> Floats:
        """The rates at which the tails of each part's log fall, (2, parts)."""

    @cached_property
    def _centre(self) -> tuple[float, float]:
        """Mean and standard deviation of the difference of the logs."""
        mean, variance = 0.0, 0.0
        for sign, of in ((1, self.first), (-1, self.second)):
            means, variances = self._moments(of)
            own = float(of.share @ means)
            mean += sign * own
            variance += float(of.share @ (variances + (means - own) ** 2))
        return mean, math.sqrt(variance)

    @cached_property
    def _step(self) -> float:
        """h, so small that beyond 2 pi / h from the mean no part has more than e^-37 of all."""
        tails = [float(((37 + np.log(np.maximum(np.abs(of.share), 1e-300))) / self._rates(of)).max())
                 for of in (self.first, self.second)]
        return 2 * math.pi / max(_REACH * self._centre[1], 2 * max(tails))

    @cached_property
    def _wave(self) -> tuple[Floats, Complex]:
        """w_j and phi(w_j), as far as it does not vanish."""
        parts, number = self.first.share.size + self.second.share.size, 64
        while True:
            if number > _TERMS or number * parts > _WORK:
                raise ValueError("A share may be so near 0 or 1 that the two cannot be compared: a larger prior is "
                                 "needed, 0.001 or more, or more records.")
            w = self._step * (np.arange(number, dtype=np.float64) + 0.5)
            phi = self._characteristic(self.first, w) * np.conj(self._characteristic(self.second, w))
            phi *= np.exp(-1j * w * self._centre[0])
            if np.abs(phi[-8:]).max() < _NEGLIGIBLE:
                return w, phi
            number *= 2

    def _characteristic(self, of: Betas, w: Floats) -> Complex:
        total = np.zeros(w.size, dtype=complex)
        for rows in chunks(of.share.size, w.size):
            part = Betas(of.share[rows], of.a[rows], of.b[rows])
            logs = self._log_characteristic(part, w) + 1j * w * self._log_mean(part)[:, None]
            total += part.share @ np.exp(logs)
        return total

    def _above(self, x: Floats) -> Floats:
        w, phi = self._wave
        mean, reach = self._centre[0], math.pi / self._step
        wave = np.exp(-1j * np.clip(x - mean, -reach, reach)[:, None] * w) * phi
        above = 0.5 + (wave.imag / (np.pi * (np.arange(w.size) + 0.5))).sum(axis=1)
        return np.where(x < mean - reach, 1.0, np.where(x > mean + reach, 0.0, above))

    def _density(self, x: Floats) -> Floats:
        w, phi = self._wave
        at = np.where(x > 0, x, 1.0)
        wave = np.exp(-1j * (np.log(at)[:, None] - self._centre[0]) * w) * phi
        return np.where(x > 0, self._step / np.pi * wave.real.sum(axis=1) / at, 0.0)

    def _scale(self, x: Floats) -> Floats:
        with np.errstate(divide="ignore"):
            return np.where(x > 0, np.log(np.maximum(x, 0.0)), -1e300)

    def _value(self, x: float) -> float:
        return math.exp(x) if x < _LOG_ODDS else math.inf

    @property
    def _bracket(self) -> tuple[float, float]:
        mean, reach = self._centre[0], math.pi / self._step
        return mean - reach, mean + reach


class OddsRatio(_LogRatio):
    """theta_1 / (1 - theta_1) over theta_2 / (1 - theta_2)."""

    def _moments(self, of: Betas) -> tuple[Floats, Floats]:
        return special.digamma(of.a) - special.digamma(of.b), special.polygamma(1, of.a) + special.polygamma(1, of.b)

    def _log_characteristic(self, of: Betas, w: Floats) -> Complex:
        return _log_gamma_ratio(of.a[:, None], w) + np.conj(_log_gamma_ratio(of.b[:, None], w))

    def _log_mean(self, of: Betas) -> Floats:
        return np.log(of.a / of.b)

    def _rates(self, of: Betas) -> Floats:
        return np.stack([of.a, of.b])


class RiskRatio(_LogRatio):
    """theta_1 / theta_2."""

    def _moments(self, of: Betas) -> tuple[Floats, Floats]:
        total = of.a + of.b
        return special.digamma(of.a) - special.digamma(total), special.polygamma(1, of.a) - special.polygamma(1, total)

    def _log_characteristic(self, of: Betas, w: Floats) -> Complex:
        return _log_gamma_ratio(of.a[:, None], w) - _log_gamma_ratio((of.a + of.b)[:, None], w)

    def _log_mean(self, of: Betas) -> Floats:
        return -np.log1p(of.b / of.a)

    def _rates(self, of: Betas) -> Floats:
        return of.a[None]


class Difference(Contrast):
    """theta_1 - theta_2: an integral over the share that is known better, by its log odds."""

    @cached_property
    def _over_first(self) -> bool:
        return _moments(self.first)[1] < _moments(self.second)[1]

    def _above(self, x: Floats) -> Floats:
        """P(theta_2 < theta_1 - x) = E F_2(theta_1 - x), or E[1 - F_1(theta_2 + x)] = E F_1'(1 - theta_2 - x), F_1' the
        law of 1 - theta_1."""
        if self._over_first:
            return self._mean(self.first, lambda t: self.second.cumulative(t), x)
        turned = [Betas(of.share, of.b, of.a) for of in (self.first, self.second)]
        return self._mean(turned[1], lambda t: turned[0].cumulative(t), x)

    def _density(self, x: Floats) -> Floats:
        if self._over_first:
            return self._mean(self.first, lambda t: self.second.density(t), x, outside=0.0)
        turned = [Betas(of.share, of.b, of.a) for of in (self.first, self.second)]
        return self._mean(turned[1], lambda t: turned[0].density(t), x, outside=0.0)

    @staticmethod
    def _mean(of: Betas, function: Callable[[Floats], Floats], x: Floats, outside: float = 1.0) -> Floats:
        """E function(theta - x), where it is 0 below 0 and ``outside`` above 1; theta - x = 0 and 1 are kinks."""
        from scipy.integrate import tanhsinh

        low, high = _log_odds_range(of)
        found = np.empty(x.size)
        for i, shift in enumerate(x.tolist()):
            kinks = [float(special.logit(kink)) for kink in (shift, 1 + shift) if 0 < kink < 1]
            edges = np.unique(np.clip([low, *kinks, high], low, high))

            def integrand(y: Floats, shift: float = shift) -> Floats:
                theta = special.expit(y.reshape(-1))
                at = theta - shift
                inside = (at > 0) & (at < 1)
                values = np.where(at >= 1, outside, 0.0)
                values[inside] = function(at[inside])
                return (values * _log_odds_density(of, y.reshape(-1))).reshape(y.shape)

            found[i] = tanhsinh(integrand, edges[:-1], edges[1:], atol=1e-13, rtol=1e-11).integral.sum()
        return found

    def _scale(self, x: Floats) -> Floats:
        return x

    def _value(self, x: float) -> float:
        return x

    @property
    def _bracket(self) -> tuple[float, float]:
        return -1.0, 1.0


@dataclass(frozen=True, eq=False)
class ShareComparison(FrozenResult):
    """Two shares against each other. Made by ``compare``.

    difference: theta_1 - theta_2; odds_ratio; risk_ratio: theta_1 / theta_2. Each has ``interval``, ``cumulative`` and
    ``density``.
    """

    difference: Difference
    odds_ratio: OddsRatio
    risk_ratio: RiskRatio

    @cached_property
    def probability_greater(self) -> float:
        """P(theta_1 > theta_2 | both releases), absolute error below 1e-11."""
        return float(np.clip(self.odds_ratio._above(np.zeros(1))[0], 0.0, 1.0))


def compare(first: Any, second: Any, category: int = 0) -> ShareComparison:
    """The posterior of theta_1 against that of theta_2, the share of one category in two groups of different people.

    first, second: each a posterior (``noise_aware_posterior``, ``joint_posterior``, ``noisy_counts_posterior``), or the
    parameters of a Dirichlet distribution, (k,). category: its place in both. Returns the ShareComparison.
    Raises ValueError for anything else, and where a share may be so near 0 or 1 that the two cannot be told apart.
    Source: ours; the inversion of a characteristic function is Gil-Pelaez 1951.
    """
    one, two = (_betas_of(name, of, category) for name, of in (("first", first), ("second", second)))
    return ShareComparison(Difference(one, two), OddsRatio(one, two), RiskRatio(one, two))


def _betas_of(name: str, posterior: Any, category: int) -> Betas:
    if isinstance(posterior, BetaMixture):
        return posterior._few_betas(limits.check_category(category, len(posterior.prior)))
    alpha = limits.dirichlet_parameters(name, posterior)
    if alpha.ndim != 1 or alpha.size < limits.CATEGORIES_LEAST:
        raise ValueError(f"{name} must be a posterior, or the parameters of one Dirichlet distribution, (k,): got "
                         f"shape {alpha.shape}.")
    i = limits.check_category(category, alpha.size)
    return Betas(np.ones(1), alpha[i:i + 1], sums_of_others(alpha)[i:i + 1])


def _moments(of: Betas) -> tuple[float, float]:
    """Mean and variance of the mixture."""
    mean = of.a / (of.a + of.b)
    middle = float(of.share @ mean)
    return middle, float(of.share @ (mean * (of.b / (of.a + of.b)) / (of.a + of.b + 1) + (mean - middle) ** 2))


def _log_odds_range(of: Betas) -> tuple[float, float]:
    """Where the log odds lie but for e^-37: the tails of each part fall like e^{a y} and e^{-b y}, or faster."""
    mean = special.digamma(of.a) - special.digamma(of.b)
    sd = np.sqrt(special.polygamma(1, of.a) + special.polygamma(1, of.b))
    reach = 37 + np.log(np.maximum(np.abs(of.share), 1e-300))
    held = reach > 0
    low = (mean - np.minimum(_SDS * sd + reach / of.a, _LOG_ODDS + mean))[held].min()
    high = (mean + np.minimum(_SDS * sd + reach / of.b, _LOG_ODDS - mean))[held].max()
    return float(low), float(high)


def _log_odds_density(of: Betas, y: Floats) -> Floats:
    """theta (1 - theta) times the density of theta, at log odds y."""
    total, pair = np.zeros(y.size), np.stack([of.a, of.b], axis=-1)
    theta, rest = special.expit(y), special.expit(-y)
    for rows in chunks(y.size, of.share.size):
        log_density = dirichlet.log_density(pair, np.stack([theta[rows], rest[rows]], axis=-1)[:, None, :])
        total[rows] = np.exp(log_density) @ of.share
    return total * theta * rest


def _log_gamma_ratio(a: Floats, w: Floats) -> Complex:
    """log Gamma(a + i w) - log Gamma(a) - i w log a, a (parts, 1), w (terms,), nothing large subtracted.

    From 20 on by Stirling's difference (a - 1/2) log(1 + i u) + i w (log(1 + i u) - 1), u = w / a, and its series; the
    imaginary part holds a (atan u - u), for small u from its series.
    """
    a, w = np.broadcast_arrays(a, w)
    large = np.maximum(a, _STIRLING_FROM)
    u = w / large
    log_modulus, angle = np.log1p(u * u) / 2, np.arctan(u)
    small = np.where(np.abs(u) < 0.02, u, 0.0)
    square = small * small
    short = small * square * (-1 / 3 + square * (1 / 5 + square * (-1 / 7 + square / 9)))
    gap = np.where(np.abs(u) < 0.02, short, angle - u)
    z = large + 1j * w
    far = ((large - 0.5) * log_modulus - w * angle + 1j * (large * gap - angle / 2 + w * log_modulus)
           + _stirling(z) - _stirling(large))
    few = np.minimum(a, _STIRLING_FROM)
    near = special.loggamma(few + 1j * w) - special.gammaln(few) - 1j * w * np.log(few)
    return np.where(a >= _STIRLING_FROM, far, near)


def _stirling(z: Any) -> Any:
    square = 1 / (z * z)
    return sum(coefficient * square**p for p, coefficient in enumerate(STIRLING)) / z
