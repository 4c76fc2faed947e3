"""Calibration: the loss raised to epsilon and not beyond it, valid for one prior and n and nowhere else."""

import dataclasses
import math
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpbi import (
    MECHANISMS,
    ApproximateDP,
    NotPrivate,
    Problem,
    PureDP,
    calibrate,
    distance_law,
    hellinger,
    privacy_loss,
    privacy_profile,
)
from dpbi.mechanisms import EHDS, Mechanism, name_of
from tests import oracles
from tests.every_mechanism import (
    Kind,
    Options,
    Prior,
    box,
    enumerated,
    every_class,
    every_mechanism,
    exceeds_total,
    has_rate,
    oracle_laws,
    outputs,
)
from tests.goodness_of_fit import assert_follows
from tests.oracles import mp
from tests.privacy.test_loss import log_ratio
from tests.test_mechanism_contract import law_of

NEARLY = 1 - 1e-6  # of epsilon, that a calibrated mechanism spends at least

every_audit = pytest.mark.parametrize(
    ("prior", "n"),
    [((1, 1), 30), ((0.01, 1000), 17), ((7, 4), 1), ((0.5,) * 3, 6), ((100, 1000, 100), 4), ((2, 0.1, 1, 1), 2)],
    ids=str,
)


# The loss -------------------------------------------------------------------------------------------


@every_mechanism
@every_audit
def test_the_loss_is_epsilon_and_never_more(kind: Kind, chosen: Options, prior: Prior, n: int) -> None:
    for epsilon in (1e-6, 1.0, 1e3, 1e6):
        calibrated = calibrate(kind(epsilon, **chosen), prior, n)
        assert NEARLY * epsilon <= privacy_loss(calibrated, prior, n).upper <= epsilon
    assert privacy_profile(calibrated, prior, n, [0.9 * epsilon, epsilon])[1] == 0


@every_mechanism
@pytest.mark.parametrize(("prior", "n"), [((1, 3), 20), ((0.01, 1000, 3), 2)], ids=str)
def test_what_it_releases_has_that_loss(kind: Kind, chosen: Options, prior: Prior, n: int) -> None:
    """By log_pmf, for the pair and output of the audit: the rate in use is the rate that was checked."""
    calibrated = calibrate(kind(1.0, **chosen), prior, n)
    assert NEARLY <= log_ratio(calibrated, privacy_loss(calibrated, prior, n)) <= 1


@every_mechanism
@pytest.mark.parametrize(("prior", "n"), [((0.3, 5), 6), ((0.5, 0.5, 0.5), 3), ((100, 1000, 100), 2)], ids=str)
def test_the_true_loss_is_at_most_epsilon(kind: Kind, chosen: Options, prior: Prior, n: int) -> None:
    """In 50 digits, the laws written apart: P^multiplier normalised for a selection, the scale divided for noise."""
    for epsilon in (enumerated(kind, 0.2, len(prior)), 5.0):
        plain = kind(epsilon, **chosen)
        multiplier = calibrated_by(calibrate(plain, prior, n))
        if has_rate(kind):
            laws = {counts: sharpened(law, multiplier) for counts, law in oracle_laws(plain, prior, n).items()}
        else:
            laws = oracle_laws(kind(epsilon * multiplier, **chosen), prior, n)
        assert NEARLY * epsilon <= oracles.privacy_loss(laws, prior, n).epsilon <= epsilon


def sharpened(law: oracles.Law, multiplier: float) -> oracles.Law:
    """exp(-multiplier rate H) / Z, given exp(-rate H) / Z."""
    powers = {released: probability ** mp.mpf(multiplier) for released, probability in law.items()}
    total = mp.fsum(powers.values())
    return {released: power / total for released, power in powers.items()}


# With a delta --------------------------------------------------------------------------------------

DELTAS = (1e-300, 1e-8, 1e-3, 0.4, 1 - 1e-9)


