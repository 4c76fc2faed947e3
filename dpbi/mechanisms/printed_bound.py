"""How a promised epsilon, delta or loss is written: never below what is promised."""

import math
from collections.abc import Iterable
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, Context, Decimal, localcontext

from dpbi import limits

DIGITS = 5
_EXACT = Context(prec=1_200, Emax=MAX_EMAX, Emin=MIN_EMIN)  # digits of sums of floats, from 1e-324 to 1e308
_ROUNDED = Decimal(2) ** -52  # relative: how far the decimal of a rounded number lies from the number, at most
_SAME = Decimal("1e-12")  # relative: 0.1 + 0.2 is 0.3


def printed_bound(value: float, digits: int = DIGITS) -> str:
    """The shortest decimal of at most so many significant digits that is no smaller than the value, to 1e-12 of it.

    value: >= 0, an upper bound such as a promised epsilon; digits: 1 to 15. The first number of 1, 2, ... digits that
    is the value but for 1e-12 of it, else the value rounded up, at most 10^(1 - digits) of it too large: 1.00004 is
    "1.0001", 0.1 + 0.2 is "0.3". ValueError for what is no number. Source: ours.
    """
    if isinstance(value, float) and not math.isfinite(value):
        return f"{value:g}".replace("inf", "∞")
    exact = Decimal(limits.finite_number("value", value))
    for length in range(1, limits.whole_number("digits", digits, 1, 15) + 1):
        near = Context(prec=length).create_decimal(exact)
        if abs(near - exact) <= _SAME * exact:
            break
    else:
        near = Context(prec=digits, rounding=ROUND_CEILING).create_decimal(exact)
    # One digit more than were kept: the float's own error cannot show, and 123460 needs no exponent.
    return f"{float(near):.{digits + 1}g}"


def added(bounds: Iterable[float]) -> float:
    """The sum of bounds as the decimals that they are written as: 0.1 + 0.2 is 0.3, and not 0.30000000000000004.

    bounds: >= 0 each, such as epsilons that add up. Shares of a whole are rounded: where a number of 15 digits is above
    the sum of the decimals by no more than that can be, it is that (seven times 1 / 7 is 1). Else the least float that
    is written as no less than the sum. Of one bound it is that bound. Source: ours.
    """
    listed = [float(bound) for bound in bounds]
    if len(listed) < 2 or not all(map(math.isfinite, listed)):
        return sum(listed, 0.0)
    with localcontext(_EXACT):
        exact = sum((Decimal(repr(bound)) for bound in listed), Decimal())
        short = Context(prec=15, rounding=ROUND_CEILING).create_decimal(exact)
        near = float(short if short - exact <= len(listed) * _ROUNDED * exact else exact)
    return near if Decimal(repr(near)) >= exact else math.nextafter(near, math.inf)
