"""Figures by their data: what a chart shows is what the numbers floor says, for every mechanism and size."""

import base64
import html
import json
import math
import pickle
from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations
from operator import itemgetter
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given, strategies as st

from dpbi import (
    MECHANISMS,
    DistanceLaw,
    NotPrivate,
    PrivatePosteriors,
    Problem,
    comparison_of,
    dirichlet,
    distance_law,
    local_sensitivity,
    mechanisms,
    sample_posteriors,
    smooth_sensitivity,
)
from dpbi.figures import clouds, distances, home, line_labels, posteriors, release, sensitivities, style
from dpbi.figures.drawing import Drawing
from dpbi.mechanisms.printed_number import probability
from dpbi.sensitivity import maps
from tests.every_mechanism import every_class

PROBLEMS = {
    "k = 2": Problem((1, 1), (48, 42)),
    "k = 2, n = 0": Problem((0.5, 0.5), (0, 0)),
    "k = 2, n = 1": Problem((1, 1), (0, 1)),
    "k = 2, n = 1e6": Problem((1, 1), (400_000, 600_000)),
    "k = 3": Problem((1, 1, 1), (54, 9, 27)),
    "k = 3, n = 0": Problem((1, 1, 1), (0, 0, 0)),
    "k = 3, n = 1": Problem((0.5, 0.5, 0.5), (0, 1, 0)),
    "k = 3, n = 1e9": Problem((1, 1, 1), (10**9, 7, 10**8)),
    "k = 4": Problem((1, 1, 1, 1), (40, 14, 12, 4)),
    "k = 4, n = 0": Problem((1, 1, 1, 1), (0, 0, 0, 0)),
    "k = 4, n = 1": Problem((0.25,) * 4, (0, 0, 1, 0)),
    "k = 12": Problem((1,) * 12, (90, 50, 50, 40, 30, 20, 10, 5, 3, 2, 1, 0)),
    "k = 100": Problem((1,) * 100, tuple(i % 4 for i in range(100))),
}
every_problem = pytest.mark.parametrize("name", PROBLEMS)
# What is drawn of a law knows no categories: with many records, few, one or none, on a line, in the plane, or sampled.
LAWS = [name for name, problem in PROBLEMS.items() if problem.k == 2 or name in ("k = 3", "k = 3, n = 1e9", "k = 12")]
every_law = pytest.mark.parametrize("name", LAWS)
ALL = tuple(kind(1.0) for kind in MECHANISMS)
PAYLOAD = 190_000  # bytes a page, its figures together, but for the template of the app, 3,400 bytes a figure

HOSTILE = ["<b>bold</b>", '<img src=x onerror="alert(1)">', "a & b", "$x^2$", "<a href='javascript:1'>", "plain"] * 2


@cache
def laws_of(name: str) -> tuple[DistanceLaw, ...]:
    return tuple(distance_law(mechanism, PROBLEMS[name]) for mechanism in ALL)


@cache
def samples_of(name: str, size: int = 30) -> tuple[PrivatePosteriors, ...]:
    rng = np.random.default_rng(1)
    return tuple(sample_posteriors(mechanism, PROBLEMS[name], rng, size) for mechanism in ALL)


def page_of_posteriors(name: str, size: int = 30, labels: list[str] | None = None) -> list[go.Figure]:
    samples = samples_of(name, size)
    return [
        posteriors.released_posteriors(samples, labels),
        posteriors.coverage_bars(samples, labels),
    ]


def page_of_distances(name: str) -> list[go.Figure]:
    laws = laws_of(name)
    return [
        distances.per_level(laws, True, samples_of(name, 1000)),
        distances.per_level(laws, False),
        distances.per_step(laws, True),
        distances.per_step(laws, False),
        distances.cumulative(laws),
    ]


def page_of_sensitivities(name: str, labels: list[str] | None = None) -> list[go.Figure]:
    problem = PROBLEMS[name]
    if problem.k == 2:
        scan = maps.along_count(problem.prior, problem.n, 1.0, 0.02, include=problem.counts[:1])
        first = sensitivities.along_count(scan, problem, labels)
    elif problem.k == 3:
        found = maps.on_simplex(problem.prior, problem.n, "reciprocal", 0.01)
        first = sensitivities.on_simplex(found, problem, labels)
    else:
        first = sensitivities.along_emptying(maps.along_emptying(problem, 1.0, 0.02), labels)
    change = sensitivities.score_change(maps.score_change(problem), labels)
    return [first, change, sensitivities.gamma_scan(maps.gamma_scan(problem), 1.0)]


def page_of_home(name: str, labels: list[str] | None = None) -> list[go.Figure]:
    laws = laws_of(name)
    largest = int(np.argmax(PROBLEMS[name].counts))
    first = home.publications([comparison_of(law) for law in laws], samples_of(name), None, largest, labels)
    return [first, distances.cumulative(laws)]


Page = Callable[[str], list[go.Figure]]
PAGES: dict[str, Page] = {
    "home": page_of_home,
    "posteriors": page_of_posteriors,
    "posteriors in bands": lambda name: page_of_posteriors(name, 1000),
    "distances": page_of_distances,
    "sensitivities": page_of_sensitivities,
}


