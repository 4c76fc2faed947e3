"""Home: the comparison of the ticked mechanisms at the scenario of the sidebar."""

import streamlit as st

import dpbi
from dpbi.dashboard.answers import average, library, public_answers
from dpbi.dashboard.page import scenario
from dpbi.dashboard.session import long_links, startup
from dpbi.dashboard.shown import charts, shell, stylesheet, tables
from dpbi.dashboard.words import home, limit, words
from dpbi.figures import distances

if __name__ == "__main__":
    with scenario("Home") as chosen:
        rows = library.for_each(library.comparison, chosen)
        st.markdown(home.best(rows, chosen.problem))
        if at_once := average.are_quick(chosen):
            average.compute(chosen)
        averages = average.at_hand(chosen)
        tables.draw(dpbi.tables.comparison(rows, averages))
        if averages:
            st.markdown(limit.times(averages, chosen.mechanisms))
        if rows:
            charts.draw(distances.cumulative(library.for_each(library.law, chosen)), "home")
            if more := home.besides(rows, chosen.problem):
                st.markdown(more)
        public_answers.say_what_calibration_could_do(chosen)
        st.warning(words.CHOICE_WARNING)
        if not at_once and average.compute(chosen):  # last, as the table must not wait; then all is drawn with it
            st.rerun()
else:  # imported by `streamlit run`, which serves it
    startup.begin(__file__)
    app = st.App(__file__, lifespan=startup.opening)
    app = shell.styled(long_links.said(app), stylesheet.SIDEBAR_WIDTH)
