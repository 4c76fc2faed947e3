"""One server, one browser and one profile for all tests that drive a browser, in a process that runs them.

They end with those tests: while Playwright is at work its event loop is the only one that may run.
"""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.chromium import (
    CHROMIUM_NAMES,
    App,
    Watched,
    chromium_path,
    new_profile,
    running_app,
    running_chromium,
    watching,
)
from tests.conftest import could_not_run


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    path = chromium_path()
    if path is None:
        could_not_run("The browser tests", f"none of {', '.join(CHROMIUM_NAMES)} is installed")
    with ExitStack() as stack:
        try:
            browser = stack.enter_context(running_chromium(path))
        except Exception as error:  # noqa: BLE001 - Playwright's driver fails with the bare class
            could_not_run("The browser tests", f"{path} could not be started: {str(error).partition(chr(10))[0]}")
        yield browser


@pytest.fixture(scope="package")
def app(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[App]:
    """Asks for the browser first, so that without one no server is started."""
    with running_app(tmp_path_factory.mktemp("app")) as app:
        yield app


@pytest.fixture(scope="package")
def tab(browser: Browser) -> Iterator[Page]:
    """Has read and compiled the app's 10 MB of scripts for whoever opens the app in it again: 1 second, not 3."""
    with new_profile(browser) as profile:
        yield profile.new_page()


@pytest.fixture
def watched(tab: Page) -> Iterator[Watched]:
    """A page of its own session, that finds nothing of what an earlier one left behind."""
    with watching(tab) as watched:
        yield watched
