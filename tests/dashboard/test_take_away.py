"""What a page gives away: each table and chart as CSV, each chart as a page of its own, all of it in one ZIP; and every
page's script, run as it stands: its tables and curves are the page's, value by value, from public names."""

import ast
import contextlib
import dataclasses
import html
import importlib.util
import io
import json
import os
import re
import subprocess
import sys
import zipfile
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import dpbi
from dpbi.dashboard.shown import downloads, tables
from dpbi.dashboard.sidebar import controls, prior
from dpbi.dashboard.take_away import scenario_file, script
from dpbi.dashboard.views import local_loss, public_rate, score_study
from dpbi.dashboard.words import handover, words
from dpbi.figures.chart_data import chart_data
from dpbi.figures.html_page import html_page
from dpbi.papers.claims import CLAIMS, Setting
from dpbi.papers.figures import FIGURES
from dpbi.problem.neighbours import RELATION
from dpbi.tour import SCENES
from tests.conftest import could_not_run
from tests.dashboard.exports import assert_chart, assert_page, decoded, made, name_of, read
from tests.dashboard.person import (
    ALL,
    EXAMPLE,
    HOSTILE,
    QUIET,
    ROOT,
    check,
    everything,
    opened,
    select,
    text,
    tick,
    typed,
    unfold,
    visit,
)
from tests.dashboard.test_scenario_file import LAB, SLOW, Files

WITH_SCRIPT = [page.path for page in LAB if page.title in script.PAGES and page.path != SLOW]
# k = 2 with a calibrated mechanism; k = 3 with zeros; more outputs than are listed, so sampled laws.
EPSILON = 0.7
DATA = ("48 42", "5 0 7", "90 80 70 60 50 40")


def snippet(at: AppTest) -> str:
    return next(code.value for code in unfold(at, "Copy as Python").main.code if code.language == "python")


