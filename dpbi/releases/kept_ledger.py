"""A ledger that is kept: what may be released about whom, and in which order it is.

The order is what protects: (1) the charge is written, in one change with the look at what is left; (2) the draw is
made; (3) it is written beside its charge; (4) it is returned, to be shown. Whatever ends the process, and wherever, a
release that anyone can have seen has its charge; what can be left behind is a charge without a release, never the other
way round. Where it is kept, and how long, is the matter of ``LedgerFile`` and ``LedgerInMemory``.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, ClassVar

from dpbi.mechanisms.guarantee import Guarantee, NotPrivate
from dpbi.mechanisms.mechanism import Mechanism, check_mechanism
from dpbi.mechanisms.printed_bound import printed_bound
from dpbi.problem.problem import Problem, check_problem
from dpbi.releases import release as releases
from dpbi.releases.ledger import Ledger, LedgerEntry, People, Raised, new_token
from dpbi.releases.release import Release, category_names, guarantee_of_release, parsed

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
        return not self.brought and (self.document is not None or self.entry.made is not None)

    @property
    def broken_off(self) -> bool:
        """A charge without a release: its draw failed or was cut off, or is being made at this moment."""
        return not (self.brought or self.can_be_shown)

    @property
    def whole(self) -> LedgerEntry:
        """The charge with what was released for it. Raises ValueError where the document was damaged."""
        if self.document is None:
            return self.entry
        made, categories = _read(self.document)
        return replace(self.entry, made=made, categories=categories)


@lru_cache(maxsize=32)
def _read(document: str) -> tuple[Release, tuple[str, ...]]:
    """Kept for the next look, as a calibration is checked anew; a document is public, and says the same for ever."""
    return Release.from_json(document), tuple(parsed(document)["categories"])


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

    def entered(self, name: str, budget: float | None) -> "Account":
        """The people get a token when they are first named, and a budget as soon as there is one."""
        people = self.people or People(new_token(), " ".join(name.split()))
        return replace(self, people=replace(people, budget=budget) if people.budget is None else people)

    def brought(self, entries: Sequence[LedgerEntry]) -> "Account":
        """With the entries of another ledger, but for those that are in already, by their tokens."""
        lines = {line.entry.release: line for line in self.lines}
        for entry in entries:
            lines.setdefault(entry.release, KeptRelease(entry, brought=True))
        return replace(self, lines=tuple(lines.values()))

    def released(self, entry: LedgerEntry, made: Release, categories: tuple[str, ...]) -> "Account":
        """With what was drawn beside its charge. Raises ValueError where the charge has gone."""
        if not any(line.broken_off and line.entry == entry for line in self.lines):
            raise ValueError("The charge is no longer in the ledger. The draw is not shown.")
        now = KeptRelease(replace(entry, made=made, categories=categories))
        return replace(self, lines=tuple(now if line.entry == entry else line for line in self.lines))

    def _ledger(self, entries: Sequence[LedgerEntry]) -> Ledger:
        """All under the token that the people have here: entries that were brought had another where they came from."""
        if self.people is None:
            return Ledger()
        return Ledger(tuple(replace(entry, people=self.people.token) for entry in entries), (self.people,))


def of_all(accounts: Sequence[Account]) -> Ledger:
    """Their releases, whole, in one ledger."""
    return Ledger(tuple(entry for one in accounts for entry in one.whole.entries),
                  tuple(one.people for one in accounts if one.people))


class KeptLedger(ABC):
    """A ledger of accounts, each under a name of people; names are told apart as ``folded`` has it.

    epsilon: the budget that people get with their first line, what all releases about them may come to together, None:
    no limit. With one their deltas must be 0: a budget is an epsilon, and a release with a delta is refused.
    People keep the budget they have: another epsilon is refused, but for a larger one with raising, which voids the
    promise that was made, and is recorded.
    proved_only: whether it takes only what is private by theorem or check; of_a_draw: what becomes of a draw.
    Every method raises ValueError, in a sentence, where what keeps it cannot be read or written.
    """

    epsilon: float | None = None
    raising: bool = False
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

    @abstractmethod
    def _change(self, name: str, change: Callable[[Account], Account], outcome: str = "") -> Account:
        """The account as the change leaves it, in one step that excludes every other; outcome: said where it fails."""

    def lost(self, saved: Collection[str]) -> Collection[str]:
        """The tokens of the releases that end with it, but for those that were saved."""
        return ()

    def refusal(self, account: Account, more: Guarantee) -> str:
        """Why a release of this guarantee may not be made about the people of an account; empty where it may."""
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
        total, after = spent.total(), spent.total(more)
        if _spent(more) <= left and not after.delta:
            return ""
        most = f" An epsilon of at most {_printed_below(left)} is left." if left > 0 else " No epsilon is left."
        if total.delta:
            most = " The budget has no delta, so that nothing more may be released about them."
        elif after.delta:
            most = f" The budget is an epsilon: a release with a delta, however small, is refused.{most}"
        return (f"The budget of these people is {printed_bound(budget)}, spent so far: {total.words}. With this "
                f"release of {more.words} it would be {after.words}, beyond the budget. Nothing is released.{most}")

    def raises(self, account: Account, more: Guarantee) -> tuple[float, float] | None:
        """The budget of these people before and after, where a release of this guarantee needs more than they have."""
        held = account.people.budget if account.people else None
        budget = self._budget(held)
        if held is None or budget is None or budget == held or _spent(more) <= _left(held, account.ledger):
            return None
        return held, budget

    def release(
        self, name: str, mechanism: Mechanism, problem: Problem, labels: Sequence[str] | None = None, *,
        question: str = "", version: str | None = None, part: str = "", who: str = "", remark: str = "",
    ) -> tuple[Release, LedgerEntry]:
        """Charges, draws, writes; returns the release, which only then may be shown, and its entry.

        name: of the people; labels: of the categories, public; question, part: what was asked of which of them;
        version: the token of the table, from an earlier entry, None for another table. These are statements: releases
        are read together where they say the same, and nowhere else. who, remark: for the keeper of the ledger.
        The look at the budget and the charge are one change that excludes every other, so no number of people can pass
        the budget together.
        Raises ValueError where the budget, the draw or the ledger refuses; a charge that was made by then stays.
        """
        check_mechanism(mechanism)
        guarantee = guarantee_of_release(mechanism, check_problem(problem).prior, problem.n)
        named = tuple(category_names(labels, problem.k))
        now = datetime.now(UTC).strftime(releases.TIME)
        asked = LedgerEntry(new_token(), new_token(), mechanism.label, problem.n, now, guarantee, None, question,
                            version or "", part, who, remark)
        charged = self._change(name, lambda account: self._charged(account, name, asked), "Nothing was drawn.")
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

    def bring(self, name: str, entries: Sequence[LedgerEntry]) -> None:
        """Counts the entries of another ledger to the people of this name; those that are in already not again."""
        self._change(name, lambda account: account.entered(name, self.epsilon).brought(entries))

    def _charged(self, account: Account, name: str, asked: LedgerEntry) -> Account:
        if refusal := self.refusal(account, asked.guarantee):
            raise ValueError(refusal)
        version = account.ledger.version_of(asked.question, asked.version or None, asked.part)
        people = account.entered(name, self.epsilon).people
        assert people
        if raised := self.raises(account, asked.guarantee):
            people = replace(people, budget=raised[1], raised=(*people.raised, Raised(asked.time, *raised)))
        return Account(people, (*account.lines, KeptRelease(replace(asked, people=people.token, version=version))))

    def _budget(self, held: float | None) -> float | None:
        """What binds a release about people of this budget, by this ledger as it was opened."""
        if held is None or (self.epsilon is not None and self.raising and self.epsilon > held):
            return self.epsilon
        return held


def _another_budget(held: float, asked: float) -> str:
    budget, other = printed_bound(held), printed_bound(asked)
    said = (f"The budget of these people is {budget}, and the app was started with {other}: nothing is released about "
            f"them. Start it with --budget {budget}")
    if asked > held:
        said += ", or with --raise-budget too, which is recorded and voids the promise that was made to them"
    return f"{said}."


def _left(budget: float, spent: Ledger) -> Fraction:
    return _exact(budget) - sum(_spent(entry.guarantee) for entry in spent.entries)


def _exact(epsilon: float) -> Fraction:
    """The decimal that was meant: 0.1 + 0.2 is 0.3, and three of them are not beyond a budget of 0.3."""
    return Fraction(repr(epsilon))


def _spent(guarantee: Guarantee) -> Fraction:
    return Fraction() if isinstance(guarantee, NotPrivate) else _exact(guarantee.epsilon)


def _printed_below(value: Fraction) -> str:
    """In five digits, rounded down."""
    context = Context(prec=5, rounding=ROUND_FLOOR)
    return f"{float(context.divide(Decimal(value.numerator), Decimal(value.denominator))):g}"
