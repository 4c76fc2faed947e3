"""read_counts on exports of surveys, offices and R: what is asked, and what the suggested answers come to."""

import json
import re
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings, strategies as st

from dpbi.data.files import Counts, CountsError, CountsQuestion, read_counts, table
from dpbi.data.files.answers import CHOICES, Answers
from dpbi.data.files.sums_of_rows import sums_of_rows

from .reader import Asks, Found, Outcome, assert_comes, by_name, followed, read, saved, suggested, workbook

CASES = Path(__file__).parents[1] / "cases" / "imports"
EXPECTED: list[dict[str, Any]] = json.loads((CASES / "expected.json").read_text("utf-8"))["cases"]
# The answers that each of the files is asked for, in turn. One is refused in the end.
ASKED: dict[str, list[set[str]]] = {
    "f01_qualtrics_two_extra_headers.csv": [{"second_header"}],
    "f03_r_rownames_shifted.csv": [],
    "f04b_r_2way_rownames.csv": [{"cells"}],
    "f06_footer_notes.csv": [{"header_row", "skip_footer"}],
    "f07_surveymonkey.csv": [{"second_header"}],
    "f08_google_forms_multiselect.csv": [],
    "f09_likert_items_by_levels.csv": [{"row"}],
    "f11_long_two_years.csv": [{"category_column", "count_column"}, {"cells"}, {"group"}],
    "f13_spss_frequencies.csv": [{"category_column", "count_column"}, {"cells"}, {"group"}, {"total_row"}],
    "f20_raw_number_of_children.csv": [{"unit"}, {"column"}],
    "f21_question_text_false_alarm.csv": [],
    "f22_surveymonkey_response_row.csv": [{"second_header"}],
    "f23_timestamp_first.csv": [{"column"}],
    "f27_hierarchy_indented.csv": [{"total_row"}],
    "f28_superweb.csv": [{"header_row", "skip_footer"}],
    "f29_nomis.csv": [{"header_row", "skip_footer"}, {"category_column", "count_column"}],
    "f40_wide_years.csv": [{"row"}],
    "f41_id_and_numeric_answer.csv": [{"layout"}, {"column"}],
    "f43_r_table_three_factors.csv": [{"category_column", "count_column"}, {"cells"}],
    "x3_gov_accessible_table.xlsx": [{"header_row"}, {"category_column", "count_column"}],
    "x5_ms_forms.xlsx": [],
    "x6_hidden_row.xlsx": [{"hidden"}],
}


@pytest.mark.parametrize("case", EXPECTED, ids=lambda case: case["file"])
def test_each_file_asks_and_ends_right(case: dict[str, Any]) -> None:
    column = {"column": case["column"]} if "column" in case else {}
    wanted = tuple(case.get("after_answer", {}).values())
    came, questions, _ = followed((CASES / case["file"]).read_bytes(), case["file"], wanted, **column)
    assert questions == ASKED[case["file"]]
    if case["expect"] == "error":
        assert isinstance(came, CountsError) and came.row == 8 and "'[c]' is not a count" in str(came)
    else:
        assert isinstance(came, Counts)
        assert [*map(list, by_name(came).items())] == case.get("after", case.get("after_cells"))
    remarks = " ".join(came.warnings) if isinstance(came, Counts) else ""
    assert "can affect several rows" not in remarks
    assert ("may hold several answers" in remarks) == (case["file"] == "f08_google_forms_multiselect.csv")


# --- further kinds ---

