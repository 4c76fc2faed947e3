"""The sidebar's epsilon, the mechanisms with their options, and the numbers that several mechanisms share.

The controls derive from the fields of the classes: a labelled field with options is a choice, one with a true/false
default a tick; one whose default is a number is an entry shared by all classes that have a field of that name. They
stand in a fold for each mechanism that is picked, and are read from the settings whether it is open or not.
"""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpbi import MECHANISMS, ApproximateDP, Guarantee, Mechanism, limits
from dpbi.dashboard.answers import library
from dpbi.dashboard.answers.public_answers import Public, why_not_audited
from dpbi.dashboard.session import settings
from dpbi.dashboard.shown import folds
from dpbi.dashboard.sidebar import entries
from dpbi.dashboard.words import guard, sidebar, words

EPSILON_LARGEST_MARK = 20.0
EPSILON_MARKS = tuple(
    mark
    for decade in (-2, -1, 0, 1)
    for step in ("1", "1.2", "1.5", "2", "2.5", "3", "4", "5", "6", "8")
    if (mark := float(f"{step}e{decade}")) <= EPSILON_LARGEST_MARK
)
SLIDER, PICKED = "epsilon on the slider", "picked mechanisms"
BY_HAND = "ticked by hand"
ALWAYS_READ = "gamma"  # sensitivities are smoothed by it, whatever mechanism is ticked

Field = dataclasses.Field[Any]

_SET_LENGTH = 12  # characters of a number as typed, in the line of its mechanism


def defaults(chosen: tuple[str, ...]) -> dict[str, Any]:
    """The settings of this group; chosen: names of the classes that are ticked at first."""
    found: dict[str, Any] = {"epsilon": "1", SLIDER: 1.0, PICKED: [], BY_HAND: False}
    for kind in MECHANISMS:
        found |= {ticked(kind): kind.__name__ in chosen, calibrated(kind): False}
        for name, field in _fields(kind).items():
            found[name] = f"{field.default:g}" if name == field.name else field.default
    return found


def tick_unless_by_hand(chosen: Iterable[str]) -> None:
    """Ticks the mechanisms of these names, as long as nobody has chosen any."""
    if not settings.get(BY_HAND):
        for kind in MECHANISMS:
            settings.keep(ticked(kind), kind.__name__ in chosen)


def at_first(defaults: Mapping[str, Any]) -> dict[str, Any]:
    """The defaults, where nobody has chosen mechanisms with those that these data are shown with."""
    names = [] if settings.get(BY_HAND) else [ticked(kind) for kind in MECHANISMS]
    return {**defaults, **{name: settings.get(name) for name in names}}


def choose(
    refusals: list[str], public: Public | None, *, picks: bool
) -> tuple[dict[str, float], tuple[Mechanism, ...]]:
    """Draws the two groups. Returns the numbers by name (epsilon, gamma, ...; the refused are missing) and the
    ticked mechanisms in screen order, without those that need a refused number.

    public: prior and n, for which the mechanisms ticked as calibrated are calibrated; None while one is not known.
    picks: whether the page is about mechanisms; one that is not shows none, and the numbers that are in use.
    """
    picked = [kind for kind in MECHANISMS if _is_chosen(kind)]
    numbers = _epsilon(refusals, picked)
    if picks:
        _pick(picked)
    unaudited = {kind: why_not_audited(kind, public) for kind in picked}
    owners = {name: [kind for kind in kinds if kind in picked] for name, kinds in _owners().items()}
    places = _folds(unaudited, owners) if picks else {}
    for name, kinds in owners.items():
        if kinds or name == ALWAYS_READ:
            numbers |= _shared_number(name, places.get(name), refusals, shown=not picks)
    for hint in sidebar.hints(numbers, public[1] if public else None):
        st.caption(hint)
    if picks:
        _say_what_cannot_be_calibrated(unaudited)
    mechanisms: list[Mechanism] = []
    for kind in picked:
        if {"epsilon", *(name for name, kinds in owners.items() if kind in kinds)} <= numbers.keys():
            mechanisms += _variants(make(kind, numbers | _options(kind)), None if unaudited[kind] else public)
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


def _epsilon(refusals: list[str], picked: Sequence[type[Mechanism]]) -> dict[str, float]:
    field, meant = st.columns([3, 7], gap="xsmall", vertical_alignment="bottom", wrap=False)
    text = field.text_input("epsilon, exactly", **settings.entry("epsilon"))
    with guard.beside(refusals):
        epsilon = limits.check_epsilon(entries.number("epsilon", text))
        with_delta = any(isinstance(_example(kind), ApproximateDP) for kind in picked)
        meant.caption(sidebar.in_cases(epsilon, with_delta))
        return {"epsilon": epsilon}
    return {}


def _pick(kinds: Sequence[type[Mechanism]]) -> None:
    """The mechanisms, all in sight: those are pressed that are ticked, as they are or calibrated."""
    picked = [kind.__name__ for kind in kinds]
    if {*settings.get(PICKED)} != {*picked}:  # its own order is that of the presses
        settings.keep(PICKED, picked)
    labels = {kind.__name__: words.stamped(kind.label, _example(kind)) for kind in MECHANISMS}
    settings.several("Mechanisms", PICKED, labels, _take_picked, format_func=labels.get, help=sidebar.PICKED)


