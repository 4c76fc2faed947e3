"""What several files and names say of the same release and people: nothing counts twice, less, or in silence."""

import dataclasses
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import dpbi
from dpbi import ApproximateDP, NotPrivate, Problem, PureDP
from dpbi.mechanisms.guarantee import Guarantee
from dpbi.releases.kept_ledger import KeptLedger, of_all
from dpbi.releases.ledger import Ledger, LedgerEntry, completed, release_json
from dpbi.releases.ledger_file import LedgerFile
from dpbi.releases.ledger_in_memory import LedgerInMemory
from dpbi.releases.plan import new_plan
from dpbi.releases.statement import statement_markdown

PROBLEM, HALF, NINE = Problem((1, 1), (30, 70)), dpbi.mechanisms.Geometric(0.5), dpbi.mechanisms.Geometric(0.9)
_PROMISED = HALF.guarantee((1, 1), 100)
TENTH, TEN = dpbi.mechanisms.KNorm(0.1), Problem((1,) * 10, (30, 10) + (0,) * 8)


@pytest.fixture(params=[True, False])
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> KeptLedger:
    return LedgerFile.opened(tmp_path / "l.sqlite") if request.param else LedgerInMemory()


def again(kept: KeptLedger) -> KeptLedger:
    return LedgerFile.opened(kept.path) if isinstance(kept, LedgerFile) else kept


# --- one release under two names ---


@pytest.mark.parametrize("bob_first", [True, False])
def test_one_release_is_not_read_with_itself(bob_first: bool) -> None:
    session = LedgerInMemory()
    made, _ = session.release("Ann", HALF, PROBLEM, ["yes", "no"], question="HIV")
    session.bring("Bob", session.account("Ann").whole.entries)
    accounts = session.accounts[::-1] if bob_first else session.accounts
    read = dpbi.read_release(of_all(accounts).to_json())
    assert isinstance(made.noise_aware, dpbi.NoiseAwarePosterior)
    assert read.posterior.interval() == made.noise_aware.interval()
    whole = session.account("Ann").whole
    assert dataclasses.replace(whole, entries=whole.entries * 3).read_together(whole.entries[0]) is None


def test_releases_about_others_are_not_read_together_whatever_their_tokens_say() -> None:
    session = LedgerInMemory()
    _, entry = session.release("Ann", HALF, PROBLEM, ["yes", "no"], question="HIV")
    session.release("Ann", HALF, PROBLEM, ["yes", "no"], question="HIV", version=entry.version)
    session.bring("Bob", session.account("Ann").whole.entries[1:])
    whole = of_all(session.accounts)
    assert [len(found.used) if (found := whole.read_together(one)) else 1 for one in whole.entries] == [2, 2, 1]
    assert len({*dpbi.read_release(whole.to_json()).posterior.interval()}
               & {*session.account("Ann").whole.read_together(entry).posterior.interval()}) == 2  # type: ignore[union-attr]
    other = session.release("Bob", HALF, PROBLEM, ["yes", "no"], question="HIV", version=entry.version)[1]
    assert other.version == entry.version
    with pytest.raises(ValueError, match="ledger of 2 tables"):
        dpbi.read_release(of_all(session.accounts).to_json())


# --- two names become one ---


@pytest.mark.parametrize(("wrong", "right"), [("a", "x"), ("x", "a")])
def test_a_new_name_gets_no_plan_that_was_refused(tmp_path: Path, wrong: str, right: str) -> None:
    kept = LedgerFile.opened(tmp_path / "l.sqlite", epsilon=3)
    plan = new_plan(TENTH, 10, 40, 60, 1e-6)
    kept.release("a", dpbi.mechanisms.KNorm(0.5), TEN)
    with pytest.raises(ValueError, match="a plan is set before it"):
        kept.plan("a", plan)
    kept.plan("x", plan)
    for _ in range(30):
        kept.release("x", TENTH, TEN)
    kept.rename(wrong, right, "Eve")
    found = again(kept).account(right)
    assert found.people and not found.people.plans and found.ledger.total().words == "3.5-DP"
    (said,) = found.people.broken
    assert "by Eve. A plan fixed under one of them could not have been set for both" in said
    assert "comes to 3.5-DP, beyond the budget of 3: what was promised to them before does not hold" in said
    assert kept.left(found) == "0" and found.people.promise == "The budget of these people is epsilon 3."
    with pytest.raises(ValueError, match="beyond the budget"):
        kept.release(right, TENTH, TEN)