FURTHER: dict[str, tuple[str, list[set[str]], dict[str, int]]] = {
    "tidy statistics": (
        "geo\ttime\tage\tvalues\nAT\t2023\tY15\t120\nAT\t2023\tY25\t310\nDE\t2023\tY15\t900\nDE\t2023\tY25\t2500\n",
        [{"category_column", "count_column"}, {"cells"}], {"AT": 430, "DE": 3400}),
    "cross-table with its sums": (
        ",Male,Female,Total\nSmoker,12,18,30\nOther,45,61,106\nTotal,57,79,136\n",
        [{"cells"}], {"Smoker / Male": 12, "Smoker / Female": 18, "Other / Male": 45, "Other / Female": 61}),
    "pandas.crosstab": (
        "answer,No,Yes,All\nsex,,,\nF,9,15,24\nM,7,12,19\nAll,16,27,43\n",
        [{"second_header"}, {"cells"}], {"F / No": 9, "F / Yes": 15, "M / No": 7, "M / Yes": 12}),
    "header of two levels": (
        "Region,2023,,2024,\n,Men,Women,Men,Women\nNorth,10,12,11,13\nSouth,20,25,21,22\n",
        [{"second_header"}, {"cells"}, {"count_column"}], {"North": 10, "South": 20}),
    "units below the header": ("Fuel,Vehicles\n,number\nPetrol,1200\nDiesel,800\n", [{"second_header"}],
                               {"Petrol": 1200, "Diesel": 800}),
    "question texts below codes": (
        "V1,V3,Q1\nResponseID,Name,How satisfied are you?\nR_1,Anonymous,Very\nR_2,Anonymous,Not\nR_3,Anonymous,Very\n",
        [{"second_header"}, {"column"}], {"Very": 2, "Not": 1}),
    "a rule below the header": ("Answer | Count\n-------|------\nYes | 12\nNo | 30\n", [{"second_header"}],
                                {"Yes": 12, "No": 30}),
    "merged cells of groups": ("Sex,Answer,n\nMale,Yes,12\n,No,7\nFemale,Yes,15\n,No,9\n",
                               [{"category_column", "count_column"}, {"cells"}, {"group"}], {"Yes": 12, "No": 7}),
    "Indian groups": ('State,Persons\nKerala,"3,34,06,061"\nGoa,"14,58,545"\n', [{"thousands"}],
                      {"Kerala": 33406061, "Goa": 1458545}),
    "groups of four": ('City,Persons\nA,"334,0606"\nB,"14,5854"\n', [{"thousands"}], {"A": 3340606, "B": 145854}),
    "subtotals below": (
        "Region,Cases\nNorth A,10\nNorth B,21\nNorth total,31\nSouth A,5\nSouth B,8\nSouth total,13\nTotal,44\n",
        [{"total_row"}], {"North A": 10, "North B": 21, "South A": 5, "South B": 8}),
    "sums without a word": (
        "Country,Users\nEngland,160\nLondon,60\nLeeds,40\nYork,60\nWales,50\nCardiff,30\nSwansea,20\n",
        [{"total_row"}], {"London": 60, "Leeds": 40, "York": 60, "Cardiff": 30, "Swansea": 20}),
    "a survey with a number of": (
        "Timestamp,Way to work,Days,Number of children\n2026/05/01 10:00:00 AM GMT+2,Bike,Mon;Fri,2\n"
        "2026/05/01 10:01:00 AM GMT+2,Train,Fri,0\n2026/05/01 10:02:00 AM GMT+2,Bike,Mon,1\n",
        [{"unit"}, {"column"}], {"Bike": 2, "Train": 1}),
    "answers on a scale": ("respondent,q1,q2\nR1,4,5\nR2,5,5\nR3,4,3\nR4,2,4\n", [{"unit"}, {"column"}],
                           {"2": 1, "4": 2, "5": 1}),
    "a scale with some left out": ("Question,Low,High\nPace,20,60\nRoom,22,55\nFood,30,49\n", [{"cells"}, {"row"}],
                                   {"Low": 20, "High": 60}),
    "titles, notes and dots": (
        "Bevölkerung\nStichtag\n;;männlich;weiblich\n2023;Berlin;1.800.123;1.900.456\n2023;Bremen;900.321;950.654\n"
        "__________\n(C)opyright 2024\n",
        [{"header_row", "skip_footer"}, {"cells"}],
        {"2023 / Berlin / männlich": 1800123, "2023 / Berlin / weiblich": 1900456,
         "2023 / Bremen / männlich": 900321, "2023 / Bremen / weiblich": 950654}),
    "one row per country and year": (
        "Entity,Code,Year,Deaths\nAustria,AUT,2019,83\nAustria,AUT,2020,91\nBelgium,BEL,2019,108\n"
        "Belgium,BEL,2020,126\nWorld,OWID_WRL,2020,999\n",
        [{"category_column", "count_column"}, {"cells"}, {"group"}], {"Austria": 83, "Belgium": 108}),
    "pivot table": ("Row Labels,Count of Answer\nAgree,12\nDisagree,7\nNeutral,5\nGrand Total,24\n", [{"total_row"}],
                    {"Agree": 12, "Disagree": 7, "Neutral": 5}),
    "pivot table both ways": (
        "Count of Answer,Column Labels,,\nRow Labels,No,Yes,Grand Total\nF,9,15,24\nM,7,12,19\nGrand Total,16,27,43\n",
        [{"header_row"}, {"cells"}], {"F / No": 9, "F / Yes": 15, "M / No": 7, "M / Yes": 12}),
    "items across": ("Level,Pace,Room,Food\nDisagree,10,12,30\nNeutral,20,22,20\nAgree,68,66,47\n",
                     [{"cells"}, {"count_column"}], {"Disagree": 10, "Neutral": 20, "Agree": 68}),
    "questions below each other": ("Question,Answer,n\nQ1,Yes,12\nQ1,No,30\nQ2,Good,20\nQ2,Bad,22\n",
                                   [{"category_column", "count_column"}, {"cells"}, {"group"}], {"Yes": 12, "No": 30}),
    "codes beside names": (
        "Area Code,Area,Health Code,Health,Observation\nE1,Hull,1,Good,41\nE1,Hull,2,Bad,13\nE2,York,1,Good,65\n"
        "E2,York,2,Bad,20\n",
        [{"category_column", "count_column"}, {"cells"}], {"Hull": 54, "York": 85}),
    "estimates with margins": (
        'Label (Grouping),"Alameda!!Estimate","Alameda!!Margin of Error"\nTotal:,"1,949","±82"\n    Male:,"913","±70"\n'
        '    Female:,"1,036","±71"\n',
        [{"category_column", "count_column"}, {"total_row"}], {"Male:": 913, "Female:": 1036}),
    "a group of all groups": ("Sex,Answer,n\nBoth,Yes,27\nBoth,No,16\nF,Yes,15\nF,No,9\nM,Yes,12\nM,No,7\n",
                              [{"category_column", "count_column"}, {"cells"}, {"total_row"}], {"F": 24, "M": 19}),
    "a source with a year": ("Answer,n\nYes,12\nNo,30\nMaybe,7\nAs of 3 January, 2024\n", [{"skip_footer"}],
                             {"Yes": 12, "No": 30, "Maybe": 7}),
    "people with times": (
        "id,submitdate,lang,Q1,Q2[1],Q2[2]\n1,2024-03-01 10:00:00,en,Yes,4,5\n2,2024-03-01 11:00:00,en,No,2,5\n"
        "3,2024-03-02 11:00:00,de,Yes,1,3\n4,2024-03-02 12:00:00,de,No,4,2\n",
        [{"unit"}, {"column"}], {"en": 2, "de": 2}),
}  # fmt: skip


