"""When the mechanism scaled to the local sensitivity keeps its epsilon, on the page Papers."""

import contextlib

import numpy as np
import streamlit as st

from dpbi.dashboard.answers.cache import kept
from dpbi.dashboard.answers.work import Cancelled, work
from dpbi.dashboard.session import settings
from dpbi.dashboard.shown import charts, folds
from dpbi.dashboard.words import handover
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
_PARAMETERS = tuple(float(f"{10 ** (place / 4):.3g}") for place in range(-8, 9))  # 0.01 to 100
_WITNESS = (0.1, 0.1), 1000
SCRIPT = f"""import dpbi  {handover.SCRIPT_NEEDS}

print("critical parameter:", dpbi.critical_parameter())
for alpha in (1.0, 0.5, 0.1):
    limit = dpbi.local_loss_limit((alpha, alpha))
    print(alpha, limit.ratio, limit.counts, limit.neighbour, limit.released)
witness = dpbi.local_loss({_WITNESS[0]}, n={_WITNESS[1]}, epsilon={_EPSILON})
print(witness.ratio, witness.counts, witness.neighbour, witness.margin)
print(dpbi.local_loss_map(3, None, {_EPSILON}, [0.1, 1.0, 10.0]).ratio)
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
    f"**Proved:** for many records loss / epsilon is at least the limit shown, at every epsilon, so that {SCALED} "
    "breaks its epsilon wherever that exceeds 1. **Computed, not proved:** that it is no more; no exact loss looked "
    "at, to n = 100,000 for two categories, exceeded it."
)


def _records(size: int) -> str:
    return "many (the limit)" if size == _MANY else f"{size:,}"


@kept(1)
def _answer() -> str:
    prior, n = _WITNESS
    broken = local_loss(prior, n, _EPSILON)
    return (
        f"The papers take {SCALED} for not private, since its rate depends on the counts. With two categories and a "
        f"prior (alpha, alpha) it loses more than epsilon for many records where alpha < {critical_parameter():.5f}; "
        f"where alpha is larger, no exact loss looked at was more. A plain witness: the prior {prior} and n = {n:,}, "
        f"where {broken.counts} against {broken.neighbour} loses {broken.ratio:.4f} epsilon. With three categories "
        "strong priors break it too: the limit at (10, 10, 10) is "
        f"{local_loss_limit((10.0, 10.0, 10.0)).ratio:.3f} epsilon."
    )
