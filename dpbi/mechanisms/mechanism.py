"""What every mechanism answers, and why the protocol has this shape.

A mechanism takes a prior and counts and releases integer counts r, one dtype and one shape for all, so that pages,
figures and tests treat all alike; the private posterior is Dir(alpha + r). It is a frozen dataclass of its public
parameters: hashable, comparable, printable. What it promises depends on the prior and n alone, never on the counts.
"""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpbi import limits
from dpbi.mechanisms.audit import Audit
from dpbi.mechanisms.calibration import Calibration
from dpbi.mechanisms.distance_table import DistanceTable
from dpbi.mechanisms.fair_bits import Bits
from dpbi.mechanisms.guarantee import Guarantee
from dpbi.mechanisms.likelihood import Likelihood
from dpbi.problem.problem import Problem, check_problem


class Draws(Protocol):
    """Releases, and how likely each is."""

    def log_pmf(self, problem: Problem, released: ArrayLike) -> NDArray[np.float64]:
        """log P(r | c): released (..., k) -> (...), -inf outside the support."""

    def sample(self, problem: Problem, rng: np.random.Generator, size: int) -> NDArray[np.int64]:
        """Independent released counts, int64 (size, k)."""

    def can_release(self, n: int, released: tuple[int, ...]) -> bool:
        """Whether some counts with this n lead to this release with positive probability."""

    def likelihood(self, prior: tuple[float, ...], n: int, released: tuple[int, ...]) -> Likelihood:
        """log P(r | c) as a function of c, for ``noise_aware_posterior``; ValueError where it cannot be listed."""

    def rounding(self, prior: tuple[float, ...], n: int) -> float:
        """What the rounding of a secure draw adds to epsilon at most; ValueError where no secure draw can be made."""

    def draw_securely(self, problem: Problem, bits: Bits) -> tuple[int, ...]:
        """One release from fair bits, exact but for ``rounding``: see ``release``."""


class Distances(Protocol):
    """How far from the truth its releases lie."""

    def distances(self, problem: Problem) -> DistanceTable | None:
        """The exact law of (H, steps) as a weighted table; None where the output space is too large to list."""

    def nearest(self, problem: Problem) -> DistanceTable:
        """The outputs nearest to the truth, up to some distance all of them, with their exact probabilities."""

    def mean_distance(self, problem: Problem) -> float | None:
        """E[H] to 1e-9 without listing outputs; None where it is not known."""

    def probability_of_ignoring(self, problem: Problem) -> float:
        """The share of releases that do not depend on the counts at all."""


class Promises(Protocol):
    """What it costs in privacy: as promised, and as computed."""

    def guarantee(self, prior: ArrayLike, n: int) -> Guarantee:
        """What is promised for this public prior and total count, and on what basis."""

    def audit(self, prior: tuple[float, ...], n: int) -> Audit:
        """The output laws of all datasets; ValueError where they are too many."""


class Mechanism(Draws, Distances, Promises, Protocol):
    """All of that, under a name and a colour, for one epsilon."""

    label: ClassVar[str]
    palette_place: ClassVar[int]  # in the figures' palette, its own for ever: none changes its look when another joins
    idea: ClassVar[str]
    source: ClassVar[str]
    formula: ClassVar[str]
    remaining_error: ClassVar[str]  # what keeps its error from vanishing as epsilon grows; "" where nothing does
    __dataclass_fields__: ClassVar[dict[str, Any]]

    def __init__(self, epsilon: float) -> None: ...

    @property
    def epsilon(self) -> float: ...

    @property
    def calibration(self) -> Calibration | None: ...


def check_mechanism(value: Any) -> Any:
    """The value itself, if it is a mechanism that was made, with its epsilon: a class is none."""
    asked = ("epsilon", "calibration", "guarantee", "log_pmf", "sample")
    if isinstance(value, type) or not all(hasattr(value, name) for name in asked):
        raise ValueError("mechanism must be made of a class of dpbi.mechanisms and an epsilon: got "
                         f"{limits.shown(value)}.")
    return value


def name_of(mechanism: Mechanism) -> str:
    """What a mechanism is called where a calibrated one may stand beside it."""
    check_mechanism(mechanism)
    return f"{mechanism.label} calibrated" if mechanism.calibration else mechanism.label


def released_vector(released: Any) -> tuple[int, ...]:
    """One release as ints, of any size; ValueError where it is no vector of whole numbers."""
    array = limits.whole_array("released", released)
    if array.ndim != 1 or array.size < limits.CATEGORIES_LEAST:
        raise ValueError(f"released must hold one count for each of at least two categories: got shape {array.shape}.")
    return tuple(array.tolist())


def released_counts(problem: Problem, released: ArrayLike, largest: int | None = None) -> NDArray[np.int64]:
    """released as int64 (..., k), what lies outside [0, largest] at -1 or largest + 1: no sum of it leaves 64 bits.

    largest: n where it is not given. ValueError where released is no array of whole numbers or has another number of
    categories.
    """
    array = limits.whole_array("released", released)
    if array.ndim == 0 or array.shape[-1] != check_problem(problem).k:
        raise ValueError(f"released must have {problem.k} categories in its last axis: got shape {array.shape}.")
    return np.clip(array, -1, (problem.n if largest is None else largest) + 1)
