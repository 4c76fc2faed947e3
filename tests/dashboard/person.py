"""A person at the app under test, through AppTest: opens its pages, types, chooses and presses, and reads them."""

import json
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dpbi import MECHANISMS, Problem
from dpbi.dashboard.answers import work
from dpbi.dashboard.shown import folds
from dpbi.dashboard.sidebar import data_source, menu, privacy
from dpbi.dashboard.words import data, words

ROOT = Path(__file__).resolve().parents[2]
# The pages with the sidebar's scenario, and those that bring what they show.
PAGES, STAGES = (
    sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "pages").glob("*.py") if opening in path.read_text())
    for opening in ("with scenario(", "with stage(")
)
EVERY = ["app.py", *PAGES]
DATA = "pages/10_Data.py"
QUIET = "pages/3_Sensitivity.py"  # no mechanism is asked there: for what is true of the sidebar on every page
CURVES = "pages/2_Distance_curves.py"  # and one about mechanisms
WITHOUT_MECHANISMS = {QUIET: 5, "pages/6_Papers.py": 2}  # with the charts that no mechanism is needed for
ALL = {kind.__name__ for kind in MECHANISMS}
TO_RELEASE = "entry: to release"
PATIENCE = 120
EXAMPLE = Problem((1, 1), (48, 42))  # what the app opens with
HOSTILE = "=1+1 <img src=x onerror=alert(1)> [go](javascript:alert(1)) $x^2$ :red[r] **b**"


# --- opens ---


def opened(page: str = "app.py") -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE)
    if page != "app.py":
        at.switch_page(page)
    return ran(at)


def ran(changed: Any) -> AppTest:
    """The app run, as a whole or since one of its elements was changed."""
    at: AppTest = changed.run()
    assert not at.exception
    return at


def visit(at: AppTest, page: str) -> AppTest:
    return ran(at.switch_page(page))


def shown(at: AppTest, page: str, *, refused: bool = False) -> AppTest:
    """The page visited, seen to be that page, without traceback, apology or, unless expected, refusal.

    A page that raises is caught by Streamlit, and one that apologises by the page itself; a switch of pages that did
    not run shows the former one. Where it first asks what to release with, the first mechanism is chosen.
    """
    visit(at, page)
    for box in at.main.selectbox:
        if box.key == TO_RELEASE and box.value is None:
            ran(box.set_value(box.options[0]))
    heading = next(found.heading for found in menu.PAGES if found.path == page)
    assert [title.value for title in at.title] == [heading]
    said = [bare(error.value) for error in at.main.error]
    assert not [sentence for sentence in said if words.APOLOGY in sentence]
    assert bool(said) == refused, said
    return at


def unfold(at: AppTest, label: str) -> AppTest:
    """Opens a part of the page that is folded away."""
    at.session_state[folds.key(label)] = True
    return ran(at)


# --- enters ---


def key(at: AppTest, name: str) -> str:
    """Of the widget that shows a setting now: where it was changed from elsewhere, that is another one."""
    version = at.session_state["settings: versions"].get(name, 0)
    return f"entry: {name}, {version}" if version else f"entry: {name}"


def reach(at: AppTest, name: str) -> AppTest:
    """Unfolds what the mechanisms can be asked, where the setting's widget is not in sight."""
    if name not in {_name(one) for kind in ("text_input", "checkbox", "selectbox") for one in at.get(kind)}:
        for mechanism in MECHANISMS:
            at.session_state[folds.key(mechanism.__name__)] = True
        ran(at)
    return at


def _name(widget: Any) -> str:
    return str(widget.key).removeprefix("entry: ").partition(", ")[0]


def text(at: AppTest, name: str, value: str) -> AppTest:
    reach(at, name)
    return ran(at.text_input(key=key(at, name)).set_value(value))


def select(at: AppTest, name: str, value: Any) -> AppTest:
    return ran(reach(at, name).selectbox(key=key(at, name)).set_value(value))


def pick(at: AppTest, name: str, value: str) -> AppTest:
    """Of the choices that stand in a row."""
    return ran(at.segmented_control(key=f"entry: {name}").set_value(value))


def check(at: AppTest, name: str, value: bool = True) -> AppTest:
    """A box ticked, or not, of those that a picked mechanism has."""
    return ran(reach(at, name).checkbox(key=key(at, name)).set_value(value))


