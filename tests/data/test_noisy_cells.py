"""Noisy counts in the layouts of those who publish them: what columns and marks are taken for, what is refused."""

from typing import Any

import pytest
from hypothesis import given, strategies as some

from dpbi.data.files import CountsError
from dpbi.data.files.form import Form
from dpbi.data.files.noisy_cells import (
    COMMA,
    POINT,
    SCALES,
    STANDARD_DEVIATIONS,
    VARIANCES,
    NoisyCells,
    NoisyColumns,
    guessed_columns,
    marks_of_decimals,
    noisy_cells,
    noisy_table,
    threshold,
    with_values_apart,
)
from dpbi.data.files.reading import opened
from tests.data.reader import parquet_file, saved, workbook


def read(data: str | bytes, name: str = "table.csv") -> tuple[NoisyColumns, NoisyCells]:
    """Under what is guessed."""
    table, _ = noisy_table(opened(data if isinstance(data, bytes) else data.encode(), name, Form()))
    columns = guessed_columns(table)
    return columns, noisy_cells(table, columns, marks_of_decimals(table, columns)[0])


SHEET: list[list[Any]] = [["answer", "dp_count", "stddev"], ["a", -3, 2.5], ["b", 93, 2.5]]
LAYOUTS: dict[str, tuple[str | bytes, str, dict[str, Any]]] = {
    "pasted": ("red\t-3\nblue\t93\n", "pasted.txt", {"labels": ("red", "blue"), "values": (-3, 93)}),
    "a list of numbers": ("-3\n12\n44\n", "pasted.txt", {
        "labels": ("category 1", "category 2", "category 3"), "values": (-3, 12, 44), "said": False}),
    "one row": ("red,green,blue\n12,-3,<5\n", "x.csv", {
        "labels": ("red", "green", "blue"), "values": (12, -3, None), "marks": (None, None, "<5")}),
    "a column of deviations": ("group,count,noisy,noise_stddev\na,1,-3,4.5\nb,90,93,4.5\n", "x.csv", {
        "values": (-3, 93), "sizes": (4.5, 4.5), "said": True}),
    "a column of variances": ("name;estimate;variance\na;12;4\nb;-1;9\nTotal;11;0\n", "x.csv", {
        "values": (12, -1, 11), "sizes": (4, 9, 0), "totals": (2,)}),
    "a total without noise": ("name,estimate,variance\na,12,4\nb,-1,9\nTotal,11,\n", "x.csv", {
        "sizes": (4, 9, None), "totals": (2,)}),
    "a column of scales": ("scale,value,name\n2,12,a\n2,-1,b\n", "x.csv", {"values": (12, -1), "sizes": (2, 2)}),
    "withheld": ("page,views\nA,<90\nB,120\nC,*\nD,\nE,NA\n", "x.csv", {
        "values": (None, 120, None, None, None), "marks": ("<90", None, "*", "", "NA"), "fractional": False}),
    "decimals": ("a,-3.25\nb,93.5\n", "x.csv", {"values": (-3.25, 93.5), "fractional": True}),
    "decimal commas": ("a;-3,25\nb;1.093,5\n", "x.csv", {"values": (-3.25, 1093.5)}),
    "thousands": ("a\t-1,003\nb\t12,093\nc\t1.5\n", "x.txt", {"values": (-1003, 12093, 1.5)}),
    "our own CSV": ("Category,Published\n'=a,-3\nb,93\n", "x.csv", {"labels": ("=a", "b"), "values": (-3, 93)}),
    "a workbook": (saved(workbook(SHEET)), "x.xlsx", {"values": (-3, 93), "sizes": (2.5, 2.5)}),
    "Parquet": (parquet_file(answer=["a", "b", "c"], noisy=[-3.5, 93.0, None]), "x.parquet", {
        "values": (-3.5, 93, None), "marks": (None, None, "")}),
}  # fmt: skip


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts_of_those_who_publish(layout: str) -> None:
    data, name, expected = LAYOUTS[layout]
    columns, cells = read(data, name)
    assert {what: getattr(cells, what) for what in expected} == expected
    sizes = {"a column of deviations": STANDARD_DEVIATIONS, "a column of variances": VARIANCES,
             "a total without noise": VARIANCES, "a workbook": STANDARD_DEVIATIONS,
             "a column of scales": SCALES}  # fmt: skip
    assert columns.sizes == sizes.get(layout, "")


