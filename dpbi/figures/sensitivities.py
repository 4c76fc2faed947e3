"""Local, smooth and global sensitivity over datasets, the score's change, and the choice of gamma."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from dpbi import Problem, global_sensitivity, local_sensitivity, smooth_sensitivity
from dpbi.figures.style import (
    FONT_SIZE,
    LINE_WIDTH,
    REFERENCE,
    SCALE,
    Drawing,
    Figure,
    Style,
    add_curve,
    axis_title,
    base_layout,
    category_labels,
    compact,
    log_axis,
    mark_place,
    number,
)
from dpbi.sensitivity.maps import GammaScan, ScoreChange, SensitivityScan, SimplexMap

# Each in the colour of the mechanism that is scaled by it; the papers' constant in the neutral one.
LOCAL = Style("#5d63c2", "solid", "circle")
RECIPROCAL = Style("#8a60f0", "dash", "star")
EXPONENTIAL = Style("#9b1dff", "dot", "triangle-down")
GLOBAL = Style("#5189c4", "longdash", "triangle-up")
PAPER = Style("#7d8590", "longdashdot", "line-ew")

_NAMES = {
    "local": "local sensitivity",
    "reciprocal": "smooth sensitivity (reciprocal)",
    "exponential": "smooth sensitivity (exponential)",
}
_RATE = "(1\u00a0+\u00a0γ)\u00a0Sᵧ(x)"  # one word to whoever breaks lines


def along_count(scan: SensitivityScan, problem: Problem, labels: Sequence[str] | None = None) -> Figure:
    """Every sensitivity against the first count u of two categories, the person's own data marked.

    scan: of the problem's prior and n; labels: of the two categories.
    """
    name = category_labels(2, labels)[0]
    here = int(np.flatnonzero(scan.position == problem.counts[0])[0])
    return _scan(scan, here, f"x: u = {problem.counts[0]:,}", f"Records in {name}, u, of n = {scan.n:,}",
                 f"against the count of {name}")


def along_emptying(path: SensitivityScan, labels: Sequence[str] | None = None) -> Figure:
    """Every sensitivity along the path that empties the two rarest categories; the data are at its start.

    path: from ``sensitivity_maps.along_emptying``; labels: of the categories.
    """
    names = category_labels(path.counts.shape[1], labels)
    falling = [names[i] for i in np.argsort(path.counts[0], kind="stable")[:2]]
    return _scan(path, 0, "x: your data", f"Records moved out of {falling[0]} and {falling[1]}",
                 f"along the path that empties {falling[0]} and {falling[1]}")


def _scan(scan: SensitivityScan, here: int, said: str, across: str, where: str) -> Figure:
    """here: the place of the person's data, marked in the words said; across: the axis; where: the alternative text."""
    fig = Drawing()
    for style, values, name, width in (
        (GLOBAL, np.full(scan.position.size, scan.global_exact), "global, GS (exact)", LINE_WIDTH),
        (PAPER, np.full(scan.position.size, scan.global_paper), "global, the papers' constant", LINE_WIDTH),
        (LOCAL, scan.local, "local, LS", 8),  # broad and pale: the smooth one often lies right on it
        (RECIPROCAL, scan.reciprocal, f"smooth, reciprocal, γ = {number(scan.gamma)}", LINE_WIDTH),
        (EXPONENTIAL, scan.exponential, f"smooth, exponential, β = {number(scan.beta)}", LINE_WIDTH),
    ):
        add_curve(
            fig, style, name, scan.position, values, "%{y:.4g}",
            mode="lines+markers" if scan.position.size <= 12 else "lines",
            line={"color": style.faded(0.5) if width > 4 else style.colour, "dash": style.dash, "width": width},
        )  # fmt: skip
    fig.add_scatter(
        x=[int(scan.position[here])], y=[float(scan.local[here])], mode="markers", showlegend=False,
        marker={"symbol": "circle-open", "size": 16, "color": LOCAL.colour, "line": {"width": 3}}, hoverinfo="skip",
    )  # fmt: skip
    mark_place(fig, float(scan.position[here]), said, "right" if here > scan.position.size / 2 else "left")
    every = [*scan.local, *scan.reciprocal, *scan.exponential, scan.global_exact, scan.global_paper]
    low, high = min(every), max(every)
    local, smooth, whole = scan.local[here], scan.reciprocal[here], scan.global_exact
    title = f"At your data LS(x) = {number(local)}; the global sensitivity is {number(whole / local)} times that"
    if number(whole) == number(local):
        nearly = "" if math.isclose(whole, local) else "nearly "
        title = f"At your data LS(x) is {nearly}as large as the global sensitivity, {number(whole)}"
    return base_layout(
        fig, title, alt=f"Line chart of local, smooth and global sensitivity {where}",
        values=f"Smooth at your data: {number(smooth)} (reciprocal, gamma {number(scan.gamma)}), "
               f"{number(scan.exponential[here])} (exponential). The papers' constant: {number(scan.global_paper)}",
        x={"title_text": axis_title(across)}, hovermode="x unified",
        y={"title_text": "Sensitivity of H"}
        | (log_axis(low, high) if high > 20 * low else {"range": [0, 1.08 * high]}),
    )  # fmt: skip


