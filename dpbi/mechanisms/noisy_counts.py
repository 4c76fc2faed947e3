"""The Laplace family: integer noise on the counts, cut to [0, n]."""

import math
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpbi import limits
from dpbi.mechanisms.distance_table import DistanceTable
from dpbi.mechanisms.fair_bits import Bits, checked
from dpbi.mechanisms.large_sample import CountsLaw, LargeSampleLaw, NoiseOnOne, check_shares
from dpbi.mechanisms.likelihood import CutNoiseLikelihood
from dpbi.mechanisms.loss_law import LossLaw, no_loss, three_losses
from dpbi.mechanisms.mechanism import AddedNoise, released_counts, released_vector
from dpbi.mechanisms.noise.audit import NoiseAudit
from dpbi.mechanisms.noise.law import (
    FlooredLaplace,
    GeometricNoise,
    IntegerNoise,
    ceilings,
    holds_remainder,
    released_log_pmf,
)
from dpbi.mechanisms.noise.mean import mean_distance
from dpbi.mechanisms.noise.table import noisy_counts_table
from dpbi.mechanisms.published_noise import CUT_IN_TURN, REMAINDER, PublishedNoise
from dpbi.problem.problem import Problem, check_problem


@dataclass(frozen=True)
class _NoisyCounts(AddedNoise):
    """Noise on a fixed number of counts, each cut to [0, n]; any category left over gets what remains of n.

    ``_noise(k)`` is the law of one count's noise, its decay epsilon / ``_spread(k)``; ``_noised(k)`` says how many
    counts carry noise, k or k - 1.
    With ``consistent`` each count is cut to what the earlier ones left, so that the released counts sum to n;
    without it the last count is max(0, n - sum of the others) and the total can exceed n, never fall below.
    """

    consistent: ClassVar[bool] = False
    remaining_error: ClassVar[str] = (
        "its noise is rounded down to whole counts, so that even next to no noise makes a count too small by one in "
        "half of all releases, which matters most where counts are small"
    )

    def _spread(self, k: int) -> int:
        """How far one record can move the first k - 1 counts: with two categories one of the two moves, else both."""
        return 1 if k == 2 else 2

    def _noise(self, k: int) -> IntegerNoise:
        return FlooredLaplace(self._spread(k) / self.epsilon)

    def _noised(self, k: int) -> int:
        return k - 1

    def _calibrated_noise(self, prior: tuple[float, ...], n: int) -> IntegerNoise:
        return self._noise(len(prior)).sharpened(self._multiplier(prior, n))

    def _noise_for(self, problem: Problem) -> IntegerNoise:
        return self._calibrated_noise(check_problem(problem).prior, problem.n)

    def _log_law(self, of: Problem, counts: NDArray[np.int64], released: ArrayLike) -> NDArray[np.float64]:
        """Sum over noised counts of log P(cut noise), -inf unless the remainder fits."""
        r = released_counts(of, released)
        return released_log_pmf(self._noise_for(of), of.n, counts, r, self._noised(of.k), self.consistent)

    def _drawn(self, prior: tuple[float, ...], n: int, rng: np.random.Generator, size: int) -> NDArray[np.int64]:
        return self._calibrated_noise(prior, n).sample(rng, (size, self._noised(len(prior))))

    def _released(self, counts: NDArray[np.int64], noise: NDArray[np.int64]) -> NDArray[np.int64]:
        """Noise, cut, remainder."""
        released = np.empty(counts.shape, dtype=np.int64)
        n = counts.sum(axis=1)
        left = n.copy()
        noised = noise.shape[1]
        for i in range(noised):
            released[:, i] = np.clip(counts[:, i] + noise[:, i], 0, left)
            if self.consistent:
                left -= released[:, i]
        if noised < counts.shape[1]:
            released[:, -1] = np.maximum(n - released[:, :-1].sum(axis=1), 0)
        return released

    def can_release(self, n: int, released: tuple[int, ...]) -> bool:
        n, r = limits.check_total(n), np.array(released_vector(released))
        noised = self._noised(r.size)
        cut = (r >= 0).all() and (r <= ceilings(n, r, self.consistent))[:noised].all()
        return bool(cut and holds_remainder(n, r, noised))

    def likelihood(self, prior: tuple[float, ...], n: int, released: tuple[int, ...]) -> CutNoiseLikelihood:
        prior, n, r = self._checked(prior, n, released)
        return CutNoiseLikelihood(self._calibrated_noise(prior, n), n, r, self._noised(len(prior)), self.consistent)

    def published_noise(self, prior: tuple[float, ...], n: int, released: tuple[int, ...]) -> PublishedNoise:
        prior, n, r = self._checked(prior, n, released)
        k, noise = len(prior), self._calibrated_noise(prior, n)
        noised = self._noised(k)
        left = ceilings(n, np.array(r), self.consistent).tolist()
        done = [CUT_IN_TURN] * self.consistent + [REMAINDER] * (noised < k)
        return PublishedNoise(
            noise.published_as, noise.formula, self._scale(self._spread(k)), independent=True, floor=0,
            carries_noise=tuple(i < noised for i in range(k)),
            ceiling=tuple(left[i] if i < noised else None for i in range(k)), post_processing=tuple(done))

    def draw_securely(self, problem: Problem, bits: Bits) -> tuple[int, ...]:
        """As ``sample``, in whole numbers only."""
        noise, bits = self._noise_for(problem), checked(bits)
        decay, n = self._exact_decay(self._spread(problem.k)), problem.n
        drawn = [noise.draw_exactly(decay, bits) for _ in range(self._noised(problem.k))]
        cut = np.array([[min(max(d, -n), n) for d in drawn]], dtype=np.int64)  # no whole number leaves 64 bits
        return tuple(self._released(np.array([problem.counts]), cut)[0].tolist())

    def distances(self, problem: Problem) -> DistanceTable | None:
        """Exact over a window of width O(b) per noised count: what lies outside has probability below 1e-15."""
        return noisy_counts_table(problem, self._noise_for(problem), self._noised(problem.k), self.consistent)

    def audit(self, prior: tuple[float, ...], n: int) -> NoiseAudit:
        prior, n = limits.check_prior(prior), limits.check_total(n)
        return NoiseAudit(
            self, prior, n, self._calibrated_noise(prior, n), self._noised(len(prior)), self.consistent)

    def large_sample_law(self, shares: ArrayLike) -> LargeSampleLaw:
        """The noise itself, which is cut nowhere in the limit."""
        p = check_shares(shares)
        self._check_uncalibrated()
        noise, noised = self._noise(len(p)), self._noised(len(p))
        return NoiseOnOne(p, noise) if noised == 1 else CountsLaw(p, noise, noised)

    def mean_distance(self, problem: Problem) -> float | None:
        """E[H], where releases whose total exceeds n are too rare to count; else None."""
        return mean_distance(problem, self._noise_for(problem), self._noised(problem.k), self.consistent)


