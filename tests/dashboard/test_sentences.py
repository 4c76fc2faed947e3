"""What the pages say in words, against the numbers beside it, at the ends of what can be entered."""

import dataclasses
import math
import re

import pytest

from dpbi import MECHANISMS, Problem, calibrate, distance_law, privacy_loss
from dpbi.accuracy.axes import axis
from dpbi.accuracy.comparison import Comparison, comparison_of
from dpbi.accuracy.curves import AccuracyCurve
from dpbi.accuracy.error import ExpectedError
from dpbi.accuracy.order import Measured
from dpbi.dashboard.words import home, private_posteriors
from dpbi.dashboard.words.accuracy import smallest_error
from dpbi.figures import accuracy, distances, privacy, sensitivities
from dpbi.figures.style import number
from dpbi.mechanisms import EHDNRS, name_of
from dpbi.mechanisms.guarantee import PureDP
from dpbi.privacy.curves import CalibrationGain
from dpbi.sensitivity import global_sensitivity, maps

SETTINGS = [
    (prior, counts, epsilon)
    for prior, counts in (((1.0, 1.0), (0, 1)), ((0.001, 1e6), (7, 33)), ((1e6, 1e6), (20, 20)),
                          ((100.0, 1000.0, 100.0), (0, 14, 1)), ((0.1,) * 4, (1, 0, 2, 3)))
    for epsilon in (0.01, 1.0, 20.0, 100.0)
]  # fmt: skip


@pytest.mark.parametrize(("prior", "counts", "epsilon"), SETTINGS)
def test_the_headline_names_all_that_are_nearest_and_says_among_whom(
    prior: tuple[float, ...], counts: tuple[int, ...], epsilon: float
) -> None:
    problem = Problem(prior, counts)
    mechanisms = [kind(epsilon) for kind in MECHANISMS]
    mechanisms += [calibrate(mechanisms[-1], prior, problem.n)]
    rows = [comparison_of(distance_law(one, problem)) for one in mechanisms]
    said = home.best(rows, problem)
    proved = [row for row in rows if isinstance(row.guarantee, PureDP) and row.guarantee.is_private]

    def surely_below(one: Comparison, other: Comparison) -> bool:
        apart = 4 * math.hypot(one.mean_error, other.mean_error) + 1e-9 * other.mean + 1e-15
        return other.mean - one.mean > apart

    tied = [name_of(row.mechanism) for row in proved if not any(surely_below(other, row) for other in proved)]
    named = re.findall(r"\*\*([^*]+)\*\*", said)
    assert sorted(named) == sorted(tied)
    listed = [name for name in map(name_of, mechanisms) if name in named]
    assert [name for group in re.findall(r"(\*\*.*?)(?=[(,] ?(?:each|with|\d))", said)
            for name in re.findall(r"\*\*([^*]+)\*\*", group)] == named
    assert named == listed or "; " in said, "in the order of the screen, by what is promised"
    nearer = any(surely_below(row, next(one for one in proved if name_of(one.mechanism) == tied[0])) for row in rows)
    assert ("of those proved to be private" in said) == nearer
    assert not re.search(r"probability 1\b(?!\.\d)", said) and "mean distance of 0 " not in said


def test_who_is_surely_nowhere_nearer_is_named_with_it() -> None:
    """Draws that lie within four standard errors of each other: none of them alone has the smallest error."""
    problem, along = Problem((1, 1), (3, 5)), axis("n")
    one, other = (
        AccuracyCurve(along, kind(1.0), "hellinger", (8,),
                      (ExpectedError(kind(1.0), problem, "hellinger", Measured(mean, 0.01), Measured(mean, 0.01)),))
        for kind, mean in zip(MECHANISMS[:2], (0.31, 0.3), strict=True)
    )  # fmt: skip
    first, second = (curve.mechanism.label for curve in (one, other))
    said = smallest_error([one, other], 8)
    assert smallest_error([one], 8).endswith(f"with a proved pure guarantee: **{first}** at n = 8 (0.31 ± 0.02).")
    assert f"**{first}** and **{second}**, too close to tell apart, at n = 8 (0.31 ± 0.02 and 0.3 ± 0.02)." in said
    title = accuracy.against([one, other], 8).layout.title.text.replace("<br>", " ")
    assert f"{first} and {second} have the smallest mean distance of the 2 shown: 0.31, 0.3, too close" in title


def test_a_title_of_losses_speaks_of_the_sizes_that_were_computed() -> None:
    curves = [[privacy_loss(kind(1.0), (1, 1), n) for n in (1, 4)] for kind in MECHANISMS]
    title = privacy.against_size(curves).layout.title.text.replace("<br>", " ")
    assert "at the sizes shown" in title and "up to" not in title
    alone = privacy.against_size(curves[:1]).layout.title.text.replace("<br>", " ")
    assert "not above epsilon at any size shown" in alone


def test_records_moved_are_ranked_only_where_they_are_exact() -> None:
    exact, drawn = ([distance_law(kind(0.5), Problem((1,) * len(counts), counts)) for kind in MECHANISMS[:2]]
                    for counts in ((3, 5), (50,) * 12))
    for laws, ranked in ((exact, True), (drawn, False)):
        assert all(law.exact == ranked for law in laws)
        assert ("fewest" in distances.per_step(laws).layout.title.text) == ranked


def test_where_calibration_changes_nothing_epsilon_is_not_called_spent() -> None:
    """Half of epsilon is unused, and the distance is as large as before: it is the epsilon that is too small."""
    loss = privacy_loss(EHDNRS(0.01), (1, 1), 6)
    gain = CalibrationGain(Problem((1, 1), (3, 3)), loss, loss, 2.0, 0.9, 0.8999)
    title = privacy.calibration([gain]).layout.title.text
    assert "spent" not in title and "0.5 %" in title
    farther = privacy.calibration([dataclasses.replace(gain, mean_after=0.99)]).layout.title.text.replace("<br>", " ")
    assert "stands 1.1 times farther from the truth" in farther


def test_a_prior_that_outweighs_the_data_is_not_all_of_the_posterior() -> None:
    for counts, prior, said in (((1, 0), (0.001, 1e6), "more than 99 % of the true posterior is prior"),
                                ((0, 0), (1, 1), ": 100 % of the true posterior is prior"),
                                ((1, 1), (1, 1), ": 50 % of")):  # fmt: skip
        assert said in private_posteriors.prior_weight(Problem(prior, counts))


@pytest.mark.parametrize("measure", maps.MEASURES)
def test_a_map_whose_points_miss_the_most_sensitive_data_names_the_global_sensitivity(measure: maps.Measure) -> None:
    """n = 250: the map has 61 points a side, none of them with a single record in two categories."""
    problem = Problem((1, 1, 1), (100, 100, 50))
    found = maps.on_simplex(problem.prior, problem.n, measure, 0.3)
    whole = global_sensitivity(problem.prior, problem.n)
    assert found.value.max() < 0.9 * whole
    title = sensitivities.on_simplex(found, problem).layout.title.text.replace("<br>", " ")
    assert f"over all data it reaches {number(whole)} <" in title
