"""Home: the comparison of the ticked mechanisms at the scenario of the sidebar."""

import streamlit as st

from dpbi.dashboard import audits, cached, charts, facts, long_links, startup, tables, words
from dpbi.dashboard.scenario import scenario

if __name__ == "__main__":
    with scenario("Home") as chosen:
        rows = cached.for_each(cached.comparison, chosen)
        st.markdown(words.best(rows, chosen.problem))
        tables.comparison(rows)
        if rows:
            from dpbi.figures import distances

            startup.let_the_table_be_drawn()
            charts.draw(distances.cumulative(cached.for_each(cached.law, chosen)), "home")
        audits.say_what_calibration_could_do(chosen)
        facts.mechanisms(chosen)
        st.warning(words.CHOICE_WARNING)
else:  # imported by `streamlit run`, which serves it
    startup.settle()
    app = st.App(__file__, lifespan=startup.opening)
    app = long_links.said(startup.table_first(app))
