"""The chart and the sentence about which distance should score the candidates."""

import contextlib
import io
import re

import pytest

from dpbi import compare_scores
from dpbi.dashboard.views import score_study
from dpbi.figures import scores
from dpbi.figures.style import number


def test_the_chart_shows_every_score_before_and_after_and_names_the_nearest() -> None:
    found = compare_scores((1, 1), 8, 1.0)
    figure = scores.compared(found)
    before, after = figure.data
    assert [name.replace("<br>", "") for name in before.y] == [row.score for row in found.rows]
    assert list(before.y) == list(after.y)
    title = re.sub("</span>|<br>|<span[^>]*>", " ", figure.layout.title.text)
    title = " ".join(title.split())
    assert all(name in title for name in found.unbounded) and len(found.unbounded) == 2
    assert list(before.x) == pytest.approx([row.mean for row in found.rows])
    assert list(after.x) == pytest.approx([row.calibrated_mean for row in found.rows])
    best = min(found.rows, key=lambda row: row.calibrated_mean)
    assert best.score in title and number(best.calibrated_mean) in title
    assert f"**{best.score}** is nearest" in score_study.said(found)


def test_small_means_keep_their_digits_in_title_and_sentence() -> None:
    said = {epsilon: (scores.compared(found).layout.title.text.replace("<br>", " "), score_study.said(found))
            for epsilon in (50.0, 1000.0) for found in [compare_scores((1, 1), 30, epsilon)]}
    assert "“steps” is" in said[50.0][0] and "1 times the limit" in said[50.0][0]
    assert "Hellinger 1.1e+13" in said[50.0][1] and not re.search(r"\d{7}", said[50.0][1])
    assert "below 10⁻³⁰⁰" in said[1000.0][0] and "Times the limit" not in said[1000.0][1]


def test_the_script_prints_what_the_page_says() -> None:
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(score_study.script_of((1.0, 1.0), 8, 1.0), "script", "exec"), {})
    for row in compare_scores((1, 1), 8, 1.0).rows:
        assert f"{row.score} {row.sensitivity}" in printed.getvalue()
