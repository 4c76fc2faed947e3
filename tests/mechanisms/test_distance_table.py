"""Tables of all outputs by distance and steps against enumeration: levels, bins, a line, noise, the nearest.

Large spaces are made of small ones by lowering the module's own limits, so that enumeration still reaches them.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

from dpbi import Problem
from dpbi.mechanisms import distance_table
from dpbi.mechanisms.distance_table import FINE, MOMENTS, SATURATED, DistanceTable, slack
from dpbi.mechanisms.noise import table as noisy_counts_table
from dpbi.mechanisms.noise.law import FlooredLaplace, GeometricNoise, IntegerNoise
from dpbi.mechanisms.selection import table as candidates_table
from dpbi.mechanisms.selection.table import nearest_table
from tests import large_oracles, oracles
from tests.strategies import Drawn, problems

LEVEL_ONE = 1 - math.sqrt(-math.expm1(-SATURATED))  # what lies so near to 1 is at 1
RATES = [0.1, 3.0, 30.0, 200.0, 1000.0]


@pytest.fixture(autouse=True)
def no_table_of_other_limits() -> Iterator[None]:
    """Tables are kept between calls; none may outlive the limits it was made under."""
    yield
    for function in vars(candidates_table).values():
        if hasattr(function, "cache_clear"):
            function.cache_clear()


@dataclass(frozen=True, eq=False)
class Outputs:
    """Single outputs: H, steps and weight of each; those within the slack of their neighbours are one level."""

    h: NDArray
    step: NDArray
    weight: NDArray

    @property
    def starts(self) -> NDArray:
        """The least H of each level."""
        ordered = np.sort(self.h)
        return ordered[np.diff(ordered, prepend=-1.0) > slack(ordered)]

    def rows(self, h: NDArray, step: NDArray, weight: NDArray) -> dict[tuple[int, float], float]:
        """(level, steps) -> summed weight, for rows of these distances and steps."""
        level = np.searchsorted(self.starts, h + slack(h) / 2, side="right") - 1
        rows: dict[tuple[int, float], float] = {}
        for key, w in zip(zip(level.tolist(), step.tolist(), strict=True), weight.tolist(), strict=True):
            rows[key] = rows.get(key, 0.0) + w
        return rows


def assert_is(table: DistanceTable, outputs: Outputs) -> None:
    """The table's rows are these outputs, sorted by distance, then steps; what is lighter than 1e-17 may be missing.

    A chain of outputs, each within the slack of the next, may be cut into several rows where it outgrows the slack.
    """
    assert table.bins is None and table.levels == table.distance.size
    assert (np.lexsort((table.steps, table.distance)) == np.arange(table.distance.size)).all()
    assert len(set(zip(table.distance.tolist(), table.steps.tolist(), strict=True))) == table.distance.size
    found = outputs.rows(table.distance, table.steps, table.moments[0])
    expected = outputs.rows(outputs.h, outputs.step, outputs.weight)
    seen = found.keys() | expected.keys()
    assert {key: found.get(key, 0.0) for key in seen} == pytest.approx(
        {key: expected.get(key, 0.0) for key in seen}, rel=1e-11, abs=1e-17)
    ordered, distance = np.sort(outputs.h), table.distance[table.moments[0] > 1e-17]
    place = np.searchsorted(ordered, distance)
    above, below = ordered[np.minimum(place, ordered.size - 1)], ordered[np.maximum(place - 1, 0)]
    off = np.minimum(np.abs(above - distance), np.abs(distance - below))
    assert (off <= 1e-14 + 1e-12 * distance).all(), "a row stands at the distance of one of its outputs"


@cache
def listed(prior: tuple[float, ...], counts: tuple[int, ...]) -> tuple[NDArray, NDArray]:
    """H and steps of every candidate."""
    losses, moved = large_oracles.all_losses(prior, counts)
    return large_oracles.distance(losses).astype(float), moved / 2


# Candidates -----------------------------------------------------------------------------------------


def of_candidates(prior: tuple[float, ...], counts: tuple[int, ...]) -> DistanceTable:
    table = candidates_table.candidates_table(Problem(prior, counts))
    assert table is not None
    return table


@given(problems())
def test_levels_are_enumeration(drawn: Drawn) -> None:
    every = dict.fromkeys(oracles.compositions(drawn.n, len(drawn.counts)), 1.0)
    assert_is(of_candidates(*drawn), outputs_of(every, drawn))


@pytest.mark.parametrize(
    ("prior", "counts"),
    [((1, 1), (900, 100)), ((0.5, 3, 1), (0, 40, 11)), ((1,) * 4, (6, 6, 6, 6)), ((0.2, 1, 1, 1, 9), (3, 0, 0, 5, 2))],
)
def test_longer_levels(prior: tuple[float, ...], counts: tuple[int, ...]) -> None:
    table = of_candidates(prior, counts)
    h, step = listed(prior, counts)
    assert_is(table, Outputs(h, step, np.ones(h.size)))


def test_too_many_candidates_are_not_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert candidates_table.candidates_table(Problem((1,) * 12, (50,) * 12)) is None
    problem = Problem((1, 1, 1), (4, 4, 4))
    monkeypatch.setattr(candidates_table, "LISTABLE", 91)
    assert candidates_table.candidates_table(problem) is not None
    monkeypatch.setattr(candidates_table, "LISTABLE", 90)
    assert candidates_table.candidates_table(problem) is None


BINNED = [((1, 1, 1), (20, 25, 15)), ((0.5, 2, 0.01), (58, 0, 2)), ((1, 1, 1, 1), (4, 9, 0, 11))]


@pytest.fixture(params=[700_000, 3_000], ids=["fine bins", "coarse bins"])
def small_limits(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """About 100 outputs stay exact of the 1,900 or more; blocks of 512 outputs, so that the cut moves on the way."""
    monkeypatch.setattr(distance_table, "_LEVELS", 300)
    monkeypatch.setattr(distance_table, "_NEAR", 100)
    monkeypatch.setattr(distance_table, "_CELLS", request.param)
    for module in (distance_table, candidates_table):
        monkeypatch.setattr(module, "BLOCK", 512)


def sums(keys: NDArray, *values: NDArray) -> dict[float, list[float]]:
    """key -> the exact sums of each column over its rows."""
    columns: dict[float, list[list[float]]] = {}
    for key, *row in zip(keys.tolist(), *(value.tolist() for value in values), strict=True):
        columns.setdefault(key, []).append(row)
    return {key: [math.fsum(column) for column in zip(*rows, strict=True)] for key, rows in columns.items()}


def bins_of(edges: NDArray, h: NDArray) -> NDArray:
    """The bin of each distance; from H = 1 - 1e-12 on, the last one, a level at 1."""
    bins = np.clip(np.searchsorted(edges, h, side="right") - 1, 0, edges.size - 2)
    return np.where((h > 1 - LEVEL_ONE) & (edges[-1] == 1), edges.size - 2, bins)


def assert_bins_are(table: DistanceTable, outputs: Outputs, error: float, rate: float = 0.0) -> None:
    """Masses and first moments of the bins are those of their outputs, to a relative error; the near rows are exact.

    rate: of the tilt; the fine bins know two moments only, so that they miss its second order in their own width.
    """
    h, step, weight = outputs.h, outputs.step, outputs.weight
    bins = table.bins
    assert bins is not None and 0 < table.levels < table.distance.size
    cut, near = bins.edges[0], h < bins.edges[0]
    assert h[near].size >= 50 and (table.distance[: table.levels] < cut).all()
    scale = float(weight[near].max())  # what is negligible is so next to this
    levels = slice(table.levels)
    exact = table.moments[:, levels] / scale
    near_table = DistanceTable(table.distance[levels], table.steps[levels], exact, table.level, None)
    assert_is(near_table, Outputs(h[near], step[near], weight[near] / scale))

    tiny = 1e-15 * float(weight.sum())
    own = bins_of(bins.edges, h[~near])
    expected = sums(own, weight[~near], weight[~near] * (h[~near] - bins.centre[own]))
    assert (np.diff(bins.centre) >= 0).all()
    begin, end = (np.searchsorted(bins.centre, bins.centre, side) for side in ("left", "right"))
    halves = bins.edges[end - 1] - bins.edges[begin] + np.diff(bins.edges)
    for i, half in enumerate(halves.tolist()):
        mass, first = expected.get(i, [0.0, 0.0])
        missed = rate * (3 / FINE) ** 2 * math.exp(rate * half)
        assert math.isclose(bins.moments[0, i], mass, rel_tol=error + rate * missed, abs_tol=tiny)
        missed += LEVEL_ONE * (i == bins.centre.size - 1)
        assert math.isclose(bins.moments[1, i], first, abs_tol=(error * half + missed) * mass + tiny)

    # With their steps: all outputs of one number of steps, and all of one bin, over whose fine bins they are spread.
    far = slice(table.levels, None)
    masses, firsts = table.moments[0, far], table.moments[1, far]
    by_step = sums(step[~near], weight[~near], weight[~near] * h[~near])
    found = sums(table.steps[far], masses, masses * table.distance[far] + firsts)
    assert found == {key: pytest.approx(both, rel=error, abs=tiny) for key, both in by_step.items()}
    by_centre = sums(bins.centre[own], weight[~near], weight[~near] * (h[~near] - bins.centre[own]))
    of_rows = sums(table.distance[far], masses, firsts)
    assert of_rows == {key: pytest.approx(both, rel=error, abs=(error + LEVEL_ONE) * both[0] + tiny)
                       for key, both in by_centre.items()}


def coarse_width(table: DistanceTable) -> float:
    """The widest bin of the rows: fine bins share a centre within one."""
    assert table.bins is not None
    edges, centre = table.bins.edges, table.bins.centre
    starts = np.flatnonzero(np.diff(centre, prepend=-1.0))
    return float(np.diff(np.append(edges[starts], edges[-1])).max())


@pytest.mark.usefixtures("small_limits")
@pytest.mark.parametrize(("prior", "counts"), BINNED)
def test_bins_are_enumeration(prior: tuple[float, ...], counts: tuple[int, ...]) -> None:
    table = of_candidates(prior, counts)
    h, step = listed(prior, counts)
    assert_bins_are(table, Outputs(h, step, np.ones(h.size)), error=1e-12)
    assert table.moments[0].sum() == h.size


@pytest.mark.usefixtures("small_limits")
@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize(("prior", "counts"), BINNED)
def test_tilted_bins_are_enumeration(prior: tuple[float, ...], counts: tuple[int, ...], rate: float) -> None:
    """Taylor's remainder: with x = rate width / 2, p moments leave x^p / p! e^x of e^{-rate d}, and every weight in the
    bin is at least e^{-x} of that; the first moment has one term less."""
    table = of_candidates(prior, counts)
    assert table.bins is not None
    x = rate * coarse_width(table) / 2
    error = max(x**p / math.factorial(p) for p in (MOMENTS - 1, MOMENTS)) * math.exp(2 * x) + 1e-12
    h, step = listed(prior, counts)
    log_scale = float(np.log(np.exp(-rate * h).sum()))
    assert_bins_are(table.tilted(rate, log_scale), Outputs(h, step, np.exp(-rate * h - log_scale)), error, rate)


# A line of any length -------------------------------------------------------------------------------

SHORT_LINES = [((1.0, 1.0), (9_000, 11_000)), ((0.5, 0.5), (0, 20_000)), ((3.0, 0.2), (19_400, 600))]


@pytest.fixture
def short_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """20,000 candidates are as many as 1e9: 100 on either side stay exact, ranges above 2 x 64 are integrated."""
    monkeypatch.setattr(candidates_table, "_LISTED_LINE", 10_000)
    monkeypatch.setattr(candidates_table, "_LINE_NEAR", 100)


@pytest.mark.usefixtures("short_line")
@pytest.mark.parametrize(("prior", "counts"), SHORT_LINES)
def test_a_line_counts_every_candidate(prior: tuple[float, float], counts: tuple[int, int]) -> None:
    """Numbers of candidates in every bin exactly; the tilted masses and the mean with the error of the moments."""
    table = of_candidates(prior, counts)
    assert table.bins is not None
    edges = table.bins.edges
    offsets, losses = large_oracles.line_losses(prior, counts, 20_000)
    h = large_oracles.distance(losses).astype(float)
    # By the losses: the cut is a candidate's own distance, which may round to either side of itself.
    near = losses < losses[np.abs(offsets) == candidates_table._LINE_NEAR].min()
    assert edges[0] == pytest.approx(h[~near].min(), rel=1e-12)
    assert np.sort(table.distance[: table.levels]) == pytest.approx(np.unique(h[near]), rel=1e-9, abs=1e-12)
    assert table.moments[0, : table.levels].sum() == near.sum()
    expected = np.bincount(bins_of(edges, h[~near]), minlength=edges.size - 1)
    # An edge may round to the other side of a candidate that lies on it.
    assert np.abs(np.cumsum(table.bins.moments[0]) - np.cumsum(expected)).max() <= 1 + 1e-6
    far_sum = table.bins.moments[1].sum() + table.bins.moments[0] @ table.bins.centre
    assert far_sum == pytest.approx(h[~near].sum(), rel=1e-6)
    assert table.moments[0].sum() == pytest.approx(h.size, rel=1e-12)
    moved = np.abs(offsets).sum()
    assert table.moments[0] @ table.steps == pytest.approx(moved, rel=1e-9)
    for rate in RATES:
        weight = np.exp(-rate * h)
        tilted = table.tilted(rate)
        assert tilted.moments[0].sum() == pytest.approx(weight.sum(), rel=1e-9)
        mean = (tilted.moments[0] @ tilted.distance + tilted.moments[1].sum()) / tilted.moments[0].sum()
        assert mean == pytest.approx((weight @ h) / weight.sum(), rel=1e-8)


def test_a_line_of_a_billion() -> None:
    """n = 1e9 as it is: candidates within reach one by one, those beyond all at H = 1.

    Outputs within the slack, 1e-12, are one level at the lesser H: the rate multiplies that.
    """
    prior, counts = (1.0, 1.0), (4 * 10**8, 6 * 10**8)
    table = of_candidates(prior, counts)
    _, losses = large_oracles.line_losses(prior, counts, 500_000)
    h = large_oracles.distance(losses).astype(float)
    assert losses[0] > 40 and losses[-1] > 40
    beyond = sum(counts) + 1 - h.size
    assert table.moments[0].sum() == pytest.approx(sum(counts) + 1, rel=1e-12)
    for rate in (1.0, 20.0, 1e3, 1e4, 1e6):
        weight = np.exp(-rate * h)
        tilted = table.tilted(rate)
        z = weight.sum() + beyond * math.exp(-rate)
        assert tilted.moments[0].sum() == pytest.approx(z, rel=1e-10 + 1e-12 * rate)
        mean = (tilted.moments[0] @ tilted.distance + tilted.moments[1].sum()) / tilted.moments[0].sum()
        assert mean == pytest.approx((weight @ h + beyond * math.exp(-rate)) / z, rel=1e-9 + 1e-12 * rate)


# Noise on the counts --------------------------------------------------------------------------------


def outputs_of(law: Mapping[oracles.Counts, Any], drawn: Drawn) -> Outputs:
    rows = [
        (float(oracles.posterior_distance(drawn.prior, drawn.counts, r)), oracles.steps(drawn.counts, r), float(p))
        for r, p in law.items()
    ]
    return Outputs(*(np.array(column) for column in zip(*rows, strict=True)))


def oracle_law(noise: IntegerNoise, counts: oracles.Counts, noised: int, consistent: bool) -> oracles.Law:
    """Independent noise on the first counts, cut, and settled as the oracles' mechanisms do."""
    n, decay = sum(counts), oracles.mp.mpf(noise.decay)
    if isinstance(noise, FlooredLaplace):
        marginals = [[*oracles.clamped_laplace(c, n, 1 / decay)] for c in counts[:noised]]
    else:
        marginals = [oracles.clamped_geometric(c, n, oracles.mp.exp(-decay)) for c in counts[:noised]]
    settle = tuple if noised == len(counts) else oracles._with_last(n, consistent)
    return oracles._noised_law(marginals, settle)


