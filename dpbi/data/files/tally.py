"""From a table and its layout to counts per category, with every remark and question on the way."""

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal
from itertools import chain, compress, islice, takewhile

import numpy as np

from dpbi import limits

from . import vocabulary
from .answers import Answers
from .layout import Pairs, Records, Wide
from .names import Names, is_of_the_whole, is_total
from .outcome import CountsError, Notes, listed, shown
from .public_list import MISSING, on_public_list
from .several_ways import Selection
from .sums_of_rows import sums_of_rows
from .table import Column, Table, one_line
from .whole_numbers import COUNT_LIMIT, NESTED, MarkedCell, is_like_number, is_number, parse, plain, whole_numbers

BOOLEANS = {"false": "False", "true": "True"}
SEVERAL = (";", ",", "|", "/", "+")
CHUNK = 20_000  # cells that are counted before it is looked whether there are too many names
CODES_LARGEST = 20  # more different numbers than codes usually are
ANSWERS_OFFERED = 30
Side = tuple[Sequence[int], Sequence[str], Sequence[Sequence[int]]]  # entries' lines; names and counts of the lines
AT_LEAST_TWO = "at least two categories are needed"


def counted(
    table: Table, layout: Pairs | Wide | Records, separator: str | None, answers: Answers, notes: Notes
) -> dict[str, int]:
    """Counts per category, in the order of the file (declared order for levels, False before True)."""
    if isinstance(layout, Records):
        return _tally(table, layout, answers, notes)
    totals = (
        _from_row(table, layout, separator, answers, notes)
        if isinstance(layout, Wide)
        else _from_pairs(layout.selection, separator, answers, notes)
    )
    if not (isinstance(layout, Wide) and layout.of_grid):
        totals = _without_total(totals, answers, notes)
    shares, rounding = (layout.shares, layout.rounding) if isinstance(layout, Pairs) else (None, 0)
    return _checked(totals, shares, rounding, answers, notes)


# --- counts that were uploaded as such ---


def _from_pairs(
    selection: Selection, separator: str | None, answers: Answers, notes: Notes
) -> dict[str, int]:
    names, cells, rows = selection.names, selection.cells, selection.rows
    filled = [not name.isspace() and name != "" for name in names]
    if not all(filled):
        nameless = [i for i, named in enumerate(filled) if not named and cells[i].strip()]
        if nameless:
            cell, at_end = cells[nameless[0]], len(names) - nameless[0]
            if at_end == len(nameless) < len(names) - 1 and answers.skip_footer is None and not selection.lines:
                raise answers.question(
                    f"the last {at_end} filled rows have a count but no category, the first of them {shown(cell)}: are "
                    "they figures for all others, to be left out?",
                    {"skip_footer": at_end},
                    {"skip_footer": tuple(range(min(len(names), 51)))},
                    row=rows[nameless[0]],
                    cell=cell,
                )
            raise CountsError(f"the category of the count {shown(cell)} is missing.", rows[nameless[0]], "")
        notes.add(f"Rows with neither a category nor a count were left out: {filled.count(False):,}.")
        names, cells = list(compress(names, filled)), list(compress(cells, filled))
        rows = array("q", compress(rows, filled))
    times, different = _times(names)
    _refuse_too_many(different)
    tidy = Names(notes)
    tidy.add(times, lambda cell: rows[names.index(cell)])
    whole = whole_numbers(cells, names.__getitem__, rows.__getitem__, separator, answers, notes)
    crossed = _crossed(selection.lines, whole) if selection.lines else None
    sums = _sums_to_leave(crossed or [_alone(names, whole)], answers, notes)
    if sums:
        at = [i for i in range(len(names)) if i not in sums]
        names, whole = [names[i] for i in at], [whole[i] for i in at]
        times, tidy = _times(names)[0], Names(notes, {name: tidy.of[name] for name in names})
    if selection.settled:
        notes.add("Equal names were added up, as answered.")
    tidy.remark({} if selection.settled else times, "on {} rows", totals=answers.total_row is None)
    return _added(names, whole, tidy)