@pytest.mark.parametrize("kind", FURTHER)
def test_further_kinds(kind: str) -> None:
    text, questions, counts = FURTHER[kind]
    assert suggested(text) == counts
    assert followed(text).asked == questions


# --- the answers ---

TWO_WAY = "Sex,Yes,No\nF,9,15\nM,7,12\n"
YEARS = "year,kind,count\n2023,A,10\n2023,B,20\n2024,A,12\n2024,B,25\n"


BOTH, OF_BOTH = FURTHER["a group of all groups"][0], {"category_column": "Answer", "count_column": "n"}
KINDS = {"category_column": "kind", "count_column": "count"}
CHILDREN = "Region,Number of children\nNorth,2\nSouth,0\nNorth,1\n"
ABOVE_AND_BELOW = "x\ny,z\nkind,n\na,1\nb,3\nend,5\n"
SEVERAL = "id,tools\n1,R;Python\n2,R\n3,Python;Stata;\n4,R;Python\n"
WAYS: list[tuple[str, tuple[str, ...], dict[str, Any], Found]] = [
    (TWO_WAY, (), {"cells": "row sums"}, {"F": 24, "M": 19}),
    (TWO_WAY, (), {"cells": "column sums"}, {"Yes": 16, "No": 27}),
    (TWO_WAY, ("M",), {"cells": "row"}, {"Yes": 7, "No": 12}),
    (TWO_WAY, (), {"row": "M"}, {"Yes": 7, "No": 12}),
    (TWO_WAY, ("No",), {"cells": "column"}, {"F": 15, "M": 12}),
    (YEARS, (), {**KINDS, "cells": "all"}, {"2023 / A": 10, "2023 / B": 20, "2024 / A": 12, "2024 / B": 25}),
    (YEARS, (), {**KINDS, "cells": "group sums"}, {"A": 22, "B": 45}),
    (YEARS, (), {**KINDS, "group": "2024"}, {"A": 12, "B": 25}),
    (BOTH, (), {**OF_BOTH, "cells": "group sums"}, {"Yes": 27, "No": 16}),
    # what a row stands for
    (CHILDREN, (), {"unit": "category"}, {"North": 3, "South": 0}),
    ("Region,Number of deaths\nNorth,2\nSouth,0\n", (), {}, {"North": 2, "South": 0}),
    # rows left out by hand
    (ABOVE_AND_BELOW, (), {"skip_rows": 2, "skip_footer": 1}, {"a": 1, "b": 3}),
    (ABOVE_AND_BELOW, (), {"header_row": 3, "skip_footer": 0}, {"a": 1, "b": 3, "end": 5}),
    ("a,1\nb,3\nc,9\n", (), {"header_row": 0, "skip_rows": 1}, {"b": 3, "c": 9}),
    # a second header can be data
    ("id,why\nT0,\nT1,walk\nT2,walk\nT3,bus\n", (), {"column": "why"}, {"walk": 2, "bus": 1}),
    ("name,age\nann,unknown\nbert,34\ncarl,34\n", (), {"column": "age"}, {"unknown": 1, "34": 2}),
    # one answer of several
    (SEVERAL, (), {"column": "tools", "chosen": "Python"}, {"Python: yes": 3, "Python: no": 1}),
]
OF_A_ROW: list[tuple[str, dict[str, Any], Outcome]] = [
    (CHILDREN, {}, Asks(unit="person")),
    ("Region,Count\nNorth,2\nSouth,0\nNorth,1\nSouth,5\n", {}, Asks(unit="category")),
    ("name,number of children\nAnna,2\nBert,0\nCarl,3\n", {}, Asks(unit="person")),
]
NO_WAY: list[tuple[str, dict[str, Any], str]] = [
    (TWO_WAY, {"row": "X"}, ""), (TWO_WAY, {"cells": "group"}, ""), (YEARS, {**KINDS, "group": "1999"}, ""),
    (YEARS, {**KINDS, "cells": "column sums"}, ""), ("kind,count\nA,1\nB,3\n", {"group": "A"}, ""),
    (ABOVE_AND_BELOW, {"skip_rows": 6}, "leave no row"),
    (ABOVE_AND_BELOW, {"skip_rows": 3, "skip_footer": 3}, "leave no row"),
    *((ABOVE_AND_BELOW, wrong, "must") for wrong in (
        {"skip_rows": -1}, {"skip_footer": True}, {"row": 3}, {"unit": "row"}, {"hidden": True})),
    ("Fuel,Vehicles\n,number\nPetrol,1200\nDiesel,800\n", {"second_header": "keep"}, "'number'"),
    (SEVERAL, {"column": "tools", "chosen": "Perl"}, "nobody answered 'Perl'"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "wanted", "answers", "counts"), WAYS)
