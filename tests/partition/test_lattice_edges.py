"""Sums of smooth terms on coarse lattices, against the plain sums over all whole numbers."""

import numpy as np
import pytest

from dpbi.partition.lattice_edges import ORDER, edge_weights, moved_to_lattice


@pytest.mark.parametrize("spacing", [9, 40, 1000])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.97])
def test_corrected_edge_is_the_sum_over_all_whole_numbers(spacing: int, share: float) -> None:
    """e^{-r / scale} times a wave, scale = 24 spacings: its values left of the edge belong to the smooth function."""
    rest, scale = int(share * spacing), 24.0 * spacing
    r = np.arange(40 * int(scale))
    lattice = rest + spacing * np.arange(-ORDER // 2, 40 * 24)
    weights = spacing * edge_weights(np.array([rest]), np.array([spacing]), lattice.size)[0]
    for frequency in (0.0, 0.7, 1.0):
        term = [np.exp(-x / scale) * np.cos(frequency * x / scale) for x in (r, lattice)]
        assert weights @ term[1] == pytest.approx(term[0].sum(), rel=1e-12)


def test_moved_weights_keep_their_moments() -> None:
    offsets = np.array([np.arange(-70, 30) * 3, np.arange(100) * 50 - 200])
    weights = np.exp(-((offsets / 150.0) ** 2))
    moved, kept, strides = moved_to_lattice(offsets, weights, np.array([3, 50]), 50)
    assert (strides == 50).all() and (moved % 50 == 0).all()
    for power in range(ORDER):
        before, after = (
            (weight * (x / 300.0) ** power).sum(axis=1) for weight, x in ((weights, offsets), (kept, moved))
        )
        assert after == pytest.approx(before, rel=1e-11, abs=1e-11)
