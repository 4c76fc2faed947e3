"""Where the table of a grid begins and ends: titles above it, notes below it, and further rows of its header."""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

from . import vocabulary
from .answers import Answers
from .delimited import CellGrid, cells_filled
from .outcome import CountsError, Notes, listed, shown
from .table import is_time, is_year, one_line
from .whole_numbers import is_like_number, is_number

TITLE_ROWS = 50  # how far down a header row is looked for, and how far up notes
COLUMNS_LOOKED_AT = 20
HEADERS_MORE = 3
LONG_NOTE = 30
CODE = re.compile(r"[^\W\d]{1,8}\d{1,5}\w{0,8}")  # Q1, V3, q0001
IMPORT_ID = '{"ImportId"'  # Qualtrics writes it in a third row of names
NOTE = re.compile(r"[*(\[©†‡¹²³]|\d{1,2}[.)]?\s|(?:note|source|quelle|info|fuente|nb)\b", re.IGNORECASE)
SOURCE = re.compile(r"(?:notes?|sources?|quellen?|anmerkung|hinweis|stand|fuente|fonte|base|basis|n =)\b.*[:=]",
                    re.IGNORECASE)  # fmt: skip


def kept_rows(grid: CellGrid, first: int, stop: int) -> CellGrid:
    """Records first up to stop."""
    if (first, stop) == (0, len(grid.rows)):
        return grid
    widths = grid.widths[first:stop] if grid.widths is not None else None
    return CellGrid([column[first:stop] for column in grid.columns], grid.rows[first:stop], widths, grid.blank_rows)


def record(grid: CellGrid, i: int) -> list[str]:
    return [column[i] for column in grid.columns]


def without_ends(grid: CellGrid, answers: Answers, notes: Notes) -> CellGrid:
    """The grid without the rows that skip_rows (rows of the file) and skip_footer (filled rows) leave out."""
    first, stop = 0, len(grid.rows)
    if answers.skip_rows:
        first = next((i for i, row in enumerate(grid.rows) if row > answers.skip_rows), stop)
        notes.add(f"The first {answers.skip_rows:,} rows were left out.")
    if answers.skip_footer:
        stop -= answers.skip_footer
        last = "row was" if answers.skip_footer == 1 else f"{answers.skip_footer:,} filled rows were"
        notes.add(f"The last {last} left out.")
    if first >= stop:
        raise CountsError(f"skip_rows and skip_footer leave no row: the file has {len(grid.rows):,} filled ones.")
    return kept_rows(grid, first, stop)


# --- the header below title lines ---


def header_below_titles(grid: CellGrid) -> int:
    """Which record is the first of the table; those before it are narrower than it, or written with more cells."""
    top = [record(grid, i) for i in range(min(TITLE_ROWS, len(grid.rows)))]
    found = _above_numbers(top)
    if found is not None:
        return found
    extents = [max(i for i, cell in enumerate(cells) if cell.strip()) + 1 for cells in top]
    usual = Counter(extents).most_common(1)[0][0]
    written = list(grid.widths[: len(top)]) if grid.widths is not None else extents
    most = Counter(written).most_common(1)[0][0] if grid.widths is not None else usual
    titles = [extent < usual or width > most for extent, width in zip(extents, written, strict=True)]
    return next((i for i, title in enumerate(titles) if not title), 0)


def _above_numbers(top: list[list[str]]) -> int | None:
    """The record right above the longest column of numbers, or two where names stand in both; None where no record of
    another width stands above it."""
    runs: list[tuple[int, int]] = []
    for j in range(1, min(len(top[0]), COLUMNS_LOOKED_AT)):
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
    above = top[: start - 1]
    named = cells_filled(header)
    titled = any(cells_filled(cells) < named or _is_spaced(cells) for cells in above)  # '…, 2021' has two cells
    if named < 2 or has_counts(header) or not titled:
        return None
    upper = start - 2
    split = not header[0].strip() and cells_filled(top[upper]) > 1 and not has_counts(top[upper])
    return upper if split else start - 1


