"""From text to columns of cells: which separator, then every record, by the rules of CSV."""

import csv
import io
import re
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import accumulate, chain, groupby, islice, takewhile, zip_longest
from operator import or_
from typing import Any

from dpbi import limits

from .form import Understanding
from .outcome import CountsError, shown
from .whole_numbers import is_number

SEPARATORS = ("\t", ";", "|", ",")  # where two fit alike the earlier one: commas occur in numbers and names
SAMPLE_CHARACTERS = 60_000
DIRECTIVE = re.compile(r'"?sep=(.)"?[^\S\n]*(?:\n|$)', re.IGNORECASE)
PRINTED = re.compile(r"\S {2,}\S")  # as a program prints a table
KEYED_COMMENT = re.compile(r"#\s*\w[\w ]*:")
CHUNK = 500  # records; more live lists at a time keep the garbage collector busy
PIECE = 1_000_000  # characters that are cut into cells at a time
SHARED = 50_000  # different cells that are kept in mind, so that a cell that comes again takes no memory of its own
WHITESPACE = "".join(filter(str.isspace, map(chr, range(0x3001))))  # the last of them is the ideographic space
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
    """The cells of the text, and the separator (None: one column). Comment lines at the top (#) are left out.

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
    comments = _comment_lines(text)
    if comments:
        text, first_row = text.split("\n", comments)[-1], first_row + comments
        form.remark(f"Lines that begin with # above row {first_row} were left out.")
    if not directive and PRINTED.search(text[:SAMPLE_CHARACTERS]) and choose_separator(text) is None:
        text = re.sub(r" {2,}", "\t", re.sub(r"(?m)^ +", "", text))
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


def _comment_lines(text: str) -> int:
    """How many lines at the top begin with # and are no header: they read '# word: …', or split otherwise."""
    lines = text[:SAMPLE_CHARACTERS].split("\n")
    comments = list(takewhile(lambda line: line.startswith("#"), lines))
    rest = "\n".join(lines[len(comments) :]).strip()
    separator = choose_separator(rest)
    cells = rest.split("\n")[0].count(separator) if separator else None
    unlike = [cells is not None and line.count(separator or "") != cells for line in comments]
    keyed = [bool(KEYED_COMMENT.match(line)) for line in comments]
    return len(comments) if rest and all(map(or_, unlike, keyed)) else 0


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
    if chosen is None and " " in sample:  # only where it splits all lines alike, and leaves numbers or quoted names
        fit = _fit(sample, " ")
        chosen = " " if fit and (fit == (1.0, True) or (fit[0] == 1 and ' "' in sample)) else None
    return chosen


def _fit(sample: str, separator: str) -> tuple[float, bool] | None:
    records = [record for record in _records(sample, separator) if "".join(record).strip()]
    widths = [len(record) for record in records]
    several = Counter(width for width in widths if width > 1)
    if not several:
        return None
    width, hits = several.most_common(1)[0]
    share = hits / len(widths)
    below_titles = hits >= 3 and widths[-hits:] == [width] * hits
    if share >= 0.5 or below_titles:
        return share, _has_numbers([record for record in records if len(record) == width])
    # A short table among many lines of titles and notes: numbers below each other.
    runs = [list(run) for _, run in groupby(records, len)]
    longest = max((run for run in runs if len(run[0]) > 1), key=len)
    return (share, True) if len(longest) >= 3 and _has_numbers([record[1:] for record in longest]) else None


def _has_numbers(records: list[list[str]]) -> bool:
    """Whether at least half of a column are numbers."""
    return any(2 * sum(map(is_number, column)) >= len(column) for column in zip(*records, strict=True))


def _records(sample: str, separator: str) -> Iterator[list[str]]:
    """The records as far as they can be read; a fault is reported by the reading itself."""
    try:
        yield from csv.reader(io.StringIO(sample), delimiter=separator)
    except csv.Error:
        return


def _split(text: str, separator: str | None, first_row: int) -> CellGrid | None:
    """The grid of a text without quotes whose records all have the same width; None for any other.

    Without quotes the rules of CSV come down to splitting at each line end and separator, and the columns can
    be cut from one list with no Python work per record: far faster than the csv module on short records.
    """
    blank = (separator or "".join(SEPARATORS)) + WHITESPACE
    columns: list[list[str]] = []
    rows = array("q")
    row = first_row
    shared = _Shared()
    for piece in _pieces(text):
        lines = piece.removesuffix("\n").split("\n")
        kept = [line for line in lines if line.strip(blank)]
        if len(kept) == len(lines):
            rows.extend(range(row, row + len(lines)))
        else:
            rows.extend(i for i, line in enumerate(lines, row) if line.strip(blank))
        row += len(lines)
        if not kept:
            continue
        separators = {line.count(separator) for line in kept} if separator else {0}
        if len(separators) != 1:
            return None
        width = separators.pop() + 1
        _check_width(width, rows[0])
        columns = columns or [[] for _ in range(width)]
        if width != len(columns):
            return None
        cells = shared(separator.join(kept).split(separator) if separator else kept)
        for i, column in enumerate(columns):
            column += cells[i::width]
    blank_rows = rows[-1] - first_row + 1 - len(rows) if rows else 0
    return CellGrid(columns, rows, array("H", [len(columns)]) * len(rows), blank_rows)


