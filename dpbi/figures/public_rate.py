"""The best public rate beside those of smooth sensitivities, how far each is from the limit, and what a delta buys."""

from dpbi.figures.style import (
    FONT_SIZE,
    REFERENCE,
    SCALE,
    TRUTH,
    Drawing,
    Figure,
    Style,
    add_curve,
    base_layout,
    log_axis,
    mark_place,
    number,
    style_of,
    with_values,
)
from dpbi.mechanisms.mechanism import name_of
from dpbi.mechanisms.printed_bound import printed_bound
from dpbi.privacy.curves import DeltaGain
from dpbi.privacy.public_rate import BestPublicRate, PublicRate

_BEST = SCALE[0]
_DASHES = ("dash", "dot", "dashdot", "longdash", "longdashdot")


def rates(found: BestPublicRate) -> Figure:
    """rate(c) for c_1 = 0..n on a logarithmic axis: the best that was found, and those of the smooth sensitivities."""
    fig = Drawing()
    counts = list(range(found.n + 1))
    gammas = sorted({rule.gamma for rule in found.others if rule.gamma is not None})
    add_curve(fig, Style(_BEST, "solid", "circle"), found.best.name, counts, found.best.rates, _at(found.best),
              width=4, mode="lines")
    for rule in found.others:
        place = gammas.index(rule.gamma) if rule.gamma is not None else 0
        colour = SCALE[1 + place % (len(SCALE) - 1)] if rule.calibrated else TRUTH.colour
        style = Style(colour, _DASHES[place % len(_DASHES)], "circle")
        add_curve(fig, style, rule.name, counts, rule.rates, _at(rule), mode="lines")
    every = [value for rule in (found.best, *found.others) for value in rule.rates.tolist() if value > 0]
    low = max(min(every), max(every) / 1e4)  # the best rate of a count that is next to impossible is next to 0
    title = f"The best public rate found, at an exact loss of {printed_bound(found.best.loss)}"
    if found.others:
        nearest = min(found.others, key=lambda rule: rule.mean)
        times = found.best.rates / nearest.rates
        title = (f"The best public rate found is {number(float(times.min()))} to {number(float(times.max()))} times "
                 f"that of the nearest smooth one, {nearest.name.removeprefix('smooth, ')}")
    return base_layout(
        fig, title, alt="Line chart of the rate against the count of the first category",
        values=with_values([rule.name for rule in (found.best, *found.others)],
                           [float(rule.rates[found.n // 2]) for rule in (found.best, *found.others)])
        + f" at a count of {found.n // 2}",
        x={"title_text": f"Count of the first category, of n = {found.n:,}",
           "range": [-0.02 * found.n, 1.02 * found.n]},
        y={"title_text": "Rate, per unit of H", **log_axis(low, max(every))}, height=400,
    )  # fmt: skip


def _at(rule: PublicRate) -> str:
    return f"{rule.name}, count %{{x}}: %{{y:.4g}}"


def compared(found: BestPublicRate) -> Figure:
    """E[H] of each rule under the prior, the bound that no public rate is below, and the limit of privacy."""
    rules = (found.best, *found.others)
    names = [rule.name for rule in rules]
    fig = Drawing()
    fig.add_scatter(
        x=[rule.mean for rule in rules], y=names, mode="markers+text", showlegend=False,
        text=[f"  {number(rule.mean)}" for rule in rules], textposition="middle right",
        textfont={"size": FONT_SIZE - 1, "color": REFERENCE.colour},
        marker={"size": 13, "symbol": ["circle" if rule.calibrated else "circle-open" for rule in rules],
                "color": (colours := [_BEST if rule is found.best else TRUTH.colour for rule in rules]),
                "line": {"width": 3, "color": colours}},
        hovertemplate="%{y}: %{x:.4g}",
    )  # fmt: skip
    least = found.lower
    if found.limit.value:
        mark_place(fig, found.limit.value, "the limit<br>of privacy", by_powers=True, anchor="right")
        least = min(least, found.limit.value)
    mark_place(fig, found.lower, "no public rate<br>is below", by_powers=True, anchor="left", dash="solid")
    between = "{:.3f} to {:.3f} times the limit of privacy".format(*found.between) if found.between else "known"
    return base_layout(
        fig, f"The best public rate lies {between}", alt="Dots of the mean distance of each rate",
        values=f"Mean H: {with_values(names, [rule.mean for rule in rules])}",
        x={"title_text": "Mean H under the prior", **log_axis(least / 1.1, max(rule.mean for rule in rules) * 1.3)},
        y={"autorange": "reversed", "tickvals": names, "ticktext": names}, height=60 + 44 * len(names), headroom=40,
    )  # fmt: skip


def deltas(found: DeltaGain) -> Figure:
    """The multiplier of the rate against delta, and without one."""
    fig = Drawing()
    allowed = found.deltas > 0
    x, y = found.deltas[allowed].tolist(), found.multipliers[allowed].tolist()
    add_curve(fig, style_of(found.mechanism), name_of(found.mechanism), x, y,
              "delta = %{x:.4g}: rate times %{y:.5g}", size=9)
    low, high = min(x), max(x)
    nothing = found.multipliers[found.deltas == 0].tolist()
    if nothing:
        fig.add_hline(y=nothing[0], line={"color": REFERENCE.colour, "dash": REFERENCE.dash, "width": 2})
        fig.add_annotation(
            x=1, xref="paper", y=nothing[0], text=f"without a delta: {number(nothing[0], 4)}", showarrow=False,
            yanchor="top", xanchor="right", font={"size": FONT_SIZE - 1},
        )  # fmt: skip
    first = nothing[0] if nothing else y[0]
    gains = [f"{number(100 * (times / first - 1), 2)} %" for times in (y[0], y[-1])]
    epsilon = printed_bound(found.mechanism.epsilon)
    return base_layout(
        fig, f"At epsilon = {epsilon} a delta of {printed_bound(low)} raises the rate by {gains[0]}, one of "
             f"{printed_bound(high)} by {gains[1]}",
        alt="Line chart of the rate's multiplier against delta",
        values=with_values([f"delta {printed_bound(delta)}" for delta in x], y, lambda value: number(value, 4)),
        x={"title_text": "delta", **log_axis(low, high)},
        y={"title_text": "Rate times", "range": [0.97 * min(y), 1.03 * max(y)]},
    )  # fmt: skip
