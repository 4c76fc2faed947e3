"""Closed-form sensitivities against enumeration of all datasets, neighbours and candidates."""

import math
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from dpbi import Problem, global_sensitivity, hellinger, local_sensitivity, sensitivity, smooth_sensitivity
from dpbi.sensitivity import Kind
from tests import oracles
from tests.reference_values import values
from tests.strategies import Drawn, alphas, datasets, gammas, priors, problems

SMOOTH: dict[Kind, Any] = {"reciprocal": oracles.smooth_reciprocal, "exponential": oracles.smooth_exponential}
kinds = pytest.mark.parametrize("kind", SMOOTH)

# log-gamma in float64 is not used anywhere near these: what is left is rounding in sums of a few terms.
CLOSE = 1e-11


# Values ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "entry", values("sensitivity"), ids=lambda entry: f"{entry['prior']} {entry['counts']}"
)
def test_reference(entry: dict[str, Any]) -> None:
    here = Problem(prior=entry["prior"], counts=entry["counts"])
    found = {"local": local_sensitivity(here), "global": global_sensitivity(here.prior, here.n)}
    for name in entry:
        kind, _, rate = name.partition(" ")
        if kind in SMOOTH:
            found[name] = smooth_sensitivity(here, float(rate.partition("=")[2]), kind=kind)
    assert found == pytest.approx({name: entry[name] for name in found}, rel=1e-9)
    assert len(found) == len(entry) - 2


@given(problems())
def test_local_is_the_maximum_over_neighbours_and_all_candidates(drawn: Drawn) -> None:
    by_definition = float(oracles.local_sensitivity_by_definition(*drawn))
    assert local_sensitivity(Problem(*drawn)) == pytest.approx(by_definition, rel=CLOSE)


@given(problems())
def test_global_is_the_maximum_over_datasets(drawn: Drawn) -> None:
    expected = float(oracles.global_sensitivity(drawn.prior, drawn.n))
    assert global_sensitivity(drawn.prior, drawn.n) == pytest.approx(expected, rel=CLOSE)


@kinds
@given(problems(), gammas())
def test_smooth_is_the_maximum_over_datasets(kind: Kind, drawn: Drawn, gamma: float) -> None:
    """The corner argument of the closed form is verified, not proved: this test is its support."""
    expected = float(SMOOTH[kind](*drawn, gamma))
    assert smooth_sensitivity(Problem(*drawn), gamma, kind=kind) == pytest.approx(expected, rel=CLOSE)


@kinds
@pytest.mark.parametrize("gamma", [0.0, 0.003, 0.05, 0.4])
@pytest.mark.parametrize(
    ("prior", "counts"),
    [
        ((1, 1), (48, 42)),
        ((0.5, 0.5), (0, 60)),
        ((0.01, 7), (40, 1)),
        ((0.3, 2, 1), (0, 1, 11)),
        ((5, 5, 5), (6, 6, 0)),
        ((0.2, 1, 0.7, 3), (0, 3, 0, 4)),
    ],
)
def test_smooth_at_larger_totals(prior: Any, counts: Any, gamma: float, kind: Kind) -> None:
    here = Problem(prior=prior, counts=counts)
    expected = float(SMOOTH[kind](prior, counts, gamma))
    assert smooth_sensitivity(here, gamma, kind=kind) == pytest.approx(expected, rel=CLOSE)


