"""The claims, attacked: counter-examples from far outside the grids, and what rounding may not decide."""

import itertools
import math
from functools import partial
from typing import Any

import numpy as np
import pytest

from dpbi.papers.claims import CLAIMS, Reading, Setting
from dpbi.papers.claims.claim import at_most, equal, true
from dpbi.papers.claims.heavy_prior import _log_total, heavy_prior_delta
from dpbi.problem.problem import Problem
from tests import oracles
from tests.papers.test_claims import (
    BY_NAME,
    float_distances,
    large_selection,
    m_h,
    noisy_distances,
    numbers_of,
    of_distance,
)


def look(name: str, prior: tuple[float, ...], counts: tuple[int, ...], **numbers: float) -> Reading:
    return BY_NAME[name].check(Setting(Problem(prior, counts), **numbers))


def test_posteriors_that_cross_beside_1_are_far_apart_in_total_variation() -> None:
    """Of Beta(9e11, 1) nearly all lies below 1 - 1e-15, of Beta(9e11, 3e-7) nearly none."""
    reading = look("Hellinger distance bounds total variation", (9.161e11, 2.752e-07), (32, 1))
    assert reading.holds
    assert max(numbers_of(one)["total variation"] for one in reading.cases) > 0.999


# --- the counter-examples that independent code found ---


@pytest.mark.parametrize(("prior", "m", "epsilon"), [
    ((1, 1), 609, 0.1), ((1, 1), 621, 0.5), ((1, 1), 798, 1.0), ((1, 1), 1540, 2.0), ((1, 1), 5000, 1.0)])
def test_the_upper_bound_for_EHD_breaks_at_large_n(prior: tuple[float, ...], m: int, epsilon: float) -> None:
    """Theorem 4.5; P(H < t) listed by plain log-gammas."""
    a, sizes = prior[0] + m, np.arange(2 * m + 1)
    lgamma = np.vectorize(math.lgamma)
    other = np.stack([prior[0] + sizes, prior[1] + 2 * m - sizes])
    log_bc = sum(lgamma((a + row) / 2) - (lgamma(row) + math.lgamma(a)) / 2 for row in other)
    weight = np.exp(-epsilon * np.sqrt(-np.expm1(np.minimum(log_bc, 0))) / (2 * math.sqrt(1 - math.pi / 4)))
    exact = float(weight[m - 1: m + 2].sum() / weight.sum())
    assert exact > 3 * math.exp(epsilon) / (2 * m)
    reading = look("EHD within k steps, at most", prior, (m, m), epsilon=epsilon)
    numbers = next(dict(one.numbers) for one in reading.cases if dict(one.inputs)["k"] == 1)
    assert not reading.holds and numbers["exact"] == pytest.approx(exact, rel=1e-6)
    assert BY_NAME["EHD within k steps, at most"].finding.kind == "fails"


@pytest.mark.parametrize(("prior", "counts", "r", "t", "exact", "bound"), [
    ((1.0, 2.0), (21, 20), (2, 39), (0, 41), 0.045658, 0.023994),
    ((7.0, 4.0), (27, 30), None, None, 0.03196, 0.01679)])
def test_the_notes_dilation_fails(prior: Any, counts: Any, r: Any, t: Any, exact: float, bound: float) -> None:
    found = look("The notes' dilation property", prior, counts, epsilon=0.1).decisive
    numbers, inputs = numbers_of(found), dict[str, Any](found.inputs)
    assert numbers["exact"] == pytest.approx(exact, abs=2e-5)
    assert numbers["claimed bound"] == pytest.approx(bound, abs=2e-5)
    x = inputs | {"epsilon": 0.1}
    assert float(of_distance(x, inputs["r"])) == pytest.approx(numbers["exact"], rel=1e-8)
    allowed = math.exp(0.05) * float(of_distance(x, inputs["t"])) + 5e-9
    assert allowed == pytest.approx(numbers["claimed bound"], rel=1e-8)
    assert (r, t) in (((inputs["r"]), (inputs["t"])), (None, None))
    assert BY_NAME["The notes' dilation property"].finding.kind == "fails"


