"""Exact composition is no filter: epsilons that are chosen after seeing a release break it, and a plan forbids them."""

import math
from collections.abc import Callable

import pytest

import dpbi
from dpbi.privacy.composition import compose
from dpbi.releases.ledger_in_memory import LedgerInMemory
from dpbi.releases.plan import Plan, new_plan
from tests import oracles

EPSILON, DELTA, PRIOR, N = 2.0, 0.01, (1.0, 1.0), 9  # the budget; k = 2
FIRST, AFTER_A_GAIN, AFTER_A_LOSS = (0.1, 1), (0.5, 4), (0.1, 79)  # epsilon of Geometric, and how often
Series = tuple[tuple[float, int], ...]


def composed(series: Series) -> float:
    """delta at the budget's epsilon, as the library has it."""
    return float(compose([(dpbi.mechanisms.Geometric(e), PRIOR, N) for e, times in series for _ in range(times)]).delta(
        EPSILON))  # fmt: skip


def listed(series: Series, start: float = 0.0) -> float:
    """The same by listing how many of each are positive: at k = 2 one release loses +-e, positive with probability
    1 / (1 + exp(-e)). start: what was lost before."""
    if not series:
        return max(0.0, -math.expm1(EPSILON - start))
    (epsilon, times), *rest = series
    positive = 1 / (1 + math.exp(-epsilon))
    return sum(math.comb(times, i) * positive**i * (1 - positive) ** (times - i)
               * listed(tuple(rest), start + epsilon * (2 * i - times)) for i in range(times + 1))


def test_both_sequences_keep_the_budget_and_the_choice_between_them_breaks_it() -> None:
    """A filter that composes what was chosen so far lets both through: together delta is 0.0106."""
    series = (FIRST, AFTER_A_GAIN), (FIRST, AFTER_A_LOSS)
    for one, rounded in zip(series, (0.0075, 0.0093), strict=True):
        assert composed(one) == pytest.approx(listed(one), rel=1e-9) and composed(one) <= DELTA
        assert round(composed(one), 4) == rounded
    gain = 1 / (1 + math.exp(-FIRST[0]))
    together = gain * listed((AFTER_A_GAIN,), FIRST[0]) + (1 - gain) * listed((AFTER_A_LOSS,), -FIRST[0])
    assert together > DELTA and round(together, 4) == 0.0106


def test_the_loss_of_a_release_is_what_the_counterexample_takes_it_for() -> None:
    """From the law of the mechanism itself, at 50 digits: P(r | c) / P(r | c') is e^+-0.1 and nothing else."""
    mechanism = dpbi.mechanisms.Geometric(FIRST[0])
    here, there = (oracles.LAWS["Geometric"](PRIOR, c, epsilon=mechanism.epsilon) for c in ((4, 5), (5, 4)))
    losses = {r: float(oracles.mp.log(here[r] / there[r])) for r in here}
    assert {round(abs(loss), 12) for loss in losses.values()} == {FIRST[0]}
    positive = sum(float(here[r]) for r, loss in losses.items() if loss > 0)
    assert positive == pytest.approx(1 / (1 + math.exp(-FIRST[0])), rel=1e-12)


@pytest.mark.parametrize("series", [AFTER_A_GAIN, AFTER_A_LOSS])
def test_the_ledger_does_not_follow_it(series: tuple[float, int]) -> None:
    """Once a plan has a release it cannot be changed, and what is off it is added by the plain sum."""
    kept, problem = LedgerInMemory(), dpbi.Problem(PRIOR, (4, 5))
    planned = new_plan(dpbi.mechanisms.Geometric(FIRST[0]), 2, N, 5, DELTA)
    kept.plan("people", planned)
    kept.release("people", planned.mechanism, problem)
    epsilon, times = series
    for other in (new_plan(dpbi.mechanisms.Geometric(epsilon), 2, N, times, DELTA), None):
        with pytest.raises(ValueError, match="stands: it had its first release"):
            kept.plan("people", other)
    mechanism = dpbi.mechanisms.Geometric(epsilon)
    for _ in range(min(times, 6)):
        kept.release("people", mechanism, problem)
    total = kept.account("people").ledger.total()
    on = 1 + (4 if epsilon == FIRST[0] else 0)
    assert total.planned == on and total.releases == 1 + min(times, 6)
    off = (total.releases - on) * epsilon
    assert (total.epsilon, total.delta) == pytest.approx((planned.cost(on)[0] + off, planned.cost(on)[1]), rel=1e-12)


@pytest.mark.parametrize(("mechanism", "k", "number"), [
    (dpbi.mechanisms.KNorm(0.1), 10, 20), (dpbi.mechanisms.Geometric(0.1), 2, 80), (dpbi.mechanisms.LSHist(0.3), 4, 12),
])  # fmt: skip
def test_whoever_stops_a_plan_when_it_suits_and_spends_the_rest_keeps_the_budget(
    mechanism: dpbi.Mechanism, k: int, number: int
) -> None:
    """The worst adversary against ``Plan.cost``, by going through all that may happen: after each release of the plan,
    whose loss it sees, it may spend all that is then left of the budget on one release off the plan, by randomised
    response, which no other of its epsilon exceeds, and go on with the plan where that costs nothing more. Its delta is
    at most the plan's.
    """
    plan = Plan("t", mechanism, k, N, number, 1e-4, "2026-11-28T01:02:03Z")
    law = mechanism.loss_law((1.0,) * k, N)
    budget = plan.epsilon + mechanism.epsilon / 2
    losses = list(zip(law.losses.tolist(), law.probabilities.tolist(), strict=True))

    def beyond(lost: float) -> float:
        return max(0.0, -math.expm1(budget - lost))

    def spent(after: dict[tuple[int, float], float], j: int, made: int) -> float:
        """Where the rest is spent now, after losses of j times the epsilon; after: the value where it was before."""
        left = budget - plan.cost(made)[0]
        positive = 1 / (1 + math.exp(-left))
        return sum(p * after.get((j, off), beyond(j * mechanism.epsilon + off))
                   for p, off in ((positive, left), (1 - positive, -left)))  # fmt: skip

    def ahead(values: Callable[[int], float], j: int) -> float:
        return sum(p * values(j + round(loss / mechanism.epsilon)) for loss, p in losses)

    places, rest = range(-number, number + 1), budget - plan.epsilon
    after = {(j, off): beyond(j * mechanism.epsilon + off) for j in places for off in (rest, -rest)}
    worst = {j: spent(after, j, number) for j in places}
    for made in reversed(range(number)):
        places = range(-made, made + 1)
        free = plan.cost(made)[0] == plan.epsilon
        after = {(j, off): ahead(lambda i, was=after, o=off: was[i, o], j) for j in places  # type: ignore[misc]
                 for off in (rest, -rest)} if free else {}  # fmt: skip
        worst = {j: max(spent(after, j, made), ahead(worst.__getitem__, j)) for j in places}
    assert 0 < worst[0] <= plan.delta
