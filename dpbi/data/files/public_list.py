"""The public list of categories: given by a person, it keeps the file from telling which categories occur at all."""

from collections import Counter

from dpbi import limits

from .form import Understanding
from .names import too_long
from .outcome import CountsError, listed, shown
from .table import one_line

OTHER, MISSING = "(other)", "(missing)"


def tidy_list(names: tuple[str, ...]) -> tuple[str, ...]:
    """The names on one line each without outer spaces; CountsError unless there are two or more, all different."""
    tidy = tuple(map(one_line, names))
    repeated = [shown(name) for name, times in Counter(tidy).items() if times > 1]
    longest = max(tidy, key=len, default="")
    most = limits.CATEGORIES_LARGEST
    for wrong, why in (
        (len(tidy) > most, f"the list of categories is too long: at most {most:,} names, got {len(tidy):,}."),
        (not all(tidy), f"name {[*tidy, ''].index('') + 1} of the list of categories is empty."),
        (repeated, f"the list of categories names {listed(repeated, most=3)} more than once."),
        (len(longest) > limits.UPLOAD_LABEL_CHARACTERS_LARGEST, too_long(longest)),
        (len(tidy) < 2, f"the list of categories needs at least two names: got {len(tidy)}."),
    ):
        if wrong:
            raise CountsError(why)
    return tidy


def on_public_list(totals: dict[str, int], form: Understanding) -> dict[str, int]:
    """The counts of the names on the list, in its order, 0 where nobody is; the counts as they are without a list.

    A name that differs from one on the list only by case is taken for that. What else is not on the list is asked
    about: counted as "(other)", which is then a category whatever the file holds, or refused. Nothing is left out,
    for n would then depend on which records the list covers.
    """
    if form.said.categories is None:
        return totals
    counts = dict.fromkeys(form.said.categories, 0)
    if form.said.missing == "keep":
        counts.setdefault(MISSING, 0)
    folded = Counter(map(str.casefold, counts))
    by_case = {name.casefold(): name for name in counts if folded[name.casefold()] == 1}
    outside: dict[str, int] = {}
    for name, count in totals.items():
        known = name if name in counts else by_case.get(name.casefold(), "")
        within = counts if known else outside
        within[known or name] = within.get(known or name, 0) + count
        if known and known != name:
            form.remark(f"{shown(name)} was counted as {shown(known)}, as the list spells it.")
    names = listed([shown(name) for name, count in outside.items() if count])
    if names:
        why = f"Not on the list of categories: {names}. All that may be counted as '{OTHER}', or be added to the list."
        if form.settle("unlisted", "other", why) == "refuse":
            raise CountsError(f"{names}: not on the list of categories; add what is missing to the list.")
    if form.said.unlisted == "other" or names:
        counts[OTHER] = counts.get(OTHER, 0) + sum(outside.values())
    return counts
