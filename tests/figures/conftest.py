"""Figures without plotly's template, nine tenths of each, which costs plotly more to check than all that is drawn."""

import plotly.io
import pytest


@pytest.fixture(autouse=True)
def _without_the_template(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plotly.io.templates, "default", "none")
