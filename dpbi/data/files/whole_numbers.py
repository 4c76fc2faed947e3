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
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any

from .form import Understanding
from .outcome import CountsError, listed, shown

COUNT_LIMIT = 2**63  # counts are handed on as 64-bit integers
LARGE_COUNT = 10**12  # more than there are people; usually an identifier read as a count
LONGEST_NUMBER = 64
PLAIN_DIGITS = 12  # of a number that no remark or question is about
MARKED_LARGEST = 100_000  # different cells in a column of counts that are not such numbers
TOO_LARGE = "is too large: a count must be below 2^63 = 9,223,372,036,854,775,808"
WEIGHTED = ("is not a whole number: weighted counts are not supported, because one person may move a weight by more "
            "than one")  # fmt: skip
SPACES = dict.fromkeys(map(ord, "\u00a0\u2007\u2009\u202f"), " ")
SIGNS = {0x2212: "-", 0x2019: "'", 0x02BC: "'"}
MARK_NAMES = {".": "dots", ",": "commas", " ": "spaces", "'": "apostrophes"}
MISSING = "is missing (write 0 if nobody chose it, or remove the row if it is a heading)"
NOT_FINITE = {"inf", "infinity", "nan"}
WITHHELD = NOT_FINITE | {"na", "n/a", "none", "null", "x", "c", "s", "suppressed", "confidential", "missing"}
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


FORMULA = "a formula whose value was not saved; open the file in a spreadsheet, save it and upload it again"
SPREADSHEET_ERROR = "an error of the spreadsheet"
BOOLEAN = "true/false"
DATE = "a date or time"
FRACTION = "a fraction"
NESTED = "a list or record"
BINARY = "binary data"


