"""The papers' figures: the numbers printed in their captions, and what each is said to show, or its refutation.

The second route is brute force (``tests.oracles``); where a fact is about simulated runs, they are held against the
exact mean. Runs are fewer here than on the page: a mean of 200 errs by less than five standard errors but for one
in 10^6.
"""

import math
import re
from dataclasses import fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import special

from dpbi.dashboard.take_away import script
from dpbi.figures import papers
from dpbi.papers.figures import FIGURES, experiments, notes, tailoring
from dpbi.papers.figures.experiments import balanced
from dpbi.papers.figures.settings import DistanceProbabilities, ErrorBoxes, ErrorsAgainstSize, ahead_from
from dpbi.sensitivity import local_sensitivity
from tests import oracles

BY_KEY = {figure.key: figure for figure in FIGURES}
RUNS = 200


# Of eleven sizes those beside the crossing and the last ones: the others take seconds.
SIZES = {"[P17] 5(a)": (300, 400, 5_000, 15_000), "[P17] 5(b)": (1_000, 2_000, 5_000, 15_000)}


@cache
def result(key: str) -> Any:
    figure = BY_KEY[key]
    fewer = {"sizes": SIZES[key], "step": 1.2} if key in SIZES else {}
    return figure.compute(runs=RUNS, seed=1, **fewer) if figure.simulated else figure.compute()


# --- the numbers printed in the captions of [N] ---


def test_the_notes_global_sensitivity_is_a_distance_that_no_data_can_give() -> None:
    found = notes.caption_numbers(100)
    assert found.notes_sensitivity == pytest.approx(0.239992747797, abs=5e-13)
    assert found.notes_sensitivity == pytest.approx(float(oracles.hellinger_mp((7, 4), (8, 3))), rel=1e-14)
    assert found.exact_sensitivity == pytest.approx(0.233629, abs=1e-6)
    # For another n the global sensitivity is the same: its dataset has one record in the two rarest categories.
    assert found.exact_sensitivity == pytest.approx(float(oracles.global_sensitivity((7, 4, 5), 3)), rel=1e-12)


@pytest.mark.parametrize(
    ("n", "printed", "by_formula"), [(100, 0.0699407108115, 0.0698192), (120, 0.0677791100173, 0.0676839)]
)
def test_the_printed_betas_have_n_in_place_of_n_plus_1(n: int, printed: float, by_formula: float) -> None:
    found = notes.caption_numbers(n)
    assert found.printed_beta == printed
    assert found.beta_with_n == pytest.approx(printed, abs=5e-14)
    assert found.beta_by_formula == pytest.approx(by_formula, abs=5e-8)
    assert found.beta == pytest.approx(float(oracles.nrs_beta(n, 3, 0.8, 0.8)), rel=1e-13)


def test_the_caption_for_150_repeats_the_beta_of_120() -> None:
    found = notes.caption_numbers(150)
    assert found.printed_beta == notes.caption_numbers(120).printed_beta == 0.0677791100173
    assert found.beta_with_n == pytest.approx(0.0653088, abs=1e-7)
    story = BY_KEY["[N] 4(a)"].story(result("[N] 4(a)"))
    assert "repeated from the figure for n = 120" in story
    assert "repeated" not in BY_KEY["[N] 3(b)"].story(result("[N] 3(b)"))


# --- [P17] 1, 2 and [N] 1: sensitivities ---


def test_the_gap_is_real_and_narrower_than_the_papers_constant_makes_it() -> None:
    found = result("[P17] 1").scan
    exact = float(max(oracles.local_sensitivity((1, 1), (u, 100 - u)) for u in (0, 1, 2)))
    balanced_data = float(oracles.local_sensitivity((1, 1), (50, 50)))
    assert found.global_exact == pytest.approx(exact, rel=1e-12)
    assert found.local.min() == pytest.approx(balanced_data, rel=1e-12)
    assert found.global_exact / balanced_data == pytest.approx(4.82, abs=0.005)
    assert found.global_paper / balanced_data == pytest.approx(6.59, abs=0.005)
    assert "2 of 101 datasets" in BY_KEY["[P17] 1"].story(result("[P17] 1"))


