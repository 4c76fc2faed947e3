"""The least page of Streamlit with words and a chart: when it is seen is the yardstick of when ours are."""

import numpy as np
import plotly.graph_objects as go
import streamlit as st

st.title("epsilon")
st.markdown("What epsilon is.")
x = np.linspace(0, 1, 260)
st.plotly_chart(go.Figure([go.Scatter(x=x, y=x * i, mode="lines") for i in range(4)]))
