"""What a page consists of, as the calls of Streamlit that draw it: read from the messages of a run, and called again.

By themselves the elements of a page cost its server most of a bare page's rerun. Whoever calls them anew pays for
Streamlit and for plotly alone: for as many widgets, texts, places and buttons in the same containers, with the same
words, for charts of the same traces of as many numbers, and for a table of the same values without a format. Left out
are signs of work, what stood in a place before it was filled, a page's styles of its figures (their template) and what
makes a file at a button's press; a part of the app's own (its slider) is an empty place.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from functools import cache
from io import BytesIO
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import streamlit as st
from google.protobuf.json_format import MessageToDict  # type: ignore[import-untyped]
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from .visitors import EPSILON

Step = tuple[tuple[int, ...], str, dict[str, Any]]  # where, what, and what is said of it
BLOCKS = ("flex_container", "expandable", "column")
_MAIN, _SIDEBAR = 0, 1


def steps(drawn: Iterable[ForwardMsg]) -> list[Step]:
    """The elements and blocks of one run in the page's order, each place with the last that came there."""
    found: dict[tuple[int, ...], Step] = {}
    for message in drawn:
        if message.WhichOneof("type") != "delta":
            continue
        delta, path = message.delta, tuple(message.metadata.delta_path)
        block = delta.WhichOneof("type") == "add_block"
        if delta.WhichOneof("type") not in ("add_block", "new_element") or path[0] not in (_MAIN, _SIDEBAR):
            continue
        whole: Any = delta.add_block if block else delta.new_element
        kind = str(whole.WhichOneof("type"))
        found[path] = path, kind, MessageToDict(getattr(whole, kind), preserving_proto_field_name=True)
    return [found[path] for path in sorted(found)]


def write(drawn: Iterable[ForwardMsg], file: Path) -> None:
    file.write_text(json.dumps(steps(drawn)), "utf-8")


@cache
def read(file: Path) -> list[Step]:
    listed = json.loads(file.read_text("utf-8"))
    return [(tuple(path), kind, said | _unpacked(kind, said)) for path, kind, said in listed]


def _unpacked(kind: str, said: Mapping[str, Any]) -> dict[str, Any]:
    """What a script has at hand before it draws anything."""
    if kind == "plotly_chart":
        figure = json.loads(said["spec"])
        layout = {name: value for name, value in figure["layout"].items() if name != "template"}
        return {"plain": {"data": [_arrays(trace) for trace in figure["data"]], "layout": layout}}
    if kind == "dataframe":
        with pa.ipc.open_stream(BytesIO(base64.b64decode(said["arrow_data"]["data"]))) as stream:
            return {"values": stream.read_pandas()}
    return {}


def _arrays(trace: Mapping[str, Any]) -> dict[str, Any]:
    return {name: np.frombuffer(base64.b64decode(value["bdata"]), dtype=value["dtype"])
            if isinstance(value, dict) and "bdata" in value else value for name, value in trace.items()}


def draw(listed: Sequence[Step]) -> None:
    """All of them, the entry of epsilon under its key; every chart says epsilon, so that none is as it was."""
    epsilon = str(st.session_state.get(EPSILON, "1"))
    for root, below in groupby(listed, key=lambda step: step[0][0]):
        with st.sidebar if root == _SIDEBAR else nullcontext():
            _draw_below([*below], 1, epsilon)


def _draw_below(listed: Sequence[Step], depth: int, epsilon: str) -> None:
    """Elements and blocks that lie so deep, with what lies in them."""
    for _, group in groupby(listed, key=lambda step: step[0][depth]):
        (path, kind, said), *inside = group
        if len(path) > depth + 1:  # of the root
            _draw_below([(path, kind, said), *inside], depth + 1, epsilon)
        elif kind in BLOCKS:
            with _block(kind, said):
                _draw_below(inside, depth + 1, epsilon)
        else:
            _element(kind, said, f"{path}", epsilon)


def _block(kind: str, said: Mapping[str, Any]) -> Any:
    if kind == "expandable":
        return st.expander(said.get("label", ""))
    return st.container(horizontal=said.get("direction") == "HORIZONTAL")


def _element(kind: str, said: Mapping[str, Any], key: str, epsilon: str) -> None:
    label, body = said.get("label", ""), said.get("body", "")
    named: dict[str, Any] = {"key": key, "help": said.get("help")}
    if kind in _WIDGETS:
        _WIDGETS[kind](label, said.get("options", []), **named)
    elif kind in _WORDS:
        _WORDS[kind](body)
    elif kind == "text_input":
        st.text_input(label, said.get("default", ""),
                      **named | {"key": EPSILON if str(said["id"]).endswith(EPSILON) else key})
    elif kind == "metric":
        st.metric(label, body, help=named["help"])
    elif kind == "page_link":
        st.page_link("https://example.org", label=label)
    elif kind == "plotly_chart":
        st.plotly_chart(_figure(said["plain"], epsilon), key=key)
    elif kind == "dataframe":
        st.dataframe(said["values"], key=key)
    else:
        raise ValueError(f"The twin of a page draws no {kind} yet.")


_WORDS: dict[str, Callable[[str], Any]] = {
    "heading": st.title, "markdown": st.markdown, "html": st.html, "alert": st.warning, "empty": lambda _: st.empty(),
    "bidi_component": lambda _: st.empty(), "progress": lambda _: st.progress(0.5),
}  # fmt: skip
_WIDGETS: dict[str, Callable[..., Any]] = {
    "selectbox": st.selectbox,
    "slider": st.select_slider,
    "button_group": lambda label, options, **named: st.pills(
        label or "options", [one["content"] for one in options], selection_mode="multi", **named),
    "checkbox": lambda label, _, **named: st.toggle(label, **named),
    "file_uploader": lambda label, _, **named: st.file_uploader(label, **named),
    "button": lambda label, _, **named: st.button(label, **named),
    "download_button": lambda label, _, **named: st.download_button(label, b"", on_click="ignore", **named),
}


def _figure(plain: Mapping[str, Any], epsilon: str) -> Any:
    """Made anew, as a page that draws what was computed just now must."""
    import plotly.graph_objects as go

    title = plain["layout"]["title"] | {"text": f"epsilon = {epsilon}: {plain['layout']['title']['text']}"}
    return go.Figure({"data": plain["data"], "layout": plain["layout"] | {"title": title}})


