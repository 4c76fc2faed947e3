"""A ledger that lasts: releases in a file of SQLite, charged to a budget before they are drawn.

The order is what protects: (1) the charge is written and synced, in one transaction with the look at what is left;
(2) the draw is made; (3) it is written beside its charge and synced; (4) it is returned, to be shown. Whatever ends the
process, and wherever, a release that anyone can have seen has its charge; what can be left behind is a charge without a
release, never the other way round. The file holds what releases' own files hold, and never a count.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

from dpbi import limits
from dpbi.mechanisms.guarantee import Guarantee, NotPrivate
from dpbi.mechanisms.mechanism import Mechanism, check_mechanism
from dpbi.mechanisms.printed_bound import printed_bound
from dpbi.problem.problem import Problem, check_problem
from dpbi.releases import release as releases
from dpbi.releases.ledger import Ledger, LedgerEntry, People, Raised, folded, new_token
from dpbi.releases.release import Release, guarantee_of_release, parsed

_MARK = 0x64706269  # "dpbi", which SQLite keeps in the file's head
_VERSION = 2
_PATIENCE = 20.0  # seconds that a transaction waits for others
_TABLES = (
    "CREATE TABLE people (folded TEXT PRIMARY KEY, name TEXT NOT NULL, token TEXT NOT NULL, budget REAL, "
    "raised TEXT NOT NULL DEFAULT '[]', seal TEXT NOT NULL DEFAULT '') STRICT",
    "CREATE TABLE releases (number INTEGER PRIMARY KEY, folded TEXT NOT NULL REFERENCES people, release TEXT NOT NULL, "
    "brought INTEGER NOT NULL, entry TEXT NOT NULL, document TEXT, seal TEXT NOT NULL, "
    "UNIQUE (folded, release)) STRICT",
)
_FROM_VERSION_1 = (  # which called people data and knew no budget; its lines stay as they are, seals included
    "ALTER TABLE data RENAME TO people",
    "ALTER TABLE people ADD COLUMN budget REAL",
    "ALTER TABLE people ADD COLUMN raised TEXT NOT NULL DEFAULT '[]'",
    "ALTER TABLE people ADD COLUMN seal TEXT NOT NULL DEFAULT ''",
)
WHOSE = "the name of the people"


@dataclass(frozen=True)
class KeptRelease:
    """One line of the file. entry: the charge; document: of the release (JSON), None while there is none;
    brought: whether it came from another ledger, with its charge alone.
    """

    entry: LedgerEntry
    document: str | None
    brought: bool

    @property
    def broken_off(self) -> bool:
        """A charge without a release: its draw failed or was cut off, or is being made at this moment."""
        return self.document is None and not self.brought

    @property
    def whole(self) -> LedgerEntry:
        """The charge with what was released for it."""
        if self.document is None:
            return self.entry
        made, categories = self.read()
        return replace(self.entry, made=made, categories=categories)

    def read(self) -> tuple[Release, tuple[str, ...]]:
        """The release and its categories' names. Raises ValueError where the file was damaged, or there is none."""
        if self.document is None:
            raise ValueError("The ledger holds no release of this charge.")
        return _read(self.document)


@lru_cache(maxsize=32)
def _read(document: str) -> tuple[Release, tuple[str, ...]]:
    """Kept for the next look, as a calibration is checked anew; a document is public, and says the same for ever."""
    return Release.from_json(document), tuple(parsed(document)["categories"])


