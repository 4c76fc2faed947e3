"""Counts made to order: exact totals, the rule of largest remainders, and the law of prior predictive draws."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats

from dpbi.data.synthesis import balanced_counts, prior_predictive_counts, proportional_counts, skewed_counts

TOTAL = st.integers(0, 4 * 10**15)


@given(st.lists(st.floats(0, 1e6), min_size=2, max_size=30).filter(any), TOTAL)
def test_proportional_counts_keep_the_quota_rule(proportions: list[float], n: int) -> None:
    counts = proportional_counts(proportions, n)
    total = sum(map(Fraction, proportions))
    quotas = [n * Fraction(p) / total for p in proportions]
    assert sum(counts) == n
    assert all(math.floor(quota) <= count <= math.floor(quota) + 1 for quota, count in zip(quotas, counts, strict=True))
    gained = [quota % 1 for quota, count in zip(quotas, counts, strict=True) if count > quota]
    left = [quota % 1 for quota, count in zip(quotas, counts, strict=True) if count == math.floor(quota)]
    assert not gained or not left or min(gained) >= max(left), "no larger remainder was passed over"


@given(st.lists(st.integers(0, 1000), min_size=2, max_size=8).filter(any))
def test_exact_quotas_are_met(counts: list[int]) -> None:
    assert proportional_counts(counts, sum(counts)) == tuple(counts)


@given(st.integers(2, 200), TOTAL)
def test_balanced_counts(k: int, n: int) -> None:
    counts = balanced_counts(k, n)
    assert (len(counts), sum(counts)) == (k, n)
    assert counts == tuple([n // k + 1] * (n % k) + [n // k] * (k - n % k))


@given(st.integers(2, 200), TOTAL)
def test_skewed_counts(k: int, n: int) -> None:
    counts = skewed_counts(k, n)
    harmonic = sum(Fraction(1, rank) for rank in range(1, k + 1))
    assert (len(counts), sum(counts)) == (k, n)
    assert list(counts) == sorted(counts, reverse=True)
    # 1/rank as a float is off by one part in 2^53, which n <= 4e15 turns into less than a half.
    assert all(abs(count - n / rank / harmonic) < 1.5 for rank, count in enumerate(counts, 1))


def test_examples_by_hand() -> None:
    assert proportional_counts([0.2, 0.3, 0.5], 7) == (1, 2, 4)
    assert proportional_counts([1, 0, 1], 3) == (2, 0, 1)
    assert balanced_counts(3, 10) == (4, 3, 3)
    assert skewed_counts(3, 11) == (6, 3, 2)
    assert proportional_counts([3, 1], 0) == (0, 0)


def test_prior_predictive_counts_follow_the_dirichlet_multinomial() -> None:
    """Chi-square of 4,000 draws against the exact law; fixed seed, a right sampler fails one seed in 1,000."""
    prior, n, draws = (0.5, 1.0, 2.5), 4, 4_000
    rng = np.random.default_rng(20)
    seen: dict[tuple[int, ...], int] = {}
    for _ in range(draws):
        counts = prior_predictive_counts(prior, n, rng)
        seen[counts] = seen.get(counts, 0) + 1
    space = [(a, b, n - a - b) for a in range(n + 1) for b in range(n + 1 - a)]
    expected = [draws * math.exp(stats.dirichlet_multinomial.logpmf(c, prior, n)) for c in space]
    assert set(seen) <= set(space)
    assert stats.chisquare([seen.get(c, 0) for c in space], expected).pvalue > 0.001


@pytest.mark.parametrize("prior", [(1e-9,) * 4, (1e-9, 1e12), (1e12,) * 3, (1.0,) * 2000])
@pytest.mark.parametrize("n", [0, 1, 4 * 10**15])
def test_prior_predictive_counts_at_the_limits(prior: tuple[float, ...], n: int) -> None:
    counts, again = (prior_predictive_counts(prior, n, np.random.default_rng(1)) for _ in range(2))
    assert counts == again
    assert (len(counts), sum(counts)) == (len(prior), n)
    assert all(type(count) is int and count >= 0 for count in counts)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: balanced_counts(1, 5), "k must be at least 2: got 1"),
        (lambda: balanced_counts(10**6, 5), "k is too large"),
        (lambda: balanced_counts(2.5, 5), "k must be a whole number"),  # type: ignore[arg-type]
        (lambda: skewed_counts(3, -1), "n must be at least 0: got -1"),
        (lambda: skewed_counts(3, True), "n must be a number"),
        (lambda: proportional_counts([1], 5), "at least 2"),
        (lambda: proportional_counts([0, 0], 5), "not all be 0"),
        (lambda: proportional_counts([1, -0.5], 5), r"proportions\[1\] must be at least 0: got -0.5"),
        (lambda: proportional_counts([1, math.nan], 5), r"proportions\[1\] must be finite"),
        (lambda: prior_predictive_counts((1, 0), 5, np.random.default_rng(1)), r"prior\[1\]"),
    ],
)
def test_bad_arguments_are_named(call: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()
