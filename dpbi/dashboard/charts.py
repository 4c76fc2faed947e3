"""A figure on a page: full width, with its alternative text, and a picture to take away from its mode bar."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:  # the dashboard only passes figures on; plotly is loaded by the floor below when it is needed
    from plotly.graph_objects import Figure


def draw(figure: Figure, name: str) -> None:
    """Draws the figure; name: its key on the page and the picture's file name."""
    st.plotly_chart(
        figure,
        key=f"chart: {name}",
        alt=figure.layout.meta["alt"],
        config={
            "displaylogo": False,
            "toImageButtonOptions": {"format": "svg", "filename": f"dpbi-{name}"},
        },
    )
