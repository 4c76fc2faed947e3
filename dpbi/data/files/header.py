"""Which record of a grid names the columns, and which columns are there at all."""

from collections.abc import Callable

from .answers import Answers
from .delimited import CellGrid
from .extent import (
    TITLE_ROWS,
    has_counts,
    header_below_titles,
    headers_more,
    is_rule,
    kept_rows,
    notes_below,
    record,
    settle_headers,
    without_ends,
)
from .outcome import CountsError, Notes, listed, shown
from .table import SAMPLE, Column, Table, is_year, one_line, sampled
from .whole_numbers import is_number

NAMES_OF_ROW_NUMBERS = ("", "unnamed: 0", "rownames", "row.names", "rowname", "...1")  # by pandas and R


def with_header(grid: CellGrid, answers: Answers, notes: Notes) -> Table:
    """The table under its header row.

    Title lines above the header are asked about. A first record that holds counts itself is kept as data. Records
    must have as many cells as the header; columns without a name and without a cell are left out, and so is an
    unnamed column of row numbers.
    """
    grid, header = _from_header_row(grid, answers, notes)
    if header and len(grid.rows) < 2:
        raise CountsError("the file has a header but no rows below it.")
    width = _width(grid, header)
    names = [one_line(column[0]) if header and i < width else "" for i, column in enumerate(grid.columns)]
    start = int(header)
    rows = grid.rows[start:]
    columns = [
        Column(i, name, _slice(cells[start:] if start else cells), sampled=sampled(len(grid.columns)))
        for i, (name, cells) in enumerate(zip(names, grid.columns, strict=True), 1)
    ]
    lacks_name = _lacks_name_of_rows(columns, width)
    if lacks_name:
        for column, name in zip(columns, ["", *names], strict=False):
            column.name = name
        width += 1
    _refuse_ragged(grid, columns, width, start)
    table = Table(columns, rows, grid.rows[0] if header else None, grid.blank_rows, lacks_name)
    _leave_out_empty(table, grid.widths is not None, notes)
    _leave_out_row_numbers(table, notes)
    return table


def _slice(cells: list[str]) -> Callable[[int | None], list[str]]:
    return lambda stop: cells if stop is None else cells[:stop]


# --- which record is the header ---


def _from_header_row(grid: CellGrid, answers: Answers, notes: Notes) -> tuple[CellGrid, bool]:
    """The grid from its header row or first record on, and whether that is a header."""
    grid = without_ends(grid, answers, notes)
    index = _header(grid, answers)
    if answers.header_row == 0:
        return grid, False
    if answers.header_row is not None:
        if index:
            notes.add(f"The rows above row {answers.header_row} were left out.")
        return settle_headers(kept_rows(grid, index, len(grid.rows)), answers, notes), True
    first = {one_line(column[0]) for column in grid.columns}
    if answers.layout == "wide" or any(one_line(name) in first for name in answers.named_columns):
        return settle_headers(grid, answers, notes), True
    if answers.second_header == "drop" or headers_more(grid):
        return settle_headers(grid, answers, notes), True
    return grid, _first_is_header(grid, answers, notes)


def _header(grid: CellGrid, answers: Answers) -> int:
    """The record of the header as answered, or the first. Asks about title lines above the table and notes below.

    Titles have fewer cells than the table, or more.
    """
    index = place = 0
    asked: dict[str, int] = {}
    texts: list[str] = []
    if answers.header_row:
        if answers.header_row not in grid.rows:
            raise CountsError(f"header_row={answers.header_row} is blank or beyond the end of the file.")
        index = place = grid.rows.index(answers.header_row)
    elif answers.header_row is None and (found := header_below_titles(grid)):
        header, row = record(grid, found), grid.rows[found]
        if has_counts(header):
            if found > 1:
                raise CountsError(
                    f"no header row was found: row {row} holds numbers already; put a name above each column and "
                    "remove the lines above.",
                    row,
                )
            return 0  # the header lacks a name
        place = found
        asked["header_row"] = row
        names = listed([shown(cell) for cell in header if cell.strip()])
        texts.append(
            f"is row {row} the header ({names})? What stands above it is of another kind, such as "
            f"{shown(_first_text(grid, 0))}."
        )
    below = notes_below(grid, place) if answers.skip_footer is None else 0
    if below:
        asked["skip_footer"] = below
        lines = f"the last {below} filled rows notes" if below > 1 else "the last filled row a note"
        said = shown(_first_text(grid, len(grid.rows) - below))
        texts.append(f"{'are' if below > 1 else 'is'} {lines} to be left out, beginning with {said}?")
    if asked:
        offered = {"header_row": tuple(grid.rows[:TITLE_ROWS]), "skip_footer": tuple(range(min(len(grid.rows), 51)))}
        at = 0 if "header_row" in asked else len(grid.rows) - below
        raise answers.question(
            " And ".join(texts),
            asked,
            {name: options for name, options in offered.items() if name in asked},
            row=grid.rows[at],
            cell=_first_text(grid, at),
        )
    return index


