"""read_counts on tables whose truth is known: the 90 files of tests/cases, those known to be hard, and random ones."""

import json
import re
from collections import Counter
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpbi.data.files import Counts, CountsError

from .hard_tables import hard_tables
from .known_tables import READINGS, KnownTable
from .random_tables import random_tables
from .reader import by_name, ended, read

CASES = Path(__file__).parents[1] / "cases"
EXPECTED: list[dict[str, Any]] = [
    {"folder": folder, **case} for folder in (CASES, CASES / "imports")
    for case in json.loads((folder / "expected.json").read_text("utf-8"))["cases"]
]  # fmt: skip

# The sense of each warning that expected.json asks for, as words that the warnings must hold.
WARNING_WORDS = {
    "read as UTF-16": "read as UTF-16",
    "not UTF-8; read as Windows-1252, check the names": "not UTF-8. It was read as Windows-1252: check the names",
    "names contain invisible characters": "invisible characters",
    "two names look the same": "look the same",
    "commas read as thousands separators": "Commas were read as thousands separators",
    "scientific notation: check no digits were lost": "Scientific notation .* check that no digits were lost",
    "very large counts: check the column": "Very large counts .* check the column",
    "no observations: the posterior equals the prior": "no observations: the posterior equals the prior",
    "many categories: charts show the largest ones": "Many categories .* charts show the largest ones",
    "ignored an unnamed row-number column": "unnamed row-number column",
    "'red' appears on 2 rows; rows were added together": "'red' appears on 2 rows; the rows were added together",
    "spaces around names removed; ' red ' and 'red' were added together": "Spaces around names were removed .' red '",
    "'Red' and 'red' differ only by case; merge?": "'Red', 'red' differ only by case",
    "names that look the same were added together": "were added together",
    "no header row found; the first row was kept as data": "No header row found; the first row was kept as data",
    "an empty extra column was ignored": "empty extra column was ignored",
    "line breaks inside names were replaced by spaces": "Line breaks inside names were replaced by spaces",
    "'survey' is not a number and was left out": "'survey' .* not a number and was left out",
    "'red' appears twice; columns were added together": "'red' appears in 2 columns; the columns were added together",
    "categories were found in the data; the list itself is not private - type the full list if you can": (
        "The categories were found in the data, so the list of them is not protected"
    ),
    "spellings of true/false were merged": "Spellings of true/false were merged",
    "numeric codes are treated as category names": "Numeric codes are treated as category names",
    "1 row has no answer and was left out; keep it as '(missing)'?": r"without an answer were left out .1\)",
    "1 row has no answer and was left out": r"without an answer were left out .1\)",
    "the guarantee is per row; 'member' repeats, so one person can affect several rows": "per row; 'member' repeats",
    "long names are shortened in charts": "Long names are shortened in charts",
    "2 category names are dates; were they ranges such as 5-9?": "2 category names are dates",
    "levels with no rows were kept with count 0": "Categories without rows were kept, with the count 0",
}
# The sense of each refusal, likewise.
ERROR_WORDS = {
    "count_words_and_suppressed.csv": r"row 3: '<5' is not a count: suppressed.*'\*' in row 4.*'~30' in row 5",
    "inf_nan_strings.csv": "row 2: 'inf' .* finite whole numbers.* 'NaN' in row 3",
    "negative_count.csv": "row 3: '-3' .* cannot be negative",
    "fractional_count.csv": "row 3: '3.5' is not a whole number: weighted counts",
    "proportions_sum_to_one.csv": "row 2: .* is not a whole number: .* nor are proportions or percentages",
    "counts_above_int64.csv": "row 2: .* too large",
    "one_category.csv": "at least two categories are needed",
    "duplicate_header_columns.csv": "2 columns are called 'count' .* rename one",
    "empty.csv": "the file is empty",
    "blank_count_cell.csv": "row 3: the count for 'green' is missing",
    "unclosed_quote.csv": "a quote opened on line 3 is never closed",
    "raw_id_like_column.csv": "'ticket' has .* as an identifier would",
    "raw_continuous_column.csv": "'height' has 30 different values in 30 rows, as measurements would",
    "raw_single_value.csv": "only one category",
    "binary_garbage.csv": "not a text table",
    "xlsx_empty_sheet.xlsx": "the sheet is empty",
    "parquet_nested.parquet": "is a list, a record or bytes; the name of a category is needed",
    "text_named.parquet": "not a Parquet file.* looks like text.* rename it to .csv",
    "x3_gov_accessible_table.xlsx": r"row 8: '\[c\]' is not a count",
}
# What is open where a file is asked about, each with its guess; a row to leave out is open as well where it is noted.
COLOURED = {"category_column": "colour", "count_column": "count"}
OPEN: dict[str, dict[str, Any]] = {
    "thousands_dot_german.csv": {"thousands": "."},
    "percentages_not_counts.csv": {"confirm_percentages": False},
    "extra_columns.csv": COLOURED,
    "trailing_total_row.csv": {"leave_out": (5,)},
    "subtotal_rows.csv": {"leave_out": (4, 7)},
    "xlsx_total_row.xlsx": {"leave_out": (4,)},
    "xlsx_two_sheets.xlsx": {"sheet": "data"},
    "preamble_lines.csv": {"header_row": 4},
    "xlsx_title_rows_merged.xlsx": {"header_row": 4},
    "f01_qualtrics_two_extra_headers.csv": {"leave_out": (2, 3)},
    "f04b_r_2way_rownames.csv": {"group": "(all, added up)"},
    "f06_footer_notes.csv": {"header_row": 4, "leave_out": (10, 11)},
    "f07_surveymonkey.csv": {"header_row": (1, 2)},
    "f09_likert_items_by_levels.csv": {"group": "Clear goals"},
    "f11_long_two_years.csv": {"category_column": "category", "count_column": "count", "group_column": "year",
                               "group": "2024"},
    "f13_spss_frequencies.csv": {"category_column": 2, "count_column": "Frequency", "group_column": 1,
                                 "group": "Valid", "leave_out": (4,)},
    "f20_raw_number_of_children.csv": {"layout": "raw", "column": "Region"},
    "f22_surveymonkey_response_row.csv": {"header_row": (1, 2)},
    "f23_timestamp_first.csv": {"column": "q0001"},
    "f27_hierarchy_indented.csv": {"leave_out": (2, 3, 6)},
    "f28_superweb.csv": {"header_row": 8, "leave_out": (12, 14, 15)},
    "f29_nomis.csv": {"header_row": 7, "leave_out": (15,), "category_column": "Economic activity",
                      "count_column": "number"},
    "f40_wide_years.csv": {"group": "2024"},
    "f41_id_and_numeric_answer.csv": {"layout": "raw", "column": "q1"},
    "f43_r_table_three_factors.csv": {"category_column": "Admit", "count_column": "Freq", "group_column": "Gender",
                                      "group": "(all, added up)"},
    "x3_gov_accessible_table.xlsx": {"header_row": 5},
    "x6_hidden_row.xlsx": {"leave_out": (4,)},
}  # fmt: skip
# What the person says instead of what is suggested, and what comes where expected.json leaves it open.
INSTEAD: dict[str, dict[str, Any]] = {
    "percentages_not_counts.csv": {"confirm_percentages": True},
    "f04b_r_2way_rownames.csv": {"group": "(each apart)"},
    "f40_wide_years.csv": {"group": "2023"},
}
COLOURS = {"red": 12, "green": 30, "blue": 8}
ENDS = {
    "thousands_dot_german.csv": {"rot": 1234, "blau": 12500, "gelb": 7},
    "percentages_not_counts.csv": {"red": 24, "green": 60, "blue": 16},
    "preamble_lines.csv": COLOURS,
    "xlsx_title_rows_merged.xlsx": COLOURS,
}
HANDED = [
    pytest.param(case, told, id=f"{case['file']}-{'told' if told else 'guessed'}")
    for case in EXPECTED for told in (False, True)
]  # fmt: skip
NEEDS_NO_WORD = ["The categories were found in the data", "Spaces around names were", "added together", "was not read",
                 "may stand for no answer"]


