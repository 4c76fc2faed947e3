"""What the mechanism scaled to the local sensitivity loses, over priors: a map with the contour at epsilon."""

import numpy as np

from dpbi import printed_bound
from dpbi.figures.style import FONT_SIZE, LINE_WIDTH, REFERENCE, Drawing, Figure, base_layout, log_axis, number
from dpbi.privacy.local_loss import SCALED, LocalLossMap

_FARTHEST = 0.5  # from 1, where colours end
_COLOURS = ((0.0, "#3c5ad2"), (0.5, "#e9e6ee"), (1.0, "#e17800"))  # below epsilon, epsilon, above


def over_priors(found: LocalLossMap) -> Figure:
    """loss / epsilon at each prior, and where it is 1."""
    fig = Drawing()
    place = list(found.parameters)
    drawn = {"x": place, "y": place, "z": found.ratio.astype(np.float32), "name": "loss / epsilon"}
    fig.add_contour(
        **drawn, showlegend=False, zmin=1 - _FARTHEST, zmax=1 + _FARTHEST, colorscale=[list(one) for one in _COLOURS],
        contours={"coloring": "heatmap", "showlines": False}, line={"smoothing": 0},
        colorbar={"thickness": 16, "outlinewidth": 1, "outlinecolor": REFERENCE.colour,
                  "title": {"text": "loss / ε"}, "tickfont": {"size": FONT_SIZE - 1}},
        hovertemplate="%{z:.4f}<extra></extra>",
    )  # fmt: skip
    if found.ratio.min() < 1 < found.ratio.max():
        fig.add_contour(
            **drawn, showlegend=False, showscale=False, hoverinfo="skip",
            line={"width": LINE_WIDTH, "color": "#0f1720", "smoothing": 0},
            contours={"coloring": "none", "start": 1, "end": 1, "size": 1, "showlabels": True,
                      "labelfont": {"size": FONT_SIZE, "color": "#0f1720"}},
        )  # fmt: skip
    axis = log_axis(found.parameters[0], found.parameters[-1])
    beyond = abs(found.ratio - 1).max() > _FARTHEST
    first = "alpha_1" if found.k == 2 else "alpha_1 = alpha_2"
    return base_layout(
        fig, _said(found), alt=f"Map of loss / epsilon over {first} and alpha_{found.k}",
        values=f"From {number(found.ratio.min())} to {number(found.ratio.max())}",
        x={"title_text": f"Prior parameter α<sub>{found.k}</sub>", **axis},
        y={"title_text": f"Prior parameter α<sub>1</sub>{'' if found.k == 2 else ' = α<sub>2</sub>'}", **axis},
        height=400,
        notes=[f"Colours end at {1 - _FARTHEST:g} and {1 + _FARTHEST:g}." if beyond else ""],
    )  # fmt: skip


def _said(found: LocalLossMap) -> str:
    where = "for many records" if found.n is None else f"at n = {found.n:,}, epsilon = {printed_bound(found.epsilon)}"
    if not found.broken:
        return (f"{where[0].upper()}{where[1:]} {SCALED} loses no more than epsilon at these priors: "
                f"{number(found.ratio.max())} times it at most")
    return (f"{where[0].upper()}{where[1:]} {SCALED} loses more than epsilon at {found.broken} of these "
            f"{found.ratio.size} priors, up to {number(found.ratio.max())} times it")
