"""The privacy loss of the Laplace family, from its structure: independent noise, a cut, a remainder."""

from itertools import product
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dpbi.mechanisms.audit import Audit, Worst
from dpbi.mechanisms.distance_table import NEGLIGIBLE

from .law import IntegerNoise, cut_log_pmf

# Beyond two counts from the truth a neighbour's probabilities differ by the constant factor e^{+-decay}: merging all
# outputs beyond three loses nothing, and so every dataset away from the ends of 0..n behaves alike.
_NEAR = 3
VALUES = 1_000_000  # of one released count, that can be listed


class NoiseAudit(Audit):
    """The loss of noise on ``noised`` of k counts, each cut to [0, n] or, ``consistent``, to what earlier ones left."""

    found: Literal["closed form"] = "closed form"

    def __init__(
        self, mechanism: Any, prior: tuple[float, ...], n: int, noise: IntegerNoise, noised: int, consistent: bool
    ) -> None:
        self.mechanism, self.prior, self.n, self.k = mechanism, prior, n, len(prior)
        self.noise, self.noised, self.consistent = noise, noised, consistent

    def margin(self, loss: float) -> float:
        """Rounding of a closed form."""
        return 1e-12 + 1e-13 * loss

    def worst(self, multiplier: float = 1.0) -> Worst:
        """The loss with counts, neighbour and output that attain it, the noise's decay times ``multiplier``.

        A cut count's log ratio is at most ``decay`` per count moved, since cutting is post-processing of the noise.
        With one noised category in the pair, c = (n, 0) -> (n - 1, 1) attains it at r = (n, 0); with two,
        c = (1, n - 1, 0...) -> (2, n - 2, 0...) attains twice that at r = (0, n, 0...), for n >= 2. The output takes
        all that is left, so that it is possible with ``consistent`` too.
        """
        n, rest, noise = self.n, (0,) * (self.k - 2), self.noise.sharpened(multiplier)
        if n == 0:
            return 0.0, (0, 0, *rest), (0, 0, *rest), (0, 0, *rest)
        if self.noised == 1:
            return noise.decay, (n, 0), (n - 1, 1), (n, 0)
        counts, neighbour = ((1, n - 1), (2, n - 2)) if n >= 2 else ((0, 1), (1, 0))
        loss = sum(float(cut_log_pmf(noise, c, np.array(r), n) - cut_log_pmf(noise, d, np.array(r), n))
                   for c, d, r in zip(counts, neighbour, (0, n), strict=True))
        return loss, (*counts, *rest), (*neighbour, *rest), (0, n, *rest)

    def marginal(self, counts: tuple[int, ...], category: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Values of one noised count, as far as its noise reaches, and their probabilities under a dataset.

        Raises ValueError where the noise reaches too far to list them.
        """
        reach = int(np.ceil(NEGLIGIBLE / self.noise.decay)) + 1
        count = counts[category]
        low, high = max(0, count - reach), min(self.n, count + reach)
        check_values(high - low + 1)
        released = np.arange(low, high + 1)
        return released, np.exp(cut_log_pmf(self.noise, count, released, self.n))

    def profile(self, epsilons: NDArray[np.float64], multiplier: float = 1.0) -> NDArray[np.float64]:
        """max over neighbours of the hockey-stick divergence, per epsilon.

        One or two noised counts move, the others' noise integrates out; two independent counts' log ratios add up.
        But where what a count is cut to depends on the earlier ones, nothing integrates out: all are listed.
        """
        if self.consistent and self.k > 2:
            self.check()
            return super().profile(epsilons, multiplier)
        n, noise, delta = self.n, self.noise.sharpened(multiplier), np.zeros(epsilons.size)
        values = sorted({c for near in range(_NEAR + 1) for c in (near, n - near, n // 2) if 0 <= c <= n})
        if self.noised < self.k:
            for c, moved in product(values, (-1, 1)):
                if 0 <= c + moved <= n:
                    delta = np.maximum(delta, _hockey_stick(*_log_ratios(noise, c, moved, n), epsilons))
        if self.noised >= 2:
            for up, down in product(values, values):
                if down >= 1 and up + down <= n:
                    (a, p), (b, q) = _log_ratios(noise, up, 1, n), _log_ratios(noise, down, -1, n)
                    pair = np.add.outer(a, b).ravel(), np.multiply.outer(p, q).ravel()
                    delta = np.maximum(delta, _hockey_stick(*pair, epsilons))
        return delta


def check_values(number: int) -> None:
    """ValueError where a released count has too many values to list."""
    if number > VALUES:
        raise ValueError(
            f"The law of a released count spreads over {number:,} values: at most {VALUES:,} can be listed. "
            "Choose a larger epsilon."
        )


def _log_ratios(noise: IntegerNoise, c: int, moved: int, n: int) -> tuple[NDArray, NDArray]:
    """log P_c(r) - log P_{c + moved}(r) and P_c(r), outputs far from c merged."""
    low, high = max(0, c - _NEAR), min(n, c + _NEAR)
    r, ceiling = np.arange(high - low + 1), high - low
    here = cut_log_pmf(noise, c - low, r, ceiling)
    return here - cut_log_pmf(noise, c + moved - low, r, ceiling), np.exp(here)


def _hockey_stick(ratio: NDArray, probability: NDArray, epsilons: NDArray) -> NDArray:
    """sum_r P(r) (1 - e^{epsilon - ratio(r)})_+, a ratio of epsilon up to rounding contributing nothing."""
    excess = epsilons[:, None] - ratio[None, :]
    over = np.where(excess < -1e-12, -np.expm1(np.minimum(excess, 0.0)), 0.0)
    # Row by row: a matrix product sums an epsilon in an order that depends on how many others there are.
    return np.asarray((over * probability).sum(axis=1))
