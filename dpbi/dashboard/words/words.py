"""The sentences of the dashboard, and how text of a person is shown without being taken for markup."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from decimal import ROUND_FLOOR, Context, Decimal

from dpbi import limits
from dpbi.accuracy.comparison import Comparison, nearest_private
from dpbi.accuracy.distance_law import DRAWS
from dpbi.accuracy.order import LEFT_OUT, Measured, lead
from dpbi.data.files import Counts
from dpbi.data.labels import isolated, visible
from dpbi.mechanisms import name_of
from dpbi.mechanisms.guarantee import ApproximateDP, Guarantee, NotPrivate, PureDP
from dpbi.mechanisms.printed_bound import printed_bound
from dpbi.privacy.guessing import risk_of
from dpbi.privacy.loss import PrivacyLoss
from dpbi.privacy.verdict import Verdict
from dpbi.problem.neighbours import RELATION
from dpbi.problem.problem import Problem
from dpbi.sensitivity.maps import ScoreChange

SHOWN_LENGTH = 60
LINE_CATEGORIES, LISTED_CATEGORIES = 6, 20
SENTENCE_LENGTH = 600

RELATION_NOTICE = f"Neighbours: {RELATION}."
TALK = "Larger type and a folded sidebar, to be read from the last row. A link keeps it."

GLOSSARY, COLUMNS_EXPLAINED = "Methods#glossary", "Methods#columns-of-the-tables"
WORDS_EXPLAINED = f"[Words explained]({GLOSSARY})"
RAW_NOTICE = "These pages show your raw counts; only a release is private."
CHOICE_WARNING = (
    "**Choosing leaks.** A mechanism, gamma or epsilon chosen by looking at results on private counts tells something "
    "about those counts, which no guarantee shown here covers. For a release, choose on example or synthetic data."
)
FOUND = {"exhaustive": "by visiting every pair and output", "closed form": "in closed form, from the noise"}
IGNORING_SAID = 0.005
LAW_KINDS = {"levels": "exact", "bins": "exact, in bins", "sampled": "sampled"}
LAW_KINDS_SAID = (
    "How the law of the distance was found. 'exact': every distance there can be, with its probability. 'exact, in "
    "bins': there are too many distances to keep, so those far from the truth are gathered in narrow ranges, whose "
    "probabilities and means are exact. 'sampled': from draws, with a stated error, where the outputs are too many to "
    "list."
)
LOCAL_SENSITIVITY = (
    "LS(x), the local sensitivity, is how far one replaced record can move the true posterior. A release that stays "
    "within it is as near the truth as the posterior of a neighbouring dataset."
)
NO_RECORD = "At n = 0 there is no record to replace, so there is no local sensitivity LS(x) to stay within."
SAME_STREAM = (
    "Every mechanism draws from the same random numbers, those of the seed, so that what differs between them is the "
    "mechanism and not luck. Similar mechanisms therefore draw similar posteriors."
)
READINGS = (
    "**Naive**: the released counts are taken for the true ones. **Noise-aware**: by Bayes' rule with the mechanism, "
    "the prior and n, all public, the posterior averages over what the true counts may have been. **Nearest**: the one "
    "candidate posterior that lies nearest as far as a reader can know, by the same rule. None of them costs privacy."
)
WHICH_READING = (
    "Nearest is for one posterior to work with, noise-aware for intervals that hold what they promise; naive takes the "
    "noisy counts for true ones and is too sure of itself where the noise matters."
)
_NO_GAIN = 1e-6
_DIGITS_SHOWN = 1e-4  # relative: what four digits show of an error
_EVERY_DIGIT = 10**16  # whole numbers below are written out; every count and total is
SMALL_PRIOR = "A prior as small as this takes a category without records for all but impossible."
WEAK_FROM, NOISE_BELOW = 5.0, 0.01
CALIBRATED = (
    "**Calibrated**: the rate is set so that the exact loss is epsilon, for this prior and n. No count enters; what "
    "is promised is checked over every dataset and output, and promised nowhere else."
)
LOSS = (
    "Whoever sees a release, the odds between two datasets that differ in one person's record move by a factor of at "
    "most e^loss. Here that **privacy loss** is computed, not bounded: the worst over every dataset of n records, "
    "every neighbour and every output, for this prior and n. It depends on no count of yours."
)
BASES = (
    "**Theorem**: proved for every prior and n. **Claim**: stated in a paper without a proof that holds. **Exhaustive "
    "check**: the loss over every pair of neighbours and every output was computed for this prior and n, and nothing "
    "is promised elsewhere. **Not private**: nothing is promised at all."
)
LOSS_AGAINST_SIZE = (
    "The same prior with fewer records: the papers' concrete epsilon, here the worst over all datasets of each size. "
    "Without calibration, which would make the loss epsilon at every n."
)
PROFILE = (
    "delta(epsilon) is what remains to be allowed for if only epsilon is granted: at the exact loss it is 0, at "
    "epsilon = 0 it is the largest total variation distance between neighbours' output laws."
)
ATTACKER = (
    "Someone who knows every record but one must tell from the release which of two neighbouring datasets it came "
    "from. No test that raises so many false alarms misses fewer than the curve says, which is computed from "
    "delta(epsilon) at the worst pair of neighbours."
)
CALIBRATION = (
    "A mechanism that loses less than its epsilon adds more noise than its promise needs. **Calibrating** raises its "
    "rate until the exact loss is epsilon, which usually brings it nearer to the truth, or lowers it, where epsilon is "
    "exceeded. What is promised then holds for this prior and n. The rate depends on the mechanism, the prior and n "
    "alone. Tick **calibrated** beside a mechanism in the sidebar to see it so on every page."
)
MOVES = (
    "More records move it further, and how far the same number of them does depends on the data: an error in records "
    "says little of the error in the posterior."
)
GAMMA = (
    "Selection by the reciprocal smooth sensitivity S is scaled to (1 + gamma) S: the gamma that makes it least would "
    "be the most accurate at these data. It depends on them, so a release must not use it."
)
SHARED_NUMBERS = {
    "gamma": "How fast the reciprocal smooth sensitivity S may change: 1/S by at most gamma per record replaced. At 0 "
    "it is the global sensitivity; a large gamma leaves the local one, but selection is scaled to (1 + gamma) S.",
    "delta": "How far the probability of any set of outputs may exceed e^epsilon times the neighbour's: what the "
    "promise of epsilon alone leaves out.",
}
WITHIN = "A Hellinger distance from 0 to 1. The table below tells how probable a release within it is."
LIST_FROM_DATA = (
    "The list of categories counts as public. Here it was taken from the data, so it tells which categories occur at "
    "all, and no guarantee covers that. If you can, give the public list below."
)
LIST_GIVEN = "The categories are those of your public list; one with nobody in it has the count 0."
PUBLIC_LIST = (
    "Every category there can be, whether or not anybody is in it, as known without looking at the data. The counts "
    "then come in this order, with 0 for a category that does not occur; you are asked about any that is not listed."
)
NO_CATEGORIES = "Choose a file, or set right the entry above: each category then gets a number here."
LINK_HOLDS_COUNTS = (
    "The link held counts. They stand in the address of this page, and so in the browser's history and in the log of "
    "every server that the address passes."
)
LINK_WARNING = (
    "**The counts travel in this address**: whoever sees it, or a browser's history or a server's log that has it, "
    "has them."
)
LINK_HELP = "Opens this page with these settings, for anyone who can reach this app."
WITH_COUNTS = (
    "Puts your labels and counts, and what they are called, into the settings and the link. Without them, n and k "
    "alone go along: they are public, as are the prior and all other settings."
)
REPORT_HELP = (
    "A ZIP of all that this page shows: tables, figures, the script, the settings, versions. It shows the counts."
)
REPORT_WARNING = "The tables, the figures and the script show the counts: this folder is as private as they are."
REPORT_FILES = (
    "CSV files are UTF-8 with a mark. Their last columns say what the sidebar was set to, so that files of several "
    "settings\ncan be put under one another. Figures are drawn without a network. The settings hold the counts only "
    "if that was ticked."
)
SCRIPT_NOTICE = (
    "It computes the numbers of this page anew: save it anywhere and run it with `.venv/bin/python` of dpbi's folder. "
    "**The counts are written in it**: keep it as private as they are."
)
# Beside the import, so that the error where it is missing quotes it.
SCRIPT_NEEDS = "# run with .venv/bin/python of dpbi's folder: the first line of its README installs it there"
NOTHING_TICKED = "No mechanism is ticked. Tick at least one under **Mechanisms** in the sidebar."
APOLOGY = (
    "This part could not be shown: something went wrong that should not have. Nothing was sent anywhere and your "
    "settings are kept; changing one of them, or reloading the page, usually helps."
)


def escape(text: str, length: int = SHOWN_LENGTH) -> str:
    """Text of a person as Markdown that shows it: one line, cut where long, and inert.

    Punctuation is escaped; a word joiner after a colon keeps emoji and colour short codes apart, which Streamlit
    looks for after escapes are undone; isolates keep a right-to-left name from turning the sentence around it.
    """
    shown = plain(text, length)
    return isolated(re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", shown).replace(":", ":\u2060"))


def plain(text: str, length: int = SHOWN_LENGTH) -> str:
    """Text of a person as one line without control or direction marks, cut to ``length`` characters."""
    line = visible(text)
    return line if len(line) <= length else line[: length - 1] + "…"


def sentence(refusal: BaseException) -> str:
    """What a refusal says, as inert Markdown."""
    return escape(str(refusal), SENTENCE_LENGTH)


def opened(refusal: BaseException) -> str:
    """As ``sentence``, with a capital: for one that does not begin with the name of an entry."""
    return escape(limits.opened(str(refusal)), SENTENCE_LENGTH)


def number(value: float) -> str:
    """Four significant digits, thousands apart: 0.0123, 12.5, 1,235, 1.2e-09; whole numbers to their last digit."""
    if isinstance(value, int) and abs(value) >= _EVERY_DIGIT:
        return f"{Decimal(value):.4g}"  # a float ends at 1e308
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    if 999.95 <= abs(value) < _EVERY_DIGIT:
        return f"{int(value) if value == int(value) else float(f'{value:.4g}'):,.0f}"
    return f"{value:.4g}"


def at_least(value: float) -> str:
    """A lower bound: as ``number``, but never above the value."""
    return number(float(Context(prec=4, rounding=ROUND_FLOOR).create_decimal(Decimal(value))))


def error(value: float) -> str:
    """An uncertainty: two digits."""
    return f"{value:.2g}"


def measured(found: Measured) -> str:
    """A number with its error, where that reaches the digits that are shown."""
    return number(found.value) + (f" ± {error(found.margin)}" if found.margin > _DIGITS_SHOWN * found.value else "")


def probability(value: float) -> str:
    """As ``number``; what is below 1 is not called 1."""
    shown = number(value)
    return "above 0.9999" if shown == "1" and value < 1 else shown


def listed(parts: Iterable[str]) -> str:
    """a; a and b; a, b and c."""
    *first, last = list(parts) or [""]
    return f"{', '.join(first)} and {last}" if first else last


BRING_AGAIN = "A person's own counts are not kept in an address, so nothing is shown: bring them again."


def stand_in(
    held: Set[str], labels: Sequence[str], counts: Sequence[int], sizes: Mapping[str, tuple[int, bool]]
) -> str:
    """Why a document brings no counts of a person, and what is shown instead.

    held: which of labels and counts it has; labels, counts: as read, empty where refused; sizes: k and n of what is
    shown, each with whether the document gives it.
    """
    if not held:
        why = "The counts were left out of it"
    elif len(held) == 1:
        (one,), (other,) = held, {"labels", "counts"} - held
        why = f"It holds {one} without {other}, which need each other"
    elif labels and counts:
        why = f"labels and counts must be as many: got {len(labels):,} and {len(counts):,}"
    else:
        why = "Its labels and counts were not both accepted"
    shown = listed(f"{key} = {size:,}" + ("" if given else " (the default)") for key, (size, given) in sizes.items())
    return f"{why}; balanced counts with {shown} stand in for them."


def counts_of_no_use(held: Set[str], source: str) -> str:
    """That a person's labels or counts are not looked at, since others are asked for."""
    return f"Its {listed(sorted(held))} were not used: the counts it asks for are '{source}'."


