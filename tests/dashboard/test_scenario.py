"""The dashboard's scenario: what is typed, kept, refused and uploaded, read through the pages as a person does."""

import dataclasses
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest
from hypothesis import given, strategies as some
from streamlit.testing.v1 import AppTest

from dpbi import MECHANISMS, limits
from dpbi.dashboard.answers import library
from dpbi.dashboard.answers.cache import kept
from dpbi.dashboard.page import DEFAULT_FROM_THREE, DEFAULT_MECHANISMS
from dpbi.dashboard.shown import folds
from dpbi.dashboard.sidebar import data_source, entries, menu, prior, privacy
from dpbi.dashboard.words import guard, sidebar, words
from tests.dashboard.person import (
    CURVES,
    EVERY,
    PAGES,
    QUIET,
    STAGES,
    WITHOUT_MECHANISMS,
    answered,
    bare,
    check,
    key,
    made_up,
    opened,
    picked,
    ran,
    refusals,
    select,
    text,
    tick,
    typed,
    visit,
    waiting_for_a_file,
)
from tests.releases.damaged import read_or_refused

# --- what was typed ---


@pytest.mark.parametrize(
    ("typed", "labels", "counts"),
    [
        ("Cured, 48\nNot cured, 42", ("Cured", "Not cured"), (48, 42)),
        ("48, 42", ("Category 1", "Category 2"), (48, 42)),
        ("48 42 7", ("Category 1", "Category 2", "Category 3"), (48, 42, 7)),
        ("48\n\n 42 \n", ("Category 1", "Category 2"), (48, 42)),
        ("Smith, John; 3\nDoe: 1e3", ("Smith, John", "Doe"), (3, 1000)),
        ("a = 1\nb\t2.0", ("a", "b"), (1, 2)),
        ("18-25 5\n26-40 0", ("18-25", "26-40"), (5, 0)),
        ("O, 1,200\nA, 400,000,000", ("O", "A"), (1200, 400_000_000)),
        ("O: 1,200\nA=12,345", ("O", "A"), (1200, 12_345)),
        ("O,1,200\nA\t1,234,567", ("O", "A"), (1200, 1_234_567)),
        ("1,200 300", ("Category 1", "Category 2"), (1200, 300)),
        ("1,200, 3,400", ("Category 1", "Category 2"), (1200, 3400)),
        ("48,42,7", ("Category 1", "Category 2", "Category 3"), (48, 42, 7)),
        ("Group 1, 200\nGroup 2: 300", ("Group 1", "Group 2"), (200, 300)),
        ("0,130\n7,12", ("0", "7"), (130, 12)),
        ("2020 200\n2021 300", ("2020", "2021"), (200, 300)),
        ("a, 9007199254740993\nb, 0", ("a", "b"), (9007199254740993, 0)),
    ],
)
def test_typed_counts_are_read_exactly(typed: str, labels: tuple[str, ...], counts: tuple[int, ...]) -> None:
    if max(counts) > limits.TOTAL_LARGEST:
        with pytest.raises(ValueError, match="too large"):
            entries.counts(typed)
    else:
        assert entries.counts(typed) == (labels, counts)


persons, seed = (partial(entries.whole, name, least=0, largest=largest) for name, largest in (
    ("n", 10**9), ("seed", entries.SEED_LARGEST)))  # fmt: skip
