"""What the app costs its server and its visitors, over its real websocket."""

from __future__ import annotations

import json
import statistics
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .measurement import Cost
from .table import Row, duration, within
from .visitors import Rerun, crowd, resident_megabytes, running_server

if TYPE_CHECKING:
    from playwright.sync_api import Page

PAGES = ("", "Private_posteriors", "Distance_curves", "Sensitivity")
SCENARIOS = {"as it opens": "", "(20, 20, 20)": "source=made-up-counts&k=3&n=60&shape=balanced"}  # and their links
PEOPLE, RERUNS, THINK = 40, 50, 4.0
PAYLOAD_KILOBYTES = 200
RERUN_SECONDS, CROWD_SECONDS, HURRIED_SECONDS = 0.15, 1.5, 3.0
WORDS_SECONDS, CHART_SECONDS = 3.0, 4.5
RESIDENT_MEGABYTES, GROWTH = 700, 1.05


def reruns(
    pages: Sequence[str] = PAGES, repetitions: int = 30, scenarios: Sequence[str] = tuple(SCENARIOS)
) -> Iterator[Row]:
    """Moving epsilon, one visitor at a time: the median rerun of each page at each scenario, and its bytes."""
    with running_server() as server:
        for scenario in scenarios:
            for page in pages:
                found = crowd(server, [page], 1, repetitions, 0.0, query=SCENARIOS[scenario])
                middle = Cost(statistics.median(one.seconds for one in found),
                              statistics.median(one.processor for one in found))
                yield within(f"rerun of {page or 'Home'}, {scenario}, median of {repetitions}", middle, RERUN_SECONDS)
                size = max(one.size for one in found) / 1000
                yield Row("    largest payload", f"{size:.0f} kB", target=f"<= {PAYLOAD_KILOBYTES} kB",
                          met=size <= PAYLOAD_KILOBYTES)
                yield _errors(found)


def room(people: int = PEOPLE, each: int = RERUNS, think: float = THINK) -> Iterator[Row]:
    """A room full of people, with and without time to think, and what the server holds afterwards."""
    with running_server() as server:
        yield from _patience(crowd(server, PAGES, people, each, think), f"{people} people, {think:g} s to think",
                             CROWD_SECONDS)
        yield from _patience(crowd(server, PAGES, people, each, 0.0, walk=1), f"{people} people, none to think",
                             HURRIED_SECONDS)
        yield Row("    resident afterwards", f"{resident_megabytes(server.process):.0f} MB")


def memory(first: int = 500, last: int = 2_000, people: int = 4) -> Iterator[Row]:
    """The server's resident size after many reruns against that after fewer."""
    with running_server() as server:
        crowd(server, PAGES, people, first // people, 0.0)
        early = resident_megabytes(server.process)
        crowd(server, PAGES, people, (last - first) // people, 0.0, walk=1)
        late = resident_megabytes(server.process)
    yield Row(f"resident after {first:,} reruns", f"{early:.0f} MB")
    yield Row(f"resident after {last:,} reruns", f"{late:.0f} MB", ratio=late / early,
              target=f"<= {GROWTH:g} x, {RESIDENT_MEGABYTES} MB",
              met=late <= GROWTH * early and late <= RESIDENT_MEGABYTES)


# By the page's own clock, from the moment it was asked for until the frame after the part was drawn: whoever looks from
# outside looks twice a second at most.
PARTS = {"table": '[data-testid="stDataFrame"] canvas', "chart": ".js-plotly-plot .main-svg"}
WATCH = f"""
window.drawn = {{}};
const parts = {json.dumps(PARTS)};
new MutationObserver(() => {{
  for (const name in parts) if (!(name in drawn) && document.querySelector(parts[name])) {{
    drawn[name] = null;
    requestAnimationFrame(() => requestAnimationFrame(() => drawn[name] = performance.now() / 1000));
  }}
}}).observe(document, {{childList: true, subtree: true}});
"""


def drawn_parts(page: Page, url: str) -> dict[str, float]:
    """Seconds from asking for the address until each of ``PARTS`` stood."""
    page.goto(url, wait_until="commit")
    page.evaluate(WATCH)
    page.wait_for_function("window.drawn.chart && window.drawn.table")
    found: dict[str, float] = page.evaluate("window.drawn")
    return found


def on_a_fresh_server() -> dict[str, float] | None:
    """``drawn_parts`` of Home as a browser sees it that has never been there; None without a Chromium."""
    from tests.browser import chromium as browser

    path = browser.chromium_path()
    if path is None:
        return None
    with (
        tempfile.TemporaryDirectory() as folder,
        browser.running_app(Path(folder)) as app,
        browser.running_chromium(path) as chromium,
        browser.watched_page(chromium) as watched,
    ):
        return drawn_parts(watched.page, app.url)


def first_sight(seen: Callable[[], dict[str, float] | None] = on_a_fresh_server) -> Iterator[Row]:
    """A fresh server and a real browser: from asking for Home until its words and table stand, and its first chart."""
    drawn = seen()
    if drawn is None:
        yield Row("first sight of Home", "left out, no Chromium here")
        return
    for what, part, seconds in (("words and table of Home, fresh server", "table", WORDS_SECONDS),
                                ("its first chart", "chart", CHART_SECONDS)):
        yield within(what, Cost(drawn[part], drawn[part]), seconds)


def _patience(found: Sequence[Rerun], what: str, seconds: float) -> Iterator[Row]:
    waited = np.array([one.seconds for one in found])
    late = float(np.quantile(waited, 0.95))
    yield Row(f"{what}: {len(found):,} reruns, 95th percentile", duration(late),
              f"median {duration(float(np.median(waited)))}", None, f"<= {duration(seconds)}", late <= seconds)
    yield _errors(found)


def _errors(found: Sequence[Rerun]) -> Row:
    failed = sum(bool(one.failures) for one in found)
    return Row("    reruns that failed", str(failed), target="<= 0", met=not failed)
