"""The ledger in a file: killed at every step, by eight at once, on a full disk, read-only and damaged.

Each crash is a process of its own that is killed by a signal, so that nothing of Python or SQLite can tidy up.
"""

import dataclasses
import itertools
import json
import os
import random
import resource
import secrets
import signal
import sqlite3
import traceback
from collections.abc import Callable
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any

import pytest

import dpbi
from dpbi import ApproximateDP, NotPrivate, Problem, PureDP, Release
from dpbi.mechanisms import Mechanism
from dpbi.mechanisms.guarantee import Guarantee
from dpbi.mechanisms.printed_bound import printed_bound
from dpbi.releases import ledger_file, release
from dpbi.releases.kept_ledger import Account, KeptLedger, of_all
from dpbi.releases.ledger import Ledger, LedgerEntry, People, Raised, new_token
from dpbi.releases.ledger_file import LedgerFile
from dpbi.releases.ledger_in_memory import LedgerInMemory
from tests.every_mechanism import every_class

PROBLEM = Problem((1, 1), (27, 31))
HALF = dpbi.mechanisms.Geometric(0.5)
DATA = "Survey 2026"


@pytest.fixture
def kept(tmp_path: Path) -> LedgerFile:
    return LedgerFile.opened(tmp_path / "releases.sqlite", epsilon=1.5)


def entry(guarantee: Guarantee) -> LedgerEntry:
    return LedgerEntry(new_token(), "elsewhere", "Some mechanism", 12, "2026-11-28T01:02:03Z", guarantee)


def in_a_process(work: Callable[[Callable[[str], None]], None]) -> Callable[[], tuple[int, str]]:
    """Starts the work in a fork. Returns what waits for it: the signal that ended it (0: none), and what it said."""
    reading, writing = os.pipe()
    child = os.fork()

    def say(said: str) -> None:
        os.write(writing, said.encode())

    if not child:
        try:
            work(say)
        except BaseException:  # noqa: BLE001 - a fork must not come back into pytest
            say(traceback.format_exc())
        os._exit(0)
    os.close(writing)

    def wait() -> tuple[int, str]:
        with os.fdopen(reading) as pipe:
            said = pipe.read()
        return os.WTERMSIG(os.waitpid(child, 0)[1]), said

    return wait


def die() -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return 0


# What is kept -----------------------------------------------------------------------------------------


def test_it_holds_no_count(kept: LedgerFile) -> None:
    """Nothing that a release holds comes near the counts by chance: noise of 28,000 records, a false alarm in 1,000."""
    counts = 27182, 31415
    made, _ = kept.release(DATA, dpbi.mechanisms.Geometric(5e-5), Problem((1, 1), counts))
    held = kept.path.read_bytes()
    assert not [count for count in counts if str(count).encode() in held]
    (line,) = kept.account(DATA).lines
    assert set(json.loads(line.document or "")) == set(made.document())


@every_class
def test_every_mechanism_is_kept_or_refused_in_a_sentence(kind: Any, tmp_path: Path) -> None:
    kept = LedgerFile.opened(tmp_path / "l.sqlite")
    mechanism, small = kind(0.7), Problem((1, 0.5), (12, 31))
    if mechanism.guarantee(small.prior, small.n).is_private:
        made, _ = kept.release(DATA, mechanism, small)
        assert kept.account(DATA).lines[0].whole.made == made
    else:
        with pytest.raises(ValueError, match="takes only what is private by theorem or exhaustive check"):
            kept.release(DATA, mechanism, small)
        assert not kept.account(DATA).lines


