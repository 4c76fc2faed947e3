"""read_counts on small tables: encodings, numbers, names, rows, the entries of the form, and other formats."""

import io
import re
import zipfile
from collections.abc import Callable
from dataclasses import fields
from datetime import date, datetime, timedelta
from decimal import Decimal
from operator import itemgetter
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pytest

from dpbi import limits
from dpbi.data.files import CountsError, read_categories, read_counts
from dpbi.data.files.form import CHOICES, Form
from dpbi.data.files.reading import opened, understood

from .reader import Asks, Outcome, assert_comes, by_name, outcome, parquet_file, read, saved, workbook


def column(cells: list[str], separator: str = ";") -> str:
    """A table of counts with the given cells, for categories a, b, d, …, of which none stands for a withheld count."""
    return f"name{separator}n\n" + "".join(f"{'abdefghij'[i]}{separator}{cell}\n" for i, cell in enumerate(cells))


PLAIN = "x,n\na,1\nb,3\n"
RIDES = "ride\nwalk\nbus\nwalk\n\"\"\nbike\n"
LISTED: dict[str, Any] = {"column": "ride", "categories": ("walk", "ferry")}
TWICE_X = "x,x,n\na,p,1\nb,q,2\na,q,4\n"
MOST_NAMES = "".join(f"c{i},2\n" for i in range(limits.CATEGORIES_LARGEST))
FAULTY_COUNT = "n,count\na,1\nb,-2\n"
ACCENTS = "plat,n\ncrème,4\nñandú,7\n"
SEVERAL = "id,tools\n1,R;Python\n2,R\n3,Python;Stata;\n4,R;Python\n"
YEARS = "year,kind,count\n2023,A,10\n2023,B,20\n2024,A,12\n2024,B,25\n"
MEASURED = "kind,measure,value\na,Number,12\na,Percent,40.0\nb,Number,18\nb,Percent,60.0\n"
SHARES = "answer,value\nYes,48\nNo,31\nMaybe,21\n"

