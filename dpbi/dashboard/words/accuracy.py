"""The sentences of the accuracy page: what varies, what is exact, who is nearest and where that changes."""

from collections.abc import Mapping, Sequence

from dpbi import Problem, PureDP
from dpbi.accuracy.axes import Axis, Value
from dpbi.accuracy.curves import SEARCHED, AccuracyCurve, Crossover, RequiredEpsilon, closer
from dpbi.accuracy.distance_law import DRAWS
from dpbi.accuracy.error import ExpectedError, Metric
from dpbi.accuracy.order import LEFT_OUT, Measured, foremost
from dpbi.dashboard.words import words
from dpbi.inference.noise_aware import Coverage
from dpbi.mechanisms import Mechanism, name_of
from dpbi.mechanisms.printed_bound import printed_bound

AXES = {
    "n": "Total count n",
    "epsilon": "epsilon",
    "strength": "Prior strength",
    "k": "Number of categories",
    "imbalance": "Imbalance of the data",
    "gamma": "gamma",
}
AT_THE_DATA, READ_NEAREST = "data", "nearest"
OVER = {
    AT_THE_DATA: "at these data",
    "prior": "on average under the prior",
    READ_NEAREST: "on average, read nearest",
}
AVERAGED = (
    "Shown is the mean Hellinger distance, averaged over the data that the public prior expects: no private count "
    "enters. The filled region is what no epsilon-DP mechanism that releases a candidate posterior can reach, where "
    "that is known. The prior and n are yours, but for what varies."
)
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
_CROSSOVERS_SAID = 8
_DECADE = 10.0
_HARDLY = 1.05  # a factor that is not worth a number
_DIGITS = 0.005  # the relative error that a factor of three digits may have


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
    parts = []
    if any(error.bounded for error in errors):
        parts.append(
            "For more than two categories the total variation is known between bounds only, H² ≤ TV ≤ H √(2 − H²): the "
            "bands are what is known, and their middle is no estimate."
        )
    if not sampled:
        parts.append(f"All {len(errors):,} points are exact: nothing is simulated.")
    else:
        names = words.listed(dict.fromkeys(name_of(error.mechanism) for error in sampled))
        parts.append(
            f"{len(errors) - len(sampled):,} of {len(errors):,} points are exact. The open marks are means of "
            f"{DRAWS:,} draws of a fixed stream, give or take two standard errors: {names}, where the outputs are too "
            "many to list."
        )
    return " ".join(parts)


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


def smallest_error(curves: Sequence[AccuracyCurve], own: Value | None) -> str:
    """Which proved mechanism has the smallest error: at the own value, and at both ends of the axis."""
    proved = [curve for curve in curves if _is_proved(curve)]
    if not proved:
        return "No ticked mechanism has a proved pure guarantee, so none is called the nearest."
    axis = proved[0].axis
    ends = [min(curve.values[0] for curve in proved), max(curve.values[-1] for curve in proved)]
    places = [value for value in (own, *ends) if value is not None]
    leaders: dict[str, list[str]] = {}
    for value in sorted(set(places)):
        name, said = _nearest_at(axis, value, proved)
        leaders.setdefault(name, []).append(said)
    parts = [f"{name} at {words.listed(said)}." for name, said in leaders.items() if name]
    others = [name_of(curve.mechanism) for curve in curves if not _is_proved(curve)]
    if others:
        parts.append(f"{words.listed(others)} {'has' if len(others) == 1 else 'have'} no proved pure guarantee, and so "
                     f"{'is' if len(others) == 1 else 'are'} left out here.")
    gain = _gain(proved) if axis.name in ("n", "epsilon") else ""
    return " ".join([*parts, gain]).strip()


def _is_proved(curve: AccuracyCurve) -> bool:
    return any(_proved(error.mechanism, error.problem) for error in curve.errors[:1])


def _nearest_at(axis: Axis, value: Value, curves: Sequence[AccuracyCurve]) -> tuple[str, str]:
    """Whose error, or upper bound, is the smallest at a value, "" where none is known yet; and the place with it."""
    here = [error for curve in curves if (error := curve.at(value)) is not None]
    if not here:
        return "", ""
    least = foremost(here, lambda error: Measured(error.high))[0]
    level = [error for error in here if closer(least, error) == 0]
    name, place = f"**{name_of(least.mechanism)}**", _place(axis, value)
    if len(curves) == 1:
        return f"{name} is shown alone, with its error", f"{place} ({_value(least)})"
    if least.bounded:
        others = [name_of(error.mechanism) for error in level if error is not least]
        undecided = f"; {words.listed(others)} cannot be told apart from it" if others else ""
        return f"{name} has the lowest upper bound", f"{place} ({_value(least)}{undecided})"
    names = words.listed(f"**{name_of(error.mechanism)}**" for error in level)
    values = words.listed(dict.fromkeys(map(_value, level)))
    if len(level) == 1:
        return f"{name} has the smallest error", f"{place} ({values})"
    if all(error.exact for error in level) and len({_value(error) for error in level}) == 1:
        return f"{names} have the same, smallest error", f"{place} ({values})"
    return f"{names} have the smallest error, too close to tell apart,", f"{place} ({values})"