def tick(at: AppTest, names: set[str]) -> AppTest:
    """These mechanisms picked and no others; on a page that is about none, as on one visited before."""
    if not at.get("button_group") or key(at, privacy.PICKED) not in {one.key for one in at.pills}:
        at.session_state["settings"] |= ticked(names)
        return ran(at)
    picker = at.pills(key=key(at, privacy.PICKED))
    return ran(picker.set_value([kind.__name__ for kind in MECHANISMS if kind.__name__ in names]))


def ticked(names: Collection[str]) -> dict[str, Any]:
    """The sidebar's mechanisms, as settings."""
    chosen = {f"ticked: {kind.__name__}": kind.__name__ in names for kind in MECHANISMS}
    return chosen | {privacy.BY_HAND: True}


def picked(at: AppTest) -> set[str]:
    return {kind.__name__ for kind in MECHANISMS if at.session_state["settings"][f"ticked: {kind.__name__}"]}


def typed(at: AppTest, counts: str) -> AppTest:
    select(at, "source", data_source.TYPED)
    return ran(at.text_area(key="entry: typed").set_value(counts))


def made_up(at: AppTest, **entered: str) -> AppTest:
    """Counts made to order: their k, n, shape or seed."""
    select(at, "source", data_source.MADE_UP)
    for name, value in entered.items():
        (select if name == "shape" else text)(at, f"made-up {name}", value)
    return at


def waiting_for_a_file() -> AppTest:
    at = select(opened(QUIET), "source", data_source.FILE)
    assert at.main.info[0].value == data.NOTHING_IN_USE
    assert not at.get("plotly_chart")
    return at


def offer(at: AppTest, content: bytes, name: str = "mine.csv", *, place: int = -1) -> AppTest:
    """A file given to one of the uploaders of the page Data: the last if not said otherwise."""
    uploader: Any = at.main.get("file_uploader")[place]
    return ran(uploader.set_value((name, content, "text/csv")))


def buttons(at: AppTest) -> dict[str, Any]:
    return {button.label: button for button in at.main.button}


def press(at: AppTest, label: str) -> AppTest:
    return ran(buttons(at)[label].click())


def cancel_at(item: int, patch: pytest.MonkeyPatch) -> list[str]:
    """Cancel is pressed when so many items of work have begun: in a browser the press ends the run, here the run itself
    presses it. Returns the jobs that the items begun from now on are of."""
    begin = work.Work.begin
    begun: list[str] = []

    def pressed(self: work.Work) -> None:
        begin(self)
        begun.append(self.job)
        if len(begun) == item:
            work._cancel(self.job)

    patch.setattr(work, "_SILENT", -1.0)
    patch.setattr(work.Work, "begin", pressed)
    return begun


# --- reads ---


def bare(markdown: str) -> str:
    """Without the marks that keep words inert."""
    return markdown.replace("\\", "").replace("\u2060", "")


def led_to(at: AppTest) -> list[str]:
    """The pages that links of the main part lead to, as addresses have them."""
    links: list[Any] = [*at.main.get("page_link")]
    return [link.proto.page for link in links]


def everything(at: AppTest) -> str:
    """All words of the page's main part."""
    parts = [*at.main.markdown, *at.main.caption, *at.main.warning, *at.main.info, *at.main.error, *at.main.header]
    return bare("\n".join(part.value for part in parts))


def charts(at: AppTest) -> list[dict[str, Any]]:
    drawn: Any = at.get("plotly_chart")
    return [json.loads(chart.proto.spec) for chart in drawn]


def tables_of(files: Mapping[str, Callable[[], bytes]]) -> dict[str, bytes]:
    """The CSVs alone of what a page offers: its figures and its report take the time of the page once more."""
    return {name: make() for name, make in files.items() if name.endswith(".csv")}


def refusals(at: AppTest) -> list[str]:
    """The sentences beside the sidebar's controls."""
    return [bare(error.value) for error in at.sidebar.error]


def answered(at: AppTest) -> bool:
    """Whether the page shows a chart, or asks what to release with, before which it shows none."""
    return bool(at.get("plotly_chart")) or TO_RELEASE in {box.key for box in at.main.selectbox}
