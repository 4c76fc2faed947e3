"""The form: what a person says about a file, and what it is taken to be as long as they have not."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from dpbi import limits

from .outcome import CountsError, Doubt, UnknownEntry, shown

Key = str | int  # a column: its header, or its position from 1
RAW, COUNTS, WIDE = "raw", "counts", "wide"
ADDED, APART = "(all, added up)", "(each apart)"  # of groups: in place of the name of one
ABOVE = "above the names of the columns"
CHOICES: dict[str, tuple[Any, ...]] = {
    "layout": (RAW, COUNTS, WIDE),
    "thousands": (".", ",", " ", "'", "", "lakh"),
    "confirm_percentages": (True, False),
    "missing": ("drop", "keep"),
    "unlisted": ("other", "refuse"),
}
COLUMNS = ("column", "category_column", "count_column", "group_column")


@dataclass(frozen=True)
class Form:
    """One field per entry, None where nothing was said; see ``read_counts``. Columns and rows are tuples of them."""

    sheet: str | None = None
    encoding: str | None = None
    header_row: tuple[int, ...] | None = None
    leave_out: tuple[int, ...] | None = None
    only: tuple[tuple[Key, tuple[str, ...]], ...] | None = None
    layout: str | None = None
    column: tuple[Key, ...] | None = None
    category_column: tuple[Key, ...] | None = None
    count_column: tuple[Key, ...] | None = None
    group_column: tuple[Key, ...] | None = None
    group: str | None = None
    thousands: str | None = None
    confirm_percentages: bool | None = None
    missing: str | None = None
    chosen: str | None = None
    categories: tuple[str, ...] | None = None
    unlisted: str | None = None

    @classmethod
    def checked(cls, said: Mapping[str, Any]) -> Form:
        known = [entry.name for entry in fields(cls)]
        if unknown := [name for name in said if name not in known]:
            raise UnknownEntry(f"{shown(unknown[0])} is no entry; known are {', '.join(known)}.")
        form = cls(**{name: _checked(name, value) for name, value in said.items() if value is not None})
        if form.unlisted is not None and form.categories is None:
            raise CountsError("unlisted= goes with categories=, the public list; there is none.")
        people, counts = form.column or form.layout == RAW, form.category_column or form.layout == COUNTS
        if people and counts and form.layout != WIDE:
            raise CountsError("column= is for rows that are people, category_column= for rows of counts: say one.")
        return form


MUST = {  # what the other entries are, in words
    "header_row": "be the number of a row (or several), or 0 for none",
    "leave_out": "be numbers of rows of the file",
    "only": "map columns to the values whose rows are kept",
    "categories": "be a sequence of names",
    **dict.fromkeys(("sheet", "encoding", "group", "chosen"), "be text"),
    **dict.fromkeys(COLUMNS, "be a header or a position from 1, or several"),
}


def _checked(name: str, value: Any) -> Any:
    must = MUST.get(name) or f"be one of {', '.join(map(repr, CHOICES[name]))}"
    try:
        return _tidied(name, value)
    except (TypeError, ValueError):
        received = shown(value) if isinstance(value, str) else limits.shown(value)
        raise CountsError(f"{name} must {must}: got {received}.") from None


def _tidied(name: str, value: Any) -> Any:
    """The value as the form holds it. TypeError or ValueError where the entry cannot be that."""
    if name == "only":
        return tuple((_each([column], str | int)[0], _each(kept, str)) for column, kept in dict(value).items())
    if name == "header_row" and type(value) is int and value == 0:
        return ()
    if name in ("header_row", "leave_out"):
        return tuple(sorted(set(_each(value, int))))
    if name in COLUMNS:
        return tuple(dict.fromkeys(_each(value, str | int)))
    if name == "categories":
        return _each([None] if isinstance(value, str) else value, str)  # 'red,green' is no list
    if repr(value) in map(repr, CHOICES.get(name, ())) or (name not in CHOICES and isinstance(value, str)):
        return value
    raise TypeError


def _each(value: Any, kind: Any) -> tuple[Any, ...]:
    """One value or several of a kind, of which numbers are those of rows and columns."""
    each = tuple(value) if isinstance(value, Collection) and not isinstance(value, str | bytes) else (value,)
    if not all(isinstance(one, kind) and one is not True
               and (isinstance(one, str) or 0 < one <= limits.UPLOAD_ROWS_LARGEST) for one in each):  # fmt: skip
        raise TypeError
    return each


@dataclass
class Understanding:
    """The form on the way to counts: what was said, what is taken for the rest, what is doubtful, what is left out."""

    said: Form
    entries: dict[str, Any] = field(default_factory=dict)
    doubts: list[Doubt] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    left_out: dict[int, str] = field(default_factory=dict)

    def settle(self, entry: str, guess: Any, why: str = "") -> Any:
        """What was said of the entry, else the guess, which is open where there is a reason to doubt it."""
        said = getattr(self.said, entry)
        self.entries[entry] = guess if said is None else said
        if why and said is None:
            self.ask(entry, why)
        return self.entries[entry]

    def leave_out(self, rows: Sequence[int], why: str, doubt: str = "") -> list[int]:
        """The rows that are left out: none but those that were said, where leave_out was; else these are."""
        if self.said.leave_out is not None:
            if doubt and not set(rows) <= set(self.said.leave_out):
                self.remark(f"Not left out, as said: {doubt}")
            return []
        self.left_out.update(dict.fromkeys(rows, why))
        if doubt and rows:
            self.ask("leave_out", doubt)
        return list(rows)

    def ask(self, entry: str, why: str) -> None:
        """Something that the entry would settle; where it was said, that it stands all the same is remarked on."""
        if getattr(self.said, entry) is None:
            self.doubts.append(Doubt(entry, None, why))
        else:
            self.remark(why)

    def remark(self, sentence: str) -> None:
        if sentence not in self.remarks:
            self.remarks.append(sentence)

    @property
    def open(self) -> list[Doubt]:
        """The doubts, each with what its entry is now."""
        now = self.suggested
        return [Doubt(doubt.entry, now.get(doubt.entry), doubt.reason) for doubt in self.doubts]

    @property
    def suggested(self) -> dict[str, Any]:
        """Every entry as it stands, as a person would write it."""
        now = self.entries | {"leave_out": tuple(sorted(row for row, why in self.left_out.items() if why != ABOVE))}
        now |= {name: value for name, value in vars(self.said).items() if value is not None}
        return {name: _as_written(name, now[name]) for name in vars(self.said) if now.get(name) is not None}


def _as_written(name: str, value: Any) -> Any:
    """A single column, row or value by itself."""
    if name == "only":
        return {column: _as_written(COLUMNS[0], kept) for column, kept in value}
    if name == "header_row" and not value:
        return 0
    return value[0] if name in (*COLUMNS, "header_row") and len(value) == 1 else value
