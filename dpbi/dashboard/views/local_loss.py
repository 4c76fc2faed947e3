"""When the mechanism scaled to the local sensitivity keeps its epsilon, on the page Papers."""

import contextlib

import numpy as np
import streamlit as st

from dpbi import printed_bound
from dpbi.dashboard.answers.cache import kept
from dpbi.dashboard.answers.work import Cancelled, work
from dpbi.dashboard.session import settings
from dpbi.dashboard.shown import charts, folds
from dpbi.dashboard.words import handover, words
from dpbi.privacy.local_loss import (
    SCALED,
    LocalLossMap,
    critical_parameter,
    local_loss,
    local_loss_limit,
    local_loss_ratios,
)

_EPSILON = 0.1
_MANY = 0  # records without end
_SIZES = {2: (60, 300, 1000, _MANY), 3: (12, 24, _MANY)}  # records of k categories
_SPREAD = (float(f"{10 ** (place / 4):.3g}") for place in range(-8, 9))  # 0.01 to 100
_PARAMETERS = tuple(sorted([*_SPREAD, critical_parameter()]))  # so that the contour has its corner
_WITNESS = (0.1, 0.1), 1000
_STRONG = (10.0, 10.0, 10.0), 24
_ALPHAS = (1.0, 0.5, 0.1)
SCRIPT = f"""import dpbi  {handover.SCRIPT_NEEDS}

prior, n, epsilon = {_WITNESS[0]}, {_WITNESS[1]}, {_EPSILON}
alphas = {_ALPHAS}

print("critical parameter:", dpbi.critical_parameter())
for alpha in alphas:
    limit = dpbi.local_loss_limit((alpha, alpha))
    print(alpha, limit.ratio, limit.counts, limit.neighbour, limit.released)
witness = dpbi.local_loss(prior, n, epsilon)
print(witness.ratio, witness.counts, witness.neighbour, witness.margin)
print(dpbi.local_loss_map(3, None, epsilon, alphas).ratio)
"""


def draw() -> None:
    """The answer, the map and what is proved."""
    from dpbi.figures import local_loss as figures

    st.markdown(_answer())
    settings.setdefault("local loss: k", 2)
    with st.container(horizontal=True, vertical_alignment="center", key="controls: local loss"):
        k = settings.segments("Categories", "local loss: k", _SIZES)
        settings.setdefault(of_records := f"local loss: n, k = {k}", _MANY)
        n = settings.choice("Records", of_records, _SIZES[k], width=180, format_func=_records)
    with work("local loss", (k, n), len(_PARAMETERS), "rows of the map") as current, contextlib.suppress(Cancelled):
        rows = [current.ask(_row, k, n or None, parameter) for parameter in _PARAMETERS]
        found = LocalLossMap(k, n or None, _EPSILON, _PARAMETERS, np.array(rows))
        charts.draw(figures.over_priors(found), "local-loss")
    st.markdown(_STATUS)
    with folds.fold("Copy as Python: the local sensitivity's loss") as opened:
        if opened:
            st.code(SCRIPT, language="python")


@kept(256)
def _row(k: int, n: int | None, parameter: float) -> tuple[float, ...]:
    return local_loss_ratios(k, n, _EPSILON, parameter, _PARAMETERS)


_STATUS = (
    "**Proved:** as n grows, loss / epsilon is in the end at least the limit, at every epsilon: where that exceeds 1, "
    f"{SCALED} breaks its epsilon at every n that is large enough. **Computed, not proved:** that it tends to the "
    "limit (exact losses to n = 100,000), and that with two categories it loses no more than epsilon where both "
    "parameters are at least that critical one (no exact loss looked at did). At a given n the loss may lie above the "
    "limit, where the prior is strong beside n."
)


def _records(size: int) -> str:
    return "many (the limit)" if size == _MANY else f"{size:,}"


@kept(1)
def _answer() -> str:
    prior, n = _WITNESS
    broken = local_loss(prior, n, _EPSILON)
    alpha, n_of_strong = _STRONG
    strong = local_loss_limit(alpha).ratio
    (lost,) = local_loss_ratios(3, n_of_strong, _EPSILON, alpha[0], alpha[2:])
    limits = words.listed([f"{printed_bound(local_loss_limit((one, one)).ratio, 6)} at {one:g}" for one in _ALPHAS])
    return (
        f"The papers take {SCALED} for not private, since its rate depends on the counts. With two categories and a "
        f"prior (alpha, alpha) loss / epsilon has a bound from below for many records: {limits}. It is above 1 where "
        f"alpha is below **{critical_parameter():.5f}**. A plain witness: the prior {prior} and n = {n:,}, where "
        f"{broken.counts} against {broken.neighbour} loses {printed_bound(broken.ratio, 5)} epsilon. With three "
        f"categories strong priors break it too: at {tuple(map(int, alpha))} it loses {printed_bound(lost, 4)} epsilon "
        f"at n = {n_of_strong}, and {printed_bound(strong, 4)} in the limit."
    )
