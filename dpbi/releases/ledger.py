"""The ledger of releases: what has been promised away about which people, and what that comes to together.

People and versions of a table are known by random tokens, which tell nothing of the counts. That two releases are of
the same question and the same table is a statement of whoever releases, and nothing else: no file holds anything that
was computed from the counts to find it out, as "did they change" is itself an exact answer about them.
"""

import dataclasses
import json
import re
import secrets
import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from dpbi import limits
from dpbi.inference.count_posterior import Marginal
from dpbi.inference.noise_aware import CountMixture, JointPosterior, joint_posterior
from dpbi.mechanisms.guarantee import ApproximateDP, Basis, Guarantee, NotPrivate, PureDP
from dpbi.mechanisms.printed_bound import added, printed_bound
from dpbi.problem.neighbours import RELATION
from dpbi.releases.plan import Plan
from dpbi.releases.release import (
    FORMAT as RELEASE_FORMAT,
    Release,
    category_names,
    check_format,
    check_time,
    mixture_document,
    parsed,
)

FORMAT = "dpbi ledger of releases"
_FORMAT_VERSION = 3
_FORMAT_VERSIONS = 1, 2, 3  # that can be read: before 3 there was no plan, and nothing was corrected
_ENTRIES = 10_000
NAME_LONGEST = 200  # characters of what people give names to
_TEXT = 2_000
_EPSILON_LARGEST = 2 * limits.EPSILON_LARGEST  # what rounding adds to the largest epsilon included
_BEYOND_CHANCE = 1e-3
_ENTRY_FIELDS = ("release", "people", "mechanism", "n", "time", "guarantee")
# What nobody sees, beside control and format characters: of Unicode's Default_Ignorable_Code_Point, and the empty
# braille cell.
_UNSEEN = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
                     "\U000e0100-\U000e01ef]")
_SAID = ("question", "version", "replaces", "part", "who", "remark", "plan")
_CORRECTIONS = 1_000  # of one entry or name
_Change = TypeVar("_Change", "Raised", "Merged", "Corrected")
_KINDS: dict[str, type[Guarantee]] = {kind.__name__: kind for kind in (PureDP, ApproximateDP, NotPrivate)}
_BASES: tuple[Basis, ...] = ("claim", "exhaustive check", "theorem")  # the weakest first


def new_token() -> str:
    """A random name for people, a version or a release: 128 bits of the operating system, which depend on nothing."""
    return secrets.token_hex(16)


def folded(what: str, name: str) -> str:
    """The name by which things are told apart: trimmed, spaces run together, cases folded, without what nobody sees.

    what: it is a name of, for ValueError where it is empty or too long.
    """
    kept = (c for c in limits.check_name(what, name, NAME_LONGEST)
            if c.isspace() or unicodedata.category(c) not in ("Cc", "Cf"))
    seen = _UNSEEN.sub("", "".join(kept))
    key = " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", seen).casefold()).split())
    if not key:
        raise ValueError(f"{what[0].upper()}{what[1:]} must not be empty.")
    return key


@dataclass(frozen=True)
class Raised:
    """That a budget was given up for a larger one. time: UTC; before, after: epsilons; who: by whom."""

    time: str
    before: float
    after: float
    who: str = ""

    def __post_init__(self) -> None:
        check_time(self.time)
        for name in ("before", "after"):
            object.__setattr__(self, name, limits.check_epsilon(getattr(self, name)))
        limits.check_text("who", self.who, NAME_LONGEST)


    @property
    def words(self) -> str:
        """In a sentence."""
        return (f"Their budget was raised from {printed_bound(self.before)} to {printed_bound(self.after)} on "
                f"{self.time}{_by(self.who)}: {_VOID}.")


@dataclass(frozen=True)
class Merged:
    """What two names that became one did to promises. time: UTC; spent: what all releases under both come to, in words,
    where that is beyond the budget, else empty; budget: that of both then; dropped: how many plans could not have been
    set for both; who: by whom.
    """

    time: str
    spent: str = ""
    budget: float | None = None
    dropped: int = 0
    who: str = ""

    def __post_init__(self) -> None:
        check_time(self.time)
        limits.check_text("spent", self.spent, _TEXT)
        limits.check_text("who", self.who, NAME_LONGEST)
        if self.budget is not None:
            object.__setattr__(self, "budget", limits.check_epsilon(self.budget))
        object.__setattr__(self, "dropped", limits.whole_number("dropped", self.dropped, 0, _CORRECTIONS))

    @property
    def words(self) -> str:
        """In sentences."""
        return self._said(f"Two names became one on {self.time}{_by(self.who)}.", "counts", _VOID)

    @property
    def outlook(self) -> str:
        """The same before it is done."""
        return self._said("Two names would become one.", "would count", _WOULD_VOID)

    def _said(self, what: str, counts: str, void: str) -> str:
        said = [what]
        if self.dropped:
            plans = "A plan" if self.dropped == 1 else f"{self.dropped:,} plans"
            said.append(f"{plans} fixed under one of them could not have been set for both: what drew on it {counts} "
                        "by the plain sum.")
        if self.budget is not None and self.spent:
            said.append(f"All that was released under both comes to {self.spent}, beyond the budget of "
                        f"{printed_bound(self.budget)}: {void}.")
        return " ".join(said)


