"""Mechanisms against the limit of privacy: whom it binds, how many times it they are off, who is surely nearer."""

from __future__ import annotations

import dataclasses

import pytest

from dpbi import MECHANISMS, PureDP, calibrate, expected_distance, limit_of_privacy
from dpbi.inference.limit_comparison import LimitComparison, surely_nearer
from tests.every_mechanism import every_class
from tests.oracles import mp

PRIOR, N, EPSILON = (0.7, 2.0), 6, 1.3
LIMIT = limit_of_privacy(PRIOR, N, EPSILON)


@every_class
def test_the_limit_binds_what_is_proved_to_be_pure(kind) -> None:
    mechanism = kind(EPSILON)
    found = LimitComparison(LIMIT, (expected_distance(mechanism, PRIOR, N),))
    promised = mechanism.guarantee(PRIOR, N)
    bound = isinstance(promised, PureDP) and promised.basis != "claim"
    assert found.binds(mechanism) == bound
    times = found.times_limit(mechanism)
    if not bound:
        assert times is None and not found.ranked()
    else:
        assert times == pytest.approx(found.means[0].mean / LIMIT.value, rel=1e-9) and times >= 1 - 1e-9
        assert found.error_of_times(mechanism) <= 1e-8, "nothing was drawn"
    assert found.times_limit(kind(2 * EPSILON)) is None, "another epsilon is another mechanism"
    assert not found.binds(kind(2 * EPSILON)), "the limit is that of a smaller epsilon"


def test_a_calibrated_mechanism_is_bound_too() -> None:
    mechanism = calibrate(next(kind for kind in MECHANISMS if kind.label == "EHDS")(EPSILON), PRIOR, N)
    found = LimitComparison(LIMIT, (expected_distance(mechanism, PRIOR, N),))
    assert (times := found.times_limit(mechanism)) and times > 1


def test_where_the_limit_is_unknown_the_order_is_still_known() -> None:
    unknown = dataclasses.replace(LIMIT, value=None, kind="none")
    found = LimitComparison(unknown, tuple(expected_distance(kind(EPSILON), PRIOR, N) for kind in MECHANISMS))
    assert {found.times_limit(one.mechanism) for one in found.means} == {None}
    means = [one.mean for one in found.ranked()]
    assert means == sorted(means) and 1 < len(means) < len(MECHANISMS)


def test_errors_are_taken_into_account() -> None:
    near, far = (dataclasses.replace(expected_distance(MECHANISMS[0](1.0), PRIOR, N), mean=mean, error=error)
                 for mean, error in ((0.1, 0.003), (0.12, 0.004)))
    assert float(mp.sqrt(mp.mpf("0.003") ** 2 + mp.mpf("0.004") ** 2)) == pytest.approx(0.005)
    assert not surely_nearer(near, far) and surely_nearer(near, dataclasses.replace(far, mean=0.1201))
    assert not surely_nearer(near, near)
    sampled = LimitComparison(dataclasses.replace(LIMIT, value=0.05, error=0.0005), (near,))
    assert sampled.binds(near.mechanism)
    assert not sampled.undercuts(near.mechanism)
    below = LimitComparison(dataclasses.replace(LIMIT, value=0.11, error=0.005), (near,))
    assert below.times_limit(near.mechanism) == pytest.approx(0.1 / 0.11), "within its error it is shown as it is"
    wrong = LimitComparison(dataclasses.replace(LIMIT, value=0.13, error=0.005), (near,))
    assert wrong.undercuts(near.mechanism) and wrong.times_limit(near.mechanism) is None
    never = LimitComparison(sampled.limit, (dataclasses.replace(near, mean=0.0),))
    assert never.error_of_times(near.mechanism) == pytest.approx(0.06), "a mean of 0 has an error too"
    assert sampled.error_of_times(near.mechanism) == pytest.approx(2 * (0.03**2 + 0.01**2) ** 0.5, rel=1e-12)
