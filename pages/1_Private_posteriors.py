"""Private posteriors: what would be published, drawn from every ticked mechanism."""

import streamlit as st

from dpbi.dashboard import cached, charts, controls, tables, words
from dpbi.dashboard.scenario import scenario
from dpbi.figures import posteriors

with scenario("Private posteriors") as chosen:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        size = controls.size()
        controls.redraw(chosen.seed)
    sampled = cached.for_each(cached.posteriors, chosen, chosen.seed, size)
    if sampled:
        st.markdown(words.prior_weight(chosen.problem))
        charts.draw(posteriors.released_posteriors(sampled, chosen.labels), "posteriors")
        st.caption(words.SAME_STREAM)

        st.header("How far off")
        charts.draw(posteriors.distance_boxes(sampled, cached.exact_means(sampled)), "errors")

        st.header("Do the released intervals cover the truth?")
        st.markdown(words.coverage(size))
        charts.draw(posteriors.coverage_bars(sampled, chosen.labels), "coverage")
        tables.categories(chosen, sampled)

        st.header("The sampled parameters")
        tables.parameters(chosen, sampled)
