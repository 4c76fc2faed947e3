"""What the pages say of the limit of privacy and of averages under the public prior."""

import dataclasses
import re
from collections.abc import Callable

import numpy as np
import pytest

from dpbi import MECHANISMS, expected_distance, limit_of_privacy, tables as data
from dpbi.accuracy.order import Measured
from dpbi.dashboard.views import methods
from dpbi.dashboard.words import limit as limit_words, privacy_loss, sidebar, words
from dpbi.inference.limit_comparison import LimitComparison
from dpbi.mechanisms import EHD, KNorm, Mechanism
from dpbi.mechanisms.printed_number import at_least
from tests.dashboard.person import ROOT, everything, opened

PRIOR, N = (1.0, 1.0), 12


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
    for name, times in zip(table["Mechanism"], table[data.TIMES_LIMIT], strict=True):
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
    assert "Not known of" not in said and "not ticked" not in said and "larger epsilon" not in said
    assert f"**{first}**, which is not ticked" in limit_words.ranking(found, ticked[1:])


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
    assert f"**{best.label}**, which is not ticked" in limit_words.times(found, others)
    assert "not ticked" not in limit_words.times(found, [best, *others])
    unsure = _with_means(found, lambda mean: Measured(mean, 0.5))
    assert "not ticked" not in limit_words.times(unsure, others)


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
    assert privacy_loss.nothing_to_gain({"A": 1.0, "B": 1.5, "C": 1 + 1e-9}) == (
        "Calibration has nothing to give A and C, which already lose exactly epsilon.")
    assert privacy_loss.nothing_to_gain({"B": 1.5}) == ""


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
    assert "in at most 74 of 100 after" in sidebar.in_cases(1.0)
    assert "perhaps in all 100 after" in sidebar.in_cases(20.0)
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
