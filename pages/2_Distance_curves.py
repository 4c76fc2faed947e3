"""Distance curves: the law of the distance between the true and the released posterior."""

import streamlit as st

import dpbi
from dpbi.dashboard.answers import library
from dpbi.dashboard.page import scenario
from dpbi.dashboard.shown import charts, tables
from dpbi.dashboard.sidebar import controls
from dpbi.dashboard.words import distance_curves
from dpbi.figures import distances

with scenario("Distance curves") as chosen:
    rows = library.for_each(library.comparison, chosen)
    with controls.row():
        controls.epsilon(chosen.epsilon)
        view = controls.view()
        log_scale = controls.log_scale() if view != controls.CUMULATIVE else False
    if rows:
        laws = library.for_each(library.law, chosen)
        if view == controls.LEVELS:
            figure = distances.per_level(laws, log_scale)
        elif view == controls.STEPS:
            figure = distances.per_step(laws, log_scale)
        else:
            figure = distances.cumulative(laws)
        charts.draw(figure, "distances")
        st.markdown(distance_curves.how_found(rows))
        st.caption(distance_curves.LOCAL_SENSITIVITY if chosen.problem.n else dpbi.tables.NO_RECORD)
        t = controls.within() if view == controls.CUMULATIVE else None
        tables.draw(dpbi.tables.quantiles(laws, t))