@dataclass(frozen=True)
class LSZhang(_NoisyCounts):
    """r_i = floor(c_i + Lap(b)) cut to [0, n], for every category i; b = 2k/epsilon or 2/epsilon.

    epsilon: privacy loss; scale_rule: "2k" ([D20] Algorithm 1) or "2" ([P17] section 3, [L17], and the squared
    formula of [D20] Theorem 4.5). Replacing one record moves two counts by one, so the exact loss is
    epsilon / k with "2k" and epsilon with "2".
    Deviation: Algorithm 1's loop stops at k - 1 and leaves the last parameter 0, which no Dirichlet distribution has;
    it is read as all k.
    """

    scale_rule: str = field(
        default="2k", metadata={"label": "Noise scale (numerator of b)", "options": ("2k", "2")}
    )

    label: ClassVar[str] = "LSZhang"
    palette_place: ClassVar[int] = 0
    idea: ClassVar[str] = "Laplace noise on every count, scaled to the dimension."
    source: ClassVar[str] = (
        "[D20] Algorithm 1, whose last parameter stays 0; the sentence in [P17] section 3; Zhang, Rubinstein and "
        "Dimitrakakis 2016"
    )
    formula: ClassVar[str] = r"r_i = \lfloor c_i + \mathrm{Lap}(2k/\varepsilon) \rfloor_0^n,\quad i = 1, \dots, k"
    _basis: ClassVar[str] = "Laplace mechanism on all k counts, L1 sensitivity 2"

    def __post_init__(self) -> None:
        super().__post_init__()
        limits.one_of("scale_rule", self.scale_rule, ("2k", "2"))

    def _spread(self, k: int) -> int:
        return 2 * k if self.scale_rule == "2k" else 2

    def _noised(self, k: int) -> int:
        return k


