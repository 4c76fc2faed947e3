"""The law of the distance from the true posterior, in three views: per level, per record moved, cumulative."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpbi import DistanceLaw, PrivatePosteriors, local_sensitivity
from dpbi.figures.style import (
    FONT_SIZE,
    REFERENCE,
    Drawing,
    Figure,
    Floats,
    add_curve,
    base_layout,
    compact,
    leading,
    log_axis,
    mark_place,
    mechanism_labels,
    number,
    probability,
    style_of,
    with_values,
)

FLOOR = 1e-6  # below this a logarithmic axis draws nothing, and says so
_POINTS = 120  # of a curve
_LEVELS_SHOWN = 60  # more distinct levels than this are gathered in bins, unless they lie on one line (k = 2)
_TAIL = 1e-6  # what may lie beyond the end of the axis


@dataclass(frozen=True)
class _Axis:
    """Where values >= 0 stand: evenly, or by powers of ten where some mechanisms stay far nearer than others.

    least: the smallest positive value; end: the largest drawn. By powers of ten, 0 stands left of all others.
    """

    least: float
    end: float
    by_powers: bool

    @property
    def zero(self) -> float:
        return self.least / 2.5 if self.by_powers else 0.0

    def place(self, values: Floats) -> Floats:
        return np.where(values < self.least * 0.999, self.zero, values) if self.by_powers else values

    def settings(self) -> dict[str, Any]:
        if not self.by_powers:
            return {"range": [-0.015 * self.end, 1.02 * self.end]}
        axis = log_axis(self.least, self.end)
        ticks = [(tick, text) for tick, text in zip(axis["tickvals"], axis["ticktext"], strict=True)
                 if tick >= self.least * 0.999]  # fmt: skip
        return axis | {
            "range": [np.log10(self.zero) - 0.1, np.log10(self.end) + 0.05],
            "tickvals": [self.zero, *(tick for tick, _ in ticks)],
            "ticktext": ["0", *(text for _, text in ticks)],
        }


@dataclass(frozen=True)
class _Cells:
    """What probabilities are gathered in, the same for all mechanisms: single values, or bins up to each edge.

    position: (M,), where a cell is drawn; edges: (M,), its upper end, included; the first cell is the truth alone.
    per: what one cell is, in words; gaps: whether some cells hold no output at all, and are left out.
    """

    position: Floats
    edges: Floats
    per: str
    gaps: bool

    @property
    def single(self) -> bool:
        return self.position is self.edges

    def gather(self, values: Floats, probability: Floats) -> Floats:
        """Probability per cell; the last cell takes what lies beyond it."""
        slack = 1e-12 + 1e-10 * self.edges  # equal distances may differ in their last digits
        cell = np.searchsorted(self.edges + slack, values, side="left")
        last = self.edges.size - 1
        return np.bincount(np.minimum(cell, last), weights=probability, minlength=last + 1).astype(np.float64)


def per_level(
    laws: Sequence[DistanceLaw],
    log_scale: bool = True,
    draws: Sequence[PrivatePosteriors] = (),
    names: Sequence[str] | None = None,
) -> Figure:
    """The probability of each distance, one curve per mechanism; bins where the levels are too many to be seen.

    laws: of one problem; log_scale: logarithmic probabilities; draws: simulations of the mechanisms, marked too, and
    names: of the curves, where they go by others than the mechanisms', as in the papers' figures.
    """
    labels = list(names or mechanism_labels([law.mechanism for law in laws]))
    rows = [law.levels() for law in laws]
    axis = _axis(rows)
    cells = _level_cells(laws, rows, axis)
    fig = Drawing()
    notes = _add_curves(fig, laws, labels, rows, axis, cells, log_scale)
    for one in draws:
        _add_simulated(fig, one, cells, first=one is draws[0])
    _mark_local_sensitivity(fig, laws, axis)
    # No mechanism is certain where there are records, whatever a double may say
    truths = [min(law.probability_of_truth, np.nextafter(1, 0) if law.problem.n else 1.0) for law in laws]
    best = int(np.argmax(truths))
    title = _title(
        laws,
        f"Most likely to return the true posterior itself: {leading(labels, truths, truths[best])}, with probability "
        f"{probability(truths[best])}"
        if number(truths[best]) != number(min(truths))
        else f"Each mechanism returns the true posterior itself with probability {probability(min(truths))}",
        f"{labels[best]} returns the true posterior itself with probability {probability(truths[best])}",
    )
    return base_layout(
        fig, title, alt="Line chart of the probability of each distance",
        values=f"Probability of distance 0: {with_values(labels, truths, probability)}", notes=notes,
        x={"title_text": "Hellinger distance H from the true posterior"},
    )  # fmt: skip


def per_step(laws: Sequence[DistanceLaw], log_scale: bool = True) -> Figure:
    """The probability that the released counts differ from the true ones by 0, 1, 2, ... records moved.

    Half steps (totals that differ by an odd number) count with the next whole one. Arguments as for ``per_level``.
    """
    rows = [(np.ceil(step), probability) for step, probability in (law.by_step() for law in laws)]
    axis = _axis(rows)
    cells = _step_cells(axis)
    fig = Drawing()
    labels = mechanism_labels([law.mechanism for law in laws])
    notes = _add_curves(fig, laws, labels, rows, axis, cells, log_scale)
    means = [law.mean_steps for law in laws]
    near, far = int(np.argmin(means)), int(np.argmax(means))
    moves = f"Records moved on average: {with_values(labels, means)}"  # draws do not tell who moves the fewest
    if all(law.exact for law in laws):
        moves = (
            f"{leading(labels, means, means[near], ('moves', 'move'))} the fewest records, {number(means[near])} on "
            f"average; {leading(labels, means, means[far], ('moves', 'move'))} the most, {number(means[far])}"
            if number(means[near]) != number(means[far])
            else f"Each mechanism moves {number(means[near])} records on average"
        )
    return base_layout(
        fig, _title(laws, moves, f"{labels[near]} moves {number(means[near])} records on average"),
        alt="Line chart of the probability of moving 0, 1, 2, ... records",
        values=f"Mean records moved: {with_values(labels, means)}", notes=notes,
        x={"title_text": "Records moved between the true and the released counts, d"},
    )  # fmt: skip


def cumulative(laws: Sequence[DistanceLaw]) -> Figure:
    """P(H <= t) against t, one curve per mechanism; a sampled law with the band that holds all of its curve."""
    axis = _axis([law.levels() for law in laws])
    fig = Drawing()
    labels = mechanism_labels([law.mechanism for law in laws])
    for law, label in zip(laws, labels, strict=True):
        _add_cumulative(fig, law, label, axis)
    _mark_local_sensitivity(fig, laws, axis)
    return base_layout(
        fig, _within_local_sensitivity(laws, labels), alt="Line chart of the probability of a distance up to t",
        values=f"Median distances: {with_values(labels, [law.median for law in laws])}",
        notes=_what_is_sampled(laws, labels),
        x={"title_text": "Hellinger distance t from the true posterior", **axis.settings()},
        y={"title_text": "Probability that H ≤ t", "range": [0, 1.03], "tickformat": ".0%"},
    )  # fmt: skip


def _within_local_sensitivity(laws: Sequence[DistanceLaw], labels: Sequence[str]) -> str:
    problem = laws[0].problem
    if not problem.n:
        return _title(laws, "", "")
    reach = local_sensitivity(problem)
    shares = [law.cdf(reach) for law in laws]
    best, worst = int(np.argmax(shares)), int(np.argmin(shares))
    within = f"Within LS(x) = {number(reach)} of the truth"
    if number(shares[best]) == number(shares[worst]):
        return f"{within} with probability {probability(shares[worst])}"
    return (
        f"{within}: {leading(labels, shares, shares[best])} with probability {probability(shares[best])}, "
        f"{leading(labels, shares, shares[worst])} with {probability(shares[worst])}"
    )


def _title(laws: Sequence[DistanceLaw], several: str, single: str) -> str:
    if not laws[0].problem.n:
        return "Without records every mechanism releases the prior itself, with certainty"
    return several if len(laws) > 1 else single


def _axis(rows: Sequence[tuple[Floats, Floats]]) -> _Axis:
    """The end leaves out at most a probability of 1e-6 of every law; powers of ten if the laws end 8-fold apart."""
    beyond = [np.cumsum(probability[::-1])[::-1] for _, probability in rows]  # from each value on
    ends = [float(values[tail > _TAIL][-1]) for (values, _), tail in zip(rows, beyond, strict=True)]
    positive = [float(values[values > 0].min()) for values, _ in rows if (values > 0).any()]
    least = min(positive, default=1.0)
    nearest, farthest = max(min(ends), least), max(*ends, least)
    return _Axis(least, farthest, farthest > 8 * nearest)


def _level_cells(laws: Sequence[DistanceLaw], rows: Sequence[tuple[Floats, Floats]], axis: _Axis) -> _Cells:
    """Single levels where they are few or lie on a line; else bins about as wide as one record's step."""
    problem = laws[0].problem
    if axis.by_powers:
        return _cells_by_powers(axis, "distance")
    shown = max(int((values <= axis.end).sum()) for values, _ in rows)
    on_a_line = problem.k == 2 and max(values.size for values, _ in rows) <= problem.n + 1
    if shown <= (_POINTS if on_a_line else _LEVELS_SHOWN) and all(law.kind == "levels" for law in laws):
        together = np.unique(np.concatenate([values for values, _ in rows]))
        together = together[together <= axis.end]
        # Distances that differ by rounding only are one level.
        last = np.append(np.diff(together) > 1e-12 + 1e-10 * together[1:], True)
        levels = together[last]
        return _Cells(levels, levels, "of each distance", gaps=True)
    # Narrower bins would show where the lattice of counts has its gaps, not what the mechanisms do.
    edges = np.linspace(0, axis.end, int(np.clip(axis.end / local_sensitivity(problem), 10, _POINTS // 2)) + 1)
    centres = np.concatenate([[0.0], (edges[1:] + edges[:-1]) / 2])
    return _Cells(centres, edges, f"per {number(edges[1])} of distance", gaps=False)


def _step_cells(axis: _Axis) -> _Cells:
    if axis.by_powers:
        return _cells_by_powers(axis, "records")
    width = int(np.ceil(axis.end / (_POINTS // 2)))
    edges = np.arange(0, axis.end + width, width, dtype=np.float64)
    if width == 1:
        return _Cells(edges, edges, "of each number", gaps=True)
    # A bin holds (edge - width, edge]; its middle is (width - 1) / 2 below the last whole number in it.
    return _Cells(np.maximum(edges - (width - 1) / 2, 0), edges, f"per {width} records", gaps=False)


def _cells_by_powers(axis: _Axis, what: str) -> _Cells:
    number_of_bins = int(np.ceil(10 * np.log10(axis.end / axis.least)))
    inner = axis.least * 10 ** (np.arange(number_of_bins + 1) / 10)
    centres = np.concatenate([[axis.zero, axis.least], np.sqrt(inner[1:] * inner[:-1])])
    return _Cells(centres, np.concatenate([[0.0], inner]), f"per bin of {what}, ten bins a power of ten", gaps=True)


def _add_curves(
    fig: Drawing,
    laws: Sequence[DistanceLaw],
    labels: Sequence[str],
    rows: Sequence[tuple[Floats, Floats]],
    axis: _Axis,
    cells: _Cells,
    log_scale: bool,
) -> list[str]:
    """Draws one curve per law from its (values, probabilities); returns what has to be said about them."""
    lowest, highest, hidden = 1.0, 0.0, False
    for law, (values, masses), label in zip(laws, rows, labels, strict=True):
        mass = cells.gather(values, masses)
        # A cell without an output of this mechanism is not a zero of its curve.
        own = cells.gather(values, np.ones(values.size)) > 0 if cells.gaps else np.full(mass.shape, True)
        shown = own & (mass >= FLOOR) if log_scale else own
        hidden |= bool((own & ~shown).any())
        lowest, highest = min(lowest, mass[shown].min(initial=1.0)), max(highest, mass.max())
        style = style_of(law.mechanism)
        x, y = cells.position[own], np.where(shown, mass, np.nan)[own]
        add_curve(fig, style, label, x, y, "%{x:.3g}: %{y:.3g}", legendgroup=label,
                  mode="lines+markers" if cells.gaps else "lines")
        alone = _alone(y)
        if alone.any() and not cells.gaps:
            fig.add_scatter(
                x=compact(x[alone]), y=compact(y[alone]), name=label, mode="markers", legendgroup=label,
                marker={"color": style.colour, "symbol": style.symbol, "size": 7}, showlegend=False, hoverinfo="skip",
            )  # fmt: skip
    fig.update_xaxes(**axis.settings())
    fig.update_yaxes(title_text=f"Probability {cells.per}")
    fig.update_yaxes(**log_axis(lowest, 1.0) if log_scale else {"range": [0, 1.05 * highest]})
    notes = _what_is_sampled(laws, labels, " A single point: by at most twice as much.")
    return [*notes, f"Not drawn: probabilities below {number(FLOOR)}, or 0."] if hidden else notes


def _alone(y: Floats) -> NDArray[np.bool_]:
    """Points between two gaps, through which no line runs."""
    gap = np.isnan(np.concatenate([[np.nan], y, [np.nan]]))
    return ~gap[1:-1] & gap[:-2] & gap[2:]


def _what_is_sampled(laws: Sequence[DistanceLaw], labels: Sequence[str], of_a_point: str = "") -> list[str]:
    """of_a_point: what follows for a difference of two values of the distribution function, such as a cell's share."""
    sampled = [(law.band, label) for law, label in zip(laws, labels, strict=True) if not law.exact]
    if not sampled:
        return []
    names = ", ".join(label for _, label in sampled)
    error = number(max(band for band, _ in sampled))
    return [
        f"Sampled, as the outputs are too many to list: {names}. The probability of all up to a distance is off by at "
        f"most {error} (95 %).{of_a_point}"
    ]


def _add_simulated(fig: Drawing, one: PrivatePosteriors, cells: _Cells, first: bool) -> None:
    """The shares of the draws in the cells where any fell."""
    style = style_of(one.mechanism)
    share = cells.gather(one.distance, np.full(one.distance.size, 1 / one.distance.size))
    fell = share > 0
    if first:  # an entry of the legend that belongs to no mechanism
        fig.add_scatter(
            x=[None], y=[None], mode="markers", legendgroup="simulated",
            name=f"{one.distance.size:,} simulated draws each, where any fell",
            marker={"symbol": "circle-open", "size": 9, "color": REFERENCE.colour},
        )  # fmt: skip
    fig.add_scatter(
        x=compact(cells.position[fell]), y=compact(share[fell]), mode="markers", legendgroup="simulated",
        showlegend=False,
        marker={"symbol": f"{style.symbol}-open", "size": 9, "color": style.colour, "line": {"width": 1.2}},
        hovertemplate="simulated: %{y:.3g}",
    )  # fmt: skip


def _add_cumulative(fig: Drawing, law: DistanceLaw, label: str, axis: _Axis) -> None:
    style = style_of(law.mechanism)
    distance, before, reached = law.curve
    kept = _thinned(distance, reached, axis)
    # Below and at each level shown: where levels were left out between, they fill up along a line; a jump stays a jump.
    x = axis.place(np.concatenate([[0.0], np.repeat(distance[kept], 2), [axis.end]]))
    steps = np.stack([before[kept], reached[kept]], axis=1).ravel()
    y = np.concatenate([[0.0], steps, [reached[-1]]])
    if distance[0] == 0:
        x, y = x[2:], y[2:]
    if law.band:
        band = np.concatenate([np.minimum(y + law.band, 1), np.maximum(y - law.band, 0)[::-1]])
        fig.add_scatter(
            x=compact(np.concatenate([x, x[::-1]])), y=compact(band), fill="toself", mode="lines",
            line={"width": 0}, fillcolor=style.faded(0.25), legendgroup=label, showlegend=False, hoverinfo="skip",
        )  # fmt: skip
    add_curve(fig, style, label, x, y, "P(H ≤ %{x:.3g}) = %{y:.4g}", legendgroup=label, mode="lines")


def _thinned(distance: Floats, reached: Floats, axis: _Axis) -> NDArray[np.int64]:
    """Indices of about 120 levels, half of them even along the axis, half even in probability."""
    if distance.size <= _POINTS:
        return np.flatnonzero(distance <= axis.end)
    half = _POINTS // 2
    even = np.geomspace(axis.least, axis.end, half) if axis.by_powers else np.linspace(0, axis.end, half)
    by_distance = np.searchsorted(distance, even)
    by_probability = np.searchsorted(reached, np.linspace(0, reached[-1], half) * (1 - 1e-12))
    kept = np.unique(np.concatenate([by_distance, by_probability]))
    return kept[(kept < distance.size) & (distance[np.minimum(kept, distance.size - 1)] <= axis.end)]


def _mark_local_sensitivity(fig: Drawing, laws: Sequence[DistanceLaw], axis: _Axis) -> None:
    """A line at LS(x); where that lies off the axis, words at the end it lies beyond."""
    problem = laws[0].problem
    if not problem.n:
        return
    reach = local_sensitivity(problem)
    marked = f"LS(x) = {number(reach)}"
    above = {"y": 1, "yref": "paper", "yanchor": "bottom", "showarrow": False, "font": {"size": FONT_SIZE - 1}}
    low, high = axis.settings()["range"]
    place = float(np.log10(reach) if axis.by_powers else reach)  # on a logarithmic axis, a place is a power
    if place > high:
        fig.add_annotation(x=1, xref="paper", xanchor="right", text=f"{marked}, right of this axis →", **above)
    elif place < low or (axis.by_powers and reach < axis.least * 0.999):
        fig.add_annotation(x=0, xref="paper", xanchor="left", text=f"← {marked}, nearer than all but 0 here", **above)
    else:
        mark_place(fig, reach, marked, "right" if reach > 0.8 * axis.end else "left", by_powers=axis.by_powers)
