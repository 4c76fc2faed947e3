"""What each row of a table is, and which columns hold categories, counts and groups."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import prod

from dpbi import limits

from . import vocabulary
from .form import ADDED, APART, COUNTS, RAW, WIDE, Key, Understanding
from .outcome import CountsError, listed, shown
from .sums import is_of_the_whole, number, says_total
from .table import YEAR, Column, Table, are_years, filled, is_fraction, is_outer, joined, one_line
from .whole_numbers import is_like_number

PEOPLE = "Each row may be one person, or counts: if it is a person, they would move a count by their whole number."


@dataclass(frozen=True)
class Roles:
    """layout: RAW, COUNTS or WIDE; the columns of categories, of counts and of groups; which group is read: its name,
    ADDED or APART, or None where there are no groups. keys: the name of each entry's group."""

    layout: str
    categories: tuple[Column, ...]
    counts: tuple[Column, ...] = ()
    groups: tuple[Column, ...] = ()
    group: str | None = None
    keys: tuple[str, ...] = ()


def roles_of(table: Table, form: Understanding) -> Roles:
    """The roles as said, and as the table suggests where nothing was said; what it leaves open is noted in the form."""
    said, kinds = form.said, _Kinds(table)
    implied = RAW if said.column else COUNTS if said.category_column and said.layout != WIDE else None
    guessed = (implied, "") if implied else _guess_layout(table, kinds, said.group_column or ())
    layout = form.settle("layout", *guessed)
    if layout == RAW:
        best = min(table.columns, key=_unlike_answers)
        why = f"Each row is one person: {best.label} may hold the categories." if len(table.columns) > 1 else ""
        return Roles(RAW, _settle_columns(table, "column", [best], form, why))
    categories, counts, groups = (_wide if layout == WIDE else _pairs)(table, kinds, form)
    keys = joined([filled(column, kinds.sides) for column in groups])
    found = Roles(layout, categories, counts, groups, _settle_group(groups, keys, counts, kinds, form), tuple(keys))
    _refuse_sums_of_questions(found, kinds, form)
    return found


def guess_only(table: Table, form: Understanding) -> tuple[tuple[tuple[Key, tuple[str, ...]], ...] | None, str]:
    """Which rows to keep, where counts stand below each other with percentages of the same, or answers to several
    questions of the same person; and why."""
    kinds = _Kinds(table)
    mixed = [column for column in kinds.counts if kinds.counts[-1].has_fractions and column.has_fractions
             and not column.says(vocabulary.NOISY)]  # fmt: skip
    for side in (column for column in kinds.texts if 1 < column.distinct < 7 and mixed):
        fractional = {one_line(side.cells[i]) for i, cell in enumerate(mixed[0].cells) if is_fraction(cell)}
        whole = [name for name in dict.fromkeys(map(one_line, side.cells)) if name and name not in fractional]
        if whole and "" not in fractional and fractional and len(kinds.filled) > 2:
            why = f"Where {side.label} is {shown(sorted(fractional)[0])}, {mixed[0].label} holds fractions: no counts."
            return ((table.keys[side], (whole[0],)),), why
    asked = [column for column in kinds.filled if column.says(vocabulary.QUESTIONS) and column.repeats]
    answers = [column for column in kinds.texts if column.says(vocabulary.REPLIES) and column not in asked]
    if asked and answers and any(_are_different(joined([column.cells, asked[0].cells])) for column in kinds.filled
                                 if column.repeats and column not in (*asked, *answers)):  # fmt: skip
        why = f"Each person comes once per {asked[0].label}: one of its {asked[0].distinct} is read."
        return ((table.keys[asked[0]], (one_line(asked[0].sample[0]),)),), why
    return None, ""


def _are_different(entries: Collection[object]) -> bool:
    return len(set(entries)) == len(entries)


