"""Home: the comparison of the chosen mechanisms at the scenario of the sidebar."""

import streamlit as st

import dpbi
from dpbi.dashboard.answers import average, library, public_answers
from dpbi.dashboard.page import scenario
from dpbi.dashboard.session import long_links, startup
from dpbi.dashboard.shown import charts, shell, stylesheet, tables
from dpbi.dashboard.sidebar import controls
from dpbi.dashboard.words import home, limit, words
from dpbi.figures import distances, home as pictures

if __name__ == "__main__":
    with scenario("Home") as chosen:
        published = library.for_each(library.publication, chosen, chosen.seed, pictures.DRAWS, quick=True)
        rows = [row for row, _ in published]
        st.markdown(home.best(rows, chosen.problem))
        with controls.row():
            controls.epsilon(chosen.epsilon)
            share = controls.share(chosen.problem, chosen.labels)
        if at_once := average.are_quick(chosen):
            average.compute(chosen)
        averages = average.at_hand(chosen)
        if rows:
            st.caption(home.columns(averages))
            draws = [drawn for _, drawn in published]
            charts.draw(pictures.publications(rows, draws, averages, share, chosen.labels), "publications")
            if more := home.besides(rows, chosen.problem):
                st.markdown(more)
            charts.draw(distances.cumulative(library.for_each(library.law, chosen, quick=True)), "home")
        tables.draw(dpbi.tables.comparison(rows, averages))
        if averages:
            st.markdown(limit.times(averages, chosen.mechanisms))
        public_answers.say_what_calibration_could_do(chosen)
        st.warning(words.CHOICE_WARNING)
        if not at_once and average.compute(chosen):  # last, as the table must not wait; then all is drawn with it
            st.rerun()
else:  # imported by `streamlit run`, which serves it
    startup.begin(__file__)
    app = st.App(__file__, lifespan=startup.opening)
    app = shell.styled(long_links.said(app), stylesheet.SIDEBAR_WIDTH)