ENCODED = [
    (ACCENTS.encode("utf-8-sig"), ""),
    (ACCENTS.encode("utf-16"), "The file is not UTF-8. It was read as UTF-16: check the names."),
    ("\ufeff".encode("utf-16-be") + ACCENTS.encode("utf-16-be"), "read as UTF-16"),
    (ACCENTS.encode("cp1252"), "Windows-1252"),
    (ACCENTS.encode() + b"\x1a", ""),
    (ACCENTS.replace("\n", "\r").encode(), ""),
    (ACCENTS.replace("\n", "\r\n").encode(), ""),
]
UNMARKED = ("utf-16-le", "utf-16-be")
BAD_CELLS = [
    ("<5", "suppressed"), ("*", "suppressed"), ("~30", "suppressed"), ("1-9", "suppressed"), ("-", "suppressed"),
    ("x", "suppressed"), ("NA", "suppressed"), ("n/a", "suppressed"), ("many", "worded"), ("12 people", "worded"),
    ("$12", "worded"), ("(3)", "worded"), ("1_000", "worded"), ("0x10", "worded"), ("½", "worded"),
    ("²", "worded"), ("TRUE", "worded"), ("1,,0", "worded"), ("1,2,3", "worded"),
    ("120 (60.0%)", "percentages"), ("1e99999", "worded"), ("inf", "finite"),
    ("-Infinity", "finite"), ("nan", "finite"), ("24%", "percentages"), ("24 %", "percentages"), ("-3", "negative"),
    ("−3", "negative"), ("3.5", "weighted"), ("3,5", "weighted"), (".5", "weighted"), ("1e-3", "weighted"),
    ("9223372036854775808", "too large"), ("1e400", "too large"), ("9" * 5000, "finite"), ("", "missing"),
]  # fmt: skip
Case = tuple[bytes | str, dict[str, Any], Outcome]  # a text, what is said of it, and what comes
WHAT_COMES: dict[str, list[Case]] = {
    "encodings and line ends": [
        *((data, {}, {"crème": 4, "ñandú": 7}) for data, _ in ENCODED),
        *((ACCENTS.encode(codec), {"encoding": said}, {"crème": 4, "ñandú": 7}) for codec in UNMARKED
          for said in (codec, "UTF-16")),
        *((ACCENTS.encode(codec), {}, "If it is UTF-16, say so (encoding)") for codec in (*UNMARKED, "utf-32")),
    ],
    "what is no table of text": [*((data, {}, words) for data, words in [
        (b"\xff\xfea", "the file is not UTF-16: byte 3"),
        (b"\xef\xbb\xbfa,n\n\xff,1\n", "the file is not UTF-8"),
        (b"a,n\nr\x00,1\ng,2\n", "control characters"),
        (b"caf\xe9,n\nr\x01,1\n", "control characters"),
        (b"\x01\x02\x03,n\n", "control characters"),
        (b"", "the file is empty"),
        (b"\xef\xbb\xbf", "only blank lines"),
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
        (",colour,n\n1,red,12\n2,green,30\n", {"red": 12, "green": 30}),
        ("Unnamed: 0,colour,n\n0,red,12\n1,green,30\n", {"red": 12, "green": 30}),
        (",n\n0,12\n1,30\n2,8\n", {"0": 12, "1": 30, "2": 8}),
        ("code,n\n1,12,\n2,30,\n3,8,\n", {"1": 12, "2": 30, "3": 8}),
        ("code,n\n04,12\n4,30\n", {"04": 12, "4": 30}),
        ("# title: a, b\n# source: c\ncolour,n\nred,12\ngreen,30\n", {"red": 12, "green": 30}),
        ("# bikes,n\nred,12\ngreen,30\n", {"red": 12, "green": 30}),
    ])],
    "numbers are read exactly": [*((column(cells), {}, dict(zip("abdef", counts, strict=False))) for cells, counts in [
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
    "a large table that begins like JSON": [
        ("[0-5),yes\n[5-9),no\n" * 40_000, {"header_row": 0, "column": 1}, {"[0-5)": 40_000, "[5-9)": 40_000}),
    ],
    "answers are tallied in the order of the file": [
        ('i,x\n1,NA\n2,walk\n3,naïve\n4,"a b"\n5,\n6,walk\n', {"column": "x", **said}, counts) for said, counts in [
            ({}, {"NA": 1, "walk": 2, "naïve": 1, "a b": 1}),
            ({"categories": ("ferry", "walk", "NA"), "unlisted": "other", "missing": "keep"},
             {"ferry": 0, "walk": 2, "NA": 1, "(missing)": 1, "(other)": 2}),
        ]
    ],
    "one column is not split": [
        ("why\nI walk, mostly\nbus\nbus\nbus\n", {"column": "why"}, {"I walk, mostly": 1, "bus": 3}),
        ('why\n"a, b"\nc\nc\n', {"column": "why"}, {"a, b": 1, "c": 2}),
    ],
    "faults in text name the line": [
        ('n,count\n"a\nb",1\n"c,2\nd,3\n', {}, "line 4"),
        ('n,count\na,1\n"b"c,2\n', {}, "line 3 is never closed, a quote within"),
        ('n,count\n"' + "a" * 140_000 + '",1\n', {}, "or a cell is longer than 131,072"),
        ("n,count\na,1\n\nb,1,234\n", {}, "row 4: 3 cells instead of 2, beginning with 'b'"),
        ("n,count\na,1\nb,2\nSource: x\n", {}, Asks(leave_out=(4,))),
        ("n,count\na,1\nb,2\nSource: x\n", {"leave_out": ()}, "row 4: 1 cell instead of 2"),
        ('n,count\n"a\nb",1\nc\n', {"leave_out": ()}, "row 4: 1 cell instead of 2"),
    ],
    "rows are numbered as in the file": [
        ('n,count\n\n"a\nx",1\n\nb,-2\n', {}, "row 6: '-2'"),
        (f"sep=,\n{FAULTY_COUNT}", {}, "row 4: '-2'"),
        (f"# source: x\n{FAULTY_COUNT}", {}, "row 4: '-2'"),
    ],
    "dot and comma in opposite ways": [(column(["12.0", "12,0"]), {}, "row 3: '12,0' is not a count")],
    "the sum has its limit too": [
        (column([str(2**62), str(2**62), "1"]), {"leave_out": ()}, "their sum"),
        (f"x,n\na,{2**62}\na,{2**62}\nb,1\n", {"leave_out": ()}, "their sum"),
    ],
    "a year above counts is asked about": [
        ("colour,2020\nred,12\ngreen,30\n", {}, Asks(header_row=1)),
        ("colour,2020\nred,12\ngreen,30\n", {"header_row": 1}, {"red": 12, "green": 30}),
        ("colour,2020\nred,12\ngreen,30\n", {"header_row": 0}, {"colour": 2020, "red": 12, "green": 30}),
        (",0\nred,12\nblue,3\n", {}, Asks(header_row=1)),
    ],
    "header row by number": [
        ("x\ny\n\ncolour,n\nred,12\ngreen,30\n", {"header_row": 4}, {"red": 12, "green": 30}),
        ("x\ny\n\ncolour,n\nred,12\ngreen,30\n", {"header_row": 3}, "is blank, left out, or beyond"),
        ("x\ny\n\ncolour,n\nred,12\ngreen,30\n", {"header_row": 70}, "is blank, left out, or beyond"),
    ],
    "columns by name and position": [
        (TWICE_X, {"column": 1}, {"a": 2, "b": 1}),
        ("a\u0301,n\nr,1\ns,2\n", {"category_column": "\u00e1", "count_column": " n "}, {"r": 1, "s": 2}),
        (TWICE_X, {"column": "x"}, "2 columns are called 'x'"),
        (TWICE_X, {}, "2 columns are called 'x'"),
        (TWICE_X, {"column": "z"}, "no column called 'z'"),
        (TWICE_X, {"column": 9}, "no column 9"),
        (PLAIN, {"category_column": 1, "count_column": 1}, "cannot hold both"),
    ],
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
        (RIDES, LISTED, Asks(unlisted="other")),
        (RIDES, {**LISTED, "unlisted": "other"}, {"walk": 2, "ferry": 0, "(other)": 2}),
        (RIDES, {**LISTED, "unlisted": "refuse"}, "'bus', 'bike': not on the list"),
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
        (f"x,n\n{MOST_NAMES}", {"layout": "counts"}, {f"c{i}": 2 for i in range(limits.CATEGORIES_LARGEST)}),
        (f"x,n\n{MOST_NAMES}more,1\n", {"layout": "counts"}, "too many categories"),
        ("x\n" + "".join(f"c{i}\n" * 2 for i in range(limits.CATEGORIES_LARGEST + 1)), {"column": "x"},
         "too many categories"),
        ("a" + ",b" * 6000 + "\n", {}, "at most 5,000 columns"),
        ('"a"' + ",b" * 6000 + "\n", {}, "at most 5,000 columns"),
        ("a" * (limits.UPLOAD_BYTES_LARGEST + 1), {}, "too large"),
        ('"x",n\n' + "a,1\n" * 100_000 + "," * 4_000 + "1\n", {}, "got 4,001 columns and 100,002 rows"),
    ],
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
        ("red,green\n12,30\n", {"red": 12, "green": 30}),
        ("red\t green\n1'234\t0\n", {"red": 1234, "green": 0}),
    ]
                          for answers in ({}, {"layout": "wide"})],
    "marks in numbers are asked about where they can mean two things": [
        (table, {}, Asks(thousands=mark)) for table, mark in (
            (column(["1.234", "12"]), "."), (column(["1,234", "12"]), ","), (column(["12.000", "7.000"], ","), "."),
            (column(["1,234", "12"], "\t"), ","), (column(["3,34,06,061", "14,58,545"]), "lakh"),
        )
    ],
    "shares are no counts": [
        (column(["0.333", "0.333", "0.333"]), {}, "proportions"),
        (column(["33.3", "33.3", "33.4"]), {}, "percentages"),
        ("answer,value\nYes,33\nNo,33\nMaybe,33\n", {}, Asks(confirm_percentages=False)),
        (SHARES, {}, Asks(confirm_percentages=False)),
        ("answer,percent\nYes,33\nNo,60\n", {"layout": "counts"}, Asks(confirm_percentages=False)),
        (column(["1", "0"]), {}, {"a": 1, "b": 0}),
    ],
    "what equals or nearly equals the sum of others is asked about": [
        ("x,n\na,5\nb,7\nTotal,13\n", {}, Asks(leave_out=(4,))),
        ("x,n\na,5\nb,7\nBase,15\n", {}, Asks(leave_out=(4,))),
        ("x,n\nZusammen,120\na,50\nb,70\n", {}, Asks(leave_out=(2,))),
        ("x,n\na,500\nb,700\nd,1203\n", {}, Asks(leave_out=())),
        ("x,n\na,5\nb,5\n", {}, {"a": 5, "b": 5}),
        ("x,n\na,5\nTotal,5\n", {}, Asks(leave_out=())),
        ("x,n\na,500\nb,700\nd,950\n", {}, {"a": 500, "b": 700, "d": 950}),
        ("x\n" + "a\n" * 5 + "b\n" * 3 + "c\n" * 2, {"column": "x"}, {"a": 5, "b": 3, "c": 2}),
    ],
    "what is a sum of a table is left out and what is one by chance stays": [
        ("Tree,Men,Women\nTeak,120,7\nTotal,470,32\nWillow,350,25\n", {"layout": "wide", "group": "(all, added up)"},
         Asks(leave_out=(3,))),
        ("Area,n\nEverywhere,314\nOak wood,300\nElm,120\nFir,180\nAlder wood,14\nYew,7\nBirch,0\nLime,7\n", {},
         Asks(leave_out=(2, 3, 6))),  # 7 is the sum of 0 and 7 too, but the others leave nothing over
        ("field,sex,n\nArts,F,120\nArts,M,220\nLaw,F,90\nLaw,M,130\n", {
            "category_column": "field", "count_column": "n", "group_column": "sex", "group": "(all, added up)"},
         {"Arts": 340, "Law": 220}),  # 220 = 90 + 130
    ],
    "what a row is is asked about": [*((table, {}, Asks(layout="raw", column=column)) for table, column in [
        ("id,choice\n1,a\n2,\n3,b\n4,NA\n5,a\n", "choice"),
        ("ride,speed\nwalk,3\nbus,31\nwalk,4\nwalk,5\nbus,30\nwalk,3\n", "ride"),
        ("id,ride,speed\nT1,walk,3\nT2,bus,4\nT3,walk,5\nT4,walk,9\n", "ride"),
        ("smoker,drinker\n0,1\n1,1\n0,0\n1,0\n", "smoker"),
        ("Region,Number of children\nNorth,2\nSouth,0\nNorth,1\n", "Region"),
    ])],
    "no table is refused in words": [
        ("red,,blue\n12,30,8\n", {}, "the category of the count '30' is missing"),
        ("red,green,blue\n12,30\n", {}, "row 2: 2 cells instead of 3"),
        ("12,30,8\n", {}, "a row of category names above"),
    ],
    "a cell that is no count is named": [(column(["12", cell, "7"]), {}, said) for cell, words in BAD_CELLS
                                         for said in ("row 3: ", words)],
    "what is not there is no entry": [(PLAIN, dict.fromkeys(entry.name for entry in fields(Form)), {"a": 1, "b": 3})],
}  # fmt: skip
# --- the entries of the form ---

