"""A page's longer computations: item by item, with a bar and a way out.

Every item is kept between runs. A run computes what is not kept; pressing **Cancel** ends the run where it stands, and
the next one computes nothing new for the same question, until **Go on** is pressed or something else is asked for.
"""

import contextlib
import hashlib
import time
from collections.abc import Iterator
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from threading import Thread
from typing import Any, ParamSpec, TypeVar

import streamlit as st

from dpbi.dashboard.answers.cache import Kept, unsaid
from dpbi.dashboard.session import settings

CANCELLED = "**Cancelled:** only what had been computed by then is shown."
_SILENT = 0.4  # seconds of computing that show no bar
_LOOK = 0.2  # seconds between two looks at what is being computed
_RUNNING = "work: running"

Asked = ParamSpec("Asked")
Answer = TypeVar("Answer")


class Cancelled(BaseException):
    """Nothing new may be computed. No Exception, so that no guard takes it for a failure."""


@dataclass
class Work:
    """One computation of a page's run: what is kept costs nothing, what is new moves the bar.

    job: names what is asked for; total: of its items, as far as known, 0 where it is not; items: what they are called;
    room: how many more items than are known of the bar leaves room for; quick: whether all of it takes so little that
    neither a bar nor a way out is of use, and a thread for each item would cost as much.
    """

    job: str
    total: int
    items: str
    room: int
    place: st.delta_generator.DeltaGenerator
    quick: bool = False
    done: int = 0
    complete: bool = True
    began: float = field(default_factory=time.monotonic)
    bar: st.delta_generator.DeltaGenerator | None = None

    def begin(self) -> None:
        """What stands before an item that is not kept. Raises ``Cancelled`` where no new one may be computed."""
        if settings.get(_cancelled(self.job)) == self.job:
            self.complete = False
            raise Cancelled
        self._show()

    def _show(self, said: str = "") -> None:
        """The bar, once there is something to wait for; said: of the item that is being computed."""
        if self.bar is None and time.monotonic() - self.began > _SILENT:
            with self.place.container():
                self.bar = st.progress(0.0)
                st.button("Cancel", key=f"cancel: {_part(self.job)}", on_click=_cancel, args=(self.job,))
        if self.bar is not None:
            share = self.done / (self.done + max(self.total - self.done, self.room, 1))
            of_all = f" of {max(self.total, self.done + 1):,}" if self.total else ""
            self.bar.progress(share, f"{self.done:,}{of_all} {self.items}{said}")

    def ask(self, function: Kept[Asked, Answer], *asked: Asked.args, **named: Asked.kwargs) -> Answer:
        """The function's answer; where it has to be computed, ``begin`` comes first.

        It is computed beside the run, which can end meanwhile: then it goes on to its own end, and is kept. Of one
        session nothing is computed before that has ended.
        """
        if function.holds(*asked, **named):
            self.done += 1
            return function(*asked, **named)
        self.begin()
        if self.quick:
            self.done += 1
            with unsaid():
                return function(*asked, **named)
        earlier: Future[Any] | None = st.session_state.get(_RUNNING)
        answer: Future[Answer] = Future()

        def compute() -> None:
            if earlier:
                wait([earlier])
            if not answer.set_running_or_notify_cancel():
                return
            try:
                answer.set_result(function(*asked, **named))
            except BaseException as failure:  # noqa: BLE001 - it is raised again where it was asked for
                answer.set_exception(failure)

        st.session_state[_RUNNING] = answer
        Thread(target=compute, daemon=True).start()
        began = time.monotonic()
        try:
            while wait([answer], _LOOK).not_done:
                self._show(f", {time.monotonic() - began:.0f} s. {function.said}")
        finally:
            if answer.cancel():
                st.session_state[_RUNNING] = earlier
        self.done += 1
        return answer.result()


@dataclass(frozen=True)
class Begin:
    """``Work.begin`` as an argument of what is kept, called before each part of it: of no account to the question."""

    work: Work = field(compare=False)

    def __call__(self, parts: int) -> None:
        self.work.total = parts
        self.work.begin()
        self.work.done += 1


@contextlib.contextmanager
def work(
    part: str, asked: object, total: int, items: str = "points", room: int = 0, quick: bool = False
) -> Iterator[Work]:
    """The computation of a part of the page; asked: all it depends on. Says so where it was cancelled."""
    job = f"{part}: {hashlib.sha256(repr(asked).encode()).hexdigest()}"
    settings.setdefault(_cancelled(job), "")
    place = st.empty()
    current = Work(job, total, items, room, place, quick)
    yield current
    place.empty()
    if not current.complete:
        with place.container():
            st.warning(CANCELLED)
            st.button("Go on", key=f"go on: {part}", on_click=settings.keep, args=(_cancelled(job), ""))


@contextlib.contextmanager
def whole(part: str, asked: object, total: int, items: str, quick: bool = False) -> Iterator[Work]:
    """As ``work``, for what is of no use in part: where it was cancelled, ``Cancelled`` ends the page behind it."""
    with work(part, asked, total, items, quick=quick) as current, contextlib.suppress(Cancelled):
        yield current
    if not current.complete:
        raise Cancelled


def _part(job: str) -> str:
    return job.partition(":")[0]


def _cancelled(job: str) -> str:
    """The setting that holds the last job of this part that was cancelled."""
    return f"cancelled: {_part(job)}"


def _cancel(job: str) -> None:
    settings.keep(_cancelled(job), job)
