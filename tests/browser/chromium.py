"""The real app in a real Chromium: starts both, and records what the browser complains of and asks for.

Nothing the browser asks for can leave the machine: no name or address but this machine's own is resolved.
"""

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit
from urllib.request import urlopen

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Dialog,
    Error,
    Page,
    Request,
    WebSocket,
    expect,
    sync_playwright,
)

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome")
LOCAL_HOSTS = ("127.0.0.1", "localhost")
START_SECONDS = 60
Scheme = Literal["light", "dark"]
# Opened by a page's own address, Streamlit's client looks for its server below that address first.
PROBES = ("/_stcore/health", "/_stcore/host-config")
PATIENCE_MS = 20_000  # CI shares two cores between the app, the browser and the test
COMPUTING_MS = 60_000  # of the app before it shows anything
expect.set_options(timeout=PATIENCE_MS)


@dataclass(frozen=True)
class App:
    """A running app: its address without a closing slash, the folders that are its server's own, when it began, and the
    number of its process."""

    url: str
    home: Path
    temporary: Path
    started: float
    process: int

    @property
    def log_file(self) -> Path:
        return self.home / "server.log"

    @property
    def log(self) -> str:
        return self.log_file.read_text("utf-8")


@dataclass
class Watched:
    """A page and what it did since it was opened: errors written or thrown, addresses elsewhere asked for."""

    page: Page
    console_errors: list[str] = field(default_factory=list)
    page_errors: list[str] = field(default_factory=list)
    outside_requests: list[str] = field(default_factory=list)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until_healthy(app: App, server: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        try:
            with urlopen(f"{app.url}/_stcore/health", timeout=1):
                return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"the app did not start; its log:\n{app.log}")


@contextmanager
def running_app(folder: Path, *own: str, script: str = "app.py") -> Iterator[App]:
    """The app under the project's own settings, and its own options; `folder` takes its log and stands in for the home
    folder, so that no settings of the person running the tests are read. `script`: from the top level."""
    (temporary := folder / "temporary").mkdir()
    started, port = time.time(), free_port()
    settings = (
        f"--server.port={port}",
        "--server.headless=true",
        "--server.fileWatcherType=none",  # a file saved meanwhile would leave an offer to rerun on the page
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith("STREAMLIT_")}
    with (folder / "server.log").open("wb") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "streamlit", "run", script, *settings, "--", *own],
            cwd=ROOT,
            env=environment | {"HOME": str(folder), "TMPDIR": str(temporary)},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        app = App(f"http://127.0.0.1:{port}", folder, temporary, started, server.pid)
        try:
            wait_until_healthy(app, server)
            yield app
        finally:
            server.terminate()
            server.wait(10)


def chromium_path() -> str | None:
    return next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)


@contextmanager
def running_chromium(path: str) -> Iterator[Browser]:
    local_only = ", ".join(["MAP * ~NOTFOUND", *(f"EXCLUDE {host}" for host in LOCAL_HOSTS)])
    arguments = [
        "--no-sandbox",  # CI is root in a container, where Chromium's sandbox cannot start
        "--disable-gpu",
        "--no-proxy-server",
        "--js-flags=--no-opt --no-maglev",  # no page lives long enough to earn what its scripts' compilation costs
        f"--host-resolver-rules={local_only}",
    ]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=arguments)
        try:
            yield browser
        finally:
            browser.close()


