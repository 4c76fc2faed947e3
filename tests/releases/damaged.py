"""Files that a person brings, damaged in any place, and what may come of reading them: values, or our own sentence."""

import copy
import json
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as some

WRONG: some.SearchStrategy[Any] = some.sampled_from([
    None, True, False, 0, -1, 1.5, 10**400, 10**999, 1e308, 1.7e308, -1e308, float("nan"), float("inf"), "", "1", "x",
    "\ud800", "x" * 5_000, "\x00", "<b>", [], {}, [[]], [None], [1, [2, 3]], ["PureDP"], {"kind": []}, {"a": {"b": 1}},
    [True, 5], [1, None], 2**63, 2**64, -(2**63), 4 * 10**15 + 1,
])  # fmt: skip


@some.composite
def damaged(draw: some.DrawFn, document: dict[str, Any]) -> str:
    """The document as JSON, one to three values of it replaced or left out, whichever they are."""
    whole: Any = copy.deepcopy(document)
    for _ in range(draw(some.integers(1, 3))):
        inner, places = whole, _places(whole)
        while places:
            place = draw(some.sampled_from(places))
            deeper = _places(inner[place])
            if not deeper or draw(some.booleans()):
                break
            inner, places = inner[place], deeper
        if not places:
            continue
        if draw(some.integers(0, 5)):
            inner[place] = copy.deepcopy(draw(WRONG))
        else:
            del inner[place]
    return json.dumps(whole)


def _places(value: Any) -> list[Any]:
    return list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []


def read_or_refused(read: Callable[[], Any]) -> Any:
    """What is read; None where it is refused, which must be by a ValueError that dpbi's own code raised."""
    try:
        return read()
    except ValueError as refusal:
        trace = refusal.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        raised_in = "" if trace is None else str(trace.tb_frame.f_globals["__name__"])
        assert raised_in.startswith("dpbi."), f"{raised_in}: {refusal}"
        assert str(refusal).endswith(".") and "sys." not in str(refusal) and "recursion" not in str(refusal)
        return None
