"""Counts that no file of a release may hold, and the search for them."""

import re
import struct

PLANTED = (271_828, 314_159)
TYPED = "\n".join(f"group {i}, {count}" for i, count in enumerate(PLANTED, 1))
# As written with or without thousands apart, and as parameters of the true posterior under the uniform prior.
_SPELLED = [f"{c:{style}}" for c in PLANTED for style in ("d", ",")] + [str(c + 1) for c in PLANTED]
_PATTERN = re.compile(rb"(?<![\d.,])(" + "|".join(_SPELLED).encode() + rb")(?!\d)")
PACKED = [struct.pack(kind, c) for c in PLANTED for kind in ("<q", "<d", ">q", ">d")]


def holds_a_count(content: bytes) -> bool:
    return bool(_PATTERN.search(content)) or any(packed in content for packed in PACKED)


def near_a_count(numbers: set[int]) -> bool:
    """Whether a number is a count by chance: means lie half a record off, parameters one."""
    return not numbers.isdisjoint({count + step for count in PLANTED for step in (-2, -1, 0, 1, 2)})
