"""Wrong types and values at every public name: a sensible result, or one sentence that names the argument."""

import inspect
import itertools
import math
import secrets
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import dpbi
from dpbi import MECHANISMS, NotPrivate, Problem, PureDP, accuracy_axes
from dpbi.inference.clouds import turn

TWO, THREE = Problem((1, 1), (4, 5)), Problem((1, 2, 0.5), (4, 0, 5))
NOISY, CHOSEN = dpbi.mechanisms.Geometric(1.0), dpbi.mechanisms.EHDS(1.0)
AWARE = dpbi.noise_aware_posterior(NOISY, TWO.prior, TWO.n, TWO.counts)
READ = dpbi.noisy_counts_posterior(TWO.prior, TWO.counts, dpbi.noise.TwoSidedGeometric(1.0), dpbi.Flat())
LAW = dpbi.distance_law(CHOSEN, TWO)
LOSS = dpbi.privacy_loss(CHOSEN, TWO.prior, TWO.n)
RELEASE = dpbi.release(NOISY, TWO)
VERDICT = dpbi.verdict(CHOSEN, TWO.prior, TWO.n)
AXIS, AXIS_K = accuracy_axes.axis("epsilon"), accuracy_axes.axis("k")
CURVE = dpbi.accuracy_curves.accuracy_curve(AXIS, NOISY, TWO, "hellinger", [0.5, 1.0])
NOISE = (dpbi.noise.TwoSidedGeometric(2.0, floor=0), dpbi.noise.DiscreteGaussian(4.0), dpbi.noise.Laplace(2.0),
         dpbi.noise.Gaussian(2.0, rounded=False), dpbi.noise.Exact())
ERROR = dpbi.accuracy.expected_error(NOISY, TWO, "hellinger")

TABLE = dpbi.CountTable.of(["N", "S"], {"Q": {"yes": [3, 4], "no": [2, 1]}})
TABLES = {"table": TABLE, "priors": [(1, 1)], "membership": "public"}
ANY: Any = dpbi  # for arguments of a wrong type

# A right value for each name that a parameter has, somewhere in the library; those of one function first.
RIGHT: dict[str, Any] = {
    "mechanism": NOISY, "problem": TWO, "problems": [TWO, TWO], "prior": (1.0, 1.0), "counts": (4, 5), "n": 9,
    "epsilon": 1.0, "gamma": 1.0, "delta": 1e-8, "rate": 2.0, "size": 3, "released": (4, 5), "epsilons": [0.5, 1.0],
    "mass": 0.9, "category": 0, "theta": 0.5, "alpha": (1.0, 2.0), "other": (2.0, 1.0), "t": 0.5, "q": 0.5,
    "kind": "reciprocal", "calibration": None, "scale_rule": "2k", "consistent": False, "global_sensitivity": "exact",
    "power": 2, "metric": "hellinger", "value": 1.0, "values": [0.5, 1.0], "mechanisms": [NOISY, CHOSEN], "axis": AXIS,
    "curves": [CURVE], "one": ERROR, "wanted": 0.3, "sizes": [2, 3], "loss": LOSS, "beta": 0.1,
    "points": 21, "include": (3,), "measure": "local", "steps_a_side": 5, "gammas": [0.1, 1.0], "limit": 21,
    "deltas": [0.0, 0.1],
    "x": 0.5, "a": 1.0, "b": 2.0, "ordered": False, "labels": ["yes", "no"], "text": RELEASE.to_json(),
    "data": b"a,3\nb,4\n", "filename": "counts.csv", "answers": {}, "basis": "theorem", "reason": "shown",
    "neighbours": "one record", "version": "1", "time": "2026-11-28T01:02:03Z",
    "guarantee": PureDP(1.0, "theorem", "s"),
    "releases": [(NOISY, (4, 5)), (CHOSEN, (3, 6))], "reading": "naive",
    "item": RELEASE.essence(), "bits": secrets.randbits, "k": 2, "name": "n",
    "law": LAW, "losses": [LOSS], "verdict": VERDICT, "verdicts": [VERDICT], "number": 5,
    "neighbour": TWO.with_counts((5, 4)), "most": 1_000, "times": 2.0, "low": 0.1, "high": 10.0, "multiples": (1, 2),
    "sensitivity": 2.0, "sd": 3.0, "rho": 0.1, "accuracy": 5.0, "discrete": True, "scale": 2.0, "variance": 4.0,
    "rounded": True, "floor": 0, "below": 3, "d": [-1.0, 2.0], "shape": (2, 3),
    "parameters": (0.5, 2.0), "shares": (0.6, 0.4), "sure": 0.9, "chance": 0.5, "proportion": (1, 2),
}  # fmt: skip


