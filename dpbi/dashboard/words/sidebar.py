"""The sentences of the sidebar: what an entry means, and what extreme ones come to."""

import math
from collections.abc import Mapping, Sequence

from dpbi import PureDP, printed_bound
from dpbi.dashboard.words import words
from dpbi.privacy.guessing import risk_of

PRIOR = "The pseudo-counts that every category has before any data."
TALK = "Larger type and a folded sidebar, to be read from the last row. A link keeps it."
SMALL_PRIOR = "A prior as small as this takes a category without records for all but impossible."
LISTED_CATEGORIES = 20
WEAK_FROM, NOISE_BELOW = 5.0, 0.01
CALIBRATED = (
    "**Calibrated**: the rate is set so that the exact loss is epsilon, for this prior and n. No count enters; what "
    "is promised is checked over every dataset and output, and promised nowhere else."
)
PICKED = "Press one to compare it, and again to leave it out. Below, each opens to what it can be asked."
EPSILON = "The privacy loss: an observer's odds about any one person move by a factor of at most e^epsilon."
SHARED_NUMBERS = {
    "gamma": "How fast the reciprocal smooth sensitivity S may change: 1/S by at most gamma per record replaced. At 0 "
    "it is the global sensitivity; a large gamma leaves the local one, but selection is scaled to (1 + gamma) S.",
    "delta": "How far the probability of any set of outputs may exceed e^epsilon times the neighbour's: what the "
    "promise of epsilon alone leaves out.",
}
SEED = "The same seed gives the same draws. A real release never uses one."
FOR_A_CLAIM = "Data, prior and epsilon of a claim"
NO_CATEGORIES = "Bring a file on the page Data, or set right the entry above: each category then gets a number here."


def not_calibrated(names: Sequence[str], sentence: str) -> str:
    return f"{words.listed(names)} cannot be calibrated here: {words.escape(sentence, words.SENTENCE_LENGTH)}"


def hints(numbers: Mapping[str, float], n: int | None) -> list[str]:
    """What extreme values of epsilon and delta come to; numbers: by name, the refused are missing."""
    said = []
    epsilon, delta = numbers.get("epsilon", 1.0), numbers.get("delta", 0.0)
    if epsilon >= WEAK_FROM:
        factor = printed_bound(math.exp(epsilon)) if epsilon < 14 else f"10^{math.ceil(epsilon / math.log(10))}"
        said.append(f"Weak privacy: the odds about any one person may move by a factor of {factor}.")
    if epsilon <= NOISE_BELOW:
        said.append(f"Almost pure noise, unless n is far above 1/epsilon = {words.number(1 / epsilon)}.")
    if n and delta >= 1 / n:
        said.append("delta is not below 1/n: it would let one person's record be published outright.")
    return said


def in_cases(epsilon: float, with_delta: bool = False) -> str:
    """What an epsilon means, as people count: a bound for every mechanism that keeps it.

    with_delta: whether a mechanism that is ticked allows for a delta beside it, of which this is no bound.
    """
    most = risk_of(PureDP(epsilon, "theorem", "by definition")).worst_of_hundred
    after = f"at most {most}" if most < 100 else "perhaps all"
    return (
        f"Right guesses of a person's answer: 50 of 100 before a release, {after} after one that keeps it"
        f"{' without a delta' if with_delta else ''}."
    )


def understood(labels: Sequence[str], counts: Sequence[int]) -> str:
    """Typed counts as they were read, one after the other, the first of many."""
    shown = [f"{words.escape(label, 24)}: {c:,}" for label, c in zip(labels, counts, strict=True)][:LISTED_CATEGORIES]
    more = f" and {len(labels) - len(shown):,} more" if len(labels) > len(shown) else ""
    return f"Read as {' · '.join(shown)}{more}"
