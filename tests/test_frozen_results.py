"""No result can be changed: not when made, not after pickling or copying; a release's file is what was drawn."""

import copy
import dataclasses
import importlib
import pickle
import pkgutil
from collections.abc import Callable, Iterator
from functools import cache, cached_property
from typing import Any

import numpy as np
import pytest

import dpbi
from dpbi import MECHANISMS, Problem, comparison_of, noise_aware_releases, sample_posteriors, tour
from dpbi.accuracy import axes as accuracy_axes, expected_error
from dpbi.accuracy.curves import accuracy_curve, crossovers, required_epsilon
from dpbi.accuracy.trials import release_errors
from dpbi.frozen_result import FrozenResult, frozen
from dpbi.inference.clouds import turn
from dpbi.inference.noise_aware import coverage
from dpbi.inference.ranking import ranking
from dpbi.mechanisms import EHD, EHDS, Geometric
from dpbi.mechanisms.likelihood import MeasuredLikelihood
from dpbi.noise import Exact, TwoSidedGeometric
from dpbi.papers.claims import CLAIMS
from dpbi.papers.claims.two_categories import line_law
from dpbi.papers.figures import tailoring
from dpbi.privacy.curves import attaining_laws, calibration_gain, gain_by_delta, loss_against_size
from dpbi.privacy.verdict import Profile, verdict
from dpbi.releases.ledger import Ledger
from dpbi.sensitivity.maps import along_count, along_emptying, gamma_scan, on_simplex, score_change
from tests.every_mechanism import Kind, every_class
from tests.releases.entries import entry_of
from tests.releases.test_reading import ASKED, outcome

TWO, THREE, LARGE = Problem((1, 1), (4, 5)), Problem((1, 2, 0.5), (4, 0, 5)), Problem((1,) * 12, (500,) * 12)
WIDE = Problem((1, 1, 1), (400, 500, 600))
PRIOR, N = TWO.prior, TWO.n
NOISY, CHOSEN = Geometric(1.0), EHDS(1.0)
UNPICKLED = {"tour", "axis"}  # hold functions without a name

