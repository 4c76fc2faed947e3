"""Samples of the exponential mechanism, from a list and through the mixture: the same exact law.

False-alarm rate of every comparison: 1e-6, see goodness_of_fit.
"""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from dpbi import Problem, partition
from dpbi.partition import draws
from dpbi.posterior.hellinger import distances_to
from tests import large_oracles, oracles
from tests.goodness_of_fit import assert_follows, assert_frequencies, assert_mean
from tests.strategies import Drawn, problems, rates

DRAWS = 10_000


def enumerated(problem: Problem, rate: float) -> dict[tuple[int, ...], float]:
    law = oracles.exponential_pmf(problem.prior, problem.counts, rate).law
    return {released: float(p) for released, p in law.items() if p > 1e-300}


# Against enumeration --------------------------------------------------------------------------------

PROBLEMS = [
    Problem((1, 1), (3, 5)),
    Problem((0.01, 30), (0, 12)),
    Problem((1, 1, 1), (4, 4, 4)),
    Problem((0.5, 2, 1.5), (0, 3, 6)),
    Problem((0.25, 0.25, 0.25, 0.25), (0, 0, 5, 1)),
    Problem((1, 0.1, 700, 1, 1), (1, 0, 2, 1, 1)),
]


@pytest.mark.parametrize("rate", [0.0, 0.7, 6.0, 3000.0])
@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: f"{p.prior} {p.counts}")
def test_both_samplers_follow_the_enumerated_law(problem: Problem, rate: float) -> None:
    """Chi-square of 10,000 draws each; the mixture is asked directly, as small problems are drawn from a list."""
    law = enumerated(problem, rate)
    assert_follows(draws._from_mixture(problem, rate, np.random.default_rng(7), DRAWS), law)
    assert_follows(draws.sample(problem, rate, np.random.default_rng(8), DRAWS), law)


@pytest.mark.parametrize(
    ("prior", "counts"), [((1,) * 10, (2, 0, 1, 0, 0, 3, 0, 0, 2, 1)), ((0.2, 1, 4, 4, 9, 1), (9, 0, 1, 8, 0, 2))]
)
@pytest.mark.parametrize("rate", [2.0, 12.0])
def test_the_mixture_follows_the_law_of_distance_and_steps(
    prior: tuple[float, ...], counts: tuple[int, ...], rate: float
) -> None:
    """Too many candidates for one cell each: cells of 40 quantiles of H by number of steps."""
    problem = Problem(prior, counts)
    losses, moved = large_oracles.all_losses(prior, counts)
    h = large_oracles.distance(losses).astype(float)
    weight = np.exp(-rate * h)
    order = np.argsort(h)
    cumulative = np.cumsum(weight[order]) / weight.sum()
    edges = h[order][np.searchsorted(cumulative, np.arange(1, 40) / 40)] * (1 + 1e-9)

    def cells(distance: np.ndarray, l1: np.ndarray) -> np.ndarray:
        return np.searchsorted(edges, distance) * (sum(counts) + 1) + l1 // 2

    probability = np.bincount(cells(h, moved), weights=weight / weight.sum(), minlength=41 * (sum(counts) + 1))
    drawn = draws._from_mixture(problem, rate, np.random.default_rng(3), DRAWS)
    l1 = np.abs(drawn - np.array(counts)).sum(axis=1)
    observed = np.bincount(cells(distances_to(problem, drawn), l1), minlength=probability.size)
    assert_frequencies(observed, probability)


@given(problems(), rates())
def test_the_list_and_the_mixture_have_one_partition(drawn: Drawn, rate: float) -> None:
    """Short lists are summed instead; a long one is not, and says so."""
    problem = Problem(*drawn)
    listed = draws.listed_log_partition(problem, rate)
    assert listed == pytest.approx(partition.log_partition(problem, rate), rel=1e-12, abs=1e-12)
    assert draws.listed_log_partition(LARGE[0][0], rate) is None


# Beyond enumeration ---------------------------------------------------------------------------------

# Rates near log Z_0, where ignoring the data and following it are both likely, and beyond; draws as many as are quick.
LARGE = [
    (Problem((1,) * 10, (100,) * 10), 46.0, 5000),
    (Problem((0.1,) * 10, (0, 0, 1, 4, 20, 75, 100, 200, 250, 350)), 46.0, 3000),
    (Problem((0.5,) * 300, tuple(7 * i % 23 for i in range(300))), 1025.0, 1000),
    (Problem((1, 1, 1), (10**9, 0, 30)), 41.0, 5000),
    (Problem((1, 1, 1), (4 * 10**8, 5 * 10**8, 10**8)), 2e3, 5000),
]


@pytest.mark.parametrize(
    ("problem", "rate", "size"), LARGE, ids=lambda value: str(getattr(value, "counts", value))[:40]
)
def test_moments_are_those_of_the_partition(problem: Problem, rate: float, size: int) -> None:
    """Means of H and of H^2 over the draws, against exact moments that need no list."""
    drawn = draws._from_mixture(problem, rate, np.random.default_rng(5), size)
    assert drawn.dtype == np.int64 and (drawn >= 0).all() and (drawn.sum(axis=1) == problem.n).all()
    h = distances_to(problem, drawn)
    low, mean, high = (partition.mean_distance(problem, rate * factor) for factor in (1 - 1e-4, 1, 1 + 1e-4))
    assert_mean(h, mean, h.std())
    assert_mean(h * h, mean**2 + (low - high) / (2e-4 * rate), (h * h).std())  # the mean falls by the variance
    # The truth itself is one atom of known mass.
    truth = (drawn == np.array(problem.counts)).all(axis=1)
    p = np.exp(-partition.log_partition(problem, rate))
    if size * min(p, 1 - p) > 50:
        assert_frequencies([truth.sum(), (~truth).sum()], [p, 1 - p])


