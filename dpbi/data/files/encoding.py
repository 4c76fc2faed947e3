"""From bytes to text: UTF-8, UTF-16 or UTF-32 by their marks; else the encoding whose letters are the likeliest."""

import codecs
import re
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from itertools import islice, pairwise
from math import log

from .form import Understanding
from .outcome import CountsError, shown

MARKS = (  # the longer mark first: UTF-32 LE begins with the mark of UTF-16 LE
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
    (codecs.BOM_UTF8, "UTF-8"),
)
WESTERN = "éáíóöäüãçèàñøåêßúæôâîûõëïùòœìªºðþýšž"
CYRILLIC = "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфіїёъєґ№"
# The letters of each encoding, lower case, the commoner ones first; of those of two bytes, the first bytes of what
# their makers called common characters, and the codec that knows what was added since.
LETTERS = {
    "Windows-1252": WESTERN,
    "Windows-1250": "áéíłóąęěšýčžśńřöüżőćúůťźňďűâăşţđäîçôëľĺŕß",
    "Windows-1251": CYRILLIC,
    "Windows-1253": "αοιετσνηυρπκμλςωίάόέδγήχθφβύώξζψϊϋ",
    "Windows-1254": "ıüişğöçâîéû",
    "Windows-1255": "יוהלאמתרבשנםחדקעפטכצסגזןךףץ",
    "Windows-1256": "اليمنورتبدسكعةفقهحجطشصخزذضثغىأءئؤإآظ",
    "KOI8-R": CYRILLIC,
    "Mac-Roman": WESTERN,
    "cp850": WESTERN,
    "cp874": "านรอกเงมยลวดทสตะปบคหแจพชขใไโผถซณฟธภศญฉฝษฐฎฆฬฑฏฌฒฮ"  # and what stands above and below:
    "\u0e31\u0e34\u0e35\u0e36\u0e37\u0e38\u0e39\u0e47\u0e48\u0e49\u0e4c",
}
COMMON_FIRST_BYTES = {
    "Big5": ("cp950", range(0xA4, 0xC7)),
    "GB18030": ("gb18030", range(0xB0, 0xD8)),
    "EUC-KR": ("cp949", range(0xB0, 0xC9)),
    "Shift_JIS": ("cp932", (0x82, 0x83, *range(0x88, 0x98))),
}
ENCODINGS = ("UTF-8", "UTF-16", *LETTERS, *COMMON_FIRST_BYTES)
NOT_ASCII, SAMPLE_LINES = re.compile(rb"[ -~]?[\x80-\xff][^\r\n]{,2000}"), 200
# In nats. One letter more or less must not decide against Windows-1252: hence what the difference must come to.
ASCII_COST, PUNCTUATION_COST, SYMBOL_COST, RARE_COST, ODD_COST, CLEAR = log(64), 2.5, 5.0, 12.0, 2.0, 3.0
LAST_LATIN = "\u024f"
CONTROLS = "".join(map(chr, (*range(0x00, 0x09), *range(0x0E, 0x20), *range(0x7F, 0xA0))))
NOT_TEXT = "this is not a text table"


def decode(data: bytes, form: Understanding) -> tuple[str, str]:
    """The text with "\\n" as its only line end, and the name of the encoding."""
    said = form.said.encoding
    data = data.removesuffix(b"\x1a")
    encoding, why = (said, "") if said else _encoding_of(data, form)
    text = _decoded(data, encoding)
    form.settle("encoding", encoding, why)
    _refuse_garbage(text, encoding)
    if "�" in text:
        form.remark("The file holds replacement characters (�): letters were lost before it came here.")
    return text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n"), encoding


def _decoded(data: bytes, encoding: str) -> str:
    codec = COMMON_FIRST_BYTES.get(encoding, (encoding,))[0]
    try:
        return data.decode(codec)
    except LookupError:
        raise CountsError(f"encoding: {shown(encoding)} is not known; UTF-8 and Windows-1251 are.",
                          entry="encoding") from None  # fmt: skip
    except UnicodeDecodeError as error:
        row = data.count(b"\n", 0, error.start) + 1
        raise CountsError(f"the file is not {encoding}: byte {error.start + 1} fits no letter of it.", row,
                          entry="encoding") from None  # fmt: skip


