"""The sentences of the accuracy page: what varies, what is exact, who is nearest and where that changes."""

from collections.abc import Mapping, Sequence

from dpbi import LargeSampleError, Mechanism, PureDP, name_of, printed_bound
from dpbi.accuracy.axes import AXES, Axis, Value
from dpbi.accuracy.curves import SEARCHED, AccuracyCurve, RequiredEpsilon, closer
from dpbi.accuracy.distance_law import DRAWS
from dpbi.accuracy.error import ExpectedError, Metric
from dpbi.accuracy.order import Measured, foremost
from dpbi.dashboard.words import words
from dpbi.inference.noise_aware import Coverage

AT_THE_DATA, READ_NEAREST = "data", "nearest"
OVER = {
    AT_THE_DATA: "at these data",
    "prior": "on average under the prior",
    READ_NEAREST: "on average, read nearest",
}
AVERAGED = (
    "Shown is the mean Hellinger distance, averaged over the data that the public prior expects: no private count "
    "enters. The prior and n are yours, but for what varies."
)
LIMITED = (
    " The filled region is what no epsilon-DP mechanism that releases a candidate posterior can reach, where that is "
    "known."
)
BESIDE_EPSILON = [one.name for one in AXES if one.name != "epsilon"]  # along which epsilon stays as it is
FURTHER = "Up to three further epsilons, separated by commas: every mechanism is drawn at each of them too, as it is."
METRICS: dict[Metric, str] = {
    "hellinger": "Hellinger distance",
    "l1": "L1 of the counts",
    "variation": "Total variation",
}
_MEANINGS: dict[Metric, str] = {
    "hellinger": "the mean Hellinger distance H between the true and the released posterior, from 0 to 1",
    "l1": "the mean sum of the absolute errors of the released counts, in records",
    "variation": "the mean total variation distance of the two posteriors: by how much the probability of any "
    "statement about the proportions can be off",
}
CROSSOVERS = (
    "Where two mechanisms change places between two computed points, more points are computed until the place is "
    "found. Where both errors are exact and whole numbers vary, the value named is exact: one before it the old order "
    "holds, there the new one does, and at the next few values too. Two changes between neighbouring points go unseen."
)
REQUIRED = (
    "The other way round: the smallest epsilon with which a mechanism's mean Hellinger distance is at most the wanted "
    f"one, for these data and this prior. Epsilons from {SEARCHED[0]:g} to {SEARCHED[1]:,g} are searched."
)
WANTED = "A mean Hellinger distance between 0 and 1, neither included."
COVERAGE = (
    "Draw a proportion from the prior, data from that proportion, and a release from those data: how often does the "
    "released posterior's 95 % interval hold the proportion? **Naive** takes the noisy counts for the true ones; "
    "**noise-aware** applies Bayes' rule to the noise too, which costs no privacy. The shares are averages over the "
    "prior, so no count of yours enters, and they are exact. θ₁ is the proportion of the first category."
)
NOTHING_CROSSES = "No two mechanisms are seen to change places at the computed points."
NOT_LOOKED_FOR = "Cancelled before all crossings were found."


def why_no_coverage(k: int, n: int, largest: int) -> str:
    """The sentence that refuses the coverage, "" where it can be had."""
    if k != 2:
        return f"The coverage is computed for k = 2 categories only: here k is {k:,}."
    return "" if n <= largest else (
        f"The coverage takes every pair of counts and releases into account, and is computed here for n up to "
        f"{largest:,} only: n is {n:,}."
    )


def varying(axis: Axis, metric: Metric, mechanisms: Sequence[Mechanism]) -> str:
    """What the chart shows, what each value of the axis stands for, and what becomes of calibrated mechanisms."""
    dropped = not axis.keeps_calibration and any(one.calibration for one in mechanisms)
    calibrated = " Mechanisms as they are: a calibration holds for one rule, prior and n only." if dropped else ""
    return f"Shown is {_MEANINGS[metric]}. {axis.kept}{calibrated}"


def how_found(curves: Sequence[AccuracyCurve]) -> str:
    """How many points are exact, and what stands beside those that are not."""
    errors = [error for curve in curves for error in curve.errors]
    sampled = [error for error in errors if not error.exact]
    bounds = "" if not any(error.bounded for error in errors) else (
        "For more than two categories the total variation is known between bounds only, H² ≤ TV ≤ H √(2 − H²): the "
        "bands are what is known, and their middle is no estimate. "
    )
    if not sampled:
        return f"{bounds}All {len(errors):,} points are exact: nothing is simulated."
    names = words.listed(dict.fromkeys(name_of(error.mechanism) for error in sampled))
    return (
        f"{bounds}{len(errors) - len(sampled):,} of {len(errors):,} points are exact. The open marks are means of "
        f"{DRAWS:,} draws of a fixed stream, give or take two standard errors: {names}, where the outputs are too "
        "many to list."
    )


def towards(many: Sequence[LargeSampleError]) -> str:
    """What the finely dotted lines say, "" where there are none."""
    numbers = [f"{name_of(one.mechanism)} {words.number(one.value)}" for one in many]
    return "" if not many else (
        f" As n grows at these shares, √(8n) times the mean tends to {words.listed(numbers)}, whatever the prior: a "
        "theorem, drawn as fine dots. It does not say from which n on they are near."
    )