_VOID = "what was promised to them before does not hold any longer"
_WOULD_VOID = "what was promised to them before would not hold any longer"


def _by(who: str) -> str:
    return f" by {who}" if who else ""


@dataclass(frozen=True)
class Corrected:
    """That something that was said is said otherwise now. time: UTC; what: the name, question, version, replaces,
    remark or cost; before, after: it said; who: by whom.
    """

    time: str
    what: str
    before: str
    after: str
    who: str = ""

    def __post_init__(self) -> None:
        check_time(self.time)
        limits.one_of("what was corrected", self.what, _CORRECTABLE)
        for name in ("before", "after"):
            limits.check_text(f"the {self.what}", getattr(self, name), _TEXT)
        limits.check_text("who", self.who, NAME_LONGEST)

    @property
    def words(self) -> str:
        """In a sentence."""
        by = _by(self.who)
        if self.what == "version":
            return f"{self.time}{by}: which version of the table it is of was corrected."
        if self.what == "replaces":
            return f"{self.time}{by}: which version of the table it is to be used in place of was corrected."
        if self.what == "cost":
            return (f"{self.time}{by}: two ledgers said that it cost {self.before} and {self.after}. The larger "
                    "counts.")
        return f"{self.time}{by}: the {self.what} was {limits.shown(self.before)}."


_STATED = ("question", "version", "replaces")
_CORRECTABLE = ("name", "question", "version", "replaces", "remark", "cost")


@dataclass(frozen=True)
class People:
    """Those whose privacy a budget is about. Validated when made: ValueError.

    token: random; name: as whoever releases calls them; budget: what all releases about them may come to, an epsilon,
    None where none was set; raised: the changes of it, the oldest first; plans: of releases about them; renamed: what
    they were called before; merged: what became of promises when two names became one.
    """

    token: str
    name: str
    budget: float | None = None
    raised: tuple[Raised, ...] = ()
    plans: tuple[Plan, ...] = ()
    renamed: tuple[Corrected, ...] = ()
    merged: tuple[Merged, ...] = ()

    def __post_init__(self) -> None:
        limits.check_name("people", self.token, _TEXT)
        folded("the name of the people", self.name)
        for name in ("raised", "plans", "renamed", "merged"):
            _check_history(getattr(self, name))
        if self.budget is not None:
            object.__setattr__(self, "budget", limits.check_epsilon(self.budget))

    @property
    def broken(self) -> tuple[str, ...]:
        """What became of promises that were made to them before, the oldest first, a sentence for each."""
        every: tuple[Raised | Merged, ...] = (*self.raised, *self.merged)
        return tuple(one.words for one in sorted(every, key=lambda one: one.time))

    @property
    def promise(self) -> str:
        """The budget in a sentence, with the delta of a plan that is in force; empty where there is none."""
        if self.budget is None:
            return ""
        delta = added(plan.delta for plan in self.plans)
        if not delta:
            return f"The budget of these people is epsilon {printed_bound(self.budget)}."
        return (f"The budget of these people is epsilon {printed_bound(self.budget)} with the delta of the plan that "
                f"was set before their first release, {printed_bound(delta)}: all releases about them together are to "
                f"be ({printed_bound(self.budget)}, {printed_bound(delta)})-DP.")

    def document(self) -> dict[str, Any]:
        """What a file holds of them."""
        return {"token": self.token, "name": self.name, "budget": self.budget,
                "raised": [dataclasses.asdict(one) for one in self.raised],
                "plans": [one.document() for one in self.plans],
                "renamed": [dataclasses.asdict(one) for one in self.renamed],
                "merged": [dataclasses.asdict(one) for one in self.merged]}

    @property
    def public(self) -> "People":
        """Without who set or changed what, and what they were called by mistake."""
        return replace(self, raised=tuple(replace(one, who="") for one in self.raised),
                       plans=tuple(replace(one, who="") for one in self.plans), renamed=(),
                       merged=tuple(replace(one, who="") for one in self.merged))

    @staticmethod
    def read(item: Any) -> "People":
        """Those of ``document``; ValueError for anything else."""
        if not isinstance(item, dict) or "raised" not in item:
            raise ValueError("People in the ledger must have token, name, budget, raised.")
        plans = item.get("plans", [])
        if not isinstance(plans, list):
            raise ValueError(f"The plans of people in the ledger must be a list: got {limits.shown(plans)}.")
        _check_history(plans)
        found = People(item.get("token"), item.get("name"), item.get("budget"),  # type: ignore[arg-type]
                       _history(Raised, item["raised"]), tuple(map(Plan.read, plans)),
                       _history(Corrected, item.get("renamed", [])), _history(Merged, item.get("merged", [])))
        if len({one.token for one in found.plans}) < len(found.plans):
            raise ValueError("People in the ledger have the same plan twice.")
        return found


