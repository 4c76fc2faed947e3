"""read_counts on further files of the kinds in tests/cases: other encodings, numbers, layouts and formats."""

import io
import re
import zipfile
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pytest

from dpbi import limits
from dpbi.data.files import CountsError, read_categories, read_counts

from .reader import (
    Asks,
    Outcome,
    assert_comes,
    by_name,
    parquet_file,
    read,
    refused,
    saved,
    suggested,
    workbook,
)


def column(cells: list[str], separator: str = ";") -> str:
    """A table of counts with the given cells, for categories a, b, c, …"""
    return f"name{separator}n\n" + "".join(f"{chr(97 + i)}{separator}{cell}\n" for i, cell in enumerate(cells))


RIDES = "ride\nwalk\nbus\nwalk\n\"\"\nbike\n"
LISTED: dict[str, Any] = {"column": "ride", "categories": ("walk", "ferry")}
TWICE_X = "x,x,n\na,p,1\nb,q,2\na,q,4\n"
MOST_NAMES = "".join(f"c{i},2\n" for i in range(limits.CATEGORIES_LARGEST))


# --- text: encodings, separators, lines, quotes ---

ACCENTS = "plat,n\ncrème,4\nñandú,7\n"


@pytest.mark.parametrize(
    ("data", "warning"),
    [
        (ACCENTS.encode("utf-8-sig"), ""),
        (ACCENTS.encode("utf-16"), "read as UTF-16"),
        ("\ufeff".encode("utf-16-be") + ACCENTS.encode("utf-16-be"), "read as UTF-16"),
        (ACCENTS.encode("utf-16-le"), "no mark"),
        (ACCENTS.encode("utf-16-be"), "no mark"),
        (ACCENTS.encode("utf-32"), "read as UTF-32"),
        (ACCENTS.encode("cp1252"), "Windows-1252"),
        (ACCENTS.encode() + b"\x1a", ""),
        (ACCENTS.replace("\n", "\r").encode(), ""),
        (ACCENTS.replace("\n", "\r\n").encode(), ""),
    ],
)
def test_encodings_and_line_ends(data: bytes, warning: str) -> None:
    result = read(data)
    assert by_name(result) == {"crème": 4, "ñandú": 7}
    assert re.search(warning, " ".join(result.warnings))
    assert bool(result.warnings) == bool(warning)


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_separators(separator: str) -> None:
    table = column(["12", "30"], separator)
    for above in ("", f"sep={separator}\n", f'"sep={separator}"\r\n'):
        assert_comes({"a": 12, "b": 30}, above + table)
    assert read(table).separator == separator


