"""What the pages say of the limit of privacy and of averages under the public prior."""

from __future__ import annotations

import dataclasses
import re

import pytest

from dpbi import MECHANISMS, Problem, expected_distance, limit_of_privacy
from dpbi.dashboard.words import limit as limit_words
from dpbi.inference.limit_comparison import LimitComparison
from dpbi.mechanisms import Mechanism
from tests.dashboard.test_pages import everything
from tests.dashboard.test_scenario import opened

PRIOR, N = (1.0, 1.0), 12


def comparison(kinds: tuple[type[Mechanism], ...], prior: tuple[float, ...] = PRIOR, n: int = N) -> LimitComparison:
    return LimitComparison(
        limit_of_privacy(prior, n, 1.0), tuple(expected_distance(kind(1.0), prior, n) for kind in kinds))


def test_home_holds_every_mechanism_against_the_limit() -> None:
    at = opened()
    table = at.main.dataframe[0].value
    found = limit_of_privacy((1, 1), 90, 1.0)
    kinds = {kind.label: kind for kind in MECHANISMS}
    for name, times in zip(table["Mechanism"], table[limit_words.COLUMN], strict=True):
        mean = expected_distance(kinds[name](1.0), (1, 1), 90).mean
        assert times == pytest.approx(mean / found.value, rel=1e-12)
    assert f"{found.value:.4g}" in everything(at) and "releases a candidate posterior" in everything(at)
    assert Problem((1, 1), (48, 42)).n == 90


def test_the_ranking_names_every_proved_mechanism_once_in_order() -> None:
    found = comparison(MECHANISMS)
    said = limit_words.ranking(found)
    named = [word for word in re.findall(r"\w+", said) if word in {kind.label for kind in MECHANISMS}]
    assert named == [one.mechanism.label for one in found.ranked()]
    assert limit_words.PUBLIC in said


def test_a_nearer_mechanism_that_is_not_ticked_is_named_where_it_is_surely_nearer() -> None:
    prior, n = (1.0, 1.0, 1.0), 6
    found = comparison(MECHANISMS, prior, n)
    best = found.ranked()[0].mechanism
    others = [one.mechanism for one in found.means if one.mechanism != best]
    assert f"**{best.label}**, which is not ticked" in limit_words.times(found, others)
    assert "not ticked" not in limit_words.times(found, [best, *others])
    unsure = dataclasses.replace(found, means=tuple(dataclasses.replace(one, error=0.5) for one in found.means))
    assert "not ticked" not in limit_words.times(unsure, others)


def test_an_unknown_limit_says_why_and_gives_its_bounds() -> None:
    unknown = limit_of_privacy((1.0,) * 5, 60, 1.0)
    assert unknown.value is None and unknown.reason in limit_words.limit(unknown)
    bounded = dataclasses.replace(unknown, lower=0.25, upper=0.5)
    assert "between 0.25 and 0.5" in limit_words.limit(bounded)


def test_draws_are_said_with_two_standard_errors() -> None:
    found = comparison(MECHANISMS[3:4])
    drawn = dataclasses.replace(found, means=tuple(dataclasses.replace(one, error=0.01) for one in found.means))
    assert "give or take two standard errors" in limit_words.times(drawn, [MECHANISMS[3](1.0)])
    assert "± 0.02" in limit_words.ranking(drawn)
    assert "give or take" not in limit_words.times(found, [MECHANISMS[3](1.0)])