@pytest.mark.parametrize("exponent", range(2, 16))
@pytest.mark.parametrize("prior", [(1.0, 1.0), (0.5, 0.25, 0.125, 0.125)])
def test_local_keeps_its_digits_at_every_size(prior: tuple[float, ...], exponent: int) -> None:
    """Neighbours are few at any n, so 50 digits reach here too; sums of powers of 2 keep alpha + c exact."""
    n = 10**exponent
    for counts in ((n // 3, n - n // 3), (1, n - 1), (0, n)):
        padded = counts + (0,) * (len(prior) - 2)
        expected = float(oracles.local_sensitivity(prior, padded))
        found = local_sensitivity(Problem(prior=prior, counts=padded))
        assert found > 0
        assert found == pytest.approx(expected, rel=1e-10)


def test_the_papers_constant_is_the_flat_prior_with_three_categories() -> None:
    paper = math.sqrt(1 - math.pi / 4)
    assert sensitivity.PAPER_GLOBAL_SENSITIVITY == paper
    assert global_sensitivity((1, 1, 1), 7) == pytest.approx(paper, rel=1e-14)
    assert global_sensitivity((1, 1), 1) == pytest.approx(paper, rel=1e-14)
    assert global_sensitivity((1, 1), 10**6) == pytest.approx(0.3373, abs=5e-5)


def test_the_papers_constant_is_too_small_for_jeffreys() -> None:
    paper = sensitivity.PAPER_GLOBAL_SENSITIVITY
    assert global_sensitivity((0.5, 0.5, 0.5), 1000) > paper
    assert [global_sensitivity((0.5, 0.5), n) > paper for n in (8, 9)] == [True, False]


# Properties -----------------------------------------------------------------------------------------


@given(st.integers(2, 5), st.data())
def test_the_worst_neighbour_attains_the_local_sensitivity(k: int, data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 40))
    here = Problem(data.draw(priors(k)), data.draw(datasets(n, k)))
    worst = sensitivity.worst_neighbour(here)
    assert worst in set(oracles.neighbours(here.counts))
    distance = float(oracles.posterior_distance(here.prior, here.counts, worst))
    assert distance == pytest.approx(local_sensitivity(here), rel=CLOSE)


# Many datasets at once ------------------------------------------------------------------------------


@given(st.integers(2, 5), st.data(), gammas())
def test_scans_are_the_single_values(k: int, data: st.DataObject, gamma: float) -> None:
    n = data.draw(st.integers(1, 6))
    prior = data.draw(priors(k))
    listed = list(oracles.compositions(n, k))
    counts = np.array(listed).reshape(1, len(listed), k)
    local = sensitivity.local_sensitivities(prior, counts)
    assert local.shape == (1, len(listed))
    assert local[0].tolist() == [local_sensitivity(Problem(prior, c)) for c in listed]
    for kind in SMOOTH:
        smooth = sensitivity.smooth_sensitivities(prior, counts, gamma, kind)
        single = [smooth_sensitivity(Problem(prior, c), gamma, kind=kind) for c in listed]
        assert smooth[0].tolist() == single
    assert local.max() == pytest.approx(global_sensitivity(prior, n), rel=CLOSE)


def test_scans_do_not_wrap_narrow_integers() -> None:
    narrow = sensitivity.local_sensitivities((1, 1), np.array([200, 100], dtype=np.uint8))
    assert narrow == local_sensitivity(Problem((1, 1), (200, 100)))


@kinds
@given(st.integers(3, 7), st.data(), gammas())
def test_few_of_many_corners_are_enough(kind: Kind, k: int, data: st.DataObject, gamma: float) -> None:
    """The corners that are left out are no better: against every one of them, written out."""
    prior = np.array(data.draw(priors(k)))
    counts = np.array(data.draw(st.tuples(*[st.integers(0, 60)] * k).filter(any)))
    values = []
    for i, j in np.argwhere(~np.eye(k, dtype=bool)):
        for c_i in {0, counts[i]}:
            for c_j in {1, max(counts[j], 1)}:
                moved = counts[i] - c_i + (1 if counts[j] == 0 else counts[j] - c_j)
                a, b = prior[[i, j]] + (c_i, c_j), prior[[i, j]] + (c_i + 1, c_j - 1)
                h = float(hellinger(a, b))
                values.append(h * math.exp(-gamma * moved) if kind == "exponential" else 1 / (1 / h + gamma * moved))
    found = smooth_sensitivity(Problem(tuple(prior), tuple(counts.tolist())), gamma, kind=kind)
    assert found == pytest.approx(max(values), rel=1e-12)


def test_many_categories_take_little_memory() -> None:
    """Priors and counts in opposite orders, so that no category is dominated: 16 million pairs, 128 MB an array."""
    k = 2000
    problem = Problem(tuple(np.linspace(5, 0.1, k)), tuple(range(1, k + 1)))
    tracemalloc.start()
    found = smooth_sensitivity(problem, 0.001)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert local_sensitivity(problem) < found < global_sensitivity(problem.prior, problem.n)
    assert peak < 100 * 2**20


# Refusals -------------------------------------------------------------------------------------------


@given(alphas(), st.integers(2, 5))
def test_without_records_there_is_no_sensitivity(alpha: float, k: int) -> None:
    empty = Problem((alpha,) * k, (0,) * k)
    for raises in (
        lambda: local_sensitivity(empty),
        lambda: global_sensitivity(empty.prior, 0),
        lambda: smooth_sensitivity(empty, 1.0),
        lambda: sensitivity.worst_neighbour(empty),
        lambda: sensitivity.local_sensitivities(empty.prior, [(1,) * k, (0,) * k]),
    ):
        with pytest.raises(ValueError, match=r"n = 0.*neighbour"):
            raises()


TOO_LARGE = [(2**62, 2**62), (4 * 10**15, 1), ((1, 1), (2**53, 0)), (10**400, 1)]


@pytest.mark.parametrize("counts", [(3, -1), (1.5, 2.0), (1, 2, 3), 3, ((True, False),), (None, 1), {1, 2}, *TOO_LARGE])
def test_scans_refuse_what_is_no_dataset(counts: Any) -> None:
    asked: list[Callable[[], Any]] = [
        lambda: sensitivity.local_sensitivities((1, 1), counts),
        lambda: sensitivity.smooth_sensitivities((1, 1), counts, 1.0),
    ]
    for ask in asked:
        with pytest.raises(ValueError, match=r"^counts .*\.$") as refused:
            ask()
        assert ("too large" in str(refused.value)) == (counts in TOO_LARGE)
