"""The server's start: what charts need is imported, and the browser is opened where there is one."""

import asyncio
import webbrowser

import pytest
import streamlit as st
from streamlit import config

from dpbi.dashboard.session import startup


@pytest.mark.parametrize("headless", [True, False])
def test_the_browser_is_opened_where_there_is_one(monkeypatch: pytest.MonkeyPatch, headless: bool) -> None:
    opened: list[str] = []
    started = {"server.headless": headless, "server.port": 8507, "server.baseUrlPath": "counts"}
    as_configured = config.get_option
    monkeypatch.setattr(config, "get_option", lambda name: started.get(name, as_configured(name)))
    monkeypatch.setattr(st, "get_option", config.get_option)
    monkeypatch.setattr(webbrowser, "open", opened.append)

    async def start() -> None:
        async with startup.opening(st.App(__file__)):
            assert opened == ([] if headless else ["http://localhost:8507/counts"])

    asyncio.run(start())
