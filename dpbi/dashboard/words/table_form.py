"""Words of the form that says which groups and questions a file holds, and of the table that comes out."""

from collections.abc import Collection

from dpbi import CountTable
from dpbi.dashboard.words import words
from dpbi.data.files.form import COUNTS, RAW
from dpbi.data.files.outcome import listed, shown

ONE, SEVERAL = HOLDS = ("one table of counts", "several groups or questions")
HOLDS_HELP = "Groups are different people. Questions were asked of the same people. Release takes all of them at once."
NONE = "none"
ENTRIES = {  # as those of the page Data: the name, a line of help, and what stands where nothing is chosen
    "by": ("Groups are named by", "Who is in which group: everybody is in one alone.", "No groups"),
    "question_column": ("Column of questions", "Where a row has the answer, or the count, of one question.", NONE),
    f"questions, {RAW}": ("Questions", "Each column is one, answered by the same people.", "Choose"),
    f"questions, {COUNTS}": ("Questions", "Each column of counts is one, answered by the same people.", "One question"),
    "unlisted": ("A category that is not on its list", "It is never left out.", "Choose"),
}
OWN = {"by", "question_column", "questions", "unlisted", "missing"}  # entries of this form
ADD_UP, ADD_UP_HELP = "Add such rows up", "Only where nobody is in two of them."
MISSING = "Count who did not answer as a category (recommended)"
MISSING_HELP = (
    "How many answered a question is public once it is released, so that who answered is not protected where the "
    "others are left out. As a category they are protected as all answers are."
)
ALL_COLUMNS, ONE_MORE = "All columns of counts: one question", "One more question"
COLUMNS_HELP = "One column a category. Of several questions choose the columns of each."
LISTS = "Public lists of groups and categories"
LISTS_HELP = (
    "One name a line: all there can be, as known without looking at the data. In grey are those of the file, which are "
    "not public. A name that nobody has gets the count 0."
)
GROUPS = "Groups"
GROUP, CATEGORY, COUNT, ANSWERED, SILENT = "Group", "Category", "Count", "n", "gave no answer, left out"
IN_USE = "In use: Release has this table."
TO_RELEASE = "Release it at once"
KEPT = "Release keeps the table that is in use until you press."
ONE_PART = "One part of it for all other pages"
ALL_GROUPS = "all, each apart: for the page Groups"


def comes_to(table: CountTable) -> str:
    """How many groups, questions and people."""
    n = max(map(sum, table.answered))
    groups = f"{len(table.groups):,} groups, " if len(table.groups) > 1 else ""
    asked = "1 question" if len(table.questions) == 1 else f"{len(table.questions):,} questions"
    return f"{groups}{asked}, n = {n:,}"


def name_of(entry: str) -> str:
    """What an entry of this form is called; empty for another."""
    names = {name.partition(",")[0]: label for name, (label, *_) in ENTRIES.items()} | {"missing": MISSING}
    return names.get(entry, "")


def of_question(title: str) -> str:
    """The label of the list of a question's categories."""
    return f"Categories of {words.plain(title, 40)}"


def of_lists(table: CountTable, given: Collection[str]) -> list[str]:
    """What is said of lists of categories; of people's answers the table says it itself. given: those questions'."""
    left = [shown(title) for title in table.questions
            if title not in given and table.cell(title, table.groups[0]).layout != RAW]  # fmt: skip
    found = [f"Of {listed(left, 4)}: {words.LIST_FROM_DATA}"] if left else []
    return [*found, words.LIST_GIVEN] if given else found
