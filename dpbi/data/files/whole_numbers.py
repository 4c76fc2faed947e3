"""From the text of cells to whole numbers, exactly; the marks in them are decided for a column at once.

A dot or a comma before a group of three digits can mean two things: '1.234' is 1234 to a German and a little
more than one to an Englishman. A column is read under one of three conventions: English (decimal point),
continental (decimal comma) or ungrouped. Cells that can be read in one way only are the evidence; where there
is none and it matters, a person is asked.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, time
from decimal import Decimal
from functools import lru_cache
from typing import Any

from .form import Understanding
from .outcome import READ_NOISY, CountsError, listed, shown

COUNT_LIMIT = 2**63  # counts are handed on as 64-bit integers
LONGEST_NUMBER = 64
ONE_WAY = str.maketrans("\u00a0\u2007\u2009\u202f\u2212\u2019\u02bc", "    -''")  # spaces, minus and apostrophes
MARK_NAMES = {".": "Dots", ",": "Commas", " ": "Spaces", "'": "Apostrophes"}
WITHHELD = {"inf", "infinity", "nan", "na", "n/a", "none", "null", "x", "c", "s", "suppressed", "confidential",
            "missing"}  # fmt: skip
OTHER_DIGIT = re.compile(r"[^\D0-9]")
SHARE_BESIDE = re.compile(r"[\d.,' ]{1,40}[(\[][<>]?[\d., ]{1,20}%?[)\]]|[\d.,' ]{1,40}[/;|][\d., ]{1,20}%")
LIKE_NUMBER = re.compile(r"[\d\s.,:;'<>~≈≤≥±=*+%()/?!#†‡·•…‐‑‒–—-]+(?: [a-z]{1,2})?")  # a flag may follow


class MarkedCell(str):
    """A cell of a workbook or Parquet file that is not text or a whole number, with what it is instead."""

    kind: str

    def __new__(cls, text: str, kind: str) -> MarkedCell:
        cell = super().__new__(cls, text)
        cell.kind = kind
        return cell


ERROR = "an error of the spreadsheet"
DATE = "a date or time"
FRACTION = "a fraction"
NESTED = "a list, a record or bytes"


def cell_of(value: Any) -> str:
    """The cell of a value as a workbook or Parquet file holds it."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, float | Decimal):
        return MarkedCell(repr(value) if isinstance(value, float) else f"{value:f}", FRACTION)
    if isinstance(value, str | int):
        return str(value)
    if isinstance(value, datetime) and value.time() == time():
        value = value.date()
    return MarkedCell(str(value), NESTED if isinstance(value, bytes) else DATE)


DECIMAL_MARKS = {"English": ".", "continental": ",", "ungrouped": ".,", "lakh": "."}
GROUPED = {  # group 3 of the whole is the mark between groups
    "English": r"[1-9]\d{0,2}([,' ])\d{3}(?:\3\d{3})*",
    "continental": r"[1-9]\d{0,2}([.' ])\d{3}(?:\3\d{3})*",
    "ungrouped": r"[1-9]\d{0,2}([' ])\d{3}(?:\3\d{3})*",
    "lakh": r"[1-9]\d?([,])\d{2}(?:\3\d{2})*\3\d{3}|[1-9]\d{0,2},\d{3}",  # never read without an answer
}
NUMBER = {
    name: re.compile(rf"([+-]?)(?:({grouped}){tail}|(\d*){tail}(?:[eE]([+-]?\d{{1,4}}))?)")
    for name, grouped in GROUPED.items() for tail in [rf"(?:[{DECIMAL_MARKS[name]}](\d*))?"]
}  # fmt: skip
CONVENTION_OF = {",": "English", ".": "continental", "lakh": "lakh"}  # of other marks: ungrouped


def plain(cell: str) -> str:
    """The cell with one kind of space, apostrophe, minus and digit."""
    text = cell.strip()
    if text.isascii():
        return text
    return OTHER_DIGIT.sub(lambda digit: str(unicodedata.decimal(digit[0])), text.translate(ONE_WAY))


def is_number(cell: str) -> bool:
    """Whether the cell is a number, or one with a percent sign, under some convention."""
    text = cell.strip().removesuffix("%").rstrip()
    return len(text) <= LONGEST_NUMBER and not _marked_otherwise(cell) and _is_number(plain(text))


@lru_cache(10_000)
def _is_number(text: str) -> bool:
    return any(parse(text, convention) is not None for convention in NUMBER)


def is_like_number(cell: str) -> bool:
    """A number, or something written in the place of one: '<5', '*', '~30', '10-19', 'inf', '-'."""
    text = plain(cell)
    return bool(LIKE_NUMBER.fullmatch(text)) or text.lower() in WITHHELD


def is_beside_share(cell: str) -> bool:
    """A count and its share in one cell, as in '120 (13.4%)'."""
    return bool(SHARE_BESIDE.fullmatch(plain(cell)))


def _marked_otherwise(cell: str) -> bool:
    return isinstance(cell, MarkedCell) and cell.kind != FRACTION


def parse(text: str, convention: str) -> Decimal | None:
    """The number under a convention, or None where the text is none: it needs a digit before any exponent."""
    found = NUMBER[convention].fullmatch(text) if len(text) <= LONGEST_NUMBER else None
    if not found or not any(found.group(2, 4, 5, 6)):
        return None
    sign, grouped, _, grouped_tail, whole, tail, exponent = found.groups()
    digits = re.sub(r"\D", "", grouped or whole)
    return Decimal(f"{sign}{digits or 0}.{grouped_tail or tail or 0}E{exponent or 0}")