@pytest.mark.parametrize(("table", "sentence"), [
    ("a,3\nb,4\na,5\n", "'a' names 2 rows"),
    ("a,3\nb,12%\n", "row 2: the value of 'b' is no number"),
    ("a,3\nb,~30\nc,4\n", "row 2: the value of 'b' is no number"),
    ("a,3\nb,10-19\nc,4\n", "row 2: the value of 'b' is no number"),
    ("name,noisy\na,3\n", "2 to 2,000 categories are read: the table has 1 row."),
    ("name,noisy,variance\na,3,4\nb,4,-1\n", "row 3: the noise of 'b' must be a number of at least 0: got '-1'"),
    ("name,noisy,variance\na,3,4\nb,4,\n", "row 3: the noise of 'b'"),
    ("name,noisy,variance\na,3,4\nTotal,4,x5\n", "row 3: the noise of 'Total'"),
    ("a,x\nb,y\n", "no column holds numbers"),
    ("\n", "blank lines"),
    ("noisy\n" + "1\n" * 2002, "2 to 2,000 categories are read"),
])  # fmt: skip
def test_what_cannot_be_read_is_refused_in_words(table: str, sentence: str) -> None:
    with pytest.raises(CountsError, match=sentence):
        read(table)


def test_columns_of_two_roles_are_refused_and_several_columns_of_names_are_joined() -> None:
    table, _ = noisy_table(opened(b"page,country,views\nA,x,3\nA,y,4\n", "x.csv", Form()))
    with pytest.raises(CountsError, match="columns of their own"):
        noisy_cells(table, NoisyColumns("views", ("views",)))
    assert noisy_cells(table, NoisyColumns("views", ("page", "country"))).labels == ("A / x", "A / y")


@pytest.mark.parametrize(("cells", "mark", "doubtful"), [
    ("1.234 2.345", POINT, True), ("1.234 2.5", POINT, False), ("1,234 2,5", COMMA, False), ("12 -3", POINT, False),
    ("1,234 7", POINT, True), ("1.234,5 7", COMMA, False), ("<90 *", POINT, False),
])  # fmt: skip
def test_what_dots_and_commas_mean_is_evidence_or_asked(cells: str, mark: str, doubtful: bool) -> None:
    text = "noisy\n" + "\n".join(f'"{cell}"' for cell in [*cells.split(), "5"])
    table, _ = noisy_table(opened(text.encode(), "x.csv", Form()))
    assert marks_of_decimals(table, guessed_columns(table)) == (mark, doubtful)


@pytest.mark.parametrize(("mark", "below"), [
    ("<90", 90), ("< 1,000", 1000), ("≤9", 10), ("at most 9", 10), ("Fewer than 5", 5), ("*", None), ("", None),
    (">5", None), ("<", None), ("<1.5", None),
])  # fmt: skip
def test_thresholds_of_marks(mark: str, below: int | None) -> None:
    assert threshold(mark) == below


@pytest.mark.parametrize(("pasted", "came"), [
    ("No diploma 412\nHigh school -3\nB.A. <10", "No diploma\t412\nHigh school\t-3\nB.A.\t<10"),
    ("Level count\nNo diploma 1,412\nOther *\n", "Level\tcount\nNo diploma\t1,412\nOther\t*"),
    ("a b\t4\nc\t5", None), ("a,4\nb,5", None), ("a; b 4\nc 5", None), ("3 4\n5 6", None), ("x y\nz w", None),
    ("alone 4", None), ("12\n13", None), ("Smith, John 4\nDoe, Jane 5", None),
])  # fmt: skip
def test_a_value_may_stand_last_after_a_name_of_several_words(pasted: str, came: str | None) -> None:
    assert with_values_apart(pasted) == (pasted if came is None else came)


TOKENS = ("-3", "4", "<9", "*", "", "NA", "1,2", "1.234", "x", "Total", "12%", '"', "1e400", "٣", "−3", "9" * 70)


@given(some.lists(some.lists(some.sampled_from(TOKENS), min_size=1, max_size=3), min_size=1, max_size=5),
       some.sampled_from(",;\t"))  # fmt: skip
def test_any_cells_are_read_or_refused_in_words(rows: list[list[str]], separator: str) -> None:
    try:
        _, cells = read("\n".join(map(separator.join, rows)))
    except CountsError as refusal:
        assert len(str(refusal)) > 20
        return
    assert 2 <= len(cells.labels) == len({*cells.labels}) == len(cells.values) == len(cells.marks)
    assert all((value is None) == (mark is not None) for value, mark in zip(cells.values, cells.marks, strict=True))
