"""Neighbouring datasets against their definition."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from dpbi.problem.neighbours import neighbours, steps
from tests import oracles
from tests.strategies import Drawn, datasets, problems


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


def test_a_list_that_would_fill_the_memory_is_refused() -> None:
    assert neighbours((1,) + (0,) * 1999).shape == (1999, 2000)
    with pytest.raises(ValueError, match=r"too many neighbours.*50,000,000.*999,000 neighbours of 1,000 categories\.$"):
        neighbours((5,) * 1000)


def test_steps_of_large_counts_do_not_wrap() -> None:
    most = 4 * 10**15
    assert steps((most,) * 2000, (0,) * 2000) == 1000 * most
    assert steps(np.array([200, 100], dtype=np.uint8), (100, 200)) == 100


@pytest.mark.parametrize(
    ("counts", "other", "says"),
    [
        ((1.5, 2), (1, 2), r"counts must be whole numbers: got 1\.5"),
        ((1, 2), (1, 2.25), r"other must be whole numbers: got 2\.25"),
        ((1, 2), (np.inf, 2), "other must be whole numbers: got inf"),
        ((1, 2), (np.nan, 2), "other must be whole numbers: got nan"),
        ((None, 2), (1, 2), "counts must be numbers.*None"),
        (("1", "2"), (1, 2), "counts must be numbers.*'1'"),
        ((True, False), (1, 2), "counts must be numbers.*True"),
        ((1, 2), {1, 2}, "other must be numbers.*{1, 2}"),
        ((1, 2), (2**63, 2), "other are too large: at most 4,503,599,627,370,496"),
        ((1, 2), (10**400, 2), "other are too large"),
        ((1, 2), (-1, 2), "other cannot be negative.*-1"),
        ((1, 2), 3, r"other must have.*got shape \(\)"),
        ((1, 2), (3,), "other must have 2 to 2,000 categories: got 1"),
        ((1, 2), (1, 2, 3), r"counts and other must have the same categories.*\(2,\) and \(3,\)"),
        (((1, 2),) * 3, ((1, 2),) * 2, r"counts and other must have.*\(3, 2\) and \(2, 2\)"),
        ((1, 2), ((1, 2), (1,)), "other must be an array whose rows have one length"),
    ],
)
def test_steps_refuse_in_a_sentence(counts: Any, other: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says) as refused:
        steps(counts, other)
    assert str(refused.value).endswith(".")
