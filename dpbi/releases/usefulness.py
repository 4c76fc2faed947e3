"""Whether a release is worth making: what it would tell, and what it would give away. No count enters."""

import math

from dpbi.accuracy.order import Measured
from dpbi.accuracy.trials import ReleaseErrors
from dpbi.mechanisms.guarantee import ApproximateDP, Guarantee
from dpbi.mechanisms.printed_bound import printed_bound
from dpbi.privacy.guessing import GuessingRisk

POINTS_LARGEST = 0.1  # of a share, on average: a release that is farther off is of no use
BLIND_LARGEST = 0.5  # of the error of whoever publishes nothing and guesses by the prior
AVERAGE_LARGEST, WORST_LARGEST = 90, 95  # of 100 guesses


def useless(errors: ReleaseErrors) -> str:
    """The sentence for a release that would say next to nothing; empty for others.

    errors: of ``release_errors``. Useless is what is off by 10 percentage points of a share or more on average, or by
    half of the error of a guess at the prior's mean. Source: ours; a convention, not a theorem.
    """
    off, blind = errors.mean_share, errors.blind_share
    if not errors.n or (off < POINTS_LARGEST and off < BLIND_LARGEST * blind):
        return ""
    tried = points(errors.share)
    said = f"The released shares would be off by {tried} on average: do not publish this."
    return f"{said} To publish nothing and guess by the prior is off by {points(Measured(blind))}."


def barely_private(risk: GuessingRisk, promised: Guarantee) -> str:
    """The sentence for a release that protects next to nobody, at worst; empty for others.

    Barely private is what lets 90 guesses of 100 be right on average, or 95 after the worst release. That a delta
    leaves the worst release without a bound, no epsilon mends: an output that a neighbour cannot give has a
    probability of at most delta, by the promise for the set of all such. Source: ours.
    """
    if risk.average_of_hundred < AVERAGE_LARGEST and risk.worst_of_hundred < WORST_LARGEST:
        return ""
    average, worst = risk.average_of_hundred, risk.worst_of_hundred
    if average < AVERAGE_LARGEST and risk.worst == 1 and isinstance(promised, ApproximateDP):
        return (f"The worst release can give a person's answer away, whatever epsilon is: the {promised.called} allows "
                f"for it with a probability of at most delta = {printed_bound(promised.delta)}. Where that is too "
                "much, choose a mechanism without a delta.")
    after = f"{average} after a release on average and {worst} after the worst" if average < worst else f"{worst} after"
    return (
        f"This is barely private: where 50 of 100 guesses of a person's answer were right before, up to {after} can "
        "be. Choose a smaller epsilon."
    )


def points(share: Measured) -> str:
    """A share as percentage points, in two significant digits, and its error where that reaches them, rounded up."""
    hundredths, margin = 100 * share.value, 100 * share.margin
    digits = max(0, 1 - math.floor(math.log10(hundredths))) if hundredths else 0
    last = 10.0**-digits
    around = f" ± {math.ceil(margin / last) * last:.{digits}f}" if margin > last / 2 else ""
    return f"{hundredths:.{digits}f}{around} percentage points"
