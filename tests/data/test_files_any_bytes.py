"""read_counts on anything: counts, a CountsError or a CountsQuestion, and what is read is what was written."""

import csv
import io
import re
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import Decimal
from operator import itemgetter
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pytest
from hypothesis import assume, example, given, settings, strategies as st
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

from dpbi.data.files import table

from .reader import by_name, followed, parquet_file, read, saved, workbook

CASES = sorted(path for path in (Path(__file__).parents[1] / "cases").iterdir() if path.suffix in
               (".csv", ".tsv", ".xlsx", ".parquet"))  # fmt: skip
MANY = settings(max_examples=200)
SOME = settings(max_examples=40)

names_of_files = st.sampled_from(["", "a.csv", "a.tsv", "a.txt", "a.xlsx", "a.parquet", "a", "…/\0.CSV", "a.ods"])
columns = st.one_of(st.integers(1, 4), st.sampled_from(["", "a", "count", "colour", "ride", "x,y"]))
layouts = st.sampled_from(["counts", "wide", "raw"])
some_answers: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.just({}),
    st.fixed_dictionaries({}, optional={"layout": layouts, "header_row": st.integers(0, 6)}),
    st.fixed_dictionaries({"column": columns}, optional={"header_row": st.integers(0, 3)}),
    st.fixed_dictionaries({"category_column": columns, "count_column": columns}),
    st.fixed_dictionaries(
        {},
        optional={
            "total_row": st.sampled_from(["drop", "keep"]),
            "thousands": st.sampled_from([".", ",", " ", "'", ""]),
            "confirm_percentages": st.booleans(),
            "missing": st.sampled_from(["drop", "keep"]),
            "unlisted": st.sampled_from(["other", "refuse"]),
            "categories": st.lists(st.sampled_from(["red", "Red", "green", "a", "TRUE", "", "NA"])).map(tuple),
        },
    ),
)

# --- anything ---


@MANY
@given(st.binary(max_size=400), names_of_files, some_answers)
def test_random_bytes(data: bytes, filename: str, answers: dict[str, Any]) -> None:
    followed(data, filename, **answers)


SIGNATURES = [b"PK\x03\x04", b"PAR1", b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf", b"\xff\xfe\0\0", b"sep=;\n"]
SIGNATURES += [b"# a: b\n", b"{", b"<", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"]


@MANY
@given(st.sampled_from(SIGNATURES), st.binary(max_size=200), st.sampled_from([b"", b"PAR1"]), names_of_files)
def test_random_bytes_behind_a_signature(start: bytes, data: bytes, end: bytes, filename: str) -> None:
    followed(start + data + end, filename)


@MANY
@given(st.text(st.characters(codec="utf-8"), max_size=200), st.sampled_from(["utf-8", "utf-16", "utf-16-be", "utf-32"]))
@example("\x1c\n\u3000\u2003\n\x85,\u2028\n", "utf-8")
def test_random_text(text: str, encoding: str) -> None:
    followed(text.encode(encoding), "a.csv")


NASTY = re.split(
    r"\|\s*",
    """red|Red |green|Total|count|id|share|12|0|-3|1.234|1,234|1'234|12,0|1e3|1e400|inf|NaN|<5|*|24%|100|2020|
    TRUE|false|a"b|=1+1|0.5|#|05-Sep|2024-09-05|9223372036854775808""",
)
NASTY += ["", " ", "caf\u00e9", "cafe\u0301", "a\nb", "\u200b", "\u202e", "9" * 400, "x" * 5000]
CELLS = st.sampled_from(NASTY) | st.text(max_size=5)
tables = st.integers(1, 5).flatmap(lambda width: st.lists(st.lists(CELLS, min_size=width, max_size=width), max_size=8))
ragged_tables = st.lists(st.lists(CELLS, max_size=4), max_size=8)


def as_csv(rows: list[list[str]], separator: str = ",", quoting: Any = csv.QUOTE_MINIMAL) -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=separator, quoting=quoting, lineterminator="\n").writerows(rows)
    return text.getvalue()


@MANY
@given(tables | ragged_tables, st.sampled_from(",;\t|"), some_answers)
def test_random_tables_as_text(rows: list[list[str]], separator: str, answers: dict[str, Any]) -> None:
    followed(as_csv(rows, separator).encode("utf-8", "replace"), "a.csv", **answers)


@MANY
@given(tables | ragged_tables, st.sampled_from(",;\t|"), some_answers)
def test_random_tables_without_quotes(rows: list[list[str]], separator: str, answers: dict[str, Any]) -> None:
    followed("\n".join(map(separator.join, rows)).encode("utf-8", "replace"), "a.csv", **answers)


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 2**70),
    st.floats(allow_nan=False, allow_infinity=False),
    st.datetimes(datetime(1900, 3, 1)),
    st.timedeltas(timedelta(0), timedelta(days=900)),
    CELLS.map(lambda text: ILLEGAL_CHARACTERS_RE.sub("", text)),
)


@SOME
@given(st.lists(st.lists(st.lists(VALUES, max_size=3), max_size=6), min_size=1, max_size=2), some_answers)
def test_random_workbooks(sheets: list[list[list[Any]]], answers: dict[str, Any]) -> None:
    followed(saved(workbook(*sheets)), "a.xlsx", **answers)


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


