"""Home: the comparison of the ticked mechanisms at the scenario of the sidebar."""

import streamlit as st

from dpbi.dashboard import audits, cached, charts, facts, tables, words
from dpbi.dashboard.scenario import scenario

with scenario("Home") as chosen:
    rows = cached.for_each(cached.comparison, chosen)
    st.markdown(words.best(rows, chosen.problem))
    tables.comparison(rows)
    if rows:
        from dpbi.figures import distances

        charts.draw(distances.cumulative(cached.for_each(cached.law, chosen)), "home")
    audits.say_what_calibration_could_do(chosen)
    facts.mechanisms(chosen)
    st.warning(words.CHOICE_WARNING)
