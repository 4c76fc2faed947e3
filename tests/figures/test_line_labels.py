"""Names at lines: where they stand, and where a legend has to."""

import numpy as np
import pytest

from dpbi.figures import line_labels
from dpbi.figures.style import PRIOR, TRUTH, Drawing, add_curve, base_layout, in_the_hand

X = np.linspace(0, 1, 50)


def drawn(*heights: float) -> Drawing:
    fig = Drawing()
    for i, height in enumerate(heights):
        add_curve(fig, (TRUTH, PRIOR)[i % 2], f"line {i}", X, np.full(50, height), "", mode="lines")
    return fig


@pytest.mark.parametrize(
    ("heights", "told"),
    [((0.1, 0.5, 0.9), True), ((0.5, 0.5), False), ((0.5, 0.501), False), (tuple(np.linspace(0.05, 0.95, 7)), False)],
)
def test_lines_are_named_beside_them_where_they_are_few_and_apart(heights: tuple[float, ...], told: bool) -> None:
    fig = base_layout(drawn(*heights), "finding", alt="lines", x={"range": [0, 1]}, y={"range": [0, 1]})
    names = [one for one in fig.layout.annotations if one.name == line_labels.NAME]
    assert len(names) == (len(heights) if told else 0) and fig.layout.showlegend is not told
    for one, height in zip(names, heights, strict=told):
        assert abs(one.y - height) < 1e-6 and 0 <= one.x <= 1
    held = in_the_hand(fig)  # where names would lie on one another
    assert held.layout.showlegend and not held.layout.annotations
    assert held.layout.height - held.layout.margin.b == fig.layout.height - fig.layout.margin.b


@pytest.mark.parametrize("names", [1, 4, 8])
def test_a_plot_in_the_hand_is_as_high_as_is_read_there_below_a_legend_of_any_length(names: int) -> None:
    fig = Drawing()
    for i in range(names):
        add_curve(fig, TRUTH, f"mechanism {i}, noise-aware", X, X, "", mode="lines")
    held = in_the_hand(base_layout(fig, "finding", alt="lines", height=100))
    below = 60 + 24 * names * held.layout.showlegend  # the axis' words; a row for each name, as two are too wide
    assert held.layout.margin.b >= below
    assert held.layout.height - held.layout.margin.t - held.layout.margin.b >= 220
