"""The sidebar's data: a bundled example, a file, made-up counts, or counts typed in."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from dpbi import limits
from dpbi.dashboard.session import address, settings
from dpbi.dashboard.sidebar import entries, menu, prior
from dpbi.dashboard.words import data as data_words, guard, sidebar, words
from dpbi.data import synthesis
from dpbi.data.examples import EXAMPLES

EXAMPLE, FILE, MADE_UP, TYPED = "An example", "A file of yours", "Made-up counts", "Counts typed in"
WAITING = "data: waiting"  # the name of what is open on the page Data, where that is not in use
CHOICES = (EXAMPLE, FILE, MADE_UP, TYPED)
OWN = (FILE, TYPED)  # where the counts are a person's, not the app's
GIVEN, DRAWN = "Given proportions", "Drawn from the prior"
BALANCED = "Balanced"
RULES: dict[str, Callable[[int, int], tuple[int, ...]]] = {
    BALANCED: synthesis.balanced_counts,
    "Skewed: 1, 1/2, 1/3, …": synthesis.skewed_counts,
}
SHAPES = (*RULES, GIVEN, DRAWN)
BY_KEY = {example.key: example for example in EXAMPLES}
DEFAULTS: dict[str, Any] = {
    "source": EXAMPLE,
    "example": EXAMPLES[0].key,
    "made-up k": "3",
    "made-up n": "300",
    "made-up shape": BALANCED,
    "made-up proportions": "0.5 0.3 0.2",
    "made-up seed": "1",
    "typed": "Yes, 30\nNo, 20",
    "uploaded": None,
}


OWN_SETTINGS = ("typed", "uploaded", "groups: typed")  # a person's own counts: kept when other settings come


class Data(NamedTuple):
    """The categories and their counts, what to call them and where they come from, in plain text."""

    labels: tuple[str, ...]
    counts: tuple[int, ...]
    title: str
    source: str


def choose(refusals: list[str]) -> Data | None:
    """Draws the group. None where an entry was refused, or while a file waits to be chosen or confirmed."""
    source = settings.choice("Counts from", "source", CHOICES)
    return {EXAMPLE: _example, FILE: _file, MADE_UP: _made_up, TYPED: _typed}[source](refusals)


def of_a_person() -> bool:
    """Whether the counts are a person's, typed or from a file, so that there is somebody to protect."""
    return settings.get("source") in OWN


def own(source: str, labels: tuple[str, ...], counts: tuple[int, ...], title: str) -> dict[str, Any]:
    """The settings that bring back a person's labels and counts: as typed, or as from a file where that reads them.

    Labels that typing would read in another way, as 'x, 5', come back as from a file.
    """
    text = "\n".join(f"{label}: {count}" for label, count in zip(labels, counts, strict=True))
    with suppress(ValueError):
        if source == TYPED and entries.counts(text) == (labels, counts):
            return {"source": TYPED, "typed": text}
    return {"source": FILE, "uploaded": {"name": title, "labels": list(labels), "counts": list(counts)}}


def _example(refusals: list[str]) -> Data:
    key = settings.choice("Example", "example", BY_KEY, format_func=lambda key: BY_KEY[key].title,
                          label_visibility="collapsed")  # fmt: skip
    example = BY_KEY[key]
    return Data(example.labels, example.counts, example.title, example.source)


def _file(refusals: list[str]) -> Data | None:
    used, waiting = settings.get("uploaded"), st.session_state.get(WAITING)
    st.caption(data_words.used(used))
    if used and waiting:
        st.warning(f"The form of {words.escape(waiting)} on the page Data says something else, which is not in use.")
    lead_to_data()
    if used is None:
        return None
    return Data(tuple(used["labels"]), tuple(used["counts"]), used["name"], "an uploaded file")


def lead_to_data() -> None:
    st.page_link(menu.page("Data").path, label="To the page Data", query_params=address.elsewhere(on_tour=False))


def _made_up(refusals: list[str]) -> Data | None:
    left, right = st.columns(2, wrap=False)
    k_text = left.text_input("Categories, k", **settings.entry("made-up k"))
    n_text = right.text_input("Records, n", **settings.entry("made-up n"))
    shape = settings.choice("Shape", "made-up shape", SHAPES)
    proportions = seed = ""
    if shape == GIVEN:
        proportions = st.text_input("Proportions, one per category", **settings.entry("made-up proportions"))
    if shape == DRAWN:
        seed = st.text_input("Seed of the counts", **settings.entry("made-up seed"))
    with guard.beside(refusals):
        n = entries.whole("n", n_text, 0, limits.TOTAL_LARGEST)
        k = entries.whole("k", k_text, limits.CATEGORIES_LEAST, limits.CATEGORIES_LARGEST)
        labels = made_up_labels(k)
        if shape == GIVEN:
            shares = entries.one_each("proportions", entries.numbers("proportions", proportions), k)
            counts = synthesis.proportional_counts(shares, n)
        elif shape == DRAWN:
            counts = _drawn(labels, n, entries.whole("seed", seed, 0, entries.SEED_LARGEST))
        else:
            counts = RULES[shape](k, n)
        return Data(labels, counts, "Made-up counts", f"made to order: {shape.lower()}")
    return None


def made_up_labels(k: int) -> tuple[str, ...]:
    return tuple(f"Category {i + 1}" for i in range(k))


def _drawn(labels: tuple[str, ...], n: int, seed: int) -> tuple[int, ...]:
    """Counts drawn from the chosen prior; none where the prior is refused, which is said beside the prior."""
    try:
        alpha = prior.parameters(labels)
    except ValueError:
        return ()
    return synthesis.prior_predictive_counts(alpha, n, np.random.default_rng(seed))


def _typed(refusals: list[str]) -> Data | None:
    text = st.text_area(
        "A category and its count per line",
        height=88,
        help="Such as: Cured, 48 or Cured: 1,200. Counts alone will do too, and 48, 42 in one line.",
        **settings.entry("typed"),
    )
    with guard.beside(refusals):
        labels, counts = entries.counts(text)
        st.caption(sidebar.understood(labels, counts))
        return Data(labels, counts, "Counts typed in", "typed in")
    return None