def cell_of(value: Any) -> str:
    """The cell of a value as a workbook or Parquet file holds it."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, bool):
        return MarkedCell(str(value), BOOLEAN)
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float | Decimal):
        return MarkedCell(repr(value) if isinstance(value, float) else f"{value:f}", FRACTION)
    return MarkedCell(repr(value), BINARY) if isinstance(value, bytes) else MarkedCell(str(value), DATE)


def _pattern(grouping: str, decimal: str, grouped: str = "") -> re.Pattern[str]:
    grouped = grouped or rf"[1-9]\d{{0,2}}([{grouping}])\d{{3}}(?:\3\d{{3}})*"  # group 3 of the whole
    tail = rf"(?:[{decimal}](\d*))?"
    return re.compile(rf"([+-]?)(?:({grouped}){tail}|(\d*){tail}(?:[eE]([+-]?\d{{1,4}}))?)")


CONVENTIONS = {
    "English": _pattern(",' ", "."),
    "continental": _pattern(".' ", ","),
    "ungrouped": _pattern("' ", ".,"),
    # Groups of other than three digits: they are never read without an answer.
    "lakh": _pattern(",", ".", r"[1-9]\d?([,])\d{2}(?:\3\d{2})*\3\d{3}|[1-9]\d{0,2},\d{3}"),
    "myriad": _pattern(",", ".", r"[1-9]\d{0,3}([,])\d{4}(?:\3\d{4})*"),
}
CONVENTION_OF = {",": "English", ".": "continental", "lakh": "lakh", "myriad": "myriad"}  # of other marks: ungrouped


def plain(cell: str) -> str:
    """The cell with one kind of space, apostrophe, minus and digit."""
    text = cell.strip()
    if text.isascii():
        return text
    text = text.translate(SPACES).translate(SIGNS)
    return OTHER_DIGIT.sub(lambda digit: str(unicodedata.decimal(digit[0])), text)


def is_number(cell: str) -> bool:
    """Whether the cell is a number, or one with a percent sign, under some convention."""
    text = cell.strip().removesuffix("%").rstrip()
    return len(text) <= LONGEST_NUMBER and not _marked_otherwise(cell) and _is_number(plain(text))


@lru_cache(10_000)
def _is_number(text: str) -> bool:
    return any(_matched(text, pattern) for pattern in CONVENTIONS.values())


def is_like_number(cell: str) -> bool:
    """A number, or something written in the place of one: '<5', '*', '~30', '10-19', 'inf', '-'."""
    text = plain(cell)
    return bool(LIKE_NUMBER.fullmatch(text)) or text.lower() in WITHHELD


def is_beside_share(cell: str) -> bool:
    """A count and its share in one cell, as in '120 (13.4%)'."""
    return bool(SHARE_BESIDE.fullmatch(plain(cell)))


def _marked_otherwise(cell: str) -> bool:
    return isinstance(cell, MarkedCell) and cell.kind != FRACTION


@dataclass(frozen=True)
class Number:
    value: Decimal
    grouping: str  # the thousands mark used, "" for none
    scientific: bool


def _matched(text: str, pattern: re.Pattern[str]) -> re.Match[str] | None:
    """A match that has a digit before any exponent (the parts of the patterns are all optional)."""
    found = pattern.fullmatch(text) if len(text) <= LONGEST_NUMBER else None
    return found if found and any(found.group(2, 4, 5, 6)) else None


def parse(text: str, convention: str) -> Number | None:
    """The number under a convention, or None where the text is none."""
    found = _matched(text, CONVENTIONS[convention])
    if not found:
        return None
    sign, grouped, mark, grouped_tail, whole, tail, exponent = found.groups()
    digits = re.sub(r"\D", "", grouped) if grouped else whole
    value = Decimal(f"{sign}{digits or 0}.{grouped_tail or tail or 0}E{exponent or 0}")
    return Number(value, mark or "", exponent is not None)


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
    count, CountsQuestion where a mark can mean two things.
    """
    texts = _marked(cells)
    unmarked = {text: cell for cell, text in texts.items() if not isinstance(cell, MarkedCell)}
    convention = _convention(unmarked, lambda text: rows(cells.index(unmarked[text])), separator, form)
    numbers = {
        # What a workbook or Parquet file holds as a number has no marks to interpret: it comes with a point.
        cell: None if _marked_otherwise(cell) else parse(text, convention if text in unmarked else "English")
        for cell, text in texts.items()
    }
    complaints = {cell: _complaint(cell, texts[cell], number) for cell, number in numbers.items()}
    first = next((i for i, cell in enumerate(cells) if complaints.get(cell)), None)
    if first is not None:
        if len(cells) <= MARKED_LARGEST:  # more shares than that are too small to be written
            values = [numbers[cell] if cell in numbers else parse(cell, "English") for cell in cells]
            _refuse_shares(values, rows(first), cells[first])
        alike = array("q", (i for i, cell in enumerate(cells) if complaints.get(cell) == complaints[cells[first]]))
        _refuse(alike, cells, complaints[cells[first]], names, rows)
    if len(texts) > MARKED_LARGEST:
        raise CountsError(f"more than {MARKED_LARGEST:,} different cells of the column of counts have marks, spaces or "
                          f"more than {PLAIN_DIGITS} digits; write the counts as plain digits.")  # fmt: skip
    _remark({cell: number for cell, number in numbers.items() if number}, form)
    whole = {cell: int(number.value) for cell, number in numbers.items() if number}
    return array("q", (whole[cell] if cell in whole else int(cell) for cell in cells))


def _marked(cells: Sequence[str]) -> dict[str, str]:
    """The different cells that are not plainly digits, each with its text; no more of them than are read and one.

    Digits mean the same under every convention. Most cells are such, and of them nothing more is held.
    """
    texts: dict[str, str] = {}
    for cell in cells:
        digits = len(cell) <= PLAIN_DIGITS and cell.isdigit() and cell.isascii() and type(cell) is str
        if not digits and cell not in texts:
            texts[cell] = plain(cell)
            if len(texts) > MARKED_LARGEST:
                break
    return texts