def test_all_90_files_are_here_and_in_the_tables() -> None:
    assert len(EXPECTED) == 68 + 22
    files = {path.name for path in CASES.rglob("*.*") if path.name not in ("expected.json", ".gitattributes")}
    assert {case["file"] for case in EXPECTED} == files
    expected = {kind: {case["file"] for case in EXPECTED if case["expect"] == kind} for kind in ("ok", "ask", "error")}
    assert ERROR_WORDS.keys() == expected["error"] - ENDS.keys()
    assert OPEN.keys() == expected["ask"] | (expected["error"] & OPEN.keys())
    assert {gist for case in EXPECTED for gist in case.get("warn_gists", [])} == WARNING_WORDS.keys()


@pytest.mark.parametrize(("case", "told"), HANDED)
def test_a_handed_file_ends_right(case: dict[str, Any], told: bool) -> None:
    """With the column that a person chose where it is of people, and if told with what each row is."""
    file = case["file"]
    data = (case["folder"] / file).read_bytes()
    said = {"column": case.get("column"), "layout": case.get("mode") if told else None}
    came, asked = ended(data, file, **said)
    is_open = {doubt.entry: doubt.guess for doubt in asked[0].open} if asked else {}
    assert OPEN.get(file, {}).items() <= is_open.items() and bool(asked) == (file in OPEN)
    if file in ERROR_WORDS:
        assert isinstance(came, CountsError) and re.search(ERROR_WORDS[file], str(came))
        return
    if file in INSTEAD:
        came = read(data, file, **asked[0].suggested | INSTEAD[file])
    assert isinstance(came, Counts)
    assert by_name(read(data, file, **dict(came.form))) == by_name(came), "the form says all"
    written = [case.get(key) for key in ("counts", "counts_after_default_answer", "after", "after_cells")]
    assert [*by_name(came).items()] == [*dict(ENDS.get(file) or next(filter(None, written))).items()]
    assert case["expect"] != "ok" or came.layout == case.get("mode", came.layout)
    words = [WARNING_WORDS[gist] for gist in case.get("warn_gists", [])]
    words += ["may hold several answers"] * (file == "f08_google_forms_multiselect.csv")
    for pattern in words:
        assert any(re.search(pattern, warning) for warning in came.warnings), pattern
    assert words or not any("can affect several rows" in warning for warning in came.warnings)
    if case["expect"] == "ok" and not told and case["folder"] == CASES:
        for warning in came.warnings:
            assert any(re.search(pattern, warning) for pattern in [*words, *NEEDS_NO_WORD]), warning