def arrays(value: Any) -> Iterator[np.ndarray]:
    """Every list of numbers in a figure's JSON, typed arrays decoded."""
    if isinstance(value, dict) and "bdata" in value:
        yield np.frombuffer(base64.b64decode(value["bdata"]), dtype=value["dtype"])
    elif isinstance(value, dict):
        for inner in value.values():
            yield from arrays(inner)
    elif isinstance(value, list):
        if value and all(isinstance(inner, int | float) for inner in value):
            yield np.array(value, dtype=float)
        for inner in value:
            yield from arrays(inner)


def traces(fig: go.Figure, **wanted: Any) -> list[Any]:
    return [t for t in fig.data if all(getattr(t, key) == value for key, value in wanted.items())]


def title(fig: go.Figure) -> str:
    return str(fig.layout.title.text).replace("<br>", " ")


def named(fig: go.Figure, name: str) -> Any:
    (trace,) = [t for t in fig.data if t.name == name and t.showlegend is not False]
    return trace


# Every figure ---------------------------------------------------------------------------------------


# Without records there is no sensitivity; from three categories on there are no bands.
SENT = [
    (page, name) for page in PAGES for name, problem in PROBLEMS.items()
    if {"sensitivities": problem.n > 0, "posteriors in bands": problem.k == 2,
        "distances": name in LAWS, "home": name in LAWS}.get(page, True)
]


@pytest.mark.parametrize(("page", "name"), SENT)
def test_every_figure_is_fit_to_send(page: str, name: str) -> None:
    """Alternative text, a finding as title, axis titles, no infinity, explicit colours, and a light page."""
    lengths = lengths_of_those_fit_to_send(PAGES[page](name))
    assert (3.5 * max(lengths) if page == "distances" else sum(lengths)) <= PAYLOAD, "one law's view is shown at a time"


def lengths_of_those_fit_to_send(figures: list[go.Figure]) -> list[int]:
    """In bytes of JSON, each written as it is sent before plotly reads it, which puts right what it reads."""
    lengths = []
    for fig in figures:
        written = fig.to_json()
        lengths.append(len(written))
        assert fig.data, "which plotly checks now"
        plain, checked = (json.loads(one, parse_constant=no_such_number) for one in (written, fig.to_json()))
        assert list(map(shape, plain["data"])) == list(map(shape, checked["data"])), "plotly would write it otherwise"
        assert shape(plain["layout"]) == shape(checked["layout"])
        assert not any(np.isinf(array).any() for array in arrays(plain["data"]))
        texts = [trace for trace in plain["data"] if trace["type"] == "scatter" and "text" in trace.get("mode", "")]
        assert all(trace["cliponaxis"] is False for trace in texts), "a number cut at an edge is another"
        assert len(fig.layout.meta["alt"]) > 40
        assert fig.layout.title.text and "nan" not in fig.layout.title.text + fig.layout.meta["alt"]
        assert fig.layout.paper_bgcolor == fig.layout.plot_bgcolor == "rgba(0,0,0,0)"
        if not any(trace.type == "scatterternary" for trace in fig.data):
            assert any(axis.title.text for axis in fig.select_xaxes())
            assert any(axis.title.text or axis.ticktext for axis in fig.select_yaxes())
        assert all(map(has_a_colour, plain["data"]))
    return lengths


def shape(part: Any) -> Any:
    """A figure's JSON with its arrays of numbers as lists, without what is given as nothing."""
    if isinstance(part, dict) and "bdata" in part:
        values = np.frombuffer(base64.b64decode(part["bdata"]), dtype=part["dtype"]).tolist()
        return [None if math.isnan(value) else value for value in values]
    if isinstance(part, dict):
        return {name: shape(value) for name, value in part.items() if value is not None}
    return [shape(value) for value in part] if isinstance(part, list) else part


def no_such_number(name: str) -> float:
    """JSON knows no NaN and no Infinity, Python's reader does."""
    raise AssertionError(f"the JSON holds {name}")


def has_a_colour(trace: dict[str, Any]) -> bool:
    """Whether the trace keeps its own colours in either theme."""
    parts = [trace.get(part, {}).get("color") for part in ("line", "marker", "textfont")]
    return "fillcolor" in trace or any(part is not None for part in parts)


@pytest.mark.parametrize("name", ["k = 2", "k = 3", "k = 12"])
def test_labels_are_shown_as_text(name: str) -> None:
    """Plotly reads labels as HTML: no tag of a label reaches it unescaped."""
    k = PROBLEMS[name].k
    labels = HOSTILE[:k]
    sent = [json.dumps(json.loads(fig.to_json()), ensure_ascii=False)
            for fig in [*page_of_posteriors(name, labels=labels), *page_of_sensitivities(name, labels),
                        *page_of_home(name, labels)]]
    assert not [tag for tag in ("<b>bold", "<img", "<a href") for text in sent if tag in text]
    assert "&lt;b&gt;bold" in sent[0]


