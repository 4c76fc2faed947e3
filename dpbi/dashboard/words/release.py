"""The sentences of the Release page and of its ledger."""

import math
from collections.abc import Sequence

import numpy as np

from dpbi import Guarantee, NotPrivate, Release, name_of, printed_bound
from dpbi.accuracy.trials import ReleaseErrors
from dpbi.dashboard.words import words
from dpbi.privacy.guessing import GuessingRisk
from dpbi.releases.kept_ledger import KeptRelease
from dpbi.releases.ledger import STATED, Ledger, LedgerEntry, Merged, ReadTogether, Total
from dpbi.releases.plan import Plan
from dpbi.releases.statement import sum_of
from dpbi.releases.usefulness import points

READER = (
    "The mechanism with its options, epsilon and noise, the prior, n, the names of the categories, the **released** "
    "counts, the posteriors that follow from these, the guarantee with its basis and neighbours, the time to the "
    "second, the version of dpbi, whose answers they are, what was asked and which version of the table it is, **as "
    "you say it here**, and the ledger of these people: what each release about them cost and what it was of. Random "
    "marks tell people, tables and releases apart. Nothing else: no true count, no error, no rate or sensitivity at "
    "your data, no seed and no digest."
)
CHANGED = (
    "**Nothing was released.** A setting was changed after what is asked for here had been read. Read it again as it "
    "stands now, confirm it, and press once more."
)
ANOTHER_CAME = (
    "**Nothing was released.** Something else was released about these people, or their budget changed, after their "
    "total had been read. Read it again, confirm it, and press once more."
)
CHOOSE = "Choose a mechanism to see what it promises and what error to expect. Nothing is drawn by that."
CONTROL = (
    "It should not be released: how sharply it selects is set by the private counts themselves, so that a release can "
    "give them away, and nothing limits by how much. It is here to be compared with; a draw is stamped NOT PRIVATE."
)
NOTHING = (
    "Of nobody who is named on this page is there a release to show. The ledger knows people by their name, which is "
    "asked for above once a mechanism is chosen."
)
BROKEN_OFF = "broken off"
SAY_BROKEN_OFF = (
    "A charge without a release is in this ledger: its draw was broken off after it had been charged, or is being made "
    "at this moment. Nothing of it was shown, and the charge stands."
)
PEOPLE_HELP = (
    "Losses add up for people, whatever they are asked: give the same name for all their answers. Capitals and spaces "
    "at the ends make no difference. Under another name they would get another total, which nobody can notice. It is "
    "published with every file."
)
PEOPLE_EXAMPLE = "such as: Survey 2026"
QUESTION_HELP = (
    "By it releases of the same table are read together, and others never are. It is published with every file."
)
QUESTION_EXAMPLE = "such as: Do you smoke?"
NAME_FIRST = "Say first whose answers these are, and what was asked: losses add up for people, not for questions."
SAME, CORRECTED, ANOTHER = VERSIONS = (
    "the very same table, count for count",
    "the corrected one, to be used in place of the last",
    "another one, beside the last: of other people, another time or another membership",
)
VERSION_FIRST = "Say first whether this is the same table as before: only then are both releases read as one."
NOT_THE_SAME = (
    "This is not the very same table: it has another n, or other names of the categories, or another order of them. "
    "Say that it is another one."
)
COUNTS_DIFFER = (
    "**These are not the counts that were released under this name before, in this session.** Read as one table they "
    "would give a false answer: if the table was corrected, or the question is another, say so above. This is noticed "
    "on your screen alone, and is in no file."
)
BRING = "A ledger, or a release with its ledger, as this page writes them (JSON)."
NAMELESS = (
    "An older file does not name its people: what it holds counts as theirs who are named above the button, which asks "
    "for it once a mechanism is chosen. A total that is too large misleads nobody."
)
NO_RECORDS = "There are no records (n = 0): the release is the prior itself, and nothing can leak."


