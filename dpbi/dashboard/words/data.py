"""The sentences of the page Data: what each entry of the form means, and what becomes of the counts."""

from typing import Any

from dpbi.dashboard.words import words
from dpbi.data.files.form import ADDED, APART, COUNTS, RAW, WIDE
from dpbi.data.files.public_list import MISSING, OTHER

FORMATS = "CSV, TSV, Excel or Parquet, up to 16 MB. It is read in memory and kept in this session alone."
PASTE = "Or paste cells, as a spreadsheet copies them"
PASTED, PASTED_NAME = "Pasted cells", "pasted.txt"
UPLOAD_REFUSED = (
    "A file will be refused here (error 403): the browser kept back the cookie that protects uploads, as in a frame of "
    "another site or behind a proxy that drops it. Paste the cells instead, or open the app in a tab of its own; "
    "whoever runs it can serve it over HTTPS with server.xsrfCookieSameSite = \"none\" (README)."
)
BRING_AGAIN = (
    "The counts of a file were in use, but neither they nor the file outlast a reload: bring the file again below, and "
    "say anew what it is."
)
FILE_IS_GONE = "The file itself is not here any more: bring it again to read it in another way."
NOTHING_IN_USE = "No counts of yours are in use yet: bring a file or paste cells on the page Data."
NOT_USED = "Nothing is used yet."
IN_USE = "In use: all pages show these counts."
SAY_A_COLUMN = "say which column is read: none is chosen."
NO_HEADER = "None: the first row is data"
FALLEN_BACK = "It is taken as guessed instead."

# Each entry by its name: what it is called, and a line of help.
ENTRIES = {
    "sheet": ("Sheet", "The one that holds the table."),
    "header_row": ("Rows with the names of the columns", "Often the first. Titles above are no names."),
    "leave_out": ("Rows left out", "Totals, notes, sources: whatever is no data."),
    "layout": ("Each row is", ""),
    "column": ("Column to count", "The answers to be counted. Of several columns, each combination."),
    "category_column": ("Column of categories", "The name of what was counted in each row."),
    "count_column": ("Column of counts", "How many people. Several are added up."),
    "group_column": ("Columns of groups", "What the categories come again for: a place, a year, a question."),
    "group": ("Group", "Add up only where nobody is in two groups."),
    "thousands": ("Thousands are marked by", "How the counts are written."),
    "confirm_percentages": ("These numbers are", "Only numbers of people can be used."),
    "missing": ("Empty answers", "Of people who gave no answer."),
    "chosen": ("Cells with several answers", "Each combination is a category, or one answer is counted alone."),
    "only": ("Only rows of one kind: column", "For a table of several places, years or questions."),
    "kept": ("Rows that are kept", "Those with one of these values."),
    "categories": ("One category per line", "All there can be, as known without looking at the data."),
    "unlisted": ("A category that is not on the list", "It is never left out."),
    "encoding": ("Letters are written in", "Where names above look wrong, try another."),
}
COUNTS_OF_GROUPS = ("Columns of counts", "One per category, whose name stands above it.")
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
}
ENCODINGS = {
    "UTF-8": "UTF-8",
    "UTF-16": "UTF-16",
    "Windows-1252": "Western (Windows-1252)",
    "mac_roman": "Western (old Macintosh)",
    "cp1250": "Central European (Windows-1250)",
    "cp1251": "Cyrillic (Windows-1251)",
    "koi8_r": "Cyrillic (KOI8-R)",
    "cp1253": "Greek (Windows-1253)",
    "cp1254": "Turkish (Windows-1254)",
    "cp1255": "Hebrew (Windows-1255)",
    "cp1256": "Arabic (Windows-1256)",
    "gb18030": "Chinese (GBK, GB18030)",
    "big5hkscs": "Chinese (Big5)",
    "cp932": "Japanese (Shift JIS)",
    "cp949": "Korean (EUC-KR)",
}


def comes_to(labels: int, total: int) -> str:
    return f"{labels:,} categories, n = {total:,}"


def used(kept: dict[str, Any]) -> str:
    """What is in use, by the settings' counts."""
    return f"In use: {words.escape(kept['name'])}, {comes_to(len(kept['labels']), sum(kept['counts']))}."


def still_used(kept: dict[str, Any]) -> str:
    return f"{used(kept)} All pages keep these until you press: what is said below is not in use."


def waits(name: str) -> str:
    return f"{words.escape(name)} is open on the page Data, and what its form says is not in use."
