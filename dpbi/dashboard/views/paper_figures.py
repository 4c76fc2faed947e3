"""The papers' figures on their page: which one is looked at, drawn once for each seed, and what it says."""

import contextlib
import re
from typing import Any

import streamlit as st

from dpbi.dashboard.answers.cache import kept
from dpbi.dashboard.answers.work import Begin, Cancelled, work
from dpbi.dashboard.session import settings
from dpbi.dashboard.shown import charts, folds
from dpbi.dashboard.sidebar import controls
from dpbi.dashboard.take_away import script, take_away
from dpbi.dashboard.words import words
from dpbi.papers.figures import FIGURES, PaperFigure

_CHOSEN = "paper figure"
_BY_KEY = {figure.key: figure for figure in FIGURES}
_SENTENCES = 2000  # characters of a story at most

FIGURES_PURPOSE = (
    "Each numbered figure of **[P17]** and of **[N]** ([what they are](#the-papers)), with the papers' settings: the "
    "data and the prior of the sidebar play no part here. Where the papers simulated, 1,000 runs stand beside the "
    "exact answer. The papers' own pictures are not shown: what is said of them is what their captions and texts say."
)


def choose(seed: int) -> PaperFigure:
    """The figure to look at; where it has simulated runs, with the button that draws them anew."""
    with controls.row():
        titles = {key: f"{key}: {figure.title}" for key, figure in _BY_KEY.items()}
        key = settings.choice("Figure", _CHOSEN, _BY_KEY, format_func=titles.get, width=420)
        if _BY_KEY[key].simulated:
            controls.redraw(seed)
    return _BY_KEY[key]


def draw(figure: PaperFigure, seed: int) -> None:
    """Our figure, the paper's caption, and where the two tell different stories."""
    from dpbi.figures import papers

    asked = figure.key, seed if figure.simulated else 0
    with work("paper figure", asked, 0, "parts of the figure") as current, contextlib.suppress(Cancelled):
        result, story = _computed(*asked, Begin(current))
    if current.complete:
        charts.draw(papers.draw(result), "paper-" + re.sub(r"\W+", "-", figure.key).strip("-"))
    st.markdown(f"**In the paper:** {words.escape(figure.caption, _SENTENCES)}")
    if figure.not_printed:
        st.caption(f"The paper does not print {words.escape(figure.not_printed, _SENTENCES)}.")
    if current.complete:
        st.markdown(f"**Computed:** {words.escape(story, _SENTENCES)}")
    with folds.fold("Link to this figure, and its Python") as opened:
        if opened:
            take_away.link_to(figure=figure.key, **({"seed": seed} if figure.simulated else {}))
            st.code(script.of_figure(figure.key, seed), language="python")


@kept(64)
def _computed(key: str, seed: int, begin: Begin) -> tuple[Any, str]:
    """The figure's result and its story."""
    result = _BY_KEY[key].result(seed, begin)
    return result, _BY_KEY[key].story(result)
