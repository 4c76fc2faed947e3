"""A figure as a page of its own, which asks no host for anything."""

import html
import json
from collections.abc import Sequence
from pathlib import Path

import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

from dpbi.figures import picture

PLOTLY_FILE = "plotly.min.js"  # beside pages that share it
_CONFIG = {
    "displaylogo": False,  # it links to its maker
    "showSendToCloud": False,
    "plotlyServerURL": "",
    "modeBarButtonsToRemove": ["toImage", "sendChartToCloud", "select2d", "lasso2d"],
    "responsive": True,
}
_STYLE, _BUTTONS = (Path(__file__).with_name(f"figure_page.{kind}").read_text("utf-8") for kind in ("css", "js"))


def html_page(figure: go.Figure, name: str, about: Sequence[str], *, embedded: bool = True) -> str:
    """HTML that draws the figure without a network, and saves it as SVG or PNG of the size of a slide.

    name: plain ASCII, the title and the pictures' file name; about: paragraphs below, plain text;
    embedded: with plotly.js inside, 4.7 MB; else it is taken from ``PLOTLY_FILE`` in the same folder.
    """
    copy = go.Figure(figure).update_layout(template="plotly_white", modebar=None, dragmode="zoom")
    said = [copy.layout.meta["alt"], *about] if copy.layout.meta else list(about)
    drawn = copy.to_html(full_html=False, include_plotlyjs=False, auto_play=False, config=_CONFIG, div_id="figure")
    script = f"<script>{get_plotlyjs()}</script>" if embedded else f'<script src="{PLOTLY_FILE}"></script>'
    buttons = " ".join(f'<button data-format="{kind}">Save as {kind.upper()}</button>' for kind in ("svg", "png"))
    look = html.escape(json.dumps(picture.LOOK))
    pictures = (f'<p id="pictures" data-name="{html.escape(name)}" data-look="{look}">{buttons}</p>\n'
                f"<script>\n{picture.SCRIPT}{_BUTTONS}</script>")
    paragraphs = "\n".join(f"<p>{html.escape(sentence)}</p>" for sentence in said)
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{html.escape(name)}</title>\n'
        f'<meta name="viewport" content="width=device-width">\n<style>{_STYLE}</style>\n{script}\n</head>\n<body>\n'
        f'{drawn}\n{pictures}\n{paragraphs}\n</body>\n</html>\n'
    )
