"""What every mechanism owes, whatever its name: a law, samples of it, a guarantee it keeps, sentences for bad input."""

import dataclasses
import math
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from dpbi import MECHANISMS, ApproximateDP, NotPrivate, Problem, PureDP, distance_law, mechanisms
from dpbi.mechanisms import Mechanism
from dpbi.mechanisms.printed_bound import printed_bound
from tests import oracles
from tests.every_mechanism import (
    EVERY,
    NAMES,
    Kind,
    Options,
    box,
    every_class,
    every_mechanism,
    exceeds_total,
    option_fields,
    options,
    outputs,
)
from tests.goodness_of_fit import assert_follows
from tests.oracles import mp
from tests.reference_values import numeric
from tests.strategies import Drawn, epsilons, problems

# Zeros, no record at all, one record; flat, tiny, huge and unequal priors.
SMALL = [
    Problem((1, 1), (3, 5)),
    Problem((0.5, 0.5), (0, 9)),
    Problem((0.01, 1000), (1, 0)),
    Problem((1000, 1000), (4, 4)),
    Problem((2, 0.3), (0, 0)),
    Problem((1, 1, 1), (2, 0, 3)),
    Problem((0.01, 0.01, 0.01), (0, 0, 1)),
    Problem((5, 1000, 0.4), (1, 1, 1)),
    Problem((0.25, 0.25, 0.25, 0.25), (0, 2, 0, 1)),
    Problem((7, 0.01, 1, 1), (1, 1, 1, 1)),
]
every_small = pytest.mark.parametrize("problem", SMALL, ids=lambda p: f"{p.prior} {p.counts}")


def law_of(mechanism: Mechanism, problem: Problem) -> dict[tuple[int, ...], float]:
    released = outputs(mechanism, problem)
    probability = np.exp(mechanism.log_pmf(problem, released))
    return {tuple(r): p for r, p in zip(released.tolist(), probability.tolist(), strict=True) if p > 0}


# The law --------------------------------------------------------------------------------------------


@every_mechanism
@every_small
def test_pmf_sums_to_one_and_is_zero_outside(kind: Kind, chosen: Options, problem: Problem) -> None:
    """Outside: what no counts of n give, wherever ``can_release`` says no, one step beyond the box included."""
    least = 1.0 if exceeds_total(kind(1.0, **chosen), problem.n, problem.k) else 0.1
    datasets = [Problem(problem.prior, counts) for counts in oracles.compositions(problem.n, problem.k)]
    for epsilon in (least, 8.0):
        mechanism, around = kind(epsilon, **chosen), box(problem, margin=1)
        log_laws = np.array([mechanism.log_pmf(one, around) for one in datasets])
        assert log_laws.shape == (len(datasets), len(around)) and not np.isnan(log_laws).any()
        possible = [mechanism.can_release(problem.n, tuple(r)) for r in around.tolist()]
        assert (log_laws > -np.inf).any(axis=0).tolist() == possible
        assert math.fsum(np.exp(mechanism.log_pmf(problem, outputs(mechanism, problem)))) == pytest.approx(1, abs=1e-12)


@given(problems(largest_k=4), epsilons())
def test_pmf_is_the_oracles(drawn: Drawn, epsilon: float) -> None:
    """Every possible output, and every other vector at -inf; 1e-12 relative, and in the logarithm of tiny ones."""
    problem = Problem(*drawn)
    released = box(problem)
    for kind, chosen in EVERY:
        found = kind(epsilon, **chosen).log_pmf(problem, released)
        law = oracles.LAWS[kind.__name__](drawn.prior, drawn.counts, epsilon=epsilon, **chosen)
        expected = [float(mp.log(law[r])) if law.get(r, 0) > 0 else -np.inf for r in map(tuple, released.tolist())]
        assert found.tolist() == pytest.approx(expected, rel=1e-12, abs=1e-12), (kind, chosen)


@every_mechanism
def test_pmf_takes_any_leading_shape(kind: Kind, chosen: Options) -> None:
    problem, mechanism = Problem((1, 2, 3), (2, 0, 1)), kind(1.0, **chosen)
    released = box(problem)
    flat = mechanism.log_pmf(problem, released)
    assert mechanism.log_pmf(problem, released.reshape(4, 16, 3)).tolist() == flat.reshape(4, 16).tolist()
    assert mechanism.log_pmf(problem, released[5]) == flat[5]
    assert mechanism.log_pmf(problem, released[5].astype(float)) == flat[5]
    assert mechanism.log_pmf(problem, released[5].tolist()) == flat[5]


