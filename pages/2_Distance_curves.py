"""Distance curves: the law of the distance between the true and the released posterior."""

import streamlit as st

from dpbi.dashboard import cached, charts, controls, tables, words
from dpbi.dashboard.scenario import scenario
from dpbi.figures import distances

with scenario("Distance curves") as chosen:
    rows = cached.for_each(cached.comparison, chosen)
    st.markdown(words.how_found(rows))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        view = controls.view()
        log_scale = controls.log_scale() if view != controls.CUMULATIVE else False
        overlay = controls.overlay()
        if overlay:
            controls.redraw(chosen.seed)
    if rows:
        laws = cached.for_each(cached.law, chosen)
        draws = cached.for_each(cached.posteriors, chosen, chosen.seed, controls.OVERLAID) if overlay else []
        if view == controls.LEVELS:
            figure = distances.per_level(laws, log_scale, draws)
        elif view == controls.STEPS:
            figure = distances.per_step(laws, log_scale, draws)
        else:
            figure = distances.cumulative(laws, draws)
        charts.draw(figure, "distances")
        st.caption(words.LOCAL_SENSITIVITY)
        t = controls.within() if view == controls.CUMULATIVE else None
        probabilities = [] if t is None else cached.for_each(cached.within, chosen, t)
        tables.quantiles(rows, cached.for_each(cached.quantiles, chosen), t, probabilities)
