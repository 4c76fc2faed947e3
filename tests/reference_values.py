"""The reference values of tests/reference, by name."""

import json
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent / "reference"
_VALUES = json.loads((_FOLDER / "values.json").read_text(encoding="utf-8"))
_NUMERIC = json.loads((_FOLDER / "numeric.json").read_text(encoding="utf-8"))


def values(group: str) -> list[dict[str, Any]]:
    """The entries of one group of values.json."""
    return list(_VALUES[group])


def numeric(group: str) -> list[dict[str, Any]]:
    """The values of numeric.json of this quantity and its rules whose id begins so; never an empty list."""
    found = [entry for entry in _NUMERIC["values"] if entry["quantity"] == group]
    found += [rule for rule in _NUMERIC["rules"] if rule["id"].startswith(group)]
    if not found:
        raise KeyError(f"numeric.json has neither a quantity nor a rule {group!r}")
    return found


def expand(entries: Any) -> list[Any]:
    """A list as it is; {"first": a, "repeat": b, "k": k} as a (or b), b, b, ... of length k."""
    if isinstance(entries, list):
        return entries
    repeated = [entries["repeat"]] * entries["k"]
    return [entries.get("first", entries["repeat"]), *repeated[1:]]
