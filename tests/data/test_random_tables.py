"""The random tables hold what they say they hold: found again from their bytes by a reading of its own."""

import csv
import io
from contextlib import suppress

import numpy as np
from openpyxl import load_workbook

from .hard_tables import hard_tables
from .known_tables import Found, KnownTable, Said, alike
from .random_tables import KINDS, random_tables


def rows_of(table: KnownTable, separator: str) -> list[list[str]]:
    if table.filename.endswith(".xlsx"):
        book = load_workbook(io.BytesIO(table.data))
        sheet = book[table.said.sheet] if table.said.sheet else book.worksheets[0]
        return [["" if cell is None else str(cell) for cell in row] for row in sheet.values]
    text = table.data.decode(table.said.encoding or "utf-8")
    return list(csv.reader(io.StringIO(text), delimiter=separator))


def as_said(rows: list[list[str]], said: Said) -> Found:
    """The counts that the rows come to, by what was said alone."""
    header = rows[said.header_row - 1] if said.header_row else []

    def cell(row: list[str], column: str | int) -> str:
        return row[column - 1 if isinstance(column, int) else header.index(column)]

    def number(text: str) -> int:
        plain = text.replace(said.thousands, "") if said.thousands else text.replace(",", ".")
        return int(float(plain))

    found: Found = {}
    for at, row in enumerate(rows, 1):
        if at <= said.header_row or at in said.left_out or not any(row):
            continue
        if said.only and cell(row, said.only[0]) != said.only[1]:
            continue
        named = said.categories if isinstance(said.categories, tuple) else (said.categories,)
        for column in named:
            name = column if said.each_row == "group" else cell(row, column)
            count = {"person": 1, "category": number(cell(row, said.counts or column)) if said.counts else 0,
                     "group": number(cell(row, column)) if said.each_row == "group" else 0}[said.each_row]  # fmt: skip
            joined = " / ".join([*(cell(row, group) for group in said.groups), " ".join(str(name).split())])
            if name != "":
                found[joined] = found.get(joined, 0) + count
    return found


def found_again(table: KnownTable) -> bool:
    for separator in ",;\t| ":
        with suppress(ValueError, IndexError):  # where it is another separator
            if alike(as_said(rows_of(table, separator), table.said), table.truth):
                return True
    return False


def test_the_truth_of_a_random_table_is_in_its_bytes() -> None:
    tables = random_tables(np.random.default_rng(7), 160)
    for table in tables:
        assert found_again(table), (table.kind, table.features, table.said, table.data[:400])
    assert {table.kind for table in tables} == {*KINDS}
    again = random_tables(np.random.default_rng(7), 160)
    assert [(table.said, table.truth) for table in tables] == [(table.said, table.truth) for table in again]
    assert tables[0] != random_tables(np.random.default_rng(8), 1)[0]


def test_so_is_that_of_the_hard_tables_as_far_as_text_in_columns_holds_it() -> None:
    others = {"a: blank counts", "h: numbered rows in Parquet", "u: as it is printed", "v: OpenDocument"}
    assert {table.kind for table in hard_tables() if not found_again(table)} == others