@pytest.mark.parametrize(("figure", "attained"), [(tailoring.changes, 3), (notes.changes, 2)])
def test_the_largest_change_is_at_the_truth_but_not_there_alone(figure: Any, attained: int) -> None:
    found = figure(counts=(4, 4))
    prior, counts = found.problem.prior, found.problem.counts
    expected = [
        max(
            abs(oracles.posterior_distance(prior, counts, r) - oracles.posterior_distance(prior, other, r))
            for other in oracles.neighbours(counts)
        )
        for r in map(tuple, found.released.tolist())
    ]
    assert len(found.released) == 9
    assert found.change == pytest.approx([float(value) for value in expected], rel=1e-9)
    assert found.change.max() == found.change[found.moved == 0][0] == pytest.approx(found.local_sensitivity)
    assert (found.change > found.local_sensitivity * (1 - 1e-9)).sum() == attained


# --- [P17] 3 and [N] 5(b) to 8(b): the laws ---


@pytest.mark.parametrize(
    ("key", "truth", "near", "order"),
    [("[P17] 3(a)", True, True, 1.11), ("[P17] 3(b)", True, False, 1.47), ("[P17] 3(c)", False, False, 1.41)],
)
def test_whether_near_results_are_likelier_than_with_laplace(key: str, truth: bool, near: bool, order: float) -> None:
    found: DistanceProbabilities = result(key)
    reach = local_sensitivity(found.problem)
    laplace, improved, definition_6, _ = found.laws
    assert (definition_6.probability_of_truth > laplace.probability_of_truth) == truth
    assert (definition_6.cdf(reach) > laplace.cdf(reach)) == near
    assert definition_6.mean / laplace.mean == pytest.approx(order, abs=0.005)
    assert improved.cdf(reach) > max(laplace.cdf(reach), definition_6.cdf(reach))
    assert ("as the paper says" in BY_KEY[key].story(found)) == (truth or near)
    assert ("gives the truth itself more often" in BY_KEY[key].story(found)) == (truth and not near)


def test_at_the_truth_of_three_categories_m_h_is_ahead_by_brute_force() -> None:
    """P(r = c) = 1 / Z over all 5,151 candidates; of Laplace, the product of two floored noises' (1 - p) / 2."""
    counts, fall = (33, 33, 34), math.exp(-1 / 3)
    candidates = np.array([(a, b, 100 - a - b) for a in range(101) for b in range(101 - a)])
    moved = np.abs(candidates - counts).sum(axis=1) / 2
    log_f = special.gammaln(candidates + 1.5) - (special.gammaln(candidates + 1) + special.gammaln(candidates + 2)) / 2
    log_g = np.where(candidates > 0, special.gammaln(candidates + 0.5)
                     - (special.gammaln(candidates) + special.gammaln(candidates + 1)) / 2, np.inf)  # fmt: skip
    least = np.min([log_f[:, i] + log_g[:, j] for i in range(3) for j in range(3) if i != j], axis=0)
    rate = (1 / np.sqrt(-np.expm1(least)) + moved).min() / 2  # epsilon / (2 S), S = max 1 / (1 / LS + d)
    own, other = np.array(counts) + 1.0, candidates + 1.0
    affinity = special.gammaln((own + other) / 2) - (special.gammaln(own) + special.gammaln(other)) / 2
    total = np.exp(-rate * np.sqrt(np.maximum(0, -np.expm1(affinity.sum(axis=1))))).sum()
    laplace, _, definition_6, _ = result("[P17] 3(b)").laws
    assert definition_6.probability_of_truth == pytest.approx(1 / total, rel=1e-6)
    assert laplace.probability_of_truth == pytest.approx(((1 - fall) / 2) ** 2, rel=1e-9)
    assert "H = 0: Laplace 0.0201, improved Laplace 0.0387, M_H 0.0205 by" in said("[P17] 3(b)", result("[P17] 3(b)"))