@pytest.mark.parametrize("lasts", [True, False])
def test_both_ledgers_answer_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lasts: bool) -> None:
    """Names, charges, versions, what is brought, what is refused: all but how long it is kept, and what it takes."""
    kept: KeptLedger = LedgerFile.opened(tmp_path / "l.sqlite") if lasts else LedgerInMemory()
    changes = [kept.changes]
    made, first = kept.release(f" {DATA}", HALF, PROBLEM, ["yes", "no"], question="Q", part="men", who="Ada",
                               remark="new")  # fmt: skip
    _, same = kept.release("SURVEY  2026", HALF, PROBLEM, question="q", version=first.version, part="men")
    changes.append(kept.changes)
    brought = entry(PureDP(1.0, "theorem", "proved"))
    for _ in range(2):
        kept.bring(DATA, [brought, brought])
    kept.bring("others", [brought])
    changes.append(kept.changes)
    for name, labels, version in ((DATA, ["yes"], None), (DATA, None, "another"), ("new", None, first.version)):
        with pytest.raises(ValueError, match=r"labels must be|No release of this question"):
            kept.release(name, HALF, PROBLEM, labels, question="Q", version=version, part="men")
    assert changes[-1] == kept.changes and len(set(changes)) == 3
    here = kept.account("survey 2026")
    assert kept.names == ("others", DATA) and here.people and here.people.name == DATA
    assert [line.can_be_shown for line in here.lines] == [True, True, False]
    assert not any(line.broken_off for line in here.lines) and here.ledger.total().words == "2-DP"
    assert first.table == same.table and first.made is None
    assert (first.question, first.part, first.who, first.remark) == ("Q", "men", "Ada", "new")
    assert here.whole.entries[0] == dataclasses.replace(first, made=made, categories=("yes", "no"))
    assert first.guarantee == made.guarantee
    if lasts:
        again = LedgerFile.opened(tmp_path / "l.sqlite")
        assert (again.names, again.account(DATA)) == (kept.names, here) and os.listdir(tmp_path) == ["l.sqlite"]
    assert set(kept.lost([])) == (set() if lasts else {first.release, same.release})
    assert set(kept.lost([first.release])) == (set() if lasts else {same.release})
    assert of_all(kept.beside(here)).total().releases == (3 if lasts else 4), "of one's own ledger all is shown"
    assert (kept.refusal(kept.account(DATA), NotPrivate("a control")) != "") == lasts

    def failing(*asked: Any) -> Release:
        raise ValueError("Too many trials.")

    monkeypatch.setattr(release, "release", failing)
    with pytest.raises(ValueError, match=r"Too many trials\. Its charge of 0\.5-DP \(theorem\) stands"):
        kept.release(DATA, HALF, PROBLEM)
    assert [line.broken_off for line in kept.account(DATA).lines] == [False, False, False, True]


# The budget -------------------------------------------------------------------------------------------


def test_the_budget_is_per_name_and_exact(kept: LedgerFile) -> None:
    """0.1 + 0.2 is not beyond 0.3, and what is beyond by the last digit is refused."""
    third = LedgerFile.opened(kept.path, epsilon=0.3)
    for epsilon in (0.1, 0.2):
        third.release(DATA, dpbi.mechanisms.Geometric(epsilon), PROBLEM)
    with pytest.raises(ValueError, match=r"budget of these people is 0\.3, spent so far: 0\.3-DP.*No epsilon is left"):
        third.release(DATA, dpbi.mechanisms.Geometric(1e-6), PROBLEM)
    assert not third.refusal(Account(), PureDP(0.3, "theorem", "proved"))
    assert "at most 0.3 is left" in third.refusal(Account(), PureDP(0.30000000000000004, "theorem", "proved"))
    assert len(third.account(DATA).lines) == 2 and third.names == (DATA,)


def test_brought_entries_count_once_and_the_budget_has_no_delta(kept: LedgerFile) -> None:
    brought, more = entry(PureDP(1.0, "theorem", "proved")), HALF.guarantee(PROBLEM.prior, PROBLEM.n)
    for _ in range(2):
        kept.bring("survey 2026", [brought])
    assert kept.account(DATA).ledger.total().words == "1-DP" and not kept.refusal(kept.account(DATA), more)
    said = kept.refusal(kept.account(DATA), ApproximateDP(0.1, 1e-6, "theorem", "proved"))
    assert "a release with a delta, however small, is refused. An epsilon of at most 0.5 is left." in said
    kept.bring(DATA, [entry(ApproximateDP(0.1, 1e-6, "exhaustive check", "checked"))])
    said = kept.refusal(kept.account(DATA), more)
    assert "be (1.6, 1e-06)-DP, beyond the budget. Nothing is released. The budget has no" in said
    kept.bring("others", [brought])
    assert len(kept.account("others").ledger.entries) == 1, "the same release may be of both"
    assert not kept.account(DATA).lines[0].broken_off


