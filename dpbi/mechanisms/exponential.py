"""The exponential family: P(r) proportional to exp(-rate H(Dir(alpha + c), Dir(alpha + r))) over all candidates r."""

import math
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpbi import limits, partition
from dpbi.mechanisms.distance_table import NEGLIGIBLE, DistanceTable
from dpbi.mechanisms.fair_bits import Bits, checked
from dpbi.mechanisms.guarantee import ApproximateDP, Guarantee, NotPrivate, PureDP
from dpbi.mechanisms.large_sample import LargeSampleLaw, check_shares, exponential_law
from dpbi.mechanisms.likelihood import ListedLikelihood
from dpbi.mechanisms.listing import PAIRS_LARGEST, Listing
from dpbi.mechanisms.mechanism import Mechanism, released_counts, released_vector
from dpbi.mechanisms.selection.audit import SelectionAudit
from dpbi.mechanisms.selection.secure_draw import draw_securely, rounding_of_secure_draw
from dpbi.mechanisms.selection.table import candidates_table, nearest_table
from dpbi.posterior.hellinger import distances_to
from dpbi.problem import Problem, check_problem, log_number_of_candidates, number_of_candidates
from dpbi.sensitivity import PAPER_GLOBAL_SENSITIVITY, global_sensitivity, least_local_sensitivity, local_sensitivity
from dpbi.sensitivity.closed_form import local_at, smooth_at


