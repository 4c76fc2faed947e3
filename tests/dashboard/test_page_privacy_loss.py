"""The page Privacy loss and calibrated mechanisms everywhere, through AppTest, as a person meets them."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from dpbi import MECHANISMS, ApproximateDP, NotPrivate, PureDP, calibrate, distance_law, privacy_loss, tables, verdict
from dpbi.accuracy.comparison import comparison_of, nearest_private
from dpbi.dashboard.answers import library
from dpbi.dashboard.sidebar import controls, prior
from dpbi.dashboard.words import words
from dpbi.mechanisms import Mechanism, name_of
from dpbi.mechanisms.printed_bound import printed_bound
from tests.dashboard.person import (
    ALL,
    EVERY,
    EXAMPLE,
    QUIET,
    buttons,
    charts,
    check,
    everything,
    key,
    opened,
    press,
    ran,
    reach,
    select,
    shown,
    text,
    tick,
    typed,
)

PAGE = "pages/4_Privacy_loss.py"
CALIBRATE = "Calibrate"


def calibrate_all(at: AppTest) -> AppTest:
    """As whoever ticked every box, which would be a rerun each."""
    at.session_state["settings"] |= {f"calibrated: {kind.__name__}": True for kind in MECHANISMS}
    return ran(at)


def with_prior(at: AppTest, *alpha: float) -> AppTest:
    select(at, "prior", prior.CUSTOM)
    fields = [str(found.key) for found in at.sidebar.text_input if str(found.key).startswith("entry: alpha of ")]
    for field, value in zip(fields, alpha, strict=True):
        text(at, field.removeprefix("entry: "), f"{value:g}")
    return at


def losses(at: AppTest) -> dict[str, dict[str, Any]]:
    table = at.main.dataframe[0].value
    return {row["Mechanism"]: row for row in table.to_dict("records")}


def plain() -> list[Mechanism]:
    return [kind(1.0) for kind in MECHANISMS]


# --- what is shown ---


def test_the_table_holds_the_librarys_losses_and_below_epsilon_is_no_promise() -> None:
    at = shown(tick(opened(), ALL), PAGE)
    assert len(charts(at)) == 5
    rows, said = losses(at), everything(at)
    assert list(rows) == [mechanism.label for mechanism in plain()]
    for mechanism in plain():
        loss, row = privacy_loss(mechanism, (1, 1), 90), rows[mechanism.label]
        assert row["Exact loss"] == loss.epsilon
        assert row["Attained by"] == tables.pair(loss)
        assert (row["Stated"], row["Verdict"]) == (1.0, "within epsilon here")

    promises = {mechanism.label: mechanism.guarantee((1, 1), 90) for mechanism in plain()}
    assert {type(promise) for promise in promises.values()} == {PureDP, ApproximateDP, NotPrivate}
    assert "accuses" not in said
    assert "keeps it without a delta" in " ".join(caption.value for caption in at.sidebar.caption)
    for label, promise in promises.items():
        assert (f"**{label}** promises nothing, and loses" in said) == isinstance(promise, NotPrivate)
        assert (f"**{label}** claims delta = 1e-08" in said) == isinstance(promise, ApproximateDP)
    assert "At another prior or n its loss can exceed epsilon" in said
    assert "the exact delta there is 0, so the claim holds for this prior and n" in said


def test_the_pair_of_any_mechanism_can_be_looked_at() -> None:
    at = shown(opened(), PAGE)
    box = at.selectbox(key="entry: attaining")
    assert box.value == controls.LOSES_MOST
    for name in box.options[1:]:
        at.selectbox(key="entry: attaining").set_value(name).run()
        assert f"{name}: (" in everything(at)
    kind = next(kind for kind in MECHANISMS if kind.label == name)
    check(at, f"ticked: {kind.__name__}", False)
    assert at.selectbox(key=key(at, "attaining")).value == controls.LOSES_MOST


# --- negative controls, found by computation ---


@pytest.mark.parametrize(
    ("alpha", "counts", "loss"),
    [((100, 1000, 100), "5 18 2", "2.0628"), ((0.01, 7), "120 80", "1.0747")],
    ids=["prior (100, 1000, 100), n = 25", "prior (0.01, 7), n = 200"],
)
def test_whoever_has_no_guarantee_is_accused(alpha: tuple[float, ...], counts: str, loss: str) -> None:
    at = shown(with_prior(typed(tick(opened(QUIET), ALL), counts), *alpha), PAGE)
    n = sum(map(int, counts.split()))
    said, rows = everything(at), losses(at)
    for mechanism in plain():
        accused = isinstance(mechanism.guarantee(alpha, n), NotPrivate)
        sentence = f"**The audit accuses {mechanism.label}**: stated epsilon 1, exact loss {loss}."
        assert (sentence in said) == accused
        assert rows[mechanism.label]["Verdict"] == ("ACCUSED" if accused else "within epsilon here")
    assert said.count("The audit accuses") == 1
    assert any(trace.get("name") == "beyond epsilon" for trace in charts(at)[0]["data"])


def test_a_loss_beyond_epsilon_that_keeps_its_delta_is_called_so_by_table_figure_and_words() -> None:
    """prior (100, 1000, 100), n = 15, epsilon = 10: of these delta(10) is below the claimed one, the loss above 10."""
    at = with_prior(typed(tick(opened(QUIET), ALL), "0 14 1"), 100, 1000, 100)
    at.text_input(key="entry: epsilon").set_value("10").run()
    at = shown(at, PAGE)
    rows, said = losses(at), everything(at)
    bars = charts(at)[0]
    written = next(trace["text"] for trace in bars["data"] if trace.get("mode") == "text")
    verdicts = {name_of(m): verdict(m, (100, 1000, 100), 15) for m in (kind(10.0) for kind in MECHANISMS)}
    kinds = {(type(one.guarantee), one.said) for one in verdicts.values()}
    assert kinds == {(PureDP, "within epsilon here"), (ApproximateDP, "exceeds epsilon, keeps delta here"),
                     (NotPrivate, "ACCUSED")}  # fmt: skip
    assert list(rows) == list(verdicts)
    for (label, one), beside in zip(verdicts.items(), written, strict=True):
        assert rows[label]["Verdict"] == one.said
        assert (one.said in beside) == (one.loss.epsilon > 10.0001) == (rows[label]["Exact loss"] > 10.0001)
        assert (f"**The audit accuses {label}**" in said) == one.accused
        if isinstance(one.guarantee, ApproximateDP):
            loss = printed_bound(one.loss.epsilon)
            assert f"so the claim holds for this prior and n, though its exact loss, {loss}, exceeds epsilon" in said
            assert f"{label} loses {loss} and keeps its delta" in bars["layout"]["title"]["text"].replace("<br>", " ")


def test_whoever_understates_the_sensitivity_is_accused() -> None:
    """An option with which the theorem grants more than the stated epsilon, at alpha = 0.01 and n = 1."""
    found = []
    at = with_prior(typed(tick(opened(), ALL), "0 1"), 0.01, 0.01)
    for kind in MECHANISMS:
        for field in kind.__dataclass_fields__.values():
            for value in field.metadata.get("options", ()):
                promised = kind(1.0, **{field.name: value}).guarantee((0.01, 0.01), 1)
                if isinstance(promised, PureDP) and promised.epsilon > 1:
                    found.append(kind.label)
                    select(at, f"{kind.__name__}: {field.name}", value)
    assert len(found) == 1
    said = everything(shown(at, PAGE))
    assert f"**The audit accuses {found[0]}**: stated epsilon 1, exact loss 1.0628." in said
    assert "What is proved for it here is 2.1255-DP (theorem)." in said
    assert losses(at)[found[0]]["Verdict"] == "ACCUSED"


# --- beyond the limits ---


@pytest.mark.parametrize(("counts", "largest"), [("3000 2000", "2,100"), ("40 30 30", "63"), ("9 9 9 9", "21")])
def test_beyond_the_size_limit_the_library_says_so_once(counts: str, largest: str) -> None:
    at = shown(tick(opened(), ALL), PAGE)
    shown(typed(at, counts), PAGE)
    n, k = sum(map(int, counts.split())), len(counts.split())
    closed = [m.label for m in plain() if privacy_loss(m, (1, 1), 5).found == "closed form"]
    assert list(losses(at)) == closed
    sentence = f"with k = {k} categories every pair of datasets can be visited up to n = {largest}, got n = {n:,}."
    assert everything(at).count(sentence) == 1
    for kind in MECHANISMS:
        box = reach(at, f"calibrated: {kind.__name__}").checkbox(key=f"entry: calibrated: {kind.__name__}")
        assert box.disabled == (kind.label not in closed)
    assert any(sentence in line.value.replace("\\", "") for line in at.sidebar.caption)


def test_a_calibrated_mechanism_beyond_the_limit_is_dropped_aloud_and_comes_back() -> None:
    at = opened()
    kind = next(k for k in MECHANISMS if privacy_loss(k(1.0), (1, 1), 5).found == "exhaustive")
    check(at, f"calibrated: {kind.__name__}")
    typed(at, "3000 2000")
    assert any("cannot be calibrated here" in warning.value for warning in at.sidebar.warning)
    assert f"{kind.label} calibrated" not in list(at.main.dataframe[0].value["Mechanism"])
    typed(at, "30 20")
    assert not at.sidebar.warning
    assert f"{kind.label} calibrated" in list(at.main.dataframe[0].value["Mechanism"])


def test_without_records_nothing_leaks() -> None:
    at = typed(tick(opened(), ALL), "0 0")
    calibrate_all(at)
    assert list(at.main.dataframe[0].value["Mechanism"]) == [kind.label for kind in MECHANISMS]
    assert "nothing can leak" in everything(shown(at, PAGE))


def test_a_delta_that_cannot_be_computed_leaves_its_sentence_alone() -> None:
    """Where all released counts sum to n by an option, the loss has a closed form at any size, delta has none."""
    kind, field = next(
        (kind, name)
        for kind in MECHANISMS
        for name, field in kind.__dataclass_fields__.items()
        if "label" in field.metadata and isinstance(field.default, bool)
    )
    at = typed(tick(opened(), {kind.__name__}), "40 30 30")
    check(at, f"{kind.__name__}: {field}")
    shown(at, PAGE)
    assert len(charts(at)) == 3
    assert everything(at).count("up to n = 63, got n = 100.") == 1


# --- calibration ---


def test_calibrate_shows_what_it_buys_and_forgets_with_the_prior() -> None:
    at = shown(opened(), PAGE)
    assert len(at.main.dataframe) == 1
    press(at, CALIBRATE)
    assert list(at.main.dataframe[1].value["Loss after"]) == pytest.approx([1] * 4, abs=1e-6)
    assert [warning.value for warning in at.main.warning] == [words.CHOICE_WARNING]
    assert CALIBRATE not in buttons(at)
    with_prior(at, 1, 2)
    assert len(at.main.dataframe) == 1
    assert CALIBRATE in buttons(at)


@pytest.mark.usefixtures("few_points")
def test_calibrated_mechanisms_stand_on_every_page_and_can_be_best() -> None:
    at = tick(opened(), {MECHANISMS[-1].__name__})
    calibrate_all(at)
    rows = [comparison_of(distance_law(calibrate(mechanism, (1, 1), 90), EXAMPLE)) for mechanism in plain()]
    best = [f"**{name_of(row.mechanism)}**" for row in nearest_private(rows)]
    assert f"Nearest to the truth here: {words.listed(best)}" in everything(at)
    *names, last = [f"{kind.label} calibrated" for kind in MECHANISMS]
    table = at.main.dataframe[0].value
    assert list(table["Mechanism"]) == [*names, MECHANISMS[-1].label, last], "calibrated beside plain are two"
    assert set(table["Guarantee"][table["Mechanism"] != MECHANISMS[-1].label]) == {"1-DP (exhaustive check)"}
    for page in EVERY:
        shown(at, page)
        for kind in MECHANISMS:
            assert at.session_state["settings"][f"calibrated: {kind.__name__}"]
        if page.endswith(("app.py", "Private_posteriors.py", "Distance_curves.py", "Privacy_loss.py")):
            assert names[0] in "".join(chart.proto.spec for chart in at.get("plotly_chart"))


def test_another_prior_or_total_calibrates_anew_and_other_counts_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[Any, ...]] = []

    def counted(*public: Any) -> Mechanism:
        asked.append(public[1:])
        return calibrate(*public)

    library.calibrated.clear()
    monkeypatch.setattr(library, "calibrate", counted)
    at = typed(opened(), "7 5")
    check(tick(at, {MECHANISMS[-1].__name__}), f"calibrated: {MECHANISMS[-1].__name__}")
    assert asked == [((1.0, 1.0), 12)]
    typed(at, "2 10")
    assert len(asked) == 1, "other counts of the same total share the calibration"
    typed(at, "2 11")
    with_prior(at, 1, 3)
    assert asked[1:] == [((1.0, 1.0), 13), ((1.0, 3.0), 13)]
    assert not at.main.error
