"""The things that accuracy depends on, one at a time: what each value stands for, all else kept."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np

from dpbi import limits
from dpbi.data.synthesis import apportioned
from dpbi.mechanisms.mechanism import Mechanism, check_mechanism
from dpbi.problem.problem import Problem, check_problem

Value = float | int

N_LEAST, N_LARGEST = 10, 1_000_000
_STRAIGHT = 1_000
EPSILONS = (0.01, 20.0)
STRENGTHS = (0.1, 10_000.0)
GAMMAS = (0.01, 100.0)
CATEGORIES = (2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50)
_SHARES = 17
_MULTIPLES = 1_000  # of each of up to 600 powers of ten
_FEWER, _FEW, _MANY = (1, 3), (1, 2, 5), (1, 1.5, 2, 3, 5, 7)  # multiples of powers of ten


@dataclass(frozen=True)
class Axis:
    """One thing that varies.

    name: its key; title: of the axis in a figure; symbol: in a sentence, as in "from n = 40"; kept: the sentence that
    says what each value stands for; whole: whether values are whole numbers; logarithmic: how they are spaced;
    keeps_calibration: whether a calibration, which holds for one rule, prior and n, holds all along it;
    values_of: values to compute; own_of: the person's own; at_value: what a value makes of mechanism and problem.
    """

    name: str
    title: str
    symbol: str
    kept: str
    whole: bool
    logarithmic: bool
    keeps_calibration: bool
    own_of: Callable[[Problem, Sequence[Mechanism]], Value | None]
    values_of: Callable[[Problem], Iterable[Value]]
    at_value: Callable[[Mechanism, Problem, Value], tuple[Mechanism, Problem]]

    def values(self, problem: Problem, mechanisms: Sequence[Mechanism]) -> tuple[Value, ...]:
        """The values to compute, rising; the person's own is among them where it gives their own problem."""
        own = self.own(problem, mechanisms)
        return tuple(sorted({*self.values_of(problem), *([] if own is None else [own])}))

    def own(self, problem: Problem, mechanisms: Sequence[Mechanism]) -> Value | None:
        """Where on the axis the person stands; None where no value gives their own problem."""
        check_problem(problem)
        mechanisms = limits.sequence("mechanisms", mechanisms, "of mechanisms")
        if not mechanisms:
            raise ValueError("mechanisms must hold one at least: got none.")
        for mechanism in mechanisms:
            check_mechanism(mechanism)
        own = self.own_of(problem, mechanisms)
        gives_own = own is not None and self.at_value(mechanisms[0], problem, own)[1] == problem
        return own if gives_own else None

    def at(self, mechanism: Mechanism, problem: Problem, value: Value) -> tuple[Mechanism, Problem]:
        """The mechanism and the problem at a value, without a calibration that would not hold there.

        Raises ValueError where the value makes no problem.
        """
        check_mechanism(mechanism)
        check_problem(problem)
        value = limits.whole_number("value", value, 0, limits.TOTAL_LARGEST) if self.whole else limits.finite_number(
            "value", value)
        plain = mechanism if self.keeps_calibration else replace(mechanism, calibration=None)
        return self.at_value(plain, problem, value)


def scaled_counts(counts: Iterable[int], n: int) -> tuple[int, ...]:
    """n records in the proportions of the counts, by largest remainder: floor(c_i n / N), and one more for those
    of the largest remainders, the first among equals, until the sum is n. Without records, equal proportions.

    Source: ours; the rule is Hamilton's.
    """
    listed = enumerate(limits.sequence("counts", counts, "of counts", limits.CATEGORIES_LARGEST))
    c = [limits.whole_number(f"counts[{i}]", count, 0, limits.TOTAL_LARGEST) for i, count in listed]
    n = limits.check_total(n)
    return apportioned(c if any(c) else [1] * len(c), n)


def also_at(mechanisms: Iterable[Mechanism], epsilons: Iterable[float]) -> tuple[Mechanism, ...]:
    """The mechanisms, then each of them at each further epsilon, as it is: a calibration holds for one epsilon.

    Raises ValueError for what is no mechanism or no epsilon. Source: ours.
    """
    given = [check_mechanism(one) for one in limits.sequence("mechanisms", mechanisms, "of mechanisms")]
    further = [limits.check_epsilon(one, "epsilons") for one in limits.sequence("epsilons", epsilons, "of numbers")]
    more = [replace(one, epsilon=epsilon, calibration=None) for epsilon in further for one in given]
    return tuple(dict.fromkeys([*given, *(one for one in more if one.epsilon not in {m.epsilon for m in given})]))


def decades(low: float, high: float, multiples: Sequence[float]) -> list[float]:
    """These multiples of powers of ten, from low to high, rising."""
    low, high = (limits.between(name, value, 1e-290, 1e290) for name, value in (("low", low), ("high", high)))
    multiples = [limits.between("multiples", value, 1e-9, 1e9) for value in limits.sequence(
        "multiples", multiples, "of numbers", _MULTIPLES)]
    found = {float(Decimal(repr(multiple)).scaleb(power)) for multiple in multiples
             for power in range(math.floor(math.log10(low / multiple)), math.ceil(math.log10(high / multiple)) + 1)}
    return sorted(value for value in found if low <= value <= high)


