"""Two clouds under a slider, one curve that tells nothing before it is revealed, and the tally."""

import json
import re
from functools import cache
from typing import Any

import numpy as np
import pytest

from dpbi import Clouds, Problem, best_guess, clouds, name_of
from dpbi.figures import clouds as figures, tour
from dpbi.figures.chart_data import chart_data
from dpbi.figures.drawing import Drawing
from dpbi.figures.html_page import html_page
from dpbi.figures.style import display_labels, enlarged
from dpbi.inference.clouds import Turn
from dpbi.tour import SCENES
from tests.every_mechanism import Kind, every_class

EPSILONS = (0.1, 1.0, 10.0)
NAMES = ("with her yes", "with her no")
TEN, HER_NO = Problem((1, 1), (6, 4)), Problem((1, 1), (5, 5))
LARGE = Problem((0.5, 2.0, 1.0), (70, 0, 130))


@cache
def pair(*, large: bool = False) -> Clouds:
    """Under the tour's mechanism; few curves, each by its probability, or, of a large table, draws."""
    problem, other = (LARGE, LARGE.with_counts((71, 0, 129))) if large else (TEN, HER_NO)
    found = clouds(SCENES[1].mechanisms[0], problem, other, EPSILONS, np.random.default_rng(1))
    assert found.exact != large
    return found


def sent(figure: Any) -> dict[str, Any]:
    whole: dict[str, Any] = json.loads(figure.to_json())
    return whole


def strength(colour: str) -> float:
    return float(re.fullmatch(r"rgba\(\d+, ?\d+, ?\d+, ?([\d.e-]+)\)", colour)[1])  # type: ignore[index]


@pytest.mark.parametrize("large", [False, True])
def test_a_frame_is_the_figure_that_opens_at_its_place(large: bool) -> None:
    found = pair(large=large)
    opened = [sent(figures.two_clouds(found, NAMES, "yes", at)) for at in range(len(EPSILONS))]
    for at, one in enumerate(opened):
        assert one["layout"]["sliders"][0]["active"] == at
        assert [step["args"][0] for step in one["layout"]["sliders"][0]["steps"]] == [
            [repr(epsilon)] for epsilon in EPSILONS]  # fmt: skip
        assert f"ε = {EPSILONS[at]:g}: " in one["layout"]["meta"]["alt"]
        assert str(found.guesses[at].of_hundred) in one["layout"]["meta"]["alt"]
        for i in range(len(EPSILONS)):
            shown = opened[i]["data"]
            for place, change in zip(one["frames"][i]["traces"], one["frames"][i]["data"], strict=True):
                for name, value in change.items():
                    was = shown[place][name]
                    assert (was["color"] if name == "line" else was) == (value["color"] if name == "line" else value)
        lines = [trace for trace in one["data"] if "customdata" in trace]
        weights = found.weights[:, at].ravel()
        assert [strength(trace["line"]["color"]) for trace in lines] == pytest.approx(weights**0.5, abs=2e-3)


@pytest.mark.parametrize("large", [False, True])
def test_the_data_are_of_the_frame_shown_with_each_curves_probability(large: bool) -> None:
    found = pair(large=large)
    for at in range(len(EPSILONS)):
        table = chart_data(figures.two_clouds(found, NAMES, "yes", at))
        for name, weights in zip(NAMES, found.weights[:, at], strict=True):
            by = f"{name}, {name_of(found.mechanism)}"
            rows = [i for i, series in enumerate(table["Series"]) if series == by]
            told = {table["Line"][i]: table["Value"][i] for i in rows}
            assert list(told.values()) == pytest.approx(weights, rel=1e-6, abs=1e-12)
            assert {table["Value"][i] for i, series in enumerate(table["Series"]) if "true" in series} == {None}


def test_labels_are_text_in_every_part_of_the_figures() -> None:
    hostile = display_labels(["<img src=x onerror=alert(1)>", "<b>b</b>"], 40)
    names = (f"with {hostile[0]}", f"with {hostile[1]}")
    found = pair(large=True)
    drawn = Turn((70, 0, 130), 0, 0)
    for figure in (figures.two_clouds(found, names, hostile[0], 1), figures.one_curve(drawn, found, names, hostile[0],
                                                                                     True)):  # fmt: skip
        assert not [tag for tag in ("<img", "<b>b") if tag in json.dumps(sent(figure), ensure_ascii=False)]


