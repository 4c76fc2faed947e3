"""What is computed of many at once is what is computed of each alone: to the bit, in any order and memory layout.

No vector's width divides ``SIZE``, and ten categories are more than what a sum adds one after the other.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dpbi import (
    Problem,
    dirichlet,
    hellinger,
    noise_aware_posterior,
    privacy_profile,
    sensitivity,
    sensitivity_maps,
    steps,
)
from dpbi.posterior.hellinger import distances_between, distances_to
from dpbi.posterior.total_variation import beta_variation, variation_bounds
from dpbi.privacy.guessing import trade_off
from dpbi.sensitivity.closed_form import unit_loss
from tests.every_mechanism import Kind, Options, every_class, every_mechanism

SIZE, K, N = 37, 10, 120


def scattered(*shape: int) -> NDArray[np.float64]:
    """Numbers in (0, 1), all over it: the golden ratio's multiples."""
    return (np.arange(1, math.prod(shape) + 1) * (math.sqrt(5) - 1) / 2 % 1).reshape(shape)


# Batches: parameters by pairs of any distance, shares, counts of one total, numbers.
PARAMETERS = 10 ** (8 * scattered(SIZE, 1, K) - 2) * (1 + 10 ** (10 * scattered(SIZE, 2, K) - 9))
PAIRS = PARAMETERS[:, :, :2]
SHARES = scattered(SIZE, K) / scattered(SIZE, K).sum(axis=1, keepdims=True)
COUNTS = np.floor(N * SHARES).astype(np.int64)
COUNTS[:, -1] += N - COUNTS.sum(axis=1)
NUMBERS = np.concatenate([[0.0, 1.0], scattered(SIZE - 2)])
PRIOR = tuple((10 ** (3 * scattered(K) - 1)).tolist())
PROBLEM = Problem(PRIOR, tuple(COUNTS[0].tolist()))

BATCHES: dict[str, tuple[Callable[[NDArray[Any]], Any], NDArray[Any]]] = {
    "hellinger": (lambda x: hellinger(x[:, 0], x[:, 1]), PARAMETERS),
    "hellinger from one": (lambda x: hellinger(PRIOR, x), PARAMETERS[:, 0]),
    "distances_to": (lambda x: distances_to(PROBLEM, x), COUNTS),
    "distances_to of other totals": (lambda x: distances_to(PROBLEM, x), COUNTS + COUNTS[::-1] // 9),
    "distances_between": (lambda x: distances_between(PRIOR, x, np.array(PROBLEM.counts)), COUNTS),
    "beta_variation": (lambda x: beta_variation(x[:, 0], x[:, 1]), PAIRS),
    "variation_bounds": (lambda x: np.stack(variation_bounds(x), axis=-1), NUMBERS),
    "mean": (dirichlet.mean, PARAMETERS[:, 0]),
    "variance": (dirichlet.variance, PARAMETERS[:, 0]),
    "interval": (lambda x: np.stack(dirichlet.interval(x), axis=-1), PARAMETERS[:, 0]),
    "beta_cdf": (lambda x: dirichlet.beta_cdf(x[:, 0, 0], x[:, 0, 1], x[:, 1, 0] % 1), PAIRS * 10 ** 4),
    "beta_density": (lambda x: dirichlet.beta_density(x, 2.3, 7.0), NUMBERS),
    "log_density": (lambda x: dirichlet.log_density(PRIOR, x), SHARES),
    "log_evidence": (lambda x: dirichlet.log_evidence(PRIOR, x), COUNTS),
    "log_evidence, ordered": (lambda x: dirichlet.log_evidence(PRIOR, x, ordered=True), COUNTS),
    "log_negative_binomial": (lambda x: dirichlet.log_negative_binomial(np.array(0.7), x, N, 2.3), COUNTS[:, 0]),
    "unit_loss": (unit_loss, PARAMETERS[:, 0, 0]),
    "local_sensitivities": (lambda x: sensitivity.local_sensitivities(PRIOR, x), COUNTS),
    "smooth_sensitivities": (lambda x: sensitivity.smooth_sensitivities(PRIOR, x, 0.1), COUNTS),
    "exponentially": (lambda x: sensitivity.smooth_sensitivities(PRIOR, x, 0.1, "exponential"), COUNTS),
    "steps": (lambda x: steps(PROBLEM.counts, x), COUNTS),
    "trade_off": (lambda x: trade_off([0.0, 0.3, 1.0], [0.4, 0.2, 0.0], x), NUMBERS),
}


def assert_each_as_alone(function: Callable[[NDArray[Any]], Any], batch: NDArray[Any]) -> None:
    """function: (N, ...) -> (N, ...)."""
    whole = function(batch)
    for other in (
        function(batch[::-1])[::-1],
        function(np.asfortranarray(batch)),
        np.concatenate([function(batch[:5]), function(batch[5:])]),
        np.concatenate([function(batch[i : i + 1]) for i in range(len(batch))]),
    ):
        assert np.array_equal(whole, other, equal_nan=True)


@pytest.mark.parametrize("name", BATCHES)
def test_each_is_computed_as_alone(name: str) -> None:
    assert_each_as_alone(*BATCHES[name])


def test_distances_looked_up_in_a_table_are_those_computed() -> None:
    """Beyond 100,000 counts each value is computed once."""
    problem = Problem((1.0,) * K, (50,) * 5 + (80,) * 5)
    released = np.random.default_rng(1).multinomial(problem.n, np.array(problem.counts) / problem.n, 200)
    whole = distances_to(problem, np.tile(released, (100_000 // released.size + 1, 1)))
    assert (whole[:200] == distances_to(problem, released)).all()


def test_a_gamma_has_its_value_in_any_scan() -> None:
    gammas = 10 ** np.linspace(-3, 2, SIZE)
    whole = sensitivity_maps.gamma_scan(PROBLEM, gammas).value
    assert whole.tolist() == [float(sensitivity_maps.gamma_scan(PROBLEM, [gamma]).value[0]) for gamma in gammas]


@every_mechanism
def test_probabilities_of_releases(kind: Kind, chosen: Options) -> None:
    mechanism = kind(1.0, **chosen)
    for problem in (PROBLEM, Problem((1.0, 1.0), (40, 80))):
        batch = COUNTS if problem is PROBLEM else np.stack([COUNTS[:, 0], N - COUNTS[:, 0]], axis=1)
        assert_each_as_alone(partial(mechanism.log_pmf, problem), batch)


@every_mechanism
@pytest.mark.parametrize("prior", [(1.0, 0.4), (1.0, 0.4, 2.0)])
def test_deltas_of_a_profile(kind: Kind, chosen: Options, prior: tuple[float, ...]) -> None:
    mechanism = kind(1.0, **chosen)
    assert_each_as_alone(lambda epsilons: privacy_profile(mechanism, prior, 4, epsilons), 1.2 * NUMBERS[:11])


@every_class
def test_densities_that_know_about_the_noise(kind: Kind) -> None:
    posterior = noise_aware_posterior(kind(1.0), (1.0, 0.7, 2.0), 20, (4, 5, 11))
    for function in (posterior.density, posterior.cumulative):
        assert_each_as_alone(function, NUMBERS)
