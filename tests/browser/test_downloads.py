"""Every download of every page pressed in the running app, as a browser presses it, and held against the page."""

import io
import json
import re
import struct
import zipfile
import zlib
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, expect

from dpbi import MECHANISMS, Problem, Release
from dpbi.dashboard.sidebar import menu
from dpbi.dashboard.take_away import scenario_file
from dpbi.dashboard.words import release as release_words
from dpbi.figures.html_page import PLOTLY_FILE, html_page
from dpbi.figures.posteriors import released_posteriors
from dpbi.inference.private_posteriors import sample_posteriors
from dpbi.releases.ledger import Ledger
from dpbi.tour import SCENES
from tests.browser.chromium import App, running_app, watched_page
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
    script = held.pop("script.py", b"counts = (7, 5)")
    if "settings.json" in held:  # a page of other data than the sidebar's has none
        settings = held.pop("settings.json")
        assert settings == files["dpbi-settings.json"]
        assert b"counts = (7, 5)" in script or "n" not in json.loads(settings)
    held.pop("answers.md", None)  # of Groups: tests/dashboard/test_page_groups
    assert [*held] == ["figures/plotly.min.js"] * bool(charts)


def assert_holds_the_page(visitor: Session, files: dict[str, bytes]) -> None:
    """Its tables and charts, each by itself and in the report, and its settings."""
    assert_page(visitor.page, files)
    charts = {name_of(chart): json.loads(chart.proto.spec) for chart in visitor.page.get("plotly_chart")}
    for name, spec in charts.items():
        assert_drawn(files[f"dpbi-{name}.html"], spec)
    if settings := files.get("dpbi-settings.json"):
        document = scenario_file.from_json(settings)
        assert document["epsilon"] == 0.75
        if "n" in document:  # of the sidebar's data
            assert (document["n"], document["accuracy_axis"]) == (12, "epsilon")
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


def words_of(pdf: bytes) -> int:
    """How many runs of letters are put on its sheets: none where letters are drawn as shapes."""
    found = 0
    for stream in re.findall(rb"stream\r?\n(.*?)\r?\nendstream", pdf, re.DOTALL):
        with suppress(zlib.error):
            found += len(re.findall(rb"\bT[jJ]\b", zlib.decompress(stream)))
    return found


SEEN = "() => [...document.querySelectorAll('body > *')].filter(one => one.checkVisibility()).map(one => one.id)"


def test_a_figures_page_prints_its_picture_alone_at_the_chosen_width(browser: Browser, tmp_path: Path) -> None:
    """On one sheet of its size, words as words of a size that is read, the lower without its headline; as it is in a
    report, beside plotly's file. SVG and PNG are of the same picture."""
    from plotly.offline import get_plotlyjs

    mechanisms = [kind(1.0) for kind in MECHANISMS[:4]]
    drawn = [sample_posteriors(one, Problem((1, 1), (7, 5)), np.random.default_rng(1), 9) for one in mechanisms]
    (tmp_path / PLOTLY_FILE).write_text(get_plotlyjs(), "utf-8")
    written = html_page(released_posteriors(drawn), "dpbi-x", ["About"], embedded=False)
    (tmp_path / "x.html").write_text(written, "utf-8")
    with watched_page(browser) as watched:
        page = watched.page
        page.goto((tmp_path / "x.html").as_uri())
        picture, headline = page.locator("#picture svg"), page.get_by_label("Headline")
        sheets = []
        for cm, on in ((25, True), (17, True), (8.5, True), (8.5, False)):
            page.get_by_label("Width").select_option(f"{cm:g}")
            headline.set_checked(on)
            expect(page.locator(f'#picture svg[width="{10 * cm:g}mm"]')).to_be_visible()
            expect(picture.locator(".gtitle")).to_have_count(int(on))
            pdf = page.pdf(prefer_css_page_size=True)
            (box,) = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", pdf)
            width, height = (float(side) / 72 for side in box)
            assert width == pytest.approx(cm / 2.54, abs=0.01) and b"/Subtype /Image" not in pdf
            page.emulate_media(media="print")
            seen, place = page.evaluate(SEEN), picture.bounding_box()
            point = picture.locator('[class^="x"][class*="tick"] text').first.evaluate(
                "one => one.getScreenCTM().a * parseFloat(one.style.fontSize) * 72 / 96")
            page.emulate_media(media="null")
            assert seen == ["picture"] and place and (place["x"], place["y"]) == (0, 0)
            assert 0 <= height - place["height"] / 96 < 0.05, "the sheet is no larger than the figure"
            assert 7.5 < point < 11
            sheets.append((height, words_of(pdf)))
        with_it, without = sheets[2:]
        assert with_it[0] > without[0] + 0.3 and with_it[1] > without[1] > 20
        files = {}
        for kind in ("SVG", "PNG"):
            with page.expect_download() as download:
                page.get_by_role("button", name=f"Save as {kind}").click()
            download.value.save_as(tmp_path / kind)
            files[kind] = (tmp_path / kind).read_bytes()
        assert b'width="85mm"' in files["SVG"] and b'class="gtitle"' not in files["SVG"]
        across, down = struct.unpack(">2I", files["PNG"][16:24])
        assert across == pytest.approx(1920, abs=5)
        assert down / across == pytest.approx(without[0] * 2.54 / 8.5, abs=0.02)
        assert not watched.page_errors and not watched.console_errors


def release_once(visitor: Session) -> None:
    for box in visitor.page.main.checkbox:
        visitor.run(box, bool_value=True)
    button = next(one for one in visitor.page.main.button if one.label.startswith("Release once with"))
    visitor.run(button, trigger_value=True)


def test_every_download_of_a_release_holds_it_where_the_ledger_is_shared(tmp_path: Path) -> None:
    started = running_app(tmp_path, "--ledger", str(tmp_path / "releases.sqlite"), "--budget", "2")
    with started as app, Session(app.url, "Release", f"{LINK}&mechanisms={NOISE.partition(',')[0]}") as visitor:
        stated = {"Whose answers these are": "Survey", "What was asked": "Which tree?", "Who you are": "Ada"}
        for label, said in stated.items():
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
        with Session(app.url, "Ledger", "") as keeper:  # who brought no data
            files = every_file(keeper)
            assert Ledger.from_json(files.pop("dpbi-ledger-whole.json")).entries == entries
            assert_holds_the_page(keeper, files)
            assert [list(frame.value["Who"]) for frame in keeper.page.main.dataframe if "Who" in frame.value] == [
                ["Ada", "Ada"]]
        assert_nothing_was_missed(app)
