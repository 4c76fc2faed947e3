"""The secure draw of a candidate beyond a list: its proposals and its law against enumeration, and its refusals."""

import math
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dpbi import MECHANISMS, Problem, hellinger, partition, release
from dpbi.mechanisms.fair_bits import Bits
from dpbi.mechanisms.selection import secure_draw as secure
from tests import oracles
from tests.every_mechanism import Kind, has_rate
from tests.goodness_of_fit import assert_follows, assert_mean
from tests.mechanisms.test_fair_bits import types_met

every_selection = pytest.mark.parametrize("kind", [kind for kind in MECHANISMS if has_rate(kind)])
DRAWS = 1_000


def proposal_of(problem: Problem, rate: float) -> tuple[Callable[[Bits], Any], float]:
    if problem.k == 2:
        return secure._Staircase(problem, rate).propose, secure._MARGIN
    return secure._uniform(problem.n, problem.k), 0.0


CASES = [
    (Problem((1, 1, 1), (3, 0, 2)), 2.5),
    (Problem((0.3, 2, 1, 0.5), (0, 1, 2, 1)), 1.0),
    (Problem((1, 1), (5, 9)), 12.0),
    (Problem((0.2, 3), (0, 17)), 40.0),
    (Problem((1, 1), (8, 0)), 0.0),
]


@pytest.mark.parametrize(("problem", "rate"), CASES, ids=str)
def test_draws_follow_the_law_of_every_candidate(problem: Problem, rate: float) -> None:
    """1,000 draws, fixed bits, false-alarm rate 1e-6 a case (goodness_of_fit); the next test has the weights."""
    bits, (propose, margin) = random.Random(7).getrandbits, proposal_of(problem, rate)
    drawn = np.array([secure._by_rejection(problem, rate, propose, margin, 10_000, bits) for _ in range(DRAWS)])
    law = oracles.exponential_pmf(problem.prior, problem.counts, rate).law
    assert_follows(drawn, {r: float(p) for r, p in law.items()})


@pytest.mark.parametrize(("problem", "rate"), CASES, ids=str)
def test_each_weight_is_within_a_quarter_of_what_the_guarantee_counts(problem: Problem, rate: float) -> None:
    """q(r) e^{-x} of every candidate, x the fixed-point number of its trial, against exp(-rate H) to 50 digits."""
    true = oracles.exponential_pmf(problem.prior, problem.counts, rate).law
    levels = dict.fromkeys(true, 0)
    if problem.k == 2:
        for start, width, level in secure._Staircase(problem, rate).steps:
            levels.update({(first, problem.n - first): level for first in range(start, start + width)})
    proposed = [(r, levels[r]) for r in true]
    x = secure._fixed_points(problem, rate, proposed, proposal_of(problem, rate)[1])
    eta = rate * secure._LOG_WEIGHT_ERROR + secure._FIXED_POINT_ERROR
    with oracles.mp.workdps(50):
        logs = {r: -oracles.mp.mpf(point) / 2**secure._POINT - t * oracles.mp.log(2) - oracles.mp.log(true[r])
                for (r, t), point in zip(proposed, x, strict=True)}
        at_truth = logs[problem.counts]
        assert min(x) >= 0
        assert max(abs(value - at_truth) for value in logs.values()) < 2 * eta


@pytest.mark.parametrize("counts", [(5, 9), (0, 14), (14, 0), (1, 0)], ids=str)
@pytest.mark.parametrize("rate", [0.0, 3.0, 500.0])
def test_the_staircase_covers_every_candidate_once(counts: tuple[int, int], rate: float) -> None:
    problem = Problem((1, 0.5), counts)
    steps = secure._Staircase(problem, rate).steps
    covered = [first for start, width, _ in steps for first in range(start, start + width)]
    assert sorted(covered) == list(range(problem.n + 1))


