"""Private posteriors: what would be published, drawn from every ticked mechanism."""

import streamlit as st

from dpbi.dashboard import cached, charts, controls, tables, words
from dpbi.dashboard.scenario import redraw, scenario

with scenario("Private posteriors") as chosen:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        size = controls.size()
        st.button("Redraw", on_click=redraw)
    sampled = cached.for_each(cached.posteriors, chosen, chosen.seed, size)
