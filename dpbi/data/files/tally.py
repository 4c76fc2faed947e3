"""From a table and its roles to counts per category, with every remark and doubt on the way."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import chain, islice, pairwise

import numpy as np

from dpbi import limits

from . import vocabulary
from .form import ADDED, APART, COUNTS, RAW, Understanding
from .names import Names
from .outcome import CountsError, listed, shown
from .public_list import MISSING, on_public_list
from .roles import Roles, group_names
from .sums import is_of_the_whole, sums_of_rows
from .table import Column, Table, joined, one_line
from .whole_numbers import COUNT_LIMIT, NESTED, MarkedCell, is_number, parse, plain, whole_numbers

BOOLEANS = {"false": "False", "true": "True"}
SEVERAL = (";", ",", "|", "/", "+", "\n", " ")
CHUNK = 20_000  # cells that are counted before it is looked whether there are too many names
CODES_LARGEST = 20  # more different numbers than codes usually are
AT_LEAST_TWO = "at least two categories are needed"


def counted(table: Table, roles: Roles, separator: str | None, form: Understanding) -> dict[str, int]:
    """Counts per category, in the order of the file (declared order for levels, False before True)."""
    if roles.layout == RAW:
        totals = _tally(table, roles.categories, form)
    else:
        totals = _checked(_added_up(table, roles, separator, form), table, roles, form)
    _remark_on_what_counts_hide(table, roles, totals, form)
    return totals


def _remark_on_what_counts_hide(table: Table, roles: Roles, totals: Mapping[str, int], form: Understanding) -> None:
    """Categories that stand for no answer, columns of weights, and counts that say themselves that they are noisy."""
    absent = [f"{shown(name)} ({count:,})" for name, count in totals.items() if name.lower() in vocabulary.NO_ANSWER]
    if absent:
        form.remark(f"Counted as categories, though they may stand for no answer: {listed(absent)}.")
    weights = [column.label for column in table.columns if column.says(vocabulary.WEIGHTS)]
    if weights:
        form.remark(f"{listed(weights)}: if these are weights of a survey, they are not used.")
    noisy = [column.label for column in table.columns if column.says(vocabulary.NOISY)]
    if noisy:
        form.remark(f"{listed(noisy)}: values that are noisy already are no true counts.")


# --- counts that were brought as such ---


def _added_up(table: Table, roles: Roles, separator: str | None, form: Understanding) -> dict[str, int]:
    """The counts of each name, added where it comes again, without rows that are sums of others."""
    names, cells, at = _entries(table, roles)
    filled = [bool(name.strip()) for name in names]
    if not all(filled):
        _settle_nameless(table, [(cells[i], at[i]) for i, named in enumerate(filled) if not named], form)
        left = [i for i, named in enumerate(filled) if named]
        names, cells, at = [names[i] for i in left], [cells[i] for i in left], [at[i] for i in left]
    different = _times(names)[1]
    _refuse_too_many(different)
    tidy = Names(form)
    tidy.add(dict.fromkeys(names), lambda cell: table.rows[at[names.index(cell)]])
    whole = whole_numbers(cells, names.__getitem__, lambda i: table.rows[at[i]], separator, form)
    out = set(_rows_of_sums(table, roles, names, whole, at, form))
    if out:
        left = [i for i in range(len(names)) if table.rows[at[i]] not in out]
        names, whole = [names[i] for i in left], [whole[i] for i in left]
        tidy.of = {name: tidy.of[name] for name in dict.fromkeys(names)}
    where = "on {} rows" if roles.layout == COUNTS else "in {} columns"
    tidy.remark({} if roles.group == ADDED else _times(names)[0], where)
    totals: dict[str, int] = {}
    for name, count in zip(names, whole, strict=True):
        totals[tidy.of[name]] = totals.get(tidy.of[name], 0) + count
    return totals


def _settle_nameless(table: Table, entries: Sequence[tuple[str, int]], form: Understanding) -> None:
    """Counts without a category at the end are figures for all others, as likely as not; elsewhere they are refused."""
    counts = [(cell, i) for cell, i in entries if cell.strip()]
    if len(counts) < len(entries):
        form.remark(f"Rows with neither a category nor a count were left out: {len(entries) - len(counts):,}.")
    if not counts:
        return
    cell, first = counts[0]
    rows = [table.rows[i] for _, i in counts]
    at_end = len(table.rows) - first <= len(entries) < len(table.rows) - 1
    why = f"The count {shown(cell)} at the end has no category: it may be a figure for all others."
    if not (at_end and form.leave_out(rows, "no category", why)):
        raise CountsError(f"the category of the count {shown(cell)} is missing; leave the row out if it is a sum.",
                          rows[0], "")  # fmt: skip


def _entries(table: Table, roles: Roles) -> tuple[list[str], list[str], list[int]]:
    """For each cell of counts that is read: its name, the cell, and the entry of the table where it stands."""
    entries: Sequence[int] = range(len(table.rows))
    if roles.group not in (None, ADDED, APART):
        entries = [i for i in entries if roles.keys[i] == roles.group]
    if roles.layout == COUNTS and len(roles.counts) == len(roles.categories) == 1 and roles.group in (None, ADDED):
        return roles.categories[0].cells, roles.counts[0].cells, list(entries)
    of_rows = group_names(roles.categories, table.columns) if roles.categories else [""] * len(table.rows)
    prefix = roles.keys if roles.group == APART else [""] * len(table.rows)
    names, cells, at = [], [], []
    for i in entries:
        for column in roles.counts:
            name = of_rows[i] if roles.layout == COUNTS else column.name
            names.append(joined([[prefix[i]], [name]])[0] if prefix[i] else name)
            cells.append(column.cells[i])
            at.append(i)
    return names, cells, at


def _rows_of_sums(
    table: Table, roles: Roles, names: Sequence[str], whole: Sequence[int], at: Sequence[int], form: Understanding
) -> list[int]:
    """The rows of the file to leave out since they are sums of others. Of several groups, whole lines of the names and
    whole lines of the groups must be sums: hardly one is by chance, and cells of different lines have no sum."""
    sides: list[tuple[list[str], list[list[int]]]] = []
    marks: list[tuple[str, str]] = []
    if roles.group in (ADDED, APART):
        count_of = dict(zip(zip((roles.keys[i] for i in at), names, strict=True), whole, strict=True))
        sides = [_lines(count_of, side) for side in ((0, 1) if roles.layout == COUNTS else (0,))]
        marks = [(roles.keys[i], name) for i, name in zip(at, names, strict=True)]
    if roles.layout == COUNTS and not any(counts for _, counts in sides):
        sides, marks = [(list(names), [[count] for count in whole])], []
    rows: list[int] = []
    for side, (lines, counts) in enumerate(sides):
        sums = sums_of_rows(lines, counts) if counts and 2 < len(lines) <= limits.CATEGORIES_LARGEST else None
        named = [i for i in (0, len(lines) - 1) if is_of_the_whole(lines[i])] if len(lines) > 2 else []
        found = sorted(sums.at) if sums else named
        certain = bool(sums and sums.certain) or (bool(marks) and side == 0 and bool(found))
        if not found or len(lines) - len(found) < 2:
            continue
        said = listed([f"{shown(lines[i].strip())} ({sum(counts[i]) if counts else 'all'})" for i in found])
        wanted = {lines[i] for i in found} if marks else {*found}
        of_file = sorted({table.rows[i] for j, i in enumerate(at) if (marks[j][side] if marks else j) in wanted})
        why = f"{said} {'is' if len(found) == 1 else 'are'} {_why(sums is not None, certain)}"
        if certain:
            rows += form.leave_out(of_file, "the sum of other rows", f"{why}: all would be counted twice with it.")
        else:
            at_rows = listed(list(map(str, of_file)))
            form.ask("leave_out", f"{why}: if it is a total, leave row {at_rows} out, or all are counted twice.")
    return rows


def _why(sums: bool, certain: bool) -> str:
    return "the sum of other rows" if certain else "about the sum of all others" if sums else "named like a total"


def _lines(count_of: dict[tuple[str, str], int], side: int) -> tuple[list[str], list[list[int]]]:
    """The names of one side and their counts along the other; no counts where not every two meet once."""
    lines, others = ([*dict.fromkeys(marks[part] for marks in count_of)] for part in (side, 1 - side))
    if len(lines) * len(others) != len(count_of):
        return lines, []
    return lines, [[count_of[(line, other) if side == 0 else (other, line)] for other in others] for line in lines]


def _checked(totals: dict[str, int], table: Table, roles: Roles, form: Understanding) -> dict[str, int]:
    totals = on_public_list(totals, form)
    if len(totals) < 2:
        raise CountsError(
            f"{AT_LEAST_TWO}: got {len(totals)}; add the others with the count 0, or give the public list of them all."
        )
    n = sum(totals.values())
    if n >= COUNT_LIMIT:
        raise CountsError(f"the counts are too large: their sum must be below 2^63, got {n:,}.")
    counted_by_name = any(column.named_as_counts for column in roles.counts)
    of_shares = roles.layout == COUNTS and any(column.says(vocabulary.SHARES) for column in roles.counts)
    hundred = abs(n - 100) <= 1 and len(totals) > 2 and not (table.has_row_names and counted_by_name)
    hundred = hundred and (n == 100 or not counted_by_name)
    if (hundred or of_shares) and n:
        why = f"these counts add to {'exactly 100' if n == 100 else n}" if hundred else "the header mentions shares"
        doubt = f"Are they numbers of people, not percentages? For {why}."
        if not form.settle("confirm_percentages", counted_by_name and not of_shares, doubt):
            raise CountsError(f"percentages cannot be used ({why}): counts of people are needed.")
        form.remark(f"Read as counts of people, though {why}.")
    if not n:
        form.remark("There are no observations: the posterior equals the prior.")
    return totals


def _times(cells: Sequence[str], levels: Sequence[str] = ()) -> tuple[Counter[str], int]:
    """How often each cell stands, and how many different names the cells and levels that are not blank give.

    Of more names than categories may be only the first are counted: to count millions would take more memory than
    the file. How many there are is then found by their hashes of 64 bits, of which any two of ten million names are
    the same with probability 3e-6; and it is only used to say why the file is refused.
    """
    times: Counter[str] = Counter()
    looked_at = limits.CATEGORIES_LARGEST
    for start in range(0, len(cells), CHUNK):
        times.update(cells[start : start + CHUNK])
        if len(times) > looked_at:
            if len({cell.strip() for cell in times}) > limits.CATEGORIES_LARGEST + 1:  # one may be blank
                return times, _different(name for cell in chain(levels, cells) if (name := cell.strip()))
            looked_at = 2 * len(times)
    return times, len({name.strip() for name in (*levels, *times)} - {""})


def _different(texts: Iterable[str]) -> int:
    hashes = np.fromiter(map(hash, texts), np.int64)
    hashes.sort()
    return 1 + int(np.count_nonzero(hashes[1:] != hashes[:-1])) if hashes.size else 0


def _refuse_too_many(names: int) -> None:
    if names > limits.CATEGORIES_LARGEST:
        raise CountsError(f"too many categories: at most {limits.CATEGORIES_LARGEST:,}, got {names:,}.")


# --- raw records ---


def _tally(table: Table, columns: Sequence[Column], form: Understanding) -> dict[str, int]:
    column, rows = (columns[0] if len(columns) == 1 else _joined(columns)), table.rows
    if any(isinstance(cell, MarkedCell) and cell.kind == NESTED for cell in column.fetch(1)):
        raise CountsError(f"{column.label} holds lists; one answer per person is needed.")
    tally, different = _times(column.cells, column.levels or ())
    missing = sum(tally.pop(cell) for cell in [cell for cell in tally if not cell.strip()])
    if column.levels is None and form.said.categories is None:
        _refuse_measurements(column, tally, different)
    _refuse_too_many(different)
    tidy = Names(form)
    tidy.add([*(column.levels or ()), *tally], lambda cell: rows[column.cells.index(cell)])
    boolean = _merge_booleans(tidy, form)
    totals = dict.fromkeys(tidy.of.values(), 0)
    for cell, count in tally.items():
        totals[tidy.of[cell]] += count
    totals = _in_order(totals, column)
    found = len(totals)
    others = [other for other in table.columns if other not in columns]
    blank = 0 if others else table.blank_rows  # in a file of one column an empty cell is a blank row
    if form.settle("missing", "drop") == "keep":
        totals[MISSING] = totals.get(MISSING, 0) + missing + blank
        missing = blank = 0
    several = several_answers(set(tidy.of.values()))
    if form.said.chosen is not None:
        form.settle("chosen", "")
        totals = _one_answer(totals, form.said.chosen, column)
    elif several:
        form.remark(
            f"{listed(list(map(shown, several)), most=3)} may hold several answers of one person; each combination is "
            "a category of its own. Or count one answer, as yes or no (chosen): adding up all answers would let one "
            "person move several counts."
        )
    totals = on_public_list(totals, form)
    if len(totals) < 2:
        raise CountsError(
            f"{'only one' if found else 'no'} category was found in {column.label}: {AT_LEAST_TWO}; give the public "
            "list of categories, with those that nobody chose."
        )
    tidy.remark({} if boolean else dict.fromkeys(tidy.of, 1), "in {} spellings")
    _remark_on_records(column, others, missing, blank, form)
    if not all(totals.values()) and column.levels is not None and form.said.categories is None:
        form.remark("Categories without rows were kept, with the count 0.")
    return totals


def _in_order(totals: dict[str, int], column: Column) -> dict[str, int]:
    """False before True, and codes ascending where the file declares no levels; else as they come."""
    if set(totals) <= set(BOOLEANS.values()):
        return {name: totals[name] for name in BOOLEANS.values() if name in totals}
    if column.levels is None and all(map(is_number, totals)):
        return {name: totals[name] for name in sorted(totals, key=_code)}
    return totals


def _code(name: str) -> tuple[bool, Decimal]:
    """Codes in ascending order; what is a number in another country's spelling comes after them."""
    number = parse(plain(name), "English")
    return (number is None, number.value if number else Decimal())