@pytest.mark.parametrize(
    ("prior", "counts", "rate", "reach"),
    [
        ((1.0, 1.0), (5 * 10**6, 5 * 10**6), 3e3, 41_000),
        ((1.0, 1.0), (5 * 10**6, 5 * 10**6), 200.0, 41_000),
        ((0.5, 0.5), (3, 10**9 - 3), 20.0, 1_000),
        ((1.0, 1.0), (10**9 - 100, 100), 19.0, 1_000),
    ],
)
def test_offsets_along_a_line_of_a_billion(
    prior: tuple[float, float], counts: tuple[int, int], rate: float, reach: int
) -> None:
    """k = 2, n = 1e7 and 1e9: the law of r_1 - c_1 by direct summation, in 60 cells of about equal probability."""
    offsets, losses = large_oracles.line_losses(prior, counts, reach)
    cut = [losses[end] for end in (0, -1) if counts[0] + offsets[end] > 0 and counts[1] - offsets[end] > 0]
    assert all(loss > 40 for loss in cut), "beyond the window BC < 1e-17, so that H = 1"
    weight = np.exp(-rate * large_oracles.distance(losses)).astype(float)
    beyond = (sum(counts) + 1 - offsets.size) * np.exp(-rate)
    edges = np.unique(offsets[np.searchsorted(np.cumsum(weight) / weight.sum(), np.arange(1, 60) / 60)])
    inside = np.bincount(np.searchsorted(edges, offsets, side="left"), weights=weight)
    drawn = draws._from_mixture(Problem(prior, counts), rate, np.random.default_rng(11), DRAWS)
    assert (drawn.sum(axis=1) == sum(counts)).all()
    moved = drawn[:, 0] - counts[0]
    near = moved[np.abs(moved) <= reach]
    observed = np.bincount(np.searchsorted(edges, near, side="left"), minlength=inside.size)
    probability = np.append(inside, beyond) / (weight.sum() + beyond)
    assert_frequencies([*observed, DRAWS - near.size], probability)


def test_both_samplers_agree_where_the_choice_changes() -> None:
    """k = 3 just below and above 200,000 candidates: the mean of H on either side of the switch."""
    for n in (630, 633):
        problem, rate = Problem((1, 1, 1), (n // 3,) * 3), 30.0
        h = distances_to(problem, draws.sample(problem, rate, np.random.default_rng(n), DRAWS))
        assert_mean(h, partition.mean_distance(problem, rate), h.std())


@pytest.mark.parametrize("rate", [1e6, 1e9, 1e15])
def test_an_enormous_rate_draws_the_truth(rate: float) -> None:
    """Warnings are errors here: a weight that underflows on the way would show."""
    for problem in (Problem((1,) * 12, (1,) * 12), Problem((1,) * 3, (10**6,) * 3)):
        drawn = draws._from_mixture(problem, rate, np.random.default_rng(0), 100)
        assert (drawn == np.array(problem.counts)).all()


# Pieces ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [1, 3, 8])
@pytest.mark.parametrize("sd", [2.0, 60.0])
def test_pieces_draw_their_law(sd: float, width: int) -> None:
    """Whole numbers under a Gaussian weight whose peak lies inside a piece; each piece much narrower than sd, or 1."""
    width = width if sd > 30 else 1
    low, high = -round(5 * sd), round(7 * sd)
    edges = np.unique(np.concatenate([np.arange(low, high + 1, width), [high + 1]]))

    def log_weight(x: np.ndarray) -> np.ndarray:
        return -0.5 * ((x - 0.3 * sd) / sd) ** 2 - 800

    drawn = draws._Pieces(edges, log_weight).draw(np.random.default_rng(width), 50_000)
    whole = np.arange(low, high + 1)
    probability = np.exp(log_weight(whole) + 800)
    observed = np.bincount(drawn - low, minlength=whole.size)
    assert observed.size == whole.size
    assert_frequencies(observed, probability / probability.sum())


# What callers rely on -------------------------------------------------------------------------------


@given(st.integers(0, 2**32), st.integers(0, 40))
def test_a_seed_fixes_the_draws(seed: int, size: int) -> None:
    for problem in (PROBLEMS[3], LARGE[0][0]):
        first, again = (draws.sample(problem, 20.0, np.random.default_rng(seed), size) for _ in range(2))
        assert first.shape == (size, problem.k) and first.dtype == np.int64
        assert (first == again).all()


def test_draws_do_not_depend_on_what_was_drawn_before() -> None:
    """Tables are kept between calls; a stream must not notice."""
    problem = LARGE[0][0]
    fresh = draws.sample(problem, 20.0, np.random.default_rng(1), 50)
    draws.sample(problem, 55.0, np.random.default_rng(2), 50)
    assert (fresh == draws.sample(problem, 20.0, np.random.default_rng(1), 50)).all()


BOUNDED = """
import resource
import numpy as np
from dpbi import Problem, partition

problem = Problem((1,) * 50, (100,) * 25 + (300,) * 25)
size_now = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size_now + (128 << 20),) * 2)
partition.log_partition(problem, 300.0)
drawn = partition.sample(problem, 300.0, np.random.default_rng(0), 5_000)
assert drawn.shape == (5_000, 50) and (drawn.sum(axis=1) == 10_000).all()
"""


def test_memory_is_bounded() -> None:
    """k = 50, n = 10,000 (1e133 candidates): log Z and 5,000 draws, themselves 2 MB, with 128 MB to spend in all."""
    child = [sys.executable, "-W", "error", "-c", BOUNDED]
    done = subprocess.run(child, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
