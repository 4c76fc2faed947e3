"""What was said of people and releases is corrected, with its history; what is spent stays spent. In both ledgers, and
in the file also where the process is killed within it.
"""

import dataclasses
import json
import signal
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import dpbi
from dpbi import Problem, PureDP
from dpbi.releases import ledger, ledger_file, release
from dpbi.releases.kept_ledger import KeptLedger, charges_of, of_all
from dpbi.releases.ledger import Corrected, Ledger, LedgerEntry, People, Raised
from dpbi.releases.ledger_file import LedgerFile
from dpbi.releases.ledger_in_memory import LedgerInMemory
from dpbi.releases.plan import new_plan
from tests.releases.test_ledger_file import VERSION_1, die, entry, in_a_process

PROBLEM = Problem((1, 1), (27, 31))
HALF = dpbi.mechanisms.Geometric(0.5)
RIGHT, WRONG = "Survey 2026", "Survey 2062"


@pytest.fixture(params=[True, False])
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> KeptLedger:
    return LedgerFile.opened(tmp_path / "l.sqlite") if request.param else LedgerInMemory()


def released(kept: KeptLedger, name: str, question: str = "Q", **said: Any) -> LedgerEntry:
    return kept.release(name, HALF, PROBLEM, ["yes", "no"], question=question, **said)[1]


def tokens(kept: KeptLedger, name: str) -> list[str]:
    return [line.entry.release for line in kept.account(name).lines]


def again(kept: KeptLedger) -> KeptLedger:
    """As another process finds it."""
    return LedgerFile.opened(kept.path) if isinstance(kept, LedgerFile) else kept


def test_a_name_is_corrected_and_its_total_goes_along(kept: KeptLedger) -> None:
    """Under the wrong name nobody gets a new total: it leads to the same people for ever."""
    first = released(kept, WRONG)
    kept.rename("SURVEY  2062", f" {RIGHT} ", "Ada")
    assert kept.names == (RIGHT,) and again(kept).account(WRONG) == kept.account(RIGHT)
    people = kept.account(RIGHT).people
    assert people and people.token == first.people
    (was,) = people.renamed
    assert (was.what, was.before, was.after, was.who) == ("name", WRONG, RIGHT, "Ada")
    second = released(kept, WRONG)
    assert tokens(kept, RIGHT) == [first.release, second.release]
    assert kept.account(WRONG).ledger.total().words == "1-DP"
    kept.rename(RIGHT, RIGHT.upper())
    kept.rename(RIGHT, WRONG)  # back, and the other name stays theirs too
    assert kept.names == (WRONG,) and tokens(again(kept), RIGHT) == [first.release, second.release]
    assert (now := kept.account(RIGHT).people) and len(now.renamed) == 3
    assert Ledger.from_json(of_all(kept.accounts).to_json()).people == (now,)


def test_two_names_of_the_same_people_become_one(kept: KeptLedger) -> None:
    right, wrong = released(kept, RIGHT), released(kept, WRONG)
    brought = entry(PureDP(0.25, "theorem", "proved"))
    for name in (RIGHT, WRONG):
        kept.bring(name, [brought])
    kept.bring(RIGHT, [kept.account(WRONG).whole.entries[0]])  # as somebody did who noticed it
    kept.rename(WRONG, RIGHT)
    found = again(kept).account(RIGHT)
    assert {line.entry.release for line in found.lines} == {right.release, wrong.release, brought.release}
    assert len(found.lines) == 3 and found.ledger.total().words == "1.25-DP", "each counts once"
    assert sum(line.can_be_shown for line in found.lines) == 2, "what was drawn here is kept, not the copy of it"
    assert found == again(kept).account(WRONG) and kept.names == (RIGHT,)
    assert found.people and found.people.token == right.people
    kept.rename(RIGHT, "Survey")
    assert tokens(kept, WRONG) == tokens(kept, RIGHT) == tokens(again(kept), "survey"), "former names go along"
    released(kept, "others")
    for name in (RIGHT, WRONG):
        with pytest.raises(ValueError, match="Others had the name"):
            kept.rename("others", name)
    for name, now, said in (("nobody", "x", "Nobody has this name"), ("others", " ", "must not be empty")):
        with pytest.raises(ValueError, match=said):
            kept.rename(name, now)