def _sums_to_leave(sides: Sequence[Side], answers: Answers, notes: Notes) -> set[int]:
    """The entries to leave out since they are sums of others, or stand in lines that are. Of rows and columns a whole
    line must be the sum of other lines: hardly one is by chance, and cells of different lines have no sum. One count
    that is the sum of all others is asked about later, wherever it stands."""
    found: list[str] = []
    out: set[int] = set()
    for line_of, names, counts in sides:
        sums = sums_of_rows(names, counts) if 2 < len(names) <= limits.CATEGORIES_LARGEST else None
        alone = len(counts[0]) == 1 and sums and len(sums.at) == 1
        if sums is None or (alone and 2 * counts[min(sums.at)][0] == sum(count for (count,) in counts)):
            continue
        found += [f"{shown(names[i].strip())} ({sum(counts[i])})" for i in sorted(sums.at)]
        out |= {i for i, line in enumerate(line_of) if line in sums.at}
    if not found:
        return out
    said = listed(found)
    if answers.total_row is None:
        raise answers.question(
            f"{said}: each is the sum of rows {'' if len(sides) == 1 else 'or columns '}beside it. Are they totals? "
            "Totals must be left out, or everyone in them would be counted several times; categories stay.",
            {"total_row": "drop"},
        )
    if answers.total_row == "keep":
        notes.add(f"{said}: sums of other rows, kept as categories, as answered.")
        return set()
    notes.add(f"{said}: left out as totals of other rows.")
    return out


def _alone(names: Sequence[str], whole: Sequence[int]) -> Side:
    return range(len(names)), names, [[count] for count in whole]


def _crossed(lines: tuple[Sequence[str], Sequence[str]], whole: Sequence[int]) -> list[Side] | None:
    """For the lines and those across: which one each entry stands in, their names, and the counts of each. None unless
    every two meet once, two of both or more."""
    down, across = ({line: i for i, line in enumerate(dict.fromkeys(side))} for side in lines)
    if min(len(down), len(across)) < 2 or not len(lines[0]) == len(whole) == len(down) * len(across):
        return None
    count_of = dict(zip(zip(*lines, strict=True), whole, strict=True))
    if len(count_of) < len(whole):
        return None
    rows = [[count_of[line, other] for other in across] for line in down]
    columns = [list(column) for column in zip(*rows, strict=True)]
    return [
        ([at[line] for line in side], list(at), counts)
        for side, at, counts in zip(lines, (down, across), (rows, columns), strict=True)
    ]


def _from_row(table: Table, wide: Wide, separator: str | None, answers: Answers, notes: Notes) -> dict[str, int]:
    row, columns = table.rows[wide.at], list(wide.columns)
    if len(table.rows) == 1 and len(columns) > 1 and (label := _label_of_row(columns[0])):
        notes.add(f"{columns[0].label} holds {shown(columns[0].cells[0])}, which {label} and was left out.")
        columns = columns[1:]
    nameless = next((column for column in columns if not column.name), None)
    if nameless:
        raise CountsError(f"the name of the category in column {nameless.position} is missing.", table.header_row, "")
    names = [column.name for column in columns]
    times = Counter(names)
    _refuse_too_many(len(times))
    tidy = Names(notes)
    tidy.add(times, lambda cell: table.header_row or row)
    cells = [column.cells[wide.at] for column in columns]
    whole = whole_numbers(cells, names.__getitem__, lambda i: row, separator, answers, notes)
    side = (range(len(names)), names, wide.counts) if wide.counts else _alone(names, whole)
    sums = _sums_to_leave([side], answers, notes)
    at = [i for i in range(len(names)) if i not in sums]
    names, whole = [names[i] for i in at], [whole[i] for i in at]
    tidy.remark(times, "in {} columns", totals=answers.total_row is None)
    return _added(names, whole, tidy)


def _label_of_row(first: Column) -> str:
    """Why the first cell of a row of counts is the row's label ('spring', 'year 2024'), or "" if it is a count."""
    if re.search(r"[^\W\d_]{2}", first.cells[0]) and not is_like_number(first.cells[0]):
        return "is not a number"
    if (first.named_as_identifier or first.named_as_measurement) and is_number(first.cells[0]):
        return "seems to name the row"
    return ""


def _added(names: Sequence[str], whole: Sequence[int], tidy: Names) -> dict[str, int]:
    totals: dict[str, int] = {}
    for name, count in zip(names, whole, strict=True):
        totals[tidy.of[name]] = totals.get(tidy.of[name], 0) + count
    return totals


