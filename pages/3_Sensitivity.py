"""Sensitivity: how far one replaced record can move the posterior, at the data, near them and at worst."""

import streamlit as st

from dpbi.dashboard import cached, charts, controls, tables, words
from dpbi.dashboard.scenario import scenario

with scenario("Sensitivity", needs_mechanisms=False) as chosen:
    st.warning(words.CHOICE_WARNING)
