"""A release: the law of its draw, what its guarantee counts, what its files hold, and that they hold nothing more."""

import dataclasses
import functools
import inspect
import json
import random
import re
from collections.abc import Callable
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as some

import dpbi
from dpbi import MECHANISMS, NotPrivate, Problem, Release
from dpbi.mechanisms import Mechanism
from dpbi.mechanisms.fair_bits import WholeWeights
from dpbi.mechanisms.printed_bound import printed_bound
from dpbi.mechanisms.selection import secure_draw
from dpbi.partition import draws
from dpbi.releases import statement
from dpbi.releases.release import _release
from dpbi.sensitivity import least_local_sensitivity, local_sensitivities
from tests import oracles
from tests.every_mechanism import (
    Kind,
    Options,
    every_class,
    every_mechanism,
    has_rate,
    lists_datasets,
    option_fields,
    outputs,
)
from tests.goodness_of_fit import assert_follows
from tests.mechanisms.test_fair_bits import implied_weights
from tests.releases.damaged import damaged, read_or_refused
from tests.strategies import Drawn, problems

THEN = datetime(2026, 11, 28, 1, 2, 3, tzinfo=UTC)


def made(mechanism: Mechanism, problem: Problem, seed: int = 1) -> Release:
    """A release whose bits come from a seed, as only a test may ask for."""
    return _release(mechanism, problem, random.Random(seed).getrandbits, lambda: THEN)


def drawn_securely(mechanism: Mechanism, problem: Problem) -> np.ndarray:
    bits = random.Random(5).getrandbits
    size = 300 if mechanism.rounding(problem.prior, problem.n) else 2_000
    return np.array([mechanism.draw_securely(problem, bits) for _ in range(size)])


# The draw ---------------------------------------------------------------------------------------------


@every_mechanism
@pytest.mark.parametrize(("prior", "counts"), [((1.0, 2.0), (1, 4)), ((0.5, 1.0, 0.3), (0, 3, 1))], ids=str)
def test_draws_follow_the_oracles_law(
    kind: Kind, chosen: Options, prior: tuple[float, ...], counts: tuple[int, ...]
) -> None:
    """Thousands of draws, or hundreds of selections, whose weights have a test below; false-alarm rate 1e-6."""
    mechanism, problem = kind(1.1, **chosen), Problem(prior, counts)
    drawn = drawn_securely(mechanism, problem)
    law = oracles.LAWS[kind.__name__](prior, counts, epsilon=1.1, **chosen)
    assert_follows(drawn, {r: float(p) for r, p in law.items()})


@every_mechanism
def test_a_calibrated_mechanism_draws_from_its_calibrated_law(kind: Kind, chosen: Options) -> None:
    """Against the mechanism's own pmf, which has another test; false-alarm rate 1e-6."""
    problem = Problem((1, 1), (2, 5))
    mechanism = dataclasses.replace(kind(1.0, **chosen), calibration=(1.7, (1.0, 1.0), 7))
    drawn = drawn_securely(mechanism, problem)
    rows = outputs(kind(1.0, **chosen), problem)
    law = np.exp(mechanism.log_pmf(problem, rows))
    assert_follows(drawn, {tuple(r): float(p) for r, p in zip(rows.tolist(), law, strict=True)})


