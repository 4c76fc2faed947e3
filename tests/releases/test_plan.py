"""Plans: what they cost against brute force, what draws on them, what they refuse, and their way through files."""

import dataclasses
import itertools
import json
import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import dpbi
from dpbi import Problem
from dpbi.mechanisms import Mechanism
from dpbi.releases.kept_ledger import KeptLedger
from dpbi.releases.ledger import Ledger, release_json
from dpbi.releases.ledger_file import LedgerFile
from dpbi.releases.ledger_in_memory import LedgerInMemory
from dpbi.releases.plan import Plan, new_plan
from dpbi.releases.statement import statement_html, statement_markdown
from tests import oracles
from tests.every_mechanism import Kind, every_class

PEOPLE, TIME = "Survey 2026", "2026-11-28T01:02:03Z"
TENTH = dpbi.mechanisms.KNorm(0.1)
PROBLEM = Problem((1,) * 10, (2, 0) + (0,) * 8)
PLAN = Plan("token", TENTH, 10, PROBLEM.n, 20, 1e-6, TIME, "Ada")


@pytest.fixture(params=[True, False])
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> KeptLedger:
    return LedgerFile.opened(tmp_path / "l.sqlite") if request.param else LedgerInMemory()


def test_twenty_releases_cost_less_than_their_sum() -> None:
    assert round(PLAN.epsilon, 3) == 1.350 and PLAN.total == 2
    assert "(1.3501, 1e-06)-DP for all of them" in PLAN.words, "printed never below"
    assert PLAN.cost(0) == (0, 0) and PLAN.cost(13) == pytest.approx((1.3, 0)) and PLAN.cost(14) == (PLAN.epsilon, 1e-6)


@pytest.mark.parametrize(("name", "k", "epsilon", "number"), [("Geometric", 3, 0.7, 4), ("KNorm", 3, 2.0, 4),
                                                              ("LSDim", 2, 0.5, 3)])  # fmt: skip
def test_no_pair_of_neighbours_loses_more_than_a_plan_costs(name: str, k: int, epsilon: float, number: int) -> None:
    """By listing all that one release of two neighbours may be, and all series of its losses; for those with a law of
    their own, no less either.
    """
    plan = Plan("t", getattr(dpbi.mechanisms, name)(epsilon), k, 3, number, 0.02, TIME)
    here, there = (oracles.LAWS[name]((1,) * k, c[:k], epsilon=epsilon) for c in ((2, 1, 0), (1, 2, 0)))
    losses: Counter[float] = Counter()
    for released in here:
        p = float(here[released])
        losses[round(math.log(p / float(there[released])), 9)] += p  # type: ignore[assignment]

    def lost(at: float) -> float:
        return sum(math.prod(p for _, p in series) * max(0.0, -math.expm1(at - sum(loss for loss, _ in series)))
                   for series in itertools.product(losses.items(), repeat=number))  # fmt: skip

    assert lost(plan.epsilon) <= plan.delta * (1 + 1e-6)
    if name != "LSDim":
        assert lost(plan.epsilon * 0.99) > plan.delta, "it is attained"


def test_two_plans_of_people_that_became_one_add_up() -> None:
    """All pairs of losses: what is beyond both costs together is at most what is beyond each."""
    left = [place / 8 for place in range(-40, 41)]
    beyond = {a: max(0.0, -math.expm1(a)) for a in {one + other for one in left for other in left}}
    assert all(beyond[a + b] <= beyond[a] + beyond[b] + 1e-15 for a in left for b in left)


@every_class
def test_every_mechanism_is_planned_or_refused_in_a_sentence(kind: Kind) -> None:
    """What depends on the prior is refused: the plan fixes the size of it alone."""
    mechanism = kind(0.5)
    try:
        plan = new_plan(mechanism, 3, 12, 4, 1e-6)
    except ValueError as refusal:
        assert "A plan needs a mechanism that is private by theorem" in str(refusal)
        assert mechanism.rounding((1, 1, 1), 12) > 0 or not mechanism.guarantee((1, 1, 1), 12).is_private
    else:
        assert plan.epsilon <= plan.total and Plan.read(json.loads(json.dumps(plan.document()))) == plan
        for prior in ((1, 1, 1), (0.1, 3, 50)):
            assert dpbi.privacy.composition.compose([(mechanism, prior, 12)] * 4).epsilon(1e-6) == plan.epsilon
    if mechanism.guarantee((1, 1, 1), 12).is_private:
        calibrated = dataclasses.replace(mechanism, calibration=(1.0, (1.0, 1.0, 1.0), 12))
        with pytest.raises(ValueError, match="is not calibrated"):
            new_plan(calibrated, 3, 12, 4, 1e-6)


