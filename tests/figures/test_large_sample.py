"""The figures of many records by their data."""

import numpy as np
import pytest

from dpbi import MECHANISMS, Problem, large_sample_approach, large_sample_board, large_sample_limits, tables
from dpbi.accuracy.axes import axis
from dpbi.accuracy.curves import accuracy_curve
from dpbi.figures import accuracy, large_sample
from dpbi.mechanisms import EHDL, KNorm, LSHist
from tests.figures.test_figures import lengths_of_those_fit_to_send, named, title

HALVES = (0.5, 0.5)


def test_the_leaderboard_draws_ratios_and_marks_changes() -> None:
    board = large_sample_board([kind(1.0) for kind in MECHANISMS], HALVES, [0.5, 1, 2, 4])
    fig = large_sample.leaderboard(board)
    assert lengths_of_those_fit_to_send([fig])
    line = np.asarray(named(fig, "EHDL").y, dtype=float)
    assert line == pytest.approx(2 * np.cosh(np.array(board.epsilons) / 2), rel=1e-6)
    rings = fig.data[-1]
    assert np.asarray(rings.x, dtype=float) == pytest.approx([2 * np.arccosh(2)], rel=1e-6)
    assert rings.text == (" 2.634 ",)
    assert "EHDL is nearer than LSHist" in rings.customdata[0] and "EHDNRS" in rings.customdata[0]
    assert title(fig).startswith("With many records Geometric and KNorm are as near as an ε-DP mechanism can be at ")


def test_without_a_limit_of_privacy_the_nearest_is_the_measure() -> None:
    some = large_sample_board([KNorm(1.0), LSHist(1.0)], (0.2, 0.3, 0.5), [1, 2])
    assert "KNorm is the nearest of these at every ε shown" in title(large_sample.leaderboard(some))
    crossing = large_sample_board([EHDL(1.0), LSHist(1.0)], HALVES, [1, 2, 4])
    fig = large_sample.leaderboard(crossing)
    assert "LSHist is the nearest of these at ε = 2" in title(fig)
    assert "where two change places" in fig.layout.meta["alt"]


def test_exact_means_and_their_limits() -> None:
    found = [large_sample_approach(kind(2.0), (1, 1), HALVES, (100, 1_000)) for kind in (EHDL, KNorm)]
    fig = large_sample.approached(found)
    assert lengths_of_those_fit_to_send([fig])
    for one in found:
        label = one.limit.mechanism.label
        assert np.asarray(named(fig, label).y, dtype=float) == pytest.approx(one.scaled, rel=1e-6)
        (limit,) = [trace for trace in fig.data if trace.name == f"{label}, limit"]
        assert [*limit.y] == [one.limit.value] * 2
    rows = tables.large_sample(found).rows
    assert [row["Limit over m"] for row in rows] == ["1 / sinh(1)", "1 / sinh(2)"]
    assert [row["n × gap"] for row in rows] == [one.gaps[-1] for one in found]


def test_the_axis_of_n_has_the_limits_beside_the_curves() -> None:
    problem = Problem((1, 1), (30, 60))
    curves = [accuracy_curve(axis("n"), kind(1.0), problem, "hellinger", [10, 100, 1_000]) for kind in (EHDL, KNorm)]
    many = large_sample_limits(curves, problem)
    plain, fig = accuracy.against(curves, 90), accuracy.against(curves, 90, None, many)
    beside = [trace for trace in fig.data if trace.meta == "beside"]
    for one, line in zip(many, beside, strict=True):
        n, y = np.asarray(line.x, dtype=float), np.asarray(line.y, dtype=float)
        assert y * np.sqrt(8 * n) == pytest.approx(np.full(n.size, one.value), rel=1e-5) and y.max() <= 1
    assert len(fig.data) == len(plain.data) + 2 and accuracy.MANY_SAID in fig.layout.meta["alt"]
    assert [one.text for one in fig.layout.annotations] == [one.text for one in plain.layout.annotations]
