"""Answers kept between runs: within their number and bytes, computed once, written to by nobody; and what is computed
beside a page's run: a bar while one item takes its time, and an end to the waiting at once."""

import itertools
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import streamlit as st

from dpbi import MECHANISMS, Problem, verdict
from dpbi.dashboard.answers import library, work
from dpbi.dashboard.answers.cache import Kept, kept
from dpbi.dashboard.answers.work import Begin, Cancelled, Work
from dpbi.dashboard.session import settings
from dpbi.dashboard.views import paper_figures

MEGABYTE = 2**20


@dataclass(frozen=True)
class Result:
    values: np.ndarray
    more: tuple[np.ndarray, ...] = ()


def counted(most: int = 4, megabytes: int = 16) -> tuple[Kept, list[int]]:
    asked: list[int] = []

    @kept(most, megabytes)
    def answer(size: int) -> Result:
        asked.append(size)
        return Result(np.zeros(size), (np.ones(2),))

    return answer, asked


def test_who_watches_a_computation_is_no_part_of_the_question() -> None:
    """A figure of the papers that was cancelled at its third part is computed by the next who asks, once."""
    class Watcher(Work):
        def begin(self) -> None:
            if self.done + 1 == self.room:
                raise Cancelled

    nowhere: Any = None
    impatient, patient, late = (Begin(Watcher("job", 0, "parts", room, nowhere)) for room in (3, 0, 0))
    paper_figures._computed.clear()
    with pytest.raises(Cancelled):
        paper_figures._computed("[N] 2(a)", 1, impatient)
    assert impatient.work.total == 4 and not paper_figures._computed.holds("[N] 2(a)", 1, late)
    found = paper_figures._computed("[N] 2(a)", 1, patient)
    assert found is paper_figures._computed("[N] 2(a)", 1, late)
    assert (patient.work.done, late.work.done) == (4, 0)


def test_it_tells_what_it_holds_and_computes_nothing_for_it() -> None:
    answer, asked = counted(most=1)
    assert not answer.holds(3)
    assert asked == []
    assert answer(3) is answer(3)
    assert answer.holds(3)
    answer(4)
    assert (answer.holds(3), answer.holds(4)) == (False, True)
    answer.clear()
    assert (len(answer), answer.size, answer.holds(4)) == (0, 0, False)
    answer(4)
    assert asked == [3, 4, 4]


def test_what_is_being_computed_is_not_held_yet() -> None:
    seen: list[bool] = []

    @kept(4)
    def answer(size: int) -> int:
        seen.append(answer.holds(size))
        return size

    answer(1)
    assert seen == [False]
    assert answer.holds(1)


def test_its_arrays_cannot_be_written_to() -> None:
    found = counted()[0](3)
    for array in (found.values, *found.more):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_the_longest_unasked_goes_first() -> None:
    answer, asked = counted(most=2)
    for size in (1, 2, 1, 3, 1, 2):
        answer(size)
    assert asked == [1, 2, 3, 2]
    assert len(answer) == 2


def test_they_stay_within_bytes() -> None:
    answer = counted(most=100, megabytes=1)[0]
    quarter = MEGABYTE // 4 // 8
    for size in range(quarter, quarter + 10):
        answer(size)
        assert answer.size <= MEGABYTE
    assert len(answer) == 3
    answer(10 * quarter)
    assert answer.size <= MEGABYTE, "one that is larger than all of them may be is not kept"


def test_a_refusal_is_not_kept() -> None:
    asked = []

    @kept(4)
    def answer(size: int) -> int:
        asked.append(size)
        raise ValueError("size is too large")

    for _ in range(2):
        with pytest.raises(ValueError, match="too large"):
            answer(1)
    assert (asked, len(answer), answer.size) == ([1, 1], 0, 0)


class Ended(BaseException):
    """As Streamlit ends a run."""