@pytest.mark.parametrize(("delta", "multiplier"), [(0, 3.063), (1e-8, 3.063), (1e-4, 3.066), (1e-2, 3.307)])
def test_what_a_delta_buys(delta: float, multiplier: float) -> None:
    """[P17] section 8.2, uniform prior, n = 60, epsilon 1: hardly anything."""
    assert calibrated_by(calibrate(EHDS(1.0), (1, 1), 60, delta=delta)) == pytest.approx(multiplier, abs=5e-4)


@every_mechanism
@pytest.mark.parametrize(("prior", "n"), [((0.3, 5), 6), ((0.5, 0.5, 0.5), 3), ((100, 1000, 100), 2)], ids=str)
def test_the_true_delta_is_at_most_delta(kind: Kind, chosen: Options, prior: Prior, n: int) -> None:
    """In 50 digits, by the laws written apart; no delta raises the multiplier less than a smaller one does."""
    plain, last = kind(enumerated(kind, 0.2, len(prior)), **chosen), 0.0
    for delta in DELTAS:
        try:
            calibrated = calibrate(plain, prior, n, delta=delta)
        except ValueError as refused:  # noise that is floored to one of two counts at any strength
            assert re.search(r"its delta at epsilon = .* stays below delta = .*\. Choose a smaller", str(refused))
            assert privacy_profile(plain.sharpened(1e9, prior, n), prior, n, [plain.epsilon])[0] < delta
            continue
        multiplier = calibrated_by(calibrated)
        if has_rate(kind):
            laws = {counts: sharpened(law, multiplier) for counts, law in oracle_laws(plain, prior, n).items()}
        else:
            laws = oracle_laws(kind(plain.epsilon * multiplier, **chosen), prior, n)
        found = oracles.privacy_profile(laws, prior, n, [plain.epsilon])[0]
        assert found <= delta and last * NEARLY <= multiplier
        assert delta < 1e-6 or found >= NEARLY * delta
        last = multiplier
        guarantee = calibrated.guarantee(prior, n)
        assert isinstance(guarantee, ApproximateDP) and guarantee.is_private
        assert (guarantee.epsilon, guarantee.delta, guarantee.basis) == (plain.epsilon, delta, "exhaustive check")


@every_class
def test_a_delta_is_part_of_the_value(kind: Kind) -> None:
    plain = kind(1.0)
    pure, calibrated = calibrate(plain, (1, 2), 8), calibrate(plain, (1, 2), 8, delta=1e-3)
    assert calibrate(plain, (1, 2), 8, delta=0) == pure == calibrate(calibrated, (1, 2), 8) != calibrated
    assert calibrated.calibration and calibrated.calibration[1:] == ((1, 2), 8, 1e-3)
    assert kind(1.0, calibration=(*calibrated.calibration[:3], 0.0)).calibration == calibrated.calibration[:3]
    assert name_of(calibrated) == f"{kind.label} calibrated with delta 0.001"
    assert calibrate(plain, (1, 2), 0, delta=0.5) == plain
    for less in (0.0, 9e-4):  # another delta than it was found for certifies nothing
        other = dataclasses.replace(plain, calibration=(*calibrated.calibration[:3], less))
        with pytest.raises(ValueError, match="The calibration of this mechanism does not hold: its exact"):
            other.guarantee((1, 2), 8)


@pytest.mark.parametrize("delta", [-1e-9, 1, 1.5, math.nan, math.inf, "0.1", None, True, [0.1]], ids=repr)
def test_what_is_no_delta_is_refused(delta: Any) -> None:
    with pytest.raises(ValueError, match=r"delta must .*: got .*\."):
        calibrate(EHDS(1.0), (1, 1), 3, delta=delta)
    with pytest.raises(ValueError, match=r"calibration must .* delta must .*: got .*\."):
        EHDS(1.0, calibration=(2.0, (1, 1), 3, delta))


def calibrated_by(mechanism: Mechanism) -> float:
    assert mechanism.calibration
    return mechanism.calibration[0]


