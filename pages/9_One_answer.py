"""One answer: what a release tells of one person's answer, as two clouds of posteriors and as a game."""

import streamlit as st

from dpbi.dashboard.answers import public_answers
from dpbi.dashboard.page import scenario
from dpbi.dashboard.sidebar import controls
from dpbi.dashboard.views import one_answer
from dpbi.dashboard.words import one_answer as words

with scenario("One answer") as chosen:
    problem = chosen.problem
    if not problem.n:
        st.info(words.NO_RECORD)
    else:
        with st.container(horizontal=True, vertical_alignment="bottom", key="controls of a pair"):
            pair = one_answer.pair(problem, chosen.labels, *controls.answers(problem, chosen.labels))
            mechanism = controls.answer_by(public_answers.uncalibrated(chosen).mechanisms)
            controls.redraw(chosen.seed)
        if type(mechanism) in {type(one) for one in chosen.mechanisms if one.calibration}:
            st.caption(words.UNCALIBRATED)
        best = one_answer.clouds(pair, mechanism, chosen.seed)
        st.markdown(words.promised(mechanism.guarantee(problem.prior, problem.n), best))

        st.header("Guess the answer")
        one_answer.guess(pair, mechanism, chosen.seed)
