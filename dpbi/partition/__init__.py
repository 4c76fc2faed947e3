"""The exponential mechanism's law at any size, without a list: log Z, its mean and exact draws."""

from dpbi.partition.draws import sample
from dpbi.partition.partition import log_partition, mean_distance, probability_of_ignoring, quickest_log_partition

__all__ = ["log_partition", "mean_distance", "probability_of_ignoring", "quickest_log_partition", "sample"]