def _checked(
    totals: dict[str, int], shares: bool | None, rounding: int, answers: Answers, notes: Notes
) -> dict[str, int]:
    totals = on_public_list(totals, answers, notes)
    if len(totals) < 2:
        raise CountsError(
            f"{AT_LEAST_TWO}: got {len(totals)}; add the others with the count 0, or give the public list of them all."
        )
    n = sum(totals.values())
    if n >= COUNT_LIMIT:
        raise CountsError(f"the counts are too large: their sum must be below 2^63, got {n:,}.")
    hundred = abs(n - 100) <= (rounding if len(totals) > 2 else 0) and shares is not False
    if hundred or (shares and n):
        why = f"these counts add to {'exactly 100' if n == 100 else n}" if hundred else "the header mentions shares"
        if answers.confirm_percentages is None:
            raise answers.question(
                f"{why}: are they numbers of people, not percentages? Counts of people are needed.",
                {"confirm_percentages": None},
            )
        if not answers.confirm_percentages:
            raise CountsError("percentages cannot be used; upload counts of people.")
        notes.add(f"Read as counts of people, as confirmed, though {why}.")
    if not n:
        notes.add("There are no observations: the posterior equals the prior.")
    return totals


def _without_total(totals: dict[str, int], answers: Answers, notes: Notes) -> dict[str, int]:
    """A count equal to the sum of all others is a total or chance; a total that stays counts everyone twice. So may one
    at an end that its name says to be a total, though others are missing, or the base or the mean of the others."""
    n = sum(totals.values())
    names = list(totals)
    equal = [name for name in names if 2 * totals[name] == n > 0]
    suspects = ([name for name in equal if is_total(name)] or equal)[-1:]
    if not suspects:
        ends = {*takewhile(is_of_the_whole, names), *takewhile(is_of_the_whole, reversed(names))}
        suspects = [name for name in names if name in ends
                    and (not is_total(name) or totals[name] == max(totals.values()))]  # fmt: skip
    if len(totals) - len(suspects) < 2 or not suspects:
        return totals
    named = listed([f"{shown(name)} ({totals[name]})" for name in suspects])
    verb = "is" if len(suspects) == 1 else "are"
    named_so = any(is_total(name) or is_of_the_whole(name) for name in suspects) or not equal
    why = "equals the sum of all others" if equal else f"{verb} named like a total or a figure for all others"
    if answers.total_row is None:
        raise answers.question(
            f"{named} {why}: {verb} {'it their total' if equal else 'no category'}? A total must be left out, or "
            "everyone would be counted twice; a category stays.",
            {"total_row": "drop" if named_so or suspects[-1] == names[-1] else "keep"},
            cell=suspects[0],
        )
    if answers.total_row == "keep":
        notes.add(f"{named} {why}: kept as a category, as answered.")
        return totals
    notes.add(f"{named} {why}: left out{' as their total' if equal else ''}.")
    return {name: count for name, count in totals.items() if name not in suspects}


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


def _tally(table: Table, records: Records, answers: Answers, notes: Notes) -> dict[str, int]:
    column, rows = records.column, table.rows
    if any(isinstance(cell, MarkedCell) and cell.kind == NESTED for cell in column.fetch(1)):
        raise CountsError(f"{column.label} holds lists; one answer per person is needed.")
    tally, different = _times(column.cells, column.levels or ())
    missing = sum(tally.pop(cell) for cell in [cell for cell in tally if not cell.strip()])
    if column.levels is None and answers.categories is None:
        _refuse_measurements(column, tally, different)
    _refuse_too_many(different)
    tidy = Names(notes)
    tidy.add([*(column.levels or ()), *tally], lambda cell: rows[column.cells.index(cell)])
    boolean = _merge_booleans(tidy, notes)
    totals = dict.fromkeys(tidy.of.values(), 0)
    for cell, count in tally.items():
        totals[tidy.of[cell]] += count
    totals = _in_order(totals, column)
    found = len(totals)
    if answers.missing == "keep":
        blank = 0 if records.others else table.blank_rows  # in a file of one column an empty cell is a blank row
        totals[MISSING] = totals.get(MISSING, 0) + missing + blank
    if answers.chosen is not None:
        totals = _one_answer(totals, answers.chosen, column)
    totals = on_public_list(totals, answers, notes)
    if len(totals) < 2:
        raise CountsError(
            f"{'only one' if found else 'no'} category was found in {column.label}: {AT_LEAST_TWO}; give the public "
            "list of categories, with those that nobody chose."
        )
    tidy.remark({} if boolean else dict.fromkeys(tidy.of, 1), "in {} spellings")
    _remark_on_several_answers(set(tidy.of.values()), answers.chosen, notes)
    _remark_on_records(table, records, missing, answers, notes)
    if not all(totals.values()) and column.levels is not None and answers.categories is None:
        notes.add("Categories without rows were kept, with the count 0.")
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


