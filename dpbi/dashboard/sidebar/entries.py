"""What a person typed, read as the numbers it stands for, or refused in a sentence that says how to write it."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import TypeVar

from dpbi import limits

SEED_LARGEST = 2**32 - 1
SHOWN_LENGTH = 60

Number = TypeVar("Number", float, str)  # as read, or as typed

_GROUPED = r"[1-9]\d{0,2}(?:,\d{3})+"  # 1,200,000: a thousands group is never shorter or longer than three digits


def number(name: str, text: str) -> float:
    """One number, with a decimal point; 1e-8 may be written so. What would round to 0 or infinity is refused."""
    if not _is_number(text.strip()):
        hint = " Write decimals with a point." if "," in text else ""
        raise ValueError(f"{name} must be a number such as 0.5 or 1e-8: got {_quoted(text)}.{hint}")
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"{name} is too large: got {_quoted(text)}.")
    if value == 0 and re.search("[1-9]", re.split("[eE]", text)[0]):
        raise ValueError(f"{name} is too small: got {_quoted(text)}, which a computer cannot tell from 0.")
    return value


def whole(name: str, text: str, least: int, largest: int) -> int:
    """One whole number within [least, largest], read exactly; 1e12 and 1,000,000 may be written so.

    1.000 is refused: it is one where decimals are written with a point, a thousand where with a comma.
    """
    text = text.strip()
    if re.fullmatch(r"[1-9]\d{0,2}(?:\.\d{3})+", text):
        raise ValueError(f"{name} may be meant in two ways: got {_quoted(text)}. Write it without a point.")
    plain = text.replace(",", "") if re.fullmatch(_GROUPED, text) else text
    try:
        if not _is_number(plain):
            raise InvalidOperation
        value = Decimal(plain)
    except InvalidOperation:  # also of an exponent that Decimal cannot hold
        raise ValueError(f"{name} must be a whole number such as 90, 1,200 or 1e6: got {_quoted(text)}.") from None
    # An exponent can ask for a number that fills the memory: only what can be within the limits is expanded.
    if value and abs(value.adjusted()) >= 30:
        reason = "must be a whole number" if value.adjusted() < 0 else "is too large" if value > 0 else "is too small"
        raise ValueError(f"{name} {reason}: got {_quoted(text)}.")
    exact = value == value.to_integral_value()
    return limits.whole_number(name, int(value) if exact else float(value), least, largest)


def numbers(name: str, text: str) -> tuple[float, ...]:
    """Numbers separated by spaces, commas, semicolons or line ends."""
    return tuple(number(f"{name}[{i}]", word) for i, word in enumerate(separated(text)))


def one_each(name: str, given: Sequence[Number], k: int) -> Sequence[Number]:
    """The numbers, where there is one for each of k categories; else ValueError."""
    if len(given) != k:
        raise ValueError(f"{name} must have one number per category: got {len(given)} for {k} categories.")
    return given


def separated(text: str) -> list[str]:
    """The words between spaces, commas, semicolons and line ends."""
    return [word for word in re.split(r"[\s,;]+", text) if word]


def counts(text: str) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Labels and counts: a line per category that ends in its count, or nothing but counts in one line.

    Label and count are separated by a comma, semicolon, colon, equals sign, tab or space; a count may be grouped as
    1,200; a category without a label is called by its place. Returns labels and counts. Raises ValueError naming the
    line, also where it can be read in two ways.
    """
    if len(text) > limits.TYPED_CHARACTERS_LARGEST:
        most = limits.TYPED_CHARACTERS_LARGEST
        raise ValueError(f"The text may have at most {most:,} characters: got {len(text):,}.")
    lines = [(place, line.strip()) for place, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not lines:
        raise ValueError("No counts are typed in: at least two categories are needed, one a line, such as: Cured, 48.")
    labels, read = [], []
    for i, (place, line) in enumerate(_one_per_count(lines)):
        try:
            label, word = _split(line)
            limits.check_text("a label", label, limits.TYPED_LABEL_CHARACTERS_LARGEST)
            read.append(whole("the count", word, 0, limits.TOTAL_LARGEST))
        except ValueError as refusal:
            raise ValueError(f"Line {place}: {refusal}") from None
        labels.append(label or f"Category {i + 1}")
    check_labels(labels)
    return tuple(labels), limits.check_counts(read)


def check_labels(labels: list[str]) -> None:
    """ValueError where two categories bear one name: their counts would be told apart by colour alone."""
    (label, times), = Counter(labels).most_common(1) or [("", 0)]
    if times > 1:
        raise ValueError(f"{times} categories are called {_quoted(label)}: every category needs a name of its own.")


def _one_per_count(lines: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """The lines; a single line of nothing but counts as a line per count."""
    if len(lines) != 1:
        return lines
    (place, line), = lines
    spaced = [word for word in re.split(r"[,;]?\s+|;", line.rstrip(",;")) if word]
    if len(spaced) > 1 and all(re.fullmatch(_GROUPED, word) or _is_meant_as_number(word) for word in spaced):
        return [(place, word.replace(",", "")) for word in spaced]
    if not all(map(_is_meant_as_number, separated(line))):
        return lines
    if re.search(r"\d,\d{3}(?!\d)", line):
        raise ValueError(f"Line {place}: {_quoted(line)} may be one number or several. Separate the counts by spaces.")
    return [(place, word) for word in separated(line)]


def _split(line: str) -> tuple[str, str]:
    """The label, which may be empty, and the count that the line ends in.

    Raises ValueError where the digits before the count may belong to it: 'Group 1,200', 'x, 1 200', '1,200'.
    """
    if found := re.fullmatch(rf"(?:(.*?\S)(\s*[,;:=\t]\s*))?({_GROUPED})", line):
        label, between, word = found.groups()
        one_more_group = between == "," and label[-1].isdigit()
        if not label or one_more_group or _ends_in_a_cell_of_digits(label):
            raise _two_ways(line)
        return label.rstrip(",;:= \t"), word
    found = re.fullmatch(r"(.*?)([\s,;:=]+)([^\s,;:=]+)", line)
    if not found:
        return "", line
    label, between, word = found.groups()
    grouped = re.fullmatch(r"\d{3}", word) and re.fullmatch(r"[ ,\u00a0\u202f]", between)
    if (grouped and re.search(r"(?:^|\D)[1-9]\d{0,2}$", label)) or _ends_in_a_cell_of_digits(label):
        raise _two_ways(line)
    return label, word


def _ends_in_a_cell_of_digits(label: str) -> bool:
    """Whether what precedes the count is a number of its own, as in 'x, 5' or 'x;12,34', but not '5' or 'Group 5'."""
    return bool(re.search(r"[,;\t]\s*\d[\d.]*$", label))


def _two_ways(line: str) -> ValueError:
    return ValueError(
        f"{_quoted(line)} can be read in more than one way. Write the count last, after a colon and without commas "
        "or spaces in it, such as Cured: 1200."
    )


def _is_number(word: str) -> bool:
    """Digits, a point, an exponent: not the underscores, the names of infinity and the like that Python also reads."""
    return bool(re.fullmatch(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", word, re.ASCII))


def _is_meant_as_number(word: str) -> bool:
    """Also 'nan' or '1_0', which then is refused as a count instead of taken for a label."""
    try:
        Decimal(word)
    except InvalidOperation:
        return False
    return True


def _quoted(text: str) -> str:
    shown = text if len(text) <= SHOWN_LENGTH else text[: SHOWN_LENGTH - 1] + "…"
    return f"'{shown}'" if text else "nothing"
