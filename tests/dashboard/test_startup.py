"""The server's start: the code a table needs is named, the browser is opened where there is one, a chart waits once."""

import asyncio
import time
import webbrowser
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import streamlit as st
from streamlit import config

from dpbi.dashboard.session import startup

FILES = {
    "index.a1.js": 'import{a}from"./both.b2.js";const text="from \\"./never.js\\""',
    "both.b2.js": "export const a=1",
    "DataFrame.c3.js": 'import{a}from"./both.b2.js";import{b as c}from"./arrow-x_y.d4.js";import"./gone.e5.js"',
    "arrow-x_y.d4.js": 'import{f}from"./deep.f6.js";import{g}from"./gone.e5.js"',
    "deep.f6.js": 'import{h}from"./arrow-x_y.d4.js";export{h}',
    "Slider.g7.js": 'import{a}from"./both.b2.js"',
}


@pytest.fixture
def code(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def test_a_part_needs_what_it_imports_but_not_what_every_page_has(code: Path) -> None:
    assert sorted(startup.needed(code, "DataFrame")) == ["DataFrame.c3.js", "arrow-x_y.d4.js", "deep.f6.js"]
    assert startup.needed(code, "Slider") == ["Slider.g7.js"]
    assert startup.needed(code, "Unknown") == []


async def _answer(app: Any, content_type: bytes) -> list[tuple[bytes, bytes]]:
    """The headers of what the app answers, named and passed on."""
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await app({"type": "http", "path": "/"}, None, send)
    start, body = sent
    assert body == {"type": "http.response.body", "body": content_type}
    return [header for header in start["headers"] if header[0] == b"link"]


@pytest.mark.parametrize(("content_type", "named"), [(b"text/html; charset=utf-8", True), (b"text/javascript", False)])
def test_a_page_and_nothing_else_names_the_tables_code(
    code: Path, monkeypatch: pytest.MonkeyPatch, content_type: bytes, named: bool
) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"Content-Type", content_type)]})
        await send({"type": "http.response.body", "body": content_type})

    monkeypatch.setattr(startup, "_CODE", code)
    links = asyncio.run(_answer(startup.table_first(app), content_type))
    assert len(links) == named
    assert all(value.count(b"rel=modulepreload") == 3 and b"<./static/js/deep.f6.js>" in value for _, value in links)


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


@pytest.mark.parametrize(("headers", "waits"), [({"User-Agent": "a browser"}, 1), ({}, 0)])
def test_a_sessions_first_chart_waits_for_the_table_above_it(
    monkeypatch: pytest.MonkeyPatch, headers: dict[str, str], waits: int
) -> None:
    waited: list[float] = []
    monkeypatch.setattr(time, "sleep", waited.append)
    monkeypatch.setattr(st, "context", SimpleNamespace(headers=headers))
    monkeypatch.setattr(st, "session_state", {})
    for _ in range(3):
        startup.let_the_table_be_drawn()
    assert len(waited) == waits
