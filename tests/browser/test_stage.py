"""What an audience meets: the tour and its links, talk mode on a projector, and every page by keyboard alone."""

import re
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from dpbi import MECHANISMS
from dpbi.dashboard.views import tour
from dpbi.figures.clouds import PAIR
from dpbi.tour import SCENES
from tests.browser.chromium import SHIFT, App, Watched, open_page, wait_until_idle, watched_page, watching
from tests.browser.test_browser import (
    COLOUR,
    SIDEWAYS,
    WCAG,
    assert_nothing_is_covered,
    assert_nothing_went_wrong,
    audit,
    dress,
    figures,
    follow,
    follow_folded,
    main_part,
    pytestmark,
    sidebar,
    strip,
    take_pictures,
    wait_until_on,
)

__all__ = ["pytestmark"]

ROOM = (1280, 720)  # CSS pixels of a projector
LETTERS = 20  # CSS pixels: what is read in a room is at least as high


def wait_for_scene(page: Page, place: int) -> None:
    scene = SCENES[place]
    wait_until_idle(page)
    expect(main_part(page).get_by_role("heading", name=scene.heading, exact=True)).to_be_visible()
    expect(main_part(page)).to_contain_text(f"Scene {place + 1} of {len(SCENES)}")
    wait_until_idle(page)
    expect(figures(page).first.locator(".main-svg").first).to_be_visible()
    expect(figures(page)).to_have_count(2 if scene.kind == "guess" else 1)


def test_a_link_opens_its_scene_and_the_arrows_and_the_history_move(app: App, watched: Watched) -> None:
    page = watched.page
    open_page(page, f"{app.url}/Tour?scene={SCENES[2].key}")
    wait_for_scene(page, 2)
    page.keyboard.press("ArrowRight")
    wait_for_scene(page, 3)
    assert f"scene={SCENES[3].key}" in page.url
    page.keyboard.press("ArrowLeft")
    wait_for_scene(page, 2)
    page.go_back()
    wait_for_scene(page, 3)
    page.go_forward()
    wait_for_scene(page, 2)
    scene = SCENES[2]
    main_part(page).get_by_role("button", name="Open this in the lab").click()
    wait_until_on(page, scene.page)
    expect(strip(page)).to_contain_text(f"n = {scene.problem.n}")
    shown = page.locator(f".st-key-chart--{tour.CHARTS[scene.key]} .main-svg").first  # the very chart of the scene
    expect(shown).to_be_in_viewport(ratio=0.99)
    page.go_back()
    wait_for_scene(page, 2)
    assert_nothing_went_wrong(watched)
    assert "Traceback" not in app.log


def test_talk_mode_by_hand_leaves_the_arrows_and_stays_in_the_address(app: App, watched: Watched) -> None:
    page = watched.page
    open_page(page, f"{app.url}/Tour")
    wait_for_scene(page, 0)
    switch = sidebar(page).get_by_role("switch", name="Talk mode", include_hidden=True)
    sidebar(page).get_by_text("Talk mode", exact=True).click()
    wait_until_idle(page)
    expect(switch).not_to_be_focused()  # in a sidebar that is folded by now
    expect(switch).not_to_be_in_viewport()
    last = len(SCENES) - 1
    assert SCENES[0].reveal
    for pressed, place in (("Space", 0), ("Space", 0), ("PageDown", 1), ("Space", 1), ("PageDown", 2), ("PageUp", 1),
                           ("End", last), ("Home", 0), ("ArrowRight", 1)):  # fmt: skip
        page.keyboard.press(pressed)
        wait_for_scene(page, place)
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.closest('[data-testid=stSidebar]')") is None
    main_part(page).get_by_role("button", name="Back").focus()
    page.keyboard.press("Space")
    wait_for_scene(page, 0)
    page.keyboard.press("PageDown")
    wait_for_scene(page, 1)
    page.reload()
    wait_for_scene(page, 1)
    expect(switch).not_to_be_in_viewport()
    main_part(page).get_by_role("button", name="Open this in the lab").click()
    wait_until_on(page, SCENES[1].page)
    assert "talk=true" in page.url
    page.get_by_test_id("stExpandSidebarButton").click()
    follow("Home", page)
    assert "talk=true" in page.url
    sidebar(page).get_by_text("Talk mode", exact=True).click()
    wait_until_idle(page)
    assert "talk" not in page.url
    follow("Tour", page)
    wait_for_scene(page, 1)
    page.go_back()
    wait_until_on(page, "Home")
    open_page(page, f"{app.url}/Tour?talk=true")
    expect(switch).not_to_be_in_viewport()  # though the browser remembers that the sidebar was unfolded by hand
    assert_nothing_went_wrong(watched)


