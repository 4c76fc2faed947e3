"""A tenth mechanism, written as README.md says: one class, one line that lists it, and its oracle.

``-p tests.newcomer`` lets any tests run with it; ``join`` adds it in a process that has begun.
"""

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

from dpbi import MECHANISMS, limits, mechanisms
from dpbi.mechanisms import Mechanism
from dpbi.mechanisms.guarantee import ApproximateDP, Guarantee
from dpbi.mechanisms.mechanism import released_counts, released_vector
from dpbi.problem.problem import Problem, check_problem
from tests import oracles
from tests.oracles import Law, Real, mp

_TABLE = 200.0  # sigma up to which sums are made term by term


@dataclass(frozen=True)
class DiscreteGaussian(Mechanism):
    """r_i = c_i + D_i cut to [0, n] for i < k, P(D = d) proportional to e^{-d^2 / 2 sigma^2}, r_k what remains of n."""

    delta: float = field(default=1e-6, metadata={"label": "delta"})

    label: ClassVar[str] = "Gaussian"
    palette_place: ClassVar[int] = len(MECHANISMS)  # the next free one
    idea: ClassVar[str] = "Gaussian whole-number noise on all counts but one."
    source: ClassVar[str] = "Canonne, Kamath and Steinke 2020"
    formula: ClassVar[str] = r"r_i = (c_i + D_i)_0^n,\; i < k;\quad P(D = d) \propto e^{-d^2 / 2 \sigma^2}"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "delta", limits.check_delta(self.delta))

    def guarantee(self, prior: ArrayLike, n: int) -> Guarantee:
        limits.check_prior(prior)
        limits.check_total(n)
        if self.calibration:
            return super().guarantee(prior, n)
        return ApproximateDP(self.epsilon, self.delta, "claim", "the classical Gaussian mechanism's, for epsilon < 1")

    def _sigma(self, problem: Problem) -> float:
        moved = 1 if check_problem(problem).k == 2 else 2
        return math.sqrt(2 * moved * math.log(1.25 / self.delta)) / self.strength(problem.prior, problem.n)

    def log_pmf(self, problem: Problem, released: ArrayLike) -> NDArray[np.float64]:
        r, n = released_counts(problem, released), problem.n
        possible = (r >= 0).all(axis=-1) & (r <= n).all(axis=-1)
        possible &= r[..., -1] == np.maximum(n - r[..., :-1].sum(axis=-1), 0)
        law, sigma = np.zeros(r.shape[:-1]), self._sigma(problem)
        for i, count in enumerate(problem.counts[:-1] if n else ()):
            d = r[..., i] - count
            inside = -(d / sigma) ** 2 / 2 - _log_all(sigma)
            ends = (_log_at_least(sigma, count), _log_at_least(sigma, n - count))
            law = law + np.where(r[..., i] == 0, ends[0], np.where(r[..., i] == n, ends[1], inside))
        return np.where(possible, law, -np.inf)

    def sample(self, problem: Problem, rng: np.random.Generator, size: int) -> NDArray[np.int64]:
        sigma, rng, size = self._sigma(problem), limits.check_generator(rng), limits.check_size(size, problem.k)
        noise = _draws(sigma, rng, size * (problem.k - 1)).reshape(size, problem.k - 1)
        released = np.clip(noise + problem.counts[:-1], 0, problem.n)
        return np.column_stack([released, np.maximum(problem.n - released.sum(axis=1), 0)])

    def can_release(self, n: int, released: tuple[int, ...]) -> bool:
        r = released_vector(released)
        return min(r) >= 0 and max(r) <= limits.check_total(n) and r[-1] == max(n - sum(r[:-1]), 0)


def _log_all(sigma: float) -> float:
    """log sum_d e^{-d^2 / 2 sigma^2}."""
    if sigma > 1:
        return math.log(sigma * math.sqrt(2 * math.pi)) + math.log1p(2 * math.exp(-2 * (math.pi * sigma) ** 2))
    return math.log1p(2 * math.fsum(math.exp(-((d / sigma) ** 2) / 2) for d in range(1, 10)))


