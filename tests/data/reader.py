"""read_counts as tests ask it: what comes of a file with its answers, and of following what its questions suggest."""

import io
import unicodedata
from collections.abc import Sequence
from typing import Any, NamedTuple

import pyarrow as pa  # type: ignore[import-untyped]
from openpyxl import Workbook
from pyarrow import parquet

from dpbi import limits
from dpbi.data.files import Counts, CountsError, CountsQuestion, read_counts

Found = dict[str, int]


class Asks(dict[str, Any]):
    """A question, by the answers it suggests and those it was given."""


Outcome = Found | Asks | str  # a str: the sentence of a refusal, or a part of it


def read(data: bytes | str, filename: str = "table.csv", **answers: Any) -> Counts:
    return read_counts(data if isinstance(data, bytes) else data.encode(), filename, **answers)


def by_name(counts: Counts) -> Found:
    return dict(zip(counts.labels, counts.counts, strict=True))


def outcome(data: bytes | str, filename: str = "table.csv", **answers: Any) -> Outcome:
    try:
        return by_name(read(data, filename, **answers))
    except CountsQuestion as question:
        return Asks(question.suggested)
    except CountsError as refusal:
        assert "\n" not in str(refusal)
        return str(refusal)


def assert_comes(expected: Outcome, data: bytes | str, filename: str = "table.csv", **answers: Any) -> None:
    came = outcome(data, filename, **answers)
    same = type(came) is type(expected) and (expected in came if isinstance(expected, str) else came == expected)
    assert same, (data, answers, came)


def refused(data: bytes | str, filename: str = "table.csv", **answers: Any) -> str:
    came = outcome(data, filename, **answers)
    assert isinstance(came, str), came
    return came


class Followed(NamedTuple):
    """What came in the end; the answers that were asked for in turn, and the questions."""

    came: Counts | CountsError
    asked: list[set[str]]
    questions: list[str]


def followed(data: bytes | str, filename: str = "table.csv", wanted: Sequence[Any] = (), **answers: Any) -> Followed:
    """What comes of the suggested answers, or of those wanted where they are offered. A question that has none for
    want of a safe one is the end: whether numbers are percentages, and what a mark in them means. All that comes on the
    way is sound, and nothing is asked twice."""
    asked: list[set[str]] = []
    questions: list[str] = []
    while len(asked) < 8:
        try:
            found = read(data, filename, **answers)
            assert_sound_counts(found)
            return Followed(found, asked, questions)
        except CountsQuestion as question:
            assert_sound_refusal(question, answers)
            new = {name: value for name, value in question.suggested.items() if name not in answers}
            for name, options in question.options.items():
                new[name] = next((value for value in wanted if value in options), new[name])
            asked.append(set(new))
            questions.append(question.question)
            assert question.preview is not None
            if unsafe := {name for name, value in new.items() if value is None}:
                assert unsafe <= NO_SAFE_DEFAULT
                return Followed(question, asked, questions)
            answers |= new
        except CountsError as refusal:
            assert_sound_refusal(refusal, answers)
            return Followed(refusal, asked, questions)
    raise AssertionError("asked for ever")


def suggested(data: bytes | str, filename: str = "table.csv", *wanted: Any, **answers: Any) -> Found:
    """The counts that following ends in."""
    came = followed(data, filename, wanted, **answers).came
    assert isinstance(came, Counts), came
    return by_name(came)


# --- what may come out ---

NO_SAFE_DEFAULT = {"confirm_percentages", "thousands"}


def assert_sound_counts(result: Counts) -> None:
    assert 2 <= len(result.labels) == len(result.counts) <= limits.CATEGORIES_LARGEST
    assert len(set(result.labels)) == len(result.labels)
    assert all(label == label.strip() and label and unicodedata.is_normalized("NFC", label) for label in result.labels)
    assert all(type(count) is int and count >= 0 for count in result.counts)
    assert sum(result.counts) < 2**63
    assert all(is_line(warning) for warning in result.warnings)


def assert_sound_refusal(error: CountsError, answers: dict[str, Any]) -> None:
    assert is_line(str(error))
    assert is_line(error.reason)
    assert error.row is None or (type(error.row) is int and error.row >= 1)
    assert error.cell is None or isinstance(error.cell, str)
    assert error.__cause__ is error.__context__ is None, "it would keep the file alive"
    if isinstance(error, CountsQuestion):
        known = {name: value for name, value in answers.items() if value is not None}
        assert known.items() <= error.suggested.items()
        assert set(error.suggested) > set(known)
        assert set(error.options) >= set(error.suggested) - set(known), "what is asked can be chosen from a list"
        for name, choices in error.options.items():
            assert error.suggested[name] is None or error.suggested[name] in choices


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