@dataclass(frozen=True)
class _HellingerSelection(Mechanism):
    """Chooses one candidate count vector, a near one more likely; a subclass says how steeply (``rate``)."""

    draws_quickly: ClassVar[bool] = False

    def _sensitivities(self, prior: tuple[float, ...], counts: NDArray[np.int64]) -> NDArray[np.float64]:
        """What epsilon / 2 is divided by, for datasets (..., k) of one size n >= 1: (...)."""
        raise NotImplementedError

    def _least_sensitivity(self, prior: tuple[float, ...], n: int) -> float:
        """What ``_sensitivities`` of no dataset of size n >= 1 falls below; public, as it asks for no counts."""
        return least_local_sensitivity(prior, n)

    def _rates(self, prior: tuple[float, ...], counts: NDArray[np.int64]) -> NDArray[np.float64]:
        """epsilon / (2 sensitivity), per unit of Hellinger distance, for datasets (..., k) of one size n >= 1."""
        rates = self.epsilon / (2 * self._sensitivities(prior, counts))
        return rates * self._multiplier(prior, int(counts.sum(axis=-1).flat[0]))

    def rate(self, problem: Problem) -> float:
        """epsilon / (2 sensitivity) of one problem; 0 where n = 0, as there is one candidate only."""
        return _rate(self, check_problem(problem))

    def audit(self, prior: tuple[float, ...], n: int) -> SelectionAudit:
        prior, n = limits.check_prior(prior), limits.check_total(n)
        self._multiplier(prior, n)
        return SelectionAudit(prior, n, lambda counts: self._rates(prior, counts))

    def listing(self, prior: tuple[float, ...], n: int, most: int) -> Listing | None:
        """The candidates, by their distances from each other."""
        prior, n = limits.check_prior(prior), limits.check_total(n)
        if number_of_candidates(n, len(prior)) ** 2 > limits.whole_number("most", most, 0, PAIRS_LARGEST):
            return None
        return self.audit(prior, n).laws(1.0)

    def log_pmf(self, problem: Problem, released: ArrayLike) -> NDArray[np.float64]:
        """log P(r | c) = -rate H - log Z(rate), -inf unless r >= 0 sums to n."""
        r = released_counts(problem, released)
        candidate = (r >= 0).all(axis=-1) & (r.sum(axis=-1) == problem.n)
        rate = self.rate(problem)
        log_z = partition.quickest_log_partition(problem, rate)
        law = -rate * distances_to(problem, np.where(candidate[..., None], r, problem.counts)) - log_z
        return np.where(candidate, law, -np.inf)

    def sample(self, problem: Problem, rng: np.random.Generator, size: int) -> NDArray[np.int64]:
        """Exact draws, int64 (size, k): by listing the candidates where that is quick, else by the mixture identity."""
        return partition.sample(problem, self.rate(problem), rng, size)

    def can_release(self, n: int, released: tuple[int, ...]) -> bool:
        r = released_vector(released)
        return min(r) >= 0 and sum(r) == limits.check_total(n)

    def likelihood(self, prior: tuple[float, ...], n: int, released: tuple[int, ...]) -> ListedLikelihood:
        """log P(r | c) of every dataset: a column of the listing."""
        prior, n, r = self._checked(prior, n, released)
        datasets = self._datasets(n, len(prior))
        column = np.flatnonzero((datasets == r).all(axis=1))
        return ListedLikelihood(datasets, self.audit(prior, n).listed.log_law[:, column[0]])

    def rounding(self, prior: tuple[float, ...], n: int) -> float:
        """By the largest rate that any dataset could have."""
        prior, n = limits.check_prior(prior), limits.check_total(n)
        largest_rate = self.strength(prior, n) / (2 * self._least_sensitivity(prior, n)) if n else 0.0
        return rounding_of_secure_draw(n, len(prior), largest_rate)

    def draw_securely(self, problem: Problem, bits: Bits) -> tuple[int, ...]:
        return draw_securely(problem, self.rate(problem), checked(bits))

    def distances(self, problem: Problem) -> DistanceTable | None:
        """All candidates, weighted by exp(-rate H); None where they are too many to list."""
        table = candidates_table(check_problem(problem))
        return None if table is None else table.tilted(self.rate(problem))

    def nearest(self, problem: Problem) -> DistanceTable:
        """The candidates nearest to the truth, P = exp(-rate H) / Z: up to LS(c), and to where they hold all mass."""
        rate = self.rate(problem)
        if not problem.n:
            return super().nearest(problem)
        distance = max(local_sensitivity(problem), min(1.0, NEGLIGIBLE / rate))
        return nearest_table(problem, distance).tilted(rate, partition.log_partition(problem, rate))

    def probability_of_ignoring(self, problem: Problem) -> float:
        """a_0 Z_0 / Z, as ``partition.probability_of_ignoring``."""
        return partition.probability_of_ignoring(problem, self.rate(problem))

    @property
    def _spread_of_many(self) -> float:
        """What ``_sensitivities`` over LS tends to as counts grow in all categories; infinity where it has no limit."""
        raise NotImplementedError

    def large_sample_law(self, shares: ArrayLike) -> LargeSampleLaw:
        """P(delta) proportional to e^{-epsilon ||delta||_p / (2 spread m_p)}, sum delta = 0.

        Convergence by dominated convergence: as log Γ has second derivative >= 1/x, -log BC >= |delta|^2 / 8 (A + n),
        rate H >= const min(|delta|, sqrt n), and beyond |delta| = sqrt n no more than n^{k-1} e^{-const sqrt n} lies.
        ValueError where the sensitivity does not shrink with n: the rate stays bounded, of the n^{k-1} candidates all
        but n^{(k-1)/2} lie at H -> 1, and so does E[H].
        """
        p = check_shares(shares)
        self._check_uncalibrated()
        if not math.isfinite(self._spread_of_many):
            raise ValueError(f"{self.label} has no law for many records here: the sensitivity it divides by does not "
                             "shrink as n grows, so that nearly all candidates keep their weight and its mean distance "
                             "tends to 1.")
        return exponential_law(p, self.epsilon, self._spread_of_many)

    def mean_distance(self, problem: Problem) -> float:
        """E[H] at any size."""
        return partition.mean_distance(problem, self.rate(problem))


