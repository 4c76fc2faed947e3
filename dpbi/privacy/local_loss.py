"""The loss of the exponential mechanism scaled to the local sensitivity: for many records, and exact at k = 2.

P_c(r) is proportional to e^(-rate(c) H(c, r)) with rate(c) = epsilon / (2 LS(c)). The rate itself tells about c, which
is why no theorem bounds the loss by epsilon. Here the loss is computed.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpbi import limits
from dpbi.frozen_result import FrozenResult
from dpbi.mechanisms import EHDL
from dpbi.posterior.hellinger import count_loss, distance_of_loss, loss_above_next
from dpbi.privacy.loss import privacy_loss
from dpbi.problem.neighbours import RELATION
from dpbi.sensitivity import local_sensitivities

SCALED = EHDL.label  # what is looked at
RECORDS_LARGEST = 100_000  # of two categories: some ten seconds
CATEGORIES_LARGEST = 3  # of the limit
_BOXES = (8, 64, 512, 2048)  # counts of one small category that are looked at
_PAIRED = 24  # as above, of two
_FAR = 26.0  # -log BC: from here on 1 - H <= BC is below 6e-12
_ROUNDING = 1e-11  # of H, relative

Floats = NDArray[np.float64]
Counts = tuple[int | None, ...]  # None: grows without end


@dataclass(frozen=True)
class LocalLossLimit:
    """A bound from below of lim inf loss / epsilon for many records, and where it is attained.

    ratio: the bound; counts, neighbour, released: that attain it; box: the largest small count looked at; beyond: what
    no pair with a larger one exceeds, None where that is not known.
    """

    prior: tuple[float, ...]
    ratio: float
    counts: Counts
    neighbour: Counts
    released: Counts
    box: int
    beyond: float | None


@dataclass(frozen=True)
class LocalLoss:
    """The exact loss of EHDL for two categories.

    stated: its epsilon; epsilon: the loss, largest over neighbours and outputs; margin: its numerical error at most;
    counts, neighbour: that attain it; neighbours: the relation.
    """

    prior: tuple[float, ...]
    n: int
    stated: float
    epsilon: float
    margin: float
    counts: tuple[int, ...]
    neighbour: tuple[int, ...]
    neighbours: str = RELATION

    @property
    def ratio(self) -> float:
        """loss / epsilon."""
        return self.epsilon / self.stated


def local_loss_limit(prior: ArrayLike) -> LocalLossLimit:
    """sup of [(1 - H(i, r)) / LS(i) - (1 - H(i', r)) / LS(i')] / 2 over small counts i, their neighbours i' and r.

    Let one category or more grow and the others, with counts i, stay. Distances then depend on these alone, BC =
    prod_j Gamma(a_j + (i_j + r_j)/2) / sqrt(Gamma(a_j + i_j) Gamma(a_j + r_j)), and all but a vanishing share of the N
    candidates lie at H -> 1. So Z(c) / N -> e^-rate(c) by dominated convergence, and log P_c(r) - log P_c'(r) tends to
    epsilon times the bracket: the ratio of loss to epsilon does not depend on epsilon.

    prior: (k,), k = 2 or 3. Returns a ``LocalLossLimit``: lim inf loss / epsilon is at least ``ratio``, a theorem, so
    that where it exceeds 1 the mechanism breaks its epsilon at every n that is large enough. That the limit is no more
    is what exact losses at growing n show (tests), not proved; at a given n the ratio can be larger, under a prior that
    is strong beside n: .7235 at (100, 100) and n = 60, where the limit is .5680. Beyond the box a bracket is at most
    (1 + max(0, 1/LS(i) - 1/LS(i'))) / 2 by the triangle inequality; for two categories that falls with
    i, as 1/LS grows ever slower.
    Raises ValueError for more than three categories. Source: ours, on the mechanism of [P17] section 4.1.2.
    """
    alpha = limits.check_prior(prior)
    if len(alpha) > CATEGORIES_LARGEST:
        raise ValueError(f"The limit of the loss is looked for with {CATEGORIES_LARGEST} categories at most: got "
                         f"k = {len(alpha)}.")
    k = len(alpha)
    few = [places for size in range(1, k) for places in itertools.combinations(range(k), size)]
    found = [_in_boxes(tuple(alpha[place] for place in places)) for places in few]
    first = max(range(len(few)), key=lambda one: found[one].ratio)
    beyond = [one.beyond for one in found if one.beyond is not None]
    counts, neighbour, released = (_placed(k, few[first], one) for one in found[first].attained)
    return LocalLossLimit(alpha, found[first].ratio, counts, neighbour, released, found[first].box,
                          max(beyond) if k == 2 else None)


def critical_parameter() -> float:
    """alpha* = 0.3928412: ``local_loss_limit`` of Beta(alpha, alpha) is above 1 for smaller alpha, below for larger.

    Its supremum is attained by the counts 2 against 1 at the release 2 (tests: for alpha from 1e-6 to 1e3), where it is
    [1 / h_12 - (1 - h_12) / h_01] / 2, h_01 and h_12 the distances of the counts 0 and 1, 1 and 2. alpha* is where
    that is 1. Source: ours.
    """
    from scipy.optimize import brentq

    def excess(alpha: float) -> float:
        first, second = (float(distance_of_loss(count_loss(alpha, count, count + 1))) for count in (0, 1))
        return (1 / second - (1 - second) / first) / 2 - 1

    return float(brentq(excess, 0.1, 1.0, xtol=1e-12))


@dataclass(frozen=True, eq=False)
class LocalLossMap(FrozenResult):
    """loss / epsilon over priors.

    k, n, epsilon: n None for many records, where the ratio is that of ``local_loss_limit`` and epsilon plays no part;
    parameters: m values; ratio: (m, m), of the prior (parameters[i], parameters[j]), of three categories
    (parameters[i], parameters[i], parameters[j]).
    """

    k: int
    n: int | None
    epsilon: float
    parameters: tuple[float, ...]
    ratio: Floats

    @property
    def broken(self) -> int:
        """At how many priors the loss exceeds epsilon."""
        return int((self.ratio > 1).sum())


def local_loss_map(k: int, n: int | None, epsilon: float, parameters: ArrayLike) -> LocalLossMap:
    """loss / epsilon of EHDL for all pairs of prior parameters, exact, or for many records its bound from below.

    k: 2 or 3; n: >= 1, or None for many; epsilon > 0; parameters: (m,), positive. Returns a ``LocalLossMap``.
    Raises ValueError as ``local_loss``, ``privacy_loss`` and ``local_loss_limit``. Source: ours.
    """
    epsilon, values = limits.check_epsilon(epsilon), tuple(limits.each(
        "parameters", parameters, "of prior parameters",
        lambda one: limits.between("parameter", one, limits.PRIOR_LEAST, limits.PRIOR_LARGEST)))  # fmt: skip
    k = limits.whole_number("k", k, 2, CATEGORIES_LARGEST)
    n = None if n is None else limits.whole_number("n", n, 1, RECORDS_LARGEST)
    return LocalLossMap(k, n, epsilon, values, np.array([local_loss_ratios(k, n, epsilon, one, values)
                                                         for one in values]))


def local_loss_ratios(
    k: int, n: int | None, epsilon: float, parameter: float, others: Sequence[float]
) -> tuple[float, ...]:
    """A row of ``local_loss_map``, whose arguments are checked there: of one parameter, of three categories twice,
    against several."""
    return tuple(_ratio((parameter,) * (k - 1) + (other,), n, epsilon) for other in others)


@lru_cache(maxsize=4096)
def _ratio(prior: tuple[float, ...], n: int | None, epsilon: float) -> float:
    """The same for (a, b) and (b, a), which is asked for once."""
    if len(prior) == 2 and prior[0] > prior[1]:
        return _ratio(prior[::-1], n, epsilon)
    if n is None:
        return local_loss_limit(prior).ratio
    if len(prior) == 2:
        return local_loss(prior, n, epsilon).ratio
    return privacy_loss(EHDL(epsilon), prior, n).epsilon / epsilon


@dataclass(frozen=True)
class _Box:
    """The largest bracket over some small categories: as ``LocalLossLimit`` holds it."""

    ratio: float
    attained: tuple[tuple[int, ...], ...]
    box: int
    beyond: float | None


@lru_cache(maxsize=1024)
def _in_boxes(alpha: tuple[float, ...]) -> _Box:
    """Of one small category the boxes grow until nothing beyond can be larger."""
    if len(alpha) > 1:
        return _in_box(alpha, _PAIRED)
    for box in _BOXES:
        found = _in_box(alpha, box)
        if found.beyond is not None and found.beyond < found.ratio:
            break
    return found


def _in_box(alpha: Sequence[float], box: int) -> _Box:
    """Counts up to ``box`` of each small category, their neighbours there, and releases up to one more."""
    side = np.arange(box + 2)
    counts = np.stack(np.meshgrid(*[side] * len(alpha), indexing="ij"), axis=-1).reshape(-1, len(alpha))
    tables = [count_loss(a, side[:, None], side) for a in alpha]
    distance = distance_of_loss(sum(table[np.ix_(held, held)] for table, held in zip(tables, counts.T, strict=True)))
    pairs = list(_neighbour_rows(counts, box + 2))
    local = np.zeros(len(counts))
    for here, there in pairs:
        np.maximum.at(local, here, distance[here, there])
    weighed = (1 - distance) / (2 * local[:, None])
    inside = counts.max(axis=1) <= box
    ratio, attained = -np.inf, tuple[tuple[int, ...], ...]()
    for here, there in pairs:
        kept = inside[here] & inside[there]
        bracket = weighed[here[kept]] - weighed[there[kept]]
        row, released = np.unravel_index(bracket.argmax(), bracket.shape)
        if bracket[row, released] > ratio:
            ratio = float(bracket[row, released])
            attained = tuple(tuple(counts[one].tolist()) for one in (here[kept][row], there[kept][row], released))
    beyond = (1 + max(0.0, 1 / local[box] - 1 / local[box - 1])) / 2 if len(alpha) == 1 else None
    return _Box(ratio, attained, box, beyond)


def _neighbour_rows(counts: NDArray[np.int64], side: int) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Rows of counts and of their neighbours: a record moves between two small categories, or one and a large one."""
    few = counts.shape[1]
    strides = side ** np.arange(few - 1, -1, -1)
    for step in itertools.product((-1, 0, 1), repeat=few):
        if any(step) and abs(sum(step)) <= 1:
            moved = counts + np.array(step)
            here = np.flatnonzero(((moved >= 0) & (moved < side)).all(axis=1))
            yield here, moved[here] @ strides


def _placed(k: int, places: Sequence[int], counts: Sequence[int]) -> Counts:
    small = dict(zip(places, counts, strict=True))
    return tuple(small.get(place) for place in range(k))


def local_loss(prior: ArrayLike, n: int, epsilon: float) -> LocalLoss:
    """max over neighbours c, c' and outputs r of log P_c(r) - log P_c'(r), for two categories.

    Outputs are visited by how many records they lie from c, all datasets at once, until 1 - H <= BC < 6e-12 for those
    farther: these are taken at H = 1, which ``margin`` accounts for.
    prior: (2,); n: 1 to 100,000; epsilon > 0. Returns a ``LocalLoss``. Raises ValueError for other arguments.
    Source: ours; ``privacy_loss`` visits every pair, and so no more than some two thousand records.
    """
    alpha, epsilon = limits.check_prior(prior), limits.check_epsilon(epsilon)
    n = limits.whole_number("n", n, 1, RECORDS_LARGEST)
    if len(alpha) != 2:
        raise ValueError(f"This loss is computed for two categories: got k = {len(alpha)}.")
    held = np.arange(n + 1)
    rate = epsilon / (2 * local_sensitivities(alpha, np.column_stack([held, n - held])))
    weight, visited = np.ones(n + 1), np.ones(n + 1)
    most, least = np.full(n, -np.inf), np.full(n, np.inf)  # of rate' H' - rate H, c = 0..n - 1 and c' = c + 1
    nearer = np.zeros(n + 1)
    for apart in range(1, n + 1):
        distance = _apart(alpha, n, apart)  # of c and c + apart
        for at in (slice(0, n + 1 - apart), slice(apart, n + 1)):
            weight[at] += np.exp(-rate[at] * distance)
            visited[at] += 1
        up = rate[1:n + 2 - apart] * nearer[1:n + 2 - apart] - rate[:n + 1 - apart] * distance  # r = c + apart
        down = rate[apart:] * distance - rate[apart - 1:n] * nearer[:n + 1 - apart]  # r = c' - apart
        for at, change in ((slice(0, n + 1 - apart), up), (slice(apart - 1, n), down)):
            np.maximum(most[at], change, out=most[at])
            np.minimum(least[at], change, out=least[at])
        nearer = distance
        if distance.size and distance.min() >= 1 - np.exp(-_FAR):
            break
    far = n + 1 - visited
    weight += far * np.exp(-rate)
    change = np.diff(rate)
    rest = (far[:-1] > 0) | (far[1:] > 0)
    most, least = np.where(rest, np.maximum(most, change), most), np.where(rest, np.minimum(least, change), least)
    log_ratio = np.diff(np.log(weight))
    ahead, behind = most + log_ratio, -(least + log_ratio)
    first = int(np.maximum(ahead, behind).argmax())
    pair = (first, n - first), (first + 1, n - first - 1)
    loss = float(max(ahead[first], behind[first]))
    margin = 4 * float(rate.max()) * (np.exp(-_FAR) + _ROUNDING)
    return LocalLoss(alpha, n, epsilon, loss, margin, *(pair if ahead[first] >= behind[first] else pair[::-1]))


def _apart(alpha: tuple[float, ...], n: int, steps: int) -> Floats:
    """H between the datasets c and c + steps, c = 0..n - steps."""
    return distance_of_loss(_losses(alpha[0], n, steps) + _losses(alpha[1], n, steps)[::-1])


def _losses(alpha: float, n: int, steps: int) -> Floats:
    """l(alpha + c, alpha + c + steps), c = 0..n - steps, from the largest backwards."""
    here = alpha + np.arange(n - steps)
    gained = loss_above_next(here, here + steps, steps)
    last = float(count_loss(alpha, n - steps, n))
    return np.append(np.cumsum(gained[::-1])[::-1] + last, last)