@dataclass(frozen=True)
class LedgerFile:
    """A ledger in a file, shared by all who open it. Made by ``LedgerFile.opened``.

    path: of the file; epsilon: the budget that people get with their first line, what all releases about them may come
    to together, None: no limit. With one their deltas must be 0: nothing of a delta that can be released is private by
    theorem or check. People keep the budget they have: another epsilon is refused, but for a larger one with raising,
    which voids the promise that was made, and is recorded.
    People are told apart by names, as ``folded`` has it. Every method raises ValueError, in a
    sentence, where the file cannot be read or written.
    """

    path: Path
    epsilon: float | None = None
    raising: bool = False
    lasts: ClassVar[bool] = True

    @staticmethod
    def opened(path: str | Path, epsilon: float | None = None, *, raising: bool = False) -> LedgerFile:
        """The ledger at a path, made where there is none, moved up where it is of version 1. epsilon: > 0 or None.

        Raises ValueError where it is no ledger, is damaged, or cannot be written.
        """
        limits.instance("path", path, str | Path, "a path")
        budget = None if epsilon is None else limits.check_epsilon(epsilon)
        found = LedgerFile(Path(path), budget, raising)
        with _in_words(found.path):
            if not found.path.exists():
                _make(found.path)
            with found._connected() as connection:
                _check(connection, found.path)
                connection.execute("BEGIN IMMEDIATE")  # what cannot be written is refused before anyone comes
                connection.execute(f"PRAGMA user_version = {_version(connection)}")
                connection.execute("ROLLBACK")
                with _transaction(connection):
                    _move_up(connection)
            with found._connected() as connection:
                for key, name in connection.execute("SELECT folded, name FROM people").fetchall():
                    _lines(connection, key)
                    _found(connection, key)
                    if key != folded(WHOSE, name):  # nobody would find them again, nor what was released about them
                        raise ValueError(f"The ledger at {found.path.name} holds people under another name than "
                                         f"{limits.shown(name)}: it is damaged. Go back to a copy of it that is whole.")
        return found

    @property
    def names(self) -> tuple[str, ...]:
        """Of the people in it, as they were first given."""
        with _in_words(self.path), self._connected() as connection:
            return tuple(str(name) for (name,) in connection.execute("SELECT name FROM people ORDER BY folded"))

    def people(self, name: str) -> People | None:
        """Those of this name, with their budget; None where the ledger does not know them."""
        with _in_words(self.path), self._connected() as connection:
            return _found(connection, folded(WHOSE, name))

    @property
    def changes(self) -> bytes:
        """What differs after every change of the file: SQLite counts them in its head (file format, section 1.3.7)."""
        with _in_words(self.path), self.path.open("rb") as file:
            return file.read(28)[24:]

    def of(self, name: str) -> tuple[KeptRelease, ...]:
        """The releases about the people of this name, in their order."""
        with _in_words(self.path), self._connected() as connection:
            return _lines(connection, folded(WHOSE, name))

    def ledger(self, name: str) -> Ledger:
        """Their charges."""
        return self._ledger(name, [one.entry for one in self.of(name)])

    def whole(self, name: str) -> Ledger:
        """Their charges, each with what was released for it."""
        return self._ledger(name, [one.whole for one in self.of(name)])

    def refusal(self, name: str, guarantee: Guarantee) -> str:
        """Why a release of this guarantee may not be made about these people; empty where it may."""
        return self._refusal(self.people(name), self.ledger(name), guarantee)

    def raises(self, name: str, guarantee: Guarantee) -> str:
        """What a release of this guarantee would do to the budget of these people; empty where it keeps it."""
        people = self.people(name)
        if people is None or not self._is_raised(people, self.ledger(name), guarantee):
            return ""
        return (f"This raises the budget of these people from {printed_bound(people.budget or 0.0)} to "
                f"{printed_bound(self.epsilon or 0.0)}, which is recorded: what was promised to them before does not "
                "hold any longer.")

    def release(
        self, name: str, mechanism: Mechanism, problem: Problem, labels: Sequence[str] | None = None, *,
        question: str = "", version: str | None = None, part: str = "", who: str = "", remark: str = "",
    ) -> tuple[Release, LedgerEntry]:
        """Charges, draws, writes; returns the release, which only then may be shown, and its entry.

        name: of the people; labels: of the categories, public; question, part: what was asked of which of them;
        version: the token of the table, from an earlier entry, None for another table. These are statements: releases
        are read together where they say the same, and nowhere else. who, remark: for the keeper of the ledger.
        The look at the budget and the charge are one transaction that excludes every other, so no number of people can
        pass the budget together.
        Raises ValueError where the budget, the draw or the file refuses; a charge that was made by then stays.
        """
        check_mechanism(mechanism)
        guarantee = guarantee_of_release(mechanism, check_problem(problem).prior, problem.n)
        now = datetime.now(UTC).strftime(releases.TIME)
        asked = LedgerEntry(new_token(), new_token(), mechanism.label, problem.n, now, guarantee, None, question,
                            version or "", part, who, remark)
        entry = self._charge(name, asked)
        try:
            made = releases.release(mechanism, problem)
            if made.guarantee != guarantee:
                raise ValueError("The release promises something else than what was charged.")
        except ValueError as refusal:
            raise ValueError(f"{refusal} Its charge of {guarantee.words} stands, without a release.") from None
        made = replace(made, time=entry.time)
        self._write(name, entry, made.to_json(labels), guarantee)
        return made, entry

    def bring(self, name: str, entries: Sequence[LedgerEntry]) -> None:
        """Counts the entries of another ledger to the people of this name; those that are in already not again."""
        key = folded(WHOSE, name)
        with _in_words(self.path), self._connected() as connection, _transaction(connection):
            _entered(connection, key, name, self.epsilon)
            for entry in entries:
                _enter(connection, key, entry, brought=True)

    def _charge(self, name: str, asked: LedgerEntry) -> LedgerEntry:
        key = folded(WHOSE, name)
        with _in_words(self.path, "Nothing was drawn."), self._connected() as connection, _transaction(connection):
            people, spent = _found(connection, key), Ledger(tuple(one.entry for one in _lines(connection, key)))
            if refusal := self._refusal(people, spent, asked.guarantee):
                raise ValueError(refusal)
            version = spent.version_of(asked.question, asked.version or None, asked.part)
            raised = self._is_raised(people, spent, asked.guarantee)
            people = _entered(connection, key, name, self.epsilon)
            if raised:
                change = Raised(asked.time, people.budget or 0.0, self.epsilon or 0.0)
                _put(connection, key, replace(people, budget=self.epsilon, raised=(*people.raised, change)))
            entry = replace(asked, people=people.token, version=version)
            _enter(connection, key, entry, brought=False)
        return entry

    def _write(self, name: str, entry: LedgerEntry, document: str, guarantee: Guarantee) -> None:
        lost = f"A draw that cannot be written is not shown; its charge of {guarantee.words} stands."
        with _in_words(self.path, lost), self._connected() as connection, _transaction(connection):
            key = folded(WHOSE, name)
            changed = connection.execute(
                "UPDATE releases SET document = ?, seal = ? WHERE folded = ? AND release = ? AND document IS NULL",
                (document, _seal(key, entry.release, 0, _json(entry), document), key, entry.release))
            if changed.rowcount != 1:
                raise ValueError(f"The charge is no longer in the ledger at {self.path.name}. The draw is not shown.")

    def _ledger(self, name: str, entries: Sequence[LedgerEntry]) -> Ledger:
        """All under the token that the people have here: entries that were brought had another where they came from."""
        people = self.people(name)
        if people is None:
            return Ledger()
        return Ledger(tuple(replace(entry, people=people.token) for entry in entries), (people,))

    def _budget(self, people: People | None) -> float | None:
        """What binds a release about these people, by this ledger as it was opened."""
        held = people.budget if people else None
        if held is None or (self.epsilon is not None and self.raising and self.epsilon > held):
            return self.epsilon
        return held

    def _is_raised(self, people: People | None, spent: Ledger, more: Guarantee) -> bool:
        """Whether the release needs more than the budget that these people have."""
        held, budget = people.budget if people else None, self._budget(people)
        return held is not None and budget != held and _spent(more) > _left(held, spent)

    def _refusal(self, people: People | None, spent: Ledger, more: Guarantee) -> str:
        if not more.is_private:
            return ("This ledger takes only what is private by theorem or exhaustive check, and this mechanism is not: "
                    f"{more.words}. Choose another.")
        budget, held = self._budget(people), people.budget if people else None
        if held is not None and self.epsilon is not None and budget != self.epsilon:
            return _another_budget(held, self.epsilon)
        if budget is None:
            return ""
        if not all(entry.guarantee.is_private for entry in spent.entries):
            return ("A release about these people that was brought here promises nothing that is proved, so that no "
                    "budget can be kept: nothing more may be released about them.")
        left = _left(budget, spent)
        total, after = spent.total(), spent.total(more)
        if _spent(more) <= left and not after.delta:
            return ""
        most = f" An epsilon of at most {_printed_below(left)} is left." if left > 0 else " No epsilon is left."
        if total.delta:
            most = " The budget has no delta, so that nothing more may be released about them."
        return (f"The budget of these people is {printed_bound(budget)}, spent so far: {total.words}. With this "
                f"release of {more.words} it would be {after.words}, beyond the budget. Nothing is released.{most}")

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        """A connection of its own; a file that has gone is not made anew. EXTRA syncs the folder too at each commit."""
        with closing(_connection(f"{self.path.absolute().as_uri()}?mode=rw")) as connection:
            yield connection