def test_definition_6_is_the_smooth_selection_of_twice_epsilon() -> None:
    """[P17]'s rate is epsilon / (2 S), S of gamma = 1: against brute force, at n = 12."""
    found = tailoring.probabilities(n=12, runs=1)
    smooth = oracles.smooth_reciprocal((1, 1), (6, 6), 1)
    expected = oracles.exponential_pmf((1, 1), (6, 6), 1 / (2 * smooth))
    assert found.laws[2].mean == pytest.approx(float(expected.mean), rel=1e-12)


@pytest.mark.parametrize(
    ("key", "truth_likelier", "doubled_nearer"),
    [("[N] 5(b)", True, True), ("[N] 6(b)", True, False), ("[N] 7(b)", False, False), ("[N] 8(b)", False, False)],
)
def test_laplace_is_nearer_on_average_everywhere(key: str, truth_likelier: bool, doubled_nearer: bool) -> None:
    """At (49, 49) the notes say otherwise, which holds with the exponent of their section 4.4, twice the rate."""
    found: DistanceProbabilities = result(key)
    laplace, _, _, smooth = found.laws
    assert laplace.mean < smooth.mean
    assert (smooth.probability_of_truth > laplace.probability_of_truth) == truth_likelier
    assert ("nearer than Laplace's" in BY_KEY[key].story(found)) == doubled_nearer


def test_twice_the_rate_by_brute_force() -> None:
    beta = oracles.nrs_beta(98, 2, 0.8, 0.8)
    sensitivity = max(
        oracles.local_sensitivity((1, 1), (u, 98 - u)) * oracles.mp.exp(-beta * abs(u - 49)) for u in (0, 1, 48, 49)
    )
    mean = float(oracles.exponential_pmf((1, 1), (49, 49), oracles.mp.mpf(0.8) / sensitivity).mean)
    assert f"the mean distance is {mean:.3g}, nearer" in BY_KEY["[N] 5(b)"].story(result("[N] 5(b)"))


# --- [P17] 4, 5(a), 5(b): errors against n ---


@pytest.mark.parametrize(
    ("key", "small", "crossing", "shown", "ratio"),
    [("[P17] 4", (2, 12), 210, 300, 1.77), ("[P17] 5(a)", (3, 21), 390, 400, 1.20),
     ("[P17] 5(b)", (4, 28), 1008, 2000, 1.40)],
)
def test_m_h_overtakes_laplace_and_never_comes_up_to_improved_laplace(
    key: str, small: tuple[int, int], crossing: int, shown: int, ratio: float
) -> None:
    found: ErrorsAgainstSize = result(key)
    row = ahead_from(found.exact, 2, 0)
    assert row is not None and found.sizes[row] == shown
    assert found.race.spans == [small, (crossing, found.race.sizes[-1])]
    assert found.race.overtaken == crossing
    assert {crossing - found.race.k, crossing + found.race.k} < set(found.race.sizes)
    assert f"for n = {small[0]} to {small[1]} and from n = {crossing:,} on" in BY_KEY[key].story(found)
    assert f"n = {crossing:,}" in said(key, found)
    to_improved = found.exact[:, 2] / found.exact[:, 1]
    assert to_improved[-1] == pytest.approx(ratio, abs=0.01)
    assert to_improved[-1] == pytest.approx(to_improved[-2], rel=0.01)
    # Both fall as 1 / sqrt(n) there.
    assert found.exact[-2] / found.exact[-1] == pytest.approx(math.sqrt(3), rel=0.03)
    error = np.maximum(found.standard_error, 1 / RUNS)
    assert (np.abs(found.simulated - found.exact) < 5 * error).all()