FAULTY_COUNT = "n,count\na,1\nb,-2\n"
PLAIN = "x,n\na,1\nb,3\n"
SURVEYMONKEY = """Q1. How likely are you to recommend us?,,
Answer Choices,Responses,
Very likely,55.00%,11
Likely,30.00%,6
Unlikely,15.00%,3
,Answered,20
,Skipped,2
"""
TITLE_WITH_A_COMMA = "Trees, 2021\nUnit: persons\n\nKind,Persons\nElm,12\nOak,30\nFir,7\n"
EUROSTAT = """sex,geo\\TIME_PERIOD\t2019 \t2020 \t2021
F,AT\t4503 \t4522 p\t4530
M,AT\t4355 \t4379 p\t4400
"""
DOTTED = "Provincia;Hombres;Mujeres;Total\nLugo;1.158.421;1.167.592;2.326.013\nSoria;4.044.612;4.044.136;8.088.748\n"
WHAT_COMES: dict[str, list[tuple[bytes | str, dict[str, Any], Outcome]]] = {
    "what is no table of text": [*((data, {}, words) for data, words in [
        ("色,n\n赤,4\n".encode("shift-jis"), "UTF-8 or Windows-1252"),
        (b"\xff\xfea", "marked as UTF-16 but is damaged"),
        (b"\xef\xbb\xbfa,n\n\xff,1\n", "marked as UTF-8 but is damaged"),
        (b"a,n\nr\x00,1\ng,2\n", "zero bytes"),
        (b"caf\xe9,n\nr\x01,1\n", "control characters"),
        (b"\x01\x02\x03,n\n", "control characters"),
        (b"", "the file is empty"),
        (b"\xef\xbb\xbf", "only blank lines"),
        (b" \n\t\n , ,\n\n", "only blank lines"),
        (b"name,n\n", "a header but no rows"),
        (b"\n\nname,n\n,\n", "a header but no rows"),
    ])],
    "separator and decimal mark are decided together": [*((table, {}, counts) for table, counts in [
        ("red;12,0\ngreen;30,0\n", {"red": 12, "green": 30}),
        ("a|b,12\nc|d,30\n", {"a|b": 12, "c|d": 30}),
        ("colour;shade,count\nred;dark,12\nblue;light,3\n", {"red;dark": 12, "blue;light": 3}),
        ("colour;n\ngreen, lime;12\nred;3\n", {"green, lime": 12, "red": 3}),
        ('name, n\n"a, b", "1,234"\nc, 5\n', {"a, b": 1234, "c": 5}),
        ('n,"count"\n"5"" pipe",12\n6\' pipe,3\n', {'5" pipe': 12, "6' pipe": 3}),
        ('n,count\n"",\n"a",12\n\n"b",3\n', {"a": 12, "b": 3}),
    ])],
    "headers": [*((table, {}, counts) for table, counts in [
        ("red,12\ngreen,30\n", {"red": 12, "green": 30}),
        (",n\nred,12\ngreen,30\n", {"red": 12, "green": 30}),
        ("colour,\nred,12\ngreen,30\n", {"red": 12, "green": 30}),
        ('"colour","n"\n"1","red",12\n"2","green",30\n', {"red": 12, "green": 30}),
        (",colour,n\n1,red,12\n2,green,30\n", {"red": 12, "green": 30}),
        ("Unnamed: 0,colour,n\n0,red,12\n1,green,30\n", {"red": 12, "green": 30}),
        (",n\n0,12\n1,30\n2,8\n", {"0": 12, "1": 30, "2": 8}),
        ("code,n\n1,12,\n2,30,\n3,8,\n", {"1": 12, "2": 30, "3": 8}),
        ("code,n\n04,12\n4,30\n", {"04": 12, "4": 30}),
        ("# title: a, b\n# source: c\ncolour,n\nred,12\ngreen,30\n", {"red": 12, "green": 30}),
        ("# bikes,n\nred,12\ngreen,30\n", {"red": 12, "green": 30}),
    ])],
    "numbers are read exactly": [*((column(cells), {}, dict(zip("abcdef", counts, strict=False))) for cells, counts in [
        (["1'234", "2'345'678"], [1234, 2345678]),
        (["1’234", "7"], [1234, 7]),
        (["1\u00a0234", "2\u202f345\u2009678"], [1234, 2345678]),
        (["1 234", "7,0"], [1234, 7]),
        (["1.234.567", "12.500"], [1234567, 12500]),
        (["1.234,0", "7"], [1234, 7]),
        (["1,234.00", "1,500"], [1234, 1500]),
        (["12,0", "1.500"], [12, 1500]),
        (["12.", "7.00"], [12, 7]),
        (["+5", "007"], [5, 7]),
        (["1,2E+05", "7"], [120000, 7]),
        (["1.2e3", "3E+04"], [1200, 30000]),
        (["1e0", "0e5"], [1, 0]),
        (["٣", "１２"], [3, 12]),
        (["9223372036854775800", "7"], [2**63 - 8, 7]),
        (["9007199254740993", "1"], [2**53 + 1, 1]),
        (["-0", "4"], [0, 4]),
    ])],
    "a mark that can mean two things is asked about": [
        (table, {}, Asks(thousands=None)) for table in (
            column(["1.234", "12"]), column(["1,234", "12"]), column(["12.000", "7.000"], ","),
            column(["1,234", "12"], "\t"),
        )
    ],
    "the answer about thousands": [
        (column(["1.234", "12"]), {"thousands": "."}, {"a": 1234, "b": 12}),
        *((column(["1.234", "12"]), {"thousands": mark}, "not a whole number") for mark in (",", "", "'")),
    ],
    "a list that is none": [
        (PLAIN, {"categories": "a,b"}, "must be a sequence of names"),
        (PLAIN, {"categories": ("a", 1)}, "must be a sequence of names"),
        (PLAIN, {"categories": ("a",)}, "at least two names: got 1"),
        (PLAIN, {"categories": ("a", "b", " a")}, "names 'a' more than once"),
        (PLAIN, {"categories": ("a", " ", "b")}, "name 2 of the list of categories is empty"),
        (PLAIN, {"categories": ("a", "b" * (limits.UPLOAD_LABEL_CHARACTERS_LARGEST + 1))}, "is too long"),
        (PLAIN, {"categories": tuple(map(str, range(limits.CATEGORIES_LARGEST + 1)))}, "of categories is too long"),
        (PLAIN, {"unlisted": "other"}, "goes with categories="),
        (PLAIN, {"missing": "keep", "count_column": "n"}, "cannot go with"),
    ],
    "an answer that is none": [
        (PLAIN, {"colour": "x"}, "'colour' is not an answer"),
        (PLAIN, {"layout": "tall"}, "layout must be one of"),
        (PLAIN, {"layout": 3}, "layout must be one of"),
        (PLAIN, {"thousands": ";"}, "thousands must be one of"),
        (PLAIN, {"total_row": True}, "total_row must be one of"),
        (PLAIN, {"confirm_percentages": "yes"}, "confirm_percentages must be one of"),
        (PLAIN, {"confirm_percentages": 1}, "confirm_percentages must be one of"),
        (PLAIN, {"header_row": True}, "header_row must be"),
        (PLAIN, {"header_row": -1}, "header_row must be"),
        (PLAIN, {"column": 0}, "column must be"),
        (PLAIN, {"column": 1.0}, "column must be"),
        (PLAIN, {"column": ["x"]}, "column must be"),
        (PLAIN, {"sheet": 1}, "sheet must be"),
        (PLAIN, {"sheet": "x"}, "only be answered for an Excel workbook"),
        (PLAIN, {"layout": "wide", "column": "x"}, "cannot go with"),
        (PLAIN, {"column": "x", "count_column": "n"}, "cannot go with"),
    ],
    "one column is not split": [
        ("why\nI walk, mostly\nbus\nbus\nbus\n", {"column": "why"}, {"I walk, mostly": 1, "bus": 3}),
        ('why\n"a, b"\nc\nc\n', {"column": "why"}, {"a, b": 1, "c": 2}),
    ],
    "quotes without a separator are told from other faults": [
        ('"colour" "n"\n"1" "red" 12\n"2" "blue" 3\n', {}, "no comma, semicolon, tab or bar"),
        ('{"c":"red","n":12}\n{"c":"blue","n":3}\n', {}, "this is JSON"),
    ],
    "faults in text name the line": [
        ('n,count\n"a\nb",1\n"c,2\nd,3\n', {}, "line 4"),
        ('n,count\na,1\n"b"c,2\n', {}, "closed in the middle"),
        ('n,count\n"' + "a" * 140_000 + '",1\n', {}, "131,072 characters"),
        ("n,count\na,1\n\nb,1,234\n", {}, "row 4: 3 cells instead of 2, beginning with 'b'"),
        ("n,count\na,1\nb,2\nSource: x\n", {}, Asks(skip_footer=1)),
        ("n,count\na,1\nb,2\nSource: x\n", {"skip_footer": 0}, "row 4: 1 cell instead of 2"),
        ('n,count\n"a\nb",1\nc\n', {}, "row 4: 1 cell instead of 2"),
        ("sep=#\na#1\n", {}, "'sep=#' names a separator other than"),
    ],
    "rows are numbered as in the file": [
        ('n,count\n\n"a\nx",1\n\nb,-2\n', {}, "row 6: '-2'"),
        (f"sep=,\n{FAULTY_COUNT}", {}, "row 4: '-2'"),
        (f"# source: x\n{FAULTY_COUNT}", {}, "row 4: '-2'"),
    ],
    "dot and comma in opposite ways": [(column(["12.0", "12,0"]), {}, "opposite ways")],
    "shares are no counts": [
        (column(["0.333", "0.333", "0.333"]), {}, "proportions"),
        (column(["33.3", "33.3", "33.4"]), {}, "percentages"),
        (column(["60", "40"]), {}, Asks(confirm_percentages=None)),
        ("name,percent\na,33\nb,33\nc,33\n", {}, Asks(confirm_percentages=None)),
        (column(["60", "40"]), {"confirm_percentages": False}, "percentages cannot be used"),
        (column(["1", "0"]), {}, {"a": 1, "b": 0}),
    ],
    "the sum has its limit too": [
        (column([str(2**62), str(2**62), "1"]), {}, "their sum"),
        (f"n,count\na,{2**62}\na,{2**62}\nb,1\n", {}, "their sum"),
    ],
    "what only looks like a total": [
        ("n,count\na,5\nb,3\nc,2\n", {}, Asks(total_row="keep")),
        ("n,count\na,5\nb,5\nc,0\n", {}, Asks(total_row="keep")),
        ("n,count\na,2\nb,3\nc,5\n", {}, Asks(total_row="drop")),
        ("n,count\na,5\nb,5\n", {}, {"a": 5, "b": 5}),
        ("n,count\na,5\nTotal,5\n", {}, {"a": 5, "Total": 5}),
        ("n,count\na,5\nb,7\nTotal,13\n", {}, Asks(total_row="drop")),
        ("n,count\na,5\nb,7\nTotal,6\n", {}, {"a": 5, "b": 7, "Total": 6}),
        ("n,count\na,5\nb,7\nBase,15\n", {}, Asks(total_row="drop")),
        ("x\n" + "a\n" * 5 + "b\n" * 3 + "c\n" * 2, {"column": "x"}, {"a": 5, "b": 3, "c": 2}),
    ],
    "a total above percentages": [
        ("n,count\na,24\nb,76\nTotal,100\n", {"total_row": "drop"}, Asks(total_row="drop", confirm_percentages=None)),
    ],
    "a year above counts is asked about": [
        ("colour,2020\nred,12\ngreen,30\n", {}, Asks(header_row=1)),
        ("colour,2020\nred,12\ngreen,30\n", {"header_row": 1}, {"red": 12, "green": 30}),
        ("colour,2020\nred,12\ngreen,30\n", {"header_row": 0}, {"colour": 2020, "red": 12, "green": 30}),
        (",0\nred,12\nblue,3\n", {}, Asks(header_row=1)),
    ],
    "header row by number": [
        ("x\ny\n\ncolour,n\nred,12\ngreen,30\n", {"header_row": 4}, {"red": 12, "green": 30}),
        ("x\ny\n\ncolour,n\nred,12\ngreen,30\n", {"header_row": 3}, "blank or beyond"),
        ("x\ny\n\ncolour,n\nred,12\ngreen,30\n", {"header_row": 70}, "blank or beyond"),
        ("x\ny\nred,12\ngreen,30\nblue,8\n", {}, "holds numbers already"),
    ],
    "columns by name and position": [
        (TWICE_X, {"column": 1}, {"a": 2, "b": 1}),
        (TWICE_X, {"category_column": 2, "count_column": "n", "cells": "group sums"}, {"p": 1, "q": 6}),
        ("a\u0301,n\nr,1\ns,2\n", {"category_column": "\u00e1", "count_column": " n "}, {"r": 1, "s": 2}),
        (TWICE_X, {"column": "x"}, "2 columns are called 'x'"),
        (TWICE_X, {}, "2 columns are called 'x'"),
        (TWICE_X, {"column": "z"}, "no column called 'z'"),
        (TWICE_X, {"column": 9}, "no column 9"),
        (TWICE_X, {"category_column": 1, "count_column": 1}, "cannot hold both"),
        ("a,b,c\nx,y,1\nz,w,3\n", {"count_column": "c"}, Asks(count_column="c", category_column="a")),
    ],
    "wide has one row": [("red,green\n1,2\n3,4\n", {"layout": "wide"}, "got 2")],
    "booleans in any spelling": [
        ("x\ntrue\nTRUE\nFalse\n", {"column": "x"}, {"False": 1, "True": 2}),
        ("x\ntrue\nfalse\ntrue\n", {"column": "x"}, {"False": 1, "True": 2}),
        ("x\nyes\nYes\nno\nno\n", {"column": "x"}, {"yes": 1, "Yes": 1, "no": 2}),
        ("x\ntrue\nTRUE\ntrue\n", {"column": "x"}, "only one category"),
    ],
    "nobody answered": [("i,x\n1,\n2,\n", {"column": "x"}, "no category")],
    "codes are categories": [
        ("x\n" + "\n".join(str(i % 7) for i in range(70)), {"column": "x"}, {str(i): 10 for i in range(7)}),
        ("age\n" + "\n".join(str(i % 90) for i in range(900)), {"column": "age"}, {str(i): 10 for i in range(90)}),
        ("x\n0.5\n1.0\n0.5\n1.0\n", {"column": "x"}, {"0.5": 2, "1.0": 2}),
    ],
    "what is not on the list is asked about and never dropped": [
        (RIDES, LISTED, Asks(**LISTED, unlisted="other")),
        (RIDES, {**LISTED, "unlisted": "other"}, {"walk": 2, "ferry": 0, "(other)": 2}),
        (RIDES, {**LISTED, "unlisted": "refuse"}, "'bus', 'bike' are not on the list"),
        ("ride\nwalk\nferry\nwalk\n", {**LISTED, "unlisted": "other"}, {"walk": 2, "ferry": 1, "(other)": 0}),
        ("x,n\na,3\nb,4\nc,0\n", {"categories": ("a", "b")}, {"a": 3, "b": 4}),
    ],
    "case that differs from the list is no other category": [
        ("x,n\nred,3\nBlue,1\n", {"categories": ("Red", "red", "Blue")}, {"Red": 0, "red": 3, "Blue": 1}),
        ("x\nTRUE\nfalse\nTRUE\n", {"column": "x", "categories": ("false", "true")}, {"false": 1, "true": 2}),
    ],
    "a list makes categories of what would be refused without": [
        ("x\na\na\na\n", {"column": "x", "categories": ("a", "b")}, {"a": 3, "b": 0}),
        ("x,n\na,5\n", {"categories": ("a", "b")}, {"a": 5, "b": 0}),
        ("x\nc\na\nb\n", {"column": "x", "categories": ("a", "b", "c")}, {"a": 1, "b": 1, "c": 1}),
    ],
    "empty cells can be a category": [
        (RIDES, {"column": "ride", "missing": "keep"}, {"walk": 2, "bus": 1, "bike": 1, "(missing)": 1}),
        ("x\na\nb\na\n", {"column": "x", "missing": "keep"}, {"a": 2, "b": 1, "(missing)": 0}),
    ],
    "names are tidied and compared": [
        ("x,n\n a\u00a0,1\na,2\n\tb,4\n", {}, {"a": 3, "b": 4}),
        ('x,n\n"a \r\n b",1\n"c\u2028d",3\n', {}, {"a b": 1, "c d": 3}),
        ("x,n\na,1\n,3\n", {}, "the category of the count '3' is missing"),
        (f"x,n\n{'a' * (limits.UPLOAD_LABEL_CHARACTERS_LARGEST + 1)},1\nb,3\n", {}, "too long"),
    ],
    "limits": [
        (f"x,n\n{MOST_NAMES}", {}, {f"c{i}": 2 for i in range(limits.CATEGORIES_LARGEST)}),
        (f"x,n\n{MOST_NAMES}more,1\n", {}, "too many categories"),
        ("x\n" + "".join(f"c{i}\n" * 2 for i in range(limits.CATEGORIES_LARGEST + 1)), {"column": "x"},
         "too many categories"),
        ("a" + ",b" * 6000 + "\n", {}, "at most 5,000 columns"),
        ('"a"' + ",b" * 6000 + "\n", {}, "at most 5,000 columns"),
        ("a" * (limits.UPLOAD_BYTES_LARGEST + 1), {}, "too large"),
        ('"x",n\n' + "a,1\n" * 100_000 + "," * 4_000 + "1\n", {}, "differ too much"),
    ],
    "an unclear layout is asked about": [*((table, {}, Asks(layout=layout)) for table, layout in [
        ("id,choice\n1,a\n2,\n3,b\n4,NA\n5,a\n", "raw"),
        ("ride,speed\nwalk,3\nbus,31\nwalk,4\nwalk,5\nbus,30\nwalk,3\n", "raw"),
        ("name,age\nanna,34\nbert,28\ncarla,41\n", "raw"),
        ("Number,Colour\n1,red\n2,green\n3,red\n", "raw"),
        ("id,ride,speed\nT1,walk,3\nT2,bus,4\nT3,walk,5\nT4,walk,9\n", "raw"),
        ("smoker,drinker\n0,1\n1,1\n0,0\n1,0\n", "raw"),
        ("colour,vehicles\n1,12\n2,30\n3,8\n", "counts"),
        ("1,2,3,4,5\n12,30,8,4,1\n", "wide"),
        ("1,2\n12,30\n", "wide"),
        ("1,12\n2,30\n", "counts"),
    ])],
    "one row of counts is refused": [*((table, {}, words) for table, words in [
        ("red,green,blue\n12,<5,8\n", "row 2: '<5' is not a count"),
        ("red,green,blue\n*,5,8\n", "row 2: '*' is not a count"),
        ("red,green,blue\nsuppressed,5,8\n", "row 2: 'suppressed' is not a count"),
        ("red,green,blue\n12,many,8\n", "row 2: 'many' is not a count"),
        ("red,green,blue\n12,,8\n", "row 2: the count for 'green' is missing"),
        ("red,,blue\n12,30,8\n", "row 1: the name of the category in column 2 is missing"),
        ("red,green,blue\n12,30\n", "row 2: 2 cells instead of 3"),
        ("12,30,8\n", "a row of category names above"),
    ])],
    "identifiers and measurements are no categories": [*(
        ("x\n" + "\n".join(cells), {"column": "x"}, words) for cells, words in [
        ([f"T{i}" for i in range(6)], "identifier"),
        ([str(i) for i in range(50)], "identifier"),
        ([f"{150 + i / 7:.2f}" for i in range(8)], "8 different values in 8 rows"),
        ([f"{150 + i % 28 / 10}" for i in range(30)], "28 different values in 30 rows"),
        ([f"{150 + i % 200 / 4}" for i in range(3000)], "200 different values in 3,000 rows"),
        ([str(i % 40) for i in range(60)], "40 different values in 60 rows"),
    ])],
    "one row of counts": [(table, answers, counts) for table, counts in [
        ("red;green;blue\n12;30,0;8\n", {"red": 12, "green": 30, "blue": 8}),
        (",red,green\n0,12,30\n", {"red": 12, "green": 30}),
        ("colour,red,green\ncount,12,30\n", {"red": 12, "green": 30}),
        ("season,red,green\nspring 2024,12,30\n", {"red": 12, "green": 30}),
        ("year,red,green\n2024,12,30\n", {"red": 12, "green": 30}),
        ("red,green\n12,30\n", {"red": 12, "green": 30}),
        ("red\t green\n1'234\t0\n", {"red": 1234, "green": 0}),
    ]
                          for answers in ({}, {"layout": "wide"})],
    "years and headings within": [
        (EUROSTAT, {"header_row": 1, "cells": "column"}, Asks(header_row=1, cells="column", count_column="2019")),
        (EUROSTAT, {"header_row": 1, "cells": "column", "count_column": "2020"}, "'4522 p' is not a count"),
        ("Answer,n\nSex,\nMen,12\nWomen,30\n", {}, "remove the row if it is a heading"),
    ],
    "none is no answer": [
        ("x,n\na,1\nb,3\n", dict.fromkeys(["layout", "column", "sheet", "header_row", "total_row", "thousands"]),
         {"a": 1, "b": 3}),
    ],
}  # fmt: skip


