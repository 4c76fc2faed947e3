"""All that a page, or the tour, shows in one ZIP: tables, figures, what goes with them and the versions used."""

import io
import platform
import zipfile
from collections.abc import Mapping
from fnmatch import fnmatch
from importlib.metadata import version

import dpbi
from dpbi.dashboard.shown import downloads
from dpbi.dashboard.sidebar.menu import Page
from dpbi.dashboard.words import handover
from dpbi.problem.neighbours import RELATION

_PACKAGES = ("numpy", "scipy", "plotly", "pandas", "streamlit")


def zip_bytes(page: Page, shown: downloads.Shown, beside: Mapping[str, bytes], warning: str) -> bytes:
    """The report of one page. beside: files of its own by their names; warning: whether it shows anybody's counts."""
    from plotly.offline import get_plotlyjs

    from dpbi.figures.html_page import PLOTLY_FILE

    files = dict(beside)
    for name, table in shown.tables.items():
        files[f"tables/{name}.csv"] = downloads.csv_bytes(table(), shown.columns)
    for name, figure in shown.figures.items():
        files[f"figures/{name}.html"] = downloads.figure_page(figure, name, shown.about, embedded=False)
        files[f"figures/{name}.csv"] = downloads.figure_csv(figure, shown.columns)
    if shown.figures:
        files[f"figures/{PLOTLY_FILE}"] = get_plotlyjs().encode()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in {"README.txt": _readme(page, shown, warning, list(files)).encode(), **files}.items():
            # A fixed date: the same page gives the same bytes.
            archive.writestr(zipfile.ZipInfo(f"dpbi/{name}"), data, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


_MEANINGS = {  # of files, by what their names are like; the first that fits
    "settings.json": "the settings: the app's sidebar takes them under Bring settings",
    "reading.json": "the numbers of the page, and what was assumed: a program reads it",
    "statement.md": "what was read, and under which assumptions",
    "answers.md": "what the page says of it, in sentences",
    "notes.html": "for the speaker, to be printed: open it in a browser",
    "script.py": "computes the page's numbers anew: run it with .venv/bin/python of dpbi's folder",
    "*.js": "draws the figures; keep it beside them",
    "tables/*": "a table of the page",
    "*.html": "a figure of the page: open it in a browser",
    "figures/*": "the points of that figure",
    "*": "what was read: script.py opens it",
}


def _readme(page: Page, shown: downloads.Shown, warning: str, files: list[str]) -> str:
    meant = {name: next(said for like, said in _MEANINGS.items() if fnmatch(name, like)) for name in files}
    listed = "\n".join(f"  {name:32} {said}" for name, said in meant.items())
    made_with = {"dpbi": dpbi.__version__, "python": platform.python_version()} | {
        name: version(name) for name in _PACKAGES}
    versions = "\n".join(f"  {name:10} {number}" for name, number in made_with.items())
    neighbours, how = f"\nNeighbours: {RELATION}.", handover.REPORT_FILES
    if page.public:
        neighbours, how = "", handover.PUBLISHED_FILES
    return (
        f"{page.heading}\n{'=' * len(page.heading)}\n\n{page.purpose}\n\n{shown.about}{neighbours}\n\n"
        f"{warning}\n\nFiles\n{listed}\n\n{how}\n\nMade with\n{versions}\n"
    )
