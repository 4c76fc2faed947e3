"""The oracles against the reference values, against integrals and against themselves.

The reference values (reference/values.json, reference/numeric.json) were computed elsewhere, by 50-digit
arithmetic and full enumeration.
"""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import integrate, stats

from tests import oracles
from tests.strategies import Drawn, datasets, problems, rates

mp = oracles.mp

# Datasets -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "k"), [(0, 5), (1, 2), (7, 3), (5, 5)])
def test_compositions_are_all_count_vectors_once(n: int, k: int) -> None:
    listed = list(oracles.compositions(n, k))
    assert len(set(listed)) == len(listed) == math.comb(n + k - 1, k - 1)
    assert all(sum(counts) == n and min(counts) >= 0 for counts in listed)


@given(problems())
def test_neighbours_are_the_datasets_one_step_away(drawn: Drawn) -> None:
    one_step = [
        c for c in oracles.compositions(drawn.n, len(drawn.counts)) if oracles.steps(drawn.counts, c) == 1
    ]
    assert sorted(oracles.neighbours(drawn.counts)) == one_step


@pytest.mark.parametrize("counts", [(0, 0, 5), (2, 0, 1, 1), (3, 4)])
def test_steps_is_the_number_of_replacements(counts: tuple[int, ...]) -> None:
    distance, frontier, radius = {counts: 0}, [counts], 0
    while frontier:
        radius += 1
        frontier = list({c for d in frontier for c in oracles.neighbours(d)} - distance.keys())
        distance.update(dict.fromkeys(frontier, radius))
    assert distance == {c: oracles.steps(counts, c) for c in oracles.compositions(sum(counts), len(counts))}


# Hellinger distance ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "b"), [((7, 4), (8, 3)), ((2, 3), (4, 7)), ((3.5, 8), (10, 2)), ((1, 1), (2, 1))]
)
def test_hellinger_is_the_integral_that_defines_it(a: tuple[float, float], b: tuple[float, float]) -> None:
    """H^2 = (1/2) int (sqrt p - sqrt q)^2, with scipy's densities and quadrature."""

    def integrand(x: float) -> float:
        return (math.sqrt(stats.beta.pdf(x, *a)) - math.sqrt(stats.beta.pdf(x, *b))) ** 2 / 2

    squared, error = integrate.quad(integrand, 0, 1)
    assert float(oracles.hellinger_mp(a, b)) ** 2 == pytest.approx(squared, abs=10 * error)


@given(problems(), st.data())
def test_the_two_hellinger_oracles_agree_where_the_float_one_serves(
    drawn: Drawn, data: st.DataObject
) -> None:
    released = data.draw(datasets(drawn.n, len(drawn.counts)))
    a, b = (np.add(drawn.prior, counts).tolist() for counts in (drawn.counts, released))
    # Each of some 3 k + 3 lgammas is off by a few units of its last digit.
    tolerance = 1e-14 * (1 + math.lgamma(sum(a) + 2))
    assert oracles.hellinger_float(a, b) ** 2 == pytest.approx(
        float(oracles.hellinger_mp(a, b)) ** 2, abs=tolerance
    )


# Sensitivities --------------------------------------------------------------------------------------


# The exponential mechanism --------------------------------------------------------------------------


@given(problems(), rates())
def test_the_exponential_mean_is_a_derivative_of_the_log_partition(drawn: Drawn, rate: float) -> None:
    """mean = -(log Z)'; central differences of width h are off by O(h^2)."""
    h = mp.mpf("1e-9")
    rate = mp.mpf(rate)
    below, here, above = (oracles.exponential_pmf(*drawn, r) for r in (rate - h, rate, rate + h))
    assert float((below.log_partition - above.log_partition) / (2 * h)) == pytest.approx(
        float(here.mean), abs=1e-15
    )


# Noise on the counts --------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [0, 1, 5, 9])
@pytest.mark.parametrize("scale", [0.3, 1.0, 40.0])
def test_clamped_laplace_is_the_integral_of_the_density(count: int, scale: float) -> None:
    """P(clamp(floor(count + Y), 0, 9) = r), integrated numerically, split at the kink of the density."""
    n = 9

    def mass(low: float, high: float) -> float:
        pieces = [low, *([0.0] if low < 0 < high else []), high]
        return sum(
            integrate.quad(lambda y: math.exp(-abs(y) / scale) / (2 * scale), *piece, epsabs=1e-14)[0]
            for piece in itertools.pairwise(pieces)
        )

    cells = [-math.inf, *range(1, n + 1), math.inf]
    integrals = [mass(low - count, high - count) for low, high in itertools.pairwise(cells)]
    assert [float(p) for p in oracles.clamped_laplace(count, n, scale)] == pytest.approx(integrals, abs=1e-12)


