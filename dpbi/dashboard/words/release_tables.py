"""Words of a table that is released at once."""

from dpbi.inference.budget_split import BudgetSplit

HEADING = "A table of groups and questions at once"
BRING = "Bring a file on the page Data, and all its groups and several of its questions can be released here at once."
GROUPS_HELP = "The column that says who is in which group. Everybody is in one group alone."
QUESTIONS_HELP = "Each column is a question that the same people answered."
QUESTION_COLUMN_HELP = "Where each row has the answer, or the count, of one question."
LIST_HELP = "One name a line: the public list. A group on it that the file lacks has no people. Empty: as in the file."
MISSING = "Count who did not answer as a category (recommended, as the number who answered is public)"
MEMBERSHIP = {
    "public": "Public: sizes of groups, and who is in which, are known",
    "private": "Private: only the number of all people is known",
}
NAME_FIRST = "Say first whose answers these are: losses add up for people."
WHO_FIRST = "Say who you are: this ledger is shared, and each line of it says who made it."
CHANGED = "Something was changed, or another release came: look at it again, then press. Nothing was drawn."
UNIFORM = "The prior of every question is uniform: 1 for each category."


def split(found: BudgetSplit) -> str:
    """Where the proposed shares come from."""
    if len(found.mechanisms) < 2:
        return UNIFORM
    return ("Proposed is the share that makes all questions together most exact, from public things alone: on average "
            f"over what the prior expects the Hellinger distances add to {sum(found.expected):.3g}, with equal shares "
            f"to {found.equal:.3g}. {UNIFORM}")
