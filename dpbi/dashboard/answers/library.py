"""The library's answers, kept between runs: each function takes the problem, one mechanism and plain numbers.

Labels are never an argument: two people's equal counts may share an answer, their names may not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeVar

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from dpbi.accuracy import trials
from dpbi.accuracy.comparison import Comparison, comparison_of
from dpbi.accuracy.distance_law import DistanceLaw, distance_law
from dpbi.accuracy.distance_law import exact_mean as mean_known_exactly
from dpbi.dashboard.answers.cache import Kept, kept
from dpbi.dashboard.answers.work import whole
from dpbi.dashboard.scenario import Scenario
from dpbi.dashboard.words import guard, words
from dpbi.inference.nearest import nearest_posterior
from dpbi.inference.noise_aware_releases import NoiseAwareReleases, noise_aware_releases, number_of_releases
from dpbi.inference.private_posteriors import PrivatePosteriors, sample_posteriors
from dpbi.mechanisms import Mechanism, name_of
from dpbi.posterior import dirichlet
from dpbi.posterior.hellinger import distances_to
from dpbi.privacy import curves as loss_curves
from dpbi.privacy import guessing
from dpbi.privacy.curves import AttainingLaws, CalibrationGain
from dpbi.privacy.loss import PrivacyLoss, calibrate, privacy_profile
from dpbi.privacy.verdict import Profile
from dpbi.privacy.verdict import verdict as audited
from dpbi.problem.problem import Problem
from dpbi.releases.release import guarantee_of_release
from dpbi.sensitivity import PAPER_GLOBAL_SENSITIVITY, global_sensitivity, local_sensitivity, maps, smooth_sensitivity

SIZES = 16  # of smaller data, audited for a curve
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95, 0.99)

Result = TypeVar("Result")


def for_each(function: Kept[..., Result], scenario: Scenario, *rest: object) -> list[Result]:
    """The function's result for every ticked mechanism that it does not refuse; rest: arguments after the mechanism."""
    asked = {mechanism: (scenario.problem, mechanism, *rest) for mechanism in scenario.mechanisms}
    return answered(function, asked, st.error)


def answered(
    function: Kept[..., Result], asked: Mapping[Mechanism, tuple[object, ...]], say: Callable[[str], object]
) -> list[Result]:
    """What the function answers to each question, with a bar; a sentence that refuses several is said once."""
    results = []
    refused: dict[str, list[str]] = {}
    with whole(function.__name__, list(asked.values()), len(asked), "mechanisms") as current:
        for mechanism, question in asked.items():
            with guard.refusal(refused, name_of(mechanism)):
                results.append(current.ask(function, *question))
    for sentence, names in refused.items():
        say(f"**{words.listed(names)}:** {sentence}")
    return results


@kept(64, megabytes=96)
def law(problem: Problem, mechanism: Mechanism) -> DistanceLaw:
    """Kept for what is shown of it; it can hold 700,000 rows."""
    return distance_law(mechanism, problem)


@kept(512)
def comparison(problem: Problem, mechanism: Mechanism) -> Comparison:
    return comparison_of(law(problem, mechanism))


@kept(512)
def quantiles(problem: Problem, mechanism: Mechanism) -> tuple[float, ...]:
    return tuple(law(problem, mechanism).quantile(q) for q in QUANTILES)


@kept(512)
def within(problem: Problem, mechanism: Mechanism, t: float) -> float:
    """P(H <= t)."""
    return law(problem, mechanism).cdf(t)


@kept(64, megabytes=64)
def posteriors(problem: Problem, mechanism: Mechanism, seed: int, size: int) -> PrivatePosteriors:
    return sample_posteriors(mechanism, problem, np.random.default_rng(seed), size)


@kept(64, megabytes=64, said="Computing noise-aware posteriors")
def noise_aware(problem: Problem, mechanism: Mechanism, seed: int, size: int) -> NoiseAwareReleases:
    """Of the first of the draws that ``posteriors`` has."""
    return noise_aware_releases(mechanism, problem, posteriors(problem, mechanism, seed, size).released)


