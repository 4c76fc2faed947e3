"""The figures of expected errors by their data: what is drawn is what the numbers floor says."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dpbi import MECHANISMS, Problem, limit_of_privacy
from dpbi.accuracy.axes import AXES, axis
from dpbi.accuracy.curves import AccuracyCurve, accuracy_curve, required_epsilon
from dpbi.accuracy.error import ExpectedError, Metric
from dpbi.accuracy.order import Measured
from dpbi.figures import accuracy
from dpbi.figures.accuracy import add_limit
from dpbi.figures.drawing import Drawing
from dpbi.inference.noise_aware import coverage
from dpbi.mechanisms import Mechanism
from tests.every_mechanism import Kind, every_class
from tests.figures.test_figures import lengths_of_those_fit_to_send, named, title

TWO, THREE = Problem((1, 1), (5, 3)), Problem((1, 1, 1), (4, 2, 2))
VALUES = {"n": (10, 20, 50), "epsilon": (0.5, 1.0, 2.0), "strength": (0.5, 2.0, 8.0), "k": (2, 3, 4),
          "imbalance": (4, 5, 8), "gamma": (0.1, 1.0, 10.0)}  # fmt: skip


def curves(name: str, problem: Problem, metric: Metric) -> list[AccuracyCurve]:
    return [accuracy_curve(axis(name), kind(1.0), problem, metric, VALUES[name]) for kind in MECHANISMS]


def made(mechanism: Mechanism, errors: list[tuple[float, float, float]], metric: Metric = "hellinger") -> AccuracyCurve:
    found = [ExpectedError(mechanism, TWO, metric, Measured(low, error), Measured(high, error))
             for low, high, error in errors]
    return AccuracyCurve(axis("n"), mechanism, metric, VALUES["n"], tuple(found))


def shown_y(trace: Any) -> list[float]:
    return np.asarray(trace.y, dtype=float).tolist()


@pytest.mark.parametrize("name", [one.name for one in AXES])
def test_every_figure_is_fit_to_send(name: str) -> None:
    for problem, metric in ((TWO, "hellinger"), (THREE, "variation")):
        drawn = curves(name, problem, metric)  # type: ignore[arg-type]
        fig = accuracy.against(drawn, axis(name).own(problem, [kind(1.0) for kind in MECHANISMS]))
        assert lengths_of_those_fit_to_send([fig])
        assert fig.layout.xaxis.title.text == axis(name).title
        assert (fig.layout.xaxis.type == "log") == axis(name).logarithmic


@every_class
def test_points_are_the_computed_ones(kind: Kind) -> None:
    drawn = curves("epsilon", TWO, "l1")
    trace = named(accuracy.against(drawn, 1.0), kind.label)
    curve = next(one for one in drawn if isinstance(one.mechanism, kind))
    assert shown_y(trace) == pytest.approx([error.high for error in curve.errors], rel=1e-6)
    assert np.asarray(trace.x, dtype=float).tolist() == pytest.approx(list(curve.values))
    assert set(trace.text) == {"exact"}
    assert not any(symbol.endswith("-open") for symbol in trace.marker.symbol)


def test_what_is_drawn_says_so() -> None:
    mechanism = MECHANISMS[0](1.0)
    fig = accuracy.against([made(mechanism, [(0.5, 0.5, 0), (0.4, 0.4, 0.01), (0.3, 0.3, 0.02)])], 20)
    trace = named(fig, mechanism.label)
    assert [symbol.endswith("-open") for symbol in trace.marker.symbol] == [False, True, True]
    assert np.asarray(trace.error_y.array).tolist() == pytest.approx([0, 0.02, 0.04])
    assert "open ones come from draws" in fig.layout.meta["alt"]
    assert f"At n = 20 the mean distance of {mechanism.label} is 0.4" in title(fig)


def test_bounds_are_a_band_and_no_estimate() -> None:
    mechanism = MECHANISMS[0](1.0)
    errors = [(0.2, 0.6, 0.0), (0.1, 0.4, 0.01), (0.005, 0.995, 0.01)]
    fig = accuracy.against([made(mechanism, errors, "variation")], 10)
    low, high = fig.data
    assert shown_y(low) == pytest.approx([0.2, 0.08, 1e-3])
    assert shown_y(high) == pytest.approx([0.6, 0.42, 1.0])
    assert high.fill == "tonexty"
    assert "no estimate" in fig.layout.meta["alt"]
    assert "lies between 0.2 and 0.6" in title(fig)


def test_nothing_is_drawn_at_zero_of_a_logarithmic_axis() -> None:
    mechanism = MECHANISMS[0](1.0)
    fig = accuracy.against([made(mechanism, [(0.5, 0.5, 0), (1e-3, 1e-3, 0), (0, 0, 0)])], None)
    assert fig.layout.yaxis.type == "log"
    assert np.isnan(shown_y(fig.data[0])[2])
    assert "Not drawn: errors below" in fig.layout.meta["alt"]
    whole = accuracy.against([made(mechanism, [(0.0, 0.0, 0)] * 3)], None)
    assert whole.layout.yaxis.type is None and shown_y(whole.data[0]) == [0, 0, 0]


def test_the_axis_ends_at_a_thousandth_unless_own_errors_are_as_small() -> None:
    curve = made(MECHANISMS[0](1.0), [(0.5, 0.5, 0), (0.02, 0.02, 0), (1e-9, 1e-9, 0)])
    short, whole = (accuracy.against([curve], own) for own in (curve.values[1], curve.values[2]))
    assert np.isnan(shown_y(short.data[0])[2]) and "errors below 0.001" in short.layout.meta["alt"]
    assert shown_y(whole.data[0])[2] == pytest.approx(1e-9) and "Not drawn" not in whole.layout.meta["alt"]


def test_the_smallest_epsilons_stand_where_they_are() -> None:
    found = [required_epsilon(kind(1.0), TWO, 0.35) for kind in MECHANISMS]
    fig = accuracy.required(found)
    assert lengths_of_those_fit_to_send([fig])
    assert [trace.x[0] for trace in fig.data] == [one.epsilon for one in found]
    least = min(found, key=lambda one: one.epsilon)
    assert f"{least.mechanism.label} reaches a mean distance of 0.35 with the smallest ε" in title(fig)
    assert "smallest" not in title(accuracy.required(found[:1])), "one alone is compared with nobody"


def test_coverage_is_drawn_as_computed() -> None:
    epsilons = (0.5, 2.0)
    found = {kind(1.0): [(e, coverage(replace(kind(1.0), epsilon=e), (1, 1), 8)) for e in epsilons]
             for kind in MECHANISMS}  # fmt: skip
    fig = accuracy.coverage(found, 0.95)
    assert lengths_of_those_fit_to_send([fig])
    for mechanism, points in found.items():
        assert shown_y(named(fig, f"{mechanism.label}, naive")) == pytest.approx([p.naive for _, p in points], rel=1e-6)
        aware = shown_y(named(fig, f"{mechanism.label}, noise-aware"))
        assert aware == pytest.approx([p.noise_aware for _, p in points], rel=1e-6)


def test_the_region_below_the_limit_ends_at_its_lower_bound() -> None:
    """Only where there is one; on a logarithmic axis it starts above 0."""
    exact = limit_of_privacy((1, 1), 5, 1.0)
    known, unknown = replace(exact, measured=None, lower=0.2), replace(exact, measured=None, lower=None)
    for floor in (0.0, 1e-3):
        fig = Drawing()
        add_limit(fig, [known, unknown, known], [1, 2, 3], floor)
        below, limit = fig.traces
        assert list(below["x"]) == list(limit["x"]) == [1, 3] and limit["fill"] == "tonexty"
        assert list(below["y"]) == [floor] * 2 and np.allclose(limit["y"], 0.2, rtol=1e-3)
    nothing = Drawing()
    add_limit(nothing, [unknown], [2], 0.0)
    assert not nothing.traces
