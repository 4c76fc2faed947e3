"""What a file is, told by its first bytes; its name is only a hint."""

import io
import zipfile
from pathlib import PurePath

from dpbi.data.json_object import starts_as_json

from .form import Understanding
from .outcome import CountsError

SAVE_AS = "save it as CSV or .xlsx and upload that"
SIGNATURES = (
    (b"%PDF", "a PDF document"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"<stata_dta>", "a Stata file"),
    (b"$FL2", "an SPSS file"),
    (b"{\\rtf", "an RTF document"),
)
INSIDE_ZIP = (
    ("xl/workbook.bin", "a binary workbook (.xlsb)"),
    ("word/document.xml", "a Word document"),
    ("Index/Document.iwa", "an Apple Numbers or Pages document"),
    ("content.xml", "an OpenDocument file (.ods)"),
)
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
EXPECTED_BY_NAME = {
    ".xlsx": "an Excel workbook",
    ".xlsm": "an Excel workbook",
    ".xls": "an Excel workbook",
    ".xlsb": "an Excel workbook",
    ".ods": "an OpenDocument spreadsheet",
    ".parquet": "a Parquet file",
    ".pq": "a Parquet file",
}


def identify(data: bytes, filename: str, form: Understanding) -> str:
    """ "workbook", "parquet" or "text"; CountsError where the bytes are something else.

    Text under the name of a binary format is refused: whoever named it expects another content. The other
    way round the content is read and the name remarked on.
    """
    expected = EXPECTED_BY_NAME.get(PurePath(filename).suffix.lower())
    if not data:
        raise CountsError("the file is empty.")
    if data.startswith(b"PAR1") and data.endswith(b"PAR1") and len(data) > 8:
        kind, name = "parquet", "a Parquet file"
    elif data.startswith(b"PK\x03\x04") or data.startswith(b"PK\x05\x06"):
        _refuse_other_archives(data)
        kind, name = "workbook", "an Excel workbook"
    else:
        _refuse_other_formats(data)
        if expected:
            raise CountsError(f"this is not {expected}, as its name says, but looks like text: rename it to .csv.")
        return "text"
    if expected != name:
        form.remark(f"Whatever its name says, the file is {name}, and it was read as one.")
    return kind


def _refuse_other_formats(data: bytes) -> None:
    if data.startswith(OLE):
        locked = "EncryptedPackage".encode("utf-16-le") in data
        what = "protected by a password" if locked else "an old Excel workbook (.xls) or another old Office file"
        raise CountsError(f"this file is {what}; {SAVE_AS}.")
    for signature, what in SIGNATURES:
        if data.startswith(signature):
            raise CountsError(f"this is {what}, not a table; {SAVE_AS}.")
    if data.startswith(b"PAR1"):
        raise CountsError("this Parquet file is cut off: its end is missing.")
    start = data[:1024].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith((b"<!doctype", b"<html", b"<?xml", b"<table", b"<?mso")):
        raise CountsError(f"this is a web page or XML, not a table; open it in a spreadsheet and {SAVE_AS}.")
    if start[:1] in (b"{", b"[") and starts_as_json(data):
        raise CountsError("this is JSON; a table is needed: one row per category or per person.")


def _refuse_other_archives(data: bytes) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = set(archive.namelist())
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        raise CountsError("this workbook or ZIP archive is damaged and cannot be opened.") from None
    if "xl/workbook.xml" in names:
        return
    for inside, what in INSIDE_ZIP:
        if inside in names:
            raise CountsError(f"this is {what}, which is not read here; {SAVE_AS}.")
    raise CountsError("this is a ZIP archive, not an Excel workbook; unpack it and upload the table inside.")
