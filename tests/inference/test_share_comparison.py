"""Two shares against each other: against fractions, adaptive integrals, sums over all counts, and one another."""

import math
from collections.abc import Callable
from fractions import Fraction
from math import comb
from typing import Any

import mpmath  # type: ignore[import-untyped]
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import integrate, special, stats

import dpbi
from dpbi.inference.share_comparison import ShareComparison, compare
from dpbi.mechanisms import Geometric, KNorm
from tests import oracles

WHOLE = [(49, 43, 43, 49), (5, 3, 4, 6), (1, 1, 1, 1), (1, 30, 2, 60), (200, 3, 2, 100), (3, 900, 8, 700)]
ANY = [((0.5, 3.0), (2.0, 9.0)), ((7.0, 2.0), (30.5, 15.0)), ((0.05, 4.0), (1.0, 1.0)), ((8.0, 1e4), (3.0, 1e4)),
       ((1e4, 1.0), (3.0, 0.3))]
WIDE = [*ANY, ((1e9, 2e9), (1e9, 2.0001e9)), ((0.01, 3.0), (40.0, 9.0)), ((1.0, 1e6), (1e6, 1.0)), ((0.3, 0.3),) * 2]


def greater(a: int, b: int, c: int, d: int) -> Fraction:
    """P(X > Y), X ~ Beta(a, b), Y ~ Beta(c, d), whole: sum_{i < a} B(c + i, b + d) / ((b + i) B(1 + i, b) B(c, d))."""
    def beta(p: int, q: int) -> Fraction:
        return Fraction(1, (p + q - 1) * comb(p + q - 2, p - 1))

    return sum((beta(c + i, b + d) / ((b + i) * beta(1 + i, b) * beta(c, d)) for i in range(a)), Fraction(0))


def integral(
    first: tuple[float, float], second: tuple[float, float], bound: Callable[[Any], Any], kink: float | None = None
) -> float:
    """P(theta_1 > bound(theta_2)), by the second's log odds; kink: theta_2 where the bound is 0 or 1."""
    one, two = stats.beta(*first), stats.beta(*second)

    def density(y: float) -> float:
        t = special.expit(y)
        return float(two.pdf(t) * t * (1 - t) * one.sf(bound(t)))

    places = special.logit([0.5, *([] if kink is None else [kink]), *two.ppf([0.01, 0.2, 0.8, 0.99])])
    return float(integrate.quad(density, -90, 60, points=places, limit=400, epsabs=1e-11)[0])


@pytest.mark.parametrize("parameters", WHOLE, ids=str)
def test_which_is_greater_is_the_fraction(parameters: tuple[int, int, int, int]) -> None:
    a, b, c, d = parameters
    found, wanted = compare((a, b), (c, d)), float(greater(a, b, c, d))
    assert found.probability_greater == pytest.approx(wanted, abs=1e-9)
    assert float(found.difference.cumulative(0.0)) == pytest.approx(1 - wanted, abs=1e-9)


@pytest.mark.parametrize(("first", "second"), ANY[:3], ids=str)
def test_contrasts_are_integrals(first: tuple[float, float], second: tuple[float, float]) -> None:
    found = compare(first, second)
    for x in (-0.2, 0.15):
        wanted = integral(first, second, lambda t: t + x, 0.2 if x < 0 else 1 - x)  # noqa: B023
        assert float(found.difference.cumulative(x)) == pytest.approx(1 - wanted, abs=1e-9)
    for x in (0.4, 3.0):
        wanted = integral(first, second, lambda t: t * x, 1 / x if x > 1 else None)  # noqa: B023
        assert float(found.risk_ratio.cumulative(x)) == pytest.approx(1 - wanted, abs=1e-9)
        wanted = integral(first, second, lambda t: t * x / (1 - t + t * x))  # noqa: B023
        assert float(found.odds_ratio.cumulative(x)) == pytest.approx(1 - wanted, abs=1e-9)


@pytest.mark.parametrize(("first", "second"), WIDE, ids=str)
def test_contrasts_agree_with_one_another(first: tuple[float, float], second: tuple[float, float]) -> None:
    found, turned = compare(first, second), compare(second, first)
    assert found.probability_greater + turned.probability_greater == pytest.approx(1, abs=1e-9)
    for one in (found.odds_ratio.cumulative(1.0), found.risk_ratio.cumulative(1.0), found.difference.cumulative(0.0)):
        assert float(one) == pytest.approx(1 - found.probability_greater, abs=1e-8)
    for contrast in (found.difference, found.odds_ratio, found.risk_ratio):
        low, high = contrast.interval(0.9)
        assert low < high
        inside = contrast.cumulative([low, high])
        assert inside == pytest.approx([0.05, 0.95], abs=1e-7)
    low, high = found.difference.interval(0.9)
    assert turned.difference.interval(0.9) == pytest.approx((-high, -low), rel=1e-6, abs=1e-9)
    assert found.difference.cumulative([-1.0, 1.0]) == pytest.approx([0, 1], abs=1e-9)
    assert float(found.risk_ratio.cumulative(-1.0)) == 0


