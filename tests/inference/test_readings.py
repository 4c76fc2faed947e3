"""The nearest posterior, the distance expected under the prior and several releases together, against enumeration."""

import dataclasses
import itertools
import math
from typing import Any

import numpy as np
import pytest

from dpbi import (
    MECHANISMS,
    Problem,
    dirichlet,
    expected_distance,
    hellinger,
    joint_posterior,
    limit_of_privacy,
    nearest_posterior,
)
from dpbi.inference import nearest as engine
from dpbi.mechanisms import EHD, EHDS, Geometric, KNorm, LSDim, LSHist, LSZhang, Mechanism, listing
from tests import oracles
from tests.every_mechanism import Kind, Options, every_mechanism, lists_datasets
from tests.oracles import mp


def believed(name: str, prior: tuple[float, ...], n: int, released: tuple[int, ...], **fields: Any) -> dict[Any, float]:
    laws = oracles.laws_of_all_datasets(name, prior, n, **fields)
    return {c: float(p) for c, p in oracles.counts_given_release(laws, prior, released).items()}


def nearest_of(prior: tuple[float, ...], law: dict[Any, float]) -> tuple[np.ndarray, list[Any]]:
    """E[H(c, r*)] of every candidate r*."""
    counts = list(law)
    posterior = np.array(prior) + np.array(counts)
    return np.array(list(law.values())) @ hellinger(posterior[:, None], posterior[None]), counts


# The nearest posterior --------------------------------------------------------------------------------


@every_mechanism
@pytest.mark.parametrize(
    ("prior", "n", "released"),
    [((1.0, 0.2), 6, (2, 4)), ((0.1, 0.1, 0.1), 4, (1, 2, 1)), ((3.0, 1.0, 1.0), 3, (0, 3, 0))],
)
def test_nearest_is_the_least_of_all_candidates(
    kind: Kind, chosen: Options, prior: tuple[float, ...], n: int, released: tuple[int, ...]
) -> None:
    cost, counts = nearest_of(prior, believed(kind.__name__, prior, n, released, epsilon=0.8, **chosen))
    found = nearest_posterior(kind(0.8, **chosen), prior, n, released)
    assert found.kind == "exact" and found.error == 0
    assert found.expected_distance == pytest.approx(cost.min(), abs=1e-10)
    assert cost[counts.index(found.counts)] == pytest.approx(cost.min(), abs=1e-10)
    assert found.posterior == tuple(a + r for a, r in zip(prior, found.counts, strict=True))


