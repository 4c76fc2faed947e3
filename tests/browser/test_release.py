"""A release from the button to the reloaded ledger in a real Chromium, with counts planted that no file may hold."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Dialog, Locator, Page, expect

from dpbi import MECHANISMS, Release
from dpbi.dashboard.page import DEFAULT_MECHANISMS
from dpbi.dashboard.sidebar import data_source
from dpbi.dashboard.words import release as release_words, words
from dpbi.releases.ledger import Ledger
from tests.browser.chromium import ROOT, App, Watched, open_page, wait_until_idle
from tests.browser.test_browser import (
    NOISE,
    assert_nothing_went_wrong,
    choose,
    follow,
    main_part,
    sidebar,
    taken,
    type_epsilon,
)
from tests.releases.planted import TYPED, holds_a_count, near_a_count

pytestmark = pytest.mark.browser

# Of those ticked at first, one whose noise at epsilon = 0.004 is far from 0.
LAPLACE = next(kind for kind in MECHANISMS if kind.__name__ in DEFAULT_MECHANISMS)
NOT_WRITTEN = {".git", ".venv", "tests", "__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache"}


def written_by(app: App) -> list[Path]:
    """Every file that the server may have written: in its home, its temporary folder and the folder it runs in."""
    own = list(app.home.rglob("*"))
    beside = [path for path in ROOT.rglob("*") if not NOT_WRITTEN & {*path.relative_to(ROOT).parts}]
    return [path for path in own if path.is_file()] + [
        path for path in beside if path.is_file() and path.stat().st_mtime >= app.started
    ]


def button(page: Page) -> Locator:
    return main_part(page).get_by_role("button", name=re.compile("^Release once with"))


def press(page: Page) -> None:
    button(page).click()
    wait_until_idle(page)


def acknowledge(page: Page, sentence: str) -> None:
    main_part(page).get_by_text(sentence).click()
    wait_until_idle(page)


def say(page: Page, label: str, text: str) -> None:
    field = main_part(page).get_by_role("textbox", name=label)
    field.fill(text)
    field.press("Enter")
    wait_until_idle(page)


def plant(page: Page) -> None:
    choose(sidebar(page), "Counts from", data_source.TYPED)
    field = sidebar(page).locator("textarea")
    field.fill(TYPED)
    field.press("Control+Enter")
    wait_until_idle(page)
    expect(main_part(page)).to_contain_text("271,828 group 1, 314,159 group 2; n = 585,987")


def released(page: Page, folder: Path) -> Path:
    return pressed(page, main_part(page).get_by_role("button", name="Release (JSON)"), folder)


def pressed(page: Page, button: Locator, folder: Path) -> Path:
    """``taken`` at a person's pace: the press of one button runs the page, which drops what another has asked for."""
    file = taken(page, button, folder)
    wait_until_idle(page)
    return file


def test_the_whole_path_and_no_trace_of_the_counts(app: App, watched: Watched, tmp_path: Path) -> None:
    page = watched.page
    open_page(page, f"{app.url}/Release?epsilon=0.004&mechanisms={NOISE}")
    plant(page)
    expect(button(page)).to_have_count(0)
    expect(main_part(page)).to_contain_text("Nearest to the truth", timeout=60_000)
    choose(main_part(page), "Mechanism", LAPLACE.label)
    expect(main_part(page)).to_contain_text("The ledger is empty.")
    say(page, "Whose answers these are", "Planted people")
    say(page, "What was asked", "Which group?")
    expect(button(page)).to_be_disabled()
    acknowledge(page, "I know that a draw is final")
    press(page)
    expect(main_part(page).get_by_role("heading", name="The release")).to_be_visible()
    expect(main_part(page).get_by_role("figure")).to_have_count(3)

    (first := tmp_path / "first").mkdir()
    files = [released(page, first)]
    made = Release.from_json(files[0].read_bytes())
    nearest = made.nearest  # guessed from what is public alone, and may be the truth
    assert not isinstance(nearest, str)
    if near_a_count({*made.released, *nearest.counts}):
        pytest.skip("once in sixty times the noise on these counts is next to nothing")
    sidebar(page).get_by_text("Take it away").click()
    downloads = page.get_by_test_id("stDownloadButton").get_by_role("button")
    assert downloads.count() == 16, "all of which the page's own tests take"
    files.append(pressed(page, main_part(page).get_by_role("button", name="Statement (HTML)"), first))
    files.append(pressed(page, downloads.last, first))
    assert not [file.name for file in files if holds_a_count(file.read_bytes())]
    sidebar(page).get_by_text("Link to this page").click()
    assert not holds_a_count(sidebar(page).get_by_test_id("stCode").inner_text().encode())

    # Nothing but the button draws.
    type_epsilon(page, "0.5")
    follow("Home", page)
    follow("Release", page)
    (second := tmp_path / "second").mkdir()
    assert Release.from_json(released(page, second).read_bytes()) == made

    # A number typed without Enter comes with the click: nothing is drawn for what nobody read.
    acknowledge(page, release_words.SAME)
    acknowledge(page, "I know that all releases about these people will come to 0.504-DP")
    page.get_by_label("epsilon, exactly").fill("0.004")
    button(page).click()
    wait_until_idle(page)
    expect(button(page)).to_contain_text("epsilon = 0.004")
    expect(button(page)).to_be_disabled()
    expect(main_part(page)).to_contain_text("These people's answers were released once already: 0.004-DP.")
    type_epsilon(page, "0.5")

    # A second release is warned of.
    expect(main_part(page)).to_contain_text("These people's answers were released once already: 0.004-DP.")
    expect(button(page)).to_be_disabled()
    acknowledge(page, "I know that all releases about these people will come to 0.504-DP")
    press(page)
    expect(main_part(page)).to_contain_text("These people's answers were released twice; all together: 0.504-DP.")
    expect(main_part(page)).to_contain_text("2 releases, by Bayes' rule with every mechanism's noise")
    expect(button(page)).to_be_disabled()
    ledger = taken(page, main_part(page).get_by_role("button", name="Ledger (JSON)"), second)
    assert Ledger.from_json(ledger.read_bytes()).total().releases == 2

    # A reload asks first, since a release is unsaved, and forgets; what was exported counts again.
    asked: list[str] = []

    def leave(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    page.once("dialog", leave)
    page.reload()
    assert asked == ["beforeunload"]
    wait_until_idle(page)
    expect(main_part(page).get_by_role("heading", name="The release")).to_have_count(0)
    plant(page)
    choose(main_part(page), "Mechanism", LAPLACE.label)
    expect(main_part(page)).to_contain_text("The ledger is empty. It starts anew with every session")
    say(page, "Whose answers these are", "planted  people")
    main_part(page).get_by_text("Bring an exported ledger").click()
    main_part(page).locator("input[type=file]").set_input_files(ledger)
    add = main_part(page).get_by_role("button", name="Add to the ledger")
    add.click()
    expect(add).to_have_count(0)
    wait_until_idle(page)
    expect(main_part(page)).to_contain_text("These people's answers were released twice already: 0.504-DP.")
    expect(button(page)).to_be_disabled()

    assert_nothing_went_wrong(watched)
    expect(page.get_by_role("alert").filter(has_text=words.APOLOGY[:30])).to_have_count(0)
    assert "Traceback" not in app.log
    written = written_by(app)
    assert app.log_file in written
    assert not [path for path in written if holds_a_count(path.read_bytes())]