@pytest.mark.parametrize(("prior", "counts", "ratio"), [((0.5, 0.5), (2, 48), 2.2993), ((0.01, 0.01), (2, 11), 2.714)])
def test_ELap_exceeds_twice_its_reach_though_gamma_is_small(prior: Any, counts: Any, ratio: float) -> None:
    name = "ELap(x)/LS(x) is of the order of ln(1/gamma)/epsilon"
    reading = look(name, prior, counts, epsilon=8.0, delta=math.exp(-8.8))
    assert not reading.holds and dict(reading.numbers)["ELap/LS"] == pytest.approx(ratio, abs=5e-4)
    assert BY_NAME[name].finding.label == "fails"


@pytest.mark.parametrize("name", [
    "From which size on LSHist beats EHD", "Below which size EHD beats LSHist",
    "From which size on LSHist beats EHD within LS(x)"])
def test_a_corollary_about_balanced_data_does_not_speak_of_others(name: str) -> None:
    """At (0, 20), epsilon = 0.1, k = 1 LSHist has 0.5906 and EHD 0.1025, which its stated size does not foresee."""
    assert "balanced data (m, m)" in BY_NAME[name].statement
    with pytest.raises(ValueError, match="balanced data"):
        look(name, (1, 1), (0, 20), epsilon=0.1)


def test_a_condition_is_said_to_be_necessary_only_where_the_converse_was_seen() -> None:
    """One parameter below 1 does not break EHD with the papers' constant at every n; so "if", not "only if"."""
    for claim in CLAIMS:
        finding = claim.finding
        others = finding.visited - finding.visited_within, finding.held - finding.held_within
        assert ("only if" in finding.label) == (finding.kind == "holds if" and others[0] > 0 and others[1] == 0)
    for name in ("EHD keeps epsilon with sqrt(1 - pi/4)", "The noise written as Lap(epsilon/2) keeps epsilon",
                 "Every candidate but the truth has a twin", "The global sensitivity equals sqrt(1 - pi/4)"):
        assert BY_NAME[name].finding.kind == "holds if" and not BY_NAME[name].finding.only


def test_the_notes_own_beta_breaks_delta_in_the_limit_of_a_heavy_prior() -> None:
    name = "(epsilon, delta) with n + 1 in beta for every k"
    reading = look(name, (1.0,) * 300, (10_000,) + (0,) * 299, epsilon=8.6, delta=0.8)
    assert not reading.holds and numbers_of(reading)["exact delta"] > 0.93
    assert BY_NAME[name].finding.kind == "fails"


@pytest.mark.parametrize(("light", "epsilon", "most"), [(2, 4.0, 40), (3, 6.0, 24), (4, 8.0, 16)])
def test_the_limit_of_a_heavy_prior_by_listing(light: int, epsilon: float, most: int) -> None:
    points = np.array(list(itertools.product(range(most), repeat=light)), dtype=float)
    moved = points - np.eye(light)[0]
    beta = 0.36  # above ln(2)/2: S(x) = 1
    a, b = epsilon / 2, epsilon / (2 * math.sqrt(2))
    p, q = (np.exp(-rate * np.linalg.norm(at, axis=1)) for rate, at in ((a, points), (b, moved)))
    assert _log_total(light, a, 0) == pytest.approx(math.log(p.sum()), rel=1e-9)
    assert _log_total(light, b, 1) == pytest.approx(math.log(q.sum()), rel=1e-6)
    laws = p / p.sum(), q / q.sum()
    exact = max(np.maximum(one - math.exp(epsilon) * other, 0).sum() for one, other in (laws, laws[::-1]))
    assert heavy_prior_delta(light, epsilon, beta) == pytest.approx(exact, rel=1e-6, abs=1e-12)


def test_what_the_paper_does_not_print_is_ours() -> None:
    ceiling = BY_NAME["ELap(x) is at most the farthest of ln(1/gamma)/epsilon steps"]
    assert "prints no such rounding" in ceiling.statement and "ours" in ceiling.source
    assert BY_NAME[f"{ceiling.name}, as printed"].finding.kind == "fails"
    assert "ours above k = 2" in BY_NAME["(epsilon, delta) for the exponential smooth sensitivity"].source
    assert not any("needs its scale" in claim.name for claim in CLAIMS), "no paper says so"


