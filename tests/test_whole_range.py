"""The whole allowed range at once: what is returned is certain or refused. Priors 1e-9 to 1e12, equal and mixed."""

import random

import mpmath as mp  # type: ignore[import-untyped]
import numpy as np
import pytest

from dpbi import DistanceLaw, Problem, dirichlet, distance_law, hellinger, local_sensitivity
from dpbi.inference import count_posterior
from dpbi.inference.noise_aware import coverage, noise_aware_posterior
from dpbi.mechanisms import EHD, EHDL, EHDNRS, EHDS, Geometric, LSDim, LSHist, LSZhang
from dpbi.mechanisms.distance_table import slack
from dpbi.papers.claims import CLAIMS, Setting
from dpbi.posterior.hellinger import distances_to
from dpbi.posterior.total_variation import beta_variation
from dpbi.problem.candidates import list_candidates
from tests import oracles

_EXTREME = (1e-9, 0.5, 1.0, 1000.0, 1e9, 1e12)


def _prior(rng: random.Random, k: int) -> tuple[float, ...]:
    kind = rng.random()
    if kind < 0.4:
        return (rng.choice(_EXTREME),) * k
    return tuple(rng.choice((1e-9, 1e9) if kind < 0.7 else _EXTREME) for _ in range(k))


def _counts(rng: random.Random, n: int, k: int) -> tuple[int, ...]:
    dealt = [rng.randrange(rng.randint(1, k)) for _ in range(n)]
    return tuple(dealt.count(i) for i in range(k))


# P(H <= t), t near 1 --------------------------------------------------------------------------------------


def _between(law: DistanceLaw, t: float) -> tuple[float, float, float]:
    """P(H <= t), cdf(t) and P(H <= t + slack) by listing; distances are right to 1e-15."""
    problem = law.problem
    distance = distances_to(problem, list_candidates(problem.n, problem.k))
    weight = np.exp(-law.mechanism.rate(problem) * distance)  # type: ignore[attr-defined]
    weight /= weight.sum()
    least, most = (float(weight[distance <= end].sum()) for end in (t - 1e-15, t + slack(t) + 1e-15))
    return least, law.cdf(t), most


def test_cdf_counts_nothing_beyond_its_slack_where_distances_crowd() -> None:
    problem = Problem((7967697.819213382, 0.0036547471158962642), (200, 0))
    law = distance_law(EHDNRS(0.39988535758252314, 6.097624528317498e-11), problem)
    least, found, most = _between(law, 0.9999999998680152)
    assert most == pytest.approx(0.299, abs=1e-3)
    assert least - 1e-9 <= found <= most + 1e-9


def test_cdf_lies_between_the_probabilities_at_t_and_at_t_plus_its_slack() -> None:
    rng = random.Random(8)
    for _ in range(60):
        k = rng.choice((2, 2, 3))
        n = rng.choice((1, 5, 50, 200) if k == 2 else (2, 12))
        problem = Problem(_prior(rng, k), _counts(rng, n, k))
        law = distance_law(rng.choice((EHD, EHDL, EHDS))(10 ** rng.uniform(-9, 6)), problem)
        atom = local_sensitivity(problem)
        for t in (0.0, atom, 1.0, *(1 - 10 ** rng.uniform(-12, -1) for _ in range(6))):
            least, found, most = _between(law, t)
            assert least - 1e-9 <= found <= most + 1e-9, (problem, law.mechanism, t)
        assert law.cdf(atom) >= law.probability_of_truth + float(
            law.probability[np.abs(law.distance - atom) <= slack(atom) / 2].sum()) - 1e-9


# Beta laws -----------------------------------------------------------------------------------------------


def _beta_cdf_mp(a: float, b: float, x: float) -> float:
    """P(Beta(a, b) <= x), a <= b, by quadrature in the log-odds."""
    with mp.workdps(30):
        a, b, x = map(mp.mpf, (a, b, x))
        centre, spread = mp.log(a / b), mp.sqrt(1 / a + 1 / b)
        log_beta = mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)

        def density(z: mp.mpf) -> mp.mpf:
            odds = centre + spread * z
            return mp.exp(-a * mp.log1p(mp.exp(-odds)) - b * mp.log1p(mp.exp(odds)) - log_beta) * spread

        return float(mp.quad(density, mp.linspace(-14, (mp.log(x / (1 - x)) - centre) / spread, 6)))


