"""What many releases lose together: loss laws and their sums against enumeration, and where exact sums do not hold."""

import math
from fractions import Fraction

import numpy as np
import pytest

from dpbi import MECHANISMS, privacy_profile
from dpbi.mechanisms import EHDS, Geometric, KNorm, Mechanism
from dpbi.privacy.composition import Composition, compose
from tests import oracles

NOISE = [KNorm, Geometric]


def delta_of_pair(laws: list[oracles.Law], others: list[oracles.Law], epsilon: float) -> float:
    """sum over all outputs of two releases of (P - e^epsilon P')_+, outputs of probability below 1e-6 left out."""
    both = [np.array([(float(p), float(other.get(r, 0))) for r, p in law.items() if p > 1e-6]).T
            for law, other in zip(laws, others, strict=True)]
    p, q = (np.multiply.outer(*(one[side] for one in both)) for side in (0, 1))
    return float(np.maximum(p - np.exp(epsilon) * q, 0).sum())


@pytest.mark.parametrize("kind", NOISE)
@pytest.mark.parametrize("k", [2, 3, 4])
@pytest.mark.parametrize("epsilon", [1e-6, 0.3, 2.0, 30.0])
def test_the_loss_law_is_the_profile(kind: type[Mechanism], k: int, epsilon: float) -> None:
    """delta(epsilon) of one release, which ``privacy_profile`` finds another way; n so large that no edge shows."""
    prior, n, at = (1.0,) * k, 20, epsilon * np.array([0.0, 0.2, 0.5, 0.9, 1.0])
    found = compose([(kind(epsilon), prior, n)])
    assert found.exact
    wanted = privacy_profile(kind(epsilon), prior, n, at)
    assert found.delta(at) == pytest.approx(wanted, rel=1e-11, abs=1e-15)
    assert found.delta(at[-1]) == 0 and found.total == epsilon


@pytest.mark.parametrize(("k", "n"), [(2, 2), (3, 2)])
@pytest.mark.parametrize("kind", NOISE)
def test_two_releases_lose_what_enumeration_finds(kind: type[Mechanism], k: int, n: int) -> None:
    """Every pair of neighbours, and the worst of them attains it: noise cut at the ends loses no more."""
    prior, epsilons = (1.0,) * k, (2.5, 1.5)
    each = [oracles.laws_of_all_datasets(kind.__name__, prior, n, epsilon=epsilon) for epsilon in epsilons]
    found = compose([(kind(epsilon), prior, n) for epsilon in epsilons])
    for at in (0.0, 0.9, 2.2):
        worst = max(delta_of_pair([laws[c] for laws in each], [laws[d] for laws in each], at)
                    for c in oracles.compositions(n, k) for d in oracles.neighbours(c))
        assert worst <= float(found.delta(at)) * (1 + 1e-9)
        if k == 2 or kind is KNorm:
            assert worst == pytest.approx(float(found.delta(at)), rel=0.02)


def test_reference_values() -> None:
    assert float(compose([(KNorm(0.5), (1,) * 3, 100)] * 2).delta(0.7)) == pytest.approx(0.046471573125608, rel=1e-11)
    assert compose([(KNorm(0.1), (1,) * 10, 100)] * 20).epsilon(1e-6) == pytest.approx(1.35002226304474, rel=1e-11)
    assert KNorm(1.0).loss_law((1, 1, 1), 10).probabilities[-1] == pytest.approx(0.5247244152337698, rel=1e-14)


def test_epsilon_is_the_least_with_that_delta() -> None:
    several = [(KNorm(0.1), (1,) * 10, 50)] * 7 + [(Geometric(0.25), (1, 1), 50)] * 3 + [(EHDS(0.5), (1, 1), 5)]
    for releases in (several[:7], several[:10], several, several[-1:]):
        found = compose(releases)
        for delta in (1e-12, 1e-6, 0.01, 0.3):
            epsilon = found.epsilon(delta)
            assert 0 <= epsilon <= found.total
            assert float(found.delta(epsilon)) <= delta * (1 + 1e-9)
            assert epsilon == 0 or float(found.delta(epsilon * (1 - 1e-6))) > delta
        assert found.epsilon(0.0) == pytest.approx(found.total, rel=1e-11) and found.epsilon(1.0) == 0


def test_order_and_batch_do_not_matter_and_the_grid_bounds_from_above() -> None:
    releases = [(KNorm(0.07 + 0.013 * i), (1, 1, 1), 30) for i in range(14)]
    found, turned = compose(releases), compose(releases[::-1])
    assert not found.exact
    assert found.epsilon(1e-6) == pytest.approx(turned.epsilon(1e-6), rel=1e-9)
    exactly = _delta_of_sums([mechanism.loss_law(prior, n) for mechanism, prior, n in releases[:10]], 0.5)
    assert float(compose(releases[:10]).delta(0.5)) == pytest.approx(exactly, rel=1e-11)
    less = compose([*releases[:10], *[(KNorm(1e-6 * (1 + i)), (1, 1, 1), 30) for i in range(4)]])
    assert not less.exact and exactly <= float(less.delta(0.5)) <= exactly * 1.01