@pytest.mark.parametrize("name", ["difference", "odds_ratio", "risk_ratio"])
def test_a_density_is_the_slope(name: str) -> None:
    contrast = getattr(compare((5, 3), (4, 6)), name)
    at, step = np.array([0.1, 0.4]) if name == "difference" else np.array([0.7, 2.5]), 1e-5
    slope = (contrast.cumulative(at + step) - contrast.cumulative(at - step)) / (2 * step)
    assert contrast.density(at) == pytest.approx(slope, rel=1e-6)


def test_reference_values_of_two_releases() -> None:
    mechanism = Geometric(1.0)
    read = [dpbi.noise_aware_posterior(mechanism, (1, 1), sum(r), r) for r in ((25, 15), (12, 18))]
    found = compare(read[0], read[1])
    assert found.probability_greater == pytest.approx(0.9532059865039224, abs=1e-10)
    assert float(found.difference.cumulative(0.1)) == pytest.approx(1 - 0.81700197064552, abs=1e-10)
    assert compare((26, 16), (13, 19)).probability_greater == pytest.approx(0.9674594567698, abs=1e-11)


def test_two_releases_are_sums_over_all_counts() -> None:
    sides = []
    for kind, n, r in ((Geometric, 6, (4, 2)), (KNorm, 5, (1, 4))):
        laws = oracles.laws_of_all_datasets(kind.__name__, (1, 1), n, epsilon=0.8)
        sides.append((oracles.counts_given_release(laws, (1, 1), r),
                      dpbi.noise_aware_posterior(kind(0.8), (1, 1), n, r)))
    (first, one), (second, two) = sides
    wanted = sum(float(p * q) * float(greater(1 + c[0], 1 + c[1], 1 + d[0], 1 + d[1]))
                 for c, p in first.items() for d, q in second.items())
    assert compare(one, two).probability_greater == pytest.approx(wanted, abs=1e-10)


def test_groups_within_a_table_that_others_made_are_compared() -> None:
    """Two blocks of noisy counts whose own totals are known besides are as two tables."""
    law = dpbi.noise.TwoSidedGeometric(2.0)
    whole = dpbi.noisy_counts_posterior((1, 1, 1, 1), (14, 9, 3, 21), law, 50,
                                        [((0, 1), 24, dpbi.noise.Exact()), ((2, 3), 26, dpbi.noise.Exact())])
    apart = [dpbi.noisy_counts_posterior((1, 1), v, law, n) for v, n in (((14, 9), 24), ((3, 21), 26))]
    found, wanted = compare(whole.block((0, 1)), whole.block((2, 3))), compare(apart[0], apart[1])
    assert found.probability_greater == pytest.approx(wanted.probability_greater, abs=1e-9)


SIZES = st.floats(-9, 18).map(lambda power: 10.0**power)


@settings(max_examples=8)
@given(SIZES, SIZES, SIZES, st.floats(1e-6, 1), st.sampled_from([0, 1]))
def test_closed_forms_over_all_parameters(a: float, b: float, c: float, tail: float, category: int) -> None:
    """theta ~ Beta(a, 1) is e^{-E / a}: log of the risk ratio is two-sided exponential, and for any theta_1
    P(theta_1 > theta_2) = E theta_1^c where theta_2 ~ Beta(c, 1), = B(a + c, b) / B(a, b)."""
    found = compare((a, 1), (c, 1))
    for greater in (found.probability_greater, 1 - float(found.difference.cumulative(0.0))):
        assert greater == pytest.approx(a / (a + c), abs=1e-11)
    assert found.risk_ratio._above(-math.log(tail) / c) == pytest.approx(a / (a + c) * tail, abs=1e-11)
    assert found.risk_ratio._above(math.log(tail) / a) == pytest.approx(1 - c / (a + c) * tail, abs=1e-11)
    with mpmath.workdps(60):
        wanted = float(mpmath.gammaprod([mpmath.mpf(a) + c, mpmath.mpf(a) + b], [mpmath.mpf(a) + c + b, a]))
    first, second = ((a, b), (c, 1.0)) if category == 0 else ((b, a), (1.0, c))
    greater = compare(first, second, category).probability_greater
    assert greater == pytest.approx(wanted, abs=1e-11)
    assert compare(second, first, category).probability_greater == pytest.approx(1 - greater, abs=1e-12)
    assert compare(first, second, 1 - category).probability_greater == pytest.approx(1 - greater, abs=1e-12)


def inverted(p: tuple[float, float, float, float], x: float) -> float:
    """P(log odds ratio > x) from its characteristic function, in 40 digits."""
    with mpmath.workdps(40):
        a, b, c, d = map(mpmath.mpf, p)
        mean = mpmath.psi(0, a) - mpmath.psi(0, b) - mpmath.psi(0, c) + mpmath.psi(0, d)
        sd = mpmath.sqrt(sum(mpmath.psi(1, q) for q in (a, b, c, d)))
        step, total, term, j = 2 * mpmath.pi / (abs(mean - x) + 12 * sd + 40 / min(a, b, c, d)), mpmath.mpf(1) / 2, 1, 0
        while abs(term) > 1e-17:
            w = mpmath.mpc(0, (j + mpmath.mpf(1) / 2) * step)
            term = mpmath.exp(sum(mpmath.loggamma(q + s * w) - mpmath.loggamma(q)
                                  for q, s in ((a, 1), (b, -1), (c, -1), (d, 1))) - w * x)
            total, j = total + mpmath.im(term) / (mpmath.pi * (j + mpmath.mpf(1) / 2)), j + 1
        return float(total)