def test_quick_presses_go_as_many_scenes(app: App, watched: Watched) -> None:
    page = watched.page
    open_page(page, f"{app.url}/Tour?talk=true")
    wait_for_scene(page, 0)
    for pressed, times, place in (("ArrowRight", 3, 3), ("PageUp", 3, 0), ("PageDown", 9, len(SCENES) - 1)):
        for _ in range(times):
            page.keyboard.press(pressed)
        wait_for_scene(page, place)
    main_part(page).get_by_role("button", name="Back").click(click_count=3)
    wait_for_scene(page, len(SCENES) - 4)
    page.keyboard.press("Space")  # the pointer left no focus behind
    wait_for_scene(page, len(SCENES) - 4)
    assert_nothing_went_wrong(watched)


def test_the_slider_moves_the_picture_at_once_and_the_epsilon_when_it_is_let_go(app: App, watched: Watched) -> None:
    page = watched.page
    open_page(page, f"{app.url}/Tour?scene=clouds")
    wait_for_scene(page, 1)
    said = page.locator(".slider-group > text")
    expect(said).to_contain_text("ε = 1:")
    grip, rail = (page.locator(f".slider-{part}-rect").bounding_box() for part in ("grip", "rail-touch"))
    assert grip is not None and rail is not None
    page.mouse.move(grip["x"] + 9, grip["y"] + 9)
    page.mouse.down()
    page.mouse.move(rail["x"] + rail["width"], rail["y"], steps=3)
    page.mouse.move(rail["x"] + 20, 5, steps=3)  # beside the chart: plotly hears it no longer
    expect(said).to_contain_text("ε = 0.1:")
    page.mouse.up()
    page.mouse.move(rail["x"] + rail["width"], rail["y"], steps=3)
    wait_until_idle(page)  # it is drawn anew there
    expect(said).to_contain_text("ε = 0.1:")
    for _ in range(3):
        page.keyboard.press("ArrowUp")
    expect(said).to_contain_text("ε = 0.25:")
    main_part(page).get_by_role("button", name="Less noise").click()  # from there, whatever is drawn meanwhile
    page.wait_for_timeout(500)  # what the keys brought about is told when they rest
    wait_until_idle(page)
    expect(said).to_contain_text("ε = 0.3:")
    follow("Home", page)
    expect(strip(page)).to_contain_text("epsilon = 0.3 ")
    assert_nothing_went_wrong(watched)


# All that a page holds of its first chart and of what stands around it.
HELD = """() => {
    const { data, layout, _transitionData } = document.querySelector('.st-key-chart--curve .js-plotly-plot');
    return document.querySelector('[data-testid="stMain"]').innerHTML + JSON.stringify([data, layout])
        + JSON.stringify(_transitionData._frames);
}"""


def test_a_guess_by_keyboard_is_told_after_it_alone(app: App, watched: Watched) -> None:
    page = watched.page
    open_page(page, f"{app.url}/Tour?scene=guess")
    wait_for_scene(page, 2)
    told = re.compile(r"\b(?:Right|Wrong)\b|best guess|was as good|was drawn")
    tally = page.locator(".st-key-chart--tally .gtitle")
    curve = "() => document.querySelector('.st-key-chart--curve .js-plotly-plot').data.at(-1).line.color"
    for turn, key in enumerate("yn", 1):
        page.keyboard.press("Space")  # goes nowhere before there is a guess
        wait_for_scene(page, 2)
        assert not told.search(page.evaluate(HELD))
        assert page.evaluate(curve) not in [style.colour for style in PAIR]
        page.keyboard.press(key)
        page.keyboard.press(key)  # counts once
        wait_until_idle(page)
        expect(tally).to_contain_text(re.compile(f"You: [0-{turn}] of {turn} right"))
        assert told.search(page.evaluate(HELD))
        assert page.evaluate(curve) in [style.colour for style in PAIR]
        page.keyboard.press("Space")
    wait_for_scene(page, 2)
    expect(tally).to_contain_text("of 2 right")
    assert_nothing_went_wrong(watched)