@every_class
def test_a_mechanism_alone_is_drawn_in_its_own_style(kind: Any) -> None:
    own = style.style_of(kind)
    assert own == style.style_of(kind(0.3))
    at = MECHANISMS.index(kind)
    law, sample = laws_of("k = 2")[at], samples_of("k = 2")[at]
    for fig in (distances.per_level([law]), distances.per_step([law]), distances.cumulative([law])):
        line = named(fig, kind.label).line
        assert (line.color, line.dash) == (own.colour, own.dash)
        assert kind.label in title(fig) or "Within" in title(fig)
    assert named(posteriors.coverage_bars([sample]), kind.label).marker.color == own.colour
    assert posteriors.released_posteriors([sample]).layout.annotations[0].text == kind.label


# Style ----------------------------------------------------------------------------------------------


def luminance(colour: str) -> np.ndarray:
    """Linear red, green, blue of #rrggbb."""
    channels = np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    weights = [0.2126, 0.7152, 0.0722]
    high, low = sorted((float(luminance(c) @ weights) for c in (one, other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def lab(linear: np.ndarray) -> np.ndarray:
    """CIE L*a*b* under D65."""
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    x, y, z = np.cbrt(np.maximum(to_xyz @ linear / [0.9505, 1, 1.089], 0.008856))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


# How linear colours are seen with normal sight, and without the long, middle or short cones
# (Machado, Oliveira and Fernandes 2009, severity 1).
SIGHTS = {
    "normal": np.eye(3),
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}


@pytest.mark.parametrize("ground", ["#ffffff", "#0e131a"])
def test_every_colour_stands_out_on_both_grounds(ground: str) -> None:
    kinds = [sensitivities.LOCAL, sensitivities.RECIPROCAL, sensitivities.EXPONENTIAL, sensitivities.GLOBAL]
    kinds += [sensitivities.PAPER, style.TRUTH, style.PRIOR, style.REFERENCE, *style._STYLES]
    for colour in [*(one.colour for one in kinds), *(one.colour for one in clouds.PAIR)]:
        assert contrast(colour, ground) >= 3.5, colour


@pytest.mark.parametrize("sight", SIGHTS)
def test_mechanisms_are_told_apart_by_colour_dash_and_symbol(sight: str) -> None:
    """Of the nine that are there, and of all that the palette has a place for."""
    seen = [lab(np.clip(np.array(SIGHTS[sight]) @ luminance(s.colour), 0, 1)) for s in [style.TRUTH, *style._STYLES]]
    for places, apart in ((10, 16), (len(seen), 10.5)):
        assert min(np.linalg.norm(a - b) for a, b in combinations(seen[:places], 2)) >= apart
    drawn = [*((one.dash, one.symbol) for one in style._STYLES), *style._CALIBRATED]
    assert [len({*parts}) for parts in zip(*drawn, strict=True)] == [len(drawn), len(drawn)] and len(drawn) >= 24
    go.Figure([go.Scatter(marker={"symbol": f"{symbol}-open"}, line={"dash": dash}) for dash, symbol in drawn])


def test_red_is_worn_by_what_is_not_private_alone() -> None:
    for kind in MECHANISMS:
        red, green, blue = (int(style.style_of(kind).colour[i : i + 2], 16) for i in (1, 3, 5))
        private = not isinstance(kind(1.0).guarantee((1.0, 1.0), 10), NotPrivate)
        assert (red > 200 and green < 60 > blue) is not private, kind.label


@pytest.mark.parametrize(("place", "words"), [(12, "must be 0 to 11: got 12"), (0, "Newcomer and .* have 0")])
def test_a_place_of_the_palette_that_is_none_or_taken_is_refused(
    monkeypatch: pytest.MonkeyPatch, place: int, words: str
) -> None:
    kind = type("Newcomer", (MECHANISMS[1],), {"palette_place": place, "label": "Newcomer"})
    monkeypatch.setattr(style, "MECHANISMS", (kind, *MECHANISMS))
    with pytest.raises(ValueError, match=f"palette_place .*{words}"):
        style.style_of(kind)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=60), max_size=12), st.integers(10, 30))
def test_display_labels_are_short_distinct_and_escaped(labels: list[str], length: int) -> None:
    shown = style.display_labels(labels, length)
    assert len(set(shown)) == len(shown) == len(labels)
    for label in shown:
        assert not {"<", ">", "\u202e"} & {*label} and label.strip("\u2068\u2069").isprintable()
        assert 0 < len(html.unescape(label)) <= length + 7  # a number in brackets may follow, isolates stand around it


def test_display_labels_that_end_alike_keep_what_differs() -> None:
    assert style.display_labels(["x" * 30 + "one", "x" * 30 + "two"]) == [
        "x" * 15 + "…xxxxxone",
        "x" * 15 + "…xxxxxtwo",
    ]
    assert style.display_labels(["a", "a", "a (1)"]) == ["a (2)", "a (3)", "a (1)"]


