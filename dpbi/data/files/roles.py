"""What each row of a table is, and which columns hold categories, counts and groups."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from dpbi import limits

from . import vocabulary
from .form import ADDED, APART, COUNTS, RAW, WIDE, Key, Understanding
from .outcome import CountsError, listed, shown
from .sums import is_of_the_whole, number
from .table import YEAR, Column, Table, are_years, filled_down, joined
from .unseparated import refuse_unseparated
from .whole_numbers import is_like_number

CODES = range(11)  # numbers that answers on a scale are coded by
CELLS_LARGEST = 200_000  # of a table with a column per category: a larger one is of records
SAME_PEOPLE = 0.1  # groups whose sums differ by less may be the answers of the same people, some left out
VALID = ("valid", "gültig", "válidos", "valide")  # the group of answers in tables of SPSS
PEOPLE = "Each row may be one person, or counts: if it is a person, they would move a count by their whole number."


@dataclass(frozen=True)
class Roles:
    """layout: RAW, COUNTS or WIDE; the columns of categories, of counts and of groups; which group is read: its name,
    ADDED or APART, or None where there are no groups. keys: the name of each entry's group."""

    layout: str
    categories: tuple[Column, ...]
    counts: tuple[Column, ...]
    groups: tuple[Column, ...]
    group: str | None
    keys: tuple[str, ...] = ()

    @property
    def read(self) -> tuple[Column, ...]:
        return (*self.categories, *(self.counts if self.layout == COUNTS else ()))


def roles_of(table: Table, form: Understanding) -> Roles:
    """The roles as said, and as the table suggests where nothing was said; what it leaves open is noted in the form."""
    said, kinds = form.said, _Kinds(table)
    implied = RAW if said.column else COUNTS if said.category_column and said.layout != WIDE else None
    guess, why = (implied, "") if implied else _guess_layout(table, kinds)
    layout = form.settle("layout", guess, why)
    if layout == RAW:
        return _records(table, form)
    return _wide(table, kinds, form) if layout == WIDE else _pairs(table, kinds, form)


class _Kinds:
    """The columns of a table by what they may hold."""

    def __init__(self, table: Table) -> None:
        filled = [column for column in table.columns if not column.is_blank]
        self.numeric = [column for column in filled if column.may_hold_counts]
        self.texts = [column for column in filled if not column.may_hold_counts]
        self.years = [column for column in filled if are_years(column.sample)]
        self.sides = [column for column in filled if column in self.texts or column in self.years]
        self.filled = filled

    @property
    def crossed(self) -> bool:
        """Whether names tell rows apart together, as in a table of counts by several things and hardly among people."""
        return is_crossed(self.sides) or is_panel(self.texts, self.years)


# --- what a row is ---


def _guess_layout(table: Table, kinds: _Kinds) -> tuple[str, str]:
    """The likeliest layout, and why it is in doubt; "" where it is not."""
    numeric, texts = kinds.numeric, kinds.texts
    if len(table.columns) == 1:
        refuse_unseparated(table)
    if len(table.columns) == 1 or not numeric:
        return RAW, ""
    if len(table.rows) == 1:
        return _of_one_row(table, kinds)
    wide = category_columns(table, kinds)
    if wide:
        return _of_a_grid(table, kinds, wide)
    if not texts:
        return _among_numbers(table, numeric)
    return _of_names_and_numbers(kinds)


def _of_one_row(table: Table, kinds: _Kinds) -> tuple[str, str]:
    """'colour,count / red,50' is a table of one category, 'red,green / 12,30' a row of counts."""
    last = table.columns[-1]
    one_pair = len(table.columns) == 2 and (len(kinds.texts) == 1 or last.named_as_counts or last.named_as_shares)
    layout = COUNTS if one_pair and last in kinds.numeric else WIDE
    asked = [column for column in kinds.numeric if column.named_as_an_answer]
    if not any(column.position > 1 or not are_years(column.sample) for column in asked):
        return layout, ""
    of_person = any(column.named_as_measurement or column.named_as_identifier for column in table.columns)
    return RAW if of_person else layout, PEOPLE


