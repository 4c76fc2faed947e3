"""Plans of two groups: against sums over all counts and releases, fractions, simulation and the table of the costs."""

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

import dpbi
from dpbi.inference import group_planning as planning
from dpbi.inference.group_planning import (
    chance_at_counts,
    chance_of_order,
    cost_of_noise,
    epsilon_needed,
    people_needed,
)
from dpbi.mechanisms import EHDS, Geometric, KNorm, LSHist, LSZhang
from tests import oracles
from tests.every_mechanism import Kind, every_class
from tests.inference.test_share_comparison import greater

COSTS = {  # of the noise at epsilon .25, .5, 1 and 2, by people a group, uniform prior
    20: (2.26, 1.59, 1.20, 1.045),
    100: (1.63, 1.20, 1.051, 1.010),
    1000: (1.090, 1.023, 1.006, 1.001),
}


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


def brute(
    kinds: tuple[str, str], prior: tuple[int, int], sizes: tuple[int, int], shares: tuple[float, float],
    epsilons: tuple[float, float], sure: float,
) -> tuple[float, float]:
    """Every pair of counts and of releases, Bayes' rule and fractions for P(theta_1 > theta_2 | c)."""
    laws = [oracles.laws_of_all_datasets(kind, prior, n, epsilon=epsilon)
            for kind, n, epsilon in zip(kinds, sizes, epsilons, strict=True)]  # fmt: skip
    releases = [sorted({r for law in every.values() for r in law}) for every in laws]
    a, b = prior
    right = wrong = 0.0
    for r, s in itertools.product(*releases):
        given = [oracles.counts_given_release(every, prior, one) for every, one in zip(laws, (r, s), strict=True)]
        p = sum(float(x * y) * float(greater(a + c[0], b + c[1], a + d[0], b + d[1]))
                for c, x in given[0].items() for d, y in given[1].items())  # fmt: skip
        chance = math.prod(sum(float(every[c].get(one, 0)) * stats.binom.pmf(c[0], n, share) for c in every)
                           for every, one, n, share in zip(laws, (r, s), sizes, shares, strict=True))  # fmt: skip
        right, wrong = right + chance * (p >= sure), wrong + chance * (p <= 1 - sure)
    return right, wrong


@pytest.mark.parametrize(("kind", "prior", "sizes"), [(Geometric, (1, 1), (6, 4)), (LSHist, (1, 2), (4, 5)),
                                                      (EHDS, (1, 1), (5, 5)), (LSZhang, (1, 1), (3, 2))])  # fmt: skip
def test_the_chance_is_the_sum_over_all_counts_and_releases(
    kind: Kind, prior: tuple[int, int], sizes: tuple[int, int]
) -> None:
    shares, sure = (0.8, 0.3), 0.83
    wanted = brute((kind.__name__,) * 2, prior, sizes, shares, (2.0, 2.0), sure)
    found = chance_of_order(kind(2.0), prior, sizes, shares, sure)
    assert found.exact and (found.right, found.wrong) == pytest.approx(wanted, abs=1e-9)
    turned = chance_of_order(kind(2.0), prior, sizes[::-1], shares[::-1], sure)
    assert (turned.right, turned.wrong) == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize("sizes", [(5, 3), (4, 4)])
def test_of_a_pair_each_group_has_its_own_mechanism_and_epsilon(sizes: tuple[int, int]) -> None:
    pair, prior, shares, sure = (Geometric(2.0), LSHist(0.7)), (1, 2), (0.8, 0.3), 0.8
    wanted = brute(("Geometric", "LSHist"), prior, sizes, shares, (2.0, 0.7), sure)
    found = chance_of_order(pair, prior, sizes, shares, sure)
    assert found.exact and (found.right, found.wrong) == pytest.approx(wanted, abs=1e-9)
    turned = chance_of_order(pair[::-1], prior, sizes[::-1], shares[::-1], sure)
    assert (turned.right, turned.wrong) == pytest.approx(wanted, abs=1e-9)
    at = [chance_at_counts(pair, prior, (c, d), sizes, sure) for c in range(sizes[0] + 1) for d in range(sizes[1] + 1)]
    p = [stats.binom.pmf(np.arange(n + 1), n, share) for n, share in zip(sizes, shares, strict=True)]
    weights = (p[0][:, None] * p[1]).ravel()
    assert (found.right, found.wrong) == pytest.approx(tuple(weights @ np.array(at, dtype=float)), abs=1e-9)