@every_class
def test_the_public_draw_takes_its_bits_from_the_operating_system(kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(inspect.signature(dpbi.release).parameters) == ["mechanism", "problem"]
    problem = Problem((1, 1), (5, 7))
    asked: list[int] = []

    def bits(count: int) -> int:
        asked.append(count)
        return random.Random(len(asked)).getrandbits(count)

    monkeypatch.setattr("secrets.randbits", bits)
    assert len({dpbi.release(kind(0.01), problem).released for _ in range(8)}) > 1 and asked


def test_nothing_is_kept_of_a_selection() -> None:
    """The lists of candidates made for private counts are remembered for no one."""
    problem = Problem((1, 1, 1.5), (31, 4, 1))
    remembered = [kept for _, kept in inspect.getmembers(draws) if hasattr(kept, "cache_info")]
    assert remembered
    before = [kept.cache_info() for kept in remembered]
    for kind in MECHANISMS:
        dpbi.release(kind(1.0), problem)
    assert [kept.cache_info() for kept in remembered] == before


# The guarantee ----------------------------------------------------------------------------------------


@given(problems())
def test_no_dataset_is_less_sensitive_than_the_bound(drawn: Drawn) -> None:
    least = least_local_sensitivity(drawn.prior, drawn.n)
    datasets = np.array(list(oracles.compositions(drawn.n, len(drawn.prior))))
    assert 0 < least <= local_sensitivities(drawn.prior, datasets).min() * (1 + 1e-12)


@every_mechanism
def test_rounding_is_within_what_the_guarantee_counts(kind: Kind, chosen: Options, monkeypatch: pytest.MonkeyPatch
                                                      ) -> None:
    """The law that the whole-number weights imply, against 50 digits: e^{+-rounding / 2} a probability at most."""
    prior, counts = (0.6, 1.0, 3.0), (3, 0, 2)
    mechanism, kept = kind(3.0, **chosen), []

    class Kept(WholeWeights):
        def __init__(self, log_weights: Any) -> None:
            super().__init__(log_weights)
            kept.append(self)

    monkeypatch.setattr(secure_draw, "WholeWeights", Kept)
    mechanism.draw_securely(Problem(prior, counts), random.Random(1).getrandbits)
    rounding = mechanism.rounding(prior, 5)
    if not has_rate(kind):
        assert 0 <= rounding < 1e-7
        return
    assert 0 < rounding < 1e-7
    law = oracles.LAWS[kind.__name__](prior, counts, epsilon=3.0, **chosen)
    candidates = [*oracles.compositions(5, 3)]
    whole = implied_weights(kept[0], len(candidates))
    off = [oracles.mp.log(oracles.mp.mpf(w) / sum(whole) / law[r]) for w, r in zip(whole, candidates, strict=True)]
    assert max(map(abs, off)) < rounding / 2


@every_mechanism
def test_the_guarantee_is_the_mechanisms_with_its_rounding(kind: Kind, chosen: Options) -> None:
    problem = Problem((1, 1), (3, 4))
    found, plain = made(kind(1.0, **chosen), problem).guarantee, kind(1.0, **chosen).guarantee((1, 1), 7)
    rounding = kind(1.0, **chosen).rounding((1.0, 1.0), 7)
    assert type(found) is type(plain) and found.neighbours == plain.neighbours and found.basis == plain.basis
    if isinstance(plain, NotPrivate) or rounding == 0:
        assert found == plain
    else:
        assert found.epsilon == plain.epsilon + rounding  # type: ignore[union-attr]
        assert f"{printed_bound(rounding, 1)} to epsilon" in found.reason


EXPORTS: dict[str, Callable[[Release], str]] = {
    "json": lambda found: found.to_json(),
    "table": lambda found: repr(statement.posterior_table(found)),
    "markdown": statement.statement_markdown,
    "html": statement.statement_html,
    "repr": repr,
}


@pytest.mark.usefixtures("few_points")
@every_mechanism
def test_no_file_holds_the_true_counts(kind: Kind, chosen: Options) -> None:
    """Distinctive counts; the bits are those of the first seed that moves both by more than the sums beside them."""
    problem, mechanism = Problem((1, 1), (157, 113)), kind(0.5, **chosen)
    found = next(
        release for seed in range(100)
        if np.abs(np.subtract((release := made(mechanism, problem, seed)).released, problem.counts)).min() > 2
    )
    private = {str(number) for count in problem.counts for number in (count, float(count))}
    private |= {repr(mechanism.rate(problem))} if hasattr(mechanism, "rate") else set()
    for name, export in EXPORTS.items():
        numbers = set(re.findall(r"\d+(?:\.\d+)?(?:e-?\d+)?", export(found)))
        assert str(found.released[0]) in numbers, name
        assert not numbers & private, name


@every_class
def test_two_datasets_that_release_the_same_give_the_same_file(kind: Kind) -> None:
    """The strongest form: the file is a function of what was released, whatever the counts were."""
    mechanism = kind(0.3)
    alike: dict[tuple[int, ...], dict[tuple[int, ...], Release]] = {}
    for counts in ((9, 11), (12, 8), (3, 17)):
        for seed in range(12):
            found = made(mechanism, Problem((1, 2), counts), seed)
            alike.setdefault(found.released, {})[counts] = found
    shared = [list(of_counts.values()) for of_counts in alike.values() if len(of_counts) > 1]
    assert shared and all(len({found.to_json() for found in several}) == 1 for several in shared[:3])


@every_mechanism
def test_json_comes_back(kind: Kind, chosen: Options) -> None:
    mechanism, calibrated = kind(0.7, **chosen), dpbi.calibrate(kind(1.0, **chosen), (1, 1), 15)
    assert calibrated.guarantee((1, 1), 15).basis == "exhaustive check"
    for one, problem in ((mechanism, Problem((1, 0.5), (12, 31))), (mechanism, Problem((1, 2, 3, 4), (1, 0, 7, 2))),
                         (mechanism, Problem((2, 2), (0, 0))), (calibrated, Problem((1, 1), (5, 10)))):
        found = made(one, problem)
        text = found.to_json()
        again = Release.from_json(text)
        assert again == found and hash(again) == hash(found) and again.to_json() == text
        assert Release.from_json(text.encode()) == found


@every_class
def test_a_delta_is_released_and_stated_with_epsilon(kind: Kind) -> None:
    """Neither is printed below the true one: what rounding the weights adds included."""
    problem, delta = Problem((1, 1), (5, 10)), 1e-3
    mechanism = dpbi.calibrate(kind(1.0), (1, 1), 15, delta=delta)
    found, rounding = made(mechanism, problem), mechanism.rounding((1, 1), 15)
    promised = found.guarantee
    assert isinstance(promised, dpbi.ApproximateDP) and promised.is_private and not found.stamp
    assert promised.epsilon == 1 + rounding and promised.delta >= delta * (1 + rounding / 2)
    assert promised.delta == pytest.approx(delta, rel=1e-6)
    printed = printed_bound(promised.delta)
    assert float(printed) >= delta and promised.words.endswith(f", {printed})-DP (exhaustive check)")
    for text in (statement.statement_markdown(found), statement.statement_html(found)):
        assert f", plus {printed}." in text.replace("\\", "") and "calibrated with delta 0.001" in text
        assert "; delta:" not in text, "the rule's own, which would read as what is promised"
    text = found.to_json()
    assert Release.from_json(text) == found and json.loads(text)["guarantee"]["delta"] == promised.delta
    written = json.loads(text)
    written["mechanism"]["fields"]["calibration"][3] = 9e-4
    with pytest.raises(ValueError, match="does not hold: its exact delta"):
        Release.from_json(json.dumps(written))


@every_class
def test_the_file_says_what_was_released_and_promised(kind: Kind) -> None:
    found = made(kind(0.7), Problem((1, 0.5), (12, 31)))
    read = json.loads(found.to_json(["yes", "no"]))
    assert read["released"] == list(found.released) and read["categories"] == ["yes", "no"]
    assert read["naive_posterior"]["parameters"] == [1 + found.released[0], 0.5 + found.released[1]]
    assert read["time"] == "2026-11-28T01:02:03Z" and read["version"] == dpbi.__version__
    assert read["guarantee"]["neighbours"] == "one record replaced; n and the prior are public"
    assert read["guarantee"]["basis"] in ("theorem", "claim", "exhaustive check")
    aware = read["noise_aware_posterior"]
    assert aware["mean"] == pytest.approx(found.noise_aware.mean.tolist())  # type: ignore[union-attr]
    assert [sum(marginal["probability"]) for marginal in aware["marginals"]] == pytest.approx([1, 1])
    nearest = dpbi.nearest_posterior(found.mechanism, found.prior, found.n, found.released)
    assert found.nearest == nearest and read["nearest_posterior"]["counts"] == list(nearest.counts)
    assert read["nearest_posterior"]["parameters"] == list(nearest.posterior)
    assert read["nearest_posterior"]["expected_distance"] == nearest.expected_distance


def test_a_file_without_the_nearest_posterior_is_read() -> None:
    """Files of earlier versions have none: it follows from the rest."""
    found = made(MECHANISMS[3](0.7), Problem((1, 0.5), (12, 31)))
    document = json.loads(found.to_json())
    del document["nearest_posterior"]
    document["format_version"] = 1
    again = Release.from_json(json.dumps(document))
    assert again == found and again.to_json() == found.to_json()


def test_where_no_noise_aware_posterior_exists_the_file_says_why() -> None:
    listed = [kind for kind in MECHANISMS if lists_datasets(kind)]
    found = made(listed[0](1.0), Problem((1, 1, 1), (22, 21, 21)))
    for reading in ("noise_aware_posterior", "nearest_posterior"):
        assert "up to n = 63, got n = 64" in json.loads(found.to_json())[reading]["unavailable"]
    assert statement.posterior_table(found)[0]["noise_aware_mean"] is None
    assert "not available" in statement.statement_markdown(found)


ABSENT = object()


def changed(found: Release, path: str, value: Any) -> str:
    document = found.document()
    *parents, last = path.split(".")
    inner = document
    for parent in parents:
        inner = inner[parent]
    inner[last] = value
    return json.dumps({name: kept for name, kept in document.items() if kept is not ABSENT})


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("format", "something", "no release of dpbi"),
        *((field, ABSENT, f"lacks {field}") for field in ("time", "guarantee", "released", "noise")),
        ("format_version", 4, "format version 4"),
        ("mechanism", "LSHist", "name and its fields"),
        ("mechanism.name", "Nothing", "mechanism must be one of"),
        ("mechanism.name", ["LSHist"], "mechanism must be one of"),
        ("mechanism.fields", {"epsilon": 1}, "The fields of"),
        ("mechanism.fields.epsilon", -1, "epsilon must be greater than 0"),
        ("mechanism.fields.epsilon", "1", "epsilon must be a number"),
        ("mechanism.fields.calibration", [1, 2], "calibration must be"),
        ("prior", [1, 0], r"prior\[1\]"),
        ("prior", "11", "prior must be"),
        ("n", 12.5, "n must be a whole number"),
        ("released", [5, 6], "probability of this release is 0"),
        ("released", [5, 5, 3], "2 counts"),
        ("released", "12", "released must be a sequence"),
        ("guarantee", None, "guarantee must be an object"),
        ("guarantee.epsilon", 0.1, "what this mechanism promises"),
        ("guarantee.epsilon", "0.7", "the guarantee's epsilon must be a number"),
        ("guarantee.epsilon", 10**400, "the guarantee's epsilon is too large"),
        ("guarantee.kind", "NotPrivate", "what this mechanism promises"),
        ("guarantee.basis", "claim", "what this mechanism promises"),
        ("time", "yesterday", "time must be written as"),
        ("time", 5, "time must be written as"),
        ("version", "", "version must not be empty"),
        ("version", "\ud800", "version must be text that can be written in UTF-8"),
    ],
)
def test_a_changed_file_is_refused(path: str, value: Any, words: str) -> None:
    found = made(dpbi.mechanisms.LSHist(0.7), Problem((1, 1), (5, 7)))
    with pytest.raises(ValueError, match=words):
        Release.from_json(changed(found, path, value))


