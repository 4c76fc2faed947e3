"""Names of categories: tidied, compared, and remarked on where two could be taken for one."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from dpbi import limits

from .form import Understanding
from .outcome import CountsError, listed, shown
from .table import one_line
from .whole_numbers import DATE, ERROR, NESTED, MarkedCell, is_number

# 2024-01-05 and what a spreadsheet makes of 5-9: 5-Sep, Sep-05.
AS_DATE = re.compile(r"\d{4}-\d{2}-\d{2}|\d{1,2}[-. ][^\W\d_]{3}\.?|[^\W\d_]{3}\.?[-. ]\d{2}")


@dataclass
class Names:
    """Cells to category names, each different cell once, keeping what happened to it."""

    notes: Understanding
    of: dict[str, str] = field(default_factory=dict)

    def add(self, cells: Iterable[str], row: Callable[[str], int]) -> None:
        for cell in cells:
            if isinstance(cell, MarkedCell) and cell.kind in (ERROR, NESTED):
                raise CountsError(f"{shown(cell)} is {cell.kind}; the name of a category is needed.", row(cell))
            self.of[cell] = name = one_line(cell)
            if len(name) > limits.UPLOAD_LABEL_CHARACTERS_LARGEST:
                raise CountsError(too_long(name), row(cell))

    def remark(self, times: Mapping[str, int], where: str) -> None:
        """Notes about the names in use. times: how often each cell stands; where: "on {} rows" or the like.

        Empty times: how equal names were merged has been said already.
        """
        names, cells_of = list(self.of.values()), _grouped(self.of, self.of.__getitem__)
        merged = {name: cells for name, cells in cells_of.items() if sum(times.get(cell, 0) for cell in cells) > 1}
        repeated = [f"{shown(name)} appears {where.format(sum(times[cell] for cell in cells))}"
                    for name, cells in merged.items()]  # fmt: skip
        dates = [
            cell for cell in self.of
            if (cell.kind == DATE if isinstance(cell, MarkedCell) else AS_DATE.fullmatch(cell.strip()))
        ]  # fmt: skip
        spaced = [cell for cell in self.of if cell != cell.strip()]
        invisible = [name for name in cells_of if not name.isprintable() and _visible(name) != name]
        for holds, remark in (
            (repeated, f"{listed(repeated)}; the {where.split()[-1]} were added together."),
            (invisible, f"Names contain invisible characters: {_quoted(invisible)}."),
            *((alike[1:], f"{_quoted(alike)} differ only by case or look the same; spell them alike to merge them.")
              for alike in _grouped(cells_of, _look).values()),
            (dates, f"{len(dates)} category names are dates ({_quoted(dates)}); were they ranges such as 5-9?"),
            (spaced, f"Spaces around names were removed ({_quoted(spaced)})."),
            (any("\n" in cell.strip() for cell in self.of), "Line breaks inside names were replaced by spaces."),
            (names and all(map(is_number, names)), "Numeric codes are treated as category names."),
            (any(len(name) > 60 for name in names), "Long names are shortened in charts."),
            (len(cells_of) > 30, f"Many categories ({len(cells_of):,}): charts show the largest ones."),
        ):
            if holds:
                self.notes.remark(remark)


def too_long(name: str) -> str:
    return (f"{shown(name)} is too long for the name of a category: at most "
            f"{limits.UPLOAD_LABEL_CHARACTERS_LARGEST:,} characters, got {len(name):,}.")  # fmt: skip


def _quoted(names: Iterable[str]) -> str:
    return listed([shown(name) for name in names], most=3)


def _grouped(names: Iterable[str], by: Callable[[str], str]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(by(name), []).append(name)
    return groups


def _visible(name: str) -> str:
    return "".join(c for c in name if unicodedata.category(c) not in ("Cf", "Cc", "Co"))


def _look(name: str) -> str:
    """What is left of a name without case, invisible characters and compatible forms of letters."""
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", _visible(name))).strip().casefold()