@every_mechanism
@pytest.mark.parametrize("counts", [(2, 0, 1), (10**15, 10**15, 2 * 10**15)])
def test_pmf_of_what_no_count_can_be_is_zero(kind: Kind, chosen: Options, counts: tuple[int, ...]) -> None:
    """Sums of huge numbers must not wrap round to n."""
    problem, n = Problem((1, 2, 3), counts), sum(counts)
    far: list[Any] = [
        (2**62, 2**62, 2**62), (2**63 - 1, 1, n), (-(2**63), 0, 0), (2**64 + n, 0, 0), (10**30, 0, 0), (1e30, 0, 0),
        (n + 1, 0, 0), (-1, 0, n + 1), (-(10**400), 10**400, n),
    ]
    mechanism = kind(1.0, **chosen)
    for released in far:
        if not (max(released) == n + 1 and exceeds_total(mechanism, n, 3) and min(released) >= 0):
            assert mechanism.log_pmf(problem, released) == -np.inf, released


# Samples --------------------------------------------------------------------------------------------

SAMPLED = [
    (Problem((1, 1), (3, 5)), 1.0),
    (Problem((0.5, 2), (0, 30)), 0.3),
    (Problem((1, 0.2, 3), (4, 0, 2)), 2.0),
    (Problem((0.25, 0.25, 0.25, 0.25), (0, 2, 0, 3)), 6.0),
]


@every_mechanism
@pytest.mark.parametrize(("problem", "epsilon"), SAMPLED, ids=str)
def test_samples_follow_the_pmf(kind: Kind, chosen: Options, problem: Problem, epsilon: float) -> None:
    """20,000 draws of each, fixed seed; false-alarm rate 1e-6 a case, Bonferroni for the suite: goodness_of_fit."""
    mechanism = kind(epsilon, **chosen)
    drawn = mechanism.sample(problem, np.random.default_rng(20201127), 20_000)
    assert_follows(drawn, law_of(mechanism, problem))


@every_mechanism
def test_samples_have_one_type_and_shape_and_follow_the_generator(kind: Kind, chosen: Options) -> None:
    problem, mechanism = Problem((1, 0.2, 3), (40, 0, 200)), kind(0.5, **chosen)
    for size in (0, 1, 50):
        drawn = mechanism.sample(problem, np.random.default_rng(1), size)
        assert drawn.shape == (size, 3) and drawn.dtype == np.int64
        assert all(mechanism.can_release(problem.n, tuple(r)) for r in drawn.tolist())
        assert (drawn == mechanism.sample(problem, np.random.default_rng(1), size)).all()
    assert (drawn != mechanism.sample(problem, np.random.default_rng(2), size)).any()


# Categories have no order ---------------------------------------------------------------------------


def orders(k: int) -> list[list[int]]:
    """Two relabellings from which all others can be composed: the first two swapped, all moved on by one."""
    return [[1, 0, *range(2, k)], [*range(1, k), 0]]


def is_symmetric(mechanism: Mechanism, k: int) -> bool:
    """Whether equal categories are treated alike: where all are equal, no relabelling changes the law."""
    released = box(balanced := Problem((1.5,) * k, (2,) * k))
    log_law = mechanism.log_pmf(balanced, released)
    return all(np.allclose(log_law, mechanism.log_pmf(balanced, released[:, o]), rtol=1e-10) for o in orders(k))


@pytest.mark.parametrize("epsilon", [0.4, 5.0])
@pytest.mark.parametrize(
    ("prior", "counts"), [((0.2, 3), (0, 5)), ((0.5, 1, 20), (3, 0, 1)), ((1, 0.1, 1, 4), (1, 2, 0, 0))]
)
def test_relabelling_permutes_the_law_of_a_symmetric_rule(
    prior: tuple[float, ...], counts: tuple[int, ...], epsilon: float
) -> None:
    """A rule that singles a category out shows it where all are equal; the others may not do so anywhere."""
    problem = Problem(prior, counts)
    released = box(problem)
    symmetric = [mechanism for kind, chosen in EVERY if is_symmetric(mechanism := kind(epsilon, **chosen), problem.k)]
    assert 0 < len(symmetric) < len(EVERY), "both sorts of rule exist, else is_symmetric sees nothing"
    for mechanism in symmetric:
        log_law = mechanism.log_pmf(problem, released)
        for order in orders(problem.k):
            relabelled = Problem(tuple(prior[i] for i in order), tuple(counts[i] for i in order))
            found = mechanism.log_pmf(relabelled, released[:, order])
            assert found.tolist() == pytest.approx(log_law.tolist(), rel=1e-11, abs=1e-11), mechanism


