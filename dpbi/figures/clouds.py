"""Two tables, their clouds of private posteriors under a slider of epsilon, and the game of guessing between them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpbi import BestGuess, Clouds, dirichlet, limits, name_of, printed_bound
from dpbi.figures.style import (
    FONT_SIZE,
    LINE_WIDTH,
    REFERENCE,
    Drawing,
    Figure,
    Floats,
    Style,
    base_layout,
    compact,
)
from dpbi.inference.clouds import Turn
from dpbi.inference.private_posteriors import density_window

# Two datasets of one picture: no mechanism's colours, apart in lightness and in dash.
PAIR = (Style("#12907f", "solid", "circle"), Style("#cf4a86", "dash", "diamond"))
_POINTS = 48
_DRAWN_POINTS = 24
_SPIKE = 8.0  # times as high as the other truth
_MASS = 1 - 1e-7
_TALLEST = 1.35  # times the truths' peaks: what is higher runs on above the axis
_SQUARE = np.array([[0.1, 0.9, 0.9, 0.1, 0.1, np.nan], [0.1, 0.1, 0.9, 0.9, 0.1, np.nan]])  # x and y, and a gap
# A step's label is what stands over the rail; plotly would set it under the rail as well, where it is left unseen.
SLIDER: dict[str, Any] = {
    "x": 0, "len": 1, "pad": {"t": 56}, "ticklen": 0, "minorticklen": 0, "font": {"color": "rgba(0,0,0,0)", "size": 1},
    "bgcolor": "#2f7bd0", "activebgcolor": "#0b5394", "bordercolor": "#2f7bd0", "borderwidth": 1,
    "transition": {"duration": 0},
    "currentvalue": {"font": {"size": FONT_SIZE + 2, "color": "#2f7bd0", "weight": 700}, "xanchor": "left",
                     "offset": 12},
}  # fmt: skip


def two_clouds(found: Clouds, names: tuple[str, str], share_of: str, at: int) -> Figure:
    """Both clouds in one picture, each curve the stronger the more probable it is; a slider moves through the epsilons.

    names: what tells the two tables apart; share_of: what theta is the share of; at: the place of the epsilon shown.
    """
    points = _POINTS if found.exact else _DRAWN_POINTS
    shown = range(len(found.epsilons))
    curves = _curves(found.parameters[:, :1] if found.exact else found.parameters, points)
    fig = Drawing()
    frames: list[list[dict[str, Any]]] = [[] for _ in shown]
    for table, style in enumerate(PAIR):
        for curve in range(found.weights.shape[2]):
            fig.add_scatter(
                mode="lines", name=f"{names[table]}, {name_of(found.mechanism)}", legendgroup=names[table],
                showlegend=False, hoverinfo="skip",
                line={**_ink(found, style, table, at, curve), "dash": style.dash, "width": LINE_WIDTH + 0.5},
                customdata=compact(np.full(points, found.weights[table, at, curve])),
            )  # fmt: skip
            if found.exact:
                fig.traces[-1] |= _line(curves, (table, 0, curve))
            for i in shown:
                frames[i].append({"line": _ink(found, style, table, i, curve)} if found.exact else
                                 _line(curves, (table, i, curve)))
    ceiling = _add_truths(fig, found, names)
    steps = {repr(epsilon): _said(epsilon, guess) for epsilon, guess in zip(found.epsilons, found.guesses, strict=True)}
    fig.add_slider(steps, frames, at, **SLIDER)
    what = ("The stronger a curve, the more probable its release" if found.exact else
            f"{found.weights.shape[2]} releases of each table")
    return base_layout(
        fig, f"{name_of(found.mechanism)}: private posteriors {names[0]} and {names[1]}",
        alt=f"Two clouds of densities of the share of {share_of}, {names[0]} and {names[1]}, at "
            f"{len(found.epsilons)} epsilons",
        values=f"At epsilon {_said(found.epsilons[at], found.guesses[at])}", notes=[f"{what}; shaded: the truths."],
        x={"title_text": f"θ, share of {share_of}", "range": _window(found)},
        y={"range": [0, ceiling], "showticklabels": False}, height=260, slider=True,
    )  # fmt: skip


def one_curve(found: Turn, pair: Clouds, names: tuple[str, str], share_of: str, revealed: bool) -> Figure:
    """One release, of one of the two tables, between the two truths; revealed: whether it is told of which."""
    style = PAIR[found.answer] if revealed else REFERENCE
    fig = Drawing()
    ceiling = _add_truths(fig, pair, names)
    fig.add_scatter(
        **_curve(pair.posterior(np.array(found.released)), 2 * _POINTS), mode="lines", name="released posterior",
        showlegend=False, line={"color": style.colour, "width": 2 * LINE_WIDTH}, hoverinfo="skip",
    )  # fmt: skip
    title = f"It was drawn {names[found.answer]}" if revealed else f"{limits.opened(names[0])}, or {names[1]}?"
    return base_layout(
        fig, title, alt=f"A released posterior of the share of {share_of}, and the two true ones",
        x={"title_text": f"θ, share of {share_of}", "range": _window(pair)},
        y={"range": [0, ceiling], "showticklabels": False}, height=300,
    )  # fmt: skip


def tally(right: int, turns: int, best: BestGuess) -> Figure:
    """A hundred squares: how many guesses of a hundred can be right at best, and the share that were."""
    squares = np.arange(100)[:, None]
    across, down = squares % 10 + _SQUARE[0], squares // 10 + _SQUARE[1]
    fig = Drawing()
    for name, chosen, fill in (("right at best", slice(best.of_hundred), "#2f7bd0"),
                               ("wrong", slice(best.of_hundred, None), "rgba(0,0,0,0)")):  # fmt: skip
        fig.add_scatter(x=compact(across[chosen].ravel()), y=compact(down[chosen].ravel()), mode="lines", name=name,
                        fill="toself", fillcolor=fill, hoverinfo="skip", showlegend=False,
                        line={"color": "#2f7bd0", "width": 1})  # fmt: skip
    bare: dict[str, Any] = {"showgrid": False, "showticklabels": False, "ticks": "", "fixedrange": True}
    so_far = f"You: {right} of {turns} right" if turns else "You: no guess yet"
    return base_layout(
        fig, f"{so_far}. In the long run at most {best.of_hundred} of 100",
        alt="A hundred squares", x={"range": [0, 10], "constrain": "domain", **bare},
        y={"range": [10, 0], "scaleanchor": "x", "constrain": "domain", **bare}, height=300,
    )  # fmt: skip


def _add_truths(fig: Drawing, found: Clouds, names: tuple[str, str]) -> float:
    """Shades both true posteriors, each with its name over it; returns the end of the vertical axis."""
    truths = found.truths
    curves = [_curve(truth, _POINTS) for truth in truths]
    ceiling = _ceiling([_peak(curve["y"]) for curve in curves])
    for style, curve, truth, name, other in zip(PAIR, curves, truths, names, truths[::-1], strict=True):
        fig.add_scatter(
            **curve, mode="lines", name=f"true posterior {name}", showlegend=False, fill="tozeroy",
            line={"color": style.faded(0.0), "width": 0}, fillcolor=style.faded(0.14), hoverinfo="skip",
        )  # fmt: skip
        fig.add_annotation(**_over(truth, other, ceiling), text=_named(name, style), showarrow=False, yanchor="top",
                           font={"size": FONT_SIZE + 3})  # fmt: skip
    return ceiling


def _said(epsilon: float, guess: BestGuess) -> str:
    """A step of the slider in words: nothing beside the number would say what it means to her."""
    return f"ε = {printed_bound(epsilon)}: a guess is right in at most {guess.of_hundred} of 100"


def _ink(found: Clouds, style: Style, table: int, at: int, curve: int) -> dict[str, Any]:
    """A curve of a hundredth is a tenth as strong as a sure one: else nobody would see it."""
    return {"color": style.faded(round(float(found.weights[table, at, curve]) ** 0.5, 3))}


def _named(name: str, style: Style) -> str:
    return f'<b><span style="color:{style.colour}">{name}</span></b>'


def _curve(parameters: Floats, points: int) -> dict[str, NDArray[Any]]:
    return _line(_curves(parameters, points))


def _curves(parameters: Floats, points: int) -> tuple[Floats, Floats]:
    """Beta densities (..., 2) where nearly all their mass lies: x and y, (..., points)."""
    grid = np.linspace(*dirichlet.interval(parameters, _MASS, category=0), points + 2, axis=-1)[..., 1:-1]
    return grid, dirichlet.beta_density(grid, parameters[..., :1], parameters[..., 1:])


def _line(curves: tuple[Floats, Floats], place: tuple[int, ...] = ()) -> dict[str, NDArray[Any]]:
    x, y = curves
    return {"x": compact(x[place]), "y": compact(y[place])}


def _ceiling(peaks: Sequence[float]) -> float:
    """A spike, whose mass lies at an end, runs on above the axis as other curves do."""
    high = max(peaks)
    return 1.05 * _TALLEST * (high if high < _SPIKE * min(peaks) else min(peaks))


def _peak(density: NDArray[Any]) -> float:
    """Of what is drawn; 1 where all of it is without end."""
    return float(np.max(density, where=np.isfinite(density), initial=0.0)) or 1.0


def _window(found: Clouds) -> list[float]:
    """What the truths' mass fills, and that of nearly all releases at the least epsilon but one."""
    low, high = density_window(np.concatenate([found.truths, *found.parameters[:, 0]]), 0.95)
    return [max(0.0, low), min(1.0, high)]


def _over(truth: Floats, other: Floats, ceiling: float) -> dict[str, Any]:
    """Where a truth's name stands: over its mode, on the side away from the other."""
    mean, there = (float(one[0] / one.sum()) for one in (truth, other))
    return {"x": mean, "y": ceiling, "xanchor": "left" if mean > there else "right"}
