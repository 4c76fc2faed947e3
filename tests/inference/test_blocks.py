"""The posterior within some categories of a release: against enumeration of all tables, and the whole's own numbers."""


import numpy as np
import pytest
from scipy.special import gammaln

import dpbi
from dpbi.inference.count_posterior import blocks_of
from dpbi.inference.tree_posterior import TreePosterior
from dpbi.mechanisms.likelihood import StepsLikelihood
from tests.oracles import compositions

KNORM, GEOMETRIC = dpbi.mechanisms.KNorm, dpbi.mechanisms.Geometric
PRIOR, N, RELEASED = (1.0, 1.0, 1.0, 1.0), 12, (4, 2, 0, 7)


def by_hand(
    mechanism: dpbi.Mechanism, prior: tuple[float, ...], n: int, r: tuple[int, ...], block: list[int]
) -> tuple[float, float]:
    """(mean of the first share within the block, mean of the block's count), over all tables."""
    tables = np.array(list(compositions(n, len(prior))))
    a = np.array(prior)
    log = (gammaln(a + tables) - gammaln(tables + 1.0)).sum(axis=1)
    log += [float(mechanism.log_pmf(dpbi.Problem(prior, tuple(t)), r)) for t in tables.tolist()]
    weight = np.exp(log - log.max())
    weight /= weight.sum()
    inside = tables[:, block]
    share = (a[block[0]] + inside[:, 0]) / (a[block].sum() + inside.sum(axis=1))
    return float(weight @ share), float(weight @ inside.sum(axis=1))


def test_the_reference_of_two_groups() -> None:
    """Its released counts have the sum 13 and no zero, as no release by this law has: the likelihood stands anyway."""
    first, second = blocks_of(PRIOR, N, StepsLikelihood(1.0, (4, 2, 1, 6)), [frozenset((0, 1)), frozenset((2, 3))])
    assert TreePosterior(PRIOR[:2], first).mean[0] == pytest.approx(0.60034884007548, abs=1e-13)
    assert first.total.mean == pytest.approx(5.40162152318668, abs=1e-12)
    assert first.total.mean + second.total.mean == pytest.approx(N, abs=1e-9)


def test_blocks_together_are_the_whole() -> None:
    posterior = dpbi.noise_aware_posterior(KNORM(1.0), PRIOR, N, RELEASED)
    first, second = posterior.blocks([(0, 1), (2, 3)])
    assert first.total.mean + second.total.mean == pytest.approx(N, abs=1e-9)
    assert np.allclose(first.mean_counts, posterior.mean_counts[:2], atol=1e-9)
    low, high = first.interval(0.95, 0)
    assert np.allclose(first.cumulative([low, high], 0), [0.025, 0.975], atol=1e-9)
    assert 0 < dpbi.compare(first, second).probability_greater < 1


@pytest.mark.parametrize("mechanism", [KNORM(0.7), GEOMETRIC(1.0), dpbi.mechanisms.LSZhang(2.0)])
@pytest.mark.parametrize("block", [[0, 1], [1, 3], [0, 2, 3], [0, 1, 2, 3]])
def test_a_block_is_what_enumeration_says(mechanism: dpbi.Mechanism, block: list[int]) -> None:
    prior, n, r = (1.0, 0.5, 2.0, 0.1), 7, (3, 0, 5, 0)
    found = dpbi.noise_aware_posterior(mechanism, prior, n, r).block(block)
    mean, total = by_hand(mechanism, prior, n, r, block)
    assert found.mean[0] == pytest.approx(mean, abs=1e-9)
    assert found.total.mean == pytest.approx(total, abs=1e-9)
    drawn = found.sample(np.random.default_rng(1), 4_000)
    assert abs(drawn[:, 0].mean() - mean) < 5 * found.sd[0] / np.sqrt(4_000)  # false alarm 6e-7


def test_a_block_of_several_releases_and_of_nobody() -> None:
    pairs = [(KNORM(1.0), RELEASED), (GEOMETRIC(1.0), (3, 2, 2, 5))]
    joint = dpbi.joint_posterior(PRIOR, N, pairs)
    assert joint.block((0, 1)).mean_counts.sum() == pytest.approx(joint.mean_counts[:2].sum(), abs=1e-9)
    empty = dpbi.noise_aware_posterior(KNORM(1.0), PRIOR, 0, (0, 0, 0, 0)).block((2, 3))
    assert empty.total.mean == 0
    assert empty.mean.tolist() == [0.5, 0.5]


@pytest.mark.parametrize(("blocks", "said"), [
    ([(0,)], "at least 2 for a block"), ([(0, 1), (1, 2)], "two blocks share one"), ([(0, 4)], r"at most 3|between"),
    ("ab", "sequence")])  # fmt: skip
def test_no_block(blocks: object, said: str) -> None:
    posterior = dpbi.noise_aware_posterior(KNORM(1.0), PRIOR, N, RELEASED)
    with pytest.raises(ValueError, match=said):
        posterior.blocks(blocks)  # type: ignore[arg-type]


def test_a_choice_among_candidates_has_no_blocks() -> None:
    posterior = dpbi.noise_aware_posterior(dpbi.mechanisms.EHD(1.0), (1, 1, 1), 3, (1, 1, 1))
    with pytest.raises(ValueError, match="no product over categories"):
        posterior.block((0, 1))