def test_lemma_5_5_is_decided_by_its_inequality_and_never_by_a_number_that_is_none() -> None:
    for name in ("The printed delta of M_H is a probability", "M_H keeps the printed epsilon' and delta",
                 "M_H keeps the printed epsilon' alone", "Lemma 5.5 has a delta"):
        finding = BY_NAME[name].finding
        for one in (finding.counterexample, finding.worst, finding.nearest, finding.example):
            assert one is None or all(value == value for _, value in one.numbers)
    printed = numbers_of(look("M_H keeps the printed epsilon' alone", (1, 1), (2, 3)))["printed epsilon'"]
    assert printed > math.log(4) + 0.5


# --- what rounding may have made decides nothing ---


def test_margins_within_rounding_decide_nothing() -> None:
    assert equal(1.0, 1.0 + 1e-12) == 1.0 and equal(1.0, 1.0 + 1e-7) == 0.0 and equal(1.0, 1.1) < -0.05
    assert true(True) > 0 > true(False)
    assert [at_most(*of) for of in ((1.0, 1.0), (1.0, 2.0), (2.0, 1.0), (0.0, 0.0))] == [0, 0.5, -0.5, 0]
    tight = BY_NAME["LSZhang keeps epsilon"].finding
    assert tight.undecided and f"Left out: {tight.undecided}" in tight.words


def test_equal_doubles_near_1_are_no_equal_distances() -> None:
    """(3000, 3000): from some thousand records on H is 1 to the last digit, on both sides."""
    assert look("At most two candidates share a distance", (1, 1), (3000, 3000)).holds
    assert look("Equal scores, equal probabilities", (1, 2), (2000, 10)).holds
    assert look("LSHist within k steps", (1, 1), (40, 40), epsilon=10.0).holds
    assert not look("LSHist within k steps", (1, 1), (1, 40), epsilon=10.0).holds, "equal in doubles only"


def test_oracle_of_the_notes_figures() -> None:
    """At (49, 49), epsilon = delta = 0.8, Laplace noise of scale 2/epsilon is nearer than the smooth sensitivity by
    Definition 2.1's exponent and farther by that of section 4.4, which has no 2: all outputs listed."""
    rate = float(oracles.rate_ehdnrs((1, 1), (49, 49), 0.8, 0.8))
    far = float_distances({"prior": (1, 1), "counts": (49, 49)})
    local = far[50]  # one step, the same either way
    each = np.array([float(p) for p in oracles.clamped_laplace(49, 98, 2 / 0.8)])
    released = np.stack(np.meshgrid(*[np.arange(99)] * 2, indexing="ij"), axis=-1)
    noisy, both = noisy_distances((49, 49), released), np.outer(each, each)
    mean, tails = float((noisy * both).sum()), [both[noisy <= local + 1e-9].sum(), both[noisy > 0.5].sum()]
    nearer, answers = (look(name, (1, 1), (49, 49), epsilon=0.8, delta=0.8).cases for name in (
        "Who is nearer in the notes' figures", "Good answers more often, bad ones less often"))
    for times, one, pair in zip((1, 2), nearer, (answers[:2], answers[2:]), strict=True):
        weight = np.exp(-times * rate * far)
        weight /= weight.sum()
        numbers = numbers_of(one)
        assert [numbers["mean H, smooth sensitivity"], numbers["Laplace"]] == pytest.approx([weight @ far, mean])
        assert one.holds == (weight @ far < mean) == (times == 2)
        smooth = [weight[far <= local + 1e-9].sum(), weight[far > 0.5].sum()]
        assert [dict(case.numbers)["smooth sensitivity"] for case in pair] == pytest.approx(smooth)
        assert [dict(case.numbers)["Laplace"] for case in pair] == pytest.approx(tails)
        assert [case.holds for case in pair] == [smooth[0] > tails[0], smooth[1] < tails[1]]


def test_at_1500_records_of_three_kinds_m_h_is_nearer_than_the_baseline() -> None:
    """All outputs up to 90 records off, where all but 1e-4 of the mean is; S = LS, since a step adds 1 to 1/LS + d and
    takes less from 1/LS."""
    offset = np.stack(np.meshgrid(*[np.arange(-90, 91)] * 2, indexing="ij"), axis=-1).reshape(-1, 2)
    released = 500 + np.column_stack([offset, -offset.sum(axis=1)])
    far = noisy_distances((500, 500, 500), released)
    step = float(noisy_distances((500, 500, 500), np.array([[501, 499, 500]]))[0])
    weight = np.exp(-far / (2 * step))
    cells = [float(p) for p in oracles.clamped_laplace(90, 180, 3.0)]
    noise = np.outer(cells, cells).ravel()
    reading = look("M_H overtakes the baseline for k = 3 and 4 too", (1, 1, 1), (500, 500, 500))
    numbers = numbers_of(reading)
    assert [numbers["mean H of M_H"], numbers["mean H of baseline Laplace"]] == pytest.approx(
        [weight @ far / weight.sum(), noise @ far], rel=1e-4)
    assert reading.holds