@dataclass(frozen=True)
class EHD(_HellingerSelection):
    """rate = epsilon / (2 GS), GS the global sensitivity of H for this prior and n.

    epsilon: privacy loss; global_sensitivity: "exact", or "paper" for the constant sqrt(1 - pi/4) of [D20], with
    which the mechanism is epsilon max(1, GS / constant)-DP. The exact loss is 0.5 to 0.9 epsilon.
    """

    global_sensitivity: str = field(
        default="exact", metadata={"label": "Global sensitivity", "options": ("exact", "paper")}
    )

    label: ClassVar[str] = "EHD"
    palette_place: ClassVar[int] = 4
    idea: ClassVar[str] = "Exponential mechanism scored by Hellinger distance, scaled to the worst dataset."
    source: ClassVar[str] = (
        "[D20] Algorithm 4; [P20] Algorithm 3; [P17] section 4.1.1; [N] section 2.1; McSherry and Talwar 2007"
    )
    formula: ClassVar[str] = r"P(r) \propto \exp\left(-\frac{\varepsilon H(r)}{2\,GS}\right)"

    def __post_init__(self) -> None:
        super().__post_init__()
        limits.one_of("global_sensitivity", self.global_sensitivity, ("exact", "paper"))

    def _sensitivities(self, prior: tuple[float, ...], counts: NDArray[np.int64]) -> NDArray[np.float64]:
        totals = counts.sum(axis=-1)
        return np.full(totals.shape, self._least_sensitivity(prior, int(totals.flat[0])))

    def _least_sensitivity(self, prior: tuple[float, ...], n: int) -> float:
        """The one of all datasets."""
        return PAPER_GLOBAL_SENSITIVITY if self.global_sensitivity == "paper" else global_sensitivity(prior, n)

    @property
    def _spread_of_many(self) -> float:
        """GS tends to a constant above 0, LS to 0."""
        return math.inf

    def _promise(self, prior: tuple[float, ...], n: int) -> Guarantee:
        """epsilon-DP by the exponential mechanism; times GS / constant where the papers' constant is too small."""
        if self.global_sensitivity == "exact" or n == 0:
            return PureDP(self.epsilon, "theorem", "exponential mechanism, score of sensitivity GS")
        excess = max(1.0, global_sensitivity(prior, n) / PAPER_GLOBAL_SENSITIVITY)
        return PureDP(self.epsilon * excess, "theorem",
                      "exponential mechanism with the papers' constant in place of GS: epsilon max(1, GS / 0.46325)")


@dataclass(frozen=True)
class EHDL(_HellingerSelection):
    """rate = epsilon / (2 LS(c)): the rate itself reveals the data, so this is the negative control.

    epsilon: the nominal loss, not a promise (prior (100, 1000, 100), n = 25, epsilon = 1: exact loss 2.06).
    """

    label: ClassVar[str] = "EHDL"
    palette_place: ClassVar[int] = 5
    idea: ClassVar[str] = "As EHD, scaled to the sensitivity of the very data and so revealing it: not private."
    source: ClassVar[str] = "[D20] Algorithm 5; [P20] Algorithm 4; [P17] section 4.1.2; [N] section 2.2"
    formula: ClassVar[str] = r"P(r) \propto \exp\left(-\frac{\varepsilon H(r)}{2\,LS(c)}\right)"

    def _sensitivities(self, prior: tuple[float, ...], counts: NDArray[np.int64]) -> NDArray[np.float64]:
        return local_at(np.array(prior), counts)

    @property
    def _spread_of_many(self) -> float:
        return 1.0

    def _promise(self, prior: tuple[float, ...], n: int) -> Guarantee:
        """None: local sensitivity depends on the private counts ([P17] section 5.1)."""
        return NotPrivate("the rate is set by the local sensitivity of the private counts; kept as a negative control")


@dataclass(frozen=True)
class EHDS(_HellingerSelection):
    """rate = epsilon / (2 (1 + gamma) S(c)), S the reciprocal gamma-smooth sensitivity.

    epsilon: privacy loss; gamma >= 0: smoothness per step, 0 gives EHD. gamma = 1 is [P20]'s 4 S; [P17] Definition 6
    (2 S, proved 2 epsilon-DP) is EHDS at 2 epsilon.
    """

    gamma: float = field(default=1.0, metadata={"label": "gamma, smoothness per step"})

    label: ClassVar[str] = "EHDS"
    palette_place: ClassVar[int] = 6
    idea: ClassVar[str] = "As EHD, scaled to a smooth bound on the dataset's own sensitivity."
    source: ClassVar[str] = "[D20] Algorithm 6 and Theorem 3.1; [P20] Algorithm 5; [P17] section 5.2.5"
    formula: ClassVar[str] = r"P(r) \propto \exp\left(-\frac{\varepsilon H(r)}{2 (1 + \gamma)\, S_\gamma(c)}\right)"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "gamma", limits.check_gamma(self.gamma))

    def _sensitivities(self, prior: tuple[float, ...], counts: NDArray[np.int64]) -> NDArray[np.float64]:
        return (1 + self.gamma) * smooth_at(np.array(prior), counts, self.gamma, "reciprocal")

    def _least_sensitivity(self, prior: tuple[float, ...], n: int) -> float:
        """S(c) >= LS(c), and S(c) >= 1 / (1/GS + gamma n), as the worst dataset is at most n steps away."""
        smoothed = 1 / (1 / global_sensitivity(prior, n) + self.gamma * n)
        return (1 + self.gamma) * max(least_local_sensitivity(prior, n), smoothed)

    @property
    def _spread_of_many(self) -> float:
        """1 + gamma: from some n on S = LS. 1/LS changes by at most const / sqrt n a step near p, less than gamma, and
        farther off gamma d is of the order of n, more than 1/LS. At gamma = 0 S is GS."""
        return 1 + self.gamma if self.gamma else math.inf

    def _promise(self, prior: tuple[float, ...], n: int) -> Guarantee:
        """epsilon-DP: |1/S(c) - 1/S(c')| <= gamma and |H(c, r) - H(c', r)| <= S(c) bound each ratio by epsilon/2."""
        return PureDP(self.epsilon, "theorem", "exponential mechanism with smooth sensitivity ([D20] Theorem 3.1)")