def _encoding_of(data: bytes, form: Understanding) -> tuple[str, str]:
    """The name of the encoding, and why it is open."""
    marked = next((encoding for mark, encoding in MARKS if data.startswith(mark)), None)
    encoding = marked or _order_of_nulls(data[:4096])
    if encoding:
        if encoding != "UTF-8":
            unsaid = "" if marked else ", though it has no mark that says so; check the names"
            form.remark(f"The file was read as {encoding}{unsaid}.")
        return encoding, ""
    with suppress(UnicodeDecodeError):
        data.decode("utf-8")
        return "UTF-8", ""
    likeliest = _likeliest(data)
    if likeliest == "Windows-1252":
        form.remark("The file is not UTF-8. It was read as Windows-1252: check the names.")
        return likeliest, ""
    return likeliest, f"The file does not say which letters its bytes stand for; {likeliest} gives the likeliest."


def _order_of_nulls(start: bytes) -> str | None:
    """Which UTF-16 it is where the zero bytes lie as in text of mostly Latin letters, else None."""
    pairs = len(start) // 2
    even, odd = start[0::2].count(0), start[1::2].count(0)
    if pairs < 2 or max(even, odd) < 0.4 * pairs or min(even, odd) > 0.1 * pairs:
        return None
    return "UTF-16-LE" if odd > even else "UTF-16-BE"


def _likeliest(data: bytes) -> str:
    """The encoding under which the letters cost least; another than Windows-1252 only where it is clear."""
    sample = b"\n".join(dict.fromkeys(found[0] for found in islice(NOT_ASCII.finditer(data), SAMPLE_LINES)))
    costs = {}
    for encoding in (*LETTERS, *COMMON_FIRST_BYTES):
        with suppress(CountsError):
            costs[encoding] = _cost(_decoded(sample, encoding), _costs(encoding)) - CLEAR * (encoding == "Windows-1252")
    for encoding in sorted(costs, key=lambda encoding: costs[encoding]):
        with suppress(CountsError):
            _decoded(data, encoding)
            return encoding
    raise CountsError(f"{NOT_TEXT} in an encoding that is known here; save it as 'CSV UTF-8' and upload that.")


def _cost(text: str, costs: Mapping[str, float]) -> float:
    """- log P(text), each character drawn by itself, those that go ill with the one before at a price."""
    cost = 0.0
    for before, letter in pairwise(" " + text):
        if letter.isascii():
            cost += ASCII_COST
        else:
            symbol = not (letter.isalpha() or before.isalpha())
            cost += costs.get(letter.lower(), SYMBOL_COST if symbol else RARE_COST)
            cost += 0 if letter.isprintable() else RARE_COST  # for private use: no letter at all
            cost += ODD_COST * (letter.isupper() + (before.isdigit() and letter.isalpha()))
        if before.isalpha() and letter.isalpha() and (before <= LAST_LATIN) != (letter <= LAST_LATIN):
            cost += ODD_COST
        if before.islower() and letter.isupper():
            cost += ODD_COST
    return cost


@cache
def _costs(encoding: str) -> dict[str, float]:
    """- log of how often each of its letters is one of the text: as its rank, or all alike."""
    letters = LETTERS.get(encoding)
    if letters:
        ranked = {letter: log(rank * log(len(letters))) for rank, letter in enumerate(letters, 1)}
        return ranked | dict.fromkeys("’“”–…", PUNCTUATION_COST)
    codec, first_bytes = COMMON_FIRST_BYTES[encoding]
    pairs = (bytes((first, second)) for first in first_bytes for second in range(0x40, 0xFF))
    common = {letter for pair in pairs if len(letter := pair.decode(codec, "ignore")) == 1}
    return dict.fromkeys(common, log(len(common)))


def _refuse_garbage(text: str, encoding: str) -> None:
    """Most encodings make text of almost any bytes, so there one control character is enough to refuse."""
    if "\x00" in text:
        raise CountsError(f"{NOT_TEXT}: it holds zero bytes.")
    controls = sum(map(text.count, CONTROLS))
    if controls > (len(text) / 50 if encoding.upper().startswith("UTF") else 0):
        raise CountsError(f"{NOT_TEXT}: it holds control characters.")
