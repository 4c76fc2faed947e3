"""The secure samplers: their laws by walking every string of bits, by large samples, and no float on the way."""

import ast
import contextlib
import inspect
import random
import sys
import textwrap
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from types import FrameType
from typing import Any

import numpy as np
import pytest

from dpbi import MECHANISMS, Problem
from dpbi.mechanisms import Mechanism, fair_bits
from dpbi.mechanisms.fair_bits import (
    WEIGHT_ERROR,
    Bits,
    WholeWeights,
    bernoulli_exp,
    bernoulli_exp_of_any,
    checked,
    floored_laplace,
    geometric,
    two_sided_geometric,
    uniform_below,
    uniform_composition,
)
from dpbi.mechanisms.noise.steps import StepsNoise
from tests import oracles
from tests.goodness_of_fit import assert_follows
from tests.oracles import mp

DRAWS = 50_000


class _More(Exception):
    def __init__(self, count: int) -> None:
        self.count = count


def law_by_bits(sampler: Callable[[Bits], Any], rarest: Fraction) -> tuple[dict[Any, Fraction], Fraction]:
    """Every string of bits down to probability ``rarest``: what it leads to, and the probability left undecided."""
    law: dict[Any, Fraction] = {}
    undecided = Fraction(0)
    waiting: list[tuple[tuple[int, ...], Fraction]] = [((), Fraction(1))]
    while waiting:
        answers, probability = waiting.pop()
        given = iter(answers)

        def bits(count: int, given: Any = given) -> int:
            for answer in given:
                return int(answer)
            raise _More(count)

        try:
            value = sampler(bits)
            law[value] = law.get(value, Fraction(0)) + probability
        except _More as more:
            each = probability / 2**more.count
            if each < rarest:
                undecided += probability
            else:
                waiting += [((*answers, answer), each) for answer in range(2**more.count)]
    return law, undecided


def laplace_pmf(d: int, decay: Fraction) -> Any:
    scale = mp.mpf(decay.denominator) / decay.numerator
    return oracles.laplace_cdf(d + 1, scale) - oracles.laplace_cdf(d, scale)


def geometric_pmf(d: int, decay: Fraction) -> Any:
    p = mp.exp(-mp.mpf(decay.numerator) / decay.denominator)
    return (1 - p) / (1 + p) * p ** abs(d)


def compositions_of(size: tuple[int, int], bits: Bits) -> tuple[int, ...]:
    drawn = uniform_composition(*size, bits)
    assert sum(drawn) == size[0] and len(drawn) == size[1] and min(drawn) >= 0
    return drawn


LAWS = [
    (uniform_below, 6, lambda x, bound: mp.mpf(1) / bound),
    (uniform_below, 1, lambda x, bound: mp.mpf(1)),
    (compositions_of, (3, 3), lambda x, size: mp.mpf(1) / 10),
    (compositions_of, (0, 4), lambda x, size: mp.mpf(1)),
    (compositions_of, (4, 1), lambda x, size: mp.mpf(1)),
    (geometric, Fraction(1, 2), lambda x, decay: (1 - mp.exp(-mp.mpf(1) / 2)) * mp.exp(-mp.mpf(x) / 2)),
    (floored_laplace, Fraction(1), laplace_pmf),
    (floored_laplace, Fraction(3, 2), laplace_pmf),
    (two_sided_geometric, Fraction(1), geometric_pmf),
    (two_sided_geometric, Fraction(3), geometric_pmf),
]


def assert_accounted_for(sampler: Callable[[Bits], Any], depth: int, most: Fraction, pmf: Callable[[Any], Any]) -> None:
    """What all strings of bits lead to, in fractions: the true law lies between it and it plus what is undecided."""
    law, undecided = law_by_bits(sampler, Fraction(1, 2**depth))
    assert sum(law.values()) + undecided == 1 and undecided < most
    slack, almost = mp.mpf(undecided.numerator) / undecided.denominator + mp.mpf("1e-40"), 1 + mp.mpf("1e-40")
    for value, probability in law.items():
        low = mp.mpf(probability.numerator) / probability.denominator
        assert low <= pmf(value) * almost and pmf(value) <= low + slack, value


@pytest.mark.parametrize(("sampler", "parameter", "pmf"), LAWS, ids=lambda x: getattr(x, "__name__", str(x)))
def test_every_bit_is_accounted_for(sampler: Any, parameter: Any, pmf: Any) -> None:
    assert_accounted_for(lambda bits: sampler(parameter, bits), 17, Fraction(1, 5), lambda x: pmf(x, parameter))