# What comes of each entry: of a table and what else is said, the value, and what comes with it but not without it.
EFFECTS: dict[str, list[tuple[str | bytes, dict[str, Any], Any, Outcome]]] = {
    "encoding": [("answer,n\nДа,12\nНет,30\n".encode("cp1251"), {}, "cp1251", {"Да": 12, "Нет": 30})],
    "header_row": [
        ("colour,2020\nred,12\ngreen,30\n", {}, 1, {"red": 12, "green": 30}),
        ("colour,2020\nred,12\ngreen,30\n", {}, 0, {"colour": 2020, "red": 12, "green": 30}),
        (",Persons,\nRegion,Men,Women\nN,10,12\n", {"layout": "wide"}, (1, 2),
         {"Persons / Men": 10, "Persons / Women": 12}),
    ],
    "leave_out": [("kind,n\na,1\nb,3\nend,5\n", {}, 4, {"a": 1, "b": 3}),
                  ("x,n\na,50\nb,70\nTotal,120\n", {}, (), {"a": 50, "b": 70, "Total": 120})],
    "only": [(MEASURED, {"category_column": "kind", "count_column": "value"}, {"measure": "Number"},
              {"a": 12, "b": 18}),
             (PLAIN + "d,7\n", {}, {1: ["a", "d"]}, {"a": 1, "d": 7})],
    "layout": [("Region,Number of children\nNorth,2\nSouth,0\nNorth,1\n", {}, "counts", {"North": 3, "South": 0})],
    "column": [(TWICE_X, {}, 1, {"a": 2, "b": 1}),
               ("s,t\na,x\nb,y\na,x\n", {}, ["s", "t"], {"a / x": 2, "b / y": 1})],
    "category_column": [("a,b,n\nx,p,1\ny,q,3\n", {"count_column": "n"}, ("b", "a"), {"p / x": 1, "q / y": 3})],
    "count_column": [("x,men,women\na,1,2\nb,3,4\n", {"category_column": "x"}, ("men", "women"), {"a": 3, "b": 7})],
    "group_column": [(YEARS, {"category_column": "kind", "count_column": "count", "group": "2023"}, "year",
                      {"A": 10, "B": 20})],
    "group": [(YEARS, {"category_column": "kind", "count_column": "count", "group_column": "year"}, group, found)
              for group, found in (
        ("2024", {"A": 12, "B": 25}), ("(all, added up)", {"A": 22, "B": 45}),
        ("(each apart)", {"2023 / A": 10, "2023 / B": 20, "2024 / A": 12, "2024 / B": 25}),
        ("1999", "there is no '1999'"))],
    "thousands": [
        (column(["1.234", "12"]), {}, ".", {"a": 1234, "b": 12}),
        *((column(["1.234", "12"]), {}, mark, "not a whole number") for mark in (",", "", "'")),
        (column(["3,34,06,061", "14,58,545"]), {}, "lakh", {"a": 33406061, "b": 1458545}),
    ],
    "confirm_percentages": [(SHARES, {}, True, {"Yes": 48, "No": 31, "Maybe": 21}),
                            (SHARES, {}, False, "percentages cannot be used")],
    "missing": [(RIDES, {"column": "ride"}, "keep", {"walk": 2, "bus": 1, "bike": 1, "(missing)": 1})],
    "chosen": [(SEVERAL, {"column": "tools"}, "Python", {"Python: yes": 3, "Python: no": 1}),
               (SEVERAL, {"column": "tools"}, "Perl", "nobody answered 'Perl'")],
    "categories": [(PLAIN, {}, ("b", "d", "a"), {"b": 3, "d": 0, "a": 1}),
                   ("walk,bus\n2,1\n", {}, ("ferry", "bus", "walk"), {"ferry": 0, "bus": 1, "walk": 2}),
                   ("ride\nwalk\nbus\nwalk\n", {"column": "ride"}, ("bus", "ferry", "walk"),
                    {"bus": 1, "ferry": 0, "walk": 2})],
    "unlisted": [(RIDES, LISTED, "other", {"walk": 2, "ferry": 0, "(other)": 2}),
                 (RIDES, LISTED, "refuse", "not on the list")],
}  # fmt: skip
NO_ENTRIES: list[tuple[dict[str, Any], str]] = [
    *(({name: wrong}, f"{name} must be one of") for name in CHOICES for wrong in ("tall", 3, ["x"])),
    *(({name: wrong}, f"{name} must be text") for name in ("sheet", "encoding", "group", "chosen")
      for wrong in (1, True, ["x"])),
    *(({name: wrong}, f"{name} must be") for name in ("column", "category_column", "count_column", "group_column")
      for wrong in (0, -1, 1.0, True, [["x"]])),
    *(({name: wrong}, f"{name} must be") for name in ("header_row", "leave_out")
      for wrong in (-1, True, "2", 1.5, [0], 10**400)),
    *(({"only": wrong}, "only must map columns") for wrong in ("x", ["x"], {"x": 1}, {0: "a"}, 7)),
    *(({"categories": wrong}, "categories must be a sequence of names") for wrong in ("a,b", ("a", 1), 7)),
    ({"confirm_percentages": 1}, "confirm_percentages must be one of"),
    ({"colour": "x"}, "'colour' is no entry; known are sheet, "),
    ({"categories": ("a",)}, "at least two names: got 1"),
    ({"categories": ("a", "b", " a")}, "names 'a' more than once"),
    ({"categories": ("a", " ", "b")}, "name 2 of the list of categories is empty"),
    ({"categories": ("a", "b" * (limits.UPLOAD_LABEL_CHARACTERS_LARGEST + 1))}, "is too long"),
    ({"categories": tuple(map(str, range(limits.CATEGORIES_LARGEST + 1)))}, "of categories is too long"),
    ({"unlisted": "other"}, "goes with categories="),
    ({"sheet": "x"}, "sheet can only be said of a workbook"),
    ({"encoding": "klingon"}, "'klingon' is not known"),
    ({"encoding": "utf-32"}, "not utf-32"),
    ({"column": "x", "category_column": "x"}, "say one"),
    ({"column": "x", "category_column": "x"}, "say one"),
    ({"layout": "counts", "column": "x"}, "say one"),
    ({"group": "A"}, "group= goes with groups of rows"),
    ({"only": {"x": "z"}}, "no row holds the values that are kept"),
    ({"leave_out": (1, 2, 3)}, "no row of the file is left"),
    ({"leave_out": (2, 3)}, "a header but no rows below it"),
    ({"header_row": 4}, "header_row=4 is blank, left out, or beyond"),
    *(({name: wrong}, words) for name in ("column", "category_column", "count_column", "group_column")
      for wrong, words in (("z", f"{name}: there is no column called 'z'"), (9, f"{name}: there is no column 9"))),
]  # fmt: skip
WHAT_COMES["what is no entry is refused in words"] = [(PLAIN, said, words) for said, words in NO_ENTRIES]


