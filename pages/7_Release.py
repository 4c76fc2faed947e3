"""Release: one mechanism, one secure draw, the files to publish, and the ledger of what was spent."""

import streamlit as st

from dpbi.dashboard import ledger_of_releases, releases, words
from dpbi.dashboard.scenario import scenario

with scenario("Release") as chosen:
    st.warning(words.CHOICE_WARNING)
    ready = releases.choose(chosen)
    if ready:
        releases.say_what_to_expect(ready, chosen)
        releases.press(ready, chosen)
    releases.show()
    st.header("The ledger")
    ledger_of_releases.draw(chosen)