@pytest.mark.parametrize("ended", [False, True])
def test_what_two_ask_at_once_is_computed_once_or_by_the_other_where_a_run_was_ended(ended: bool) -> None:
    started, go_on, asked = threading.Event(), threading.Event(), list[int]()

    @kept(4)
    def answer(size: int) -> Result:
        asked.append(size)
        started.set()
        assert go_on.wait(10)
        if ended and len(asked) == 1:
            raise Ended
        return Result(np.zeros(size))

    with ThreadPoolExecutor(2) as both:
        first = both.submit(answer, 1)
        assert started.wait(10)
        second = both.submit(answer, 1)
        go_on.set()
    assert isinstance(first.exception(), Ended) == ended
    assert second.result() is (answer(1) if ended else first.result())
    assert len(asked) == 1 + ended


@pytest.mark.parametrize("kind", MECHANISMS, ids=lambda kind: kind.__name__)
def test_results_of_the_library_are_shared_as_they_are(kind: type) -> None:
    """Every array that two sessions get is one that neither can change."""
    problem, mechanism = Problem((1, 2, 1), (3, 0, 4)), kind(1.0)
    for found in (library.law(problem, mechanism), library.posteriors(problem, mechanism, 1, 5)):
        arrays = [value for value in vars(found).values() if isinstance(value, np.ndarray)]
        assert arrays
        assert not any(array.flags.writeable for array in arrays)


def test_mechanisms_problems_and_calibrations_are_told_apart() -> None:
    """Classes with equal fields, and equal numbers of other types, share no answer."""
    problems = [Problem((1, 1), (3, 5)), Problem((1, 1), (5, 3)), Problem((1, 2), (3, 5))]
    for problem, kind, epsilon in itertools.product(problems, MECHANISMS, (1.0, 2.0)):
        for mechanism in (kind(epsilon), library.calibrated(kind(epsilon), problem.prior, problem.n)):
            row, drawn = library.comparison(problem, mechanism), library.posteriors(problem, mechanism, 1, 10)
            assert (type(row.mechanism), row.mechanism, row.problem) == (kind, mechanism, problem)
            assert (drawn.mechanism, drawn.problem, len(drawn.released)) == (mechanism, problem, 10)
            assert library.verdict(mechanism, problem.prior, problem.n) == verdict(mechanism, problem.prior, problem.n)
            assert (library.posteriors(problem, mechanism, 2, 10).released != drawn.released).any()


# --- beside a run ---


@pytest.fixture
def _session(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(st, "session_state", {})
    monkeypatch.setattr(settings, "get", lambda _: "")


@pytest.mark.usefixtures("_session")
def test_one_long_item_moves_the_bar_and_can_be_left(monkeypatch: pytest.MonkeyPatch) -> None:
    go, said = threading.Event(), list[str]()

    @kept(4, said="Counting")
    def answer(of: int) -> int:
        assert go.wait(20)
        return 2 * of

    def show(self: Work, text: str = "") -> None:
        said.append(text)
        if len(said) == 3:
            raise Ended

    monkeypatch.setattr(Work, "_show", show)
    monkeypatch.setattr(work, "_LOOK", 0.001)
    current = Work("part: job", 1, "mechanisms", 0, st.empty())
    with pytest.raises(Ended):
        current.ask(answer, 21)
    assert said == ["", ", 0 s. Counting", ", 0 s. Counting"]
    left = st.session_state[work._RUNNING]
    said.clear()
    with pytest.raises(Ended):
        current.ask(answer, 4)
    assert st.session_state[work._RUNNING] is left, "what had not begun is not begun"
    go.set()
    assert left.result(20) == 42
    monkeypatch.setattr(Work, "_show", lambda *_: None)
    assert answer.holds(21)
    assert not answer.holds(4)
    assert current.ask(answer, 4) == 8


@pytest.mark.usefixtures("_session")
def test_a_refusal_is_raised_where_it_was_asked_for() -> None:
    @kept(4)
    def refused() -> int:
        raise ValueError("n must be less")

    with pytest.raises(ValueError, match="n must be less"):
        Work("part: job", 1, "mechanisms", 0, st.empty()).ask(refused)
