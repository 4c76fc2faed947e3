"""What reading a file can come to: counts, a refusal in one sentence, or all that a person must still say."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

SHOWN_CHARACTERS = 40
READ_NOISY = "on the page Read noisy counts, in Python by dpbi."  # and the function's name


def shown(text: str) -> str:
    """The text in quotes, on one line, cut to 40 characters, with invisible characters spelled out."""
    visible = "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode() for c in text[: SHOWN_CHARACTERS + 1]
    )
    return f"'{visible[:SHOWN_CHARACTERS]}…'" if len(text) > SHOWN_CHARACTERS else f"'{visible}'"


def listed(texts: Sequence[str], most: int = 5, of: int | None = None) -> str:
    """The texts with commas between them; beyond `most` only how many more there are. of: how many in all, where the
    texts are only the first."""
    left = (len(texts) if of is None else of) - most
    return ", ".join(texts[:most]) + (f" and {left:,} more" if left > 0 else "")


class CountsError(ValueError):
    """A file that cannot be read as counts, said in one line that names the row, the cell and the reason.

    row: the row of the file (its first line is 1) or None where the whole file is meant; entry: that of the form which
    the file has no such thing for, or None. The text holds uploaded cells: show it to the person who uploaded them, log
    it nowhere.
    """

    def __init__(self, reason: str, row: int | None = None, *, entry: str | None = None) -> None:
        super().__init__(reason if row is None else f"row {row}: {reason}")
        self.entry = entry


@dataclass(frozen=True)
class Doubt:
    """An entry of the form that nobody has said and the file leaves open: its guess, and the reason in a sentence."""

    entry: str
    guess: Any
    reason: str


class CountsQuestion(CountsError):
    """All that only a person can know of the file, at once, so nothing was read.

    open: a Doubt for each entry that is open. suggested: every entry as it was said or is guessed, so that
    read_counts(data, filename, **suggested) goes on.
    """

    def __init__(self, doubts: Sequence[Doubt], suggested: Mapping[str, Any]) -> None:
        super().__init__(" ".join(dict.fromkeys(doubt.reason for doubt in doubts)))
        self.open = tuple(doubts)
        self.suggested = dict(suggested)


class UnknownEntry(CountsError, TypeError):
    """An entry that the form does not have: to Python a wrong keyword, in this house a wrong value."""


@contextmanager
def faults_in_words(kind: str) -> Iterator[None]:
    """The libraries that read binary formats answer damaged files with errors of any kind, all meaning the same."""
    try:
        yield
    except CountsError:
        raise
    except Exception:  # noqa: BLE001
        raise CountsError(f"this {kind} is damaged, under a password or of a kind that is not read; save the table as "
                          "CSV and upload that.") from None  # fmt: skip


@dataclass(frozen=True)
class Counts:
    """Counts per category as read from a file, with what was understood on the way.

    labels: k category names, different from each other, in the order of the file; counts: k ints in
    [0, 2^63); warnings: sentences for the person who brought the file. form: every entry as it was said or taken to be.
    layout: "counts" (a row per category), "wide" (a row per group, a column per category) or "raw" (a row per person).
    columns: the headers read, categories before counts (raw: those tallied). left_out: rows of the file that are not
    counted, with the reason. header_row: the row with the names, None where there is none.
    """

    labels: tuple[str, ...]
    counts: tuple[int, ...]
    warnings: tuple[str, ...]
    form: tuple[tuple[str, Any], ...]
    layout: str
    columns: tuple[str, ...]
    left_out: tuple[tuple[int, str], ...]
    header_row: int | None
