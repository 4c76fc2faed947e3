"""What every mechanism answers: four methods of its own, and all else by listing what it can release.

A mechanism takes a prior and counts and releases integer counts r, one dtype and one shape for all, so that pages,
figures and tests treat all alike; the private posterior is Dir(alpha + r). It is a frozen dataclass of its public
parameters: hashable, comparable, printable. What it promises depends on the prior and n alone, never on the counts.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpbi import limits
from dpbi.mechanisms.audit import DATASETS, Audit, largest_visited
from dpbi.mechanisms.calibration import (
    LARGEST,
    LEAST,
    Calibration,
    calibrated_guarantee,
    check_calibration,
    delta_of,
    multiplier,
)
from dpbi.mechanisms.distance_table import LISTABLE, DistanceTable, rows_to_keep, table_of
from dpbi.mechanisms.fair_bits import WEIGHT_ERROR, Bits, WholeWeights, checked
from dpbi.mechanisms.guarantee import ApproximateDP, Guarantee, NotPrivate, PureDP
from dpbi.mechanisms.large_sample import LargeSampleLaw, check_shares
from dpbi.mechanisms.likelihood import Likelihood, ListedLikelihood
from dpbi.mechanisms.listing import LISTED, PAIRS_LARGEST, Listing, listing
from dpbi.mechanisms.loss_law import LossLaw, no_loss, randomised_response
from dpbi.mechanisms.printed_bound import printed_bound
from dpbi.mechanisms.published_noise import PublishedNoise
from dpbi.posterior import chunks
from dpbi.problem import Problem, check_problem, list_candidates, number_of_candidates

_LOG_LEAST = 1e8  # of what is drawn, below 0: weights are split into powers of two exactly up to there
_LOG_ERROR = 1e-11  # of a log probability, relative: the contract tests hold 1e-12


@dataclass(frozen=True)
class Mechanism:
    """A subclass writes ``log_pmf``, ``sample``, ``can_release`` and ``guarantee``, and overrides what it knows better.

    epsilon: the strength asked for; calibration: what it is multiplied by, see ``strength``.
    """

    epsilon: float
    calibration: Calibration | None = field(default=None, kw_only=True)

    label: ClassVar[str]
    palette_place: ClassVar[int]  # in the figures' palette, its own for ever: none changes its look when another joins
    idea: ClassVar[str]
    source: ClassVar[str]
    formula: ClassVar[str]
    remaining_error: ClassVar[str] = ""  # what keeps its error from vanishing as epsilon grows; "" where nothing does
    draws_quickly: ClassVar[bool] = True  # in microseconds at any size, so that many may be asked for at once

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", limits.check_epsilon(self.epsilon))
        object.__setattr__(self, "calibration", check_calibration(self.calibration))

    # The four ---------------------------------------------------------------------------------------

    def log_pmf(self, problem: Problem, released: ArrayLike) -> NDArray[np.float64]:
        """log P(r | c): released (..., k) -> (...), -inf outside the support."""
        raise NotImplementedError

    def sample(self, problem: Problem, rng: np.random.Generator, size: int) -> NDArray[np.int64]:
        """Independent released counts, int64 (size, k)."""
        raise NotImplementedError

    def can_release(self, n: int, released: tuple[int, ...]) -> bool:
        """Whether some counts with this n lead to this release with positive probability."""
        raise NotImplementedError

    def guarantee(self, prior: ArrayLike, n: int) -> Guarantee:
        """What the rule promises by theorem or claim; a calibrated mechanism, what its exhaustive check showed."""
        prior, n = limits.check_prior(prior), limits.check_total(n)
        return calibrated_guarantee(self, prior, n) if self.calibration else self._promise(prior, n)

    def _promise(self, prior: tuple[float, ...], n: int) -> Guarantee:
        """The guarantee without calibration."""
        raise NotImplementedError

    def loss_law(self, prior: ArrayLike, n: int) -> LossLaw:
        """The law of the privacy loss, or one that exceeds it at every epsilon: randomised response at the guarantee.

        Raises ValueError where no epsilon is proved.
        """
        held = self.guarantee(prior, n)
        if not held.is_private or isinstance(held, NotPrivate):
            raise ValueError(f"{type(self).__name__} has no proved epsilon, so that no law bounds its loss: "
                             f"{held.words}.")
        if limits.check_total(n) == 0:
            return no_loss()
        return randomised_response(held.epsilon, held.delta if isinstance(held, ApproximateDP) else 0.0)

    def strength(self, prior: tuple[float, ...], n: int) -> float:
        """epsilon, calibrated: what to compute with. ValueError where a calibration was made for another prior or n."""
        return self.epsilon * self._multiplier(limits.check_prior(prior), limits.check_total(n))

    def _multiplier(self, prior: tuple[float, ...], n: int) -> float:
        return multiplier(self.calibration, prior, n) if self.calibration else 1.0

    def sharpened(self, times: float, prior: tuple[float, ...], n: int) -> Self:
        """The same mechanism with its strength multiplied, for one prior and n; nothing is certified by that."""
        prior, n = limits.check_prior(prior), limits.check_total(n)
        times = limits.between("times", times, LEAST, LARGEST)
        return replace(self, calibration=(times * self._multiplier(prior, n), prior, n))

    def sample_each(
        self, problems: Sequence[Problem], rng: np.random.Generator, size: int
    ) -> NDArray[np.int64]:
        """``size`` independent releases of each of one or more problems of one prior and n: int64 (problems, size, k).
        """
        return np.array([self.sample(problem, rng, size) for problem in check_problems(problems)])

    def log_laws(self, prior: ArrayLike, counts: ArrayLike, released: ArrayLike) -> NDArray[np.float64]:
        """log P(r | c) of one or more datasets of one n: counts (N, k); released (R, k), the same for all of them, or
        (N, R, k), its own for each -> (N, R).
        """
        of, c, r = _tables(prior, counts, released)
        each = zip(c.tolist(), np.broadcast_to(r, (len(c), *r.shape[-2:])), strict=True)
        return np.array([self.log_pmf(Problem(of.prior, tuple(one)), own) for one, own in each], dtype=np.float64)

    # By listing -------------------------------------------------------------------------------------

    def listing(self, prior: tuple[float, ...], n: int, most: int) -> Listing | None:
        """All it can release under every dataset; None where more than ``most`` pairs (c, r) or not certified."""
        prior, n = limits.check_prior(prior), limits.check_total(n)
        number = number_of_candidates(n, len(prior))
        if number * number > limits.whole_number("most", most, 0, PAIRS_LARGEST) or number * len(prior) > LISTED:
            return None
        return listing(self, prior, list_candidates(n, len(prior)), most)

    def audit(self, prior: tuple[float, ...], n: int) -> Audit:
        """The output laws of all datasets; ValueError where they are too many, or cannot all be listed."""
        return Audit(self, limits.check_prior(prior), limits.check_total(n))

    def likelihood(self, prior: tuple[float, ...], n: int, released: tuple[int, ...]) -> Likelihood:
        """log P(r | c) as a function of c, for ``noise_aware_posterior``; ValueError where it cannot be listed."""
        prior, n, r = self._checked(prior, n, released)
        datasets = self._datasets(n, len(prior))
        problems = (Problem(prior, tuple(counts)) for counts in datasets.tolist())
        return ListedLikelihood(datasets, np.array([self.log_pmf(problem, r) for problem in problems], dtype=float))

    def _datasets(self, n: int, k: int) -> NDArray[np.int64]:
        """All of them, if their likelihoods may be listed."""
        if number_of_candidates(n, k) > DATASETS:
            raise ValueError(
                f"Bayes' rule with this mechanism needs the output law of every dataset, at most {DATASETS:,} of "
                f"them: with k = {k} categories up to n = {largest_visited(k):,}, got n = {n:,}."
            )
        return list_candidates(n, k)

    def _checked(self, prior: Any, n: Any, released: Any) -> tuple[tuple[float, ...], int, tuple[int, ...]]:
        prior, n = limits.check_prior(prior), limits.check_total(n)
        return prior, n, check_released(self, len(prior), n, released)

    def distances(self, problem: Problem) -> DistanceTable | None:
        """The exact law of (H, steps) as a weighted table; None where the output space is too large to list."""
        found = listing(self, check_problem(problem).prior, np.array([problem.counts]), LISTABLE)
        if found is None:
            return None
        possible = found.log_law[0] > -np.inf
        released, probability = found.released[possible], np.exp(found.log_law[0, possible])
        moved = int(np.abs(released - problem.counts).sum(axis=1).max())
        return table_of(problem, [(released, probability)], moved, rows_to_keep(len(released), line=problem.k == 2))

    def nearest(self, problem: Problem) -> DistanceTable:
        """The outputs nearest to the truth, up to some distance all of them, with their exact probabilities.

        Here the truth alone.
        """
        truth = np.array([check_problem(problem).counts])
        return table_of(problem, [(truth, np.exp(self.log_pmf(problem, truth)))], moved=0, keep=1)

    def mean_distance(self, problem: Problem) -> float | None:
        """E[H] to 1e-9 without listing outputs; None where it is not known."""
        self._multiplier(check_problem(problem).prior, problem.n)
        return None

    def probability_of_ignoring(self, problem: Problem) -> float:
        """The share of releases that do not depend on the counts at all; 0 where none is known not to."""
        check_problem(problem)
        return 0.0

    def large_sample_law(self, shares: ArrayLike) -> LargeSampleLaw:
        """What the law of r - c tends to as counts grow at fixed shares (k,), all above 0, of sum 1.

        ValueError where none is known; for a calibrated mechanism, as a calibration holds for one n.
        """
        check_shares(shares)
        raise ValueError(f"{self.label} has no known law for many records.")

    def _check_uncalibrated(self) -> None:
        if self.calibration:
            raise ValueError(f"{self.label} calibrated has no law for many records: a calibration holds for one prior "
                             "and n. Take the mechanism as it is.")

    def published_noise(self, prior: tuple[float, ...], n: int, released: tuple[int, ...]) -> PublishedNoise | None:
        """The noise on the counts that led to this release, for its file; None where none is added to counts."""
        self._checked(prior, n, released)
        return None

    def rounding(self, prior: tuple[float, ...], n: int) -> float:
        """What the rounding of a secure draw adds to epsilon at most; ValueError where no secure draw can be made.

        4 eta, eta the error of a log weight (see ``secure_draw``): that of log P, and that of making it a whole number.
        """
        log_law = self.audit(prior, n).listed.log_law
        rarest = -float(log_law.min(where=log_law > -np.inf, initial=0.0))
        if rarest > _LOG_LEAST:
            raise ValueError(f"A secure draw supports log probabilities down to {-_LOG_LEAST:g}: with this epsilon and "
                             f"n = {n:,} they reach {-rarest:.3g}. Choose a smaller epsilon.")
        return 4 * (_LOG_ERROR * rarest + WEIGHT_ERROR)

    def draw_securely(self, problem: Problem, bits: Bits) -> tuple[int, ...]:
        """One release from fair bits, exact but for ``rounding``: by inversion of whole-number weights."""
        self.rounding(check_problem(problem).prior, problem.n)
        found = listing(self, problem.prior, np.array([problem.counts]), LISTABLE)
        if found is None:
            raise ValueError("This mechanism has no secure draw here: its releases cannot all be listed.")
        possible = found.log_law[0] > -np.inf
        log_weights = found.log_law[0, possible]
        chosen = WholeWeights(log_weights - log_weights.max()).draw(checked(bits))
        return tuple(found.released[possible][chosen].tolist())


@dataclass(frozen=True)
class AddedNoise(Mechanism):
    """Whole-number noise of decay proportional to epsilon, whatever the counts; the rest of a release is
    post-processing.

    A subclass writes ``_drawn``, noise for a prior and n, a row a release, ``_released``, counts with such rows, and
    ``_log_law``, log P(r | c) of counts and releases (..., k), broadcast, for the prior and n of a problem.
    """

    _basis: ClassVar[str]  # why its guarantee holds

    def _log_law(self, of: Problem, counts: NDArray[np.int64], released: ArrayLike) -> NDArray[np.float64]:
        raise NotImplementedError

    def log_pmf(self, problem: Problem, released: ArrayLike) -> NDArray[np.float64]:
        """log P(r | c): released (..., k) -> (...), -inf outside the support."""
        return self._log_law(check_problem(problem), np.array(problem.counts), released)

    def log_laws(self, prior: ArrayLike, counts: ArrayLike, released: ArrayLike) -> NDArray[np.float64]:
        """As of any mechanism, of all datasets together."""
        of, c, r = _tables(prior, counts, released)
        law = np.empty((len(c), r.shape[-2]))
        for rows in chunks(len(c), max(1, r.shape[-2])):
            law[rows] = self._log_law(of, c[rows, None], r if r.ndim == 2 else r[rows])
        return law

    def _drawn(self, prior: tuple[float, ...], n: int, rng: np.random.Generator, size: int) -> NDArray[np.int64]:
        raise NotImplementedError

    def _released(self, counts: NDArray[np.int64], noise: NDArray[np.int64]) -> NDArray[np.int64]:
        """counts (size, k), all of one n, with noise (size, noised): int64 (size, k)."""
        raise NotImplementedError

    def sample(self, problem: Problem, rng: np.random.Generator, size: int) -> NDArray[np.int64]:
        """Exact draws: int64 (size, k)."""
        size, rng = limits.check_size(size, check_problem(problem).k), limits.check_generator(rng)
        return self._noisy(np.array([problem.counts]), problem, rng, size)

    def sample_each(
        self, problems: Sequence[Problem], rng: np.random.Generator, size: int
    ) -> NDArray[np.int64]:
        """The noise of all is drawn together."""
        listed = check_problems(problems)
        size, rng = limits.check_size(size, len(listed) * listed[0].k), limits.check_generator(rng)
        tables = np.array([problem.counts for problem in listed])
        return self._noisy(tables, listed[0], rng, size).reshape(len(listed), size, -1)

    def _noisy(self, tables: NDArray[np.int64], of: Problem, rng: np.random.Generator, size: int) -> NDArray[np.int64]:
        noise = self._drawn(of.prior, of.n, rng, len(tables) * size)
        return self._released(np.repeat(tables, size, axis=0), noise)

    def _exact_decay(self, spread: int) -> Fraction:
        """epsilon over the spread, calibrated, as the fraction that the secure draw uses."""
        return (Fraction(self.calibration[0]) if self.calibration else 1) * Fraction(self.epsilon) / spread

    def _scale(self, spread: int) -> float:
        """One over the exact decay, rounded once."""
        return float(1 / self._exact_decay(spread))

    def _promise(self, prior: tuple[float, ...], n: int) -> Guarantee:
        """epsilon-DP for replacing one record: noise fitted to what one record can move, the rest post-processing."""
        return PureDP(self.epsilon, "theorem", self._basis)

    def rounding(self, prior: tuple[float, ...], n: int) -> float:
        """0: the decay is an exact fraction, the noise and the cuts are whole numbers."""
        limits.check_prior(prior)
        limits.check_total(n)
        return 0.0


def check_mechanism(value: Any) -> Any:
    """The value itself, if it is a mechanism that was made, with its epsilon: a class is none."""
    if not isinstance(value, Mechanism):
        raise ValueError("mechanism must be made of a class of dpbi.mechanisms and an epsilon: got "
                         f"{limits.shown(value)}.")
    return value


def name_of(mechanism: Mechanism) -> str:
    """What a mechanism is called where a calibrated one may stand beside it. Source: ours."""
    check_mechanism(mechanism)
    delta = delta_of(mechanism.calibration)
    allowed = f" with delta {printed_bound(delta)}" if delta else ""
    return f"{mechanism.label} calibrated{allowed}" if mechanism.calibration else mechanism.label


def check_problems(values: Any) -> tuple[Problem, ...]:
    """One or more problems of one prior and n."""
    listed = limits.sequence("problems", values, "of problems")
    for other in (one for one in listed if not isinstance(one, Problem)):
        limits.instance("problems", other, Problem, "dpbi.Problems")
    if len({(one.prior, one.n) for one in listed}) != 1:
        raise ValueError(f"problems must be one or more of one prior and n: got {len(listed):,} of several.")
    return listed


def check_released(mechanism: Mechanism, k: int, n: int, released: ArrayLike) -> tuple[int, ...]:
    """The k released counts as ints; ValueError unless this mechanism can release them for some counts."""
    values = limits.sequence("released", released, f"of {k} counts", limits.CATEGORIES_LARGEST, "counts")
    if len(values) != k:
        raise ValueError(f"released must hold {k} counts, one for each prior parameter: got {limits.shown(values)}.")
    r = tuple(limits.whole_number(f"released[{i}]", value, 0, limits.RELEASED_LARGEST)
              for i, value in enumerate(values))
    if not check_mechanism(mechanism).can_release(n, r):
        raise ValueError(f"released cannot be {limits.shown(r)}: no counts of n = {n:,} give it by {mechanism.label}, "
                         "the probability of this release is 0. Check the release, the mechanism, its options and n.")
    return r


def _tables(
    prior: ArrayLike, counts: ArrayLike, released: ArrayLike
) -> tuple[Problem, NDArray[np.int64], NDArray[np.int64]]:
    """The first of the datasets (N, k), all of them, and releases (R, k) or (N, R, k)."""
    c, r = limits.count_array("counts", counts), limits.whole_array("released", released)
    if c.ndim != 2 or not len(c) or np.ptp(c.sum(axis=1)):
        raise ValueError(f"counts must be one or more rows of one total: got shape {c.shape}, "
                         f"totals {limits.shown(sorted(set(c.sum(axis=-1).ravel().tolist())))}.")
    if r.shape[-1:] != c.shape[1:] or r.ndim not in (2, 3) or (r.ndim == 3 and len(r) != len(c)):
        raise ValueError(f"released must have shape (R, {c.shape[1]}) or ({len(c):,}, R, {c.shape[1]}): got {r.shape}.")
    return Problem(limits.check_prior(prior), tuple(c[0].tolist())), c, r


def released_vector(released: Any) -> tuple[int, ...]:
    """One release as ints, of any size; ValueError where it is no vector of whole numbers."""
    array = limits.whole_array("released", released)
    if array.ndim != 1 or array.size < limits.CATEGORIES_LEAST:
        raise ValueError(f"released must hold one count for each of at least two categories: got shape {array.shape}.")
    return tuple(array.tolist())


def released_counts(problem: Problem, released: ArrayLike, largest: int | None = None) -> NDArray[np.int64]:
    """released as int64 (..., k), what lies outside [0, largest] at -1 or largest + 1: no sum of it leaves 64 bits.

    largest: n where it is not given. ValueError where released is no array of whole numbers or has another number of
    categories.
    """
    array = limits.whole_array("released", released)
    if array.ndim == 0 or array.shape[-1] != check_problem(problem).k:
        raise ValueError(f"released must have {problem.k} categories in its last axis: got shape {array.shape}.")
    return np.clip(array, -1, (problem.n if largest is None else largest) + 1)