WHO_HELP = "Put down with every line that you add or change. It stays with the ledger and is in no release's file."
WHO_FIRST = "Say who you are: this ledger is shared, and each line of it says who made it."
REMARK_HELP = "For whoever keeps the ledger. It is in no release's file, but everyone who can open this app sees it."
PLAN = (
    "So many releases by the same mechanism with the same epsilon, k and n, **fixed before the first of them**, cost "
    "these people less together than the sum of their epsilons, for a delta: (epsilon, delta)-DP. Which tables they "
    "are of, and stopping early, are free. Once it has a release the plan stands; anything else is added by the plain "
    "sum."
)
DELTA_HELP = (
    "In (epsilon, delta)-DP nothing that is made of the releases is more probable than e^epsilon times what it would "
    "be with another answer of one person, plus delta. Far below 1 / n, and never chosen after a release."
)
OFF_THE_PLAN = "This release is not of the plan, or the plan is used up: its whole epsilon is added."


EMPTY = "Nothing was released, and nobody is named in the ledger."
ALL_OF_IT = "All people and releases, and corrections: the page Ledger"
SEARCH = "words of a name, a question, a remark, also of what they were before; superseded, raised"
QUESTIONS = (
    "What the releases of each question cost by the plain sum. Questions are of the same people, so that these add up "
    "to what was spent, or to more where a plan makes it less. Of a table that was brought all its questions are one "
    "row."
)
TABLES = "Tables that were released at once"
BEYOND = "I know that what was promised to these people would not hold any longer by that."
CORRECT = (
    "A name, a question, a remark or a table that was said wrongly is said otherwise from now on, in files made from "
    "now on too; what was said before stays in the ledger. **What is spent stays spent.** A name that was corrected "
    "stays with its people: whatever is released under it counts as about them."
)
LOG_IN_TO_SEE = "The entries of the ledger are shown to people who are logged in."
NOT_CORRECTING = "of none: it stands beside the others"
AS_IT_IS, ANOTHER_TABLE = "as it is said now", "of another table than all others: read with none of them"
ANOTHER_OF_THAT = "another one than those that were released of that question"
IS_CORRECTED = "It is corrected. What was said before is in the ledger."


def found(releases: tuple[int, int], people: tuple[int, int]) -> str:
    """How much of the ledger is shown: of how many."""
    return "; ".join(f"{what}: {some:,}" + (f" of {every:,}" if some < every else "")
                     for what, (some, every) in (("Releases", releases), ("people", people)))


def same_people(other: str) -> str:
    """The warning before two names become one."""
    return (f"There are people of the name {other} already. By this you say that both are the same people: everything "
            "counts for them together, the smaller budget holds, and it cannot be taken apart again.")


def will_come_to(total: Total, budget: float | None, merged: Sequence[Merged]) -> str:
    """What would become of promises by it. budget: of both then; merged: what would be put down."""
    said = [f"Together their releases would come to {total.words}."]
    if budget is not None:
        said.append(f"Their budget would be epsilon {printed_bound(budget)}.")
    return " ".join((*said, *(one.outlook for one in merged)))


def same_table(version: int, last: LedgerEntry) -> str:
    """A choice of the table that a release is of. last: the newest release of that version."""
    return f"the very same as {version_of(version, last)}"


def version_of(version: int, last: LedgerEntry) -> str:
    """A version of a table by what tells it from others: when it was released last, how its groups were, by what."""
    said = f"version {version}, last released on {last.time}", last.part, last.mechanism
    return words.plain(", ".join(filter(None, said)), 160)


def called_of(people: str, entry: LedgerEntry) -> str:
    """A table in a line that may be cut at its end: first what tells it from others of these people."""
    said = entry.time, people, entry.part, entry.mechanism, entry.question
    return words.plain(", ".join(filter(None, said)), 160)


def called(entry: LedgerEntry) -> str:
    """A release in a line."""
    return words.plain(", ".join(part for part in (entry.question, entry.mechanism, entry.time) if part), 120)


def planned(plan: Plan, made: int) -> str:
    """A plan that stands. made: how many of its releases were."""
    return f"Planned: {plan.words}. Made: {made:,}."


def set_by(plan: Plan) -> str:
    """A plan, with who set it and when."""
    return f"{plan.words}. Set {plan.time}{f' by {plan.who}' if plan.who else ''}."


def plan_costs(plan: Plan) -> str:
    """What a plan would cost, beside what its releases cost without."""
    cost = f"({printed_bound(plan.epsilon)}, {printed_bound(plan.delta)})-DP"
    return (f"{words.escape(name_of(plan.mechanism))}, {_times(plan.number)} with epsilon "
            f"{printed_bound(plan.mechanism.epsilon)}: **{cost}** for all of them, by the composition of the laws of "
            f"their losses, instead of {printed_bound(plan.total)}-DP by the plain sum.")


