"""What the tests put into a ledger."""

from collections.abc import Sequence

from dpbi.releases.ledger import LedgerEntry, new_token
from dpbi.releases.release import Release


def entry_of(
    release: Release, people: str = "people", question: str = "", version: str = "", categories: Sequence[str] = ()
) -> LedgerEntry:
    """The entry of a release; people: their token; question, version: as stated. Its own token is new."""
    return LedgerEntry(new_token(), people, release.mechanism.label, release.n, release.time, release.guarantee,
                       release, question, version, categories=tuple(categories))