def test_clamped_laplace_keeps_its_digits_far_out() -> None:
    """For d >= 0 the cell has mass (p^d - p^(d+1)) / 2 with p = exp(-1/b): here about e^-400."""
    found = oracles.clamped_laplace(0, 10, "0.02")[8]
    p = mp.exp(-50)
    assert float(found / ((p**8 - p**9) / 2)) == pytest.approx(1, rel=1e-14)


@pytest.mark.parametrize(("count", "p"), [(0, "0.4"), (3, "0.4"), (6, "0.9"), (2, "1e-3")])
def test_clamped_geometric_is_the_sum_over_the_noise(count: int, p: Any) -> None:
    n, p = 6, mp.mpf(p)
    direct = [mp.zero] * (n + 1)
    for noise in range(-600, 601):
        direct[min(max(count + noise, 0), n)] += (1 - p) / (1 + p) * p ** abs(noise)
    found = oracles.clamped_geometric(count, n, p)
    assert [float(x) for x in found] == pytest.approx([float(x) for x in direct], rel=1e-14)


# The law of the distance ----------------------------------------------------------------------------


def test_distance_levels_of_a_symmetric_law() -> None:
    """Uniform prior and counts (3, 3): r and its mirror image are one level, so 7 candidates have 4."""
    law = oracles.exponential_pmf((1, 1), (3, 3), 2).law
    found = oracles.distance_law(law, (1, 1), (3, 3))
    assert len(found.distance) == 4
    assert float(found.distance[0]) == 0
    assert float(found.probability[0]) == float(law[3, 3])
    assert float(found.probability[2]) == pytest.approx(float(2 * law[1, 5]), rel=1e-14)


@given(problems(), rates())
def test_distance_law_keeps_mass_and_mean(drawn: Drawn, rate: float) -> None:
    exact = oracles.exponential_pmf(*drawn, rate)
    found = oracles.distance_law(exact.law, *drawn)
    assert float(mp.fsum(found.probability)) == pytest.approx(1, rel=1e-14)
    assert float(found.mean) == pytest.approx(float(exact.mean), rel=1e-9, abs=1e-30)
    assert found.distance[0] == 0
    assert [float(found.cdf(h)) for h in (found.distance[0], 1)] == pytest.approx(
        [float(found.probability[0]), 1]
    )
    assert found.quantile(0) == found.distance[0]
    for level in found.distance:
        # At most, not equal: a level of probability 1e-800 does not move a 50-digit cdf.
        assert found.quantile(found.cdf(level)) <= level
        assert found.cdf(found.quantile(found.cdf(level))) == found.cdf(level)


# Privacy --------------------------------------------------------------------------------------------


def test_privacy_loss_is_infinite_where_only_the_neighbour_excludes_the_output() -> None:
    laws: dict[oracles.Counts, oracles.Law] = {(0, 1): {(0, 1): 0.5, (1, 0): 0.5}, (1, 0): {(1, 0): 1.0}}
    assert oracles.privacy_loss(laws, (1, 1), 1) == (mp.inf, (0, 1), (1, 0), (0, 1))


# The Dirichlet-multinomial model --------------------------------------------------------------------


@given(problems(largest_k=4))
def test_evidence_sums_to_one_over_the_counts(drawn: Drawn) -> None:
    total = mp.fsum(
        mp.exp(oracles.log_evidence_counts(drawn.prior, c))
        for c in oracles.compositions(drawn.n, len(drawn.counts))
    )
    assert float(total) == pytest.approx(1, rel=1e-13)


@pytest.mark.parametrize(("a", "b"), [(0.5, 0.5), (3, 8.5), (40, 1)])
def test_beta_cdf_is_the_integral_of_the_pdf(a: float, b: float) -> None:
    for x in (0.1, 0.5, 0.97):
        found = float(oracles.beta_cdf(x, a, b))
        assert found == pytest.approx(
            float(mp.quad(lambda t: oracles.beta_pdf(t, a, b), [0, x / 2, x])), rel=1e-6
        )
