"""A chart as a picture for slides, by one click: made in the browser, which has the chart and all that draws it."""

from __future__ import annotations

import streamlit as st

FORMATS = ("png", "svg")

# The page's plotly is out of reach, but for the mode bar's camera, which reads all it needs of the graph at once when
# it is pressed: it is pressed on a graph that is light, opaque and of a slide's size for that moment. A press of the
# camera by hand, in full screen too, comes to the same. No button's press reaches the server; a listener outlives the
# page that brought it.
_SCRIPT = """
if (!window.dpbiPictures) {
  window.dpbiPictures = true;
  %s
  const CAMERA = '[data-title^="Download plot"]', BUTTON = '[class*="st-key-picture-"]';
  const take = (graph, format) => {
    const {layout, size} = pictured(graph), kept = [graph.layout, graph._context.toImageButtonOptions];
    graph.layout = layout;
    graph._context.toImageButtonOptions = {...kept[1], format, ...size};
    try { graph.querySelector(CAMERA).click(); }
    finally { [graph.layout, graph._context.toImageButtonOptions] = kept; }
  };
  document.addEventListener("click", event => {
    const camera = event.isTrusted && event.target.closest?.(CAMERA);
    const button = event.target.closest?.("button")?.closest(BUTTON);
    if (!camera && !button) return;
    event.stopPropagation();
    if (camera) return take(camera.closest(".js-plotly-plot"), "svg");
    const [, format, name] = button.className.match(/st-key-picture-(\\w+)--(\\S+)/);
    const graph = document.querySelector(`.st-key-chart--${name} .js-plotly-plot`);
    if (graph) take(graph, format);
  }, true);
}"""


def script() -> str:
    """What makes the buttons work, for every page."""
    from dpbi.figures import picture

    return _SCRIPT % picture.SCRIPT


def buttons(name: str) -> None:
    """A button per format, for the chart of this name."""
    for kind in FORMATS:
        st.button(
            f"Picture as {kind.upper()}", key=f"picture {kind}: {name}", type="tertiary", icon=":material/image:"
        )
