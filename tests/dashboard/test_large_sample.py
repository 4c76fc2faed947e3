"""Many records on the page: what is said is what was computed, and the script runs."""

import pytest

from dpbi import MECHANISMS, large_sample_board
from dpbi.dashboard.views import large_sample
from dpbi.mechanisms import EHDL, LSHist


def test_what_is_said_is_computed() -> None:
    board = large_sample_board([EHDL(1.0), LSHist(1.0)], (0.5, 0.5), [1, 2, 4])
    assert "EHDL 2.255 and LSHist 1.272" in large_sample.said(board)
    assert "EHDL is nearer than LSHist only from ε = 2.634 on" in large_sample.changes_said(board)


def test_the_script_runs_and_prints_what_is_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("plotly.graph_objects.Figure.write_html", lambda *_, **__: None)
    shorter = large_sample.SCRIPT.replace(str(large_sample._TWO), str((*large_sample._TWO[:2], (100, 1_000))))
    assert shorter != large_sample.SCRIPT
    exec(shorter, {"__name__": "__main__"})
    said = capsys.readouterr().out
    assert "from epsilon = 2.6339" in said and " on EHDL is nearer than LSHist" in said
    assert all(kind.label in said for kind in MECHANISMS[1:4])
