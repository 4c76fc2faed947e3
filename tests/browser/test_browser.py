"""The app as a person meets it, in a real Chromium; the recorders' own control stands at the end."""

import csv
import io
import re
import zipfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from PIL import Image
from playwright.sync_api import Browser, FilePayload, Locator, Page, TimeoutError, expect

from dpbi import MECHANISMS, limits
from dpbi.dashboard.page import DEFAULT_MECHANISMS
from dpbi.dashboard.sidebar import data_source, menu, privacy
from dpbi.dashboard.words import words
from dpbi.mechanisms.mechanism import AddedNoise
from tests.benchmarks import serving
from tests.browser import names
from tests.browser.chromium import ROOT, App, Scheme, Watched, open_page, wait_until_idle, watched_page, watching

pytestmark = pytest.mark.browser
# The pages about the sidebar's counts, and those of them that draw charts before a button is pressed.
OF_DATA = [page for page in menu.PAGES if "with scenario(" in (ROOT / page.path).read_text("utf-8")]
TITLES = [page.title for page in OF_DATA]
CHARTED = [page.title for page in OF_DATA if not page.releases]
DRAWN_BY_SIZE = [CHARTED[1], CHARTED[3]]  # the pages whose charts are others for two and for three categories


def assert_nothing_went_wrong(watched: Watched) -> None:
    assert not watched.outside_requests
    assert not watched.page_errors
    assert not watched.console_errors


def main_part(page: Page) -> Locator:
    return page.get_by_role("main")


def sidebar(page: Page) -> Locator:
    return page.get_by_test_id("stSidebar")


def figures(page: Page) -> Locator:
    return main_part(page).get_by_role("figure")


def strip(page: Page) -> Locator:
    """The line in sight on every page that says which counts, prior and epsilon are shown."""
    return page.locator(".st-key-notices")


def epsilon_field(page: Page) -> Locator:
    return sidebar(page).get_by_role("textbox", name="epsilon, exactly")


def follow(title: str, *pages: Page) -> None:
    """The menu's link clicked in all of these, then waited for."""
    for page in pages:
        sidebar(page).get_by_role("link", name=title, exact=True).click()
    for page in pages:
        wait_until_on(page, title)


def follow_folded(title: str, page: Page) -> None:
    """The link of a menu that is folded, and stays so."""
    sidebar(page).get_by_role("link", name=title, exact=True, include_hidden=True).dispatch_event("click")
    wait_until_on(page, title)


def wait_until_on(page: Page, title: str) -> None:
    wait_until_idle(page)  # what is not yet so is described at length by ``expect``, at every look
    expect(page).to_have_title(f"{title} · dpbi")
    expect(main_part(page).get_by_role("heading", level=1)).to_have_text(menu.page(title).heading)
    wait_until_idle(page)


def choose(part: Locator, label: str, option: str) -> None:
    wait_until_idle(part.page)
    box, wanted = part.get_by_role("combobox", name=label), part.page.get_by_role("option", name=option, exact=True)
    box.scroll_into_view_if_needed()  # a list that is open closes where the page is scrolled
    box.click()
    wanted.click()
    wait_until_idle(part.page)


def press(page: Page, name: str) -> None:
    main_part(page).get_by_role("button", name=name, exact=True).click()
    wait_until_idle(page)


def type_epsilon(page: Page, text: str) -> None:
    epsilon_field(page).fill(text)
    epsilon_field(page).press("Enter")
    wait_until_idle(page)


def offer_file(page: Page, name: str, content: str) -> None:
    """A file given to the page Data, on which the person is, and its form waited for."""
    file: FilePayload = {"name": name, "mimeType": "text/csv", "buffer": content.encode()}
    main_part(page).locator("input[type=file]").last.set_input_files(files=[file])
    expect(main_part(page).get_by_role("table").first).to_be_visible()
    wait_until_idle(page)


def words_of(page: Page) -> str:
    """All a person can read or have read aloud: charts, their descriptions and the tables' cells included."""
    described = page.locator("[aria-label]").evaluate_all("nodes => nodes.map(node => node.ariaLabel)")
    cells = page.locator("canvas").evaluate_all("nodes => nodes.map(node => node.textContent)")
    return "\n".join([page.locator("body").inner_text(), *described, *cells])


