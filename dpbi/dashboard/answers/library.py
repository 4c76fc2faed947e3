"""The library's answers, kept between runs: each function takes the problem, one mechanism and plain numbers.

Labels are never an argument: two people's equal counts may share an answer, their names may not.
"""

from collections.abc import Callable, Mapping
from typing import TypeVar

import numpy as np
import streamlit as st

from dpbi import (
    Comparison,
    DistanceLaw,
    Mechanism,
    NoiseAwareReleases,
    PrivacyLoss,
    PrivatePosteriors,
    Problem,
    calibrate,
    comparison_of,
    dirichlet,
    distance_law,
    loss_curves,
    name_of,
    noise_aware_releases,
    read_nearest,
    sample_posteriors,
    sensitivity_maps as maps,
    verdict as audited,
)
from dpbi.accuracy import trials
from dpbi.dashboard.answers.cache import Kept, kept
from dpbi.dashboard.answers.work import whole
from dpbi.dashboard.scenario import Scenario
from dpbi.dashboard.words import guard, words
from dpbi.inference.budget_split import BudgetSplit, split_epsilon
from dpbi.inference.clouds import Clouds, clouds as clouds_of
from dpbi.inference.noise_aware_releases import number_of_releases
from dpbi.privacy import guessing
from dpbi.privacy.curves import AttainingLaws, CalibrationGain
from dpbi.privacy.verdict import Profile
from dpbi.problem.candidates import number_of_candidates
from dpbi.releases.release import guarantee_of_release
from dpbi.sensitivity.maps import Sensitivities as Sensitivities

_EPSILONS = (0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0,
             12.5, 15.0, 20.0, 25.0, 30.0)
_CANDIDATES_AT_ONCE = 2_000  # whose distances and draws take some 10 milliseconds

Result = TypeVar("Result")


def for_each(function: Kept[..., Result], scenario: Scenario, *rest: object, quick: bool = False) -> list[Result]:
    """The function's result for every ticked mechanism that it does not refuse; rest: arguments after the mechanism.

    quick: whether it takes milliseconds for few candidates of three categories at most (``Work.quick``).
    """
    problem = scenario.problem
    asked = {mechanism: (problem, mechanism, *rest) for mechanism in scenario.mechanisms}
    few = problem.k <= 3 and number_of_candidates(problem.n, problem.k) <= _CANDIDATES_AT_ONCE
    return answered(function, asked, st.error, quick=quick and few)


def answered(
    function: Kept[..., Result],
    asked: Mapping[Mechanism, tuple[object, ...]],
    say: Callable[[str], object],
    *,
    quick: bool = False,
) -> list[Result]:
    """What the function answers to each question, with a bar; a sentence that refuses several is said once."""
    results = []
    refused: dict[str, list[str]] = {}
    with whole(function.__name__, list(asked.values()), len(asked), "mechanisms", quick) as current:
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


@kept(64, megabytes=64)
def posteriors(problem: Problem, mechanism: Mechanism, seed: int, size: int) -> PrivatePosteriors:
    return sample_posteriors(mechanism, problem, np.random.default_rng(seed), size)


@kept(512)
def publication(problem: Problem, mechanism: Mechanism, seed: int, size: int) -> tuple[Comparison, PrivatePosteriors]:
    """``comparison`` and ``posteriors`` as one item of a page's work: a thread each would cost more than the draws."""
    return comparison(problem, mechanism), posteriors(problem, mechanism, seed, size)


@kept(64, megabytes=64, said="Computing noise-aware posteriors")
def noise_aware(problem: Problem, mechanism: Mechanism, seed: int, size: int) -> NoiseAwareReleases:
    """Of the first of the draws that ``posteriors`` has."""
    return noise_aware_releases(mechanism, problem, posteriors(problem, mechanism, seed, size).released)


@kept(64, megabytes=16, said="Looking for the nearest posteriors")
def nearest(problem: Problem, mechanism: Mechanism, seed: int, size: int) -> PrivatePosteriors:
    """The first of the draws that ``posteriors`` has, each read as the nearest posterior."""
    drawn = posteriors(problem, mechanism, seed, size).released
    return read_nearest(mechanism, problem, drawn[: number_of_releases(problem.k, size)])


def slid_through(epsilon: float) -> tuple[float, ...]:
    """The epsilons of the slider, this one among them."""
    return tuple(sorted({*_EPSILONS, epsilon}))


@kept(64, megabytes=32, said="Drawing the clouds")
def clouds(problem: Problem, mechanism: Mechanism, neighbour: Problem, seed: int, epsilons: tuple[float, ...]
           ) -> Clouds:
    return clouds_of(mechanism, problem, neighbour, epsilons, np.random.default_rng(seed))


prior_predictive = kept(64)(dirichlet.prior_predictive_interval)
sensitivities = kept(256)(maps.sensitivities)


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
    return loss_curves.loss_against_size(mechanism, prior, loss_curves.sizes_up_to(n))


@kept(256)
def attaining_laws(mechanism: Mechanism, prior: tuple[float, ...], n: int) -> AttainingLaws:
    return loss_curves.attaining_laws(verdict(mechanism, prior, n).loss)


@kept(256, said="Computing delta for every epsilon")
def profile(
    mechanism: Mechanism, prior: tuple[float, ...], n: int, epsilons: tuple[float, ...]
) -> Profile:
    return loss_curves.profile(verdict(mechanism, prior, n), epsilons)


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


@kept(64)
def budget_split(
    mechanism: Mechanism, priors: tuple[tuple[float, ...], ...], sizes: tuple[tuple[int, ...], ...]
) -> BudgetSplit:
    """Of the questions of a table: from sizes, which are public."""
    return split_epsilon(mechanism, priors, sizes)
