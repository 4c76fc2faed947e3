"""Every mechanism with every value of its options, found from the fields: no test knows a mechanism by name."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Sequence
from typing import Any

import pytest

from dpbi import MECHANISMS
from dpbi.mechanisms import Mechanism

_NUMBERS = (0.0, 0.02)  # tried for an option that is a number, besides its default


def option_fields(kind: type[Mechanism]) -> list[dataclasses.Field[Any]]:
    """The fields that the screen offers: those with a label."""
    return [field for field in dataclasses.fields(kind) if "label" in field.metadata]


def options(kind: type[Mechanism]) -> list[dict[str, Any]]:
    """All combinations of the values of this class's options."""
    fields = option_fields(kind)
    return [
        dict(zip((field.name for field in fields), combination, strict=True))
        for combination in itertools.product(*(_values(kind, field) for field in fields))
    ]


def _values(kind: type[Mechanism], field: dataclasses.Field[Any]) -> Sequence[Any]:
    if "options" in field.metadata:
        return tuple(field.metadata["options"])
    if isinstance(field.default, bool):
        return (False, True)
    return [field.default, *(number for number in _NUMBERS if _accepts(kind, field.name, number))]


def _accepts(kind: type[Mechanism], name: str, value: float) -> bool:
    try:
        kind(**{"epsilon": 1.0, name: value})
    except ValueError:
        return False
    return True


EVERY: list[tuple[type[Mechanism], dict[str, Any]]] = [
    (kind, chosen) for kind in MECHANISMS for chosen in options(kind)
]


def _name(kind: type[Mechanism], chosen: dict[str, Any]) -> str:
    return " ".join([kind.__name__, *(f"{name}={value}" for name, value in chosen.items())])


NAMES = [_name(kind, chosen) for kind, chosen in EVERY]

every_class = pytest.mark.parametrize("kind", MECHANISMS, ids=lambda kind: kind.__name__)
# Above a decorator of problems, not below: a problem is then met by all mechanisms in turn, and its sums are reused.
every_mechanism = pytest.mark.parametrize(("kind", "chosen"), EVERY, ids=NAMES)

every_bad_prior_or_total = pytest.mark.parametrize(
    ("prior", "n", "words"),
    [
        ((1, -1), 3, r"prior\[1\].*-1"),
        ((1, math.nan), 3, r"prior\[1\].*nan"),
        ((1, 10**400), 3, r"prior\[1\] is too large.*1000"),
        ((1,), 3, "prior.*two"),
        ({1, 2}, 3, "prior.*a set has none"),
        ((1, 1), -2, r"\bn\b.*-2"),
        ((1, 1), 2.5, r"\bn\b.*2\.5"),
        ((1, 1), 10**400, r"\bn\b is too large"),
    ],
)
