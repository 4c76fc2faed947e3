"""All releases of the same data read as one: against enumeration, through files, and what is left out by name."""

import dataclasses
import itertools
import json
import re
from pathlib import Path

import numpy as np
import pytest
from scipy import special

import dpbi
from dpbi import Problem, Release
from dpbi.figures.release import together
from dpbi.mechanisms import Mechanism
from dpbi.releases.ledger import Ledger, LedgerEntry, ReadTogether, contradiction, release_json, together_table
from dpbi.releases.ledger_file import LedgerFile
from dpbi.releases.statement import statement_markdown
from tests import oracles
from tests.every_mechanism import lists_datasets
from tests.releases.entries import entry_of

PRIOR, COUNTS = (0.5, 2.0), (4, 3)
COUNTING = next(kind for kind in dpbi.MECHANISMS if not lists_datasets(kind))
ONE_COUNT = dpbi.mechanisms.Geometric  # noise on one of two counts: few outputs
LISTING = next(kind for kind in dpbi.MECHANISMS if lists_datasets(kind))
LABELS = ["yes", "no"]


@pytest.fixture(scope="module")
def two() -> Ledger:
    """By a mechanism whose noise falls on each count and by one that selects."""
    made = [dpbi.release(kind(epsilon), Problem(PRIOR, COUNTS)) for kind, epsilon in ((COUNTING, 1.5), (LISTING, 9.0))]
    return Ledger(tuple(entry_of(one, "people", "Q", "first") for one in made))


def read(kept: Ledger, entry: LedgerEntry | None = None) -> ReadTogether:
    found = kept.read_together(entry or kept.entries[0])
    assert found
    return found


def test_it_is_bayes_rule_over_all_datasets(two: Ledger) -> None:
    weights = []
    for u in range(8):
        prior = float(oracles.mp.binomial(7, u) * oracles.mp.beta(PRIOR[0] + u, PRIOR[1] + 7 - u))
        for entry in two.entries:
            assert entry.made
            mechanism = entry.made.mechanism
            law = oracles.LAWS[type(mechanism).__name__](PRIOR, (u, 7 - u), epsilon=mechanism.epsilon)
            prior *= float(law.get(entry.made.released, 0))
        weights.append(prior)
    mean = np.average([(PRIOR[0] + u) / 9.5 for u in range(8)], weights=weights)
    found = read(two)
    assert found.posterior is not None and not found.left_out and not found.contradiction
    assert found.posterior.mean[0] == pytest.approx(mean, rel=1e-6)
    rows = together_table(found, LABELS)
    assert [row["place"] for row in rows] == [1, 2, None] * 2
    assert rows[2]["mean"] == pytest.approx(mean, rel=1e-6) and rows[2]["low"] < mean < rows[2]["high"]
    fig = together(found, rows, LABELS)
    assert [trace.name.split(":")[0] for trace in fig.data] == ["release 1", "release 2", "all together"]


def test_the_files_carry_it(two: Ledger) -> None:
    document = json.loads(release_json(two.entries[0], LABELS, two, read(two)))["all_releases_together"]
    joint = read(two).posterior
    assert joint and document["mean"] == joint.mean.tolist()
    assert document["releases"] == [entry.release for entry in two.entries] and document["left_out"] == []
    again = Ledger.from_json(two.to_json())
    assert again == two


def test_what_cannot_be_read_with_it_is_named(two: Ledger) -> None:
    older = dataclasses.replace(two.entries[0], release="older", made=None)
    text = json.loads(two.to_json())
    del text["releases"][0]["made"]
    assert Ledger.from_json(json.dumps(text)).entries[0].made is None
    found = read(Ledger((*two.entries, older)))
    assert found.left_out == (f"The release by {older.mechanism} of {older.time} is left out: its entry does not say "
                              "what was released.",)  # fmt: skip
    flat = entry_of(dpbi.release(COUNTING(1.0), Problem((1, 1), COUNTS)), "people", "Q", "first")
    other = read(Ledger((*two.entries, flat)), flat)
    assert other.posterior is None and len(other.left_out) == 2 and "another prior" in other.left_out[0]
    assert not together_table(other, LABELS)


def test_categories_in_another_order_are_not_read_together(two: Ledger) -> None:
    """Of (10, 990) and (990, 10), one of them with its names exchanged."""
    first, second = (dataclasses.replace(entry, categories=tuple(LABELS)) for entry in two.entries)
    assert read(Ledger((first, second))).posterior
    turned = dataclasses.replace(second, categories=tuple(LABELS[::-1]))
    found = read(Ledger.from_json(Ledger((first, turned)).to_json()), first)
    assert found.posterior is None and "other categories, or names them in another order" in found.left_out[0]


@pytest.mark.parametrize("asked", [("Other", "first"), ("Q", "corrected"), ("", ""), ("Q", "")])
def test_only_what_was_stated_to_be_of_one_table_is_read_together(two: Ledger, asked: tuple[str, str]) -> None:
    """The same prior and n are no reason: another question, a corrected table, an entry of an older file."""
    question, version = asked
    other = dataclasses.replace(two.entries[1], question=question, version=version)
    kept = Ledger((two.entries[0], other, dataclasses.replace(two.entries[1], release="third")))
    assert [one.release for one in read(kept).used] == [two.entries[0].release, "third"]
    assert kept.read_together(other) is None
    assert Ledger((two.entries[0], other)).read_together(two.entries[0]) is None


