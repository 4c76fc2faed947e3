"""The server's start: what can be done before anyone comes, and a first page whose table is not kept waiting.

``streamlit run`` finds ``app`` in app.py, imports that file once and serves it; every visitor's page runs it anew.
"""

from __future__ import annotations

import gc
import importlib
import pkgutil
import re
import time
import webbrowser
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.web.server import server_util

_CODE = Path(st.__file__).parent / "static" / "static" / "js"
_TABLE = "DataFrame"
_TABLE_SECONDS = 0.6  # from a first table's words to its drawing, by a browser that has its code
_WAITED = "startup: waited"


def settle() -> None:
    """Imports what the pages and their charts import, and freezes all that is loaded by then.

    A full collection of garbage walks every object of numpy, pandas and plotly, while everybody's page waits.
    """
    for package in map(importlib.import_module, ("dpbi.dashboard", "dpbi.figures")):
        for module in pkgutil.iter_modules(package.__path__):
            importlib.import_module(f"{package.__name__}.{module.name}")
    gc.collect()
    gc.freeze()


@asynccontextmanager
async def opening(app: st.App) -> AsyncIterator[None]:
    """Opens the app in the browser of whoever starts it, as Streamlit does for a script."""
    if not st.get_option("server.headless"):
        webbrowser.open(server_util.get_url(st.get_option("browser.serverAddress")))
    yield


def let_the_table_be_drawn() -> None:
    """Waits before a session's first chart, whose code keeps the browser busy for most of a second.

    A table above it would stand only after that. Where no browser asks, there is none to wait for.
    """
    if st.context.headers and _WAITED not in st.session_state:
        st.session_state[_WAITED] = True
        time.sleep(_TABLE_SECONDS)


def table_first(app: Any) -> Any:
    """The app, an ASGI one, naming the table's code to the browser with the first answer of any page.

    Streamlit's client asks for the code of each part as it meets one, file by file; so named, it is there when the
    first table comes. Where the files are called otherwise nothing is named, and nothing is lost.
    """
    links = ", ".join(f"<./static/js/{name}>; rel=modulepreload" for name in needed(_CODE, _TABLE)).encode()

    async def served(scope: Any, receive: Any, send: Any) -> None:
        async def send_named(message: Any) -> None:
            if message["type"] == "http.response.start" and _is_page(message["headers"]):
                message["headers"] = [*message["headers"], (b"link", links)]
            await send(message)

        await app(scope, receive, send_named)

    return served


def needed(folder: Path, part: str) -> list[str]:
    """The files of a part's code, by name, itself first: what it imports, but not what every page has at once."""
    everywhere = set(_imported(folder, "index"))
    return [name for name in _imported(folder, part) if name not in everywhere]


def _is_page(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    return any(name.lower() == b"content-type" and value.startswith(b"text/html") for name, value in headers)


def _imported(folder: Path, part: str) -> list[str]:
    """The file of a part and of all that it imports, directly or not."""
    found: list[str] = []
    waiting = [path.name for path in folder.glob(f"{part}.*.js")]
    while waiting:
        name = waiting.pop()
        if name not in found and (folder / name).is_file():
            found.append(name)
            waiting += re.findall(r'\bfrom"\./([\w.-]+\.js)"', (folder / name).read_text("utf-8"))
    return found
