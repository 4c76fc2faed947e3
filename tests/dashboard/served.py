"""A session of the running app without a browser: it speaks Streamlit's own websocket and presses what a person may."""

from __future__ import annotations

from types import TracebackType
from typing import Any
from urllib.request import urlopen

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.testing.v1.element_tree import ElementTree, parse_tree_from_messages
from websockets.sync.client import connect

PATIENCE = 120.0  # seconds without a message


class Session:
    """One person's; ``page`` holds what the last run drew, as AppTest would give it."""

    def __init__(self, url: str, path: str, query: str) -> None:
        """path: a page's, as its address ends; query: its link's."""
        self.page = ElementTree()
        self._url, self._path, self._query, self._hash, self._id = url, path, query, "", ""
        self._socket = connect(f"ws{url.removeprefix('http')}/_stcore/stream", origin=url,  # type: ignore[arg-type]
                               subprotocols=["streamlit"], max_size=None)  # type: ignore[list-item]

    def __enter__(self) -> Session:
        self._socket.__enter__()
        self.run()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._socket.__exit__(kind, error, trace)

    def run(self, widget: Any = None, **value: Any) -> None:
        """The page's run, after a change of a widget: one of the fields of Streamlit's WidgetState."""
        message = BackMsg()
        message.rerun_script.page_script_hash = self._hash
        message.rerun_script.page_name = self._path
        message.rerun_script.query_string = self._query
        if widget is not None:
            message.rerun_script.widget_states.widgets.add(id=widget.proto.id, **value)
        self._socket.send(message.SerializeToString())
        drawn, kind = ForwardMsgQueue(), ""
        while kind != "script_finished":
            heard = self._hear()
            kind = heard.WhichOneof("type") or ""
            if kind == "new_session":
                drawn.clear()
                self._id = heard.new_session.initialize.session_id
            if kind == "navigation":
                self._hash = heard.navigation.page_script_hash
            drawn.enqueue(heard)
        self.page = parse_tree_from_messages(drawn.flush())

    def downloads(self) -> dict[str, Any]:
        """The page's download buttons by the names of their files, top to bottom."""
        found = [button.proto for button in self.page.get("download_button")]
        named = {button.id.partition("download: ")[2]: button for button in found}
        assert len(named) == len(found)
        return named

    def press(self, button: Any) -> bytes:
        """The file, as the browser fetches it: made at the press, or with the page."""
        address = button.url
        if button.deferred_file_id:
            message = BackMsg()
            asked = message.backend_operation_request
            asked.request_id, asked.session_id = button.id, self._id
            asked.deferred_file.file_id = button.deferred_file_id
            self._socket.send(message.SerializeToString())
            while (answer := self._hear()).WhichOneof("type") != "backend_operation_response":
                pass
            answered = answer.backend_operation_response
            assert not answered.error_msg, f"{button.label}: {answered.error_msg}"
            address = answered.deferred_file.url
        with urlopen(f"{self._url}{address}", timeout=PATIENCE) as file:
            content: bytes = file.read()
        return content

    def _hear(self) -> ForwardMsg:
        return ForwardMsg.FromString(self._socket.recv(PATIENCE, decode=False))