def _log_at_least(sigma: float, d: int) -> float:
    """log P(D >= d), d >= 0; beyond the table by the midpoint rule and its first correction, 1e-3 / sigma^4 apart."""
    if sigma > _TABLE:
        from scipy.special import log_ndtr

        x = (d - 0.5) / sigma
        tail = float(log_ndtr(-x))
        return tail + math.log1p(-x * math.exp(-x * x / 2 - tail) / (24 * sigma**2 * math.sqrt(2 * math.pi)))
    i = np.arange(math.ceil(9.5 * sigma) + 1.0)
    return float(np.log(np.exp(-i * (2 * d + i) / 2 / sigma**2).sum()) - (d / sigma) ** 2 / 2 - _log_all(sigma))


def _draws(sigma: float, rng: np.random.Generator, size: int) -> NDArray[np.int64]:
    """Two-sided geometric d of decay 1/t, t about sigma, kept with probability e^{-(|d| - sigma^2/t)^2 / 2 sigma^2}."""
    t = math.floor(sigma) + 1
    drawn = np.empty(0, dtype=np.int64)
    while drawn.size < size:
        tried = np.subtract(*rng.geometric(-math.expm1(-1 / t), (2, 2 * size + 10)))
        kept = rng.random(tried.size) < np.exp(-(((np.abs(tried) - sigma**2 / t) / sigma) ** 2) / 2)
        drawn = np.concatenate([drawn, tried[kept]])
    return drawn[:size]


def cut_gaussian(count: int, n: int, sigma: Real) -> list[Real]:
    """P(cut(count + D) = r), r = 0..n: P(D >= d) term by term, or (1 - P(|D| < d)) / 2 with digits enough for that."""
    if n == 0:
        return [mp.one]
    with mp.workdps(60 + (int(n**2 / sigma**2) if sigma > 3 else 0)):
        # by Poisson's summation the faster of two theta series
        q = mp.exp(-1 / (2 * sigma**2))
        whole = (mp.jtheta(3, 0, q) if sigma < 1
                 else sigma * mp.sqrt(2 * mp.pi) * mp.jtheta(3, 0, mp.exp(-2 * (mp.pi * sigma) ** 2)))
        p = [mp.exp(-mp.mpf(d) ** 2 / (2 * sigma**2)) / whole for d in range(n + 1)]

        def at_least(d: int) -> Real:
            if sigma <= 3:
                return mp.fsum(mp.exp(-mp.mpf(i) ** 2 / (2 * sigma**2)) for i in range(d, d + 50)) / whole
            return (1 - mp.fsum(p[abs(i)] for i in range(1 - d, d))) / 2 if d else (1 + p[0]) / 2

        return [at_least(count), *(p[abs(r - count)] for r in range(1, n)), at_least(n - count)]


def law_gaussian(prior: Sequence[Any], counts: Sequence[int], epsilon: Any, delta: Any = 1e-6) -> Law:
    """Gaussian whole-number noise on counts 1 ... k-1, the last from n."""
    n, moved = sum(counts), oracles.histogram_sensitivity(len(counts))
    sigma = mp.sqrt(2 * moved * mp.log(mp.mpf("1.25") / mp.mpf(delta))) / mp.mpf(epsilon)
    return oracles._noised_law([cut_gaussian(c, n, sigma) for c in counts[:-1]], oracles._with_last(n, False))


def join(put: Callable[[Any, str, Any], None] = setattr) -> None:
    """The line in ``MECHANISMS`` and that in ``LAWS``; modules that hold the tuple get the longer one."""
    joined = (*MECHANISMS, DiscreteGaussian)
    put(mechanisms, DiscreteGaussian.__name__, DiscreteGaussian)
    put(oracles, "LAWS", oracles.LAWS | {DiscreteGaussian.__name__: law_gaussian})
    for module in list(sys.modules.values()):
        if vars(module).get("MECHANISMS") == joined[:-1]:
            put(module, "MECHANISMS", joined)


def pytest_configure(config: pytest.Config) -> None:
    join()
