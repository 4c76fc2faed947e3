"""How far one record can move the posterior: here, nearby and at worst."""

from dpbi.sensitivity.closed_form import (
    PAPER_GLOBAL_SENSITIVITY,
    Kind,
    corners,
    datasets,
    global_sensitivity,
    least_local_sensitivity,
    local_sensitivities,
    local_sensitivity,
    smooth_sensitivities,
    smooth_sensitivity,
    unit_loss,
    worst_neighbour,
)

__all__ = [
    "PAPER_GLOBAL_SENSITIVITY",
    "Kind",
    "corners",
    "datasets",
    "global_sensitivity",
    "least_local_sensitivity",
    "local_sensitivities",
    "local_sensitivity",
    "smooth_sensitivities",
    "smooth_sensitivity",
    "unit_loss",
    "worst_neighbour",
]
