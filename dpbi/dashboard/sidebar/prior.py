"""The sidebar's choice of a prior, as long as the data have categories.

A custom prior is kept by category: its numbers follow their labels when the order of the labels changes, and a label
that was not met before starts at 1.
"""

from collections.abc import Callable
from typing import Any

import streamlit as st

from dpbi import limits
from dpbi.dashboard.session import settings
from dpbi.dashboard.sidebar import entries
from dpbi.dashboard.words import guard, sidebar, words

RULES: dict[str, Callable[[int], float]] = {
    "Uniform: 1 per category": lambda k: 1.0,
    "Jeffreys: 1/2 per category": lambda k: 0.5,
    "Perks: 1/k per category": lambda k: 1 / k,
}
SYMMETRIC, CUSTOM = "Symmetric: one strength for all", "Custom: one per category"
CHOICES = (*RULES, SYMMETRIC, CUSTOM)
_BOX, _BOX_LABELS = "prior in one box", "prior in one box: labels"
DEFAULTS: dict[str, Any] = {"prior": CHOICES[0], "strength": "1", _BOX: "", _BOX_LABELS: None}
_NEW = "1"
SMALL = 0.01  # pseudo-counts: so weak a prior is worth a word
FIELDS_LARGEST = 12  # categories that get a field each; the numbers of more are typed in one box


def choose(labels: tuple[str, ...] | None, refusals: list[str]) -> tuple[float, ...]:
    """Draws the group. Returns one parameter per category; () where refused, or where the data were (labels None)."""
    choice = settings.choice("Prior", "prior", CHOICES, help=sidebar.PRIOR)
    if choice == SYMMETRIC:
        st.text_input("Strength, pseudo-counts per category", **settings.entry("strength"))
    if labels is None:
        if choice == CUSTOM:
            st.caption(sidebar.NO_CATEGORIES)
        return ()
    if choice == CUSTOM and len(labels) > FIELDS_LARGEST:
        _fill_box(labels)
        st.text_area(f"{len(labels)} numbers, one per category", **settings.entry(_BOX))
    elif choice == CUSTOM:
        settings.keep(_BOX_LABELS, None)
        for label in labels:
            settings.setdefault(_field(label), _NEW)
            st.text_input(f"alpha of {words.escape(label)}", **settings.entry(_field(label)))
    with guard.beside(refusals):
        alpha = parameters(labels)
        if min(alpha) < SMALL:
            st.caption(sidebar.SMALL_PRIOR)
        return alpha
    return ()


def parameters(labels: tuple[str, ...]) -> tuple[float, ...]:
    """The chosen prior's parameters, from the settings. Raises ValueError where one is refused."""
    choice, k = settings.get("prior"), len(labels)
    if choice in RULES:
        return (RULES[choice](k),) * k
    if choice == SYMMETRIC:
        return (check_parameter("strength", entries.number("strength", settings.get("strength"))),) * k
    if k > FIELDS_LARGEST:
        return _from_box(labels)
    return tuple(_of(label, settings.setdefault(_field(label), _NEW)) for label in labels)


def _fill_box(labels: tuple[str, ...]) -> None:
    """Writes the numbers of these labels into the box, unless it is about them already."""
    if settings.get(_BOX_LABELS) != labels:
        settings.keep(_BOX, " ".join(settings.setdefault(_field(label), _NEW) for label in labels))
        settings.keep(_BOX_LABELS, labels)


def _from_box(labels: tuple[str, ...]) -> tuple[float, ...]:
    """The numbers in the box, which from then on belong to their labels."""
    _fill_box(labels)
    texts = entries.one_each("prior", entries.separated(settings.get(_BOX)), len(labels))
    read = tuple(map(_of, labels, texts))
    for label, text in zip(labels, texts, strict=True):
        settings.keep(_field(label), text)
    return read


def _field(label: str) -> str:
    return f"alpha of {label}"


def _of(label: str, text: str) -> float:
    name = f"alpha of {words.plain(label)}"
    return check_parameter(name, entries.number(name, text))


def custom(labels: tuple[str, ...], texts: list[str]) -> dict[str, Any]:
    """The settings of a custom prior with these parameters. Raises ValueError unless there is one per category."""
    given = zip(labels, entries.one_each("prior", texts, len(labels)), strict=True)
    return {_BOX: "", _BOX_LABELS: None} | {_field(label): text for label, text in given}  # the box is written anew


def check_parameter(name: str, value: Any) -> float:
    return limits.between(name, value, limits.PRIOR_LEAST, limits.PRIOR_LARGEST)
