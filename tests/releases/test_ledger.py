"""The ledger of releases: what several come to, its file, and what is refused; the errors to expect of a release."""

import dataclasses
import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from dpbi import MECHANISMS, ApproximateDP, NotPrivate, Problem, PureDP, Release, mechanisms, release
from dpbi.accuracy.trials import release_errors
from dpbi.mechanisms.guarantee import Guarantee
from dpbi.releases.ledger import Ledger, LedgerEntry, People, Raised, new_token, release_json
from tests import oracles
from tests.every_mechanism import Kind, every_class, lists_datasets
from tests.releases.damaged import damaged, read_or_refused
from tests.releases.entries import entry_of

PURE, CLAIM = PureDP(0.5, "theorem", "proved"), ApproximateDP(0.25, 1e-6, "claim", "stated")
PROVED, NOTHING = ApproximateDP(1.0, 1e-5, "exhaustive check", "checked"), NotPrivate("a control")


def entry(guarantee: Guarantee, people: str = "a") -> LedgerEntry:
    return LedgerEntry(new_token(), people, "Some mechanism", 12, "2026-11-28T01:02:03Z", guarantee)


def ledger(*guarantees: Guarantee) -> Ledger:
    return Ledger(tuple(entry(one) for one in guarantees))


@pytest.mark.parametrize(
    ("guarantees", "epsilon", "delta", "words"),
    [
        ((), 0, 0, "nothing"),
        ((PURE,), 0.5, 0, "0.5-DP"),
        ((PURE, PURE, PURE), 1.5, 0, "1.5-DP"),
        ((PURE, PROVED), 1.5, 1e-5, "(1.5, 1e-05)-DP"),
        ((PURE, CLAIM), 0.75, 1e-6, "(0.75, 1e-06)-DP, 1 of 2 only claimed"),
        ((NOTHING,), 0, 0, "no bound at all: not private"),
        ((PURE, NOTHING, PURE), 1, 0, "no bound at all: 1 not private, 1-DP without"),
    ],
)
def test_losses_add(guarantees: tuple[Guarantee, ...], epsilon: float, delta: float, words: str) -> None:
    total = ledger(*guarantees).total()
    assert (total.epsilon, total.delta, total.words) == (epsilon, delta, words)
    assert total.releases == len(guarantees)


def test_two_releases_lose_the_sum_exactly() -> None:
    """The pair (r, r') of two geometric releases, listed: its worst log ratio is epsilon + epsilon'."""
    first, second = 0.5, 0.8
    laws = {c: [oracles.LAWS["Geometric"]((1, 1), c, epsilon=e) for e in (first, second)] for c in ((2, 3), (3, 2))}
    (here, here_too), (there, there_too) = laws[2, 3], laws[3, 2]
    loss = max(oracles.mp.log(here[r] * here_too[s] / (there[r] * there_too[s])) for r in here for s in here_too)
    made = ledger(*(mechanisms.Geometric(e).guarantee((1, 1), 5) for e in (first, second)))
    assert float(loss) == pytest.approx(made.total().epsilon, rel=1e-12)


def test_people_are_told_apart_and_no_release_counts_twice() -> None:
    one, two = entry(PURE, "a"), entry(PURE, "b")
    both = Ledger((one,)).with_entries([two, one, two])
    assert both.entries == (one, two) and both.tokens == ("a", "b")
    of_both = Ledger((one, dataclasses.replace(one, people="b")))
    assert Ledger.from_json(of_both.to_json()) == of_both, "one release may be of both"
    assert both.of(["a"]).total().epsilon == 0.5
    assert both.of(["a", "b"]).total().epsilon == 1
    assert both.of([]).total().releases == 0


def test_the_file_comes_back() -> None:
    kept = ledger(PURE, CLAIM, PROVED, NOTHING)
    assert Ledger.from_json(kept.to_json()) == kept
    assert json.loads(kept.to_json())["people"][0]["epsilon"] == 1.75
    assert "\u00e9" in Ledger((dataclasses.replace(entry(PURE), mechanism="caf\u00e9"),)).to_json()