def on_simplex(found: SimplexMap, problem: Problem, labels: Sequence[str] | None = None) -> Figure:
    """One sensitivity over all datasets of three categories, as colours in the triangle; the data ringed.

    found: of the problem's prior and n; labels: of the categories.
    """
    names = category_labels(3, labels, 16)
    share = found.counts / found.counts[0].sum()
    colour = np.log10(found.value)
    scale = log_axis(10 ** float(colour.min()), 10 ** float(colour.max()))
    points_a_side = (math.isqrt(8 * len(share) + 1) - 1) // 2
    fig = Drawing("ternary")
    fig.add_scatterternary(
        a=compact(share[:, 0]), b=compact(share[:, 1]), c=compact(share[:, 2]), mode="markers", showlegend=False,
        cliponaxis=points_a_side > 10,
        marker={
            "color": compact(colour), "symbol": "hexagon2", "size": min(max(800 / points_a_side, 13), 40),
            "colorscale": [[place / (len(SCALE) - 1), one] for place, one in enumerate(SCALE)],
            "colorbar": {
                "orientation": "h", "y": -0.06, "yanchor": "top", "thickness": 16, "len": 0.8,
                "outlinewidth": 1, "outlinecolor": REFERENCE.colour,
                "tickvals": [float(np.log10(tick)) for tick in scale["tickvals"]], "ticktext": scale["ticktext"],
                "tickfont": {"size": FONT_SIZE - 1},
            },
            "line": {"width": 0},
        },
        name=_NAMES[found.measure], customdata=compact(found.value),
        hovertemplate="%{customdata:.4g} at %{a:.3g}, %{b:.3g}, %{c:.3g}<extra></extra>",
    )  # fmt: skip
    here = np.array(problem.counts) / problem.n
    for colour_of_ring, width in (("white", 7), ("black", 3)):
        fig.add_scatterternary(
            a=[here[0]], b=[here[1]], c=[here[2]], mode="markers", showlegend=False, cliponaxis=False,
            marker={"symbol": "circle-open", "size": 20, "color": colour_of_ring, "line": {"width": width}},
            hovertemplate="your data",
        )  # fmt: skip
    fig.update_ternaries(
        **{f"{axis}axis": {"title": {"text": name, "font": {"size": FONT_SIZE}}, "nticks": 5, "showgrid": False,
                           "tickfont": {"size": FONT_SIZE - 2}, "linecolor": REFERENCE.colour}
           for axis, name in zip("abc", names, strict=True)},
        bgcolor="rgba(0,0,0,0)", domain={"x": [0.08, 0.92], "y": [0.06, 1]},
    )  # fmt: skip
    # Smoothed or not, the largest of all data is the global sensitivity; the map may pass between the data that have it
    largest = global_sensitivity(problem.prior, problem.n)
    value = local_sensitivity(problem) if found.measure == "local" else \
        smooth_sensitivity(problem, found.gamma, found.measure)
    title = f"The {_NAMES[found.measure]} is {number(value)} at your data; over all data it reaches {number(largest)}"
    if math.isclose(value, largest):
        title = f"The {_NAMES[found.measure]} at your data, {number(value)}, is the largest there is"
    return base_layout(
        fig, title, alt=f"Triangle map of the {_NAMES[found.measure]} over the shares of {', '.join(names)}",
        values=f"The smallest value shown is {number(found.value.min())}", notes=["Ring: your data x."], height=400,
        headroom=26,
    )  # fmt: skip