def _delta_of_sums(laws: list, epsilon: float) -> float:
    sums = np.zeros(1)
    probability = np.ones(1)
    for law in laws:
        sums = np.add.outer(sums, law.losses).ravel()
        probability = np.multiply.outer(probability, law.probabilities).ravel()
    return float(probability @ np.maximum(1 - np.exp(epsilon - sums), 0))


def test_many_equal_releases_on_the_grid_are_no_less_than_their_exact_sum() -> None:
    """Losses -e, 0, e and -2e, 0, 2e: all sums are multiples of e, exactly; 1,001 x 1,001 sums."""
    some, more = Geometric(0.125), Geometric(0.25)
    found = compose([(some, (1, 1, 1), 50)] * 500 + [(more, (1, 1, 1), 50)] * 500)
    one, two = (_power(of.loss_law((1, 1, 1), 50).probabilities, 500) for of in (some, more))
    wide = np.zeros(2 * two.size - 1)
    wide[::2] = two
    law, losses = np.convolve(one, wide), 0.125 * np.arange(-1500, 1501)
    for at in (0.0, 20.0, 40.0):
        wanted = float(law @ np.maximum(1 - np.exp(at - losses), 0))
        assert wanted <= float(found.delta(at)) <= wanted * 1.05
    assert found.total == found.epsilon(0.0) == found.epsilon(1e-300) == 187.5 and not found.exact


def _power(law: np.ndarray, times: int) -> np.ndarray:
    found = np.ones(1)
    for _ in range(times):
        found = np.convolve(found, law)
    return found


@pytest.mark.parametrize(("epsilon", "times"), [(16.83, 100), (0.1, 3), (0.1, 5000), (0.7, 9)])
def test_the_sum_of_epsilons_is_never_below_itself(epsilon: float, times: int) -> None:
    found = compose([(Geometric(epsilon), (1, 1), 9)] * times)
    assert Fraction(epsilon) * times <= Fraction(found.total) <= Fraction(epsilon) * times * (1 + Fraction(1, 10**15))
    assert found.epsilon(0.0) == found.total


def test_no_mechanism_loses_more_than_its_law() -> None:
    for kind in MECHANISMS:
        mechanism = kind(0.8)
        try:
            law = compose([(mechanism, (1, 1), 6)])
        except ValueError as refusal:
            assert not mechanism.guarantee((1, 1), 6).is_private and "no proved epsilon" in str(refusal)
            continue
        at = np.linspace(0, 0.8, 5)
        assert (privacy_profile(mechanism, (1, 1), 6, at) <= law.delta(at) * (1 + 1e-9) + 1e-13).all()


def test_without_records_nothing_is_lost() -> None:
    found = compose([(kind(1.0), (1, 1), 0) for kind in NOISE])
    assert found.total == 0 and found.epsilon(0.0) == 0 and found.delta([0.0, 1.0]).tolist() == [0.0, 0.0]
    assert compose([]).total == 0


def test_epsilons_chosen_after_seeing_releases_may_lose_more_than_either_sequence() -> None:
    """Why an (epsilon, delta) budget is a plan: with budget (2, .01) both sequences pass, and the choice does not.

    Geometric(.1) first; after a positive loss four of Geometric(.5), else 79 more of Geometric(.1).
    """
    def of(*releases: tuple[float, int]) -> Composition:
        return compose([(Geometric(epsilon), (1, 1), 100) for epsilon, times in releases for _ in range(times)])

    budget = 2.0
    few, many = of((0.1, 1), (0.5, 4)), of((0.1, 80))
    assert float(few.delta(budget)) == pytest.approx(0.0075, abs=5e-5)
    assert float(many.delta(budget)) == pytest.approx(0.0093, abs=5e-5)
    positive = 1 / (1 + math.exp(-0.1))

    def later(releases: Composition, loss: float) -> float:
        return float(releases.delta(budget - loss))

    together = positive * later(of((0.5, 4)), 0.1) + (1 - positive) * later(of((0.1, 79)), -0.1)
    assert together == pytest.approx(0.0106, abs=5e-5) and together > 0.01


@pytest.mark.parametrize(("argument", "words"), [
    ([(KNorm(1.0), (1, 1))], "releases must be"), (3, "releases"), ([("KNorm", (1, 1), 3)], "mechanism"),
])
def test_refusals(argument: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        compose(argument)  # type: ignore[arg-type]
