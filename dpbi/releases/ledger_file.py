"""A ledger that lasts: accounts in a file of SQLite, each change of which is one transaction, synced when it ends.

The file holds what releases' own files hold, and never a count.
"""

import hashlib
import json
import os
import sqlite3
import weakref
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

from dpbi import limits
from dpbi.mechanisms.printed_bound import printed_bound
from dpbi.releases.kept_ledger import WHOSE, Account, KeptLedger, KeptRelease, check_free
from dpbi.releases.ledger import LedgerEntry, People, folded, new_token
from dpbi.releases.release import parsed

_MARK = 0x64706269  # "dpbi", which SQLite keeps in the file's head
_VERSION = 3
_PATIENCE = 20.0  # seconds that a transaction waits for others
_TABLES = (
    "CREATE TABLE people (folded TEXT PRIMARY KEY, name TEXT NOT NULL, token TEXT NOT NULL, budget REAL, "
    "raised TEXT NOT NULL DEFAULT '[]', seal TEXT NOT NULL DEFAULT '', more TEXT NOT NULL DEFAULT '{}') STRICT",
    "CREATE TABLE releases (number INTEGER PRIMARY KEY, folded TEXT NOT NULL REFERENCES people, release TEXT NOT NULL, "
    "brought INTEGER NOT NULL, entry TEXT NOT NULL, document TEXT, seal TEXT NOT NULL, "
    "UNIQUE (folded, release)) STRICT",
    _FORMER := "CREATE TABLE former (folded TEXT PRIMARY KEY, now TEXT NOT NULL REFERENCES people, seal TEXT NOT NULL) "
    "STRICT, WITHOUT ROWID",
)
_FROM_VERSION_1 = (  # which called people data and knew no budget; its lines stay as they are, seals included
    "ALTER TABLE data RENAME TO people",
    "ALTER TABLE people ADD COLUMN budget REAL",
    "ALTER TABLE people ADD COLUMN raised TEXT NOT NULL DEFAULT '[]'",
    "ALTER TABLE people ADD COLUMN seal TEXT NOT NULL DEFAULT ''",
)
# which knew no plan and no correction; ``more`` is what People hold of them, former names lead to the people
_FROM_VERSION_2 = "ALTER TABLE people ADD COLUMN more TEXT NOT NULL DEFAULT '{}'", _FORMER


