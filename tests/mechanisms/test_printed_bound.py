"""A printed epsilon or delta: no smaller than the true one, no longer than need be, wherever it is printed."""

import math
import re
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

import dpbi
from dpbi import ApproximateDP, Problem, PureDP
from dpbi.mechanisms.guarantee import Guarantee
from dpbi.mechanisms.printed_bound import DIGITS, added, printed_bound
from dpbi.releases.ledger import Ledger, LedgerEntry
from dpbi.releases.statement import promised, statement_markdown
from tests.every_mechanism import Kind, every_class

PACKAGE = Path(dpbi.__file__).parent
SAME = Decimal("1e-12")
EPSILONS = st.floats(-9, 6).map(lambda power: 10.0**power)
DELTAS = st.floats(-300, 0).map(lambda power: 10.0**power)


@given(EPSILONS | DELTAS, st.integers(1, 12))
def test_what_is_printed_is_no_smaller_and_hardly_larger(value: float, digits: int) -> None:
    printed, exact = Decimal(printed_bound(value, digits)), Decimal(value)
    assert exact * (1 - SAME) <= printed <= exact * (1 + Decimal(10) ** (1 - digits) + SAME)
    assert len(printed.normalize().as_tuple().digits) <= digits


@given(st.integers(1, 10**DIGITS), st.integers(-308, 4), st.floats(-9e-13, 9e-13))
def test_a_short_number_is_itself_whatever_a_sum_has_left_in_its_last_digits(
    whole: int, power: int, off: float
) -> None:
    value = float(Decimal(whole).scaleb(power)) * (1 + off)
    if value >= 1e-307:  # below, a float has too few digits
        assert Decimal(printed_bound(value)) == Decimal(whole).scaleb(power)


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        (0.1 + 0.2, "0.3"), (1.00004, "1.0001"), (1.00000000016, "1.0001"), (1 + 1e-11, "1.0001"), (1 + 1e-13, "1"),
        (0.99999, "0.99999"), (0.999999, "1"), (0.0, "0"), (1e-8, "1e-08"), (1234.56, "1234.6"), (123456.0, "123460"),
        (1e6, "1e+06"), (float("inf"), "∞"),
    ],
)  # fmt: skip
def test_it_reads_as_a_person_would_write_it(value: float, printed: str) -> None:
    assert printed_bound(value) == printed


def entry(guarantee: Guarantee, name: str) -> LedgerEntry:
    return LedgerEntry(name, "data", "Some mechanism", 9, "2026-11-28T01:02:03Z", guarantee)


@pytest.mark.parametrize(
    ("guarantee", "said"),
    [
        (PureDP(1.00004, "theorem", "shown"), "1.0001-DP"),
        (ApproximateDP(1.00004, 1.000004e-8, "claim", "said"), "(1.0001, 1.0001e-08)-DP"),
    ],
)
def test_a_guarantee_a_total_and_a_statement_say_no_less_than_is_lost(guarantee: Guarantee, said: str) -> None:
    assert guarantee.words.startswith(said)
    assert Ledger((entry(guarantee, "one"),)).total().words.startswith(said)
    statement = " ".join(promised(guarantee))
    assert "at most e^1.0001 times" in statement and said in statement


def test_a_total_of_tenths_is_a_short_number() -> None:
    held = Ledger(tuple(entry(PureDP(0.1, "theorem", "shown"), str(i)) for i in range(7)))
    assert held.total().words == "0.7-DP"


@every_class
def test_a_release_says_what_rounding_adds(kind: Kind) -> None:
    """The one secure draw of the exponential family adds a little to epsilon; it shows in every file."""
    release = dpbi.release(kind(1.0), Problem((1, 1), (3, 5)))
    epsilon = getattr(release.guarantee, "epsilon", None)
    if epsilon is None:
        return
    printed = printed_bound(epsilon)
    assert (printed == "1.0001") == (epsilon > 1 + 1e-12)
    assert release.guarantee.words.startswith((f"{printed}-DP", f"({printed}, "))
    assert release.document()["guarantee"]["words"] == release.guarantee.words
    assert f"e^{printed} times" in statement_markdown(release).replace("\\", "")
    wider = replace(release, mechanism=kind(1.00000001))
    assert "epsilon = 1.00000001" in statement_markdown(wider).replace("\\", "")


@given(st.lists(EPSILONS | DELTAS | st.just(0.0), max_size=30))
def test_a_sum_is_written_as_no_less_than_its_terms_are_and_hardly_more(bounds: list[float]) -> None:
    exact, found = sum((Fraction(repr(one)) for one in bounds), Fraction()), added(bounds)
    assert exact <= Fraction(repr(found)) <= exact * (1 + Fraction(len(bounds) + 2, 2**52))
    assert added([found]) == found


@given(st.lists(st.integers(1, 10**6), min_size=2, max_size=30), st.integers(0, 9))
def test_decimals_add_as_decimals_and_shares_to_the_whole(tens: list[int], places: int) -> None:
    assert added([float(f"{one}e-{places}") for one in tens]) == float(f"{sum(tens)}e-{places}")
    assert added([one / sum(tens) for one in tens]) >= 1
    assert added([1 / 7] * 7) == added([1 / 3] * 3) == 1 and added([*map(float, tens), math.inf]) == math.inf


ROUNDED = re.compile(
    r"\b(?:number|_said)\([^()/]*(?:epsilon|delta)\)|\{[^{}:/]*(?:epsilon|delta|loss)[^{}:/]*:[^{}]*[gf]\}"
)


def test_nowhere_is_an_epsilon_delta_or_loss_formatted_to_the_nearest() -> None:
    assert ROUNDED.search('f"{one.epsilon:.4g}-DP"') and ROUNDED.search("number(one.loss.epsilon)")
    found = [f"{path.relative_to(PACKAGE)}: {match[0]}" for path in sorted(PACKAGE.rglob("*.py"))
             for match in ROUNDED.finditer(path.read_text("utf-8"))]
    assert found == []
