"""From an Excel workbook to columns of cells, by openpyxl; the sheet is asked for where several are filled."""

import io
import re
import warnings
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import islice, zip_longest
from typing import Any

from dpbi import limits

from .delimited import CellGrid, cells_filled
from .form import Understanding
from .outcome import CountsError, faults_in_words, listed, shown
from .whole_numbers import BOOLEAN, DATE, FORMULA, FRACTION, SPREADSHEET_ERROR, MarkedCell

ROWS_OF_EXCEL = 1_048_576
ROW, COLUMN = re.compile(rb"<(?:\w+:)?row\b([^>]*)>"), re.compile(rb"<(?:\w+:)?col\b([^>]*)>")
BEYOND = re.compile(rb'<(?:\w+:)?row\b[^>]*\br="\d{8}')
PLACE = re.compile(rb'\br="(\d{1,9})"')
LEAST, MOST = re.compile(rb'\bmin="(\d{1,5})"'), re.compile(rb'\bmax="(\d{1,5})"')
NOT_SHOWN = re.compile(rb'\bhidden="(?:1|true)"|\b(?:ht|width)="0(?:\.0*)?"')


def read_workbook(data: bytes, form: Understanding) -> tuple[CellGrid, str, tuple[str, ...], tuple[int, ...]]:
    """The cells of one sheet, its name, the names of all, and the rows that the workbook does not show.

    A hidden sheet is read only if `sheet` names it. Raises CountsError for a workbook that is damaged, too
    large, or has nothing in it.
    """
    with faults_in_words("Excel workbook"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        formulas = _check_size(data)
        with _opened(data, values=True) as book:
            name, sheets = _choose_sheet(book, form), tuple(book.sheetnames)
            cells = list(_rows_of_text(book[name]))
            hidden = _hidden(data, book[name]._worksheet_path)
        if formulas:
            with _opened(data, values=False) as book:
                _mark_unsaved_formulas(book[name], cells)
    rows = {i: row for i, row in enumerate(cells, 1) if cells_filled(row)}
    if not rows:
        raise CountsError(f"the sheet {shown(name)} is empty.")
    _remark_on_hidden_columns(cells, hidden, form)
    columns = [list(column) for column in zip_longest(*rows.values(), fillvalue="")]
    numbers = list(rows)
    grid = CellGrid(columns, numbers, None, numbers[-1] - numbers[0] + 1 - len(numbers))
    return grid, name, sheets, tuple(sorted(hidden.rows & rows.keys()))


@contextmanager
def _opened(data: bytes, values: bool) -> Iterator[Any]:
    import openpyxl

    book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=values)
    try:
        yield book
    finally:
        book.close()


