"""The sidebar's epsilon, the mechanisms with their options, and the numbers that several mechanisms share.

The controls derive from the fields of the classes: a labelled field with options is a choice, one with a true/false
default a tick; one whose default is a number is an entry shared by all classes that have a field of that name.
"""

import dataclasses
from contextlib import suppress
from typing import Any

import streamlit as st

from dpbi import MECHANISMS, ApproximateDP, Guarantee, Mechanism, limits
from dpbi.dashboard.answers import library
from dpbi.dashboard.answers.public_answers import Public, why_not_audited
from dpbi.dashboard.session import settings
from dpbi.dashboard.sidebar import entries
from dpbi.dashboard.words import guard, sidebar, words

EPSILON_LARGEST_MARK = 20.0
EPSILON_MARKS = tuple(
    mark
    for decade in (-2, -1, 0, 1)
    for step in ("1", "1.2", "1.5", "2", "2.5", "3", "4", "5", "6", "8")
    if (mark := float(f"{step}e{decade}")) <= EPSILON_LARGEST_MARK
)
SLIDER = "epsilon on the slider"
ALWAYS_SHOWN = "gamma"  # sensitivities are smoothed by it, whatever mechanism is ticked

Field = dataclasses.Field[Any]


def defaults(chosen: tuple[str, ...]) -> dict[str, Any]:
    """The settings of this group; chosen: names of the classes that are ticked at first."""
    found: dict[str, Any] = {"epsilon": "1", SLIDER: 1.0}
    for kind in MECHANISMS:
        found |= {ticked(kind): kind.__name__ in chosen, calibrated(kind): False}
        for name, field in _fields(kind).items():
            found[name] = f"{field.default:g}" if name == field.name else field.default
    return found


def choose(refusals: list[str], public: Public | None) -> tuple[dict[str, float], tuple[Mechanism, ...]]:
    """Draws the two groups. Returns the numbers by name (epsilon, gamma, ...; the refused are missing) and the
    ticked mechanisms in screen order, without those that need a refused number.

    public: prior and n, for which the mechanisms ticked as calibrated are calibrated; None while one is not known.
    """
    st.subheader("Privacy")
    numbers = _epsilon(refusals)
    if "epsilon" in numbers:
        with_delta = any(isinstance(_example(kind), ApproximateDP) for kind in MECHANISMS if _is_chosen(kind))
        st.caption(sidebar.in_cases(numbers["epsilon"], with_delta))
    owners = _owners()
    for name, kinds in owners.items():
        if name == ALWAYS_SHOWN or any(_is_chosen(kind) for kind in kinds):
            numbers |= _shared_number(name, kinds, refusals)
    for hint in sidebar.hints(numbers, public[1] if public else None):
        st.caption(hint)
    st.subheader("Mechanisms", help=sidebar.CALIBRATED)
    unaudited = {kind: why_not_audited(kind, public) for kind in MECHANISMS}
    mechanisms: list[Mechanism] = []
    for kind in MECHANISMS:
        _tick(kind, can_be_calibrated=not unaudited[kind])
        if not _is_chosen(kind):
            continue
        options = _options(kind)
        if {"epsilon", *(name for name, kinds in owners.items() if kind in kinds)} <= numbers.keys():
            mechanisms += _variants(make(kind, numbers | options), None if unaudited[kind] else public)
    _say_what_cannot_be_calibrated(unaudited)
    return numbers, tuple(dict.fromkeys(mechanisms))  # without records a calibrated mechanism is the plain one


def every_number() -> tuple[str, ...]:
    """epsilon and the other numbers that several mechanisms share."""
    return ("epsilon", *_owners())


def check_number(name: str, value: Any) -> float:
    """One of these numbers, if every mechanism that has it accepts it. Raises ValueError otherwise."""
    checked = limits.check_epsilon(value) if name == "epsilon" else limits.finite_number(name, value)
    for kind in _owners().get(name, ()):
        make(kind, {"epsilon": 1.0, name: checked})
    return checked


def options() -> dict[str, tuple[str, tuple[Any, ...]]]:
    """The choices of single mechanisms, by class and field: the setting of each, and its allowed values."""
    return {
        f"{kind.__name__}.{field.name}": (name, field.metadata.get("options", (False, True)))
        for kind in MECHANISMS
        for name, field in _fields(kind).items()
        if name != field.name
    }


def exponential_smoothness(numbers: dict[str, float], n: int, k: int) -> float:
    """beta, per step, of the exponential kind of smooth sensitivity: as the mechanism has it that uses this kind."""
    rules = (getattr(make(kind, numbers), "beta", None) for kind in MECHANISMS)
    return next(rule for rule in rules if rule is not None)(n, k)


