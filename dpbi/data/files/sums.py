"""Rows that are sums of others: totals and subtotals, at any number of levels, also rounded ones.

Everyone in such a row is in the rows that it sums as well, so that counting all of them counts people several times.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd, prod

from . import vocabulary

LARGE = 100  # a count from here on is seldom a sum of its neighbours by chance; of several, their product
GROUP = re.compile(r"(?<=\d)[.'’\s](?=\d{3}(?!\d))")
PLAIN_DIGITS = 15
# How far off a total may be that was rounded or perturbed, in units and of itself; and its least, in units.
UNITS, SHARE, LEAST = 3, 0.05, 20


def number(cell: str) -> int:
    """The cell as a whole number where it is plain digits, perhaps in groups; -1 elsewhere."""
    digits = GROUP.sub("", cell.strip()).replace(",", "")
    return int(digits) if digits.isdecimal() and len(digits) <= PLAIN_DIGITS else -1


def words_of(name: str) -> set[str]:
    return set(re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)*|%", name.lower()))


def is_of_the_whole(name: str) -> bool:
    """A name that says nothing but a total, or what a table has below its counts: 'Grand total', 'All people', 'Base',
    'Insgesamt_2024'; not 'All India Front'."""
    words = words_of(name)
    telling = vocabulary.TOTALS | vocabulary.STATISTICS
    known = telling | vocabulary.POPULATION | vocabulary.FILLERS | vocabulary.SHARES | {"grand", "sexes", "ages", "n"}
    return bool(words) and words <= known and (bool(words & telling) or words <= vocabulary.POPULATION)


@dataclass(frozen=True)
class RowSums:
    """at: the entries that are sums. certain: whether their names or their place say so too."""

    at: frozenset[int]
    certain: bool


def sums_of_rows(names: Sequence[str], counts: Sequence[Sequence[int]]) -> RowSums | None:
    """The entries that are sums of two or more entries right below, or else right above them, in each of their counts
    (one or more an entry, as many for all), or of all others; None where nothing but chance speaks for it.

    Sums of sums count as one entry, so that a hierarchy is found at all its levels. What speaks for a sum: its name;
    that the names below are indented further; that few entries are outside of any sum; several counts that agree.
    """
    twice = [sum(column) for column in zip(*counts, strict=True)]
    whole = frozenset(i for i, own in enumerate(counts) if any(own) and [2 * count for count in own] == twice)
    if whole and len(twice) > 1:  # wherever the sum of all others stands; of one count it may well be chance
        return RowSums(whole, certain=True)
    found = [_sums(names, counts, down, least) for down in (True, False) for least in (2, 1)]
    fit = [sums for sums in found if sums and not (len(sums.at) == 1 and sums.at <= whole)]
    best = max(fit, key=lambda sums: (sums.certain, len(sums.at)), default=None)
    if best and (best.certain or len(best.at) > 1):
        return best
    likely = whole or nearly_all_others(names, counts)
    certain = frozenset(i for i in likely if is_of_the_whole(names[i]))
    return RowSums(certain or likely, certain=bool(certain)) if likely else None


def nearly_all_others(names: Sequence[str], counts: Sequence[Sequence[int]]) -> frozenset[int]:
    """The largest entry, where its count is nearly the sum of all others, as of rounded or perturbed tables; the first
    or last within a unit a category, where its name says so too. All counts are multiples of the unit.
    """
    if len(counts) < 3 or len(counts[0]) > 1:
        return frozenset()
    own = [count for (count,) in counts]
    n, unit = sum(own), max(gcd(*own), 1)
    # By chance it holds of 1.4 % of tables of three categories, and of fewer of more.
    most = max(own)
    near = most >= LEAST * unit and abs(2 * most - n) <= min(UNITS * unit, SHARE * most)
    likely = {own.index(most)} if near else set()
    named = {i for i in (0, len(own) - 1) if is_of_the_whole(names[i]) and abs(2 * own[i] - n) <= len(own) * unit}
    return frozenset(likely | named)


def _sums(names: Sequence[str], counts: Sequence[Sequence[int]], down: bool, least: int) -> RowSums | None:
    order = range(len(counts) - 1, -1, -1) if down else range(len(counts))
    tops: list[int] = []  # entries that belong to no sum so far, the nearest last
    children: dict[int, list[int]] = {}
    for i in order:
        below = _summed(i, counts, tops, least)
        if below:
            children[i] = below
            del tops[-len(below) :]
        tops.append(i)
    if not children:
        return None
    named = {i for i in children if is_of_the_whole(names[i]) or "total" in names[i].lower()}
    indented = {i for i, below in children.items() if all(_indent(names[j]) > _indent(names[i]) for j in below)}
    covers = all(i in children for i in tops)
    if (covers and len(children) > 1) or children.keys() <= named | indented:
        return RowSums(frozenset(children), certain=True)
    if len(children) > 1 and 3 * len(tops) <= len(counts):
        return RowSums(frozenset(children), certain=False)
    several = {i for i in children if len(counts[i]) > 1 and prod(max(count, 1) for count in counts[i]) >= LARGE}
    likely = named | indented | several
    return RowSums(frozenset(likely), certain=True) if likely else None


def _summed(i: int, counts: Sequence[Sequence[int]], tops: list[int], least: int) -> list[int]:
    """The nearest two or more entries that the counts of entry i are the sums of, each perhaps a sum itself, and
    `least` of them not nothing: 3 above 0 and 3 may be a sum, or hide that a row further up is one."""
    left = counts[i]
    if min(left) < 0 or not any(left):  # what is no number is -1
        return []
    for many, j in enumerate(reversed(tops), 1):
        left = [rest - count for rest, count in zip(left, counts[j], strict=True)]
        if min(left) < 0 or min(counts[j]) < 0:
            return []
        if many > 1 and not any(left):
            below = tops[-many:]
            return below if sum(any(counts[child]) for child in below) >= least else []
    return []


def _indent(name: str) -> int:
    return len(name) - len(name.lstrip())
