"""Mechanisms against the limit of privacy: whom it binds, how many times it they are off, who is surely nearer."""

import dataclasses

import pytest

from dpbi import MECHANISMS, LimitComparison, PureDP, calibrate, expected_distance, limit_of_privacy
from dpbi.accuracy.order import Measured, lead
from tests.every_mechanism import Kind, every_class

PRIOR, N, EPSILON = (0.7, 2.0), 6, 1.3
LIMIT = limit_of_privacy(PRIOR, N, EPSILON)


@every_class
def test_the_limit_binds_what_is_proved_to_be_pure(kind: Kind) -> None:
    mechanism = kind(EPSILON)
    found = LimitComparison(LIMIT, (expected_distance(mechanism, PRIOR, N),))
    promised = mechanism.guarantee(PRIOR, N)
    bound = isinstance(promised, PureDP) and promised.basis != "claim"
    assert found.binds(mechanism) == bound
    times = found.times_limit(mechanism)
    assert (times is not None) == bool(found.ranked()) == bound
    if times and LIMIT.value:
        assert times.value == pytest.approx(found.means[0].mean / LIMIT.value, rel=1e-9) and times.value >= 1 - 1e-9
        assert times.margin <= 1e-8, "nothing was drawn"
    assert found.times_limit(kind(2 * EPSILON)) is None, "another epsilon is another mechanism"
    assert not found.binds(kind(2 * EPSILON)), "the limit is that of a smaller epsilon"


def test_a_calibrated_mechanism_is_bound_too() -> None:
    mechanism = calibrate(next(kind for kind in MECHANISMS if kind.label == "EHDS")(EPSILON), PRIOR, N)
    found = LimitComparison(LIMIT, (expected_distance(mechanism, PRIOR, N),))
    assert (times := found.times_limit(mechanism)) and times.value > 1


def test_where_the_limit_is_unknown_the_order_is_still_known() -> None:
    unknown = dataclasses.replace(LIMIT, measured=None, kind="none")
    found = LimitComparison(unknown, tuple(expected_distance(kind(EPSILON), PRIOR, N) for kind in MECHANISMS))
    assert {found.times_limit(one.mechanism) for one in found.means} == {None}
    means = [one.mean for one in found.ranked()]
    assert means == sorted(means) and 1 < len(means) < len(MECHANISMS)


def test_errors_are_taken_into_account() -> None:
    exact = expected_distance(MECHANISMS[0](1.0), PRIOR, N)
    near, far = (dataclasses.replace(exact, measured=Measured(mean, error)) for mean, error in
                 ((0.1, 0.003), (0.12, 0.004)))
    assert lead(near.measured, far.measured) <= 0 < lead(near.measured, Measured(0.1201, 0.004))
    assert lead(near.measured, near.measured) <= 0

    def against(limit: Measured) -> LimitComparison:
        return LimitComparison(dataclasses.replace(LIMIT, measured=limit), (near,))

    sampled = against(Measured(0.05, 0.0005))
    assert sampled.binds(near.mechanism) and not sampled.undercuts(near.mechanism)
    times = sampled.times_limit(near.mechanism)
    assert times and times.error == pytest.approx(2 * (0.03**2 + 0.01**2) ** 0.5, rel=1e-12)
    below = against(Measured(0.11, half_width=0.005)).times_limit(near.mechanism)
    assert below and below.value == pytest.approx(0.1 / 0.11), "within its error it is shown as it is"
    for limit in (Measured(0.13, 0.005), Measured(0.13, half_width=0.0179)):
        wrong = against(limit)
        assert wrong.undercuts(near.mechanism) and wrong.times_limit(near.mechanism) is None
    assert not against(Measured(0.13, half_width=0.0181)).undercuts(near.mechanism)
