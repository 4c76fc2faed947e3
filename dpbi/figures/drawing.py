"""A figure while it is put together: plain settings, which plotly checks once, when it is whole."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import plotly.graph_objects as go


class Drawing:
    """Traces and layout as plain dicts, under plotly's own names for what is added and updated.

    plotly's Figure checks at every change all that lies on the way to it: 140 ms of a server's time for four panels
    of densities that it checks in 13 when they are handed over whole.
    """

    def __init__(self, *subplots: str) -> None:
        """subplots: the layout's names of what is drawn in, such as xaxis2 or ternary; one pair of axes if none."""
        self.traces: list[dict[str, Any]] = []
        self.layout: dict[str, Any] = {name: {} for name in subplots or ("xaxis", "yaxis")}

    @classmethod
    def of(cls, figure: go.Figure) -> Drawing:
        """A finished figure, to be changed."""
        drawing, whole = cls(), figure.to_plotly_json()
        drawing.traces, drawing.layout = whole["data"], whole["layout"]
        return drawing

    def figure(self) -> go.Figure:
        """Raises ValueError for what plotly does not know."""
        return go.Figure({"data": self.traces, "layout": self.layout})

    def add_scatter(self, **trace: Any) -> None:
        self.traces.append({"type": "scatter", **trace})

    def add_bar(self, **trace: Any) -> None:
        self.traces.append({"type": "bar", **trace})

    def add_box(self, **trace: Any) -> None:
        self.traces.append({"type": "box", **trace})

    def add_scatterternary(self, **trace: Any) -> None:
        self.traces.append({"type": "scatterternary", **trace})

    def add_vline(self, x: float, line: Mapping[str, Any]) -> None:
        """A line from the bottom of the plot to its top."""
        ends = {"x0": x, "x1": x, "xref": "x", "y0": 0, "y1": 1, "yref": "y domain"}
        self._list("shapes").append({"type": "line", "line": line, **ends})

    def add_hline(self, y: float, line: Mapping[str, Any]) -> None:
        """A line from the left end of the plot to the right."""
        ends = {"x0": 0, "x1": 1, "xref": "x domain", "y0": y, "y1": y, "yref": "y"}
        self._list("shapes").append({"type": "line", "line": line, **ends})

    def add_annotation(self, **annotation: Any) -> None:
        self._list("annotations").append(annotation)

    def update_xaxes(self, title_text: str = "", **settings: Any) -> None:
        self._update("xaxis", _titled(title_text, settings))

    def update_yaxes(self, title_text: str = "", **settings: Any) -> None:
        self._update("yaxis", _titled(title_text, settings))

    def update_ternaries(self, **settings: Any) -> None:
        self._update("ternary", settings)

    def update_layout(self, **settings: Any) -> None:
        _merge(self.layout, settings)

    def _list(self, name: str) -> list[Any]:
        found: list[Any] = self.layout.setdefault(name, [])
        return found

    def _update(self, kind: str, settings: Mapping[str, Any]) -> None:
        for name in self.layout:
            if name.startswith(kind):
                _merge(self.layout[name], settings)


def _titled(text: str, settings: Mapping[str, Any]) -> Mapping[str, Any]:
    return {**settings, "title": {"text": text}} if text else settings


def _merge(kept: dict[str, Any], settings: Mapping[str, Any]) -> None:
    """Sets what is given, and keeps what else lies in the same part."""
    for name, value in settings.items():
        if isinstance(value, Mapping):
            _merge(kept.setdefault(name, {}), value)
        else:
            kept[name] = value
