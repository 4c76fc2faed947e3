"""Expected error along an axis, the epsilon that a wanted error asks for, and how often intervals hold the truth."""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from dpbi import LargeSampleError, Mechanism, PrivacyLimit, printed_bound
from dpbi.accuracy.axes import Value
from dpbi.accuracy.curves import AccuracyCurve, RequiredEpsilon, closer
from dpbi.accuracy.error import ExpectedError, Metric
from dpbi.accuracy.order import Measured, foremost
from dpbi.figures import line_labels
from dpbi.figures.style import (
    FONT_SIZE,
    LINE_WIDTH,
    REFERENCE,
    Drawing,
    Figure,
    Style,
    add_curve,
    base_layout,
    compact,
    leading,
    log_axis,
    mark_place,
    mechanism_labels,
    number,
    style_of,
    with_values,
)
from dpbi.inference.noise_aware import Coverage

METRIC_TITLES: dict[Metric, str] = {
    "hellinger": "Mean Hellinger distance",
    "l1": "Mean L1 error of the counts, in records",
    "variation": "Mean total variation distance",
}
FLOOR = 1e-12  # below this a logarithmic axis draws nothing, and says so
_MEANT = 1e-3  # below this too, unless the person's own errors are as small
MANY_SAID = "Finely dotted: what each tends to as n grows, a number over √n."
_MANY_POINTS = 60
LIMIT_SAID = "no ε-DP choice of a candidate is below this"
_BY_POWERS = 8.0  # largest over smallest error from which on the axis is logarithmic
# Dash and mark of a further epsilon: no mechanism's own, nor a calibrated one's.
_FURTHER = (("3px,5px", "triangle-se"), ("12px,3px,3px,3px,3px,3px", "cross"), ("16px,10px", "triangle-nw"))
_NAMES: dict[Metric, str] = {"hellinger": "mean distance", "l1": "mean L1 error", "variation": "mean total variation"}


def against(
    curves: Sequence[AccuracyCurve], own: Value | None, limit: Mapping[Value, PrivacyLimit] | None = None,
    many: Sequence[LargeSampleError] = (),
) -> Figure:
    """The expected error of each mechanism against what varies, with the person's own value marked.

    curves: of one axis and metric, one per mechanism, with at least one value each; own: where their problem lies. Of
    mechanisms at several epsilons each has its colour, and dash and mark tell the epsilons apart.
    Filled marks are exact, open ones means of draws with bars of two standard errors; where only bounds are known the
    band between them is filled, widened by two standard errors where draws enter. limit: of privacy, where the errors
    are averages under the prior: the region below it is filled; many: what curves along n tend to, finely dotted.
    """
    axis, metric = curves[0].axis, curves[0].metric
    labels, styles = _told_apart([curve.mechanism for curve in curves])
    limit = limit or {}
    every = np.array([end for curve in curves for error in curve.errors for end in _ends(error)]
                     + [one.lower for one in limit.values() if one.lower])
    floor = _floor(curves, own)
    seen = every[every >= floor]
    by_powers = seen.size > 0 and seen.max() > _BY_POWERS * seen.min()
    fig = Drawing()
    for curve, label, style in zip(curves, labels, styles, strict=True):
        _add_curve(fig, curve, label, style, floor if by_powers else -1.0)
    add_limit(fig, list(limit.values()), list(limit), float(seen.min()) / 2 if by_powers else 0.0)
    values = [value for curve in curves for value in curve.values]
    _add_many(fig, many, values, floor if by_powers else 0.0)
    if own is not None:
        mark_place(fig, own, f"here: {_said(own)}", by_powers=axis.logarithmic, dash="solid")
    top = float(every.max(initial=0.0)) or 1.0
    below = 1.5 if limit else 1.0  # room for the region
    up = log_axis(float(seen.min()) / below, float(seen.max())) if by_powers else {"range": [0, 1.06 * top]}
    notes = [*_notes(curves, floor if by_powers and every.size > seen.size else 0.0), MANY_SAID if many else ""]
    return base_layout(
        fig, _words(curves, labels, own if own is not None else min(values)),
        alt=f"Line chart of the expected error, {METRIC_TITLES[metric]}, against {axis.title}", notes=notes,
        x={"title_text": axis.title, **(log_axis(min(values), max(values)) if axis.logarithmic else {})},
        y={"title_text": METRIC_TITLES[metric], **up}, headroom=20,
    )  # fmt: skip


