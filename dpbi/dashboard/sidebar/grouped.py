"""Counts by groups of different people: typed as a table, of a bundled example, or of a file with groups apart."""

import csv
import io
from collections.abc import Mapping
from typing import Any, NamedTuple

from dpbi import limits
from dpbi.dashboard.sidebar import entries
from dpbi.data.examples import GROUPED
from dpbi.data.files.table import JOIN

GROUPS_LARGEST = 40
BY_KEY = {example.key: example for example in GROUPED}


class Grouped(NamedTuple):
    """groups: G names; labels: k category names; counts: G times k; title, source: in plain text."""

    groups: tuple[str, ...]
    labels: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    title: str
    source: str


def of_example(key: str) -> Grouped:
    one = BY_KEY[key]
    return Grouped(one.groups, one.labels, one.counts, one.title, one.source)


def typed(text: str) -> Grouped:
    """A line of the categories' names, then a line per group: its name and its counts, with commas, semicolons or tabs
    between. Raises ValueError naming the line."""
    if len(text) > limits.TYPED_CHARACTERS_LARGEST:
        most = limits.TYPED_CHARACTERS_LARGEST
        raise ValueError(f"The text may have at most {most:,} characters: got {len(text):,}.")
    lines = [(place, line.strip(" \r")) for place, line in enumerate(text.split("\n"), 1) if line.strip()]
    if len(lines) < 3:
        raise ValueError("A line of the categories' names and two groups at least are needed: a line each, such as: "
                         "A, 30, 70.")  # fmt: skip
    mark = next((mark for mark in "\t;" if mark in lines[0][1]), ",")
    cells = [(place, [cell.strip() for cell in next(csv.reader(io.StringIO(line), delimiter=mark))])
             for place, line in lines]  # fmt: skip
    (_, (_, *labels)), *rows = cells
    limits.whole_number("number of categories", len(labels), limits.CATEGORIES_LEAST, limits.CATEGORIES_LARGEST)
    limits.whole_number("number of groups", len(rows), 2, GROUPS_LARGEST)
    counts = []
    for place, (_, *row) in rows:
        try:
            if len(row) != len(labels):
                raise ValueError(f"one count per category is needed: got {len(row)} for {len(labels)}.")
            counts.append(limits.check_counts(
                [entries.whole("the count", cell, 0, limits.TOTAL_LARGEST) for cell in row]))  # fmt: skip
        except ValueError as refusal:
            raise ValueError(f"Line {place}: {refusal}") from None
    return _named([row[0] for _, row in rows], labels, counts, "Groups typed in", "typed in")


def of_file(used: Mapping[str, Any] | None) -> Grouped | None:
    """What the page Data read with each group apart; None where it read something else."""
    if used is None or not all(JOIN in label for label in used["labels"]):
        return None
    found: dict[str, dict[str, int]] = {}
    for label, count in zip(used["labels"], used["counts"], strict=True):
        group, _, category = label.partition(JOIN)
        found.setdefault(group, {})[category] = count
    first, *others = found.values()
    if not others or any(one.keys() != first.keys() for one in others) or len(first) < 2:
        return None
    limits.whole_number("number of groups", len(found), 2, GROUPS_LARGEST)
    counts = [tuple(one[category] for category in first) for one in found.values()]
    return _named([*found], [*first], counts, used["name"], "an uploaded file")


def _named(groups: list[str], labels: list[str], counts: list[tuple[int, ...]], title: str, source: str) -> Grouped:
    for names in (groups, labels):
        for name in names:
            limits.check_text("a name", name, limits.TYPED_LABEL_CHARACTERS_LARGEST)
            if not name:
                raise ValueError("Every group and every category needs a name.")
        entries.check_labels(names)
    for group, row in zip(groups, counts, strict=True):
        if not sum(row):
            raise ValueError(f"Nobody is in the group {limits.shown(group)}: there is nothing to compare.")
    return Grouped(tuple(groups), tuple(labels), tuple(counts), title, source)
