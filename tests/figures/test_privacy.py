"""The figures of the exact loss by their data: what is drawn is what the numbers floor says."""

from functools import cache

import numpy as np
import pytest

from dpbi import MECHANISMS, ApproximateDP, Problem, calibrate, mechanisms, privacy_profile
from dpbi.figures import privacy, style
from dpbi.mechanisms import Mechanism
from dpbi.mechanisms.printed_bound import printed_bound
from dpbi.privacy.curves import AttainingLaws, CalibrationGain, attaining_laws, calibration_gain, loss_against_size
from dpbi.privacy.guessing import GuessingRisk
from dpbi.privacy.verdict import Profile, Verdict, verdict
from tests.every_mechanism import Kind, every_class
from tests.figures.test_figures import lengths_of_those_fit_to_send, named, title

PROBLEMS = {
    "k = 2": Problem((1, 1), (12, 18)),
    "k = 2, n = 1": Problem((0.01, 7), (0, 1)),
    "k = 2, n = 200": Problem((0.01, 7), (50, 150)),
    "k = 3": Problem((100, 1000, 100), (0, 9, 1)),
}
every_problem = pytest.mark.parametrize("name", PROBLEMS)
EPSILONS = (0.0, 0.1, 0.5, 1.0, 2.0)


def ticked(problem: Problem) -> list[Mechanism]:
    plain = [kind(1.0) for kind in MECHANISMS]
    return [*plain, *(calibrate(mechanism, problem.prior, problem.n) for mechanism in plain)]


@cache
def verdicts_of(name: str) -> list[Verdict]:
    problem = PROBLEMS[name]
    return [verdict(mechanism, problem.prior, problem.n) for mechanism in ticked(problem)]


@cache
def profiles_of(name: str) -> list[Profile]:
    problem = PROBLEMS[name]
    return [
        Profile(one, np.array(EPSILONS), privacy_profile(one.loss.mechanism, problem.prior, problem.n, EPSILONS))
        for one in verdicts_of(name)
    ]


@cache
def gains_of(name: str) -> list[CalibrationGain]:
    return [calibration_gain(kind(1.0), PROBLEMS[name]) for kind in MECHANISMS]


@every_problem
def test_every_figure_is_fit_to_send(name: str) -> None:
    problem, verdicts = PROBLEMS[name], verdicts_of(name)
    plain = [one.loss.mechanism for one in verdicts if not one.loss.mechanism.calibration]
    figures = [
        privacy.stated_and_exact(verdicts),
        *(privacy.attaining(attaining_laws(one.loss), ["<b>x</b>"] * problem.k) for one in verdicts),
        privacy.against_size([loss_against_size(one, problem.prior, (1, 2, 5)) for one in plain]),
        privacy.profiles(profiles_of(name)),
        privacy.trade_offs(profiles_of(name)),
        privacy.calibration(gains_of(name)),
    ]
    assert max(lengths_of_those_fit_to_send(figures)) < 60_000
    for fig in figures:
        assert "<b>" not in fig.to_json().replace("\\u003c", "<")


@every_problem
def test_bars_add_up_to_stated_or_to_the_loss(name: str) -> None:
    verdicts = verdicts_of(name)
    fig = privacy.stated_and_exact(verdicts)
    drawn = sum(np.array(trace.x, dtype=float) for trace in fig.data if trace.type == "bar")
    assert drawn == pytest.approx([max(one.loss.epsilon, one.stated) for one in verdicts], rel=1e-6)
    assert fig.layout.xaxis.range[1] == pytest.approx(np.max(drawn), rel=1e-6)  # no numbers where there is nothing
    assert named(fig, "unused").x == pytest.approx([one.unused * one.stated for one in verdicts], abs=1e-6)
    for row, one in zip(named(fig, "exact loss").y, verdicts, strict=True):
        private = one.guarantee.is_private or isinstance(one.guarantee, ApproximateDP)
        assert (one.guarantee.basis if private else "not private") in row
    exceeding = [one for one in verdicts if one.exceeds]
    assert bool(exceeding) == (name == "k = 2, n = 200")
    assert bool(exceeding) == any(trace.name == "beyond epsilon" for trace in fig.data)
    assert bool(exceeding) == title(fig).startswith("Beyond the stated epsilon of 1")
    for one in exceeding:
        assert f"{one.loss.mechanism.label} loses {printed_bound(one.loss.epsilon)}" in title(fig)