def assert_shows(page: Page, title: str, counts: str, epsilon: str) -> str:
    """The page of that title with these counts and this epsilon, drawn. Returns its first chart's description."""
    wait_until_on(page, title)
    expect(main_part(page)).to_contain_text(menu.page(title).purpose)
    expect(strip(page)).to_contain_text(counts)
    expect(strip(page)).to_contain_text(f"epsilon = {epsilon} ")
    if menu.page(title).uses_data:  # else folded
        expect(epsilon_field(page)).to_have_value(epsilon)
    expect(figures(page).first.locator(".main-svg").first).to_be_visible()
    expect(page.get_by_role("alert").filter(has_text="went wrong")).to_have_count(0)
    return figures(page).first.get_attribute("aria-label") or ""


def test_a_fresh_server_shows_its_first_table_and_asks_nobody(app: App, watched: Watched) -> None:
    drawn = serving.drawn_parts(watched.page, app.url)
    assert drawn.keys() == serving.PARTS.keys() and all(0 < seconds < 60 for seconds in drawn.values())
    wait_until_idle(watched.page)
    assert_shows(watched.page, "Home", "48 cured, 42 not cured; n = 90", "1")
    expect(main_part(watched.page).get_by_test_id("stDataFrame").first).to_be_visible()
    assert_nothing_went_wrong(watched)
    assert "External URL" not in app.log  # shown only after an outside host was asked for this machine's address
    assert "not a valid config option" not in app.log
    assert "Traceback" not in app.log


# Of the mechanisms ticked at first those that add noise: to choose among the candidates of ten categories, or of half a
# million records, costs the server seconds of what no walk through the pages looks at.
NOISE = ",".join(kind.__name__ for kind in MECHANISMS
                 if kind.__name__ in DEFAULT_MECHANISMS and issubclass(kind, AddedNoise))  # fmt: skip
# Scrolled down, in a pane that stays as high while one page takes the place of another: nothing else brings it up.
DOWN = """() => {
    document.querySelector('[data-testid="stMainBlockContainer"]').style.minHeight = '9000px';
    document.querySelector('[data-testid="stMain"]').scrollTop = 4000;
}"""


def table(head: str, rows: Iterable[tuple[object, ...]]) -> str:
    text = io.StringIO()
    csv.writer(text).writerows([head.split(","), *rows])
    return text.getvalue()


def test_what_two_people_bring_stays_through_every_page_and_neither_sees_the_others(
    app: App, browser: Browser, watched: Watched
) -> None:
    """And their names, which a page could take for markup, are shown as they are: nine categories and two."""
    one, counts = watched.page, "n = 74"
    brought = [(f"Quitte {names.NAMES[0]}", 41), *((name, 2) for name in names.NAMES[1:]), ("Zwetschge", 17)]
    uploaded = ("Quitte", "Zwetschge", "n = 74")
    typed = ("Ahorn", "Buche", "5,859", "2,718", "3,141")
    with watched_page(browser) as another:
        other = another.page
        other.goto(f"{app.url}?mechanisms={NOISE}", wait_until="commit")  # its scripts are read meanwhile
        open_page(one, f"{app.url}?mechanisms={NOISE}")
        choose(sidebar(one), "Counts from", data_source.FILE)
        follow("Data", one)
        offer_file(one, names.FILE, table("fruit,number", brought))
        expect(main_part(one).get_by_role("heading", name="10 categories, n = 74")).to_be_visible()
        assert one.evaluate(names.MADE) == []
        follow("Sensitivity", one)
        expect(figures(one)).to_have_count(0)  # the former counts are not shown as if they were the file's
        follow("Data", one)
        press(one, "Use these counts")
        follow("Home", one)
        type_epsilon(one, "0.375")
        assert_shows(one, "Home", counts, "0.375")

        choose(sidebar(other), "Counts from", data_source.TYPED)
        field = sidebar(other).locator("textarea")
        field.fill(f"Ahorn {names.HTML}, 2718\nBuche {names.LATEX}, 3141")
        field.press("Control+Enter")
        wait_until_idle(other)

        first_charts = set()
        for title in [*(title for title in TITLES if title not in CHARTED), *CHARTED[1:], CHARTED[0]]:
            one.evaluate(DOWN)
            both = title in (CHARTED[0], *DRAWN_BY_SIZE) or title not in CHARTED
            follow(title, *([one, other] if both else [one]))
            assert one.locator('[data-testid="stMain"]').evaluate("pane => pane.scrollTop") == 0, "opens at its top"
            if title in CHARTED:
                first_charts.add(assert_shows(one, title, counts, "0.375"))
            for word in (counts, names.FILE, "Quitte <b>"):
                expect(strip(one)).to_contain_text(word)
            for word in ("2,718 Ahorn <b>", "3,141 Buche $x^2$", "n = 5,859"):
                expect(strip(other)).to_contain_text(word)
            expect(epsilon_field(other)).to_have_value("1")
            said_to_one, said_to_other = words_of(one), words_of(other)
            names.assert_inert(one, said_to_one)
            names.assert_inert(other, said_to_other)
            assert not [word for word in typed if word in said_to_one]
            assert not [word for word in uploaded if word in said_to_other]
        assert len(first_charts) == len(CHARTED)
        assert_nothing_went_wrong(another)

    one.go_back()
    assert_shows(one, CHARTED[-1], counts, "0.375")
    one.go_back()
    assert_shows(one, CHARTED[-2], counts, "0.375")
    one.go_forward()
    assert_shows(one, CHARTED[-1], counts, "0.375")
    assert_nothing_went_wrong(watched)
    assert not [word for word in (*uploaded[:2], *typed[:2], "hacked") if word in app.log + one.url]


