"""Results as tables: what is on screen, sortable, and the same numbers to take away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.column_config import NumberColumn, TextColumn

from dpbi.comparison import Comparison
from dpbi.dashboard import downloads, words
from dpbi.dashboard.cached import QUANTILES

_HEIGHT_ROW, _ROWS_SHOWN = 36, 12


def show(table: pd.DataFrame, name: str, columns: dict[str, Any], alt: str) -> None:
    """The table in full up to a dozen rows, scrolling beyond, with its CSV."""
    rows = min(len(table), _ROWS_SHOWN)
    st.dataframe(
        table,
        hide_index=True,
        column_config=columns,
        row_height=_HEIGHT_ROW,
        height=(rows + 1) * _HEIGHT_ROW + 3,
        key=f"table: {name}",
        alt=alt,
    )
    downloads.button(table, name)


def comparison(rows: Sequence[Comparison]) -> None:
    """A row per mechanism: what is promised on what basis, and how near the truth the release is."""
    table = pd.DataFrame(
        {
            "Mechanism": [row.mechanism.label for row in rows],
            "Guarantee": [words.guarantee(row.guarantee) for row in rows],
            "Mean H": [row.mean for row in rows],
            "Median H": [row.median for row in rows],
            "P(truth)": [row.probability_of_truth for row in rows],
            "P(H ≤ LS)": [row.probability_within_local_sensitivity for row in rows],
            "Mean L1": [row.mean_l1 for row in rows],
            "Law": [words.LAW_KINDS[row.kind] for row in rows],
        }
    )
    show(table, "comparison", _COMPARISON, "One row per ticked mechanism: guarantee and distances from the truth")


def quantiles(rows: Sequence[Comparison], found: Sequence[tuple[float, ...]]) -> None:
    """A row per mechanism: mean and quantiles of the distance."""
    table = pd.DataFrame({"Mechanism": [row.mechanism.label for row in rows], "Mean H": [row.mean for row in rows]})
    for place, q in enumerate(QUANTILES):
        table[f"{q:.0%} of H"] = [levels[place] for levels in found]
    columns = {name: _number("This share of releases is at most so far from the truth.") for name in table.columns[2:]}
    show(table, "quantiles", _COMPARISON | columns, "One row per ticked mechanism: mean and quantiles of the distance")


def _number(help: str, format: str = "%.4g") -> Any:
    return NumberColumn(help=help, format=format, width=95)


_COMPARISON: dict[str, Any] = {
    "Mechanism": TextColumn(width=105),
    "Guarantee": TextColumn(width=150, help="What is promised for one record replaced, and on what basis."),
    "Mean H": _number("Mean Hellinger distance between the true and the released posterior; 0 same, 1 apart."),
    "Median H": _number("Half of all releases are at most this far from the true posterior."),
    "P(truth)": _number("Probability that the release is the true posterior itself."),
    "P(H ≤ LS)": _number(
        "Probability that the release is no farther from the truth than the local sensitivity LS(x), which is how far "
        "one replaced record can move the true posterior."
    ),
    "Mean L1": _number("Mean sum of the absolute errors of the released counts, in records."),
    "Law": TextColumn(width=90, help="How the distances were found: listed exactly, in fine bins, or sampled."),
}
