"""What the pages say in words, against the numbers beside it, at the ends of what can be entered; of the limit of
privacy and of averages under the public prior at the end."""

import dataclasses
import math
import re
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

from dpbi import (
    MECHANISMS,
    ApproximateDP,
    Comparison,
    LimitComparison,
    Problem,
    PureDP,
    accuracy_axes,
    accuracy_curves,
    calibrate,
    comparison_of,
    distance_law,
    expected_distance,
    global_sensitivity,
    limit_of_privacy,
    privacy_loss,
    sensitivity_maps,
    tables,
    verdict,
)
from dpbi.accuracy.error import ExpectedError
from dpbi.accuracy.order import Measured
from dpbi.dashboard.views import methods
from dpbi.dashboard.words import home, limit as limit_words, private_posteriors, sidebar, words
from dpbi.dashboard.words.accuracy import smallest_error
from dpbi.dashboard.words.privacy_loss import nothing_to_gain, verdicts
from dpbi.figures import accuracy, distances, privacy, sensitivities
from dpbi.figures.style import number
from dpbi.mechanisms import EHD, EHDNRS, KNorm, Mechanism, name_of
from dpbi.mechanisms.printed_number import at_least
from dpbi.privacy.curves import CalibrationGain, attaining_laws, epsilons_beyond, loss_against_size, profile
from dpbi.privacy.guessing import guessing_risk
from dpbi.releases.usefulness import barely_private
from tests.dashboard.person import ROOT, everything, opened

PRIOR, N = (1.0, 1.0), 12
SETTINGS = [
    (prior, counts, epsilon)
    for prior, counts in (((1.0, 1.0), (0, 1)), ((0.001, 1e6), (7, 33)), ((1e6, 1e6), (20, 20)),
                          ((100.0, 1000.0, 100.0), (0, 14, 1)), ((0.1,) * 4, (1, 0, 2, 3)))
    for epsilon in (0.01, 1.0, 20.0, 100.0)
]  # fmt: skip


@pytest.mark.parametrize(("prior", "counts", "epsilon"), SETTINGS)
def test_the_headline_names_all_that_are_nearest_and_says_among_whom(
    prior: tuple[float, ...], counts: tuple[int, ...], epsilon: float
) -> None:
    problem = Problem(prior, counts)
    mechanisms = [kind(epsilon) for kind in MECHANISMS]
    mechanisms += [calibrate(mechanisms[-1], prior, problem.n)]
    rows = [comparison_of(distance_law(one, problem)) for one in mechanisms]
    said = home.best(rows, problem)
    proved = [row for row in rows if isinstance(row.guarantee, PureDP) and row.guarantee.is_private]

    def surely_below(one: Comparison, other: Comparison) -> bool:
        apart = 4 * math.hypot(one.mean_error, other.mean_error) + 1e-9 * other.mean + 1e-15
        return other.mean - one.mean > apart

    tied = [name_of(row.mechanism) for row in proved if not any(surely_below(other, row) for other in proved)]
    named = re.findall(r"\*\*([^*]+)\*\*", said)
    assert sorted(named) == sorted(tied)
    listed = [name for name in map(name_of, mechanisms) if name in named]
    assert [name for group in re.findall(r"(\*\*.*?)(?=[(,] ?(?:each|with|\d))", said)
            for name in re.findall(r"\*\*([^*]+)\*\*", group)] == named
    assert named == listed or "; " in said, "in the order of the screen, by what is promised"
    nearer = any(surely_below(row, next(one for one in proved if name_of(one.mechanism) == tied[0])) for row in rows)
    assert ("of those proved to be private" in said) == nearer
    assert not re.search(r"probability 1\b(?!\.\d)", said) and "mean distance of 0 " not in said


def test_who_is_surely_nowhere_nearer_is_named_with_it() -> None:
    """Draws that lie within four standard errors of each other: none of them alone has the smallest error."""
    problem, along = Problem((1, 1), (3, 5)), accuracy_axes.axis("n")
    one, other = (
        accuracy_curves.AccuracyCurve(along, kind(1.0), "hellinger", (8,),
                      (ExpectedError(kind(1.0), problem, "hellinger", Measured(mean, 0.01), Measured(mean, 0.01)),))
        for kind, mean in zip(MECHANISMS[:2], (0.31, 0.3), strict=True)
    )  # fmt: skip
    first, second = (curve.mechanism.label for curve in (one, other))
    said = smallest_error([one, other], 8)
    assert smallest_error([one], 8).endswith(f"with a proved pure guarantee: **{first}** at n = 8 (0.31 ± 0.02).")
    assert f"**{first}** and **{second}**, too close to tell apart, at n = 8 (0.31 ± 0.02 and 0.3 ± 0.02)." in said
    title = accuracy.against([one, other], 8).layout.title.text.replace("<br>", " ")
    assert f"{first} and {second} have the smallest mean distance of the 2 shown: 0.31, 0.3, too close" in title


