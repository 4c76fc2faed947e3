"""From a table and its roles to counts per category, with every remark and doubt on the way."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from operator import ne
from typing import NamedTuple

from dpbi import limits

from . import vocabulary
from .form import ADDED, APART, COUNTS, RAW, Understanding
from .names import Names
from .outcome import CountsError, listed, shown
from .public_list import MISSING, on_public_list
from .roles import Roles
from .sums import says_total, sums_of_rows
from .table import JOIN, Column, Table, filled, joined, one_line
from .whole_numbers import COUNT_LIMIT, is_number, parse, plain, whole_numbers

BOOLEANS = {"false": "False", "true": "True"}
SEVERAL = (";", ",", "|", "/", "+", "\n", " ")
CHUNK = 20_000  # cells that are counted before it is looked whether there are too many names
TOO_MANY = f"too many categories: at most {limits.CATEGORIES_LARGEST:,} are read."


def counted(table: Table, roles: Roles, separator: str | None, form: Understanding) -> dict[str, int]:
    """Counts per category, in the order of the file (declared order for levels, False before True)."""
    if roles.layout == RAW:
        totals = _tally(table, roles.categories, form)
    else:
        totals = on_public_list(_added_up(table, roles, separator, form), form)
        _refuse_no_counts(totals, roles, form)
    if absent := [f"{shown(name)} ({n:,})" for name, n in totals.items() if name.lower() in vocabulary.NO_ANSWER]:
        form.remark(f"Counted as categories, though they may stand for no answer: {listed(absent)}.")
    if weights := [column.label for column in table.columns if column.says(vocabulary.WEIGHTS)]:
        form.remark(f"{listed(weights)}: if these are weights of a survey, they are not used.")
    return totals


# --- counts that were brought as such ---


class NamedCount(NamedTuple):
    """A cell of counts: the group and the category that it belongs to, and its row of the file."""

    group: str
    name: str
    cell: str
    row: int


def _added_up(table: Table, roles: Roles, separator: str | None, form: Understanding) -> dict[str, int]:
    """The counts of each name, added where it comes again, without rows that are sums of others."""
    keys = roles.keys or [""] * len(table.rows)
    sides = [filled(column, table.texts) for column in roles.categories]
    of_rows = sides[0] if len(sides) == 1 else joined(sides)
    entries = [
        NamedCount(keys[i], of_rows[i] if roles.layout == COUNTS else column.name, column.cells[i], table.rows[i])
        for i in range(len(table.rows))
        for column in roles.counts
        if roles.group in (None, ADDED, APART, keys[i])
    ]
    named = _named(entries, form)
    whole = whole_numbers([entry.cell for entry in named], lambda i: named[i].name, lambda i: named[i].row, separator,
                          form)  # fmt: skip
    out = _rows_of_sums(named, whole, roles, form) | _rows_of_whole_groups(table, roles, form)
    kept = [(entry, count) for entry, count in zip(named, whole, strict=True) if entry.row not in out]
    if roles.group == APART:
        kept = [(entry._replace(name=joined([[entry.group], [entry.name]])[0]), count) for entry, count in kept]
    times = Counter(entry.name for entry, _ in kept)
    tidy = Names(form)
    tidy.add(times, lambda cell: next(entry.row for entry, _ in kept if entry.name == cell))
    tidy.remark({} if roles.group == ADDED else times, "on {} rows" if roles.layout == COUNTS else "in {} columns")
    totals = dict.fromkeys(tidy.of.values(), 0)
    for entry, count in kept:
        totals[tidy.of[entry.name]] += count
    return totals


def _named(entries: Sequence[NamedCount], form: Understanding) -> list[NamedCount]:
    """The entries that have a category. Counts without one at the end are figures for all others, as likely as not;
    elsewhere they are refused."""
    nameless = [entry for entry in entries if not entry.name.strip()]
    if counts := [entry for entry in nameless if entry.cell.strip()]:
        cell, rows = shown(counts[0].cell), [entry.row for entry in counts]
        at_end = len(nameless) < len(entries) - 1 and list(entries[-len(nameless) :]) == nameless
        why = f"The count {cell} at the end has no category: it may be a figure for all others."
        if not (at_end and form.leave_out(rows, "no category", why)):
            raise CountsError(f"the category of the count {cell} is missing; leave the row out if a sum.", rows[0])
    return [entry for entry in entries if entry.name.strip()]


def _rows_of_sums(entries: Sequence[NamedCount], whole: Sequence[int], roles: Roles, form: Understanding) -> set[int]:
    """The rows of the file to leave out since they are sums of others. Of several groups, whole lines of the names and
    whole lines of the groups must be sums: hardly one is by chance, and cells of different lines have no sum."""
    of_groups, of_names = [entry.group for entry in entries], [entry.name for entry in entries]
    ways = [(of_groups, of_names), (of_names, of_groups)] if roles.layout == COUNTS else [(of_groups, of_names)]
    sides: list[tuple[Sequence[str | int], Sequence[str], list[list[int]]]] = [
        (of, *_lines(of, across, whole)) for of, across in ways if roles.group in (ADDED, APART)
    ]
    if roles.layout == COUNTS and not any(counts for _, _, counts in sides):
        sides = [(range(len(entries)), of_names, [[count] for count in whole])]
    out: set[int] = set()
    for keys, lines, counts in sides:
        at, certain = sums_of_rows(lines, counts) if 2 < len(lines) <= limits.CATEGORIES_LARGEST else (set(), False)
        why = "the sum of other rows" if certain else "about the sum of all others"
        if not at and keys is not of_groups:  # groups are looked at column by column
            most = max(map(sum, counts), default=0)  # a total is no less than any other
            at = {i for i, line in enumerate(lines) if says_total(line) and sum(counts[i] if counts else ()) == most}
            certain, why = False, "named like a total"
        wanted = {key for i, key in enumerate(dict.fromkeys(keys)) if i in at}
        rows = sorted({entry.row for entry, key in zip(entries, keys, strict=True) if key in wanted})
        said = listed([f"{shown(lines[i].strip())} ({sum(counts[i]) if counts else 'all'})" for i in sorted(at)])
        if certain and len(lines) - len(at) > 1:
            why = f"{said}: {why}: all would be counted twice with it."
            out |= {*form.leave_out(rows, "the sum of other rows", why)}
        elif at and not certain:
            form.ask("leave_out", f"{said}: {why}: if a total, leave row {listed(list(map(str, rows)))} out, or all "
                     "are counted twice.")  # fmt: skip
    return out


def _rows_of_whole_groups(table: Table, roles: Roles, form: Understanding) -> set[int]:
    """The rows of groups that are named like a total of other groups of their column, where all groups are read."""
    out: set[int] = set()
    for column in roles.groups if roles.group in (ADDED, APART) else ():
        cells = filled(column, table.texts)
        totals = {cell for cell in set(cells) if says_total(cell)}
        if totals and len(set(cells) - totals) > 1:
            rows = [row for row, cell in zip(table.rows, cells, strict=True) if cell in totals]
            why = (f"{listed(sorted(map(shown, totals)))} of {column.label} may hold all other groups: all would be "
                   "counted twice with it.")  # fmt: skip
            out |= {*form.leave_out(rows, "a total of the groups", why)}
    return out


def _lines(
    of: Sequence[str], across: Sequence[str], whole: Sequence[int]
) -> tuple[list[str], list[list[int]]]:
    """The different names and the counts of each across the others; no counts where not every two meet once."""
    lines, others = list(dict.fromkeys(of)), dict.fromkeys(across)
    count_of = dict(zip(zip(of, across, strict=True), whole, strict=True))
    complete = len(lines) * len(others) == len(count_of) == len(of)
    return lines, [[count_of[line, other] for other in others] for line in lines] if complete else []


def _refuse_no_counts(totals: dict[str, int], roles: Roles, form: Understanding) -> None:
    """Refuses fewer than two categories, counts too large, and percentages: what may be such is asked."""
    if len(totals) < 2:
        raise CountsError(
            f"at least two categories are needed: got {len(totals)}; add the others with the count 0, or give the "
            "public list of them all."
        )
    if len(totals) > limits.CATEGORIES_LARGEST + (form.said.categories is not None):  # with "(other)"
        raise CountsError(TOO_MANY)
    n = sum(totals.values())
    if n >= COUNT_LIMIT:
        raise CountsError(f"the counts are too large: their sum must be below 2^63, got {n:,}.")
    named = any(column.named_as_counts for column in roles.counts)
    hundred = abs(n - 100) <= (len(totals) > 2) and not (  # names of rows have none themselves, as R writes tables
        named and (n != 100 or any(not column.name for column in roles.categories)))  # fmt: skip
    of_shares = roles.layout == COUNTS and any(column.says(vocabulary.SHARES) for column in roles.counts)
    if (hundred or of_shares) and n:
        why = f"these counts add to {'exactly 100' if n == 100 else n}" if hundred else "the header mentions shares"
        if not form.settle("confirm_percentages", named and not of_shares,
                           f"Are they numbers of people, not percentages? For {why}."):  # fmt: skip
            raise CountsError(f"percentages cannot be used ({why}): counts of people are needed.")
        form.remark(f"Read as counts of people, though {why}.")
    if not n:
        form.remark("There are no observations: the posterior equals the prior.")


def _times(cells: Sequence[str]) -> Counter[str]:
    """How often each cell stands, no further down than to too many names beside blank cells: millions of them would
    take more memory than the file."""
    times: Counter[str] = Counter()
    for start in range(0, len(cells), CHUNK):
        times.update(cells[start : start + CHUNK])
        if len(set(map(str.strip, times))) > limits.CATEGORIES_LARGEST + 1:
            break
    return times


# --- people's rows ---


def _tally(table: Table, columns: Sequence[Column], form: Understanding) -> dict[str, int]:
    column, others = columns[0], [other for other in table.columns if other not in columns]
    if len(columns) > 1:  # each combination of their entries that occurs is a category
        parts = [each.cells for each in columns]
        names = [name if all(map(str.strip, part)) else ""  # who left one blank has not answered
                 for name, *part in zip(joined(parts), *parts, strict=True)]  # fmt: skip
        column = Column(column.position, JOIN.join(each.title for each in columns), lambda stop: names[:stop])
    totals, missing = _answers(column, table, form)
    missing += 0 if others else table.blank_rows  # in a file of one column an empty cell is a blank row
    if form.settle("missing", "drop") == "keep":
        totals[MISSING] = totals.get(MISSING, 0) + missing
    elif missing:
        form.remark(f"Rows without an answer were left out ({missing:,}); they can be a category, '{MISSING}'.")
    totals = on_public_list(_one_answer(totals, column, form), form)
    if len(totals) < 2:
        raise CountsError(
            f"{'only one' if totals else 'no'} category was found in {column.label}: at least two categories are "
            "needed; give the public list of categories, with those that nobody chose."
        )
    if form.said.categories is None and column.levels is None:
        form.remark(
            "The categories were found in the data, so the list of them is not protected: give it in full if you can."
        )
    elif form.said.categories is None and not all(totals.values()):
        form.remark("Categories without rows were kept, with the count 0.")
    _remark_on_several_rows(column, others, form)
    return totals


def _answers(column: Column, table: Table, form: Understanding) -> tuple[dict[str, int], int]:
    """How many people gave each answer, and how many none: False before True, and codes ascending where the file
    declares no levels; else as they come."""
    levels = column.levels or ()
    tally = _times(column.cells)
    missing = sum(tally.pop(cell) for cell in [*tally] if not cell.strip())
    different = len(set(map(str.strip, (*levels, *tally))) - {""})
    if column.levels is None and form.said.categories is None:
        _refuse_measurements(column, tally, different)
    if different > limits.CATEGORIES_LARGEST:
        raise CountsError(TOO_MANY)
    tidy = Names(form)
    tidy.add([*levels, *tally], lambda cell: table.rows[column.cells.index(cell)])
    boolean = {name.lower() for name in tidy.of.values()} <= BOOLEANS.keys()
    if boolean:
        if len(set(tidy.of.values())) > 2:
            form.remark("Spellings of true/false were merged.")
        tidy.of = {cell: BOOLEANS[name.lower()] for cell, name in tidy.of.items()}
    tidy.remark({} if boolean else dict.fromkeys(tidy.of, 1), "in {} spellings")
    totals = dict.fromkeys(tidy.of.values(), 0)
    for cell, count in tally.items():
        totals[tidy.of[cell]] += count
    codes = {name: value for name in totals if (value := parse(plain(name), "English")) is not None}
    if boolean or (column.levels is None and len(codes) == len(totals)):
        totals = dict(sorted(totals.items(), key=lambda item: codes.get(item[0], item[0])))
    return totals, missing


def _refuse_measurements(column: Column, tally: Counter[str], different: int) -> None:
    """Refuses identifiers, whose entries are all different and not made of several answers, and measurements: numbers
    of which two are true of mostly different, many, and not whole."""
    answered, values = sum(tally.values()), set(map(str.strip, tally))
    if answered < 3 or {value.lower() for value in values} <= BOOLEANS.keys():
        return
    numbers = all(map(is_number, values))
    fractions = numbers and not all(map(str.isdecimal, values))
    measures = numbers and (2 * different > answered) + (different > 20) + fractions >= 2
    if measures or (different == answered and not fractions and not several_answers(values)):
        kind = "measurements" if fractions or different < answered else "an identifier"
        raise CountsError(f"{column.label} has {different:,} different values in {answered:,} rows, as {kind} would; "
                          "choose a categorical column.")  # fmt: skip


def several_answers(names: set[str]) -> list[str]:
    """The names that are made of others, as forms write them that let people tick more than one answer. Two of the
    parts or more must be found in other names too, alone or among others; parts between spaces all be names alone."""
    for mark in SEVERAL:
        split = {name: {part.strip() for part in name.split(mark)} - {""} for name in names}
        times = Counter(chain.from_iterable(split.values()))
        known = names if mark == " " else {part for part in times if times[part] > 1}
        if several := [name for name, parts in split.items()
                       if len(parts & known) > 1 and (mark != " " or parts <= known)]:  # fmt: skip
            return sorted(several)
    return []


def single_answers(names: set[str]) -> list[str]:
    """The answers that names with several are made of."""
    parts = {part for name in several_answers(names) for part in _parts(name) - {name, ""}}
    return sorted(part for part in parts if _parts(part) <= {part} | names)


def _parts(name: str) -> set[str]:
    return {name} | {part.strip() for mark in SEVERAL for part in name.split(mark)}


def _one_answer(totals: dict[str, int], column: Column, form: Understanding) -> dict[str, int]:
    """How many people chose one answer, alone or among others, and how many did not, where one is said."""
    if form.said.chosen is not None:
        wanted = one_line(form.said.chosen)
        with_it = sum(count for name, count in totals.items() if wanted in _parts(name))
        if not with_it:
            raise CountsError(f"chosen: nobody answered {shown(wanted)} in {column.label}.", entry="chosen")
        return {f"{wanted}: yes": with_it, f"{wanted}: no": sum(totals.values()) - with_it}
    if several := several_answers(set(totals)):
        form.remark(
            f"{listed(list(map(shown, several)), most=3)} may hold several answers of one person; each combination is "
            "a category of its own. Or count one answer, as yes or no (chosen): adding up all answers would let one "
            "person move several counts."
        )
    return totals


def _remark_on_several_rows(column: Column, others: Sequence[Column], form: Understanding) -> None:
    """Other columns that name people who come again, and those that hold further answers of the same person."""
    if repeated := [other.label for other in others if _names_people_again(other)]:
        form.remark(f"The guarantee is per row; {listed(repeated)} repeats, so one person can affect several rows.")
    stem = re.split(r"[/.]", column.name)[0]
    if beside := [other.label for other in others if stem and other.name.startswith((f"{stem}/", f"{stem}."))]:
        form.remark(f"{column.label} and {listed(beside)} may hold several answers of one person; one is counted.")


def _names_people_again(column: Column) -> bool:
    """By a word or by codes; or as the rows of a household stand together under its key. A word for nobody in
    particular is no person."""
    if not column.is_identifier:
        few = column.distinct < 4 or column.repeats or column.holds_times or column.says(vocabulary.MEASUREMENTS)
        blocks = 0 if few else 1 + sum(map(ne, column.cells, column.cells[1:]))
        return blocks < len(column.cells) < 2 * blocks and blocks == len(set(column.cells))
    cells = [cell for cell in column.cells if cell and cell.strip().lower() not in vocabulary.ANONYMOUS]
    return len(set(cells)) < len(cells)