def test_plans_of_two_names_go_along_where_no_budget_was_promised(kept: KeptLedger) -> None:
    for name in (RIGHT, WRONG):
        kept.plan(name, new_plan(HALF, 2, PROBLEM.n, 4, 1e-4))
        released(kept, name)
    kept.rename(WRONG, RIGHT)
    released(kept, RIGHT)
    assert (people := again(kept).account(RIGHT).people) and len(people.plans) == 2
    assert kept.account(RIGHT).ledger.total().planned == 3


def test_the_smaller_budget_holds_and_no_name_brings_a_delta_to_it(tmp_path: Path) -> None:
    kept = LedgerFile.opened(tmp_path / "l.sqlite", epsilon=2)
    larger = LedgerFile.opened(tmp_path / "l.sqlite", epsilon=3)
    for name in (RIGHT, WRONG):
        kept.plan(name, new_plan(HALF, 2, PROBLEM.n, 4, 1e-4))
    larger.plan("unbegun", new_plan(HALF, 2, PROBLEM.n, 2, 1e-4))
    for name in (RIGHT, WRONG, WRONG):
        released(kept, name)
    released(larger, "larger")
    for name in (WRONG, "larger", "unbegun"):
        kept.rename(name, RIGHT)
    found = kept.account(RIGHT)
    assert found.people and found.people.budget == 2 and not found.people.plans
    assert [one.dropped for one in found.people.merged] == [2] and "by the plain sum" in found.people.broken[0]
    assert not found.beyond and not found.ledger.total().planned
    assert found.ledger.total().epsilon == 2 and not found.ledger.total().delta
    assert "beyond the budget" in kept.refusal(found, HALF.guarantee((1, 1), PROBLEM.n))


def test_a_question_and_a_remark_are_corrected_and_the_release_reads_as_the_others(kept: KeptLedger) -> None:
    first = released(kept, RIGHT, "Smoking", who="Ada")
    typo = released(kept, RIGHT, "Smokign", remark="eve")
    before = kept.account(RIGHT).ledger
    kept.correct(RIGHT, typo.release, question="smoking", version=first.version, remark="evening", who="Bob")
    found = again(kept).account(RIGHT).whole
    assert found.entries[1].table == found.entries[0].table
    assert [(one.what, one.before, one.after, one.who) for one in found.entries[1].corrected] == [
        ("question", "Smokign", "smoking", "Bob"), ("version", typo.version, first.version, "Bob"),
        ("remark", "eve", "evening", "Bob")]  # fmt: skip
    assert "the question was 'Smokign'" in found.entries[1].corrected[0].words
    together = found.read_together(found.entries[1])
    assert together and len(together.used) == 2
    assert found.total() == before.total() and [one.guarantee for one in found.entries] == [
        one.guarantee for one in before.entries]  # fmt: skip
    assert found.entries[1].categories == ("yes", "no") and Ledger.from_json(found.to_json()) == found
    assert not any(one.corrected or one.who for one in found.published(found.entries[0]).entries)
    kept.correct(RIGHT, typo.release, remark="")
    assert len(kept.account(RIGHT).ledger.entries[1].corrected) == 4
    brought = dataclasses.replace(found.entries[0], release="brought", question="B")
    kept.bring(RIGHT, [brought])
    kept.correct(RIGHT, "brought", question="C", who="Ada")
    (*_, line) = again(kept).account(RIGHT).lines
    assert line.brought and line.entry.made == brought.made and line.entry.question == "C"


