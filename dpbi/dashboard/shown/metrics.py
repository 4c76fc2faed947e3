"""A few numbers at a glance, each with what it means a click away."""

import streamlit as st

from dpbi import tables as data
from dpbi.dashboard.words import words
from dpbi.sensitivity.maps import Sensitivities


def sensitivities(found: Sensitivities, gamma: float, beta: float) -> None:
    """Local, smooth, global: the exact global sensitivity and the papers' constant side by side."""
    with st.container(horizontal=True, gap="medium"):
        for row in data.sensitivities(found, gamma, beta).rows:
            st.metric(row["Sensitivity"], words.number(row["H"]), help=row["Meaning"], width="content")
