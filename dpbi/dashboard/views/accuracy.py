"""The accuracy page's controls, and its longer computations: point by point, each kept between runs (``work``)."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd
import streamlit as st
from streamlit.column_config import NumberColumn

from dpbi import limits
from dpbi.accuracy.axes import AXES, Axis, Value, axis
from dpbi.accuracy.curves import AccuracyCurve, Crossover, RequiredEpsilon, coarse_to_fine, crossovers, required_epsilon
from dpbi.accuracy.error import METRICS, ExpectedError, Metric, expected_error
from dpbi.accuracy.optimum import PrivacyLimit
from dpbi.dashboard.answers import average, public_answers
from dpbi.dashboard.answers.cache import kept
from dpbi.dashboard.answers.work import Cancelled, Work, work
from dpbi.dashboard.scenario import Scenario
from dpbi.dashboard.session import settings
from dpbi.dashboard.shown import charts, tables
from dpbi.dashboard.sidebar import entries
from dpbi.dashboard.words import accuracy as accuracy_words
from dpbi.dashboard.words import guard, words
from dpbi.dashboard.words import limit as limit_words
from dpbi.dashboard.words.refusals import Refusals
from dpbi.figures import accuracy as figures
from dpbi.inference.noise_aware import Coverage, coverage
from dpbi.inference.prior_average import Reading
from dpbi.mechanisms import Mechanism, name_of
from dpbi.problem.problem import Problem

COVERED_LARGEST = 200  # n at which a point of the coverage takes about a second
MASS = 0.95
EPSILONS = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
_ROOM = 12  # more points may be asked for than can be told before: the bar leaves room for them
_OVER = "accuracy over"
_AXIS, _METRIC, _WANTED, _COVERAGE = "accuracy along", "accuracy in", "wanted distance", "accuracy coverage"


# --- controls ---


def choose() -> tuple[Axis, Metric]:
    """What varies, and the error that is shown."""
    settings.setdefault(_AXIS, AXES[0].name)
    settings.setdefault(_METRIC, METRICS[0])
    with st.container(horizontal=True, vertical_alignment="bottom"):
        named = accuracy_words.AXES.__getitem__
        name = settings.choice("Against", _AXIS, [one.name for one in AXES], format_func=named, width=260)
        metric = settings.segments("Mean error in", _METRIC, METRICS, format_func=accuracy_words.METRICS.__getitem__)
    return axis(name), metric


def over(along: Axis, metric: Metric) -> str:
    """At these data, or averaged over those that the prior expects, as released or read nearest."""
    settings.setdefault(_OVER, accuracy_words.AT_THE_DATA)
    if not accuracy_words.can_be_averaged(along.name, metric):
        return accuracy_words.AT_THE_DATA
    named = accuracy_words.OVER.__getitem__
    chosen: str = settings.segments("Mean", _OVER, tuple(accuracy_words.OVER), format_func=named,
                                    help=limit_words.PUBLIC)
    return chosen


def wanted() -> float | None:
    """The mean distance an epsilon is asked for; None where it is refused, which is said beside it."""
    settings.setdefault(_WANTED, "0.1")
    text = st.text_input("Wanted mean distance", width=200, help=accuracy_words.WANTED, **settings.entry(_WANTED))
    with Refusals().beside():
        return limits.inside("the wanted mean distance", entries.number("the wanted mean distance", text))
    return None


def wants_coverage() -> bool:
    settings.setdefault(_COVERAGE, False)
    return st.toggle("Compute the coverage", **settings.entry(_COVERAGE))


# --- what is computed ---


_point = kept(8192, megabytes=32)(expected_error)


def _evaluation(current: Work) -> Callable[[Mechanism, Problem, Metric], ExpectedError]:
    return lambda mechanism, problem, metric: current.ask(_point, mechanism, problem, metric)


@kept(1024)
def _coverage(mechanism: Mechanism, prior: tuple[float, ...], n: int) -> Coverage:
    return coverage(mechanism, prior, n, MASS)


@dataclass(frozen=True)
class Curves:
    """What the chart shows: curves with at least one point, and the own value.

    complete: whether all that was asked for is there.
    """

    curves: tuple[AccuracyCurve, ...] = ()
    own: Value | None = None
    complete: bool = False


def curves(chosen: Scenario, along: Axis, metric: Metric) -> Curves:
    """Every point of every mechanism, the own value first, the ends and between. What cannot be computed is said."""
    problem = chosen.problem
    mechanisms = chosen.mechanisms if along.keeps_calibration else public_answers.uncalibrated(chosen).mechanisms
    own, values = along.own(problem, mechanisms), along.values(problem, mechanisms)
    found: dict[Mechanism, dict[Value, ExpectedError]] = {one: {} for one in mechanisms}
    refused: dict[str, list[str]] = {}
    asked = (problem, mechanisms, along.name, metric)
    with work("curves", asked, len(values) * len(mechanisms), room=_ROOM) as current:
        for value in dict.fromkeys([*([] if own is None else [own]), *coarse_to_fine(values)]):
            for mechanism in mechanisms:
                with contextlib.suppress(Cancelled), guard.refusal(refused, f"{name_of(mechanism)} at {value:,g}"):
                    at = along.at(mechanism, problem, value)
                    found[mechanism][value] = current.ask(_point, *at, metric)
    say_refused(refused)
    made = tuple(_curve(along, one, metric, errors) for one, errors in found.items() if errors)
    return Curves(made, own, current.complete)


def averages(chosen: Scenario, along: Axis, reading: Reading) -> tuple[Curves, dict[Value, PrivacyLimit]]:
    """As ``curves``, averaged over the data that the prior expects; and the limit of privacy at each value."""
    problem, mechanisms = chosen.problem, public_answers.uncalibrated(chosen).mechanisms
    own, values = along.own(problem, mechanisms), along.values(problem, mechanisms)
    found: dict[Mechanism, dict[Value, ExpectedError]] = {one: {} for one in mechanisms}
    bounds: dict[Value, PrivacyLimit] = {}
    refused: dict[str, list[str]] = {}
    asked = (problem.prior, problem.n, mechanisms, along.name, reading)
    with work("averages", asked, len(values) * (1 + len(mechanisms)), room=_ROOM) as current:
        for value in dict.fromkeys([*([] if own is None else [own]), *coarse_to_fine(values)]):
            for mechanism in mechanisms:
                with contextlib.suppress(Cancelled), guard.refusal(refused, name_of(mechanism)):
                    there, at = along.at(mechanism, problem, value)
                    if value not in bounds:
                        bounds[value] = current.ask(average.limit, at.prior, at.n, there.epsilon)
                    if average.is_quick(there, at.n):
                        mean = current.ask(average.expected, there, at.prior, at.n, reading)
                        found[mechanism][value] = ExpectedError(there, at, "hellinger", mean.measured,
                                                                mean.measured)
    say_refused(refused)
    made = tuple(_curve(along, one, "hellinger", errors) for one, errors in found.items() if errors)
    return Curves(made, own, current.complete), dict(sorted(bounds.items()))


def draw_along(chosen: Scenario) -> Curves:
    """The chart against what varies, with its controls; the curves, whose crossings are still to be looked for."""
    along, metric = choose()
    chosen_over = over(along, metric)
    found = Curves()
    with guard.part():
        if chosen_over != accuracy_words.AT_THE_DATA:
            st.markdown(accuracy_words.AVERAGED)
            draw_averages(chosen, along, chosen_over)
            return found
        st.markdown(accuracy_words.varying(along, metric, chosen.mechanisms))
        found = curves(chosen, along, metric)
        if found.curves:
            _draw(found, accuracy_words.how_found(found.curves))
            st.warning(words.CHOICE_WARNING)

            st.header("Where one overtakes another")
            st.markdown(accuracy_words.CROSSOVERS)
    return found


def draw_averages(chosen: Scenario, along: Axis, over: str) -> None:
    """The averages along the axis above the region that no private mechanism reaches, and their table."""
    found, bounds = averages(chosen, along, "nearest" if over == accuracy_words.READ_NEAREST else "naive")
    if found.curves:
        _draw(found, accuracy_words.how_averaged(found.curves, average.CHOICE_LARGEST), bounds)


def _draw(found: Curves, how: str, bounds: Mapping[Value, PrivacyLimit] | None = None) -> None:
    """Who is nearest, the chart, how its points were found, and their table."""
    st.markdown(accuracy_words.nearest(found.curves, found.own))
    charts.draw(figures.against(found.curves, found.own, bounds), "accuracy")
    st.caption(how)
    points(found)


def crossings(chosen: Scenario, shown: Curves) -> tuple[Crossover, ...] | None:
    """Where the curves cross; None where that was cancelled, or some points of the curves were."""
    if not shown.complete:
        return None
    asked = (chosen.problem, [(one.axis.name, one.mechanism, one.metric) for one in shown.curves])
    with work("crossings", asked, 0, room=_ROOM) as current, contextlib.suppress(Cancelled):
        return crossovers(shown.curves, chosen.problem, _evaluation(current))
    return None


def _curve(along: Axis, mechanism: Mechanism, metric: Metric, errors: dict[Value, ExpectedError]) -> AccuracyCurve:
    values = tuple(sorted(errors))
    return AccuracyCurve(along, mechanism, metric, values, tuple(errors[value] for value in values))


def required(chosen: Scenario, distance: float) -> list[RequiredEpsilon]:
    """The smallest epsilon of each mechanism that has one; of the others the sentence that says why not."""
    found: list[RequiredEpsilon] = []
    refused: dict[str, list[str]] = {}
    mechanisms = public_answers.uncalibrated(chosen).mechanisms
    with work("epsilons", (chosen.problem, mechanisms, distance), 30 * len(mechanisms), room=_ROOM) as current:
        for mechanism in mechanisms:
            with contextlib.suppress(Cancelled), guard.refusal(refused, name_of(mechanism)):
                found.append(required_epsilon(mechanism, chosen.problem, distance, _evaluation(current)))
    say_refused(refused)
    return found


def coverages(chosen: Scenario) -> dict[Mechanism, list[tuple[float, Coverage]]]:
    """Coverage and width at each epsilon, the person's own among them, for every mechanism that has them."""
    prior, n = chosen.problem.prior, chosen.problem.n
    mechanisms = public_answers.uncalibrated(chosen).mechanisms
    epsilons = sorted({*EPSILONS, chosen.epsilon})
    found: dict[Mechanism, list[tuple[float, Coverage]]] = {one: [] for one in mechanisms}
    refused: dict[str, list[str]] = {}
    with work("coverage", (prior, n, mechanisms), len(epsilons) * len(mechanisms), room=_ROOM) as current:
        for epsilon in coarse_to_fine(epsilons):
            for mechanism in mechanisms:
                with contextlib.suppress(Cancelled), guard.refusal(refused, name_of(mechanism)):
                    there = dataclasses.replace(mechanism, epsilon=float(epsilon))
                    found[mechanism].append((float(epsilon), current.ask(_coverage, there, prior, n)))
    say_refused(refused)
    return {one: sorted(points, key=lambda point: point[0]) for one, points in found.items() if points}