@pytest.mark.parametrize("kind", dpbi.MECHANISMS)
def test_nothing_that_may_be_released_needs_a_delta(kind: Any) -> None:
    """So that the budget is an epsilon alone."""
    for mechanism in (kind(1.0), dpbi.calibrate(kind(1.0), (1, 1), 5)):
        guarantee = mechanism.guarantee((1, 1), 5)
        assert isinstance(guarantee, PureDP) or not guarantee.is_private


@pytest.mark.parametrize("kind", dpbi.MECHANISMS)
def test_what_was_calibrated_with_a_delta_is_charged_with_it(tmp_path: Path, kind: Any) -> None:
    """Without a budget it is released, its delta in every line; a budget, which is an epsilon, takes none."""
    mechanism = dpbi.calibrate(kind(1.0), PROBLEM.prior, PROBLEM.n, delta=1e-4)
    unbounded = LedgerFile.opened(tmp_path / "unbounded")
    for _ in range(2):
        unbounded.release(DATA, mechanism, PROBLEM)
    total = unbounded.account(DATA).ledger.total()
    assert total.delta >= 2e-4 and total.epsilon >= 2 and f", {printed_bound(total.delta)})-DP" in total.words
    with pytest.raises(ValueError, match="a release with a delta, however small, is refused"):
        LedgerFile.opened(tmp_path / "bounded", epsilon=5.0).release(DATA, mechanism, PROBLEM)


@pytest.mark.parametrize("unproved", [NotPrivate("a control"), ApproximateDP(0.1, 0.0, "claim", "stated")])
def test_after_what_promises_nothing_no_budget_can_be_kept(kept: LedgerFile, unproved: Guarantee) -> None:
    kept.bring(DATA, [entry(unproved)])
    with pytest.raises(ValueError, match="no budget can be kept"):
        kept.release(DATA, HALF, PROBLEM)


@pytest.mark.parametrize("name", ["", "  ", "\u00a0", "\u200b", "\u2800", "\u3164", "\x00", "x" * 201, 5])
def test_people_need_a_name(kept: LedgerFile, name: Any) -> None:
    with pytest.raises(ValueError, match="name of the people"):
        kept.release(name, HALF, PROBLEM)


@pytest.mark.parametrize("unseen", ["\u200b", "\ufeff", "\u00ad", "\u202e", "\ufe0f", "\x07", "\u3164", "\u034f"])
def test_no_name_differs_by_what_nobody_sees(kept: LedgerFile, unseen: str) -> None:
    kept.release(f"{unseen}Survey{unseen} 2026", HALF, PROBLEM)
    assert len(kept.account(DATA).lines) == 1
    assert kept.account(DATA) == kept.account(f"survey 20{unseen}26")


def test_people_under_a_name_that_is_not_theirs_are_noticed(kept: LedgerFile) -> None:
    kept.release(DATA, HALF, PROBLEM)
    with closing(sqlite3.connect(kept.path)) as connection, connection:
        line = "survey 2026", "Survey 2027", "token", None, "[]", "{}"
        connection.execute("UPDATE people SET name = ?2, token = ?3, budget = ?4, raised = ?5, more = ?6, seal = ?7",
                           (*line, ledger_file._seal(*line)))
    with pytest.raises(ValueError, match="under another name than 'Survey 2027'"):
        LedgerFile.opened(kept.path)


def test_version_1_told_people_apart_by_what_nobody_sees(older: Path) -> None:
    """Both are the same people now, and none of their charges is lost."""
    unseen = "survey\u200b 2026"
    with closing(sqlite3.connect(older)) as connection, connection:
        connection.execute("INSERT INTO data VALUES (?, 'Survey\u200b 2026', 'other')", (unseen,))
        (charge,) = connection.execute("SELECT entry FROM releases WHERE release = 'one'").fetchone()
        for token in ("one", "two"):
            line = unseen, token, 0, json.dumps(json.loads(charge) | {"release": token})
            connection.execute("INSERT INTO releases VALUES (NULL, ?, ?, ?, ?, NULL, ?)",
                               (*line, ledger_file._seal(*line, None)))
    moved = LedgerFile.opened(older, epsilon=2)
    found = LedgerFile.opened(older).account(DATA)
    assert [line.entry.release for line in found.lines] == ["one", "broken off", "two"]
    assert found.lines[0].document and len(moved.names) == 1 and found.ledger.total().epsilon == 1.5


