"""The papers' figures: one drawing per kind of result, the exact answer always beside the simulated runs."""

from collections.abc import Sequence
from dataclasses import replace
from functools import singledispatch
from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpbi import local_sensitivity, printed_bound
from dpbi.figures import distances, sensitivities
from dpbi.figures.style import (
    LINE_WIDTH,
    REFERENCE,
    TRUTH,
    Drawing,
    Figure,
    add_curve,
    base_layout,
    category_axis,
    compact,
    leading,
    log_axis,
    mark_level,
    mark_place,
    number,
    style_of,
    with_values,
)
from dpbi.papers.figures.settings import (
    ConcretePrivacy,
    DistanceProbabilities,
    ErrorBoxes,
    ErrorsAgainstSize,
    SensitivityGap,
    ahead_from,
)
from dpbi.sensitivity.maps import ScoreChange

_UNIT = {"hellinger": "Hellinger distance H", "l1": "L1 distance, in records"}
_NOTCH = 1.57  # interquartile ranges over sqrt(runs): boxes whose notches overlap have medians that may be equal


@singledispatch
def draw(result: Any) -> Figure:
    """The figure of one result of ``dpbi.papers.figures``; TypeError for anything else."""
    raise TypeError(f"There is no figure of a {type(result).__name__}.")


@draw.register
def sensitivity_gap(found: SensitivityGap) -> Figure:
    """Local, smooth and global sensitivity over all datasets of two categories."""
    fig = Drawing.of(sensitivities.along_count(found.scan, found.problem))
    here = local_sensitivity(found.problem)
    title = (
        f"The global sensitivity is {number(found.scan.global_exact / here)} times that of balanced data; "
        f"by the constant of [D20] it would be {number(found.scan.global_paper / here)} times"
    )
    return base_layout(fig, title, alt="Sensitivities against one count", hovermode="x unified")


@draw.register
def score_change(found: ScoreChange) -> Figure:
    """The largest change of each candidate's score over all neighbours."""
    fig = Drawing.of(sensitivities.score_change(found))
    return base_layout(
        fig, f"No score changes more than that of r = BI(x): by LS(x) = {number(found.local_sensitivity)}",
        alt="Line chart of how far each candidate's score can change when one record is replaced",
        x={"title_text": "Records moved from x to r"},
        y={"title_text": "max over x′ of |H(BI(x), r) − H(BI(x′), r)|"},
    )  # fmt: skip


@draw.register
def distance_probabilities(found: DistanceProbabilities) -> Figure:
    """The exact probability of each distance, and the share of the simulated releases there."""
    return distances.per_level(found.laws, True, found.draws, [one.name for one in found.contenders])


@draw.register
def errors_against_size(found: ErrorsAgainstSize) -> Figure:
    """Mean distance against n, exact as lines, simulated as open marks with two standard errors."""
    fig = Drawing()
    names = [one.name for one in found.contenders]
    for place, (one, name) in enumerate(zip(found.contenders, names, strict=True)):
        style = style_of(one.mechanism)
        add_curve(fig, style, name, found.sizes, found.exact[:, place], "n = %{x:,}: %{y:.4g}", mode="lines",
                  legendgroup=name)
        fig.add_scatter(
            x=found.sizes, y=compact(found.simulated[:, place]), legendgroup=name, showlegend=False, mode="markers",
            marker={"color": style.colour, "symbol": f"{style.symbol}-open", "size": 10, "line": {"width": 1.5}},
            error_y={"type": "data", "array": compact(2 * found.standard_error[:, place]), "width": 0},
            hovertemplate="simulated, n = %{x:,}: %{y:.4g}",
        )  # fmt: skip
    fig.add_scatter(  # an entry of the legend that belongs to no mechanism
        x=[None], y=[None], mode="markers", name=f"mean of {found.runs:,} simulated runs",
        marker={"symbol": "circle-open", "size": 10, "color": REFERENCE.colour},
    )  # fmt: skip
    every = np.concatenate([found.exact.ravel(), found.simulated.ravel()])
    turn = found.race.overtaken
    if turn is not None:
        mark_place(fig, turn, f"n = {turn:,}", by_powers=True)
    return base_layout(
        fig, _outrun(found, names),
        alt="Line chart of the mean distance against n",
        values=f"At n = {found.sizes[-1]:,}: {with_values(names, found.exact[-1])}",
        notes=[f"Bars: two standard errors; seed {found.seed}."],
        x={"title_text": "Records n, balanced data", **log_axis(found.sizes[0], found.sizes[-1])},
        y={"title_text": "Mean Hellinger distance", **log_axis(np.nanmin(every), np.nanmax(every))},
    )  # fmt: skip


def _outrun(found: ErrorsAgainstSize, names: Sequence[str]) -> str:
    """From which size on the one that is watched is ahead, and who is nearest at the last."""
    nearest = leading(names, found.exact[-1].tolist(), float(np.nanmin(found.exact[-1])))
    race, last = found.race, f"n = {found.sizes[-1]:,}"
    if race.overtaken is None:
        return f"Nearest to the truth at {last}: {nearest}"
    be = "is" if nearest in names else "are"
    return (f"{names[race.first]} is nearer than {names[race.second]} from n = {race.overtaken:,} on; nearest at "
            f"{last} {be} {nearest}")


