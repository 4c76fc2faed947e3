"""From text to columns of cells: which separator, then every record, by the rules of CSV."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from dpbi import limits

from .outcome import CountsError, shown
from .whole_numbers import is_number

SEPARATORS = (
    "\t",
    ";",
    "|",
    ",",
)  # where two fit alike the earlier one: commas occur inside numbers and names
SAMPLE_CHARACTERS = 60_000
DIRECTIVE = re.compile(r'"?sep=(.)"?[^\S\n]*(?:\n|$)', re.IGNORECASE)
NO_SEPARATOR = "\x1f"  # cannot occur as a cell's text that people wrote


@dataclass
class Grid:
    """Cells by column, blank records left out. rows[i]: the row of the file where record i begins.

    widths[i]: how many cells record i was written with; None where the format pads all records alike.
    """

    columns: list[list[str]]
    rows: Sequence[int]
    widths: Sequence[int] | None
    blank_rows: int


def read_delimited(text: str) -> tuple[Grid, str | None]:
    """The cells of the text, and the separator (None: one column).

    Raises CountsError for a quote that is never closed, too many rows or cells, and where nothing is left.
    """
    directive = DIRECTIVE.match(text)
    first_row = 1
    if directive:
        if directive[1] not in SEPARATORS:
            raise CountsError(
                f"{shown(directive[0].strip())} names a separator other than comma, semicolon, tab or bar.", 1
            )
        text, first_row = text[directive.end() :], 2
    separator = directive[1] if directive else choose_separator(text)
    grid = _split(text, separator, first_row) if '"' not in text else None
    grid = grid or _parse(text, separator, first_row)
    if not grid.rows:
        raise CountsError("the file holds only blank lines.")
    if len(grid.rows) > limits.UPLOAD_ROWS_LARGEST:
        raise CountsError(
            f"the file has too many rows: at most {limits.UPLOAD_ROWS_LARGEST:,}, got {len(grid.rows):,}."
        )
    return grid, separator


def choose_separator(text: str) -> str | None:
    """The separator that splits most records into the same number of cells, at least two.

    Separator and decimal mark are decided together: of separators that split equally well the one that leaves
    a column of numbers wins, so that 'red;12,0' is red and 12,0, not 'red;12' and 0. Records that a separator
    leaves in one piece count against it, unless they stand above a table that runs to the end (title lines).
    """
    sample = text[:SAMPLE_CHARACTERS]
    if len(text) > SAMPLE_CHARACTERS:
        sample = sample[: sample.rfind("\n") + 1] or sample
    best: tuple[float, bool] = (0.0, False)
    chosen = None
    for separator in SEPARATORS:
        fit = _fit(sample, separator) if separator in sample else None
        if fit and fit > best:
            best, chosen = fit, separator
    return chosen


def _fit(sample: str, separator: str) -> tuple[float, bool] | None:
    records = [_without_trailing_blanks(record) for record in _records(sample, separator)]
    widths = [len(record) for record in records if record]
    several = Counter(width for width in widths if width > 1)
    if not several:
        return None
    width, hits = several.most_common(1)[0]
    share = hits / len(widths)
    below_titles = hits >= 3 and widths[-hits:] == [width] * hits
    if share < 0.5 and not below_titles:
        return None
    columns = zip(*(record for record in records if len(record) == width), strict=True)
    return share, any(2 * sum(map(is_number, column)) >= len(column) for column in columns)


def _records(sample: str, separator: str) -> Iterator[list[str]]:
    """The records as far as they can be read; a fault is reported by the reading itself."""
    try:
        yield from csv.reader(io.StringIO(sample), delimiter=separator)
    except csv.Error:
        return


def _without_trailing_blanks(record: list[str]) -> list[str]:
    width = len(record)
    while width and not record[width - 1].strip():
        width -= 1
    return record[:width]


def _split(text: str, separator: str | None, first_row: int) -> Grid | None:
    """The grid of a text without quotes whose records all have the same width; None for any other.

    Without quotes the rules of CSV come down to splitting at each line end and separator, and the columns can
    be cut from one list with no Python work per record: far faster than the csv module on short records.
    """
    blank = (separator or "") + " \t\v\f\u00a0"
    lines = text.split("\n")
    kept = [line for line in lines if line.strip(blank)]
    rows: Sequence[int] = range(first_row, first_row + len(kept))
    last = len(lines) - (not lines[-1])
    if len(kept) != last:
        rows = [row for row, line in enumerate(lines, first_row) if line.strip(blank)]
    blank_rows = rows[-1] - first_row + 1 - len(kept) if kept else 0
    if separator is None:
        return Grid([kept], rows, [1] * len(kept), blank_rows)
    separators = {line.count(separator) for line in kept}
    if len(separators) != 1:
        return None
    width = separators.pop() + 1
    cells = separator.join(kept).split(separator)
    return Grid([cells[i::width] for i in range(width)], rows, [width] * len(kept), blank_rows)


def _parse(text: str, separator: str | None, first_row: int) -> Grid:
    spaced = bool(separator and re.search(rf'{re.escape(separator)} +"', text))
    reader = csv.reader(io.StringIO(text), delimiter=separator or NO_SEPARATOR, strict=True, skipinitialspace=spaced)
    records: list[list[str]] = []
    rows: list[int] = []
    begin = blank_rows = pending = 0
    try:
        for record in reader:
            if "".join(record).strip():
                records.append(record)
                rows.append(first_row + begin)
                blank_rows, pending = blank_rows + pending, 0
            else:
                pending += 1
            begin = reader.line_num
    except csv.Error as error:
        raise _fault(str(error), text.split("\n"), begin, first_row) from None
    widths = list(map(len, records))
    widest = max(widths, default=0)
    if widest * len(records) > limits.UPLOAD_CELLS_LARGEST:
        row = rows[widths.index(widest)]
        raise CountsError(f"has {widest:,} cells, too many for a table of {len(records):,} rows.", row)
    columns = [list(column) for column in zip_longest(*records, fillvalue="")]
    return Grid(columns, rows, widths, blank_rows)


def _fault(error: str, lines: list[str], begin: int, first_row: int) -> CountsError:
    """The csv module's complaint about the record that begins at lines[begin], in words."""
    quoted = next((i for i, line in enumerate(lines[begin:], begin) if '"' in line), begin)
    row = first_row + quoted
    if "unexpected end" in error:
        return CountsError(f"a quote opened on line {row} is never closed.", row)
    if "field larger" in error:
        return CountsError("a cell is longer than 131,072 characters; is a quote opened there never closed?", row)
    return CountsError(
        f"a quote opened on line {row} is closed in the middle of a cell; write quotes inside a quoted cell twice.",
        row,
    )
