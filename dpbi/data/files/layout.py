"""What the entries of a table are: categories with their counts, one row of counts, or a person each."""

import re
from collections import Counter
from dataclasses import dataclass

from . import vocabulary
from .answers import LAYOUT_OF, Answers, columns_listed
from .outcome import CountsError, Notes, listed, shown
from .several_ways import (
    GRID,
    CrossTable,
    Selection,
    are_years,
    choose_cells,
    choose_row,
    grid_of,
    grouped,
    is_crossed,
    is_outer,
    is_panel,
    selected_cells,
)
from .table import Column, Table
from .whole_numbers import is_like_number, is_number

SPACES, PRINTED_LINES = re.compile(r"\s{2,}"), 50
COUNT_AFTER_NAME = re.compile(r"\d[\d.,']*")


@dataclass(frozen=True)
class Pairs:
    """A row per category, or cells of a larger table: names and counts, and the columns they come from."""

    selection: Selection
    read: tuple[Column, ...]
    shares: bool | None = None  # whether the header of the counts speaks of shares; None where it says nothing
    rounding: int = 0  # how far from 100 they may add up, to be asked whether they are percentages
    name = "counts"


@dataclass(frozen=True)
class Wide:
    """One row of counts, entry number `at`, under the names of the categories."""

    columns: tuple[Column, ...]
    at: int = 0
    of_grid: bool = False  # other rows have shown that no column is the sum of all others
    counts: tuple[tuple[int, ...], ...] = ()  # of each column in all rows of a grid, to find sums by
    name = "wide"
    read: tuple[Column, ...] = ()


@dataclass(frozen=True)
class Records:
    """A row per person: the column to tally, and the others."""

    column: Column
    others: tuple[Column, ...]
    name = "raw"

    @property
    def read(self) -> tuple[Column, ...]:
        return (self.column,)


def choose_layout(table: Table, answers: Answers, notes: Notes) -> Pairs | Wide | Records:
    """The layout of the table as answered, or else as far as the table leaves no doubt.

    Raises CountsQuestion where it does, and always for the column of raw records.
    """
    layout = answers.layout or _implied(answers) or _detected(table, answers)
    grid = grid_of(table) if layout in ("grid", "wide") or answers.cells in GRID else None
    if layout == "raw":
        return _records(table, answers)
    if layout == "wide" or (grid and answers.row is not None):
        return _wide(table, grid, answers, notes)
    one_column = answers.cells == "column"
    if grid and answers.category_column is None and (one_column or answers.count_column is None):
        return _of_grid(table, grid, answers, notes)
    return _pairs(table, answers, notes)


def _implied(answers: Answers) -> str | None:
    implied = {layout for name, layout in LAYOUT_OF.items() if getattr(answers, name) is not None}
    return next(iter(implied), None) or ("raw" if answers.unit == "person" else None)


# --- which layout: each has its evidence, weighed here and nowhere else ---


def _detected(table: Table, answers: Answers) -> str:
    numeric = [column for column in table.columns if column.may_hold_counts]
    texts = [column for column in table.columns if not column.may_hold_counts and not column.is_blank]
    years = [column for column in table.columns if are_years(column.sample)]
    if len(table.columns) == 1:
        _refuse_unseparated(table)
    if len(table.columns) == 1 or not numeric:
        return "raw"
    if len(table.rows) == 1:
        return _detected_in_one_row(table, answers, numeric, texts)
    grid = grid_of(table)
    if grid:
        of_people = any(column.named_as_identifier or column.holds_times for column in texts)
        asked_of_each = any(column.named_as_an_answer for column in grid.columns)
        coded = grid.may_be_people and grid.spread_of_sums > 0  # people's answers hardly all add to one number
        if (coded or of_people or asked_of_each) and not answers.cells:
            numbered = of_people or any(column.holds_codes or column.named_as_identifier for column in table.columns)
            small = any(column.is_small for column in grid.columns)
            _ask_for_unit(table, answers, "person" if numbered or small else "category")
        return "grid"
    if answers.unit == "category":
        return "counts"
    if not texts:
        return _detected_among_numbers(table, answers, numeric)
    if all(column in years and not column.said_to_be_counts for column in numeric):
        raise _layout_question(table, answers, "raw")
    # Names of categories are (nearly) all different, the answers of people are not; and ages are no counts.
    categories = [column for column in texts if not (column.repeats or column.holds_times)]
    several = len(texts) > 1 and all(column.distinct < len(column.sample) for column in categories)
    crossed = is_crossed([*texts, *years]) or is_panel(texts, years)
    named = crossed or any(c.named_as_counts or c.named_as_shares or c.said_to_be_counts for c in numeric)
    people = several or (len(texts) > 1 and all(column.named_as_identifier for column in categories))
    measured = all(
        column.named_as_identifier or column.named_as_measurement or _counts_off(column) for column in numeric
    )
    if (not named or _counts_off(numeric[0])) and (not categories or people or measured):
        raise _layout_question(table, answers, "raw")
    _doubt(table, answers, [column for column in numeric if column not in years], texts, crossed)
    return "counts"


