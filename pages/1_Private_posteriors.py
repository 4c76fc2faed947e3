"""Private posteriors: what would be published, drawn from every ticked mechanism."""

import streamlit as st

from dpbi.dashboard.answers import library
from dpbi.dashboard.page import scenario
from dpbi.dashboard.shown import charts, tables
from dpbi.dashboard.sidebar import controls
from dpbi.dashboard.words import words
from dpbi.figures import posteriors
from dpbi.inference.noise_aware_releases import number_of_releases

with scenario("Private posteriors") as chosen:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        size = controls.size()
        aware = controls.reads_noise()
        controls.redraw(chosen.seed)
    sampled = library.for_each(library.posteriors, chosen, chosen.seed, size)
    read = library.for_each(library.noise_aware, chosen, chosen.seed, size) if aware else []
    if sampled:
        st.markdown(words.prior_weight(chosen.problem))
        if read:
            charts.draw(posteriors.noise_aware_posteriors(read, chosen.labels), "posteriors")
        elif not aware:
            charts.draw(posteriors.released_posteriors(sampled, chosen.labels), "posteriors")
        st.caption(words.SAME_STREAM)

        if not aware:
            st.header("How far off")
            charts.draw(posteriors.distance_boxes(sampled, library.exact_means(sampled)), "errors")

        st.header("Do the released intervals cover the truth?")
        looked_at = number_of_releases(chosen.problem.k, size)
        st.markdown(words.aware_coverage(looked_at) if aware else words.coverage(size))
        if read:
            charts.draw(posteriors.coverage_bars(read, chosen.labels), "coverage")
        elif not aware:
            charts.draw(posteriors.coverage_bars(sampled, chosen.labels), "coverage")
        tables.categories(chosen, read if aware else sampled)

        st.header("The sampled parameters")
        tables.parameters(chosen, sampled)