# The least height of the words that are read in a room, and how far the chart reaches below the screen.
READ = """() => {
    const read = '[data-testid="stMain"] :is(h1, h2, li, td, label p, [data-testid="stMarkdownContainer"] > p), text';
    const seen = [...document.querySelectorAll(read)]
        .filter(node => node.getClientRects().length && node.textContent.trim())
        .filter(node => !node.closest('.st-key-notices, [data-testid="stCaptionContainer"], button'));
    const chart = document.querySelector('[data-testid="stPlotlyChart"]');
    return [Math.min(...seen.map(node => parseFloat(getComputedStyle(node).fontSize))),
            chart.getBoundingClientRect().bottom - innerHeight];
}"""


def test_talk_mode_is_read_from_the_last_row(app: App, tab: Page, tmp_path: Path) -> None:
    with watching(tab, "light", *ROOM) as watched:
        page = watched.page
        open_page(page, f"{app.url}/Tour?talk=true")
        for place in range(len(SCENES)):
            wait_for_scene(page, place)
            expect(sidebar(page).get_by_role("link", name="Home", include_hidden=True)).not_to_be_in_viewport()
            letters, below = page.evaluate(READ)
            assert letters >= LETTERS * 0.95 and below <= 0, SCENES[place].key
            assert page.evaluate(SIDEWAYS) == [0, 0]
            expect(main_part(page).get_by_test_id("stDownloadButton").first).to_be_hidden()
            expect(main_part(page).get_by_role("button", name="More noise")).to_be_hidden()
            if place + 1 < len(SCENES):
                page.keyboard.press("ArrowRight")
        page.set_viewport_size({"width": 390, "height": 844})
        wait_for_scene(page, len(SCENES) - 1)
        reveal = main_part(page).get_by_role("button", name=SCENES[-1].reveal)
        expect(reveal.locator("kbd")).to_be_hidden()
        read = [main_part(page).get_by_role("heading", name=SCENES[-1].heading, exact=True),
                main_part(page).get_by_text(SCENES[-1].question), figures(page).first]  # fmt: skip
        boxes = [box for one in (reveal, *read) if (box := one.bounding_box())]
        assert [box["y"] for box in boxes] == sorted(box["y"] for box in boxes), "what is asked stands before the chart"
        assert len(boxes) == 4 and boxes[0]["height"] >= 44
        expect(figures(page).locator(".gtitle")).to_have_css("font-size", "15.6px")  # as on a telephone
        page.set_viewport_size({"width": ROOM[0], "height": ROOM[1]})
        take_pictures(page, "Picture as", tmp_path)
        page.set_viewport_size({"width": 1920, "height": 1080})  # the server is told, and all is larger
        expect(figures(page).locator(".xtick text").first).to_have_css("font-size", "27.44px")
        letters, below = page.evaluate(READ)
        assert letters >= LETTERS * 1.4 * 0.95 and below <= 0
        page.set_viewport_size({"width": ROOM[0], "height": ROOM[1]})
        open_page(page, f"{app.url}/?talk=true&epsilon=2")
        expect(strip(page)).to_contain_text("epsilon = 2 ")
        expect(main_part(page).get_by_role("table")).to_be_visible()
        expect(figures(page).first.locator("text").first).to_be_attached()
        assert page.evaluate(READ)[0] >= LETTERS * 0.95
        assert page.evaluate(SIDEWAYS) == [0, 0]
        page.set_viewport_size({"width": 785, "height": 720})
        for title in ("Sensitivity", "Home"):
            follow_folded(title, page)
            expect(figures(page).last.locator(".gtitle")).to_be_attached()
            assert_nothing_is_covered(page, title)
        assert_nothing_went_wrong(watched)


# Of each chart its height and its lower end in windows.
STAGE = """() => [...document.querySelectorAll('[data-testid="stPlotlyChart"]')].map(chart => {
    const {height, bottom} = chart.getBoundingClientRect();
    return [height / innerHeight, bottom / innerHeight];
})"""
# How far down the headings and words of a page begin, in the order in which they are read out.
ORDER = """() =>
    [...document.querySelectorAll('[data-testid="stMain"] :is(h2, [data-testid="stMarkdownContainer"] > p)')]
    .filter(node => node.getClientRects().length && !node.closest('label, button, [class*=st-key-notices]'))
    .map(node => node.getBoundingClientRect().top)"""


SIDEBAR = """() => {
    const { scrollHeight, clientHeight } = document.querySelector('[data-testid="stSidebarContent"]');
    return scrollHeight <= clientHeight;
}"""


