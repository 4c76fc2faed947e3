"""The sentences of the page Groups."""

import math
from collections.abc import Sequence

from dpbi import Guarantee, NotPrivate, printed_bound
from dpbi.dashboard.words import words
from dpbi.inference.group_conclusions import RoughDifference
from dpbi.inference.group_planning import EXACT_LARGEST, NoiseCost, OrderChance, rounded_up

TYPED_HELP = (
    "A line of the categories' names, then a line per group: its name and its counts. Commas, semicolons or tabs "
    "between, as a spreadsheet copies them."
)
TYPED_EXAMPLE = "group, yes, no\nA, 30, 70\nB, 45, 55"
NOTHING_TYPED = (
    "No counts by group are typed in. They are in a link or a file of settings only where that was ticked: then type "
    "them again, as the example in grey."
)
OWN = "An epsilon or a size of each group its own"
OWN_OF = {"epsilon": "epsilon", "size": "People"}
NO_FILE = (
    "The page Data has no table of groups in use. Bring one there, choose the column of the groups, and under "
    "**Groups** each apart; then use these counts."
)
RELEASES = "Files of releases (JSON, or a ZIP of them)"
ONE_MORE = "The file of the other group"
SCRIPT = "It holds nothing private, and reads the files, which must lie beside it."
RELEASES_HELP = "One file of a table of groups, or two files of one release each, as the page Release gives them."
NO_RELEASES = (
    "Bring what was published: the file of a table of groups, or the files of two groups. They hold nothing private, "
    "and what is read from them costs no privacy."
)
PUBLISHED_ONLY = (
    "Compared is what was published, by posteriors that allow for its noise: the true counts are not known here, and "
    "reading costs no privacy. "
)
OF_TWO_FILES = (
    "Two groups are two releases of different people; where somebody is in both, or both are of the same people, the "
    "probabilities do not hold."
)
OF_ONE_TABLE = "The groups of the table are different people, each released by a draw of its own."
APART = "**Two groups are two tables of different people.** "
MIDDLE = "Private: the release in the middle of those above. Both intervals hold 95 %."
PLAN = (
    "From public things alone: the shares are your guess, no count above enters. A reader is sure where the 95 % "
    "interval of the difference leaves out 0, which is the same as P(order) ≥ 0.975."
)
SHARE, GAP, WANTED = "Share in the lower group", "Difference to be seen", "Chance to see it"


def answer(higher: str, lower: str, category: str, probability: float, gap: tuple[float, float, float]) -> str:
    """gap: the difference of the mean shares, higher less lower, and its 95 % interval."""
    if alike(probability):
        least, most = (f"{100 * one:.3g}" for one in gap[1:])
        return (
            f"**{words.escape(higher)} and {words.escape(lower)} are alike**: each has the larger share of "
            f"{words.escape(category)} with probability 0.5, and the difference is from {least} to {most} percentage "
            "points with 95 %."
        )
    mean, low, high = (f"{100 * one:.3g}" for one in gap)
    return (
        f"**{words.escape(higher)} has the larger share of {words.escape(category)}, with probability "
        f"{_probability(probability)}**: {mean} percentage points above {words.escape(lower)}, with 95 % from {low} to "
        f"{high}."
    )


def alike(probability: float) -> bool:
    """Whether neither share is likelier to be the larger one, but for the error of the probability."""
    return abs(probability - 0.5) < 1e-7


def title(higher: str, lower: str, probability: float) -> str:
    """Of the picture of releases."""
    if alike(probability):
        return f"{words.plain(higher, 30)} and {words.plain(lower, 30)} are alike"
    return f"{words.plain(higher, 30)} is higher with probability {_probability(probability)}"


def by_releases(first: str, second: str, one: str, two: str) -> str:
    """How each was released."""
    return f"{words.escape(first)}: {words.escape(one)}. {words.escape(second)}: {words.escape(two)}."


def own(first: str, second: str) -> str:
    """Before the entries of each group's own."""
    return (
        f"First: {words.escape(first)}; second: {words.escape(second)}. Epsilons are of the releases, sizes of the "
        "plan below: what you expect, not what was counted. Empty: the epsilon above, and as many people as there are; "
        "where people a group are asked for, the sizes give their proportion, which is 1 to 1 without them."
    )


def released(names: tuple[str, str], epsilons: tuple[float, float]) -> str:
    """How, before a comma."""
    one, two = map(printed_bound, epsilons)
    if one == two:
        return f"If each group were released at epsilon = {one}"
    return f"If {words.escape(names[0])} were released at epsilon = {one} and {words.escape(names[1])} at {two}"


def taken_for_higher(first: str) -> str:
    return f"In this plan {words.escape(first)} is the higher group."


def all_alike(epsilon: float) -> str:
    return f"In this table every group is released at epsilon = {printed_bound(epsilon)}."


