"""Which rows of a grid name the columns, which are titles above or notes below the table, and which are its data."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import takewhile

from . import vocabulary
from .delimited import CellGrid, cells_filled
from .form import ABOVE, Understanding
from .outcome import CountsError, listed, shown
from .table import SAMPLE, Column, Table, is_time, is_year, one_line, sampled
from .whole_numbers import is_like_number, is_number

TITLE_ROWS = 50  # how far down a header row is looked for, and how far up notes
HEADERS_MORE = 3
LONG_NOTE = 30
CODE = re.compile(r"[^\W\d]{1,8}\d{1,5}\w{0,8}")  # Q1, V3, q0001
IMPORT_ID = '{"ImportId"'  # Qualtrics writes it in a third row of names
NOTE = re.compile(r"[*(\[©†‡¹²³]|\d{1,2}[.)]?\s|(?:note|source|quelle|info|fuente|nb)\b", re.IGNORECASE)
SOURCE = re.compile(
    r"(?:notes?|sources?|来源|quellen?|anmerkung|hinweis|stand|fuente|fonte|base|basis|n =)\s*(?:\b.*)?[:=：]",
    re.IGNORECASE,
)
NAMES_OF_ROW_NUMBERS = ("", "unnamed: 0", "rownames", "row.names", "rowname", "...1")  # by pandas and R


def table_of(grid: CellGrid, form: Understanding, hidden: Sequence[int] = ()) -> Table:
    """The table under its header, without titles, notes, hidden rows and what else is left out.

    A first record that holds counts itself is kept as data. Records must have as many cells as the header; columns
    without a name and without a cell are left out, and so is an unnamed column of row numbers.
    """
    if form.said.leave_out:
        grid = _without(grid, set(form.said.leave_out))
        form.remark(f"Left out, as said: rows {listed(list(map(str, form.said.leave_out)), 12)}.")
    grid = _without(grid, set(hidden))
    if not grid.rows:
        raise CountsError("no row of the file is left.")
    below = notes_below(grid)
    if below:
        rows = grid.rows[len(grid.rows) - below :]
        first = shown(_first_text(grid, len(grid.rows) - below))
        why = f"Below the table {'stand notes' if below > 1 else 'stands a note'}, beginning with {first}."
        grid = _without(grid, set(form.leave_out(rows, "a note below the table", why)))
    header = _settle_header(grid, form)
    above = [row for row in grid.rows if header and row < header[0]]
    form.left_out.update(dict.fromkeys(above, ABOVE))
    places = [grid.rows.index(row) for row in header]
    width = len(grid.columns) if len(header) > 1 else _width(grid, places[0] if places else None)
    names = _merged([record(grid, i) for i in places])
    grid = _without(grid, {*above, *header, *form.left_out})
    if not grid.rows:
        raise CountsError("the file has a header but no rows below it.")
    return _table(grid, names, header, width, form)


def _table(grid: CellGrid, names: list[str], header: Sequence[int], width: int, form: Understanding) -> Table:
    many = len(grid.columns)
    columns = [
        Column(i, one_line(names[i - 1]) if names and i <= width else "", _slice(cells), sampled=sampled(many))
        for i, cells in enumerate(grid.columns, 1)
    ]
    lacks_name = _lacks_name_of_rows(columns, width)
    if lacks_name:
        for column, name in zip(columns, ["", *map(one_line, names)], strict=False):
            column.name = name
        width += 1
    _refuse_ragged(grid, columns, width)
    kept = [column for column in columns if column.name or not column.is_blank]
    if grid.widths is not None and len(kept) < many:  # in a workbook they are the rule and not worth a word
        form.remark("An empty extra column was ignored.")
    table = Table(kept, grid.rows, header[0] if header else None, grid.blank_rows, lacks_name)
    _leave_out_row_numbers(table, form)
    return table


def _slice(cells: list[str]) -> Callable[[int | None], list[str]]:
    return lambda stop: cells if stop is None else cells[:stop]


def _without(grid: CellGrid, rows: set[int]) -> CellGrid:
    kept = [i for i, row in enumerate(grid.rows) if row not in rows] if rows else range(len(grid.rows))
    if len(kept) == len(grid.rows):
        return grid
    span = range(kept[0], kept[-1] + 1) if kept else range(0)
    at = span if len(span) == len(kept) else kept
    if isinstance(at, range):
        cut = slice(at.start, at.stop)
        columns, rows_left = [column[cut] for column in grid.columns], grid.rows[cut]
        widths = grid.widths[cut] if grid.widths is not None else None
    else:
        columns, rows_left = [[column[i] for i in at] for column in grid.columns], [grid.rows[i] for i in at]
        widths = [grid.widths[i] for i in at] if grid.widths is not None else None
    return CellGrid(columns, rows_left, widths, grid.blank_rows)


def record(grid: CellGrid, i: int) -> list[str]:
    return [column[i] for column in grid.columns]


def _first_text(grid: CellGrid, i: int) -> str:
    return next(filter(str.strip, record(grid, i)))


# --- the rows that name the columns ---


def _settle_header(grid: CellGrid, form: Understanding) -> tuple[int, ...]:
    """The rows of the header, as said or as guessed."""
    said = form.said.header_row
    if said is None:
        guess, why = _guess_header(grid, form)
        return tuple(form.settle("header_row", guess, why))
    for row in said:
        if row not in grid.rows:
            raise CountsError(f"header_row={row} is blank, left out, or beyond the end of the file.",
                              entry="header_row")  # fmt: skip
    form.settle("header_row", said)
    if len(said) == 1:
        _more_names(grid, grid.rows.index(said[0]), form)
    return said


def _more_names(grid: CellGrid, place: int, form: Understanding) -> int:
    """How many rows below the header name the columns too; those that only repeat or mark it are left out."""
    found = headers_more(grid, place)
    rows = grid.rows[place + 1 : place + 1 + found]
    if found:
        said = shown(_first_text(grid, place + 1))
        form.leave_out(rows, "names the columns too", f"Row {rows[0]} ({said} …) seems to name the columns, as the "
                       "row above it does: it is no person and no count then.")  # fmt: skip
    return found


def _guess_header(grid: CellGrid, form: Understanding) -> tuple[tuple[int, ...], str]:
    place = header_below_titles(grid) if len(grid.columns) > 1 else _below_a_gap(grid)
    header, row = record(grid, place), grid.rows[place]
    if _are_names_by_place(grid, place):
        return (row,), f"Row {row} seems to name the columns by numbers, and the one below it to hold their counts."
    if place and has_counts(header) and is_number(header[0]):  # there is none: titles, then data
        why = f"Above row {row}, which is data, there is no row of names."
        form.leave_out(grid.rows[:place], "a title above the table", why)
        return (), why
    if place == 1 and has_counts(header):  # the header lacks a name
        place, header, row = 0, record(grid, 0), grid.rows[0]
    names = listed([shown(cell) for cell in header if cell.strip()])
    why = f"Row {row} seems to hold the names ({names}), below {shown(_first_text(grid, 0))}." if place else ""
    more = headers_more(grid, place)
    if more:
        rows = grid.rows[place : place + 1 + more]
        below = [record(grid, place + 1 + i) for i in range(more)]
        if more == 1 and not all(is_rule(cell) for cell in filter(str.strip, below[0])) and below[0] != header:
            said = shown(_first_text(grid, place + 1))
            return tuple(rows), f"{why} Row {rows[1]} ({said} …) seems to name the columns too.".strip()
        _more_names(grid, place, form)
        return (row,), why
    if place:
        return (row,), why
    is_header, why = _first_is_header(grid, form)
    return ((row,) if is_header else ()), why


def _are_names_by_place(grid: CellGrid, place: int) -> bool:
    """Whether two records are left, of numbers only, the first of which are all different."""
    if len(grid.rows) != place + 2 or len(grid.columns) < 3:
        return False
    first, second = record(grid, place), record(grid, place + 1)
    return all(map(is_number, first + second)) and len(set(first)) == len(first)


def _below_a_gap(grid: CellGrid) -> int:
    """In one column: the first record below a blank row near the top, above which titles stand."""
    top = range(1, min(4, len(grid.rows) - 1))
    return next((i for i in top if grid.rows[i] > grid.rows[i - 1] + 1), 0)


def header_below_titles(grid: CellGrid) -> int:
    """Which record is the first of the table; those before it are narrower than it, or written with more cells."""
    top = [record(grid, i) for i in range(min(TITLE_ROWS, len(grid.rows)))]
    found = _above_numbers(top)
    if found is not None:
        return found
    extents = [max(i for i, cell in enumerate(cells) if cell.strip()) + 1 for cells in top]
    written = list(grid.widths[: len(top)]) if grid.widths is not None else extents
    usual, most = _usual(extents), _usual(written)
    titles = [extent < usual or width > most for extent, width in zip(extents, written, strict=True)]
    return next((i for i, title in enumerate(titles) if not title), 0)


def _usual(numbers: Sequence[int]) -> int:
    """The most frequent number, the largest of those."""
    return max(Counter(numbers).items(), key=lambda item: (item[1], item[0]))[0]


def _above_numbers(top: list[list[str]]) -> int | None:
    """The record right above the longest column of numbers, or two where names stand in both; None where no record of
    another width stands above it."""
    runs: list[tuple[int, int]] = []
    for j in range(1, len(top[0])):
        start = None
        for i, cells in enumerate([*top, []]):
            number = bool(cells) and is_number(cells[j])
            if number and start is None:
                start = i
            elif not number and start is not None:
                runs.append((i - start, start))
                start = None
    length, start = max(runs, key=lambda run: (run[0], -run[1]), default=(0, 0))
    header = top[start - 1] if length > 1 and start > 1 else []
    named = cells_filled(header)
    titled = any(cells_filled(cells) < named or _is_spaced(cells) for cells in top[: start - 1])  # '…, 2021': two cells
    if named < 2 or has_counts(header) or not titled:
        return None
    upper = start - 2
    split = not header[0].strip() and cells_filled(top[upper]) > 1 and not has_counts(top[upper])
    return upper if split else start - 1


def has_counts(cells: Sequence[str]) -> bool:
    return any(is_number(cell) and not is_year(cell) for cell in cells)


def _first_is_header(grid: CellGrid, form: Understanding) -> tuple[bool, str]:
    """Whether the first record names the columns, and why that is in doubt.

    Text above numbers does; a number above numbers does not, nor does a cell that comes back down its column.
    """
    firsts = [column[0].strip() for column in grid.columns]
    said = form.said
    wanted = {one_line(name) for columns in (said.column, said.category_column, said.count_column, said.group_column)
              for name in columns or () if isinstance(name, str)}  # fmt: skip
    if said.layout == "wide" or wanted & set(map(one_line, firsts)):
        return True, ""
    below = [[cell for cell in column[1 : sampled(len(grid.columns))] if cell.strip()] for column in grid.columns]
    over_numbers = [
        first for first, cells in zip(firsts, below, strict=True) if 2 * sum(map(is_number, cells)) >= len(cells) > 0
    ]
    if any(first and not is_number(first) for first in over_numbers):
        return True, ""
    numbers = [first for first in over_numbers if first]
    nameless = len(firsts) > 1 and not firsts[0] and bool(below[0]) and not any(map(is_number, below[0]))
    scale = len(numbers) > 2 and numbers in ([str(i + j) for i in range(len(numbers))] for j in (0, 1))
    if numbers and (nameless or (scale and not is_number(firsts[0])) or all(map(is_year, numbers))):
        return True, f"The first row may name the columns, {shown(numbers[0])} being a year or an answer, or be data."
    comes_back = any(first and first in map(str.strip, cells) for first, cells in zip(firsts, below, strict=True))
    lone_numbers = len(grid.rows) == 1 and any(map(is_number, firsts))
    if not (numbers or comes_back or lone_numbers):
        return True, ""
    form.remark("No header row found; the first row was kept as data.")
    return False, ""


def headers_more(grid: CellGrid, place: int) -> int:
    """How many records below that at `place` name the columns too: words above numbers, names below blank cells
    or beside one, texts of questions below their codes, rules, the same names again, or ids of an import."""
    stop = min(len(grid.rows), place + TITLE_ROWS)
    for i in range(place + 1, min(stop, place + 1 + HEADERS_MORE)):
        if any(column[i].startswith(IMPORT_ID) for column in grid.columns):
            return i - place
    if stop < place + 3:
        return 0
    header, second = record(grid, place), record(grid, place + 1)
    data = [[cell for cell in column[place + 2 : stop] if cell.strip()] for column in grid.columns]
    filled = [j for j, cell in enumerate(second) if cell.strip()]
    again = any(second[j] in data[j] for j in filled)
    if not filled or has_counts(second):
        return 0
    numeric = [j for j, cells in enumerate(data) if len(cells) > 1 and all(is_number(c) or is_time(c) for c in cells)]
    over_numbers = any(j in numeric and not (is_time(second[j]) or _stands_for_nothing(second[j])) for j in filled)
    nameless = any(j and not header[j].strip() and data[j] for j in filled)
    below_names = not second[0].strip() and len(set(data[0])) == stop - place - 2
    spoken = any(second[j].rstrip().endswith("?") and CODE.fullmatch(header[j].strip()) for j in filled)
    of_index = filled == [0] and len(second) > 2 and len(numeric) == len(second) - 1
    ruled = all(is_rule(second[j]) for j in filled) or (header == second and len(filled) > 1)
    return int(over_numbers or nameless or below_names or (not again and (spoken or of_index or ruled)))


def _stands_for_nothing(cell: str) -> bool:
    return is_like_number(cell) or cell.strip().lower() in vocabulary.ANONYMOUS


def _merged(rows: Sequence[list[str]]) -> list[str]:
    """'Colour' above 'Red' and nothing above 'Blue' are 'Colour / Red' and 'Colour / Blue'; a name alone stays."""
    if len(rows) < 2:
        return rows[0] if rows else []
    upper, lower = rows[0], _merged(rows[1:])
    names, span = [], ""
    for j, (name, option) in enumerate(zip(upper, lower, strict=True)):
        spans = bool(name.strip()) and j + 1 < len(upper) and not upper[j + 1].strip() and bool(lower[j + 1].strip())
        span = name if name.strip() else span
        inside = (spans or not name.strip()) and option.strip()
        names.append(" / ".join(map(one_line, filter(str.strip, (span if j else name, option)))) if inside else name)
    return names


# --- notes below the table ---


def notes_below(grid: CellGrid) -> int:
    """How many records at the end are notes, sources or rules: of a single cell where the table has more, or of words
    where it has numbers."""
    if len(grid.columns) == 1:
        return _notes_in_one_column(grid)
    many = len(grid.rows)
    ends = {i: record(grid, i) for i in (*range(min(TITLE_ROWS, many)), *range(max(0, many - TITLE_ROWS), many))}
    numeric = [j for j in range(1, len(grid.columns)) if 4 * sum(is_number(r[j]) for r in ends.values()) >= len(ends)]
    from_end = [i for i in reversed(ends) if i and i >= many - TITLE_ROWS]
    single = [grid.widths is not None and grid.widths[i] == 1 for i in from_end]
    outside = takewhile(lambda i: single[many - 1 - i] or _is_outside(ends[i], numeric), from_end)
    return len(list(outside))


def _notes_in_one_column(grid: CellGrid) -> int:
    """How many cells at the end stand nowhere else, below a blank row or a cell that reads as a note."""
    cells = grid.columns[0]
    times = Counter(cells)
    last = len(list(takewhile(lambda cell: times[cell] == 1, reversed(cells[-5:]))))
    starts = [i for i in range(max(1, len(cells) - last), len(cells))
              if _is_note(cells[i]) or grid.rows[i] > grid.rows[i - 1] + 1]  # fmt: skip
    return len(cells) - starts[0] if starts and 2 * len(times) <= len(cells) + 2 else 0


def _is_spaced(cells: list[str]) -> bool:
    """A sentence that was split at its commas, as in 'Survey of 3 May, 2024': spaces stand after them."""
    return " " in cells[0].strip() and any(len(cell) > 1 and cell[0] == " " for cell in cells[1:])


def _is_outside(cells: list[str], numeric: list[int]) -> bool:
    filled = [cell for cell in cells if cell.strip()]
    if SOURCE.match(filled[0].strip()):  # though a comma in it may separate a year
        return True
    if any(is_like_number(cell) and not is_rule(cell) for cell in filled):
        return False
    alone = len(filled) == 1 and bool(cells[0].strip()) and (bool(numeric) or _is_note(filled[0]))
    return alone or (bool(numeric) and all(len(cells[j].split()) != 1 for j in numeric))


def is_rule(cell: str) -> bool:
    line = cell.strip()
    return len(line) > 2 and not line.strip("-_=+:*.~—–|")


def _is_note(text: str) -> bool:
    line = text.strip()
    return is_rule(line) or line.endswith(".") or bool(NOTE.match(line) or SOURCE.match(line)) or len(line) >= LONG_NOTE


# --- which columns are there ---


def _width(grid: CellGrid, header: int | None) -> int:
    """How many cells a record should have: as many as the header, or else as most records."""
    if grid.widths is None:
        return len(grid.columns)
    if header is not None:
        return grid.widths[header]
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


def _refuse_ragged(grid: CellGrid, columns: list[Column], width: int) -> None:
    if grid.widths is None:
        return
    beyond = [i for column in columns[width:] for i, cell in enumerate(column.cells) if cell.strip()]
    short = [i for i, cells in enumerate(grid.widths) if cells < width]
    wrong = min([*beyond, *short], default=None)
    if wrong is not None:
        written, first = grid.widths[wrong], columns[0].cells[wrong]
        remedy = (
            "if the first column has no name, put one above it"
            if written == width + 1 and all(cells == written for cells in grid.widths)
            else "only a line is drawn there: leave the row out"
            if is_rule(first)
            else "put names and numbers that contain the separator in quotes"
            if written > width
            else "fill in what is missing, or leave the row out if it is no data"
        )
        cells = "cell" if written == 1 else "cells"
        raise CountsError(
            f"{written} {cells} instead of {width}, beginning with {shown(first)}; {remedy}.", grid.rows[wrong], first
        )


def _leave_out_row_numbers(table: Table, form: Understanding) -> None:
    """Takes out a first column of row numbers without a name, as spreadsheets and data frames write it.

    Not where only a column of numbers would be left: then they are codes, and the numbers their counts.
    """
    first, *others = table.columns
    unnamed = first.name.lower() in NAMES_OF_ROW_NUMBERS
    if table.header_row is None or not unnamed or not others or not first.counts_rows:
        return
    if len(others) == 1 and others[0].holds_numbers:
        return
    form.remark("An unnamed row-number column was ignored.")
    table.columns, table.aside = others, [first]
