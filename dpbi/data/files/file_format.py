"""What a file is, told by its first bytes; its name is only a hint."""

import re
from pathlib import PurePath

from dpbi.data.json_object import starts_as_json

from .outcome import READ_NOISY, CountsError

ARCHIVE, OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
BRACKET = re.compile(rb"(?:\xef\xbb\xbf)?\s*[{\[]")
MARKUP = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:<[a-z!?]|\{\\rtf|%pdf)", re.IGNORECASE)
EXPECTED_BY_NAME = {
    **dict.fromkeys((".xlsx", ".xlsm", ".xls", ".xlsb", ".ods"), "a workbook"),
    **dict.fromkeys((".parquet", ".pq"), "a Parquet file"),
}


def identify(data: bytes, filename: str) -> str:
    """ "workbook", "parquet" or "text"; CountsError where the bytes are something else.

    Text under the name of a binary format is refused: whoever named it expects another content. The other
    way round the content is read.
    """
    if not data:
        raise CountsError("the file is empty.")
    if data.startswith((ARCHIVE, OLE)):
        return "workbook"
    if data.startswith(b"PAR1"):
        return "parquet"
    if BRACKET.match(data) and re.search(rb'"format"\s*:\s*"dpbi (?:release|ledger)', data):
        raise CountsError(f"this is the file of a release, no true counts: it is read {READ_NOISY}read_release.")
    if MARKUP.match(data) or (BRACKET.match(data) and starts_as_json(data)):
        raise CountsError("this is JSON, a web page or a document, which is not read; save the table as CSV or .xlsx.")
    if expected := EXPECTED_BY_NAME.get(PurePath(filename).suffix.lower()):
        raise CountsError(f"this is not {expected}, as its name says, but looks like text: rename it to .csv.")
    return "text"