# --- other formats ---


def archive(**parts: str) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as target:
        for name, text in parts.items():
            target.writestr(name.replace("__", "/"), text)
    return data.getvalue()


def sheet_of(*rows: list[Any]) -> bytes:
    return saved(workbook([["name", "n"], *rows]))


SHEET_CELLS: list[tuple[Any, str]] = [
    (True, "not a count"), (date(2024, 9, 5), "a date"), (timedelta(hours=3), "a date or time"), (3.5, "weighted"),
    (1.234, "weighted"), ("#N/A", "an error of the spreadsheet"),
    (-3, "negative"), (1e300, "finite"), (None, "missing"),
]  # fmt: skip


OLD = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # how an old Office file begins
TABLE: list[list[Any]] = [["name", "n"], ["a", 12], ["b", 30]]
OTHER: list[list[Any]] = [["name", "n"], ["d", 1], ["e", 3]]
AWAY: list[list[Any]] = [[], [], [None, "name", "n"], [None, "a", 12], [None, "b", 30]]


def changed(change: Callable[[Any], None], *sheets: Any, **named: Any) -> bytes:
    book = workbook(*sheets, **named)
    change(book.worksheets[0])
    return saved(book)


ONE_HIDDEN = changed(lambda sheet: setattr(sheet, "sheet_state", "hidden"), more=OTHER, data=TABLE)
ROW_HIDDEN = changed(lambda sheet: setattr(sheet.row_dimensions[3], "hidden", True), [*TABLE, ["d", 5]])
COLUMN_HIDDEN = changed(lambda sheet: setattr(sheet.column_dimensions["A"], "hidden", True), TABLE)
LEVELS = pa.DictionaryArray.from_arrays(pa.array([1, 1, None]), pa.array(["no", "yes", "don't know"]))
AB, CODED = pa.array(["a", "b"]), {"category_column": "name", "count_column": "n"}
RECORDS: list[tuple[Any, dict[str, Any], Outcome]] = [
        (LEVELS, {"column": "x"}, {"no": 0, "yes": 2, "don't know": 0}),
        (pa.array([0.0, 1.0, 0.0, None]), {"column": "x"}, {"0": 2, "1": 1}),
        (pa.array([True, False, True]), {"column": "x"}, {"False": 1, "True": 2}),
        (pa.array([{"a": 1}, {"a": 2}]), {"column": "x"}, "is a list, a record"),
        (pa.nulls(3), {"column": "x"}, "no category"),
        (pa.array(["a", "b", "a"]), {}, {"a": 2, "b": 1}),
        (pa.array([], pa.string()), {}, "header but no rows"),
        (pa.array(["a"]), {"header_row": 1}, "names its columns itself"),
    ]