def has_counts(cells: Sequence[str]) -> bool:
    return any(is_number(cell) and not is_year(cell) for cell in cells)


# --- notes below the table ---


def notes_below(grid: CellGrid, header: int) -> int:
    """How many records at the end are notes, sources or rules; the table has records above them, below its header."""
    many, first = len(grid.rows), header + 1
    places = sorted({*range(first, min(many, first + TITLE_ROWS)), *range(max(first, many - TITLE_ROWS), many)})
    if not places:
        return 0
    records = {i: record(grid, i) for i in places}
    usual = max(Counter(cells_filled(cells) for cells in records.values()).most_common(), key=lambda c: (c[1], c[0]))[0]
    written = Counter(grid.widths[i] for i in places).most_common(1)[0][0] if grid.widths is not None else 0
    if len(grid.columns) < 2:
        return 0
    numeric = [
        j for j in range(1, min(len(grid.columns), COLUMNS_LOOKED_AT))
        if 3 * sum(is_number(cells[j]) for cells in records.values()) >= len(records)
    ]  # fmt: skip
    spaced = Counter(_is_spaced(cells) for cells in records.values())
    start = many
    while start > first + 1 and start - 1 in records and (
        _is_outside(records[start - 1], usual, numeric) or (_is_spaced(records[start - 1]) and 4 * spaced[True] <= many)
    ):
        start -= 1
    for i in range(start, many):
        gap = grid.rows[i] > grid.rows[i - 1] + 1
        short = grid.widths is not None and grid.widths[i] < written
        if gap or _is_spaced(records[i]) or _is_note(next(filter(str.strip, records[i])), short):
            return many - i
    return 0


def _is_spaced(cells: list[str]) -> bool:
    """A sentence that was split at its commas, as in 'Survey of 3 May, 2024': spaces stand after them."""
    return " " in cells[0].strip() and any(len(cell) > 1 and cell[0] == " " for cell in cells[1:])


def _is_outside(cells: list[str], usual: int, numeric: list[int]) -> bool:
    """One filled cell where several are usual, or sentences where the table has numbers; or a line that says it is a
    source, though a comma in it may separate a year."""
    filled = [cell for cell in cells if cell.strip()]
    if SOURCE.match(filled[0].strip()):
        return True
    if any(is_like_number(cell) and not is_rule(cell) for cell in filled):
        return False
    alone = len(filled) == 1 and (usual > 1 or bool(numeric)) and bool(cells[0].strip())
    return alone or (bool(numeric) and all(len(cells[j].split()) != 1 for j in numeric))


def is_rule(cell: str) -> bool:
    line = cell.strip()
    return len(line) > 2 and not line.strip("-_=+:*.~—–|")


def _is_note(text: str, short: bool) -> bool:
    line = text.strip()
    several = len(line.split()) > 1
    spoken = line.endswith(".") or ":" in line or len(line) >= LONG_NOTE or bool(NOTE.match(line))
    return is_rule(line) or (several and (short or spoken)) or (spoken and bool(NOTE.match(line)) and len(line) > 3)


# --- further rows of the header ---


