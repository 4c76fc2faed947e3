"""How many candidates there are, and their list, against plain enumeration."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from dpbi.problem.candidates import list_candidates, log_number_of_candidates, number_of_candidates
from tests import oracles
from tests.reference_values import numeric


@pytest.mark.parametrize("entry", numeric("candidate_count_"), ids=lambda entry: entry["id"])
def test_reference(entry: dict[str, Any]) -> None:
    n, k = entry["input"]["n"], entry["input"]["k"]
    expected = float(entry["reference"].split()[0])
    assert number_of_candidates(n, k) == pytest.approx(expected, rel=1e-15)
    assert math.exp(log_number_of_candidates(n, k)) == pytest.approx(expected, rel=1e-12)


@given(st.integers(0, 9), st.integers(1, 5))
def test_the_list_is_all_count_vectors_in_order(n: int, k: int) -> None:
    listed = list_candidates(n, k)
    assert listed.dtype == np.int64 and listed.shape == (number_of_candidates(n, k), k)
    assert list(map(tuple, listed.tolist())) == list(oracles.compositions(n, k))


@pytest.mark.parametrize(("n", "k"), [(0, 1), (7, 1), (0, 2000), (1, 2000), (2, 120), (3, 40), (100_000, 2)])
def test_many_categories_or_records_are_listed(n: int, k: int) -> None:
    """Rows in strictly rising order, as many as there are count vectors, are all of them."""
    listed = list_candidates(n, k)
    assert listed.shape == (number_of_candidates(n, k), k)
    assert (listed >= 0).all() and (listed.sum(axis=1) == n).all()
    rises = np.diff(listed, axis=0)
    first = (rises != 0).argmax(axis=1)
    assert (np.take_along_axis(rises, first[:, None], axis=1) > 0).all()


@given(st.integers(0, 10**6), st.integers(2, 300))
@example(4 * 10**15, 2)  # where log-gammas would cancel
@example(4 * 10**15, 2000)
@example(10**9, 300)
@example(3, 2000)
@example(10**12, 3)
def test_the_logarithm_keeps_its_digits(n: int, k: int) -> None:
    expected = oracles.mp.log(math.comb(n + k - 1, k - 1))
    assert log_number_of_candidates(n, k) == pytest.approx(float(expected), rel=1e-13)


@pytest.mark.parametrize("n", [-1, 2.5, math.nan, math.inf, True, 10**16])
def test_refuses_what_is_no_total(n: Any) -> None:
    for count in (number_of_candidates, log_number_of_candidates):
        with pytest.raises(ValueError, match=rf"\bn\b.*{n}"):
            count(n, 3)