def test_a_title_of_losses_speaks_of_the_sizes_that_were_computed() -> None:
    curves = [[privacy_loss(kind(1.0), (1, 1), n) for n in (1, 4)] for kind in MECHANISMS]
    title = privacy.against_size(curves).layout.title.text.replace("<br>", " ")
    assert "at the sizes shown" in title and "up to" not in title
    alone = privacy.against_size(curves[:1]).layout.title.text.replace("<br>", " ")
    assert "not above epsilon at any size shown" in alone


def test_records_moved_are_ranked_only_where_they_are_exact() -> None:
    exact, drawn = ([distance_law(kind(0.5), Problem((1,) * len(counts), counts)) for kind in MECHANISMS[:2]]
                    for counts in ((3, 5), (50,) * 12))
    for laws, ranked in ((exact, True), (drawn, False)):
        assert all(law.exact == ranked for law in laws)
        assert ("fewest" in distances.per_step(laws).layout.title.text) == ranked


def test_where_calibration_changes_nothing_epsilon_is_not_called_spent() -> None:
    """Half of epsilon is unused, and the distance is as large as before: it is the epsilon that is too small."""
    loss = privacy_loss(EHDNRS(0.01), (1, 1), 6)
    gain = CalibrationGain(Problem((1, 1), (3, 3)), loss, loss, 2.0, 0.9, 0.8999)
    title = privacy.calibration([gain]).layout.title.text
    assert "spent" not in title and "0.5 %" in title
    farther = privacy.calibration([dataclasses.replace(gain, mean_after=0.99)]).layout.title.text.replace("<br>", " ")
    assert "stands 1.1 times farther from the truth" in farther


def test_a_prior_that_outweighs_the_data_is_not_all_of_the_posterior() -> None:
    for counts, prior, said in (((1, 0), (0.001, 1e6), "more than 99 % of the true posterior is prior"),
                                ((0, 0), (1, 1), ": 100 % of the true posterior is prior"),
                                ((1, 1), (1, 1), ": 50 % of")):  # fmt: skip
        assert said in private_posteriors.prior_weight(Problem(prior, counts))


@pytest.mark.parametrize("measure", sensitivity_maps.MEASURES)
def test_a_map_whose_points_miss_the_most_sensitive_data_names_the_global_sensitivity(
    measure: sensitivity_maps.Measure
) -> None:
    """n = 250: the map has 61 points a side, none of them with a single record in two categories."""
    problem = Problem((1, 1, 1), (100, 100, 50))
    found = sensitivity_maps.on_simplex(problem.prior, problem.n, measure, 0.3)
    whole = global_sensitivity(problem.prior, problem.n)
    assert found.value.max() < 0.9 * whole
    title = sensitivities.on_simplex(found, problem).layout.title.text.replace("<br>", " ")
    assert f"over all data it reaches {number(whole)} <" in title


# --- a proved delta beside a loss without bound ---


@dataclasses.dataclass(frozen=True)
class Lottery(Mechanism):
    """The truth with probability 1/8, else all records in the first category: (epsilon, 1/8)-DP at every epsilon."""

    label, palette_place, idea, source, formula = "Lottery", 9, "", "", ""

    def guarantee(self, prior: ArrayLike, n: int) -> ApproximateDP:
        return ApproximateDP(self.epsilon, 0.125, "theorem", "proved")

    def can_release(self, n: int, released: tuple[int, ...]) -> bool:
        return sum(released) == n

    def log_pmf(self, problem: Problem, released: ArrayLike) -> NDArray[np.float64]:
        told, first = (np.equal(released, r).all(axis=-1) for r in (problem.counts, np.eye(problem.k)[0] * problem.n))
        with np.errstate(divide="ignore"):
            return np.log(told / 8 + first * 7 / 8)


