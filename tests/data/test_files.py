"""read_counts on the 68 files of tests/cases, each with what expected.json says should come of it."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from dpbi import CountsError, CountsQuestion, read_counts
from dpbi.data.files import Counts

from .reader import by_name

CASES = Path(__file__).parents[1] / "cases"
EXPECTED: list[dict[str, Any]] = json.loads((CASES / "expected.json").read_text("utf-8"))["cases"]

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
    "names that look the same were added together": "Names that look the same were added together",
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
    "1 row has no answer and was left out; keep it as '(missing)'?": "1 row has no answer and was left out",
    "1 row has no answer and was left out": "1 row has no answer and was left out",
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
    "proportions_sum_to_one.csv": "look like proportions",
    "counts_above_int64.csv": "row 2: .* too large",
    "one_category.csv": "at least two categories are needed",
    "duplicate_header_columns.csv": "2 columns are called 'count' .* rename one",
    "empty.csv": "the file is empty",
    "blank_count_cell.csv": "row 3: the count for 'green' is missing",
    "unclosed_quote.csv": "a quote opened on line 3 is never closed",
    "raw_id_like_column.csv": "every value of 'ticket' is different.* identifier",
    "raw_continuous_column.csv": "'height' has 30 different values in 30 rows; choose a categorical column",
    "raw_single_value.csv": "only one category",
    "binary_garbage.csv": "not a text table",
    "xlsx_empty_sheet.xlsx": "the sheet is empty",
    "parquet_nested.parquet": "'ride' holds lists; one answer per person is needed",
    "text_named.parquet": "not a Parquet file.* looks like text.* rename it to .csv",
    # These two are asked about, a question being a refusal that offers the row.
    "preamble_lines.csv": "is row 4 the header",
    "xlsx_title_rows_merged.xlsx": "is row 4 the header",
}
ASK_WORDS: dict[str, tuple[str, dict[str, Any]]] = {
    "thousands_dot_german.csv": (r"'1.234' = 1234, '12.500' = 12500", {"thousands": None}),
    "percentages_not_counts.csv": ("exactly 100.* percentages", {"confirm_percentages": None}),
    "extra_columns.csv": ("which column", {"category_column": "colour", "count_column": "count"}),
    "trailing_total_row.csv": ("'Total' .* equals the sum", {"total_row": "drop"}),
    "subtotal_rows.csv": ("'warm subtotal' .42., 'cool subtotal' .13.: each is the sum", {"total_row": "drop"}),
    "xlsx_total_row.xlsx": ("'Total' .* equals the sum", {"total_row": "drop"}),
    "xlsx_two_sheets.xlsx": ("which sheet.* 'notes', 'data'", {"sheet": "data"}),
}
# What a person could answer where no default is safe, and what is then read.
ANSWERED: dict[str, tuple[dict[str, Any], dict[str, int]]] = {
    "thousands_dot_german.csv": ({"thousands": "."}, {"rot": 1234, "blau": 12500, "gelb": 7}),
    "percentages_not_counts.csv": ({"confirm_percentages": True}, {"red": 24, "green": 60, "blue": 16}),
    "preamble_lines.csv": ({"header_row": 4}, {"red": 12, "green": 30, "blue": 8}),
    "xlsx_title_rows_merged.xlsx": ({"header_row": 4}, {"red": 12, "green": 30, "blue": 8}),
}


def of(expect: str) -> list[Any]:
    return [pytest.param(case, id=case["file"]) for case in EXPECTED if case["expect"] == expect]


def given(case: dict[str, Any], told: bool) -> dict[str, Any]:
    """The answers of a person who says what only a person knows, and if told the layout as well."""
    column = {"column": case["column"]} if "column" in case else {}
    return column | ({"layout": case["mode"]} if told else {})


def read(case: dict[str, Any], **answers: Any) -> Counts:
    return read_counts((CASES / case["file"]).read_bytes(), case["file"], **answers)


def pairs(read: Counts) -> list[list[Any]]:
    return [*map(list, by_name(read).items())]


def refusal(case: dict[str, Any], **answers: Any) -> CountsError:
    with pytest.raises(ValueError) as caught:
        read(case, **answers)
    assert isinstance(caught.value, CountsError) and "\n" not in str(caught.value)
    assert str(caught.value).endswith(caught.value.reason)
    return caught.value


def test_all_68_files_are_here_and_in_the_tables() -> None:
    assert len(EXPECTED) == 68
    files = {path.name for path in CASES.iterdir() if path.is_file()} - {"expected.json", ".gitattributes"}
    assert {case["file"] for case in EXPECTED} == files
    assert {case["file"] for case in EXPECTED if case["expect"] == "error"} == set(ERROR_WORDS)
    assert {case["file"] for case in EXPECTED if case["expect"] == "ask"} == set(ASK_WORDS)
    assert {gist for case in EXPECTED for gist in case.get("warn_gists", [])} == set(WARNING_WORDS)


@pytest.mark.parametrize("told", [False, True], ids=["detected", "told"])
@pytest.mark.parametrize("case", of("ok"))
def test_a_good_file_is_read_exactly(case: dict[str, Any], told: bool) -> None:
    result = read(case, **given(case, told))
    assert pairs(result) == case["counts"]
    assert (sum(result.counts), len(result.labels)) == (case["n"], case["k"])
    assert all(type(count) is int for count in result.counts)
    assert result.layout == case["mode"]
    for gist in case.get("warn_gists", []):
        assert any(re.search(WARNING_WORDS[gist], warning) for warning in result.warnings), gist
    expected = len(case.get("warn_gists", []))
    unlisted = {"raw_boolean.csv", "raw_numeric_codes_0_1.csv", "raw_with_missing.csv", "raw_repeated_person.csv"}
    trimmed = case["file"] == "formula_injection_names.csv"  # a tab before a name
    more = {"mixed_case_whitespace_names.csv", "unicode_nfc_nfd.csv"}  # the merging is said in a sentence of its own
    allowed = expected + (case["file"] in unlisted) + trimmed + (case["file"] in more)
    assert told or len(result.warnings) <= allowed


@pytest.mark.parametrize("told", [False, True], ids=["detected", "told"])
@pytest.mark.parametrize("case", of("error"))
def test_a_bad_file_is_refused_in_one_line(case: dict[str, Any], told: bool) -> None:
    error = refusal(case, **given(case, told))
    assert re.search(ERROR_WORDS[case["file"]], str(error))
    assert isinstance(error, CountsQuestion) == (case["file"] in ANSWERED)


@pytest.mark.parametrize("told", [False, True], ids=["detected", "told"])
@pytest.mark.parametrize("case", of("ask"))
def test_an_unclear_file_is_asked_about(case: dict[str, Any], told: bool) -> None:
    answers = given(case, told)
    question = refusal(case, **answers)
    words, default = ASK_WORDS[case["file"]]
    assert isinstance(question, CountsQuestion)
    assert re.search(words, question.question)
    assert question.suggested == answers | default
    assert set(question.options) <= set(default)
    if "counts_after_default_answer" in case:
        assert pairs(read(case, **question.suggested)) == case["counts_after_default_answer"]
    else:
        assert default[next(iter(default))] is None
        repeated = refusal(case, **question.suggested)
        assert isinstance(repeated, CountsQuestion)
        assert repeated.question == question.question, "None is no answer"


@pytest.mark.parametrize("file", ANSWERED)
def test_an_answer_settles_it(file: str) -> None:
    answers, counts = ANSWERED[file]
    assert by_name(read({"file": file}, **answers)) == counts


@pytest.mark.parametrize("case", [case for case in of("ok") if case.values[0]["mode"] == "raw"])
def test_raw_records_ask_for_their_column(case: dict[str, Any]) -> None:
    question = refusal(case, layout="raw")
    assert isinstance(question, CountsQuestion)
    assert case["column"] in question.options["column"]
    assert question.suggested["column"] == case["column"]


def test_what_was_understood_is_kept() -> None:
    result = read({"file": "semicolon_integer.csv"})
    assert (result.file_format, result.encoding, result.separator) == ("text", "UTF-8", ";")
    assert (result.layout, result.columns, result.header_row, result.sheet) == ("counts", ("colour", "count"), 1, None)
    assert read({"file": "bom_utf8.csv"}).columns == ("colour", "count")
    assert read({"file": "xlsx_two_sheets.xlsx"}, sheet="data").sheet == "data"
    assert read({"file": "header_missing.csv"}).header_row is None
    assert hash(result) == hash(read({"file": "semicolon_integer.csv"}))
