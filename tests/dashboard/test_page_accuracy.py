"""The page Accuracy through AppTest: its three parts, what each refuses, and what Cancel leaves standing."""

from collections.abc import Callable
from itertools import cycle
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dpbi import MECHANISMS, Problem, accuracy_axes, expected_distance, tables
from dpbi.accuracy import METRICS, expected_error
from dpbi.dashboard.answers import work
from dpbi.dashboard.page import DEFAULT_MECHANISMS
from dpbi.dashboard.shown import charts as charts_drawn
from dpbi.dashboard.take_away import scenario_file
from dpbi.dashboard.views import accuracy
from dpbi.dashboard.words import accuracy as accuracy_words, words
from dpbi.figures import accuracy as figures
from dpbi.figures.line_labels import BESIDE
from tests.dashboard import test_take_away
from tests.dashboard.exports import assert_page
from tests.dashboard.person import (
    QUIET,
    buttons,
    cancel_at,
    charts,
    check,
    everything,
    opened,
    pick,
    press,
    select,
    shown,
    tables_of,
    text,
    tick,
    typed,
)
from tests.dashboard.test_scenario_file import Files
from tests.dashboard.test_sentences import known_limit

PAGE = "pages/5_Accuracy.py"
TICKED = [kind for kind in MECHANISMS if kind.__name__ in DEFAULT_MECHANISMS]
SMALL = Problem((1, 1), (7, 5))


@pytest.fixture(autouse=True)
def _few_points(monkeypatch: pytest.MonkeyPatch) -> None:
    """Short axes, so that the page is quick: each point is what it was."""
    for name, value in {"N_LARGEST": 100, "STRENGTHS": (0.5, 20.0), "CATEGORIES": (2, 3, 4), "EPSILONS": (0.1, 5.0),
                        "GAMMAS": (0.1, 10.0)}.items():  # fmt: skip
        monkeypatch.setattr(accuracy_axes, name, value)


def small() -> AppTest:
    """The page at counts whose points are all quick."""
    return shown(typed(opened(QUIET), "7 5"), PAGE)


def against(at: AppTest, name: str, metric: str = "hellinger") -> AppTest:
    at.selectbox(key="entry: accuracy in").set_value(metric)
    select(at, "accuracy along", name)
    return shown(at, PAGE)


def test_the_page_holds_the_librarys_numbers_and_its_warning() -> None:
    at = small()
    assert [warning.value for warning in at.main.warning] == [words.CHOICE_WARNING]
    table = at.main.dataframe[0].value
    assert [*table[accuracy_axes.axis("n").title]] == [12] * len(TICKED), "a row per mechanism, where one is"
    for kind in TICKED:
        row = table[table["Mechanism"] == kind.label]
        assert row["Mean error"].item() == pytest.approx(expected_error(kind(1.0), SMALL, "hellinger").high, rel=1e-9)
    every = len(charts(at)[0]["data"][0]["text"]) * len(TICKED)
    assert f"All {every} points are exact" in everything(at)
    assert f"the {len(TICKED)} points here, of {every}." in everything(at)
    assert 0 < len(at.main.dataframe[-1].value["Smallest epsilon"]) <= len(TICKED)


def test_each_axis_and_metric(files: Files) -> None:
    """And what is taken away is what is shown, though the settings that every file names may be what varies."""
    at = small()
    for name, metric in zip([one.name for one in accuracy_axes.AXES], cycle(METRICS)):
        against(at, name, metric)
        assert_page(at, tables_of(files))
        assert accuracy_axes.axis(name).kept in everything(at)
        assert accuracy_axes.axis(name).title in at.main.dataframe[0].value
        assert charts(at)[0]["layout"]["xaxis"]["title"]["text"] == accuracy_axes.axis(name).title
    against(at, "imbalance")
    choices = [control.key for control in at.segmented_control]
    assert "entry: accuracy over" not in choices, "what varies with private counts is not averaged"


def test_more_than_two_categories_have_bounds() -> None:
    at = against(shown(typed(opened(), "5 4 3"), PAGE), "gamma", "variation")
    table = at.main.dataframe[0].value
    assert (table["At least"] < table["At most"]).all()
    assert "Mean error" not in table, "bounds are no estimate"
    assert "Smallest upper bound of those with a proved pure guarantee: **" in everything(at)
    assert "the bands are what is known" in everything(at)
    assert "computed for k = 2 categories only: here k is 3" in everything(at)


