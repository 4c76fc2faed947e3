"""Differentially private Bayesian inference on count data: the names people use, nothing computed here.

The rooms in their order, each importing from earlier ones only: ``limits``, ``problem``, ``data``, ``posterior``,
``sensitivity``, ``partition``, ``mechanisms``, ``accuracy``, ``privacy``, ``inference``, ``releases``, ``papers``,
``tour``; then the names below; then ``figures`` and ``dashboard``.
"""

from dpbi import accuracy, mechanisms, partition, sensitivity
from dpbi.accuracy import axes as accuracy_axes
from dpbi.accuracy import curves as accuracy_curves
from dpbi.accuracy.distance_law import DistanceLaw, distance_law
from dpbi.accuracy.optimum import PrivacyLimit, limit_of_privacy
from dpbi.data.files import CountsError, CountsQuestion, read_counts
from dpbi.inference import noise_aware
from dpbi.inference.nearest import NearestPosterior, nearest_posterior
from dpbi.inference.noise_aware import JointPosterior, NoiseAwarePosterior, joint_posterior, noise_aware_posterior
from dpbi.inference.prior_average import ExpectedDistance, expected_distance
from dpbi.mechanisms import MECHANISMS
from dpbi.mechanisms.guarantee import ApproximateDP, NotPrivate, PureDP
from dpbi.papers.score_study import ScoreStudy, compare_scores
from dpbi.posterior import dirichlet
from dpbi.posterior.hellinger import hellinger
from dpbi.privacy import curves as loss_curves
from dpbi.privacy.loss import PrivacyLoss, calibrate, privacy_loss, privacy_profile
from dpbi.problem.neighbours import neighbours, steps
from dpbi.problem.problem import Problem
from dpbi.releases.release import Release, release
from dpbi.sensitivity import global_sensitivity, local_sensitivity, smooth_sensitivity
from dpbi.sensitivity import maps as sensitivity_maps
from dpbi.version import __version__

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
    "__version__",
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
