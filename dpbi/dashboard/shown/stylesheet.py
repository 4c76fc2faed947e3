"""What the theme cannot say: the strip of notices that stays in sight, and the sidebar's rhythm."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpbi.dashboard.session import address, leaving, settings
from dpbi.dashboard.shown import pictures
from dpbi.dashboard.words import words

SIDEBAR_WIDTH = 352  # px: a mechanism and its "calibrated" in one row
# Streamlit gives a container with a key the class st-key-KEY. The strip's grounds are the theme's secondary ones.
# Its own mark of what the keyboard is on is a faint ground for some, its menu among them.
# Titles of charts are broken for a telephone: on the smallest, and in talk mode on any narrow screen, they shrink.
# A folded sidebar it leaves to the Tab key, and the focus in it.
# A picture is there at once: plotly's own word of it would cover a slide for seconds. A touch screen shows a table's
# tools all the time, on the words above it; it is pushed and downloaded without them.
# A formula that goes on to the right has a dotted edge there.
# The grey that it writes axes in has a contrast of 3.7 to 1 with white: too little for words.
_STYLE = """<style>
[data-testid="stLayoutWrapper"]:has(> .st-key-notices) { position: sticky; top: 3.75rem; z-index: 90; }
.st-key-notices {
  background: light-dark(#f2f5f9, #171f29);
  border-left: 0.25rem solid light-dark(#0b5394, #2f7bd0);
  border-radius: 0.4rem;
  box-shadow: 0 0.75rem 0.5rem -0.5rem light-dark(#ffffff, #0e131a);
  padding: 0.55rem 0.9rem;
}
.st-key-notices p { font-size: 0.875rem; line-height: 1.4; }
[data-testid="stLayoutWrapper"]:has(> :is([class*="st-key-script-"], .st-key-tour-ends)) { display: none; }
[data-testid="stSidebar"][data-collapsed="true"] :is(section, div, a, button, input) { visibility: hidden !important; }
[data-testid="stMainBlockContainer"] { padding-left: 2rem; padding-right: 2rem; max-width: 84rem; }
[data-testid="stSidebar"] [data-testid="stVerticalBlock"] { gap: 0.65rem; }
[data-testid="stSidebar"] .stElementContainer:has([data-testid="stCaptionContainer"]):has(+ * a) {
  margin-bottom: -0.5rem;
}
[data-testid="stSidebar"] h3 {
  margin-top: 0.5rem; padding: 0.8rem 0 0.7rem 0; border-top: 1px solid light-dark(#d3dae2, #36424f);
}
[data-testid="stSidebar"] [data-testid="stColumn"] { min-width: 0; }
[class*="st-key-option-"] { padding-left: 1.75rem; }
[class*="st-key-tick-"] { gap: 0.5rem; }
[class*="st-key-tick-"] [data-testid="stCheckbox"] p { font-size: 0.875rem; }
[data-testid="stSliderThumbValue"] p, [data-variant="segmented_control"][aria-checked="true"] p,
button[kind="tertiary"]:is(:hover, :active, :focus) { color: light-dark(#0b5394, #8cc4ff) !important; }
:is(a, button, summary, .katex-display):focus-visible,
label:has(input:focus-visible),
:is([data-testid="stTextInputRootElement"], [data-testid="stSelectbox"] div):has(> input:focus-visible) {
  outline: 0.15rem solid light-dark(#0b5394, #8cc4ff) !important; outline-offset: 0.1rem;
}
.katex-display[tabindex="0"] { border-right: 0.2rem dotted light-dark(#0b5394, #8cc4ff); }
[data-testid="stPlotlyChart"] .gtitle { font-size: min(17px, 4vw) !important; }
:is([class*="st-key-chart-"], .st-key-claim) { scroll-margin-top: 5.5rem; }
[data-testid="stCaptionContainer"] { opacity: 0.75; }
[data-testid="stPlotlyChart"] :is(
  [class$="tick"] > text, [class$="title"]:not(.gtitle), .annotation-text, .textpoint text
) { fill: light-dark(#4a5563, #b9c4d0) !important; }
@media (max-width: 640px) {
  [data-testid="stMainBlockContainer"] { padding-left: 1rem; padding-right: 1rem; }
  .st-key-notices p { font-size: 0.8rem; }
}
.plotly-notifier { display: none; }
@media (hover: none) {
  [data-testid="stFullScreenFrame"]:has([data-testid="stDataFrame"]) [data-testid="stElementToolbar"] { display: none; }
}
</style>"""


# Sizes follow the root's; the heading, or the strip of notices, shares the line of the menus' buttons. What a room does
# not read makes way: fine print, downloads, the sidebar's own summary.
_TALK = """<style>
html { font-size: 23px !important; }
[data-testid="stHeader"] { background: transparent; }
[data-testid="stMainBlockContainer"] { padding-top: 0.5rem; max-width: 100rem; }
[data-testid="stMainBlockContainer"] [data-testid="stVerticalBlock"] { gap: 0.6rem; }
[data-testid="stMainBlockContainer"] .st-key-notices.st-key-notices { gap: 0; }
[data-testid="stLayoutWrapper"]:has(> .st-key-notices) { top: 0.5rem; }
.st-key-opening, [data-testid="stLayoutWrapper"]:has(> .st-key-notices) { padding: 0 2.4rem; }
[data-testid="stMainBlockContainer"] h1 { font-size: 1.5rem; padding: 0; }
[data-testid="stMainBlockContainer"] h2 { font-size: 1.4rem; padding: 0.2rem 0; }
.st-key-opening p, .st-key-scene-text { display: none; }
:has(.st-key-tour-steps) .st-key-opening { display: none; }
.st-key-notices { padding: 0.2rem 0.6rem; }
.st-key-notices p { font-size: 0.7rem; }
.st-key-tour-steps button, [class*="st-key-picture-"] button { min-height: 0; padding: 0.15rem 0.6rem; }
[data-testid="stExpander"], [data-testid="stDownloadButton"], .modebar-container { display: none; }
@media (max-width: 640px) {
  html { font-size: 19px !important; }
  [data-testid="stLayoutWrapper"]:has(> .st-key-opening) { order: -4; }
  [data-testid="stLayoutWrapper"]:has(> .st-key-notices) { order: -3; }
  [data-testid="stLayoutWrapper"]:has(> .st-key-tour-steps) { order: -2; padding-top: 2rem; }
  :has(.st-key-tour-steps) [data-testid="stLayoutWrapper"]:has(> .st-key-notices) { order: 0; }
  [class*="st-key-chart--"]:not([class*="st-key-chart--"] ~ *) { order: -1; }
  [data-testid="stMarkdownContainer"]:has(table) { overflow-x: auto; }
}
</style>"""

_ENLARGED_TITLES = """<style>
[data-testid="stPlotlyChart"] .gtitle { font-size: min(23.8px, 3vw) !important; }
[data-testid="stPlotlyChart"] .gtitle tspan[style*="size"] { font-size: min(19.6px, 2.9vw) !important; }
</style>"""


# Streamlit leaves the pane as far down as it was wherever a page takes the place of another without a gap.
_TO_THE_TOP = """
if (window.dpbi%(of)s !== %(name)r) {
  window.dpbi%(of)s = %(name)r;
  document.querySelector('[data-testid="stMain"]')?.scrollTo(0, 0);
}"""


# Pages scroll in a pane, which keys move only once it was clicked: a talk begins without a click.
_SCROLL = """
if (!window.dpbiScroll) {
  window.dpbiScroll = true;
  document.addEventListener("keydown", event => {
    const pane = document.querySelector('[data-testid="stMain"]'), screen = 0.9 * innerHeight;
    const ways = {ArrowDown: 60, ArrowUp: -60, PageDown: screen, PageUp: -screen, " ": screen, Home: -1e7, End: 1e7};
    const way = ways[event.key], chord = event.altKey || event.ctrlKey || event.metaKey || event.shiftKey;
    if (!way || !pane || chord || !event.isTrusted || event.target !== document.body) return;
    event.preventDefault();
    pane.scrollBy(0, way);
  });
}"""
# A formula that scrolls must be reached by the keyboard; it is drawn after the page, and wide by the window's measure
# and its own letters, which are read last. Up to 4 pixels of a last letter may lean out of its box.
_FORMULAS = """
if (!window.dpbiFormulas) {
  window.dpbiFormulas = true;
  const reach = () => {
    for (const formula of document.querySelectorAll(".katex-display"))
      formula.tabIndex = formula.scrollWidth > formula.offsetWidth + 4 ? 0 : -1;
  };
  new MutationObserver(reach).observe(document.body, {childList: true, subtree: true});
  addEventListener("resize", reach);
  document.fonts.addEventListener("loadingdone", reach);
}"""
# The page comes in pieces: a part's place is known once it is drawn, and all above it a second later.
_INTO_SIGHT = """
(function seek(rest) {
  const part = document.querySelector(".st-key-%s"), drawn = part?.querySelector("%s");
  if (drawn) part.scrollIntoView({block: "nearest"});
  if (rest) setTimeout(seek, 100, drawn ? Math.min(rest, 10) - 1 : rest - 1);
})(300);"""
_FOLDING = '[data-collapsed="false"] [data-testid="stSidebarCollapseButton"] button'
# On a telephone the menu lies over the page that is chosen in it.
_MENU = """
if (!window.dpbiMenu) {
  window.dpbiMenu = true;
  document.addEventListener("click", event => {
    const chosen = event.target.closest?.('[data-testid="stSidebar"] [data-testid="stPageLink"] a');
    if (chosen && innerWidth < 768) document.querySelector('%s')?.click();
  });
}"""
# Talk mode begins with the sidebar folded, also where the browser remembers that it was unfolded by hand: that stays
# remembered, for the pages without talk mode.
_FOLD = """
if (window.dpbiTalk !== %(talk)s) {
  window.dpbiTalk = %(talk)s;
  const kept = Object.keys(localStorage).find(key => key.startsWith("stSidebarCollapsed"));
  if (window.dpbiTalk && localStorage[kept] === "false") (function fold(rest) {
    const button = document.querySelector('%(folding)s');
    button?.click();
    if (button) setTimeout(() => localStorage.setItem(kept, "false"), 500);
    else if (rest) setTimeout(fold, 100, rest - 1);
  })(50);
}"""
_ASK_BEFORE_LEAVING = "window.onbeforeunload = event => { event.preventDefault(); event.returnValue = true; };"


def apply(page: str, talk: bool) -> None:
    """The sheet of every page, which opens at its top; page: its title; talk: for a projector."""
    st.html(_STYLE + _TALK * talk + _ENLARGED_TITLES * in_a_room())
    run("fold", _FOLD % {"talk": str(talk).lower(), "folding": _FOLDING})
    run("menu", _MENU % _FOLDING)
    to_the_top("Page", page)
    run("scroll", _SCROLL)
    run("formulas", _FORMULAS)
    run("pictures", pictures.script())
    run("ask before leaving", _ASK_BEFORE_LEAVING if leaving.loses_something() else "window.onbeforeunload = null;")


def to_the_top(of: str, name: str) -> None:
    """Opens a page, or a part that takes the place of another, at its top; of: what it is, name: which."""
    run(f"to the top, {of}", _TO_THE_TOP % {"of": of, "name": name})


def in_a_room() -> bool:
    """Whether charts are enlarged: in talk mode, save on a telephone, which calls itself mobile.

    It is held in the hand, and the chart would be left without room.
    """
    return bool(settings.get(address.TALK)) and "Mobi" not in st.context.headers.get("User-Agent", "")


def run(name: str, script: str) -> None:
    """A script of the app's own, which takes no room on the page; name: of its place, once on a page."""
    with st.container(key=f"script {name}"):
        st.html(f"<script>{script}</script>", unsafe_allow_javascript=True)


def into_sight(key: str, drawn: str) -> None:
    """Brings the container of this key into sight; drawn: what is in it once it is drawn."""
    run("into sight", _INTO_SIGHT % (key, drawn))


def notices(raw: bool) -> DeltaGenerator:
    """The neighbour relation, in sight however far the page is scrolled.

    raw: whether a person's own counts are shown, which the strip then says too. Returns the place in it for what is
    being shown.
    """
    with st.container(key="notices", gap=None):
        told = f"{words.RELATION_NOTICE} {words.WORDS_EXPLAINED}"
        st.markdown(f"**{words.RAW_NOTICE}** {told}" if raw else told)
        return st.empty()
