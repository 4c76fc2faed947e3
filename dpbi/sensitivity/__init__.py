"""How far one record can move the posterior: here, nearby and at worst."""

from dpbi.sensitivity.closed_form import (
    PAPER_GLOBAL_SENSITIVITY,
    Kind,
    global_sensitivity,
    least_local_sensitivity,
    local_sensitivities,
    local_sensitivity,
    smooth_sensitivities,
    smooth_sensitivity,
    worst_neighbour,
)

__all__ = ["PAPER_GLOBAL_SENSITIVITY", "Kind", "global_sensitivity", "least_local_sensitivity", "local_sensitivities",
           "local_sensitivity", "smooth_sensitivities", "smooth_sensitivity", "worst_neighbour"]
