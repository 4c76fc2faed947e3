"""Local, smooth and global sensitivity of the Hellinger score, in closed form and at any n.

Moving one record from category j to category i changes the posterior Dir(a) to Dir(a - e_j + e_i), with
H^2 = 1 - f(a_i) f(a_j - 1), f(t) = Gamma(t + 1/2) / sqrt(Gamma(t) Gamma(t + 1)), log f(t) = -l(t, t + 1).
Everything below maximises the *pair loss* l(a_i, a_i + 1) + l(a_j - 1, a_j) over receivers i and donors j.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpbi import limits
from dpbi.hellinger import affinity_loss, distance_of_loss
from dpbi.problem import Problem

Kind = Literal["reciprocal", "exponential"]

# The papers' constant: GS of the flat prior with k >= 3 (or k = 2 and n = 1). [D20] section 1.
PAPER_GLOBAL_SENSITIVITY = math.sqrt(1 - math.pi / 4)

_NO_NEIGHBOURS = "{what} needs at least one record: with n = 0 there are no neighbouring datasets (got n = 0)."


def _unit_loss(t: ArrayLike) -> NDArray[np.float64]:
    """l(t, t + 1) = -log f(t), decreasing in t."""
    return affinity_loss(t, np.add(t, 1), 0.5)


def local_sensitivity(problem: Problem) -> float:
    """LS(c) = max over neighbours c' of H(Dir(alpha + c), Dir(alpha + c')).

    That is sqrt(1 - min_{i != j, c_j >= 1} f(alpha_i + c_i) f(alpha_j + c_j - 1)); the maximum over the candidates r
    of |H(BI(c), r) - H(BI(c'), r)| is attained at r = BI(c), by the triangle inequality.
    problem: prior and counts. Returns LS in (0, 1). Raises ValueError if n = 0.
    Source: [D20] section 1, [P17] sections 4.1.2 and 7.1; the closed form is ours, O(k).
    """
    return float(local_sensitivities(problem.prior, problem.counts))


def local_sensitivities(prior: ArrayLike, counts: ArrayLike) -> NDArray[np.float64]:
    """``local_sensitivity`` of many datasets at once: counts (..., k) -> (...), for maps and scans.

    Raises ValueError where a dataset is empty. Source: as ``local_sensitivity``.
    """
    alpha, c = _datasets(prior, counts)
    receiving = _unit_loss(alpha + c)
    giving = np.where(c >= 1, _unit_loss(np.where(c >= 1, alpha + c - 1, alpha)), -np.inf)
    return distance_of_loss(_largest_pair(receiving, giving))


def _largest_pair(receiving: NDArray, giving: NDArray) -> NDArray:
    """max_{i != j} receiving_i + giving_j along the last axis: each donor meets the best other receiver."""
    best = receiving.argmax(axis=-1)[..., None]
    top = np.take_along_axis(receiving, best, axis=-1)
    others = receiving.copy()
    np.put_along_axis(others, best, -np.inf, axis=-1)
    partner = np.where(np.arange(receiving.shape[-1]) == best, others.max(axis=-1, keepdims=True), top)
    return (partner + giving).max(axis=-1)


def worst_neighbour(problem: Problem) -> tuple[int, ...]:
    """The neighbour c' that attains LS(c) (the first in order of donor, then receiver, if several do).

    Raises ValueError if n = 0. Source: as ``local_sensitivity``.
    """
    alpha, c = _datasets(problem.prior, problem.counts)
    giving = np.where(c >= 1, _unit_loss(np.where(c >= 1, alpha + c - 1, alpha)), -np.inf)
    pair = giving[:, None] + _unit_loss(alpha + c)[None, :]
    np.fill_diagonal(pair, -np.inf)
    donor, receiver = np.unravel_index(pair.argmax(), pair.shape)
    moved = list(problem.counts)
    moved[donor] -= 1
    moved[receiver] += 1
    return tuple(moved)


def global_sensitivity(prior: ArrayLike, n: int) -> float:
    """GS = max over all datasets c of size n of LS(c).

    k >= 3: sqrt(1 - min_{i != j} f(alpha_i) f(alpha_j)), attained with both categories nearly empty;
    k = 2: max_{u in {0, n-1}} sqrt(1 - f(alpha_1 + u) f(alpha_2 + n - 1 - u)).
    prior: (k,); n: total count. Returns GS in (0, 1). Raises ValueError if n = 0.
    Source: ours; [D20] section 1 takes the constant sqrt(1 - pi/4), right for alpha = (1, ..., 1) and k >= 3 only.
    """
    alpha = np.array(limits.check_prior(prior))
    if limits.check_total(n) == 0:
        raise ValueError(_NO_NEIGHBOURS.format(what="The global sensitivity"))
    if alpha.size == 2:
        u = np.array([0, n - 1])
        return float(distance_of_loss(_unit_loss(alpha[0] + u) + _unit_loss(alpha[1] + (n - 1 - u))).max())
    return float(distance_of_loss(np.sort(_unit_loss(alpha))[-2:].sum()))


def least_local_sensitivity(prior: ArrayLike, n: int) -> float:
    """A lower bound on LS(c) over all datasets c of size n: unit losses fall with the count, none exceeds n.

    prior: (k,); n >= 1. Returns the bound in (0, LS(c)]. Source: ours.
    """
    largest = max(limits.check_prior(prior)) + limits.check_total(n)
    return float(distance_of_loss(2 * _unit_loss(largest)))


def smooth_sensitivity(problem: Problem, gamma: float, kind: Kind = "reciprocal") -> float:
    """The smallest smooth upper bound on the local sensitivity, of one of two kinds.

    reciprocal: S(c) = max_{c'} 1 / (1/LS(c') + gamma d(c, c')), so that |1/S(c) - 1/S(c')| <= gamma for neighbours;
    exponential: S(c) = max_{c'} LS(c') e^{-gamma d(c, c')}, so that S(c) <= e^gamma S(c') for neighbours.
    problem: prior and counts; gamma >= 0, per step (the exponential kind calls it beta). gamma = 0 gives GS.
    Returns S with LS(c) <= S <= GS. Raises ValueError if n = 0 or gamma < 0.
    Source: reciprocal [P17] Theorem 5.1, [D20] section 1; exponential [N] section 2.3 and [P17] Definition 3,
    after Nissim, Raskhodnikova and Smith 2007. The closed form is ours: see ``_corners``.
    """
    return float(smooth_sensitivities(problem.prior, problem.counts, gamma, kind))


def smooth_sensitivities(
    prior: ArrayLike, counts: ArrayLike, gamma: float, kind: Kind = "reciprocal"
) -> NDArray[np.float64]:
    """``smooth_sensitivity`` of many datasets at once: counts (..., k) -> (...), for maps and scans."""
    limits.one_of("kind", kind, ("reciprocal", "exponential"))
    gamma = limits.check_gamma(gamma)
    alpha, c = _datasets(prior, counts)
    sensitivity, distance = _two_category_corners(alpha, c) if alpha.size == 2 else _corners(alpha, c)
    return _discounted(sensitivity, distance, gamma, kind).max(axis=-1)


def _discounted(sensitivity: NDArray, distance: NDArray, gamma: float, kind: Kind) -> NDArray:
    if kind == "exponential":
        return sensitivity * np.exp(-gamma * distance)
    return sensitivity / (1 + gamma * distance * sensitivity)


def _two_category_corners(alpha: NDArray, c: NDArray) -> tuple[NDArray, NDArray]:
    """LS and distance at the datasets u in {c_1, 0, 1, n-1, n}: (..., 5) each.

    Along u the pair loss is a sum of l's, each convex and decreasing in the count it belongs to, so that 1/LS has
    its useful minima at the ends of the range; one record inside the ends is where a donor first appears.
    """
    n = c.sum(axis=-1)
    u = np.stack([c[..., 0], np.zeros_like(n), np.minimum(1, n), n - 1, n], axis=-1)
    datasets = np.stack([u, n[..., None] - u], axis=-1)
    return local_sensitivities(alpha, datasets), np.abs(u - c[..., :1]).astype(np.float64)


def _corners(alpha: NDArray, c: NDArray) -> tuple[NDArray, NDArray]:
    """Pair sensitivity and distance at the corners of every ordered pair (receiver i, donor j): (..., 3 k (k-1)) each.

    A pair's loss rises only when c_i or c_j falls; the records taken away go to the other k - 2 categories, so both
    can fall independently, at one step a record. Along either move 1/LS is concave and log LS convex in the distance,
    hence 1/LS + gamma d and log LS - beta d are optimal at a corner: nothing moved, j down to its last record, or i
    emptied as well. (Emptying i alone lies on an edge of the pair with i and j swapped.) Where j is empty it must first
    be given a record, the donor moves one later, at one step; taking it from i is no better than the swapped pair.
    Corner optimality is verified against enumeration (tests), not proved.
    """
    i, j = np.nonzero(~np.eye(alpha.size, dtype=bool))
    full, last = _unit_loss(alpha + c), _unit_loss(alpha)
    giving = _unit_loss(alpha + np.maximum(c - 1, 0))
    start, kept = full[..., i], giving[..., j]
    single, emptied = np.broadcast_to(last[j], start.shape), np.broadcast_to(last[i], start.shape)
    first = (c == 0)[..., j].astype(np.float64)
    to_one = first + np.maximum(c[..., j] - 1, 0)
    loss = np.concatenate([start + kept, start + single, emptied + single], axis=-1)
    moved = np.concatenate([first, to_one, to_one + c[..., i]], axis=-1)
    return distance_of_loss(loss), moved


def _datasets(prior: ArrayLike, counts: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    alpha = np.array(limits.check_prior(prior))
    c = np.asarray(counts)
    if not np.issubdtype(c.dtype, np.integer):
        raise ValueError(f"counts must be whole numbers: got an array of {c.dtype}.")
    c = c.astype(np.int64)
    if c.ndim == 0 or c.shape[-1] != alpha.size:
        raise ValueError(f"counts must have {alpha.size} categories in their last axis, as prior has: "
                         f"got shape {c.shape}.")
    if (c < 0).any():
        raise ValueError(f"counts cannot be negative, they must be at least 0: got {c.min()}.")
    if (c.sum(axis=-1) == 0).any():
        raise ValueError(_NO_NEIGHBOURS.format(what="The sensitivity"))
    return alpha, c
