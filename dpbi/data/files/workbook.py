"""From a workbook to columns of cells; the sheet is asked for where several are filled.

openpyxl reads .xlsx: it alone tells formulas without a saved value and errors from empty cells. The older and the
other formats are read by calamine.
"""

import io
import re
import warnings
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, time
from itertools import zip_longest
from typing import Any

from dpbi import limits

from . import old_workbook
from .delimited import CellGrid, cells_filled
from .file_format import ARCHIVE, EXCEL, SAVE_AS
from .form import Understanding
from .outcome import CountsError, faults_in_words, listed, shown
from .whole_numbers import NO_VALUE, MarkedCell, cell_of

ROWS_OF_EXCEL = 1_048_576
FIRST_ROWS = 20  # that hold something: they show which sheet is a table
ROW = re.compile(rb"<(?:\w+:)?row\b([^>]*)>")
CELL = re.compile(rb"<(?:\w+:)?c\b")
UNSAVED = re.compile(rb"(?:</(?:\w+:)?f>|<(?:\w+:)?f\b[^>]*/>)\s*(?:<(?:\w+:)?v\s*/>|<v></v>)?\s*</(?:\w+:)?c>")
PLACE = re.compile(rb'\br="(\d{1,9})"')
NOT_SHOWN = re.compile(rb'\bhidden="(?:1|true)"|\bht="0(?:\.0*)?"')


@dataclass
class Sheet:
    """rows: what each holds as text, from row 1; path: where in the archive openpyxl finds it."""

    name: str
    visible: bool
    rows: Iterator[list[str]]
    path: str = ""
    begun: list[list[str]] = field(default_factory=list)

    def start(self) -> list[list[str]]:
        """The first rows that hold something. All rows are read once, and only of the sheet that is chosen."""
        filled: list[list[str]] = []
        while len(filled) < FIRST_ROWS and (row := next(self.rows, None)) is not None:
            self.begun.append(row)
            if cells_filled(row):
                filled.append(row)
        return filled


def read_workbook(data: bytes, form: Understanding) -> tuple[CellGrid, str, tuple[str, ...], tuple[int, ...]]:
    """The cells of one sheet, its name, the names of all, and the rows that the workbook does not show.

    A hidden sheet is read only if `sheet` names it. Raises CountsError for a workbook that is damaged, too
    large, or has nothing in it.
    """
    with faults_in_words("workbook"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        excel = _is_excel(data)
        sheets = _sheets_of_excel(data) if excel else _sheets_of_others(data, form)
        sheet = _chosen(sheets, form)
        cells = sheet.begun + list(sheet.rows)
        part = _part(data, sheet.path) if excel else b""
        if UNSAVED.search(part):
            _mark_unsaved_formulas(_opened(data, values=False)[sheet.name], cells)
    rows = {i: row for i, row in enumerate(cells, 1) if cells_filled(row)}
    if not rows:
        raise CountsError(f"the sheet {shown(sheet.name)} is empty.")
    columns = [list(column) for column in zip_longest(*rows.values(), fillvalue="")]
    numbers = list(rows)
    grid = CellGrid(columns, numbers, None, numbers[-1] - numbers[0] + 1 - len(numbers))
    return grid, sheet.name, tuple(one.name for one in sheets), tuple(i for i in _hidden(part) if i in rows)


def _sheets_of_others(data: bytes, form: Understanding) -> list[Sheet]:
    found = old_workbook.sheets_of(data, limits.UPLOAD_WORKBOOK_CELLS_LARGEST)
    if isinstance(found, str):
        raise CountsError(f"{found}; {SAVE_AS}.")
    form.remark("All rows were read, also hidden ones; errors and formulas without a saved value count as empty cells.")
    return [Sheet(name, visible, (list(map(_text, row)) for row in rows)) for name, visible, rows in found]


def _sheets_of_excel(data: bytes) -> list[Sheet]:
    sheets = _opened(data, values=True).worksheets
    return [Sheet(one.title, one.sheet_state == "visible", _rows_of_text(one), one._worksheet_path) for one in sheets]


def _opened(data: bytes, values: bool) -> Any:
    import openpyxl

    return openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=values)


