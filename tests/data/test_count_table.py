"""read_tables: groups x questions from wide, long and raw files, against counts of made-up people."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dpbi
from dpbi.dashboard.views.brought import Brought
from dpbi.data.count_table import CountTable, read_tables

ANSWERS = {"Smokes": ("yes", "no"), "Votes": ("red", "blue", "green"), "Commute": ("bus", "car", "bike", "foot")}
REGIONS = ("North", "South", "West")
People = list[tuple[str, dict[str, str]]]


def people(seed: int, n: int = 60, silent: float = 0.0) -> People:
    """n people with a region and an answer to every question, "" where they gave none."""
    rng = np.random.default_rng(seed)
    return [(str(rng.choice(REGIONS)), {question: "" if rng.random() < silent else str(rng.choice(answers))
                                        for question, answers in ANSWERS.items()}) for _ in range(n)]  # fmt: skip


def raw(of: People) -> bytes:
    rows = [",".join(("region", *ANSWERS)), *(",".join((region, *said.values())) for region, said in of)]
    return "\n".join(rows).encode()


def tally(of: People) -> Counter[tuple[str, str, str]]:
    return Counter((region, question, answer) for region, said in of for question, answer in said.items())


def long(of: People) -> bytes:
    rows = [f"{region},{question},{answer},{times}" for (region, question, answer), times in sorted(tally(of).items())]
    return "\n".join(["region,question,answer,count", *rows]).encode()


def wide(of: People) -> bytes:
    times = tally(of)
    columns = [(question, answer) for question, answers in ANSWERS.items() for answer in answers]
    rows = [",".join((region, *(str(times[region, *column]) for column in columns))) for region in REGIONS]
    return "\n".join([",".join(("region", *(f"{q}: {a}" for q, a in columns))), *rows]).encode()


def followed(data: bytes, **said: Any) -> CountTable:
    """What comes of following what is suggested, once."""
    try:
        return read_tables(data, "a.csv", **said)
    except dpbi.CountsQuestion as question:
        return read_tables(data, "a.csv", **question.suggested)


def found(table: CountTable) -> dict[tuple[str, str, str], int]:
    """The counts by group, question and category; of a wide table its columns' names end in the category."""
    return {
        (group, question, label.rpartition(": ")[2]): count
        for question, row in zip(table.questions, table.counts, strict=True)
        for group, one in zip(table.groups, row, strict=True)
        for label, count in zip(one.labels, one.counts, strict=True)
    }


@pytest.mark.parametrize("seed", range(4))
def test_three_kinds_of_files_hold_the_same_table(seed: int) -> None:
    of = people(seed)
    wanted = {(region, question, answer): tally(of)[region, question, answer]
              for question, answers in ANSWERS.items() for region in REGIONS for answer in answers}  # fmt: skip
    columns = {question: [f"{question}: {answer}" for answer in answers] for question, answers in ANSWERS.items()}
    tables = [followed(raw(of), by="region", questions=[*ANSWERS], layout="raw"), followed(long(of), by="region"),
              followed(wide(of), by="region", questions=columns, layout="wide")]  # fmt: skip
    for table in tables:
        assert found(table) == wanted
        assert set(table.groups) == set(REGIONS)
        for question in ANSWERS:
            assert len({one.labels for one in table.counts[table.questions.index(question)]}) == 1
        assert {n for row in zip(*table.answered, strict=True) for n in (len(set(row)),)} == {1}
        assert len(table.privacy) == 2