@pytest.mark.parametrize("shown", WHAT_COMES)
def test_what_comes_of_a_text(shown: str) -> None:
    for text, answers, expected in WHAT_COMES[shown]:
        assert_comes(expected, text, **answers)


FOLLOWED = dict([
    *[
        ("id,colour,votes\n1,red,12\n2,green,30\n3,blue,8\n", {"red": 12, "green": 30, "blue": 8}),
        ("colour,percent,n\nred,24,12\ngreen,60,30\n", {"red": 12, "green": 30}),
        ("n,colour,note\n12,red,x\n30,green,y\n", {"red": 12, "green": 30}),
        ("date,colour,n\n2024-09-05,red,12\n2024-09-06,green,30\n", {"red": 12, "green": 30}),
        ("id,choice\n1,a\n2,\n3,b\n4,NA\n5,a\n", {"a": 2, "b": 1, "NA": 1}),
        ("colour,vehicles\n1,12\n2,30\n3,8\n", {"1": 12, "2": 30, "3": 8}),
        ("1,2,3,4,5\n12,30,8,4,1\n", {"1": 12, "2": 30, "3": 8, "4": 4, "5": 1}),
        ("id,ride\nT1,walk\nT2,bus\nT3,walk\n", {"walk": 2, "bus": 1}),
        ("walk\nbus\nwalk\n", {"walk": 2, "bus": 1}),
        ("0\n1\n0\n", {"0": 2, "1": 1}),
    ],
    # files as people have them, met in a trial
    *[
        (SURVEYMONKEY, {"Very likely": 11, "Likely": 6, "Unlikely": 3}),
        (TITLE_WITH_A_COMMA, {"Elm": 12, "Oak": 30, "Fir": 7}),
        ("Elm,Oak,Fir\nElm,Oak,Fir\n25,21,9\n", {"Elm": 25, "Oak": 21, "Fir": 9}),
        (",2019,2020\n,2019,2020\nElm,24,6\nOak,58,47\n", {"Elm": 24, "Oak": 58}),
        (EUROSTAT, {"F,AT": 4503, "M,AT": 4355}),
        (DOTTED, {"Lugo / Hombres": 1158421, "Lugo / Mujeres": 1167592, "Soria / Hombres": 4044612,
                  "Soria / Mujeres": 4044136}),
    ],
])  # fmt: skip
FOLLOWED |= {
    "n,count\na,5\nb,7\nc,9\nMean,3\nSD,1\n": {"a": 5, "b": 7, "c": 9},
    "2020,2021,2022\n12,30,8\n": {"2020": 12, "2021": 30, "2022": 8},
    ",0\nred,12\nblue,3\n": {"red": 12, "blue": 3},
}


