"""The tour: every scene's sentence is computed, has a link, and opens in the lab; talk mode keeps what is shown."""

import json
import re
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Button

from dpbi import Problem, distance_law
from dpbi.dashboard.session import address
from dpbi.dashboard.sidebar import controls, menu
from dpbi.dashboard.take_away import scenario_file
from dpbi.dashboard.views import tour
from dpbi.dashboard.words import words
from dpbi.figures import tour as tour_figures
from dpbi.tour import SCENES, Growth, Scene
from tests.dashboard.person import bare, key, opened, visit
from tests.oracles import hellinger_float

TOUR = "pages/0_Tour.py"
by_scene = pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.key)


@cache
def result(scene: Scene) -> Any:
    return scene.result()


def button(at: AppTest, label: str) -> Button:
    return next(found for found in at.button if found.label == label)


@pytest.mark.usefixtures("few_points")
@by_scene
def test_a_sentence_is_computed_from_its_result(scene: Scene) -> None:
    """At another problem and epsilon every number of it that could change does; chart and words speak of one n."""
    mechanisms = tuple(replace(mechanism, epsilon=0.5) for mechanism in scene.mechanisms)
    other = replace(scene, problem=Problem((2, 1), (3, 9)), mechanisms=mechanisms)
    numbers, changed = (re.findall(r"[\d.,]*\d", one.sentence(result(one))) for one in (scene, other))
    assert len(numbers) >= 4
    assert sum(a != b for a, b in zip(numbers, changed, strict=False)) >= 3
    if isinstance(result(scene), Growth):
        both = scene.sentence(result(scene)), tour_figures.draw(result(scene)).layout.title.text
        assert all(f"n = {scene.problem.n:,}" in said for said in both)


def test_noise_names_the_exact_means() -> None:
    """The mean of whole-number noise on (48, 42), by summing the pmf of the difference against the distance."""
    scene = next(scene for scene in SCENES if scene.key == "noise")
    law = result(scene)[-1]
    q = np.exp(-1.0)
    shift = np.arange(-48, 43)
    mass = (1 - q) / (1 + q) * q ** np.abs(shift)
    mass[[0, -1]] = q ** np.abs(shift[[0, -1]]) / (1 + q)  # what lies beyond 0 and n is released there
    distance = [hellinger_float((49, 43), (49 + s, 43 - s)) for s in shift.tolist()]
    assert law.mean == pytest.approx(float(mass @ distance), rel=1e-9)
    assert f"{law.mean:.3g}" in scene.sentence(result(scene))


def test_who_is_nearest_in_a_scene_is_so_among_all_that_the_tour_shows() -> None:
    """Whoever remembers an earlier scene's mechanism finds none nearer where a scene says who is."""
    every = dict.fromkeys(mechanism for scene in SCENES for mechanism in scene.mechanisms)
    said = 0
    for scene in SCENES:
        title = tour_figures.draw(result(scene)).layout.title.text.replace("<br>", " ")
        if "smallest" in title:
            said += 1
            means = {one.label: distance_law(one, scene.problem).mean for one in every}
            least = [label for label, mean in means.items() if mean <= min(means.values()) * (1 + 1e-9)]
            assert any(f" {label} " in title for label in least), (title, means)
            assert f"of the {len(scene.mechanisms)} shown" in title
    assert said


def test_what_calibration_buys_is_said_of_a_loss_that_leaves_room() -> None:
    for gain in result(next(scene for scene in SCENES if scene.key == "budget")):
        assert gain.before.epsilon < 0.6 * gain.before.mechanism.epsilon and gain.after.epsilon <= 1.0


def test_leak_is_the_distance_of_two_betas() -> None:
    found = result(SCENES[0])
    moved = [a - b for a, b in zip(found.neighbour.counts, found.problem.counts, strict=True)]
    assert sorted(moved) == [-1, 1]
    expected = hellinger_float(found.problem.posterior, found.neighbour.posterior)
    assert found.distance == pytest.approx(expected, rel=1e-9)


@pytest.mark.usefixtures("few_points")
@by_scene
def test_a_scene_has_a_link_and_opens_in_the_lab(scene: Scene) -> None:
    at = AppTest.from_file("../../app.py", default_timeout=120)
    at.query_params["scene"] = scene.key
    at.run()
    visit(at, TOUR)
    at.query_params["scene"] = scene.key
    at.run()
    assert [header.value for header in at.main.header] == [scene.heading]
    assert bare(scene.sentence(result(scene))) in bare("\n".join(text.value for text in at.main.markdown))
    button(at, "Open this in the lab").click().run()
    page = menu.page(scene.page)
    assert [title.value for title in at.title] == [page.heading]
    assert not [error.value for error in at.main.error]
    assert f"n = {scene.problem.n:,}" in bare("\n".join(text.value for text in at.main.markdown))
    for mechanism in scene.mechanisms:
        assert at.checkbox(key=f"entry: ticked: {type(mechanism).__name__}").value


@pytest.mark.usefixtures("few_points")
def test_what_drowns_as_data_grow_is_shown_against_n_in_the_lab() -> None:
    at = opened("pages/5_Accuracy.py")
    at.selectbox(key="entry: accuracy along").set_value("epsilon").run()
    at.query_params["scene"] = "drowning"
    visit(at, TOUR)
    button(at, "Open this in the lab").click().run()
    assert [title.value for title in at.title] == [menu.page("Accuracy").heading]
    assert at.selectbox(key="entry: accuracy along").value == "n"
    assert json.loads(at.get("plotly_chart")[0].proto.spec)["layout"]["xaxis"]["title"]["text"] == "Total count n"


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


def test_the_lab_never_replaces_a_persons_own_counts() -> None:
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
    assert "n = 90" in bare("\n".join(text.value for text in at.main.markdown))
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


def test_the_limit_lies_below_every_mechanism_at_every_epsilon() -> None:
    found = result(next(scene for scene in SCENES if scene.key == "limit"))
    assert (found.times[0] >= found.times[1] - 1e-9).all() and (found.times[1] >= 1 - 1e-6).all()
    assert (np.diff([one.value for one in found.limits]) < 0).all()
