"""Any JSON up to the limit is read or refused in linear time: each case here took seconds to hours before."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from dpbi import Release
from dpbi.dashboard.take_away import scenario_file
from dpbi.data.json_object import json_object
from dpbi.releases.ledger import Ledger

READERS: list[Callable[[str], object]] = [
    Ledger.from_json, Release.from_json, lambda text: scenario_file.from_json(text.encode()),
]  # fmt: skip

NAMES = ",".join(f'"name {i}":1' for i in range(26_000))
HOSTILE_JSON = {
    "one name twice among 26,000": (f'{{{NAMES},"name 25999":1}}', "it gives 'name 25999' more than once"),
    "every name twice": (f"{{{NAMES},{NAMES}}}", "it gives 'name 0' more than once"),
    "lists": ("[" + "[]," * 1_300_000 + "[]]", "it holds 1,300,002 opening brackets and colons, at most 500,000"),
    "quotes": ('"' * 4_000_000, "it cannot be read from line 1, column 3 on"),
    "lists within lists": ("[" * 400_000, "it nests lists and objects too deeply, at most 50 levels"),
    "objects within objects": ('{"a":' * 200_000, "it nests lists and objects too deeply"),
    "closed": ("[" * 200_000 + "]" * 200_000, "it nests lists and objects too deeply"),
    "digits": ('{"k":' + "1" * 4_000_000 + "}", "a whole number in it has 4,000,000 digits, at most 1,000"),
}


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("hostile", HOSTILE_JSON)
def test_hostile_json_is_refused_in_a_sentence(read: Any, hostile: str) -> None:
    text, said = HOSTILE_JSON[hostile]
    with pytest.raises(ValueError, match=f"must be a JSON object in UTF-8: {said}"):
        read(text)


@pytest.mark.parametrize("within", [("[", "1", "]"), ('{"a":', "1", "}"), ('[{"a":', "{}", "}]")])
def test_fifty_levels_are_read_and_no_more(within: tuple[str, str, str]) -> None:
    begin, middle, end = within
    levels = sum(map(begin.count, "[{")), sum(map(middle.count, "[{"))
    fit = (49 - levels[1]) // levels[0]
    text = '{"a":' + begin * fit + middle + end * fit + "}"
    assert json_object("It", text) == json.loads(text)
    deeper = '{"a":' + begin * (fit + 1) + middle + end * (fit + 1) + "}"
    with pytest.raises(ValueError, match="too deeply"):
        json_object("It", deeper)


def test_a_large_ledger_or_label_is_not_taken_for_hostile() -> None:
    """Ten thousand objects of twenty names with a time in each, and 2,000 labels of 100 brackets."""
    text = json.dumps({"releases": [{f"{i}": "2026-01-31T12:00:00Z" for i in range(12)}] * 10_000})
    assert len(json_object("It", text)["releases"]) == 10_000
    assert json_object("It", json.dumps({"labels": ["[" * 100] * 2_000}))
