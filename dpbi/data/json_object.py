"""A file that a person brings as a JSON object: read, or refused in a sentence before anything of it is used."""

from __future__ import annotations

import json
import re
from typing import Any

from dpbi import limits

_DEEPEST = 50  # lists and objects within one another: dpbi's own files have six
_DIGITS = 1_000  # of a whole number
# A text that is never closed runs to the end, so that the search takes one pass whatever the file holds.
_BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\Z)|([\[{])|([\]}])', re.DOTALL)


def json_object(what: str, content: str | bytes) -> dict[str, Any]:
    """The object, its values still to be checked. what: what the file should be, such as "A release".

    Raises ValueError for what is no JSON object in UTF-8, nests too deeply, holds a whole number of too many digits, or
    gives a name twice, of which a reader could take either.
    """
    text = _decoded(what, content)
    deep = _depth(text)
    if deep > _DEEPEST:
        raise _refusal(what, f"it nests lists and objects {deep:,} deep, at most {_DEEPEST} levels are read")
    try:
        found = json.loads(text, parse_int=lambda digits: _whole(what, digits),
                           object_pairs_hook=lambda pairs: _object(what, pairs))
    except json.JSONDecodeError as failure:
        where = f"line {failure.lineno:,}, column {failure.colno:,}"
        raise _refusal(what, f"it cannot be read from {where} on") from None
    if not isinstance(found, dict):
        raise _refusal(what, f"it holds {limits.shown(found)}")
    return found


def _refusal(what: str, reason: str) -> ValueError:
    return ValueError(f"{what} must be a JSON object in UTF-8: {reason}.")


def _decoded(what: str, content: str | bytes) -> str:
    if isinstance(content, str):
        return content.removeprefix("\ufeff")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as failure:
        raise _refusal(what, f"byte {failure.start + 1:,} is no UTF-8") from None


def _depth(text: str) -> int:
    """The most brackets that are open at one place."""
    here = deepest = 0
    for found in _BRACKETS.finditer(text):
        here += bool(found[1]) - bool(found[2])
        deepest = max(deepest, here)
    return deepest


def _whole(what: str, digits: str) -> int:
    if len(digits) > _DIGITS:
        raise _refusal(what, f"a whole number in it has {len(digits):,} digits, at most {_DIGITS:,} are read")
    return int(digits)


def _object(what: str, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in found if names.count(name) > 1)
        raise _refusal(what, f"it gives {limits.shown(twice)} more than once")
    return found
