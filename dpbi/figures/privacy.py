"""What is stated against what is lost, exactly: bars, the laws that attain it, curves, and what calibration buys."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpbi import ApproximateDP, NotPrivate, PrivacyLoss, printed_bound
from dpbi.figures.style import (
    FONT_SIZE,
    REFERENCE,
    SCALE,
    Drawing,
    Figure,
    Style,
    add_curve,
    base_layout,
    category_labels,
    compact,
    leading,
    log_axis,
    mark_level,
    mark_place,
    mechanism_labels,
    number,
    percent,
    style_of,
)
from dpbi.privacy.curves import AttainingLaws, CalibrationGain
from dpbi.privacy.guessing import GuessingRisk, trade_off
from dpbi.privacy.verdict import Profile, Verdict, exceeds_stated

FLOOR = 1e-12  # below this a logarithmic axis draws nothing, and says so
_ROW = 62
_POINTS = 160
_FALSE_ALARMS = 101
_MARKED = 60  # a curve of more points is a line without markers
_RATIO_SAID = 30.0  # a larger loss is not written out as a factor
_COUNTS_SAID = 12  # counts of more categories are not read out
_SMALL = "font-size:0.85em"


def stated_and_exact(verdicts: Sequence[Verdict]) -> Figure:
    """A bar per mechanism: the exact loss, what of the stated epsilon is unused, and what exceeds it.

    verdicts: of one prior and n, one per mechanism; each bar is named with the basis of the guarantee.
    """
    labels = mechanism_labels([one.loss.mechanism for one in verdicts])
    rows = [f'{label}<br><span style="{_SMALL}">{_basis(one)}</span>'
            for label, one in zip(labels, verdicts, strict=True)]  # fmt: skip
    loss = np.array([one.loss.epsilon for one in verdicts])
    exact = [printed_bound(value) for value in loss]
    stated = np.array([one.stated for one in verdicts])
    longest = max(_finite([*loss, *stated]))
    drawn = np.where(np.isinf(loss), 1.25 * longest, loss)
    end = float(max(longest, drawn.max()))
    beyond = np.array([one.exceeds for one in verdicts])
    styles = [style_of(one.loss.mechanism) for one in verdicts]
    fig = Drawing()
    parts = (
        ("exact loss", np.where(beyond, stated, drawn), "", 1.0),
        ("unused", np.where(beyond, 0.0, np.maximum(stated - drawn, 0)), "/", 0.35),
        ("beyond epsilon", np.where(beyond, drawn - stated, 0.0), "x", 1.0),
    )
    for name, values, pattern, opacity in parts:
        if not values.any():
            continue
        fig.add_bar(
            x=compact(values), y=rows, orientation="h", name=name, customdata=exact,
            marker={"color": [style.faded(opacity) for style in styles],
                    "pattern": {"shape": pattern, "fillmode": "overlay"}},
            hovertemplate="exact loss %{customdata}",
        )  # fmt: skip
    fig.add_scatter(
        x=compact(np.maximum(drawn, stated)), y=rows, mode="text", text=[f" {_share(one)}" for one in verdicts],
        textposition="middle right", textfont={"size": FONT_SIZE - 1, "color": REFERENCE.colour}, showlegend=False,
        hoverinfo="skip", cliponaxis=False,
    )  # fmt: skip
    if np.ptp(stated) == 0:
        mark_place(fig, float(stated[0]), _stated(stated[0]))
    losses = ", ".join(f"{label} {printed_bound(one.loss.epsilon)} of {printed_bound(one.stated)} ({_basis(one)})"
                       for label, one in zip(labels, verdicts, strict=True))  # fmt: skip
    return base_layout(
        fig, _verdict_words(verdicts, labels), alt="Bars of the exact privacy loss against the stated epsilon",
        values=f"Exact losses: {losses}", x={"title_text": "Privacy loss", "range": [0, end], "domain": [0, 0.7]},
        notes=["Cut short: the bar of an infinite loss." if np.isinf(loss).any() else ""],
        y={"autorange": "reversed", "ticktext": rows, "tickvals": rows}, height=40 + _ROW * len(rows), headroom=20,
        barmode="stack", legend={"traceorder": "normal"},
    )  # fmt: skip


def _basis(one: Verdict) -> str:
    return "not private" if isinstance(one.guarantee, NotPrivate) else one.guarantee.basis


def _share(one: Verdict) -> str:
    if one.exceeds:
        return f"{printed_bound(one.loss.epsilon)}, {one.said}"
    return "all used" if one.unused < 5e-4 else f"{percent(one.unused)} unused"


def _verdict_words(verdicts: Sequence[Verdict], labels: Sequence[str]) -> str:
    broken = [i for i, one in enumerate(verdicts) if one.exceeds]
    if broken:
        said = ", ".join(f"{labels[i]} loses {printed_bound(verdicts[i].loss.epsilon)}"
                         + ("" if verdicts[i].accused else " and keeps its delta") for i in broken)
        return f"Beyond the stated epsilon of {printed_bound(verdicts[broken[0]].stated)}: {said}"
    idle = int(np.argmax([one.unused for one in verdicts]))
    if verdicts[idle].unused < 5e-4:
        return "All of the stated epsilon is spent, and no more"
    if len(verdicts) == 1:
        return f"{labels[0]} leaves {percent(verdicts[0].unused)} of the stated epsilon unused"
    leaves = leading(labels, [one.unused for one in verdicts], verdicts[idle].unused, ("leaves", "leave"))
    return f"None loses more than is stated; {leaves} most unused, {percent(verdicts[idle].unused)}"


def attaining(laws: AttainingLaws, labels: Sequence[str] | None = None) -> Figure:
    """The laws of one released count under the two neighbouring datasets whose ratio is the loss.

    laws: from ``loss_curves.attaining_laws``; labels: of the categories. Probabilities on a logarithmic axis; those
    below the floor are not drawn, which the figure says.
    """
    loss, k = laws.loss, len(laws.loss.counts)
    style, (name,) = style_of(loss.mechanism), mechanism_labels([loss.mechanism])
    category, output = category_labels(k, labels)[laws.category], loss.released[laws.category]
    at = int(np.searchsorted(laws.released, output))
    attained = np.array([law[at] for law in (laws.here, laws.there)])
    floor = min(FLOOR, float(attained[attained > 0].min(initial=1.0)) / 3)
    drawn = _thinned_around(laws, floor, at)
    fig = Drawing()
    held = [counts[laws.category] for counts in (loss.counts, loss.neighbour)]
    curves = (
        (laws.here, f"counted {held[0]:,}", Style(style.colour, "solid", style.symbol)),
        (laws.there, f"the neighbour, counted {held[1]:,}", Style(REFERENCE.colour, "dash", "circle")),
    )
    shown = [np.where(law >= floor, law, np.nan)[drawn] for law, *_ in curves]
    for (_, said, look), values in zip(curves, shown, strict=True):
        _add_curve(fig, look, said, laws.released[drawn], values, "%{x:,}: %{y:.3g}")
    fig.add_scatter(
        x=compact(np.full(2, output)), y=compact(np.where(attained >= floor, attained, np.nan)),
        mode="lines+markers", name=f"the output that attains it: {output:,}", hoverinfo="skip",
        line={"color": style.colour, "width": 2, "dash": "dot"},
        marker={"symbol": "circle-open", "size": 16, "color": style.colour, "line": {"width": 3}},
    )  # fmt: skip
    every = np.concatenate([[1.0], *shown])
    ratio = number(float(np.exp(min(loss.epsilon, _RATIO_SAID))))
    times = ratio if loss.epsilon < _RATIO_SAID and ratio != "1" else f"e^{printed_bound(loss.epsilon)}"
    said = ("one dataset can give this release, its neighbour never" if math.isinf(loss.epsilon) else
            f"one release is {times} times as probable under one dataset as under its neighbour")
    hidden = min(law.min() for law, *_ in curves) < floor
    return base_layout(
        fig, f"{name}: {said}",
        alt=f"Two output laws of {name}, of neighbouring datasets",
        values=f"The datasets: {loss.counts} and {loss.neighbour}" if k <= _COUNTS_SAID else "",
        notes=[f"Not drawn: probabilities below {number(floor)}, or 0." if hidden else "",
               f"Seen through {category} alone; the title is about the whole release." if k > 2 else ""],
        x={"title_text": f"Released count of {category}"},
        y={"title_text": "Probability", **log_axis(np.nanmin(every), 1.0)},
    )  # fmt: skip


def _thinned_around(laws: AttainingLaws, floor: float, at: int) -> NDArray[np.int64]:
    """Places from the first to the last value that is drawn, about 160 of them, with the attaining output's."""
    seen = np.flatnonzero((laws.here >= floor) | (laws.there >= floor))
    low, high = (int(seen[0]), int(seen[-1])) if seen.size else (at, at)
    return np.unique(np.append(np.linspace(low, high, min(_POINTS, high - low + 1)).round().astype(np.int64), at))