@pytest.mark.parametrize(
    ("written", "values", "said"),
    [
        (style.number, (0, 0.012345, 1234.5, 1e-7, 3.2e9, 1, 259_000),
         ["0", "0.0123", "1,230", "10⁻⁷", "3.2×10⁹", "1", "259,000"]),
        (style.percent, (0, 0.33, 0.999, 1), ["0 %", "33 %", "99 %", "100 %"]),
        (style.probability, (0.462, 0.9996, 1 - 1e-12, 1.0), ["0.462", "above 0.999", "above 0.999", "1"]),
        (probability, (0.4621, 0.99996, 1 - 1e-12, 1.0), ["0.4621", *["above 0.9999"] * 2, "1"]),
    ],
)  # fmt: skip
def test_numbers_in_sentences(written: Callable[[float], str], values: tuple[float, ...], said: list[str]) -> None:
    """What is below 1 or all is not called 1 or a hundred per cent."""
    assert [*map(written, values)] == said


@given(st.floats(-12, 3), st.floats(0.01, 9))
def test_a_logarithmic_axis_has_readable_ticks(exponent: float, decades: float) -> None:
    low, high = 10**exponent, 10 ** (exponent + decades)
    axis = style.log_axis(low, high)
    inside = [t for t in axis["tickvals"] if axis["range"][0] <= np.log10(t) <= axis["range"][1]]
    assert len(axis["tickvals"]) == len(axis["ticktext"])
    assert len(inside) <= 12
    assert len(inside) >= (2 if decades > 0.1 else 0)


@given(st.floats(-9, 9))
def test_no_density_below_0_is_named(exponent: float) -> None:
    """Below 0 a release's chart draws the intervals."""
    peak = 10**exponent
    ticks = np.array(release.heights(peak))
    assert ticks[0] == 0 and 2 <= (ticks[1:] <= peak * (1 + 1e-9)).sum() <= 5 and ticks[-1] <= 1.15 * peak * (1 + 1e-9)


def test_compact_numbers_keep_what_a_screen_can_show() -> None:
    assert style.compact([0.1, 0.9]).dtype == np.float32
    crowded = 0.4 + 1e-9 * np.arange(5)
    assert style.compact(crowded).tolist() == crowded.tolist()
    assert np.isnan(style.compact([1.0, np.inf])[1])


# Distances ------------------------------------------------------------------------------------------


@every_class
def test_levels_and_their_probabilities_are_those_of_the_law(kind: Any) -> None:
    problem = Problem((1, 1), (3, 4))
    law = distance_law(kind(1.0), problem)
    levels, probability = law.levels()
    for log_scale in (True, False):
        curve = named(distances.per_level([law], log_scale), kind.label)
        drawn = min(len(curve.x), levels.size)
        if levels.size <= problem.n + 1 or np.allclose(curve.x, levels[:drawn], rtol=1e-6, atol=1e-7):
            np.testing.assert_allclose(curve.x, levels[:drawn], rtol=1e-6, atol=1e-7)
            expected = probability[:drawn].copy()
            expected[-1] += probability[drawn:].sum()  # what lies beyond the axis stands at its end
            np.testing.assert_allclose(np.nan_to_num(curve.y), expected, rtol=1e-5, atol=1e-6 * log_scale)
        else:  # released totals other than n make more levels than can be told apart
            width = curve.x[2] - curve.x[1]
            inside = (levels > 0) & (levels <= width)
            assert curve.y[1] == pytest.approx(probability[inside].sum(), rel=1e-5)
    steps, moved = law.by_step()
    whole = np.bincount(np.ceil(steps).astype(int), weights=moved)
    whole = whole[whole > 0]
    y = named(distances.per_step([law], log_scale=False), kind.label).y
    np.testing.assert_allclose(y, [*whole[: len(y) - 1], whole[len(y) - 1 :].sum()], rtol=1e-5)


@every_law
def test_all_probability_is_drawn_on_a_linear_scale(name: str) -> None:
    laws = laws_of(name)
    for fig in (distances.per_level(laws, log_scale=False), distances.per_step(laws, log_scale=False)):
        for law in laws:
            y = np.array(named(fig, law.mechanism.label).y, dtype=float)
            assert np.nansum(y) == pytest.approx(1, abs=1e-4) and len(y) <= 121
            assert y[0] == pytest.approx(law.probability_of_truth, rel=1e-4, abs=1e-7), "the truth comes first"


def test_what_a_logarithmic_scale_cannot_show_is_said() -> None:
    law, far = (laws_of("k = 2")[i] for i in (3, 5))
    fig = distances.per_level([law, far])
    curve = named(fig, law.mechanism.label)
    gaps = np.isnan(np.array(curve.y))
    assert gaps.any()
    assert "Not drawn: probabilities below 10⁻⁶" in fig.layout.title.text
    assert "Not drawn: probabilities below 10⁻⁶" in fig.layout.meta["alt"]
    assert (np.array(curve.y)[~gaps] >= distances.FLOOR * 0.999).all()
    assert "Not drawn" not in distances.per_level([law], log_scale=False).layout.title.text


