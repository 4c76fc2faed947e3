"""Sums within tables of more than one line: generated tables with subtotals give back the counts they were made of,
whichever way through them is chosen, and counts that are a sum by chance stay."""

import random
from collections.abc import Sequence

import pytest

from dpbi.data.files import Counts

from .reader import Found, by_name, followed

AREAS = {"North": ("Alder", "Birch"), "South": ("Cedar", "Elm", "Fir")}
LEAVES = tuple(leaf for leaves in AREAS.values() for leaf in leaves)
SEXES = ("Men", "Women", "Diverse")

Cells = dict[tuple[str, str], int]


def drawn(seed: int) -> Cells:
    rng = random.Random(seed)
    return {(leaf, sex): rng.choice([rng.randint(1, 30), rng.randint(1000, 9000)]) for leaf in LEAVES for sex in SEXES}


def row_of(cells: Cells, leaves: Sequence[str]) -> list[int]:
    return [sum(cells[leaf, sex] for leaf in leaves) for sex in SEXES]


def with_sums(cells: Cells, first: bool) -> list[tuple[str, list[int]]]:
    rows: list[tuple[str, list[int]]] = []
    for area, leaves in AREAS.items():
        own = [(area, row_of(cells, leaves))]
        below = [(leaf, row_of(cells, [leaf])) for leaf in leaves]
        rows += own + below if first else below + own
    return rows


def through(data: bytes, **answers: str) -> tuple[Found, list[str]]:
    came, _, questions = followed(data, **answers)
    assert isinstance(came, Counts), came
    return by_name(came), questions


def text(rows: Sequence[Sequence[object]]) -> bytes:
    return "\n".join(";".join(map(str, row)) for row in rows).encode()


def sums(cells: Cells, side: int, names: Sequence[str]) -> dict[str, int]:
    return {name: sum(count for at, count in cells.items() if at[side] == name) for name in names}


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("seed", range(5))
def test_rows_and_columns_that_are_sums_of_others_are_asked_about(seed: int, first: bool) -> None:
    cells = drawn(seed)
    rows = with_sums(cells, first)
    down = text([("", *SEXES), *((name, *counts) for name, counts in rows)])
    across = text([("", *(name for name, _ in rows)), *((sex, *(counts[j] for _, counts in rows))
                                                         for j, sex in enumerate(SEXES))])  # fmt: skip
    for data, by_leaf, by_sex, joined in (
        (down, "row sums", "column sums", "{0} / {1}"),
        (across, "column sums", "row sums", "{1} / {0}"),
    ):
        for answers, truth in (
            ({"cells": by_leaf}, sums(cells, 0, LEAVES)),
            ({"cells": by_sex}, sums(cells, 1, SEXES)),
            ({"cells": "all"}, {joined.format(*at): count for at, count in cells.items()}),
        ):
            came, asked = through(data, **answers)
            assert came == truth
            assert "'North'" in asked[-1] and "'South'" in asked[-1]
    came, asked = through(across, cells="row", row="Women")
    assert came == {leaf: cells[leaf, "Women"] for leaf in LEAVES}
    assert "'North'" in asked[-1]


def test_a_total_in_the_midst_of_a_sorted_table_is_asked_about() -> None:
    rows = ("Teak", 120, 7), ("Total", 470, 32), ("Willow", 350, 25)
    came, asked = through(text([("Tree", "Men", "Women"), *rows]), cells="all")
    assert "'Total' (502)" in asked[-1]
    assert came == {"Teak / Men": 120, "Teak / Women": 7, "Willow / Men": 350, "Willow / Women": 25}


@pytest.mark.parametrize("seed", range(5))
def test_one_row_of_counts_with_sums_in_it_is_asked_about(seed: int) -> None:
    cells = drawn(seed)
    rows = with_sums(cells, first=True)
    came, asked = through(text([[name for name, _ in rows], [counts[0] for _, counts in rows]]))
    assert came == {leaf: cells[leaf, "Men"] for leaf in LEAVES} and len(asked) == 1


@pytest.mark.parametrize("of_years", [True, False])
def test_sums_in_a_table_with_a_row_per_category_and_group(of_years: bool) -> None:
    cells, groups = drawn(1), ("2020", "2021", "2022") if of_years else SEXES
    rows = with_sums(cells, first=True)
    data = text([("Group", "Area", "Persons"), *((group, name, counts[j]) for j, group in enumerate(groups)
                                                 for name, counts in rows)])  # fmt: skip
    chosen = {"category_column": "Area", "count_column": "Persons"}
    assert through(data, cells="group sums", **chosen)[0] == sums(cells, 0, LEAVES)
    came, _ = through(data, cells="all", **chosen)
    assert came == {f"{groups[SEXES.index(sex)]} / {leaf}": count for (leaf, sex), count in cells.items()}


def test_a_cell_that_is_by_chance_the_sum_of_cells_of_other_rows_stays() -> None:
    rows = ("Arts", 120, 220), ("Law", 90, 130), ("Science", 310, 260)  # 220 = 90 + 130
    entries = [(name, sex, count) for name, *both in rows for sex, count in zip(("Men", "Women"), both, strict=True)]
    data = text([("field", "sex", "Students"), *entries])
    came, asked = through(data, category_column="field", count_column="Students", cells="group sums")
    assert came == {"Arts": 340, "Law": 220, "Science": 570}
    assert not any("sum of rows" in question for question in asked)


def test_a_base_above_its_counts_is_suggested_to_be_left_out() -> None:
    assert through(text([("Answer", "n"), ("Base", 330), ("Yes", 223), ("No", 104), ("None", 3)]))[0] == {
        "Yes": 223, "No": 104, "None": 3,
    }  # fmt: skip


def test_items_answered_by_few_people_are_no_people() -> None:
    """Every row adds to nine, as the numbers that people answered hardly do."""
    rows = ("Friendly", 1, 2, 6), ("Clean", 2, 1, 6), ("Quick", 1, 2, 6), ("Quiet", 2, 1, 6)
    came, asked = through(text([("Item", "Disagree", "Neutral", "Agree"), *rows]))
    assert came == {"Disagree": 1, "Neutral": 2, "Agree": 6} and "which row" in asked[0]


def test_a_nought_below_a_count_hides_no_sum_above_it() -> None:
    """7 is also the sum of 0 and 7; the rows are found to be sums that leave nothing over."""
    rows = ("Everywhere", 314), ("Oak wood", 300), ("Elm", 120), ("Fir", 180), ("Alder wood", 14)
    leaves = {"Juniper": 7, "Birch": 0, "Willow": 7}
    came, asked = through(text([("Area", "Persons"), *rows, *leaves.items()]))
    assert came == {"Elm": 120, "Fir": 180, **leaves} and len(asked) == 1
