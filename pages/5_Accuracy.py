"""Accuracy: how far off a release is on average as one thing varies, and what epsilon a wanted accuracy asks for."""

import streamlit as st

import dpbi
from dpbi.dashboard.page import scenario
from dpbi.dashboard.shown import charts, tables
from dpbi.dashboard.views import accuracy
from dpbi.dashboard.words import accuracy as accuracy_words, guard, home
from dpbi.figures import accuracy as figures

with scenario("Accuracy") as chosen:
    if chosen.problem.n == 0:
        st.info(home.best([], chosen.problem))
    else:
        shown = accuracy.draw_along(chosen)
        overtaking = st.container()  # filled last: it takes longest

        st.header("The epsilon for a wanted distance")
        with guard.part():
            st.markdown(accuracy_words.REQUIRED)
            wanted = accuracy.wanted()
            if found := accuracy.required(chosen, wanted) if wanted else []:
                if unsure := accuracy_words.required(found):
                    st.markdown(unsure)
                charts.draw(figures.required(found), "required-epsilon")
                tables.draw(dpbi.tables.required_epsilon(found))

        st.header("Do the intervals hold what they promise?")
        with guard.part():
            st.markdown(accuracy_words.COVERAGE)
            problem = chosen.problem
            if refusal := accuracy_words.why_no_coverage(problem.k, problem.n, accuracy.COVERED_LARGEST):
                st.info(refusal)
            elif accuracy.wants_coverage() and (covered := accuracy.coverages(chosen)):
                st.markdown(accuracy_words.coverage(covered, chosen.epsilon, problem.n))
                charts.draw(figures.coverage(covered, accuracy.MASS), "coverage")

        with overtaking, guard.part():
            if shown.curves:
                if crossings := accuracy.crossings(chosen, shown):
                    tables.draw(dpbi.tables.crossovers(crossings))
                else:
                    st.markdown(accuracy_words.NOT_LOOKED_FOR if crossings is None else accuracy_words.NOTHING_CROSSES)
