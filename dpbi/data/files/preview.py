"""The rows of a file as they stand in it, with what each is taken for: shown before any question."""

from collections.abc import Mapping
from typing import Any

from .delimited import CellGrid
from .outcome import DATA, LEFT_OUT, NAMES, Preview
from .table import Table

FIRST, LAST = 12, 4  # filled rows
COLUMNS = 12
CHARACTERS = 60


def preview_of(grid: CellGrid, answers: Mapping[str, Any], header_row: int | None = None) -> Preview:
    """The first and last filled rows. answers: those given or suggested; header_row: the row read as header, if any."""
    many = len(grid.rows)
    places = [*range(min(FIRST, many)), *range(max(FIRST, many - LAST), many)]
    first = (answers.get("skip_rows") or 0) + 1
    stop = many - (answers.get("skip_footer") or 0)
    asked = answers.get("header_row")
    names = header_row or (asked if asked is not None else next((row for row in grid.rows if row >= first), 0))

    def taken_for(i: int) -> str:
        row = grid.rows[i]
        return LEFT_OUT if row < max(first, names) or i >= stop else NAMES if row == names else DATA

    return Preview(
        rows=tuple(grid.rows[i] for i in places),
        taken_for=tuple(map(taken_for, places)),
        cells=tuple(tuple(column[i][:CHARACTERS] for column in grid.columns[:COLUMNS]) for i in places),
        filled=many,
        columns=len(grid.columns),
    )


def first_entries(table: Table) -> Preview:
    """The first entries below the names of the columns, of a file that names them itself."""
    many = min(FIRST, len(table.rows))
    columns = table.columns[:COLUMNS]
    names = tuple(column.name[:CHARACTERS] for column in columns)
    entries = zip(*([cell[:CHARACTERS] for cell in column.fetch(many)] for column in columns), strict=True)
    return Preview((1, *table.rows[:many]), (NAMES, *[DATA] * many), (names, *entries), len(table.rows) + 1,
                   len(table.columns), of="the file")  # fmt: skip
