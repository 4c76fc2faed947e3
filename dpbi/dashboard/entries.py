"""What a person typed, read as the numbers it stands for, or refused in a sentence that says how to write it."""

from __future__ import annotations

import re
from collections import Counter
from decimal import Decimal, InvalidOperation

from dpbi import limits

LABEL_LENGTH_LARGEST = 500
TEXT_LENGTH_LARGEST = 200_000
SEED_LARGEST = 2**32 - 1


def number(name: str, text: str) -> float:
    """One number, with a decimal point; 1e-8 may be written so."""
    try:
        return float(text)
    except ValueError:
        hint = " Write decimals with a point." if "," in text else ""
        raise ValueError(f"{name} must be a number such as 0.5 or 1e-8: got {_quoted(text)}.{hint}") from None


def whole(name: str, text: str, least: int, largest: int) -> int:
    """One whole number within [least, largest], read exactly; 1e12 may be written so."""
    try:
        value = Decimal(text.strip())
    except InvalidOperation:
        raise ValueError(f"{name} must be a whole number such as 90 or 1e6: got {_quoted(text)}.") from None
    # An exponent can ask for a number that fills the memory: only what can be within the limits is expanded.
    exact = value.is_finite() and abs(value.adjusted()) < 30 and value == value.to_integral_value()
    return limits.whole_number(name, int(value) if exact else float(value), least, largest)


def numbers(name: str, text: str) -> tuple[float, ...]:
    """Numbers separated by spaces, commas, semicolons or line ends."""
    return tuple(number(f"{name}[{i}]", word) for i, word in enumerate(_words(text)))


def counts(text: str) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Labels and counts: a line per category that ends in its count, or nothing but counts in one line.

    Label and count are separated by a comma, semicolon, colon, equals sign, tab or space; a category without a
    label is called by its place. Returns labels and counts. Raises ValueError naming the line.
    """
    if len(text) > TEXT_LENGTH_LARGEST:
        raise ValueError(f"The text may have at most {TEXT_LENGTH_LARGEST:,} characters: got {len(text):,}.")
    lines = [(place, line.strip()) for place, line in enumerate(text.splitlines(), 1) if line.strip()]
    if len(lines) == 1 and all(_is_number(word) for word in _words(lines[0][1])):
        lines = [(1, word) for word in _words(lines[0][1])]
    labels, read = [], []
    for i, (place, line) in enumerate(lines):
        label, word = _split(line)
        labels.append(label or f"Category {i + 1}")
        try:
            read.append(whole("the count", word, 0, limits.TOTAL_LARGEST))
        except ValueError as refusal:
            raise ValueError(f"Line {place}: {refusal}") from None
        if len(label) > LABEL_LENGTH_LARGEST:
            raise ValueError(f"Line {place}: a label may have at most {LABEL_LENGTH_LARGEST} characters, "
                             f"got {len(label):,}.")
    check_labels(labels)
    return tuple(labels), limits.check_counts(read)


def check_labels(labels: list[str]) -> None:
    """ValueError where two categories bear one name: their counts would be told apart by colour alone."""
    (label, times), = Counter(labels).most_common(1) or [("", 0)]
    if times > 1:
        raise ValueError(f"{times} categories are called {_quoted(label)}: every category needs a name of its own.")


def _split(line: str) -> tuple[str, str]:
    """The label, which may be empty, and the last word."""
    found = re.fullmatch(r"(.*?)[\s,;:=]+([^\s,;:=]+)", line)
    return (found[1], found[2]) if found else ("", line)


def _words(text: str) -> list[str]:
    return [word for word in re.split(r"[\s,;]+", text) if word]


def _is_number(word: str) -> bool:
    try:
        Decimal(word)
    except InvalidOperation:
        return False
    return True


def _quoted(text: str) -> str:
    shown = text if len(text) <= 60 else text[:59] + "…"
    return f"'{shown}'" if text else "nothing"
