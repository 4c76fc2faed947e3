"""The page Data: every entry of the form changes what comes out at once, and nothing is used before it is pressed."""

import io
import json
import logging
import tomllib
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

import dpbi
from dpbi import limits
from dpbi.dashboard.sidebar import data_source
from dpbi.dashboard.take_away import scenario_file
from dpbi.dashboard.views.brought import Brought
from dpbi.dashboard.words import data as data_words, words
from dpbi.data.files.encoding import ENCODINGS
from dpbi.data.files.form import ADDED, APART, COUNTS, RAW, WIDE
from tests.dashboard.person import (
    CURVES,
    DATA,
    PATIENCE,
    QUIET,
    ROOT,
    answered,
    bare,
    buttons,
    everything,
    led_to,
    offer,
    opened,
    press,
    ran,
    select,
    visit,
)
from tests.data.reader import saved, workbook

CASES = ROOT / "tests" / "cases"
REFUSED = [case for case in json.loads((CASES / "expected.json").read_text("utf-8"))["cases"]
           if case["expect"] == "error"]  # fmt: skip
USE, DISCARD, NOISY_PAGE = "Use these counts", "Discard the file", "Read_noisy_counts"
PAIRS, NOISY = b"colour;votes\nred;3\nblue;9\n", b"region,dp_count,noise_stddev\nN,103,10\nS,48,10\nW,<90,10\n"
PEOPLE = b"person,choice,town\n1,tea,A\n2,,B\n3,milk,A\n4,tea,B\n5,tea,A\n"
QUESTIONS = b"name,question,answer\nA,Q1,yes\nA,Q2,no\nB,Q1,yes\nB,Q2,yes\nC,Q1,no\nC,Q2,no\n"
VOTES = b"town,answer,count\nA,yes,41\nA,no,38\nB,yes,50\nB,no,12\n"


def brought(content: bytes, name: str = "mine.csv", at: AppTest | None = None) -> AppTest:
    """A file brought to the page, where one may be that is discarded first."""
    at = at or opened(DATA)
    return offer(press(at, DISCARD) if DISCARD in buttons(at) else at, content, name)


def comes_to(at: AppTest) -> dict[str, int]:
    """The categories and counts that come out; {} where the form is refused. Where it is said that counts may be noisy,
    and there alone, a link leads to the page that reads them."""
    tables = [table.value for table in at.main.table if "Category" in table.value]
    usable = not buttons(at)[USE].disabled or data_words.IN_USE in [box.value for box in at.success]
    assert bool(tables) == usable == (not at.main.error)
    assert ("on the page Read noisy counts" in everything(at)) == (NOISY_PAGE in led_to(at))
    return {bare(name).strip("\u2068\u2069"): int(count.replace(",", ""))
            for table in tables for name, count in zip(table["Category"], table["Count"], strict=True)}  # fmt: skip


def entry(at: AppTest, name: str) -> Any:
    widgets = [*at.main.radio, *at.main.selectbox, *at.main.multiselect, *at.main.text_area]
    return next(widget for widget in widgets if widget.label == data_words.ENTRIES[name][0])


def say(at: AppTest, name: str, value: Any) -> AppTest:
    return ran(entry(at, name).set_value(value))


def guessed(at: AppTest) -> str:
    """The entries that are said to be guessed, beside what comes out."""
    return "".join(caption.value for caption in at.main.caption if caption.value.startswith("**Guessed, with"))


def used(at: AppTest, page: str = QUIET) -> bool:
    """Whether another page shows the counts of the first file."""
    shows = "3 red, 9 blue; n = 12" in everything(visit(at, page))
    assert answered(at) == shows
    return shows


# --- used, kept, put away ---