def why_no_coverage(problem: Problem) -> str:
    """The sentence that refuses the coverage, "" where it can be had."""
    if problem.k != 2:
        return accuracy_words.coverage_of_two(problem.k)
    return accuracy_words.coverage_too_large(problem.n, COVERED_LARGEST) if problem.n > COVERED_LARGEST else ""


def say_refused(refused: dict[str, list[str]]) -> None:
    """The first sentence for each group of mechanisms: along an axis the same is refused at every further value."""
    said = {words.listed(dict.fromkeys(names)): sentence for sentence, names in reversed(refused.items())}
    for names, sentence in reversed(said.items()):
        st.info(f"**{names}:** {sentence}")


# --- tables ---


def points(shown: Curves) -> None:
    """A row per point: where, how large the error is, how that was found."""
    rows = [(curve, value, error) for curve in shown.curves
            for value, error in zip(curve.values, curve.errors, strict=True)]
    along = shown.curves[0].axis
    bounded = [error.bounded for _, _, error in rows]
    table = pd.DataFrame(
        {
            "Mechanism": [name_of(curve.mechanism) for curve, _, _ in rows],
            along.title: [value for _, value, _ in rows],
            "Mean error": [None if error.bounded else error.high for _, _, error in rows],
            "At least": [error.low for _, _, error in rows],
            "At most": [error.high for _, _, error in rows],
            "Standard error": [max(error.low_error, error.high_error) for _, _, error in rows],
            "Found": ["exact" if error.exact else "draws" for _, _, error in rows],
        }
    )
    if not any(bounded):
        table = table.drop(columns=["At least", "At most"])
    elif all(bounded):
        table = table.drop(columns="Mean error")
    table = _without_zeros(table)
    columns = {name: NumberColumn(format="%.4g") for name in ("Mean error", "At least", "At most", "Standard error")}
    columns[along.title] = NumberColumn(help=along.kept, format="%.6g")
    tables.show(table, "accuracy", columns, "One row per computed point: mechanism, value, mean error, how found")


