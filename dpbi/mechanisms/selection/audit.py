"""The privacy loss of the exponential family: as of any mechanism, with the distances of all candidates at hand."""

from collections.abc import Callable
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from dpbi.frozen_result import frozen
from dpbi.mechanisms.audit import Audit, check_size
from dpbi.mechanisms.listing import Listing
from dpbi.posterior.hellinger import count_loss, distance_of_loss, loss_above_next
from dpbi.problem.candidates import list_candidates

Rates = Callable[[NDArray[np.int64]], NDArray[np.float64]]


class SelectionAudit(Audit):
    """log P_c(r) for all datasets c and outputs r of P_c(r) proportional to exp(-rate(c) H(c, r)).

    prior, n: public; rates: counts (N, k) -> (N,). The distances are computed once, any multiple of the rates later.
    """

    def __init__(self, prior: tuple[float, ...], n: int, rates: Rates) -> None:
        check_size(n, len(prior))
        self.prior, self.n, self._rates = prior, n, rates

    @cached_property
    def rate(self) -> NDArray[np.float64]:
        return frozen(self._rates(self.datasets) if self.n else np.zeros(1))

    @cached_property
    def distance(self) -> NDArray[np.float64]:
        return distance_matrix(self.prior, self.n)

    def laws(self, multiplier: float) -> Listing:
        """At multiplier times the rates. The truth has weight 1, so Z >= 1."""
        log_law = self.distance * (-multiplier * self.rate[:, None])
        log_law = log_law - np.log(np.exp(log_law).sum(axis=1, keepdims=True))
        return Listing(self.datasets, self.datasets, log_law)

    @cached_property
    def pairs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Rows of all neighbouring datasets (c, c').

        Where categories share a prior parameter, permuting them permutes everything: only the c whose counts are in
        order within such categories are visited, with all their neighbours.
        """
        here, there = super().pairs
        visited = self._in_order()[here]
        return frozen(here[visited]), frozen(there[visited])

    def _in_order(self) -> NDArray[np.bool_]:
        ordered = np.ones(len(self.datasets), dtype=bool)
        for alpha in set(self.prior):
            alike = [i for i, other in enumerate(self.prior) if other == alpha]
            for a, b in pairwise(alike):
                ordered &= self.datasets[:, a] <= self.datasets[:, b]
        return ordered


@lru_cache(maxsize=2)
def distance_matrix(prior: tuple[float, ...], n: int) -> NDArray[np.float64]:
    """H between all candidates, (N, N), in their order; a category that is empty in both adds nothing."""
    datasets = list_candidates(n, len(prior))
    loss = np.zeros((len(datasets), len(datasets)))
    for alpha, held in zip(prior, datasets.T, strict=True):
        table, filled = loss_table(alpha, n), np.flatnonzero(held)
        loss[filled] += table[held[filled]][:, held]
        loss[np.ix_(held == 0, filled)] += table[0, held[filled]]
    return frozen(distance_of_loss(loss))


def loss_table(alpha: float, n: int) -> NDArray[np.float64]:
    """l(alpha + c, alpha + r) for all 0 <= c, r <= n, (n + 1, n + 1).

    From the last row and column backwards along the diagonals (``loss_above_next``), so that rounding does not grow.
    """
    r = np.arange(n + 1)
    table = np.empty((n + 1, n + 1))
    table[n] = table[:, n] = count_loss(alpha, n, r)
    for c in range(n - 1, -1, -1):
        a, b = alpha + c, alpha + r[:n]
        table[c, :n] = table[c + 1, 1:] + loss_above_next(a, b, np.abs(b - a))
    return table
