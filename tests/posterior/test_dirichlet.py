"""Moments, densities, evidence and intervals of Dirichlet distributions against 50 digits, at every size."""

import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from dpbi.posterior import dirichlet
from tests import oracles
from tests.reference_values import expand, numeric
from tests.strategies import Drawn, datasets, priors, problems

mp = oracles.mp


def by_id(entry: dict[str, Any]) -> str:
    return str(entry["id"])


def floats(entries: Any) -> list[float]:
    return [float(x) for x in entries]


def close(entry: dict[str, Any], reference: Any) -> Any:
    return pytest.approx(reference, rel=entry["rtol"], abs=entry.get("atol", 0))


def posterior(entry: dict[str, Any]) -> np.ndarray:
    return np.add(floats(expand(entry["input"]["alpha"])), floats(expand(entry["input"]["counts"])))


# More settings of the kinds numeric.json samples, against the oracle.
SETTINGS = {
    "k3 Jeffreys": ((0.5, 0.5, 0.5), (12, 30, 8)),
    "tiny alpha, one empty": ((1e-6, 1e-6, 1e-6), (5, 0, 7)),
    "huge alpha, small n": ((1e9, 1e9, 1e9), (1, 2, 0)),
    "1e9, balanced": ((1.0, 1.0), (500_000_000, 500_000_000)),
    "n = 1": ((1.0, 1.0), (0, 1)),
    "mixed scales": ((1e-6, 1.0, 1e6), (3, 0, 10)),
    "300 categories, sparse": ((0.1,) * 300, (0,) * 299 + (5,)),
    "1e15, one empty": ((0.5, 0.5, 0.5), (10**15, 0, 7)),
}


def of_every_kind(test: Callable[[Drawn], None]) -> Callable[[], None]:
    for prior, counts in SETTINGS.values():
        test = example(Drawn(prior, counts))(test)
    return given(problems())(test)


# Moments --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "entry"),
    [*((dirichlet.mean, entry) for entry in numeric("posterior_mean")),
     *((dirichlet.variance, entry) for entry in numeric("posterior_variance"))],
    ids=lambda value: value["id"] if isinstance(value, dict) else value.__name__,
)
def test_moments_reference(function: Callable[..., np.ndarray], entry: dict[str, Any]) -> None:
    found, reference = function(posterior(entry)), floats(entry["reference"])
    assert found[: len(reference)] == close(entry, reference)
    assert (found >= 0).all() and (found.sum() == pytest.approx(1, rel=1e-12) or function is dirichlet.variance)


@of_every_kind
def test_moments(drawn: Drawn) -> None:
    a = np.add(drawn.prior, drawn.counts)
    assert dirichlet.mean(a).tolist() == pytest.approx(floats(oracles.posterior_mean(*drawn)), rel=1e-13)
    assert dirichlet.variance(a).tolist() == pytest.approx(floats(oracles.posterior_variance(*drawn)), rel=1e-12)


# Evidence -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ordered", "entry"),
    [*((True, entry) for entry in numeric("log_evidence_sequence")),
     *((False, entry) for entry in numeric("log_evidence_counts"))],
    ids=lambda value: value["id"] if isinstance(value, dict) else "",
)
def test_log_evidence_reference(ordered: bool, entry: dict[str, Any]) -> None:
    prior, counts = floats(expand(entry["input"]["alpha"])), expand(entry["input"]["counts"])
    assert float(dirichlet.log_evidence(prior, counts, ordered)) == close(entry, float(entry["reference"]))


@of_every_kind
def test_log_evidence(drawn: Drawn) -> None:
    for ordered, oracle in ((True, oracles.log_evidence_sequence), (False, oracles.log_evidence_counts)):
        found = float(dirichlet.log_evidence(*drawn, ordered=ordered))
        assert found == pytest.approx(float(oracle(*drawn)), rel=1e-11, abs=1e-9)


