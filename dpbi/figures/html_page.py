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
_STYLE, _SCRIPT = (Path(__file__).with_name(f"figure_page.{kind}").read_text("utf-8") for kind in ("css", "js"))

_WIDTHS = {  # in cm; the size of type there, in points; the least height, as a share of the width
    "Slide": (25.0, 11.0, 9 / 16),
    "Page": (17.0, 8.5, 0.6),
    "Column": (8.5, 8.5, 0.75),
}
_FORMATS = {"pdf": "Print, or save as PDF", "svg": "Save as SVG", "png": "Save as PNG"}
_CHOICES = (
    '<label>Width <select id="width">'
    + "".join(f'<option value="{cm:g}" data-size="{size}" data-shape="{shape}">{said}, {cm:g} cm</option>'
              for said, (cm, size, shape) in _WIDTHS.items())
    + '</select></label> <label><input type="checkbox" id="headline" checked> Headline</label>'
)  # fmt: skip


def html_page(figure: go.Figure, name: str, about: Sequence[str], *, embedded: bool = True) -> str:
    """HTML that draws the figure without a network, and gives its picture at a width on paper, with its headline or
    without: printed, which is how it becomes a PDF, or saved as SVG or PNG.

    name: plain ASCII, the title and the pictures' file name; about: paragraphs below, plain text;
    embedded: with plotly.js inside, 4.7 MB; else it is taken from ``PLOTLY_FILE`` in the same folder.
    """
    copy = go.Figure(figure).update_layout(template="plotly_white", modebar=None, dragmode="zoom")
    said = [copy.layout.meta["alt"], *about] if copy.layout.meta else list(about)
    drawn = copy.to_html(full_html=False, include_plotlyjs=False, auto_play=False, config=_CONFIG, div_id="figure")
    script = f"<script>{get_plotlyjs()}</script>" if embedded else f'<script src="{PLOTLY_FILE}"></script>'
    buttons = " ".join(f'<button data-format="{kind}">{said}</button>' for kind, said in _FORMATS.items())
    look = html.escape(json.dumps(picture.LOOK))
    pictures = (f'<p id="pictures" data-name="{html.escape(name)}" data-look="{look}">{_CHOICES} {buttons}</p>\n'
                '<div id="picture" aria-hidden="true"></div>\n<div id="measured" aria-hidden="true"></div>')
    scripts = f"<script>\n{picture.SCRIPT}{_SCRIPT}</script>"
    paragraphs = "\n".join(f"<p>{html.escape(sentence)}</p>" for sentence in said)
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{html.escape(name)}</title>\n'
        f'<meta name="viewport" content="width=device-width">\n<style>{_STYLE}</style>\n{script}\n</head>\n<body>\n'
        f'{drawn}\n{pictures}\n{paragraphs}\n{scripts}\n</body>\n</html>\n'
    )
