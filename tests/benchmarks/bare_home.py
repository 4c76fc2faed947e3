"""As many elements of Streamlit as Home has by default, of the same kinds, with nothing behind them: its yardstick."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

# What the app has in its sidebar and on its page, by kind
TICKS, LINKS, SUBHEADERS, CAPTIONS, LISTS, SCRIPTS, TEXTS, FILES, PLACES = 20, 11, 6, 6, 4, 6, 6, 5, 4
LINES, POINTS, ROWS, COLUMNS = 9, 260, 4, 9

st.set_page_config(layout="wide")
with st.sidebar:
    for i in range(LINKS):
        st.page_link("https://example.org", label=f"page {i}")
    for i in range(SUBHEADERS):
        st.subheader(f"part {i}")
    epsilon = float(st.text_input("epsilon", "1", key="entry: epsilon"))
    st.select_slider("epsilon, slid", range(30), key="slid")
    for i in range(2):
        st.text_input(f"entry {i}")
    for i in range(LISTS):
        st.selectbox(f"list {i}", ["one", "two", "three"])
    for i in range(TICKS):
        with st.container(horizontal=True):
            st.checkbox(f"tick {i}")
    for i in range(CAPTIONS):
        st.caption(f"caption {i}")
    st.toggle("talk")
    with st.expander("bring"):
        st.file_uploader("file")
    for i in range(2):
        st.download_button(f"take {i}", b"", key=f"take {i}")
st.title("Home")
for i in range(SCRIPTS):
    with st.container():
        st.html(f"<i>{i}</i>")
for i in range(TEXTS):
    st.markdown(f"epsilon is {epsilon}, {i}")
for name in ("rows", "curves"):
    x = np.linspace(0, epsilon, POINTS, dtype=np.float32)
    st.plotly_chart(go.Figure([go.Scatter(x=x, y=x * i, mode="lines") for i in range(LINES)]), key=name)
    with st.container(horizontal=True):
        for i in range(2):
            st.button(f"picture {i}", key=f"{name}: picture {i}")
            st.download_button(f"data {i}", b"", key=f"{name}: data {i}", on_click="ignore")
st.dataframe(pd.DataFrame(np.full((ROWS, COLUMNS), epsilon)))
st.download_button("table", b"", key="table", on_click="ignore")
st.caption("hint")
st.warning("warning")
for _ in range(PLACES):
    st.empty()
with st.expander("script"):
    st.markdown("script")