class Nothing:
    """No argument of anything."""


def wrong() -> dict[str, Any]:
    """Wrong for most parameters, made anew as generators are used up."""
    return {
        "None": None, "true": True, "text": "yes", "bytes": b"yes", "complex": 1j, "a time apart": timedelta(1),
        "a timedelta64": np.timedelta64(1, "s"), "a time": datetime(2026, 1, 1, tzinfo=UTC), "nan": math.nan,
        "infinity": math.inf, "negative": -1, "huge": 10**400, "half": 2.5, "a class": dpbi.mechanisms.EHD,
        "the class Problem": Problem, "no number": Nothing(), "objects": np.array([None, Nothing()], dtype=object),
        "nested": [[1], [2, 3]], "a square": [[1, 2], [3, 4]], "a set": {1, 2}, "a mapping": {"a": 1},
        "a generator": (i for i in (1, None)), "a problem": TWO, "a mechanism": CHOSEN, "one": (1,), "none": (),
        "three": (1, 2, 3), "times apart": np.array([4, 5], "m8[s]"), "complex numbers": [1j, 2.0], "texts": ["1", "2"],
        "true among numbers": [True, 5], "nan among numbers": [math.nan, 1.0], "negative among numbers": [-1, 10],
        "mechanisms": [CHOSEN, None], "a function": len, "a masked array": np.ma.masked_array([4, 5], [True, False]),
        "never ending": itertools.count(1), "too long": range(3 * 10**8), "longer than 64 bits": range(10**30),
        "a row too long": [range(3 * 10**8)] * 2, "a large array": np.broadcast_to(np.int8(1), (3 * 10**8,)),
        "too long to print": 10**5000, "too long to print, listed": [10**5000, 1], "in itself": in_itself(),
        "half precision": np.array([1, np.nan], "f2"), "fields": np.zeros(2, "i4, f8"), "a range of text": "ab" * 10**6,
    }  # fmt: skip


def in_itself() -> list[Any]:
    """A list that never ends downwards."""
    listed: list[Any] = [1, 2]
    listed[0] = listed
    return listed


def functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Every public function of what dpbi exports, every constructor that is no result's, and their methods."""
    modules = [value for name in dpbi.__all__ if isinstance(value := getattr(dpbi, name), ModuleType)]
    for module in [dpbi, *modules]:
        names = getattr(module, "__all__", None) or [name for name in vars(module) if not name.startswith("_")]
        for name in names:
            value = getattr(module, name)
            if inspect.isfunction(value) and (hasattr(module, "__all__") or value.__module__ == module.__name__):
                yield f"{module.__name__}.{name}", value
    for kind in (*MECHANISMS, Problem, dpbi.Release, PureDP, dpbi.ApproximateDP, NotPrivate,
                 *map(type, NOISE)):
        yield f"dpbi.{kind.__name__}", kind
    for held in (TWO, LAW, AWARE, READ, RELEASE, AXIS, CURVE, *NOISE, *(kind(1.0) for kind in MECHANISMS)):
        for name, _ in inspect.getmembers(type(held), inspect.isfunction):
            if not name.startswith("_"):
                yield f"{type(held).__name__}.{name}", getattr(held, name)