class _Kinds:
    """The columns of a table by what they may hold."""

    def __init__(self, table: Table) -> None:
        self.filled = [column for column in table.columns if not column.is_blank]
        self.numeric = [column for column in self.filled if column.may_hold_counts]
        self.texts = [column for column in self.filled if not column.may_hold_counts]
        self.telling = [column for column in self.texts if column.distinct > 1 or len(column.sample) < 2]
        self.years = [column for column in self.filled if are_years(column.sample)]
        self.counts = [column for column in self.numeric if column not in self.years and not (
            column.is_identifier or column.says(vocabulary.SHARES) or column.counts_rows)]  # fmt: skip
        self.sides = [column for column in self.filled if column in self.texts or column in self.years]

    @property
    def holds_answers(self) -> bool:
        """Questions in one column, the answers to them in another."""
        return all(any(column.says(said) for column in self.sides) for said in (vocabulary.QUESTIONS,
                                                                                vocabulary.REPLIES))  # fmt: skip

    @property
    def crossed(self) -> bool:
        """Whether each combination of names stands once, as in a table of counts by several things and hardly among
        people."""
        sides = [c for i, c in enumerate(self.sides) if not any(_is_told(c.sample, b.sample) for b in self.sides[:i])]
        entries = list(zip(*(column.sample for column in sides), strict=False))
        complete = len(entries) == prod(column.distinct for column in sides)
        return complete and _are_different(entries) and len(sides) > 1 and len(entries) > 3


# --- what a row is ---


def _guess_layout(table: Table, kinds: _Kinds, groups: Sequence[Key]) -> tuple[str, str]:
    """The likeliest layout, and why it is in doubt; "" where it is not. groups: the columns of groups, as said."""
    counts = kinds.counts
    if len(table.columns) == 1 or not kinds.numeric:
        few = len(table.rows) < 3 and bool(kinds.numeric)  # a number or two below a name, or answers of people
        return RAW, PEOPLE if few else ""
    if len(table.rows) == 1:  # 'colour,count / red,50' is a table of one category, 'red,green / 12,30' a row of counts
        asked = any(column.name.rstrip().endswith("?") or column.is_identifier for column in table.columns)
        pair = len(kinds.texts) == 1 and (len(table.columns) == 2 or any(
            column.named_as_counts or column.says(vocabulary.SHARES) for column in kinds.numeric))  # fmt: skip
        return COUNTS if pair else WIDE, PEOPLE if asked else ""
    wide = category_columns(table, kinds)
    if not wide and len(counts) > 1 and kinds.sides and table.header_row is not None:
        of = {table.found(key, "group_column") for key in groups}
        if of and not [column for column in kinds.sides if column not in of]:
            return WIDE, ""  # what names the groups names no categories
    if wide:  # a column per category beside names that are all different: groups, or people who answered each
        people = any(column.is_identifier or column.holds_times for column in kinds.texts)
        doubtful = people or (len(table.rows) > 2 and all(column.is_small for column in wide))
        over_time = all(YEAR.search(column.name) for column in wide)
        return RAW if people else COUNTS if over_time else WIDE, PEOPLE if doubtful else ""
    if not kinds.telling:
        return _among_numbers(table, kinds)
    crossed, said = kinds.crossed, any(column.named_as_counts for column in counts)
    names = [column for column in kinds.telling if not column.holds_times and not column.is_identifier]
    again = [column for column in names if column.distinct < len(column.sample) and not crossed]
    people = len(names) < len(kinds.telling) and not crossed
    sure = not any(column.repeats for column in again) if said else not (again or any(c.may_be_answers for c in counts))
    if sure and not people:
        return COUNTS, ""
    small = all(column.is_small or column.says(vocabulary.MEASUREMENTS) for column in counts) and not crossed
    return RAW if not said and (people or small or len(again) == len(names)) else COUNTS, PEOPLE


def _among_numbers(table: Table, kinds: _Kinds) -> tuple[str, str]:
    """Codes with their counts, codes of persons, or groups that are numbered."""
    first, *others = kinds.numeric[len(kinds.numeric) > 2 and kinds.numeric[0].counts_rows :]
    named = [column for column in kinds.numeric if column.named_as_counts or column.says(vocabulary.COUNTS)]
    if named:
        return COUNTS, PEOPLE if any(c.repeats or c.is_identifier for c in kinds.numeric if c not in named) else ""
    if (first.is_identifier or first.distinct < len(first.sample) or any(column.repeats for column in others)
            or all(column.may_be_answers for column in others)):  # fmt: skip
        return RAW, PEOPLE
    return COUNTS if len(others) == 1 else WIDE, PEOPLE


# --- the columns of each layout ---


def _settle_columns(
    table: Table, entry: str, guess: Sequence[Column], form: Understanding, why: str = ""
) -> tuple[Column, ...]:
    wanted: Sequence[Key] = form.settle(entry, tuple(table.keys[column] for column in guess), why)
    if not wanted and entry != "group_column":  # no groups are one answer, no categories none
        raise CountsError(f"{entry} must be a header or a position: no column is named.", entry=entry)
    return tuple(table.found(key, entry) for key in wanted)


