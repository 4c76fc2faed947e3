"""K-norm noise: a vector of whole numbers as far from the counts as few records could have moved them."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpbi import limits
from dpbi.mechanisms.audit import Audit, Counts, Worst
from dpbi.mechanisms.distance_table import NEGLIGIBLE, DistanceTable
from dpbi.mechanisms.fair_bits import Bits, checked
from dpbi.mechanisms.large_sample import LargeSampleLaw, NoiseOnOne, StepsLaw, check_shares
from dpbi.mechanisms.likelihood import StepsLikelihood
from dpbi.mechanisms.loss_law import LossLaw, no_loss, three_losses
from dpbi.mechanisms.mechanism import AddedNoise, released_counts, released_vector
from dpbi.mechanisms.noise.audit import NoiseAudit, check_values
from dpbi.mechanisms.noise.law import GeometricNoise
from dpbi.mechanisms.noise.mean import mean_distance_of_steps_noise
from dpbi.mechanisms.noise.steps import StepsNoise
from dpbi.mechanisms.noise.table import steps_noise_table
from dpbi.mechanisms.published_noise import PublishedNoise
from dpbi.problem.problem import Problem, check_problem


class KNormAudit(Audit):
    """The loss of K-norm noise, cut at zero: epsilon whatever the counts, as nothing is lost by the cut."""

    found: Literal["closed form"] = "closed form"
    margin = NoiseAudit.margin

    def __init__(self, mechanism: Any, prior: tuple[float, ...], n: int, noise: StepsNoise) -> None:
        self.mechanism, self.prior, self.n, self.noise = mechanism, prior, n, noise

    def worst(self, multiplier: float = 1.0) -> Worst:
        """epsilon, attained by c' = c - e_a + e_b iff r_a >= c_a >= 1 and r_b <= c_b: at c = r = (n, 0, ...)."""
        rest = (0,) * (self.noise.k - 2)
        counts = (self.n, 0, *rest)
        if self.n == 0:
            return 0.0, counts, counts, counts
        return self.noise.epsilon * multiplier, counts, (self.n - 1, 1, *rest), counts

    def profile(self, epsilons: NDArray[np.float64], multiplier: float = 1.0) -> NDArray[np.float64]:
        noise = replace(self.noise, epsilon=multiplier * self.noise.epsilon)
        return noise.profile(epsilons) if self.n else np.zeros(epsilons.size)

    def marginal(self, counts: Counts, category: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Values of one released count, as far as the noise reaches, and their probabilities under a dataset.

        Raises ValueError where the noise reaches too far to list them.
        """
        count = counts[category]
        if self.n == 0:
            return np.zeros(1, dtype=np.int64), np.ones(1)
        reach = int(np.ceil(2 * NEGLIGIBLE / self.noise.epsilon))
        check_values(2 * reach + 1)
        probability = self.noise.marginal(reach)
        released = count + np.arange(-reach, reach + 1)
        inside = released >= 0
        kept = probability[inside]
        if not inside.all():
            kept[0] += probability[~inside].sum()
        return released[inside], kept


@dataclass(frozen=True)
class KNorm(AddedNoise):
    """r = max(t, 0), P(t | c) proportional to e^{-epsilon steps(c, t)} over whole t with sum n, negative ones too.

    steps = ||t - c||_1 / 2 counts the records that were replaced: it is the metric of neighbours itself. With
    s = sum r - n >= 0, z the zeros of r, and x = coth(epsilon / 2),
    P(r | c) = C(s + z - 1, z - 1) e^{-epsilon (||r - c||_1 + s) / 2} / P_{k-1}(x), P_{k-1} a Legendre polynomial;
    without a zero s must be 0. epsilon: privacy loss, which is attained: calibration has nothing to give. At k = 2 the
    noise is Geometric's; a release can exceed n here. n = 0 is released as it is.
    Source: Hardt and Talwar 2010; Awan and Slavkovic 2021; on whole numbers of fixed sum ours.
    """

    label: ClassVar[str] = "KNorm"
    palette_place: ClassVar[int] = 8
    idea: ClassVar[str] = (
        "Whole-number noise on all counts together, fitted to what one person can move. With two categories its noise "
        "is Geometric's, and only at the ends of the range do their releases differ."
    )
    source: ClassVar[str] = "ours, beyond the papers; Hardt and Talwar 2010, Awan and Slavkovic 2021"
    formula: ClassVar[str] = (
        r"r = t_+,\quad P(t) \propto e^{-\varepsilon \lVert t - c \rVert_1 / 2},\; \textstyle\sum t_i = n"
    )
    _basis: ClassVar[str] = "K-norm mechanism: the noise falls off with the neighbours' own metric, post-processed"

    def _noise(self, prior: tuple[float, ...], n: int) -> StepsNoise:
        return StepsNoise(self._multiplier(prior, n) * self.epsilon, len(prior))

    def _noise_for(self, problem: Problem) -> StepsNoise:
        return self._noise(check_problem(problem).prior, problem.n)

    def _log_law(self, of: Problem, counts: NDArray[np.int64], released: ArrayLike) -> NDArray[np.float64]:
        """In closed form, -inf outside the support and for counts beyond 2^52."""
        r, noise = released_counts(of, released, limits.RELEASED_LARGEST), self._noise_for(of)
        law = noise.log_released(counts, r) if of.n else np.where((r == counts).all(axis=-1), 0.0, -np.inf)
        return np.where((r <= limits.RELEASED_LARGEST).all(axis=-1), law, -np.inf)

    def _drawn(self, prior: tuple[float, ...], n: int, rng: np.random.Generator, size: int) -> NDArray[np.int64]:
        noise = self._noise(prior, n)
        return noise.sample(rng, size) if n else np.zeros((size, len(prior)), dtype=np.int64)

    def _released(self, counts: NDArray[np.int64], noise: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.maximum(counts + noise, 0)

    def can_release(self, n: int, released: tuple[int, ...]) -> bool:
        n, r = limits.check_total(n), released_vector(released)
        if min(r) < 0 or max(r) > limits.RELEASED_LARGEST:
            return False
        return sum(r) == n or sum(r) > n > 0 == min(r)

    def likelihood(self, prior: tuple[float, ...], n: int, released: tuple[int, ...]) -> StepsLikelihood:
        prior, n, r = self._checked(prior, n, released)
        return StepsLikelihood(self._noise(prior, n).epsilon, r)

    def published_noise(self, prior: tuple[float, ...], n: int, released: tuple[int, ...]) -> PublishedNoise | None:
        """None at n = 0, which gets no noise."""
        prior, n, _ = self._checked(prior, n, released)
        k, noise = len(prior), self._noise(prior, n)
        if n == 0:
            return None
        return PublishedNoise(noise.published_as, noise.formula, self._scale(2), independent=False, floor=0,
                              carries_noise=(True,) * k, ceiling=(None,) * k)

    def draw_securely(self, problem: Problem, bits: Bits) -> tuple[int, ...]:
        """As ``sample``, in whole numbers only."""
        noise, bits = self._noise_for(problem), checked(bits)
        if problem.n == 0:
            return problem.counts
        drawn = noise.draw_exactly(self._exact_decay(2), bits)
        return tuple(max(count + d, 0) for count, d in zip(problem.counts, drawn, strict=True))

    def distances(self, problem: Problem) -> DistanceTable | None:
        """Exact over all noise of a few / epsilon steps: what lies outside has probability below 1e-18."""
        return steps_noise_table(problem, self._noise_for(problem))

    def audit(self, prior: tuple[float, ...], n: int) -> KNormAudit:
        prior, n = limits.check_prior(prior), limits.check_total(n)
        return KNormAudit(self, prior, n, self._noise(prior, n))

    def loss_law(self, prior: ArrayLike, n: int) -> LossLaw:
        """For every pair of neighbours with a record to give: +epsilon where t_a >= c_a and t_b <= c_b, -epsilon where
        both fail (``StepsNoise.profile``)."""
        prior, n = limits.check_prior(prior), limits.check_total(n)
        noise = self._noise(prior, n)
        return three_losses(noise.epsilon, noise.attained) if n else no_loss()

    def large_sample_law(self, shares: ArrayLike) -> LargeSampleLaw:
        """The noise itself; at k = 2 it is two-sided geometric."""
        p = check_shares(shares)
        self._check_uncalibrated()
        if len(p) == 2:
            return NoiseOnOne(p, GeometricNoise(self.epsilon))
        return StepsLaw(p, StepsNoise(self.epsilon, len(p)))

    def mean_distance(self, problem: Problem) -> float | None:
        """E[H], where releases whose total exceeds n are too rare to count; else None."""
        return mean_distance_of_steps_noise(problem, self._noise_for(problem))
