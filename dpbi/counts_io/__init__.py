"""Counts from files: text tables, Excel workbooks and Parquet; two columns, one row, or a row per person."""

from __future__ import annotations

from typing import Any

from dpbi import limits

from .answers import Answers
from .delimited import read_delimited
from .encoding import decode
from .file_format import identify
from .header import with_header
from .layout import choose_layout
from .outcome import Counts, CountsError, CountsQuestion, Notes
from .parquet import read_parquet
from .tally import counted
from .workbook import read_workbook

__all__ = ["Counts", "CountsError", "CountsQuestion", "read_counts"]


def read_counts(data: bytes, filename: str, **answers: Any) -> Counts:
    """Counts per category: c_i is the sum of the counts that the file gives category i, or the number of its
    records in category i. Nothing is estimated, rounded or filled in: what is not read exactly is refused.

    data: the file's bytes, at most 16 MiB; filename: only a hint at the format, no file is opened.
    answers: what a person has said about the file; None stands for no answer.
      layout: "counts" (a row per category), "wide" (one row of counts) or "raw" (a row per person).
      column: the column of raw records to tally; category_column, count_column: those of counts. Each is a
        header or a position, the first column being 1.
      sheet: the name of the sheet. header_row: the row of the column names, 0 for none (rows count from 1).
      total_row: "drop" or "keep" a row that equals the sum of all others.
      thousands: the mark between groups of three digits: "." or "," or " " or "'" or "" for none.
      confirm_percentages: True where counts that look like percentages are numbers of people.

    Returns Counts: labels (k different names, k >= 2), counts (k ints in [0, 2^63)), warnings (sentences) and
    what was understood: layout, columns, file_format, header_row, encoding, separator, sheet.
    Rules: outer spaces are trimmed and accents composed (NFC); equal names are added together and names that
    differ by case are not, both with a warning; only an empty cell is missing; the order is that of the file,
    for declared levels the declared one, for true/false False first.

    Raises CountsError in one line naming row, cell and reason, where the file cannot be read as counts or an
    answer is none; CountsQuestion, a CountsError, where a person must decide: read_counts(data, filename,
    **question.suggested) goes on and may ask again. Both hold uploaded cells in their text.
    Source: ours; which records neighbours may differ in is [P17] section 3.
    """
    try:
        return _read(data, str(filename), Answers.checked(answers))
    except CountsError as refusal:
        refusal.__context__ = None  # what it arose from may hold the whole file
        raise


def _read(data: bytes, filename: str, given: Answers) -> Counts:
    if not isinstance(data, bytes | bytearray | memoryview):
        raise CountsError(f"data must be the bytes of a file: got {type(data).__name__}.")
    content = bytes(data)
    if len(content) > limits.UPLOAD_BYTES_LARGEST:
        raise CountsError(
            f"the file is too large: at most {limits.UPLOAD_BYTES_LARGEST:,} bytes, got {len(content):,}."
        )
    notes = Notes()
    file_format = identify(content, filename, notes)
    encoding = separator = sheet = None
    if given.sheet is not None and file_format != "workbook":
        raise CountsError("sheet can only be answered for an Excel workbook.")
    if file_format == "parquet":
        if given.header_row is not None:
            raise CountsError("header_row cannot be answered for a Parquet file: it names its columns itself.")
        table = read_parquet(content)
    else:
        if file_format == "workbook":
            grid, sheet = read_workbook(content, given, notes)
        else:
            text, encoding = decode(content, notes)
            grid, separator = read_delimited(text, notes)
        table = with_header(grid, given, notes)
    layout = choose_layout(table, given)
    totals = counted(table, layout, separator, given, notes)
    return Counts(
        labels=tuple(totals),
        counts=tuple(totals.values()),
        warnings=tuple(notes.sentences),
        layout=layout.name,
        columns=tuple(column.title for column in layout.read),
        file_format=file_format,
        header_row=table.header_row,
        encoding=encoding,
        separator=separator,
        sheet=sheet,
    )
