"""The oracles against the reference values, against integrals and against themselves.

The reference values (reference/values.json, reference/numeric.json) were computed elsewhere, by 50-digit
arithmetic and full enumeration.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from tests import oracles
from tests.reference_values import expand, numeric, values
from tests.strategies import Drawn, datasets, problems, rates

mp = oracles.mp

# Datasets -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "k"), [(0, 5), (1, 2), (7, 3), (5, 5)])
def test_compositions_are_all_count_vectors_once(n: int, k: int) -> None:
    listed = list(oracles.compositions(n, k))
    assert len(set(listed)) == len(listed) == math.comb(n + k - 1, k - 1)
    assert all(sum(counts) == n and min(counts) >= 0 for counts in listed)


@pytest.mark.parametrize("rule", numeric("candidate_count"), ids=lambda rule: rule["id"])
def test_number_of_candidates(rule: dict[str, Any]) -> None:
    n, k = rule["input"]["n"], rule["input"]["k"]
    assert math.comb(n + k - 1, k - 1) == pytest.approx(float(rule["reference"].split()[0]), rel=1e-15)


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


@given(st.data(), st.integers(1, 6), st.integers(2, 5))
def test_the_datasets_strategy_draws_count_vectors(data: st.DataObject, n: int, k: int) -> None:
    assert data.draw(datasets(n, k)) in set(oracles.compositions(n, k))


# Hellinger distance ---------------------------------------------------------------------------------


@pytest.mark.parametrize("entry", values("hellinger"), ids=lambda entry: f"{entry['a']} {entry['b']}")
def test_hellinger_reference(entry: dict[str, Any]) -> None:
    assert float(oracles.hellinger_mp(entry["a"], entry["b"])) == pytest.approx(float(entry["H"]), rel=1e-15)


@pytest.mark.parametrize("entry", numeric("hellinger_distance"), ids=lambda entry: entry["id"])
def test_hellinger_numeric_reference(entry: dict[str, Any]) -> None:
    a, b = expand(entry["input"]["alpha_a"]), expand(entry["input"]["alpha_b"])
    assert float(oracles.hellinger_mp(a, b)) == pytest.approx(float(entry["reference"]), rel=1e-15)


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


@pytest.mark.parametrize(
    "entry", values("sensitivity"), ids=lambda entry: f"{entry['prior']} {entry['counts']}"
)
def test_sensitivity_reference(entry: dict[str, Any]) -> None:
    prior, counts = entry["prior"], entry["counts"]
    found = {
        "local": oracles.local_sensitivity_by_definition(prior, counts),
        "global": oracles.global_sensitivity(prior, sum(counts)),
        "exponential beta=0.07": oracles.smooth_exponential(prior, counts, "0.07"),
    }
    for gamma in ("1", "0.2", "0.02"):
        found[f"reciprocal gamma={gamma}"] = oracles.smooth_reciprocal(prior, counts, gamma)
    expected = {name: value for name, value in entry.items() if name not in ("prior", "counts")}
    assert {name: float(value) for name, value in found.items()} == pytest.approx(expected, rel=1e-12)


@given(problems())
def test_the_maximum_over_candidates_is_at_the_true_posterior(drawn: Drawn) -> None:
    by_definition = oracles.local_sensitivity_by_definition(*drawn)
    assert float(by_definition) == pytest.approx(float(oracles.local_sensitivity(*drawn)), rel=1e-14)


def test_no_records_no_neighbours_no_sensitivity() -> None:
    for sensitivity in (oracles.local_sensitivity, oracles.local_sensitivity_by_definition):
        with pytest.raises(ValueError):
            sensitivity((1, 1, 1), (0, 0, 0))


# The exponential mechanism --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "entry", values("exponential_law"), ids=lambda entry: f"{entry['prior']} {entry['counts']}"
)
def test_exponential_law_reference(entry: dict[str, Any]) -> None:
    found = oracles.exponential_pmf(entry["prior"], entry["counts"], entry["rate"])
    assert float(found.log_partition) == pytest.approx(entry["logZ"], rel=1e-12)
    assert float(found.mean) == pytest.approx(entry["mean_distance"], rel=1e-12)
    true_posterior = found.law[tuple(entry["counts"])]
    assert float(true_posterior) == pytest.approx(entry["probability_of_true_posterior"], rel=1e-12)


@pytest.mark.parametrize(
    "entry", numeric("exponential_mechanism_probabilities"), ids=lambda entry: entry["id"]
)
def test_exponential_mechanism_numeric_reference(entry: dict[str, Any]) -> None:
    given_ = entry["input"]
    rate = mp.mpf(given_["epsilon"]) / (2 * mp.mpf(given_["sensitivity"]))
    found = oracles.exponential_pmf(expand(given_["alpha"]), given_["counts"], rate)
    assert [list(candidate) for candidate in found.candidates] == given_["candidates"]
    for probability, reference in zip(found.probability, entry["reference"], strict=True):
        assert float(probability / mp.mpf(reference)) == pytest.approx(1, rel=1e-12)


@given(problems(), rates())
def test_exponential_moments_are_derivatives_of_the_log_partition(drawn: Drawn, rate: float) -> None:
    """mean = -(log Z)', variance = (log Z)''; central differences of width h are off by O(h^2)."""
    h = mp.mpf("1e-9")
    rate = mp.mpf(rate)
    below, here, above = (oracles.exponential_pmf(*drawn, r) for r in (rate - h, rate, rate + h))
    assert float((below.log_partition - above.log_partition) / (2 * h)) == pytest.approx(
        float(here.mean), abs=1e-15
    )
    curvature = (below.log_partition - 2 * here.log_partition + above.log_partition) / h**2
    assert float(curvature) == pytest.approx(float(here.variance), abs=1e-15)


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


