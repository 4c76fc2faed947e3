"""Visitors of the running app without a browser: they speak Streamlit's own websocket, and time its reruns."""

from __future__ import annotations

import asyncio
import random
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from streamlit.proto.Alert_pb2 import Alert
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect

EPSILON = "entry: epsilon"  # the key of the widget that every visitor moves
PATIENCE = 120.0  # seconds without a message


@dataclass
class Rerun:
    """What one rerun cost its visitor: seconds until the script had finished, bytes of all messages, what failed.

    processor: seconds that the server computed since the last rerun ended, for whomever; tidying up afterwards is in
    the next one's.
    """

    seconds: float
    size: int
    processor: float = 0.0
    failures: list[str] = field(default_factory=list)


@dataclass
class Visitor:
    """One session on one page; ``page``: a file in pages/ without number and ending, "" for Home; query: its link's."""

    socket: ClientConnection
    page: str
    query: str
    process: int
    computed: float = 0.0
    page_hash: str = ""
    widget: str = ""

    async def arrive(self) -> Rerun:
        """The first run, which also tells the widget's address."""
        return await self._run(BackMsg())

    async def move(self, epsilon: float) -> Rerun:
        """Types another epsilon."""
        message = BackMsg()
        state = message.rerun_script.widget_states.widgets.add()
        state.id, state.string_value = self.widget, f"{epsilon:.6g}"
        return await self._run(message)

    async def _run(self, message: BackMsg) -> Rerun:
        message.rerun_script.page_script_hash = self.page_hash
        message.rerun_script.page_name = self.page
        message.rerun_script.query_string = self.query
        started = time.perf_counter()
        await self.socket.send(message.SerializeToString())
        rerun = Rerun(0.0, 0)
        while True:
            received = await asyncio.wait_for(self.socket.recv(decode=False), PATIENCE)
            rerun.size += len(received)
            answer = ForwardMsg.FromString(received)
            self._read(answer, rerun)
            if answer.WhichOneof("type") == "script_finished" and answer.script_finished == 0:
                rerun.seconds = time.perf_counter() - started
                before, self.computed = self.computed, processor_seconds(self.process)
                rerun.processor = self.computed - before
                return rerun

    def _read(self, answer: ForwardMsg, rerun: Rerun) -> None:
        kind = answer.WhichOneof("type")
        if kind == "navigation":
            self.page_hash = answer.navigation.page_script_hash
        element = answer.delta.new_element if kind == "delta" else None
        if element is None:
            return
        if element.WhichOneof("type") == "text_input" and element.text_input.id.endswith(EPSILON):
            self.widget = element.text_input.id
        if element.WhichOneof("type") == "exception":
            rerun.failures.append(element.exception.message)
        if element.WhichOneof("type") == "alert" and element.alert.format == Alert.ERROR:
            rerun.failures.append(element.alert.body)


class Server(NamedTuple):
    """A running app: its address and the number of its process."""

    url: str
    process: int


@contextmanager
def running_server(script: str = "app.py") -> Iterator[Server]:
    """The app, or another script of Streamlit, under the app's settings, in a process of its own."""
    from tests.browser import chromium as browser

    with tempfile.TemporaryDirectory() as folder, browser.running_app(Path(folder), script=script) as app:
        yield Server(app.url, server_process(urlsplit(app.url).port or 0))


def server_process(port: int) -> int:
    """The process whose command line holds the port."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            command = (entry / "cmdline").read_bytes() if (entry / "cmdline").exists() else b""
            if f"--server.port={port}".encode() in command.split(b"\0"):
                return int(entry.name)
    raise RuntimeError(f"No server on port {port}.")


def resident_megabytes(process: int) -> float:
    lines = Path(f"/proc/{process}/status").read_text("utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1000


def processor_seconds(process: int) -> float:
    """What a process has computed so far, from its own clock: on Linux, number ~process * 8 + 2."""
    return time.clock_gettime((~process << 3) | 2)


async def visit(server: Server, page: str, query: str, reruns: int, think: float, seed: int) -> list[Rerun]:
    """One visitor: arrives, then moves epsilon ``reruns`` times after random pauses of mean ``think`` seconds.

    Every visitor walks its own epsilons, so that no cache answers for another.
    """
    draw = random.Random(seed)
    address = server.url.replace("http://", "ws://") + "/_stcore/stream"
    async with connect(address, subprotocols=["streamlit"], max_size=None, origin=server.url) as socket:
        visitor = Visitor(socket, page, query, server.process)
        if think:
            await asyncio.sleep(draw.random() * think)
        found = [await visitor.arrive()]
        for _ in range(reruns):
            if think:
                await asyncio.sleep(draw.expovariate(1 / think))
            found.append(await visitor.move(draw.uniform(0.2, 4.0)))
    return found


def crowd(
    server: Server, pages: Sequence[str], people: int, reruns: int, think: float, walk: int = 0, query: str = ""
) -> list[Rerun]:
    """All reruns of all people, spread over the pages; the arrivals are left out.

    walk: another one takes other epsilons; query: of the link by which all of them arrive.
    """

    async def all_of_them() -> list[list[Rerun]]:
        return await asyncio.gather(
            *(
                visit(server, pages[person % len(pages)], query, reruns, think, 1000 * walk + person)
                for person in range(people)
            )
        )

    return [rerun for one in asyncio.run(all_of_them()) for rerun in one[1:]]
