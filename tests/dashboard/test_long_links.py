"""A link of more than 1,000 parameters, which Streamlit drops: the page says so in a sentence."""

import asyncio
from typing import Any

import pytest

from dpbi.dashboard.session import long_links
from dpbi.dashboard.take_away import scenario_file
from tests.dashboard.test_links import follow
from tests.dashboard.test_scenario_file import notice

SENTENCE = "A link may have at most 1,000 parameters: got 1001. Nothing of it was taken over."


async def _answers(app: Any, query: bytes, kind: str = "http") -> list[dict[str, Any]]:
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await app({"type": kind, "path": "/Accuracy", "query_string": query}, None, send)
    return sent


async def _reached(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "reached"})


@pytest.mark.parametrize(("number", "dropped"), [(1, False), (1000, False), (1001, True)])
def test_the_browser_is_sent_on_from_what_would_be_dropped(number: int, dropped: bool) -> None:
    sent = asyncio.run(_answers(long_links.said(_reached), b"&".join([b"a=1"] * number)))
    assert (sent == [{"type": "reached"}]) != dropped
    if dropped:
        assert sent[0]["status"] == 307
        assert (b"location", b"?too_many_parameters=1001") in sent[0]["headers"]


def test_what_is_no_page_passes() -> None:
    assert asyncio.run(_answers(long_links.said(_reached), b"&" * 2000, "websocket")) == [{"type": "reached"}]


def test_the_page_says_what_became_of_the_link() -> None:
    at = follow("app.py", {long_links.TOO_MANY: "1001"})
    assert "Nothing was taken over" in notice(at) and SENTENCE in notice(at)


@pytest.mark.parametrize("found", [{long_links.TOO_MANY: ["1001"]}, {"a": ["1"] * 1001}])
def test_too_many_are_refused_however_they_come(found: dict[str, list[str]]) -> None:
    with pytest.raises(ValueError, match="at most 1,000 parameters: got 1001"):
        scenario_file.from_query(found)