@pytest.mark.parametrize(
    ("trial", "x"),
    [(bernoulli_exp, Fraction(0)), (bernoulli_exp, Fraction(1, 3)), (bernoulli_exp, Fraction(1)),
     (bernoulli_exp_of_any, Fraction(0)), (bernoulli_exp_of_any, Fraction(1, 2)), (bernoulli_exp_of_any, Fraction(1)),
     (bernoulli_exp_of_any, Fraction(3, 2)), (bernoulli_exp_of_any, Fraction(3))],
)
def test_trials_of_an_exponential(trial: Any, x: Fraction) -> None:
    true = mp.exp(-mp.mpf(x.numerator) / x.denominator)
    assert_accounted_for(lambda bits: trial(x.numerator, x.denominator, bits), 18, Fraction(1, 20),
                         lambda yes: true if yes else 1 - true)


@pytest.mark.parametrize(
    ("sampler", "pmf", "decay"),
    [(floored_laplace, laplace_pmf, Fraction(0.7) / 2), (two_sided_geometric, geometric_pmf, Fraction(1.3)),
     (two_sided_geometric, geometric_pmf, Fraction(0.1) / 2)],
    ids=["floored Laplace, 0.35", "geometric, 1.3", "geometric, 0.05"],
)
def test_large_samples_follow_the_law(sampler: Any, pmf: Any, decay: Fraction) -> None:
    """50,000 draws, fixed bits, decays as floats give them; false-alarm rate 1e-6 a case: goodness_of_fit."""
    bits = random.Random(20261128).getrandbits
    drawn = Counter(sampler(decay, bits) for _ in range(DRAWS))
    reach = max(map(abs, drawn)) + 1
    law: dict[tuple[int, ...], float] = {(d,): float(pmf(d, decay)) for d in range(-reach, reach + 1)}
    law[reach + 1,] = 1 - sum(law.values())  # everything beyond what was drawn
    values = np.repeat(list(drawn), list(drawn.values()))
    assert_follows(values[:, None].astype(np.int64), law)


def test_large_decays_and_tiny_ones() -> None:
    """At the ends of epsilon's range a draw still ends, with the noise it should have."""
    bits = random.Random(1).getrandbits
    assert {floored_laplace(Fraction(1e6), bits) for _ in range(50)} == {0, -1}
    assert {two_sided_geometric(Fraction(1e6), bits) for _ in range(50)} == {0}
    wide = [abs(two_sided_geometric(Fraction(1e-9) / 2, bits)) for _ in range(400)]
    assert 1e9 < sum(wide) / 400 < 4e9  # mean 2e9, standard deviation of the mean 1e8: 1e-6 is 5 of them


# No float ---------------------------------------------------------------------------------------------

EXACT = (uniform_below, bernoulli_exp, bernoulli_exp_of_any, uniform_composition, geometric, floored_laplace,
         two_sided_geometric, StepsNoise.draw_exactly)


def types_met(draw: Callable[[], None], also: str = "") -> set[str]:
    """Of every local variable and returned value, and their parts, in ``fair_bits`` and in functions of one name."""
    files, seen = {inspect.getsourcefile(fair_bits)}, set[str]()

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        if frame.f_code.co_filename not in files and frame.f_code.co_name != also:
            return None
        for value in [*frame.f_locals.values(), *([argument] if event == "return" else [])]:
            parts = value if isinstance(value, tuple | list | set) else [value]
            seen.update(type(part).__name__ for part in parts)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        draw()
    finally:
        sys.settrace(before)
    return seen


def test_the_path_of_the_noise_meets_no_float() -> None:
    bits = random.Random(3).getrandbits

    def draw() -> None:
        for decay in (Fraction(0.3), Fraction(2.7) / 3):
            for _ in range(50):
                floored_laplace(decay, bits)
                two_sided_geometric(decay, bits)

    seen = types_met(draw)
    assert {"int", "Fraction"} <= seen <= {"int", "bool", "Fraction", "builtin_function_or_method", "NoneType"}


def test_the_code_of_the_noise_holds_no_float() -> None:
    for function in EXACT:
        for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(function)))):
            assert not isinstance(node, ast.Div), function
            assert not (isinstance(node, ast.Constant) and isinstance(node.value, float)), function
            assert not (isinstance(node, ast.Name) and node.id in ("np", "float", "math")), function


# Selection --------------------------------------------------------------------------------------------


