"""A release: the errors to expect before it is made, and both posteriors once it is."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from dpbi import NoiseAwarePosterior, Release, dirichlet
from dpbi.accuracy.trials import ReleaseErrors
from dpbi.figures.style import (
    LINE_WIDTH,
    PRIOR,
    SCALE,
    TRUTH,
    Drawing,
    Figure,
    Floats,
    base_layout,
    category_axis,
    category_labels,
    compact,
    interval_bar,
    mechanism_labels,
    number,
    style_of,
)
from dpbi.inference.private_posteriors import density_window
from dpbi.releases.ledger import ReadTogether
from dpbi.releases.statement import Row
from dpbi.releases.usefulness import points

CATEGORIES_DRAWN = 20
_POINTS = 161
_NEARLY_ALL = 0.9998
_SHARES = {"title_text": "θ, share of the category", "rangemode": "tozero"}
_NAIVE, _AWARE = "naive", "noise-aware"
_OPEN = ("circle-open", "square-open", "diamond-open", "triangle-up-open")  # which tell releases of one mechanism apart


def expected_errors(errors: ReleaseErrors, labels: Sequence[str] | None = None) -> Figure:
    """Per category the middle 50 % and 95 % of the share's errors in the trials. labels: of the categories."""
    names = category_labels(len(errors.prior), labels)[:CATEGORIES_DRAWN]
    rows, style = np.arange(len(names)), style_of(errors.mechanism)
    low, quarter, middle, three, high = (
        100 * errors.quantile_of_shares(q)[: len(names)] for q in (0.025, 0.25, 0.5, 0.75, 0.975)
    )
    fig = Drawing()
    fig.add_vline(x=0, line={"color": TRUTH.colour, "width": 1.5})
    for ends, width, name in (((low, high), 2, "95 % of the trials"), ((quarter, three), 7, "50 % of the trials")):
        fig.add_scatter(
            x=compact(middle), y=rows, mode="markers", name=name, showlegend=False,
            marker={"color": style.colour, "symbol": style.symbol, "size": 9},
            error_x=interval_bar(middle, *ends, style.colour, width), hovertemplate="median error %{x:.3g} points",
        )  # fmt: skip
    label = mechanism_labels([errors.mechanism])[0]
    title = f"{label}: a share is off by {points(errors.share)} on average"
    if not errors.n:
        title = "Without records the prior itself is released"
    return base_layout(
        fig, title, alt=f"For {len(names)} categories, the errors of the released share in trials on made-up data",
        notes=["Thick: the middle 50 % of the trials; thin: 95 %.",
               f"{len(errors.records):,} trials on made-up data; your counts play no part.",
               _left_out(len(errors.prior))], x={"title_text": "Released less true share, percentage points"},
        y=category_axis(names), height=_height(len(names)),
    )  # fmt: skip


def released(release: Release, rows: Sequence[Row], labels: Sequence[str] | None = None) -> Figure:
    """Both posteriors of a release. Two categories: densities of theta_1 above its intervals; more: intervals.

    rows: its ``posterior_table``; labels: of the categories. The true counts are no argument.
    """
    names = category_labels(len(release.prior), labels)
    pair = _densities(release) if len(names) == 2 else None
    return _intervals(release, rows, names) if pair is None else _curves(release, rows, names, pair)


