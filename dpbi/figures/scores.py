"""Which distance should score the candidates: mean distances at the same exact loss, against the limit of privacy."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from dpbi.figures.drawing import Drawing
from dpbi.figures.style import FONT_SIZE, REFERENCE, TRUTH, base_layout, leading, number
from dpbi.papers.score_study import ScoreStudy


def compared(found: ScoreStudy) -> go.Figure:
    """E[H] of each score, as proved (open) and calibrated to the same exact loss (filled), and the limit."""
    names = [row.score for row in found.rows]
    fig = Drawing()
    for name, means, symbol, place in (
        ("rate from the sensitivity", [row.mean for row in found.rows], "circle-open", "bottom center"),
        ("at the same exact loss", [row.calibrated_mean for row in found.rows], "circle", "top center"),
    ):
        fig.add_scatter(
            x=means, y=names, mode="markers+text", name=name, text=[number(mean) for mean in means],
            textposition=place, textfont={"size": FONT_SIZE - 1, "color": REFERENCE.colour},
            marker={"size": 13, "symbol": symbol, "color": TRUTH.colour if symbol.endswith("open") else "#3c5ad2"},
            hovertemplate="%{y}: %{x:.4g}",
        )  # fmt: skip
    if found.limit.value is not None:
        fig.add_vline(x=found.limit.value, line={"color": REFERENCE.colour, "width": 2, "dash": REFERENCE.dash})
        fig.add_annotation(x=found.limit.value, y=1, yref="paper", text="the limit of privacy", showarrow=False,
                           yanchor="bottom", font={"size": FONT_SIZE - 1})  # fmt: skip
    means = [row.calibrated_mean for row in found.rows]
    best = found.rows[int(np.argmin(means))]
    times = f", {number(best.times_limit)} times the limit" if best.times_limit else ""
    nearest = leading([f"“{name}”" for name in names], means, best.calibrated_mean, ("is", "are"))
    title = f"At the same exact loss, {nearest} the nearest of these scores: {number(best.calibrated_mean)}{times}"
    fig.update_xaxes(title_text="Mean H under the prior",
                     range=[0, 1.15 * max(max(row.mean, row.calibrated_mean) for row in found.rows)])  # fmt: skip
    fig.update_yaxes(autorange="reversed", tickvals=names, ticktext=names)
    listed = ", ".join(f"{row.score} {number(row.calibrated_mean)}" for row in found.rows)
    return base_layout(fig, title, alt=f"Dots of the mean distance of each score. {title}. Calibrated: {listed}.",
                       height=110 + 52 * len(names), headroom=20)  # fmt: skip