@dataclass(frozen=True)
class LedgerFile(KeptLedger):
    """A ledger in a file, shared by all who open it. Made by ``LedgerFile.opened``.

    path: of the file; epsilon, raising: as for ``KeptLedger``.
    """

    path: Path
    epsilon: float | None = None
    raising: bool = False
    _seen: "_Seen" = field(default_factory=lambda: _Seen(), compare=False, repr=False)
    asks_who: ClassVar[bool] = True
    proved_only: ClassVar[bool] = True
    notice: ClassVar[str] = (
        "This ledger is shared and lasts. The names in it and the releases are seen by everyone to whom this app shows "
        "it. It holds what a release's file holds, and never a true count.")
    of_a_draw: ClassVar[str] = (
        "It is charged to the ledger first, then drawn, and written beside its charge before it is shown.")

    @staticmethod
    def opened(path: str | Path, epsilon: float | None = None, *, raising: bool = False) -> "LedgerFile":
        """The ledger at a path, made where there is none, moved up from earlier versions. epsilon: > 0 or None.

        As long as it is open, another file in its place is noticed and refused.

        Raises ValueError where it is no ledger, is damaged, or cannot be written.
        """
        limits.instance("path", path, str | Path, "a path")
        found = LedgerFile(Path(path), None if epsilon is None else limits.check_epsilon(epsilon), raising)
        with _in_words(found.path):
            if not found.path.exists():
                _make(found.path)
            found._seen.begin(found.path)
            with found._connected() as connection:
                _check(connection, found.path)
                connection.execute("BEGIN IMMEDIATE")  # what cannot be written is refused before anyone comes
                connection.execute(f"PRAGMA user_version = {_version(connection)}")
                connection.execute("ROLLBACK")
                with _transaction(connection):
                    _move_up(connection)
                for (key,) in connection.execute("SELECT folded FROM former").fetchall():
                    _now(connection, key)
                for key, name in connection.execute("SELECT folded, name FROM people").fetchall():
                    _account(connection, key)
                    if key != folded(WHOSE, name):  # nobody would find them again, nor what was released about them
                        raise ValueError(f"The ledger at {found.path.name} holds people under another name than "
                                         f"{limits.shown(name)}: it is damaged. Go back to a copy of it that is whole.")
        return found

    @property
    def names(self) -> tuple[str, ...]:
        with self._read() as connection:
            return tuple(str(name) for (name,) in connection.execute("SELECT name FROM people ORDER BY folded"))

    @property
    def changes(self) -> bytes:
        """SQLite counts every change of the file in its head (file format, section 1.3.7)."""
        with _in_words(self.path):
            return self._seen.counter(self.path)

    def account(self, name: str) -> Account:
        key = folded(WHOSE, name)
        with self._read() as connection:
            return _account(connection, _now(connection, key))

    @property
    def accounts(self) -> tuple[Account, ...]:
        with self._read() as connection:
            keys = connection.execute("SELECT folded FROM people ORDER BY folded").fetchall()
            return tuple(_account(connection, key) for (key,) in keys)

    def kept(self, people: People | None) -> str:
        said = people.promise if people else ""
        if not said:
            said = "There is no budget." if self.epsilon is None else (
                f"The budget of {'these' if people else 'new'} people is epsilon {printed_bound(self.epsilon)}.")
        return " ".join((f"Kept in {self.path.name}, which outlasts reloads and restarts.", said,
                         *(people.broken if people else ()),
                         "A mechanism that is not private by theorem or check is refused."))

    def _change(self, name: str, change: Callable[[Account], Account], outcome: str = "") -> Account:
        """One transaction: the account is read, and what differs from it is on the disk when it ends."""
        with self._write(outcome) as connection:
            key = _now(connection, folded(WHOSE, name))
            before = _account(connection, key)
            after = change(before)
            if after.people and after.people != before.people:
                _put(connection, key, after.people)
            for line in after.lines[len(before.lines):]:
                charge = key, line.entry.release, int(line.brought), _json(line.entry)
                connection.execute("INSERT INTO releases (folded, release, brought, entry, seal) "
                                   "VALUES (?, ?, ?, ?, ?)", (*charge, _seal(*charge, None)))
            for line in (new for old, new in zip(before.lines, after.lines, strict=False) if new is not old):
                _put_line(connection, key, line)
        return after

    def rename(self, name: str, now: str, who: str = "") -> None:
        """One transaction, as every change."""
        new = folded(WHOSE, now)
        with self._write("Nothing was corrected.") as connection:
            key = _now(connection, folded(WHOSE, name))
            stands = _now(connection, new)
            check_free(now, taken=stands not in (new, key))
            after = _account(connection, key).renamed(now, _account(connection, new) if new != key else Account(), who)
            assert after.people
            _put(connection, new, after.people)
            if new != key:
                connection.execute("DELETE FROM former WHERE folded = ?", (new,))
                former = connection.execute("SELECT folded FROM former WHERE now = ?", (key,)).fetchall()
                for (one,) in ((key,), *former):
                    connection.execute("INSERT OR REPLACE INTO former VALUES (?, ?, ?)", (one, new, _seal(one, new)))
                _move(connection, key, new)
                held = {line.entry.release: line for line in _lines(connection, new)}
                for line in after.lines:
                    if line != held[line.entry.release]:
                        _put_line(connection, new, line)

    @contextmanager
    def _read(self) -> Iterator[sqlite3.Connection]:
        """All that is read within it is of one moment, and of the file that was opened."""
        with _in_words(self.path), self._connected() as connection, _reading(connection):
            changes = self._seen.check(self.path, connection)
            yield connection
            self._seen.remember(changes, _newest(connection))

    @contextmanager
    def _write(self, outcome: str) -> Iterator[sqlite3.Connection]:
        """What is done within it is done as a whole, to the file that was opened. outcome: said where it fails."""
        with _in_words(self.path, outcome), self._connected() as connection:
            with _transaction(connection):
                changes = self._seen.check(self.path, connection)
                yield connection
                newest = _newest(connection)
            self._seen.counter(self.path)  # where another file came in between, what was written is not in it
            self._seen.remember(changes, newest)

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        """A connection of its own; a file that has gone is not made anew. EXTRA syncs the folder too at each commit."""
        with closing(_connection(f"{self.path.absolute().as_uri()}?mode=rw")) as connection:
            yield connection