def test_every_way_through_a_table(
    text: str, wanted: tuple[str, ...], answers: dict[str, Any], counts: Found
) -> None:
    assert suggested(text, "a.csv", *wanted, **answers) == counts


@pytest.mark.parametrize(("text", "answers", "expected"), [*OF_A_ROW, *NO_WAY])
def test_what_a_row_stands_for_and_answers_that_lead_nowhere(
    text: str, answers: dict[str, Any], expected: Outcome
) -> None:
    assert_comes(expected, text, **answers)


def test_what_single_answers_a_cell_holds() -> None:
    assert set(read(SEVERAL, column="tools").single_answers) == {"R", "Python", "Stata"}


def test_every_answer_is_described() -> None:
    answers = str(read_counts.__doc__).split("Returns")[0]
    for field in fields(Answers):
        assert re.search(rf"\b{field.name}\b", answers), field.name
    for choices in CHOICES.values():
        assert all(f'"{choice}"' in answers for choice in choices if isinstance(choice, str)), choices


def with_hidden(change: Callable[[Any], None]) -> bytes:
    book = workbook([["kind", "secret", "n"], ["a", "x", 12], ["b", "y", 30], ["test", "z", 5]])
    change(book.worksheets[0])
    return saved(book)


def hide_row(sheet: Any) -> None:
    sheet.row_dimensions[4].hidden = True


