"""Counts from files: text tables, workbooks and Parquet; a form says what each row is and which columns are read."""

from typing import Any

from .form import Form
from .outcome import Counts, CountsError, CountsQuestion, Doubt
from .public_list import tidy_list
from .reading import letting_go, opened, understood

__all__ = ["Counts", "CountsError", "CountsQuestion", "Doubt", "read_categories", "read_counts"]


@letting_go()
def read_counts(data: bytes, filename: str, **said: Any) -> Counts:
    """Counts per category: c_i is the sum of the counts that the file gives category i, or the number of its
    records in category i. Nothing is estimated, rounded or filled in: what is not read exactly is refused.

    data: the file's bytes, at most 16 MiB; filename: only a hint at the format, no file is opened.
    said: what a person says the table is, by entries of the form; None stands for nothing said. A column is a header
    or a position, the first being 1; a row is its number in the file, from 1.
      sheet: the name of the sheet. encoding: the name of a text's encoding, as Python knows it.
      header_row: the row with the names of the columns, several where they stand in several, 0 for none.
      leave_out: all rows below the header that are no data: notes, totals, hidden ones.
      only: {column: value or values}: the rows that are kept.
      layout: what each row is: "raw" (a person), "counts" (a category with its count) or "wide" (a group with a column
        of counts per category). Where people's rows are read as counts, one person moves a count by the whole number
        in their row, and epsilon costs that many times more.
      column: of people, the column or columns that hold the category. category_column: the column or columns of names;
        count_column: that of their counts, or of a wide table those of all categories. Of several columns of names each
        combination is a category; several columns of counts are added up.
      group_column: the column or columns that name groups of rows; group: the name of the one that is read,
        "(all, added up)" where nobody is in two of them, or "(each apart)" for categories of each group.
      thousands: the mark between groups of three digits: "." or "," or " " or "'" or "" for none; "lakh" for commas
        before groups of two digits (12,34,567).
      confirm_percentages: True where counts that look like percentages are numbers of people.
      missing: "keep" to count empty cells of people's answers as the category "(missing)"; "drop" leaves them out.
      chosen: of cells with several answers, the one to count: who gave it, and who did not.
      categories: the public list of categories, k >= 2 names; the counts come in its order, 0 where nobody is.
      unlisted: with such a list, "other" to count all else as the category "(other)", or "refuse".

    Returns Counts: labels (k different names, k >= 2), counts (k ints in [0, 2^63)), warnings (sentences) and
    what was understood: the form, layout, columns, rows left out, header_row.
    The list of categories is taken to be public, which it is not where it comes from the data: hence categories=.
    Counts that hold noise are not read here but by ``noisy_counts_posterior`` and ``read_release``: where the names of
    columns speak of noise it is asked, negative counts and the file of a release are refused, and the sentence says so.
    Rules: outer spaces are trimmed and accents composed (NFC); equal names are added together and names that
    differ by case are not, both with a warning; only an empty cell is missing; the order is that of the file,
    for declared levels the declared one, for true/false False first.

    Raises CountsError in one line naming row, cell and reason, where the file cannot be read as counts or an
    entry is none; CountsQuestion, a CountsError, where the file leaves entries open that only a person can know: it
    lists all of them, each with a guess and its reason, and read_counts(data, filename, **question.suggested) goes on.
    Both hold uploaded cells in their text.
    Source: ours; which records neighbours may differ in is [P17] section 3.
    """
    form = Form.checked(said)
    reading = understood(opened(data, filename, form), form)
    if reading.form.open and not reading.wrong:
        raise CountsQuestion(reading.form.open, reading.form.suggested)
    if reading.counts is None:
        raise reading.refusal or CountsError("nothing was read.")
    return reading.counts


@letting_go()
def read_categories(data: bytes, filename: str, **said: Any) -> tuple[str, ...]:
    """The names in the only column of a file, from its first row on: whether that is a heading no file can tell.

    data, filename as for ``read_counts``; said: its sheet= and encoding=. Returns k >= 2 different names, tidied as
    there. Raises CountsError where the file has more than one column, a name twice, or is no table.
    Source: ours.
    """
    columns = [cells for cells in opened(data, filename, Form.checked(said)).columns if any(map(str.strip, cells))]
    if len(columns) != 1:
        raise CountsError(f"a list of categories has one column: got {len(columns)}; save that column alone.")
    return tidy_list(tuple(cell for cell in columns[0] if cell.strip()))