# The guarantee --------------------------------------------------------------------------------------


@every_mechanism
@pytest.mark.parametrize(("prior", "n"), [((1, 1), 0), ((0.5, 0.5), 1), ((0.01, 1000, 3), 12), ((1,) * 300, 10**9)])
def test_guarantee_names_its_relation_and_basis(kind: Kind, chosen: Options, prior: Any, n: int) -> None:
    for epsilon in (0.01, 1.0, 20.0):
        guarantee = kind(epsilon, **chosen).guarantee(prior, n)
        assert isinstance(guarantee, PureDP | ApproximateDP | NotPrivate)
        assert "one record replaced" in guarantee.neighbours and "n" in guarantee.neighbours.split()
        assert guarantee.basis in ("theorem", "claim", "exhaustive check")
        assert guarantee.reason and guarantee.words
        assert guarantee == kind(epsilon, **chosen).guarantee(prior, n)
        assert hash(guarantee) == hash(kind(epsilon, **chosen).guarantee(prior, n))
        if isinstance(guarantee, NotPrivate):
            assert not guarantee.is_private
        else:
            assert guarantee.epsilon >= epsilon * (1 - 1e-12)
            assert printed_bound(guarantee.epsilon) in guarantee.words and guarantee.basis in guarantee.words
            assert guarantee.is_private == (guarantee.basis != "claim")


# Values ---------------------------------------------------------------------------------------------


def test_mechanisms_are_an_ordered_tuple_of_different_classes() -> None:
    assert isinstance(MECHANISMS, tuple) and len(set(MECHANISMS)) == len(MECHANISMS)
    assert len({kind.label for kind in MECHANISMS}) == len(MECHANISMS)
    assert sorted(kind.palette_place for kind in MECHANISMS) == list(range(len(MECHANISMS)))
    assert all(getattr(mechanisms, kind.__name__) is kind for kind in MECHANISMS)


@every_class
def test_words_for_the_screen_are_given(kind: Kind) -> None:
    for words in (kind.label, kind.idea, kind.source, kind.formula):
        assert isinstance(words, str) and words.strip() == words != ""
    assert kind.idea.endswith(".")
    assert re.search(r"\[(D20|P17|P20|N|L17)\]|\b(19|20)\d\d\b", kind.source), "a paper or a year"
    assert kind.formula.count("{") == kind.formula.count("}")
    assert kind.formula.count(r"\left") == kind.formula.count(r"\right")
    for field in option_fields(kind):
        assert field.metadata["label"].strip() and field.default in field.metadata.get("options", (field.default,))


@every_mechanism
def test_mechanisms_are_frozen_hashable_values(kind: Kind, chosen: Options) -> None:
    mechanism = kind(1, **chosen)
    assert type(mechanism.epsilon) is float
    assert mechanism == kind(1.0, **chosen) and hash(mechanism) == hash(kind(1.0, **chosen))
    assert repr(mechanism) == repr(kind(1.0, **chosen)) and kind.__name__ in repr(mechanism)
    assert mechanism != kind(2.0, **chosen)
    assert len({kind(1.0, **other) for other in options(kind)}) == len(options(kind))
    for field in dataclasses.fields(kind):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(mechanism, field.name, getattr(mechanism, field.name))
        assert hash(getattr(mechanism, field.name)) is not None


# Bad input ------------------------------------------------------------------------------------------

REFUSED = [*numeric("bad_eps"), *numeric("bad_delta"), *numeric("bad_gamma"), *(
    {"id": f"{name}={value}", "input": {name: value}, "gist": gist} for name, value, gist in (
        ("epsilon", -1.0, "greater than 0"), ("epsilon", math.inf, "finite"), ("epsilon", None, "a number"),
        ("delta", 1.0, "below 1"), ("delta", -1e-9, "above 0"), ("delta", 0.0, "above 0"),
        ("gamma", -0.1, "at least 0"), ("gamma", math.inf, "finite"))
)]
EXTREME = [rule for rule in numeric("epsilon_") if rule["id"] != "epsilon_1e-300"]
NO_NUMBERS = [math.nan, math.inf, -math.inf, "one", None, True, np.True_, [1.0], 1j]


