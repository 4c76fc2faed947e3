"""The dashboard: what stands between a person at the screen and the library. The only floor that loads streamlit."""