@pytest.mark.parametrize("a, b", [(1e3, 1e8), (1e3, 1e12), (1e3, 4e15), (1e5, 1e12), (1e9, 1e9), (1e9, 1e12),
                                  (1e12, 1e12), (2e15, 2e15)])
def test_intervals_and_distribution_functions_of_beta_laws_hold_their_mass(a: float, b: float) -> None:
    low, high = (float(end) for end in dirichlet.interval((a, b), 0.9, category=0))
    spacing = np.spacing(high) * np.sqrt(a + b) / np.sqrt(a / (a + b) * (b / (a + b)))  # in standard deviations
    for end, mass in ((low, 0.05), (high, 0.95)):
        exact = _beta_cdf_mp(a, b, end)
        assert exact == pytest.approx(mass, abs=1e-8 + 3 * spacing)
        assert exact <= mass if end == low else exact >= mass, "rounded outwards"
        assert float(dirichlet.beta_cdf(a, b, end)) == pytest.approx(exact, abs=1e-8 + spacing)


def test_intervals_of_beta_laws_of_any_parameters_are_ordered_and_hold_their_mass() -> None:
    rng = np.random.default_rng(3)
    a, b = (np.where(rng.random(20_000) < 0.3, rng.choice((1e-9, 1.0, 1000.0, 1e9, 1e12, 4e15), 20_000),
                     10 ** rng.uniform(-9, 15, 20_000)) for _ in range(2))
    low, high = dirichlet.interval(np.stack([a, b], axis=-1), 0.95, category=0)
    assert (low >= 0).all() and (low <= high).all() and (high <= 1).all()
    for end, tail in ((low, 0.025), (high, 0.975)):
        near = 3 * np.spacing(end)
        around = [dirichlet.beta_cdf(a, b, np.clip(end + side, 0.0, 1.0)) for side in (-near, near)]
        held = (around[0] - 1e-6 <= tail) & (tail <= around[1] + 1e-6)
        assert (held | ~dirichlet.has_width(end, end)).all()


def test_total_variation_keeps_its_digits_beside_large_parameters() -> None:
    # Beta(a, a) to Beta(a + 1, a + 1): the spread shrinks by 1/(4 a) of itself, and TV of two normal laws whose
    # spreads differ by a share s is s sqrt(2 / (pi e)).
    for a in (1e6, 4e7):
        narrower = np.log1p(1 / (a + 0.5)) / 2
        wanted = narrower * np.sqrt(2 / (np.pi * np.e))
        assert float(beta_variation((a, a), (a + 1, a + 1))) == pytest.approx(wanted, abs=1e-11)


def test_hellinger_distance_of_the_tiniest_parameters() -> None:
    rng = random.Random(4)
    some = (1e-30, 1e-9, 0.5, 0.04424804929, 1e9, 1e18)
    for _ in range(60):
        a, b = ([rng.choice(some) for _ in range(rng.choice((2, 3)))] for _ in range(2))
        b = (b * 2)[:len(a)]
        wanted = float(oracles.hellinger_mp(a, b, 80))
        assert float(hellinger(a, b)) == pytest.approx(wanted, rel=1e-11), (a, b)


NEARLY_EQUAL = [
    ((0.15293710370452337, 1069636.5830135015), (0.15293710370417157, 1069636.583030529)),  # 2.6e-12
    ((0.051, 2.8e16), (4e-19, 5e-28)),  # the largest becomes the smallest
    ((8.2e15, 3.2e17, 1118.4, 0.38), (8.2e15 * 1.4, 3.2e17 * 1.4, 1118.4 * 1.4, 0.38 * 1.4)),
    ((1.6e9, 8.5e15, 1.9e15), (1.6e9 * 2.6, 8.5e15 * 2.6, 1.9e15 * 2.6)),
]


def test_hellinger_distance_of_nearly_equal_and_nearly_proportional_parameters() -> None:
    rng, cases = random.Random(14), [(list(a), list(b)) for a, b in NEARLY_EQUAL]
    for _ in range(60):
        a = [10 ** rng.uniform(*rng.choice(((-30, 18), (-3, 9), (9, 18)))) for _ in range(rng.choice((2, 2, 3, 5)))]
        change, apart = 10 ** rng.uniform(-16, 0.3), rng.choice((0.0, 1e-9, 1e-3, 1.0))
        cases.append((a, [min(x * (1 + change * (1 + apart * rng.uniform(-2, 1))), 1e18) for x in a]))
    for a, b in cases:
        wanted = float(oracles.hellinger_mp(a, b, 120))
        assert float(hellinger(a, b)) == pytest.approx(wanted, rel=1e-11, abs=0), (a, b)