def _merge_booleans(tidy: Names, form: Understanding) -> bool:
    """Whether the names are true and false only; they are then spelled in one way."""
    lower = {cell: name.lower() for cell, name in tidy.of.items()}
    if not lower or not set(lower.values()) <= set(BOOLEANS):
        return False
    if len(set(tidy.of.values())) > len(set(lower.values())):
        form.remark("Spellings of true/false were merged.")
    tidy.of = {cell: BOOLEANS[name] for cell, name in lower.items()}
    return True


def _refuse_measurements(column: Column, tally: Counter[str], different: int) -> None:
    """Refuses identifiers, whose entries are all different and not made of several answers, and measurements: numbers
    of which two are true of mostly different, many, and not whole."""
    answered = sum(tally.values())
    if different > limits.CATEGORIES_LARGEST:  # then the tally is not of all
        answered = sum(not cell.isspace() and cell != "" for cell in column.cells)
    if answered < 3:
        return
    # More values than that are refused in any case, and these suffice for saying why.
    values = list(islice(tally, limits.CATEGORIES_LARGEST + 1))
    if {value.strip().lower() for value in values} <= set(BOOLEANS):
        return
    numbers = all(map(is_number, values))
    fractions = numbers and not all(value.strip().isdecimal() for value in values)
    if different == answered and not fractions and not several_answers(set(values)):
        raise CountsError(f"every value of {column.label} is different; this looks like an identifier, not a category.")
    mostly_different = 2 * different > answered
    many = different > CODES_LARGEST
    if numbers and (mostly_different + many + fractions) >= 2:
        raise CountsError(
            f"{column.label} has {different:,} different values in {answered:,} rows; choose a categorical column."
        )


