"""A session of the running app without a browser: it speaks Streamlit's own websocket and presses what a person may."""

from __future__ import annotations

import time
from functools import cached_property
from types import TracebackType
from typing import Any
from urllib.request import urlopen

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.testing.v1.element_tree import ElementTree, parse_tree_from_messages
from websockets.sync.client import connect
from websockets.typing import Origin, Subprotocol

PATIENCE = 120.0  # seconds without a message


class Session:
    """One person's. Of the last run: ``drawn``, the messages that it sent; ``size``, the bytes of all it sent;
    ``seconds``, how long it took."""

    def __init__(self, url: str, path: str, query: str) -> None:
        """path: a page's, as its address ends; query: its link's."""
        self.drawn: list[ForwardMsg] = []
        self.size, self.seconds = 0, 0.0
        self._url, self._path, self._query, self._hash, self._id = url, path, query, "", ""
        self._socket = connect(f"ws{url.removeprefix('http')}/_stcore/stream", origin=Origin(url),
                               subprotocols=[Subprotocol("streamlit")], max_size=None)  # fmt: skip

    def __enter__(self) -> Session:
        self._socket.__enter__()
        self.run()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._socket.__exit__(kind, error, trace)

    @cached_property
    def page(self) -> ElementTree:
        """What the last run drew, as AppTest would give it: put together when it is asked for."""
        drawn = ForwardMsgQueue()
        for message in self.drawn:
            drawn.enqueue(message)
        return parse_tree_from_messages(drawn.flush())

    def run(self, widget: Any = None, **value: Any) -> None:
        """The page's run, after a change of a widget: one of the fields of Streamlit's WidgetState."""
        message = BackMsg()
        message.rerun_script.page_script_hash = self._hash
        message.rerun_script.page_name = self._path
        message.rerun_script.query_string = self._query
        if widget is not None:
            message.rerun_script.widget_states.widgets.add(id=widget.proto.id, **value)
        vars(self).pop("page", None)
        began, self.size, heard = time.perf_counter(), 0, ForwardMsg()
        self._socket.send(message.SerializeToString())
        while heard.WhichOneof("type") != "script_finished" or heard.script_finished:
            heard = self._hear()
            kind = heard.WhichOneof("type")
            if kind == "new_session":
                self.drawn, self._id = [], heard.new_session.initialize.session_id
            if kind == "navigation":
                self._hash = heard.navigation.page_script_hash
            self.drawn.append(heard)
        self.seconds = time.perf_counter() - began

    def downloads(self) -> dict[str, Any]:
        """The page's download buttons by the names of their files, top to bottom."""
        buttons: Any = self.page.get("download_button")
        named = {button.proto.id.partition("download: ")[2]: button.proto for button in buttons}
        assert len(named) == len(buttons)
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
        received = self._socket.recv(PATIENCE, decode=False)
        self.size += len(received)
        return ForwardMsg.FromString(received)
