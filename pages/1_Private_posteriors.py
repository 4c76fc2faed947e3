"""Private posteriors: what would be published, drawn from every chosen mechanism."""

import streamlit as st

from dpbi.dashboard.answers import average, library
from dpbi.dashboard.page import scenario
from dpbi.dashboard.shown import charts, tables
from dpbi.dashboard.sidebar import controls
from dpbi.dashboard.words import limit, private_posteriors
from dpbi.figures import posteriors
from dpbi.inference.noise_aware_releases import number_of_releases

with scenario("Private posteriors") as chosen:
    with controls.row():
        controls.epsilon(chosen.epsilon)
        size = controls.size()
        reading = controls.reading()
        controls.redraw(chosen.seed)
    aware, nearest = reading == controls.AWARE, reading == controls.NEAREST
    sampled = library.for_each(library.posteriors, chosen, chosen.seed, size)
    read = library.for_each(library.noise_aware, chosen, chosen.seed, size) if aware else []
    shown = library.for_each(library.nearest, chosen, chosen.seed, size) if nearest else sampled
    if sampled:
        if read:
            charts.draw(posteriors.noise_aware_posteriors(read, chosen.labels), "posteriors")
        elif shown and not aware:
            charts.draw(posteriors.released_posteriors(shown, chosen.labels), "posteriors")
        st.markdown(private_posteriors.prior_weight(chosen.problem))
        st.caption(private_posteriors.SAME_STREAM)

        st.header("Do the released intervals cover the truth?")
        looked_at = number_of_releases(chosen.problem.k, size)
        if chosen.problem.n:
            st.markdown(private_posteriors.coverage(reading, looked_at if aware or nearest else size))
        covering = read if aware else shown
        if covering:
            charts.draw(posteriors.coverage_bars(covering, chosen.labels), "coverage")
        tables.categories(chosen, covering)
        if reading != controls.NAIVE and chosen.problem.n:
            st.markdown(limit.readings(average.readings(chosen)))

        st.header("The sampled parameters")
        tables.parameters(chosen, sampled)
