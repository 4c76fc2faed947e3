"""Noisy counts that others published: against enumeration, 50 digits, and properties at sizes beyond both.

The oracle (``oracles.noisy_counts``) lists every dataset of every total, with weights that are products of ratios; laws
of noise come from 50-digit formulas. The product folds negative binomials.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy import special, stats

import dpbi
from dpbi import noise
from dpbi.inference.count_tree import Leaf, count_tree
from dpbi.noise import DiscreteGaussian, Exact, Gaussian, Laplace, TwoSidedGeometric
from tests import oracles
from tests.goodness_of_fit import assert_follows, assert_p_value

mp = oracles.mp


class Law(NamedTuple):
    product: Callable[..., Any]
    oracle: Callable[[float], oracles.NoiseLaw]
    whole: bool = True


LAWS = {
    "two-sided geometric": Law(TwoSidedGeometric, oracles.geometric_noise),
    "discrete Gaussian": Law(lambda s, **how: DiscreteGaussian(s**2, **how),
                             lambda s: oracles.discrete_gaussian_noise(mp.mpf(s) ** 2, max(60, int(45 * s)))),
    "Laplace": Law(lambda s, **how: Laplace(s, rounded=False, **how), lambda s: oracles.laplace_noise(s, False), False),
    "rounded Laplace": Law(Laplace, lambda s: oracles.laplace_noise(s, True)),
    "Gaussian": Law(lambda s, **how: Gaussian(s, rounded=False, **how), lambda s: oracles.gaussian_noise(s, False),
                    False),
    "rounded Gaussian": Law(Gaussian, lambda s: oracles.gaussian_noise(s, True)),
    "exact": Law(lambda s, **how: Exact(**how), lambda s: oracles.no_noise()),
}


class Read(NamedTuple):
    """A measurement: its law by name, scale, value (None: withheld), and how it was published."""

    law: str
    scale: float
    value: float | None
    floor: bool = False
    below: int | None = None

    @property
    def noise(self) -> Any:
        how: dict[str, Any] = {"floor": 0} if self.floor else {}
        return LAWS[self.law].product(self.scale, **how, below=self.below)

    def likelihood(self, largest: int) -> list[Any]:
        law = LAWS[self.law]
        value = self.value if self.value is None else int(self.value) if law.whole else mp.mpf(self.value)
        return oracles.likelihood_of_count(law.oracle(self.scale), value, largest, self.floor, self.below, law.whole)


class Case(NamedTuple):
    """rows: measurements of every cell; total: law of n and its probabilities 0 .. N; sums: of cells."""

    prior: tuple[float, ...]
    rows: tuple[tuple[Read, ...], ...]
    total: Any
    law_of_total: list[Any]
    sums: tuple[tuple[tuple[int, ...], Read], ...] = ()

    def posterior(self) -> dpbi.NoisyCountsPosterior:
        return dpbi.noisy_counts_posterior(
            self.prior, [[one.value for one in row] for row in self.rows],
            [[one.noise for one in row] for row in self.rows], self.total,
            [(cells, one.value, one.noise) for cells, one in self.sums])

    def enumerated(self) -> oracles.NoisyCounts:
        largest = len(self.law_of_total) - 1
        cells = []
        for column in zip(*self.rows, strict=True):
            of_rows = [one.likelihood(largest) for one in column]
            cells.append([math.prod(at) for at in zip(*of_rows, strict=True)])
        found = oracles.noisy_counts(self.prior, cells, self.law_of_total,
                                     [(places, one.likelihood(largest)) for places, one in self.sums])
        if isinstance(self.total, dpbi.Poisson):
            return found._replace(beyond=float(found.law_of(found.n)[-1]))
        return found


def known(n: int) -> tuple[int, list[Any]]:
    return n, [mp.mpf(j == n) for j in range(n + 1)]


def flat(largest: int) -> tuple[Any, list[Any]]:
    return dpbi.Flat(largest), [mp.one] * (largest + 1)


def log_uniform(largest: int) -> tuple[Any, list[Any]]:
    return dpbi.LogUniform(largest), [mp.zero, *(mp.one / j for j in range(1, largest + 1))]


def poisson(mean: float, largest: int) -> tuple[Any, list[Any]]:
    return dpbi.Poisson(mean), [mp.mpf(mean) ** j / mp.factorial(j) for j in range(largest + 1)]


def drawn_case(law: str, seed: int) -> Case:
    """k = 2, 3 or 4 cells, most of them of this law, with whatever else a table may have."""
    rng = np.random.default_rng([seed, *law.encode()])
    k = int(rng.choice([2, 3, 4]))
    largest = {2: 80, 3: 26, 4: 15}[k]
    prior = tuple((10.0 ** (rng.uniform(-9, 6, k) if rng.random() < 0.3 else rng.uniform(-1.5, 1.2, k))).tolist())

    def read(name: str, middle: float, spread: float, how: str) -> Read:
        scale = float(10 ** rng.uniform(-1.5, 1.2))
        floor, below = how in ("cut", "both"), int(rng.integers(1, 9)) if how in ("withheld", "both") else None
        if name == "exact":
            return Read(name, 0.0, float(rng.integers(0, largest // k + 1)))
        value = float(rng.normal(middle, spread))
        value = float(round(value)) if LAWS[name].whole else value
        value = max(value, 0.0) if floor else value
        return Read(name, scale, None if below is not None and value < below else value, floor, below)

    def name(most: str) -> str:
        return most if rng.random() < 0.7 else str(rng.choice(list(LAWS)[:-1]))

    hows = ["plain", "cut", "withheld", "both"]
    rows = [tuple(read(name(law), largest / k / 2, largest / 4, str(rng.choice(hows, p=[0.5, 0.2, 0.2, 0.1])))
                  for _ in range(k))]
    if rng.random() < 0.4:
        other = "Gaussian" if law == "exact" else law
        rows.append(tuple(read(other, largest / k / 2, largest / 4, "plain") for _ in range(k)))
    nested: dict[int, list[tuple[int, ...]]] = {
        2: [(0, 1)], 3: [(0, 2), (0, 1, 2)], 4: [(1, 3), (0, 1, 3), (0, 1, 2, 3)]}
    other = "Laplace" if law == "exact" else law
    sums = tuple((cells, read(other, largest / 2, largest / 4, "plain")) for cells in nested[k] if rng.random() < 0.4)
    total: tuple[Any, list[Any]] = flat(largest)
    if law != "exact":  # exact cells contradict nearly every other
        kind = int(rng.integers(4))
        total = (known(int(rng.integers(1, largest + 1))), flat(largest), log_uniform(largest),
                 poisson(float(rng.uniform(0.1, largest / 9)), largest))[kind]
    return Case(prior, tuple(rows), total[0], total[1], sums)


def assert_like(posterior: dpbi.NoisyCountsPosterior, truth: oracles.NoisyCounts) -> None:
    """Moments, laws of counts and of the total, distribution functions and intervals are those of all datasets."""
    mean, sd = truth.moments()
    beyond = 1e-12 + 4 * truth.beyond  # a total's law goes on where the enumeration ends
    np.testing.assert_allclose(posterior.mean, mean.astype(float), rtol=2e-9, atol=1e-12)
    np.testing.assert_allclose(posterior.sd, sd.astype(float), rtol=1e-7, atol=1e-12)
    pairs = [(posterior.total, truth.n)]
    pairs += [(one, truth.counts[:, i]) for i, one in enumerate(posterior.marginals)]
    for marginal, values in pairs:
        law = np.append(truth.law_of(values), np.zeros(1)).astype(float)
        assert np.abs(law[marginal.counts.clip(0, law.size - 1)] - marginal.probability).max() < beyond
        assert law[marginal.counts.clip(0, law.size - 1)].sum() == pytest.approx(1, abs=beyond)
    for i in range(len(posterior.prior)):
        betas = truth.betas(i)
        at = np.array([1e-12, 1e-3, 0.05, 0.3, 0.5, 0.77, 0.99, posterior.mean[i]])
        expected = [oracles.mixture_of_betas(betas, x) for x in at]
        np.testing.assert_allclose(posterior.cumulative(at, i), expected, atol=1e-9)
        for mass in (0.5, 0.95):
            low, high = posterior.interval(mass, i)
            below, above = oracles.mixture_of_betas(betas, low), 1 - oracles.mixture_of_betas(betas, high)
            assert max(below, above) <= (1 - mass) / 2 + 1e-9
            # where doubles are fine enough, and theta not all but certainly next to 0 or 1, no wider than that
            if 1e-12 < low < high < 1 - 1e-9 and sd[i] > 1e-9:
                assert min(below, above) >= (1 - mass) / 2 - 1e-7


# Enumeration ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("law", LAWS)
def test_posterior_is_that_of_all_datasets(law: str, seed: int) -> None:
    case = drawn_case(law, seed)
    assert_like(case.posterior(), case.enumerated())


G, DG, L, N = "two-sided geometric", "discrete Gaussian", "Laplace", "Gaussian"
HARD = {
    # the tilt passed over the place where a cell of next to no spread jumps
    "no spread, total far off": Case((2.6, 0.055), ((Read(G, 1.44, 12.0, True, 6), Read(DG, 2.86, None, below=6)),
                                                    (Read(L, 0.04, -4.0), Read(L, 0.001, 46.64))), *poisson(8, 60)),
    # the posterior lies where every cell's own window has ended
    "sum against its cells": Case((11, 0.05, 2.3), ((Read(N, 0.2, -1.9), Read(N, 4.4, 9.0), Read(N, 0.1, 9.0)),),
                                  *flat(26), (((0, 1, 2), Read(N, 0.1, 15.0)), ((0, 1), Read(N, 0.1, 8.0)))),
    "values against the total": Case((8.2, 0.4, 2.2), ((Read(DG, 0.5, -3.0), Read(DG, 0.6, -4.0), Read(DG, 0.5, None,
                                                        below=2)),), *known(9)),
    # two or three counts have all but 1e-20 of the law of a count
    "counts all but known": Case((4.9, 0.16, 0.05, 11.4), ((
        Read("exact", 0, 2.0), Read("exact", 0, 2.0), Read(G, 0.03, 3.0), Read(G, 3.0, None, below=7)),), *flat(15)),
    "counts known but for one": Case((10.6, 11.4), ((Read(G, 6.0, 70.0), Read(G, 0.0058, 25.0, True, 6)),), *flat(80)),
    # the law of the others was read off counts that the tree had left out
    "a narrow cell beside wide ones": Case((0.09, 0.63, 0.45), ((Read("rounded Laplace", 22.4, 39.0),
                                           Read("rounded Laplace", 14.2, None, below=6),
                                           Read("rounded Laplace", 0.0017, 3.0)),), *poisson(3.8, 34)),
    # wide noise on few records: h grows faster than doubles hold
    "few records, wide noise": Case((18.2, 5.8), ((Read(L, 2.96, 8.44), Read(L, 2.96, 37.4)),), *log_uniform(150)),
    "all withheld": Case((1, 1, 1), ((Read(G, 2.0, None, below=5),) * 3,), *flat(26)),
    "total 0": Case((1, 2, 3), ((Read(DG, 3.0, -4.0), Read(DG, 3.0, 2.0), Read(DG, 3.0, 0.0)),), *known(0)),
    "all cut to 0": Case((0.5, 0.5), ((Read(G, 5.0, 0.0, True),) * 2,), *log_uniform(80)),
    "tiny priors": Case((1e-9, 1e-9, 1.0), ((Read(G, 1.0, 3.0), Read(G, 1.0, 0.0), Read(G, 1.0, 5.0)),), *known(9)),
    "huge priors": Case((1e6, 1e6, 1e-6), ((Read(DG, 4.0, 3.0), Read(DG, 4.0, 9.0), Read(DG, 4.0, 2.0)),), *flat(26)),
    "largest below the values": Case((1, 1), ((Read(G, 3.0, 70.0), Read(G, 3.0, 60.0)),), *flat(80)),
}


@pytest.mark.parametrize("name", HARD)
def test_posterior_where_windows_tilts_and_points_are_strained(name: str) -> None:
    assert_like(HARD[name].posterior(), HARD[name].enumerated())


@pytest.mark.parametrize("name", ["sum against its cells", "a narrow cell beside wide ones", "all withheld"])
def test_draws_and_density_follow_all_datasets(name: str) -> None:
    """False alarms: 1e-6 a comparison."""
    posterior, truth = HARD[name].posterior(), HARD[name].enumerated()
    drawn = posterior.sample_counts(np.random.default_rng(31), 4_000)
    assert_follows(drawn, dict(zip(map(tuple, truth.counts.tolist()), truth.probability.astype(float), strict=True)))
    theta = posterior.sample(np.random.default_rng(32), 4_000)[:, 1]
    assert_p_value(stats.kstest(theta, lambda x: posterior.cumulative(x, 1)).pvalue)
    weight, a, b = truth.betas(1)
    at = np.array([0.02, 0.3, 0.8])
    np.testing.assert_allclose(posterior.density(at, 1), [weight @ stats.beta.pdf(x, a, b) for x in at], rtol=1e-8)


@pytest.mark.parametrize("cells", [(0, 1), (0, 2), (1, 2)])
def test_block_is_the_posterior_within_its_categories(cells: tuple[int, int]) -> None:
    case = Case((0.7, 1.3, 2.0), ((Read(G, 2.0, 4.0), Read(DG, 3.0, -1.0), Read(L, 2.0, 6.5)),), *flat(26))
    block, truth = case.posterior().block(cells), case.enumerated()
    inside = oracles.NoisyCounts(tuple(case.prior[i] for i in cells), truth.counts[:, list(cells)], truth.probability)
    assert_like(block, inside)


# References and 50 digits -----------------------------------------------------------------------------

PRIOR, VALUES = (1, 0.5, 2), (7, -2, 9)


def test_reference_values_of_the_total_known() -> None:
    found = dpbi.noisy_counts_posterior(PRIOR, VALUES, TwoSidedGeometric(2), 15)
    assert found.mean == pytest.approx([0.382047078475, 0.047651375447, 0.570301546078], abs=1e-12)
    assert found.sd[0] == pytest.approx(0.136812529342, abs=1e-12)
    assert found.interval() == pytest.approx((0.123086287682, 0.655765449663), abs=1e-11)


def test_reference_values_of_the_total_unknown() -> None:
    found = dpbi.noisy_counts_posterior(PRIOR, VALUES, TwoSidedGeometric(2), dpbi.Flat(60))
    n, p = found.total.counts, found.total.probability
    assert found.mean[0] == pytest.approx(0.370336960546, abs=1e-12)
    assert found.total.mean == pytest.approx(15.407806347204, abs=1e-11)
    assert math.sqrt(p @ (n - found.total.mean) ** 2) == pytest.approx(4.06524370067, abs=1e-11)
    assert p[n == 15] == pytest.approx(0.109085037554, abs=1e-12)
    found = dpbi.noisy_counts_posterior(PRIOR, VALUES, DiscreteGaussian(2.5**2), dpbi.LogUniform(60))
    assert (found.mean[0], found.total.mean) == pytest.approx((0.364020231978, 14.157521528371), abs=1e-11)
    found = dpbi.noisy_counts_posterior(PRIOR, VALUES, DiscreteGaussian(2.5**2), dpbi.Flat(60),
                                        [((0, 1, 2), 13, DiscreteGaussian(1.5**2))])
    assert found.total.mean == pytest.approx(13.306045578865, abs=1e-11)
    assert found.interval() == pytest.approx((0.0858585938462, 0.675671922596), abs=1e-11)


def test_reference_interval_of_a_small_share_of_a_billion() -> None:
    found = dpbi.noisy_counts_posterior((1, 1, 1, 1), (600000123, 250000456, 149999321, 98), DiscreteGaussian(100),
                                        dpbi.Flat())
    assert found.interval(0.95, 3) == pytest.approx((7.25602516897e-8, 1.27810817515e-7), rel=1e-10)


@pytest.mark.parametrize(("prior", "values", "n"), [
    ((1.0, 1.0), (999_999_999_990, 12), 10**12), ((1e-9, 1e-9), (3, 10**12), 10**12), ((1e-9, 50.0), (0, 40), 40),
    ((2.5, 1e6), (600_000_000_000, 400_000_000_000), 10**12),
])
def test_moments_to_50_digits_at_the_ends(prior: tuple[float, float], values: tuple[int, int], n: int) -> None:
    """k = 2, geometric noise of scale 1.5, n known: one sum of mpmath numbers; theta next to 0 and 1 too."""
    found = dpbi.noisy_counts_posterior(prior, values, TwoSidedGeometric(1.5), n)
    a, b = map(mp.mpf, prior)
    weights = {}
    near = {c for at in (values[0], n - values[1], 0, n) for c in range(at - 260, at + 261) if 0 <= c <= n}
    for c in near:
        noise_term = -(abs(values[0] - c) + abs(values[1] - n + c)) / mp.mpf(1.5)
        weights[c] = mp.exp(noise_term + mp.loggamma(a + c) - mp.loggamma(c + 1) - mp.loggamma(a)
                            + mp.loggamma(b + n - c) - mp.loggamma(n - c + 1) - mp.loggamma(b))
    total = mp.fsum(weights.values())
    share = {c: (a + c) / (a + b + n) for c in weights}
    mean = mp.fsum(w * share[c] for c, w in weights.items()) / total
    second = mp.fsum(w * share[c] * (a + c + 1) / (a + b + n + 1) for c, w in weights.items()) / total
    sd = mp.sqrt(second - mean**2)
    assert found.mean[0] == pytest.approx(float(mean), rel=1e-9)
    assert found.mean[1] == pytest.approx(float(1 - mean), rel=1e-9)
    np.testing.assert_allclose(found.sd, float(sd), rtol=1e-7)


# Properties at sizes beyond enumeration ---------------------------------------------------------------


def made(k: int, n: int, law: Any, seed: int, spread: float = 1.0) -> tuple[list[int], list[float]]:
    """True and noisy counts."""
    rng = np.random.default_rng(seed)
    counts = rng.multinomial(n, rng.dirichlet(np.full(k, spread)))
    return counts.tolist(), law.publish(counts, rng).tolist()


def assert_same(one: dpbi.NoisyCountsPosterior, other: dpbi.NoisyCountsPosterior, tolerance: float = 1e-9) -> None:
    np.testing.assert_allclose(one.mean, other.mean, rtol=tolerance)
    np.testing.assert_allclose(one.sd, other.sd, rtol=10 * tolerance)
    assert one.total.mean == pytest.approx(other.total.mean, rel=tolerance)


@pytest.mark.parametrize("total", [dpbi.Flat(), 30_000])
def test_order_of_categories_and_measurements_does_not_matter(total: Any) -> None:
    law, k = TwoSidedGeometric(8), 40
    _, first = made(k, 30_000, law, 1)
    _, second = made(k, 30_000, law, 1)
    prior, order = np.linspace(0.2, 3, k), np.random.default_rng(2).permutation(k)
    plain = dpbi.noisy_counts_posterior(prior, [first, second], law, total)
    moved = dpbi.noisy_counts_posterior(prior[order], np.array([second, first])[:, order], law, total)
    np.testing.assert_allclose(moved.mean, plain.mean[order], rtol=1e-9)
    np.testing.assert_allclose(moved.interval(0.9, 0), plain.interval(0.9, int(order[0])), rtol=1e-8)


def test_independent_gaussian_measurements_are_one_of_less_variance() -> None:
    first, second = np.array([812.0, 40, 155, -7]), np.array([800.0, 52, 149, 5])
    twice = dpbi.noisy_counts_posterior([1] * 4, [first, second], Gaussian(10, rounded=False), dpbi.Flat())
    once = dpbi.noisy_counts_posterior([1] * 4, (first + second) / 2, Gaussian(10 / math.sqrt(2), rounded=False),
                                       dpbi.Flat())
    assert_same(twice, once)


def test_precise_measured_total_is_the_total_known() -> None:
    """A total measured without error, or nearly, is a known one."""
    law, (_, values) = DiscreteGaussian(25), made(6, 4_000, DiscreteGaussian(25), 3)
    plain = dpbi.noisy_counts_posterior([1] * 6, values, law, 4_000)
    for measured in (Exact(), TwoSidedGeometric(0.02), DiscreteGaussian(0.01)):
        found = dpbi.noisy_counts_posterior([1] * 6, values, law, dpbi.Flat(), [(range(6), 4_000, measured)])
        assert_same(found, plain)


def test_prior_of_the_total_that_leaves_cells_independent() -> None:
    """A = 1 and a flat prior of n: p(n) n! / Gamma(1 + n) is constant, so that cells are independent (A3)."""
    law = TwoSidedGeometric(5)
    prior, values = (0.25, 0.35, 0.4), (31, -3, 60)
    found = dpbi.noisy_counts_posterior(prior, values, law, dpbi.Flat())
    for alpha, value, marginal in zip(prior, values, found.marginals, strict=True):
        c = np.arange(600)
        log_law = special.gammaln(alpha + c) - special.gammaln(c + 1) - np.abs(value - c) / 5
        weight = np.exp(log_law - log_law.max())
        np.testing.assert_allclose(marginal.probability[:60], (weight / weight.sum())[marginal.counts[:60]], atol=1e-13)


def test_block_of_all_is_the_whole_and_exact_cells_merge() -> None:
    law, (counts, values) = DiscreteGaussian(36), made(12, 5_000, DiscreteGaussian(36), 4)
    whole = dpbi.noisy_counts_posterior([0.5] * 12, values, law, dpbi.Flat())
    assert_same(whole.block(range(12)), whole)
    laws = [Exact(), Exact(), *[law] * 10]
    apart = dpbi.noisy_counts_posterior([0.5] * 12, [*counts[:2], *values[2:]], laws, dpbi.Flat())
    merged = dpbi.noisy_counts_posterior([1.0, *[0.5] * 10], [sum(counts[:2]), *values[2:]], laws[1:], dpbi.Flat())
    np.testing.assert_allclose(apart.mean[2:], merged.mean[1:], rtol=1e-9)
    assert apart.mean[:2].sum() == pytest.approx(merged.mean[0], rel=1e-9)


@pytest.mark.parametrize(("measured", "total_sd"), [(None, np.inf), (40.0, 40.0), (0.0, 0.0)])
def test_first_order_variance(measured: float | None, total_sd: float) -> None:
    """A5, within 2 %: what noise of variances v_i adds, n unknown, measured with sd T, or known."""
    sds, counts = np.array([30.0, 60, 90, 120]), np.array([400_000, 300_000, 200_000, 100_000])
    n = int(counts.sum())
    sums = [(range(4), n, Gaussian(measured))] if measured else []
    found = dpbi.noisy_counts_posterior([1] * 4, counts, [Gaussian(float(sd)) for sd in sds],
                                        n if measured == 0 else dpbi.Flat(), sums)
    share, v = counts / n, sds**2
    o = v / v.sum()
    of_n = 1 / (1 / v.sum() + (1 / total_sd**2 if total_sd else np.inf))
    expected = share * (1 - share) / n + (v * (1 - o) + of_n * (share - o) ** 2) / n**2
    np.testing.assert_allclose(found.sd**2, expected, rtol=0.02)


@pytest.mark.parametrize(("law", "total"), [(DiscreteGaussian(16), 10**6)])
def test_two_thousand_categories(law: Any, total: Any) -> None:
    """Means sum to 1 and are near the truth: within 6 sd all of 2,000 but with probability 4e-6."""
    counts, values = made(2_000, 10**6, law, 5)
    found = dpbi.noisy_counts_posterior([1] * 2_000, values, law, total)
    assert found.error <= 1e-9
    assert found.mean.sum() == pytest.approx(1, abs=1e-9)
    truth = (1 + np.array(counts)) / (2_000 + 10**6)
    z = (found.mean - truth) / found.sd
    assert np.abs(z).max() < 6
    assert z.std() < 1  # true counts are within noise, which is a part of sd


def test_certificate_is_never_below_the_actual_error() -> None:
    """Trees of transforms against the same, summed term by term: total and marginals, over laws, sizes and totals."""
    checked = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        k, scale, n = int(rng.integers(3, 16)), float(10 ** rng.uniform(0.3, 1.3)), int(10 ** rng.uniform(2.5, 5))
        law = (TwoSidedGeometric(scale), DiscreteGaussian(scale**2))[seed % 2]
        counts, values = made(k, n, law, seed)
        total = (n, dpbi.Flat(), dpbi.LogUniform(), dpbi.Poisson(n))[seed // 2 % 4]
        sums = [(range(2), sum(counts[:2]), law)] if seed % 3 == 0 else []
        found = dpbi.noisy_counts_posterior([1] * k, values, law, total, sums)
        tree, row = found.counts.tree, found.counts.row
        if tree.direct:
            continue
        leaves = {i: Leaf(leaf.low, leaf.weight) for i, leaf, _ in tree.messages(row[None])}
        direct = count_tree([leaves[i] for i in range(k)], found.total_law.lowest, found.total_law.highest, found.sums,
                            True)
        wide = np.zeros(direct.root.weight.size)
        inside = slice(tree.root.low - direct.root.low, tree.root.low - direct.root.low + row.size)
        wide[inside] = row
        law_of_total = direct.root.weight * wide
        bound = found.error + 1e-14
        assert np.abs((law_of_total / law_of_total.sum())[inside] - found.total.probability).max() <= bound
        for (i, leaf, (message,)), marginal in zip(
                sorted(direct.messages(wide[None]), key=lambda one: one[0]), found.marginals, strict=True):
            law_of_count = leaf.weight * message
            at = marginal.counts - leaf.low
            assert np.abs((law_of_count / law_of_count.sum())[at] - marginal.probability).max() <= bound, i
        checked += 1
    assert checked >= 5


# Coverage ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("law", [TwoSidedGeometric(2, floor=0), DiscreteGaussian(9, below=5)])
@pytest.mark.parametrize("is_known", [True, False])
def test_coverage_is_the_mass(law: Any, is_known: bool) -> None:
    """Theta and n from their priors: theta's place in its posterior is uniform. False alarms: 1e-6 a comparison."""
    rng, prior, places = np.random.default_rng(31), np.array([0.5, 1, 2]), []
    for _ in range(12):
        n = 50 if is_known else int(rng.integers(0, 101))
        theta = rng.dirichlet(prior)
        values = [None if np.isnan(v) else v for v in law.publish(rng.multinomial(n, theta), rng)]
        found = dpbi.noisy_counts_posterior(prior, values, law, n if is_known else dpbi.Flat(100))
        i = int(rng.integers(3))
        places.append(float(found.cumulative(theta[i], i)))
    assert_p_value(stats.kstest(places, "uniform").pvalue)