def concluded(drawn: Sequence[RoughDifference], sign: int, how: str, exact: tuple[float, float] | None) -> str:
    """What the readers of the draws would say.

    sign: of the true difference, 0 where both are alike; how: ``released``; exact: the chances of its order, and of the
    other, over all releases, where known.
    """
    sure = sum(one.sure == sign for one in drawn)
    wrong = sum(one.sure == -sign for one in drawn)
    if sign == 0:
        sides = sum(one.sure != 0 for one in drawn)
        whole = "" if exact is None else _probability(sum(exact))
        chance = f" Over all releases the chance of that is {whole}, exactly." if whole else ""
        return f"{how}, **{sides} of {len(drawn)} readers would be sure of an order**, though there is none.{chance}"
    said = (
        f"{how}, **{sure} of {len(drawn)} readers would be "
        f"sure of that**, {wrong or 'none'} of the opposite"
    )
    at_95 = sum((one.probability_greater if sign > 0 else 1 - one.probability_greater) >= 0.95 for one in drawn)
    said += f"; {at_95} would give it a probability of 0.95 or more."
    if exact is not None:
        said += f" Over all releases the chance to be sure of it is {_probability(exact[0])}, exactly."
    return said


def cost(found: NoiseCost) -> str:
    error = 2 * found.error / found.without
    how, ratio = "exactly", f"{found.ratio:.3f}"
    if error > 5e-4:  # no digit finer than what is known
        digits = max(-math.floor(math.log10(error)), 0)
        how, ratio = f"± {error:.{digits}f} from made-up tables", f"{found.ratio:.{digits}f}"
    return (
        f"On average over the counts that the prior expects, the noise makes the difference's standard deviation "
        f"**{ratio} times** as large ({how}): no count of yours enters that."
    )


def promised(first: Guarantee, second: Guarantee, epsilon: float, label: str) -> str:
    """What both releases promise together, and what that assumes."""
    if isinstance(first, NotPrivate) or isinstance(second, NotPrivate):
        return f"**{label} is not private**: nothing is promised to anybody."
    claimed = "" if first.is_private and second.is_private else f" {label} is only claimed to be private."
    return (
        f"{APART}If everybody stays in their group and the sizes are public, both releases together cost the larger "
        f"epsilon, {printed_bound(epsilon)}, not the sum. If a person could be in another group, whose size is "
        f"published exactly, nothing is promised.{claimed}"
    )


def pairs(probabilities: Sequence[float]) -> str:
    """Looking at many: how many orders that one would call sure are expected to be wrong."""
    sure = [p for p in probabilities if p >= 0.95]
    wrong = sum(1 - p for p in sure)
    expected = f"{wrong:.2g}" if wrong >= 0.01 else "fewer than 0.01"
    return (
        f"{len(probabilities):,} pairs are looked at. Taken one by one, {len(sure):,} of them have an order with "
        f"probability 0.95 or more, and among these {expected} are expected to be in the wrong order. The most "
        "striking of many pairs is likely to be exaggerated: choose the pair before looking."
    )


def people(found: OrderChance | None, without: OrderChance | None, wanted: float) -> str:
    if found is None:
        return f"**Not even 10 million people in the larger group give a chance of {wanted:.0%}.**"
    plain = f" Without noise: {_needed(without)}." if without else ""
    needed = _needed(found)
    return f"**{needed[0].upper()}{needed[1:]}** give a chance of {_chance(found)}, {_how(found)}.{plain}"


def epsilon(found: tuple[float, OrderChance] | None, wanted: float, sizes: tuple[int, int],
            own: Sequence[float | None]) -> str:  # fmt: skip
    """own: what each group's epsilon is then."""
    many = _many(sizes)
    if found is None:
        return f"**With {many} no epsilon up to 100 gives a chance of {wanted:.0%}**: more people are needed."
    _, at = found
    known = [one if at.exact else rounded_up(one) for one in own if one is not None]
    value = ("" if at.exact else "about ") + " and ".join(dict.fromkeys(map(printed_bound, known)))
    return f"**epsilon = {value}** gives a chance of {_chance(at)} with {many}, {_how(at)}."


def _many(sizes: tuple[int, int]) -> str:
    return f"{sizes[0]:,} and {sizes[1]:,} people" if sizes[0] != sizes[1] else f"{sizes[0]:,} people a group"


def _needed(found: OrderChance) -> str:
    if found.exact:
        return _many(found.sizes)
    one, two = (int(rounded_up(size)) for size in found.sizes)
    return f"about {_many((one, two))}"


def _chance(found: OrderChance) -> str:
    return f"{found.right:.1%}" if found.exact else f"about {found.right:.0%}"


def _how(found: OrderChance) -> str:
    return "exactly, over all counts and releases" if found.exact else (
        f"by the normal approximation, which has no bound (exact are two categories up to {EXACT_LARGEST:,} people)")


def _probability(value: float) -> str:
    if value > 0.9999:
        return "above 0.9999"
    return "below 0.0001" if value < 0.0001 else f"{value:.4f}" if value > 0.99 or value < 0.01 else f"{value:.3f}"
