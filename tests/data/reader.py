"""read_counts as tests ask it: what comes of a file and what is said of it, and of following what is suggested."""

import io
import unicodedata
from collections.abc import Sequence
from typing import Any, NamedTuple

import pyarrow as pa  # type: ignore[import-untyped]
from openpyxl import Workbook
from pyarrow import parquet

from dpbi import limits
from dpbi.data.files import Counts, CountsError, CountsQuestion, read_counts
from dpbi.data.files.form import Form

Found = dict[str, int]
ASKED_MOST = 2  # how often a file is asked about where what is suggested is said


class Asks(dict[str, Any]):
    """A question, by the guess of each entry that is open."""


Outcome = Found | Asks | str  # a str: the sentence of a refusal, or a part of it


def read(data: bytes | str, filename: str = "table.csv", **said: Any) -> Counts:
    return read_counts(data if isinstance(data, bytes) else data.encode(), filename, **said)


def by_name(counts: Counts) -> Found:
    return dict(zip(counts.labels, counts.counts, strict=True))


def outcome(data: bytes | str, filename: str = "table.csv", **said: Any) -> Outcome:
    try:
        return by_name(read(data, filename, **said))
    except CountsQuestion as question:
        return Asks({doubt.entry: doubt.guess for doubt in question.open})
    except CountsError as refusal:
        return str(refusal)


def assert_comes(expected: Outcome, data: bytes | str, filename: str = "table.csv", **said: Any) -> None:
    came = outcome(data, filename, **said)
    same = type(came) is type(expected) and (expected in came if isinstance(expected, str) else came == expected)
    assert same, (data[:500], said, came)


def refused(data: bytes | str, filename: str = "table.csv", **said: Any) -> str:
    came = outcome(data, filename, **said)
    assert isinstance(came, str), came
    return came


class Ended(NamedTuple):
    """What came in the end, a question where what is suggested is asked about again and again; all that was asked."""

    came: Counts | CountsError
    asked: tuple[CountsQuestion, ...]


def ended(data: bytes | str, filename: str = "table.csv", **said: Any) -> Ended:
    """What comes of saying what is suggested. All that comes on the way is sound."""
    asked: tuple[CountsQuestion, ...] = ()
    while True:
        try:
            found = read(data, filename, **said)
            assert_sound_counts(found)
            return Ended(found, asked)
        except CountsQuestion as question:
            assert_sound_question(question, said)
            if len(asked) == ASKED_MOST:
                return Ended(question, asked)
            asked, said = (*asked, question), question.suggested
        except CountsError as refusal:
            assert_sound_refusal(refusal)
            return Ended(refusal, asked)


def suggested(data: bytes | str, filename: str = "table.csv", **said: Any) -> Found:
    """The counts that following ends in."""
    came = ended(data, filename, **said).came
    assert isinstance(came, Counts), came
    return by_name(came)


# --- what may come out ---


def assert_sound_counts(result: Counts) -> None:
    assert 2 <= len(result.labels) == len(result.counts) <= limits.CATEGORIES_LARGEST
    assert len(set(result.labels)) == len(result.labels)
    assert all(label == label.strip() and label and unicodedata.is_normalized("NFC", label) for label in result.labels)
    assert all(type(count) is int and count >= 0 for count in result.counts)
    assert sum(result.counts) < 2**63
    assert all(map(is_line, result.warnings))


def assert_sound_refusal(error: CountsError) -> None:
    assert is_line(str(error))
    assert error.__cause__ is error.__context__ is None, "it would keep the file alive"


def assert_sound_question(question: CountsQuestion, said: dict[str, Any]) -> None:
    """What is open was not said, and is suggested as it is guessed; what is suggested can be said, and holds what was
    said."""
    kept = {name: value for name, value in said.items() if value is not None}
    assert_sound_refusal(question)
    assert question.open and all(is_line(doubt.reason) for doubt in question.open)
    assert not kept.keys() & {doubt.entry for doubt in question.open}
    assert all(question.suggested[doubt.entry] == doubt.guess for doubt in question.open)
    assert Form.checked(question.suggested | kept) == Form.checked(question.suggested)


def is_line(text: str) -> bool:
    return bool(text) and text.isprintable() and len(text) < 2000


# --- files ---


def workbook(*sheets: Sequence[Sequence[Any]], **named: Sequence[Sequence[Any]]) -> Workbook:
    """Of sheets of rows."""
    book = Workbook()
    book.remove(book.active)
    for name, rows in [*((None, sheet) for sheet in sheets), *named.items()]:
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
    return book


def saved(book: Workbook) -> bytes:
    data = io.BytesIO()
    book.save(data)
    return data.getvalue()


def parquet_file(**columns: Any) -> bytes:
    data = io.BytesIO()
    parquet.write_table(pa.table(columns), data)
    return data.getvalue()
