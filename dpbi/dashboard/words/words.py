"""The sentences of the dashboard, and how text of a person is shown without being taken for markup."""

import re

from dpbi import Guarantee, NotPrivate, Problem, limits, printed_bound
from dpbi.accuracy.order import Measured
from dpbi.data.labels import isolated, shortened
from dpbi.mechanisms.printed_number import error, listed as listed, number as number
from dpbi.problem.neighbours import RELATION
from dpbi.tables import COLUMNS, LINE_CATEGORIES, guarantee as guarantee

SENTENCE_LENGTH = 600
_DIGITS_SHOWN = 1e-4  # relative: what four digits show of an error
plain = shortened  # text of a person on one line, cut

RELATION_NOTICE = f"Neighbours: {RELATION}."

GLOSSARY, COLUMNS_EXPLAINED = "Methods#glossary", "Methods#columns-of-the-tables"
WORDS_EXPLAINED = f"[Words explained]({GLOSSARY})"
RAW_NOTICE = "These pages show your raw counts; only a release is private."
PUBLISHED_NOTICE = "Published counts alone: nothing private is read, shown or spent here."
CHOICE_WARNING = (
    "**Choosing leaks.** A mechanism, gamma or epsilon chosen by looking at results on private counts tells something "
    "about those counts, which no guarantee shown here covers. For a release, choose on example or synthetic data."
)
WHICH_READING = (
    "Nearest is for one posterior to work with, noise-aware for intervals that hold what they promise; naive takes the "
    "noisy counts for true ones and is too sure of itself where the noise matters."
)
LAW_KINDS_SAID = COLUMNS["Law"].help
BASES = (
    "**Theorem**: proved for every prior and n. **Claim**: stated in a paper without a proof that holds. **Exhaustive "
    "check**: the loss over every pair of neighbours and every output was computed for this prior and n, and nothing "
    "is promised elsewhere. **Not private**: nothing is promised at all."
)
LIST_FROM_DATA = (
    "The list of categories counts as public. Here it was taken from the data, so it tells which categories occur at "
    "all, and no guarantee covers that. If you can, give the public list in the form."
)
LIST_GIVEN = "The categories are those of your public list; one with nobody in it has the count 0."
NOTHING_TICKED = "No mechanism is chosen. Choose at least one under **Mechanisms** in the sidebar."
APOLOGY = (
    "This part could not be shown: something went wrong that should not have. Nothing was sent anywhere and your "
    "settings are kept; changing one of them, or reloading the page, usually helps."
)


def escape(text: str, length: int = 60) -> str:
    """Text of a person as Markdown that shows it: one line, cut where long, and inert.

    Punctuation is escaped; a word joiner after a colon keeps emoji and colour short codes apart, which Streamlit
    looks for after escapes are undone; isolates keep a right-to-left name from turning the sentence around it.
    """
    return isolated(re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", plain(text, length)).replace(":", ":\u2060"))


def sentence(refusal: BaseException) -> str:
    """What a refusal says, as inert Markdown."""
    return escape(str(refusal), SENTENCE_LENGTH)


def opened(refusal: BaseException) -> str:
    """As ``sentence``, with a capital: for one that does not begin with the name of an entry."""
    return escape(limits.opened(str(refusal)), SENTENCE_LENGTH)


def measured(found: Measured) -> str:
    """A number with its error, where that reaches the digits that are shown."""
    return number(found.value) + (f" ± {error(found.margin)}" if found.margin > _DIGITS_SHOWN * found.value else "")


def stamped(label: str, promised: Guarantee) -> str:
    """A mechanism's name with what must never be overlooked about it."""
    if isinstance(promised, NotPrivate):
        return f"{label}: not private"
    return label if promised.is_private else f"{label}: only claimed"


def scenario_line(title: str, labels: tuple[str, ...], problem: Problem, epsilon: float, gamma: float) -> str:
    """What is shown, in one line: the data with the first counts, the prior, epsilon and gamma."""
    shown = [f"{c:,} {escape(label, 24)}" for label, c in zip(labels[:LINE_CATEGORIES], problem.counts, strict=False)]
    more = f" and {problem.k - LINE_CATEGORIES:,} more" if problem.k > LINE_CATEGORIES else ""
    return (
        f"{escape(title)}: {', '.join(shown)}{more}; n = {problem.n:,} · prior {prior_words(problem.prior)} · "
        f"epsilon = {printed_bound(epsilon)} · gamma = {number(gamma)}"
    )


def column_letter(position: int) -> str:
    """A, B, …, Z, AA, AB, … for 0, 1, 2, …, as spreadsheets call their columns."""
    before, last = divmod(position, 26)
    return (column_letter(before - 1) if before else "") + chr(ord("A") + last)


def prior_words(alpha: tuple[float, ...]) -> str:
    """Beta(1, 1), Dirichlet(0.5 × 4) or, where many parameters differ, their number and sum."""
    family = "Beta" if len(alpha) == 2 else "Dirichlet"
    if len(alpha) > 2 and len(set(alpha)) == 1:
        return f"{family}({number(alpha[0])} × {len(alpha)})"
    if len(alpha) > LINE_CATEGORIES:
        return f"{family} with {len(alpha)} parameters that sum to {number(sum(alpha))}"
    return f"{family}({', '.join(map(number, alpha))})"
