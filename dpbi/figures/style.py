"""How every figure looks: one colour, dash and symbol per mechanism everywhere, sizes, titles, labels.

Every colour keeps a contrast of 3.5 to 1 or more with the light and the dark ground, since traces are drawn once for
both (4.3 is the most that one colour can keep); the first nine mechanisms stay apart (CIE distance 16 and more) under
the three kinds of colour blindness, three that may join by 10.5 and more, and dash and symbol say it again.
"""

import html
import itertools
import math
import re
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from plotly.graph_objects import Figure as Figure

from dpbi.accuracy.order import Measured, tied
from dpbi.data.labels import isolated, visible
from dpbi.figures import line_labels
from dpbi.figures.drawing import Drawing as Drawing, PlainFigure
from dpbi.mechanisms import MECHANISMS, Mechanism, name_of, printed_number

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Style:
    """Colour as #rrggbb, dash and marker symbol in plotly's words."""

    colour: str
    dash: str
    symbol: str

    def faded(self, opacity: float) -> str:
        """The colour with an opacity from 0 to 1."""
        red, green, blue = (int(self.colour[i : i + 2], 16) for i in (1, 3, 5))
        return f"rgba({red}, {green}, {blue}, {opacity:g})"


# By the mechanisms' own places. Pages say "refused" and "not private" in red: the one red is a negative control's.
_STYLES = (
    Style("#a65550", "dot", "square"),
    Style("#5d63c2", "dashdot", "pentagon"),
    Style("#397a00", "solid", "circle"),
    Style("#b27e4c", "dash", "diamond"),
    Style("#5189c4", "longdash", "triangle-up"),
    Style("#eb0a20", "longdashdot", "x"),
    Style("#8a60f0", "14px,4px,4px,4px", "star"),
    Style("#9b1dff", "4px,6px", "triangle-down"),
    Style("#fc0084", "5px,2px,5px,6px", "star-diamond"),
    Style("#10845e", "16px,6px", "octagon"),
    Style("#a347a5", "9px,3px,2px,3px,2px,3px", "star-triangle-up"),
    Style("#6587a3", "6px,2px", "triangle-ne"),
)
# A calibrated mechanism keeps its class's colour; dash and symbol say that it is another.
_CALIBRATED = (
    ("2px,2px", "hourglass"),
    ("10px,2px,2px,2px", "hexagon"),
    ("18px,3px", "hexagram"),
    ("6px,2px,6px,8px", "diamond-tall"),
    ("22px,4px,4px,4px", "triangle-left"),
    ("3px,3px,12px,3px", "bowtie"),
    ("8px,8px", "star-square"),
    ("2px,10px", "triangle-right"),
    ("12px,6px,2px,6px", "diamond-wide"),
    ("20px,8px", "star-triangle-down"),
    ("2px,2px,10px,2px", "triangle-sw"),
    ("1px,4px,1px,12px", "diamond-cross"),
)
TRUTH = Style("#7d8590", "solid", "cross")
PRIOR = Style("#7d8590", "6px,5px", "line-ew")
REFERENCE = Style("#7d8590", "dot", "line-ns")

# Of a map: both ends readable on both grounds.
SCALE = ("#3c5ad2", "#8f6bc4", "#c3676f", "#e17800", "#f2b134")

