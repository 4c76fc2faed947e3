"""What is computed beside a page's run: a bar while one item takes its time, and an end to the waiting at once."""

import threading

import pytest
import streamlit as st

from dpbi.dashboard.answers import work
from dpbi.dashboard.answers.cache import kept
from dpbi.dashboard.session import settings


class Ended(BaseException):
    """As Streamlit ends a run, at its next call."""


@pytest.fixture(autouse=True)
def _session(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(st, "session_state", {})
    monkeypatch.setattr(settings, "get", lambda _: "")


def test_one_long_item_moves_the_bar_and_can_be_left(monkeypatch: pytest.MonkeyPatch) -> None:
    go, said = threading.Event(), list[str]()

    @kept(4, said="Counting")
    def answer(of: int) -> int:
        assert go.wait(20)
        return 2 * of

    def show(self: work.Work, text: str = "") -> None:
        said.append(text)
        if len(said) == 3:
            raise Ended

    monkeypatch.setattr(work.Work, "_show", show)
    monkeypatch.setattr(work, "_LOOK", 0.001)
    current = work.Work("part: job", 1, "mechanisms", 0, st.empty())
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
    monkeypatch.setattr(work.Work, "_show", lambda *_: None)
    assert answer.holds(21)
    assert not answer.holds(4)
    assert current.ask(answer, 4) == 8


def test_a_refusal_is_raised_where_it_was_asked_for() -> None:
    @kept(4)
    def refused() -> int:
        raise ValueError("n must be less")

    with pytest.raises(ValueError, match="n must be less"):
        work.Work("part: job", 1, "mechanisms", 0, st.empty()).ask(refused)