def _merge_booleans(tidy: Names, notes: Notes) -> bool:
    """Whether the names are true and false only; they are then spelled in one way."""
    lower = {cell: name.lower() for cell, name in tidy.of.items()}
    if not lower or not set(lower.values()) <= set(BOOLEANS):
        return False
    if len(set(tidy.of.values())) > len(set(lower.values())):
        notes.add("Spellings of true/false were merged.")
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
    if different == answered and not fractions and not several_answers(values)[0]:
        raise CountsError(f"every value of {column.label} is different; this looks like an identifier, not a category.")
    mostly_different = 2 * different > answered
    many = different > CODES_LARGEST
    if numbers and (mostly_different + many + fractions) >= 2:
        raise CountsError(
            f"{column.label} has {different:,} different values in {answered:,} rows; choose a categorical column."
        )


def several_answers(names: Iterable[str]) -> tuple[list[str], tuple[str, ...]]:
    """The names that are made of others, as forms write them that let people tick more than one answer; and all
    single answers. Two of the parts or more must be found in other names too, alone or among others."""
    known = set(names)
    for mark in SEVERAL:
        split = {name: [part.strip() for part in name.split(mark) if part.strip()] for name in known}
        times = Counter(part for parts in split.values() for part in set(parts))
        several = sorted(name for name, parts in split.items() if sum(times[part] > 1 for part in set(parts)) > 1)
        if several:
            return several, tuple(part for part, _ in times.most_common(ANSWERS_OFFERED))
    return [], ()


def _one_answer(totals: dict[str, int], chosen: str, column: Column) -> dict[str, int]:
    """How many people chose one answer, alone or among others, and how many did not."""
    wanted = one_line(chosen)
    with_it = sum(count for name, count in totals.items() if wanted in _parts(name))
    if not with_it:
        raise CountsError(f"chosen: nobody answered {shown(wanted)} in {column.label}.")
    return {f"{wanted}: yes": with_it, f"{wanted}: no": sum(totals.values()) - with_it}


def _parts(name: str) -> set[str]:
    return {name} | {part.strip() for mark in SEVERAL for part in name.split(mark)}


def _remark_on_several_answers(names: set[str], chosen: str | None, notes: Notes) -> None:
    several, notes.single_answers = several_answers(names)
    if several and chosen is None:
        notes.add(
            f"{listed(list(map(shown, several)), most=3)} may hold several answers of one person; each combination is "
            "a category of its own. Or count one answer, as yes or no: adding up all answers would let one person "
            "move several counts."
        )


def _remark_on_records(table: Table, records: Records, missing: int, answers: Answers, notes: Notes) -> None:
    if missing and answers.missing != "keep":
        rows = "1 row has no answer and was" if missing == 1 else f"{missing:,} rows have no answer and were"
        notes.add(f"{rows} left out; they can be counted as a category of their own, '{MISSING}'.")
    if table.blank_rows and not records.others and answers.missing != "keep":
        notes.add(f"Blank rows were left out: {table.blank_rows:,}.")
    if records.column.levels is None and answers.categories is None:
        notes.add(
            "The categories were found in the data, so the list of them is not protected: give it in full if you can."
        )
    of_people = [other for other in records.others if other.named_as_identifier or other.holds_codes]
    repeated = [other.label for other in of_people if _has_repeats(other)]
    if repeated:
        verb = "repeats" if len(repeated) == 1 else "repeat"
        notes.add(f"The guarantee is per row; {listed(repeated)} {verb}, so one person can affect several rows.")


def _has_repeats(column: Column) -> bool:
    """Whether anyone comes again; a word for nobody in particular is no person."""
    cells = [cell for cell in column.cells if cell and cell.strip().lower() not in vocabulary.ANONYMOUS]
    return _different(cells) < len(cells)