FONT_SIZE = 15
TITLE_SIZE = 17
LINE_WIDTH = 2.5
_ROOM_LEAST = 170  # of a plot area for a room, which the page makes as high as its window has room for
_ROOM_PANEL = 110  # of a row of panels
_ROOM_ROW = 56  # of a mechanism's row, which would run into the next: many are scrolled
_TITLE_ROOM = 25  # of a line of it, in pixels
_ROOM_LINE = 84  # letters of a title that a line of the screen's width holds
_ROOM_SMALL = 100
_BAR_ROOM = 28  # above the title, for the bar of buttons that shows while the pointer is on the chart
_TITLE_LINE = 45  # so that a title fits a telephone
_TITLE_LINES = 2  # kept free at least, so that a chart does not jump when its finding gets shorter
_LEGEND_ROW, _LEGEND_WIDE = 24, 840
_HAND_WIDE, _HAND_LEAST = 300, 290  # of a legend in a telephone; of a plot area there, with the words of its axis
_SLIDER_ROOM = 68
_AXIS_LINE = 40  # the same for an axis, beside which stand its numbers
_SMALL_LINE = 54
_SMALL_SIZE = 14
_SMALL = "font-size:{:.0f}px;font-weight:normal"


def style_of(mechanism: Mechanism | type[Mechanism]) -> Style:
    """The style of a mechanism, or of its class, by its place in the palette.

    ValueError where the palette has no such place, or where another mechanism has it.
    """
    place = mechanism.palette_place
    if place not in range(len(_STYLES)):
        raise ValueError(f"palette_place of {mechanism.label} must be 0 to {len(_STYLES) - 1}: got {place}. Add a "
                         "colour, a dash and a symbol to the palette.")
    sharing = [kind.label for kind in MECHANISMS if kind.palette_place == place]
    if len(sharing) > 1:
        raise ValueError(f"palette_place must be a mechanism's own: {' and '.join(sharing)} have {place}.")
    if isinstance(mechanism, type) or not mechanism.calibration:
        return _STYLES[place]
    return Style(_STYLES[place].colour, *_CALIBRATED[place])


def mechanism_labels(mechanisms: Sequence[Mechanism]) -> list[str]:
    """One label each; two of the same class are told apart by the fields in which they differ."""
    labels = []
    for mechanism in mechanisms:
        twins = [other for other in mechanisms if type(other) is type(mechanism)]
        fields = [name for name in mechanism.__dataclass_fields__ if name != "calibration"]
        names = [name for name in fields if len({getattr(t, name) for t in twins}) > 1]
        differing = ", ".join(f"{name} {getattr(mechanism, name)}" for name in names)
        name = name_of(mechanism)
        labels.append(f"{name} ({differing})" if differing else name)
    return display_labels(labels)


def display_labels(labels: Iterable[str], length: int = 24) -> list[str]:
    """Labels as a figure may show them: at most ``length`` characters, still distinct, with <, > and & escaped.

    Plotly reads labels as HTML, so that a category named "<b>" would else vanish; a long label keeps its head and
    tail; those that would then be equal get a number. Characters that are not seen are left out.
    """
    shortened = [_shortened(visible(str(label)) or "(blank)", length) for label in labels]
    taken = {label for label in shortened if shortened.count(label) == 1}
    shown = []
    for label in shortened:
        distinct = label
        if label not in taken:
            numbered = (f"{label} ({i})" for i in itertools.count(1))
            distinct = next(name for name in numbered if name not in taken)
            taken.add(distinct)
        shown.append(isolated(_escaped(distinct)))
    return shown


def category_labels(k: int, labels: Sequence[str] | None, length: int = 24) -> list[str]:
    """The labels of k categories, or "category 1", "category 2", ... where there are none."""
    if labels is None:
        return [f"category {i + 1}" for i in range(k)]
    if len(labels) != k:
        raise ValueError(f"labels must name all {k} categories: got {len(labels)}.")
    return display_labels(labels, length)


def axis_title(text: str) -> str:
    """The title of a horizontal axis in lines that fit a telephone, for one that names categories."""
    return "<br>".join(_wrapped(text, _AXIS_LINE))


def leading(labels: Sequence[str], values: Sequence[float], best: float, verb: tuple[str, str] = ("", "")) -> str:
    """All whose value ties with the best one, with the verb for one or for several."""
    *first, last = [label for label, value in zip(labels, values, strict=True) if tied(Measured(value), Measured(best))]
    named = f"{', '.join(first)} and {last}" if first else last
    return f"{named} {verb[bool(first)]}".strip()


