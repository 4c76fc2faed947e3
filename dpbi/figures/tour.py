"""The tour's charts: one drawing per kind of result, those of the other pages where they show the same."""

from collections.abc import Sequence
from functools import singledispatch
from typing import Any

import numpy as np

from dpbi import dirichlet, printed_bound
from dpbi.figures import accuracy, posteriors
from dpbi.figures.clouds import PAIR, SLIDER
from dpbi.figures.style import (
    FONT_SIZE,
    LINE_WIDTH,
    TRUTH,
    Drawing,
    Figure,
    Floats,
    Style,
    add_curve,
    base_layout,
    compact,
    leading,
    log_axis,
    mechanism_labels,
    number,
    style_of,
)
from dpbi.inference.private_posteriors import density_window
from dpbi.tour import ANSWERS, AgainstLimit, Beside, Growth, Leak, Moves, Reach, TwoReadings, said

_POINTS = 200
_SHARE = ANSWERS[0]
_NEEDLE_POINTS = 40


@singledispatch
def draw(result: Any, revealed: bool) -> Figure:
    """The figure of one result of ``dpbi.tour``, or what of it is shown before it is revealed; TypeError for anything
    else."""
    raise TypeError(f"There is no figure of a {type(result).__name__}.")


@draw.register
def one_of_two(found: Leak, revealed: bool) -> Figure:
    """The published posterior alone; revealed: beside the one that her other answer would have given."""
    names = [f"with her {answer} {problem.counts}" for answer, problem in
             zip(ANSWERS, (found.problem, found.neighbour), strict=True)]
    if not revealed:
        return _densities(found, ["published posterior"], "Two curves are possible, and this one is published",
                          "The density of a published posterior", _SHARE)
    return _densities(found, names, "The published posterior, and the other that was possible",
                      "Two posterior densities of neighbouring datasets", _SHARE)


def neighbouring_posteriors(found: Leak, share_of: str = "the first category") -> Figure:
    """The densities of theta_1 under both posteriors."""
    names = [f"counts ({', '.join(map(str, one.counts))})" for one in (found.problem, found.neighbour)]
    return _densities(found, names, f"One changed record moves the posterior by H = {number(found.distance)}",
                      "Two posterior densities of neighbouring datasets", share_of)


def _densities(found: Leak, names: Sequence[str], title: str, alt: str, share_of: str) -> Figure:
    """One name alone: of the first, in no table's colour."""
    pair = np.array([found.problem.posterior, found.neighbour.posterior])
    grid = np.linspace(*density_window(pair, mass=0.9998), _POINTS)
    densities = [dirichlet.beta_density(grid, *parameters) for parameters in pair]
    fig = Drawing()
    for name, density, style in zip(names, densities, PAIR, strict=False):
        colour = style if len(names) > 1 else TRUTH
        fig.add_scatter(
            x=compact(grid), y=compact(density), mode="lines", name=name, fill="tozeroy", hovertemplate="%{y:.3g}",
            line={"color": colour.colour, "dash": style.dash, "width": LINE_WIDTH + 1}, fillcolor=colour.faded(0.14),
        )  # fmt: skip
    return base_layout(
        fig, title, alt=alt, x={"title_text": f"θ, share of {share_of}"},
        y={"title_text": "Density", "range": [0, 1.08 * float(np.max(densities))]},
    )  # fmt: skip


def moved_records(found: Moves) -> Figure:
    """H against the number of moved records, one curve per dataset."""
    fig = Drawing()
    for problem, distance, style in zip(found.problems, found.distance, PAIR, strict=False):
        fig.add_scatter(
            x=found.moved, y=compact(distance), mode="lines", name=f"from ({', '.join(map(str, problem.counts))})",
            line={"color": style.colour, "dash": style.dash, "width": LINE_WIDTH + 1}, hovertemplate="H = %{y:.3g}",
        )  # fmt: skip
    here, edge = found.distance[0, 1], found.distance[-1, 1]
    title = f"The first moved record weighs {number(edge / here)} times as much where the category is empty"
    if len(found.problems) == 1:
        title = f"The first record moved to the empty category changes the posterior by H = {number(here)}"
    across = f"Records moved to the {('first', 'second')[found.receiver]} category"
    return base_layout(fig, title, alt="Distance against moved records", x={"title_text": across},
                       y={"title_text": "Hellinger distance H", "range": [0, 1.02]}, hovermode="x unified")