def test_the_budget_stays_with_the_people_and_is_raised_in_words_alone(kept: LedgerFile) -> None:
    """A second server with another budget, which took a name to 4 of 3."""
    one = PureDP(1.0, "theorem", "proved")
    kept.release(DATA, HALF, PROBLEM)
    held = kept.account(DATA).people
    assert held and held.budget == 1.5 and not held.raised
    for other in (0.1, 1.4999999999999998, 4.0):
        server = LedgerFile.opened(kept.path, epsilon=other)
        with pytest.raises(ValueError, match=r"these people is 1\.5, and the app was started with .*--budget 1\.5"):
            server.release(DATA, HALF, PROBLEM)
        assert server.refusal(kept.account("others"), PureDP(0.1, "theorem", "proved")) == ""
    spent = kept.account(DATA)
    assert "--raise-budget" in LedgerFile.opened(kept.path, epsilon=4).refusal(spent, one)
    assert "--raise-budget" not in LedgerFile.opened(kept.path, epsilon=1, raising=True).refusal(spent, one)
    without = LedgerFile.opened(kept.path)
    assert not without.refusal(spent, one)
    assert "beyond the budget" in without.refusal(spent, PureDP(1.1, "theorem", "proved"))

    larger = LedgerFile.opened(kept.path, epsilon=2, raising=True)
    assert not larger.raises(kept.account(DATA), one)
    larger.release(DATA, dpbi.mechanisms.Geometric(1.0), PROBLEM)
    assert larger.account(DATA).people == held, "what fits keeps the promise"
    assert larger.raises(kept.account(DATA), HALF.guarantee((1, 1), 58)) == (1.5, 2.0)
    _, entry = larger.release(DATA, HALF, PROBLEM)
    now = LedgerFile.opened(kept.path, epsilon=2).account(DATA).people
    assert now == dataclasses.replace(held, budget=2.0, raised=(Raised(entry.time, 1.5, 2.0),))
    assert Ledger.from_json(larger.account(DATA).whole.to_json()).people == (now,)
    assert "No epsilon is left" in larger.refusal(kept.account(DATA), HALF.guarantee((1, 1), 58))
    assert kept.refusal(kept.account(DATA), HALF.guarantee((1, 1), 58)), "the first server knows it too"


# As version 1 wrote it, on the day before version 2.
VERSION_1 = (
    "CREATE TABLE data (folded TEXT PRIMARY KEY, name TEXT NOT NULL, token TEXT NOT NULL) STRICT",
    "CREATE TABLE releases (number INTEGER PRIMARY KEY, folded TEXT NOT NULL REFERENCES data, release TEXT NOT NULL, "
    "brought INTEGER NOT NULL, entry TEXT NOT NULL, document TEXT, seal TEXT NOT NULL, "
    "UNIQUE (folded, release)) STRICT",
    f"PRAGMA application_id = {0x64706269}",
    "PRAGMA user_version = 1",
)


@pytest.fixture
def older(tmp_path: Path) -> Path:
    path = tmp_path / "older.sqlite"
    made = dpbi.release(HALF, PROBLEM)
    document = made.document(["yes", "no"]) | {"format_version": 1}
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in VERSION_1:
            connection.execute(statement)
        connection.execute("INSERT INTO data VALUES ('survey 2026', 'Survey 2026', 'token')")
        for release_token, written in (("one", json.dumps(document)), ("broken off", None)):
            charge = {"release": release_token, "data": "token", "mechanism": made.mechanism.label, "n": made.n,
                      "time": made.time, "guarantee": document["guarantee"]}
            line = "survey 2026", release_token, 0, json.dumps(charge)
            connection.execute("INSERT INTO releases VALUES (NULL, ?, ?, ?, ?, ?, ?)",
                               (*line, written, ledger_file._seal(*line, written)))
    return path


