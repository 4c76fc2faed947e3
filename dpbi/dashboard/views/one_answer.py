"""Two tables that differ in one person's answer: their clouds under the hand, and the game of guessing between them."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from dpbi import Mechanism, Problem
from dpbi.dashboard.answers import library
from dpbi.dashboard.session import settings
from dpbi.dashboard.shown import charts
from dpbi.dashboard.take_away import scenario_file
from dpbi.dashboard.words import one_answer as said, words
from dpbi.inference.clouds import Clouds, Turn, clouds as clouds_of, turn
from dpbi.privacy.guessing import BestGuess

_GAME = "one answer: game"
_LABEL = 16  # characters
_SQUARES = 0.36  # of the page's width


class Pair(NamedTuple):
    """Two neighbours; the answers in which they differ, in a person's own words; called: "with {}" or more of them."""

    problem: Problem
    neighbour: Problem
    answers: tuple[str, str]
    called: str = "with {}"

    @property
    def drawn(self) -> tuple[str, str]:
        """What a figure calls the two tables."""
        first, second = self._labels
        return self.called.format(first), self.called.format(second)

    def share_of(self, found: Clouds) -> str:
        """As a figure says it."""
        return self._labels[found.answer]

    @property
    def _labels(self) -> list[str]:
        from dpbi.figures.style import display_labels

        return display_labels(self.answers, _LABEL)


class Game(NamedTuple):
    """asked: what the curves are drawn from; number: of the curve; guess: of it, 0 or 1, None before there is one."""

    asked: object
    number: int = 0
    guess: int | None = None
    right: int = 0
    turns: int = 0


def pair(problem: Problem, labels: Sequence[str], own: int, other: int) -> Pair:
    """The problem, and its neighbour with one record of category ``own`` in ``other`` instead."""
    counts = [*problem.counts]
    counts[own] -= 1
    counts[other] += 1
    return Pair(problem, problem.with_counts(counts), (labels[own], labels[other]))


def clouds(pair: Pair, mechanism: Mechanism, seed: int, *, by_keys: bool = False) -> BestGuess:
    """The picture, whose slider sets the app's epsilon where it is let go. Returns the best guess at that epsilon.

    by_keys: whether the arrows up and down move it, rather than the page.
    """
    from dpbi.figures.clouds import two_clouds

    found = _found(pair, mechanism, seed)
    at = found.epsilons.index(mechanism.epsilon)
    charts.draw(two_clouds(found, pair.drawn, pair.share_of(found), at), "clouds")
    charts.follow("clouds", lambda epsilon: _set(float(epsilon)))
    if alike := said.hardly_differ(found):
        st.markdown(alike)
    with st.container(horizontal=True, key="clouds keys"):
        for label, shortcut, there in (("More noise", "Down", at - 1), ("Less noise", "Up", at + 1)):
            possible = 0 <= there < len(found.epsilons)
            st.button(label, key=f"clouds: {label}", shortcut=shortcut if by_keys else None, disabled=not possible,
                      on_click=_set, args=(found.epsilons[there if possible else at],))  # fmt: skip
    return found.guesses[at]


def _found(pair: Pair, mechanism: Mechanism, seed: int) -> Clouds:
    return library.clouds(pair.problem, mechanism, pair.neighbour, seed, library.slid_through(mechanism.epsilon))


def _set(epsilon: float) -> None:
    settings.keep("epsilon", scenario_file.written(epsilon))


def guess(pair: Pair, mechanism: Mechanism, seed: int) -> None:
    """One curve after another: which of the two tables is it of? With the tally, beside the best anyone can do."""
    from dpbi.figures.clouds import one_curve, tally

    asked = (pair, mechanism, seed)
    game: Game = st.session_state.get(_GAME, Game(None))
    if game.asked != asked:
        game = st.session_state[_GAME] = Game(asked)
    drawn = _drawn(pair, mechanism, seed, game.number)
    found = _found(pair, mechanism, seed)
    guessed = game.guess is not None
    with st.container(horizontal=True, key="act"):
        for place, (answer, shortcut) in enumerate(zip(pair.answers, "yn", strict=True)):
            st.button(words.escape(answer), key=f"guess: {place}", shortcut=shortcut, disabled=guessed, on_click=_take,
                      args=(game, place, drawn.answer))  # fmt: skip
        st.button("Next curve", key="guess: next", shortcut="Space", disabled=not guessed, type="primary",
                  on_click=_put, args=(game._replace(number=game.number + 1, guess=None),))  # fmt: skip
        if guessed:
            best = None if drawn.likelier is None else game.guess == drawn.likelier
            likelier = words.escape(pair.answers[drawn.likelier or 0])
            st.markdown(said.told(game.guess == drawn.answer, best, pair.called.format(likelier)))
    curve, squares = st.columns([1 - _SQUARES, _SQUARES])
    with curve:
        shown = one_curve(drawn, found, pair.drawn, pair.share_of(found), guessed)
        charts.draw(shown, "curve", share=1 - _SQUARES)
    with squares:
        at_best = found.guesses[found.epsilons.index(mechanism.epsilon)]
        charts.draw(tally(game.right, game.turns, at_best), "tally", share=_SQUARES)


def _take(game: Game, place: int, answer: int) -> None:
    """Once a curve, however fast it is pressed."""
    if st.session_state[_GAME] == game:
        _put(game._replace(guess=place, right=game.right + (place == answer), turns=game.turns + 1))


def _put(game: Game) -> None:
    st.session_state[_GAME] = game


def figure(pair: Pair, mechanism: Mechanism, seed: int, *, clouds: bool) -> Any:
    """For a report, which is made without a session: the clouds, or the first curve of the game with its answer."""
    from dpbi.figures.clouds import one_curve, two_clouds

    epsilons = library.slid_through(mechanism.epsilon)
    found = clouds_of(mechanism, pair.problem, pair.neighbour, epsilons, np.random.default_rng(seed))
    if clouds:
        return two_clouds(found, pair.drawn, pair.share_of(found), found.epsilons.index(mechanism.epsilon))
    return one_curve(_drawn(pair, mechanism, seed, 0), found, pair.drawn, pair.share_of(found), True)


def _drawn(pair: Pair, mechanism: Mechanism, seed: int, number: int) -> Turn:
    """The curves of a game depend on the seed and on their numbers alone."""
    return turn(mechanism, pair.problem, pair.neighbour, np.random.default_rng([seed, number]))
