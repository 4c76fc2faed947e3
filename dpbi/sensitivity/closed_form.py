"""Local, smooth and global sensitivity of the Hellinger score, in closed form and at any n.

Moving one record from category j to category i changes the posterior Dir(a) to Dir(a - e_j + e_i), with
H^2 = 1 - f(a_i) f(a_j - 1), f(t) = Gamma(t + 1/2) / sqrt(Gamma(t) Gamma(t + 1)), log f(t) = -l(t, t + 1).
Everything below maximises the *pair loss* l(a_i, a_i + 1) + l(a_j - 1, a_j) over receivers i and donors j.
"""

import math
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpbi import limits
from dpbi.posterior import affinity_loss, chunks, distance_of_loss
from dpbi.problem.problem import Problem, check_problem

Kind = Literal["reciprocal", "exponential"]

# The papers' constant: GS of the flat prior with k >= 3 (or k = 2 and n = 1). [D20] section 1.
PAPER_GLOBAL_SENSITIVITY = math.sqrt(1 - math.pi / 4)

_REMEMBERED = 4096  # numbers of counts: smooth sensitivities of so few are kept, at most 6 MB of them
_ROUNDING = 1e-12  # relative: losses nearer to each other are equal
_NO_NEIGHBOURS = "{what} needs at least one record: got n = 0, so that there are no neighbouring datasets."


def unit_loss(t: ArrayLike) -> NDArray[np.float64]:
    """l(t, t + 1) = -log f(t), decreasing in t."""
    return _unit_loss(limits.positive_numbers("t", t))


def _unit_loss(t: NDArray) -> NDArray[np.float64]:
    return affinity_loss(t, t + 1, np.full(t.shape, 0.5))


def local_sensitivity(problem: Problem) -> float:
    """LS(c) = max over neighbours c' of H(Dir(alpha + c), Dir(alpha + c')).

    That is sqrt(1 - min_{i != j, c_j >= 1} f(alpha_i + c_i) f(alpha_j + c_j - 1)); the maximum over the candidates r
    of |H(BI(c), r) - H(BI(c'), r)| is attained at r = BI(c), by the triangle inequality.
    problem: prior and counts. Returns LS in (0, 1). Raises ValueError if n = 0.
    Source: [D20] section 1, [P17] sections 4.1.2 and 7.1; the closed form is ours, O(k).
    """
    return _local_sensitivity(check_problem(problem))


@lru_cache(maxsize=256)
def _local_sensitivity(problem: Problem) -> float:
    """Kept, as every mechanism's law asks for it."""
    return float(local_at(*datasets(problem.prior, problem.counts)))


def local_sensitivities(prior: ArrayLike, counts: ArrayLike) -> NDArray[np.float64]:
    """``local_sensitivity`` of many datasets at once: counts (..., k) -> (...), for maps and scans.

    Raises ValueError where a dataset is empty. Source: as ``local_sensitivity``.
    """
    return local_at(*datasets(prior, counts))


def local_at(alpha: NDArray, c: NDArray) -> NDArray[np.float64]:
    """``local_sensitivities`` of arrays as ``datasets`` returns them."""
    return _by_rows(
        lambda rows: distance_of_loss(_largest_pair(_unit_loss(alpha + rows), _giving(alpha, rows))), c)


def _by_rows(measure: Callable[[NDArray[np.int64]], NDArray], c: NDArray[np.int64]) -> NDArray[np.float64]:
    """What is measured of datasets (N, k) -> (N,), for datasets (..., k) -> (...), some at a time."""
    flat = c.reshape(-1, c.shape[-1])
    found = np.empty(len(flat))
    for rows in chunks(*flat.shape):
        found[rows] = measure(flat[rows])
    return np.asarray(found.reshape(c.shape[:-1])[()])


def _giving(alpha: NDArray, c: NDArray) -> NDArray[np.float64]:
    """l(alpha_j + c_j - 1, alpha_j + c_j) of a donor; -inf for an empty category, which has no record to give."""
    return np.where(c >= 1, _unit_loss(alpha + np.maximum(c - 1, 0)), -np.inf)