def test_nothing_of_a_curve_tells_whose_it_is_before_it_is_revealed() -> None:
    found = pair()
    for released in ((6, 4), (5, 5), (10, 0), (0, 10)):
        covered, other = (figures.one_curve(Turn(released, answer, like), found, NAMES, "yes", False)
                          for answer, like in ((0, 1), (1, 0)))  # fmt: skip
        assert sent(covered) == sent(other)
        for answer, name in enumerate(NAMES):
            shown = figures.one_curve(Turn(released, answer, 0), found, NAMES, "yes", True)
            assert name in shown.layout.title.text and name in shown.layout.meta["alt"]
            assert NAMES[1 - answer] not in shown.layout.title.text
            assert shown.data[-1].line.color == figures.PAIR[answer].colour


@every_class
def test_the_tally_has_as_many_squares_as_guesses_can_be_right(kind: Kind) -> None:
    for epsilon in (1e-3, 1.0, 30.0):
        best = best_guess(kind(epsilon), TEN, HER_NO)
        figure = figures.tally(3, 4, best)
        corners = {trace.name: np.stack([trace.x, trace.y]).reshape(2, -1, 6) for trace in figure.data}
        squares = {name: {*map(tuple, np.floor(at[..., 0]).T.tolist())} for name, at in corners.items()}
        assert len(squares["right at best"]) == best.of_hundred and len(squares["wrong"]) == 100 - best.of_hundred
        assert squares["right at best"] | squares["wrong"] == {(x, y) for x in range(10) for y in range(10)}
        for at in corners.values():
            assert (np.nanmax(at, axis=2) - np.nanmin(at, axis=2) < 1).all() and np.isnan(at[..., -1]).all(), "apart"
        assert "3 of 4 right" in figure.layout.meta["alt"] and f"{best.of_hundred} of 100" in figure.layout.meta["alt"]


@pytest.mark.parametrize(("prior", "counts", "other"), [
    ((1e-9, 1e-9), (60, 0), (59, 1)), ((1e12, 1e-9), (600, 0), (599, 1)), ((0.1, 0.1), (0, 1), (1, 0)),
    ((1e12, 1e12), (300, 300), (299, 301)), ((1, 1), (10**6, 10**6), (10**6 - 1, 10**6 + 1)),
])  # fmt: skip
@every_class
def test_any_pair_is_drawn(kind: Kind, prior: Any, counts: Any, other: Any) -> None:
    problem = Problem(prior, counts)
    found = clouds(kind(1.0), problem, problem.with_counts(other), (1e-9, 1e6), np.random.default_rng(1))
    for figure in (figures.two_clouds(found, NAMES, "yes", 0),
                   figures.one_curve(Turn(other, 1, 1), found, NAMES, "yes", True)):
        (low, high), (bottom, top) = figure.layout.xaxis.range, figure.layout.yaxis.range
        assert 0 <= low < high <= 1 and bottom == 0 < top < np.inf


def test_frames_go_along_into_a_page_and_onto_a_projector() -> None:
    figure = figures.two_clouds(pair(), NAMES, "yes", 1)
    page = html_page(figure, "clouds", [], embedded=False)
    assert "Plotly.addFrames" in page and "Plotly.animate(" not in page and page.count('"animate"') == len(EPSILONS)
    for changed in (enlarged(figure, 1.5), Drawing.of(enlarged(figure, 1.5)).figure()):
        large, small = sent(changed), sent(figure)
        assert len(large["frames"]) == len(small["frames"]) == len(EPSILONS)
        assert large["frames"] == small["frames"], "they change colours alone"
        assert large["layout"]["sliders"][0]["active"] == 1
        said = [one["layout"]["sliders"][0]["currentvalue"]["font"]["size"] for one in (small, large)]
        assert said[1] == 1.5 * said[0]
        room = [one["layout"]["sliders"][0]["pad"]["t"] for one in (small, large)]
        assert room[1] == 1.5 * room[0], "below the axis's title, which grows"
        widths = [one["data"][0]["line"]["width"] for one in (small, large)]
        assert widths[1] == 1.5 * widths[0]


@pytest.mark.parametrize("scene", [one for one in SCENES if one.kind == "picture"], ids=lambda one: one.key)
def test_a_scenes_picture_holds_back_what_is_to_be_revealed(scene: Any) -> None:
    covered, revealed = (tour.draw(scene.result(), shown) for shown in (False, True))
    assert (sent(covered) != sent(revealed)) == bool(scene.reveal)
    assert (covered.layout.meta["alt"] != revealed.layout.meta["alt"]) == bool(scene.reveal)
    for figure in (covered, revealed):
        assert chart_data(figure)
        assert len({len(column) for column in chart_data(figure).values()}) == 1


def test_other_results_have_no_picture() -> None:
    with pytest.raises(TypeError, match="no figure of a int"):
        tour.draw(5, True)
