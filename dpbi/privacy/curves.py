"""The privacy loss against the size of the data, and the two output laws that attain it."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpbi import limits
from dpbi.accuracy.distance_law import distance_law
from dpbi.frozen_result import FrozenResult
from dpbi.mechanisms.calibration import check_allowed
from dpbi.mechanisms.mechanism import Mechanism, check_mechanism
from dpbi.privacy.loss import PrivacyLoss, calibrate, calibrated_multiplier, privacy_loss, privacy_profile
from dpbi.privacy.verdict import Profile, Verdict
from dpbi.problem.problem import Problem, check_problem

_DELTAS = 1_000  # at once


@dataclass(frozen=True, eq=False)
class AttainingLaws(FrozenResult):
    """The laws of one category's released count under the pair that attains a loss (k = 2: of the whole output).

    loss: the result whose pair this is; category: the first that differs; released: values of r_category;
    here, there: their probabilities under the counts and under the neighbour.
    """

    loss: PrivacyLoss
    category: int
    released: NDArray[np.int64]
    here: NDArray[np.float64]
    there: NDArray[np.float64]


@dataclass(frozen=True)
class CalibrationGain:
    """What calibration buys at one problem: mean distances before and after, the exact losses and the multiplier."""

    problem: Problem
    before: PrivacyLoss
    after: PrivacyLoss
    multiplier: float
    mean_before: float
    mean_after: float


@dataclass(frozen=True, eq=False)
class DeltaGain(FrozenResult):
    """What a delta buys: the mechanism calibrated with each, deltas (m,), 0 for none; multipliers: of its rate, (m,).
    """

    mechanism: Mechanism
    prior: tuple[float, ...]
    n: int
    deltas: NDArray[np.float64]
    multipliers: NDArray[np.float64]


def sizes_up_to(n: int, number: int = 16) -> list[int]:
    """About so many total counts from one record to n, even in the logarithm. Source: ours."""
    n, number = limits.check_total(n), limits.whole_number("number", number, 2, 1000)
    return np.unique(np.geomspace(1, max(n, 1), number).round().astype(np.int64)).tolist()


def epsilons_beyond(verdicts: Sequence[Verdict], number: int = 25) -> list[float]:
    """So many values from 0 to a tenth beyond every finite loss, and the stated and the exact epsilons. Source: ours.
    """
    number = limits.whole_number("number", number, 2, 1000)
    found = [limits.instance("verdicts", one, Verdict, "results of verdict")
             for one in limits.sequence("verdicts", verdicts, "of results of verdict")]
    if not found:
        raise ValueError("verdicts must hold one at least: got none.")
    marks = [value for one in found for value in (one.stated, one.loss.epsilon) if value < math.inf]
    end = min(1.1 * max(marks), limits.EPSILON_LARGEST)
    return np.unique([*np.linspace(0, end, number), *(mark for mark in marks if mark <= end)]).tolist()


def profile(verdict: Verdict, epsilons: Iterable[float]) -> Profile:
    """delta(epsilon) at each epsilon, (m,), of a mechanism that was audited. Raises ValueError as ``privacy_profile``.

    Source: as ``privacy_profile``.
    """
    loss = limits.instance("verdict", verdict, Verdict, "a result of verdict").loss
    listed = list(limits.sequence("epsilons", epsilons, "of numbers"))
    deltas = privacy_profile(loss.mechanism, loss.prior, loss.n, listed)
    return Profile(verdict, np.array(listed, dtype=np.float64), deltas)


def loss_against_size(mechanism: Mechanism, prior: ArrayLike, sizes: Iterable[int]) -> tuple[PrivacyLoss, ...]:
    """The exact loss for each total count n, the prior fixed: [P17] Figure 6, worst over the datasets of size n.

    Raises ValueError as ``privacy_loss``.
    """
    listed = [limits.whole_number("sizes", n, 0, limits.TOTAL_LARGEST)
              for n in limits.sequence("sizes", sizes, "of total counts n")]
    return tuple(privacy_loss(mechanism, prior, n) for n in listed)


def attaining_laws(loss: PrivacyLoss) -> AttainingLaws:
    """The two output laws whose ratio is the loss, seen through the first category in which the pair differs."""
    limits.instance("loss", loss, PrivacyLoss, "a result of privacy_loss")
    audit = loss.mechanism.audit(loss.prior, loss.n)
    moved = np.flatnonzero(np.array(loss.counts) != np.array(loss.neighbour))
    category = int(moved[0]) if moved.size else 0
    released, here = audit.marginal(loss.counts, category)
    there = np.interp(released, *audit.marginal(loss.neighbour, category), left=0.0, right=0.0)
    return AttainingLaws(loss, category, released, here, there)


def gain_by_delta(mechanism: Mechanism, prior: ArrayLike, n: int, deltas: Iterable[float]) -> DeltaGain:
    """The multiplier of ``calibrate`` with each delta, 0 or in (0, 1), for one prior and n >= 1.

    Raises ValueError as ``calibrate``. Source: ours; [P17] section 8.2 asks for less noise at (epsilon, delta).
    """
    alpha, n = limits.check_prior(prior), limits.whole_number("n", n, 1, limits.TOTAL_LARGEST)
    asked = [check_allowed(delta, "deltas") for delta in limits.sequence("deltas", deltas, "of numbers", _DELTAS)]
    plain = replace(check_mechanism(mechanism), calibration=None)
    found = [calibrated_multiplier(plain.audit(alpha, n), plain.epsilon, delta) for delta in asked]
    return DeltaGain(plain, alpha, n, np.array(asked), np.array(found))


def calibration_gain(mechanism: Mechanism, problem: Problem) -> CalibrationGain:
    """Mean Hellinger distance at this problem before and after ``calibrate``, at the exact losses of both.

    Raises ValueError as ``privacy_loss``. The distances depend on the counts: they are for looking, not for a release.
    """
    plain, problem = replace(check_mechanism(mechanism), calibration=None), check_problem(problem)
    calibrated = calibrate(plain, problem.prior, problem.n)
    before, after = (privacy_loss(m, problem.prior, problem.n) for m in (plain, calibrated))
    multiplier = calibrated.calibration[0] if calibrated.calibration else 1.0
    return CalibrationGain(problem, before, after, multiplier, distance_law(plain, problem).mean,
                           distance_law(calibrated, problem).mean)
