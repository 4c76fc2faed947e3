"""Release: one mechanism, one secure draw, the files to publish, and the ledger of what was spent."""

import streamlit as st

from dpbi.dashboard.page import scenario
from dpbi.dashboard.views import release, release_ledger, release_tables

with scenario("Release") as chosen:
    if table_first := release_tables.comes_first():
        release_tables.draw(chosen, warns=True)
        release.say_that_it_is_another(chosen)
    release.say_what_is_published(chosen)
    ready = release.choose(chosen, warns=not table_first)
    if ready:
        release.say_what_to_expect(ready, chosen)
        release.press(ready, chosen)
    release.show()
    if not table_first:
        release_tables.draw(chosen, warns=False)
    st.header("The ledger")
    release_ledger.draw()
