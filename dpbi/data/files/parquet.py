"""From a Parquet file to a table, by pyarrow; pandas would turn missing values and whole numbers to floats."""

import io
from functools import partial
from typing import Any

from dpbi import limits

from .outcome import CountsError, faults_in_words
from .table import Column, Table, one_line, sampled
from .whole_numbers import NESTED, MarkedCell, cell_of


def read_parquet(data: bytes) -> Table:
    """The table of the file; its first record counts as row 2, below the names.

    Columns are converted when they are used: a file of many columns costs no more than those of interest.
    The declared levels of a categorical column are kept, in their order. Raises CountsError for a damaged or
    too large file.
    """
    with faults_in_words("Parquet file"):
        from pyarrow import parquet  # type: ignore[import-untyped]

        file = parquet.ParquetFile(io.BytesIO(data))
        facts = file.metadata
        size = sum(facts.row_group(i).total_byte_size for i in range(facts.num_row_groups))
        if facts.num_rows > limits.UPLOAD_ROWS_LARGEST or size > limits.UPLOAD_UNPACKED_BYTES_LARGEST:
            raise CountsError(
                f"the file is too large: at most {limits.UPLOAD_ROWS_LARGEST:,} rows and "
                f"{limits.UPLOAD_UNPACKED_BYTES_LARGEST:,} bytes unpacked are read, got "
                f"{facts.num_rows:,} rows and {size:,} bytes."
            )
        arrow = file.read()
        if not arrow.num_rows:
            raise CountsError("the file has a header but no rows below it.")
        columns = [
            Column(i, "" if name.startswith("__index_level_") else one_line(name), partial(_cells, column),
                   _levels(column), sampled(len(arrow.columns)))
            for i, (name, column) in enumerate(zip(arrow.column_names, arrow.columns, strict=True), 1)
        ]
    return Table(columns, range(2, arrow.num_rows + 2), header_row=1)


def _cells(column: Any, stop: int | None) -> list[str]:
    with faults_in_words("Parquet file"):
        return [cell for chunk in column.slice(0, stop).chunks for cell in _texts(chunk)]


def _levels(column: Any) -> tuple[str, ...] | None:
    from pyarrow import types

    levels = (text for chunk in column.chunks for text in _texts(chunk.dictionary) if text)
    return tuple(dict.fromkeys(levels)) if types.is_dictionary(column.type) and column.num_chunks else None


def _texts(chunk: Any) -> list[str]:
    """The cells of one chunk; each different value is turned into text once."""
    from pyarrow import types

    chunk = getattr(chunk, "storage", chunk)
    declared = types.is_dictionary(chunk.type)
    if types.is_nested(chunk.dictionary.type if declared else chunk.type):
        return [MarkedCell("[…]", NESTED)] * len(chunk)
    chunk = chunk if declared else chunk.dictionary_encode()
    levels = list(map(cell_of, chunk.dictionary.to_pylist()))
    return ["" if i is None else levels[i] for i in chunk.indices.to_pylist()]
