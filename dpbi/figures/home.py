"""What every mechanism would publish, a row each: its private posteriors on the true one, and its numbers."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from dpbi import Comparison, LimitComparison, NotPrivate, PrivatePosteriors, Problem
from dpbi.accuracy.order import LEFT_OUT, Measured, lead, rising
from dpbi.figures.posteriors import SPIKE, SPIKE_POINTS, curves_of, most_of, peak_of, widened, with_gaps
from dpbi.figures.style import (
    FONT_SIZE,
    TRUTH,
    Drawing,
    Figure,
    Floats,
    axis_title,
    base_layout,
    category_axis,
    category_labels,
    compact,
    mechanism_labels,
    number,
    probability,
    style_of,
)
from dpbi.mechanisms.printed_number import error

DRAWS = 30  # of each mechanism
_POINTS = 25  # of a curve, so many that none of its corners is seen in a row
_ROW, _HEAD = 52, 0.4  # pixels; what stands above the first row, in rows
_WORDS, _FOOT, _HIGHEST = -0.3, 0.42, 0.53  # in rows, from a row's middle down: its words, 0; the highest density
_LEVEL = 5e-4  # relative: what three digits show of an error
_COLUMNS = {"Mean distance H": 0.69, "P(truth)": 0.87, "× limit": 1.0}  # where they end, as a share of the width
_UNKNOWN, _NONE = "…", "–"  # a number that is still to be computed, and one that there is not
_LEAST = 1e-300


def publications(
    rows: Sequence[Comparison],
    draws: Sequence[PrivatePosteriors],
    averages: LimitComparison | None = None,
    category: int = 0,
    labels: Sequence[str] | None = None,
) -> Figure:
    """Per mechanism, from the nearest on: its private posteriors of one share on the true one, and its numbers.

    rows: of one problem; draws: of some or all of their mechanisms; averages: of the same, None as long as they are not
    known; category: whose share theta is drawn, by its place; labels: of the categories.
    Mechanisms of which none is surely the nearer share a place. Source: ours.
    """
    order = _by_place(rows)
    problem, names = rows[0].problem, _names([row for _, row in order])
    share = category_labels(problem.k, labels)[category]
    fig = Drawing("xaxis", "yaxis", "xaxis2")
    found = {one.mechanism: _beta(one.parameters, category) for one in draws}
    released = [found.get(row.mechanism, np.empty((0, 2))) for _, row in order]
    window, seen, notes = _add_curves(fig, problem, released, category, [row for _, row in order])
    cells = [_cells(row, averages) for _, row in order]
    _add_words(fig, [place for place, _ in order], names, cells)
    ends = [len(order) - 0.5, -0.5 - _HEAD]
    return base_layout(
        fig, _title(problem, len(order), seen),
        alt=f"A row for each mechanism: private posteriors of the share of {share} on the true one",
        values="; ".join(f"{place}. {name}: {', '.join(f'{title} {said}' for title, (said, _) in one.items())}"
                         for (place, _), name, one in zip(order, names, cells, strict=True)),
        notes=notes, height=round(_ROW * (len(order) + _HEAD)),
        xaxis={"range": window, "title": {"text": axis_title(f"θ, share of {share}")}},
        xaxis2={"overlaying": "x", "visible": False, "range": [0, 1], "fixedrange": True},
        yaxis=category_axis(names) | {"range": ends, "showticklabels": False, "fixedrange": True},
    )  # fmt: skip


def _title(problem: Problem, mechanisms: int, seen: str) -> str:
    """In the two lines that are kept for it, on a telephone too."""
    if not problem.n:
        return "Without records every mechanism releases the prior itself"
    return f"Releases on the truth (grey){', nearest first' if mechanisms > 1 else ''}: {seen}"


def _by_place(rows: Sequence[Comparison]) -> list[tuple[int, Comparison]]:
    """Each with its place: one more than there are that are surely nearer."""
    placed = {id(row): 1 + sum(lead(other.measured, row.measured) > 0 for other in rows) for row in rows}
    order = rising(rows, lambda row: row.measured)
    return sorted(((placed[id(row)], row) for row in order), key=lambda one: one[0])


def _names(rows: Sequence[Comparison]) -> list[str]:
    """With what must never be overlooked."""
    stamps = ["" if row.guarantee.is_private else ": not private" if isinstance(row.guarantee, NotPrivate)
              else ": only claimed" for row in rows]  # fmt: skip
    return [f"{name}{stamp}" for name, stamp in zip(mechanism_labels([row.mechanism for row in rows]), stamps,
                                                    strict=True)]  # fmt: skip


# The pictures ---------------------------------------------------------------------------------------


def _beta(parameters: Floats, category: int) -> Floats:
    """The Beta law of one share: its own parameter and the sum of the others. (M, k) -> (M, 2)."""
    return np.stack([parameters[:, category], np.delete(parameters, category, axis=1).sum(axis=1)], axis=1)


def _add_curves(
    fig: Drawing, problem: Problem, released: Sequence[Floats], category: int, rows: Sequence[Comparison]
) -> tuple[tuple[float, float], str, list[str]]:
    """Draws the densities to one scale; returns the axis's range, what is seen, and what else has to be said."""
    true_law = _beta(np.array([problem.posterior]), category)
    distinct, times = zip(*(np.unique(one, axis=0, return_counts=True) for one in released), strict=True)
    truth, *curves = curves_of(np.concatenate([true_law, *distinct]), _POINTS)
    drawn = [curves[first:last] for first, last in pairwise(np.cumsum([0, *map(len, distinct)]))]
    every = [density for _, density in curves]
    ends = [most_of(*np.repeat(np.array([_ends(x) for x, _ in one]), often, axis=0).T)
            for one, often in zip(drawn, times, strict=True) if one]  # fmt: skip
    true_peak, peak = peak_of(truth[1]), max(map(peak_of, [truth[1], *every]))
    ceiling = min(peak, 1.6 * true_peak)
    _add_row(fig, [truth] * len(rows), range(len(rows)), ceiling, name="true posterior",
             hovertemplate="true: %{customdata:.3g}", line={"color": TRUTH.colour, "width": 5})  # fmt: skip
    for i, (row, curves, name) in enumerate(zip(rows, drawn, _names(rows), strict=True)):
        fig.add_hline(i + _FOOT, {"color": TRUTH.faded(0.5), "width": 1})
        if curves:
            _add_row(fig, curves, [i] * len(curves), ceiling, name=name, hoverinfo="skip",
                     line={"color": style_of(row.mechanism).faded(0.6), "width": 1.3})  # fmt: skip
    spike = any(density.size == SPIKE_POINTS for density in [truth[1], *every])
    cut = ", tops cut off" if any((one > ceiling).any() for one in every) else ""
    seen = f"{max(map(len, released))} each{cut}"
    return widened([_ends(truth[0]), *ends]), seen, [SPIKE] if spike else []