@kept(64, megabytes=16, said="Looking for the nearest posteriors")
def read_nearest(problem: Problem, mechanism: Mechanism, seed: int, size: int) -> PrivatePosteriors:
    """The first of the draws that ``posteriors`` has, each read as the nearest posterior."""
    drawn = posteriors(problem, mechanism, seed, size).released[:number_of_releases(problem.k, size)]
    read = {tuple(r): nearest_posterior(mechanism, problem.prior, problem.n, r).counts
            for r in np.unique(drawn, axis=0).tolist()}
    counts = np.array([read[tuple(r)] for r in drawn.tolist()])
    return PrivatePosteriors(mechanism, problem, counts, distances_to(problem, counts))


@kept(512)
def exact_mean(problem: Problem, mechanism: Mechanism) -> float | None:
    return mean_known_exactly(mechanism, problem)


@kept(64)
def intervals(problem: Problem) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The ends of the true posterior's 95 % intervals, (k,) each."""
    return dirichlet.interval(problem.posterior)


@kept(64)
def prior_predictive(prior: tuple[float, ...], n: int, category: int) -> tuple[int, int]:
    return dirichlet.prior_predictive_interval(prior, n, category=category)


class Sensitivities(NamedTuple):
    """Of one problem: at the data, the two smooth bounds, the worst over all datasets, and the papers' for that."""

    local: float
    reciprocal: float
    exponential: float
    exact: float
    paper: float


@kept(256)
def sensitivities(problem: Problem, gamma: float, beta: float) -> Sensitivities:
    return Sensitivities(
        local_sensitivity(problem),
        smooth_sensitivity(problem, gamma),
        smooth_sensitivity(problem, beta, "exponential"),
        global_sensitivity(problem.prior, problem.n),
        PAPER_GLOBAL_SENSITIVITY,
    )


@kept(64)
def count_scan(prior: tuple[float, ...], n: int, gamma: float, beta: float, u: int) -> maps.SensitivityScan:
    return maps.along_count(prior, n, gamma, beta, include=(u,))


emptying_scan = kept(64)(maps.along_emptying)
simplex_map = kept(64, said="Mapping the sensitivity")(maps.on_simplex)
gamma_scan = kept(64, said="Scanning gamma")(maps.gamma_scan)
score_change = kept(64)(maps.score_change)

# What follows depends on the prior and n alone: the counts are no argument, so other counts share the answer.

verdict = kept(512, said="Auditing every dataset and output")(audited)


@kept(256, said="Calibrating")
def calibrated(mechanism: Mechanism, prior: tuple[float, ...], n: int) -> Mechanism:
    return calibrate(mechanism, prior, n)


@kept(256, said="Auditing smaller data")
def loss_against_size(mechanism: Mechanism, prior: tuple[float, ...], n: int) -> tuple[PrivacyLoss, ...]:
    """At about 16 sizes from one record to n."""
    sizes = np.unique(np.geomspace(1, n, SIZES).round().astype(np.int64))
    return loss_curves.loss_against_size(mechanism, prior, sizes.tolist())


@kept(256)
def attaining_laws(mechanism: Mechanism, prior: tuple[float, ...], n: int) -> AttainingLaws:
    return loss_curves.attaining_laws(verdict(mechanism, prior, n).loss)


@kept(256, said="Computing delta for every epsilon")
def profile(
    mechanism: Mechanism, prior: tuple[float, ...], n: int, epsilons: tuple[float, ...]
) -> Profile:
    deltas = privacy_profile(mechanism, prior, n, epsilons)
    return Profile(verdict(mechanism, prior, n), np.array(epsilons), deltas)


# Of a release: what is known before it is made. The release itself is never an argument here.

release_guarantee = kept(256)(guarantee_of_release)
guessing_risk = kept(256, said="Auditing every dataset and output")(guessing.guessing_risk)
release_errors = kept(256, said="Trying it on made-up data")(trials.release_errors)


def calibration_gain(problem: Problem, mechanism: Mechanism) -> CalibrationGain:
    """Put together from answers that are kept apart, so that other counts ask for no other calibration."""
    after = calibrated(mechanism, problem.prior, problem.n)
    before_loss, after_loss = (verdict(one, problem.prior, problem.n).loss for one in (mechanism, after))
    before_mean, after_mean = (comparison(problem, one).mean for one in (mechanism, after))
    multiplier = after.calibration[0] if after.calibration else 1.0
    return CalibrationGain(problem, before_loss, after_loss, multiplier, before_mean, after_mean)