def against_size(curves: Sequence[Sequence[PrivacyLoss]]) -> Figure:
    """The exact loss against the total count n, the prior fixed, with the stated epsilon as a line.

    curves: one per mechanism, each from ``loss_curves.loss_against_size`` with rising n.
    """
    labels = mechanism_labels([curve[0].mechanism for curve in curves])
    fig = Drawing()
    for curve, label in zip(curves, labels, strict=True):
        _add_curve(fig, style_of(curve[0].mechanism), label, [one.n for one in curve], [one.epsilon for one in curve],
                   "n = %{x:,}: %{y:.4g}")
    epsilon, sizes = curves[0][0].mechanism.epsilon, [one.n for one in curves[0]]
    mark_level(fig, epsilon, _stated(epsilon))
    every = [one.epsilon for curve in curves for one in curve]
    most = [max(one.epsilon for one in curve) * (1 - 1e-9) for curve in curves]  # of equals the smallest n is named
    worst = [next(one for one in curve if one.epsilon >= least) for curve, least in zip(curves, most, strict=True)]
    losses = ", ".join(f"{label} {printed_bound(one.epsilon)} at n = {one.n:,}"
                       for label, one in zip(labels, worst, strict=True))  # fmt: skip
    return base_layout(
        fig, _size_words(worst, [curve[-1] for curve in curves], labels),
        alt="Line chart of the exact loss against the size of the data", values=f"Largest losses: {losses}",
        notes=["Not drawn: infinite losses." if math.inf in every else ""],
        x={"title_text": "Total count n", **log_axis(min(sizes), max(sizes))},
        y={"title_text": "Exact privacy loss", "range": [0, 1.08 * max(_finite([epsilon, *every]))]},
    )  # fmt: skip