def number(value: float, digits: int = 3) -> str:
    """A number in a sentence: three digits, powers of ten beyond a million or below a ten-thousandth."""
    return _with_powers(printed_number.number(value, digits, 10**6))


def probability(value: float) -> str:
    """As ``number``; what is below 1 is not called 1."""
    return _with_powers(printed_number.probability(value, 3))


def _with_powers(text: str) -> str:
    """1.2e-09 as 1.2×10⁻⁹."""
    mantissa, _, exponent = text.partition("e")
    if not exponent.lstrip("+-").isdigit():
        return text
    return f"{'' if mantissa == '1' else f'{mantissa}×'}10{_raised(int(exponent))}"


def with_values(names: Iterable[str], values: Iterable[float], written: Callable[[float], str] = number) -> str:
    """Names with their values, in a sentence."""
    return ", ".join(f"{name} {written(value)}" for name, value in zip(names, values, strict=True))


def base_layout(
    fig: Drawing,
    title: str,
    *,
    alt: str,
    values: str = "",
    notes: Sequence[str] = (),
    x: Mapping[str, Any] | None = None,
    y: Mapping[str, Any] | None = None,
    height: int = 360,
    headroom: int = 0,
    slider: bool = False,
    **layout: Any,
) -> Figure:
    """Applies what all figures share, and returns the drawing as a finished figure.

    title: the finding, plain text; alt, values: what a person who cannot see the figure should hear before the title
    and after it, kept in ``layout.meta["alt"]`` with both and the notes; notes: what the figure leaves out, in small
    type under the title, but for empty ones; x, y: settings of all horizontal and of all vertical axes, where
    ``title_text`` is the title; height: of the plot area in pixels; headroom: pixels above it for panel titles;
    slider: whether one lies under the axis;
    layout: further plotly settings.
    """
    for trace in fig.traces:
        if trace["type"] == "scatter" and "line" in trace:
            trace["line"] = {"simplify": False, **trace["line"]}  # leaves no point out: a projector shows the corners
        if trace["type"] == "scatter" and "text" in trace.get("mode", ""):
            trace.setdefault("cliponaxis", False)  # a number that loses its first digits is another
    notes = [note for note in notes if note]
    lines = _wrapped(title, _TITLE_LINE)
    small = [f'<span style="{_SMALL.format(_SMALL_SIZE)}">{_escaped(line)}</span>'
             for sentence in notes for line in textwrap.wrap(sentence, _SMALL_LINE)]  # fmt: skip
    axis: dict[str, Any] = {
        "automargin": True, "title": {"font": {"size": FONT_SIZE}}, "tickfont": {"size": FONT_SIZE - 1},
        "zeroline": False, "exponentformat": "power", "minexponent": 7,
    }  # fmt: skip
    for update, own in ((fig.update_xaxes, x), (fig.update_yaxes, y)):
        update(**(own or {}))
        update(**axis)
    at_lines = line_labels.labels(fig.traces, fig.layout, FONT_SIZE)
    for label in at_lines:
        fig.add_annotation(**label)
    top = 16 + _BAR_ROOM + _TITLE_ROOM * max(len(lines), _TITLE_LINES) + 20 * len(small) + headroom
    below = 60 + (0 if at_lines else _legend_room(fig.traces, _LEGEND_WIDE)) + _SLIDER_ROOM * slider
    whole = height + top + below
    fig.update_layout(
        title={
            "text": "<br>".join([*map(_escaped, lines), *small]),
            "font": {"size": TITLE_SIZE},
            "x": 0,
            "xref": "container",
            "y": 1,
            "yref": "container",
            "yanchor": "top",
            "pad": {"l": 2, "t": _BAR_ROOM + 20},  # from the top, however high the page makes it
        },
        height=whole,
        margin={"l": 10, "r": 16, "t": top + 14, "b": below},
        font={"size": FONT_SIZE},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        showlegend=bool(_in_legend(fig.traces)) and not at_lines,
        legend={
            "orientation": "h", "yref": "container", "y": 0, "yanchor": "bottom", "x": 0, "xanchor": "left",
            "font": {"size": FONT_SIZE}, "itemwidth": 40,
        },
        hoverlabel={"font": {"size": FONT_SIZE}},
        meta={"alt": " ".join(" ".join([f"{alt}. {title}.", values and f"{values}.", *notes]).split())},
    )  # fmt: skip
    fig.update_layout(**layout)
    return fig.figure()