def guarantee(promised: Guarantee) -> str:
    """What is promised and why; what is not proved is stamped."""
    if isinstance(promised, NotPrivate):
        return "NOT PRIVATE"
    return promised.words if promised.is_private else f"ONLY CLAIMED: {promised.words.removesuffix(' (claim)')}"


def stamped(label: str, promised: Guarantee) -> str:
    """A mechanism's name with what must never be overlooked about it."""
    if isinstance(promised, NotPrivate):
        return f"{label}: not private"
    return label if promised.is_private else f"{label}: only claimed"


def best(rows: Sequence[Comparison], problem: Problem) -> str:
    """Which mechanisms to name here, in one sentence: the nearest of those that are proved to be private."""
    if problem.n == 0:
        return "There are no records (n = 0): every mechanism releases the prior itself, and nothing can leak."
    found = nearest_private(rows)
    if not found:
        return "No ticked mechanism has a proved pure guarantee."
    nearer = any(lead(row.measured, found[0].measured) > 0 for row in rows)
    ahead = f"Nearest to the truth here{', of those proved to be private' if nearer else ''}"
    if len(found) == 1:
        (row,) = found
        name, promised, mean = f"**{name_of(row.mechanism)}**", row.guarantee.words, _mean(row)
        said = f"{name} promises {promised}, at {mean} from the truth"
        if len(rows) > 1:
            said = f"{ahead}: {name}, with {promised} and {mean}"
        return f"{said}; it releases the true posterior itself with probability {_of_truth(row)}."
    each: dict[str, list[str]] = {}
    for row in found:
        facts = (f"{row.guarantee.words}, {_mean(row)}, the true posterior itself with probability "
                 f"{_of_truth(row)}")
        each.setdefault(facts, []).append(f"**{name_of(row.mechanism)}**")
    parts = [f"{listed(names)} ({'each ' if len(names) > 1 else ''}{facts})" for facts, names in each.items()]
    return f"{ahead}: {'; '.join(parts)}, too close to tell apart."


