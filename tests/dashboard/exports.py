"""What a file that was taken away says, held against what the page shows: tables by their cells, charts by traces."""

import base64
import csv
import html
import io
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import ElementTree

from dpbi.releases.statement import outwards
from dpbi.tables import RELEASE
from tests.dashboard.test_scenario_file import Files

SETTING = "Setting: "
COORDINATES = (*"xyzabc", "lowerfence", "q1", "median", "mean", "q3", "upperfence")
DIGITS = 1e-6  # a chart is drawn in single precision


def read(content: bytes) -> pd.DataFrame:
    """A CSV of the app, in which no two columns have one name."""
    assert content.startswith("\ufeff".encode())
    head = next(csv.reader(io.StringIO(content.decode("utf-8-sig"))))
    assert len({*head}) == len(head), f"columns of one name: {head}"
    return pd.read_csv(io.BytesIO(content), keep_default_na=False, na_values=[""])


def assert_table(content: bytes, shown: pd.DataFrame) -> pd.DataFrame:
    """Every column shown is in the file, in its place, with the same cells as far down as it is shown, the ends of a
    release's intervals outwards; a setting, and what it was made with, is the same in every row. Returns the file."""
    taken = read(content)
    assert [name for name in taken if name in shown] == [*shown]
    rows = [outwards(row) for row in taken[: len(shown)].to_dict("records")]
    for name in shown:
        cells, expected = [row[name] for row in rows], list(shown[name])
        if pd.api.types.is_numeric_dtype(shown[name]):
            np.testing.assert_allclose(np.array(cells, float), np.array(expected, float), 1e-12, 0, err_msg=name)
        else:
            assert [_text(cell) for cell in cells] == [_text(cell) for cell in expected], name
    for name in (name for name in taken if name.startswith(SETTING)):
        assert taken[name].nunique(dropna=False) == 1, name
    return taken


def _text(cell: Any) -> str:
    return "" if cell is None or cell != cell else str(cell).removeprefix("'")


def assert_chart(content: bytes, spec: Mapping[str, Any]) -> pd.DataFrame:
    """Every number that the chart's traces draw is in the file, in their order, under its axis's title, but for a place
    along an axis that is not shown. Returns it."""
    taken = read(content)
    titles = _titles(spec["layout"])
    drawn: dict[str, list[float]] = {}
    for trace in spec["data"]:
        across = spec["layout"].get((trace.get("xaxis") or "x").replace("x", "xaxis")) or {}
        for point in _points(trace):
            for name, value in point.items():
                if name == "x" and across.get("visible") is False:
                    continue
                drawn.setdefault(titles.get(name, name) if titles.get(name) in taken else name, []).append(value)
    compared = 0
    for name, values in drawn.items():
        if name not in taken:
            assert name in ("x", "y"), f"{name} is drawn and not taken"  # a place that an axis says in words
            continue
        found = pd.to_numeric(taken[name], errors="coerce").dropna()
        ends = DIGITS * max(map(abs, values)) if name in ("From", "To") else 0  # sums of what is drawn
        np.testing.assert_allclose(found, values, DIGITS, ends, err_msg=name)
        compared += len(values)
    assert compared >= len(taken), "no point is compared"
    return taken


def _points(trace: Mapping[str, Any]) -> Iterator[dict[str, float]]:
    """The numbers of each point that is drawn, and the ends of the interval about it."""
    arrays = {name: values for name in COORDINATES if (values := decoded(trace.get(name))) is not None}
    if (told := decoded(trace.get("customdata"))) is not None:
        arrays["Value"] = told
    length = max(map(len, arrays.values()), default=0)
    for name in "xy":
        if name not in arrays and trace.get(f"d{name}") is not None:
            arrays[name] = [trace.get(f"{name}0", 0) + i * trace[f"d{name}"] for i in range(length)]
    along, less, more = _interval(trace, arrays)
    for i in range(length):
        point = {name: values[i] for name, values in arrays.items() if i < len(values)}
        if None in point.values() and ("lines" in (trace.get("mode") or "") or not any(point.values())):
            continue
        if more:
            at = point.pop(along) if "base" in trace else point[along]
            point |= {"From": at - less[i], "To": at + more[i]}
        if along == "x":
            point.pop("y", None)  # a mere place
        yield {name: value for name, value in point.items() if isinstance(value, int | float)}


def _interval(trace: Mapping[str, Any], arrays: Mapping[str, list[Any]]) -> tuple[str, list[float], list[float]]:
    """Along which coordinate, and how far below and above the point."""
    if base := decoded(trace.get("base")):
        along = "x" if trace.get("orientation") == "h" else "y"
        return along, [x - low for x, low in zip(arrays[along], base, strict=True)], base
    for along in "xy":
        bars = trace.get(f"error_{along}") or {}
        if more := decoded(bars.get("array")):
            return along, decoded(bars.get("arrayminus")) or more, more
    return "", [], []


def decoded(values: Any) -> list[Any] | None:
    """An array as plotly sends it; None for what is none."""
    if isinstance(values, Mapping):
        array = np.frombuffer(base64.b64decode(values["bdata"]), dtype=values["dtype"])
        return [value if np.isfinite(value) else None for value in array.tolist()]
    return list(values) if isinstance(values, list | tuple) else None


def _titles(layout: Mapping[str, Any]) -> dict[str, str]:
    """The title of each coordinate that all panels agree on."""
    found: dict[str, set[str]] = {}
    for key, axis in layout.items():
        if isinstance(axis, Mapping) and (match := re.fullmatch(r"([xy])axis\d*", key)):
            found.setdefault(match[1], set()).add(_plain(axis))
        if isinstance(axis, Mapping) and re.fullmatch(r"ternary\d*", key):
            for corner in "abc":
                found.setdefault(corner, set()).add(_plain(axis[f"{corner}axis"]))
    return {name: next(iter(titles - {""})) for name, titles in found.items() if len(titles - {""}) == 1}


def _plain(axis: Mapping[str, Any]) -> str:
    text = (axis.get("title") or {}).get("text") or ""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", text)).split())


def made(files: Files) -> dict[str, bytes]:
    return {name: make() for name, make in files.items()}


def assert_page(page: AppTest | ElementTree, files: Mapping[str, bytes]) -> dict[str, pd.DataFrame]:
    """Each table and chart that the page shows is in a CSV of its own, and each CSV is of one of them. Returns the CSVs
    by their names."""
    left = {name: content for name, content in files.items() if name.endswith(".csv")}
    found = {}
    for chart in page.get("plotly_chart"):
        name = f"dpbi-{name_of(chart)}-chart.csv"
        found[name] = assert_chart(left.pop(name), json.loads(chart.proto.spec))
    for frame in page.main.dataframe:
        shown = frame.value
        if {*shown} == {*RELEASE.values()}:
            shown = shown.rename(columns={title: name for name, title in RELEASE.items()})
        name = next(name for name, content in left.items() if {*shown} <= {*read(content).columns})
        found[name] = assert_table(left.pop(name), shown)
    assert not left, f"of nothing that is shown: {[*left]}"
    return found


def name_of(chart: Any) -> str:
    name: str = chart.proto.id.partition("chart: ")[2]
    return name


def assert_drawn(content: bytes, spec: Mapping[str, Any]) -> None:
    """A page of its own draws the chart's traces."""
    drawn = content[content.rindex(b"Plotly.newPlot(") :].decode()
    traces, _ = json.JSONDecoder().raw_decode(drawn, drawn.index("["))
    assert [[*_points(trace)] for trace in traces] == [[*_points(trace)] for trace in spec["data"]]
