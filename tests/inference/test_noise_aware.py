"""The noise-aware posterior against Bayes' rule over all datasets, its intervals against its own law, its coverage."""

import dataclasses
import inspect
import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy import integrate, optimize, stats

from dpbi import MECHANISMS, Problem, dirichlet, mechanisms, noise_aware_posterior
from dpbi.inference import count_tree as engine
from dpbi.inference.noise_aware import coverage
from dpbi.mechanisms import Mechanism
from tests import oracles
from tests.every_mechanism import EVERY, Kind, Options, every_class, every_mechanism, lists_datasets
from tests.goodness_of_fit import assert_follows, assert_mean
from tests.strategies import Drawn, epsilons, problems


def release_of(mechanism: Mechanism, problem: Problem, seed: int) -> tuple[int, ...]:
    return tuple(mechanism.sample(problem, np.random.default_rng(seed), 1)[0].tolist())


# Against Bayes' rule --------------------------------------------------------------------------------


@settings(max_examples=5)
@given(problems(largest_k=3), epsilons(), st.integers(0, 10**6))
def test_weights_are_those_of_bayes_rule(drawn: Drawn, epsilon: float, seed: int) -> None:
    problem = Problem(*drawn)
    for kind, chosen in EVERY:
        mechanism = kind(epsilon, **chosen)
        released = release_of(mechanism, problem, seed)
        laws = oracles.laws_of_all_datasets(kind.__name__, drawn.prior, drawn.n, epsilon=epsilon, **chosen)
        law = oracles.counts_given_release(laws, drawn.prior, released)
        found = noise_aware_posterior(mechanism, drawn.prior, drawn.n, released)
        expected = [[float(p) for p in oracles.marginal_counts(law, i)] for i in range(problem.k)]
        assert found.weights == pytest.approx(np.array(expected), abs=1e-12), (kind, chosen, released)
        mean = [float(oracles.mp.fsum(p * m for p, m in zip(law.values(), column, strict=True))) for column in
                zip(*(oracles.posterior_mean(drawn.prior, c) for c in law), strict=True)]
        assert found.mean == pytest.approx(np.array(mean), rel=1e-12)


EXTREME: list[tuple[tuple[float, ...], float, tuple[int, ...], int]] = [
    ((1, 1, 1), 0.02, (5, 5, 0), 5),  # everything cut at n, though the counts sum to 5
    ((1e6, 1, 1), 8.0, (0, 5, 0), 5),  # a strong prior that contradicts the release
    ((1e-9, 1e-9, 1e-9), 2.0, (2, 2, 1), 5),  # nearly all prior mass in the corners
    ((1e-9, 1e5), 8.0, (9, 0), 9),
    ((0.5, 0.5, 0.5, 0.5), 0.5, (3, 0, 0, 0), 3),
]


