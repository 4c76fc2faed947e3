"""Expected error along an axis, where one mechanism overtakes another, and the epsilon that a wanted error asks for."""

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from dpbi import limits
from dpbi.accuracy.axes import Axis, Value, decades
from dpbi.accuracy.error import Evaluate, ExpectedError, Metric, expected_error
from dpbi.accuracy.order import lead
from dpbi.mechanisms.mechanism import Mechanism, check_mechanism
from dpbi.mechanisms.printed_bound import printed_bound
from dpbi.problem.problem import Problem, check_problem

SEARCHED = (1e-2, 1e3)  # epsilons that may be the answer
_LOOKED_AT = (1, 3)  # multiples of powers of ten among them, looked at first; the axis epsilon has them too
_FINE = 1e-5  # relative width to which a crossing of a continuous axis, and an epsilon, are narrowed
_INWARD = 0.2  # of the bracket's width: how far at first a step is moved towards the middle
_SETTLED = 8  # whole values beyond a crossing that must agree: rounded counts make a curve tremble


@dataclass(frozen=True)
class AccuracyCurve:
    """The expected errors of one mechanism along an axis: values rising, errors aligned with them."""

    axis: Axis
    mechanism: Mechanism
    metric: Metric
    values: tuple[Value, ...]
    errors: tuple[ExpectedError, ...]

    def at(self, value: Value) -> ExpectedError | None:
        """The error at a value, None where it was not computed."""
        limits.finite_number("value", value)
        return next((error for x, error in zip(self.values, self.errors, strict=True) if x == value), None)


@dataclass(frozen=True)
class Crossover:
    """Along an axis ``ahead`` has the smaller error from ``value`` on, ``behind`` up to ``before``.

    exact: no draw and no bound enters, and nothing lies between: before = value - 1 on a whole axis, apart by 1e-5 of
    the value on another. Else the crossing lies somewhere between the two.
    """

    axis: Axis
    ahead: Mechanism
    behind: Mechanism
    before: Value
    value: Value
    exact: bool


@dataclass(frozen=True)
class RequiredEpsilon:
    """The smallest epsilon at which a mechanism's mean distance is at most the wanted one.

    mechanism: with that epsilon; mean: its expected distance there; monotone: whether the mean never rose with epsilon
    where it was looked at. If it did, a smaller epsilon may do between those places.
    """

    mechanism: Mechanism
    problem: Problem
    wanted: float
    mean: ExpectedError
    monotone: bool

    @property
    def epsilon(self) -> float:
        return self.mechanism.epsilon


def coarse_to_fine(values: Sequence[Value]) -> tuple[Value, ...]:
    """The same values, the ends first, then ever finer between them: wherever one stops, the whole range is seen."""
    values = [_value(value) for value in limits.sequence("values", values, "of values of an axis")]
    order: dict[int, None] = {}
    stride = 1 << max(len(values) - 1, 1).bit_length()
    while stride:
        order |= dict.fromkeys([*range(0, len(values), stride), *([len(values) - 1] if values else [])])
        stride //= 2
    return tuple(values[i] for i in order)


def accuracy_curve(
    axis: Axis, mechanism: Mechanism, problem: Problem, metric: Metric, values: Iterable[Value],
    evaluate: Evaluate = expected_error,
) -> AccuracyCurve:
    """E[metric] of one mechanism at each value of an axis.

    axis: from ``axes``; values: of it; evaluate: what answers for a point, so that answers can be kept.
    Raises ValueError as ``Axis.at`` and ``expected_error``. Source: ours; [P17] Figures 4 and 5a vary n.
    """
    limits.instance("axis", axis, Axis, "one of dpbi.accuracy_axes.AXES")
    limits.check_function("evaluate", evaluate)
    rising = tuple(sorted(_value(value) for value in limits.sequence("values", values, "of values of the axis")))
    errors = tuple(evaluate(*axis.at(mechanism, problem, value), metric) for value in rising)
    return AccuracyCurve(axis, mechanism, metric, rising, errors)