def _in_legend(traces: Sequence[Mapping[str, Any]]) -> list[str]:
    named = (trace["name"] for trace in traces if trace.get("name") and trace.get("showlegend", True))
    return list(dict.fromkeys(named))


def _legend_room(traces: Sequence[Mapping[str, Any]], wide: float) -> int:
    """The height of a legend of this width: in one row, or in columns that are all as wide as the widest name."""
    names = [55 + 7.2 * len(name) for name in _in_legend(traces)]
    columns = len(names) if sum(names) <= wide else max(1, int(wide / max(names)))
    return _LEGEND_ROW * math.ceil(len(names) / max(columns, 1))


def in_the_hand(fig: Figure) -> Figure:
    """The figure for a telephone, where names at lines would lie on one another: with a legend, and the room it takes,
    and a plot area no lower than is read there."""
    drawn = fig.to_plotly_json()
    layout, traces = drawn["layout"], drawn["data"]
    annotations = [one for one in layout.get("annotations", ()) if one.get("name") != line_labels.NAME]
    at_lines = len(annotations) < len(layout.get("annotations", ()))
    more = 0
    if at_lines or layout["showlegend"]:
        more = _legend_room(traces, _HAND_WIDE) - (0 if at_lines else _legend_room(traces, _LEGEND_WIDE))
    margin = layout["margin"] | {"b": layout["margin"]["b"] + more}
    height = max(layout["height"] + more, _HAND_LEAST * _rows_of_panels(layout) + margin["t"] + margin["b"])
    layout = layout | {"annotations": annotations, "showlegend": at_lines or layout["showlegend"], "margin": margin,
                       "height": height}  # fmt: skip
    return PlainFigure(drawn | {"layout": layout})


def beside_its_bar(fig: PlainFigure) -> PlainFigure:
    """The figure for a window wide enough for its title beside the bar of buttons rather than below it."""
    layout = fig.settings
    title, margin = layout["title"], layout["margin"]
    pad = title["pad"] | {"t": title["pad"]["t"] - _BAR_ROOM}
    return fig.laid_out(title=title | {"pad": pad}, margin=margin | {"t": margin["t"] - _BAR_ROOM},
                        height=layout["height"] - _BAR_ROOM)  # fmt: skip


def enlarged(fig: Figure, factor: float, screen: float = 1.0, share: float = 1.0) -> Figure:
    """The figure for a projector: type, lines and markers larger by this factor, the least room they need, and no bar.

    screen: times as large again is it all on a larger screen; share: of the screen's width the figure has.
    """
    factor *= screen
    drawn = _scaled(fig.to_plotly_json(), factor)
    layout = drawn["layout"]
    margin = layout["margin"]
    small, larger = (_SMALL.format(size) for size in (_SMALL_SIZE, _SMALL_SIZE * factor))
    lines = layout["title"]["text"].split("<br>")
    fine = [re.sub("<.*?>", "", line) for line in lines if small in line]
    said = _wrapped(" ".join(line for line in lines if small not in line), int(_ROOM_LINE * share))
    notes = textwrap.wrap(" ".join(fine), int(_ROOM_SMALL * share))
    layout["title"]["text"] = "<br>".join([*said, *(f'<span style="{larger}">{line}</span>' for line in notes)])
    margin["t"] -= _BAR_ROOM + _TITLE_ROOM * (max(len(lines) - len(fine), _TITLE_LINES) - len(said))
    margin["t"] -= 20 * (len(fine) - len(notes))
    layout["margin"] = {side: factor * room for side, room in margin.items()}
    rows = sum(len(axis.get("ticktext", ())) for axis in _vertical(layout) if axis.get("type") != "log")
    least = screen * max(_ROOM_LEAST, _ROOM_PANEL * _rows_of_panels(layout), _ROOM_ROW * rows)
    layout["height"] = least + layout["margin"]["t"] + layout["margin"]["b"]
    layout["title"]["pad"]["t"] = 20 * factor
    return PlainFigure(drawn)


