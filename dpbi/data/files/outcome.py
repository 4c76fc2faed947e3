"""What reading a file can come to: counts, a refusal in one sentence, or a question to a person."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

SHOWN_CHARACTERS = 40
NAMES, LEFT_OUT, DATA = "names", "left out", "data"


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
    more = f" and {left:,} more" if left > 0 else ""
    return ", ".join(texts[:most]) + more


@dataclass(frozen=True)
class Preview:
    """rows: numbers of rows of the file, from 1; taken_for: NAMES, LEFT_OUT or DATA for each; cells: their texts, cut.

    filled: how many rows of the file hold anything; columns: how many columns it has. of: what these are the first rows
    of; "" where they are of the whole file, and header_row and the like can be answered by them.
    """

    rows: tuple[int, ...]
    taken_for: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]
    filled: int
    columns: int
    of: str = ""

    @property
    def header_row(self) -> int:
        """The row taken for the header; 0 for none."""
        return next((row for row, taken in zip(self.rows, self.taken_for, strict=True) if taken == NAMES), 0)


class CountsError(ValueError):
    """A file that cannot be read as counts, said in one line that names the row, the cell and the reason.

    row: the row of the file (its first line is 1) or None where the whole file is meant; cell: the cell's own
    text or None; reason: the sentence without the row. The text holds uploaded cells: show it to the person
    who uploaded them, log it nowhere.
    """

    preview: Preview | None = None  # the rows of the file, once they could be told apart

    def __init__(self, reason: str, row: int | None = None, cell: str | None = None) -> None:
        super().__init__(reason if row is None else f"row {row}: {reason}")
        self.reason = reason
        self.row = row
        self.cell = cell


class CountsQuestion(CountsError):
    """Something only a person can know, so nothing was read.

    question: the question. suggested: all answers so far and a default for each one asked about, to be passed
    on as read_counts(data, filename, **suggested); None where no default is safe. options: for each answer asked
    about, the values it can take, where these can be listed.
    """

    def __init__(
        self,
        question: str,
        suggested: Mapping[str, Any],
        options: Mapping[str, tuple[Any, ...]],
        row: int | None = None,
        cell: str | None = None,
    ) -> None:
        super().__init__(question, row, cell)
        self.question = question
        self.suggested = dict(suggested)
        self.options = dict(options)


class UnknownAnswer(CountsError, TypeError):
    """An answer read_counts does not know: to Python a wrong keyword, in this house a wrong value."""


@contextmanager
def faults_in_words(kind: str) -> Iterator[None]:
    """The libraries that read binary formats answer damaged files with errors of any kind, all meaning the same."""
    try:
        yield
    except CountsError:
        raise
    except Exception:  # noqa: BLE001
        raise CountsError(f"this {kind} is damaged or of an unknown kind and cannot be read.") from None


@dataclass(frozen=True)
class Counts:
    """Counts per category as read from a file, with what was understood on the way.

    labels: k category names, different from each other, in the order of the file; counts: k ints in
    [0, 2^63); warnings: sentences for the person who uploaded the file. layout: "counts" (a row per category),
    "wide" (one row of counts) or "raw" (a row per person). columns: the headers read, categories before counts
    (raw: the one tallied; wide: empty). header_row: the row with the names, None where there is none. encoding,
    separator and sheet are None where the format has no such thing. single_answers: where cells seem to hold several
    answers of one person, those that chosen= can count alone. preview: rows of the file as they stand there.
    """

    labels: tuple[str, ...]
    counts: tuple[int, ...]
    warnings: tuple[str, ...]
    layout: str
    columns: tuple[str, ...]
    file_format: str
    header_row: int | None = None
    encoding: str | None = None
    separator: str | None = None
    sheet: str | None = None
    single_answers: tuple[str, ...] = ()
    preview: Preview | None = None


@dataclass
class Notes:
    """Warnings in the order they arise, each once."""

    sentences: list[str] = field(default_factory=list)
    single_answers: tuple[str, ...] = ()

    def add(self, sentence: str) -> None:
        if sentence not in self.sentences:
            self.sentences.append(sentence)