def test_laws_that_end_far_apart_share_a_scale_of_powers_with_the_truth_at_its_left_end() -> None:
    laws = laws_of("k = 2, n = 1e6")
    for fig in (distances.per_level(laws), distances.per_step(laws), distances.cumulative(laws)):
        assert fig.layout.xaxis.type == "log"
        assert fig.layout.xaxis.ticktext[0] == "0"
        zero = fig.layout.xaxis.tickvals[0]
        for law in laws:
            curve = named(fig, law.mechanism.label)
            x = np.array(curve.x, dtype=float)
            assert x[0] == pytest.approx(zero, rel=1e-6)
            assert (np.isclose(x, zero, rtol=1e-6) | (x > zero * 1.5)).all()


@every_law
def test_the_cumulative_curve_is_the_distribution_function(name: str) -> None:
    fig = distances.cumulative(laws_of(name))
    for law in laws_of(name):
        x, y = (np.array(along, dtype=float) for along in itemgetter("x", "y")(named(fig, law.mechanism.label)))
        assert (np.diff(y) >= -1e-7).all() and y[-1] == pytest.approx(1, abs=1e-5)
        for at, reached in list(zip(x, y, strict=True))[1:-1:9]:
            # Single precision moves a point by 6e-8 of itself, and a level reaches 1e-12 to either side.
            near = [law.cdf(at + side * (2e-7 * at + 3e-12)) for side in (-1, 1)]
            assert min(near) - 2e-3 <= reached <= max(near) + 2e-3


def test_local_sensitivity_is_marked_where_it_is() -> None:
    reach = local_sensitivity(PROBLEMS["k = 2"])
    for fig in (distances.per_level(laws_of("k = 2")), distances.cumulative(laws_of("k = 2"))):
        (line,) = fig.layout.shapes
        assert line.x0 == line.x1 == pytest.approx(reach)
        assert style.number(reach) in fig.layout.annotations[0].text
    assert not distances.per_level(laws_of("k = 2, n = 0")).layout.shapes


def test_local_sensitivity_beyond_the_axis_is_said() -> None:
    """Where the mechanism all but returns the truth, the axis ends long before a worst-case neighbour's distance."""
    problem = Problem((1, 1), (2, 400))
    reach, beyond = style.number(local_sensitivity(problem)), 0
    for law in (distance_law(kind(1e6), problem) for kind in MECHANISMS):
        for fig in (distances.per_level([law]), distances.cumulative([law])):
            (said,) = (one.text for one in fig.layout.annotations if one.name != line_labels.NAME)
            end = fig.layout.xaxis.range[1]
            if fig.layout.xaxis.type != "log" and local_sensitivity(problem) > end:
                assert f"LS(x) = {reach}, right of this axis" in said and not fig.layout.shapes
                beyond += 1
            else:
                assert said == f"LS(x) = {reach}" and fig.layout.shapes
    assert beyond > 0


@pytest.mark.parametrize("problem", [Problem((1,) * 4, (6,) * 4), Problem((1,) * 10, (50,) * 10)], ids=str)
def test_no_point_is_drawn_as_a_line_of_no_length(problem: Problem) -> None:
    """A point between two gaps has a marker."""
    lonely = 0
    for law in (distance_law(kind(epsilon), problem) for kind in MECHANISMS for epsilon in (1.0, 1e6)):
        for fig in (distances.per_level([law]), distances.per_step([law])):
            curve = named(fig, law.mechanism.label)
            if curve.mode != "lines":
                continue
            shown = np.concatenate([[False], ~np.isnan(np.array(curve.y, dtype=float)), [False]])
            alone = np.array(curve.x)[shown[1:-1] & ~shown[:-2] & ~shown[2:]].tolist()
            marked = [x for trace in traces(fig, mode="markers") for x in np.array(trace.x).tolist()]
            assert alone == marked
            lonely += len(alone)
    assert lonely > 0


def test_a_sampled_law_is_drawn_in_its_band_and_called_sampled() -> None:
    law = next(law for law in laws_of("k = 12") if not law.exact)
    fig = distances.cumulative([law])
    (band,) = traces(fig, fill="toself")
    curve, half = named(fig, law.mechanism.label), len(band.y) // 2
    upper, lower = np.array(band.y[:half]), np.array(band.y[half:])[::-1]
    np.testing.assert_allclose(upper, np.minimum(np.array(curve.y) + law.band, 1), atol=1e-6)
    np.testing.assert_allclose(lower, np.maximum(np.array(curve.y) - law.band, 0), atol=1e-6)
    for one in (fig, distances.per_level([law]), distances.per_step([law])):
        assert "Sampled" in one.layout.title.text and law.mechanism.label in one.layout.title.text
        assert f"off by at most {style.number(law.band)} (95 %)" in one.layout.meta["alt"], "one meaning in every view"
    exact = [law for law in laws_of("k = 2") if law.exact]
    assert "Sampled" not in distances.cumulative(exact).layout.title.text


