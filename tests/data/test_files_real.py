"""Files as people have them, met in a trial: each leads to the right counts when it is answered as suggested."""

import pytest

from .reader import Found, outcome, refused, suggested

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


@pytest.mark.parametrize(
    ("table", "counts"),
    [
        (SURVEYMONKEY, {"Very likely": 11, "Likely": 6, "Unlikely": 3}),
        (TITLE_WITH_A_COMMA, {"Elm": 12, "Oak": 30, "Fir": 7}),
        ("Elm,Oak,Fir\nElm,Oak,Fir\n25,21,9\n", {"Elm": 25, "Oak": 21, "Fir": 9}),
        (",2019,2020\n,2019,2020\nElm,24,6\nOak,58,47\n", {"Elm": 24, "Oak": 58}),
        (EUROSTAT, {"F,AT": 4503, "M,AT": 4355}),
        (DOTTED, {"Lugo / Hombres": 1158421, "Lugo / Mujeres": 1167592, "Soria / Hombres": 4044612,
                  "Soria / Mujeres": 4044136}),
    ],
)  # fmt: skip
def test_what_follows_from_the_suggestions(table: str, counts: Found) -> None:
    assert suggested(table) == counts


def test_a_year_whose_numbers_all_carry_a_mark_holds_counts_that_are_refused() -> None:
    assert "2020" not in str(outcome(EUROSTAT, header_row=1, cells="column"))
    assert "'4522 p' is not a count" in refused(EUROSTAT, header_row=1, cells="column", count_column="2020")


def test_a_heading_among_the_rows_is_named() -> None:
    assert "remove the row if it is a heading" in refused("Answer,n\nSex,\nMen,12\nWomen,30\n")