def test_unused_budget_becomes_accuracy_and_a_broken_promise_is_mended() -> None:
    """prior (100, 1000, 100), n = 25, epsilon 1: whoever lost less comes nearer, whoever lost more steps back."""
    problem, raised, lowered = Problem((100, 1000, 100), (0, 24, 1)), 0, 0
    for plain in (kind(1.0) for kind in MECHANISMS):
        calibrated = calibrate(plain, problem.prior, problem.n)
        before, after = (distance_law(mechanism, problem).mean for mechanism in (plain, calibrated))
        loss = privacy_loss(plain, problem.prior, problem.n).epsilon
        if loss < 0.999:
            raised += 1
            assert calibrated_by(calibrated) > 1 and after < before
        elif loss > 1.001:
            lowered += 1
            assert calibrated_by(calibrated) < 1 and after > before
            assert isinstance(plain.guarantee(problem.prior, problem.n), NotPrivate)
        else:
            assert calibrated_by(calibrated) == pytest.approx(1, abs=1e-8)
        assert calibrated.guarantee(problem.prior, problem.n).is_private
    assert raised >= 4 and lowered >= 1


# The value ------------------------------------------------------------------------------------------


@every_mechanism
@every_audit
def test_a_calibrated_mechanism_is_a_value_of_its_class(kind: Kind, chosen: Options, prior: Prior, n: int) -> None:
    plain = kind(1.0, **chosen)
    calibrated = calibrate(plain, prior, n)
    assert type(calibrated) is kind
    assert dataclasses.replace(calibrated, calibration=None) == plain != calibrated
    assert calibrated.calibration
    multiplier, public_prior, public_n, *more = calibrated.calibration
    assert not more and (public_prior, public_n) == (prior, n) and all(type(alpha) is float for alpha in public_prior)
    assert type(multiplier) is float and multiplier > 0
    assert calibrated == calibrate(plain, np.array(prior), int(np.int64(n)))
    assert hash(calibrated) == hash(calibrate(plain, list(prior), n))
    assert calibrate(calibrated, prior, n) == calibrated
    assert calibrate(calibrated, prior[::-1], n + 1) == calibrate(plain, prior[::-1], n + 1)
    guarantee = calibrated.guarantee(prior, n)
    assert isinstance(guarantee, PureDP) and guarantee.is_private
    assert (guarantee.epsilon, guarantee.basis) == (1.0, "exhaustive check")
    assert guarantee.neighbours == plain.guarantee(prior, n).neighbours


@every_class
def test_nothing_to_spend_without_records(kind: Kind) -> None:
    assert calibrate(kind(1.0), (1, 1), 0) == kind(1.0) == calibrate(calibrate(kind(1.0), (1, 1), 2), (1, 1), 0)


@every_mechanism
@pytest.mark.parametrize(
    "problem", [Problem((1, 1), (3, 5)), Problem((0.01, 7), (1, 0)), Problem((5, 0.1, 1), (0, 4, 1))], ids=str
)
def test_law_and_samples_of_a_calibrated_mechanism(kind: Kind, chosen: Options, problem: Problem) -> None:
    """10,000 draws of each, fixed seed; false-alarm rate 1e-6 a case: goodness_of_fit."""
    calibrated = calibrate(kind(enumerated(kind, 1.5, problem.k), **chosen), problem.prior, problem.n)
    beyond = exceeds_total(calibrated, problem.n, problem.k)
    log_law = calibrated.log_pmf(problem, outputs(calibrated, problem) if beyond else box(problem, margin=1))
    assert math.fsum(np.exp(log_law)) == pytest.approx(1, abs=1e-12)
    law = law_of(calibrated, problem)
    assert_follows(calibrated.sample(problem, np.random.default_rng(20201127), 10_000), law)
    mean = math.fsum(p * hellinger(problem.posterior, np.add(problem.prior, r)) for r, p in law.items())
    assert distance_law(calibrated, problem).mean == pytest.approx(mean, rel=1e-9, abs=1e-12)


# Anywhere else --------------------------------------------------------------------------------------

ELSEWHERE = [
    Problem((1, 2), (3, 6)),
    Problem((2, 1), (3, 5)),
    Problem((1, 2 + 1e-12), (3, 5)),
    Problem((1, 2, 1), (3, 5, 0)),
    Problem((1, 2), (0, 0)),
]


