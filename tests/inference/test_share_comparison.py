"""Two shares against each other: against fractions, adaptive integrals, sums over all counts, and one another."""

from collections.abc import Callable
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np
import pytest
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


def test_a_share_of_almost_nothing_is_refused_in_words() -> None:
    with pytest.raises(ValueError, match="a larger prior or more"):
        compare((1e-4, 5), (1e-5, 1))
    for wrong, words in (((1, 1), "second"), (3, "first")):
        arguments = ((1, 1), "a") if words == "second" else (wrong, (1, 1))
        with pytest.raises(ValueError, match=words):
            compare(*arguments)
    with pytest.raises(ValueError, match="category"):
        compare((1, 1), (1, 1), 2)


def test_the_comparison_knows_its_parts() -> None:
    found = compare((5, 3), (4, 6))
    assert isinstance(found, ShareComparison) and found.difference.first.a.tolist() == [5.0]
