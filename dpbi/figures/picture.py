"""A figure as a picture for slides: light and opaque whatever the page's theme, 1920 pixels wide."""

from __future__ import annotations

import json
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

# pictured(graph): the layout of a drawn graph for a picture, and the picture's size: a slide's of 960 or 1280 pixels,
# drawn the larger, the least into which the graph goes with its height kept to five sixths; one that goes into none
# keeps its height. What is enlarged for a room needs 1280 for its words. The title's place is a share of the height.
_SCRIPT = """
const pictured = graph => {
  const merge = (into, from) => {
    for (const [key, value] of Object.entries(from))
      into[key] = Object(value) === value ? merge(into[key] ?? {}, value) : value;
    return into;
  };
  const layout = merge(structuredClone(graph.layout), %(ground)s);
  layout.template = merge(structuredClone(graph.layout.template ?? {}), %(template)s);
  const own = graph._fullLayout.height, fits = width => width * 9 / 16 >= own * 5 / 6;
  const width = layout.font.size > %(font)d || !fits(960) ? 1280 : 960, height = fits(width) ? width * 9 / 16 : own;
  if (layout.title?.y !== undefined) layout.title.y = 1 - (1 - layout.title.y) * own / height;
  return {layout, size: {width, height, scale: %(width)d / width}};
};"""
SCRIPT = _SCRIPT % {"ground": json.dumps(GROUND), "template": json.dumps(TEMPLATE), "font": FONT_SIZE, "width": WIDTH}
