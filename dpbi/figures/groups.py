"""Two groups compared: what the true counts say, what readers of releases would, and whom a plan will convince."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dpbi.figures.style import (
    LINE_WIDTH,
    REFERENCE,
    SCALE,
    TRUTH,
    Drawing,
    Figure,
    Style,
    add_curve,
    base_layout,
    compact,
    display_labels,
    interval_bar,
    log_axis,
    mark_level,
    mark_place,
    number,
)
from dpbi.inference.group_conclusions import RoughDifference
from dpbi.inference.group_planning import SURE, rounded_up

_LABEL = 18
_SURE, _UNSURE, _WRONG = Style(SCALE[0], "solid", "circle"), Style("#6587a3", "solid", "circle-open"), Style(
    "#b27e4c", "solid", "x")  # fmt: skip
_PLANNED = Style(SCALE[0], "solid", "circle")
_HEIGHT = 17  # pixels of a row
_PEOPLE = "n, "


def axis(by_people: bool, unlike: bool = False) -> str:
    """The title of a plan's axis. unlike: whether the groups have another size or epsilon each."""
    if by_people:
        return f"{_PEOPLE}people in the larger group" if unlike else f"{_PEOPLE}people a group"
    return "ε, the larger of both releases" if unlike else "ε of both releases"


def conclusions(
    truth: RoughDifference, drawn: Sequence[RoughDifference], groups: tuple[str, str], category: str
) -> Figure:
    """The difference by the true counts, and below it by each reader of a release, with 95 % intervals.

    truth, drawn: theta_1 - theta_2; groups, category: their names.
    """
    one, two = display_labels(groups, _LABEL)
    (share,) = display_labels([category], _LABEL)
    sign = 1 if truth.mean >= 0 else -1
    ordered = sorted(drawn, key=lambda draw: (draw.sure * sign, draw.mean * sign), reverse=True)
    rows = [*enumerate(ordered, 2)]
    placed = {sure: [(row, draw) for row, draw in rows if draw.sure == sure] for sure in (sign, 0, -sign)}
    kinds = {sign: (_SURE, "sure"), 0: (_UNSURE, "not sure"), -sign: (_WRONG, "sure of<br>the opposite")}
    fig = Drawing()
    _add(fig, [(0, truth)], TRUTH, "true counts", 5)
    ticks = {0.0: "true counts"}
    for sure, (style, name) in kinds.items():
        if placed[sure]:
            _add(fig, placed[sure], style, name.replace("<br>", " "), LINE_WIDTH)
            ticks[float(np.mean([row for row, _ in placed[sure]]))] = f"{len(placed[sure])} {name}"
    told, what = len(placed[sign]), f"that {(one, two)[sign < 0]} is higher"
    if truth.mean == 0:
        told, what = len(drawn) - len(placed[0]), "of an order, though there is none"
    fig.add_vline(x=0.0, line={"color": REFERENCE.colour, "dash": REFERENCE.dash, "width": 2})
    return base_layout(
        fig, f"{told} of {len(drawn)} readers would be sure {what}",
        alt=f"95 % intervals of the difference in the share of {share}, {one} less {two}: by the true counts and by "
            f"{len(drawn)} releases",
        values="; ".join(tick.replace("<br>", " ") for place, tick in ticks.items() if place),
        notes=["Means and 95 % intervals. Sure: it leaves out 0."],
        x={"title_text": f"θ({one}) − θ({two}), share of {share}", "tickformat": "~%"},
        y={"tickmode": "array", "tickvals": [*ticks], "ticktext": [*ticks.values()],
           "range": [len(drawn) + 1.8, -1.0], "showgrid": False},
        height=60 + _HEIGHT * len(drawn),
    )  # fmt: skip


def _add(fig: Drawing, placed: Sequence[tuple[int, RoughDifference]], style: Style, name: str, width: float) -> None:
    draws = [draw for _, draw in placed]
    mean, low, high = np.array([(one.mean, one.low, one.high) for one in draws]).T
    fig.add_scatter(
        x=compact(mean), y=[row for row, _ in placed], mode="markers", name=name, showlegend=False,
        marker={"color": style.colour, "symbol": style.symbol, "size": 5 + width,
                "line": {"width": 2, "color": style.colour}},
        error_x=interval_bar(mean, low, high, style.colour, width),
        customdata=[one.probability_greater for one in draws],
        hovertemplate="%{x:.3p}; P(first higher) = %{customdata:.3g}",
    )  # fmt: skip


