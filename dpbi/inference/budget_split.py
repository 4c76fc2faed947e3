"""An epsilon split over several questions that the same people answered, from public things alone."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_FLOOR, Context, Decimal
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from dpbi import limits
from dpbi.inference.prior_average import expected_distance, rough_expected_distance
from dpbi.mechanisms.mechanism import Mechanism, check_mechanism

QUESTIONS_LARGEST = 200
_ROUNDS, _SAME = 4, 0.02  # of the shares: beyond that the sum of the distances moves by less than 1e-4 of itself
_LEAST = 1e-6  # of the largest weight: a question that nobody answered has a share too
_FEW, _NODES = 8, 5  # different tables whose E[H] is exact; numbers of people at which that of more is known
_KINDS_LARGEST = 4  # of questions with more tables than that, where E[H] takes seconds
_DIGITS = Context(prec=4, rounding=ROUND_FLOOR)
_AT_MOST = 0.95  # of the largest mean distance there is: beyond it the distance tells good shares from bad ones no more


@dataclass(frozen=True)
class BudgetSplit:
    """Mechanisms with the shares of an epsilon, one a question. Made by ``split_epsilon``.

    expected: sum of E[H] over the groups of each question, with its share; equal: the sum over all questions, were the
    shares equal; both within a few hundredths where there are more than eight different tables. most: the number of
    groups that have people, the largest that those sums can be.
    """

    mechanisms: tuple[Mechanism, ...]
    expected: tuple[float, ...]
    equal: float
    most: int

    @property
    def is_at_its_maximum(self) -> bool:
        """Whether all distances are about as large as they can be, so that they tell no shares from others."""
        return math.fsum(self.expected) >= _AT_MOST * self.most > 0

    @property
    def is_equal(self) -> bool:
        """Whether no shares were found that are better than equal ones."""
        return math.fsum(self.expected) >= self.equal

    @property
    def epsilons(self) -> tuple[float, ...]:
        """The shares, in four digits but for one: they never add to more than what was split."""
        return tuple(mechanism.epsilon for mechanism in self.mechanisms)


def split_epsilon(
    mechanisms: Mechanism | Sequence[Mechanism], priors: Sequence[ArrayLike], sizes: Sequence[Sequence[int]]
) -> BudgetSplit:
    """epsilon_q proportional to sqrt(a_q), a_q = epsilon_q sum_g E[H_qg] at the share itself.

    Where E[H] = a / epsilon this makes sum_q a_q / epsilon_q least subject to sum_q epsilon_q = epsilon (Cauchy and
    Schwarz); H is at most 1, so that a_q is taken where the share lies, and the two are settled in a few rounds. Of the
    rounds' shares and equal ones those are kept whose sum is least: where a_q grows with the share, as with few people
    beside many, the rule can be worse than equal shares. They are equal too where all H are about 1.
    mechanisms: one, whose epsilon is split, or one a question, of which the sum of their epsilons is; priors: (k_q,)
    one a question; sizes: for each question the numbers of people of its groups: all public, so that the choice tells
    nothing of anybody.
    Returns the BudgetSplit: ``mechanisms``, ``epsilons``, ``expected``, ``equal``, ``most``.
    Raises ValueError for a mechanism with a calibration, which belongs to its epsilon, and for too many different
    questions where E[H] takes seconds.
    Deviation: with more than eight different tables E[H] is drawn, at five numbers of people.
    Source: ours (README, "Many releases"); ``expected_distance``.
    """
    one = isinstance(mechanisms, Mechanism)
    given = limits.each("mechanisms", [mechanisms] if one else mechanisms, "of mechanisms", check_mechanism,
                        QUESTIONS_LARGEST)  # fmt: skip
    if any(mechanism.calibration is not None for mechanism in given):
        raise ValueError("A calibrated mechanism has no epsilon to split: calibrate each question's own.")
    alphas = limits.each("priors", priors, "of priors", limits.check_prior, QUESTIONS_LARGEST)
    numbers = limits.each("sizes", sizes, "of the sizes of groups", lambda of: limits.each(
        "sizes", of, "of numbers of people", limits.check_total), QUESTIONS_LARGEST)  # fmt: skip
    if not alphas or len(alphas) != len(numbers):
        raise ValueError(f"sizes must have one entry for each of the {len(alphas)} priors, one at least: got "
                         f"{len(numbers)}.")
    chosen = given * len(alphas) if one else given
    if len(chosen) != len(alphas):
        raise ValueError(f"mechanisms must be one, or one for each of the {len(alphas)} priors: got {len(chosen)}.")
    # As decimals: three shares of 0.1 are 0.3
    epsilon = float(sum(Decimal(repr(mechanism.epsilon)) for mechanism in given))

    expected = _expectation(chosen, alphas, numbers)
    shares = equal_shares(epsilon, len(alphas))
    found = expected(shares)
    tried = [(shares, found)]
    for _ in range(_ROUNDS if len(alphas) > 1 else 0):
        weights = [math.sqrt(share * distance) for share, distance in zip(shares, found, strict=True)]
        weights = [max(weight, _LEAST * max(weights), 1e-300) for weight in weights]
        of_all, before = math.fsum(weights), shares
        shares = _rounded_down([epsilon * weight / of_all for weight in weights], epsilon)
        found = expected(shares)
        tried.append((shares, found))
        if all(abs(one / other - 1) < _SAME for one, other in zip(shares, before, strict=True)):
            break

    def split(shares: Sequence[float], found: tuple[float, ...]) -> BudgetSplit:
        own = tuple(replace(mechanism, epsilon=share) for mechanism, share in zip(chosen, shares, strict=True))
        return BudgetSplit(own, found, math.fsum(tried[0][1]), sum(n > 0 for of in numbers for n in of))

    best = split(*min(tried, key=lambda one: math.fsum(one[1])))  # the first of equals: equal shares
    return split(*tried[0]) if best.is_at_its_maximum else best


def equal_shares(epsilon: float, number: int) -> list[float]:
    """As equal as four digits are: 1 / 3 is 0.3333, 0.3333 and 0.3334, which add to 1. Source: ours."""
    return _rounded_down([epsilon / number] * number, epsilon)


def _expectation(
    mechanisms: Sequence[Mechanism], alphas: Sequence[tuple[float, ...]], numbers: Sequence[Sequence[int]]
) -> Callable[[Sequence[float]], tuple[float, ...]]:
    """E[H] of each question's groups together at the epsilons given; ValueError where that takes too long."""
    few = len({(alpha, n) for alpha, of in zip(alphas, numbers, strict=True) for n in of}) <= _FEW
    kinds = len({*zip(alphas, map(tuple, map(sorted, numbers)), strict=True)})
    if not few and not all(mechanism.draws_quickly for mechanism in mechanisms) and kinds > _KINDS_LARGEST:
        raise ValueError(f"This mechanism's epsilon is split over at most {_KINDS_LARGEST} questions that differ in "
                         f"prior or sizes: got {kinds}. Take noise, or give the shares yourself.")
    nodes = {alpha: _nodes([n for other, of in zip(alphas, numbers, strict=True) if other == alpha for n in of])
             for alpha in alphas}

    @cache
    def distance(own: Mechanism, alpha: tuple[float, ...], n: int) -> float:
        return expected_distance(own, alpha, n).mean if few else rough_expected_distance(own, alpha, n)

    def of_question(mechanism: Mechanism, epsilon: float, alpha: tuple[float, ...], of: Sequence[int]) -> float:
        own = replace(mechanism, epsilon=epsilon)
        if few or len(nodes[alpha]) < _NODES:
            return math.fsum(of.count(n) * distance(own, alpha, n) for n in sorted(set(of)))
        people = np.log(np.array([n for n in of if n > 0]))
        known = np.log([distance(own, alpha, n) for n in nodes[alpha]])
        return float(np.exp(np.interp(people, np.log(nodes[alpha]), known)).sum())

    def expected(epsilons: Sequence[float]) -> tuple[float, ...]:
        return tuple(of_question(mechanism, epsilon, alpha, of) for mechanism, epsilon, alpha, of
                     in zip(mechanisms, epsilons, alphas, numbers, strict=True))

    return expected


def _nodes(sizes: Sequence[int]) -> list[int]:
    """Numbers of people, in equal ratios, between which log E[H] is interpolated by log n: it bends from 0 to -1/2."""
    people = sorted({n for n in sizes if n > 0})
    if len(people) <= _NODES:
        return people
    return sorted({round(n) for n in np.geomspace(people[0], people[-1], _NODES).tolist()})


def _rounded_down(shares: Sequence[float], epsilon: float) -> list[float]:
    """In four digits, as decimals that do not add to more than epsilon, nor do they as floats; 0.3 / 3 is 0.1. What
    rounding leaves over goes to the largest share that it fits.
    """
    near = [_DIGITS.create_decimal(f"{share:.12g}") for share in shares]
    if sum(near) > Decimal(repr(epsilon)):
        near = [_DIGITS.create_decimal_from_float(share) for share in shares]
    left = Decimal(repr(epsilon)) - sum(near)
    largest = sorted(range(len(near)), key=lambda i: (near[i], i), reverse=True) if left else ()
    for i, more in product(largest, (left, _DIGITS.plus(left))):
        whole = [float(share + more if j == i else share) for j, share in enumerate(near)]
        if math.fsum(whole) <= epsilon:
            return whole
    return [float(share) for share in near]
