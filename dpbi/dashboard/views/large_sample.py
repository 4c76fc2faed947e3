"""The first open question of [P17], for many records: how far off each mechanism is, in closed form."""

from collections.abc import Sequence
from contextlib import suppress

import streamlit as st

from dpbi import (
    MECHANISMS,
    LargeSampleApproach,
    LargeSampleBoard,
    Mechanism,
    large_sample_approach,
    large_sample_board,
    name_of,
    printed_bound,
    tables as data,
)
from dpbi.accuracy.axes import decades
from dpbi.dashboard.answers.cache import kept
from dpbi.dashboard.answers.work import Cancelled, work
from dpbi.dashboard.shown import charts, folds, tables
from dpbi.dashboard.words import guard, handover, words

_EPSILON = 1.0
_EPSILONS = tuple(decades(0.3, 8, (1, 1.25, 1.6, 2, 2.5, 3.2, 4, 5, 6.3, 8)))
# prior, shares, sizes
_TWO = (1.0,) * 2, (0.5,) * 2, (10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000)
_THREE = (1.0,) * 3, (1 / 3,) * 3, (150, 1_500, 15_000)
QUESTION = (
    "**[P17]** section 8 asks when its mechanisms are nearer than Laplace noise, and has no formula. With many records "
    "there is one. Let n grow at fixed shares p: then √(8n) times the mean distance tends to a number that does not "
    "depend on the prior. With two categories it is m / sinh(ε/2) for the exponential mechanism at the local "
    "sensitivity, m = 1/√(p₁p₂), and m coth(ε/2) / 2 for Laplace noise of scale 1/ε, rounded down as in "
    "the papers."
)
STATUS = (
    "**Theorem:** the limits, by dominated convergence, and the limit of privacy m / sinh(ε), for the data around "
    "n p on average. With two categories the normaliser N(n) of an exponential mechanism at the local "
    "sensitivity, which **[P17]** section 6.2 leaves open, tends to coth(ε/4), and the probability of a release "
    "within j steps, for which **[D20]** finds no lower bound but 0, to 1 − 2 q^(j+1) / (1 + q), q = exp(−ε/2). "
    "M_H of **[P17]** tends to the same law: it does not approach the improved Laplace mechanism, as section 7.2 "
    "reads its figures, but 2 / cosh(ε/2) times its distance, 1.774 at ε = 1.\n\n"
    "**Evidence, not proved:** how fast. Where n times the relative gap is the same at the largest n and at the "
    "one before, the gap falls like 1/n. Noise on every count is slower, as the total changes with it. Where n is "
    "too small, candidates far off still weigh, and the limit says nothing yet."
)
SCRIPT = f"""import dpbi  {handover.SCRIPT_NEEDS}

mechanisms = [kind({_EPSILON}) for kind in dpbi.MECHANISMS]
epsilons = {_EPSILONS}

board = dpbi.large_sample_board(mechanisms, {_TWO[1]}, epsilons)
for one in board.thresholds:
    print("from epsilon =", one.epsilon, "on", one.ahead.label, "is nearer than", one.behind.label)
prior, shares, sizes = {_TWO}
found = [dpbi.large_sample_approach(one, prior, shares, sizes) for one in board.mechanisms]
print(dpbi.tables.large_sample(found))


def figures():
    from dpbi.figures import large_sample

    yield "large-sample", large_sample.leaderboard(board)
    yield "large-sample-approach", large_sample.approached(found)


for name, figure in figures():
    figure.write_html(f"{{name}}.html")
"""


@kept(4, said="Finding the limits")
def _board() -> LargeSampleBoard:
    return large_sample_board([kind(_EPSILON) for kind in MECHANISMS], _TWO[1], _EPSILONS)


_approach = kept(64)(large_sample_approach)


def _approaches(mechanisms: Sequence[Mechanism]) -> tuple[list[LargeSampleApproach], list[str]]:
    """With two categories and with three, and why some are refused; what was cancelled is missing."""
    asked = [(one, *at) for at in (_TWO, _THREE) for one in mechanisms]
    found: list[LargeSampleApproach] = []
    refused: dict[str, list[str]] = {}
    with work("large sample", mechanisms, len(asked)) as current, suppress(Cancelled):
        for one, prior, *rest in asked:
            with guard.refusal(refused, f"{name_of(one)} with {len(prior)} categories"):
                found.append(current.ask(_approach, one, prior, *rest))
    return found, [f"{words.listed(names)}: {sentence}" for sentence, names in refused.items()]


def draw() -> None:
    """The question, who is nearest, how the limits are reached, and what is proved."""
    from dpbi.figures import large_sample as figures

    st.markdown(QUESTION)
    board = _board()
    st.markdown(said(board))
    charts.draw(figures.leaderboard(board), "large-sample")
    st.markdown(changes_said(board))
    found, refused = _approaches(board.mechanisms)
    two = [one for one in found if len(one.limit.shares) == 2]
    if two:
        charts.draw(figures.approached(two), "large-sample-approach")
    st.markdown(STATUS)
    for of in (two, [one for one in found if one not in two]):
        if of:
            tables.draw(data.large_sample(of))
    for why in dict.fromkeys([*(why for _, why in board.refused), *refused]):
        st.caption(why)
    with folds.fold("Copy as Python: many records") as opened:
        if opened:
            st.code(SCRIPT, language="python")


def said(board: LargeSampleBoard) -> str:
    """How far each is from the limit of privacy."""
    at = board.epsilons.index(_EPSILON)
    times = [f"{name_of(one)} {errors[at].value / board.least[at]:.3f}"
             for one, errors in zip(board.mechanisms, board.errors, strict=True)] if board.least else []
    return (f"**Theorem, and numbers computed from it:** with many records and two equal shares the mean distance at "
            f"ε = {_EPSILON:g} is, times the limit of privacy, {words.listed(times)}.")


def changes_said(board: LargeSampleBoard) -> str:
    """Who overtakes whom from which epsilon on."""
    changes: dict[tuple[str, str], list[str]] = {}
    for one in board.thresholds:
        changes.setdefault((printed_bound(one.epsilon, 4), name_of(one.behind)), []).append(name_of(one.ahead))
    places = [f"{words.listed(ahead)} {'is' if len(ahead) == 1 else 'are'} nearer than {behind} only from "
              f"ε = {place} on" for (place, behind), ahead in changes.items()]
    ends = [printed_bound(board.epsilons[end]) for end in (0, -1)]
    return f"From ε = {ends[0]} to {ends[1]}, {'; '.join(places) or 'no two change places'}."
