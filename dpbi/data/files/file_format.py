"""What a file is, told by its first bytes; its name is only a hint."""

import io
import zipfile
import zlib
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
EXCEL = "xl/workbook.xml"
INSIDE_ZIP = (
    (EXCEL, "an Excel workbook"),
    ("xl/workbook.bin", "an Excel workbook"),
    ("word/document.xml", "a Word document"),
    ("Index/Document.iwa", "an Apple Numbers or Pages document"),
    ("content.xml", "an OpenDocument file"),
)
INSIDE_OLE = (
    ("EncryptedPackage", "a file protected by a password"),
    ("Workbook", "an Excel workbook"),
    ("Book", "an Excel workbook"),
)
SPREADSHEET = b"application/vnd.oasis.opendocument.spreadsheet"
ARCHIVE, OLE = b"PK", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
EXPECTED_BY_NAME = {
    **dict.fromkeys((".xlsx", ".xlsm", ".xls", ".xlsb"), "an Excel workbook"),
    ".ods": "an OpenDocument spreadsheet",
    **dict.fromkeys((".parquet", ".pq"), "a Parquet file"),
}


def identify(data: bytes, filename: str, form: Understanding) -> str:
    """ "workbook", "parquet" or "text"; CountsError where the bytes are something else.

    Text under the name of a binary format is refused: whoever named it expects another content. The other
    way round the content is read and the name remarked on.
    """
    expected = EXPECTED_BY_NAME.get(PurePath(filename).suffix.lower())
    if not data:
        raise CountsError("the file is empty.")
    found = _found(data)
    if found is None:
        if expected:
            raise CountsError(f"this is not {expected}, as its name says, but looks like text: rename it to .csv.")
        return "text"
    if found not in EXPECTED_BY_NAME.values():
        raise CountsError(f"this is {found}, which is not read; {SAVE_AS}.")
    if expected != found:
        form.remark(f"Whatever its name says, the file is {found}, and it was read as one.")
    return "parquet" if found == "a Parquet file" else "workbook"


def _found(data: bytes) -> str | None:
    """What the file is, in words; None for text."""
    if data.startswith(b"PAR1"):
        return "a Parquet file" if data.endswith(b"PAR1") and len(data) > 8 else "a Parquet file that is cut off"
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _in_archive(data)
    if data.startswith(OLE):
        return next((what for name, what in INSIDE_OLE if name.encode("utf-16-le") in data), "an old Office file")
    for signature, what in SIGNATURES:
        if data.startswith(signature):
            return what
    start = data[:1024].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith((b"<!doctype", b"<html", b"<?xml", b"<table", b"<?mso")):
        return "a web page or XML"
    return "JSON" if start[:1] in (b"{", b"[") and starts_as_json(data) else None


def _in_archive(data: bytes) -> str:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = set(archive.namelist())
            mimetype = archive.read("mimetype") if "mimetype" in names else b""
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, RuntimeError, zlib.error):
        raise CountsError("this workbook or ZIP archive is damaged and cannot be opened.") from None
    if mimetype.startswith(SPREADSHEET):
        return "an OpenDocument spreadsheet"
    return next((what for inside, what in INSIDE_ZIP if inside in names), "a ZIP archive (unpack it first)")
