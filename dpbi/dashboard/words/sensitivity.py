"""The sentences about the sensitivities of a problem."""

import math
from collections.abc import Sequence

from dpbi.dashboard.words import words
from dpbi.mechanisms.printed_number import number
from dpbi.sensitivity.maps import ScoreChange

MOVES = (
    "More records move it further, and how far the same number of them does depends on the data: an error in records "
    "says little of the error in the posterior."
)
GAMMA = (
    "Selection by the reciprocal smooth sensitivity S is scaled to (1 + gamma) S: the gamma that makes it least would "
    "be the most accurate at these data. It depends on them, so a release must not use it."
)


def global_constants(exact: float, paper: float) -> str:
    """What the papers' constant would do in place of the exact global sensitivity."""
    if math.isclose(exact, paper, rel_tol=1e-9):
        return f"The papers' constant, {number(paper)}, is the exact global sensitivity of this prior and n."
    if paper > exact:
        return (
            f"The papers' constant is {number(paper / exact)} times the exact global sensitivity of this prior and n: "
            "noise scaled to it keeps the promise and wastes accuracy."
        )
    return (
        f"The papers' constant is only {number(paper / exact)} of the exact global sensitivity of this prior and n: "
        f"scaled to it, a mechanism can promise {number(exact / paper)} epsilon and **not epsilon**."
    )


def smoothing(local: float, reciprocal: float, gamma: float) -> str:
    """Whether the smooth bound differs from the local sensitivity at all."""
    if math.isclose(local, reciprocal, rel_tol=1e-9):
        return (
            f"With gamma = {number(gamma)} the reciprocal smooth bound is LS(x) itself: no data with a larger "
            "sensitivity are near enough to matter."
        )
    return (
        f"With gamma = {number(gamma)} the reciprocal smooth bound is {number(reciprocal / local)} times LS(x): data "
        "with a larger sensitivity are near."
    )


def worst_move(change: ScoreChange, labels: Sequence[str]) -> str:
    """Which replaced record attains LS(x), and whether the score moves most at the truth."""
    move = [after - before for after, before in zip(change.neighbour, change.problem.counts, strict=True)]
    donor, receiver = (words.escape(labels[move.index(step)]) for step in (-1, 1))
    largest, at_truth = float(change.change.max()), float(change.change[change.moved == 0][0])
    peak = (
        "No candidate's score moves more than that of the true posterior itself, by LS(x): no other candidate asks for "
        "more noise, which the papers call efficiency."
        if math.isclose(largest, at_truth, rel_tol=1e-9)
        else f"The score moves most, by {number(largest)}, at another candidate than the true posterior."
    )
    return (
        f"LS(x) = {number(change.local_sensitivity)} is attained where one record of **{donor}** is replaced by one of "
        f"**{receiver}**. {peak}"
    )