# Densities ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("entry", numeric("beta_pdf"), ids=by_id)
def test_beta_density_reference(entry: dict[str, Any]) -> None:
    x, a, b = (float(entry["input"][name]) for name in ("x", "a", "b"))
    assert float(dirichlet.beta_density(x, a, b)) == close(entry, float(entry["reference"]))


@pytest.mark.parametrize(
    ("x", "a", "b"),
    [
        (0.5, 5e14, 5e14),  # a spike no plotting grid finds unless it follows the posterior
        (0.0, 0.5, 0.5),
        (0.0, 1.0, 5.0),
        (1.0, 5.0, 1.0),
        (1.0, 1.0, 1.0),
        (0.3, 13.0, 31.0),
        (1e-12, 1e-6, 40.0),
    ],
)
def test_beta_density_at_the_edges_and_in_the_spike(x: float, a: float, b: float) -> None:
    assert float(dirichlet.beta_density(x, a, b)) == pytest.approx(float(oracles.beta_pdf(x, a, b)), rel=1e-9)


@given(st.floats(0.001, 0.999), priors(2), st.integers(0, 10**6), st.integers(0, 10**6))
def test_beta_density(x: float, prior: tuple[float, float], first: int, second: int) -> None:
    """Far out in a tail the exponent is large, and 1e-15 of it is the error."""
    a, b = prior[0] + first, prior[1] + second
    exact = oracles.beta_pdf(x, a, b)
    found = float(dirichlet.log_density((a, b), (x, 1 - x)))
    assert found == pytest.approx(float(mp.log(exact)), rel=1e-9, abs=1e-9)
    assert float(dirichlet.beta_density(x, a, b)) == pytest.approx(float(exact), rel=1e-9 + 1e-13 * abs(found))


@pytest.mark.parametrize(("alpha", "expected"), [(0.5, math.inf), (2.0, -math.inf)])
def test_log_density_on_an_edge_of_the_simplex(alpha: float, expected: float) -> None:
    (rule,) = numeric("simplex_edge_density")
    theta = floats(rule["input"]["x"])
    assert dirichlet.log_density((alpha,) * 3, theta) == expected
    assert dirichlet.log_density((1.0,) * 3, theta) == pytest.approx(math.log(2))


@given(problems(smallest_k=3), st.data())
def test_log_density(drawn: Drawn, data: st.DataObject) -> None:
    """log prod theta_i^(a_i - 1) / B(a), in 50 digits from scaled whole numbers that sum to one exactly."""
    a = np.add(drawn.prior, drawn.counts)
    parts = data.draw(datasets(1024 - len(a), len(a)))
    theta = [(part + 1) / 1024 for part in parts]
    exact = mp.fsum((mp.mpf(x) - 1) * mp.log(mp.mpf(t)) for x, t in zip(a, theta, strict=True))
    exact -= mp.fsum(mp.loggamma(mp.mpf(x)) for x in a) - mp.loggamma(mp.fsum(map(mp.mpf, a)))
    assert float(dirichlet.log_density(a, theta)) == pytest.approx(float(exact), rel=1e-10, abs=1e-10)


# Intervals ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("entry", numeric("beta_equal_tailed_interval"), ids=by_id)
def test_interval_reference(entry: dict[str, Any]) -> None:
    a, b, level = (float(entry["input"][name]) for name in ("a", "b", "level"))
    found = dirichlet.interval((a, b), level, category=0)
    assert floats(found) == close(entry, floats(entry["reference"]))


ENDS = [
    (0.1, 0.05, 0.99),  # the lower end is 5e-19: 1 less the mirrored upper end would be 0
    (0.002, 0.0015, 0.5),
    (2.0, 1e9, 0.95),  # scipy's lower tail errs by 4e-9
    (5.0, 1e9, 0.3),
    (1e-9, 1e-9, 0.5),
    (1e15, 0.2, 0.95),
    (1e6, 1e-6, 0.95),
]