def _value(error: ExpectedError) -> str:
    if error.bounded:
        return f"between {words.number(error.low)} and {words.number(error.high)}"
    return words.measured(error.upper)


def _place(axis: Axis, value: Value) -> str:
    return f"{axis.symbol} = {words.number(value)}"


def _gain(curves: Sequence[AccuracyCurve]) -> str:
    """What the last factor of ten on the axis does to each error that is known well enough to say so."""
    axis, end = curves[0].axis, curves[0].values[-1]
    start = end / _DECADE
    falls: dict[str, list[str]] = {}
    stays = []
    for curve in curves:
        last, before = curve.at(end), curve.at(start)
        if not last or not before or last.bounded or last.high <= 0:
            continue
        if any(error.upper.margin + LEFT_OUT > _DIGITS * error.high for error in (last, before)):
            continue
        factor = before.high / last.high
        if factor > _HARDLY:
            falls.setdefault(words.number(float(f"{factor:.3g}")), []).append(name_of(curve.mechanism))
        elif factor > 1 / _HARDLY:
            stays.append(name_of(curve.mechanism))
    each = [f"by {factor} for {words.listed(names)}" for factor, names in falls.items()]
    parts = [f"is divided {'; '.join(each)}"] if each else []
    parts += [f"hardly changes for {words.listed(stays)}"] if stays else []
    if not parts:
        return ""
    return f"From {axis.symbol} = {words.number(start)} to {words.number(end)} the error {', and it '.join(parts)}."


def crossovers(found: Sequence[Crossover] | None, problem: Problem) -> str:
    """The first crossovers among proved mechanisms, then how many more there are; None: they were not all sought."""
    if not found:
        return NOT_LOOKED_FOR if found is None else NOTHING_CROSSES
    proved = [one for one in found if _proved(one.ahead, problem) and _proved(one.behind, problem)]
    lines = [f"- {_crossover(one)}" for one in proved[:_CROSSOVERS_SAID]]
    more = len(found) - len(lines)
    if more:
        lines.append(f"- {more} more {'is' if more == 1 else 'are'} in the table.")
    return "\n".join(lines)


def _proved(mechanism: Mechanism, problem: Problem) -> bool:
    # Not of the calibrated kind: a calibration is known at its own prior and n alone, and only there are both shown.
    promised = mechanism.guarantee(problem.prior, problem.n)
    return isinstance(promised, PureDP) and promised.is_private


def _crossover(one: Crossover) -> str:
    names = f"**{name_of(one.ahead)}** overtakes {name_of(one.behind)}"
    if one.exact:
        return f"{names} from {one.axis.symbol} = {words.number(one.value)} on."
    before, value = words.number(one.before), words.number(one.value)
    if before == value:
        return f"{names} at about {one.axis.symbol} = {value}."
    return f"{names} between {one.axis.symbol} = {before} and {value}."


def required(found: Sequence[RequiredEpsilon]) -> str:
    """Who needs the smallest epsilon, and whose error does not always fall."""
    least = min(found, key=lambda one: one.epsilon)
    enough = printed_bound(least.epsilon)
    names = [f"**{name_of(one.mechanism)}**" for one in found if printed_bound(one.epsilon) == enough]
    needs = f"need{'s' if len(names) == 1 else ''} {'the smallest' if len(found) > 1 else 'an'} epsilon"
    parts = [
        f"{words.listed(names)} {needs} for a mean distance of {words.number(least.wanted)}: "
        f"{enough}."
    ]
    rising = [name_of(one.mechanism) for one in found if not one.monotone]
    if rising:
        parts.append(
            f"The mean distance of {words.listed(rising)} does not always fall as epsilon grows: with a larger epsilon "
            "than the one named it can be larger again, and between the epsilons looked at a smaller one may do."
        )
    drawn = [name_of(one.mechanism) for one in found if not one.mean.exact]
    if drawn:
        parts.append(f"The mean of {words.listed(drawn)} comes from {DRAWS:,} draws: its epsilon is approximate.")
    return " ".join(parts)


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
