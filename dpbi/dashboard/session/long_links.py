"""Links that Streamlit would not follow: of more parameters than it reads, all of which it would drop without a word to
page or person; and to a page in another spelling, for which it shows the main page.
"""

import functools
from pathlib import Path
from typing import Any

from streamlit.source_util import page_icon_and_name

from dpbi import limits

TOO_MANY = "too_many_parameters"  # of an address, with their number: what is left of such a link
_PAGES = Path(__file__).resolve().parents[3] / "pages"
_MAIN = "home"  # what the main page is called, whose address has no name


def said(app: Any) -> Any:
    """The app, an ASGI one, that sends the browser on: from a link of too many parameters to the same page, which says
    what became of it, and from another spelling of a page to its address, query and all.

    Of what was asked only the address reaches a page, so the number of parameters is written there.
    """

    async def served(scope: Any, receive: Any, send: Any) -> None:
        location = _elsewhere(scope["path"], scope["query_string"]) if scope["type"] == "http" else None
        if location is None:
            await app(scope, receive, send)
            return
        headers = [(b"location", location), (b"content-length", b"0")]
        await send({"type": "http.response.start", "status": 307, "headers": headers})
        await send({"type": "http.response.body", "body": b""})

    return served


def _elsewhere(path: str, query: bytes) -> bytes | None:
    """Where the browser is to go on, relative to where it is; None where it is right."""
    asked = path.rstrip("/").rpartition("/")[2]
    name = _names().get(asked.casefold().replace("-", "_").replace(" ", "_"), asked)
    if name != asked:
        up = "../" if path.endswith("/") else "./"
        return f"{up}{name}".encode() + (b"?" + query if query else b"")
    number = query.count(b"&") + 1
    return f"?{TOO_MANY}={number}".encode() if number > limits.LINK_PARAMETERS_LARGEST else None


@functools.cache
def _names() -> dict[str, str]:
    """What each page is called in its address, by its name in small letters."""
    named = [page_icon_and_name(page)[1] for page in _PAGES.glob("*.py")]
    return {_MAIN: ""} | {name.casefold(): name for name in named}