def _size_words(worst: Sequence[PrivacyLoss], last: Sequence[PrivacyLoss], labels: Sequence[str]) -> str:
    beyond = [i for i, one in enumerate(worst) if exceeds_stated(one)]
    if beyond:
        most = [printed_bound(one.epsilon) for one in worst]
        said = ", ".join(f"{labels[i]} loses {most[i]} at n = {worst[i].n:,}" for i in beyond)
        return f"Beyond the stated epsilon: {said}"
    spent = [float(printed_bound(one.epsilon)) for one in last]  # equal where they read so
    least = int(np.argmin(spent))
    n, loss = last[least].n, printed_bound(last[least].epsilon)
    if len(last) == 1:
        return f"{labels[0]}: the loss is {loss} at n = {n:,}, and not above epsilon at any size shown"
    said = "No loss above epsilon at the sizes shown"
    spends = leading(labels, spent, spent[least], ("spends", "spend"))
    alike = spent[least] == max(spent)
    return f"{said}; at n = {n:,} all spend {loss}" if alike else f"{said}; at n = {n:,} {spends} least, {loss}"


def profiles(found: Sequence[Profile]) -> Figure:
    """delta(epsilon) of each mechanism on a logarithmic axis; where a delta is promised or claimed, that beside it.

    found: of one prior and n, one per mechanism, at the same epsilons from 0 on.
    """
    verdicts = [one.verdict for one in found]
    labels = mechanism_labels([one.loss.mechanism for one in verdicts])
    fig = Drawing()
    deltas = np.concatenate([profile.deltas for profile in found])
    low, high = deltas[deltas >= FLOOR].min(initial=1.0), deltas.max(initial=FLOOR)
    for profile, one, label in zip(found, verdicts, labels, strict=True):
        drawn = np.where(profile.deltas >= FLOOR, profile.deltas, np.nan)
        _add_curve(fig, style_of(one.loss.mechanism), label, profile.epsilons, drawn, "ε = %{x:.4g}, δ: %{y:.4g}")
    for one, label in zip(verdicts, labels, strict=True):
        if isinstance(one.guarantee, ApproximateDP) and one.guarantee.delta >= FLOOR:
            low, high = min(low, one.guarantee.delta / 3), max(high, one.guarantee.delta)
            delta = f"ε = {printed_bound(one.guarantee.epsilon)}, δ = {printed_bound(one.guarantee.delta)}"
            fig.add_scatter(
                x=[one.guarantee.epsilon], y=[one.guarantee.delta], mode="markers",
                name=f"{label}: the {one.guarantee.called}",
                marker={"symbol": "star-open", "size": 16, "color": style_of(one.loss.mechanism).colour,
                        "line": {"width": 3}},
                hovertemplate=f"{one.guarantee.called}: {delta}",
            )  # fmt: skip
    mark_place(fig, verdicts[0].stated, _stated(verdicts[0].stated))
    end = float(found[0].epsilons[-1])
    return base_layout(
        fig, _profile_words(verdicts, labels, [float(profile.deltas[0]) for profile in found]),
        alt="Line chart of the exact delta against epsilon",
        notes=[f"Not drawn: δ below {number(FLOOR)}, or 0." if deltas.min() < FLOOR else ""],
        x={"title_text": "ε", "range": [-0.02 * end, 1.02 * end]},
        y={"title_text": "δ(ε)", **log_axis(min(low, high), high)}, headroom=20,
    )  # fmt: skip