def test_one_of_three_releases_of_a_table_is_taken_apart_and_costs_what_it_did(kept: KeptLedger) -> None:
    first = released(kept, RIGHT, "Q")
    rest = [released(kept, RIGHT, "Q", version=first.version) for _ in range(2)]
    before = kept.account(RIGHT).whole
    assert (together := before.read_together(first)) and len(together.used) == 3
    kept.correct(RIGHT, rest[0].release, version="", who="Bob")
    after = again(kept).account(RIGHT).whole
    assert after.total() == before.total()
    assert after.read_together(after.entries[1]) is None
    assert (together := after.read_together(after.entries[0])) and [one.release for one in together.used] == [
        first.release, rest[1].release]  # fmt: skip
    (change,) = after.entries[1].corrected
    assert (change.what, change.before, change.who) == ("version", first.version, "Bob") and change.after not in (
        "", first.version)
    assert [one.version for one in after.entries].count(first.version) == 2 and not after.entries[2].corrected
    kept.correct(RIGHT, rest[0].release, version=first.version)
    assert (back := kept.account(RIGHT).whole.read_together(first)) and len(back.used) == 3


def test_a_table_keeps_its_releases_together_when_its_question_is_corrected(kept: KeptLedger) -> None:
    first = released(kept, RIGHT, "Smokign")
    second = released(kept, RIGHT, "smokign ", version=first.version)
    other = released(kept, RIGHT, "Smokign")  # a corrected table
    kept.correct(RIGHT, second.release, question="Smoking", remark="late")
    one, two, three = again(kept).account(RIGHT).whole.entries
    assert one.table == two.table and one.question == "Smoking" and (one.remark, two.remark) == ("", "late")
    assert three.question == other.question == "Smokign" and not three.corrected and len(two.corrected) == 2
    kept.correct(RIGHT, one.release, question="Smokign", version=three.version)
    assert len({entry.table for entry in again(kept).account(RIGHT).ledger.entries}) == 1


