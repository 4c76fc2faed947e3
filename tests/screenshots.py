"""Pictures of every page, to be looked at: `python -m tests.screenshots OUTDIR [PAGE …]`; for the README: `… README`.

Each page, or each named one (`Home`, `Tour?scene=noise`), is saved in full as NAME-light.png, NAME-dark.png and
NAME-narrow.png (the width of a telephone), and what talk mode shows of it at once as NAME-talk.png.
"""

import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page

from tests.browser.chromium import (
    ROOT,
    App,
    Scheme,
    chromium_path,
    open_page,
    running_app,
    running_chromium,
    watched_page,
)

LOOKS: dict[str, tuple[Scheme, int]] = {
    "light": ("light", 1280),
    "dark": ("dark", 1280),
    "narrow": ("light", 390),
    "talk": ("light", 1280),
}
TALK_HEIGHT = 720
HEIGHT = 900
README = {"home.png": ("", 1280, 1480), "tour.png": ("Tour?scene=clouds&talk=true", 1280, TALK_HEIGHT)}
COLOURS = 256  # of a picture for the README, far apart, so that no line takes another's: half the bytes


def page_paths() -> list[str]:
    """The pages' addresses below the app's: the number that orders a file's name is not part of it."""
    return ["", *(path.stem.partition("_")[2] for path in sorted((ROOT / "pages").glob("*.py")))]


def save_in_full(page: Page, width: int, file: Path) -> None:
    """Streamlit scrolls inside its own panes: a full picture needs a window as high as the highest."""
    panes = page.locator('[data-testid="stMain"], [data-testid="stSidebarContent"]')
    in_sight = (
        "nodes => nodes.filter(node => node.getBoundingClientRect().right > 0)"  # a folded sidebar is not
    )
    height = max(HEIGHT, *panes.evaluate_all(f"{in_sight}.map(node => node.scrollHeight)"))
    page.set_viewport_size({"width": width, "height": height})
    page.wait_for_timeout(500)  # charts redraw themselves after a resize
    page.screenshot(path=file)


def address(url: str, path: str, look: str) -> str:
    return f"{url}/{path}" + (("&" if "?" in path else "?") + "talk=true" if look == "talk" else "")


@contextmanager
def app_and_browser() -> Iterator[tuple[App, Browser]]:
    chromium = chromium_path()
    if chromium is None:
        raise SystemExit("No Chromium was found on this machine.")
    with (
        tempfile.TemporaryDirectory() as home,
        running_app(Path(home)) as app,
        running_chromium(chromium) as browser,
    ):
        yield app, browser


def for_the_readme() -> None:
    with app_and_browser() as (app, browser):
        for name, (path, width, height) in README.items():
            with watched_page(browser, "light", width, height) as watched:
                open_page(watched.page, f"{app.url}/{path}")
                watched.page.locator(".main-svg").first.wait_for()
                watched.page.wait_for_timeout(500)
                picture = Image.open(BytesIO(watched.page.screenshot())).convert("RGB")
            file = ROOT / ".readme" / name
            of_few_colours(picture).save(file, optimize=True)
            print(file, file.stat().st_size, "bytes")


def of_few_colours(picture: Image.Image) -> Image.Image:
    """Each colour of the palette becomes the commonest of those it stands for: large areas keep theirs."""
    few = picture.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    both = Counter(zip(few.getdata(), picture.getdata(), strict=True))
    palette = {place: colour for (place, colour), _ in reversed(both.most_common())}
    few.putpalette([part for place in range(COLOURS) for part in palette.get(place, (0, 0, 0))])
    return few


def main(folder: Path, pages: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with app_and_browser() as (app, browser):
        for look, (scheme, width) in LOOKS.items():
            for path in pages:
                with watched_page(browser, scheme, width, TALK_HEIGHT if look == "talk" else HEIGHT) as watched:
                    open_page(watched.page, address(app.url, path, look))
                    file = folder / f"{re.sub(r'[^A-Za-z0-9]+', '-', path) or 'Home'}-{look}.png"
                    if look == "talk":
                        watched.page.screenshot(path=file)
                    else:
                        save_in_full(watched.page, width, file)
                    print(file, *watched.console_errors, *watched.page_errors, sep="\n    ")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit("usage: python -m tests.screenshots OUTDIR [PAGE …] | README")
    if sys.argv[1:] == ["README"]:
        for_the_readme()
    else:
        main(Path(sys.argv[1]), [name if name != "Home" else "" for name in sys.argv[2:]] or page_paths())
