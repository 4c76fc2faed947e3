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
from .table import YEAR, Column, Table, are_years, filled_down, is_fraction, joined, one_line
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


def guess_only(table: Table, form: Understanding) -> tuple[tuple[tuple[Key, tuple[str, ...]], ...] | None, str]:
    """Which rows to keep, where counts stand below each other with percentages of the same, or answers to several
    questions of the same person; and why."""
    if form.said.layout == WIDE:
        return None, ""
    kinds = _Kinds(table)
    mixed = [column for column in kinds.counts if kinds.counts[-1].has_fractions and column.has_fractions]
    for side in (column for column in kinds.texts if 1 < column.distinct < 7 and mixed):
        cells = zip(side.cells, mixed[0].cells, strict=True)
        fractional = {one_line(name) for name, cell in cells if is_fraction(cell)}
        whole = [name for name in dict.fromkeys(map(one_line, side.cells)) if name and name not in fractional]
        if whole and "" not in fractional and fractional and len(kinds.filled) > 2:
            why = f"Where {side.label} is {shown(sorted(fractional)[0])}, {mixed[0].label} holds fractions: no counts."
            return ((table.key(side), (whole[0],)),), why
    asked = [column for column in kinds.filled if column.words & vocabulary.QUESTIONS and column.repeats]
    answers = [column for column in kinds.texts if column.words & vocabulary.REPLIES and column not in asked]
    people = [column for column in kinds.filled if column not in asked and column not in answers and column.repeats]
    if asked and answers and any(_is_key([person, asked[0]]) for person in people):
        why = f"Each person comes once per {asked[0].label}: one of its {asked[0].distinct} is read."
        return ((table.key(asked[0]), (one_line(asked[0].sample[0]),)),), why
    return None, ""


def _is_key(columns: Sequence[Column]) -> bool:
    """Whether the entries of the columns tell every row from all others."""
    entries = list(zip(*(column.cells for column in columns), strict=True))
    return len(set(entries)) == len(entries)


class _Kinds:
    """The columns of a table by what they may hold."""

    def __init__(self, table: Table) -> None:
        filled = [column for column in table.columns if not column.is_blank]
        self.numeric = [column for column in filled if column.may_hold_counts]
        self.texts = [column for column in filled if not column.may_hold_counts]
        self.telling = [column for column in self.texts if column.distinct > 1 or len(column.sample) < 2]
        self.years = [column for column in filled if are_years(column.sample)]
        self.counts = [column for column in self.numeric if column not in self.years and not (
            column.is_identifier or column.says(vocabulary.SHARES) or _numbers_rows(column))]  # fmt: skip
        self.sides = [column for column in filled if column in self.texts or column in self.years]
        self.filled = filled

    @property
    def crossed(self) -> bool:
        """Whether names tell rows apart together, as in a table of counts by several things and hardly among people."""
        return is_crossed(self.sides) or is_panel(self.texts, self.years)


# --- what a row is ---


def _guess_layout(table: Table, kinds: _Kinds) -> tuple[str, str]:
    """The likeliest layout, and why it is in doubt; "" where it is not."""
    only, counts = table.columns[0], kinds.counts
    if len(table.columns) == 1:
        refuse_unseparated(table)
        return RAW, PEOPLE if only.distinct == len(only.sample) > 1 else ""
    if not kinds.numeric:
        return RAW, ""
    if len(table.rows) == 1:
        return _of_one_row(table, kinds)
    wide = category_columns(table, kinds)
    if wide:  # a column per category beside names that are all different: groups, or people who answered each
        people = any(column.is_identifier or column.holds_times for column in kinds.texts)
        small = all(column.is_small for column in wide) and len(table.rows) > 2
        over_time = all(YEAR.search(column.name) for column in wide)
        return RAW if people else COUNTS if over_time else WIDE, PEOPLE if people or small else ""
    if not kinds.telling:
        return _among_numbers(table, kinds)
    if not counts:
        return RAW, PEOPLE
    said = any(column.named_as_counts for column in counts)
    names = [column for column in kinds.telling if not column.holds_times and not column.is_identifier]
    again = [column for column in names if column.distinct < len(column.sample)] if not kinds.crossed else []
    people = len(names) < len(kinds.telling) and not kinds.crossed
    sure = not any(column.repeats for column in again) if said else not (again or any(c.may_be_answers for c in counts))
    if sure and not people:
        return COUNTS, ""
    small = all(column.is_small or column.says(vocabulary.MEASUREMENTS) for column in counts) and not kinds.crossed
    likely = people or small or len(again) == len(names)
    return RAW if likely and not said else COUNTS, PEOPLE


