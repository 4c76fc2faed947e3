"""The Hellinger distance against 50 digits, at every size, and its metric properties."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from dpbi import Problem, hellinger
from dpbi.posterior.hellinger import affinity_loss, distances_between, distances_to
from tests import oracles
from tests.reference_values import expand, numeric, values
from tests.strategies import Drawn, datasets, problems

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
    assert hellinger(entry["a"], entry["b"]) == pytest.approx(float(entry["H"]), rel=1e-9)


@pytest.mark.parametrize("entry", numeric("hellinger_distance"), ids=lambda entry: entry["id"])
def test_numeric_reference(entry: dict[str, Any]) -> None:
    a, b = ([float(x) for x in expand(entry["input"][name])] for name in ("alpha_a", "alpha_b"))
    assert hellinger(a, b) == pytest.approx(float(entry["reference"]), rel=entry["rtol"], abs=0)


@given(problems(), st.data())
def test_small_posteriors(drawn: Drawn, data: st.DataObject) -> None:
    released = data.draw(datasets(drawn.n, len(drawn.counts)))
    a, b = np.add(drawn.prior, drawn.counts), np.add(drawn.prior, released)
    assert hellinger(a, b) == pytest.approx(exact(a, b), rel=1e-10)


@pytest.mark.parametrize("exponent", range(0, 16, 3))
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
    assert hellinger(a, b) == pytest.approx(exact(a, b), rel=1e-10)


@given(st.integers(2, 5), st.data())
def test_any_two_of_moderate_size(k: int, data: st.DataObject) -> None:
    a, b = (data.draw(parameters(k, -3, 4)) for _ in range(2))
    assert hellinger(a, b) == pytest.approx(exact(a, b), rel=1e-9) and hellinger(a, a) == 0


@given(st.integers(2, 5), st.data(), log_uniform(-6, 1))
def test_any_two_of_any_size(k: int, data: st.DataObject, spread: float) -> None:
    """Totals may differ by any factor: l(a_i, b_i) and l(A, B) are then huge and nearly equal."""
    a = np.array(data.draw(parameters(k, *LOG10_COUNT)))
    b = a * np.exp(spread * np.array(data.draw(st.tuples(*[st.floats(-1, 1)] * k))))
    # Below 1e-5 the 1e-16 by which a and b are rounded is itself 1e-9 of their distance or more.
    assume(exact(a, b) > 1e-5)
    assert hellinger(a, b) == pytest.approx(exact(a, b), rel=1e-8)


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
    assert hellinger(a, b) == pytest.approx(exact(a, b), rel=1e-8)
    assert hellinger(b, a) == pytest.approx(exact(a, b), rel=1e-8)


# The released total need not be n: what is left of two sums that are nearly equal.
RELEASED = [
    # prior, counts, released
    ((1e-6, 1000), (0, 10**12), (0, 0)),
    ((1e-9, 7.3), (0, 10**9), (0, 10)),
    ((1e-9, 1e-9), (0, 4 * 10**15), (0, 1)),
    ((1, 1), (0, 10**9), (0, 10**9 - 3)),
    ((4e-9, 6.6e-3), (0, 11370992), (0, 11370991)),
    ((4e-6, 4.4e-7), (0, 674550221), (0, 674550224)),
    ((4.3e10, 68.6), (946481, 0), (946478, 0)),
    ((0.034, 100, 4e-5), (1265335704349, 22003688487083, 0), (0, 0, 0)),
    ((23.1, 0.0018, 1.7e-8, 3.1e-7), (779801246782, 0, 0, 371486159386), (0, 0, 0, 23)),
    ((8.9, 8.4e-8), (2634302, 0), (10**12, 0)),
    ((0.3, 0.7, 2), (10**15, 0, 0), (10**15 + 3, 1, 0)),
    ((2.1e9, 1.8e-9), (35589275097, 569391202), (35587220768, 569369459)),
]


def exact_to(prior: Any, counts: Any, released: Any) -> float:
    a, b = ([oracles.mp.mpf(x) + y for x, y in zip(prior, other, strict=True)] for other in (counts, released))
    return float(oracles.hellinger_mp(a, b, digits=90))


@pytest.mark.parametrize(("prior", "counts", "released"), RELEASED)
def test_a_released_total_that_is_not_n(
    prior: tuple[float, ...], counts: tuple[int, ...], released: tuple[int, ...]
) -> None:
    with oracles.mp.workdps(90):
        expected = exact_to(prior, counts, released)
        back = exact_to(prior, released, counts)
    assert distances_to(Problem(prior, counts), released) == pytest.approx(expected, rel=1e-11, abs=0)
    assert distances_to(Problem(prior, released), counts) == pytest.approx(back, rel=1e-11, abs=0)


@given(st.integers(2, 4), st.data())
def test_any_release_of_any_total(k: int, data: st.DataObject) -> None:
    """Counts of 0 to 10^15, most of them empty, beside priors of 1e-9 to 1e12: where digits are lost first."""
    prior = data.draw(parameters(k, -9, 12))
    count = st.one_of(st.just(0), log_uniform(0, 15).map(int))
    counts = data.draw(st.tuples(*[count] * k).filter(lambda c: sum(c) <= 4 * 10**15))
    moved = st.one_of(st.just(0), st.integers(-3, 3), log_uniform(-8, 1), log_uniform(-8, 1).map(lambda u: -u))
    released = tuple(
        max(0, c + change if isinstance(change, int) else min(int(c * np.exp(change)), 10**15))
        for c, change in zip(counts, data.draw(st.tuples(*[moved] * k)), strict=True)
    )
    with oracles.mp.workdps(90):
        expected = exact_to(prior, counts, released)
    assert distances_to(Problem(prior, counts), released) == pytest.approx(expected, rel=1e-9, abs=0)
    many = distances_between(prior, np.array([counts, released])[:, None], np.array([released, counts]))
    assert many.ravel().tolist() == pytest.approx([expected, 0, 0, expected], rel=1e-9, abs=0)


@pytest.mark.parametrize("problem", [
    Problem((1e-6, 2, 0.5), (0, 10**6, 3)), Problem((0.5, 0.5, 2, 0.5), (3, 3, 0, 7)),
    Problem((0.5, 0.5, 2, 0.5), (3 * 10**12, 3 * 10**12, 0, 7)),
], ids=str)
def test_many_releases_are_the_single_values(problem: Problem) -> None:
    """Losses are looked up by value, equal categories share a table, cancelled rows are taken in chunks: none shows.

    Of any total near the truth, or of the same total and values far apart.
    """
    rng = np.random.default_rng(5)
    released = np.maximum(np.add(problem.counts, rng.integers(-3, 4, (40_000, problem.k))), 0)
    if problem.k == 4:
        released = rng.multinomial(problem.n, [0.3, 0.4, 0.1, 0.2], 30_000)
    found = distances_to(problem, released)
    some = np.arange(0, len(released), 500)
    assert found[some].tolist() == pytest.approx([float(distances_to(problem, r)) for r in released[some]], rel=1e-12)
    assert found[0] == pytest.approx(float(oracles.posterior_distance(problem.prior, problem.counts, released[0])))


@pytest.mark.parametrize("prior", [(0.5, 2.0), (1e-3, 0.7, 30.0)])
def test_many_datasets_are_the_single_values(prior: tuple[float, ...]) -> None:
    """Where losses of small counts are looked up and where they are not, of the same total and of others."""
    rng = np.random.default_rng(6)
    counts = rng.multinomial(40, [1 / len(prior)] * len(prior), 6_000)
    released = np.maximum(counts + rng.integers(-2, 3, counts.shape) * rng.integers(0, 2, (6_000, 1)), 0)
    found = distances_between(prior, counts, released)
    for i in range(0, 6_000, 300):
        problem = Problem(prior, tuple(counts[i].tolist()))
        alone = float(distances_between(prior, counts[i], released[i]))
        assert found[i] == pytest.approx(alone, rel=1e-13)
        assert found[i] == pytest.approx(float(distances_to(problem, released[i])), rel=1e-11, abs=1e-15)
    assert found[7] == pytest.approx(float(oracles.posterior_distance(prior, counts[7], released[7])))


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
        ((1e200, 1.0), r"1e\+200"),
        ((1.0, 1e-40), "1e-40"),
        ((1.0, 10**400), "too large.*1000"),
        ((1.0, None), "None"),
        (("1", "2"), "'1'"),
        ((True, False), "True"),
        ([[1.0, 2.0], [3.0]], "one length"),
    ],
)
def test_refuses_what_is_no_dirichlet_parameter(wrong: Any, says: str) -> None:
    with pytest.raises(ValueError, match=rf"alpha .*{says}"):
        hellinger(wrong, (1.0, 1.0))
    with pytest.raises(ValueError, match=rf"other .*{says}"):
        hellinger((1.0, 1.0), wrong)


def test_refuses_different_numbers_of_categories() -> None:
    with pytest.raises(ValueError, match=r"same categories.*2.*3"):
        hellinger((1.0, 1.0), (1.0, 1.0, 1.0))


def test_small_parameters_by_the_thousand_are_the_single_ones_to_the_last_bit() -> None:
    """A tie of two distances must not depend on what they were computed beside."""
    low = 0.5 + np.arange(2500) % 9
    half_gap = np.arange(2500) % 37 / 2
    found = affinity_loss(low, low + 2 * half_gap, half_gap)
    for i in (0, 1, 1023, 1024, 2048, 2499):
        assert found[i] == affinity_loss(low[i], low[i] + 2 * half_gap[i], half_gap[i])
    block = affinity_loss(*(part.reshape(50, 50) for part in (low, low + 2 * half_gap, half_gap)))
    assert (block.ravel() == found).all()
