"""The page that a browser is given before any script has run, with the sheets: whatever came before them would jump."""

from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

from dpbi.dashboard.session import address

_PAGE, TALK = (Path(__file__).with_name(name).read_text("utf-8") for name in ("page.css", "talk.css"))
# The sidebar comes with the first words, beside them and not before them; who folded it has none.
_SIDEBAR = """
<script>
  const kept = Object.keys(localStorage).find((key) => key.startsWith("stSidebarCollapsed"));
  if (localStorage[kept] !== "true") document.documentElement.classList.add("with-sidebar");
</script>
<style>
  @media (min-width: 768px) {
    .with-sidebar
    [data-testid="stAppViewContainer"] > :has(> [data-testid="stMain"]):not([data-testid="stSidebar"] ~ *) {
      margin-left: %dpx;
    }
  }
</style>
"""
_ANEW = (b"accept-encoding", b"if-none-match", b"if-modified-since")  # what is asked for is neither packed nor kept


def styled(app: Any, sidebar: int) -> Any:
    """The ASGI app, that gives every page its sheets; sidebar: its width in pixels.

    They stand at the end, as Streamlit's own rules of the same weight do not then come after them.
    """

    async def served(scope: Any, receive: Any, send: Any) -> None:
        asked = dict(scope.get("headers", ()))
        if scope["type"] != "http" or b"text/html" not in asked.get(b"accept", b""):
            await app(scope, receive, send)
            return
        headers = [(name, value) for name, value in scope["headers"] if name not in _ANEW]
        start: Any = None
        body = b""

        async def answer(message: Any) -> None:
            nonlocal start, body
            if message["type"] == "http.response.start":
                start = message
                return
            body += message.get("body", b"")
            if message.get("more_body"):
                return
            head = dict(start["headers"])
            if head.get(b"content-type", b"").startswith(b"text/html"):
                body = body.replace(b"</body>", _sheets(scope, sidebar).encode() + b"</body>")
                head |= {b"content-length": str(len(body)).encode()}
                start = start | {"headers": [(k, v) for k, v in head.items() if k not in (b"etag", b"last-modified")]}
            await send(start)
            await send({"type": "http.response.body", "body": body})

        await app(scope | {"headers": headers}, receive, answer)

    return served


def _sheets(scope: Any, sidebar: int) -> str:
    talk = parse_qs(scope["query_string"].decode("latin-1")).get(address.TALK, [""])[0] == "true"
    return f"<style>{_PAGE}</style>" + (f'<style id="talk">{TALK}</style>' if talk else _SIDEBAR % sidebar)
