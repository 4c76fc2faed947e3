"""Noisy counts taken for true ones, and read with their noise, beside the true shares."""

from collections.abc import Sequence

import numpy as np

from dpbi.figures.noisy_counts import AWARE, PLAIN
from dpbi.figures.style import (
    REFERENCE,
    SCALE,
    Drawing,
    Figure,
    base_layout,
    category_axis,
    compact,
    interval_bar,
    number,
)
from dpbi.inference.plain_reading import Line

_BESIDE = 0.17  # how far a reading's row lies from its category's


def both_readings(lines: Sequence[Line]) -> Figure:
    """Per category the true share, and mean and 95 % interval of both readings."""
    rows, share = np.arange(len(lines)), np.array([line.share for line in lines])
    fig, misses = Drawing(), []
    for name, means, ends, off, look in (
        (PLAIN, [line.plain_mean for line in lines], [line.plain for line in lines], -_BESIDE,
         {"color": REFERENCE.colour, "symbol": "circle-open", "size": 8, "line": {"width": 2}}),
        (AWARE, [line.aware_mean for line in lines], [line.aware for line in lines], _BESIDE,
         {"color": SCALE[0], "symbol": "circle", "size": 9}),
    ):  # fmt: skip
        mean, (low, high) = np.array(means), np.array(ends).T
        misses.append(int(((share < low) | (high < share)).sum()))
        fig.add_scatter(
            x=compact(mean), y=compact(rows + off), mode="markers", name=name, marker=look,
            error_x=interval_bar(mean, low, high, str(look["color"]), 3), hovertemplate=f"{name}: %{{x:.3g}}",
        )  # fmt: skip
    fig.add_scatter(
        x=compact(share), y=compact(rows), mode="markers", name="true share", hovertemplate="true share %{x:.3g}",
        marker={"color": SCALE[3], "symbol": "line-ns-open", "size": 24, "line": {"width": 3, "color": SCALE[3]}},
    )  # fmt: skip
    sd = number(lines[0].noise.sd, 2)
    wider = sum(line.aware[1] - line.aware[0] for line in lines) / sum(line.plain[1] - line.plain[0] for line in lines)
    return base_layout(
        fig, f"Taken for true, {misses[0]} of {len(lines)} intervals miss the true share; allowing for the noise, "
             f"{misses[1] or 'none'}",
        alt="True shares of made-up categories, and means and 95 % intervals of two readings of noisy counts",
        notes=[f"Means and 95 % intervals: allowing for the noise, of standard deviation {sd}, they are "
               f"{number(wider, 2)} times as wide."],
        x={"title_text": "θ, share of the category", "rangemode": "tozero"}, y=category_axis(_published(lines)),
        height=46 * len(lines),
    )  # fmt: skip


def _published(lines: Sequence[Line]) -> list[str]:
    """Each category with what was published of it."""
    return [f"{line.label}: " + ("withheld" if line.value is None else f"{line.value:.0f}".replace("-", "−")
                                 + ", cut" * (line.noise.floor is not None)) for line in lines]  # fmt: skip
