"""The limit of privacy: against a linear programme written out here, reference values, and every mechanism."""

import math

import numpy as np
import pytest
from scipy import optimize

from dpbi import MECHANISMS, Problem, dirichlet, expected_distance, hellinger, limit_of_privacy
from dpbi.accuracy import optimum_programme as programme
from dpbi.mechanisms import Geometric, KNorm
from tests import oracles

REFERENCE = [
    ((1, 1), 90, 1, 0.08539), ((1, 1), 400, 2, 0.01447), ((0.5, 0.5), 400, 0.5, 0.13465), ((1, 1), 10, 0.5, 0.31239),
    ((1, 1, 1), 12, 1, 0.34592), ((0.5, 0.5, 0.5), 12, 2, 0.16714),
]


@pytest.mark.parametrize(("prior", "n", "epsilon", "value"), REFERENCE, ids=str)
def test_reference_values(prior: tuple[float, ...], n: int, epsilon: float, value: float) -> None:
    found = limit_of_privacy(prior, n, epsilon)
    assert found.value == pytest.approx(value, abs=6e-6)
    assert found.kind == ("theorem" if len(prior) == 2 else "linear programme") and found.error < 1e-8


def by_programme(prior: tuple[float, ...], n: int, epsilon: float) -> float:
    """min sum_c P(c) x_cr H(c, r) over x >= 0, rows that sum to 1, x_cr <= e^epsilon x_c'r, all written out."""
    datasets = list(oracles.compositions(n, len(prior)))
    size, at = len(datasets), {c: i for i, c in enumerate(datasets)}
    posterior = np.array(prior) + np.array(datasets)
    predictive = [float(oracles.mp.exp(oracles.log_evidence_counts(prior, c))) for c in datasets]
    cost = np.array(predictive)[:, None] * hellinger(posterior[:, None], posterior[None])
    limit, rows = [], np.kron(np.eye(size), np.ones(size))
    for c in datasets:
        for other in oracles.neighbours(c):
            for r in range(size):
                row = np.zeros(size * size)
                row[at[c] * size + r], row[at[other] * size + r] = 1, -math.exp(epsilon)
                limit.append(row)
    found = optimize.linprog(cost.ravel(), np.array(limit), np.zeros(len(limit)), rows, np.ones(size), method="highs",
                             options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10})
    return float(found.fun)


@pytest.mark.parametrize(("prior", "epsilon"), [((1, 1), 0.3), ((1, 1), 20), ((0.01, 3), 300), ((1e-9, 1e-9), 30),
                                                ((1e12, 1e-9), 15), ((1e12, 1e12), 2)], ids=str)  # fmt: skip
def test_the_theorem_keeps_its_digits_where_hardly_anything_is_lost(prior: tuple[float, ...], epsilon: float) -> None:
    found, expected = limit_of_privacy(prior, 12, epsilon), by_theorem(prior, 12, epsilon)
    assert found.value == pytest.approx(expected, rel=1e-10, abs=0) and 0 < found.error <= 1e-8 * expected