UNDERSTOOD: list[tuple[str, dict[str, Any]]] = [
    ("semicolon_integer.csv", {"layout": "counts", "columns": ("colour", "count"), "header_row": 1,
                               "left_out": ()}),
    ("bom_utf8.csv", {"columns": ("colour", "count")}), ("header_missing.csv", {"header_row": None}),
    ("f03_r_rownames_shifted.csv", {"header_row": 1}),
]  # fmt: skip


@pytest.mark.parametrize(("file", "kept"), UNDERSTOOD)
def test_what_was_understood_is_kept(file: str, kept: dict[str, Any]) -> None:
    (path,) = CASES.rglob(file)
    came = read(path.read_bytes(), file)
    assert {name: getattr(came, name) for name in kept} == kept and hash(came) == hash(read(path.read_bytes(), file))


# --- tables known to be hard ---

# What each doubt says, in a reason or a warning or a refusal: to who takes what is suggested, or where no entry settles
# it to everyone.
DOUBTS = {
    "untold": {
        "may be a sum": "sum of", "is nearly the sum": "the sum of", "the header": "first row|row of names",
        "the group Total": "sum of other rows|named like a total", "groups": "There are 2 groups",
        "two questions": "once per 'question'|2 groups", "several questions": "once per 'Question #'",
        "is no column of counts": "'ballots' their counts", "NA, Missing": "'NA'",
        "the letters": "check the names|gives the likeliest",
    },
    "told": {
        "several answers": "may hold several answers", "several rows a": "can affect several rows",
        "noisy already": "if there is noise.*in Python by dpbi.noisy_counts_posterior",
        "weight is not used": "weight", "no categories": "at least two categories",
    },
}  # fmt: skip
TABLES = hard_tables()
# What the reader does not say yet.
UNSAID = {"d: a sum by chance", "e: All in a name", "l: the first record is a header", "l: no header"}
NOT_SAID = pytest.mark.xfail(strict=True, reason="not said")


@pytest.mark.parametrize("table", TABLES, ids=attrgetter("kind"))
def test_a_hard_table_ends_as_its_truth_when_told_and_is_never_silently_wrong(table: KnownTable) -> None:
    told, untold = READINGS["told"](table), READINGS["untold"](table)
    assert told.outcome == ("silently right" if len(table.truth) > 1 else "rightly refused"), told
    assert untold.outcome not in ("silently wrong", "crashed", "no guess"), untold


@pytest.mark.parametrize("table", [pytest.param(table, id=table.kind, marks=[NOT_SAID] * (table.kind in UNSAID))
                                   for table in TABLES if table.doubt])  # fmt: skip
def test_what_is_doubtful_of_a_hard_table_is_said(table: KnownTable) -> None:
    how, words = next((how, words) for how, said in DOUBTS.items() for doubt, words in said.items()
                      if doubt in table.doubt)  # fmt: skip
    came = READINGS[how](table)
    said = [*came.warnings, *([came.end] if isinstance(came.end, str) else [])]
    assert any(re.search(words, sentence) for sentence in said), said


# --- random tables ---


@pytest.mark.parametrize("how", READINGS)
def test_random_tables_come_to_their_truth(how: str) -> None:
    """Of 150, of which all is drawn from seed 30: none is counted wrongly unless it was asked about, and none at all
    once all is said; then few are refused. Who takes what is suggested mostly comes to what was meant."""
    reads = [(table, READINGS[how](table)) for table in random_tables(np.random.default_rng(30), 150)]
    wrong = {"untold": ("silently wrong", "crashed", "no guess"), "told": ("silently wrong", "guess wrong", "crashed")}
    assert not [(table.data, came) for table, came in reads if came.outcome in wrong[how]]
    ends = Counter(came.outcome for _, came in reads)
    right = ends["silently right"] + ends["guess right"] + ends["rightly refused"]
    assert right > {"untold": 0.7, "told": 0.95}[how] * len(reads), ends
