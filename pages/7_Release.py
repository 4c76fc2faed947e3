"""Release: one mechanism, one secure draw, the files to publish, and the ledger of what was spent."""

import streamlit as st

from dpbi.dashboard.page import scenario
from dpbi.dashboard.views import release, release_ledger
from dpbi.dashboard.words import words

with scenario("Release") as chosen:
    st.warning(words.CHOICE_WARNING)
    ready = release.choose(chosen)
    if ready:
        release.say_what_to_expect(ready, chosen)
        release.press(ready, chosen)
    release.show(chosen)
    st.header("The ledger")
    release_ledger.draw(chosen)
