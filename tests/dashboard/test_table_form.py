"""Groups and questions of a file on the page Data: the form, what comes out at once, and what it is then used for."""

import io
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

import dpbi
from dpbi import CountTable
from dpbi.dashboard.sidebar import grouped
from dpbi.dashboard.views.brought import Brought
from dpbi.dashboard.views.table_form import TableInUse
from dpbi.dashboard.words import data as data_words, release_tables as release_words, table_form as said, words
from dpbi.data.files.form import COUNTS, RAW, WIDE
from tests.dashboard.person import DATA, answered, bare, buttons, everything, led_to, offer, opened, press, ran, visit
from tests.data.test_count_table import ANSWERS, REGIONS, long, people, raw, wide

RELEASE = "pages/7_Release.py"
IN_USE = "data: table"
ONE_EACH = b"person,question,answer\n" + b"".join(
    f"{i},{q},{a}\n".encode() for i in range(9) for q, a in (("Q1", "yes" if i % 3 else "no"), ("Q2", "abc"[i % 3])))


def brought(content: bytes) -> AppTest:
    """A file that is said to hold several groups or questions."""
    holds: Any = offer(opened(DATA), content, "people.csv").main.get("button_group")[0]
    return ran(holds.set_value(said.SEVERAL))


def widget(at: AppTest, kind: str, label: str) -> Any:
    return next(one for one in getattr(at.main, kind) if one.label == label)


def say(at: AppTest, entry: str, value: Any) -> AppTest:
    label = said.ENTRIES[entry][0]
    kind = "multiselect" if isinstance(value, list) else "selectbox"
    return ran(widget(at, kind, label).set_value(value))


def comes_to(at: AppTest) -> CountTable:
    """What is used once it is pressed; the Python beside it reads the same."""
    used: TableInUse = press(at, "Use this table").session_state[IN_USE]
    again = eval(used.call, {"dpbi": dpbi, "open": lambda *_: io.BytesIO(content_of(at))})
    assert (again.groups, again.questions, again.counts) == (used.table.groups, used.table.questions, used.table.counts)
    assert said.IN_USE in [box.value for box in at.success]
    return used.table


def content_of(at: AppTest) -> bytes:
    file: Brought = at.session_state["data: brought"]
    return file.data


def seen(at: AppTest) -> str:
    return bare(everything(at))


def shown_tables(at: AppTest) -> list[dict[str, list[str]]]:
    """Those of counts, by their heads."""
    def plain(cell: Any) -> str:
        return bare(str(cell)).strip("\u2068\u2069 ")

    return [{plain(head): [*map(plain, column)] for head, column in table.value.items()}
            for table in at.main.table if "Row" not in table.value]  # fmt: skip


def test_people_s_rows_by_groups_with_public_lists() -> None:
    of = people(3, silent=0.2)
    at = brought(raw(of))
    say(at, "by", ["region"])
    assert "region" not in widget(at, "multiselect", "Questions").options
    say(at, f"questions, {RAW}", ["Smokes", "Votes"])
    assert "The groups were found in the data" in seen(at)
    assert widget(at, "text_area", "Groups").placeholder.split("\n") == list(dict.fromkeys(region for region, _ in of))
    assert set(widget(at, "text_area", "Categories of Votes").placeholder.split("\n")) == {"red", "blue", "green"}
    ran(widget(at, "text_area", "Groups").set_value("North\nSouth\nWest\nEast"))
    ran(widget(at, "text_area", "Categories of Votes").set_value("red\nblue\ngreen\nnone of them\n"))
    votes = next(one for one in shown_tables(at) if "red" in one or "red" in one.get(said.CATEGORY, []))
    assert votes[said.CATEGORY] == ["red", "blue", "green", "none of them", "(missing)", said.ANSWERED]
    assert votes["East"] == ["0"] * 6
    for sentence in ("Nobody is in 'East'", "Columns that were not read: 'Commute'", "Groups are different people",
                     "what their releases cost adds up", words.LIST_GIVEN):  # fmt: skip
        assert sentence in seen(at)
    table = comes_to(at)
    assert table.groups == (*REGIONS, "East")
    assert table.labels("Votes") == ("red", "blue", "green", "none of them", "(missing)")
    assert not any(map(any, table.silent))
    ran(widget(at, "checkbox", said.MISSING).uncheck())
    assert said.KEPT in seen(at)
    assert "answered by different numbers" in seen(at)
    dropped = next(one for one in shown_tables(at) if "yes" in one or "yes" in one.get(said.CATEGORY, []))
    assert said.SILENT in (dropped if "yes" in dropped else dropped[said.CATEGORY])
    assert any(map(any, comes_to(at).silent))
    ran(widget(at, "text_area", "Groups").set_value("North\nSouth"))
    assert [error for error in at.main.error if "not on the list of groups" in bare(error.value)]
    assert buttons(at)["Use this table"].disabled