def implied_weights(weights: WholeWeights, size: int) -> list[int]:
    """w_i from the inside: the sums' steps, on the unit of the smallest exponent."""
    found = [0] * size
    before = 0
    for members, sums, total in zip(weights._members, weights._sums, weights._totals, strict=True):
        shift = ((total - before) // sums[-1]).bit_length() - 1
        steps = np.diff([0, *(sums[i] for i in range(len(sums)))])
        for member, step in zip(members.tolist(), steps.tolist(), strict=True):
            found[member] = step << shift
        before = total
    return found


@pytest.mark.parametrize("largest", [0.0, 1.0, 40.0, 5_000.0])
def test_weights_keep_their_ratios(largest: float) -> None:
    """Also those that a double could not hold beside the largest: none is rounded to zero."""
    rng = np.random.default_rng(5)
    log_weights = -np.concatenate([[0.0], rng.uniform(0, largest, 300), [largest]])
    found = implied_weights(WholeWeights(log_weights), log_weights.size)
    with mp.workdps(50):
        errors = [mp.log(mp.mpf(w) / found[0]) - mp.mpf(x) for w, x in zip(found, log_weights.tolist(), strict=True)]
    assert max(map(abs, errors)) < 2 * WEIGHT_ERROR


def test_inversion_takes_every_number_below_the_sum() -> None:
    weights = WholeWeights(np.log(np.array([1.0, 0.75, 0.26, 0.25])))
    counted = Counter[int]()
    start = 0
    for members, sums, total in zip(weights._members, weights._sums, weights._totals, strict=True):
        for edge in (start, total - 1):  # both ends of the class
            low = 0
            for at, member in enumerate(members.tolist()):
                for inner in (low, sums[at] - 1):  # both ends of the member
                    answers = iter([edge, inner])
                    assert weights.draw(lambda count: next(answers)) == member  # noqa: B023
                    counted[member] += 1
                low = sums[at]
        start = total
    assert set(counted) == {0, 1, 2, 3}


def test_large_samples_follow_the_weights() -> None:
    """50,000 draws, fixed bits; false-alarm rate 1e-6: goodness_of_fit."""
    log_weights = -np.array([0.0, 0.3, 0.3, 1.0, 2.5, 4.0, 0.69, 0.7, 7.0])
    weights, bits = WholeWeights(log_weights), random.Random(11).getrandbits
    drawn = np.array([[weights.draw(bits)] for _ in range(DRAWS)])
    law = np.exp(log_weights) / np.exp(log_weights).sum()
    assert_follows(drawn, {(i,): float(p) for i, p in enumerate(law)})


# Broken sources --------------------------------------------------------------------------------------


BROKEN = {
    "zeros": lambda count: 0, "ones": lambda count: (1 << count) - 1, "the highest bit": lambda count: 1 << count - 1,
    "the lowest": lambda count: 1, "all but the lowest": lambda count: (1 << count) - 2,
}  # fmt: skip


@pytest.mark.parametrize("kind", MECHANISMS)
@pytest.mark.parametrize("name", BROKEN)
def test_a_constant_source_is_refused_in_words_or_draws_at_once(kind: type[Mechanism], name: str) -> None:
    """Of a problem that it is drawn for at all."""
    for problem in (Problem((1, 1), (4, 5)), Problem((1,) * 25, (1,) * 25), Problem((1, 1), (10**7, 7))):
        with contextlib.suppress(ValueError):
            kind(0.2).rounding(problem.prior, problem.n)
            try:
                drawn = kind(0.2).draw_securely(problem, BROKEN[name])
            except ValueError as refusal:
                assert "bits cannot be a fair source" in str(refusal)
            else:
                assert len(drawn) == problem.k


@pytest.mark.parametrize("kind", MECHANISMS)
@pytest.mark.parametrize("number", [-1, 1.5, 1.0, True, None, "1", 1 << 4_000])
def test_what_is_no_number_of_so_many_bits_is_refused(kind: type[Mechanism], number: object) -> None:
    with pytest.raises(ValueError, match=r"^bits must return whole numbers from 0 to 2\^count - 1"):
        kind(1.0).draw_securely(Problem((1, 1), (4, 5)), lambda count: number)  # type: ignore[arg-type, return-value]


def test_long_numbers_and_runs_of_a_fair_source_pass() -> None:
    source = checked(random.Random(1).getrandbits)
    assert all(0 <= source(count) < 1 << count for count in (1, 299, 301, 100_000) for _ in range(50))
    assert [checked(lambda count: 0)(300)] == [0]
    with pytest.raises(ValueError, match="more than 300 bits in a row are equal"):
        checked(lambda count: 0)(301)
