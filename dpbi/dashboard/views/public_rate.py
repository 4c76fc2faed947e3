"""Less noise for the same privacy, on the page Papers: what a delta buys, and what the best public rate would."""

import streamlit as st

import dpbi
from dpbi.dashboard.answers.cache import kept
from dpbi.dashboard.answers.work import whole
from dpbi.dashboard.shown import charts, folds, tables
from dpbi.dashboard.words import handover, words
from dpbi.privacy.curves import DeltaGain, gain_by_delta
from dpbi.privacy.public_rate import BestPublicRate, best_public_rate

_SMOOTH = next(kind for kind in dpbi.MECHANISMS if "gamma" in kind.__dataclass_fields__)
_PRIOR, _N, _EPSILON, _GAMMAS = (1.0, 1.0), 60, 1.0, (0.4, 0.7, 1.0)
_DELTAS = (0.0, 1e-8, 1e-6, 1e-4, 1e-3, 1e-2)
_SETTINGS = tuple((prior, n, epsilon) for prior in ((1.0, 1.0), (0.5, 0.5), (2.0, 5.0))
                  for n, epsilon in ((_N, 1.0), (_N, 2.0), (200, 1.0)))
QUESTION = (
    "The papers scale the score's noise to a smooth sensitivity, and **[P17]** section 8.2 asks for less noise at "
    f"(epsilon, delta). Uniform prior, n = {_N}, epsilon = {_EPSILON:g}, two categories. A **public rate** is a "
    "public rule that gives every dataset its rate, as the exact audit allows; a smooth sensitivity is one such rule. "
    "The error is the mean Hellinger distance over the data that the prior expects."
)
SCRIPT = f"""import dpbi  {handover.SCRIPT_NEEDS}

prior = {_PRIOR}
n, epsilon = {_N}, {_EPSILON}

plain = dpbi.mechanisms.{_SMOOTH.__name__}(epsilon)
for delta in {_DELTAS}:
    calibrated = dpbi.calibrate(plain, prior, n, delta=delta)
    print(calibrated.calibration[0], calibrated.guarantee(prior, n).words)

found = dpbi.best_public_rate(prior, n, epsilon, gammas={_GAMMAS})
print(dpbi.tables.public_rates(found))
print(found.best.rates)
"""


@kept(16, said="Searching the best public rate")
def _best(prior: tuple[float, ...], n: int, epsilon: float, gammas: tuple[float, ...]) -> BestPublicRate:
    return best_public_rate(prior, n, epsilon, gammas)


@kept(4, said="Calibrating")
def _deltas() -> DeltaGain:
    return gain_by_delta(_SMOOTH(_EPSILON), _PRIOR, _N, _DELTAS)


def draw() -> None:
    """The question, what was computed, its charts and tables, and the script."""
    from dpbi.figures import public_rate

    st.markdown(QUESTION)
    with whole("public rate", (_PRIOR, _N, _EPSILON), 1 + len(_SETTINGS), "settings") as current:
        found = current.ask(_best, _PRIOR, _N, _EPSILON, _GAMMAS)
        others = [current.ask(_best, prior, n, epsilon, ()) for prior, n, epsilon in _SETTINGS]
    st.markdown(said(found))
    charts.draw(public_rate.compared(found), "public-rate-means")
    charts.draw(public_rate.rates(found), "public-rates")
    tables.draw(dpbi.tables.public_rates(found))
    st.markdown("Under other priors, at another epsilon and at another n:")
    tables.draw(dpbi.tables.best_public_rates(others))
    gain = _deltas()
    st.markdown(said_of_deltas(gain))
    charts.draw(public_rate.deltas(gain), "deltas")
    tables.draw(dpbi.tables.what_deltas_buy(gain))
    with folds.fold("Copy as Python: less noise") as opened:
        if opened:
            st.code(SCRIPT, language="python")


def said(found: BestPublicRate) -> str:
    """What is proved of the best public rate, and where the smooth ones stand."""
    if not found.between:
        return ""
    low, high = found.between
    means = {rule.name: times for rule in found.others if (times := found.times_limit(rule.mean))}
    nearest = min(means, key=lambda name: means[name], default="")
    return " ".join(filter(None, [
        f"**Proved, but for rounding in the computation:** the best public rate lies {low:.3f} to {high:.3f} times as "
        "far off as the limit of privacy, so that no epsilon-DP smooth sensitivity of this score comes nearer than the "
        "lower end.",
        f"The nearest smooth one shown, {nearest.removeprefix('smooth, ')}, lies {words.number(means[nearest])} times "
        "as far off." if means else "",
        "The upper end is attained by a rate that passed the exact audit. All of it is for this prior, n and epsilon.",
    ]))  # fmt: skip


def said_of_deltas(found: DeltaGain) -> str:
    """What the deltas buy."""
    rows = [f"{times:.4g} at {dpbi.printed_bound(delta)}"
            for delta, times in zip(found.deltas.tolist(), found.multipliers.tolist(), strict=True)]
    return (f"**Computed:** so many times the rate of {dpbi.name_of(found.mechanism)} may be, by delta: "
            f"{words.listed(rows)}. Each is certified by the exact delta(epsilon) over all neighbours and outputs, for "
            "this prior and n.")
