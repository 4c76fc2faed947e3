"""What is named, and how many rows there are, does not hang on the last bit of exp and log."""

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dpbi import MECHANISMS, Problem, distance_law, mechanisms, privacy_loss, sensitivity_maps
from dpbi.sensitivity.closed_form import worst_neighbour
from tests.every_mechanism import enumerated

MOVED = ("exp", "log", "log1p", "expm1", "log2", "arctanh")


def _clear() -> None:
    """Nothing computed before is kept."""
    for name, module in list(sys.modules.items()):
        if name.startswith("dpbi"):
            for function in list(vars(module).values()):
                if hasattr(function, "cache_clear"):
                    function.cache_clear()


def _moved(function: Callable[..., Any], seed: int) -> Callable[..., Any]:
    """The function with each result moved by a last bit up, down or not at all, as its own bits and the seed say."""

    def other(*arguments: Any, **named: Any) -> Any:
        value = np.asarray(function(*arguments, **named))
        bits = np.ascontiguousarray(value, dtype=np.float64).view(np.uint64).reshape(value.shape)
        with np.errstate(over="ignore"):
            mixed = (bits ^ np.uint64(seed)) * np.uint64(0xBF58476D1CE4E5B9)
        way = (mixed >> np.uint64(33)) % np.uint64(3)
        moved = np.where(way == 0, value, np.nextafter(value, np.where(way == 1, np.inf, -np.inf)))
        moved = np.where(np.isfinite(value) & (value != 0) & (value != 1), moved, value)
        return moved if moved.ndim else np.float64(moved)

    return other


@pytest.fixture
def last_bits(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int], None]]:
    """Moves the last bits by a seed, and back when the test ends."""
    functions = {name: getattr(np, name) for name in MOVED}

    def move(seed: int) -> None:
        _clear()
        for name, function in functions.items():
            monkeypatch.setattr(np, name, _moved(function, seed))

    _clear()
    yield move
    monkeypatch.undo()
    _clear()


LAWS = [
    ((1e-5, 1e-5, 1e-5), (0, 0, 40)),  # a crowd near H = 1
    ((0.5, 0.5), (3, 87)),
    ((0.2, 3.0), (50, 450)),
    ((7967697.8, 0.00365), (200, 0)),
    ((1.0, 1.0), (400, 500)),
    ((1.0, 1.0, 1.0), (10, 10, 10)),
    ((1.0, 2.0, 3.0), (7, 6, 5)),  # posterior parameters alike where neither priors nor counts are
    ((1e12, 1e12, 1e-9), (5, 4, 0)),
]


def _rows() -> list[tuple[Any, ...]]:
    found = []
    for prior, counts in LAWS:
        for kind in MECHANISMS:
            law = distance_law(kind(enumerated(kind, 1.0, len(prior))), Problem(prior, counts))
            found.append((prior, kind.label, law.distance.size, law.levels()[0].size, law.steps.tolist()))
    return found


def test_rows_and_levels_do_not_hang_on_a_last_bit(last_bits: Callable[[int], None]) -> None:
    before = _rows()
    last_bits(1)
    for was, found in zip(before, _rows(), strict=True):
        assert found == was, (was[:4], found[:4])


def _named() -> list[Any]:
    found: list[Any] = []
    for prior, sizes in (((1.0, 1.0), (1, 5)), ((0.5, 0.5, 0.5), (1, 5)), ((1.0, 1.0, 1.0), (1, 2, 5)),
                         ((1.0, 2.0, 3.0), (3,)), ((1e6, 1e6), (5,))):  # fmt: skip
        for n in sizes:
            for kind in MECHANISMS:
                loss = privacy_loss(kind(3.0), prior, n)
                found.append((prior, n, kind.label, loss.counts, loss.neighbour, loss.released))
    for problem in (Problem((0.3, 0.1 + 0.2, 1.0), (4, 4, 1)), Problem((0.5, 1.5, 2.5), (2, 1, 0)),
                    Problem((1.0,) * 4, (3, 1, 1, 3))):  # fmt: skip
        found.append((prior, worst_neighbour(problem), round(sensitivity_maps.gamma_scan(problem).best_gamma, 9)))
    return found


def test_names_do_not_hang_on_a_last_bit(last_bits: Callable[[int], None]) -> None:
    before = _named()
    for seed in (1, 2, 3):
        last_bits(seed)
        for was, found in zip(before, _named(), strict=True):
            assert found == was


@pytest.mark.parametrize(("prior", "counts"), [((1.0, 2.0, 1.0, 0.5), (3, 2, 1, 4)), ((2.0, 1.0, 3.0), (0, 4, 2))])
def test_identities_are_those_of_the_pairs(prior: tuple[float, ...], counts: tuple[int, ...]) -> None:
    """Two candidates have one identity just where their pairs {alpha + c, alpha + r}, r != c, are the same ones."""
    from dpbi.posterior.hellinger import distances_to, identities
    from dpbi.problem.candidates import list_candidates

    problem = Problem(prior, counts)
    candidates: NDArray[np.int64] = list_candidates(problem.n, problem.k)
    pairs = [tuple(sorted(tuple(sorted((a + c, a + r))) for a, c, r in zip(prior, counts, row, strict=True) if r != c))
             for row in candidates.tolist()]
    known, distance = identities(problem, candidates).tolist(), distances_to(problem, candidates)
    assert len(set(known)) == len(set(pairs)) == len(set(zip(known, pairs, strict=True))) < len(candidates)
    for identity in set(known):
        alike = distance[[one == identity for one in known]]
        assert np.ptp(alike) <= 1e-14


def test_rows_of_a_crowd_are_as_many_as_the_outputs_that_differ() -> None:
    """Beyond where distances are told from 1 they are one level; before, each identity has its own row."""
    law = distance_law(mechanisms.EHD(1.0), Problem((0.5, 0.5), (3, 87)))
    assert (np.diff(law.distance) >= 0).all() and law.levels()[0].size == law.level[-1] + 1
    assert law.levels()[1].sum() == pytest.approx(1, abs=1e-12)
