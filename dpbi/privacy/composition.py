"""What several releases of the same data lose together: their losses add up, and the law of a sum is a convolution.

It holds for releases that were fixed beforehand: which mechanism is drawn when, and stopping early, are free, epsilons
that depend on what was released before are not. For those only the sum of epsilons is a guarantee.
"""

import math
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from heapq import heapify, heappop, heappush
from itertools import count

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpbi import limits
from dpbi.frozen_result import FrozenResult
from dpbi.mechanisms.loss_law import LossLaw, no_loss
from dpbi.mechanisms.mechanism import Mechanism, check_mechanism
from dpbi.mechanisms.printed_bound import printed_bound

Floats = NDArray[np.float64]

RELEASES_LARGEST = 10_000
_SUMS = 1_000_000  # sums of losses that are listed; where there are more, losses are rounded up
_GRID = 100_000  # to multiples of this part of the largest sum
_RARE, _SHIFT = 1e-60, 8  # of a probability on the grid; what a shift costs in products of a convolution
_LEAST = 1e-290  # of delta: below it only the sum of epsilons is known to be enough
_ROUNDING = 1e-12  # of probabilities, relative: more than a convolution of positive numbers errs by


@dataclass(frozen=True, eq=False)
class Composition(FrozenResult):
    """The loss of all releases together. Made by ``compose``.

    releases: (mechanism, prior, n, how often), as asked for; total: the sum of epsilons, which, with the sum of the
    deltas if there are any, holds even where epsilons were chosen after seeing releases; exact: whether delta(epsilon)
    is attained by some pair of neighbours, else it bounds what is lost from above.
    """

    releases: tuple[tuple[Mechanism, tuple[float, ...], int, int], ...]
    total: float
    exact: bool
    _law: LossLaw = field(repr=False)

    def delta(self, epsilon: ArrayLike) -> Floats:
        """E(1 - e^{epsilon - loss})_+, rounded up by 1e-12 of it: epsilon (...), each >= 0 -> (...)."""
        at = limits.number_array("epsilon", epsilon)
        limits.check_numbers("epsilon", at.size * self._law.losses.size)
        if (at < 0).any():
            raise ValueError(f"epsilon must be at least 0: got {limits.shown(float(at.min()))}.")
        gain = -np.expm1(np.minimum(at[..., None] - self._law.losses, 0.0))
        return np.asarray((gain * self._law.probabilities).sum(axis=-1) * (1 + _ROUNDING))

    def epsilon(self, delta: float) -> float:
        """The least epsilon >= 0 with delta(epsilon) <= delta, rounded up by 1e-12 of it; at most ``total`` where every
        loss is finite.

        For epsilon between two losses delta(epsilon) = P - e^{epsilon - l} S, l the greater of them, P the mass of the
        losses from l on and S that of e^{l - loss}. delta in [0, 1]. Raises ValueError where no epsilon is enough.
        """
        delta = limits.between("delta", delta, 0.0, 1.0)
        finite = np.isfinite(self._law.losses)
        losses, probability = self._law.losses[finite], self._law.probabilities[finite]
        given_away = float(self._law.probabilities[~finite].sum()) * (1 + _ROUNDING)
        if delta < _LEAST and not given_away:
            return self.total  # probabilities so small are no doubles
        if given_away > delta:
            raise ValueError(f"delta must be at least {printed_bound(given_away)}, which these releases may lose at "
                             f"every epsilon by what is proved of them: got {limits.shown(delta)}.")
        # The least loss at which delta is enough; below it, and above the next smaller one, lies the answer
        place = bisect_left(range(losses.size), True, key=lambda i: bool(
            self.delta(max(float(losses[i]), 0.0)) <= delta and losses[i] >= 0))
        if place == losses.size:
            return self.total
        mass = given_away + float(probability[place:].sum()) * (1 + _ROUNDING)
        scaled = float(probability[place:] @ np.exp(losses[place] - losses[place:]))
        found = losses[place] + math.log((mass - delta) / scaled) if mass > delta else 0.0
        return float(np.clip(found * (1 + _ROUNDING), 0.0, self.total))


def compose(releases: Iterable[tuple[Mechanism, ArrayLike, int]]) -> Composition:
    """The privacy of independent releases of the same data, their mechanisms fixed beforehand.

    P(loss of all) is the convolution of the releases' laws; delta(epsilon) = E(1 - e^{epsilon - loss})_+.
    releases: (mechanism, prior, n) each, of the same people; the same one may come often. Returns the Composition:
    ``delta``, ``epsilon``, ``total``, and whether they are exact.
    Raises ValueError for a mechanism without a proved epsilon.
    Source: Sommer, Meiser and Mohammadi 2019 for sums of losses; laws of K-norm and two-sided geometric noise ours
    (README, "Many releases"). Deviation: where losses have more than 1,000,000 sums they are rounded up to a grid.
    """
    counted: dict[tuple[Mechanism, tuple[float, ...], int], int] = {}
    for one in limits.sequence("releases", releases, "of (mechanism, prior, n)", RELEASES_LARGEST):
        try:
            mechanism, prior, n = one
        except (TypeError, ValueError):
            raise ValueError(f"releases must be (mechanism, prior, n) each: got {limits.shown(one)}.") from None
        key = check_mechanism(mechanism), limits.check_prior(prior), limits.check_total(n)
        counted[key] = counted.get(key, 0) + 1
    single = [(mechanism.loss_law(prior, n), times) for (mechanism, prior, n), times in counted.items()]
    laws = [_repeated(law, times) for law, times in single]
    total = _float_above(sum((Fraction(_largest(law)) * times for law, times in single), Fraction(0)))
    if math.prod(law.losses.size for law in laws) <= _SUMS:
        law = reduce(_sum, laws, no_loss())
    else:
        law = _sum_on_grid(laws, 2.0 ** math.ceil(math.log2(total / _GRID)))
    return Composition(tuple((*key, times) for key, times in counted.items()), total, law.exact, law)