def _check_size(data: bytes) -> bool:
    """Whether there are formulas; CountsError where unpacking or reading would take too long."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = archive.infolist()
        if sum(part.file_size for part in parts) > limits.UPLOAD_UNPACKED_BYTES_LARGEST:
            raise CountsError(
                "the workbook is too large: unpacked, at most "
                f"{limits.UPLOAD_UNPACKED_BYTES_LARGEST:,} bytes are read; save the table as CSV."
            )
        sheets = [part for part in parts if part.filename.startswith("xl/worksheets/")]
        texts = [archive.read(part) for part in sheets]
    cells = sum(len(re.findall(rb"<(?:\w+:)?c\b", text)) for text in texts)
    if cells > limits.UPLOAD_WORKBOOK_CELLS_LARGEST:
        raise CountsError(
            f"the workbook is too large: at most {limits.UPLOAD_WORKBOOK_CELLS_LARGEST:,} cells are read, "
            f"got {cells:,}; save the table as CSV."
        )
    if any(BEYOND.search(text) for text in texts):
        raise CountsError(f"a sheet has rows beyond {ROWS_OF_EXCEL:,}, the last of Excel's; save the table as CSV.")
    return any(re.search(rb"<(?:\w+:)?f\b", text) for text in texts)


@dataclass(frozen=True)
class Hidden:
    """The rows and columns, from 1, that the workbook does not show; filtered: because a filter leaves them out."""

    rows: frozenset[int]
    columns: tuple[range, ...]
    filtered: bool


def _hidden(data: bytes, part: str) -> Hidden:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        text = archive.read(part.lstrip("/"))
    rows, at = set(), 0
    for row in ROW.finditer(text):
        place = PLACE.search(row[1])
        at = int(place[1]) if place else at + 1
        if NOT_SHOWN.search(row[1]):
            rows.add(at)
    columns = [column[1] for column in COLUMN.finditer(text) if NOT_SHOWN.search(column[1])]
    ends = [(LEAST.search(column), MOST.search(column)) for column in columns]
    ranges = tuple(range(int(low[1]), int(high[1]) + 1) for low, high in ends if low and high)
    return Hidden(frozenset(rows), ranges, b"filterColumn" in text)


def _remark_on_hidden_columns(cells: list[list[str]], hidden: Hidden, form: Understanding) -> None:
    width = max(map(len, cells), default=0)
    columns = [
        str(i) for among in hidden.columns for i in among[:width]
        if i <= width and any(len(row) >= i and row[i - 1].strip() for row in cells)
    ]  # fmt: skip
    if columns:
        form.remark(f"Hidden columns of the workbook ({listed(columns, 8)}) are read like others.")


def _choose_sheet(book: Any, form: Understanding) -> str:
    sheets = {sheet.title: sheet for sheet in book.worksheets}
    said = form.said.sheet
    if said is not None:
        if said not in sheets:
            names = listed(list(map(shown, sheets)), most=12)
            raise CountsError(f"there is no sheet {shown(said)}; the sheets are {names}.", entry="sheet")
        return str(form.settle("sheet", said))
    visible = {name: sheet for name, sheet in sheets.items() if sheet.sheet_state == "visible"}
    starts = {name: _first_rows(sheet) for name, sheet in (visible or sheets).items()}
    filled = [name for name, rows in starts.items() if rows]
    if not filled:
        raise CountsError("the sheet is empty." if len(sheets) < 2 else "all visible sheets are empty.")
    if len(filled) == 1:
        if len(sheets) > 1:
            form.remark(f"The sheet {shown(filled[0])} was read: it is the only visible one that holds anything.")
        return str(form.settle("sheet", filled[0]))
    likeliest = max(filled, key=lambda name: sum(cells_filled(row) > 1 for row in starts[name].values()))
    why = f"Of the sheets {listed(list(map(shown, filled)), most=12)} one holds the table."
    return str(form.settle("sheet", likeliest, why))


def _first_rows(sheet: Any, most: int = 20) -> dict[int, list[str]]:
    """The first rows that hold something, by their numbers."""
    filled = ((i, row) for i, row in enumerate(_rows_of_text(sheet), 1) if cells_filled(row))
    return dict(islice(filled, most))


def _rows_of_text(sheet: Any) -> Iterator[list[str]]:
    """Each row of the sheet as text, from row 1, without the blank cells at its end."""
    sheet.reset_dimensions()  # what a writer notes down as the extent of a sheet is often wrong
    padded = 0
    for count, row in enumerate(sheet.iter_rows(), 1):
        padded += len(row)
        if count > ROWS_OF_EXCEL or padded > limits.UPLOAD_CELLS_LARGEST:
            raise CountsError(f"the sheet {shown(sheet.title)} is too large; save the table as CSV.", count)
        cells = [_text(cell) for cell in row]
        while cells and not cells[-1]:
            cells.pop()
        yield cells


def _text(cell: Any) -> str:
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, str):
        return MarkedCell(value, SPREADSHEET_ERROR) if cell.data_type == "e" else value
    if isinstance(value, bool):
        return MarkedCell(str(value).upper(), BOOLEAN)
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else MarkedCell(repr(value), FRACTION)
    if isinstance(value, datetime) and value.time() == time():
        return MarkedCell(value.date().isoformat(), DATE)
    if isinstance(value, datetime | date | time | timedelta):
        return MarkedCell(str(value), DATE)
    return str(value)


def _mark_unsaved_formulas(sheet: Any, cells: list[list[str]]) -> None:
    """Puts a marked cell where a formula stands whose value the file does not hold."""
    sheet.reset_dimensions()
    for texts, row in zip(cells, sheet.iter_rows(), strict=False):
        for i, cell in enumerate(row):
            if cell.data_type == "f" and not (i < len(texts) and texts[i]):
                texts.extend([""] * (i + 1 - len(texts)))
                texts[i] = MarkedCell(str(cell.value), FORMULA)
