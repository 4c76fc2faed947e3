"""Home: the comparison of the ticked mechanisms at the scenario of the sidebar."""

import time

import streamlit as st

# Said before the library is imported: in that second the browser loads what draws the table.
with st.container(key="script table"):  # as look.run has it, which is not there yet
    st.html(
        """<script>
{
const entry = document.querySelector('script[src*="static/js/"]');
if (entry) fetch(entry.src).then(answer => answer.text()).then(text => {
  const grid = text.match(/DataFrame[.][A-Za-z0-9_-]+[.]js/);
  if (grid) import(new URL(grid[0], entry.src));
});
}
</script>""",
        unsafe_allow_javascript=True,
    )
time.sleep(0.05)  # lets the server send it: an import holds the interpreter

from dpbi.dashboard import audits, cached, charts, facts, tables, words  # noqa: E402
from dpbi.dashboard.scenario import scenario  # noqa: E402

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