def test_a_calibrated_mechanism_is_taken_as_it_is_but_for_imbalance() -> None:
    at = typed(opened(), "7 5")
    tick(at, {TICKED[2].__name__})
    check(at, f"calibrated: {TICKED[2].__name__}")
    dropped = "a calibration holds for one rule, prior and n only"
    at = shown(at, PAGE)
    assert dropped in everything(against(at, "epsilon"))
    assert set(at.main.dataframe[0].value["Mechanism"]) == {TICKED[2].label}
    assert dropped not in everything(against(at, "imbalance"))
    assert set(at.main.dataframe[0].value["Mechanism"]) == {TICKED[2].label, f"{TICKED[2].label} calibrated"}


def test_a_wanted_distance_is_refused_beside_its_entry() -> None:
    at = small()
    for wrong, refused in (("2", "must lie strictly between 0 and 1"), ("x", "must be a number")):
        text(at, "wanted distance", wrong)
        assert any(refused in error.value for error in at.main.error)
        assert len(charts(at)) == 1, "no chart for a refused entry"
    text(at, "wanted distance", "1e-6")
    assert "brings the mean distance down to" in everything(at)
    for kind in TICKED:
        assert all(kind.remaining_error in line for line in everything(at).splitlines()
                   if kind.label in line.partition(":")[0] and "brings the mean distance down to" in line)  # fmt: skip


