"""Every download of every page pressed in the running app, as a browser presses it, and held against the page."""

import io
import json
import zipfile
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from dpbi import Release
from dpbi.dashboard.sidebar import menu
from dpbi.dashboard.take_away import scenario_file
from dpbi.dashboard.words import release as release_words
from dpbi.releases.ledger import Ledger
from dpbi.tour import SCENES
from tests.browser.chromium import App, running_app
from tests.browser.test_browser import NOISE
from tests.dashboard.exports import assert_drawn, assert_page, name_of
from tests.dashboard.served import Session

pytestmark = pytest.mark.browser
# Along epsilon, which is a setting that every file names too.
LINK = "source=counts-typed-in&labels=Ahorn,Buche&counts=7,5&epsilon=0.75&accuracy_axis=epsilon"


def written(visitor: Session, kind: str) -> list[str]:
    """What the elements of one kind say, top to bottom."""
    return [getattr(one, "value", "") for one in visitor.page.get(kind)]


def every_file(visitor: Session) -> dict[str, bytes]:
    return {name: visitor.press(button) for name, button in visitor.downloads().items()}


def assert_nothing_was_missed(app: App) -> None:
    """A session that a file asked for at its press, say."""
    assert not [said for said in ("ScriptRunContext", "could not be made", "Traceback") if said in app.log]


def assert_report(packed: bytes, files: dict[str, bytes], charts: dict[str, Any]) -> None:
    """The tables and charts of the page, as they are by themselves, each named in README.txt."""
    with zipfile.ZipFile(io.BytesIO(packed)) as report:
        held = {name.removeprefix("dpbi/"): report.read(name) for name in report.namelist()}
    readme = held.pop("README.txt").decode()
    assert all(name in readme for name in held)
    single = {name[5:-4]: content for name, content in files.items() if name.endswith(".csv")}
    for name, spec in charts.items():
        assert_drawn(held.pop(f"figures/{name}.html"), spec)
        assert held.pop(f"figures/{name}.csv") == single.pop(f"{name}-chart")
    for name, content in single.items():
        assert held.pop(f"tables/{name}.csv") == content
    assert held.pop("settings.json") == files["dpbi-settings.json"]
    assert b"counts = (7, 5)" in held.pop("script.py", b"counts = (7, 5)")
    assert [*held] == ["figures/plotly.min.js"] * bool(charts)


def assert_holds_the_page(visitor: Session, files: dict[str, bytes]) -> None:
    """Its tables and charts, each by itself and in the report, and its settings."""
    assert_page(visitor.page, files)
    charts = {name_of(chart): json.loads(chart.proto.spec) for chart in visitor.page.get("plotly_chart")}
    for name, spec in charts.items():
        assert_drawn(files[f"dpbi-{name}.html"], spec)
    if settings := files.get("dpbi-settings.json"):
        document = scenario_file.from_json(settings)
        assert (document["epsilon"], document["n"], document["accuracy_axis"]) == (0.75, 12, "epsilon")
        assert "counts" not in document
    for name, content in files.items():
        if name.endswith(".zip") and name != "dpbi-tour.zip":  # of all scenes: tests/dashboard/test_take_away
            assert_report(content, files, charts)


def test_every_download_of_every_page_holds_what_the_page_shows(app: App) -> None:
    pressed = 0
    scenes = [(menu.page(menu.TOUR), scene) for scene in SCENES[1:]]
    for page, scene in [*((page, SCENES[0]) for page in menu.PAGES), *scenes]:
        path = PurePosixPath(page.path).stem.partition("_")[2]
        with Session(app.url, path, f"{LINK}&mechanisms={NOISE}&scene={scene.key}") as visitor:
            assert written(visitor, "title") == [page.heading]
            assert page.title != menu.TOUR or scene.heading in written(visitor, "header")
            assert not [one for one in visitor.page.main.warning if "except" in one.value], "the link is taken whole"
            files = every_file(visitor)
            assert_holds_the_page(visitor, files)
            pressed += len(files)
    assert pressed >= 2 * len(SCENES) + 60
    assert_nothing_was_missed(app)


def release_once(visitor: Session) -> None:
    for box in visitor.page.main.checkbox:
        visitor.run(box, bool_value=True)
    button = next(one for one in visitor.page.main.button if one.label.startswith("Release once with"))
    visitor.run(button, trigger_value=True)


def test_every_download_of_a_release_holds_it_where_the_ledger_is_shared(tmp_path: Path) -> None:
    started = running_app(tmp_path, "--ledger", str(tmp_path / "releases.sqlite"), "--budget", "2")
    with started as app, Session(app.url, "Release", f"{LINK}&mechanisms={NOISE.partition(',')[0]}") as visitor:
        for label, said in (("Whose answers these are", "Survey"), ("What was asked", "Which tree?")):
            entry = next(one for one in visitor.page.main.text_input if one.label == label)
            visitor.run(entry, string_value=said)
        release_once(visitor)
        visitor.run(visitor.page.main.radio[0], string_value=release_words.SAME)
        release_once(visitor)
        files = every_file(visitor)
        assert_holds_the_page(visitor, files)
        shown = [frame.value for frame in visitor.page.main.dataframe]
        assert "read-together-chart" in " ".join(files), "both are stated to be of one table"
        entries = Ledger.from_json(files.pop("dpbi-ledger.json")).entries
        listed = next(frame for frame in shown if "Time (UTC)" in frame)
        assert [(entry.time, entry.n) for entry in entries] == [*zip(listed["Time (UTC)"], listed["n"], strict=True)]
        assert len(entries) == 2
        stem = next(name for name in files if name.startswith("dpbi-release") and name.endswith(".md"))[:-3]
        made = Release.from_json(files[f"{stem}.json"])
        assert [*made.released] == [*next(frame for frame in shown if "Released" in frame)["Released"]]
        for kind in ("md", "html"):
            said = files[f"{stem}.{kind}"].decode()
            assert all(str(count) in said for count in made.released) and made.guarantee.words in said
        programs = written(visitor, "code")
        assert all(files[f"{stem}.{kind}"].decode().strip() in programs for kind in ("py", "R"))
        assert_nothing_was_missed(app)