@pytest.mark.parametrize("text", ["", "[]", "{", "12", "{}", '{"format": NaN}', b"\xff\xfe\xfa", "[" * 100_000])
def test_what_is_no_release_is_refused(text: str | bytes) -> None:
    with pytest.raises(ValueError, match=r"JSON|no release of dpbi"):
        Release.from_json(text)


@functools.cache
def calibrated_document(place: int) -> dict[str, Any]:
    return made(dpbi.calibrate(MECHANISMS[place](1.0), (1, 1), 7), Problem((1, 1), (5, 2))).document()


@settings(max_examples=300)
@given(some.sampled_from(range(len(MECHANISMS))).flatmap(lambda place: damaged(calibrated_document(place))))
def test_a_damaged_file_is_refused_in_words_or_can_be_used(text: str) -> None:
    found = read_or_refused(lambda: Release.from_json(text))
    if found is not None:
        assert Release.from_json(found.to_json().encode()) == found


# For people -------------------------------------------------------------------------------------------


@every_class
def test_the_table_holds_both_posteriors(kind: Kind) -> None:
    found = made(kind(0.7), Problem((1, 0.5, 2), (12, 3, 7)))
    rows = statement.posterior_table(found, ["a", "b", "c"])
    assert [row["category"] for row in rows] == ["a", "b", "c"]
    for i, row in enumerate(rows):
        low, high = dpbi.dirichlet.interval(found.naive, 0.95, i)
        assert (row["naive_low"], row["naive_high"]) == (float(low), float(high))
        ends = found.noise_aware.interval(0.95, i)  # type: ignore[union-attr]
        assert (row["noise_aware_low"], row["noise_aware_high"]) == ends