WHAT_COMES["workbooks, Parquet and what is no table"] = [
    *((PLAIN, {"filename": filename}, words) for filename, words in [
        ("x.XLS", "this is not a workbook, as its name says"), ("x.pq", "not a Parquet file")]),
    *((data, {}, words) for data, words in [
        *((data, "this workbook is damaged, under a password or of a kind") for data in (
            OLD, OLD + "EncryptedPackage".encode("utf-16-le"), archive(**{"word__document.xml": "<x/>"}),
            archive(**{"table.csv": "a"}), archive(**{"xl__workbook.xml": "<x/>"}), b"PK\x03\x04 and no more")),
        (b"PAR1" + bytes(20) + b"PAR1", "this Parquet file is damaged"),
        *((data, "JSON, a web page or a document") for data in (
            b"%PDF-1.7", b"<!DOCTYPE html><table>", b'<?xml version="1.0"?><a/>', b'{"red": 12,\n "green": 30}')),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "not a text table"),
    ]),
    (sheet_of(["a", 12.0], ["b", 30]), {}, {"a": 12, "b": 30}),
    (sheet_of(["a", "12"], ["b", "1'234"]), {}, {"a": 12, "b": 1234}),
    (sheet_of(["a", 10**15], ["b", 1]), {}, {"a": 10**15, "b": 1}),
    (sheet_of([True, 12], [False, 30]), {}, {"True": 12, "False": 30}),
    (sheet_of([1, 12], [2.5, 30]), {}, {"1": 12, "2.5": 30}),
    (sheet_of([date(2024, 9, 5), 1], [datetime(2024, 9, 5, 8, 30), 3]), {"layout": "counts"},
     {"2024-09-05": 1, "2024-09-05 08:30:00": 3}),
    (sheet_of(["NA", 1], [None, None], ["null", 3]), {}, {"NA": 1, "null": 3}),
    *((parquet_file(name=AB, n=counts), {}, {"a": 12, "b": 30}) for counts in [
        pa.array([12, 30], pa.int8()),
        pa.array([12, 30], pa.uint64()),
        pa.array([12.0, 30.0]),
        pa.array([Decimal("12.00"), Decimal("30.00")]),
        pa.array(["12", "30"]),
        pa.array(["12", "30"]).dictionary_encode(),
    ]),
    *((parquet_file(name=AB, n=counts), CODED, words) for counts, words in [
        (pa.array([12, None]), "missing"),
        (pa.array([12.0, float("nan")]), "finite"),
        (pa.array([12.0, 3.5]), "weighted"),
        (pa.array([True, False]), "not a count"),
        (pa.array([date(2024, 9, 5)] * 2), "a date"),
        (pa.array([b"1", b"2"]), "bytes"),
        (pa.array([[1], [2]]), "a list"),
    ]),
    *((parquet_file(x=cells), answers, expected) for cells, answers, expected in RECORDS),
    (sheet_of(["a", 12], ["#REF!", 3]), {}, "error of the spreadsheet"),
    (sheet_of(["a", 12], ["=A2", 3]), {}, "a formula whose value was not saved"),
    (saved(workbook(data=TABLE, more=[])), {}, {"a": 12, "b": 30}),
    (saved(workbook(more=[["see there"]], data=TABLE)), {}, Asks(sheet="data")),
    (saved(workbook(more=OTHER, data=TABLE)), {"sheet": "data"}, {"a": 12, "b": 30}),
    (ONE_HIDDEN, {}, {"a": 12, "b": 30}),
    (ONE_HIDDEN, {"sheet": "more"}, {"d": 1, "e": 3}),
    (ONE_HIDDEN, {"sheet": "z"}, "there is no sheet 'z'; the sheets are 'more', 'data'"),
    (saved(workbook([], [])), {}, "all visible sheets are empty"),
    (saved(workbook(AWAY)), {}, {"a": 12, "b": 30}),
    (saved(workbook([*AWAY[:4], [None, "b", -1]])), {}, "row 5: '-1' is negative: true counts cannot"),
    *((f"name,dp_n\na,{count}\nb,3\n", CODED | {"count_column": "dp_n"}, f"{words}. 'dp_n': if there is noise")
      for count, words in [("1.5", "percentages"), ("<90", "numbers")]),
    (ROW_HIDDEN, {}, Asks(leave_out=(3,))),
    (ROW_HIDDEN, {"leave_out": (3,)}, {"a": 12, "d": 5}),
    (ROW_HIDDEN, {"leave_out": ()}, {"a": 12, "b": 30, "d": 5}),
    (COLUMN_HIDDEN, {}, {"a": 12, "b": 30}),
    (archive(**{"xl__workbook.xml": "<x/>", "xl__worksheets__sheet1.xml": "<c/>" * 260_000}), {},
     "at most 250,000 cells"),
    (archive(**{"xl__workbook.xml": " " * (limits.UPLOAD_UNPACKED_BYTES_LARGEST + 1)}), {}, "unpacked"),
    (parquet_file(**{"__index_level_0__": [0, 1], "name": AB, "n": [1, 3]}), {},
     Asks(category_column="name", count_column="n")),
    *((sheet_of(["a", 12], ["b", cell], ["d", 7]), {}, said) for cell, words in SHEET_CELLS
      for said in ("row 3: ", words)),
]  # fmt: skip