def crossing_table(found: Sequence[Crossover]) -> None:
    """A row per crossover."""
    if not found:
        return
    table = pd.DataFrame(
        {
            "Ahead from there on": [name_of(one.ahead) for one in found],
            "Overtaken": [name_of(one.behind) for one in found],
            "Last before": [one.before for one in found],
            "From": [one.value for one in found],
            "Found": ["exact" if one.exact else "between two points" for one in found],
        }
    )
    columns = {name: NumberColumn(format="%.10g") for name in ("Last before", "From")}
    tables.show(table, "crossovers", columns, "One row per crossover: who overtakes whom and from which value on")


def required_table(found: Sequence[RequiredEpsilon]) -> None:
    """A row per mechanism: its smallest epsilon and the mean distance there."""
    table = pd.DataFrame(
        {
            "Mechanism": [name_of(one.mechanism) for one in found],
            "Guarantee there": [
                words.guarantee(one.mechanism.guarantee(one.problem.prior, one.problem.n)) for one in found
            ],
            "Smallest epsilon": [one.epsilon for one in found],
            "Mean H": [one.mean.high for one in found],
            "Standard error": [one.mean.high_error for one in found],
            "Always falls": ["yes" if one.monotone else "no" for one in found],
        }
    )
    table = _without_zeros(table)
    columns = {name: NumberColumn(format="%.4g") for name in ("Mean H", "Standard error")}
    columns["Smallest epsilon"] = tables.bound(None)
    tables.show(table, "required-epsilon", columns, "One row per mechanism: the smallest epsilon for the distance")


def _without_zeros(table: pd.DataFrame) -> pd.DataFrame:
    """Without the standard errors where all is exact."""
    return table if table["Standard error"].any() else table.drop(columns="Standard error")
