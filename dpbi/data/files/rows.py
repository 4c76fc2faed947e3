"""Which rows of a grid name the columns, which are titles above or notes below the table, and which are its data."""

import re
from array import array
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import compress, takewhile

from . import vocabulary
from .delimited import CellGrid
from .form import ABOVE, COLUMNS, WIDE, Understanding
from .outcome import CountsError, listed, shown
from .table import SAMPLE, Column, Table, is_time, is_year, one_line, sampled
from .whole_numbers import is_like_number, is_number

TITLE_ROWS = 50  # how far down a header row is looked for, and how far up notes
CODE = re.compile(r"[^\W\d]{1,8}\d{1,5}\w{0,8}")  # Q1, V3, q0001
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
    grid = _without(grid, {*hidden, *(form.said.leave_out or ())})
    if not grid.rows:
        raise CountsError("no row of the file is left.")
    if notes := notes_below(grid):
        first = shown(next(filter(str.strip, record(grid, -notes))))
        why = f"Below the table {'stand notes' if notes > 1 else 'stands a note'}, beginning with {first}."
        grid = _without(grid, form.leave_out(grid.rows[-notes:], "a note below the table", why))
    header = _settle_header(grid, form)
    form.left_out.update({row: ABOVE for row in grid.rows[:TITLE_ROWS] if header and row < header[0]})
    named = [grid.rows.index(row) for row in header]
    names = _merged([record(grid, i) for i in named])
    width = len(grid.columns)  # how many cells a record should have: as the header, or else as most records
    if grid.widths is not None and len(named) < 2:
        width = grid.widths[named[0]] if named else sorted(grid.widths[:SAMPLE])[len(grid.widths[:SAMPLE]) // 2]
    grid = _without(grid, {*form.left_out, *(grid.rows[: named[-1] + 1] if named else ())})
    if not grid.rows:
        raise CountsError("the file has a header but no rows below it.")
    return _table(grid, names[:width], header, width, form)


def _table(grid: CellGrid, names: list[str], header: Sequence[int], width: int, form: Understanding) -> Table:
    columns = [
        Column(i, "", lambda stop, cells=cells: cells[:stop], sampled=sampled(len(grid.columns)))  # type: ignore[misc]
        for i, cells in enumerate(grid.columns, 1)
    ]
    if _lacks_name_of_rows(columns, names, width):
        names, width = ["", *names], width + 1
    for column, name in zip(columns, names, strict=False):
        column.name = one_line(name)
    _refuse_ragged(grid, columns, width)
    kept = [column for column in columns if column.name or not column.is_blank]
    if grid.widths is not None and len(kept) < len(columns):  # in a workbook they are the rule and not worth a word
        form.remark("An empty extra column was ignored.")
    table = Table(kept, grid.rows, header[0] if header else None, grid.blank_rows)
    first, *others = kept
    codes = len(others) == 1 and others[0].holds_numbers  # and their counts
    if header and first.name.lower() in NAMES_OF_ROW_NUMBERS and others and not codes and first.counts_rows:
        form.remark("An unnamed row-number column was ignored.")
        table.columns, table.aside = others, [first]
    return table


def _without(grid: CellGrid, rows: Collection[int]) -> CellGrid:
    kept = [row not in rows for row in grid.rows] if rows else []
    if all(kept):
        return grid
    columns = [list(compress(column, kept)) for column in grid.columns]
    widths = array("q", compress(grid.widths, kept)) if grid.widths is not None else None
    return CellGrid(columns, array("q", compress(grid.rows, kept)), widths, grid.blank_rows)


def record(grid: CellGrid, i: int) -> list[str]:
    return [column[i] for column in grid.columns]


# --- the rows that name the columns ---


def _settle_header(grid: CellGrid, form: Understanding) -> tuple[int, ...]:
    """The rows of the header, as said or as guessed. Rows below it that only repeat or mark the names are left out."""
    said = form.said.header_row
    header, why = _guess_header(grid, form) if said is None else (said, "")
    if lacking := set(header) - set(grid.rows):
        raise CountsError(f"header_row={min(lacking)} is blank, left out, or beyond the end of the file.",
                          entry="header_row")  # fmt: skip
    place = grid.rows.index(header[0]) if len(header) == 1 else len(grid.rows)
    below = grid.rows[place + 1 : place + 1 + headers_more(grid, place)]
    if below:
        cells = list(filter(str.strip, record(grid, place + 1)))
        seems = f"Row {below[0]} ({shown(cells[0])} …) seems to name the columns too: it is no person and no count."
        if said is None and len(below) == 1 and not all(map(is_rule, cells)) and cells != record(grid, place):
            header, why = (*header, *below), f"{why} {seems}".strip()
        else:
            form.leave_out(below, "names the columns too", seems)
    return tuple(form.settle("header_row", header, why))


def _guess_header(grid: CellGrid, form: Understanding) -> tuple[tuple[int, ...], str]:
    wanted = {one_line(name) for entry in COLUMNS for name in getattr(form.said, entry) or () if isinstance(name, str)}
    if said := [row for i, row in enumerate(grid.rows[:TITLE_ROWS])
                if wanted and wanted <= {*map(one_line, record(grid, i))}]:  # fmt: skip
        return (said[0],), ""
    place = header_below_titles(grid)
    if place == 1 and has_counts(record(grid, 1)) and not is_number(record(grid, 1)[0]):  # the header lacks a name
        place = 0
    row, first = grid.rows[place], shown(next(filter(str.strip, record(grid, 0))))
    is_header, why = _is_header(grid, place, form)
    if is_header:
        names = listed([shown(cell) for cell in record(grid, place) if cell.strip()])
        return (row,), why or (f"Row {row} seems to hold the names ({names}), below {first}." if place else "")
    if place:
        why = f"Above row {row}, which is data, there is no row of names."
        form.leave_out(grid.rows[:place], "a title above the table", why)
    else:
        form.remark("No header row found; the first row was kept as data.")
    return (), why


def header_below_titles(grid: CellGrid) -> int:
    """Which record is the first of the table. Those before it are narrower than it, or written with more cells, and so
    is a last title above a gap; in one column they stand above a gap, or are names that do not come again."""
    top = [record(grid, i) for i in range(min(TITLE_ROWS, len(grid.rows)))]
    after_gap = [i for i in range(1, len(top) - 1) if grid.rows[i] > grid.rows[i - 1] + 1]
    if len(grid.columns) == 1:
        times = Counter(grid.columns[0][:SAMPLE])
        alone = len(list(takewhile(lambda cells: times[cells[0]] == 1, top)))
        titled = 1 < alone < min(5, len(times)) and 2 * (len(times) - alone) <= sum(times.values()) - alone
        return next((i for i in after_gap if i < 4), alone - 1 if titled else 0)
    extents = [max(i for i, cell in enumerate(cells, 1) if cell.strip()) for cells in top]
    written = extents if grid.widths is None else list(grid.widths[: len(top)])
    usual, most = _usual(extents), max(_usual(written), written[-1])
    place = next((i for i in range(len(top)) if extents[i] >= usual and written[i] <= most), 0)
    apart = place and place + 1 in after_gap and not has_counts(top[place + 1]) and has_counts(top[place + 2])
    return place + 1 if apart else place


def _usual(numbers: Sequence[int]) -> int:
    """The most frequent number, the largest of those."""
    return max(Counter(numbers).items(), key=lambda item: (item[1], item[0]))[0]


def has_counts(cells: Sequence[str]) -> bool:
    return any(is_number(cell) and not is_year(cell) for cell in cells)


def _is_header(grid: CellGrid, place: int, form: Understanding) -> tuple[bool, str]:
    """Whether the record names the columns, and why that is in doubt.

    Text above numbers does; a number above numbers does not, nor does a cell that comes back down its column.
    """
    firsts, many = [cell.strip() for cell in record(grid, place)], len(grid.columns)
    if form.said.layout == WIDE or headers_more(grid, place):
        return True, ""
    below = [list(filter(str.strip, column[place + 1 : place + sampled(many)])) for column in grid.columns]
    over_numbers = [first for first, cells in zip(firsts, below, strict=True)
                    if first and 2 * sum(map(is_number, cells)) >= len(cells) > 0]  # fmt: skip
    numbers = [first for first in over_numbers if is_number(first)]
    nameless = many > 1 and not firsts[0] and bool(below[0]) and not any(map(is_number, below[0]))
    filled = sum(bool(first or cells) for first, cells in zip(firsts, below, strict=True))
    by_place = len(grid.rows) == place + 2 and len(set(numbers)) == filled > (1 if place else 2)
    if numbers and (nameless or by_place or all(map(is_year, numbers))):
        return True, f"Row {grid.rows[place]} may name the columns, {shown(numbers[0])} being such a name, or be data."
    if (numbers or any(first and first in map(str.strip, cells) for first, cells in zip(firsts, below, strict=True))
            or (len(grid.rows) == place + 1 and any(map(is_number, firsts)))):  # fmt: skip
        return False, ""
    alike = many == 1 and place == 0 and any(cell.islower() == firsts[0].islower() for cell in below[0])
    return True, f"Row 1 may name the column, or {shown(firsts[0])} be the first answer." if alike else ""


def headers_more(grid: CellGrid, place: int) -> int:
    """How many records below that at `place` name the columns too: words above numbers, names below blank cells
    or beside one, texts of questions below their codes, rules, the same names again, or ids of an import."""
    stop = min(len(grid.rows), place + TITLE_ROWS)
    for i in range(place + 1, min(stop, place + 4)):
        if any(column[i].startswith('{"ImportId"') for column in grid.columns):  # a third row of names, by Qualtrics
            return i - place
    second = record(grid, place + 1) if stop > place + 2 else []
    filled = [j for j, cell in enumerate(second) if cell.strip()]
    if not filled or has_counts(second):
        return 0
    header, data = record(grid, place), [list(filter(str.strip, column[place + 2 : stop])) for column in grid.columns]
    numeric = [j for j, cells in enumerate(data) if len(cells) > 1 and all(is_number(c) or is_time(c) for c in cells)]
    nothing = [is_time(cell) or is_like_number(cell) or cell.strip().lower() in vocabulary.ANONYMOUS for cell in second]
    over_numbers = any(j in numeric and not nothing[j] for j in filled)
    nameless = any(j and not header[j].strip() and data[j] for j in filled)
    below_names = not second[0].strip() and len(set(data[0])) == stop - place - 2
    spoken = any(second[j].rstrip().endswith("?") and CODE.fullmatch(header[j].strip()) for j in filled)
    ruled = all(is_rule(second[j]) for j in filled) or (header == second and len(filled) > 1)
    return int(over_numbers or nameless or below_names or spoken or ruled)


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
    many = len(grid.rows)
    ends = {i: record(grid, i) for i in (*range(min(TITLE_ROWS, many)), *range(max(0, many - TITLE_ROWS), many))}
    numeric = [j for j in range(1, len(grid.columns)) if 4 * sum(is_number(r[j]) for r in ends.values()) >= len(ends)]
    from_end = [i for i in reversed(ends) if i and i >= many - TITLE_ROWS]
    single = [grid.widths is not None and grid.widths[i] < len(grid.columns) and not any(map(str.strip, ends[i][1:]))
              for i in from_end]  # fmt: skip
    return len(list(takewhile(lambda i: single[many - 1 - i] or _is_outside(ends[i], numeric), from_end)))


def _is_outside(cells: list[str], numeric: list[int]) -> bool:
    filled = [cell for cell in cells if cell.strip()]
    spaced = " " in cells[0].strip() and any(len(cell) > 1 and cell[0] == " " for cell in cells[1:])
    if SOURCE.match(filled[0].strip()) or (spaced and is_year(filled[-1])):  # a comma in it may separate a year
        return True
    if any(is_like_number(cell) and not is_rule(cell) for cell in filled):
        return False
    line = cells[0].strip() if len(filled) == 1 < len(cells) else ""
    alone = line.startswith("*") or line.endswith(".") or is_rule(line) or len(line) >= 30
    return alone or (bool(numeric) and all(len(cells[j].split()) > 1 for j in numeric))


def is_rule(cell: str) -> bool:
    return len(cell.strip()) > 2 and not cell.strip().strip("-_=+:*.~—–|")


# --- records that are not as wide as the table ---


def _lacks_name_of_rows(columns: list[Column], names: list[str], width: int) -> bool:
    """Whether the header is one name short, the first column being numbers or names of rows (as R writes tables).

    Not where each row may hold a number whose comma separates it.
    """
    if len(columns) != width + 1 or not all(map(one_line, names)) or not names or columns[-1].is_blank:
        return False
    first, last = columns[0], columns[-1].sample
    threes = all(len(cell.strip()) == 3 and cell.strip().isdecimal() for cell in last)
    grouped = width > 1 and columns[-2].holds_numbers and threes
    named = not first.holds_numbers and first.distinct == len(first.sample) and "" not in columns[-1].cells
    return first.counts_rows or (named and not grouped)


def _refuse_ragged(grid: CellGrid, columns: list[Column], width: int) -> None:
    wrong = [i for column in columns[width:] for i, cell in enumerate(column.cells) if cell.strip()]
    wrong += [i for i, cells in enumerate(grid.widths or ()) if cells < width]
    if not wrong or grid.widths is None:
        return
    written, first = grid.widths[min(wrong)], columns[0].cells[min(wrong)]
    remedy = ("put names and numbers that contain the separator in quotes" if written > width else
              "fill in what is missing, or leave the row out if it is no data")  # fmt: skip
    what = f"{written} {'cell' if written == 1 else 'cells'} instead of {width}, beginning with {shown(first)}"
    raise CountsError(f"{what}; {remedy}.", grid.rows[min(wrong)])