def _another_budget(held: float, asked: float) -> str:
    budget, other = printed_bound(held), printed_bound(asked)
    said = (f"The budget of these people is {budget}, and the app was started with {other}: nothing is released about "
            f"them. Start it with --budget {budget}")
    if asked > held:
        said += ", or with --raise-budget too, which is recorded and voids the promise that was made to them"
    return f"{said}."


def _connection(address: str) -> sqlite3.Connection:
    connection = sqlite3.connect(address, timeout=_PATIENCE, isolation_level=None, uri=True)
    try:
        for setting in ("journal_mode = DELETE", "synchronous = EXTRA", "foreign_keys = ON", "trusted_schema = OFF"):
            connection.execute(f"PRAGMA {setting}").fetchall()
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _make(path: Path) -> None:
    """Made whole under another name, then linked to its own: nobody ever finds half of it, or replaces another's."""
    draft = path.with_name(f".{path.name}.{new_token()}")
    try:
        with closing(_connection(f"{draft.absolute().as_uri()}?mode=rwc")) as connection, _transaction(connection):
            for table in _TABLES:
                connection.execute(table)
            connection.execute(f"PRAGMA application_id = {_MARK}")
            connection.execute(f"PRAGMA user_version = {_VERSION}")
        try:
            os.link(draft, path)
        except FileExistsError:
            return
        folder = os.open(path.absolute().parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    finally:
        draft.unlink(missing_ok=True)


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _check(connection: sqlite3.Connection, path: Path) -> None:
    (mark,) = connection.execute("PRAGMA application_id").fetchone()
    if mark != _MARK:
        raise ValueError(f"{path.name} is no ledger of dpbi, or lost its beginning. Give another file, or a copy of it "
                         "that is whole.")
    if not 1 <= (version := _version(connection)) <= _VERSION:
        raise ValueError(f"The ledger at {path.name} has version {version}; this version of dpbi reads 1 to "
                         f"{_VERSION}.")
    (found,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if found != "ok" or connection.execute("PRAGMA foreign_key_check").fetchone():
        raise ValueError(f"The ledger at {path.name} is damaged. Go back to a copy of it that is whole.")


def _move_up(connection: sqlite3.Connection) -> None:
    """From version 1, within a transaction that excludes every other: it is found whole in the one or the other."""
    if _version(connection) != 1:
        return
    for statement in _FROM_VERSION_1:
        connection.execute(statement)
    for key, name, token in connection.execute("SELECT folded, name, token FROM people").fetchall():
        if (now := folded(WHOSE, name)) != key:
            _rename(connection, key, now)
        _put(connection, now, People(token, name))
    connection.execute(f"PRAGMA user_version = {_VERSION}")


def _rename(connection: sqlite3.Connection, key: str, now: str) -> None:
    """Their lines to another key: version 1 told names apart by characters that nobody sees."""
    connection.execute("INSERT OR IGNORE INTO people (folded, name, token) VALUES (?, '', '')", (now,))
    _lines(connection, key)  # a broken seal is not renewed
    lines = connection.execute("SELECT release, brought, entry, document FROM releases WHERE folded = ?", (key,))
    for line in lines.fetchall():
        connection.execute("UPDATE OR IGNORE releases SET folded = ?, seal = ? WHERE folded = ? AND release = ?",
                           (now, _seal(now, *line), key, line[0]))
    for table in ("releases", "people"):
        connection.execute(f"DELETE FROM {table} WHERE folded = ?", (key,))


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """What is done within it happens as a whole, and is on the disk when it ends; nobody else writes meanwhile."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def _in_words(path: Path, outcome: str = "") -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, OSError) as failure:
        reason = f"{failure.strerror or failure}" if isinstance(failure, OSError) else f"{failure}"
        said = next((said for words, said in _REASONS.items() if words in reason), f"cannot be used: {reason}.")
        raise ValueError(f"The ledger at {path.name} {said} {outcome}".rstrip()) from None


_REASONS = {
    "locked": f"was in use by others for more than {_PATIENCE:.0f} seconds. Try again.",
    "full": "cannot grow, the disk is full. Make room and try again.",
    "disk I/O": "cannot be written: the disk is full or fails. Make room and try again.",
    "readonly": "may only be read. Give the server the right to write it and its folder.",
    "not a database": "is damaged, or no ledger. Go back to a copy of it that is whole.",
    "malformed": "is damaged. Go back to a copy of it that is whole.",
    "no such table": "is damaged, or no ledger. Go back to a copy of it that is whole.",
    "unable to open": "cannot be opened: it or its folder is gone, or may not be written.",
}


_BROKEN_SEAL = "A line of the ledger is damaged, its seal is broken. Go back to a copy of it that is whole."


def _lines(connection: sqlite3.Connection, key: str) -> tuple[KeptRelease, ...]:
    rows = connection.execute(
        "SELECT release, brought, entry, document, seal FROM releases WHERE folded = ? ORDER BY number", (key,))
    return tuple(_line(key, *row) for row in rows)


def _line(key: str, release: str, brought: int, entry: str, document: str | None, seal: str) -> KeptRelease:
    if seal != _seal(key, release, brought, entry, document):
        raise ValueError(_BROKEN_SEAL)
    return KeptRelease(LedgerEntry.read(parsed(entry)), document, bool(brought))


def _enter(connection: sqlite3.Connection, key: str, entry: LedgerEntry, *, brought: bool) -> None:
    """One that is in already, by its token, is left as it is."""
    line = key, entry.release, int(brought), _json(entry)
    connection.execute("INSERT OR IGNORE INTO releases (folded, release, brought, entry, seal) VALUES (?, ?, ?, ?, ?)",
                       (*line, _seal(*line, None)))


def _seal(*line: str | float | None) -> str:
    """SQLite finds a damaged page, not a changed letter within it: an epsilon of 0.5 could become 0.1."""
    return hashlib.sha256(json.dumps(line).encode()).hexdigest()


def _entered(connection: sqlite3.Connection, key: str, name: str, budget: float | None) -> People:
    """The people, who get a token at their first line, and a budget as soon as there is one."""
    people = _found(connection, key)
    if people is None:
        connection.execute("INSERT INTO people (folded, name, token) VALUES (?, '', '')", (key,))
        people = People(new_token(), " ".join(name.split()))
    elif people.budget is not None or budget is None:
        return people
    return _put(connection, key, replace(people, budget=budget))


def _put(connection: sqlite3.Connection, key: str, people: People) -> People:
    line = key, people.name, people.token, people.budget, json.dumps(people.document()["raised"])
    connection.execute("UPDATE people SET name = ?2, token = ?3, budget = ?4, raised = ?5, seal = ?6 WHERE folded = ?1",
                       (*line, _seal(*line)))
    return people


def _found(connection: sqlite3.Connection, key: str) -> People | None:
    row = connection.execute("SELECT folded, name, token, budget, raised, seal FROM people WHERE folded = ?",
                             (key,)).fetchone()
    if row is None:
        return None
    *line, seal = row
    if seal != _seal(*line):
        raise ValueError(_BROKEN_SEAL)
    _, name, token, budget, raised = line
    return People.read({"token": token, "name": name, "budget": budget, "raised": json.loads(raised)})


def _left(budget: float, spent: Ledger) -> Fraction:
    return _exact(budget) - sum(_spent(entry.guarantee) for entry in spent.entries)


def _json(entry: LedgerEntry) -> str:
    return json.dumps(entry.document(), ensure_ascii=False, allow_nan=False)


def _exact(epsilon: float) -> Fraction:
    """The decimal that was meant: 0.1 + 0.2 is 0.3, and three of them are not beyond a budget of 0.3."""
    return Fraction(repr(epsilon))


def _spent(guarantee: Guarantee) -> Fraction:
    return Fraction() if isinstance(guarantee, NotPrivate) else _exact(guarantee.epsilon)


def _printed_below(value: Fraction) -> str:
    """In five digits, rounded down."""
    context = Context(prec=5, rounding=ROUND_FLOOR)
    return f"{float(context.divide(Decimal(value.numerator), Decimal(value.denominator))):g}"