def add_limit(fig: Drawing, found: Sequence[PrivacyLimit], values: Sequence[Value], floor: float) -> None:
    """The region below the limit of privacy, or below its lower bound, down to the floor of the axis."""
    known = [(value, one.lower) for value, one in zip(values, found, strict=True) if one.lower]
    if not known:
        return
    x, y = zip(*known, strict=True)
    fig.add_scatter(
        x=compact(x), y=compact(np.full(len(x), floor)), mode="lines", showlegend=False, hoverinfo="skip",
        line={"width": 0},
    )  # fmt: skip
    fig.add_scatter(
        x=compact(x), y=compact(y), name=LIMIT_SAID, mode="lines" if len(x) > 1 else "markers",
        line={"color": REFERENCE.colour, "width": 2}, fill="tonexty", fillcolor=REFERENCE.faded(0.25),
        hovertemplate="at least %{y:.4g}",
    )  # fmt: skip


def _add_many(fig: Drawing, many: Sequence[LargeSampleError], values: Sequence[Value], floor: float) -> None:
    """value / sqrt(8 n) of each, where it is below 1."""
    for one in many:
        n = np.geomspace(max(min(values), one.value**2 / 8), max(values), _MANY_POINTS)
        error = one.value / np.sqrt(8 * n)
        fig.add_scatter(
            x=compact(n), y=compact(np.where(error > floor, error, np.nan)), mode="lines", showlegend=False,
            hoverinfo="skip", line={"color": style_of(one.mechanism).colour, "width": 1.5, "dash": "2px,3px"},
            meta=line_labels.BESIDE,
        )  # fmt: skip


def _floor(curves: Sequence[AccuracyCurve], own: Value | None) -> float:
    """Where a logarithmic axis ends: a thousandth, or a tenth of the least error at the person's own value, or of all
    where there is none, if that is smaller."""
    there = [end for curve in curves for value, error in zip(curve.values, curve.errors, strict=True)
             if own in (None, value) for end in _ends(error) if end > 0]
    return max(FLOOR, min(_MEANT, 10.0 ** math.floor(math.log10(min(there, default=1.0) / 10))))


def _ends(error: ExpectedError) -> tuple[float, float]:
    """Where its mark, or its band, begins and ends."""
    if not error.bounded:
        return error.low, error.high
    return max(error.low - error.lower.margin, 0.0), min(error.high + error.upper.margin, 1.0)


def _told_apart(mechanisms: Sequence[Mechanism]) -> tuple[list[str], list[Style]]:
    """Label and style of each; the mechanisms of the first one's epsilon look as anywhere else."""
    first, *further = dict.fromkeys(one.epsilon for one in mechanisms)
    strokes = dict(zip(further, itertools.cycle(_FURTHER), strict=False))
    twins = [replace(one, epsilon=first) if one.epsilon in strokes else one for one in mechanisms]
    distinct = list(dict.fromkeys(twins))
    named = dict(zip(distinct, mechanism_labels(distinct), strict=True))
    told = [f", ε = {printed_bound(one.epsilon)}" if further else "" for one in mechanisms]
    styles = [Style(style_of(one).colour, *strokes[one.epsilon]) if one.epsilon in strokes else style_of(one)
              for one in mechanisms]  # fmt: skip
    return [f"{named[twin]}{at}" for twin, at in zip(twins, told, strict=True)], styles