# What producers publish -------------------------------------------------------------------------------

TRUE = (1204, 310, 88, 41, 7)
PRODUCERS: dict[str, tuple[list[float | None], Any, Any]] = {
    # csv: group, dp_count; "scale 2.0" of make_laplace on integers
    "OpenDP": ([1203, 313, 86, 41, 8], TwoSidedGeometric(2.0), dpbi.Flat()),
    # csv: bin, count, 95 % accuracy
    "DP Wizard": ([1208, 307, 85, 44, 5], TwoSidedGeometric(noise.scale_of_accuracy(9.0)), dpbi.Flat()),
    # partition_key, count: Laplace on floats, total epsilon 1, one partition, one contribution
    "PipelineDP": ([1203.4, 311.2, 87.1, 40.2, 8.9],
                   Laplace(noise.scale_of_epsilon(1.0, 1.0), rounded=False), dpbi.Flat()),
    # SELECT COUNT(*): two-sided geometric, a row a person
    "SmartNoise": ([1207, 309, 90, 38, 7], TwoSidedGeometric(noise.scale_of_epsilon(0.5)), dpbi.Flat()),
    # rho-zCDP groupby count
    "Tumult": ([1201, 316, 84, 43, 10], DiscreteGaussian(noise.sd_of_rho(0.02) ** 2), dpbi.Flat()),
    # noisy_count(*), cut at 0, rounded
    "SQL noisy_count": ([1206, 308, 89, 37, 0], Laplace(noise.scale_of_epsilon(0.3)), dpbi.Flat()),
    # a column of variances, exact total
    "Census": ([1210, 305, 91, 37, 12], [DiscreteGaussian(v) for v in (40.5, 40.5, 20.25, 20.25, 20.25)], sum(TRUE)),
    # sigma 10, published above 90 only
    "Wikimedia": ([1215, 322, None, None, None], DiscreteGaussian(100, below=91), dpbi.Flat()),
}