@pytest.mark.parametrize(("k", "n"), [(2, 12), (2, 14), (2, 208), (2, 210), (3, 21), (3, 24)])
def test_the_race_turns_where_brute_force_does(k: int, n: int) -> None:
    """Both means from the oracles alone, of the outputs by themselves, on either side of each turn."""
    prior, counts = (1,) * k, (n // k,) * k
    m_h = oracles.exponential_pmf(prior, counts, 1 / (2 * oracles.smooth_reciprocal(prior, counts, 1))).mean
    laplace = oracles.distance_law(oracles.law_lsdim(prior, counts, 1, consistent=True), prior, counts).mean
    race = result("[P17] 4" if k == 2 else "[P17] 5(a)").race
    assert race.ahead[race.sizes.index(n)] == (m_h < laplace)


def test_errors_against_size_by_brute_force() -> None:
    found = tailoring.errors(sizes=(3, 8), runs=RUNS)
    for n, row in zip(found.sizes, found.exact, strict=True):
        counts = balanced(n, 2)
        rates = (
            1 / (2 * oracles.smooth_reciprocal((1, 1), counts, 1)), oracles.rate_ehdnrs((1, 1), counts, 1, "1e-8")
        )  # fmt: skip
        expected = [oracles.exponential_pmf((1, 1), counts, rate).mean for rate in rates]
        assert row[2:] == pytest.approx([float(mean) for mean in expected], rel=1e-9)
        for mean, law in zip(row, (oracles.law_lsdim, oracles.law_lshist), strict=False):
            law_of_distance = oracles.distance_law(law((1, 1), counts, 1, consistent=True), (1, 1), counts)
            assert mean == pytest.approx(float(law_of_distance.mean), rel=1e-9)


def test_at_an_equal_proved_epsilon_m_h_never_overtakes_laplace() -> None:
    found = result("[P17] 4")
    said = re.findall(r"is ([0-9.]+), the baseline's ([0-9.]+)\.", BY_KEY["[P17] 4"].story(found))
    equal, baseline = map(float, said[0])
    assert baseline == pytest.approx(found.exact[-1, 0], rel=5e-3)
    assert equal > 1.9 * baseline


# --- [P17] 5: boxes over priors, and the boxes of [N] ---


def test_a_heavier_prior_turns_the_order_but_does_not_close_the_gap() -> None:
    found: ErrorBoxes = result("[P17] 5")
    laplace, improved, definition_6, _ = found.exact.T
    assert [label for label, ahead in zip(found.labels, definition_6 < laplace, strict=True) if ahead] == [
        "50", "100", "200", "500",
    ]  # fmt: skip
    assert (np.diff(found.exact, axis=0) < 0).all(), "every error falls as the prior grows"
    assert (definition_6 / improved).min() > 1.75


@pytest.mark.parametrize("key", [key for key, figure in BY_KEY.items() if "boxes" in str(figure.compute)])
def test_the_boxes_are_of_draws_with_the_exact_mean(key: str) -> None:
    found: ErrorBoxes = result(key)
    assert found.errors.shape == (*found.exact.shape, RUNS)
    known = ~np.isnan(found.exact)
    error = np.maximum(found.errors.std(axis=-1) / np.sqrt(RUNS), 1 / RUNS)
    assert (np.abs(found.errors.mean(axis=-1) - found.exact)[known] < 5 * error[known]).all()
    assert known[:, 1:].all()


@pytest.mark.parametrize("key", ["[N] 2(a)", "[N] 2(b)", "[N] 3(a)", "[N] 3(b)", "[N] 4(a)", "[N] 4(b)"])
def test_at_balanced_data_the_smooth_sensitivity_is_the_local_one(key: str) -> None:
    found: ErrorBoxes = result(key)
    laplace, exponential, local, smooth = found.exact[0]
    assert smooth == pytest.approx(local, rel=1e-9)
    assert laplace < smooth < exponential


# --- [P17] 6: concrete privacy ---


def test_uniform_data_show_half_of_epsilon_and_the_worst_data_more() -> None:
    found = result("[P17] 6")
    assert (found.worst < found.stated).all()
    assert [one.role for one in found.contenders] == ["M_H, Def. 3", "M_H, Def. 6"], "the first has the caption's delta"
    assert found.balanced[-1] == pytest.approx([0.5, 0.5], abs=1e-3)
    assert found.worst[-1] == pytest.approx([0.535, 0.848], abs=1e-3)
    assert (found.worst >= found.balanced).all()
    assert "theirs is 0.53" in said("[P17] 6", found)


def test_concrete_privacy_by_brute_force() -> None:
    found = tailoring.concrete_privacy(sizes=(4,))
    laws = {
        counts: oracles.exponential_pmf((1, 1), counts, 1 / (2 * oracles.smooth_reciprocal((1, 1), counts, 1))).law
        for counts in oracles.compositions(4, 2)
    }
    assert found.worst[0, 1] == pytest.approx(float(oracles.privacy_loss(laws, (1, 1), 4).epsilon), rel=1e-9)
    here = laws[2, 2]
    ratios = [oracles.mp.log(here[r] / laws[other][r]) for other in oracles.neighbours((2, 2)) for r in here]
    assert found.balanced[0, 1] == pytest.approx(float(max(ratios)), rel=1e-9)


# --- who wins is computed ---


def swapped(found: Any, first: int, second: int) -> Any:
    """The same result with two contenders' numbers in each other's place."""
    order = list(range(len(found.contenders)))
    order[first], order[second] = second, first
    if isinstance(found, DistanceProbabilities):
        return replace(found, laws=tuple(found.laws[place] for place in order))
    if isinstance(found, ErrorsAgainstSize) and {first, second} == {0, 2}:
        found = replace(found, race=replace(found.race, ahead=np.zeros_like(found.race.ahead)))
    return replace(found, exact=found.exact[:, order], **(
        {"errors": found.errors[:, order]} if isinstance(found, ErrorBoxes) else {}))


def said(key: str, found: Any) -> str:
    return f"{papers.draw(found).layout.title.text} {BY_KEY[key].story(found)}".replace("<br>", " ")


@pytest.mark.parametrize(("key", "places", "so", "else_so"), [
    ("[P17] 3(a)", (1, 2), "best of all holds", "best of all does not hold"),
    ("[P17] 3(a)", (0, 2), "So M_H by Definition 6 gives near", "gives neither the truth itself nor"),
    ("[P17] 4", (1, 2), "does not approach", "It approaches"),
    ("[P17] 4", (1, 3), "nearest at n = 15,000 is LSHist", "nearest at n = 15,000 is EHDNRS"),
    ("[P17] 4", (0, 2), "is nearer than the baseline Laplace for", "is nearer than the baseline Laplace nowhere"),
    ("[P17] 5", (1, 2), "Laplace mechanism; from the prior (50", "neither Laplace mechanism; from the prior (1,"),
    ("[P17] 5", (1, 2), "It does not come close", "It comes close"),
    ("[P17] 5", (0, 2), "M_H is nearer than the baseline", "M_H never comes nearer than the baseline for good"),
    ("[N] 2(a)", (0, 3), "Laplace is nearer than both", "Laplace is not nearer than both"),
    ("[N] 3(a)", (0, 3), "Laplace is nearest", "Smooth is nearest"),
    ("[N] 5(a)", (0, 3), "Laplace is better", "the exponential mechanism is better"),
    ("[N] 7(a)", (0, 3), "Laplace is better", "the exponential mechanism is better"),
    ("[N] 6(b)", (0, 3), "whose floor and noise", "the mean distances are 0.317 and 0.776"),
])
def test_with_another_winner_the_sentence_is_another(key: str, places: tuple[int, int], so: str, else_so: str) -> None:
    found = result(key)
    before, after = said(key, found), said(key, swapped(found, *places))
    assert so in before and else_so not in before
    assert else_so in after and so not in after


def test_what_is_said_of_losses_and_gaps_is_computed_too() -> None:
    losses, gap = result("[P17] 6"), result("[P17] 1")
    assert "does not stay below 1" in said("[P17] 6", replace(losses, balanced=losses.balanced + 1))
    assert "The worst data exceed epsilon" in said("[P17] 6", replace(losses, worst=losses.worst + 1))
    wider = replace(gap, scan=replace(gap.scan, global_exact=2 * gap.scan.global_paper))
    assert "no narrower than the constant" in said("[P17] 1", wider)


# --- all of them ---


def test_a_part_is_announced_before_it_is_computed() -> None:
    """Eleven sizes or seven priors of four mechanisms, and a race; who raises at one ends the computation there."""
    looked = experiments._looked_at(2, 15_000, 1.1)
    for key, parts in (("[P17] 3(a)", 4), ("[P17] 5", 28), ("[N] 2(a)", 4), ("[P17] 4", 44 + len(looked))):
        begun: list[int] = []
        BY_KEY[key].compute(runs=2, begin=begun.append)
        assert begun == [parts] * parts

    def refuse(parts: int) -> None:
        raise KeyboardInterrupt(parts)

    with pytest.raises(KeyboardInterrupt, match=str(44 + len(experiments._looked_at(4, 15_000, 1.1)))):
        BY_KEY["[P17] 5(b)"].result(1, refuse)


def test_every_numbered_figure_is_there_once() -> None:
    assert [figure.key for figure in FIGURES] == [
        *(f"[P17] {number}" for number in ("1", "2", "3(a)", "3(b)", "3(c)", "4", "5(a)", "5(b)", "5", "6")),
        *(f"[N] {number}" for number in (
            "1", "2(a)", "2(b)", "3(a)", "3(b)", "4(a)", "4(b)", "5(a)", "5(b)", "6(a)", "6(b)", "7(a)", "7(b)",
            "8(a)", "8(b)",
        )),
    ]  # fmt: skip


@pytest.mark.parametrize("key", BY_KEY)
def test_every_figure_is_drawn_told_and_described(key: str) -> None:
    figure = BY_KEY[key]
    drawn = papers.draw(result(key))
    assert len(drawn.layout.meta["alt"]) > 40
    assert drawn.layout.title.text
    story = figure.story(result(key))
    assert 40 < len(story) < 2000
    assert "nan" not in story
    assert len(figure.caption) > 40
    contenders = getattr(result(key), "contenders", ())
    names = " ".join(trace.name or "" for trace in drawn.data)
    assert all(one.name in names for one in contenders)


def arrays(found: Any) -> list[Any]:
    """Every array of a result, those of its parts included."""
    if isinstance(found, np.ndarray):
        return [found]
    parts = found if isinstance(found, tuple) else [getattr(found, one.name) for one in fields(found)] \
        if is_dataclass(found) else ()
    return [array for part in parts for array in arrays(part)]


@pytest.mark.parametrize("key", ["[P17] 1", "[P17] 2", "[P17] 3(a)", "[P17] 4", "[P17] 6", "[N] 5(a)"])
def test_the_script_of_each_kind_of_figure_computes_what_the_page_shows(
    key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    scope: dict[str, Any] = {}
    exec(compile(script.of_figure(key, 7), "script.py", "exec"), scope)
    expected = BY_KEY[key].result(7)
    mine, other = arrays(scope["result"]), arrays(expected)
    assert len(mine) == len(other) > 0
    for one, another in zip(mine, other, strict=True):
        np.testing.assert_array_equal(one, another)
    assert BY_KEY[key].story(expected) in capsys.readouterr().out
    assert (tmp_path / "figure.html").stat().st_size > 1e6


def test_the_seed_alone_decides_the_runs_and_what_is_no_result_has_no_figure() -> None:
    with pytest.raises(TypeError, match="no figure of a str"):
        papers.draw("text")
    first, again, other = (notes.boxes(runs=5, seed=seed).errors for seed in (1, 1, 2))
    assert (first == again).all()
    assert (first != other).any()
