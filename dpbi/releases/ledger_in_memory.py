"""A ledger that ends with its owner."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import ClassVar

from dpbi.releases.kept_ledger import WHOSE, Account, KeptLedger, check_free
from dpbi.releases.ledger import People, folded


@dataclass
class LedgerInMemory(KeptLedger):
    """A ledger of one owner, without a file and without a budget: whoever keeps it may release anything, stamped."""

    _accounts: dict[str, Account] = field(default_factory=dict)
    _former: dict[str, str] = field(default_factory=dict)
    changes: int = 0
    asks_who: ClassVar[bool] = False
    proved_only: ClassVar[bool] = False
    of_a_draw: ClassVar[str] = "It is kept in this session alone: save the files."

    @property
    def notice(self) -> str:
        """Nobody can tell from an empty one what an earlier session released."""
        return "" if self._accounts else (
            "The ledger is empty. It starts anew with every session, and so with every reload of the page. If "
            "something about these people was released before, bring the ledger that was exported then, on the page "
            "Release, and the total counts it.")

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(one.people.name for _, one in sorted(self._accounts.items()) if one.people)

    def account(self, name: str) -> Account:
        return self._accounts.get(self._key(name), Account())

    @property
    def accounts(self) -> tuple[Account, ...]:
        return tuple(one for _, one in sorted(self._accounts.items()))

    def beside(self, account: Account) -> tuple[Account, ...]:
        """All: its owner may see them."""
        return self.accounts

    def kept(self, people: People | None) -> str:
        return "" if not self._accounts else (
            "The ledger ends with the session, at a reload too: export it, or save a release (JSON), which holds the "
            "part of it that is about the same people, and bring the file here later.")

    def _change(self, name: str, change: Callable[[Account], Account], outcome: str = "") -> Account:
        key = self._key(name)
        self._accounts[key] = change(self._accounts.get(key, Account()))
        self.changes += 1
        return self._accounts[key]

    def rename(self, name: str, now: str, who: str = "") -> None:
        key, new = self._key(name), folded(WHOSE, now)
        check_free(now, taken=self._former.get(new, key) != key)
        other = self._accounts.get(new, Account()) if new != key else Account()
        self._accounts[new] = self._accounts.get(key, Account()).renamed(now, other, who)
        if new != key:
            del self._accounts[key]
            self._former.pop(new, None)
            self._former |= dict.fromkeys((key, *(one for one, of in self._former.items() if of == key)), new)
        self.changes += 1

    def _key(self, name: str) -> str:
        key = folded(WHOSE, name)
        return self._former.get(key, key)

    def lost(self, saved: Collection[str]) -> Collection[str]:
        drawn = (line for one in self._accounts.values() for line in one.lines if line.can_be_shown or line.is_table)
        return {line.entry.release for line in drawn}.difference(saved)