def score_change(found: ScoreChange, labels: Sequence[str] | None = None) -> Figure:
    """|H(BI(x), r) - H(BI(x'), r)| over the candidates r on the line through x and its worst neighbour x'.

    found: from ``sensitivity_maps.score_change``; labels: of the categories.
    """
    names = category_labels(found.problem.k, labels)
    move = np.subtract(found.neighbour, found.problem.counts)
    donor, receiver = names[int(move.argmin())], names[int(move.argmax())]
    fig = Drawing()
    fig.add_scatter(
        x=compact(found.moved), y=compact(found.change), mode="lines+markers" if found.moved.size <= 60 else "lines",
        name="change of the score of r", line={"color": LOCAL.colour, "width": LINE_WIDTH},
        marker={"color": LOCAL.colour, "size": 7}, showlegend=False, hovertemplate="r = x + %{x} records: %{y:.4g}",
    )  # fmt: skip
    fig.add_scatter(
        x=[0], y=[found.local_sensitivity], mode="markers", showlegend=False, hoverinfo="skip",
        marker={"symbol": "circle-open", "size": 16, "color": LOCAL.colour, "line": {"width": 3}},
    )  # fmt: skip
    mark_place(fig, 0.0, "r = BI(x)", "right" if found.moved.mean() < 0 else "left")
    return base_layout(
        fig, f"The score changes most at the true posterior itself, by LS(x) = {number(found.local_sensitivity)}",
        alt=f"Line chart of how much the score of each candidate changes when one record moves from {donor} to "
            f"{receiver}, the worst neighbour",
        x={"title_text": axis_title(f"Candidate r: x with records moved from {donor} to {receiver}")},
        y={"title_text": "|H(BI(x), r) − H(BI(x′), r)|", "range": [0, 1.12 * found.local_sensitivity]},
    )  # fmt: skip


def gamma_scan(scan: GammaScan, gamma: float | None = None) -> Figure:
    """(1 + gamma) S_gamma(x) against gamma with its minimum marked; the gamma in use too, if given.

    scan: from ``sensitivity_maps.gamma_scan``; gamma: the value in use. On this logarithmic axis gamma = 0 has no
    place: it is the level of the global sensitivity, which the curve leaves at its left end.
    """
    rate = {x: (1 + x) * smooth_sensitivity(scan.problem, x) for x in (0.0, *(() if gamma is None else (gamma,)))}
    points = [(scan.best_gamma, scan.best_value, "diamond", f"smallest: γ = {number(scan.best_gamma)}")]
    if gamma is not None:
        points.append((gamma, rate[gamma], "circle-open", f"in use: γ = {number(gamma)}"))
    points = [point for point in points if point[0] > 0]
    shown = _bend(scan, rate[0.0], [x for x, *_ in points])
    fig = Drawing()
    fig.add_scatter(
        x=compact(scan.gamma[shown]), y=compact(scan.value[shown]), mode="lines", name=_RATE,
        line={"color": RECIPROCAL.colour, "width": 4}, hovertemplate="γ = %{x:.3g}: %{y:.4g}",
    )  # fmt: skip
    ends = scan.gamma[shown][[0, -1]]
    fig.add_scatter(
        x=compact(ends), y=[rate[0.0], rate[0.0]], mode="lines", hoverinfo="skip",
        name=f"γ = 0: the global sensitivity, {number(rate[0.0])}",
        line={"color": GLOBAL.colour, "dash": GLOBAL.dash, "width": LINE_WIDTH},
    )  # fmt: skip
    for x, y, symbol, name in points:
        fig.add_scatter(
            x=[x], y=[y], mode="markers", name=name, hovertemplate="%{y:.4g}",
            marker={"symbol": symbol, "size": 15, "color": RECIPROCAL.colour, "line": {"width": 3}},
        )  # fmt: skip
    lowest = min(scan.best_value, scan.value[shown].min())
    return base_layout(
        fig, _gamma_words(scan, gamma, rate),
        alt="Line chart of (1 + gamma) times the smooth sensitivity against gamma",
        x={"title_text": "Smoothness γ per record", **log_axis(*ends)},
        y={"title_text": _RATE, **log_axis(0.8 * lowest, max(rate[0.0], *scan.value[shown]))},
    )  # fmt: skip


def _bend(scan: GammaScan, start: float, marked: Sequence[float]) -> NDArray[np.bool_]:
    """The stretch of gamma > 0 worth drawing: from where the curve leaves its start to where it is twice as high."""
    level = (np.abs(scan.value - start) < 0.01 * start) & (scan.gamma < scan.best_gamma)
    high = (scan.value > 2 * start) & (scan.gamma > scan.best_gamma)
    low = scan.gamma[level].max(initial=0.0)
    end = scan.gamma[high].min(initial=scan.gamma.max())
    return (scan.gamma > 0) & (scan.gamma >= min([low, *marked]) / 3) & (scan.gamma <= 2 * max([end, *marked]))


def _gamma_words(scan: GammaScan, gamma: float | None, rate: Mapping[float, float]) -> str:
    if scan.best_gamma == 0:
        return "Here no smoothing beats the global sensitivity: γ = 0 is best"
    title = f"γ = {number(scan.best_gamma)} would be most accurate here"
    excess = 1.0 if gamma is None else rate[gamma] / scan.best_value
    if gamma is None or excess < 1.005:
        return f"{title}: {_RATE} = {number(scan.best_value)}"
    return f"{title}: {_RATE} is {number(excess)} times as large at γ = {number(gamma)}"

