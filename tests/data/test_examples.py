"""The bundled examples: their counts, their order, and that a person can upload their files."""

from pathlib import Path

import pytest

from dpbi import Problem, read_counts
from dpbi.data import examples
from dpbi.data.examples import EXAMPLES, GROUPED, Example, GroupedExample

FOLDER = Path(examples.__file__).parent
COUNTS = {
    "cryotherapy": {"cured": 48, "not cured": 42},
    "immunotherapy": {"success": 71, "failure": 19},
    "bike_days": {"weekend or holiday": 231, "working day": 500},
    "badges": {"negative": 84, "positive": 210},
    "berkeley": {"admitted": 1755, "rejected": 2771},
    "cryotherapy_types": {"common": 54, "plantar": 9, "both": 27},
    "immunotherapy_types": {"common": 47, "plantar": 22, "both": 21},
    "bike_weather": {"clear or partly cloudy": 463, "mist or cloudy": 247, "light rain or snow": 21},
    "mendel": {"round, yellow": 315, "round, green": 108, "wrinkled, yellow": 101, "wrinkled, green": 32},
    "hair": {"black": 108, "brown": 286, "red": 71, "blond": 127},
    "blood_groups": {"O": 148, "A": 212, "B": 103, "AB": 39},
    "paper_2": {"category 1": 49, "category 2": 49},
    "paper_3": dict.fromkeys(["category 1", "category 2", "category 3"], 20),
    "paper_4": dict.fromkeys(["category 1", "category 2", "category 3", "category 4"], 20),
    "paper_edge": {"category 1": 1, "category 2": 1, "category 3": 1, "category 4": 77},
}
# Totals that the sources state for themselves: a slip in one count shows.
TOTALS = {"cryotherapy": 90, "immunotherapy": 90, "bike_days": 731, "badges": 294, "berkeley": 4526,
          "cryotherapy_types": 90, "immunotherapy_types": 90, "bike_weather": 731, "mendel": 556, "hair": 592,
          "blood_groups": 502}  # fmt: skip


def test_the_examples_and_their_order() -> None:
    found = {example.key: dict(zip(example.labels, example.counts, strict=True)) for example in EXAMPLES}
    assert found == COUNTS
    assert [example.key for example in EXAMPLES] == list(COUNTS)
    assert EXAMPLES[0].counts == (48, 42), "the first is what the dashboard starts with"
    assert {example.key: sum(example.counts) for example in EXAMPLES if example.key in TOTALS} == TOTALS
    assert {path.stem for path in FOLDER.glob("*.csv")} == set(COUNTS)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.key)
def test_an_example_is_complete_and_its_file_read_alike(example: Example) -> None:
    assert example.title
    assert len(example.source) >= len("[N] figure 5")
    assert Problem((1.0,) * len(example.labels), example.counts).n == sum(example.counts)
    assert hash(example)
    result = read_counts((FOLDER / f"{example.key}.csv").read_bytes(), f"{example.key}.csv")
    assert (result.labels, result.counts) == (example.labels, example.counts)
    assert result.warnings == ("Lines that begin with # above row 3 were left out.",)


# The sources' own totals: of each group, and of each category over all groups
GROUPED_TOTALS = {
    "aspirin": ({"aspirin": 11_037, "placebo": 11_034}, {"heart attack": 293, "none": 21_778}),
    "plebiscite": (
        {"North": 322, "Central": 600, "South": 718, "Santiago metropolitan area": 100, "Santiago city": 960},
        {"yes": 868, "no": 889, "undecided": 588, "abstain": 187, "no answer": 168},
    ),
    "berkeley": ({"men": 2691, "women": 1835}, {"admitted": 1755, "rejected": 2771}),
}


@pytest.mark.parametrize("example", GROUPED, ids=lambda example: example.key)
def test_an_example_of_groups_has_its_sources_totals_and_a_file_that_is_read_alike(example: GroupedExample) -> None:
    groups = {group: sum(row) for group, row in zip(example.groups, example.counts, strict=True)}
    categories = {label: sum(row[i] for row in example.counts) for i, label in enumerate(example.labels)}
    assert (groups, categories) == GROUPED_TOTALS[example.key]
    assert example.title and len(example.source) > 20 and hash(example)
    file = FOLDER / "groups" / f"{example.key}.csv"
    for group, counts in zip(example.groups, example.counts, strict=True):
        asked = {"confirm_percentages": True} if sum(counts) == 100 else {}
        read = read_counts(file.read_bytes(), file.name, layout="wide", group_column=1, group=group, **asked)
        assert (read.labels, read.counts) == (example.labels, counts)
    assert {path.stem for path in file.parent.glob("*.csv")} == {one.key for one in GROUPED} == {*GROUPED_TOTALS}
