"""The ledger of releases: what has been promised away about which data, and what that comes to together.

Data are known by random tokens, which tell nothing of the counts; whoever keeps the ledger knows which is which.
"""

from __future__ import annotations

import dataclasses
import json
import math
import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from dpbi import limits
from dpbi.inference.noise_aware import JointPosterior, joint_posterior
from dpbi.mechanisms.guarantee import ApproximateDP, Guarantee, NotPrivate, PureDP
from dpbi.mechanisms.printed_bound import printed_bound
from dpbi.problem.neighbours import RELATION
from dpbi.releases.release import FORMAT as RELEASE_FORMAT
from dpbi.releases.release import Release, check_time, mixture_document, parsed

FORMAT = "dpbi ledger of releases"
_FORMAT_VERSION = 1
_ENTRIES = 10_000
_TEXT = 2_000  # characters
_EPSILON_LARGEST = 2 * limits.EPSILON_LARGEST  # what rounding adds to the largest epsilon included
_ENTRY_FIELDS = ("release", "data", "mechanism", "n", "time", "guarantee")
_KINDS: dict[str, type[Guarantee]] = {kind.__name__: kind for kind in (PureDP, ApproximateDP, NotPrivate)}


def new_token() -> str:
    """A random name for data or for a release: 128 bits of the operating system, which depend on nothing."""
    return secrets.token_hex(16)


@dataclass(frozen=True)
class LedgerEntry:
    """One release. release, data: random tokens, of the release and of the data; mechanism: its label; n, time (UTC);
    guarantee: as the release states it; made: the release itself, where it is known. Validated when made: ValueError.
    """

    release: str
    data: str
    mechanism: str
    n: int
    time: str
    guarantee: Guarantee
    made: Release | None = None

    def __post_init__(self) -> None:
        for name in ("release", "data", "mechanism"):
            limits.check_name(name, getattr(self, name), _TEXT)
        object.__setattr__(self, "n", limits.check_total(self.n))
        check_time(self.time)
        _check(self.guarantee)
        if self.made is not None:
            said = self.made.mechanism.label, self.made.n, self.made.guarantee.words
            if said != (self.mechanism, self.n, self.guarantee.words):
                raise ValueError("An entry of the ledger and what it says was released do not belong together.")

    def document(self) -> dict[str, Any]:
        """What a file holds of it."""
        found = {name: getattr(self, name) for name in _ENTRY_FIELDS[:-1]}
        found["guarantee"] = {"kind": type(self.guarantee).__name__, **dataclasses.asdict(self.guarantee)}
        return found if self.made is None else {**found, "made": self.made.essence()}

    @staticmethod
    def read(item: Any) -> LedgerEntry:
        """The entry of ``document``, its values checked; ValueError for anything else."""
        if not isinstance(item, dict) or not all(name in item for name in _ENTRY_FIELDS):
            raise ValueError(f"A release in the ledger must have {', '.join(_ENTRY_FIELDS)}.")
        guarantee, plain = _guarantee(item["guarantee"]), {name: item[name] for name in _ENTRY_FIELDS[:-1]}
        entry = LedgerEntry(**plain, guarantee=guarantee)
        if "made" not in item:
            return entry
        return dataclasses.replace(entry, made=Release.from_essence(item["made"], entry.n, entry.time))


@dataclass(frozen=True)
class ReadTogether:
    """One posterior from several releases. posterior: None where there is none; used: the releases that go into it;
    left_out: a sentence for each other, which names it; unavailable: why there is no posterior, else empty.
    """

    posterior: JointPosterior | None
    used: tuple[LedgerEntry, ...]
    left_out: tuple[str, ...]
    unavailable: str

    def document(self) -> dict[str, Any]:
        """What a release's file holds of it."""
        said = {"releases": [entry.release for entry in self.used], "left_out": list(self.left_out)}
        if self.posterior is None:
            return {**said, "unavailable": self.unavailable}
        return {**said, **mixture_document(self.posterior)}