# --- the tests ---

# What was read wrongly once, and what still is.
ONCE_WRONG: dict[str, Case] = {
    "a suppressed count in a row of counts": ("red,green,blue\n12,<5,8\n", {}, "row 2: '<5' is not a count"),
    "a worded count in a row of counts": ("red,green,blue\n12,many,8\n", {}, "row 2: 'many' is not a count"),
    "a blank count in a row of counts": ("red,green,blue\n12,,8\n", {}, "the count for 'green' is missing"),
    "a total in a row of counts": ("a,b,Total\n12,30,42\n", {}, Asks(count_column=("a", "b"))),
    "a list with spaces": (PLAIN, {"categories": (" a", "b")}, {"a": 1, "b": 3}),
    "two shares": (column(["60", "40"]), {}, Asks(confirm_percentages=True)),
    "two shares, said": (column(["60", "40"]), {"confirm_percentages": False}, "percentages cannot be used"),
    "shares by name": ("name,percent\na,33\nb,33\nd,33\n", {}, Asks(confirm_percentages=False)),
    "a category c below n": ("n,count\na,5\nc,2\n", {}, {"a": 5, "c": 2}),
    "a header one name short": ('"colour","n"\n"1","red",12\n"2","green",30\n', {}, {"red": 12, "green": 30}),
    "titles and no header": ("x\ny\nred,12\ngreen,30\nblue,8\n", {}, Asks(header_row=0, leave_out=(1, 2))),
    "one name twice, told by position": (TWICE_X, {"category_column": 2, "count_column": 3, "group": "(all, added up)"},
                                         {"p": 1, "q": 6}),
    "the column of counts is said": ("a,b,c\nx,y,1\nz,w,3\n", {"count_column": "c"}, Asks(category_column="a")),
    "a blank row near the top": ("x\na\n\nb\na\n", {"column": "x"}, {"a": 2, "b": 1}),
    "a source with a year": ("Answer,n\nYes,12\nNo,30\nMaybe,7\nAs of 3 January, 2024\n", {}, Asks(leave_out=(5,))),
    "an encoding that is none": (PLAIN, {"encoding": "undefined"}, "encoding"),
    "an encoding of no letters": (PLAIN, {"encoding": "\0"}, "encoding"),
    "no column": ("x\na\nb\na\n", {"column": []}, "column must be"),
    "titles above a column": ("Survey\nof 2024\nanswer\nyes\nno\nyes\nno\nyes\n", {}, Asks(header_row=3)),
    "titles and notes around a row of counts": (
        "Title\nAnd more\na,b,d\n12,30,4\nSource: x\nNote: y\n", {"header_row": 3, "leave_out": (5, 6)},
        {"a": 12, "b": 30, "d": 4}),
    "quotes between spaces": ('"a b" "n"\n"c d" "5"\n"e f" "7"\n"Note: z"\n', {"leave_out": 4}, {"c d": 5, "e f": 7}),
    "Men are no total": ("answer,n\nMen,12\nWomen,30\nDiverse,3\n", {}, {"Men": 12, "Women": 30, "Diverse": 3}),
    "both is no total": ("kind,n\ncommon,54\nplantar,9\nboth,27\n", {}, {"common": 54, "plantar": 9, "both": 27}),
    "a name that holds the word total": ("party,n\nTotal Front,9\nGreen,4\nLabour,5\nList,31\n", {},
                                         {"Total Front": 9, "Green": 4, "Labour": 5, "List": 31}),
    "a row that is not there": (PLAIN, {"leave_out": 99}, "99"),
    "a count and its share in a cell": ("answer,n (%)\nyes,12 (60%)\nno,8 (40%)\n", {},
                                        "row 2: '12 (60%)' is not a count"),
    "the last count is missing": ("Answer,n\nYes,12\nNo,30\nMaybe,\n", {}, "the count for 'Maybe' is missing"),
    "blank lines alone": (" \n\t\n , ,\n\n", {}, "only blank lines"),
    "a separator that is none": ("sep=#\na#1\n", {}, "'sep=#' names a separator other than"),
    "names and counts in one cell": ("red:12\ngreen:30\nblue:8\n", {}, "a name and its count in one cell"),
    "rows without groups added up": ("red,green\n1,2\n3,4\n", {"layout": "wide"}, Asks(group="(all, added up)")),
    "a rounded total of groups, named once": (
        "region,party,votes\nTotal,Red,31\n,Blue,48\nNorth,Red,10\n,Blue,20\nSouth,Red,20\n,Blue,30\n",
        {"category_column": "party", "count_column": "votes", "group_column": "region", "group": "(all, added up)"},
        Asks(leave_out=(2, 3))),
}  # fmt: skip
STILL = {"a header one name short", "the column of counts is said",
         "blank lines alone", "titles and notes around a row of counts",
         "quotes between spaces", "a separator that is none", "names and counts in one cell"}  # fmt: skip
