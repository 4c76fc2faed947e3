"""log Z, the mean and atoms of the exponential mechanism against enumeration, and beyond it by direct sums."""

import math
import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from dpbi import Problem, partition
from tests import large_oracles, oracles
from tests.large_oracles import Floats
from tests.strategies import Drawn, problems, rates


@dataclass(frozen=True, eq=False)
class Listed:
    """Candidates of these losses and weights; those at H = 1 may be given by their number alone."""

    losses: Floats
    at_one: float = 0.0

    def quantities(self, rate: float) -> dict[str, float]:
        """Everything ``partition`` answers, by direct sums over the list."""
        h = large_oracles.distance(self.losses).astype(float)
        weight = np.exp(-rate * h)
        beyond = self.at_one * math.exp(-rate)
        # Z - 1 first: the truth is the one candidate at H = 0, and Z may exceed 1 by less than 1e-16.
        excess = weight[h > 0].sum() + beyond
        z = 1 + excess
        mean = (weight @ h + beyond) / z
        return {
            "log_partition": float(np.log1p(excess)),
            "mean": float(mean),
            "ignoring": float(np.exp(np.log(h.size + self.at_one) - rate) / z),
        }


def quantities(problem: Problem, rate: float) -> dict[str, float]:
    return {
        "log_partition": partition.log_partition(problem, rate),
        "mean": partition.mean_distance(problem, rate),
        "ignoring": partition.probability_of_ignoring(problem, rate),
    }


# Against enumeration --------------------------------------------------------------------------------


@example(Drawn((1.0, 0.5), (3, 2)), 0.0)  # the uniform law
@given(problems(), rates() | st.floats(3, 6).map(lambda exponent: 10.0**exponent))
def test_everything_is_enumeration(drawn: Drawn, rate: float) -> None:
    """1e-10 on every number, of sizes up to 1 or log Z."""
    law = oracles.exponential_pmf(drawn.prior, drawn.counts, rate)
    expected = {
        "log_partition": law.log_partition,
        "mean": law.mean,
        "ignoring": len(law.candidates) * oracles.mp.exp(-oracles.mp.mpf(rate) - law.log_partition),
    }
    found = quantities(Problem(*drawn), rate)
    assert found == pytest.approx({name: float(value) for name, value in expected.items()}, rel=1e-10, abs=1e-10)


@given(problems(), st.floats(-3, 2).map(lambda exponent: 10.0**exponent))
def test_small_numbers_keep_their_digits(drawn: Drawn, rate: float) -> None:
    """Relative to itself, each of: the mean, and the probability of ignoring the data."""
    law = oracles.exponential_pmf(drawn.prior, drawn.counts, rate)
    problem = Problem(*drawn)
    assert partition.mean_distance(problem, rate) == pytest.approx(float(law.mean), rel=1e-9)
    ignoring = float(len(law.candidates) * oracles.mp.exp(-oracles.mp.mpf(rate) - law.log_partition))
    assert partition.probability_of_ignoring(problem, rate) == pytest.approx(ignoring, rel=1e-11)


LISTED = [
    ((1,) * 10, (2, 0, 1, 1, 0, 3, 1, 0, 2, 2)),
    ((0.1, 0.7, 2, 0.1, 5, 5), (0, 9, 1, 0, 13, 2)),
    ((0.25,) * 4, (3, 0, 47, 10)),
    ((1, 1, 1), (60, 50, 10)),
]


@pytest.mark.parametrize(("prior", "counts"), LISTED, ids=str)
def test_longer_lists(prior: tuple[float, ...], counts: tuple[int, ...]) -> None:
    """Up to 300,000 candidates, listed by pairs."""
    losses, _ = large_oracles.all_losses(prior, counts)
    assert losses.size == math.comb(sum(counts) + len(counts) - 1, len(counts) - 1)
    for rate in (0.3, 60.0, 900.0):
        expected = Listed(losses).quantities(rate)
        found = quantities(Problem(prior, counts), rate)
        assert found == pytest.approx(expected, rel=1e-10, abs=1e-10)


# Beyond enumeration ---------------------------------------------------------------------------------

LINES = [
    ((1.0, 1.0), (500_000, 500_000), 13_000),
    ((0.5, 2.0), (40, 10**6 - 40), 2_000),
    ((1.0, 1.0), (5 * 10**7, 5 * 10**7), 130_000),
    ((0.5, 0.5), (3, 10**9 - 3), 1_000),
    ((1000.0, 0.01), (10**12, 0), 1_000),
]