def _largest_pair(receiving: NDArray, giving: NDArray) -> NDArray:
    """max_{i != j} receiving_i + giving_j along the last axis: each donor meets the best other receiver."""
    best = receiving.argmax(axis=-1)[..., None]
    top = np.take_along_axis(receiving, best, axis=-1)
    others = receiving.copy()
    np.put_along_axis(others, best, -np.inf, axis=-1)
    partner = np.where(np.arange(receiving.shape[-1]) == best, others.max(axis=-1, keepdims=True), top)
    return (partner + giving).max(axis=-1)


def worst_neighbour(problem: Problem) -> tuple[int, ...]:
    """The neighbour c' that attains LS(c) (the first in order of donor, then receiver, if several do to 1e-12).

    Raises ValueError if n = 0. Source: as ``local_sensitivity``.
    """
    alpha, c = datasets(check_problem(problem).prior, problem.counts)
    giving, receiving = _giving(alpha, c), _unit_loss(alpha + c)
    best = _first_largest(receiving)
    partner = np.full(alpha.size, best)
    partner[best] = _first_largest(np.where(np.arange(alpha.size) == best, -np.inf, receiving))
    donor = _first_largest(giving + receiving[partner])
    receiver = partner[donor]
    moved = list(problem.counts)
    moved[donor] -= 1
    moved[receiver] += 1
    return tuple(moved)


def _first_largest(losses: NDArray[np.float64]) -> int:
    return int((losses >= losses.max() * (1 - _ROUNDING)).argmax())


def global_sensitivity(prior: ArrayLike, n: int) -> float:
    """GS = max over all datasets c of size n of LS(c).

    k >= 3: sqrt(1 - min_{i != j} f(alpha_i) f(alpha_j)), attained with both categories nearly empty;
    k = 2: max_{u in {0, n-1}} sqrt(1 - f(alpha_1 + u) f(alpha_2 + n - 1 - u)).
    prior: (k,); n: total count. Returns GS in (0, 1). Raises ValueError if n = 0.
    Source: ours; [D20] section 1 takes the constant sqrt(1 - pi/4), right for alpha = (1, ..., 1) and k >= 3 only.
    """
    alpha, n = limits.check_prior(prior), limits.check_total(n)
    if n == 0:
        raise ValueError(_NO_NEIGHBOURS.format(what="The global sensitivity"))
    return _global(alpha, n)


@lru_cache(maxsize=256)  # asked for every dataset of one n
def _global(prior: tuple[float, ...], n: int) -> float:
    alpha = np.array(prior)
    if alpha.size == 2:
        u = np.array([0, n - 1])
        return float(distance_of_loss(_unit_loss(alpha[0] + u) + _unit_loss(alpha[1] + (n - 1 - u))).max())
    return float(distance_of_loss(np.sort(_unit_loss(alpha))[-2:].sum()))