@every_class
def test_the_pair_is_drawn_with_its_output(kind: Kind) -> None:
    found = attaining_laws(verdict(kind(1.0), (1, 1), 30).loss)
    fig = privacy.attaining(found)
    here, there, mark = fig.data
    assert mark.x[0] == found.loss.released[0]
    at = [list(here.x).index(mark.x[0]), list(there.x).index(mark.x[0])]
    assert mark.y == pytest.approx([here.y[at[0]], there.y[at[1]]], rel=1e-6)
    assert np.log(mark.y[0] / mark.y[1]) <= found.loss.epsilon + 1e-6
    assert f"is {style.number(float(np.exp(found.loss.epsilon)))} times as probable" in title(fig)
    assert here.line.color == style.style_of(kind).colour


def test_a_ratio_that_is_nearly_one_is_not_called_one() -> None:
    found = attaining_laws(verdict(mechanisms.LSHist(0.001), (1, 1), 30).loss)
    assert f"is e^{printed_bound(found.loss.epsilon)} times as probable" in title(privacy.attaining(found))


def test_what_a_logarithmic_axis_cannot_show_is_said() -> None:
    loss = verdict(MECHANISMS[0](1.0), (1, 1), 3).loss
    released, law = np.arange(4), np.array([0.5, 0.5, 1e-20, 0.0])
    hidden = privacy.attaining(AttainingLaws(loss, 0, released, law, law))
    assert "Not drawn: probabilities below" in title(hidden)
    assert np.nanmin(np.array(hidden.data[0].y, dtype=float)) > 0
    full = np.full(4, 0.25)
    assert "Not drawn" not in title(privacy.attaining(AttainingLaws(loss, 0, released, full, full)))
    for name in PROBLEMS:
        profiles = profiles_of(name)
        fig = privacy.profiles(profiles)
        assert "Not drawn: δ below" in title(fig)
        for profile, trace in zip(profiles, fig.data[: len(profiles)], strict=True):
            drawn = np.array(trace.y, dtype=float)
            shown = profile.deltas >= privacy.FLOOR
            assert (np.isfinite(drawn) == shown).all()
            assert drawn[shown] == pytest.approx(profile.deltas[shown], rel=1e-6)


@pytest.mark.parametrize(("average", "worst"), [(0.5, 0.5), (0.62, 0.731), (1.0, 1.0)])
def test_a_hundred_cases_are_drawn_three_times(average: float, worst: float) -> None:
    risk = GuessingRisk(average, worst, exact=True)
    fig = privacy.guessing(risk)
    assert "50 of 100 before" in fig.layout.meta["alt"]
    right = [0, 0, 0]
    for trace in fig.data:
        for x in trace.x:
            right[x // 12] += trace.name != "wrong"
    assert right == [50, risk.average_of_hundred, risk.worst_of_hundred]
    assert sum(len(trace.x) for trace in fig.data) == 300
    assert len({(x, y) for trace in fig.data for x, y in zip(trace.x, trace.y, strict=True)}) == 300


def test_the_attackers_curve_ends_in_its_corners() -> None:
    for trace in privacy.trade_offs(profiles_of("k = 2")).data[1:]:
        curve = np.array(trace.y, dtype=float)
        assert curve[0] == pytest.approx(1, abs=0.02) and curve[-1] == 0
        assert np.all(np.diff(curve) <= 0) and np.all(np.diff(curve, 2) >= -1e-6)


@every_class
def test_curves_are_the_losses(kind: Kind) -> None:
    by_size = loss_against_size(kind(1.0), (1, 1), (1, 4, 16))
    curve = privacy.against_size([by_size]).data[0]
    assert curve.y == pytest.approx([one.epsilon for one in by_size], rel=1e-6)


def test_calibration_shows_both_means_and_the_largest_gain() -> None:
    gains = gains_of("k = 2")
    fig = privacy.calibration(gains)
    marks = [trace for trace in fig.data if trace.mode == "markers"]
    assert [m.x[0] for m in marks] == [mean for gain in gains for mean in (gain.mean_before, gain.mean_after)]
    best = max(gains, key=lambda gain: gain.mean_before / gain.mean_after)
    factor = style.number(best.mean_before / best.mean_after)
    assert f"{best.before.mechanism.label} comes {factor} times nearer" in title(fig)


@every_class
def test_a_calibrated_mechanism_keeps_its_colour_alone(kind: Kind) -> None:
    plain, calibrated = kind(1.0), calibrate(kind(1.0), (1, 1), 5)
    own, other = style.style_of(plain), style.style_of(calibrated)
    assert own.colour == other.colour and own.dash != other.dash and own.symbol != other.symbol
    assert style.mechanism_labels([plain, calibrated]) == [kind.label, f"{kind.label} calibrated"]
