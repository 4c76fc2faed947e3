"""Does a sample follow a law? Chi-square with pooled cells, one false-alarm rate for the whole suite.

Every statistical test here has a fixed seed, so it passes or fails for good. The rate says how likely a correct
sampler would be to fail for another seed or another stream: at most 1e-6 a comparison, and by Bonferroni at most
1e-3 for the suite, which makes fewer than 1,000 of them.
"""

from collections.abc import Hashable, Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

FALSE_ALARM = 1e-6  # per comparison
_LEAST_EXPECTED = 10.0  # draws in a cell, for the chi-square approximation of the tail at 1e-6


def assert_follows(drawn: NDArray[np.int64], law: Mapping[tuple[int, ...], float]) -> None:
    """The rows of ``drawn``, (size, k), are a sample of the law {row: probability}, and none is impossible."""
    rows, observed = np.unique(drawn, axis=0, return_counts=True)
    seen: dict[Hashable, int] = dict(zip(map(tuple, rows.tolist()), observed.tolist(), strict=True))
    impossible = [row for row in seen if not law.get(row, 0.0) > 0]  # type: ignore[call-overload]
    assert not impossible, f"drawn although of probability zero: {impossible[:3]}"
    assert_frequencies([seen.get(row, 0) for row in law], list(law.values()))


def assert_frequencies(observed: ArrayLike, probability: ArrayLike) -> None:
    """Frequencies of cells that cover everything, against their probabilities."""
    counted = np.asarray(observed, dtype=np.float64)
    expected = np.asarray(probability, dtype=np.float64) * counted.sum()
    assert abs(expected.sum() / counted.sum() - 1) < 1e-9
    assert_p_value(chi_square_p_value(counted, expected))


def assert_mean(values: NDArray[np.float64], mean: float, sd: float) -> None:
    """The mean of independent values, against their law's mean and standard deviation, by the normal limit."""
    z = (values.mean() - mean) / (sd / np.sqrt(values.size))
    assert_p_value(2 * stats.norm.sf(abs(z)))


def assert_p_value(p: float) -> None:
    """Not so small that a correct sampler would show it once in a million."""
    assert p > FALSE_ALARM, f"p-value {p:.2g}"


def chi_square_p_value(observed: NDArray[np.float64], expected: NDArray[np.float64]) -> float:
    """Cells of few expected draws are pooled, from the rarest up, until every pool is large enough."""
    order = np.argsort(expected, kind="stable")
    starts, filled = [0], 0.0
    for position, cell in enumerate(expected[order]):
        if filled >= _LEAST_EXPECTED:
            starts.append(position)
            filled = 0.0
        filled += cell
    if filled < _LEAST_EXPECTED and len(starts) > 1:
        starts.pop()
    seen, wanted = (np.add.reduceat(column[order], starts) for column in (observed, expected))
    if len(starts) == 1:
        return 1.0
    return float(stats.chi2.sf(((seen - wanted) ** 2 / wanted).sum(), len(starts) - 1))
