"""read_counts on anything: counts, a CountsError or a CountsQuestion, and what is read is what was written."""

import csv
import io
import re
import unicodedata
import zipfile
from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pytest
from hypothesis import assume, example, given, settings, strategies as st
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

from dpbi.data.files import Counts
from dpbi.data.files.form import CHOICES, Form
from dpbi.data.files.reading import opened

from .random_tables import KINDS, random_table
from .reader import by_name, ended, parquet_file, read, saved, workbook

CASES = sorted(path for path in (Path(__file__).parents[1] / "cases").rglob("*.*") if path.suffix in
               (".csv", ".tsv", ".xlsx", ".parquet"))  # fmt: skip
MANY = settings(max_examples=100)

names_of_files = st.sampled_from(["", "a.csv", "a.tsv", "a.txt", "a.xlsx", "a.parquet", "a", "…/\0.CSV", "a.ods"])
column = st.one_of(st.integers(1, 4), st.sampled_from(["", "a", "count", "colour", "ride", "x,y"]))
columns = column | st.lists(column, max_size=3)
rows = st.integers(1, 6) | st.lists(st.integers(1, 9), max_size=3)
names = st.sampled_from(["red", "Red", "green", "a", "TRUE", "", "NA", "(all, added up)", "(each apart)"])
# Nothing, or some entries of the form, whether they fit the file or not.
some_said: st.SearchStrategy[dict[str, Any]] = st.just({}) | st.fixed_dictionaries({}, optional={
    **{entry: st.sampled_from(choices) for entry, choices in CHOICES.items()},
    **dict.fromkeys(("column", "category_column", "count_column", "group_column"), columns),
    "header_row": rows | st.just(0), "leave_out": rows, "only": st.dictionaries(column, names, max_size=2),
    **dict.fromkeys(("group", "chosen", "sheet"), names), "categories": st.lists(names).map(tuple),
    "encoding": st.sampled_from(["utf-8", "cp1251", "utf-16", "big5", "klingon", "rot13", "idna"]),
})  # fmt: skip

# --- anything ---

SIGNATURES = [b"PK\x03\x04", b"PAR1", b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf", b"\xff\xfe\0\0", b"sep=;\n"]
SIGNATURES += [b"# a: b\n", b"{", b"<", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"", "\x1c\n\u3000\n\x85,\u2028".encode()]
some_text = st.text(st.characters(codec="utf-8"), max_size=200)
some_bytes = st.binary(max_size=400) | st.builds(str.encode, some_text, st.sampled_from(["utf-8", "utf-16", "utf-32"]))
NASTY = [
    *re.split(r"\|\s*", """red|Red |green|Total|count|id|share|12|0|-3|1.234|1,234|1'234|12,0|1e3|1e400|inf|NaN|<5|*|
    24%|100|2020|TRUE|false|a"b|=1+1|0.5|#|05-Sep|2024-09-05|9223372036854775808"""),
    "", " ", "caf\u00e9", "cafe\u0301", "a\nb", "\u200b", "\u202e", "9" * 400, "x" * 5000,
]  # fmt: skip
CELLS = st.sampled_from(NASTY) | st.text(max_size=5)
tables = st.integers(1, 5).flatmap(lambda width: st.lists(st.lists(CELLS, min_size=width, max_size=width), max_size=8))
tables |= st.lists(st.lists(CELLS, max_size=4), max_size=8)  # of rows as long as they like


def as_csv(rows: list[list[str]], separator: str = ",", quoting: Any = csv.QUOTE_MINIMAL, end: str = "\n") -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=separator, quoting=quoting, lineterminator=end).writerows(rows)
    return text.getvalue()


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 2**70),
    st.floats(allow_nan=False, allow_infinity=False),
    st.datetimes(datetime(1900, 3, 1)),
    st.timedeltas(timedelta(0), timedelta(days=900)),
    CELLS.map(lambda text: ILLEGAL_CHARACTERS_RE.sub("", text)),
)
ARROWS = st.sampled_from(
    [
        pa.array(["a", "b", None, "12", ""]),
        pa.array(["a", "b", None, "a", "b"]).dictionary_encode(),
        pa.array([1, 2, None, 2, -1]),
        pa.array([1.0, 2.0, None, 2.0, 0.5]),
        pa.array([True, None, False, True, True]),
        pa.array([0, 1, 2, 3, None], pa.int32()).cast(pa.date32()),
        pa.array([0, 1, 2**62, -(2**62), None], pa.timestamp("ms")),
        pa.array([b"a", b"\xff", None, b"", b"a"]),
        pa.array([[1], [], None, [2], [1, 2]]),
        pa.array([Decimal("1.5"), Decimal("2.0"), None, Decimal("-1.0"), Decimal("2.0")]),
        pa.array([1, 2, None, 4, 5], pa.duration("ms")),
        pa.array([1, 2, None, 4, 5], pa.time32("s")),
        pa.nulls(5),
    ]
)