def _profile_words(verdicts: Sequence[Verdict], labels: Sequence[str], variation: Sequence[float]) -> str:
    beside = [f"{label}: the exact δ at ε = {printed_bound(one.guarantee.epsilon)} is {printed_bound(one.delta)}, "
              f"the {one.guarantee.called} {printed_bound(one.guarantee.delta)}"
              for one, label in zip(verdicts, labels, strict=True)
              if isinstance(one.guarantee, ApproximateDP) and one.delta is not None]  # fmt: skip
    if beside:
        return "; ".join(beside)
    most = int(np.argmax(variation))
    best = leading(labels, variation, variation[most], ("tells", "tell"))
    return f"{best} neighbours apart best: total variation δ(0) = {printed_bound(variation[most])}"


def trade_offs(found: Sequence[Profile]) -> Figure:
    """Missed alarms against false alarms of the best attacker at the worst pair; the diagonal knows nothing.

    found: of one prior and n, one per mechanism, at epsilons from 0 to the loss at least.
    """
    labels = mechanism_labels([one.verdict.loss.mechanism for one in found])
    fig = Drawing()
    fig.add_scatter(
        x=[0, 1], y=[1, 0], mode="lines", name="guessing blindly", hoverinfo="skip",
        line={"color": REFERENCE.colour, "dash": REFERENCE.dash, "width": 2},
    )  # fmt: skip
    at = np.linspace(0, 1, _FALSE_ALARMS)
    missed = [trade_off(one.epsilons, one.deltas, at) for one in found]
    for one, curve, label in zip(found, missed, labels, strict=True):
        _add_curve(fig, style_of(one.verdict.loss.mechanism), label, at, curve,
                   "false alarms %{x:.3g}, missed: %{y:.4g}")
    twentieth = [float(trade_off(one.epsilons, one.deltas, 0.05)) for one in found]
    sharpest = int(np.argmin(twentieth))
    least = math.floor(100 * twentieth[sharpest])
    missed_then = f"still misses at least {least} of 100" if least else "may miss fewer than 1 of 100"
    who = leading(labels, twentieth, twentieth[sharpest])
    return base_layout(
        fig, f"At 5 false alarms in 100, an attacker of {who} {missed_then}",
        alt="Line chart of the best attacker's missed alarms against false alarms",
        x={"title_text": "False alarms, share", "range": [-0.02, 1.02]},
        y={"title_text": "Missed alarms, share", "range": [-0.02, 1.05]},
    )  # fmt: skip