def whole_numbers(
    cells: Sequence[str],
    names: Callable[[int], str],
    rows: Callable[[int], int],
    separator: str | None,
    form: Understanding,
) -> Sequence[int]:
    """The cells as counts.

    names(i) and rows(i) give the category and the row of cell i for a message; separator: that of the file (a
    comma cannot separate cells and be the decimal mark too). Raises CountsError at the first cell that is no
    count; where a mark can mean two things it is asked.
    """
    # Digits mean the same under every convention. Most cells are such, few enough that no remark
    # is about them, and of them nothing more is held.
    marked = dict.fromkeys(
        cell for cell in cells
        if not (len(cell) <= 12 and cell.isdigit() and cell.isascii() and type(cell) is str)
    )  # fmt: skip
    # What a workbook or Parquet file holds as a number has no marks to interpret: it comes with a point.
    texts = {cell: plain(cell) for cell in marked if not isinstance(cell, MarkedCell)}
    convention = _convention(list(texts.values()), separator, form)
    values = {cell: parse(texts[cell], convention) if cell in texts else parse(cell, "English") for cell in marked}
    complaints = {cell: complaint for cell, value in values.items() if (complaint := _complaint(cell, value))}
    if complaints:
        _refuse(complaints, cells, names, rows)
    _remark({texts[cell]: int(value) for cell, value in values.items() if value is not None and cell in texts},
            DECIMAL_MARKS[convention], form)  # fmt: skip
    return array("q", (int(values[cell] or 0) if cell in values else int(cell) for cell in cells))


def _convention(texts: Sequence[str], separator: str | None, form: Understanding) -> str:
    """What dots and commas mean: as said; else as the cells show that can be read in one way; else as groups of three,
    which is the one reading that gives whole numbers, and is asked about."""
    if form.said.thousands is not None:
        return CONVENTION_OF.get(form.settle("thousands", ""), "ungrouped")
    marked = [text for text in texts if "." in text or "," in text]
    readings = [(text, parse(text, "English"), parse(text, "continental")) for text in marked]
    strange = [text for text, *values in readings if "," in text and not any(map(_is_whole, values))]
    if strange and all(parse(text, "lakh") is not None for text in strange):
        why = f"Commas seem to mark groups of digits: {shown(strange[0])} is {strange[0].replace(',', '')}."
        return str(form.settle("thousands", "lakh", why))
    english = {text for text, value, _ in readings if value is not None}
    continental = {text for text, _, value in readings if value is not None}
    if english < continental:
        return "continental"
    unclear = [text for text in marked if text in english]
    if english != continental or not unclear or (separator == "," and all("," in text for text in unclear)):
        return "English"
    mark = "." if "." in unclear[0] else ","
    whole = listed([f"{shown(text)} = {re.sub(r'[.,]', '', text)}" for text in unclear], most=3)
    why = f"{MARK_NAMES[mark]} seem to separate thousands ({whole}): else they are fractions."
    return CONVENTION_OF[form.settle("thousands", mark, why)]


def _is_whole(value: Decimal | None) -> bool:
    return value is not None and abs(value) < COUNT_LIMIT and value == value.to_integral_value()


def _complaint(cell: str, value: Decimal | None) -> str:
    """Why the cell is no count, as a phrase after the cell itself; "" if it is one."""
    number = value or Decimal(0)
    complaints = (
        (_marked_otherwise(cell), f"is {getattr(cell, 'kind', '')}; a count is needed"),
        (not cell.strip(), "is missing (write 0 if nobody chose it, or remove the row if it is a heading)"),
        (value is None, "is not a count: suppressed, approximate or worded cells and percentages cannot be used; "
                        "counts must be finite whole numbers"),
        (number < 0, "is negative: true counts cannot be negative; noisy ones can, and are read "
                     f"{READ_NOISY}noisy_counts_posterior"),
        (number >= COUNT_LIMIT, f"is too large: a count must be below 2^63 = {COUNT_LIMIT:,}"),
        (not _is_whole(number), "is not a whole number: weighted counts are not supported, because one person may move "
                                "a weight by more than one, nor are proportions or percentages"),
    )  # fmt: skip
    return next((why for holds, why in complaints if holds), "")


def _refuse(
    complaints: Mapping[str, str], cells: Sequence[str], names: Callable[[int], str], rows: Callable[[int], int]
) -> None:
    """Raises for the first bad cell and all others with the same complaint."""
    first = next(i for i, cell in enumerate(cells) if cell in complaints)
    complaint = complaints[cells[first]]
    alike = [i for i in range(first + 1, len(cells)) if complaints.get(cells[i]) == complaint]
    others = listed([f"{shown(cells[i])} in row {rows(i)}" for i in alike[:4]], most=4, of=len(alike))
    what = shown(cells[first]) if cells[first].strip() else f"the count for {shown(names(first))}"
    raise CountsError(f"{what} {complaint}{'; likewise ' + others if others else ''}.", rows(first))


def _remark(values: Mapping[str, int], decimal_marks: str, form: Understanding) -> None:
    """Each remark once, by its first cell."""
    kinds: list[tuple[Callable[..., bool], str]] = [
        *((lambda text, mark=mark: mark in text, f"{name} were read as thousands separators: {{}} is {{}}.")
          for mark, name in MARK_NAMES.items() if mark not in decimal_marks),
        (lambda text: "e" in text.lower(), "Scientific notation ({} is {}): check that no digits were lost."),
        # more than there are people; usually an identifier read as a count
        (lambda text: values[text] >= 10**12, "Very large counts ({}): check the column."),
    ]
    for holds, remark in kinds:
        if text := next(filter(holds, values), ""):
            form.remark(remark.format(shown(text), values[text]))