@pytest.mark.usefixtures("few_points")
def test_one_press_puts_counts_into_use_on_every_page_and_a_change_does_not() -> None:
    at = brought(PAIRS)
    assert comes_to(at) == {"red": 3, "blue": 9} and "2 categories, n = 12" in at.main.subheader[0].value
    select(visit(at, QUIET), "source", data_source.FILE)
    assert data_words.NOTHING_IN_USE in everything(at) and not answered(at)
    assert data_words.IN_USE in [box.value for box in press(visit(at, DATA), USE).success]
    assert all(used(at, page) for page in (CURVES, "pages/7_Release.py", QUIET)) and not at.sidebar.warning
    assert "In use: mine.csv, 2 categories, n = 12." in [bare(caption.value) for caption in at.sidebar.caption]
    for layout, came in ((RAW, {"red": 1, "blue": 1}), (WIDE, {})):  # another outcome, and none
        assert comes_to(say(visit(at, DATA), "layout", layout)) == came
        assert data_words.KEPT in everything(at) and not at.success
        assert used(at) and "not in use" in at.sidebar.warning[0].value
    assert comes_to(brought(b"a,n\nx,120\ny,250\n", "other.csv", visit(at, DATA))) == {"x": 120, "y": 250}
    assert used(at) and "other" in at.sidebar.warning[0].value
    assert data_words.BRING_AGAIN in everything(press(visit(at, DATA), DISCARD)) and not at.main.table
    assert used(at) and not at.sidebar.warning


def test_a_form_changed_and_back_is_in_use_again_and_one_not_in_sight_can_be_used_again() -> None:
    at = press(ran(opened(DATA).main.text_area[0].set_value("colour\tvotes\nred\t3\nblue\t9")), USE)  # pasted
    assert say(say(at, "layout", RAW), "layout", COUNTS).success and buttons(at)[USE].disabled
    select(visit(at, QUIET), "source", data_source.EXAMPLE)
    assert used(press(visit(at, DATA), USE))


def test_after_a_reload_it_is_said_what_must_be_brought_again() -> None:
    source = scenario_file.name_of_option(data_source.FILE)
    scripts: list[Any] = [*press(brought(PAIRS), USE).get("html")]
    (address,) = [script.proto.body for script in scripts if '["address", ' in script.proto.body]
    assert f'"?source={source}"' in address
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE)
    at.query_params["source"] = source
    assert data_words.BRING_AGAIN in everything(visit(at, DATA)) and not opened(DATA).info
    at.session_state["settings"]["uploaded"] = {"name": "mine.csv", "labels": ["red", "blue"], "counts": [3, 9]}
    assert "In use: mine.csv" in everything(ran(at)) and used(at)  # as a link or settings bring them


def test_two_sessions_and_two_files_do_not_mix() -> None:
    one, other = brought(b"a,n\nx,12\ny,30\nTotal,42\n"), brought(PAIRS)
    assert comes_to(say(one, "leave_out", [])) == {"x": 12, "y": 30, "Total": 42}
    assert comes_to(ran(other)) == {"red": 3, "blue": 9}
    assert comes_to(brought(b"a,n\nu,1\nv,2\nTotal,3\n", at=one)) == {"u": 1, "v": 2}


# --- the form ---