def _of_a_grid(table: Table, kinds: _Kinds, wide: Sequence[Column]) -> tuple[str, str]:
    """A column per category beside names that are all different: groups, or people who answered each."""
    of_people = any(column.named_as_identifier or column.holds_times for column in kinds.texts)
    asked = any(column.named_as_an_answer for column in wide)
    numbers = [[number(cell) for cell in column.cells] for column in wide]
    codes = all(value in CODES for column in numbers for value in column) and len(table.rows) > 2
    sums = [sum(row) for row in zip(*numbers, strict=True)]  # of people's answers they are hardly all the same
    coded = codes and any(2 * len(set(column)) <= len(column) for column in numbers) and spread(sums) > 0
    over_time = all(YEAR.search(column.name) for column in wide)
    layout = COUNTS if over_time else WIDE
    if not (of_people or asked or coded):
        return layout, ""
    numbered = of_people or any(column.holds_codes or column.named_as_identifier for column in table.columns)
    return RAW if numbered or any(column.is_small for column in wide) else layout, PEOPLE


def _among_numbers(table: Table, numeric: list[Column]) -> tuple[str, str]:
    """Codes with their counts, codes of persons, or one row of counts under numbered categories."""
    named = [column for column in numeric if column.named_as_counts or column.said_to_be_counts]
    if named:
        others = [column for column in numeric if column not in named and not column.counts_rows]
        again = any(column.repeats for column in others)
        return COUNTS, PEOPLE if again or any(column.named_as_identifier for column in others) else ""
    if len(table.rows) == 2 and table.header_row is None:
        return (COUNTS if len(numeric) == 2 and numeric[0].counts_rows else WIDE), PEOPLE
    different = len(numeric) == 2 and numeric[0].distinct == len(numeric[0].sample)
    answered = numeric[-1].repeats or numeric[-1].reads_as_an_answer or numeric[0].named_as_identifier
    return COUNTS if different and not answered else RAW, PEOPLE


def _of_names_and_numbers(kinds: _Kinds) -> tuple[str, str]:
    """Counts where the names are all different or tell rows apart together; people where entries come again, are
    numbered, named or dated, or where the numbers read as answers."""
    texts, crossed = kinds.texts, kinds.crossed
    numbers = [column for column in kinds.numeric if not _numbers_rows(column) and column not in kinds.years]
    counted = [column for column in numbers if not (column.named_as_identifier or column.named_as_shares)]
    if not numbers and not any(column.said_to_be_counts for column in kinds.years):
        return RAW, PEOPLE
    said = any(column.said_to_be_counts for column in counted)
    telling = [column for column in texts if not (column.holds_times or column.named_as_identifier)]
    again = [column for column in telling if column.distinct < len(column.sample)] if not crossed else []
    of_people = any(column.named_as_identifier or column.holds_codes for column in texts)
    of_people = of_people or (bool(texts[0].words & vocabulary.PEOPLE) and not said)
    if any(column.named_as_nothing_but_counts for column in counted) and not of_people and not (
        len(again) == len(texts) == 1 and again[0].repeats
    ):
        return COUNTS, ""
    answered = [column for column in counted if column.reads_as_an_answer]
    if not (answered or of_people or again or not telling):
        return COUNTS, ""
    small = not crossed and any(column.is_small or column.named_as_measurement for column in answered)
    measured = bool(counted) and all(column.named_as_measurement for column in counted)
    numbered = any(column.named_as_identifier for column in kinds.numeric if not _numbers_rows(column))
    likely = of_people or measured or not telling or len(again) == len(telling) or (numbered and bool(again))
    return RAW if (small and not said) or (likely and not said) else COUNTS, PEOPLE


def _numbers_rows(column: Column) -> bool:
    return column.position == 1 and column.counts_rows


# --- the columns of each layout ---


def _settle_columns(
    table: Table, entry: str, guess: Sequence[Column], form: Understanding, why: str = ""
) -> tuple[Column, ...]:
    wanted: Sequence[Key] = form.settle(entry, tuple(map(table.key, guess)), why)
    if getattr(form.said, entry) is None:
        return tuple(guess)
    if not wanted and entry != "group_column":
        raise CountsError(f"{entry}: no column is named; say which is read.")
    return tuple(table.found(key, entry) for key in wanted)


