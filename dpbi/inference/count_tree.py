"""Independent whole numbers given what is known of their sums: a binary tree of convolutions.

Cells c_i have weights W_i; some sums s_v of cells have a factor L_v(s_v), and the sum n of all has the weight h(n).
Upwards, m_v = L_v (m_left * m_right) is the law of a sum given what lies below it; downwards,
d_left(u) = sum_s d_v(s) L_v(s) m_right(s - u), with d_root = h, is what the rest says of it, so that
P(s_v = u) is proportional to m_v(u) d_v(u). Exact draws go from the root down. The two narrowest sums are always joined
first, so that a cell as wide as all others together is joined last.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from dpbi.frozen_result import FrozenResult
from dpbi.noise import Exact, NoiseLaw
from dpbi.posterior import chunks

Floats = NDArray[np.float64]

NUMBERS = 15_000_000  # in all the laws of sums: 120 MB, and twice as much at work
_DIRECT = 1_000_000  # products of a convolution that is summed term by term
_LEFT_OUT = 1e-19  # of a sum's mass, at each end
_HIDDEN = 8.0  # times the bound on a transform's rounding: what is smaller says nothing
_LOG_LARGEST = 700.0
_DRAWN = 6e9  # numbers that draws pass over
_TABLE = 4_000_000  # of these, at a time


@dataclass(frozen=True, eq=False)
class Leaf(FrozenResult):
    """A cell's weights at low, low + 1, ...; they sum to 1."""

    low: int
    weight: Floats

    @property
    def high(self) -> int:
        return self.low + self.weight.size - 1


@dataclass(frozen=True)
class MeasuredSum:
    """A value published of the sum of these cells, under a law of noise; None where it was withheld.

    Such sets nest: two of them are disjoint, or one lies in the other.
    """

    cells: frozenset[int]
    value: float | None
    law: NoiseLaw

    @staticmethod
    def unpublished(cells: frozenset[int]) -> MeasuredSum:
        """Of which nothing is known: it makes their sum one of the tree's."""
        return MeasuredSum(cells, None, Exact())

    def log_factor(self, s: NDArray[np.int64]) -> Floats:
        return self.law.log_likelihood(self.value, s)

    @property
    def log_most(self) -> float:
        """The largest log factor: at the sum that is nearest to the value, and at 0 where it was cut or withheld."""
        return float(self.log_factor(np.array([max(round(self.value or 0), 0)]))[0])


@dataclass(frozen=True, eq=False)
class _Sum(FrozenResult):
    """A sum of cells: values ``low``... with m_v (sum 1), what it is the sum of, L_v where it was measured.

    least, most: of the sum, by the cells' windows, before anything was left out.
    dropped: a bound on the mass that was left out of m_v, of what the cells' windows hold; missing: on that of any of
    its values; rounding: on the error of each of its numbers.
    log_scale: of m_v before it was rescaled, that of the parts included, with factors that are at most 1 anywhere.
    """

    low: int
    weight: Floats
    cells: frozenset[int]
    least: int
    most: int
    parts: tuple[_Sum, ...] = ()
    factor: Floats = field(default_factory=lambda: np.ones(1))
    dropped: float = 0.0
    missing: float = 0.0
    rounding: float = 0.0
    log_scale: float = 0.0

    @property
    def high(self) -> int:
        return self.low + self.weight.size - 1

    @property
    def values(self) -> NDArray[np.int64]:
        return self.low + np.arange(self.weight.size)


