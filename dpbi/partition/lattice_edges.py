"""Sums over all whole numbers r >= 0 of what is smooth, on a coarse lattice r = rho + q j that need not meet 0.

In a convolution every factor only has to act on polynomials of low degree as the sum over all r does: the coefficient
far from both ends depends on the generating functions near their pole alone (their Laurent expansions), where such
factors agree up to a power of the spacing. So two devices suffice, both of order ``ORDER``: weights for the lattice
points next to the edge (an Euler-Maclaurin or Gregory correction), and, for what is not smooth on the lattice,
weights moved to the nearest lattice points by Lagrange's interpolation transposed, which keeps their moments.
"""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import bernoulli

ORDER = 16  # lattice points that a correction or an interpolation uses, half on either side
_NODES = np.arange(-ORDER // 2, ORDER // 2)


# [j, d]: coefficient of t^d in the polynomial that is 1 at node j and 0 at the others
_LAGRANGE = np.array([np.poly(others)[::-1] / np.prod((node - others).astype(float))
                      for node, others in ((node, _NODES[_NODES != node]) for node in _NODES)])
_BERNOULLI = bernoulli(ORDER + 1)  # B_1 = -1/2
_BINOMIAL = np.array([[float(math.comb(d + 1, i)) for i in range(ORDER + 1)] for d in range(ORDER)])


def edge_weights(rest: NDArray[np.int64], spacing: NDArray[np.int64], width: int) -> NDArray[np.float64]:
    """Weights over the spacing, (rows, width), of the lattice points rest + spacing j, j = -ORDER/2 ... .

    rest: the least lattice point >= 0, below spacing. Point j has weight 1 + chi_j (chi_j for j < 0), where with
    t = (r - rest) / spacing, formally, sum_{r >= 0} F / spacing - sum_{j >= 0} F(j) = sum_j chi_j F(j) for
    polynomials F. At F = t^d both sums are values of Hurwitz zeta functions at -d, that is Bernoulli polynomials:
    the difference is [B_{d+1}(0) - spacing^{-d-1} B_{d+1}(-rest)] / (d + 1).
    Source: ours; for rest = 0 and an infinitely fine sum these are Gregory's weights with points on both sides.
    """
    moment = np.zeros((rest.size, ORDER))
    power = np.arange(ORDER + 1)
    scale = _BERNOULLI[:-1] / spacing[:, None].astype(float) ** power
    shifted = (-rest / spacing)[:, None] ** power
    for d in range(ORDER):
        # spacing^{-d-1} B_{d+1}(-rest) = sum_i (d+1 over i) B_i spacing^{-i} shift^{d+1-i}
        scaled = (_BINOMIAL[d, : d + 2] * scale[:, : d + 2] * shifted[:, d + 1 :: -1]).sum(axis=1)
        moment[:, d] = (_BERNOULLI[d + 1] - scaled) / (d + 1)
    weights = np.ones((rest.size, max(width, ORDER)))
    weights[:, : ORDER // 2] = 0.0
    weights[:, :ORDER] += moment @ _LAGRANGE.T
    return weights[:, :width]


def moved_to_lattice(
    offsets: NDArray[np.int64], weights: NDArray[np.float64], strides: NDArray[np.int64], unit: int
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]]:
    """Offsets, weights and strides with each row of a stride below ``unit`` moved to multiples of ``unit``."""
    rows = []
    for offset, weight, stride in zip(offsets, weights, strides, strict=True):
        if stride >= unit:
            rows.append((int(offset[0]), weight))
            continue
        offset, weight = offset[weight != 0], weight[weight != 0]
        place = offset // unit
        share = np.vander((offset - place * unit) / unit, ORDER, increasing=True) @ _LAGRANGE.T
        first = int(place[0]) + int(_NODES[0])
        at = (place - first)[:, None] + _NODES
        rows.append((first * unit, np.bincount(at.ravel(), (share * weight[:, None]).ravel())))
    width = max(weight.size for _, weight in rows)
    strides = np.maximum(strides, unit)
    moved = np.array([first for first, _ in rows])[:, None] + np.arange(width) * strides[:, None]
    return moved, np.array([np.pad(weight, (0, width - weight.size)) for _, weight in rows]), strides