def _records(table: Table, form: Understanding) -> Roles:
    best = min(table.columns, key=_unlike_answers)
    why = f"Each row is one person: {best.label} may hold the categories." if len(table.columns) > 1 else ""
    return Roles(RAW, _settle_columns(table, "column", [best], form, why), (), (), None)


def _unlike_answers(column: Column) -> tuple[bool, ...]:
    """Least for the first column whose entries repeat, that no identifier word names and that holds no times or years;
    words before numbers."""
    repeats = 1 < column.distinct < len(column.sample)
    otherwise = column.holds_times or column.holds_people or are_years(column.sample)
    return not column.sample, otherwise, column.named_as_identifier, not repeats, column.holds_numbers


def _pairs(table: Table, kinds: _Kinds, form: Understanding) -> Roles:
    if len(table.columns) < 2:
        raise CountsError("two columns are needed, one of categories and one of counts; the table has one.")
    said = form.said
    chosen = [table.found(key, "category_column") for key in said.category_column or ()]
    count = [table.found(key, "count_column") for key in said.count_column or ()] or [
        max((c for c in kinds.filled if c not in chosen), key=lambda c: _likelihood_of_counts(c, kinds),
            default=table.columns[-1])
    ]  # fmt: skip
    if not chosen:
        names = [column for column in kinds.sides if column not in count] or [
            column for column in table.columns if column not in count
        ]
        chosen = [min(names, key=lambda column: _unlike_names(column, kinds))]
    several = len(kinds.filled) > 2
    if several:
        _refuse_repeated_headers(table)
    why = f"Of {len(kinds.filled)} columns {chosen[0].label} may hold the categories and {count[0].label} their counts."
    categories = _settle_columns(table, "category_column", chosen, form, why if several else "")
    counts = _settle_columns(table, "count_column", count, form, why if several else "")
    if set(categories) & set(counts):
        raise CountsError(f"{categories[0].label} cannot hold both the categories and the counts.")
    groups = _settle_groups(table, categories, counts, kinds, form)
    keys = group_names(groups, kinds.sides)
    return Roles(COUNTS, categories, counts, groups, _settle_group(groups, keys, counts, form), tuple(keys))


def _wide(table: Table, kinds: _Kinds, form: Understanding) -> Roles:
    if table.header_row is None:
        raise CountsError("a row of counts needs a row of category names above it; there is none.")
    found = category_columns(table, kinds) or [column for column in kinds.numeric if not _names_row(column, table)]
    found = found or [column for column in table.columns if column not in kinds.sides]
    sums = _sum_columns(found) if len(table.rows) > 1 else []
    why = f"{listed([c.label for c in sums])} may be the sum of the columns beside it." if sums else ""
    columns = [column for column in found if column not in sums]
    counts = _settle_columns(table, "count_column", columns, form, why)
    names = [column for column in kinds.sides if column not in counts]
    groups = tuple(names) if len(table.rows) == 1 else _settle_columns(table, "group_column", names, form)
    if len(table.rows) == 1:
        for column in table.columns:
            if column not in counts and not column.is_blank and column not in sums:
                form.remark(f"{column.label} holds {shown(column.cells[0])}, which is not a number and was left out."
                            if column in kinds.sides else f"{column.label} was not read.")  # fmt: skip
        return Roles(WIDE, (), counts, (), None)
    keys = group_names(groups, kinds.sides)
    return Roles(WIDE, (), counts, groups, _settle_group(groups, keys, counts, form), tuple(keys))


def _names_row(column: Column, table: Table) -> bool:
    """'year, 2024' before a row of counts names the row."""
    return column is table.columns[0] and (column.named_as_identifier or column.named_as_measurement)


