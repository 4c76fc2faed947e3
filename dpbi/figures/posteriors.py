"""Released posteriors beside the true one and the prior; how often their intervals cover."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpbi import NoiseAwareReleases, Problem, dirichlet
from dpbi.figures.style import (
    FONT_SIZE,
    LINE_WIDTH,
    PRIOR,
    TRUTH,
    Drawing,
    Figure,
    Floats,
    base_layout,
    category_axis,
    category_labels,
    compact,
    interval_bar,
    leading,
    mechanism_labels,
    number,
    percent,
    style_of,
    with_values,
)
from dpbi.inference.private_posteriors import PrivatePosteriors, density_grid, density_window

CURVES_DRAWN = 30  # more releases than this are drawn as bands
CATEGORIES_DRAWN = 20
_ROWS_DRAWN = 80  # categories times mechanisms: the tallest chart is then still read without losing its place
_CURVE_POINTS = 59
_BAND_POINTS = 120
SPIKE_POINTS = 2
SPIKE = "A spike at an end: all mass lies there, its height has no meaning."
_SPIKE = 10.0
_PANEL = 210
_LABEL = 24


def released_posteriors(results: Sequence[PrivatePosteriors], labels: Sequence[str] | None = None, title: str = ""
                        ) -> Figure:
    """What each mechanism would publish, beside the true posterior and the prior.

    Two categories: densities of theta_1; more: each category's interval and the released means.
    results: of one problem, one per mechanism; labels: of the categories; title: in place of who is nearest.
    """
    _need_releases(results)
    k = results[0].problem.k
    return (_densities if k == 2 else _marginals)(results, category_labels(k, labels, _LABEL), title)


def _need_releases(results: Sequence[PrivatePosteriors | NoiseAwareReleases]) -> None:
    if not results or any(not len(one.released) for one in results):
        raise ValueError("A figure of released posteriors needs at least one release of each mechanism: got none.")


def _nearest_words(results: Sequence[PrivatePosteriors], mechanisms: Sequence[str]) -> str:
    if not results[0].problem.n:
        return "Without records the prior itself is released"
    means = [float(one.distance.mean()) for one in results]
    nearest = int(np.argmin(means))
    if len(results) == 1:
        return f"{mechanisms[0]}: these releases lie H = {number(means[0])} from the true posterior on average"
    return (
        f"Nearest to the true posterior in these draws: {leading(mechanisms, means, means[nearest])}, "
        f"H = {number(means[nearest])} on average"
    )


# Two categories -------------------------------------------------------------------------------------


def _densities(results: Sequence[PrivatePosteriors], names: Sequence[str], title: str) -> Figure:
    problem, mechanisms = results[0].problem, mechanism_labels([one.mechanism for one in results])
    window = _window(results)
    fig = _panels(mechanisms, f"θ, share of {names[0]}")
    peaks, lines = [0.0], list[Floats]()
    for position, one in enumerate(results):
        place = _place(position)
        is_truth = (one.released == problem.counts).all(axis=1)
        if len(one.released) > CURVES_DRAWN:
            peaks += _add_bands(fig, one, window, place)
        else:
            lines += _add_lines(fig, one, one.released[~is_truth], place)
        truth = _add_truth_and_prior(fig, problem, window, place, first=position == 0)
        if len(one.released) <= CURVES_DRAWN:  # thin on the wide line that it is equal to: else it would be under it
            lines += _add_lines(fig, one, one.released[is_truth], place)
        lines.append(truth)
    true_peak = peak_of(truth)
    peak = max(*peaks, *map(peak_of, lines))
    ceiling = min(max(peak, true_peak), 1.6 * true_peak)
    drawn = len(results[0].released)
    spike = any(density.size == SPIKE_POINTS for density in lines)
    notes = [
        f"Thin lines: {drawn} released posteriors each." if drawn <= CURVES_DRAWN else
        f"Shaded: the middle 50 % and 95 % of {drawn:,} released curves.",
        SPIKE if spike else "",
        "Curves higher than the axis run on above it." if peak > ceiling else "",
    ]  # fmt: skip
    return base_layout(
        fig, title or _nearest_words(results, mechanisms),
        alt=f"Densities of the share of {names[0]}: true posterior, prior and {drawn:,} released posteriors for each "
            f"of {', '.join(mechanisms)}",
        notes=notes, x={"range": window}, y={"range": [0, 1.05 * ceiling]}, height=_rows(len(results)) * _PANEL,
        headroom=24,
    )  # fmt: skip


def _worth(problem: Problem) -> str:
    """The prior's equivalent sample size in words."""
    total = sum(problem.prior)
    return f"worth A = {number(total)} record{'' if total == 1 else 's'}"