def _value(value: Value) -> Value:
    """A value of an axis as it is, a whole number or not; ValueError for what is no number."""
    limits.finite_number("values", value)
    return value


def closer(one: ExpectedError, other: ExpectedError) -> int:
    """-1 where one's error is surely the smaller, 1 where the other's is, 0 where neither is sure.

    Means and bounds as ``order.lead`` has it; bounds where they do not overlap.
    """
    for name, error in (("one", one), ("other", other)):
        limits.instance(name, error, ExpectedError, "a result of expected_error")
    return -1 if lead(one.upper, other.lower) > 0 else int(lead(other.upper, one.lower) > 0)


def crossovers(
    curves: Sequence[AccuracyCurve], problem: Problem, evaluate: Evaluate = expected_error
) -> tuple[Crossover, ...]:
    """Where the order of two curves changes, by rising value of their axis.

    curves: of one axis and metric, at the problem. Between two values where both are exact the crossing is narrowed
    (``_narrowed``), on a whole axis to the very value: there the order is the new one, and at the next ``_SETTLED``
    values too, and one before it is the old. Two crossings between neighbouring values of a curve go unseen.
    Source: ours; [D20] Corollaries 4.5.1 to 4.5.3 bound some of them.
    """
    curves = [limits.instance("curves", curve, AccuracyCurve, "results of accuracy_curve")
              for curve in limits.sequence("curves", curves, "of results of accuracy_curve")]
    check_problem(problem)
    limits.check_function("evaluate", evaluate)
    found = []
    for one, other in itertools.combinations(curves, 2):
        pair = _Pair(one, other, problem, evaluate)
        decided = [(value, order) for value in one.values if (order := pair.known(value))]
        found += [pair.crossing(low, high, after) for (low, before), (high, after) in itertools.pairwise(decided)
                  if before != after]
    return tuple(sorted(found, key=lambda crossing: crossing.value))


@dataclass(frozen=True)
class _Pair:
    """Two curves whose order is asked for at a value of their axis."""

    one: AccuracyCurve
    other: AccuracyCurve
    problem: Problem
    evaluate: Evaluate

    def known(self, value: Value) -> int:
        """The order at a value of both curves; 0 where undecided or not computed."""
        first, second = self.one.at(value), self.other.at(value)
        return closer(first, second) if first and second else 0

    def errors(self, value: Value) -> tuple[ExpectedError, ExpectedError]:
        """As the curves have them, else computed."""
        first, second = (curve.at(value) or self.evaluate(*self.one.axis.at(curve.mechanism, self.problem, value),
                                                          self.one.metric) for curve in (self.one, self.other))
        return first, second

    def lead(self, value: Value, after: int) -> float:
        """By how much the order is surely the one after the crossing."""
        first, second = self.errors(value)
        return lead(first.upper, second.lower) if after < 0 else lead(second.upper, first.lower)

    def crossing(self, low: Value, high: Value, after: int) -> Crossover:
        ahead, behind = (self.one, self.other) if after < 0 else (self.other, self.one)
        ends = [*self.errors(low), *self.errors(high)]
        exact = all(error.exact and not error.bounded for error in ends)
        if exact:
            low, high = self._narrowed(low, high, after)
        return Crossover(self.one.axis, ahead.mechanism, behind.mechanism, low, high, exact)

    def _narrowed(self, low: Value, high: Value, after: int) -> tuple[Value, Value]:
        end, whole = high, self.one.axis.whole
        while True:
            low, high = _narrowed(lambda value: self.lead(value, after), low, high, whole)
            beyond = range(int(min(high + _SETTLED, end)) - 1, int(high), -1) if whole else ()
            again = next((value for value in beyond if self.lead(value, after) <= 0), None)
            if again is None:
                return low, high
            low, high = again, end


