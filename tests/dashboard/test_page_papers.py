"""The page of the papers: scores at a prior of one's own, sources by their marks, readings and misprints apart."""

import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from dpbi import compare_scores
from dpbi.dashboard.sidebar import controls
from dpbi.dashboard.take_away import scenario_file
from dpbi.dashboard.views import claims, score_study
from dpbi.papers.bibliography import PAPERS
from dpbi.papers.claims import CLAIMS
from dpbi.papers.score_study import _chi_square
from tests.dashboard.exports import read
from tests.dashboard.person import bare, charts, everything, opened, select, shown, text
from tests.dashboard.test_scenario_file import Files

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


def test_the_setting_of_the_comparison_goes_along_in_settings_and_csv(files: Files) -> None:
    at = shown(opened(), PAGE)
    select(at, "scores: prior", "another")
    for name, value in (("own prior", "50, 60"), ("n", "20"), ("epsilon", "0.7")):
        text(at, f"scores: {name}", value)
    kept = at.session_state["settings"]
    found = {key: value for key in ("scores_prior", "scores_n", "scores_epsilon")
             for value in scenario_file.accepted(key, kept).values()}
    assert found == {"scores_prior": [50, 60], "scores_n": 20, "scores_epsilon": 0.7}
    again = scenario_file.restored(scenario_file.from_json(scenario_file.to_json(found)))
    assert not again.notices and {name: kept[name] for name in again.settings} == again.settings
    listed = scenario_file.restored({"scores_prior": [7, 4]}).settings
    assert controls.scores_prior(kept | listed) == (7, 4) and listed["scores: prior"] == "Beta(7, 4)"
    csv = read(files["dpbi-scores-chart.csv"]())
    assert {name: set(csv[f"Setting: {name} of the scores"]) for name in ("prior", "n", "epsilon")} == {
        "prior": {"Beta(50, 60)"}, "n": {20}, "epsilon": {0.7}}


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


def test_readings_of_ours_and_misprints_are_marked_and_counted_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, slips = ({claim.name for claim in CLAIMS[start::9]} for start in (0, 1))
    by_name = {claim.name: replace(claim, ours=claim.name in ours, misprint=claim.name in slips) for claim in CLAIMS}
    monkeypatch.setattr(claims, "_BY_NAME", by_name)
    found = {claim.name: claim.finding for claim in CLAIMS}
    apart = ours | slips
    stated = [name for name, claim in by_name.items()
              if claim.stated and found[name].kind == "holds if" and name not in apart]
    theirs, read = (Counter[str](one.kind for name, one in found.items() if name in some)
                    for some in (found.keys() - apart, ours))
    numbers = list(map(int, re.findall(r"\d+", claims._summary(found))))
    kinds = ("holds", "holds if", "fails")
    assert numbers == [len(found) - len(apart), theirs["holds"], len(stated), theirs["holds if"] - len(stated),
                       theirs["fails"], len(slips), len(ours), *(read[k] for k in kinds)]
    sources = claims._table(found)["Source"]
    assert sources.str.endswith("(a reading of ours)").tolist() == [name in ours for name in found]
    assert sources.str.endswith("(a misprint)").tolist() == [name in slips for name in found]
    plain = claims._summary({name: one for name, one in found.items() if name not in apart})
    assert "ours" not in plain and "misprint" not in plain
