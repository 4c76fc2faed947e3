"""The data of a figure as one table, a row per point."""

import base64
import html
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import plotly.graph_objects as go

_COORDINATES = ("x", "y", "z", "a", "b", "c", "lowerfence", "q1", "median", "mean", "q3", "upperfence")
_COLUMNS = ("Panel", "Series", "Line", "Category", *_COORDINATES, "From", "To", "Value", "text")
_SINGLE = 7  # digits of single precision


def chart_data(figure: go.Figure) -> dict[str, list[Any]]:
    """Columns of equal length: panel and series by title, then the coordinates, and the value a point is told with.

    Coordinates bear their axis's title where all panels agree on it; Category is what an axis says in words at the
    point's place, which then is no coordinate; From and To are the ends of the interval drawn about a point, or of a
    bar that does not begin at 0. Where an interval lies along x, y is a mere place, and left out. Line tells apart the
    lines that a series draws, with gaps between them. Values are those that the figure sends, in single precision
    mostly (``style.compact``), with as many digits as it has. What has an axis that is not shown lies in the panel that
    this overlays, and its place along it is no coordinate.
    """
    panels, titles = _panel_titles(figure), _axis_titles(figure)
    rows: list[dict[str, Any]] = []
    drawn: Counter[tuple[str, str]] = Counter()  # lines of a series in a panel, from traces before
    for trace in figure.data:
        place = panels[_panel(figure, trace)], _plain(trace.name or trace.legendgroup or "")
        points = [{name: value for name, value in point.items() if name != "x" or _overlaid(figure, trace) is None}
                  for point in _points(trace, _ticks(figure, trace))]
        rows += [
            point | {"Panel": place[0], "Series": place[1], "Line": drawn[place] + point["Line"]} for point in points
        ]
        drawn[place] += points[-1]["Line"] if points else 0
    lines = {row["Line"] for row in rows}
    used = [name for name in _COLUMNS if any(row.get(name) not in (None, "") for row in rows)
            and (name != "Line" or len(lines) > 1)]
    return {titles.get(name, name): [row.get(name) for row in rows] for name in used}


def _points(trace: Any, ticks: Mapping[float, str]) -> Iterator[dict[str, Any]]:
    arrays = {name: values for name in _COORDINATES if (values := _values(trace, name)) is not None}
    if trace.type == "contour":  # z[j][i] at x[i], y[j]
        arrays = {"x": arrays["x"] * len(arrays["y"]), "y": [y for y in arrays["y"] for _ in arrays["x"]],
                  "z": [_cell(value) for row in trace.z for value in row]}
    length = max(map(len, arrays.values()), default=0)
    for name, step in (("x", "dx"), ("y", "dy")):
        if name not in arrays and step in trace and trace[step] is not None:
            arrays[name] = [float(trace[f"{name}0"] + i * trace[step]) for i in range(length)]
    along, ends = _intervals(trace, arrays)
    others = {"Value": _values(trace, "customdata"), "text": _values(trace, "text")}
    is_line = "mode" in trace and "lines" in (trace.mode or "")
    line, gap = 1, False
    for i in range(length):
        point: dict[str, Any] = {name: values[i] for name, values in arrays.items() if i < len(values)}
        if None in point.values():
            gap = True
            if is_line or all(value is None for value in point.values()):
                continue
        line, gap = line + (gap and i > 0), False
        category = _nearest(ticks, point.get("y"))
        if category or (along == "x" and not isinstance(point.get("y"), str)):
            point.pop("y", None)
        if ends:
            point |= dict(zip(("From", "To"), ends[i], strict=True))
        if "base" in trace and trace["base"] is not None:
            point.pop(along)  # of a bar that begins elsewhere it is the length
        yield point | {"Line": line, "Category": category} | {
            name: values[i] for name, values in others.items() if values and i < len(values)
        }


