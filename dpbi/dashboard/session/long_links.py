"""Links of more parameters than Streamlit reads, which would drop all of them without a word to page or person."""

from typing import Any

from dpbi import limits

TOO_MANY = "too_many_parameters"  # of an address, with their number: what is left of such a link


def said(app: Any) -> Any:
    """The app, an ASGI one, that sends the browser on from such a link to the same page, which says what became of it.

    Of what was asked only the address reaches a page, so the number is written there.
    """

    async def served(scope: Any, receive: Any, send: Any) -> None:
        number = scope["query_string"].count(b"&") + 1 if scope["type"] == "http" else 0
        if number <= limits.LINK_PARAMETERS_LARGEST:
            await app(scope, receive, send)
            return
        headers = [(b"location", f"?{TOO_MANY}={number}".encode()), (b"content-length", b"0")]
        await send({"type": "http.response.start", "status": 307, "headers": headers})
        await send({"type": "http.response.body", "body": b""})

    return served
