"""The sentences of the page Groups."""

from collections.abc import Sequence

from dpbi import Guarantee, NotPrivate, printed_bound
from dpbi.dashboard.words import words
from dpbi.inference.group_conclusions import RoughDifference
from dpbi.inference.group_planning import EXACT_LARGEST, NoiseCost, OrderChance

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
APART = "**Two groups are two tables of different people.** "
MIDDLE = "Private: the release in the middle of those above. Both intervals hold 95 %."
PLAN = (
    "From public things alone: the shares are your guess, no count above enters. A reader is sure where the 95 % "
    "interval of the difference leaves out 0, which is the same as P(order) ≥ 0.975."
)
SHARE, GAP, WANTED = "Share in the lower group", "Difference to be seen", "Chance to see it"


def answer(higher: str, lower: str, category: str, probability: float, gap: tuple[float, float, float]) -> str:
    """gap: the difference of the mean shares, higher less lower, and its 95 % interval."""
    mean, low, high = (f"{100 * one:.3g}" for one in gap)
    return (
        f"**{words.escape(higher)} has the larger share of {words.escape(category)}, with probability "
        f"{_probability(probability)}**: {mean} percentage points above {words.escape(lower)}, with 95 % from {low} to "
        f"{high}."
    )


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

    sign: of the true difference; how: ``released``; exact: the chances of its order, and of the other, over all
    releases, where known.
    """
    sure = sum(one.sure == sign for one in drawn)
    wrong = sum(one.sure == -sign for one in drawn)
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
    how = "exactly" if not found.error else f"± {2 * found.error / found.without:.2g} from made-up tables"
    return (
        f"On average over the counts that the prior expects, the noise makes the difference's standard deviation "
        f"**{found.ratio:.3f} times** as large ({how}): no count of yours enters that."
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
    plain = f" Without noise: {_many(without.sizes)}." if without else ""
    return f"**{_many(found.sizes)}** give a chance of {found.right:.1%}, {_how(found)}.{plain}"


def epsilon(found: tuple[float, OrderChance] | None, wanted: float, sizes: tuple[int, int],
            own: Sequence[float | None]) -> str:  # fmt: skip
    """own: what each group's epsilon is then."""
    many = _many(sizes)
    if found is None:
        return f"**With {many} no epsilon up to 100 gives a chance of {wanted:.0%}**: more people are needed."
    _, at = found
    value = " and ".join(dict.fromkeys(printed_bound(one) for one in own if one is not None))
    return f"**epsilon = {value}** gives a chance of {at.right:.1%} with {many}, {_how(at)}."


def _many(sizes: tuple[int, int]) -> str:
    return f"{sizes[0]:,} and {sizes[1]:,} people" if sizes[0] != sizes[1] else f"{sizes[0]:,} people a group"


def _how(found: OrderChance) -> str:
    return "exactly, over all counts and releases" if found.exact else (
        f"by the normal approximation, which has no bound (exact are two categories up to {EXACT_LARGEST:,} people)")


def _probability(value: float) -> str:
    if value > 0.9999:
        return "above 0.9999"
    return "below 0.0001" if value < 0.0001 else f"{value:.4f}" if value > 0.99 or value < 0.01 else f"{value:.3f}"
