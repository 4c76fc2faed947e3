"""The sentences about the limit of privacy and about means over the data that the public prior expects."""

from collections.abc import Mapping, Sequence

from dpbi import (
    ApproximateDP,
    ExpectedDistance,
    LimitComparison,
    Mechanism,
    PrivacyLimit,
    PureDP,
    name_of,
    printed_bound,
)
from dpbi.accuracy.order import LEFT_OUT, Measured, foremost, lead, rising
from dpbi.dashboard.words import words
from dpbi.mechanisms.printed_number import at_least, error

_DIGITS = 1e-4
PUBLIC = (
    "These are averages over the data that the public prior expects. No private count enters them, so they may be used "
    "to choose."
)


def limit(found: PrivacyLimit) -> str:
    """What the limit is here, or why it is not known."""
    if found.value is None:
        bounds = "" if found.lower is None or found.upper is None else (
            f" It lies between {at_least(found.lower)} and {printed_bound(found.upper, 4)}.")
        return f"How near any epsilon-DP mechanism could come is not known here. {found.reason}{bounds}"
    if not found.value:
        return (f"The least mean distance of a {printed_bound(found.epsilon)}-DP mechanism is not 0, but too small for "
                "a number here.")
    least, more = found.value if found.lower is None else found.lower, ""
    if found.error > 1e-3 * found.value:
        if found.kind == "linear programme" and found.upper is not None:
            more = f", and there is one with {printed_bound(found.upper, 4)}"
        else:
            least, more = found.value, f" (give or take {error(found.error)}, an estimate)"
    return (
        f"On average over the data that the public prior expects, no {printed_bound(found.epsilon)}-DP mechanism that "
        f"releases a candidate posterior can have a mean distance below {at_least(least)}{more}."
    )


def times(found: LimitComparison, ticked: Sequence[Mechanism]) -> str:
    """The limit, how many times it every ticked mechanism is off, and which other one is nearer."""
    ratios = {one: ratio for one in ticked if (ratio := found.times_limit(one)) is not None}
    parts = [limit(found.limit), *(_undercut(found, one) for one in ticked if found.undercuts(one))]
    if ratios:
        shown = [f"{name_of(one)} {_ratio(ratios[one])}" for one in rising(ratios, ratios.__getitem__)]
        sampled = any(map(_is_shown, ratios.values()))
        drawn = ", from draws, give or take two standard errors" if sampled else ""
        parts.append(f"Times that limit{drawn}: {words.listed(shown)}.")
    return " ".join(parts) + _say_nearer(found.ranked(), ticked)


def _undercut(found: LimitComparison, mechanism: Mechanism) -> str:
    """The sentence for a mean that cannot be."""
    one = found.of(mechanism)
    computed = "" if one is None else f" {mean(one)}"
    return (f"**{name_of(mechanism)}**: the mean{computed} that was computed lies below that limit, which cannot be. "
            "One of the two is wrong, and they are not compared.")


def _say_nearer(ranked: Sequence[ExpectedDistance], ticked: Sequence[Mechanism]) -> str:
    """The sentence for what is not ticked and nearer than all that is; empty where there is nothing."""
    other = next((one for one in ranked if one.mechanism in ticked), None)
    best = [one for one in foremost([one for one in ranked if one.mechanism not in ticked], lambda one: one.measured)
            if other and lead(one.measured, other.measured) > 0]
    if not best or not other:
        return ""
    names = words.listed(f"**{name_of(one.mechanism)}**" for one in best)
    are = "is" if len(best) == 1 else "are"
    return (
        f" {names}, which {are} not chosen, {are} nearer than {name_of(other.mechanism)} on average under the prior: "
        f"{words.listed(dict.fromkeys(map(mean, best)))} against {mean(other)}."
    )


def ranking(means: Sequence[ExpectedDistance], ticked: Sequence[Mechanism]) -> str:
    """Which of the ticked private mechanisms is nearest on average, by how much, and what is not known of that.

    means: of ticked ones and others, all private.
    """
    order = rising(means, lambda one: one.measured)
    here = [one for one in order if one.mechanism in ticked]
    unknown = [name_of(one) for one in ticked if one not in {found.mechanism for found in here}]
    missing = f" Not known of {words.listed(unknown)}: cancelled, or too many records to average." if unknown else ""
    if not here:
        return f"Which private mechanism is nearest to the truth on average is not known here.{missing}"
    level = foremost(here, lambda one: one.measured)
    named = words.listed(f"**{name_of(one.mechanism)}** ({mean(one)})" for one in level)
    said = f"Nearest to the truth is {named}, by mean distance"
    if len(level) > 1:
        said = f"Nearest to the truth are {named}, too close to tell apart by mean distance"
    farther = words.listed(f"{name_of(one.mechanism)} ({_times(one, level[0])})" for one in here if one not in level)
    said += f"; farther off: {farther}" if farther else ""
    return f"{said}.{_say_nearer(order, ticked)}{missing}{_say_larger(here)} {PUBLIC}"


def _times(far: ExpectedDistance, near: ExpectedDistance) -> str:
    """How many times as far off; as a mean where that is hardly more."""
    if far.mean < 1.005 * near.mean or near.mean <= LEFT_OUT:
        return mean(far)
    return f"{_ratio(far.measured.over(near.measured))} times"


def _say_larger(means: Sequence[ExpectedDistance]) -> str:
    """The sentence for mechanisms that promise less privacy than the others; empty where there is none."""
    promised = {name_of(one.mechanism): one.mechanism.guarantee(one.prior, one.n) for one in means}
    larger = [f"{name} promises {one.words}" for name, one in promised.items()
              if isinstance(one, ApproximateDP)
              or (isinstance(one, PureDP) and one.epsilon > means[0].mechanism.epsilon * (1 + 1e-9))]
    return f" Compared with a delta or at a larger epsilon: {words.listed(larger)}." if larger else ""


def readings(found: Mapping[Mechanism, tuple[Measured, Measured, Measured]]) -> str:
    """Which reading is for what, with the mean distances under the prior of naive, nearest and noise-aware."""
    parts = [words.WHICH_READING]
    if found:
        listed = [f"{name_of(one)} {' / '.join(map(words.measured, means))}" for one, means in found.items()]
        parts.append(
            f"Mean distance from the true posterior over the data that the public prior expects, naive / nearest / "
            f"noise-aware: {'; '.join(listed)}."
        )
        farther = [name_of(one) for one, (naive, _, aware) in found.items() if lead(naive, aware) > 0]
        if farther:
            parts.append(f"The noise-aware posterior covers rightly, and lies farther off in that mean than the naive "
                         f"one for {words.listed(farther)}.")
    else:
        parts.append(
            "The noise-aware posterior covers rightly, and usually lies farther from the true one in mean distance."
        )
    return " ".join(parts)


def mean(found: ExpectedDistance) -> str:
    """The mean with its error; none is called 0."""
    if not found.mean and found.measured.exact and found.n:
        return f"below {LEFT_OUT:g}"
    return words.measured(found.measured)


def _ratio(found: Measured) -> str:
    shown = f"{found.value:.2f}" if found.value < 100 else words.number(found.value)
    return f"{shown} ± {error(found.margin)}" if _is_shown(found) else shown


def _is_shown(ratio: Measured) -> bool:
    """Whether the error reaches the digits of the ratio that are shown."""
    return ratio.margin > max(0.005, _DIGITS * ratio.value)