@draw.register
def clouds_beside_the_truth(found: Beside, revealed: bool) -> Figure:
    """Draws of the first mechanism; revealed: of all. Their own means are not told: the sentence has the laws'."""
    return posteriors.released_posteriors(found.drawn if revealed else found.drawn[:1], ("yes", "no"),
                                          "Posteriors that may be released, beside the true one")


@draw.register
def needles(found: Growth, revealed: bool) -> Figure:
    """Draws as the data grow, under a slider, every curve to its own height."""
    fig, style = Drawing(), style_of(found.drawn[0].mechanism)
    for _ in found.drawn[0].released:
        fig.add_scatter(mode="lines", name="released posterior", showlegend=False, hoverinfo="skip",
                        line={"color": style.faded(0.55), "width": LINE_WIDTH})  # fmt: skip
    fig.add_scatter(mode="lines", name="true posterior", showlegend=False, hoverinfo="skip",
                    line={"color": TRUTH.colour, "width": 2 * LINE_WIDTH})  # fmt: skip
    frames = [[*map(_needle, one.parameters), _needle(np.array(one.problem.posterior))] for one in found.drawn]
    labels = {
        str(one.problem.n): f"{one.problem.n:,} people: {round(100 * share)} of 100 releases look at no data"
        for one, share in zip(found.drawn, found.ignoring, strict=True)
    }
    fig.add_slider(labels, frames, 0, **SLIDER)
    return base_layout(
        fig, "Thirty private posteriors, and the true one", alt="Densities, each to its own height",
        values=f"At {next(iter(labels.values()))}",
        notes=["Thick: the true posterior. Every curve is drawn to its own height."],
        x={"title_text": "θ, share of yes", "range": [0, 1]},
        y={"range": [0, 1.05], "showticklabels": False}, slider=True,
    )  # fmt: skip


def _needle(parameters: Floats) -> dict[str, Any]:
    grid = np.linspace(*density_window(parameters[None], 0.9998), _NEEDLE_POINTS)
    density = dirichlet.beta_density(grid, *parameters)
    return {"x": compact(grid), "y": compact(density / np.nanmax(density))}


@draw.register
def how_far(found: Reach, revealed: bool) -> Figure:
    """The posterior and its farthest neighbour at the data; revealed: how far they are apart at every table."""
    if not revealed:
        return neighbouring_posteriors(found.leak, _SHARE)
    scan, here = found.scan, found.leak.problem.counts[0]
    fig = Drawing()
    for name, values, dash, width in (
        ("at worst (global)", np.full(len(scan.position), scan.global_exact), "dash", LINE_WIDTH),
        ("nearby (smooth)", scan.reciprocal, "dot", LINE_WIDTH),
        ("at each table (local)", scan.local, "solid", LINE_WIDTH + 1.5),
    ):
        fig.add_scatter(x=scan.position, y=compact(values), mode="lines", name=name, hovertemplate="H = %{y:.3g}",
                        line={"color": PAIR[0].colour, "dash": dash, "width": width})  # fmt: skip
    fig.add_scatter(x=[here], y=[found.leak.distance], mode="markers", name="here", hovertemplate="H = %{y:.3g}",
                    marker={"color": PAIR[1].colour, "symbol": PAIR[1].symbol, "size": 14})  # fmt: skip
    times = number(scan.global_exact / found.leak.distance, 2)
    return base_layout(
        fig, f"At worst one person moves the posterior {times} times as far as here",
        alt="How far one record moves the posterior, at every table of this size",
        x={"title_text": f"People who say yes, of {scan.n:,}"},
        y={"title_text": "Hellinger distance H", "range": [0, 1.05 * scan.global_exact]},
    )  # fmt: skip


