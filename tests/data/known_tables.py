"""Tables whose truth is known, what a person would say of them, and what comes of reading them untold and told."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from dpbi.data.files import CountsError, CountsQuestion, read_counts

Found = dict[str, int]
ROUNDS = 6  # questions that are followed at most
OUTCOMES = ("silently right", "silently wrong", "guess right", "guess wrong", "no guess", "rightly refused", "refused",
            "crashed")  # fmt: skip


@dataclass(frozen=True)
class Said:
    """What a person says of a table, in no reader's words. Columns are headers, or positions from 1 where none has one.

    each_row: "person", "category" or "group". categories: the column of categories, or those that are categories
    themselves. counts: the column of counts. groups: columns whose entries go into the names of the categories; where
    categories come again and no column of groups is said, they are added up. only: a column and the one entry in it of
    the rows that count. header_row, left_out: rows of the file, from 1; all rows above the header are left out.
    """

    each_row: str
    categories: str | int | tuple[str, ...]
    counts: str | int | None = None
    groups: tuple[str | int, ...] = ()
    only: tuple[str | int, str] | None = None
    header_row: int = 1
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
    return _unordered(found) == _unordered(meant)


def _unordered(found: Found) -> Counter[tuple[str, ...]]:
    return Counter({tuple(sorted(name.split(" / "))): count + 1 for name, count in found.items()})


@dataclass(frozen=True)
class Read:
    """What reading came to, one of OUTCOMES; the answers that were asked for in turn; the end: counts or a refusal."""

    outcome: str
    asked: list[dict[str, Any]]
    end: Found | str
    warnings: tuple[str, ...] = ()


@dataclass
class Following:
    """The reader's own suggestions followed to the end."""

    table: KnownTable
    meant: tuple[Found, ...]
    asked: list[dict[str, Any]] = field(default_factory=list)

    def read(self, answers: Mapping[str, Any]) -> Read:
        try:
            came = read_counts(self.table.data, self.table.filename, **answers)
        except CountsQuestion as question:
            new = {name: value for name, value in question.suggested.items() if answers.get(name) is None}
            self.asked.append(new)
            if None in new.values() or len(self.asked) == ROUNDS:
                return Read("no guess", self.asked, question.question)
            return self.read(question.suggested)
        except CountsError as refusal:
            rightly = len(self.table.truth) < 2
            return Read("rightly refused" if rightly else "refused", self.asked, str(refusal))
        except Exception as fault:  # noqa: BLE001
            return Read("crashed", self.asked, repr(fault))
        found = dict(zip(came.labels, came.counts, strict=True))
        right = any(alike(found, meant) for meant in self.meant)
        outcome = f"{'guess' if self.asked else 'silently'} {'right' if right else 'wrong'}"
        return Read(outcome, self.asked, found, came.warnings)


def untold(table: KnownTable) -> Read:
    """What comes of it where the person says nothing and takes what is suggested."""
    return Following(table, (table.truth, *table.may_be)).read({})


def told(table: KnownTable) -> Read:
    """What comes of it where the person says what the reader lets them say."""
    return Following(table, (table.truth,)).read(as_arguments(table.said))


def as_arguments(said: Said) -> dict[str, Any]:
    """What was said in the words of read_counts; what it has no word for is not said."""
    words: dict[str, Any] = {"sheet": said.sheet, "thousands": said.thousands}
    if said.header_row != 1:
        words["header_row"] = said.header_row
    if said.each_row == "person":
        return words | {"column": said.categories}
    words |= {"confirm_percentages": True, "total_row": "drop" if said.left_out else "keep"}
    if said.each_row == "category":
        words |= {"category_column": said.categories, "count_column": said.counts}
        group = {"group": said.only[1]} if said.only else {}
        return words | group | ({} if said.only else {"cells": "all" if said.groups else "group sums"})
    if said.only:
        return words | {"row": said.only[1]}
    return words | {"cells": "all" if said.groups else "column sums"}


def summary(reads: Iterable[tuple[str, Read]]) -> str:
    """How often each outcome came, by the heading that each was read under."""
    table: dict[str, Counter[str]] = {}
    for heading, read in reads:
        table.setdefault(heading, Counter()).update([read.outcome, f"{len(read.asked)} asked"])
    columns = (*OUTCOMES, *(f"{rounds} asked" for rounds in range(ROUNDS + 1)))
    lines = [[heading, *(str(times[column]) for column in columns)] for heading, times in table.items()]
    widths = [max(map(len, cells)) for cells in zip(("", *columns), *lines, strict=True)]
    return "\n".join("  ".join(map(str.rjust, line, widths)) for line in [["", *columns], *lines])