def hide_column(sheet: Any) -> None:
    sheet.column_dimensions["B"].hidden = True


def filter_rows(sheet: Any) -> None:
    sheet.auto_filter.ref = "A1:C4"
    sheet.auto_filter.add_filter_column(0, ["a", "b"])
    hide_row(sheet)


@pytest.mark.parametrize(("change", "words", "left"), [
    (hide_row, "row 4 of the sheet is hidden", {"a": 12, "b": 30}),
    (filter_rows, "a filter leaves out", {"a": 12, "b": 30}),
    (hide_column, "column 2 of the sheet is hidden", {"a": 12, "b": 30, "test": 5}),
])  # fmt: skip
def test_what_a_workbook_hides_is_asked_about(change: Any, words: str, left: dict[str, int]) -> None:
    data = with_hidden(change)
    with pytest.raises(CountsQuestion, match=words) as question:
        read(data, "a.xlsx")
    assert question.value.suggested == {"hidden": "drop"}
    assert suggested(data, "a.xlsx") == left
    assert suggested(data, "a.xlsx", hidden="keep") == {"a": 12, "b": 30, "test": 5}


def test_the_rows_of_the_file_are_shown_with_what_they_are_taken_for() -> None:
    text = "Title\n\nkind,n\n" + "".join(f"k{i},{i + 5}\n" for i in range(30)) + "Source: x\n"
    with pytest.raises(CountsQuestion) as question:
        read_counts(text.encode(), "a.csv")
    preview = question.value.preview
    assert preview is not None
    assert (preview.rows[:3], preview.rows[-1], preview.filled) == ((1, 3, 4), 34, 33)
    assert preview.taken_for[:3] == ("left out", "names", "data") and preview.taken_for[-1] == "left out"
    assert preview.cells[1] == ("kind", "n")
    again = read("kind,n\na,1\nb,3\n").preview
    assert again is not None and again.header_row == 1


# --- whether numbers beside names may be answers of people: the rule of Column.reads_as_an_answer ---