def test_who_did_not_answer_is_asked_and_counted() -> None:
    of = people(5, silent=0.2)
    with pytest.raises(dpbi.CountsQuestion, match="who answered is not protected") as refused:
        read_tables(raw(of), "a.csv", by="region", questions=[*ANSWERS], layout="raw")
    assert refused.value.suggested["missing"] == "keep"
    kept = read_tables(raw(of), "a.csv", **refused.value.suggested)
    assert {key: times for key, times in found(kept).items() if key[2] == "(missing)"} == {
        (region, question, "(missing)"): tally(of)[region, question, ""] for question in ANSWERS for region in REGIONS}
    assert all(len(set(sizes)) == 1 for sizes in zip(*kept.answered, strict=True))
    dropped = read_tables(raw(of), "a.csv", by="region", questions=[*ANSWERS], layout="raw", missing="drop")
    assert any("answered by different numbers" in one for one in dropped.warnings)


def test_how_many_gave_no_answer_is_known_of_people_s_rows() -> None:
    of = people(9, silent=0.3)
    for missing, kept in (("drop", False), ("keep", True)):
        table = read_tables(raw(of), "a.csv", by="region", questions=[*ANSWERS], layout="raw", missing=missing,
                            groups=[*REGIONS, "East"])  # fmt: skip
        for q, question in enumerate(ANSWERS):
            silent = [0 if kept else tally(of)[region, question, ""] for region in (*REGIONS, "East")]
            assert list(table.silent[q]) == silent
            whole = [n + left for n, left in zip(table.answered[q], table.silent[q], strict=True)]
            assert whole == [sum(region == one for one, _ in of) for region in (*REGIONS, "East")]
    assert followed(long(people(9)), by="region").silent == ()  # of rows of counts nobody knows
    with pytest.raises(ValueError, match="silent must have a row for each question"):
        CountTable(("",), ("Q",), (CountTable.of([], {"Q": {"a": [1], "b": [2]}}).counts[0],), silent=((1, 2),))


def test_groups_of_unequal_categories_and_one_that_a_list_completes() -> None:
    rows = b"region,answer,count\nN,yes,3\nN,no,4\nS,no,2\nS,maybe,7\n"
    table = followed(rows, by="region", layout="counts")
    assert table.labels(table.questions[0]) == ("yes", "no", "maybe")
    assert [one.counts for one in table.counts[0]] == [(3, 4, 0), (0, 2, 7)]
    alike = b"region,q\nN,yes\nN,yes\nS,yes\nS,yes\n"
    with pytest.raises(dpbi.CountsError, match="give the public list"):
        read_tables(alike, "a.csv", by="region", questions=["q"], layout="raw")
    listed = read_tables(alike, "a.csv", by="region", questions=["q"], layout="raw", categories={"q": ["yes", "no"]},
                         groups=["N", "S", "E"])  # fmt: skip
    assert [one.counts for one in listed.counts[0]] == [(2, 0), (2, 0), (0, 0)]


def test_public_lists_of_groups_and_categories() -> None:
    of = people(6)
    table = read_tables(
        raw(of), "a.csv", by="region", questions=["Smokes", "Votes"], layout="raw",
        groups=["west", "South", "North", "East"], categories={"Votes": ["green", "red", "blue", "none"]},
    )  # fmt: skip
    assert table.groups == ("west", "South", "North", "East")
    assert table.labels("Votes") == ("green", "red", "blue", "none")
    assert table.cell("Votes", "East").counts == (0, 0, 0, 0)
    assert table.cell("Votes", "west").counts[:3] == tuple(tally(of)["West", "Votes", one] for one in
                                                          ("green", "red", "blue"))  # fmt: skip
    assert any("Nobody is in 'East'" in one for one in table.warnings)
    assert any("not read: 'Commute'" in one for one in table.warnings)
    with pytest.raises(dpbi.CountsError, match="'West': not on the list of groups"):
        read_tables(raw(of), "a.csv", by="region", questions=["Smokes"], layout="raw", groups=["North", "South"])
    with pytest.raises(dpbi.CountsQuestion, match=r"Not on the list of categories: 'green'") as refused:
        read_tables(raw(of), "a.csv", by="region", questions=["Votes"], layout="raw",
                    categories=["red", "blue"])  # fmt: skip
    other = read_tables(raw(of), "a.csv", **refused.value.suggested)
    assert other.labels("Votes") == ("red", "blue", "(other)")
    assert other.cell("Votes", "North").counts[2] == tally(of)["North", "Votes", "green"]