@pytest.mark.parametrize(("prior", "counts", "reach"), LINES, ids=lambda value: str(value))
def test_a_line_of_any_length(prior: tuple[float, float], counts: tuple[int, int], reach: int) -> None:
    """k = 2, n to 1e12: candidates within reach one by one; beyond it BC < 1e-17, so that H = 1 to the last digit.

    Rates from where nearly all candidates matter to past EHDS at n = 1e9 (1e4) and EHDL at epsilon = 20 (6e5).
    """
    offsets, losses = large_oracles.line_losses(prior, counts, reach)
    cut = [losses[end] for end in (0, -1) if counts[0] + offsets[end] > 0 and counts[1] - offsets[end] > 0]
    assert all(loss > 40 for loss in cut)
    listed = Listed(losses, at_one=sum(counts) + 1 - losses.size)
    for rate in (1.0, 20.0, 1e4, 6e5):
        found = quantities(Problem(prior, counts), rate)
        assert found == pytest.approx(listed.quantities(rate), rel=1e-10, abs=1e-10)


@pytest.mark.parametrize(
    ("prior", "counts"), [((1,) * 10, (4,) * 10), ((0.2,) * 12, (0, 1, 0, 0, 5, 2, 9, 1, 0, 0, 1, 3))]
)
def test_far_beyond_a_list(prior: tuple[float, ...], counts: tuple[int, ...]) -> None:
    """k = 10 and 12, 1e9 candidates and more: all Z_m that are not yet 1, by plain convolution, mixed in 50 digits.

    The mean is a central difference of log Z, in which 50 digits leave nothing to cancel.
    """
    problem = Problem(prior, counts)
    power_sums = large_oracles.power_sums(prior, counts, range(1500))
    assert power_sums[-1] - 1 < 1e-14
    step = oracles.mp.mpf("1e-9")
    for rate in (0.5, 20.0, 200.0):
        low, middle, high = (
            large_oracles.log_partition(oracles.mp.mpf(rate) + shift, power_sums) for shift in (-step, 0, step)
        )
        mean = float((low - high) / (2 * step))
        assert partition.log_partition(problem, rate) == pytest.approx(float(middle), rel=1e-10, abs=1e-12)
        assert partition.mean_distance(problem, rate) == pytest.approx(mean, rel=1e-9)


@pytest.mark.parametrize("rate", [20.0, 2548.3, 2e5])
@pytest.mark.parametrize(("k", "n"), [(2, 10**9), (10, 1000), (300, 10**6)])
def test_mean_is_minus_the_slope_of_log_partition(k: int, n: int, rate: float) -> None:
    """Where nothing can be listed the two still belong together, by Simpson's rule over a narrow range of rates."""
    problem = Problem((1,) * k, (n // k,) * (k - 1) + (n - n // k * (k - 1),))
    grid = np.linspace(rate, rate * 1.0001, 5)
    means = [partition.mean_distance(problem, x) for x in grid]
    fallen = partition.log_partition(problem, grid[0]) - partition.log_partition(problem, grid[-1])
    simpson = (grid[1] - grid[0]) / 3 * (np.array([1, 4, 2, 4, 1]) @ means)
    assert fallen == pytest.approx(simpson, rel=1e-6, abs=1e-12)


# Limits ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rate", [1e7, 1e10, 1e15])
@pytest.mark.parametrize("size", [(2, 10), (12, 60), (2, 10**9)])
def test_an_enormous_rate_leaves_the_truth_alone(rate: float, size: tuple[int, int]) -> None:
    """Warnings are errors here, so an overflow on the way would show."""
    k, n = size
    problem = Problem((1,) * k, (n // k,) * k)
    assert 0 <= partition.log_partition(problem, rate) < 1e-12
    assert 0 <= partition.mean_distance(problem, rate) < 1e-12
    assert partition.probability_of_ignoring(problem, rate) == 0


@pytest.mark.parametrize(
    "function",
    [
        partition.log_partition,
        partition.mean_distance,
        partition.probability_of_ignoring,
        lambda problem, rate: partition.sample(problem, rate, np.random.default_rng(0), 1),
    ],
)
@pytest.mark.parametrize("rate", [-1.0, math.nan, math.inf, "one", None, True, 1e300])
def test_refuses_what_is_no_rate(function: Any, rate: Any) -> None:
    function(Problem((1, 1), (3, 5)), 1.0)  # True == 1.0: an answer at hand must not let it pass
    with pytest.raises(ValueError, match=rf"rate .*{re.escape(str(rate))}"):
        function(Problem((1, 1), (3, 5)), rate)


@pytest.mark.parametrize("k", [2, 20, 21, 2000])
def test_without_records_all_is_certain_for_any_number_of_categories(k: int) -> None:
    problem = Problem((0.5,) * k, (0,) * k)
    for rate in (0.0, 1.0, 1e15):
        assert partition.log_partition(problem, rate) == partition.mean_distance(problem, rate) == 0
        assert partition.sample(problem, rate, np.random.default_rng(1), 3).tolist() == [[0] * k] * 3
