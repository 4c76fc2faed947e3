"""The tour: every scene's sentence is computed, has a link, and opens in the lab; talk mode keeps what is shown."""

import json
import re
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy import stats
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Button

from dpbi import Problem, PureDP, best_guess, distance_law, noise_aware_posterior
from dpbi.dashboard.session import address
from dpbi.dashboard.sidebar import controls, menu
from dpbi.dashboard.take_away import scenario_file
from dpbi.dashboard.views import tour
from dpbi.dashboard.words import words
from dpbi.figures import tour as tour_figures
from dpbi.inference.clouds import turn
from dpbi.problem.candidates import list_candidates
from dpbi.tour import SCENES, SEED, Scene
from tests.dashboard.person import bare, buttons, charts, key, opened, picked, press, visit
from tests.dashboard.test_links import follow
from tests.dashboard.test_scenario_file import notice
from tests.oracles import hellinger_float

TOUR = "pages/0_Tour.py"
_EPSILON = 1.0
by_scene = pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.key)


@cache
def result(scene: Scene) -> Any:
    return scene.result()


def button(at: AppTest, label: str) -> Button:
    return next(found for found in at.button if found.label == label)


def scene_of(key: str) -> Scene:
    return next(scene for scene in SCENES if scene.key == key)


def said_on(at: AppTest) -> str:
    return bare("\n".join(text.value for text in at.main.markdown))


def opened_at(scene: Scene) -> AppTest:
    at = opened()
    at.query_params["scene"] = scene.key
    visit(at, TOUR)
    at.query_params["scene"] = scene.key
    return at.run()


# --- what is said ---

PICTURES = [scene for scene in SCENES if scene.kind == "picture"]
TOLD = [scene for scene in PICTURES if scene.sentence(result(scene))]


@pytest.mark.parametrize("scene", TOLD, ids=lambda scene: scene.key)
def test_a_sentence_is_computed_from_its_result(scene: Scene) -> None:
    """At another problem and epsilon its numbers are others, of two digits but for whole ones; none is not a number."""
    mechanisms = tuple(replace(mechanism, epsilon=mechanism.epsilon / 4) for mechanism in scene.mechanisms)
    problem = Problem((2, 1), (3, 9))
    other = replace(scene, problem=problem, mechanisms=mechanisms, neighbour=problem.with_counts((4, 8)))
    said, of_other = (one.sentence(result(one)).replace("reaches it", "comes to 1 times it") for one in (scene, other))
    numbers, changed = (re.findall(r"\d[\d.,]*\d|\d", text) for text in (said, of_other))
    assert numbers and len(numbers) == len(changed)
    assert 2 * sum(a != b for a, b in zip(numbers, changed, strict=True)) >= len(numbers) - 1
    assert all(len(number.lstrip("0.").replace(".", "")) <= 2 for number in numbers)
    assert not re.search("nan|inf|None", said + of_other)


@by_scene
def test_two_short_sentences_stand_on_the_screen(scene: Scene) -> None:
    for text in (scene.question, scene.sentence(result(scene)) if scene in TOLD else ""):
        assert len(re.findall(r"[.?!](?= |$)", text)) <= 2
        assert len(text) <= 240


def test_the_leak_is_the_distance_of_two_betas_that_differ_in_her_record() -> None:
    found = result(scene_of("leak"))
    assert [a - b for a, b in zip(found.problem.counts, found.neighbour.counts, strict=True)] == [1, -1]
    expected = hellinger_float(found.problem.posterior, found.neighbour.posterior)
    assert found.distance == pytest.approx(expected, rel=1e-9)
    assert f"{expected:.2g} apart" in scene_of("leak").sentence(found)