def several_answers(names: set[str]) -> list[str]:
    """The names that are made of others, as forms write them that let people tick more than one answer. Two of the
    parts or more must be found in other names too, alone or among others; parts between spaces all be names alone."""
    for mark in SEVERAL:
        split = {name: [part.strip() for part in name.split(mark) if part.strip()] for name in names}
        times = Counter(part for parts in split.values() for part in set(parts))
        several = sorted(name for name, parts in split.items()
                         if (sum(times[part] > 1 for part in set(parts)) > 1 if mark != " "
                             else len(set(parts)) > 1 and names.issuperset(parts)))  # fmt: skip
        if several:
            return several
    return []


def single_answers(names: set[str]) -> list[str]:
    """The answers that names with several are made of."""
    several = several_answers(names)
    parts = {part for name in several for part in _parts(name) - {name}}
    return sorted(part for part in parts if part and _parts(part) <= {part} | names)


def _one_answer(totals: dict[str, int], chosen: str, column: Column) -> dict[str, int]:
    """How many people chose one answer, alone or among others, and how many did not."""
    wanted = one_line(chosen)
    with_it = sum(count for name, count in totals.items() if wanted in _parts(name))
    if not with_it:
        raise CountsError(f"chosen: nobody answered {shown(wanted)} in {column.label}.", entry="chosen")
    return {f"{wanted}: yes": with_it, f"{wanted}: no": sum(totals.values()) - with_it}


