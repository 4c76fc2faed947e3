"""The data of a figure as one table, a row per point."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import plotly.graph_objects as go

_BOX = ("lowerfence", "q1", "median", "mean", "q3", "upperfence")
_ARRAYS = ("x", "y", "z", "a", "b", "c", *_BOX, "text")


def chart_data(figure: go.Figure) -> dict[str, list[Any]]:
    """Columns of equal length: the panel's title where there are several, the series' name, then the coordinates.

    Coordinates bear their axis's title where all panels agree on it. Values are those the figure sends, in single
    precision mostly (``style.compact``), with as many digits as it has; a gap is None.
    Points without any coordinate, which only make a legend, are left out.
    """
    panels = _panel_titles(figure)
    rows = [
        {"Panel": panels[_panel(trace)], "Series": _plain(trace.name or ""), **point}
        for trace in figure.data
        for point in _points(trace)
    ]
    used = [name for name in ("Panel", "Series", *_ARRAYS) if any(row.get(name) not in (None, "") for row in rows)]
    titles = _axis_titles(figure)
    return {titles.get(name, name): [row.get(name) for row in rows] for name in used}


def _points(trace: Any) -> Iterator[dict[str, Any]]:
    arrays = {name: values for name in _ARRAYS if (values := _values(trace, name)) is not None}
    for name, step in (("x", "dx"), ("y", "dy")):
        start = getattr(trace, f"{name}0", None)
        if name not in arrays and start is not None and getattr(trace, step, None) is not None:
            length = max(map(len, arrays.values()), default=0)
            arrays[name] = [float(start + i * getattr(trace, step)) for i in range(length)]
    length = max(map(len, arrays.values()), default=0)
    for i in range(length):
        point = {name: values[i] for name, values in arrays.items() if i < len(values)}
        if any(value is not None for name, value in point.items() if name != "text"):
            yield point


def _values(trace: Any, name: str) -> list[Any] | None:
    values = getattr(trace, name, None) if name in trace else None
    if values is None or isinstance(values, str):
        return None
    return [_cell(value) for value in values]


def _cell(value: Any) -> Any:
    """The value as plain Python; a single-precision one with its own shortest digits, not those of its double."""
    if isinstance(value, str):
        return _plain(value)
    if isinstance(value, np.integer):
        return int(value)
    if value is None or not np.isfinite(value):
        return None
    return float(str(value)) if isinstance(value, np.floating) else value


def _panel(trace: Any) -> str:
    subplot = next((trace[name] for name in ("subplot", "xaxis") if name in trace), None) or "x"
    return re.sub(r"\D", "", str(subplot)) or "1"


def _panel_titles(figure: go.Figure) -> dict[str, str]:
    """A title, or its number, for every panel; nothing where there is only one."""
    panels = sorted({_panel(trace) for trace in figure.data}, key=int)
    if len(panels) < 2:
        return dict.fromkeys(panels, "")
    titles = [_plain(note.text) for note in figure.layout.annotations if note.text and not note.showarrow]
    return dict(zip(panels, titles if len(titles) == len(panels) else panels, strict=True))


def _axis_titles(figure: go.Figure) -> dict[str, str]:
    found = {}
    for name, axes in (("x", figure.select_xaxes()), ("y", figure.select_yaxes())):
        titles = _distinct(axis.title.text for axis in axes)
        if len(titles) == 1:
            found[name] = titles[0]
    return found if len(set(found.values())) == len(found) else {}


def _distinct(texts: Iterable[str | None]) -> list[str]:
    return list(dict.fromkeys(_plain(text) for text in texts if text))


def _plain(text: str) -> str:
    """A figure's text without its markup."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", text)).split())