def test_a_condition_that_a_paper_states_and_a_misprint_are_marked() -> None:
    stated = {claim.name for claim in CLAIMS if claim.stated and not claim.ours}
    assert stated == {"At most two candidates share a distance", "There are n + 1 candidates",
                      "The concrete loss lies below epsilon", "Who is nearer in the notes' figures"}
    for name in ("The equality of Definition 1", "The printed density is one", "The density of the noise",
                 "There are n candidates", "Adjacent data agree in at most one record"):
        assert BY_NAME[name].misprint, name


def test_what_is_so_somewhere_is_not_refuted_at_ones_own_data() -> None:
    said = look("EHDL is not private", (1, 1), (1, 0)).sentence
    assert said.startswith("Here it is not seen") and "fails" not in said
    for name in ("The notes' global sensitivity 0.2399927", "The notes' local and smooth sensitivities"):
        with pytest.raises(ValueError, match=r"Dir\(7, 4, 5\)"):
            look(name, (1, 1), (50, 50))


def test_a_grid_says_what_was_chosen_and_what_a_search_came_upon() -> None:
    """The papers' own data are no finding of a search, and nothing stands for a prior that is not there."""
    for claim in CLAIMS:
        assert "prior ;" not in claim.grid and not claim.grid.startswith(";"), claim.name
        assert ("found by a search" in claim.grid) == bool(claim.places.found)
    assert "counts = (50, 50), prior = (1, 1) or (5, 5)" in BY_NAME[
        "With small balanced priors the Laplace mechanisms are nearer"].grid


# --- the witnesses of what had been left out, by plain log-gammas or in 50 digits ---


@pytest.mark.parametrize(("prior", "counts", "smooth", "fixed"), [
    ((1, 1), (1, 1), 0.2488, 0.2240), ((50, 50), (50, 50), 0.2455, 0.1194), ((1, 1), (50, 50), 0.4099, 0.6816)])
def test_at_equal_proved_epsilon_the_smooth_bound_leads_where_it_is_below_half_of_the_global_one(
    prior: Any, counts: Any, smooth: float, fixed: float
) -> None:
    """gamma = 1: S by all datasets, GS by all pairs, both means by all candidates."""
    n = sum(counts)
    step = [oracles.hellinger_float((prior[0] + u, prior[1] + n - u), (prior[0] + u + 1, prior[1] + n - u - 1))
            for u in range(n)]
    local = [max(step[max(u - 1, 0)], step[min(u, n - 1)]) for u in range(n + 1)]
    s = max(1 / (1 / one + abs(u - counts[0])) for u, one in enumerate(local))
    far = float_distances({"prior": prior, "counts": counts})
    means = [float(np.exp(-far / by) @ far / np.exp(-far / by).sum()) for by in (4 * s, 2 * max(step))]
    assert means == pytest.approx([smooth, fixed], abs=5e-5)
    reading = look("The smooth bound is more accurate than the global one", prior, counts)
    numbers = numbers_of(reading)
    assert [numbers["mean H of EHDS"], numbers["of EHD"]] == pytest.approx(means, rel=1e-9)
    assert reading.holds == (smooth < fixed) == (2 * s < max(step)) == reading.decisive.within


def test_the_printed_bound_from_below_is_above_what_is_so() -> None:
    """[P20], n = 100 balanced, epsilon = 1, k = 1."""
    rate = 1 / (2 * math.sqrt(1 - math.pi / 4))
    weight = np.exp(-rate * float_distances({"prior": (1, 1), "counts": (50, 50)}))
    exact, claimed = weight[49:52].sum() / weight.sum(), 3 * math.exp(rate) / 100
    assert [exact, claimed] == pytest.approx([0.0655, 0.0883], abs=5e-5)
    reading = look("EHD within k steps, at least its own upper bound", (1, 1), (50, 50))
    one = next(dict(one.numbers) for one in reading.cases if dict(one.inputs)["k"] == 1)
    assert not reading.holds and [one["claimed"], one["exact"]] == pytest.approx([claimed, exact], rel=1e-9)


