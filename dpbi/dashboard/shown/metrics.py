"""A few numbers at a glance, each with what it means a click away."""

from __future__ import annotations

import streamlit as st

from dpbi.dashboard.answers.library import Sensitivities
from dpbi.dashboard.scenario import Scenario
from dpbi.dashboard.shown import folds
from dpbi.dashboard.words import words
from dpbi.mechanisms import name_of


def sensitivities(found: Sensitivities, gamma: float, beta: float) -> None:
    """Local, smooth, global: the exact global sensitivity and the papers' constant side by side."""
    shown = (
        ("Local", found.local, "How far one replaced record can move the posterior of these very data."),
        (
            "Smooth, reciprocal",
            found.reciprocal,
            f"The largest 1 / (1/LS + gamma d) over all datasets at d steps, gamma = {words.number(gamma)}.",
        ),
        (
            "Smooth, exponential",
            found.exponential,
            f"The largest LS e^(-beta d) over all datasets at d steps, beta = {words.number(beta)} as epsilon "
            "and delta set it.",
        ),
        ("Global, exact", found.exact, "The largest LS over all datasets, for this prior and n."),
        ("Global, papers", found.paper, "The papers' constant: the square root of 1 - pi/4."),
    )
    with st.container(horizontal=True, gap="medium"):
        for label, value, meaning in shown:
            st.metric(label, words.number(value), help=meaning, width="content")


def mechanisms(scenario: Scenario) -> None:
    """What each ticked mechanism does and why it promises what it promises, folded away."""
    with folds.fold("What these mechanisms do, and why they promise what they promise") as opened:
        for mechanism in scenario.mechanisms if opened else ():
            promised = mechanism.guarantee(scenario.problem.prior, scenario.problem.n)
            st.markdown(f"**{name_of(mechanism)}**: {mechanism.idea}")
            st.latex(mechanism.formula)
            why = words.escape(f"{promised.reason}. Source: {mechanism.source}.", words.SENTENCE_LENGTH)
            st.caption(f"{words.guarantee(promised)}: {why}")
