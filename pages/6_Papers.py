"""Papers: their figures and their claims, computed exactly, and where the text says something else."""

import streamlit as st

from dpbi.dashboard import ledger, papers
from dpbi.dashboard.scenario import scenario

with scenario("Papers", needs_mechanisms=False) as chosen:
    st.header("Figures")
    st.markdown(papers.FIGURES_PURPOSE)
    papers.draw(papers.choose(chosen.seed), chosen.seed)

    st.header("Claims")
    ledger.draw(chosen)
