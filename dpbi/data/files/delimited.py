"""From text to columns of cells: which separator, then every record, by the rules of CSV."""

import csv
import io
import re
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import accumulate, groupby, islice, takewhile, zip_longest
from typing import Any

from dpbi import limits

from .form import Understanding
from .outcome import CountsError
from .whole_numbers import is_number

SEPARATORS = ("\t", ";", "|", ",")  # where two fit alike the earlier one: commas occur in numbers and names
SAMPLE_CHARACTERS = 60_000
DIRECTIVE = re.compile(r'"?sep=([\t;|,])"?[^\S\n]*(?:\n|$)', re.IGNORECASE)
PRINTED = re.compile(r"\S {2,}\S")  # as a program prints a table
KEYED_COMMENT = re.compile(r"#\s*\w[\w ]*:")
CHUNK = 500  # records; more live lists at a time keep the garbage collector busy
PIECE = 1_000_000  # characters that are cut into lines at a time
SHARED = 50_000  # different cells that are kept in mind, so that a cell that comes again takes no memory of its own
ESCAPED = re.compile(r"'(?= *[=+\-@\t\n＝＋－＠])(?!.*'\s*$)", re.DOTALL)  # as our own CSV files do
NO_FIT = (0.0, False)
NO_SEPARATOR = "\x1f"  # not in text that people write


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
    """The cells of the text, and the separator (None: one column). Comment lines at the top (#) are left out, and so
    is the apostrophe that keeps a spreadsheet from running a cell.

    Raises CountsError for a quote that is never closed, too many rows or cells, and where nothing is left.
    """
    directive = DIRECTIVE.match(text)
    first_row = 1
    if directive:
        text, first_row = text[directive.end() :], 2
    comments = _comment_lines(text)
    if comments:
        text, first_row = text.split("\n", comments)[-1], first_row + comments
        form.remark(f"Lines that begin with # above row {first_row} were left out.")
    separator = directive[1] if directive else choose_separator(text)
    if separator is None and PRINTED.search(text[:SAMPLE_CHARACTERS]):
        text = re.sub(r" {2,}", "\t", re.sub(r"(?m)^ +", "", text))
        separator = choose_separator(text)
    grid = _parse(text, separator, first_row)
    if not grid.rows:
        raise CountsError("the file holds only blank lines.")
    if len(grid.rows) > limits.UPLOAD_ROWS_LARGEST:
        most = limits.UPLOAD_ROWS_LARGEST
        raise CountsError(f"the file has too many rows: at most {most:,}, got {len(grid.rows):,}.")
    if "'" in text:
        for column in grid.columns:
            column[:] = [ESCAPED.sub("", cell, 1) if cell.startswith("'") else cell for cell in column]
    return grid, separator


def _comment_lines(text: str) -> int:
    """How many lines at the top begin with # and are no header: they read '# word: …', or split otherwise."""
    lines = text[:SAMPLE_CHARACTERS].split("\n")
    comments = list(takewhile(lambda line: line.startswith("#"), lines))
    rest = "\n".join(lines[len(comments) :]).strip()
    separator = choose_separator(rest) if comments else None
    cells = rest.split("\n")[0].count(separator) if separator else 0
    alike = [not KEYED_COMMENT.match(line) and line.count(separator or "\n") == cells for line in comments]
    return len(comments) if rest and not any(alike) else 0


def choose_separator(text: str) -> str | None:
    """The separator that splits most records into the same number of cells, at least two.

    Separator and decimal mark are decided together: of separators that split equally well the one that leaves
    a column of numbers wins, so that 'red;12,0' is red and 12,0, not 'red;12' and 0. Records that a separator
    leaves in one piece count against it, unless they stand above a table that runs to the end (title lines).
    Spaces separate only where they split all lines alike, and leave numbers or quoted names.
    """
    sample = text[:SAMPLE_CHARACTERS]
    if len(text) > SAMPLE_CHARACTERS:
        sample = sample[: sample.rfind("\n") + 1] or sample
    fits = {separator: _fit(sample, separator) for separator in SEPARATORS if separator in sample}
    chosen = max(fits, key=lambda separator: fits[separator], default=",")
    if fits.get(chosen, NO_FIT) > NO_FIT:
        return chosen
    share, numbers = _fit(sample, " ")
    return " " if share == 1 and (numbers or ' "' in sample) else None


