"""Laws of noise that others added, against 50 digits, sums, and each other; and what is computed of many cells at once.

The digits come from other routes: geometric series, erfc at 80 digits, sums term by term, and for wide discrete
Gaussians the formula of Abel and Plana, where the product uses that of Euler and Maclaurin.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import mpmath  # type: ignore[import-untyped]
import numpy as np
import pytest

from dpbi import noise
from dpbi.mechanisms.likelihood import MeasuredLikelihood
from dpbi.noise import DiscreteGaussian, Exact, Gaussian, Laplace, NoiseLaw, TwoSidedGeometric
from tests.goodness_of_fit import assert_frequencies, assert_mean

ANY: Any = noise  # for arguments of a wrong type
mp = mpmath.mp.clone()
mp.dps = 50
Real = Any  # an mpmath number
T, T_WEIGHTS = (4 * (part + shift) for part, shift in zip(np.polynomial.legendre.leggauss(80), (1, 0), strict=True))

LAWS: dict[str, Callable[..., NoiseLaw]] = {
    "two-sided geometric": TwoSidedGeometric,
    "discrete Gaussian": lambda scale, **how: DiscreteGaussian(scale**2, **how),
    "Laplace": lambda scale, **how: Laplace(scale, rounded=False, **how),
    "rounded Laplace": Laplace,
    "Gaussian": lambda scale, **how: Gaussian(scale, rounded=False, **how),
    "rounded Gaussian": Gaussian,
}
WHOLE = [name for name in LAWS if LAWS[name](1.0).whole]
every_law = pytest.mark.parametrize("name", LAWS)


# --- 50 digits ---


def geometric(d: int, s: Real) -> tuple[Real, Real, Real]:
    q = mp.exp(-1 / s)
    upper = q ** (d + 1) / (1 + q)  # from d = 0 on
    return (1 - q) / (1 + q) * q ** abs(d), q**-d / (1 + q) if d < 0 else 1 - upper, upper


def laplace(d: Real, s: Real) -> tuple[Real, Real, Real]:
    lower, upper = (mp.exp(-abs(d) / s) / 2, 1 - mp.exp(-abs(d) / s) / 2)[:: 1 if d < 0 else -1]
    return mp.exp(-abs(d) / s) / (2 * s), lower, upper


def gaussian(d: Real, s: Real) -> tuple[Real, Real, Real]:
    z = d / s / mp.sqrt(2)
    return mp.exp(-(z**2)) / (s * mp.sqrt(2 * mp.pi)), mp.erfc(-z) / 2, mp.erfc(z) / 2


def rounded(law: Callable[[Real, Real], tuple[Real, Real, Real]]) -> Callable[[int, Real], tuple[Real, Real, Real]]:
    def law_of_rounded(d: int, s: Real) -> tuple[Real, Real, Real]:
        half = mp.mpf(1) / 2
        _, below, above = law(d + half, s)
        near = -abs(d) + half  # on the side where the tail is small
        return law(near, s)[1] - law(near - 1, s)[1], below, above

    return law_of_rounded


@cache
def normaliser(s: Real) -> Real:
    if s > 30:  # beside the integral, e^{-2 pi^2 900}
        return s * mp.sqrt(2 * mp.pi)
    return 1 + 2 * mp.fsum(mp.exp(-(mp.mpf(j) ** 2) / (2 * s**2)) for j in range(1, int(11 * s) + 3))


def discrete_gaussian(d: int, s: Real) -> tuple[Real, Real, Real]:
    def tail(c: int) -> Real:
        """P(D >= c) by terms, or by Abel and Plana: f(c)/2 + integral - 2 Im of f(c + it) / (e^{2 pi t} - 1)."""
        if c <= 0:
            return 1 - tail(1 - c)
        here = mp.exp(-(mp.mpf(c) ** 2) / (2 * s**2))
        if s < 30 or c > 2 * s**2:
            last = int(2 * 50 * s**2 / (c + mp.sqrt(c**2 + 100 * s**2))) + 2
            total = mp.fsum(mp.exp(-mp.mpf(j * (2 * c + j)) / (2 * s**2)) for j in range(last))
        else:
            integral = s * mp.sqrt(mp.pi / 2) * mp.erfc(c / s / mp.sqrt(2)) / here
            swing = np.exp(T**2 / (2 * float(s) ** 2)) * np.sin(T * float(c / s**2)) / np.expm1(2 * np.pi * T)
            total = integral + mp.mpf(1) / 2 + 2 * float(T_WEIGHTS @ swing)
        return here * total / normaliser(s)

    return mp.exp(-(mp.mpf(d) ** 2) / (2 * s**2)) / normaliser(s), tail(-d), tail(d + 1)


DIGITS = {"two-sided geometric": geometric, "discrete Gaussian": discrete_gaussian, "Laplace": laplace,
          "rounded Laplace": rounded(laplace), "Gaussian": gaussian, "rounded Gaussian": rounded(gaussian)}  # fmt: skip


def assert_log(found: float, probability: Real, other: Real) -> None:
    """found is log(probability), other 1 - probability: to its last digits, also where it is nearly 0.

    Where the log is -1e6, a digit of its own is 1e-10 of the probability.
    """
    exact = mp.log(probability) if probability < 0.5 else mp.log1p(-other)
    unit = max(1, abs(exact)) if probability < 0.5 else abs(exact) * max(1, abs(mp.log(other)))
    assert np.isfinite(found)
    assert abs(found - exact) <= 3e-15 * unit or exact > -1e-300, (found, exact)


@every_law
def test_probabilities_and_tails_have_all_their_digits(name: str) -> None:
    """From the middle to tails of e^-1e6 and beyond, both sides."""
    for scale in (1e-3, 0.037, 0.08, 0.99, 1.0, 3.99, 4.01, 37.0, 800.0, 1e5, 3e6, 1e9):
        law, reference = LAWS[name](scale), DIGITS[name]
        far = 1_400 if "Gaussian" in name else 1_000_000
        places = {float(np.ceil(scale * z)) for z in (0.4, 1.1, 4, 37, far)} | {0.0, 1.0, 2.0}
        with mp.workdps(80):
            s = mp.sqrt(mp.mpf(law.parameter)) if name == "discrete Gaussian" else mp.mpf(law.parameter)
            for d in sorted({*places, *(-place for place in places)}):
                mass, lower, upper = reference(int(d) if law.whole else mp.mpf(d), s)
                found = float(law.log_probability(d))
                if law.whole:
                    assert_log(found, mass, 1 - mass)
                else:
                    assert abs(found - mp.log(mass)) <= 3e-15 * max(1, abs(mp.log(mass)))
                assert_log(float(law.log_at_most(d)), lower, upper if d >= 0 else 1 - lower)


# --- sums ---


@pytest.mark.parametrize("name", WHOLE)
def test_probabilities_add_up(name: str) -> None:
    """To P(D <= d), to 1, and to the variance: of rounded noise with its rounding, which ``sd`` leaves out."""
    for scale in (0.05, 0.3, 1.0, 3.99, 4.01, 17.0):
        law = LAWS[name](scale)
        d = np.arange(-int(50 * scale) - 10, int(50 * scale) + 11)
        mass = np.exp(law.log_probability(d))
        earlier = np.exp(law.log_at_most(d[0] - 1))
        assert earlier < 1e-20
        assert mass.sum() == pytest.approx(1, abs=1e-14)
        assert np.allclose(np.exp(law.log_at_most(d)), earlier + np.cumsum(mass), rtol=2e-13, atol=1e-300)
        assert np.allclose(law.log_at_most(d + 0.7), law.log_at_most(d), rtol=0, atol=0)
        assert np.isneginf(law.log_probability(d + 0.5)).all()
        if not name.startswith("rounded"):
            assert law.sd == pytest.approx(np.sqrt(mass @ d**2), rel=1e-13)


@every_law
def test_nothing_is_impossible_however_far(name: str) -> None:
    """At counts and values as large as they may be: finite, falling, and no warning."""
    for scale in (1e-3, 1.0, 60.0, 1e9):
        law, far = LAWS[name](scale), np.array([1e12, 9e12, 1e15, 9e15])
        for log in (law.log_probability(far), law.log_probability(-far), law.log_at_most(-far)):
            assert np.isfinite(log).all()
            assert (np.diff(log) < 0).all()
        assert (law.log_at_most(far) <= 0).all()


@every_law
def test_standard_deviations_of_wide_noise(name: str) -> None:
    law, factor = LAWS[name](1e7), 1 if "Gaussian" in name else np.sqrt(2)
    assert law.sd == pytest.approx(factor * 1e7, rel=1e-14)


@pytest.mark.parametrize("name", ["Laplace", "Gaussian"])
def test_densities_integrate_to_what_lies_between(name: str) -> None:
    for scale in (1e-3, 2.0, 1e9):
        law = LAWS[name](scale)
        nodes, weights = np.polynomial.legendre.leggauss(40)
        for low, high in ((-3.0, -1.0), (0.0, 0.5), (1.0, 3.0)):
            at = scale * (low + (high - low) * (nodes + 1) / 2)
            between = scale * (high - low) / 2 * weights @ np.exp(law.log_probability(at))
            ends = np.exp(law.log_at_most([scale * low, scale * high]))
            assert between == pytest.approx(ends[1] - ends[0], rel=1e-12)


# --- what was published ---


def publications(law: NoiseLaw, counts: np.ndarray) -> np.ndarray:
    """P(value | c) summed over every value that the law can publish, None among them; -60..60 holds the noise."""
    values = [value for value in range(-60, 121) if may_be_published(law, value)]
    parts = np.sum([np.exp(law.log_likelihood(value, counts)) for value in values], axis=0)
    return np.asarray(parts) + (0.0 if law.below is None else np.exp(law.log_likelihood(None, counts)))


def may_be_published(law: NoiseLaw, value: int) -> bool:
    try:
        law.check_value("value", value)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("how", [{}, {"floor": 0}, {"below": 5}, {"below": -2}, {"floor": 0, "below": 5}])
def test_all_that_can_be_published_has_probability_one(name: str, how: dict[str, int]) -> None:
    law, counts = LAWS[name](1.3, **how), np.arange(60)
    assert publications(law, counts) == pytest.approx(1, abs=1e-13)
    d = np.arange(-60, 61)
    mass = np.exp(law.log_probability(d))
    for c in (0, 3, 7):
        hidden = mass[c + d < how["below"]].sum() if "below" in how else 0
        if "below" in how:
            assert np.exp(law.log_likelihood(None, c)) == pytest.approx(hidden, rel=1e-12)
        elif "floor" in how:
            assert np.exp(law.log_likelihood(0, c)) == pytest.approx(mass[c + d <= 0].sum(), rel=1e-12)
        assert np.exp(law.log_likelihood(9, c)) == pytest.approx(mass[d == 9 - c][0], rel=1e-12)


@pytest.mark.parametrize("name", ["Laplace", "Gaussian"])
def test_unrounded_values_that_were_cut_or_withheld(name: str) -> None:
    law, counts = LAWS[name](2.0), np.arange(9)
    assert np.array_equal(LAWS[name](2.0, floor=0).log_likelihood(0, counts), law.log_at_most(-counts))
    assert np.array_equal(LAWS[name](2.0, below=4.5).log_likelihood(None, counts), law.log_at_most(4.5 - counts))
    assert np.array_equal(LAWS[name](2.0, floor=0).log_likelihood(0.1, counts), law.log_probability(0.1 - counts))


def test_exact_counts_and_suppressed_ones() -> None:
    counts = np.arange(5)
    assert np.exp(Exact().log_likelihood(3, counts)).tolist() == [0, 0, 0, 1, 0]
    assert np.exp(Exact(below=3).log_likelihood(None, counts)).tolist() == [1, 1, 1, 0, 0]


@every_law
def test_withheld_without_a_bound_says_nothing(name: str) -> None:
    assert not LAWS[name](2.0).log_likelihood(None, np.arange(4)).any()


# --- many cells at once ---


def table(rows: int, k: int) -> tuple[np.ndarray, tuple[tuple[NoiseLaw, ...], ...]]:
    """Cells of all kinds in all forms, each with its own parameter."""
    rng = np.random.default_rng(31)
    hows: list[dict[str, int]] = [{}, {"floor": 0}, {"below": 12}, {"floor": 0, "below": 12}]
    kinds = [*LAWS.values(), lambda scale, **how: Exact(below=how.get("below"))]
    laws = tuple(tuple(kinds[(i + j) % len(kinds)](2 + 9 * rng.random(), **hows[(i // 3) % 4]) for i in range(k))
                 for j in range(rows))
    counts = rng.integers(0, 40, k)
    values = np.array([[float(law.publish(c, rng)) for law, c in zip(row, counts, strict=True)] for row in laws])
    values[0, 5] = np.nan  # withheld, whether there is a bound or not
    return values, laws


def test_cells_together_are_the_cells_one_by_one() -> None:
    values, laws = table(2, 60)
    likelihood = MeasuredLikelihood(values, laws)
    counts = np.arange(60)[:, None] // 2 + np.array([0, 1, 5, 300, 9 * 10**15])
    wanted = np.sum([[law.log_likelihood(None if np.isnan(value) else value, c)
                      for law, value, c in zip(row, line, counts, strict=True)]
                     for row, line in zip(laws, values, strict=True)], axis=0)
    every = np.arange(60)
    for found in (
        likelihood.log_terms(counts, every[:, None]),
        likelihood.log_terms(counts.T, every).T,
        np.array([likelihood.log_terms(counts[i], np.array(i)) for i in every]),
        np.array([likelihood.log_terms(column, every) for column in counts.T]).T,
        likelihood.log_terms(counts[None], every[None, :, None])[0],
        np.array([[likelihood.log_terms(c, np.array(i)) for c in counts[i]] for i in every]),
    ):
        assert np.array_equal(np.isneginf(found), np.isneginf(wanted))
        possible = np.isfinite(wanted)
        assert possible.sum() > 100
        assert np.allclose(found[possible], wanted[possible], rtol=1e-14, atol=1e-14)


def test_terms_are_concave_on_either_side_of_a_kink() -> None:
    """Chords lie below: what the search for windows relies on."""
    values, laws = table(3, 60)
    likelihood, counts, every = MeasuredLikelihood(values, laws), np.arange(120), np.arange(60)
    assert likelihood.kinks.shape == (3, 60) and likelihood.kinks.min() >= 0
    terms = likelihood.log_terms(counts[:, None], every)
    with np.errstate(invalid="ignore"):
        bend = terms[2:] - 2 * terms[1:-1] + terms[:-2]
    inside = ~(counts[1:-1, None, None] == likelihood.kinks).any(axis=1) & np.isfinite(bend)
    assert inside.sum() > 3_000
    assert bend[inside].max() <= 1e-10


def test_a_table_that_says_nothing_has_likelihood_one() -> None:
    likelihood = MeasuredLikelihood(np.full((1, 2), np.nan), ((Gaussian(1.0), Exact()),))
    assert not likelihood.log_terms(np.arange(6).reshape(3, 2), np.arange(2)).any()
    assert likelihood.kinks.tolist() == [[0, 0]]


# --- draws: false-alarm rate 1e-6 a comparison (goodness_of_fit) ---


@every_law
def test_draws_follow_the_law(name: str) -> None:
    for scale in (0.02, 0.7, 5.0, 1e9):
        law = LAWS[name](scale)
        drawn = law.sample(np.random.default_rng(3), (4_000,))
        assert drawn.dtype == (np.int64 if law.whole else np.float64)
        edges = np.unique(np.floor(scale * np.linspace(-3, 3, 13)) if law.whole else scale * np.linspace(-3, 3, 13))
        observed = np.bincount(np.searchsorted(edges, drawn), minlength=edges.size + 1)
        assert_frequencies(observed, np.diff(np.exp(law.log_at_most(edges)), prepend=0, append=1))


def test_what_is_published_is_cut_and_withheld() -> None:
    rng, counts = np.random.default_rng(4), np.full(4_000, 3)
    plain, cut = DiscreteGaussian(16.0), DiscreteGaussian(16.0, floor=0).publish(counts, rng)
    assert cut.min() == 0
    probability = float(np.exp(plain.log_at_most(-3)))
    assert_mean((cut == 0).astype(float), probability, np.sqrt(probability * (1 - probability)))
    shown = DiscreteGaussian(16.0, below=5).publish(counts, rng)
    assert np.nanmin(shown) == 5
    probability = float(np.exp(plain.log_at_most(1)))
    assert_mean(np.isnan(shown).astype(float), probability, np.sqrt(probability * (1 - probability)))
    for shape in ((), (3,), (2, 0), (2, 3)):
        assert plain.sample(rng, shape).shape == shape


# --- from what people have to the parameter ---


@pytest.mark.parametrize("alpha", [0.5, 0.05, 1e-9])
def test_an_accuracy_is_reached_with_probability_alpha(alpha: float) -> None:
    """2 q^a / (1 + q) of a two-sided geometric law, as OpenDP's functions have it for any a."""
    for accuracy in (0.03, 1.0, 3.4, 60.0, 1e6):
        scale = noise.scale_of_accuracy(accuracy, alpha)
        q = mp.exp(-1 / mp.mpf(scale))
        assert 2 * q**accuracy / (1 + q) == pytest.approx(alpha, rel=1e-12 * max(1, 1 / scale))
        plain = noise.scale_of_accuracy(accuracy, alpha, discrete=False)
        for law in (Laplace(plain, rounded=False), Gaussian(noise.sd_of_accuracy(accuracy, alpha), rounded=False)):
            assert 2 * np.exp(law.log_at_most(-accuracy)) == pytest.approx(alpha, rel=1e-12)
        if scale > 1e-3 and accuracy == int(accuracy):
            assert 2 * np.exp(TwoSidedGeometric(scale).log_at_most(-accuracy)) == pytest.approx(alpha, rel=1e-9)