def test_what_contradicts_itself_beyond_chance_is_said() -> None:
    """(4, 996) and (600, 400) under one name, hundreds of times the noise apart: a false alarm in e^100 runs."""
    def of(counts: tuple[int, int]) -> LedgerEntry:
        return entry_of(dpbi.release(COUNTING(2.0), Problem((1, 1), counts)), "people", "Q", "first", ["a", "*b*"])

    wrong = read(Ledger((of((4, 996)), of((600, 400)))))
    made = wrong.used[0].made
    assert made and re.search(r"contradict each other beyond chance: of '(a|\*b\*)', one says", wrong.contradiction)
    assert wrong.contradiction == wrong.document()["contradiction"]
    assert "so use it before any single one" not in (said := statement_markdown(made, LABELS, wrong))
    assert "contradict each other" in said


def test_releases_of_one_table_hardly_ever_contradict_each_other() -> None:
    """sum_{c, r, s} P(c) P(r | c) P(s | c) over the pairs that are said to: at most 1 in 1,000, by enumeration."""
    n, prior, mechanism = 12, (0.5, 2.0), ONE_COUNT(3.0)
    laws = [oracles.LAWS[ONE_COUNT.__name__](prior, (c, n - c), epsilon=3.0) for c in range(n + 1)]
    data = [float(oracles.mp.binomial(n, c) * oracles.mp.beta(prior[0] + c, prior[1] + n - c)
                  / oracles.mp.beta(*prior)) for c in range(n + 1)]
    outputs = sorted(set().union(*laws))
    made = {r: Release(mechanism, prior, n, r, mechanism.guarantee(prior, n), "1", "2026-11-28T01:02:03Z")
            for r in outputs}
    said = {(r, s) for r in outputs for s in outputs if contradiction([made[r], made[s]])}
    chance = sum(weight * float(law.get(r, 0)) * float(law.get(s, 0))
                 for weight, law in zip(data, laws, strict=True) for r, s in said)
    assert said and 0 < chance <= 1e-3


def test_an_entry_and_its_release_must_belong_together(two: Ledger) -> None:
    with pytest.raises(ValueError, match="do not belong together"):
        dataclasses.replace(two.entries[0], made=two.entries[1].made)
    text = json.loads(two.to_json())
    text["releases"][0]["made"]["released"] = [1]
    with pytest.raises(ValueError, match="released must hold 2"):
        Ledger.from_json(json.dumps(text))


def test_the_ledger_that_lasts_reads_its_releases(tmp_path: Path) -> None:
    kept = LedgerFile.opened(tmp_path / "l.sqlite")
    for _ in range(2):
        version = next(iter(kept.account("d").ledger.versions("Q")), None)
        _, entry = kept.release("d", COUNTING(0.5), Problem(PRIOR, COUNTS), question="Q", version=version)
    assert read(kept.account("d").whole, entry).posterior
    assert kept.account("d").ledger.read_together(entry) is None, "charges alone"


@pytest.mark.parametrize("mechanisms", [(ONE_COUNT(1.0), ONE_COUNT(0.5)), (ONE_COUNT(1.0), LISTING(4.0))], ids=str)
def test_on_average_under_the_prior_the_interval_holds_exactly_what_it_says(mechanisms: tuple[Mechanism, ...]) -> None:
    """sum_c sum_{r_1, r_2} P(c) P(r_1 | c) P(r_2 | c) P(theta in I(r_1, r_2) | c) by the oracles' laws: 0.95, no less.

    By the same sum at n = 90, uniform prior, Geometric at epsilon 0.5 twice: 0.95 to 1e-12 read together as for one
    release, and 0.878 for the naive interval of one.
    """
    n, u = 5, np.arange(6)
    laws = [[oracles.LAWS[type(one).__name__](PRIOR, (c, n - c), epsilon=one.epsilon) for c in range(n + 1)]
            for one in mechanisms]
    data = [float(oracles.mp.binomial(n, c) * oracles.mp.beta(PRIOR[0] + c, PRIOR[1] + n - c)
                  / oracles.mp.beta(*PRIOR)) for c in range(n + 1)]
    aware = naive = 0.0
    for pair in itertools.product(*(set().union(*listed) for listed in laws)):
        both = [[float(law.get(r, 0)) for law in listed] for listed, r in zip(laws, pair, strict=True)]
        ends = dpbi.joint_posterior(PRIOR, n, list(zip(mechanisms, pair, strict=True))).interval(0.95)
        too_sure = dpbi.dirichlet.interval(np.add(PRIOR, pair[0]), 0.95, category=0)
        held = [np.diff(special.betainc(PRIOR[0] + u, PRIOR[1] + n - u, np.transpose([one])), axis=0)[0]
                for one in (ends, too_sure)]
        aware, naive = np.array([aware, naive]) + held @ (data * np.prod(both, axis=0))
    assert aware == pytest.approx(0.95, abs=1e-10) and naive < 0.93
