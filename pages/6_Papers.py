"""Papers: their figures and their claims, computed exactly, where the text says something else; and what they leave
open."""

import streamlit as st

from dpbi.dashboard.page import scenario
from dpbi.dashboard.session import settings
from dpbi.dashboard.sidebar.controls import PAPERS_PART, PAPERS_PARTS
from dpbi.dashboard.views import beyond_papers, claims, paper_figures, score_study
from dpbi.dashboard.words import sources
from dpbi.papers.bibliography import DATES

with scenario("Papers", needs_mechanisms=False) as chosen:
    if settings.segments("Part", PAPERS_PART, PAPERS_PARTS, label_visibility="collapsed") == PAPERS_PARTS[1]:
        beyond_papers.draw()
    else:
        paper_figures.draw(paper_figures.choose(chosen.seed), chosen.seed)
        st.caption(paper_figures.FIGURES_PURPOSE)

        st.header("Which distance?")
        score_study.draw()

        st.header("Claims")
        claims.draw(chosen)

    st.header("The papers", anchor="the-papers")
    st.markdown(sources.papers())
    st.caption(DATES)
