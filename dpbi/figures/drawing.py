"""A figure while it is put together: plain settings, which plotly checks when a part of the whole is asked for."""

import base64
from collections.abc import Mapping, Sequence
from functools import cache, partialmethod
from typing import Any

import numpy as np
import plotly.graph_objects as go
import plotly.io as pio


class PlainFigure(go.Figure):  # type: ignore[misc]  # plotly has no types
    """A plotly figure of plain settings, which are sent as they are and checked when somebody reads or changes a part.

    To send one is most of what a server does with a figure, and half of what that costs is plotly's check and its
    copies of what it has checked. Here everything that a Figure keeps is made by its own constructor, at the first
    question that needs it: which raises ValueError for what plotly does not know.
    """

    def __init__(self, plain: dict[str, Any], *checked: Any, **named: Any) -> None:
        if checked or named or "_grid_str" in plain:  # as plotly itself makes one, of a figure that was checked
            super().__init__(plain, *checked, **named)
        else:
            self.__dict__["_plain"] = plain

    def laid_out(self, **settings: Any) -> "PlainFigure":
        """Another figure of the same traces, with these settings of the layout in place of its own."""
        plain = self._whole()
        return PlainFigure({**plain, "layout": {**plain["layout"], **settings}})

    @property
    def settings(self) -> dict[str, Any]:
        """Those of the layout, not to be changed."""
        layout: dict[str, Any] = self._whole()["layout"]
        return layout

    @property
    def alt(self) -> str:
        """What a person who cannot see the figure should hear."""
        heard: str = self.settings["meta"]["alt"]
        return heard

    def _whole(self) -> dict[str, Any]:
        """All settings, not to be changed."""
        return self.__dict__.get("_plain") or self.to_dict()

    def __getattr__(self, name: str) -> Any:
        """Of what a Figure's constructor would have set, and has not yet."""
        plain = self.__dict__.pop("_plain", None)
        if plain is None:
            raise AttributeError(name)
        super().__init__(plain)
        return getattr(self, name)

    def __reduce__(self) -> tuple[Any, ...]:
        return (PlainFigure, (self._plain,)) if "_plain" in self.__dict__ else super().__reduce__()

    def to_dict(self) -> dict[str, Any]:
        """The settings under plotly's names; arrays as bytes with their type, as plotly sends them."""
        if "_plain" not in self.__dict__:
            checked: dict[str, Any] = super().to_dict()
            return checked
        sent: dict[str, Any] = _sent(self._plain)
        return sent


@cache
def _template(name: str) -> dict[str, Any]:
    """Shared by all drawings, as nine tenths of what a drawing holds; none of them changes it."""
    found: dict[str, Any] = pio.templates[name].to_plotly_json()
    return found


def _sent(part: Any) -> Any:
    """Other dicts and lists with the same leaves, arrays as plotly.js takes them: floats as bytes, others as lists."""
    if isinstance(part, dict):
        return {name: value if name == "template" else _sent(value) for name, value in part.items()}
    if isinstance(part, list):
        return [_sent(value) for value in part]
    if not isinstance(part, np.ndarray):
        return part
    if part.dtype not in (np.float32, np.float64) or part.ndim > 1:
        return part.tolist()
    return {"dtype": f"f{part.itemsize}", "bdata": base64.b64encode(part.tobytes()).decode("ascii")}


class Drawing:
    """Traces and layout as plain dicts, under plotly's own names for what is added and updated.

    plotly's Figure checks at every change all that lies on the way to it: 140 ms of a server's time for four panels
    of densities that it checks in 13 when they are handed over whole.
    """

    def __init__(self, *subplots: str) -> None:
        """subplots: the layout's names of what is drawn in, such as xaxis2 or ternary; one pair of axes if none."""
        self.traces: list[dict[str, Any]] = []
        self.frames: list[dict[str, Any]] = []  # what of the traces changes under a slider, by its steps
        self.layout: dict[str, Any] = {name: {} for name in subplots or ("xaxis", "yaxis")}

    @classmethod
    def of(cls, figure: go.Figure) -> "Drawing":
        """A finished figure, to be changed."""
        drawing, whole = cls(), figure.to_plotly_json()
        drawing.traces, drawing.layout, drawing.frames = whole["data"], whole["layout"], whole.get("frames", [])
        return drawing

    def figure(self) -> go.Figure:
        """The whole, under plotly's template of the moment as any new figure is."""
        if "template" not in self.layout:
            self.layout["template"] = _template(pio.templates.default)
        return PlainFigure({"data": self.traces, "layout": self.layout, "frames": self.frames})

    def _add(self, kind: str, /, **trace: Any) -> None:
        self.traces.append({"type": kind, **trace})

    add_scatter = partialmethod(_add, "scatter")
    add_contour = partialmethod(_add, "contour")
    add_bar = partialmethod(_add, "bar")
    add_box = partialmethod(_add, "box")
    add_scatterternary = partialmethod(_add, "scatterternary")

    def add_vline(self, x: float, line: Mapping[str, Any], panel: str = "") -> None:
        """A line from the bottom of the plot to its top; panel: its number, from the second on."""
        ends = {"x0": x, "x1": x, "xref": f"x{panel}", "y0": 0, "y1": 1, "yref": f"y{panel} domain"}
        self.layout.setdefault("shapes", []).append({"type": "line", "line": line, **ends})

    def add_hline(self, y: float, line: Mapping[str, Any]) -> None:
        """A line from the left end of the plot to the right."""
        ends = {"x0": 0, "x1": 1, "xref": "x domain", "y0": y, "y1": y, "yref": "y"}
        self.layout.setdefault("shapes", []).append({"type": "line", "line": line, **ends})

    def add_annotation(self, **annotation: Any) -> None:
        self.layout.setdefault("annotations", []).append(annotation)

    def add_slider(self, labels: Mapping[str, str], frames: Sequence[Sequence[Mapping[str, Any]]], at: int,
                   **slider: Any) -> None:
        """A slider that moves through frames without the server; the figure opens with the one of this place.

        labels: of its steps, by their frames' names; frames: at each step, what changes of each of the first traces,
        in their order.
        """
        for trace, change in zip(self.traces, frames[at], strict=False):
            _merge(trace, change)
        at_once = {"mode": "immediate", "frame": {"duration": 0, "redraw": False}, "transition": {"duration": 0}}
        for name, changes in zip(labels, frames, strict=True):
            self.frames.append({"name": name, "data": [*changes], "traces": [*range(len(changes))]})
        steps = [{"method": "animate", "label": label, "args": [[name], at_once]} for name, label in labels.items()]
        self.layout["sliders"] = [{"active": at, "steps": steps, **slider}]

    def _update(self, kind: str, /, title_text: str = "", **settings: Any) -> None:
        """title_text: as plotly has it, in place of a title's settings."""
        titled = {"title": {"text": title_text}} if title_text else {}
        for name in self.layout:
            if name.startswith(kind):
                _merge(self.layout[name], settings | titled)

    update_xaxes = partialmethod(_update, "xaxis")
    update_yaxes = partialmethod(_update, "yaxis")
    update_ternaries = partialmethod(_update, "ternary")

    def update_layout(self, **settings: Any) -> None:
        _merge(self.layout, settings)


def _merge(kept: dict[str, Any], settings: Mapping[str, Any]) -> None:
    """Sets what is given, and keeps what else lies in the same part."""
    for name, value in settings.items():
        if isinstance(value, Mapping):
            _merge(kept.setdefault(name, {}), value)
        else:
            kept[name] = value