COUNTS_BY_NATURE = (
    "count", "n", "N", "freq", "Frequency", "total", "Persons", "people", "cases", "Number of respondents",
    "number of cases", "Deaths", "Number of deaths", "Observations", "obs_value", "Votes", "Population",
    "total_deaths", "Visitors", "Anzahl", "Häufigkeit", "Anzahl Personen", "Anzahl der Befragten", "Fälle", "Einwohner",
    "Stimmen", "Todesfälle", "Nennungen", "Effectifs", "2023", "",
)  # fmt: skip
OF_ONE_PERSON = (
    "Number of children", "children", "How many pets?", "No of siblings", "number of cars", "Score", "total score",
    "Income", "monthly_income_eur", "Hours", "hours per week", "Weight (kg)", "Age in years", "visits", "Rating",
    "Count of rooms", "How satisfied are you", "Distance", "Anzahl Kinder", "Kinderzahl", "Anzahl der Autos",
    "Wie viele Geschwister haben Sie?", "Alter", "Einkommen", "Haushaltsgröße", "Punkte", "Stunden", "Note",
    "Anzahl Haustiere", "nombre d'enfants", "número de hijos", "antal børn",
)  # fmt: skip


@pytest.mark.parametrize("numbers", [(2, 0, 1, 7), (1200, 450, 3100, 90)], ids=["small", "large"])
@pytest.mark.parametrize("names", ["Region", "Ort"])
def test_a_header_says_whether_numbers_are_counts(names: str, numbers: tuple[int, ...]) -> None:
    for header in COUNTS_BY_NATURE + OF_ONE_PERSON:
        text = f"{names},{header}\n" + "".join(f"{'ABCD'[i]},{number}\n" for i, number in enumerate(numbers))
        asked = followed(text, header_row=1).asked
        if header in COUNTS_BY_NATURE:
            assert asked == [], header
        else:
            assert asked[0] in ({"unit"}, {"layout"}), header
        assert read(text, unit="category", header_row=1).counts == numbers
    text = f"{names},Vehicles\n" + "".join(f"{'ABCD'[i]},{number}\n" for i, number in enumerate(numbers))
    assert (followed(text).asked == []) == (max(numbers) > 20), "other words: by the numbers"


@pytest.mark.parametrize(("text", "asks"), [
    ("Age,Children,Income\n34,2,3000\n", "unit"), ("City,Born\nBonn,1980\nUlm,1990\nJena,1985\n", "layout"),
    ("who,Steps\nP01,12034\nP02,8000\nP03,9100\n", "layout"), ("Student,Total\nAnna,45\nBen,62\n", "unit"),
    ("Answer,Result\nYes,64\nNo,31\nMaybe,4\n", "confirm_percentages"), ("a,n\nb,5\nc,7\nRespondents,9\n", "total_row"),
])  # fmt: skip
def test_what_is_asked_first(text: str, asks: str) -> None:
    assert asks in followed(text).asked[0]


def test_several_answers_of_one_person_are_remarked_on() -> None:
    warnings = read("Tools (multiple answers),n\nR,30\nPython,42\n").warnings
    assert any("each moves several counts" in warning for warning in warnings)


@pytest.mark.parametrize("text", [
    "     answer\nsex   No Yes\n  F    9  15\n  M    7  12\n", "  No  Yes \n   9   15 \n",
])  # fmt: skip
def test_a_table_as_it_is_printed_is_refused_in_words(text: str) -> None:
    assert_comes("with spaces between; save the table as CSV", text)


# --- the suggested answers lead to an end ---

HEADERS = st.sampled_from([*COUNTS_BY_NATURE, *OF_ONE_PERSON, "id", "Code", "Year", "name", "%", "Region", "Timestamp"])
CELLS = st.one_of(
    st.sampled_from(["a", "b", "c", "North", "South", "Total", "yes", "no", "2023", "2024", "12:30", "2024-05-01", "R1",
                     "<5", "", "x;y", "50%", "AUT", "3 (10%)", "1,234", "note: x", "-"]),
    st.integers(0, 30).map(str), st.integers(0, 10**5).map(str),
)  # fmt: skip


