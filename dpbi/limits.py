"""The least and largest value of every input, and the sentence that refuses the rest."""

import math
import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Set, Sized
from itertools import islice
from numbers import Integral, Real
from reprlib import Repr
from types import UnionType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Checked = TypeVar("Checked")

# Numbers beyond these were not tested against 50-digit references, so they are refused, not guessed.
PRIOR_LEAST, PRIOR_LARGEST = 1e-9, 1e12
PARAMETER_LEAST, PARAMETER_LARGEST = 1e-30, 1e18  # of a Dirichlet distribution, whatever it came from
TOTAL_LARGEST = 4 * 10**15  # alpha + c keeps its half-integer digits in a double up to here
# Noise may lift one count above n: by less than 5e14, and 2,000 such counts add up within 64 bits
RELEASED_LARGEST = 2**52
CATEGORIES_LEAST, CATEGORIES_LARGEST = 2, 2_000
EPSILON_LEAST, EPSILON_LARGEST = 1e-9, 1e6
NOISE_LEAST, NOISE_LARGEST = 1e-3, 1e9  # scale or standard deviation of noise that somebody else added
VALUE_LARGEST = 10**12  # of a noisy count that somebody else published, in size
GAMMA_LARGEST = 1e6
RATE_LARGEST = 1e15
SIZE_LARGEST = 10_000_000
NUMBERS_LARGEST = 10_000_000  # in one array of a calculation, which holds up to ten of its size: 80 MB each
DRAWN_LARGEST = 20_000_000  # numbers in one table of draws
ENTRIES_LARGEST = 10_000  # in a sequence of things that each take work
_AXES = 32  # of an array, at most
_FAR = 2**62  # beyond every limit, and far enough from the end of 64 bits to be compared safely
_SHOWN = 60
_NO_DIGITS = "a whole number of more than 4,300 digits"  # Python writes none
_SYMBOL = re.compile(r"(?:[b-z]|alpha|beta|gamma|delta|epsilon)\b")


