"""The law of the Hellinger distance, for every mechanism: exact against brute force, sampled within its band."""

import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from dpbi import DistanceLaw, Problem, distance_law, local_sensitivity
from dpbi.mechanisms import Mechanism, distance_table
from dpbi.mechanisms.distance_table import MOMENTS, slack
from dpbi.mechanisms.selection import table as candidates_table
from dpbi.posterior.hellinger import distances_to
from tests import large_oracles, oracles
from tests.every_mechanism import EVERY, Kind, Options, enumerated, every_class, every_mechanism, has_rate, outputs
from tests.goodness_of_fit import assert_mean
from tests.strategies import Drawn, epsilons, problems


@pytest.fixture
def small_limits(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Outputs fall into bins from 300 on, and 100 stay exact; no table outlives that."""
    monkeypatch.setattr(distance_table, "_LEVELS", 300)
    monkeypatch.setattr(distance_table, "_NEAR", 100)
    yield
    for function in vars(candidates_table).values():
        if hasattr(function, "cache_clear"):
            function.cache_clear()


def everything(mechanism: Mechanism, problem: Problem) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """H, steps and probability of every output, sorted by H, from the mechanism's own pmf."""
    released = outputs(mechanism, problem)
    probability = np.exp(mechanism.log_pmf(problem, released))
    released, probability = released[probability > 0], probability[probability > 0]
    h = distances_to(problem, released)
    order = np.argsort(h, kind="stable")
    step = np.abs(released - np.array(problem.counts)).sum(axis=1) / 2
    return h[order], step[order], probability[order]


def probability_within(law: tuple[np.ndarray, np.ndarray, np.ndarray], t: float) -> float:
    return math.fsum(law[2][law[0] <= t + 1e-12 + 1e-10 * t])


def assert_law(law: DistanceLaw) -> None:
    """What holds for every law, exact or sampled."""
    assert law.distance.shape == law.probability.shape == law.steps.shape
    assert (np.diff(law.distance[law.probability > 0]) >= -1e-15).all() and (law.probability >= 0).all()
    assert (law.distance >= 0).all() and (law.distance <= 1).all()
    assert (2 * law.steps == np.round(2 * law.steps)).all() or law.edges is not None
    assert law.probability.sum() == pytest.approx(1, abs=1e-12)
    assert law.exact == (law.kind != "sampled") and 0 <= law.mean <= 1
    assert law.cdf(-1e-9) == 0 and law.cdf(1) == pytest.approx(1, abs=1e-12) and law.cdf(2.0) <= 1
    assert 0 <= law.quantile(1e-9) <= law.median <= law.quantile(1.0) <= 1
    grid = [law.cdf(t) for t in np.linspace(0, 1, 101)]
    assert (np.diff(grid) >= -1e-15).all()


# Exact laws -----------------------------------------------------------------------------------------


@given(problems(largest_k=4), epsilons())
def test_every_law_is_brute_force(drawn: Drawn, epsilon: float) -> None:
    problem = Problem(*drawn)
    for kind, chosen in EVERY:
        least = enumerated(kind, epsilon, problem.k)
        law = distance_law(kind(least, **chosen), problem)
        assert_law(law)
        pmf = oracles.LAWS[kind.__name__](drawn.prior, drawn.counts, epsilon=least, **chosen)
        expected = oracles.distance_law(pmf, drawn.prior, drawn.counts)
        assert law.kind == "levels" and law.edges is None and law.band == law.mean_error == 0
        assert law.mean == pytest.approx(float(expected.mean), rel=1e-10, abs=1e-13)

        distance, probability = law.levels()
        heavy = [(float(h), float(p)) for h, p in zip(*expected, strict=True) if p > 1e-15]
        kept = probability > 1e-15
        assert distance[kept].tolist() == pytest.approx([h for h, _ in heavy], rel=2e-10, abs=2e-12)
        assert probability[kept].tolist() == pytest.approx([p for _, p in heavy], rel=1e-10)

        by_step: dict[float, Any] = {}
        for released, p in pmf.items():
            moved = oracles.steps(drawn.counts, released)
            by_step[moved] = by_step.get(moved, 0) + p
        found = dict(zip(*(column.tolist() for column in law.by_step()), strict=True))
        assert [found.get(moved, 0.0) for moved in by_step] == pytest.approx(
            [float(p) for p in by_step.values()], rel=1e-10, abs=1e-15)
        assert law.probability_of_truth == pytest.approx(float(pmf.get(drawn.counts, 0)), rel=1e-10, abs=1e-15)
        mean_steps = oracles.mp.fsum(s * p for s, p in by_step.items())
        assert law.mean_steps == pytest.approx(float(mean_steps), rel=1e-10, abs=1e-13)

        local = oracles.local_sensitivity(*drawn)
        marks = [h for h, _ in zip(*expected, strict=True)] + [local]
        for t in marks + [(a + b) / 2 for a, b in itertools.pairwise(sorted(marks)) if b - a > 1e-8]:
            assert law.cdf(float(t)) == pytest.approx(float(expected.cdf(t)), abs=1e-12)
        # A quantile may lie on either side of a level whose cumulative probability is q itself.
        for q in (0.05, 0.5, 0.9):
            low, high = (float(expected.quantile(oracles.mp.mpf(q) + shift)) for shift in (-1e-11, 1e-11))
            assert low - 2e-12 <= law.quantile(q) <= high + 2e-12


@every_mechanism
@pytest.mark.parametrize(
    ("prior", "counts"), [((1, 1), (48, 42)), ((0.5, 0.5), (3, 87)), ((1, 1, 1), (9, 4, 17)), ((0.2, 3), (50, 450))]
)
def test_the_atom_at_the_local_sensitivity_lies_within_it(
    kind: Kind, chosen: Options, prior: tuple[float, ...], counts: tuple[int, ...]
) -> None:
    """P(H <= LS) holds the neighbours that attain LS, whose H may differ from it in the last digit."""
    problem, mechanism = Problem(prior, counts), kind(1.0, **chosen)
    local, law = local_sensitivity(problem), distance_law(mechanism, problem)
    neighbours = np.array(list(oracles.neighbours(counts)))
    attaining = [r for r in neighbours.tolist() if abs(oracles.posterior_distance(prior, counts, r) - local) < 1e-12]
    assert attaining
    least = math.exp(mechanism.log_pmf(problem, counts)) + np.exp(mechanism.log_pmf(problem, attaining)).sum()
    assert law.cdf(local) >= least - 1e-10
    below = law.cdf(local * (1 - 1e-8))
    assert law.cdf(local) - below >= np.exp(mechanism.log_pmf(problem, attaining)).sum() - 1e-10


@pytest.mark.usefixtures("small_limits")
@every_mechanism
@pytest.mark.parametrize(("prior", "counts", "epsilon"), [
    ((1, 0.5, 2), (11, 9, 16), 0.5), ((1, 0.5, 2), (11, 9, 16), 20.0), ((1e-5, 1e-5, 1e-5), (0, 1, 25), 20.0),
    ((0.01, 0.01, 1e6), (0, 9, 16), 0.5),
])
def test_laws_in_bins(
    kind: Kind, chosen: Options, prior: tuple[float, ...], counts: tuple[int, ...], epsilon: float
) -> None:
    """Mean, near region and the values at the bins' edges are exact; between the edges the error is within the bin."""
    problem, mechanism = Problem(prior, counts), kind(epsilon, **chosen)
    law, exact = distance_law(mechanism, problem), everything(mechanism, problem)
    assert_law(law)
    if law.edges is None:  # a narrow window of noise may still be listed whole
        assert law.kind == "levels" and law.distance.size <= 300
        edges, rate_error = np.linspace(0, 1, 50), 1e-12
    else:
        assert law.kind == "bins" and law.edges[0] > 0
        edges = law.edges
        rate = getattr(mechanism, "rate", lambda problem: 0.0)(problem)
        x = rate * np.diff(edges).max() / 2
        rate_error = x**MOMENTS / math.factorial(MOMENTS) * math.exp(2 * x) + 1e-12
    assert law.mean == pytest.approx(exact[0] @ exact[2], rel=1e-11 + rate_error, abs=1e-13)
    assert law.mean_steps == pytest.approx(exact[1] @ exact[2], rel=1e-11 + rate_error, abs=1e-13)
    assert law.probability_of_truth == pytest.approx(exact[2][exact[1] == 0].sum(), rel=1e-11 + rate_error)
    for edge in edges[:: max(1, edges.size // 40)]:
        # The edge itself may round to either side of an output that lies on it.
        low, high = (math.fsum(exact[2][exact[0] <= edge + shift]) for shift in (-1e-13, 1e-13))
        error = rate_error + 1e-6 * law.cdf_error  # a rounded t is no edge
        assert low - error <= law.cdf((edge - 1e-12) / (1 + 1e-10)) <= high + error
    assert_distribution(law, exact[0], np.cumsum(exact[2]), rate_error)
    near = exact[0][exact[0] < edges[0]] if law.edges is not None else exact[0][:100]
    for t in near[:: max(1, near.size // 40)]:
        assert law.cdf(t) == pytest.approx(probability_within(exact, t), abs=rate_error)


def assert_distribution(law: DistanceLaw, h: np.ndarray, cumulative: np.ndarray, error: float) -> None:
    """The distribution function errs by what the law states at most, not at all at LS(c); quantiles agree with it.

    h: of every output, sorted; cumulative: their probabilities, summed up. Distances within the slack are one level.
    """

    def within(t: float) -> float:
        count = int(np.searchsorted(h, t, side="right"))
        return float(cumulative[count - 1]) if count else 0.0

    stated = law.cdf_error + error
    grid = np.concatenate([h[:: max(1, h.size // 500)], np.linspace(0, 1, 200), 1 - np.geomspace(1e-9, 1, 200)])
    for t in grid.tolist():
        assert within(t - 1e-11) - stated <= law.cdf(t) <= within(t + 2.1 * float(slack(t))) + stated
    local = local_sensitivity(law.problem)
    assert law.cdf(local) == pytest.approx(within(local + float(slack(local))), rel=1e-9, abs=error)
    for q in (1e-6, 0.01, 0.1, 0.5, 0.9, 0.99, 1 - 1e-6, 1.0):
        t = law.quantile(q)
        reach = 3 * float(slack(t))
        assert law.cdf(t) >= q - 1e-12
        # The next bin below, or the next level, does not reach q.
        assert law.cdf(t - reach) <= q + 1e-12 or law.cdf_error > 0
        assert within(t - reach) <= q + stated and within(t + reach) >= q - stated


CROWDED = [
    ((1,) * 4, (38,) * 4, 1e-3),
    ((1e-5,) * 4, (0, 0, 1, 150), 1e-3),
    ((1e-9,) * 4, (0, 0, 0, 150), 1e-3),
    ((30, 1, 1, 1), (10, 40, 40, 40), 1e-3),
    ((1e12, 1e12, 1e12, 1e-9), (50, 40, 40, 0), 0.02),  # 8,000 outputs at a time, 1e-9 apart in their loss
]


@pytest.mark.parametrize(("prior", "counts", "largest_error"), CROWDED)
def test_laws_of_crowded_outputs(prior: tuple[float, ...], counts: tuple[int, ...], largest_error: float) -> None:
    """Where most outputs lie at nearly one distance, near 1 or near 0, at the limits as they are: 400,000 and more."""
    problem = Problem(prior, counts)
    losses = large_oracles.all_losses(prior, counts)[0]
    h = np.sort(large_oracles.distance(losses).astype(float))
    for kind, chosen in (pair for pair in EVERY if has_rate(pair[0])):
        for epsilon in (1.0, 30.0):
            mechanism: Any = kind(epsilon, **chosen)
            law = distance_law(mechanism, problem)
            assert law.kind == "bins" and law.cdf_error < largest_error
            weight = np.exp(-mechanism.rate(problem) * (h - h[0]))
            assert_distribution(law, h, np.cumsum(weight) / weight.sum(), 1e-10)
            assert law.mean == pytest.approx(weight @ h / weight.sum(), rel=1e-9, abs=1e-15)


@pytest.mark.usefixtures("small_limits")
def test_some_laws_are_in_bins() -> None:
    """Else the test above would check nothing but lists."""
    kinds = [distance_law(kind(0.5, **chosen), Problem((1, 0.5, 2), (11, 9, 16))).kind for kind, chosen in EVERY]
    assert kinds.count("bins") > len(kinds) / 2


@every_mechanism
def test_without_records_the_truth_is_certain(kind: Kind, chosen: Options) -> None:
    law = distance_law(kind(1.0, **chosen), Problem((0.5, 1, 2), (0, 0, 0)))
    assert law.exact and law.distance.tolist() == [0] and law.probability.tolist() == [1]
    assert law.mean == law.median == law.mean_steps == 0 and law.probability_of_truth == 1


# Sampled laws ---------------------------------------------------------------------------------------


@every_mechanism
@pytest.mark.parametrize(
    ("problem", "epsilon"), [(Problem((1, 1, 1), (9, 3, 6)), 0.5), (Problem((0.5, 0.5, 4), (12, 0, 6)), 6.0)], ids=str
)
def test_sampled_laws_keep_to_their_band(
    kind: Kind, chosen: Options, problem: Problem, epsilon: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a space too large to list would get, on one that is not: the same mechanism, its listing switched off.

    The band holds with 95 %; twice the band, by the same inequality, fails with at most 2 (0.05 / 2)^4 = 8e-7.
    """
    mechanism = kind(epsilon, **chosen)
    exact = everything(mechanism, problem)
    monkeypatch.setattr(kind, "distances", lambda self, problem: None)
    law = distance_law(mechanism, problem, np.random.default_rng(6))
    assert_law(law)
    assert law.kind in ("sampled", "levels")
    if law.exact:
        assert law.mean == pytest.approx(exact[0] @ exact[2], abs=1e-10)
        return
    assert 0 < law.band < 0.05 and law.edges is None
    grid = exact[0][:: max(1, exact[0].size // 150)]
    worst = max(abs(law.cdf(t) - probability_within(exact, t)) for t in grid)
    assert worst <= 2 * law.band
    truth = exact[2][exact[1] == 0].sum()
    assert law.probability_of_truth == pytest.approx(truth, rel=1e-10)
    mean, square = exact[0] @ exact[2], exact[0] ** 2 @ exact[2]
    if law.mean_error < 1e-9:
        assert law.mean == pytest.approx(mean, abs=2e-9)
    else:  # the exact near rows only make it better than a plain mean of the draws
        assert law.mean_error < 1.1 * math.sqrt((square - mean**2) / 10_000) + 1e-12
        assert abs(law.mean - mean) < 5 * law.mean_error


LARGE = Problem((1,) * 12, (50,) * 12)


@every_mechanism
def test_laws_of_large_spaces(kind: Kind, chosen: Options) -> None:
    """Not listable: the law says so, follows its generator, has an exact atom at the truth, a mean with its error."""
    mechanism = kind(0.5, **chosen)
    law, again, other = (
        distance_law(mechanism, LARGE, rng) for rng in (None, np.random.default_rng(0), np.random.default_rng(1))
    )
    assert_law(law)
    assert not law.exact and law.kind == "sampled" and law.edges is None
    assert (law.distance.tolist(), law.steps.tolist()) == (again.distance.tolist(), again.steps.tolist())
    assert law.probability.tolist() == again.probability.tolist()
    assert law.steps.tolist() != other.steps.tolist()
    truth = math.exp(mechanism.log_pmf(LARGE, LARGE.counts))
    assert law.probability_of_truth == pytest.approx(truth, rel=1e-10, abs=1e-300)
    # Fresh draws lie in the law's band and their own: each fails with at most 1e-6 (DKW).
    h = distances_to(LARGE, mechanism.sample(LARGE, np.random.default_rng(99), 2000))
    band = law.band * math.sqrt(math.log(2e6) / math.log(40)) + math.sqrt(math.log(2e6) / 4000)
    for t in np.quantile(h, np.linspace(0.05, 0.95, 19)):
        assert abs(law.cdf(t) - (h <= t + slack(t)).mean()) < band
    assert h.min() <= law.mean <= 1


@every_class
def test_a_hundred_categories_have_a_law(kind: Kind) -> None:
    problem, mechanism = Problem((0.5,) * 100, tuple(7 * i % 13 for i in range(100))), kind(20.0)
    law = distance_law(mechanism, problem)
    assert_law(law)
    truth = math.exp(mechanism.log_pmf(problem, problem.counts))
    assert law.probability_of_truth == pytest.approx(truth, rel=1e-9, abs=1e-300)
    if not law.exact and mechanism.mean_distance(problem) is None:
        assert law.mean_error > 0, "a sampled mean must not pass for an exact one, however alike the draws"


@every_class
def test_the_line_is_exact_at_any_length(kind: Kind) -> None:
    """k = 2 with n = 1e9 is never sampled; the law's mean is that of 4,000 draws."""
    if kind.distances is Mechanism.distances:
        return  # all releases of a thousand million counts are not listed
    problem, mechanism = Problem((1, 1), (4 * 10**8, 6 * 10**8)), kind(1.0)
    law = distance_law(mechanism, problem)
    assert_law(law)
    assert law.exact and law.band == law.mean_error == 0
    truth = math.exp(mechanism.log_pmf(problem, problem.counts))
    assert law.probability_of_truth == pytest.approx(truth, rel=1e-7)
    h = distances_to(problem, mechanism.sample(problem, np.random.default_rng(4), 4000))
    assert_mean(h, law.mean, max(h.std(), 1e-9))
    for t in np.quantile(h, [0.2, 0.5, 0.8]):
        share = (h <= t + slack(t)).mean()
        assert abs(law.cdf(t) - share) < 5 * math.sqrt(0.25 / 4000)


# Questions ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("q", [0, -0.5, 1.5])
def test_quantile_refuses_what_is_no_probability(q: float) -> None:
    law = distance_law(EVERY[0][0](1.0), Problem((1, 1), (3, 5)))
    with pytest.raises(ValueError, match=rf"\bq\b.*{q}"):
        law.quantile(q)
