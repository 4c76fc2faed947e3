"""From bytes to counts: the file is opened once, and understood anew for whatever a person says about it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

from dpbi import limits

from .delimited import CellGrid, read_delimited
from .encoding import decode
from .file_format import identify
from .form import COLUMNS, RAW, Form, Understanding
from .outcome import Counts, CountsError, Doubt, listed, shown
from .parquet import read_parquet
from .public_list import tidy_list
from .roles import Roles, guess_only, roles_of
from .rows import table_of
from .table import Table, one_line
from .tally import counted
from .workbook import read_workbook


@dataclass(frozen=True)
class Opened:
    """A file as cells: a table where the format names its columns, or else a grid. sheets: the names of all, hidden:
    the rows that a workbook does not show; form: what opening it has settled and remarked."""

    content: Table | CellGrid
    form: Understanding
    file_format: str
    encoding: str | None = None
    separator: str | None = None
    sheet: str | None = None
    sheets: tuple[str, ...] = ()
    hidden: tuple[int, ...] = ()

    @property
    def columns(self) -> list[list[str]]:
        """The cells of each column, names of the format's own left out."""
        content = self.content
        return content.columns if isinstance(content, CellGrid) else [column.cells for column in content.columns]


@dataclass(frozen=True)
class Understood:
    """What a file comes to under what was said: counts or a refusal, beside the form as it is filled in.

    table: with the rows too that a filter leaves out; roles: of those that are read.
    """

    form: Understanding
    table: Table | None = None
    roles: Roles | None = None
    counts: Counts | None = None
    refusal: CountsError | None = None

    @property
    def open(self) -> list[Doubt]:
        return self.form.open

    @property
    def suggested(self) -> dict[str, Any]:
        return self.form.suggested

    def result(self) -> Counts:
        """The counts; raises the refusal where there are none."""
        if self.counts is None:
            raise self.refusal or CountsError("nothing was read.")
        return self.counts


@contextmanager
def letting_go() -> Iterator[None]:
    """A refusal forgets what it arose from, which may hold the whole file."""
    try:
        yield
    except CountsError as refusal:
        refusal.__context__ = None
        raise


def opened(data: bytes, filename: str, said: Form) -> Opened:
    """The file as cells. Raises CountsError where it cannot be opened."""
    if not isinstance(data, bytes | bytearray | memoryview):
        raise CountsError(f"data must be the bytes of a file: got {type(data).__name__}.")
    content, most = bytes(data), limits.UPLOAD_BYTES_LARGEST
    if len(content) > most:
        most_said = f"at most {most // 2**20} MB ({most:,} bytes)"
        raise CountsError(f"the file is too large: {most_said}, got {len(content):,}.")
    if not isinstance(filename, str | PathLike):
        raise CountsError(f"filename must be text or a path: got {limits.shown(filename)}.")
    form = Understanding(said)
    file_format = identify(content, str(filename))
    if said.sheet is not None and file_format != "workbook":
        raise CountsError("sheet can only be said of a workbook.", entry="sheet")
    if said.encoding is not None and file_format != "text":
        raise CountsError("encoding can only be said of a text table.", entry="encoding")
    if file_format == "parquet":
        return Opened(read_parquet(content), form, file_format)
    if file_format == "workbook":
        grid, sheet, sheets, hidden = read_workbook(content, form)
        return Opened(grid, form, file_format, sheet=sheet, sheets=sheets, hidden=hidden)
    text, encoding = decode(content, form)
    grid, separator = read_delimited(text, form)
    return Opened(grid, form, file_format, encoding, separator)


def understood(file: Opened, said: Form) -> Understood:
    """The file under what was said of it. Nothing is raised: a refusal is part of what it comes to."""
    known = file.form
    form = Understanding(said, dict(known.entries), list(known.doubts), list(known.remarks))
    table = roles = None
    try:
        table = _table(file, form)
        read = _selected(table, form)
        for entry in COLUMNS[:3]:  # no groups are one answer, no categories none
            if getattr(said, entry) == ():
                raise CountsError(f"{entry} must be a header or a position: no column is named.", entry=entry)
        roles = roles_of(read, form)
        if said.categories is not None:
            form.said = replace(said, categories=tidy_list(said.categories))
        totals = counted(read, roles, file.separator, form)
    except CountsError as refusal:
        refusal.__context__ = None
        return Understood(form, table, roles, refusal=refusal.with_traceback(None))
    unread = [column.label for column in read.columns if column not in (*roles.read, *roles.groups, *roles.counts)]
    if unread and roles.layout != RAW:
        verb = "column was" if len(unread) == 1 else "columns were"
        form.remark(f"{len(unread):,} {verb} not read: {listed(unread, most=8)}.")
    counts = Counts(
        labels=tuple(totals),
        counts=tuple(totals.values()),
        warnings=tuple(form.remarks),
        form=tuple(form.suggested.items()),
        layout=roles.layout,
        columns=tuple(column.title for column in roles.read),
        left_out=tuple(sorted(form.left_out.items())),
        file_format=file.file_format,
        header_row=table.header_row,
        encoding=file.encoding,
        separator=file.separator,
        sheet=file.sheet,
    )
    return Understood(form, table, roles, counts)


def _table(file: Opened, form: Understanding) -> Table:
    """The table without the rows that are left out."""
    content, said = file.content, form.said
    last = max(content.rows, default=0)
    if said.leave_out and said.leave_out[-1] > last:
        raise CountsError(f"leave_out: row {said.leave_out[-1]:,} is beyond the last row, {last:,}.", entry="leave_out")
    why = f"The workbook hides row {listed(list(map(str, file.hidden)), 8)}."
    hidden = form.leave_out(file.hidden, "hidden in the workbook", why)
    if isinstance(content, CellGrid):
        return table_of(content, form, hidden)
    if said.header_row is not None:
        raise CountsError("header_row cannot be said of a Parquet file: it names its columns itself.",
                          entry="header_row")  # fmt: skip
    out = set(said.leave_out or ())
    return content.kept([i for i, row in enumerate(content.rows) if row not in out]) if out else content


def _selected(table: Table, form: Understanding) -> Table:
    """The rows that hold the values that are kept."""
    at: Sequence[int] = range(len(table.rows))
    kept = form.settle("only", *guess_only(table, form)) or ()
    for key, values in kept:
        column, wanted = table.found(key, "only"), set(map(one_line, values))
        at = [i for i in at if one_line(column.cells[i]) in wanted]
        form.remark(f"Only rows were read whose {column.label} is {listed(list(map(shown, values)))}: {len(at):,}.")
    if kept and not at:
        raise CountsError("no row holds the values that are kept.", entry="only")
    return table.kept(at) if kept else table