def _totals() -> list[int]:
    """Fewer where a curve is straight, H being of the order of 1 / sqrt(n), and a point takes longer."""
    curved = decades(N_LEAST, min(_STRAIGHT, N_LARGEST), _FEW)
    return [int(value) for value in (*curved, *decades(_STRAIGHT, N_LARGEST, _FEWER))]


def _at_strength(mechanism: Mechanism, problem: Problem, value: Value) -> tuple[Mechanism, Problem]:
    factor = value / sum(problem.prior)
    return mechanism, Problem(tuple(alpha * factor for alpha in problem.prior), problem.counts)


def _strengths(problem: Problem) -> list[float]:
    """Those at which every parameter stays within the limits."""
    total = sum(problem.prior)
    least, largest = limits.PRIOR_LEAST * total / min(problem.prior), limits.PRIOR_LARGEST * total / max(problem.prior)
    return [value for value in decades(*STRENGTHS, _FEW) if least < value < largest]


def _at_k(mechanism: Mechanism, problem: Problem, value: Value) -> tuple[Mechanism, Problem]:
    k = limits.whole_number("value", value, limits.CATEGORIES_LEAST, limits.CATEGORIES_LARGEST)
    return mechanism, Problem((sum(problem.prior) / problem.k,) * k, scaled_counts((1,) * k, problem.n))


def _at_largest(mechanism: Mechanism, problem: Problem, value: Value) -> tuple[Mechanism, Problem]:
    place, most = problem.counts.index(max(problem.counts)), int(value)
    others = scaled_counts((1,) * (problem.k - 1), problem.n - most)
    return mechanism, problem.with_counts((*others[:place], most, *others[place:]))


def _largest_counts(problem: Problem) -> list[int]:
    least = -(-problem.n // problem.k)
    count = min(_SHARES, problem.n - least + 1)
    return sorted({int(value) for value in np.linspace(least, problem.n, count).round()})


def _at_gamma(mechanism: Mechanism, problem: Problem, value: Value) -> tuple[Mechanism, Problem]:
    if not has_gamma(mechanism):
        return mechanism, problem
    return replace(mechanism, gamma=float(value)), problem  # type: ignore[call-arg]


def has_gamma(mechanism: Mechanism) -> bool:
    """Whether gamma is among the mechanism's parameters."""
    return "gamma" in check_mechanism(mechanism).__dataclass_fields__


def _own_gamma(problem: Problem, mechanisms: Sequence[Mechanism]) -> float | None:
    own = next((float(getattr(one, "gamma")) for one in mechanisms if has_gamma(one)), None)  # noqa: B009
    return own or None  # 0 has no place on a logarithmic axis


AXES: tuple[Axis, ...] = (
    Axis(
        "n", "Total count n", "n",
        "The proportions of the counts are kept, by largest remainder, and so is the prior.",
        True, True, False, lambda problem, _: problem.n,
        lambda _: _totals(),
        lambda mechanism, problem, n: (mechanism, problem.with_counts(scaled_counts(problem.counts, int(n)))),
    ),
    Axis(
        "epsilon", "epsilon", "epsilon", "Data and prior are yours.", False, True, False,
        lambda _, mechanisms: mechanisms[0].epsilon, lambda _: decades(*EPSILONS, _MANY),
        lambda mechanism, problem, epsilon: (replace(mechanism, epsilon=float(epsilon)), problem),
    ),
    Axis(
        "strength", "Prior strength: pseudo-counts in all", "prior strength",
        "The prior's mean and the data are kept; the sum of its parameters varies.",
        False, True, False, lambda problem, _: sum(problem.prior), _strengths, _at_strength,
    ),
    Axis(
        "k", "Number of categories k", "k",
        "Not your data: n records spread evenly over k categories, and a prior as strong per category as yours is on "
        "average.",
        True, True, False, lambda problem, _: problem.k, lambda _: CATEGORIES, _at_k,
    ),
    Axis(
        "imbalance", "Records in the largest category", "the largest count",
        "n and the prior are kept; one category, the largest of yours, takes this many records and the others share "
        "the rest evenly.",
        True, False, True, lambda problem, _: max(problem.counts), _largest_counts, _at_largest,
    ),
    Axis(
        "gamma", "gamma", "gamma", "Data and prior are yours. Mechanisms without gamma stay as they are.", False, True,
        False, _own_gamma, lambda _: decades(*GAMMAS, _MANY), _at_gamma,
    ),
)  # fmt: skip


def axis(name: str) -> Axis:
    """The axis of this name. Raises ValueError for another."""
    limits.one_of("axis", name, [one.name for one in AXES])
    return next(one for one in AXES if one.name == name)