def mean_of_noise(problem: Problem, epsilon: float) -> float:
    """E[H] of whole-number noise on the first of two counts, by summing the pmf of the noise against the distance."""
    q, (yes, no) = np.exp(-epsilon), problem.counts
    shift = np.arange(-yes, no + 1)
    mass = (1 - q) / (1 + q) * q ** np.abs(shift)
    mass[[0, -1]] = q ** np.abs(shift[[0, -1]]) / (1 + q)  # what lies beyond 0 and n is released there
    moved = [problem.with_counts((yes + s, no - s)).posterior for s in shift.tolist()]
    return float(mass @ [hellinger_float(problem.posterior, one) for one in moved])


def test_noise_names_the_exact_means_of_mechanisms_that_promise_the_same() -> None:
    scene = scene_of("noise")
    found = result(scene)
    mean = mean_of_noise(scene.problem, scene.mechanisms[-1].epsilon)
    assert found.laws[-1].mean == pytest.approx(mean, rel=1e-9)
    assert f"average {mean:.2g} from" in scene.sentence(found)
    assert f"in place of {found.laws[0].mean:.2g} " in scene.sentence(found)
    assert [law.mean for law in found.laws] == sorted((law.mean for law in found.laws), reverse=True), "better ways"
    for revealed in (False, True):
        title = tour_figures.draw(found, revealed).layout.title.text.split("<br>")[0]
        assert not re.search(r"\d", title), "means of the draws would be others than those said"
    promises = [one.guarantee(scene.problem.prior, scene.problem.n) for one in scene.mechanisms]
    assert all(isinstance(one, PureDP) for one in promises)
    assert len({one.epsilon for one in promises if isinstance(one, PureDP)}) == 1


def test_a_choice_that_drowns_is_told_by_how_often_it_ignores_the_data() -> None:
    """exp(-rate H) >= exp(-rate): what all candidates have in common is drawn without the data."""
    scene = scene_of("choice")
    found = result(scene)
    for one, ignoring in zip(found.drawn[:3], found.ignoring, strict=False):
        problem, mechanism = one.problem, scene.mechanisms[0]
        law = np.exp(mechanism.log_pmf(problem, list_candidates(problem.n, 2)))
        rate = mechanism.rate(problem)  # type: ignore[attr-defined]
        assert ignoring == pytest.approx(law.max() * np.exp(-rate) * len(law), rel=1e-9)
    assert (np.diff(found.ignoring) > 0).all()
    steps = tour_figures.draw(found, True).layout.sliders[0].steps
    for one, share, step in zip(found.drawn, found.ignoring, steps, strict=True):
        assert step.label == f"{one.problem.n:,} people: {100 * share:.0f} of 100 releases look at no data"


def test_reach_names_the_farthest_table_and_the_means_of_two_choices() -> None:
    scene = scene_of("reach")
    problem, found = scene.problem, result(scene_of("reach"))
    n = problem.n
    apart = [hellinger_float((1 + c, 1 + n - c), (2 + c, n - c)) for c in range(n)]
    here = max(apart[problem.counts[0] - 1], apart[problem.counts[0]])
    assert max(apart) == pytest.approx(apart[0]) == pytest.approx(apart[-1]), "where one answer is missing"
    assert f"the same answer, {max(apart) / here:.2g} times" in scene.sentence(found)
    candidates = list_candidates(n, 2)
    distance = np.array([hellinger_float(problem.posterior, (1 + a, 1 + b)) for a, b in candidates.tolist()])
    for mechanism, mean in zip(scene.mechanisms, found.means, strict=True):
        assert mean == pytest.approx(float(np.exp(mechanism.log_pmf(problem, candidates)) @ distance), rel=1e-9)
        assert f"{mean:.2g}" in scene.sentence(found)


