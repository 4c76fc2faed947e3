"""Figures of noisy counts: what is drawn is what was found, few or many categories, and names as text."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from dpbi import Flat, noise
from dpbi.figures import noisy_counts as figures
from dpbi.releases.reading import NoisyReading, Outcome
from tests.releases.test_reading import outcome


def found(k: int) -> Outcome:
    values = tuple(float(value) for value in np.linspace(-4, 90, k).round())
    law = noise.DiscreteGaussian(25.0)
    labels = "<b>first</b>", *(f"c{i}" for i in range(1, k))
    return outcome(NoisyReading((0.5,) * k, values, (law,) * k, Flat()), labels)


def sent(figure: Any) -> dict[str, Any]:
    whole: dict[str, Any] = json.loads(figure.to_json())
    return whole


@pytest.mark.parametrize("k", [2, 14])
def test_figures_draw_what_was_found(k: int) -> None:
    one = found(k)
    places = [*range(1, k), 0]
    rows = [one.rows[i] for i in places]
    drawn = figures.shares(one, places)
    by_name = {trace.name: trace for trace in drawn.data}
    for name, kind in ((figures.AWARE, ""), (figures.PLAIN, "plain_")):
        mean, low, high = (np.array([row[kind + part] for row in rows]) for part in ("mean", "low", "high"))
        trace = by_name[name]
        assert np.allclose(trace.x, mean, rtol=1e-6) and np.allclose(trace.error_x.array, high - mean, atol=1e-6)
        assert np.allclose(trace.error_x.arrayminus, mean - low, atol=1e-6)
    assert "&lt;b&gt;" in drawn.layout.yaxis.ticktext[-1] and "<b>" not in json.dumps(sent(drawn)["layout"]["yaxis"])
    assert one.total is not None
    least, most = one.total.interval()
    total = figures.total(one.total)
    assert f"{least:,} and {most:,}" in total.layout.title.text.replace("<br>", " ")
    ranks = figures.ranks(one, places)
    if one.ranking.matrix is None:
        assert (np.array(ranks.data[0].x) == one.ranking.middle[places]).all()
    else:
        shown = {(x, y): text for x, y, text in zip(ranks.data[0].x, ranks.data[0].y, ranks.data[0].text, strict=True)}
        for (x, y), text in shown.items():
            p = one.ranking.matrix[places[int(y)], int(x) - 1]
            assert text in (f"{100 * p:.0f}", "&lt;1", "&gt;99", "100") and p >= 0.005
    assert all(figure.alt and sent(figure) for figure in (drawn, total, ranks))


def test_a_part_of_the_categories_is_said_to_be_one_and_what_is_not_computed_is_not_drawn() -> None:
    one = found(14)
    one = replace(one, intervals={i: ends for i, ends in one.intervals.items() if i != 3})
    drawn = figures.shares(one, [1, 3, 5])
    assert len(drawn.layout.yaxis.ticktext) == 2 and "2 of 14 categories" in drawn.layout.title.text


def test_a_name_that_had_to_be_shortened_is_the_same_in_every_figure() -> None:
    long = [f"Long label number one {mark * 12} and then the same ending of it all" for mark in "AB"]
    law = noise.DiscreteGaussian(25.0)
    one = outcome(NoisyReading((0.5,) * 3, (3.0, 40.0, 9.0), (law,) * 3, Flat()), (*long, "short"))
    shares, ranks = (list(figure.layout.yaxis.ticktext) for figure in (
        figures.shares(one, [0, 1, 2]), figures.ranks(one, [1, 2, 0])))
    assert "(1)" in shares[0] and "(2)" in shares[1]
    assert "(2)" in ranks[0] and "(1)" in ranks[2]
