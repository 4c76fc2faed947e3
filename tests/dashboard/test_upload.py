"""The upload panel: what was read is shown before it is used, answers belong to one file, and the list is public."""

import io
import json
import logging
import tomllib
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

import dpbi
from dpbi import limits
from dpbi.dashboard.sidebar import prior
from dpbi.dashboard.words import words
from tests.dashboard.person import (
    EVERY,
    ROOT,
    STAGES,
    answered,
    buttons,
    everything as said,
    offer,
    press,
    select,
    visit,
    waiting_for_a_file,
)

CASES = ROOT / "tests" / "cases"
REFUSED = [case for case in json.loads((CASES / "expected.json").read_text("utf-8"))["cases"]
           if case["expect"] == "error"]  # fmt: skip
RIDES = b"ride\n" + b"walk\nbus\nwalk\nbus\nwalk\n"


def preview(at: AppTest) -> dict[str, int]:
    """The categories and counts of the preview, which is the only table while a file waits."""
    assert "Use these counts" in buttons(at)
    assert not at.get("plotly_chart")
    table = at.main.dataframe[0].value
    return dict(zip(table["Category"], table["Count"], strict=True))


def count_column(at: AppTest, name: str) -> None:
    """The file has a row per person, whose answers stand in the column."""
    while "Continue" in buttons(at):
        for choice in at.main.selectbox:
            choice.set_value(name if name in choice.options else "raw")
        press(at, "Continue")


def give_list(at: AppTest, names: str) -> AppTest:
    field = next(area for area in at.main.text_area if area.label == "One category per line")
    field.set_value(names).run()
    return press(at, "Use this list")


# --- the preview ---


@pytest.mark.usefixtures("few_points")
def test_a_file_is_previewed_then_used_then_kept_and_another_can_be_put_away() -> None:
    at = offer(waiting_for_a_file(), b"colour;votes\nred;3\nblue;9\n")
    assert preview(at) == {"red": 3, "blue": 9}
    assert "2 categories, n = 12" in said(at)
    assert "one row per category; categories from colour, counts from votes" in said(at)
    assert "UTF-8 text; cells separated by semicolons; header in row 1" in said(at)
    press(at, "Use these counts")
    for page in EVERY:
        assert "3 red, 9 blue; n = 12" in said(visit(at, page))
        assert answered(at)
    visit(at, EVERY[0])
    assert preview(offer(at, b"colour,count\ngreen,1\nblue,2\n", "other.csv")) == {"green": 1, "blue": 2}
    press(at, "Discard the file")
    assert "3 red, 9 blue; n = 12" in said(at) and answered(at)


def test_what_the_server_is_told_of_files() -> None:
    """One limit in bytes, the reader's, which the uploader shows. And no module is loaded anew under a running server:
    else the ledger that the app was started with would be forgotten, and its budget with it."""
    told = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))
    assert told["server"]["maxUploadSize"] * 2**20 == limits.UPLOAD_BYTES_LARGEST
    assert told["server"]["fileWatcherType"] == "none"
    assert told["client"]["disableDataExport"] is True, "a formula is alive in Streamlit's own CSV"