@draw.register
def two_readings(found: TwoReadings, revealed: bool) -> Figure:
    """The intervals of the same releases, one above another, taken for the data; revealed: which of them miss, and in a
    panel of their own those that reckon with the noise."""
    naive, aware = found.naive, found.aware
    place = {tuple(r): i for i, r in enumerate(aware.released.tolist())}
    at = [place[tuple(r)] for r in naive.released.tolist()]
    low, high = dirichlet.interval(naive.parameters, category=0)
    order = np.argsort(low, kind="stable")
    truth = float(dirichlet.mean(naive.problem.posterior)[0])
    fig = Drawing("xaxis", "yaxis", "xaxis2", "yaxis2") if revealed else Drawing()
    _add_intervals(fig, "taken for the data", low[order], high[order], truth, PAIR[1], "", revealed)
    if revealed:
        _add_intervals(fig, "noise-aware", aware.low[at, 0][order], aware.high[at, 0][order], truth, PAIR[0], "2", True)
        fig.layout["xaxis"]["domain"], fig.layout["xaxis2"]["domain"] = (0, 0.48), (0.52, 1)
        fig.layout["xaxis2"]["anchor"], fig.layout["yaxis2"]["anchor"] = "y2", "x2"
    return base_layout(
        fig, "Each line is the 95 % interval of one release" + ("; thick ones miss" if revealed else ""),
        alt="Intervals one above another", x={"title_text": "θ, share of yes", "range": [0, 1]},
        y={"range": [-1, len(order)], "showticklabels": False, "showgrid": False}, headroom=24 * revealed,
    )  # fmt: skip


def _add_intervals(
    fig: Drawing, name: str, low: Floats, high: Floats, truth: float, style: Style, panel: str, revealed: bool
) -> None:
    """One above another in a panel, with the mean that they are to cover; revealed: which miss it, and how many."""
    covers = (low <= truth) & (truth <= high)
    for chosen, told, width in ((covers, "covers", LINE_WIDTH), (~covers, "misses", 6.0)):
        rows = np.flatnonzero(chosen)
        gap = np.full(rows.size, np.nan)
        fig.add_scatter(
            x=compact(np.column_stack([low[rows], high[rows], gap]).ravel()), showlegend=False, hoverinfo="skip",
            y=compact(np.column_stack([rows, rows, gap]).ravel()), name=f"{name}, {told}" if revealed else name,
            mode="lines", line={"color": style.colour, "width": width if revealed else LINE_WIDTH},
            xaxis=f"x{panel}", yaxis=f"y{panel}",
        )  # fmt: skip
    fig.add_vline(truth, {"color": TRUTH.colour, "width": LINE_WIDTH}, panel)
    if revealed:
        fig.add_annotation(
            text=f"{name}: {int((~covers).sum())} of {len(low)} miss", x=0.5, xref=f"x{panel} domain", y=1,
            yref=f"y{panel} domain", yanchor="bottom", showarrow=False, font={"size": FONT_SIZE},
        )  # fmt: skip



@draw.register
def against_limit(found: AgainstLimit, revealed: bool) -> Figure:
    """E[H] under the prior against epsilon; revealed: above the region that no private mechanism reaches."""
    names = mechanism_labels(found.mechanisms)
    epsilons = [one.epsilon for one in found.limits]
    fig = Drawing()
    for mechanism, name, row in zip(found.mechanisms, names, found.mean, strict=True):
        add_curve(fig, style_of(mechanism), name, epsilons, row, "%{y:.3g}", width=LINE_WIDTH + 1, size=9)
    at = int(np.argmin([abs(epsilon - found.mechanisms[0].epsilon) for epsilon in epsilons]))
    best = int(found.mean[:, at].argmin())
    title = f"Nearest of the {len(names)} at ε = {printed_bound(epsilons[at])}: {names[best]}"
    if revealed:
        accuracy.add_limit(fig, found.limits, epsilons, 0.0)
        lies = leading(names, found.mean[:, at].tolist(), float(found.mean[best, at]), ("lies", "lie"))
        times = said(found.times[0, best, at])
        where = "the limit of privacy" if times == "1" else f"{times} times the limit of privacy"
        title = f"{lies} at {where} at ε = {printed_bound(epsilons[at])}"
    return base_layout(
        fig, title, alt="Mean distance under the prior against epsilon" + (", and the limit" if revealed else ""),
        x={"title_text": "ε", **log_axis(epsilons[0], epsilons[-1])},
        y={"title_text": "Mean Hellinger distance H", "range": [0, 1.06 * float(found.mean.max())]},
    )  # fmt: skip
