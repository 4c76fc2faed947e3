"""Tables whose truth is known, what a person would say of them, and what comes of reading them untold and told."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from dpbi.data.files import CountsError, CountsQuestion

from .reader import ASKED_MOST, Found, by_name, ended

OUTCOMES = ("silently right", "silently wrong", "guess right", "guess wrong", "no guess", "rightly refused", "refused",
            "crashed")  # fmt: skip


@dataclass(frozen=True)
class Said:
    """What a person says of a table, in no reader's words. Columns are headers, or positions from 1 where none has one.

    each_row: "person", "category" or "group". categories: the column of categories, or those that are categories
    themselves. counts: the column of counts. groups: columns whose entries go into the names of the categories; where
    categories come again and no column of groups is said, they are added up. only: a column and the one entry in it of
    the rows that count. header_row, left_out: rows of the file, from 1; all rows above the header are left out, and
    where the format names its columns there is no such row.
    """

    each_row: str
    categories: str | int | tuple[str, ...]
    counts: str | int | None = None
    groups: tuple[str | int, ...] = ()
    only: tuple[str | int, str] | None = None
    header_row: int | None = 1
    left_out: tuple[int, ...] = ()
    sheet: str | None = None
    encoding: str | None = None
    thousands: str | None = None


@dataclass(frozen=True)
class KnownTable:
    """truth: what comes of it as said, of fewer than two categories where it must be refused. may_be: what else may be
    meant by who says nothing. features: what makes it hard. doubt: what the person must be told, "" for nothing."""

    kind: str
    data: bytes
    filename: str
    truth: Found
    said: Said
    may_be: tuple[Found, ...] = ()
    features: tuple[str, ...] = ()
    doubt: str = ""


def alike(found: Found, meant: Found) -> bool:
    """The same counts under the same names, 'North / Men' being 'Men / North'."""
    one, other = ({tuple(sorted(name.split(" / "))): n for name, n in counts.items()} for counts in (found, meant))
    return one == other and len(found) == len(meant)


class Read(NamedTuple):
    """What reading came to, one of OUTCOMES; the guesses that were asked about in turn; the end: counts or a refusal;
    the reasons and warnings on the way."""

    outcome: str
    asked: tuple[dict[str, Any], ...]
    end: Found | str
    warnings: tuple[str, ...] = ()


def followed(table: KnownTable, meant: tuple[Found, ...], said: dict[str, Any]) -> Read:
    """The reader's own suggestions followed to the end; right is what comes to one of the counts that are meant."""
    try:
        came, questions = ended(table.data, table.filename, **said)
    except Exception as fault:  # noqa: BLE001
        return Read("crashed", (), repr(fault))
    asked = tuple({doubt.entry: doubt.guess for doubt in question.open} for question in questions)
    reasons = tuple(doubt.reason for question in questions for doubt in question.open)
    if isinstance(came, CountsError):
        refused = "rightly refused" if len(table.truth) < 2 else "refused"
        return Read("no guess" if isinstance(came, CountsQuestion) else refused, asked, str(came), reasons)
    found = by_name(came)
    right = "right" if any(alike(found, counts) for counts in meant) else "wrong"
    return Read(f"{'guess' if asked else 'silently'} {right}", asked, found, (*reasons, *came.warnings))


# A person who says nothing and takes what is suggested; and one who says what the reader lets them say.
READINGS: dict[str, Callable[[KnownTable], Read]] = {
    "untold": lambda table: followed(table, (table.truth, *table.may_be), {}),
    "told": lambda table: followed(table, (table.truth,), as_arguments(table.said)),
}


def as_arguments(said: Said) -> dict[str, Any]:
    """What was said in the words of read_counts, None for nothing."""
    person, pairs = said.each_row == "person", said.each_row == "category"
    return {
        "sheet": said.sheet,
        "encoding": said.encoding,
        "thousands": said.thousands,
        "header_row": said.header_row,
        "leave_out": said.left_out,
        "layout": {"person": "raw", "category": "counts", "group": "wide"}[said.each_row],
        "column": said.categories if person else None,
        "category_column": said.categories if pairs else None,
        "count_column": said.counts if pairs else said.categories if said.each_row == "group" else None,
        "group_column": said.groups or None,
        "group": None if person or said.only else "(each apart)" if said.groups else "(all, added up)",
        "only": dict([said.only]) if said.only else None,
        "confirm_percentages": None if person else True,
    }


def summary(reads: Iterable[tuple[str, Read]]) -> str:
    """How often each outcome came, by the heading that each was read under."""
    table: dict[str, Counter[str]] = {}
    for heading, read in reads:
        table.setdefault(heading, Counter()).update([read.outcome, f"{len(read.asked)} asked"])
    columns = (*OUTCOMES, *(f"{rounds} asked" for rounds in range(ASKED_MOST + 1)))
    lines = [["", *columns], *([heading, *(str(times[name]) for name in columns)] for heading, times in table.items())]
    widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
    return "\n".join("  ".join(map(str.rjust, line, widths)) for line in lines)