# Where a function needs other values than most.
RIGHT_HERE: dict[str, dict[str, Any]] = {
    "dpbi.accuracy.curves.closer": {"other": ERROR},
    "dpbi.posterior.dirichlet.log_density": {"theta": (0.3, 0.7)},
    "NoisyCountsPosterior.block": {"categories": (0, 1)},
    "dpbi.compare": {"first": (1.0, 2.0), "second": AWARE},
    "dpbi.chance_at_counts": {"sizes": (9, 8)},
    "dpbi.people_needed": {"shares": (0.9, 0.1), "chance": 0.3},
    "dpbi.conclusion": {"first": TWO, "second": TWO},
    "dpbi.compose": {"releases": [(NOISY, (1, 1), 9)]},
    "dpbi.noisy_counts_posterior": {"values": (4, 5), "noise": NOISE[0], "total": 9},
    "dpbi.guarantee_of_tables": {"mechanisms": [NOISY], **TABLES},
    "dpbi.release_tables": {"mechanisms": [NOISY], **TABLES},
    "dpbi.table_split": {"mechanisms": [NOISY], **TABLES},
    "dpbi.tables_together": {"releases": [dpbi.release_tables([NOISY], TABLE) for _ in range(2)]},
    "dpbi.split_epsilon": {"mechanisms": [NOISY], "priors": [(1, 1)], "sizes": [[9]]},
    "dpbi.read_tables": {"data": b"r,q\nN,y\nS,n\nS,y\nN,n\n", "by": "r", "questions": ["q"], "groups": ["N", "S"],
                         "categories": ["y", "n"]},
    "dpbi.read_release_table": {"data": dpbi.release_tables([NOISY], TABLE).to_json()},
    "NoiseAwarePosterior.block": {"categories": (0, 1)},
    "NoiseAwarePosterior.blocks": {"categories": [(0, 1)]},
    "dpbi.read_release": {"data": RELEASE.to_json()},
    "dpbi.sensitivity.maps.along_emptying": {"problem": THREE},
    "dpbi.sensitivity.maps.on_simplex": {"prior": THREE.prior},
    **{f"dpbi.noise.{name}_of_accuracy": {"alpha": 0.05} for name in ("scale", "sd")},
    **{f"{kind.__name__}.log_laws": {"counts": [TWO.counts], "released": [TWO.counts]} for kind in MECHANISMS},
}
INSIDE = {  # checks themselves, or handed what was checked, as are all tables, which lay out results
    "dpbi.read_nearest", "dpbi.noise_aware_releases",
    "dpbi.mechanisms.check_mechanism", "dpbi.mechanisms.check_released", "dpbi.inference.noise_aware.posterior_given",
    "dpbi.posterior.dirichlet.log_predictive", "dpbi.posterior.dirichlet.log_odds_peak",
    "dpbi.posterior.dirichlet.log_odds_deviance",
    "EHD.large_sample_law",  # whatever its argument, it has none
    *(f"{kind.__name__}.loss_law" for kind in MECHANISMS if not kind(1.0).guarantee((1, 1), 9).is_private),
    "dpbi.posterior.dirichlet.incomplete_beta", "dpbi.posterior.dirichlet.has_width",
    "dpbi.posterior.dirichlet.one_draw_each", "dpbi.posterior.dirichlet.one_less",
    "dpbi.posterior.dirichlet.outwards", "dpbi.posterior.dirichlet.surely_beyond",
    "dpbi.posterior.dirichlet.log_negative_binomial", "dpbi.posterior.dirichlet.log_poisson",
    *(f"{type(law).__name__}.{name}" for law in NOISE for name in ("check_value", "cell_likelihood")),
}  # fmt: skip
EVERY = {name: function for name, function in functions()
         if name not in INSIDE and not name.startswith("dpbi.tables.")}

# A word by which a sentence may call the argument instead: what it is in this place.
CALLED = {"data": "file", "text": "JSON", "name": "axis", "values": "epsilon", "value": "epsilon",
          "item": "What was released"}
OF_ANOTHER_SIZE = {"three", "a square", "a problem"}  # two arguments that do not fit: either may be named
NEVER_RIGHT = {"no number", "objects", "in itself", "never ending"}  # for any argument


