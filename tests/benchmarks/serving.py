"""What the app costs its server and its visitors, over its real websocket."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .measurement import ROOT, Cost
from .table import Row, at_most, duration, within
from .visitors import Rerun, crowd, resident_megabytes, running_server, running_twin, together

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.chromium import App

PAGES = ("", "Private_posteriors", "Distance_curves", "Sensitivity")
SCENARIOS = {"as it opens": "", "(20, 20, 20)": "source=made-up-counts&k=3&n=60&shape=balanced"}  # and their links
# The yardstick: a page of one widget and one line, in a server of its own. What follows is how many times as much.
BARE = "tests/benchmarks/bare_page.py"
BARE_CHART = "tests/benchmarks/bare_chart.py"
EVERY_PAGE = ("", *(file.stem.partition("_")[2] for file in sorted((ROOT / "pages").glob("*.py"))))
NAME = "bare page"
BESIDE_TWIN = {"as it opens": 1.5, "(20, 20, 20)": 2.0}  # of Home, in the elements it shows
TURNS = 3  # in which two servers take theirs, so that a busy moment of the machine meets both
PEOPLE, RERUNS, THINK = 40, 50, 800  # a person thinks as long as so many reruns of the bare page take
RERUN, PAYLOAD = 50, 180
CROWD, HURRIED = 300, 600
SEEN = 1.5  # times as late as on the page with one chart
SHIFT, SHIFT_MORE = 0.1, 0.05  # of the layout: at most so much, or so much more than of the elements alone
ROOM = 2.0  # times as long as with the elements alone
RESIDENT, GROWTH = 9, 1.05


def reruns(
    pages: Sequence[str] = PAGES, repetitions: int = 30, scenarios: Sequence[str] = tuple(SCENARIOS)
) -> Iterator[Row]:
    """Moving epsilon, one visitor at a time: the median rerun of each page at each scenario, and its bytes."""
    with running_server() as server, running_server(BARE) as bare:
        for scenario in scenarios:
            for page in pages:
                found = crowd(server, [page], 1, repetitions, 0.0, query=SCENARIOS[scenario])
                beside = crowd(bare, [""], 1, repetitions, 0.0)
                taken = replace(_median(found), yardstick=NAME, unit=_median(beside).processor)
                yield within(f"rerun of {page or 'Home'}, {scenario}, median of {repetitions}", taken, RERUN)
                size, least = (max(one.size for one in some) / 1000 for some in (found, beside))
                yield at_most("    largest payload", f"{size:.0f} kB", f"{NAME} {least:.1f} kB", size / least, PAYLOAD)
                if not page:
                    yield _beside_twin(server, repetitions, scenario)
                yield _errors(found)


def _beside_twin(server: App, repetitions: int, scenario: str) -> Row:
    """Home's reruns against those of its elements alone, in turn."""
    query = SCENARIOS[scenario]
    found: tuple[list[Rerun], list[Rerun]] = [], []
    with running_twin(server, "", query) as twin:
        for turn in range(1, TURNS + 1):
            for one, some, link in ((server, found[0], query), (twin, found[1], "")):
                some += crowd(one, [""], 1, -(-repetitions // TURNS), 0.0, walk=turn, query=link)
    ours, same = (_median(some).processor for some in found)
    return at_most("    beside its elements alone, as Streamlit and plotly draw them", duration(ours), duration(same),
                   ours / same, BESIDE_TWIN[scenario])


def _median(found: Sequence[Rerun]) -> Cost:
    return Cost(statistics.median(one.seconds for one in found), statistics.median(one.processor for one in found))


def room(people: int = PEOPLE, each: int = RERUNS, think: float = THINK) -> Iterator[Row]:
    """A room full of people, with and without time to think, and what the server holds afterwards.

    think: in reruns of the bare page: on a slower machine all happens as much later.
    """
    with running_server() as server, running_server(BARE) as bare:
        for what, pause, most in ((f"{think:g} reruns' time to think", think, CROWD), ("none to think", 0.0, HURRIED)):
            unit = _median(crowd(bare, [""], 1, 30, 0.0)).wall
            found = crowd(server, PAGES, people, each, pause * unit, walk=int(not pause))
            late = float(np.quantile([one.seconds for one in found], 0.95))
            yield at_most(f"{people} people, {what}: {len(found):,} reruns, 95th percentile",
                          f"{duration(late)} (median {duration(_median(found).wall)})",
                          f"{NAME}, alone {duration(unit)}", late / unit, most)
            yield _errors(found)
        yield _resident("    resident afterwards", server, bare)


def lecture(people: int = PEOPLE, repetitions: int = 3) -> Iterator[Row]:
    """A room that opens Home at one moment, and moves epsilon at one moment: until the last has what was asked for."""
    found: dict[str, list[tuple[float, float]]] = {"ours": [], "bare": []}
    for _ in range(repetitions):  # fresh servers, so that no cache answers
        with running_server() as server, running_twin(server, "", "") as twin:
            for name, one in (("ours", server), ("bare", twin)):
                crowd(one, [""], 1, 0, 0.0)  # has loaded what it needs
                found[name].append(together(one, people))
    middle = {name: np.median(times, axis=0).tolist() for name, times in found.items()}
    for what, ours, bare in zip(("open Home", "move epsilon"), middle["ours"], middle["bare"], strict=True):
        yield at_most(f"{people} people {what} at one moment, until the last has it", duration(ours),
                      f"its elements alone {duration(bare)}", ours / bare, ROOM)


def memory(first: int = 500, last: int = 2_000, people: int = 4) -> Iterator[Row]:
    """The server's resident size after many reruns against that after fewer, and against a server of the bare page."""
    with running_server() as server, running_server(BARE) as bare:
        crowd(server, PAGES, people, first // people, 0.0)
        early = resident_megabytes(server.process)
        crowd(server, PAGES, people, (last - first) // people, 0.0, walk=1)
        crowd(bare, [""], 1, 1, 0.0)
        yield _resident(f"resident after {last:,} reruns", server, bare)
        late = resident_megabytes(server.process)
        yield at_most("    its growth", f"{late:.0f} MB", f"after {first:,} {early:.0f} MB", late / early, GROWTH)


def _resident(what: str, server: App, bare: App) -> Row:
    ours, least = (resident_megabytes(one.process) for one in (server, bare))
    return at_most(what, f"{ours:.0f} MB", f"{NAME}'s server {least:.0f} MB", ours / least, RESIDENT)


def _errors(found: Sequence[Rerun]) -> Row:
    failed = sum(bool(one.failures) for one in found)
    return Row("    reruns that failed", str(failed), target="<= 0", met=not failed)


# By the page's own clock, from the moment it was asked for until the frame after the part was drawn: whoever looks from
# outside looks twice a second at most.
PARTS = {"words": '[data-testid="stMain"] [data-testid="stMarkdown"] p', "chart": ".js-plotly-plot .main-svg"}
WATCH = """parts => {
  window.drawn = {};
  new MutationObserver(() => {
    for (const name in parts) if (!(name in drawn) && document.querySelector(parts[name])) {
      drawn[name] = null;
      requestAnimationFrame(() => requestAnimationFrame(() => drawn[name] = performance.now() / 1000));
    }
  }).observe(document, {childList: true, subtree: true});
}"""


def drawn_parts(page: Page, url: str, parts: Mapping[str, str] = PARTS) -> dict[str, float]:
    """Seconds from asking for the address until each of ``parts``, by their selectors, stood."""
    page.goto(url, wait_until="commit")
    page.evaluate(WATCH, dict(parts))
    page.wait_for_function("names => names.every(name => window.drawn[name])", arg=list(parts))
    found: dict[str, float] = page.evaluate("window.drawn")
    return found


def chromium() -> str | None:
    from tests.browser.chromium import chromium_path

    return chromium_path()


def on_a_fresh_server(script: str, parts: Mapping[str, str]) -> dict[str, float]:
    """``drawn_parts`` as a browser sees them that has never been there."""
    from tests.browser import chromium as browser

    with (
        tempfile.TemporaryDirectory() as folder,
        browser.running_app(Path(folder), script=script) as app,
        browser.running_chromium(chromium() or "") as started,
        browser.watched_page(started) as watched,
    ):
        return drawn_parts(watched.page, app.url, parts)


def first_sight(
    seen: Callable[[str, Mapping[str, str]], dict[str, float]] = on_a_fresh_server, repetitions: int = 3
) -> Iterator[Row]:
    """A fresh server and a real browser: from asking for Home until its first words and its first chart stand."""
    drawn: dict[tuple[str, str], list[float]] = {}
    for script in ("app.py", BARE_CHART) * repetitions:
        for part, seconds in seen(script, PARTS).items():
            drawn.setdefault((script, part), []).append(seconds)
    for part in PARTS:
        ours, bare = (statistics.median(drawn[script, part]) for script in ("app.py", BARE_CHART))
        yield at_most(f"first {part} of Home, fresh server", duration(ours),
                      f"{NAME} with a chart {duration(bare)}", ours / bare, SEEN)


@contextmanager
def in_a_browser() -> Iterator[Callable[[str], float]]:
    """The layout shift of an address."""
    from tests.browser import chromium as browser

    with browser.running_chromium(chromium() or "") as started:
        yield lambda url: browser.layout_shift(started, url)


def jumps(
    pages: Sequence[str] = EVERY_PAGE,
    browser: Callable[[], AbstractContextManager[Callable[[str], float]]] = in_a_browser,
) -> Iterator[Row]:
    """How far each page's parts are pushed about while it comes: the worse of the first visit and of another, beside
    its elements alone.
    """
    with running_server() as server, browser() as shift:
        for page in pages:
            ours = max(shift(f"{server.url}/{page}") for _ in range(2))
            with running_twin(server, page, "") as twin:
                bare = max(shift(twin.url) for _ in range(2))
            most = max(SHIFT, bare + SHIFT_MORE)
            yield Row(f"layout shift of {page or 'Home'}", f"{ours:.3f}", f"its elements alone {bare:.3f}",
                      target=f"<= {most:.2f}", met=ours <= most)