def released(
    shares: Sequence[tuple[float, float, float]], groups: Sequence[str], compared: tuple[int, int], category: str,
    title: str,
) -> Figure:
    """The share of a category in every group, as its release tells it.

    shares: mean and 95 % interval of each; compared: the places of the two that are; title: what follows of them.
    """
    names = display_labels(groups, _LABEL)
    (share,) = display_labels([category], _LABEL)
    fig = Drawing()
    for two, style, width in ((False, _UNSURE, LINE_WIDTH), (True, _SURE, 5.0)):
        rows = [g for g in range(len(groups)) if (g in compared) == two]
        if rows:
            mean, low, high = np.array([shares[g] for g in rows]).T
            fig.add_scatter(
                x=compact(mean), y=rows, mode="markers", name="compared" if two else "other groups", showlegend=False,
                marker={"color": style.colour, "symbol": style.symbol, "size": 5 + width,
                        "line": {"width": 2, "color": style.colour}},
                error_x=interval_bar(mean, low, high, style.colour, width),
                hovertemplate="%{x:.3p}",
            )  # fmt: skip
    return base_layout(
        fig, title, alt=f"Shares of {share} by group, with 95 % intervals, as the releases tell them",
        values="; ".join(f"{name} {number(100 * mean)} %" for name, (mean, _, _) in zip(names, shares, strict=True)),
        notes=["Means and 95 % intervals, allowing for the noise."],
        x={"title_text": f"θ, share of {share}", "tickformat": "~%"},
        y={"tickmode": "array", "tickvals": [*range(len(groups))], "ticktext": [*names],
           "range": [len(groups) - 0.4, -0.6], "showgrid": False},
        height=110 + 2 * _HEIGHT * len(groups),
    )  # fmt: skip


class Planned(NamedTuple):
    """The chances along an axis; exact: of each, whether all counts and releases were visited."""

    at: tuple[float, ...]
    right: tuple[float, ...]
    exact: tuple[bool, ...]
    without: tuple[float, ...]


def plan(found: Planned, axis: str, wanted: float, answer: float | None, gap: tuple[float, float]) -> Figure:
    """The chance that a reader will be sure of the order, against people a group or epsilon.

    axis: its title; answer: the value that reaches the wanted chance, None where none was found; gap: both shares.
    """
    fig = Drawing()
    symbols = [_PLANNED.symbol if exact else f"{_PLANNED.symbol}-open" for exact in found.exact]
    add_curve(fig, REFERENCE, "without noise", found.at, found.without, "%{x:,.4~g}: %{y:.1%} without noise",
              mode="lines")  # fmt: skip
    add_curve(fig, _PLANNED, "with the releases", found.at, found.right, "%{x:,.4~g}: %{y:.1%}")
    fig.traces[-1]["marker"]["symbol"] = symbols
    fig.traces[-1]["marker"]["size"] = 8
    mark_level(fig, wanted, f"wanted: {wanted:.0%}")
    title = f"{wanted:.0%} is not reached"
    if answer is not None:
        by_people = axis.startswith(_PEOPLE)
        exact = dict(zip(found.at, found.exact, strict=True)).get(answer, True)
        known, about = (answer, "") if exact else (rounded_up(answer), "about ")
        value = f"{known:,.0f}" if by_people else number(known)
        told = f"{about}{value} {axis.removeprefix(_PEOPLE)} give" if by_people else f"ε = {about}{value} gives"
        told = told[0].upper() + told[1:] if by_people else told
        mark_place(fig, answer, f"{about}{value}", by_powers=True, dash="solid")
        title = f"{told} {wanted:.0%}"
    approximate = not all(found.exact)
    return base_layout(
        fig, title,
        alt=f"Chance that a reader is sure of the order, against {axis}",
        notes=[f"A share of {number(max(gap))} seen to be above {number(min(gap))}.",
               f"Sure: P(order) ≥ {SURE}, a 95 % interval that leaves out 0.",
               "Filled: exact. Open: normal approximation, no bound." if approximate else "All exact."],
        x={"title_text": axis, **log_axis(min(found.at), max(found.at))},
        y={"title_text": "Chance to be sure", "range": [0, 1.04], "tickformat": ".0%"}, headroom=20,
    )  # fmt: skip