def left(epsilon: str, *, beyond: bool) -> str:
    """What is left of a budget. beyond: whether what was released is."""
    return f"{epsilon}: beyond the budget" if beyond else epsilon


def large_delta(plan: Plan) -> str:
    """Where delta alone could be the loss of everything for somebody; else empty."""
    if plan.delta * plan.n < 1:
        return ""
    return (f"A delta of {printed_bound(plan.delta)} promises little: to publish one of the {plan.n:,} records as it "
            "is would keep it.")


def state(line: KeptRelease, *, superseded: bool) -> str:
    """Whether there is a release, and whether another was stated to correct it."""
    found = BROKEN_OFF if line.broken_off else "brought" if line.brought else "kept"
    return f"{found}, superseded" if superseded else found


def of_a_table(people: str, questions: Sequence[str], groups: int, entry: LedgerEntry) -> str:
    """What a table is: whose answers, to what, when, by whom."""
    of = f", in {groups:,} groups" if groups > 1 else ""
    return (f"People: {people}. Asked: {'; '.join(questions)}{of}. Released on {entry.time}"
            f"{f' by {entry.who}' if entry.who else ''}.")


def without_counts(number: int, where: str) -> str:
    """What a ledger's file does not hold. where: it is found."""
    those = "a table of several parts" if number == 1 else f"{number:,} tables of several parts"
    return (f"Of {those} the ledger's file holds the charge, not the released counts: these are in the table's own "
            f"file (JSON), {where}.")


def draw(becomes: str) -> str:
    """What a draw is; becomes: what its ledger does with it."""
    return ("One draw, with random bits of the operating system: no seed, and never again. Changing a setting, another "
            f"page or a rerun leaves it as it is. {becomes}")


def names_in_it(names: Sequence[str]) -> str:
    """The people whom the ledger knows."""
    few = [words.escape(name, 60) for name in names[:20]]
    return f"In the ledger: {', '.join(few)}{f' and {len(names) - 20:,} more' if len(names) > 20 else ''}."


def asked_before(last: LedgerEntry) -> str:
    """The question that decides what is read together. last: the newest release of the same question."""
    return f"This question was released before, last on {last.time}. The table now is"


def acknowledge(guarantee: Guarantee) -> str:
    """What must be ticked before something is released that is not private by theorem or check."""
    if isinstance(guarantee, NotPrivate):
        return "I know that this is **not private**, and that every file will be stamped so."
    return "I know that its privacy is **only claimed**, and that every file will be stamped so."


def raises(before: float, after: float) -> str:
    """The warning before a release that the budget of the people does not hold."""
    return (f"**This raises the budget of these people from {printed_bound(before)} to {printed_bound(after)}, which "
            "is recorded: what was promised to them before does not hold any longer.**")


def before_another(spent: Total, after: Total) -> str:
    """The warning before another release about the same people."""
    return (
        f"**These people's answers were released {_times(spent.releases)} already: {spent.words}.** One more, and all "
        f"together come to **{after.words}**. {words.escape(after.composition, words.SENTENCE_LENGTH)} If you have "
        f"an earlier one of this question, use it: {_another_look(spent, after)}"
    )


def _another_look(spent: Total, after: Total) -> str:
    """What one release more adds: its epsilon, and on a plan less, or nothing."""
    if after.planned == spent.planned:
        return "another look is paid for in full."
    if (after.epsilon, after.delta) == (spent.epsilon, spent.delta):
        return "another look adds nothing, as the whole plan is counted already, but uses up one of its releases."
    return "another look draws on the plan, and is counted until the whole plan is."


def acknowledge_first(after: Total) -> str:
    """What must be ticked before the first release about the people."""
    return f"I know that a draw is final: it cannot be taken back, and costs these people {after.words} for good."


def acknowledge_another(after: Total) -> str:
    return f"I know that all releases about these people will come to {after.words}."


def another(title: str) -> str:
    """What the rest of the page is of, below a table of groups and questions."""
    return f"All that follows is of the data of all other pages, as in the line at the top: {words.escape(title, 60)}."


def published(labels: Sequence[str], n: int) -> str:
    """What goes out."""
    few = words.listed([words.escape(label, 40) for label in labels[:6]])
    more = f" and {len(labels) - 6:,} more" if len(labels) > 6 else ""
    return (
        f"One table of noisy counts for {len(labels)} answers ({few}{more}), with what follows from it about their "
        f"shares among {people(n)} (n). Public are n, the names of the answers and the prior; the true counts are not."
    )


