"""What the app costs its server and its visitors, over its real websocket."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .measurement import Cost
from .table import Row, at_most, duration, within
from .visitors import Rerun, crowd, resident_megabytes, running_server, running_twin

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.chromium import App

PAGES = ("", "Private_posteriors", "Distance_curves", "Sensitivity")
SCENARIOS = {"as it opens": "", "(20, 20, 20)": "source=made-up-counts&k=3&n=60&shape=balanced"}  # and their links
# The yardstick: a page of one widget and one line, in a server of its own. What follows is how many times as much.
BARE = "tests/benchmarks/bare_page.py"
NAME = "bare page"
BESIDE_TWIN = {"as it opens": 1.5, "(20, 20, 20)": 2.0}  # of Home, in the elements it shows
TURNS = 3  # in which two servers take theirs, so that a busy moment of the machine meets both
PEOPLE, RERUNS, THINK = 40, 50, 800  # a person thinks as long as so many reruns of the bare page take
RERUN, PAYLOAD = 50, 180
CROWD, HURRIED = 300, 600
WORDS, CHART = 3, 5
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
PARTS = {"table": '[data-testid="stDataFrame"] canvas', "chart": ".js-plotly-plot .main-svg"}
BARE_PARTS = {"words": '[data-testid="stMarkdown"] p'}
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
    """A fresh server and a real browser: from asking for Home until its words and table stand, and its first chart."""
    drawn: dict[str, list[float]] = {}
    for script, parts in (("app.py", PARTS), (BARE, BARE_PARTS)) * repetitions:
        for part, seconds in seen(script, parts).items():
            drawn.setdefault(part, []).append(seconds)
    middle = {part: statistics.median(seconds) for part, seconds in drawn.items()}
    unit = middle["words"]
    for what, part, most in (("words and table of Home, fresh server", "table", WORDS),
                             ("its first chart", "chart", CHART)):
        yield at_most(what, duration(middle[part]), f"{NAME} {duration(unit)}", middle[part] / unit, most)
