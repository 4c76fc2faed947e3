"""Z_m = sum over candidates r of BC(c, r)^m, for any number of categories and any n, without listing a candidate.

BC is a product, BC^m = prod_i g_i(r_i)^m with g_i = e^{-l_i}, so Z_m is the value at n of a k-fold convolution. Read
the weights as independent variables R_i, P(R_i = r) proportional to g_i(r)^m e^{theta r}: then
Z_m = e^{-theta n} prod_i s_i P(sum R_i = n), s_i = sum_r g_i(r)^m e^{theta r}, with theta such that E sum R_i = n.
That probability is one Fourier coefficient of a product of characteristic functions; nothing is small in it, nothing
cancels, and only the bulk of each R_i, a few of its standard deviations wide, is ever visited.

A wide smooth bulk is summed on a lattice of its own spacing. Where the edge r = 0 lies inside it, the lattice has the
weights of ``lattice_edges``, so that the price of a flat weight, as under a huge prior, does not grow with its width.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from dpbi.partition.lattice_edges import ORDER, edge_weights, moved_to_lattice
from dpbi.posterior.hellinger import count_loss
from dpbi.problem.candidates import log_number_of_candidates
from dpbi.problem.problem import Problem

_TAIL = 46.0  # e^-46 = 1e-20 of a variable's mass is left outside its window
_SMOOTH = 3.2  # a lattice of spacing q = sd / 3.2 has its first alias where a bump's transform is below e^-50
_FINE = 24  # an edge on a lattice of spacing scale / 24 is corrected to 1e-13
_WIDE = 1  # a spacing up to this is none
_BLOCK = 1 << 19  # complex numbers held at once, 8 MB: more does not fit the processor's cache either
_LARGEST = 1 << 23  # numbers in the table of all weights
_DECAYED = 9.5  # the normal characteristic function is below e^-45 beyond 9.5 standard deviations


@dataclass(frozen=True, eq=False)
class Bulk:
    """The k variables R_i - c_i at one m: their windows, strides and weights, equal categories merged.

    Offsets that are not smooth on their own lattice are multiples of ``unit``.
    """

    offsets: NDArray[np.int64]  # (types, width): r - c
    untilted: NDArray[np.float64]  # e^{-m l_i(r)} times the weight of the lattice point, 0 outside
    strides: NDArray[np.int64]
    multiplicity: NDArray[np.int64]
    unit: int
    ends: NDArray[np.int64]  # (types, 2): least and largest r - c that matter

    def weights(self, theta: float) -> NDArray[np.float64]:
        return np.exp(np.where(self.untilted != 0, theta * self.offsets, 0.0)) * self.untilted

    def rows(self) -> list[tuple[int, int, float]]:
        """Per kind of category: least and largest r - c in its window, and the standard deviation of R."""
        weight = self.weights(self.tilt)
        share = weight / weight.sum(axis=1, keepdims=True)
        mean = (share * self.offsets).sum(axis=1)
        spread = np.sqrt(np.maximum((share * self.offsets**2).sum(axis=1) - mean**2, 0.0))
        return [(int(a), int(b), float(sd)) for (a, b), sd in zip(self.ends, spread, strict=True)]

    @cached_property
    def tilt(self) -> float:
        """theta with E sum (R_i - c_i) = 0, by Newton on the convex log sum."""
        theta = 0.0
        for _ in range(60):
            weight = self.weights(theta)
            total = weight.sum(axis=1)
            mean = (weight * self.offsets).sum(axis=1) / total
            variance = (weight * self.offsets**2).sum(axis=1) / total - mean**2
            step = (self.multiplicity @ mean) / max(self.multiplicity @ variance, 1e-300)
            theta -= float(np.clip(step, -1.0, 1.0))
            if abs(step) * np.sqrt(self.multiplicity @ variance) < 1e-3:
                break
        return theta


class PowerSums:
    """log Z_m of one problem for any real m >= 1, and for m = 0."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        pairs = np.array(list(zip(problem.prior, problem.counts, strict=True)))
        kinds, self._kind, self.multiplicity = np.unique(pairs, axis=0, return_inverse=True, return_counts=True)
        self.prior, self.count = kinds[:, 0], kinds[:, 1].astype(np.int64)

    def positions(self) -> list[NDArray[np.int64]]:
        """Where each kind of category stands in the problem."""
        return [np.flatnonzero(self._kind.ravel() == kind) for kind in range(self.multiplicity.size)]

    def log_sum(self, m: float) -> float:
        """log Z_m, relative error of Z_m about 1e-13."""
        if m == 0:
            return log_number_of_candidates(self.problem.n, self.problem.k)
        bulk = self.bulk(m)
        weight = bulk.weights(bulk.tilt)
        total = weight.sum(axis=1)
        return float(bulk.multiplicity @ np.log(total) + np.log(_probability_of_zero(bulk, weight / total[:, None])))

    def log_excess(self, m: float) -> float:
        """log(Z_m - 1), where Z_m is near 1 by its leading terms: one record moved from j to i.

        sum_{i != j} [g_i(c_i + 1) g_j(c_j - 1)]^m leaves out a share of about (Z_m - 1) itself.
        """
        z = self.log_sum(m) if m < self._pair_regime else 0.0
        if z > 1e-9:
            return log_minus_one(z)
        moves, times = self._log_moves(m)
        top = moves.max()
        return float(top + np.log(np.exp(moves - top) @ times))

    def _log_moves(self, m: float) -> tuple[NDArray, NDArray]:
        """log BC^m of moving one record between two kinds of category, and in how many ways it can be done."""
        up = -m * count_loss(self.prior, self.count, self.count + 1)
        one_less = np.maximum(self.count - 1, 0)
        down = np.where(self.count >= 1, -m * count_loss(self.prior, self.count, one_less), -np.inf)
        times = np.outer(self.multiplicity, self.multiplicity) - np.diag(self.multiplicity)
        possible = times > 0
        return (up[:, None] + down[None, :])[possible], times[possible]

    @cached_property
    def _pair_regime(self) -> float:
        """From this m on, the leading terms of Z_m - 1 sum to less than 1e-10."""
        return self._excess_below(1e-10)

    @cached_property
    def last(self) -> float:
        """M with Z_M - 1 < 2^-60: from here on, every term but the truth is gone."""
        return self._excess_below(2.0**-60)

    def _excess_below(self, bound: float) -> float:
        # Z_m - 1 <= k^2 e^{-m (least loss of a move)} once second moves are negligible
        least = -self._log_moves(1.0)[0].max()
        return float(np.log(self.problem.k**2 / bound) / least)

    def bulk(self, m: float) -> Bulk:
        spread = 2 * np.sqrt((self.prior + self.count) / m)  # l_i ~ (r - c)^2 / (8 a) near its minimum
        below, above = self._reach(m, -1, spread), self._reach(m, 1, spread)
        smooth = below < self.count  # the edge r = 0 is out of sight
        stride = np.where(smooth, np.maximum(1, spread // _SMOOTH), 1).astype(np.int64)
        fine = self._fine_stride(spread, smooth)
        unit = self._unit(fine, smooth)
        stride = np.where(smooth, stride, np.where(fine > _WIDE, np.minimum(fine, unit), 1))
        # What the other categories cannot make up for is out of reach; corrected edges hold up to ORDER points more.
        margin = unit * ORDER * self.problem.k if unit > 1 else 0
        lost, gained = (self.multiplicity @ side.astype(float) - side + margin for side in (below, above))
        room = np.minimum(self.problem.n - self.count + margin, lost)
        low_end = np.where(smooth, below, np.minimum(below, gained)).astype(np.int64)
        above = np.where(smooth, above, np.minimum(above, room)).astype(np.int64)
        edged = (low_end == self.count) & (stride > 1) & ~smooth
        low = -(low_end // stride) - np.where(edged, ORDER // 2, 0)
        width = int((above // stride - low).max()) + 1
        _check_size(width * stride.size)
        offsets = (low[:, None] + np.arange(width)) * stride[:, None]
        inside = offsets <= above[:, None]
        released = self.count[:, None] + np.where(inside, offsets, 0)
        losses = m * count_loss(self.prior[:, None], self.count[:, None], released)
        untilted: NDArray[np.float64] = np.where(inside, np.exp(-losses), 0.0) * stride[:, None]
        untilted[edged] *= edge_weights(self.count[edged] % stride[edged], stride[edged], width)
        ends = np.stack([-low_end, np.minimum(above, np.where(smooth, above, self.problem.n - self.count))], axis=1)
        if unit > 1 and (stride < unit).any():
            offsets, untilted, stride = moved_to_lattice(offsets, untilted, stride, unit)
        return Bulk(offsets, untilted, stride, self.multiplicity, unit, ends)

    def _fine_stride(self, spread: NDArray, smooth: NDArray) -> NDArray[np.int64]:
        """A spacing on which the weights of a kind, and the number of ways to fill the others, are smooth."""
        scale = np.minimum(spread, max(self.problem.n / self.problem.k, 1.0))
        return (np.where(smooth, scale, np.minimum(scale, self.prior)) // _FINE).astype(np.int64)

    def _unit(self, fine: NDArray[np.int64], smooth: NDArray) -> int:
        """The common lattice of all that have an edge: the second widest category must be smooth on it.

        However wide one category is, the records that enter it leave the others. 1 where no edge is wide.
        """
        if not (fine[~smooth] > _WIDE).any():
            return 1
        second = np.sort(np.repeat(fine, np.minimum(self.multiplicity, 2)))[-2]
        return int(second) if second > _WIDE else 1

    def _reach(self, m: float, side: int, spread: NDArray) -> NDArray[np.int64]:
        """How far from c the weights g^m matter on one side, by doubling until m l exceeds the tail."""
        reach = np.ceil(12 * spread + 2)
        limit = self.count.astype(float) if side < 0 else np.full(self.count.size, 2.0 * self.problem.n)
        for _ in range(80):
            end = self.count + side * np.minimum(reach, limit).astype(np.int64)
            short = (m * count_loss(self.prior, self.count, end) < 1.5 * _TAIL) & (reach < limit)
            if not short.any():
                break
            reach = np.where(short, reach * 1.5, reach)
        return np.minimum(np.ceil(reach), limit).astype(np.int64)


def _probability_of_zero(bulk: Bulk, probability: NDArray) -> float:
    """P(sum_i (R_i - c_i) = 0) = (1/2 pi) int prod_i phi_i(omega)^{multiplicity_i} d omega.

    The trapezoid rule with spacing 2 pi / L is exact for a sum confined to fewer than L values. The integrand is gone
    beyond 9.5 / sd where it is nearly normal; where it is not, the range doubles until it is gone.
    """
    offsets, strides = bulk.offsets / bulk.unit, bulk.strides / bulk.unit
    mean = (probability * offsets).sum(axis=1)
    sd = np.sqrt(bulk.multiplicity @ ((probability * offsets**2).sum(axis=1) - mean**2))
    reach = np.abs(np.where(probability != 0, offsets, 0.0)).max() + 10 * sd
    period = 2 * int(np.ceil(reach / 2) + 1)
    most = max(int(period // (2 * strides.max())), 1)
    nodes = min(most, int(np.ceil(_DECAYED / max(sd, 1e-9) * period / (2 * np.pi))))
    while True:
        value = _product_of_characteristics(bulk, probability, period, nodes)
        if nodes == most or abs(value[-1]) < 1e-18:
            break
        nodes = min(most, 2 * nodes)
    weight = np.full(nodes + 1, 2.0)
    weight[0] = 1.0
    if 2 * nodes == period:
        weight[-1] = 1.0
    return float(weight @ value.real / period / bulk.unit)


def _product_of_characteristics(bulk: Bulk, probability: NDArray, period: int, nodes: int) -> NDArray:
    """prod_i phi_i at omega = 2 pi j / period, j = 0..nodes, all lengths in units of ``bulk.unit``."""
    product = np.ones(nodes + 1, dtype=complex)
    width = probability.shape[1]
    for stride in np.unique(bulk.strides):
        # A transform has period log(period) steps a row, the plain sum width nodes: the shorter is taken.
        transformed = stride == bulk.unit and width <= period <= max(16, width // 16) * nodes
        at_once = max(1, _BLOCK // (period if transformed else nodes + 1))
        every = np.flatnonzero(bulk.strides == stride)
        for rows in (every[start : start + at_once] for start in range(0, every.size, at_once)):
            phase = 2j * np.pi * (stride / bulk.unit) / period * np.arange(nodes + 1)
            if transformed:
                phi = np.fft.rfft(probability[rows], period, axis=1)[:, : nodes + 1].conj()
            else:
                phi = _plain_characteristics(probability[rows], phase)
            phi = phi * np.exp((bulk.offsets[rows, 0] // stride)[:, None] * phase)
            repeated = bulk.multiplicity[rows] > 1
            phi[repeated] **= bulk.multiplicity[rows][repeated, None]
            product *= np.prod(phi, axis=0)
    return product


def _plain_characteristics(probability: NDArray, phase: NDArray) -> NDArray:
    """sum_r p_r e^{r phase}, (rows, nodes), the r taken in blocks so that no table outgrows the memory."""
    width = probability.shape[1]
    height = max(1, _BLOCK // phase.size)
    return sum(
        probability[:, start : start + height] @ np.exp(np.arange(start, min(start + height, width))[:, None] * phase)
        for start in range(0, width, height)
    )


def _check_size(numbers: int) -> None:
    if numbers > _LARGEST:
        raise ValueError(f"The exact law of this mechanism needs tables of {numbers:,} numbers at this prior and these "
                         f"counts; at most {_LARGEST:,} are computed. A smaller prior or smaller counts need fewer.")


def log_minus_one(log_z: float) -> float:
    """log(e^x - 1), without overflow."""
    return float(log_z + np.log(-np.expm1(-log_z))) if log_z > 0 else -np.inf


@lru_cache(maxsize=16)
def power_sums(problem: Problem) -> PowerSums:
    """The sums of one problem; they do not depend on any rate, so every mechanism shares them."""
    return PowerSums(problem)