def edited(data: bytes, edits: list[tuple[float, int, bytes]]) -> bytes:
    """Other bytes in the place of so many, wherever they are."""
    for place, many, new in edits:
        at = int(place * len(data))
        data = data[:at] + new + data[at + many :]
    return data


def with_parts(path: Path, change: Callable[[str, bytes], bytes]) -> bytes:
    """The workbook with each of its parts changed."""
    data = io.BytesIO()
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(data, "w") as target:
        for name in source.namelist():
            target.writestr(name, change(name, source.read(name)))
    return data.getvalue()


edits = st.lists(st.tuples(st.floats(0, 1), st.integers(0, 20) | st.just(10**9), st.binary(max_size=6)), min_size=1,
                 max_size=4)  # fmt: skip
PARTS = ["xl/worksheets/sheet1.xml", "xl/sharedStrings.xml", "xl/workbook.xml", "xl/styles.xml"]
separators = st.sampled_from(",;\t| ")
in_utf_8 = partial(str.encode, encoding="utf-8", errors="replace")
# Files by what they are made of, and how many are tried of each: bytes, and the name that hints at their format.
MADE_OF: dict[str, tuple[int, st.SearchStrategy[bytes], str]] = {
    "bytes": (150, st.builds(lambda *parts: b"".join(parts), st.sampled_from(SIGNATURES), some_bytes,
                             st.sampled_from([b"", b"PAR1"])),
              ""),
    "tables": (100, st.builds(as_csv, tables, separators).map(in_utf_8), "a.csv"),
    "tables without quotes": (100, st.builds(lambda rows, mark: in_utf_8("\n".join(map(mark.join, rows))), tables,
                                             separators), "a.csv"),
    "workbooks": (30, st.lists(st.lists(st.lists(VALUES, max_size=3), max_size=6), min_size=1, max_size=2).map(
        lambda sheets: saved(workbook(*sheets))), "a.xlsx"),
    "columns": (30, st.lists(st.tuples(CELLS, ARROWS), min_size=1, max_size=3, unique_by=itemgetter(0)).map(
        lambda columns: parquet_file(**dict(columns))), "a.parquet"),
    "damaged files": (50, st.builds(edited, st.sampled_from(CASES).map(Path.read_bytes), edits), ""),
    "damaged parts": (30, st.builds(
        lambda path, part, edits: with_parts(path, lambda name, data: edited(data, edits) if name == part else data),
        st.sampled_from([path for path in CASES if path.suffix == ".xlsx"]), st.sampled_from(PARTS), edits), "a.xlsx"),
}  # fmt: skip


@pytest.mark.parametrize("made_of", MADE_OF)
def test_anything_ends_in_counts_a_question_or_a_refusal(made_of: str) -> None:
    many, files, filename = MADE_OF[made_of]

    @settings(max_examples=many)
    @given(files, st.just(filename) if filename else names_of_files, some_said)
    def test(data: bytes, name: str, said: dict[str, Any]) -> None:
        ended(data, name, **said)

    test()


WILD_CELLS = [
    '<c r="A1048577"><v>1</v></c>',
    '<c r="ZZZZ9"><v>1</v></c>',
    '<c r="XFD1048576"><v>1</v></c>',
    "<c><v>1</v></c>",
    '<c r="A9" t="s"><v>99</v></c>',
    '<c r="A9" t="s"><v>-1</v></c>',
    '<c r="A9"><v>1e999</v></c>',
    '<c r="A9"><v>x</v></c>',
    '<c r="A9" t="b"><v>7</v></c>',
    '<c r="A9" s="99"><v>1</v></c>',
    '<c r="B2" t="d"><v>x</v></c>',
    '<c r="A9" t="inlineStr"/>',
    f'<c r="A9"><v>{"9" * 5000}</v></c>',
]


