"""The page of the papers: scores at a prior of one's own, sources by their marks, readings of ours counted apart."""

import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from dpbi import compare_scores
from dpbi.dashboard.views import claims, score_study
from dpbi.papers.bibliography import PAPERS
from dpbi.papers.claims import CLAIMS
from dpbi.papers.score_study import _chi_square
from tests.dashboard.person import bare, charts, everything, opened, select, shown, text

PAGE = "pages/6_Papers.py"


def test_the_scores_are_compared_at_a_prior_n_and_epsilon_of_ones_own() -> None:
    at = shown(opened(), PAGE)
    assert_papers_are_there(everything(at).replace("\\", ""))
    assert score_study.said(compare_scores((1, 1), 100, 1)) in everything(at)
    assert re.search(r"\*\*Which one is nearest depends on prior and epsilon\.\*\*.* settings below", everything(at))
    select(at, "scores: prior", "another")
    for name, value in (("own prior", "50, 60"), ("n", "20"), ("epsilon", "0.7")):
        text(at, f"scores: {name}", value)
    found = compare_scores((50, 60), 20, 0.7)
    assert not found.unbounded and score_study.said(found) in everything(at)
    text(at, "scores: n", "0")
    refused, = (bare(error.value) for error in at.main.error)
    assert "n must be at least 1" in refused and len(charts(at)) == 1, "the figure, and all else, is still there"
    text(at, "scores: n", "501")
    refused, = (bare(error.value) for error in at.main.error)
    assert "it compares 501 datasets at most, and n = 501 with k = 2 categories has 502" in refused


def test_what_is_infinite_and_what_is_too_large_a_number_are_told_apart() -> None:
    """With a = 450 to 890 and back, chi^2 is about 10^347."""
    assert np.isinf(_chi_square((450.0, 450.0), 440)).any() and np.isfinite(_chi_square((800.0, 800.0), 440)).all()
    found = compare_scores((1, 1), 8, 1)
    assert "infinite between some" in score_study.said(found)
    assert "larger between some" in score_study.said(replace(found, prior=(9.0, 9.0)))


def assert_papers_are_there(said: str) -> None:
    """With authors and date as their texts have them: two bear a date."""
    for paper in PAPERS:
        authors, date = paper.authors or "No author named", paper.date or "Undated"
        assert f"**{paper.mark}** {authors}. {paper.title}. {date}." in said
    assert {paper.mark for paper in PAPERS if paper.date} == {"[P20]", "[L17]"}


def test_readings_of_ours_are_marked_and_counted_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = {claim.name for claim in CLAIMS[::9]}
    by_name = {claim.name: replace(claim, ours=claim.name in ours) for claim in CLAIMS}
    monkeypatch.setattr(claims, "_BY_NAME", by_name)
    found = {claim.name: claim.finding for claim in CLAIMS}
    theirs, read = (Counter[str](one.kind for name, one in found.items() if (name in ours) == so)
                    for so in (False, True))
    numbers = list(map(int, re.findall(r"\d+", claims._summary(found))))
    kinds = ("holds", "holds if", "fails")
    assert numbers == [len(found) - len(ours), *(theirs[k] for k in kinds), len(ours), *(read[k] for k in kinds)]
    marked = claims._table(found)["Source"].str.endswith("(a reading of ours)")
    assert marked.tolist() == [name in ours for name in found]
    assert "ours" not in claims._summary({name: one for name, one in found.items() if name not in ours})