RESULTS: dict[str, Callable[[], Any]] = {
    "line law": lambda: line_law(dpbi.mechanisms.LSHist(1.0), dpbi.Problem((1, 1), (2, 3))),
    "problem": lambda: TWO,
    "levels": lambda: dpbi.distance_law(CHOSEN, TWO),
    "bins": lambda: dpbi.distance_law(EHD(1.0), WIDE),
    "sampled": lambda: dpbi.distance_law(EHD(1.0), LARGE),
    "loss": lambda: dpbi.privacy_loss(CHOSEN, PRIOR, N),
    "calibrated": lambda: dpbi.calibrate(CHOSEN, PRIOR, N),
    "guarantees": lambda: [kind(1.0).guarantee(PRIOR, N) for kind in MECHANISMS],
    "table": lambda: CHOSEN.distances(WIDE),
    "nearest": lambda: CHOSEN.nearest(LARGE),
    "audits": lambda: [one.audit(PRIOR, N) for one in (NOISY, CHOSEN)],
    "listings": lambda: [one.listing(PRIOR, N, 10_000) for one in (NOISY, CHOSEN)],
    "likelihoods": lambda: [one.likelihood(PRIOR, N, TWO.counts) for one in (NOISY, CHOSEN)],
    "measured": lambda: MeasuredLikelihood(np.array([[4.0, np.nan]]), ((Exact(), TwoSidedGeometric(1.0)),)),
    "noise-aware": lambda: [dpbi.noise_aware_posterior(one, PRIOR, N, TWO.counts) for one in (NOISY, CHOSEN)],
    "noisy counts": lambda: [[read, read.block((0, 1)), read._summary, read._betas(0)] for read in (
        dpbi.noisy_counts_posterior((1, 1, 1), (4, 5, -1), TwoSidedGeometric(1.0), total, [((0, 1), 8, Exact())])
        for total in (9, dpbi.Flat()))],
    "ranking": lambda: [ranking(dpbi.noise_aware_posterior(NOISY, PRIOR, N, TWO.counts), np.random.default_rng(1), 9),
                        outcome(ASKED, ("x", "y", "z"))],
    "trimmed": lambda: dpbi.noise_aware_posterior(NOISY, PRIOR, N, TWO.counts).marginals[0].trimmed(1e-6),
    "releases": lambda: noise_aware_releases(NOISY, TWO, NOISY.sample(TWO, np.random.default_rng(1), 5)),
    "coverage": lambda: coverage(NOISY, PRIOR, N),
    "clouds": lambda: [dpbi.clouds(one, TWO, TWO.with_counts((5, 4)), [0.5, 1.0], np.random.default_rng(1))
                       for one in (NOISY, CHOSEN)],
    "guess": lambda: [dpbi.best_guess(NOISY, TWO, TWO.with_counts((5, 4))),
                      turn(NOISY, TWO, TWO.with_counts((5, 4)), np.random.default_rng(1))],
    "posteriors": lambda: sample_posteriors(NOISY, TWO, np.random.default_rng(1), 5),
    "release": lambda: [dpbi.release(kind(1.0), TWO) for kind in MECHANISMS],
    "published": lambda: [dpbi.read_release(dpbi.release(kind(1.0), TWO).to_json()) for kind in MECHANISMS],
    "ledger": lambda: Ledger((entry_of(dpbi.release(NOISY, TWO)),)),
    "expected release errors": lambda: release_errors(NOISY, PRIOR, N),
    "comparison": lambda: comparison_of(dpbi.distance_law(CHOSEN, TWO)),
    "error": lambda: expected_error(CHOSEN, TWO, "hellinger"),
    "curve": lambda: accuracy_curve(accuracy_axes.axis("epsilon"), NOISY, TWO, "l1", [0.5, 1.0]).errors,
    "axis": lambda: [accuracy_curve(accuracy_axes.axis("n"), one, TWO, "hellinger", [10, 40])
                     for one in (NOISY, CHOSEN)],
    "crossovers": lambda: [one.ahead for one in crossovers(RESULTS["axis"](), TWO)],
    "required": lambda: required_epsilon(NOISY, TWO, 0.3),
    "against size": lambda: loss_against_size(CHOSEN, PRIOR, [2, 3]),
    "attaining": lambda: [attaining_laws(dpbi.privacy_loss(one, PRIOR, N)) for one in (NOISY, CHOSEN)],
    "gain": lambda: calibration_gain(CHOSEN, TWO),
    "verdict": lambda: verdict(CHOSEN, PRIOR, N),
    "profile": lambda: Profile(verdict(CHOSEN, PRIOR, N), np.array([0.5]),
                               dpbi.privacy_profile(CHOSEN, PRIOR, N, [0.5])),
    "scan": lambda: along_count(PRIOR, N, 1.0, 0.1),
    "emptying": lambda: along_emptying(THREE, 1.0, 0.1),
    "simplex": lambda: on_simplex(THREE.prior, 9, "local", 1.0),
    "gammas": lambda: gamma_scan(TWO),
    "score": lambda: score_change(TWO),
    "claim": lambda: CLAIMS[0].check(TWO),
    "tour": lambda: list(tour.SCENES),
    "scenes": lambda: [tour.leak(TWO), tour.moves(TWO), *(scene.result() for scene in tour.SCENES),
                       tour.AgainstLimit((NOISY,), (dpbi.limit_of_privacy((1, 1), 2, 1.0),), *np.ones((2, 1, 1)))],
    "gap": lambda: tailoring.sensitivity_gap(n=10),
    "probabilities": lambda: tailoring.probabilities(n=10, runs=10),
    "errors against size": lambda: tailoring.errors(sizes=(10, 20), runs=10),
    "boxes": lambda: tailoring.boxes_of_priors(runs=10),
    "concrete": lambda: tailoring.concrete_privacy(sizes=(4, 6)),
    "limit": lambda: [dpbi.limit_of_privacy(PRIOR, N, 1.0), dpbi.compare_scores(PRIOR, 3, 1.0)],
    "public rate": lambda: [dpbi.best_public_rate(PRIOR, 3, 1.0), gain_by_delta(CHOSEN, PRIOR, 3, [0, 0.1])],
    "many records": lambda: [dpbi.large_sample_board([NOISY, CHOSEN], (0.5, 0.5), [0.5, 1.0]),
                             dpbi.large_sample_approach(NOISY, PRIOR, (0.5, 0.5), [9, 10])],
    "local loss": lambda: [dpbi.local_loss_map(2, 5, 1.0, [1.0, 2.0]), dpbi.local_loss(PRIOR, 5, 1.0)],
    "readings": lambda: [dpbi.nearest_posterior(NOISY, PRIOR, N, TWO.counts), dpbi.expected_distance(NOISY, PRIOR, N),
                         dpbi.joint_posterior(PRIOR, N, [(one, TWO.counts) for one in (NOISY, CHOSEN)])],
    "tables": lambda: [made := dpbi.release_tables(NOISY, dpbi.CountTable.of(
        ["N", "S"], {"Q": {"a": [3, 4], "b": [1, 0]}}), membership="private"), made.posterior("Q", "N")],
    "groups": lambda: [dpbi.conclusion(NOISY, TWO, TWO, np.random.default_rng(1)), dpbi.cost_of_noise(
        NOISY, PRIOR, (9, 8), np.random.default_rng(1)), dpbi.chance_of_order(NOISY, PRIOR, (9, 8), (0.6, 0.3))],
    "split": lambda: dpbi.split_epsilon(NOISY, [PRIOR, PRIOR], [[N], [N]]),
    "file": lambda: dpbi.read_counts(b"a,3\nb,4\n", "counts.csv", layout="counts"),
}  # fmt: skip


