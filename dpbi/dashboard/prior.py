"""The sidebar's choice of a prior, as long as the data have categories."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from dpbi import limits
from dpbi.dashboard import entries, settings, words
from dpbi.dashboard.refusals import Refusals

RULES: dict[str, Callable[[int], float]] = {
    "Uniform: 1 per category": lambda k: 1.0,
    "Jeffreys: 1/2 per category": lambda k: 0.5,
    "Perks: 1/k per category": lambda k: 1 / k,
}
SYMMETRIC, CUSTOM = "Symmetric: one strength for all", "Custom: one per category"
CHOICES = (*RULES, SYMMETRIC, CUSTOM)
DEFAULTS: dict[str, Any] = {"prior": CHOICES[0], "strength": "1"}
FIELDS_LARGEST = 12  # categories that get a field each; the numbers of more are typed in one box


def choose(labels: tuple[str, ...] | None, refusals: Refusals) -> tuple[float, ...]:
    """Draws the group. Returns one parameter per category; () where refused, or where the data were (labels None)."""
    st.subheader("Prior")
    choice = st.selectbox("Pseudo-counts before any data", CHOICES, **settings.entry("prior"))
    if choice == SYMMETRIC:
        st.text_input("Strength, pseudo-counts per category", **settings.entry("strength"))
    if labels is None:
        return ()
    if choice == CUSTOM and len(labels) > FIELDS_LARGEST:
        st.text_area(f"{len(labels)} numbers, one per category", **_entry(_box(len(labels)), len(labels)))
    elif choice == CUSTOM:
        for i, label in enumerate(labels, 1):
            st.text_input(f"alpha of {words.escape(label)}", **_entry(_field(i, len(labels)), 1))
    with refusals.beside():
        return parameters(len(labels))
    return ()


def parameters(k: int) -> tuple[float, ...]:
    """The chosen prior's parameters for k categories, from the settings. Raises ValueError where one is refused."""
    choice = settings.get("prior")
    if choice in RULES:
        return (RULES[choice](k),) * k
    if choice == SYMMETRIC:
        return (_parameter("strength", settings.get("strength")),) * k
    if k > FIELDS_LARGEST:
        read = limits.check_prior(entries.numbers("prior", settings.setdefault(_box(k), _ones(k))))
        if len(read) != k:
            raise ValueError(f"prior must have one number per category: got {len(read)} for {k} categories.")
        return read
    fields = (settings.setdefault(_field(i, k), _ones(1)) for i in range(1, k + 1))
    return tuple(_parameter(f"prior[{i}]", text) for i, text in enumerate(fields))


def _entry(name: str, numbers: int) -> dict[str, Any]:
    settings.setdefault(name, _ones(numbers))
    return settings.entry(name)


def _ones(numbers: int) -> str:
    return " ".join(["1"] * numbers)


def _field(i: int, k: int) -> str:
    return f"prior of category {i} of {k}"


def _box(k: int) -> str:
    return f"prior of {k} categories"


def _parameter(name: str, text: str) -> float:
    return limits.between(name, entries.number(name, text), limits.PRIOR_LEAST, limits.PRIOR_LARGEST)