def test_readings_count_the_intervals_that_miss_the_line() -> None:
    scene = scene_of("reader")
    naive, aware = result(scene).naive, result(scene).aware
    truth = 61 / 102
    ends = [stats.beta.ppf((0.025, 0.975), *parameters) for parameters in naive.parameters]
    missed = sum(not low <= truth <= high for low, high in ends)
    posteriors = [noise_aware_posterior(scene.mechanisms[0], (1, 1), 100, tuple(r)) for r in naive.released.tolist()]
    wide = [one.interval() for one in posteriors]
    lost = sum(not low <= truth <= high for low, high in wide)
    times = sum(high - low for low, high in wide) / sum(high - low for low, high in ends)
    said = scene.sentence(result(scene))
    assert said.startswith(f"{missed} of 20 miss the line.") and said.endswith(f"and {lost} of 20 miss.")
    assert f"on average {times:.2g} times as wide" in said
    assert aware.widening() == pytest.approx(times, rel=1e-6)
    shown = tour_figures.draw(result(scene), True)
    panels = {one.text for one in shown.layout.annotations}
    assert panels == {f"taken for the data: {missed} of 20 miss", f"noise-aware: {lost} of 20 miss"}
    covered = tour_figures.draw(result(scene), False).to_json()
    assert "miss" not in covered and "cover" not in covered, "nothing tells before it is revealed"


def test_the_limit_lies_below_every_mechanism_of_the_tour_and_is_rounded_down() -> None:
    """All tables are as probable under the uniform prior, so that the mean under it is the mean over them."""
    scene = scene_of("limit")
    found = result(scene)
    assert (found.times[0] >= found.times[1] - 1e-9).all() and (found.times[1] >= 1 - 1e-6).all()
    assert (np.diff([one.value for one in found.limits]) < 0).all()
    at = [one.epsilon for one in found.limits].index(1.0)
    tables = [Problem((1, 1), (c, 100 - c)) for c in range(101)]
    means = {one.label: np.mean([distance_law(one, table).mean for table in tables]) for one in scene.mechanisms}
    assert found.mean[:, at] == pytest.approx(list(means.values()), rel=1e-6)
    printed = re.search(r"nearer than (0\.\d+)\.", scene.sentence(found))
    assert printed and 0 <= found.limits[at].lower - float(printed[1]) < 0.001
    assert ("reaches it" in scene.sentence(found)) == (min(means.values()) < 1.005 * found.limits[at].lower)
    title = tour_figures.draw(found, False).layout.title.text
    assert title.endswith(min(means, key=lambda label: means[label]))


def test_no_scene_says_what_an_earlier_one_contradicts() -> None:
    """Whoever remembers a mechanism finds none nearer than the limit's scene says, unless at one table alone."""
    scene = scene_of("limit")
    found, problem = result(scene), scene.problem
    every = dict.fromkeys(one for shown in SCENES for one in shown.mechanisms if one.epsilon == _EPSILON)
    tables = [problem.with_counts((c, problem.n - c)) for c in range(0, problem.n + 1, 4)]
    means = {one.label: np.mean([distance_law(one, table).mean for table in tables]) for one in every}
    at = [one.epsilon for one in found.limits].index(_EPSILON)
    assert min(means, key=lambda label: means[label]) == found.mechanisms[int(found.mean[:, at].argmin())].label
    at_one_table = min(law.mean for law in result(scene_of("noise")).laws)
    assert at_one_table > found.limits[at].value or scene.sentence(found).startswith("Averaged over all tables")


def test_the_notes_fill_twenty_minutes() -> None:
    assert sum(scene.notes.minutes for scene in SCENES) == 20


# --- on the page ---


