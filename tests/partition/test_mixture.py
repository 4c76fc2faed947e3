"""The weights a_m against 50-digit quadrature of their definition, Poisson counts with a Levy mean.

M ~ Poisson(T), T of density rate / (2 sqrt pi) t^{-3/2} e^{-rate^2 / 4t}. With t = e^s every integrand is analytic and
falls off at both ends, where the trapezoid rule converges faster than any power of its step.
"""

import math
from collections.abc import Callable
from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given, strategies as st

from dpbi.partition import mixture
from tests.oracles import Real, mp

RATES = [1e-6, 1e-3, 0.1, 1.0, 7.0, 60.0, 745.0, 5e3, 1e5]


def log_integral(exponent: Callable[[Real], Real], peak: Real, sd: Real, factor: Callable[[Real], Real]) -> Real:
    """log of the integral of factor(s) e^{exponent(s)} over the line, out to e^-115 of the peak at both sides."""
    step, top, total = min(mp.mpf(1) / 20, sd / 4), exponent(peak), mp.zero
    for side in (-1, 1):
        s = peak if side == 1 else peak - step
        while (fallen := exponent(s) - top) > -115:
            total += mp.exp(fallen) * factor(s)
            s += side * step
    return top + mp.log(total * step)


@lru_cache(maxsize=1000)
def log_a(rate: float, m: float) -> Real:
    """log of the integral of P(Poisson(t) = m) against the Levy density; m may be real."""
    v, quarter = mp.mpf(m) - mp.mpf(1) / 2, mp.mpf(rate) ** 2 / 4
    peak = (v + mp.sqrt(v * v + 4 * quarter)) / 2
    integral = log_integral(
        lambda s: v * s - mp.exp(s) - quarter * mp.exp(-s),
        mp.log(peak),
        1 / mp.sqrt(peak + quarter / peak),
        lambda s: mp.one,
    )
    return mp.log(mp.mpf(rate) / 2) - mp.log(mp.pi) / 2 - mp.loggamma(mp.mpf(m) + 1) + integral


def log_tail(rate: float, m: int) -> Real:
    """log P(M >= m) = log P(T >= G), G the time of the m-th event, of law Gamma(m): E erf(rate / (2 sqrt G))."""
    integral = log_integral(
        lambda s: m * s - mp.exp(s),
        mp.log(m),
        1 / mp.sqrt(m),
        lambda s: mp.erf(mp.mpf(rate) / 2 * mp.exp(-s / 2)),
    )
    return integral - mp.loggamma(m)


def rounding(rate: float, reference: Real) -> float:
    """A float logarithm holds some 1e-16 of its own size; those of small m start from log a_0 = -rate."""
    return 1e-13 + 1e-15 * max(rate, abs(float(reference)))


def test_the_oracle_is_right_where_a_closed_form_exists() -> None:
    for rate in (1e-6, 3.0, 745.0):
        assert abs(log_a(rate, 0) + rate) < 1e-45
        assert abs(log_a(rate, 1) - (mp.log(rate / 2) - rate)) < 1e-30


@pytest.mark.parametrize("rate", RATES)
def test_weights_at_small_m(rate: float) -> None:
    found = mixture.log_weights(rate, 1000)
    assert found.shape == (1001,)
    for m in (0, 1, 2, 3, 10, 100, 255, 256, 257, 300, 1000):
        assert abs(found[m] - log_a(rate, m)) <= rounding(rate, log_a(rate, m))
    for largest in (0, 1, 255, 256, 257):
        assert mixture.log_weights(rate, largest).tolist() == found[: largest + 1].tolist()


@pytest.mark.parametrize("rate", RATES)
def test_weights_at_large_and_real_m(rate: float) -> None:
    at = [256.0, 257.3, 1e3, 12345.5, 1e5, 1e6, 1e8, 1e9, 1e12]
    for m, found in zip(at, mixture.log_weight(rate, at), strict=True):
        assert abs(found - log_a(rate, m)) <= rounding(rate, log_a(rate, m))


@pytest.mark.parametrize("rate", RATES)
def test_steps_between_weights_do_not_cancel(rate: float) -> None:
    """log a_m - log a_{m-1} of size 1/m, where the logarithms themselves are as large as the rate.

    Where m exceeds the rate it keeps 9 digits; before, a_m is too small for anyone to ask.
    """
    at = [m for m in (4096.0, 4097.5, 1e5, 1e6, 1e9, 1e12) if m > 10 * rate]
    for m, found in zip(at, mixture.log_step(rate, at), strict=True):
        expected = float(log_a(rate, m) - log_a(rate, m - 1))
        assert found == pytest.approx(expected, rel=2e-9)


@given(st.floats(-4, 3).map(lambda exponent: 10.0**exponent))
def test_weights_are_a_law(rate: float) -> None:
    """The first 4096 sum to what the oracle's tail leaves."""
    weights = np.exp(mixture.log_weights(rate, 4095))
    assert math.fsum(weights) == pytest.approx(float(1 - mp.exp(log_tail(rate, 4096))), abs=1e-13)


@given(st.floats(-3, 2).map(lambda exponent: 10.0**exponent), st.floats(0, 0.99))
def test_weights_are_the_coefficients_of_the_exponential(rate: float, y: float) -> None:
    """sum_m a_m y^m = exp(-rate sqrt(1 - y)), the identity for which they are there; y^4000 < 1e-17."""
    weights = np.exp(mixture.log_weights(rate, 4000))
    expected = math.exp(-rate * math.sqrt(1 - y))
    assert weights @ y ** np.arange(4001) == pytest.approx(expected, rel=1e-12)
