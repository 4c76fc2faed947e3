"""Accuracy: how far off a release is on average as one thing varies, and what epsilon a wanted accuracy asks for."""

import streamlit as st

import dpbi
from dpbi.dashboard.page import scenario
from dpbi.dashboard.shown import charts, tables
from dpbi.dashboard.views import accuracy
from dpbi.dashboard.words import accuracy as accuracy_words
from dpbi.dashboard.words import guard, home
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
            found = accuracy.required(chosen, wanted) if wanted else []
            if found:
                st.markdown(accuracy_words.required(found))
                charts.draw(figures.required(found), "required-epsilon")
                tables.draw(dpbi.tables.required_epsilon(found))

        st.header("Do the intervals hold what they promise?")
        with guard.part():
            st.markdown(accuracy_words.COVERAGE)
            refusal = accuracy.why_no_coverage(chosen.problem)
            if refusal:
                st.info(refusal)
            elif accuracy.wants_coverage():
                covered = accuracy.coverages(chosen)
                if covered:
                    st.markdown(accuracy_words.coverage(covered, chosen.epsilon, chosen.problem.n))
                    charts.draw(figures.coverage(covered, accuracy.MASS), "coverage")

        with overtaking, guard.part():
            if shown.curves:
                crossings = accuracy.crossings(chosen, shown)
                st.markdown(accuracy_words.crossovers(crossings, chosen.problem))
                if crossings:
                    tables.draw(dpbi.tables.crossovers(crossings))