def _of_truth(row: Comparison) -> str:
    """No mechanism is certain where there are records, whatever a double may say."""
    return probability(min(row.probability_of_truth, math.nextafter(1, 0)))


def _mean(row: Comparison) -> str:
    if not row.measured.exact:
        return f"a sampled mean distance of {measured(row.measured)}"
    return f"an exact mean distance of {number(row.mean)}" if row.mean else f"a mean distance below {LEFT_OUT:g}"


def besides(rows: Sequence[Comparison], problem: Problem) -> str:
    """Who ignores the data, and what the best one is not compared with; "" where there is nothing to add."""
    if problem.n == 0:
        return ""
    parts = []
    blind = [
        f"{name_of(row.mechanism)} {probability(row.probability_of_ignoring)}"
        for row in rows
        if row.probability_of_ignoring > IGNORING_SAID
    ]
    if blind:
        parts.append(
            f"Ignores the data with probability: {listed(blind)}. Selection by distance is a mixture whose first part "
            "picks any candidate without looking at the counts."
        )
    claimed = [name_of(row.mechanism) for row in rows if row.guarantee.basis == "claim"]
    unsafe = [name_of(row.mechanism) for row in rows if isinstance(row.guarantee, NotPrivate)]
    if claimed:
        parts.append(f"{listed(claimed)} {_verb(claimed)} only claimed to be private, so not in the running.")
    if unsafe:
        parts.append(f"{listed(unsafe)} {_verb(unsafe)} not private: shown for contrast only.")
    return " ".join(parts)