@pytest.mark.usefixtures("few_points")
@by_scene
def test_a_scene_has_a_link_reveals_its_answer_and_opens_in_the_lab(scene: Scene) -> None:
    at = opened_at(scene)
    assert [header.value for header in at.main.header] == [scene.heading]
    assert scene.question in said_on(at)
    small = bare(at.main.caption[0].value)
    assert small.startswith(f"{scene.problem.n:,} people; prior Beta(1, 1)")
    assert all(one.label in small for one in scene.mechanisms)
    assert (words.RELATION_NOTICE in small) == (scene is SCENES[0]), "where neighbours are explained"
    assert ("↑ ↓" in small) == ("sliders" in charts(at)[0]["layout"]), "by which keys a slider is moved"
    if scene.kind == "picture":
        sentence = scene.sentence(result(scene))
        assert (sentence in said_on(at)) == (not scene.reveal)
        if scene.reveal:
            covered = charts(at)
            press(at, scene.reveal)
            assert sentence in said_on(at) and scene.question not in said_on(at)
            assert charts(at) != covered
    button(at, "Open this in the lab").click().run()
    page = menu.page(scene.page)
    assert [title.value for title in at.title] == [page.heading]
    assert not [error.value for error in at.main.error]
    assert f"n = {scene.problem.n:,}" in said_on(at)
    shown = scene.mechanisms or SCENES[1].mechanisms  # one that leaks as it is opens with the noise of the next
    assert set(picked(at)) == {type(mechanism).__name__ for mechanism in shown}
    assert at.session_state["settings"]["epsilon"] == f"{shown[0].epsilon:g}"


def test_a_link_is_told_of_on_the_tour_if_it_holds_what_no_scene_shows() -> None:
    """A reload would say so in the midst of a talk."""
    scene = {"scene": "clouds", "talk": "true", "epsilon": "0.3"}
    at = follow(TOUR, scene)
    assert notice(at) == "" and at.session_state["settings"]["epsilon"] == "0.3"
    assert notice(visit(at, "app.py")) == ""
    assert notice(follow(TOUR, scene | {"seed": "4"})) == "The settings of the link are taken over."
    assert "except" in notice(follow(TOUR, scene | {"epsilon": "-1"}))
    assert notice(follow("app.py", scene)) == "The settings of the link are taken over."


def test_an_answer_is_covered_again_when_the_scene_is_left() -> None:
    at = opened(TOUR)
    press(at, SCENES[0].reveal)
    press(at, "Next")
    press(at, "Back")
    assert SCENES[0].question in said_on(at) and SCENES[0].reveal in buttons(at)


def test_a_guess_is_told_and_counted_once_beside_the_best() -> None:
    scene = scene_of("guess")
    assert scene.neighbour
    at = opened_at(scene)
    right = 0
    for number in range(4):
        drawn = turn(scene.mechanisms[0], scene.problem, scene.neighbour, np.random.default_rng([SEED, number]))
        answer = ("yes", "no")[number % 2]
        press(at, answer)
        right += drawn.answer == number % 2
        assert ("Right" if drawn.answer == number % 2 else "Wrong") in said_on(at)
        assert buttons(at)["yes"].disabled and buttons(at)["no"].disabled
        alt = charts(at)[-1]["layout"]["meta"]["alt"]
        assert f"{right} of {number + 1} right" in alt
        best = best_guess(scene.mechanisms[0], scene.problem, scene.neighbour)
        assert f"{best.of_hundred} of 100" in alt
        press(at, "Next curve")


@pytest.mark.usefixtures("few_points")
def test_the_lab_shows_what_a_scene_is_about_whatever_was_looked_at_before() -> None:
    at = opened("pages/5_Accuracy.py")
    at.selectbox(key="entry: accuracy along").set_value("n").run()
    at.query_params["scene"] = "limit"
    visit(at, TOUR)
    button(at, "Open this in the lab").click().run()
    assert [title.value for title in at.title] == [menu.page("Accuracy").heading]
    assert at.selectbox(key="entry: accuracy along").value == "epsilon"


def test_back_and_next_stop_at_the_ends() -> None:
    at = opened(TOUR)
    assert button(at, "Back").disabled
    for scene in SCENES[1:]:
        button(at, "Next").click().run()
        assert [header.value for header in at.main.header] == [scene.heading]
        assert at.query_params["scene"] in (scene.key, [scene.key])
    assert button(at, "Next").disabled
    button(at, "Back").click().run()
    assert [header.value for header in at.main.header] == [SCENES[-2].heading]
    at.query_params["scene"] = "<script>"
    at.run()
    assert [header.value for header in at.main.header] == [SCENES[0].heading], "a foreign scene is the first one"