@every_mechanism
@pytest.mark.parametrize(("prior", "epsilon", "released", "n"), EXTREME, ids=str)
def test_contradictions_between_prior_and_release(
    kind: Kind, chosen: Options, prior: tuple[float, ...], epsilon: float, released: tuple[int, ...], n: int
) -> None:
    laws = oracles.laws_of_all_datasets(kind.__name__, prior, n, epsilon=epsilon, **chosen)
    if not any(law.get(released) for law in laws.values()):
        with pytest.raises(ValueError, match=r"probability of this release is 0"):
            noise_aware_posterior(kind(epsilon, **chosen), prior, n, released)
        return
    law = oracles.counts_given_release(laws, prior, released)
    found = noise_aware_posterior(kind(epsilon, **chosen), prior, n, released).weights
    expected = [[float(p) for p in oracles.marginal_counts(law, i)] for i in range(len(prior))]
    assert found == pytest.approx(np.array(expected), abs=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_transforms_and_sums_agree(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """At sizes beyond brute force: every convolution by transforms, and every one summed term by term."""
    rng = np.random.default_rng(seed)
    k, n = int(rng.integers(3, 6)), int(10 ** rng.uniform(1, 3))
    prior = tuple(10 ** rng.uniform(-9, 5, k))
    noisy = [kind for kind in MECHANISMS if not lists_datasets(kind)]
    mechanism = noisy[seed % len(noisy)](10 ** rng.uniform(-2.5, 1.5))
    released = rng.integers(0, n + 1, k)
    released[-1] = max(0, n - released[:-1].sum())
    laws = []
    for direct in (0.0, np.inf):
        monkeypatch.setattr(engine, "_DIRECT", direct)
        laws.append(noise_aware_posterior(mechanism, prior, n, released).weights)
    assert laws[0] == pytest.approx(laws[1], abs=1e-11)
    assert laws[1].sum(axis=1) == pytest.approx(np.ones(k), abs=1e-12)
    assert laws[1] @ np.arange(n + 1) @ np.ones(k) == pytest.approx(n, rel=1e-12)


def test_windows_are_as_wide_as_the_noise() -> None:
    """With no edge near and a flat prior the counts are r minus the noise; the mean noise of a floor is -1/2."""
    n = 10**15
    for kind in (kind for kind in MECHANISMS if not lists_datasets(kind)):
        released = (n // 5, n // 3, n - n // 5 - n // 3)
        found = noise_aware_posterior(kind(1.0), (1, 1, 1), n, released)
        widths = [marginal.probability.size for marginal in found.marginals]
        assert max(widths) < 2_000
        difference = found.mean_counts[:2] - released[:2]
        assert np.abs(difference).max() < 0.5 + 1e-3
        assert found.mean_counts.sum() == pytest.approx(n, rel=1e-15)
        low, high = found.interval(0.95, 1)
        naive = dirichlet.interval(np.array(released) + 1.0, 0.95, category=1)
        assert (low, high) == pytest.approx((float(naive[0]), float(naive[1])), rel=1e-6)


# Intervals, densities, draws ------------------------------------------------------------------------

def test_the_law_of_theta_is_the_oracles() -> None:
    prior, n, released = (0.5, 2, 1), 4, (0, 3, 1)
    for kind, chosen in EVERY:
        laws = oracles.laws_of_all_datasets(kind.__name__, prior, n, epsilon=1.0, **chosen)
        law = oracles.counts_given_release(laws, prior, released)
        found = noise_aware_posterior(kind(1.0, **chosen), prior, n, released)
        at = np.array([0.0, 0.01, 0.3, 0.9, 1.0])
        expected = [float(oracles.noise_aware_cdf(law, prior, 0, float(x))) for x in at]
        assert found.cumulative(at, 0) == pytest.approx(np.array(expected), abs=1e-12)
        slope = [integrate.quad(lambda x: float(found.density(x, 1)), 0, end)[0] for end in (0.4, 1.0)]  # noqa: B023
        assert slope == pytest.approx(found.cumulative(np.array([0.4, 1.0]), 1), abs=1e-7)


@every_class
def test_draws_follow_the_posterior(kind: Kind) -> None:
    """20,000 draws of c and of theta, fixed seed; false-alarm rate 1e-6 a comparison: goodness_of_fit."""
    prior, n, released = (0.3, 1.0, 2.0), 4, (1, 2, 1)
    laws = oracles.laws_of_all_datasets(kind.__name__, prior, n, epsilon=0.8)
    law = oracles.counts_given_release(laws, prior, released)
    found = noise_aware_posterior(kind(0.8), prior, n, released)
    rng = np.random.default_rng(7)
    assert_follows(found.sample_counts(rng, 20_000), {c: float(p) for c, p in law.items()})
    theta = found.sample(rng, 20_000)
    assert theta.shape == (20_000, 3) and theta.sum(axis=1) == pytest.approx(1)
    for category in range(3):
        second = integrate.quad(lambda x: 2 * x * (1 - float(found.cumulative(x, category))), 0, 1)[0]  # noqa: B023
        mean = found.mean[category]
        assert_mean(theta[:, category], mean, float(np.sqrt(second - mean**2)))


@every_class
def test_without_records_it_is_the_prior(kind: Kind) -> None:
    found = noise_aware_posterior(kind(1.0), (1, 2.5), 0, (0, 0))
    assert found.weights.tolist() == [[1.0], [1.0]]
    assert found.interval(0.9) == pytest.approx([float(end) for end in dirichlet.interval((1, 2.5), 0.9, 0)])


@every_mechanism
def test_a_calibrated_mechanism_is_known_to_be_calibrated(kind: Kind, chosen: Options) -> None:
    mechanism = kind(1.0, **chosen)
    sharper = dataclasses.replace(mechanism, calibration=(3.0, (1.0, 1.0), 12))
    wide, narrow = (noise_aware_posterior(m, (1, 1), 12, (4, 8)).interval() for m in (mechanism, sharper))
    assert narrow[1] - narrow[0] < wide[1] - wide[0]
    with pytest.raises(ValueError, match="calibrated for prior"):
        noise_aware_posterior(sharper, (1, 1), 13, (4, 9))


# Refusals -------------------------------------------------------------------------------------------


def test_the_true_counts_are_no_argument() -> None:
    assert list(inspect.signature(noise_aware_posterior).parameters) == ["mechanism", "prior", "n", "released"]


@every_class
@pytest.mark.parametrize(
    ("released", "words"),
    [((3, 6), "probability of this release is 0"), ((11, 1), "probability of this release is 0"),
     ((3, 6.5), "whole number"), ((3,), "2 counts"), (7, "2 counts"), ((-1, 11), "at least 0")],
)
def test_what_cannot_have_been_released_is_refused(kind: Kind, released: Any, words: str) -> None:
    mechanism = kind(1.0)
    if released == (3, 6) and mechanism.log_pmf(Problem((1, 1), (3, 7)), released) > -np.inf:
        released = (11, 1)
    with pytest.raises(ValueError, match=words):
        noise_aware_posterior(mechanism, (1, 1), 10, released)


def test_too_many_datasets_are_refused_with_the_limit() -> None:
    listed = [kind for kind in MECHANISMS if lists_datasets(kind)]
    assert listed
    for kind in listed:
        with pytest.raises(ValueError, match=r"up to n = 63, got n = 64"):
            noise_aware_posterior(kind(1.0), (1, 1, 1), 64, (64, 0, 0))


def test_too_wide_noise_is_refused() -> None:
    limit = r"more than 15,000,000 numbers\. Less noise \(a larger epsilon\)"
    with pytest.raises(ValueError, match=f"noise is too wide.*{limit}"):
        noise_aware_posterior(MECHANISMS[1](1e-6), (1, 1, 1), 10**9, (10**8, 10**8, 8 * 10**8))


def test_the_dense_table_has_a_limit() -> None:
    found = noise_aware_posterior(MECHANISMS[2](1.0), (1, 1), 10**9, (10**8, 9 * 10**8))
    with pytest.raises(ValueError, match="use marginals"):
        _ = found.weights


# Coverage -------------------------------------------------------------------------------------------


def test_coverage_of_the_reference() -> None:
    """Uniform prior, n = 100, 95 %: values enumerated elsewhere."""
    half, tenth = (coverage(mechanisms.LSHist(epsilon), (1, 1), 100) for epsilon in (0.5, 0.1))
    assert (half.naive, half.noise_aware) == pytest.approx((0.879, 0.950), abs=5e-4)
    assert (half.naive_width, half.noise_aware_width) == pytest.approx((0.152, 0.187), abs=5e-4)
    assert (tenth.naive, tenth.noise_aware) == pytest.approx((0.516, 0.950), abs=5e-4)


@every_mechanism
def test_coverage_is_a_sum_over_counts_and_releases(kind: Kind, chosen: Options) -> None:
    """With scipy's Beta law, its quantiles and a root finder, and the oracle's laws."""
    prior, n, mass, epsilon = (0.7, 2.0), 4, 0.8, 1.5
    laws = oracles.laws_of_all_datasets(kind.__name__, prior, n, epsilon=epsilon, **chosen)
    held, width = np.zeros(2), np.zeros(2)
    for released in {r for law in laws.values() for r in law}:
        law = oracles.counts_given_release(laws, prior, released)
        u = np.array([c[0] for c in law])
        share = np.array([float(p) for p in law.values()])
        beta = stats.beta(prior[0] + u, prior[1] + n - u)
        marginal = sum(float(oracles.mp.exp(oracles.log_evidence_counts(prior, c)) * law_c.get(released, 0))
                       for c, law_c in laws.items())
        naive = stats.beta(prior[0] + released[0], prior[1] + released[1]).interval(mass)
        aware = [optimize.brentq(lambda x: share @ beta.cdf(x) - q, 0, 1, xtol=1e-15)  # noqa: B023
                 for q in ((1 - mass) / 2, (1 + mass) / 2)]
        for at, (low, high) in enumerate((naive, aware)):
            held[at] += marginal * (share @ (beta.cdf(high) - beta.cdf(low)))
            width[at] += marginal * (high - low)
    found = coverage(kind(epsilon, **chosen), prior, n, mass)
    assert [found.naive, found.noise_aware] == pytest.approx(held.tolist(), abs=1e-9)
    assert [found.naive_width, found.noise_aware_width] == pytest.approx(width.tolist(), abs=1e-9)


@pytest.mark.parametrize(
    ("prior", "n", "mass", "words"),
    [((1, 1, 1), 5, 0.95, "k = 2"), ((1, 1), 5, 1.0, "mass"), ((1, 1), 3_000, 0.95, "all pairs")],
)
def test_coverage_refuses(prior: tuple[float, ...], n: int, mass: float, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        coverage(MECHANISMS[2](1.0), prior, n, mass)


def test_more_draws_than_wide_noise_allows_are_refused_in_words() -> None:
    aware = noise_aware_posterior(mechanisms.Geometric(1e-3), (1,) * 4, 10**5, (25_000,) * 4)
    assert aware.sample_counts(np.random.default_rng(1), 3).sum(axis=1).tolist() == [10**5] * 3
    with pytest.raises(ValueError, match="size is too large for noise as wide as this: 5,000,000 draws"):
        aware.sample_counts(np.random.default_rng(1), 5_000_000)


@pytest.mark.parametrize(
    ("kind", "epsilon", "prior", "n", "released"),
    [
        (mechanisms.LSDim, 4.667, (0.05, 0.05), 16, (16, 0)),  # the upper end is a last double below 1
        (mechanisms.LSDim, 0.5, (1e-6, 1e-6), 9, (0, 9)),  # or the least above 0
        (mechanisms.Geometric, 1.0, (2.0, 1e9), 2, (0, 2)),
        (mechanisms.Geometric, 5.0, (1e-3, 40.0), 28, (0, 28)),  # 1 - x would leave 2e-7 of it
        (mechanisms.EHDS, 1.0, (30.0, 1.0, 1e5), 5, (1, 2, 2)),
    ],
)
def test_intervals_hold_no_less_than_their_mass(
    kind: Kind, epsilon: float, prior: tuple[float, ...], n: int, released: tuple[int, ...]
) -> None:
    """Of what is believed itself, each tail in 50 digits; not much more, unless three doubles inwards are too few."""
    found = noise_aware_posterior(kind(epsilon), prior, n, released)
    for category, mass in itertools.product(range(len(prior)), (0.5, 0.95, 0.9998)):
        marginal, alpha = found.marginals[category], oracles.mp.mpf(prior[category])
        rest, total = oracles.mp.fsum(prior) - alpha + n, oracles.mp.fsum(marginal.probability.tolist())

        def beyond(end: float, side: int) -> Any:
            return oracles.mp.fsum(
                p * oracles.beta_tails(end, alpha + u, rest - u)[side]  # noqa: B023
                for u, p in zip(marginal.counts.tolist(), marginal.probability.tolist(), strict=True)  # noqa: B023
                if p > 1e-25) / total  # noqa: B023

        tail = (1 - oracles.mp.mpf(mass)) / 2
        for side, end in enumerate(found.interval(mass, category)):
            inwards = min(max(end + (3 - 6 * side) * float(np.spacing(end)), 0.0), 1.0)
            assert beyond(end, side) <= tail
            fine = end < 1e-303 or beyond(inwards, side) > tail * (1 - 1e-9)
            assert fine or beyond(end, side) >= tail * (1 - 1e-9)