FAULT = pytest.mark.xfail(strict=True, reason="a fault of the reader")


WHAT_COMES |= {shown: [case] for shown, case in ONCE_WRONG.items()}


@pytest.mark.parametrize("shown", [pytest.param(shown, marks=FAULT if shown in STILL else []) for shown in WHAT_COMES])
def test_what_comes_of_a_file(shown: str) -> None:
    for data, said, expected in WHAT_COMES[shown]:
        assert_comes(expected, data, **said)


@pytest.mark.parametrize("entry", [entry.name for entry in fields(Form) if entry.name != "sheet"])
def test_each_entry_of_the_form_has_an_effect(entry: str) -> None:
    assert re.search(rf"\b{entry}\b", str(read_counts.__doc__).split("Returns")[0])
    for text, said, value, expected in EFFECTS[entry]:
        early = {entry: value} if entry == "encoding" else {}
        assert_comes(expected, text, **said, **{entry: value})
        assert outcome(text, **said) != expected, "it would come anyway"
        file = opened(text if isinstance(text, bytes) else text.encode(), "table.csv", Form.checked(early))
        came = understood(file, Form.checked({**said, entry: value})).counts
        assert (came and by_name(came)) == (expected if isinstance(expected, dict) else None), "of a file that is open"


def test_an_unknown_entry_is_a_wrong_keyword_too_and_only_bytes_are_a_file() -> None:
    with pytest.raises(TypeError, match="colour"):
        read(PLAIN, colour="x")
    assert read_counts(bytearray(PLAIN.encode()), "x").counts == (1, 3)  # type: ignore[arg-type]
    with pytest.raises(CountsError, match="must be the bytes of a file: got str"):
        read_counts(PLAIN, "x.csv")  # type: ignore[arg-type]
    with pytest.raises(CountsError, match="filename must be text"):
        read_counts(PLAIN.encode(), 7)  # type: ignore[arg-type]


