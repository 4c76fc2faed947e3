"""Noise-aware posteriors of several releases: against each release's own, in the figure, on the page, in its script."""

import numpy as np
import pytest

from dpbi import MECHANISMS, Problem, dirichlet, noise_aware_posterior
from dpbi.dashboard.sidebar import controls
from dpbi.figures.posteriors import coverage_bars, noise_aware_posteriors
from dpbi.inference.noise_aware_releases import noise_aware_releases, number_of_releases
from tests.dashboard.person import ALL, QUIET, bare, charts, everything, opened, tick, typed, visit
from tests.dashboard.test_scenario_file import record
from tests.dashboard.test_take_away import assert_the_same, run, snippet
from tests.every_mechanism import Kind, every_class, lists_datasets

PAGE = "pages/1_Private_posteriors.py"


@every_class
@pytest.mark.parametrize(("prior", "counts"), [((1, 2), (3, 9)), ((1, 0.5, 2), (4, 0, 7))], ids=str)
def test_each_is_the_posterior_of_its_release(
    kind: Kind, prior: tuple[float, ...], counts: tuple[int, ...]
) -> None:
    problem, mechanism = Problem(prior, counts), kind(2.0)
    drawn = mechanism.sample(problem, np.random.default_rng(2), 40)
    found = noise_aware_releases(mechanism, problem, drawn)
    looked_at = [tuple(r) for r in drawn[:20].tolist()]
    assert sorted(map(tuple, found.released.tolist())) == sorted(set(looked_at))
    assert [looked_at.count(tuple(r)) for r in found.released.tolist()] == found.times.tolist()
    covered, naive, aware = np.zeros(problem.k), 0.0, 0.0
    truth = dirichlet.mean(problem.posterior)
    alone = {r: noise_aware_posterior(mechanism, prior, problem.n, r) for r in set(looked_at)}
    for r in looked_at:
        one = alone[r]
        row = found.released.tolist().index(list(r))
        assert found.means[row] == pytest.approx(one.mean)
        for i in range(problem.k):
            low, high = one.interval(0.95, i)
            assert (found.low[row, i], found.high[row, i]) == (low, high)
            covered[i] += low <= truth[i] <= high
            naive += np.ptp(dirichlet.interval(np.array(prior) + r, 0.95, i))
            aware += high - low
        if problem.k == 2:
            assert found.densities[row] == pytest.approx(one.density(found.grids[row]))
    assert found.coverage() == pytest.approx(covered / len(looked_at))
    assert found.widening() == pytest.approx(aware / naive)
    assert found.grids.shape == (len(found.released), 61 if problem.k == 2 else 0)


def test_the_more_categories_the_fewer_releases() -> None:
    assert [number_of_releases(k, 1000) for k in (2, 20, 50, 2000)] == [20, 20, 8, 3]
    assert number_of_releases(2, 10) == 10
    problem = Problem((1.0,) * 60, (*range(30), *([90] * 30)))
    mechanism = MECHANISMS[2](1.0)
    found = noise_aware_releases(mechanism, problem, mechanism.sample(problem, np.random.default_rng(1), 30))
    known = np.isfinite(found.coverage())
    assert known.sum() == 40 and known[:20].all() and known[30:50].all()
    assert len(noise_aware_posteriors([found]).data)


def test_no_release_is_refused() -> None:
    problem, mechanism = Problem((1, 1), (3, 4)), MECHANISMS[2](1.0)
    with pytest.raises(ValueError, match="At least one release"):
        noise_aware_releases(mechanism, problem, np.empty((0, 2), dtype=np.int64))
    assert len(coverage_bars([noise_aware_releases(mechanism, problem, [(3, 4)])]).data) == 1


def aware(counts: str, ticked: set[str] = ALL) -> tuple:
    at = tick(visit(typed(opened(QUIET), counts), PAGE), ticked)
    at.segmented_control(key="entry: reading").set_value(controls.AWARE).run()
    assert not at.exception and len(at.main.error) <= 1
    return at, charts(at)


def test_the_page_and_its_script_read_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    files, ticked = record(monkeypatch), MECHANISMS[1::3]
    at, drawn = aware("3 0 4", {kind.__name__ for kind in ticked})
    assert len(drawn) == 2
    assert "Noise-aware intervals, as a multiple" in at.get("plotly_chart")[0].proto.alt
    assert "first 20 draws" in everything(at)
    assert f"{ticked[0].label} covers" in at.main.dataframe[0].value
    files.clear()
    at.run()
    assert_the_same(at, files, run(snippet(at), monkeypatch))
    visit(visit(at, QUIET), PAGE)
    assert at.segmented_control(key="entry: reading").value == controls.AWARE


def test_who_has_no_noise_aware_posterior_says_why() -> None:
    at, drawn = aware("30 20 25")
    assert len(drawn) == 2
    listing = [kind for kind in MECHANISMS if lists_datasets(kind)]
    said = bare(at.main.error[0].value)
    assert "every dataset" in said and all(kind.label in said for kind in listing)
    table = at.main.dataframe[0].value
    assert not [kind for kind in listing if f"{kind.label} covers" in table]
    tick(at, {kind.__name__ for kind in listing})
    assert not charts(at) and len(at.main.dataframe) == 2
