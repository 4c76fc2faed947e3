"""A ledger that ends with its owner: the same questions and answers as ``LedgerFile``, and nothing that lasts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from dpbi.mechanisms.guarantee import Guarantee
from dpbi.mechanisms.mechanism import Mechanism
from dpbi.problem.problem import Problem
from dpbi.releases import release as releases
from dpbi.releases.ledger import Ledger, LedgerEntry, People, entry_of, folded, new_token
from dpbi.releases.ledger_file import WHOSE
from dpbi.releases.release import Release, category_names


@dataclass(frozen=True)
class HeldRelease:
    """One line. entry: with what was released; labels: of the categories; brought: whether from another ledger."""

    entry: LedgerEntry
    labels: tuple[str, ...]
    brought: bool
    broken_off: ClassVar[bool] = False

    @property
    def document(self) -> Release | None:
        """What can be shown of it: nothing of what was brought, whose categories have no names."""
        return None if self.brought else self.entry.made

    def read(self) -> tuple[Release, tuple[str, ...]]:
        """The release and its categories' names. Raises ValueError where there is none."""
        if self.document is None:
            raise ValueError("The ledger holds no release of this charge.")
        return self.document, self.labels


@dataclass
class LedgerInMemory:
    """A ledger without a file and without a budget. People are told apart as in ``LedgerFile``."""

    _people: dict[str, People] = field(default_factory=dict)
    _lines: dict[str, list[HeldRelease]] = field(default_factory=dict)
    lasts: ClassVar[bool] = False

    @property
    def names(self) -> tuple[str, ...]:
        """Of the people in it, as they were first given."""
        return tuple(self._people[key].name for key in sorted(self._people))

    @property
    def changes(self) -> int:
        """What differs after every change."""
        return sum(map(len, self._lines.values()))

    def people(self, name: str) -> People | None:
        """Those of this name; None where the ledger does not know them."""
        return self._people.get(folded(WHOSE, name))

    def of(self, name: str) -> tuple[HeldRelease, ...]:
        """The releases about the people of this name, in their order."""
        return tuple(self._lines.get(folded(WHOSE, name), ()))

    def ledger(self, name: str) -> Ledger:
        """Their charges, each with what was released for it."""
        people = self.people(name)
        return Ledger(tuple(one.entry for one in self.of(name)), (people,)) if people else Ledger()

    whole = ledger

    def everything(self) -> Ledger:
        """All that it holds, about whomever."""
        return Ledger(tuple(one.entry for name in self.names for one in self.of(name)), tuple(self._people.values()))

    def refusal(self, name: str, guarantee: Guarantee) -> str:
        """Empty: whoever keeps it may release anything, stamped."""
        return ""

    def raises(self, name: str, guarantee: Guarantee) -> str:
        """Empty: there is no budget."""
        return ""

    def release(
        self, name: str, mechanism: Mechanism, problem: Problem, labels: Sequence[str] | None = None, *,
        question: str = "", version: str | None = None,
    ) -> tuple[Release, LedgerEntry]:
        """Draws and keeps the release. Arguments and errors as ``LedgerFile.release``."""
        named = tuple(category_names(labels, problem.k))
        token = self.ledger(name).version_of(question, version)
        made = releases.release(mechanism, problem)
        entry = entry_of(made, self._entered(name).token, question, token, named)
        self._lines[folded(WHOSE, name)].append(HeldRelease(entry, named, brought=False))
        return made, entry

    def bring(self, name: str, entries: Sequence[LedgerEntry]) -> None:
        """Counts the entries of another ledger to the people of this name; those that are in already not again."""
        token, lines = self._entered(name).token, self._lines[folded(WHOSE, name)]
        known = {one.entry.release for one in lines}
        new = Ledger().with_entries([replace(entry, people=token) for entry in entries if entry.release not in known])
        lines += [HeldRelease(entry, (), brought=True) for entry in new.entries]

    def _entered(self, name: str) -> People:
        key = folded(WHOSE, name)
        self._lines.setdefault(key, [])
        return self._people.setdefault(key, People(new_token(), " ".join(name.split())))