@pytest.mark.parametrize("producer", PRODUCERS)
def test_tables_of_known_producers(producer: str) -> None:
    """The counts it was made from are believed, and the mean counts are those of plain convolutions."""
    values, law, total = PRODUCERS[producer]
    found = dpbi.noisy_counts_posterior([1] * 5, values, law, total)
    for i, (marginal, count) in enumerate(zip(found.marginals, TRUE, strict=True)):
        below = float(marginal.probability[marginal.counts < count].sum())
        at = float(marginal.probability[marginal.counts == count].sum())
        assert below < 0.999 and below + at > 0.001, i
    assert found.misfit < 4
    laws = law if isinstance(law, list) else [law] * 5
    np.testing.assert_allclose(found.mean_counts, mean_counts_by_folding([1.0] * 5, values, laws, total), rtol=1e-7)


def mean_counts_by_folding(prior: list[float], values: list[float | None], laws: list[Any], total: Any) -> Any:
    """E c_i: plain convolutions of Gamma(alpha + c) / c! L(c) in long doubles, no tilt, no windows, up to n = 2,400."""
    largest = 2_400
    c = np.arange(largest + 1)
    cells = [np.exp(oracles.log_rising(a, largest) + law.log_likelihood(v, c)) for a, v, law in
             zip(prior, values, laws, strict=True)]
    h = np.exp(-oracles.log_rising(sum(prior), largest)) * ((c == total) if isinstance(total, int) else 1.0)

    def total_of(weights: list[Any]) -> Any:
        folded = np.ones(1)
        for weight in weights:
            folded = np.convolve(folded, weight)[:largest + 1]
        return folded @ h

    plain = total_of(cells)
    return [float(total_of([w * c if j == i else w for j, w in enumerate(cells)]) / plain) for i in range(len(cells))]