def test_records_of_a_chosen_column_are_counted(app: App, watched: Watched) -> None:
    """Three categories, whose names a page could take for markup."""
    page = watched.page
    open_page(page, f"{app.url}?mechanisms={NOISE}")
    choose(sidebar(page), "Counts from", data_source.FILE)
    answers = (names.LINK, names.OVERRIDE, names.LONG, names.LINK)
    rows = [(i, answers[i % 4], "north" if i < 9 else "south") for i in range(40)]
    follow("Data", page)
    offer_file(page, "people.csv", table("person,answer,region", rows))
    expect(main_part(page).get_by_role("radio", name="a person")).to_be_checked()
    expect(main_part(page).get_by_role("heading", name="3 categories, n = 40")).to_be_visible()
    press(page, "Use these counts")
    follow("Sensitivity", page)
    for label in ("20 [link](", "10 very long", "n = 40"):
        expect(strip(page)).to_contain_text(label)
    for title in DRAWN_BY_SIZE:
        follow(title, page)
        expect(figures(page).first.locator(".main-svg").first).to_be_visible()
        names.assert_inert(page, words_of(page))
    assert_nothing_went_wrong(watched)
    assert not [word for word in ("very long", "hacked") if word in app.log + page.url]


def test_a_refused_epsilon_is_told_and_leaves_no_chart_of_an_older_one(app: App, watched: Watched) -> None:
    page = watched.page
    with pytest.raises(ValueError) as refusal:
        limits.check_epsilon(-1.0)
    said = re.compile(re.escape(str(refusal.value)).replace(":", ":\u2060?"))  # see words.escape

    open_page(page, app.url)
    type_epsilon(page, "-1")
    expect(sidebar(page).get_by_role("alert")).to_have_text(said)
    for title in DRAWN_BY_SIZE:
        follow(title, page)
        expect(main_part(page).get_by_role("alert")).to_contain_text(said)
        expect(epsilon_field(page)).to_have_value("-1")
        expect(figures(page)).to_have_count(0)
        expect(main_part(page).get_by_test_id("stDataFrame")).to_have_count(0)
        expect(strip(page)).not_to_contain_text("epsilon =")

    follow("Home", page)
    type_epsilon(page, "2")
    assert_shows(page, "Home", "48 cured, 42 not cured; n = 90", "2")
    assert_nothing_went_wrong(watched)


