"""The tour's charts: one drawing per kind of result, those of the other pages where they show the same."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np
import plotly.graph_objects as go

from dpbi.accuracy.distance_law import DistanceLaw
from dpbi.figures import distances, privacy
from dpbi.figures.accuracy import add_limit
from dpbi.figures.drawing import Drawing
from dpbi.figures.style import LINE_WIDTH, TRUTH, base_layout, compact, log_axis, mechanism_labels, number, style_of
from dpbi.inference.private_posteriors import density_window
from dpbi.mechanisms.printed_bound import printed_bound
from dpbi.posterior import dirichlet
from dpbi.tour import AgainstLimit, Drowning, Growth, Leak, Moves

_POINTS = 200
# Two datasets of one scene: no mechanism's colours, apart in lightness and in dash.
_PAIR = (("#0f7a6c", "solid"), ("#c2417a", "dash"))


@singledispatch
def draw(result: Any) -> go.Figure:
    """The figure of one result of ``dpbi.tour``; TypeError for anything else."""
    raise TypeError(f"There is no figure of a {type(result).__name__}.")


@draw.register
def neighbouring_posteriors(found: Leak) -> go.Figure:
    """The densities of theta_1 under both posteriors."""
    pair = np.array([found.problem.posterior, found.neighbour.posterior])
    grid = np.linspace(*density_window(pair, mass=0.9998), _POINTS)
    fig = Drawing()
    for problem, parameters, (colour, dash) in zip((found.problem, found.neighbour), pair, _PAIR, strict=True):
        fig.add_scatter(
            x=compact(grid), y=compact(dirichlet.beta_density(grid, *parameters)), mode="lines",
            name=f"counts ({', '.join(map(str, problem.counts))})",
            line={"color": colour, "dash": dash, "width": LINE_WIDTH + 1}, fill="tozeroy",
            fillcolor=TRUTH.faded(0.12), hovertemplate="%{y:.3g}",
        )  # fmt: skip
    fig.update_xaxes(title_text="θ, share of the first answer")
    fig.update_yaxes(title_text="Density")
    title = f"One record apart, and plainly apart: H = {number(found.distance)}"
    return base_layout(fig, title, alt=f"Two posterior densities of neighbouring datasets. {title}.")


@draw.register
def laws(found: tuple) -> go.Figure:
    """A tuple of laws: how probable it is to stay within a distance; of calibration gains: what calibration buys."""
    return distances.cumulative(found) if isinstance(found[0], DistanceLaw) else privacy.calibration(found)


@draw.register
def moved_records(found: Moves) -> go.Figure:
    """H against the number of moved records, one curve per dataset."""
    fig = Drawing()
    for problem, distance, (colour, dash) in zip(found.problems, found.distance, _PAIR, strict=True):
        fig.add_scatter(
            x=found.moved, y=compact(distance), mode="lines", name=f"from ({', '.join(map(str, problem.counts))})",
            line={"color": colour, "dash": dash, "width": LINE_WIDTH + 1}, hovertemplate="H = %{y:.3g}",
        )  # fmt: skip
    even, edge = found.distance[:, 1]
    title = f"The first moved record weighs {number(edge / even)} times as much where the category is empty"
    fig.update_xaxes(title_text="Records moved to the first category")
    fig.update_yaxes(title_text="Hellinger distance H", range=[0, 1.02])
    return base_layout(fig, title, alt=f"Distance against moved records. {title}.", hovermode="x unified")


@draw.register
def probability_of_ignoring(found: Drowning) -> go.Figure:
    """P(the data are ignored) against n."""
    name = mechanism_labels(found.mechanisms)[0]
    title = f"{name} ignores {found.sizes[-1]:,} records with probability {number(found.ignoring[0, -1])}"
    fig = _against_size(found, found.ignoring)
    fig.update_yaxes(title_text="Probability of ignoring the data", range=[0, 1.02])
    return base_layout(fig, title, alt=f"Probability of ignoring the data against n. {title}.")


@draw.register
def mean_against_size(found: Growth) -> go.Figure:
    """E[H] against n."""
    names = mechanism_labels(found.mechanisms)
    best = int(found.mean[:, -1].argmin())
    title = f"With {found.sizes[-1]:,} records {names[best]} stays within H = {number(found.mean[best, -1])} on average"
    fig = _against_size(found, found.mean)
    axis = log_axis(float(found.mean.min()), float(found.mean.max()))
    fig.update_yaxes(title_text="Mean Hellinger distance H", **axis)
    return base_layout(fig, title, alt=f"Mean distance against n. {title}.")


_LOW = 220  # pixels: under a longer sentence the chart still ends on a projector's last row


@draw.register
def against_limit(found: AgainstLimit) -> go.Figure:
    """E[H] under the prior against epsilon, above the region that no private mechanism reaches."""
    names = mechanism_labels(found.mechanisms)
    epsilons = [one.epsilon for one in found.limits]
    fig = Drawing()
    for mechanism, name, row in zip(found.mechanisms, names, found.mean, strict=True):
        style = style_of(mechanism)
        fig.add_scatter(
            x=epsilons, y=compact(row), mode="lines+markers", name=name,
            line={"color": style.colour, "dash": style.dash, "width": LINE_WIDTH + 1},
            marker={"symbol": style.symbol, "size": 9}, hovertemplate="%{y:.3g}",
        )  # fmt: skip
    add_limit(fig, found.limits, epsilons, 0.0)
    at = int(np.argmin([abs(epsilon - found.mechanisms[0].epsilon) for epsilon in epsilons]))
    best = int(found.mean[:, at].argmin())
    times = number(found.times[0, best, at])
    title = f"{names[best]} lies at {times} times the limit of privacy at ε = {printed_bound(epsilons[at])}"
    fig.update_xaxes(title_text="ε", **log_axis(epsilons[0], epsilons[-1]))
    fig.update_yaxes(title_text="Mean Hellinger distance H", range=[0, 1.06 * float(found.mean.max())])
    said = f"Mean distance under the prior against epsilon, and the limit. {title}."
    return base_layout(fig, title, alt=said, height=_LOW)


def _against_size(found: Growth, values: np.ndarray) -> Drawing:
    fig = Drawing()
    for mechanism, name, row in zip(found.mechanisms, mechanism_labels(found.mechanisms), values, strict=True):
        style = style_of(mechanism)
        fig.add_scatter(
            x=found.sizes, y=compact(row), mode="lines+markers", name=name,
            line={"color": style.colour, "dash": style.dash, "width": LINE_WIDTH + 1},
            marker={"symbol": style.symbol, "size": 9}, hovertemplate="%{y:.3g}",
        )  # fmt: skip
    fig.update_xaxes(title_text="Records n, balanced data", **log_axis(float(found.sizes[0]), float(found.sizes[-1])))
    return fig
