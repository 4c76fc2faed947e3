"""A table released at once: its charge, its file, its parts read alone and together."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dpbi
from dpbi.data.count_table import CountTable
from dpbi.mechanisms.guarantee import ApproximateDP, Guarantee, NotPrivate, PureDP
from dpbi.mechanisms.printed_bound import printed_bound
from dpbi.releases import release as release_module
from dpbi.releases.ledger import Ledger, release_json
from dpbi.releases.ledger_file import LedgerFile
from dpbi.releases.ledger_in_memory import LedgerInMemory
from dpbi.releases.plan import new_plan
from dpbi.releases.table_release import ASSUMED, TableRelease, composed, table_entry
from dpbi.releases.table_statement import table_rows, table_statement_html, table_statement_markdown
from tests.oracles import compositions, log_evidence_counts

KNORM, GEOMETRIC = dpbi.mechanisms.KNorm, dpbi.mechanisms.Geometric
TABLE = CountTable.of(
    ["North", "South", "Nobody"],
    {"Smokes?": {"yes": [12, 30, 0], "no": [28, 20, 0]}, "Votes": {"a": [9, 11, 0], "b": [18, 9, 0], "c": [13, 30, 0]}},
)
MEMBERSHIPS = ("public", "private")
SPLIT = [KNORM(0.4), KNORM(0.6)]


@pytest.fixture(scope="module", params=MEMBERSHIPS)
def released(request: pytest.FixtureRequest) -> TableRelease:
    return dpbi.release_tables(SPLIT, TABLE, membership=request.param)


def test_what_is_charged_is_the_sum_over_questions_of_the_dearest_group(released: TableRelease) -> None:
    found = released.guarantee
    assert isinstance(found, PureDP) and found.basis == "theorem"
    assert found.epsilon == pytest.approx(sum(released.epsilons))
    assert found.epsilon == 1.0
    assert found == dpbi.guarantee_of_tables(SPLIT, TABLE, membership=released.membership)


@pytest.mark.parametrize("membership", MEMBERSHIPS)
def test_one_mechanism_is_split_over_the_questions(membership: Any) -> None:
    table = CountTable.of(["N", "S"], {"Q1": {"yes": [30, 40], "no": [20, 10]}, "Q2": {"yes": [900, 300],
                                                                                        "no": [900, 600]}})  # fmt: skip
    split = dpbi.table_split(GEOMETRIC(1.0), table, [(1, 1), (1, 1)], membership=membership)
    made = dpbi.release_tables(GEOMETRIC(1.0), table, membership=membership)
    assert made.epsilons == split.epsilons
    assert split.epsilons[0] != split.epsilons[1]
    sizes = [[50, 50], [1800, 900]] if membership == "public" else [[100], [2700]]
    prior = (1, 1) if membership == "public" else (1, 1, 1, 1)
    assert split == dpbi.split_epsilon(GEOMETRIC(1.0), [prior, prior], sizes)


@pytest.mark.parametrize(("epsilons", "whole"), [((0.1, 0.2), 0.3), ((1 / 3,) * 3, 1.0), ((0.7, 0.2, 0.1), 1.0)])
def test_epsilons_add_as_decimals_in_all_that_is_stored(epsilons: tuple[float, ...], whole: float) -> None:
    table = CountTable.of(["A"], {f"Q{i}": {"yes": [3], "no": [4]} for i in range(len(epsilons))})
    kept = LedgerInMemory()
    made, entry = kept.release_table("us", [GEOMETRIC(one) for one in epsilons], table)
    assert isinstance(made.guarantee, PureDP) and made.guarantee.epsilon == whole
    assert json.loads(made.to_json())["guarantee"]["epsilon"] == whole
    assert json.loads(kept.account("us").whole.to_json())["people"][0]["epsilon"] == whole
    assert entry.guarantee == made.guarantee and dpbi.read_release_table(made.to_json()) == made


def test_one_draw_a_group_or_one_for_all(released: TableRelease) -> None:
    counts = {len(row) for row in released.releases}
    assert counts == ({3} if released.membership == "public" else {1})
    if released.membership == "private":
        for row, k in zip(released.releases, (2, 3), strict=True):
            assert len(row[0].released) == 3 * k
            assert row[0].n == 90  # only the number of all people
        text = released.to_json()
        assert '"n": 40' not in text and '"n": 50' not in text
    assert len({one.time for row in released.releases for one in row}) == 1


def test_the_loss_of_a_table_is_no_more_than_what_is_charged() -> None:
    """Over all pairs of neighbours of a small table, from the mechanisms' own laws."""
    mechanism, prior = KNORM(0.8), (1.0, 1.0)
    outputs = [(i, j) for i in range(-15, 20) for j in range(-15, 20) if min(i, j) >= 0]
    before, after = dpbi.Problem(prior, (3, 1)), dpbi.Problem(prior, (2, 2))  # one group's; the other's is the same
    possible = [r for r in outputs if mechanism.can_release(4, r)]
    losses = np.array([mechanism.log_pmf(before, r) - mechanism.log_pmf(after, r) for r in possible])
    charged = composed([[mechanism.guarantee(prior, 4), mechanism.guarantee(prior, 4)]])
    assert isinstance(charged, PureDP)
    assert np.abs(losses).max() <= charged.epsilon + 1e-12
    # of a person who answered two questions both change: the losses add, and the bound is attained
    twice = composed([[mechanism.guarantee(prior, 4)] * 2] * 2)
    assert isinstance(twice, PureDP)
    assert np.add.outer(losses, losses).max() == pytest.approx(twice.epsilon, abs=1e-9)


