"""Results as tables: what is on screen, sortable, and the same numbers to take away."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.column_config import NumberColumn, TextColumn

from dpbi import NoiseAwareReleases, PrivatePosteriors, printed_bound, tables as data
from dpbi.dashboard.answers import library
from dpbi.dashboard.scenario import Scenario
from dpbi.dashboard.session import address, settings
from dpbi.dashboard.shown import downloads
from dpbi.dashboard.words import words
from dpbi.releases.statement import Row

_DIGITS = {data.DIGITS: 4, data.AS_GIVEN: 6}
_LEAST_POWER, _LARGEST_POWER = -4, 6  # of ten, that a column without powers of ten may span
_HEIGHT_ROW, _HEIGHT_LINE = 36, 20
_CHARACTER, _PADDING = 6.8, 20  # pixels of a cell's width
_MECHANISM = 92  # pixels: its letters are wide
_MISSING = "–"  # a number that is not there, which a grid else writes as "None"


def show(
    table: pd.DataFrame,
    name: str,
    columns: dict[str, Any],
    alt: str,
    whole: Callable[[], pd.DataFrame] | None = None,
    lines: int = 1,
) -> None:
    """The table, scrolling beyond a dozen lines, with its CSV: that of the whole one where only a part is shown.

    Each column is as wide as what stands in it, where its width is not given; lines: of text in a row. In talk mode
    its first dozen rows, in the page's own type: a grid keeps its size whatever the page's is.
    """
    row_height = _HEIGHT_ROW + (lines - 1) * _HEIGHT_LINE
    height = min(len(table) * row_height, data.ROWS_SHOWN * _HEIGHT_ROW) + _HEIGHT_ROW + 3
    columns = {title: _wide_enough(title, _even(_explained(title, values, columns), values), values)
               for title, values in table.items()}  # fmt: skip
    cut = ""
    if settings.get(address.TALK):
        st.markdown(_for_a_room(table.head(data.ROWS_SHOWN), columns))
        cut = f"The first {data.ROWS_SHOWN} of {len(table):,} rows. " if len(table) > data.ROWS_SHOWN else ""
    else:
        bounds = [title for title, column in columns.items() if _is_bound(column)]
        st.dataframe(
            table.style.format(printed_bound, subset=bounds, na_rep=_MISSING) if bounds else table,
            hide_index=True,
            column_config=columns,
            row_height=row_height,
            height=height,
            key=f"table: {name}",
            placeholder=_MISSING,
            alt=alt,
        )
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        downloads.button(whole or (lambda: table), name)
        st.markdown(f":small[{cut}[What the columns mean]({words.COLUMNS_EXPLAINED})]", width="content")


def _explained(title: str, values: pd.Series, columns: Mapping[str, Any]) -> Any:
    """The column as it is given, else as its values are; with what its title stands for, where it does not say it."""
    meant = data.column(title).help
    column = columns.get(title, _configured(data.Meaning(meant, data.AS_GIVEN), values))
    return column if column.get("help") else column | {"help": meant}


def draw(table: data.ResultTable, whole: Callable[[], data.ResultTable] | None = None) -> None:
    """A table of numbers as it says itself what it is. whole: what is taken away, where this is a part of it."""
    shown = frame(table)
    columns = {title: _configured(table.column(title), shown[title]) for title in shown}
    show(shown, table.name, columns, table.about, whole and (lambda: frame(whole())))


def frame(table: data.ResultTable) -> pd.DataFrame:
    """The table; a number that is not there is NaN."""
    found = pd.DataFrame(dict(table.values))
    numbers = [title for title in found if found[title].dtype == object and table.column(title).written != data.TEXT]
    return found.assign(**{title: pd.to_numeric(found[title]) for title in numbers if found[title].isna().any()})


def _configured(column: data.Meaning, values: pd.Series | None = None) -> Any:
    """As Streamlit has it. A bound has no format there: see ``_is_bound``."""
    if column.written == data.TEXT or (values is not None and not pd.api.types.is_numeric_dtype(values)):
        return TextColumn(help=column.help)
    return NumberColumn(help=column.help, format=None if column.written == data.BOUND else column.written)


def meanings() -> dict[str, str]:
    """What every column means, by its title."""
    return {title: column.help for title, column in data.COLUMNS.items()}


def categories(scenario: Scenario, sampled: Sequence[PrivatePosteriors | NoiseAwareReleases]) -> None:
    draw(data.categories(scenario.problem, sampled, scenario.labels, library.prior_predictive))
    if scenario.problem.k > data.CATEGORIES_SHOWN:
        st.caption(f"The first {data.CATEGORIES_SHOWN} of {scenario.problem.k:,} categories.")


def parameters(scenario: Scenario, sampled: Sequence[PrivatePosteriors]) -> None:
    """The first draws and categories; the CSV holds all of them."""
    k, size = scenario.problem.k, len(sampled[0].released)
    few = data.parameters(sampled, scenario.labels[: data.CATEGORIES_SHOWN], data.DRAWS_SHOWN)
    draw(few, lambda: data.parameters(sampled, scenario.labels))
    if size > data.DRAWS_SHOWN or k > data.CATEGORIES_SHOWN:
        st.caption(
            f"On screen: the first {min(size, data.DRAWS_SHOWN)} of {size:,} draws, {min(k, data.CATEGORIES_SHOWN)} of "
            f"{k:,} categories. The CSV holds all."
        )


def release(rows: Sequence[Row], name: str) -> None:
    """The first categories; the CSV holds all of them, and all that is known of each."""
    draw(data.release(rows[: data.CATEGORIES_SHOWN], name), lambda: data.every_column(rows, name))
    if len(rows) > data.CATEGORIES_SHOWN:
        st.caption(f"The first {data.CATEGORIES_SHOWN} of {len(rows):,} categories; the CSV holds all of them.")


def _for_a_room(table: pd.DataFrame, columns: dict[str, Any]) -> str:
    """The table as Markdown, numbers to the right."""
    kinds = ["---:" if pd.api.types.is_numeric_dtype(table[name]) else ":---" for name in table]
    cells = [[words.escape(value, words.SENTENCE_LENGTH) if isinstance(value, str)
              else _plain_cell(columns[name], value) for value in table[name]] for name in table]  # fmt: skip
    rows = [[words.escape(name) for name in table], kinds, *zip(*cells, strict=True)]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _plain_cell(column: Any, value: Any) -> str:
    """One value as its column writes it; a dash for what is not there."""
    if isinstance(value, str) or pd.isna(value):
        return value if isinstance(value, str) else _MISSING
    if _is_bound(column):
        return printed_bound(value)
    format = column["type_config"].get("format")
    if format is None:  # of no one kind
        return f"{value}"
    return f"{value:,}" if format == "localized" else format % value


def _is_bound(column: Any) -> bool:
    """Bounds have no format, which would round to the nearest: a grid is given the text of each beside its value."""
    return column["type_config"]["type"] == "number" and not column["type_config"].get("format")


def _even(column: Any, values: pd.Series) -> Any:
    """The column with one format for all its numbers, so that they are read down it: decimals, or powers of ten.

    As many decimals as give the largest number its digits and the smallest two, without zeros that all would end in.
    """
    digits = _DIGITS.get(column["type_config"].get("format"))
    if digits is None:
        return column
    sizes = [abs(value) for value in values.tolist() if value is not None]  # NaN is neither above 0 nor below infinity
    sizes = [size for size in sizes if 0 < size < math.inf]
    return column | {"type_config": column["type_config"] | {"format": _format_of(sizes, digits)}}


def _wide_enough(name: str, column: Any, values: pd.Series) -> Any:
    if column.get("width"):
        return column
    longest = max(len(plain) for plain in (name, *(_plain_cell(column, value) for value in values)))
    return column | {"width": max(round(_CHARACTER * longest + _PADDING), _MECHANISM if name == "Mechanism" else 0)}


def _format_of(sizes: Sequence[float], digits: int) -> str:
    if all(size % 1 == 0 for size in sizes):
        return "%.0f"
    least, most = (math.floor(math.log10(size)) for size in (min(sizes), max(sizes)))
    if least < _LEAST_POWER or most > _LARGEST_POWER:
        return f"%.{digits - 1}e"
    decimals = max(digits - 1 - most, 1 - least, 0)
    while decimals and all(f"{size:.{decimals}f}".endswith("0") for size in sizes):
        decimals -= 1
    return f"%.{decimals}f"


PEOPLE_OF_LEDGER = {title: _configured(data.COLUMNS[title]) for title in data.PEOPLE}
_QUESTION = 180  # pixels of all questions of a table, so that its mechanism and time stand beside them
LEDGER_OF_RELEASES = {title: _configured(data.COLUMNS[title]) for title in data.LEDGER}
LEDGER_OF_RELEASES["Question"] |= {"width": _QUESTION}