def test_an_epsilon_moved_fast_ends_where_the_keys_lead_in_slider_field_and_page(app: App, watched: Watched) -> None:
    """Each key cuts short the run of the one before: what that run had told the field is lost. The slider stays the
    same one all along: one that is replaced loses the focus, and with it every further key."""
    page = watched.page
    open_page(page, f"{app.url}/Private_posteriors")
    slider = page.get_by_role("slider", name="epsilon").first
    slider.focus()
    for key in ["ArrowRight"] * 3 + ["ArrowLeft"] * 5:
        page.keyboard.press(key)
        page.wait_for_timeout(80)
    wait_until_idle(page)
    led_to = words.number(privacy.EPSILON_MARKS[privacy.EPSILON_MARKS.index(1.0) + 3 - 5])
    expect(slider).to_be_focused()
    expect(slider).to_have_attribute("aria-valuetext", led_to)
    expect(epsilon_field(page)).to_have_value(led_to)
    expect(strip(page)).to_contain_text(f"epsilon = {led_to} ")
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert_nothing_went_wrong(watched)


def taken(page: Page, button: Locator, folder: Path) -> Path:
    """The file that a press of the button gives, made only then."""
    with page.expect_download() as download:
        button.click()
    file = folder / download.value.suggested_filename
    download.value.save_as(file)
    return file


def assert_is_for_slides(file: Path) -> None:
    """1920 pixels wide, white and opaque all round, with dark words on it, whatever the theme it was taken in."""
    if file.suffix == ".png":
        picture = np.asarray(Image.open(file).convert("RGBA"))
        assert picture.shape[1] == 1920 and picture.shape[0] >= 1080
        assert (picture[..., 3] == 255).all() and (picture[[0, 0, -1, -1], [0, -1, 0, -1]] == 255).all()
        assert 0.7 < (picture[..., :3].min(axis=2) > 230).mean() < 1 and picture[..., :3].max(axis=2).min() < 50
        return
    svg = file.read_text("utf-8")
    assert re.match(r'<svg [^>]*width="(1920|250mm)"[^>]*><rect [^>]*fill: rgb\(255, 255, 255\); fill-opacity: 1', svg)
    inks = [[int(part) for part in ink] for ink in re.findall(r"fill: rgb\((\d+), (\d+), (\d+)\)[^>]*>[^<]", svg)]
    assert inks and max(map(max, inks)) < 128  # words alone have text behind their mark


def take_pictures(page: Page, button: str, folder: Path) -> None:
    for kind in ("PNG", "SVG"):
        assert_is_for_slides(taken(page, page.get_by_role("button", name=f"{button} {kind}").first, folder))


def assert_draws_offline(watched: Watched, file: Path) -> None:
    watched.page.goto(file.as_uri())
    expect(watched.page.locator("#figure .main-svg").first).to_be_visible()
    expect(watched.page.get_by_role("button", name="Save as PNG")).to_be_visible()
    assert watched.page.locator("a[href]").evaluate_all("nodes => nodes.map(n => n.href).filter(Boolean)") == []
    titles = watched.page.locator("[data-title]").evaluate_all("nodes => nodes.map(node => node.dataset.title)")
    assert titles and not [title for title in titles if "Share" in title]
    assert_nothing_went_wrong(watched)


def test_a_figure_and_a_report_are_taken_away_and_draw_without_the_app(
    app: App, browser: Browser, watched: Watched, tmp_path: Path
) -> None:
    page = watched.page
    open_page(page, app.url)
    html = taken(page, main_part(page).get_by_role("button", name="Figure as HTML").last, tmp_path)
    sidebar(page).get_by_text("Take it away").click()
    packed = taken(page, sidebar(page).get_by_role("button", name="Report (ZIP)"), tmp_path)
    assert_nothing_went_wrong(watched)
    with zipfile.ZipFile(packed) as report:
        report.extractall(tmp_path)
    with watched_page(browser) as elsewhere:
        for file in (*tmp_path.glob("dpbi/figures/*.html"), html):
            assert_draws_offline(elsewhere, file)
        take_pictures(elsewhere.page, "Save as", tmp_path)


