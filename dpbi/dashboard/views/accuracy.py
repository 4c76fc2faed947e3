"""The accuracy page's controls, and its longer computations: point by point, each kept between runs (``work``)."""

import contextlib
import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import streamlit as st

from dpbi import (
    LargeSampleError,
    Mechanism,
    PrivacyLimit,
    Problem,
    large_sample_limits,
    limits,
    name_of,
    tables as data,
)
from dpbi.accuracy.axes import AXES, Axis, Value, also_at, axis
from dpbi.accuracy.curves import AccuracyCurve, Crossover, RequiredEpsilon, coarse_to_fine, crossovers, required_epsilon
from dpbi.accuracy.error import METRICS, ExpectedError, Metric, expected_error
from dpbi.dashboard.answers import average, public_answers
from dpbi.dashboard.answers.cache import kept
from dpbi.dashboard.answers.work import Cancelled, Work, work
from dpbi.dashboard.scenario import Scenario
from dpbi.dashboard.session import settings
from dpbi.dashboard.shown import charts, tables
from dpbi.dashboard.sidebar import controls, entries
from dpbi.dashboard.words import accuracy as accuracy_words, guard, limit as limit_words, words
from dpbi.figures import accuracy as figures
from dpbi.inference.noise_aware import Coverage, coverage
from dpbi.inference.prior_average import Reading

COVERED_LARGEST = 200  # n at which a point of the coverage takes about a second
MASS = 0.95
EPSILONS = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
Question = TypeVar("Question", bound=tuple[Any, ...])
Answer = TypeVar("Answer")
_ROOM = 12  # more points may be asked for than can be told before: the bar leaves room for them


# --- controls ---


def choose() -> tuple[Axis, Metric]:
    """What varies, and the error that is shown."""
    titles = {one.name: one.title for one in AXES}
    name = settings.choice("against", "accuracy along", titles, format_func=titles.get, width=240)
    meant = accuracy_words.METRICS.__getitem__
    return axis(name), settings.choice("in", "accuracy in", METRICS, format_func=meant, width=220)


def over(along: Axis, metric: Metric) -> str:
    """At these data, or averaged over those that the prior expects, as released or read nearest."""
    if not accuracy_words.can_be_averaged(along.name, metric):
        return accuracy_words.AT_THE_DATA
    named = accuracy_words.OVER.__getitem__
    return settings.segments(
        "Mean", "accuracy over", accuracy_words.OVER, format_func=named, help=limit_words.PUBLIC, width=580
    )


def wanted() -> float | None:
    """The mean distance an epsilon is asked for; None where it is refused, which is said beside it."""
    entry = settings.entry("wanted distance")
    text = st.text_input("Wanted mean distance", width=200, help=accuracy_words.WANTED, **entry)
    with guard.beside([]):
        return limits.inside("the wanted mean distance", entries.number("the wanted mean distance", text))
    return None


def wants_coverage() -> bool:
    return st.toggle("Compute the coverage", **settings.entry("accuracy coverage"))


# --- what is computed ---


_point = kept(8192, megabytes=32)(expected_error)


_limits = kept(64)(large_sample_limits)


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


def curves(chosen: Scenario, along: Axis, metric: Metric, further: tuple[float, ...]) -> Curves:
    """Every point of every mechanism, the own value first, the ends and between. What cannot be computed is said."""
    ticked = chosen.mechanisms if along.keeps_calibration else public_answers.uncalibrated(chosen).mechanisms
    mechanisms = also_at(ticked, further)

    def error(current: Work, mechanism: Mechanism, value: Value) -> ExpectedError:
        return current.ask(_point, *along.at(mechanism, chosen.problem, value), metric)

    return _curves("curves", chosen.problem, chosen.problem, along, mechanisms, metric, error, "{} at {:,g}")


def averages(
    chosen: Scenario, along: Axis, reading: Reading, further: tuple[float, ...]
) -> tuple[Curves, dict[Value, PrivacyLimit]]:
    """As ``curves``, averaged over the data that the prior expects; and the limit of privacy at each value, which is
    one of one epsilon."""
    problem, bounds = chosen.problem, dict[Value, PrivacyLimit]()

    def error(current: Work, mechanism: Mechanism, value: Value) -> ExpectedError | None:
        there, at = along.at(mechanism, problem, value)
        if not further and value not in bounds:
            bounds[value] = current.ask(average.limit, at.prior, at.n, there.epsilon)
        if not average.is_quick(there, at.n):
            return None
        mean = current.ask(average.expected, there, at.prior, at.n, reading)
        return ExpectedError(there, at, "hellinger", mean.measured, mean.measured)

    mechanisms = also_at(public_answers.uncalibrated(chosen).mechanisms, further)
    asked = problem.prior, problem.n, reading
    return _curves("averages", asked, problem, along, mechanisms, "hellinger", error), dict(sorted(bounds.items()))


def _curves(
    part: str, asked: object, problem: Problem, along: Axis, mechanisms: tuple[Mechanism, ...], metric: Metric,
    error: Callable[[Work, Mechanism, Value], ExpectedError | None], said_of: str = "{}",
) -> Curves:
    own, values = along.own(problem, mechanisms), along.values(problem, mechanisms)
    order = dict.fromkeys([*([] if own is None else [own]), *coarse_to_fine(values)])
    named = {(one, value): said_of.format(name_of(one), value) for value in order for one in mechanisms}
    found, complete = _computed(part, (asked, mechanisms, along.name, metric), named, error)
    made = []
    for one in mechanisms:
        errors = {value: found[one, value] for value in values if (one, value) in found}
        if errors:
            made.append(AccuracyCurve(along, one, metric, tuple(errors), tuple(errors.values())))
    return Curves(tuple(made), own, complete)