def test_accuracies_of_the_scales_that_opendp_documents() -> None:
    """-s log(alpha), s log(2 / (alpha (e^{1/s} + 1))) + 1 and s sqrt(2) erfinv(1 - alpha), at s = 20 and alpha .05."""
    assert noise.scale_of_accuracy(-20 * np.log(0.05), discrete=False) == pytest.approx(20, rel=1e-14)
    assert noise.scale_of_accuracy(20 * np.log(40 / (np.exp(0.05) + 1)) + 1) == pytest.approx(20, rel=1e-13)
    assert noise.sd_of_accuracy(20 * float(mp.sqrt(2) * mp.erfinv(0.95))) == pytest.approx(20, rel=1e-14)


@pytest.mark.parametrize("scale", [0.05, 0.4, 1.0, 25.0, 1e8])
def test_a_standard_deviation_is_that_of_its_scale(scale: float) -> None:
    sd = max(scale, 1e-3)
    assert TwoSidedGeometric(noise.scale_of_sd(sd)).sd == pytest.approx(sd, rel=1e-13)
    assert Laplace(noise.scale_of_sd(sd, discrete=False)).sd == pytest.approx(sd, rel=1e-14)


@pytest.mark.parametrize("sensitivity", [1, 2, 7])
def test_an_epsilon_is_the_loss_of_the_noise(sensitivity: int) -> None:
    law = TwoSidedGeometric(noise.scale_of_epsilon(0.3, sensitivity))
    loss = law.log_probability(np.arange(-20, 21)) - law.log_probability(np.arange(-20, 21) + sensitivity)
    assert loss.max() == pytest.approx(0.3, rel=1e-12)


