"""What the columns of the tables mean, where their table does not say it with numbers of its own."""

import re

MEANINGS = {
    "Mechanism": "How the counts are made noisy: each one's rule is under Mechanisms, on Methods.",
    "Category": "One of the answers that are counted. Two names that were cut to the same text carry their place.",
    "Draw": "The place of the release in the stream of the seed.",
    "H": "Hellinger distance of the released posterior from the true one: 0 the same, 1 apart.",
    "Mean H": "Mean Hellinger distance between the true and the released posterior; 0 same, 1 apart.",
    "alpha of …": "The released posterior's parameter of this category: the prior's and the released count.",
    "… within": "This share of all releases lies within this distance H of the true posterior.",
    "P(H ≤ …)": "Probability that the release lies within this distance of the true posterior.",
    "Off by at most": "By how much the probability beside it can be off, where it is not exact.",
    "… covers": "Share of the released 95 % intervals that hold this category's true posterior mean.",
    "Mean error": "Expected error of a release at this value.",
    "At least": "Lower bound of the mean error.",
    "At most": "Upper bound of the mean error.",
    "Standard error": "How far a mean that comes from draws can be off, as a standard deviation; 0 where it is exact.",
    "Found": "How the number was found: exact, or from draws; a crossover also between two computed points.",
    "n": "How many records the data have.",
    "epsilon": "The privacy loss that is promised. A dash where nothing is.",
    "delta": "What that promise leaves out. A dash where it is 0, or nothing is promised.",
    "Ahead from there on": "The mechanism that is nearer to the truth from this value on.",
    "Overtaken": "The mechanism that was nearer before.",
    "Last before": "The last computed value at which the other was nearer.",
    "From": "The first computed value at which this one is nearer.",
    "Guarantee there": "What is promised at the smallest epsilon, and on what basis.",
    "Smallest epsilon": "The least epsilon at which the mean distance is what was asked for, rounded up.",
    "Always falls": "Whether the mean distance fell at each epsilon looked at, two to a power of ten; if not, a larger "
    "epsilon can be worse.",
    "Time (UTC)": "When the release was drawn.",
    "Cases": "How many cases of the claim were computed.",
    "Held": "In how many of them the claim holds.",
    "Left out": "Further cases: both sides are equal up to rounding.",
    "What the grid shows": "What was found, in a sentence.",
    "Claim": "A statement of a paper, in our words.",
    "Source": "Where the paper says it.",
    "Verdict": "Of a mechanism, for this prior and n: whether its exact loss is within epsilon; ACCUSED where epsilon "
    "is exceeded, or where a delta is claimed, that delta at epsilon. Of a claim: whether it holds, holds under a "
    "condition, or fails.",
}


def meaning_of(column: str) -> str | None:
    """What it means: by its name, or by one whose "…" stands for a part of it; None where neither is known."""
    found = MEANINGS.get(column)
    patterns = ((re.escape(name).replace("…", ".+"), said) for name, said in MEANINGS.items() if "…" in name)
    return found or next((said for pattern, said in patterns if re.fullmatch(pattern, column)), None)
