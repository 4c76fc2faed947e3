"""From bytes to text: UTF-8 or UTF-16 by their marks; else the encoding whose letters are the likeliest."""

import codecs
import re
from contextlib import suppress
from functools import cache
from itertools import islice, pairwise
from math import log

from .form import Understanding
from .outcome import CountsError, shown

WESTERN = "éáíóöäüãçèàñøåêßúæôâîûõëïùòœìªºðþý"
CYRILLIC = "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфіїёъєґ№"
# The letters of each encoding in lower case, the commoner ones first, and signs that stand among them.
LETTERS = {
    "Windows-1252": WESTERN + "°€£§±²³½µ¿¡«»",
    "Windows-1250": "áéíłóąęěšýčžśńřöüżőćúůťźňďűâăşţđäîçôëľĺŕß",
    "Windows-1251": CYRILLIC + "«»",
    "Windows-1253": "αοιετσνηυρπκμλςωίάόέδγήχθφβύώξζψϊϋ",
    "Windows-1254": "ıüişğöçâîéûáèäñôåóßø",
    "Windows-1255": "יוהלאמתרבשנםחדקעפטכצסגזןךףץ",
    "Windows-1256": "اليمنورتبدسكعةفقهحجطشصخزذضثغىأءئؤإآظ",
    "KOI8-R": CYRILLIC,
    "Mac-Roman": WESTERN,
    "cp850": WESTERN,
    "cp874": "านรอกเงมยลวดทสตะปบคหแจพชขใไโผถซณฟธภศญฉฝษฐฎฆฬฑฏฌฒฮ"  # and what stands above and below:
    "\u0e31\u0e34\u0e35\u0e36\u0e37\u0e38\u0e39\u0e47\u0e48\u0e49\u0e4c",
}
# Of letters of two bytes: the codec that knows what was added since, and the first bytes of those that its makers
# called common.
COMMON_FIRST_BYTES = {
    "Big5": ("cp950", range(0xA4, 0xC7)),
    "GB18030": ("gb18030", range(0xB0, 0xD8)),
    "EUC-KR": ("cp949", range(0xB0, 0xC9)),
    "Shift_JIS": ("cp932", (0x82, 0x83, *range(0x88, 0x98))),
}
ENCODINGS = ("UTF-8", "UTF-16", *LETTERS, *COMMON_FIRST_BYTES)
NOT_ASCII, SAMPLE_LINES = re.compile(rb"[ -~]?[\x80-\xff][^\r\n]{,2000}"), 200
# In nats. One letter more or less must not decide against Windows-1252: hence what the difference must come to.
ASCII_COST, PUNCTUATION_COST, RARE_COST, ODD_COST, CLEAR = log(64), 2.5, 12.0, 2.0, 3.0
CONTROLS = "".join(map(chr, (*range(0x00, 0x09), *range(0x0E, 0x20), *range(0x7F, 0xA0))))
NOT_TEXT = "this is not a text table"


def decode(data: bytes, form: Understanding) -> str:
    """The text with "\\n" as its only line end; the form is told the encoding."""
    data = data.removesuffix(b"\x1a")
    encoding = form.said.encoding or _encoding_of(data)
    text = _decoded(data, encoding)
    # Most encodings make text of almost any bytes, so there one control character is enough to refuse.
    most = len(text) / 50 if encoding.upper().startswith("UTF") else 0
    if "\x00" in text or sum(map(text.count, CONTROLS)) > most:
        raise CountsError(f"{NOT_TEXT}: it holds control characters. If it is UTF-16, say so (encoding).")
    why = f"The file does not say which letters its bytes stand for; {encoding} gives the likeliest."
    form.settle("encoding", encoding, "" if encoding in ("UTF-8", "UTF-16", "Windows-1252") else why)
    if encoding != "UTF-8" and form.said.encoding is None:
        form.remark(f"The file is not UTF-8. It was read as {encoding}: check the names.")
    return text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _decoded(data: bytes, encoding: str) -> str:
    codec = COMMON_FIRST_BYTES.get(encoding, (encoding,))[0]
    if encoding.upper() == "UTF-16" and data[:1] == b"\0":  # without a mark Python takes the order of the machine
        codec = "utf-16-be"
    try:
        return data.decode(codec)
    except UnicodeDecodeError as error:
        why = f"the file is not {encoding}: byte {error.start + 1} fits no letter of it."
        raise CountsError(why, data.count(b"\n", 0, error.start) + 1, entry="encoding") from None
    except (LookupError, ValueError):
        why = f"encoding: {shown(encoding)} is not known; UTF-8 and Windows-1251 are."
        raise CountsError(why, entry="encoding") from None


def _encoding_of(data: bytes) -> str:
    """As a mark says, or UTF-8; else that under which the letters cost least, another than Windows-1252 only where it
    is clear."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "UTF-16"
    with suppress(UnicodeDecodeError):
        if not data.startswith(codecs.BOM_UTF8):
            data.decode("utf-8")
        return "UTF-8"
    sample = b"\n".join(dict.fromkeys(found[0] for found in islice(NOT_ASCII.finditer(data), SAMPLE_LINES)))
    costs = {}
    for encoding in (*LETTERS, *COMMON_FIRST_BYTES):
        with suppress(CountsError):
            _decoded(data, encoding)
            costs[encoding] = _cost(_decoded(sample, encoding), encoding) - CLEAR * (encoding == "Windows-1252")
    if not costs:
        raise CountsError(f"{NOT_TEXT} in an encoding that is known here; save it as 'CSV UTF-8' and upload that.")
    return min(costs, key=costs.__getitem__)


def _cost(text: str, encoding: str) -> float:
    """- log P(text), each letter drawn by itself; rare ones, capitals and what goes ill with
    the letter before at a price: scripts are not mixed, and hardly ever do two Latin letters with accents meet."""
    costs, cost = _costs(encoding), 0.0
    for before, letter in pairwise(" " + text):
        odd = int(letter.isupper() and not letter.isascii())
        cost += ASCII_COST if letter.isascii() else costs.get(letter.lower(), RARE_COST)
        accents = sum(0 if each.isascii() else 1 if each <= "\u024f" else 5 for each in (before, letter))
        together = before.isalpha() and letter.isalpha()
        odd += (together and accents not in (0, 1, 10)) + (before.islower() and letter.isupper())
        cost += ODD_COST * odd
    return cost


@cache
def _costs(encoding: str) -> dict[str, float]:
    """- log of how often each of its letters is one of the text: as its rank, or all alike."""
    if letters := LETTERS.get(encoding):
        ranked = {letter: log(rank * log(len(letters))) for rank, letter in enumerate(letters, 1)}
        return ranked | dict.fromkeys("’“”–…", PUNCTUATION_COST)
    codec, first_bytes = COMMON_FIRST_BYTES[encoding]
    pairs = (bytes((first, second)) for first in first_bytes for second in range(0x40, 0xFF))
    common = {letter for pair in pairs if len(letter := pair.decode(codec, "ignore")) == 1}
    return dict.fromkeys(common, log(len(common)))
