"""Differentially private Bayesian inference on count data: the names people use, nothing computed here.

The rooms in their order, each importing from earlier ones only: ``limits``, ``problem``, ``data``, ``posterior``,
``sensitivity``, ``partition``, ``mechanisms``, ``accuracy``, ``privacy``, ``inference``, ``releases``, ``papers``,
``tour``; then the names below; then ``figures`` and ``dashboard``.
"""

from dpbi import accuracy, mechanisms, partition, sensitivity
from dpbi.accuracy import axes as accuracy_axes
from dpbi.accuracy import curves as accuracy_curves
from dpbi.accuracy.distance_law import DistanceLaw, distance_law
from dpbi.data.files import CountsError, CountsQuestion, read_counts
from dpbi.inference import noise_aware
from dpbi.inference.noise_aware import noise_aware_posterior
from dpbi.mechanisms import MECHANISMS
from dpbi.mechanisms.guarantee import ApproximateDP, NotPrivate, PureDP
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
    "NotPrivate",
    "PrivacyLoss",
    "Problem",
    "PureDP",
    "Release",
    "__version__",
    "accuracy",
    "accuracy_axes",
    "accuracy_curves",
    "calibrate",
    "dirichlet",
    "distance_law",
    "global_sensitivity",
    "hellinger",
    "local_sensitivity",
    "loss_curves",
    "mechanisms",
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