def _pairs(table: Table, kinds: _Kinds, form: Understanding) -> tuple[tuple[Column, ...], ...]:
    """The columns of categories, of counts and of groups."""
    said = form.said
    taken = [table.found(key, "category_column") for key in said.category_column or ()]
    free = [column for column in kinds.filled if column not in taken] or table.columns[-1:]
    best = max(free, key=lambda column: _likelihood_of_counts(column, kinds))
    read = [table.found(key, "count_column") for key in said.count_column or ()] or [best]
    other = [*read, *(table.found(key, "group_column") for key in said.group_column or ())]
    names = [column for column in [*(kinds.telling or kinds.filled), *kinds.years] if column not in other]
    name = min(names or table.columns, key=lambda column: _unlike_names(column, kinds))
    why = ""
    if len(kinds.filled) > 2:
        why = f"Of {len(kinds.filled)} columns {name.label} may hold the categories and {best.label} their counts."
        for column in [*([] if taken else [name]), *([] if said.count_column else [best])]:
            table.found(column.name or column.position, "count_column")  # refused where another has the same name
    categories = _settle_columns(table, "category_column", [name], form, why)
    counts = _settle_columns(table, "count_column", [best], form, why)
    if set(categories) & set(counts):
        raise CountsError(f"two columns are needed: {counts[0].label} cannot hold both the categories and the counts.")
    groups = _guess_groups(kinds, categories, counts)
    asked = groups and said.group != ADDED
    why = f"The categories come once per {listed([column.label for column in groups])}." if asked else ""
    return categories, counts, _settle_columns(table, "group_column", groups, form, why)


def _wide(table: Table, kinds: _Kinds, form: Understanding) -> tuple[tuple[Column, ...], ...]:
    if table.header_row is None:
        raise CountsError("a row of counts needs a row of category names above it; there is none.")
    first = table.columns[0]  # 'year, 2024' before a row of counts names the row
    names_row = first not in kinds.numeric or first.is_identifier or first.says(vocabulary.MEASUREMENTS)
    free = table.columns if len(table.rows) == 1 else kinds.numeric
    found = category_columns(table, kinds) or [column for column in free if column is not first or not names_row]
    sums = _of_all(found)
    why = f"{listed([c.label for c in sums])} may be the sum of the columns beside it." if sums else ""
    counts = _settle_columns(table, "count_column", [c for c in found if c not in sums], form, why)
    if totals := [column.label for column in counts if says_total(column.name) or column in sums]:
        form.ask("count_column", f"{listed(totals)} may be a total of the columns beside: all would be counted twice.")
    names = [column for column in kinds.sides if column not in counts]
    for column in names if len(table.rows) == 1 else ():
        form.remark(f"{column.label} holds {shown(column.cells[0])}, which is not a number and was left out.")
    return (), counts, _settle_columns(table, "group_column", names, form)


def _of_all(columns: Sequence[Column]) -> list[Column]:
    """The first or last column, where it holds the sums of the others, or no less under a name such as 'n'."""
    rows = list(zip(*(map(number, column.cells) for column in columns), strict=True))
    if len(columns) < 3 or not rows:
        return []
    sums = [columns[edge] for edge in (-1, 0) if all(2 * row[edge] == sum(row) > 0 for row in rows)
            and (len(rows) > 1 or is_of_the_whole(columns[edge].name))]  # fmt: skip
    named = [columns[edge] for edge in (-1, 0) if columns[edge].named_as_counts and len(rows) > 1 and all(
        2 * row[edge] >= sum(row) > 0 for row in rows)]  # fmt: skip
    others = [column for column in columns if not column.named_as_counts]
    return (sums or (named if len(others) == len(columns) - 1 else []))[:1]


