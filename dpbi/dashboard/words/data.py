"""The sentences of the page Data: what each entry of the form means, and what becomes of the counts."""

from collections.abc import Mapping, Sequence
from typing import Any

from dpbi import limits
from dpbi.dashboard.words import words
from dpbi.data.files.form import ADDED, APART, COUNTS, RAW, WIDE
from dpbi.data.files.outcome import listed
from dpbi.data.files.public_list import MISSING, OTHER

FORMATS = "CSV, TSV, Excel or Parquet. It is read in memory and kept in this session alone, until you discard it."
PASTE = "Or paste cells, as a spreadsheet copies them"
PASTED = "pasted.txt"  # what pasted cells are called
UPLOAD_REFUSED = (
    "A file will be refused here (error 403): the browser kept back the cookie that protects uploads, as in a frame of "
    "another site or behind a proxy that drops it. Paste the cells instead, or open the app in a tab of its own; "
    "whoever runs it can serve it over HTTPS with server.xsrfCookieSameSite = \"none\" (README)."
)
BRING_AGAIN = (
    "Counts of a file are asked for, and none are here: neither they nor the file outlast a reload. Bring the file "
    "again, and say anew what it is."
)
FILE_IS_GONE = "The file itself is not here: bring it again to read it in another way."
NOTHING_IN_USE = "No counts of yours are in use yet: bring a file or paste cells on the page Data, and use its counts."
IN_USE = "In use: all pages show these counts."
ON = "Compare the mechanisms on them"
KEPT = "All pages keep these until you press: what the form says now is not in use."
FALLEN_BACK = "It is taken as guessed instead."
MORE = "More: some rows alone, the public list of categories, letters that look wrong"

LIST = "All there can be, whether or not anybody is in them, as known without looking at the data."
# Each entry by its name: what it is called, a line of help and, where it may name several, what stands for none.
ENTRIES = {
    "sheet": ("Sheet", "The one that holds the table.", ""),
    "header_row": ("Rows that name the columns", "A title above is no name.", "None: the first row is data"),
    "leave_out": ("Rows left out", "Totals, notes: whatever is no data.", "None"),
    "layout": ("Each row is", "A row of numbers alone is the last.", ""),
    "column": ("Column to count", "The answers. Of several columns, each combination is a category.", "Choose"),
    "category_column": ("Column of categories", "Their names. Of several, each combination.", "Choose"),
    "count_column": ("Column of counts", "How many people. Several are added up.", "Choose"),
    "columns": ("Columns of counts", "One per category, whose name stands above it.", "Choose"),
    "group_column": ("Column of groups", "What the categories come again for: a place, a year.", "None"),
    "group": ("Group", "Add up only where nobody is in two of them.", ""),
    "thousands": ("Thousands are marked by", "As the counts are written in the file.", ""),
    "confirm_percentages": ("These numbers are", "Only numbers of people can be used.", ""),
    "missing": ("Empty answers", "People who gave none.", ""),
    "chosen": ("Cells with several answers", "A person has one category, or one answer is looked at alone.", ""),
    "only": ("Rows that are read", "All, or those with some values of a column: a place, a year.", ""),
    "kept": ("Values that are read", "Rows with any other are left out.", "All"),
    "categories": ("The public list of categories, one per line", LIST, ""),
    "unlisted": ("A category that is not on the list", "It is never left out.", ""),
    "encoding": ("Letters are written in", "Try another where they look wrong above.", ""),
}
CHOICES: dict[str, dict[Any, str]] = {
    "layout": {RAW: "a person", COUNTS: "a category with its count", WIDE: "a group, with a column per category"},
    "group": {ADDED: "all, added up", APART: "each apart"},
    "thousands": {
        "": "nothing",
        ",": "commas: 1,234",
        ".": "dots: 1.234",
        " ": "spaces: 1 234",
        "'": "apostrophes: 1'234",
        "lakh": "commas: 12,34,567",
        "myriad": "commas: 12,3456",
    },
    "confirm_percentages": {True: "numbers of people", False: "percentages"},
    "missing": {"drop": "are left out", "keep": f"are counted as {MISSING}"},
    "chosen": {None: "each combination is a category"},
    "only": {None: "all"},
    "categories": {None: "none"},
    "unlisted": {"other": f"is counted as {OTHER}", "refuse": "is refused: the list will be completed"},
    "encoding": {
        "UTF-8": "UTF-8",
        "UTF-16": "UTF-16",
        "Windows-1252": "Western (Windows-1252)",
        "Mac-Roman": "Western (old Macintosh)",
        "cp850": "Western (DOS)",
        "Windows-1250": "Central European (Windows-1250)",
        "Windows-1251": "Cyrillic (Windows-1251)",
        "KOI8-R": "Cyrillic (KOI8-R)",
        "Windows-1253": "Greek (Windows-1253)",
        "Windows-1254": "Turkish (Windows-1254)",
        "Windows-1255": "Hebrew (Windows-1255)",
        "Windows-1256": "Arabic (Windows-1256)",
        "cp874": "Thai (Windows-874)",
        "GB18030": "Chinese (GBK, GB18030)",
        "Big5": "Chinese (Big5)",
        "Shift_JIS": "Japanese (Shift JIS)",
        "EUC-KR": "Korean (EUC-KR)",
    },
}


def comes_to(labels: Sequence[str], counts: Sequence[int]) -> str:
    return f"{len(labels):,} categories, n = {sum(counts):,}"


def too_large(total: int) -> str:
    return f"the counts are too large: they may add to at most {limits.TOTAL_LARGEST:,}, got {total:,}."


def used(kept: Mapping[str, Any]) -> str:
    """What is in use, by the settings' counts."""
    return f"In use: {words.escape(kept['name'])}, {comes_to(kept['labels'], kept['counts'])}."


def waits(name: str) -> str:
    return f"The form of {words.escape(name)} on the page Data says something else, which is not in use."


def left_out(rows: Mapping[int, str]) -> list[str]:
    """The rows that are left out, by the reason."""
    by_reason = {why: [f"{row:,}" for row in sorted(rows) if rows[row] == why] for why in rows.values()}
    return [f"Left out: row {listed(same, 8)} ({why})." for why, same in by_reason.items()]
