"""The sentences of the page Data: what each entry of the form means, and what becomes of the counts."""

from collections.abc import Mapping, Sequence
from typing import Any

from dpbi.dashboard.words import words
from dpbi.data.files.form import ADDED, APART, COUNTS, RAW, WIDE
from dpbi.data.files.outcome import listed
from dpbi.data.files.public_list import MISSING, OTHER

UPLOAD_REFUSED = (
    "A file will be refused here (error 403): the browser kept back the cookie that protects uploads, as in a frame of "
    "another site or behind a proxy that drops it. Paste the cells instead, or open the app in a tab of its own; "
    "whoever runs it can serve it over HTTPS with server.xsrfCookieSameSite = \"none\" (README)."
)
BRING_AGAIN = "The file is not here, for none outlasts a reload: bring it again, and say anew what it is."
NOTHING_IN_USE = "No counts of yours are in use yet: bring a file or paste cells on the page Data, and use its counts."
IN_USE = "In use: all pages show these counts."
KEPT = "All pages keep these until you press: what the form says now is not in use."

# Each entry by its name: what it is called, a line of help and what stands where nothing is chosen.
ENTRIES = {
    "sheet": ("Sheet", "The one that holds the table.", "Choose"),
    "header_row": ("Rows that name the columns", "Not a title above them.", "None: the first row is data"),
    "leave_out": ("Rows left out", "Totals, notes: whatever is no data.", "None"),
    "layout": ("Each row is", "One row of numbers alone is the last of these.", "Choose"),
    "column": ("Column to count", "The answers. Of several columns, each combination is a category.", "Choose"),
    "category_column": ("Column of categories", "Their names. Of several columns, each combination.", "Choose"),
    "count_column": ("Column of counts", "How many people. Several are added up.", "Choose"),
    "columns": ("Columns of counts", "One per category, whose name stands above it.", "Choose"),
    "group_column": ("Column of groups", "What the categories come again for: a place, a year.", "None"),
    "group": ("Group", "Add up only where nobody is in two of them.", "Choose"),
    "thousands": ("Thousands are marked by", "As the counts are written in the file.", "Choose"),
    "confirm_percentages": ("These numbers are", "Only numbers of people can be used.", "Choose"),
    "missing": ("Empty answers", "People who gave none.", "Choose"),
    "chosen": ("Cells with several answers", "Or look at one answer alone.", "Each combination is a category"),
    "only": ("Rows that are read", "All, or those of a place, a year. Of two columns, rows with both.", "All"),
    "categories": ("The public list of categories, one per line",
                   "All there can be, as known without looking at the data. A column can be pasted.", ""),
    "unlisted": ("A category that is not on the list", "It is never left out.", "Choose"),
    "encoding": ("Letters are written in", "Try another where they look wrong above.", "Choose"),
}  # fmt: skip
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


def used(kept: Mapping[str, Any] | None) -> str:
    """What is in use, by the settings' counts."""
    return f"In use: {words.escape(kept['name'])}, {comes_to(kept['labels'], kept['counts'])}." if kept else (
        NOTHING_IN_USE
    )


def left_out(rows: Mapping[int, str]) -> list[str]:
    """The rows that are left out, by the reason."""
    return [f"Left out: row {listed([f'{row:,}' for row in sorted(rows) if rows[row] == why], 8)} ({why})."
            for why in dict.fromkeys(rows.values())]  # fmt: skip