@pytest.mark.parametrize("p", [
    (1000.1, 3.0, 500.1, 500.1), (794.8, 8.167, 2.9e8, 4.5), (1e18, 300.0, 1e18, 290.0), (1e14, 7.0, 3e14, 20.0),
    (3e17, 4e16, 9e17, 1.2e17), (2e8, 3e8, 2.0001e8, 3e8),
], ids=str)  # fmt: skip
def test_large_shares_and_their_mirrors(p: tuple[float, float, float, float]) -> None:
    a, b, c, d = p
    found, mirrored, turned = compare((a, b), (c, d)), compare((a, b), (c, d), 1), compare((c, d), (a, b))
    assert found.probability_greater == pytest.approx(inverted(p, 0.0), abs=1e-11)
    for other in (mirrored, turned):
        assert other.probability_greater == pytest.approx(1 - found.probability_greater, abs=1e-13)
        low, high = found.odds_ratio.interval()
        assert other.odds_ratio.interval() == pytest.approx((1 / high, 1 / low), rel=1e-9)
        low, high = found.difference.interval()
        assert other.difference.interval() == pytest.approx((-high, -low), rel=1e-9, abs=1e-9 * (high - low))
    rounding = 1e-9 + 1e-15 / math.sqrt(min(special.polygamma(1, a) + special.polygamma(1, b),
                                            special.polygamma(1, c) + special.polygamma(1, d)))
    for x in (math.log(end) for end in found.odds_ratio.interval()):
        assert found.odds_ratio._above(x) == pytest.approx(inverted(p, x), abs=rounding)


def test_shares_next_to_an_end_are_told_apart() -> None:
    prior = (1e-9,) * 3
    one, two = (dpbi.noise_aware_posterior(KNorm(1.0), prior, 100, r) for r in ((100, 0, 0), (0, 60, 40)))
    assert compare(one, two).probability_greater == pytest.approx(1, abs=1e-9)
    assert compare(one, two).difference.interval()[0] == pytest.approx(1, abs=1e-9)
    found = compare((24.001, 0.001), (0.001, 106.001), 1)
    assert found.probability_greater < 1e-9 and found.difference.interval()[1] == pytest.approx(-1, abs=1e-6)
    assert compare((1e-4, 5), (1e-5, 1)).difference.interval()[0] == 0
    assert compare((1e-30, 1e18), (1e-30, 1e-30)).probability_greater == pytest.approx(0.25, abs=1e-9)


@pytest.mark.parametrize("epsilon", [0.03, 0.005])
def test_wide_noise_on_many_records(epsilon: float) -> None:
    """By few parts as by all, and one release against itself."""
    read = dpbi.noise_aware_posterior(KNorm(epsilon), (1, 1), 3_000, (1_400, 1_600))
    few, at = read._few_betas(0), np.linspace(0.3, 0.7, 9)
    assert few.share.size < read._betas(0).share.size / 2
    assert few.cumulative(at) == pytest.approx(read.cumulative(at), abs=1e-11)
    found = compare(read, read)
    assert found.probability_greater == pytest.approx(0.5, abs=1e-12)
    assert found.odds_ratio.laws[0].cumulative(special.logit(at) - found.odds_ratio.laws[0].origin) == pytest.approx(
        read.cumulative(at), abs=1e-11)


@pytest.mark.parametrize("name", ["difference", "odds_ratio", "risk_ratio"])
def test_a_density_has_digits_where_a_part_is_rare(name: str) -> None:
    """Beta(1, 1) less Beta(.01, 1) has density int .01 theta^{.01 - 1} = (1 - x)^.01 at x >= 0."""
    contrast = getattr(compare((1, 1), (0.01, 1)), name)
    at = np.array([1e-9, 0.3, 0.9])
    if name == "difference":
        assert contrast.density(at) == pytest.approx((1 - at) ** 0.01, rel=1e-9)
    assert (contrast.density([-5.0, 0.0] if name != "difference" else [-1.0, 1.0]) == 0).all()


def test_wrong_arguments() -> None:
    for wrong, words in (((1, 1), "second"), (3, "first")):
        arguments = ((1, 1), "a") if words == "second" else (wrong, (1, 1))
        with pytest.raises(ValueError, match=words):
            compare(*arguments)
    with pytest.raises(ValueError, match="category"):
        compare((1, 1), (1, 1), 2)


def test_the_comparison_knows_its_parts() -> None:
    found = compare((5, 3), (4, 6))
    assert isinstance(found, ShareComparison) and found.difference.first.a.tolist() == [5.0]