@pytest.mark.parametrize("entry", numeric("two_sided_geometric_variance"), ids=lambda entry: entry["id"])
def test_two_sided_geometric_variance_reference(entry: dict[str, Any]) -> None:
    """2 p / (1-p)^2: the noise the papers' sensitivity 1 asks for, before any clamp."""
    p = mp.exp(-mp.mpf(entry["input"]["epsilon"]) / entry["input"]["sensitivity"])
    assert float(2 * p / (1 - p) ** 2) == pytest.approx(float(entry["reference"]), rel=1e-14)


NOISE = [
    ("LSZhang", {"scale_rule": "2k"}),
    ("LSZhang", {"scale_rule": "2"}),
    *((name, {"consistent": c}) for name in ("LSDim", "LSHist", "Geometric") for c in (False, True)),
]


@pytest.mark.parametrize(("name", "fields"), NOISE)
@pytest.mark.parametrize("counts", [(0, 0), (3, 0), (2, 1, 3), (0, 2, 1, 0)])
def test_noise_laws_sum_to_one_on_their_support(
    name: str, fields: dict[str, Any], counts: tuple[int, ...]
) -> None:
    n, law = sum(counts), oracles.LAWS[name]((1,) * len(counts), counts, epsilon=0.7, **fields)
    assert float(mp.fsum(law.values())) == pytest.approx(1, rel=1e-14)
    assert all(0 <= r <= n for released in law for r in released)
    if fields.get("consistent"):
        assert set(law) == set(oracles.compositions(n, len(counts)))
    elif name != "LSZhang":
        assert all(sum(released) >= n for released in law)


def _simulated(
    name: str, fields: dict[str, Any], counts: tuple[int, ...], epsilon: float, size: int
) -> Counter[Any]:
    """The rule applied to drawn noise, written for one dataset at a time and apart from the enumeration."""
    rng = np.random.default_rng(20_200_301)
    k, n = len(counts), sum(counts)
    change = 2 if fields.get("scale_rule") == "2" else {"LSZhang": 2 * k, "LSDim": k}.get(name, min(2, k - 1))
    scale = change / epsilon
    noised_counts = k if name == "LSZhang" else k - 1
    if name == "Geometric":
        # The difference of two geometric variables of success probability 1 - p is two-sided geometric.
        draws = rng.geometric(-math.expm1(-1 / scale), (2, size, noised_counts))
        noise = draws[0] - draws[1]
    else:
        noise = rng.laplace(0, scale, (size, noised_counts))
    found: Counter[Any] = Counter()
    for row in np.clip(np.floor(np.array(counts[:noised_counts]) + noise), 0, n).astype(int):
        released = list(map(int, row))
        if fields.get("consistent"):
            for i in range(noised_counts):
                released[i] = min(released[i], n - sum(released[:i]))
        if name != "LSZhang":
            released.append(max(0, n - sum(released)))
        found[tuple(released)] += 1
    return found


@pytest.mark.parametrize(("name", "fields"), NOISE)
@pytest.mark.parametrize("counts", [(3, 1), (2, 0, 1)])
def test_noise_laws_match_drawn_noise(name: str, fields: dict[str, Any], counts: tuple[int, ...]) -> None:
    """Chi-squared, false-alarm rate 1e-6 for each of the 16 cases; cells below 5 expected are merged."""
    size = 20_000
    law = oracles.LAWS[name]((1,) * len(counts), counts, epsilon=1.3, **fields)
    found = _simulated(name, fields, counts, 1.3, size)
    assert found.keys() <= law.keys()
    expected = {released: size * float(p) for released, p in law.items()}
    large = [released for released, e in expected.items() if e >= 5]
    observed = [found[released] for released in large]
    means = [expected[released] for released in large]
    if size - sum(means) >= 5:
        observed.append(size - sum(observed))
        means.append(size - sum(means))
    statistic = sum((o - e) ** 2 / e for o, e in zip(observed, means, strict=True))
    assert stats.chi2.sf(statistic, len(means) - 1) > 1e-6


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


@pytest.mark.parametrize("name", ["EHD", "EHDL", "EHDS", "EHDNRS"])
@pytest.mark.parametrize(
    "entry", values("privacy_loss"), ids=lambda e: f"{e['prior']} n={e['n']} eps={e['epsilon']}"
)
def test_privacy_loss_reference(entry: dict[str, Any], name: str) -> None:
    fields = {"EHDS": {"gamma": entry["gamma"]}, "EHDNRS": {"delta": entry["delta"]}}.get(name, {})
    prior, n = tuple(entry["prior"]), entry["n"]
    laws = oracles.laws_of_all_datasets(name, prior, n, epsilon=entry["epsilon"], **fields)
    assert float(oracles.privacy_loss(laws, prior, n).epsilon) == pytest.approx(entry[name], rel=1e-10)


