"""The rows of the comparison table against brute force, and who may be called the best private mechanism."""

import math
import random
from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from dpbi import MECHANISMS, ApproximateDP, NotPrivate, Problem, PureDP, distance_law, local_sensitivity
from dpbi.accuracy.comparison import Comparison, comparison_of, nearest_private
from dpbi.accuracy.order import Measured, foremost, lead, rising
from tests.every_mechanism import Kind, enumerated, every_class
from tests.strategies import Drawn, epsilons, problems


@every_class
@given(drawn=problems(largest_k=3), epsilon=epsilons())
def test_a_row_is_what_its_law_says(kind: Kind, drawn: Drawn, epsilon: float) -> None:
    """A law is compared with brute force in test_distance_law.py."""
    epsilon = enumerated(kind, epsilon, len(drawn.prior))
    found = distance_law(kind(epsilon), Problem(*drawn))
    row, within = comparison_of(found), found.cdf(local_sensitivity(found.problem))
    assert row.exact and row.error == row.mean_error == 0
    assert (row.mean, row.probability_of_truth, row.probability_within_local_sensitivity, row.mean_l1) == (
        found.mean, found.probability_of_truth, within, 2 * found.mean_steps)


ROW = comparison_of(distance_law(MECHANISMS[0](1.0), Problem((1, 1), (3, 5))))
PROVED = PureDP(1.0, "theorem", "shown")


@given(st.lists(st.sampled_from([0.1, 0.2, 0.3]), max_size=4))
def test_the_best_private_row_has_the_lowest_mean_of_those_proved(means: list[float]) -> None:
    proved = [replace(ROW, measured=Measured(mean), guarantee=PROVED) for mean in means]
    barred: list[Comparison] = [
        replace(ROW, measured=Measured(0.01), guarantee=guarantee)
        for guarantee in (
            NotPrivate("shown"),
            PureDP(1.0, "claim", "said"),
            ApproximateDP(1.0, 1e-8, "theorem", "shown"),
            ApproximateDP(1.0, 1e-8, "claim", "said"),
        )
    ]
    assert nearest_private([*barred, *proved]) == tuple(row for row in proved if row.mean == min(means))


@pytest.mark.parametrize(("mean", "error", "guarantee", "wins"), [
    (0.05, 0.0, PROVED, (1,)), (0.05, 0.0, PureDP(1.0, "exhaustive check", "listed"), (1,)), (0.2, 0.003, PROVED, (0,)),
    (0.09, 0.001, PROVED, (1,)), (0.09, 0.003, PROVED, (0, 1)), (0.11, 0.003, PROVED, (0, 1)),
])
def test_a_mean_from_draws_is_best_alone_only_where_that_is_sure(
    mean: float, error: float, guarantee: PureDP, wins: tuple[int, ...]
) -> None:
    """A sampled law's exact mean competes as any, and so does an exhaustive check."""
    exact = replace(ROW, measured=Measured(0.1), guarantee=PROVED)
    rows = exact, replace(ROW, measured=Measured(mean, error), guarantee=guarantee, exact=False)
    assert nearest_private(rows) == tuple(rows[place] for place in wins)


@given(st.lists(st.floats(1e-6, 1), min_size=1, max_size=6), st.randoms())
def test_the_last_bit_decides_neither_who_is_nearest_nor_the_order(means: list[float], chance: random.Random) -> None:
    """Means apart by more than rounding, some of them twice, each moved by its last bits."""
    apart = [mean for place, mean in enumerate(means) if all(abs(mean - other) > 1e-6 for other in means[:place])]
    listed = [mean for mean in apart for _ in range(chance.choice((1, 2)))]
    chance.shuffle(listed)
    moved = [mean * (1 + chance.choice((-1, 0, 1)) * 2**-52) for mean in listed]
    places = range(len(listed))
    assert foremost(places, lambda place: Measured(moved[place])) == [
        place for place in places if listed[place] == min(listed)]
    assert rising(places, lambda place: Measured(moved[place])) == sorted(
        places, key=lambda place: (listed[place], place))


@given(st.floats(0, 10), st.floats(1e-3, 1), st.floats(0, 1))
def test_brackets_count_once_and_standard_errors_four_times(low: float, error: float, half: float) -> None:
    """Just beyond what both errors allow is sure, just within is not; the half width of a quotient holds its ends."""
    less, reach = Measured(low, 2 * error, half / 2), 4 * math.sqrt(5) * error + half
    for factor in (1 - 1e-4, 1 + 1e-4):
        more = Measured(low + factor * reach, error, half / 2)
        assert (lead(less, more) > 0) == (factor > 1) and lead(more, less) <= 0
    assert less.margin == pytest.approx(4 * error + half / 2) and not less.exact
    above, by = Measured(low + 1, error), Measured(half + 1, error, half)
    ratio, ends = less.over(by), [(low + side * half / 2) / (half + 1 - side * half) for side in (-1, 1)]
    assert ratio.value - ratio.half_width <= ends[0] + 1e-12 and ratio.value + ratio.half_width >= ends[1] - 1e-12
    relative = above.over(by).error / above.over(by).value
    assert relative == pytest.approx(math.hypot(error / above.value, error / by.value))
