"""Words of a table that is released at once."""

import math
from collections.abc import Sequence

from dpbi import printed_bound
from dpbi.accuracy.trials import ReleaseErrors
from dpbi.inference.budget_split import BudgetSplit
from dpbi.releases.ledger import Total
from dpbi.releases.usefulness import points

HEADING = "A table of groups and questions at once"
BRING = "Bring a file on the page Data, and all its groups and several of its questions can be released here at once."
ANOTHER = "Another, or change it, on the page Data"
COUNTS = "The true counts, and how privacy composes"
EACH = "Another epsilon, mechanism or prior of a question"
AS_ALL = "as all"
PRIOR_HELP = "Pseudo-counts, public: one number for each category, or as many numbers as there are categories."
MEMBERSHIP = {
    "public": "Public: sizes of groups, and who is in which, are known",
    "private": "Private: only the number of all people is known",
}
def epsilon(of_sidebar: float, *, several: bool) -> str:
    """Where the epsilon of a table comes from."""
    shared = ": the questions share it" if several else ""
    return f"epsilon = {printed_bound(of_sidebar)} is that of the sidebar, for the whole table{shared}."


NAME_FIRST = "Say first whose answers these are: losses add up for people."
WHO_FIRST = "Say who you are: this ledger is shared, and each line of it says who made it."
CHANGED = "Something was changed, or another release came: look at it again, then press. Nothing was drawn."
NOT_THE_SAME = (
    "This is not the very same table in the same way: its groups, questions, categories, sizes or who knows the groups "
    "differ. Say that it is another one."
)
OFF_THE_PLAN = (
    "A table is off any plan, and costs the plain sum: a plan composes draws of one k and one n that were fixed "
    "beforehand. Several questions are several draws, and groups of public sizes have each its own n."
)
TOGETHER = "All releases of this table read together"


def together(number: int) -> str:
    """Under the heading of what several releases of the same table say."""
    return (f"{number:,} releases that were stated to be of the very same table, each part of them read as one. It "
            "costs no privacy: their losses add up anyway. In Python: dpbi.tables_together.")


def not_read(number: int) -> str:
    """What becomes of other releases about the same people."""
    others = "1 other release" if number == 1 else f"{number:,} other releases"
    return (f"{others} about these people {'is' if number == 1 else 'are'} not read together with it: only a table "
            "that was stated to be the very same one, released as a whole in the same way, is.")


EXPECTED = "How far off the released shares will be, on average, in percentage points"
MADE_UP = (
    "Tried on made-up data of these sizes, drawn from the prior: no count plays a part. Compare groups whose shares "
    "differ by more than that."
)
MADE_UP_PRIVATE = (
    "Of all cells of the table, as shares of all people: a group's own shares are off by more, the more the smaller it "
    "is. Tried on made-up data of this size, drawn from the prior: no count plays a part."
)
ALL_GROUPS, EVERYBODY = "all groups, as one table", "everybody"


def off(n: int, errors: ReleaseErrors | None) -> str:
    """A cell of the table of errors."""
    if errors is None:
        return f"– (n = {n:,})"
    return f"{points(errors.share).removesuffix(' percentage points')} (n = {n:,})"


def useless(poor: Sequence[tuple[int, str, str]], parts: int) -> str:
    """The parts, the smallest first, whose release would say next to nothing."""
    some = [f"{name}, {question} (n = {n:,})" if name else f"{question} (n = {n:,})" for n, question, name in poor[:4]]
    more = f" and {len(poor) - 4:,} more" if len(poor) > 4 else ""
    return (f"Of {len(poor):,} of {parts:,} parts the released shares would say next to nothing: "
            f"{'; '.join(some)}{more}. Put such groups together, or take a larger epsilon or fewer questions.")


def spent(budget: float | None, before: Total, left: str, after: str = "") -> str:
    """What these people have: allowed, spent and left, and what one more leaves."""
    now = before.words if before.releases else "nothing"
    if budget is None:
        return f"Spent by these people so far: {now}. No budget is set."
    said = f"Of these people {printed_bound(budget)} is allowed, {now} is spent, {left or '0'} is left"
    return f"{said}; this leaves {after or '0'}." if after else f"{said}."


def sizes_are_out(time: str) -> str:
    """The warning before groups are hidden whose sizes are known."""
    return (f"The sizes of these groups were published with the table of {time}. To hide now who is in which group "
            "hides nothing of what that tells: only the answers are protected as is said here.")


def split(found: BudgetSplit) -> str:
    """Where the proposed shares come from."""
    on_average = "on average over what the prior expects the Hellinger distance"
    total = f"{math.fsum(found.expected):.3g}"
    if found.is_at_its_maximum:
        return (f"No split can be proposed here, so that the shares are equal: {on_average}s add to {total} of "
                f"{found.most:,}, about the most there is, whatever the shares. Go by the percentage points below.")
    if len(found.mechanisms) < 2:
        return f"From public things alone, {on_average} of all groups adds to {total}, of {found.most:,} at most."
    if found.is_equal:
        return ("Proposed are equal shares: no others that were tried make all questions together more exact, from "
                f"public things alone: {on_average}s add to {total}, of {found.most:,} at most.")
    return ("Proposed are shares that make all questions together more exact than equal ones, from public things "
            f"alone: {on_average}s add to {total}, with equal shares to {found.equal:.3g}, of {found.most:,} at most.")
