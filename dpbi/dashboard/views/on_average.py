"""Which mechanism is nearest on average under the public prior: what may be looked at before a release."""

from __future__ import annotations

import streamlit as st

from dpbi.dashboard.answers import average
from dpbi.dashboard.scenario import Scenario
from dpbi.dashboard.words import limit


def draw(scenario: Scenario) -> None:
    """The ranking of all mechanisms in words; nothing without records. No private count enters."""
    found = average.nearest_on_average(scenario)
    if found:
        st.markdown(limit.ranking(found))
