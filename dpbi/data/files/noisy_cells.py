"""Noisy counts as they stand in a table: which columns hold the values, their names and the size of their noise, and
what stands in place of a withheld value.

What a column is for is guessed from its header and shown; what a cell means is read, or asked, and never guessed:
a withheld value is no 0.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from dpbi import limits

from . import vocabulary
from .form import Form, Key, Understanding
from .outcome import CountsError, listed, shown
from .reading import Opened, table_in
from .sums import says_total
from .table import Column, Table, is_year, joined, one_line
from .whole_numbers import ERROR, MarkedCell, is_like_number, is_number, parse, plain

STANDARD_DEVIATIONS, VARIANCES, SCALES = "standard deviations", "variances", "scales"
POINT, COMMA = ".", ","
_CONVENTIONS = {POINT: "English", COMMA: "continental"}
_SAID_BY = {
    STANDARD_DEVIATIONS: frozenset({"stddev", "sd", "std", "stdev", "sigma", "deviation"}),
    VARIANCES: frozenset({"variance", "variances", "var"}),
    SCALES: frozenset({"scale", "scales"}),
}
_OF_NOISE = frozenset().union(*_SAID_BY.values())
_BOUND = re.compile(r"(<|≤|<=|under|below|less than|fewer than|at most)\s*(\d[\d.,' ]*)", re.IGNORECASE)
_LAST = re.compile(r"(.*[^\W\d].*?) ([-−+]?\d[\d.,]*|[<≤] ?\d[\d.,]*|\*)")  # a name, then a value
_INCLUSIVE = ("≤", "<=", "at most")


@dataclass(frozen=True)
class NoisyColumns:
    """What each column is for, by its header or position: values; labels: of the categories, joined where several, ()
    where there are none; noise: None, or of what size the noise of each row is, which ``sizes`` are, such as VARIANCES.
    """

    values: Key
    labels: tuple[Key, ...] = ()
    noise: Key | None = None
    sizes: str = ""


@dataclass(frozen=True)
class NoisyCells:
    """What the rows hold. labels; values: None where a mark stands instead; marks: what stands there, "" in an empty
    cell; sizes: of the noise, () without such a column, None where a total has none; totals: the places of rows that
    say that they are a total; said: whether a header speaks of noise."""

    labels: tuple[str, ...]
    values: tuple[float | None, ...]
    marks: tuple[str | None, ...]
    sizes: tuple[float | None, ...]
    totals: tuple[int, ...]
    said: bool

    @property
    def fractional(self) -> bool:
        """Whether a value has decimals, as of noise that was not rounded."""
        return any(value is not None and value % 1 for value in self.values)


def with_values_apart(text: str) -> str:
    """Pasted lines that end in a value after nothing but spaces, 'No diploma 412', with a tab before it; any other text
    as it is. The first line may be one of names."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if re.search(r"[\t;|]|,(?!\d)| {2,}", text) or len(lines) < 2 or not any(" " in line for line in lines):
        return text
    split = [_LAST.fullmatch(line) for line in lines]
    if not all(split[1:]) or any(is_number(found[1]) for found in split if found):
        return text
    first = [] if split[0] else ["\t".join(lines[0].rsplit(" ", 1))]
    return "\n".join([*first, *(f"{found[1]}\t{found[2]}" for found in split if found)])


def noisy_table(file: Opened) -> tuple[Table, tuple[str, ...]]:
    """The table, and what is to be remarked on it. One row of values under the names of their categories is turned.

    Raises CountsError where there is no table.
    """
    form = _understanding(file, Form())
    table = table_in(file, form)
    numbers = [is_number(column.name) and not is_year(column.name) for column in table.columns]
    if any(numbers) and not all(numbers) and file.file_format != "parquet":  # a value above nothing but withheld ones
        form = _understanding(file, Form(header_row=()))
        table = table_in(file, form)
    if len(table.rows) == 1 and len(table.columns) > 1 and all(map(is_like_number, _record(table))):
        table = _turned(table)
    for row, why in form.left_out.items():
        form.remark(f"Left out: row {row:,} ({why}).")
    return table, tuple(form.remarks)


def _understanding(file: Opened, said: Form) -> Understanding:
    return Understanding(said, {}, [], [*file.form.remarks])


def holds_values(column: Column) -> bool:
    """Numbers, or nothing but what stands in place of withheld ones."""
    return column.holds_numbers or (bool(column.sample) and all(map(is_like_number, column.sample)))


def _record(table: Table) -> list[str]:
    return [column.cells[0] for column in table.columns]


def _turned(table: Table) -> Table:
    names, values = [column.name for column in table.columns], _record(table)
    columns = {"category": names, "value": values} if all(names) else {"value": values}
    turned = [Column(i, name, lambda stop, cells=cells: cells[:stop])  # type: ignore[misc]
              for i, (name, cells) in enumerate(columns.items(), 1)]  # fmt: skip
    return Table(turned, [table.rows[0]] * len(values), None)


def guessed_columns(table: Table) -> NoisyColumns:
    """By the words of the headers: noise first, then values, of the columns that hold numbers; names are the first
    column of texts. Raises CountsError where no column holds numbers."""
    numeric = [column for column in table.columns if holds_values(column) and not column.counts_rows]
    numeric = numeric or [column for column in table.columns if holds_values(column)]
    if not numeric:
        raise CountsError("no column holds numbers: a column of noisy counts is needed.")
    of_noise = [column for column in numeric if column.says(_OF_NOISE)][: len(numeric) - 1]
    free = [column for column in numeric if column not in of_noise]
    values = max(free, key=lambda column: (column.says(vocabulary.NOISY), column.says(vocabulary.COUNTS),
                                           column.named_as_counts, not column.is_identifier))  # fmt: skip
    names = [column for column in table.columns if not holds_values(column) and not column.is_blank]
    names = names or [column for column in free if column is not values and column.distinct == len(column.sample)]
    sizes = next((what for what, said in _SAID_BY.items() if of_noise and of_noise[0].says(said)), "")
    return NoisyColumns(table.keys[values], tuple(table.keys[column] for column in names[:1]),
                        table.keys[of_noise[0]] if of_noise else None, sizes)  # fmt: skip