def _ends(x: Floats) -> tuple[float, float]:
    """Of a curve; a spike has its place alone."""
    return float(x[0]), float(x[0] if x.size == SPIKE_POINTS else x[-1])


def _add_row(
    fig: Drawing, curves: Sequence[tuple[Floats, Floats]], places: Sequence[int], ceiling: float, **trace: Any
) -> None:
    """Curves in the rows at these places as one trace: plotly takes its time for each. Their densities are kept."""
    x, density = with_gaps(curves)
    row = np.repeat(np.array(places, dtype=float), [1 + len(curve) for curve, _ in curves])
    height = np.minimum(density / ceiling, 1) * _HIGHEST
    fig.add_scatter(x=compact(x), y=compact(row + _FOOT - height), customdata=compact(density), mode="lines",
                    showlegend=False, **trace)  # fmt: skip


# The numbers ----------------------------------------------------------------------------------------


def _cells(row: Comparison, averages: LimitComparison | None) -> dict[str, tuple[str, float | None]]:
    """What stands in each column, and the number that it says."""
    truth = min(row.probability_of_truth, np.nextafter(1, 0)) if row.problem.n else 1.0
    ratio = averages.times_limit(row.mechanism) if averages else None
    times = _UNKNOWN if averages is None else _NONE if ratio is None else _times(ratio)
    mean, of_truth, of_limit = _COLUMNS
    cells = {mean: (_mean(row), row.mean), of_truth: (_probability(truth), truth)}
    return cells | ({of_limit: (times, ratio and ratio.value)} if row.problem.n else {})


def _mean(row: Comparison) -> str:
    if row.mean <= LEFT_OUT:
        return f"< {number(LEFT_OUT)}" if row.problem.n else "0"
    said, margin = _probability(row.mean), row.measured.margin
    return f"{said} ± {error(margin)}" if margin > _LEVEL * row.mean and said[0].isdigit() else said


def _times(ratio: Measured) -> str:
    said = f"{ratio.value:.2f}" if ratio.value < 100 else number(ratio.value)
    return f"{said} ± {error(ratio.margin)}" if ratio.margin > _LEVEL * ratio.value else said


def _probability(value: float) -> str:
    """As short as a column is; with records none is 0."""
    if value < _LEAST:
        return f"< {number(_LEAST)}"
    return probability(value).replace("above", ">") if value >= 1e-4 else number(value, 2 if value >= 1e-99 else 1)


def _add_words(
    fig: Drawing, places: Sequence[int], names: Sequence[str], cells: Sequence[dict[str, tuple[str, float | None]]]
) -> None:
    """A line of words above each row's curves, and the columns' titles above all."""
    rows = np.arange(len(names)) + _WORDS
    font = {"size": FONT_SIZE - 1, "color": TRUTH.colour}
    still: dict[str, Any] = {"mode": "text", "xaxis": "x2", "showlegend": False, "hoverinfo": "skip", "textfont": font}
    fig.add_scatter(
        x=[0.0] * len(names), y=compact(rows), text=[f"{place}  <b>{name}</b>" for place, name in zip(
            places, names, strict=True)], customdata=[*places], textposition="middle right", name="Place", **still,
    )  # fmt: skip
    for title in cells[0]:
        said, values = zip(*(one[title] for one in cells), strict=True)
        fig.add_scatter(
            x=[_COLUMNS[title]] * len(names), y=compact(rows), text=[*said], customdata=[*values],
            textposition="middle left", name=title, **still,
        )  # fmt: skip
        fig.add_annotation(x=_COLUMNS[title], y=-0.4 - _HEAD, xref="x2", yref="y", xanchor="right", yanchor="middle",
                           text=title, showarrow=False, font={"size": FONT_SIZE - 1})  # fmt: skip