def test_the_address_holds_talk_mode_and_decides_about_it() -> None:
    at = opened()
    at.toggle(key=key(at, address.TALK)).set_value(True).run()
    assert at.query_params["talk"] in ("true", ["true"])
    del at.query_params["talk"]  # the browser's Back
    at.run()
    assert not at.toggle(key=key(at, address.TALK)).value
    at.query_params["talk"] = "true"
    at.run()
    assert at.toggle(key=key(at, address.TALK)).value
    at.toggle(key=key(at, address.TALK)).set_value(False).run()
    assert "talk" not in at.query_params


def test_the_lab_never_replaces_a_persons_own_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tour, "_at_epsilon", lambda scene: scene.mechanisms[0])  # there is no session
    for scene in SCENES:
        restored = scenario_file.restored(tour.lab_document(scene))
        assert not restored.notices
        assert not {"typed", "uploaded"} & restored.settings.keys()


def test_a_persons_own_counts_come_back_from_the_lab_by_one_button() -> None:
    at = opened()
    at.selectbox(key="entry: source").set_value("Counts typed in").run()
    at.text_area(key="entry: typed").set_value("left, 7\nright, 5").run()
    at.text_input(key="entry: epsilon").set_value("0.3").run()
    visit(at, TOUR)
    at.query_params["scene"] = "noise"
    at.run()
    button(at, "Open this in the lab").click().run()
    visit(at, "pages/2_Distance_curves.py")
    assert at.segmented_control(key=key(at, "view")).value == controls.CUMULATIVE, "as the scene shows it"
    assert "n = 100" in bare("\n".join(text.value for text in at.main.markdown))
    button(at, "Back to my own counts and settings").click().run()
    said = bare("\n".join(text.value for text in at.main.markdown))
    assert "7 left, 5 right; n = 12" in said and "epsilon = 0.3" in said
    assert not [found for found in at.button if found.label.startswith("Back to my own")]


def test_talk_mode_enlarges_the_charts_and_writes_tables_in_the_pages_own_type() -> None:
    at = opened()
    before, grid = json.loads(at.get("plotly_chart")[0].proto.spec), at.main.dataframe[0].value
    at.toggle(key=key(at, address.TALK)).set_value(True).run()
    assert not at.main.error and not at.main.dataframe
    after = json.loads(at.get("plotly_chart")[0].proto.spec)
    assert after["layout"]["font"]["size"] > 1.3 * before["layout"]["font"]["size"]
    assert [trace["y"] for trace in after["data"]] == [trace["y"] for trace in before["data"]]
    assert words.RELATION_NOTICE in bare("\n".join(text.value for text in at.main.markdown))
    head, _, *rows = next(text.value for text in at.main.markdown if text.value.startswith("|")).splitlines()
    assert [bare(cell.strip()) for cell in head.split(" | ")][1:-1] == list(grid.columns)[1:-1]
    assert len(rows) == len(grid)
    for row, (_, line) in zip(rows, grid.iterrows(), strict=True):
        assert bare(row).startswith(f"| {line['Mechanism']} | {line['Guarantee']} | {line['Mean H']:.4f} | ")


def test_a_name_stays_in_its_cell_in_talk_mode() -> None:
    at = opened()
    at.selectbox(key="entry: source").set_value("Counts typed in").run()
    at.text_area(key="entry: typed").set_value("a | <b>x</b> $y$, 5\nplain, 7").run()
    at.toggle(key=key(at, address.TALK)).set_value(True).run()
    visit(at, "pages/1_Private_posteriors.py")
    table = next(text.value for text in at.main.markdown if text.value.startswith("|") and "plain" in text.value)
    cells = {len(re.split(r"(?<!\\)\|", line)) for line in table.splitlines()}
    assert len(cells) == 1
    assert "<b>" not in table.replace("\\<", "")