# Noise-aware ----------------------------------------------------------------------------------------------


def test_noise_aware_posterior_is_that_of_enumeration_over_the_whole_range() -> None:
    rng = random.Random(5)
    for trial in range(60):
        k = rng.choice((2, 2, 3))
        n, prior = rng.choice((0, 1, 2, 12)), _prior(rng, k)
        mechanism = rng.choice((LSZhang, LSDim, LSHist, Geometric))(rng.choice((1e-9, 1e-3, 1.0, 100.0, 1e6)))
        released = tuple(rng.randint(0, n) for _ in range(k))
        if not mechanism.can_release(n, released):
            released = (*released[:-1], max(0, n - sum(released[:-1])))
        posterior = noise_aware_posterior(mechanism, prior, n, released)
        datasets, likelihood = list_candidates(n, k), mechanism.likelihood(prior, n, released)
        log_weight = dirichlet.log_evidence(prior, datasets) + sum(
            likelihood.log_terms(datasets[:, i], np.array(i)) for i in range(k))
        weight = np.exp(log_weight - log_weight.max())
        wanted = [np.bincount(column, weight / weight.sum(), n + 1) for column in datasets.T]
        np.testing.assert_allclose(posterior.weights, wanted, atol=1e-9, err_msg=f"{trial} {mechanism} {prior}")
        low, high = posterior.interval(0.95, 0)
        assert 0 <= low <= high <= 1
        assert np.isfinite(posterior.sample(np.random.default_rng(1), 5)).all()


def test_noise_aware_posterior_of_a_release_that_asks_for_unlikely_noise() -> None:
    # The released counts exceed n: some noise fell where its probability is e^-3333.
    posterior = noise_aware_posterior(LSDim(1e4), (1e9, 1e9, 1e9), 1, (1, 1, 0))
    np.testing.assert_allclose(posterior.mean_counts, [0.5, 0.5, 0.0], atol=1e-9)


def test_intervals_of_noise_aware_posteriors_under_a_huge_prior_are_those_of_the_beta_law() -> None:
    posterior = noise_aware_posterior(Geometric(1.0), (1e12, 1e12), 0, (0, 0))
    wanted = [float(end) for end in dirichlet.interval((1e12, 1e12), 0.95, category=0)]
    np.testing.assert_allclose(posterior.interval(0.95, 0), wanted, atol=1e-14)


def test_a_tilt_that_does_not_reach_the_total_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(count_posterior._Variables, "tilt_to", lambda self, n: -50.0)
    with pytest.raises(ValueError, match="contradict one another"):
        noise_aware_posterior(Geometric(1.0), (1.0, 1.0), 500, (300, 200))


def test_coverage_is_certified_by_the_mass_of_the_noise_aware_intervals_or_refused() -> None:
    for prior in ((1.0, 1.0), (0.02, 0.5), (1e9, 1e9)):
        assert coverage(Geometric(0.7), prior, 6).noise_aware == pytest.approx(0.95, abs=1e-6)
    for prior in ((1e-9, 1e-9), (1e-3, 0.5), (1.0, 1e12)):
        with pytest.raises(ValueError, match="coverage cannot be computed"):
            coverage(Geometric(0.7), prior, 6)


# Rates and claims -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("setting", [
    Setting(Problem((1e-9, 0.5, 1e9), (0, 0, 0)), 1e6, 1e-9, 5e-324),
    Setting(Problem((1e9, 1e9), (0, 2)), 15_000.0, 0.05, 1 - 2.0**-53),
    Setting(Problem((1e-9, 1e-9), (3, 0)), 1e-9, 1e6, 1e-300),
])
def test_claims_are_decided_or_refused_at_the_ends_of_the_range(setting: Setting) -> None:
    for claim in CLAIMS:
        try:
            margins = [case.margin for case in claim.check(setting).cases]
        except ValueError as refusal:
            assert "math domain" not in str(refusal)
        else:
            assert not np.isnan(margins).any(), claim.name
