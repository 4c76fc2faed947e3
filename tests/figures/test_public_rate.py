"""The charts, tables and sentences about the best public rate and about what a delta buys."""

import contextlib
import io

import pytest

from dpbi import best_public_rate, tables
from dpbi.dashboard.views import public_rate as view
from dpbi.figures import public_rate
from dpbi.mechanisms import MECHANISMS
from dpbi.privacy.curves import gain_by_delta

FOUND = best_public_rate((1.0, 2.0), 7, 1.0, (0.5, 2.0))


def test_every_rate_is_drawn_and_the_best_held_against_the_nearest() -> None:
    rules = (FOUND.best, *FOUND.others)
    figure = public_rate.rates(FOUND)
    assert [trace.name for trace in figure.data] == [rule.name for rule in rules]
    for trace, rule in zip(figure.data, rules, strict=True):
        assert list(trace.x) == list(range(8)) and list(trace.y) == pytest.approx(rule.rates, rel=1e-5)
    nearest = min(FOUND.others, key=lambda rule: rule.mean)
    assert nearest.name.removeprefix("smooth, ") in figure.layout.title.text.replace("<br>", " ")
    alone = public_rate.rates(best_public_rate((1.0, 2.0), 7, 1.0, ()))
    assert len(alone.data) == 1


def test_the_means_stand_between_the_limit_and_the_bound() -> None:
    figure = public_rate.compared(FOUND)
    means = [FOUND.best.mean, *(rule.mean for rule in FOUND.others)]
    assert list(figure.data[0].x) == pytest.approx(means)
    assert {shape.x0 for shape in figure.layout.shapes} == {FOUND.limit.value, FOUND.lower}
    assert FOUND.between
    low, high = FOUND.between
    for text in (figure.layout.title.text.replace("<br>", " "), view.said(FOUND)):
        assert f"{low:.3f} to {high:.3f} times" in text
    rows = tables.public_rates(FOUND).rows
    assert [row["Mean H"] for row in rows] == means and [row["Rate"] for row in rows] == list(figure.data[0].y)
    assert tables.best_public_rates([FOUND]).rows[0]["At least"] == low


@pytest.mark.parametrize("kind", MECHANISMS[-3:], ids=lambda kind: kind.__name__)
def test_the_multipliers_are_drawn_and_said(kind: type) -> None:
    gain = gain_by_delta(kind(1.0), (1.0, 2.0), 7, (0.0, 1e-4, 0.01))
    figure = public_rate.deltas(gain)
    assert list(figure.data[0].x) == pytest.approx([1e-4, 0.01])
    assert list(figure.data[0].y) == pytest.approx(gain.multipliers[1:], rel=1e-5)
    assert "0.01" in figure.layout.title.text and f"{gain.multipliers[2]:.4g} at 0.01" in view.said_of_deltas(gain)
    assert tables.what_deltas_buy(gain).rows[1] == {"delta": 1e-4, "Rate times": gain.multipliers[1]}


def test_the_script_prints_what_the_page_says() -> None:
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(view.SCRIPT.replace("n, epsilon = 60", "n, epsilon = 7"), "script", "exec"), {})
    found = best_public_rate((1.0, 1.0), 7, 1.0, view._GAMMAS)
    assert str(tables.public_rates(found)) in printed.getvalue()
    assert "(1, 0.0001)-DP (exhaustive check)" in printed.getvalue()
