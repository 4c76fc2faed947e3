"""The exact privacy loss and profile: brute force, what is promised, who must be accused, how far it reaches."""

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from dpbi import (
    MECHANISMS,
    ApproximateDP,
    NotPrivate,
    PrivacyLoss,
    Problem,
    PureDP,
    calibrate,
    global_sensitivity,
    mechanisms,
    neighbours,
    privacy_loss,
    privacy_profile,
)
from dpbi.mechanisms import Mechanism
from dpbi.mechanisms.audit import comparisons, neighbour_rows
from dpbi.mechanisms.selection.audit import SelectionAudit, loss_table
from dpbi.privacy import guessing
from dpbi.problem.candidates import list_candidates
from dpbi.problem.neighbours import RELATION
from tests import oracles
from tests.every_mechanism import (
    EVERY,
    NAMES,
    Kind,
    Options,
    Prior,
    enumerated,
    every_class,
    every_mechanism,
    has_rate,
    oracle_laws,
)
from tests.oracles import mp
from tests.reference_values import values
from tests.strategies import epsilons, priors
from tests.test_overrides import ListedAudit

# (k, n) of at most a few dozen datasets and outputs, with those where nothing is far from an end of 0 ... n.
SIZES = [(2, 1), (2, 2), (2, 3), (2, 7), (3, 1), (3, 2), (3, 3), (4, 1), (4, 2)]


@st.composite
def small_audits(draw: st.DrawFn) -> tuple[Prior, int]:
    """A prior, 0.01 to 1000, equal or not, and n."""
    k, n = draw(st.sampled_from(SIZES))
    return draw(priors(k)), n


def log_ratio(mechanism: Mechanism, found: PrivacyLoss) -> float:
    """log P_c(r) - log P_c'(r) by log_pmf, for the pair and the output of the loss found."""
    here, there = (
        mechanism.log_pmf(Problem(found.prior, counts), found.released) for counts in (found.counts, found.neighbour)
    )
    return float(here - there)


def is_exhaustive(kind: Kind, chosen: Options) -> bool:
    return privacy_loss(kind(1.0, **chosen), (1, 1), 1).found == "exhaustive"


def those(holds: Callable[[Kind, Options], bool]) -> pytest.MarkDecorator:
    chosen = [at for at, pair in enumerate(EVERY) if holds(*pair)]
    return pytest.mark.parametrize(("kind", "chosen"), [EVERY[at] for at in chosen], ids=[NAMES[at] for at in chosen])


every_exhaustive = those(is_exhaustive)
every_closed_form = those(lambda kind, chosen: not is_exhaustive(kind, chosen))
every_choice = those(lambda kind, chosen: has_rate(kind))

# Brute force ----------------------------------------------------------------------------------------


@every_mechanism
@given(audit=small_audits(), epsilon=epsilons())
def test_loss_and_profile_are_those_of_all_pairs_and_outputs(
    kind: Kind, chosen: Options, audit: tuple[Prior, int], epsilon: float
) -> None:
    """Nothing exceeds the loss, the pair and output named attain it, and delta is the largest divergence."""
    (prior, n), mechanism = audit, kind(enumerated(kind, epsilon, len(audit[0])), **chosen)
    laws = oracle_laws(mechanism, prior, n)
    found, expected = privacy_loss(mechanism, prior, n), oracles.privacy_loss(laws, prior, n)
    assert found.counts in laws and found.neighbour in oracles.neighbours(found.counts)
    attained = mp.log(laws[found.counts][found.released]) - mp.log(laws[found.neighbour].get(found.released, 0))
    assert (found.epsilon, float(attained)) == pytest.approx((float(expected.epsilon),) * 2, rel=0, abs=found.margin)
    grid = np.array([0, 0.3, 0.9]) * min(found.epsilon, 1e3)
    divergences = oracles.privacy_profile(laws, prior, n, grid)
    assert privacy_profile(mechanism, prior, n, grid) == pytest.approx([float(x) for x in divergences], abs=1e-12)