def test_a_plan_that_could_have_been_set_for_both_is_kept(tmp_path: Path) -> None:
    kept, smaller = (LedgerFile.opened(tmp_path / "l.sqlite", epsilon=epsilon) for epsilon in (3, 1))
    plan = new_plan(TENTH, 10, 40, 20, 1e-6)
    kept.plan("x", plan)
    kept.release("x", TENTH, TEN)
    kept.bring("nobody yet", [])
    kept.rename("x", "nobody yet")
    assert (people := kept.account("x").people) and people.plans == (plan,) and not people.broken
    assert "all releases about them together are to be (3, 1e-06)-DP" in people.promise
    assert people.promise in kept.kept(people) and "is epsilon 3." not in kept.kept(people)
    smaller.bring("others", [])
    kept.rename("x", "others")
    assert (people := kept.account("x").people) and not people.plans and people.budget == 1, "the plan is beyond 1"


@pytest.mark.parametrize(("wrong", "right"), [("a", "b"), ("b", "a")])
def test_what_is_beyond_the_budget_of_both_is_done_and_said(tmp_path: Path, wrong: str, right: str) -> None:
    kept = LedgerFile.opened(tmp_path / "l.sqlite", epsilon=1)
    for name in "ab":
        made, entry = kept.release(name, NINE, PROBLEM, ["yes", "no"], question="Q")
    before = kept.accounts
    assert not any(one.beyond for one in before)
    kept.rename(wrong, right, "Eve")
    found = again(kept).account(right)
    assert found.beyond and found.people
    assert "comes to 1.8-DP, beyond the budget of 1" in found.people.broken[0] and "by Eve" in found.people.broken[0]
    assert found.people.broken[0] in kept.kept(found.people)
    whole = found.whole
    assert Ledger.from_json(whole.to_json()) == whole
    (own,) = (one for one in whole.entries if one.release == entry.release)
    said = statement_markdown(made, None, None, whole.standing(own)).replace("\\", "")
    assert "beyond the budget of 1" in said and "Eve" not in said
    assert "beyond the budget of 1" in str(Ledger.from_json(release_json(own, ["yes", "no"], whole)).people[0].broken)
    assert "Eve" not in release_json(own, ["yes", "no"], whole)


# --- one release in two files ---


def charge(guarantee: Guarantee = _PROMISED, **said: Any) -> LedgerEntry:
    fields: dict[str, Any] = {"release": "token", "people": "there", "mechanism": HALF.label, "n": 100,
                              "time": "2026-11-28T01:02:03Z", "guarantee": guarantee} | said
    return LedgerEntry(**fields)


def full() -> LedgerEntry:
    made = dataclasses.replace(dpbi.release(HALF, PROBLEM), time="2026-11-28T01:02:03Z")
    return charge(made.guarantee, made=made, categories=("yes", "no"), question="Q", version="v")


NOTHING = PureDP(0.0, "theorem", "forged")


@pytest.mark.parametrize("forged_first", [True, False])
def test_a_forged_cost_never_wins_and_is_said(kept: KeptLedger, forged_first: bool) -> None:
    entries = [charge(NOTHING), full()]
    for one in entries if forged_first else entries[::-1]:
        kept.bring("Ann", [one])
        kept.bring("Ann", [one])
    (line,) = again(kept).account("Ann").lines
    assert line.entry.guarantee.words == "0.5-DP (theorem)" and line.entry.made and line.entry.question == "Q"
    (said,) = line.entry.corrected
    assert "two ledgers said that it cost" in said.words and "0-DP" in said.words and "0.5-DP" in said.words
    for one in entries:
        kept.bring("Ann", [one])
    assert kept.account("Ann").lines == (line,), "said once"


@pytest.mark.parametrize("first", [0, 1])
def test_the_fuller_entry_completes_the_other(kept: KeptLedger, first: int) -> None:
    """A release's own file holds the charges of others alone; the ledger brought later says what they were."""
    entry = full()
    for one in [(bare := dataclasses.replace(entry, made=None, categories=())), entry][::1 - 2 * first]:
        kept.bring("Ann", [one])
    (line,) = again(kept).account("Ann").lines
    assert line.entry.made == entry.made and line.entry.categories == ("yes", "no") and not line.entry.corrected
    kept.rename("Ann", "Bob")
    kept.bring("Ann Other", [bare])
    kept.rename("Bob", "Ann Other")
    (line,) = again(kept).account("Ann Other").lines
    assert line.entry.made == entry.made