@SOME
@given(st.lists(st.tuples(CELLS, ARROWS), min_size=1, max_size=3, unique_by=itemgetter(0)), some_answers)
def test_random_parquet(columns: list[tuple[str, Any]], answers: dict[str, Any]) -> None:
    followed(parquet_file(**dict(columns)), "a.parquet", **answers)


# --- the cases, changed ---

edits = st.lists(
    st.tuples(
        st.floats(0, 1), st.sampled_from(["cut", "repeat", "insert", "flip", "end"]), st.binary(min_size=1, max_size=6)
    ),
    min_size=1,
    max_size=4,
)


def edited(data: bytes, changes: list[tuple[float, str, bytes]]) -> bytes:
    for place, change, new in changes:
        at = int(place * len(data))
        stretch = data[at : at + 3 * len(new)]
        if change == "cut":
            data = data[:at] + data[at + len(stretch) :]
        elif change == "repeat":
            data = data[:at] + stretch + data[at:]
        elif change == "insert":
            data = data[:at] + new + data[at:]
        elif change == "flip":
            data = data[:at] + bytes(byte ^ new[0] for byte in stretch) + data[at + len(stretch) :]
        else:
            data = data[:at]
    return data


@MANY
@given(st.sampled_from(CASES), edits, some_answers)
def test_mutated_cases(path: Path, changes: list[tuple[float, str, bytes]], answers: dict[str, Any]) -> None:
    followed(edited(path.read_bytes(), changes), path.name, **answers)


def with_parts(path: Path, change: Callable[[str, bytes], bytes]) -> bytes:
    """The workbook with each of its parts changed."""
    data = io.BytesIO()
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(data, "w") as target:
        for name in source.namelist():
            target.writestr(name, change(name, source.read(name)))
    return data.getvalue()


@SOME
@given(
    st.sampled_from([path for path in CASES if path.suffix == ".xlsx"]),
    st.sampled_from(["xl/worksheets/sheet1.xml", "xl/sharedStrings.xml", "xl/workbook.xml", "xl/styles.xml"]),
    edits,
)
def test_mutated_parts_of_workbooks(path: Path, part: str, changes: list[tuple[float, str, bytes]]) -> None:
    followed(with_parts(path, lambda name, content: edited(content, changes) if name == part else content), path.name)


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
    followed(with_parts(path, lambda _, content: content.replace(b"</sheetData>", more)), "a.xlsx")


# --- what is read is what was written ---

LETTERS = st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Zs"))
# No number, so that no header is taken for data, and no comment.
label = (
    st.text(LETTERS, min_size=1, max_size=12)
    .map(lambda text: unicodedata.normalize("NFC", "k" + text.strip()))
    .filter(lambda text: text == text.strip())
)
counted = st.dictionaries(label, st.integers(0, 10**12), min_size=2, max_size=8)
PLAIN = {"total_row": "keep", "confirm_percentages": True}


@MANY
@given(
    counted,
    st.sampled_from(",;\t|"),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]),
    st.sampled_from(["\n", "\r\n"]),
)
@example({"a": 1, "b": 99}, ",", csv.QUOTE_MINIMAL, "utf-8", "\n")
@example({"kROW": 0, "k0": 0}, ",", csv.QUOTE_MINIMAL, "utf-8", "\n")
def test_counts_are_read_back(counts: dict[str, int], separator: str, quoting: int, encoding: str, end: str) -> None:
    rows = [["kind", "count"], *([name, str(count)] for name, count in counts.items())]
    text = as_csv(rows, separator, quoting).replace("\n", end)
    assert by_name(read(text.encode(encoding), "a.csv", **PLAIN)) == counts
    first = table.Column(1, next(iter(counts)), lambda rows: [])
    assume(not first.named_as_identifier and not first.named_as_measurement)  # a first cell that names its row
    wide = as_csv([[*counts], [str(count) for count in counts.values()]], separator, quoting)
    assert by_name(read(wide.encode(encoding), "a.csv", layout="wide", **PLAIN)) == counts


@SOME
@given(counted)
def test_counts_in_a_workbook_or_parquet_file_are_read_back(counts: dict[str, int]) -> None:
    rows = [("kind", "count"), *counts.items()]
    assert by_name(read(saved(workbook(rows)), "a.xlsx", **PLAIN)) == counts
    columns = parquet_file(kind=[*counts], count=[*counts.values()])
    assert by_name(read(columns, "a.parquet", **PLAIN)) == counts


@MANY
@given(
    st.lists(st.sampled_from(["walk", "bus", "NA", "naïve", "a b", ""]), min_size=6, max_size=60),
    st.sampled_from(",;\t"),
)
def test_records_are_tallied(answers: list[str], separator: str) -> None:
    tally = Counter(filter(None, answers))
    assume(len(tally) > 1 and max(tally.values()) > 1)
    rows = [["id", "ride"], *([f"T{i}", answer] for i, answer in enumerate(answers))]
    found = by_name(read(as_csv(rows, separator), column="ride"))
    assert [*found.items()] == [*tally.items()], "in the order of the file"
    public = {"ferry": 0, "walk": tally["walk"], "NA": tally["NA"], "(missing)": answers.count("")}
    public["(other)"] = len(answers) - sum(public.values())
    came = read(as_csv(rows, separator), column="ride", categories=("ferry", "walk", "NA"), unlisted="other",
                missing="keep")  # fmt: skip
    assert [*by_name(came).items()] == [*public.items()]