@settings(max_examples=150)
@given(st.data(), st.integers(1, 5), st.integers(1, 9), st.sampled_from(",;\t"))
def test_suggested_answers_lead_to_an_end(data: st.DataObject, width: int, height: int, mark: str) -> None:
    """Columns of one kind each, for the most part: names all different, names that come again, numbers, anything."""
    different = st.just([f"name {i}" for i in range(height)])
    again = st.lists(st.sampled_from(["red", "green", "blue"]), min_size=height, max_size=height)
    numbers = st.lists(st.integers(0, 400).map(str), min_size=height, max_size=height)
    anything = st.lists(CELLS, min_size=height, max_size=height)
    columns = [data.draw(st.one_of(different, again, numbers, numbers, anything)) for _ in range(width)]
    rows = [[data.draw(HEADERS) for _ in range(width)], *zip(*columns, strict=True)]
    quoted = [mark.join(f'"{cell}"' if mark in cell else cell for cell in row) for row in rows]
    came, turns, _ = followed("\n".join(quoted))
    if isinstance(came, Counts) and came.layout == "counts" and not turns:
        assert len(came.columns) == 2 and (width == 2 or height == 1 or "" in rows[0]), "read unasked"


@pytest.mark.parametrize("path", sorted(path for path in CASES.parent.rglob("*.*") if path.suffix != ".json"),
                         ids=lambda path: path.name)  # fmt: skip
def test_suggested_answers_to_each_case_lead_to_an_end(path: Path) -> None:
    followed(path.read_bytes(), path.name)


# --- properties ---

trees = st.recursive(st.integers(501, 10**6), lambda below: st.lists(below, min_size=2, max_size=4), max_leaves=12)


def total(tree: Any) -> int:
    return tree if isinstance(tree, int) else sum(map(total, tree))


def written(tree: Any, depth: int, first: bool) -> list[tuple[str, int, bool]]:
    """The rows of a tree, sums before or after what they sum: name, count, whether it is a sum."""
    if isinstance(tree, int):
        return [("  " * depth + "leaf", tree, False)]
    below = [row for branch in tree for row in written(branch, depth + 1, first)]
    own = [("  " * depth + "node", total(tree), True)]
    return own + below if first else below + own


@settings(max_examples=60)
@given(trees, st.booleans())
def test_indented_sums_are_found_at_every_level(tree: Any, first: bool) -> None:
    rows = written(tree, 0, first)
    assume(len(rows) > 2)
    names, counts = [name for name, _, _ in rows], [count for _, count, _ in rows]
    sums = {i for i, (_, _, is_sum) in enumerate(rows) if is_sum}
    values = [count for i, count in enumerate(counts) if i not in sums]
    assume(len(set(values)) == len(values))  # chance is another matter
    came = sums_of_rows(names, [[count] for count in counts])
    assert came is not None and came.certain
    assert sums <= came.at


@settings(max_examples=60)
@given(st.lists(st.integers(10**5, 10**12), min_size=2, max_size=6))
def test_indian_groups_are_read_back(counts: list[int]) -> None:
    def grouped(count: int) -> str:
        head, tail = divmod(count, 1000)
        pairs = []
        while head:
            head, two = divmod(head, 100)
            pairs.append(f"{two:02d}" if head else str(two))
        return ",".join([*reversed(pairs), f"{tail:03d}"])

    text = "kind;count\n" + "".join(f"k{i};{grouped(count)}\n" for i, count in enumerate(counts))
    chosen = {"layout": "counts", "total_row": "keep"}
    assert_comes(Asks(chosen, thousands="lakh"), text, **chosen)
    assert read(text, **chosen, thousands="lakh").counts == tuple(counts)


@pytest.mark.parametrize(("cell", "is_one"), [
    ("5/10/18 4:01", True), ("2026-05-01 10:00:00", True), ("2026/05/01 10:00:00 AM GMT+2", True), ("10:30", True),
    ("2026-05-01T10:00:00Z", True), ("05.01.2026", True), ("12", False), ("1-2", False), ("18-24", False),
    ("1.234", False), ("yes", False), ("", False), ("4:01 walks", False),
])  # fmt: skip
def test_times(cell: str, is_one: bool) -> None:
    assert table.is_time(cell) == is_one