@pytest.mark.parametrize("kind", ["long", "wide", "a row an answer"])
def test_rows_of_counts_and_of_single_answers(kind: str) -> None:
    of = people(1)
    at = brought({"long": long(of), "wide": wide(of), "a row an answer": ONE_EACH}[kind])
    ran(at.main.radio[0].set_value({"long": COUNTS, "wide": WIDE}.get(kind, RAW)))
    if kind == "a row an answer":
        say(at, "question_column", "question")
        assert data_words.ENTRIES["column"][0] in [one.label for one in at.main.multiselect]
        ran(widget(at, "multiselect", data_words.ENTRIES["column"][0]).set_value(["answer"]))
        table = comes_to(at)
        assert [table.cell(title).counts[:3] for title in ("Q1", "Q2")] == [(3, 6, 0), (3, 3, 3)]
        return
    say(at, "by", ["region"])
    if kind == "wide":
        for i, (question, answers) in enumerate(ANSWERS.items()):
            columns = [f"{question}: {answer}" for answer in answers]
            ran(widget(at, "multiselect", f"Columns of question {i + 1}").set_value(columns))
            ran(widget(at, "text_input", f"Title of question {i + 1}").set_value(question))
    table = comes_to(at)
    assert set(table.questions) == set(ANSWERS)
    for question, answers in ANSWERS.items():
        for region in REGIONS:
            cell = table.cell(question, region)
            counts = {label.rpartition(": ")[2]: count for label, count in zip(cell.labels, cell.counts, strict=True)}
            assert counts == {answer: sum(where == region and what[question] == answer for where, what in of)
                              for answer in answers}  # fmt: skip
    if kind == "long":
        assert bare(words.LIST_FROM_DATA) in seen(at)


def test_one_part_is_the_table_of_all_other_pages_and_all_groups_that_of_the_page_groups() -> None:
    of = people(2)
    groups = list(dict.fromkeys(region for region, _ in of))
    at = say(brought(raw(of)), "by", ["region"])
    ran(widget(at, "selectbox", "Question").set_value("Votes"))
    ran(widget(at, "selectbox", "Group").set_value(groups.index("South")))
    used = press(at, "Use this part").session_state["settings"]["uploaded"]
    assert data_words.IN_USE in [box.value for box in at.success]
    again = eval(used["reading"], {"dpbi": dpbi, "open": lambda *_: io.BytesIO(content_of(at))})
    assert (list(again.labels), list(again.counts)) == (used["labels"], used["counts"])
    assert "not in use" not in "".join(box.value for box in visit(at, "pages/3_Sensitivity.py").sidebar.warning)
    assert answered(at)
    ran(widget(visit(at, DATA), "selectbox", "Question").set_value("Votes"))  # the form is as it was left
    assert widget(at, "multiselect", said.ENTRIES["by"][0]).value == ["region"]
    ran(widget(at, "selectbox", "Group").set_value(len(groups)))
    found = grouped.of_file(press(at, "Use this part").session_state["settings"]["uploaded"])
    assert found is not None
    assert set(found.groups) == set(REGIONS)


def test_a_table_in_use_is_on_release_which_need_not_ask() -> None:
    at = say(brought(raw(people(2))), "by", ["region"])
    press(at, "Use this table")
    assert "Release" in led_to(at)
    visit(at, RELEASE)
    assert said.ENTRIES["by"][0] not in [one.label for one in at.main.multiselect]
    assert "people.csv: 3 groups, 3 questions, n = 60" in seen(at)
    visit(press(visit(at, DATA), "Discard the file"), RELEASE)
    assert "people.csv: 3 groups, 3 questions, n = 60" in seen(at)
    assert release_words.BRING in seen(press(at, "Put the table away"))


def test_rows_that_a_column_tells_apart_are_added_up_where_that_is_said() -> None:
    at = brought(b"region,year,yes,no\nN,2020,1,2\nN,2021,3,4\nS,2020,1,2\nS,2021,3,9\n")
    ran(at.main.radio[0].set_value(WIDE))
    say(at, "by", ["region"])
    assert len(comes_to(at).groups) == 4
    ran(widget(at, "checkbox", said.ADD_UP).check())
    say(at, "by", ["region"])
    assert [one.counts for one in comes_to(at).counts[0]] == [(4, 6), (4, 11)]


def test_many_questions_are_shown_one_at_a_time_and_their_guesses_are_named() -> None:
    rows = [["NS"[i % 2], *("ab"[i * (q + 2) // 3 % 2] for q in range(9))] for i in range(16)]
    at = brought("\n".join(map(",".join, [["region", *(f"Q{q}" for q in range(9))], *rows])).encode())
    say(at, "by", ["region"])
    assert len(shown_tables(at)) == 1
    ran(widget(at, "selectbox", "Counts of").set_value("Q7"))
    assert len(shown_tables(at)) == 1
    assert "Guessed, with the reason beside it:" in seen(at)
    assert "Questions" in seen(at)