def _pieces(text: str) -> Iterator[str]:
    """The text in pieces of whole lines: what is made of a piece on the way to cells is never held for all of it."""
    start = 0
    while start < len(text):
        end = text.find("\n", start + PIECE) + 1 or len(text)
        yield text[start:end]
        start = end


class _Shared:
    """Cells of which those that are alike are one object, as far as they are kept in mind."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def __call__(self, cells: Sequence[str]) -> list[str]:
        if len(self._known) > SHARED:
            self._known.clear()
        return list(map(self._known.setdefault, cells, cells))


def _parse(text: str, separator: str | None, first_row: int) -> CellGrid:
    """The grid by the rules of CSV. Records become columns a chunk at a time: a million lists would be slow."""
    reader = _reader(text, separator)
    columns: list[list[str]] = []
    rows, widths = array("q"), array("H")
    shared = _Shared()
    blank_rows = pending = 0
    line = first_row
    try:
        while records := list(islice(reader, CHUNK)):
            lines = _lines(records, line, first_row + reader.line_num)
            line = first_row + reader.line_num
            kept = [i for i, record in enumerate(records) if "".join(record).strip()]
            if not kept:
                pending += len(records)
                continue
            blank_rows += pending + kept[-1] + 1 - len(kept)
            pending = len(records) - 1 - kept[-1]
            if len(kept) < len(records):
                records, lines = [records[i] for i in kept], [lines[i] for i in kept]
            lengths = list(map(len, records))
            _check_width(max(lengths), lines[lengths.index(max(lengths))])
            _append(columns, records, len(rows), shared)
            rows.extend(lines)
            widths.extend(lengths)
    except csv.Error as error:
        raise _fault(str(error), text, separator, first_row) from None
    return CellGrid(columns, rows, widths, blank_rows)


def _text_lines(text: str) -> Iterator[str]:
    return chain.from_iterable(map(io.StringIO, _pieces(text)))


def _reader(text: str, separator: str | None) -> Any:
    spaced = bool(separator and re.search(rf'{re.escape(separator)} +"', text))
    return csv.reader(_text_lines(text), delimiter=separator or NO_SEPARATOR, strict=True, skipinitialspace=spaced)


def _lines(records: list[list[str]], begin: int, end: int) -> Sequence[int]:
    """The line on which each record begins; a record takes one line and one more for each line end inside it."""
    if end - begin == len(records):
        return range(begin, end)
    spans = [1 + "".join(record).count("\n") for record in records]
    return list(accumulate(spans[:-1], initial=begin))


def _append(columns: list[list[str]], records: list[list[str]], before: int, shared: _Shared) -> None:
    """Adds the records to the columns, padding what is short on either side."""
    alike = len(set(map(len, records))) == 1
    added = list(zip(*records, strict=True) if alike else zip_longest(*records, fillvalue=""))
    if max(len(columns), len(added)) * (before + len(records)) > limits.UPLOAD_CELLS_LARGEST:
        raise CountsError("the rows differ too much in their numbers of cells; all need the same number.")
    columns += [[""] * before for _ in added[len(columns) :]]
    for i, column in enumerate(columns):
        column += shared(added[i]) if i < len(added) else [""] * len(records)


def _check_width(width: int, row: int) -> None:
    if width > limits.UPLOAD_COLUMNS_LARGEST:
        raise CountsError(
            f"{width:,} cells are too many: at most {limits.UPLOAD_COLUMNS_LARGEST:,} columns are read.", row
        )


def _fault(error: str, text: str, separator: str | None, first_row: int) -> CountsError:
    """The csv module's complaint in words, with the line of the quote that is at fault."""
    reader = _reader(text, separator)
    begin = 0
    with suppress(csv.Error):
        for _ in reader:
            begin = reader.line_num
    row = first_row + next((i for i, line in enumerate(_text_lines(text)) if i >= begin and '"' in line), begin)
    if "unexpected end" in error:
        return CountsError(f"a quote opened on line {row} is never closed.", row)
    if "field larger" in error:
        return CountsError("a cell is longer than 131,072 characters; is a quote opened there never closed?", row)
    if separator is None:
        return CountsError(
            "the cells are in quotes, but no comma, semicolon, tab or bar separates them; save the file with one.", row
        )
    return CountsError(
        f"a quote opened on line {row} is closed in the middle of a cell; write quotes inside a quoted cell twice.",
        row,
    )
