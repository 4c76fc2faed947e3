"""A figure on a page: full width, with its alternative text; pictures of it and its data below."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from dpbi.dashboard.shown import downloads, stylesheet

# Grey with enough contrast on the light and the dark ground; the charts' own ground shows through.
_MODE_BAR = {"bgcolor": "rgba(0,0,0,0)", "color": "#7d8590", "activecolor": "#2f7bd0"}

_SOUGHT = "charts: to bring into sight"

_TALK = 1.4  # times as large is a chart's type for a room


def draw(figure: Any, name: str, *, share: float = 1.0) -> None:
    """Draws a plotly figure; name: its key on the page and the picture's file name; share: of the page's width.

    Dragging scrolls the page, as on a telephone it must; a part is looked at through the mode bar or full screen.
    """
    from dpbi.figures.style import beside_its_bar, enlarged, in_the_hand

    if stylesheet.in_the_hand():
        drawn = in_the_hand(figure)
    elif stylesheet.in_a_room():
        drawn = enlarged(figure, _TALK, stylesheet.screen(), share)
    else:
        drawn = beside_its_bar(figure)
    drawn = drawn.laid_out(dragmode=False, modebar=_MODE_BAR)
    st.plotly_chart(
        drawn,
        key=f"chart: {name}",
        alt=drawn.alt,
        config={
            "displaylogo": False,
            "modeBarButtonsToRemove": ["zoom2d", "pan2d", "select2d", "lasso2d", "autoScale2d"],
            "toImageButtonOptions": {"format": "svg", "filename": f"dpbi-{name}"},
        },
    )
    downloads.figure_buttons(figure, name)
    if st.session_state.get(_SOUGHT) == name:
        del st.session_state[_SOUGHT]
        stylesheet.call("intoSight", f"chart--{name}", ".main-svg")


def follow(name: str, then: Callable[[str], None]) -> None:
    """Calls ``then`` with the frame at which a person lets go the slider of this chart, before the page runs again."""
    key = f"slider: {name}"

    def told() -> None:
        slid = st.session_state.get(key)  # None where its page was left meanwhile
        if slid is not None:
            then(str(slid.place))

    stylesheet.component("slider")(key=key, data=name, on_place_change=told)


def seek(name: str) -> None:
    """Has the chart of this name brought into sight by the page that draws it next."""
    st.session_state[_SOUGHT] = name
