"""The public list of categories: given by a person, it keeps the file from telling which categories occur at all."""

from collections import Counter
from dataclasses import replace

from dpbi import limits

from .answers import Answers
from .names import too_long
from .outcome import CountsError, Notes, listed, shown
from .table import one_line

OTHER, MISSING = "(other)", "(missing)"


def with_tidy_list(answers: Answers) -> Answers:
    """The answers with the names of the list as names are read. Raises CountsError where they are no list."""
    if answers.categories is None:
        if answers.unlisted is not None:
            raise CountsError("unlisted= goes with categories=, the public list; there is none.")
        return answers
    return replace(answers, categories=tidy_list(answers.categories))


def tidy_list(names: tuple[str, ...]) -> tuple[str, ...]:
    """The names on one line each without outer spaces; CountsError unless there are two or more, all different."""
    if len(names) > limits.CATEGORIES_LARGEST:
        raise CountsError(
            f"the list of categories is too long: at most {limits.CATEGORIES_LARGEST:,} names, got {len(names):,}."
        )
    tidy = tuple(map(one_line, names))
    if not all(tidy):
        raise CountsError(f"name {tidy.index('') + 1} of the list of categories is empty.")
    repeated = [shown(name) for name, times in Counter(tidy).items() if times > 1]
    if repeated:
        raise CountsError(f"the list of categories names {listed(repeated, most=3)} more than once.")
    longest = max(tidy, key=len, default="")
    if len(longest) > limits.UPLOAD_LABEL_CHARACTERS_LARGEST:
        raise CountsError(too_long(longest))
    if len(tidy) < 2:
        raise CountsError(f"the list of categories needs at least two names: got {len(tidy)}.")
    return tidy


def on_public_list(totals: dict[str, int], answers: Answers, notes: Notes) -> dict[str, int]:
    """The counts of the names on the list, in its order, 0 where nobody is; the counts as they are without a list.

    A name that differs from one on the list only by case is taken for that. What else is not on the list is asked
    about: counted as "(other)", which is then a category whatever the file holds, or refused. Nothing is left out,
    for n would then depend on which records the list covers.
    """
    if answers.categories is None:
        return totals
    counts = dict.fromkeys(answers.categories, 0)
    if answers.missing == "keep":
        counts.setdefault(MISSING, 0)
    if answers.unlisted == "other":
        counts.setdefault(OTHER, 0)
    folded = Counter(name.casefold() for name in counts)
    by_case = {name.casefold(): name for name in counts if folded[name.casefold()] == 1}
    outside: dict[str, int] = {}
    for name, count in totals.items():
        known = name if name in counts else by_case.get(name.casefold())
        if known is None:
            outside[name] = count
        else:
            counts[known] += count
            if known != name:
                notes.add(f"{shown(name)} was counted as {shown(known)}, as the list spells it.")
    _settle([name for name, count in outside.items() if count], answers)
    if answers.unlisted == "other":
        counts[OTHER] += sum(outside.values())
    return counts


def _settle(outside: list[str], answers: Answers) -> None:
    """Raises where names that are not on the list hold counts and nobody said what to do with them."""
    if not outside or answers.unlisted == "other":
        return
    names = listed(list(map(shown, outside)), most=5)
    verb = "is" if len(outside) == 1 else "are"
    if answers.unlisted == "refuse":
        raise CountsError(f"{names} {verb} not on the list of categories; add what is missing to the list.")
    raise answers.question(
        f"{names} {verb} not on the list of categories: count all that as '{OTHER}'? If not, add to the list.",
        {"unlisted": "other"},
    )