def test_the_cost_of_a_pair_is_the_sum_of_each_groups_variance() -> None:
    pair, prior, sizes = (Geometric(1.0), KNorm(0.3)), (1, 2), (40, 40)
    found = cost_of_noise(pair, prior, sizes, rng())
    alone = [cost_of_noise(own, prior, (n, n), rng()) for own, n in zip(pair, sizes, strict=True)]
    for name in ("with_noise", "without"):
        assert 2 * getattr(found, name) ** 2 == pytest.approx(sum(getattr(one, name) ** 2 for one in alone), rel=1e-12)


def test_sizes_and_epsilons_that_are_needed_stay_in_proportion() -> None:
    prior, shares, pair = (1, 1), (0.6, 0.2), (Geometric(1.0), Geometric(0.25))
    found = people_needed(pair, prior, shares, 0.7, proportion=(30, 75))
    assert found and found.right >= 0.7 and found.sizes[0] == math.ceil(found.sizes[1] * 0.4)
    less = (math.ceil((found.sizes[1] - 1) * 0.4), found.sizes[1] - 1)
    assert chance_of_order(pair, prior, less, shares).right < 0.7
    needed = epsilon_needed(pair, prior, (40, 90), shares, 0.7)
    assert needed is not None and needed[1].right >= 0.7
    at = [chance_of_order(planning.with_epsilon(pair, epsilon), prior, (40, 90), shares)
          for epsilon in (needed[0], needed[0] / 1.003)]  # fmt: skip
    assert at[0] == needed[1] and at[1].right < 0.7
    same = planning.with_epsilon(pair, needed[0])
    assert same == (Geometric(needed[0]), Geometric(0.25 * needed[0]))


def test_of_two_categories_noise_of_any_total_is_as_whole_number_noise() -> None:
    found = [chance_of_order(kind(0.6), (1, 2), (30, 25), (0.6, 0.3)) for kind in (KNorm, Geometric)]
    assert (found[0].right, found[0].wrong) == pytest.approx((found[1].right, found[1].wrong), abs=1e-9)


@pytest.mark.parametrize("prior", [(1, 1), (2, 5), (7, 1)])
def test_which_is_greater_at_every_pair_of_counts_is_the_fraction(prior: tuple[int, int]) -> None:
    (a, b), (n, m) = prior, (9, 13)
    found = planning._greater((float(a), float(b)), (n, m))
    for c, d in itertools.product(range(n + 1), range(m + 1)):
        assert found[c, d] == pytest.approx(float(greater(a + c, b + n - c, a + d, b + m - d)), abs=1e-9)


