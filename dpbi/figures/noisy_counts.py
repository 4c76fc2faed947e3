"""Noisy counts as they were read: the shares beside what the plain reading gives, the total, and the ranks."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpbi.figures.release import heights
from dpbi.figures.style import (
    LINE_WIDTH,
    REFERENCE,
    SCALE,
    Drawing,
    Figure,
    base_layout,
    category_axis,
    compact,
    display_labels,
    interval_bar,
    number,
)
from dpbi.inference.count_posterior import Marginal
from dpbi.releases.reading import Outcome, Row

AWARE, PLAIN = "allowing for the noise", "values taken for true"
_POINTS = 400
_NEARLY_ALL = 1e-6
_FEW = 12  # rows that get more room


def _names(found: Outcome, places: Sequence[int]) -> list[str]:
    """As they are told apart among all categories, in every figure alike."""
    names = display_labels(list(found.labels))
    return [names[place] for place in places]


def shares(found: Outcome, places: Sequence[int]) -> Figure:
    """Means and 95 % intervals of the shares of some categories, and beside them those that take the values for
    true."""
    known = [place for place in places if found.rows[place]["low"] is not None]
    rows, names = [found.rows[place] for place in known], _names(found, known)
    at, fig = np.arange(len(rows)), Drawing()
    shift, few = 0.17, len(rows) <= _FEW
    for name, keys, off, look in (
        (PLAIN, ("plain_mean", "plain_low", "plain_high"), shift,
         {"color": REFERENCE.colour, "symbol": "circle-open", "size": 8 if few else 5,
          "line": {"width": 2 if few else 1}}),
        (AWARE, ("mean", "low", "high"), -shift, {"color": SCALE[0], "symbol": "circle", "size": 9 if few else 5}),
    ):  # fmt: skip
        mean, low, high = (_column(rows, key) for key in keys)
        fig.add_scatter(
            x=compact(mean), y=compact(at + off), mode="markers", name=name, marker=look, cliponaxis=False,
            error_x=interval_bar(mean, low, high, str(look["color"]), 3),
            customdata=np.stack([low, high], axis=1).tolist(),
            hovertemplate=f"{name}: %{{x:.4g}}, 95 % from %{{customdata[0]:.4g}} to %{{customdata[1]:.4g}}",
        )  # fmt: skip
    return base_layout(
        fig, _how_much_wider(rows), x={"title_text": "θ, share of the category", "rangemode": "tozero"},
        y=category_axis(names), height=_height(len(rows)),
        alt=f"Means and 95 % intervals of the shares of {len(rows)} categories, {AWARE} and with the {PLAIN}",
        notes=["Means and 95 % intervals.", _of_all(len(rows), len(found.labels))],
    )  # fmt: skip


def _how_much_wider(rows: Sequence[Row]) -> str:
    """Of what was published: of a withheld value the plain reading makes a 0."""
    rows = [row for row in rows if row["value"] is not None]
    widths = (_column(rows, f"{kind}high") - _column(rows, f"{kind}low") for kind in ("", "plain_"))
    aware, plain = (float(width.sum()) for width in widths)
    low, plain_mean, high = (_column(rows, key) for key in ("low", "plain_mean", "high"))
    outside = int(((plain_mean < low) | (plain_mean > high)).sum())
    ratio = aware / plain if plain else 1.0
    said = f"{number(ratio)} times as wide as" if ratio >= 2 else (
        f"{round(100 * abs(ratio - 1))} % {'wider' if ratio >= 1 else 'narrower'} than")  # fmt: skip
    title = f"With the noise allowed for, intervals are {said} those that take the values for true"
    return title + (f"; {outside} of {len(rows)} shares of the latter lie outside the former" if outside else "")


def total(law: Marginal) -> Figure:
    """The posterior of the number of records, with its 95 % interval."""
    inside = law.trimmed(_NEARLY_ALL * float(law.probability.max()))
    low, high = law.interval()
    step = max(1, inside.probability.size // _POINTS)
    n, p = inside.counts[::step], inside.probability[::step]
    fig = Drawing()
    fig.add_scatter(x=compact(n), y=compact(p), mode="lines", name="n", showlegend=False,
                    line={"color": SCALE[0], "width": LINE_WIDTH}, hovertemplate="P(n = %{x}) = %{y:.3g}")  # fmt: skip
    peak = float(p.max())
    middle, left, right = (np.array([one], dtype=np.float64) for one in (law.mean, low, high))
    fig.add_scatter(
        x=middle, y=[-0.07 * peak], mode="markers", showlegend=False, name="mean and 95 % interval",
        marker={"color": SCALE[0], "size": 10}, error_x=interval_bar(middle, left, right, SCALE[0], 3),
        hovertemplate=f"mean {law.mean:,.1f}, 95 % from {low:,} to {high:,}",
    )  # fmt: skip
    return base_layout(
        fig, f"n is {law.mean:,.0f}, with 95 % between {low:,} and {high:,}",
        alt="Probabilities of the number of records", notes=["Below: mean and 95 % interval."],
        x={"title_text": "n, number of records"},
        y={"title_text": "Probability", "range": [-0.14 * peak, 1.15 * peak], "tickvals": heights(peak)}, height=260,
    )  # fmt: skip


def ranks(found: Outcome, places: Sequence[int]) -> Figure:
    """Of few categories the probability of every rank; else 95 % intervals of the ranks, with that of being first."""
    names, rank = _names(found, places), found.ranking
    matrix = rank.matrix
    fig = Drawing()
    at = np.arange(len(places))
    leader = int(np.argmax(rank.first))
    (lead,) = _names(found, [leader])
    p = float(rank.first[leader])
    title = f"{lead} is first {'in every draw' if p == 1 else f'with probability {_share(p)}'}"
    if others := rank.leaders[1:]:
        title = f"{lead} and {_names(found, others)[0] if len(others) == 1 else f'{len(others)} others'} are alike"
    if matrix is not None:
        _add_matrix(fig, matrix[list(places)])
        x: dict[str, Any] = {"title_text": "Rank", "dtick": 1, "range": [0.4, len(matrix) + 0.6], "showgrid": False}
    else:
        middle, low, high = (part[list(places)].astype(float) for part in (rank.middle, rank.low, rank.high))
        first = [_share(float(rank.first[i])) for i in places]
        fig.add_scatter(
            x=middle, y=at, mode="markers", name="rank", showlegend=False, cliponaxis=False,
            marker={"color": SCALE[0], "size": 9 if len(places) <= _FEW else 5},
            error_x=interval_bar(middle, low, high, SCALE[0], 3), text=first,
            customdata=np.stack([low, high], axis=1).tolist(),
            hovertemplate="rank %{x}, 95 % from %{customdata[0]} to %{customdata[1]}; first: %{text}",
        )  # fmt: skip
        names = [f"{name} ({share})" if share != "0" else name for name, share in zip(names, first, strict=True)]
        x = {"title_text": "Rank", "range": [0.5, 1.03 * float(high.max()) + 0.5]}
    kind = "Below a circle: the probability of the rank, in %." if matrix is not None else (
        "Medians and 95 % intervals; in brackets: the probability of being first.")  # fmt: skip
    return base_layout(
        fig, title, alt="Ranks of the categories by their shares", x=x, y=category_axis(names),
        height=_height(len(places)),
        notes=[kind, f"{rank.draws:,} draws of seed {found.seed}.", _of_all(len(places), len(found.labels))],
    )  # fmt: skip


def _add_matrix(fig: Drawing, matrix: NDArray[np.float64]) -> None:
    """A circle for each probability of one in two hundred or more, as large as it is."""
    rows, columns = np.nonzero(matrix >= 0.005)
    p = matrix[rows, columns]
    fig.add_scatter(
        x=(columns + 1).tolist(), y=rows.tolist(), mode="markers+text", showlegend=False, name="probability of a rank",
        marker={"color": SCALE[0], "size": (6 + 22 * np.sqrt(p)).tolist(), "opacity": 1}, textposition="bottom center",
        text=[_percent(float(one)) for one in p], hovertemplate="rank %{x}: %{text} per cent",
    )  # fmt: skip


def _percent(p: float) -> str:
    """Without its sign; < and > are signs of markup to plotly."""
    return f"{100 * p:.0f}" if 0.01 <= p <= 0.99 else "&lt;1" if p < 0.01 else "&gt;99" if p < 1 else "100"


def _share(p: float) -> str:
    """A probability from draws, in per cent."""
    if p == 0:
        return "0"
    return f"{100 * p:.0f} %" if 0.01 <= p <= 0.99 else "below 1 %" if p < 0.01 else "over 99 %" if p < 1 else "100 %"


def _column(rows: Sequence[Row], key: str) -> NDArray[np.float64]:
    return np.array([row[key] for row in rows], dtype=np.float64)


def _of_all(drawn: int, k: int) -> str:
    return f"{drawn} of {k:,} categories, by their shares." if drawn < k else ""


def _height(rows: int) -> int:
    return 70 + (52 if rows <= _FEW else 34) * rows
