"""Files of counts and of settings: the largest that people bring, and the worst that anyone could."""

import io
from collections.abc import Iterator

import numpy as np

from dpbi import read_counts

from .measurement import cost, cost_in_fresh_process
from .table import Row, peak, within

RIDES = ("walk", "bus", "bike", "ferry, at weekends", "train")
MOST = 250  # times Python's loop
PEAK = 3.8  # times what is held with the file itself
SIZE = 10_000_000

# Files of ten megabytes that take the longest or the most memory for their size, as expressions; and what is answered.
HOSTILE_TABLES = {
    "one answer a row": ("b'answer' + b'\\nyes\\nno' * (SIZE // 7)", {"column": 1}),
    "one letter a row": ("b'a\\nb\\n' * (SIZE // 4)", {"column": 1}),
    "different labels": ("'\\n'.join(f'L{i}' for i in range(SIZE // 8)).encode()", {"column": 1}),
    "different labels of two letters": (
        "'\\n'.join(chr(20_000 + i % 20_000) + chr(20_000 + i // 20_000) for i in range(SIZE // 7)).encode()",
        {"column": 1}),
    "different counts": ("b'a;n\\n' + '\\n'.join(f'{\"ab\"[i % 2]};{i}' for i in range(SIZE // 9)).encode()",
                         {"layout": "counts", "leave_out": ()}),
    "different counts with dots": (
        "b'a;n\\n' + '\\n'.join(f'a;1.{i // 1000:03d}.{i % 1000:03d}' for i in range(SIZE // 12)).encode()",
        {"layout": "counts"}),
    "5,000 columns": ("(b'1,' * 4_999 + b'1\\n') * (SIZE // 10_000)", {}),
    "rows of one and of two cells": ("b'a,1\\nb,2,3\\n' * (SIZE // 10)", {}),
    "quotes": ("b'\"' * SIZE", {}),
    "line ends": ("b'\\n' * SIZE", {}),
    "commas": ("b',' * SIZE", {}),
    "zero bytes": ("b'\\0' * SIZE", {}),
    "brackets": ("b'[' + b'[],' * (SIZE // 3) + b'[]]'", {}),
    "spaces in a name": ("b'h\\na' + b' ' * SIZE + b'b\\nc'", {"column": 1}),
    "accents on a letter": ("('h\\na' + chr(0x301) * (SIZE // 2) + '\\nb').encode()", {"column": 1}),
    "UTF-16": ("('answer' + '\\nyes\\nno' * (SIZE // 14)).encode('utf-16')", {"column": 1}),
}
HOSTILE_JSON = {
    "one name twice, 0.4 MB": "'{' + ','.join(f'\"{i}\":1' for i in range(42_000)) + ',\"41999\":1}'",
    "one name twice": "'{' + ','.join(f'\"{i}\":1' for i in range(450_000)) + ',\"1\":1' + ' ' * 4_000_000 + '}'",
    "lists": "'[' + '[],' * (SIZE // 3 - 1) + '[]]'",
    "lists within lists": "'[' * (SIZE // 2) + ']' * (SIZE // 2)",
    "quotes": "'\"' * SIZE",
    "numbers": "'{\"a\":[' + '1e5,' * (SIZE // 4 - 3) + '1]}'",
    "texts": "'{\"a\":[' + '\"ab\",' * (SIZE // 5 - 3) + '1]}'",
}


def files(megabytes: float = 10.0, cells: int = 200_000, repetitions: int = 3) -> Iterator[Row]:
    """Records as text, without quotes, with quotes and in another encoding, and as Parquet.

    And in a workbook, which has a limit in cells for want of speed, not one in time.
    """
    rng = np.random.default_rng(1)
    plain = _records(rng, megabytes, RIDES[:3])
    quoted = _records(rng, megabytes, tuple(f'"{ride}"' for ride in RIDES))
    asked = {"column": "ride"}
    for what, data, name in (
        ("text", plain.encode(), "rides.csv"),
        ("text in quotes", quoted.encode(), "rides.csv"),
        ("text as Windows-1252", plain.replace("walk", "thé").encode("cp1252"), "rides.csv"),
        ("text of one column", "\n".join(["ride", *_column(plain) * 3]).encode(), "rides.csv"),
        ("Parquet", _parquet(rng, int(megabytes * 80_000)), "rides.parquet"),
        ("Excel", _workbook(rng, cells // 2), "rides.xlsx"),
    ):
        taken = cost(lambda _, data=data, name=name: read_counts(data, name, **asked), repetitions)  # type: ignore[misc]
        yield within(f"read_counts, {what}, {len(data) / 1e6:.1f} MB", taken, None if what == "Excel" else MOST)


def hostile(size: int = SIZE, every: int = 1) -> Iterator[Row]:
    """The worst ten megabytes of each kind, each in a process of its own: seconds, and memory beside the file's.

    size: bytes; every: of so many kinds one.
    """
    for what, (data, answers) in list(HOSTILE_TABLES.items())[::every]:
        read = f"read_counts(data, 'a.csv', **{answers!r})"
        yield from _hostile(f"read_counts, {what}", "from dpbi import read_counts", data, read, size)
    for what, data in list(HOSTILE_JSON.items())[::every]:
        load = "from dpbi.releases.ledger import Ledger"
        yield from _hostile(f"Ledger.from_json, {what}", load, data, "Ledger.from_json(data)", size)


def _hostile(what: str, load: str, data: str, read: str, size: int) -> Iterator[Row]:
    # Making the data takes more memory than the data do; the peak is counted anew from there (Linux).
    setup = f"SIZE = {size}\n{load}\ndata = {data}\nwith open('/proc/self/clear_refs', 'w') as peak: peak.write('5')"
    statement = f"try:\n    {read}\nexcept ValueError:\n    pass"
    taken = cost_in_fresh_process(setup, statement, 1)
    yield within(what, taken, MOST)
    yield peak(taken, PEAK)


def _records(rng: np.random.Generator, megabytes: float, rides: tuple[str, ...]) -> str:
    """A row per person: number, ride and minutes, until the size is reached."""
    length = int(megabytes * 1e6 / (12 + np.mean([len(ride) for ride in rides])))
    drawn, minutes = rng.integers(len(rides), size=length), rng.integers(5, 90, size=length)
    lines = [f"T{i},{rides[r]},{m}" for i, (r, m) in enumerate(zip(drawn, minutes, strict=True))]
    return "\n".join(["person,ride,minutes", *lines, ""])


def _column(text: str) -> list[str]:
    return [line.split(",")[1] for line in text.splitlines()[1:]]


def _parquet(rng: np.random.Generator, rows: int) -> bytes:
    import pyarrow as pa  # type: ignore[import-untyped]
    from pyarrow import parquet

    rides = np.array(RIDES)[rng.integers(len(RIDES), size=rows)]
    data = io.BytesIO()
    parquet.write_table(pa.table({"person": rng.permutation(rows), "ride": rides}), data)
    return data.getvalue()


def _workbook(rng: np.random.Generator, rows: int) -> bytes:
    import openpyxl

    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("rides")
    sheet.append(["person", "ride"])
    for i, ride in enumerate(rng.integers(len(RIDES), size=rows)):
        sheet.append([i, RIDES[ride]])
    data = io.BytesIO()
    book.save(data)
    return data.getvalue()
