"""Every page's script, run as it stands: its numbers are those on the page, to 1e-9, and it needs dpbi and numpy."""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import io
import math
import os
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import dpbi
from dpbi import MECHANISMS
from dpbi.dashboard.sidebar import controls, prior
from dpbi.dashboard.take_away import script
from dpbi.dashboard.views import score_study
from dpbi.dashboard.words import words
from dpbi.papers.claims import CLAIMS, Setting
from dpbi.papers.figures import FIGURES
from tests.conftest import could_not_run
from tests.dashboard.person import ALL, EXAMPLE, ROOT, charts, opened, select, text, tick, typed, unfold, visit
from tests.dashboard.test_scenario_file import LAB, SLOW, Files, record

WITH_SCRIPT = [page.path for page in LAB if page.title in script.PAGES and page.path != SLOW]
# k = 2 with a calibrated mechanism; k = 3 with zeros; more outputs than are listed, so sampled laws.
DATA = ("48 42", "5 0 7", "90 80 70 60 50 40")


def snippet(at: AppTest) -> str:
    return next(code.value for code in unfold(at, "Copy as Python").main.code if code.language == "python")


def run(program: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(program, "script.py", "exec"), found)
    return found


def compare(frame: Any, rows: list[dict[str, Any]]) -> int:
    """Each number of the page's table against the script's row; how many there were."""
    compared = 0
    rows = [row for row in rows if row.get("Draw", 1) <= 50]  # as many as the page shows
    assert len(frame) == len(rows)
    for (_, line), row in zip(frame.iterrows(), rows, strict=True):
        for place, (column, value) in enumerate(line.items()):
            answer = list(row.values())[place] if column.startswith("alpha of ") else row.get(column)
            if isinstance(value, float) and math.isnan(value):
                assert answer is None, column
            elif isinstance(value, int | float | np.number) and not isinstance(value, bool):
                assert answer is not None, column
                assert float(answer) == pytest.approx(float(value), rel=1e-9, abs=1e-9), column
                compared += 1
            elif column in ("Mechanism", "Prior expects"):
                assert answer == value
    return compared


def assert_tables_agree(at: AppTest, files: Files, found: dict[str, Any]) -> None:
    names = [name for name in files if re.fullmatch(r"dpbi-[a-z-]+(?<!-chart)\.csv", name)]
    assert len(names) == len(at.main.dataframe)
    for name, frame in zip(names, at.main.dataframe, strict=True):
        assert compare(frame.value, found["tables"][name[5:-4]])


@pytest.mark.parametrize("counts", DATA)
def test_each_script_gives_the_numbers_of_its_page(monkeypatch: pytest.MonkeyPatch, counts: str) -> None:
    files = record(monkeypatch)
    at = typed(tick(opened(), ALL if counts == DATA[0] else ALL - {MECHANISMS[-1].__name__}), counts)
    if counts == DATA[0]:
        at.checkbox(key=f"entry: calibrated: {MECHANISMS[0].__name__}").check().run()
        text(select(at, "prior", prior.SYMMETRIC), "strength", "0.5")
    text(at, "epsilon", "0.7")
    for page in WITH_SCRIPT:
        files.clear()
        visit(at, page)
        if page.endswith("Distance_curves.py"):
            at.segmented_control(key="entry: view").set_value(controls.CUMULATIVE).run()
        if page.endswith("loss.py") and counts == DATA[0]:
            at.button[[button.label for button in at.button].index("Calibrate")].click().run()
        found = run(snippet(at))
        assert_tables_agree(at, files, found)
        if at.main.metric:
            assert [metric.value for metric in at.main.metric] == [words.number(v) for v in found["metrics"].values()]


def test_the_script_of_many_laws_gives_the_numbers_of_its_page(monkeypatch: pytest.MonkeyPatch) -> None:
    files = record(monkeypatch)
    quick = [kind.__name__ for kind in MECHANISMS if not kind(1.0).probability_of_ignoring(EXAMPLE)]
    at = tick(opened(), set(quick[-2:]))
    for setting, value in (("accuracy along", "epsilon"), ("accuracy in", "l1"), ("wanted distance", "0.07")):
        at.session_state["settings"][setting] = value
    files.clear()
    visit(at, SLOW)
    found = run(snippet(at))
    assert_tables_agree(at, files, found)
    assert len(found["tables"]["accuracy"]) > 30
    assert found["tables"]["required-epsilon"]


def test_the_curves_of_a_script_are_those_of_the_chart() -> None:
    at = typed(opened(), "5 7 9")
    for page, table, columns in (
        ("pages/3_Sensitivity.py", "score-change", ("Moved", "Change")),
        ("pages/4_Privacy_loss.py", "attained", ("Released", "Here")),
    ):
        visit(at, page)
        found = run(snippet(at))["tables"][table]
        assert found
        drawn = next(chart for chart in at.get("plotly_chart") if chart.proto.id.endswith(f"chart: {table}"))
        spec = charts(at)[at.get("plotly_chart").index(drawn)]
        assert any(len(trace.get("y", {})) for trace in spec["data"])
        assert all(set(columns) <= row.keys() for row in found)


@pytest.mark.parametrize("view", controls.VIEWS)
def test_each_view_has_its_curve(view: str) -> None:
    at = visit(opened(), "pages/2_Distance_curves.py")
    at.segmented_control(key="entry: view").set_value(view).run()
    found = run(snippet(at))
    for place, probability in found["curves"].values():
        assert len(place) == len(probability)


def test_a_script_uses_the_public_names_alone_and_no_label() -> None:
    at = typed(opened(), "secret-name, 30\nother, 12")
    for page in WITH_SCRIPT:
        text_of_script = snippet(visit(at, page))
        assert "secret-name" not in text_of_script
        tree = ast.parse(text_of_script)
        imported = {name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names}
        assert imported <= {"dpbi", "numpy", "dataclasses"}
        assert not [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
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
    assert metadata.version("dpbi") == dpbi.__version__


def test_a_script_without_dpbi_says_where_it_is() -> None:
    programs = [snippet(opened()), script.of_claim(CLAIMS[0].name, Setting(EXAMPLE)), score_study.SCRIPT,
                script.of_figure(FIGURES[0].key, 1)]  # fmt: skip
    for program in programs:
        needs_dpbi = next(line for line in program.splitlines() if re.match(r"(import|from) dpbi", line))
        assert needs_dpbi.endswith(words.SCRIPT_NEEDS), "the error quotes this line"


def test_without_records_there_is_nothing_to_copy_where_nothing_is_shown() -> None:
    at = typed(opened(), "0 0")
    for page in WITH_SCRIPT:
        visit(at, page)
        scripts = [code.value for code in unfold(at, "Copy as Python").main.code]
        assert bool(scripts) == (page.rpartition("_")[2] not in ("Sensitivity.py", "loss.py"))
        for program in scripts:
            run(program)


def test_a_constructor_names_every_field() -> None:
    for kind in MECHANISMS:
        built = script._constructed(kind(0.5))
        assert eval(built, {"dpbi": dpbi}) == kind(0.5)
        assert all(f"{field.name}=" in built for field in dataclasses.fields(kind) if field.name != "calibration")
