"""Groups of releases that were made: read, compared as ``compare`` does, and refused in words."""

import io
import json
import zipfile
from contextlib import redirect_stdout
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import dpbi
from dpbi import Problem
from dpbi.dashboard.answers import released_groups as answers
from dpbi.dashboard.sidebar import grouped
from dpbi.dashboard.words import groups as said, noisy_counts as noisy_words, words
from dpbi.inference.group_conclusions import RoughDifference
from dpbi.inference.ranking import Ranking
from dpbi.mechanisms import Geometric, KNorm
from tests.dashboard.exports import made
from tests.dashboard.person import charts, everything, opened, ran, select, unfold

TABLE = (b"region,asked,answer,count\n" + b"".join(
    f"{region},{asked},{answer},{count}\n".encode() for region, asked, answer, count in (
        ("North", "Q1", "yes", 30), ("North", "Q1", "no", 70), ("South", "Q1", "yes", 50), ("South", "Q1", "no", 10),
        ("West", "Q1", "yes", 20), ("West", "Q1", "no", 22), ("North", "Q2", "yes", 40), ("North", "Q2", "no", 60),
        ("South", "Q2", "yes", 40), ("South", "Q2", "no", 20), ("West", "Q2", "yes", 2), ("West", "Q2", "no", 40))))


@pytest.fixture(scope="module")
def table() -> dpbi.CountTable:
    return dpbi.read_tables(TABLE, "x.csv", by="region", question_column="asked", category_column="answer",
                            count_column="count")  # fmt: skip


@pytest.fixture(scope="module")
def of_table(table: dpbi.CountTable) -> answers.File:
    return "table.json", dpbi.release_tables(KNorm(2.0), table).to_json().encode()


def single(name: str, counts: tuple[int, ...], labels: tuple[str, ...] = ("yes", "no")) -> answers.File:
    released = dpbi.release(Geometric(1.0), Problem((1,) * len(counts), counts))
    return f"{name}.json", released.to_json(labels).encode()


def assert_compares(places: tuple[answers.Place, ...], one: Any, two: Any) -> None:
    first, second = places[:2]
    found, wanted = answers.contrasts(first, second, 1), dpbi.compare(one, two, 1)
    assert found.probability_greater == wanted.probability_greater
    assert found.intervals[0] == wanted.difference.interval() and found.intervals[2] == wanted.risk_ratio.interval()
    assert found.means == (one.mean[1], two.mean[1])
    assert answers.share(first, 1) == (one.mean[1], *one.interval(0.95, 1))


def test_groups_of_a_table_are_compared_by_what_was_published(of_table: answers.File) -> None:
    found = answers.released_groups((of_table,))
    assert (found.questions, found.groups) == (("Q1", "Q2"), ("North", "South", "West"))
    read = dpbi.read_release_table(of_table[1])
    assert_compares(found.places[1], read.posterior("Q2", "North"), read.posterior("Q2", "South"))


def test_two_releases_are_two_groups_packed_or_not() -> None:
    files = single("north", (30, 70)), single("south", (50, 10))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in files:
            archive.writestr(f"inner/{name}", data)
        archive.writestr("readme.txt", "x")
    assert answers.unpacked((("both.zip", packed.getvalue()),)) == files == answers.unpacked(files)
    found = answers.released_groups(files)
    assert (found.questions, found.groups, found.labels) == (("",), ("north", "south"), (("yes", "no"),))
    assert_compares(found.places[0], *(dpbi.read_release(data).posterior for _, data in files))


