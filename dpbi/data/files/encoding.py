"""From bytes to text: UTF-8, UTF-16 or UTF-32 by their marks, Windows-1252 where nothing else fits."""

import codecs
from contextlib import suppress

from .form import Understanding
from .outcome import CountsError, shown

MARKS = (  # the longer mark first: UTF-32 LE begins with the mark of UTF-16 LE
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
    (codecs.BOM_UTF8, "UTF-8"),
)
CONTROLS = "".join(map(chr, (*range(0x00, 0x09), *range(0x0E, 0x20), 0x7F)))
NOT_TEXT = "this is not a text table"


def decode(data: bytes, form: Understanding) -> tuple[str, str]:
    """The text with "\\n" as its only line end, and the name of the encoding."""
    said = form.said.encoding
    text, encoding = _as_said(data, said) if said else _decode(data.removesuffix(b"\x1a"), form)
    form.settle("encoding", encoding)
    _refuse_garbage(text, encoding)
    if "�" in text:
        form.remark("The file holds replacement characters (�): letters were lost before it came here.")
    return text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n"), encoding


def _as_said(data: bytes, said: str) -> tuple[str, str]:
    try:
        return data.decode(said), said
    except LookupError:
        raise CountsError(f"encoding: {shown(said)} is not known; UTF-8 and cp1251 are.", entry="encoding") from None
    except UnicodeDecodeError as error:
        row = data.count(b"\n", 0, error.start) + 1
        raise CountsError(f"the file is not {said}: byte {error.start + 1} fits no letter of it.", row,
                          entry="encoding") from None  # fmt: skip


def _decode(data: bytes, form: Understanding) -> tuple[str, str]:
    for mark, encoding in MARKS:
        if data.startswith(mark):
            if encoding != "UTF-8":
                form.remark(f"The file was read as {encoding}.")
            return _strictly(data, "utf-8-sig" if encoding == "UTF-8" else encoding), encoding
    order = _order_of_nulls(data[:4096])
    if order:
        form.remark("The file was read as UTF-16, though it has no mark that says so; check the names.")
        return _strictly(data, f"utf-16-{order}"), "UTF-16"
    with suppress(UnicodeDecodeError):
        return data.decode("utf-8"), "UTF-8"
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError as error:
        row = data.count(b"\n", 0, error.start) + 1
        raise CountsError(
            f"{NOT_TEXT} in UTF-8 or Windows-1252; save it as 'CSV UTF-8' and upload that.", row
        ) from None
    form.remark("The file is not UTF-8. It was read as Windows-1252: check the names.")
    return text, "Windows-1252"


def _strictly(data: bytes, codec: str) -> str:
    try:
        return data.decode(codec)
    except UnicodeDecodeError:
        raise CountsError(f"the file is marked as {codec.removesuffix('-sig').upper()} but is damaged.") from None


def _order_of_nulls(start: bytes) -> str | None:
    """ "le" or "be" where the zero bytes lie as in UTF-16 text of mostly Latin letters, else None."""
    pairs = len(start) // 2
    even, odd = start[0::2].count(0), start[1::2].count(0)
    if pairs < 2 or max(even, odd) < 0.4 * pairs or min(even, odd) > 0.1 * pairs:
        return None
    return "le" if odd > even else "be"


def _refuse_garbage(text: str, encoding: str) -> None:
    """Windows-1252 makes text of almost any bytes, so there one control character is enough to refuse."""
    if "\x00" in text:
        raise CountsError(f"{NOT_TEXT}: it holds zero bytes.")
    controls = sum(map(text.count, CONTROLS))
    if controls > (0 if encoding == "Windows-1252" else len(text) / 50):
        raise CountsError(f"{NOT_TEXT}: it holds control characters.")