def category_columns(table: Table, kinds: _Kinds) -> list[Column]:
    """The columns of counts under the name of a category each, beside names that are all different; [] where it is no
    such table."""
    if table.header_row is None or not 1 < len(table.rows) <= limits.CATEGORIES_LARGEST:
        return []
    counts = [column for column in kinds.numeric if column not in kinds.years]
    counts = [c for c in counts if not (c.named_as_shares or c.named_as_identifier or c.has_fractions)]
    counts = [column for column in counts if not _numbers_rows(column)]
    names = {column.name for column in counts}
    sides = [column for column in kinds.sides if column not in counts]
    if not sides or len(counts) < 2 or "" in names or len(names) < len(counts):
        return []
    if any(c.named_as_measurement or c.named_as_nothing_but_counts for c in counts):
        return []
    labels = group_names(sides, sides)
    all_different = len(set(labels)) == len(labels) and all(labels)
    return counts if all_different and len(counts) * len(labels) <= CELLS_LARGEST else []


def _sum_columns(columns: list[Column]) -> list[Column]:
    """The first or last of the columns, where it is the sum of all others in every row."""
    rows = list(zip(*([number(cell) for cell in column.cells] for column in columns), strict=True))
    edges = [edge for edge in (-1, 0) if len(columns) > 2 and all(2 * row[edge] == sum(row) > 0 for row in rows)]
    return [columns[edge] for edge in edges[:1]]


def _likelihood_of_counts(column: Column, kinds: _Kinds) -> int:
    """Larger for likelier; columns that fit alike are taken in their order."""
    if not column.may_hold_counts or column.has_fractions:
        return 0
    if column.named_as_identifier or _numbers_rows(column) or column in kinds.years:
        return 1
    if column.named_as_shares or any(cell.strip().endswith("%") for cell in column.sample):
        return 2
    if column.named_as_nothing_but_counts:
        return 6
    if column.said_to_be_counts or column.named_as_counts:
        return 5
    return 3 if not kinds.texts and column is kinds.filled[0] else 4  # of numbers only, codes come first


def _unlike_names(column: Column, kinds: _Kinds) -> tuple[bool, ...]:
    """What is the same throughout comes last, before it dates and the like, codes, and names of groups."""
    numbers = column.holds_times or all(map(is_like_number, column.sample))
    again = column.distinct < len(column.sample)
    return again and column.distinct < 2, numbers, column.named_as_code, is_outer(column, kinds.texts), again


def _refuse_repeated_headers(table: Table) -> None:
    times = Counter(column.name for column in table.columns)
    for column in table.columns:
        if column.name and times[column.name] > 1:
            alike = table.named(column.name)
            positions = listed([str(other.position) for other in alike], most=12)
            raise CountsError(f"{len(alike)} columns are called {column.label} (columns {positions}); rename one.",
                              table.header_row, column.name)  # fmt: skip


# --- groups ---


def _settle_groups(
    table: Table, categories: Sequence[Column], counts: Sequence[Column], kinds: _Kinds, form: Understanding
) -> tuple[Column, ...]:
    """The columns that tell equal names apart, or name what the same people were asked."""
    names = joined([column.cells for column in categories])
    filled = [name for name in names if name]
    again = len(set(filled)) < len(filled)
    others = [c for c in kinds.sides if c not in categories and c not in counts and _may_group(c, kinds.sides)]
    outer = [column for column in others if is_outer(column, kinds.sides)]
    groups = _telling(others, list(categories) if again else [], outer)
    if not (again or outer):
        groups = [c for c in groups if _are_same_people(c, counts[0]) or c.words & vocabulary.QUESTIONS]
    why = ""
    if groups:
        why = f"The categories come once per {listed([column.label for column in groups])}."
    return _settle_columns(table, "group_column", groups, form, why)