def _parts(name: str) -> set[str]:
    return {name} | {part.strip() for mark in SEVERAL for part in name.split(mark)}


def _remark_on_records(
    column: Column, others: Sequence[Column], missing: int, blank: int, form: Understanding
) -> None:
    if missing:
        rows = "1 row has no answer and was" if missing == 1 else f"{missing:,} rows have no answer and were"
        form.remark(f"{rows} left out; they can be counted as a category of their own, '{MISSING}'.")
    if blank:
        form.remark(f"Blank rows were left out: {blank:,}.")
    if column.levels is None and form.said.categories is None:
        form.remark(
            "The categories were found in the data, so the list of them is not protected: give it in full if you can."
        )
    repeated = [other.label for other in others if _names_people(other) and _has_repeats(other)]
    if repeated:
        verb = "repeats" if len(repeated) == 1 else "repeat"
        form.remark(f"The guarantee is per row; {listed(repeated)} {verb}, so one person can affect several rows.")
    stem = re.split(r"[/.]", column.name)[0]
    beside = [other.label for other in others if stem and re.match(rf"{re.escape(stem)}[/.]", other.name)]
    if beside:
        form.remark(f"{column.label} and {listed(beside)} may hold several answers of one person; one is counted.")


def _names_people(column: Column) -> bool:
    """By a word or by codes; or as the rows of a household stand together under its key."""
    cells = column.cells
    blocks = 1 + sum(one != other for one, other in pairwise(cells))
    together = 3 < column.distinct and blocks == _different(cells) < len(cells) < 2 * blocks
    return column.is_identifier or (together and not column.says(vocabulary.MEASUREMENTS))


def _has_repeats(column: Column) -> bool:
    """Whether anyone comes again; a word for nobody in particular is no person."""
    cells = [cell for cell in column.cells if cell and cell.strip().lower() not in vocabulary.ANONYMOUS]
    return _different(cells) < len(cells)


def _joined(columns: Sequence[Column]) -> Column:
    """Several columns as one: each combination of their entries that occurs is a category."""
    names = joined([column.cells for column in columns])
    return Column(columns[0].position, " / ".join(column.title for column in columns), lambda stop: names[:stop])