@pytest.mark.parametrize("low, high, printed", [
    (0.12341, 0.56781, "0.1234 to 0.5679"), (0.30000001, 0.30000002, "0.3000 to 0.3001"),
    (0.0, 1.0, "0.000 to 1.000"), (1.23456e-9, 0.2, "1.234e-09 to 0.2001"), (0.0, 5e-324, "0.000 to 4.941e-324"),
])  # fmt: skip
def test_intervals_are_rounded_outwards_where_people_read_them(low: float, high: float, printed: str) -> None:
    row = statement.outwards({"category": "a", "naive_low": low, "naive_mean": low, "naive_high": high})
    found = statement.mean_or_ends(row["naive_low"], row["naive_high"])
    assert found == printed and row["naive_mean"] == low
    assert Fraction(found.split(" to ")[0]) <= Fraction(low) and Fraction(high) <= Fraction(found.split(" to ")[1])


@pytest.mark.usefixtures("few_points")
@every_class
def test_the_statement_says_the_promise(kind: Kind) -> None:
    found = made(kind(0.7), Problem((1, 0.5), (12, 31)))
    markdown, page = statement.statement_markdown(found), statement.statement_html(found)
    assert bool(found.stamp) is not kind(0.7).guarantee((1, 0.5), 43).is_private
    assert all(("PRIVATE" in text) is bool(found.stamp) for text in (found.to_json(), markdown, page))
    assert kind.label in markdown and kind.label in page
    assert "epsilon = 0.7" in markdown
    assert not [field.name for field in dataclasses.fields(found.mechanism) if "_" in field.name and field.name in page]
    assert markdown.count("\n| category") == 2 and "2026-11-28T01:02:03Z" in page
    if isinstance(found.guarantee, NotPrivate):
        assert "Nothing:" in markdown
    else:
        assert "one record replaced" in markdown and "one record replaced" in page


