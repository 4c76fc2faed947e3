"""Two tables that differ in one person's record, and the private posteriors that each may lead to: their clouds.

A mechanism that hides the person gives both tables nearly the same cloud. At every epsilon the random numbers are the
same, so that a cloud glides as epsilon changes.
"""

import copy
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dpbi import limits
from dpbi.frozen_result import FrozenResult
from dpbi.mechanisms.calibration import delta_of
from dpbi.mechanisms.listing import Listing
from dpbi.mechanisms.mechanism import Mechanism, check_mechanism
from dpbi.posterior.hellinger import hellinger
from dpbi.privacy.guessing import BestGuess, check_pair, guess_from, listed_pair
from dpbi.privacy.loss import calibrate
from dpbi.problem.problem import Problem

Floats = NDArray[np.float64]

DRAWS = 30  # of each table, where the releases are too many to draw each by its probability
CURVES = 60  # up to so many are drawn by their exact probabilities
_EPSILONS = 1000
_TIE = 1e-9  # relative, of two distances
_EQUAL = 1e-11  # of two log probabilities: rounding
_SEEN = 1e-3  # what is less probable at every epsilon is no curve
_MOST = 0.95  # of the probability, at every epsilon: what the curves must hold to be the cloud


@dataclass(frozen=True, eq=False)
class Clouds(FrozenResult):
    """What a mechanism releases of a table and of its neighbour, at several epsilons, seen in one share theta_j.

    category: j, of the two in which the tables differ that whose share moves farther. parameters: (2, E, R, 2), the
    Beta posteriors of theta_j by table, epsilon and release; weights: (2, E, R), their probabilities where ``exact``,
    else 1 / R: independent draws, by their means. What has a probability below 1/1000 at every epsilon is left out of
    the exact ones, 5 % at most. guesses: E of them.
    """

    mechanism: Mechanism
    problem: Problem
    neighbour: Problem
    epsilons: tuple[float, ...]
    category: int
    parameters: Floats
    weights: Floats
    exact: bool
    guesses: tuple[BestGuess, ...]

    @property
    def truths(self) -> Floats:
        """The Beta posteriors of theta_j from both tables themselves, (2, 2)."""
        return self.posterior(np.array([self.problem.counts, self.neighbour.counts]))

    def posterior(self, released: NDArray[np.int64]) -> Floats:
        """The Beta posteriors of theta_j from releases (..., k): (..., 2)."""
        return _marginal(self.problem.prior, released, self.category)

    @property
    def answer(self) -> int:
        """0 where theta_j is the share of the answer in the problem, 1 where of that in its neighbour."""
        return int(self.problem.counts[self.category] < self.neighbour.counts[self.category])

    @property
    def shares(self) -> tuple[float, ...]:
        """Of the best guess being right, one per epsilon."""
        return tuple(guess.share for guess in self.guesses)


@dataclass(frozen=True)
class Turn:
    """One release of one of two tables. answer: which, 0 or 1; likelier: the better guess, None where both are equal.
    """

    released: tuple[int, ...]
    answer: int
    likelier: int | None


def clouds(
    mechanism: Mechanism, problem: Problem, neighbour: Problem, epsilons: Sequence[float], rng: np.random.Generator
) -> Clouds:
    """The clouds of both tables at every epsilon, the mechanism's other settings kept, or calibrated anew.

    problem, neighbour: of one prior, one record replaced; epsilons: E >= 1 of them; rng: left as it is, its numbers are
    used anew for each cloud. Raises ValueError as ``best_guess`` and ``calibrate``. Source: ours.
    """
    check_pair(problem, neighbour)
    limits.check_generator(rng)
    numbers = limits.sequence("epsilons", epsilons, "of numbers", _EPSILONS)
    there = [replace(check_mechanism(mechanism), epsilon=limits.check_epsilon(number, "each of epsilons"))
             for number in numbers]
    if not there:
        raise ValueError("epsilons must hold one at least: got none.")
    if mechanism.calibration:  # a multiplier holds at one epsilon
        there = [calibrate(one, problem.prior, problem.n, delta=delta_of(mechanism.calibration)) for one in there]
    category = _moved_most(problem, neighbour)
    guesses: list[BestGuess] = []
    laws: list[tuple[Floats, Floats] | None] = []
    for one in there:
        found = listed_pair(one, problem, neighbour)
        guesses.append(guess_from(found, one, problem, neighbour))
        laws.append(None if None in laws else _law_of_curves(found, problem.prior, category))
    exact = _together([law for law in laws if law]) if None not in laws else None
    parameters, weights = exact or _drawn(there, problem, neighbour, category, rng)
    return Clouds(mechanism, problem, neighbour, tuple(one.epsilon for one in there), category, parameters, weights,
                  exact is not None, tuple(guesses))


