"""The server's start: what can be done before anyone comes.

``streamlit run`` finds ``app`` in app.py, imports that file once and serves it; every visitor's page runs it anew.
"""

import gc
import importlib
import pkgutil
import sys
import webbrowser
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import streamlit as st
from streamlit.web.server import server_util

from dpbi.dashboard.session import options


def begin(script: str) -> None:
    """Takes what stands behind ``--`` where the server was started for this script, and settles."""
    if Path(sys.argv[0]).resolve() == Path(script).resolve():
        options.take(sys.argv[1:])
    settle()


def settle() -> None:
    """Imports what the pages and their charts import, and freezes all that is loaded by then.

    A full collection of garbage walks every object of numpy, pandas and plotly, while everybody's page waits.
    """
    for package in map(importlib.import_module, ("dpbi.dashboard", "dpbi.figures")):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    gc.collect()
    gc.freeze()


@asynccontextmanager
async def opening(app: st.App) -> AsyncIterator[None]:
    """Opens the app in the browser of whoever starts it, as Streamlit does for a script."""
    if not st.get_option("server.headless"):
        webbrowser.open(server_util.get_url(st.get_option("browser.serverAddress")))
    yield