CASES = sorted(path for path in Path("tests/cases").iterdir() if path.is_file())


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.name)
def test_any_file_is_a_table_a_question_or_refused(path: Path) -> None:
    """And what is suggested goes on."""
    for said in ({}, {"by": 1}, {"by": 2, "question_column": 1}):  # type: dict[str, Any]
        for layout in (None, "raw"):
            try:
                table = followed(path.read_bytes(), **said, layout=layout)
                assert all(len({one.labels for one in row}) == 1 for row in table.counts)
            except dpbi.CountsError as refusal:
                assert not isinstance(refusal, dpbi.CountsQuestion), refusal


def test_weights_and_rows_that_are_sums() -> None:
    weighted = b"region,weight,Smokes\nN,1.5,yes\nS,0.7,no\nS,0.7,no\nN,1.1,no\nN,1.2,yes\n"
    table = read_tables(weighted, "a.csv", by="region", questions=["Smokes"], layout="raw")
    assert any("weight" in one and "not used" in one for one in table.warnings)
    total = b"region,yes,no,perhaps\nNorth,10,20,3\nSouth,4,5,6\nTotal,14,25,9\n"
    with pytest.raises(dpbi.CountsQuestion, match="counted twice") as refused:
        read_tables(total, "a.csv", by="region", questions=["Vote"])
    assert refused.value.suggested["leave_out"] == (4,)
    assert found(read_tables(total, "a.csv", **refused.value.suggested))["South", "Vote", "perhaps"] == 6
    assert read_tables(total, "a.csv", **refused.value.suggested).groups == ("North", "South")


def test_each_question_has_its_own_categories_in_a_wide_table_of_rows() -> None:
    data = b"question,region,yes,no,maybe\nQ1,N,10,20,\nQ1,S,4,5,\nQ2,N,7,9,14\nQ2,S,1,2,6\n"
    table = followed(data, by="region", layout="wide")
    assert table.questions == ("Q1", "Q2")
    assert (table.labels("Q1"), table.labels("Q2")) == (("yes", "no"), ("yes", "no", "maybe"))
    assert table.cell("Q2", "S").counts == (1, 2, 6)
    names_below = b"answer,region,count\nyes,North,5\n,South,6\nno,North,7\n,South,8\n"
    assert [one.counts for one in followed(names_below, by="region").counts[0]] == [(5, 7), (6, 8)]


def test_rows_that_another_column_tells_apart_are_asked_about() -> None:
    data = b"region,year,yes,no\nN,2020,1,2\nN,2021,3,4\nS,2020,1,2\nS,2021,3,9\n"
    with pytest.raises(dpbi.CountsQuestion, match="'year' tells rows apart"):
        read_tables(data, "a.csv", by="region", layout="wide")
    added = read_tables(data, "a.csv", by="region", layout="wide", group="(all, added up)")
    assert [one.counts for one in added.counts[0]] == [(4, 6), (4, 11)]


def test_people_of_no_group_are_a_group_and_without_groups_there_is_one() -> None:
    data = b"region,Smokes\nN,yes\n,no\nN,no\nN,yes\n,yes\n"
    table = read_tables(data, "a.csv", by="region", questions=["Smokes"], layout="raw")
    assert (table.groups, table.cell("Smokes", "(missing)").counts) == (("N", "(missing)"), (1, 1))
    one = read_tables(raw(people(7)), "a.csv", questions=["Smokes", "Votes"], layout="raw")
    assert one.groups == ("",)
    assert one.answered == ((60,), (60,))
    assert len(one.privacy) == 1  # of questions alone
    with pytest.raises(dpbi.CountsError, match="names no group"):
        read_tables(b"region,yes,no\nN,1,2\nS,3,4\n,7,5\n", "a.csv", by="region", layout="wide")


