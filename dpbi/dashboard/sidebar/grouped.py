"""Counts by groups of different people: typed as a table, of a bundled example, or of a file with groups apart; and
the settings of the page Groups.
"""

import csv
import io
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from dpbi import limits
from dpbi.dashboard.sidebar import entries
from dpbi.data.count_table import CountTable
from dpbi.data.examples import GROUPED
from dpbi.data.files.table import JOIN

GROUPS_LARGEST = 40
BY_KEY = {example.key: example for example in GROUPED}
EXAMPLE, TYPED, FILE, RELEASES = SOURCES = ("An example", "Counts typed in", "The file in use", "Releases made")
PEOPLE, EPSILON = PLANNED = ("people a group", "epsilon")
READERS = (10, 20, 30, 50)
SIDES = ("first", "second")  # of the two groups that are compared
# A group and a category by their places from 1 on, which are public where their names are not; an epsilon or a size of
# a group's own: empty where it has none.
DEFAULTS: dict[str, Any] = {
    "groups: source": EXAMPLE, "groups: example": GROUPED[0].key, "groups: typed": "", "groups: question": 1,
    "groups: first": 1, "groups: second": 2, "groups: category": 1,
    "groups: mechanism": "", "groups: draws": 20, "groups: strength": "1",
    "groups: share": "0.3", "groups: gap": "0.1", "groups: wanted": "0.8", "groups: vary": PEOPLE,
    **{f"groups: {what} of the {side}": "" for what in ("epsilon", "size") for side in SIDES},
}  # fmt: skip


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
    cells = [(place, _cells(place, line, mark)) for place, line in lines]
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


def _cells(place: int, line: str, mark: str) -> list[str]:
    try:
        return [cell.strip() for cell in next(csv.reader(io.StringIO(line), delimiter=mark))]
    except csv.Error:
        raise ValueError(f"Line {place} cannot be read: got {limits.shown(line)}.") from None


def own_epsilon(text: str) -> float | None:
    """Of one group, as typed; None where nothing is."""
    return limits.check_epsilon(entries.number("epsilon", text)) if text.strip() else None


def own_size(text: str) -> int | None:
    """People of one group, as typed; None where nothing is."""
    return entries.whole("people", text, 1, limits.TOTAL_LARGEST) if text.strip() else None


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


def of_table(table: CountTable, question: int, name: str) -> Grouped:
    """One question of a table of groups, those in which nobody answered it left out. Raises ValueError where fewer than
    two are left."""
    held = [(group, one) for group, one in zip(table.groups, table.counts[question], strict=True) if sum(one.counts)]
    if len(held) < 2:
        raise ValueError("Two groups with somebody in them are needed.")
    limits.whole_number("number of groups", len(held), 2, GROUPS_LARGEST)
    title = f"{name}: {table.questions[question]}" if len(table.questions) > 1 else name
    return Grouped(tuple(group for group, _ in held), held[0][1].labels, tuple(one.counts for _, one in held), title,
                   "an uploaded file")  # fmt: skip


def found(kept: Mapping[str, Any]) -> Grouped | None:
    """Of the settings; None where nothing is typed, or no such file in use. Raises ValueError as ``typed``."""
    if kept["groups: source"] == EXAMPLE:
        return of_example(kept["groups: example"])
    if kept["groups: source"] == FILE:
        return of_file(kept["uploaded"])
    return typed(kept["groups: typed"]) if kept["groups: source"] == TYPED and kept["groups: typed"].strip() else None


def as_typed(own: Grouped) -> str:
    """The text that ``typed`` reads so; empty where it reads it in another way, as a name over two lines."""
    lines = io.StringIO()
    csv.writer(lines, lineterminator="\n").writerows(
        [("group", *own.labels), *((name, *row) for name, row in zip(own.groups, own.counts, strict=True))])
    text = lines.getvalue()
    with suppress(ValueError):
        again = typed(text)
        return text if again[:3] == own[:3] else ""
    return ""


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
