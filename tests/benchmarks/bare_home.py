"""As many elements of Streamlit as a page has, of the same kinds, with nothing behind them: its yardstick.

The page's list of them is the script's one argument (``elements.write``).
"""

import sys
from pathlib import Path

import streamlit as st

from tests.benchmarks import elements

st.set_page_config(layout="wide")
elements.draw(elements.read(Path(sys.argv[1])))