def test_what_cannot_be_compared_is_refused_in_words(table: dpbi.CountTable, of_table: answers.File) -> None:
    one = single("north", (30, 70))
    private = dpbi.release_tables(KNorm(2.0), table, membership="private").to_json().encode()
    for files, sentence in (
        ((one,), "of one group: bring the file of another"), ((one, one), "the same release"),
        ((one, single("south", (5, 9), ("no", "yes"))), "same categories, in one order"),
        ((one, one, one), "got 3 files"), ((("x.json", b"[1"),), "not the file of a release"),
        ((("x.json", b"[1]"),), "not the file of a release"), ((one, of_table), "one part is read at a time"),
        ((("private.json", private),), "depend on each other"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=sentence):
            answers.released_groups(files)
    empty = io.BytesIO()
    with zipfile.ZipFile(empty, "w") as archive:
        archive.writestr("a.csv", "x")
    for data, sentence in ((empty.getvalue(), "no release"), (b"PK\x03\x04broken", "cannot be unpacked")):
        with pytest.raises(ValueError, match=sentence):
            answers.unpacked((("x.zip", data),))


def test_the_page_compares_releases_and_takes_them_along(
    of_table: answers.File, files: dict[str, Any], tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = opened("pages/12_Groups.py")
    at = select(at, "groups: source", grouped.RELEASES)
    assert said.NO_RELEASES in [info.value for info in at.main.info]
    at.session_state["groups: releases"] = (of_table,)
    at = select(ran(at), "groups: question", 2)
    posteriors = [dpbi.read_release_table(of_table[1]).posterior("Q2", group) for group in ("North", "South", "West")]
    wanted = dpbi.compare(posteriors[0], posteriors[1])
    first, pairs = (frame.value for frame in at.main.dataframe)
    assert (first["Private from"][0], first["Private to"][0]) == pytest.approx(wanted.difference.interval(), rel=1e-9)
    assert len(pairs) == 3 and not [title for title in first if title.startswith("True")]
    text = everything(at)
    assert "has the larger share of yes" in text and words.RAW_NOTICE not in text
    assert said.PUBLISHED_ONLY.strip() in text
    assert said.OF_ONE_TABLE in text and said.OF_TWO_FILES not in text
    assert not [one.value for one in at.main.warning if "Protected is" in one.value] and "Protected is" in text
    assert "by the true counts" not in text and len(charts(at)) == 1
    taken = made(files)
    with zipfile.ZipFile(io.BytesIO(taken["dpbi-groups.zip"])) as packed:
        assert packed.read("dpbi/table.json") == of_table[1]
        program = packed.read("dpbi/script.py").decode()
    assert next(one.value for one in unfold(at, "Copy as Python").main.code) == program.strip()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "table.json").write_bytes(of_table[1])
    computed: dict[str, Any] = {}
    with redirect_stdout(io.StringIO()):
        exec(compile(program, "script.py", "exec"), computed)
    for mine, shown in zip(computed["tables"], (first, pairs), strict=True):
        for title in ("Private from", "Private to"):
            assert list(mine.values[title]) == pytest.approx(list(shown[title]), rel=1e-12)
    at.session_state["groups: releases"] = (("x.json", json.dumps({"format": "x"}).encode()),)
    at = ran(at)
    assert len(at.main.error) == 1 and not charts(at)


def test_a_table_in_use_leads_to_groups(table: dpbi.CountTable) -> None:
    at = opened("pages/12_Groups.py")
    at.session_state["data: table"] = SimpleNamespace(name="x.csv", table=table)
    at.session_state["settings"] |= {"groups: source": grouped.FILE, "groups: draws": 10}
    at = ran(at)
    assert "South has the larger share of yes" in everything(at) and words.RAW_NOTICE in everything(at)
    assert "North has the larger share of yes" in everything(select(select(at, "groups: question", 2),
                                                                    "groups: second", 3))  # fmt: skip
    found = grouped.of_table(table, 1, "x.csv")
    assert (found.groups, found.counts[2], found.title) == (("North", "South", "West"), (2, 40), "x.csv: Q2")


def test_where_a_refusal_stood_nothing_stands_as_soon_as_its_entry_is_right() -> None:
    """What was shown at a place stays until something else comes there, or until the page is computed."""

    def page(entry: int) -> None:
        import streamlit as st

        from dpbi.dashboard.words import guard

        with guard.beside([]):
            if entry < 0:
                raise ValueError("Too small.")
        st.text("What takes its time.")

    for entry, kind in ((-1, "alert"), (1, "empty")):
        at = AppTest.from_function(page, args=(entry,)).run()
        assert [child.type for child in at.main.children.values()][1] == "text"
        assert (len(at.main.error) == 1) == (kind == "alert")


def test_a_tie_is_named_and_nobodys_lead_is_an_order() -> None:
    assert said.answer("A", "B", "yes", 0.5 + 1e-9, (0.0, -0.1, 0.1)).startswith("**A and B are alike**")
    assert "probability 0.501" in said.answer("A", "B", "yes", 0.501, (0.0, -0.1, 0.1))
    none = [RoughDifference(0.5, 0.0, -0.1, 0.1), RoughDifference(0.99, 0.2, 0.1, 0.3)]
    told = said.concluded(none, 0, "If so", (0.03, 0.02))
    assert "1 of 2 readers would be sure of an order**, though there is none" in told and "is 0.050, exactly" in told


def test_those_that_draws_do_not_tell_apart_are_alike() -> None:
    def ranks(*first: float) -> Ranking:
        p, k = np.array(first), len(first)
        middle = np.ones(k, dtype=np.int64)
        return Ranking(p, p, middle, middle, middle, None, 4_000, 0.95)

    assert ranks(0.46, 0.45, 0.09).leaders == (0, 1)
    assert ranks(0.42, 0.48, 0.10).leaders == (1,)
    assert ranks(1.0, 0.0).leaders == (0,)
    assert noisy_words.alike(("no", "yes", "x"), (0, 1)) == "no and yes are alike"
    assert noisy_words.alike(tuple("abcdef"), range(6)) == "a, b, c, d and 2 more are alike"