def test_a_file_of_version_1_is_moved_up_and_nothing_is_lost(older: Path) -> None:
    moved = LedgerFile.opened(older, epsilon=2)
    lines = moved.account(DATA).lines
    assert [line.entry.release for line in lines] == ["one", "broken off"] and lines[1].broken_off
    assert lines[0].whole.categories == ("yes", "no") and not lines[0].entry.table
    assert moved.account(DATA).people == People("token", DATA), "no budget was set yet"
    version = None
    for _ in range(2):
        _, entry = moved.release(DATA, HALF, PROBLEM, question="Q", version=version)
        version = entry.version
    together = moved.account(DATA).whole.read_together(entry)
    assert together and len(together.used) == 2, "what says nothing is pooled with nothing"
    found = LedgerFile.opened(older, epsilon=2)
    assert [line.entry.release for line in found.account(DATA).lines][:2] == ["one", "broken off"]
    assert found.account(DATA).ledger.total().epsilon == 2
    assert (people := found.account(DATA).people) and people.budget == 2


@pytest.mark.parametrize("statement", ["ALTER TABLE data", "ALTER TABLE people ADD COLUMN s", "INSERT INTO", "COMMIT"])
def test_a_move_that_is_killed_leaves_the_old_file(older: Path, statement: str) -> None:
    connect = ledger_file._connection

    def work(say: Callable[[str], None]) -> None:
        def watched(address: str) -> sqlite3.Connection:
            connection = connect(address)
            connection.set_trace_callback(lambda sql: die() if sql.startswith(statement) else None)
            return connection

        ledger_file._connection = watched
        LedgerFile.opened(older)

    ended, said = in_a_process(work)()
    assert ended == signal.SIGKILL, said
    with closing(sqlite3.connect(older)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
    assert len(LedgerFile.opened(older).account(DATA).lines) == 2


def test_eight_at_once_do_not_pass_the_budget(kept: LedgerFile) -> None:
    """Each asks for half of the epsilon three times; the budget holds three of the twenty-four."""
    ready, go = os.pipe()

    def press(say: Callable[[str], None]) -> None:
        os.close(go)
        os.read(ready, 1)
        for _ in range(3):
            try:
                say(f"{kept.release(DATA, HALF, PROBLEM)[1].release}\n")
            except ValueError as refusal:
                assert "beyond the budget" in str(refusal), refusal

    waiting = [in_a_process(press) for _ in range(8)]
    os.close(go)
    ended = [wait() for wait in waiting]
    os.close(ready)
    shown = [token for signalled, said in ended for token in said.split() if not signalled]
    assert len(shown) == 3 and sorted(shown) == sorted(line.entry.release for line in kept.account(DATA).lines)
    assert kept.account(DATA).ledger.total().epsilon == 1.5


def test_eight_may_make_the_file_at_once(tmp_path: Path) -> None:
    path = tmp_path / "new.sqlite"
    waiting = [in_a_process(lambda say: LedgerFile.opened(path).bring("d", [entry(HALF.guarantee((1, 1), 5))]))
               for _ in range(8)]
    assert [wait() for wait in waiting] == [(0, "")] * 8
    assert len(LedgerFile.opened(path).account("d").lines) == 8 and os.listdir(tmp_path) == ["new.sqlite"]


# Killed at every step ---------------------------------------------------------------------------------

AT_STATEMENT = {
    "before the charge is begun": ("BEGIN", 1),
    "before the charge is put down": ("INSERT INTO releases", 1),
    "before the charge is committed": ("COMMIT", 1),
    "before the release is begun to be written": ("BEGIN", 2),
    "before the release is put down": ("UPDATE releases", 1),
    "before the release is committed": ("COMMIT", 2),
}
# point: charges and releases that are found after it
OUTCOMES = {
    "before the charge is begun": (0, 0),
    "before the charge is put down": (0, 0),
    "before the charge is committed": (0, 0),
    "half way through the charge's commit": (0, 0),
    "before the draw": (1, 0),
    "in the draw": (1, 0),
    "after the draw": (1, 0),
    "before the release is begun to be written": (1, 0),
    "before the release is put down": (1, 0),
    "before the release is committed": (1, 0),
    "half way through the release's commit": (1, 0),
    "before it is shown": (1, 1),
    "never": (1, 1),
}


def killed_at(point: str, kept: LedgerFile, say: Callable[[str], None]) -> None:
    """One release in this process, which is killed at the point; what it is about to show it says."""
    seen = itertools.count(1)
    connect, draw = ledger_file._connection, release.release

    def watched(address: str) -> sqlite3.Connection:
        connection = connect(address)
        statement, times = AT_STATEMENT.get(point, ("", 0))
        connection.set_trace_callback(lambda sql: die() if times and sql.startswith(statement)
                                      and next(seen) == times else None)  # fmt: skip
        return connection

    def drawn(mechanism: Mechanism, problem: Problem) -> Release:
        if point == "before the draw":
            die()
        if point == "in the draw":
            secrets.randbits = lambda k: die()
        made = draw(mechanism, problem)
        if point == "after the draw":
            die()
        if point == "half way through the release's commit":
            limit_files(kept.path.stat().st_size, signal.SIG_DFL)
        return made

    ledger_file._connection, release.release = watched, drawn
    if point == "half way through the charge's commit":
        limit_files(kept.path.stat().st_size - 4096, signal.SIG_DFL)
    _, charged = kept.release(DATA, HALF, PROBLEM)
    if point == "before it is shown":
        die()
    say(charged.release)


def limit_files(size: int, action: signal.Handlers) -> None:
    """No file may grow beyond the size: what tries to is told so, or with the default action killed as it writes."""
    signal.signal(signal.SIGXFSZ, action)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@pytest.mark.parametrize("point", OUTCOMES)
def test_a_process_killed_anywhere_leaves_no_release_without_a_charge(kept: LedgerFile, point: str) -> None:
    ended, shown = in_a_process(lambda say: killed_at(point, kept, say))()
    hot = (kept.path.parent / "releases.sqlite-journal").exists()
    assert bool(ended) == (point != "never"), shown
    assert hot or "half way" not in point, "killed within the commit, which the next to open it must undo"
    after = LedgerFile.opened(kept.path, epsilon=1.5)
    lines = after.account(DATA).lines
    assert (len(lines), sum(line.document is not None for line in lines)) == OUTCOMES[point]
    assert {shown} - {""} <= {line.entry.release for line in lines if line.document}
    assert all(line.broken_off for line in lines if line.document is None)
    assert after.account(DATA).ledger.total().epsilon == 0.5 * len(lines)
    after.release(DATA, HALF, PROBLEM)
    assert len(after.account(DATA).lines) == len(lines) + 1


# Full, read-only, damaged -----------------------------------------------------------------------------


@pytest.mark.parametrize(("charged", "said"), [(False, "Nothing was drawn"), (True, "its charge of 0.5-DP")])
def test_a_full_disk_is_said_and_nothing_is_lost(kept: LedgerFile, charged: bool, said: str) -> None:
    kept.release(DATA, HALF, PROBLEM)
    draw = release.release

    def full() -> None:
        limit_files(0, signal.SIG_IGN)

    def drawn(mechanism: Mechanism, problem: Problem) -> Release:
        full()
        return draw(mechanism, problem)

    def work(say: Callable[[str], None]) -> None:
        if charged:
            release.release = drawn
        else:
            full()
        try:
            say(f"shown {kept.release(DATA, HALF, PROBLEM)}")
        except ValueError as refusal:
            say(str(refusal))

    ended, told = in_a_process(work)()
    assert not ended and "disk is full" in told and said in told and "shown {" not in told
    lines = LedgerFile.opened(kept.path).account(DATA).lines
    assert [line.broken_off for line in lines] == [False, True][: 1 + charged]


def test_where_it_cannot_be_made_no_half_of_it_is_left(tmp_path: Path) -> None:
    path = tmp_path / "new.sqlite"

    def work(say: Callable[[str], None]) -> None:
        limit_files(0, signal.SIG_IGN)
        try:
            LedgerFile.opened(path)
        except ValueError as refusal:
            say(str(refusal))

    ended, told = in_a_process(work)()
    assert not ended and "disk is full" in told and not os.listdir(tmp_path)


@pytest.mark.parametrize(("setting", "said", "opens"), [
    ("max_page_count = 1", "cannot grow, the disk is full", True), ("query_only = ON", "may only be read", False),
])  # fmt: skip
def test_a_full_or_read_only_file_is_said(
    kept: LedgerFile, monkeypatch: pytest.MonkeyPatch, setting: str, said: str, opens: bool
) -> None:
    """By the connection's own settings, since the rights of a file do not bind root."""
    connect = ledger_file._connection

    def hindered(address: str) -> sqlite3.Connection:
        connection = connect(address)
        connection.execute(f"PRAGMA {setting}").fetchall()
        return connection

    for _ in range(2):
        kept.release(DATA, HALF, PROBLEM)
    monkeypatch.setattr(ledger_file, "_connection", hindered)
    with pytest.raises(ValueError, match=rf"releases\.sqlite {said}.*(its charge of 0|Nothing was drawn)"):
        kept.release(DATA, HALF, PROBLEM, ["a" * 60, "b" * 60])
    with nullcontext() if opens else pytest.raises(ValueError, match=said):
        LedgerFile.opened(kept.path)
    assert sum(line.can_be_shown for line in kept.account(DATA).lines) == 2


def test_a_file_that_is_locked_or_gone_is_said(kept: LedgerFile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger_file, "_PATIENCE", 0.01)
    with ledger_file._connection(f"file:{kept.path}?mode=rw") as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(ValueError, match="in use by others"):
            kept.release(DATA, HALF, PROBLEM)
        other.execute("ROLLBACK")
    other.close()
    kept.path.unlink()
    with pytest.raises(ValueError, match=r"cannot be opened.*Nothing was drawn"):
        kept.release(DATA, HALF, PROBLEM)
    assert not kept.path.exists(), "it is not begun anew behind anyone's back"


@pytest.mark.parametrize("held", [b"", b"a,b\n1,2\n" * 500, b"SQLite format 3\0", b"{}"])
def test_what_is_no_ledger_is_refused(tmp_path: Path, held: bytes) -> None:
    path = tmp_path / "other"
    path.write_bytes(held)
    with pytest.raises(ValueError, match="no ledger"):
        LedgerFile.opened(path)
    assert path.read_bytes() == held


@pytest.mark.parametrize(("statement", "said"), [
    ("PRAGMA application_id = 5", "no ledger"), ("PRAGMA user_version = 9", "version 9"),
    ("UPDATE people SET token = 'x'", "seal is broken"), ("UPDATE releases SET brought = 1", "seal is broken"),
])  # fmt: skip
def test_another_database_or_version_is_refused(kept: LedgerFile, statement: str, said: str) -> None:
    kept.release(DATA, HALF, PROBLEM)
    with closing(sqlite3.connect(kept.path)) as connection, connection:
        connection.execute(statement)
    with pytest.raises(ValueError, match=said):
        LedgerFile.opened(kept.path)


def test_a_damaged_file_is_refused_or_whole(kept: LedgerFile) -> None:
    """Bytes changed anywhere, or the end cut off: a sentence, or all that was in it, never less and never another."""
    for _ in range(3):
        kept.release(DATA, HALF, PROBLEM)
    whole, lines, chance = kept.path.read_bytes(), kept.account(DATA).lines, random.Random(18)
    refused = 0
    for trial in range(150):
        damaged = bytearray(whole)
        if trial % 10 == 0:
            del damaged[chance.randrange(len(whole)):]
        else:
            at = chance.randrange(len(whole))
            damaged[at : at + 20] = chance.randbytes(20)
        kept.path.write_bytes(damaged)
        try:
            found = LedgerFile.opened(kept.path).account(DATA).lines
        except ValueError:
            refused += 1
        else:
            assert found == lines, trial
    assert refused > 60