def run(program: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the script computed, its figures by their names; as without plotly, it writes no file."""
    found: dict[str, Any] = {}
    with monkeypatch.context() as without, contextlib.redirect_stdout(io.StringIO()):
        without.setattr(importlib.util, "find_spec", lambda name: None)
        exec(compile(program, "script.py", "exec"), found)
    return found | {"drawn": dict(found["figures"]())}


def assert_the_same(at: AppTest, files: Files, found: dict[str, Any]) -> None:
    """The page's tables and charts are the script's, and the files': as many cells and points, with the same values."""
    n = found["problem"].n
    for taken in assert_page(at, made(files)).values():
        assert len(taken) and set(taken["Setting: Seed"]) == {1}
        (epsilon,) = set(taken["Setting: epsilon"])
        assert set(taken["Setting: n"]) == {n} and epsilon == found.get("epsilon", epsilon)
    assert all(name.isascii() for name in files)
    tabled = {table.name: table for table in found["tables"]}
    names = [name[5:-4] for name in files if re.fullmatch(r"dpbi-[a-z-]+(?<!-chart)\.csv", name)]
    for name, frame in zip(names, at.main.dataframe, strict=True):
        taken = tables.frame(tabled[name]).head(len(frame.value))
        assert taken.shape == frame.value.shape, name
        for (column, values), title in zip(frame.value.items(), taken, strict=True):
            if pd.api.types.is_numeric_dtype(values):
                np.testing.assert_allclose(taken[title], values.astype(float), 1e-9, 1e-12, err_msg=column)
            elif column != "Category":  # a script has no labels
                assert list(taken[title]) == list(values), column
            assert title == column or column.startswith("alpha of ")
    specs = {name_of(chart): json.loads(chart.proto.spec) for chart in at.get("plotly_chart")}
    aside = {"neighbour", "moves", "curve", "tally"}
    assert specs.keys() - aside == found["drawn"].keys(), "what is explained, or played, is no number of the page"
    for name, figure in found["drawn"].items():
        title_by_labels(figure, specs[name]["layout"])
        assert_chart(downloads.figure_csv(figure, {}), specs[name])
        for title in DRAWN.get(name, ()) if name in tabled else ():
            values, drawn = (np.array(one, float) for one in (tabled[name].values.get(title, ()), numbers(specs[name])))
            assert np.abs(values[:, None] - drawn).min(1, initial=0).max(initial=0) <= 1e-6 * np.abs(drawn).max(), title
    if at.main.metric:
        kinds = tabled["sensitivities"].values["H"]
        assert [metric.value for metric in at.main.metric] == [words.number(value) for value in kinds]


def title_by_labels(figure: go.Figure, layout: dict[str, Any]) -> None:
    """Axes that a page titles by labels, which a script has not."""
    if "ternary" in layout:
        figure.update_layout(ternary=layout["ternary"])
    elif "xaxis2" in layout and layout["xaxis2"].get("visible") is False:
        figure.update_layout(xaxis={"title": layout["xaxis"]["title"]})


DRAWN = {  # the columns of points that a chart draws as they are
    "sensitivity": ("local", "reciprocal", "exponential", "value"), "score-change": ("moved", "change"),
    "attained": ("here", "there"), "size": ("n", "epsilon"), "profile": ("epsilons", "deltas"),
}  # fmt: skip


def numbers(spec: dict[str, Any]) -> list[float]:
    """All that a chart draws, colours by value too."""
    parts = [part for trace in spec["data"] for part in (trace, trace.get("marker") or {})]
    drawn = [decoded(part.get(name)) or [] for part in parts for name in ("x", "y", "color", "customdata")]
    return [value for one in drawn for value in one if isinstance(value, int | float)]


@pytest.mark.parametrize("counts", DATA)
def test_each_script_gives_the_numbers_of_its_page(files: Files, monkeypatch: pytest.MonkeyPatch, counts: str) -> None:
    quick = [kind.__name__ for kind in dpbi.MECHANISMS[:-1]]
    ticked = {DATA[0]: ALL, DATA[1]: {*quick[::2]}, DATA[2]: {*quick[1::2]}}
    at = typed(tick(opened(), ticked[counts]), counts)
    if counts == DATA[0]:
        check(at, f"calibrated: {dpbi.MECHANISMS[0].__name__}")
        text(select(at, "prior", prior.SYMMETRIC), "strength", "0.5")
    text(at, "epsilon", f"{EPSILON}")
    for page in WITH_SCRIPT:
        visit(at, page)
        if page.endswith("Distance_curves.py"):
            at.segmented_control(key="entry: view").set_value(controls.CUMULATIVE).run()
        if page.endswith("loss.py") and counts == DATA[0]:
            at.button[[button.label for button in at.button].index("Calibrate")].click().run()
        assert_the_same(at, files, run(snippet(at), monkeypatch))


def test_the_script_averages_what_its_page_does(files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = {next(kind.__name__ for kind in dpbi.MECHANISMS if kind.draws_quickly == quickly) for quickly in (0, 1)}
    at = typed(tick(opened(), chosen), "12000 9000")
    assert at.main.dataframe[0].value[dpbi.tables.TIMES_LIMIT].isna().tolist().count(True) == 1
    assert_the_same(at, files, run(snippet(at), monkeypatch))


def test_the_script_of_many_laws_gives_the_numbers_of_its_page(files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    """Averages: test_page_accuracy."""
    quick = [kind.__name__ for kind in dpbi.MECHANISMS if not kind(1.0).probability_of_ignoring(EXAMPLE)]
    at = tick(opened(), set(quick[-2:]))
    at.session_state["settings"] |= {"accuracy along": "epsilon", "accuracy in": "l1", "wanted distance": "0.07"}
    visit(at, SLOW)
    found = run(snippet(at), monkeypatch)
    assert_the_same(at, files, found)
    assert all(len(table) for table in found["tables"] if table.name != "crossovers")


@pytest.mark.parametrize(("setting", "value"), [
    *(("view", view) for view in controls.VIEWS), *(("reading", reading) for reading in controls.READINGS[1:]),
])  # fmt: skip
def test_each_view_and_reading_has_its_curves_and_draws(
    files: Files, monkeypatch: pytest.MonkeyPatch, setting: str, value: str
) -> None:
    at = opened()
    at.session_state["settings"] |= {setting: value}
    visit(at, WITH_SCRIPT[2] if setting == "view" else WITH_SCRIPT[1])
    found = run(snippet(at), monkeypatch)
    assert_the_same(at, files, found)
    for table in found["tables"]:
        assert table.name in str(table) and all(title in str(table) for title in table.values)
    if setting == "reading":
        assert "naive / nearest / noise-aware" in everything(at)


def test_a_script_uses_the_public_names_alone_and_no_label() -> None:
    at = typed(opened(), "secret-name, 30\nother, 12")
    for page in WITH_SCRIPT:
        text_of_script = snippet(visit(at, page))
        assert "secret-name" not in text_of_script
        tree = ast.parse(text_of_script)
        imported = {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
        assert imported <= {"dpbi", "numpy", "dataclasses", "importlib.util", "itertools"}
        assert {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)} <= {"dpbi.figures"}
        used = {
            node.attr
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "dpbi"
        }
        assert used
        assert used <= set(dpbi.__all__)


def ran_elsewhere(folder: Path, program: str, *options: str) -> tuple[str, str]:
    """What a script in this folder writes, and what it complains of, that has no more than what is installed."""
    (folder / "script.py").write_text(program, "utf-8")
    bare = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run([sys.executable, *options, folder / "script.py"], env=bare, cwd=folder, capture_output=True,
                          text=True, encoding="utf-8", check=False)  # fmt: skip
    return done.stdout, done.stderr


def test_a_script_runs_from_elsewhere_as_its_words_say(tmp_path: Path) -> None:
    where, _ = ran_elsewhere(tmp_path, "import dpbi; print(dpbi.__file__)")
    if Path(where.strip()) != ROOT / "dpbi/__init__.py":
        could_not_run("A script elsewhere", "this folder's requirements.txt is not installed")
    said, failed = ran_elsewhere(tmp_path, snippet(opened()))
    assert not failed
    assert "comparison" in said
    assert (tmp_path / "home.html").stat().st_size > 1e6
    assert metadata.version("dpbi") == dpbi.__version__


def test_a_script_has_its_settings_at_the_top_and_says_where_dpbi_is() -> None:
    programs = [snippet(opened()), script.of_claim(CLAIMS[0].name, Setting(EXAMPLE)),
                score_study.script_of((1.0, 1.0), 8, 1.0), public_rate.SCRIPT, local_loss.SCRIPT,
                script.of_figure(FIGURES[0].key, 1)]  # fmt: skip
    for program in programs:
        needs_dpbi = next(line for line in program.splitlines() if re.match(r"(import|from) dpbi", line))
        assert needs_dpbi.endswith(handover.SCRIPT_NEEDS), "the error quotes this line"
        top = [node for node in ast.parse(program).body if not isinstance(node, ast.Expr | ast.Import | ast.ImportFrom)]
        assert all(isinstance(node, ast.Assign) for node in top[:2])
        assert not [node for line in top[:2] for node in ast.walk(line) if isinstance(node, ast.Call)]


def test_without_records_there_is_nothing_to_copy_where_nothing_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    at = typed(opened(), "0 0")
    for page in WITH_SCRIPT:
        visit(at, page)
        scripts = [code.value for code in unfold(at, "Copy as Python").main.code]
        assert bool(scripts) == (page.rpartition("_")[2] not in ("Sensitivity.py", "loss.py", "answer.py"))
        for program in scripts:
            run(program, monkeypatch)


def test_a_constructor_names_every_field() -> None:
    for kind in dpbi.MECHANISMS:
        built = script._constructed(kind(0.5), {"epsilon": 0.5})
        assert eval(built, {"dpbi": dpbi, "epsilon": 0.5}) == kind(0.5)
        assert all(f"{field.name}=" in built for field in dataclasses.fields(kind) if field.name != "calibration")
        assert "epsilon=epsilon" in built


# --- files ---

ELSEWHERE = re.compile(r"""(?:src|href|action)\s*=\s*["']?\s*(?:https?:)?//""", re.IGNORECASE)


@pytest.mark.parametrize("label", ["epsilon", "Setting: n", "x"])
def test_no_column_is_lost_to_another_of_its_name(files: Files, label: str) -> None:
    """Labels are titles of columns: of a map's corners, and of what is released."""
    at = typed(opened(QUIET), f"{label}, 3\none, 4\nother, 2")
    assert (label in assert_page(at, made(files))["dpbi-sensitivity-chart.csv"]) != (label == "x")
    typed(at, f"{label}, 3\na, 4\na\u200b, 2\na (2), 5")
    taken = assert_page(visit(at, "pages/1_Private_posteriors.py"), made(files))
    assert len([name for name in taken["dpbi-parameters.csv"] if name.startswith("alpha of ")]) == 4


def test_a_charts_rows_are_its_points() -> None:
    figure = go.Figure(
        [
            go.Scatter(x=[1, 2, None, 3], y=[0.5, 0.25, None, 0.125], name="<b>one</b> &amp; all", mode="lines"),
            go.Scatter(x0=0.5, dx=0.25, y=[1, 2], name="even"),
            go.Scatter(x=[None], y=[None], name="for the legend"),
            go.Bar(x=[3], y=[1], name="bar"),
        ]
    )
    figure.update_xaxes(title_text="distance").update_yaxes(tickvals=[0, 1], ticktext=["zero", "one"])
    found = chart_data(figure)
    assert found == {
        "Series": ["one & all"] * 3 + ["even"] * 2 + ["bar"],
        "Line": [1, 1, 2, 1, 1, 1],
        "Category": ["zero", "zero", "zero", "one", "one", "one"],
        "distance": [1, 2, 3, 0.5, 0.75, 3],
    }
    stored = go.Figure(json.loads(go.Figure(figure).to_json()))
    assert chart_data(stored) == found


def test_intervals_have_their_ends() -> None:
    figure = go.Figure(
        [
            go.Scatter(x=np.array([0.5, 0.7], np.float32), y=[-0.1, -0.2], name="along x", error_x={
                "array": np.array([0.1, 0.2], np.float32), "arrayminus": np.array([0.05, 0.3], np.float32)}),
            go.Scatter(x=[1], y=[2], name="along y", error_y={"array": [0.25]}),
            go.Bar(base=[0.25], x=[0.5], y=["one"], orientation="h", name="bar"),
            go.Scatter(x=[3], y=[4], name="none"),
        ]
    )  # fmt: skip
    found = chart_data(figure.update_xaxes(title_text="share"))
    assert found["Series"] == ["along x", "along x", "along y", "bar", "none"]
    assert found["From"] == [0.45, 0.4, 1.75, 0.25, None]
    assert found["To"] == [0.6, 0.9, 2.25, 0.75, None]
    assert found["share"] == [0.5, 0.7, 1, None, 3], "a bar's length is no place"
    assert found["y"] == [None, None, 2, "one", 4]


def test_a_map_has_its_values_and_panels_their_titles(files: Files) -> None:
    at = typed(opened(QUIET), "2 0 3")
    frame = read(files["dpbi-sensitivity-chart.csv"]())
    problem = dpbi.Problem((1, 1, 1), (2, 0, 3))
    shares = frame[["Category 1", "Category 2", "Category 3"]]
    assert list(shares.sum(axis=1)) == pytest.approx([1.0] * len(frame), rel=1e-6)
    values = frame["Value"].dropna()
    assert values.min() > 0
    assert values.max() == pytest.approx(dpbi.global_sensitivity(problem.prior, problem.n), rel=1e-6)
    visit(typed(at, "2 3"), "pages/1_Private_posteriors.py")
    frame = read(files["dpbi-posteriors-chart.csv"]())
    ticked = [kind.label for kind in dpbi.MECHANISMS if kind.label in set(frame["Panel"])]
    assert len(ticked) == 4 == frame["Panel"].nunique()


def test_a_figures_page_stands_alone(files: Files) -> None:
    visit(typed(opened(), f"{HOSTILE}, 12\nplain, 8"), "pages/1_Private_posteriors.py")
    page = files["dpbi-posteriors.html"]().decode()
    head, _, rest = page.partition("</script>")
    assert len(head) > 4e6, "plotly.js is inside"
    assert not ELSEWHERE.search(rest)
    assert "<img" not in rest.replace("\\u003cimg", "")
    assert "sendChartToCloud" in rest.partition("modeBarButtonsToRemove")[2][:80]
    assert "Data = Counts typed in, n = 20, Prior = Beta(1, 1), epsilon = 1" in rest


def test_a_page_that_shares_plotly_names_it_beside_itself() -> None:
    figure = go.Figure(go.Scatter(x=[1], y=[2])).update_layout(meta={"alt": "a < b"})
    page = html_page(figure, "dpbi-x", ["c & d"], embedded=False)
    assert '<script src="plotly.min.js"></script>' in page
    assert "<p>a &lt; b</p>" in page and "<p>c &amp; d</p>" in page
    assert len(page) < 20_000


def report(files: Files) -> bytes:
    (made,) = [make for name, make in files.items() if name.endswith(".zip")]
    return made()


@pytest.mark.parametrize("page", ["app.py", "pages/6_Papers.py"])
def test_a_report_holds_all_that_the_page_shows(files: Files, page: str) -> None:
    """With its script and without; every page's: tests/browser."""
    at: AppTest = opened()
    visit(at, page)
    written = report(files)
    packed = zipfile.ZipFile(io.BytesIO(written))
    assert packed.testzip() is None
    listed = [name.removeprefix("dpbi/") for name in packed.namelist()]
    title = next(found.title for found in LAB if found.path == page)
    assert ("script.py" in listed) == (title in script.PAGES)
    assert len([name for name in listed if name.startswith("tables/")]) == len(at.main.dataframe)
    charts = [name for name in listed if name.startswith("figures/") and name.endswith(".html")]
    assert len(charts) == len(at.get("plotly_chart"))
    assert ("figures/plotly.min.js" in listed) == bool(charts)
    readme = packed.read("dpbi/README.txt").decode()
    assert all(name in readme for name in listed if name != "README.txt")
    assert RELATION in readme and handover.REPORT_WARNING in readme
    assert re.search(rf"dpbi +{re.escape(dpbi.__version__)}\n", readme)
    assert all(re.search(rf"  {package} +\d", readme) for package in ("python", "numpy", "scipy"))
    assert "counts" not in json.loads(packed.read("dpbi/settings.json"))
    assert report(files) == written


def test_the_tours_report_has_every_scene_revealed_and_the_speakers_notes(files: Files) -> None:
    at = opened("pages/0_Tour.py")
    assert [*files] and [name for name in files if name.endswith(".zip")] == ["dpbi-tour.zip"]
    packed = zipfile.ZipFile(io.BytesIO(report(files)))
    listed = [name.removeprefix("dpbi/") for name in packed.namelist()]
    scenes = [f"{place}-{scene.key}" for place, scene in enumerate(SCENES, 1)]
    assert [name[8:-5] for name in listed if name.endswith(".html") and name.startswith("figures/")] == scenes
    assert all(len(read(packed.read(f"dpbi/figures/{scene}.csv"))) > 10 for scene in scenes)
    readme = packed.read("dpbi/README.txt").decode()
    assert all(name in readme for name in listed if name != "README.txt")
    assert handover.SCENES_WARNING in readme and handover.REPORT_WARNING not in readme
    assert scenario_file.restored(scenario_file.from_json(packed.read("dpbi/settings.json"))).notices == []
    notes = packed.read("dpbi/notes.html").decode()
    assert not ELSEWHERE.search(notes) and "<script" not in notes and "@media print" in notes
    assert sum(scene.notes.minutes for scene in SCENES) == 20 and "20 minutes in all" in notes
    for scene in SCENES:
        told = scene.heading, scene.question, scene.notes.say, scene.notes.ask, scene.sentence(scene.result())
        assert all(html.escape(part) in notes for part in told)
    at.toggle(key="entry: talk").set_value(True).run()
    assert not [name for name in files if name.endswith(".zip")], "in a room nothing is taken away"


@pytest.fixture
def offered(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What is behind each button that is offered, and what its press does."""
    found: list[Any] = []
    monkeypatch.setattr(st, "download_button", lambda label, file, on_click, **rest: found.append((file, on_click)))
    return found


def test_a_file_that_cannot_be_made_says_nothing_of_the_data(offered: list[Any]) -> None:
    downloads.offer("x", lambda: dict[str, bytes]()["a label of somebody's"], "dpbi-x.csv", "text/csv")
    with pytest.raises(RuntimeError, match=r"^dpbi-x.csv could not be made: KeyError$") as failure:
        offered[0][0]()
    assert failure.value.__suppress_context__


def test_no_file_is_still_to_be_made_where_its_press_runs_the_page(offered: list[Any]) -> None:
    """A run that begins drops the answer that says where such a file lies: one press in thirty had waited in vain."""
    downloads.offer("x", lambda: b"1", "dpbi-x.csv", "text/csv")
    downloads.offer("x", lambda: b"2", "dpbi-x.csv", "text/csv", then=print)
    (later, ignored), (ready, runs) = offered
    assert later() == b"1" and ignored == "ignore" and ready == b"2" and runs is print


@pytest.mark.parametrize("ask", [lambda: st.session_state.get("x"), lambda: st.session_state.setdefault("x", 1)])
def test_no_file_is_made_of_a_session_that_is_not_there(offered: list[Any], ask: Any) -> None:
    """Where Streamlit has none it gives an empty one, the same to everybody; ``record`` makes every file so."""
    downloads.offer("x", ask, "dpbi-x.csv", "text/csv")
    with pytest.raises(RuntimeError, match="could not be made"):
        offered[0][0]()
    with pytest.raises(RuntimeError, match="of what the run that drew its button knew"):
        downloads.apart(ask)