def test_counts_beyond_the_products_limit_are_refused_before_they_are_used() -> None:
    at = offer(waiting_for_a_file(), b"x,n\na,9000000000000000000\nb,3\n")
    assert "Use these counts" not in buttons(at)
    assert f"at most {limits.TOTAL_LARGEST:,}, got 9,000,000,000,000,000,003" in said(at)
    at = offer(at, f"x,n\na,{limits.TOTAL_LARGEST - 3}\nb,3\n".encode())
    at = press(at, "Use these counts")
    assert "went wrong" not in said(at) and at.get("plotly_chart")


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case["file"])
def test_a_bad_file_is_refused_in_one_sentence_that_no_log_holds(
    case: dict[str, Any], waiting: AppTest, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        at = offer(waiting, (CASES / case["file"]).read_bytes(), case["file"])
        if "column" in case:
            count_column(at, case["column"])
    assert "Use these counts" not in buttons(at)
    refused = [error.value for error in at.main.error]
    assert len(refused) == ("Continue" not in buttons(at))
    assert all("\n" not in sentence and words.APOLOGY not in sentence for sentence in refused)
    for record in caplog.records:
        assert not record.exc_info
        assert not any(cell in record.getMessage() for cell in ("green", "ticket", "T1", "ride"))


@pytest.fixture(scope="module")
def waiting() -> AppTest:
    return waiting_for_a_file()


# --- what stays ---


def test_a_waiting_file_stays_through_the_pages() -> None:
    at = offer(waiting_for_a_file(), b"colour,count\nred,3\nblue,9\n")
    for page in [*EVERY, *STAGES][::-1]:
        visit(at, page)
        if at.sidebar.get("file_uploader"):  # not every page is about a person's data
            assert preview(at) == {"red": 3, "blue": 9}
    select(at, "prior", prior.SYMMETRIC)
    assert preview(at) == {"red": 3, "blue": 9}
    press(at, "Discard the file")
    assert "Choose a file" in at.main.info[0].value


def test_answers_do_not_carry_over_to_another_file() -> None:
    """Percentages confirmed and a total kept for one file are asked about anew for the next."""
    at = waiting_for_a_file()
    for name in ("one.csv", "other.csv"):
        at = offer(at, b"colour,count\nred,24\ngreen,60\nblue,16\n", name)
        assert "Use these counts" not in buttons(at)
        assert at.main.selectbox[0].value is None
        at.main.selectbox[0].set_value(True).run()
        press(at, "Continue")
        assert preview(at) == {"red": 24, "green": 60, "blue": 16}
    for name, first in (("one.csv", "red"), ("other.csv", "green")):
        at = offer(at, f"colour,count\n{first},12\nblue,30\nTotal,42\n".encode(), name)
        assert at.main.selectbox[0].value == "drop"
        at.main.selectbox[0].set_value("keep").run()
        press(at, "Continue")
        assert preview(at) == {first: 12, "blue": 30, "Total": 42}


def test_columns_are_chosen_anew_for_another_file_and_shown_by_their_names() -> None:
    at = offer(waiting_for_a_file(), b"colour,note,count\nred,x,12\ngreen,y,30\nblue,z,8\n")
    press(at, "Continue")
    assert preview(at) == {"red": 12, "green": 30, "blue": 8}
    at = offer(at, (CASES / "raw_records.csv").read_bytes(), "raw_records.csv")
    assert "Continue" in buttons(at)
    offer(at, b"raw,counts,wide\na,1,x\nb,2,y\n")
    assert at.main.selectbox[0].options == ["raw", "counts", "wide"]


def test_a_question_suggests_its_answer_and_a_wrong_one_can_be_answered_again() -> None:
    rows = b"".join(b"%d,%s\n" % (i, b"yes" if i % 3 else b"no") for i in range(30))
    at = offer(waiting_for_a_file(), b"person,answer\n" + rows)
    asked = [(choice.label, choice.options) for choice in at.main.selectbox]
    layout = next(choice for choice in at.main.selectbox if "one row of counts" in choice.options)
    assert "Change the answers" not in buttons(at) and {"Continue", "Discard the file"} <= {*buttons(at)}
    layout.set_value("wide")
    press(at, "Continue")
    assert "Continue" not in buttons(at)
    press(at, "Change the answers")
    assert [(choice.label, choice.options) for choice in at.main.selectbox] == asked
    count_column(at, "answer")
    assert preview(at) == {"yes": 20, "no": 10}


# --- the rows of the file ---

TOOLS = b"Survey 2024\nid,tools\n1,R;Python\n2,R\n3,Python;Stata\n4,R;Python\nend of the file\n"


def test_rows_are_shown_and_set_by_hand_and_the_python_repeats_all() -> None:
    at = offer(waiting_for_a_file(), TOOLS)
    rows = at.main.dataframe[0].value
    assert list(rows["Taken for"]) == ["left out", "header", "", "", "", "", "left out"] and rows["A"][1] == "id"
    by_hand = {field.label: field for field in at.main.number_input}
    by_hand["Row with the names of the columns (0: none)"].set_value(2)
    by_hand["Filled rows to leave out at its end"].set_value(2)
    press(at, "Read these rows")
    while "Continue" in buttons(at):
        press(at, "Continue")
    assert preview(at) == {"R;Python": 1, "R": 1, "Python;Stata": 1}
    field = next(box for box in at.main.selectbox if box.label.startswith("Count one answer"))
    field.set_value("Python").run()
    assert preview(at) == {"Python: yes": 2, "Python: no": 1}
    again = eval(at.main.code[0].value, {"dpbi": dpbi, "open": lambda *_: io.BytesIO(TOOLS)})
    assert dict(zip(again.labels, again.counts, strict=True)) == preview(at)
    offer(at, (CASES / "xlsx_two_sheets.xlsx").read_bytes(), "two.xlsx")
    assert "The first rows of the sheet 'data'." in said(at) and "Read these rows" not in buttons(at)
    offer(at, (CASES / "parquet_categorical.parquet").read_bytes(), "a.parquet")
    assert "The first rows of the file." in said(at) and "Read these rows" not in buttons(at)


# --- the public list ---


def test_the_list_can_be_typed_and_unseen_categories_get_zero() -> None:
    at = offer(waiting_for_a_file(), b"colour,count\nred,3\nblue,9\n")
    assert words.LIST_FROM_DATA in said(at)
    give_list(at, "blue\ngreen\n red \n")
    assert preview(at) == {"blue": 9, "green": 0, "red": 3}
    assert words.LIST_GIVEN in said(at)
    press(at, "Use no list")
    assert preview(at) == {"red": 3, "blue": 9}


def test_records_outside_the_list_are_asked_about() -> None:
    at = press(offer(waiting_for_a_file(), RIDES), "Continue")
    assert "the list of them is not protected" in said(at)
    give_list(at, "walk\nferry")
    assert "'bus' is not on the list" in said(at)
    press(at, "Continue")
    assert preview(at) == {"walk": 3, "ferry": 0, "(other)": 2}
    assert "the list of them is not protected" not in said(at)
    press(at, "Use these counts")
    assert "3 walk, 0 ferry, 2 (other); n = 5" in said(at)
    press(offer(at, RIDES, "other.csv"), "Continue")
    offer(at, b"a,b\nc,d\n", "list.csv", to=at.main)
    assert "one column: got 2" in said(at)
    offer(at, b"bus\nwalk\nferry\n", "list.csv", to=at.main)
    press(at, "Use this list")
    assert preview(at) == {"bus": 2, "walk": 3, "ferry": 0}


def test_a_list_makes_a_single_answer_a_category() -> None:
    at = press(offer(waiting_for_a_file(), b"choice\nyes\nyes\nyes\n"), "Continue")
    assert "Only one category" in said(at)
    give_list(at, "yes\nno")
    assert preview(at) == {"yes": 3, "no": 0}
    give_list(at, "yes")
    assert "at least two names" in said(at)


def test_empty_answers_are_a_category_if_the_person_says_so() -> None:
    at = offer(waiting_for_a_file(), b"id,choice\n1,a\n2,\n3,b\n4,a\n")
    while "Continue" in buttons(at):
        press(at, "Continue")
    assert preview(at) == {"a": 2, "b": 1}
    at.main.checkbox[0].check().run()
    assert preview(at) == {"a": 2, "b": 1, "(missing)": 1}
    at.main.checkbox[0].uncheck().run()
    assert preview(at) == {"a": 2, "b": 1}