def _computed(
    part: str, asked: object, named: Mapping[Question, str], answer: Callable[..., Answer | None], items: int = 1
) -> tuple[dict[Question, Answer], bool]:
    """The answer to each question, asked in their order, and whether that is all: what is refused or cancelled is
    missing. named: what a refusal is said of; items: of the bar, that each takes."""
    found: dict[Question, Answer] = {}
    refused: dict[str, list[str]] = {}
    with work(part, asked, items * len(named), room=_ROOM) as current:
        for question, name in named.items():
            with contextlib.suppress(Cancelled), guard.refusal(refused, name):
                if (told := answer(current, *question)) is not None:
                    found[question] = told
    # The first sentence for each group of mechanisms: along an axis the same is refused at every further value.
    said = {words.listed(dict.fromkeys(names)): sentence for sentence, names in reversed(refused.items())}
    for names, sentence in reversed(said.items()):
        st.info(f"**{names}:** {sentence}")
    return found, current.complete


def draw_along(chosen: Scenario) -> Curves:
    """The chart against what varies, with its controls; the curves, whose crossings are still to be looked for."""
    with controls.row():
        controls.epsilon(chosen.epsilon)
        along, metric = choose()
        chosen_over = over(along, metric)
        further = controls.further_epsilons() if along.name in accuracy_words.BESIDE_EPSILON else ()
    found = Curves()
    with guard.part():
        if chosen_over != accuracy_words.AT_THE_DATA:
            shown = accuracy_words.AVERAGED + ("" if further else accuracy_words.LIMITED)
            reading: Reading = "nearest" if chosen_over == accuracy_words.READ_NEAREST else "naive"
            averaged, bounds = averages(chosen, along, reading, further)
            if averaged.curves:
                _draw(averaged, shown, accuracy_words.how_averaged(averaged.curves, average.CHOICE_LARGEST), bounds)
            return found
        found = curves(chosen, along, metric, further)
        if found.curves:
            shown = accuracy_words.varying(along, metric, chosen.mechanisms)
            many = _limits(found.curves, chosen.problem)
            _draw(found, shown, accuracy_words.how_found(found.curves) + accuracy_words.towards(many), many=many)
            st.warning(words.CHOICE_WARNING)

            st.header("Where one overtakes another")
            st.markdown(accuracy_words.CROSSOVERS)
    return found


def _draw(
    found: Curves, shown: str, how: str, bounds: Mapping[Value, PrivacyLimit] | None = None,
    many: tuple[LargeSampleError, ...] = (),
) -> None:
    """Who is nearest, the chart, what it shows and how that was found, and the table of the own value, or the least.

    All of them would be a page of numbers that the chart shows, the first dozen rows of one mechanism.
    """
    st.markdown(accuracy_words.smallest_error(found.curves, found.own))
    charts.draw(figures.against(found.curves, found.own, bounds, many), "accuracy")
    st.markdown(shown)
    st.caption(how)
    table = data.accuracy(found.curves, found.own)
    places = table.values[found.curves[0].axis.title]
    few = places.count(places[0])
    tables.draw(table.first(few), lambda: table)
    if few < len(table):
        st.caption(accuracy_words.points_kept(few, len(table)))


def crossings(chosen: Scenario, shown: Curves) -> tuple[Crossover, ...] | None:
    """Where the curves of one's own epsilon cross; None where that was cancelled, or some points of the curves were."""
    if not shown.complete:
        return None
    own = [one for one in shown.curves if one.mechanism.epsilon == chosen.epsilon]
    asked = (chosen.problem, [(one.axis.name, one.mechanism, one.metric) for one in own])
    with work("crossings", asked, 0, room=_ROOM) as current, contextlib.suppress(Cancelled):
        return crossovers(own, chosen.problem, _evaluation(current))
    return None


def required(chosen: Scenario, distance: float) -> list[RequiredEpsilon]:
    """The smallest epsilon of each mechanism that has one; of the others the sentence that says why not."""
    mechanisms = public_answers.uncalibrated(chosen).mechanisms

    def least(current: Work, mechanism: Mechanism) -> RequiredEpsilon:
        return required_epsilon(mechanism, chosen.problem, distance, _evaluation(current))

    named = {(one,): name_of(one) for one in mechanisms}
    found, _ = _computed("epsilons", (chosen.problem, mechanisms, distance), named, least, items=30)
    return list(found.values())


def coverages(chosen: Scenario) -> dict[Mechanism, list[tuple[float, Coverage]]]:
    """Coverage and width at each epsilon, the person's own among them, for every mechanism that has them."""
    prior, n = chosen.problem.prior, chosen.problem.n
    mechanisms, epsilons = public_answers.uncalibrated(chosen).mechanisms, sorted({*EPSILONS, chosen.epsilon})

    def covered(current: Work, mechanism: Mechanism, epsilon: float) -> Coverage:
        return current.ask(_coverage, dataclasses.replace(mechanism, epsilon=epsilon), prior, n)

    named = {(one, float(epsilon)): name_of(one) for epsilon in coarse_to_fine(epsilons) for one in mechanisms}
    found, _ = _computed("coverage", (prior, n, mechanisms), named, covered)
    points = {one: [(at, found[one, at]) for at in epsilons if (one, at) in found] for one in mechanisms}
    return {one: here for one, here in points.items() if here}
