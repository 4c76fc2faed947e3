"""Differentially private Bayesian inference on count data: the names people use, nothing computed here."""

from dpbi import (
    accuracy,
    accuracy_axes,
    accuracy_curves,
    dirichlet,
    loss_curves,
    mechanisms,
    noise_aware,
    partition,
    sensitivity,
    sensitivity_maps,
)
from dpbi.counts_io import CountsError, CountsQuestion, read_counts
from dpbi.distance_law import DistanceLaw, distance_law
from dpbi.guarantee import ApproximateDP, NotPrivate, PureDP
from dpbi.hellinger import hellinger
from dpbi.mechanisms import MECHANISMS
from dpbi.nearest import NearestPosterior, nearest_posterior
from dpbi.neighbours import neighbours, steps
from dpbi.noise_aware import JointPosterior, NoiseAwarePosterior, joint_posterior, noise_aware_posterior
from dpbi.optimum import PrivacyLimit, limit_of_privacy
from dpbi.prior_average import ExpectedDistance, expected_distance
from dpbi.privacy_loss import PrivacyLoss, calibrate, privacy_loss, privacy_profile
from dpbi.problem import Problem
from dpbi.release import Release, release
from dpbi.score_study import ScoreStudy, compare_scores
from dpbi.sensitivity import global_sensitivity, local_sensitivity, smooth_sensitivity

__version__ = "0.1.0"

__all__ = [
    "MECHANISMS",
    "ApproximateDP",
    "CountsError",
    "CountsQuestion",
    "DistanceLaw",
    "ExpectedDistance",
    "JointPosterior",
    "NearestPosterior",
    "NoiseAwarePosterior",
    "NotPrivate",
    "PrivacyLimit",
    "PrivacyLoss",
    "Problem",
    "PureDP",
    "Release",
    "ScoreStudy",
    "accuracy",
    "accuracy_axes",
    "accuracy_curves",
    "calibrate",
    "compare_scores",
    "dirichlet",
    "distance_law",
    "expected_distance",
    "global_sensitivity",
    "hellinger",
    "joint_posterior",
    "limit_of_privacy",
    "local_sensitivity",
    "loss_curves",
    "mechanisms",
    "nearest_posterior",
    "neighbours",
    "noise_aware",
    "noise_aware_posterior",
    "partition",
    "privacy_loss",
    "privacy_profile",
    "read_counts",
    "release",
    "sensitivity",
    "sensitivity_maps",
    "smooth_sensitivity",
    "steps",
]
