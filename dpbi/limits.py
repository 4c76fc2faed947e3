"""The least and largest value of every input, and the sentence that refuses the rest."""

from __future__ import annotations

import math
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

# Numbers beyond these were not tested against 50-digit references, so they are refused, not guessed.
PRIOR_LEAST, PRIOR_LARGEST = 1e-9, 1e12
TOTAL_LARGEST = 4 * 10**15  # alpha + c keeps its half-integer digits in a double up to here
CATEGORIES_LEAST, CATEGORIES_LARGEST = 2, 2_000
EPSILON_LEAST, EPSILON_LARGEST = 1e-9, 1e6
GAMMA_LARGEST = 1e6
RATE_LARGEST = 1e15
SIZE_LARGEST = 10_000_000


def finite_number(name: str, value: Any) -> float:
    """The value as a float; ValueError unless it is a finite real number (True and False are not)."""
    if isinstance(value, bool) or type(value).__name__ == "bool" or not isinstance(value, Real):
        raise ValueError(f"{name} must be a number, not true/false or text: got {value!r}.")
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{name} must be finite: got {number!r}.")
    return number


def whole_number(name: str, value: Any, least: int, largest: int) -> int:
    """The value as an int within [least, largest]; whole floats are accepted."""
    exact = isinstance(value, Integral) and not isinstance(value, bool)
    number = int(value) if exact else finite_number(name, value)
    if number != int(number):
        raise ValueError(f"{name} must be a whole number: got {value!r}.")
    if number < least:
        raise ValueError(f"{name} must be at least {least}: got {value!r}.")
    if number > largest:
        raise ValueError(f"{name} is too large: at most {largest:,} is supported, got {value!r}.")
    return int(number)


def between(name: str, value: Any, least: float, largest: float) -> float:
    """The value as a float within [least, largest], both included; where least is tiny, 0 is refused as such."""
    number = finite_number(name, value)
    if number <= 0 < least:
        raise ValueError(f"{name} must be greater than 0: got {value!r}.")
    if number < least:
        raise ValueError(f"{name} is too small: at least {least:g} is supported, got {value!r}.")
    if number > largest:
        raise ValueError(f"{name} is too large: at most {largest:g} is supported, got {value!r}.")
    return number


def inside(name: str, value: Any, low: float, high: float) -> float:
    """The value as a float strictly between low and high."""
    number = finite_number(name, value)
    if not low < number < high:
        raise ValueError(f"{name} must lie strictly between {low:g} and {high:g} (above {low:g}, "
                         f"below {high:g}): got {value!r}.")
    return number


def check_flag(name: str, value: Any) -> bool:
    """The value itself, if it is True or False."""
    if not isinstance(value, bool):
        raise ValueError(f"{name} must be True or False: got {value!r}.")
    return value


def one_of(name: str, value: Any, options: Iterable[Any]) -> Any:
    """The value itself, if it is among the options."""
    listed = tuple(options)
    if value not in listed:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, listed))}: got {value!r}.")
    return value


def _vector(name: str, values: Any) -> tuple[Any, ...]:
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise ValueError(f"{name} must be a sequence with one number per category: got {values!r}.")
    listed = tuple(values)
    if len(listed) < CATEGORIES_LEAST:
        raise ValueError(f"{name} must have at least two categories: got {len(listed)}.")
    if len(listed) > CATEGORIES_LARGEST:
        raise ValueError(f"{name} has too many categories: at most {CATEGORIES_LARGEST:,}, got {len(listed):,}.")
    return listed


def check_prior(values: Any) -> tuple[float, ...]:
    """Prior parameters as a tuple of floats, each within [PRIOR_LEAST, PRIOR_LARGEST]."""
    return tuple(between(f"prior[{i}]", alpha, PRIOR_LEAST, PRIOR_LARGEST)
                 for i, alpha in enumerate(_vector("prior", values)))


def check_counts(values: Any) -> tuple[int, ...]:
    """Counts as a tuple of ints >= 0 whose total is at most TOTAL_LARGEST."""
    counts = tuple(_count(f"counts[{i}]", c) for i, c in enumerate(_vector("counts", values)))
    if sum(counts) > TOTAL_LARGEST:
        raise ValueError(f"counts are too large: their total may be at most {TOTAL_LARGEST:,}, got {sum(counts):,}.")
    return counts


def _count(name: str, value: Any) -> int:
    if isinstance(value, Real) and not isinstance(value, bool) and value < 0:
        raise ValueError(f"{name} cannot be negative, it must be at least 0: got {value!r}.")
    return whole_number(name, value, 0, TOTAL_LARGEST)


def check_total(n: Any) -> int:
    """The public total count n >= 0."""
    return whole_number("n", n, 0, TOTAL_LARGEST)


def check_size(size: Any) -> int:
    """The number of draws asked for."""
    return whole_number("size", size, 0, SIZE_LARGEST)


def check_epsilon(value: Any) -> float:
    return between("epsilon", value, EPSILON_LEAST, EPSILON_LARGEST)


def check_gamma(value: Any, name: str = "gamma") -> float:
    number = finite_number(name, value)
    if number < 0:
        raise ValueError(f"{name} must be at least 0: got {value!r}.")
    return between(name, number, 0.0, GAMMA_LARGEST)


def check_delta(value: Any) -> float:
    return inside("delta", value, 0.0, 1.0)


def check_rate(value: Any) -> float:
    number = finite_number("rate", value)
    if number < 0:
        raise ValueError(f"rate must be at least 0: got {value!r}.")
    return between("rate", number, 0.0, RATE_LARGEST)


# Uploaded files. A CSV of the largest size has fewer rows and cells than these, so they only stop what unpacks
# (workbooks, Parquet) and what would be padded. A workbook is read a hundred times slower than text.
UPLOAD_BYTES_LARGEST = 16 * 2**20
UPLOAD_UNPACKED_BYTES_LARGEST = 64 * 2**20
UPLOAD_ROWS_LARGEST = 8_000_000
UPLOAD_COLUMNS_LARGEST = 5_000
UPLOAD_CELLS_LARGEST = 20_000_000
UPLOAD_WORKBOOK_CELLS_LARGEST = 250_000
UPLOAD_LABEL_CHARACTERS_LARGEST = 4_000