@pytest.mark.parametrize(("change", "said"), [
    ({"number": 0}, "number of releases"), ({"number": 10_001}, "number of releases"),
    ({"delta": 0.0}, "delta"), ({"delta": 1.0}, "delta"), ({"k": 1}, "k must be"), ({"n": -1}, "n"),
    ({"time": "now"}, "time must be"),
    ({"token": ""}, "token"), ({"mechanism": None}, "mechanism"), ({"number": True}, "number"),
])  # fmt: skip
def test_what_is_no_plan_is_refused(change: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        dataclasses.replace(PLAN, **change)
    recorded = PLAN.document() | {name: value for name, value in change.items() if name != "mechanism"}
    if "mechanism" in change:
        recorded["mechanism"] = {"name": "None", "fields": {}}
    with pytest.raises(ValueError, match=said):
        Plan.read(recorded)


def release(kept: KeptLedger, *mechanisms: Mechanism, problem: Problem = PROBLEM) -> None:
    for mechanism in mechanisms:
        kept.release(PEOPLE, mechanism, problem, question="Q")


def test_what_matches_draws_on_the_plan_and_what_does_not_is_added(kept: KeptLedger) -> None:
    kept.plan(PEOPLE, dataclasses.replace(PLAN, number=12, delta=0.01))
    kept.plan(PEOPLE, plan := dataclasses.replace(PLAN, number=5, delta=0.01))  # which had no release yet
    assert kept.account(PEOPLE).people and not kept.account(PEOPLE).lines and not kept.account(PEOPLE).begun
    others = (dpbi.mechanisms.KNorm(0.2), dpbi.mechanisms.Geometric(0.1))
    release(kept, TENTH, others[0], TENTH, others[1])
    release(kept, TENTH, problem=Problem((1,) * 10, (3, *[0] * 9)))  # of another n
    release(kept, TENTH, problem=Problem((1,) * 9, (2, *[0] * 8)))
    release(kept, TENTH, problem=Problem((0.1,) * 10, (0, 1, 1, *[0] * 7)))  # another table and prior
    ledger = kept.account(PEOPLE).ledger
    assert [bool(one.plan) for one in ledger.entries] == [True, False, True, False, False, False, True]
    assert ledger.total().epsilon == pytest.approx(plan.cost(3)[0] + 0.2 + 0.1 + 0.1 + 0.1)
    release(kept, *[TENTH] * 4)  # two of which are beyond it
    ledger = kept.account(PEOPLE).ledger
    total = ledger.total()
    assert total.planned == 5 and total.releases == 11
    assert (total.epsilon, total.delta) == pytest.approx((plan.epsilon + 0.7, 0.01))
    assert "5 of 11 draw on a plan fixed beforehand: 5 releases by KNorm" in total.composition
    assert total.composition.endswith("What is off the plan is added, the plain sum.")
    assert "the plain sum of those that were made, 0.3, which is not more so far" in PLAN.counted(3)
    assert Ledger.from_json(kept.account(PEOPLE).whole.to_json()) == kept.account(PEOPLE).whole
    with pytest.raises(ValueError, match="stands"):
        kept.plan(PEOPLE, plan)


def test_the_whole_plan_of_the_issue_fits_a_budget_that_its_sum_would_not(tmp_path: Path) -> None:
    kept = LedgerFile.opened(tmp_path / "l.sqlite", epsilon=1.4)
    with pytest.raises(ValueError, match=r"beyond the budget of these people, 1\.4"):
        kept.plan(PEOPLE, dataclasses.replace(PLAN, number=40))
    assert not kept.names, "what was refused left nothing"
    kept.plan(PEOPLE, PLAN)
    release(kept, *[TENTH] * 20)
    account = kept.account(PEOPLE)
    assert account.ledger.total().words == "(1.3501, 1e-06)-DP" and kept.left(account) == "0.049977"
    with pytest.raises(ValueError, match=r"it would be \(1\.4501, 1e-06\)-DP, beyond the budget"):
        release(kept, TENTH)
    release(kept, dpbi.mechanisms.KNorm(0.04))
    assert "is refused" in kept.refusal(account, dpbi.ApproximateDP(0.01, 1e-9, "theorem", "proved"))
    exact = Fraction("1.4") - Fraction(repr(PLAN.epsilon)) - Fraction("0.04")
    assert 0 <= exact - Fraction(kept.left(kept.account(PEOPLE))) < Fraction("1e-6"), "rounded down"


def test_a_budget_that_was_promised_without_a_delta_gets_none(tmp_path: Path) -> None:
    kept = LedgerFile.opened(tmp_path / "l.sqlite", epsilon=3)
    release(kept, TENTH)
    with pytest.raises(ValueError, match="which has none, was promised to them with their first release"):
        kept.plan(PEOPLE, PLAN)
    kept.plan("others", PLAN)
    assert (people := kept.account("others").people) and people.plans == (PLAN,) and people.budget == 3
    kept.plan("others", None)
    assert (people := kept.account("others").people) and not people.plans


def test_a_ledger_that_is_put_together_counts_what_is_too_much_by_the_plain_sum(kept: KeptLedger) -> None:
    """Two sessions that went on from the same export; and one whose file was changed to say that more is planned."""
    plan = dataclasses.replace(PLAN, number=3, delta=0.1)
    exports = []
    for _ in range(2):
        session = LedgerInMemory()
        session.plan(PEOPLE, plan)
        release(session, TENTH, TENTH, dpbi.mechanisms.KNorm(0.3))
        exports.append(session.account(PEOPLE).whole)
    for one in exports:
        kept.bring(PEOPLE, one.entries, [plan for people in one.people for plan in people.plans])
    account = kept.account(PEOPLE)
    assert account.people and account.people.plans == (plan,) and account.begun
    assert account.ledger.total().planned == 3
    assert account.ledger.total().epsilon == pytest.approx(plan.cost(3)[0] + 0.1 + 0.6)
    lying = [dataclasses.replace(one, plan=plan.token) for one in exports[0].entries]
    other = LedgerInMemory()
    other.bring(PEOPLE, lying, [plan])
    assert other.account(PEOPLE).ledger.total().planned == 2, "KNorm(0.3) is none of the plan's"
    late = LedgerInMemory()
    release(late, TENTH)
    late.bring(PEOPLE, exports[0].entries, [plan])
    assert late.account(PEOPLE).ledger.total().words == "0.6-DP", "a plan does not come after the first release"


def test_files_and_statement_name_the_composition_and_nobody_who_set_it(kept: KeptLedger) -> None:
    plan = dataclasses.replace(PLAN, number=3, delta=0.01)
    kept.plan(PEOPLE, plan)
    version = None
    for _ in range(3):
        made, entry = kept.release(PEOPLE, TENTH, PROBLEM, question="Q", version=version, who="Eve")
        version = entry.version
    ledger = kept.account(PEOPLE).whole
    together = ledger.read_together(ledger.entries[-1])
    assert together and "promise (0.13615, 0.01)-DP" in together.promise and together.total == ledger.total()
    text = release_json(ledger.entries[-1], ledger.entries[-1].categories, ledger, together)
    (people,) = json.loads(text)["ledger"]["people"]
    assert people["composition"] == ledger.total().composition and plan.words in people["composition"]
    assert "Ada" not in text and "Eve" not in text
    assert dpbi.read_release(text).posterior.mean.tolist() == together.posterior.mean.tolist()  # type: ignore[union-attr]
    assert Ledger.from_json(text).total().epsilon == ledger.total().epsilon
    standing = ledger.standing(ledger.entries[-1])
    for written in (statement_markdown, statement_html):
        said = written(made, None, together, standing).replace("\\", "")
        assert "by composing the laws of their losses. Counted is the whole plan" in said and plan.words in said
    plain = LedgerInMemory()
    release(plain, TENTH, TENTH)
    found = plain.account(PEOPLE).whole
    said = statement_markdown(made, None, None, found.standing(found.entries[0])).replace("\\", "")
    assert "Their losses are added up, the plain sum" in said


def test_a_changed_plan_in_a_file_is_computed_anew(kept: KeptLedger) -> None:
    kept.plan(PEOPLE, dataclasses.replace(PLAN, number=3, delta=0.01))
    release(kept, *[TENTH] * 3)
    document = json.loads(kept.account(PEOPLE).whole.to_json())
    document["people"][0]["plans"][0]["epsilon"] = 0.001
    document["people"][0]["epsilon"] = 0.001
    assert Ledger.from_json(json.dumps(document)).total() == kept.account(PEOPLE).ledger.total()
    plans: Sequence[Any] = ([{}], "x", [document["people"][0]["plans"][0]] * 2, [None], 5)
    for wrong in plans:
        document["people"][0]["plans"] = wrong
        with pytest.raises(ValueError, match="plan"):
            Ledger.from_json(json.dumps(document))