class _Shown(Repr):
    """``repr`` of no more than a sentence can hold, however long or deep the value is."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlist = self.maxtuple = self.maxset = self.maxfrozenset = self.maxdict = self.maxdeque = _SHOWN // 3
        self.maxlong = self.maxstring = self.maxother = 10_000  # cut later, at the end alone

    def repr_bytes(self, x: bytes, level: int) -> str:
        return repr(x[:_SHOWN])

    def repr_int(self, x: int, level: int) -> str:
        try:
            return super().repr_int(x, level)
        except ValueError:
            return _NO_DIGITS


_shown = _Shown().repr


def shown(value: Any) -> str:
    """The value as a sentence can hold it."""
    text = " ".join(_shown(value).split())
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def opened(sentence: str) -> str:
    """The sentence with a capital, unless a symbol opens it: n is not N."""
    return sentence if _SYMBOL.match(sentence) else sentence[:1].upper() + sentence[1:]


def _is_real(value: Any) -> bool:
    if type(value) in (float, int):  # nearly every one, at a tenth of the time
        return True
    # numpy calls a time span a whole number
    return isinstance(value, Real) and not isinstance(value, bool | np.bool_ | np.timedelta64)


def finite_number(name: str, value: Any) -> float:
    """The value as a float; ValueError unless it is a finite real number (True and False are not)."""
    if not _is_real(value):
        raise ValueError(f"{name} must be a number, not true/false or text: got {shown(value)}.")
    try:
        number = float(value)
    except OverflowError:
        raise ValueError(f"{name} is too large: it must be finite as a float, got {shown(value)}.") from None
    if not math.isfinite(number):
        raise ValueError(f"{name} must be finite: got {number!r}.")
    return number


def whole_number(name: str, value: Any, least: int, largest: int) -> int:
    """The value as an int within [least, largest]; whole floats are accepted."""
    exact = isinstance(value, Integral) and _is_real(value)
    number = int(value) if exact else finite_number(name, value)
    if number != int(number):
        raise ValueError(f"{name} must be a whole number: got {shown(value)}.")
    _check_within(name, value, number, least, largest, ",")
    return int(number)


def between(name: str, value: Any, least: float, largest: float) -> float:
    """The value as a float within [least, largest], both included."""
    number = finite_number(name, value)
    _check_within(name, value, number, least, largest, "g")
    return number


def _check_within(name: str, value: Any, number: float, least: float, largest: float, digits: str) -> None:
    """ValueError outside [least, largest]; where least is tiny, 0 is refused as such."""
    if number <= 0 < least < 1:
        raise ValueError(f"{name} must be greater than 0: got {shown(value)}.")
    if number < least:
        raise ValueError(f"{name} must be at least {least:{digits}}: got {shown(value)}.")
    if number > largest:
        raise ValueError(f"{name} is too large: at most {largest:{digits}} is supported, got {shown(value)}.")


def inside(name: str, value: Any) -> float:
    """The value as a float strictly between 0 and 1."""
    number = finite_number(name, value)
    if not 0 < number < 1:
        raise ValueError(f"{name} must lie strictly between 0 and 1 (above 0, below 1): got {shown(value)}.")
    return number


def check_text(name: str, value: Any, longest: int) -> str:
    """The value itself, if it is text of at most ``longest`` characters that UTF-8 can write: half a pair cannot be."""
    instance(name, value, str, "text")
    if len(value) > longest:
        raise ValueError(f"{name} may have at most {longest:,} characters: got {len(value):,}.")
    try:
        value.encode()
    except UnicodeEncodeError as failure:
        raise ValueError(f"{name} must be text that can be written in UTF-8: character {failure.start + 1:,} of "
                         f"{shown(value)} cannot.") from None
    return value


def check_name(name: str, value: Any, longest: int) -> str:
    """As ``check_text``, and not empty."""
    if not check_text(name, value, longest):
        raise ValueError(f"{name} must not be empty.")
    return str(value)


def one_of(name: str, value: Any, options: Iterable[Any]) -> Any:
    """The value itself, if it is among the options."""
    listed = tuple(options)
    if not isinstance(value, Hashable) or value not in listed:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, listed))}: got {shown(value)}.")
    return value


def instance(name: str, value: Any, kind: type | UnionType, called: str) -> Any:
    """The value itself, if it is of this class; called: what a person calls one."""
    if not isinstance(value, kind):
        raise ValueError(f"{name} must be {called}: got {shown(value)}.")
    return value


def check_function(name: str, value: Any) -> Callable[..., Any]:
    if not callable(value) or isinstance(value, type):
        raise ValueError(f"{name} must be a function: got {shown(value)}.")
    return value


def sequence(name: str, values: Any, of: str, most: int = ENTRIES_LARGEST, entries: str = "entries") -> tuple[Any, ...]:
    """The values in their order, whatever they are; of: what of, in words. No more than ``most`` are ever taken."""
    single = isinstance(values, np.ndarray) and values.ndim == 0
    if single or isinstance(values, (str, bytes, Set, Mapping)) or not isinstance(values, Iterable):
        raise ValueError(f"{name} must be a sequence {of}: got {shown(values)}.")
    listed = tuple(islice(values, most + 1))
    if len(listed) > most:
        raise ValueError(f"{name} has too many {entries}: at most {most:,}, got {_number_of(values)}.")
    return listed


def _number_of(values: Iterable[Any]) -> str:
    """How many they are, in words: what makes them one by one need not know, and may never end."""
    try:
        return f"{len(values):,}" if isinstance(values, Sized) else "more"
    except OverflowError:  # of a range beyond 2^63
        return "more"


def each(
    name: str, values: Any, of: str, check: Callable[[Any], Checked], most: int = ENTRIES_LARGEST
) -> list[Checked]:
    """The values of a sequence as ``check`` returns them; what it refuses is named by its number."""
    found = []
    for i, value in enumerate(sequence(name, values, of, most)):
        try:
            found.append(check(value))
        except ValueError as refusal:
            raise ValueError(f"{name}: number {i + 1} is refused. {opened(str(refusal))}") from None
    return found


def places(name: str, value: Any, size: int) -> frozenset[int]:
    """Places 0, 1, ... in a sequence of this size, each counted once."""
    listed = sequence(name, value, "of places", CATEGORIES_LARGEST)
    return frozenset(whole_number(f"{name}[{j}]", place, 0, size - 1) for j, place in enumerate(listed))


def pair(name: str, value: Any, of: str) -> tuple[Any, Any]:
    """The two parts of an entry of a sequence; of: what they are."""
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise ValueError(f"{name} must hold pairs {of}: got {shown(value)}.")
    return value[0], value[1]


def _vector(name: str, values: Any) -> tuple[Any, ...]:
    if isinstance(values, Set):
        raise ValueError(f"{name} must be in the order of the categories, and a set has none: got {shown(values)}.")
    if isinstance(values, Mapping):
        values = values.values()
    listed = sequence(name, values, "with one number per category", CATEGORIES_LARGEST, "categories")
    if len(listed) < CATEGORIES_LEAST:
        raise ValueError(f"{name} must have at least two categories: got {len(listed)}.")
    return listed


def check_prior(values: Any) -> tuple[float, ...]:
    """Prior parameters as a tuple of floats, each within [PRIOR_LEAST, PRIOR_LARGEST]."""
    return tuple(between(f"prior[{i}]", alpha, PRIOR_LEAST, PRIOR_LARGEST)
                 for i, alpha in enumerate(_vector("prior", values)))


def check_counts(values: Any) -> tuple[int, ...]:
    """Counts as a tuple of ints >= 0 whose total is at most TOTAL_LARGEST."""
    counts = tuple(whole_number(f"counts[{i}]", c, 0, TOTAL_LARGEST) for i, c in enumerate(_vector("counts", values)))
    if sum(counts) > TOTAL_LARGEST:
        raise ValueError(f"counts are too large: their total may be at most {TOTAL_LARGEST:,}, got {sum(counts):,}.")
    return counts


def number_array(name: str, values: Any) -> NDArray[np.float64]:
    """Numbers as floats, any shape; ValueError for text, true/false, None and what is too large for a float.

    The last axis is the one that lies together: sums along it then add in one order, whatever layout came in.
    """
    array = _array(name, values)
    if array.dtype.kind != "O":
        return array.astype(np.float64, order="C")
    return np.array([finite_number(name, value) for value in array.flat]).reshape(array.shape)


def whole_array(name: str, values: Any) -> NDArray[np.int64]:
    """Whole numbers as int64, any shape; those beyond 2^62 in size become 2^62, which is outside every limit."""
    array = _array(name, values)
    if array.dtype.kind == "O":
        array = np.array([_whole_near(name, value) for value in array.flat], dtype=np.int64).reshape(array.shape)
    elif array.dtype.kind == "f":
        _check_all(np.isfinite(array) & (array == np.floor(array)), f"{name} must be whole numbers", array)
        array = np.clip(array, -_FAR, _FAR)
    elif array.dtype.kind == "u":
        array = np.minimum(array.astype(np.uint64), np.uint64(_FAR))
    return np.clip(array.astype(np.int64, order="C"), -_FAR, _FAR)


def _whole_near(name: str, value: Any) -> int:
    try:
        whole = math.floor(value)
    except (ValueError, OverflowError):  # of nan and of infinity
        whole = None
    if whole is None or whole != value:
        raise ValueError(f"{name} must be whole numbers: got {shown(value)}.")
    return min(max(whole, -_FAR), _FAR)


def shares(name: str, values: Any) -> NDArray[np.float64]:
    """Numbers in [0, 1], any shape."""
    array = number_array(name, values)
    _check_all((array >= 0) & (array <= 1), f"{name} must lie in [0, 1]", array)
    return array


def positive_numbers(name: str, values: Any) -> NDArray[np.float64]:
    """Finite numbers above 0, any shape."""
    array = number_array(name, values)
    _check_all(np.isfinite(array) & (array > 0), f"{name} must be finite and greater than 0", array)
    return array


def dirichlet_parameters(name: str, values: Any) -> NDArray[np.float64]:
    """Parameters (..., k) of Dirichlet distributions, each within [PARAMETER_LEAST, PARAMETER_LARGEST]."""
    array = positive_numbers(name, values)
    if array.ndim == 0 or array.shape[-1] < CATEGORIES_LEAST:
        raise ValueError(f"{name} must have at least two categories in its last axis: got shape {array.shape}.")
    within = (array >= PARAMETER_LEAST) & (array <= PARAMETER_LARGEST)
    _check_all(within, f"{name} must lie within [{PARAMETER_LEAST:g}, {PARAMETER_LARGEST:g}]", array)
    return array


def _check_all(right: NDArray[np.bool_], said: str, array: NDArray[Any]) -> None:
    """ValueError that says so of the first number that is not right."""
    if not right.all():
        raise ValueError(f"{said}: got {float(array[~right][0])!r}.")


def _array(name: str, values: Any) -> NDArray[Any]:
    """An array of integers, floats, or objects that are real numbers."""
    if isinstance(values, np.ma.MaskedArray):
        raise ValueError(f"{name} must be an array that masks nothing: got {shown(values)}.")
    check_numbers(name, _least_size(values))
    try:
        array = np.asarray(values)
        # numpy reads [True, 4] as [1, 4]
        listed = np.asarray(values, dtype=object) if isinstance(values, list | tuple) else array
    except (ValueError, OverflowError):
        raise ValueError(f"{name} must be an array whose rows have one length: got {shown(values)}.") from None
    if array.dtype.kind not in "iufbOUS":
        raise ValueError(f"{name} must be real numbers: got {shown(values)}.")
    for value in listed.flat if listed.dtype.kind == "O" else array.flat[:1].tolist():
        if not _is_real(value):
            raise ValueError(f"{name} must be numbers, not true/false or text: got {shown(value)}.")
    return array


def check_numbers(name: str, number: int, most: int = NUMBERS_LARGEST) -> None:
    """ValueError where one array would hold more than ``most`` numbers."""
    if number > most:
        raise ValueError(f"{name} would hold too many numbers at once: at most {most:,}, got {number:,}. "
                         "Take a part at a time.")


def _least_size(values: Any) -> int:
    """How many numbers an array of these values has at least, known before it is made: rows by their first."""
    number = 1
    for _ in range(_AXES):
        if isinstance(values, np.ndarray):
            return number * values.size
        if not isinstance(values, Sequence) or isinstance(values, str | bytes) or not values:
            break
        try:
            number *= len(values)
        except OverflowError:
            return _FAR
        values = values[0]
    return number


def count_array(name: str, values: Any, k: int | None = None, largest: int = TOTAL_LARGEST) -> NDArray[np.int64]:
    """Counts (..., k), each within [0, largest]."""
    array = whole_array(name, values)
    if array.ndim == 0 or array.shape[-1] != (k or array.shape[-1]):
        wanted = f"{k} categories" if k else "its categories"
        raise ValueError(f"{name} must have {wanted} in its last axis: got shape {array.shape}.")
    if not CATEGORIES_LEAST <= array.shape[-1] <= CATEGORIES_LARGEST:
        raise ValueError(f"{name} must have {CATEGORIES_LEAST} to {CATEGORIES_LARGEST:,} categories: "
                         f"got {array.shape[-1]:,}.")
    if array.min(initial=0) < 0:
        raise ValueError(f"{name} cannot be negative, they must be at least 0: got {array.min()}.")
    if array.max(initial=0) > largest:
        raise ValueError(f"{name} are too large: at most {largest:,} is supported, got {array.max():,} or more.")
    return array


def broadcast_pair(names: str, first: NDArray[Any], second: NDArray[Any]) -> tuple[NDArray[Any], ...]:
    """Two arrays of one number of categories broadcast over their leading axes."""
    try:
        if first.shape[-1] != second.shape[-1]:
            raise ValueError
        pair = np.broadcast_arrays(first, second)
    except (ValueError, IndexError):
        raise ValueError(f"{names} must have the same categories, and other axes that match: got shapes "
                         f"{first.shape} and {second.shape}.") from None
    check_numbers(f"{names} together", pair[0].size)
    return pair


def check_total(n: Any) -> int:
    """The public total count n >= 0."""
    return whole_number("n", n, 0, TOTAL_LARGEST)


def check_size(size: Any, k: int) -> int:
    """The number of draws asked for, of k numbers each."""
    number = whole_number("size", size, 0, SIZE_LARGEST)
    check_rows("size", number, k, DRAWN_LARGEST)
    return number


def check_rows(name: str, rows: int, k: int, most: int = NUMBERS_LARGEST) -> None:
    """ValueError where so many rows of k categories would be a table of more than ``most`` numbers."""
    if rows * k > most:
        raise ValueError(f"{name} is too large: with {k:,} categories a table has at most {most // k:,} rows, got "
                         f"{rows:,}. Take fewer at a time.")


def check_category(category: Any, k: int) -> int:
    """The place of one of k categories."""
    return whole_number("category", category, 0, k - 1)


def check_categories(category: Any, k: int) -> int | NDArray[np.int64]:
    """The place of one of k categories, or those of several in a row."""
    if isinstance(category, str | bytes | Set | Mapping) or not isinstance(category, Iterable):
        return check_category(category, k)
    listed = category if isinstance(category, np.ndarray) else list(
        sequence("category", category, "of places", CATEGORIES_LARGEST))
    places = whole_array("category", listed)
    if places.ndim != 1 or not ((places >= 0) & (places < k)).all():
        raise ValueError(f"category must be one of 0 to {k - 1}, or several in a row: got {shown(category)}.")
    return places


def check_generator(rng: Any) -> np.random.Generator:
    """The source of all randomness, never the global one."""
    return instance("rng", rng, np.random.Generator, "a numpy Generator, such as numpy.random.default_rng(1)")


def check_epsilon(value: Any, name: str = "epsilon") -> float:
    return between(name, value, EPSILON_LEAST, EPSILON_LARGEST)


def check_gamma(value: Any, name: str = "gamma") -> float:
    return between(name, value, 0.0, GAMMA_LARGEST)


def check_delta(value: Any) -> float:
    return inside("delta", value)


def check_rate(value: Any) -> float:
    return between("rate", value, 0.0, RATE_LARGEST)


# A scenario with the labels of 2,000 categories takes a few hundred kilobytes; a web server reads addresses up to 64.
SCENARIO_BYTES_LARGEST = 4 * 2**20
LINK_CHARACTERS_LARGEST = 16_000
LINK_PARAMETERS_LARGEST = 1_000  # Streamlit reads no more

# Counts typed in.
TYPED_CHARACTERS_LARGEST = 200_000
TYPED_LABEL_CHARACTERS_LARGEST = 500

# Uploaded files. A CSV of the largest size has fewer rows and cells than these, so they only stop what unpacks
# (workbooks, Parquet) and what would be padded. A workbook is read a hundred times slower than text.
UPLOAD_BYTES_LARGEST = 16 * 2**20
UPLOAD_UNPACKED_BYTES_LARGEST = 64 * 2**20
UPLOAD_ROWS_LARGEST = 8_000_000
UPLOAD_COLUMNS_LARGEST = 5_000
UPLOAD_CELLS_LARGEST = 20_000_000
UPLOAD_WORKBOOK_CELLS_LARGEST = 250_000
UPLOAD_LABEL_CHARACTERS_LARGEST = 4_000
