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
from dpbi.mechanisms.listing import listing
from dpbi.mechanisms.mechanism import Mechanism, check_mechanism
from dpbi.privacy.guessing import BestGuess, best_guess, check_pair
from dpbi.problem.problem import Problem

Floats = NDArray[np.float64]

DRAWS = 30  # of each table, where the releases are too many to draw each by its probability
CURVES = 60  # up to so many are drawn by their exact probabilities
_PAIRS = 200_000  # of tables and releases: listed at every epsilon
_SEEN = 1e-3  # what is less probable at every epsilon is no curve


@dataclass(frozen=True, eq=False)
class Clouds(FrozenResult):
    """What a mechanism releases of a table and of its neighbour, at several epsilons, seen in one share theta_j.

    category: j, the one that the replaced record was in. parameters: (2, E, R, 2), the Beta posteriors of theta_j by
    table, epsilon and release; weights: (2, E, R), their probabilities where ``exact``, else 1 / R: independent draws,
    by their means. What has a probability below 1/1000 at every epsilon is left out. guesses: E of them.
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
        counts = np.array([self.problem.counts, self.neighbour.counts])
        return _marginal(self.problem.prior, counts, self.category)

    @property
    def shares(self) -> tuple[float, ...]:
        """Of the best guess being right, one per epsilon."""
        return tuple(guess.share for guess in self.guesses)


@dataclass(frozen=True)
class Turn:
    """One release of one of two tables. answer: which, 0 or 1; likelier: which is the better guess, 0 where equal."""

    released: tuple[int, ...]
    answer: int
    likelier: int


def clouds(
    mechanism: Mechanism, problem: Problem, neighbour: Problem, epsilons: Sequence[float], rng: np.random.Generator
) -> Clouds:
    """The clouds of both tables at every epsilon, the mechanism's other settings kept.

    problem, neighbour: of one prior, one record replaced; epsilons: E >= 1 of them; rng: left as it is, its numbers are
    used anew for each cloud. Raises ValueError as ``best_guess``. Source: ours.
    """
    check_pair(problem, neighbour)
    there = [replace(check_mechanism(mechanism), epsilon=epsilon)
             for epsilon in limits.sequence("epsilons", epsilons, "of numbers")]
    if not there:
        raise ValueError("epsilons must hold one at least: got none.")
    guesses = tuple(best_guess(one, problem, neighbour) for one in there)
    category = int(np.argmax(np.array(problem.counts) - neighbour.counts))
    found = _listed(there, problem, neighbour, category)
    parameters, weights = found or _drawn(there, problem, neighbour, category, rng)
    return Clouds(mechanism, problem, neighbour, tuple(one.epsilon for one in there), category, parameters, weights,
                  found is not None, guesses)


def turn(mechanism: Mechanism, problem: Problem, neighbour: Problem, rng: np.random.Generator) -> Turn:
    """Draws one of the two tables, both equally likely, and a release of it. Raises ValueError for no neighbours.

    Source: ours.
    """
    check_pair(problem, neighbour)
    answer = int(rng.integers(2))
    released = check_mechanism(mechanism).sample((problem, neighbour)[answer], rng, 1)
    here, there = (float(mechanism.log_pmf(one, released)[0]) for one in (problem, neighbour))
    return Turn(tuple(released[0].tolist()), answer, int(there > here))


def _marginal(prior: tuple[float, ...], counts: NDArray[np.int64], category: int) -> Floats:
    """theta_j is Beta(alpha_j + r_j, all the rest): (..., k) -> (..., 2)."""
    own = prior[category] + counts[..., category]
    return np.stack([own, sum(prior) + counts.sum(axis=-1) - own], axis=-1)


def _listed(
    mechanisms: Sequence[Mechanism], problem: Problem, neighbour: Problem, category: int
) -> tuple[Floats, Floats] | None:
    """Parameters and exact weights; None where there are too many releases to list, or curves to be seen."""
    tables = np.array([problem.counts, neighbour.counts])
    rows, laws = [], []
    for mechanism in mechanisms:
        found = listing(mechanism, problem.prior, tables, _PAIRS)
        if found is None:
            return None
        rows.append(_marginal(problem.prior, found.released, category))
        laws.append(found.law)
    curves, place = np.unique(np.concatenate(rows), axis=0, return_inverse=True)
    weights = np.zeros((2, len(mechanisms), len(curves)))
    ends = np.cumsum([len(one) for one in rows])[:-1]
    for i, (law, where) in enumerate(zip(laws, np.split(place.ravel(), ends), strict=True)):
        for table in (0, 1):
            np.add.at(weights[table, i], where, law[table])
    seen = weights.max(axis=(0, 1)) >= _SEEN
    if seen.sum() > CURVES:
        return None
    return np.broadcast_to(curves[seen], (*weights.shape[:2], *curves[seen].shape)), weights[:, :, seen]


def _drawn(
    mechanisms: Sequence[Mechanism], problem: Problem, neighbour: Problem, category: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Parameters of draws, in the order of their means, and their equal weights."""
    released = [[one.sample(table, copy.deepcopy(rng), DRAWS) for one in mechanisms] for table in (problem, neighbour)]
    parameters = _marginal(problem.prior, np.array(released), category)
    mean = parameters[..., 0] / parameters.sum(axis=-1)
    order = np.argsort(mean, axis=-1, kind="stable")
    return np.take_along_axis(parameters, order[..., None], axis=2), np.full(order.shape, 1 / DRAWS)
