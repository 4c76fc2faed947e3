"""How a promised epsilon, delta or loss is written: never below what is promised."""

import math
from decimal import ROUND_CEILING, Context, Decimal

from dpbi import limits

DIGITS = 5
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