@pytest.mark.parametrize("sensitivity", [1, 3])
def test_a_rho_is_the_divergence_of_the_noise(sensitivity: int) -> None:
    """Of order 1: E[log P(D) - log P(D - sensitivity)] = rho, for shifts by whole numbers."""
    law = DiscreteGaussian(noise.sd_of_rho(0.2, sensitivity) ** 2)
    d = np.arange(-200, 201)
    log_mass = law.log_probability(d)
    loss = log_mass - law.log_probability(d - sensitivity)
    assert np.exp(log_mass) @ loss == pytest.approx(0.2, rel=1e-12)


# --- refusals ---


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: TwoSidedGeometric(0), "scale must be greater than 0: got 0"),
        (lambda: TwoSidedGeometric(9e-4), r"scale must be at least 0\.001: got 0\.0009"),
        (lambda: Laplace(2e9), r"scale is too large: at most 1e\+09 is supported, got 2000000000"),
        (lambda: Gaussian(-1.0), "sd must be greater than 0: got -1"),
        (lambda: DiscreteGaussian(9e-7), "variance must be at least 1e-06: got 9e-07"),
        (lambda: DiscreteGaussian(1.1e18), "variance is too large"),
        (lambda: ANY.Laplace("2"), "scale must be a number"),
        (lambda: ANY.Laplace(2.0, rounded="no"), "rounded must be one of True, False: got 'no'"),
        (lambda: TwoSidedGeometric(1.0, floor=1), "floor is too large: at most 0 is supported, got 1"),
        (lambda: TwoSidedGeometric(1.0, below=4.5), r"below must be a whole number: got 4\.5"),
        (lambda: Gaussian(1.0, floor=0, below=0), "below must be greater than 0 where floor is 0"),
        (lambda: Exact(below=0), "below must be at least 1 where counts are exact"),
        (lambda: TwoSidedGeometric(1.0).check_value("values[3]", 2.5), r"values\[3\] must be a whole number"),
        (lambda: TwoSidedGeometric(1.0).check_value("values[3]", "<5"), r"values\[3\] must be a number"),
        (lambda: Gaussian(1.0).check_value("values[3]", 1e13), r"values\[3\] is too large: at most 1,000,000,000,000"),
        (lambda: Gaussian(1.0, floor=0).check_value("values[3]", -2), r"values\[3\] must be at least 0, since lower"),
        (lambda: Laplace(1.0, below=90).check_value("values[3]", 89), r"values\[3\] must be at least 90, since what"),
        (lambda: Exact().check_value("values[3]", -1), r"values\[3\] must be at least 0, since it is a count"),
        (lambda: Gaussian(1.0).log_likelihood(3, [-1]), r"counts must lie within 0 and"),
        (lambda: noise.scale_of_epsilon(0), "epsilon must be greater than 0"),
        (lambda: noise.scale_of_epsilon(1, 0), "sensitivity must be greater than 0"),
        (lambda: noise.scale_of_accuracy(3, 1), "alpha must lie strictly between 0 and 1"),
    ],
)
def test_what_is_no_noise_is_refused(call: Callable[[], Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        call()


@every_law
@pytest.mark.parametrize("how", [{}, {"floor": 0}, {"below": 5}, {"floor": 0, "below": 5}])
def test_a_law_is_written_as_it_is_made(name: str, how: dict[str, int]) -> None:
    law = LAWS[name](2.5, **how)
    assert eval(repr(law), vars(noise)) == law
    assert repr(Laplace(2.5, rounded=False, floor=0)) == "Laplace(scale=2.5, rounded=False, floor=0)"
    assert repr(Exact()) == "Exact()"


@every_law
def test_withheld_values_are_always_possible(name: str) -> None:
    assert LAWS[name](1.0).check_value("values[0]", None) is None