def test_names_of_categories_are_no_markup() -> None:
    found = made(MECHANISMS[2](1.0), Problem((1, 1), (5, 7)))
    names = ["<script>alert(1)</script>", "a | b\n# c"]
    page, markdown = statement.statement_html(found, names), statement.statement_markdown(found, names)
    assert "<script" not in page
    assert r"\<script\>" in markdown
    assert r"a \| b \# c" in markdown
    assert "http" not in page
    with pytest.raises(ValueError, match="a label must be text that can be written in UTF-8"):
        found.to_json(["yes", "\ud800"])
    with pytest.raises(ValueError, match="labels must be 2 texts"):
        statement.posterior_table(found, ["only one"])


# Refusals ---------------------------------------------------------------------------------------------


def test_a_rate_beyond_exact_powers_is_refused() -> None:
    listed = [kind for kind in MECHANISMS if lists_datasets(kind)]
    with pytest.raises(ValueError, match="smaller epsilon"):
        dpbi.release(listed[0](1e6), Problem((1e9, 1e9), (5, 7)))


@every_class
def test_a_calibration_for_another_n_makes_no_release(kind: Kind) -> None:
    mechanism = dataclasses.replace(kind(1.0), calibration=(1.0, (1.0, 1.0), 5))
    with pytest.raises(ValueError, match="calibrated for prior"):
        dpbi.release(mechanism, Problem((1, 1), (5, 7)))


@pytest.mark.usefixtures("few_points")
@every_mechanism
def test_a_flag_is_said_where_it_is_set_and_never_denied(kind: Kind, chosen: Options) -> None:
    """With two categories the counts sum to n with or without the option that asks for it."""
    found = made(kind(1.0, **chosen), Problem((1, 1), (2, 3)))
    said = statement.statement_markdown(found)
    assert ("The released counts sum to n." in said) == (sum(found.released) == 5)
    assert (f"sum to {sum(found.released)} and not to n = 5" in said) == (sum(found.released) != 5)
    labels = {field.name: field.metadata["label"][1:] for field in option_fields(kind)}
    assert ": no" not in said
    assert ": yes" not in said
    for name, value in chosen.items():
        assert (labels[name] in said) == (value is not False)
