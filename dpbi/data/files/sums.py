"""Rows that are sums of others: totals and subtotals, at any number of levels, also rounded ones.

Everyone in such a row is in the rows that it sums as well, so that counting all of them counts people several times.
"""

import re
from collections.abc import Sequence
from math import gcd, prod

from . import vocabulary

GROUP = re.compile(r"(?<=\d)[.'’\s](?=\d{3}(?!\d))")
# How far off a total may be that was rounded or perturbed, in units and of itself; and its least, in units.
UNITS, SHARE, LEAST = 3, 0.05, 20


def number(cell: str) -> int:
    """The cell as a whole number where it is plain digits, perhaps in groups; -1 elsewhere."""
    digits = GROUP.sub("", cell.strip()).replace(",", "")
    return int(digits) if digits.isdecimal() and len(digits) < 16 else -1


def words_of(name: str) -> set[str]:
    return set(re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)*|%", name.lower()))


def is_of_the_whole(name: str) -> bool:
    """A name that says nothing but a total, or what a table has below its counts: 'Grand total', 'All people', 'Base',
    'Insgesamt_2024'; not 'All India Front'."""
    words = words_of(name)
    known = vocabulary.TOTALS | vocabulary.POPULATION | vocabulary.FILLERS | vocabulary.SHARES
    return bool(words) and words <= known and (bool(words & vocabulary.TOTALS) or words <= vocabulary.POPULATION)


def says_total(name: str) -> bool:
    """A name of the whole by a word for a total, whatever its count; not 'People' or 'Men', which may be categories."""
    return name.strip()[:1].isalnum() and is_of_the_whole(name) and bool(words_of(name) & vocabulary.TOTALS)


def sums_of_rows(names: Sequence[str], counts: Sequence[Sequence[int]]) -> tuple[set[int], bool]:
    """The entries that are sums of two or more entries right below, or else right above them, in each of their counts
    (one or more an entry, as many for all), or of all others, and whether their names or their place say so too; none
    where nothing but chance speaks for it.

    Sums of sums count as one entry, so that a hierarchy is found at all its levels. What speaks for a sum: its name;
    that the names below are indented further; that few entries are outside of any sum; several counts that agree.
    """
    twice = [sum(column) for column in zip(*counts, strict=True)]
    whole = {i for i, own in enumerate(counts) if any(own) and [2 * count for count in own] == twice}
    if whole and len(twice) > 1:  # wherever the sum of all others stands; of one count it may well be chance
        return whole, True
    found = [_sums(names, counts, down, least) for down in (True, False) for least in (2, 1)]
    fit = [(at, certain) for at, certain in found if at and not (len(at) == 1 and at <= whole)]
    at, certain = max(fit, key=lambda sums: (sums[1], len(sums[0])), default=(set(), False))
    if certain or len(at) > 1:
        return at, certain
    likely = whole or nearly_all_others(names, counts)
    named = {i for i in likely if is_of_the_whole(names[i])}
    return named or likely, bool(named)


def nearly_all_others(names: Sequence[str], counts: Sequence[Sequence[int]]) -> set[int]:
    """The largest entry, where its count is nearly the sum of all others, as of rounded or perturbed tables; the first
    or last within a unit a category, where its name says so too. All counts are multiples of the unit.
    """
    if len(counts) < 3 or len(counts[0]) > 1:
        return set()
    own = [count for (count,) in counts]
    n, most, unit = sum(own), max(own), max(gcd(*own), 1)
    # By chance it holds of 1.4 % of tables of three categories, and of fewer of more.
    near = most >= LEAST * unit and abs(2 * most - n) <= min(UNITS * unit, SHARE * most)
    named = {i for i in (0, len(own) - 1) if is_of_the_whole(names[i]) and abs(2 * own[i] - n) <= len(own) * unit}
    return named | ({own.index(most)} if near else set())


def _sums(names: Sequence[str], counts: Sequence[Sequence[int]], down: bool, least: int) -> tuple[set[int], bool]:
    tops: list[int] = []  # entries that belong to no sum so far, the nearest last
    summed: dict[int, list[int]] = {}
    for i in reversed(range(len(counts))) if down else range(len(counts)):
        summed[i] = _summed(i, counts, tops, least)
        tops[len(tops) - len(summed[i]) :] = [i]
    children = {i: below for i, below in summed.items() if below}
    indent = [len(name) - len(name.lstrip()) for name in names]
    likely = {
        i for i, below in children.items()
        if is_of_the_whole(names[i]) or indent[i] < min(indent[j] for j in below)
    }  # fmt: skip
    if len(children) > 1 and all(i in children for i in tops):
        likely |= children.keys()
    if len(children) > len(likely) and len(children) > 1 and 3 * len(tops) <= len(counts):
        return set(children), False
    # Of several counts that are sums of their neighbours the product is seldom as large by chance.
    likely |= {i for i in children if len(counts[i]) > 1 and prod(max(count, 1) for count in counts[i]) >= 10_000}
    return likely, bool(likely)


def _summed(i: int, counts: Sequence[Sequence[int]], tops: list[int], least: int) -> list[int]:
    """The nearest two or more entries that the counts of entry i are the sums of, each perhaps a sum itself, and
    `least` of them not nothing: 3 above 0 and 3 may be a sum, or hide that a row further up is one."""
    left = counts[i]
    for many, j in enumerate(reversed(tops), 1):
        left = [rest - count for rest, count in zip(left, counts[j], strict=True)]
        if min(left) < 0 or (many > 1 and not any(left)):
            filled = sum(any(counts[child]) for child in tops[-many:])
            return tops[-many:] if not any(left) and filled >= least else []
    return []