@pytest.mark.parametrize("text", FOLLOWED)
def test_what_comes_of_following(text: str) -> None:
    assert suggested(text) == FOLLOWED[text]


REMARKED = [
    ("a,n\nr\ufffd,1\ng,3\n", {}, "replacement characters"),
    ("i,x\n1,a\n2,\n3, \n4,b\n5,a\n", {"column": "x"}, "2 rows have no answer"),
    ("x\na\n\nb\na\n", {"column": "x"}, "Blank rows were left out: 1"),
    ('x\nwalk\n"walk, bus"\nbus\nwalk\nbus\n', {"column": "x"}, "'walk, bus' may hold several answers"),
    ("x,n\nａｂ,1\nab,3\n", {}, "look the same"),
    ("x,n\nNHS,1\nNhs,3\n", {}, "differ only by case"),
    ("x,n\n05-Sep,1\n14-Oct,3\n", {}, "dates"),
    ("x,n\nRED,3\nred,5\nBlue,1\n", {"categories": ("red", "blue")},
     "'RED' was counted as 'red', as the list spells it."),
    *((f"{header},ride\nm1,walk\nm1,walk\nm2,bus\nm3,bus\nm4,bus\n", {"column": "ride"}, f"'{header}' repeats")
      for header in ("member", "UserID", "patient_no", "Befragter")),
]  # fmt: skip
UNREMARKED = [
    ("x\nn/a\na\nn/a\nb\n", {"column": "x"}, "several"), (RIDES, {"column": "ride", "missing": "keep"}, "no answer"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "answers", "words"), [*REMARKED, *UNREMARKED])