@pytest.mark.parametrize(("parts", "kind", "epsilon", "delta", "basis"), [
    ([[PureDP(1.0, "theorem", "a"), PureDP(2.0, "theorem", "a")], [PureDP(0.5, "theorem", "b")]],
     PureDP, 2.5, 0.0, "theorem"),
    ([[PureDP(1.0, "theorem", "a"), ApproximateDP(0.5, 1e-6, "theorem", "b")],
      [ApproximateDP(1.0, 1e-7, "claim", "c")]],
     ApproximateDP, 2.0, 1.1e-6, "claim"),
    ([[PureDP(1.0, "exhaustive check", "a")], [PureDP(1.0, "theorem", "b")]], PureDP, 2.0, 0.0, "exhaustive check"),
])  # fmt: skip
def test_composition(
    parts: list[list[Guarantee]], kind: type[Guarantee], epsilon: float, delta: float, basis: str
) -> None:
    found = composed(parts)
    assert isinstance(found, kind) and not isinstance(found, NotPrivate)
    assert found.epsilon == pytest.approx(epsilon)
    assert str(found.basis) == basis
    assert getattr(found, "delta", 0.0) == pytest.approx(delta)
    assert (f"Deltas are counted alike: {printed_bound(getattr(found, 'delta', 0.0))}." in found.reason) == (delta > 0)
    nothing = composed([*parts, [NotPrivate("no bound")]])
    assert isinstance(nothing, NotPrivate)
    assert not nothing.is_private


def test_the_file_holds_every_part_and_gives_it_back(released: TableRelease) -> None:
    text = released.to_json()
    again = dpbi.read_release_table(text)
    assert again == released
    assert again.to_json() == text
    for question in TABLE.questions:
        for group in TABLE.groups:
            here, there = released.posterior(question, group), again.posterior(question, group)
            assert here.mean.tobytes() == there.mean.tobytes()
            part = dpbi.read_release(text, part=(question, group))
            assert part.labels == TABLE.labels(question)
            assert part.posterior.mean.tobytes() == here.mean.tobytes()
            assert f"Group: {group}" in part.remarks
            assert ASSUMED[released.membership] in part.remarks
    for item in json.loads(text)["questions"]:
        for part in item["parts"]:
            alone = dpbi.read_release(json.dumps(part["release"]))
            assert len(alone.labels) == len(item["categories"]) * len(part["groups"])
    with pytest.raises(ValueError, match="2 questions and 3 groups"):
        dpbi.read_release(text)
    with pytest.raises(ValueError, match="question must be one of"):
        dpbi.read_release(text, part=("Age", "North"))