@dataclass
class _Seen:
    """What was last seen of a file, by which another in its place is known.

    descriptor: open as long as the ledger is, so that the file cannot go and its number be given to another; and never
    closed before, as that would end all locks that this process has on the file (fcntl, POSIX.1-2017). changes: the
    counter of them; release: the newest token.
    """

    descriptor: int = -1
    changes: bytes = bytes(4)
    release: str = ""

    def begin(self, path: Path) -> None:
        self.descriptor = os.open(path, os.O_RDONLY)
        weakref.finalize(self, os.close, self.descriptor)

    def counter(self, path: Path) -> bytes:
        """Of changes, big-endian; OSError where another file is at the path."""
        if not os.path.samestat(os.stat(path), os.fstat(self.descriptor)):
            raise OSError(_REPLACED)
        return os.pread(self.descriptor, 4, 24)

    def check(self, path: Path, connection: sqlite3.Connection) -> bytes:
        """The counter, within a transaction; OSError where it is another file, or what it holds went back."""
        changes, release = self.changes, self.release  # before the lock: the file may be newer, never older
        connection.execute("SELECT 1 FROM people LIMIT 1").fetchall()  # takes the lock, under which nobody writes
        now = self.counter(path)
        held = connection.execute("SELECT 1 FROM releases WHERE release = ?", (release,)).fetchone()
        if now < changes or (release and not held):
            raise OSError(_REPLACED)
        return now

    def remember(self, changes: bytes, release: str) -> None:
        """Of what is on the disk."""
        self.changes, self.release = max(changes, self.changes), release


def _newest(connection: sqlite3.Connection) -> str:
    """The token of the last release that was put in; none is ever taken out."""
    found = connection.execute("SELECT release FROM releases ORDER BY number DESC LIMIT 1").fetchone()
    return str(found[0]) if found else ""


_REPLACED = "another file is in its place"


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
    """Within a transaction that excludes every other: it is found whole in the one version or the other."""
    version = _version(connection)
    if version == _VERSION:
        return
    for statement in (*(_FROM_VERSION_1 if version == 1 else ()), *_FROM_VERSION_2):
        connection.execute(statement)
    for key, name, token in connection.execute("SELECT folded, name, token FROM people").fetchall():
        if version == 1:
            _put(connection, now := folded(WHOSE, name), People(token, name))
            if now != key:
                _move(connection, key, now)
        else:
            _reseal(connection, key)
    connection.execute(f"PRAGMA user_version = {_VERSION}")


def _reseal(connection: sqlite3.Connection, key: str) -> None:
    """People of version 2, whose seal knew nothing of ``more``; a broken one is not renewed."""
    row = connection.execute("SELECT folded, name, token, budget, raised, seal FROM people WHERE folded = ?", (key,))
    *line, seal = row.fetchone()
    if seal != _seal(*line):
        raise ValueError(_BROKEN_SEAL)
    connection.execute("UPDATE people SET seal = ? WHERE folded = ?", (_seal(*line, "{}"), key))