@pytest.mark.parametrize(("prior", "released"), [((1.0, 1.0), (5, 20)), ((0.05, 2.0), (30, 0)), ((0.1, 0.1), (0, 25))])
def test_a_window_of_two_categories_is_enough(
    prior: tuple[float, ...], released: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is found among the likely counts is what is found among all."""
    mechanism = KNorm(1.5)
    whole = nearest_posterior(mechanism, prior, 25, released)
    monkeypatch.setattr(engine, "DATASETS", 5)
    window = nearest_posterior(mechanism, prior, 25, released)
    assert window.kind == "exact" and window.counts == whole.counts
    assert window.expected_distance == pytest.approx(whole.expected_distance, abs=1e-12)


@pytest.mark.parametrize("prior", [(1.0,) * 3, (0.1,) * 3, (0.3, 5.0, 1.0)], ids=str)
def test_draws_come_near_the_exact_reading(prior: tuple[float, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    released = [(2, 3, 7), (0, 12, 0), (0, 0, 14)]
    exact = [nearest_posterior(KNorm(1.0), prior, 12, r) for r in released]
    monkeypatch.setattr(engine, "DATASETS", 5)
    for one, r in zip(exact, released, strict=True):
        found = nearest_posterior(KNorm(1.0), prior, 12, r)
        assert found.kind == "sampled" and sum(found.counts) == 12
        law = believed("KNorm", prior, 12, r, epsilon=1.0)
        cost, counts = nearest_of(prior, law)
        assert cost[counts.index(found.counts)] <= 1.01 * one.expected_distance
        assert abs(found.expected_distance - cost[counts.index(found.counts)]) <= 5 * found.error
        again = nearest_posterior(KNorm(1.0), prior, 12, r)
        assert found.counts == again.counts, "everybody reads the same"


def test_nearest_at_any_size() -> None:
    released = (10**8, 3 * 10**8, 6 * 10**8 + 7)
    found = nearest_posterior(LSZhang(1.0), (1, 1, 1), 10**9, released)
    assert found.kind == "sampled" and sum(found.counts) == 10**9
    assert np.abs(np.array(found.counts) - released).max() < 100
    many = nearest_posterior(KNorm(1.0), (0.5,) * 60, 600, (10,) * 60)
    assert many.kind == "sampled" and sum(many.counts) == 600 and 0 < many.expected_distance < 1


# The distance expected under the prior ------------------------------------------------------------------


@every_mechanism
@pytest.mark.parametrize(("prior", "n"), [((0.7, 2.0), 4), ((0.3, 1.0, 1.0), 2)])
def test_expected_distance_is_the_sum_over_all_data_and_releases(
    kind: Kind, chosen: Options, prior: tuple[float, ...], n: int
) -> None:
    laws = oracles.laws_of_all_datasets(kind.__name__, prior, n, epsilon=1.7, **chosen)
    evidence = {c: float(mp.exp(oracles.log_evidence_counts(prior, c))) for c in laws}
    releases = {r for law in laws.values() for r in law}
    naive = nearest = 0.0
    for r in releases:
        weight = {c: evidence[c] * float(law.get(r, 0)) for c, law in laws.items()}
        counts = np.array(list(weight))
        naive += float(np.array(list(weight.values())) @ hellinger(np.array(prior) + counts, np.array(prior) + r))
        nearest += nearest_of(prior, weight)[0].min()
    mechanism = kind(1.7, **chosen)
    found = expected_distance(mechanism, prior, n), expected_distance(mechanism, prior, n, "nearest")
    assert [one.mean for one in found] == pytest.approx([naive, nearest], abs=1e-9)
    assert [one.error for one in found] == [0.0, 0.0]


@pytest.mark.parametrize("reading", ["naive", "nearest"])
@pytest.mark.parametrize("mechanism", [KNorm(1.0), LSHist(0.5), LSZhang(2.0), EHDS(2.0)], ids=lambda m: m.label)
def test_samples_are_within_their_error(mechanism: Mechanism, reading: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fixed stream; five standard errors: false-alarm rate 1e-6 a comparison."""
    exact = expected_distance(mechanism, (0.5, 1.0, 1.0), 9, reading)
    monkeypatch.setattr("dpbi.inference.prior_average.DATASETS", 5)
    sampled = expected_distance(mechanism, (0.5, 1.0, 1.0), 9, reading)
    assert exact.error == 0 < sampled.error and abs(sampled.mean - exact.mean) < 5 * sampled.error


@pytest.mark.parametrize("datasets", [600, 30], ids="{} datasets at most".format)
@pytest.mark.parametrize("mechanism", [KNorm(11.0), KNorm(60.0), Geometric(25.0), LSZhang(300.0), LSDim(40.0)], ids=str)
def test_what_is_hardly_ever_released_is_in_the_mean(
    mechanism: Mechanism, datasets: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All 35 datasets visited, or 30 of them drawn; five standard errors, as above."""
    prior, n = (1.0,) * 4, 4
    exact = expected_distance(mechanism, prior, n)
    monkeypatch.setattr("dpbi.inference.prior_average.DATASETS", 5)
    monkeypatch.setattr("dpbi.inference.prior_average._NOISED", datasets)
    sampled = expected_distance(mechanism, prior, n)
    assert exact.error == 0 < sampled.error < 0.25 * exact.mean
    assert abs(sampled.mean - exact.mean) < 5 * sampled.error


@pytest.mark.parametrize("epsilon", [11.0, 30.0])
def test_k_norm_that_hardly_ever_errs_is_listed_exactly(epsilon: float) -> None:
    """Up to three records moved, written out; four have e^-epsilon of the probability of three."""
    moves = [d for d in itertools.product(range(-3, 4), repeat=4) if sum(d) == 0 and sum(map(abs, d)) <= 6]
    steps = np.abs(np.array(moves)).sum(axis=1) / 2
    weight = np.exp(-epsilon * steps) / np.exp(-epsilon * steps).sum()
    datasets = np.array(list(oracles.compositions(4, 4)))
    released = np.maximum(datasets[:, None] + np.array(moves), 0)
    expected = float((hellinger(1.0 + datasets[:, None], 1.0 + released) @ weight).mean())  # P(c) is even
    found = expected_distance(KNorm(epsilon), (1, 1, 1, 1), 4)
    assert found.mean == pytest.approx(expected, rel=1e-8, abs=0) and found.error == 0


def test_noise_that_hardly_ever_moves_one_of_many_records_has_a_mean() -> None:
    """E|D| E[1 / sqrt(8 n p (1 - p))], p uniform, E|D| = 1 / sinh epsilon: H of one record among n."""
    n, epsilon = 2 * 10**8, 11.0
    found = expected_distance(Geometric(epsilon), (1, 1), n)
    expected = math.pi / math.sqrt(8 * n) / math.sinh(epsilon)
    assert abs(found.mean - expected) < 4 * found.error < expected


@pytest.mark.parametrize(("prior", "epsilon"), [((1.0, 1.0), 1.0), ((0.1, 0.1), 0.3), ((3.0, 0.02), 2.0)], ids=str)
def test_between_datasets_of_two_categories_the_mean_is_interpolated(
    prior: tuple[float, ...], epsilon: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Against the sum over all of them."""
    n = 150
    exact = [expected_distance(kind(epsilon), prior, n) for kind in MECHANISMS]
    monkeypatch.setattr("dpbi.inference.prior_average.DATASETS", 5)
    for one in exact:
        found = expected_distance(one.mechanism, prior, n)
        assert found.error > 0 and abs(found.mean - one.mean) <= 5 * found.error, one.mechanism


@pytest.mark.parametrize("kind", [Geometric, KNorm])
def test_many_records_of_two_categories_attain_the_limit(kind: Kind) -> None:
    found, limit = expected_distance(kind(1.0), (0.5, 2), 5_000), limit_of_privacy((0.5, 2), 5_000, 1.0)
    assert limit.value is not None and limit.remap is not None
    assert limit.value * (1 - 1e-6) < found.mean < limit.value * (1 + 1e-4)


# Several releases ---------------------------------------------------------------------------------------

TOGETHER: list[list[tuple[Mechanism, tuple[int, ...]]]] = [
    [(KNorm(0.7), (2, 1, 1)), (KNorm(0.4), (0, 6, 0))],
    [(Geometric(1.0), (1, 3, 0)), (KNorm(0.4), (0, 6, 0)), (LSZhang(2.0), (4, 4, 0))],
    [(EHD(2.0), (1, 3, 0)), (LSHist(0.5, consistent=True), (3, 0, 1))],
    [(EHDS(1.0), (1, 3, 0)), (EHD(3.0), (0, 0, 4)), (KNorm(0.1), (0, 2, 9))],
    [(LSHist(0.3), (4, 0, 0))],
]


@pytest.mark.parametrize("prior", [(1.0, 1.0, 1.0), (0.02, 3.0, 40.0)], ids=str)
@pytest.mark.parametrize("releases", TOGETHER, ids=lambda r: "+".join(m.label for m, _ in r))
def test_joint_weights_are_those_of_bayes_rule(
    releases: list[tuple[Mechanism, tuple[int, ...]]], prior: tuple[float, ...]
) -> None:
    n = 4
    weight = {c: oracles.mp.exp(oracles.log_evidence_counts(prior, c)) for c in oracles.compositions(n, 3)}
    for mechanism, released in releases:
        fields = {f.name: getattr(mechanism, f.name) for f in dataclasses.fields(mechanism) if f.name != "calibration"}
        for c in weight:
            weight[c] *= oracles.LAWS[type(mechanism).__name__](prior, c, **fields).get(released, 0)
    total = mp.fsum(weight.values())
    found = joint_posterior(prior, n, releases)
    for category in range(3):
        expected = [float(mp.fsum(p for c, p in weight.items() if c[category] == u) / total) for u in range(n + 1)]
        assert found.weights[category] == pytest.approx(expected, abs=1e-12)
    assert found.releases == tuple(releases)


def test_the_order_of_releases_does_not_matter_and_two_say_more_than_one() -> None:
    releases: list[tuple[Mechanism, tuple[int, ...]]] = [
        (KNorm(0.5), (30_000, 50_000, 20_000)), (Geometric(0.2), (30_000, 50_000, 20_000)),
        (LSZhang(1.0), (30_000, 50_000, 20_000))]
    widths = []
    for some in (releases[:1], releases[:2], releases, releases[::-1]):
        variance = [marginal.probability @ (marginal.counts - marginal.mean) ** 2
                    for marginal in joint_posterior((1, 1, 1), 10**5, some).marginals]
        widths.append(np.array(variance))
    assert (widths[1] < widths[0]).all() and (widths[2] < widths[1]).all()
    assert widths[3] == pytest.approx(widths[2], rel=1e-9)


def test_noise_aware_windows_of_contradicting_releases() -> None:
    """Two kinks far apart, flat between them: the sum of all, by transforms or not, is that of all counts."""
    n, releases = 60, [(KNorm(0.9), (0, 60)), (KNorm(0.9), (60, 0))]
    found = joint_posterior((0.5, 0.5), n, releases).weights[0]
    counts = np.array([(u, n - u) for u in range(n + 1)])
    log_weight = dirichlet.log_evidence((0.5, 0.5), counts)
    for mechanism, released in releases:
        log_weight += [float(mechanism.log_pmf(Problem((0.5, 0.5), c), released)) for c in counts.tolist()]
    expected = np.exp(log_weight - log_weight.max())
    assert found == pytest.approx(expected / expected.sum(), abs=1e-13)


def test_joint_refusals_name_the_release() -> None:
    with pytest.raises(ValueError, match="at least one release"):
        joint_posterior((1, 1), 5, [])
    with pytest.raises(ValueError, match=r"releases: number 2 .*probability of this release is 0"):
        joint_posterior((1, 1), 5, [(KNorm(1.0), (2, 3)), (KNorm(1.0), (2, 2))])
    with pytest.raises(ValueError, match=r"releases: number 1 .*calibrated for prior"):
        joint_posterior((1, 1), 5, [(dataclasses.replace(KNorm(1.0), calibration=(1.0, (2.0, 2.0), 5)), (2, 3))])
    listing = next(kind for kind in MECHANISMS if lists_datasets(kind))
    with pytest.raises(ValueError, match="output law of every dataset"):
        joint_posterior((1, 1, 1), 500, [(KNorm(1.0), (200, 200, 100)), (listing(1.0), (200, 200, 100))])


def test_totals_above_n_of_two_categories_are_listed_at_once() -> None:
    """At a small epsilon there are a million of them."""
    listed = [r for above, excess in ((0, 2), (2, 5)) for r in listing._with_zeros(3, above, excess, 2).tolist()]
    assert sorted(listed) == sorted([r, s] for r in range(9) for s in range(9) if min(r, s) == 0 and r + s > 3)