def _window(results: Sequence[PrivatePosteriors]) -> tuple[float, float]:
    """Where nearly all mass of the true and of 95 % of the released posteriors lies, a little widened."""
    ends = [dirichlet.interval(one.parameters, 0.99, category=0) for one in results]
    return widened([density_window([results[0].problem.posterior]), *(most_of(*one) for one in ends)])


def most_of(lows: Floats, highs: Floats) -> tuple[float, float]:
    """Between these lie 95 % of the lower and of the upper ends of releases."""
    return float(np.quantile(lows, 0.025)), float(np.quantile(highs, 0.975))


def widened(ends: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """From the lowest end to the highest, and a little more."""
    low, high = min(low for low, _ in ends), max(high for _, high in ends)
    room = 0.03 * (high - low) if dirichlet.has_width(low, high) else 0.05
    return max(0.0, low - room), min(1.0, high + room)


def _add_truth_and_prior(
    fig: Drawing, problem: Problem, window: tuple[float, float], place: dict[str, str], first: bool
) -> Floats:
    """Draws both in one panel, the truth on top; returns its density."""
    grid = np.linspace(*window, _CURVE_POINTS + 2)[1:-1]
    prior = dirichlet.beta_density(grid, *problem.prior)
    fig.add_scatter(
        **_run(grid, prior), mode="lines", name=f"prior ({_worth(problem)})", legendgroup="prior",
        showlegend=first, line={"color": PRIOR.colour, "width": 2.5, "dash": PRIOR.dash},
        hovertemplate="prior: %{y:.3g}", **place,
    )  # fmt: skip
    x, density = curves_of(np.array([problem.posterior]))[0]
    fig.add_scatter(
        **_run(x, density), mode="lines", name=f"true posterior (n = {problem.n:,})", legendgroup="truth",
        showlegend=first, legendrank=1, line={"color": TRUTH.colour, "width": 4}, hovertemplate="true: %{y:.3g}",
        **place,
    )  # fmt: skip
    return density


def peak_of(density: Floats) -> float:
    """The height to leave room for: a density that rises without bound at an end is cut."""
    drawn = np.sort(density[np.isfinite(density)])
    return float(drawn[math.ceil(0.98 * (drawn.size - 1))])


def curves_of(parameters: Floats, points: int = _CURVE_POINTS) -> list[tuple[Floats, Floats]]:
    """Evenly spaced points over nearly all of each Beta law's mass, and the density there; NaN where it is infinite.

    A law whose mass underflows to an end is drawn as a spike there, whose height means nothing. parameters: (M, 2).
    """
    lows, highs = dirichlet.interval(parameters, 0.9998, category=0)
    grids = np.linspace(lows, highs, points, axis=-1)
    densities = dirichlet.beta_density(grids, parameters[:, :1], parameters[:, 1:])
    densities = np.where(np.isfinite(densities), densities, np.nan)
    spikes = [(np.array([0.0, 1e-6] if low < 0.5 else [1.0, 1 - 1e-6]), np.array([_SPIKE, 0.0])) for low in lows]
    curves = zip(dirichlet.has_width(lows, highs), spikes, zip(grids, densities, strict=True), strict=True)
    return [curve if wide else spike for wide, spike, curve in curves]


def with_gaps(curves: Sequence[tuple[Floats, Floats]]) -> tuple[Floats, Floats]:
    """Several curves as one, with a gap behind each."""
    x, y = (np.concatenate([np.append(curve[side], np.nan) for curve in curves]) for side in (0, 1))
    return x, y


def _run(x: Floats, y: Floats) -> dict[str, Any]:
    """Evenly spaced points as a start and a step: half the weight of sending both coordinates."""
    return {"x0": float(x[0]), "dx": float(x[1] - x[0]), "y": compact(y)}


def _add_lines(
    fig: Drawing, one: PrivatePosteriors, released: NDArray[np.int64], place: dict[str, str]
) -> list[Floats]:
    """One thin line per distinct release, the stronger the more often it was drawn; returns their densities.

    Lines of one strength are one trace with gaps: plotly takes a millisecond of the server for each trace.
    """
    style = style_of(one.mechanism)
    distinct, times = np.unique(released, axis=0, return_counts=True)
    curves = curves_of(np.array(one.problem.prior) + distinct)
    for multiplicity in np.unique(times):
        x, y = with_gaps([curves[i] for i in np.flatnonzero(times == multiplicity)])
        fig.add_scatter(
            x=compact(x), y=compact(y), mode="lines", showlegend=False, hoverinfo="skip",
            line={"color": style.faded(1 - 0.5**multiplicity), "width": 1.5}, **place,
        )  # fmt: skip
    return [density for _, density in curves]


def _add_bands(
    fig: Drawing, one: PrivatePosteriors, window: tuple[float, float], place: dict[str, str]
) -> list[float]:
    """The bands that hold 95 % and 50 % of the released curves at each point; returns their highest values."""
    style = style_of(one.mechanism)
    grid = density_grid(one.problem, one.released, _BAND_POINTS)
    grid = grid[(grid >= window[0]) & (grid <= window[1])]
    if not grid.size:  # all mass has underflowed to the ends
        return []
    peaks = []
    for (low, high), opacity in zip(one.bands(grid, (0.95, 0.5)), (0.3, 0.6), strict=True):
        fig.add_scatter(
            x=compact(np.concatenate([grid, grid[::-1]])), y=compact(np.concatenate([high, low[::-1]])),
            fill="toself", fillcolor=style.faded(opacity), mode="lines", line={"width": 0}, hoverinfo="skip",
            showlegend=False, **place,
        )  # fmt: skip
        peaks.append(float(np.quantile(high, 0.98)))
    return peaks


def _rows(panels: int) -> int:
    """Up to three one above another, more in two columns."""
    return panels if panels <= 3 else math.ceil(panels / 2)


def _place(position: int) -> dict[str, str]:
    """The axes of a panel."""
    return {"xaxis": f"x{_ordinal(position)}", "yaxis": f"y{_ordinal(position)}"}


def _ordinal(position: int) -> str:
    """How plotly numbers subplots: the first has none."""
    return str(position + 1) if position else ""


def _panels(titles: Sequence[str], across: str) -> Drawing:
    """Panels of densities row by row under their titles, with one range; across: what the lowest axes say."""
    panels, rows = len(titles), _rows(len(titles))
    columns = math.ceil(panels / rows)
    between = 0.05, min(70 / (rows * _PANEL), 0.9 / max(rows - 1, 1))
    width, height = (1 - between[0] * (columns - 1)) / columns, (1 - between[1] * (rows - 1)) / rows
    fig = Drawing(*(f"{axis}axis{_ordinal(position)}" for position in range(panels) for axis in "xy"))
    for position, title in enumerate(titles):
        row, column = divmod(position, columns)
        left, top = column * (width + between[0]), 1 - row * (height + between[1])
        lowest = position + columns >= panels
        fig.update_layout(
            **{
                f"xaxis{_ordinal(position)}": {
                    "domain": [left, left + width], "anchor": f"y{_ordinal(position)}",
                    "matches": "x" if position else None, "title": {"text": across if lowest else None},
                    "showticklabels": lowest,
                },
                f"yaxis{_ordinal(position)}": {
                    "domain": [max(top - height, 0.0), top], "anchor": f"x{_ordinal(position)}",
                    "matches": f"y{_ordinal(position - 1)}" if column else None, "showticklabels": not column,
                    "title": {"text": None if column else "Density"}, "nticks": 4,
                },
            }
        )  # fmt: skip
        fig.add_annotation(
            text=title, x=left + width / 2, y=top, xref="paper", yref="paper", xanchor="center", yanchor="bottom",
            showarrow=False, font={"size": FONT_SIZE, "weight": "bold"},
        )  # fmt: skip
    return fig


# More categories ------------------------------------------------------------------------------------


def _marginals(results: Sequence[PrivatePosteriors], names: Sequence[str], title: str) -> Figure:
    problem, mechanisms = results[0].problem, mechanism_labels([one.mechanism for one in results])
    fig, shown, notes = _true_intervals(problem, names, len(results))
    rows = np.arange(len(shown))
    for one, label, offset in zip(results, mechanisms, _offsets(len(results)), strict=True):
        _add_spread(fig, one, label, shown, rows + offset)
    prior = dirichlet.mean(problem.prior)[shown]
    fig.add_scatter(
        x=compact(prior), y=rows, mode="markers", name=f"prior mean ({_worth(problem)})",
        marker={"symbol": "line-ns-open", "size": 22, "color": PRIOR.colour, "line": {"width": 2}},
        hovertemplate="prior mean %{x:.3g}",
    )  # fmt: skip
    return base_layout(
        fig, title or _nearest_words(results, mechanisms),
        alt=f"For {len(shown)} categories, the true posterior's 95 % interval and the middle 50 % and 95 % of "
            f"{len(results[0].released):,} released means for each of {', '.join(mechanisms)}",
        notes=[notes, f"Bars: the middle 50 % and 95 % of {len(results[0].released):,} released means."],
        height=_rows_height(len(shown), len(results)),
    )  # fmt: skip


def _largest_categories(problem: Problem, mechanisms: int) -> tuple[NDArray[np.int64], str]:
    """The categories drawn, in their own order, and the sentence that says so where some are left out."""
    limit = min(CATEGORIES_DRAWN, max(6, _ROWS_DRAWN // mechanisms))
    largest = np.sort(np.argsort(-np.array(problem.posterior), kind="stable")[:limit])
    return largest, f"The {limit} largest of {problem.k} categories." if problem.k > limit else ""


def _rows_height(categories: int, mechanisms: int) -> int:
    return 60 + categories * (26 + 13 * mechanisms)


def _offsets(mechanisms: int) -> Floats:
    """Where the mechanisms stand within a category's row, which is 1 high."""
    return (np.arange(mechanisms) - (mechanisms - 1) / 2) * 0.75 / mechanisms


def _true_intervals(
    problem: Problem, names: Sequence[str], mechanisms: int
) -> tuple[Drawing, NDArray[np.int64], str]:
    """A row per category with the true posterior's interval; which categories these are, and what is left out."""
    fig = Drawing()
    shown, notes = _largest_categories(problem, mechanisms)
    low, high = (ends[shown] for ends in dirichlet.interval(problem.posterior))
    fig.add_bar(
        base=compact(low), x=compact(high - low), y=np.arange(len(shown)), orientation="h", width=0.9,
        name="true posterior, 95 % interval", marker={"color": TRUTH.faded(0.3), "line": {"width": 0}},
        hovertemplate="true interval from %{base:.3g} to %{x:.3g}",
    )  # fmt: skip
    fig.update_yaxes(**category_axis([names[i] for i in shown]))
    fig.update_xaxes(title_text="θ, share of the category", rangemode="tozero")
    return fig, shown, notes


def _add_spread(fig: Drawing, one: PrivatePosteriors, label: str, shown: NDArray[np.int64], rows: Floats) -> None:
    style = style_of(one.mechanism)
    outer_low, low, middle, high, outer_high = one.mean_quantiles((0.025, 0.25, 0.5, 0.75, 0.975), shown)
    for ends, width, named in (((outer_low, outer_high), 1.5, True), ((low, high), 5, False)):
        fig.add_scatter(
            x=compact(middle), y=compact(rows), name=label, legendgroup=label, showlegend=named, mode="markers",
            marker={"color": style.colour, "symbol": style.symbol, "size": 8},
            error_x=interval_bar(middle, *ends, style.colour, width), hovertemplate="median of released means %{x:.3g}",
        )  # fmt: skip


# Noise-aware ----------------------------------------------------------------------------------------


def noise_aware_posteriors(results: Sequence[NoiseAwareReleases], labels: Sequence[str] | None = None) -> Figure:
    """What readers would believe who know about the noise, beside the true posterior and the prior.

    Two categories: densities of theta_1; more: each category's mean and 95 % interval, averaged over the releases.
    results: of one problem, one per mechanism; labels: of the categories.
    """
    _need_releases(results)
    k = results[0].problem.k
    return (_aware_densities if k == 2 else _aware_intervals)(results, category_labels(k, labels, _LABEL))


def _aware_densities(results: Sequence[NoiseAwareReleases], names: Sequence[str]) -> Figure:
    problem, mechanisms = results[0].problem, mechanism_labels([one.mechanism for one in results])
    ends = [(float(one.grids.min()), float(one.grids.max())) for one in results]
    window = widened([density_window([problem.posterior]), *ends])
    fig = _panels(mechanisms, f"θ, share of {names[0]}")
    peaks: list[float] = []
    for position, one in enumerate(results):
        for times in np.unique(one.times):
            same = one.times == times
            x, y = (np.insert(part[same], part.shape[1], np.nan, axis=1) for part in (one.grids, one.densities))
            fig.add_scatter(
                x=compact(x.ravel()), y=compact(y.ravel()), mode="lines", showlegend=False, hoverinfo="skip",
                line={"color": style_of(one.mechanism).faded(1 - 0.5**times), "width": 1.5}, **_place(position),
            )  # fmt: skip
        true_peak = peak_of(_add_truth_and_prior(fig, problem, window, _place(position), first=position == 0))
        peaks += [true_peak, min(peak_of(one.densities.ravel()), 1.6 * true_peak)]
    releases = results[0].times.sum()
    return base_layout(
        fig, _widening_words(results, mechanisms),
        alt=f"Densities of the share of {names[0]}: true posterior, prior and the noise-aware posteriors of "
            f"{releases} releases for each of {', '.join(mechanisms)}",
        notes=[f"Thin lines: noise-aware posteriors of {releases} releases each."], x={"range": window},
        y={"range": [0, 1.05 * max(peaks)]}, height=_rows(len(results)) * _PANEL, headroom=24,
    )  # fmt: skip


def _aware_intervals(results: Sequence[NoiseAwareReleases], names: Sequence[str]) -> Figure:
    problem, mechanisms = results[0].problem, mechanism_labels([one.mechanism for one in results])
    fig, shown, notes = _true_intervals(problem, names, len(results))
    rows = np.arange(len(shown))
    for one, label, offset in zip(results, mechanisms, _offsets(len(results)), strict=True):
        style = style_of(one.mechanism)
        middle, low, high = (
            np.average(part[:, shown], axis=0, weights=one.times) for part in (one.means, one.low, one.high)
        )
        fig.add_scatter(
            x=compact(middle), y=compact(rows + offset), name=label, mode="markers",
            marker={"color": style.colour, "symbol": style.symbol, "size": 8},
            error_x=interval_bar(middle, low, high, style.colour, 2), hovertemplate="noise-aware mean %{x:.3g}",
        )  # fmt: skip
    releases = results[0].times.sum()
    return base_layout(
        fig, _widening_words(results, mechanisms),
        alt=f"For {len(shown)} categories, the true posterior's 95 % interval and the noise-aware mean and interval, "
            f"averaged over {releases} releases, of each of {', '.join(mechanisms)}",
        notes=[notes, f"Means and 95 % intervals, averaged over {releases} releases."],
        height=_rows_height(len(shown), len(results)),
    )  # fmt: skip


def _widening_words(results: Sequence[NoiseAwareReleases], mechanisms: Sequence[str]) -> str:
    if not results[0].problem.n:
        return "Without records the prior itself is released"
    widths = with_values(mechanisms, [one.widening() for one in results])
    return f"Noise-aware intervals, as a multiple of the naive ones: {widths}"


# Coverage -------------------------------------------------------------------------------------------


def coverage_bars(
    results: Sequence[PrivatePosteriors | NoiseAwareReleases], labels: Sequence[str] | None = None
) -> Figure:
    """How often the released 95 % interval covers the true posterior mean, per category and mechanism.

    With two categories the intervals mirror each other, so one bar stands for both.
    """
    _need_releases(results)
    problem, mechanisms = results[0].problem, mechanism_labels([one.mechanism for one in results])
    every = category_labels(problem.k, labels)
    shown, notes = _largest_categories(problem, len(results))
    names = [every[i] for i in shown]
    if problem.k == 2:
        shown, names = shown[:1], [" or ".join(names)]
    rows, offsets = np.arange(len(shown)), _offsets(len(results))
    coverage = [one.coverage(shown) for one in results]
    fig = Drawing()
    for one, label, offset, share in zip(results, mechanisms, offsets, coverage, strict=True):
        fig.add_bar(
            x=compact(share), y=compact(rows + offset), orientation="h", width=0.7 / len(results), name=label,
            marker={"color": style_of(one.mechanism).colour}, hovertemplate="%{x:.1%}",
        )  # fmt: skip
    fig.add_vline(x=0.95, line={"color": TRUTH.colour, "dash": "dash", "width": LINE_WIDTH})
    fig.add_annotation(x=0.95, y=1, yref="paper", yanchor="bottom", text="95 %", showarrow=False)
    return base_layout(
        fig, _coverage_words(coverage, mechanisms, names),
        alt="Bar chart of the coverage of the released 95 % intervals per category", notes=[notes],
        x={"title_text": "95 % intervals that cover the true mean", "range": [0, 1.02], "tickformat": ".0%"},
        y=category_axis(names), height=_rows_height(len(shown), len(results)), barmode="overlay",
    )  # fmt: skip


def _coverage_words(coverage: Sequence[Floats], mechanisms: Sequence[str], names: Sequence[str]) -> str:
    shares = np.array(coverage)
    if shares.min() == 1:
        return "Every released 95 % interval covers the true posterior mean"
    least, lowest = percent(float(shares.min())), shares == shares.min()
    if shares.size == 1:
        return f"The 95 % intervals of {mechanisms[0]} cover the true mean in {least} of its releases"
    if lowest.all():
        return f"The 95 % intervals of each mechanism cover the true mean in {least} of its releases"
    level, categories = lowest.any(axis=1), np.flatnonzero(lowest.any(axis=0))
    named, whose = leading(mechanisms, level.astype(float), 1.0), "its" if level.sum() == 1 else "their"
    where = f" for {names[categories[0]]}" if categories.size == 1 else " for some categories"
    return f"The 95 % intervals of {named} cover least: {least} of {whose} releases{where if len(names) > 1 else ''}"
