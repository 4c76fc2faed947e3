"""Answers kept between runs, for all sessions together, within a number and within bytes.

Streamlit's own cache hashes a question field by field and copies every answer, a sixth of the server's time of a rerun,
and it bounds their number only. Here questions are hashable values and answers are frozen: their arrays are made so
before anyone sees them.
"""

import dataclasses
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, update_wrapper
from typing import Any, Generic, ParamSpec, TypeVar

import numpy as np
import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

_MEGABYTES = 16
_ENTRY, _NUMBER = 2000, 32  # bytes: a question and its answer without arrays; a number of a tuple

Asked = ParamSpec("Asked")
Answer = TypeVar("Answer")
_quiet: ContextVar[bool] = ContextVar("quiet", default=False)


@contextmanager
def unsaid() -> Iterator[None]:
    """Within it no answer is waited for with a sign of work, which costs as much as what takes a millisecond."""
    token = _quiet.set(True)
    try:
        yield
    finally:
        _quiet.reset(token)


class Kept(Generic[Asked, Answer]):
    """A function whose latest answers are kept; see ``kept``."""

    __name__: str

    def __init__(self, function: Callable[Asked, Answer], most: int, megabytes: int, said: str) -> None:
        update_wrapper(self, function)
        self.most, self.most_bytes = most, megabytes * 2**20
        self.size = 0
        self._function, self.said = function, said
        self._answers: OrderedDict[Hashable, tuple[Future[Answer], int]] = OrderedDict()
        self._lock = threading.Lock()

    def __call__(self, *asked: Asked.args, **named: Asked.kwargs) -> Answer:
        question = _question(asked, named)
        with self._lock:
            answer, _ = self._answers.get(question, (None, 0))
            if answer is None:
                mine: Future[Answer] = Future()
                self._answers[question] = mine, 0
            else:
                self._answers.move_to_end(question)
        if answer is not None:
            failure = answer.exception()
            if failure is None or isinstance(failure, Exception):
                return answer.result()
            return self(*asked, **named)  # Streamlit ended the run that computed it, for reasons of its own
        try:
            found = self._computed(*asked, **named)
            size = _ENTRY + _frozen_size(found) + _frozen_size(question)
        except BaseException as failure:
            self._forget(question)
            mine.set_exception(failure)
            raise
        mine.set_result(found)
        self._keep(question, mine, size)
        return found

    def holds(self, *asked: Asked.args, **named: Asked.kwargs) -> bool:
        """Whether the answer is there, so that asking costs nothing."""
        answer, _ = self._answers.get(_question(asked, named), (None, 0))
        return answer is not None and answer.done()

    def __len__(self) -> int:
        return len(self._answers)

    def clear(self) -> None:
        for question in list(self._answers):
            self._forget(question)

    def _computed(self, *asked: Asked.args, **named: Asked.kwargs) -> Answer:
        beside = get_script_run_ctx(suppress_warning=True) is None  # the run, whose bar says it
        if not self.said or beside or _quiet.get():
            return self._function(*asked, **named)
        with st.spinner(self.said):
            return self._function(*asked, **named)

    def _keep(self, question: Hashable, answer: Future[Answer], size: int) -> None:
        with self._lock:
            if self._answers.pop(question, None) is None:  # cleared while it was computed
                return
            self._answers[question] = answer, size
            self.size += size
            while self.size > self.most_bytes or len(self._answers) > self.most:
                oldest = next((other for other, (one, _) in self._answers.items() if one.done()), None)
                if oldest is None:
                    return
                self.size -= self._answers.pop(oldest)[1]

    def _forget(self, question: Hashable) -> None:
        with self._lock:
            _, size = self._answers.pop(question, (None, 0))
            self.size -= size


def kept(
    most: int, megabytes: int = _MEGABYTES, said: str = ""
) -> Callable[[Callable[Asked, Answer]], Kept[Asked, Answer]]:
    """Keeps a function's answers, those longest unasked going first.

    most, megabytes: how many, and how much together, about; said: what is shown while one is computed that takes its
    time, where the page's own sign of work says too little. The arguments must be hashable. What is asked twice at
    once is computed once, and the second waits; an error is kept for nobody but those who wait.
    """
    return lambda function: Kept(function, most, megabytes, said)


def _question(asked: tuple[Any, ...], named: Mapping[str, Any]) -> Hashable:
    return asked, tuple(sorted(named.items()))


def _frozen_size(part: Any) -> int:
    """About the bytes of a result, whose arrays nobody can write to from now on."""
    if isinstance(part, np.ndarray):
        part.flags.writeable = False
        return part.nbytes
    if isinstance(part, tuple | list):
        return _NUMBER * len(part) + sum(_frozen_size(inner) for inner in part if not isinstance(inner, int | float))
    kind: Any = type(part)
    if names := _fields_of(kind):
        return sum(_frozen_size(getattr(part, name)) for name in names)
    return sum(map(_frozen_size, part.values())) if isinstance(part, Mapping) else 0


@cache
def _fields_of(kind: Any) -> tuple[str, ...]:
    """The names of a dataclass's fields, none of anything else."""
    return tuple(field.name for field in dataclasses.fields(kind)) if dataclasses.is_dataclass(kind) else ()