def _of_one_row(table: Table, kinds: _Kinds) -> tuple[str, str]:
    """'colour,count / red,50' is a table of one category, 'red,green / 12,30' a row of counts."""
    named = any(column.named_as_counts or column.says(vocabulary.SHARES) for column in kinds.numeric)
    pair = len(table.columns) == 2 and table.columns[-1] in kinds.numeric and (named or len(kinds.texts) == 1)
    person = any(column.is_identifier or column.says(vocabulary.MEASUREMENTS) for column in table.columns)
    asked = any(column.name.rstrip().endswith("?") for column in kinds.numeric)
    layout = COUNTS if pair or (named and len(kinds.texts) == 1) else WIDE
    return RAW if asked and person else layout, PEOPLE if asked or (person and layout == WIDE) else ""


def _among_numbers(table: Table, kinds: _Kinds) -> tuple[str, str]:
    """Codes with their counts, codes of persons, or one row of counts under numbered categories."""
    numeric = kinds.numeric
    named = [column for column in numeric if column.named_as_counts or column.says(vocabulary.COUNTS)]
    if named:
        others = [column for column in numeric if column not in named and not column.counts_rows]
        return COUNTS, PEOPLE if any(column.repeats or column.is_identifier for column in others) else ""
    if len(table.rows) == 2 and table.header_row is None:
        return (COUNTS if len(numeric) == 2 and numeric[0].counts_rows else WIDE), PEOPLE
    rest = numeric[1:] if len(numeric) > 2 and _numbers_rows(numeric[0]) else numeric
    first, last = rest[0], rest[-1]
    if len(rest) == 2:
        answered = last.repeats or last.may_be_answers or first.is_identifier
        return COUNTS if first.distinct == len(first.sample) and not answered else RAW, PEOPLE
    groups = numeric[0].distinct == len(numeric[0].sample) and not all(c.may_be_answers for c in numeric[1:])
    return WIDE if groups and not numeric[0].is_identifier else RAW, PEOPLE


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
    otherwise = column.holds_times or column.is_identifier or are_years(column.sample)
    return not column.sample, otherwise, not repeats, column.holds_numbers


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
        sides = kinds.telling if kinds.telling else kinds.filled
        names = [column for column in [*sides, *kinds.years] if column not in count] or table.columns
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
    return column is table.columns[0] and (column.is_identifier or column.says(vocabulary.MEASUREMENTS))


def category_columns(table: Table, kinds: _Kinds) -> list[Column]:
    """The columns of counts under the name of a category each, beside names that are all different; [] where it is no
    such table."""
    if table.header_row is None or not 1 < len(table.rows) <= limits.CATEGORIES_LARGEST:
        return []
    counts = [column for column in kinds.counts if not column.has_fractions]
    names, said = {column.name for column in counts}, [column.named_as_counts for column in counts]
    sides = [column for column in kinds.sides if column not in counts]
    if not sides or len(counts) < 2 or "" in names or len(names) < len(counts):
        return []
    alone = any(c.says(vocabulary.MEASUREMENTS) or (c.words and c.words <= vocabulary.COUNTS) for c in counts)
    if alone or sum(said) == 1 < len(said) < 4:
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
    if not column.may_hold_counts:
        return -1
    if column.has_fractions:
        return 0
    if column not in kinds.counts or any(cell.strip().endswith("%") for cell in column.sample):
        return 1
    if column.named_as_counts:
        return 6 if column.words <= vocabulary.COUNTS else 5
    if column.says(vocabulary.COUNTS):
        return 5
    return 3 if not kinds.telling and column is kinds.numeric[0] else 4  # of numbers only, codes come first


def _unlike_names(column: Column, kinds: _Kinds) -> tuple[int, ...]:
    """What is the same throughout comes last; before it codes, dates and the like, names of groups,
    and of names that come again those that are more."""
    numbers = column.holds_times or all(map(is_like_number, column.sample))
    again = column.distinct < len(column.sample)
    same, outer = again and column.distinct < 2, is_outer(column, kinds.texts)
    coded = column.says(vocabulary.CODES) or (column.is_identifier and not again) or _numbers_rows(column)
    return same, coded, numbers, outer, again, column.distinct if again else 0


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
    if form.said.group == ADDED and form.said.group_column is None:
        return ()
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
        if form.said.group not in (None, ADDED):
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
    if column.is_identifier or column.distinct < 2:
        return False
    return column.distinct < len(column.sample) or is_outer(column, sides)


def _telling(groups: list[Column], kept: list[Column], outer: list[Column]) -> list[Column]:
    """The groups without columns that say the same as one that is kept already, or as another of them, as the code of a
    country does: all entries of one name are the same in them."""
    order = sorted(groups, key=lambda column: (column not in outer, column.says(vocabulary.CODES), -column.distinct))
    for column in order:
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
