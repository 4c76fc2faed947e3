"""From a workbook to columns of cells; the sheet is asked for where several are filled.

openpyxl reads .xlsx: it alone tells errors and hidden rows from empty cells. The older and the
other formats are read by calamine.
"""

import io
import re
import warnings
import zipfile
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice, zip_longest
from typing import Any, NamedTuple

from dpbi import limits

from . import old_workbook
from .delimited import CellGrid, cells_filled
from .file_format import ARCHIVE
from .form import Understanding
from .outcome import CountsError, faults_in_words, listed, shown
from .whole_numbers import ERROR, MarkedCell, cell_of

CELL = re.compile(rb"<(?:\w+:)?c\b")
UNSAVED = re.compile(  # a formula without a value; of an empty text it is none
    rb'<(?:\w+:)?c\b(?![^<>]*\st="str")[^<>]*>\s*<(?:\w+:)?f\b(?:[^<>]*/>|[^<]*</(?:\w+:)?f>)\s*'
    rb"(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v></(?:\w+:)?v>)?\s*</(?:\w+:)?c>"
)
HIDDEN = re.compile(rb'<(?:\w+:)?row\b(?=[^<>]*\s(?:hidden="(?:1|true)"|ht="0(?:\.0*)?"))[^<>]*\sr="(\d{1,9})"')


class Sheet(NamedTuple):
    """rows: what each holds as text, from row 1; part: the XML of an .xlsx."""

    name: str
    visible: bool
    rows: Callable[[], Iterable[list[str]]]
    part: bytes = b""


def read_workbook(data: bytes, form: Understanding) -> tuple[CellGrid, tuple[str, ...], tuple[int, ...]]:
    """The cells of one sheet, the names of all, and the rows that the workbook does not show.

    A hidden sheet is read only if `sheet` names it. Raises CountsError for a workbook that is damaged, too
    large, or has nothing in it.
    """
    with faults_in_words("workbook"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sheets = _sheets_of_excel(data) or _sheets_of_others(data, form)
        sheet = _chosen(sheets, form)
        rows = {i: row for i, row in enumerate(sheet.rows(), 1) if cells_filled(row)}
    if UNSAVED.search(sheet.part):
        raise CountsError("the sheet holds a formula whose value was not saved; open the file in a spreadsheet, "
                          "save it and upload it again.", entry="sheet")  # fmt: skip
    if not rows:
        raise CountsError(f"the sheet {shown(sheet.name)} is empty.", entry="sheet")
    columns = [list(column) for column in zip_longest(*rows.values(), fillvalue="")]
    hidden = tuple(i for i in map(int, HIDDEN.findall(sheet.part)) if i in rows)
    grid = CellGrid(columns, list(rows), None, max(rows) - min(rows) + 1 - len(rows))
    return grid, tuple(one.name for one in sheets), hidden


def _sheets_of_others(data: bytes, form: Understanding) -> list[Sheet]:
    found = old_workbook.sheets_of(data, limits.UPLOAD_WORKBOOK_CELLS_LARGEST)
    if isinstance(found, str):
        raise CountsError(f"{found}; save it as CSV or .xlsx and upload that.")
    form.remark("All rows were read, also hidden ones; errors and formulas without a saved value count as empty cells.")
    return [Sheet(name, visible, partial(iter, [list(map(cell_of, row)) for row in rows]))
            for name, visible, rows in found]  # fmt: skip


def _sheets_of_excel(data: bytes) -> list[Sheet]:
    """None of them if it is another format; CountsError where unpacking or reading would take too long."""
    import openpyxl

    if not data.startswith(ARCHIVE):
        return []
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        size = sum(part.file_size for part in archive.infolist())
        small = size <= limits.UPLOAD_UNPACKED_BYTES_LARGEST
        parts = {name: archive.read(name) for name in archive.namelist() if small and name.startswith("xl/worksheets/")}
    cells = sum(len(CELL.findall(part)) for part in parts.values())
    if not small or cells > limits.UPLOAD_WORKBOOK_CELLS_LARGEST:
        raise CountsError(
            f"the workbook is too large: at most {limits.UPLOAD_WORKBOOK_CELLS_LARGEST:,} cells and unpacked "
            f"{limits.UPLOAD_UNPACKED_BYTES_LARGEST:,} bytes are read, got {cells:,} and {size:,}; save it as CSV."
        )
    if not any(name.endswith(".xml") for name in parts):
        return []
    book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
    return [
        Sheet(sheet.title, sheet.sheet_state == "visible",
              partial(_rows_of_text, sheet), parts[sheet._worksheet_path.lstrip("/")])
        for sheet in book.worksheets
    ]  # fmt: skip


def _chosen(sheets: list[Sheet], form: Understanding) -> Sheet:
    by_name = {sheet.name: sheet for sheet in sheets}
    said = form.said.sheet
    if said is not None:
        if said not in by_name:
            names = listed(list(map(shown, by_name)), most=12)
            raise CountsError(f"there is no sheet {shown(said)}; the sheets are {names}.", entry="sheet")
        return by_name[form.settle("sheet", said)]
    starts = {sheet.name: list(islice(filter(cells_filled, sheet.rows()), 20))
              for sheet in [one for one in sheets if one.visible] or sheets}  # fmt: skip
    filled = [name for name, rows in starts.items() if rows]
    if not filled:
        raise CountsError("the sheet is empty." if len(sheets) < 2 else "all visible sheets are empty.")
    why = f"Of the sheets {listed(list(map(shown, filled)), most=12)} one holds the table."
    likeliest = max(filled, key=lambda name: sum(cells_filled(row) > 1 for row in starts[name]))
    return by_name[form.settle("sheet", likeliest, why if len(filled) > 1 else "")]


def _rows_of_text(sheet: Any) -> Iterator[list[str]]:
    """Each row of the sheet as text, from row 1, without the blank cells at its end."""
    padded = 0
    sheet.reset_dimensions()  # what a writer notes down as the extent of a sheet is often wrong
    for count, row in enumerate(sheet.iter_rows(), 1):
        padded += len(row)
        if count > 2**20 or padded > limits.UPLOAD_CELLS_LARGEST:
            raise CountsError(f"the sheet {shown(sheet.title)} is too large; save the table as CSV.", count)
        cells = [MarkedCell(cell.value, ERROR) if cell.data_type == "e" else cell_of(cell.value) for cell in row]
        while cells and not cells[-1]:
            cells.pop()
        yield cells