def _move(connection: sqlite3.Connection, key: str, now: str) -> None:
    """Their lines to another key: version 1 told names apart by characters that nobody sees, and names are corrected.

    A release that is under both counts once; what was released here is kept, in place of what was brought of it.
    """
    _lines(connection, key)  # a broken seal is not renewed
    connection.execute("DELETE FROM releases WHERE folded = ?1 AND brought = 1 AND release IN "
                       "(SELECT release FROM releases WHERE folded = ?2 AND brought = 0)", (now, key))
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
def _reading(connection: sqlite3.Connection) -> Iterator[None]:
    """All that is read within it is of one moment."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        connection.execute("ROLLBACK")


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
    "No such file": "is gone, or was moved. Put it back, or start the app with the place where it is now.",
    _REPLACED: "was replaced while the app was running: releases made since may not be charged in the file that is "
    "there now, so nothing is read from it or written to it. Put the file back that was there; or stop the app, start "
    "it with this one, and bring the files (JSON) of the releases that it lacks.",
    "unable to open": "cannot be opened: it or its folder is gone, or may not be written.",
}


_BROKEN_SEAL = "A line of the ledger is damaged, its seal is broken. Go back to a copy of it that is whole."


def _now(connection: sqlite3.Connection, key: str) -> str:
    """Under which key the people of a name are kept, which may have been corrected."""
    row = connection.execute("SELECT now, seal FROM former WHERE folded = ?", (key,)).fetchone()
    if row is None:
        return key
    if row[1] != _seal(key, row[0]):
        raise ValueError(_BROKEN_SEAL)
    return str(row[0])


def _account(connection: sqlite3.Connection, key: str) -> Account:
    return Account(_found(connection, key), _lines(connection, key))


def _lines(connection: sqlite3.Connection, key: str) -> tuple[KeptRelease, ...]:
    rows = connection.execute(
        "SELECT release, brought, entry, document, seal FROM releases WHERE folded = ? ORDER BY number", (key,))
    return tuple(_line(key, *row) for row in rows)


def _line(key: str, release: str, brought: int, entry: str, document: str | None, seal: str) -> KeptRelease:
    if seal != _seal(key, release, brought, entry, document):
        raise ValueError(_BROKEN_SEAL)
    return KeptRelease(LedgerEntry.read(parsed(entry)), document, bool(brought))


def _put_line(connection: sqlite3.Connection, key: str, line: KeptRelease) -> None:
    """What was released beside its charge, or a charge as it was corrected, with what it said before."""
    entry, document = line.entry, line.document
    if entry.made and not line.brought:
        document, entry = entry.made.to_json(entry.categories), replace(entry, made=None, categories=())
    charge = _json(entry)
    connection.execute("UPDATE releases SET entry = ?, document = ?, seal = ? WHERE folded = ? AND release = ?",
                       (charge, document, _seal(key, entry.release, int(line.brought), charge, document), key,
                        entry.release))


def _seal(*line: str | float | None) -> str:
    """SQLite finds a damaged page, not a changed letter within it: an epsilon of 0.5 could become 0.1."""
    return hashlib.sha256(json.dumps(line).encode()).hexdigest()


def _put(connection: sqlite3.Connection, key: str, people: People) -> None:
    document = people.document()
    more = {name: document[name] for name in ("plans", "renamed", "merged") if document[name]}
    line = key, people.name, people.token, people.budget, json.dumps(document["raised"]), json.dumps(more)
    connection.execute("INSERT INTO people (folded, name, token, budget, raised, more, seal) VALUES (?, ?, ?, ?, ?, ?, "
                       "?) ON CONFLICT (folded) DO UPDATE SET name = excluded.name, token = excluded.token, "
                       "budget = excluded.budget, raised = excluded.raised, more = excluded.more, "
                       "seal = excluded.seal", (*line, _seal(*line)))


def _found(connection: sqlite3.Connection, key: str) -> People | None:
    row = connection.execute("SELECT folded, name, token, budget, raised, more, seal FROM people WHERE folded = ?",
                             (key,)).fetchone()
    if row is None:
        return None
    *line, seal = row
    if seal != _seal(*line):
        raise ValueError(_BROKEN_SEAL)
    _, name, token, budget, raised, more = line
    return People.read({"token": token, "name": name, "budget": budget, "raised": json.loads(raised),
                        **json.loads(more)})


def _json(entry: LedgerEntry) -> str:
    return json.dumps(entry.document(), ensure_ascii=False, allow_nan=False)
