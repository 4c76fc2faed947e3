"""Which distance should score the candidates: mean distances at the same exact loss, against the limit of privacy."""

from dpbi.figures.style import (
    FONT_SIZE,
    REFERENCE,
    TRUTH,
    Drawing,
    Figure,
    base_layout,
    mark_place,
    number,
    with_values,
)
from dpbi.papers.score_study import LEAST_MEAN, ScoreStudy


def compared(found: ScoreStudy) -> Figure:
    """E[H] of each score, as proved (open) and calibrated to the same exact loss (filled), and the limit."""
    names = [row.score.replace("(", "<br>(") for row in found.rows]
    fig = Drawing()
    for name, means, symbol, place in (
        ("rate from the sensitivity", [row.mean for row in found.rows], "circle-open", "bottom center"),
        ("at the same exact loss", [row.calibrated_mean for row in found.rows], "circle", "top center"),
    ):
        fig.add_scatter(
            x=means, y=names, mode="markers+text", name=name, text=[_written(mean) for mean in means],
            textposition=place, textfont={"size": FONT_SIZE - 1, "color": REFERENCE.colour},
            marker={"size": 13, "symbol": symbol, "color": TRUTH.colour if symbol.endswith("open") else "#3c5ad2"},
            hovertemplate="%{y}: %{x:.4g}",
        )  # fmt: skip
    if found.limit.value is not None:
        mark_place(fig, found.limit.value, "the limit of privacy")
    means = [row.calibrated_mean for row in found.rows]
    *others, best = found.nearest()
    times = f", {number(best.times_limit)} times the limit" if best.times_limit else ""
    named = f"{', '.join(f'“{row.score}”' for row in others)} and “{best.score}” are" if others else \
        f"“{best.score}” is"
    title = f"At the same exact loss, {named} the nearest of these scores: {_written(best.calibrated_mean)}{times}"
    return base_layout(
        fig, title, alt="Dots of the mean distance of each score",
        values=f"Calibrated: {with_values([row.score for row in found.rows], means, _written)}",
        notes=[f"Not drawn, of no finite sensitivity: {' and '.join(found.unbounded)}." if found.unbounded else ""],
        x={"title_text": "Mean H under the prior",
           "range": [0, 1.15 * max(max(row.mean, row.calibrated_mean) for row in found.rows)]},
        y={"autorange": "reversed", "tickvals": names, "ticktext": names}, height=110 + 52 * len(names), headroom=20,
    )  # fmt: skip


def _written(mean: float) -> str:
    """What is too small for its digits is called so, not 0."""
    return number(mean) if mean >= LEAST_MEAN else f"below {number(LEAST_MEAN)}"