def _check_history(changes: Sequence[Any]) -> None:
    """ValueError for more than a file is read with."""
    if len(changes) > _CORRECTIONS:
        raise ValueError(f"At most {_CORRECTIONS:,} changes are kept of one thing in the ledger: this is one more.")


def _history(kind: type[_Change], listed: Any) -> tuple[_Change, ...]:
    """What was changed, the oldest first, as a file has it; who did it is not in older ones."""
    fields = [field.name for field in dataclasses.fields(kind)]
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        raise ValueError(f"What was changed in the ledger must be a list of {', '.join(fields)} each.")
    _check_history(listed)
    return tuple(kind(**{name: one.get(name, "" if name == "who" else None) for name in fields}) for one in listed)


@dataclass(frozen=True)
class LedgerEntry:
    """One release. Validated when made: ValueError.

    release, people: random tokens; mechanism: its label; n, time (UTC); guarantee: as the release states it; made: the
    release itself, where it is known.
    categories: their names, (k,), where they are known.
    question: what was asked, and version: the token of the table, both as stated by whoever released, empty where
    nothing was; replaces: the token of the version that it was stated to correct, empty for none; part: of the people,
    empty for all; who: released it; remark: for the keeper of the ledger; plan: the token of that which it draws on,
    empty for none; corrected: what was said of it before, the oldest first.
    """

    release: str
    people: str
    mechanism: str
    n: int
    time: str
    guarantee: Guarantee
    made: Release | None = None
    question: str = ""
    version: str = ""
    part: str = ""
    who: str = ""
    remark: str = ""
    categories: tuple[str, ...] = ()
    plan: str = ""
    corrected: tuple[Corrected, ...] = ()
    replaces: str = ""

    def __post_init__(self) -> None:
        for name in ("release", "people", "mechanism"):
            limits.check_name(name, getattr(self, name), _TEXT)
        for name in _SAID:
            limits.check_text(name, getattr(self, name), _TEXT if name == "remark" else NAME_LONGEST)
        object.__setattr__(self, "n", limits.check_total(self.n))
        check_time(self.time)
        if self.question:
            folded("the question", self.question)
        _check(self.guarantee)
        _check_history(self.corrected)
        if self.made is not None:
            said = self.made.mechanism.label, self.made.n, self.made.guarantee.words
            if said != (self.mechanism, self.n, self.guarantee.words):
                raise ValueError("An entry of the ledger and what it says was released do not belong together.")
            if self.categories:
                category_names(self.categories, len(self.made.prior))

    @property
    def table(self) -> tuple[str, str, str] | None:
        """Equal where releases were stated to be of the same question and version; None where nothing was stated."""
        if not (self.question and self.version):
            return None
        return folded("the question", self.question), self.part, self.version

    def keeps(self, plan: Plan) -> bool:
        """Whether it is a release of the plan, as far as the entry says what it is."""
        if self.made is not None and not plan.covers(self.made.mechanism, len(self.made.prior), self.made.n):
            return False
        said = self.plan, self.mechanism, self.n
        return said == (plan.token, plan.mechanism.label, plan.n) and isinstance(self.guarantee, PureDP) and (
            self.guarantee.is_private and self.guarantee.epsilon == plan.mechanism.epsilon)

    def document(self) -> dict[str, Any]:
        """What a file holds of it."""
        found = {name: getattr(self, name) for name in (*_ENTRY_FIELDS[:-1], *_SAID)}
        found["guarantee"] = {"kind": type(self.guarantee).__name__, **dataclasses.asdict(self.guarantee)}
        found["corrected"] = [dataclasses.asdict(one) for one in self.corrected]
        if self.made is None:
            return found
        return {**found, "made": {**self.made.essence(), "categories": list(self.categories)}}

    @staticmethod
    def read(item: Any) -> "LedgerEntry":
        """The entry of ``document``, its values checked; ValueError for anything else. Version 1 called people data."""
        if isinstance(item, dict) and "data" in item and "people" not in item:
            item = {**{name: value for name, value in item.items() if name not in _SAID}, "people": item["data"]}
        if not isinstance(item, dict) or not all(name in item for name in _ENTRY_FIELDS):
            raise ValueError(f"A release in the ledger must have {', '.join(_ENTRY_FIELDS)}.")
        plain = {name: item[name] for name in _ENTRY_FIELDS[:-1]} | {name: item.get(name, "") for name in _SAID}
        entry = LedgerEntry(**plain, guarantee=_guarantee(item["guarantee"]),
                            corrected=_history(Corrected, item.get("corrected", [])))
        if "made" not in item:
            return entry
        made = Release.from_essence(item["made"], entry.n, entry.time)
        if not isinstance(named := item["made"].get("categories", []), list):
            raise ValueError(f"The categories of a release in the ledger must be a list: got {limits.shown(named)}.")
        return replace(entry, made=made, categories=tuple(named))