def _first_text(grid: CellGrid, i: int) -> str:
    return next(filter(str.strip, record(grid, i)))


def _first_is_header(grid: CellGrid, answers: Answers, notes: Notes) -> bool:
    """Whether the first record names the columns.

    Text above numbers does; a number above numbers does not, nor does a cell that comes back down its column.
    """
    firsts = [column[0].strip() for column in grid.columns]
    below = [[cell for cell in column[1 : sampled(len(grid.columns))] if cell.strip()] for column in grid.columns]
    over_numbers = [
        first for first, cells in zip(firsts, below, strict=True) if 2 * sum(map(is_number, cells)) >= len(cells) > 0
    ]
    if any(first and not is_number(first) for first in over_numbers):
        return True
    numbers = [first for first in over_numbers if first]
    nameless = len(firsts) > 1 and not firsts[0] and bool(below[0]) and not any(map(is_number, below[0]))
    scale = _are_a_scale(numbers) and not is_number(firsts[0])
    if numbers and (nameless or scale or all(map(is_year, numbers))):
        raise answers.question(
            f"is the first row a header? {shown(numbers[0])} could name its column, as a year or an answer does, "
            "or be a count.",
            {"header_row": grid.rows[0]},
            {"header_row": (grid.rows[0], 0)},
            row=grid.rows[0],
            cell=numbers[0],
        )
    pairs = zip(firsts, below, strict=True)
    comes_back = any(first and first in map(str.strip, cells) for first, cells in pairs)
    lone_numbers = len(grid.rows) == 1 and any(map(is_number, firsts))
    if not (numbers or comes_back or lone_numbers):
        return True
    notes.add("No header row found; the first row was kept as data.")
    return False


def _are_a_scale(numbers: list[str]) -> bool:
    """0, 1, 2, … or 1, 2, 3, …, as answers on a scale are headed."""
    return len(numbers) > 2 and any(numbers == [str(i + j) for i in range(len(numbers))] for j in (0, 1))


# --- which columns are there ---


def _width(grid: CellGrid, header: bool) -> int:
    """How many cells a record should have: as many as the header, or else as most records."""
    if grid.widths is None:
        return len(grid.columns)
    if header:
        return grid.widths[0]
    several = sorted(grid.widths[:SAMPLE])
    return several[len(several) // 2]


def _lacks_name_of_rows(columns: list[Column], width: int) -> bool:
    """Whether the header is one name short, the first column being numbers or names of rows (as R writes tables).

    Not where each row may hold a number whose comma separates it.
    """
    if len(columns) != width + 1 or not all(column.name for column in columns[:width]) or columns[-1].is_blank:
        return False
    first, last = columns[0], columns[-1].sample
    threes = all(len(cell.strip()) == 3 and cell.strip().isdecimal() for cell in last)
    grouped = width > 1 and columns[-2].holds_numbers and threes
    names = not first.holds_numbers and first.distinct == len(first.sample) and "" not in columns[-1].cells
    return first.counts_rows or (names and not grouped)


def _refuse_ragged(grid: CellGrid, columns: list[Column], width: int, start: int) -> None:
    if grid.widths is None:
        return
    beyond = [i for column in columns[width:] for i, cell in enumerate(column.cells, start) if cell.strip()]
    short = [i for i, cells in enumerate(grid.widths) if cells < width and i >= start]
    wrong = min([*beyond, *short], default=None)
    if wrong is not None:
        written, first = grid.widths[wrong], columns[0].cells[wrong - start]
        remedy = (
            "if the first column has no name, put one above it"
            if written == width + 1 and all(cells == written for cells in grid.widths[start:])
            else "only a line is drawn there: save the table as CSV, not as it is printed"
            if is_rule(first)
            else "put names and numbers that contain the separator in quotes"
            if written > width
            else "fill in what is missing, or remove the line if it is no data"
        )
        cells = "cell" if written == 1 else "cells"
        raise CountsError(
            f"{written} {cells} instead of {width}, beginning with {shown(first)}; {remedy}.",
            grid.rows[wrong],
            first,
        )


def _leave_out_empty(table: Table, told: bool, notes: Notes) -> None:
    """Takes out unnamed columns without a cell. In a workbook they are the rule and not worth a word."""
    kept = [column for column in table.columns if column.name or not column.is_blank]
    if told and len(kept) < len(table.columns):
        notes.add("An empty extra column was ignored.")
    table.columns = kept


def _leave_out_row_numbers(table: Table, notes: Notes) -> None:
    """Takes out a first column of row numbers without a name, as spreadsheets and data frames write it.

    Not where only a column of numbers would be left: then they are codes, and the numbers their counts.
    """
    first, *others = table.columns
    unnamed = first.name.lower() in NAMES_OF_ROW_NUMBERS
    if table.header_row is None or not unnamed or not others or not first.counts_rows:
        return
    if len(others) == 1 and others[0].holds_numbers:
        return
    notes.add("An unnamed row-number column was ignored.")
    table.columns = others
