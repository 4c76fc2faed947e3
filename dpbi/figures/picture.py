"""A figure as a picture for slides: light and opaque whatever the page's theme, 1920 pixels wide."""

from pathlib import Path
from typing import Any

from dpbi.figures.style import FONT_SIZE

WIDTH = 1920
_INK, _SOFT, _GRID, _GROUND = "#0f1720", "#4a5563", "#dde3ea", "#ffffff"
# A picture brings no font of its own: words measured in the page's would not fit where another draws them.
_FAMILY = "Arial, Helvetica, sans-serif"
_AXIS: dict[str, Any] = {
    "color": _SOFT, "gridcolor": _GRID, "linecolor": _SOFT, "zerolinecolor": _GRID,
    "tickfont": {"color": _SOFT}, "title": {"font": {"color": _SOFT}},
}  # fmt: skip
_BAR = {"tickfont": {"color": _SOFT}, "title": {"font": {"color": _SOFT}}}
TEMPLATE: dict[str, Any] = {
    "layout": {
        "font": {"color": _INK, "family": _FAMILY},
        "title": {"font": {"color": _INK, "family": _FAMILY}},
        "legend": {"font": {"color": _INK}},
        "xaxis": _AXIS,
        "yaxis": _AXIS,
        "ternary": {"bgcolor": _GROUND, "aaxis": _AXIS, "baxis": _AXIS, "caxis": _AXIS},
        "coloraxis": {"colorbar": _BAR},
    }
}
GROUND = {"paper_bgcolor": _GROUND, "plot_bgcolor": _GROUND}

LOOK = {"ground": GROUND, "template": TEMPLATE, "font": FONT_SIZE, "pixels": WIDTH}  # that ``pictured`` is given
SCRIPT = Path(__file__).with_name("picture.js").read_text("utf-8")
