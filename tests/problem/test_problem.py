"""Problem as a value, and every argument to refuse: a refusal names it, its limit and what came.

The tables are keyed by the ids of the rules that numeric.json samples; a test keeps the two in step. There
numbers are written as strings; `number` reads them back, and leaves words, None and booleans alone.
"""

import itertools
import math
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpbi import Problem, global_sensitivity, limits, local_sensitivity, neighbours
from tests.reference_values import numeric


def number(entry: Any) -> Any:
    if isinstance(entry, list):
        return [number(e) for e in entry]
    if not isinstance(entry, str):
        return entry
    for read in (int, float):
        with suppress(ValueError):
            return read(entry)
    return entry


def refusal(call: Callable[[], Any], *, names: str) -> str:
    """The sentence of the ValueError the call raises; it names the argument and ends as a sentence does."""
    with pytest.raises(ValueError) as caught:
        call()
    sentence = str(caught.value)
    assert sentence.startswith(names), sentence
    assert "\n" not in sentence
    assert sentence.endswith("."), sentence
    return sentence


def of_any(prior: Any, counts: Any) -> Problem:
    """From whatever may be handed in."""
    return Problem(prior, counts)


# A value --------------------------------------------------------------------------------------------


def test_holds_plain_floats_and_ints() -> None:
    problem = of_any(prior=np.array([1, 2]), counts=np.array([3, 5]))
    assert problem.prior == (1.0, 2.0)
    assert problem.counts == (3, 5)
    assert {type(value) for value in problem.prior} == {float}
    assert {type(value) for value in problem.counts} == {int}
    assert (problem.n, problem.k, problem.posterior) == (8, 2, (4.0, 7.0))


def test_equal_problems_are_one_key() -> None:
    spellings = [
        Problem((1, 1), (3, 5)),
        of_any([1.0, 1.0], [3.0, 5.0]),
        of_any(np.ones(2), np.array([3, 5], dtype=np.uint8)),
        of_any((Fraction(1), np.float32(1)), iter((3, 5))),
    ]
    assert len(set(spellings)) == 1
    assert len({repr(problem) for problem in spellings}) == 1
    assert Problem((1, 1), (5, 3)) not in spellings


# What is accepted -----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int16, np.uint64, np.float32])
def test_narrow_numpy_counts_do_not_wrap(dtype: type) -> None:
    assert of_any((1, 1), np.array([3, 4], dtype=dtype)).counts == (3, 4)
    assert of_any((1, 1, 1), np.array([100, 100, 100], dtype=dtype)).n == 300


def test_a_mapping_keeps_its_own_order() -> None:
    (rule,) = numeric("ok_counts_dict")
    assert Problem((1, 1), rule["input"]["counts"]).counts == (2, 1)


def test_large_counts_are_exact_or_refused() -> None:
    """2^53 + 1 is no float: it stays an integer, or the total is refused; it is never rounded."""
    try:
        assert Problem((1, 1), (2**53 + 1, 1)).counts == (2**53 + 1, 1)
    except ValueError as refused:
        assert "too large" in str(refused)
    assert Problem((1, 1), (10**15 + 1, 1)).n == 10**15 + 2


def test_leaves_the_callers_arrays_alone() -> None:
    prior, counts = np.array([0.5, 0.5]), np.array([3, 5])
    problem = of_any(prior, counts)
    counts[0] = 7
    prior[0] = 9.0
    assert problem == Problem((0.5, 0.5), (3, 5))


# What is refused: problems --------------------------------------------------------------------------

BAD_PROBLEMS: dict[str, tuple[Any, Any, str, str]] = {
    # rule id: prior, counts, the limit, what was got
    "bad_alpha_zero": ((1, 0), (1, 2), "greater than 0", "got 0"),
    "bad_alpha_negative": ((1, -0.5), (1, 2), "greater than 0", "got -0.5"),
    "bad_alpha_nan": ((1, math.nan), (1, 2), "finite", "got nan"),
    "bad_alpha_inf": ((1, math.inf), (1, 2), "finite", "got inf"),
    "bad_alpha_string": ((1, "one"), (1, 2), "a number", "got 'one'"),
    "bad_alpha_bool": ((True, 1), (1, 2), "true/false", "got True"),
    "bad_alpha_empty": ((), (), "two categories", "got 0"),
    "bad_alpha_length": ((1, 1), (1, 2, 3), "same length", "2 prior values for 3 categories"),
    "bad_alpha_scalar_ok_or_error": (0.5, (1, 2, 3), "one number per category", "got 0.5"),
    "bad_k1": ((1,), (5,), "two categories", "got 1"),
    "bad_counts_negative": ((1, 1), (-1, 2), "at least 0", "got -1"),
    "bad_counts_fraction": ((1, 1), (1.5, 2), "whole", "got 1.5"),
    "bad_counts_nan": ((1, 1), (math.nan, 2), "finite", "got nan"),
    "bad_counts_inf": ((1, 1), (math.inf, 2), "finite", "got inf"),
    "bad_counts_string": ((1, 1), ("many", 2), "a number", "got 'many'"),
    "bad_counts_bool": ((1, 1), (True, False), "true/false", "got True"),
    "bad_counts_2d": ((1, 1), ([1, 2],), "", "got"),
    "bad_counts_too_large": ((1, 1), (2**63, 1), "too large", "got 9223372036854775808"),
    "bad_counts_none": ((1, 1), (None, 2), "a number", "got None"),
}


def listed(entry: Any) -> Any:
    return [listed(e) for e in entry] if isinstance(entry, list | tuple) else entry


