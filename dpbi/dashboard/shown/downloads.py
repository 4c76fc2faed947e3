"""Tables and figures to take away: CSV that a spreadsheet opens as numbers and inert text, pages that need no network.

Everything is made when its button is pressed, not before, but where the press runs the page: a run costs a button.
What makes a file has all it needs from the run that drew the button: at the press there is no session to ask.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from threading import current_thread
from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st
from streamlit.runtime.scriptrunner_utils.script_run_context_attr import SCRIPT_RUN_CONTEXT_ATTR_NAME

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

# A spreadsheet runs a cell that begins with one of these; tab and line ends can hide one behind them.
_RUN = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


@dataclass
class Shown:
    """What one run of a page has shown so far.

    columns: what it was computed for, a constant column each in every CSV that has none of that name, so that files of
    several scenarios can be put under one another; about: the same as a sentence; tables, figures: by name, in the
    page's order.
    """

    columns: Mapping[str, str | int | float]
    about: str
    tables: dict[str, Callable[[], pd.DataFrame]] = field(default_factory=dict)
    figures: dict[str, Figure] = field(default_factory=dict)


# Of the thread that runs the page: two people's pages run in two.
_shown: ContextVar[Shown | None] = ContextVar("shown", default=None)


@contextmanager
def collected(shown: Shown) -> Iterator[None]:
    """Within it, every table and figure of the page is put down in ``shown``."""
    token = _shown.set(shown)
    try:
        yield
    finally:
        _shown.reset(token)


def also_for(settings: Mapping[str, str | int | float]) -> None:
    """The page's files and its report are of these settings too."""
    shown = _shown.get()
    if shown is not None:
        shown.columns = {**shown.columns, **{f"Setting: {name}": value for name, value in settings.items()}}
        said = ", ".join(f"{name} = {value}" for name, value in settings.items())
        shown.about = f"{shown.about.removesuffix('.')}, {said}."


def csv_bytes(table: pd.DataFrame, columns: Mapping[str, str | int | float] | None = None) -> bytes:
    """The table as UTF-8 CSV with a mark; numbers as they are, text that would run as a formula after an apostrophe.

    columns: constant ones put behind the table's own; one that the table has stays the table's.
    """
    added = {name: value for name, value in (columns or {}).items() if name not in table}
    inert = table.assign(**added).map(_inert).rename(columns=_inert)
    return inert.apply(_whole).to_csv(index=False).encode("utf-8-sig")


def _whole(column: pd.Series) -> pd.Series:
    """Whole numbers written as such, 412 and not 412.0, where one of them is not there."""
    if not (pd.api.types.is_float_dtype(column) and column.isna().any()):
        return column
    there = column.dropna()
    return column.astype("Int64") if len(there) and ((there % 1 == 0) & (there.abs() < 2**53)).all() else column


def _inert(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and cell.lstrip(" ").startswith(_RUN) else cell


def button(table: Callable[[], pd.DataFrame], name: str) -> None:
    """A button that makes and writes the table when it is pressed, as dpbi-NAME.csv; pressing it redraws nothing."""
    shown = _shown.get() or Shown({}, "")
    shown.tables[name] = table
    # At its press the page is whole, and all its settings known
    offer("Download as CSV", lambda: csv_bytes(table(), shown.columns), f"dpbi-{name}.csv", "text/csv", quiet=True)


def figure_buttons(figure: Figure, name: str) -> None:
    """Four buttons: the figure as a picture in two formats, its points as CSV, and the figure as a page of its own."""
    shown = _shown.get() or Shown({}, "")
    shown.figures[name] = figure
    with st.container(horizontal=True, gap="small"):
        for kind in ("png", "svg"):  # made in the browser, which has the chart and all that draws it
            st.button(f"Picture as {kind.upper()}", key=f"picture {kind}: {name}", type="tertiary",
                      icon=":material/image:")  # fmt: skip
        file = f"dpbi-{name}"
        offer("Data as CSV", lambda: figure_csv(figure, shown.columns), f"{file}-chart.csv", "text/csv", quiet=True)
        offer("Figure as HTML", lambda: figure_page(figure, name, shown.about), f"{file}.html", "text/html", quiet=True)


def figure_csv(figure: Figure, columns: Mapping[str, str | int | float]) -> bytes:
    from dpbi.figures.chart_data import chart_data

    return csv_bytes(pd.DataFrame(chart_data(figure)), columns)


def figure_page(figure: Figure, name: str, about: str, *, embedded: bool = True) -> bytes:
    from dpbi.figures.html_page import html_page

    return html_page(figure, f"dpbi-{name}", [about], embedded=embedded).encode()


class NoSession:
    """What stands where Streamlit looks for the session: whatever is asked of it is refused."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError("A file must be made of what the run that drew its button knew.")


def apart(made: Callable[[], bytes]) -> bytes:
    """What it makes without a session: to read one raises here, where Streamlit would give an empty one and the file
    would be false."""
    def begin() -> None:
        setattr(current_thread(), SCRIPT_RUN_CONTEXT_ATTR_NAME, NoSession())

    with ThreadPoolExecutor(1, initializer=begin) as thread:
        return thread.submit(made).result()


def offer(
    label: str,
    made: Callable[[], bytes],
    file_name: str,
    mime: str,
    *,
    quiet: bool = False,
    help: str | None = None,
    then: Callable[[], None] | None = None,
) -> None:
    """A button whose file is made when it is pressed; pressing it redraws nothing, but where something is to follow.

    then: what is to follow. The page runs with the press then, and a run that begins drops what Streamlit has not sent
    yet, the answer where the file lies too: the button would turn for ever. Such a file is made with the page.
    """

    def file() -> bytes:
        try:
            return made() if then else apart(made)
        except Exception as failure:  # noqa: BLE001 - Streamlit logs what is raised here, and it may quote a label
            raise RuntimeError(f"{file_name} could not be made: {type(failure).__name__}") from None

    st.download_button(
        label,
        file() if then else file,
        file_name=file_name,
        mime=mime,
        key=f"download: {file_name}",
        on_click=then or "ignore",
        type="tertiary" if quiet else "secondary",
        icon=":material/download:" if quiet else None,
        help=help,
    )
