"""One verdict for every promise: by the loss alone, or where a delta is claimed, by that delta too."""

from dataclasses import replace

import pytest

from dpbi import MECHANISMS, ApproximateDP, PureDP, calibrate, loses_most, verdict
from tests.every_mechanism import Kind, every_class

SETTINGS = [((1.0, 1.0), 6, 1.0), ((100.0, 1000.0, 100.0), 6, 10.0), ((0.01, 7.0), 9, 0.3)]


@every_class
@pytest.mark.parametrize(("prior", "n", "epsilon"), SETTINGS)
def test_a_verdict_is_what_loss_and_delta_say(
    kind: Kind, prior: tuple[float, ...], n: int, epsilon: float
) -> None:
    with_delta = calibrate(kind(epsilon), prior, n, delta=0.01)
    for mechanism in (kind(epsilon), calibrate(kind(epsilon), prior, n), with_delta):
        one = verdict(mechanism, prior, n)
        beyond = one.loss.epsilon > epsilon * (1 + 1e-9)
        if isinstance(one.guarantee, ApproximateDP):
            broken = one.delta is not None and one.delta > one.guarantee.delta
        else:
            broken = beyond
        assert one.accused == broken and one.exceeds == beyond
        assert (one.said == "ACCUSED") == broken
        assert (one.said == "within epsilon here") == (not beyond)
        assert not (mechanism.calibration and beyond != (mechanism is with_delta))
        assert not (one.guarantee.basis == "theorem" and beyond and isinstance(one.guarantee, PureDP))


def test_of_losses_that_are_alike_the_first_loses_most() -> None:
    found = [verdict(kind(1.0), (1.0, 1.0), 6).loss for kind in MECHANISMS]
    most = max(loss.epsilon for loss in found)
    alike = [replace(found[0], epsilon=most * (1 + shift)) for shift in (-1e-9, 0.0, 2**-52, -2**-52)]
    below = replace(found[0], epsilon=most * 0.999)
    assert loses_most([below, *alike]) is alike[0] and loses_most(alike[::-1]) is alike[-1]