def is_outside(url: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme in ("http", "https", "ws", "wss") and parts.hostname not in LOCAL_HOSTS


@contextmanager
def new_profile(browser: Browser) -> Iterator[BrowserContext]:
    """Cookies, storage and cache of its own, as of one person's browser."""
    profile = browser.new_context(reduced_motion="reduce")
    profile.set_default_timeout(PATIENCE_MS)
    profile.add_init_script(f"({WATCH})()")
    try:
        yield profile
    finally:
        profile.close()


@contextmanager
def watching(page: Page, scheme: Scheme = "light", width: int = 1280, height: int = 900) -> Iterator[Watched]:
    """Whatever the page opens meanwhile, in a colour scheme; width and height in CSS pixels. Leaves a blank page."""
    watched = Watched(page)
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": height})

    def record_request(asked: Request | WebSocket) -> None:
        if is_outside(asked.url):
            watched.outside_requests.append(asked.url)

    def record_console(message: ConsoleMessage) -> None:
        source = message.location["url"]
        if message.type == "error" and not urlsplit(source).path.endswith(PROBES):
            watched.console_errors.append(f"{message.text} ({source})")

    def record_error(error: Error) -> None:
        watched.page_errors.append(str(error))

    def leave(dialog: Dialog) -> None:
        dialog.accept()

    page.context.on("request", record_request)
    page.on("websocket", record_request)
    page.on("console", record_console)
    page.on("pageerror", record_error)
    try:
        yield watched
    finally:
        page.context.remove_listener("request", record_request)
        page.remove_listener("websocket", record_request)
        page.remove_listener("console", record_console)
        page.remove_listener("pageerror", record_error)
        # Streamlit keeps there, say, that the sidebar was unfolded.
        page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
        page.on("dialog", leave)
        page.goto("about:blank")
        page.remove_listener("dialog", leave)


@contextmanager
def watched_page(
    browser: Browser, scheme: Scheme = "light", width: int = 1280, height: int = 900
) -> Iterator[Watched]:
    """A page in a browser that has never seen the app; see ``watching``."""
    with new_profile(browser) as profile, watching(profile.new_page(), scheme, width, height) as watched:
        yield watched


# A page is quiet once what was asked of the server is answered, nothing is left to be drawn or done, and what was acted
# has had the time to become a request. Watched all along: what has been quiet for a while is not waited for again.
# Of Streamlit's protocol: a request for a run has the number 11 (tag 0x5a), a session's state 9 (0x4a; empty: at rest).
# A running script is marked on the outermost element, old elements as stale, coming ones as skeletons.
WATCH = """() => {
    const busy = '[data-stale="true"], [data-testid="stSkeleton"], [data-testid="stStatusWidget"]';
    const bytes = message => ArrayBuffer.isView(message) ? message : new Uint8Array(message);
    const send = WebSocket.prototype.send;
    let asked = false, acted = -Infinity, disturbed = 0;
    const act = () => { acted = performance.now(); }, disturb = () => { disturbed = performance.now(); };
    const hear = told => {
        const [tag, length] = bytes(told.data);
        if (tag === 0x4a && length === 0) asked = false;
        disturb();
    };
    WebSocket.prototype.send = function (message) {
        if (bytes(message)[0] === 0x5a) [asked, acted] = [true, -Infinity];
        if (!this.watched) this.addEventListener('message', hear);
        this.watched = true;
        return send.call(this, message);
    };
    const isQuiet = () => {
        const app = document.querySelector('[data-testid="stApp"]');
        const done = app?.getAttribute('data-test-script-state') === 'notRunning';
        if (!done || asked || document.querySelector(busy)) disturb();
        return performance.now() - disturbed > 40 && performance.now() - acted > 150;
    };
    for (const kind of ['pointerdown', 'click', 'keydown', 'input', 'change', 'popstate', 'resize'])
        window.addEventListener(kind, act, {capture: true, passive: true});
    new MutationObserver(disturb).observe(document, {subtree: true, childList: true});
    setInterval(isQuiet, 50);
    const look = tell => requestIdleCallback(() => isQuiet() ? tell(true) : setTimeout(look, 15, tell));
    window.quiet = () => new Promise(look);
}"""


def wait_until_idle(page: Page) -> None:
    """Returns when the script has run, all it drew is on the page, and no rerun is waiting."""
    page.wait_for_function("() => window.quiet()", timeout=COMPUTING_MS)


def open_page(page: Page, url: str) -> None:
    page.goto(url)
    expect(page.get_by_role("main")).to_be_visible()
    wait_until_idle(page)


# Each part's share of the window times its way, summed over what moved without being asked to.
SHIFT = """() => {
    window.shift = 0;
    new PerformanceObserver(list => {
        for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
    }).observe({type: 'layout-shift', buffered: true});
}"""


def layout_shift(browser: Browser, url: str) -> float:
    """Of a page that comes, at the size of a projector, until it rests."""
    with watched_page(browser, "light", 1280, 720) as watched:
        watched.page.add_init_script(f"({SHIFT})()")
        open_page(watched.page, url)
        shift: float = watched.page.evaluate("window.shift")
        return shift