SEVERAL = b"id,tools\n1,R;Python\n2,R\n3,Python\n4,R;Python\n"
SAID: dict[str, tuple[bytes, dict[str, Any], dict[str, int]]] = {
    "no header": (b"red,3\nblue,9\n", {"header_row": []}, {"red": 3, "blue": 9}),
    "header below a title": (b"Survey\nx,n\nred,3\nblue,9\n", {"header_row": [2]}, {"red": 3, "blue": 9}),
    "two header rows": (b"Vote,\nYes,No\n3,9\n", {"header_row": [1, 2], "layout": WIDE},
                        {"Vote / Yes": 3, "Vote / No": 9}),
    "a row less": (b"x,n\na,1\nb,2\nc,4\n", {"leave_out": [3]}, {"a": 1, "c": 4}),
    "people of a column": (PEOPLE, {"layout": RAW, "column": ["town"]}, {"A": 3, "B": 2}),
    "people of two": (PEOPLE, {"layout": RAW, "column": ["choice", "town"]},
                      {"tea / A": 2, "milk / A": 1, "tea / B": 1}),
    "no answer": (PEOPLE, {"layout": RAW, "column": ["choice"], "missing": "keep"},
                  {"tea": 3, "milk": 1, "(missing)": 1}),
    "one answer alone": (SEVERAL, {"layout": RAW, "column": ["tools"], "chosen": "R"}, {"R: yes": 3, "R: no": 1}),
    "one group": (VOTES, {"layout": COUNTS, "category_column": ["answer"], "count_column": ["count"],
                          "group_column": ["town"], "group": "B"}, {"yes": 50, "no": 12}),
    "all groups": (VOTES, {"category_column": ["answer"], "group_column": ["town"], "group": ADDED},
                   {"yes": 91, "no": 50}),
    "each group": (VOTES, {"category_column": ["answer"], "group_column": ["town"], "group": APART},
                   {"A / yes": 41, "A / no": 38, "B / yes": 50, "B / no": 12}),
    "rows of one town": (PEOPLE, {"layout": RAW, "column": ["choice"], "only": [("town", "A")]},
                         {"tea": 2, "milk": 1}),
    "rows guessed": (QUESTIONS, {"column": ["answer"]}, {"yes": 2, "no": 1}),
    "another question": (QUESTIONS, {"column": ["answer"], "only": [("question", "Q2")]}, {"yes": 1, "no": 2}),
    "all rows": (QUESTIONS, {"only": [], "column": ["answer"]}, {"yes": 3, "no": 3}),
    "columns of groups": (b"town,yes,no\nA,41,38\nB,50,12\n", {"layout": WIDE, "group": "A"}, {"yes": 41, "no": 38}),
    "one column less": (b"town,yes,no,none\nA,4,3,1\nB,5,1,1\n", {"columns": ["yes", "no"], "group": ADDED},
                        {"yes": 9, "no": 4}),
    "thousands": (b"x;n\na;1.234\nb;2.345\n", {"thousands": "."}, {"a": 1234, "b": 2345}),
    "not percentages": (b"x,n\na,24\nb,60\nc,16\n", {"confirm_percentages": True}, {"a": 24, "b": 60, "c": 16}),
    "percentages": (b"x,n\na,24\nb,60\nc,16\n", {"confirm_percentages": False}, {}),
    "letters": ("x,n\nда,3\nнет,4\n".encode("koi8_r"), {"encoding": "KOI8-R"}, {"да": 3, "нет": 4}),
    "noisy counts": (NOISY, {"layout": COUNTS, "count_column": ["dp_count"], "leave_out": [4]}, {"N": 103, "S": 48}),
    "withheld ones": (NOISY, {"leave_out": []}, {}),
    "a column of noise": (b"region,noisy\nN,-2.5\nS,4.1\n", {"count_column": ["noisy"]}, {}),
    "no column of noise": (b"answer,private\na,yes\nb,no\na,yes\n", {"layout": RAW, "column": ["answer"]},
                           {"a": 2, "b": 1}),
    "a list": (PAIRS, {"categories": "blue\ngreen\n red \n"}, {"blue": 9, "green": 0, "red": 3}),
    "all else": (PAIRS, {"categories": "blue\ngreen", "unlisted": "other"}, {"blue": 9, "green": 0, "(other)": 3}),
    "nothing else": (PAIRS, {"categories": "blue\ngreen", "unlisted": "refuse"}, {}),
    "too short a list": (PAIRS, {"categories": "blue"}, {}),
}  # fmt: skip


@pytest.mark.parametrize("kind", SAID)
def test_each_entry_can_be_changed_and_the_python_repeats_it(kind: str) -> None:
    content, entries, counts = SAID[kind]
    at = brought(content)
    for name, value in entries.items():
        say(at, name, value)
    assert comes_to(at) == counts
    if counts:
        call = press(at, USE).session_state["settings"]["uploaded"]["reading"]
        again = eval(call, {"dpbi": dpbi, "open": lambda *_: io.BytesIO(content)})
        assert dict(zip(again.labels, again.counts, strict=True)) == counts


def test_every_encoding_that_is_read_can_be_said_and_one_that_does_not_fit_is_not_taken() -> None:
    assert {*data_words.CHOICES["encoding"]} == {*ENCODINGS}
    assert comes_to(at := ran(say(brought("x,n\né,3\nü,4\n".encode("cp1252")), "encoding", "UTF-8"))) == {
        "é": 3, "ü": 4} and entry(at, "encoding").value == "Windows-1252"  # fmt: skip
    assert data_words.ENTRIES["encoding"][0] in guessed(at)
    assert comes_to(say(at, "encoding", "Windows-1251")) == {"й": 3, "ь": 4} and not guessed(at)


def test_another_sheet_has_entries_of_its_own() -> None:
    one, two = ([["name", "n"], *zip(names, (8, 9, 12), strict=True)] for names in ("xyz", "uvw"))
    assert comes_to(at := say(brought(saved(workbook(one=one, two=two)), "two.xlsx"), "leave_out", [4])) == {
        "x": 8, "y": 9}  # fmt: skip
    assert comes_to(say(at, "sheet", "two")) == {"u": 8, "v": 9, "w": 12}
    assert comes_to(say(at, "sheet", "one")) == {"x": 8, "y": 9}