def test_groups_of_private_membership_share_what_is_known() -> None:
    made = dpbi.release_tables([KNORM(2.0), KNORM(1.0)], TABLE, membership="private")
    blocks = [made.posterior("Votes", group) for group in TABLE.groups]
    assert sum(one.mean_counts.sum() for one in blocks) == pytest.approx(90, abs=1e-6)
    whole = made.releases[1][0].noise_aware
    assert not isinstance(whole, str)
    assert np.allclose(np.concatenate([one.mean_counts for one in blocks]), whole.mean_counts, atol=1e-8)
    assert made.epsilons == (2.0, 1.0)
    assert 0 < dpbi.compare(blocks[0], blocks[1]).probability_greater < 1


def test_a_group_with_nobody_is_its_prior_and_a_table_of_one_part_is_a_release() -> None:
    made = dpbi.release_tables(SPLIT, TABLE, priors=[(2, 1), (1, 1, 2)])
    assert made.posterior("Votes", "Nobody").mean.tolist() == [0.25, 0.25, 0.5]
    one = dpbi.release_tables(GEOMETRIC(0.7), CountTable.of([], {"Q": {"yes": [3], "no": [9]}}))
    assert one.epsilons == (0.7,)
    assert dpbi.read_release(one.to_json()).release == one.releases[0][0]
    assert len(table_rows(one)) == 2
    assert "<h2>What is promised</h2>" in table_statement_html(one)


@cache
def file_of_a_table(number: int = 1) -> str:
    """One whose released counts are others backwards; two groups have the same size, two questions the same answers."""
    table = CountTable.of([*TABLE.groups, "East"], {
        title: {label: [*(one.counts[i] for one in row), row[0].counts[i]] for i, label in enumerate(row[0].labels)}
        for title, row in zip((*TABLE.questions, "Drinks?"), (*TABLE.counts, TABLE.counts[0]), strict=True)})
    made = dpbi.release_tables([KNORM(1.0), KNORM(50.0), KNORM(1.0)], table)
    first, *others = [[replace(one, time="2026-01-31T12:00:00Z") for one in row] for row in made.releases]
    first[0] = replace(first[0], released=(number, 40 - number))
    return replace(made, releases=(tuple(first), *map(tuple, others))).to_json()


def swapped(both: list[dict[str, Any]], name: str) -> None:
    one, other = both
    one[name], other[name] = other[name], one[name]


@pytest.mark.parametrize("change", [
    lambda file: file["guarantee"].update(epsilon=0.1),
    lambda file: file.update(membership="private"),
    lambda file: file.update(groups=["North", "South", "East"]),
    lambda file: file["questions"][0].update(title="Votes"),
    lambda file: file["questions"][0]["parts"].reverse() or file["questions"][0]["parts"].pop(),
    lambda file: file["questions"][0]["parts"][0].update(groups=["South"]),
    lambda file: file["questions"][1]["parts"][0]["release"]["released"].reverse(),
    lambda file: file["questions"][1]["parts"][0]["release"]["categories"].reverse(),
    lambda file: file["questions"][1].update(categories=["a", "c", "b"]),
    lambda file: file["questions"][1].pop("parts"),
    lambda file: file.update(stamp="NOT PRIVATE"),
    lambda file: file.update(format_version=99),
    lambda file: file.update(questions="none"),
    *(lambda file, name=name: file.update({name: "0.1-DP"})
      for name in ("protected", "composition", "assumed", "digest", "digest_says")),
    lambda file: file["guarantee"].update(words="0.1-DP (theorem)"),
    lambda file: file["guarantee"].update(reason="nothing is known"),
    lambda file: file["guarantee"].update(epsilon=52 - 9e-7),
    lambda file: file["guarantee"].update(epsilon=52 - 1e-12),
    lambda file: file.update(answered_only=True),
    lambda file: file.update(groups_found=True),
    lambda file: file["questions"][0].update(categories_found=True),
    lambda file: file["questions"][0].update(epsilon=0.9),
    lambda file: file["questions"][0]["parts"][0]["release"]["guarantee"].update(words="0.1-DP (theorem)"),
    lambda file: file["questions"][0]["parts"][0]["release"]["of_table"].update(question="Votes"),
    lambda file: file["questions"][0]["parts"][0]["release"].pop("of_table"),
    lambda file: swapped(file["questions"][0]["parts"][::3], "release"),  # of equal n
    lambda file: swapped(file["questions"][::2], "title"),
    lambda file: file["questions"].pop(2) and file["guarantee"].update(
        words="51-DP (theorem)", epsilon=51.0) and file.pop("composition"),
    lambda file: file["questions"][0]["parts"][0].update(
        release=json.loads(file_of_a_table(2))["questions"][0]["parts"][0]["release"]),  # of the same second
])  # fmt: skip
def test_a_file_that_contradicts_itself_is_refused(change: Any) -> None:
    file = json.loads(file_of_a_table())
    change(file)
    with pytest.raises(ValueError, match=r"."):
        dpbi.read_release_table(json.dumps(file))