@pytest.mark.parametrize("prior", [(1.0, 1.0), (1.0, 2.0, 1.0)])
def test_an_infinite_loss_and_a_proved_delta_are_called_what_they_are(prior: tuple[float, ...]) -> None:
    both = lottery, proved = [verdict(mechanism, prior, 6) for mechanism in (Lottery(1.0), MECHANISMS[2](1.0))]
    assert lottery.loss.upper == math.inf and lottery.delta == pytest.approx(0.125, rel=1e-12)
    claimed = dataclasses.replace(lottery, guarantee=dataclasses.replace(lottery.guarantee, basis="claim"))
    broken = (dataclasses.replace(lottery, delta=0.126), dataclasses.replace(lottery, guarantee=proved.guarantee))
    said = [one.said for one in (lottery, claimed, *broken)]
    assert said == 2 * ["exceeds epsilon, keeps delta here"] + 2 * ["ACCUSED"]

    found = [profile(one, epsilons_beyond(both)) for one in (*both, claimed)]
    figures = (
        privacy.stated_and_exact(both),
        privacy.attaining(attaining_laws(lottery.loss)),
        privacy.against_size([loss_against_size(one.loss.mechanism, prior, (1, 6)) for one in both]),
        privacy.profiles(found[:2]),
        privacy.profiles(found[2:]),
    )
    for figure, title in zip(figures, (
        "Beyond the stated epsilon of 1: Lottery loses ∞ and keeps its delta.*Cut short: the bar of an infinite loss",
        "Lottery: one dataset can give this release, its neighbour never",
        "Beyond the stated epsilon: Lottery loses ∞ at n = 1.*Not drawn: infinite losses",
        "Lottery: the exact δ at ε = 1 is 0.125, the promise 0.125", "the claim 0.125",
    ), strict=True):
        assert re.search(title, figure.layout.title.text.replace("<br>", " "))
    bars, _, by_size, promised, only_claimed = figures
    assert next(bar for bar in bars.data if bar.name == "beyond epsilon").x[0] > 0
    assert max(bars.layout.xaxis.range[1], by_size.layout.yaxis.range[1], promised.layout.xaxis.range[1]) < 3
    marks = [(one.name, one.x[0], one.y[0]) for one in (promised.data[-1], only_claimed.data[-1])]
    assert marks == [("Lottery: the promise", 1, 0.125), ("Lottery: the claim", 1, 0.125)]

    assert re.fullmatch(
        r"\*\*Lottery\*\* promises delta = 0.125 at epsilon = 1; the exact delta there is 0.125, so the promise holds "
        r"for this prior and n, though its exact loss, ∞, exceeds epsilon: by .*\n\n"
        r"\*\*Lottery\*\* claims delta .* so the claim holds .*\n\nLSHist keeps what is stated\.",
        verdicts([*both, claimed]))


def test_a_proved_delta_is_compared_and_judged_as_such() -> None:
    problem, lottery = Problem((1, 1), (2, 4)), Lottery(20.0)
    rows = [comparison_of(distance_law(one, problem)) for one in (lottery, MECHANISMS[2](20.0))]
    for found, said in (
        (home.besides(rows, problem), "^Lottery is proved to be private but for a delta, so not in the running.$"),
        (limit_words.ranking([expected_distance(lottery, PRIOR, 6)], [lottery]),
         r"with a delta or at a larger epsilon: Lottery promises \(20, 0.125\)-DP"),
        (barely_private(guessing_risk(lottery, PRIOR, 6), lottery.guarantee(PRIOR, 6)),
         "^The worst release can .* the promise allows for it with a probability of at most delta = 0.125"),
        (sidebar.in_cases(1.0, with_delta=True), "after one that keeps it without a delta.$"),
    ):
        assert re.search(said, found)


# --- the limit of privacy, and averages under the public prior ---

def comparison(kinds: tuple[type[Mechanism], ...], prior: tuple[float, ...] = PRIOR, n: int = N) -> LimitComparison:
    return LimitComparison(
        limit_of_privacy(prior, n, 1.0), tuple(expected_distance(kind(1.0), prior, n) for kind in kinds))


def known_limit(prior: tuple[float, ...], n: int, epsilon: float) -> float:
    value = limit_of_privacy(prior, n, epsilon).value
    assert value is not None
    return value


def _with_means(found: LimitComparison, of: Callable[[float], Measured]) -> LimitComparison:
    means = tuple(dataclasses.replace(one, measured=of(one.mean)) for one in found.means)
    return dataclasses.replace(found, means=means)