def test_a_link_restores_its_page_and_a_reload_shows_what_was_last_shown(app: App, watched: Watched) -> None:
    page, counts = watched.page, "7 Zinnober, 5 Azurblau; n = 12"
    data = "source=counts-typed-in&labels=Zinnober,Azurblau&counts=7,5"
    open_page(page, f"{app.url}/Sensitivity?{data}&epsilon=0.25&gamma=-1&hello=world")
    assert_shows(page, "Sensitivity", counts, "0.25")
    expect(main_part(page)).to_contain_text("gamma must be at least 0")
    expect(main_part(page)).to_contain_text("is no setting here")
    follow("Home", page)
    assert_shows(page, "Home", counts, "0.25")
    assert "Zinnober" not in page.url
    type_epsilon(page, "2")
    page.go_back()
    assert_shows(page, "Sensitivity", counts, "2")  # what was set later is newer than the link
    page.reload()
    assert_shows(page, "Sensitivity", counts, "2")  # a new session, and the address of what was shown
    type_epsilon(page, "4")
    follow("Methods", page)
    assert "Zinnober" not in page.url and "epsilon=4" in page.url
    page.reload()
    follow("Home", page)
    expect(epsilon_field(page)).to_have_value("4")
    expect(main_part(page)).to_contain_text("bring them again")
    expect(strip(page)).not_to_contain_text("n =")
    expect(figures(page)).to_have_count(0)
    assert_nothing_went_wrong(watched)
    assert "Zinnober" not in app.log


# How far each pane could be scrolled sideways, in CSS pixels; wide tables and formulas scroll in themselves.
SIDEWAYS = """() => [document.documentElement, document.querySelector('[data-testid="stMain"]')]
    .map(pane => pane.scrollWidth - pane.clientWidth)"""
# Perceived lightness, 0 to 255, of the page's ground and of the darkest word on the axes of each chart.
LIGHTNESS = """() => {
    const lightness = colour => {
        const [red, green, blue] = colour.match(/[0-9.]+/g).map(Number);
        return 0.299 * red + 0.587 * green + 0.114 * blue;
    };
    const ground = document.querySelector('[data-testid="stApp"]');
    const charts = [...document.querySelectorAll('[data-testid="stPlotlyChart"]')];
    const words = charts.map(chart => [...chart.querySelectorAll('[class$="tick"] > text, [class$="title"]')]);
    const lit = words.map(found => Math.min(...found.map(word => lightness(getComputedStyle(word).fill))));
    return [lightness(getComputedStyle(ground).backgroundColor), ...lit.filter(Number.isFinite)];
}"""


# What lies over a chart's title or is cut of it: the bar of buttons, another word of the chart, the chart's own edge.
COVERED = """() => [...document.querySelectorAll('[data-testid="stPlotlyChart"]')].flatMap(chart => {
    const box = node => node.getBoundingClientRect();
    const title = chart.querySelector('.gtitle'), [edge, own] = [box(chart), box(title)];
    const others = [...chart.querySelectorAll('.modebar-container .modebar-btn, text')].filter(node => node !== title);
    const over = others.filter(node => box(node).left < own.right && box(node).right > own.left
        && box(node).top < own.bottom - 3 && box(node).bottom > own.top + 1);
    const inside = own.left >= edge.left && own.right <= edge.right && own.top >= edge.top;
    return [...(inside ? [] : [title.textContent]), ...over.map(node => node.textContent || node.dataset.title)];
})"""


def assert_nothing_is_covered(page: Page, title: str) -> None:
    """In the end: a chart takes the width of its place a moment after it is drawn."""
    with suppress(TimeoutError):
        page.wait_for_function(f"() => ({COVERED})().length === 0", timeout=5_000)
    assert page.evaluate(COVERED) == [], title


# Of axe-core's rules those of WCAG; what differs between the themes is colour.
WCAG = {"resultTypes": ["violations"], "runOnly": ["wcag2a", "wcag2aa", "wcag21aa"]}
COLOUR = {"resultTypes": ["violations"], "runOnly": ["color-contrast"]}
DRESSED = "scheme => getComputedStyle(document.querySelector('[data-testid=stApp]')).colorScheme === scheme"


def audit(page: Page, options: dict[str, list[str]]) -> list[str]:
    """What axe-core, put into the page before, finds: the rule, the element, what is wrong."""
    found = page.evaluate("options => axe.run(options).then(found => found.violations)", options)
    return [f"{one['id']}: {node['html'][:120]} {node['failureSummary']}" for one in found for node in one["nodes"]]


def dress(page: Page, scheme: Scheme) -> None:
    page.emulate_media(color_scheme=scheme)
    page.wait_for_function(DRESSED, arg=scheme)
    wait_until_idle(page)


SEEN = "selectors => selectors.filter(one => document.querySelector(one))"