def can_be_averaged(axis: str, metric: str) -> bool:
    """Of the imbalance, what varies is private."""
    return metric == "hellinger" and axis != "imbalance"


def how_averaged(curves: Sequence[AccuracyCurve], choice_largest: int) -> str:
    """How many averages are exact."""
    errors = [error for curve in curves for error in curve.errors]
    exact = sum(error.exact for error in errors)
    drawn = "" if exact == len(errors) else (
        " The open marks are over data and releases drawn from a fixed stream, give or take two standard errors, or "
        "interpolated between exact ones.")
    return (
        f"{exact:,} of {len(errors):,} points are exact.{drawn} Choosing among candidates is averaged up to "
        f"n = {choice_largest:,}."
    )


def points_kept(shown: int, every: int) -> str:
    """How many of the points are in sight."""
    return f"On screen: the {shown:,} points here, of {every:,}. The CSV holds all."


def smallest_error(curves: Sequence[AccuracyCurve], own: Value | None) -> str:
    """Which proved mechanisms have the smallest error, or upper bound: at the own value, and at both ends of the axis.

    Of several epsilons those of the first are compared: a larger one is nearer anyway.
    """
    epsilon = curves[0].mechanism.epsilon
    apart = any(curve.mechanism.epsilon != epsilon for curve in curves)
    curves = [curve for curve in curves if curve.mechanism.epsilon == epsilon]
    proved = [curve for curve in curves if _is_proved(curve)]
    if not proved:
        return "No chosen mechanism has a proved pure guarantee, so none is called the nearest."
    ends = [min(curve.values[0] for curve in proved), max(curve.values[-1] for curve in proved)]
    places = sorted({value for value in (own, *ends) if value is not None})
    least = {value: found for value in places if (found := _least(value, proved))}
    what = "upper bound" if any(error.bounded for found in least.values() for error in found) else "error"
    each: dict[str, list[str]] = {}
    for value, found in least.items():
        at = words.listed(dict.fromkeys(map(_value, found)))
        each.setdefault(_names(found), []).append(f"{proved[0].axis.symbol} = {words.number(value)} ({at})")
    among = f" at epsilon = {printed_bound(epsilon)}" if apart else ""
    smallest = f"Smallest {what}{among} of those" if len(proved) > 1 else f"{what.capitalize()}{among} of the one"
    named = "; ".join(f"{names} at {words.listed(at)}" for names, at in each.items())
    others = words.listed(name_of(curve.mechanism) for curve in curves if not _is_proved(curve))
    return " ".join(filter(None, (
        named and f"{smallest} with a proved pure guarantee: {named}.",
        others and f"Without a proved pure guarantee, and so left out here: {others}.",
    )))  # fmt: skip


def _is_proved(curve: AccuracyCurve) -> bool:
    # A calibration is known at its own prior and n alone: where such curves are shown, prior and n are these.
    error = curve.errors[0]
    promised = error.mechanism.guarantee(error.problem.prior, error.problem.n)
    return isinstance(promised, PureDP) and promised.is_private


def _least(value: Value, curves: Sequence[AccuracyCurve]) -> list[ExpectedError]:
    """Those that no other is surely below at a value, by upper bounds where bounds are all that is known."""
    here = [error for curve in curves if (error := curve.at(value)) is not None]
    if not here:
        return []
    first = foremost(here, lambda error: Measured(error.high))[0]
    return [error for error in here if closer(first, error) == 0]


def _names(level: Sequence[ExpectedError]) -> str:
    names = words.listed(f"**{name_of(error.mechanism)}**" for error in level)
    alike = len(level) == 1 or (all(error.exact for error in level) and len(set(map(_value, level))) == 1)
    return names if alike else f"{names}, too close to tell apart,"


def _value(error: ExpectedError) -> str:
    if error.bounded:
        return f"between {words.number(error.low)} and {words.number(error.high)}"
    return words.measured(error.upper)


def required(found: Sequence[RequiredEpsilon]) -> str:
    """Whose error does not always fall, and whose epsilon is approximate."""
    rising = words.listed(name_of(one.mechanism) for one in found if not one.monotone)
    drawn = words.listed(name_of(one.mechanism) for one in found if not one.mean.exact)
    return " ".join(filter(None, (
        rising and f"The mean distance of {rising} does not always fall as epsilon grows: with a larger epsilon than "
        "the one named it can be larger again, and between the epsilons looked at a smaller one may do.",
        drawn and f"The mean of {drawn} comes from {DRAWS:,} draws: its epsilon is approximate.",
    )))  # fmt: skip


def coverage(found: Mapping[Mechanism, Sequence[tuple[float, Coverage]]], epsilon: float, n: int) -> str:
    """How far the naive intervals are from what they promise at the person's epsilon, and what honesty costs."""
    said = []
    for mechanism, points in found.items():
        here = next((one for at, one in points if at == epsilon), None)
        if here is not None:
            wider = words.number(here.noise_aware_width / here.naive_width)
            width = "as wide" if wider == "1" else f"{wider} times as wide"
            said.append(
                f"{name_of(mechanism)} {100 * here.naive:.3g} % (its noise-aware ones hold "
                f"{100 * here.noise_aware:.3g} % and are {width})"
            )
    if not said:
        return ""
    return (
        f"With k = 2 categories, n = {n:,} and epsilon = {printed_bound(epsilon)}, the naive 95 % intervals hold θ₁ "
        f"in: {'; '.join(said)}."
    )
