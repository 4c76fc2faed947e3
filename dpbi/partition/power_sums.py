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

from dpbi.partition.convolved_sums import ConvolvedSums
from dpbi.partition.lattice_edges import ORDER, edge_weights, moved_to_lattice
from dpbi.posterior import chunks, count_loss
from dpbi.problem import Problem, log_number_of_candidates

_TAIL = 46.0  # e^-46 = 1e-20 of a variable's mass is left outside its window
_SMOOTH = 3.2  # a lattice of spacing q = sd / 3.2 has its first alias where a bump's transform is below e^-50
_FINE = 24  # an edge on a lattice of spacing scale / 24 is corrected to 1e-13
_WIDE = 1  # a spacing up to this is none
_BLOCK = 1 << 19  # complex numbers held at once, 8 MB: more does not fit the processor's cache either
_LARGEST = 1 << 23  # numbers in the table of all weights
_CONVOLVED, _CONVOLVED_AT_MOST = 4e7, 2e8  # multiplications of a sum by convolution: quicker than a transform; a second
_TABLED = 50  # multiplications that an entry of a table of weights costs at the least
_WORK = 5e7  # exponentials of one transform
_UNDERFLOWN = -600.0  # below, the logarithm of a sum by convolution has lost terms
_SECOND = 1e-5  # what second moves may add to the first, where only these are summed
_ACCEPTED = 5e-14  # error of log Z_m over its size
_CENTRED = 1e-3  # standard deviations
_LEAST_TAIL = 40.0  # as _TAIL, checked once the tilt is known
_LEAST_SMOOTH = 3.1  # as _SMOOTH, likewise
_STEEP = 2.0  # as 1 / _FINE of the tilt's own scale, likewise
_ROUNDING = 1e-15
_TRIES, _BUILDS = 300, 12
_PROBES = 24
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
    soft: NDArray[np.bool_]  # (types, 2): whether the window ends there because the weights do, not because r does

    def log_weights(self, theta: float) -> NDArray[np.float64]:
        """The logarithms of the tilted weights' sizes; -inf outside the windows."""
        return np.where(self.untilted != 0, theta * self.offsets, 0.0) + self._log_size

    @cached_property
    def _log_size(self) -> NDArray[np.float64]:
        with np.errstate(divide="ignore"):
            return np.log(np.abs(self.untilted))

    def shares(self, theta: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The tilted weights over their sum, and the logarithm of that sum, per kind of category."""
        log_weight = self.log_weights(theta)
        top = log_weight.max(axis=1)
        weight = np.exp(log_weight - top[:, None]) * np.sign(self.untilted)
        total = weight.sum(axis=1)
        return weight / total[:, None], np.log(total) + top

    def moments(self, theta: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Mean and variance of R - c, per kind of category."""
        share, _ = self.shares(theta)
        mean = (share * self.offsets).sum(axis=1)
        return mean, (share * (self.offsets - mean[:, None]) ** 2).sum(axis=1)

    def rows(self) -> list[tuple[int, int, float]]:
        """Per kind of category: least and largest r - c in its window, and the standard deviation of R."""
        spread = np.sqrt(np.maximum(self.moments(self.tilt)[1], 0.0))
        return [(int(a), int(b), float(sd)) for (a, b), sd in zip(self.ends, spread, strict=True)]

    @cached_property
    def tilt(self) -> float:
        """theta with E sum (R_i - c_i) = 0 within a thousandth of the sum's standard deviation.

        The mean rises with theta. Newton's step is taken where it stays inside what is known to enclose the root,
        else the interval is halved, or doubled while one side is open. Raises ValueError where that does not end.
        """
        theta, low, high = 0.0, -np.inf, np.inf
        for _ in range(_TRIES):
            mean, variance = (float(self.multiplicity @ moment) for moment in self.moments(theta))
            if abs(mean) <= _CENTRED * np.sqrt(max(variance, 0.0)):
                return theta
            low, high = (theta, high) if mean < 0 else (low, theta)
            step = theta - mean / variance if variance > 0 else np.nan
            far = 2 * abs(theta) + 1
            if not max(low, theta - far) < step < min(high, theta + far):
                step = (low + high) / 2 if np.isfinite(low + high) else theta + (far if mean < 0 else -far)
            if step in (low, high):
                break
            theta = step
        raise uncertain("the tilt of a sum could not be centred")


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
        """log Z_m, error below 5e-12 or 5e-14 of its size; ValueError where no route is certain of that."""
        if m == 0:
            return log_number_of_candidates(self.problem.n, self.problem.k)
        return self._by_convolution(m) if self._is_convolved else self._transformed(m)

    def log_excess(self, m: float) -> float:
        """log(Z_m - 1), where Z_m is near 1 by its leading terms: one record moved from j to i.

        sum_{i != j} [g_i(c_i + 1) g_j(c_j - 1)]^m leaves out a share of about (Z_m - 1) itself.
        """
        if m == 0:
            return log_minus_one(self.log_sum(0))
        if self._is_convolved:
            excess = self._convolved.log_excess(m)
            if excess > _UNDERFLOWN:
                return excess
        elif m < self._pair_regime:
            z = self._transformed(m)
            if z > (1e-9 if m > self._seconds_vanish else 1e-14):
                return log_minus_one(z)
        moves, times = self._log_moves(m)
        top = moves.max()
        return float(top + np.log(np.exp(moves - top) @ times))

    @cached_property
    def _convolved(self) -> ConvolvedSums:
        return ConvolvedSums(self.prior, self.count, self.multiplicity)

    @property
    def _is_convolved(self) -> bool:
        """Whether plain convolutions are the quicker route: they need no certificate."""
        return self._convolved.work <= _CONVOLVED

    @property
    def can_be_convolved(self) -> bool:
        """Whether plain convolutions can be afforded where another route is not certain."""
        return self._convolved.work <= _CONVOLVED_AT_MOST

    def _transformed(self, m: float) -> float:
        """log Z_m by the tilted transform; by convolution where that is not certain and can be afforded."""
        try:
            return self._by_transform(m)
        except Uncertain:
            if not self.can_be_convolved:
                raise
            return self._by_convolution(m)

    def _by_transform(self, m: float) -> float:
        bulk = self.bulk(m)
        log_z, error = _log_sum(bulk)
        if bulk.unit > 1 and not self._agrees_when_finer:
            raise uncertain("a sum on a coarse lattice changes on a finer one")
        if error <= _ACCEPTED * max(100.0, log_z) and -_ACCEPTED < log_z <= self.log_sum(0) + _ACCEPTED * 100:
            return max(log_z, 0.0)
        raise uncertain("rounding is not small beside a sum")

    def _by_convolution(self, m: float) -> float:
        return float(np.logaddexp(0.0, self._convolved.log_excess(m)))

    @cached_property
    def _agrees_when_finer(self) -> bool:
        """Whether half the spacing gives the same log Z_1, where coarse lattices are used at all."""
        coarse, fine = (_log_sum(self.bulk(1.0, fineness))[0] for fineness in (_FINE, 2 * _FINE))
        return abs(coarse - fine) <= _ACCEPTED * max(100.0, fine)

    def _log_moves(self, m: float) -> tuple[NDArray, NDArray]:
        """log BC^m of moving one record between two kinds of category, and in how many ways it can be done."""
        up, down = self._losses_of_moving(1)
        possible = self._pairs > 0
        return -m * np.add.outer(up, down)[possible], self._pairs[possible]

    @property
    def _pairs(self) -> NDArray[np.int64]:
        """In how many ways a receiver and a donor of two kinds can be chosen."""
        return np.outer(self.multiplicity, self.multiplicity) - np.diag(self.multiplicity)

    def _losses_of_moving(self, records: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """What it costs each kind to receive that many records, and to give them; infinite where it has fewer."""
        given = np.maximum(self.count - records, 0)
        down = np.where(self.count >= records, count_loss(self.prior, self.count, given), np.inf)
        return count_loss(self.prior, self.count, self.count + records), down

    @cached_property
    def _pair_regime(self) -> float:
        """From this m on, the leading terms of Z_m - 1 sum to less than 1e-10, and second moves to much less."""
        return max(self._excess_below(1e-10), self._seconds_vanish)

    @cached_property
    def _seconds_vanish(self) -> float:
        """From this m on, moving a second record adds a share of less than ``_SECOND`` to the leading terms.

        It costs a receiver and a donor each a second step, or another one a first. A category of tiny prior is entered
        at a high price once, and not again: there second moves count until m is large.
        """
        up, down = self._losses_of_moving(1)
        upper, lower = self._losses_of_moving(2)
        dearer = np.where(np.isfinite(lower), lower - np.where(np.isfinite(down), down, 0), np.inf)
        second = np.add.outer(np.minimum(up, upper - up), np.minimum(down, dearer))[self._pairs > 0].min()
        return float(np.log(self.problem.k**2 / _SECOND) / second)

    @cached_property
    def last(self) -> float:
        """M with Z_M - 1 < 2^-60: from here on, every term but the truth is gone."""
        return self._excess_below(2.0**-60)

    def _excess_below(self, bound: float) -> float:
        # Z_m - 1 <= k^2 e^{-m (least loss of a move)} once second moves are negligible
        least = -self._log_moves(1.0)[0].max()
        return float(np.log(self.problem.k**2 / bound) / least)

    def bulk(self, m: float, fineness: int = _FINE) -> Bulk:
        """The variables at m, built again until windows and spacings suit the tilted weights, which decide."""
        spread = 2 * np.sqrt((self.prior + self.count) / m)  # l_i ~ (r - c)^2 / (8 a) near its minimum
        bulk = self._built(m, fineness, spread, _Tilt(0.0, np.zeros(spread.size), np.zeros(spread.size)))
        for _ in range(_BUILDS):
            log_weight = bulk.log_weights(bulk.tilt)
            sd = np.sqrt(np.maximum(bulk.moments(bulk.tilt)[1], 0.0))
            mode = bulk.offsets[np.arange(spread.size), log_weight.argmax(axis=1)]
            tilt = _Tilt(bulk.tilt, log_weight.max(axis=1) - np.log(bulk.strides), mode)
            fallen = self._fallen(m, bulk.ends.T, tilt).T
            cut = (bulk.soft & (fallen < _LEAST_TAIL)).any()
            coarse = (bulk.strides > _WIDE) & (bulk.strides != bulk.unit)
            uneven = coarse & (bulk.strides * _LEAST_SMOOTH > sd)
            steep = bulk.unit > _WIDE and abs(bulk.tilt) * bulk.unit * fineness > _STEEP
            if not (cut or uneven.any() or steep):
                return bulk
            spread = np.where(uneven, np.minimum(spread, sd) * 0.98, spread)
            bulk = self._built(m, fineness, spread, tilt)
        raise uncertain("no window could be found that holds a tilted weight")

    def _built(self, m: float, fineness: int, spread: NDArray[np.float64], tilt: _Tilt) -> Bulk:
        below, above = self._reaches(m, spread, tilt)
        smooth = below < self.count  # the edge r = 0 is out of sight
        stride = np.where(smooth, np.maximum(1, spread // _SMOOTH), 1).astype(np.int64)
        fine = self._fine_stride(spread, smooth, fineness, tilt.theta)
        unit = self._unit(fine, smooth)
        stride = np.where(smooth, stride, np.where(fine > _WIDE, np.minimum(fine, unit), 1))
        # What the other categories cannot make up for is out of reach; corrected edges hold up to ORDER points more.
        margin = unit * ORDER * self.problem.k if unit > 1 else 0
        lost, gained = (self.multiplicity @ side.astype(float) - side + margin for side in (below, above))
        room = np.minimum(self.problem.n - self.count + margin, lost)
        low_end = np.where(smooth, below, np.minimum(below, gained)).astype(np.int64)
        high_end = np.where(smooth, above, np.minimum(above, room)).astype(np.int64)
        edged = (low_end == self.count) & (stride > 1) & ~smooth
        low = -(low_end // stride) - np.where(edged, ORDER // 2, 0)
        width = int((high_end // stride - low).max()) + 1
        if self.can_be_convolved and width * stride.size * _TABLED > self._convolved.work:
            raise uncertain("a table of weights would be larger than a convolution")
        if width * stride.size > _LARGEST:
            raise ValueError(f"The exact law of this mechanism needs tables of {width * stride.size:,} numbers at this "
                             f"prior and these counts; at most {_LARGEST:,} are computed. A smaller prior or smaller "
                             "counts need fewer.")
        offsets = (low[:, None] + np.arange(width)) * stride[:, None]
        inside = offsets <= high_end[:, None]
        released = self.count[:, None] + np.where(inside, offsets, 0)
        losses = m * count_loss(self.prior[:, None], self.count[:, None], released)
        untilted: NDArray[np.float64] = np.where(inside, np.exp(-losses), 0.0) * stride[:, None]
        untilted[edged] *= edge_weights(self.count[edged] % stride[edged], stride[edged], width)
        last = np.where(smooth, high_end, np.minimum(high_end, self.problem.n - self.count))
        ends = np.stack([-low_end, last], axis=1)
        soft = np.stack([(low_end == below) & (below < self.count), (high_end == above) & (above < 2 * self.problem.n)],
                        axis=1)
        if unit > 1 and (stride < unit).any():
            offsets, untilted, stride = moved_to_lattice(offsets, untilted, stride, unit)
        return Bulk(offsets, untilted, stride, self.multiplicity, unit, ends, soft)

    def _fine_stride(self, spread: NDArray, smooth: NDArray, fineness: int, theta: float) -> NDArray[np.int64]:
        """A spacing on which the weights of a kind, and the number of ways to fill the others, are smooth."""
        scale = np.minimum(spread, max(self.problem.n / self.problem.k, 1.0))
        if theta:
            scale = np.minimum(scale, 1 / abs(theta))
        return (np.where(smooth, scale, np.minimum(scale, self.prior)) // fineness).astype(np.int64)

    def _unit(self, fine: NDArray[np.int64], smooth: NDArray) -> int:
        """The common lattice of all that have an edge: the second widest category must be smooth on it.

        However wide one category is, the records that enter it leave the others. 1 where no edge is wide.
        """
        if not (fine[~smooth] > _WIDE).any():
            return 1
        second = np.sort(np.repeat(fine, np.minimum(self.multiplicity, 2)))[-2]
        return int(second) if second > _WIDE else 1

    def _reaches(self, m: float, spread: NDArray, tilt: _Tilt) -> NDArray[np.int64]:
        """How far below and above c the tilted weights matter, (2, types): doubled until they are below the tail."""
        side = np.array([[-1], [1]])
        reach = np.ceil(12 * spread + 2 + 1.5 * np.maximum(side * tilt.mode, 0))
        limit = np.stack([self.count.astype(float), np.full(self.count.size, 2.0 * self.problem.n)])
        for _ in range(80):
            offset = side * np.minimum(reach, limit).astype(np.int64)
            short = (self._fallen(m, offset, tilt) < 1.5 * _TAIL) & (reach < limit)
            if not short.any():
                break
            reach = np.where(short, reach * 1.5, reach)
        return np.minimum(np.ceil(reach), limit).astype(np.int64)

    def _fallen(self, m: float, offset: NDArray[np.int64], tilt: _Tilt) -> NDArray[np.float64]:
        """How far the logarithm of each kind's tilted weight is below its highest at an offset."""
        loss = count_loss(self.prior, self.count, self.count + offset)
        return np.asarray(m * loss - tilt.theta * offset + tilt.peak)


@dataclass(frozen=True, eq=False)
class _Tilt:
    """A tilt theta, and where and how high each kind's weight e^{theta (r - c) - m l(r)} is at its highest."""

    theta: float
    peak: NDArray[np.float64]
    mode: NDArray


class Uncertain(ValueError):
    """A sum that no route at hand is certain of."""


def uncertain(reason: str) -> Uncertain:
    return Uncertain("The exact law cannot be certified at this prior and these counts, so it is not given: "
                     f"{reason}. With prior parameters of more alike size, or fewer records, it can be.")


def _log_sum(bulk: Bulk) -> tuple[float, float]:
    """log Z_m from its variables, and a bound of what rounding may have changed of it."""
    share, log_total = bulk.shares(bulk.tilt)
    probability, error = _probability_of_zero(bulk, share)
    if not probability > 0:
        raise uncertain("rounding has swallowed a sum")
    return float(bulk.multiplicity @ log_total + np.log(probability)), error / probability


def _probability_of_zero(bulk: Bulk, probability: NDArray) -> tuple[float, float]:
    """P(sum_i (R_i - c_i) = 0) = (1/2 pi) int prod_i phi_i(omega)^{multiplicity_i} d omega, and its rounding error.

    The trapezoid rule with spacing 2 pi / L is exact for a sum confined to fewer than L values. The integrand is gone
    beyond 9.5 / sd where it is nearly normal; where it is not, the range doubles until it is gone: at its end, and at
    nodes spread over all that is left out.
    """
    offsets, strides = bulk.offsets / bulk.unit, bulk.strides / bulk.unit
    mean = (probability * offsets).sum(axis=1)
    sd = np.sqrt(max(bulk.multiplicity @ ((probability * offsets**2).sum(axis=1) - mean**2), 0.0))
    reach = np.abs(np.where(probability != 0, offsets, 0.0)).max() + 10 * sd
    period = 2 * int(np.ceil(reach / 2) + 1)
    most = max(int(period // (2 * strides.max())), 1)
    nodes = min(most, int(np.ceil(_DECAYED / max(sd, 1e-9) * period / (2 * np.pi))))
    while True:
        value, error = _product_of_characteristics(bulk, probability, period, np.arange(nodes + 1))
        if nodes == most:
            break
        probes = np.unique(np.geomspace(nodes + 1, most, _PROBES).astype(np.int64))
        left_out = np.abs(_product_of_characteristics(bulk, probability, period, probes)[0]).max()
        if abs(value[-1]) < 1e-18 and left_out * (most - nodes) < 1e-15 * abs(value.real.sum()):
            break
        nodes = min(most, 2 * nodes)
    weight = np.full(nodes + 1, 2.0)
    weight[0] = 1.0
    if 2 * nodes == period:
        weight[-1] = 1.0
    return float(weight @ value.real / period / bulk.unit), float(weight @ error / period / bulk.unit)


def _product_of_characteristics(
    bulk: Bulk, probability: NDArray, period: int, nodes: NDArray[np.int64]
) -> tuple[NDArray, NDArray]:
    """prod_i phi_i at omega = 2 pi j / period for whole j, lengths in units of ``bulk.unit``; and its rounding error.

    Each phi_i, a sum of numbers that add up to 1, is taken to err by ``_ROUNDING``; prod (|phi_i| + that) bounds the
    product's error.
    """
    product, upper = np.ones(nodes.size, dtype=complex), np.ones(nodes.size)
    width = probability.shape[1]
    for stride in np.unique(bulk.strides):
        # A transform has period log(period) steps a row, the plain sum width nodes: the shorter is taken.
        transformed = stride == bulk.unit and width <= period <= max(16, width // 16) * nodes.size
        every = np.flatnonzero(bulk.strides == stride)
        for rows in (every[part] for part in chunks(every.size, period if transformed else nodes.size, _BLOCK)):
            phase = 2j * np.pi * (stride / bulk.unit) / period * nodes
            if transformed:
                phi = np.fft.rfft(probability[rows], period, axis=1)[:, nodes].conj()
            else:
                if float(width) * phase.size * len(rows) > _WORK:
                    raise uncertain("a sum is too wide to be transformed")
                phi = _plain_characteristics(probability[rows], phase)
            phi = phi * np.exp((bulk.offsets[rows, 0] // stride)[:, None] * phase)
            size = np.abs(phi) + _ROUNDING
            repeated = bulk.multiplicity[rows] > 1
            times = bulk.multiplicity[rows][repeated, None]
            phi[repeated], size[repeated] = phi[repeated] ** times, size[repeated] ** times
            product *= np.prod(phi, axis=0)
            upper *= np.prod(size, axis=0)
    return product, np.maximum(upper - np.abs(product), 0.0)


def _plain_characteristics(probability: NDArray, phase: NDArray) -> NDArray:
    """sum_r p_r e^{r phase}, (rows, nodes), the r taken in blocks so that no table outgrows the memory."""
    width = probability.shape[1]
    height = max(1, _BLOCK // phase.size)
    return sum(
        probability[:, start : start + height] @ np.exp(np.arange(start, min(start + height, width))[:, None] * phase)
        for start in range(0, width, height)
    )


def log_minus_one(log_z: float) -> float:
    """log(e^x - 1), without overflow."""
    return float(log_z + np.log(-np.expm1(-log_z))) if log_z > 0 else -np.inf


@lru_cache(maxsize=16)
def power_sums(problem: Problem) -> PowerSums:
    """The sums of one problem; they do not depend on any rate, so every mechanism shares them."""
    return PowerSums(problem)