def verdicts(found: Sequence[Verdict]) -> str:
    """Whom the audit accuses, what staying below epsilon means where nothing is promised, and what is kept."""
    kept = [name_of(one.loss.mechanism) for one in found if not one.accused and one.guarantee.is_private]
    parts = [_accusation(one) for one in found if one.accused]
    parts += [_claim(one, one.guarantee) for one in found if isinstance(one.guarantee, ApproximateDP)]
    parts += [_no_promise(one) for one in found if isinstance(one.guarantee, NotPrivate) and not one.accused]
    if kept:
        parts.append(f"{listed(kept)} {'keeps' if len(kept) == 1 else 'keep'} what is stated.")
    return "\n\n".join(parts)


def _accusation(one: Verdict) -> str:
    name = name_of(one.loss.mechanism)
    proved = one.guarantee.epsilon if isinstance(one.guarantee, PureDP) else one.stated
    return (
        f"**The audit accuses {name}**: stated epsilon {printed_bound(one.stated)}, exact loss "
        f"{printed_bound(one.loss.epsilon)}. It is attained by {pair(one.loss)}."
        + (f" What is proved for it here is {one.guarantee.words}." if proved > one.stated else "")
    )


def _claim(one: Verdict, promised: ApproximateDP) -> str:
    name, basis = name_of(one.loss.mechanism), escape(promised.reason, SENTENCE_LENGTH)
    verb = "is broken" if one.accused else "holds"
    beyond = ""
    if one.exceeds and not one.accused:
        beyond = f", though its exact loss, {printed_bound(one.loss.epsilon)}, exceeds epsilon: by {pair(one.loss)}"
    return (
        f"**{name}** claims delta = {printed_bound(promised.delta)} at epsilon = {printed_bound(promised.epsilon)}; "
        f"the exact delta there is {printed_bound(one.delta or 0.0)}, so the claim {verb} for this prior and n"
        f"{beyond}. Its basis: {basis}."
    )


