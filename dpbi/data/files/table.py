"""A table as it stands in the file: columns of text, and the row of the file that each entry comes from."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate

from dpbi import limits

from . import vocabulary
from .outcome import READ_NOISY, CountsError, listed, shown
from .whole_numbers import DATE, FRACTION, MarkedCell, is_beside_share, is_like_number, is_number

LINE_BREAKS = re.compile(r"[\t\n\v\f\r\x85\u2028\u2029]")
TIME = re.compile(
    r"(?:\d{1,4}([-/.])\d{1,2}\1\d{1,4}|\d{1,2}[ -][^\W\d_]{3}[ -]\d{2,4})?[ T]*"
    r"(?:\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?\s*(?:[AP]\.?M\.?)?)?\s*(?:Z|UTC|(?:GMT)?[+-]\d{1,2}(?::?\d{2})?)?",
    re.IGNORECASE,
)
YEAR = re.compile(r"\b(?:19|20)\d\d\b")
JOIN = " / "
FRACTIONAL = re.compile(r"[+-]?\d*[.,](?!0*$)(?!\d{3}$)\d+")
SAMPLE = 1_000  # entries that decide what a column is; what is read is always the whole column


@dataclass(eq=False)
class Column:
    """One column. position counts from 1 in the file; name is "" where it has none.

    fetch(stop) gives the first `stop` cells (None: all). levels: the categories the file declares, or None.
    sampled: how many of its entries are looked at to tell what it is.
    """

    position: int
    name: str
    fetch: Callable[[int | None], list[str]]
    levels: tuple[str, ...] | None = None
    sampled: int = SAMPLE

    @cached_property
    def cells(self) -> list[str]:
        return self.fetch(None)

    @cached_property
    def sample(self) -> list[str]:
        """The cells of the first entries that are not blank."""
        return [cell for cell in self.fetch(self.sampled) if cell.strip()]

    @property
    def title(self) -> str:
        return self.name or f"column {self.position}"

    @property
    def label(self) -> str:
        """The title as it stands in a message."""
        return shown(self.name) if self.name else self.title

    @cached_property
    def words(self) -> set[str]:
        """The words of the header in lower case: 'memberId', 'member_id' and 'Member ID' are the same two."""
        return set(re.findall(r"[^\W\d_]+|%", re.sub(r"(?<=[a-zà-ÿ])(?=[A-ZÀ-Ý])", " ", self.name).lower()))

    def says(self, vocabulary: frozenset[str]) -> bool:
        return bool(self.words & vocabulary)

    @property
    def named_as_counts(self) -> bool:
        """'Count', 'Number of people', 'Deaths': by words that nobody has a number of, and no other."""
        known = vocabulary.COUNTS | vocabulary.POPULATION
        return self.says(known) and self.words <= known | vocabulary.FILLERS and not self.says(vocabulary.SHARES)

    @property
    def is_identifier(self) -> bool:
        """By a word of a short header, as 'member id'; in a question such as 'Who sits in your row?' the word says
        nothing."""
        return len(self.words) <= 3 and self.says(vocabulary.IDENTIFIERS)

    @property
    def may_be_answers(self) -> bool:
        """Whether its numbers may be what each person answered: a number of anything ('Number of lions'), a measure, or
        none too large for an answer; not where its name says that they are counts, or shares."""
        other = self.named_as_counts or self.says(vocabulary.SHARES) or not self.words
        asked = self.says(vocabulary.COUNTS | vocabulary.MEASUREMENTS) or self.name.rstrip().endswith("?")
        return not other and (asked or self.is_small)

    @property
    def is_small(self) -> bool:
        """No number beyond 20, the largest that a person answers with; what is no plain number says nothing."""
        digits = [number for cell in self.sample if (number := re.sub(r"[., ']", "", cell)).isdecimal()]
        return bool(digits) and all(len(number) < 6 and int(number) <= 20 for number in digits)

    @cached_property
    def holds_numbers(self) -> bool:
        """Numbers for the most part, or numbers among marks that stand for withheld or missing ones; under a year all
        may be marked ('4522 p')."""
        numbers, many = sum(map(is_number, self.sample)), len(self.sample)
        marked = (numbers > 0 or YEAR.fullmatch(self.name)) and all(map(is_like_number, self.sample))
        return many > 0 and (2 * numbers >= many or bool(marked) or all(map(is_beside_share, self.sample)))

    @property
    def may_hold_counts(self) -> bool:
        named = self.says(vocabulary.COUNTS | vocabulary.SHARES) and any(map(is_like_number, self.sample))
        return (self.holds_numbers or named) and (self.named_as_counts or not self.says(vocabulary.CODES))

    @cached_property
    def holds_times(self) -> bool:
        """Dates and times: they say when, and are no categories to suggest."""
        return bool(self.sample) and all(map(is_time, self.sample))

    @cached_property
    def distinct(self) -> int:
        """How many different entries the sample has."""
        return len({cell.strip() for cell in self.sample})

    @cached_property
    def has_fractions(self) -> bool:
        """Numbers beside a decimal mark that groups no thousands, as no count has: '3.5', '0,27'."""
        return any(map(is_fraction, self.sample))

    @property
    def repeats(self) -> bool:
        """Each entry occurs twice or more on average, as answers do; names of categories do not."""
        return 2 * self.distinct <= len(self.sample)

    @property
    def is_blank(self) -> bool:
        return not self.sample and not any(cell.strip() for cell in self.cells)

    @property
    def counts_rows(self) -> bool:
        """The first column: 0, 1, 2, … or 1, 2, 3, … all the way down."""
        first = next(iter(self.fetch(1)), "").strip() if self.position == 1 else ""
        return first in ("0", "1") and all(cell.strip() == str(i) for i, cell in enumerate(self.cells, int(first)))


@dataclass
class Table:
    """Columns of equal length under their headers; rows[i] is the row of the file that entry i comes from."""

    columns: list[Column]
    rows: Sequence[int]
    header_row: int | None
    blank_rows: int = 0
    aside: list[Column] = field(default_factory=list)  # numbers of rows: read only where an entry names them

    def kept(self, at: Sequence[int]) -> Table:
        """The table of these entries alone."""
        columns, aside = ([replace(column, fetch=lambda stop, of=column: [of.cells[i] for i in at[:stop]])  # type: ignore[misc]
                           for column in among] for among in (self.columns, self.aside))  # fmt: skip
        return Table(columns, [self.rows[i] for i in at], self.header_row, self.blank_rows, aside)

    def found(self, wanted: str | int, entry: str) -> Column:
        """The column that an entry of the form names. Raises CountsError where there is none or more than one."""
        name = one_line(wanted) if isinstance(wanted, str) else None
        columns = [c for c in (*self.aside, *self.columns) if name == c.name or wanted == c.position]
        if len(columns) == 1:
            return columns[0]
        what = f"column {wanted}" if isinstance(wanted, int) else f"column called {shown(wanted)}"
        why = f"{entry}: there is no {what}. The columns are {listed([c.label for c in self.columns], most=12)}."
        if columns:
            why = (f"{len(columns)} columns are called {columns[0].label} (columns "
                   f"{listed([str(c.position) for c in columns], 12)}); rename one or give its position.")  # fmt: skip
        raise CountsError(why, entry=entry)

    @cached_property
    def keys(self) -> dict[Column, str | int]:
        """What names each column in an answer: its header if that is its alone, else its position."""
        times = Counter(column.name for column in self.columns)
        return {c: c.name if c.name and times[c.name] == 1 else c.position for c in self.columns}

    @property
    def noise_said(self) -> str:
        """What to ask where the names of columns say that there is noise in the counts, or how much; else ""."""
        said = [column.label for column in self.columns if column.says(vocabulary.NOISY) and column.holds_numbers]
        return (f"{listed(said)}: if there is noise in these counts, they are not the true ones, and are read "
                f"{READ_NOISY}noisy_counts_posterior." if said else "")  # fmt: skip

    @property
    def texts(self) -> list[Column]:
        """The columns that hold no counts: where one is blank another may be filled, as names below their group are."""
        return [column for column in self.columns if not column.may_hold_counts]


def is_fraction(cell: str) -> bool:
    return getattr(cell, "kind", "") == FRACTION or bool(FRACTIONAL.fullmatch(cell.strip().removesuffix("%").rstrip()))


def are_years(texts: Sequence[str]) -> bool:
    return bool(texts) and all(map(is_year, texts))


def is_outer(column: Column, sides: Sequence[Column]) -> bool:
    """Whether blank cells belong to the name above them: a column to the right is filled wherever this one is not."""
    blank = [i for i, cell in enumerate(column.cells) if not cell.strip()]
    right = [other.cells for other in sides if other.position > column.position]
    return bool(blank) and blank[0] > 0 and any(all(cells[i].strip() for i in blank) for cells in right)


def filled(column: Column, sides: Sequence[Column]) -> list[str]:
    """The cells, with the name above in blank ones that belong to it."""
    if not is_outer(column, sides):
        return column.cells
    return list(accumulate(column.cells, lambda above, cell: cell if cell.strip() else above, initial=""))[1:]


def joined(columns: Sequence[Sequence[str]]) -> list[str]:
    """The names of each entry, one after another; blank ones are left out."""
    entries = list(zip(*columns, strict=True))
    name = {entry: JOIN.join(filter(None, map(one_line, entry))) for entry in set(entries)}
    return [name[entry] for entry in entries]


def is_year(text: str) -> bool:
    return bool(re.fullmatch(r"(?:19|20)\d\d|2100", text.strip()))


def is_time(cell: str) -> bool:
    if isinstance(cell, MarkedCell):
        return cell.kind == DATE
    text = cell.strip()
    dated = len(text) <= 40 and (":" in text or sum(map(text.count, "-/. ")) >= 2)
    return dated and text[:1].isdecimal() and bool(TIME.fullmatch(text))


def sampled(columns: int) -> int:
    """How many entries of each of so many columns are looked at: fewer of thousands, which are opened as soon."""
    return min(SAMPLE, 200_000 // max(columns, 1) + 1)


def one_line(name: str) -> str:
    """Outer space off, line breaks inside turned to one space, accents composed (NFC).

    To compose takes time quadratic in the accents on one letter. It makes one letter of four at most, so that what is
    longer than four names may be is no name either way and stays as it is.
    """
    line = " ".join(filter(None, map(str.strip, LINE_BREAKS.split(name))))
    return line if len(line) > 4 * limits.UPLOAD_LABEL_CHARACTERS_LARGEST else unicodedata.normalize("NFC", line)
