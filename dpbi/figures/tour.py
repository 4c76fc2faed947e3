"""The tour's charts: one drawing per kind of result, those of the other pages where they show the same."""

from functools import singledispatch
from typing import Any

import numpy as np

from dpbi import DistanceLaw, dirichlet, printed_bound
from dpbi.figures import accuracy, distances, privacy
from dpbi.figures.style import (
    LINE_WIDTH,
    TRUTH,
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
)
from dpbi.inference.private_posteriors import density_window
from dpbi.tour import AgainstLimit, Growth, Leak, Moves

_POINTS = 200
# Two datasets of one scene: no mechanism's colours, apart in lightness and in dash.
_PAIR = (("#0f7a6c", "solid"), ("#c2417a", "dash"))


@singledispatch
def draw(result: Any) -> Figure:
    """The figure of one result of ``dpbi.tour``; TypeError for anything else."""
    raise TypeError(f"There is no figure of a {type(result).__name__}.")


@draw.register
def neighbouring_posteriors(found: Leak) -> Figure:
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
    return base_layout(
        fig, f"One changed record moves the posterior by H = {number(found.distance)}",
        alt="Two posterior densities of neighbouring datasets", x={"title_text": "θ, share of the first category"},
        y={"title_text": "Density", "rangemode": "tozero"},
    )  # fmt: skip


@draw.register
def laws(found: tuple) -> Figure:
    """A tuple of laws: how probable it is to stay within a distance; of calibration gains: what calibration buys."""
    return distances.cumulative(found) if isinstance(found[0], DistanceLaw) else privacy.calibration(found)


@draw.register
def moved_records(found: Moves) -> Figure:
    """H against the number of moved records, one curve per dataset."""
    fig = Drawing()
    for problem, distance, (colour, dash) in zip(found.problems, found.distance, _PAIR, strict=False):
        fig.add_scatter(
            x=found.moved, y=compact(distance), mode="lines", name=f"from ({', '.join(map(str, problem.counts))})",
            line={"color": colour, "dash": dash, "width": LINE_WIDTH + 1}, hovertemplate="H = %{y:.3g}",
        )  # fmt: skip
    here, edge = found.distance[0, 1], found.distance[-1, 1]
    title = f"The first moved record weighs {number(edge / here)} times as much where the category is empty"
    if len(found.problems) == 1:
        title = f"The first record moved to the empty category changes the posterior by H = {number(here)}"
    across = f"Records moved to the {('first', 'second')[found.receiver]} category"
    return base_layout(fig, title, alt="Distance against moved records", x={"title_text": across},
                       y={"title_text": "Hellinger distance H", "range": [0, 1.02]}, hovermode="x unified")


@draw.register
def mean_against_size(found: Growth) -> Figure:
    """E[H] against n, as the lab shows it."""
    return accuracy.against(found.curves, found.n)


_LOW = 220  # pixels: under a longer sentence the chart still ends on a projector's last row


@draw.register
def against_limit(found: AgainstLimit) -> Figure:
    """E[H] under the prior against epsilon, above the region that no private mechanism reaches."""
    names = mechanism_labels(found.mechanisms)
    epsilons = [one.epsilon for one in found.limits]
    fig = Drawing()
    for mechanism, name, row in zip(found.mechanisms, names, found.mean, strict=True):
        add_curve(fig, style_of(mechanism), name, epsilons, row, "%{y:.3g}", width=LINE_WIDTH + 1, size=9)
    accuracy.add_limit(fig, found.limits, epsilons, 0.0)
    at = int(np.argmin([abs(epsilon - found.mechanisms[0].epsilon) for epsilon in epsilons]))
    best = int(found.mean[:, at].argmin())
    lies = leading(names, found.mean[:, at].tolist(), float(found.mean[best, at]), ("lies", "lie"))
    times = number(found.times[0, best, at])
    return base_layout(
        fig, f"{lies} at {times} times the limit of privacy at ε = {printed_bound(epsilons[at])}",
        alt="Mean distance under the prior against epsilon, and the limit",
        x={"title_text": "ε", **log_axis(epsilons[0], epsilons[-1])},
        y={"title_text": "Mean Hellinger distance H", "range": [0, 1.06 * float(found.mean.max())]}, height=_LOW,
    )  # fmt: skip