@dataclass(frozen=True, eq=False)
class CountTree(FrozenResult):
    """The tree below ``root``, grown by ``count_tree``; its messages are transformed unless ``direct``."""

    root: _Sum
    direct: bool

    # Downwards

    def messages(self, rows: Floats, cells: frozenset[int] | None = None) -> Iterator[tuple[int, Leaf, Floats]]:
        """(i, W_i, d_i) of every cell, or of these: rows (q, number of root values) of weights of the total give q rows
        of messages, (q, number of the cell's values)."""
        stack = [(self.root, rows)]
        while stack:
            of, rows = stack.pop()
            if not of.parts:
                (i,) = of.cells
                yield i, Leaf(of.low, of.weight), rows
                continue
            wanted = [part for part in of.parts if cells is None or part.cells & cells]
            if len(of.parts) == 1:
                stack.append((of.parts[0], rows * of.factor))
                continue
            a, b = of.parts
            stack.extend((part, self._message(of, rows, part, b if part is a else a)) for part in wanted)

    def is_measured_above(self, cell: int) -> bool:
        """Whether a sum with a factor holds this cell, and others beside it."""
        of = self.root
        while len(of.cells) > 1:
            if len(of.parts) == 1:
                return True
            of = next(part for part in of.parts if cell in part.cells)
        return False

    def against(self, cell: int, values: NDArray[np.int64], rest: NDArray[np.int64]) -> tuple[Floats, Floats]:
        """W_i at consecutive values of the cell, and the law of the sum of all others at values of it.

        No sum above the cell was measured: the others are the sums beside the way from the root down to it.
        """
        of, beside = self.root, []
        while of.parts:
            a, b = of.parts
            of, other = (a, b) if cell in a.cells else (b, a)
            beside.append(other)
        low, law, rounding = 0, np.ones(1), 0.0
        for other in reversed(beside):
            law, further = _convolved(law, other.weight, 0, law.size + other.weight.size - 1, self.direct)
            low, rounding = low + other.low, rounding + other.rounding + further
            first, last = _shown(law, rounding)
            low, law = low + first, law[first:last]
        return (_padded(of.weight, int(values[0]) - of.low, int(values[-1]) - of.low + 1),
                _padded(law, int(rest[0]) - low, int(rest[-1]) - low + 1))

    def outside(self, cells: frozenset[int], row: Floats) -> tuple[_Sum, Floats] | None:
        """The sum of exactly these cells and what all else says of it; None where the tree has no such sum."""
        of, rows = self.root, row[None]
        while of.cells != cells:
            if len(of.parts) == 1:
                of, rows = of.parts[0], rows * of.factor
                continue
            holding = [part for part in of.parts if cells <= part.cells]
            if not holding:
                return None
            a, b = of.parts
            of, rows = holding[0], self._message(of, rows, holding[0], b if holding[0] is a else a)
        return of, rows[0]

    def _message(self, of: _Sum, rows: Floats, own: _Sum, other: _Sum) -> Floats:
        """sum_s rows(s) other(s - u) at the values u of ``own``: a convolution with ``other`` reversed."""
        first = own.low - (of.low - other.high)
        return _convolved_rows(rows, other.weight[::-1], first, first + own.weight.size, self.direct)

    # Draws

    def draws(self, row: Floats, rng: np.random.Generator, size: int) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """(i, c_i of every draw, (size,)) for each cell, the total drawn in proportion to m_root times ``row``."""
        self._check_draws(size)
        law = np.cumsum(self.root.weight * row)
        at = np.searchsorted(law, rng.random(size) * law[-1], side="right")
        stack = [(self.root, self.root.low + np.minimum(at, law.size - 1))]
        while stack:
            of, drawn = stack.pop()
            if not of.parts:
                (i,) = of.cells
                yield i, drawn
            elif len(of.parts) == 1:
                stack.append((of.parts[0], drawn))
            else:
                narrow, wide = sorted(of.parts, key=lambda part: part.weight.size)
                first = _split(narrow, wide, drawn, rng)
                stack.extend([(narrow, first), (wide, drawn - first)])

    def _check_draws(self, size: int) -> None:
        needed, stack = 0.0, [self.root]
        while stack:
            of = stack.pop()
            stack.extend(of.parts)
            if len(of.parts) == 2:
                needed += float(min(size, of.weight.size)) * min(part.weight.size for part in of.parts)
        if needed > _DRAWN:
            raise ValueError(f"size is too large for noise as wide as this: {size:,} draws pass over {needed:.2g} "
                             f"numbers, at most {_DRAWN:.2g} are. Draw fewer at a time.")

    # What is certain

    def error(self, row: Floats) -> float:
        """A bound on the error of any probability, where the total's weight is ``row``; what lies outside the tree's
        windows is not in it."""
        total = float(self.root.weight @ row)
        if not total > 0:
            return np.inf
        lost = (min(self.root.dropped * float(row.max()), self.root.missing * float(row.sum()))
                + self.root.rounding * float(row.sum()))
        return 2 * lost / total


def count_tree(
    leaves: Sequence[Leaf], lowest: int, highest: int, measured: Sequence[MeasuredSum] = (), direct: bool = False
) -> CountTree:
    """The tree over cells whose sum is known to lie in ``lowest``..``highest``.

    leaves: one a cell; measured: sums with factors, in any order. With ``direct`` every convolution is summed term by
    term and nothing is left out, where transforms' rounding would show. Raises TooWide beyond NUMBERS in all sums.
    """
    return CountTree(_Growth(leaves, lowest, highest, direct).sum_of_all(measured), direct)


class TooWide(ValueError):
    """The laws of sums have more numbers than are held."""


def products(leaves: Sequence[Leaf]) -> float:
    """Of all convolutions that are summed term by term, at most."""
    heap = sorted(leaf.weight.size for leaf in leaves)
    found = 0.0
    while len(heap) > 1:
        a, b = heapq.heappop(heap), heapq.heappop(heap)
        found += float(a) * b
        heapq.heappush(heap, a + b - 1)
    return found