def _take_picked() -> None:
    settings.keep(BY_HAND, True)
    for kind in MECHANISMS:
        if kind.__name__ not in settings.get(PICKED):
            settings.keep(ticked(kind), False)
            settings.keep(calibrated(kind), False)
        elif not _is_chosen(kind):
            settings.keep(ticked(kind), True)


def _folds(
    unaudited: Mapping[type[Mechanism], str], owners: Mapping[str, list[type[Mechanism]]]
) -> dict[str, DeltaGenerator]:
    """A fold for each picked mechanism, which opens to what can be asked, and a line of what is set; one that is not
    open makes no widgets. Returns the places of the shared numbers that are shown, each with the first that has it.
    """
    places: dict[str, DeltaGenerator] = {}
    row = st.container(horizontal=True, gap="small", key="folds of mechanisms")
    for kind, refusal in unaudited.items():
        with row, folds.fold(kind.label, kind.__name__, small=True) as opened:
            if not opened:
                continue
            st.caption(kind.idea)
            with st.container(horizontal=True, gap="small"):
                st.checkbox(f"{kind.label} as it is", width="content", **settings.entry(ticked(kind), then=_by_hand))
                st.checkbox(f"{kind.label} calibrated", disabled=bool(refusal), help=sidebar.CALIBRATED,
                            width="content", **settings.entry(calibrated(kind)))  # fmt: skip
            for name, field in _fields(kind).items():
                if name != field.name:
                    _option(name, field)
                elif kind is owners[name][0]:
                    places[name] = st.container()
    if told := "; ".join(filter(None, map(_set, unaudited))):
        st.caption(told)
    return places


def _by_hand() -> None:
    settings.keep(BY_HAND, True)


def _set(kind: type[Mechanism]) -> str:
    """A mechanism and what is set: its numbers, and what is not as it comes; nothing where it is as it comes."""
    said = []
    if settings.get(calibrated(kind)):
        said.append("as it is and calibrated" if settings.get(ticked(kind)) else "calibrated")
    for name, field in _fields(kind).items():
        value, label = settings.get(name), field.metadata["label"].partition(",")[0]
        if name == field.name:
            said.append(f"{name} {words.escape(value, _SET_LENGTH)}")
        elif value != field.default:
            said.append(label if value is True else f"{label} {value}")
    return f"{kind.label}: {', '.join(said)}" if said else ""


def _shared_number(name: str, place: DeltaGenerator | None, refusals: list[str], *, shown: bool) -> dict[str, float]:
    """A number that mechanisms share, from the settings: drawn in its place, or here, where a page without a picker
    shows it and wherever it is refused, since it must be possible to set it right."""
    found, refused = {}, list[str]()
    try:
        found = {name: check_number(name, entries.number(name, settings.get(name)))}
    except ValueError as refusal:
        refused = [words.sentence(refusal)]
    if place or shown or refused:
        with place or st.container():
            label = next(_fields(kind)[name].metadata["label"] for kind in _owners()[name])
            st.text_input(label, help=sidebar.SHARED_NUMBERS.get(name), **settings.entry(name))
            for sentence in refused:
                st.error(sentence)
    refusals += refused
    return found


def _example(kind: type[Mechanism]) -> Guarantee:
    """What a class promises, of which kind and on what basis."""
    return _promised(kind(1.0))


@cache
def _promised(mechanism: Mechanism) -> Guarantee:
    return mechanism.guarantee((1.0, 1.0), 1)


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


def _say_what_cannot_be_calibrated(unaudited: Mapping[type[Mechanism], str]) -> None:
    """Of those that are asked to be, and in passing of those whose fold is open."""
    for sentence in dict.fromkeys(filter(None, unaudited.values())):
        kinds = [kind for kind, said in unaudited.items() if said == sentence]
        dropped = [kind.label for kind in kinds if settings.get(calibrated(kind))]
        opened = [kind.label for kind in kinds if st.session_state.get(folds.key(kind.__name__))]
        if dropped or opened:
            (st.warning if dropped else st.caption)(sidebar.not_calibrated([kind.label for kind in kinds], sentence))


def _option(name: str, field: Field) -> None:
    label, more = field.metadata["label"], field.metadata
    if "options" in more:
        settings.choice(label, name, more["options"])
    else:
        st.checkbox(label, help=more.get("help"), **settings.entry(name))


def _options(kind: type[Mechanism]) -> dict[str, Any]:
    return {field.name: settings.get(name) for name, field in _fields(kind).items() if name != field.name}


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


@cache
def _owners() -> dict[str, list[type[Mechanism]]]:
    """The shared numbers besides epsilon, each with the classes that have it."""
    names = dict.fromkeys(name for kind in MECHANISMS for name, field in _fields(kind).items() if name == field.name)
    return {name: [kind for kind in MECHANISMS if name in _fields(kind)] for name in names}


def ticked(kind: type[Mechanism]) -> str:
    return f"ticked: {kind.__name__}"


def calibrated(kind: type[Mechanism]) -> str:
    return f"calibrated: {kind.__name__}"