def test_what_is_remarked_on(text: str, answers: dict[str, Any], words: str) -> None:
    said = any(words in warning for warning in read(text, **answers).warnings)
    assert said == ((text, answers, words) in REMARKED)


def test_a_refusal_names_its_row_and_cell() -> None:
    with pytest.raises(CountsError) as caught:
        read(FAULTY_COUNT)
    assert (caught.value.row, caught.value.cell) == (3, "-2")
    assert str(caught.value) == f"row 3: {caught.value.reason}"


# --- numbers ---


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ("<5", "suppressed"),
        ("*", "suppressed"),
        ("~30", "suppressed"),
        ("1-9", "suppressed"),
        ("-", "suppressed"),
        ("x", "suppressed"),
        ("NA", "suppressed"),
        ("n/a", "suppressed"),
        ("many", "worded"),
        ("12 people", "worded"),
        ("$12", "worded"),
        ("(3)", "worded"),
        ("1_000", "worded"),
        ("0x10", "worded"),
        ("½", "worded"),
        ("²", "worded"),
        ("TRUE", "worded"),
        ("1,,0", "worded"),
        ("1,2,3", "worded"),
        ("120 (60.0%)", "a count and a share in one cell"),
        ("1e99999", "worded"),
        ("inf", "finite"),
        ("-Infinity", "finite"),
        ("nan", "finite"),
        ("24%", "percentage"),
        ("24 %", "percentage"),
        ("-3", "negative"),
        ("−3", "negative"),
        ("3.5", "weighted"),
        ("3,5", "weighted"),
        (".5", "weighted"),
        ("1e-3", "weighted"),
        ("9223372036854775808", "too large"),
        ("1e400", "too large"),
        ("9" * 5000, "too large"),
        ("", "missing"),
    ],
)
def test_a_cell_that_is_no_count_is_named(cell: str, words: str) -> None:
    message = refused(column(["12", cell, "7"]))
    assert message.startswith("row 3: ")
    assert words in message
    assert len(message) < 250