def test_which_is_greater_is_compares_at_any_prior_and_size() -> None:
    for prior, sizes in (((0.5, 0.5), (900, 40)), ((0.05, 3.0), (30, 700)), ((200.0, 1.0), (500, 500))):
        found = planning._greater(prior, sizes)
        for c, d in ((0, 0), (sizes[0] // 3, sizes[1] // 2), (sizes[0], sizes[1])):
            one, two = ((prior[0] + x, prior[1] + n - x) for x, n in ((c, sizes[0]), (d, sizes[1])))
            assert found[c, d] == pytest.approx(dpbi.compare(one, two).probability_greater, abs=1e-8)


def test_sure_of_the_order_is_an_interval_on_one_side_of_zero() -> None:
    n, prior, mechanism = 20, (1.0, 1.0), Geometric(1.0)
    for pair in ((10, 2), (11, 4), (12, 5), (17, 11), (2, 17)):
        given = [dpbi.noise_aware_posterior(mechanism, prior, n, (r, n - r)) for r in pair]
        found = dpbi.compare(given[0], given[1])
        assert (found.difference.interval()[0] > 0) == (found.probability_greater > planning.SURE)


def test_the_chance_without_noise_is_that_of_the_counts() -> None:
    right, wrong = chance_at_counts(None, (1, 1), (40, 20), (50, 60)) or (0, 0)
    assert (right, wrong) == (1.0, 0.0)
    assert chance_at_counts(None, (1, 1), (20, 20), (50, 50)) == (0.0, 0.0)
    found = chance_of_order(None, (1, 1), (30, 30), (0.7, 0.3))
    p = stats.binom.pmf(np.arange(31)[:, None], 30, [0.7, 0.3])
    sure = planning._greater((1.0, 1.0), (30, 30)) >= planning.SURE
    assert found.right == pytest.approx(float(p[:, 0] @ sure @ p[:, 1]), abs=1e-12)
    assert chance_at_counts(None, (1, 1), (20, 20), (1_001, 50)) is None


def test_a_second_category_is_the_first_of_the_turned_prior() -> None:
    for mechanism in (Geometric(0.7), KNorm(0.7)):
        one = chance_of_order(mechanism, (1, 3), (30, 40), (0.3, 0.5))
        two = chance_of_order(mechanism, (1, 3), (30, 40), (0.7, 0.5), category=1)
        assert (one.right, one.wrong) == pytest.approx((two.right, two.wrong), abs=1e-12)
        costs = [cost_of_noise(mechanism, (1, 3), (30, 40), rng(), category) for category in (0, 1)]
        assert costs[0].with_noise == pytest.approx(costs[1].with_noise, rel=1e-12)


@every_class
def test_more_people_and_a_larger_epsilon_convince_more(kind: Kind) -> None:
    at = [chance_of_order(kind(8.0), (1, 1), (n, n), (0.8, 0.2)).right for n in (4, 12, 36)]
    assert at == sorted(at)
    by = [chance_of_order(kind(e), (1, 1), (25, 25), (0.8, 0.2)).right for e in (0.1, 2.0, 20.0)]
    assert by == sorted(by)
    assert by[-1] <= chance_of_order(None, (1, 1), (25, 25), (0.8, 0.2)).right + 0.02


@pytest.mark.parametrize("epsilon", [0.25, 1.0])
def test_the_normal_approximation_is_near_what_is_exact_and_says_so(
    epsilon: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = Geometric(epsilon), (1, 1), (400, 300), (0.42, 0.3)
    exact = chance_of_order(*asked)
    monkeypatch.setattr(planning, "EXACT_LARGEST", 10)
    about = chance_of_order(*asked)
    assert (exact.exact, about.exact) == (True, False)
    assert about.right == pytest.approx(exact.right, abs=0.015)


def test_several_categories_are_as_the_one_against_the_rest_where_there_is_no_noise() -> None:
    found = chance_of_order(None, (1, 0.5, 1.5), (260, 260), (0.45, 0.35), category=1)
    assert found == chance_of_order(None, (0.5, 2.5), (260, 260), (0.45, 0.35)) and found.exact
    p = stats.binom.pmf(np.arange(8)[:, None], 7, [0.9, 0.2])  # counts of the second of four, and fractions
    sure = np.array([[float(greater(2 + c, 5 + 7 - c, 2 + d, 5 + 7 - d)) >= 0.9 for d in range(8)] for c in range(8)])
    of_four = chance_of_order(None, (1, 2, 3, 1), (7, 7), (0.9, 0.2), 0.9, category=1)
    assert of_four.right == pytest.approx(float(p[:, 0] @ sure @ p[:, 1]), abs=1e-9)
    noisy = chance_of_order(Geometric(0.5), (1, 1, 1), (260, 260), (0.45, 0.35), category=1)
    noise = 1 / (2 * math.sinh(0.25 / 2) ** 2)  # of a count among three, of n known
    sd = math.sqrt((0.45 * 0.55 + 0.35 * 0.65) / 260 + 2 * noise / 260**2)
    assert noisy.right == pytest.approx(stats.norm.cdf(0.1 / sd - stats.norm.ppf(planning.SURE)), abs=0.02)


@pytest.mark.parametrize("mechanism", [None, Geometric(1.0)], ids=str)
@pytest.mark.parametrize("prior", [(50, 150), (200, 200), (20, 5)])
def test_the_normal_approximation_follows_a_strong_prior(
    mechanism: dpbi.Mechanism | None, prior: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A prior of 400 records pulls both shares together: with it none of 150 and 300 people are sure."""
    asked = mechanism, prior, (400, 300), (0.42, 0.3)
    exact = chance_of_order(*asked)
    monkeypatch.setattr(planning, "EXACT_LARGEST", 10)
    about = chance_of_order(*asked)
    assert (exact.exact, about.exact) == (True, False)
    assert about.right == pytest.approx(exact.right, abs=0.02) and about.wrong < 1e-3


def test_two_digits_upwards_are_what_an_approximation_knows() -> None:
    for value, wanted in ((349.0, 350), (350.0, 350), (351.0, 360), (1e7, 1e7), (99.5, 100), (0.4321, 0.44)):
        assert planning.rounded_up(value) == pytest.approx(wanted, rel=1e-12)


def test_people_and_epsilon_that_are_needed_reach_the_chance_and_a_little_less_does_not() -> None:
    asked = (1, 1), (0.5, 0.2)
    for mechanism in (Geometric(0.5), None):
        found = people_needed(mechanism, *asked, 0.8)
        assert found is not None and found.exact and found.right >= 0.8
        n = found.sizes[0] - 1
        assert chance_of_order(mechanism, asked[0], (n, n), asked[1]).right < 0.8
    assert people_needed(Geometric(0.01), (1, 1), (0.500001, 0.5), 0.99) is None
    needed = epsilon_needed(Geometric(1.0), (1, 1), (60, 60), (0.5, 0.2), 0.8)
    assert needed is not None and needed[1].right >= 0.8
    assert chance_of_order(Geometric(needed[0] / 1.003), (1, 1), (60, 60), (0.5, 0.2)).right < 0.8
    assert epsilon_needed(Geometric(1.0), (1, 1), (10, 10), (0.5, 0.4), 0.8) is None
    many = epsilon_needed(Geometric(1.0), (1, 1), (10**5, 10**5), (0.9, 0.1), 0.8)
    assert many is not None and many[0] == 0.001 and not many[1].exact


@pytest.mark.parametrize("n", [*COSTS])
def test_the_costs_of_noise_are_those_of_the_table_and_near_the_rule(n: int) -> None:
    for epsilon, wanted in zip((0.25, 0.5, 1.0, 2.0), COSTS[n], strict=True):
        found = cost_of_noise(Geometric(epsilon), (1, 1), (n, n), rng())
        assert found.error == 0
        assert found.ratio == pytest.approx(wanted, abs=0.006 if wanted > 1.1 else 0.0006)
        noise = 1 / (2 * math.sinh(epsilon / 2) ** 2)
        rule = math.sqrt(1 + 6 * noise / n)
        assert rule > 1.3 or found.ratio == pytest.approx(rule, abs=0.25 * (rule - 1) + 0.0005)


def test_the_cost_is_the_references_and_the_sum_over_all_releases() -> None:
    found = cost_of_noise(Geometric(1.0), (1, 1), (100, 100), rng())
    each = math.sqrt(2)  # the reference is of one group's share
    assert found.with_noise / each == pytest.approx(0.0424944968283, abs=1e-12)
    assert found.without / each == pytest.approx(0.0404226041727, abs=1e-12)
    n, prior, mechanism = 7, (1.0, 2.0), KNorm(0.6)
    listed = mechanism.listing(prior, n, 10_000)
    assert listed is not None
    predictive = stats.betabinom.pmf(listed.datasets[:, 0], n, *prior)
    total = 0.0
    for r, p in zip(listed.released.tolist(), predictive @ listed.law, strict=True):
        x = np.linspace(0, 1, 4001)
        density = dpbi.noise_aware_posterior(mechanism, prior, n, r).density(x) if p > 1e-9 else np.ones(x.size)
        mean = np.trapezoid(x * density, x)
        total += p * float(np.trapezoid((x - mean) ** 2 * density, x))
    assert cost_of_noise(mechanism, prior, (n, n), rng()).with_noise**2 == pytest.approx(2 * total, rel=1e-5)


def test_a_cost_that_is_drawn_says_its_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four standard errors: a false alarm in about 1 of 2,000 cases, as 16 draws have heavier tails."""
    asked = Geometric(0.4), (1.0, 1.0), (60, 90)
    exact = cost_of_noise(*asked, rng())
    monkeypatch.setattr(planning, "EXACT_LARGEST", 10)
    drawn = cost_of_noise(*asked, np.random.default_rng(2))
    assert 0 < drawn.error < 0.1 * drawn.without
    assert drawn.with_noise == pytest.approx(exact.with_noise, abs=5 * drawn.error)
    assert drawn.without == exact.without
    assert cost_of_noise(KNorm(1.0), (1, 1, 1), (40, 50), np.random.default_rng(2)).ratio > 1


WRONG: dict[str, Callable[[], object]] = {
    "shares": lambda: chance_of_order(None, (1, 1), (5, 5), (0.3, 0.3)),
    "each of shares": lambda: chance_of_order(None, (1, 1), (5, 5), (0.3, 1.0)),
    "each of sizes": lambda: chance_of_order(None, (1, 1), (0, 5), (0.3, 0.2)),
    "sure": lambda: chance_of_order(None, (1, 1), (5, 5), (0.3, 0.2), 0.4),
    "chance": lambda: people_needed(None, (1, 1), (0.3, 0.2), 1.0),
    "category": lambda: cost_of_noise(Geometric(1.0), (1, 1), (5, 5), rng(), 2),
    "each of counts": lambda: chance_at_counts(None, (1, 1), (6, 5), (5, 5)),
    "prior": lambda: chance_at_counts(None, (1, 1, 1), (4, 5), (5, 5)),
    "proportion": lambda: people_needed(None, (1, 1), (0.3, 0.2), 0.5, proportion=(1, 10**7)),
    "mechanism must": lambda: chance_of_order((Geometric(1.0), None), (1, 1), (5, 5), (0.3, 0.2)),  # type: ignore
    "mechanism": lambda: chance_of_order("KNorm", (1, 1), (5, 5), (0.3, 0.2)),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_refused_in_words(name: str) -> None:
    with pytest.raises(ValueError, match=name):
        WRONG[name]()