@pytest.mark.parametrize("cell", WILD_CELLS)
@pytest.mark.parametrize("row", ["", ' r="9"', ' r="99999999"', ' r="x"'])
def test_cells_no_spreadsheet_writes(cell: str, row: str) -> None:
    path = next(path for path in CASES if path.name == "simple.xlsx")
    more = f"<row{row}>{cell}</row></sheetData>".encode()
    ended(with_parts(path, lambda _, content: content.replace(b"</sheetData>", more)), "a.xlsx")


# --- what is read is what was written ---

LETTERS = st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Zs"))
# No number, so that no header is taken for data, and no comment.
label = (
    st.text(LETTERS, min_size=1, max_size=12)
    .map(lambda text: unicodedata.normalize("NFC", "k" + text.strip()))
    .filter(lambda text: text == text.strip())
)
counted = st.dictionaries(label, st.integers(0, 10**12), min_size=2, max_size=8)
quotings = st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
TOLD: dict[str, Any] = {"header_row": 1, "leave_out": (), "confirm_percentages": True}
PAIRS = {"layout": "counts", "category_column": "kind", "count_column": "count", "leave_out": (),
         "confirm_percentages": True}  # fmt: skip


@MANY
@given(counted, st.sampled_from(",;\t|"), quotings, st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
       st.sampled_from(["\n", "\r\n"]), st.booleans(), st.randoms())  # fmt: skip
@example({"a": 1, "b": 99}, ",", csv.QUOTE_MINIMAL, "utf-8", "\n", False, None)
@example({"kROW": 0, "k0": 0}, ",", csv.QUOTE_MINIMAL, "utf-8", "\n", True, None)
def test_counts_are_read_back(
    counts: dict[str, int], separator: str, quoting: int, encoding: str, end: str, blank: bool, random: Any
) -> None:
    """In any order, and with a blank column beside them."""
    pairs = [*counts.items()]
    if random:
        random.shuffle(pairs)
    rows = [[*row, *[""] * blank] for row in (["kind", "count"], *([name, str(count)] for name, count in pairs))]
    text = as_csv(rows, separator, quoting, end).encode(encoding)
    assert [*by_name(read(text, "a.csv", **PAIRS)).items()] == pairs
    wide = as_csv([[*counts], [str(count) for count in counts.values()]], separator, quoting, end).encode(encoding)
    assert by_name(read(wide, "a.csv", layout="wide", count_column=[*counts], **TOLD)) == counts
    assert by_name(read(parquet_file(kind=[*counts], count=[*counts.values()]), "a.parquet", **PAIRS)) == counts


# The same table written in another way, of its rows and its separator.
WAYS: dict[str, Callable[[list[list[str]], str], bytes]] = {
    "quotes": lambda rows, mark: as_csv(rows, mark, csv.QUOTE_ALL).encode(),
    "line ends": lambda rows, mark: as_csv(rows, mark, end="\r\n").encode(),
    "UTF-16": lambda rows, mark: as_csv(rows, mark).encode("utf-16"),
    "blank lines": lambda rows, mark: as_csv([*rows, [], []], mark).encode(),
    "a blank column": lambda rows, mark: as_csv([[*row, ""] for row in rows], mark).encode(),
    "a separator": lambda rows, mark: as_csv(rows, ";" if mark != ";" else "|").encode(),
}


@MANY
@given(st.integers(0, 10**6), st.sampled_from([*KINDS]), st.sampled_from([*WAYS]))
@example(131_072, "people", "a blank column")
@example(2, "one row of counts", "a blank column")
def test_what_comes_is_the_same_however_a_table_is_written(seed: int, kind: str, way: str) -> None:
    table = random_table(np.random.default_rng(seed), kind)
    assume(not table.filename.endswith((".xlsx", ".txt")))
    text = table.data.decode(table.said.encoding or "utf-8")
    assume(way != "a separator" or not re.search(r"\d[.,']\d", text))  # marks are read with the separator
    came, asked = ended(text)
    mark = opened(text.encode(), "table.csv", Form()).separator if isinstance(came, Counts) else None
    assume(mark)
    other, asked_too = ended(WAYS[way]([*csv.reader(io.StringIO(text), delimiter=mark or ",")], mark or ","))
    assert isinstance(came, Counts) and isinstance(other, Counts) and by_name(other) == by_name(came)
    assert [question.suggested.keys() for question in asked] == [question.suggested.keys() for question in asked_too]