def _no_promise(one: Verdict) -> str:
    name, why = name_of(one.loss.mechanism), escape(one.guarantee.reason, SENTENCE_LENGTH)
    return (
        f"**{name}** promises nothing, and loses {printed_bound(one.loss.epsilon)} here, not more than "
        f"{printed_bound(one.stated)}. That means only this: for this very prior and n, checked over every dataset "
        "and output. At another prior or n "
        f"its loss can exceed epsilon, and nothing limits it: {why}."
    )


def pair(loss: PrivacyLoss) -> str:
    """The neighbouring counts and the output that attain a loss, where they fit in a line."""
    if len(loss.counts) > LINE_CATEGORIES:
        return f"two datasets of {len(loss.counts):,} categories"
    counts, neighbour, released = (
        f"({', '.join(f'{c:,}' for c in values)})" for values in (loss.counts, loss.neighbour, loss.released)
    )
    return f"{counts} against {neighbour}, releasing {released}"


def attained(loss: PrivacyLoss) -> str:
    return f"{name_of(loss.mechanism)}: {pair(loss)}. Found {FOUND[loss.found]}."


def not_calibrated(names: Sequence[str], sentence: str) -> str:
    return f"{listed(names)} cannot be calibrated here: {escape(sentence, SENTENCE_LENGTH)}"


def calibration_hint(spent: Mapping[str, float], unknown: Sequence[str], epsilon: float) -> str:
    """What there is to gain from calibration; spent: exact losses below epsilon; unknown: whose audit takes longer."""
    said = []
    if spent:
        each = listed(f"{name} loses {printed_bound(loss)}" for name, loss in spent.items())
        said.append(f"Not all of epsilon = {printed_bound(epsilon)} is spent: {each}.")
    if unknown:
        said.append(f"**Privacy loss** tells how much of epsilon is really spent by {listed(unknown)}.")
    them = "it loses" if len(spent) + len(unknown) == 1 else "each of them loses"
    said.append(f"**Calibrated** (sidebar) {them} exactly epsilon, and the release is often nearer to the truth.")
    return " ".join(said)


def nothing_to_gain(multipliers: Mapping[str, float]) -> str:
    """Whom calibration leaves as they are; multipliers: of the rates, by name."""
    names = [name for name, multiplier in multipliers.items() if abs(multiplier - 1) < _NO_GAIN]
    if not names:
        return ""
    lose = "loses" if len(names) == 1 else "lose"
    return f"Calibration has nothing to give {listed(names)}, which already {lose} exactly epsilon."


def how_found(rows: Sequence[Comparison]) -> str:
    """Whether the curves are exact, and for those that are not how far off they can be."""
    sampled = [row for row in rows if not row.exact]
    if not sampled:
        return "Every curve is the exact law: nothing is simulated, and nothing depends on the seed."
    names = listed(name_of(row.mechanism) for row in sampled)
    error = max(row.error for row in sampled)
    return (
        f"**Sampled, not exact:** {names}, whose outputs are too many to list. The nearest outputs are exact, the rest "
        f"are {DRAWS:,} draws of a fixed stream; the probability of a distance up to t is off by at most "
        f"{number(error)}, with 95 % confidence for all t together."
        + ("" if len(sampled) == len(rows) else " The other curves are exact.")
    )