def least_local_sensitivity(prior: ArrayLike, n: int) -> float:
    """A lower bound on LS(c) over all datasets c of size n, from the public prior and n alone.

    Unit losses fall with the count; A is the largest alpha. The least count is at most n/k and receives. Where all
    other counts are positive, the least of them is at most n/(k - 1) and gives; else two are 0, one of which receives
    from a category of at most n. LS is at least the smaller of the two cases.
    prior: (k,); n >= 1. Returns the bound in (0, LS(c)]. Source: ours.
    """
    prior, n = limits.check_prior(prior), limits.check_total(n)
    largest, k = max(prior), len(prior)
    two_empty = unit_loss(largest) + unit_loss(largest + n - 1)
    if k > 2 and n < k - 1:
        return float(distance_of_loss(two_empty))
    all_filled = unit_loss(largest + n // k) + unit_loss(largest + n // (k - 1) - 1)
    return float(distance_of_loss(all_filled if k == 2 else min(two_empty, all_filled)))


def smooth_sensitivity(problem: Problem, gamma: float, kind: Kind = "reciprocal") -> float:
    """The smallest smooth upper bound on the local sensitivity, of one of two kinds.

    reciprocal: S(c) = max_{c'} 1 / (1/LS(c') + gamma d(c, c')), so that |1/S(c) - 1/S(c')| <= gamma for neighbours;
    exponential: S(c) = max_{c'} LS(c') e^{-gamma d(c, c')}, so that S(c) <= e^gamma S(c') for neighbours.
    problem: prior and counts; gamma >= 0, per step (the exponential kind calls it beta). gamma = 0 gives GS.
    Returns S with LS(c) <= S <= GS. Raises ValueError if n = 0 or gamma < 0.
    Source: reciprocal [P17] Theorem 5.1, [D20] section 1; exponential [N] section 2.3 and [P17] Definition 3,
    after Nissim, Raskhodnikova and Smith 2007. The closed form is ours: see ``corners``.
    """
    return _smooth_sensitivity(check_problem(problem), *_check_smoothing(gamma, kind))


@lru_cache(maxsize=256)
def _smooth_sensitivity(problem: Problem, gamma: float, kind: Kind) -> float:
    return float(smooth_at(*datasets(problem.prior, problem.counts), gamma, kind))


def smooth_sensitivities(
    prior: ArrayLike, counts: ArrayLike, gamma: float, kind: Kind = "reciprocal"
) -> NDArray[np.float64]:
    """``smooth_sensitivity`` of many datasets at once: counts (..., k) -> (...), for maps and scans."""
    return smooth_at(*datasets(prior, counts), *_check_smoothing(gamma, kind))


def smooth_at(alpha: NDArray, c: NDArray, gamma: float, kind: Kind) -> NDArray[np.float64]:
    """``smooth_sensitivities`` of arrays as ``datasets`` returns them."""
    if c.size > _REMEMBERED:
        return _smooth_at(alpha, c, gamma, kind)
    return np.array(_remembered_smooth(alpha.tobytes(), c.shape, c.astype(np.int64).tobytes(), gamma, kind))


@lru_cache(maxsize=128)
def _remembered_smooth(alpha: bytes, shape: tuple[int, ...], c: bytes, gamma: float, kind: Kind) -> NDArray[np.float64]:
    """No epsilon enters: a mechanism asks for those of all datasets again at each."""
    return _smooth_at(np.frombuffer(alpha), np.frombuffer(c, dtype=np.int64).reshape(shape), gamma, kind)


def _smooth_at(alpha: NDArray, c: NDArray, gamma: float, kind: Kind) -> NDArray[np.float64]:
    return _by_rows(lambda rows: np.max([_discounted(sensitivity, distance, gamma, kind).max(axis=-1)
                                         for sensitivity, distance in corners(alpha, rows)], axis=0), c)


def _discounted(sensitivity: NDArray, distance: NDArray, gamma: float, kind: Kind) -> NDArray:
    if kind == "exponential":
        return sensitivity * np.exp(-gamma * distance)
    return sensitivity / (1 + gamma * distance * sensitivity)


def corners(alpha: NDArray, c: NDArray) -> Iterator[tuple[NDArray, NDArray]]:
    """Sensitivity and distance of the datasets among which every smooth sensitivity finds its maximum.

    alpha: (k,); c: (N, k), as ``datasets`` returns them. Yields arrays (N, any number), in parts of bounded size; a
    sensitivity of 0 stands for no dataset.

    A pair's loss rises only when c_i or c_j falls; the records taken away go to the other k - 2 categories, so both
    can fall independently, at one step a record. Along either move 1/LS is concave and log LS convex in the distance,
    hence 1/LS + gamma d and log LS - beta d are optimal at a corner: i as it is or emptied, j as it is or down to its
    last record. Where j is empty it must first be given a record, the donor moves one later, at one step; taking it
    from i is no better than the swapped pair. Corner optimality is verified against enumeration (tests), not proved.

    Loss and distance are sums over i and j of 2 k options each, so an option that three others equal or exceed in loss
    at no greater distance is never needed: two of the three belong to different categories, and one of those is free
    to take its place. Few are left, whatever k.
    """
    if alpha.size == 2:
        yield _two_category_corners(alpha, c)
        return
    last, none = np.broadcast_to(_unit_loss(alpha), c.shape), np.zeros_like(c)
    receiving, of_receiver, receiver = _needed_options(_unit_loss(alpha + c), none, last, c)
    giving, of_donor, donor = _needed_options(_giving(alpha, c), none, last, np.where(c == 0, 1, c - 1))
    for some in chunks(receiving.shape[1], giving.size):
        loss = receiving[:, some, None] + giving[:, None, :]
        loss[receiver[:, some, None] == donor[:, None, :]] = -np.inf
        distance = of_receiver[:, some, None] + of_donor[:, None, :]
        yield distance_of_loss(loss.reshape(len(c), -1)), distance.reshape(len(c), -1).astype(np.float64)


def _needed_options(
    loss: NDArray, distance: NDArray, other_loss: NDArray, other_distance: NDArray
) -> tuple[NDArray, ...]:
    """What one side of a pair may be: its loss, the records moved for it and its category, (N, options) each.

    Of two options a category, (N, k) each, without those that three others equal or exceed.
    """
    loss, distance = np.concatenate([loss, other_loss], axis=1), np.concatenate([distance, other_distance], axis=1)
    category = np.broadcast_to(np.tile(np.arange(loss.shape[1] // 2), 2), loss.shape)
    order = np.lexsort((-loss, distance), axis=1)
    loss, distance, category = (np.take_along_axis(value, order, axis=1) for value in (loss, distance, category))
    # The third largest loss so far: maxima of what the running maxima leave over.
    rest, needed = loss, np.zeros(loss.shape, dtype=bool)
    for _ in range(3):
        before = np.full(loss.shape, -np.inf)
        before[:, 1:] = np.maximum.accumulate(rest, axis=1)[:, :-1]
        needed |= rest > before
        rest = np.minimum(rest, before)
    width = int(needed.sum(axis=1).max())
    kept = np.argsort(~needed, axis=1, kind="stable")[:, :width]
    loss = np.where(needed, loss, -np.inf)
    return tuple(np.take_along_axis(value, kept, axis=1) for value in (loss, distance, category))


def _two_category_corners(alpha: NDArray, c: NDArray) -> tuple[NDArray, NDArray]:
    """The datasets u in {c_1, 0, 1, n-1, n}: (N, 5) each.

    Along u the pair loss is a sum of l's, each convex and decreasing in the count it belongs to, so that 1/LS has
    its useful minima at the ends of the range; one record inside the ends is where a donor first appears.
    """
    n = c.sum(axis=-1)
    u = np.stack([c[..., 0], np.zeros_like(n), np.minimum(1, n), n - 1, n], axis=-1)
    found = local_at(alpha, np.stack([u, n[..., None] - u], axis=-1))
    return found, np.abs(u - c[..., :1]).astype(np.float64)


def _check_smoothing(gamma: float, kind: Kind) -> tuple[float, Kind]:
    limits.one_of("kind", kind, ("reciprocal", "exponential"))
    return limits.check_gamma(gamma), kind


def datasets(prior: ArrayLike, counts: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The prior (k,) and datasets (..., k) as arrays, validated: each has a record, and no total is too large."""
    alpha = np.array(limits.check_prior(prior))
    c = limits.count_array("counts", counts, alpha.size)
    totals = c.sum(axis=-1)
    if (totals == 0).any():
        raise ValueError(_NO_NEIGHBOURS.format(what="The sensitivity"))
    if (totals > limits.TOTAL_LARGEST).any():
        raise ValueError(f"counts are too large: their total may be at most {limits.TOTAL_LARGEST:,}, "
                         f"got {totals.max():,}.")
    return alpha, c
