"""Visitors of the running app without a browser, and what each of their reruns costs."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Barrier
from typing import TYPE_CHECKING, Any

from streamlit.proto.Alert_pb2 import Alert
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.dashboard.served import Session

if TYPE_CHECKING:
    from tests.browser.chromium import App

TWIN = "tests/benchmarks/bare_home.py"
EPSILON = "entry: epsilon"  # the key of the widget that every visitor moves


@dataclass(frozen=True)
class Rerun:
    """What one rerun cost its visitor: seconds until the script had finished, bytes of all messages, what failed.

    processor: seconds that the server computed since the last rerun ended, for whomever; tidying up afterwards is in
    the next one's.
    """

    seconds: float
    size: int
    processor: float
    failures: list[str]


@contextmanager
def running_server(script: str = "app.py", *own: str) -> Iterator[App]:
    """The app, or another script of Streamlit, under the app's settings and its own, in a process of its own."""
    from tests.browser.chromium import running_app

    with tempfile.TemporaryDirectory() as folder, running_app(Path(folder), *own, script=script) as app:
        yield app


def resident_megabytes(process: int) -> float:
    lines = Path(f"/proc/{process}/status").read_text("utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1000


def processor_seconds(process: int) -> float:
    """What a process has computed so far, from its own clock: on Linux, number ~process * 8 + 2."""
    return time.clock_gettime((~process << 3) | 2)


def visit(server: App, page: str, query: str, reruns: int, think: float, seed: int) -> list[Rerun]:
    """One visitor: arrives, then moves epsilon ``reruns`` times after random pauses of mean ``think`` seconds.

    page: a file in pages/ without number and ending, "" for Home; query: its link's. Every visitor walks its own
    epsilons, so that no cache answers for another.
    """
    draw, found = random.Random(seed), []
    time.sleep(draw.random() * think)
    with Session(server.url, page, query) as session:
        epsilon = _entry_of_epsilon(session)
        before = processor_seconds(server.process)
        for _ in range(reruns):
            time.sleep(draw.expovariate(1 / think) if think else 0.0)
            session.run(epsilon, string_value=f"{draw.uniform(0.2, 4.0):.6g}")
            now = processor_seconds(server.process)
            found.append(Rerun(session.seconds, session.size, now - before, failures(session.drawn)))
            before = now
    return found


def _entry_of_epsilon(session: Session) -> Any:
    entries = session.page.get("text_input")
    return next(entry for entry in entries if str(entry.proto.id).endswith(EPSILON))


def together(server: App, people: int) -> tuple[float, float]:
    """Seconds until the last of all people has the first page, which they open at one moment; and, once they have and
    change epsilon at one moment, each to another, until the last has the answer.
    """
    gate = Barrier(people, timeout=120)

    def times(person: int) -> list[float]:
        gate.wait()
        found = [time.perf_counter()]
        with Session(server.url, "", "") as session:
            found.append(time.perf_counter())
            epsilon = _entry_of_epsilon(session)
            gate.wait()
            found.append(time.perf_counter())
            session.run(epsilon, string_value=f"{0.2 + 3 * person / people:.6g}")
            found.append(time.perf_counter())
            assert not failures(session.drawn)
        return found

    with ThreadPoolExecutor(people) as threads:
        asked, opened, moved, answered = zip(*threads.map(times, range(people)), strict=True)
    return max(opened) - min(asked), max(answered) - min(moved)


def failures(drawn: Sequence[ForwardMsg]) -> list[str]:
    elements = [message.delta.new_element for message in drawn if message.WhichOneof("type") == "delta"]
    return [*(one.exception.message for one in elements if one.WhichOneof("type") == "exception"),
            *(one.alert.body for one in elements if one.alert.format == Alert.ERROR)]


def crowd(
    server: App, pages: Sequence[str], people: int, reruns: int, think: float, walk: int = 0, query: str = ""
) -> list[Rerun]:
    """All reruns of all people, spread over the pages; the arrivals are left out.

    walk: another one takes other epsilons; query: of the link by which all of them arrive.
    """
    def walked(person: int) -> list[Rerun]:
        return visit(server, pages[person % len(pages)], query, reruns, think, 1000 * walk + person)

    with ThreadPoolExecutor(people) as threads:
        return [rerun for one in threads.map(walked, range(people)) for rerun in one]


@contextmanager
def running_twin(server: App, page: str, query: str) -> Iterator[App]:
    """A server of the elements that the page shows of itself to whoever arrives by the link, with nothing behind them.
    """
    from . import elements

    with Session(server.url, page, query) as session, tempfile.TemporaryDirectory() as folder:
        elements.write(session.drawn, file := Path(folder) / "elements.json")
        with running_server(TWIN, str(file)) as twin:
            yield twin