def coverage(size: int) -> str:
    """What the coverage of intervals says, and how far its shares can be off: 2 sqrt(p (1 - p) / size) at p = 1/2."""
    return (
        "A released posterior takes the noisy counts for true ones. Its 95 % interval is honest where it holds the "
        "true posterior mean in 95 % of all releases or more; below that it is overconfident. Each share here comes "
        f"from {size:,} draws, so it can be off by up to {100 / math.sqrt(size):.0f} percentage points (95 % "
        "confidence)."
    )


def aware_coverage(number: int) -> str:
    """The same of noise-aware posteriors."""
    return (
        "A noise-aware posterior knows that the released counts are noisy: on average over the prior, its 95 % "
        f"interval holds the truth in 95 % of all releases. Each share here comes from the first {number:,} draws, "
        f"at these data, so it can be off by up to {100 / math.sqrt(number):.0f} percentage points (95 % confidence)."
    )


def nearest_coverage(number: int) -> str:
    """The same of nearest posteriors."""
    return (
        "The nearest posterior is one candidate, so its interval is as wide as the naive one's, and does not allow for "
        f"the noise. Each share here comes from the first {number:,} draws, at these data, so it can be off by up to "
        f"{100 / math.sqrt(number):.0f} percentage points (95 % confidence)."
    )


def hints(numbers: Mapping[str, float], n: int | None) -> list[str]:
    """What extreme values of epsilon and delta come to; numbers: by name, the refused are missing."""
    said = []
    epsilon, delta = numbers.get("epsilon", 1.0), numbers.get("delta", 0.0)
    if epsilon >= WEAK_FROM:
        factor = printed_bound(math.exp(epsilon)) if epsilon < 14 else f"10^{math.ceil(epsilon / math.log(10))}"
        said.append(f"Weak privacy: the odds about any one person may move by a factor of {factor}.")
    if epsilon <= NOISE_BELOW:
        said.append(f"Almost pure noise, unless n is far above 1/epsilon = {number(1 / epsilon)}.")
    if n and delta >= 1 / n:
        said.append("delta is not below 1/n: it would let one person's record be published outright.")
    return said


def in_cases(epsilon: float) -> str:
    """What an epsilon means, as people count: a bound for every mechanism that keeps it."""
    most = risk_of(PureDP(epsilon, "theorem", "by definition")).worst_of_hundred
    after = f"in at most {most} of 100" if most < 100 else "perhaps in all 100"
    return (
        f"epsilon = {printed_bound(epsilon)} in cases: who would guess a person's answer right in 50 of 100 is right "
        f"{after} after a release that keeps it."
    )


def prior_weight(problem: Problem) -> str:
    """The prior's equivalent sample size against the data's."""
    size = sum(problem.prior)
    share = float(f"{100 * size / (size + problem.n):.2g}")
    of_all = "more than 99" if share == 100 and problem.n else f"{share:g}"
    return (
        f"The prior weighs as much as {number(size)} records, the data as much as n = {problem.n:,}: "
        f"{of_all} % of the true posterior is prior."
    )


def global_constants(exact: float, paper: float) -> str:
    """What the papers' constant would do in place of the exact global sensitivity."""
    if math.isclose(exact, paper, rel_tol=1e-9):
        return f"The papers' constant, {number(paper)}, is the exact global sensitivity of this prior and n."
    if paper > exact:
        return (
            f"The papers' constant is {number(paper / exact)} times the exact global sensitivity of this prior and n: "
            "noise scaled to it keeps the promise and wastes accuracy."
        )
    return (
        f"The papers' constant is only {number(paper / exact)} of the exact global sensitivity of this prior and n: "
        f"scaled to it, a mechanism can promise {number(exact / paper)} epsilon and **not epsilon**."
    )


def smoothing(local: float, reciprocal: float, gamma: float) -> str:
    """Whether the smooth bound differs from the local sensitivity at all."""
    if math.isclose(local, reciprocal, rel_tol=1e-9):
        return (
            f"With gamma = {number(gamma)} the reciprocal smooth bound is LS(x) itself: no data with a larger "
            "sensitivity are near enough to matter."
        )
    return (
        f"With gamma = {number(gamma)} the reciprocal smooth bound is {number(reciprocal / local)} times LS(x): data "
        "with a larger sensitivity are near."
    )


