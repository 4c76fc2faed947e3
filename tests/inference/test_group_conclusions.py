"""What readers of two groups' releases would conclude: against ``compare`` and the mechanisms' own draws."""

from functools import cache

import numpy as np
import pytest

import dpbi
from dpbi import Problem
from dpbi.inference.group_conclusions import conclusion, rough_difference
from dpbi.mechanisms import Geometric, KNorm
from tests.every_mechanism import Kind, every_class

PAIRS = [((105, 10934), (190, 10846)), ((31, 41), (21, 31)), ((1, 21), (2, 21)), ((0.5, 40.5), (3.5, 2.0)),
         ((1, 1), (1, 1)), ((1e9, 2e9), (1e9, 2.0001e9))]  # fmt: skip


@pytest.mark.parametrize(("first", "second"), PAIRS, ids=str)
def test_a_rough_difference_is_near_the_exact_one(first: tuple[float, float], second: tuple[float, float]) -> None:
    for one, two in ((first, second), (second, first)):
        found, exact = rough_difference(one, two), dpbi.compare(one, two)
        low, high = exact.difference.interval()
        assert (found.low, found.high) == pytest.approx((low, high), abs=0.005 * (high - low))
        assert found.probability_greater == pytest.approx(exact.probability_greater, abs=1e-4)
        means = [a / (a + b) for a, b in (one, two)]
        assert found.mean == pytest.approx(means[0] - means[1], abs=1e-12)
        assert found.sure == (low > 0) - (high < 0)


@pytest.mark.parametrize("mechanism", [Geometric(0.5), KNorm(0.2)], ids=str)
@pytest.mark.parametrize("category", [0, 2])
def test_a_conclusion_is_of_its_own_draw_and_near_what_compare_says(mechanism: dpbi.Mechanism, category: int) -> None:
    first, second = Problem((1, 1, 1), (30, 12, 9)), Problem((1, 1, 1), (14, 22, 3))
    found = conclusion(mechanism, first, second, np.random.default_rng([3, 1]), category)
    assert found == conclusion(mechanism, first, second, np.random.default_rng([3, 1]), category)
    rng = np.random.default_rng([3, 1])
    assert found.released == tuple(tuple(mechanism.sample(one, rng, 1)[0].tolist()) for one in (first, second))
    read = [dpbi.noise_aware_posterior(mechanism, one.prior, one.n, r)
            for one, r in zip((first, second), found.released, strict=True)]  # fmt: skip
    exact = dpbi.compare(read[0], read[1], category)
    low, high = exact.difference.interval()
    assert (found.difference.low, found.difference.high) == pytest.approx((low, high), abs=0.005 * (high - low))
    assert found.difference.probability_greater == pytest.approx(exact.probability_greater, abs=1e-4)


def test_each_group_may_have_a_mechanism_its_own() -> None:
    first, second, pair = Problem((1, 1), (30, 12)), Problem((1, 1), (14, 22)), (Geometric(0.5), KNorm(2.0))
    found, rng = conclusion(pair, first, second, np.random.default_rng(5)), np.random.default_rng(5)
    assert found.released == tuple(
        tuple(own.sample(one, rng, 1)[0].tolist()) for own, one in zip(pair, (first, second), strict=True))
    read = [dpbi.noise_aware_posterior(own, one.prior, one.n, r)
            for own, one, r in zip(pair, (first, second), found.released, strict=True)]  # fmt: skip
    low, high = dpbi.compare(read[0], read[1]).difference.interval()
    assert (found.difference.low, found.difference.high) == pytest.approx((low, high), abs=0.005 * (high - low))


@every_class
def test_every_mechanism_leads_to_a_conclusion(kind: Kind) -> None:
    found = conclusion(kind(1.0), Problem((1, 1), (9, 3)), Problem((1, 1), (2, 6)), np.random.default_rng(1)).difference
    assert found.low < found.mean < found.high and 0 < found.probability_greater < 1


def test_what_is_wrong_is_refused_in_words() -> None:
    two, three, rng = Problem((1, 1), (3, 4)), Problem((1, 1, 1), (3, 4, 1)), np.random.default_rng(1)
    with pytest.raises(ValueError, match="same categories"):
        conclusion(Geometric(1.0), two, three, rng)
    with pytest.raises(ValueError, match="second"):
        conclusion(Geometric(1.0), two, (3, 4), rng)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="category"):
        conclusion(Geometric(1.0), two, two, rng, 2)


def test_the_interval_holds_the_difference_as_often_as_it_says() -> None:
    """2,000 pairs from the prior: beyond 4 standard errors in about 1 of 15,000 cases."""
    rng, mechanism, n, held = np.random.default_rng(8), Geometric(0.5), 6, 0
    posterior = cache(lambda r: dpbi.noise_aware_posterior(mechanism, (1, 1), n, r))
    difference = cache(lambda r, s: rough_difference(posterior(r), posterior(s)))
    for shares in rng.uniform(size=(2_000, 2)):
        groups = [Problem((1, 1), (int(c), n - int(c))) for c in rng.binomial(n, shares)]
        found = difference(*(tuple(mechanism.sample(group, rng, 1)[0].tolist()) for group in groups))
        held += found.low <= shares[0] - shares[1] <= found.high
    assert held / 2_000 == pytest.approx(0.95, abs=4 * 0.0049)