@dataclass(frozen=True)
class _NoisyCountsAndRemainder(_NoisyCounts):
    """Noise on all counts but the last, for which a person may ask that the released counts sum to n."""

    consistent: bool = field(  # type: ignore[misc]
        default=False,
        metadata={
            "label": "Cut in turn, to sum to n",
            "help": "Each count is cut to what those before it left of n. Otherwise each is cut to n by itself: with "
            "two categories they sum to n all the same, with more the sum can be larger.",
        },
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        limits.instance("consistent", self.consistent, bool, "True or False")


@dataclass(frozen=True)
class LSDim(_NoisyCountsAndRemainder):
    """r_i = floor(c_i + Lap(k/epsilon)) cut to [0, n] for i < k, and r_k takes what remains of n.

    epsilon: privacy loss; consistent: cut each count to what the earlier ones left, so that the total is n
    ([P17] section 7.2.2). The exact loss is epsilon/2 at k = 2 and 2 epsilon/k above.
    """

    label: ClassVar[str] = "LSDim"
    palette_place: ClassVar[int] = 1
    idea: ClassVar[str] = "Laplace noise on all counts but one, scaled to the number of categories."
    source: ClassVar[str] = "[D20] Algorithm 2; [P20] Algorithm 1; [P17] section 4.1.3"
    formula: ClassVar[str] = (
        r"r_i = \lfloor c_i + \mathrm{Lap}(k/\varepsilon) \rfloor_0^n,\; i < k;\quad r_k = (n - \textstyle\sum r_i)_+"
    )
    _basis: ClassVar[str] = "Laplace mechanism on k - 1 counts, then post-processing"

    def _spread(self, k: int) -> int:
        return k


@dataclass(frozen=True)
class LSHist(_NoisyCountsAndRemainder):
    """r_i = floor(c_i + Lap(D/epsilon)) cut to [0, n] for i < k, r_k the remainder; D = 1 if k = 2, else 2.

    D is the L1 sensitivity of the first k - 1 counts under replacement of one record. epsilon: privacy loss, which
    is attained; consistent: as for LSDim.
    """

    label: ClassVar[str] = "LSHist"
    palette_place: ClassVar[int] = 2
    idea: ClassVar[str] = "Laplace noise on all counts but one, scaled to what one person can move."
    source: ClassVar[str] = "[D20] Algorithm 3; [P20] Algorithm 2; [P17] section 4.1.4"
    formula: ClassVar[str] = (
        r"r_i = \lfloor c_i + \mathrm{Lap}(\Delta/\varepsilon) \rfloor_0^n,\; i < k;\quad "
        r"\Delta = 1 \text{ if } k = 2 \text{ else } 2"
    )
    _basis: ClassVar[str] = "Laplace mechanism on k - 1 counts, L1 sensitivity 1 (k = 2) or 2, then post-processing"


@dataclass(frozen=True)
class Geometric(_NoisyCountsAndRemainder):
    """r_i = c_i + D_i cut to [0, n] for i < k, P(D = d) proportional to e^{-epsilon |d| / D}, r_k the remainder.

    As LSHist with two-sided geometric noise in place of floored Laplace noise. epsilon: privacy loss, which is
    attained; consistent: as for LSDim. Beyond the papers: integer noise needs no floor, whose bias is -1/2.
    Source: Ghosh, Roughgarden and Sundararajan 2009.
    """

    remaining_error: ClassVar[str] = ""
    label: ClassVar[str] = "Geometric"
    palette_place: ClassVar[int] = 3
    idea: ClassVar[str] = "Whole-number noise on all counts but one: no floor, no bias."
    source: ClassVar[str] = "ours, beyond the papers; noise of Ghosh, Roughgarden and Sundararajan 2009"
    formula: ClassVar[str] = (
        r"r_i = (c_i + D_i)_0^n,\; i < k;\quad P(D = d) \propto e^{-\varepsilon |d| / \Delta}"
    )
    _basis: ClassVar[str] = "geometric mechanism on k - 1 counts, L1 sensitivity 1 (k = 2) or 2, then post-processing"

    def loss_law(self, prior: ArrayLike, n: int) -> LossLaw:
        """A record that moves between two counts with noise moves each by one: two independent losses of
        +-epsilon / 2, each positive with probability 1 / (1 + q), q = e^{-epsilon / 2}. With the count without noise
        for one of them there is one; at k = 2 it is +-epsilon."""
        prior, n = limits.check_prior(prior), limits.check_total(n)
        epsilon = self.strength(prior, n)
        if n == 0:
            return no_loss()
        most = 1 / (1 + math.exp(-epsilon)) if len(prior) == 2 else 1 / (1 + math.exp(-epsilon / 2)) ** 2
        return three_losses(epsilon, most)

    def _noise(self, k: int) -> IntegerNoise:
        return GeometricNoise(self.epsilon / self._spread(k))
