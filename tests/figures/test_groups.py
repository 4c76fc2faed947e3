"""The pictures of two groups: the order and counts of the readers, the names, and a plan's marks."""

import numpy as np
import pytest

from dpbi.figures import groups
from dpbi.figures.chart_data import chart_data
from dpbi.inference.group_conclusions import RoughDifference

SURE, UNSURE, OTHER = (RoughDifference(0.999, 0.2, 0.1, 0.3), RoughDifference(0.7, 0.05, -0.1, 0.2),
                       RoughDifference(0.01, -0.2, -0.3, -0.1))  # fmt: skip
HOSTILE = "<b>x</b>"


def turned(one: RoughDifference) -> RoughDifference:
    return RoughDifference(1 - one.probability_greater, -one.mean, -one.high, -one.low)


@pytest.mark.parametrize("sign", [1, -1])
def test_readers_stand_by_what_they_are_sure_of_and_are_counted(sign: int) -> None:
    drawn = [UNSURE, SURE, OTHER, SURE, SURE, UNSURE]
    truth = SURE if sign > 0 else turned(SURE)
    figure = groups.conclusions(truth, drawn if sign > 0 else [*map(turned, drawn)], ("aspirin", "placebo"), HOSTILE)
    assert figure.settings["title"]["text"].replace("<br>", " ").startswith(
        f"3 of 6 readers would be sure that {'aspirin' if sign > 0 else 'placebo'} is higher")  # fmt: skip
    assert figure.settings["yaxis"]["ticktext"] == ["true counts", "3 sure", "2 not sure", "1 sure of<br>the opposite"]
    assert figure.settings["yaxis"]["tickvals"] == [0, 3, 5.5, 7]
    assert "3 sure; 2 not sure; 1 sure of the opposite" in figure.alt and HOSTILE not in str(figure.settings["xaxis"])
    data = chart_data(figure)
    assert data["Series"] == ["true counts", *["sure"] * 3, *["not sure"] * 2, "sure of the opposite"]
    wanted = [truth, SURE, SURE, SURE, UNSURE, UNSURE, OTHER]
    wanted = wanted if sign > 0 else [truth, *map(turned, wanted[1:])]
    for name, values in (("From", [one.low for one in wanted]), ("To", [one.high for one in wanted]),
                         ("Value", [one.probability_greater for one in wanted])):  # fmt: skip
        assert np.array(data[name], float) == pytest.approx(values, abs=1e-6)
    figure.to_plotly_json()


@pytest.mark.parametrize(("axis", "answer", "said"), [
    (groups.axis(True), 1234.0, "1,234 people a group give 80%"),
    (groups.axis(False), 0.4321, "ε = 0.432 gives 80%"),
    (groups.axis(True), None, "80% is not reached"),
])  # fmt: skip
def test_a_plan_says_its_answer_and_marks_what_is_exact(axis: str, answer: float | None, said: str) -> None:
    found = groups.Planned((100.0, 1000.0, 2000.0), (0.2, 0.7, 0.9), (True, True, False), (0.3, 0.75, 0.95))
    figure = groups.plan(found, axis, 0.8, answer, (0.4, 0.3))
    assert figure.settings["title"]["text"].replace("<br>", " ").startswith(
        f"{said} <span")
    assert "A share of 0.4 seen to be above 0.3" in figure.settings["title"]["text"]
    assert "normal approximation" in figure.settings["title"]["text"]
    plain, noisy = figure.to_plotly_json()["data"]
    assert list(noisy["marker"]["symbol"]) == ["circle", "circle", "circle-open"]
    assert (plain["name"], noisy["name"]) == ("without noise", "with the releases")
    exact = groups.plan(found._replace(exact=(True,) * 3), axis, 0.8, answer, (0.4, 0.3))
    assert "normal approximation" not in exact.settings["title"]["text"]


def test_a_plan_by_the_normal_approximation_names_no_finer_digits() -> None:
    found = groups.Planned((100.0, 1234.0), (0.2, 0.8), (True, False), (0.3, 0.75))
    for axis, said in ((groups.axis(True), "About 1,300 people a group give 80%"), (groups.axis(False), "ε = about")):
        assert groups.plan(found, axis, 0.8, 1234.0, (0.4, 0.3)).settings["title"]["text"].startswith(said)


def test_where_nothing_is_the_order_the_title_says_so() -> None:
    tie = RoughDifference(0.5, 0.0, -0.1, 0.1)
    figure = groups.conclusions(tie, [UNSURE, SURE, OTHER], ("A", "B"), "yes")
    assert figure.settings["title"]["text"].replace("<br>", " ").startswith(
        "2 of 3 readers would be sure of an order, though there is none")  # fmt: skip


def test_shares_of_releases_stand_in_the_groups_order_and_two_are_marked() -> None:
    shares = [(0.2, 0.1, 0.3), (0.5, 0.4, 0.7), (0.4, 0.1, 0.8)]
    figure = groups.released(shares, ("North", HOSTILE, "West"), (2, 0), "yes", "North is higher")
    data = chart_data(figure)
    assert data["Series"] == ["other groups", "compared", "compared"]
    assert np.array(data["From"], float) == pytest.approx([0.4, 0.1, 0.1])
    assert figure.settings["title"]["text"].startswith("North is higher")
    assert HOSTILE not in str(figure.to_plotly_json())
