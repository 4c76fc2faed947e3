"""The sheets of an .xls, .xlsb or .ods file, by calamine; run as a program, which reads the file from its input.

A few wrong bytes make calamine panic, end the process or ask for all memory there is: hence a process of its own, with
so much memory and time, which imports nothing of dpbi.
"""

import io
import pickle
import subprocess
import sys
from contextlib import suppress
from typing import Any

Sheet = tuple[str, bool, list[list[Any]]]  # its name, whether it is shown, the values of each row from row 1


def sheets_of(data: bytes, most: int) -> list[Sheet] | str:
    """The sheets, or why there are none. most: cells that hold something. Raises whatever a damaged file leads to."""
    done = subprocess.run([sys.executable, "-P", __file__, str(most)], input=data, capture_output=True,
                          timeout=60, check=True)  # fmt: skip
    return pickle.loads(done.stdout)


def _read(data: bytes, most: int) -> list[Sheet] | str:
    from python_calamine import CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum

    book = CalamineWorkbook.from_filelike(io.BytesIO(data))
    sheets = []
    filled = 0
    for about in book.sheets_metadata:
        if about.typ != SheetTypeEnum.WorkSheet:
            continue
        rows = book.get_sheet_by_name(about.name).to_python(skip_empty_area=False)
        filled += sum(len(row) - row.count("") for row in rows)
        if filled > most:
            return f"the workbook is too large: at most {most:,} cells are read"
        sheets.append((about.name, about.visible == SheetVisibleEnum.Visible, rows))
    return sheets


if __name__ == "__main__":
    with suppress(ImportError):  # not on Windows
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))
    pickle.dump(_read(sys.stdin.buffer.read(), int(sys.argv[1])), sys.stdout.buffer)
