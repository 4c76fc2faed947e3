"""What a paper's figure is drawn from: its place in the paper, its contenders, and the results they are held in."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dpbi.accuracy.distance_law import DistanceLaw
from dpbi.accuracy.order import Measured, foremost, lead
from dpbi.frozen_result import FrozenResult
from dpbi.inference.private_posteriors import PrivatePosteriors
from dpbi.mechanisms import Mechanism
from dpbi.problem.problem import Problem
from dpbi.sensitivity.maps import SensitivityScan

Floats = NDArray[np.float64]
Measure = Literal["hellinger", "l1"]
Begin = Callable[[int], None]  # called before each part of a computation, with the number of its parts
RUNS = 1000  # [P17] section 7.2.2: every plot of an experiment is over 1,000 runs


def unwatched(parts: int) -> None:
    """The ``Begin`` of what nobody waits for."""


@dataclass(frozen=True)
class PaperFigure:
    """One numbered figure of a paper.

    paper: its mark; number: as printed; title: a few words; caption: what the paper draws and says of it, in ours;
    compute: the figure's result with the paper's settings as defaults; story: of a result, where it agrees with the
    paper's text and where it does not, and why; simulated: whether ``compute`` takes a seed and a ``Begin``;
    not_printed: the settings that are ours since the paper does not print them.
    """

    paper: str
    number: str
    title: str
    caption: str
    compute: Callable[..., Any]
    story: Callable[[Any], str]
    simulated: bool
    not_printed: str = ""

    @property
    def key(self) -> str:
        return f"{self.paper} {self.number}"

    def result(self, seed: int, begin: Begin = unwatched) -> Any:
        return self.compute(seed=seed, begin=begin) if self.simulated else self.compute()


@dataclass(frozen=True)
class Contender:
    """A mechanism and what a paper's figure calls it."""

    mechanism: Mechanism
    role: str

    @property
    def name(self) -> str:
        return f"{self.mechanism.label} ({self.role})"


@dataclass(frozen=True, eq=False)
class SensitivityGap(FrozenResult):
    """Local, smooth and global sensitivity over all datasets of two categories; problem: the dataset marked."""

    problem: Problem
    scan: SensitivityScan


@dataclass(frozen=True, eq=False)
class DistanceProbabilities(FrozenResult):
    """The exact law of the distance, and simulated releases of each contender."""

    contenders: tuple[Contender, ...]
    laws: tuple[DistanceLaw, ...]
    draws: tuple[PrivatePosteriors, ...]

    @property
    def problem(self) -> Problem:
        return self.laws[0].problem


@dataclass(frozen=True, eq=False)
class Race(FrozenResult):
    """Where one contender has the smaller exact mean distance than another, at data of k equal counts.

    first, second: their places among the contenders; k: categories; sizes: all n looked at, rising multiples of k,
    every one of them up to ``every``, then by ``step`` times the one before, and every one between two of different
    order;
    ahead: (sizes,), whether the first is surely nearer.
    """

    first: int
    second: int
    k: int
    every: int
    step: float
    sizes: tuple[int, ...]
    ahead: NDArray[np.bool_]

    @property
    def spans(self) -> list[tuple[int, int]]:
        """The runs of sizes at which the first is ahead, each by its least and largest."""
        turns = np.flatnonzero(np.diff(np.concatenate([[False], self.ahead, [False]]))).tolist()
        return [(self.sizes[begin], self.sizes[end - 1]) for begin, end in zip(turns[::2], turns[1::2], strict=True)]

    @property
    def overtaken(self) -> int | None:
        """The least size from which on the first is ahead; None where it is not at the largest, or is throughout."""
        begin, end = self.spans[-1] if self.spans else (0, 0)
        return begin if end == self.sizes[-1] and begin > self.sizes[0] else None


@dataclass(frozen=True, eq=False)
class ErrorsAgainstSize(FrozenResult):
    """Mean Hellinger distance against n, for balanced data.

    exact, simulated, standard_error: (sizes, contenders); the simulated mean of ``runs`` releases and its error; race:
    of M_H by Definition 6 and the baseline, at more sizes than are drawn.
    """

    contenders: tuple[Contender, ...]
    prior: tuple[float, ...]
    sizes: tuple[int, ...]
    runs: int
    seed: int
    exact: Floats
    simulated: Floats
    standard_error: Floats
    race: Race


@dataclass(frozen=True, eq=False)
class ErrorBoxes(FrozenResult):
    """Simulated errors of every contender at every problem, and their exact means.

    measure: Hellinger distance or L1 distance of the counts, in records; labels: one per problem;
    errors: (problems, contenders, runs); exact: (problems, contenders), NaN where only a sampled mean is known.
    """

    contenders: tuple[Contender, ...]
    problems: tuple[Problem, ...]
    labels: tuple[str, ...]
    measure: Measure
    runs: int
    seed: int
    errors: Floats
    exact: Floats

    @property
    def mean(self) -> Floats:
        """The exact mean, and where there is none that of the runs."""
        return np.where(np.isnan(self.exact), self.errors.mean(axis=-1), self.exact)

    def nearest(self) -> list[int]:
        """The contenders that no other is surely nearer than, at the first problem."""
        drawn = np.where(np.isnan(self.exact[0]), self.errors[0].std(axis=-1) / np.sqrt(self.runs), 0.0)
        means, errors = self.mean[0].tolist(), drawn.tolist()
        return foremost(range(len(means)), lambda place: Measured(means[place], errors[place]))


@dataclass(frozen=True, eq=False)
class ConcretePrivacy(FrozenResult):
    """The largest log P_c(r) - log P_c'(r) over neighbours c' and outputs r, against n.

    contenders: Definition 3, whose delta the paper's caption prints, and Definition 6; stated: the epsilon the paper
    compares with; balanced: (sizes, contenders), for c = (n/2, n/2); worst: for the worst c, which is the privacy loss.
    """

    contenders: tuple[Contender, ...]
    prior: tuple[float, ...]
    sizes: tuple[int, ...]
    stated: float
    delta: float
    balanced: Floats
    worst: Floats


def ahead_from(exact: Floats, first: int, second: int) -> int | None:
    """The least row from which on contender ``first`` has the smaller mean than ``second``; None if there is none.

    exact: mean errors, (rows, contenders). Source: ours.
    """
    behind = [row for row, means in enumerate(exact) if lead(Measured(means[first]), Measured(means[second])) <= 0]
    row = behind[-1] + 1 if behind else 0
    return row if row < len(exact) else None