# The whole range, and what is refused -----------------------------------------------------------------


@pytest.mark.parametrize(("values", "law", "total"), [
    ((10**12, -(10**12)), TwoSidedGeometric(1e-3), dpbi.Flat()),
    ((10**12, 10**12), DiscreteGaussian(1e-6), 2 * 10**12),
    ((10**12, 3), Gaussian(1e-3, rounded=False), dpbi.LogUniform()),
    ((10**12, 5 * 10**11), Laplace(10), dpbi.Flat()),
    ((0, 0), TwoSidedGeometric(3, floor=0), dpbi.Flat()),
    ((None, None, None), Gaussian(4, below=10), dpbi.Flat(50)),
    ((-500, -300), TwoSidedGeometric(2), dpbi.Flat()),
    ((70, 60), TwoSidedGeometric(3), dpbi.Flat(10)),
    ((70, 60), TwoSidedGeometric(3), dpbi.Flat(10**15)),
    ((5, 5), TwoSidedGeometric(1e5), 0),
])
def test_extreme_tables_are_read(values: tuple[Any, ...], law: Any, total: Any) -> None:
    found = dpbi.noisy_counts_posterior([1] * len(values), values, law, total)
    assert found.mean.sum() == pytest.approx(1, abs=1e-9)
    assert found.error <= 1e-9
    for i in range(len(values)):
        low, high = found.interval(0.9, i)
        assert 0 <= low <= high <= 1
        assert low <= found.mean[i] + 3 * found.sd[i] and high >= found.mean[i] - 3 * found.sd[i]