@dataclass(frozen=True)
class Total:
    """What several releases of the same data promise together: sums of epsilon and delta over the bounded ones.

    releases: how many; unbounded: how many of them promise nothing, so that nothing is promised of all; claimed: how
    many rest on a claim without a proof.
    """

    releases: int
    epsilon: float
    delta: float
    unbounded: int
    claimed: int

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
class Ledger:
    """The entries, in the order in which they were made or brought."""

    entries: tuple[LedgerEntry, ...] = ()

    def with_entries(self, more: Sequence[LedgerEntry]) -> Ledger:
        """Those of both; a release that is in already, by its token, is not counted again."""
        known = {entry.release for entry in self.entries}
        return Ledger((*self.entries, *(entry for entry in more if entry.release not in known)))

    def of(self, tokens: Collection[str]) -> Ledger:
        """The part about the data that have one of these tokens."""
        return Ledger(tuple(entry for entry in self.entries if entry.data in tokens))

    @property
    def tokens(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(entry.data for entry in self.entries))

    def total(self, *more: Guarantee) -> Total:
        """Sequential composition: what is (epsilon_i, delta_i)-DP each is together (sum epsilon_i, sum delta_i)-DP for
        the same neighbours, also where a later release was chosen after seeing an earlier one.

        All entries count as of the same data: take ``of`` first. more: of releases that are not in yet.
        Source: Dwork and Roth 2014, theorem 3.16; chosen one after the other, Dwork and others 2006, theorem 1.
        """
        every = [*(entry.guarantee for entry in self.entries), *more]
        bounded = [guarantee for guarantee in every if not isinstance(guarantee, NotPrivate)]
        return Total(
            len(every),
            math.fsum(guarantee.epsilon for guarantee in bounded),
            math.fsum(guarantee.delta for guarantee in bounded if isinstance(guarantee, ApproximateDP)),
            len(every) - len(bounded),
            sum(not guarantee.is_private for guarantee in bounded),
        )

    def read_together(self, prior: ArrayLike, n: int) -> ReadTogether:
        """p(theta | r_1, r_2, ...) of all entries, as ``joint_posterior``, those left out that cannot be read with it.

        prior (k,), n: public, those that the reader goes by; an entry of another, or of an older file that does not
        say what was released, is named. Where the joint posterior is refused, the reason is in the result.
        """
        alpha, n = limits.check_prior(prior), limits.check_total(n)
        used: list[tuple[LedgerEntry, Release]] = []
        left_out: list[str] = []
        for entry in self.entries:
            which = f"The release by {entry.mechanism} of {entry.time} is left out:"
            if entry.made is None:
                left_out.append(f"{which} its entry does not say what was released.")
            elif (entry.made.prior, entry.n) != (alpha, n):
                left_out.append(f"{which} it was made under another prior or n.")
            else:
                used.append((entry, entry.made))
        joint, unavailable = None, ""
        try:
            if len(used) > 1:
                joint = joint_posterior(alpha, n, [(made.mechanism, made.released) for _, made in used])
            else:
                unavailable = "Fewer than two releases can be read together."
        except ValueError as refusal:
            unavailable = str(refusal)
        return ReadTogether(joint, tuple(entry for entry, _ in used), tuple(left_out), unavailable)

    def document(self) -> dict[str, Any]:
        """What the file holds: the entries, and the total for each token."""
        totals = {token: self.of([token]).total() for token in self.tokens}
        return {
            "format": FORMAT,
            "format_version": _FORMAT_VERSION,
            "releases": [entry.document() for entry in self.entries],
            "totals": [{"data": token, "words": total.words, **dataclasses.asdict(total)}
                       for token, total in totals.items()],
        }

    def to_json(self) -> str:
        return json.dumps(self.document(), indent=1, ensure_ascii=False, allow_nan=False) + "\n"

    @staticmethod
    def from_json(text: str | bytes) -> Ledger:
        """The ledger of ``to_json``, or that within a release of ``release_json``; totals are summed anew.

        Raises ValueError for anything else. A file proves nothing: it may have been shortened.
        """
        document: Any = parsed(text)
        if document.get("format") == RELEASE_FORMAT:
            document = document.get("ledger")
            if not isinstance(document, dict):
                raise ValueError("This release holds no ledger.")
        if document.get("format") != FORMAT:
            raise ValueError(f"This is no ledger of releases: its format must be {FORMAT!r}, "
                             f"got {limits.shown(document.get('format'))}.")
        if document.get("format_version") != _FORMAT_VERSION:
            raise ValueError(f"The ledger has format version {limits.shown(document.get('format_version'))}; this "
                             f"version of dpbi reads {_FORMAT_VERSION}.")
        listed = document.get("releases")
        if not isinstance(listed, list) or len(listed) > _ENTRIES:
            raise ValueError(f"The ledger's releases must be a list of at most {_ENTRIES:,}.")
        return Ledger().with_entries([LedgerEntry.read(item) for item in listed])


def entry_of(release: Release, data: str) -> LedgerEntry:
    """The entry of a release; data: the token of its data. Its own token is new."""
    return LedgerEntry(new_token(), data, release.mechanism.label, release.n, release.time, release.guarantee,
                       release)


def release_json(
    release: Release, labels: Sequence[str], ledger: Ledger, together: ReadTogether | None = None
) -> str:
    """The release as a JSON file that ``Release.from_json`` reads, with the ledger of its data.

    together: its ``read_together``, where several releases of the data are known.
    """
    document = {**release.document(labels), "ledger": ledger.document()}
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
            known = None if isinstance(one, str) or one is None else one
            low, high = known.interval(0.95, i) if known else (None, None)
            mean = float(known.mean[i]) if known else None
            rows.append({"category": label, "place": place, "mean": mean, "low": low, "high": high})
    return rows


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
