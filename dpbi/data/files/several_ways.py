"""Tables of counts with more than one way through them: a grid of rows and columns, or categories once per group.

Such a table is never added up unasked: where its rows are items that the same people answered, or years of the same
people, a sum counts each person several times. What is chosen is handed on as one row, or as names and counts.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from dpbi import limits

from .answers import Answers
from .names import is_total
from .outcome import CountsError, listed, shown
from .table import Column, Table, is_year, one_line

JOIN = " / "
YEAR = re.compile(r"\b(?:19|20)\d\d\b")
GROUP = re.compile(r"(?<=\d)[.'’\s](?=\d{3}(?!\d))")
CODES = range(11)  # numbers that answers on a scale are coded by
GRID = ("row", "column", "all", "row sums", "column sums")
GROUPS = ("group", "all", "group sums")
PLAIN_DIGITS = 15
CELLS_LARGEST = 200_000  # of a grid: a larger table is one of records
SAME_PEOPLE = 0.1  # rows whose sums differ by less may be the answers of the same people, some left out


@dataclass(frozen=True)
class Selection:
    """Names with their counts as cells of the table. settled: that equal names are added up was answered.
    lines: for each entry its line and its line across, of a table of which more than one line is read."""

    names: Sequence[str]
    cells: Sequence[str]
    rows: Sequence[int]
    settled: bool = False
    lines: tuple[Sequence[str], Sequence[str]] | None = None


def are_years(texts: Sequence[str]) -> bool:
    return bool(texts) and all(map(is_year, texts))


# --- a grid: names down the side and along the top ---


@dataclass(frozen=True)
class CrossTable:
    """Counts under names, each row with a name of its own; sums along the edges are left out."""

    labels: tuple[str, ...]
    columns: tuple[Column, ...]
    kept: tuple[int, ...]  # entries that are no sum of all others
    left_out: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.labels[i] for i in self.kept)

    @property
    def is_of_years(self) -> bool:
        return are_years(self.names)

    @property
    def spread_of_sums(self) -> float:
        """How far apart the sums of the rows are, as a share of the largest: none, and the same people seem to be in
        each row."""
        return _spread([sum(numbers) for numbers in zip(*self.counts, strict=True)])

    @property
    def may_be_people(self) -> bool:
        """Codes from 0 to 10 that come again down their columns, as the answers of people do."""
        coded = all(number in CODES for column in self.counts for number in column)
        return coded and len(self.kept) > 2 and any(2 * len(set(column)) <= len(column) for column in self.counts)

    @property
    def counts(self) -> tuple[tuple[int, ...], ...]:
        """Of each column."""
        return tuple(tuple(_number(column.cells[i]) for i in self.kept) for column in self.columns)


def _spread(sums: list[int]) -> float:
    return 1 - min(sums) / max(sums) if len(sums) > 1 and min(sums) >= 0 < max(sums) else 1.0


def _number(cell: str) -> int:
    """The cell as a whole number where it is plain digits, perhaps in groups; -1 elsewhere."""
    digits = GROUP.sub("", cell.strip()).replace(",", "")
    return int(digits) if digits.isdecimal() and len(digits) <= PLAIN_DIGITS else -1


def grid_of(table: Table) -> CrossTable | None:
    """The table as a grid; None where it is none: two columns of counts or more beside names that are all different."""
    if table.header_row is None or not 1 < len(table.rows) <= limits.CATEGORIES_LARGEST:
        return None
    filled = [column for column in table.columns if not column.is_blank]
    sides = [column for column in filled if not column.may_hold_counts or are_years(column.sample)]
    counts = [column for column in filled if column.may_hold_counts and column not in sides]
    counts = [c for c in counts if not (c.named_as_shares or c.named_as_identifier)]
    names = {column.name for column in counts}
    if not sides or len(counts) < 2 or "" in names or len(names) < len(counts):
        return None
    if any(column.named_as_measurement for column in counts) or len(counts) * len(table.rows) > CELLS_LARGEST:
        return None
    labels = joined([filled_down(column) if is_outer(column, sides) else column.cells for column in sides])
    if len(set(labels)) < len(labels) or not all(labels):
        return None
    columns, kept = _without_edges(counts, labels)
    if any(column.named_as_nothing_but_counts for column in columns):
        return None
    left_out = [column.name for column in counts if column not in columns]
    left_out += [label for i, label in enumerate(labels) if i not in kept]
    return CrossTable(tuple(labels), tuple(columns), tuple(kept), tuple(left_out))


def _without_edges(counts: list[Column], labels: Sequence[str]) -> tuple[list[Column], list[int]]:
    """The columns and entries without a first or last one that is the sum of all others."""
    numbers = [list(map(_number, column.cells)) for column in counts]
    kept = list(range(len(labels)))
    for edge in (-1, 0):
        rows = [[column[i] for column in numbers] for i in range(len(labels))]
        if len(counts) > 2 and all(2 * row[edge] == sum(row) > 0 for row in rows):
            counts = counts[:-1] if edge else counts[1:]
            numbers = numbers[:-1] if edge else numbers[1:]
    for edge in (-1, 0):
        sums = all(2 * column[kept[edge]] == sum(column[i] for i in kept) for column in numbers)
        if len(kept) > 2 and sums and (is_total(labels[kept[edge]]) or len(counts) > 1):
            kept = kept[:-1] if edge else kept[1:]
    return counts, kept


def choose_row(grid: CrossTable, answers: Answers) -> tuple[int, tuple[Column, ...]]:
    """The entry that was chosen as the row of counts, and the columns."""
    if answers.row is None:
        why = (
            "its rows are years" if grid.is_of_years else "every row adds to the same number of people"
            if not grid.spread_of_sums else "each row has counts of its own"
        )  # fmt: skip
        raise answers.question(
            f"which row holds the counts? Of the {len(grid.names)} rows one is read, since {why}: a person who is in "
            "several rows must be counted once.",
            {"row": grid.names[0]},
            {"row": grid.names},
        )
    return _found(grid.labels, one_line(answers.row), "row"), grid.columns


def choose_cells(grid: CrossTable, answers: Answers) -> str:
    """What of the grid is read, one of GRID. Raises CountsQuestion where that was not said."""
    if answers.cells in GRID:
        return answers.cells or ""
    if answers.cells is not None:
        raise CountsError(f"the answer cells={answers.cells!r} is for groups of rows; here are rows and columns.")
    if grid.is_of_years or not grid.spread_of_sums:
        return "row"
    of_items = grid.spread_of_sums < SAME_PEOPLE and len(grid.kept) > 2
    across = _spread(list(map(sum, grid.counts)))
    of_columns = across == 0 or (across < SAME_PEOPLE and len(grid.columns) > 2)
    of_years = len({year for column in grid.columns for year in YEAR.findall(column.name)}) > 1
    suggested = "row" if of_items and not of_years else "column" if of_years or of_columns else "all"
    rows, columns = listed(list(map(shown, grid.names)), 3), listed([shown(c.name) for c in grid.columns], 3)
    left_out = f" Sums ({listed(list(map(shown, grid.left_out)), 3)}) are left out." if grid.left_out else ""
    raise answers.question(
        f"this is a table of rows ({rows}) and columns ({columns}): are the categories in one row, in one column, or "
        f"is every cell a category? Each person must be in one of the cells that are counted.{left_out}",
        {"cells": suggested},
        {"cells": GRID},
    )


def selected_cells(grid: CrossTable, cells: str, columns: Sequence[Column], rows: Sequence[int]) -> Selection:
    """The cells of the columns: under names of their own, or under those of rows or columns, perhaps to be added up."""

    def name(label: str, column: Column) -> str:
        return {"row sums": label, "column": label, "column sums": column.name}.get(cells, label + JOIN + column.name)

    return Selection(
        [name(grid.labels[i], column) for i in grid.kept for column in columns],
        [column.cells[i] for i in grid.kept for column in columns],
        [rows[i] for i in grid.kept for _ in columns],
        settled=cells in ("row sums", "column sums"),
        lines=([grid.labels[i] for i in grid.kept for _ in columns], [c.name for _ in grid.kept for c in columns]),
    )


# --- categories that come once per group ---


def grouped(table: Table, category: Column, count: Column, answers: Answers) -> tuple[Selection, list[Column]]:
    """The names and counts of the group that was chosen, of all groups, or their sums; and the columns of groups."""
    sides = [column for column in table.columns if not column.may_hold_counts and not column.is_blank]
    groups = [column for column in table.columns if column not in (category, count) and _is_group(column, sides)]
    outer = [column for column in groups if is_outer(column, sides)]
    whole = Selection(category.cells, count.cells, table.rows)
    filled = [cell.strip() for cell in category.sample]
    comes_again = len(set(filled)) < len(filled)
    groups = _telling(groups, [category] if comes_again else [], outer)
    if groups and not (comes_again or outer):
        groups = [column for column in groups if _are_same_people(column, count)]
    if not groups:
        if answers.group is not None:
            raise CountsError("group= goes with categories that come once per group; here each comes once.")
        return whole, []
    keys = joined([filled_down(column) if column in outer else column.cells for column in groups])
    once = bool(outer) or not comes_again
    choice = "group" if answers.group is not None else _choose_groups(groups, once, answers)
    if choice == "group":
        chosen = _choose_group(keys, groups, answers)
        at = [i for i, key in enumerate(keys) if key == chosen]
        names, cells, rows = whole.names, whole.cells, whole.rows
        return Selection([names[i] for i in at], [cells[i] for i in at], [rows[i] for i in at]), groups
    names = joined([keys, category.cells]) if choice == "all" else whole.names
    kept = _without_totals(keys, answers)
    cells, rows = [whole.cells[i] for i in kept], [whole.rows[i] for i in kept]
    lines = [whole.names[i] for i in kept], [keys[i] for i in kept]
    return Selection([names[i] for i in kept], cells, rows, choice == "group sums", lines), groups


def _without_totals(keys: list[str], answers: Answers) -> Sequence[int]:
    """The entries to keep where all groups are read. Asks about those of a group that seems to hold all others."""
    totals = [key for key in dict.fromkeys(keys) if is_total(key)]
    if not totals or answers.total_row == "keep":
        return range(len(keys))
    if answers.total_row is None:
        raise answers.question(
            f"does the group {listed(list(map(shown, totals)))} hold everyone who is in other groups? It must be left "
            "out then, or they would be counted several times.",
            {"total_row": "drop"},
            cell=totals[0],
        )
    return [i for i, key in enumerate(keys) if key not in totals]


def _telling(groups: list[Column], kept: list[Column], outer: list[Column]) -> list[Column]:
    """The groups without columns that say the same as one that is kept already, or as another of them, as the code of a
    country does: all entries of one name are the same in them."""
    for column in sorted(groups, key=lambda column: (column not in outer, column.named_as_code, -column.distinct)):
        if column in outer or not any(_is_told(column.cells, by.cells) for by in kept):
            kept.append(column)
    return [column for column in groups if column in kept]


def _is_told(cells: Sequence[str], by: Sequence[str]) -> bool:
    return len(cells) == len(by) and len(set(zip(by, cells, strict=True))) == len(set(by))


def _is_group(column: Column, sides: list[Column]) -> bool:
    """Entries that come again, or blank cells below the group they belong to; or years."""
    if column.named_as_identifier or column.distinct < 2:
        return False
    if column not in sides:
        return are_years(column.sample)
    return column.distinct < len(column.sample) or is_outer(column, sides)


def _are_same_people(group: Column, count: Column) -> bool:
    """Groups of two entries or more that add to nearly the same number, as the answers to several questions do."""
    sums: Counter[str] = Counter()
    for name, cell in zip(group.cells, count.cells, strict=True):
        sums[name] += _number(cell)
    return min(Counter(group.cells).values()) > 1 and _spread(list(sums.values())) < SAME_PEOPLE


def _choose_groups(groups: list[Column], once: bool, answers: Answers) -> str:
    if answers.cells in GROUPS:
        return answers.cells or ""
    if answers.cells is not None:
        raise CountsError(f"the answer cells={answers.cells!r} is for rows and columns; here are groups of rows.")
    once = once or any(are_years(column.sample) or column.holds_times for column in groups)
    of = listed([column.label for column in groups])
    raise answers.question(
        f"the categories come once per group ({of}): is one group read, is each category of each group one of its "
        "own, or are the groups added up? Adding is right only where nobody is in two groups; people who are there "
        "every year, say, would be counted several times.",
        {"cells": "group" if once else "group sums"},
        {"cells": GROUPS},
    )


def _choose_group(keys: list[str], groups: list[Column], answers: Answers) -> str:
    different = tuple(dict.fromkeys(keys))
    if len(different) > limits.CATEGORIES_LARGEST:
        raise CountsError(f"too many groups: at most {limits.CATEGORIES_LARGEST:,}, got {len(different):,}.")
    if answers.group is None:
        several = next((key for key, times in Counter(keys).items() if times > 1), different[0])
        raise answers.question(
            f"which group of {listed([column.label for column in groups])} is read?",
            {"group": several},
            {"group": different},
        )
    return different[_found(different, one_line(answers.group), "group")]


def _found(names: Sequence[str], wanted: str, answer: str) -> int:
    if wanted not in names:
        raise CountsError(f"{answer}: there is no {shown(wanted)}; there are {listed(list(map(shown, names)), 12)}.")
    return list(names).index(wanted)


# --- names in several columns ---


def is_crossed(columns: list[Column]) -> bool:
    """Whether every combination of the entries stands once, as in a table of counts and hardly among people."""
    told = [c for i, c in enumerate(columns) if any(_is_told(c.sample, by.sample) for by in columns[:i])]
    columns = [column for column in columns if column not in told]
    entries = list(zip(*(column.sample for column in columns), strict=False))
    return len(columns) > 1 and 3 < len(entries) == len(set(entries)) == prod(column.distinct for column in columns)


def is_panel(texts: list[Column], years: list[Column]) -> bool:
    """Whether names come once per year, or per day, but no more: as counts do that are kept over time."""
    times = [*years, *(column for column in texts if column.holds_times and column.distinct < len(column.sample))]
    names = [column for column in texts if column not in times]
    if not times or not names:
        return False
    entries = list(zip(*(column.sample for column in names + times), strict=False))
    repeated = len({entry[: len(names)] for entry in entries}) < len(entries)
    return repeated and len(set(entries)) == len(entries) > 3


def is_outer(column: Column, sides: list[Column]) -> bool:
    """Whether blank cells belong to the name above them: a column to the right is filled wherever this one is not."""
    cells = column.cells
    if not cells or not cells[0].strip():
        return False
    blank = [i for i, cell in enumerate(cells) if not cell.strip()]
    right = [other for other in sides if other.position > column.position]
    return bool(blank) and any(all(other.cells[i].strip() for i in blank) for other in right)


def filled_down(column: Column) -> list[str]:
    filled: list[str] = []
    for cell in column.cells:
        filled.append(cell if cell.strip() or not filled else filled[-1])
    return filled


def joined(columns: Sequence[Sequence[str]]) -> list[str]:
    """The names of each entry, one after another; blank ones are left out."""
    entries = list(zip(*columns, strict=True))
    name = {entry: JOIN.join(filter(None, map(one_line, entry))) for entry in set(entries)}
    return [name[entry] for entry in entries]