def _doubt(
    table: Table, answers: Answers, numeric: list[Column], texts: list[Column], crossed: bool = False
) -> None:
    """Asks what a row is where it may be a person: where the numbers read as answers, where entries of the names come
    again, or where the names are those of people. 'Count' is asked about only where the only names come twice or more
    on average, or are people's. Where other columns tell equal names apart (crossed, or a second column that might),
    that is asked about later.
    """
    of_people = any(column.named_as_identifier for column in texts)
    if any(column.named_as_nothing_but_counts for column in numeric):
        comes_again = not crossed and texts[0].repeats and len(texts[0].sample) > 3
        if len(texts) == len(numeric) == 1 and (comes_again or of_people):
            total = of_people and bool(numeric[0].words & vocabulary.TOTALS)
            _ask_for_unit(table, answers, "person" if total else "category")
        return
    pivot = any(column.name.lower() in vocabulary.ROWS_OF_A_PIVOT for column in texts)
    numeric = [c for c in numeric if not (c.named_as_identifier or c.named_as_shares or _counts_off(c))]
    if not numeric or (pivot and not any(column.words & vocabulary.AMOUNTS for column in numeric)):
        return
    said = any(column.said_to_be_counts for column in numeric)
    telling = [column for column in texts if not (column.holds_times or column.named_as_identifier)]
    again = [column for column in telling if column.distinct < len(column.sample) and not crossed]
    of_people = of_people or bool(texts[0].words & vocabulary.PEOPLE)
    of_people = of_people or (not said and all(column.holds_codes for column in texts))
    answered = [column for column in numeric if column.reads_as_an_answer]
    if answered or of_people or again:
        index = not again and texts[0].name == ""  # as data frames write it
        small = not index and not crossed and any(column.is_small or column.named_as_measurement for column in answered)
        numbered = any(column.named_as_identifier for column in table.columns)
        likely = of_people or numbered or len(again) == len(telling)
        _ask_for_unit(table, answers, "person" if small or (likely and not said) else "category")


def _ask_for_unit(table: Table, answers: Answers, suggested: str) -> None:
    if answers.unit is not None:
        return
    raise answers.question(
        "does each row stand for one person, or for one category with its count? If rows are people, one of them "
        "would move a count by the whole number in their row, and privacy would cost that many times more than is "
        f"said. {columns_listed([column.label for column in table.columns])}",
        {"unit": suggested},
    )


def _refuse_unseparated(table: Table) -> None:
    """Refuses cells such as 'red 12' or 'red: 12', all different: each would else be a category of its own; and lines
    of a table as programs print it."""
    column = table.columns[0]
    if column.distinct < len(column.sample) or not column.sample:
        return
    parts = [SPACES.split(cell.strip()) for cell in column.sample[:PRINTED_LINES]]
    below = parts[len(parts) > 1 :]
    if min(map(len, parts)) > 1 and all(is_number(line[-1]) for line in below):
        why = ": several columns are in one cell, with spaces between; save the table as CSV."
    elif all(map(_is_name_and_count, column.sample)):
        why = (
            " seems to be a name and its count in one cell; put the counts in a column of their own, or a comma, "
            "semicolon or tab before each."
        )
    else:
        return
    raise CountsError(shown(column.sample[0]) + why, table.rows[0], column.sample[0])


def _is_name_and_count(cell: str) -> bool:
    text = cell.strip()
    before_count = max(map(text.rfind, " :=\t"))
    one_line = before_count > 0 and not text[0].isdecimal() and "\n" not in text[:before_count]
    return one_line and bool(COUNT_AFTER_NAME.fullmatch(text, before_count + 1))


def _counts_off(column: Column) -> bool:
    """Whether it is a first column that numbers the rows."""
    return column.position == 1 and column.counts_rows


