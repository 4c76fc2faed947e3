"""Counts made to order: k categories, exactly n records, and a shape."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from dpbi import limits


def proportional_counts(proportions: Iterable[float], n: int) -> tuple[int, ...]:
    """Counts in given proportions p by largest remainders: with quotas q_i = n p_i / sum p, c_i = floor(q_i), and
    the n - sum_i floor(q_i) records left over go, one each, to the largest q_i - floor(q_i) (ties: first come).

    proportions: k >= 2 finite numbers >= 0, not all 0; they need not sum to 1. n: the total, a whole number >= 0.
    Returns k ints >= 0 that sum to n, each within 1 of its quota; a proportion of 0 gets 0.
    Raises ValueError naming the argument, the limit and the value received.
    Source: Hamilton's method of apportionment (Balinski and Young 1982). The quotas are exact fractions of the
    floats given: in floating point the total would be lost beyond 2^53.
    """
    listed = limits.sequence("proportions", proportions, "of numbers", limits.CATEGORIES_LARGEST, "categories")
    shares = [_share(f"proportions[{i}]", value) for i, value in enumerate(listed)]
    _check_categories(len(shares))
    n = limits.check_total(n)
    if not any(shares):
        raise ValueError(f"proportions must not all be 0: got {len(shares)} zeros.")
    return apportioned(shares, n)


def apportioned(shares: Sequence[Fraction | int], n: int) -> tuple[int, ...]:
    """The counts of ``proportional_counts`` for exact proportions >= 0, not all 0, of any number of categories."""
    total = sum(shares)
    quotas = [Fraction(n * share) / total for share in shares]
    counts = [int(quota) for quota in quotas]
    by_remainder = sorted(range(len(quotas)), key=lambda i: counts[i] - quotas[i])
    for i in by_remainder[: n - sum(counts)]:
        counts[i] += 1
    return tuple(counts)


def balanced_counts(k: int, n: int) -> tuple[int, ...]:
    """Counts as equal as they can be: n // k each and one more for the first n mod k categories.

    k: categories, at least 2; n: the total, a whole number >= 0. Returns k ints that sum to n.
    Raises ValueError as `proportional_counts`, of which it is the case of equal proportions. Source: ours.
    """
    return proportional_counts([1] * _check_categories(k), n)


def skewed_counts(k: int, n: int) -> tuple[int, ...]:
    """Counts that fall as 1, 1/2, 1/3, …, 1/k (Zipf's law): a long tail that is not empty once n is large.

    k: categories, at least 2; n: the total, a whole number >= 0. Returns k ints that sum to n and do not increase.
    Raises ValueError as `proportional_counts`. Source: ours.
    """
    return proportional_counts([1 / rank for rank in range(1, _check_categories(k) + 1)], n)


def prior_predictive_counts(prior: Iterable[float], n: int, rng: np.random.Generator) -> tuple[int, ...]:
    """One draw of the counts that the prior expects: theta ~ Dir(prior), then c ~ Multinomial(n, theta), which is
    the Dirichlet-multinomial law of n records before any is seen.

    prior: k numbers > 0; n: the total, a whole number >= 0; rng: the source of randomness.
    Returns k ints that sum to n. Raises ValueError naming the argument, the limit and the value received.
    Source: [P17] section 2, the model itself.
    """
    alpha = limits.check_prior(prior)
    theta = limits.check_generator(rng).dirichlet(alpha)
    drawn = rng.multinomial(limits.check_total(n), theta / theta.sum())
    return tuple(int(count) for count in drawn)


def _check_categories(k: Any) -> int:
    return limits.whole_number("k", k, limits.CATEGORIES_LEAST, limits.CATEGORIES_LARGEST)


def _share(name: str, value: Any) -> Fraction:
    number = limits.finite_number(name, value)
    if number < 0:
        raise ValueError(f"{name} must be at least 0: got {limits.shown(value)}.")
    return Fraction(number)
