"""The app as a person meets it, in a real Chromium; the recorders' own control stands at the end."""

import os
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NoReturn
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser

from tests.browser import (
    CHROMIUM_NAMES,
    App,
    Watched,
    chromium_path,
    open_page,
    running_app,
    running_chromium,
    watched_page,
)

pytestmark = pytest.mark.browser


def could_not_run(reason: str) -> NoReturn:
    """Skips where a person runs the tests; fails in CI, where the browser is part of the job."""
    sentence = f"The browser tests did not run: {reason}."
    if os.environ.get("CI") == "true":
        pytest.fail(sentence)
    pytest.skip(sentence)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = chromium_path()
    if path is None:
        could_not_run(f"none of {', '.join(CHROMIUM_NAMES)} is installed")
    with ExitStack() as stack:
        try:
            browser = stack.enter_context(running_chromium(path))
        except Exception as error:  # noqa: BLE001 - Playwright's driver fails with the bare class
            could_not_run(f"{path} could not be started: {str(error).partition(chr(10))[0]}")
        yield browser


@pytest.fixture(scope="module")
def app(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """Asks for the browser first, so that without one no server is started."""
    with running_app(tmp_path_factory.mktemp("app")) as app:
        yield app


@pytest.fixture
def watched(browser: Browser) -> Iterator[Watched]:
    with watched_page(browser) as watched:
        yield watched


def assert_nothing_went_wrong(watched: Watched) -> None:
    assert not watched.outside_requests
    assert not watched.page_errors
    assert not watched.console_errors


def test_the_server_starts_without_asking_anyone(app: App, watched: Watched) -> None:
    open_page(watched.page, app.url)
    assert (
        "External URL" not in app.log
    )  # shown only after an outside host was asked for this machine's address
    assert "not a valid config option" not in app.log
    assert "Traceback" not in app.log


# --- control: a page that does everything the app must not ---

OFFENDER = b"""<!doctype html><html lang="en"><title>offender</title>
<link rel="icon" href="https://icon.example/icon.png">
<img src="http://picture.example/a.png" alt="">
<img src="http://127.0.0.2:8099/a.png" alt="">
<script>
new WebSocket("ws://socket.example/");
fetch("https://fetch.example/data.json").catch(() => {});
console.error("an error written");
setTimeout(() => { document.title = "done"; throw new Error("an error thrown"); }, 0);
</script>"""


class Offender(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(OFFENDER)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing: the test's output is not the place."""


@pytest.fixture
def offender_url() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Offender) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def test_the_recorders_see_what_an_offending_page_does(watched: Watched, offender_url: str) -> None:
    failures: dict[str, str | None] = {}
    watched.page.on("requestfailed", lambda request: failures.update({request.url: request.failure}))
    with watched.page.expect_event("pageerror"):
        watched.page.goto(offender_url)
    watched.page.wait_for_load_state("networkidle")

    assert sorted(urlsplit(url).hostname or "" for url in watched.outside_requests) == [
        "127.0.0.2",
        "fetch.example",
        "icon.example",
        "picture.example",
        "socket.example",
    ]
    assert any("an error written" in error for error in watched.console_errors)
    assert any("an error thrown" in error for error in watched.page_errors)
    # The socket's failure is told to the page alone; for the others the browser says that none left.
    assert set(failures.values()) == {"net::ERR_NAME_NOT_RESOLVED"}
    assert len(failures) == len(watched.outside_requests) - 1