@pytest.mark.parametrize("n", [3_000_000, 10**9, 4 * 10**15])
def test_few_trials_suffice_where_there_are_two_categories(n: int) -> None:
    """20 draws of at most 4 expected trials each, at rates up to the largest; each costs one proposal or more."""
    bits = random.Random(2).getrandbits
    for rate in (1.0, 1e3, 1e8):
        problem = Problem((1, 1), (n // 3, n - n // 3))
        staircase, asked = secure._Staircase(problem, rate), 0

        def propose(bits: Bits, staircase: Any = staircase) -> Any:
            nonlocal asked
            asked += 1
            return staircase.propose(bits)

        for _ in range(20):
            r = secure._by_rejection(problem, rate, propose, secure._MARGIN, 1_000, bits)
            assert sum(r) == n
        assert asked < 20 * 2 * 4  # a batch is at most as long as all before it, and one


def test_a_large_space_has_the_mean_distance_it_should() -> None:
    """Twenty-four categories, against E[H] from the mixture sums; false-alarm rate 1e-6."""
    problem = Problem((1,) * 24, (9, 4, *([0] * 22)))
    rate = 3.0
    bits = random.Random(3).getrandbits
    drawn = np.array([secure.draw_securely(problem, rate, bits) for _ in range(400)])
    assert (drawn.sum(axis=1) == 13).all()
    h = hellinger(np.add(problem.prior, problem.counts), np.add(problem.prior, drawn))
    assert_mean(h, partition.mean_distance(problem, rate), h.std())


def test_nothing_but_whole_numbers_meets_the_bits() -> None:
    """Every local variable of the functions that draw, traced: the float arithmetic ends with the fixed point."""
    bits = random.Random(3).getrandbits

    def draw() -> None:
        for problem, rate in CASES:
            propose, margin = proposal_of(problem, rate)
            for _ in range(20):
                secure._by_rejection(problem, rate, propose, margin, 10_000, bits)

    seen = types_met(draw, also="propose")
    allowed = {"int", "bool", "builtin_function_or_method", "NoneType", "_Staircase", "tuple", "range_iterator"}
    assert {"int", "bool"} <= seen <= allowed, seen


# Refusals ---------------------------------------------------------------------------------------------


@every_selection
def test_where_a_draw_is_refused_depends_on_public_things_only(kind: Kind) -> None:
    """Two datasets of one size, one with the largest rate and one with the least: both refused, or neither."""
    answers = set()
    for counts in ((90_000, 0, 0), (30_000, 30_000, 30_000)):
        try:
            release(kind(1.0), Problem((1, 1, 1), counts))
            answers.add("released")
        except ValueError as refusal:
            assert "adds noise to counts" in str(refusal) and "30,000" not in str(refusal)
            answers.add(str(refusal))
    assert len(answers) == 1


@every_selection
def test_no_rate_exceeds_the_public_bound(kind: Kind) -> None:
    for prior, n in (((1.0, 1.0), 9), ((0.2, 3.0, 1.0), 6), ((1.0,) * 4, 2)):
        datasets = np.array(list(oracles.compositions(n, len(prior))))
        mechanism: Any = kind(1.3)
        largest = mechanism._rates(prior, datasets).max()
        assert largest <= 1.3 / (2 * mechanism._least_sensitivity(prior, n)) * (1 + 1e-12)


def test_a_rate_that_takes_too_many_trials_is_refused() -> None:
    assert secure.rounding_of_secure_draw(10**5, 10, 12.0) < 1e-9
    with pytest.raises(ValueError, match=r"may be 12\.2 at most.* can lead to 12\.4"):
        secure.rounding_of_secure_draw(10**5, 10, 12.4)
    few = math.comb(2 + 99, 99)  # candidates: trials never exceed their number
    assert few < 2e6 / 100 and secure.rounding_of_secure_draw(2, 100, 1e6) > 0
    assert secure.rounding_of_secure_draw(10**9, 2, 1e7) < 1e-3
