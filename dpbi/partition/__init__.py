"""The exponential mechanism's law at any size, without a list: log Z, its moments and exact draws."""

from dpbi.partition.draws import sample
from dpbi.partition.partition import (
    affinity_moment,
    log_partition,
    mean_distance,
    probability_of_ignoring,
    standard_deviation,
)

__all__ = ["affinity_moment", "log_partition", "mean_distance", "probability_of_ignoring", "sample",
           "standard_deviation"]