def category_columns(table: Table, kinds: _Kinds) -> list[Column]:
    """The columns of counts under the name of a category each, beside names that are all different; [] where it is no
    such table, or larger, as only records are."""
    counts = [column for column in kinds.counts if not column.has_fractions]
    total = _of_all(counts)
    names, said = {column.name for column in counts}, [column.named_as_counts for column in counts
                                                       if column not in total]  # fmt: skip
    sides = [column for column in kinds.sides if column not in counts]
    many = len(table.rows)
    if table.header_row is None or not 1 < many <= min(limits.CATEGORIES_LARGEST, 200_000 // (len(counts) or 1)):
        return []
    measured = any(c.says(vocabulary.MEASUREMENTS) or (c.words and c.words <= vocabulary.COUNTS) for c in counts)
    nameless = "" in names or len(names) < len(counts)
    if measured or nameless or not sides or len(counts) < 2 or sum(said) == 1 < len(said) < 4:
        return []
    labels = joined([filled(column, sides) for column in sides])
    return counts if _are_different(labels) and all(labels) else []


def _likelihood_of_counts(column: Column, kinds: _Kinds) -> tuple[bool, ...]:
    """Larger for likelier; columns that fit alike are taken in their order."""
    return (
        column.may_hold_counts,
        not column.has_fractions,
        column in kinds.counts and not any(cell.strip().endswith("%") for cell in column.sample),
        column.named_as_counts or column.says(vocabulary.COUNTS),
        column.named_as_counts and column.words <= vocabulary.COUNTS,
        bool(kinds.telling) or column not in kinds.numeric[:1],  # codes come first
    )


def _unlike_names(column: Column, kinds: _Kinds) -> tuple[int, ...]:
    """What is the same throughout comes last; before it codes, what stands beside answers to questions, dates and the
    like, names of groups, and of names that come again those that are more."""
    again = column.distinct < len(column.sample)
    return (
        again and column.distinct < 2,
        column.says(vocabulary.CODES) or (column.is_identifier and not again) or column.counts_rows,
        again and kinds.holds_answers and not column.says(vocabulary.REPLIES),
        column.holds_times or all(map(is_like_number, column.sample)),
        is_outer(column, kinds.texts),
        again,
        column.distinct if again else 0,
    )


def _unlike_answers(column: Column) -> tuple[bool, ...]:
    """Least for the first column whose entries repeat, that no identifier word names and that holds no times or years;
    words before numbers."""
    return (
        not column.sample,
        column.holds_times or column.is_identifier or are_years(column.sample),
        not 1 < column.distinct < len(column.sample),
        column.holds_numbers,
    )


# --- groups ---


def _guess_groups(kinds: _Kinds, categories: Sequence[Column], counts: Sequence[Column]) -> list[Column]:
    """The columns that tell equal names apart, or name what the same people were asked; none that says the same as
    another, as the code of a country does."""
    names = joined([column.cells for column in categories])
    again = not _are_different([*filter(None, names)])
    numbered = [column for column in kinds.numeric if again and column.repeats and column not in kinds.sides
                and _are_different(joined([names, column.cells]))]  # fmt: skip
    others = [column for column in (*kinds.sides, *numbered) if column not in categories and column not in counts
              and column.distinct > 1 and not column.is_identifier]  # fmt: skip
    outer = [column for column in others if is_outer(column, kinds.sides)]
    others = [column for column in others if column.distinct < len(column.sample) or column in outer]
    kept = list(categories) if again else []
    for column in sorted(others, key=lambda c: (c not in outer, c.says(vocabulary.CODES), -c.distinct)):
        asked = kinds.holds_answers and column.says(vocabulary.QUESTIONS)
        if column in outer or asked or not any(_is_told(column.cells, by.cells) for by in kept):
            kept.append(column)
    return [c for c in others if c in kept and (again or outer or c.says(vocabulary.QUESTIONS)
            or (c.repeats and _are_same_people(_sums(c.cells, counts[:1]).values())))]  # fmt: skip


def _settle_group(
    groups: Sequence[Column], keys: Sequence[str], counts: Sequence[Column], kinds: _Kinds, form: Understanding
) -> str | None:
    """Which group is read. Never added up unasked: where groups are items that the same people answered, or years of
    the same people, a sum counts each person several times."""
    said, different = form.said.group, list(dict.fromkeys(filter(None, keys)))
    if not groups:
        if said not in (None, ADDED):
            raise CountsError("group= goes with groups of rows; name the columns that tell them apart as group_column.",
                              entry="group")  # fmt: skip
        why = "Nothing names the rows, so that all are added up: right only where nobody is in two of them."
        several = form.entries["layout"] == WIDE and len(counts[0].cells) > 1
        return str(form.settle("group", ADDED, why)) if several else None
    names = list(map(shown, different))
    if said not in (None, ADDED, APART, *different):
        raise CountsError(f"group: there is no {shown(str(said))}; there are {listed(names, 12)}.", entry="group")
    if len(different) < 2:
        return str(form.settle("group", [*different, ADDED][0]))
    asked = any(column.says(vocabulary.QUESTIONS) or asks_the_same_people(column, groups, counts)
                or names_questions(column, kinds.sides, counts) for column in groups)  # fmt: skip
    times = any(are_years(column.sample) or column.holds_times for column in groups)
    valid = [key for key in different if key.lower() in ("valid", "gültig", "válidos", "valide")]  # by SPSS
    guess = valid[0] if valid else max(different) if times else different[0] if asked else ADDED
    why = (f"There are {len(different)} groups ({listed(names, 3)}): one is read, all are added up, or each is kept "
           "apart. Adding is right only where nobody is in two of them.")  # fmt: skip
    return str(form.settle("group", guess, why))


def _refuse_sums_of_questions(found: Roles, kinds: _Kinds, form: Understanding) -> None:
    """Each person would be counted once for every question: that is never guessed."""
    if found.group not in (None, ADDED):
        return
    sides = [column for column in kinds.sides if column not in found.counts and column.distinct > 1]
    for column in sides:
        named = column.says(vocabulary.QUESTIONS)
        if column in found.categories:
            several = kinds.holds_answers and named
        elif column in found.groups:
            several = named or names_questions(column, sides, found.counts)
        else:
            again = not _are_different(joined([one.cells for one in (*found.groups, *found.categories)]))
            several = (named and (again or kinds.holds_answers)) or names_questions(column, sides, found.counts)
        if not several:
            continue
        names = list(dict.fromkeys(filter(None, map(one_line, column.cells))))
        some, may = listed(list(map(shown, names)), 3), "" if named else "may "
        why = f"these rows {may}ask the same people {len(names):,} questions ({some})"
        if column in found.groups and not named:  # only where that was said: it is never guessed
            form.remark(f"{limits.opened(why)}, which were added up as said: each person is counted once for each.")
            continue
        entry = ("group" if column in found.groups else
                 "category_column" if column in found.categories else "group_column")  # fmt: skip
        raise CountsError(f"{why}, by {column.label}, and would count each person once for each: keep the rows of one "
                          "of them alone, or read the file as a table of several questions.", entry=entry)  # fmt: skip


def asks_the_same_people(column: Column, beside: Sequence[Column], counts: Sequence[Column]) -> bool:
    """Whether its names add to nearly the same number within each entry of the others beside it."""
    others = [one for one in beside if one is not column]
    return all(map(_are_same_people, _sums_within(column, others, counts)))


def names_questions(column: Column, beside: Sequence[Column], counts: Sequence[Column]) -> bool:
    """Whether its names add to the very same number within each of several entries of another column, as they hardly
    do of different people.
    """
    within = (_sums_within(column, [other], counts) for other in beside if other is not column)
    return any(len(sums) > 1 and all(len(set(of)) == 1 < len(of) for of in sums) for sums in within)


def _sums_within(column: Column, beside: Sequence[Column], counts: Sequence[Column]) -> list[Collection[int]]:
    """The sums of its names for each entry of those beside it, totals left out."""
    others = joined([other.cells for other in beside]) or [""] * len(column.cells)
    sums: dict[str, Counter[str]] = {}
    for i, (other, name) in enumerate(zip(others, column.cells, strict=True)):
        if name.strip() and not is_of_the_whole(name) and not is_of_the_whole(other):
            sums.setdefault(other, Counter())[name] += sum(max(number(of.cells[i]), 0) for of in counts)
    return [of.values() for of in sums.values()]


def _sums(keys: Sequence[str], counts: Sequence[Column]) -> Counter[str]:
    sums: Counter[str] = Counter()
    for i, key in enumerate(keys):
        sums[key] += sum(max(number(column.cells[i]), 0) for column in counts)
    return sums


def _are_same_people(sums: Collection[int]) -> bool:
    """Groups that add to nearly the same number, as the answers to several questions do, of which some are left out."""
    return len(sums) > 1 and min(sums) > 0.9 * max(sums)


def _is_told(cells: Sequence[str], by: Sequence[str]) -> bool:
    """Whether all entries of one name are the same."""
    return len(cells) == len(by) and len(set(zip(by, cells, strict=True))) == len(set(by))