def _narrowed(lead: Callable[[Value], float], low: Value, high: Value, whole: bool) -> tuple[Value, Value]:
    """Two values between which ``lead`` rises above 0, brought together: to neighbours, or to a relative 1e-5.

    lead: at most 0 at ``low``, above 0 at ``high``; whole: whether only whole values are asked for. Each step looks
    where the secant meets 0, moved a little towards the middle so that both ends close in, and never so far from the
    middle that many more steps than those of bisection could be needed.
    Source: the ITP rule of Oliveira and Takahashi 2020, in the value where it is whole, else in its logarithm.
    """
    to, back, finest = (float, round, 1.0) if whole else (math.log, math.exp, math.log1p(_FINE))
    width = to(high) - to(low)
    within = finest * 2.0 ** math.ceil(math.log2(max(width / finest, 1.0)))
    behind, ahead = lead(low), lead(high)
    while (left := to(high) - to(low)) > finest:
        a, b = to(low), to(high)
        middle, secant = (a + b) / 2, (ahead * a - behind * b) / (ahead - behind)
        towards = math.copysign(min(_INWARD / width * left**2, abs(middle - secant)), middle - secant)
        reach = max(within - left / 2, 0.0)
        value = back(min(max(secant + towards, middle - reach), middle + reach))
        if whole:
            value = min(max(value, int(low) + 1), int(high) - 1)
        found = lead(value)
        if found > 0:
            high, ahead = value, found
        else:
            low, behind = value, found
        within /= 2
    return low, high


def required_epsilon(
    mechanism: Mechanism, problem: Problem, wanted: float, evaluate: Evaluate = expected_error
) -> RequiredEpsilon:
    """The smallest epsilon in ``SEARCHED`` with E[H] <= wanted, to a relative 1e-5.

    mechanism: taken without its calibration, which holds for its own epsilon; wanted: in (0, 1). The mean is looked at
    twice a decade, which tells whether it falls throughout; where it first is small enough, epsilon is narrowed
    (``_narrowed``).
    Raises ValueError where no epsilon searched is large enough, or the least already is; where there are no records.
    Source: ours.
    """
    wanted = limits.inside("the wanted mean distance", wanted)
    check_mechanism(mechanism)
    limits.check_function("evaluate", evaluate)
    if check_problem(problem).n == 0:
        raise ValueError("There are no records (n = 0): the prior is released, at distance 0 for every epsilon.")

    def mean(epsilon: float) -> ExpectedError:
        return evaluate(replace(mechanism, epsilon=epsilon, calibration=None), problem, "hellinger")

    epsilons = decades(*SEARCHED, _LOOKED_AT)
    means = [mean(epsilon) for epsilon in epsilons]
    enough = next((i for i, one in enumerate(means) if one.high <= wanted), None)
    if enough is None:
        most = min(one.high for one in means) * (1 + 1e-9)
        best = next(i for i, one in enumerate(means) if one.high <= most)  # the least epsilon of equals
        why = f" The reason: {mechanism.remaining_error}." if mechanism.remaining_error else ""
        raise ValueError(f"No epsilon looked at from {SEARCHED[0]:g} to {SEARCHED[1]:,g} brings the mean distance down "
                         f"to {wanted:.4g}: the smallest found is {means[best].high:.4g}, at epsilon = "
                         f"{printed_bound(epsilons[best])}.{why}")
    if enough == 0:
        raise ValueError(f"Even epsilon = {SEARCHED[0]:g}, the smallest that is searched, is enough for a mean "
                         f"distance of {wanted:.4g}: there it is {means[0].high:.4g}.")
    beyond = math.nextafter(wanted, 1.0)  # a mean of just the wanted distance is small enough
    _, least = _narrowed(lambda epsilon: beyond - mean(epsilon).high, epsilons[enough - 1], epsilons[enough], False)
    found = mean(least)
    monotone = not any(closer(before, after) < 0 for before, after in itertools.pairwise(means))
    return RequiredEpsilon(found.mechanism, problem, wanted, found, monotone)
