"""From bytes to counts: the file is opened once, and understood anew for whatever a person says about it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from os import PathLike

from dpbi import limits

from .delimited import CellGrid, read_delimited
from .encoding import decode
from .file_format import identify
from .form import COUNTS, Form, Understanding
from .outcome import READ_NOISY, Counts, CountsError, listed, shown
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
    separator: str | None = None
    sheets: tuple[str, ...] = ()
    hidden: tuple[int, ...] = ()

    @property
    def columns(self) -> list[list[str]]:
        """The cells of each column, names of the format's own left out."""
        return [c if isinstance(c, list) else c.cells for c in self.content.columns]


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
    def wrong(self) -> bool:
        """Whether it is an entry as it was said that is refused, whatever else is open."""
        return self.refusal is not None and getattr(self.form.said, self.refusal.entry or "", None) is not None

    @property
    def noisy(self) -> bool:
        """Whether it may be noisy counts, as is said of it."""
        return READ_NOISY in str(self.refusal) or bool(self.table and self.table.noise_said)


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
        raise CountsError(f"the file is too large: at most {most // 2**20} MB ({most:,} bytes), got {len(content):,}.")
    if not isinstance(filename, str | PathLike):
        raise CountsError(f"filename must be text or a path: got {limits.shown(filename)}.")
    form = Understanding(said)
    file_format = identify(content, str(filename))
    for entry, kind in (("sheet", "workbook"), ("encoding", "text")):
        if getattr(said, entry) is not None and file_format != kind:
            raise CountsError(f"{entry} can only be said of a {kind}: this is a {file_format}.", entry=entry)
    if file_format == "parquet":
        return Opened(read_parquet(content), form, file_format)
    if file_format == "workbook":
        grid, sheets, hidden = read_workbook(content, form)
        return Opened(grid, form, file_format, sheets=sheets, hidden=hidden)
    grid, separator = read_delimited(decode(content, form), form)
    return Opened(grid, form, file_format, separator)


def understood(file: Opened, said: Form) -> Understood:
    """The file under what was said of it. Nothing is raised: a refusal is part of what it comes to."""
    of = file.form
    form = Understanding(said, {**of.entries}, [*of.doubts], [*of.remarks], {**of.left_out})
    table = roles = None
    try:
        table = table_in(file, form)
        read = selected(table, form)
        roles = roles_of(read, form)
        if why := table.noise_said:
            # Where a column is a category, or a row a person, the name may mean something else, complaints of noise or
            # private schools: then it is asked only where something is anyway.
            sure = roles.layout == COUNTS
            form.ask("count_column" if sure else "layout", why) if sure or form.doubts else form.remark(why)
        if said.categories is not None:
            form.said = replace(said, categories=tidy_list(said.categories))
        totals = counted(read, roles, file.separator, form)
    except CountsError as refusal:
        refusal.__context__ = None
        if table and not refusal.entry and READ_NOISY not in str(refusal):
            refusal = CountsError(f"{refusal} {table.noise_said}".rstrip())
        return Understood(form, table, roles, refusal=refusal.with_traceback(None))
    counts = Counts(
        labels=tuple(totals),
        counts=tuple(totals.values()),
        warnings=tuple(form.remarks),
        form=tuple(form.suggested.items()),
        layout=roles.layout,
        columns=tuple(c.title for c in (*roles.categories, *(roles.counts if roles.layout == COUNTS else ()))),
        left_out=tuple(sorted(form.left_out.items())),
        header_row=table.header_row,
    )
    return Understood(form, table, roles, counts)


def table_in(file: Opened, form: Understanding) -> Table:
    """The table without the rows that are left out."""
    content, said = file.content, form.said
    if max(said.leave_out or (0,)) > max(content.rows, default=0):
        raise CountsError(f"leave_out: there is no row {max(said.leave_out or ()):,}.", entry="leave_out")
    if isinstance(content, CellGrid):
        why = f"The workbook hides row {listed(list(map(str, file.hidden)), 8)}."
        return table_of(content, form, form.leave_out(file.hidden, "hidden in the workbook", why))
    if said.header_row is not None:
        raise CountsError("header_row cannot be said of a Parquet file: it names its columns itself.",
                          entry="header_row")  # fmt: skip
    out = set(said.leave_out or ())
    return content.kept([i for i, row in enumerate(content.rows) if row not in out]) if out else content


def selected(table: Table, form: Understanding) -> Table:
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