@dataclass(frozen=True)
class ReadTogether:
    """One posterior from several releases that were stated to be of the same question and version of the table.

    posterior: None where there is none; used: the releases that go into it; left_out: a sentence for each other of the
    same, which names it; unavailable: why there is no posterior, else empty; contradiction: a sentence where the
    releases contradict each other beyond chance, else empty; total: what those that are used come to.
    """

    posterior: JointPosterior | None
    used: tuple[LedgerEntry, ...]
    left_out: tuple[str, ...]
    unavailable: str
    contradiction: str
    total: "Total"

    @property
    def stamp(self) -> str:
        """Those of the releases that go into it: what comes of one that is not private is not private either."""
        return " ".join(dict.fromkeys(entry.made.stamp for entry in self.used if entry.made and entry.made.stamp))

    @property
    def promise(self) -> str:
        """What is promised of all that go into it."""
        return f"All of them together promise {self.total.words}."

    def document(self) -> dict[str, Any]:
        """What a release's file holds of it."""
        said = {"releases": [entry.release for entry in self.used], "left_out": list(self.left_out),
                "stated": STATED, "stamp": self.stamp, "promise": self.promise, "contradiction": self.contradiction}
        return {**said, **mixture_document(self.posterior or self.unavailable)}


STATED = "That they are of the same question and the same table is stated by whoever released them; no file shows it."


@dataclass(frozen=True)
class Total:
    """What several releases of the same data promise together: sums of epsilon and delta over the bounded ones.

    releases: how many; unbounded: how many of them promise nothing, so that nothing is promised of all; claimed: how
    many rest on a claim without a proof; composed: what is said of each plan that releases draw on; planned: how many
    do.
    """

    releases: int
    epsilon: float
    delta: float
    unbounded: int
    claimed: int
    composed: tuple[str, ...] = ()
    planned: int = 0

    @property
    def composition(self) -> str:
        """Which composition was used, in sentences; empty where there is nothing to compose."""
        if not self.composed:
            return ("Their losses are added up, the plain sum, which holds whatever was chosen after seeing what."
                    if self.releases > 1 else "")
        draw = "draws" if self.planned == 1 else "draw"
        said = (f"{self.planned:,} of {self.releases:,} {draw} on {'a plan' if len(self.composed) == 1 else 'plans'} "
                f"fixed beforehand: {' '.join(self.composed)}")
        return f"{said} What is off the plan is added, the plain sum." if self.planned < self.releases else said

    @property
    def words(self) -> str:
        """The sum in words, with what must not be overlooked about it."""
        if not self.releases:
            return "nothing"
        epsilon = printed_bound(self.epsilon)
        said = f"({epsilon}, {printed_bound(self.delta)})-DP" if self.delta else f"{epsilon}-DP"
        if self.unbounded == self.releases:
            return "no bound at all: not private"
        if self.unbounded:
            said = f"no bound at all: {self.unbounded} not private, {said} without"
        return f"{said}, {self.claimed} of {self.releases} only claimed" if self.claimed else said


@dataclass(frozen=True)
class Standing:
    """people: None where the ledger has no name of them; version: which of how many versions of the question's table,
    from 1, None where nothing was stated; total: what all releases about the people come to; corrects: which version it
    was stated to correct, and corrected: which is to be used in its place, None where that was not stated.
    """

    people: People | None
    question: str
    version: int | None
    versions: int
    total: Total
    corrects: int | None = None
    corrected: int | None = None

    @property
    def words(self) -> tuple[str, ...]:
        """What was asked of whom and which version it is of, a sentence each."""
        named = (("Question", self.question), ("People", self.people.name if self.people else ""))
        return *(f"{name}, as stated with the release: {value}" for name, value in named if value), *self.places

    @property
    def places(self) -> tuple[str, ...]:
        """Which version of the table it is of, a sentence where there are several."""
        if self.corrected:
            return (f"This is version {self.version} of the table. It was stated to be corrected by version "
                    f"{self.corrected}: use that.",)
        if self.corrects:
            return (f"This is version {self.version} of the table, which was stated to correct version "
                    f"{self.corrects}: use it in place of that.",)
        if self.versions > 1:
            return (f"{self.versions:,} tables of this question were released; this is number {self.version}.",)
        return ()

    @property
    def cost(self) -> tuple[str, ...]:
        """What all releases about the people promise together, and what became of their budget."""
        times = "1 release" if self.total.releases == 1 else f"{self.total.releases:,} releases"
        said = f"The ledger knows of {times} about these people; together: {self.total.words}."
        of = (self.people.promise, *self.people.broken) if self.people else ()
        return said, *filter(None, (self.total.composition, *of))