def test_what_cannot_be_is_refused_and_nothing_is_changed(kept: KeptLedger) -> None:
    one = released(kept, RIGHT)
    _, other = kept.release(RIGHT, HALF, Problem((1, 1), (27, 32)), ["yes", "no"], question="R")
    _, named = kept.release(RIGHT, HALF, PROBLEM, ["no", "yes"], question="S")
    before = kept.accounts
    for release_token, said, refused in (
        (one.release, {"question": "Q"}, "Nothing would be changed"), (one.release, {}, "Nothing would be changed"),
        ("none", {"remark": "x"}, "not in the ledger of these people"), (one.release, {"question": " "}, "question"),
        (one.release, {"version": "elsewhere"}, "No release of this question"),
        (other.release, {"question": "Q", "version": one.version}, "cannot be of the same table"),
        (named.release, {"question": "Q", "version": one.version}, "cannot be of the same table"),
        (one.release, {"remark": "x" * 2001}, "remark"), (one.release, {"remark": "x", "who": "x" * 201}, "who"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=refused):
            kept.correct(RIGHT, release_token, **said)
    assert again(kept).accounts == before


def test_a_correction_between_charge_and_draw_is_kept(kept: KeptLedger, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = release.release

    def drawn(*asked: Any) -> Any:
        (line,) = kept.account(WRONG).lines
        kept.correct(WRONG, line.entry.release, remark="corrected")
        kept.rename(WRONG, RIGHT)
        return draw(*asked)

    monkeypatch.setattr(release, "release", drawn)
    made, _ = kept.release(WRONG, HALF, PROBLEM, question="Q")
    (line,) = again(kept).account(RIGHT).lines
    assert line.whole.made == made and line.entry.remark == "corrected" and len(line.entry.corrected) == 1


def test_versions_are_listed_at_once_as_one_by_one(kept: KeptLedger) -> None:
    version = None
    for place in range(6):
        entry = released(kept, RIGHT if place % 4 else "others", ("Q", "q ", "R")[place % 3], version=None)
        version = version or entry.version
    kept.bring(RIGHT, [dataclasses.replace(entry, release="old", time="2020-01-01T00:00:00Z", version="old"),
                       dataclasses.replace(entry, release="unsaid", question="", version="")])  # fmt: skip
    for whole in (charges_of(kept.accounts), of_all(kept.accounts)):
        for one, found in zip(whole.entries, whole.places(), strict=True):
            standing = whole.standing(one)
            assert (standing.version, standing.versions) == (found or (None, 0))


# --- the file ---


@pytest.mark.parametrize("statement", ["BEGIN", "INSERT INTO people", "INSERT OR REPLACE INTO former",
                                       "UPDATE OR IGNORE releases", "DELETE FROM people", "COMMIT"])  # fmt: skip
def test_a_rename_that_is_killed_leaves_all_as_it_was(tmp_path: Path, statement: str) -> None:
    kept = LedgerFile.opened(tmp_path / "l.sqlite")
    for name in (RIGHT, WRONG, WRONG):
        released(kept, name)
    before = kept.accounts

    def work(say: Callable[[str], None]) -> None:
        watch(statement)
        kept.rename(WRONG, RIGHT)

    ended, said = in_a_process(work)()
    assert ended == signal.SIGKILL, said
    assert LedgerFile.opened(kept.path).accounts == before
    kept.rename(WRONG, RIGHT)
    assert len(kept.account(RIGHT).lines) == 3


@pytest.mark.parametrize("statement", ["UPDATE releases", "COMMIT"])
def test_a_correction_that_is_killed_leaves_all_as_it_was(tmp_path: Path, statement: str) -> None:
    kept = LedgerFile.opened(tmp_path / "l.sqlite")
    one = released(kept, RIGHT)
    before = kept.accounts

    def work(say: Callable[[str], None]) -> None:
        watch(statement)
        kept.correct(RIGHT, one.release, question="R")

    ended, said = in_a_process(work)()
    assert ended == signal.SIGKILL, said
    assert LedgerFile.opened(kept.path).accounts == before


def watch(statement: str) -> None:
    """Kills this process before the first such statement."""
    connect = ledger_file._connection

    def watched(address: str) -> sqlite3.Connection:
        connection = connect(address)
        connection.set_trace_callback(lambda sql: die() if sql.startswith(statement) else None)
        return connection

    ledger_file._connection = watched


def test_eight_at_once_do_not_pass_the_plan_and_the_budget(tmp_path: Path) -> None:
    """A plan of five and a budget for one release beyond it; each of eight asks twice, while two correct the name."""
    plan = new_plan(HALF, 2, PROBLEM.n, 5, 1e-3)
    kept = LedgerFile.opened(tmp_path / "l.sqlite", epsilon=plan.epsilon + 0.6)
    kept.plan(WRONG, plan)

    def press(say: Callable[[str], None]) -> None:
        for _ in range(2):
            try:
                say(f"{released(kept, WRONG).release}\n")
            except ValueError as refusal:
                assert "beyond the budget" in str(refusal), refusal

    waiting = [in_a_process(press) for _ in range(8)]
    waiting += [in_a_process(lambda say, name=name: kept.rename(WRONG, name))  # type: ignore[misc]
                for name in (RIGHT, "Survey")]  # fmt: skip
    ended = [wait() for wait in waiting]
    shown = [token for signalled, said in ended[:8] for token in said.split() if not signalled]
    found = LedgerFile.opened(kept.path).account(WRONG)
    assert not any(said for _, said in ended[8:]) and len(kept.names) == 1
    assert sorted(shown) == sorted(line.entry.release for line in found.lines) and len(shown) == 6
    assert found.ledger.total().planned == 5


VERSION_2 = (
    "CREATE TABLE people (folded TEXT PRIMARY KEY, name TEXT NOT NULL, token TEXT NOT NULL, budget REAL, "
    "raised TEXT NOT NULL DEFAULT '[]', seal TEXT NOT NULL DEFAULT '') STRICT",
    VERSION_1[1].replace("REFERENCES data", "REFERENCES people"),
    VERSION_1[2],
    "PRAGMA user_version = 2",
)


@pytest.fixture
def older(tmp_path: Path) -> Path:
    """As version 2 wrote it, on the day before version 3."""
    path = tmp_path / "older.sqlite"
    made = dpbi.release(HALF, PROBLEM)
    document = json.dumps(made.document(["yes", "no"]))
    guarantee = {"kind": "PureDP", **dataclasses.asdict(made.guarantee)}
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in VERSION_2:
            connection.execute(statement)
        raised = json.dumps([{"time": made.time, "before": 1.0, "after": 2.0}])
        people = "survey 2026", RIGHT, "token", 2.0, raised
        connection.execute("INSERT INTO people VALUES (?, ?, ?, ?, ?, ?)", (*people, ledger_file._seal(*people)))
        for token, written in (("one", document), ("broken off", None)):
            charge = {"release": token, "people": "token", "mechanism": made.mechanism.label, "n": made.n, "part": "",
                      "time": made.time, "question": "Q", "version": "v", "who": "Ada", "remark": "",
                      "guarantee": guarantee}  # fmt: skip
            line = "survey 2026", token, 0, json.dumps(charge)
            connection.execute("INSERT INTO releases VALUES (NULL, ?, ?, ?, ?, ?, ?)",
                               (*line, written, ledger_file._seal(*line, written)))
    return path


def test_a_file_of_version_2_is_moved_up_and_nothing_is_lost(older: Path) -> None:
    account = LedgerFile.opened(older).account(RIGHT)
    assert account.people and account.people == People(
        "token", RIGHT, 2.0, (Raised(account.lines[0].entry.time, 1.0, 2.0),))
    assert [line.entry.release for line in account.lines] == ["one", "broken off"] and account.lines[1].broken_off
    assert account.lines[0].entry.who == "Ada" and account.lines[0].whole.categories == ("yes", "no")
    kept = LedgerFile.opened(older)
    kept.correct(RIGHT, "one", remark="read")
    kept.rename(RIGHT, "Survey")
    assert LedgerFile.opened(older).account(RIGHT).lines[0].entry.remark == "read"


def test_an_exported_ledger_of_version_2_is_read() -> None:
    kept = LedgerInMemory()
    released(kept, RIGHT, who="Ada")
    document = json.loads(kept.account(RIGHT).whole.to_json()) | {"format_version": 2}
    for line in (*document["people"], *document["releases"]):
        for name in ("plans", "renamed", "composed", "planned", "composition", "plan", "corrected"):
            line.pop(name, None)
    assert Ledger.from_json(json.dumps(document)) == kept.account(RIGHT).whole


def test_a_copy_that_was_made_while_it_was_open_is_whole_and_can_be_put_back(tmp_path: Path) -> None:
    """As the README has it; and what was released since the copy is brought from its file."""
    kept, copy = LedgerFile.opened(tmp_path / "l.sqlite"), tmp_path / "copy.sqlite"
    released(kept, RIGHT)
    with closing(sqlite3.connect(kept.path)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)
    since = released(kept, RIGHT)
    saved = kept.account(RIGHT).whole
    copy.replace(kept.path)
    restored = LedgerFile.opened(kept.path)
    assert len(restored.account(RIGHT).lines) == 1
    restored.bring(RIGHT, saved.entries)
    assert tokens(restored, RIGHT)[-1] == since.release and restored.account(RIGHT).ledger.total().words == "1-DP"


@pytest.mark.parametrize("statement", ["ALTER TABLE people ADD COLUMN more", "CREATE TABLE former", "UPDATE people SET",
                                       "COMMIT"])  # fmt: skip
def test_a_move_from_version_2_that_is_killed_leaves_the_old_file(older: Path, statement: str) -> None:
    def work(say: Callable[[str], None]) -> None:
        watch(statement)
        LedgerFile.opened(older)

    ended, said = in_a_process(work)()
    assert ended == signal.SIGKILL, said
    with closing(sqlite3.connect(older)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (2,)
    assert len(LedgerFile.opened(older).account(RIGHT).lines) == 2


@pytest.mark.parametrize(("setting", "said"), [
    ("query_only = ON", "may only be read"), ("max_page_count = 1", "cannot grow, the disk is full"),
])  # fmt: skip
def test_a_full_or_read_only_file_is_said_and_nothing_is_corrected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str, said: str
) -> None:
    kept, connect = LedgerFile.opened(tmp_path / "l.sqlite"), ledger_file._connection
    one = released(kept, RIGHT)
    before = kept.accounts

    def hindered(address: str) -> sqlite3.Connection:
        connection = connect(address)
        connection.execute(f"PRAGMA {setting}").fetchall()
        return connection

    monkeypatch.setattr(ledger_file, "_connection", hindered)
    with pytest.raises(ValueError, match=f"{said}.*Nothing was corrected"):
        for i in range(20):  # until the page is full
            kept.correct(RIGHT, one.release, remark=f"{i}" * 500)
    if setting.startswith("query"):
        with pytest.raises(ValueError, match=f"{said}.*Nothing was corrected"):
            kept.rename(RIGHT, WRONG)
        with pytest.raises(ValueError, match=f"{said}.*Nothing was set"):
            kept.plan("others", new_plan(HALF, 2, PROBLEM.n, 4, 1e-4))
        assert kept.accounts == before


def test_a_file_that_was_moved_is_said_by_all_that_reads_it(tmp_path: Path) -> None:
    kept = LedgerFile.opened(tmp_path / "l.sqlite")
    one = released(kept, RIGHT)
    kept.path.rename(tmp_path / "elsewhere.sqlite")
    for asked in (lambda: kept.accounts, lambda: kept.names, lambda: kept.changes, lambda: kept.rename(RIGHT, WRONG),
                  lambda: kept.correct(RIGHT, one.release, remark="x"), lambda: kept.plan(RIGHT, None)):  # fmt: skip
        with pytest.raises(ValueError, match=r"l\.sqlite (cannot be opened|is gone, or was moved)"):
            asked()
    assert not kept.path.exists()


@pytest.mark.parametrize("statement", [
    "UPDATE people SET budget = 9", "UPDATE former SET folded = 'elsewhere'", "UPDATE people SET more = '{}'",
])  # fmt: skip
def test_a_changed_line_breaks_its_seal(tmp_path: Path, older: Path, statement: str) -> None:
    kept = LedgerFile.opened(tmp_path / "l.sqlite")
    kept.plan(WRONG, new_plan(HALF, 2, PROBLEM.n, 5, 1e-3))
    kept.rename(WRONG, RIGHT)
    paths = [kept.path] + ([older] if "budget" in statement else [])
    for path in paths:
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(statement)
        with pytest.raises(ValueError, match="seal is broken"):
            LedgerFile.opened(path)


def test_no_more_is_corrected_than_can_be_read_again(kept: KeptLedger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "_CORRECTIONS", 3)
    one = released(kept, RIGHT)
    for i in range(3):
        kept.correct(RIGHT, one.release, remark=f"{i}")
        kept.rename(RIGHT, f"Survey {i}")
    with pytest.raises(ValueError, match="At most 3 changes are kept"):
        kept.correct(RIGHT, one.release, remark="more")
    with pytest.raises(ValueError, match="At most 3 changes are kept"):
        kept.rename(RIGHT, "more")
    assert again(kept).names == ("Survey 2",) and again(kept).account(RIGHT).ledger.entries[0].remark == "2"


def test_a_correction_is_read_only_as_one() -> None:
    for wrong in ({"what": "epsilon"}, {"time": "now"}, {"who": "x" * 201}, {"before": None}):
        fields: dict[str, Any] = {"time": "2026-11-28T01:02:03Z", "what": "name", "before": "a", "after": "b"} | wrong
        with pytest.raises(ValueError, match=r"must be|may have|one of"):
            Corrected(**fields)
