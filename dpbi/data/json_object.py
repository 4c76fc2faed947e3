"""A file that a person brings as a JSON object: read, or refused in a sentence before anything of it is used.

Time is linear in the size of the file. So is memory, at most 25 times the size: lists and objects, which take the most
(72 bytes and more for three characters), are counted before they are made.
"""

import json
from collections import Counter
from typing import Any

from dpbi import limits

_DEEPEST = 50  # lists and objects within one another: dpbi's own files have six
_MARKS_LARGEST = 500_000  # opening brackets and colons: a ledger of 10,000 releases has 200,000
_DIGITS = 1_000  # of a whole number
_START = 1_000_000  # bytes by which a file is told to be JSON
_CUT = 12  # the longest word of JSON that the end of a text can cut, \ud83d\ude00


def json_object(what: str, content: str | bytes) -> dict[str, Any]:
    """The object, its values still to be checked. what: what the file should be, such as "A release".

    Raises ValueError for what is no JSON object in UTF-8, nests too deeply or holds too much, holds a whole number of
    too many digits, or gives a name twice, of which a reader could take either.
    """
    text = _decoded(what, content)
    marks = sum(map(text.count, "[{:"))
    if marks > _MARKS_LARGEST:
        raise _refusal(what, f"it holds {marks:,} opening brackets and colons, at most {_MARKS_LARGEST:,} are read")
    too_deep = _refusal(what, f"it nests lists and objects too deeply, at most {_DEEPEST} levels are read")
    try:
        found = json.loads(text, parse_int=lambda digits: _whole(what, digits),
                           object_pairs_hook=lambda pairs: _object(what, pairs))
    except json.JSONDecodeError as failure:
        where = f"line {failure.lineno:,}, column {failure.colno:,}"
        raise _refusal(what, f"it cannot be read from {where} on") from None
    except RecursionError:
        raise too_deep from None
    if _is_deeper(found, _DEEPEST):
        raise too_deep
    if not isinstance(found, dict):
        raise _refusal(what, f"it holds {limits.shown(found)}")
    return found


def starts_as_json(data: bytes) -> bool:
    """Whether the bytes are JSON, or their first line is, as in files of one record a line; nothing of it is kept.

    Of a file of more than a million bytes the beginning is looked at: whether it goes on as it began makes no
    difference to what it is.
    """
    text = data[:_START].decode(json.detect_encoding(data), "ignore").lstrip()
    return any(_is_json(part, len(data) > _START and part is text) for part in (text, text.split("\n", 1)[0]))


def _is_json(text: str, cut: bool) -> bool:
    """Whether it is JSON, or where it was cut can be continued as JSON."""
    try:
        json.loads(text)
    except json.JSONDecodeError as failure:
        return cut and (failure.pos >= len(text) - _CUT or failure.msg.startswith("Unterminated string"))
    except (ValueError, RecursionError):
        return False
    return True


def _refusal(what: str, reason: str) -> ValueError:
    return ValueError(f"{what} must be a JSON object in UTF-8: {reason}.")


def _decoded(what: str, content: str | bytes) -> str:
    if isinstance(content, str):
        return content.removeprefix("\ufeff")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as failure:
        raise _refusal(what, f"byte {failure.start + 1:,} is no UTF-8") from None


def _is_deeper(found: Any, levels: int) -> bool:
    """Whether lists and objects lie within one another in more than so many levels."""
    level = [found] if isinstance(found, dict | list) else []
    for _ in range(levels):
        opened = [value.values() if isinstance(value, dict) else value for value in level]
        level = [inner for values in opened for inner in values if isinstance(inner, dict | list)]
    return bool(level)


def _whole(what: str, digits: str) -> int:
    if len(digits) > _DIGITS:
        raise _refusal(what, f"a whole number in it has {len(digits):,} digits, at most {_DIGITS:,} are read")
    return int(digits)


def _object(what: str, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        times = Counter(name for name, _ in pairs)
        twice = next(name for name in found if times[name] > 1)
        raise _refusal(what, f"it gives {limits.shown(twice)} more than once")
    return found