@dataclass(frozen=True)
class Ledger:
    """The entries, in the order in which they were made or brought; people: those of them that are known by name."""

    entries: tuple[LedgerEntry, ...] = ()
    people: tuple[People, ...] = ()

    def with_entries(self, more: Sequence[LedgerEntry]) -> "Ledger":
        """Those of both; a release that is in already, by its token and its people, is not counted again.

        Raises ValueError where two entries of a release contradict each other.
        """
        known: dict[tuple[str, str], LedgerEntry] = {}
        for entry in (*self.entries, *more):
            held = known.setdefault(key := (entry.people, entry.release), entry)
            if not same_cost(held.guarantee, entry.guarantee):
                raise ValueError(f"The ledger says twice what the release of {entry.time} cost: {held.guarantee.words} "
                                 f"and {entry.guarantee.words}. It was changed.")
            known[key] = completed(held, entry)
        return replace(self, entries=tuple(known.values()))

    def of(self, tokens: Collection[str]) -> "Ledger":
        """The part about the people that have one of these tokens."""
        return Ledger(tuple(entry for entry in self.entries if entry.people in tokens),
                      tuple(one for one in self.people if one.token in tokens))

    @property
    def tokens(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(entry.people for entry in self.entries))

    def name_of(self, token: str) -> str:
        """What the people are called, empty where that is not known."""
        return next((one.name for one in self.people if one.token == token), "")

    def versions(self, question: str, part: str = "") -> tuple[str, ...]:
        """The tokens of the versions of a question's table, the oldest first; none for a question that is new."""
        return tuple(dict.fromkeys(entry.version for entry in self.asked(question, part)))

    def asked(self, question: str, part: str = "") -> tuple[LedgerEntry, ...]:
        """The releases of a question, by their times: one that was brought may be older than those that were here."""
        key = folded("the question", question), part
        found = [entry for entry in self.entries if entry.table and entry.table[:2] == key]
        return tuple(sorted(found, key=lambda entry: entry.time))

    def place(self, entry: LedgerEntry) -> int | None:
        """Which version of its question's table an entry is of, from 1; None where nothing was stated."""
        return self.versions(entry.question, entry.part).index(entry.version) + 1 if entry.table else None

    def places(self) -> list[tuple[int, int] | None]:
        """Of each entry which version of its question's table it is of, from 1, of how many; as ``place``."""
        tables = [entry.table and (entry.people, *entry.table) for entry in self.entries]
        versions: dict[tuple[str, ...], dict[str, int]] = {}
        for table, _ in sorted(zip(tables, self.entries, strict=True), key=lambda pair: pair[1].time):
            if table:
                known = versions.setdefault(table[:-1], {})
                known.setdefault(table[-1], len(known) + 1)
        return [(versions[table[:-1]][table[-1]], len(versions[table[:-1]])) if table else None for table in tables]

    def standing(self, entry: LedgerEntry) -> Standing:
        """How a release stands among all that the ledger knows about its people, by what was stated."""
        of = self.of([entry.people])
        versions = of.versions(entry.question, entry.part) if entry.table else ()
        places = {version: place for place, version in enumerate(versions, 1)}
        return Standing(next((one.public for one in of.people), None), entry.question, of.place(entry), len(versions),
                        of.total(), places.get(entry.replaces) if entry.replaces != entry.version else None,
                        places.get(of.newest(entry.version)) if of.newest(entry.version) != entry.version else None)

    @cached_property
    def superseded(self) -> Mapping[str, str]:
        """The token of the version that was stated to correct a version, the last that was, by its token; of others
        nothing was stated, however new they are.
        """
        return {one.replaces: one.version for one in sorted(self.entries, key=lambda one: one.time)
                if one.replaces and one.replaces != one.version}

    def newest(self, version: str) -> str:
        """The version to be used in place of one: what corrects it, and what corrects that; itself where nothing does.
        """
        seen: set[str] = set()
        while version in self.superseded and version not in seen:
            seen.add(version)
            version = self.superseded[version]
        return version

    def version_of(self, question: str, version: str | None, part: str = "") -> str:
        """The token of a release's version. version: that of an earlier release of the same table, None for another
        table: the first one, or a corrected one.

        Empty where no question is stated. ValueError where the question has no such version.
        """
        if version is None:
            return new_token() if question else ""
        if not question or version not in self.versions(question, part):
            raise ValueError("No release of this question by that version of its table is in the ledger.")
        return version

    def check_stated(self, entry: LedgerEntry) -> None:
        """ValueError where an entry cannot be of the table that it is stated to be of: another n, or other names."""
        for one in self.entries:
            if one.release == entry.release or one.table is None or one.table != entry.table:
                continue
            if one.n != entry.n or (one.categories and entry.categories and one.categories != entry.categories):
                raise ValueError("This release cannot be of the same table as another of that version: it has another "
                                 "n, or other names of the categories.")

    def published(self, entry: LedgerEntry) -> "Ledger":
        """What goes out with a release: the charges, and what was released only of its own table; who released, and
        the remarks, stay with the ledger.
        """
        own = {one.release for one in self.entries if one.table and one.table == entry.table} | {entry.release}
        unknown: dict[str, Any] = {"made": None, "categories": ()}
        return replace(self, people=tuple(one.public for one in self.people), entries=tuple(
            replace(one, who="", remark="", corrected=(), **({} if one.release in own else unknown))
            for one in self.entries))

    def drawn(self) -> tuple[dict[Plan, int], list[LedgerEntry]]:
        """The plans that releases draw on, with how many do, and the entries that draw on none: also what does not
        match its plan, or is beyond the number of releases in it, as a ledger put together from several may hold.
        """
        plans = {(people.token, plan.token): plan for people in self.people for plan in people.plans}
        on: dict[Plan, int] = {}
        off: list[LedgerEntry] = []
        for entry in self.entries:
            plan = plans.get((entry.people, entry.plan))
            if plan and entry.keeps(plan) and on.get(plan, 0) < plan.number:
                on[plan] = on.get(plan, 0) + 1
            else:
                off.append(entry)
        return on, off

    def total(self, *more: Guarantee, plan: Plan | None = None) -> Total:
        """Sequential composition: what is (epsilon_i, delta_i)-DP each is together (sum epsilon_i, sum delta_i)-DP for
        the same neighbours, also where a later release was chosen after seeing an earlier one.

        The releases of a plan count as ``Plan.cost`` has it.
        All entries count as of the same data: take ``of`` first. more: of releases that are not in yet; plan: which
        they draw on, None for none.
        Source: Dwork and Roth 2014, theorem 3.16; chosen one after the other, Dwork and others 2006, theorem 1.
        """
        on, off = self.drawn()
        if plan and more:
            on[plan] = on.get(plan, 0) + len(more)
        every = [*(entry.guarantee for entry in off), *(() if plan else more)]
        bounded = [guarantee for guarantee in every if not isinstance(guarantee, NotPrivate)]
        planned = [one.cost(made) for one, made in on.items()]
        deltas = [guarantee.delta for guarantee in bounded if isinstance(guarantee, ApproximateDP)]
        return Total(
            len(self.entries) + len(more),
            added([*(guarantee.epsilon for guarantee in bounded), *(epsilon for epsilon, _ in planned)]),
            added([*deltas, *(delta for _, delta in planned)]),
            len(every) - len(bounded),
            sum(not guarantee.is_private for guarantee in bounded),
            tuple(one.counted(made) for one, made in on.items()),
            sum(on.values()),
        )

    def read_together(self, entry: LedgerEntry) -> ReadTogether | None:
        """p(theta | r_1, r_2, ...), as ``joint_posterior``, of all that were stated to be of the entry's own table, of
        the same people; equal tokens are one release.

        Returns None where there is no other. One that was made under another prior or n, names other categories or
        another order of them, or does not say what was released, is left out and named. Where the joint posterior is
        refused, the reason is in the result.
        Contradicting each other is said of intervals for a count that have no number in common: each interval holds
        the count but for a probability of 0.001 / (k m) under the prior, k categories, m releases, so that releases of
        the same counts are said to do so at most once in 1,000 times. Source: ours, the union bound.
        """
        same = list({one.release: one for one in self.entries
                     if one.table and (one.people, one.table) == (entry.people, entry.table)}.values())
        held = next((one for one in same if one.release == entry.release and one.made), entry)
        own = held.made
        if own is None or len(same) < 2:
            return None
        used: list[tuple[LedgerEntry, Release]] = []
        left_out: list[str] = []
        for one in same:
            which = f"The release by {one.mechanism} of {one.time} is left out:"
            if one.made is None:
                left_out.append(f"{which} its entry does not say what was released.")
            elif (one.made.prior, one.n) != (own.prior, own.n):
                left_out.append(f"{which} it was made under another prior or n.")
            elif one.categories != held.categories:
                left_out.append(f"{which} it names other categories, or names them in another order.")
            else:
                used.append((one, one.made))
        joint, unavailable = None, "Fewer than two releases can be read together."
        if len(used) > 1:
            try:
                pairs = [(made.mechanism, made.released) for _, made in used]
                joint, unavailable = joint_posterior(own.prior, own.n, pairs), ""
            except ValueError as refusal:
                unavailable = str(refusal)
        entries = tuple(one for one, _ in used)
        return ReadTogether(joint, entries, tuple(left_out), unavailable,
                            contradiction([made for _, made in used], held.categories),
                            replace(self, entries=entries).total())

    def document(self) -> dict[str, Any]:
        """What the file holds: the people with what all releases about them come to, and the entries."""
        known = {one.token: one for one in self.people}
        return {
            "format": FORMAT,
            "format_version": _FORMAT_VERSION,
            "people": [{**(known[token].document() if token in known else {"token": token}),
                        **dataclasses.asdict(total := self.of([token]).total()), "words": total.words,
                       "composition": total.composition}
                       for token in dict.fromkeys([*known, *self.tokens])],
            "releases": [entry.document() for entry in self.entries],
        }

    def to_json(self) -> str:
        return json.dumps(self.document(), indent=1, ensure_ascii=False, allow_nan=False) + "\n"

    @staticmethod
    def from_json(text: str | bytes) -> "Ledger":
        """The ledger of ``to_json``, or that within a release of ``release_json``; totals are summed anew.

        Raises ValueError for anything else. A file proves nothing: it may have been shortened.
        """
        return ledger_of(parsed(text))


