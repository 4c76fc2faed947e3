"""A mechanism's output laws compared over all neighbouring datasets of one prior and n, by visiting every output."""

import math
from collections.abc import Callable, Iterator
from copy import copy
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dpbi import limits
from dpbi.frozen_result import frozen
from dpbi.mechanisms.listing import LISTED, Listing, largest_count, numbers_of_outputs
from dpbi.posterior import chunks
from dpbi.problem.candidates import list_candidates, number_of_candidates

DATASETS = 2_101  # at most, since all pairs (dataset, output) are held: k = 2 up to n = 2,100, k = 3 to 63, k = 4 to 21
COMPARISONS = 600_000_000  # of two neighbours at one output: only n = 1 has more, from k = 844 on
_EQUAL = 1e-12  # a log ratio that exceeds epsilon by no more equals it up to rounding, and contributes nothing
_DIVERGED = 20_000_000_000  # comparisons times epsilons: most of them are never made
_UNSURE = 1e-9  # of a bound on a delta: far more than rounding and what _EQUAL leaves out
_RARE = 1e-90  # more than all outputs together of which one has less than e^-230, to where a log probability is known

Counts = tuple[int, ...]
Worst = tuple[float, Counts, Counts, Counts]
Outputs = Callable[[int, int], int]  # (n, k) -> how many can be released


def check_size(n: int, k: int, outputs: Outputs = number_of_candidates) -> None:
    """ValueError where there are too many datasets to compare all neighbours, naming the largest n that works."""
    if _can_be_visited(n, k, outputs):
        return
    largest = largest_visited(k, outputs)
    if not largest:
        visited, compared = (f"{one:,}" if one < 10**18 else limits.shown(one)
                             for one in (k * outputs(1, k), comparisons(1, k, outputs)))
        raise ValueError(
            f"k is too large for an exhaustive check: at most {DATASETS**2:,} pairs of a dataset and an output are "
            f"visited, and {COMPARISONS:,} times two neighbours compared; k = {k:,} categories need {visited} and "
            f"{compared} for a single record. Merge some categories."
        )
    raise ValueError(
        f"n is too large for an exhaustive check: with k = {k} categories every pair of datasets can be visited "
        f"up to n = {largest:,}, got n = {n:,}."
    )


def comparisons(n: int, k: int, outputs: Outputs = number_of_candidates) -> int:
    """Pairs of neighbours times outputs: k (k - 1) pairs for each dataset of n - 1 records, see ``neighbour_rows``."""
    return k * (k - 1) * number_of_candidates(n - 1, k) * outputs(n, k) if n else 0


def _can_be_visited(n: int, k: int, outputs: Outputs) -> bool:
    datasets = number_of_candidates(n, k)
    return (datasets <= DATASETS and datasets * outputs(n, k) <= DATASETS**2
            and comparisons(n, k, outputs) <= COMPARISONS)


def largest_visited(k: int, outputs: Outputs = number_of_candidates) -> int:
    """The largest n of k categories at which all neighbours can be compared."""
    largest = 0
    while _can_be_visited(largest + 1, k, outputs):
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


