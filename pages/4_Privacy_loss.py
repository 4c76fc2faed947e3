"""Privacy loss: what each mechanism really gives away, exactly, and what calibration makes of the rest."""

import streamlit as st

import dpbi
from dpbi.dashboard.answers import library, public_answers
from dpbi.dashboard.page import scenario
from dpbi.dashboard.shown import charts, tables
from dpbi.dashboard.sidebar import controls
from dpbi.dashboard.words import guard, home, privacy_loss, words
from dpbi.figures import privacy

with scenario("Privacy loss") as chosen:
    with controls.row():
        controls.epsilon(chosen.epsilon)
    prior, n = chosen.problem.prior, chosen.problem.n
    verdicts = public_answers.for_each(library.verdict, chosen)
    if n == 0:
        st.info(home.best([], chosen.problem))
    elif verdicts:
        audited = public_answers.only(chosen, verdicts)
        st.markdown(privacy_loss.verdicts(verdicts))
        charts.draw(privacy.stated_and_exact(verdicts), "loss")
        st.markdown(privacy_loss.LOSS)
        tables.draw(dpbi.tables.losses(verdicts))
        st.caption(words.BASES)

        st.header("Where it is attained")
        with guard.part():
            worst = controls.attaining(verdicts).loss
            st.markdown(privacy_loss.attained(worst))
            charts.draw(privacy.attaining(library.attaining_laws(worst.mechanism, prior, n), chosen.labels), "attained")

        st.header("Against the size of the data")
        with guard.part():
            st.markdown(privacy_loss.LOSS_AGAINST_SIZE)
            curves = public_answers.for_each(library.loss_against_size, public_answers.uncalibrated(audited))
            charts.draw(privacy.against_size(curves), "size")

        st.header("Granting a delta")
        with guard.part():
            st.markdown(privacy_loss.PROFILE)
            found = public_answers.for_each(library.profile, audited, tuple(dpbi.loss_curves.epsilons_beyond(verdicts)))
            if found:
                charts.draw(privacy.profiles(found), "profile")
                st.markdown(privacy_loss.ATTACKER)
                charts.draw(privacy.trade_offs(found), "trade-off")

        st.header("Calibrate")
        st.markdown(privacy_loss.CALIBRATION)
        if gains := public_answers.calibrate(audited):
            charts.draw(privacy.calibration(gains), "calibration")
            tables.draw(dpbi.tables.calibration(gains))
            st.markdown(privacy_loss.nothing_to_gain({gain.before.mechanism.label: gain.multiplier for gain in gains}))
            st.warning(words.CHOICE_WARNING)
