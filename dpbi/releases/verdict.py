"""Whether a release is worth making: what it would tell, and what it would give away. No count enters."""

from __future__ import annotations

import math

from dpbi.accuracy.trials import ReleaseErrors
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
    said = f"The released shares would be off by {points(off)} on average: do not publish this."
    return f"{said} Who publishes nothing and guesses by the prior is off by {points(blind)}."


def barely_private(risk: GuessingRisk) -> str:
    """The sentence for a release that protects next to nobody; empty for others.

    Barely private is what lets 90 guesses of 100 be right on average, or 95 after the worst release. Source: ours.
    """
    if risk.average_of_hundred < AVERAGE_LARGEST and risk.worst_of_hundred < WORST_LARGEST:
        return ""
    return (
        f"This is barely private: a guess that is right in 50 of 100 cases could be right in {risk.average_of_hundred} "
        f"after the release, and in {risk.worst_of_hundred} after the worst. Choose a smaller epsilon."
    )


def points(share: float) -> str:
    """A share as percentage points, in two significant digits."""
    hundredths = 100 * share
    digits = max(0, 1 - math.floor(math.log10(hundredths))) if hundredths else 0
    return f"{hundredths:.{digits}f} percentage points"