def ledger_of(file: Mapping[str, Any]) -> Ledger:
    """The ledger of a parsed file, as ``Ledger.from_json``."""
    document: Any = file.get("ledger") if file.get("format") == RELEASE_FORMAT else file
    if not isinstance(document, dict):
        raise ValueError("This release holds no ledger.")
    check_format("ledger of releases", FORMAT, _FORMAT_VERSIONS, document)
    listed: Any = document.get("releases")
    people: Any = document.get("people", [])
    for name, value in (("releases", listed), ("people", people)):
        if not isinstance(value, list) or len(value) > _ENTRIES:
            raise ValueError(f"The ledger's {name} must be a list of at most {_ENTRIES:,}.")
    named = tuple(People.read(item) for item in people if not isinstance(item, dict) or "name" in item)
    if len({one.token for one in named}) < len(named):
        raise ValueError("The ledger names the same people twice.")
    return Ledger((), named).with_entries([LedgerEntry.read(item) for item in listed])


def completed(held: LedgerEntry, other: LedgerEntry) -> LedgerEntry:
    """One entry of two of the same release: what was released and what was stated is filled in where one does not say
    it, of what was corrected the later word counts. The cost is never less than either says: the larger epsilon and
    delta on the weaker basis; where that is more than what was released cost, only the charge is left.

    Raises ValueError where they contradict each other in anything else.
    """
    for name in ("release", "mechanism", "n", "time", "part"):
        _check_agrees(held, other, name)
    if held.made and other.made:
        _check_agrees(held, other, "made")
    if held.categories and other.categories:
        _check_agrees(held, other, "categories")
    later, earlier = (other, held) if len(other.corrected) > len(held.corrected) else (held, other)
    for name in _STATED:
        was = {one.before for one in later.corrected if one.what == name}
        if getattr(held, name) and getattr(other, name) and getattr(earlier, name) not in was:
            _check_agrees(held, other, name)
    guarantee = weaker(held.guarantee, other.guarantee)
    known = next((one for one in (held, other) if one.made and same_cost(one.guarantee, guarantee)), None)
    said = {name: getattr(later, name) or getattr(earlier, name) for name in (*_STATED, "who", "remark")}
    found = replace(held, **said, corrected=later.corrected, plan=held.plan if held.plan == other.plan else "",
                    guarantee=known.guarantee if known else guarantee, made=known.made if known else None,
                    categories=held.categories or other.categories if known else ())
    return held if found == held else found