@every_class
def test_simulated_draws_lie_on_the_curve(kind: Any) -> None:
    """1,000 draws in about 30 cells: a share is within six standard errors of its probability, false alarm 6e-8."""
    index = MECHANISMS.index(kind)
    law, draws = laws_of("k = 2")[index], samples_of("k = 2", 1000)[index]
    fig = distances.per_level([law], False, [draws])
    curve = named(fig, kind.label)
    marks = next(t for t in fig.data if t.marker.symbol == f"{style.style_of(kind).symbol}-open" and len(t.x) > 1)
    assert sum(marks.y) == pytest.approx(1, abs=1e-5)
    probability = dict(zip(np.array(curve.x).tolist(), np.array(curve.y).tolist(), strict=True))
    for x, share in zip(np.array(marks.x).tolist(), np.array(marks.y).tolist(), strict=True):
        p = probability[x]
        assert abs(share - p) <= 6 * np.sqrt(p * (1 - p) / 1000) + 1e-3


def test_titles_state_what_the_laws_say() -> None:
    laws = laws_of("k = 2")
    best = max(laws, key=lambda law: law.probability_of_truth)
    most = pytest.approx(best.probability_of_truth)
    first = [law.mechanism.label for law in laws if law.probability_of_truth == most]
    assert f"{' and '.join(first)}, with probability {style.number(best.probability_of_truth)}" in title(
        distances.per_level(laws))
    near, far = min(laws, key=lambda law: law.mean_steps), max(laws, key=lambda law: law.mean_steps)
    assert len(first) == 2, "with two categories K-norm noise is Geometric's"
    said = title(distances.per_step(laws))
    assert said.startswith(f"{' and '.join(first)} move the fewest") and near.mechanism.label in first
    assert f"{far.mechanism.label} moves the most" in said
    assert "Without records" in distances.cumulative(laws_of("k = 2, n = 0")).layout.title.text


# Posteriors -----------------------------------------------------------------------------------------


def points(trace: Any) -> np.ndarray:
    if trace.x is not None:
        return np.array(trace.x, dtype=float)
    return float(trace.x0) + float(trace.dx) * np.arange(len(trace.y))


@pytest.mark.parametrize("name", ["k = 2", "k = 2, n = 1", "k = 2, n = 1e6"])
def test_two_categories_are_drawn_as_densities(name: str) -> None:
    problem, samples = PROBLEMS[name], samples_of(name)
    fig = posteriors.released_posteriors(samples)
    truth = named(fig, f"true posterior (n = {problem.n:,})")
    np.testing.assert_allclose(truth.y, dirichlet.beta_density(points(truth), *problem.posterior), rtol=1e-5)
    mass = np.trapezoid(np.array(truth.y, dtype=float), points(truth))
    assert mass == pytest.approx(1, abs=0.02), "the curve follows the mass, however narrow"
    for panel in {t.yaxis for t in fig.data}:  # in each but what equals it lies below the truth
        *_, last = (i for i, t in enumerate(fig.data) if t.yaxis == panel and t.name == truth.name)
        above = [t for t in fig.data[last + 1:] if t.yaxis == panel]
        assert all(np.nanmax(np.abs(np.array(t.y)[:-1] / np.array(truth.y) - 1)) < 1e-5 for t in above)
    prior = next(t for t in fig.data if (t.name or "").startswith("prior"))
    np.testing.assert_allclose(prior.y, dirichlet.beta_density(points(prior), *problem.prior), rtol=1e-5)
    lines = [
        line
        for t in fig.data
        if t.showlegend is False and t.line.width == 1.5
        for line in np.split(np.stack([points(t), np.array(t.y, dtype=float)]), np.flatnonzero(np.isnan(t.x)), axis=1)
    ]
    lines = [line[:, ~np.isnan(line[0])] for line in lines if not np.isnan(line[0]).all()]
    assert len(lines) == sum(len(np.unique(one.released, axis=0)) for one in samples)
    for row in np.unique(samples[0].released, axis=0)[:3]:
        a = np.array(problem.prior) + row
        assert any(np.allclose(y, dirichlet.beta_density(x, *a), rtol=1e-3, atol=1e-30) for x, y in lines)


@pytest.mark.parametrize("counts", [(0, 0), (1, 0), (0, 10**9), (3, 2)])
@pytest.mark.parametrize("size", [20, 40])
def test_mass_at_an_end_is_drawn_as_a_spike_and_says_so(counts: tuple[int, int], size: int) -> None:
    problem = Problem((1e-9, 1e-9), counts)
    sample = sample_posteriors(ALL[2], problem, np.random.default_rng(1), size)
    fig = posteriors.released_posteriors([sample])
    assert lengths_of_those_fit_to_send([fig])
    if 0 in counts and problem.n:
        assert "A spike at an end" in title(fig)
        truth = named(fig, f"true posterior (n = {problem.n:,})")
        end = 0.0 if counts[0] == 0 else 1.0
        assert points(truth)[0] == end and max(truth.y) > 0
    assert fig.layout.xaxis.range[0] < fig.layout.xaxis.range[1]
    assert fig.layout.yaxis.range[1] > 0


