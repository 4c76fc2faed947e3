"""Names that a page could take for markup, through every page in a real Chromium: shown as they are, run by nothing."""

from __future__ import annotations

import csv
import io

import pytest
from playwright.sync_api import Page, expect

from dpbi.dashboard.sidebar import data_source
from tests.browser.chromium import App, Watched, open_page
from tests.browser.test_browser import (
    CHARTED,
    assert_nothing_went_wrong,
    choose,
    figures,
    follow,
    offer_file,
    press,
    sidebar,
    strip,
    wait_until_on,
)

pytestmark = pytest.mark.browser

HTML = "<b>bold</b><img src=x onerror=hacked=1>"
LINK = "[link](javascript:hacked=1) ![picture](https://picture.example/a.png) :red[red] :smile:"
LATEX = "$x^2$ and \\frac{1}{2} $$y$$"
FORMULA = '=HYPERLINK("https://formula.example","click")'
HEADING = "# heading | cell `code` ~~gone~~ **bold**"
OVERRIDE = "ab\u202ecd"
HEBREW = "\u05d0\u05d1\u05d2 1 (\u05d3)"
LONG = "very long " * 49 + "name"  # and its twin, which differs at the end alone
NAMES = (HTML, LINK, LATEX, FORMULA, HEADING, OVERRIDE, HEBREW, LONG + " one", LONG + " two")

# What a name would have made if it had been taken for markup; scripts of names set window.hacked.
MADE = """() => {
    const made = [
        'img[src="x"]', 'img[src*="picture.example"]', 'a[href*="javascript"]', 'a[href*="formula.example"]', 'del',
        '.st-key-notices :is(.katex, code, img, h1, a:not([href="Methods#glossary"]))', '.main-svg :is(a, image)',
    ];
    return [window.hacked, ...document.querySelectorAll(made)].filter(Boolean).map(String);
}"""
SIDEWAYS = "() => document.querySelector('[data-testid=\"stMain\"]').scrollWidth - window.innerWidth"


def table(names: tuple[str, ...]) -> str:
    text = io.StringIO()
    csv.writer(text).writerows([("kind", "count"), *((name, 2 + i % 2) for i, name in enumerate(names))])
    return text.getvalue()


def assert_inert(page: Page, title: str) -> None:
    wait_until_on(page, title)
    expect(figures(page).first.locator(".main-svg").first).to_be_visible()
    assert page.evaluate(MADE) == [], title
    assert page.evaluate(SIDEWAYS) <= 0, title
    expect(page.get_by_role("alert").filter(has_text="went wrong")).to_have_count(0)
    words = page.locator("body").inner_text()
    assert "\u202e" not in words, "an override would turn the words around it"


DRAWN_BY_SIZE = [CHARTED[1], CHARTED[3]]  # the pages whose charts are others for two and for three categories


def test_names_are_shown_and_not_run(app: App, watched: Watched) -> None:
    page = watched.page
    open_page(page, app.url)
    choose(sidebar(page), "Counts from", data_source.FILE)
    for names, titles in ((NAMES, CHARTED), ((HTML, LATEX), DRAWN_BY_SIZE), ((LINK, OVERRIDE, LONG), DRAWN_BY_SIZE)):
        offer_file(page, f"<i>{len(names)}</i>$x$.csv", table(names))
        assert page.evaluate(MADE) == []
        press(page, "Use these counts")
        for title in titles:
            follow(title, page)
            assert_inert(page, title)
            expect(strip(page)).to_contain_text(f"<i>{len(names)}</i>$x$.csv")
            expect(strip(page)).to_contain_text(names[0][:5])
    assert_nothing_went_wrong(watched)
    assert "hacked" not in app.log
