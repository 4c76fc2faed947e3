"""What a mechanism knows better than its listing says the same: every override, found from the class, is compared.

A twin is the mechanism with all that it overrides put back: its four methods, and the rest by listing.
"""

import dataclasses
import inspect
import random
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dpbi import (
    Problem,
    calibrate,
    distance_law,
    hellinger,
    neighbours,
    privacy_loss,
    privacy_profile,
)
from dpbi.accuracy import expected_error
from dpbi.mechanisms import Mechanism
from dpbi.mechanisms.audit import Audit
from dpbi.mechanisms.distance_table import DistanceTable
from dpbi.mechanisms.likelihood import log_likelihood
from dpbi.mechanisms.listing import Listing
from dpbi.mechanisms.loss_law import randomised_response
from dpbi.mechanisms.published_noise import PublishedNoise
from dpbi.problem.candidates import list_candidates
from tests import oracles
from tests.every_mechanism import EVERY, Kind, Options, enumerated, every_mechanism
from tests.goodness_of_fit import assert_follows

OWN = {"log_pmf", "sample", "can_release", "guarantee"}
LISTED = {name for name, _ in inspect.getmembers(Mechanism, inspect.isfunction) if name[0] != "_"} - OWN
ROUNDING = 1e-7  # of a secure draw, beyond which nobody would call it exact
SMALL = [Problem((1, 1), (3, 5)), Problem((0.3, 2), (0, 6)), Problem((1, 0.5, 4), (1, 0, 3)),
         Problem((0.25,) * 4, (0, 1, 0, 1)), Problem((2, 2), (0, 0))]  # fmt: skip
MOST = 1_000_000


def overridden(kind: Kind, base: type = Mechanism, names: set[str] = LISTED) -> list[str]:
    return sorted(name for name in names if getattr(kind, name) is not getattr(base, name))


def twin(mechanism: Mechanism) -> Mechanism:
    kind = type(mechanism)
    plain = type(kind.__name__, (kind,), {name: vars(Mechanism)[name] for name in LISTED})
    return plain(**{field.name: getattr(mechanism, field.name) for field in dataclasses.fields(mechanism)})


class ListedAudit(Audit):
    """Also where what can be released has no end: but for 1e-12 all is listed."""

    def check(self) -> None:
        pass


def law_of(found: Listing | None) -> dict[Any, Any]:
    assert found is not None
    columns = zip(map(tuple, found.released.tolist()), found.log_law.T, strict=True)
    return {r: column for r, column in columns if np.exp(column).max() > 1e-11}


def same_listing(mechanism: Mechanism, other: Mechanism, problem: Problem) -> None:
    here, there = (law_of(one.listing(problem.prior, problem.n, MOST)) for one in (mechanism, other))
    assert here.keys() == there.keys()
    np.testing.assert_allclose([*here.values()], [there[r] for r in here], rtol=1e-10, atol=1e-11)


def same_laws(mechanism: Mechanism, other: Mechanism, problem: Problem) -> None:
    """Of releases that all datasets share and of each one's own: possible ones, and those beyond."""
    datasets = list_candidates(problem.n, problem.k)
    shared = np.array([*np.ndindex((problem.n + 2,) * problem.k)]) - (problem.n == 0)
    own = np.stack([np.roll(shared, i, axis=0)[:7] for i in range(len(datasets))])
    for released in (shared, own):
        here, there = (one.log_laws(problem.prior, datasets, released) for one in (mechanism, other))
        assert here.shape == (len(datasets), released.shape[-2])
        np.testing.assert_allclose(here, there, rtol=1e-10, atol=1e-11)


def same_audit(mechanism: Mechanism, other: Mechanism, problem: Problem) -> None:
    """Every method that the audit overrides, and the worst case of all."""
    prior, n = problem.prior, problem.n
    found, listed = mechanism.audit(prior, n), ListedAudit(other, prior, n)
    for multiplier in (1.0, 1.4):
        loss, counts, neighbour, released = found.worst(multiplier)
        assert loss == pytest.approx(listed.worst(multiplier)[0], rel=1e-9, abs=found.margin(loss) + 1e-11)
        sharp = other if multiplier == 1 else other.sharpened(multiplier, prior, n)
        attained = [float(sharp.log_pmf(Problem(prior, one), released)) for one in (counts, neighbour)]
        assert attained[0] - attained[1] == pytest.approx(loss, rel=1e-9, abs=1e-9)
        assert not n or neighbour in map(tuple, neighbours(counts).tolist())
    epsilons = np.array([0, 0.3, 0.9, 1.01]) * found.worst()[0]
    for multiplier in (1.0, 1.4):
        assert found.profile(epsilons, multiplier) == pytest.approx(listed.profile(epsilons, multiplier), abs=1e-11)
    here, there = (dict(zip(*map(np.ndarray.tolist, one.marginal(problem.counts, 0)), strict=True))
                   for one in (found, listed))
    values = here.keys() | there.keys()
    assert [here.get(x, 0.0) for x in values] == pytest.approx([there.get(x, 0.0) for x in values], abs=1e-11)


