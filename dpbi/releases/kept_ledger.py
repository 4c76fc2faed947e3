"""A ledger that is kept: what may be released about whom, and in which order it is.

The order is what protects: (1) the charge is written, in one change with the look at what is left; (2) the draw is
made; (3) it is written beside its charge; (4) it is returned, to be shown. Whatever ends the process, and wherever, a
release that anyone can have seen has its charge; what can be left behind is a charge without a release, never the other
way round. Where it is kept, and how long, is the matter of ``LedgerFile`` and ``LedgerInMemory``.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, ClassVar

from dpbi import limits
from dpbi.data.count_table import CountTable
from dpbi.mechanisms.guarantee import ApproximateDP, Guarantee, NotPrivate
from dpbi.mechanisms.mechanism import Mechanism, check_mechanism
from dpbi.mechanisms.printed_bound import printed_bound
from dpbi.problem.problem import Problem, check_problem
from dpbi.releases import release as releases
from dpbi.releases.ledger import (
    NAME_LONGEST,
    Corrected,
    Ledger,
    LedgerEntry,
    Merged,
    People,
    Raised,
    Standing,
    completed,
    folded,
    new_token,
    same_cost,
)
from dpbi.releases.plan import Plan
from dpbi.releases.release import Release, category_names, guarantee_of_release, parsed, release_of
from dpbi.releases.table_release import (
    BEGINS as TABLE_BEGINS,
    Membership,
    TableRelease,
    guarantee_of_tables,
    one_draw,
    release_tables,
    table_entry,
)

WHOSE = "the name of the people"


@dataclass(frozen=True)
class KeptRelease:
    """One line. entry: the charge, and with it what was released where the ledger need not read a document for it;
    document: of the release (JSON); brought: whether it came from another ledger.
    """

    entry: LedgerEntry
    document: str | None = None
    brought: bool = False

    @property
    def can_be_shown(self) -> bool:
        """Whether it is a release that was made here: what was brought has its charge, and may have no names."""
        written = self.document is not None or self.entry.made is not None
        return not (self.brought or self.is_table) and written

    @property
    def is_table(self) -> bool:
        """Whether the document is of a table that was released at once, whose charge is of all its parts."""
        return (self.document or "").startswith(TABLE_BEGINS)

    @property
    def membership(self) -> str | None:
        """Of a table of groups that was drawn here; else None."""
        return _outline(self.document)["membership"] if self.document and self.is_table else None

    @property
    def asked(self) -> tuple[tuple[str, float | None], ...]:
        """Each question with the epsilon that it cost, None where no bound is promised; of a table that was brought,
        or was broken off, all questions together.
        """
        if self.document and self.is_table:
            return tuple(_asked(self.document))
        return ((self.entry.question, getattr(self.entry.guarantee, "epsilon", None)),)

    @property
    def broken_off(self) -> bool:
        """A charge without a release: its draw failed or was cut off, or is being made at this moment."""
        return not (self.brought or self.can_be_shown or self.is_table)

    def _corrected(self, said: Mapping[str, str], who: str) -> "KeptRelease":
        """With this said of it, and what was said before; the same one where nothing differs."""
        before = {what: getattr(self.entry, what) for what in said}
        changed = [Corrected(_now(), what, before[what], now, who) for what, now in said.items() if now != before[what]]
        texts: dict[str, Any] = dict(said)
        entry = replace(self.entry, **texts, corrected=(*self.entry.corrected, *changed))
        return replace(self, entry=entry) if changed else self

    def _with(self, entry: LedgerEntry) -> "KeptRelease":
        """Completed by what another ledger says of the same release; the same one where that is nothing new."""
        held = self.whole
        now = completed(held, entry)
        if not self.brought:  # it was drawn here: nobody knows better
            if not same_cost(entry.guarantee, held.guarantee):
                raise ValueError(f"The release of {held.time} was drawn here and cost {held.guarantee.words}; the "
                                 f"ledger that is brought says {entry.guarantee.words}: it was changed.")
            return self
        costs = held.guarantee.words, entry.guarantee.words
        known = any(one.what == "cost" and {one.before, one.after} == {*costs} for one in now.corrected)
        if not same_cost(held.guarantee, entry.guarantee) and not known:
            now = replace(now, corrected=(*now.corrected, Corrected(_now(), "cost", *costs)))
        return self if now == held else replace(self, entry=now)

    @property
    def whole(self) -> LedgerEntry:
        """The charge with what was released for it. Raises ValueError where the document was damaged."""
        if self.document is None:
            return self.entry
        if self.is_table:
            alone = _only_part(self.document)
            return replace(self.entry, made=alone[0], categories=alone[1]) if alone else self.entry
        made, categories = _read(self.document)
        return replace(self.entry, made=made, categories=categories)


@lru_cache(maxsize=32)
def _read(document: str) -> tuple[Release, tuple[str, ...]]:
    """Kept for the next look, as a calibration is checked anew; a document is public, and says the same for ever."""
    return Release.from_json(document), tuple(parsed(document)["categories"])


@lru_cache(maxsize=32)
def _outline(document: str) -> dict[str, Any]:
    return parsed(document)


def _asked(document: str) -> Iterator[tuple[str, float | None]]:
    """Each question of a table with the largest epsilon of its groups."""
    for question in _outline(document)["questions"]:
        epsilons = [part["release"]["guarantee"].get("epsilon") for part in question["parts"]]
        yield question["title"], None if None in epsilons else max(epsilons)


@lru_cache(maxsize=32)
def _only_part(document: str) -> tuple[Release, tuple[str, ...]] | None:
    """The one draw of a table that is one, which is then a release like others; None where there are several."""
    parts = [part["release"] for question in _outline(document)["questions"] for part in question["parts"]]
    return (release_of(parts[0]), tuple(parts[0]["categories"])) if len(parts) == 1 else None


@dataclass(frozen=True)
class Account:
    """What a ledger holds under one name. people: None for a name without a line; lines: in their order."""

    people: People | None = None
    lines: tuple[KeptRelease, ...] = ()

    @cached_property
    def ledger(self) -> Ledger:
        """The charges."""
        return self._ledger([line.entry for line in self.lines])

    @cached_property
    def whole(self) -> Ledger:
        """The charges, each with what was released for it."""
        return self._ledger([line.whole for line in self.lines])

    def standing(self, release: str) -> Standing:
        """How a release, by its token, stands among all of these people: that of its entry may name them otherwise."""
        return self.ledger.standing(next(one for one in self.ledger.entries if one.release == release))

    def entered(self, name: str, budget: float | None) -> "Account":
        """The people get a token when they are first named, and a budget as soon as there is one."""
        people = self.people or People(new_token(), " ".join(name.split()))
        return replace(self, people=replace(people, budget=budget) if people.budget is None else people)

    def plan_for(self, mechanism: Mechanism, k: int, n: int) -> Plan | None:
        """The plan that such a release would draw on; None where none covers it or has a release left."""
        on, _ = self.ledger.drawn()
        plans = self.people.plans if self.people else ()
        return next((one for one in plans if one.covers(mechanism, k, n) and on.get(one, 0) < one.number), None)

    @property
    def begun(self) -> bool:
        """Whether a plan has its first release, so that it stands."""
        plans = {plan.token for plan in self.people.plans} if self.people else set()
        return any(line.entry.plan in plans for line in self.lines)

    def corrected(self, release: str, said: Mapping[str, str], who: str) -> "Account":
        """With what is said of a release said otherwise: its remark, and of its table, with all releases of that, the
        question and the token of the version; an empty one takes this release alone out of its table, to be of another.
        What they cost stays as it is.
        """
        found = next((line for line in self.lines if line.entry.release == release), None)
        if found is None:
            raise ValueError("The release is not in the ledger of these people.")
        apart = said.get("version") == ""
        if "version" in said:
            version = self.ledger.version_of(said.get("question", found.entry.question), said["version"] or None,
                                             found.entry.part)
            of_it = (line.entry.replaces for line in self.lines if line.entry.version == version)
            said = {"replaces": next(of_it, ""), **said, "version": version}
        if said.get("replaces"):
            self.ledger.version_of(said.get("question", found.entry.question), said["replaces"], found.entry.part)
        of_table = {what: text for what, text in said.items() if what != "remark"}
        now: list[KeptRelease] = []
        for line in self.lines:
            same = found.entry.table is not None and line.entry.table == found.entry.table
            texts = said if line is found else of_table if same and not apart else {}
            if "version" in said and found.entry.version and line.entry.replaces == found.entry.version and not apart:
                texts = {**texts, "replaces": said["version"]}  # the token of the table that it was stated to correct
            now.append(line._corrected(texts, who))
            if line is not now[-1]:
                self.whole.check_stated(now[-1].whole)
        if all(line is before for line, before in zip(now, self.lines, strict=True)):
            raise ValueError("Nothing would be changed by that.")
        return replace(self, lines=tuple(now))

    def renamed(self, name: str, other: "Account", who: str) -> "Account":
        """Under another name, together with what is under that name already: all of it is about the same people then.

        The smaller budget holds. Of two accounts a plan is kept that was begun, and, where there is a budget, could
        have been set for both: before any release, within it. What drew on another counts by the plain sum, as its
        delta is no part of what was promised. Both this and a total beyond the budget are put down (``Merged``).
        """
        if self.people is None:
            raise ValueError("Nobody has this name in the ledger.")
        name = " ".join(name.split())
        changed = Corrected(_now(), "name", self.people.name, name, who)
        if other.people is None:
            return replace(self, people=replace(self.people, name=name, renamed=(*self.people.renamed, changed)))
        both = other.people, self.people
        drawn = {entry.plan for entry in (*other.ledger.entries, *self.ledger.entries)}
        budget = min((one.budget for one in both if one.budget is not None), default=None)
        begun = {plan.token: plan for one in both for plan in one.plans if plan.token in drawn}
        plans = {plan.token: plan for one, than in ((other, self), (self, other)) for plan in one._plans_with(
            than, budget) if plan.token in begun}  # fmt: skip
        people = replace(
            other.people, budget=budget, plans=tuple(plans.values()),
            raised=tuple(sorted((raise_ for one in both for raise_ in one.raised), key=lambda one: one.time)),
            merged=tuple(merged for one in both for merged in one.merged),
            renamed=(*other.people.renamed, *self.people.renamed, changed))
        lines: dict[str, KeptRelease] = {}
        for line in (*self.lines, *other.lines):
            held = lines.setdefault(line.entry.release, line)
            if held is not line:
                lines[line.entry.release] = held._with(line.whole) if line.brought else line._with(held.whole)
        found = Account(people, tuple(sorted(lines.values(), key=lambda line: line.entry.time)))
        spent = found.ledger.total().words if found.beyond else ""
        dropped = len(begun) - len(plans)
        if not (spent or dropped):
            return found
        merged = Merged(changed.time, spent, budget if spent else None, dropped, who)
        return replace(found, people=replace(people, merged=(*people.merged, merged)))

    def _plans_with(self, other: "Account", budget: float | None) -> tuple[Plan, ...]:
        """Which plans of these people could have been set for them and others together, of this budget."""
        assert self.people
        if budget is None:
            return self.people.plans
        if other.lines or self.people.budget is None:
            return ()
        return tuple(plan for plan in self.people.plans if plan.epsilon <= budget)

    @property
    def beyond(self) -> bool:
        """Whether what was released is beyond the budget: only bringing and renaming can do that."""
        if self.people is None or self.people.budget is None:
            return False
        _, off = self.ledger.drawn()
        return _left(self.people.budget, self.ledger) < 0 or any(
            _has_delta(one.guarantee) or not one.guarantee.is_private for one in off)

    def planned(self, plan: Plan | None) -> "Account":
        """With the plan in place of one that was not begun; None: without it."""
        assert self.people
        if self.begun:
            raise ValueError("The plan of these people stands: it had its first release, and a plan that is changed "
                             "after seeing releases promises nothing.")
        if plan and self.people.budget is not None and self.lines:
            raise ValueError("A plan has a delta, and the budget of these people, which has none, was promised to them "
                             "with their first release: a plan is set before it.")
        return replace(self, people=replace(self.people, plans=(plan,) if plan else ()))

    def brought(self, entries: Sequence[LedgerEntry], plans: Sequence[Plan] = ()) -> "Account":
        """With the entries of another ledger; those that are in already, by their tokens, are completed by what they
        say more (``completed``), and where they say another cost the larger counts, which is put down.

        plans: of the other ledger, which come along where nothing was released here; else what drew on them counts by
        the plain sum. Raises ValueError where they contradict what is here otherwise, or what was drawn here in its
        cost.
        """
        if plans and self.people and not (self.lines or self.people.plans):
            return replace(self, people=replace(self.people, plans=tuple(plans))).brought(entries)
        lines = {line.entry.release: line for line in self.lines}
        for entry in entries:
            held = lines.get(entry.release)
            lines[entry.release] = held._with(entry) if held else KeptRelease(entry, brought=True)
        return replace(self, lines=tuple(lines.values()))

    def released(self, entry: LedgerEntry, made: Release, categories: tuple[str, ...]) -> "Account":
        """With what was drawn beside its charge. Raises ValueError where the charge has gone."""
        return self._written(entry, lambda found: KeptRelease(
            replace(found.entry, made=made, categories=categories)))  # fmt: skip

    def released_table(self, entry: LedgerEntry, document: str) -> "Account":
        """The same of a table, whose document holds all of its parts."""
        return self._written(entry, lambda found: KeptRelease(found.entry, document))

    def _written(self, entry: LedgerEntry, line: Callable[[KeptRelease], KeptRelease]) -> "Account":
        found = next((line for line in self.lines if line.broken_off and line.entry.release == entry.release), None)
        if found is None:
            raise ValueError("The charge is no longer in the ledger. The draw is not shown.")
        now = line(found)  # as corrected in the meantime
        return replace(self, lines=tuple(now if one is found else one for one in self.lines))

    def _ledger(self, entries: Sequence[LedgerEntry]) -> Ledger:
        """All under the token that the people have here: entries that were brought had another where they came from."""
        if self.people is None:
            return Ledger()
        return Ledger(tuple(replace(entry, people=self.people.token) for entry in entries), (self.people,))


def of_all(accounts: Sequence[Account]) -> Ledger:
    """Their releases, whole, in one ledger."""
    return _put_together([one.whole for one in accounts])


def charges_of(accounts: Sequence[Account]) -> Ledger:
    """As ``of_all`` without what was released, which takes long to read and to check."""
    return _put_together([one.ledger for one in accounts])


def _put_together(ledgers: Sequence[Ledger]) -> Ledger:
    return Ledger(tuple(entry for one in ledgers for entry in one.entries),
                  tuple(people for one in ledgers for people in one.people))


class KeptLedger(ABC):
    """A ledger of accounts, each under a name of people; names are told apart as ``folded`` has it.

    epsilon: the budget that people get with their first line, what all releases about them may come to together, None:
    no limit. With one their deltas must be 0, but for that of a plan that was set before: a budget is an epsilon, and a
    release with a delta is refused.
    People keep the budget they have: another epsilon is refused, but for a larger one with raising, which voids the
    promise that was made, and is recorded.
    proved_only: whether it takes only what is private by theorem or check; of_a_draw: what becomes of a draw; asks_who:
    whether several share it, so that each line must say who made it.
    Every method raises ValueError, in a sentence, where what keeps it cannot be read or written.
    """

    epsilon: float | None = None
    raising: bool = False
    asks_who: ClassVar[bool]
    proved_only: ClassVar[bool]
    of_a_draw: ClassVar[str]

    @property
    @abstractmethod
    def notice(self) -> str:
        """What must be known before people are named in it; empty where nothing must."""

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """Of the people in it, as they were first given."""

    @property
    @abstractmethod
    def changes(self) -> Any:
        """What differs after every change."""

    @abstractmethod
    def account(self, name: str) -> Account:
        """What it holds under the name."""

    def beside(self, account: Account) -> tuple[Account, ...]:
        """What is shown to whoever named the people of an account, or nobody yet: that account."""
        return (account,)

    @abstractmethod
    def kept(self, people: People | None) -> str:
        """Where it is kept and for how long, and what the budget of these people is, with its history."""

    @property
    @abstractmethod
    def accounts(self) -> tuple[Account, ...]:
        """All, by their names."""

    @abstractmethod
    def _change(self, name: str, change: Callable[[Account], Account], outcome: str = "") -> Account:
        """The account as the change leaves it, in one step that excludes every other; outcome: said where it fails."""

    @abstractmethod
    def rename(self, name: str, now: str, who: str = "") -> None:
        """Corrects what people are called; who have the other name already are the same people then.

        The former name stays theirs: what is released under it counts as about them, so that no total is begun anew.
        Raises ValueError for a name that nobody has, and for one that others had before.
        """

    def lost(self, saved: Collection[str]) -> Collection[str]:
        """The tokens of the releases that end with it, but for those that were saved."""
        return ()

    def correct(self, name: str, release: str, *, question: str | None = None, version: str | None = None,
                corrects: str | None = None, remark: str | None = None, who: str = "") -> None:
        """Corrects what was said of a release; what it cost stays. name: of the people; release: its token; question,
        version, corrects: of its table, with all releases of that; version: the token of a table of the question, or ""
        where this release alone is of another table than any; corrects: the token of the table that it is to be used in
        place of, or "" for none; remark: its own; None: as it was.

        Releases are read together by what is said of them now. Raises ValueError where nothing would be changed, and
        for a version of another n or other categories.
        """
        given = {"question": question, "version": version, "replaces": corrects, "remark": remark}
        said = {what: text for what, text in given.items() if text is not None}
        if question is not None:
            folded("the question", question)
        limits.check_text("who", who, NAME_LONGEST)
        self._change(name, lambda account: account.corrected(release, said, who), "Nothing was corrected.")

    def plan(self, name: str, plan: Plan | None) -> None:
        """Sets the plan of people, in place of one that has no release yet; None: takes it away.

        Raises ValueError where one was begun, where it costs more than is left, and where a budget was promised before.
        """
        def changed(account: Account) -> Account:
            now = account.entered(name, self.epsilon).planned(plan)
            held = now.people.budget if now.people else None
            if plan and held is not None and plan.epsilon > _left(held, now.ledger):
                raise ValueError(f"The plan of {plan.words} is beyond the budget of these people, "
                                 f"{printed_bound(held)}. Nothing was set.")
            return now

        self._change(name, changed, "Nothing was set.")

    def left(self, account: Account) -> str:
        """The epsilon that is left of the budget that people have, or would get, rounded down; empty for none."""
        held = account.people.budget if account.people else None
        if (budget := self.epsilon if held is None else held) is None:
            return ""
        if not all(entry.guarantee.is_private for entry in account.ledger.entries):
            return "0"
        return _printed_below(max(_left(budget, account.ledger), Fraction()))

    def refusal(self, account: Account, more: Guarantee, plan: Plan | None = None) -> str:
        """Why a release of this guarantee may not be made about the people of an account; empty where it may.

        plan: which it would draw on (``Account.plan_for``).
        """
        if self.proved_only and not more.is_private:
            return ("This ledger takes only what is private by theorem or exhaustive check, and this mechanism is not: "
                    f"{more.words}. Choose another.")
        held = account.people.budget if account.people else None
        budget, spent = self._budget(held), account.ledger
        if held is not None and self.epsilon is not None and budget != self.epsilon:
            return _another_budget(held, self.epsilon)
        if budget is None:
            return ""
        if not all(entry.guarantee.is_private for entry in spent.entries):
            return ("A release about these people that was brought here promises nothing that is proved, so that no "
                    "budget can be kept: nothing more may be released about them.")
        left = _left(budget, spent)
        total, after = spent.total(), spent.total(more, plan=plan)
        had = any(_has_delta(entry.guarantee) for entry in spent.drawn()[1])
        if _cost(spent, more, plan) <= left and not (had or _has_delta(more)):
            return ""
        most = f" An epsilon of at most {_printed_below(left)} is left." if left > 0 else " No epsilon is left."
        if had:
            most = " The budget has no delta, so that nothing more may be released about them."
        elif _has_delta(more):
            most = f" The budget is an epsilon: a release with a delta, however small, is refused.{most}"
        return (f"The budget of these people is {printed_bound(budget)}, spent so far: {total.words}. With this "
                f"release of {more.words} it would be {after.words}, beyond the budget. Nothing is released.{most}")

    def raises(self, account: Account, more: Guarantee, plan: Plan | None = None) -> tuple[float, float] | None:
        """The budget of these people before and after, where a release of this guarantee needs more than they have."""
        held = account.people.budget if account.people else None
        budget = self._budget(held)
        spent = account.ledger
        if held is None or budget is None or budget == held or _cost(spent, more, plan) <= _left(held, spent):
            return None
        return held, budget

    def release(
        self, name: str, mechanism: Mechanism, problem: Problem, labels: Sequence[str] | None = None, *,
        question: str = "", version: str | None = None, corrects: str = "", part: str = "", who: str = "",
        remark: str = "",
    ) -> tuple[Release, LedgerEntry]:
        """Charges, draws, writes; returns the release, which only then may be shown, and its entry.

        name: of the people; labels: of the categories, public; question, part: what was asked of which of them;
        version: the token of the table, from an earlier entry, None for another table; corrects: that of the table in
        whose place another is to be used from now on, empty where none was corrected. These are statements: releases
        are read together where they say the same, and nowhere else. who, remark: for the keeper of the ledger.
        The look at the budget and the charge are one change that excludes every other, so no number of people can pass
        the budget together.
        Raises ValueError where the budget, the draw or the ledger refuses; a charge that was made by then stays.
        """
        check_mechanism(mechanism)
        guarantee = guarantee_of_release(mechanism, check_problem(problem).prior, problem.n)
        named = tuple(category_names(labels, problem.k))
        asked = LedgerEntry(new_token(), new_token(), mechanism.label, problem.n, _now(), guarantee, None, question,
                            version or "", part, who, remark, replaces=corrects)
        charged = self._change(name, lambda account: self._charged(
            account, name, asked, account.plan_for(mechanism, problem.k, problem.n)), "Nothing was drawn.")  # fmt: skip
        entry = charged.lines[-1].entry
        try:
            made = releases.release(mechanism, problem)
            if made.guarantee != guarantee:
                raise ValueError("The release promises something else than what was charged.")
        except ValueError as refusal:
            raise ValueError(f"{refusal} Its charge of {guarantee.words} stands, without a release.") from None
        made = replace(made, time=entry.time)
        self._change(name, lambda account: account.released(entry, made, named),
                    f"A draw that cannot be written is not shown; its charge of {guarantee.words} stands.")
        return made, entry

    def release_table(
        self, name: str, mechanisms: Sequence[Mechanism], table: CountTable,
        priors: Sequence[tuple[float, ...]] | None = None, *, membership: Membership = "public",
        version: str | None = None, corrects: str = "", who: str = "", remark: str = "",
    ) -> tuple[TableRelease, LedgerEntry]:
        """A table at once, as ``release``: one charge for all parts, then the draw, then it is written. It may be on a
        plan where it is one draw (``one_draw``).

        name: of the people; mechanisms, table, priors, membership: as for ``release_tables``, one mechanism a question;
        version, corrects: as for ``release``, of an earlier release of the table as a whole.
        Returns the table and its entry. Raises ValueError as ``release``, and where one of another membership would be
        corrected: it says something else.
        """
        chosen = tuple(mechanisms)
        guarantee = guarantee_of_tables(chosen, table, priors, membership=membership)
        asked = table_entry(guarantee, chosen, table, new_token(), time=_now(), membership=membership,
                            version=version or "", who=who, remark=remark)
        asked = replace(asked, replaces=corrects)
        for line in self.account(name).lines if corrects else ():
            if line.entry.version == corrects and line.membership not in (None, membership):
                raise ValueError(f"The table of {line.entry.time} was released with membership {line.membership}: one "
                                 f"with membership {membership} does not correct it. Say that it is another one.")
        alone = one_draw(chosen, table, membership)
        charged = self._change(name, lambda account: self._charged(
            account, name, asked, account.plan_for(*alone) if alone else None), "Nothing was drawn.")  # fmt: skip
        entry = charged.lines[-1].entry
        try:
            made = release_tables(chosen, table, priors, membership=membership)
            if made.guarantee != guarantee:
                raise ValueError("The table promises something else than what was charged.")
        except ValueError as refusal:
            raise ValueError(f"{refusal} Its charge of {guarantee.words} stands, without a release.") from None
        document = made.to_json()
        self._change(name, lambda account: account.released_table(entry, document),
                     f"A draw that cannot be written is not shown; its charge of {guarantee.words} stands.")
        return made, entry

    def bring(self, name: str, entries: Sequence[LedgerEntry], plans: Sequence[Plan] = ()) -> None:
        """Counts the entries of another ledger to the people of this name; those that are in already not again.

        plans: of the other ledger, as ``Account.brought``.
        """
        self._change(name, lambda account: account.entered(name, self.epsilon).brought(entries, plans))

    def _charged(self, account: Account, name: str, asked: LedgerEntry, plan: Plan | None) -> Account:
        if refusal := self.refusal(account, asked.guarantee, plan):
            raise ValueError(refusal)
        version = account.ledger.version_of(asked.question, asked.version or None, asked.part)
        if asked.replaces:
            account.ledger.version_of(asked.question, asked.replaces, asked.part)
        people = account.entered(name, self.epsilon).people
        assert people
        if raised := self.raises(account, asked.guarantee, plan):
            people = replace(people, budget=raised[1], raised=(*people.raised, Raised(asked.time, *raised, asked.who)))
        entry = replace(asked, people=people.token, version=version, plan=plan.token if plan else "")
        return Account(people, (*account.lines, KeptRelease(entry)))

    def _budget(self, held: float | None) -> float | None:
        """What binds a release about people of this budget, by this ledger as it was opened."""
        if held is None or (self.epsilon is not None and self.raising and self.epsilon > held):
            return self.epsilon
        return held


def check_free(name: str, *, taken: bool) -> None:
    """ValueError where others had the name before: what is released under it counts as theirs."""
    if taken:
        raise ValueError(f"Others had the name {limits.shown(name)} before it was corrected, and it stays theirs. Give "
                         "the name that they have now, or another.")


def _another_budget(held: float, asked: float) -> str:
    budget, other = printed_bound(held), printed_bound(asked)
    said = (f"The budget of these people is {budget}, and the app was started with {other}: nothing is released about "
            f"them. Start it with --budget {budget}")
    if asked > held:
        said += ", or with --raise-budget too, which is recorded and voids the promise that was made to them"
    return f"{said}."


def _left(budget: float, spent: Ledger) -> Fraction:
    on, off = spent.drawn()
    return _exact(budget) - sum(_spent(entry.guarantee) for entry in off) - sum(
        _planned(plan, made) for plan, made in on.items())


def _cost(spent: Ledger, more: Guarantee, plan: Plan | None) -> Fraction:
    """What one release more adds to what was spent."""
    if plan is None:
        return _spent(more)
    made = spent.drawn()[0].get(plan, 0)
    return _planned(plan, made + 1) - _planned(plan, made)


def _planned(plan: Plan, made: int) -> Fraction:
    """``Plan.cost`` as what was meant."""
    return min(made * _exact(plan.mechanism.epsilon), _exact(plan.epsilon))


def _has_delta(guarantee: Guarantee) -> bool:
    return isinstance(guarantee, ApproximateDP) and guarantee.delta > 0


def _now() -> str:
    return datetime.now(UTC).strftime(releases.TIME)


def _exact(epsilon: float) -> Fraction:
    """The decimal that was meant: 0.1 + 0.2 is 0.3, and three of them are not beyond a budget of 0.3."""
    return Fraction(repr(epsilon))


def _spent(guarantee: Guarantee) -> Fraction:
    return Fraction() if isinstance(guarantee, NotPrivate) else _exact(guarantee.epsilon)


def _printed_below(value: Fraction) -> str:
    """In five digits, rounded down."""
    context = Context(prec=5, rounding=ROUND_FLOOR)
    return f"{float(context.divide(Decimal(value.numerator), Decimal(value.denominator))):g}"