class _Growth:
    """The pass upwards: the two narrowest sums are joined first."""

    def __init__(self, leaves: Sequence[Leaf], lowest: int, highest: int, direct: bool) -> None:
        self.leaves, self.lowest, self.highest, self.direct = leaves, lowest, highest, direct
        self.least, self.most = sum(leaf.low for leaf in leaves), sum(leaf.high for leaf in leaves)
        self.held = 0

    def sum_of_all(self, measured: Sequence[MeasuredSum]) -> _Sum:
        sums = {frozenset([i]): self._trimmed(_Sum(leaf.low, leaf.weight, frozenset([i]), leaf.low, leaf.high))
                for i, leaf in enumerate(self.leaves)}
        self.held = sum(one.weight.size for one in sums.values())
        for group in sorted(measured, key=lambda one: len(one.cells)):
            inside = [cells for cells in sums if cells <= group.cells]
            sums[group.cells] = _measured(self._joined_all([sums.pop(cells) for cells in inside]), group)
        return self._joined_all(list(sums.values()))

    def _joined_all(self, sums: list[_Sum]) -> _Sum:
        heap = [(part.weight.size, order, part) for order, part in enumerate(sums)]
        heapq.heapify(heap)
        order = len(heap)
        while len(heap) > 1:
            (_, _, a), (_, _, b) = heapq.heappop(heap), heapq.heappop(heap)
            joined = self._joined(a, b)
            self.held += joined.weight.size
            if self.held > NUMBERS:
                raise TooWide
            heapq.heappush(heap, (joined.weight.size, order, joined))
            order += 1
        return heap[0][2]

    def _joined(self, a: _Sum, b: _Sum) -> _Sum:
        least, most = a.least + b.least, a.most + b.most
        low = max(a.low + b.low, self.lowest - (self.most - most))
        high = min(a.high + b.high, self.highest - (self.least - least))
        weight, rounding = _convolved(a.weight, b.weight, low - a.low - b.low, high - a.low - b.low + 1, self.direct)
        dropped = a.dropped + b.dropped
        # What is missing at a value of a spreads over the values of b, and what is missing of all of a too
        missing = (min(a.missing, a.dropped * float(b.weight.max()))
                   + min(b.missing, b.dropped * float(a.weight.max())))
        if rounding:
            first, last = _shown(weight, rounding)
            dropped += float(weight[:first].sum() + weight[last:].sum())
            missing += max(float(weight[:first].max(initial=0.0)), float(weight[last:].max(initial=0.0)))
            low, weight = low + first, weight[first:last]
        return self._trimmed(_Sum(low, weight, a.cells | b.cells, least, most, (a, b),
                                  dropped=dropped, missing=missing, rounding=rounding + a.rounding + b.rounding,
                                  log_scale=a.log_scale + b.log_scale))

    def _trimmed(self, of: _Sum) -> _Sum:
        """Without the ends that hold next to nothing, and rescaled to sum 1."""
        total = float(of.weight.sum())
        first, last, left_out = 0, of.weight.size, 0.0
        if not self.direct and last > 1:
            tiny = _LEFT_OUT * total
            from_left, from_right = np.cumsum(of.weight), np.cumsum(of.weight[::-1])
            first = int(np.searchsorted(from_left, tiny))
            last -= int(np.searchsorted(from_right, tiny))
            left_out = (from_left[first - 1] if first else 0.0) + (
                from_right[of.weight.size - last - 1] if last < of.weight.size else 0.0)
        scale = max(total, np.finfo(float).tiny)
        return _Sum(of.low + first, of.weight[first:last] / scale, of.cells, of.least, of.most, of.parts,
                    of.factor, (of.dropped + left_out) / scale, (of.missing + left_out) / scale, of.rounding / scale,
                    of.log_scale + float(np.log(scale)))


def _measured(of: _Sum, group: MeasuredSum) -> _Sum:
    """m_v times the factor, which is 1 where it is largest of the values at hand; what was left out may have more."""
    log_factor = group.log_factor(of.values)
    top = float(log_factor.max())
    if top == -np.inf:
        raise ValueError("No counts of some cells agree both with what was published of them and with a sum of them.")
    factor = np.exp(log_factor - top)
    weight = of.weight * factor
    scale = max(float(weight.sum()), np.finfo(float).tiny)
    more = float(np.exp(min(group.log_most - top, _LOG_LARGEST)))
    return _Sum(of.low, weight / scale, of.cells, of.least, of.most, (of,), factor, of.dropped * more / scale,
                of.missing * more / scale, of.rounding / scale,
                of.log_scale + float(np.log(scale)) - (group.log_most - top))


