"""The page of one person's answer: any pair and mechanism, what it says of them, and the game's tally."""

import re
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from dpbi import MECHANISMS, Problem, best_guess, clouds, hellinger, neighbours
from dpbi.dashboard.answers import library
from dpbi.dashboard.sidebar import controls
from dpbi.dashboard.words import one_answer as said
from dpbi.inference.clouds import turn
from tests.dashboard.person import (
    ALL,
    EXAMPLE,
    HOSTILE,
    bare,
    charts,
    check,
    everything,
    opened,
    press,
    ran,
    select,
    shown,
    text,
    tick,
    typed,
    unfold,
    visit,
)
from tests.dashboard.test_links import follow, link, parameters, written

PAGE = "pages/9_One_answer.py"
LEAST = {"answer": 0, "other answer": 0}


def title(at: AppTest, name: str) -> str:
    (chart,) = [chart for chart in at.get("plotly_chart") if chart.proto.id.endswith(f"chart: {name}")]
    return str(charts(at)[at.get("plotly_chart").index(chart)]["layout"]["title"]["text"])


def tally(at: AppTest) -> tuple[int, int]:
    found = re.search(r"(\d+) of (\d+) right", title(at, "tally"))
    return (int(found[1]), int(found[2])) if found else (0, 0)


@pytest.mark.parametrize("counts", ["1 0", "0 0 4", "5 0 7", "1 1 1 1 1", "700 300"])
def test_every_table_with_a_record_has_its_pair(counts: str) -> None:
    """The farthest pair at first, by every neighbour's distance."""
    at = shown(typed(opened(), counts), PAGE)
    problem = Problem((1,) * len(counts.split()), tuple(map(int, counts.split())))
    own, other = controls.asked_answers(problem, LEAST)
    moved = problem.with_counts([c - (i == own) + (i == other) for i, c in enumerate(problem.counts)])
    beside = map(problem.with_counts, neighbours(problem.counts))
    farthest = max(hellinger(problem.posterior, one.posterior) for one in beside)
    assert hellinger(problem.posterior, moved.posterior) == pytest.approx(farthest, rel=1e-12)
    best = best_guess(MECHANISMS[2](1.0), problem, moved).of_hundred
    assert len(charts(at)) == 3 and f"right in at most {best} of 100" in everything(at)


def test_of_nobody_there_is_nothing_to_tell() -> None:
    at = shown(typed(opened(), "0 0"), PAGE)
    assert said.NO_RECORD in everything(at) and not charts(at)


def test_a_chosen_answer_is_told_from_the_one_that_it_moves_most_to() -> None:
    problem = Problem((1, 2, 0.5, 1), (4, 0, 9, 3))
    for own in (0, 2, 3):
        _, other = controls.asked_answers(problem, {"answer": own + 1, "other answer": 0})
        apart = [float(hellinger(problem.posterior, problem.with_counts(
            [c - (i == own) + (i == j) for i, c in enumerate(problem.counts)]).posterior)) for j in range(4)]
        assert other == int(np.argmax(apart))


def test_each_mechanism_says_what_it_promises_and_no_more() -> None:
    at = shown(tick(opened(), ALL), PAGE)
    own, other = controls.asked_answers(EXAMPLE, LEAST)
    neighbour = EXAMPLE.with_counts([c - (i == own) + (i == other) for i, c in enumerate(EXAMPLE.counts)])
    for kind in MECHANISMS:
        if kind is not MECHANISMS[0]:
            select(at, "answer by", kind.__name__)
        promised = kind(1.0).guarantee(EXAMPLE.prior, EXAMPLE.n)
        sentence = next(line for line in everything(at).splitlines() if "For these two tables" in line)
        assert f"right in at most {best_guess(kind(1.0), EXAMPLE, neighbour).of_hundred} of 100" in sentence
        assert ("the claim allows" in sentence) == (promised.basis == "claim")
        assert ("is not private" in sentence) == (not promised.is_private and promised.basis != "claim")
        assert ("the promise allows" in sentence) == promised.is_private


def test_where_no_best_guess_is_computed_none_is_said() -> None:
    many = Problem((1,) * 10, (10,) * 10)
    neighbour = many.with_counts((9, 11, *(10,) * 8))
    for kind in MECHANISMS:
        best = best_guess(kind(1.0), many, neighbour)
        sentence = said.promised(kind(1.0).guarantee(many.prior, many.n), best)
        assert not best.exact and "no best guess is computed" in sentence and "is right in" not in sentence


def test_a_calibrated_mechanism_is_shown_without_it_and_that_is_said() -> None:
    at = opened()
    check(at, "calibrated: EHD")
    assert said.UNCALIBRATED not in everything(shown(at, PAGE)), "another mechanism is looked at"
    assert said.UNCALIBRATED in everything(select(at, "answer by", "EHD"))