def _overtaking(exact: NDArray[np.float64], names: Sequence[str], rows: Sequence[str]) -> str:
    """Who is ahead of whom from which row on, the last such turn of all; else who is nearest at the last row."""
    turns = [(row, a, b) for a, b in permutations(range(len(names)), 2) if (row := ahead_from(exact, a, b))]
    nearest = leading(names, exact[-1].tolist(), float(np.nanmin(exact[-1])))
    if not turns:
        return f"Nearest to the truth at {rows[-1]}: {nearest}"
    row, ahead, behind = max(turns, key=lambda turn: turn[0])
    be = "is" if nearest in names else "are"
    return f"{names[ahead]} is nearer than {names[behind]} from {rows[row]} on; nearest at {rows[-1]} {be} {nearest}"


@draw.register
def error_boxes(found: ErrorBoxes) -> Figure:
    """Notched boxes of the simulated errors with the exact means; whiskers over the range, as in the papers."""
    groups, contenders = found.exact.shape
    fig = Drawing()
    names = [one.name for one in found.contenders]
    offsets = (np.arange(contenders) - (contenders - 1) / 2) * 0.85 / contenders
    rows = np.arange(groups)[:, None] + offsets if groups > 1 else np.arange(contenders)[None, :]
    for place, (one, name) in enumerate(zip(found.contenders, names, strict=True)):
        style = style_of(one.mechanism)
        low, first, median, third, high = np.quantile(found.errors[:, place], [0, 0.25, 0.5, 0.75, 1], axis=-1)
        # Few distinct distances can put the median at a quartile: a notch that left the box would be folded.
        notch = np.minimum(_NOTCH * (third - first) / np.sqrt(found.runs), np.minimum(median - first, third - median))
        fig.add_box(
            lowerfence=compact(low), q1=compact(first), median=compact(median), q3=compact(third),
            upperfence=compact(high), notchspan=compact(notch), notched=True,
            y=rows[:, place], orientation="h", width=0.5 if groups == 1 else 0.85 / contenders, name=name,
            showlegend=groups > 1, fillcolor=style.faded(0.35), line={"color": style.colour, "width": 1.5},
        )  # fmt: skip
    fig.add_scatter(
        x=compact(found.exact.ravel()), y=rows.ravel(), mode="markers", name="exact mean",
        text=names * groups if groups > 1 else None,
        marker={"symbol": "diamond-tall", "size": 13 if groups == 1 else 10, "color": TRUTH.colour,
                "line": {"width": 1, "color": "white"}},
        hovertemplate="exact mean %{x:.4g}",
    )  # fmt: skip
    end = float(found.errors.max())
    without = [name for name, mean in zip(names, found.exact.sum(axis=0), strict=True) if np.isnan(mean)]
    return base_layout(
        fig, _boxes_words(found, names), alt=f"Box plots of {found.runs:,} simulated errors of each mechanism",
        values=f"Means: {with_values(names, found.mean[-1])}",
        notes=[f"Boxes: {found.runs:,} runs each, seed {found.seed}; whiskers over their range.",
               f"No exact mean of {', '.join(without)}: the outputs are too many to list." if without else ""],
        x={"title_text": _UNIT[found.measure], "range": [-0.02 * end, 1.04 * end]},
        y=category_axis(names if groups == 1 else [f"({label}, {label})" for label in found.labels]),
        height=60 + (22 if groups > 1 else 62) * rows.size,
    )  # fmt: skip


def _boxes_words(found: ErrorBoxes, names: Sequence[str]) -> str:
    if len(found.problems) > 1:
        return _overtaking(found.mean, names, [f"the prior ({label},\u00a0{label})" for label in found.labels])
    means = found.mean[0]
    nearest = found.nearest()
    best, worst = " and ".join(names[at] for at in nearest), leading(names, means.tolist(), float(means.max()))
    return f"Smallest mean error: {best}, {number(means[nearest].min())}; largest: {worst}, {number(means.max())}"


@draw.register
def concrete_privacy(found: ConcretePrivacy) -> Figure:
    """The largest log ratio at uniform data and at the worst, against n."""
    fig = Drawing()
    for place, one in enumerate(found.contenders):
        style = style_of(one.mechanism)
        for values, said, symbol, width in (
            (found.worst[:, place], "worst data", style.symbol, LINE_WIDTH),
            (found.balanced[:, place], "uniform data", f"{style.symbol}-open", LINE_WIDTH / 2),
        ):
            add_curve(fig, replace(style, symbol=symbol), f"{one.name}, {said}", found.sizes, values,
                      "n = %{x:,}: %{y:.4g}", width=width, size=10)
    mark_level(fig, found.stated, f"ε = {printed_bound(found.stated)}")
    top = max(found.stated, float(found.worst.max()))
    worst, uniform = (printed_bound(losses[-1, 0], 3) for losses in (found.worst, found.balanced))
    return base_layout(
        fig, f"At n = {found.sizes[-1]:,}, by Definition 3, uniform data lose {uniform}, the worst data {worst}",
        alt="Line chart of the privacy loss against n", values=f"The stated epsilon is {printed_bound(found.stated)}",
        x={"title_text": "Records n, two categories", **log_axis(found.sizes[0], found.sizes[-1])},
        y={"title_text": "Largest log ratio of probabilities", "range": [0, 1.1 * top]},
    )  # fmt: skip