def _repeated(law: LossLaw, times: int) -> LossLaw:
    """Of ``times`` independent losses. Of a law on -e, 0, e the sums are multiples of e: a polynomial's power."""
    finite = np.isfinite(law.losses)
    size = float(law.losses[finite].max(initial=0.0))
    if size == 0:
        return law
    place = np.rint(law.losses[finite] / size).astype(int)
    one = np.zeros(3)
    one[place + 1] = law.probabilities[finite]
    power, base, left = np.ones(1), one, times
    while left:
        if left & 1:
            power = np.convolve(power, base)
        if left := left >> 1:
            base = np.convolve(base, base)
    losses = size * np.arange(-times, times + 1, dtype=np.float64)
    if finite.all():
        return LossLaw(losses, power, law.exact)
    # Any of the releases gives all away: 1 - (1 - delta)^times
    given_away = -math.expm1(times * math.log1p(-float(law.probabilities[~finite].sum())))
    return LossLaw(np.append(losses, np.inf), np.append(power, given_away), law.exact)


def _sum(a: LossLaw, b: LossLaw) -> LossLaw:
    losses, which = np.unique(np.add.outer(a.losses, b.losses), return_inverse=True)
    probability = np.bincount(which.reshape(-1), np.multiply.outer(a.probabilities, b.probabilities).reshape(-1))
    return LossLaw(losses, probability.astype(np.float64), a.exact and b.exact)


@dataclass(frozen=True, eq=False)
class _OnGrid:
    """Probabilities of the losses start, start + 1, ..., in units; ``highest`` that of ``most``, the largest loss,
    where what is too rare to be carried on is counted: no loss is made smaller."""

    start: int
    probabilities: Floats
    most: int
    highest: float


def _sum_on_grid(laws: Sequence[LossLaw], unit: float) -> LossLaw:
    """Every loss the least multiple of ``unit``, a power of two, that is not below it: sums then meet.

    Two laws at a time, the narrowest first: a sum of positive products keeps its digits where Fourier transforms lose
    what is small.
    """
    kept = 1.0  # the probability that no release gives all away
    waiting = []
    for law in laws:
        finite = np.isfinite(law.losses)
        kept *= 1 - float(law.probabilities[~finite].sum())
        waiting.append(_rounded_up(law.losses[finite], law.probabilities[finite], unit))
    order = count()
    heap = [(law.probabilities.size, next(order), law) for law in waiting]
    heapify(heap)
    while len(heap) > 1:
        (_, _, one), (_, _, two) = heappop(heap), heappop(heap)
        both = _sum_of_two(one, two)
        heappush(heap, (both.probabilities.size, next(order), both))
    found = heap[0][2]
    held = np.flatnonzero(found.probabilities)
    losses = unit * np.append(found.start + held, found.most).astype(np.float64)
    probability = np.append(found.probabilities[held], found.highest)
    losses, which = np.unique(losses, return_inverse=True)
    probability = np.bincount(which, probability).astype(np.float64)
    if any(np.isinf(law.losses).any() for law in laws):
        losses, probability = np.append(losses, np.inf), np.append(probability, 1 - kept)
    return LossLaw(losses, probability, False)


def _rounded_up(losses: Floats, probabilities: Floats, unit: float) -> _OnGrid:
    place = np.ceil(losses / unit).astype(np.int64)
    start, most = int(place.min()), int(place.max())
    return _trimmed(_OnGrid(start, np.bincount(place - start, probabilities).astype(np.float64), most, 0.0))


def _sum_of_two(one: _OnGrid, two: _OnGrid) -> _OnGrid:
    few, many = sorted((one.probabilities, two.probabilities), key=np.count_nonzero)
    held = np.flatnonzero(few)
    if held.size * _SHIFT <= few.size:
        found = np.zeros(few.size + many.size - 1)
        for place in held.tolist():
            found[place:place + many.size] += few[place] * many
    else:
        found = np.convolve(few, many)
    return _trimmed(_OnGrid(one.start + two.start, found, one.most + two.most, one.highest + two.highest))


def _trimmed(law: _OnGrid) -> _OnGrid:
    """Without ends that are too rare: the lower one is moved up to what is kept, the upper one to the largest loss."""
    held = np.flatnonzero(law.probabilities > _RARE)
    low, high = int(held[0]), int(held[-1]) + 1
    probabilities = law.probabilities[low:high].copy()
    probabilities[0] += law.probabilities[:low].sum()
    return _OnGrid(law.start + low, probabilities, law.most, law.highest + float(law.probabilities[high:].sum()))


def _float_above(exact: Fraction) -> float:
    """The least float that is not below it."""
    near = float(exact)
    return near if Fraction(near) >= exact else math.nextafter(near, math.inf)


def _largest(law: LossLaw) -> float:
    """The largest loss but an infinite one."""
    return float(law.losses[np.isfinite(law.losses)].max())
