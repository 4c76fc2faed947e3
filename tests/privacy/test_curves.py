"""The curves around the exact loss: sizes, the laws that attain it by brute force, what calibration buys."""

import math

import numpy as np
import pytest

from dpbi import MECHANISMS, Problem, calibrate, distance_law, privacy_loss
from dpbi.mechanisms import name_of
from dpbi.privacy.curves import attaining_laws, calibration_gain, loss_against_size
from dpbi.privacy.verdict import exceeds_stated, verdict
from tests.every_mechanism import Kind, Options, Prior, every_class, every_mechanism, oracle_laws


@every_mechanism
def test_loss_at_every_size_is_that_of_the_size(kind: Kind, chosen: Options) -> None:
    mechanism, sizes = kind(1.3, **chosen), (1, 2, 5)
    assert [*loss_against_size(mechanism, (0.5, 3), sizes)] == [privacy_loss(mechanism, (0.5, 3), n) for n in sizes]


@every_class
@pytest.mark.parametrize(("prior", "n"), [((1, 2), 5), ((1, 1, 3), 3)], ids=str)
def test_attaining_laws_are_the_marginals_of_brute_force(kind: Kind, prior: Prior, n: int) -> None:
    mechanism = kind(1.0)
    loss, laws = privacy_loss(mechanism, prior, n), oracle_laws(mechanism, prior, n)
    found = attaining_laws(loss)
    assert loss.counts[found.category] != loss.neighbour[found.category]
    for counts, law in ((loss.counts, found.here), (loss.neighbour, found.there)):
        expected = np.zeros(max(int(found.released.max()), *(r[found.category] for r in laws[counts])) + 1)
        for released, probability in laws[counts].items():
            expected[released[found.category]] += float(probability)
        shown = np.zeros(expected.size)
        shown[found.released] = law
        assert shown == pytest.approx(expected, abs=1e-12)
    if len(prior) == 2 and loss.found == "exhaustive":
        at = int(np.flatnonzero(found.released == loss.released[found.category])[0])
        assert math.log(found.here[at] / found.there[at]) == pytest.approx(loss.epsilon, abs=1e-9)


@every_class
def test_calibration_gain_is_that_of_the_two_laws(kind: Kind) -> None:
    """Of which each is held against brute force in tests of its own."""
    problem, plain = Problem((1, 1), (2, 4)), kind(1.0)
    gain, calibrated = calibration_gain(plain, problem), calibrate(plain, problem.prior, problem.n)
    assert gain.before == privacy_loss(plain, problem.prior, problem.n)
    assert gain.after == privacy_loss(calibrated, problem.prior, problem.n)
    means = [distance_law(mechanism, problem).mean for mechanism in (plain, calibrated)]
    assert [gain.mean_before, gain.mean_after] == pytest.approx(means, rel=1e-9)
    assert calibrated.calibration and gain.multiplier == calibrated.calibration[0]


def test_a_law_too_wide_to_list_is_refused() -> None:
    for kind in MECHANISMS:
        try:
            loss = privacy_loss(kind(1e-9), (1, 1), 10**9)
        except ValueError as refused:
            assert "exhaustive check" in str(refused)
        else:
            with pytest.raises(ValueError, match=r"spreads over .* values: at most 1,000,000"):
                attaining_laws(loss)


# The verdict ----------------------------------------------------------------------------------------

@every_class
@pytest.mark.parametrize("epsilon", [1e-6, 1.0, 20.0, 1e6])
def test_what_is_attained_exactly_is_no_excess(kind: Kind, epsilon: float) -> None:
    calibrated = calibrate(kind(epsilon), (1, 1), 12)
    assert not exceeds_stated(privacy_loss(calibrated, (1, 1), 12))
    assert name_of(calibrated) == f"{kind.label} calibrated" != name_of(kind(epsilon))
    if kind(epsilon).guarantee((1, 1), 12).basis == "theorem" and kind(epsilon).guarantee((1, 1), 12).is_private:
        assert not verdict(kind(epsilon), (1, 1), 12).accused
