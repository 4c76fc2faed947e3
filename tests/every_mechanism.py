"""Every mechanism with every value of its options, found from the fields: no test knows a mechanism by name."""

import dataclasses
import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from dpbi import MECHANISMS, Problem
from dpbi.mechanisms import Mechanism
from dpbi.mechanisms.likelihood import ListedLikelihood
from tests import oracles

Kind = type[Mechanism]
Options = dict[str, Any]
Prior = tuple[float, ...]

_NUMBERS = (0.0, 0.02)  # tried for an option that is a number, besides its default


def option_fields(kind: Kind) -> list[dataclasses.Field[Any]]:
    """The fields that the screen offers: those with a label."""
    return [field for field in dataclasses.fields(kind) if "label" in field.metadata]


def options(kind: Kind) -> list[Options]:
    """All combinations of the values of this class's options."""
    fields = option_fields(kind)
    return [
        dict(zip((field.name for field in fields), combination, strict=True))
        for combination in itertools.product(*(_values(kind, field) for field in fields))
    ]


def _values(kind: Kind, field: dataclasses.Field[Any]) -> Sequence[Any]:
    if "options" in field.metadata:
        return tuple(field.metadata["options"])
    if isinstance(field.default, bool):
        return (False, True)
    return [field.default, *(number for number in _NUMBERS if _accepts(kind, field.name, number))]


def _accepts(kind: Kind, name: str, value: float) -> bool:
    try:
        kind(1.0, **{name: value})  # type: ignore[arg-type]
    except ValueError:
        return False
    return True


EVERY: list[tuple[Kind, Options]] = [
    (kind, chosen) for kind in MECHANISMS for chosen in options(kind)
]


def _name(kind: Kind, chosen: Options) -> str:
    return " ".join([kind.__name__, *(f"{name}={value}" for name, value in chosen.items())])


NAMES = [_name(kind, chosen) for kind, chosen in EVERY]


def has_rate(kind: Kind) -> bool:
    """Whether this class chooses among candidates by their distances times a rate."""
    return hasattr(kind, "rate")


def lists_datasets(kind: Kind) -> bool:
    """Whether this class's noise-aware posterior visits every dataset."""
    return isinstance(kind(1.0).likelihood((1.0, 1.0), 2, (1, 1)), ListedLikelihood)


def exceeds_total(mechanism: Mechanism, n: int, k: int) -> bool:
    """Whether a released count can be larger than n."""
    return mechanism.can_release(n, (n + 1, *(0,) * (k - 1)))


def oracle_laws(mechanism: Mechanism, prior: Prior, n: int) -> dict[oracles.Counts, oracles.Law]:
    """The law of every dataset in 50 digits, without calibration."""
    chosen = {f.name: getattr(mechanism, f.name) for f in dataclasses.fields(mechanism) if f.name != "calibration"}
    return oracles.laws_of_all_datasets(type(mechanism).__name__, prior, n, **chosen)


def box(problem: Problem, margin: int = 0) -> np.ndarray:
    """Every vector of whole numbers within [-margin, n + margin]."""
    return np.ascontiguousarray(np.indices((problem.n + 2 * margin + 1,) * problem.k).reshape(problem.k, -1).T) - margin


def enumerated(kind: Kind, epsilon: float, k: int) -> float:
    """epsilon, raised where outputs reach far beyond n, so that the oracles can visit all that matter."""
    return max(epsilon, {2: 0.7, 3: 4.0, 4: 8.0}[k]) if exceeds_total(kind(1.0), 1, k) else epsilon


def outputs(mechanism: Mechanism, problem: Problem) -> np.ndarray:
    """All that has more than 1e-13 together: the box, and vectors beyond it where counts can be larger than n."""
    inside, n = box(problem), problem.n
    if not exceeds_total(mechanism, n, problem.k):
        return inside
    reach = math.ceil((32 + 4 * problem.k) / mechanism.epsilon)
    beyond = [r for s in range(1, reach + 1) for r in oracles.compositions_with_a_zero(n + s, problem.k) if max(r) > n]
    return np.concatenate([inside, np.array(beyond)])


every_class = pytest.mark.parametrize("kind", MECHANISMS, ids=lambda kind: kind.__name__)
# Above a decorator of problems, not below: a problem is then met by all mechanisms in turn, and its sums are reused.
every_mechanism = pytest.mark.parametrize(("kind", "chosen"), EVERY, ids=NAMES)