@every_class
def test_a_release_takes_its_ledger_along(kind: Kind) -> None:
    made = release(kind(0.7), Problem((1, 0.5), (12, 31)))
    people = People(new_token(), "Survey 2026", 3.0, (Raised("2026-11-28T01:02:03Z", 2.0, 3.0),))
    own = entry_of(made, people.token, "Do you smoke?", new_token())
    kept = Ledger((own,), (people,))
    text = release_json(own, ["yes", "no"], kept)
    assert Release.from_json(text) == made
    assert Ledger.from_json(text) == kept
    assert json.loads(text)["subject"] == {
        "people": "Survey 2026", "question": "Do you smoke?", "part": "", "version": own.version, "version_number": 1,
        "versions": 1,
    }
    with pytest.raises(ValueError, match="holds no ledger"):
        Ledger.from_json(made.to_json())


def test_a_release_takes_the_charges_of_other_questions_along_and_nothing_they_released() -> None:
    made = release(mechanisms.Geometric(1.0), Problem((1, 1), (12, 31)))
    own = dataclasses.replace(entry_of(made, "a", "Q1", "v"), who="Eve", remark="late")
    same, other, corrected = (
        entry_of(made, "a", *asked) for asked in (("q1 ", "v"), ("Q2", "w"), ("Q1", "x")))
    kept = Ledger((own, same, other, corrected, entry_of(made, "a")))
    found = Ledger.from_json(release_json(own, ["yes", "no"], kept)).entries
    assert [one.made is not None for one in found] == [True, True, False, False, False]
    assert [one.guarantee for one in found] == [made.guarantee] * 5
    assert not any(one.who or one.remark for one in found)
    assert Ledger.from_json(kept.to_json()) == kept, "the ledger's own file holds all"


def test_versions_are_those_of_a_question() -> None:
    made = release(mechanisms.Geometric(1.0), Problem((1, 1), (12, 31)))
    kept = Ledger(tuple(entry_of(made, "a", *asked) for asked in (("Q", "v"), ("R", "r"), (" q", "w"), ("Q", "v"))))
    assert kept.versions("Q") == ("v", "w") and kept.versions("R") == ("r",) and not kept.versions("new")
    assert [kept.place(one) for one in kept.entries] == [1, 1, 2, 1]
    assert kept.version_of("Q", "v") == "v" and len({kept.version_of("Q", None), kept.version_of("Q", None)}) == 2
    brought = dataclasses.replace(kept.entries[0], version="u", time="2020-01-01T00:00:00Z")
    assert Ledger((*kept.entries, brought)).versions("Q") == ("u", "v", "w"), "by their times"
    assert kept.version_of("", None) == "" and kept.place(entry_of(made, "a")) is None
    for question, version in (("Q", "r"), ("new", "v"), ("", "v")):
        with pytest.raises(ValueError, match="No release of this question"):
            kept.version_of(question, version)


def test_files_of_version_1_are_read_and_say_nothing_of_what_they_are_of() -> None:
    kept = ledger(PURE, CLAIM)
    document = kept.document()
    for one in document["releases"]:
        one["data"] = one.pop("people")
        one["version"] = "0.9"  # means nothing there
    del document["people"]
    document["format_version"] = 1
    assert Ledger.from_json(json.dumps(document)) == kept
    assert all(one.table is None for one in kept.entries)


