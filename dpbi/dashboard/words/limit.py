"""The sentences about the limit of privacy and about means over the data that the public prior expects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dpbi.accuracy.optimum import PrivacyLimit
from dpbi.dashboard.words import words
from dpbi.inference.limit_comparison import LimitComparison, surely_nearer
from dpbi.inference.prior_average import ExpectedDistance
from dpbi.mechanisms import Mechanism, name_of
from dpbi.mechanisms.printed_bound import printed_bound

COLUMN = "× limit"
MEANING = (
    "Mean H over the data that the public prior expects, divided by the least that any epsilon-DP mechanism releasing "
    "a candidate posterior can have: 1 is as near as privacy allows. No private count enters. Where it comes from "
    "draws, the sentence above the table has its error."
)
NOT_BOUND = (
    "A dash: the mechanism is not proved to be epsilon-DP for this epsilon, so the limit does not bind it; or there "
    "are too many records to average it here."
)
_SHOWN_ERROR = 0.005
PUBLIC = (
    "These are averages over the data that the public prior expects. No private count enters them, so they may be used "
    "to choose."
)


def limit(found: PrivacyLimit) -> str:
    """What the limit is here, or why it is not known."""
    if found.value is None:
        bounds = "" if found.lower is None or found.upper is None else (
            f" It lies between {words.number(found.lower)} and {words.number(found.upper)}.")
        return f"How near any epsilon-DP mechanism could come is not known here. {found.reason}{bounds}"
    error = f" (give or take {words.number(found.error)})" if found.error > 1e-3 * found.value else ""
    return (
        f"On average over the data that the public prior expects, no {printed_bound(found.epsilon)}-DP mechanism that "
        f"releases a candidate posterior can have a mean distance below {words.number(found.value)}{error}."
    )


def times(found: LimitComparison, ticked: Sequence[Mechanism]) -> str:
    """The limit, how many times it every ticked mechanism is off, and which other one is nearer."""
    ratios = {one: ratio for one in ticked if (ratio := found.times_limit(one)) is not None}
    parts = [limit(found.limit)]
    if ratios:
        errors = {one: 2 * found.error_of_times(one) for one in ratios}
        shown = [f"{name_of(one)} {_ratio(ratios[one], errors[one])}" for one in sorted(ratios, key=ratios.__getitem__)]
        drawn = ", from draws, give or take two standard errors" if max(errors.values()) > _SHOWN_ERROR else ""
        parts.append(f"Times that limit{drawn}: {words.listed(shown)}.")
    nearer = _nearer(found, ticked)
    if nearer:
        best, other = nearer
        parts.append(
            f"**{name_of(best.mechanism)}**, which is not ticked, is nearer than {name_of(other.mechanism)} on that "
            f"average: {mean(best)} against {mean(other)}."
        )
    return " ".join(parts)


def _nearer(found: LimitComparison, ticked: Sequence[Mechanism]) -> tuple[ExpectedDistance, ExpectedDistance] | None:
    """Of those whose mean is known, the nearest that is not ticked and the nearest that is, if the first is ahead."""
    private = found.ranked()
    best = next((one for one in private if one.mechanism not in ticked), None)
    other = next((one for one in private if one.mechanism in ticked), None)
    return (best, other) if best and other and surely_nearer(best, other) else None


def ranking(found: LimitComparison) -> str:
    """Which of all mechanisms is nearest on average under the prior, and by how much."""
    means = found.ranked()
    if not means:
        return "No mechanism is proved to be epsilon-DP here."
    first, *others = means
    behind = [one for one in others if surely_nearer(first, one)]
    level = [one for one in others if one not in behind]
    parts = [f"Nearest on average under the public prior: **{name_of(first.mechanism)}**, mean distance {mean(first)}."]
    if level:
        parts.append(f"No farther, as far as this tells: {words.listed(_with_mean(one) for one in level)}.")
    if behind:
        times = [f"{_with_mean(one)}, {_ratio(one.mean / first.mean, 0.0)} times" for one in behind]
        parts.append(f"Farther: {'; '.join(times)}.")
    return " ".join([*parts, limit(found.limit), PUBLIC])


def _with_mean(found: ExpectedDistance) -> str:
    return f"{name_of(found.mechanism)} {mean(found)}"


def readings(found: Mapping[Mechanism, tuple[float, float, float]]) -> str:
    """Which reading is for what, with the mean distances under the prior of naive, nearest and noise-aware."""
    parts = [words.WHICH_READING]
    if found:
        listed = [f"{name_of(one)} {' / '.join(map(words.number, means))}" for one, means in found.items()]
        parts.append(
            f"Mean distance from the true posterior over the data that the public prior expects, naive / nearest / "
            f"noise-aware: {'; '.join(listed)}."
        )
        farther = [name_of(one) for one, (naive, _, aware) in found.items() if aware > naive]
        if farther:
            parts.append(f"The noise-aware posterior covers rightly, and lies farther off in that mean than the naive "
                         f"one for {words.listed(farther)}.")
    else:
        parts.append(
            "The noise-aware posterior covers rightly, and usually lies farther from the true one in mean distance."
        )
    return " ".join(parts)


def mean(found: ExpectedDistance) -> str:
    """The mean, with two standard errors where it is from draws."""
    return words.number(found.mean) + (f" ± {words.number(2 * found.error)}" if found.error else "")


def why_missing(found: LimitComparison) -> str:
    """What a dash in the column stands for."""
    return f"{MEANING} {NOT_BOUND if found.limit.value is not None else limit(found.limit)}"


def _ratio(value: float, error: float) -> str:
    shown = f"{value:.2f}" if value < 100 else words.number(value)
    return f"{shown} ± {words.number(error)}" if error > _SHOWN_ERROR else shown
