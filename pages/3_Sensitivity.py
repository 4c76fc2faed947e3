"""Sensitivity: how far one replaced record can move the posterior, at the data, near them and at worst."""

import streamlit as st

import dpbi
from dpbi import tour
from dpbi.dashboard.answers import library
from dpbi.dashboard.page import scenario
from dpbi.dashboard.shown import charts
from dpbi.dashboard.sidebar import controls
from dpbi.dashboard.words import guard, sensitivity, words
from dpbi.figures import sensitivities
from dpbi.figures.tour import moved_records, neighbouring_posteriors

with scenario("Sensitivity", needs_mechanisms=False) as chosen:
    problem, gamma, beta = chosen.problem, chosen.gamma, chosen.beta
    found = library.sensitivities(problem, gamma, beta)
    with st.container(horizontal=True, gap="medium", key="metrics"):
        for row in dpbi.tables.sensitivities(found, gamma, beta).rows:
            st.metric(row["Sensitivity"], words.number(row["H"]), help=row["Meaning"], width="content")
    place = controls.row()
    with place:
        controls.epsilon(chosen.epsilon)
    if problem.k == 2:
        scan = library.count_scan(problem.prior, problem.n, gamma, beta, problem.counts[0])
        figure = sensitivities.along_count(scan, problem, chosen.labels)
    elif problem.k == 3:
        with place:
            measure = controls.measure()
        smoothness = beta if measure == "exponential" else gamma
        simplex = library.simplex_map(problem.prior, problem.n, measure, smoothness)
        figure = sensitivities.on_simplex(simplex, problem, chosen.labels)
    else:
        figure = sensitivities.along_emptying(library.emptying_scan(problem, gamma, beta), chosen.labels)
    charts.draw(figure, "sensitivity")
    st.markdown(sensitivity.smoothing(found.local, found.reciprocal, gamma))
    st.markdown(sensitivity.global_constants(found.exact, found.paper))

    st.header("Which neighbour, and where the score moves")
    change = library.score_change(problem)
    st.markdown(sensitivity.worst_move(change, chosen.labels))
    if problem.k == 2:
        charts.draw(neighbouring_posteriors(tour.leak(problem)), "neighbour")
    charts.draw(sensitivities.score_change(change, chosen.labels), "score-change")
    if problem.k == 2:
        st.markdown(sensitivity.MOVES)
        charts.draw(moved_records(tour.moves(problem)), "moves")

    st.header("The best gamma")
    with guard.part():
        st.markdown(sensitivity.GAMMA)
        charts.draw(sensitivities.gamma_scan(library.gamma_scan(problem), gamma), "gamma")
    st.warning(words.CHOICE_WARNING)