@pytest.mark.parametrize("case", ["all noised", "plain", "consistent"])
@pytest.mark.parametrize("decay", [5.0, 12.0])
@pytest.mark.parametrize(
    ("prior", "counts"), [((1.0, 1.0), (50, 70)), ((0.5, 2.0, 0.1), (12, 0, 13)), ((1.0, 1.0, 1.0), (1, 24, 0))]
)
def test_windows_of_noise_leave_nothing_out(
    prior: tuple[float, ...], counts: tuple[int, ...], decay: float, case: str
) -> None:
    """Noise so narrow that the window is a part of [0, n]: what lies outside it is below 1e-17 in each row."""
    assert 42 / decay < sum(counts) / 2
    noised, consistent = len(counts) - (case != "all noised"), case == "consistent"
    noise = GeometricNoise(decay)
    table = noisy_counts_table.noisy_counts_table(Problem(prior, counts), noise, noised, consistent)
    assert table is not None
    # The oracle lists the window a little wider, as the whole box has 1e5 outputs that it would compute in 50 digits.
    law = {r: p for r, p in oracle_law(noise, counts, noised, consistent).items() if p > 1e-19}
    assert_is(table, outputs_of(law, Drawn(prior, counts)))
    assert table.moments[0].sum() == pytest.approx(1, abs=1e-13)


