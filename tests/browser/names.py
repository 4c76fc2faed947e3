"""Names that a page could take for markup: shown as they are, run by nothing."""

from playwright.sync_api import Page

HTML = "<b>bold</b><img src=x onerror=hacked=1>"
LINK = "[link](javascript:hacked=1) ![picture](https://picture.example/a.png) :red[red] :smile:"
LATEX = "$x^2$ and \\frac{1}{2} $$y$$"
FORMULA = '=HYPERLINK("https://formula.example","click")'
HEADING = "# heading | cell `code` ~~gone~~ **bold**"
OVERRIDE = "ab\u202ecd"
HEBREW = "\u05d0\u05d1\u05d2 1 (\u05d3)"
LONG = "very long " * 49 + "name"  # and its twin, which differs at the end alone
NAMES = (HTML, LINK, LATEX, FORMULA, HEADING, OVERRIDE, HEBREW, LONG + " one", LONG + " two")
FILE = "<i>names</i>$x$.csv"

# What a name would have made if it had been taken for markup; scripts of names set window.hacked.
MADE = """() => {
    const made = [
        'img[src="x"]', 'img[src*="picture.example"]', 'a[href*="javascript"]', 'a[href*="formula.example"]', 'del',
        '.st-key-notices :is(.katex, code, img, h1, a:not([href="Methods#glossary"]))', '.main-svg :is(a, image)',
    ];
    return [window.hacked, ...document.querySelectorAll(made)].filter(Boolean).map(String);
}"""
WIDER = "() => document.querySelector('[data-testid=\"stMain\"]').scrollWidth - window.innerWidth"


def assert_inert(page: Page, said: str) -> None:
    """On this page, all of whose words are ``said``."""
    assert page.evaluate(MADE) == []
    assert page.evaluate(WIDER) <= 0
    assert "\u202e" not in said, "an override would turn the words around it"
    assert "went wrong" not in said
