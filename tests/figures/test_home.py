"""The rows of Home: their order, their curves and their numbers, each by another route than the figure's."""

import re
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.stats import beta

from dpbi import (
    MECHANISMS,
    LimitComparison,
    PrivacyLimit,
    Problem,
    comparison_of,
    distance_law,
    expected_distance,
    limit_of_privacy,
    sample_posteriors,
)
from dpbi.figures import home
from dpbi.figures.chart_data import chart_data

ALL = tuple(kind(1.0) for kind in MECHANISMS)


def drawn(problem: Problem, averages: LimitComparison | None = None, category: int = 0, mechanisms: Any = ALL
          ) -> tuple[dict[str, dict[str, Any]], list[Any], Any]:
    """What the figure's data say of each row, by its name; the draws; the figure."""
    rows = [comparison_of(distance_law(one, problem)) for one in mechanisms]
    draws = [sample_posteriors(one, problem, np.random.default_rng(1), home.DRAWS) for one in mechanisms]
    figure = home.publications(rows, draws, averages, category)
    data = chart_data(figure)
    said: dict[str, dict[str, Any]] = {}
    for name, series, value, text in zip(data["Category"], data["Series"], data["Value"], data["text"], strict=True):
        if text is not None:
            said.setdefault(name, {})[series] = value, text
    return said, draws, figure


@pytest.mark.parametrize("problem", [Problem((1, 1), (48, 42)), Problem((0.5, 2, 1), (5, 0, 7))], ids=str)
def test_rows_stand_in_the_order_of_their_means_and_hold_them(problem: Problem) -> None:
    said, _, figure = drawn(problem)
    means = {one.label: distance_law(one, problem).mean for one in ALL}
    names = [name.partition(":")[0] for name in said]
    assert sorted(names) == sorted(means) and len(set(names)) == len(ALL)
    order = [means[name] for name in names]
    assert all(later >= earlier * (1 - 1e-9) for earlier, later in pairwise(order))
    places = [int(row["Place"][0]) for row in said.values()]
    assert places == [1 + sum(other < mean * (1 - 1e-9) for other in order) for mean in order]
    assert (len(set(places)) < len(places)) == (problem.k == 2), "with two categories K-norm noise is Geometric's"
    for name, row in zip(names, said.values(), strict=True):
        law = distance_law(next(one for one in ALL if one.label == name), problem)
        assert row["Mean distance H"][0] == law.mean and row["P(truth)"][0] == law.probability_of_truth
        assert float(row["Mean distance H"][1]) == pytest.approx(law.mean, rel=5e-3)
        assert float(row["P(truth)"][1]) == pytest.approx(law.probability_of_truth, rel=5e-3)
        promised = law.mechanism.guarantee(problem.prior, problem.n)
        assert (": not private" in row["Place"][1], ": only claimed" in row["Place"][1]) == (
            not promised.is_private and promised.basis != "claim", promised.basis == "claim")
        assert row["× limit"] == (None, "…"), "its place is kept"
    alt = figure.layout.meta["alt"]
    said_in_order = re.findall(r"(\d+)\. (\w+)[^;]*?: Mean distance H ([\d.]+)", alt)
    assert said_in_order == [(str(place), name, row["Mean distance H"][1])
                             for place, name, row in zip(places, names, said.values(), strict=True)]


@pytest.mark.parametrize(("problem", "category"), [
    (Problem((1, 1), (48, 42)), 0), (Problem((0.5, 2, 1), (5, 0, 7)), 2), (Problem((1,) * 3, (10**9, 7, 10**8)), 1),
], ids=str)  # fmt: skip
def test_curves_are_the_densities_of_one_share_to_one_scale(problem: Problem, category: int) -> None:
    few = ALL[2:5]
    _, draws, figure = drawn(problem, category=category, mechanisms=few)
    truth = problem.posterior
    (thick,) = [trace for trace in figure.data if trace.name == "true posterior"]
    expected = {"true posterior": [(truth[category], sum(truth) - truth[category])] * len(few)}
    for one in draws:
        expected[one.mechanism.label] = sorted({(a[category], a.sum() - a[category]) for a in one.parameters})
    scale: list[float] = []
    for trace in figure.data:
        if trace.mode != "lines":
            continue
        x, y, density = (np.array(part, float) for part in (trace.x, trace.y, trace.customdata))
        ends = np.flatnonzero(np.isnan(x))
        lines = [slice(first, last) for first, last in zip([0, *(ends[:-1] + 1)], ends, strict=True)]
        assert len(lines) == len(expected[trace.name])
        for line in lines:
            assert any(np.allclose(density[line], beta.pdf(x[line], *law), rtol=2e-3, atol=1e-3 * density[line].max())
                       for law in expected[trace.name]), trace.name
        height = np.round(y) + 0.42 - y
        assert -1e-5 <= np.nanmin(height) <= np.nanmax(height) <= 0.54
        low = (height > 0.02) & (height < 0.5)
        scale += [*(density[low] / height[low])]
    assert max(scale) == pytest.approx(min(scale), rel=1e-3), "all rows are to one scale"
    low, high = figure.layout.xaxis.range
    assert low <= np.nanmin(np.array(thick.x, float)) <= np.nanmax(np.array(thick.x, float)) <= high
    assert len(figure.data) <= 1 + len(few) + 4, "a trace a row, and one a column"


def test_times_the_limit_stand_where_they_are_known() -> None:
    problem = Problem((1, 1), (12, 9))
    limit: PrivacyLimit = limit_of_privacy(problem.prior, problem.n, 1.0)
    means = tuple(expected_distance(one, problem.prior, problem.n) for one in ALL)
    said, _, _ = drawn(problem, LimitComparison(limit, means))
    for mean in means:
        row = next(row for name, row in said.items() if name.partition(":")[0] == mean.mechanism.label)
        value, text = row["× limit"]
        if mean.mechanism.guarantee(problem.prior, problem.n).is_private:
            assert limit.value and value == pytest.approx(mean.mean / limit.value, rel=1e-9)
            assert float(text) == pytest.approx(value, abs=5e-3)
        else:
            assert (value, text) == (None, "–")


def test_words_are_no_points_and_without_records_nothing_is_nearer() -> None:
    said, _, figure = drawn(Problem((1, 1), (0, 0)))
    data = chart_data(figure)
    assert "Panel" not in data and "y" not in data
    assert {share for share, text in zip(data["θ, share of category 1"], data["text"], strict=True) if text} == {None}
    for row in said.values():
        assert row.pop("Place")[0] == 1 and row == {"Mean distance H": (0, "0"), "P(truth)": (1, "1")}


def test_a_sampled_mean_has_its_error_and_a_mechanism_without_draws_its_numbers() -> None:
    problem = Problem((1,) * 6, (900, 800, 700, 600, 500, 400))
    rows = [comparison_of(distance_law(one, problem)) for one in ALL[:1]]
    assert rows[0].measured.error
    data = chart_data(home.publications(rows, []))
    said = next(text for text, series in zip(data["text"], data["Series"], strict=True) if series == "Mean distance H")
    mean, _, error = said.partition(" ± ")
    assert float(mean) == pytest.approx(rows[0].mean, rel=5e-3)
    assert float(error) == pytest.approx(rows[0].measured.margin, rel=5e-2)
