"""Neighbouring datasets against their definition."""

from __future__ import annotations

import numpy as np
import oracles
from hypothesis import given
from hypothesis import strategies as st
from strategies import Drawn, datasets, problems

from dpbi.neighbours import neighbours, steps


@given(problems())
def test_neighbours_are_all_single_replacements_once(drawn: Drawn) -> None:
    found = neighbours(drawn.counts)
    assert found.dtype == np.int64
    assert sorted(map(tuple, found.tolist())) == sorted(oracles.neighbours(drawn.counts))


def test_no_records_no_neighbours() -> None:
    assert neighbours((0, 0, 0)).shape == (0, 3)


@given(problems(), st.data())
def test_steps_is_half_the_l1_distance(drawn: Drawn, data: st.DataObject) -> None:
    others = [data.draw(datasets(drawn.n, len(drawn.counts))) for _ in range(3)]
    assert steps(drawn.counts, others).tolist() == [oracles.steps(drawn.counts, other) for other in others]