def test_the_coverage_is_computed_when_asked_for(files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    at = small()
    assert len(charts(at)) == 2
    at.toggle(key="entry: accuracy coverage").set_value(True).run()
    assert_page(at, tables_of(files))
    assert len(charts(shown(at, PAGE))) == 3
    assert "With k = 2 categories, n = 12 and epsilon = 1, the naive 95 % intervals hold θ₁ in:" in everything(at)
    monkeypatch.setattr(accuracy, "COVERED_LARGEST", 11)
    assert "n up to 11 only: n is 12" in everything(shown(at, PAGE))


def test_without_records_there_is_nothing_to_vary() -> None:
    at = shown(typed(opened(), "0 0"), PAGE)
    assert not charts(at)
    assert "every mechanism releases the prior itself" in everything(at)


def test_cancel_keeps_what_is_there_and_go_on_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    accuracy._point.clear()
    begun = cancel_at(10, monkeypatch)
    at = small()
    assert len(begun) > 10, "the next part has its own way out"
    assert work.CANCELLED in everything(at)
    assert "All 10 points are exact" in everything(at)
    assert accuracy_words.NOT_LOOKED_FOR in everything(at)
    seen = [*begun]
    at.run()
    assert begun == seen, "a cancelled computation stays so"
    assert "All 10 points are exact" in everything(at)
    press(at, "Go on")
    assert work.CANCELLED not in everything(shown(at, PAGE))
    assert f"All {5 * len(TICKED)} points are exact" in everything(at)
    assert not {"Cancel", "Go on"} & {*buttons(at)}
    assert accuracy_words.NOT_LOOKED_FOR not in everything(at)


def test_what_takes_longest_holds_up_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """While the crossings are looked for, the chart and the wanted epsilons are there already."""
    drawn: list[str] = []
    at = typed(opened(), "7 5")
    for place, name in ((charts_drawn, "draw"), (tables, "required_epsilon"), (accuracy, "crossings")):
        monkeypatch.setattr(place, name, noting(drawn, getattr(place, name)))
    shown(at, PAGE)
    assert drawn == ["draw", "draw", "required_epsilon", "crossings"]


def noting(drawn: list[str], function: Callable[..., Any]) -> Callable[..., Any]:
    def noted(*arguments: Any) -> Any:
        drawn.append(function.__name__)
        return function(*arguments)

    return noted


def test_another_wanted_distance_computes_no_point_of_the_curves(monkeypatch: pytest.MonkeyPatch) -> None:
    at = small()
    begun = cancel_at(10 * len(TICKED) + 1, monkeypatch)
    text(at, "wanted distance", "0.17")
    assert {job.partition(":")[0] for job in begun} == {"epsilons"}
    assert len(begun) <= 10 * len(TICKED)
    begun.clear()
    text(at, "wanted distance", "0.1")
    assert not begun, "and none at all for one that was asked for before"


def test_crossings_that_were_cancelled_are_not_said_to_be_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def cancelled(*_: Any) -> None:
        raise work.Cancelled

    monkeypatch.setattr(accuracy, "crossovers", cancelled)
    at = small()
    assert accuracy_words.NOT_LOOKED_FOR in everything(at)
    assert accuracy_words.NOTHING_CROSSES not in everything(at)
    assert len(charts(at)) == 2


def test_no_entry_has_to_be_told_its_value() -> None:
    """What a widget is told is lost with a run that is cut short: each begins with its value, in every run."""
    at = small()
    for _ in range(2):
        at.run()
        shown = [entry.proto for entry in at.sidebar.text_input if str(entry.key).startswith("entry: ")]
        assert shown
        assert not any(entry.set_value for entry in shown)
        assert all(entry.default for entry in shown)


def curves(at: AppTest) -> list[dict[str, Any]]:
    """Those of the first chart, without what they tend to."""
    return [trace for trace in charts(at)[0]["data"] if trace.get("meta") != BESIDE]


def test_further_epsilons_are_drawn_compared_with_none_and_taken_along(
    files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = typed(opened(QUIET), "7 5")
    tick(at, {TICKED[0].__name__, TICKED[1].__name__})
    at = shown(at, PAGE)
    before = [one for one in everything(at).splitlines() if "changes places" in one]
    for wrong, refused in (("0", "epsilon must"), ("x", "must be a number"), ("1 2 3 4", "has too many entries")):
        text(at, "accuracy epsilons", wrong)
        assert any(refused in error.value for error in at.main.error), wrong
        assert len(curves(at)) == 2
    text(at, "accuracy epsilons", "0.5, 2, 1, 2")
    drawn = curves(at)
    assert [trace["name"] for trace in drawn] == [
        f"{kind.label}, ε = {epsilon}" for epsilon in ("1", "0.5", "2") for kind in TICKED[:2]]
    assert len({trace["line"]["color"] for trace in drawn}) == 2
    for own in (drawn[:2], drawn[::2], drawn[1::2]):
        assert len({trace["line"]["dash"] for trace in own}) == len({trace["marker"]["symbol"][0] for trace in own})
    table = assert_page(at, tables_of(files))["dpbi-accuracy.csv"]
    for row in table.to_dict("records"):
        kind = next(kind for kind in TICKED if kind.label == row["Mechanism"])
        if row[accuracy_axes.axis("n").title] == 12:
            expected = expected_error(kind(row["epsilon"]), SMALL, "hellinger").high
            assert row["Mean error"] == pytest.approx(expected, rel=1e-9)
    assert "at epsilon = 1 of those with a proved" in everything(at)
    assert before == [one for one in everything(at).splitlines() if "changes places" in one]
    assert scenario_file.from_json(files["dpbi-settings.json"]())["accuracy_epsilons"] == [0.5, 2, 1]
    test_take_away.assert_the_same(at, files, test_take_away.run(test_take_away.snippet(at), monkeypatch))
    select(at, "accuracy along", "epsilon")
    assert len(charts(shown(at, PAGE))[0]["data"]) == 2, "along epsilon there is no further one"


@pytest.mark.parametrize(("over", "reading"), [("prior", "naive"), ("nearest", "nearest")])
def test_averages_under_the_prior_stand_above_the_limit_and_are_those_of_the_script(
    over: str, reading: Any, files: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = small()
    pick(at, "accuracy over", over)
    table = at.main.dataframe[0].value
    for kind in TICKED:
        row = table[(table["Mechanism"] == kind.label) & (table[accuracy_axes.axis("n").title] == 12)]
        expected = expected_distance(kind(1.0), SMALL.prior, 12, reading).mean
        assert row["Mean error"].item() == pytest.approx(expected, rel=1e-9)
    assert figures.LIMIT_SAID in [trace.get("name") for trace in charts(at)[0]["data"]]
    assert all(table["Mean error"] >= known_limit(SMALL.prior, 12, 1.0) - 1e-9)
    assert words.CHOICE_WARNING not in everything(at) and accuracy_words.NOTHING_CROSSES not in everything(at)
    test_take_away.assert_the_same(at, files, test_take_away.run(test_take_away.snippet(at), monkeypatch))