@pytest.mark.parametrize("n", [3, 4, 5, 8, 9])
def test_the_theorem_reaches_the_data_that_the_prior_expects(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """In blocks of 4, wherever the prior expects the counts: in none of them, at an end, at both, spread."""
    monkeypatch.setattr("dpbi.accuracy.optimum._BLOCK", 4)
    monkeypatch.setattr("dpbi.accuracy.optimum._COLUMNS", 4)
    drawn = 10 ** np.random.default_rng(n).uniform(-9, 12, (2, 2))
    for prior in [(1e9, 1e-9), (1e-6, 1e6), *map(tuple, drawn.tolist())]:
        for epsilon in (0.3, 1.0, 30.0):
            found, expected = limit_of_privacy(prior, n, epsilon), by_theorem(prior, n, epsilon)
            assert found.value == pytest.approx(expected, rel=1e-9, abs=0), (prior, epsilon)


def by_theorem(prior: tuple[float, ...], n: int, epsilon: float) -> float:
    """Every term of the theorem's sum in 50 digits."""
    a = oracles.mp.exp(-oracles.mp.mpf(epsilon))
    probability = [oracles.mp.exp(oracles.log_evidence_counts(prior, (i, n - i))) for i in range(n + 1)]
    distance = [[oracles.posterior_distance(prior, (i, n - i), (r, n - r)) for r in range(n + 1)] for i in range(n + 1)]
    weight = [1 / (1 + a) if t in (0, n) else (1 - a) / (1 + a) for t in range(n + 1)]
    return float(oracles.mp.fsum(
        weight[t] * min(oracles.mp.fsum(probability[i] * distance[i][r] * a ** abs(i - t) for i in range(n + 1))
                        for r in range(n + 1))
        for t in range(n + 1)
    ))


@pytest.mark.parametrize("prior", [(1, 1), (0.01, 3), (50, 50), (1e-6, 1e-6), (1e6, 10)], ids=str)
@pytest.mark.parametrize("epsilon", [0.05, 0.7, 3.0])
def test_the_theorem_and_the_programme_agree(prior: tuple[float, ...], epsilon: float) -> None:
    for n in (1, 2, 7):
        found, expected = limit_of_privacy(prior, n, epsilon), by_programme(prior, n, epsilon)
        assert found.value == pytest.approx(expected, abs=1e-8)
        lower, upper, _ = programme.bounds_by_programme(tuple(map(float, prior)), n, epsilon)
        assert lower is not None and upper is not None
        assert found.value == pytest.approx(lower, abs=1e-8) and found.value == pytest.approx(upper, abs=1e-8)


@pytest.mark.parametrize(("prior", "n"), [((1, 1, 1), 3), ((0.2, 1, 1), 3), ((3, 0.1, 1), 3), ((0.5,) * 4, 2)], ids=str)
@pytest.mark.parametrize("epsilon", [0.2, 2.0])
def test_orbits_change_nothing(prior: tuple[float, ...], n: int, epsilon: float) -> None:
    found = limit_of_privacy(prior, n, epsilon)
    assert found.lower is not None and found.upper is not None and found.value is not None
    assert found.lower <= found.value <= found.upper + 1e-15
    assert found.value == pytest.approx(by_programme(prior, n, epsilon), abs=1e-8)


def test_bounds_hold_for_what_is_no_solution() -> None:
    """Any u >= 0, or any prices y, bound from below; any x, however far from private, is mixed until it is."""
    made = programme._Programme((1.0, 1.0, 2.0), 3, 0.7)
    rng = np.random.default_rng(4)
    value = limit_of_privacy((1, 1, 2), 3, 0.7).value
    assert value is not None
    here, there = made.neighbours
    for size in (0.001, 0.1, 10.0):
        assert made._lower(size * rng.random((here.size, made.size))) <= value
        x = rng.random((made.size, made.size)) ** 8
        assert made._upper(x / x.sum(axis=1, keepdims=True) * (1 + 0.01 * size * rng.random((made.size, 1)))) >= value
        bound, new = made._priced((size * rng.random(made.first.size))[made.orbit_of_dataset])
        assert 0 <= bound <= value
        assert (new[here] * made.decay <= new[there] + 1e-8).all(), "columns lie in the cone"


@pytest.mark.parametrize(("prior", "n"), [((1.0, 1.0, 1.0), 4), ((0.2, 1.0, 1.0), 3), ((9.0, 0.1, 1.0), 3),
                                          ((0.5,) * 4, 2), ((1e-6, 3.0), 7)], ids=str)  # fmt: skip
@pytest.mark.parametrize("epsilon", [1e-3, 0.2, 2.0])
def test_columns_lead_to_the_same_value(prior: tuple[float, ...], n: int, epsilon: float) -> None:
    """That of the programme written out here."""
    made, value = programme._Programme(prior, n, epsilon), by_programme(prior, n, epsilon)
    lower, upper = made.bounds_by_columns(12)
    assert lower is not None and upper is not None
    assert value - 1.1e-3 * upper <= lower <= value + 1e-9 and value - 1e-9 <= upper <= value + 1.1e-3 * upper


def test_columns_bound_what_is_too_large_to_be_solved_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, prior = limit_of_privacy((1, 1, 1), 12, 0.5), (0.1, 1, 10)
    value = limit_of_privacy(prior, 5, 1.0).value
    monkeypatch.setattr(programme, "_PAIRS", 100)
    found = limit_of_privacy((1, 1, 1), 12, 0.5)
    assert found.kind == "linear programme" and found.lower and found.upper and whole.value and value
    assert found.lower <= whole.value <= found.upper and 1e-8 < found.error < 1e-3
    monkeypatch.setattr(programme, "_PRICED", 3_000)
    short = limit_of_privacy(prior, 5, 1.0)
    assert short.kind == "none" and short.lower and short.upper
    assert short.lower <= value <= short.upper and "in 1 round are" in short.reason
    monkeypatch.setattr(programme, "_PRICED", 8_000)
    refused = limit_of_privacy((1, 1, 1), 12, 0.5)
    assert (refused.kind, refused.lower, refused.upper) == ("none", None, None)
    assert "8,892 constraints" in refused.reason and "8,000 at most" in refused.reason


def test_what_one_method_fails_at_another_solves(monkeypatch: pytest.MonkeyPatch) -> None:
    """Priors of all sizes, drawn from a fixed stream: solved; and where every solver fails, it is not time's fault."""
    rng = np.random.default_rng(18)
    for prior in [(0.1, 0.5, 200.0), *rng.choice([0.1, 0.5, 1, 2, 10, 200], (6, 3)).tolist()]:
        found = limit_of_privacy(prior, 3, 0.5)
        assert found.value == pytest.approx(by_programme(prior, 3, 0.5), rel=1e-4, abs=1e-8), prior
        assert found.kind == "linear programme" and found.value and found.error <= 1e-3 * found.value
    monkeypatch.setattr(programme, "_ITERATIONS", 0)
    failed = limit_of_privacy((0.1, 0.5, 200.0), 3, 0.5)
    assert failed.kind == "none" and failed.reason == "The solver of linear programmes found no solution here."


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
@pytest.mark.parametrize(("prior", "n"), [((1.0, 1.0), 40), ((0.3, 4.0), 25)])
def test_the_remap_attains_the_limit(prior: tuple[float, ...], n: int, epsilon: float) -> None:
    """Geometric noise cut to [0, n], then the remap: its mean distance, summed here."""
    found = limit_of_privacy(prior, n, epsilon)
    assert found.remap is not None and (np.diff(found.remap) >= 0).all() and not found.remap.flags.writeable
    line = np.array([(t, n - t) for t in range(n + 1)])
    total = 0.0
    for u in range(n + 1):
        problem = Problem(prior, (u, n - u))
        law = np.exp(Geometric(epsilon).log_pmf(problem, line))
        distance = hellinger(problem.posterior, np.array(prior) + line[found.remap])
        total += float(oracles.mp.exp(oracles.log_evidence_counts(prior, (u, n - u)))) * float(law @ distance)
    assert total == pytest.approx(found.value, abs=1e-10)
    for kind in (Geometric, KNorm):
        assert expected_distance(kind(epsilon), prior, n, "nearest").mean == pytest.approx(found.value, abs=1e-10)


@pytest.mark.parametrize(("prior", "n"), [((1.0, 1.0), 12), ((0.2, 0.2, 2.0), 4)])
def test_no_private_mechanism_is_below_it(prior: tuple[float, ...], n: int) -> None:
    for epsilon in (0.5, 2.0):
        limit = limit_of_privacy(prior, n, epsilon).lower
        assert limit is not None
        for kind in MECHANISMS:
            if kind(epsilon).guarantee(prior, n).is_private:
                assert expected_distance(kind(epsilon), prior, n, "nearest").mean >= limit - 1e-9, kind


@pytest.mark.parametrize(("prior", "n", "epsilon"), [
    ((1.0, 1.0), 600, 1.0), ((0.5, 3.0), 600, 0.05), ((2e-9, 2e-9), 250, 0.008), ((9e-6, 2e-7), 654, 0.017),
    ((1e9, 1e-9), 1_000, 1.0), ((7.0, 88.0), 1_894, 1.95)], ids=str)  # fmt: skip
def test_interpolated_values_are_within_their_error(
    prior: tuple[float, ...], n: int, epsilon: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the whole sum, where that can be taken too."""
    exact = limit_of_privacy(prior, n, epsilon).value
    monkeypatch.setattr("dpbi.accuracy.optimum._WORK", 0)
    found = limit_of_privacy(prior, n, epsilon)
    assert exact is not None and found.value is not None and found.remap is None
    assert abs(found.value - exact) <= found.error < 0.05 * exact


def test_many_records() -> None:
    found = limit_of_privacy((1, 1), 10**9, 1.0)
    assert found.kind == "theorem" and found.remap is None and found.value is not None
    # far from the edges H of a gap of d records is d / sqrt(8 n p (1 - p)) and E|D| = 1 / sinh 1; E of the root is pi
    expected = math.pi / math.sqrt(8 * 10**9) / math.sinh(1)
    assert found.value == pytest.approx(expected, abs=found.error) and 0 < found.error < 1e-3 * found.value


@pytest.mark.parametrize("epsilon", [1e-9, 1e-3, 60.0, 1e6])
@pytest.mark.parametrize("prior", [(1, 1), (1e-9, 1e12), (1, 1, 1)], ids=str)
def test_every_epsilon(prior: tuple[float, ...], epsilon: float) -> None:
    """Next to nothing but the best constant at the one end, the truth at the other."""
    found = limit_of_privacy(prior, 5, epsilon)
    assert found.lower is not None and found.upper is not None
    datasets = np.array(list(oracles.compositions(5, len(prior))))
    predictive = np.exp(dirichlet.log_evidence(prior, datasets))
    posterior = np.array(prior) + datasets
    constant = float((predictive @ hellinger(posterior[:, None], posterior[None])).min())
    assert -1e-12 <= found.lower <= found.upper + 1e-12 and found.lower <= constant + 1e-9
    if epsilon < 1e-8:
        assert found.upper == pytest.approx(constant, abs=1e-6)
    if epsilon > 50:
        assert found.upper < 1e-6


@pytest.mark.parametrize(("prior", "n"), [((1, 1, 1), 60), ((1,) * 6, 12), ((1, 2, 3), 30)], ids=str)
def test_where_it_is_not_known_it_says_why(prior: tuple[float, ...], n: int) -> None:
    found = limit_of_privacy(prior, n, 1.0)
    assert (found.kind, found.value, found.remap) == ("none", None, None)
    assert found.reason.endswith(".") and any(c.isdigit() for c in found.reason)


@pytest.mark.parametrize(("n", "epsilon", "words"), [(0, 1.0, "n must be at least 1"), (3, 0.0, "greater than 0")])
def test_there_is_no_limit_without_records_or_privacy(n: int, epsilon: float, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        limit_of_privacy((1, 1), n, epsilon)


@pytest.mark.parametrize(("prior", "n", "epsilon"), [((1.0, 1.0), 10**6, 1e-6), ((1e-9, 1e-9), 10**9, 1e-6)], ids=str)
def test_noise_wider_than_what_is_summed_one_by_one(
    prior: tuple[float, ...], n: int, epsilon: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dpbi.accuracy.optimum_interpolated._GROWTH_OF_WIDE", (10.0, 2.0))
    found = limit_of_privacy(prior, n, epsilon)
    assert found.kind == "theorem" and found.value is not None and 0 < found.value < 1
