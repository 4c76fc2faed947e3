"""How numbers are written in sentences and cells. What is promised is written by ``printed_bound``."""

import math
from collections.abc import Iterable
from decimal import ROUND_FLOOR, Context, Decimal

_IN_FULL = 10**16  # whole numbers below are written out; every count and total is


def number(value: float, digits: int = 4, in_full: float = _IN_FULL) -> str:
    """So many significant digits, thousands apart: 0.0123, 12.5, 1,235, 1.2e-09; whole numbers to their last digit.

    in_full: from here on a power of ten is written.
    """
    if isinstance(value, int) and abs(value) >= in_full:
        return f"{Decimal(value):.{digits}g}"  # a float ends at 1e308
    if value == 0 or not math.isfinite(value) or not 1e-4 <= abs(value) < in_full:
        return f"{value:.{digits}g}"
    shown = value if value == int(value) else float(f"{value:.{digits}g}")
    return f"{shown:,.0f}" if abs(shown) >= 1000 else f"{shown:g}"


def at_least(value: float, digits: int = 4) -> str:
    """A lower bound: as ``number``, but never above the value."""
    return number(float(Context(prec=digits, rounding=ROUND_FLOOR).create_decimal(Decimal(value))), digits)


def error(value: float) -> str:
    """An uncertainty: two digits."""
    return f"{value:.2g}"


def probability(value: float, digits: int = 4) -> str:
    """As ``number``; what is below 1 is not called 1."""
    shown = number(value, digits)
    return f"above 0.{'9' * digits}" if shown == "1" and value < 1 else shown


def listed(parts: Iterable[str]) -> str:
    """a; a and b; a, b and c."""
    *first, last = list(parts) or [""]
    return f"{', '.join(first)} and {last}" if first else last