def same_likelihood(mechanism: Mechanism, other: Mechanism, problem: Problem) -> None:
    """Up to a constant, of a few releases of all that can be."""
    prior, n = problem.prior, problem.n
    datasets = list_candidates(n, problem.k)
    possible = list(law_of(other.listing(prior, n, MOST)))
    for released in possible[::max(1, len(possible) // 5)]:
        here, there = (log_likelihood(datasets, one.likelihood(prior, n, released)) for one in (mechanism, other))
        assert here - here.max() == pytest.approx(there - there.max(), rel=1e-10, abs=1e-11)


def masses(table: DistanceTable | None, of_all: bool = True) -> dict[tuple[float, float], float]:
    """By H to 1e-9 and steps, in order: of a table of all outputs, whose weights may lack a common factor."""
    assert table is not None and table.bins is None
    whole = table.moments[0].sum() if of_all else 1.0
    found: dict[tuple[float, float], float] = defaultdict(float)
    for distance, steps, mass in zip(table.distance.tolist(), table.steps.tolist(), table.moments[0].tolist(),
                                     strict=True):
        found[round(distance, 9), steps] += mass / whole
    return {row: mass for row, mass in sorted(found.items()) if mass > 1e-11}


def same_distances(mechanism: Mechanism, other: Mechanism, problem: Problem) -> None:
    here, there = masses(mechanism.distances(problem)), masses(other.distances(problem))
    assert here.keys() == there.keys()
    assert [*here.values()] == pytest.approx([*there.values()], rel=1e-9, abs=1e-12)


def nearest_are_first(mechanism: Mechanism, other: Mechanism, problem: Problem) -> None:
    here, there = masses(mechanism.nearest(problem), of_all=False), masses(other.distances(problem))
    first = {row: mass for row, mass in there.items() if row[0] <= max(here)[0]}
    assert here.keys() == first.keys() and [*here.values()] == pytest.approx([*first.values()], rel=1e-9)


def same_mean(mechanism: Mechanism, other: Mechanism, problem: Problem) -> None:
    table, found = other.distances(problem), mechanism.mean_distance(problem)
    assert table is not None
    if found is not None:
        assert found == pytest.approx(float((table.moments[0] * table.distance + table.moments[1]).sum()), abs=2e-9)


def no_more_is_ignored_than_datasets_share(mechanism: Mechanism, other: Mechanism, problem: Problem) -> None:
    found = other.listing(problem.prior, problem.n, MOST)
    assert found is not None
    problems = [Problem(problem.prior, tuple(counts)) for counts in found.datasets.tolist()]
    ignored = min(mechanism.probability_of_ignoring(one) for one in problems)
    assert 0 <= ignored <= found.law.min(axis=0).sum() + 1e-10


def rounds_little(mechanism: Mechanism, other: Mechanism, problem: Problem) -> None:
    assert 0 <= mechanism.rounding(problem.prior, problem.n) < ROUNDING


def draws_follow(mechanism: Mechanism, other: Mechanism, problem: Problem) -> None:
    """400 secure draws, fixed bits; false-alarm rate 1e-6 a case: goodness_of_fit."""
    bits = random.Random(20261129).getrandbits
    drawn = np.array([mechanism.draw_securely(problem, bits) for _ in range(400)])
    row = list_candidates(problem.n, problem.k).tolist().index(list(problem.counts))
    law = law_of(other.listing(problem.prior, problem.n, MOST))
    assert_follows(drawn, {r: float(np.exp(column[row])) for r, column in law.items()})


def each_follows_its_own(mechanism: Mechanism, other: Mechanism, problem: Problem) -> None:
    """400 draws for each of two tables at once, fixed seed; false-alarm rate 1e-6 a table: goodness_of_fit."""
    datasets = list_candidates(problem.n, problem.k)
    rows = [datasets.tolist().index(list(problem.counts)), 0]
    tables = [Problem(problem.prior, tuple(datasets[row].tolist())) for row in rows]
    law = law_of(other.listing(problem.prior, problem.n, MOST))
    for row, drawn in zip(rows, mechanism.sample_each(tables, np.random.default_rng(7), 400), strict=True):
        assert_follows(drawn, {r: float(np.exp(column[row])) for r, column in law.items()})


def noise_leads_to_the_law(mechanism: Mechanism, other: Mechanism, problem: Problem) -> None:
    """P(r | c) of every dataset by the formula in a release's file, evaluated as it stands, and by listing."""
    found = other.listing(problem.prior, problem.n, MOST)
    assert found is not None
    possible = np.flatnonzero(found.log_law.max(axis=0) > -25)
    for place in possible[::max(1, len(possible) // 12)]:
        r = found.released[place]
        noise = mechanism.published_noise(problem.prior, problem.n, tuple(r.tolist()))
        if noise is None:
            assert problem.n == 0
            continue
        here = np.array([probability_by_formula(noise, counts, r) for counts in found.datasets])
        there = np.exp(found.log_law[:, place])
        if not noise.independent:  # up to a constant
            here, there = here / here.max(), there / there.max()
        assert here == pytest.approx(there, rel=1e-9, abs=1e-13)


def probability_by_formula(noise: PublishedNoise, counts: np.ndarray, released: np.ndarray) -> float:
    """The sum over all noise that leads from c to r, but for what is rarer than e^-40."""
    formula = noise.formula.removeprefix("P(D = d) = ").removeprefix("P(D = d) is proportional to ").partition(", d a ")
    names = {"scale": noise.scale, "exp": np.exp, "tanh": np.tanh, "abs": np.abs, "max": np.maximum,
             "sum": lambda d: d.sum(axis=-1)}
    if not noise.independent:
        below, beyond = released == 0, int(released.sum() - counts.sum())
        into = oracles.compositions(beyond, int(below.sum())) if below.any() else [()] * (beyond == 0)
        before_the_cut = np.tile(released, (len(listed := list(into)), 1))
        before_the_cut[:, below] = -np.array(listed).reshape(len(listed), -1)
        return float(eval(formula[0], names | {"d": before_the_cut - counts}).sum())
    reach = int(40 * noise.scale) + int(counts.sum()) + 2
    d, probability = np.arange(-reach, reach + 1), 1.0
    law = eval(formula[0], names | {"d": d})
    for c, r, noisy, ceiling in zip(counts, released, noise.carries_noise, noise.ceiling, strict=True):
        probability *= law[np.clip(c + d, noise.floor, ceiling) == r].sum() if noisy else 1.0
    left = max(0, int(counts.sum() - released[np.array(noise.carries_noise)].sum()))
    return float(probability * (all(noise.carries_noise) or left == released[-1]))


def loses_no_more_than_its_law(mechanism: Mechanism, other: Mechanism, problem: Problem) -> None:
    """Nor does the law itself exceed randomised response at the guarantee."""
    prior, n = problem.prior, problem.n
    law, loosest = mechanism.loss_law(prior, n), randomised_response(mechanism.strength(prior, n))
    epsilons = np.array([0, 0.3, 0.9]) * mechanism.strength(prior, n)
    own, most = (np.maximum(0, -np.expm1(epsilons[:, None] - one.losses)) @ one.probabilities
                 for one in (law, loosest))
    assert law.exact and law.probabilities.sum() == pytest.approx(1, abs=1e-14)
    assert (ListedAudit(other, prior, n).profile(epsilons) <= own + 1e-11).all()
    assert (own <= most + 1e-9).all()


def many_records_follow(mechanism: Mechanism, other: Mechanism, problem: Problem) -> None:
    """P(delta) in the limit and by the law of two categories at n = 4e6; without a limit the mean does not fall."""
    n, shares = 4_000_000, (0.25, 0.75)
    large = Problem((1.0, 2.0), (n // 4, 3 * n // 4))
    if mechanism.calibration:
        with pytest.raises(ValueError, match="a calibration holds for one prior and n"):
            mechanism.large_sample_law(shares)
        return
    try:
        law = mechanism.large_sample_law(shares)
    except ValueError as why:
        assert "its mean distance tends to 1" in str(why)
        less, more = (expected_error(mechanism, large.with_counts((size, 3 * size)), "hellinger").low
                      for size in (2_500, 25_000))
        assert more > 0.95 or more > 1.2 * less
        return
    delta = np.array([(i, j) for i in range(-3, 4) for j in range(-3, 4)])
    probability = np.exp(mechanism.log_pmf(large, delta + large.counts))
    for steps in (0, 1):
        inside = np.abs(delta).sum(axis=1) <= 2 * steps
        assert law.within(steps)[0] == pytest.approx(float(probability[inside].sum()), rel=2e-3, abs=1e-15)


COMPARED: dict[str, Callable[[Mechanism, Mechanism, Problem], None]] = {
    "log_laws": same_laws,
    "sample_each": each_follows_its_own,
    "listing": same_listing,
    "audit": same_audit,
    "loss_law": loses_no_more_than_its_law,
    "likelihood": same_likelihood,
    "distances": same_distances,
    "nearest": nearest_are_first,
    "mean_distance": same_mean,
    "probability_of_ignoring": no_more_is_ignored_than_datasets_share,
    "published_noise": noise_leads_to_the_law,
    "rounding": rounds_little,
    "draw_securely": draws_follow,
    "large_sample_law": many_records_follow,
}


@every_mechanism
@pytest.mark.parametrize("problem", SMALL, ids=lambda p: f"{p.prior} {p.counts}")
def test_overrides_say_what_the_listing_says(
    kind: Kind, chosen: Options, problem: Problem
) -> None:
    for epsilon in (0.6, 5.0):
        mechanism = kind(enumerated(kind, epsilon, problem.k), **chosen)
        for name in overridden(kind):
            assert name in COMPARED, f"{kind.__name__} overrides {name}, which nothing here compares"
            COMPARED[name](mechanism, twin(mechanism), problem)


@every_mechanism
def test_a_calibrated_mechanism_is_compared_too(kind: Kind, chosen: Options) -> None:
    problem, plain = SMALL[2], kind(enumerated(kind, 2.0, 3), **chosen)
    mechanism = calibrate(plain, problem.prior, problem.n) if np.isfinite(
        privacy_loss(plain, problem.prior, problem.n).epsilon) else plain
    for name in overridden(kind):
        COMPARED[name](mechanism, twin(mechanism), problem)


def test_tables_of_several_totals_or_shapes_have_no_laws() -> None:
    for kind, chosen in EVERY[::4]:
        for counts, released, said in (
            ([[1, 2], [2, 2]], [[1, 2]], r"^counts must be one or more rows of one total: .* totals \[3, 4\]"),
            ([1, 2], [[1, 2]], "^counts must be one or more rows"),
            ([[1, 2], [2, 1]], [[1, 2, 0]], r"^released must have shape \(R, 2\) or \(2, R, 2\): got \(1, 3\)"),
            ([[1, 2], [2, 1]], [[[1, 2]]], r"^released must have shape"),
        ):
            with pytest.raises(ValueError, match=said):
                kind(1.0, **chosen).log_laws((1, 1), counts, released)


def test_what_is_overridden_is_found() -> None:
    """Else the tests above would compare nothing; and of the audit's methods all are asked."""
    assert {name for kind, _ in EVERY for name in overridden(kind)} == COMPARED.keys()
    asked = {"worst", "profile", "marginal", "laws", "margin"}
    own = {name for name, _ in inspect.getmembers(Audit, inspect.isfunction) if name[0] != "_"}
    for kind, chosen in EVERY:
        audit = type(kind(1.0, **chosen).audit((1.0, 1.0), 4))
        assert {*overridden(audit, Audit, own)} <= asked | {"check"}  # type: ignore[arg-type]


# What a listing is certified by, on toys ---------------------------------------------------------------


class Told(Mechanism):
    """The counts themselves; with ``share`` below 1 a law that does not sum to 1."""

    share = 1.0
    label = "Told"

    def log_pmf(self, problem: Problem, released: Any) -> Any:
        return np.where((np.asarray(released) == problem.counts).all(axis=-1), np.log(self.share), -np.inf)

    def can_release(self, n: int, released: tuple[int, ...]) -> bool:
        return min(released) >= 0 and sum(released) == n


class Unsure(Told):
    share = 0.5


class Wide(Told):
    """Geometric noise on every count by itself, cut at 0 alone: any total is possible."""

    def log_pmf(self, problem: Problem, released: Any) -> Any:
        q, d = np.exp(-self.epsilon), np.abs(np.asarray(released) - problem.counts)
        log_inside = np.where(np.asarray(released) == 0, 0, np.log1p(-q)) - np.log1p(q)
        return (log_inside - self.epsilon * d).sum(axis=-1) + np.log(self.share)

    def can_release(self, n: int, released: tuple[int, ...]) -> bool:
        return min(released) >= 0


class Upwards(Told):
    """Noise uniform on {0, ..., m} on all counts but the last, m = ceil(2 / strength): counts end at n + m."""

    @property
    def most(self) -> int:
        return int(np.ceil(2 / self.epsilon / (self.calibration or (1.0,))[0]))

    def log_pmf(self, problem: Problem, released: Any) -> Any:
        noise, last = (released - problem.counts)[..., :-1], np.maximum(problem.n - released[..., :-1].sum(axis=-1), 0)
        possible = (noise.min(axis=-1) >= 0) & (noise.max(axis=-1) <= self.most) & (released[..., -1] == last)
        return np.where(possible, np.log(self.share / (self.most + 1) ** (problem.k - 1)), -np.inf)

    def can_release(self, n: int, released: tuple[int, ...]) -> bool:
        return (min(released) >= 0 and released[-1] == max(n - sum(released[:-1]), 0)
                and sum(max(r - self.most, 0) for r in released[:-1]) <= n)


@pytest.mark.parametrize("problem", [Problem((1, 2), (1, 3)), Problem((0.5, 3, 1), (1, 0, 2))])
def test_counts_beyond_n_are_listed_as_far_as_they_can_be(problem: Problem, monkeypatch: pytest.MonkeyPatch) -> None:
    """At 0.4 counts exceed n by 5: laws by visiting n + 7 in every place; the loss is infinite at any strength."""
    mechanism, prior, n = Upwards(0.4), problem.prior, problem.n
    every = list(np.ndindex((n + 8,) * problem.k))
    laws = {c: {r: p for r, p in zip(every, np.exp(mechanism.log_pmf(Problem(prior, c), np.array(every))), strict=True)
                if p > 0} for c in oracles.compositions(n, problem.k)}
    assert all(mechanism.can_release(n, r) == any(r in law for law in laws.values()) for r in every)
    loss, epsilons = privacy_loss(mechanism, prior, n), np.array([0.0, 0.5, 50.0])
    assert loss.epsilon == np.inf and loss.released in laws[loss.counts].keys() - laws[loss.neighbour].keys()
    assert privacy_profile(mechanism, prior, n, epsilons).tolist() == pytest.approx(
        [float(delta) for delta in oracles.privacy_profile(laws, prior, n, epsilons)], rel=1e-9)
    assert mechanism.draw_securely(problem, random.Random(1).getrandbits) in laws[problem.counts]
    monkeypatch.setattr("dpbi.mechanisms.listing.LISTED", 1_000)
    with pytest.raises(ValueError, match=r"cannot be calibrated.*: its loss is infinite at every strength tried\.$"):
        calibrate(mechanism, prior, n)


@pytest.mark.parametrize("kind", [Told, Upwards, Wide])
@pytest.mark.parametrize("ask", [distance_law, lambda law, problem: expected_error(law, problem, "variation"),
                                 lambda law, problem: law.listing(problem.prior, problem.n, MOST)])
def test_a_law_of_more_than_one_is_refused(kind: Kind, ask: Callable[[Mechanism, Problem], Any]) -> None:
    """Whatever is listed: what remains, boxes, totals; and the outputs of two categories near the truth."""
    with pytest.raises(ValueError, match=r"log_pmf of More is no law: .* sum to more than 1"):
        ask(type("More", (kind,), {"share": 100.0})(2.0), Problem((1, 2), (1, 2)))


def test_a_list_without_all_probability_is_not_used() -> None:
    mechanism, problem = Unsure(1.0), Problem((1, 2), (1, 2))
    assert mechanism.distances(problem) is None and mechanism.listing((1, 2), 3, MOST) is None
    with pytest.raises(ValueError, match="those found for this mechanism have not all its probability"):
        privacy_loss(mechanism, (1, 2), 3)


def test_totals_of_any_size_are_listed_by_boxes_and_their_loss_is_not_told() -> None:
    mechanism, problem = Wide(2.0), Problem((1, 2), (1, 2))
    found = mechanism.listing(problem.prior, 3, MOST)
    assert found is not None and len(np.unique(found.released, axis=0)) == len(found.released)
    assert found.law.sum(axis=1) == pytest.approx(1, abs=1e-11) and (found.released == [0, 0]).all(axis=1).any()
    box = np.array([(a, b) for a in range(30) for b in range(30)])
    distance = hellinger(np.array(problem.posterior), np.array(problem.prior) + box)
    assert distance_law(mechanism, problem).mean == pytest.approx(
        float(np.exp(mechanism.log_pmf(problem, box)) @ distance), abs=1e-9)
    for ask in (mechanism.audit, mechanism.rounding, Upwards(1e-7).audit):
        with pytest.raises(ValueError, match="counts too far above n = 3"):
            ask(problem.prior, 3)