# --- totals ---


@pytest.mark.parametrize("name", ["Total", "TOTAL", "Gesamt", "Summe", "Insgesamt", "All", "Σ", "合計", "Grand total"])
def test_a_total_is_left_out_by_default(name: str) -> None:
    last = f"n,count\na,12\nb,30\n{name},42\n"
    first = f"n,count\n{name},42\na,12\nb,30\n"
    for table in (last, first):
        assert_comes(Asks(total_row="drop"), table)
        assert suggested(table) == {"a": 12, "b": 30}
        assert suggested(table, total_row="keep")[name] == 42
    assert suggested(f"a,b,{name}\n12,30,42\n") == {"a": 12, "b": 30}


@pytest.mark.parametrize(
    "titles",
    ["Bikes\n", "Bikes\nof 2024\n\n", "Bikes,\n,\n", "Bikes, in all, of 2024\n", "Survey\nPeriod,2024,x\n"],
)
def test_title_lines_are_asked_about(titles: str) -> None:
    table = titles + "colour,n\nred,12\ngreen,30\nblue,8\n"
    row = titles.count("\n") + 1
    assert_comes(Asks(header_row=row), table)
    assert suggested(table) == {"red": 12, "green": 30, "blue": 8}


# --- layouts ---


@pytest.mark.parametrize("between", [" ", ": ", "     ", " = "])
def test_a_name_and_its_count_in_one_cell_are_not_a_category(between: str) -> None:
    lines = [f"{name}{between}{count}" for name, count in (("red", 12), ("green", 30), ("blue", 8))]
    assert "'green" in refused("\n".join(lines))
    assert "in one cell" in refused("\n".join(["colour   count", *lines]))
    assert_comes(dict.fromkeys(lines, 2), "\n".join(["group", *lines, *lines]), column="group")
    assert_comes({"Group 1": 2, "Group 2": 1}, "x\nGroup 1\nGroup 2\nGroup 1\n", column="x")
    assert read_categories("\n".join(lines).encode(), "list.txt") == tuple(lines)


# --- the public list of categories ---


