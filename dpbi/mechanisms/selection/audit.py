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

DATASETS = 2_101  # at most, since all pairs (dataset, output) are held: k = 2 up to n = 2,100, k = 3 to 63, k = 4 to 21
COMPARISONS = 600_000_000  # of two neighbours at one output: only n = 1 has more, from k = 844 on
_EQUAL = 1e-12  # a log ratio that exceeds epsilon by no more equals it up to rounding, and contributes nothing
_DIVERGED = 20_000_000_000  # comparisons times epsilons: most of them are never made
_UNSURE = 1e-9  # of a bound on a delta: far more than rounding and what _EQUAL leaves out

Rates = Callable[[NDArray[np.int64]], NDArray[np.float64]]


def check_size(n: int, k: int) -> None:
    """ValueError where there are too many datasets to compare all neighbours, naming the largest n that works."""
    if _can_be_visited(n, k):
        return
    largest = largest_visited(k)
    if not largest:
        raise ValueError(
            f"k is too large for an exhaustive check: two neighbours are compared at one output {COMPARISONS:,} times "
            f"at most, and k = {k:,} categories need {comparisons(1, k):,} for a single record. Merge some categories."
        )
    raise ValueError(
        f"n is too large for an exhaustive check: with k = {k} categories every pair of datasets can be visited "
        f"up to n = {largest:,}, got n = {n:,}."
    )


def comparisons(n: int, k: int) -> int:
    """Pairs of neighbours times outputs: k (k - 1) pairs for each dataset of n - 1 records, see ``neighbour_rows``."""
    return k * (k - 1) * number_of_candidates(n - 1, k) * number_of_candidates(n, k) if n else 0


def _can_be_visited(n: int, k: int) -> bool:
    return number_of_candidates(n, k) <= DATASETS and comparisons(n, k) <= COMPARISONS


def largest_visited(k: int) -> int:
    """The largest n of k categories at which all neighbours can be compared."""
    largest = 0
    while _can_be_visited(largest + 1, k):
        largest += 1
    return largest


def neighbour_rows(datasets: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows (c, c') of all neighbours c' = c - e_j + e_i among all datasets of one size n >= 1, by c, then j, then i.

    c and c' are d + e_j and d + e_i, d of n - 1 records. Adding e_i keeps the lexicographic order of the d, so that the
    d + e_i are, in the order of the d, the datasets in which i is not empty.
    """
    filled = np.stack([np.flatnonzero(column) for column in datasets.T])
    donor, receiver = np.nonzero(~np.eye(len(filled), dtype=bool))
    here, there = filled[donor].ravel(), filled[receiver].ravel()
    order = np.argsort(here, kind="stable")
    return here[order], there[order]


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
        if not self.n:
            return (frozen(np.empty(0, dtype=np.int64)),) * 2
        here, there = neighbour_rows(self.datasets)
        visited = self._in_order()[here]
        return frozen(here[visited]), frozen(there[visited])

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
        return largest_divergences(self.log_laws(), *self.pairs, epsilons)


def largest_divergences(
    log_law: NDArray[np.float64], here: NDArray[np.int64], there: NDArray[np.int64], epsilons: NDArray[np.float64]
) -> NDArray[np.float64]:
    """max over rows (c, c') of sum_r (P_c(r) - e^epsilon P_c'(r))_+, per epsilon >= 0; log_law: rows c, columns r.

    Of one pair the sum is convex in e^epsilon and 0 from the pair's loss on, so that the chord from where it was last
    computed to the loss bounds it: a pair is visited where that bound is not below the largest sum so far.
    """
    most = _DIVERGED // max(here.size * len(log_law), 1)
    if epsilons.size > most:
        raise ValueError(f"epsilons are too many for an exhaustive check of this size: at most {most:,}, got "
                         f"{epsilons.size:,}. Ask for fewer at a time.")
    law, delta = np.exp(log_law), np.zeros(epsilons.size)
    for part in chunks(here.size, len(log_law)):
        rows = here[part]
        ratio = log_law[rows] - log_law[there[part]]
        loss = ratio.max(axis=1)
        known, at_epsilon = np.ones(rows.size), np.zeros(rows.size)
        for i in np.argsort(epsilons):
            epsilon = epsilons[i]
            left = np.flatnonzero(loss > epsilon + _EQUAL)
            chord = known[left] * np.expm1(epsilon - loss[left]) / np.expm1(at_epsilon[left] - loss[left])
            left = left[chord + _UNSURE > delta[i]]
            # P - e^epsilon P' = P (1 - e^{epsilon - ratio}), where e^epsilon alone could overflow
            over = np.where(ratio[left] > epsilon + _EQUAL, epsilon - ratio[left], 0.0)
            known[left], at_epsilon[left] = (law[rows[left]] * -np.expm1(over)).sum(axis=1), epsilon
            delta[i] = max(delta[i], known[left].max(initial=0.0))
    return delta


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
