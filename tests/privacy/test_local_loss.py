"""The loss of the mechanism scaled to the local sensitivity: its limit for many records, and exact."""

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, product

import numpy as np
import pytest

import dpbi
from dpbi.mechanisms import EHDL
from dpbi.privacy import local_loss as module
from tests import oracles

Counts = tuple[int, ...]


def gamma_distance(alpha: Sequence[float], i: Counts, r: Counts) -> float:
    """H where all other categories grow: by log-gammas, in place of the library's recurrence."""
    log_affinity = sum(math.lgamma(a + (x + y) / 2) - (math.lgamma(a + x) + math.lgamma(a + y)) / 2
                       for a, x, y in zip(alpha, i, r, strict=True))
    return math.sqrt(-math.expm1(min(log_affinity, 0.0)))


def neighbours_of(i: Counts) -> Iterator[Counts]:
    for step in product((-1, 0, 1), repeat=len(i)):
        moved = tuple(x + s for x, s in zip(i, step, strict=True))
        if any(step) and min(moved) >= 0 and abs(sum(step)) <= 1:
            yield moved


def brute_limit(alpha: Sequence[float], box: int) -> float:
    """The supremum of the brackets, pair by pair."""
    cells = list(product(range(box + 1), repeat=len(alpha)))
    local = {i: max(gamma_distance(alpha, i, other) for other in neighbours_of(i)) for i in cells}
    weighed = {(i, r): (1 - gamma_distance(alpha, i, r)) / (2 * local[i]) for i in cells for r in cells}
    return max(weighed[i, r] - weighed[other, r]
               for i in cells for other in neighbours_of(i) if other in local for r in cells)


@pytest.mark.parametrize("alpha", [1e-6, 0.1, 0.5, 1.0, 7.3, 100.0])
def test_limit_at_two_categories(alpha: float) -> None:
    found = dpbi.local_loss_limit((alpha, alpha))
    assert found.ratio == pytest.approx(brute_limit((alpha,), 12), rel=1e-9)
    assert (found.counts, found.neighbour, found.released) == ((2, None), (1, None), (2, None))
    assert found.beyond is not None
    assert found.beyond < found.ratio
    assert dpbi.local_loss_limit((alpha, 1e3)).ratio == dpbi.local_loss_limit((1e3, alpha)).ratio == found.ratio


@pytest.mark.parametrize("prior", [(0.2, 0.2, 40.0), (5.0, 0.5, 3.0)])
def test_limit_at_three_categories(prior: tuple[float, ...]) -> None:
    found = dpbi.local_loss_limit(prior)
    assert found.ratio == pytest.approx(max(
        brute_limit(few, 5) for size in (1, 2) for few in combinations(prior, size)), rel=1e-9)


def test_printed_limits() -> None:
    for alpha, ratio in ((1.0, 0.92179), (0.5, 0.98231), (0.1, 1.07056)):
        assert dpbi.local_loss_limit((alpha, alpha)).ratio == pytest.approx(ratio, abs=5e-6)
    star = dpbi.critical_parameter()
    assert star == pytest.approx(0.39284, abs=5e-6)
    assert dpbi.local_loss_limit((star - 1e-6,) * 2).ratio > 1 > dpbi.local_loss_limit((star + 1e-6,) * 2).ratio


def test_exact_loss_is_that_of_every_pair() -> None:
    rng = np.random.default_rng(1)
    for _ in range(40):
        prior = tuple((10 ** rng.uniform(-6, 4, 2)).tolist())
        n, epsilon = int(rng.integers(1, 40)), float(10 ** rng.uniform(-3, 1.7))
        found, listed = dpbi.local_loss(prior, n, epsilon), dpbi.privacy_loss(EHDL(epsilon), prior, n)
        assert abs(found.epsilon - listed.epsilon) <= found.margin + listed.margin
        assert found.margin <= 1e-6 * max(found.epsilon, 1e-3)


def test_exact_loss_beyond_listing_keeps_to_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """At n = 3,000 the far outputs are cut; without the cut the loss is the same within its margin."""
    prior = 0.1, 0.7
    cut = dpbi.local_loss(prior, 3000, 0.1)
    monkeypatch.setattr(module, "_FAR", 1e9)
    whole = dpbi.local_loss(prior, 3000, 0.1)
    assert abs(cut.epsilon - whole.epsilon) <= cut.margin
    assert whole.ratio < dpbi.local_loss_limit(prior).ratio < whole.ratio + 0.005
    assert (cut.counts, cut.neighbour) == ((2, 2998), (1, 2999))


def test_the_witness_by_its_own_formula() -> None:
    """log P(r = 2 | 2) - log P(2 | 1) under (.1, .1), n = 1,000, from sums over all candidates."""
    prior, n, epsilon = (0.1, 0.1), 1000, 0.1

    def distance(count: int, other: int) -> float:
        return oracles.hellinger_float(*((prior[0] + one, prior[1] + n - one) for one in (count, other)))

    def log_probability(count: int) -> float:
        rate = epsilon / (2 * max(distance(count, count - 1), distance(count, count + 1)))
        terms = [-rate * distance(count, r) for r in range(n + 1)]
        return terms[2] - math.log(math.fsum(map(math.exp, terms)))

    lost = (log_probability(2) - log_probability(1)) / epsilon
    assert dpbi.local_loss(prior, n, epsilon).ratio == pytest.approx(lost, rel=1e-7)
    assert lost == pytest.approx(1.0645, abs=5e-5)


def test_map() -> None:
    found = dpbi.local_loss_map(2, 20, 0.5, [0.1, 1.0, 30.0])
    assert found.ratio == pytest.approx(np.array([[dpbi.privacy_loss(EHDL(0.5), (a, b), 20).epsilon / 0.5
                                                   for b in (0.1, 1.0, 30.0)] for a in (0.1, 1.0, 30.0)]), rel=1e-7)
    many = dpbi.local_loss_map(3, None, 0.5, [0.3, 10.0])
    assert many.ratio[1, 0] == dpbi.local_loss_limit((10.0, 10.0, 0.3)).ratio
    assert many.broken == 4
    three = dpbi.local_loss_map(3, 4, 0.5, [0.3, 10.0])
    assert three.ratio[0, 1] == dpbi.privacy_loss(EHDL(0.5), (0.3, 0.3, 10.0), 4).epsilon / 0.5


@pytest.mark.parametrize(("call", "said"), [
    (lambda: dpbi.local_loss_limit((1, 1, 1, 1)), "got k = 4"),
    (lambda: dpbi.local_loss((1, 1, 1), 5, 1.0), "got k = 3"),
    (lambda: dpbi.local_loss((1, 1), 100_001, 1.0), "100001"),
    (lambda: dpbi.local_loss_map(4, 5, 1.0, [1.0, 2.0]), "k"),
])  # fmt: skip
def test_refusals(call: Callable[[], object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        call()