def test_unseen_categories_get_zero_in_the_order_of_the_list() -> None:
    listed = ("ferry", "bus", " walk ", "bike")
    for table, answers in (
        (RIDES, {"column": "ride"}),
        ("x,n\nwalk,2\nbus,1\nbike,1\n", {"total_row": "keep"}),
        ("walk,bus,bike\n2,1,1\n", {"layout": "wide", "total_row": "keep"}),
    ):
        result = read(table, categories=listed, **answers)
        assert (result.labels, result.counts) == (("ferry", "bus", "walk", "bike"), (0, 1, 2, 1))
        assert not any("not private" in warning for warning in result.warnings)


def test_a_list_is_read_from_any_file_of_one_column() -> None:
    for data, name in (
        (b"a\nb\n\xc3\xa9, f\n", "list.txt"),
        (b'"a"\r\n"b"\r\n"e\xcc\x81, f"\r\n', "list.csv"),
        (saved(workbook([["a"], ["b"], [None], ["é, f"]])), "list.xlsx"),
        (parquet_file(names=["a", "b", "é, f"]), "list.parquet"),
    ):
        assert read_categories(data, name) == ("a", "b", "é, f")
    for data, words in (
        (b"a,b\nc,d\n", "one column: got 2"),
        (b"a\nb\na\n", "'a' more than once"),
        (b"", "empty"),
        (b"a\n", "at least two names"),
    ):
        with pytest.raises(CountsError, match=words):
            read_categories(data, "list.csv")


# --- names ---


def test_messages_show_cells_inertly() -> None:
    message = refused('x,n\na,1\nb,"\u202e\x07\n' + "z" * 500 + '"\n')
    assert message.isprintable()
    assert len(message) < 200


def test_an_unknown_answer_is_a_wrong_keyword_too() -> None:
    with pytest.raises(TypeError, match="colour"):
        read("x,n\na,1\nb,3\n", colour="x")


def test_what_holds_bytes_is_read_and_nothing_else() -> None:
    assert read_counts(bytearray(b"x,n\na,1\nb,3\n"), "x").counts == (1, 3)  # type: ignore[arg-type]
    with pytest.raises(CountsError, match="must be the bytes of a file: got str"):
        read_counts("x,n\na,1\n", "x.csv")  # type: ignore[arg-type]


# --- other formats ---


def archive(**parts: str) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as target:
        for name, text in parts.items():
            target.writestr(name.replace("__", "/"), text)
    return data.getvalue()


def sheet_of(*rows: list[Any]) -> bytes:
    return saved(workbook([["name", "n"], *rows]))


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        (True, "true/false"),
        (date(2024, 9, 5), "a date"),
        (timedelta(hours=3), "a date or time"),
        (3.5, "weighted"),
        (1.234, "weighted"),
        ("#N/A", "an error of the spreadsheet"),
        ("=1+1", "a formula whose value was not saved"),
        (-3, "negative"),
        (1e300, "too large"),
        (None, "missing"),
    ],
)
def test_workbook_cells_that_are_no_counts(cell: Any, words: str) -> None:
    message = refused(sheet_of(["a", 12], ["b", cell]), "x.xlsx")
    assert message.startswith("row 3: ")
    assert words in message


def test_a_spreadsheet_error_is_no_name() -> None:
    assert "error of the spreadsheet" in refused(sheet_of(["a", 12], ["#REF!", 3]), "x.xlsx")
    assert "formula" in refused(sheet_of(["a", 12], ["=A2", 3]), "x.xlsx")


def test_sheets() -> None:
    table: list[list[Any]] = [["name", "n"], ["a", 12], ["b", 30]]
    other: list[list[Any]] = [["name", "n"], ["c", 1], ["d", 3]]
    hidden = workbook(more=other, data=table)
    hidden["more"].sheet_state = "hidden"
    both, one = saved(workbook(more=[["see there"]], data=table)), saved(hidden)
    for expected, data, answers in (
        ({"a": 12, "b": 30}, saved(workbook(data=table, more=[])), {}),
        (Asks(sheet="data"), both, {}),
        ("there is no sheet 'z'; the sheets are 'more', 'data'", both, {"sheet": "z"}),
        ({"a": 12, "b": 30}, one, {}),
        ({"c": 1, "d": 3}, one, {"sheet": "more"}),
        ("all visible sheets are empty", saved(workbook([], [])), {}),
    ):
        assert_comes(expected, data, "x.xlsx", **answers)
    assert any("'data' was read" in warning for warning in read(one, "x.xlsx").warnings)


def test_a_table_anywhere_on_the_sheet() -> None:
    rows: list[list[Any]] = [[], [], [None, "name", "n"], [None, "a", 12], [None, "b", 30]]
    found = read(saved(workbook(rows)), "x.xlsx")
    assert (found.header_row, by_name(found)) == (3, {"a": 12, "b": 30})
    assert "row 5: '-1'" in refused(saved(workbook([*rows[:4], [None, "b", -1]])), "x.xlsx")


def test_a_workbook_under_another_name() -> None:
    result = read(sheet_of(["a", 12], ["b", 30]), "x.csv")
    assert result.counts == (12, 30)
    assert any("Whatever its name says, the file is an Excel workbook" in warning for warning in result.warnings)


def test_a_workbook_that_unpacks_to_too_much() -> None:
    bomb = archive(**{"xl__workbook.xml": "<x/>", "xl__worksheets__sheet1.xml": "<c/>" * 260_000})
    assert "at most 250,000 cells" in refused(bomb, "x.xlsx")
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as target:
        target.writestr("xl/workbook.xml", b" " * (limits.UPLOAD_UNPACKED_BYTES_LARGEST + 1))
    assert "unpacked" in refused(data.getvalue(), "x.xlsx")


