"""Release: one mechanism, one secure draw, the files to publish, and the ledger of what was spent."""

import streamlit as st

from dpbi.dashboard.page import scenario
from dpbi.dashboard.views import release, release_ledger, release_tables

with scenario("Release") as chosen:
    release.say_what_is_published(chosen)
    ready = release.choose(chosen)
    if ready:
        release.say_what_to_expect(ready, chosen)
        release.press(ready, chosen)
    release.show()
    release_tables.draw(chosen)
    st.header("The ledger")
    release_ledger.draw()
