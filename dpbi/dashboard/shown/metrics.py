"""A few numbers at a glance, each with what it means a click away."""

import streamlit as st

from dpbi import tables as data
from dpbi.dashboard.scenario import Scenario
from dpbi.dashboard.shown import folds
from dpbi.dashboard.words import words
from dpbi.mechanisms import name_of
from dpbi.sensitivity.maps import Sensitivities


def sensitivities(found: Sensitivities, gamma: float, beta: float) -> None:
    """Local, smooth, global: the exact global sensitivity and the papers' constant side by side."""
    with st.container(horizontal=True, gap="medium"):
        for row in data.sensitivities(found, gamma, beta).rows:
            st.metric(row["Sensitivity"], words.number(row["H"]), help=row["Meaning"], width="content")


def mechanisms(scenario: Scenario) -> None:
    """What each ticked mechanism does and why it promises what it promises, folded away."""
    with folds.fold("What these mechanisms do, and why they promise what they promise") as opened:
        for mechanism in scenario.mechanisms if opened else ():
            promised = mechanism.guarantee(scenario.problem.prior, scenario.problem.n)
            st.markdown(f"**{name_of(mechanism)}**: {mechanism.idea}")
            st.latex(mechanism.formula)
            why = words.escape(f"{promised.reason}. Source: {mechanism.source}.", words.SENTENCE_LENGTH)
            st.caption(f"{words.guarantee(promised)}: {why}")