@dataclass(frozen=True)
class EHDNRS(_HellingerSelection):
    """rate = epsilon / (2 S_beta(c)), S_beta the exponential smooth sensitivity, beta set by epsilon and delta.

    beta = ln(1 - epsilon / (2 ln(delta / (2 N)))), N the number of candidates (n + 1 at k = 2).
    epsilon, delta in (0, 1): the claimed (epsilon, delta); the proof in [N] is unsound, so the claim is no theorem.
    Deviation: [N] writes n + 1 for N, right at k = 2 only.
    """

    delta: float = field(default=1e-8, metadata={"label": "delta"})

    label: ClassVar[str] = "EHDNRS"
    palette_place: ClassVar[int] = 7
    idea: ClassVar[str] = "As EHD, scaled to the smooth sensitivity of Nissim, Raskhodnikova and Smith."
    source: ClassVar[str] = "[N] section 2.3; [P17] Definition 3; Nissim, Raskhodnikova and Smith 2007"
    formula: ClassVar[str] = (
        r"P(r) \propto \exp\left(-\frac{\varepsilon H(r)}{2\, S_\beta(c)}\right),\quad "
        r"\beta = \ln\left(1 - \frac{\varepsilon}{2 \ln(\delta / 2N)}\right)"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "delta", limits.check_delta(self.delta))

    def beta(self, n: int, k: int) -> float:
        """The smoothness per step, ln(1 - epsilon / (2 ln(delta / (2 N)))) > 0."""
        n, k = limits.check_total(n), limits.whole_number("k", k, limits.CATEGORIES_LEAST, limits.CATEGORIES_LARGEST)
        return math.log1p(-self.epsilon / (2 * (math.log(self.delta) - math.log(2) - log_number_of_candidates(n, k))))

    def _sensitivities(self, prior: tuple[float, ...], counts: NDArray[np.int64]) -> NDArray[np.float64]:
        n, k = int(counts.sum(axis=-1).flat[0]), counts.shape[-1]
        return smooth_at(np.array(prior), counts, self.beta(n, k), "exponential")

    def _least_sensitivity(self, prior: tuple[float, ...], n: int) -> float:
        """S(c) >= LS(c), and S(c) >= GS e^{-beta n}, as the worst dataset is at most n steps away."""
        smoothed = global_sensitivity(prior, n) * math.exp(-self.beta(n, len(prior)) * n)
        return max(least_local_sensitivity(prior, n), smoothed)

    @property
    def _spread_of_many(self) -> float:
        """1: from some n on S = LS. beta falls as 1 / log n; log LS changes by const / n a step near p, less than
        beta, and farther off e^{-beta d} is below LS, of the order of 1 / sqrt n."""
        return 1.0

    def _promise(self, prior: tuple[float, ...], n: int) -> Guarantee:
        """(epsilon, delta)-DP as claimed in [N] Lemma 2.3."""
        return ApproximateDP(self.epsilon, self.delta, "claim", "[N] Lemma 2.3; its proof is unsound, so not a theorem")


@lru_cache(maxsize=256)
def _rate(mechanism: _HellingerSelection, problem: Problem) -> float:
    """``rate``, kept: law, mean and partition each ask for it."""
    if problem.n:
        return float(mechanism._rates(problem.prior, np.array(problem.counts)))
    mechanism._multiplier(problem.prior, 0)
    return 0.0
