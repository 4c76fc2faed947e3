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


def _read(key: str) -> Example:
    lines = (Path(__file__).parent / f"{key}.csv").read_text("utf-8").splitlines()
    notes = dict(line.removeprefix("# ").split(": ", 1) for line in lines if line.startswith("#"))
    _, *rows = csv.reader(line for line in lines if not line.startswith("#"))
    return Example(
        key,
        notes["title"],
        notes["source"],
        tuple(label for label, _ in rows),
        tuple(int(count) for _, count in rows),
    )


EXAMPLES: tuple[Example, ...] = tuple(map(_read, _KEYS))
