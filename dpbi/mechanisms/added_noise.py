"""What all mechanisms that add noise to the counts answer alike."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpbi import limits
from dpbi.mechanisms.calibration import Calibratable
from dpbi.mechanisms.distance_table import DistanceTable
from dpbi.mechanisms.guarantee import Guarantee, PureDP
from dpbi.mechanisms.mechanism import released_vector
from dpbi.mechanisms.selection.table import nearest_table
from dpbi.problem.problem import Problem, check_problem


@dataclass(frozen=True)
class AddedNoise(Calibratable):
    """Whole-number noise of decay proportional to epsilon; the rest of a release is post-processing."""

    _basis: ClassVar[str] = ""

    def log_pmf(self, problem: Problem, released: ArrayLike) -> NDArray[np.float64]:
        raise NotImplementedError

    def _exact_decay(self, spread: int) -> Fraction:
        """epsilon over the spread, calibrated, as the fraction that the secure draw uses."""
        return (Fraction(self.calibration[0]) if self.calibration else 1) * Fraction(self.epsilon) / spread

    def _promise(self, prior: tuple[float, ...], n: int) -> Guarantee:
        """epsilon-DP for replacing one record: noise fitted to what one record can move, the rest post-processing."""
        return PureDP(self.epsilon, "theorem", self._basis)

    def rounding(self, prior: tuple[float, ...], n: int) -> float:
        """0: the decay is an exact fraction, the noise and the cuts are whole numbers."""
        limits.check_prior(prior)
        limits.check_total(n)
        return 0.0

    def can_release(self, n: int, released: tuple[int, ...]) -> bool:
        raise NotImplementedError

    def _checked(self, prior: Any, n: Any, released: Any) -> tuple[tuple[float, ...], int, tuple[int, ...]]:
        prior, n, r = limits.check_prior(prior), limits.check_total(n), released_vector(released)
        if len(r) != len(prior):
            raise ValueError(f"released must be {len(prior)} counts: got {limits.shown(r)}.")
        if not self.can_release(n, r):
            raise ValueError(f"released cannot be {limits.shown(r)}: no counts of n = {n:,} "
                             "give it by this mechanism.")
        return prior, n, r

    def nearest(self, problem: Problem) -> DistanceTable:
        """The truth alone, with its exact probability."""
        log_truth = float(self.log_pmf(problem, check_problem(problem).counts))
        return nearest_table(problem, 0.0).tilted(0.0, -log_truth)

    def probability_of_ignoring(self, problem: Problem) -> float:
        """0: the noise is always added to the counts."""
        check_problem(problem)
        return 0.0
