"""The search for counter-examples: it finds what is there, and what is stored of it is so."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from dpbi.papers.claims import CLAIMS, Case, Claim, Setting
from dpbi.papers.claims.claim import Grid, case
from dpbi.papers.claims.searched import SEARCHED
from dpbi.problem.problem import Problem
from tests.papers import search

BY_NAME = {claim.name: claim for claim in CLAIMS}


# --- it finds the counter-examples of statements that were once said to hold, and does not know them ---


def step_of_the_lemma() -> Claim:
    """Without the counter-examples in its grid, which ended at n = 6."""
    claim = BY_NAME["The step of Lemma 2.3"]
    return replace(claim, places=replace(claim.places, found=()))


def share_above_0() -> Claim:
    """LS(x) goes to 0 if and only if the *share* of the rarer category stays above 0."""
    claim = BY_NAME["LS(x) goes to 0 as n grows"]

    def cases(problem: Problem, setting: Setting) -> Iterator[Case]:
        for one in claim.cases(problem, setting):
            yield replace(one, within=dict(one.inputs)["rarer count"] == "at its share")

    return replace(claim, cases=cases, condition="its share stays above 0", places=replace(claim.places, totals=(3,)))


def every_distance_up_to_one_step() -> Claim:
    """Theorem 4.5 at k = 0, at most, EHDL, at every t: the flat prior and one record show no counter-example."""
    claim = BY_NAME["Theorem 4.5 at k = 0, at most, EHDL"]
    return replace(claim, condition="", places=Grid(((1.0, 1.0),), (1,), "all", epsilons=(1.0,)))


@pytest.mark.parametrize(("old", "label", "explored", "climbs", "seed"), [
    (step_of_the_lemma, "holds", 60, 1, 17),  # so short a search finds it at every eighth seed or so
    (share_above_0, "holds if and only if its share stays above 0", 20, 0, 0),
    (every_distance_up_to_one_step, "holds", 200, 0, 0)])
def test_the_search_finds_what_three_old_statements_missed(
    old: Callable[[], Claim], label: str, explored: int, climbs: int, seed: int
) -> None:
    claim = replace(old(), name=f"old: {old().name}")
    assert claim.finding.label == label
    found = search.search(claim, explored, climbs, seed)
    assert found.contradictions
    for setting, one in found.contradictions:
        assert one in claim.check(setting).cases and one.decided


def planted(depth: float) -> Claim:
    """Broken near epsilon = 3, delta = 0.9 and a prior parameter of 50 alone."""
    def cases(problem: Problem, setting: Setting) -> Iterator[Case]:
        far = math.log(setting.epsilon / 3) ** 2 + math.log(problem.prior[0] / 50) ** 2 + (setting.delta - 0.9) ** 2
        yield case(setting.named("epsilon", "prior", "delta"), {"far": far}, far - depth)

    return Claim(f"planted {depth:g}", "Invented.", "ours", Grid(epsilons=(1.0,)), cases)


def test_the_search_climbs_into_a_small_hole_and_counts_no_rounding() -> None:
    """A hole of about a millionth of the searched range; one as deep as rounding is none."""
    assert search.search(planted(1e-3), explored=60).contradictions
    assert not search.search(planted(0.0), explored=60).contradictions
    assert not search.search(planted(1e-10), explored=60).contradictions


# --- what is stored of it ---


@pytest.mark.parametrize("name", SEARCHED)
def test_the_stored_search_begins_as_it_does_today_and_contradicts_no_finding(name: str) -> None:
    settings, ends, first = SEARCHED[name]
    found = search.first(BY_NAME[name])
    assert not found.contradictions
    assert len(found.settings) == first <= settings
    for thing, (low, high) in search.ends(found).items():
        assert ends[thing][0] <= low and high <= ends[thing][1], thing


def test_the_verdict_says_what_was_searched() -> None:
    words = BY_NAME["LSZhang keeps epsilon"].finding.words
    settings, ends, _ = SEARCHED["LSZhang keeps epsilon"]
    assert f"in none of {settings:,} settings: k = {ends['k'][0]} to {ends['k'][1]}; " in words
    assert f"n = {ends['n'][0]} to {ends['n'][1]:,}" in words