@pytest.mark.usefixtures("small_limits")
@pytest.mark.parametrize("case", ["all noised", "plain", "consistent"])
def test_bins_of_noise_are_enumeration(case: str) -> None:
    drawn = Drawn((1.0, 0.5, 2.0), (4, 9, 3) if case == "all noised" else (12, 20, 18))
    noised, consistent = 3 - (case != "all noised"), case == "consistent"
    noise = FlooredLaplace(4.0)
    table = noisy_counts_table.noisy_counts_table(Problem(*drawn), noise, noised, consistent)
    assert table is not None
    assert_bins_are(table, outputs_of(oracle_law(noise, drawn.counts, noised, consistent), drawn), error=1e-9)


def test_too_wide_noise_is_not_listed() -> None:
    problem = Problem((1,) * 12, (500,) * 12)
    assert noisy_counts_table.noisy_counts_table(problem, GeometricNoise(0.1), 11, False) is None


# The nearest ----------------------------------------------------------------------------------------


@given(problems(), st.floats(0, 1))
def test_the_nearest_are_all_within_the_distance(drawn: Drawn, wanted: float) -> None:
    table = nearest_table(Problem(*drawn), wanted)
    everything = outputs_of(dict.fromkeys(oracles.compositions(drawn.n, len(drawn.counts)), 1.0), drawn)
    within = everything.h <= wanted
    if not ((everything.h > wanted) & (everything.h <= wanted * (1 + 1e-8) + 1e-10)).any():  # else it cuts a level
        assert_is(table, Outputs(everything.h[within], everything.step[within], everything.weight[within]))
    assert table.moments[0].sum() >= within.sum()


def test_where_the_nearest_are_too_many_there_are_fewer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Still all of them up to some distance: the table says how far by its last row."""
    prior, counts = (1.0, 0.5, 1.0, 2.0), (10, 3, 9, 8)
    monkeypatch.setattr(candidates_table, "_NEAREST", 300)
    table = nearest_table(Problem(prior, counts), 0.99)
    h, step = listed(prior, counts)
    reached = h <= table.distance[-1] * (1 + 1e-9)
    assert 20 < reached.sum() <= 300
    assert_is(table, Outputs(h[reached], step[reached], np.ones(int(reached.sum()))))


def test_a_table_of_two_thousand_categories_is_made() -> None:
    """One record: the truth, and 1,999 candidates at one distance."""
    table = of_candidates((1.0,) * 2000, (1,) + (0,) * 1999)
    assert table.moments[0].sum() == 2000 and table.distance.min() == 0
    assert table.distance.max() == pytest.approx(math.sqrt(1 - math.pi / 4), rel=1e-12)