def test_home_holds_every_mechanism_against_the_limit() -> None:
    at = opened()
    table = at.main.dataframe[0].value
    found = known_limit((1, 1), 90, 1.0)
    kinds = {kind.label: kind for kind in MECHANISMS}
    for name, times in zip(table["Mechanism"], table[tables.TIMES_LIMIT], strict=True):
        mean = expected_distance(kinds[name](1.0), (1, 1), 90).mean
        assert times == pytest.approx(mean / found, rel=1e-12)
    said = everything(at)
    assert f"below {at_least(found)}." in said and "releases a candidate posterior" in said


def test_the_ranking_names_every_private_mechanism_once_in_order() -> None:
    found = comparison(MECHANISMS).ranked()
    ticked = [one.mechanism for one in found]
    said = limit_words.ranking(found[::-1], ticked)
    first, *others = [one.mechanism.label for one in found]
    named = re.findall("|".join(sorted(others, key=len, reverse=True)), said)
    assert named == others and said.startswith(f"Nearest to the truth is **{first}** ({found[0].mean:.4g})")
    assert f"{others[-1]} ({found[-1].mean / found[0].mean:.2f} times)" in said and limit_words.PUBLIC in said
    assert "Not known of" not in said and "not chosen" not in said and "larger epsilon" not in said
    assert f"**{first}**, which is not chosen" in limit_words.ranking(found, ticked[1:])


def test_the_ranking_calls_a_tie_a_tie_and_says_what_it_does_not_know() -> None:
    found = comparison(MECHANISMS).ranked()[:3]
    drawn = [dataclasses.replace(one, measured=Measured(one.mean, 0.2)) for one in found]
    ticked = [one.mechanism for one in found]
    said = limit_words.ranking(drawn, ticked)
    assert said.startswith("Nearest to the truth are ") and "too close to tell apart" in said and "± 0.4" in said
    assert f"Not known of {ticked[0].label}:" in limit_words.ranking(found[1:], ticked)
    assert limit_words.ranking([], ticked).startswith("Which private mechanism is nearest to the truth on average is n")
    tied = [dataclasses.replace(one, measured=Measured(0.25 * (1 - place * 2**-50))) for place, one in enumerate(found)]
    names = words.listed(f"**{one.label}** (0.25)" for one in ticked)
    assert f"are {names}, too close to tell apart" in limit_words.ranking(tied, ticked)
    compared = LimitComparison(limit_of_privacy(PRIOR, N, 1.0), tuple(tied))
    shown = re.findall("|".join(one.label for one in ticked), limit_words.times(compared, ticked[::-1]).split(":")[1])
    assert shown == [one.label for one in ticked[::-1]], "in the order of the screen"
    weaker = EHD(1.0, global_sensitivity="paper")
    said = limit_words.ranking([expected_distance(weaker, (0.1,) * 3, 4)], [weaker])
    assert f"larger epsilon: EHD promises {weaker.guarantee((0.1,) * 3, 4).words}" in said


def test_a_nearer_mechanism_that_is_not_ticked_is_named_where_it_is_surely_nearer() -> None:
    prior, n = (1.0, 1.0, 1.0), 6
    found = comparison(MECHANISMS, prior, n)
    best = found.ranked()[0].mechanism
    others = [one.mechanism for one in found.means if one.mechanism != best]
    assert f"**{best.label}**, which is not chosen" in limit_words.times(found, others)
    assert "not chosen" not in limit_words.times(found, [best, *others])
    unsure = _with_means(found, lambda mean: Measured(mean, 0.5))
    assert "not chosen" not in limit_words.times(unsure, others)


def test_a_limit_is_never_said_to_lie_higher_than_it_does() -> None:
    for value in np.random.default_rng(1).uniform(1e-4, 1, 50).tolist():
        shown = float(at_least(value))
        assert value * (1 - 1e-3) < shown <= value
    assert at_least(0.25) == "0.25"


def test_an_unknown_limit_says_why_and_gives_its_bounds() -> None:
    unknown = limit_of_privacy((1.0,) * 5, 60, 1.0)
    assert unknown.value is None and unknown.reason in limit_words.limit(unknown)
    bounded = dataclasses.replace(unknown, lower=0.25, upper=0.5)
    assert "between 0.25 and 0.5" in limit_words.limit(bounded)
    near = dataclasses.replace(bounded, measured=Measured(0.375, half_width=0.125), kind="linear programme")
    assert "a mean distance below 0.25, and there is one with 0.5." in limit_words.limit(near), "what is proved"