def test_noise_wider_than_everything_says_nothing() -> None:
    """Scale 1e6 on 40 records, n known: the prior predictive remains."""
    found = dpbi.noisy_counts_posterior((1, 2, 3), (-7, 10**4, 400), TwoSidedGeometric(1e9), 40)
    np.testing.assert_allclose(found.mean, np.array([1, 2, 3]) / 6, rtol=1e-4)


@pytest.mark.parametrize(("prior", "values", "law", "total", "said"), [
    ([1] * 2, (30, 5), Exact(), 20, "agree"),
    ([1] * 2, (30, 1000), [Exact(), DiscreteGaussian(4)], 20, "agree"),
    ([1] * 2, (None, None), TwoSidedGeometric(2), dpbi.Flat(), "improper"),
    ([1] * 2, (5, 1.5), TwoSidedGeometric(2), dpbi.Flat(), "whole number"),
    ([1] * 2, (5, 3), TwoSidedGeometric(1e9), dpbi.Flat(), "too wide.*Give the number of records"),
])
def test_what_cannot_be_read_is_refused_in_words(
    prior: list[float], values: Any, law: Any, total: Any, said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        dpbi.noisy_counts_posterior(prior, values, law, total)


@pytest.mark.parametrize(("k", "n", "sigma"), [(10, 10**6, 10.0), (10, 20_000, 60.0)])
def test_intervals_of_large_tables_hold_as_many_draws_as_they_say(k: int, n: int, sigma: float) -> None:
    """Draws go from the root of the tree down, intervals by few Betas: two routes. False alarms: 1e-6 an end."""
    rng = np.random.default_rng(3)
    values = (rng.multinomial(n, rng.dirichlet(np.ones(k))) + np.rint(rng.normal(0, sigma, k))).tolist()
    read = dpbi.noisy_counts_posterior((1.0,) * k, values, DiscreteGaussian(sigma**2), dpbi.Flat())
    theta = read.sample(rng, 20_000)
    for i in (0, int(np.argmax(values))):
        low, high = read.interval(0.95, i)
        for outside in ((theta[:, i] < low).sum(), (theta[:, i] > high).sum()):
            assert 5e-7 < stats.binom.cdf(outside, 20_000, 0.025) < 1 - 5e-7
