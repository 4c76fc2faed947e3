"""The Hellinger distance against 50 digits, at every size, and its metric properties."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import oracles
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from reference_values import expand, numeric, values
from strategies import Drawn, datasets, priors, problems

import dpbi

# A prior parameter or a count, even in the logarithm.
LOG10_ALPHA, LOG10_COUNT = (-9.0, 3.0), (0.0, 15.0)


def log_uniform(low: float, high: float) -> st.SearchStrategy[float]:
    return st.floats(low, high).map(lambda exponent: 10.0**exponent)


def parameters(k: int, low: float, high: float) -> st.SearchStrategy[tuple[float, ...]]:
    return st.tuples(*[log_uniform(low, high)] * k)


def exact(a: Any, b: Any) -> float:
    return float(oracles.hellinger_mp(a, b, digits=70))


# Values ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("entry", values("hellinger"), ids=lambda entry: f"{entry['a']} {entry['b']}")
def test_reference(entry: dict[str, Any]) -> None:
    assert dpbi.hellinger(entry["a"], entry["b"]) == pytest.approx(float(entry["H"]), rel=1e-9)


@pytest.mark.parametrize("entry", numeric("hellinger_distance"), ids=lambda entry: entry["id"])
def test_numeric_reference(entry: dict[str, Any]) -> None:
    a, b = ([float(x) for x in expand(entry["input"][name])] for name in ("alpha_a", "alpha_b"))
    assert dpbi.hellinger(a, b) == pytest.approx(float(entry["reference"]), rel=entry["rtol"], abs=0)


@given(problems(), st.data())
def test_small_posteriors(drawn: Drawn, data: st.DataObject) -> None:
    released = data.draw(datasets(drawn.n, len(drawn.counts)))
    a, b = np.add(drawn.prior, drawn.counts), np.add(drawn.prior, released)
    assert dpbi.hellinger(a, b) == pytest.approx(exact(a, b), rel=1e-10)


@pytest.mark.parametrize("exponent", range(16))
@given(st.data())
def test_neighbours_at_every_size(exponent: int, data: st.DataObject) -> None:
    """One record replaced among 10^exponent: a lost digit here is noise that is missing later."""
    k = data.draw(st.integers(2, 5))
    prior = data.draw(parameters(k, *LOG10_ALPHA))
    n = 10**exponent
    cuts = sorted(data.draw(st.lists(st.integers(0, n), min_size=k - 1, max_size=k - 1)))
    counts = [right - left for left, right in pairwise([0, *cuts, n])]
    donor, receiver = data.draw(st.permutations(range(k)).map(lambda order: order[:2]))
    assume(counts[donor] >= 1)
    a = np.add(prior, counts)
    counts[donor] -= 1
    counts[receiver] += 1
    b = np.add(prior, counts)
    assert dpbi.hellinger(a, b) == pytest.approx(exact(a, b), rel=1e-10)


@given(st.integers(2, 5), st.data())
def test_any_two_of_moderate_size(k: int, data: st.DataObject) -> None:
    a, b = (data.draw(parameters(k, -3, 4)) for _ in range(2))
    assert dpbi.hellinger(a, b) == pytest.approx(exact(a, b), rel=1e-9)


@given(st.integers(2, 5), st.data(), log_uniform(-6, 1))
def test_any_two_of_any_size(k: int, data: st.DataObject, spread: float) -> None:
    """Totals may differ by any factor: l(a_i, b_i) and l(A, B) are then huge and nearly equal."""
    a = np.array(data.draw(parameters(k, *LOG10_COUNT)))
    b = a * np.exp(spread * np.array(data.draw(st.tuples(*[st.floats(-1, 1)] * k))))
    # Below 1e-5 the 1e-16 by which a and b are rounded is itself 1e-9 of their distance or more.
    assume(exact(a, b) > 1e-5)
    assert dpbi.hellinger(a, b) == pytest.approx(exact(a, b), rel=1e-8)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((1e9, 1e9), (2e9, 2e9)),
        ((1e12, 1e12), (1.5e12, 1.5e12)),
        ((1e12, 1.0), (1e-9, 1.0)),
        ((2.5e14, 5e-9), (2.5e-6, 4.5e-9)),
        ((3.5e-7, 3.3e14), (3.6e-7, 3.4e14)),
        ((0.0013, 4.1e-6), (0.116, 7.9e13)),
        # Totals hardly apart: the terms that cancel are of first order in the gap, H^2 of second.
        ((1.0, 1.0), (1.0, 1.0001)),
        ((1.0, 1.0), (1.0, 1.0000002744895709)),
        ((2.4e14, 3915.448963), (2.400000075e14, 3915.448785)),
    ],
)
def test_totals_that_differ(a: tuple[float, ...], b: tuple[float, ...]) -> None:
    assert dpbi.hellinger(a, b) == pytest.approx(exact(a, b), rel=1e-8)
    assert dpbi.hellinger(b, a) == pytest.approx(exact(a, b), rel=1e-8)


# Properties -----------------------------------------------------------------------------------------


@given(st.integers(2, 6), st.data())
def test_is_a_metric(k: int, data: st.DataObject) -> None:
    a, b, c = (data.draw(parameters(k, -3, 9)) for _ in range(3))
    ab, bc, ac = (float(dpbi.hellinger(*pair)) for pair in ((a, b), (b, c), (a, c)))
    assert 0 <= ab <= 1
    assert dpbi.hellinger(a, a) == 0
    assert dpbi.hellinger(b, a) == pytest.approx(ab, rel=1e-7, abs=1e-9)
    assert ac <= ab + bc + 1e-9


@given(problems(), st.data())
def test_does_not_depend_on_the_order_of_the_categories(drawn: Drawn, data: st.DataObject) -> None:
    released = data.draw(datasets(drawn.n, len(drawn.counts)))
    order = list(data.draw(st.permutations(range(len(drawn.counts)))))
    a, b = np.add(drawn.prior, drawn.counts), np.add(drawn.prior, released)
    assert dpbi.hellinger(a[order], b[order]) == pytest.approx(float(dpbi.hellinger(a, b)), rel=1e-12)


@given(st.integers(2, 5), st.integers(1, 10**15), st.data())
def test_distinct_neighbours_are_never_at_distance_zero(k: int, n: int, data: st.DataObject) -> None:
    a = np.array(data.draw(priors(k))) + n
    b = a.copy()
    b[0] += 1
    b[1] -= 1
    assert dpbi.hellinger(a, b) > 0


def test_broadcasts_over_leading_axes() -> None:
    a = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    b = np.array([[[0.5, 2.5, 3.0]], [[30.0, 1.0, 2.0]]])
    found = dpbi.hellinger(a, b)
    assert found.shape == (2, 2)
    for row, column in np.ndindex(2, 2):
        assert found[row, column] == pytest.approx(exact(a[column], b[row, 0]), rel=1e-12)


def test_leaves_its_arguments_alone() -> None:
    a, b = np.array([3.0, 8.0]), np.array([10.0, 1.0])
    dpbi.hellinger(a, b)
    assert a.tolist() == [3.0, 8.0]
    assert b.tolist() == [10.0, 1.0]


# Refusals -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ((1.0, 0.0), "0.0"),
        ((1.0, -0.5), "-0.5"),
        ((1.0, float("nan")), "nan"),
        ((float("inf"), 1.0), "inf"),
        ((1.0,), "two categories"),
        (1.0, "two categories"),
    ],
)
def test_refuses_what_is_no_dirichlet_parameter(wrong: Any, says: str) -> None:
    with pytest.raises(ValueError, match=rf"alpha .*{says}"):
        dpbi.hellinger(wrong, (1.0, 1.0))
    with pytest.raises(ValueError, match=rf"other .*{says}"):
        dpbi.hellinger((1.0, 1.0), wrong)


def test_refuses_different_numbers_of_categories() -> None:
    with pytest.raises(ValueError):
        dpbi.hellinger((1.0, 1.0), (1.0, 1.0, 1.0))