def test_interval_holds_no_less_than_its_mass() -> None:
    """Each tail in 50 digits; and it is no smaller than it need be, as far as doubles go."""
    rng, cases = random.Random(6), list(ENDS)
    for _ in range(40):
        a, b = (10 ** rng.uniform(*rng.choice(((-9, 0), (-2, 3), (3, 6)))) for _ in range(2))
        cases.append((a, b, rng.choice((0.01, 0.5, 0.95, 0.9998))))
    for a, b, mass in cases:
        tail = (1 - mp.mpf(mass)) / 2
        for side, end in enumerate(floats(dirichlet.interval((a, b), mass, category=0))):
            beyond = oracles.beta_tails(end, a, b)[side]
            assert beyond <= tail, (a, b, mass, side)
            inwards = float(np.nextafter(end, 1.0 - side))
            assert beyond >= tail * (1 - 1e-9) or end < 1e-307 or oracles.beta_tails(inwards, a, b)[side] > tail * (
                1 - 1e-9), (a, b, mass, side)


@pytest.mark.parametrize("rule", [*numeric("bad_level")], ids=by_id)
def test_interval_refuses_a_mass_outside_zero_to_one(rule: dict[str, Any]) -> None:
    level = float(rule["input"]["level"])
    with pytest.raises(ValueError, match=rf"mass.*between 0 and 1.*{level}"):
        dirichlet.interval((1.0, 1.0), level)


# Predictive interval, draws -----------------------------------------------------


@given(priors(2), st.integers(0, 60), st.sampled_from([0.5, 0.95]))
def test_prior_predictive_interval(prior: tuple[float, float], n: int, mass: float) -> None:
    """The smallest counts at which the summed beta-binomial probabilities reach the two tails."""
    total, reached = mp.zero, []
    tails = [(1 - mp.mpf(mass)) / 2, (1 + mp.mpf(mass)) / 2]
    for count in range(n + 1):
        total += mp.exp(oracles.log_evidence_counts(prior, (count, n - count)))
        reached.append(total + mp.mpf("1e-10"))
    expected = tuple(next(c for c, t in enumerate(reached) if t >= tail) for tail in tails)
    assert dirichlet.prior_predictive_interval(prior, n, mass) == expected


def test_prior_predictive_interval_is_the_same_on_both_sides_of_its_switch() -> None:
    """Listed up to 100,000 records, the matched Beta law beyond: their ends agree to 1e-4 of n."""
    listed = np.array(dirichlet.prior_predictive_interval((3.0, 5.0), 100_000)) / 100_000
    matched = np.array(dirichlet.prior_predictive_interval((3.0, 5.0), 100_001)) / 100_001
    assert matched == pytest.approx(listed, abs=1e-4)


@pytest.mark.parametrize("alpha", [1e-4, 1e-9])
def test_draws_of_a_tiny_alpha_are_points_of_the_simplex(alpha: float) -> None:
    (rule,) = numeric("dirichlet_sampling_alpha_1e-4")
    draws = dirichlet.sample((alpha,) * 4, np.random.default_rng(0), rule["input"]["draws"])
    assert draws.shape == (rule["input"]["draws"], 4)
    assert np.isfinite(draws).all()
    assert draws.sum(axis=1) == pytest.approx(np.ones(len(draws)), rel=1e-12)


def test_draws_follow_the_mean() -> None:
    """Each of four z-scores beyond 5.5 has probability 4e-8: a false alarm in 6 million seeds."""
    alpha, size = np.array([0.3, 2.0, 1.0, 7.0]), 20_000
    draws = dirichlet.sample(alpha, np.random.default_rng(7), size)
    z = (draws.mean(axis=0) - dirichlet.mean(alpha)) / np.sqrt(dirichlet.variance(alpha) / size)
    assert np.abs(z).max() < 5.5
