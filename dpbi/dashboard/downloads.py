"""Tables to take away, as CSV that a spreadsheet opens as numbers and inert text."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import streamlit as st

# A spreadsheet runs a cell that begins with one of these; tab and line ends can hide one behind them.
_RUN = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def csv_bytes(table: pd.DataFrame) -> bytes:
    """The table as UTF-8 CSV with a mark; numbers as they are, text that would run as a formula after an apostrophe."""
    safe = table.map(_inert).rename(columns=_inert)
    return safe.to_csv(index=False).encode("utf-8-sig")


def _inert(cell: object) -> object:
    return f"'{cell}" if isinstance(cell, str) and cell.lstrip(" ").startswith(_RUN) else cell


def button(table: Callable[[], pd.DataFrame], name: str) -> None:
    """A button that makes and writes the table when it is pressed, as dpbi-NAME.csv; pressing it redraws nothing."""
    st.download_button(
        "Download as CSV",
        lambda: csv_bytes(table()),
        file_name=f"dpbi-{name}.csv",
        mime="text/csv",
        key=f"download: {name}",
        on_click="ignore",
    )
