"""The privacy loss of the exponential family, by visiting every pair of neighbours and every output."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dpbi.frozen_result import frozen
from dpbi.mechanisms.audit import Counts, Worst
from dpbi.mechanisms.distance_table import chunks
from dpbi.posterior.hellinger import count_loss, distance_of_loss
from dpbi.problem.candidates import list_candidates, number_of_candidates
from dpbi.problem.neighbours import neighbours

DATASETS = 2_101  # at most, since all pairs (dataset, output) are held: k = 2 up to n = 2,100, k = 3 to 63, k = 4 to 21

Rates = Callable[[NDArray[np.int64]], NDArray[np.float64]]


def check_size(n: int, k: int) -> None:
    """ValueError where there are too many datasets to visit every pair, naming the largest n that works."""
    if number_of_candidates(n, k) > DATASETS:
        raise ValueError(
            f"n is too large for an exhaustive check: with k = {k} categories every pair of datasets can be visited "
            f"up to n = {largest_visited(k):,}, got n = {n:,}."
        )


def largest_visited(k: int) -> int:
    """The largest n >= 1 with at most DATASETS datasets of k categories."""
    largest = 1
    while number_of_candidates(largest + 1, k) <= DATASETS:
        largest += 1
    return largest


class SelectionAudit:
    """log P_c(r) for all datasets c and outputs r of P_c(r) proportional to exp(-rate(c) H(c, r)).

    prior, n: public; rates: counts (N, k) -> (N,). The distances are computed once, any multiple of the rates later;
    and when first asked for, so that making an audit only says whether it can be done.
    """

    found: Literal["exhaustive"] = "exhaustive"

    def __init__(self, prior: tuple[float, ...], n: int, rates: Rates) -> None:
        check_size(n, len(prior))
        self.prior, self.n, self._rates = prior, n, rates

    @cached_property
    def datasets(self) -> NDArray[np.int64]:
        return frozen(list_candidates(self.n, len(self.prior)))

    @cached_property
    def rate(self) -> NDArray[np.float64]:
        return frozen(self._rates(self.datasets) if self.n else np.zeros(1))

    @cached_property
    def distance(self) -> NDArray[np.float64]:
        return distance_matrix(self.prior, self.n)

    def log_laws(self, multiplier: float = 1.0) -> NDArray[np.float64]:
        """log P_c(r), rows c, columns r, at multiplier times the rates. The truth has weight 1, so Z >= 1."""
        log_law = self.distance * (-multiplier * self.rate[:, None])
        return log_law - np.log(np.exp(log_law).sum(axis=1, keepdims=True))

    @cached_property
    def pairs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Rows of all neighbouring datasets (c, c').

        Where categories share a prior parameter, permuting them permutes everything: only the c whose counts are in
        order within such categories are visited, with all their neighbours.
        """
        row = {tuple(counts): at for at, counts in enumerate(self.datasets.tolist())}
        here, there = [], []
        for at in np.flatnonzero(self._in_order()) if self.n else ():
            found = [row[tuple(other)] for other in neighbours(self.datasets[at]).tolist()]
            here += [at] * len(found)
            there += found
        return frozen(np.array(here, dtype=np.int64)), frozen(np.array(there, dtype=np.int64))

    def _blocks(self) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        here, there = self.pairs
        for part in chunks(here.size, len(self.datasets)):
            yield here[part], there[part]

    def _in_order(self) -> NDArray[np.bool_]:
        ordered = np.ones(len(self.datasets), dtype=bool)
        for alpha in set(self.prior):
            alike = [i for i, other in enumerate(self.prior) if other == alpha]
            for a, b in pairwise(alike):
                ordered &= self.datasets[:, a] <= self.datasets[:, b]
        return ordered

    @staticmethod
    def margin(loss: float) -> float:
        """A log probability errs by a few 1e-13, and by a few 1e-13 of itself where it is large (tests: 50 digits)."""
        return 1e-10 + 1e-11 * loss

    def worst(self, multiplier: float = 1.0) -> Worst:
        """max over neighbours and outputs of log P_c(r) - log P_c'(r), and c, c', r that attain it to the margin.

        Of several they are the first in the order of ``pairs`` and outputs, which no rounding changes.
        """
        log_law = self.log_laws(multiplier)
        blocks = list(self._blocks())
        largest = np.array([(log_law[rows] - log_law[others]).max() for rows, others in blocks])
        loss = float(largest.max(initial=0.0))
        if not loss:
            truth = tuple(self.datasets[0].tolist())
            return 0.0, truth, truth, truth
        attained = loss - min(self.margin(loss), loss / 2)
        rows, others = blocks[int((largest >= attained).argmax())]
        ratio = log_law[rows] - log_law[others]
        pair, released = divmod(int((ratio >= attained).argmax()), ratio.shape[1])
        counts, neighbour, output = (tuple(self.datasets[at].tolist()) for at in (rows[pair], others[pair], released))
        return loss, counts, neighbour, output

    def by_count(self) -> NDArray[np.float64]:
        """k = 2: for c = (u, n - u), u = 0..n, the largest log ratio to a neighbour."""
        step = np.diff(self.log_laws(), axis=0)
        loss = np.zeros(self.n + 1)
        loss[:-1] = np.maximum(loss[:-1], (-step).max(axis=1))
        loss[1:] = np.maximum(loss[1:], step.max(axis=1))
        return loss

    def marginal(self, counts: Counts, category: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Values 0..n of one released count and their probabilities under a dataset."""
        row = int(np.flatnonzero((self.datasets == np.array(counts)).all(axis=1))[0])
        law = np.exp(self.log_laws()[row])
        return np.arange(self.n + 1), np.bincount(self.datasets[:, category], law, self.n + 1).astype(np.float64)

    def profile(self, epsilons: NDArray[np.float64]) -> NDArray[np.float64]:
        """max over neighbours of sum_r (P_c(r) - e^epsilon P_c'(r))_+, per epsilon."""
        log_law = self.log_laws()
        law = np.exp(log_law)
        delta = np.zeros(epsilons.size)
        for rows, others in self._blocks():
            ratio = log_law[rows] - log_law[others]
            for at, epsilon in enumerate(epsilons):
                # P - e^epsilon P' = P (1 - e^{epsilon - ratio}), where e^epsilon alone could overflow;
                # a ratio of e^epsilon up to rounding contributes nothing
                over = np.where(ratio > epsilon + 1e-12, epsilon - ratio, 0.0)
                delta[at] = max(delta[at], float((law[rows] * -np.expm1(over)).sum(axis=1).max()))
        return delta


@lru_cache(maxsize=2)
def distance_matrix(prior: tuple[float, ...], n: int) -> NDArray[np.float64]:
    """H between all candidates, (N, N), in their order."""
    datasets = list_candidates(n, len(prior))
    loss = np.zeros((len(datasets), len(datasets)))
    for alpha, held in zip(prior, datasets.T, strict=True):
        loss += loss_table(alpha, n)[held][:, held]
    return frozen(distance_of_loss(loss))


def loss_table(alpha: float, n: int) -> NDArray[np.float64]:
    """l(alpha + c, alpha + r) for all 0 <= c, r <= n, (n + 1, n + 1).

    From the last row and column backwards along the diagonals: Gamma(z + 1) = z Gamma(z) gives
    l(a, b) = l(a + 1, b + 1) - log(a b / x^2)/2, x = (a + b)/2; every term is positive, so rounding does not grow.
    """
    r = np.arange(n + 1)
    table = np.empty((n + 1, n + 1))
    table[n] = table[:, n] = count_loss(alpha, n, r)
    for c in range(n - 1, -1, -1):
        a, b = alpha + c, alpha + r[:n]
        u = np.abs(b - a) / (a + b)
        far = u > 0.5
        step = np.where(far, np.log(4 * (a / (a + b)) * (b / (a + b))), np.log1p(-np.where(far, 0.0, u * u)))
        table[c, :n] = table[c + 1, 1:] - step / 2
    return table
