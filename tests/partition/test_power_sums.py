"""Z_m = sum over candidates of BC^m: against enumeration, plain convolution, and direct sums along a line of 1e9."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from dpbi import Problem
from dpbi.partition.power_sums import PowerSums, power_sums
from tests import large_oracles, oracles
from tests.strategies import Drawn, problems

powers = st.sampled_from([1.0, 2.5, 16.0]) | st.floats(0, 4).map(lambda exponent: 10.0**exponent)


def excess_by_enumeration(drawn: Drawn, m: float) -> float:
    """log(Z_m - 1) in 50 digits: the sum leaves the truth, whose BC is 1, out."""
    affinities = (
        1 - oracles.posterior_distance(drawn.prior, drawn.counts, r) ** 2
        for r in oracles.compositions(drawn.n, len(drawn.counts))
        if r != drawn.counts
    )
    return float(oracles.mp.log(oracles.mp.fsum(affinity ** oracles.mp.mpf(m) for affinity in affinities)))


@given(problems(), powers)
def test_power_sums_are_enumeration(drawn: Drawn, m: float) -> None:
    """log(Z_m - 1) also where Z_m is 1 to the last digit; second moves are left out below 1e-9 only."""
    excess, sums = excess_by_enumeration(drawn, m), PowerSums(Problem(*drawn))
    assert sums.log_sum(m) == pytest.approx(float(oracles.mp.log1p(oracles.mp.exp(excess))), abs=1e-12)
    tolerance = 1e-12 + 1e-15 * math.exp(-min(excess, 0.0)) if excess > math.log(1e-9) else 2e-9
    assert sums.log_excess(m) == pytest.approx(excess, abs=tolerance)


CONVOLVED = [
    ((1,) * 10, (30,) * 10),
    ((0.1,) * 10, (0, 0, 0, 1, 2, 5, 20, 100, 300, 500)),
    ((0.01, 1.0, 300.0), (0, 5, 2995)),
    ((0.5, 0.5), (0, 3000)),
    ((1000.0, 1e-3, 3.0, 3.0), (1, 700, 0, 99)),
    ((1 / 50,) * 50, tuple(7 * i % 11 for i in range(50))),
    # Flat weights with an edge in sight: summed on coarse lattices, alone and beside what is narrow or wider.
    ((1e9,) * 3, (3000, 0, 4000)),
    ((1e12,) * 40, (120,) * 38 + (0, 40)),
    ((1e12, 1e12, 1.0), (3000, 5000, 3)),
    ((1e12, 1e5, 1e5), (5000, 500, 300)),
    ((1e12, 1.0, 1.0), (5000, 5, 3)),
]


@pytest.mark.parametrize(("prior", "counts"), CONVOLVED, ids=lambda value: f"{len(value)} of {sum(value):g}")
def test_power_sums_are_convolutions(prior: tuple[float, ...], counts: tuple[int, ...]) -> None:
    """Up to 2.9e21 candidates and more; a convolution of positive terms loses no digits."""
    sums = PowerSums(Problem(prior, counts))
    powers = (1, 3, 40, 700.5, 20_000)
    expected = np.log(large_oracles.power_sums(prior, counts, powers))
    assert [sums.log_sum(m) for m in powers] == pytest.approx(expected.tolist(), abs=5e-12)


LINES = [
    ((1.0, 1.0), (5 * 10**7, 5 * 10**7), 145_000),
    ((0.5, 0.5), (10**9, 0), 1_000),
    ((1.0, 3.0), (7, 10**12), 3_000),
    ((1e5, 0.01), (0, 10**6), 30_000),
    ((2.0, 2.0), (400_000, 600_000), 12_000),
    ((1e12, 1e12), (30_000, 70_000), 10**5),
    ((1e9, 1e12), (100_000, 3), 10**5),
]


@pytest.mark.parametrize(("prior", "counts", "reach"), LINES, ids=lambda value: str(value))
def test_power_sums_along_a_line_of_any_length(
    prior: tuple[float, float], counts: tuple[int, int], reach: int
) -> None:
    """All candidates within reach; those beyond have BC^3 < 1e-30 in all."""
    offsets, losses = large_oracles.line_losses(prior, counts, reach)
    sums = PowerSums(Problem(prior, counts))
    cut = [losses[end] for end in (0, -1) if counts[0] + offsets[end] > 0 and counts[1] - offsets[end] > 0]
    for m in (3, 1e3, 1e6, 1e9):
        assert all(m * loss > 70 for loss in cut), "the reach holds everything"
        expected = float(np.log1p(np.exp(-m * losses[offsets != 0]).sum()))
        assert sums.log_sum(m) == pytest.approx(expected, abs=1e-12, rel=1e-12)


@pytest.mark.parametrize(("prior", "counts"), [((1, 1), (3, 5)), ((0.01, 2, 1), (0, 4, 90)), ((1,) * 10, (100,) * 10)])
def test_the_last_power_leaves_the_truth_alone(prior: tuple[float, ...], counts: tuple[int, ...]) -> None:
    """Z_M - 1 < 2^-60 from M = last on, and not much earlier: the moves of one record, summed directly."""
    sums = PowerSums(Problem(prior, counts))
    losses = [large_oracles.category_losses(a, c, max(c - 1, 0), c + 1) for a, c in zip(prior, counts, strict=True)]
    moves = [
        float(losses[i][-1] + losses[j][0])
        for i in range(len(counts))
        for j in range(len(counts))
        if i != j and counts[j] > 0
    ]
    assert sum(math.exp(-sums.last * loss) for loss in moves) < 2.0**-60
    assert sum(math.exp(-0.8 * sums.last * loss) for loss in moves) > 2.0**-60


def test_what_would_need_too_large_a_table_is_refused_at_once() -> None:
    """2,000 different counts under a prior so flat that each of them could take nearly all records."""
    problem = Problem((1e12,) * 2000, tuple(range(2000)))
    with pytest.raises(ValueError, match=r"tables of [\d,]+ numbers .* at most 8,388,608"):
        power_sums(problem).log_sum(1)
