"""The sentences about the law of the distance."""

from collections.abc import Sequence

from dpbi import Comparison, name_of
from dpbi.accuracy.distance_law import DRAWS
from dpbi.mechanisms.printed_number import listed, number

LOCAL_SENSITIVITY = (
    "LS(x), the local sensitivity, is how far one replaced record can move the true posterior. A release that stays "
    "within it is as near the truth as the posterior of a neighbouring dataset."
)
WITHIN = "A Hellinger distance from 0 to 1. The table below tells how probable a release within it is."


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
