"""What a page gives away: each table and chart as CSV, each chart as a page of its own, and all of it in one ZIP."""

import io
import json
import re
import zipfile
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import dpbi
from dpbi.dashboard.shown import downloads
from dpbi.dashboard.take_away import script
from dpbi.dashboard.words import handover
from dpbi.figures.chart_data import chart_data
from dpbi.figures.html_page import html_page
from dpbi.problem.neighbours import RELATION
from tests.dashboard import exports
from tests.dashboard.exports import assert_page, made
from tests.dashboard.person import HOSTILE, QUIET, ROOT, opened, typed, visit
from tests.dashboard.test_scenario_file import LAB, Files

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
    frame = exports.read(files["dpbi-sensitivity-chart.csv"]())
    problem = dpbi.Problem((1, 1, 1), (2, 0, 3))
    shares = frame[["Category 1", "Category 2", "Category 3"]]
    assert list(shares.sum(axis=1)) == pytest.approx([1.0] * len(frame), rel=1e-6)
    values = frame["Value"].dropna()
    assert values.min() > 0
    assert values.max() == pytest.approx(dpbi.global_sensitivity(problem.prior, problem.n), rel=1e-6)
    visit(typed(at, "2 3"), "pages/1_Private_posteriors.py")
    frame = exports.read(files["dpbi-posteriors-chart.csv"]())
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


def test_streamlits_own_table_export_is_off() -> None:
    assert "disableDataExport = true" in (ROOT / ".streamlit/config.toml").read_text("utf-8")


@pytest.mark.parametrize("ask", [lambda: st.session_state.get("x"), lambda: st.session_state.setdefault("x", 1)])
def test_no_file_is_made_of_a_session_that_is_not_there(offered: list[Any], ask: Any) -> None:
    """Where Streamlit has none it gives an empty one, the same to everybody; ``record`` makes every file so."""
    downloads.offer("x", ask, "dpbi-x.csv", "text/csv")
    with pytest.raises(RuntimeError, match="could not be made"):
        offered[0][0]()
    with pytest.raises(RuntimeError, match="of what the run that drew its button knew"):
        downloads.apart(ask)
