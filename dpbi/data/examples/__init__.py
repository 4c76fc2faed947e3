"""Data sets to start from: one CSV file each, with its title and source in comment lines above the table."""

import csv
from dataclasses import dataclass
from pathlib import Path

# On screen in this order; the first is what the dashboard shows before anything is chosen.
_KEYS = (
    "cryotherapy",
    "immunotherapy",
    "bike_days",
    "badges",
    "berkeley",
    "cryotherapy_types",
    "immunotherapy_types",
    "bike_weather",
    "mendel",
    "hair",
    "blood_groups",
    "paper_2",
    "paper_3",
    "paper_4",
    "paper_edge",
)


@dataclass(frozen=True)
class Example:
    """Counts c of a published data set.

    key: the name of its file; title: as a person chooses it; source: where the counts were published;
    labels: k category names; counts: k whole numbers.
    """

    key: str
    title: str
    source: str
    labels: tuple[str, ...]
    counts: tuple[int, ...]


@dataclass(frozen=True)
class GroupedExample:
    """Counts of a published data set by groups of different people.

    key, title, source: as of an ``Example``; groups: G names; labels: k category names; counts: G times k.
    """

    key: str
    title: str
    source: str
    groups: tuple[str, ...]
    labels: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]


def _table(file: Path) -> tuple[dict[str, str], list[list[str]]]:
    """What its comment lines say, and its rows."""
    lines = file.read_text("utf-8").splitlines()
    notes = dict(line.removeprefix("# ").split(": ", 1) for line in lines if line.startswith("#"))
    return notes, list(csv.reader(line for line in lines if not line.startswith("#")))


def _read(key: str) -> Example:
    notes, (_, *rows) = _table(Path(__file__).parent / f"{key}.csv")
    return Example(
        key,
        notes["title"],
        notes["source"],
        tuple(label for label, _ in rows),
        tuple(int(count) for _, count in rows),
    )


def _read_grouped(key: str) -> GroupedExample:
    notes, ((_, *labels), *rows) = _table(Path(__file__).parent / "groups" / f"{key}.csv")
    counts = tuple(tuple(map(int, row[1:])) for row in rows)
    return GroupedExample(key, notes["title"], notes["source"], tuple(row[0] for row in rows), tuple(labels), counts)


EXAMPLES: tuple[Example, ...] = tuple(map(_read, _KEYS))
GROUPED: tuple[GroupedExample, ...] = tuple(map(_read_grouped, ("aspirin", "plebiscite", "berkeley")))