@pytest.mark.parametrize(("change", "said"), [
    ({"n": 99}, "in the n: 100 and 99"), ({"mechanism": "Other"}, "in the mechanism"),
    ({"time": "2026-11-28T01:02:04Z"}, "time"), ({"part": "men"}, "in the part"),
    ({"question": "R"}, "in the question: 'Q' and 'R'"), ({"version": "w"}, "version"),
])  # fmt: skip
def test_what_contradicts_is_refused_in_words(kept: KeptLedger, change: dict[str, Any], said: str) -> None:
    bare = dataclasses.replace(full(), made=None, categories=())
    kept.bring("Ann", [bare])
    before = kept.accounts
    with pytest.raises(ValueError, match=f"Two ledgers contradict each other.*{said}"):
        kept.bring("Ann", [charge(), dataclasses.replace(bare, **change)])
    assert again(kept).accounts == before
    with pytest.raises(ValueError, match="contradict"):
        Ledger((bare,)).with_entries([dataclasses.replace(bare, **change)])


def test_other_counts_names_and_costs_in_one_file_are_refused() -> None:
    one, other = full(), full()
    assert one.made and other.made
    made = dataclasses.replace(other.made, released=(*reversed(one.made.released),))
    for changed in (dataclasses.replace(one, made=made), dataclasses.replace(one, categories=("no", "yes"))):
        with pytest.raises(ValueError, match="contradict"):
            completed(one, changed)
    with pytest.raises(ValueError, match="says twice what the release"):
        Ledger((charge(),)).with_entries([charge(NOTHING)])


def test_what_was_drawn_here_is_known_best(kept: KeptLedger) -> None:
    kept.release("Ann", HALF, PROBLEM, ["yes", "no"], question="Q")
    (entry,) = kept.account("Ann").whole.entries
    before = kept.accounts
    kept.bring("Ann", [entry, dataclasses.replace(entry, made=None, categories=())])
    for guarantee in (NOTHING, PureDP(7.0, "theorem", "forged"), NotPrivate("forged")):
        with pytest.raises(ValueError, match=r"was drawn here and cost 0\.5-DP"):
            kept.bring("Ann", [dataclasses.replace(entry, made=None, categories=(), guarantee=guarantee)])
    assert again(kept).accounts == before


def test_an_older_export_does_not_undo_a_correction_nor_is_refused(kept: KeptLedger) -> None:
    old = LedgerInMemory()
    old.release("Ann", HALF, PROBLEM, ["yes", "no"], question="Smokign")
    (before,) = old.account("Ann").whole.entries
    old.correct("Ann", before.release, question="Smoking", remark="typo")
    (after,) = old.account("Ann").whole.entries
    for name, entries in (("one", (before, after)), ("two", (after, before))):
        for entry in entries:
            kept.bring(name, [entry])
        (found,) = kept.account(name).whole.entries
        assert (found.question, found.remark, found.corrected) == ("Smoking", "typo", after.corrected)


@pytest.mark.parametrize(("one", "two", "said"), [
    (PureDP(1.0, "theorem", "a"), ApproximateDP(0.5, 1e-6, "theorem", "b"), "(1, 1e-06)-DP (theorem)"),
    (PureDP(1.0, "claim", "a"), PureDP(0.5, "theorem", "b"), "1-DP (claim)"),
    (PureDP(1.0, "theorem", "a"), PureDP(0.5, "claim", "b"), "1-DP (claim)"),
    (PureDP(1.0, "theorem", "a"), NotPrivate("b"), "not private in general"),
    (ApproximateDP(1.0, 1e-9, "exhaustive check", "a"), ApproximateDP(1.0, 1e-8, "theorem", "b"),
     "(1, 1e-08)-DP (exhaustive check)"),
])  # fmt: skip
def test_two_costs_come_to_what_both_bound(one: Guarantee, two: Guarantee, said: str) -> None:
    for first, second in ((one, two), (two, one)):
        assert completed(charge(first), charge(second)).guarantee.words == said
    planned = charge(one, plan="p")
    assert not completed(planned, charge(one)).plan and not completed(charge(one), planned).plan, "the plain sum"


# --- what takes whose place ---


