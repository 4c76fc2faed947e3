"""The sentences about two tables that differ in one person's answer."""

from dpbi import Guarantee, NotPrivate, printed_bound
from dpbi.dashboard.words.words import number
from dpbi.inference.clouds import Clouds
from dpbi.posterior.hellinger import hellinger
from dpbi.privacy.guessing import BestGuess, risk_of

_HARDLY = 0.1  # H of two true posteriors, below which no eye tells them apart
UNCALIBRATED = "A calibration holds at one epsilon alone, and epsilon moves here: the mechanism is shown without it."
NO_RECORD = "Nobody is in the data, so that there is no answer to tell. Choose data with at least one record."


def hardly_differ(found: Clouds) -> str:
    """Where no eye tells the two truths apart; nothing where it can."""
    distance = float(hellinger(*found.truths))
    if distance >= _HARDLY:
        return ""
    return (
        f"**The two true posteriors hardly differ in this share** (H = {number(distance)}), so that the clouds lie on "
        "each other at every epsilon. That hides nobody: the released counts tell more than a curve shows."
    )


def promised(guarantee: Guarantee, best: BestGuess) -> str:
    """The pair's own number where it is computed, and the promise for every pair, where there is any."""
    at = f"at epsilon = {printed_bound(best.mechanism.epsilon)}"
    here = f"For these two tables the best guess is right in at most {best.of_hundred} of 100 cases {at}"
    if not best.exact:
        here = f"These tables have more releases than are listed, so that no best guess is computed {at}"
    if isinstance(guarantee, NotPrivate):
        return f"{here}. Nothing is promised for any two neighbours: {best.mechanism.label} is not private."
    allowed = risk_of(guarantee).average_of_hundred
    return f"{here}; for any two neighbours the {guarantee.called} allows {allowed} of 100."


def told(right: bool, best: bool | None, likelier: str) -> str:
    """After a guess; best: whether it was the best one, None where either is as good; likelier: what that is."""
    if best is None:
        return f"**{'Right' if right else 'Wrong'}**, by chance: either guess was as good."
    if best:
        return "**Right**, and the best guess." if right else "**Wrong**, by bad luck: it was the best guess."
    return f"**{'Right**, by luck' if right else 'Wrong**'}: the best guess was {likelier}."