@pytest.mark.parametrize(("said", "wrong"), [
    ({"by": "regio"}, "by: there is no column called 'regio'"),
    ({"by": 0}, "by must be a header"),
    ({"by": "region", "questions": ["Smoke"]}, "questions: there is no column"),
    ({"by": "region", "group": "North"}, "group: with by= every group is read"),
    ({"by": "region", "group_column": "region"}, "group_column= is for one question"),
    ({"groups": ["North"]}, "groups= is the list of the groups"),
    ({"questions": ["Smokes"], "categories": {"Smoke": ["yes", "no"]}}, "there is no question 'Smoke'"),
    ({"colour": 1}, "'colour' is no entry"),
])  # fmt: skip
def test_what_is_said_wrongly(said: dict[str, Any], wrong: str) -> None:
    with pytest.raises(dpbi.CountsError, match=wrong):
        read_tables(raw(people(8)), "a.csv", **{"questions": [*ANSWERS], "layout": "raw", **said})


def test_a_table_from_numbers() -> None:
    table = CountTable.of(["N", "S"], {"Q1": {"yes": [3, 4], "no": [5, 6]}, "Q2": {"a": [1, 0], "b": [2, 9]}})
    assert table.cell("Q2", "S").counts == (0, 9)
    assert table.answered == ((8, 10), (3, 9))
    with pytest.raises(ValueError, match="2 counts, one for each group"):
        CountTable.of(["N", "S"], {"Q1": {"yes": [3], "no": [5, 6]}})
    with pytest.raises(ValueError, match="comes again"):
        CountTable.of(["N", "N"], {"Q1": {"yes": [3, 4], "no": [5, 6]}})
    with pytest.raises(ValueError, match="group must be"):
        table.cell("Q1", "W")


# --- questions are not groups, and totals are no categories ---

SHARES = {"HIV": ("yes", "no"), "Smoker": ("daily", "sometimes", "never"), "Vaccinated": ("yes", "no")}


def asked(name: str = "question", seed: int = 0) -> tuple[bytes, int]:
    """Rows region, question, answer, count of n people who all answered three questions."""
    rng = np.random.default_rng(seed)
    rows, sizes = [f"region,{name},answer,count"], (90, 61, 9)
    for region, n in zip(REGIONS, sizes, strict=True):
        for question, answers in SHARES.items():
            counts = rng.multinomial(n, [1 / len(answers)] * len(answers))
            rows += [f"{region},{question},{answer},{count}" for answer, count in zip(answers, counts, strict=True)]
    return "\n".join(rows).encode(), sum(sizes)


@pytest.mark.parametrize("name", ["question", "topic"])
@pytest.mark.parametrize("seed", range(3))
def test_no_default_reading_counts_a_person_once_for_each_question(name: str, seed: int) -> None:
    data, n = asked(name, seed)
    try:
        counts = dpbi.read_counts(data, "a.csv")
    except dpbi.CountsQuestion as question:
        counts = dpbi.read_counts(data, "a.csv", **question.suggested)
    assert sum(counts.counts) <= n
    for by in ({"by": "region"}, {}):
        table = followed(data, **by)
        assert (table.groups, table.questions) == (REGIONS, tuple(SHARES))
        assert {sum(of) for of in table.answered} == {n}
    over_both: dict[str, Any] = {"group_column": ("region", name), "group": "(all, added up)"}
    refused_for: list[dict[str, Any]] = [{"group_column": "region"}, {"group_column": ()},
                                         {"group_column": "region", "group": "(all, added up)"}]  # fmt: skip
    for said in refused_for + [over_both] * (name == "question"):
        with pytest.raises(dpbi.CountsError, match="ask the same people 3 questions") as refused:
            dpbi.read_counts(data, "a.csv", category_column="answer", count_column="count", layout="counts", **said)
        assert not isinstance(refused.value, dpbi.CountsQuestion)
    if name == "question":
        brought = Brought("a.csv", data)
        for entry, value in (("layout", "counts"), ("category_column", ["answer"]), ("group", "(all, added up)")):
            brought.read()
            brought.say(entry, value)
        on_form = brought.read()
        assert on_form.counts is None or sum(on_form.counts.counts) <= n
        assert any("ask the same people 3 questions" in doubt.reason for doubt in on_form.form.open), "and says why"
    one = dpbi.read_counts(data, "a.csv", category_column="answer", count_column="count", layout="counts",
                           only={name: "HIV"}, group_column="region", group="(all, added up)")  # fmt: skip
    assert sum(one.counts) == n
    if name == "topic":  # by its sums alone it may name groups of equal size too, so that what was said is done
        added = dpbi.read_counts(data, "a.csv", category_column="answer", count_column="count", layout="counts",
                                 **over_both)  # fmt: skip
        assert any("each person is counted once for each" in one for one in added.warnings)


