"""The README's Python runs as printed, and what it prints is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

README = Path(__file__).parent.parent / "README.md"


def snippets() -> list[str]:
    return re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), flags=re.DOTALL)


def test_snippets_run_and_print_what_they_say(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, object] = {}
    for snippet in snippets():
        exec(compile(snippet, str(README), "exec"), names)  # the README's own code
    guarantee, law, loss, calibrated, aware, published, limit, times, nearest = capsys.readouterr().out.splitlines()
    assert limit.endswith(" theorem") and float(limit.split()[0]) == pytest.approx(0.0854, abs=5e-5)
    assert float(times) == pytest.approx(1, abs=0.005)
    counts = re.fullmatch(r"\((\d+), (\d+)\) 0\.\d+", nearest)
    assert counts and sum(map(int, counts.groups())) == 90
    first, second, low, high = map(float, re.findall(r"[\d.]+", aware))
    assert first + second == pytest.approx(1.0)
    assert low < first < high
    assert int(published) > 100
    assert guarantee == "1-DP (theorem)"
    mean, within, quantile = map(float, law.split())
    assert 0 < mean < quantile < 1
    assert 0.5 < within < 1
    assert float(loss) == pytest.approx(1.0, rel=1e-9)
    uncalibrated = names["dpbi"].distance_law(names["dpbi"].mechanisms.EHDS(1.0), names["problem"])  # type: ignore[attr-defined]
    assert float(calibrated) < uncalibrated.mean


def test_every_picture_is_there() -> None:
    for picture in re.findall(r"!\[[^]]+\]\(([^)]+)\)", README.read_text(encoding="utf-8")):
        assert (README.parent / picture).is_file(), picture