def bad_values(field: dataclasses.Field[Any]) -> list[Any]:
    """What this field must refuse, by what it is: a choice, a tick or a number."""
    if field.name == "epsilon":
        return [*NO_NUMBERS, 0, -1.0, 1e-300, 1e300]
    if "options" in field.metadata:
        return ["no such option", "", None, 3, True]
    if isinstance(field.default, bool):
        return ["yes", None, 2, 0.5, []]
    return [*NO_NUMBERS, -1.0, 1e300]


BAD = [
    pytest.param(kind, field.name, value, id=f"{kind.__name__} {field.name}={value!r}")
    for kind in MECHANISMS
    for field in [kind.__dataclass_fields__["epsilon"], *option_fields(kind)]
    for value in bad_values(field)
]


@pytest.mark.parametrize(("kind", "name", "value"), BAD)
def test_bad_parameters_are_refused_in_a_sentence(kind: Kind, name: str, value: Any) -> None:
    with pytest.raises(ValueError) as refused:
        kind(**({"epsilon": 1.0} | {name: value}))
    sentence = str(refused.value)
    assert sentence.startswith(name) and sentence.endswith(".")
    assert " must " in sentence or "is too" in sentence
    assert repr(value) in sentence or repr(float(value)) in sentence


@pytest.mark.parametrize("entry", REFUSED, ids=lambda entry: entry["id"])
def test_reference_rules_of_refusal(entry: dict[str, Any]) -> None:
    """Every class that has the parameter refuses the value with the rule's words."""
    (name, raw), = entry["input"].items()
    try:
        value = float(raw) if isinstance(raw, str) else raw
    except ValueError:
        value = raw
    owners = [kind for kind in MECHANISMS if name in {field.name for field in dataclasses.fields(kind)}]
    assert owners
    for kind in owners:
        with pytest.raises(ValueError, match=entry["gist"]):
            kind(**({"epsilon": 1.0} | {name: value}))


@every_mechanism
@pytest.mark.parametrize("entry", EXTREME, ids=lambda entry: entry["id"])
def test_extreme_epsilons_release_something_finite(kind: Kind, chosen: Options, entry: dict[str, Any]) -> None:
    """Warnings are errors here, so an overflow on the way would show."""
    counts = entry["input"].get("counts", [12, 30, 8])
    problem, mechanism = Problem((1,) * len(counts), counts), kind(float(entry["input"]["epsilon"]), **chosen)
    drawn = mechanism.sample(problem, np.random.default_rng(0), 200)
    assert all(mechanism.can_release(problem.n, tuple(r)) for r in drawn.tolist())
    log_law = mechanism.log_pmf(problem, drawn)
    assert np.isfinite(log_law).all() and (log_law <= 1e-9).all()
    law = distance_law(mechanism, problem)
    assert 0 <= law.mean <= 1 and math.fsum(law.probability) == pytest.approx(1, abs=1e-9)


# Any size -------------------------------------------------------------------------------------------


@every_mechanism
@pytest.mark.parametrize("k", [2, 3, 300])
def test_without_records_the_prior_is_released_with_certainty(kind: Kind, chosen: Options, k: int) -> None:
    mechanism, empty = kind(1.0, **chosen), Problem((0.5,) * k, (0,) * k)
    assert mechanism.log_pmf(empty, [0] * k) == 0
    assert mechanism.log_pmf(empty, [1] + [0] * (k - 1)) == -np.inf
    drawn = mechanism.sample(empty, np.random.default_rng(0), 5)
    assert drawn.shape == (5, k) and not drawn.any()
    assert not math.isnan(mechanism.guarantee(empty.prior, 0).is_private)


LARGE = [
    Problem((1, 1), (5 * 10**8, 5 * 10**8)),
    Problem((0.5, 0.5, 0.5), (10**9, 0, 3)),
    Problem((1 / 300,) * 300, tuple(7 * i % 23 for i in range(300))),
    Problem((1,) * 300, (10**9 // 300,) * 299 + (10**9 - 299 * (10**9 // 300),)),
]


@every_mechanism
@pytest.mark.parametrize("problem", LARGE, ids=lambda p: f"k={p.k} n={p.n}")
def test_large_problems_work(kind: Kind, chosen: Options, problem: Problem) -> None:
    mechanism = kind(1.0, **chosen)
    drawn = mechanism.sample(problem, np.random.default_rng(0), 40)
    assert drawn.shape == (40, problem.k)
    assert all(mechanism.can_release(problem.n, tuple(r)) for r in drawn.tolist())
    log_law = mechanism.log_pmf(problem, np.concatenate([drawn, [problem.counts]]))
    assert np.isfinite(log_law[:-1]).all() and (log_law <= 1e-9).all()
    assert len(NAMES) == len(set(NAMES))