def arrays(found: Any, where: str = "", seen: set[int] | None = None) -> Iterator[tuple[str, np.ndarray]]:
    """Every array that can be reached: through fields, what is kept once computed, lists and tuples."""
    seen = set() if seen is None else seen
    if isinstance(found, np.ndarray):
        yield where, found
    elif isinstance(found, list | tuple):
        for i, part in enumerate(found):
            yield from arrays(part, f"{where}[{i}]", seen)
    elif isinstance(found, dict):
        for name, part in found.items():
            yield from arrays(part, f"{where}[{name!r}]", seen)
    elif type(found).__module__.startswith("dpbi") and hasattr(found, "__dict__") and id(found) not in seen:
        seen.add(id(found))
        for name, kept in (pair for kind in type(found).__mro__ for pair in vars(kind).items()):
            if isinstance(kept, cached_property):
                getattr(found, name)
        for name, part in list(vars(found).items()):
            yield from arrays(part, f"{where}.{name}", seen)


def objects(found: Any) -> Iterator[Any]:
    if isinstance(found, list | tuple):
        for part in found:
            yield from objects(part)
    elif isinstance(found, FrozenResult):
        yield found
        yield from objects(list(vars(found).values()))
    elif dataclasses.is_dataclass(found) and not isinstance(found, type):
        yield from objects(list(vars(found).values()))


def writable(found: Any) -> list[str]:
    wrong = []
    for where, array in arrays(found):
        if array.flags.writeable:
            wrong.append(where)
        with pytest.raises(ValueError):
            array.setflags(write=True)
    return wrong


made = cache(lambda name: RESULTS[name]())


@pytest.mark.parametrize("name", RESULTS)
def test_nothing_of_a_result_can_be_written_to(name: str) -> None:
    found = made(name)
    assert writable(found) == []
    if name not in UNPICKLED and name != "audits":
        for again in (pickle.loads(pickle.dumps(found)), pickle.loads(pickle.dumps(found, protocol=5)),
                      copy.copy(found), copy.deepcopy(found)):  # fmt: skip
            assert writable(again) == []
    for one in found if isinstance(found, list | tuple) else [found]:
        if dataclasses.is_dataclass(one):
            with pytest.raises(dataclasses.FrozenInstanceError):
                setattr(one, dataclasses.fields(one)[0].name, None)


def numbers_floor() -> Iterator[Any]:
    for module in pkgutil.walk_packages(dpbi.__path__, "dpbi."):
        if not module.name.startswith(("dpbi.figures", "dpbi.dashboard")):
            yield importlib.import_module(module.name)


def test_every_class_that_holds_arrays_is_a_frozen_result_and_was_looked_at() -> None:
    """A leading underscore, and the sums inside ``partition`` and the tree, are for no reader."""
    inside = {"Part", "Bulk", "Piece", "Leaf"}
    kinds = {kind for module in numbers_floor() for kind in vars(module).values()
             if dataclasses.is_dataclass(kind) and isinstance(kind, type) and kind.__module__.startswith("dpbi")}
    holding = {kind for kind in kinds if not kind.__name__.startswith("_") and kind.__name__ not in inside
               and any("NDArray" in str(field.type) or "Floats" in str(field.type)
                       for field in dataclasses.fields(kind))}
    assert all(issubclass(kind, FrozenResult) for kind in holding), holding
    met = {type(one) for name in RESULTS for one in objects(made(name))}
    later = {kind for one in met for kind in type.mro(one)}  # a marginal, a table's bins: within another result
    assert {kind.__name__ for kind in holding - later} <= {"Marginal", "DistanceBins", "LogOdds"}


def test_freezing_copies_only_what_another_array_could_change() -> None:
    whole = np.arange(4.0)
    part = frozen(whole[1:])
    whole[:] = 9
    assert part.tolist() == [1, 2, 3]
    own = np.arange(4.0)
    assert frozen(own).base is own and frozen(frozen(own)).base is own


@every_class
def test_a_file_is_what_was_drawn_whatever_was_done_to_the_attributes(kind: Kind) -> None:
    release = dpbi.release(kind(1.0), TWO)
    before, aware = release.to_json(), release.noise_aware
    assert not isinstance(aware, str)
    for _, array in arrays(release):
        with pytest.raises(ValueError):
            array[...] = 77
        with pytest.raises(ValueError):
            array.setflags(write=True)
    for again in (release, pickle.loads(pickle.dumps(release)), copy.deepcopy(release)):
        assert again.to_json() == before
        assert len(list(arrays(again))) == len(list(arrays(release)))