def protected(n: int) -> str:
    """Who, from whom, and from what not."""
    if not n:
        return NO_RECORDS
    each = "The one person there is" if n == 1 else f"Each of the {n:,} people"
    return (
        f"{each}, and the answer given, from someone who knows all other answers. That somebody took part is not "
        "hidden, since n is public, nor is what is true of everybody."
    )


def people(n: int) -> str:
    return "1 person" if n == 1 else f"{n:,} people"


def together(found: ReadTogether, prior: tuple[float, ...]) -> str:
    """What all releases of a table say when they are read as one, and which are left out."""
    left_out = "".join(f" {words.escape(sentence, words.SENTENCE_LENGTH)}" for sentence in found.left_out)
    if found.posterior is None:
        return f"{words.sentence(ValueError(found.unavailable))}{left_out}"
    use = "" if found.contradiction else (
        " The ledger charged for all of them, so that reading them together costs no more: use this instead of any "
        "single one."
    )
    return (
        f"{len(found.used)} releases, by Bayes' rule with every mechanism's noise, under the prior "
        f"{words.prior_words(prior)}. {STATED} {words.escape(found.promise, words.SENTENCE_LENGTH)}{use}{left_out}"
    )


def risk(found: GuessingRisk) -> str:
    """What a release means for one person, and where that comes from."""
    basis = "Computed from the exact laws" if found.exact else "A bound that follows from the promise"
    return f"**{found.words}** {basis}, for the worst two datasets that differ in this person's answer."


def expected(errors: ReleaseErrors) -> str:
    """How far off a release is on data that are made up."""
    if not errors.n:
        return NO_RECORDS
    records, label = errors.records, name_of(errors.mechanism)
    made_up = (
        f"Your counts play no part in this, so that choosing by it leaks nothing ({len(records):,} trials on "
        f"{errors.datasets:,} made-up datasets of n = {errors.n:,}, drawn from the prior)."
    )
    if not records.any():
        return f"On made-up data {label} released the true counts themselves, every time. {made_up}"
    return (
        f"On made-up data {label} put a share off by {points(errors.share)} on average. "
        f"All counts together were off by {words.measured(errors.mean_records)} "
        f"records on average (±: two standard errors), and by at most "
        f"{words.number(math.ceil(float(np.quantile(records, 0.95))))} in 95 % of the trials. {made_up}"
    )


def released(release: Release) -> str:
    """What was released, which posterior to use, and why the counts may not sum to n."""
    which = (
        "The noise-aware posterior knows about the noise: where it differs from the naive one, use it."
        if not isinstance(release.noise_aware, str)
        else f"Only the naive posterior is known here: {words.sentence(ValueError(release.noise_aware))}"
    )
    return (
        f"{name_of(release.mechanism)}, {words.guarantee(release.guarantee)}, drawn on {release.time}. The **naive** "
        f"posterior takes the released counts for the true ones. {which}"
    ) + ("" if sum(release.released) == release.n else f" {sum_of(release)}")


def about(release: Release, stamp: str) -> str:
    """A release in a line, for what is taken away of it. stamp: what goes on top of it, or empty."""
    return (
        f"{stamp} Released by {name_of(release.mechanism)} on {release.time}: {release.guarantee.words}; "
        f"n = {release.n:,}, prior {words.prior_words(release.prior)}."
    ).lstrip()


def total(here: Ledger, others: int) -> str:
    """What the releases about the people named on the page come to, and how many there are about others."""
    spent = here.total()
    said = "About the people named above nothing was released in this ledger."
    if spent.releases:
        said = (f"These people's answers were released {_times(spent.releases)}; all together: **{spent.words}**. "
                f"{words.escape(spent.composition, words.SENTENCE_LENGTH)}").rstrip()
    return f"{said} Releases about others in it: {others:,}." if others else said


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"{number:,} times")


def of_token(part: Ledger, whose: str) -> str:
    """The entries of one token in a line. whose: what the people are called here."""
    number = "1 release" if len(part.entries) == 1 else f"{len(part.entries):,} releases"
    return f"About {whose or 'people without a name'}: {number}, {part.total().words}, last {part.entries[-1].time}."
