"""Differentially private Bayesian inference on count data: the names people use, nothing computed here.

The rooms in their order, each importing from earlier ones only: ``limits``, ``noise``, ``problem``, ``data``,
``posterior``, ``sensitivity``, ``partition``, ``mechanisms``, ``accuracy``, ``privacy``, ``inference``, ``releases``,
``papers``, ``tour``, ``tables``; then the names below; then ``figures`` and ``dashboard``.
"""

from dpbi import accuracy, mechanisms, noise, partition, sensitivity, tables
from dpbi.accuracy import axes as accuracy_axes, curves as accuracy_curves
from dpbi.accuracy.comparison import Comparison, comparison_of
from dpbi.accuracy.distance_law import DistanceLaw, distance_law
from dpbi.accuracy.large_sample import (
    LargeSampleApproach,
    LargeSampleBoard,
    LargeSampleError,
    large_sample_approach,
    large_sample_board,
    large_sample_error,
    large_sample_limits,
    least_average_large_sample_error,
    least_large_sample_error,
)
from dpbi.accuracy.optimum import PrivacyLimit, limit_of_privacy
from dpbi.data.count_table import CountTable, read_tables
from dpbi.data.files import CountsError, CountsQuestion, read_counts
from dpbi.inference import noise_aware
from dpbi.inference.budget_split import BudgetSplit, split_epsilon
from dpbi.inference.clouds import Clouds, clouds
from dpbi.inference.group_conclusions import Conclusion, conclusion
from dpbi.inference.group_planning import (
    NoiseCost,
    OrderChance,
    chance_at_counts,
    chance_of_order,
    cost_of_noise,
    epsilon_needed,
    people_needed,
)
from dpbi.inference.limit_comparison import LimitComparison
from dpbi.inference.nearest import NearestPosterior, nearest_posterior, read_nearest
from dpbi.inference.noise_aware import JointPosterior, NoiseAwarePosterior, joint_posterior, noise_aware_posterior
from dpbi.inference.noise_aware_releases import NoiseAwareReleases, noise_aware_releases
from dpbi.inference.noisy_counts import NoisyCountsPosterior, noisy_counts_posterior
from dpbi.inference.prior_average import ExpectedDistance, expected_distance
from dpbi.inference.private_posteriors import PrivatePosteriors, sample_posteriors
from dpbi.inference.share_comparison import ShareComparison, compare
from dpbi.inference.total import Flat, LogUniform, Poisson
from dpbi.mechanisms import MECHANISMS, Mechanism, name_of
from dpbi.mechanisms.guarantee import ApproximateDP, Guarantee, NotPrivate, PureDP
from dpbi.mechanisms.printed_bound import printed_bound
from dpbi.papers.score_study import ScoreStudy, compare_scores
from dpbi.posterior import dirichlet
from dpbi.posterior.hellinger import hellinger
from dpbi.privacy import curves as loss_curves
from dpbi.privacy.composition import Composition, compose
from dpbi.privacy.guessing import BestGuess, best_guess
from dpbi.privacy.local_loss import (
    LocalLoss,
    LocalLossLimit,
    LocalLossMap,
    critical_parameter,
    local_loss,
    local_loss_limit,
    local_loss_map,
)
from dpbi.privacy.loss import PrivacyLoss, calibrate, privacy_loss, privacy_profile
from dpbi.privacy.public_rate import BestPublicRate, best_public_rate
from dpbi.privacy.verdict import Verdict, loses_most, verdict
from dpbi.problem.neighbours import neighbours, steps
from dpbi.problem.problem import Problem
from dpbi.releases.published import PublishedRelease, read_release, read_release_table
from dpbi.releases.release import Release, release
from dpbi.releases.table_release import (
    TableRelease,
    TablesTogether,
    guarantee_of_tables,
    release_tables,
    table_split,
    tables_together,
)
from dpbi.sensitivity import global_sensitivity, local_sensitivity, maps as sensitivity_maps, smooth_sensitivity
from dpbi.version import __version__

__all__ = [
    "MECHANISMS",
    "ApproximateDP",
    "BestGuess",
    "BestPublicRate",
    "BudgetSplit",
    "Clouds",
    "Comparison",
    "Composition",
    "Conclusion",
    "CountTable",
    "CountsError",
    "CountsQuestion",
    "DistanceLaw",
    "ExpectedDistance",
    "Flat",
    "Guarantee",
    "JointPosterior",
    "LargeSampleApproach",
    "LargeSampleBoard",
    "LargeSampleError",
    "LimitComparison",
    "LocalLoss",
    "LocalLossLimit",
    "LocalLossMap",
    "LogUniform",
    "Mechanism",
    "NearestPosterior",
    "NoiseAwarePosterior",
    "NoiseAwareReleases",
    "NoiseCost",
    "NoisyCountsPosterior",
    "NotPrivate",
    "OrderChance",
    "Poisson",
    "PrivacyLimit",
    "PrivacyLoss",
    "PrivatePosteriors",
    "Problem",
    "PublishedRelease",
    "PureDP",
    "Release",
    "ScoreStudy",
    "ShareComparison",
    "TableRelease",
    "TablesTogether",
    "Verdict",
    "__version__",
    "accuracy",
    "accuracy_axes",
    "accuracy_curves",
    "best_guess",
    "best_public_rate",
    "calibrate",
    "chance_at_counts",
    "chance_of_order",
    "clouds",
    "compare",
    "compare_scores",
    "comparison_of",
    "compose",
    "conclusion",
    "cost_of_noise",
    "critical_parameter",
    "dirichlet",
    "distance_law",
    "epsilon_needed",
    "expected_distance",
    "global_sensitivity",
    "guarantee_of_tables",
    "hellinger",
    "joint_posterior",
    "large_sample_approach",
    "large_sample_board",
    "large_sample_error",
    "large_sample_limits",
    "least_average_large_sample_error",
    "least_large_sample_error",
    "limit_of_privacy",
    "local_loss",
    "local_loss_limit",
    "local_loss_map",
    "local_sensitivity",
    "loses_most",
    "loss_curves",
    "mechanisms",
    "name_of",
    "nearest_posterior",
    "neighbours",
    "noise",
    "noise_aware",
    "noise_aware_posterior",
    "noise_aware_releases",
    "noisy_counts_posterior",
    "partition",
    "people_needed",
    "printed_bound",
    "privacy_loss",
    "privacy_profile",
    "read_counts",
    "read_nearest",
    "read_release",
    "read_release_table",
    "read_tables",
    "release",
    "release_tables",
    "sample_posteriors",
    "sensitivity",
    "sensitivity_maps",
    "smooth_sensitivity",
    "split_epsilon",
    "steps",
    "table_split",
    "tables",
    "tables_together",
    "verdict",
]