def headers_more(grid: CellGrid) -> int:
    """How many records below the first name the columns too: question texts, options, units, ids of an import."""
    stop = min(len(grid.rows), TITLE_ROWS)
    for i in range(1, min(stop, 1 + HEADERS_MORE)):
        if any(column[i].startswith(IMPORT_ID) for column in grid.columns):
            return i
    if stop < 3:
        return 0
    header, second = record(grid, 0), record(grid, 1)
    filled = [j for j, cell in enumerate(second) if cell.strip()]
    if not filled or has_counts(second):
        return 0
    data = [[cell for cell in column[2:stop] if cell.strip()] for column in grid.columns]
    twice = header == second and len(filled) > 1 and not _comes_again(second, data)
    if twice or all(is_rule(second[j]) for j in filled):
        return 1
    nameless = [j for j in filled if j and not header[j].strip() and data[j]]
    over_numbers = [j for j in filled if len(data[j]) > 1 and all(is_number(c) or is_time(c) for c in data[j])
                    and not _stands_for_nothing(second[j])]  # fmt: skip
    first_blank = not second[0].strip() and len(data[0]) == stop - 2
    first_named = bool(header[0].strip()) and len(set(data[0])) == len(data[0])
    split = bool(nameless) and (first_blank or (not header[0].strip() and bool(over_numbers)) or
                                all(map(is_year, filter(str.strip, second[1:]))))  # fmt: skip
    below_names = first_blank and (first_named or bool(over_numbers))
    alike = any(_letters(header[j]) == _letters(second[j]) != "" for j in filled)
    of_index = filled == [0] and len(second) > 2 and second[0].isalpha()
    name_of_index = of_index and all(len(cells) == stop - 2 and all(map(is_number, cells)) for cells in data[1:])
    spoken = any(second[j].rstrip().endswith("?") and CODE.fullmatch(header[j].strip()) for j in filled)
    questions = spoken and not _comes_again(second, data)
    units = bool(over_numbers) and all(_is_unit(second[j]) for j in over_numbers)
    texts = len(over_numbers) > 1 and not _comes_again(second, data)
    alike = alike and bool(over_numbers)
    return int(any((split, below_names, units, alike, texts, name_of_index, questions)))


def _stands_for_nothing(cell: str) -> bool:
    return is_like_number(cell) or cell.strip().lower() in vocabulary.ANONYMOUS


def _comes_again(second: list[str], data: list[list[str]]) -> bool:
    return any(cell.strip() and cell in cells for cell, cells in zip(second, data, strict=True))


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text[:200]).casefold()))


def _is_unit(text: str) -> bool:
    words = set(re.findall(r"[^\W\d_]+|%", text.lower()))
    return bool(words) and words <= vocabulary.COUNTS | vocabulary.SHARES | vocabulary.UNITS


def settle_headers(grid: CellGrid, answers: Answers, notes: Notes) -> CellGrid:
    """The grid with one header, as answered. Asks where there seem to be more."""
    if answers.second_header == "keep":
        return grid
    found = headers_more(grid)
    if answers.second_header is None:
        if not found:
            return grid
        said = next(filter(str.strip, record(grid, 1)))
        rows = f"row {grid.rows[1]} a" if found == 1 else f"rows {grid.rows[1]} to {grid.rows[found]} a"
        raise answers.question(
            f"is what stands in {rows} second header, as {shown(said)} seems to be? It is no person and no count then.",
            {"second_header": "drop"},
            row=grid.rows[1],
            cell=said,
        )
    found = max(found, 1)
    rows = listed([str(row) for row in grid.rows[1 : 1 + found]])
    notes.add(f"Read as header too, not as data: {'row' if found == 1 else 'rows'} {rows}.")
    if len(grid.rows) <= 1 + found:
        raise CountsError("the file has a header but no rows below it.")
    names, of_import = record(grid, 0), any(cell.startswith(IMPORT_ID) for cell in record(grid, found))
    names = names if of_import else _merged(names, record(grid, 1))
    below = kept_rows(grid, 1 + found, len(grid.rows))
    widths = [len(names), *below.widths] if below.widths is not None else None
    columns = [[name, *cells] for name, cells in zip(names, below.columns, strict=True)]
    return CellGrid(columns, [grid.rows[0], *below.rows], widths, grid.blank_rows)


def _merged(upper: list[str], lower: list[str]) -> list[str]:
    """'Colour' above 'Red' and nothing above 'Blue' are 'Colour / Red' and 'Colour / Blue'; a name alone stays."""
    names, span = [], ""
    for j, (name, option) in enumerate(zip(upper, lower, strict=True)):
        spans = bool(name.strip()) and j + 1 < len(upper) and not upper[j + 1].strip() and bool(lower[j + 1].strip())
        span = name if name.strip() else span
        inside = (spans or not name.strip()) and option.strip()
        names.append(" / ".join(map(one_line, filter(str.strip, (span if j else name, option)))) if inside else name)
    return names