def turn(mechanism: Mechanism, problem: Problem, neighbour: Problem, rng: np.random.Generator) -> Turn:
    """Draws one of the two tables, both equally likely, and a release of it. Raises ValueError for no neighbours.

    Source: ours.
    """
    check_pair(problem, neighbour)
    limits.check_generator(rng)
    answer = int(rng.integers(2))
    released = check_mechanism(mechanism).sample((problem, neighbour)[answer], rng, 1)
    here, there = (float(mechanism.log_pmf(one, released)[0]) for one in (problem, neighbour))
    likelier = None if abs(here - there) <= _EQUAL else int(there > here)
    return Turn(tuple(released[0].tolist()), answer, likelier)


def _moved_most(problem: Problem, neighbour: Problem) -> int:
    """Of the category that the record was in, and the one that it is in instead, that whose share moves farther."""
    moved = np.array(problem.counts) - neighbour.counts
    both = [int(moved.argmax()), int(moved.argmin())]
    tables = np.array([problem.counts, neighbour.counts])
    left, joined = (float(hellinger(*_marginal(problem.prior, tables, one))) for one in both)
    return both[joined > left * (1 + _TIE)]


def _marginal(prior: tuple[float, ...], counts: NDArray[np.int64], category: int) -> Floats:
    """theta_j is Beta(alpha_j + r_j, sum of the other alpha_i + r_i): (..., k) -> (..., 2)."""
    own = counts[..., category]
    others = sum(alpha for i, alpha in enumerate(prior) if i != category)
    return np.stack([prior[category] + own, others + (counts.sum(axis=-1) - own)], axis=-1)


def _law_of_curves(found: Listing | None, prior: tuple[float, ...], category: int) -> tuple[Floats, Floats] | None:
    """Each curve that can be released, (R, 2), and its probability under both tables, (2, R).

    None where no ``CURVES`` of them hold most of it.
    """
    if found is None:
        return None
    curves, place = np.unique(_marginal(prior, found.released, category), axis=0, return_inverse=True)
    weights = np.array([np.bincount(place.ravel(), law) for law in found.law])
    held = np.sort(weights, axis=1)[:, -CURVES:].sum(axis=1)
    return (curves, weights) if held.min() >= _MOST else None


def _together(laws: Sequence[tuple[Floats, Floats]]) -> tuple[Floats, Floats] | None:
    """The same curves at every epsilon, with their weights there; None where they are too many, or not the cloud."""
    curves = np.unique(np.concatenate([of[law.max(axis=0) >= _SEEN] for of, law in laws]), axis=0)
    if len(curves) > CURVES:
        return None
    weights = np.stack([law @ (of[:, None] == curves).all(axis=2) for of, law in laws], axis=1)
    if weights.sum(axis=2).min() < _MOST:
        return None
    return np.broadcast_to(curves, (*weights.shape[:2], *curves.shape)), weights


def _drawn(
    mechanisms: Sequence[Mechanism], problem: Problem, neighbour: Problem, category: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Parameters of draws, in the order of their means, and their equal weights."""
    released = [[one.sample(table, copy.deepcopy(rng), DRAWS) for one in mechanisms] for table in (problem, neighbour)]
    parameters = _marginal(problem.prior, np.array(released), category)
    mean = parameters[..., 0] / parameters.sum(axis=-1)
    order = np.argsort(mean, axis=-1, kind="stable")
    return np.take_along_axis(parameters, order[..., None], axis=2), np.full(order.shape, 1 / DRAWS)
