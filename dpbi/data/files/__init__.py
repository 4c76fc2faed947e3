"""Counts from files: text tables, Excel workbooks and Parquet; two columns, one row, or a row per person."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from os import PathLike
from typing import Any

from dpbi import limits

from .answers import Answers
from .delimited import CellGrid, read_delimited
from .encoding import decode
from .file_format import identify
from .header import with_header
from .layout import choose_layout
from .outcome import Counts, CountsError, CountsQuestion, Notes, Preview
from .parquet import read_parquet
from .preview import first_entries, preview_of
from .public_list import tidy_list, with_tidy_list
from .table import Table
from .tally import counted
from .workbook import read_workbook

__all__ = ["Counts", "CountsError", "CountsQuestion", "Preview", "read_categories", "read_counts"]


def read_counts(data: bytes, filename: str, **answers: Any) -> Counts:
    """Counts per category: c_i is the sum of the counts that the file gives category i, or the number of its
    records in category i. Nothing is estimated, rounded or filled in: what is not read exactly is refused.

    data: the file's bytes, at most 16 MiB; filename: only a hint at the format, no file is opened.
    answers: what a person has said about the file; None stands for no answer.
      layout: "counts" (a row per category), "wide" (one row of counts) or "raw" (a row per person).
      column: the column of raw records to tally; category_column, count_column: those of counts. Each is a
        header or a position, the first column being 1.
      sheet: the name of the sheet. header_row: the row of the column names, 0 for none (rows count from 1).
      unit: what a row stands for, "person" or "category". Where people's rows are read as counts, one person moves a
        count by the whole number in their row, and epsilon costs that many times more.
      cells: what of a table of rows and columns is read: one "row" or "column", "all" cells as categories of their
        own, "row sums" or "column sums"; what of categories that come once per year or region: one "group", "all"
        combinations, or "group sums". row, group: the name of the one that is read.
      total_row: "drop" or "keep" rows and groups that are sums of others, or are named like a total or a mean.
      hidden: "drop" or "keep" what a workbook hides or filters out. second_header: "drop" or "keep" as data what
        stands below the header and seems to name the columns too.
      skip_rows: how many rows of the file are left out at its top; skip_footer: how many filled ones at its end.
      chosen: of cells with several answers, the one to count: who gave it, and who did not.
      thousands: the mark between groups of three digits: "." or "," or " " or "'" or "" for none; "lakh" for commas
        before groups of two digits (12,34,567), "myriad" before groups of four (12,3456).
      confirm_percentages: True where counts that look like percentages are numbers of people.
      missing: "keep" to count empty cells of raw records as the category "(missing)"; "drop" leaves them out.
      categories: the public list of categories, k >= 2 names; the counts come in its order, 0 where nobody is.
      unlisted: with such a list, "other" to count all else as the category "(other)", or "refuse".

    Returns Counts: labels (k different names, k >= 2), counts (k ints in [0, 2^63)), warnings (sentences) and
    what was understood: layout, columns, file_format, header_row, encoding, separator, sheet.
    The list of categories is taken to be public, which it is not where it comes from the data: hence categories=.
    Rules: outer spaces are trimmed and accents composed (NFC); equal names are added together and names that
    differ by case are not, both with a warning; only an empty cell is missing; the order is that of the file,
    for declared levels the declared one, for true/false False first.

    Raises CountsError in one line naming row, cell and reason, where the file cannot be read as counts or an
    answer is none; CountsQuestion, a CountsError, where a person must decide: read_counts(data, filename,
    **question.suggested) goes on and may ask again. Both hold uploaded cells in their text.
    Source: ours; which records neighbours may differ in is [P17] section 3.
    """
    with _letting_go():
        return _read(_checked(data), _name(filename), with_tidy_list(Answers.checked(answers)))


def read_categories(data: bytes, filename: str, **answers: Any) -> tuple[str, ...]:
    """The names in the only column of a file, from its first row on: whether that is a heading no file can tell.

    data, filename as for ``read_counts``; answers: its sheet=. Returns k >= 2 different names, tidied as there.
    Raises CountsError where the file has more than one column, a name twice, or is no table; CountsQuestion where
    several sheets are filled.
    Source: ours.
    """
    with _letting_go():
        given, notes = Answers.checked(answers), Notes()
        content = _opened(_checked(data), _name(filename), given, notes).content
        columns = content.columns if isinstance(content, CellGrid) else [column.cells for column in content.columns]
        filled = [cells for cells in columns if any(cell.strip() for cell in cells)]
        if len(filled) != 1:
            raise CountsError(f"a list of categories has one column: got {len(filled)}; save that column alone.")
        return tidy_list(tuple(cell for cell in filled[0] if cell.strip()))


@contextmanager
def _letting_go() -> Iterator[None]:
    """A refusal forgets what it arose from, which may hold the whole file."""
    try:
        yield
    except CountsError as refusal:
        refusal.__context__ = None
        raise


def _checked(data: bytes) -> bytes:
    if not isinstance(data, bytes | bytearray | memoryview):
        raise CountsError(f"data must be the bytes of a file: got {type(data).__name__}.")
    content = bytes(data)
    if len(content) > limits.UPLOAD_BYTES_LARGEST:
        most = limits.UPLOAD_BYTES_LARGEST // 2**20
        raise CountsError(f"the file is too large: at most {most} MB ({most * 2**20:,} bytes), got {len(content):,}.")
    return content


def _name(filename: Any) -> str:
    if not isinstance(filename, str | PathLike):
        raise CountsError(f"filename must be text or a path: got {limits.shown(filename)}.")
    return str(filename)


@dataclass(frozen=True)
class _Opened:
    """A file as far as its format goes: a table where the format names columns, or else a grid of cells."""

    content: Table | CellGrid
    file_format: str
    encoding: str | None = None
    separator: str | None = None
    sheet: str | None = None


def _opened(data: bytes, filename: str, given: Answers, notes: Notes) -> _Opened:
    file_format = identify(data, filename, notes)
    if given.sheet is not None and file_format != "workbook":
        raise CountsError("sheet can only be answered for an Excel workbook.")
    if file_format == "parquet":
        return _Opened(read_parquet(data), file_format)
    if file_format == "workbook":
        grid, sheet = read_workbook(data, given, notes)
        return _Opened(grid, file_format, sheet=sheet)
    text, encoding = decode(data, notes)
    grid, separator = read_delimited(text, notes)
    return _Opened(grid, file_format, encoding, separator)


def _read(data: bytes, filename: str, given: Answers) -> Counts:
    notes = Notes()
    opened = _opened(data, filename, given, notes)
    content = opened.content
    if not isinstance(content, CellGrid) and any(
        answer is not None for answer in (given.header_row, given.skip_rows, given.second_header)
    ):
        raise CountsError("header_row cannot be answered for a Parquet file: it names its columns itself.")
    try:
        table = with_header(content, given, notes) if isinstance(content, CellGrid) else content
        return _counts(opened, table, _preview(content, asdict(given), table.header_row or 0), given, notes)
    except CountsError as refusal:
        refusal.preview = _preview(content, refusal.suggested if isinstance(refusal, CountsQuestion) else asdict(given))
        raise


def _preview(content: Table | CellGrid, answers: Mapping[str, Any], header_row: int | None = None) -> Preview:
    return preview_of(content, answers, header_row) if isinstance(content, CellGrid) else first_entries(content)


def _counts(opened: _Opened, table: Table, preview: Preview, given: Answers, notes: Notes) -> Counts:
    layout = choose_layout(table, given, notes)
    totals = counted(table, layout, opened.separator, given, notes)
    return Counts(
        labels=tuple(totals),
        counts=tuple(totals.values()),
        warnings=tuple(notes.sentences),
        layout=layout.name,
        columns=tuple(column.title for column in layout.read),
        file_format=opened.file_format,
        header_row=table.header_row,
        encoding=opened.encoding,
        separator=opened.separator,
        sheet=opened.sheet,
        single_answers=notes.single_answers,
        preview=preview,
    )
