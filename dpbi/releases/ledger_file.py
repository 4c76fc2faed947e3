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
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from pathlib import Path

from dpbi import limits
from dpbi.mechanisms.guarantee import Guarantee, NotPrivate
from dpbi.mechanisms.mechanism import Mechanism, check_mechanism
from dpbi.mechanisms.printed_bound import printed_bound
from dpbi.problem.problem import Problem, check_problem
from dpbi.releases import release as releases
from dpbi.releases.ledger import Ledger, LedgerEntry, new_token
from dpbi.releases.release import Release, guarantee_of_release, parsed

NAME_LONGEST = 200  # characters
_MARK = 0x64706269  # "dpbi", which SQLite keeps in the file's head
_VERSION = 1
_PATIENCE = 20.0  # seconds that a transaction waits for others
_TABLES = (
    "CREATE TABLE data (folded TEXT PRIMARY KEY, name TEXT NOT NULL, token TEXT NOT NULL) STRICT",
    "CREATE TABLE releases (number INTEGER PRIMARY KEY, folded TEXT NOT NULL REFERENCES data, release TEXT NOT NULL, "
    "brought INTEGER NOT NULL, entry TEXT NOT NULL, document TEXT, seal TEXT NOT NULL, "
    "UNIQUE (folded, release)) STRICT",
)


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

    path: of the file; epsilon: what all releases of the same data may come to together, None: without a limit. With one
    their deltas must be 0: nothing of a delta that can be released is private by theorem or check.
    Data are told apart by names: trimmed, spaces run together, cases folded. Every method raises ValueError, in a
    sentence, where the file cannot be read or written.
    """

    path: Path
    epsilon: float | None = None

    @staticmethod
    def opened(path: str | Path, epsilon: float | None = None) -> LedgerFile:
        """The ledger at a path, made where there is none. epsilon: > 0 or None.

        Raises ValueError where it is no ledger, is damaged, or cannot be written.
        """
        limits.instance("path", path, str | Path, "a path")
        budget = None if epsilon is None else limits.check_epsilon(epsilon)
        found = LedgerFile(Path(path), budget)
        with _in_words(found.path):
            if not found.path.exists():
                _make(found.path)
            with found._connected() as connection:
                _check(connection, found.path)
                connection.execute("BEGIN IMMEDIATE")  # what cannot be written is refused before anyone comes
                connection.execute(f"PRAGMA user_version = {_VERSION}")
                connection.execute("ROLLBACK")
        for name in found.names:
            found.of(name)
        return found

    @property
    def names(self) -> tuple[str, ...]:
        """Of the data in it, as they were first given."""
        with _in_words(self.path), self._connected() as connection:
            return tuple(str(name) for (name,) in connection.execute("SELECT name FROM data ORDER BY folded"))

    @property
    def changes(self) -> bytes:
        """What differs after every change of the file: SQLite counts them in its head (file format, section 1.3.7)."""
        with _in_words(self.path), self.path.open("rb") as file:
            return file.read(28)[24:]

    def of(self, name: str) -> tuple[KeptRelease, ...]:
        """The releases of the data of this name, in their order."""
        with _in_words(self.path), self._connected() as connection:
            return _lines(connection, folded(name))

    def ledger(self, name: str) -> Ledger:
        """Their charges."""
        return Ledger(tuple(one.entry for one in self.of(name)))

    def whole(self, name: str) -> Ledger:
        """Their charges, each with what was released for it."""
        lines = self.of(name)
        return Ledger(tuple(replace(one.entry, made=one.read()[0]) if one.document else one.entry for one in lines))

    def refusal(self, name: str, guarantee: Guarantee) -> str:
        """Why a release of this guarantee may not be made of these data; empty where it may."""
        return self._refusal(self.ledger(name), guarantee)

    def release(
        self, name: str, mechanism: Mechanism, problem: Problem, labels: Sequence[str] | None = None
    ) -> tuple[Release, LedgerEntry]:
        """Charges, draws, writes; returns the release, which only then may be shown, and its entry.

        name: of the data; labels: of the categories, public. The look at the budget and the charge are one transaction
        that excludes every other, so no number of people can pass the budget together.
        Raises ValueError where the budget, the draw or the file refuses; a charge that was made by then stays.
        """
        check_mechanism(mechanism)
        guarantee = guarantee_of_release(mechanism, check_problem(problem).prior, problem.n)
        entry = self._charge(name, mechanism, problem.n, guarantee)
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
        """Counts the entries of another ledger to the data of this name; those that are in already not again."""
        key = folded(name)
        with _in_words(self.path), self._connected() as connection, _transaction(connection):
            _data(connection, key, name)
            for entry in entries:
                _enter(connection, key, entry, brought=True)

    def _charge(self, name: str, mechanism: Mechanism, n: int, guarantee: Guarantee) -> LedgerEntry:
        key = folded(name)
        with _in_words(self.path, "Nothing was drawn."), self._connected() as connection, _transaction(connection):
            spent = Ledger(tuple(one.entry for one in _lines(connection, key)))
            if refusal := self._refusal(spent, guarantee):
                raise ValueError(refusal)
            token = _data(connection, key, name)
            now = datetime.now(UTC).strftime(releases.TIME)
            entry = LedgerEntry(new_token(), token, mechanism.label, n, now, guarantee)
            _enter(connection, key, entry, brought=False)
        return entry

    def _write(self, name: str, entry: LedgerEntry, document: str, guarantee: Guarantee) -> None:
        lost = f"A draw that cannot be written is not shown; its charge of {guarantee.words} stands."
        with _in_words(self.path, lost), self._connected() as connection, _transaction(connection):
            key = folded(name)
            changed = connection.execute(
                "UPDATE releases SET document = ?, seal = ? WHERE folded = ? AND release = ? AND document IS NULL",
                (document, _seal(key, entry.release, 0, _json(entry), document), key, entry.release))
            if changed.rowcount != 1:
                raise ValueError(f"The charge is no longer in the ledger at {self.path.name}. The draw is not shown.")

    def _refusal(self, spent: Ledger, more: Guarantee) -> str:
        if not more.is_private:
            return ("This ledger takes only what is private by theorem or exhaustive check, and this mechanism is not: "
                    f"{more.words}. Choose another.")
        if self.epsilon is None:
            return ""
        if not all(entry.guarantee.is_private for entry in spent.entries):
            return ("A release of these data that was brought here promises nothing that is proved, so that no budget "
                    "can be kept: nothing more may be released of them.")
        left = _exact(self.epsilon) - sum(_spent(entry.guarantee) for entry in spent.entries)
        held, after = spent.total(), spent.total(more)
        if _spent(more) <= left and not after.delta:
            return ""
        most = f" An epsilon of at most {_printed_below(left)} is left." if left > 0 else " No epsilon is left."
        if held.delta:
            most = " The budget has no delta, so that nothing more may be released of them."
        return (f"The budget of these data is {printed_bound(self.epsilon)}, spent so far: {held.words}. With this "
                f"release of {more.words} it would be {after.words}, beyond the budget. Nothing is released.{most}")

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        """A connection of its own; a file that has gone is not made anew. EXTRA syncs the folder too at each commit."""
        with closing(_connection(f"{self.path.absolute().as_uri()}?mode=rw")) as connection:
            yield connection


def folded(name: str) -> str:
    """The name by which data are told apart. Raises ValueError for an empty or too long one."""
    limits.check_name("the name of the data", name, NAME_LONGEST)
    key = " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold()).split())
    if not key:
        raise ValueError("The data need a name: by it the ledger tells them from others.")
    return key


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


def _check(connection: sqlite3.Connection, path: Path) -> None:
    (mark,), (version,) = (connection.execute(f"PRAGMA {name}").fetchone() for name in (
        "application_id", "user_version"))  # fmt: skip
    if mark != _MARK:
        raise ValueError(f"{path.name} is no ledger of dpbi, or lost its beginning. Give another file, or a copy of it "
                         "that is whole.")
    if version != _VERSION:
        raise ValueError(f"The ledger at {path.name} has version {version}; this version of dpbi reads {_VERSION}.")
    (found,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if found != "ok" or connection.execute("PRAGMA foreign_key_check").fetchone():
        raise ValueError(f"The ledger at {path.name} is damaged. Go back to a copy of it that is whole.")


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


def _lines(connection: sqlite3.Connection, key: str) -> tuple[KeptRelease, ...]:
    rows = connection.execute(
        "SELECT release, brought, entry, document, seal FROM releases WHERE folded = ? ORDER BY number", (key,))
    return tuple(_line(key, *row) for row in rows)


def _line(key: str, release: str, brought: int, entry: str, document: str | None, seal: str) -> KeptRelease:
    if seal != _seal(key, release, brought, entry, document):
        raise ValueError("A line of the ledger is damaged, its seal is broken. Go back to a copy of it that is whole.")
    return KeptRelease(LedgerEntry.read(parsed(entry)), document, bool(brought))


def _enter(connection: sqlite3.Connection, key: str, entry: LedgerEntry, *, brought: bool) -> None:
    """One that is in already, by its token, is left as it is."""
    line = key, entry.release, int(brought), _json(entry)
    connection.execute("INSERT OR IGNORE INTO releases (folded, release, brought, entry, seal) VALUES (?, ?, ?, ?, ?)",
                       (*line, _seal(*line, None)))


def _seal(*line: str | int | None) -> str:
    """SQLite finds a damaged page, not a changed letter within it: an epsilon of 0.5 could become 0.1."""
    return hashlib.sha256(json.dumps(line).encode()).hexdigest()


def _data(connection: sqlite3.Connection, key: str, name: str) -> str:
    """The token of the data, which get one at their first."""
    connection.execute("INSERT OR IGNORE INTO data VALUES (?, ?, ?)", (key, " ".join(name.split()), new_token()))
    (token,) = connection.execute("SELECT token FROM data WHERE folded = ?", (key,)).fetchone()
    return str(token)


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