epsilon = partial(entries.number, "epsilon")
WRITTEN_ODDLY = ["1_0", "sNaN", "nan", "inf", "-Infinity", "0x10", "\u0661\u0662", "1e", "1e1_0", "", "one"]
REFUSED_AS_TYPED: list[tuple[Callable[[str], object], str, str]] = [
    *((entries.counts, typed, said) for typed, said in (
        ("", "at least two categories"),
        ("a, 5", "at least two categories"),
        ("a, 5\nb, -1", "Line 2: the count must be at least 0"),
        ("a, 5\nb, 1.5", "Line 2: the count must be a whole number"),
        ("a, 5\n\nb, x", "Line 3: the count must be a whole number"),
        ("a, 5\nb, nan", "Line 2: the count must be a whole number.*got 'nan'"),
        ("5 1_0 7", "Line 1: the count must be a whole number.*got '1_0'"),
        ("a, 5\nb, 1e400", "Line 2: the count is too large: got '1e400'"),
        ("a, 5\nb, 1e20", "Line 2: the count is too large"),
        ("a, 5\na, 6", "2 categories are called 'a'"),
        ("a, 5\n" + "b" * 501 + ", 6", "Line 2: a label may have at most 500 characters"),
        ("5\n" * 100_001, "at most 200,000 characters"),
        ("5\n" * 2001, "too many categories"),
    )),
    *((entries.counts, f"b: 7\n{line}", f"Line 2: '{line}' can be read in more than one way") for line in (
        "Group 1,200", "O, 12,34", "O, 1 200", "O, 1, 200", "O 1 200", "1,200", "18, 25, 300", "18,25,300", "O;5;200",
        "O, 5, 1,200",
    )),
    *((entries.counts, line, "may be one number or several") for line in ("1,200", "1,200,48", "10,200,300")),
    *((persons, odd, r"n must be a whole number|n may be meant in two ways") for odd in (
        "12,34", "1,2000", ",200", "1,,200", "0,200", "1.000", "1.200.000", "1,200.5")),
    # What only a computer calls a number.
    *((epsilon, odd, r"^epsilon must be a number such as .*\.$") for odd in WRITTEN_ODDLY),
    *((seed, odd, r"^seed must be a whole number such as .*\.$") for odd in WRITTEN_ODDLY),
    # None is rounded to nothing or infinity.
    (epsilon, "1e-400", r"^epsilon is too small: got '1e-400'"),
    (epsilon, "1e400", r"^epsilon is too large: got '1e400'"),
    (persons, "1e-400", r"^n must be a whole number: got '1e-400'"),
    *((persons, large, rf"^n is too large: got '{large}'") for large in ("1e30", "1e999999999")),
]  # fmt: skip


