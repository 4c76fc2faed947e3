"""The names of lines where the lines are, in place of a legend: at a point of each where no other line is near."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MOST = 6  # lines: more names among them would be a thicket
NAME = "line label"  # of the annotations, by which they are known again
BESIDE = "beside"  # meta of a faint line that goes along with another, over which a name may lie
_WIDE, _HIGH = 640.0, 220.0  # pixels of a small plot area, or of a large one under the type of a room
_LETTER, _LINE = 8.6, 20.0  # pixels of bold type
_GAP = 5.0  # from the line to its name
_APART = 9.0  # at least, from there to any other line
_PLACES = 30  # of a line, that are tried
_CLOSE = 6.0  # pixels from one point of a line to the next


def labels(traces: Sequence[Mapping[str, Any]], layout: Mapping[str, Any], size: float) -> list[dict[str, Any]]:
    """The annotations that name all traces which a legend would; none at all where one would be near another line.

    size: of the type. Tried are the places of each line from its last point on, above it and below; taken is the one
    farthest from all other lines, of those about as far the rightmost.
    """
    named = [one for one in traces if one.get("name") and one.get("showlegend", True)]
    axes = [layout.get(name, {}) for name in ("xaxis", "yaxis")]
    several = any(name.startswith(("xaxis2", "ternary", "sliders")) for name in layout)
    drawn = all(one["type"] == "scatter" and "x" in one and "y" in one for one in traces)
    if several or not drawn or not 0 < len({one["name"] for one in named}) == len(named) <= MOST:
        return []
    try:
        points = [_points(one, axes) for one in traces]
    except (TypeError, ValueError):  # categories have no places
        return []
    ranges = [_range(axis, [one[:, i] for one in points], traces) for i, axis in enumerate(axes)]
    if any(high <= low for low, high in map(sorted, ranges)):
        return []
    scale = np.array([_WIDE, _HIGH])
    low, high = np.array(ranges).T
    placed = [(one - low) / (high - low) * scale for one in points]
    lines = [_dense(one, "lines" in trace.get("mode", "lines")) for one, trace in zip(placed, traces, strict=True)]
    taken = [box for shape in layout.get("shapes", ()) for box in _upright(shape, axes[0], low[0], high[0])]
    found = []
    for trace, name in ((i, one["name"]) for i, one in enumerate(traces) if any(one is other for other in named)):
        others = np.concatenate([np.empty((0, 2)), *(line for i, line in enumerate(lines)
                                                     if i != trace and traces[i].get("meta") != BESIDE)])
        best = _best(placed[trace], lines[trace], others, taken, _LETTER * len(name))
        if best is None:
            return []
        (x, y), right, above, box = best
        taken.append(box)
        at = low + np.array([x, y]) / scale * (high - low)
        line = traces[trace].get("line", {}).get("color") or traces[trace].get("marker", {}).get("color")
        found.append({
            "name": NAME, "x": float(at[0]), "y": float(at[1]), "showarrow": False, "font": {"size": size},
            "text": f'<b><span style="color:{line}">{name}</span></b>',
            "xanchor": "left" if right else "right", "yanchor": "bottom" if above else "top",
            "xshift": 0, "yshift": 2 if above else -2,
        })  # fmt: skip
    return found


def _points(trace: Mapping[str, Any], axes: Sequence[Mapping[str, Any]]) -> Floats:
    """(points, 2), as powers of ten on a logarithmic axis; NaN in gaps and where it has no place."""
    found = []
    for name, axis in zip("xy", axes, strict=True):
        values = np.array(trace[name], dtype=np.float64)
        if axis.get("type") == "log":
            values = np.log10(np.where(values > 0, values, np.nan))
        found.append(values)
    return np.column_stack(found)


def _range(
    axis: Mapping[str, Any], values: Sequence[Floats], traces: Sequence[Mapping[str, Any]]
) -> tuple[float, float]:
    """As plotly chooses it where it is not given."""
    if "range" in axis:
        low, high = axis["range"]
        return float(low), float(high)
    every = np.concatenate([one[np.isfinite(one)] for one in values])
    if not every.size:
        return 0.0, 0.0
    room = 0.05 * np.ptp(every) * any("markers" in one.get("mode", "") for one in traces)
    return float(every.min() - room), float(every.max() + room)


def _dense(points: Floats, line: bool) -> Floats:
    """Along the line, close together; the points alone where there is none."""
    whole = np.logical_and(*np.isfinite(points).T)
    if not line or len(points) < 2:
        return points[whole]
    begin = np.flatnonzero(whole[1:] & whole[:-1])
    way = points[begin + 1] - points[begin]
    steps = np.maximum(np.minimum(np.abs(way).max(axis=1) / _CLOSE, 2 * _WIDE / _CLOSE).astype(int), 1)
    segment = np.repeat(np.arange(begin.size), steps - 1)
    step = np.arange(segment.size) - np.repeat(np.cumsum(steps - 1) - steps, steps - 1)  # 1, 2, ... of each segment
    between = points[begin[segment]] + way[segment] * (step / steps[segment])[:, None]
    return np.concatenate([points[whole], between])


def _upright(
    shape: Mapping[str, Any], axis: Mapping[str, Any], low: float, high: float
) -> list[tuple[float, float, float, float]]:
    """The box of a vertical line through the plot."""
    if shape.get("xref") != "x" or shape["x0"] != shape["x1"]:
        return []
    at = np.log10(shape["x0"]) if axis.get("type") == "log" else shape["x0"]
    x = (at - low) / (high - low) * _WIDE
    return [(x - 2, 0.0, x + 2, _HIGH)]


def _best(
    points: Floats, own: Floats, others: Floats, taken: Sequence[tuple[float, ...]], wide: float
) -> tuple[Floats, bool, bool, tuple[float, float, float, float]] | None:
    """The point, whether the name is right of it and above it, and its box; None where every one is near another."""
    inside = own[((own >= 0) & (own <= (_WIDE, _HIGH))).all(1)]
    if not inside.size:
        return None
    inside = inside[np.argsort(inside[:, 0])]
    tried = inside[np.unique(np.linspace(0, len(inside) - 1, _PLACES).round().astype(int))]
    x, right, above = (one.ravel() for one in np.meshgrid(tried[:, 0], [True, False], [True, False], indexing="ij"))
    y = np.repeat(tried[:, 1], 4)
    left, bottom = np.where(right, x, x - wide), np.where(above, y + _GAP, y - _GAP - _LINE)
    boxes = np.column_stack([left, bottom, left + wide, bottom + _LINE])
    free = (left >= 0) & (bottom >= 0) & (boxes[:, 2] <= _WIDE) & (boxes[:, 3] <= _HIGH)
    for other in taken:
        free &= (boxes[:, :2] >= other[2:]).any(1) | (boxes[:, 2:] <= other[:2]).any(1)
    free[free] = _distances(own, boxes[free]) >= _GAP - 3
    clear = np.zeros(free.size)
    clear[free] = _distances(others, boxes[free])
    worth = np.where(free & (clear >= _APART), np.minimum(clear, 2 * _LINE) + x / _WIDE * _LINE, -np.inf)
    best = int(worth.argmax())
    if worth[best] == -np.inf:
        return None
    return tried[best // 4], bool(right[best]), bool(above[best]), tuple(boxes[best].tolist())


def _distances(points: Floats, boxes: Floats) -> Floats:
    """From each box to the nearest point; 0 where one lies in it."""
    away = np.zeros((len(boxes), len(points)))
    for i in range(2):
        low, high, at = boxes[:, i, None], boxes[:, i + 2, None], points[:, i]
        np.maximum(away, np.maximum(low - at, at - high), out=away)
    return np.asarray(away.min(axis=1, initial=np.inf))