def test_many_releases_are_drawn_as_bands() -> None:
    samples = samples_of("k = 2", 1000)
    fig = posteriors.released_posteriors(samples)
    bands = traces(fig, fill="toself")
    assert len(bands) == 2 * len(samples)
    assert "the middle 50 % and 95 % of 1,000" in title(fig)
    for trace, mass in zip(bands[:2], (0.95, 0.5), strict=True):
        half = len(trace.x) // 2
        grid = np.array(trace.x[:half], dtype=float)
        ((low, high),) = samples[0].bands(grid, (mass,))
        np.testing.assert_allclose(trace.y[:half], high, rtol=1e-3, atol=1e-3)
        np.testing.assert_allclose(trace.y[half:][::-1], low, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("name", ["k = 3, n = 1", "k = 3, n = 1e9", "k = 12", "k = 100"])
def test_more_categories_are_drawn_as_marginals(name: str) -> None:
    problem, samples = PROBLEMS[name], samples_of(name)
    fig = posteriors.released_posteriors(samples)
    bar = named(fig, "true posterior, 95 % interval")
    low, high = dirichlet.interval(problem.posterior)
    shown = np.arange(problem.k)
    if problem.k > 10:
        assert 6 <= len(bar.base) <= 10
        shown = np.sort(np.argsort(-np.array(problem.posterior), kind="stable")[: len(bar.base)])
        assert f"The {len(bar.base)} largest of {problem.k} categories" in title(fig)
    base = np.array(bar.base, dtype=float)
    np.testing.assert_allclose(base, low[shown], rtol=1e-5, atol=1e-9)
    np.testing.assert_allclose(base + bar.x, high[shown], rtol=1e-5)
    for one in samples:
        spread = named(fig, one.mechanism.label)
        quantiles = np.quantile(one.means, (0.025, 0.5, 0.975), axis=0)[:, shown]
        np.testing.assert_allclose(spread.x, quantiles[1], rtol=1e-5)
        np.testing.assert_allclose(spread.error_x.array, quantiles[2] - quantiles[1], rtol=1e-4, atol=1e-7)
        np.testing.assert_allclose(spread.error_x.arrayminus, quantiles[1] - quantiles[0], rtol=1e-4, atol=1e-7)
    assert len(fig.layout.yaxis.ticktext) == len(shown)


@every_problem
def test_coverage_bars_are_the_shares(name: str) -> None:
    samples = samples_of(name)
    fig = posteriors.coverage_bars(samples)
    for one in samples:
        bar, share = named(fig, one.mechanism.label), one.coverage()
        expected = share[:1] if PROBLEMS[name].k == 2 else share
        assert set(np.round(np.array(bar.x, dtype=float), 5)) <= set(np.round(expected, 5))
        assert len(bar.x) == len(fig.layout.yaxis.ticktext)
        assert PROBLEMS[name].k > 2 or share[0] == share[1], "the two intervals mirror each other"


def test_the_title_of_the_coverage_names_all_that_cover_least() -> None:
    problem = Problem((1, 1), (48, 42))
    least = [sample_posteriors(kind(1e-9), problem, np.random.default_rng(1), 20)
             for kind in (mechanisms.LSDim, mechanisms.LSHist)]
    surest = sample_posteriors(mechanisms.Geometric(1e6), problem, np.random.default_rng(1), 20)
    assert [*least[0].coverage(), *least[1].coverage(), *surest.coverage()] == [0, 0, 0, 0, 1, 1]
    said = title(posteriors.coverage_bars([*least, surest]))
    assert said == "The 95 % intervals of LSDim and LSHist cover least: 0 % of their releases"


@pytest.mark.parametrize("figure", [posteriors.released_posteriors, posteriors.coverage_bars])
def test_no_release_and_labels_of_other_categories_are_refused(figure: Callable[..., go.Figure]) -> None:
    empty = sample_posteriors(ALL[0], PROBLEMS["k = 2"], np.random.default_rng(1), 0)
    with pytest.raises(ValueError, match="at least one release"):
        figure([empty])
    with pytest.raises(ValueError, match="all 2 categories: got 3"):
        figure(samples_of("k = 2")[:1], ["a", "b", "c"])


# Sensitivities --------------------------------------------------------------------------------------


def test_a_scan_is_drawn_with_the_data_marked() -> None:
    problem = PROBLEMS["k = 2"]
    scan = maps.along_count(problem.prior, problem.n, 1.0, 0.02, include=problem.counts[:1])
    fig = sensitivities.along_count(scan, problem, ["cured", "not cured"])
    for name, values in {
        "local, LS": scan.local,
        "smooth, reciprocal, γ = 1": scan.reciprocal,
        "smooth, exponential, β = 0.02": scan.exponential,
        "global, GS (exact)": np.full(91, scan.global_exact),
        "global, the papers' constant": np.full(91, scan.global_paper),
    }.items():
        np.testing.assert_allclose(named(fig, name).y, values, rtol=1e-6)
        np.testing.assert_array_equal(named(fig, name).x, scan.position)
    (ring,) = [t for t in fig.data if t.marker.symbol == "circle-open"]
    assert (ring.x[0], ring.y[0]) == (48, local_sensitivity(problem))
    assert fig.layout.shapes[0].x0 == 48
    assert "cured" in fig.layout.xaxis.title.text


def test_a_wide_range_of_sensitivities_gets_a_logarithmic_axis() -> None:
    assert page_of_sensitivities("k = 2, n = 1e6")[0].layout.yaxis.type == "log"
    assert page_of_sensitivities("k = 2")[0].layout.yaxis.type != "log"


@pytest.mark.parametrize("measure", maps.MEASURES)
def test_a_map_is_drawn_with_the_data_ringed(measure: Any) -> None:
    problem = PROBLEMS["k = 3"]
    found = maps.on_simplex(problem.prior, problem.n, measure, 0.3)
    fig = sensitivities.on_simplex(found, problem, ["a", "b", "c"])
    cloud = fig.data[0]
    np.testing.assert_allclose(10.0 ** np.array(cloud.marker.color, dtype=float), found.value, rtol=1e-5)
    np.testing.assert_allclose(np.stack([cloud.a, cloud.b, cloud.c], axis=1), found.counts / 90, atol=1e-7)
    for ring in fig.data[1:]:
        assert (ring.a[0], ring.b[0], ring.c[0]) == (0.6, 0.1, 0.3)
    here = local_sensitivity(problem) if measure == "local" else smooth_sensitivity(problem, 0.3, measure)
    assert f"is {style.number(here)} at your data" in title(fig)


def test_a_path_starts_at_the_data_and_axes_that_name_categories_fit_a_telephone() -> None:
    labels = ["wrinkled, yellow and so on", "wrinkled, green and so on", "round, yellow and so on", "the last"]
    two, four = PROBLEMS["k = 2"], PROBLEMS["k = 4"]
    path = maps.along_emptying(four, 1.0, 0.02)
    fig = sensitivities.along_emptying(path, labels)
    np.testing.assert_allclose(named(fig, "local, LS").y, path.local, rtol=1e-6)
    assert fig.layout.shapes[0].x0 == 0
    across = [fig, sensitivities.along_count(maps.along_count(two.prior, two.n, 1.0, 0.02), two, labels[:2]),
              sensitivities.score_change(maps.score_change(four), labels)]
    lines = [one.layout.xaxis.title.text.split("<br>") for one in across]
    assert " ".join(lines[0]) == "Records moved out of the last and round, yellow and so on"
    assert all(max(map(len, one)) <= 40 and len(one) <= 3 for one in lines), lines


@pytest.mark.parametrize("name", [name for name, problem in PROBLEMS.items() if problem.n])
def test_the_score_change_peaks_at_the_data(name: str) -> None:
    found = maps.score_change(PROBLEMS[name])
    fig = sensitivities.score_change(found)
    curve, ring = fig.data
    np.testing.assert_allclose(curve.y, found.change, rtol=1e-5, atol=1e-9)
    assert (ring.x[0], ring.y[0]) == (0, found.local_sensitivity)
    assert max(curve.y) <= ring.y[0] * (1 + 1e-6)


@pytest.mark.parametrize("name", [name for name, problem in PROBLEMS.items() if problem.n])
def test_the_gamma_scan_marks_its_minimum(name: str) -> None:
    scan = maps.gamma_scan(PROBLEMS[name])
    fig = sensitivities.gamma_scan(scan, 0.5)
    curve = fig.data[0]
    assert np.isin(np.array(curve.x, dtype=np.float32), scan.gamma.astype(np.float32)).all()
    used = next(t for t in fig.data if (t.name or "").startswith("in use"))
    assert used.y[0] == pytest.approx(1.5 * smooth_sensitivity(PROBLEMS[name], 0.5))
    best = [t for t in fig.data if (t.name or "").startswith("smallest")]
    if scan.best_gamma == 0:
        assert not best and "γ = 0 is best" in fig.layout.title.text
    else:
        assert (best[0].x[0], best[0].y[0]) == (scan.best_gamma, scan.best_value)
        assert best[0].y[0] <= min(curve.y) * (1 + 1e-6)
    level = next(t for t in fig.data if "global" in (t.name or ""))
    assert level.y[0] == pytest.approx(smooth_sensitivity(PROBLEMS[name], 0.0))


def test_a_figure_is_checked_when_a_part_is_asked_for_and_stored_as_it_is() -> None:
    """What nobody reads is sent unchecked; reading, changing and storing go on as with any plotly figure."""
    drawing = Drawing()
    drawing.add_scatter(x=np.array([1.0, 2.0]), y=[3, 4], no_such_setting=1)
    fig = drawing.figure()
    assert pickle.loads(pickle.dumps(fig)).to_json() == fig.to_json()
    with pytest.raises(ValueError, match="no_such_setting"):
        _ = fig.data
    drawing.traces[0].pop("no_such_setting")
    fig = drawing.figure()
    sent = fig.to_json()
    fig.data[0].name = "changed"
    stored = pickle.loads(pickle.dumps(fig))
    assert json.loads(stored.to_json())["data"][0]["name"] == "changed"
    assert "changed" not in sent
