"""Words of a table that is released at once."""

import math

from dpbi.inference.budget_split import BudgetSplit

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


def split(found: BudgetSplit) -> str:
    """Where the proposed shares come from."""
    on_average = "on average over what the prior expects the Hellinger distance"
    if len(found.mechanisms) < 2:
        return f"From public things alone, {on_average} of all groups adds to {math.fsum(found.expected):.3g}."
    return ("Proposed is the share that makes all questions together most exact, from public things alone: "
            f"{on_average}s add to {math.fsum(found.expected):.3g}, with equal shares to {found.equal:.3g}.")