def test_privacy_loss_of_an_understated_global_sensitivity() -> None:
    """The papers' constant is too small at alpha = 0.01, n = 1: EHD loses 1.063 at epsilon 1."""
    laws = oracles.laws_of_all_datasets("EHD", (0.01, 0.01, 0.01), 1, epsilon=1, global_sensitivity="paper")
    assert float(oracles.privacy_loss(laws, (0.01, 0.01, 0.01), 1).epsilon) == pytest.approx(1.063, abs=5e-4)


def test_privacy_loss_of_local_sensitivity_at_a_strong_prior() -> None:
    """EHDL at epsilon 1, prior (100, 1000, 100), n = 25 loses 2.06, and does so between (0, 24, 1) and a neighbour."""
    prior, counts = (100, 1000, 100), (0, 24, 1)
    law, *others = (oracles.LAWS["EHDL"](prior, c, epsilon=1) for c in (counts, *oracles.neighbours(counts)))
    loss = max(abs(mp.log(law[r] / other[r])) for other in others for r in law)
    assert float(loss) == pytest.approx(2.06, abs=5e-3)


@pytest.mark.parametrize(
    ("name", "fields", "k", "share"),
    [
        ("LSZhang", {"scale_rule": "2k"}, 2, 1 / 2),
        ("LSZhang", {"scale_rule": "2k"}, 3, 1 / 3),
        ("LSZhang", {"scale_rule": "2"}, 3, 1),
        ("LSDim", {}, 2, 1 / 2),
        ("LSDim", {}, 3, 2 / 3),
        ("LSHist", {}, 2, 1),
        ("LSHist", {}, 3, 1),
        ("Geometric", {}, 2, 1),
        ("Geometric", {}, 3, 1),
    ],
)
def test_privacy_loss_of_the_noise_laws(name: str, fields: dict[str, Any], k: int, share: float) -> None:
    """The share of epsilon that is really lost: 1/k, 1; 1/2 at k = 2, 2/k above; 1; 1."""
    epsilon, n, prior = 0.8, 4, (1,) * k
    laws = oracles.laws_of_all_datasets(name, prior, n, epsilon=epsilon, **fields)
    assert float(oracles.privacy_loss(laws, prior, n).epsilon) == pytest.approx(share * epsilon, rel=1e-12)


def test_privacy_loss_is_infinite_where_only_the_neighbour_excludes_the_output() -> None:
    laws: dict[oracles.Counts, oracles.Law] = {(0, 1): {(0, 1): 0.5, (1, 0): 0.5}, (1, 0): {(1, 0): 1.0}}
    assert oracles.privacy_loss(laws, (1, 1), 1) == (mp.inf, (0, 1), (1, 0), (0, 1))


def test_privacy_profile_ends() -> None:
    """delta(0) is the largest total variation distance, delta(loss) is 0, delta falls between them."""
    prior, n = (1, 0.5, 2), 4
    laws = oracles.laws_of_all_datasets("EHD", prior, n, epsilon=2)
    loss = oracles.privacy_loss(laws, prior, n).epsilon
    profile = [float(delta) for delta in oracles.privacy_profile(laws, prior, n, [0, loss / 2, loss])]
    variation = max(
        mp.fsum(abs(laws[c][r] - laws[c2][r]) for r in laws[c]) / 2
        for c in laws
        for c2 in oracles.neighbours(c)
    )
    assert profile[0] == pytest.approx(float(variation), rel=1e-14)
    assert profile[0] > profile[1] > 0
    assert profile[2] == pytest.approx(0, abs=1e-40)


# The Dirichlet-multinomial model --------------------------------------------------------------------


@pytest.mark.parametrize(
    "quantity", ["posterior_mean", "posterior_variance", "log_evidence_sequence", "log_evidence_counts"]
)
def test_dirichlet_multinomial_reference(quantity: str) -> None:
    """Where a case has 300 categories the reference gives the first five."""
    for entry in numeric(quantity):
        found = getattr(oracles, quantity)(expand(entry["input"]["alpha"]), expand(entry["input"]["counts"]))
        reference = entry["reference"]
        found, reference = ([found], [reference]) if isinstance(reference, str) else (found, reference)
        floats = [float(x) for x in found[: len(reference)]]
        assert floats == pytest.approx([float(x) for x in reference], rel=1e-15, abs=0), entry["id"]


@pytest.mark.parametrize("entry", numeric("beta_pdf"), ids=lambda entry: entry["id"])
def test_beta_pdf_reference(entry: dict[str, Any]) -> None:
    found = oracles.beta_pdf(*(entry["input"][name] for name in ("x", "a", "b")))
    assert float(found) == pytest.approx(float(entry["reference"]), rel=1e-15)


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