class Audit:
    """log P_c(r) for all datasets c and outputs r of a mechanism, for one prior and n: its listing.

    Making one says by ValueError whether it can be done; the listing is made when first asked for. A closed form
    overrides what it knows.
    """

    found: Literal["exhaustive", "closed form"] = "exhaustive"

    def __init__(self, mechanism: Any, prior: tuple[float, ...], n: int) -> None:
        self.mechanism, self.prior, self.n = mechanism, prior, n
        self.check()

    def check(self) -> None:
        """ValueError where not all outputs of all datasets can be visited: of what is left out no loss is known."""
        k = len(self.prior)
        check_size(self.n, k)
        if largest_count(self.mechanism, self.n, k) is None:
            raise ValueError("An exhaustive check needs releases that can all be listed: this mechanism can release "
                             f"counts too far above n = {self.n:,}.")
        check_size(self.n, k, lambda n, k: numbers_of_outputs(
            self.mechanism, n, k, largest_count(self.mechanism, n, k) or LISTED)[0])

    def laws(self, multiplier: float) -> Listing:
        """The listing with the mechanism's strength times ``multiplier``, where other counts may be possible."""
        if multiplier != 1:
            other = copy(self)
            other.mechanism = self.mechanism.sharpened(multiplier, self.prior, self.n)
            other.check()
            return other.laws(1.0)
        listed: Listing | None = self.mechanism.listing(self.prior, self.n, DATASETS**2)
        if listed is None:
            raise ValueError("An exhaustive check needs all releases: those found for this mechanism have not all its "
                             f"probability, or are too many, at n = {self.n:,}.")
        return listed

    @cached_property
    def datasets(self) -> NDArray[np.int64]:
        return frozen(list_candidates(self.n, len(self.prior)))

    @cached_property
    def listed(self) -> Listing:
        return self.laws(1.0)

    @cached_property
    def pairs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Rows of all neighbouring datasets (c, c')."""
        if not self.n:
            return (frozen(np.empty(0, dtype=np.int64)),) * 2
        here, there = neighbour_rows(self.datasets)
        return frozen(here), frozen(there)

    def blocks(self, outputs: int) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """``pairs`` in parts whose ratios at so many outputs fit into memory."""
        here, there = self.pairs
        return ((here[part], there[part]) for part in chunks(here.size, outputs))

    def margin(self, loss: float) -> float:
        """The numerical error of a loss of that size at most.

        A log probability errs by a few 1e-13, and by a few 1e-13 of itself where it is large (tests: 50 digits).
        """
        return 1e-10 + 1e-11 * loss

    def worst(self, multiplier: float = 1.0) -> Worst:
        """max over neighbours and outputs of log P_c(r) - log P_c'(r), and c, c', r that attain it to the margin.

        Infinite where only c' cannot give r. Of several they are the first in the order of ``pairs`` and outputs, which
        no rounding changes. multiplier: of the mechanism's strength, as in a calibration.
        """
        listed = self.listed if multiplier == 1 else self.laws(multiplier)
        log_law = listed.log_law
        blocks = list(self.blocks(log_law.shape[1]))
        largest = np.array([log_ratios(log_law, *rows).max() for rows in blocks])
        loss = float(largest.max(initial=0.0))
        if not loss:
            truth = tuple(self.datasets[0].tolist())
            return 0.0, truth, truth, truth
        attained = loss - min(self.margin(loss), loss / 2) if np.isfinite(loss) else loss
        rows, others = blocks[int((largest >= attained).argmax())]
        ratio = log_ratios(log_law, rows, others)
        pair, output = divmod(int((ratio >= attained).argmax()), ratio.shape[1])
        found = self.datasets[rows[pair]], self.datasets[others[pair]], listed.released[output]
        counts, neighbour, released = (tuple(one.tolist()) for one in found)
        return loss, counts, neighbour, released

    def marginal(self, counts: Counts, category: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Values of one released count and their probabilities under a dataset."""
        row = int(np.flatnonzero((self.datasets == np.array(counts)).all(axis=1))[0])
        value, at = np.unique(self.listed.released[:, category], return_inverse=True)
        return value, np.bincount(at, np.exp(self.listed.log_law[row]), value.size).astype(np.float64)

    def largest_delta(self, epsilon: float, multiplier: float = 1.0) -> float:
        """A bound on the true delta(epsilon), epsilon > 0: 0 where the loss with its margin is at most epsilon.

        Where a log ratio errs by m, and a log probability too, the true (P - e^epsilon P')_+ = P (1 - e^{epsilon -
        ratio})_+ is at most e^m times what is computed at epsilon - m; m is taken twice the margin.
        """
        loss = self.worst(multiplier)[0]
        if loss + self.margin(loss) <= epsilon:
            return 0.0
        margin = 2 * self.margin(epsilon)
        computed = float(self.profile(np.array([epsilon - margin]), multiplier)[0])
        return min(1.0, math.exp(margin) * computed + _RARE)

    def profile(self, epsilons: NDArray[np.float64], multiplier: float = 1.0) -> NDArray[np.float64]:
        """delta(epsilon) = max over neighbours of sum_r (P_c(r) - e^epsilon P_c'(r))_+, per epsilon >= 0.

        Of one pair the sum is convex in e^epsilon and 0 from the pair's loss on, so that the chord from where it was
        last computed to the loss bounds it: a pair is visited where that bound is not below the largest sum so far.
        multiplier: of the mechanism's strength, as in a calibration.
        """
        log_law = (self.listed if multiplier == 1 else self.laws(multiplier)).log_law
        most = _DIVERGED // max(self.pairs[0].size * log_law.shape[1], 1)
        if epsilons.size > most:
            raise ValueError(f"epsilons are too many for an exhaustive check of this size: at most {most:,}, got "
                             f"{epsilons.size:,}. Ask for fewer at a time.")
        law, delta = np.exp(log_law), np.zeros(epsilons.size)
        for rows, others in self.blocks(log_law.shape[1]):
            ratio = log_ratios(log_law, rows, others)
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


def log_ratios(
    log_law: NDArray[np.float64], here: NDArray[np.int64], there: NDArray[np.int64]
) -> NDArray[np.float64]:
    """log P_c(r) - log P_c'(r), a row for each pair: -inf where c cannot give r, whether or not c' can."""
    with np.errstate(invalid="ignore"):
        ratio = log_law[here] - log_law[there]
        if np.isnan(ratio.sum()):
            ratio[np.isnan(ratio)] = -np.inf
    return ratio