def test_a_file_of_the_first_version_is_read_and_says_nothing_else_of_its_numbers(released: TableRelease) -> None:
    file = json.loads(released.to_json())
    for name in ("digest", "digest_says", "groups_found", "answered_only"):
        file.pop(name)
    for item in file["questions"]:
        item.pop("categories_found")
        for part in item["parts"]:
            part["release"].pop("of_table")
    old = {**file, "format_version": 1, "composition": "as it was worded"}
    old["guarantee"]["reason"] = "as it was worded"
    assert dpbi.read_release_table(json.dumps(old)) == released
    for lie in ({"protected": "all"}, {"assumed": "nothing"}, {"guarantee": {**old["guarantee"], "words": "0.1-DP"}}):
        with pytest.raises(ValueError, match="is not what follows"):
            dpbi.read_release_table(json.dumps({**old, **lie}))


def test_a_part_read_alone_says_what_it_is_a_part_of(released: TableRelease) -> None:
    for item in json.loads(released.to_json())["questions"]:
        for part in item["parts"]:
            remarks = dpbi.read_release(json.dumps(part["release"])).remarks
            assert f"Question: {item['title']}" in remarks
            assert any(one.startswith("Group") and part["groups"][0] in one for one in remarks)
    assert len({released.digest, replace(released, groups_found=True).digest}) == 2


def test_names_of_cells_never_run_together() -> None:
    table = CountTable.of(["A", "A / B"], {"Q": {"B / C": [3, 1], "C": [2, 5]}})
    made = dpbi.release_tables([KNORM(1.0)], table, membership="private")
    assert dpbi.read_release_table(made.to_json()) == made


@pytest.mark.parametrize("membership", MEMBERSHIPS)
def test_who_did_not_answer_and_which_lists_are_public_is_said(membership: Any) -> None:
    rows = "region,a,b\nN,yes,x\nN,no,y\nS,yes,\nS,no,y\nS,yes,x\n"
    lists = {"groups": ["N", "S"], "categories": {"a": ["yes", "no"], "b": ["x", "y"]}}
    for said, answered_only, found in (
        ({"missing": "drop"}, True, "the list of the groups and of the categories:"),
        ({"missing": "drop", "groups": ["N", "S"], "categories": {"b": ["x", "y"]}}, True, "the categories of a:"),
        ({"missing": "keep", **lists}, False, "they were given, and not found in the data"),
    ):
        table = dpbi.read_tables(rows.encode(), "a.csv", by="region", questions=["a", "b"], layout="raw", **said)
        made = dpbi.release_tables([KNORM(1.0), KNORM(1.0)], table, membership=membership)
        assert made.answered_only is answered_only
        for text in (table_statement_markdown(made), made.to_json()):
            assert ("Not protected is whether somebody answered a question" in text) is answered_only
            assert "Only the number of all people is public" not in text or not answered_only
        assert found in table_statement_markdown(made)
        assert dpbi.read_release_table(made.to_json()) == made
        estimated = "Sizes of the groups, estimated: N about" in table_statement_markdown(made)
        assert estimated is (membership == "private")