Remark = tuple[bytes | str, dict[str, Any], str]  # a text, what is said of it, and words of a warning
REMARKED: list[Remark] = [
    *((data, {}, words) for data, words in ENCODED if words),
    ("i,x\n1,a\n2,\n3, \n4,b\n5,a\n", {"column": "x"}, "without an answer were left out (2)"),
    ("x\na\nb\na\nb\n\na\nb\nb\n", {"column": "x"}, "without an answer were left out (1)"),
    ('x\nwalk\n"walk, bus"\nbus\nwalk\nbus\n', {"column": "x"}, "'walk, bus' may hold several answers"),
    ("x,n\nａｂ,1\nab,3\n", {}, "look the same"),
    ("x,n\nNHS,1\nNhs,3\n", {}, "differ only by case"),
    ("x,n\n05-Sep,1\n14-Oct,3\n", {}, "dates"),
    ("x,n\nRED,3\nred,5\nBlue,1\n", {"categories": ("red", "blue")},
     "'RED' was counted as 'red', as the list spells it."),
    *((f"{header},ride\nm1,walk\nm1,walk\nm2,bus\nm3,bus\nm4,bus\n", {"column": "ride"}, f"'{header}' repeats")
      for header in ("member", "UserID", "patient_no", "Befragter")),
]  # fmt: skip
UNREMARKED: list[Remark] = [
    *((data, {}, "") for data, words in ENCODED if not words),
    ("x\nn/a\na\nn/a\nb\n", {"column": "x"}, "several"),
    (RIDES, {"column": "ride", "missing": "keep"}, "without an answer"),
    ("i,x\n1,a\n2,b\n3,a\n4,b\n", {"column": "x"}, "repeat"),
    ("x,n\na,1\nb,3\n", {"categories": ("b", "a")}, "not protected"),
]


@pytest.mark.parametrize("remark", [*REMARKED, *UNREMARKED, pytest.param((COLUMN_HIDDEN, {}, "hidden"), marks=FAULT)],
                         ids=itemgetter(2))  # fmt: skip
def test_what_is_remarked_on(remark: Remark) -> None:
    data, said, words = remark
    assert any(words in warning for warning in read(data, **said).warnings) == (remark not in UNREMARKED)


def test_a_refusal_names_its_row_and_cell_and_shows_cells_inertly() -> None:
    assert str(outcome(FAULTY_COUNT)).startswith("row 3: '-2' ")
    message = str(outcome('x,n\na,1\nb,"\u202e\x07\n' + "z" * 500 + '"\n', leave_out=()))
    assert "\\u202e" in message and message.isprintable() and len(message) < 200


# --- a list of categories ---


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


