"""Names of categories: tidied, compared, and remarked on where two could be taken for one."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from dpbi import limits

from .form import Understanding
from .outcome import CountsError, listed, shown
from .table import LINE_BREAKS, one_line
from .whole_numbers import DATE, MarkedCell, is_number

MANY_CATEGORIES = 30  # more are not drawn one by one
LONG_NAME = 60
REFUSED_KINDS = ("is a formula", "is an error", "is a list", "is binary")
DAY_AND_MONTH = re.compile(r"\d{1,2}[-. ][^\W\d_]{3}\.?|[^\W\d_]{3}\.?[-. ]\d{2}")
ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


@dataclass
class Names:
    """Cells to category names, each different cell once, keeping what happened to it."""

    notes: Understanding
    of: dict[str, str] = field(default_factory=dict)

    def add(self, cells: Iterable[str], row: Callable[[str], int]) -> None:
        for cell in cells:
            if cell not in self.of:
                self.of[cell] = _name(cell, row)

    def remark(self, times: Mapping[str, int], where: str) -> None:
        """Notes about the names in use. times: how often each cell stands; where: "on {} rows" or the like.

        Empty times: how equal names were merged has been said already.
        """
        _remark_on_spelling(self.of, self.notes)
        _remark_on_merging(self.of, times, where, self.notes)
        names = list(dict.fromkeys(self.of.values()))
        _remark_on_likeness(names, self.notes)
        _remark_on_content(names, [cell for cell in self.of if _is_date(cell)], self.notes)


def _name(cell: str, row: Callable[[str], int]) -> str:
    if isinstance(cell, MarkedCell) and f"is {cell.kind}".startswith(REFUSED_KINDS):
        raise CountsError(f"{shown(cell)} is {cell.kind}; the name of a category is needed.", row(cell), cell)
    name = one_line(cell)
    if len(name) > limits.UPLOAD_LABEL_CHARACTERS_LARGEST:
        raise CountsError(too_long(name), row(cell), cell)
    return name


def too_long(name: str) -> str:
    most, got = limits.UPLOAD_LABEL_CHARACTERS_LARGEST, len(name)
    return f"{shown(name)} is too long for the name of a category: at most {most:,} characters, got {got:,}."


def _is_date(cell: str) -> bool:
    if isinstance(cell, MarkedCell):
        return cell.kind == DATE
    return bool(ISO_DATE.fullmatch(cell.strip()) or DAY_AND_MONTH.fullmatch(cell.strip()))


def _quoted(names: Iterable[str], most: int = 3) -> str:
    return listed([shown(name) for name in names], most)


def _remark_on_spelling(of: Mapping[str, str], notes: Understanding) -> None:
    spaced = [cell for cell in of if cell != cell.strip()]
    if spaced:
        notes.remark(f"Spaces around names were removed ({_quoted(spaced)}).")
    if any(LINE_BREAKS.search(cell.strip()) for cell in of):
        notes.remark("Line breaks inside names were replaced by spaces.")


def _remark_on_merging(of: Mapping[str, str], times: Mapping[str, int], where: str, notes: Understanding) -> None:
    if not times:
        return
    of_name: Counter[str] = Counter()
    for cell, count in times.items():
        of_name[of[cell]] += count
    repeated = [f"{shown(name)} appears {where.format(count)}" for name, count in of_name.items() if count > 1]
    if repeated:
        notes.remark(f"{listed(repeated)}; the {where.split()[-1]} were added together.")
    spelled: dict[str, set[str]] = {}
    for cell, name in of.items():
        spelled.setdefault(name, set()).add(cell.strip())
    composed = [name for name, cells in spelled.items() if len(cells) > 1]
    if composed:
        notes.remark(f"Names that look the same were added together ({_quoted(composed)}).")


def _remark_on_likeness(names: list[str], notes: Understanding) -> None:
    """Names that differ only by case, invisible characters or by compatible forms of letters."""
    invisible = [name for name in names if not name.isprintable() and _visible(name) != name]
    if invisible:
        notes.remark(f"Names contain invisible characters: {_quoted(invisible)}.")
    by_case: dict[str, list[str]] = {}
    by_look: dict[str, list[str]] = {}
    for name in names:
        by_case.setdefault(name.casefold(), []).append(name)
        by_look.setdefault(_look(name), []).append(name)
    for alike in by_case.values():
        if len(alike) > 1:
            notes.remark(f"{_quoted(alike)} differ only by case; spell them alike to merge them.")
    for alike in by_look.values():
        if len({name.casefold() for name in alike}) > 1:
            notes.remark(f"{_quoted(alike)} look the same but are kept apart.")


def _visible(name: str) -> str:
    return "".join(c for c in name if unicodedata.category(c) not in ("Cf", "Cc", "Co"))


def _look(name: str) -> str:
    seen = name if name.isprintable() else _visible(name)
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", seen)).strip().casefold()


def _remark_on_content(names: list[str], dates: list[str], notes: Understanding) -> None:
    if dates:
        notes.remark(f"{len(dates)} category names are dates ({_quoted(dates)}); were they ranges such as 5-9?")
    if names and all(map(is_number, names)):
        notes.remark("Numeric codes are treated as category names.")
    if any(len(name) > LONG_NAME for name in names):
        notes.remark("Long names are shortened in charts.")
    if len(names) > MANY_CATEGORIES:
        notes.remark(f"Many categories ({len(names):,}): charts show the largest ones.")