LEVELS = pa.DictionaryArray.from_arrays(pa.array([1, 1, None]), pa.array(["no", "yes", "don't know"]))
AB, CODED = pa.array(["a", "b"]), {"category_column": "name", "count_column": "n"}
RECORDS: list[tuple[Any, dict[str, Any], Outcome]] = [
        (LEVELS, {"column": "x"}, {"no": 0, "yes": 2, "don't know": 0}),
        (pa.array([0.0, 1.0, 0.0, None]), {"column": "x"}, {"0": 2, "1": 1}),
        (pa.array([True, False, True]), {"column": "x"}, {"False": 1, "True": 2}),
        (pa.array([{"a": 1}, {"a": 2}]), {"column": "x"}, "lists"),
        (pa.nulls(3), {"column": "x"}, "no category"),
        (pa.array(["a", "b", "a"]), {}, Asks(column="x")),
        (pa.array([], pa.string()), {}, "header but no rows"),
        (pa.array(["a"]), {"header_row": 1}, "names its columns itself"),
    ]
FILES: list[tuple[bytes, str, dict[str, Any], Outcome]] = [
    *((data, filename, {}, words) for data, filename, words in [
        (b"x,n\na,1\nb,3\n", "x.xlsx", "not an Excel workbook"),
        (b"x,n\na,1\nb,3\n", "x.XLS", "not an Excel workbook"),
        (b"x,n\na,1\nb,3\n", "x.pq", "not a Parquet file"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "x.xls", "old Excel workbook"),
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"),
            "x.xlsx",
            "protected by a password",
        ),
        (archive(mimetype="application/vnd.oasis", **{"content.xml": "<x/>"}), "x.ods", "OpenDocument"),
        (archive(**{"word__document.xml": "<x/>"}), "x.docx", "Word document"),
        (archive(**{"xl__workbook.bin": ""}), "x.xlsb", "binary workbook"),
        (archive(**{"table.csv": "a"}), "x.zip", "ZIP archive"),
        (archive(**{"xl__workbook.xml": "<x/>"}), "x.xlsx", "damaged"),
        (b"PK\x03\x04 and no more", "x.xlsx", "damaged"),
        (b"%PDF-1.7", "x.csv", "PDF"),
        (b"\x1f\x8b\x08\x00", "x.csv.gz", "gzip"),
        (b"\x89PNG\r\n", "x.png", "picture"),
        (b"<!DOCTYPE html><table>", "x.xls", "web page"),
        (b'<?xml version="1.0"?><Workbook/>', "x.xls", "XML"),
        (b'{"red": 12,\n "green": 30}', "x.json", "JSON"),
        (b"PAR1 and no more", "x.parquet", "cut off"),
        (b"PAR1" + bytes(20) + b"PAR1", "x.parquet", "damaged"),
    ]),
    (sheet_of(["a", 12.0], ["b", 30]), "x.xlsx", {}, {"a": 12, "b": 30}),
    (sheet_of(["a", "12"], ["b", "1'234"]), "x.xlsx", {}, {"a": 12, "b": 1234}),
    (sheet_of(["a", 10**15], ["b", 1]), "x.xlsx", {}, {"a": 10**15, "b": 1}),
    (sheet_of([True, 12], [False, 30]), "x.xlsx", {}, {"TRUE": 12, "FALSE": 30}),
    (sheet_of([1, 12], [2.5, 30]), "x.xlsx", {}, {"1": 12, "2.5": 30}),
    (sheet_of([date(2024, 9, 5), 1], [datetime(2024, 9, 5, 8, 30), 3]), "x.xlsx", {},
     {"2024-09-05": 1, "2024-09-05 08:30:00": 3}),
    (sheet_of(["NA", 1], [None, None], ["null", 3]), "x.xlsx", {}, {"NA": 1, "null": 3}),
    *((parquet_file(name=AB, n=counts), "x.parquet", {}, {"a": 12, "b": 30}) for counts in [
        pa.array([12, 30], pa.int8()),
        pa.array([12, 30], pa.uint64()),
        pa.array([12.0, 30.0]),
        pa.array([Decimal("12.00"), Decimal("30.00")]),
        pa.array(["12", "30"]),
        pa.array(["12", "30"]).dictionary_encode(),
    ]),
    *((parquet_file(name=AB, n=counts), "x.parquet", CODED, words) for counts, words in [
        (pa.array([12, None]), "missing"),
        (pa.array([12.0, float("nan")]), "finite"),
        (pa.array([12.0, 3.5]), "weighted"),
        (pa.array([True, False]), "true/false"),
        (pa.array([date(2024, 9, 5)] * 2), "a date"),
        (pa.array([b"1", b"2"]), "binary data"),
        (pa.array([[1], [2]]), "a list"),
    ]),
    *((parquet_file(x=cells), "x.parquet", answers, expected) for cells, answers, expected in RECORDS),
]  # fmt: skip


@pytest.mark.parametrize(("data", "filename", "answers", "expected"), FILES)
def test_what_comes_of_a_file(data: bytes, filename: str, answers: dict[str, Any], expected: Outcome) -> None:
    assert_comes(expected, data, filename, **answers)


def test_a_parquet_index_of_row_numbers_is_left_out() -> None:
    data = parquet_file(**{"__index_level_0__": pa.array([0, 1]), "name": pa.array(["a", "b"]), "n": pa.array([1, 3])})
    assert suggested(data, "x.parquet") == {"a": 1, "b": 3}
