"""The least page of Streamlit: what any page costs that is moved by one widget. A yardstick, no part of the app."""

import streamlit as st

epsilon = st.text_input("epsilon", "1", key="entry: epsilon")
st.markdown(f"epsilon is {epsilon}")
