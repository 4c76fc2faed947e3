"""The tool of the statistical tests must be able to fail, and keep to its false-alarm rate."""

import numpy as np
import pytest

from tests import goodness_of_fit
from tests.goodness_of_fit import assert_follows, assert_frequencies, assert_mean

LAW: dict[tuple[int, ...], float] = {(0,): 0.5, (1,): 0.3, (2,): 0.1999, (3,): 0.0001}


def draw(law: dict[tuple[int, ...], float], size: int, seed: int = 3) -> np.ndarray:
    rows, weights = np.array(list(law)), list(law.values())
    return rows[np.random.default_rng(seed).choice(len(rows), size, p=weights)]


def test_a_sample_of_the_law_passes_and_of_no_other() -> None:
    """Two per cent moved from one cell to another, a draw of probability zero, cells that miss some are noticed."""
    assert_follows(draw(LAW, 20_000), LAW)
    for drawn, said in ((draw(LAW | {(0,): 0.48, (1,): 0.32}, 20_000), "p-value"), (np.array([[0], [7]]), "zero")):
        with pytest.raises(AssertionError, match=said):
            assert_follows(drawn, LAW)
    with pytest.raises(AssertionError):
        assert_frequencies([50, 50], [0.5, 0.4])


def test_a_shifted_mean_is_noticed() -> None:
    values = np.random.default_rng(1).normal(size=10_000)
    assert_mean(values, 0.0, 1.0)
    with pytest.raises(AssertionError, match="p-value"):
        assert_mean(values, 0.06, 1.0)


def test_p_values_are_uniform() -> None:
    """400 samples of the law: the 10 % and 90 % points of their p-values lie where they should, within 4 deviations."""
    rows = np.array([np.bincount(draw(LAW, 2_000, seed)[:, 0], minlength=4) for seed in range(400)])
    expected = np.array(list(LAW.values())) * 2_000
    p = np.array([goodness_of_fit.chi_square_p_value(row, expected) for row in rows])
    for level in (0.1, 0.9):
        assert abs((p < level).mean() - level) < 4 * np.sqrt(0.09 / 400)