@pytest.mark.parametrize(("read", "typed", "said"), REFUSED_AS_TYPED)
def test_what_is_typed_is_refused_in_words(read: Callable[[str], object], typed: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read(typed)


@given(some.integers(0, limits.TOTAL_LARGEST))
def test_a_whole_number_is_read_as_it_is_written(value: int) -> None:
    for written in (f"{value:,}", str(value), f" {value}e0 "):
        assert entries.whole("n", written, 0, limits.TOTAL_LARGEST) == value
    assert entries.counts(f"a: {value:,}\nb: 0") == (("a", "b"), (value, 0))


def test_numbers_are_read_in_any_spelling() -> None:
    written = (" 0 ", "0e-400", "-.5", "1e-8", "+3.")
    assert [entries.number("x", one) for one in written] == [0, 0, -0.5, 1e-8, 3]


@given(some.text(max_size=80))
def test_any_text_is_read_or_refused(typed: str) -> None:
    reads: list[Callable[[], object]] = [
        lambda: entries.counts(typed),
        lambda: entries.numbers("x", typed),
        lambda: entries.whole("x", typed, 0, 9),
    ]
    for read in reads:
        read_or_refused(read)


@given(some.text(max_size=200))
def test_escaped_text_is_one_inert_line(label: str) -> None:
    marked = words.escape(label)
    assert "\n" not in marked
    for sign in "`*_[]<>$:#|~":
        assert all(marked[i - 1] == "\\" for i, found in enumerate(marked) if found == sign)


def test_a_long_label_is_cut_and_a_long_sentence_is_not() -> None:
    assert len(words.plain("x" * 500)) == 60
    assert words.sentence(ValueError("y" * 500)) == "y" * 500


# --- what is kept ---


def test_the_first_paint_is_the_default_scenario() -> None:
    at = opened(QUIET)
    assert picked(at) == {*DEFAULT_MECHANISMS}
    assert (at.text_input(key="entry: epsilon").value, at.text_input(key="entry: gamma").value) == ("1", "1")
    visit(at, "app.py")
    assert at.text_input(key="entry: seed").value == "1"
    assert any("48 cured, 42 not cured; n = 90" in line.value for line in at.main.markdown)


def kind_with(wanted: Callable[[dataclasses.Field[Any]], bool]) -> tuple[str, str]:
    """A class that has such a field, and the field, by name: tests know no mechanism by name."""
    found = ((kind, field) for kind in MECHANISMS for field in dataclasses.fields(kind) if wanted(field))
    kind, field = next(found)
    return kind.__name__, field.name


@pytest.mark.usefixtures("few_points")
def test_settings_stay_on_every_page_and_on_return() -> None:
    switched, switch = kind_with(lambda field: isinstance(field.default, bool))
    numbered, number = kind_with(lambda field: isinstance(field.default, float) and field.name != "gamma")
    at = select(typed(opened(), "left, 2\nright, 1\nneither, 0"), "prior", prior.CUSTOM)
    for name, value in (("alpha of right", "2.5"), ("epsilon", "0.37"), ("gamma", "0.2"), ("seed", "77")):
        text(at, name, value)
    tick(at, {switched, numbered})
    text(at, number, "1e-5")
    check(at, f"{switched}: {switch}")
    typed_in = {"alpha of right": "2.5", "epsilon": "0.37", "gamma": "0.2", number: "1e-5", "seed": "77"}
    for page in [*PAGES, "app.py", PAGES[0]]:  # out, back, and out again
        visit(at, page)
        assert at.selectbox(key="entry: source").value == data_source.TYPED
        assert at.text_area(key="entry: typed").value == "left, 2\nright, 1\nneither, 0"
        assert at.session_state["settings"].items() >= {*typed_in.items(), (f"{switched}: {switch}", True)}
        shown = {widget.key: widget.value for widget in [*at.sidebar.text_input, *at.main.select_slider]}
        expected = {key(at, name): value for name, value in typed_in.items()} | {key(at, privacy.SLIDER): 0.37}
        seeded = next(found.seeded for found in menu.PAGES if found.path == page)
        seen = {key(at, name) for name in ("alpha of right", "epsilon", *["seed"] * seeded)}
        assert seen <= expected.keys() & shown.keys()
        assert all(shown[one] == expected[one] for one in expected.keys() & shown.keys())
        assert picked(at) == {switched, numbered}
        line = "2 left, 1 right, 0 neither; n = 3 · prior Dirichlet(1, 2.5, 1) · epsilon = 0.37 · gamma = 0.2"
        assert any(line in bare(shown.value) for shown in at.main.markdown), page


def test_slider_and_entry_of_epsilon_never_disagree_and_their_keys_come_again() -> None:
    at = opened(CURVES)
    text(at, "epsilon", "0.123")
    assert at.select_slider(key=key(at, privacy.SLIDER)).value == 0.123
    at.select_slider(key=key(at, privacy.SLIDER)).set_value(5.0).run()
    assert at.text_input(key=key(at, "epsilon")).value == "5"
    text(at, "epsilon", "no number")  # where the slider was, to set it right
    at.select_slider(key=key(at, privacy.SLIDER)).set_value(2.0).run()
    assert not at.error and answered(at)
    assert at.text_input(key=key(at, "epsilon")).value == "2"
    text(at, "epsilon", "300")  # beyond the slider's own marks
    assert at.select_slider(key=key(at, privacy.SLIDER)).value == 300
    assert min(privacy.EPSILON_MARKS) == 0.01
    assert max(privacy.EPSILON_MARKS) == 20
    # Streamlit keeps a record of every key that it has ever seen: a new one for each change would never end.
    keys = set()
    for mark in privacy.EPSILON_MARKS[:5]:
        text(at, "epsilon", f"{mark:g}")
        assert at.select_slider(key=key(at, privacy.SLIDER)).value == mark
        keys.add(key(at, privacy.SLIDER))
    assert len(keys) == 2


SLIDING = {"app.py", *(f"pages/{name}.py" for name in (
    "1_Private_posteriors", "2_Distance_curves", "3_Sensitivity", "4_Privacy_loss", "5_Accuracy",
    "7_Release"))}  # fmt: skip


@pytest.mark.usefixtures("few_points")
def test_epsilon_stands_in_the_page_that_uses_it_in_talk_mode_too_and_no_entry_on_one_that_does_not() -> None:
    at = opened()
    for talk in (False, True):
        ran(at.toggle(key="entry: talk").set_value(talk))
        for page in EVERY:
            visit(at, page)
            own = {slider.label for slider in at.main.select_slider}
            assert ("epsilon" in own) == (page in SLIDING), page
            assert bool(at.sidebar.get("button_group")) == (page not in WITHOUT_MECHANISMS), page
    for page in STAGES:
        visit(at, page)
        assert not [*at.sidebar.text_input, *at.sidebar.selectbox, *at.sidebar.get("button_group")]


def test_what_a_mechanism_can_be_asked_opens_where_it_is_picked() -> None:
    """delta, or any number a later class brings, too: none of it makes a widget while it is folded."""
    at = tick(opened(CURVES), set())
    for kind in MECHANISMS:
        tick(at, {kind.__name__})
        at.session_state[folds.key(kind.__name__)] = False
        without = {str(one.key) for one in _entries(ran(at))}
        assert kind.label in [fold.label for fold in at.sidebar.expander]
        said = _set_line(at)
        fields = [field for field in dataclasses.fields(kind) if "label" in field.metadata]
        assert all(f"{field.name} {field.default:g}" in bare(said) for field in fields
                   if isinstance(field.default, float))
        named = {field.name if isinstance(field.default, float) else f"{kind.__name__}: {field.name}"
                 for field in fields}  # fmt: skip
        at.session_state[folds.key(kind.__name__)] = True
        opens = {*named, f"ticked: {kind.__name__}", f"calibrated: {kind.__name__}"}
        assert {str(one.key) for one in _entries(ran(at))} - without == {f"entry: {name}" for name in opens}
        assert all(kind.label in box.label for box in at.sidebar.checkbox if "calibrated" in box.label)


def _set_line(at: AppTest) -> str:
    """What is said to be set of the picked mechanisms."""
    names = tuple(f"{kind.label}: " for kind in MECHANISMS)
    return next((caption.value for caption in at.sidebar.caption if caption.value.startswith(names)), "")


def _entries(at: AppTest) -> list[Any]:
    return [*at.sidebar.text_input, *at.sidebar.selectbox, *at.sidebar.checkbox]


def test_a_mechanism_is_picked_as_it_is_calibrated_or_both_and_put_away_whole() -> None:
    kind = MECHANISMS[0].__name__
    at = check(tick(opened(CURVES), {kind}), f"calibrated: {kind}")
    check(at, f"ticked: {kind}", False)
    held = at.session_state["settings"]
    assert (held[f"ticked: {kind}"], held[f"calibrated: {kind}"]) == (False, True)
    assert at.pills(key=key(at, privacy.PICKED)).value == [kind], "it is calibrated"
    assert _set_line(at) == f"{MECHANISMS[0].label}: calibrated"
    tick(at, {MECHANISMS[1].__name__})
    held = at.session_state["settings"]
    assert (held[f"ticked: {kind}"], held[f"calibrated: {kind}"]) == (False, False)
    check(at, f"ticked: {MECHANISMS[1].__name__}", False)
    assert words.NOTHING_TICKED in [info.value for info in at.main.info]


def test_more_mechanisms_are_there_at_first_from_three_categories_on_until_somebody_chooses() -> None:
    at = opened(CURVES)
    for counts, expected in (("3 4 5", DEFAULT_FROM_THREE), ("3 4", DEFAULT_MECHANISMS)):
        assert picked(typed(at, counts)) == {*expected}
        assert set(at.pills(key=key(at, privacy.PICKED)).value or ()) == {*expected}
    tick(at, {DEFAULT_MECHANISMS[0]})
    assert picked(typed(at, "3 4 5")) == {DEFAULT_MECHANISMS[0]}
    assert picked(tick(at, {*DEFAULT_MECHANISMS})) == picked(typed(at, "3 4 6")) == {*DEFAULT_MECHANISMS}


# --- what is refused ---


REFUSED = [
    ("epsilon", "0", "epsilon must be greater than 0: got 0.0."),
    ("epsilon", "nan", "epsilon must be a number such as 0.5 or 1e-8: got 'nan'."),
    ("epsilon", "0,5", "epsilon must be a number such as 0.5 or 1e-8: got '0,5'. Write decimals with a point."),
    ("epsilon", "", "epsilon must be a number such as 0.5 or 1e-8: got nothing."),
    ("gamma", "-1", "gamma must be at least 0: got -1.0."),
    ("seed", "1.5", "seed must be a whole number: got 1.5."),
]


def test_a_refused_entry_leaves_its_sentence_and_no_result_on_any_page() -> None:
    at = opened(QUIET)
    for name, value, said in REFUSED:
        text(visit(at, "app.py" if name == "seed" else QUIET), name, value)
        for page in EVERY if (name, value) == REFUSED[0][:2] else [QUIET]:
            visit(at, page)
            assert ("epsilon" in {slider.label for slider in at.main.select_slider}) == (page != "pages/6_Papers.py")
            assert refusals(at) == [said]
            assert at.text_input(key=f"entry: {name}").value == value
            assert said in bare(at.main.error[0].value)
            assert not (at.get("plotly_chart") or at.main.dataframe or at.main.metric)
        text(visit(at, QUIET), name, "1")
        assert not at.error and answered(at)
    text(text(visit(at, "app.py"), "epsilon", "x"), "seed", "y")
    assert len(refusals(at)) == 2
    assert bare(at.main.error[0].value).startswith("**2 entries in the sidebar are refused")


def test_a_refused_strength_that_counts_are_drawn_from_is_said_once() -> None:
    at = select(made_up(opened(QUIET), shape=data_source.DRAWN), "prior", prior.SYMMETRIC)
    for strength, said in (("-1", "must be greater than 0: got -1.0."), ("1e13", "is too large"),
                           ("inf", "must be a number")):  # fmt: skip
        (refused,) = refusals(text(at, "strength", strength))
        assert refused.startswith(f"strength {said}")


def prior_shown(at: AppTest) -> str:
    line = next(bare(shown.value) for shown in at.main.markdown if "· prior " in shown.value)
    return line.split(" · prior ")[1].split(" · ")[0]


def test_a_custom_prior_follows_its_labels() -> None:
    at = select(typed(opened(QUIET), "O, 12\nA, 7\nB, 3"), "prior", prior.CUSTOM)
    text(text(at, "alpha of O", "4"), "alpha of B", "0.5")
    assert prior_shown(at) == "Dirichlet(4, 1, 0.5)"
    typed(at, "B, 3\nO, 12\nA, 7")
    assert prior_shown(at) == "Dirichlet(0.5, 4, 1)"
    typed(at, "AB, 2\nO, 12\nB, 3")
    assert prior_shown(at) == "Dirichlet(1, 4, 0.5)"
    select(at, "source", data_source.EXAMPLE)
    select(at, "source", data_source.TYPED)
    assert prior_shown(at) == "Dirichlet(1, 4, 0.5)"


def test_a_custom_prior_in_one_box_follows_its_labels() -> None:
    letters = "ABCDEFGHIJKLM"
    at = select(typed(opened(QUIET), "\n".join(f"{letter}, 5" for letter in letters)), "prior", prior.CUSTOM)
    box = "prior in one box"

    def held() -> list[str]:
        return str(at.text_area(key=key(at, box)).value).split()

    at.text_area(key=key(at, box)).set_value(" ".join(map(str, range(1, 14)))).run()
    typed(at, "\n".join(f"{letter}, 5" for letter in ["new", *reversed(letters)]))
    assert held() == ["1", *map(str, range(13, 0, -1))]
    at.text_area(key=key(at, box)).set_value("1 2 3").run()  # refused: the labels keep what they had
    typed(at, "M, 5\nC, 5")
    assert prior_shown(at) == "Beta(13, 3)"
    text(at, "alpha of C", "7")
    typed(at, "\n".join(f"{letter}, 5" for letter in letters))
    assert held() == ["1", "2", "7", *map(str, range(4, 14))]


def test_a_refused_prior_names_its_category() -> None:
    at = select(typed(opened(QUIET), "A, 12\nB, 7"), "prior", prior.CUSTOM)
    text(at, "alpha of B", "-1")
    assert refusals(at) == ["alpha of B must be greater than 0: got -1.0."]
    typed(at, "\n".join(f"c{i}: 5" for i in range(13)))
    at.text_area(key="entry: prior in one box").set_value("1 1 x" + " 1" * 10).run()
    assert refusals(at) == ["alpha of c2 must be a number such as 0.5 or 1e-8: got 'x'."]
    at.text_area(key="entry: prior in one box").set_value("").run()
    assert refusals(at) == ["prior must have one number per category: got 0 for 13 categories."]


def test_a_custom_prior_without_data_asks_for_a_file() -> None:
    at = select(waiting_for_a_file(), "prior", prior.CUSTOM)
    assert not at.error
    assert sidebar.NO_CATEGORIES in [caption.value for caption in at.sidebar.caption]
    assert "Bring a file" in sidebar.NO_CATEGORIES


# --- made-up counts ---


def read_as(at: AppTest) -> list[str]:
    return [bare(caption.value) for caption in at.sidebar.caption]


def test_made_up_counts_have_the_wanted_size_however_it_is_written() -> None:
    at = opened(QUIET)
    def line() -> str:
        return next(bare(shown.value) for shown in at.main.markdown if "; n = " in shown.value)

    for written, n in (("1,000,000,000", "1,000,000,000"), ("1e9", "1,000,000,000"), ("600", "600")):
        made_up(at, n=written)
        assert f"Category 3; n = {n} " in line()
    for shape in data_source.SHAPES:
        made_up(at, shape=shape)
        assert "Category 3; n = 600 " in line() and not at.error

    made_up(at, shape=data_source.DRAWN)
    first = line()
    text(visit(at, "app.py"), "seed", "5")
    assert line() == first, "they change with a seed of their own"
    visit(at, QUIET)
    made_up(at, seed="2")
    assert line() != first
    said = read_as(typed(at, "O, 400,000,000\nA, 1,200"))
    assert "Read as O: 400,000,000 · A: 1,200" in said and "n = 400,001,200 " in line()


# --- failures ---


@contextmanager
def failing(error: Exception, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    @kept(1)
    def fail(*_: object) -> None:
        raise error

    with monkeypatch.context() as patch:
        for name in ("comparison", "publication"):
            patch.setattr(library, name, fail)
        yield


def test_an_unforeseen_failure_is_an_apology_without_data(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with failing(RuntimeError("count 48 of cured"), monkeypatch):
        at = opened()
    assert words.APOLOGY in at.main.error[0].value
    assert "48" not in "".join(error.value for error in at.main.error)
    assert "RuntimeError" in caplog.text
    assert "48" not in caplog.text


@pytest.mark.parametrize(("refuse", "ours"), [(lambda: limits.check_epsilon(-1), True), (lambda: float("x"), False)])
def test_only_sentences_of_dpbi_are_shown(refuse: Callable[[], object], ours: bool) -> None:
    """A ValueError of numpy is no sentence for a person: who raised it decides."""
    with pytest.raises(ValueError) as refusal:
        refuse()
    assert guard._raised_by_dpbi(refusal.value.__traceback__) == ours