def _convention(texts: Iterable[str], row: Callable[[str], int], separator: str | None, form: Understanding) -> str:
    """What dots and commas mean: as said; else as the cells show that can be read in one way; else as groups of three,
    which is the one reading that gives whole numbers, and is asked about."""
    said = form.said.thousands
    if said is not None:
        form.settle("thousands", said)
        return CONVENTION_OF.get(said, "ungrouped")
    english = {text: parse(text, "English") for text in texts if "." in text or "," in text}
    continental = {text: parse(text, "continental") for text in english}
    strange = [text for text in english if "," in text and
               not any(map(_is_whole, (english[text], continental[text])))]  # fmt: skip
    for name in ("lakh", "myriad"):  # commas before groups of two or of four digits, as in 12,34,567 and 12,3456
        if strange and all(parse(text, name) for text in strange):
            why = f"Commas seem to mark groups of digits: {shown(strange[0])} is {strange[0].replace(',', '')}."
            return str(form.settle("thousands", name, why))
    only_english = [text for text in english if english[text] and not continental[text]]
    only_continental = [text for text in english if continental[text] and not english[text]]
    unclear = [text for text in english if english[text] and continental[text]]
    if only_english and only_continental:
        raise CountsError(
            f"{shown(only_english[0])} and {shown(only_continental[0])} use dot and comma in opposite ways; write "
            "all counts as plain whole numbers.",
            row(only_english[0]),
            only_english[0],
        )
    if only_continental:
        return "continental"
    if only_english or not unclear or (separator == "," and all("," in text for text in unclear)):
        return "English"
    mark = "." if "." in unclear[0] else ","
    readings = listed([f"{shown(text)} = {re.sub(r'[.,]', '', text)}" for text in unclear], most=3)
    why = f"{MARK_NAMES[mark].capitalize()} seem to separate thousands ({readings}): else they are fractions."
    return CONVENTION_OF[form.settle("thousands", mark, why)]


def _is_whole(number: Number | None) -> bool:
    return number is not None and abs(number.value) < COUNT_LIMIT and number.value == number.value.to_integral_value()


def _complaint(cell: str, text: str, number: Number | None) -> str:
    """Why the cell is no count, as a phrase after the cell itself; "" if it is one."""
    if isinstance(cell, MarkedCell) and cell.kind != FRACTION:
        return f"is {cell.kind}; a count is needed"
    if not text:
        return MISSING
    if number is None:
        return _not_a_number(text)
    if number.value < 0:
        return "is negative: counts cannot be negative"
    if number.value >= COUNT_LIMIT:
        return TOO_LARGE
    return "" if _is_whole(number) else WEIGHTED


def _not_a_number(text: str) -> str:
    if text.isdecimal():
        return TOO_LARGE
    if text.lower().lstrip("+-") in NOT_FINITE:
        return "is not finite: counts must be finite whole numbers"
    if is_beside_share(text):
        return "holds a count and a share in one cell: put the counts in a column of their own"
    if text.endswith("%"):
        return "is a percentage: counts of people are needed"
    return "is not a count: suppressed, approximate or worded cells cannot be used"


def _refuse(
    alike: Sequence[int],
    cells: Sequence[str],
    complaint: str,
    names: Callable[[int], str],
    rows: Callable[[int], int],
) -> None:
    """Raises for the first bad cell and all others with the same complaint, which are `alike`."""
    first = alike[0]
    if complaint == MISSING:
        of = f" for {shown(names(first))}" if names(first) else ""
        reason = f"the count{of} {MISSING}."
    else:
        others = listed([f"{shown(cells[i])} in row {rows(i)}" for i in alike[1:5]], most=4, of=len(alike) - 1)
        reason = f"{shown(cells[first])} {complaint}{'; likewise ' + others if others else ''}."
    raise CountsError(reason, rows(first), cells[first])


def _refuse_shares(numbers: list[Number | None], row: int, cell: str) -> None:
    """Raises in plainer words where fractions add to 1 or to 100, up to the rounding of their last digit."""
    values = [number.value for number in numbers if number and 0 <= number.value < COUNT_LIMIT]
    total = sum(values, Decimal()) if len(values) == len(numbers) else Decimal()
    for whole, what in ((1, "proportions"), (100, "percentages")):
        if abs(total - whole) <= whole * Decimal("0.01"):
            reason = f"these look like {what} (they add to {total}); counts of people are needed."
            raise CountsError(f"{shown(cell)}: {reason}", row, cell)


def _remark(numbers: dict[str, Number], form: Understanding) -> None:
    """Each remark once, by its first cell."""
    remarks: dict[str, str] = {}
    for cell, number in numbers.items():
        value = int(number.value)
        if number.grouping:
            name = MARK_NAMES[number.grouping].capitalize()
            remarks.setdefault(name, f"{name} were read as thousands separators: {shown(cell)} is {value}.")
        if number.scientific:
            remarks.setdefault("e", f"Scientific notation ({shown(cell)} is {value}): check that no digits were lost.")
        if value >= LARGE_COUNT:
            remarks.setdefault("large", f"Very large counts ({shown(cell)}): check the column.")
    for sentence in remarks.values():
        form.remark(sentence)
