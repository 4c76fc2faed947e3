"""The split of an epsilon over questions: against the optimum on a grid, with E[H] from elsewhere."""

import math
from fractions import Fraction

import numpy as np
import pytest

import dpbi
from dpbi.inference import budget_split
from dpbi.inference.budget_split import split_epsilon

KNORM, GEOMETRIC = dpbi.mechanisms.KNorm, dpbi.mechanisms.Geometric


def test_the_reference_of_two_questions() -> None:
    """k = 2 and 10, n = 20,000, epsilon 1: equal shares .2334, the rule .1780, the optimum .1779; for k = 10 E[H] is
    the mean of draws, within 2 % of itself at three standard errors."""
    found = split_epsilon(KNORM(1.0), [(1, 1), (1,) * 10], [[20_000], [20_000]])
    assert found.equal == pytest.approx(0.2334, rel=0.02)
    assert math.fsum(found.expected) == pytest.approx(0.1780, rel=0.02)
    assert found.epsilons == pytest.approx((0.2077, 0.7923), rel=0.02)
    assert sum(found.epsilons) <= 1


@pytest.mark.parametrize(("kind", "priors", "sizes", "epsilon"), [
    (KNORM, [(1, 1), (0.5, 0.5)], [[20], [60]], 1.0),
    (GEOMETRIC, [(1, 1), (3, 1)], [[30, 60], [30, 60]], 0.3),
    (GEOMETRIC, [(1, 1), (1, 1, 1)], [[20], [10]], 2.0),
])  # fmt: skip
def test_the_rule_is_near_the_optimum(
    kind: type[dpbi.Mechanism], priors: list[tuple[float, ...]], sizes: list[list[int]], epsilon: float
) -> None:
    def total(share: float) -> float:
        shares = share * epsilon, (1 - share) * epsilon
        return sum(dpbi.expected_distance(kind(one), prior, n).mean
                   for one, prior, of in zip(shares, priors, sizes, strict=True) for n in of)

    found = split_epsilon(kind(epsilon), priors, sizes)
    best = min(map(total, np.linspace(0.02, 0.98, 25)))
    assert best * 0.99 <= math.fsum(found.expected) <= min(1.06 * best, found.equal * 1.001)
    assert found.equal == pytest.approx(total(0.5), rel=2e-3)
    assert 0.99 * epsilon < sum(found.epsilons) <= epsilon


def test_equal_questions_get_equal_shares_and_nobody_gets_one_too() -> None:
    assert split_epsilon(KNORM(0.9), [(1, 1)] * 3, [[50]] * 3).epsilons == (0.3,) * 3
    assert split_epsilon(KNORM(0.3), [(1, 1)] * 3, [[50]] * 3).epsilons == (0.1,) * 3
    assert split_epsilon(KNORM(0.7), [(1, 1)], [[50]]).epsilons == (0.7,)
    some, none = split_epsilon(KNORM(1.0), [(1, 1)] * 2, [[50], [0]]).epsilons
    assert some > 0.99
    assert 0 < none < 1e-3
    assert split_epsilon(KNORM(1.0), [(1, 1)] * 2, [[0], [0]]).epsilons == (0.5, 0.5)


@pytest.mark.parametrize("kind", [KNORM, GEOMETRIC])
def test_equal_shares_are_kept_where_the_rule_is_worse(kind: type[dpbi.Mechanism]) -> None:
    """Few people beside many: where H is large a share brings little, and the rule gives it all the same."""
    priors, sizes = [(1, 1), (1, 1, 1)], [[4000, 20, 5]] * 2
    found = split_epsilon(kind(0.05), priors, sizes)
    ruled = [math.fsum(dpbi.expected_distance(one, prior, n).mean for n in of)
             for one, prior, of in zip(found.mechanisms, priors, sizes, strict=True)]
    assert math.fsum(found.expected) <= found.equal
    assert found.expected == pytest.approx(ruled, rel=1e-9)
    assert found.is_equal
    assert found.epsilons == (0.025, 0.025)