def _fit(sample: str, separator: str) -> tuple[float, bool]:
    """Which share of the records has the same number of cells, and whether there are numbers below each other."""
    records: list[list[str]] = []
    with suppress(csv.Error):  # a fault is reported by the reading itself
        records += filter(cells_filled, csv.reader(io.StringIO(sample), delimiter=separator))
    widths = [len(record) for record in records]
    several = Counter(width for width in widths if width > 1)
    if not several:
        return NO_FIT
    width, hits = several.most_common(1)[0]
    share = hits / len(widths)
    below_titles = hits >= 3 and widths[-hits:] == [width] * hits
    if share >= 0.5 or below_titles:
        return share, _has_numbers([record for record in records if len(record) == width])
    # A short table among many lines of titles and notes: numbers below each other.
    runs = [list(run) for _, run in groupby(records, len)]
    longest = max((run for run in runs if len(run[0]) > 1), key=len)
    found = len(longest) >= 3 and _has_numbers([record[1:] for record in longest])
    return (share, True) if found else NO_FIT


def _has_numbers(records: list[list[str]]) -> bool:
    """Whether at least half of a column are numbers."""
    return any(2 * sum(map(is_number, column)) >= len(column) for column in zip(*records, strict=True))


def _parse(text: str, separator: str | None, first_row: int) -> CellGrid:
    """The grid by the rules of CSV. Records become columns a chunk at a time: a million lists would be slow."""
    reader = _reader(text, separator)
    columns: list[list[str]] = []
    rows, widths = array("q"), array("H")
    shared: dict[str, str] = {}
    begin, seen, last = first_row, 0, 0
    try:
        while records := list(islice(reader, CHUNK)):
            end = first_row + reader.line_num
            lines = _lines(records, begin, end)
            kept = [i for i, record in enumerate(records) if "".join(record).strip()]
            last = seen + kept[-1] + 1 if kept else last
            begin, seen = end, seen + len(records)
            if len(kept) < len(records):
                records, lines = [records[i] for i in kept], [lines[i] for i in kept]
            if len(shared) > SHARED:
                shared.clear()
            _append(columns, records, lines, len(rows), shared)
            rows.extend(lines)
            widths.extend(map(len, records))
    except csv.Error as error:
        raise _fault(str(error), text, separator, first_row) from None
    return CellGrid(columns, rows, widths, blank_rows=last - len(rows))


def _text_lines(text: str) -> Iterator[str]:
    """The lines, cut from a piece of the text at a time, so that they are never all held beside it."""
    start = 0
    while start < len(text):
        end = text.find("\n", start + PIECE) + 1 or len(text)
        yield from io.StringIO(text[start:end])
        start = end


def _reader(text: str, separator: str | None) -> Any:
    spaced = bool(separator and re.search(rf'{re.escape(separator)} +"', text))
    return csv.reader(_text_lines(text), delimiter=separator or NO_SEPARATOR, strict=True, skipinitialspace=spaced)


def _lines(records: list[list[str]], begin: int, end: int) -> Sequence[int]:
    """The line on which each record begins; a record takes one line and one more for each line end inside it."""
    if end - begin == len(records):
        return range(begin, end)
    spans = [1 + "".join(record).count("\n") for record in records]
    return list(accumulate(spans[:-1], initial=begin))


def _append(
    columns: list[list[str]], records: list[list[str]], lines: Sequence[int], before: int, shared: dict[str, str]
) -> None:
    """Adds the records to the columns, padding what is short on either side; cells that are alike are one object."""
    added = list(zip_longest(*records, fillvalue=""))
    if len(added) > limits.UPLOAD_COLUMNS_LARGEST:
        row = next(line for line, record in zip(lines, records, strict=True) if len(record) == len(added))
        most = limits.UPLOAD_COLUMNS_LARGEST
        raise CountsError(f"{len(added):,} cells are too many: at most {most:,} columns are read.", row)
    if max(len(columns), len(added)) * (before + len(records)) > limits.UPLOAD_CELLS_LARGEST:
        raise CountsError("the rows differ too much in their numbers of cells; all need the same number.")
    columns += [[""] * before for _ in added[len(columns) :]]
    for column, cells in zip_longest(columns, added, fillvalue=[""] * len(records)):
        column += map(shared.setdefault, cells, cells)


def _fault(error: str, text: str, separator: str | None, first_row: int) -> CountsError:
    """The csv module's complaint in words, with the line of the quote that is at fault."""
    reader = _reader(text, separator)
    begin = 0
    with suppress(csv.Error):
        for _ in reader:
            begin = reader.line_num
    row = first_row + next((i for i, line in enumerate(_text_lines(text)) if i >= begin and '"' in line), begin)
    if "unexpected end" in error:
        reason = f"a quote opened on line {row} is never closed."
    elif "field larger" in error:
        reason = "a cell is longer than 131,072 characters; is a quote opened there never closed?"
    elif separator is None:
        reason = "the cells are in quotes, but no comma, semicolon, tab or bar separates them; save the file with one."
    else:
        reason = f"a quote opened on line {row} is closed in the middle of a cell; write quotes in quoted cells twice."
    return CountsError(reason, row)
