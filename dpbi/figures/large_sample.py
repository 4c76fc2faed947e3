"""With many records: who is nearest at which epsilon, and how exact means near their limits as n grows."""

from collections.abc import Sequence

import numpy as np

from dpbi import LargeSampleApproach, LargeSampleBoard, printed_bound
from dpbi.figures import line_labels
from dpbi.figures.style import (
    FONT_SIZE,
    REFERENCE,
    Drawing,
    Figure,
    add_curve,
    base_layout,
    compact,
    leading,
    log_axis,
    mechanism_labels,
    number,
    style_of,
    with_values,
)

_ALIKE = 1e-6  # relatively
_BESIDE = ("bottom right", "top left")  # so that the numbers of near places do not lie on one another


def leaderboard(found: LargeSampleBoard) -> Figure:
    """The limit of the mean distance over the least there is, against epsilon; places are marked where two change.

    The least is the limit of privacy where it is known, else the smallest of those shown.
    """
    labels = mechanism_labels(found.mechanisms)
    values = np.array([[error.value for error in errors] for errors in found.errors])
    least = np.array(found.least) if found.least else values.min(axis=0)
    ratios = values / least
    fig = Drawing()
    for mechanism, label, ratio in zip(found.mechanisms, labels, ratios, strict=True):
        add_curve(fig, style_of(mechanism), label, found.epsilons, ratio, "ε = %{x:.4g}: %{y:.4g} times", mode="lines")
    _mark_thresholds(fig, found, labels, ratios)
    farthest = ratios.max(axis=1)
    middle = len(found.epsilons) // 2
    if always := float(farthest.min()) <= 1 + _ALIKE:
        nearest = leading(labels, farthest.tolist(), float(farthest.min()), ("is", "are"))
    else:
        nearest = leading(labels, ratios[:, middle].tolist(), float(ratios[:, middle].min()), ("is", "are"))
    as_near = "as near as an ε-DP mechanism can be" if found.least and always else "the nearest of these"
    where = "every ε shown" if always else f"ε = {number(found.epsilons[middle])}"
    scale = "the limit of privacy" if found.least else "the nearest of these"
    return base_layout(
        fig, f"With many records {nearest} {as_near} at {where}",
        alt="Line chart of the limit of the mean distance, over the least, against epsilon",
        values=f"At ε = {number(found.epsilons[middle])}: {with_values(labels, ratios[:, middle].tolist())} times",
        notes=["Rings: where two change places."] if found.thresholds else [],
        x={"title_text": "ε", **log_axis(found.epsilons[0], found.epsilons[-1])},
        y={"title_text": f"Mean distance, times {scale}", **log_axis(0.9, float(ratios.max()))},
    )  # fmt: skip


def _mark_thresholds(fig: Drawing, found: LargeSampleBoard, labels: Sequence[str], ratios: np.ndarray) -> None:
    """A ring where two curves meet; those of alike mechanisms are one."""
    rings: dict[float, tuple[float, str]] = {}
    for one in found.thresholds:
        ahead, behind = (found.mechanisms.index(mechanism) for mechanism in (one.ahead, one.behind))
        y = np.exp(np.interp(np.log(one.epsilon), np.log(found.epsilons), np.log(ratios[ahead])))
        said = f"from ε = {printed_bound(one.epsilon, 4)} on {labels[ahead]} is nearer than {labels[behind]}"
        before = rings.get(round(one.epsilon, 6))
        rings[round(one.epsilon, 6)] = float(y), f"{before[1]}<br>{said}" if before else said
    if rings:
        fig.add_scatter(
            x=compact([*rings]), y=compact([y for y, _ in rings.values()]), mode="markers+text", showlegend=False,
            marker={"color": REFERENCE.colour, "symbol": "circle-open", "size": 13, "line": {"width": 2.5}},
            text=[f" {printed_bound(at, 4)} " for at in rings],
            textposition=[_BESIDE[i % 2] for i in range(len(rings))],
            textfont={"size": FONT_SIZE - 1, "color": REFERENCE.colour},
            customdata=[said for _, said in rings.values()], hovertemplate="%{customdata}",
        )  # fmt: skip


def approached(found: Sequence[LargeSampleApproach]) -> Figure:
    """sqrt(8 n) E[H] against n, exact, and the limit of each as a line of its own."""
    labels = mechanism_labels([one.limit.mechanism for one in found])
    fig = Drawing()
    for one, label in zip(found, labels, strict=True):
        style = style_of(one.limit.mechanism)
        add_curve(fig, style, label, one.sizes, one.scaled, "n = %{x:,}: %{y:.5g}")
        fig.add_scatter(
            x=[one.sizes[0], one.sizes[-1]], y=[one.limit.value] * 2, mode="lines", showlegend=False,
            line={"color": style.colour, "width": 1.5, "dash": "dash"}, name=f"{label}, limit", meta=line_labels.BESIDE,
            hovertemplate=f"limit {one.limit.value:.5g}",
        )  # fmt: skip
    largest = found[0].sizes[-1]
    farthest = max(abs(one.scaled[-1] / one.limit.value - 1) for one in found)
    every = [value for one in found for value in (*one.scaled, one.limit.value)]
    return base_layout(
        fig, f"At n = {largest:,} every mean distance shown lies within {farthest:.2g} of its limit, relatively",
        alt="Line chart of the mean distance times the root of 8 n against n, beside its limits",
        values=f"Limits: {with_values(labels, [one.limit.value for one in found])}",
        notes=["Dashed: the limits."],
        x={"title_text": "Total count n", **log_axis(found[0].sizes[0], largest)},
        y={"title_text": "√(8n) × mean H", **log_axis(min(every), max(every))},
    )  # fmt: skip
