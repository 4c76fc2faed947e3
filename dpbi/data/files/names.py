"""Names of categories: tidied, compared, and remarked on where two could be taken for one."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from dpbi import limits

from .form import Understanding
from .outcome import CountsError, listed, shown
from .table import one_line
from .whole_numbers import DATE, NESTED, NO_VALUE, MarkedCell, is_number

MANY_CATEGORIES = 30  # more are not drawn one by one
LONG_NAME = 60
NO_NAMES = (NO_VALUE, NESTED)
# 2024-01-05 and what a spreadsheet makes of 5-9: 5-Sep, Sep-05.
AS_DATE = re.compile(r"\d{4}-\d{2}-\d{2}|\d{1,2}[-. ][^\W\d_]{3}\.?|[^\W\d_]{3}\.?[-. ]\d{2}")


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
        names = list(dict.fromkeys(self.of.values()))
        if times:
            _remark_on_merging(self.of, times, where, self.notes)
        _remark_on_likeness(names, self.notes)
        dates = [cell for cell in self.of if _is_date(cell)]
        spaced = [cell for cell in self.of if cell != cell.strip()]
        for holds, remark in (
            (dates, f"{len(dates)} category names are dates ({_quoted(dates)}); were they ranges such as 5-9?"),
            (spaced, f"Spaces around names were removed ({_quoted(spaced)})."),
            (any("\n" in cell.strip() for cell in self.of), "Line breaks inside names were replaced by spaces."),
            (names and all(map(is_number, names)), "Numeric codes are treated as category names."),
            (any(len(name) > LONG_NAME for name in names), "Long names are shortened in charts."),
            (len(names) > MANY_CATEGORIES, f"Many categories ({len(names):,}): charts show the largest ones."),
        ):
            if holds:
                self.notes.remark(remark)


def _name(cell: str, row: Callable[[str], int]) -> str:
    if isinstance(cell, MarkedCell) and cell.kind in NO_NAMES:
        raise CountsError(f"{shown(cell)} is {cell.kind}; the name of a category is needed.", row(cell), cell)
    name = one_line(cell)
    if len(name) > limits.UPLOAD_LABEL_CHARACTERS_LARGEST:
        raise CountsError(too_long(name), row(cell), cell)
    return name


def too_long(name: str) -> str:
    most, got = limits.UPLOAD_LABEL_CHARACTERS_LARGEST, len(name)
    return f"{shown(name)} is too long for the name of a category: at most {most:,} characters, got {got:,}."


def _is_date(cell: str) -> bool:
    return cell.kind == DATE if isinstance(cell, MarkedCell) else bool(AS_DATE.fullmatch(cell.strip()))


def _quoted(names: Iterable[str], most: int = 3) -> str:
    return listed([shown(name) for name in names], most)


def _remark_on_merging(of: Mapping[str, str], times: Mapping[str, int], where: str, notes: Understanding) -> None:
    of_name: Counter[str] = Counter()
    spelled: dict[str, set[str]] = {}
    for cell, count in times.items():
        of_name[of[cell]] += count
        spelled.setdefault(of[cell], set()).add(cell.strip())
    repeated = [f"{shown(name)} appears {where.format(count)}" for name, count in of_name.items() if count > 1]
    if repeated:
        notes.remark(f"{listed(repeated)}; the {where.split()[-1]} were added together.")
    composed = [name for name, cells in spelled.items() if len(cells) > 1]
    if composed:
        notes.remark(f"Names that look the same were added together ({_quoted(composed)}).")


def _remark_on_likeness(names: list[str], notes: Understanding) -> None:
    """Names that differ only by case, invisible characters or by compatible forms of letters."""
    invisible = [name for name in names if not name.isprintable() and _visible(name) != name]
    if invisible:
        notes.remark(f"Names contain invisible characters: {_quoted(invisible)}.")
    by_look: dict[str, list[str]] = {}
    for name in names:
        by_look.setdefault(_look(name), []).append(name)
    for alike in by_look.values():
        if len(alike) > 1:
            by = "differ only by case" if len({*map(str.casefold, alike)}) == 1 else "look the same but are kept apart"
            notes.remark(f"{_quoted(alike)} {by}; spell them alike to merge them.")


def _visible(name: str) -> str:
    return "".join(c for c in name if unicodedata.category(c) not in ("Cf", "Cc", "Co"))


def _look(name: str) -> str:
    seen = name if name.isprintable() else _visible(name)
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", seen)).strip().casefold()
