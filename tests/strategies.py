"""Hypothesis strategies: problems small enough for brute force, with the values where formulas break."""

from itertools import pairwise
from typing import NamedTuple

from hypothesis import strategies as st

# At most about 130 candidates: the oracles walk candidates x neighbours.
LARGEST_N = {2: 14, 3: 7, 4: 5, 5: 4}


class Drawn(NamedTuple):
    """A prior and counts of the same length; n = sum(counts) >= 1."""

    prior: tuple[float, ...]
    counts: tuple[int, ...]

    @property
    def n(self) -> int:
        return sum(self.counts)


def alphas() -> st.SearchStrategy[float]:
    """One prior parameter, 0.01 to 1000: Jeffreys, Perks, uniform, the ends; else even in the logarithm."""
    named = st.sampled_from([0.01, 0.2, 0.25, 1 / 3, 0.5, 1.0, 2.0, 1000.0])
    return named | st.floats(-2, 3).map(lambda exponent: 10.0**exponent)


def priors(k: int) -> st.SearchStrategy[tuple[float, ...]]:
    """k parameters, all equal in about half the draws: ties among neighbours are the rule in practice."""
    return alphas().map(lambda alpha: (alpha,) * k) | st.tuples(*[alphas()] * k)


@st.composite
def problems(draw: st.DrawFn, smallest_k: int = 2, largest_k: int = 5) -> Drawn:
    """k categories, 1 <= n <= LARGEST_N[k]; n records dealt to the categories, so zeros are common."""
    k = draw(st.integers(smallest_k, largest_k))
    records = draw(st.lists(st.integers(0, k - 1), min_size=1, max_size=LARGEST_N[k]))
    return Drawn(draw(priors(k)), tuple(records.count(category) for category in range(k)))


def datasets(n: int, k: int) -> st.SearchStrategy[tuple[int, ...]]:
    """Count vectors of k categories with total n (stars and bars: k - 1 bars among n + k - 1 places)."""

    def from_bars(bars: list[int]) -> tuple[int, ...]:
        edges = [-1, *sorted(bars), n + k - 1]
        return tuple(right - left - 1 for left, right in pairwise(edges))

    places = st.integers(0, n + k - 2)
    return st.lists(places, min_size=k - 1, max_size=k - 1, unique=True).map(from_bars)


def epsilons() -> st.SearchStrategy[float]:
    """0.01 to 20, the range of the screen, even in the logarithm; 1 and the ends often."""
    return st.sampled_from([0.01, 1.0, 20.0]) | st.floats(-2, 1.3).map(lambda exponent: 10.0**exponent)


def gammas() -> st.SearchStrategy[float]:
    """Smoothing rates from 0 to 1000, reciprocal (gamma) and exponential (beta) alike."""
    return st.sampled_from([0.0, 0.02, 1.0, 1000.0]) | st.floats(-4, 3).map(lambda exponent: 10.0**exponent)


def deltas() -> st.SearchStrategy[float]:
    """Inside (0, 1), from 1e-12, even in the logarithm."""
    return st.floats(-12, -0.01).map(lambda exponent: 10.0**exponent)


def rates() -> st.SearchStrategy[float]:
    """Rates of the exponential mechanism: 0 is the uniform law, 2000 is past the underflow of exp(-rate)."""
    return st.sampled_from([0.0, 1.0, 60.0, 2000.0]) | st.floats(-3, 3).map(lambda exponent: 10.0**exponent)