def test_the_beta_of_theorem_4_3_at_no_step_is_not_the_posterior() -> None:
    found = look("Theorem 4.3's Betas are candidates", (1, 1), (3, 7))
    far = {dict(one.inputs)["k"]: dict(one.numbers) for one in found.cases}[0]
    assert far["printed"] == (4, 6) and far["H between them"] == pytest.approx(0.1703, abs=5e-5)
    assert far["H between them"] == pytest.approx(float(oracles.hellinger_mp((4, 8), (4, 6))), rel=1e-12)


@pytest.mark.parametrize(("n", "local", "smooth", "miss"), [
    (100, 0.08, 0.09, 0.059), (120, 0.0945, 0.096, 0.008), (150, 0.0945, 0.096, 0.008)])
def test_no_data_have_the_sensitivities_of_the_captions(n: int, local: float, smooth: float, miss: float) -> None:
    reading = look("The notes' local and smooth sensitivities", (7, 4, 5), (n - 2, 1, 1))
    numbers = numbers_of(reading)
    assert not reading.holds and numbers["missed by"] == pytest.approx(miss, abs=5e-4)
    pair = numbers["nearest LS"], numbers["nearest S"]
    assert max(abs(pair[0] / local - 1), abs(pair[1] / smooth - 1)) == pytest.approx(numbers["missed by"])
    assert numbers["datasets"] == math.comb(n + 2, 2)


@pytest.mark.parametrize(("counts", "held"), [((20, 20, 20, 20), [False, False]), ((1, 1, 1, 77), [True, True])])
def test_bad_answers_of_both_mechanisms_at_four_categories(counts: tuple[int, ...], held: list[bool]) -> None:
    """Laplace noise drawn here: 0.01 is more than six standard errors, so off by chance once in 10^8 times."""
    reading = look("Laplace's lead in bad answers at k = 4 is not obvious", (1,) * 4, counts, epsilon=0.8, delta=0.8)
    far, weight = large_selection(counts, 0.8, 0.8)
    rng = np.random.default_rng(4)
    released = np.clip(np.floor(np.array(counts) + rng.laplace(0, 2 / 0.8, (100_000, 4))), 0, 80)
    noisy = noisy_distances(counts, released.astype(int))
    for power, one in enumerate(reading.cases, start=1):  # the exponent without the 2 is the square
        bad = float((weight**power)[far > 0.5].sum() / (weight**power).sum())
        assert numbers_of(one)["smooth"] == pytest.approx(bad, rel=1e-8)
        assert numbers_of(one)["P(H > 1/2), Laplace"] == pytest.approx(float((noisy > 0.5).mean()), abs=0.01)
    assert [one.holds for one in reading.cases] == held


def test_errors_in_other_measures_by_quadrature() -> None:
    """KL and chi-square of the truth from the release at (1, 1), where both are finite; M_H by all candidates."""
    truth, mp = (2, 2), oracles.mp
    selection = m_h({"prior": (1, 1), "counts": (1, 1), "epsilon": 1.0})[0]
    kl = square = mp.mpf(0)
    for r, p in zip(selection.candidates, selection.probability, strict=True):
        other = (1 + r[0], 1 + r[1])
        ratio = partial(lambda t, other: oracles.beta_pdf(t, *truth) / oracles.beta_pdf(t, *other), other=other)
        kl += p * mp.quad(lambda t, of=ratio: oracles.beta_pdf(t, *truth) * mp.log(of(t)), [0, 0.5, 1])
        square += p * (mp.quad(lambda t, of=ratio: oracles.beta_pdf(t, *truth) * of(t), [0, 0.5, 1]) - 1)
    found = look("Errors in KL divergence and chi-square are finite", (1, 1), (1, 1))
    means = [numbers_of(one)["mean error"] for one in found.cases]
    assert found.holds and means == pytest.approx([float(kl), float(square)], rel=1e-9)
    infinite = look("Errors in KL divergence and chi-square are finite", (1, 1), (0, 3))
    assert numbers_of(infinite)["mean error"] == "infinite"