def together(found: ReadTogether, rows: Sequence[dict[str, Any]], labels: Sequence[str] | None = None) -> Figure:
    """Means and 95 % intervals: all releases read together, and each by itself above it.

    rows: its ``together_table`` of the first categories; labels: of all categories.
    """
    every = category_labels(len(found.posterior.prior) if found.posterior else 0, labels)
    count = len(found.used)
    names = every[: len(rows) // (count + 1)]
    fig = Drawing()
    for kind, place in enumerate([*range(1, count + 1), None]):
        of = [(i // (count + 1), row) for i, row in enumerate(rows) if row["place"] == place]
        of = [(i, row) for i, row in of if row["mean"] is not None]
        if not of:
            continue
        mean, low, high = (np.array([row[part] for _, row in of]) for part in ("mean", "low", "high"))
        made = found.used[kind].made if place else None
        colour = style_of(made.mechanism).faded(0.6) if made else SCALE[0]
        fig.add_scatter(
            x=compact(mean), y=compact(np.array([i for i, _ in of]) + 0.7 * (kind / count - 0.5)), mode="markers",
            name=f"release {place}: {found.used[kind].mechanism}" if place else "all together",
            marker={"color": colour, "symbol": _OPEN[kind % len(_OPEN)] if place else "circle", "size": 9},
            error_x=interval_bar(mean, low, high, colour, 2 if place else 5), hovertemplate="mean %{x:.4g}",
        )  # fmt: skip
    widths = {place: np.mean([_width(row["low"], row["high"]) for row in rows if row["place"] == place and row["mean"]])
              for place in {row["place"] for row in rows if row["mean"] is not None}}
    joint = widths.pop(None)
    title = f"{count} releases read together"
    if widths and min(widths.values()):
        title += f": intervals {_compared(float(joint / min(widths.values())))} the best single one's"
    return base_layout(
        fig, title, alt="Means and 95 % intervals of the shares, by release and together",
        notes=["Means and 95 % intervals, of noise-aware posteriors.", _left_out(len(every))], x=_SHARES,
        y=category_axis(names), height=_height(len(names) * max(1, count // 2)),
    )  # fmt: skip


def _densities(release: Release) -> dict[str, tuple[Floats, Floats]] | None:
    """Points and densities of theta_1 by posterior; None where a curve has no width in double precision."""
    naive: Callable[[Floats], Floats] = partial(dirichlet.beta_density, a=release.naive[0], b=release.naive[1])
    laws = {_NAIVE: (density_window([release.naive], mass=_NEARLY_ALL), naive)}
    if isinstance(aware := release.noise_aware, NoiseAwarePosterior):
        laws[_AWARE] = aware.interval(_NEARLY_ALL, 0), aware.density
    if not all(dirichlet.has_width(*window) for window, _ in laws.values()):
        return None
    grids = {name: np.linspace(*window, _POINTS) for name, (window, _) in laws.items()}
    return {name: (grid, laws[name][1](grid)) for name, grid in grids.items()}


def _curves(
    release: Release, rows: Sequence[Row], names: Sequence[str], pair: dict[str, tuple[Floats, Floats]]
) -> Figure:
    style = style_of(release.mechanism)
    finite = [density[np.isfinite(density)] for _, density in pair.values()]
    peak = max((float(np.quantile(density, 0.98)) for density in finite if density.size), default=1.0)
    fig = Drawing()
    ends = np.concatenate([grid[[0, -1]] for grid, _ in pair.values()])
    grid = np.linspace(ends.min(), ends.max(), _POINTS + 2)[1:-1]
    fig.add_scatter(
        x=compact(grid), y=compact(dirichlet.beta_density(grid, *release.prior)), mode="lines", name="prior",
        line={"color": PRIOR.colour, "dash": PRIOR.dash, "width": 2}, hovertemplate="prior %{y:.3g}",
    )  # fmt: skip
    for place, (name, (x, density)) in enumerate(pair.items()):
        look = _look(name, style.colour)
        fig.add_scatter(
            x=compact(x), y=compact(density), mode="lines", name=name, line=look["line"],
            hovertemplate=f"{name} %{{y:.3g}}",
        )  # fmt: skip
        mean, low, high = (_value(rows[0], name, part) for part in ("mean", "low", "high"))
        fig.add_scatter(
            x=compact([mean]), y=[-0.07 * (place + 1) * peak], mode="markers", marker=look["marker"],
            name=f"{name}: mean and 95 % interval", showlegend=False,
            error_x=interval_bar(np.array([mean]), np.array([low]), np.array([high]), style.colour, 3),
            hovertemplate=f"{name}: mean %{{x:.4g}}, 95 % from {low:.4g} to {high:.4g}",
        )  # fmt: skip
    return base_layout(
        fig, _title(release, rows),
        alt=f"Densities of the share of {names[0]} under the released posteriors: {', '.join(pair)}",
        notes=[release.stamp, "Below: means and 95 % intervals."], x={"title_text": f"θ, share of {names[0]}"},
        y={"title_text": "Density", "range": [-0.07 * (len(pair) + 1) * peak, 1.15 * peak],
           "tickvals": heights(peak)},
    )  # fmt: skip


def heights(peak: float) -> list[float]:
    """Simple numbers from 0 to a peak > 0, about four: below 0, where the intervals are drawn, is no density."""
    power = 10.0 ** math.floor(math.log10(peak))
    step = next(multiple * power for multiple in (0.2, 0.5, 1.0, 2.0) if 5 * multiple * power >= peak)
    return [step * i for i in range(int(1.15 * peak / step) + 1)]


def _intervals(release: Release, rows: Sequence[Row], every: Sequence[str]) -> Figure:
    names, style = every[:CATEGORIES_DRAWN], style_of(release.mechanism)
    kinds = [_NAIVE] if isinstance(release.noise_aware, str) else [_NAIVE, _AWARE]
    fig = Drawing()
    for place, name in enumerate(kinds):
        mean, low, high = (
            np.array([_value(row, name, part) for row in rows[: len(names)]]) for part in ("mean", "low", "high")
        )
        fig.add_scatter(
            x=compact(mean), y=compact(np.arange(len(names)) + 0.3 * (place - (len(kinds) - 1) / 2)), mode="markers",
            name=name, marker=_look(name, style.colour)["marker"],
            error_x=interval_bar(mean, low, high, style.colour if name == _AWARE else style.faded(0.6), 3),
            hovertemplate=f"{name} mean %{{x:.4g}}",
        )  # fmt: skip
    return base_layout(
        fig, _title(release, rows), x=_SHARES, y=category_axis(names), height=_height(len(names)),
        alt=f"For {len(names)} categories, means and 95 % intervals of the released posteriors: {', '.join(kinds)}",
        notes=[release.stamp, "Means and 95 % intervals.", _left_out(len(every))],
    )  # fmt: skip


def _title(release: Release, rows: Sequence[Row]) -> str:
    """How much wider the honest intervals are."""
    label = mechanism_labels([release.mechanism])[0]
    if isinstance(release.noise_aware, str):
        return f"{label}: the naive posterior alone, without allowance for the noise"
    naive, aware = (sum(_width(_value(row, name, "low"), _value(row, name, "high")) for row in rows) for name in (
        _NAIVE, _AWARE))  # fmt: skip
    return f"{label}: noise-aware intervals are {_compared(aware / naive)} naive ones" if naive else label


def _width(low: float, high: float) -> float:
    return high - low if dirichlet.has_width(low, high) else 0.0


def _compared(ratio: float) -> str:
    """How wide one interval is beside another: in per cent up to twice as wide."""
    percent = round(100 * abs(ratio - 1))
    if ratio >= 2:
        return f"{number(ratio)} times as wide as"
    return f"{percent} % {'wider' if ratio > 1 else 'narrower'} than" if percent else "as wide as"


def _value(row: Row, name: str, part: str) -> float:
    return float(row[f"{name.replace('-', '_')}_{part}"] or 0.0)


def _look(name: str, colour: str) -> dict[str, Any]:
    aware = name == _AWARE
    return {
        "line": {"color": colour, "dash": "solid" if aware else "dot", "width": LINE_WIDTH + aware},
        "marker": {"color": colour, "symbol": "circle" if aware else "circle-open", "size": 10, "line": {"width": 2}},
    }


def _left_out(k: int) -> str:
    return f"The first {CATEGORIES_DRAWN} of {k:,} categories." if k > CATEGORIES_DRAWN else ""


def _height(rows: int) -> int:
    return 70 + 52 * rows