def changed(name: str, value: Any) -> str:
    document = ledger(CLAIM).document()
    inner = document if name in document else document["releases"][0]
    if name.startswith("guarantee."):
        inner, name = inner["guarantee"], name.partition(".")[2]
    inner[name] = value
    return json.dumps(document)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("format", "dpbi settings 1", "no ledger of releases"),
        ("format_version", 4, "format version 4"),
        ("format_version", True, "format version True"),
        ("people", [{"name": "x"}], "must have token, name, budget, raised"),
        ("people", [{"token": "a", "name": "x", "raised": [], "budget": -1}], "epsilon must be greater than 0"),
        ("people", [{"token": "a", "name": "x", "raised": []}] * 2, "names the same people twice"),
        ("people", [{"token": "a", "name": "x", "raised": [{}]}], "time must be written"),
        ("question", "  ", "question must not be empty"),
        ("question", "x" * 201, "question may have at most 200 characters"),
        ("version", 5, "version must be text"),
        ("releases", {}, "must be a list"),
        ("releases", [{}] * 10_001, "at most 10,000"),
        ("releases", [5], "must have release, people"),
        ("time", "yesterday", "time must be written"),
        ("n", -1, "n must be at least 0"),
        ("people", "", "must be a list"),
        ("mechanism", 5, "mechanism must be text"),
        ("mechanism", "\ud800", "mechanism must be text that can be written in UTF-8"),
        ("guarantee.reason", "so \udfff", "reason must be text that can be written in UTF-8: character 4"),
        ("guarantee", "1-DP", "guarantee in the ledger must be one of"),
        ("guarantee.kind", "Best", "guarantee in the ledger must be one of"),
        ("guarantee.neighbours", "one record added", "do not add up"),
        ("guarantee.basis", "hope", "basis must be one of"),
        ("guarantee.kind", ["PureDP"], "guarantee in the ledger must be one of"),
        ("guarantee.epsilon", -1, "epsilon must be at least 0"),
        ("guarantee.epsilon", 1e308, "epsilon is too large: at most 2e\\+06"),
        ("guarantee.epsilon", "1", "epsilon must be a number"),
        ("guarantee.delta", 2, "delta is too large"),
        ("guarantee.reason", "x" * 3000, "reason may have at most 2,000 characters: got 3,000"),
    ],
)
def test_a_changed_file_is_refused(name: str, value: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Ledger.from_json(changed(name, value))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        *((text, "must be a JSON object in UTF-8: ") for text in ("", "[]", "5", "[" * 100_000)),
        ("{", "must be a JSON object in UTF-8: .*cannot be read from line 1, column 2 on"),
        ("\ufeff[1]", r"must be a JSON object in UTF-8: .*it holds \[1\]"),
        (b"\xff", "must be a JSON object in UTF-8: .*byte 1 is no UTF-8"),
        ('{"a": "' + '\\"[' * 100_000, "must be a JSON object in UTF-8: .*cannot be read from line 1, column 7 on"),
        ('{"format": "dpbi release"}', "This release holds no ledger"),
    ],
)
def test_what_is_no_ledger_is_refused(text: str | bytes, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Ledger.from_json(text)


@settings(max_examples=300)
@given(damaged(ledger(PURE, CLAIM, NOTHING).document()))
def test_a_damaged_ledger_is_refused_in_words_or_can_be_used(text: str) -> None:
    found = read_or_refused(lambda: Ledger.from_json(text))
    if found is not None:
        assert found.total(PURE).words
        assert Ledger.from_json(found.to_json().encode()) == found


def test_an_entry_of_epsilons_that_do_not_add_up_is_not_made() -> None:
    with pytest.raises(ValueError, match="epsilon is too large"):
        entry(PureDP(1.7e308, "theorem", "proved"))
    largest = mechanisms.Geometric(1e6).guarantee((1, 1), 5)
    assert entry(largest).guarantee == largest


# The errors to expect ---------------------------------------------------------------------------------


@every_class
def test_expected_errors_follow_the_law(kind: Kind) -> None:
    """E[||r - c||_1] over the prior predictive by enumeration; z-test of the mean, false-alarm rate 1e-6."""
    prior, n = (1.0, 2.0), 6
    found = release_errors(kind(1.0), prior, n)
    expected = sum(
        float(oracles.mp.beta(prior[0] + u, prior[1] + n - u) / oracles.mp.beta(*prior) * oracles.mp.binomial(n, u))
        * sum(float(p) * (abs(r[0] - u) + abs(r[1] - (n - u)))
              for r, p in oracles.LAWS[kind.__name__](prior, (u, n - u), epsilon=1.0).items())
        for u in range(n + 1)
    )
    assert 0 < abs(found.records.mean() - expected) < 4.9 * found.mean_records.error < 0.3 * expected
    assert found.datasets == 200 and found.shares.shape == (2_000, 2)
    assert found.mean_share == pytest.approx(np.abs(found.shares).mean())
    assert np.all(found.quantile_of_shares(0.025) <= found.quantile_of_shares(0.975))


def test_many_candidates_make_fewer_data_and_as_many_trials() -> None:
    listed = next(kind for kind in MECHANISMS if lists_datasets(kind))
    found = release_errors(listed(1.0), (1, 1, 1), 300)
    assert 10 <= found.datasets < 100 and found.records.size >= 200


def test_no_counts_are_asked_for_and_the_trials_are_the_same_again() -> None:
    for kind in {lists_datasets(kind): kind for kind in MECHANISMS}.values():
        one, two = (release_errors(kind(1.0), (1, 1), 9) for _ in range(2))
        assert np.array_equal(one.shares, two.shares)