def guessing(risk: GuessingRisk) -> Figure:
    """A hundred cases three times: how many guesses of a person's answer are right before, on average and at worst."""
    panels = (("before<br>the release", 50), ("after it,<br>on average", risk.average_of_hundred),
              ("after the<br>worst release", risk.worst_of_hundred))
    fig = Drawing()
    case = np.arange(100)
    for kind, colour, symbol in (("right before already", SCALE[0], "square"), ("right through the release", SCALE[3],
                                 "square"), ("wrong", REFERENCE.colour, "square-open")):
        x, y = [], []
        for place, (_, right) in enumerate(panels):
            among = {"right before already": case < 50, "wrong": case >= right}.get(kind, (case >= 50) & (case < right))
            x += (12 * place + case[among] % 10).tolist()
            y += (-(case[among] // 10)).tolist()
        if x:
            fig.add_scatter(x=x, y=y, mode="markers", name=kind, hoverinfo="skip",
                            marker={"color": colour, "symbol": symbol, "size": 8})  # fmt: skip
    for place, (name, right) in enumerate(panels):
        fig.add_annotation(x=12 * place + 4.5, y=1.1, text=f"{right} of 100", showarrow=False, yanchor="bottom",
                           font={"size": FONT_SIZE})  # fmt: skip
        fig.add_annotation(x=12 * place + 4.5, y=-10.1, text=name, showarrow=False, yanchor="top",
                           font={"size": FONT_SIZE - 2})  # fmt: skip
    bare: dict[str, Any] = {"showgrid": False, "showticklabels": False, "ticks": "", "fixedrange": True}
    return base_layout(
        fig, f"Guesses that are right: 50 of 100 before, {panels[1][1]} after, {panels[2][1]} at worst",
        alt="Three squares of a hundred cases each",
        x={"title_text": "Each square is a case", "range": [-1, 34], **bare}, y={"range": [-13, 2.6], **bare},
        height=200,
    )  # fmt: skip


def calibration(gains: Sequence[CalibrationGain]) -> Figure:
    """Mean distance from the true posterior before and after calibration, the exact loss then being epsilon.

    gains: of one problem, one per mechanism.
    """
    labels = mechanism_labels([gain.before.mechanism for gain in gains])
    fig = Drawing()
    for position, (gain, label) in enumerate(zip(gains, labels, strict=True)):
        style = style_of(gain.before.mechanism)
        fig.add_scatter(
            x=compact([gain.mean_before, gain.mean_after]), y=[label, label], mode="lines", showlegend=False,
            line={"color": style.colour, "width": 4}, hoverinfo="skip",
        )  # fmt: skip
        for name, mean, symbol in (
            ("as it is", gain.mean_before, "circle-open"),
            ("calibrated", gain.mean_after, "circle"),
        ):
            fig.add_scatter(
                x=[mean], y=[label], mode="markers", name=name, legendgroup=name, showlegend=position == 0,
                marker={"symbol": symbol, "size": 14, "color": style.colour, "line": {"width": 3}},
                hovertemplate=f"{name}: %{{x:.4g}}",
            )  # fmt: skip
    means = [mean for gain in gains for mean in (gain.mean_before, gain.mean_after)]
    by_powers = min(means) > 0 and max(means) > 8 * min(means)
    axis = log_axis(min(means), max(means)) if by_powers else {"range": [0, 1.06 * max(means) or 1.0]}
    both = ", ".join(f"{label} from {number(gain.mean_before)} to {number(gain.mean_after)}"
                     for label, gain in zip(labels, gains, strict=True))  # fmt: skip
    return base_layout(
        fig, _gain_words(gains, labels), alt="Mean distances before and after calibration", values=f"Means: {both}",
        x={"title_text": "Mean Hellinger distance from the true posterior", **axis},
        y={"autorange": "reversed", "tickvals": labels, "ticktext": labels}, height=60 + 44 * len(gains),
    )  # fmt: skip


def _gain_words(gains: Sequence[CalibrationGain], labels: Sequence[str]) -> str:
    factors = [gain.mean_before / gain.mean_after if gain.mean_after else 1.0 for gain in gains]
    best, worst = int(np.argmax(factors)), int(np.argmin(factors))
    epsilon = printed_bound(gains[best].after.mechanism.epsilon)
    if factors[best] >= 1.005:
        comes = leading(labels, factors, factors[best], ("comes", "come"))
        return f"{comes} {number(factors[best])} times nearer to the truth at an exact loss of {epsilon}"
    if factors[worst] <= 0.995:
        stands = leading(labels, factors, factors[worst], ("stands", "stand"))
        return f"{stands} {number(1 / factors[worst])} times farther from the truth at an exact loss of {epsilon}"
    return f"At an exact loss of {epsilon} no mean distance is other than before by 0.5 % or more"


def _add_curve(fig: Drawing, style: Style, label: str, x: ArrayLike, y: ArrayLike, said: str) -> None:
    add_curve(fig, style, label, x, y, said, mode="lines+markers" if np.size(x) <= _MARKED else "lines")


def _finite(values: Sequence[float]) -> list[float]:
    return [value for value in values if value < math.inf]


def _stated(epsilon: float) -> str:
    return f"stated ε = {printed_bound(epsilon)}"