def test_shares_are_equal_and_add_up_where_no_distance_tells_them_apart() -> None:
    """Three mechanisms of a third each too, whose floats add to a little less than 1."""
    priors, sizes = [(1.0,) * 15, (1.0,) * 15, (1.0,) * 20], [[1_069]] * 3
    for given in (KNORM(1.0), [GEOMETRIC(share) for share in budget_split.equal_shares(1.0, 3)]):
        found = split_epsilon(given, priors, sizes)
        assert found.is_at_its_maximum
        assert found.epsilons == (0.3333, 0.3333, 0.3334)
        assert found.most == 3
    thirds = split_epsilon([GEOMETRIC(1 / 3), KNORM(1 / 3), GEOMETRIC(1 / 3)], priors, sizes)
    assert 1 - 1e-6 < sum(thirds.epsilons) <= 1


@pytest.mark.parametrize("epsilon", [1.0, 0.5, 0.7, 1e-4, 2 / 3, 3.14159, 17.0])
@pytest.mark.parametrize("sizes", [[[50]] * 3, [[50]] * 6, [[9], [200], [20]]])
def test_nothing_of_what_is_split_is_left_over(epsilon: float, sizes: list[list[int]]) -> None:
    shares = split_epsilon(GEOMETRIC(epsilon), [(1, 1)] * len(sizes), sizes).epsilons
    assert sum(Fraction(repr(share)) for share in shares) == Fraction(repr(epsilon))
    assert min(shares) > 0
    assert len(set(sizes[0])) > 1 or math.fsum(shares) <= epsilon * (1 + 1e-15)


def test_each_question_may_have_its_mechanism() -> None:
    """The sum of their epsilons is split anew; like ones are as one; two kinds are near the optimum on a grid."""
    priors, sizes = [(1, 1), (3, 1)], [[40], [15]]
    alike = split_epsilon([GEOMETRIC(0.2), GEOMETRIC(0.8)], priors, sizes)
    assert alike == split_epsilon(GEOMETRIC(1.0), priors, sizes)
    found = split_epsilon([GEOMETRIC(0.1), dpbi.mechanisms.LSHist(0.2)], priors, sizes)
    assert [type(one) for one in found.mechanisms] == [GEOMETRIC, dpbi.mechanisms.LSHist]
    assert 0.297 < sum(found.epsilons) <= 0.3
    best = min(dpbi.expected_distance(GEOMETRIC(0.3 * one), priors[0], 40).mean
               + dpbi.expected_distance(dpbi.mechanisms.LSHist(0.3 * (1 - one)), priors[1], 15).mean
               for one in np.linspace(0.02, 0.98, 25))  # fmt: skip
    assert best * 0.99 <= math.fsum(found.expected) <= 1.06 * best


def test_many_groups_are_split_by_few_sizes() -> None:
    """E[H] by draws at five sizes against the exact mean at each."""
    sizes = [list(range(5, 60, 5)), list(range(20, 900, 80))]
    found = split_epsilon(GEOMETRIC(1.0), [(1, 1)] * 2, sizes)
    exact = [math.fsum(dpbi.expected_distance(GEOMETRIC(epsilon), (1, 1), n).mean for n in of)
             for epsilon, of in zip(found.epsilons, sizes, strict=True)]
    assert found.expected == pytest.approx(exact, rel=0.04)
    assert 0.99 < sum(found.epsilons) <= 1 and found.epsilons[0] > found.epsilons[1]


def test_equal_questions_are_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def counted(mechanism: dpbi.Mechanism, prior: tuple[float, ...], n: int) -> dpbi.ExpectedDistance:
        calls.append((mechanism, prior, n))
        return dpbi.expected_distance(mechanism, prior, n)

    monkeypatch.setattr(budget_split, "expected_distance", counted)
    split_epsilon(KNORM(0.9), [(1, 1)] * 9, [[20, 30]] * 9)
    assert len(calls) == len(set(calls)) == 2


def test_what_cannot_be_split() -> None:
    with pytest.raises(ValueError, match="one for each of the 2 priors: got 3"):
        split_epsilon([KNORM(1.0)] * 3, [(1, 1)] * 2, [[50]] * 2)
    with pytest.raises(ValueError, match="one entry for each of the 2 priors"):
        split_epsilon(KNORM(1.0), [(1, 1)] * 2, [[50]])
    with pytest.raises(ValueError, match="no epsilon to split"):
        split_epsilon(dpbi.calibrate(dpbi.mechanisms.EHDS(1.0), (1, 1), 9), [(1, 1)] * 2, [[9]] * 2)
    with pytest.raises(ValueError, match="at most 4 questions that differ"):
        split_epsilon(dpbi.mechanisms.EHDS(1.0), [(1, 1)] * 9, [[9 + i, 5] for i in range(9)])