@every_mechanism
@pytest.mark.parametrize(("prior", "n"), [((0.3, 2), 16), ((1, 1), 9), ((5, 0.01, 100), 4), ((1, 7, 1, 1), 2)], ids=str)
def test_profile_falls_to_zero_at_the_loss(kind: Kind, chosen: Options, prior: Prior, n: int) -> None:
    for epsilon in (0.05, 1.0, 15.0):
        mechanism = kind(enumerated(kind, epsilon, len(prior)) if is_exhaustive(kind, chosen) else epsilon, **chosen)
        found = privacy_loss(mechanism, prior, n)
        loss, log_attained = found.epsilon, float(mechanism.log_pmf(Problem(prior, found.counts), found.released))
        delta = privacy_profile(mechanism, prior, n, np.linspace(0, 1.2, 25) * min(loss, 1e3))
        assert (np.diff(delta) <= 0).all()
        assert 0 < delta[0] <= 1
        assert delta[19] > 0 or log_attained < -700, "below the loss delta is positive, if it is any double"
        assert (privacy_profile(mechanism, prior, n, [min(loss, 1e3)])[0] == delta[21:].max()
                and (delta[-1] > 0) == (loss == math.inf))


@every_closed_form
@pytest.mark.parametrize(
    ("prior", "n"), [((1, 1), 9), ((0.3, 2), 16), ((5, 0.01, 100), 9), ((0.5,) * 3, 8), ((1, 7, 1, 0.2), 4)], ids=str
)
def test_structure_misses_nothing_away_from_the_ends(kind: Kind, chosen: Options, prior: Prior, n: int) -> None:
    """All pairs and outputs of log_pmf, where n leaves room for counts far from 0 and n."""
    for epsilon in (0.3, 3.0):
        mechanism = kind(enumerated(kind, epsilon, len(prior)), **chosen)
        found = privacy_loss(mechanism, prior, n)
        listed = ListedAudit(mechanism, prior, n)
        assert found.epsilon == pytest.approx(listed.worst()[0], abs=1e-11)
        grid = np.array([0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99]) * found.epsilon
        assert privacy_profile(mechanism, prior, n, grid) == pytest.approx(listed.profile(grid), abs=1e-12)


REFERENCE = [
    pytest.param(kind, entry, id=f"{kind.__name__} {entry['prior']} n={entry['n']} eps={entry['epsilon']}")
    for kind in MECHANISMS
    for entry in values("privacy_loss")
    if kind.__name__ in entry
]


@pytest.mark.parametrize(("kind", "entry"), REFERENCE)
def test_loss_reference(kind: Kind, entry: dict[str, Any]) -> None:
    parameters = {field.name: entry[field.name] for field in dataclasses.fields(kind) if field.name in entry}
    found = privacy_loss(kind(**parameters), entry["prior"], entry["n"])
    assert found.epsilon == pytest.approx(entry[kind.__name__], rel=1e-8)


# The numerical margin -------------------------------------------------------------------------------


@every_exhaustive
@pytest.mark.parametrize(
    ("prior", "epsilon"), [((0.5, 40), 1.0), ((1000, 1000), 20.0), ((0.01, 1000), 1e5)], ids=str
)
def test_margin_covers_the_error(kind: Kind, chosen: Options, prior: Prior, epsilon: float) -> None:
    """n = 30 in 50 digits: the computed loss errs by less than the margin stated, in either direction."""
    found = privacy_loss(mechanism := kind(epsilon, **chosen), prior, 30)
    expected = oracles.privacy_loss(oracle_laws(mechanism, prior, 30), prior, 30).epsilon
    assert found.epsilon == pytest.approx(float(expected), rel=0, abs=found.margin)
    assert 0 < found.margin <= 1e-9 * max(1, found.epsilon)


@pytest.mark.parametrize("alpha", [1e-9, 0.01, 0.5, 1, 1000, 1e12])
def test_table_of_category_losses(alpha: float) -> None:
    """l(alpha + c, alpha + r) for all c, r <= n in 50 digits: it has few arguments, alpha + j/2, j = 0 ... 2n."""
    n = 60
    log_gamma = [mp.loggamma(mp.mpf(alpha) + mp.mpf(j) / 2) for j in range(2 * n + 1)]
    side = range(n + 1)
    expected = [[(log_gamma[2 * c] + log_gamma[2 * r]) / 2 - log_gamma[c + r] for r in side] for c in side]
    assert loss_table(alpha, n) == pytest.approx(np.array(expected, dtype=float), rel=2e-14, abs=1e-25)


