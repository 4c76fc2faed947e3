"""Cells that hold a name and its count together: refused in words, since each would else be a category of its own."""

import re

from .outcome import CountsError, shown
from .table import Table
from .whole_numbers import is_number

SPACES, PRINTED_LINES = re.compile(r"\s{2,}"), 50
COUNT_AFTER_NAME = re.compile(r"\d[\d.,']*")


def refuse_unseparated(table: Table) -> None:
    """Refuses a single column of cells such as 'red 12' or 'red: 12', all different, and lines of a printed table."""
    column = table.columns[0]
    if column.distinct < len(column.sample) or not column.sample:
        return
    parts = [SPACES.split(cell.strip()) for cell in column.sample[:PRINTED_LINES]]
    below = parts[len(parts) > 1 :]
    if min(map(len, parts)) > 1 and all(is_number(line[-1]) for line in below):
        why = ": several columns are in one cell, with spaces between; save the table as CSV."
    elif all(map(_is_name_and_count, column.sample)):
        why = (" seems to be a name and its count in one cell; put the counts in a column of their own, or a comma, "
               "semicolon or tab before each.")  # fmt: skip
    else:
        return
    raise CountsError(shown(column.sample[0]) + why, table.rows[0], column.sample[0])


def _is_name_and_count(cell: str) -> bool:
    text = cell.strip()
    before_count = max(map(text.rfind, " :=\t"))
    one_line = before_count > 0 and not text[0].isdecimal() and "\n" not in text[:before_count]
    return one_line and bool(COUNT_AFTER_NAME.fullmatch(text, before_count + 1))
