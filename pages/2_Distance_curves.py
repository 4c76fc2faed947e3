"""Distance curves: the law of the distance between the true and the released posterior."""

import streamlit as st

from dpbi.dashboard.answers import library
from dpbi.dashboard.page import scenario
from dpbi.dashboard.shown import charts, tables
from dpbi.dashboard.sidebar import controls
from dpbi.dashboard.words import words
from dpbi.figures import distances

with scenario("Distance curves") as chosen:
    rows = library.for_each(library.comparison, chosen)
    st.markdown(words.how_found(rows))
    with st.container(horizontal=True, vertical_alignment="bottom"):
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
        st.caption(words.LOCAL_SENSITIVITY if chosen.problem.n else words.NO_RECORD)
        t = controls.within() if view == controls.CUMULATIVE else None
        probabilities = [] if t is None else library.for_each(library.within, chosen, t)
        tables.quantiles(rows, library.for_each(library.quantiles, chosen), t, probabilities)