def _check_agrees(one: LedgerEntry, two: LedgerEntry, name: str) -> None:
    """ValueError where two entries of a release say different things."""
    if (here := getattr(one, name)) == (there := getattr(two, name)):
        return
    what = "the released counts" if name == "made" else f"the {name}"
    shown = f"{limits.shown(here)} and {limits.shown(there)}" if name in ("mechanism", "n", "time", "question") else ""
    said = f"{what}: {shown}" if shown else what
    raise ValueError(f"Two ledgers contradict each other about the release by {one.mechanism} of {one.time}, in "
                     f"{said}. One of them was changed, or is older than a correction: bring the ledger (JSON) that "
                     "holds the correction, or correct it here first.")


def same_cost(one: Guarantee, two: Guarantee) -> bool:
    """Whether they are the same but for the words of their reasons."""
    return type(one) is type(two) and replace(one, reason=two.reason) == two


def weaker(one: Guarantee, two: Guarantee) -> Guarantee:
    """What holds if either does: the larger epsilon and delta, on the weaker basis; nothing where one promises nothing.
    """
    if isinstance(one, NotPrivate) or isinstance(two, NotPrivate) or same_cost(one, two):
        return two if isinstance(two, NotPrivate) and not isinstance(one, NotPrivate) else one
    delta = max(it.delta if isinstance(it, ApproximateDP) else 0.0 for it in (one, two))
    larger = max(one, two, key=lambda it: it.epsilon)
    basis = min(one.basis, two.basis, key=_BASES.index)
    found: Guarantee = PureDP(larger.epsilon, basis, larger.reason)
    if delta:
        found = ApproximateDP(larger.epsilon, delta, basis, larger.reason)
    return next((it for it in (one, two) if same_cost(it, found)), found)