# Equal categories -----------------------------------------------------------------------------------


@every_choice
@pytest.mark.parametrize(
    ("prior", "n"), [((1, 1), 12), ((0.01,) * 3, 6), ((0.5, 200, 0.5), 5), ((3, 0.2, 3, 0.2), 3)]
)
def test_symmetry_saves_pairs_and_loses_nothing(
    kind: Kind, chosen: Options, prior: Prior, n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    mechanism, grid = kind(2.0, **chosen), [0, 0.4, 1]
    few = mechanism.audit(prior, n)
    assert isinstance(few, SelectionAudit)
    visited = few.pairs[0].size
    loss, delta = privacy_loss(mechanism, prior, n), privacy_profile(mechanism, prior, n, grid)
    monkeypatch.setattr(SelectionAudit, "_in_order", lambda audit: np.ones(len(audit.datasets), dtype=bool))
    everything = mechanism.audit(prior, n)
    assert isinstance(everything, SelectionAudit)
    assert visited < everything.pairs[0].size == sum(
        len(list(oracles.neighbours(counts))) for counts in oracles.compositions(n, len(prior))
    )
    assert loss.epsilon == pytest.approx(privacy_loss(mechanism, prior, n).epsilon, rel=1e-12)
    assert delta == pytest.approx(privacy_profile(mechanism, prior, n, grid), rel=1e-11, abs=1e-14)


# What is promised -----------------------------------------------------------------------------------

GRID = [
    ((1, 1), 100),
    ((0.5, 0.5), 100),
    ((0.01, 7), 120),
    ((1000, 0.01), 250),
    ((1000, 1000), 150),
    ((7, 4), 1),
    ((1, 1, 1), 15),
    ((0.01, 0.01, 0.01), 15),
    ((100, 1000, 100), 15),
    ((0.01, 1000, 3), 15),
    ((0.01, 0.01, 0.01), 1),
    ((0.25,) * 4, 6),
    ((300, 0.5, 20, 1), 5),
    ((0.5,) * 10, 2),
]
every_audit = pytest.mark.parametrize(("prior", "n"), GRID, ids=lambda value: str(value)[:22])


@every_mechanism
@every_audit
def test_no_theorem_is_exceeded(kind: Kind, chosen: Options, prior: Prior, n: int) -> None:
    for epsilon in (0.3, 3.0):
        mechanism = kind(epsilon, **chosen)
        guarantee = mechanism.guarantee(prior, n)
        if isinstance(guarantee, PureDP) and guarantee.basis == "theorem":
            found = privacy_loss(mechanism, prior, n)
            assert found.epsilon <= guarantee.epsilon + found.margin


@pytest.mark.parametrize(("prior", "n"), [((1, 1), 2), ((0.01, 90), 60), ((1,) * 3, 4), ((5, 1, 1, 9, 0.1), 10**6)])
def test_shares_lost_by_independent_noise(prior: Prior, n: int) -> None:
    """1/k and 1; 1/2 at k = 2, 2/k above; 1, whatever the epsilon, the prior and n >= 2 (README, "Mechanisms")."""
    k, shares = len(prior), set()
    for kind, chosen in EVERY:
        losses = [privacy_loss(kind(epsilon, **chosen), prior, 2) for epsilon in (0.02, 1.0, 19.0)]
        if losses[0].found == "closed form":
            share = losses[0].epsilon / 0.02
            assert [loss.epsilon for loss in losses] == pytest.approx([0.02 * share, share, 19 * share], rel=1e-12)
            at_n = privacy_loss(kind(1.0, **chosen), prior, n)
            assert at_n.epsilon == pytest.approx(share, rel=1e-12)
            assert log_ratio(kind(1.0, **chosen), at_n) == pytest.approx(share, rel=1e-12)
            shares.add(round(share, 9))
    assert shares == {round(1 / k, 9), 0.5 if k == 2 else round(2 / k, 9), 1}


def constant_rate(mechanism: Mechanism, prior: Prior, n: int) -> float | None:
    """The rate, if it is the same for all datasets."""
    audit = mechanism.audit(tuple(map(float, prior)), n)
    assert isinstance(audit, SelectionAudit)
    rate = float(audit.rate.mean())
    return rate if np.ptp(audit.rate) < 1e-9 * rate else None


@every_choice
@every_audit
def test_bounds_where_the_rate_is_constant(kind: Kind, chosen: Options, prior: Prior, n: int) -> None:
    """rate GS <= loss <= 2 rate GS; a rate fitted to the exact GS, epsilon / (2 GS), loses 0.5 to 0.9 epsilon."""
    sensitivity = global_sensitivity(prior, n)
    for epsilon in (0.1, 10.0):
        rate = constant_rate(mechanism := kind(epsilon, **chosen), prior, n)
        if rate is not None:
            found = privacy_loss(mechanism, prior, n)
            assert rate * sensitivity - found.margin <= found.epsilon <= 2 * rate * sensitivity + found.margin
            if abs(2 * rate * sensitivity / epsilon - 1) < 1e-9:
                assert 0.5 * epsilon - found.margin <= found.epsilon <= 0.9 * epsilon


@pytest.mark.parametrize(("prior", "n"), [((7, 4), 5), ((0.01, 1000, 3), 5)], ids=str)
def test_constant_rates_are_present_fitted_and_not(prior: Prior, n: int) -> None:
    """Else the test above would hold nothing."""
    rates = [constant_rate(kind(1.0, **chosen), prior, n) for kind, chosen in EVERY if has_rate(kind)]
    fitted = pytest.approx(1 / (2 * global_sensitivity(prior, n)))
    assert None in rates and fitted in rates and any(rate is not None and rate != fitted for rate in rates)


# Negative controls ----------------------------------------------------------------------------------


def promising(kind_of_guarantee: type, prior: Prior, n: int) -> list[Mechanism]:
    """All mechanisms, options included, at epsilon 1 whose guarantee there is of this sort."""
    every = [kind(1.0, **chosen) for kind, chosen in EVERY]
    found = [mechanism for mechanism in every if isinstance(mechanism.guarantee(prior, n), kind_of_guarantee)]
    assert found, "nothing would be tested"
    return found


@pytest.mark.parametrize(
    ("prior", "n", "loss"), [((100, 1000, 100), 25, 2.0628), ((0.01, 7), 200, 1.0746)]
)
def test_the_unprivate_are_accused_and_the_sound_are_not(prior: Prior, n: int, loss: float) -> None:
    for mechanism in promising(NotPrivate, prior, n):
        found = privacy_loss(mechanism, prior, n)
        assert found.epsilon == pytest.approx(loss, abs=5e-4)
        assert found.epsilon - found.margin > mechanism.epsilon
        assert privacy_profile(mechanism, prior, n, [mechanism.epsilon])[0] > 0
    for mechanism in promising(PureDP, prior, n):
        guarantee = mechanism.guarantee(prior, n)
        found = privacy_loss(mechanism, prior, n)
        assert isinstance(guarantee, PureDP) and found.epsilon <= guarantee.epsilon + found.margin
        assert privacy_profile(mechanism, prior, n, [guarantee.epsilon + found.margin])[0] == 0


def test_an_understated_sensitivity_is_accused() -> None:
    """The papers' constant at alpha = 0.01, n = 1: more than epsilon, and within the larger promise made for it."""
    prior, n, accused = (0.01,) * 3, 1, []
    for mechanism in promising(PureDP, prior, n):
        found, guarantee = privacy_loss(mechanism, prior, n), mechanism.guarantee(prior, n)
        assert isinstance(guarantee, PureDP) and found.epsilon <= guarantee.epsilon + found.margin
        assert (found.epsilon - found.margin > mechanism.epsilon) <= (guarantee.epsilon > mechanism.epsilon)
        if guarantee.epsilon > mechanism.epsilon:
            accused.append(found.epsilon)
    assert accused == pytest.approx([1.0627], abs=5e-5)


def test_what_is_claimed_is_measured_and_not_vouched_for() -> None:
    """Prior (100, 1000, 100), n = 15: 0.80 at epsilon 1, 13.4 or more at epsilon 10, there with a delta as claimed."""
    prior, n = (100, 1000, 100), 15
    for mechanism in promising(ApproximateDP, prior, n):
        assert mechanism.guarantee(prior, n).basis == "claim" and not mechanism.guarantee(prior, n).is_private
        assert privacy_loss(mechanism, prior, n).epsilon == pytest.approx(0.8009, abs=5e-5)
        higher = dataclasses.replace(mechanism, epsilon=10.0)
        found = privacy_loss(higher, prior, n)
        assert found.epsilon > 13.4
        assert log_ratio(higher, found) == pytest.approx(found.epsilon)
        claimed = higher.guarantee(prior, n)
        assert isinstance(claimed, ApproximateDP)
        assert 0 < privacy_profile(higher, prior, n, [10.0])[0] < claimed.delta


# The result -----------------------------------------------------------------------------------------


@every_mechanism
def test_the_result_keeps_its_inputs_and_is_a_value(kind: Kind, chosen: Options) -> None:
    mechanism = kind(1.0, **chosen)
    found = privacy_loss(mechanism, np.array([1, 0.5, 1]), 4)
    assert (found.mechanism, found.prior, found.n) == (mechanism, (1.0, 0.5, 1.0), 4)
    assert found == privacy_loss(mechanism, (1.0, 0.5, 1.0), 4) and hash(found) is not None
    assert found.neighbours == RELATION == mechanism.guarantee(found.prior, 4).neighbours
    assert found.upper == found.epsilon + found.margin and found.margin > 0
    assert type(found.epsilon) is float
    assert sum(found.counts) == sum(found.neighbour) == 4 and found.counts != found.neighbour
    for counts in (found.counts, found.neighbour, found.released):
        assert isinstance(counts, tuple) and len(counts) == 3 and all(type(c) is int and c >= 0 for c in counts)


@every_mechanism
@pytest.mark.parametrize("k", [2, 3, 300])
def test_without_records_nothing_is_lost(kind: Kind, chosen: Options, k: int) -> None:
    prior = (0.5,) * k
    found = privacy_loss(kind(1.0, **chosen), prior, 0)
    assert found.epsilon == 0
    assert found.counts == found.neighbour == found.released == (0,) * k
    assert privacy_profile(kind(1.0, **chosen), prior, 0, [0, 0.5, 2]).tolist() == [0, 0, 0]


@every_class
def test_profile_takes_any_epsilons_in_any_order(kind: Kind) -> None:
    """Also those whose exponential no double holds: warnings are errors here."""
    mechanism = kind(1.0)
    assert privacy_profile(mechanism, (1, 1), 4, []).shape == (0,)
    up = privacy_profile(mechanism, (1, 1), 4, [0, 0.1, 0.2])
    assert privacy_profile(mechanism, (1, 1), 4, iter([0.2, 0, 0.1])).tolist() == up[[2, 0, 1]].tolist()
    largest = privacy_profile(mechanism, (1, 1), 4, [0.1, 700, 800, 1e6]).tolist()
    assert largest == [up[1], *largest[3:] * 3] and (largest[3] > 0) == (
        privacy_loss(mechanism, (1, 1), 4).epsilon == math.inf)


@every_choice
def test_profile_of_a_large_loss_does_not_vanish(kind: Kind, chosen: Options) -> None:
    """At epsilon 10,000 little privacy is left: delta is far from 0 where e^epsilon overflows."""
    mechanism, prior, n = kind(1e4, **chosen), (1, 1), 5
    grid = [100.0, 0.4 * privacy_loss(mechanism, prior, n).epsilon]
    expected = [float(x) for x in oracles.privacy_profile(oracle_laws(mechanism, prior, n), prior, n, grid)]
    assert grid[1] > 710 and min(expected) > 0.4
    assert privacy_profile(mechanism, prior, n, grid).tolist() == pytest.approx(expected, abs=1e-9)


# Sizes and refusals ---------------------------------------------------------------------------------


def largest_named(message: str) -> int:
    return int(message.split("up to n = ")[1].split(",  got")[0].split(", got")[0].replace(",", ""))


@every_exhaustive
@pytest.mark.parametrize("k", [2, 3, 4, 10, 300])
def test_beyond_the_limit_the_largest_size_is_named(kind: Kind, chosen: Options, k: int) -> None:
    """Refused from one more than the size named, at once and by every entry."""
    mechanism, prior = kind(1.0, **chosen), (0.5,) * k
    with pytest.raises(ValueError) as refused:
        privacy_loss(mechanism, prior, 10**9)
    largest = largest_named(str(refused.value))
    assert largest >= {2: 2000, 3: 60, 4: 20, 10: 3, 300: 1}[k]
    for ask in (
        lambda n: privacy_loss(mechanism, prior, n),
        lambda n: privacy_profile(mechanism, prior, n, [1.0]),
        lambda n: calibrate(mechanism, prior, n),
    ):
        with pytest.raises(ValueError, match=rf"^n is too large .* k = {k} .* got n = {largest + 1:,}\.$") as refused:
            ask(largest + 1)
        assert largest_named(str(refused.value)) == largest


@pytest.mark.parametrize("k", [2, 3, 4, 10])
def test_the_largest_size_named_works(k: int) -> None:
    kind, chosen = next(pair for pair in EVERY if has_rate(pair[0]))
    mechanism, prior = kind(1.0, **chosen), (0.5,) * k
    with pytest.raises(ValueError) as refused:
        privacy_loss(mechanism, prior, 10**9)
    found = privacy_loss(mechanism, prior, largest_named(str(refused.value)))
    assert 0.5 - found.margin <= found.epsilon <= 1


@every_closed_form
def test_a_closed_form_knows_no_limit(kind: Kind, chosen: Options) -> None:
    mechanism, prior = kind(1.0, **chosen), (0.5,) * 300
    assert 0 < privacy_loss(mechanism, prior, 10**9).epsilon <= 1
    assert 0 < privacy_profile(mechanism, (0.5, 0.5), 10**9, [0.1])[0] < 1


@every_class
@pytest.mark.parametrize("epsilon", [-0.1, math.nan, math.inf, "one", None, True])
def test_a_bad_epsilon_of_the_profile_is_refused(kind: Kind, epsilon: Any) -> None:
    with pytest.raises(ValueError, match=rf"^epsilons must .*{epsilon}"):
        privacy_profile(kind(1.0), (1, 1), 3, [0.5, epsilon])


# Work ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "k"), [(1, 2), (30, 2), (5, 3), (2, 5), (1, 12)])
def test_neighbours_are_found_in_the_list_of_datasets_and_counted_before(n: int, k: int) -> None:
    """By ``neighbours`` of each, in the same order; and their number, times the outputs, is what check_size reckons."""
    datasets = list_candidates(n, k)
    expected = [(tuple(c), tuple(other)) for c in datasets.tolist() for other in neighbours(c).tolist()]
    here, there = neighbour_rows(datasets)
    assert [(tuple(c), tuple(other)) for c, other in zip(datasets[here].tolist(), datasets[there].tolist(), strict=True)
            ] == expected
    assert len(expected) * len(datasets) == comparisons(n, k)


def test_a_check_of_many_categories_is_refused_before_it_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in (mechanisms.EHD, mechanisms.EHDS):
        for asked in (privacy_loss, calibrate):
            with pytest.raises(ValueError, match=r"k is too large for an exhaustive check: .* k = 2,000 categories"):
                asked(kind(1.0), (1,) * 2000, 1)
    in_turn = mechanisms.Geometric(1.0, consistent=True)
    with pytest.raises(ValueError, match="k is too large for an exhaustive check"):
        privacy_profile(in_turn, (1,) * 2000, 1, [0.1])
    assert not guessing.guessing_risk(in_turn, (1,) * 2000, 1).exact
    monkeypatch.setattr("dpbi.mechanisms.audit._DIVERGED", 1_000)
    with pytest.raises(ValueError, match=r"epsilons are too many .* of this size: at most 16, got 17"):
        privacy_profile(mechanisms.EHD(1.0), (1, 2), 5, np.linspace(0, 1, 17))


def test_deltas_do_not_depend_on_how_many_pairs_are_passed_over() -> None:
    """Every pair visited at every epsilon, against the chords' bounds."""
    for prior, n in (((1.0, 2.0, 3.0), 6), ((0.01, 50.0), 20)):
        audit = SelectionAudit(prior, n, lambda counts: 3.0 + counts[:, 0].astype(np.float64))
        law = audit.listed.law
        here, there = audit.pairs
        epsilons = np.linspace(0, 1.1 * audit.worst()[0], 23)
        every = [np.maximum(law[here] - math.exp(epsilon) * law[there], 0).sum(axis=1).max() for epsilon in epsilons]
        assert audit.profile(epsilons) == pytest.approx(np.array(every), rel=1e-9, abs=1e-12)
