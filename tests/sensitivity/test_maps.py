"""Scans, maps and paths of sensitivities: each value against brute force, each shape against its promise."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, strategies as st

from dpbi.problem.problem import Problem
from dpbi.sensitivity import maps, smooth_sensitivity
from tests import oracles
from tests.strategies import Drawn, gammas, priors, problems


def close(found: float, exact: object) -> bool:
    return found == pytest.approx(float(exact), rel=1e-10)  # type: ignore[arg-type]


def assert_scan_is_brute_force(scan: maps.SensitivityScan) -> None:
    for row, counts in enumerate(map(tuple, scan.counts.tolist())):
        assert close(scan.local[row], oracles.local_sensitivity(scan.prior, counts))
        assert close(scan.reciprocal[row], oracles.smooth_reciprocal(scan.prior, counts, scan.gamma))
        assert close(scan.exponential[row], oracles.smooth_exponential(scan.prior, counts, scan.beta))
    assert close(scan.global_exact, oracles.global_sensitivity(scan.prior, scan.n))
    assert close(scan.global_paper, oracles.PAPER_GLOBAL_SENSITIVITY)


@given(priors(2), st.integers(1, 10), gammas(), gammas())
def test_along_count_is_brute_force(prior: tuple[float, float], n: int, gamma: float, beta: float) -> None:
    scan = maps.along_count(prior, n, gamma, beta)
    assert scan.counts.tolist() == [[u, n - u] for u in range(n + 1)]
    assert scan.position.tolist() == list(range(n + 1))
    assert_scan_is_brute_force(scan)


@pytest.mark.parametrize("n", [201, 10**6, 4 * 10**15])
def test_a_long_scan_is_thinned_and_keeps_what_must_be_seen(n: int) -> None:
    here = n // 3 + 1
    scan = maps.along_count((0.5, 2.0), n, 1.0, 0.01, include=(here,))
    assert {0, 1, here, n - 1, n} <= set(scan.position.tolist())
    assert scan.position.size <= 210
    assert (np.diff(scan.position) > 0).all()
    assert (scan.counts.sum(axis=1) == n).all()
    # The bounds and their constant, in the order they have by definition.
    for smooth in (scan.reciprocal, scan.exponential):
        assert (scan.local <= smooth * (1 + 1e-12)).all()
        assert (smooth <= scan.global_exact * (1 + 1e-12)).all()
    assert scan.local.max() == pytest.approx(scan.global_exact, rel=1e-12)


@given(problems(smallest_k=3), gammas(), gammas())
def test_along_emptying_is_brute_force(drawn: Drawn, gamma: float, beta: float) -> None:
    path = maps.along_emptying(Problem(*drawn), gamma, beta)
    assert_scan_is_brute_force(path)
    assert path.counts[0].tolist() == list(drawn.counts)
    assert sorted(path.counts[-1])[:2] == [0, 0]
    assert path.position.tolist() == [oracles.steps(drawn.counts, c) for c in path.counts.tolist()]
    assert path.position.tolist() == list(range(sum(sorted(drawn.counts)[:2]) + 1))


@given(st.integers(3, 6), st.integers(1, 10**14), st.integers(0, 10**14), st.integers(0, 50))
def test_a_long_path_is_thinned(k: int, first: int, second: int, extra: int) -> None:
    problem = Problem((1.0,) * k, (first, *[3 * 10**14 + extra] * (k - 2), second))
    path = maps.along_emptying(problem, 1.0, 0.01)
    assert path.position.size <= 130
    assert (path.counts >= 0).all() and (path.counts.sum(axis=1) == problem.n).all()
    assert path.position[-1] == first + second
    assert path.local.max() == pytest.approx(path.global_exact, rel=1e-12), "GS lies a step before the end"


@given(priors(3), st.integers(1, 6), st.sampled_from(maps.MEASURES), gammas())
def test_on_simplex_is_brute_force(prior: tuple[float, ...], n: int, measure: str, gamma: float) -> None:
    found = maps.on_simplex(prior, n, measure, gamma)  # type: ignore[arg-type]
    assert sorted(map(tuple, found.counts.tolist())) == sorted(oracles.compositions(n, 3))
    exact = [{
        "local": lambda c: oracles.local_sensitivity(prior, c),
        "reciprocal": lambda c: oracles.smooth_reciprocal(prior, c, gamma),
        "exponential": lambda c: oracles.smooth_exponential(prior, c, gamma),
    }[measure](counts) for counts in found.counts.tolist()]
    assert found.value.tolist() == pytest.approx([*map(float, exact)], rel=1e-10)


@pytest.mark.parametrize("n", [60, 61, 592, 10**9])
def test_a_large_map_is_a_triangular_grid_of_datasets(n: int) -> None:
    found = maps.on_simplex((1.0, 1.0, 1.0), n, "local", 1.0, steps_a_side=60)
    assert found.value.size == 61 * 62 // 2
    assert len(np.unique(found.counts, axis=0)) == found.value.size
    assert (found.counts >= 0).all() and (found.counts.sum(axis=1) == n).all()
    for corner in n * np.eye(3, dtype=int):
        assert (found.counts == corner).all(axis=1).any()


@given(problems(), st.floats(0.0, 50.0))
def test_gamma_scan_is_brute_force_and_its_minimum_is_below_every_point(drawn: Drawn, other: float) -> None:
    problem = Problem(*drawn)
    listed = [0.0, 0.1, 1.0, 30.0]
    scan = maps.gamma_scan(problem, listed)
    exact = [float((1 + gamma) * oracles.smooth_reciprocal(*drawn, gamma)) for gamma in listed]
    assert scan.value.tolist() == pytest.approx(exact, rel=1e-10)
    best = maps.gamma_scan(problem)
    assert close(best.best_value, (1 + best.best_gamma) * oracles.smooth_reciprocal(*drawn, best.best_gamma))
    # A kink between two default points is found by refinement only.
    assert best.best_value <= (1 + other) * float(oracles.smooth_reciprocal(*drawn, other)) * (1 + 1e-9)


@given(problems())
def test_score_change_is_brute_force_and_peaks_at_the_data(drawn: Drawn) -> None:
    found = maps.score_change(Problem(*drawn))
    exact = float(oracles.local_sensitivity(*drawn))
    assert found.local_sensitivity == pytest.approx(exact, rel=1e-10)
    assert found.neighbour in set(oracles.neighbours(drawn.counts))
    for released, change in zip(found.released.tolist(), found.change, strict=True):
        one = oracles.posterior_distance(drawn.prior, drawn.counts, released)
        two = oracles.posterior_distance(drawn.prior, found.neighbour, released)
        assert change == pytest.approx(abs(float(one - two)), rel=1e-9, abs=1e-12)
    here = found.moved.tolist().index(0)
    assert found.released[here].tolist() == list(drawn.counts)
    assert found.change[here] == pytest.approx(exact, rel=1e-10)
    assert found.change.max() <= exact * (1 + 1e-10)
    if len(drawn.counts) == 2:
        assert len(found.released) == drawn.n + 1, "with two categories every candidate is on the line"


def test_score_change_of_many_records_is_thinned_around_the_data() -> None:
    found = maps.score_change(Problem((1, 1, 1), (10**9, 10**7, 3)))
    assert found.moved.size < 140
    assert {-1, 0, 1} <= set(found.moved.tolist())
    assert (found.released >= 0).all()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: maps.along_count((1, 1, 1), 5, 1, 1), "two categories.*got 3"),
        (lambda: maps.along_count((1, 1), 0, 1, 1), "n = 0"),
        (lambda: maps.along_count((1, 1), 5, -1, 1), "gamma.*-1"),
        (lambda: maps.on_simplex((1, 1), 5, "local", 1), "three categories.*got 2"),
        (lambda: maps.on_simplex((1, 1, 1), 0, "local", 1), "n = 0"),
        (lambda: maps.on_simplex((1, 1, 1), 5, "global", 1), "measure.*'global'"),  # type: ignore[arg-type]
        (lambda: maps.on_simplex((1, 1, 1), 5, "local", 1, steps_a_side=61), "steps_a_side.*60.*61"),
        (lambda: maps.along_emptying(Problem((1, 1), (2, 3)), 1, 1), "at least three.*got 2"),
        (lambda: maps.along_emptying(Problem((1, 1, 1), (0, 0, 0)), 1, 1), "n = 0"),
        (lambda: maps.gamma_scan(Problem((1, 1), (0, 0))), "n = 0"),
        (lambda: maps.score_change(Problem((1, 1), (0, 0))), "n = 0"),
    ],
)
def test_what_cannot_be_mapped_is_refused_in_words(call: object, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        call()  # type: ignore[operator]


def test_the_most_categories_are_scanned_in_little_memory() -> None:
    """All pairs of 2,000 categories along 121 datasets would take 12 GB an array."""
    k = 2000
    problem = Problem((1.0,) * k, tuple(range(k, 0, -1)))
    tracemalloc.start()
    path = maps.along_emptying(problem, 1.0, 0.01)
    scan, change = maps.gamma_scan(problem), maps.score_change(problem)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert path.counts[-1, -2:].tolist() == [0, 0]
    assert path.reciprocal[0] == pytest.approx(smooth_sensitivity(problem, 1.0), rel=1e-12)
    assert scan.value[0] == pytest.approx(path.global_exact, rel=1e-12)
    assert change.change.max() == pytest.approx(path.local[0], rel=1e-10)
    assert peak < 200 * 2**20