def _settle_group(
    groups: Sequence[Column], keys: Sequence[str], counts: Sequence[Column], form: Understanding
) -> str | None:
    """Which group is read. Never added up unasked: where groups are items that the same people answered, or years of
    the same people, a sum counts each person several times."""
    if not groups:
        if form.said.group is not None:
            raise CountsError("group= goes with groups of rows; name the columns that tell them apart as group_column.",
                              entry="group")  # fmt: skip
        return None
    different = list(dict.fromkeys(key for key in keys if key))
    if len(different) < 2:
        return str(form.settle("group", different[0] if different else ADDED))
    sums: Counter[str] = Counter()
    for column in counts:
        for key, cell in zip(keys, column.cells, strict=True):
            sums[key] += max(number(cell), 0)
    times = any(are_years(column.sample) or column.holds_times for column in groups)
    asked = any(column.words & vocabulary.QUESTIONS for column in groups)
    whole = [key for key in different if is_of_the_whole(key)]
    same = spread([sums[key] for key in different if key not in whole]) < SAME_PEOPLE
    valid = [key for key in different if key.lower() in VALID]
    guess = valid[0] if valid else max(different) if times else different[0] if same or asked else ADDED
    why = (f"There are {len(different)} groups ({listed(list(map(shown, different)), 3)}): one is read, all are added "
           "up, or each is kept apart. Adding is right only where nobody is in two of them.")  # fmt: skip
    group = str(form.settle("group", guess, why))
    if group not in (ADDED, APART) and group not in different:
        raise CountsError(f"group: there is no {shown(group)}; there are {listed(list(map(shown, different)), 12)}.",
                          entry="group")  # fmt: skip
    return group


def group_names(groups: Sequence[Column], sides: Sequence[Column]) -> list[str]:
    return joined([filled_down(column) if is_outer(column, sides) else column.cells for column in groups])


def _may_group(column: Column, sides: Sequence[Column]) -> bool:
    """Entries that come again, or blank cells below the group they belong to; or years."""
    if column.named_as_identifier or column.distinct < 2:
        return False
    return column.distinct < len(column.sample) or is_outer(column, sides)


def _telling(groups: list[Column], kept: list[Column], outer: list[Column]) -> list[Column]:
    """The groups without columns that say the same as one that is kept already, or as another of them, as the code of a
    country does: all entries of one name are the same in them."""
    for column in sorted(groups, key=lambda column: (column not in outer, column.named_as_code, -column.distinct)):
        if column in outer or not any(_is_told(column.cells, by.cells) for by in kept):
            kept.append(column)
    return [column for column in groups if column in kept]


def _is_told(cells: Sequence[str], by: Sequence[str]) -> bool:
    return len(cells) == len(by) and len(set(zip(by, cells, strict=True))) == len(set(by))


def _are_same_people(group: Column, count: Column) -> bool:
    """Groups of two entries or more that add to nearly the same number, as the answers to several questions do."""
    sums: Counter[str] = Counter()
    for name, cell in zip(group.cells, count.cells, strict=True):
        sums[name] += number(cell)
    return min(Counter(group.cells).values()) > 1 and spread(list(sums.values())) < SAME_PEOPLE


def spread(sums: Sequence[int]) -> float:
    return 1 - min(sums) / max(sums) if len(sums) > 1 and min(sums) >= 0 < max(sums) else 1.0


def is_crossed(columns: Sequence[Column]) -> bool:
    """Whether every combination of the entries stands once, as in a table of counts and hardly among people."""
    told = [c for i, c in enumerate(columns) if any(_is_told(c.sample, by.sample) for by in columns[:i])]
    columns = [column for column in columns if column not in told]
    entries = list(zip(*(column.sample for column in columns), strict=False))
    return len(columns) > 1 and 3 < len(entries) == len(set(entries)) == prod(column.distinct for column in columns)


def is_panel(texts: Sequence[Column], years: Sequence[Column]) -> bool:
    """Whether names come once per year, or per day, but no more: as counts do that are kept over time."""
    times = [*years, *(column for column in texts if column.holds_times and column.distinct < len(column.sample))]
    names = [column for column in texts if column not in times]
    if not times or not names:
        return False
    entries = list(zip(*(column.sample for column in [*names, *times]), strict=False))
    repeated = len({entry[: len(names)] for entry in entries}) < len(entries)
    return repeated and len(set(entries)) == len(entries) > 3


def is_outer(column: Column, sides: Sequence[Column]) -> bool:
    """Whether blank cells belong to the name above them: a column to the right is filled wherever this one is not."""
    cells = column.cells
    if not cells or not cells[0].strip():
        return False
    blank = [i for i, cell in enumerate(cells) if not cell.strip()]
    right = [other for other in sides if other.position > column.position]
    return bool(blank) and any(all(other.cells[i].strip() for i in blank) for other in right)