def test_the_tables_hold_every_reference_rule() -> None:
    for rule in (rule for group in ("bad_alpha", "bad_k1", "bad_counts") for rule in numeric(group)):
        prior, counts, *_ = BAD_PROBLEMS[rule["id"]]
        # As text: NaN equals itself there, and True is not 1.
        assert str(listed(prior)) == str(listed(number(rule["input"]["alpha"])))
        assert str(listed(counts)) == str(listed(number(rule["input"]["counts"])))


@pytest.mark.parametrize("rule", BAD_PROBLEMS)
def test_refuses_a_bad_problem(rule: str) -> None:
    prior, counts, limit, got = BAD_PROBLEMS[rule]
    names = "counts" if rule.startswith("bad_counts") else "prior"
    sentence = refusal(lambda: Problem(prior, counts), names=names)
    assert limit in sentence
    assert got in sentence.replace(",", "")


@pytest.mark.parametrize(
    ("prior", "counts", "names", "says"),
    [
        ((1, 1), (np.bool_(True), 2), "counts[0]", "true/false"),
        ((1, np.bool_(True)), (1, 2), "prior[1]", "true/false"),
        ((1, 1), (1, np.nan), "counts[1]", "finite"),
        ((1, 1), (1, -math.inf), "counts[1]", "got -inf"),
        ((1, 1), (1, -0.5), "counts[1]", "got -0.5"),
        ((1, 1), (1, 1e300), "counts[1]", "too large"),
        ((1, 1), (1, 2**63), "counts[1]", "too large"),
        ((1, 1, 1), (2 * 10**15,) * 3, "counts", "too large"),
        ((1, 1), "35", "counts", "got '35'"),
        ((1, 1), b"35", "counts", "got b'35'"),
        ("11", (3, 5), "prior", "got '11'"),
        ((1, 1), 8, "counts", "got 8"),
        ((1, 1), None, "counts", "got None"),
        ((1, 1), ("3", "5"), "counts[0]", "got '3'"),
        ((1, 1), (3 + 0j, 5), "counts[0]", "a number"),
        ((1e-300, 1), (3, 5), "prior[0]", "at least 1e-09"),
        ((1, 1e300), (3, 5), "prior[1]", "too large"),
        ((1, 1), np.array([[1, 2], [3, 4]]), "counts[0]", "a number"),
        ((1,) * 2001, (1,) * 2001, "prior", "too many categories"),
        ((1, 1, 1), (3, 5), "prior", "3 prior values for 2 categories"),
    ],
)
def test_refuses_kinds_the_reference_rules_leave_out(prior: Any, counts: Any, names: str, says: str) -> None:
    assert says in refusal(lambda: Problem(prior, counts), names=names)


@pytest.mark.parametrize("unordered", [{3, 5}, frozenset({3, 5}), {3: 0, 5: 0}.keys()])
def test_refuses_a_set_which_has_neither_order_nor_repeats(unordered: Any) -> None:
    refusal(lambda: Problem((1, 1), unordered), names="counts")
    refusal(lambda: Problem(unordered, (1, 1)), names="prior")
    refusal(lambda: global_sensitivity(unordered, 5), names="prior")
    refusal(lambda: neighbours(unordered), names="counts")


def test_a_mapping_is_read_by_its_values_everywhere() -> None:
    counts: Any = {7: 1, 9: 0}
    prior: Any = {7: 0.5, 9: 2}
    assert neighbours(counts).tolist() == [[0, 1]]
    assert global_sensitivity(prior, 5) == global_sensitivity((0.5, 2), 5)


@pytest.mark.parametrize(
    ("prior", "counts", "names"),
    [
        ((1, 10**400), (1, 2), "prior[1]"),
        ((1, Fraction(10**400, 3)), (1, 2), "prior[1]"),
        ((1, 10**5000), (1, 2), "prior[1]"),
        ((1, 1), (1, 10**400), "counts[1]"),
        ((1, 1), (1, -(10**400)), "counts[1]"),
        ((1, 1), (1, 10**5000), "counts[1]"),
        ((1, 1), (1, Fraction(10**400, 3)), "counts[1]"),
    ],
    ids=range(7),
)
def test_refuses_numbers_beyond_every_float_in_a_short_sentence(prior: Any, counts: Any, names: str) -> None:
    assert len(refusal(lambda: Problem(prior, counts), names=names)) < 200


def test_a_function_of_a_problem_says_what_one_is() -> None:
    """That all refuse anything else, see tests/test_wrong_arguments.py."""
    wrong: Any = (3, 5)
    assert "a dpbi.Problem(prior, counts)" in refusal(lambda: local_sensitivity(wrong), names="problem")


# What a sentence shows, and counts ------------------------------------------------------------------


def test_what_is_shown_is_cut_before_it_is_written() -> None:
    assert limits.shown([1] * 10**6) == limits.shown([1] * 30)
    assert limits.shown("x" * 10**6) == limits.shown("x" * 100) and limits.shown(b"x" * 10**6).startswith("b'xxx")
    assert limits.shown([10**5000, 2]) == "[a whole number of more than 4,300 digits, 2]"
    assert limits.shown((1, "a", None)) == "(1, 'a', None)"


@pytest.mark.parametrize(("values", "got"), [(range(3 * 10**8), "300,000,000"), (range(10**30), "more"),
                                             (itertools.count(), "more"), ([1] * 11, "11"), ((1,) * 12, "12")])
def test_a_sequence_is_counted_before_it_is_copied(values: Any, got: str) -> None:
    with pytest.raises(ValueError, match=f"^x has too many entries: at most 10, got {got}[.]$"):
        limits.sequence("x", values, "of numbers", 10)