def _is_excel(data: bytes) -> bool:
    """Whether it is .xlsx; CountsError where unpacking or reading would take too long."""
    if not data.startswith(ARCHIVE):
        return False
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = archive.infolist()
        if sum(part.file_size for part in parts) > limits.UPLOAD_UNPACKED_BYTES_LARGEST:
            raise CountsError(
                "the workbook is too large: unpacked, at most "
                f"{limits.UPLOAD_UNPACKED_BYTES_LARGEST:,} bytes are read; save the table as CSV."
            )
        if EXCEL not in archive.namelist():
            return False
        texts = [archive.read(part) for part in parts if part.filename.startswith("xl/worksheets/")]
    cells = sum(len(CELL.findall(text)) for text in texts)
    if cells > limits.UPLOAD_WORKBOOK_CELLS_LARGEST:
        most = limits.UPLOAD_WORKBOOK_CELLS_LARGEST
        raise CountsError(f"the workbook is too large: at most {most:,} cells are read, got {cells:,}; {SAVE_AS}.")
    return True


def _part(data: bytes, path: str) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return archive.read(path.lstrip("/"))


def _hidden(part: bytes) -> list[int]:
    """The rows, from 1, that the sheet does not show."""
    rows, at = [], 0
    for row in ROW.finditer(part):
        place = PLACE.search(row[1])
        at = int(place[1]) if place else at + 1
        if NOT_SHOWN.search(row[1]):
            rows.append(at)
    return rows


def _chosen(sheets: list[Sheet], form: Understanding) -> Sheet:
    by_name = {sheet.name: sheet for sheet in sheets}
    said = form.said.sheet
    if said is not None:
        if said not in by_name:
            names = listed(list(map(shown, by_name)), most=12)
            raise CountsError(f"there is no sheet {shown(said)}; the sheets are {names}.")
        return by_name[form.settle("sheet", said)]
    starts = {sheet.name: sheet.start() for sheet in [one for one in sheets if one.visible] or sheets}
    filled = [name for name, rows in starts.items() if rows]
    if not filled:
        raise CountsError("the sheet is empty." if len(sheets) < 2 else "all visible sheets are empty.")
    why = f"Of the sheets {listed(list(map(shown, filled)), most=12)} one holds the table."
    likeliest = max(filled, key=lambda name: sum(cells_filled(row) > 1 for row in starts[name]))
    if len(sheets) > 1 and len(filled) == 1:
        form.remark(f"The sheet {shown(likeliest)} was read: it is the only visible one that holds anything.")
    return by_name[form.settle("sheet", likeliest, why if len(filled) > 1 else "")]


def _rows_of_text(sheet: Any) -> Iterator[list[str]]:
    """Each row of the sheet as text, from row 1, without the blank cells at its end."""
    sheet.reset_dimensions()  # what a writer notes down as the extent of a sheet is often wrong
    padded = 0
    for count, row in enumerate(sheet.iter_rows(), 1):
        padded += len(row)
        if count > ROWS_OF_EXCEL or padded > limits.UPLOAD_CELLS_LARGEST:
            raise CountsError(f"the sheet {shown(sheet.title)} is too large; save the table as CSV.", count)
        cells = [_text(cell.value, cell.data_type == "e") for cell in row]
        while cells and not cells[-1]:
            cells.pop()
        yield cells


def _text(value: Any, error: bool = False) -> str:
    if error:
        return MarkedCell(value, NO_VALUE)
    midnight = isinstance(value, datetime) and value.time() == time()
    return cell_of(value.date() if midnight else value)


def _mark_unsaved_formulas(sheet: Any, cells: list[list[str]]) -> None:
    """Puts a marked cell where a formula stands whose value the file does not hold."""
    sheet.reset_dimensions()
    for texts, row in zip(cells, sheet.iter_rows(), strict=False):
        for i, cell in enumerate(row):
            if cell.data_type == "f" and not (i < len(texts) and texts[i]):
                texts.extend([""] * (i + 1 - len(texts)))
                texts[i] = MarkedCell(str(cell.value), NO_VALUE)