def right(name: str, function: Callable[..., Any]) -> dict[str, Any]:
    values = RIGHT | {"rng": np.random.default_rng(1)} | RIGHT_HERE.get(name, {})
    named = [one for one in inspect.signature(function).parameters.values() if one.kind != one.VAR_KEYWORD]
    return {one.name: values[one.name] for one in named if one.name in values or one.default is one.empty}


def is_named(argument: str, said: str, arguments: Iterable[str], other_size: bool) -> bool:
    names = {argument, CALLED.get(argument, argument)} | (set(arguments) | {"categories"} if other_size else set())
    return any(name in said for name in names)


@pytest.mark.parametrize("name", EVERY)
def test_a_wrong_argument_is_answered_or_refused_in_a_sentence_that_names_it(name: str) -> None:
    function, given = EVERY[name], right(name, EVERY[name])
    function(**given)
    for argument in given:
        for what in wrong().keys() - ({"a function"} if argument == "bits" else set()):
            try:
                found = function(**(right(name, function) | {argument: wrong()[what]}))
            except ValueError as refusal:
                said = str(refusal)
                assert is_named(argument, said, given, what in OF_ANOTHER_SIZE), (argument, what, said)
                assert said.endswith((".", ")")) and "\n" not in said, (argument, what, said)
                continue
            assert what not in NEVER_RIGHT, (argument, what, found)
            numbers = found if isinstance(found, float | np.ndarray) else np.zeros(1)
            assert not np.isnan(numbers).any(), (argument, what, found)


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: ANY.distance_law(None, TWO), "mechanism"),
        (lambda: ANY.distance_law(dpbi.mechanisms.EHD, TWO), "mechanism"),
        (lambda: ANY.release(TWO, NOISY), "mechanism"),
        (lambda: ANY.release(NOISY, ((1, 1), (2, 3))), "problem"),
        (lambda: ANY.privacy_loss(None, (1, 1), 5), "mechanism"),
        (lambda: ANY.calibrate(dpbi.mechanisms.EHD, (1, 1), 5), "mechanism"),
        (lambda: ANY.privacy_profile(NOISY, (1, 1), 5, 1.0), "epsilons"),
        (lambda: ANY.Problem.with_counts(TWO, None), "counts"),
        (lambda: ANY.noise_aware_posterior(NOISY, (1, 1), 9, (4, 5)).sample(5, 2), "rng"),
        (lambda: AWARE.cumulative(1j), "theta"),
        (lambda: AWARE.cumulative(-1), "theta"),
        (lambda: AWARE.density(2.0), "theta"),
        (lambda: ANY.Problem((1, 1), np.array([4, 5], "m8[s]")), "counts"),
        (lambda: NOISY.log_pmf(TWO, [True, 4]), "released"),
        (lambda: NOISY.log_pmf(TWO, np.array([4, 5], "m8[ns]")), "released"),
        (lambda: ANY.read_counts(b"a,3\nb,4\n", "counts.csv", header_row=10**5000), "header_row"),
        (lambda: ANY.hellinger(np.ones((10**4, 1, 2)), np.ones((1, 10**4, 2))), "alpha and other"),
        (lambda: ANY.dirichlet.beta_cdf(np.ones((10**4, 1)), np.ones(10**4), 0.5), "a and b"),
        (lambda: ANY.dirichlet.sample((1,) * 2000, np.random.default_rng(1), 10**7), "size"),
        (lambda: NOISY.sample(dpbi.Problem((1,) * 2000, (1,) * 2000), np.random.default_rng(1), 10**7), "size"),
        (lambda: ANY.sensitivity_maps.score_change(dpbi.Problem((1,) * 2000, (10**9,) * 2000), 10**5), "limit"),
        (lambda: turn(NOISY, TWO, ANY.Problem((1, 1), (6, 3)), np.random.default_rng(1)), "neighbour"),
        (lambda: turn(ANY, TWO, TWO.with_counts((5, 4)), np.random.default_rng(1)), "mechanism"),
        (lambda: turn(NOISY, TWO, TWO.with_counts((5, 4)), ANY), "rng"),
        (lambda: AXIS_K.at(NOISY, TWO, 3 * 10**7), "value"),
    ],
)
def test_what_was_met_is_refused(call: Callable[[], Any], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        call()