def test_the_statement_says_what_the_ledger_knows_of_these_people() -> None:
    ledger = LedgerInMemory()
    ledger.release("P", GEOMETRIC(0.5), dpbi.Problem((1, 1), (2, 3)), ["yes", "no"], question="Age")
    made, entry = ledger.release_table("P", SPLIT, TABLE)
    whole = ledger.account("P").ledger
    text = table_statement_markdown(made, standing=whole.standing(entry)).replace("\\", "")
    assert "The ledger knows of 2 releases about these people; together: 1.5-DP." in text
    assert "People, as stated with the release: P" in text


def test_the_statement_says_whom_it_protects_and_how_it_adds_up(released: TableRelease) -> None:
    text = table_statement_markdown(released, "the survey of 2026")
    for said in ("the survey of 2026", "Smokes?", "North", "Who is protected against what", "plain sum",
                 "Assumed of groups", "not in this statement"):  # fmt: skip
        assert said in text
    private = released.membership == "private"
    assert ("which group they are in" in text) is private
    assert ("sizes of the groups, public" in text) is not private
    rows = table_rows(released)
    assert len(rows) == 3 * 2 + 3 * 3
    assert all((row["n"] is None) is private for row in rows)
    assert all(isinstance(row["mean"], float) and row["low"] <= row["mean"] <= row["high"]  # type: ignore[operator]
               for row in rows)


def test_a_table_that_is_not_private_says_so() -> None:
    bad = CountTable.of(["N", "S"], {"Q": {"yes": [3, 2], "no": [4, 5]}})
    made = dpbi.release_tables(dpbi.mechanisms.EHDL(1.0), bad)
    assert made.stamp.startswith("NOT PRIVATE")
    assert "NOT PRIVATE" in table_statement_markdown(made)
    with pytest.raises(ValueError, match="no product over categories"):
        dpbi.release_tables(dpbi.mechanisms.EHD(1.0), bad, membership="private").posterior("Q", "N")


def test_one_charge_in_the_ledger() -> None:
    guarantee = dpbi.guarantee_of_tables(SPLIT, TABLE)
    entry = table_entry(guarantee, SPLIT, TABLE, "token", time="2026-01-31T12:00:00Z", who="me")
    assert (entry.n, entry.question, entry.part, entry.mechanism) == (90, "Smokes?; Votes", "each of 3 groups", "KNorm")
    assert entry.guarantee == guarantee
    assert type(entry).read(entry.document()) == entry


@pytest.mark.parametrize(("mechanisms", "said", "wrong"), [
    ([KNORM(1.0)], {}, "one for each of the 2 questions"),
    (KNORM(1.0), {"priors": [(1, 1)]}, "one for each question"),
    (KNORM(1.0), {"membership": "secret"}, "membership must be one of"),
    ("KNorm", {}, "must be"),
])  # fmt: skip
def test_what_is_asked_wrongly(mechanisms: Any, said: dict[str, Any], wrong: str) -> None:
    with pytest.raises(ValueError, match=wrong):
        dpbi.release_tables(mechanisms, TABLE, **said)


def opened(path: Path, budget: float | None = None) -> LedgerFile:
    return LedgerFile.opened(path, budget)


@pytest.mark.parametrize("membership", MEMBERSHIPS)
def test_a_kept_ledger_charges_a_table_once_before_it_is_drawn(tmp_path: Path, membership: Any) -> None:
    for ledger in (LedgerInMemory(), opened(tmp_path / "a.sqlite", 3.0)):
        made, entry = ledger.release_table("People", SPLIT, TABLE, membership=membership, who="me", remark="first")
        here = ledger.account("People")
        (line,) = here.lines
        assert (line.is_table, line.can_be_shown, line.broken_off) == (True, False, False)
        assert dpbi.read_release_table(line.document or "") == made
        part = "each of 3 groups" if membership == "public" else "3 groups as one table"
        assert (line.entry.guarantee, line.entry.who, line.entry.part) == (made.guarantee, "me", part)
        assert here.ledger.total().epsilon == here.whole.total().epsilon == 1.0
        assert entry.release == line.entry.release
        again = Ledger.from_json(here.whole.to_json())
        assert again.total().epsilon == 1.0
    again_opened = opened(tmp_path / "a.sqlite", 3.0).account("People")
    assert dpbi.read_release_table(again_opened.lines[0].document or "") == made