def _detected_in_one_row(
    table: Table, answers: Answers, numeric: list[Column], texts: list[Column]
) -> str:
    """'colour,count / red,50' is a table of one category, 'red,green / 12,30' a row of counts."""
    last = table.columns[-1]
    asked_of_each = [column for column in numeric if column.named_as_an_answer]
    if any(column.position > 1 or not are_years(column.sample) for column in asked_of_each):
        of_person = any(column.named_as_measurement or column.named_as_identifier for column in table.columns)
        _ask_for_unit(table, answers, "person" if of_person else "category")
    one_pair = len(table.columns) == 2 and (len(texts) == 1 or last.named_as_counts or last.named_as_shares)
    return "counts" if one_pair and last in numeric else "wide"


def _detected_among_numbers(table: Table, answers: Answers, numeric: list[Column]) -> str:
    """Codes with their counts, codes of persons, or one row of counts under numbered categories."""
    if any(column.named_as_counts for column in numeric):
        _doubt(table, answers, numeric, numeric[:1])
        return "counts"
    if len(table.rows) == 2 and table.header_row is None:
        raise _layout_question(table, answers, "counts" if len(numeric) == 2 and numeric[0].counts_rows else "wide")
    different = len(numeric) == 2 and numeric[0].distinct == len(numeric[0].sample)
    answered = different and (numeric[1].repeats or numeric[1].reads_as_an_answer)
    different = different and not (numeric[0].named_as_identifier or answered)
    raise _layout_question(table, answers, "counts" if different else "raw")


def _layout_question(table: Table, answers: Answers, suggested: str) -> CountsError:
    return answers.question(
        "does each row stand for one person, or for one category with its count, or is there a single row of counts "
        "under the names of the categories? " + columns_listed([column.label for column in table.columns]),
        {"layout": suggested},
    )


# --- the columns of each layout ---


def _wide(table: Table, grid: CrossTable | None, answers: Answers, notes: Notes) -> Wide:
    if table.header_row is None:
        raise CountsError("a row of counts needs a row of category names above it; there is none.")
    if len(table.rows) == 1:
        return Wide(tuple(table.columns))
    if grid is None:
        raise CountsError(f"one row of counts is expected below the names: got {len(table.rows):,}.", table.rows[1])
    at, columns = choose_row(grid, answers)
    _name_ignored(table, [column for column in table.columns if column.name in grid.left_out], notes)
    return Wide(columns, at, of_grid=True, counts=grid.counts)


def _of_grid(table: Table, grid: CrossTable, answers: Answers, notes: Notes) -> Pairs | Wide:
    cells = choose_cells(grid, answers)
    if cells == "row":
        return _wide(table, grid, answers, notes)
    columns = (_one_column(table, grid, answers, notes),) if cells == "column" else grid.columns
    if grid.left_out:
        notes.add(f"Sums of rows or columns were left out: {listed(list(map(shown, grid.left_out)))}.")
    return Pairs(selected_cells(grid, cells, columns, table.rows), columns)


def _one_column(table: Table, grid: CrossTable, answers: Answers, notes: Notes) -> Column:
    if answers.count_column is None:
        names = tuple(map(table.key, grid.columns))
        raise answers.question("which column holds the counts?", {"count_column": names[0]}, {"count_column": names})
    chosen = _find(table, answers.count_column, "count_column")
    if chosen not in grid.columns:
        raise CountsError(f"count_column: {chosen.label} is no column of counts under a category.")
    _name_ignored(table, [column for column in grid.columns if column is not chosen], notes)
    return chosen


def _name_ignored(table: Table, ignored: list[Column], notes: Notes) -> None:
    if ignored:
        verb = "column was" if len(ignored) == 1 else "columns were"
        notes.add(f"{len(ignored):,} {verb} not read: {listed([column.label for column in ignored], most=8)}.")


def _records(table: Table, answers: Answers) -> Records:
    if answers.column is None:
        labels = [column.label for column in table.columns]
        raise answers.question(
            f"each row seems to be one person: which column holds the categories? {columns_listed(labels)}",
            {"column": table.key(_default_column(table))},
            {"column": table.keys},
        )
    column = _find(table, answers.column, "column")
    return Records(column, tuple(other for other in table.columns if other is not column))


def _default_column(table: Table) -> Column:
    """The first column whose entries repeat, that no identifier word names and that holds no times or years; words
    before numbers. Where there is none, what is least unlike it."""

    def unlike(column: Column) -> tuple[bool, ...]:
        repeats = 1 < column.distinct < len(column.sample)
        otherwise = column.holds_times or column.holds_people or are_years(column.sample)
        return not column.sample, otherwise, column.named_as_identifier, not repeats, column.holds_numbers

    return min(table.columns, key=unlike)


