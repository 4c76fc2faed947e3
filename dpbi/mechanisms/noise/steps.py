"""K-norm noise on whole numbers of fixed sum: P(t | c) = e^{-epsilon steps(c, t)} / Z over t in Z^k, sum t = sum c.

steps(c, t) = ||t - c||_1 / 2 is the metric of neighbouring datasets itself and Z does not depend on c, so that the
triangle inequality gives epsilon-DP. Only max(t, 0) is released; t given that does not depend on c, so nothing is lost.
With x = coth(epsilon / 2) and Legendre polynomials P_m, Z = P_{k-1}(x): the constant term of
prod_i sum_d q^|d| z^d, q = e^{-epsilon / 2}, is Laplace's integral of P_{k-1}.
Source: Hardt and Talwar 2010, Awan and Slavkovic 2021, for real numbers; on whole numbers ours (README,
"The limit of privacy").
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from dpbi.mechanisms.distance_table import NEGLIGIBLE
from dpbi.mechanisms.fair_bits import Bits, bernoulli_exp_of_any, most_tries, two_sided_geometric, unfair
from dpbi.posterior import chunks

_TRIED = np.linspace(0.02, 0.98, 49)  # shares of epsilon for Chernoff's bound
_BLOCK = 4_000_000
_FEW = 10  # categories up to which all of a trial's variables take no longer than their sums

Odds = TypeVar("Odds", float, NDArray[np.float64])
_Tried = Callable[[np.random.Generator, int], tuple[NDArray[np.int64], NDArray[np.int64]]]


@dataclass(frozen=True)
class StepsNoise:
    """The noise D = t - c, (k,), sum D = 0, P(D) proportional to e^{-epsilon ||D||_1 / 2}.

    epsilon: per step, > 0; k: categories, >= 2.
    """

    epsilon: float
    k: int

    published_as: ClassVar[str] = "KNorm"
    formula: ClassVar[str] = (
        "P(D = d) is proportional to exp(-sum(abs(d)) / scale), d a vector of whole numbers with sum 0"
    )

    @cached_property
    def _above_one(self) -> NDArray[np.float64]:
        """As ``_ratios_above_one``, with d = 2 / (e^epsilon - 1)."""
        return np.array([*_ratios_above_one(-2 * math.exp(-self.epsilon) / math.expm1(-self.epsilon), self.k)])

    @cached_property
    def log_partition(self) -> float:
        """log Z = log P_{k-1}(x); P(t = c) = 1 / Z."""
        return float(np.log1p(self._above_one).sum())

    @property
    def mean_steps(self) -> float:
        """E[steps(c, t)] = -d log Z / d epsilon = (k - 1) / 2 (x - P_{k-2} / P_{k-1})."""
        first, last = float(self._above_one[0]), float(self._above_one[-1])
        return (self.k - 1) / 2 * (first + last / (1 + last))

    @property
    def attained(self) -> float:
        """P(t_a >= c_a, t_b <= c_b) = P_{k-2} / ((1 - e^{-epsilon}) P_{k-1}), which is P(loss = epsilon)."""
        return float(1 / -math.expm1(-self.epsilon) / (1 + self._above_one[-1]))

    def profile(self, epsilons: NDArray[np.float64]) -> NDArray[np.float64]:
        """delta at each epsilon' >= 0, the same for all neighbours c, c' = c - e_a + e_b.

        steps(c', t) - steps(c, t) is 1 where t_a >= c_a and t_b <= c_b, -1 where both fail and else 0, so
        delta = (1 - e^{epsilon' - epsilon})_+ P(t_a >= c_a, t_b <= c_b).
        """
        return np.asarray(-np.expm1(np.minimum(epsilons - self.epsilon, 0.0)) * self.attained)

    @cached_property
    def reach(self) -> int:
        """J such that P(steps > J) < e^-42, by Chernoff: Z(share epsilon) / Z(epsilon) e^{-(1 - share) epsilon J}."""
        tried = _TRIED * self.epsilon
        log_z = sum(map(np.log1p, _ratios_above_one(-2 * np.exp(-tried) / np.expm1(-tried), self.k)))
        return math.ceil(((log_z - self.log_partition + NEGLIGIBLE) / (self.epsilon - tried)).min())

    @property
    def listed(self) -> int:
        """The number of D of at most ``reach`` steps: sum_i C(k-1, i)^2 C(J - i + k - 1, k - 1)."""
        k, reach = self.k, self.reach
        return sum(math.comb(k - 1, i) ** 2 * math.comb(reach - i + k - 1, k - 1) for i in range(min(k - 1, reach) + 1))

    def log_released(self, counts: NDArray[np.int64], released: NDArray[np.int64]) -> NDArray[np.float64]:
        """log P(max(t, 0) = r | c): counts of one sum and released, (..., k), broadcast, -> (...); -inf where it cannot
        be.

        The t that give r share steps(c, t) = (||r - c||_1 + s) / 2, s = sum r - n: what lies below zero sums to s, and
        C(s + z - 1, z - 1) ways divide it among the z zeros of r. Without a zero s must be 0.
        """
        excess = released.sum(axis=-1) - int(counts.sum(axis=-1).flat[0])
        zeros = (released == 0).sum(axis=-1)
        possible = (released >= 0).all(axis=-1) & (excess >= 0) & ((zeros > 0) | (excess == 0))
        moved = np.abs(released - counts).sum(axis=-1)
        ways = _log_ways(np.where(possible, excess, 0), np.where(possible, zeros, 0))
        law = ways - self.epsilon / 2 * (moved + np.where(possible, excess, 0)) - self.log_partition
        return np.where(possible, law, -np.inf)

    def sample(self, rng: np.random.Generator, size: int) -> NDArray[np.int64]:
        """Independent draws of D, int64 (size, k).

        k - 1 two-sided geometric variables of decay epsilon / 2 are kept with probability e^{-epsilon |sum| / 2}, the
        last is minus their sum. Each is the difference of two geometric ones; of many categories their sums alone, two
        negative binomials, are drawn for the rejection, as given its sum a vector of geometric variables is a uniform
        composition.
        """
        drawn = np.empty((size, self.k), dtype=np.int64)
        for rows in chunks(size, self.k, _BLOCK):
            block = drawn[rows]
            if self.k <= _FEW:
                block[:, :-1] = self._accepted(rng, len(block), self._apart)
            else:
                up, down = self._accepted(rng, len(block), self._sums).T
                block[:, :-1] = _compositions(rng, up, self.k - 1) - _compositions(rng, down, self.k - 1)
            block[:, -1] = -block[:, :-1].sum(axis=1)
        return drawn

    @property
    def _kept(self) -> float:
        """The share of all trials that is kept, Z ((1 - q) / (1 + q))^{k - 1}."""
        return math.exp(self.log_partition + (self.k - 1) * math.log(math.tanh(self.epsilon / 4)))

    def _accepted(self, rng: np.random.Generator, size: int, tried: _Tried) -> NDArray[np.int64]:
        """So many rows of those that ``tried`` gives, each with the sum that it is kept or rejected by."""
        found = np.empty((0, 0), dtype=np.int64)
        while len(found) < size:
            trials = int(1.1 * (size - len(found)) / self._kept) + 10
            rows, total = tried(rng, trials)
            accepted = rows[rng.random(trials) < np.exp(-self.epsilon / 2 * np.abs(total))]
            found = np.concatenate([found, accepted]) if len(found) else accepted
        return found[:size]

    def _apart(self, rng: np.random.Generator, trials: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The k - 1 variables; the whole part of an exponential one is geometric."""
        up, down = np.floor(rng.standard_exponential((2, trials, self.k - 1)) / (self.epsilon / 2))
        rows = (up - down).astype(np.int64)
        return rows, rows.sum(axis=1)

    def _sums(self, rng: np.random.Generator, trials: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """What their rises and falls come to."""
        odds = -math.exp(-self.epsilon / 2) / math.expm1(-self.epsilon / 2)  # q / (1 - q)
        rows = rng.poisson(rng.standard_gamma(self.k - 1, (2, trials)) * odds).T
        return rows, rows[:, 0] - rows[:, 1]

    def draw_exactly(self, decay: Fraction, bits: Bits) -> tuple[int, ...]:
        """One draw of D at an exact decay = epsilon / 2, from fair bits and whole numbers only."""
        for _ in range(most_tries(self._kept)):
            drawn = [two_sided_geometric(decay, bits) for _ in range(self.k - 1)]
            cost = decay * abs(sum(drawn))
            if bernoulli_exp_of_any(cost.numerator, cost.denominator, bits):
                return (*drawn, -sum(drawn))
        raise unfair(most_tries(self._kept))

    def marginal(self, reach: int) -> NDArray[np.float64]:
        """P(D_1 = d), d = -reach .. reach: the k - 1 others sum to -d, by a Fourier transform, error 1e-16 of the most.

        sum_d q^|d| e^{iwd} is proportional to 1 / (1 + sin(w / 2)^2 / sinh(epsilon / 4)^2).
        """
        length = 1 << (2 * reach + 1).bit_length()
        wave = np.sin(np.pi * np.arange(length // 2 + 1) / length) ** 2
        steepness = 4 * math.exp(-self.epsilon / 2) / math.expm1(-self.epsilon / 2) ** 2
        others = np.maximum(np.fft.irfft((1 + wave * steepness) ** (1.0 - self.k), length), 0.0)
        d = np.arange(-reach, reach + 1)
        weight = others[np.abs(d)] * np.exp(-self.epsilon / 2 * np.abs(d))
        return np.asarray(weight / weight.sum())


def _ratios_above_one(d: Odds, k: int) -> Iterator[Odds]:
    """rho_m - 1 for the ratios rho_m = P_m(x) / P_{m-1}(x) at x = 1 + d, m = 1 .. k - 1.

    Legendre's recurrence (m + 1) rho_{m+1} = (2 m + 1) x - m / rho_m becomes
    (m + 1) (rho_{m+1} - 1) = (2 m + 1) d + m (rho_m - 1) / rho_m: positive terms alone.
    """
    above = d
    yield above
    for m in range(1, k - 1):
        above = ((2 * m + 1) * d + m * (above / (1 + above))) / (m + 1)
        yield above


def _log_ways(excess: NDArray[np.int64], zeros: NDArray[np.int64]) -> NDArray[np.float64]:
    """log C(s + z - 1, z - 1) = sum_{0 < i < z} log1p(s / i), 0 where z = 0, without subtracting log-gammas."""
    shape = np.broadcast(excess, zeros).shape
    s, where = np.unique(excess, return_inverse=True)
    z = np.asarray(zeros).reshape(-1)
    rows, found = np.asarray(where).reshape(-1), np.empty(z.size)
    order = np.argsort(rows, kind="stable")
    most = int(z.max(initial=0))
    divisors = np.arange(1, max(most, 1))
    for part in chunks(s.size, max(most, 1)):
        table = np.zeros((s[part].size, max(most, 1) + 1))
        table[:, 2:] = np.cumsum(np.log1p(s[part, None] / divisors), axis=1)
        here = order[np.searchsorted(rows[order], part.start):np.searchsorted(rows[order], part.stop)]
        found[here] = table[rows[here] - part.start, z[here]]
    return found.reshape(shape)


def _compositions(rng: np.random.Generator, totals: NDArray[np.int64], parts: int) -> NDArray[np.int64]:
    """Uniform on the vectors of ``parts`` whole numbers >= 0 with each total: multinomial at Dir(1, ..., 1)."""
    if parts == 1:
        return totals[:, None]
    share = rng.standard_exponential((totals.size, parts))
    return np.asarray(rng.multinomial(totals, share / share.sum(axis=1, keepdims=True)))