def uses(mechanism: Mechanism) -> dict[str, Callable[[Problem], Any]]:
    """What can be asked of a mechanism for a problem, with records or without."""
    asked: dict[str, Callable[[Problem], Any]] = {
        "log_pmf": lambda problem: mechanism.log_pmf(problem, problem.counts),
        "sample": lambda problem: mechanism.sample(problem, np.random.default_rng(0), 1),
        "guarantee": lambda problem: mechanism.guarantee(problem.prior, problem.n),
        "privacy_loss": lambda problem: privacy_loss(mechanism, problem.prior, problem.n),
        "privacy_profile": lambda problem: privacy_profile(mechanism, problem.prior, problem.n, [1.0]),
        "distance_law": lambda problem: distance_law(mechanism, problem),
    }
    named = [name for name in ("distances", "mean_distance", "rate") if hasattr(mechanism, name)]
    return asked | {name: getattr(mechanism, name) for name in named}


@every_class
@pytest.mark.parametrize("problem", ELSEWHERE, ids=lambda problem: f"{problem.prior} {problem.counts}")
def test_another_prior_or_total_is_refused_in_a_sentence(kind: Kind, problem: Problem) -> None:
    calibrated = calibrate(kind(1.0), (1, 2), 8)
    for use in uses(calibrated).values():
        use(Problem((1, 2), (3, 5)))
        use(Problem((1, 2), (0, 8)))
    silent = []
    for name, use in uses(calibrated).items():
        try:
            use(problem)
        except ValueError as refused:
            sentence = str(refused)
            assert "calibrated for prior (1.0, 2.0) and n = 8" in sentence
            assert str(problem.prior) in sentence and f"n = {problem.n}" in sentence and sentence.endswith(".")
        else:
            silent.append(name)
    assert not silent


@every_class
@pytest.mark.parametrize("epsilon", [0.1, 10.0])
def test_another_epsilon_is_refused_or_kept(kind: Kind, epsilon: float) -> None:
    """The multiplier was found for one epsilon: with another the promise must hold too, or nothing be promised."""
    calibrated = calibrate(kind(1.0), (7, 4), 20)
    try:
        other = dataclasses.replace(calibrated, epsilon=epsilon)
        guarantee = other.guarantee((7, 4), 20)
    except ValueError as refused:
        assert "calibrat" in str(refused) and str(refused).endswith(".")
        return
    assert isinstance(guarantee, PureDP)
    assert privacy_loss(other, (7, 4), 20).epsilon <= guarantee.epsilon


@every_class
@pytest.mark.parametrize(
    "calibration",
    [
        2.0,
        "1.5",
        (),
        (1.5, (1, 1)),
        (0.0, (1, 1), 5),
        (-1.0, (1, 1), 5),
        (math.nan, (1, 1), 5),
        (math.inf, (1, 1), 5),
        ("1.5", (1, 1), 5),
        (True, (1, 1), 5),
        (1.5, (1,), 5),
        (1.5, (1, -1), 5),
        (1.5, (1, 1), -5),
        (1.5, (1, 1), 2.5),
        (1.5, None, None),
    ],
    ids=repr,
)
def test_what_is_no_calibration_is_refused_in_a_sentence(kind: Kind, calibration: Any) -> None:
    with pytest.raises(ValueError, match=r"(calibration|prior|\bn\b).* must .*: got .*\."):
        kind(1.0, calibration=calibration)


@every_class
def test_a_calibration_given_by_hand_is_the_value_found(kind: Kind) -> None:
    """Lists, whole numbers and numpy scalars become the plain tuple that calibrate writes, so that equal is equal."""
    written = kind(1.0, calibration=(0.25, (1.0, 3.0), 5))
    by_hand = [(Fraction(1, 4), (1, 3), 5), (np.float64(0.25), np.array([1, 3]), np.int64(5)), (0.25, [1, 3], 5)]
    for calibration in by_hand:
        other = kind(1.0, calibration=calibration)  # type: ignore[arg-type]
        assert other == written and hash(other) == hash(written)
        assert other.guarantee((1, 3), 5) == written.guarantee((1, 3), 5)