def test_beyond_the_budget_nothing_of_a_table_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = opened(tmp_path / "a.sqlite", 1.5)
    ledger.release_table("People", SPLIT, TABLE)
    monkeypatch.setattr(release_module, "release", lambda *_: pytest.fail("drawn"))
    with pytest.raises(ValueError, match="beyond the budget"):
        ledger.release_table("People", SPLIT, TABLE)
    assert len(ledger.account("People").lines) == 1


def test_a_draw_that_fails_leaves_its_charge(monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = LedgerInMemory()

    def fails(*_: object) -> None:
        raise ValueError("No draw.")

    monkeypatch.setattr(release_module, "release", fails)
    with pytest.raises(ValueError, match=r"No draw\. Its charge of 1-DP \(theorem\) stands"):
        ledger.release_table("People", SPLIT, TABLE)
    (line,) = ledger.account("People").lines
    assert line.broken_off
    assert ledger.account("People").ledger.total().epsilon == 1.0


# --- several releases of the same table ---


SMALL = CountTable.of(["N", "S", "Nobody"], {"Q": {"yes": [1, 1, 0], "no": [1, 0, 0]}})


@pytest.mark.parametrize("membership", MEMBERSHIPS)
def test_releases_of_one_table_are_read_as_one(membership: Any) -> None:
    """Against Bayes' rule over all counts: prior times each mechanism's own probability of what it released."""
    mechanisms = [KNORM(0.7), GEOMETRIC(1.1), KNORM(0.7)]
    made = [dpbi.release_tables([one], SMALL, [(2, 1)], membership=membership) for one in mechanisms]
    found = dpbi.tables_together([dpbi.read_release_table(one.to_json()) for one in made])
    assert not found.stamp
    for g, group in enumerate(SMALL.groups):
        parts = [one.release_of("Q", group) for one in made]
        prior, first = parts[0].prior, 2 * g if membership == "private" else 0
        weights: list[float] = []
        shares: list[float] = []
        for counts in compositions(parts[0].n, len(prior)):
            drawn = sum(float(one.mechanism.log_pmf(dpbi.Problem(prior, counts), one.released)) for one in parts)
            weights.append(float(log_evidence_counts(prior, counts)) + drawn)
            shares.append((2 + counts[first]) / (3 + counts[first] + counts[first + 1]))
        mean = float(np.average(shares, weights=np.exp(weights)))
        assert found.posterior("Q", group).mean[0] == pytest.approx(mean, abs=1e-9)
    rows = table_rows(made[0], found)
    assert {row["released"] for row in rows} == {None}
    assert [row["mean"] for row in rows][::2] == [found.posterior("Q", group).mean[0] for group in SMALL.groups]


def test_releases_of_other_tables_are_not_read_together() -> None:
    first = dpbi.release_tables([KNORM(1.0)], SMALL)
    of = {"Q": {"yes": [1, 1, 0], "no": [1, 0, 0]}}
    for other, wrong in (
        (dpbi.release_tables([KNORM(1.0)], SMALL, membership="private"), "differ in membership"),
        (dpbi.release_tables([KNORM(1.0)], SMALL, [(2, 1)]), "size or in a prior"),
        (dpbi.release_tables([KNORM(1.0)], CountTable.of(["N", "S", "W"], of)), "differ in groups"),
        (dpbi.release_tables([KNORM(1.0)], CountTable.of(SMALL.groups, {"R": of["Q"]})), "differ in questions"),
        (dpbi.release_tables([KNORM(1.0)], CountTable.of(SMALL.groups, {"Q": {
            "no": [1, 1, 0], "yes": [1, 0, 0]}})), "differ in categories"),
        (dpbi.release_tables([KNORM(1.0)], CountTable.of(SMALL.groups, {"Q": {
            "yes": [1, 1, 1], "no": [1, 0, 0]}})), "size or in a prior"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=wrong):
            dpbi.tables_together([first, other])
    assert first.is_of(SMALL, "public")
    assert not first.is_of(SMALL, "private")
    assert not first.is_of(CountTable.of(SMALL.groups, {"Q": {"yes": [1, 1, 1], "no": [1, 0, 0]}}), "public")
    with pytest.raises(ValueError, match="two releases of a table at least"):
        dpbi.tables_together([first])
    with pytest.raises(ValueError, match="question must be one of"):
        dpbi.tables_together([first, first]).posterior("R", "N")


def test_tables_that_contradict_each_other_say_where() -> None:
    one, other = (dpbi.release_tables([KNORM(8.0)], CountTable.of(["N", "S"], {"Q": {"a": [5, a], "b": [5, 90 - a]}}))
                  for a in (5, 80))  # fmt: skip
    found = dpbi.tables_together([one, other]).contradiction
    assert found.startswith("Q, S: They contradict each other beyond chance")
    assert not dpbi.tables_together([one, one]).contradiction


def test_the_same_table_again_has_its_version_and_a_table_of_one_draw_is_a_release_like_others() -> None:
    ledger = LedgerInMemory()
    _, first = ledger.release_table("P", [KNORM(1.0)], SMALL)
    _, again = ledger.release_table("P", [KNORM(1.0)], SMALL, version=first.version)
    _, other = ledger.release_table("P", [KNORM(1.0)], SMALL)
    assert again.table == first.table != other.table
    with pytest.raises(ValueError, match="No release of this question by that version"):
        ledger.release_table("P", SPLIT, TABLE, version=first.version)
    alone = CountTable.of([], {"Smokes": {"yes": [2], "no": [3]}})
    made, entry = ledger.release_table("Q", [KNORM(1.0)], alone)
    single, said = ledger.release("Q", GEOMETRIC(1.0), dpbi.Problem((1, 1), (2, 3)), ["yes", "no"],
                                  question="smokes", version=entry.version)  # fmt: skip
    whole = ledger.account("Q").whole
    together = whole.read_together(said)
    assert together is not None
    assert together.posterior is not None
    both = [(one.mechanism, one.released) for one in (made.releases[0][0], single)]
    assert together.posterior.mean.tobytes() == dpbi.joint_posterior((1, 1), 5, both).mean.tobytes()
    charged = next(one for one in whole.entries if one.release == said.release)
    published = dpbi.read_release(release_json(charged, ["yes", "no"], whole, together))
    assert published.posterior.mean.tobytes() == together.posterior.mean.tobytes()


def test_a_table_is_on_a_plan_where_it_is_one_draw() -> None:
    """G k cells and all people are its k and n; groups of public sizes and several questions are off the plan."""
    one = CountTable.of(["N", "S"], {"Q": {"yes": [1, 1], "no": [1, 0]}})
    ledger = LedgerInMemory()
    ledger.plan("P", plan := new_plan(KNORM(0.1), 4, 3, 2, 1e-6))
    for _ in range(2):
        _, entry = ledger.release_table("P", [KNORM(0.1)], one, membership="private")
        assert entry.plan == plan.token
    here = ledger.account("P")
    assert here.ledger.drawn() == ({plan: 2}, [])
    assert here.whole.drawn() == ({plan: 2}, [])
    _, beyond = ledger.release_table("P", [KNORM(0.1)], one, membership="private")
    ledger.plan("R", new_plan(KNORM(0.1), 2, 3, 9, 1e-6))
    _, of_groups = ledger.release_table("R", [KNORM(0.1)], one)
    two = CountTable.of([], {"Q": {"yes": [1], "no": [2]}, "R": {"yes": [1], "no": [2]}})
    _, of_questions = ledger.release_table("R", [KNORM(0.1)] * 2, two)
    assert not beyond.plan + of_groups.plan + of_questions.plan
    assert ledger.account("R").ledger.total().epsilon == pytest.approx(0.3)