def test_columns_without_names_are_suggested_by_position() -> None:
    table = followed(b"North,yes,red\nSouth,no,blue\nSouth,yes,\nWest,no,red\n" * 5, header_row=())
    assert table.questions == ("column 1", "column 2", "column 3")
    assert {sum(of) for of in table.answered} == {20}


def test_rows_of_nearly_as_many_people_are_questions_too() -> None:
    """As where not everybody answered; as groups they would be charged as different people."""
    data = b"region,topic,yes,no\nN,A,50,49\nN,B,20,80\nS,A,10,30\nS,B,19,20\n"
    with pytest.raises(dpbi.CountsQuestion, match="about the same number") as refused:
        read_tables(data, "a.csv", by="region", layout="wide")
    assert refused.value.suggested["question_column"] == "topic"
    assert refused.value.suggested["by"] == "region"


@pytest.mark.parametrize("name", ["total", "n", "All", "Number of people"])
@pytest.mark.parametrize("more", [0, 3])
def test_the_commonest_wide_table_has_its_total_left_out(name: str, more: int) -> None:
    """more: of whom no answer is in the columns; what names the groups never names the categories."""
    rows = [("North", 30, 40), ("South", 50, 10), ("West", 20, 22)]
    for last in (True, False):
        heads = ["yes", "no", name] if last else [name, "yes", "no"]
        lines = [[yes, no, yes + no + more] if last else [yes + no + more, yes, no] for _, yes, no in rows]
        data = "\n".join([",".join(["region", *heads]), *(",".join([row[0], *map(str, line)])
                         for row, line in zip(rows, lines, strict=True))]).encode()  # fmt: skip
        if name == "All" and more:  # no word for a number
            continue
        table = followed(data, by="region")
        assert table.groups == ("North", "South", "West")
        assert [one.counts for one in table.counts[0]] == [(30, 40), (50, 10), (20, 22)]
        assert table.labels(table.questions[0]) == ("yes", "no")
        with pytest.raises(dpbi.CountsError, match="names the groups"):
            followed(data, by="region", layout="counts")


def test_groups_whose_names_run_together_are_refused_and_those_that_look_alike_are_named() -> None:
    alike = b"area,band,Q\nA / B,C,yes\nA / B,C,no\nA,B / C,yes\nA,B / C,no\n"
    for data, layout in ((alike, "raw"), (b"area,band,yes,no\nA / B,C,1,2\nA,B / C,3,4\n", "wide")):
        with pytest.raises(dpbi.CountsError, match="different groups would both be called 'A / B / C'"):
            read_tables(data, "a.csv", by=["area", "band"], layout=layout)
    seen = "g,Q\nN,yes\nN,no\nN\u200b,yes\nN\u200b,no\nn,yes\n".encode()
    table = read_tables(seen, "a.csv", by="g", questions=["Q"], layout="raw")
    assert any("what is not seen ('N', 'N\\u200b', 'n')" in one for one in table.warnings)
