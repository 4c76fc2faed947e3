"""Files of counts: the largest that people bring, as bytes already in memory."""

from __future__ import annotations

import io
from collections.abc import Iterator

import numpy as np

from dpbi import read_counts

from .measurement import cost
from .table import Row, within

RIDES = ("walk", "bus", "bike", "ferry, at weekends", "train")
LIMIT_SECONDS = 2.0


def files(megabytes: float = 10.0, cells: int = 200_000, repetitions: int = 3) -> Iterator[Row]:
    """Records as text, without quotes, with quotes and in another encoding, and as Parquet.

    And in a workbook, which has a limit in cells for want of speed, not one in seconds.
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
        limit = None if what == "Excel" else LIMIT_SECONDS
        yield within(f"read_counts, {what}, {len(data) / 1e6:.1f} MB", taken, seconds=limit)


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