def test_draws_are_said_with_two_standard_errors() -> None:
    found = comparison(MECHANISMS[3:4])
    drawn = _with_means(found, lambda mean: Measured(mean, 0.01))
    assert "give or take two standard errors" in limit_words.times(drawn, [MECHANISMS[3](1.0)])
    assert "give or take" not in limit_words.times(found, [MECHANISMS[3](1.0)])
    assert found.limit.value
    sampled = dataclasses.replace(found.limit, measured=Measured(found.limit.value, 0.01))
    assert f"below {at_least(found.limit.value)} (give or take 0.01, an estimate)" in limit_words.limit(sampled)
    never = _with_means(found, lambda _: Measured(0.0))
    said = limit_words.times(never, [MECHANISMS[3](1.0)])
    assert "the mean below 1e-15 that was computed lies below that limit" in said and "Times that limit" not in said


def test_readings_name_the_mechanisms_whose_noise_aware_posterior_lies_farther() -> None:
    one, other = (kind(1.0) for kind in MECHANISMS[2:4])
    naive, nearest, far, near = map(Measured, (0.2, 0.19, 0.25, 0.15))
    said = limit_words.readings({one: (naive, nearest, far), other: (naive, nearest, near)})
    assert said.endswith(f"than the naive one for {one.label}.") and f"{other.label} 0.2 / 0.19 / 0.15" in said


def test_calibration_has_nothing_to_give_where_the_rate_stays() -> None:
    assert nothing_to_gain({"A": 1.0, "B": 1.5, "C": 1 + 1e-9}) == (
        "Calibration has nothing to give A and C, which already lose exactly epsilon.")
    assert nothing_to_gain({"B": 1.5}) == ""


def test_a_limit_near_0_leaves_readable_ratios() -> None:
    mechanisms = [kind(491.58) for kind in MECHANISMS]
    means = tuple(expected_distance(one, PRIOR, 3) for one in mechanisms)
    found = LimitComparison(limit_of_privacy(PRIOR, 3, 491.58), means)
    said = limit_words.times(found, mechanisms)
    assert "KNorm 1.07" in said and "e+" in said
    assert "±" not in said and "draws" not in said and "give or take" not in said
    assert max(map(len, said.split())) < 20


def test_a_limit_that_was_interpolated_is_said_at_its_lower_end() -> None:
    found = limit_of_privacy(PRIOR, 10**12, 1.0)
    assert found.lower is not None and found.value is not None
    assert at_least(found.lower) != at_least(found.value)
    assert f"below {at_least(found.lower)}." in limit_words.limit(found)


def test_a_mean_too_small_for_a_double_is_not_called_0() -> None:
    found = [expected_distance(kind(1e5), PRIOR, 3) for kind in MECHANISMS]
    assert 0 in [one.mean for one in found]
    assert "(0)" not in limit_words.ranking(found, [one.mechanism for one in found])
    assert limit_words.mean(expected_distance(EHD(1.0), PRIOR, 0)) == "0"


def test_whole_numbers_of_any_size_are_written_and_short() -> None:
    assert words.number(10**2500) == "1.000e+2500" and words.number(4 * 10**15) == "4,000,000,000,000,000"
    assert words.number(5.6e24) == "5.6e+24"
    assert [words.number(x) for x in (999.949, 999.96, 1234.5, 3942594.15)] == ["999.9", "1,000", "1,234", "3,943,000"]
    assert "at most 74 after" in sidebar.in_cases(1.0)
    assert "perhaps all after" in sidebar.in_cases(20.0)
    for k, n in ((3, 10**6), (2000, 4 * 10**15)):
        reason = limit_of_privacy((1.0,) * k, n, 1.0).reason
        assert f"n = {n:,}" in reason and len(reason) < 200


def test_how_near_k_norm_noise_comes_is_what_glossary_and_readme_say() -> None:
    told = [term.meaning for term in methods.TERMS] + [" ".join((ROOT / "README.md").read_text().split())]
    for prior in ((1.0,) * 3, (0.1,) * 3):
        half, one, two = (
            expected_distance(KNorm(epsilon), prior, 12, "nearest").mean / known_limit(prior, 12, epsilon)
            for epsilon in (0.5, 1.0, 2.0)
        )
        said = f"{half:.2f}, {one:.2f} and {two:.2f}", f"{half:.2f}, {one:.2f}, {two:.2f}"
        assert sum(any(times in text for times in said) for text in told) == 2