def test_nothing_jumps_while_a_page_comes_and_its_chart_is_in_sight(app: App, browser: Browser) -> None:
    """With the sidebar; of three categories Home has the most rows at first."""
    for path, least in (("?example=cryotherapy-types", 1.0), ("Distance_curves", 0.9)):
        with watched_page(browser, "light", *ROOM) as watched:
            watched.page.add_init_script(f"({SHIFT})()")
            open_page(watched.page, f"{app.url}/{path}")
            expect(figures(watched.page).first.locator(".main-svg").first).to_be_visible()
            wait_until_idle(watched.page)
            assert watched.page.evaluate("window.shift") <= 0.1, path
            (height, bottom), *_ = watched.page.evaluate(STAGE)
            assert 1 - (bottom - height) >= least * height and watched.page.evaluate(SIDEBAR), path


@pytest.mark.parametrize(("window", "times"), [(ROOM, 1.0), ((1920, 1080), 1.4), ((3840, 2160), 2.8)])
def test_a_chart_fills_the_stage(app: App, tab: Page, window: tuple[int, int], times: float) -> None:
    with watching(tab, "light", *window) as watched:
        page = watched.page
        open_page(page, f"{app.url}/Tour?scene={SCENES[-1].key}&talk=true")
        tick = figures(page).locator(".xtick text").first
        expect(tick).to_have_css("font-size", f"{19.6 * times:g}px")
        wait_until_idle(page)
        ((height, bottom),) = page.evaluate(STAGE)
        assert height >= 0.6 and bottom <= 1
        if window != ROOM:
            return
        for title in ("Privacy loss", "Distance curves", "Release"):  # words stand before the chart, or a switch
            follow_folded(title, page)
            wait_until_idle(page)
            if title == "Release":
                begins = page.evaluate(ORDER)
                assert len(begins) > 6 and begins == sorted(begins)
                return
            height, bottom = page.evaluate(STAGE)[0]
            assert height >= 0.7 and bottom <= 1, title


# What has the focus, by its name, and whether an edge says so: of itself, its label or what it lies in.
FOCUSED = """() => {
    const node = document.activeElement;
    const name = node.ariaLabel || node.labels?.[0]?.innerText || node.innerText || '';
    const around = [node, node.parentElement, node.parentElement?.parentElement, node.closest('label')];
    const styles = around.filter(Boolean).map(found => getComputedStyle(found));
    const edge = styles.some(style =>
        (style.outlineStyle === 'solid' && parseFloat(style.outlineWidth) >= 2) || style.boxShadow.includes('3.4px'));
    return [name.replace(/\\s+/g, ' ').trim(), edge];
}"""
WANTED = ("Tour", "Counts from", "Prior", "epsilon, exactly", MECHANISMS[0].label,
          "Talk mode", "Seed", "Take it away", "Bring settings", "epsilon", "Download as CSV",
          "Picture as PNG", "Picture as SVG", "Data as CSV", "Figure as HTML",
          "Copy as Python")  # fmt: skip


def test_every_control_is_reached_by_keyboard_and_shows_it(app: App, watched: Watched) -> None:
    """And a wide page, with its sidebar, passes the audit that the others pass on a telephone."""
    page = watched.page
    open_page(page, app.url)
    wait_until_on(page, "Home")
    expect(figures(page).first.locator(".main-svg").first).to_be_visible()
    scrolled = "() => document.querySelector('[data-testid=stMain]').scrollTop"
    page.keyboard.press("PageDown")
    assert page.evaluate(scrolled) > 500
    page.keyboard.press("Home")
    assert page.evaluate(scrolled) == 0
    reached: dict[str, bool] = {}
    for _ in range(100):
        page.keyboard.press("Tab")
        name, edge = page.evaluate(FOCUSED)
        # An icon is a word in a font of its own.
        name = re.sub("^(keyboard_arrow_right|download|image) | (keyboard_arrow_right|chevron_right)$", "", name)
        reached[name] = edge and reached.get(name, True)
        if name == WANTED[-1]:
            break
    assert {name: reached.get(name) for name in WANTED} == dict.fromkeys(WANTED, True)
    page.evaluate(Axe().axe_script)
    assert audit(page, WCAG) == []
    dress(page, "dark")
    assert audit(page, COLOUR) == []
    assert_nothing_went_wrong(watched)