def _add_curve(fig: Drawing, curve: AccuracyCurve, label: str, style: Style, floor: float) -> None:
    ends = np.array([_ends(error) for error in curve.errors]).reshape(-1, 2)
    low, high = np.where(ends >= floor, ends, np.nan).T
    found = [_found(error) for error in curve.errors]
    hover = "%{x:,.6~g}: %{y:.4g}, %{text}"
    line = {"color": style.colour, "dash": style.dash, "width": LINE_WIDTH}
    marker = {"color": style.colour, "size": 8, "symbol": _symbols(style, curve.errors)}
    if any(error.bounded for error in curve.errors):
        # A lower bound of 0 has no place on a logarithmic axis: its band then reaches down to the floor.
        base = np.where(np.isnan(low), max(floor, 0.0), low)
        fig.add_scatter(
            x=compact(curve.values), y=compact(base), name=f"{label}, lower bound", legendgroup=label,
            showlegend=False, mode="lines", line=line | {"width": 1}, text=found, hovertemplate=hover,
        )  # fmt: skip
        fig.add_scatter(
            x=compact(curve.values), y=compact(high), name=f"{label}: between bounds", legendgroup=label,
            mode="lines+markers", line=line | {"width": 1.5}, marker=marker | {"size": 6}, fill="tonexty",
            fillcolor=style.faded(0.18), text=found, hovertemplate=hover,
        )  # fmt: skip
        return
    bars = np.array([error.upper.margin for error in curve.errors])
    fig.add_scatter(
        x=compact(curve.values), y=compact(high), name=label, legendgroup=label, mode="lines+markers", line=line,
        marker=marker, text=found, hovertemplate=hover,
        error_y={  # upward in full; downward not to 0, which a logarithmic axis does not have
            "type": "data", "array": compact(bars), "arrayminus": compact(np.minimum(bars, 0.95 * high)),
            "symmetric": False, "thickness": 1.5, "width": 4,
        } if bars.any() else None,
    )  # fmt: skip


def _symbols(style: Style, errors: Sequence[ExpectedError]) -> list[str]:
    return [style.symbol if error.exact else f"{style.symbol}-open" for error in errors]


def _found(error: ExpectedError) -> str:
    how = "exact" if error.exact else f"± {number(error.upper.margin)} from draws"
    return f"a bound, {how}" if error.bounded else how


def _words(curves: Sequence[AccuracyCurve], labels: Sequence[str], value: Value) -> str:
    axis, metric = curves[0].axis, curves[0].metric
    epsilon = curves[0].mechanism.epsilon
    here = [(error, label) for curve, label in zip(curves, labels, strict=True)
            if curve.mechanism.epsilon == epsilon and (error := curve.at(value))]  # fmt: skip
    place = f"{axis.symbol} = {_said(value)}"
    if not here:
        return f"Not computed yet at {place}"
    least = foremost([error for error, _ in here], lambda error: Measured(error.high))[0]
    level = [(error, label) for error, label in here if closer(least, error) == 0]
    error, label = level[0]
    if error.bounded:
        return f"At {place} the {_NAMES[metric]} of {label} lies between {number(error.low)} and {number(error.high)}"
    if len(here) == 1:
        return f"At {place} the {_NAMES[metric]} of {label} is {number(error.high)}"
    has = leading([label for _, label in level], [1.0] * len(level), 1.0, ("has", "have"))
    values = list(dict.fromkeys(number(error.high) for error, _ in level))
    apart = ", too close to tell apart" if len(values) > 1 else ""
    several = any(curve.mechanism.epsilon != epsilon for curve in curves)
    among = f"of the {len(here)} {'at this ε' if several else 'shown'}"
    return f"At {place} {has} the smallest {_NAMES[metric]} {among}: {', '.join(values)}{apart}"


def _said(value: Value) -> str:
    """A place on the axis: a whole number to its last digit."""
    return f"{value:,.0f}" if value >= 1000 and value == int(value) else number(value, 4)


def _notes(curves: Sequence[AccuracyCurve], hidden_below: float) -> list[str]:
    errors = [error for curve in curves for error in curve.errors]
    said = {
        "Bands: the mean lies anywhere between H² ≤ TV ≤ H √(2 − H²), averaged; no estimate.":
            any(error.bounded for error in errors),
        "Filled marks are exact; open ones come from draws, with two standard errors.":
            not all(error.exact for error in errors),
        f"Not drawn: errors below {number(hidden_below)}, or 0.": hidden_below > 0,
    }  # fmt: skip
    return [note for note, so in said.items() if so]


