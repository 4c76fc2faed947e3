"""Differentially private Bayesian inference on count data: the names people use, nothing computed here."""

from dpbi import dirichlet, mechanisms, partition, sensitivity
from dpbi.counts_io import CountsError, CountsQuestion, read_counts
from dpbi.distance_law import DistanceLaw, distance_law
from dpbi.guarantee import ApproximateDP, NotPrivate, PureDP
from dpbi.hellinger import hellinger
from dpbi.mechanisms import MECHANISMS
from dpbi.neighbours import neighbours, steps
from dpbi.problem import Problem
from dpbi.sensitivity import global_sensitivity, local_sensitivity, smooth_sensitivity

__all__ = [
    "MECHANISMS",
    "ApproximateDP",
    "CountsError",
    "CountsQuestion",
    "DistanceLaw",
    "NotPrivate",
    "Problem",
    "PureDP",
    "dirichlet",
    "distance_law",
    "global_sensitivity",
    "hellinger",
    "local_sensitivity",
    "mechanisms",
    "neighbours",
    "partition",
    "read_counts",
    "sensitivity",
    "smooth_sensitivity",
    "steps",
]