def marks_of_decimals(table: Table, columns: NoisyColumns) -> tuple[str, bool]:
    """What decimals are marked by, POINT or COMMA, and whether the cells can be read in both ways to different ends."""
    keys = [columns.values] + ([] if columns.noise is None else [columns.noise])
    texts = {plain(cell) for key in keys for cell in table.found(key, "column").cells if is_number(cell)
             and not isinstance(cell, MarkedCell)}  # fmt: skip
    read = {mark: {text: parse(text, _CONVENTIONS[mark]) for text in texts} for mark in _CONVENTIONS}
    can = {mark: {text for text, value in found.items() if value is not None} for mark, found in read.items()}
    both = can[POINT] & can[COMMA]
    differ = any(read[POINT][text] != read[COMMA][text] for text in both)
    if can[POINT] != can[COMMA]:
        return (POINT if len(can[POINT]) > len(can[COMMA]) else COMMA), False
    return POINT, differ


def noisy_cells(table: Table, columns: NoisyColumns, decimals: str = POINT) -> NoisyCells:
    """The cells of the columns, exactly. decimals: the mark before them, POINT or COMMA.

    Raises CountsError, which names row and cell, for what is neither a number nor a mark of a withheld one, for a name
    that stands twice or too long, for a size of noise that is no number >= 0, and for less than 2 categories.
    """
    values = table.found(columns.values, "column")
    names = [table.found(key, "column") for key in columns.labels]
    sizes = None if columns.noise is None else table.found(columns.noise, "column")
    if values in names or sizes is values or sizes in names:
        raise CountsError("values, names and noise must stand in columns of their own.")
    k = len(values.cells)
    if not 2 <= k <= limits.CATEGORIES_LARGEST + 1:
        raise CountsError(f"2 to {limits.CATEGORIES_LARGEST:,} categories are read: the table has {k:,} "
                          f"row{'s' * (k != 1)}.")  # fmt: skip
    rows = tuple(table.rows)
    labels = _labels(names, k, rows)
    read = [_value(cell, decimals, label, row) for cell, label, row in zip(values.cells, labels, rows, strict=True)]
    found = () if sizes is None else tuple(
        _size(cell, decimals, label, row, bool(names) and says_total(label))
        for cell, label, row in zip(sizes.cells, labels, rows, strict=True))
    return NoisyCells(
        labels, tuple(None if isinstance(one, str) else one for one in read),
        tuple(one if isinstance(one, str) else None for one in read), found,
        tuple(i for i, label in enumerate(labels) if names and says_total(label)),
        any(column.says(vocabulary.NOISY | _OF_NOISE) for column in table.columns),
    )  # fmt: skip


def _labels(names: Sequence[Column], k: int, rows: Sequence[int]) -> tuple[str, ...]:
    labels = joined([column.cells for column in names]) if names else [f"category {i + 1}" for i in range(k)]
    labels = [one_line(label) or f"(blank, row {row})" for label, row in zip(labels, rows, strict=True)]
    for label, row in zip(labels, rows, strict=True):
        limits_ = limits.UPLOAD_LABEL_CHARACTERS_LARGEST
        if len(label) > limits_:
            raise CountsError(f"the name {shown(label)} is too long: at most {limits_} characters.", row)
    twice = [label for label, times in Counter(labels).items() if times > 1]
    if twice:
        at = [f"{row:,}" for label, row in zip(labels, rows, strict=True) if label == twice[0]]
        raise CountsError(f"{shown(twice[0])} names {len(at)} rows ({listed(at)}): every category needs a name of its "
                          "own. Join several columns of names, or leave rows out of what you bring.")  # fmt: skip
    return tuple(labels)


def _value(cell: str, decimals: str, label: str, row: int) -> float | str:
    """The number, or the mark that stands in its place."""
    number = _number(cell, decimals)
    if number is not None:
        return _float(number)
    text = "" if isinstance(cell, MarkedCell) and cell.kind == ERROR else plain(cell)
    if not text or threshold(text) is not None or (is_like_number(text) and not re.search(r"\d|%", text)):
        return text
    raise CountsError(f"the value of {shown(label)} is no number and no mark of a withheld one such as <10 or *: got "
                      f"{shown(cell)}.", row)  # fmt: skip


def _size(cell: str, decimals: str, label: str, row: int, is_total: bool) -> float | None:
    """A total, which may be exact or left out, need have none."""
    number = _number(cell, decimals)
    if number is None and is_total and not re.search(r"\d", plain(cell)):
        return None
    if number is None or number < 0:
        raise CountsError(f"the noise of {shown(label)} must be a number of at least 0: got {shown(cell)}.", row)
    return _float(number)


def _number(cell: str, decimals: str) -> Decimal | None:
    return parse(cell, "English") if isinstance(cell, MarkedCell) else parse(plain(cell), _CONVENTIONS[decimals])


def _float(number: Decimal) -> float:
    return float(number)


def threshold(mark: str) -> int | None:
    """What a mark such as '<90' says that the value is below; None where it says no such thing."""
    found = _BOUND.fullmatch(plain(mark))
    number = parse(found[2].strip(), "English") if found else None
    if found is None or number is None or number % 1:
        return None
    return int(number) + (found[1].lower() in _INCLUSIVE)