def release_json(
    entry: LedgerEntry, labels: Sequence[str], ledger: Ledger, together: ReadTogether | None = None
) -> str:
    """A release as a JSON file that ``Release.from_json`` reads, with what it is of and the ledger of its people.

    entry: with what was released (``made``); ledger: of its people; together: its ``read_together``.
    Raises ValueError for an entry that does not say what was released.
    """
    if entry.made is None:
        raise ValueError("The entry does not say what was released.")
    standing = ledger.standing(entry)
    document = {
        **entry.made.document(labels),
        "subject": {"people": ledger.name_of(entry.people), "question": entry.question, "part": entry.part,
                    "version": entry.version, "version_number": standing.version, "versions": standing.versions},
        "ledger": ledger.published(entry).document(),
    }
    if together is not None:
        document["all_releases_together"] = together.document()
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def together_table(found: ReadTogether, labels: Sequence[str]) -> list[dict[str, Any]]:
    """For each category a row for every release read by itself, and one for all read together; the last has no place.

    labels: of the categories. Rows hold category, place (from 1, None for all), mean and the ends low, high of the
    95 % interval; those of a release that cannot be read by itself are None. Empty without a joint posterior.
    """
    rows: list[dict[str, Any]] = []
    singles = [entry.made.noise_aware if entry.made else "" for entry in found.used]
    for i, label in enumerate(labels if found.posterior else ()):
        for place, one in [*enumerate(singles, 1), (None, found.posterior)]:
            rows.append({"category": label, "place": place, **mean_and_interval(one, i)})
    return rows


def mean_and_interval(posterior: CountMixture | str | None, category: int) -> dict[str, float | None]:
    """The mean of a category's share and the ends low, high of its 95 % interval; None where there is no posterior."""
    if not isinstance(posterior, CountMixture):
        return dict.fromkeys(("mean", "low", "high"))
    low, high = posterior.interval(0.95, category)
    return {"mean": float(posterior.mean[category]), "low": low, "high": high}


def contradiction(made: Sequence[Release], categories: Sequence[str] = (), tables: int = 1) -> str:
    """The sentence for the category whose intervals lie farthest apart; empty where all have a number in common.

    tables: how many are looked at, of all of which the chance of a false alarm is that of one.
    """
    known = [one.noise_aware for one in made if isinstance(one.noise_aware, CountMixture)]
    if len(known) < 2:
        return ""
    outside = _BEYOND_CHANCE / (tables * len(known) * len(made[0].prior))
    ends: NDArray[np.int64] = np.array(
        [[_count_interval(marginal, outside) for marginal in one.marginals] for one in known])
    gaps = ends[..., 0].max(axis=0) - ends[..., 1].min(axis=0)
    category = int(gaps.argmax())
    if gaps[category] <= 0:
        return ""
    high, low = ends[ends[:, category, 0].argmax(), category], ends[ends[:, category, 1].argmin(), category]
    named = limits.shown(categories[category]) if categories else f"category {category + 1}"
    return (f"They contradict each other beyond chance: of {named}, one says {low[0]:,} to {low[1]:,} "
            f"records and another {high[0]:,} to {high[1]:,}. Where the prior holds, releases of one table do so at "
            f"most once in {1 / _BEYOND_CHANCE:,.0f} times: they are hardly of the same table.")


def _count_interval(marginal: Marginal, outside: float) -> tuple[int, int]:
    """The least and the largest count, outside of which lies at most this probability."""
    below = np.cumsum(marginal.probability) > outside / 2
    above = np.cumsum(marginal.probability[::-1]) > outside / 2
    return marginal.first + int(below.argmax()), marginal.first + marginal.probability.size - 1 - int(above.argmax())


def _guarantee(recorded: Any) -> Guarantee:
    """As the file has it, its values still to be checked."""
    name = recorded.get("kind") if isinstance(recorded, Mapping) else None
    if not isinstance(name, str) or name not in _KINDS:
        raise ValueError(f"A guarantee in the ledger must be one of {', '.join(_KINDS)}: got "
                         f"{limits.shown(recorded if name is None else name)}.")
    return _KINDS[name](**{field.name: recorded.get(field.name) for field in dataclasses.fields(_KINDS[name])})


def _check(guarantee: Guarantee) -> None:
    """ValueError unless it can be added up with others; its values were checked when it was made."""
    if not isinstance(guarantee, tuple(_KINDS.values())):
        raise ValueError(f"guarantee must be one of {', '.join(_KINDS)}: got {limits.shown(guarantee)}.")
    if guarantee.neighbours != RELATION:
        raise ValueError(f"A guarantee in the ledger must be for these neighbours: {RELATION}; others do not add up.")
    if not isinstance(guarantee, NotPrivate):
        limits.between("epsilon", guarantee.epsilon, 0.0, _EPSILON_LARGEST)