def _intervals(trace: Any, arrays: Mapping[str, list[Any]]) -> tuple[str, list[tuple[Any, Any]]]:
    """The coordinate along which the trace draws an interval at each point, with its ends; nothing where it does not.

    Ends are sums of what the figure sends, with the digits that this has.
    """
    base = _values(trace, "base")
    if base is not None:
        along = "x" if trace["orientation"] == "h" else "y"
        return along, [(low, _sum(low, length)) for low, length in zip(base, arrays[along], strict=True)]
    for along in ("x", "y"):
        bars = trace[f"error_{along}"] if f"error_{along}" in trace else None  # noqa: SIM401 - a trace has no get
        more = _values(bars, "array") if bars is not None else None
        if more is None:
            continue
        return along, [(_sum(at, low, -1), _sum(at, high)) for at, low, high in
                       zip(arrays[along], _values(bars, "arrayminus") or more, more, strict=True)]
    return "", []


def _sum(one: float | None, other: float | None, sign: int = 1) -> float | None:
    return None if one is None or other is None else float(f"{one + sign * other:.{_SINGLE}g}")


def _values(trace: Any, name: str) -> list[Any] | None:
    """An array of a trace as plain Python; None where there is none, or one value for all points."""
    values = trace[name] if name in trace else None  # noqa: SIM401 - a trace has no get
    if isinstance(values, Mapping):  # what was stored and loaded again: bytes with their type
        values = np.frombuffer(base64.b64decode(values["bdata"]), dtype=values["dtype"])
    if values is None or isinstance(values, str | int | float):
        return None
    return [_cell(value) for value in values]


def _cell(value: Any) -> Any:
    """The value as plain Python; a single-precision one with its own shortest digits, not those of its double."""
    if isinstance(value, str):
        return _plain(value)
    if isinstance(value, np.integer):
        return int(value)
    if value is None or np.ndim(value) or not np.isfinite(value):
        return None
    return float(str(value)) if isinstance(value, np.floating) else value


def _ticks(figure: go.Figure, trace: Any) -> dict[float, str]:
    """What the trace's vertical axis says in words, by place; nothing where it has numbers."""
    if "yaxis" not in trace:
        return {}
    axis = figure.layout[(trace["yaxis"] or "y").replace("y", "yaxis", 1)]
    if axis.type == "log" or axis.tickvals is None or axis.ticktext is None:
        return {}
    return dict(zip(axis.tickvals, map(_plain, axis.ticktext), strict=True))


def _nearest(ticks: Mapping[float, str], place: Any) -> str:
    if not ticks or not isinstance(place, int | float):
        return ""
    return ticks[min(ticks, key=lambda tick: abs(tick - place))]


def _panel(figure: go.Figure, trace: Any) -> str:
    axis = _overlaid(figure, trace) or getattr(trace, "xaxis", None) or ""
    return re.sub(r"\D", "", axis) or "1"


def _overlaid(figure: go.Figure, trace: Any) -> str | None:
    """The axis that the trace's own horizontal one overlays without being shown."""
    axis = figure.layout[trace.xaxis.replace("x", "xaxis", 1)] if getattr(trace, "xaxis", None) else None
    return axis.overlaying if axis is not None and axis.visible is False else None


def _panel_titles(figure: go.Figure) -> dict[str, str]:
    """A title, or its number, for every panel; nothing where there is only one."""
    panels = sorted({_panel(figure, trace) for trace in figure.data}, key=int)
    if len(panels) < 2:
        return dict.fromkeys(panels, "")
    titles = [_plain(note.text) for note in figure.layout.annotations if note.text and not note.showarrow]
    return dict(zip(panels, titles if len(titles) == len(panels) else panels, strict=True))


def _axis_titles(figure: go.Figure) -> dict[str, str]:
    """What to call a coordinate, where that is one name, and no other's."""
    corners = list(figure.select_ternaries())
    found = {
        "x": _distinct(axis.title.text for axis in figure.select_xaxes()),
        "y": _distinct(axis.title.text for axis in figure.select_yaxes()),
        **{name: _distinct(corner[f"{name}axis"].title.text for corner in corners) for name in "abc"},
    }
    single = {name: titles[0] for name, titles in found.items() if len(titles) == 1}
    return single if len({*single.values(), *_COLUMNS}) == len(single) + len(_COLUMNS) else {}


def _distinct(texts: Iterable[str | None]) -> list[str]:
    return list(dict.fromkeys(_plain(text) for text in texts if text))


def _plain(text: str) -> str:
    """A figure's text without its markup."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", text)).split())