def _epsilon(refusals: list[str]) -> dict[str, float]:
    with suppress(ValueError):
        settings.keep(SLIDER, limits.check_epsilon(entries.number("epsilon", settings.get("epsilon"))))
    slider, field = st.columns([2, 1], vertical_alignment="bottom", wrap=False)
    # An epsilon between or beyond the marks becomes a mark, so that slider and entry never disagree.
    slider.select_slider(
        "epsilon",
        sorted({*EPSILON_MARKS, settings.get(SLIDER)}),
        format_func=words.number,
        help="The privacy loss: an observer's odds about any one person move by a factor of at most e^epsilon.",
        **settings.entry(SLIDER, then=_take_mark),
    )
    text = field.text_input("epsilon, exactly", label_visibility="collapsed", **settings.entry("epsilon"))
    with guard.beside(refusals):
        return {"epsilon": limits.check_epsilon(entries.number("epsilon", text))}
    return {}


def _take_mark() -> None:
    settings.keep("epsilon", f"{settings.get(SLIDER):.15g}")


def _shared_number(name: str, kinds: list[type[Mechanism]], refusals: list[str]) -> dict[str, float]:
    label = _fields(kinds[0])[name].metadata["label"]
    text = st.text_input(label, help=sidebar.SHARED_NUMBERS.get(name), **settings.entry(name))
    with guard.beside(refusals):
        return {name: check_number(name, entries.number(name, text))}
    return {}


def _tick(kind: type[Mechanism], can_be_calibrated: bool) -> None:
    label = words.stamped(kind.label, _example(kind))
    with st.container(horizontal=True, gap="small", key=f"tick {kind.__name__}"):
        st.checkbox(label, help=kind.idea, width="content", **settings.entry(ticked(kind)))
        st.checkbox(
            "calibrated",
            disabled=not can_be_calibrated,
            width="content",
            **settings.entry(calibrated(kind)),
        )


def _example(kind: type[Mechanism]) -> Guarantee:
    """What a class promises, of which kind and on what basis."""
    return kind(1.0).guarantee((1.0, 1.0), 1)


def _is_chosen(kind: type[Mechanism]) -> bool:
    return bool(settings.get(ticked(kind)) or settings.get(calibrated(kind)))


def _variants(mechanism: Mechanism, public: Public | None) -> list[Mechanism]:
    """The mechanism as it is, calibrated, or both, as ticked."""
    kind = type(mechanism)
    found = [mechanism] if settings.get(ticked(kind)) else []
    if settings.get(calibrated(kind)) and public:
        with guard.part(mechanism.label):
            found.append(library.calibrated(mechanism, *public))
    return found


def _say_what_cannot_be_calibrated(unaudited: dict[type[Mechanism], str]) -> None:
    for sentence in dict.fromkeys(filter(None, unaudited.values())):
        kinds = [kind for kind, said in unaudited.items() if said == sentence]
        dropped = [kind.label for kind in kinds if settings.get(calibrated(kind))]
        said = sidebar.not_calibrated([kind.label for kind in kinds], sentence)
        (st.warning if dropped else st.caption)(said)


def _options(kind: type[Mechanism]) -> dict[str, Any]:
    read: dict[str, Any] = {}
    for name, field in _fields(kind).items():
        if name == field.name:
            continue
        with st.container(key=f"option {kind.__name__} {field.name}"):
            label, more = field.metadata["label"], field.metadata
            if "options" in more:
                read[field.name] = settings.choice(label, name, more["options"])
            else:
                read[field.name] = st.checkbox(label, help=more.get("help"), **settings.entry(name))
    return read


def make(kind: type[Mechanism], values: dict[str, Any]) -> Mechanism:
    """The mechanism from those of the values that it has a field for."""
    own = {field.name for field in dataclasses.fields(kind)}
    return kind(**{name: value for name, value in values.items() if name in own})


def _fields(kind: type[Mechanism]) -> dict[str, Field]:
    """The labelled fields of a class by the settings that they are: a number's is shared, and called as the field is.
    """
    fields = [field for field in dataclasses.fields(kind) if "label" in field.metadata]
    return {field.name if isinstance(field.default, float) else f"{kind.__name__}: {field.name}": field
            for field in fields}


def _owners() -> dict[str, list[type[Mechanism]]]:
    """The shared numbers besides epsilon, each with the classes that have it."""
    names = dict.fromkeys(name for kind in MECHANISMS for name, field in _fields(kind).items() if name == field.name)
    return {name: [kind for kind in MECHANISMS if name in _fields(kind)] for name in names}


def ticked(kind: type[Mechanism]) -> str:
    return f"ticked: {kind.__name__}"


def calibrated(kind: type[Mechanism]) -> str:
    return f"calibrated: {kind.__name__}"