def _pairs(table: Table, answers: Answers, notes: Notes) -> Pairs:
    category, count = _pair(table, answers)
    selection, groups = grouped(table, category, count, answers)
    used = (category, count, *groups)
    _name_ignored(table, [c for c in table.columns if c not in used and not c.is_blank], notes)
    if any(column.words & vocabulary.SEVERAL for column in used):
        notes.add("Where people gave several answers, each moves several counts: epsilon costs that many times more.")
    # R's shares are fractions: whole numbers that it calls counts are no percentages.
    counts = table.has_row_names and count.named_as_nothing_but_counts
    shares = count.named_as_shares or (False if counts else None)
    return Pairs(selection, (category, count), shares, rounding=0 if count.counts_by_nature else 1)


def _pair(table: Table, answers: Answers) -> tuple[Column, Column]:
    wanted = answers.category_column, answers.count_column
    category = None if wanted[0] is None else _find(table, wanted[0], "category_column")
    count = None if wanted[1] is None else _find(table, wanted[1], "count_column")
    if category and category is count:
        raise CountsError(f"{category.label} cannot hold both the categories and the counts.")
    if category and count:
        return category, count
    if len(table.columns) < 2:
        raise CountsError("two columns are needed, one of categories and one of counts; the table has one.")
    default = _default_pair(table, category, count)
    if len([column for column in table.columns if not column.is_blank]) <= 2:
        return default
    _refuse_repeated_headers(table)
    labels = [column.label for column in table.columns]
    keys = table.keys
    raise answers.question(
        f"which column holds the categories and which the counts? {columns_listed(labels)}",
        {"category_column": table.key(default[0]), "count_column": table.key(default[1])},
        {"category_column": keys, "count_column": keys},
    )


def _default_pair(table: Table, category: Column | None, count: Column | None) -> tuple[Column, Column]:
    """The likeliest columns where none was answered: counts by name, then content; categories by text."""
    texts = [column for column in table.columns if not column.may_hold_counts and not column.is_blank]
    if count is None:
        # Among numbers only, the first column is taken for codes of categories.
        rest = [column for column in table.columns[0 if texts else 1 :] if column is not category]
        count = max(rest or [table.columns[0]], key=_likelihood_of_counts)
    if category is None:
        # What is the same throughout comes last, before it dates and the like, codes, and names of groups.
        outer = [column for column in texts if is_outer(column, texts)]

        def unlike(column: Column) -> tuple[bool, ...]:
            numbers = column.holds_times or all(map(is_like_number, column.sample))
            again = column.distinct < len(column.sample)
            return again and column.distinct < 2, numbers, column.named_as_code, column in outer, again

        texts.sort(key=unlike)
        category = next(column for column in [*texts, *table.columns] if column is not count)
    return category, count


def _likelihood_of_counts(column: Column) -> int:
    """Larger for likelier; columns that fit alike are taken in their order."""
    if not column.may_hold_counts:
        return 0 if column.is_blank else 1
    if column.named_as_identifier or _counts_off(column) or are_years(column.sample):
        return 2
    if column.named_as_shares or any(cell.strip().endswith("%") for cell in column.sample):
        return 3
    return 6 if column.named_as_nothing_but_counts else 5 if column.named_as_counts else 4


def _find(table: Table, wanted: str | int, answer: str) -> Column:
    found = (
        [column for column in table.columns if column.position == wanted]
        if isinstance(wanted, int)
        else table.named(wanted)
    )
    if len(found) == 1:
        return found[0]
    if found:
        raise CountsError(f"{len(found)} columns are called {found[0].label}; rename one or give its position.")
    what = f"column {wanted}" if isinstance(wanted, int) else f"column called {shown(wanted)}"
    raise CountsError(f"{answer}: there is no {what}. {columns_listed([c.label for c in table.columns])}")


def _refuse_repeated_headers(table: Table) -> None:
    times = Counter(column.name for column in table.columns)
    for column in table.columns:
        if column.name and times[column.name] > 1:
            alike = table.named(column.name)
            positions = listed([str(other.position) for other in alike], most=12)
            raise CountsError(
                f"{len(alike)} columns are called {column.label} (columns {positions}); rename one.",
                table.header_row,
                column.name,
            )
