"""Papers: every numbered figure of the papers, computed exactly, and where their text says something else."""

import streamlit as st

from dpbi.dashboard import papers
from dpbi.dashboard.scenario import scenario

with scenario("Papers", needs_mechanisms=False) as chosen:
    st.header("Figures")
    st.markdown(papers.FIGURES_PURPOSE)
    papers.draw(papers.choose(chosen.seed), chosen.seed)
