"""Papers: their figures and their claims, computed exactly, and where the text says something else."""

import streamlit as st

from dpbi.dashboard.page import scenario
from dpbi.dashboard.views import claims, paper_figures, score_study
from dpbi.dashboard.words import sources
from dpbi.papers.bibliography import DATES

with scenario("Papers", needs_mechanisms=False) as chosen:
    paper_figures.draw(paper_figures.choose(chosen.seed), chosen.seed)
    st.caption(paper_figures.FIGURES_PURPOSE)

    st.header("Which distance?")
    score_study.draw()

    st.header("Claims")
    claims.draw(chosen)

    st.header("The papers", anchor="the-papers")
    st.markdown(sources.papers())
    st.caption(DATES)