def test_an_event_that_comes_late_and_a_sheet_without_cells_leave_the_form() -> None:
    late = Brought("mine.csv", PEOPLE)
    assert late.read().form.entries["layout"] == RAW
    for name, value in (("layout", COUNTS), ("column", ("town",)), ("category_column", ("choice",)), ("layout", RAW)):
        late.say(name, value)
        assert (came := late.read()).form.entries["layout"] == (value if name == "layout" else COUNTS)
    assert came.counts is not None
    at = say(brought(saved(workbook(one=[["x", "n"], ["a", 1], ["b", 3]], none=[])), "two.xlsx"), "sheet", "none")
    assert comes_to(at) == {"a": 1, "b": 3} and "The sheet 'none' is empty" in everything(at)


def test_what_was_said_survives_a_change_of_mind() -> None:
    at = say(brought(PEOPLE), "layout", RAW)
    assert not comes_to(say(at, "column", [])) and entry(at, "column").value == []  # before another is put in
    say(say(at, "column", ["town"]), "layout", COUNTS)
    assert comes_to(at) != {"A": 3, "B": 2}
    assert comes_to(say(at, "layout", RAW)) == {"A": 3, "B": 2}
    assert "**Guessed.** Column: there is no column called 'town'" in everything(say(at, "header_row", [2]))
    assert "town" not in entry(at, "column").options and "Column to count" in guessed(at)
    assert comes_to(say(at, "header_row", [1])) == {"A": 3, "B": 2} and not guessed(at)
    assert entry(at, "column").value == ["town"]


def test_doubts_stand_beside_their_entries_and_rows_left_out_in_words() -> None:
    cells = (at := brought(b"Survey,\nx,n\na,12\nb,30\nNote: as asked in May.,\n")).main.table[0].value
    assert dict(zip(cells["Row"], cells["Taken for"], strict=True)) == {
        "1": "left out", "2": "names", "3": "", "4": "", "5": "left out"}  # fmt: skip
    assert "**Guessed.** Row 2 seems to hold the names" in everything(at)
    assert "Left out: row 5 (a note below the table)." in everything(at)


# --- refused ---


@pytest.mark.parametrize("made", [
    dpbi.release(dpbi.mechanisms.Geometric(1.0), dpbi.Problem((1, 1), (4, 5))).to_json(),
    '{"format_version": 2, "format":"dpbi ledger of releases", "entries": [',  # cut off
])  # fmt: skip
def test_the_file_of_a_release_is_led_to_the_page_that_reads_it(made: str) -> None:
    assert not comes_to(at := brought(made.encode(), "it.json")) and "dpbi.read_release" in everything(at)


def test_what_the_server_is_told_of_files() -> None:
    """One limit in bytes, the reader's, which the uploader shows. And no module is loaded anew under a running server:
    else the ledger that the app was started with would be forgotten, and its budget with it."""
    told = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))
    assert told["server"]["maxUploadSize"] * 2**20 == limits.UPLOAD_BYTES_LARGEST
    assert told["server"]["fileWatcherType"] == "none"
    assert told["client"]["disableDataExport"] is True, "a formula is alive in Streamlit's own CSV"


def test_counts_beyond_the_products_limit_are_refused_before_they_are_used() -> None:
    at = brought(b"x,n\na,9000000000000000000\nb,3\n")
    assert not comes_to(at) and f"at most {limits.TOTAL_LARGEST:,}, got 9,000,000,000,000,000,003" in everything(at)
    at = visit(press(brought(f"x,n\na,{limits.TOTAL_LARGEST - 3}\nb,3\n".encode(), at=at), USE), QUIET)
    assert "went wrong" not in everything(at) and at.get("plotly_chart")


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case["file"])
def test_a_bad_file_is_refused_in_one_sentence_that_no_log_holds(
    case: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        at = brought((CASES / case["file"]).read_bytes(), case["file"])
        if "column" in case and at.main.radio:
            say(say(at, "layout", RAW), "column", [case["column"]])
    refused = [error.value for error in at.main.error]
    assert len(refused) == (comes_to(at) == {}) and (refused or "**Guessed.**" in everything(at))
    assert not any("\n" in sentence or words.APOLOGY in sentence for sentence in refused)
    assert not [record for record in caplog.records if record.exc_info] and not [
        cell for cell in ("green", "ticket", "T1", "ride") if cell in caplog.text]  # fmt: skip
