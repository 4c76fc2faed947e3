"""The sentences about sampled posteriors, how they are read and what their intervals cover."""

import math

from dpbi.mechanisms.printed_number import number
from dpbi.problem.problem import Problem

SAME_STREAM = (
    "Every mechanism draws from the same random numbers, those of the seed, so that what differs between them is the "
    "mechanism and not luck. Similar mechanisms therefore draw similar posteriors."
)
READINGS = (
    "**Naive**: the released counts are taken for the true ones. **Noise-aware**: by Bayes' rule with the mechanism, "
    "the prior and n, all public, the posterior averages over what the true counts may have been. **Nearest**: the one "
    "candidate posterior that lies nearest as far as a reader can know, by the same rule. None of them costs privacy."
)
COVERAGE = {
    "Naive": "A released posterior takes the noisy counts for true ones. Its 95 % interval is honest where it holds "
    "the true posterior mean in 95 % of all releases or more; below that it is overconfident. Each share here comes "
    "from {:,} draws,",
    "Nearest": "The nearest posterior is one candidate, so its interval is as wide as the naive one's, and does not "
    "allow for the noise. Each share here comes from the first {:,} draws, at these data,",
    "Noise-aware": "A noise-aware posterior knows that the released counts are noisy: on average over the prior, its "
    "95 % interval holds the truth in 95 % of all releases. Each share here comes from the first {:,} draws, at these "
    "data,",
}


def coverage(reading: str, draws: int) -> str:
    """What the coverage of intervals says, and how far its shares can be off: 2 sqrt(p (1 - p) / draws) at p = 1/2."""
    off = f"{100 / math.sqrt(draws):.0f} percentage points (95 % confidence)"
    return f"{COVERAGE[reading].format(draws)} so it can be off by up to {off}."


def prior_weight(problem: Problem) -> str:
    """The prior's equivalent sample size against the data's."""
    size = sum(problem.prior)
    share = float(f"{100 * size / (size + problem.n):.2g}")
    of_all = "more than 99" if share == 100 and problem.n else f"{share:g}"
    return (
        f"The prior weighs as much as {number(size)} records, the data as much as n = {problem.n:,}: "
        f"{of_all} % of the true posterior is prior."
    )