def test_a_version_takes_another_ones_place_only_where_that_was_said(kept: KeptLedger) -> None:
    first, second = (kept.release("Ann", HALF, PROBLEM, question="Q")[1] for _ in range(2))
    whole = kept.account("Ann").whole
    assert not whole.superseded
    assert whole.standing(second).words[-1] == "2 tables of this question were released; this is number 2."
    third = kept.release("Ann", HALF, PROBLEM, question="Q", corrects=second.version)[1]
    fourth = kept.release("Ann", HALF, PROBLEM, question="Q", corrects=third.version)[1]
    whole = again(kept).account("Ann").whole
    assert Ledger.from_json(whole.to_json()) == whole
    said = [whole.standing(one).words[-1] for one in whole.entries]
    assert "is number 1" in said[0] and "corrected by version 4: use that" in said[1] and "version 4" in said[2]
    assert "which was stated to correct version 3: use it in place of that" in said[3]
    assert [one.version in whole.superseded for one in whole.entries] == [False, True, True, False]
    kept.correct("Ann", fourth.release, corrects=first.version)
    whole = kept.account("Ann").whole
    assert [one.version in whole.superseded for one in whole.entries] == [True, True, False, False]
    kept.correct("Ann", fourth.release, corrects="")
    kept.correct("Ann", third.release, version=fourth.version)  # of another table, which corrects nothing
    whole = kept.account("Ann").whole
    assert not whole.superseded and whole.newest(first.version) == first.version
    with pytest.raises(ValueError, match="No release of this question"):
        kept.release("Ann", HALF, PROBLEM, question="Q", corrects="elsewhere")


def test_a_table_of_another_membership_corrects_nothing(kept: KeptLedger) -> None:
    table = dpbi.CountTable.of(["North", "South"], {"Q": {"yes": [3, 5], "no": [4, 2]}})
    _, entry = kept.release_table("Ann", [HALF], table)
    with pytest.raises(ValueError, match="with membership private does not correct it"):
        kept.release_table("Ann", [HALF], table, membership="private", corrects=entry.version)
    kept.release_table("Ann", [HALF], table, corrects=entry.version)
    account = again(kept).account("Ann")
    assert [one.version in account.ledger.superseded for one in account.ledger.entries] == [True, False]
    assert account.lines[0].asked == (("Q", 0.5),)


# --- another file in its place ---


def replaced(path: Path, copy: Path) -> None:
    os.replace(copy, path)


def overwritten(path: Path, copy: Path) -> None:
    path.write_bytes(copy.read_bytes())


@pytest.mark.parametrize("put", [replaced, overwritten])
def test_an_emptier_file_in_its_place_is_noticed(tmp_path: Path, put: Callable[[Path, Path], None]) -> None:
    kept = LedgerFile.opened(tmp_path / "l.sqlite", epsilon=1)
    kept.bring("others", [])
    shutil.copy(kept.path, copy := tmp_path / "copy.sqlite")
    kept.release("Ann", NINE, PROBLEM)
    put(kept.path, copy)
    for asked in (lambda: kept.release("Ann", NINE, PROBLEM), lambda: kept.accounts, lambda: kept.names,
                  lambda: kept.account("Ann"), lambda: kept.rename("Ann", "Bob")):  # fmt: skip
        with pytest.raises(ValueError, match=r"l\.sqlite was replaced while the app was running.*start it with this"):
            asked()
    assert not LedgerFile.opened(kept.path).account("Ann").lines, "nothing was written to it"


def test_the_same_file_put_back_is_the_same(tmp_path: Path) -> None:
    kept, other = (LedgerFile.opened(tmp_path / "l.sqlite") for _ in range(2))
    changes = kept.changes
    other.release("Ann", HALF, PROBLEM)
    assert kept.changes != changes and len(kept.account("Ann").lines) == 1
    kept.path.rename(tmp_path / "elsewhere")
    with pytest.raises(ValueError, match=r"is gone, or was moved|cannot be opened"):
        kept.account("Ann")
    (tmp_path / "elsewhere").rename(kept.path)
    kept.release("Ann", HALF, PROBLEM)
    assert len(other.account("Ann").lines) == 2


def test_another_file_that_comes_between_charge_and_draw_shows_no_draw(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dpbi.releases import release

    kept = LedgerFile.opened(tmp_path / "l.sqlite")
    shutil.copy(kept.path, copy := tmp_path / "copy.sqlite")
    draw = release.release

    def drawn(*asked: Any) -> Any:
        os.replace(copy, kept.path)
        return draw(*asked)

    monkeypatch.setattr(release, "release", drawn)
    with pytest.raises(ValueError, match=r"was replaced while the app was running.*A draw that cannot be written"):
        kept.release("Ann", HALF, PROBLEM)