def _split(narrow: _Sum, wide: _Sum, total: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """A value of ``narrow`` for each drawn total, with probability proportional to narrow(x) wide(total - x)."""
    chance = rng.random(total.size)
    distinct, which = np.unique(total, return_inverse=True)
    drawn = np.empty(total.size, dtype=np.int64)
    order = np.argsort(which, kind="stable")
    rows = max(1, _TABLE // narrow.weight.size)
    for start in range(0, distinct.size, rows):
        part = distinct[start:start + rows]
        at = part[:, None] - narrow.values - wide.low
        inside = (at >= 0) & (at < wide.weight.size)
        rest = np.where(inside, wide.weight[np.clip(at, 0, wide.weight.size - 1)], 0.0)
        law = np.cumsum(rest * narrow.weight, axis=1)
        law /= law[:, -1:]
        # One search for all rows: row j's distribution function is laid over (j, j + 1]
        law += np.arange(part.size)[:, None]
        here = order[slice(*np.searchsorted(which[order], [start, start + part.size]))]
        row = which[here] - start
        found = np.searchsorted(law.reshape(-1), row + chance[here], side="right") - row * narrow.weight.size
        drawn[here] = narrow.low + np.clip(found, 0, narrow.weight.size - 1)
    return drawn


def _shown(weight: Floats, rounding: float) -> tuple[int, int]:
    """Where the law around its peak exceeds what a transform's rounding can hide: h, which may grow faster than m
    falls, must not multiply that."""
    peak = int(weight.argmax())
    hidden = np.flatnonzero(weight <= _HIDDEN * rounding)
    return int(hidden[hidden < peak].max(initial=-1)) + 1, int(hidden[hidden > peak].min(initial=weight.size))


def _convolved(a: Floats, b: Floats, first: int, last: int, direct: bool) -> tuple[Floats, float]:
    """Entries first..last - 1 of a * b, and a bound on the error of each but for the rounding of sums of positive
    numbers: a transform's is at most 3 ulp log2(L) |a| |b|."""
    if last <= first:
        raise ValueError("The windows of two sums leave no total.")
    short, long = (a, b) if a.size <= b.size else (b, a)
    if direct or short.size * min(long.size, last - first) <= _DIRECT:
        if last - first == short.size + long.size - 1:
            return np.convolve(long, short), 0.0
        return np.convolve(_padded(long, first - short.size + 1, last), short, "valid"), 0.0
    size = _transform_size(a.size + b.size - 1)
    product = np.fft.irfft(np.fft.rfft(a, size) * np.fft.rfft(b, size), size)[first:last]
    return np.maximum(product, 0.0), _rounding(size, a, b)


def _transform_size(least: int) -> int:
    """The least 2^j, 3 2^j, 5 2^j or 9 2^j that is enough: transforms of such sizes are quick."""
    return min(odd << max(0, -(-least // odd) - 1).bit_length() for odd in (1, 3, 5, 9))


def _rounding(size: int, a: Floats, b: Floats) -> float:
    return 3 * np.finfo(float).eps / 2 * np.log2(size) * float(np.linalg.norm(a)) * float(np.linalg.norm(b))


def _convolved_rows(rows: Floats, b: Floats, first: int, last: int, direct: bool) -> Floats:
    """Entries first..last - 1 of each row * b; entries beyond its ends are 0."""
    if direct or min(rows.shape[1], b.size) * (last - first) <= _DIRECT:
        if rows.shape[1] < b.size:
            return np.stack([np.convolve(_padded(b, first - row.size + 1, last), row, "valid") for row in rows])
        return np.stack([np.convolve(_padded(row, first - b.size + 1, last), b, "valid") for row in rows])
    # A circular convolution long enough that nothing wraps around into the entries that are asked for
    length = rows.shape[1] + b.size - 1
    inside = max(first, 0), min(last, length)
    size = _transform_size(max(rows.shape[1], b.size, length - inside[0], inside[1]))
    found, transform = np.zeros((len(rows), last - first)), np.fft.rfft(b, size)
    for some in chunks(len(rows), size):
        product = np.fft.irfft(np.fft.rfft(rows[some], size) * transform, size)
        found[some, inside[0] - first:inside[1] - first] = product[:, inside[0]:inside[1]]
    return found


def correlated(rows: Floats, b: Floats, size: int) -> Floats:
    """sum_x row(x) b(x + j), j = 0 .. size - 1, of each row; b has as many entries as that takes."""
    return _convolved_rows(rows[:, ::-1], b, rows.shape[1] - 1, rows.shape[1] - 1 + size, False)


def _padded(a: Floats, first: int, last: int) -> Floats:
    """a at first..last - 1, 0 beyond its ends."""
    found = np.zeros(last - first)
    low, high = max(first, 0), min(last, a.size)
    if low < high:
        found[low - first:high - first] = a[low:high]
    return found