def test_the_link_keeps_the_pair_and_the_mechanism_and_tells_no_pair_that_nobody_chose() -> None:
    at = visit(follow("app.py", {}), PAGE)
    assert not parameters(link(at)) and not written(ran(at)), "the farthest pair follows from private counts"
    at = select(select(at, "example", "badges"), "answer by", "Geometric")
    text(select(select(at, "answer", 2), "other answer", 1), "epsilon", "2.5")
    kept = {"example": "badges", "epsilon": "2.5", "answer_by": "Geometric", "answer": "2", "other_answer": "1"}
    assert parameters(link(at)) == kept == written(at)
    other = follow(PAGE, parameters(link(at)))
    assert [*map(str, charts(other))] == [*map(str, charts(at))]
    select(at, "answer", 1)
    assert "other_answer" not in parameters(link(at)), "a pair of one answer is none"
    assert not ran(visit(at, PAGE)).main.error


def test_names_are_shown_inertly() -> None:
    at = shown(typed(opened(), f"{HOSTILE}, 12\n{HOSTILE}\u200b2, 8"), PAGE)
    for part in [*at.main.markdown, *at.main.caption]:
        assert not re.search(r"(?<!\\)\[go|(?<!\\)\$x|(?<!\\)<img", part.value)
    assert not re.search("<img|u003cimg", str(charts(at)))
    for button in at.main.button:
        assert not re.search(r"(?<!\\)\[go|(?<!\\)\$x|(?<!\\)<img", button.label)
    assert bare(HOSTILE)[:10] in bare(at.main.selectbox[0].options[0])


def guessed(at: AppTest, turns: int) -> int:
    """How many of so many guesses at the first answer are right."""
    for _ in range(turns):
        ran(at.button(key="guess: 0").click())
        ran(at.button(key="guess: next").click())
    return tally(at)[0]


def test_a_games_curves_follow_from_the_seed_and_every_other_question_begins_anew() -> None:
    at = shown(opened(), PAGE)
    own, other = controls.asked_answers(EXAMPLE, LEAST)
    neighbour = EXAMPLE.with_counts([c - (i == own) + (i == other) for i, c in enumerate(EXAMPLE.counts)])
    first = MECHANISMS[2](1.0)
    right = sum(not turn(first, EXAMPLE, neighbour, np.random.default_rng([1, i])).answer for i in range(5))
    assert guessed(at, 5) == right and tally(at) == (right, 5)
    changes: list[Any] = [
        lambda: text(at, "epsilon", "2"), lambda: press(at, "Redraw (seed 1 → 2)"),
        lambda: select(at, "answer by", "Geometric"), lambda: select(at, "example", "badges"),
    ]  # fmt: skip
    for change in changes:
        change()
        assert tally(at) == (0, 0), "another question"
        guessed(at, 1)
        assert tally(at)[1] == 1
    other_person = shown(opened(), PAGE)
    assert tally(other_person) == (0, 0)


def test_a_refused_epsilon_shows_no_clouds() -> None:
    at = text(shown(opened(), PAGE), "epsilon", "-1")
    assert not charts(at) and at.main.error


def test_the_script_has_the_clouds_of_its_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights and best guesses; the curves: test_take_away."""
    from tests.dashboard.test_take_away import run, snippet

    at = select(shown(typed(opened(), "5 0 7"), PAGE), "answer by", "EHDS")
    found = run(snippet(at), monkeypatch)
    problem = Problem((1, 1, 1), (5, 0, 7))
    own, other = controls.asked_answers(problem, LEAST)
    neighbour = problem.with_counts([c - (i == own) + (i == other) for i, c in enumerate(problem.counts)])
    kind = next(kind for kind in MECHANISMS if kind.__name__ == "EHDS")
    expected = clouds(kind(1.0), problem, neighbour, library.slid_through(1.0), np.random.default_rng(1))
    np.testing.assert_array_equal(found["found"].weights, expected.weights)
    (table,) = found["tables"]
    shares = [best_guess(kind(epsilon), problem, neighbour).share for epsilon in library.slid_through(1.0)]
    np.testing.assert_allclose(table.values["shares"], shares, 1e-12)
    drawn = found["drawn"]["clouds"].to_plotly_json()["data"]
    shown_colours = [trace["line"]["color"] for trace in charts(at)[0]["data"]]
    assert [trace["line"]["color"] for trace in drawn] == shown_colours and len({*shown_colours}) > 10
    assert "EHD(" not in snippet(at), "of the mechanism that is looked at"


def test_where_two_tables_hardly_differ_it_is_said() -> None:
    assert "hardly differ" not in everything(shown(typed(opened(), "6 4"), PAGE))
    assert "hardly differ" in everything(typed(unfold(opened(PAGE), "Copy as Python"), "700 300"))