def _vertical(layout: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [axis for name, axis in layout.items() if name.startswith("yaxis")]


def _rows_of_panels(layout: Mapping[str, Any]) -> int:
    """How many plots stand one above another."""
    return max(1, len({tuple(axis.get("domain", (0, 1))) for axis in _vertical(layout)}))


_SIZES = (("font", "size"), ("tickfont", "size"), ("textfont", "size"), ("marker", "size"), ("line", "width"),
          ("pad", "t"), ("currentvalue", "offset"))  # a slider's way below the axis  # fmt: skip


def _scaled(part: Any, factor: float, inside: tuple[str, str] = ("", "")) -> Any:
    """The same with every number that is a size of type, of a line or of a marker times the factor.

    inside: the last two keys on the way to this part.
    """
    if isinstance(part, dict):
        return {key: _scaled(value, factor, (inside[1], key)) for key, value in part.items()}
    if isinstance(part, list | tuple):
        return [_scaled(value, factor, inside) for value in part]
    return part * factor if inside in _SIZES and isinstance(part, int | float) else part


def _wrapped(text: str, longest: int) -> list[str]:
    """Lines of about equal length, as few as there must be; "a = 1" stays in one of them."""
    tied = text.replace(" = ", "\0=\0")
    lines = textwrap.wrap(tied, longest)
    for length in range(math.ceil(len(tied) / max(len(lines), 1)), longest):
        even = textwrap.wrap(tied, length)
        if len(even) <= len(lines):
            lines = even
            break
    return [line.replace("\0", " ") for line in lines]


def _escaped(text: str) -> str:
    return html.escape(text, quote=False)


def add_curve(
    fig: Drawing, style: Style, label: str, x: ArrayLike, y: ArrayLike, said: str, *, width: float = LINE_WIDTH,
    size: float = 7, **trace: Any,
) -> None:
    """A line with markers in a style; said: what stands at a point under the pointer; trace: what is otherwise.

    x: sent as it is where it is a list or tuple, such as a few whole numbers.
    """
    drawn: dict[str, Any] = {
        "mode": "lines+markers", "line": {"color": style.colour, "dash": style.dash, "width": width}, **trace,
    }  # fmt: skip
    if "markers" in drawn["mode"]:
        drawn["marker"] = {"color": style.colour, "symbol": style.symbol, "size": size}
    x = x if isinstance(x, list | tuple) else compact(x)
    fig.add_scatter(x=x, y=compact(y), name=label, hovertemplate=said, **drawn)


def mark_place(
    fig: Drawing, x: float, said: str, anchor: str = "center", *, by_powers: bool = False, dash: str = REFERENCE.dash
) -> None:
    """A vertical line with words above it; by_powers: on a logarithmic axis, where a place of words is a power."""
    fig.add_vline(x=x, line={"color": REFERENCE.colour, "dash": dash, "width": 2})
    fig.add_annotation(
        x=math.log10(x) if by_powers else x, y=1, yref="paper", text=said, showarrow=False, yanchor="bottom",
        xanchor=anchor, font={"size": FONT_SIZE - 1},
    )  # fmt: skip


def mark_level(fig: Drawing, y: float, said: str) -> None:
    """A horizontal line with words on its left end."""
    fig.add_hline(y=y, line={"color": REFERENCE.colour, "dash": REFERENCE.dash, "width": 2})
    fig.add_annotation(
        x=0, xref="paper", y=y, text=said, showarrow=False, yanchor="bottom", xanchor="left",
        font={"size": FONT_SIZE - 1},
    )  # fmt: skip


def category_axis(names: Sequence[str]) -> dict[str, Any]:
    """A row per category, the first on top."""
    rows, ends = [*range(len(names))], [len(names) - 0.5, -0.5]
    return {"tickmode": "array", "tickvals": rows, "ticktext": [*names], "range": ends, "showgrid": False}


def interval_bar(
    middle: Floats, low: Floats, high: Floats, colour: str, width: float
) -> dict[str, Any]:
    """The error bars from low to high around marks at the middle."""
    return {
        "type": "data", "symmetric": False, "array": compact(high - middle), "arrayminus": compact(middle - low),
        "thickness": width, "width": 0, "color": colour,
    }  # fmt: skip


def log_axis(low: float, high: float) -> dict[str, Any]:
    """Settings of a logarithmic axis from low to high, > 0: powers of ten, or simple multiples if those are few."""
    ends = [math.log10(low) - 0.05, math.log10(high) + 0.05]
    powers = range(math.floor(ends[0]), math.ceil(ends[1]) + 1)
    if ends[1] - ends[0] > 1.6:
        ticks = [10.0**power for power in powers[:: math.ceil(len(powers) / 9)]]
        texts = [power_of_ten(tick) for tick in ticks]
    else:
        ticks = _simple_multiples(low, high, powers)
        texts = [number(tick) for tick in ticks]
    return {"type": "log", "range": ends, "tickmode": "array", "tickvals": ticks, "ticktext": texts}


def _simple_multiples(low: float, high: float, powers: range) -> list[float]:
    """The coarsest of three sets of multiples of powers of ten of which three or more lie from low to high."""
    ticks: list[float] = []
    for multiples in ((1, 2, 5), (1, 1.5, 2, 3, 4, 5, 7), tuple(i / 10 for i in range(10, 100))):
        every = [multiple * 10.0**power for power in powers for multiple in multiples]
        ticks = [tick for tick in every if low * (1 - 1e-9) <= tick <= high * (1 + 1e-9)]
        if len(ticks) >= 3:
            break
    return ticks[:: math.ceil(len(ticks) / 8)] if ticks else [low]


def percent(share: float) -> str:
    """A whole percentage in a sentence; only what is all is called 100 %."""
    return f"{min(share * 100, 99) if share < 1 else 100:.0f} %"


def power_of_ten(value: float) -> str:
    """10, 1 and 0.1 as they are, else 10 with its exponent raised."""
    exponent = round(math.log10(value))
    return f"{value:g}" if abs(exponent) <= 1 else f"10{_raised(exponent)}"


def compact(values: ArrayLike) -> NDArray[Any]:
    """Values as the figure sends them: single precision, unless they crowd together beyond its seven digits.

    Infinities become gaps (NaN turns into null): a chart's JSON has no infinity.
    """
    array = np.asarray(values, dtype=np.float64)
    array = np.where(np.isfinite(array), array, np.nan)
    finite = array[np.isfinite(array)]
    if not finite.size:
        return array.astype(np.float32)
    spread, size = np.ptp(finite), np.abs(finite).max()
    crowded = 0 < spread < size * 1e-2 or size > 1e30
    return array if crowded else array.astype(np.float32)


def _shortened(label: str, length: int) -> str:
    if len(label) <= length:
        return label
    tail = length // 3
    return f"{label[: length - tail - 1].rstrip()}…{label[-tail:].lstrip()}"


def _raised(exponent: int) -> str:
    return str(exponent).translate(str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"))
