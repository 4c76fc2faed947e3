"""From text to columns of cells: which separator, then every record, by the rules of CSV."""

import csv
import io
import re
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import groupby, islice, zip_longest

from dpbi import limits

from .form import Understanding
from .outcome import CountsError
from .whole_numbers import is_number

SEPARATORS = ("\t", ";", "|", ",")  # where two fit alike the earlier one: commas occur in numbers and names
SAMPLE_CHARACTERS = 60_000
ABOVE = re.compile(r'("?sep=[\t;|,]"?[^\S\n]*(\n|$))?(#\s*\w[\w ]*:.*(\n|$))*', re.IGNORECASE)  # '# source: …'
PRINTED = re.compile(r"\S {2,}\S")  # as a program prints a table
CHUNK = 200  # records; more live lists and tuples at a time keep the garbage collector busy
SHARED = 50_000  # different cells that are kept in mind, so that a cell that comes again takes no memory of its own
ESCAPED = re.compile(r"'(?= *[=+\-@\t\n＝＋－＠])(?!.*'\s*$)", re.DOTALL)  # as our own CSV files do


@dataclass
class CellGrid:
    """Cells by column, blank records left out. rows[i]: the row of the file where record i begins.

    widths[i]: how many cells record i was written with; None where the format pads all records alike.
    """

    columns: list[list[str]]
    rows: Sequence[int]
    widths: Sequence[int] | None
    blank_rows: int


def cells_filled(cells: Sequence[str]) -> int:
    return sum(bool(cell.strip()) for cell in cells)


def read_delimited(text: str, form: Understanding) -> tuple[CellGrid, str | None]:
    """The cells of the text, and the separator (None: one column). Comments above that read '# word: …' are left out,
    and so is the apostrophe that keeps a spreadsheet from running a cell.

    Raises CountsError for a quote that is never closed, too many rows or cells, and where nothing is left.
    """
    above = next(ABOVE.finditer(text))[0]
    if "#" in above:
        form.remark(f"Lines that begin with # above row {above.count(chr(10)) + 1} were left out.")
    text = "\n" * above.count("\n") + text[len(above) :]
    separator = choose_separator(text)
    if separator is None and PRINTED.search(text[:SAMPLE_CHARACTERS]):
        text = re.sub(r" {2,}", "\t", re.sub(r"(?m)^ +", "", text))
        separator = choose_separator(text)
    grid = _parse(text, separator)
    if not grid.rows:
        raise CountsError("the file holds only blank lines.")
    if "'" in text:
        for column in grid.columns:
            column[:] = [ESCAPED.sub("", cell, 1) if cell.startswith("'") else cell for cell in column]
    return grid, separator


def choose_separator(text: str) -> str | None:
    """The separator that splits most records into the same number of cells, at least two.

    Separator and decimal mark are decided together: of separators that split equally well the one that leaves
    a column of numbers wins, so that 'red;12,0' is red and 12,0, not 'red;12' and 0. Records that a separator
    leaves in one piece count against it, unless they stand above a table that runs to the end (title lines).
    Spaces separate only where they split all lines alike, and leave numbers or quoted names.
    """
    end = text.rfind("\n", 0, SAMPLE_CHARACTERS) + 1 if len(text) > SAMPLE_CHARACTERS else 0
    sample = text[: end or SAMPLE_CHARACTERS]
    fits = {separator: _fit(sample, separator) for separator in SEPARATORS if separator in sample}
    chosen = max(fits, key=lambda separator: fits[separator], default=",")
    if fits.get(chosen, (0.0, False))[0]:
        return chosen
    share, numbers = _fit(sample, " ")
    return " " if share == 1 and (numbers or ' "' in sample) else None


def _fit(sample: str, separator: str) -> tuple[float, bool]:
    """Which share of the records has the same number of cells, and whether there are numbers below each other.

    Fewer than half of the records must run to the end, or be numbers below each other among many lines of notes.
    """
    records: list[list[str]] = []
    with suppress(csv.Error):  # a fault is reported by the reading itself
        records += filter(cells_filled, csv.reader(io.StringIO(sample), delimiter=separator))
    widths = Counter(map(len, records))
    del widths[1]
    if not widths:
        return 0.0, False
    width, hits = widths.most_common(1)[0]
    share = hits / len(records)
    if share >= 0.5 or (hits >= 3 and all(len(record) == width for record in records[-hits:])):
        return share, _has_numbers([record for record in records if len(record) == width])
    runs = (list(run) for _, run in groupby(records, len))
    longest = max((run for run in runs if len(run[0]) > 1), key=len)
    found = len(longest) >= 3 and _has_numbers([record[1:] for record in longest])
    return share * found, found


def _has_numbers(records: list[list[str]]) -> bool:
    """Whether at least half of a column are numbers."""
    return any(2 * sum(map(is_number, column)) >= len(column) for column in zip(*records, strict=True))


def _parse(text: str, separator: str | None) -> CellGrid:
    """The grid. Records become columns a chunk at a time: a million lists would be slow."""
    records = _records(text, separator)
    columns: list[list[str]] = []
    numbers, rows, widths = array("q"), array("q"), array("H")
    shared: dict[str, str] = {}
    while chunk := list(islice(records, CHUNK)):
        at, lines, filled = zip(*chunk, strict=True)
        _refuse_too_many(max(len(columns), *map(len, filled)), len(rows) + len(chunk))
        added = list(zip_longest(*filled, fillvalue=""))
        columns += [[""] * len(rows) for _ in added[len(columns) :]]
        numbers.extend(at)
        rows.extend(lines)
        widths.extend(map(len, filled))
        if len(shared) > SHARED:
            shared.clear()
        for column, cells in zip_longest(columns, added, fillvalue=[""] * len(chunk)):
            column += map(shared.setdefault, cells, cells)
    return CellGrid(columns, rows, widths, numbers[-1] - numbers[0] + 1 - len(rows) if rows else 0)


def _records(text: str, separator: str | None) -> Iterator[tuple[int, int, list[str]]]:
    """Each record that is not blank, by the rules of CSV: its number, the line on which it begins, its cells."""
    data = io.BytesIO(text.encode("utf-8", "surrogatepass"))  # a StringIO would take four bytes a letter
    lines = io.TextIOWrapper(data, "utf-8", "surrogatepass", newline="\n")
    spaced = bool(separator and re.search(rf'{re.escape(separator)} +"', text))
    # \x1f is not in text that people write.
    reader = csv.reader(lines, delimiter=separator or "\x1f", strict=True, skipinitialspace=spaced)
    row = 1
    try:
        for number, record in enumerate(reader):
            if "".join(record).strip():
                yield number, row, record
            row = reader.line_num + 1
    except csv.Error:
        raise CountsError(f"a quote opened on line {row} is never closed, a quote within quotes is not written twice, "
                          "or a cell is longer than 131,072 characters.", row) from None  # fmt: skip


def _refuse_too_many(columns: int, rows: int) -> None:
    most = limits.UPLOAD_COLUMNS_LARGEST, limits.UPLOAD_ROWS_LARGEST, limits.UPLOAD_CELLS_LARGEST
    if columns > most[0] or rows > most[1] or columns * rows > most[2]:
        raise CountsError(
            f"the file is too large: at most {most[0]:,} columns, {most[1]:,} rows and {most[2]:,} cells are read, "
            f"all rows as long as the longest, got {columns:,} columns and {rows:,} rows or more."
        )