def required(found: Sequence[RequiredEpsilon]) -> Figure:
    """The smallest epsilon of each mechanism for the wanted mean distance, on a logarithmic axis."""
    # At the same epsilon, so that the labels do not tell rows apart by it.
    labels = mechanism_labels([replace(one.mechanism, epsilon=1.0) for one in found])
    fig = Drawing()
    for one, label in zip(found, labels, strict=True):
        style = style_of(one.mechanism)
        fig.add_scatter(
            x=[one.epsilon], y=[label], mode="markers+text", name=label, showlegend=False,
            marker={"color": style.colour, "size": 14, "symbol": _symbols(style, [one.mean])[0]},
            text=[f"  {printed_bound(one.epsilon)}"], textposition="middle right", cliponaxis=False,
            textfont={"size": FONT_SIZE - 1, "color": REFERENCE.colour},
            hovertemplate=f"ε = {printed_bound(one.epsilon)}",
        )  # fmt: skip
    epsilons = [one.epsilon for one in found]
    least = int(np.argmin(epsilons))
    with_it = "with the smallest ε" if len(found) > 1 else "with ε"
    enough = [printed_bound(epsilon) for epsilon in epsilons]
    alike = [float(one == enough[least]) for one in enough]
    reaches = leading(labels, alike, 1.0, ("reaches", "reach"))
    return base_layout(
        fig, f"{reaches} a mean distance of {number(found[0].wanted)} {with_it}: {enough[least]}",
        alt="Dots of the smallest epsilon for the wanted mean distance",
        values=f"Smallest epsilons: {with_values(labels, epsilons, printed_bound)}",
        x={"title_text": "Smallest ε", **log_axis(min(epsilons) / 1.1, max(epsilons) * 1.6)},
        y={"autorange": "reversed", "tickvals": labels, "ticktext": labels}, height=72 + 48 * len(found),
    )  # fmt: skip


def coverage(found: Mapping[Mechanism, Sequence[tuple[float, Coverage]]], mass: float) -> Figure:
    """How often the interval for theta_1 holds it, against epsilon: naive dashed, noise-aware solid.

    found: per mechanism, epsilon and coverage, epsilons rising; mass: what the intervals promise.
    """
    labels = mechanism_labels(list(found))
    fig = Drawing()
    lowest, where = 1.0, ""
    for (mechanism, points), label in zip(found.items(), labels, strict=True):
        style = style_of(mechanism)
        epsilons = [epsilon for epsilon, _ in points]
        naive = [one.naive for _, one in points]
        if min(naive) < lowest * (1 - 1e-9):  # of equals the first is named
            lowest = min(naive)
            where = f"{label}'s naive interval at ε = {printed_bound(epsilons[naive.index(lowest)])}"
        for name, values, dash, open_ in (
            ("naive", naive, "dash", "-open"),
            ("noise-aware", [one.noise_aware for _, one in points], "solid", ""),
        ):
            add_curve(fig, Style(style.colour, dash, f"{style.symbol}{open_}"), f"{label}, {name}", epsilons, values,
                      "ε = %{x:.4g}: %{y:.2%}", size=8)
    fig.add_hline(y=mass, line={"color": REFERENCE.colour, "dash": REFERENCE.dash, "width": 2})
    every = [epsilon for points in found.values() for epsilon, _ in points]
    naive_said = f"; {where} in {lowest:.1%}" if where else ""
    return base_layout(
        fig, f"Noise-aware intervals hold θ₁ in {mass:.0%} of all cases{naive_said}",
        alt=f"Line chart of the coverage of {mass:.0%} intervals against epsilon",
        x={"title_text": "ε", **log_axis(min(every), max(every))},
        y={"title_text": "Probability that the interval holds θ₁", "tickformat": ".0%",
           "range": [max(0.0, min(lowest, mass) - 0.06), 1.02]},
    )  # fmt: skip