def selectors() -> set[str]:
    """The parts of Streamlit's and plotly's pages that style sheets and scripts ask for, each by itself."""
    sheets = "".join(file.read_text("utf-8") for file in (ROOT / "dpbi/dashboard/shown").glob("*.[cj]s*"))
    sheets = re.sub(r"/\*.*?\*/", "", sheets, flags=re.DOTALL)
    attribute = r'\[(?:data-[a-z]+|class|kind)[*^$]?="[^"]+"\]'
    of_class = r"\.(?:st-key|katex|plotly|modebar|js)-[a-z-]+"
    passing = {f'[data-testid="st{name}"]' for name in ("Skeleton", "Spinner")}  # gone once a page is drawn
    return {*re.findall(f"{attribute}|{of_class}(?![\\w$-])", sheets)} - passing


def test_pages_fit_a_telephone_and_pass_an_audit_in_both_themes(app: App, tab: Page, tmp_path: Path) -> None:
    """The sidebar, folded there, is audited in ``test_stage``, beside the keyboard."""
    with watching(tab, "dark", width=390, height=844) as watched:
        page = watched.page
        open_page(page, app.url)
        page.evaluate(Axe().axe_script)
        page.get_by_test_id("stExpandSidebarButton").click()
        unseen = selectors() - {*page.evaluate(SEEN, list(selectors()))}
        follow(menu.TOUR, page)
        expect(sidebar(page)).not_to_be_in_viewport()  # the menu lay over the page that was chosen in it
        for title in (found.title for found in menu.PAGES):
            follow_folded(title, page)
            if title in TITLES:
                expect(strip(page)).to_contain_text("48 cured, 42 not cured; n = 90")
            if title in CHARTED:
                expect(figures(page).first.locator("text").first).to_be_attached()
            if title == "Data":
                for count in ("many", "9"):  # refused, and then not
                    offer_file(page, "mine.csv", table("fruit,number", [("Quitte", 41), ("Birne", count)]))
                    unseen -= {*page.evaluate(SEEN, list(unseen))}
                    if count == "many":
                        main_part(page).get_by_role("button", name="Discard the file").click()
            assert page.evaluate(SIDEWAYS) == [0, 0], title
            assert_nothing_is_covered(page, title)
            if title in ("Private posteriors", "Accuracy"):
                take_pictures(page, "Picture as", tmp_path)
            ground, *words = page.evaluate(LIGHTNESS)
            assert ground < 50 and all(darkest > 150 for darkest in words), title
            assert audit(page, WCAG) == [], title
            dress(page, "light")
            assert audit(page, COLOUR) == [], title
            dress(page, "dark")
            unseen -= {*page.evaluate(SEEN, list(unseen))}
        assert not unseen, "nothing on any page is so any longer"
        assert_nothing_went_wrong(watched)


# --- control: a page that does everything the app must not ---

OFFENDER = """<!doctype html><html lang="en"><title>offender</title>
<link rel="icon" href="https://icon.example/icon.png">
<img src="http://picture.example/a.png" alt="">
<img src="http://127.0.0.2:8099/a.png" alt="">
<script>
new WebSocket("ws://socket.example/");
fetch("https://fetch.example/data.json").catch(() => {});
console.error("an error written");
setTimeout(() => { document.title = "done"; throw new Error("an error thrown"); }, 0);
</script>"""


def test_the_recorders_see_what_an_offending_page_does(browser: Browser) -> None:
    failures: dict[str, str | None] = {}
    offender = "http://127.0.0.1:8098/"
    with watched_page(browser) as caught:
        caught.page.on("requestfailed", lambda request: failures.update({request.url: request.failure}))
        caught.page.route(offender, lambda route: route.fulfill(body=OFFENDER, content_type="text/html"))
        with caught.page.expect_event("pageerror"):
            caught.page.goto(offender)
        caught.page.wait_for_load_state("networkidle")

    assert sorted(urlsplit(url).hostname or "" for url in caught.outside_requests) == [
        "127.0.0.2",
        "fetch.example",
        "icon.example",
        "picture.example",
        "socket.example",
    ]
    assert any("an error written" in error for error in caught.console_errors)
    assert any("an error thrown" in error for error in caught.page_errors)
    # The socket's failure is told to the page alone; for the others the browser says that none left.
    assert set(failures.values()) == {"net::ERR_NAME_NOT_RESOLVED"}
    assert len(failures) == len(caught.outside_requests) - 1