def worst_move(change: ScoreChange, labels: Sequence[str]) -> str:
    """Which replaced record attains LS(x), and whether the score moves most at the truth."""
    move = [after - before for after, before in zip(change.neighbour, change.problem.counts, strict=True)]
    donor, receiver = (escape(labels[move.index(step)]) for step in (-1, 1))
    largest, at_truth = float(change.change.max()), float(change.change[change.moved == 0][0])
    peak = (
        "No candidate's score moves more than that of the true posterior itself, by LS(x): no other candidate asks for "
        "more noise, which the papers call efficiency."
        if math.isclose(largest, at_truth, rel_tol=1e-9)
        else f"The score moves most, by {number(largest)}, at another candidate than the true posterior."
    )
    return (
        f"LS(x) = {number(change.local_sensitivity)} is attained where one record of **{donor}** is replaced by one of "
        f"**{receiver}**. {peak}"
    )


def link_too_long(length: int) -> str:
    return f"The address would have {length:,} characters, more than servers take. Take the settings as a file instead."


def _verb(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def scenario_line(title: str, labels: tuple[str, ...], problem: Problem, epsilon: float, gamma: float) -> str:
    """What is shown, in one line: the data with the first counts, the prior, epsilon and gamma."""
    shown = [f"{c:,} {escape(label, 24)}" for label, c in zip(labels[:LINE_CATEGORIES], problem.counts, strict=False)]
    more = f" and {problem.k - LINE_CATEGORIES:,} more" if problem.k > LINE_CATEGORIES else ""
    return (
        f"{escape(title)}: {', '.join(shown)}{more}; n = {problem.n:,} · prior {prior_words(problem.prior)} · "
        f"epsilon = {printed_bound(epsilon)} · gamma = {number(gamma)}"
    )


def understood(labels: Sequence[str], counts: Sequence[int]) -> str:
    """Typed counts as they were read, one after the other, the first of many."""
    shown = [f"{escape(label, 24)}: {c:,}" for label, c in zip(labels, counts, strict=True)][:LISTED_CATEGORIES]
    more = f" and {len(labels) - len(shown):,} more" if len(labels) > len(shown) else ""
    return f"Read as {' · '.join(shown)}{more}"


SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
UPLOAD_REFUSED = (
    "A file will be refused here (error 403): the browser kept back the cookie that protects uploads, as in a frame of "
    "another site or behind a proxy that drops it. Open the app in a tab of its own; whoever runs it can serve it over "
    "HTTPS with server.xsrfCookieSameSite = \"none\" (README)."
)


def column_letter(position: int) -> str:
    """A, B, …, Z, AA, AB, … for 0, 1, 2, …, as spreadsheets call their columns."""
    before, last = divmod(position, 26)
    return (column_letter(before - 1) if before else "") + chr(ord("A") + last)


LAYOUTS = {"counts": "one row per category", "wide": "one row of counts", "raw": "one row per person"}


def read_as(counts: Counts) -> str:
    """How a file was understood: its format, where the names stand, its layout and the columns read."""
    parts = [counts.file_format if counts.encoding is None else f"{counts.encoding} {counts.file_format}"]
    if counts.separator:
        parts.append(f"cells separated by {SEPARATORS[counts.separator]}")
    if counts.sheet is not None:
        parts.append(f"sheet {escape(counts.sheet)}")
    parts.append("no header" if counts.header_row is None else f"header in row {counts.header_row:,}")
    parts.append(LAYOUTS[counts.layout])
    columns = [escape(column) for column in counts.columns]
    if counts.layout == "counts" and len(columns) == 2:
        parts.append(f"categories from {columns[0]}, counts from {columns[1]}")
    elif counts.layout == "raw":
        parts.append(f"counted: {columns[0]}")
    return f"Read as {'; '.join(parts)}."


def prior_words(alpha: tuple[float, ...]) -> str:
    """Beta(1, 1), Dirichlet(0.5 × 4) or, where many parameters differ, their number and sum."""
    family = "Beta" if len(alpha) == 2 else "Dirichlet"
    if len(alpha) > 2 and len(set(alpha)) == 1:
        return f"{family}({number(alpha[0])} × {len(alpha)})"
    if len(alpha) > LINE_CATEGORIES:
        return f"{family} with {len(alpha)} parameters that sum to {number(sum(alpha))}"
    return f"{family}({', '.join(map(number, alpha))})"
