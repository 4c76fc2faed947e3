"""The clouds of two tables: a curve's probability by listing, draws by the mechanism, and turns of the game."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from scipy import stats

from dpbi import MECHANISMS, Clouds, Problem, best_guess, calibrate, clouds
from dpbi.inference.clouds import CURVES, DRAWS, turn
from tests.every_mechanism import Kind, enumerated, every_class, outputs
from tests.goodness_of_fit import assert_frequencies, assert_p_value
from tests.oracles import hellinger_float

PAIRS = [
    (Problem((1.0, 1.0), (6, 4)), (5, 5), 0),
    (Problem((0.1, 50.0), (0, 5)), (1, 4), 1),
    (Problem((2.0, 0.5, 1.0), (1, 0, 3)), (2, 0, 2), 2),
]


def found(kind: Kind, problem: Problem, other: tuple[int, ...], *epsilons: float, seed: int = 1) -> Clouds:
    return clouds(kind(1.0), problem, problem.with_counts(other), epsilons, np.random.default_rng(seed))


def curve(problem: Problem, released: Any, category: int) -> tuple[float, float]:
    own = problem.prior[category] + released[category]
    rest = sum(a + r for i, (a, r) in enumerate(zip(problem.prior, released, strict=True)) if i != category)
    return round(own, 9), round(rest, 9)


@pytest.mark.parametrize(("problem", "other", "category"), PAIRS, ids=str)
@every_class
def test_a_curve_is_as_strong_as_all_releases_with_it_are_probable(
    kind: Kind, problem: Problem, other: tuple[int, ...], category: int
) -> None:
    epsilons = sorted({enumerated(kind, epsilon, problem.k) for epsilon in (0.3, 2.0, 20.0)})
    drawn = found(kind, problem, other, *epsilons)
    tables = problem, problem.with_counts(other)
    laws = []
    for table in tables:
        for epsilon in epsilons:
            mechanism, law = kind(epsilon), Counter[tuple[float, float]]()
            releases = outputs(mechanism, table)
            for r, p in zip(releases.tolist(), np.exp(mechanism.log_pmf(table, releases)).tolist(), strict=True):
                law[curve(table, r, category)] += p
            laws.append(law)
    seen = {one for law in laws for one, p in law.items() if p >= 1e-3}
    whole = min(sum(law[one] for one in seen) for law in laws) >= 0.95
    assert drawn.category == category
    assert drawn.exact == (len(seen) <= CURVES and whole)
    assert drawn.truths == pytest.approx(np.array([curve(one, one.counts, category) for one in tables]))
    if drawn.exact:
        weights, parameters = drawn.weights.reshape(len(laws), -1), drawn.parameters.reshape(len(laws), -1, 2)
        for law, row, strength in zip(laws, parameters.round(9).tolist(), weights, strict=True):
            assert {tuple(one) for one in row} == seen
            assert strength == pytest.approx([law[own, rest] for own, rest in row], abs=1e-9)


@every_class
def test_a_few_curves_of_a_law_that_is_spread_over_many_are_not_called_the_cloud(kind: Kind) -> None:
    for n in (60, 1000, 40_000):
        for epsilons in ([1e-3], [30.0], [0.05, 1e6]):
            drawn = found(kind, Problem((1, 1), (n, 0)), (n - 1, 1), *epsilons)
            assert drawn.weights.shape[2] <= CURVES
            assert drawn.weights.sum(axis=2).min() >= (0.95 if drawn.exact else 1 - 1e-9)
            assert drawn.weights.sum(axis=2).max() <= 1 + 1e-9


@every_class
def test_draws_are_the_mechanisms_own_by_the_same_random_numbers_at_every_epsilon(kind: Kind) -> None:
    problem, other, epsilons = Problem((0.5, 2.0, 1.0), (70, 0, 130)), (71, 0, 129), (0.1, 1.0, 4.0)
    rng = np.random.default_rng(7)
    before = rng.bit_generator.state
    drawn = clouds(kind(9.0), problem, problem.with_counts(other), epsilons, rng)
    assert rng.bit_generator.state == before
    assert not drawn.exact and drawn.weights == pytest.approx(np.full((2, 3, DRAWS), 1 / DRAWS))
    pair = (problem, problem.with_counts(other))
    moved = {j: hellinger_float(*(curve(table, table.counts, j) for table in pair)) for j in (0, 2)}
    share = max(moved, key=lambda j: moved[j])
    assert drawn.epsilons == epsilons and drawn.category == share
    assert drawn.answer == (problem.counts[share] < other[share])
    for table, parameters in zip(pair, drawn.parameters, strict=True):
        for epsilon, row in zip(epsilons, parameters, strict=True):
            released = kind(epsilon).sample(table, np.random.default_rng(7), DRAWS)
            own = sorted(curve(table, r, share) for r in released.tolist())
            assert sorted(map(tuple, row.round(9).tolist())) == own
            mean = row[:, 0] / row.sum(axis=1)
            assert (np.diff(mean) >= 0).all()
    for epsilon, guess in zip(epsilons, drawn.guesses, strict=True):
        assert guess == best_guess(kind(epsilon), problem, problem.with_counts(other))


@every_class
def test_a_calibrated_mechanism_is_calibrated_anew_at_each_epsilon(kind: Kind) -> None:
    """Its multiplier holds at one epsilon: carried over to another it would promise what nothing has checked."""
    problem, other = Problem((1, 1), (3, 1)), Problem((1, 1), (2, 2))
    mechanism = calibrate(kind(1.0), (1, 1), 4)
    drawn = clouds(mechanism, problem, other, (0.7, 1.0), np.random.default_rng(1))
    assert [one.mechanism for one in drawn.guesses] == [calibrate(kind(0.7), (1, 1), 4), mechanism]
    assert all(one.share <= 1 / (1 + np.exp(-one.mechanism.epsilon)) + 1e-8 for one in drawn.guesses)
    with_delta = clouds(calibrate(kind(1.0), (1, 1), 4, delta=0.01), problem, other, (0.7,), np.random.default_rng(1))
    assert with_delta.guesses[0].mechanism == calibrate(kind(0.7), (1, 1), 4, delta=0.01)


@pytest.mark.parametrize(("prior", "counts", "other"), [
    ((1e-9, 1e-9), (60, 0), (59, 1)), ((1e12, 1e-9), (0, 60), (1, 59)), ((1e12, 1e12), (30, 30), (29, 31)),
    ((1.0, 1.0), (1, 0), (0, 1)), ((1.0,) * 300, (2,) * 300, (1, 3, *(2,) * 298)), ((0.1,) * 3, (10**5,) * 3,
                                                                                (10**5 - 1, 10**5, 10**5 + 1)),
], ids=lambda value: str(value)[:24])  # fmt: skip
@every_class
def test_it_holds_at_any_epsilon_prior_and_size(kind: Kind, prior: Any, counts: Any, other: Any) -> None:
    problem = Problem(prior, counts)
    drawn = found(kind, problem, other, 1e-9, 1e6)
    assert np.isfinite(drawn.parameters).all() and (drawn.parameters > 0).all()
    assert drawn.weights.sum(axis=2) == pytest.approx(np.ones((2, 2)), abs=0.05)
    assert all(0.5 <= one.share <= 1 for one in drawn.guesses)
    one = turn(kind(1.0), problem, problem.with_counts(other), np.random.default_rng(1))
    assert len(one.released) == problem.k


@every_class
def test_turns_are_fair_and_follow_both_laws_and_the_best_guess_is_right_as_often_as_is_said(kind: Kind) -> None:
    """False alarms as in ``goodness_of_fit``: 1e-6 a comparison."""
    problem, other, turns = Problem((0.4, 1.0), (3, 1)), Problem((0.4, 1.0), (4, 0)), 400
    mechanism, rng = kind(2.0), np.random.default_rng(28)
    played = [turn(mechanism, problem, other, rng) for _ in range(turns)]
    releases = outputs(mechanism, problem)
    laws = [np.exp(mechanism.log_pmf(table, releases)) for table in (problem, other)]
    drawn = Counter((one.answer, one.released) for one in played)
    assert_frequencies([drawn[answer, tuple(r)] for answer in (0, 1) for r in releases.tolist()],
                       np.concatenate(laws) / 2)
    best = [None if np.isclose(a, b, rtol=1e-9, atol=0) else int(b > a) for a, b in zip(*laws, strict=True)]
    likelier = dict(zip(map(tuple, releases.tolist()), best, strict=True))
    assert all(one.likelier == likelier[one.released] for one in played)
    right = sum((one.likelier or 0) == one.answer for one in played)
    assert_p_value(stats.binomtest(right, turns, best_guess(mechanism, problem, other).share).pvalue)


def test_what_no_cloud_can_be_drawn_of_is_refused() -> None:
    kind, problem = MECHANISMS[0], Problem((1, 1), (3, 2))
    with pytest.raises(ValueError, match="epsilons must hold one"):
        found(kind, problem, (2, 3))
    with pytest.raises(ValueError, match="replaced record"):
        found(kind, problem, (1, 4), 1.0)
    with pytest.raises(ValueError, match="epsilon"):
        found(kind, problem, (2, 3), 1.0, 0.0)
